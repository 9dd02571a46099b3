//! Words of a source, and the brackets around them.

/// A word, a number or one other character.
pub(super) type SourceWord<'t> = &'t str;

pub(super) fn tokens(text: &str) -> Vec<SourceWord<'_>> {
    let mut out = vec![];
    let mut rest = text.trim_start();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(c) = rest.chars().next() {
        let n = if part(c) { rest.find(|c| !part(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        out.push(&rest[..n]);
        rest = rest[n..].trim_start();
    }
    out
}

pub(super) fn is_word(t: &str) -> bool {
    t.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns the index of the bracket that closes the one at `at`; the end if none does.
pub(super) fn closing(t: &[SourceWord<'_>], at: usize) -> usize {
    let mut depth = 0usize;
    for (i, x) in t.iter().enumerate().skip(at) {
        match *x {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    t.len()
}

/// Returns the arguments of a template that opens at `at`; `None` if it is a comparison.
pub(super) fn angle<'a, 't>(t: &'a [SourceWord<'t>], at: usize) -> Option<&'a [SourceWord<'t>]> {
    let mut depth = 0;
    for (i, x) in t.iter().enumerate().skip(at).take(96) {
        match *x {
            "<" => depth += 1,
            ">" => depth -= 1,
            ":" | "," | "*" | "&" | "." => {}
            x if x.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(&t[at + 1..i]);
        }
    }
    None
}

/// Strips `__launch_bounds__(256)` and similar attributes from a declaration.
pub(super) fn without_attributes<'t>(t: &[SourceWord<'t>]) -> Vec<SourceWord<'t>> {
    const WITH_ARGUMENTS: [&str; 6] =
        ["__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__align__", "__attribute__", "alignas"];
    let (mut out, mut i) = (vec![], 0);
    while i < t.len() {
        if WITH_ARGUMENTS.contains(&t[i]) && t.get(i + 1) == Some(&"(") {
            i = closing(t, i + 1);
        } else {
            out.push(t[i]);
        }
        i += 1;
    }
    out
}

/// Iterates over the words before an opening brace, each with the number of open brackets around it.
pub(super) fn depths<'a, 't>(head: &'a [SourceWord<'t>]) -> impl Iterator<Item = (usize, SourceWord<'t>, i32)> + 'a {
    let mut depth = 0i32;
    head.iter().enumerate().map(move |(i, x)| {
        match *x {
            "(" | "[" | "<" => depth += 1,
            ")" | "]" | ">" => depth -= 1,
            _ => {}
        }
        (i, *x, depth)
    })
}

/// Whether a brace after these words opens a class: they name one, and no parameter list precedes the brace.
pub(super) fn is_class(head: &[SourceWord<'_>]) -> bool {
    const BEHIND_PARAMETERS: [&str; 7] = [")", "const", "noexcept", "override", "volatile", "mutable", "try"];
    let parameters = match head {
        [.., ")", "final"] => true,
        [.., "final"] => false,
        [.., last] => BEHIND_PARAMETERS.contains(last),
        [] => true,
    };
    !parameters
        && !head.contains(&"enum")
        && depths(head).any(|(_, x, depth)| depth == 0 && matches!(x, "struct" | "class" | "union"))
}

/// Whether a value is assigned outside brackets: `auto f = [](int a) {`, not `void f(int a = 3) {`.
pub(super) fn is_assigned(head: &[SourceWord<'_>]) -> bool {
    depths(head).any(|(i, x, depth)| {
        x == "="
            && depth == 0
            && i > 0
            && !matches!(head[i - 1], "operator" | "=" | "!" | "<" | ">" | "+" | "-" | "*" | "/")
    })
}

/// Whether the run of words around this one, which form the name of a built-in integer type, lacks `unsigned`.
pub(super) fn signed_long(t: &[SourceWord<'_>], at: usize) -> bool {
    let part = |x: &&str| matches!(*x, "long" | "int" | "unsigned" | "signed" | "const");
    let behind = t[at..].iter().take_while(|x| part(x));
    let before = t[..at].iter().rev().take_while(|x| part(x));
    !behind.chain(before).any(|x| *x == "unsigned")
}
