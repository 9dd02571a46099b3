//! Signedness in a source's declarations: words that name types which cgeist wrongly takes for signed, names declared
//! with them outside functions, and the words of each function.
//!
//! In: texts of the user's files. Out: [`SourceText`]. It reads words, not C++: when in doubt, more words are doubtful.

use super::words::{
    SourceWord, angle, closing, depths, is_assigned, is_class, is_word, signed_long, tokens, without_attributes,
};
use crate::lower::unit::with_macros;
use std::collections::{BTreeMap, BTreeSet};

/// Set of integer widths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Widths(u8);

impl Widths {
    pub const ALL: Self = Self(15);

    pub fn of(bits: u32) -> Self {
        Self(match bits {
            8 => 1,
            16 => 2,
            32 => 4,
            64 => 8,
            _ => 0,
        })
    }

    pub fn has(self, bits: u32) -> bool {
        self.0 & Self::of(bits).0 != 0
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Unsigned typedefs of the standard library and of CUDA's headers.
const UNSIGNED: &[(&str, u32)] = &[
    ("size_t", 64),
    ("size_type", 64),
    ("uint64_t", 64),
    ("uintptr_t", 64),
    ("uintmax_t", 64),
    ("ulong", 64),
    ("ulonglong", 64),
    ("uint_fast16_t", 64),
    ("uint_fast32_t", 64),
    ("uint_fast64_t", 64),
    ("uint_least64_t", 64),
    ("cudaTextureObject_t", 64),
    ("cudaSurfaceObject_t", 64),
    ("CUdeviceptr", 64),
    ("u_int64_t", 64),
    ("u64", 64),
    ("uint32_t", 32),
    ("uint", 32),
    ("u_int", 32),
    ("uint_least32_t", 32),
    ("u_int32_t", 32),
    ("result_type", 64),
    ("u32", 32),
    ("uint16_t", 16),
    ("uint_least16_t", 16),
    ("u_int16_t", 16),
    ("ushort", 16),
    ("u16", 16),
    ("uint8_t", 8),
    ("uint_least8_t", 8),
    ("uint_fast8_t", 8),
    ("u_int8_t", 8),
    ("uchar", 8),
    ("u_char", 8),
    ("u8", 8),
    ("byte", 8),
    // Members of structures in CUDA's headers.
    ("totalGlobalMem", 64),
    ("sharedMemPerBlock", 64),
    ("sharedMemPerBlockOptin", 64),
    ("sharedMemPerMultiprocessor", 64),
    ("reservedSharedMemPerBlock", 64),
    ("totalConstMem", 64),
    ("memPitch", 64),
    ("textureAlignment", 64),
    ("texturePitchAlignment", 64),
    ("surfaceAlignment", 64),
    ("sharedSizeBytes", 64),
    ("constSizeBytes", 64),
    ("localSizeBytes", 64),
];

/// Structures such as `cudaExtent` and `cudaPitchedPtr`, and their members of type `size_t`, whose names are common
/// elsewhere.
const EXTENTS: (&[&str], &[&str]) = (
    &[
        "cudaExtent",
        "make_cudaExtent",
        "cudaPitchedPtr",
        "make_cudaPitchedPtr",
        "cudaPos",
        "make_cudaPos",
        "cudaMemcpy3DParms",
    ],
    &["width", "height", "depth", "pitch", "xsize", "ysize"],
);

/// Functions with a result of type `size_t`, which the source need not spell.
const SIZES: &[&str] = &[
    "size",
    "length",
    "capacity",
    "max_size",
    "count",
    "find",
    "rfind",
    "find_first_of",
    "find_last_of",
    "erase",
    "bucket_count",
    "strlen",
    "strnlen",
    "fread",
    "fwrite",
    "strspn",
    "strcspn",
    "strftime",
    "stoul",
    "stoull",
    "hash",
];

/// Signed 64-bit types.
const SIGNED_64: &[&str] = &[
    "int64_t",
    "int_fast16_t",
    "int_fast32_t",
    "int_fast64_t",
    "int_least64_t",
    "ptrdiff_t",
    "ssize_t",
    "intptr_t",
    "intmax_t",
    "difference_type",
    "off_t",
    "clock_t",
    "time_t",
    "streamsize",
    "streamoff",
    "longlong",
    "i64",
    "s64",
    "longlong1",
    "longlong2",
    "longlong3",
    "longlong4",
    "long1",
    "long2",
    "long3",
    "long4",
    "ll",
];

/// Declarations outside functions, and the text of functions by name.
#[derive(Debug, Default)]
pub(super) struct SourceText<'t> {
    /// Words that name types, members, variables or functions whose signedness cgeist may miss.
    doubtful: BTreeMap<&'t str, Widths>,
    /// Words that name something signed with 64 bits.
    signed_64: BTreeSet<&'t str>,
    /// Names declared outside functions.
    declared: BTreeSet<&'t str>,
    /// Words of each macro's body.
    macros: BTreeMap<&'t str, BTreeSet<&'t str>>,
    /// Type parameters of templates.
    parameters: BTreeSet<&'t str>,
    /// Definitions of functions by name: from their return types to their ends.
    functions: BTreeMap<&'t str, Vec<Vec<SourceWord<'t>>>>,
    all: Vec<SourceWord<'t>>,
    /// True where some template has an unsigned type argument, or may have.
    unsigned_arguments: bool,
    /// True where brackets do not match, as when both branches of an `#if` open one: the extents of functions are
    /// unknown then.
    broken: bool,
}

/// Replaces comments and strings by blanks; `#define` lines are kept.
pub(super) fn plain(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| with_macros(t)).collect()
}

