//! Finds statements and functions in the text of a source, without parsing it: by brackets and semicolons outside of
//! comments, literals and directives.

use std::ops::{Range, RangeInclusive};

/// Words that begin a definition in braces that is no function.
const TYPES: [&str; 5] = ["struct", "class", "union", "enum", "namespace"];

/// A source's text, of which comments, literals and directives are blank.
#[derive(Debug)]
pub struct SourceShape {
    text: Vec<u8>,
    /// Offset of the first byte of each line.
    lines: Vec<usize>,
    functions: Vec<RangeInclusive<u32>>,
}

impl SourceShape {
    #[must_use]
    pub fn of(source: &str) -> Self {
        let text = blank(source);
        let feeds = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
        let lines: Vec<usize> = std::iter::once(0).chain(feeds).collect();
        let mut shape = Self { text, lines, functions: vec![] };
        shape.functions = shape.find_functions();
        shape
    }

    /// Returns the function whose definition contains a line.
    #[must_use]
    pub fn function(&self, line: u32) -> Option<RangeInclusive<u32>> {
        self.functions.iter().find(|f| f.contains(&line)).cloned()
    }

    /// Returns the names in a function's head that have parameters, its own among them, and the other names.
    #[must_use]
    pub fn names_of(&self, function: &RangeInclusive<u32>) -> (Vec<&str>, Vec<&str>) {
        let start = usize::try_from(*function.start()).ok().and_then(|n| self.lines.get(n.checked_sub(1)?));
        let head = self.text.get(start.copied().unwrap_or(0)..).unwrap_or_default();
        let head = &head[..head.iter().position(|b| *b == b'{').unwrap_or(head.len())];
        let mut names: (Vec<&str>, Vec<&str>) = (vec![], vec![]);
        let mut i = 0;
        while i < head.len() {
            let end = i + head[i..].iter().take_while(|b| is_name(**b)).count();
            // Names are ASCII.
            if let Ok(name) = std::str::from_utf8(&head[i..end])
                && end > i
            {
                let list = if is_called(&head[end..]) { &mut names.0 } else { &mut names.1 };
                list.push(name);
            }
            i = end.max(i + 1);
        }
        names
    }

    /// Returns the name at a byte of a line, with its bytes there, and whether it is defined or called with arguments.
    #[must_use]
    pub fn name_at(&self, line: u32, byte: usize) -> Option<(&str, Range<usize>, bool)> {
        let start = *self.lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let at = start + byte;
        self.text.get(at).filter(|b| is_name(**b))?;
        let first = self.text[..at].iter().rposition(|b| !is_name(*b)).map_or(0, |i| i + 1);
        let end = at + self.text[at..].iter().take_while(|b| is_name(**b)).count();
        let name = std::str::from_utf8(&self.text[first..end]).ok()?;
        Some((name, first - start..end - start, is_called(&self.text[end..])))
    }

    /// Returns the lines of the statement at a position; `column` is 0 if unknown.
    #[must_use]
    pub fn statement(&self, line: u32, column: u32) -> RangeInclusive<u32> {
        let Some((first, last)) = self.statement_bytes(line, column) else { return line..=line };
        self.line_of(first).min(line)..=self.line_of(last).max(line)
    }

    /// Returns the text of the statements that these lines belong to.
    #[must_use]
    pub fn statements(&self, lines: &RangeInclusive<u32>) -> String {
        let mut text = String::new();
        let mut line = *lines.start();
        while line <= *lines.end() {
            let Some((first, last)) = self.statement_bytes(line, 0) else { break };
            text.push_str(&String::from_utf8_lossy(&self.text[first..=last]));
            text.push('\n');
            line = self.line_of(last).max(line) + 1;
        }
        text
    }

