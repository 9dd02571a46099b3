//! Maps the position of a finding to the text that it means, from the first character to the last.
//!
//! Columns of findings count bytes, as clang's do; services and editors count characters (Unicode code points).

use super::span;
use finding::Position;
use finding::sources::SourceFiles;

/// Text within one line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextRegion {
    /// 1-based.
    pub line: u32,
    /// First column, in characters from 1; 0 if unknown.
    pub column: u32,
    /// Column behind the last character; 0 if unknown.
    pub end_column: u32,
}

/// Returns the region of the expression at a position; `None` without a line. `array` is the name that the expression
/// begins with, if that is known.
pub(super) fn at(position: &Position, array: Option<&str>, sources: &SourceFiles) -> Option<TextRegion> {
    let line = Some(position.line).filter(|line| *line > 0)?;
    let Some(text) = sources.line(&position.file, line).filter(|text| !text.trim().is_empty()) else {
        return Some(TextRegion { line, column: position.column, end_column: 0 });
    };
    let range = span::expression(&text, position.column, array);
    let column = |byte: usize| {
        let before = text.get(..byte).map_or(0, |before| before.chars().count());
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    };
    Some(TextRegion { line, column: column(range.start), end_column: column(range.end) })
}