/// Separates a text's `#define` lines from the rest.
fn macros_apart(text: &str) -> (Vec<SourceWord<'_>>, Vec<Vec<SourceWord<'_>>>) {
    let (mut rest, mut macros) = (vec![], vec![]);
    let mut going_on = false;
    for line in text.lines() {
        let begins = line.trim_start().starts_with('#');
        if begins {
            macros.push(tokens(line));
        } else if going_on {
            if let Some(last) = macros.last_mut() {
                last.extend(tokens(line));
            }
        } else {
            rest.extend(tokens(line));
        }
        going_on = (begins || going_on) && line.trim_end().ends_with('\\');
    }
    (rest, macros)
}

impl<'t> SourceText<'t> {
    pub fn new(plain: &'t [String]) -> Self {
        let mut out = Self::default();
        for (name, bits) in UNSIGNED {
            out.taint(name, Widths::of(*bits));
        }
        out.signed_64.extend(SIGNED_64);
        for text in plain {
            let (rest, macros) = macros_apart(text);
            for m in macros {
                // `# define NAME …`
                if let [_, _, name, body @ ..] = m.as_slice() {
                    out.macros.entry(name).or_default().extend(body);
                }
            }
            out.all.extend(rest);
        }
        if out.all.iter().any(|t| EXTENTS.0.contains(t)) {
            for name in EXTENTS.1 {
                out.taint(name, Widths::of(64));
            }
        }
        let all = std::mem::take(&mut out.all);
        out.unsigned_arguments = (0..all.len())
            .filter(|i| all[*i] == "<")
            .filter_map(|i| angle(&all, i))
            .any(|a| a.iter().any(|x| *x == "unsigned" || out.doubtful.contains_key(x)));
        // Declarations may use names declared further down, or macros.
        loop {
            let before = (out.doubtful.clone(), out.signed_64.len());
            out.macro_words();
            out.scope(&all);
            if before == (out.doubtful.clone(), out.signed_64.len()) {
                break;
            }
        }
        out.all = all;
        out
    }

    fn taint(&mut self, name: &'t str, widths: Widths) {
        let w = self.doubtful.entry(name).or_default();
        *w = w.with(widths);
    }

    /// Marks macros with a doubtful word as doubtful.
    fn macro_words(&mut self) {
        let found: Vec<(&str, Widths, bool)> = self
            .macros
            .iter()
            .map(|(name, body)| {
                let mut w = body.iter().filter_map(|b| self.doubtful.get(b)).fold(Widths::default(), |a, b| a.with(*b));
                // Pasted words, or types unknown to this reader.
                let made = |b: &&str| matches!(*b, "#" | "auto" | "decltype" | "typeof" | "__typeof__");
                if body.iter().any(made) || body.contains("unsigned") && body.contains("<") {
                    w = Widths::ALL;
                }
                let signed = body.iter().any(|b| self.is_signed_64(b) || *b == "long");
                (*name, w, signed)
            })
            .collect();
        for (name, w, signed) in found {
            if w != Widths::default() {
                self.taint(name, w);
            }
            if signed {
                self.signed_64.insert(name);
            }
        }
    }

    fn is_signed_64(&self, word: &str) -> bool {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        self.signed_64.contains(word) || number && word.ends_with(['l', 'L']) && !word.contains(['u', 'U'])
    }

