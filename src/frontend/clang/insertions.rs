//! Tokens that nvcc does without and clang wants, put in at the places of clang's errors:
//!
//! - the type of a braced list in a launch configuration (`<<<n, {32, 1, 1}>>>`; CUDA C++ Programming Guide 13.0,
//!   "Execution Configuration": `dim3`, `dim3`, `size_t`, `cudaStream_t`);
//! - `template` before a member template that a dependent type qualifies (`A<T>::f<n>(x)`);
//! - the name of the only function among the candidates of an operator that the standard calls ambiguous. nvcc 13.0 and
//!   GCC 12 choose it before built-in operators, for its worst conversion is a standard one and theirs a user's.
//! - a function around an object that device code passes through `...` and whose copy constructor is not trivial. nvcc
//!   13.5 passes its bytes (its warning 1290).
//! - `__host__ __device__` in a declaration that repeats one with other attributes. nvcc 13.0 takes the function for one
//!   of both sides (its warnings 20037 and 20040).
//! - `__host__ __device__` in a function template and in its specialisation with other attributes, which is none of that
//!   template to clang. nvcc 13.5 takes it for one.
//! - `__host__ __device__` on the host side, where a macro makes functions those of the device only as long as
//!   `__CUDA_ARCH__` is defined: the bodies of kernels that call them have no code there.
//! - nothing in place of `__restrict__` at a type that is neither a pointer nor a reference. nvcc 13.5 ignores it at named
//!   types (`__restrict__ uint8_t a[4]`).
//! - another name in a declaration of a built-in variable (`extern const dim3 blockDim;`), which clang gives a type of
//!   its own.
//!
//! In: a source, clang's messages with their ranges. Out: what to insert or overwrite, by offset.

use super::positions::{SourcePosition, offset, place};
use super::source_overlay::{is_word, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// clang's messages (clang/Basic/DiagnosticParseKinds.td and DiagnosticSemaKinds.td, LLVM 22).
pub(super) const TEMPLATE: &str = "error: missing 'template' keyword prior to dependent template name";
const AMBIGUOUS: &str = "error: use of overloaded operator '";
const CANDIDATE: &str = "note: candidate function";
const PASSED: &str = ": error: cannot pass object of non-trivial type '";
const PREVIOUS: &str = ": note: previous declaration is here";
const RESTRICT: &str = ": error: restrict requires a pointer or reference (";
const SPECIALISED: &str = ": error: no function template matches function template specialization '";
const OTHER_ATTRIBUTES: &str = ": note: candidate template ignored: target attributes do not match";

/// Variables that clang declares with types of its own (clang/lib/Headers/__clang_cuda_builtin_vars.h, LLVM 22).
const BUILT_IN: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// Types of the arguments of a launch configuration.
const CONFIGURATION: [&str; 4] = ["dim3", "dim3", "size_t", "cudaStream_t"];

/// An operator whose candidates clang cannot tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AmbiguousOperator {
    pub symbol: String,
    pub at: SourcePosition,
    /// Begins and ends (exclusive) of the operands.
    pub operands: [(SourcePosition, SourcePosition); 2],
    /// File and position of the only candidate with a name.
    pub candidate: (PathBuf, SourcePosition),
    /// Whether the candidate is a member of the first operand's class.
    pub is_member: bool,
}

/// Text to put at an offset, in place of as many bytes as `over` says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TokenInsertion {
    offset: usize,
    over: usize,
    text: String,
}

impl TokenInsertion {
    pub(super) fn before(offset: usize, text: String) -> Self {
        Self { offset, over: 0, text }
    }
}

/// Removes the ranges that `-fdiagnostics-print-source-range-info` puts behind positions: `a.cu:8:64:{8:62-8:63}: error`.
pub(super) fn without_ranges(messages: &str) -> String {
    let mut out = String::with_capacity(messages.len());
    for line in messages.split_inclusive('\n') {
        match ranges(line) {
            Some((before, _, after)) => out.extend([before, after]),
            None => out.push_str(line),
        }
    }
    out
}

/// Splits a message into its position, its ranges and what follows.
fn ranges(line: &str) -> Option<(&str, &str, &str)> {
    let from = line.find(":{").filter(|at| line[..*at].ends_with(|c: char| c.is_ascii_digit()))? + 1;
    let length = line[from..].find(|c: char| !matches!(c, '{' | '}' | '0'..='9' | ':' | '-'))?;
    let end = from + line[from..from + length].rfind('}')? + 1;
    line[end..].starts_with(": ").then(|| (&line[..from - 1], &line[from..end], &line[end..]))
}

