//! The shape of the source: which room uses which, no circle of imports that spans two folders, no overlong file or function, no type name
//! that stands in two files, and pages that say what the code says.
//!
//! Rooms are crates: the compiler holds what each may use, and the table in ARCHITECTURE.md between `<!-- rooms -->` and `<!-- /rooms -->` is
//! made from their manifests. What is overlong for a reason stands in `exceptions.toml` beside this file.

#![allow(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod graph;
mod language;
mod readmes;
mod source;
mod unique_names;

use graph::{Graph, circles};
use serde::Deserialize;
use source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Lines of a file, and of a function from its name to its closing brace.
const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 100;

/// What may be longer, and why.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    #[serde(default)]
    file: Vec<LongFile>,
    #[serde(default)]
    function: Vec<LongFunction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongFile {
    path: String,
    lines: usize,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongFunction {
    path: String,
    name: String,
    lines: usize,
    reason: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn exceptions() -> Exceptions {
    let text = std::fs::read_to_string(root().join("tests/architecture/exceptions.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

fn source() -> Source {
    Source::read(&root().join("src"))
}

/// Begin and end of the table in ARCHITECTURE.md that is made from the manifests.
const ROOMS: [&str; 2] = ["<!-- rooms -->\n", "<!-- /rooms -->"];

/// The crates of `src/` and which of each other they use, by their manifests; what tests alone need is left out.
fn uses() -> Graph {
    let mut all = Graph::new();
    for folder in std::fs::read_dir(root().join("src")).unwrap().map(|e| e.unwrap().path()) {
        let Ok(text) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(manifest["package"]["name"].as_str(), Some(&*name), "a crate has the name of its folder");
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table()).into_iter().flatten();
        let rooms = dependencies.filter(|(_, d)| d.get("path").is_some()).map(|(d, _)| d.clone());
        all.insert(name, rooms.collect());
    }
    all
}

/// All that a crate uses, whatever lies between.
fn below(room: &str, uses: &Graph) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut next = vec![room.to_owned()];
    while let Some(room) = next.pop() {
        next.extend(uses[&room].iter().filter(|other| all.insert((*other).clone())).cloned());
    }
    all
}

#[test]
fn the_map_is_that_of_the_manifests() {
    let mut table = "| crate | uses |\n| --- | --- |\n".to_owned();
    for (room, others) in uses() {
        let names = others.iter().map(|o| format!("`{o}`")).collect::<Vec<_>>().join(", ");
        table += &format!("| `{room}` | {} |\n", if names.is_empty() { "–" } else { &names });
    }
    made("ARCHITECTURE.md", ROOMS, &table);
}

/// Checks the part of a page between two texts, or writes it where the tests bless.
fn made(page: &str, [begin, end]: [&str; 2], part: &str) {
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).unwrap_or_else(|| panic!("{page} has no {begin:?}"));
    let (now, after) = rest.split_once(end).unwrap_or_else(|| panic!("{page} has no {end:?}"));
    if std::env::var_os("SCUBA_BLESS").is_some() {
        std::fs::write(&path, [before, begin, part, end, after].concat()).unwrap();
        return;
    }
    assert_eq!(now, part, "SCUBA_BLESS=1 cargo test --test architecture writes this part of {page}");
}

/// A replay judges what the engine says, so it shares nothing with it; nor does the check of a unit wait for the text of a report.
#[test]
fn judges_stand_apart_from_what_they_judge() {
    let uses = uses();
    for (room, apart) in [
        ("witness", "engine"),
        ("witness", "library"),
        ("witness", "check"),
        ("engine", "witness"),
        ("engine", "library"),
        ("check", "report"),
        ("check", "frontend"),
        ("nvcc", "ir"),
    ] {
        assert!(!below(room, &uses).contains(apart), "`{room}` uses `{apart}`");
    }
    assert!(below("driver", &uses).contains("engine"), "{uses:?}");
}

#[test]
fn no_circle_of_imports_spans_two_folders() {
    let source = source();
    let mut wrong = vec![];
    for circle in circles(&source.graph()) {
        let folders: BTreeSet<&Path> = circle.iter().map(|m| source.folder(m)).collect();
        if folders.len() > 1 {
            wrong.push(format!("{} modules of {} folders: {}", circle.len(), folders.len(), circle.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let listed = exceptions().file;
    let mut wrong = vec![];
    for (path, lines) in source().lengths() {
        let may = listed.iter().find(|l| l.path == path).map_or(FILE_LINES, |l| l.lines);
        if lines > may {
            wrong.push(format!("{path}: {lines} lines, at most {may}: split it, or list it with its reason"));
        }
    }
    for l in &listed {
        let is_long = source().lengths().iter().any(|(path, lines)| *path == l.path && *lines > FILE_LINES);
        if !is_long || l.reason.is_empty() {
            wrong.push(format!("{}: listed as too long, and is not, or without a reason", l.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_function_is_too_long() {
    let listed = exceptions().function;
    let mut wrong = vec![];
    let all = source().functions();
    for f in &all {
        let may = listed.iter().find(|l| l.path == f.path && l.name == f.name).map_or(FUNCTION_LINES, |l| l.lines);
        if f.lines > may {
            wrong.push(format!("{}:{}: `{}` has {} lines, at most {may}", f.path, f.line, f.name, f.lines));
        }
    }
    for l in &listed {
        let is_long = all.iter().any(|f| f.path == l.path && f.name == l.name && f.lines > FUNCTION_LINES);
        if !is_long || l.reason.is_empty() {
            wrong.push(format!("{}: `{}` is listed as too long, and is not, or without a reason", l.path, l.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pages that name files of the source.
fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() && !name.starts_with('.') && name != "target" {
            pages(&entry, out);
        } else if name.ends_with(".md") {
            out.push(entry);
        }
    }
}

/// Files of the source that a page names between backticks and that are not there.
fn missing(page: &str, text: &str, root: &Path) -> Vec<String> {
    let named = text.split('`').skip(1).step_by(2).filter(|t| {
        t.ends_with(".rs")
            && t.contains('/')
            && t.chars().all(|c| c.is_ascii_lowercase() || "_/.0123456789".contains(c))
    });
    let there = |t: &str| {
        let beside = root.join(page).parent().unwrap().join(t);
        beside.exists()
            || root.join(t).exists()
            || root.join("src").join(t).exists()
            || root.join("src/engine").join(t).exists()
            || root.join("src/library").join(t).exists()
    };
    named.filter(|t| !there(t)).map(|t| format!("{page}: there is no {t}")).collect()
}

#[test]
fn pages_name_files_that_exist() {
    let mut all = vec![];
    pages(&root(), &mut all);
    let mut wrong = vec![];
    for page in &all {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        wrong.extend(missing(&name, &std::fs::read_to_string(page).unwrap(), &root()));
    }
    assert!(all.len() > 20 && wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(missing("a.md", "`src/no/such.rs` and `src/lib.rs`", &root()), ["a.md: there is no src/no/such.rs"]);
}

#[test]
fn what_is_wrong_is_seen() {
    let uses: Graph = [("a", "b"), ("b", "c")].map(|(a, b)| (a.to_owned(), BTreeSet::from([b.to_owned()]))).into();
    let uses: Graph = uses.into_iter().chain([("c".to_owned(), BTreeSet::new())]).collect();
    assert_eq!(below("a", &uses), ["b", "c"].map(String::from).into());
    let text = "use super::b::{self, C};\npub(in crate::y) fn f() -> crate::a::D { 1;\n2 }\n#[cfg(test)] mod tests { use crate::z::Z; }";
    let parsed =
        source::parse("x::a", text, &["x", "x::a", "x::a::D", "x::b", "x::y", "x::z"].map(String::from).into());
    assert_eq!(parsed.uses, ["x::a::D", "x::b"].map(String::from).into());
    assert_eq!(parsed.functions.iter().map(|f| (f.name.as_str(), f.lines)).collect::<Vec<_>>(), [("f", 2)]);
    let graph = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"])];
    let graph = graph.into_iter().map(|(m, to)| (m.to_owned(), to.into_iter().map(str::to_owned).collect())).collect();
    assert_eq!(circles(&graph), [["b", "c"]]);
}
