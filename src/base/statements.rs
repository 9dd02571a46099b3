//! Error-tolerant reading of TOML, statement by statement: wrong statements are skipped, and the rest is read as
//! written.
//!
//! In: a string, and a function that reads all of it. Out: the result of the reading ([`recover`]), with a [`SkippedMistake`] for
//! each skipped statement. A statement is a key with its value, or a table's header with everything below it. It counts
//! exactly as it is written, or not at all.
//!
//! The recovery of `toml` itself (`DeTable::parse_recoverable`, toml 1.2) continues with invented values, attaches keys
//! below a broken header to other tables, and loses the rest of the file at a missing `=`: its result is not what
//! anybody wrote.

use std::ops::Range;

/// Reason why a string cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Byte offset; `None` if the mistake has no position.
    pub at: Option<usize>,
    pub message: String,
}

impl From<toml::de::Error> for Mistake {
    fn from(e: toml::de::Error) -> Self {
        Self { at: e.span().map(|s| s.start), message: e.message().to_owned() }
    }
}

/// A mistake, and the part that was skipped for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedMistake {
    /// Byte offset of the mistake.
    pub at: usize,
    pub message: String,
    pub lost: SkippedPart,
}

/// Skipped part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedPart {
    /// Contents of the table or key that begins with this word; for a broken header, as far as it can be read. Empty if
    /// the table is unknown.
    Below(String),
    All,
}

/// Header of a table and the statements below it; the first section of a string has no header.
struct Section {
    word: String,
    /// Byte offsets in the string.
    range: Range<usize>,
    header: Range<usize>,
    statements: Vec<TomlStatement>,
}

struct TomlStatement {
    word: String,
    range: Range<usize>,
    mistake: Option<Mistake>,
}

/// Reads a string. If `read` finds mistakes, the statements that contain them are skipped one after the other. In
/// tables whose name is in `whole`, one mistake skips the whole entry: without the wrong key it might mean more than
/// intended.
pub fn recover<T>(
    text: &str,
    whole: &[&str],
    read: impl Fn(&str) -> Result<T, Mistake>,
) -> (Option<T>, Vec<SkippedMistake>) {
    let mut mistake = match read(text) {
        Ok(t) => return (Some(t), vec![]),
        Err(m) => m,
    };
    let sections = sections(text);
    let mut slips = Vec::new();
    let mut kept = text.to_owned();
    // Invalid TOML first: read as a whole, an open bracket swallows what follows it.
    for section in &sections {
        if let Some(m) = syntax(text, &section.header) {
            blank_out(&mut kept, &section.range);
            slips.push(slip(m, &section.header, &section.word));
            continue;
        }
        for s in &section.statements {
            if let Some(m) = s.mistake.clone().filter(|_| has_text(&kept, &s.range)) {
                blank_out(&mut kept, section.around(s, whole));
                slips.push(slip(m, &s.range, &s.word));
            }
        }
    }
    // Each iteration skips at least one statement.
    loop {
        if !slips.is_empty() {
            match read(&kept) {
                Ok(t) => {
                    slips.sort_by_key(|s| s.at);
                    return (Some(t), slips);
                }
                Err(m) => mistake = m,
            }
        }
        let place = mistake.at.and_then(|at| around(&sections, at, whole)).filter(|(r, _)| has_text(&kept, r));
        let Some((range, word)) = place else {
            let at = mistake.at.unwrap_or_default();
            return (None, vec![SkippedMistake { at, message: mistake.message, lost: SkippedPart::All }]);
        };
        blank_out(&mut kept, range);
        slips.push(slip(mistake.clone(), range, word));
    }
}

fn slip(m: Mistake, range: &Range<usize>, word: &str) -> SkippedMistake {
    SkippedMistake { at: m.at.unwrap_or(range.start), message: m.message, lost: SkippedPart::Below(word.to_owned()) }
}

/// Part that is skipped for a mistake at this offset, and the word that it begins with.
fn around<'s>(sections: &'s [Section], at: usize, whole: &[&str]) -> Option<(&'s Range<usize>, &'s str)> {
    let section = sections.iter().find(|s| s.range.contains(&at))?;
    Some(match section.statements.iter().find(|s| s.range.contains(&at)) {
        Some(s) => (section.around(s, whole), &s.word),
        None => (&section.range, &section.word),
    })
}

