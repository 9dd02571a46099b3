//! Names and declarations in the text of a source, if available: MLIR drops the names of variables. They only serve
//! messages, so that a wrong guess costs a name and nothing else.

/// Returns the parameter types of a demangled function.
fn parameter_types(display: &str) -> Vec<&str> {
    let Some(end) = display.rfind(')') else { return vec![] };
    let mut depth = 0;
    let Some(start) = display[..=end].char_indices().rev().find_map(|(i, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(i)
    }) else {
        return vec![];
    };
    split(&display[start + 1..end])
}

/// Splits a text at commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0i32, 0, vec![]);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth <= 0 => {
                out.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        out.push(text[from..].trim());
    }
    out
}

/// Returns for each parameter of a demangled function whether it is passed by value.
pub(super) fn values(display: &str) -> Vec<bool> {
    parameter_types(display)
        .iter()
        .map(|t| {
            !t.ends_with(['*', '&', ']']) && !t.contains("(*") && !t.contains("* const") && !t.contains("*restrict")
        })
        .collect()
}

/// Returns for each parameter of a demangled function whether it is a pointer to an array.
pub(super) fn row_pointers(display: &str) -> Vec<bool> {
    parameter_types(display).iter().map(|t| t.contains("(*)") && t.ends_with(']')).collect()
}

/// Treatment of `#define` lines; other preprocessor lines are always removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroTreatment {
    Kept,
    Left,
}

/// Replaces comments, strings and preprocessor lines of a source by blanks.
pub(super) fn plain(source: &str, macros: MacroTreatment) -> String {
    let mut text: Vec<u8> = source.as_bytes().to_vec();
    let mut i = 0;
    let blank = |t: &mut Vec<u8>, from: usize, to: usize| {
        for c in &mut t[from..to] {
            if *c != b'\n' {
                *c = b' ';
            }
        }
    };
    while i < text.len() {
        let rest = &text[i..];
        let end = |n: usize| n.min(source.len());
        let directive = rest[0] == b'#' && source[..i].rsplit('\n').next().is_some_and(|l| l.trim().is_empty());
        if directive && macros == MacroTreatment::Kept && rest[1..].trim_ascii_start().starts_with(b"define") {
            i += 1;
        } else if rest.starts_with(b"//") || directive {
            let mut n = 0;
            while n < rest.len() && (rest[n] != b'\n' || n > 0 && rest[n - 1] == b'\\') {
                n += 1;
            }
            // `#pragma` and the like end with their line; a macro's body may continue.
            blank(&mut text, i, i + n);
            i += n;
        } else if rest.starts_with(b"/*") {
            let n = rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |p| p + 4);
            let to = end(i + n);
            blank(&mut text, i, to);
            i = to;
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            let quote = rest[0];
            let mut n = 1;
            while n < rest.len() && rest[n] != quote && rest[n] != b'\n' {
                n += if rest[n] == b'\\' { 2 } else { 1 };
            }
            let to = end(i + n + 1);
            blank(&mut text, i, to);
            i = to;
        } else {
            i += 1;
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

/// A source text without comments, strings and preprocessor lines; positions are those of the original.
#[derive(Default)]
pub(super) struct StrippedSource {
    pub(super) text: String,
}

/// Kind of a declared variable, as far as both the source and MLIR show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableClass {
    Array,
    Pointer,
    Int,
    Float,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredVariable {
    pub name: String,
    pub class: VariableClass,
}

impl StrippedSource {
    pub fn new(source: &str) -> Self {
        Self { text: plain(source, MacroTreatment::Left) }
    }

    /// Returns the texts of parameters and body for each definition of a function with this name.
    fn definitions(&self, name: &str) -> Vec<(&str, &str)> {
        let mut out = vec![];
        if name.is_empty() {
            return out;
        }
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        for (at, _) in self.text.match_indices(name) {
            if word(self.text[..at].chars().next_back()) {
                continue;
            }
            let rest = &self.text[at + name.len()..];
            if !rest.trim_start().starts_with('(') {
                continue;
            }
            let open = at + name.len() + (rest.len() - rest.trim_start().len());
            let Some(params) = bracketed(&self.text[open..]) else { continue };
            let after = &self.text[open + params.len()..];
            let Some(brace) = after.find(['{', ';']) else { continue };
            // In a definition only qualifiers stand in between.
            if !after[brace..].starts_with('{') || after[..brace].contains(['(', '=', ')', '}']) {
                continue;
            }
            let Some(body) = bracketed(&after[brace..]) else { continue };
            out.push((&params[1..params.len() - 1], body));
        }
        out
    }

    /// Returns a function's name without classes and template arguments.
    pub fn base(display: &str) -> &str {
        // This part of a name contains parentheses.
        const ANONYMOUS: &str = "(anonymous namespace)::";
        let mut display = display;
        while let Some(at) = display.find(['(', '<']).filter(|at| display[*at..].starts_with(ANONYMOUS)) {
            display = &display[at + ANONYMOUS.len()..];
        }
        let head = display.split('(').next().unwrap_or(display);
        let head = head.split('<').next().unwrap_or(head);
        head.rsplit("::").next().unwrap_or(head)
    }

    /// Returns the names of a function's parameters.
    pub fn parameters(&self, display: &str, n: usize) -> Vec<String> {
        let given = |i: usize| format!("argument {}", i + 1);
        for (params, _) in self.definitions(Self::base(display)) {
            let all = split(params);
            if all.len() != n {
                continue;
            }
            return all.iter().enumerate().map(|(i, p)| declarator(p).unwrap_or_else(|| given(i))).collect();
        }
        (0..n).map(given).collect()
    }

    /// Returns the variables declared in the body of a function, in order.
    pub fn locals(&self, display: &str) -> Vec<DeclaredVariable> {
        self.definitions(Self::base(display)).first().map(|(_, body)| declarations(body)).unwrap_or_default()
    }

    /// Returns the variables declared by the statement at a 1-based position.
    pub fn at(&self, line: u32, column: u32) -> Vec<DeclaredVariable> {
        let start = self.text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum::<usize>()
            + column.saturating_sub(1) as usize;
        let Some(rest) = self.text.get(start..) else { return vec![] };
        let end = rest.find(';').map_or(rest.len(), |i| i + 1);
        statement(&rest[..end])
    }
}

/// Returns the text from an opening bracket to its closing one.
fn bracketed(text: &str) -> Option<&str> {
    let mut depth = 0i32;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..=i]);
        }
    }
    None
}

