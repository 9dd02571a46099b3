//! Pages that repeat what the code says: files that READMEs name, rooms that they use, and lists of rules.

use crate::{pages, root, uses as uses_of_manifests};
use scuba::rules::Rule;
use std::collections::BTreeSet;
use std::path::Path;

/// Endings of the files whose names are checked.
const ENDINGS: [&str; 10] = [".rs", ".c", ".cpp", ".h", ".ll", ".py", ".sh", ".md", ".toml", ".txt"];

/// Files of users' projects, which need not be in this tree.
const OF_USERS: [&str; 2] = ["scuba.toml", "CMakeLists.txt"];

/// Text between backticks, outside of fenced blocks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|t| t.split('`').skip(1).step_by(2))
}

/// Whether the text is the name of one file: no pattern, no command, no placeholder such as `NAME.md`.
fn is_file_name(text: &str) -> bool {
    let placeholder = text.split(['/', '.']).any(|part| ["NAME", "FILE", "DIR"].contains(&part));
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    plain && !placeholder && ENDINGS.iter().any(|e| text.len() > e.len() && text.ends_with(e))
}

/// Names of all files below a folder.
fn names_below(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            names_below(&entry, out);
        } else {
            out.insert(entry.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
}

/// Files that the README of a folder names and that are neither in this folder nor at that path from it, from the root or from `src/`.
fn absent(text: &str, folder: &Path) -> Vec<String> {
    let mut below = BTreeSet::new();
    names_below(folder, &mut below);
    let there = |name: &str| {
        below.contains(name)
            || [folder, &root(), &root().join("src"), &root().join("src/engine"), &root().join("src/library")]
                .iter()
                .any(|base| base.join(name).exists())
    };
    let named = quoted(text).filter(|t| is_file_name(t) && !OF_USERS.contains(t));
    named.filter(|t| !there(t)).map(str::to_owned).collect()
}

/// Rooms between backticks in the row *Uses* of a room's README.
fn uses(text: &str) -> Option<BTreeSet<String>> {
    let row = text.lines().find_map(|l| l.strip_prefix("| **Uses** |"))?;
    Some(quoted(row).map(str::to_owned).collect())
}

#[test]
fn readmes_name_files_that_exist() {
    let mut all = vec![];
    for folder in ["src", "tests", "docs", "findings", "examples"] {
        pages(&root().join(folder), &mut all);
    }
    all.retain(|p| p.ends_with("README.md"));
    let mut wrong = vec![];
    for page in &all {
        let folder = page.parent().unwrap();
        for name in absent(&std::fs::read_to_string(page).unwrap(), folder) {
            wrong.push(format!("{}: there is no {name}", page.strip_prefix(root()).unwrap().display()));
        }
    }
    assert!(all.len() > 15 && wrong.is_empty(), "{}", wrong.join("\n"));
    let text = "`rules.rs`, `no_such.rs`, `explain/NAME.md`, `make x`, `src/lib.rs`\n```\n`other.rs`\n```\n";
    assert_eq!(absent(text, &root().join("src")), ["no_such.rs"]);
}

#[test]
fn readmes_of_rooms_repeat_their_manifests() {
    let map = uses_of_manifests();
    let mut wrong = vec![];
    let mut seen = 0;
    for (room, may) in &map {
        let folder = root().join("src").join(room);
        seen += 1;
        let Some(named) = std::fs::read_to_string(folder.join("README.md")).ok().and_then(|t| uses(&t)) else {
            wrong.push(format!("src/{room}: no README.md with a row *Uses*"));
            continue;
        };
        for other in may.difference(&named) {
            wrong.push(format!("src/{room}/README.md: *Uses* lacks `{other}`"));
        }
        for other in named.difference(may) {
            wrong.push(format!("src/{room}/README.md: *Uses* has `{other}`, which its Cargo.toml does not"));
        }
    }
    assert!(seen > 10 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_list_every_rule() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).unwrap_or_default();
    let (rules, limitations) = (read("docs/rules.md"), read("docs/LIMITATIONS.md"));
    let mut wrong = vec![];
    for rule in Rule::ALL {
        let row = format!("| [`{rule}`](../src/report/explain/{rule}.md) | {} |", level(rule));
        if !rules.lines().any(|l| l.starts_with(&row)) {
            wrong.push(format!("docs/rules.md: no row that begins with {row}"));
        }
        if !limitations.contains(&format!("`{rule}`")) {
            wrong.push(format!("docs/LIMITATIONS.md: no `{rule}`"));
        }
    }
    let rows = rules.lines().filter(|l| l.starts_with("| [`")).count();
    if rows != Rule::ALL.len() {
        wrong.push(format!("docs/rules.md: {rows} rows for {} rules", Rule::ALL.len()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule's level by default, as `scuba.toml` has it.
fn level(rule: Rule) -> String {
    serde_json::to_value(rule.default_level()).unwrap().as_str().unwrap().to_owned()
}
