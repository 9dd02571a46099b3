//! Names of types: each means one thing in the whole workspace, so that a reader of one file knows it in another (CONTRIBUTING.md, *Language*).

use crate::source;
use std::collections::{BTreeMap, BTreeSet};

/// Names that stand in several files, each as `name: files`.
fn repeated<'s>(declared: impl Iterator<Item = (&'s str, &'s str)>) -> Vec<String> {
    let mut files = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (name, file) in declared {
        files.entry(name).or_default().insert(file);
    }
    let several = files.iter().filter(|(_, files)| files.len() > 1);
    several.map(|(name, files)| format!("{name}: {}", files.iter().copied().collect::<Vec<_>>().join(", "))).collect()
}

#[test]
fn no_two_files_declare_types_of_one_name() {
    let source = source();
    assert!(source.types().count() > 700, "{}", source.types().count());
    let wrong = repeated(source.types());
    assert!(wrong.is_empty(), "{} names of types stand in several files of src/:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_name_of_two_types_is_seen() {
    let text = "struct A;\ntype B = A;\n#[cfg(test)]\nstruct C;\n#[cfg(test)]\nmod tests { enum D {} }\nfn f() { enum E {} }\n\
        trait G { type Item; }\nimpl G for A { type Item = u8; }";
    let types = crate::source::parse("x", text, &["x".to_owned()].into()).types;
    assert_eq!(types, ["A", "B", "E", "G"]);
    let all = [("A", "a.rs"), ("B", "a.rs"), ("A", "b.rs"), ("C", "b.rs"), ("C", "b.rs")];
    assert_eq!(repeated(all.into_iter()), ["A: a.rs, b.rs"]);
}
