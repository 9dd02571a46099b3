//! Identifiers in a source, without comments and string literals.
//!
//! In: the text of one file. Out: each identifier with its line, and whether a directive only tests that it is defined.
//! Macros are not expanded and conditions not evaluated: identifiers in code that no compiler reads are listed too.

/// An identifier in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identifier<'t> {
    pub text: &'t str,
    /// 1-based line number.
    pub line: usize,
    /// True in `#ifdef NAME`, `#ifndef NAME`, `defined(NAME)`: the macro's value does not matter.
    pub presence_only: bool,
}

/// Returns the identifiers of a text, in order.
pub(super) fn names(text: &str) -> Vec<Identifier<'_>> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut out) = (0, 1, vec![]);
    let mut before = LineState::default();
    while at < bytes.len() {
        let end = element(bytes, at);
        let word = &bytes[at..end];
        if is_start(word[0]) {
            // Prefixes of string literals are no identifiers.
            if !matches!(bytes.get(end), Some(b'"')) {
                let name = &text[at..end];
                out.push(Identifier { text: name, line, presence_only: before.asks_presence() });
                before.word(name);
            }
        } else if word == b"\n" {
            before = LineState::default();
        } else if !word[0].is_ascii_whitespace() && !word.starts_with(b"//") && !word.starts_with(b"/*") {
            before.mark(word[0]);
        }
        line += word.iter().filter(|b| **b == b'\n').count();
        at = end;
    }
    out
}

/// Words that may precede a parenthesis without being a call.
const VALUES: &[&str] =
    &["sizeof", "alignof", "decltype", "noexcept", "int", "unsigned", "long", "float", "double", "size_t", "bool"];

/// Whether an argument of the macro may have an effect besides its value, judged by its text: it assigns, increments or
/// calls, or another macro passes it on.
pub(super) fn may_act(text: &str, macro_name: &str) -> bool {
    let bytes = text.as_bytes();
    let mut elements: Vec<(&str, bool)> = vec![];
    let (mut at, mut directive) = (0, false);
    while at < bytes.len() {
        let end = element(bytes, at);
        let word = &text[at..end];
        directive = (directive || word == "#") && word != "\n";
        let counts = !word.starts_with(|c: char| c.is_whitespace() || c == '\\');
        if counts && !word.starts_with("//") && !word.starts_with("/*") {
            elements.push((word, directive));
        }
        at = end;
    }
    (0..elements.len()).filter(|&i| elements[i].0 == macro_name).any(|i| {
        let words: Vec<&str> = bracketed(&elements[i + 1..]);
        let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let by_name =
            |w: &[&str]| w[1] == "(" && (is_name(w[0]) && !VALUES.contains(&w[0]) || matches!(w[0], ")" | "]"));
        // `f<int>(x)`, which text alone does not distinguish from `a < b > (c)`.
        let by_template = |i: usize| {
            let open = words[..i].iter().rposition(|w| *w == "<");
            words[i..].starts_with(&[">", "("])
                && open.is_some_and(|o| o > 0 && is_name(words[o - 1]) && !words[o - 1].ends_with("_cast"))
        };
        let calls = words.windows(2).any(by_name) || (0..words.len()).any(by_template);
        let counts = |w: &[&str]| matches!(w[..2], ["+", "+"] | ["-", "-"]);
        let assigns = |w: &[&str]| {
            let shifts = matches!(w[..2], ["<", "<"] | [">", ">"]);
            w[2] == "=" && w[3] != "=" && (shifts || !["=", "!", "<", ">"].contains(&w[1]))
        };
        let in_macro = elements[i].1 && words.len() > 2;
        in_macro || calls || words.windows(2).any(counts) || words.windows(4).any(assigns)
    })
}

/// Returns the tokens from an opening parenthesis to before its closing one; none if the first token is no opening
/// parenthesis.
fn bracketed<'t>(elements: &[(&'t str, bool)]) -> Vec<&'t str> {
    let (mut depth, mut out) = (0_usize, vec![]);
    for (word, _) in elements {
        depth = match *word {
            "(" => depth + 1,
            ")" => depth.saturating_sub(1),
            _ => depth,
        };
        if depth == 0 {
            break;
        }
        out.push(*word);
    }
    // Windows of four tokens need this padding to reach the end.
    out.extend([")", ")"]);
    out
}

/// State of a line that decides how the next identifier is tested.
#[derive(Default)]
struct LineState {
    directive: bool,
    /// True after `ifdef`, `ifndef` or `defined`, with or without an opening parenthesis.
    presence: bool,
}

impl LineState {
    fn asks_presence(&self) -> bool {
        self.presence
    }

    fn word(&mut self, word: &str) {
        self.presence = self.directive && matches!(word, "ifdef" | "ifndef" | "elifdef" | "elifndef" | "defined");
    }