/// Returns the name that a parameter's declaration introduces.
fn declarator(p: &str) -> Option<String> {
    let p = p.split('=').next()?;
    // In `T (*name)[16]` the name is inside the parentheses.
    let inner = p.find("(*").map(|i| &p[i + 2..]).and_then(|r| r.split(')').next());
    let whole = inner.or_else(|| p.split('[').next())?.trim();
    let name = whole.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    // A type alone names nothing.
    let typed = inner.is_some() || whole != name;
    (typed && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && !TYPES.contains(&name))
        .then(|| name.to_owned())
}

const TYPES: &[&str] = &[
    "int", "float", "double", "char", "bool", "long", "short", "unsigned", "signed", "void", "const", "size_t", "auto",
];
const QUALIFIERS: &[&str] = &[
    "const",
    "static",
    "extern",
    "__shared__",
    "volatile",
    "constexpr",
    "register",
    "struct",
    "__restrict__",
    "__restrict",
    "unsigned",
    "signed",
    "long",
    "short",
    "typename",
    "inline",
    "__align__",
    "__device__",
    "__constant__",
];
const STATEMENTS: &[&str] = &[
    "return", "delete", "goto", "else", "case", "using", "typedef", "throw", "new", "if", "while", "do", "switch",
    "break", "continue", "default", "template", "public", "private",
];

/// Returns the declarations of a body, statement by statement.
fn declarations(body: &str) -> Vec<DeclaredVariable> {
    let mut out = vec![];
    let mut from = 0;
    let mut depth = 0i32;
    for (i, c) in body.char_indices() {
        match c {
            // `for (int i = 0;` declares too.
            '(' => {
                if depth == 0 && body[from..i].trim().ends_with("for") {
                    from = i + 1;
                } else {
                    depth += 1;
                }
            }
            '[' => depth += 1,
            ')' | ']' => depth = (depth - 1).max(0),
            // Braced initialisers belong to their statement.
            '{' if body[from..i].trim_end().ends_with(['=', ']']) => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ';' if depth == 0 => {
                out.extend(statement(&body[from..=i]));
                from = i + 1;
            }
            '{' | '}' if depth == 0 => from = i + 1,
            _ => {}
        }
    }
    out
}