/// Returns the ambiguous operators of two operands that have one candidate other than built-in ones, by file.
/// `is_member` is not known yet.
pub(super) fn ambiguous(messages: &str) -> Vec<(PathBuf, AmbiguousOperator)> {
    let lines: Vec<&str> = messages.lines().collect();
    let mut found = vec![];
    for (i, line) in lines.iter().enumerate() {
        let Some((before, spans, after)) = ranges(line) else { continue };
        let symbol = after.strip_prefix(": ").and_then(|m| m.strip_prefix(AMBIGUOUS)).and_then(|m| m.split_once('\''));
        let Some((symbol, _)) = symbol.filter(|(_, rest)| rest.starts_with(" is ambiguous")) else { continue };
        let Some((file, at)) = position(before) else { continue };
        let operands: Option<Vec<_>> = spans.trim_matches(['{', '}']).split("}{").map(span).collect();
        let Some(Ok(operands)) = operands.map(<[_; 2]>::try_from) else { continue };
        let notes = lines[i + 1..].iter().take_while(|l| !l.contains(" error: ") && !l.contains(" warning: "));
        let named: Vec<&str> = notes.filter_map(|l| Some(l.split_once(&format!(": {CANDIDATE}"))?.0)).collect();
        let [candidate] = named.as_slice() else { continue };
        let Some(candidate) = position(ranges(candidate).map_or(candidate, |(before, ..)| before)) else { continue };
        let operator = AmbiguousOperator { symbol: symbol.to_owned(), at, operands, candidate, is_member: false };
        found.push((file, operator));
    }
    found
}

/// Returns the positions of objects that are passed through an ellipsis, by file.
pub(super) fn passed(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    messages.lines().filter_map(|line| position(&line[..line.find(PASSED)?])).collect()
}

/// Returns the insertions of compat.h's function around the arguments that begin at these positions.
pub(super) fn as_bytes(source: &[u8], objects: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let mut out = vec![];
    for from in objects.iter().filter_map(|p| offset(source, *p)) {
        let begins = source[..from].trim_ascii_end().last().is_some_and(|b| matches!(b, b'(' | b','));
        let Some(to) = argument_end(source, from).filter(|_| begins) else { continue };
        out.push(TokenInsertion { offset: from, over: 0, text: "scuba_passed(".to_owned() });
        out.push(TokenInsertion { offset: to, over: 0, text: ")".to_owned() });
    }
    out
}

