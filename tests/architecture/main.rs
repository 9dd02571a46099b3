//! The shape of the source: which room may use which, no circle of imports that spans two folders, no overlong file or function, and
//! pages that say what the code says.
//!
//! What is allowed between rooms stands in one table in ARCHITECTURE.md, between `<!-- rooms -->` and `<!-- /rooms -->`; what is overlong
//! for a reason stands in `exceptions.toml` beside this file.

#![allow(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod graph;
mod readmes;
mod source;

use graph::circles;
use serde::Deserialize;
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
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

/// Rows of the table: a room and the rooms that it may use.
fn allowed(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let (_, rest) = text.split_once("<!-- rooms -->").expect("ARCHITECTURE.md has a table of rooms");
    let (table, _) = rest.split_once("<!-- /rooms -->").expect("the table of rooms has an end");
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = table.lines().filter(|l| l.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        (names(cells[0]).remove(0), names(cells[1]).into_iter().collect())
    })
    .collect()
}

#[test]
fn rooms_use_only_what_the_map_allows() {
    let map = allowed(&std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    let mut used: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (from, to, file) in source().edges() {
        let room = |module: &str| module.split("::").next().unwrap().to_owned();
        let (a, b) = (room(from), room(to));
        if a != b {
            used.entry(a).or_default().entry(b).or_insert_with(|| file.display().to_string());
        }
    }
    let mut wrong = vec![];
    for (room, uses) in &used {
        for (other, file) in uses {
            if !map.get(room).is_some_and(|m| m.contains(other)) {
                wrong.push(format!("{file}: `{room}` uses `{other}`, which ARCHITECTURE.md does not allow"));
            }
        }
    }
    for (room, may) in &map {
        for other in may {
            if !used.get(room).is_some_and(|u| u.contains_key(other)) {
                wrong.push(format!("ARCHITECTURE.md: `{room}` does not use `{other}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
        beside.exists() || root.join(t).exists() || root.join("src").join(t).exists()
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
    let map =
        allowed("<!-- rooms -->\n| room | may use |\n| --- | --- |\n| `a` | `b`, `c` |\n| `b` | |\n<!-- /rooms -->");
    assert_eq!(map["a"], ["b", "c"].map(String::from).into());
    assert!(map["b"].is_empty());
    let text = "use super::b::{self, C};\npub(in crate::y) fn f() -> crate::a::D { 1;\n2 }\n#[cfg(test)] mod tests { use crate::z::Z; }";
    let parsed = source::parse("x::a", text, &["a", "x", "x::a", "x::b", "y", "z"].map(String::from).into());
    assert_eq!(parsed.uses, ["a", "x::b"].map(String::from).into());
    assert_eq!(parsed.functions.iter().map(|f| (f.name.as_str(), f.lines)).collect::<Vec<_>>(), [("f", 2)]);
    let graph = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"])];
    let graph = graph.into_iter().map(|(m, to)| (m.to_owned(), to.into_iter().map(str::to_owned).collect())).collect();
    assert_eq!(circles(&graph), [["b", "c"]]);
}