/// Parses a declaration such as `T *a = 0, b[4];`; returns nothing for other statements.
fn statement(text: &str) -> Vec<DeclaredVariable> {
    let text = text.trim().trim_end_matches(';');
    let mut rest = text;
    let (mut words, mut shared) = (vec![], false);
    let word =
        |t: &str| -> usize { t.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(t.len()) };
    // Qualifiers, then one type name unless `unsigned` or the like was the type.
    loop {
        rest = rest.trim_start();
        let n = word(rest);
        let w = &rest[..n];
        if w.is_empty() || STATEMENTS.contains(&w) {
            return vec![];
        }
        let is_type = !QUALIFIERS.contains(&w);
        let sized = words.iter().any(|x: &&str| matches!(*x, "unsigned" | "signed" | "long" | "short"));
        let next = rest[n..].trim_start();
        if is_type && sized && !TYPES.contains(&w) && (next.is_empty() || next.starts_with(['=', ',', '[', ';'])) {
            break;
        }
        words.push(w);
        shared |= w == "__shared__";
        rest = &rest[n..];
        if rest.trim_start().starts_with('<') {
            let Some(end) = rest.find('>') else { return vec![] };
            rest = &rest[end + 1..];
        }
        if is_type {
            break;
        }
        let after = rest.trim_start();
        if after.starts_with('*') {
            break;
        }
    }
    let base = if words.iter().any(|w| matches!(*w, "float" | "double" | "half")) {
        VariableClass::Float
    } else if words
        .iter()
        .any(|w| matches!(*w, "int" | "char" | "bool" | "long" | "short" | "unsigned" | "signed") || w.ends_with("_t"))
    {
        VariableClass::Int
    } else {
        VariableClass::Other
    };
    let mut out = vec![];
    for d in split(rest) {
        let d = d.trim_start();
        let stars = d.starts_with(['*', '&']);
        let d = d.trim_start_matches(['*', '&', ' ']);
        let d = d.strip_prefix("const ").or_else(|| d.strip_prefix("__restrict__ ")).unwrap_or(d).trim_start();
        let n = word(d);
        let (name, after) = (&d[..n], d[n..].trim_start());
        if name.is_empty() || name.contains(':') || !(after.is_empty() || after.starts_with(['=', '[', '(', '{'])) {
            return vec![];
        }
        // `f(x)` alone is a call.
        if words.len() == 1
            && out.is_empty()
            && !stars
            && base == VariableClass::Other
            && after.starts_with('(')
            && rest.trim_start() == after
        {
            return vec![];
        }
        let class = if shared || after.starts_with('[') {
            VariableClass::Array
        } else if stars {
            VariableClass::Pointer
        } else {
            base
        };
        out.push(DeclaredVariable { name: name.to_owned(), class });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_named_as_in_the_source() {
        let n = StrippedSource::new(
            "/* k(a) */ template <typename T>\n__global__ void k(const T *__restrict__ in, T (*rows)[16],\n int n = 3, Vec3, float m[4][4]) // x\n{ k(1); }\nvoid h(int *const p) { }\n",
        );
        assert_eq!(
            n.parameters("ns::k<float>(float const*, float (*) [16], int, Vec3, float (*) [4])", 5),
            ["in", "rows", "n", "argument 4", "m"]
        );
        assert_eq!(n.parameters("(anonymous namespace)::k(float*, int, int, int, int)", 5)[0], "in");
        assert_eq!(n.parameters("ns::(anonymous namespace)::h(int*)", 1), ["p"]);
        assert_eq!(StrippedSource::base("(anonymous namespace)::k<(anonymous namespace)::S>(int*)"), "k");
        assert_eq!(n.parameters("k(int)", 1), ["argument 1"]);
        assert_eq!(n.parameters("h(int*)", 1), ["p"]);
    }

    #[test]
    fn declarations_are_told_from_other_statements() {
        let names = |t: &str| {
            declarations(t).into_iter().map(|d| format!("{}:{:?}", d.name, d.class)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            names(
                "{ int a = f(1, 2), *b; const float *x[4]; for (unsigned i = 0; i < 4; i++) { y = 2; return z; } __shared__ float s[2][3]; dim3 g(1, 2); k(a); a[i] = 3; size_t n = 3; x *= 2; std::vector<int> v; int h[2] = {1, 2}; extern __shared__ T t[]; unsigned q; }"
            ),
            "a:Int b:Pointer x:Array i:Int s:Array g:Other n:Int v:Other h:Array t:Array q:Int"
        );
    }

    #[test]
    fn demangled_parameters() {
        assert_eq!(
            values("step(Particles, Vec3, Vec3*, int const&, float (*) [4], T<int*>)"),
            [true, true, false, false, false, true]
        );
        assert_eq!(row_pointers("f(float (*) [16], int (*)(int), float*)"), [true, false, false]);
        assert_eq!(values("main"), Vec::<bool>::new());
    }
}