    /// Returns the offsets of the first and the last byte of a statement.
    fn statement_bytes(&self, line: u32, column: u32) -> Option<(usize, usize)> {
        let start = *self.lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let end = self.text[start..].iter().position(|b| *b == b'\n').map_or(self.text.len(), |n| start + n);
        let at = match usize::try_from(column).ok()?.checked_sub(1) {
            Some(offset) if start + offset < end => start + offset,
            _ => start + self.text[start..end].iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0),
        };
        let ends = |b: &u8| matches!(b, b';' | b'{' | b'}');
        let first = self.text[..at.min(self.text.len())].iter().rposition(ends).map_or(0, |i| i + 1);
        let first = first + self.text[first..].iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
        let mut depth = 0_i32;
        let mut last = self.text.len().checked_sub(1)?;
        for (i, b) in self.text.iter().enumerate().skip(at) {
            match b {
                b'(' => depth += 1,
                b')' => depth -= 1,
                // A semicolon within the brackets of a `for` ends nothing.
                b';' if depth > 0 => {}
                b if ends(b) => {
                    last = i;
                    break;
                }
                _ => {}
            }
        }
        Some((first.min(at), last))
    }

    fn line_of(&self, offset: usize) -> u32 {
        u32::try_from(self.lines.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Returns the outermost definitions in braces whose heads have parameters, from head to closing brace.
    fn find_functions(&self) -> Vec<RangeInclusive<u32>> {
        let mut found: Vec<RangeInclusive<u32>> = vec![];
        // The brace that opened the function around, and the start of the present head.
        let (mut depth, mut inside, mut head) = (0_usize, None::<(usize, u32)>, 0_usize);
        // Whether the last thing that ended is a function: an initialiser in braces precedes the body of a constructor.
        let mut after_function = false;
        for (i, b) in self.text.iter().enumerate() {
            match b {
                b'{' => {
                    let text = String::from_utf8_lossy(&self.text[head..i]).trim().to_owned();
                    if inside.is_none() {
                        let continued = after_function && (text.is_empty() || text.starts_with(','));
                        if continued && let Some(previous) = found.pop() {
                            inside = Some((depth, *previous.start()));
                        } else if is_head(&text) {
                            let skipped = self.text[head..i].iter().position(|b| !b.is_ascii_whitespace());
                            inside = Some((depth, self.line_of(head + skipped.unwrap_or(0))));
                        }
                    }
                    depth += 1;
                    (head, after_function) = (i + 1, false);
                }
                b'}' => {
                    depth = depth.saturating_sub(1);
                    after_function = false;
                    if let Some((outer, first)) = inside
                        && outer == depth
                    {
                        found.push(first..=self.line_of(i));
                        (inside, after_function) = (None, true);
                    }
                    head = i + 1;
                }
                b';' => (head, after_function) = (i + 1, false),
                _ => {}
            }
        }
        found
    }
}

/// Whether the text before a brace is the head of a function: it has parameters, and is neither a type nor an
/// initialiser.
fn is_head(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric() && c != '_').find(|w| !w.is_empty()).unwrap_or_default();
    text.contains('(') && !text.ends_with('=') && (text.ends_with(')') || !TYPES.contains(&first))
}

