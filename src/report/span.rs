//! Maps a line and column to the text that an excerpt underlines.
//!
//! Debug information gives the start of an expression, or of its operator: clang locates the store of `a[i] = x` at the
//! `=`. Users look for `a[i]`.

use std::ops::Range;

/// Returns the byte range within `line` of the expression at `column` (1-based, in bytes; 0: unknown): a name with the
/// subscripts, members, launch configuration and arguments after it. `array` is the name that the access uses, if any:
/// at an operator, the nearest expression before it that mentions this name is chosen.
#[must_use]
pub fn expression(line: &str, column: u32, array: Option<&str>) -> Range<usize> {
    let indent = line.len() - line.trim_start().len();
    let whole = indent..line.trim_end().len().max(indent);
    let Some(at) = usize::try_from(column)
        .ok()
        .and_then(|c| c.checked_sub(1))
        .filter(|c| *c < line.len() && line.is_char_boundary(*c))
    else {
        return whole;
    };
    let bytes = line.as_bytes();
    if is_name(bytes[at]) {
        return at..postfix_end(bytes, at);
    }
    if matches!(bytes[at], b'=' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>') {
        if let Some(found) = array.and_then(|a| last_mention(line, a, at)) {
            return found;
        }
        // `*p = x` and `*p`: the dereference itself.
        if bytes[at] == b'*' && bytes.get(at + 1).is_some_and(|b| is_name(*b) || *b == b'(') {
            return at..postfix_end(bytes, at + 1);
        }
    }
    if matches!(bytes[at], b'(' | b'[') {
        return at..postfix_end(bytes, at);
    }
    let end = (at + 1..=line.len()).find(|e| line.is_char_boundary(*e)).unwrap_or(line.len());
    at..end
}

/// Returns the last expression that starts with `name` and begins before `before`, but not inside another's subscript.
fn last_mention(line: &str, name: &str, before: usize) -> Option<Range<usize>> {
    // An access through `p->data` or `s.x[1]` is recognised by its first name.
    let first: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if first.is_empty() {
        return None;
    }
    let bytes = line.as_bytes();
    line.match_indices(&first)
        .map(|(at, _)| at)
        .filter(|&at| {
            at < before
                && (at == 0 || !is_name(bytes[at - 1]))
                && bytes.get(at + first.len()).is_none_or(|b| !is_name(*b))
        })
        .map(|at| dereference(bytes, at).unwrap_or(at..postfix_end(bytes, at)))
        .reduce(|outer, next| if next.start < outer.end { outer } else { next })
}

/// Returns the range of `*p` or `*(p + i)` around the name at `at`.
fn dereference(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let star = (0..at).rev().find(|i| !matches!(bytes[*i], b'(' | b' '))?;
    if bytes[star] != b'*' {
        return None;
    }
    // After an operand the star multiplies.
    let before = bytes[..star].iter().rev().find(|b| !b.is_ascii_whitespace());
    if before.is_some_and(|b| is_name(*b) || matches!(b, b')' | b']')) {
        return None;
    }
    Some(star..postfix_end(bytes, star + 1))
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// Returns the end of the name at `at` and of the bracketed groups and members after it; at most the end of the line.
fn postfix_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        while end < bytes.len() && is_name(bytes[end]) {
            end += 1;
        }
        let rest = &bytes[end..];
        if rest.starts_with(b"<<<") {
            end = rest.windows(3).position(|w| w == b">>>").map_or(bytes.len(), |p| end + p + 3);
        } else if matches!(rest.first(), Some(b'[' | b'(')) {
            end = group_end(bytes, end);
        } else if rest.starts_with(b"::") || rest.starts_with(b"->") {
            end += 2;
        } else if rest.first() == Some(&b'.') && rest.get(1).is_some_and(|b| is_name(*b)) {
            end += 1;
        } else {
            break;
        }
    }
    // A group that continues on the next line ends here, before trailing space.
    while end > at + 1 && bytes[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    end
}

/// Returns the end of the bracketed group that starts at `open`; the end of the line if it is not closed there.
fn group_end(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (i, b) in bytes.iter().enumerate().skip(open) {
        match b {
            b'[' | b'(' => depth += 1,
            b']' | b')' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::expression;

    fn text<'a>(line: &'a str, column: u32, array: Option<&str>) -> &'a str {
        &line[expression(line, column, array)]
    }

    #[test]
    fn the_expression_at_a_column_is_underlined() {
        assert_eq!(text("  a[i * (n + 1)] = b[i];", 3, Some("a")), "a[i * (n + 1)]");
        assert_eq!(text("  x = s.p->data[f(i)][j] + 1;", 7, Some("s.p->data")), "s.p->data[f(i)][j]");
        assert_eq!(
            text("  scale<<<(n + 255) / 256, 256>>>(a, n); // go", 3, None),
            "scale<<<(n + 255) / 256, 256>>>(a, n)"
        );
        assert_eq!(text("  cudaMalloc((void **)&a,", 3, None), "cudaMalloc((void **)&a,");
        assert_eq!(text("  *p = 1;", 3, Some("p")), "*p");
    }

    #[test]
    fn at_an_operator_the_access_before_it_is_meant() {
        assert_eq!(text("  a[i] = b[i];", 8, Some("a")), "a[i]");
        assert_eq!(text("  a[i] += a[j];", 8, Some("a")), "a[i]");
        assert_eq!(text("  a[i]++;", 7, Some("a")), "a[i]");
        assert_eq!(text("  *p = 1;", 6, Some("p")), "*p");
        assert_eq!(text("  *(p + i) = 1;", 12, Some("p")), "*(p + i)");
        assert_eq!(text("  x = 2 * p[i] = 1;", 16, Some("p")), "p[i]");
        assert_eq!(text("  if (x < s.w) s.p[s.h * s.w] = 1;", 31, Some("s.p")), "s.p[s.h * s.w]");
        assert_eq!(text("  p->x[i] = 1;", 11, Some("p->x")), "p->x[i]");
    }

    #[test]
    fn an_unknown_column_means_the_whole_line_and_no_column_panics() {
        assert_eq!(text("   foo(bar);  ", 0, None), "foo(bar);");
        assert_eq!(text("   foo(bar);  ", 99, None), "foo(bar);");
        for line in ["", "é[i] = 1;", "((((", "]]]]", "a)b(", "<<<"] {
            for column in 0..12 {
                let _ = text(line, column, Some("é"));
            }
        }
    }
}
