//! Texts of open files, and positions in them. Clients count columns in UTF-16 units unless they agree on bytes.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// Unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    Bytes,
    #[default]
    Utf16,
}

/// An open file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenText {
    pub text: String,
    pub version: i32,
}

impl OpenText {
    /// Makes a change; one without a range replaces the text.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent, unit: ColumnUnit) {
        match change.range {
            None => self.text = change.text,
            Some(Range { start, end }) => {
                let start = offset(&self.text, start, unit);
                let end = offset(&self.text, end, unit).max(start);
                self.text.replace_range(start..end, &change.text);
            }
        }
    }
}

/// Returns the byte offset of a position; the end of its line, or of the text, if it is beyond that.
#[must_use]
pub fn offset(text: &str, at: Position, unit: ColumnUnit) -> usize {
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number == at.line as usize {
            return start + byte(line.trim_end_matches(['\n', '\r']), at.character, unit);
        }
        start += line.len();
    }
    text.len()
}

/// Returns the byte of a column within a line.
#[must_use]
pub fn byte(line: &str, column: u32, unit: ColumnUnit) -> usize {
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= column as usize {
            return at;
        }
        units += match unit {
            ColumnUnit::Bytes => c.len_utf8(),
            ColumnUnit::Utf16 => c.len_utf16(),
        };
    }
    line.len()
}

/// Returns the column of a byte within a line.
#[must_use]
pub fn column(line: &str, byte: usize, unit: ColumnUnit) -> u32 {
    let before = line.get(..byte).unwrap_or(line);
    let units = match unit {
        ColumnUnit::Bytes => before.len(),
        ColumnUnit::Utf16 => before.encode_utf16().count(),
    };
    u32::try_from(units).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{ColumnUnit, OpenText, byte, column};
    use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

    fn changed(text: &str, (from, to): ((u32, u32), (u32, u32)), new: &str) -> String {
        let mut open = OpenText { text: text.into(), version: 1 };
        let at = |(line, character)| Position { line, character };
        let range = Some(Range { start: at(from), end: at(to) });
        let change = TextDocumentContentChangeEvent { range, range_length: None, text: new.into() };
        open.change(change, ColumnUnit::Utf16);
        open.text
    }

    #[test]
    fn changes_are_those_that_the_client_made() {
        assert_eq!(changed("a\nb\nc\n", ((1, 0), (2, 0)), ""), "a\nc\n");
        assert_eq!(changed("a\nb", ((1, 1), (1, 1)), "\nc"), "a\nb\nc");
        assert_eq!(changed("a\r\nb\r\n", ((0, 9), (0, 9)), "x"), "ax\r\nb\r\n");
        assert_eq!(changed("ä𝄞b\n", ((0, 1), (0, 3)), "-"), "ä-b\n");
        assert_eq!(changed("a\n", ((7, 0), (9, 0)), "z"), "a\nz");
    }

    #[test]
    fn columns_and_bytes_are_inverse() {
        let line = "ä𝄞b";
        for (unit, columns) in [(ColumnUnit::Utf16, [0, 1, 3, 4]), (ColumnUnit::Bytes, [0, 2, 6, 7])] {
            let bytes = columns.map(|c| byte(line, c, unit));
            assert_eq!(bytes, [0, 2, 6, 7], "{unit:?}");
            assert_eq!(bytes.map(|b| column(line, b, unit)), columns, "{unit:?}");
        }
    }
}