/// Returns where the argument of a call ends that begins at an offset.
fn argument_end(source: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    while at < source.len() {
        let skipped = skip_text(source, at);
        if skipped > at {
            at = skipped;
            continue;
        }
        match source[at] {
            b')' | b',' if depth == 0 => return Some(at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b';' if depth == 0 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the positions of names that are declared without attributes, and for both sides by another declaration of the
/// same function.
pub(super) fn redeclared(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let mut found = vec![];
    let mut lines = messages.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((before, message)) = line.split_once(": error: ") else { continue };
        let Some((this, other)) = message.split_once(" cannot overload ") else { continue };
        let is = |text: &str, attributes: &str| text.starts_with(&format!("{attributes} function '"));
        if is(this, "__host__") && is(other, "__host__ __device__") {
            found.extend(position(before));
        } else if is(this, "__host__ __device__") && is(other, "__host__") {
            found.extend(lines.peek().and_then(|l| position(l.strip_suffix(PREVIOUS)?)));
        }
    }
    found
}

/// Returns the positions of `__restrict__` where it has no meaning.
pub(super) fn restricted(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    messages.lines().filter_map(|line| position(line.split_once(RESTRICT)?.0)).collect()
}

/// Returns the insertions of blanks over the words at these positions that say `__restrict__`.
pub(super) fn unrestricted(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let blank = |offset: usize| {
        let over = source[offset..].iter().take_while(|b| is_word(**b)).count();
        let is_one = matches!(&source[offset..offset + over], b"__restrict__" | b"__restrict" | b"restrict");
        is_one.then(|| TokenInsertion { offset, over, text: " ".repeat(over) })
    };
    places.iter().filter_map(|p| offset(source, *p)).filter_map(blank).collect()
}

/// Returns the positions of specialisations of function templates with other attributes than the templates, and of
/// these templates.
pub(super) fn specialised(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let (mut found, mut open) = (vec![], None);
    for line in messages.lines() {
        if let Some((before, _)) = line.split_once(SPECIALISED) {
            open = position(before);
        } else if line.contains(": error: ") || line.contains(": warning: ") {
            open = None;
        } else if let (Some(specialisation), Some(before)) = (&open, line.strip_suffix(OTHER_ATTRIBUTES)) {
            found.push(specialisation.clone());
            found.extend(position(before));
        }
    }
    found
}

/// Returns the positions of built-in variables (CUDA C++ Programming Guide 13.0, "Built-in Variables") that the source
/// declares.
pub(super) fn built_in(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let is_one = |message: &str| {
        let name = message.strip_prefix("redeclaration of '").and_then(|m| m.split_once("' with a different type: "));
        name.is_some_and(|(name, _)| BUILT_IN.contains(&name))
    };
    let errors = messages.lines().filter_map(|line| line.split_once(": error: "));
    errors.filter(|(_, message)| is_one(message)).filter_map(|(before, _)| position(before)).collect()
}

/// Returns the insertions that rename the variables at these positions.
pub(super) fn renamed(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let at = places.iter().filter_map(|p| offset(source, *p));
    let names = at.filter(|at| source.get(*at).is_some_and(|b| is_word(*b)));
    names.map(|offset| TokenInsertion { offset, over: 0, text: "scuba_declared_".to_owned() }).collect()
}

/// Returns the positions of host functions that kernels and device functions call.
pub(super) fn one_sided(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let is_one = |line: &&str| {
        let call = line.split_once(" not viable: call to ").filter(|(before, _)| before.contains(": note: candidate "));
        let is_call = |call: &str| {
            let callers = ["__global__ function", "__device__ function"];
            call.trim_end().strip_prefix("__host__ function from ").is_some_and(|caller| callers.contains(&caller))
        };
        call.is_some_and(|(before, call)| is_call(call) && !before.contains("(the implicit "))
    };
    messages.lines().filter(is_one).filter_map(position).collect()
}

/// Returns the insertions of attributes before the names at these positions and what qualifies them. Arguments of macros
/// (`DECLARE(int, f)`) get none: a macro may paste tokens to them.
pub(super) fn attributes(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let is_name = |at: &usize| source.get(*at).is_some_and(|b| is_word(*b));
    let names = places.iter().filter_map(|p| offset(source, *p)).filter(is_name).map(|at| qualifiers(source, at));
    let is_declared =
        |at: &usize| !source[..*at].trim_ascii_end().ends_with(b"(") && !source[..*at].trim_ascii_end().ends_with(b",");
    names.filter(is_declared).map(|at| TokenInsertion::before(at, "__host__ __device__ ".to_owned())).collect()
}

/// Returns where the qualifiers of a name begin (`A<T>::B::`); the name itself without any.
fn qualifiers(source: &[u8], name: usize) -> usize {
    let mut at = name;
    while let Some(before) = source[..at].trim_ascii_end().strip_suffix(b"::") {
        let mut rest = before.trim_ascii_end();
        let mut depth = 0_usize;
        while let Some((last, shorter)) = rest.split_last() {
            match last {
                b'>' => depth += 1,
                b'<' if depth > 0 => depth -= 1,
                b if depth == 0 && !is_word(*b) => break,
                _ => {}
            }
            rest = shorter;
        }
        at = rest.len();
    }
    at
}

fn position(text: &str) -> Option<(PathBuf, SourcePosition)> {
    place(text).map(|(file, line, column)| (file.to_owned(), (line, column)))
}

/// Parses `8:62-8:63`.
fn span(text: &str) -> Option<(SourcePosition, SourcePosition)> {
    let of = |text: &str| {
        let (line, column) = text.split_once(':')?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    let (from, to) = text.split_once('-')?;
    Some((of(from)?, of(to)?))
}

/// Number of parameters of the operator that is declared at a position.
pub(super) fn parameters(source: &[u8], at: SourcePosition, symbol: &str) -> Option<usize> {
    let at = offset(source, at)?;
    let rest = source[at..].strip_prefix(b"operator")?.trim_ascii_start();
    let rest = rest.strip_prefix(symbol.as_bytes())?.trim_ascii_start().strip_prefix(b"(")?;
    let (mut i, mut depth, mut commas) = (0, 0_usize, 0);
    while i < rest.len() {
        let skipped = skip_text(rest, i);
        if skipped > i {
            i = skipped;
            continue;
        }
        match rest[i] {
            b')' if depth == 0 => return Some(commas + usize::from(!rest[..i].trim_ascii().is_empty())),
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => commas += 1,
            _ => {}
        }
        i += 1;
    }
    None
}

/// Returns the insertions that name the candidates of operators.
pub(super) fn named(source: &[u8], operators: &BTreeSet<AmbiguousOperator>) -> Vec<TokenInsertion> {
    let mut out = vec![];
    for o in operators {
        let [(from, left_end), (right, to)] = o.operands;
        let places = [from, left_end, o.at, right, to].map(|p| offset(source, p));
        let [Some(from), Some(left_end), Some(at), Some(right), Some(to)] = places else { continue };
        let between = |a: usize, b: usize| source.get(a..b).is_some_and(|s| s.trim_ascii().is_empty());
        let length = o.symbol.len();
        // Operands and operator as they are written: none of them comes from a macro.
        let is_written = source[at..].starts_with(o.symbol.as_bytes())
            && from < left_end
            && right < to
            && between(left_end, at)
            && between(at + length, right);
        if !is_written {
            continue;
        }
        let (before, instead) = if o.is_member {
            ("(".to_owned(), format!(").operator{}(", o.symbol))
        } else {
            (format!("operator{}(", o.symbol), ",".to_owned())
        };
        out.push(TokenInsertion { offset: from, over: 0, text: before });
        out.push(TokenInsertion { offset: at, over: length, text: instead });
        out.push(TokenInsertion { offset: to, over: 0, text: ")".to_owned() });
    }
    out
}

/// Returns the insertions of `template` before names that follow the qualifiers at these positions.
pub(super) fn templates(source: &[u8], places: &BTreeSet<(SourcePosition, String)>) -> Vec<TokenInsertion> {
    let mut out = vec![];
    for (at, name) in places {
        let Some(from) = offset(source, *at) else { continue };
        let end = source[from..].iter().position(|b| *b == b';').map_or(source.len(), |n| from + n);
        let is_name = |at: &usize| {
            let rest = &source[*at..end];
            rest.starts_with(name.as_bytes())
                && rest[name.len()..].trim_ascii_start().starts_with(b"<")
                && source[from..*at].trim_ascii_end().ends_with(b"::")
        };
        let found = (from..end).find(is_name);
        out.extend(found.map(|offset| TokenInsertion { offset, over: 0, text: "template ".to_owned() }));
    }
    out.sort();
    out.dedup();
    out
}

/// Returns the insertions of types before the braced lists at these positions that are arguments of a launch
/// configuration.
pub(super) fn configurations(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let mut out = vec![];
    for offset in places.iter().filter_map(|p| offset(source, *p)).filter(|at| source.get(*at) == Some(&b'{')) {
        out.extend(lists(source, offset));
    }
    out.sort();
    out.dedup();
    out
}

/// Returns the insertions for all braced lists of the launch configuration that the list at `list` belongs to.
fn lists(source: &[u8], list: usize) -> Vec<TokenInsertion> {
    let start = source[..list].windows(3).rposition(|w| w == b"<<<").map(|at| at + 3);
    let Some(start) = start else { return vec![] };
    let (mut at, mut depth, mut argument, mut out) = (start, 0_usize, 0, vec![]);
    let mut is_first = true;
    while at < source.len() {
        let skipped = skip_text(source, at);
        if skipped > at {
            at = skipped;
            continue;
        }
        match source[at] {
            b'{' if depth == 0 && is_first => {
                let Some(ty) = CONFIGURATION.get(argument) else { return vec![] };
                out.push(TokenInsertion { offset: at, over: 0, text: (*ty).to_owned() });
                depth += 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return vec![],
            },
            b',' if depth == 0 => argument += 1,
            b'>' if depth == 0 && source[at..].starts_with(b">>>") => {
                return if at > list { out } else { vec![] };
            }
            b';' => return vec![],
            _ => {}
        }
        if !source[at].is_ascii_whitespace() {
            is_first = depth == 0 && source[at] == b',';
        }
        at += 1;
    }
    vec![]
}

/// Applies insertions. Positions of what follows on the line move; lines do not.
pub(super) fn inserted(source: &[u8], mut all: Vec<TokenInsertion>) -> Vec<u8> {
    all.sort();
    let mut out = Vec::with_capacity(source.len() + 64);
    let mut copied = 0;
    for TokenInsertion { offset, over, text } in all {
        if offset < copied {
            continue;
        }
        out.extend_from_slice(&source[copied..offset]);
        out.extend_from_slice(text.as_bytes());
        copied = offset + over;
    }
    out.extend_from_slice(&source[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "b.cu:8:64:{8:62-8:63}{8:66-8:67}: error: use of overloaded operator '%' is ambiguous (with operand types 'long' and 'F')\n\
                           b.cu:8:64: note: built-in candidate operator%(long, int)\nc.h:1:17: note: candidate function\n";

    #[test]
    fn messages_are_the_same_without_ranges() {
        let plain = without_ranges(MESSAGE);
        assert!(plain.starts_with("b.cu:8:64: error: use of overloaded operator '%' is ambiguous"), "{plain}");
        for other in ["a.cu:1:2: error: expected '{'\n", "a:{b: error: c", "a.cu:3:4: note: {5:6-5:7}: x", "x"] {
            assert_eq!(without_ranges(other), other);
        }
    }

    #[test]
    fn an_operator_with_one_candidate_is_called_by_name() {
        let [(file, operator)] = ambiguous(MESSAGE).try_into().unwrap();
        assert_eq!((file, &operator.candidate), (PathBuf::from("b.cu"), &(PathBuf::from("c.h"), (1, 17))));
        let source = "\n\n\n\n\n\n\n__global__ void k(int *x, long t, F f) { int const i = 1 + /* 8*/ t % f; }";
        assert_eq!(source.lines().nth(7).unwrap().find("t %").map(|at| at + 1), Some(67));
        let at = |column| AmbiguousOperator {
            at: (8, column + 2),
            operands: [((8, column), (8, column + 1)), ((8, column + 4), (8, column + 5))],
            ..operator.clone()
        };
        let with = |o: AmbiguousOperator| {
            String::from_utf8(inserted(source.as_bytes(), named(source.as_bytes(), &BTreeSet::from([o])))).unwrap()
        };
        assert!(with(at(67)).ends_with("/* 8*/ operator%(t , f); }"));
        assert!(with(AmbiguousOperator { is_member: true, ..at(67) }).ends_with("/* 8*/ (t ).operator%( f); }"));
        // Elsewhere stands no operator: it comes from a macro.
        assert_eq!(with(at(66)), source);
        let two = format!("{MESSAGE}d.h:3:1: note: candidate function [with T = int]\n");
        assert_eq!(ambiguous(&two), []);
        assert_eq!(
            ambiguous(
                "b.cu:8:64: error: use of overloaded operator '%' is ambiguous\nc.h:1:17: note: candidate function\n"
            ),
            []
        );
    }

    #[test]
    fn parameters_of_operators_are_counted() {
        assert_eq!(parameters(b"int operator % (int n, F const &f);", (1, 5), "%"), Some(2));
        assert_eq!(parameters(b"int operator<(P<int, 2> n) const;", (1, 5), "<"), Some(1));
        assert_eq!(parameters(b"int operator-() const;", (1, 5), "-"), Some(0));
        assert_eq!(parameters(b"BINARY(%)", (1, 1), "%"), None);
    }

    fn with(s: &str, at: (usize, usize), find: fn(&[u8], &BTreeSet<SourcePosition>) -> Vec<TokenInsertion>) -> String {
        String::from_utf8(inserted(s.as_bytes(), find(s.as_bytes(), &BTreeSet::from([at])))).unwrap()
    }

    #[test]
    fn lists_of_launches_get_their_types() {
        assert_eq!(with("k<<<n, {32, 1}>>>(p);", (1, 8), configurations), "k<<<n, dim3{32, 1}>>>(p);");
        assert_eq!(
            with("\nk<<<{f(1, 2)}, {3}, {4}>>>(p);", (2, 5), configurations),
            "\nk<<<dim3{f(1, 2)}, dim3{3}, size_t{4}>>>(p);"
        );
        assert_eq!(with("k<<<n, dim3{32}, {}>>>(p);", (1, 18), configurations), "k<<<n, dim3{32}, size_t{}>>>(p);");
        for other in ["x = {1};", "a <<< b; f({1});", "k<<<1, 2>>>({3});"] {
            let at = other.find('{').unwrap() + 1;
            assert_eq!(with(other, (1, at), configurations), other);
        }
    }

    #[test]
    fn functions_are_of_both_sides_in_each_declaration() {
        let messages = "a.cu:4:8: error: __host__ function 'b' cannot overload __host__ __device__ function 'b'\n\
                        a.h:3:28: note: previous declaration is here\n\
                        a.cu:11:27: error: __host__ __device__ function 'g' cannot overload __host__ function 'g'\n\
                        b.h:10:7: note: previous declaration is here\n\
                        a.cu:5:1: error: __device__ function 'h' cannot overload __host__ function 'h'\n";
        assert_eq!(redeclared(messages), [(PathBuf::from("a.cu"), (4, 8)), (PathBuf::from("b.h"), (10, 7))]);
        let inserted_at = |s: &str, column| with(s, (1, column), attributes);
        assert_eq!(inserted_at("inline float *f(T x);", 15), "inline float *__host__ __device__ f(T x);");
        assert_eq!(inserted_at("T A<B<int>>::c::f(T x)", 17), "T __host__ __device__ A<B<int>>::c::f(T x)");
        assert_eq!(inserted_at("A::operator int()", 4), "__host__ __device__ A::operator int()");
        for (other, column) in [("T(x)", 2), ("DECLARE(int, f)", 14), ("DECLARE(f, int)", 9)] {
            assert_eq!(inserted_at(other, column), other);
        }
    }

    #[test]
    fn words_without_meaning_are_blanked() {
        let message = "a.cu:1:7: error: restrict requires a pointer or reference ('char' is invalid)\n";
        assert_eq!(restricted(message), [(PathBuf::from("a.cu"), (1, 7))]);
        assert_eq!(with("const __restrict__ char a[2]", (1, 7), unrestricted), "const              char a[2]");
        assert_eq!(with("const RESTRICTED char a[2]", (1, 7), unrestricted), "const RESTRICTED char a[2]");
    }

    #[test]
    fn specialisations_are_found_with_their_templates() {
        let messages = "a.cu:4:30: error: no function template matches function template specialization 'g'\n\
                        a.cu:2:9: note: candidate template ignored: could not match 'int' against 'float'\n\
                        a.h:3:42: note: candidate template ignored: target attributes do not match\n\
                        a.cu:6:1: error: no function template matches function template specialization 'f'\n\
                        a.cu:7:1: error: no matching function for call to 'h'\n\
                        a.h:9:1: note: candidate template ignored: target attributes do not match\n";
        assert_eq!(specialised(messages), [(PathBuf::from("a.cu"), (4, 30)), (PathBuf::from("a.h"), (3, 42))]);
    }

    #[test]
    fn functions_that_the_other_side_calls_are_found() {
        let host = "a.h:3:7: note: candidate function not viable: call to __host__ function from __global__ function\n";
        let device =
            "a.h:5:9: note: candidate constructor not viable: call to __device__ function from __host__ function\n";
        let implicit = "a.h:6:9: note: candidate constructor (the implicit copy constructor) not viable: call to __host__ function from __global__ function\n";
        assert_eq!(one_sided(&format!("{host}{device}{implicit}")), [(PathBuf::from("a.h"), (3, 7))]);
    }

    #[test]
    fn objects_are_passed_by_their_bytes() {
        let message =
            "a.cu:4:7: error: cannot pass object of non-trivial type 'N' through variadic function; call will abort\n";
        assert_eq!(passed(message), [(PathBuf::from("a.cu"), (4, 7))]);
        assert_eq!(passed("a.cu:4:7: error: cannot pass"), []);
        assert_eq!(with("f(1, n[g(2, 3)], 4);", (1, 6), as_bytes), "f(1, scuba_passed(n[g(2, 3)]), 4);");
        assert_eq!(with("f(a + \")\");", (1, 3), as_bytes), "f(scuba_passed(a + \")\"));");
        for other in ["g; F(n);", "f(a;"] {
            assert_eq!(with(other, (1, if other.starts_with('g') { 4 } else { 3 }), as_bytes), other);
        }
    }

    #[test]
    fn dependent_names_get_their_keyword() {
        let with = |s: &str, column: usize| {
            let places = BTreeSet::from([((1, column), "b".to_owned())]);
            String::from_utf8(inserted(s.as_bytes(), templates(s.as_bytes(), &places))).unwrap()
        };
        assert_eq!(with("a<T>::b<n>(c);", 1), "a<T>::template b<n>(c);");
        assert_eq!(with("x = b(1) + b<T>::c:: b <n>(b<2>());", 12), "x = b(1) + b<T>::c:: template b <n>(b<2>());");
        for other in ["MACRO(b<n>(c));", "a<T>::b(c); a::b<n>(c);"] {
            assert_eq!(with(other, 1), other);
        }
    }
}
