//! Products of arguments in the code of a proposed check that 64 bits may not hold: `x.numel() >= b * c`.
//!
//! In: a condition in contract syntax, where numbers are exact, and the types of the operator's integer arguments. Out: the
//! same by division, which cannot wrap: `c == 0 || x.numel() / c >= b`. Products that fit stay as they are, and so do
//! comparisons that are no bound of one product by one size. Sums of two such arguments become differences.

use crate::conjuncts::{split, unwrapped};
use std::collections::BTreeSet;

/// Names of an operator's integer arguments by their types.
pub struct IntegerArguments<'a> {
    /// Arguments of fewer than 64 bits.
    pub narrow: &'a BTreeSet<String>,
    /// Arguments of 64 bits.
    pub wide: &'a BTreeSet<String>,
    /// Arguments without a sign.
    pub unsigned: &'a BTreeSet<String>,
}

/// Bits of an absolute value: of a narrow argument, a wide one, and a size of a tensor that memory holds.
const NARROW: u32 = 31;
const WIDE: u32 = 63;
const SIZE: u32 = 31;
/// Bits that a product of 64 bits with a sign has for its absolute value.
const HELD: f64 = 63.0;

impl IntegerArguments<'_> {
    fn is_argument(&self, factor: &str) -> bool {
        self.narrow.contains(factor) || self.wide.contains(factor)
    }

    fn is_signed(&self, factor: &str) -> bool {
        self.is_argument(factor) && !self.unsigned.contains(factor)
    }

    /// Bits that the factor's absolute value may have; `None` for what is neither a number, an argument nor a size.
    fn bits(&self, factor: &str) -> Option<f64> {
        let is_unsigned = self.unsigned.contains(factor);
        if self.narrow.contains(factor) {
            return Some(f64::from(NARROW + u32::from(is_unsigned)));
        }
        if self.wide.contains(factor) {
            // Of 64 bits without a sign, quotients have no sign either: C++ would compare other arguments as such.
            return (!is_unsigned).then_some(f64::from(WIDE));
        }
        if is_size(factor) {
            return Some(f64::from(SIZE));
        }
        let number: u32 = factor.parse().ok().filter(|n| *n > 0)?;
        Some(f64::from(number).log2())
    }
}

/// Whether a term is a size or a number of elements of a tensor.
fn is_size(term: &str) -> bool {
    let Some((tensor, asked)) = term.split_once('.') else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let index = asked.strip_prefix("size(").and_then(|rest| rest.strip_suffix(')'));
    tensor.chars().all(is_name) && (asked == "numel()" || index.is_some_and(|i| i.parse::<i64>().is_ok()))
}

/// Returns a condition in which no product of arguments wraps in 64 bits, as far as division can state it.
pub fn divided(condition: &str, arguments: &IntegerArguments<'_>) -> String {
    rewritten(condition, arguments, false, &[])
}

/// Rewrites a part of a condition; `before` are the parts of its conjunction before it.
fn rewritten(text: &str, arguments: &IntegerArguments<'_>, is_conjunct: bool, before: &[&str]) -> String {
    for (operator, of_conjunction) in [(" || ", false), (" && ", true)] {
        let parts = split(text, operator);
        if parts.len() > 1 {
            // C++ evaluates those before it first.
            let before = |i: usize| if of_conjunction { &parts[..i] } else { &[] };
            let of = |(i, part): (usize, &&str)| rewritten(part, arguments, of_conjunction, before(i));
            // Compilers warn of alternatives that are conjunctions without parentheses.
            let is_bare = |part: &str| !of_conjunction && split(part, " && ").len() > 1;
            let grouped = |part: String| if is_bare(&part) { format!("({part})") } else { part };
            return parts.iter().enumerate().map(of).map(grouped).collect::<Vec<String>>().join(operator);
        }
    }
    let inner = unwrapped(text);
    if inner.len() < text.len() {
        return format!("({})", rewritten(inner, arguments, false, &[]));
    }
    match by_division(text, arguments).or_else(|| by_subtraction(text, arguments, before)) {
        Some(all) if is_conjunct && all.contains(" || ") && !all.starts_with('(') => format!("({all})"),
        Some(all) => all,
        None => text.to_owned(),
    }
}

