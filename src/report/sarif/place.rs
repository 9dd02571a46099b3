//! Locations in SARIF: files relative to the repository, and regions from the first character of an expression to its
//! last one.

use crate::repository::RepositoryPaths;
use crate::span;
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

/// A position with the name that its expression begins with, if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a> {
    pub file: &'a str,
    /// 1-based; 0 if unknown.
    pub line: u32,
    pub column: u32,
    pub array: Option<&'a str>,
}

impl<'a> Spot<'a> {
    pub(super) const fn new(file: &'a str, line: u32, column: u32) -> Self {
        Self { file, line, column, array: None }
    }
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

    /// Returns a `location`; without a line it is the whole file.
    pub(super) fn location(&self, spot: Spot<'_>, message: Option<&str>) -> Value {
        let mut physical = json!({"artifactLocation": self.artifact(spot.file)});
        if let Some(region) = self.region(spot) {
            physical["region"] = region;
        }
        let mut location = json!({"physicalLocation": physical});
        if let Some(text) = message {
            location["message"] = json!({"text": text});
        }
        location
    }

    /// Returns the region of the expression at a position. Columns of findings count bytes, those of the document
    /// Unicode code points.
    fn region(&self, spot: Spot<'_>) -> Option<Value> {
        if spot.line == 0 {
            return None;
        }
        let text = self.sources.line(spot.file, spot.line).filter(|text| !text.trim().is_empty());
        let Some(text) = text else {
            let mut region = json!({"startLine": spot.line, "endLine": spot.line});
            if spot.column > 0 {
                region["startColumn"] = json!(spot.column);
            }
            return Some(region);
        };
        let range = span::expression(&text, spot.column, spot.array);
        let column = |byte: usize| text.get(..byte).map_or(0, |before| before.chars().count()) + 1;
        Some(json!({
            "startLine": spot.line,
            "startColumn": column(range.start),
            "endLine": spot.line,
            "endColumn": column(range.end),
        }))
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
