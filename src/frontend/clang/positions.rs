//! Positions in sources, as clang's messages give them.

use std::path::Path;

/// Position in a file: line and column (bytes), from 1.
pub(super) type SourcePosition = (usize, usize);

/// Parses `FILE:LINE:COLUMN`, with or without a message behind it.
pub(super) fn place(line: &str) -> Option<(&Path, usize, usize)> {
    let mut parts = line.splitn(4, ':');
    let file = Path::new(parts.next()?);
    let mut number = || parts.next().and_then(|n| n.parse().ok());
    Some((file, number()?, number()?))
}

/// Returns the offset of a position that is within its line; the end of the source counts.
pub(super) fn offset(source: &[u8], (line, column): SourcePosition) -> Option<usize> {
    let start = match line {
        0 => return None,
        1 => 0,
        _ => source.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(line - 2)?.0 + 1,
    };
    let at = start.checked_add(column.checked_sub(1)?)?;
    (at <= source.len() && !source[start..at].contains(&b'\n')).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_within_their_lines() {
        let source = b"ab\n\nc";
        let at = |line, column| offset(source, (line, column));
        assert_eq!([at(1, 1), at(1, 3), at(2, 1), at(3, 1), at(3, 2)], [0, 2, 3, 4, 5].map(Some));
        assert_eq!([at(1, 4), at(2, 2), at(3, 3), at(4, 1), at(0, 1), at(1, 0)], [None; 6]);
    }

    #[test]
    fn places_are_read_with_and_without_a_message() {
        assert_eq!(place("a/b.cu:3:14: error: x"), Some((Path::new("a/b.cu"), 3, 14)));
        assert_eq!(place("b.cu:3:14"), Some((Path::new("b.cu"), 3, 14)));
        assert_eq!(place("error: no such file"), None);
    }
}
