//! Parser for the statements of inline assembly by PTX's grammar (PTX ISA 9.0, chapter 4): labels, blocks,
//! declarations, predicates.
//!
//! In: the text in LLVM's spelling, where `$0` is an operand, `$$` a dollar and `${:uid}` a number unique to the
//! statement. Out: the instructions in order, with registers renamed so that no declaration shadows another, and a mark
//! for each statement that is not understood.

/// A statement that may have an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PtxStatement {
    Instruction(Instruction),
    /// A statement outside the grammar, or one whose meaning depends on how an operand is spelled.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub predicate: Option<Predicate>,
    /// Opcode with its modifiers: `ld.global.u32`.
    pub opcode: String,
    /// Operands without blanks.
    pub operands: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Predicate {
    pub register: String,
    pub negated: bool,
}

/// Returns the statements of a text that may have an effect, in order.
pub(super) fn statements(text: &str) -> Vec<PtxStatement> {
    let mut parser = PtxParser { tokens: tokens(text), at: 0, blocks: vec![], opened: 0, outside: 0, found: vec![] };
    while parser.at < parser.tokens.len() {
        parser.statement();
    }
    parser.found
}

/// Parses a PTX integer (PTX ISA 9.0, 4.5.1): a leading 0 makes it octal.
pub(super) fn number(word: &str) -> Option<i64> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |w| (true, w));
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let plain = digits.starts_with(|c: char| c.is_ascii_hexdigit());
    let n = i64::from_str_radix(digits, radix).ok().filter(|_| plain)?;
    Some(if negative { -n } else { n })
}

/// A token and the line on which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PtxToken {
    what: PtxElement,
    line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PtxElement {
    /// An identifier, a number, an opcode with its modifiers, an operand.
    Word(String),
    Text,
    Mark(char),
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%.".contains(c)
}

/// Splits a text into tokens, without comments.
fn tokens(text: &str) -> Vec<PtxToken> {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut line, mut out) = (0, 0, vec![]);
    let ahead = |i: usize| chars.get(i).copied().unwrap_or(' ');
    while at < chars.len() {
        let (begin, c) = (at, chars[at]);
        let what = if c.is_whitespace() {
            at += 1;
            None
        } else if c == '/' && ahead(at + 1) == '/' {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
            None
        } else if c == '/' && ahead(at + 1) == '*' {
            at += 2;
            while at < chars.len() && !(chars[at] == '*' && ahead(at + 1) == '/') {
                at += 1;
            }
            at += 2;
            None
        } else if c == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += 1;
            }
            at += 1;
            Some(PtxElement::Text)
        } else if is_of_word(c) {
            let (word, end) = word(&chars, at);
            at = end;
            Some(PtxElement::Word(word))
        } else {
            at += 1;
            Some(PtxElement::Mark(c))
        };
        at = at.min(chars.len());
        out.extend(what.map(|what| PtxToken { what, line }));
        line += chars[begin..at].iter().filter(|c| **c == '\n').count();
    }
    out
}

/// Returns a word and its end. Modifiers contain `::` (`shared::cta`). A dollar stays doubled, so that no name looks
/// like an operand.
fn word(chars: &[char], begin: usize) -> (String, usize) {
    let (mut at, mut out) = (begin, String::new());
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        if c == '$' && next == '$' {
            out.push_str("$$");
            at += 2;
        } else if c == '$' && next == '{' {
            let end = chars[at..].iter().position(|c| *c == '}').map_or(chars.len(), |n| at + n + 1);
            let inner: String = chars[at + 2..end - usize::from(chars[end - 1] == '}')].iter().collect();
            let plain = !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit());
            out.push_str(&if plain { format!("${inner}") } else { format!("${{{inner}}}") });
            at = end;
        } else if is_of_word(c) {
            out.push(c);
            at += 1;
        } else if c == ':' && next == ':' && chars.get(at + 2).is_some_and(|c| is_of_word(*c)) {
            out.push_str("::");
            at += 2;
        } else {
            break;
        }
    }
    (out, at)
}