/// Replaces comments, literals and directives by spaces; ends of lines stay.
fn blank(source: &str) -> Vec<u8> {
    let text = source.as_bytes();
    let mut out = text.to_vec();
    let mut wipe = |range: Range<usize>| {
        for b in out[range].iter_mut().filter(|b| **b != b'\n') {
            *b = b' ';
        }
    };
    let mut i = 0;
    let mut at_start = true;
    while i < text.len() {
        let end = match text[i] {
            b'#' if at_start => directive_end(text, i),
            b'/' if text[i..].starts_with(b"//") => line_end(text, i),
            b'/' if text[i..].starts_with(b"/*") => find(text, i + 2, b"*/"),
            b'R' if text[i..].starts_with(b"R\"") && (i == 0 || !is_name(text[i - 1])) => raw_end(text, i),
            b'"' => literal_end(text, i),
            // `1'000` is a number.
            b'\'' if i == 0 || !is_name(text[i - 1]) => literal_end(text, i),
            b => {
                at_start = b == b'\n' || at_start && b.is_ascii_whitespace();
                i += 1;
                continue;
            }
        };
        wipe(i..end);
        i = end.max(i + 1);
    }
    out
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Whether the text after a name is that of a function: parameters, arguments, or a launch, perhaps after those of a
/// template.
fn is_called(after: &[u8]) -> bool {
    let mut rest = after.trim_ascii_start();
    if rest.starts_with(b"<") && !rest.starts_with(b"<<<") {
        let Some(end) = rest.iter().position(|b| matches!(b, b'>' | b';' | b'{')) else { return false };
        rest = if rest[end] == b'>' { rest[end + 1..].trim_ascii_start() } else { b"" };
    }
    rest.starts_with(b"(") || rest.starts_with(b"<<<")
}

fn line_end(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(|b| *b == b'\n').map_or(text.len(), |n| from + n)
}

/// Returns the end of a directive, which a backslash continues on the next line.
fn directive_end(text: &[u8], from: usize) -> usize {
    let mut end = line_end(text, from);
    while end < text.len() && text[..end].trim_ascii_end().ends_with(b"\\") {
        end = line_end(text, end + 1);
    }
    end
}

/// Returns the end of the first `what` from an offset on.
fn find(text: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.windows(what.len()).position(|w| w == what).map_or(text.len(), |n| from + n + what.len())
}

/// Returns the end of `R"name( … )name"`.
fn raw_end(text: &[u8], from: usize) -> usize {
    let name = &text[from + 2..];
    let Some(open) = name.iter().take(17).position(|b| *b == b'(') else { return from + 1 };
    let close = [b")", &name[..open], b"\""].concat();
    find(text, from + 2 + open, &close)
}

/// Returns the end of a string or character; at most the end of its line.
fn literal_end(text: &[u8], from: usize) -> usize {
    let mut i = from + 1;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b'\n' => return i,
            b if b == text[from] => return i + 1,
            _ => {}
        }
        i += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::SourceShape;

    const SOURCE: &str = "\
#define WRAP(x) do { x } \\
  while (0)
namespace a {
struct __align__(8) S {
  int x; // } is no end
  S(int x)
      : x{x} {
    f(\"}\");
  }
};
__global__ void k(float *a,
                  int n) {
  int i = threadIdx.x; /* { */
  if (i < n) {
    a[i] =
        R\"({)\"[0];
  }
}
const int table[] = {1, (2), 3};
}
int main(int argc, char **argv) {
  for (int i = 0; i < 3;
       i++)
    k<<<1,
        1'000>>>(a,
                 n);
}
";

    #[test]
    fn functions_reach_from_their_head_to_their_end() {
        let shape = SourceShape::of(SOURCE);
        let of = |line| shape.function(line);
        assert_eq!(of(8), Some(6..=9));
        assert_eq!([11, 16, 18].map(of), [Some(11..=18), Some(11..=18), Some(11..=18)]);
        assert_eq!([1, 4, 5, 19, 20].map(of), [None, None, None, None, None]);
        assert_eq!(of(26), Some(21..=27));
    }

    #[test]
    fn names_tell_the_function_from_its_parameters() {
        let shape = SourceShape::of(SOURCE);
        let (functions, others) = shape.names_of(&(11..=18));
        assert_eq!((functions, others), (vec!["k"], vec!["__global__", "void", "float", "a", "int", "n"]));
        let at = |line, byte| shape.name_at(line, byte).map(|(name, range, called)| (name.to_owned(), range, called));
        assert_eq!(at(11, 16), Some(("k".into(), 16..17, true)));
        assert_eq!(at(24, 4), Some(("k".into(), 4..5, true)), "a launch");
        assert_eq!(at(14, 10), Some(("n".into(), 10..11, false)));
        assert_eq!([at(1, 8), at(12, 0), at(99, 0)], [None, None, None], "directives and blanks have no names");
    }

    #[test]
    fn statements_have_all_their_lines() {
        let shape = SourceShape::of(SOURCE);
        assert_eq!(shape.statement(15, 5), 15..=16);
        assert_eq!(shape.statement(16, 0), 15..=16);
        assert_eq!(shape.statement(13, 3), 13..=13);
        // The last part of a `for` belongs to the statement below, which is too much rather than too little.
        assert_eq!(shape.statement(24, 5), 23..=26);
        assert_eq!(shape.statement(22, 3), 22..=26);
        assert_eq!(shape.statement(99, 1), 99..=99);
        assert!(shape.statements(&(24..=26)).contains("1'000>>>(a,"));
    }

    #[test]
    fn no_text_is_too_odd() {
        for text in ["", "{", "}", "\"", "R\"", "/*", "#", "'", "a(b) {", ";;;", "ü(\u{1F642}) {\n}"] {
            let shape = SourceShape::of(text);
            for line in 0..4 {
                let _ = (shape.function(line), shape.statement(line, line), shape.statements(&(line..=line + 1)));
            }
        }
    }
}
