//! Pages that repeat what the code says: files that READMEs name, rooms that they use, and lists of rules.

use crate::{made, pages, root, uses as uses_of_manifests};
use scuba::finding::ReasonCode;
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
    let text = "`nets.rs`, `no_such.rs`, `rules/NAME.rs`, `make x`, `src/lib.rs`\n```\n`other.rs`\n```\n";
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

/// Begin and end of the table in `docs/rules.md`, and of the row in `docs/LIMITATIONS.md`, that are made from the rules' files.
const RULES: [&str; 2] = ["| rule | level | reports |\n| --- | --- | --- |\n", "\n**Level**"];
const NAMES: [&str; 2] = [
    "## Rules and verdicts\n\n| feature | supported | what to do |\n| --- | --- | --- |\n| ",
    " | yes | [rules.md](rules.md)",
];

/// Begin and end of the pages in `docs/undecided.md` that are made from the codes' files.
const CODES: [&str; 2] = ["<!-- codes -->\n", "<!-- /codes -->"];

#[test]
fn one_page_has_the_pages_of_all_codes() {
    let row = |c: ReasonCode| format!("| [`{c}`](#{c}) | {} |\n", c.title());
    // Headings stand one level lower, and the title is the code alone, which links can name.
    let page = |c: ReasonCode| {
        let (_, text) = c.info().page.split_once('\n').unwrap();
        let title = c.title();
        let title = title[..1].to_uppercase() + &title[1..];
        format!("\n## {c}\n\n*{title}.*\n{}", text.replace("\n## ", "\n### "))
    };
    let table = "| code | meaning |\n| --- | --- |\n".to_owned() + &ReasonCode::ALL.map(row).concat();
    made("docs/undecided.md", CODES, &(table + &ReasonCode::ALL.map(page).concat()));
}

#[test]
fn pages_list_every_rule() {
    let row = |r: Rule| {
        let (info, level) = (r.info(), serde_json::to_value(r.info().level).unwrap());
        let file = r.name().replace('-', "_");
        format!("| [`{r}`](../src/base/rules/{file}.rs) | {} | {} |\n", level.as_str().unwrap(), info.reports)
    };
    made("docs/rules.md", RULES, &Rule::ALL.map(row).concat());
    made("docs/LIMITATIONS.md", NAMES, &Rule::ALL.map(|r| format!("`{r}`")).join(", "));
}