/// A name that a block declares, alone or with a number below a bound (`%r<4>`, PTX ISA 9.0, 5.4.6).
struct PtxDeclaration {
    name: String,
    numbered: Option<u64>,
}

/// The declarations of a brace-delimited block.
struct PtxBlock {
    number: usize,
    declared: Vec<PtxDeclaration>,
}

struct PtxParser {
    tokens: Vec<PtxToken>,
    at: usize,
    blocks: Vec<PtxBlock>,
    /// Number of blocks opened so far.
    opened: usize,
    /// Number of closed blocks that the text does not open.
    outside: usize,
    found: Vec<PtxStatement>,
}

impl PtxParser {
    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at).map(|t| &t.what) {
            Some(PtxElement::Word(w)) => Some(w),
            _ => None,
        }
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at).is_some_and(|t| t.what == PtxElement::Mark(mark))
    }

    fn statement(&mut self) {
        if self.is_mark(self.at, ';') {
            self.at += 1;
        } else if self.is_mark(self.at, '{') {
            self.opened += 1;
            self.blocks.push(PtxBlock { number: self.opened, declared: vec![] });
            self.at += 1;
        } else if self.is_mark(self.at, '}') {
            // Up to here, declarations of a surrounding text may be shadowed.
            if self.blocks.pop().is_none_or(|b| b.number == 0) {
                self.outside += 1;
            }
            self.at += 1;
        } else if self.word(self.at).is_some() && self.is_mark(self.at + 1, ':') {
            self.at += 2;
        } else if self.word(self.at).is_some_and(|w| w.starts_with('.')) {
            self.directive();
        } else {
            let found = self.instruction();
            self.found.push(found.map_or(PtxStatement::Unknown, PtxStatement::Instruction));
        }
    }

    /// Consumes the tokens up to the next semicolon, which is skipped.
    fn rest(&mut self) -> Vec<PtxElement> {
        let from = self.at.min(self.tokens.len());
        let len = self.tokens[from..].iter().position(|t| t.what == PtxElement::Mark(';'));
        let to = len.map_or(self.tokens.len(), |n| from + n);
        self.at = to + 1;
        self.tokens[from..to].iter().map(|t| t.what.clone()).collect()
    }

    fn directive(&mut self) {
        let line = self.tokens[self.at].line;
        let word = self.word(self.at).unwrap_or_default();
        // `.reg.pred` is two directives.
        match &word[..word[1..].find('.').map_or(word.len(), |n| n + 1)] {
            ".reg" | ".shared" | ".local" | ".const" | ".global" | ".param" | ".tex" => {
                let names = declared(&self.rest());
                // Outside all blocks a text declares for its function.
                if self.blocks.is_empty() {
                    self.blocks.push(PtxBlock { number: 0, declared: vec![] });
                }
                if let Some(block) = self.blocks.last_mut() {
                    block.declared.extend(names);
                }
            }
            ".pragma" | ".branchtargets" | ".calltargets" | ".callprototype" => {
                self.rest();
            }
            // `.loc` and `.file` end with their line.
            ".loc" | ".file" => {
                while self.tokens.get(self.at).is_some_and(|t| t.line == line) {
                    self.at += 1;
                }
            }
            _ => {
                self.rest();
                self.found.push(PtxStatement::Unknown);
            }
        }
    }

    /// Parses an instruction: `[@[!]p] opcode operand, …;`.
    fn instruction(&mut self) -> Option<Instruction> {
        let elements = self.rest();
        let mut list = elements.as_slice();
        let mut predicate = None;
        if let [PtxElement::Mark('@'), rest @ ..] = list {
            let (negated, rest) = match rest {
                [PtxElement::Mark('!'), rest @ ..] => (true, rest),
                _ => (false, rest),
            };
            let [PtxElement::Word(register), rest @ ..] = rest else { return None };
            predicate = Some(Predicate { register: self.resolved(register), negated });
            list = rest;
        }
        let [PtxElement::Word(first), rest @ ..] = list else { return None };
        let mut opcode = first.clone();
        list = rest;
        while let [PtxElement::Word(more), rest @ ..] = list {
            if !more.starts_with('.') {
                break;
            }
            opcode.push_str(more);
            list = rest;
        }
        let spelled = opcode.split('.').all(|part| !part.is_empty()) && !opcode.contains('$');
        if !spelled || !opcode.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        let operands = self.operands(list)?;
        Some(Instruction { predicate, opcode, operands })
    }

    /// Splits operands at commas outside brackets.
    fn operands(&self, list: &[PtxElement]) -> Option<Vec<String>> {
        let (mut depth, mut out, mut one) = (0_u32, vec![], String::new());
        let mut after_word = false;
        for element in list {
            let is_word = matches!(element, PtxElement::Word(_));
            match element {
                PtxElement::Word(w) => {
                    if after_word {
                        one.push(' ');
                    }
                    one.push_str(&self.resolved(w));
                }
                PtxElement::Mark(',') if depth == 0 => out.push(std::mem::take(&mut one)),
                PtxElement::Mark(c) => {
                    match c {
                        '{' | '[' | '(' => depth += 1,
                        '}' | ']' | ')' => depth = depth.checked_sub(1)?,
                        '@' | ':' => return None,
                        _ => {}
                    }
                    one.push(*c);
                }
                PtxElement::Text => return None,
            }
            after_word = is_word;
        }
        if !one.is_empty() || !out.is_empty() {
            out.push(one);
        }
        (depth == 0 && out.iter().all(|o| !o.is_empty())).then_some(out)
    }

    /// Appends to a word the number of the block that declares it, if the text does.
    fn resolved(&self, word: &str) -> String {
        let (name, rest) = word.split_at(word[1..].find('.').map_or(word.len(), |n| n + 1));
        let is_operand = name.strip_prefix('$').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
        if is_operand || name.starts_with(|c: char| c.is_ascii_digit()) {
            return word.to_owned();
        }
        if let Some(block) = self.blocks.iter().rev().find(|b| b.declared.iter().any(|d| d.is(name))) {
            return format!("{name}@{}{rest}", block.number);
        }
        if self.outside > 0 { format!("{name}@-{}{rest}", self.outside) } else { word.to_owned() }
    }
}