    /// Reads the statements of a scope other than a function's body.
    fn scope(&mut self, t: &[SourceWord<'t>]) {
        let (mut from, mut i) = (0, 0);
        while i < t.len() {
            match t[i] {
                ";" => {
                    self.statement(&t[from..i]);
                    from = i + 1;
                }
                ":" if i > 0 && matches!(t[i - 1], "public" | "private" | "protected") => from = i + 1,
                "(" | "[" => i = closing(t, i),
                "{" => {
                    let head = &t[from..i];
                    let mut end = closing(t, i);
                    self.broken |= end == t.len();
                    let has = |w: &str| head.contains(&w);
                    if is_class(head) {
                        self.parameters_of(head);
                        self.scope(&t[i + 1..end.min(t.len())]);
                        // `} name;`
                        from = end;
                    } else if has("enum") {
                        // The type of the enumerators is unknown.
                        if let Some(name) = head
                            .iter()
                            .filter(|w| is_word(w))
                            .find(|w| !matches!(**w, "enum" | "class" | "struct" | "typedef"))
                        {
                            self.taint(name, Widths::ALL);
                        }
                    } else if has("(") && !is_assigned(head) {
                        // `: a{1}, b{2} { … }`
                        while matches!(t.get(end + 1), Some(&"," | &"{")) {
                            let Some(next) = (end + 1..t.len()).find(|j| t[*j] == "{") else { break };
                            end = closing(t, next);
                        }
                        self.function(head, &t[from..(end + 1).min(t.len())]);
                        self.statement(head);
                        from = end + 1;
                    } else if !is_assigned(head) && (has("namespace") || has("extern")) {
                        self.scope(&t[i + 1..end.min(t.len())]);
                        from = end + 1;
                    }
                    // Otherwise an initialiser, or a macro's expansion.
                    i = end;
                }
                _ => {}
            }
            i += 1;
        }
    }

    /// Records the type parameters of `template <typename T, int N>`.
    fn parameters_of(&mut self, head: &[SourceWord<'t>]) {
        for w in head.windows(3) {
            match w {
                ["typename" | "class", name, "," | ">" | "="] if is_word(name) => {
                    self.parameters.insert(name);
                }
                ["typename" | "class", ".", "."] => {
                    self.parameters.extend(head.iter().filter(|w| is_word(w)));
                }
                _ => {}
            }
        }
    }

    fn function(&mut self, head: &[SourceWord<'t>], whole: &[SourceWord<'t>]) {
        self.parameters_of(head);
        for (i, w) in head.iter().enumerate() {
            if is_word(w) && (head.get(i + 1) == Some(&"(") || head.get(i + 1) == Some(&"<")) {
                let list = self.functions.entry(w).or_default();
                if !list.iter().any(|f| f == whole) {
                    list.push(whole.to_vec());
                }
            }
        }
    }

    /// Returns the widths of doubtful types in a run of tokens, and whether it has a signed 64-bit one.
    fn types_in(&self, t: &[SourceWord<'t>]) -> (Widths, bool) {
        let mut w = Widths::default();
        let mut signed = false;
        for (i, x) in t.iter().enumerate() {
            if let Some(d) = self.doubtful.get(x) {
                w = w.with(*d);
            }
            if matches!(*x, "auto" | "decltype" | "typeof" | "__typeof__")
                || self.parameters.contains(x) && self.unsigned_arguments
                || *x == "<" && angle(t, i).is_some_and(|a| a.contains(&"unsigned"))
            {
                w = Widths::ALL;
            }
            signed |= self.is_signed_64(x)
                || *x == "long" && signed_long(t, i)
                || matches!(*x, "auto" | "decltype" | "typeof" | "__typeof__")
                || self.parameters.contains(x);
        }
        (w, signed)
    }

    /// Reads a declaration outside functions.
    fn statement(&mut self, t: &[SourceWord<'t>]) {
        let t = &without_attributes(t);
        self.parameters_of(t);
        let is_type = t.contains(&"typedef") || t.first() == Some(&"using") || t.contains(&"using") && t.contains(&"=");
        let (mut widths, signed) = self.types_in(t);
        if is_type {
            if t.contains(&"unsigned") {
                widths = Widths::ALL;
            }
            // `using NAME = …`, or the last word of a typedef.
            let name = match t.iter().position(|x| *x == "=") {
                Some(at) => t[..at].iter().rev().find(|x| is_word(x)),
                None => t.iter().rev().find(|x| is_word(x)),
            };
            self.declare(name.copied(), widths, signed);
            return;
        }
        // The words before the declared name.
        let ends = |i: usize, x: &str| match x {
            // `a::b` continues.
            ":" => t.get(i + 1) != Some(&":") && t[..i].last() != Some(&":"),
            _ => matches!(x, "=" | "(" | "[" | "{"),
        };
        let opened = |x: &str| i32::from(matches!(x, "(" | "["));
        let stop = depths(t).find(|(i, x, depth)| depth - opened(x) == 0 && ends(*i, x)).map_or(t.len(), |d| d.0);
        let mut names: Vec<&'t str> = t[..stop].iter().rev().find(|x| is_word(x)).copied().into_iter().collect();
        let next = |i: usize| {
            t[i + 1..].iter().find(|x| is_word(x) && !matches!(**x, "const" | "__restrict__" | "volatile")).copied()
        };
        let mut depth = 0i32;
        for (i, x) in t.iter().enumerate() {
            match *x {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth -= 1,
                "," if depth == 0 => names.extend(next(i)),
                "*" | "&" if i < stop => names.extend(next(i)),
                _ => {}
            }
        }
        let (own, _) = self.types_in(&t[..stop]);
        // A pointer to a function: every name in it counts.
        if t.get(stop) == Some(&"(") {
            if t.get(stop + 1) == Some(&"*") {
                let (w, s) = self.types_in(t);
                t.iter().filter(|x| is_word(x)).for_each(|n| self.declare(Some(*n), w, s));
                return;
            }
            // A template's return type follows from the arguments in the callee's symbol.
            let head: Vec<&str> = t[..stop].iter().filter(|x| !self.parameters.contains(*x)).copied().collect();
            let (w, s) = self.types_in(&head[..head.len().saturating_sub(1)]);
            names.truncate(1);
            names.into_iter().for_each(|n| self.declare(Some(n), w, s));
            return;
        }
        names.into_iter().for_each(|n| self.declare(Some(n), own, signed));
    }

    fn declare(&mut self, name: Option<&'t str>, widths: Widths, signed: bool) {
        let Some(name) = name else { return };
        self.declared.insert(name);
        if widths != Widths::default() {
            self.taint(name, widths);
        }
        if signed {
            self.signed_64.insert(name);
        }
    }

    /// Whether a function of this name is defined.
    pub fn defines(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Returns facts from the text of the functions with a name; from all text if there are none.
    pub fn function_words(&self, name: &str) -> TextSigns<'t> {
        let found = self.functions.get(name).filter(|_| !self.broken);
        let texts: &[Vec<SourceWord<'t>>] = found.map_or(std::slice::from_ref(&self.all), Vec::as_slice);
        let mut out = TextSigns { doubtful: BTreeMap::new(), signed_64: false };
        for t in texts {
            for (i, x) in t.iter().enumerate() {
                let mut w = self.doubtful.get(x).copied().unwrap_or_default();
                let next = t.get(i + 1).copied().unwrap_or_default();
                if SIZES.contains(x) && next == "(" {
                    w = w.with(Widths::of(64));
                }
                if matches!(*x, "auto" | "decltype" | "typeof" | "__typeof__")
                    || *x == "<" && angle(t, i).is_some_and(|a| a.contains(&"unsigned"))
                    || (*x == "typedef" || *x == "using" && t.get(i + 2) == Some(&"=")) && t.contains(&"unsigned")
                    || *x == "typename" && t.get(i + 2) == Some(&":")
                    || *x == "enum"
                    || self.parameters.contains(x) && self.unsigned_arguments
                {
                    w = Widths::ALL;
                }
                if w != Widths::default() {
                    let word: &'t str = if *x == "<" { "unsigned" } else { x };
                    let e = out.doubtful.entry(word).or_default();
                    *e = e.with(w);
                }
                let member = matches!(*x, ".") || *x == ">" && i > 0 && t[i - 1] == "-";
                out.signed_64 |= self.is_signed_64(x)
                    || *x == "long" && signed_long(t, i)
                    || self.parameters.contains(x)
                    || matches!(*x, "auto" | "decltype" | "typeof" | "__typeof__" | "signed" | "typedef" | "using" | "enum")
                    // A member of a structure that the user's files do not declare.
                    || member && is_word(next) && t.get(i + 2) != Some(&"(") && !matches!(next, "x" | "y" | "z" | "w")
                        && !self.declared.contains(next);
            }
        }
        out
    }
}

/// Facts about signedness in a function's text.
#[derive(Debug)]
pub(super) struct TextSigns<'t> {
    /// Words that cgeist may wrongly take for signed, with widths.
    pub doubtful: BTreeMap<&'t str, Widths>,
    /// True where the text may contain a signed 64-bit integer.
    pub signed_64: bool,
}

impl TextSigns<'_> {
    pub fn word(&self, bits: u32) -> Option<&str> {
        self.doubtful.iter().find(|(_, w)| w.has(bits)).map(|(n, _)| *n)
    }
}
