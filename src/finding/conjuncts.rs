//! Conditions that must all hold for a condition in contract syntax to hold.
//!
//! In: a condition. Out: conditions whose conjunction it is. Alternatives are distributed over the last of them, if that is
//! a conjunction: `a || b && c` is `a || b` and `a || c`.

/// Returns the conjuncts of a condition without quantifiers.
pub fn of(condition: &str) -> Vec<String> {
    let condition = unwrapped(condition);
    let alternatives = split(condition, " || ");
    let Some((last, before)) = alternatives.split_last() else { return vec![] };
    if before.is_empty() {
        let all = split(condition, " && ");
        return if all.len() == 1 { vec![condition.to_owned()] } else { all.into_iter().flat_map(of).collect() };
    }
    let all = of(last);
    if all.len() == 1 {
        return vec![condition.to_owned()];
    }
    let before = before.join(" || ");
    all.into_iter().map(|c| format!("{before} || {}", if c.contains(" && ") { format!("({c})") } else { c })).collect()
}

/// Splits a text at an operator outside of parentheses.
pub fn split<'a>(text: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut depth, mut start, mut out) = (0_usize, 0, vec![]);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && i >= start && text[i..].starts_with(operator) => {
                out.push(&text[start..i]);
                start = i + operator.len();
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

/// Removes parentheses around a whole condition.
pub fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0_i64;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    unwrapped(inner)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_condition_is_the_conjunction_of_its_conjuncts() {
        for (condition, all) in [
            ("a >= 1", vec!["a >= 1"]),
            ("a >= 1 && b >= 1", vec!["a >= 1", "b >= 1"]),
            ("a || b && c", vec!["a || b", "a || c"]),
            ("a || b && (c || d) && e", vec!["a || b", "a || c || d", "a || e"]),
            ("a || b && (c || d && e)", vec!["a || b", "a || c || d", "a || c || e"]),
            ("(a || b) && x.size(0) >= n", vec!["a || b", "x.size(0) >= n"]),
            ("a && b || c", vec!["a && b || c"]),
            ("a && b || c && d", vec!["a && b || c", "a && b || d"]),
            ("(a) && (b)", vec!["a", "b"]),
        ] {
            assert_eq!(of(condition), all, "{condition}");
        }
    }
}