impl Section {
    /// Part that is skipped for a mistake in this statement.
    fn around<'s>(&'s self, statement: &'s TomlStatement, whole: &[&str]) -> &'s Range<usize> {
        let entry = !self.header.is_empty() && whole.contains(&self.word.as_str());
        if entry { &self.range } else { &statement.range }
    }
}

fn has_text(text: &str, range: &Range<usize>) -> bool {
    text.as_bytes()[range.clone()].iter().any(|b| !b.is_ascii_whitespace())
}

/// Blanks a range; the rest keeps its offsets and lines.
fn blank_out(text: &mut String, range: &Range<usize>) {
    let blank: String = text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(range.clone(), &blank);
}

/// Syntax error of a part of the string taken by itself.
fn syntax(text: &str, part: &Range<usize>) -> Option<Mistake> {
    let m = Mistake::from(toml::de::DeTable::parse(&text[part.clone()]).err()?);
    Some(Mistake { at: Some(part.start + m.at.unwrap_or_default().min(part.len())), ..m })
}

fn sections(text: &str) -> Vec<Section> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = lines.last().map_or(0, |l| l.end);
        lines.push(start..start + line.len());
    }
    let is_header = |l: &Range<usize>| text[l.clone()].trim_start().starts_with('[');
    let heads: Vec<usize> = (0..lines.len()).filter(|&i| is_header(&lines[i])).collect();
    let ends = heads.iter().copied().chain([lines.len()]);
    let begins = [None].into_iter().chain(heads.iter().copied().map(Some));
    begins
        .zip(ends)
        .filter_map(|(head, end)| {
            let body = head.map_or(0, |h| h + 1)..end;
            let first = head.unwrap_or(0);
            let range = lines.get(first)?.start..if end > first { lines[end - 1].end } else { lines[first].start };
            let header = head.map_or(range.start..range.start, |h| lines[h].clone());
            let word = word(&text[header.clone()]);
            let statements = statements(text, &lines[body], head.map(|_| word.as_str()));
            Some(Section { word, range, header, statements })
        })
        .collect()
}

/// Statements in these lines, below a header with this word.
fn statements(text: &str, lines: &[Range<usize>], below: Option<&str>) -> Vec<TomlStatement> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let first = text[lines[i].clone()].trim();
        if first.is_empty() || first.starts_with('#') {
            i += 1;
            continue;
        }
        let part = |end: usize| lines[i].start..lines[end - 1].end;
        let word = below.map_or_else(|| word(first), str::to_owned);
        // A value may continue on the next lines: strings and arrays of several lines.
        let open = ["[", "{", "\"\"\"", "'''"].iter().any(|b| first.contains(b));
        let tried = if open { i + 1..=lines.len() } else { i + 1..=i + 1 };
        if let Some(end) = tried.into_iter().find(|&end| syntax(text, &part(end)).is_none()) {
            out.push(TomlStatement { word, range: part(end), mistake: None });
            i = end;
            continue;
        }
        let next = |from: usize| {
            let begins = |l: &Range<usize>| {
                let line = text[l.clone()].trim();
                line.is_empty() || line.starts_with('#') || begins_statement(line)
            };
            (from..lines.len()).find(|&j| begins(&lines[j])).unwrap_or(lines.len())
        };
        // Below a line that was a header, or a merge marker, keys may belong to another table.
        let stray = !first.contains('=') && first.contains(']') || is_mark_of_merge(first);
        let (end, word) = if stray { (lines.len(), String::new()) } else { (next(i + 1), word) };
        let mistake = syntax(text, &part(if stray { i + 1 } else { end }));
        out.push(TomlStatement { word, range: part(end), mistake });
        i = end;
    }
    out
}

/// Whether a line begins with a key and `=`.
fn begins_statement(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim();
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || " \t_-.\"'".contains(c))
    })
}

fn is_mark_of_merge(line: &str) -> bool {
    ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|m| line.starts_with(m))
}

/// First word of a header or a key.
fn word(line: &str) -> String {
    let is_in = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '-';
    line.trim_start_matches(|c: char| !is_in(&c)).chars().take_while(is_in).collect()
}

#[cfg(test)]
mod tests {
    use super::{Mistake, SkippedPart, recover};

    /// Contents that are left of a string, and the lines and words of the skipped parts.
    fn left(text: &str) -> (toml::Table, Vec<(usize, String)>) {
        let (table, slips) = recover(text, &["allow"], |t| {
            let table: toml::Table = toml::from_str(t)?;
            match t.find("unknown") {
                Some(at) => Err(Mistake { at: Some(at), message: "unknown".into() }),
                None => Ok(table),
            }
        });
        let lines = slips.iter().map(|s| {
            let word = match &s.lost {
                SkippedPart::Below(word) => word.clone(),
                SkippedPart::All => "*".into(),
            };
            (text[..s.at].matches('\n').count() + 1, word)
        });
        (table.unwrap_or_default(), lines.collect())
    }