impl PtxDeclaration {
    fn is(&self, name: &str) -> bool {
        match self.numbered {
            None => self.name == name,
            Some(bound) => name.strip_prefix(&*self.name).and_then(|n| n.parse().ok()).is_some_and(|n: u64| n < bound),
        }
    }
}

/// Returns the names that a declaration introduces, without types and initialisers.
fn declared(list: &[PtxElement]) -> Vec<PtxDeclaration> {
    let (mut depth, mut awaits, mut out) = (0_u32, true, vec![]);
    let mut list = list.iter().peekable();
    while let Some(element) = list.next() {
        match element {
            PtxElement::Mark('{' | '[' | '(') => depth += 1,
            PtxElement::Mark('}' | ']' | ')') => depth = depth.saturating_sub(1),
            PtxElement::Mark(',') if depth == 0 => awaits = true,
            PtxElement::Word(w) if depth == 0 && awaits && !w.starts_with('.') => {
                // `.align 16` precedes the name.
                if w.starts_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                awaits = false;
                let mut numbered = None;
                if list.next_if(|e| **e == PtxElement::Mark('<')).is_some() {
                    // A bound that is no number stands for unboundedly many names.
                    numbered = Some(u64::MAX);
                    if let Some(PtxElement::Word(n)) = list.next() {
                        numbered = Some(n.parse().unwrap_or(u64::MAX));
                    }
                }
                out.push(PtxDeclaration { name: w.clone(), numbered });
            }
            _ => {}
        }
    }
    out
}