/// Returns `size >= product` by division: with a guard for each factor that may be 0, and the other direction where the
/// one divisor with a sign is negative.
fn by_division(comparison: &str, arguments: &IntegerArguments<'_>) -> Option<String> {
    let (size, product) = match comparison.split_once(" >= ") {
        Some((size, product)) => (size, product),
        None => comparison.split_once(" <= ").map(|(product, size)| (size, product))?,
    };
    if !is_size(size) {
        return None;
    }
    let factors: Vec<&str> = product.split(" * ").collect();
    let bits = factors.iter().map(|f| arguments.bits(f)).sum::<Option<f64>>()?;
    let several = factors.iter().filter(|f| arguments.is_argument(f)).count() > 1;
    if bits <= HELD || !several {
        return None;
    }
    // What is left to compare with may have any sign, and so may one divisor.
    let compared = *factors.iter().rev().max_by_key(|f| (arguments.is_argument(f), arguments.is_signed(f)))?;
    let at = factors.iter().position(|f| *f == compared)?;
    let mut divisors = factors;
    divisors.remove(at);
    divisors.sort_by_key(|f| arguments.is_signed(f));
    let signed = divisors.iter().filter(|f| arguments.is_signed(f)).count();
    if signed > 1 {
        return None;
    }
    let mut guards: Vec<String> = vec![];
    for divisor in divisors.iter().filter(|f| f.parse::<u32>().is_err()) {
        let guard = format!("{divisor} == 0");
        if !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    let quotient = format!("{size} / {}", divisors.join(" / "));
    let bound = match divisors.last().filter(|_| signed == 1) {
        Some(divisor) => format!("({divisor} > 0 ? {quotient} >= {compared} : {quotient} <= {compared})"),
        None => format!("{quotient} >= {compared}"),
    };
    Some(guards.into_iter().chain([bound]).collect::<Vec<_>>().join(" || "))
}

/// Returns `size >= a + b` of two arguments of 64 bits by subtraction: of one that is not negative by what stands before it, or
/// else by cases.
fn by_subtraction(comparison: &str, arguments: &IntegerArguments<'_>, before: &[&str]) -> Option<String> {
    let (size, sum) = match comparison.split_once(" >= ") {
        Some((size, sum)) => (size, sum),
        None => comparison.split_once(" <= ").map(|(sum, size)| (size, sum))?,
    };
    let (a, b) = sum.split_once(" + ")?;
    let is_wide = |of: &str| arguments.wide.contains(of) && !arguments.unsigned.contains(of);
    if !is_size(size) || !is_wide(a) || !is_wide(b) {
        return None;
    }
    let is_positive = |of: &str| {
        before.iter().any(|part| {
            let (left, least) = part.split_once(" >= ").unwrap_or_default();
            left == of && least.parse::<u32>().is_ok()
        })
    };
    Some(match (is_positive(a), is_positive(b)) {
        (true, _) => format!("{size} - {a} >= {b}"),
        (_, true) => format!("{size} - {b} >= {a}"),
        _ => format!("({a} >= 0 ? {size} - {a} >= {b} : {size} >= {b} || {size} - {b} >= {a})"),
    })
}

#[cfg(test)]
mod tests {
    use super::{IntegerArguments, divided};
    use std::collections::BTreeSet;

    #[test]
    fn products_that_64_bits_may_not_hold_are_divided() {
        let of = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let (narrow, wide, unsigned) = (of(&["b", "c", "i", "k"]), of(&["n", "m", "u"]), of(&["b", "c", "u"]));
        let arguments = IntegerArguments { narrow: &narrow, wide: &wide, unsigned: &unsigned };
        for (condition, expected) in [
            // Without a sign, two of 32 bits are one bit too many.
            ("x.numel() >= b * c", "c == 0 || x.numel() / c >= b"),
            ("x.numel() >= i * k", "x.numel() >= i * k"),
            ("3 * i * k <= x.numel()", "k == 0 || (k > 0 ? x.numel() / 3 / k >= i : x.numel() / 3 / k <= i)"),
            ("x.numel() >= b * c * c", "c == 0 || x.numel() / c / c >= b"),
            ("x.numel() >= n * m", "m == 0 || (m > 0 ? x.numel() / m >= n : x.numel() / m <= n)"),
            ("x.numel() >= n * u", "x.numel() >= n * u"),
            ("x.numel() >= n * b", "b == 0 || x.numel() / b >= n"),
            ("x.numel() >= i * k * n", "x.numel() >= i * k * n"),
            ("x.numel() >= y.size(0) * n", "x.numel() >= y.size(0) * n"),
            ("x.numel() >= y.size(0) * b * i", "y.size(0) == 0 || b == 0 || x.numel() / y.size(0) / b >= i"),
            ("x.size(1) + b * c <= x.numel()", "x.size(1) + b * c <= x.numel()"),
            ("x.size(0) >= n + m", "(n >= 0 ? x.size(0) - n >= m : x.size(0) >= m || x.size(0) - m >= n)"),
            ("n >= 0 && x.size(0) >= n + m", "n >= 0 && x.size(0) - n >= m"),
            ("m >= 1 && n + m <= x.size(0)", "m >= 1 && x.size(0) - m >= n"),
            (
                "x.size(0) >= n + m && n >= 0",
                "(n >= 0 ? x.size(0) - n >= m : x.size(0) >= m || x.size(0) - m >= n) && n >= 0",
            ),
            ("x.size(0) >= n + i", "x.size(0) >= n + i"),
            ("n < 0 || m > 0 && i > 0", "n < 0 || (m > 0 && i > 0)"),
            ("x.dim() == 2 && x.numel() >= b * c", "x.dim() == 2 && (c == 0 || x.numel() / c >= b)"),
            ("i <= 0 || x.numel() >= b * c", "i <= 0 || c == 0 || x.numel() / c >= b"),
            ("(x.numel() >= b * c || i <= 0) && k > 0", "(c == 0 || x.numel() / c >= b || i <= 0) && k > 0"),
        ] {
            assert_eq!(divided(condition, &arguments), expected, "{condition}");
        }
    }

    #[test]
    fn a_difference_says_what_the_sum_does() {
        let names: BTreeSet<String> = ["n", "m"].map(str::to_owned).into();
        let arguments = IntegerArguments { narrow: &BTreeSet::new(), wide: &names, unsigned: &BTreeSet::new() };
        let stated = divided("x.numel() >= n + m", &arguments);
        assert_eq!(stated, "(n >= 0 ? x.numel() - n >= m : x.numel() >= m || x.numel() - m >= n)");
        let near = |of: i64| (0..9).flat_map(move |by| [of.saturating_add(by), of.saturating_sub(by)]);
        let numbers: Vec<i64> = [0, i64::MIN, i64::MAX].into_iter().flat_map(near).collect();
        for size in [0, 1, 5, 1 << 40] {
            for n in &numbers {
                for m in &numbers {
                    let by_difference = if *n >= 0 { size - n >= *m } else { size >= *m || size - m >= *n };
                    assert_eq!(by_difference, i128::from(size) >= i128::from(*n) + i128::from(*m), "{size} {n} {m}");
                }
            }
        }
    }

    #[test]
    fn a_division_says_what_the_product_does() {
        let names: BTreeSet<String> = ["n", "m"].map(str::to_owned).into();
        let arguments = IntegerArguments { narrow: &BTreeSet::new(), wide: &names, unsigned: &BTreeSet::new() };
        let stated = divided("x.numel() >= n * m", &arguments);
        assert_eq!(stated, "m == 0 || (m > 0 ? x.numel() / m >= n : x.numel() / m <= n)");
        for size in 0..20_i64 {
            for n in -9..9_i64 {
                for m in -9..9_i64 {
                    let by_division = m == 0 || if m > 0 { size / m >= n } else { size / m <= n };
                    assert_eq!(by_division, size >= n * m, "{size} {n} {m}");
                }
            }
        }
    }
}