    fn mark(&mut self, mark: u8) {
        self.directive |= mark == b'#';
        self.presence &= mark == b'(';
    }
}

fn is_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

/// Returns the end of the token at `at` (C++ [lex.phases]): a comment, a literal, an identifier, a number, or one byte.
fn element(bytes: &[u8], at: usize) -> usize {
    let ahead = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let find = |from: usize, end: &[u8]| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.windows(end.len()).position(|w| w == end).map_or(bytes.len(), |n| from + n + end.len())
    };
    match (bytes[at], ahead(at + 1)) {
        (b'/', b'*') => find(at + 2, b"*/"),
        (b'/', b'/') => line_end(bytes, at),
        // A backslash continues the line.
        (b'\\', b'\n') => at + 2,
        (b'\\', b'\r') if ahead(at + 2) == b'\n' => at + 3,
        (b'"', _) if at > 0 && bytes[at - 1] == b'R' => {
            let open = find(at, b"(");
            let delimiter = bytes.get(at + 1..open.saturating_sub(1)).unwrap_or_default();
            find(open, &[b")", delimiter, b"\""].concat())
        }
        (quote @ (b'"' | b'\''), _) => {
            let mut i = at + 1;
            while i < bytes.len() && bytes[i] != quote && bytes[i] != b'\n' {
                i += if bytes[i] == b'\\' { 2 } else { 1 };
            }
            (i + usize::from(ahead(i) == quote)).min(bytes.len())
        }
        (b, _) if is_start(b) => run(bytes, at, |b| is_start(b) || b.is_ascii_digit()),
        (b, _) if b.is_ascii_digit() => {
            run(bytes, at, |b| is_start(b) || b.is_ascii_digit() || b == b'\'' || b == b'.')
        }
        _ => at + 1,
    }
}

fn run(bytes: &[u8], at: usize, of: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|b| !of(*b)).map_or(bytes.len(), |n| at + n)
}

/// Returns the end of a line, continuation lines included.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at;
    while i < bytes.len() && bytes[i] != b'\n' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_may_act() {
        for pure in [
            "assert(n % 4 == 0);",
            "assert(a <= b && c != d);",
            "assert((int)x >= sizeof(int));",
            "assert;",
            "assert(s == \"(x = 1)\");",
            "assert(x);  f(y = 1);",
            "#define other(x) ((x) = 1)\nassert(1 /* f() = 2 */);",
            "my_assert(f());",
            "assert(n > (1 << 3) && static_cast<int>(x) < 4);",
        ] {
            assert!(!may_act(pure, "assert"), "{pure}");
        }
        for acting in [
            "assert(init(&n) == 0);",
            "assert(n = 1);",
            "assert(n += 2);",
            "assert(++n > 0);",
            "assert(n-- && x);",
            "assert((n <<= 1) > 0);",
            "assert(v.size() > 0);",
            "#define CHECK(x) assert((x) == 0)\n",
            "assert(a > 0);\nassert(b = 2);",
            "assert(begin<int>(&n));",
            "assert((*handler)(x) && table[i](x));",
        ] {
            assert!(may_act(acting, "assert"), "{acting}");
        }
    }

    fn shown(text: &str) -> Vec<(String, usize, bool)> {
        names(text).iter().map(|n| (n.text.to_owned(), n.line, n.presence_only)).collect()
    }

    #[test]
    fn names_of_directives_and_code() {
        let text = "#ifdef __A__ // __B__\n#if defined(__C__) && !defined __D__ && __E__ > 1\n  int x = f(__G__, 1'000'000u, 'c');\n";
        let found = shown(text);
        let of = |name: &str| found.iter().find(|n| n.0 == name).map(|n| (n.1, n.2));
        assert_eq!(of("__A__"), Some((1, true)));
        assert_eq!(of("__B__"), None);
        assert_eq!((of("__C__"), of("__D__"), of("__E__")), (Some((2, true)), Some((2, true)), Some((2, false))));
        assert_eq!((of("__G__"), of("c"), of("u")), (Some((3, false)), None, None));
    }

    #[test]
    fn texts_and_comments_hide_names() {
        let text = "/* __A__\n*/ const char *s = \"__B__ \\\" __C__\" R\"x(\n__D__ \" )\" )x\" __E__;\n#if \\\n defined(__F__)\n";
        let found = shown(text);
        assert!(found.iter().all(|n| !["__A__", "__B__", "__C__", "__D__"].contains(&n.0.as_str())), "{found:?}");
        assert!(found.contains(&("__E__".into(), 3, false)) && found.contains(&("__F__".into(), 5, true)), "{found:?}");
    }

    #[test]
    fn nothing_that_is_cut_off_goes_beyond_the_end() {
        for text in ["/*", "\"", "\"\\", "'", "R\"", "R\"x(", "//\\", "\\", "#", "1'", "é"] {
            names(text);
        }
    }
}
