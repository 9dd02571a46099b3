//! A position in the text, and the primitives of all parsers.

/// Largest nesting depth of regions, types and attributes.
pub(super) const MAX_DEPTH: u32 = 400;
/// Stack size in bytes for [`MAX_DEPTH`] levels; only touched pages are backed by memory.
pub(super) const STACK: usize = 64 << 20;
/// Largest number of types and attributes in all expanded aliases together, beyond those written out: aliases of
/// aliases double with each.
const MAX_COPIED: u64 = 1 << 22;

/// Size of an alias's expansion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExpansionSize {
    /// Levels of nesting.
    levels: u32,
    /// Number of types, attributes and locations, nested ones included.
    nodes: u64,
}

/// Reason why a text is not a module in generic form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct MlirSyntaxError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in bytes.
    pub column: u32,
    pub message: String,
}

pub(super) type MlirResult<T> = Result<T, MlirSyntaxError>;

pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    /// Greatest depth since [`Cursor::measure`] was last called.
    deepest: u32,
    /// Number of levels entered, and of levels in expanded aliases.
    nodes: u64,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0, deepest: 0, nodes: 0 }
    }

    pub fn error<T>(&self, message: impl Into<String>) -> MlirResult<T> {
        self.error_at(self.at, message)
    }

    pub fn error_at<T>(&self, at: usize, message: impl Into<String>) -> MlirResult<T> {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Err(MlirSyntaxError { line: narrow(line), column: narrow(before.len() - start + 1), message: message.into() })
    }

    pub fn position(&self) -> usize {
        self.at
    }

    /// Enters one level; every `descend` is followed by an `ascend` unless an error ends the parse.
    pub fn descend(&mut self) -> MlirResult<()> {
        self.depth += 1;
        self.grow(ExpansionSize { levels: 0, nodes: 1 })
    }

    pub fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Accounts for the expansion of an alias where it is used.
    pub fn grow(&mut self, by: ExpansionSize) -> MlirResult<()> {
        let depth = self.depth.saturating_add(by.levels);
        self.deepest = self.deepest.max(depth);
        self.nodes = self.nodes.saturating_add(by.nodes);
        if depth > MAX_DEPTH {
            return self.error(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        if self.nodes > self.text.len() as u64 + MAX_COPIED {
            return self.error("aliases that stand for more than can be kept");
        }
        Ok(())
    }

    /// Starts to measure the next construct; [`Cursor::measured`] ends it.
    pub fn measure(&mut self) -> (u32, u64) {
        (std::mem::replace(&mut self.deepest, self.depth), self.nodes)
    }

    pub fn measured(&mut self, (deepest, nodes): (u32, u64)) -> ExpansionSize {
        let extent = ExpansionSize { levels: self.deepest - self.depth, nodes: self.nodes - nodes };
        self.deepest = self.deepest.max(deepest);
        extent
    }

    /// Returns the text from a position to here.
    pub fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Skips white space and comments.
    pub fn skip(&mut self) {
        let b = self.bytes();
        loop {
            while b.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            if !b[self.at..].starts_with(b"//") {
                return;
            }
            while b.get(self.at).is_some_and(|c| *c != b'\n') {
                self.at += 1;
            }
        }
    }

    pub fn at_end(&mut self) -> bool {
        self.skip();
        self.at >= self.text.len()
    }

    /// Returns the next byte after white space; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        self.skip();
        self.raw()
    }

    /// Returns the immediately next byte; 0 at the end.
    pub fn raw(&self) -> u8 {
        self.bytes().get(self.at).copied().unwrap_or(0)
    }

    pub fn starts_with(&mut self, what: &str) -> bool {
        self.skip();
        self.text[self.at..].starts_with(what)
    }

    pub fn accept(&mut self, what: &str) -> bool {
        let yes = self.starts_with(what);
        if yes {
            self.at += what.len();
        }
        yes
    }

    /// Accepts a byte like [`Cursor::accept`], without skipping white space.
    pub fn accept_raw(&mut self, what: u8) -> bool {
        let yes = self.at < self.text.len() && self.raw() == what;
        if yes {
            self.at += 1;
        }
        yes
    }

    pub fn require(&mut self, what: &str) -> MlirResult<()> {
        if self.accept(what) {
            return Ok(());
        }
        let found = self.text[self.at..].chars().next().map_or("the end".to_owned(), |c| format!("`{c}`"));
        self.error(format!("expected `{what}`, found {found}"))
    }

    /// Consumes the longest run of bytes that satisfy a condition; only ASCII bytes may.
    pub fn take(&mut self, ok: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.at < self.text.len() && self.raw().is_ascii() && ok(self.raw()) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Consumes a bare identifier: letters, digits, `_`, `$`, `.`; returns an empty string without one.
    pub fn word(&mut self) -> &'t str {
        self.skip();
        if !(self.raw().is_ascii_alphabetic() || self.raw() == b'_') {
            return "";
        }
        self.take(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.'))
    }

    /// Returns the identifier here without consuming it.
    pub fn peek_word(&mut self) -> &'t str {
        self.skip();
        let at = self.at;
        let w = self.word();
        self.at = at;
        w
    }

    /// Consumes the rest of a name after a sigil such as `%` or `#`: letters, digits and `_$.-`.
    pub fn suffix(&mut self) -> &'t str {
        self.take(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.' | b'-'))
    }

    /// Parses a sigil and the name after it, the name of `what`.
    pub fn sigil(&mut self, sigil: &str, what: &str) -> MlirResult<&'t str> {
        let start = self.at;
        self.require(sigil)?;
        match self.suffix() {
            "" => self.error_at(start, format!("expected the name of {what}")),
            name => Ok(name),
        }
    }

    pub fn digits(&mut self) -> &'t str {
        self.take(|c| c.is_ascii_digit())
    }

    pub fn unsigned(&mut self) -> MlirResult<u64> {
        self.skip();
        let at = self.at;
        let text = self.digits();
        text.parse()
            .or_else(|_| self.error_at(at, if text.is_empty() { "expected a number" } else { "a number out of range" }))
    }

    /// Parses a string literal. The escapes `\n`, `\t`, `\"`, `\\` and `\XX` are decoded; bytes beyond ASCII written
    /// this way become the character of that number.
    pub fn string(&mut self) -> MlirResult<String> {
        self.skip();
        let start = self.at;
        if !self.accept_raw(b'"') {
            return self.error("expected a string");
        }
        let mut out = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return self.error_at(start, "a string without an end");
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let Some(e) = self.text[self.at..].chars().next() else {
                        return self.error_at(start, "a string without an end");
                    };
                    let pair = self
                        .text
                        .get(self.at..self.at + 2)
                        .and_then(|p| p.is_ascii().then(|| u8::from_str_radix(p, 16).ok()).flatten());
                    match (e, pair) {
                        ('n', _) => {
                            out.push('\n');
                            self.at += 1;
                        }
                        ('t', _) => {
                            out.push('\t');
                            self.at += 1;
                        }
                        ('"' | '\\', _) => {
                            out.push(e);
                            self.at += 1;
                        }
                        (_, Some(b)) => {
                            out.push(char::from(b));
                            self.at += 2;
                        }
                        _ => return self.error("an unknown escape in a string"),
                    }
                }
                c => out.push(c),
            }
        }
    }

    /// Consumes from an opening bracket to its closing one, and returns that text; strings are skipped whole.
    pub fn balanced(&mut self) -> MlirResult<&'t str> {
        self.skip();
        let start = self.at;
        let mut open: Vec<u8> = vec![];
        loop {
            match self.raw() {
                0 if self.at >= self.text.len() => return self.error_at(start, "a bracket without its end"),
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'-' if self.text[self.at..].starts_with("->") => self.at += 1,
                c @ (b'(' | b'[' | b'{' | b'<') => open.push(c),
                c @ (b')' | b']' | b'}' | b'>') => {
                    let want = match c {
                        b')' => b'(',
                        b']' => b'[',
                        b'}' => b'{',
                        _ => b'<',
                    };
                    if open.pop() != Some(want) {
                        return self.error("brackets that do not match");
                    }
                    if open.is_empty() {
                        self.at += 1;
                        return Ok(&self.text[start..self.at]);
                    }
                }
                _ if open.is_empty() => return self.error("expected a bracket"),
                _ => {}
            }
            self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        }
    }
}