    fn same(text: &str, rest: &str, lost: &[(usize, &str)]) {
        let (table, slips) = left(text);
        let slips: Vec<(usize, &str)> = slips.iter().map(|(line, word)| (*line, word.as_str())).collect();
        assert_eq!((table, slips.as_slice()), (toml::from_str(rest).unwrap(), lost), "{text}");
    }

    #[test]
    fn a_statement_counts_as_it_stands_or_not_at_all() {
        same("a = 1\n[b]\nc = 2\n", "a = 1\n[b]\nc = 2\n", &[]);
        // A missing separator, value or key.
        same("[b]\nc 2\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\nc\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\nc = \nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\nc = x y\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\n= 2\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\nc: 2\nd = 3\n[e]\nf = \"\u{e4}\"\n", "[b]\nd = 3\n[e]\nf = \"\u{e4}\"\n", &[(2, "b")]);
        // Several statements that the reader rejects.
        same("[b]\nunknown = 2\nd = 3\nunknown-too = 1\n", "[b]\nd = 3\n", &[(2, "b"), (4, "b")]);
        same("[unknown]\nc = 2\n[e]\nf = 1\n", "[e]\nf = 1\n", &[(1, "unknown")]);
        // Duplicates: the first counts.
        same("[b]\nc = 2\nc = 3\n[e]\n[b]\nd = 1\n", "[b]\nc = 2\n[e]\n", &[(3, "b"), (5, "b")]);
        same("unknown = 1\n", "", &[(1, "unknown")]);
        same("", "", &[]);
    }

    #[test]
    fn below_a_broken_header_nothing_counts() {
        same("[b\nc = 2\n[e]\nf = 1\n", "[e]\nf = 1\n", &[(1, "b")]);
        same("[e]\nf = 1\n[[allow]\nc = 2\n[g]\nh = 1\n", "[e]\nf = 1\n[g]\nh = 1\n", &[(3, "allow")]);
        same("[e]\nf = 1\nb]\nc = 2\n[g]\nh = 1\n", "[e]\nf = 1\n[g]\nh = 1\n", &[(3, "")]);
        same("[e]\n<<<<<<< HEAD\nf = 1\n=======\nf = 2\n>>>>>>> other\n[g]\nh = 1\n", "[e]\n[g]\nh = 1\n", &[(2, "")]);
    }

    #[test]
    fn what_is_not_closed_ends_at_the_next_key_or_header() {
        same("[b]\nc = [\"x\",\n  \"y\"\n[e]\nf = 1\n", "[b]\n[e]\nf = 1\n", &[(3, "b")]);
        same("[b]\nc = [\"x\", \"y\"\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        same("[b]\nc = \"\"\"x\n[e]\nf = 1\n", "[b]\n[e]\nf = 1\n", &[(3, "b")]);
        same("[b]\nc = \"x\nd = 3\n", "[b]\nd = 3\n", &[(2, "b")]);
        // A closed value stays whole.
        same("[b]\nc = [\n  \"x\", # one\n\n  \"y\",\n]\nd = \n", "[b]\nc = [\"x\", \"y\"]\n", &[(7, "b")]);
        same("[b]\nc = \"\"\"x\ny = 3\n\"\"\"\nd = \n", "[b]\nc = \"x\\ny = 3\\n\"\n", &[(5, "b")]);
    }

    #[test]
    fn an_entry_of_a_whole_table_counts_whole() {
        let text = "[[allow]]\na = 1\nunknown = 2\n[[allow]]\na = 3\n[[allow]]\na = \n";
        same(text, "[[allow]]\na = 3\n", &[(3, "allow"), (7, "allow")]);
        same("[[allow]]\na = 1\nb]\n[c]\n", "[c]\n", &[(3, "")]);
        same("a = 1\nallow = [{ unknown = 1 }]\n[b]\n", "a = 1\n[b]\n", &[(2, "allow")]);
    }

    #[test]
    fn a_mistake_without_a_place_costs_all() {
        let (none, slips) = recover("a = 1", &[], |_| Err::<(), _>(Mistake { at: None, message: "no".into() }));
        assert_eq!((none, slips[0].lost.clone()), (None, SkippedPart::All));
    }
}
