//! Lines of a source with marked expressions.

use crate::span;
use finding::sources::SourceFiles;

/// Number of source lines shown before and after a position.
pub const AROUND: u32 = 2;

/// A stretch of a line; a mark if its class is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    pub text: String,
    pub class: &'static str,
    pub title: String,
    /// Anchor of what the mark leads to.
    pub link: String,
}

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// 1-based number; 0 for lines that are left out.
    pub number: u32,
    pub id: String,
    /// Whether the excerpt is about this line.
    pub here: bool,
    pub spans: Vec<TextSpan>,
}

/// A mark on a line: an expression and what is to be said of it.
#[derive(Clone, Debug)]
pub struct LineMark {
    /// 1-based column in bytes, as [`span::expression`] takes it.
    pub column: u32,
    pub array: Option<String>,
    pub class: &'static str,
    pub title: String,
    pub link: String,
    /// Badness: of several marks of one stretch the worst is shown.
    pub weight: u8,
}

/// Splits a line at its marks. Of nested expressions the innermost has its own mark, of equal ones the worst.
#[must_use]
pub fn spans(line: &str, marks: &[LineMark]) -> Vec<TextSpan> {
    let mut ranges: Vec<_> = marks.iter().map(|m| (span::expression(line, m.column, m.array.as_deref()), m)).collect();
    ranges.retain(|(r, _)| !r.is_empty());
    // Later ones are painted over earlier ones.
    ranges.sort_by_key(|(r, m)| (std::cmp::Reverse(r.len()), m.weight));
    let mut cuts: Vec<usize> = ranges.iter().flat_map(|(r, _)| [r.start, r.end]).chain([0, line.len()]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut out: Vec<TextSpan> = Vec::new();
    let mut last = None;
    for pair in cuts.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let top = ranges.iter().rposition(|(r, _)| r.start <= start && end <= r.end);
        let text = &line[start..end];
        match out.last_mut().filter(|_| last == Some(top)) {
            Some(before) => before.text.push_str(text),
            None => out.push(match top {
                None => TextSpan { text: text.to_owned(), ..TextSpan::default() },
                Some(i) => {
                    let m = ranges[i].1;
                    TextSpan { text: text.to_owned(), class: m.class, title: m.title.clone(), link: m.link.clone() }
                }
            }),
        }
        last = Some(top);
    }
    out
}

/// Returns the lines around a position, the expression at it marked; empty if the source cannot be read.
#[must_use]
pub fn around(
    file: &str,
    (line, column): (u32, u32),
    (array, class): (Option<&str>, &'static str),
    sources: &SourceFiles,
) -> Vec<SourceRow> {
    if line == 0 || sources.line(file, line).is_none() {
        return vec![];
    }
    let mark = LineMark {
        column,
        array: array.map(str::to_owned),
        class,
        title: String::new(),
        link: String::new(),
        weight: 0,
    };
    (line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
        .filter_map(|number| {
            let text = sources.line(file, number)?;
            let here = number == line;
            let marks = if here { std::slice::from_ref(&mark) } else { &[] };
            Some(SourceRow { number, id: String::new(), here, spans: spans(&text, marks) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{LineMark, spans};

    fn mark(column: u32, array: &str, class: &'static str, weight: u8) -> LineMark {
        let (title, link) = (String::new(), String::new());
        LineMark { column, array: Some(array.into()), class, title, link, weight }
    }

    fn shown(line: &str, marks: &[LineMark]) -> Vec<(String, &'static str)> {
        spans(line, marks).into_iter().map(|s| (s.text, s.class)).collect()
    }

    #[test]
    fn an_inner_access_has_its_own_mark_and_the_worst_of_equal_ones_is_seen() {
        let marks = [mark(1, "a", "safe", 0), mark(3, "b", "proved", 3), mark(3, "b", "safe", 0)];
        let of = |text: &str, class| (text.to_owned(), class);
        assert_eq!(
            shown("a[b[i]] = 1;", &marks),
            [of("a[", "safe"), of("b[i]", "proved"), of("]", "safe"), of(" = 1;", "")]
        );
    }

    #[test]
    fn a_line_is_whole_whatever_its_marks() {
        for line in ["", "é[i] = ü[j];", "    ", "a[i]"] {
            for column in 0..14 {
                let marks = [mark(column, "é", "safe", 0), mark(14 - column, "ü", "unknown", 1)];
                assert_eq!(shown(line, &marks).into_iter().map(|(text, _)| text).collect::<String>(), line);
            }
        }
    }
}
