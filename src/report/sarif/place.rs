//! Locations in SARIF: files relative to the repository, and regions from the first character of an expression to its
//! last one.

use crate::region;
use crate::repository::RepositoryPaths;
use finding::Position;
use finding::sources::SourceFiles;
use serde_json::{Value, json};

/// Name that stands for the repository's folder in locations; GitHub knows it.
pub(super) const TOP: &str = "%SRCROOT%";

/// Writer of locations of one document.
#[derive(Debug)]
pub(super) struct Places<'a> {
    sources: &'a SourceFiles,
    paths: RepositoryPaths,
}

/// Returns a position of these parts; 0 if unknown.
pub(super) fn at(file: &str, line: u32, column: u32) -> Position {
    Position { file: file.to_owned(), line, column }
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a SourceFiles) -> Self {
        Self { sources, paths: RepositoryPaths::of(sources.root()) }
    }

    /// Returns the text of a file, if it can be read.
    pub(super) fn text(&self, shown: &str) -> Option<std::rc::Rc<str>> {
        self.sources.text(shown)
    }

    /// Returns an `artifactLocation`.
    pub(super) fn artifact(&self, shown: &str) -> Value {
        match self.paths.relative(shown) {
            Some(path) => json!({"uri": uri(&path), "uriBaseId": TOP}),
            None => json!({"uri": uri(shown)}),
        }
    }

    /// Returns a `location`; without a line it is the whole file. `array` is the name that the expression begins with, if
    /// that is known.
    pub(super) fn location(&self, position: &Position, array: Option<&str>, message: Option<&str>) -> Value {
        let mut physical = json!({"artifactLocation": self.artifact(&position.file)});
        if let Some(region) = region::at(position, array, self.sources) {
            let mut written = json!({"startLine": region.line, "endLine": region.line});
            for (name, column) in [("startColumn", region.column), ("endColumn", region.end_column)] {
                if column > 0 {
                    written[name] = json!(column);
                }
            }
            physical["region"] = written;
        }
        let mut location = json!({"physicalLocation": physical});
        if let Some(text) = message {
            location["message"] = json!({"text": text});
        }
        location
    }
}

/// Formats a path as a URI reference (RFC 3986): relative, or `file:///…`.
fn uri(path: &str) -> String {
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "" });
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'.' | b'_' | b'~' | b'+' | b'@' | b',') {
            text.push(char::from(b));
        } else {
            text.push_str(&format!("%{b:02X}"));
        }
    }
    text
}
