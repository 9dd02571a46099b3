//! Products of arguments in the code of a proposed check: `int` arguments would be multiplied in 32 bits and wrap.
//!
//! In: a condition in contract syntax, where numbers are exact, and the names of the narrow arguments. Out: the same in
//! C++, with the first factor of such a product as `int64_t`.

use std::collections::BTreeSet;

/// Returns a condition whose products of numbers and narrow arguments are computed in 64 bits.
pub fn widened(condition: &str, narrow: &BTreeSet<String>) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '(' | ')');
    let mut out = String::new();
    let mut rest = condition;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (factor, behind) = from.split_at(end);
        let second = behind.strip_prefix(" * ").map(|b| &b[..b.find(|c| !is_word(c)).unwrap_or(b.len())]);
        let is_first = !out.ends_with("* ") && !before.ends_with("* ");
        // A parenthesis that the factor opens stands before the type.
        let bare = factor.trim_start_matches('(');
        let (opened, bare) = (&factor[..factor.len() - bare.len()], bare);
        let is_narrow = |f: &str| narrow.contains(f) || f.parse::<i64>().is_ok();
        let second = second.map(|s| s.trim_end_matches(')'));
        let wraps = is_first
            && second.is_some_and(|s| is_narrow(bare) && is_narrow(s) && (narrow.contains(bare) || narrow.contains(s)));
        out.push_str(before);
        if wraps {
            out.push_str(&format!("{opened}int64_t({bare})"));
        } else {
            out.push_str(factor);
        }
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::widened;
    use std::collections::BTreeSet;

    #[test]
    fn products_of_narrow_arguments_are_computed_in_64_bits() {
        let narrow: BTreeSet<String> = ["b", "c", "n"].map(str::to_owned).into();
        for (condition, expected) in [
            ("out.numel() >= b * c * n", "out.numel() >= int64_t(b) * c * n"),
            ("x.is_contiguous() && x.numel() >= 3 * b * n", "x.is_contiguous() && x.numel() >= int64_t(3) * b * n"),
            ("x.numel() >= 4 * x.size(0)", "x.numel() >= 4 * x.size(0)"),
            ("x.size(0) * b <= n", "x.size(0) * b <= n"),
            ("x.numel() >= b * x.size(0) * n", "x.numel() >= b * x.size(0) * n"),
            ("(b * n <= x.numel() || c <= 0)", "(int64_t(b) * n <= x.numel() || c <= 0)"),
            ("b >= 0 && n / 2 >= 1", "b >= 0 && n / 2 >= 1"),
            ("wide * n <= x.numel()", "wide * n <= x.numel()"),
            ("x.size(0) + b * n <= (b * n)", "x.size(0) + int64_t(b) * n <= (int64_t(b) * n)"),
        ] {
            assert_eq!(widened(condition, &narrow), expected);
        }
        assert_eq!(widened("x.numel() >= b * c", &BTreeSet::new()), "x.numel() >= b * c");
    }
}
