//! Premises of divisions by a precomputed factor: each is needed.

use super::super::decide::{Decider, DecisionAttempt};
use super::super::obligation::{Decision, Obligation};
use super::{compare_same, constant_divisor, quotients};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use rustc_hash::FxHashMap;

/// A divider as the host of a program makes it, and facts on its numbers.
struct Divider {
    n: TermId,
    d: TermId,
    s: TermId,
    factor: TermId,
    facts: Vec<TermId>,
}

fn input(a: &mut Arena, i: u32, name: &str, range: Interval) -> TermId {
    a.fresh(SymKind::Input(InputSource::Argv(i)), name, range)
}

/// Builds `m = 2^32·(2^s - d) / d + more`, where `s` is what the loop leaves that counts it up while `2^s < d`.
fn divider(a: &mut Arena, more: i128, most: i128) -> Divider {
    let n = input(a, 1, "n", Interval::of_int(32, false));
    let d = input(a, 2, "d", Interval::of_int(32, false));
    let s = input(a, 3, "s", Interval::new(0, 1 << 62));
    let [one, most, width] = [1, most, 32].map(|v| a.int(v));
    let (power, less) = (a.pow2(s), a.add_const(s, -1));
    let half = a.pow2(less);
    let over = a.sub(power, d);
    let over = a.scale(over, 1 << 32);
    let over = a.wrap(over, 64, false);
    let factor = a.div(over, d);
    let factor = a.add_const(factor, more);
    let factor = a.wrap(factor, 32, false);
    let (first, went_on) = (a.le_zero(s), a.lt(half, d));
    let (counted, all) = (a.le(s, width), a.or(first, went_on));
    let facts = vec![a.le(one, d), a.le(d, most), counted, all, a.le(d, power)];
    Divider { n, d, s, factor, facts }
}

/// Builds `(n + n·m / 2^32) / 2^s` as the device computes it.
fn quotient(a: &mut Arena, by: &Divider) -> TermId {
    let (product, power) = (a.mul(by.n, by.factor), a.pow2(by.s));
    let half = a.floor_div(product, 1 << 32);
    let sum = a.add(by.n, half);
    let sum = a.wrap(sum, 32, false);
    a.div(sum, power)
}

/// Whether the quotient is a division for the decider: `q < rows` where `n < rows·d`.
fn is_divided(a: &mut Arena, by: &Divider, more: &[TermId]) -> bool {
    let q = quotient(a, by);
    let one = a.int(1);
    let rows = input(a, 4, "rows", Interval::new(1, 1000));
    let facts = a.and_all([&by.facts[..], more].concat());
    let o = Obligation { facts, offset: q, bytes: one, extent: rows };
    let mut decider = Decider::default();
    let with = decider.search(DecisionAttempt::default()).with_divisions(a, &o);
    let division = a.div(by.n, by.d);
    assert!(with.offset == q || with.offset == division);
    with.offset != q
}

fn below(a: &mut Arena, n: TermId, bound: i128) -> TermId {
    let bound = a.int(bound);
    a.lt(n, bound)
}

#[test]
fn a_quotient_by_a_factor_of_the_host_is_a_division() {
    let mut a = Arena::new();
    let by = divider(&mut a, 1, 1 << 31);
    let small = below(&mut a, by.n, 1 << 31);
    assert!(is_divided(&mut a, &by, &[small]));
    // The whole obligation, and what is one too many.
    let (q, one) = (quotient(&mut a, &by), a.int(1));
    let rows = input(&mut a, 5, "rows", Interval::new(1, 1000));
    let all = a.mul(rows, by.d);
    let inside = a.lt(by.n, all);
    let facts = a.and_all([&by.facts[..], &[small, inside]].concat());
    let beyond = a.add(q, one);
    let mut decider = Decider::default();
    let mut decide = |offset| {
        let o = Obligation { facts, offset, bytes: one, extent: rows };
        decider.with(DecisionAttempt::default()).decide(&mut a, &o).decision
    };
    assert!(matches!(decide(q), Decision::Safe));
    assert!(matches!(decide(beyond), Decision::Fails(_)));
}

/// A small dividend that the device computes in 32 bits is divided as the number that it is.
#[test]
fn a_reading_of_a_small_dividend_is_that_number() {
    let mut a = Arena::new();
    let mut by = divider(&mut a, 1, 1 << 31);
    let (x, y) = (by.n, input(&mut a, 3, "y", Interval::of_int(32, false)));
    let (sum, thousand) = (a.add(x, y), a.int(1000));
    by.n = a.wrap(sum, 32, false);
    assert_ne!(by.n, sum);
    let (q, one) = (quotient(&mut a, &by), a.int(1));
    let rows = input(&mut a, 4, "rows", Interval::new(1, 1000));
    let small = [a.le(x, thousand), a.le(y, thousand)];
    let facts = a.and_all([&by.facts[..], &small].concat());
    let o = Obligation { facts, offset: q, bytes: one, extent: rows };
    let mut decider = Decider::default();
    let with = decider.search(DecisionAttempt::default()).with_divisions(&mut a, &o);
    assert_eq!(with.offset, a.div(sum, by.d));
}

#[test]
fn a_divisor_that_is_known_is_one_as_well() {
    for (of, divided) in [(7, true), (8, false)] {
        let mut a = Arena::new();
        let mut by = divider(&mut a, 1, 1 << 31);
        let small = below(&mut a, by.n, 1 << 31);
        let seven = a.int(7);
        let power = a.pow2(by.s);
        let over = a.add_const(power, -of);
        let over = a.scale(over, 1 << 32);
        let over = a.wrap(over, 64, false);
        let factor = a.div(over, seven);
        let factor = a.add_const(factor, 1);
        by.factor = a.wrap(factor, 32, false);
        let is_seven = FxHashMap::from_iter([(by.d, seven)]);
        a.substitute_all(&mut by.facts, &is_seven);
        by.d = seven;
        assert_eq!(is_divided(&mut a, &by, &[small]), divided, "2^32·(2^s - {of}) / 7 + 1");
    }
}

#[test]
fn a_dividend_whose_sum_may_wrap_stays() {
    let mut a = Arena::new();
    let by = divider(&mut a, 1, 1 << 31);
    let large = below(&mut a, by.n, (1 << 31) + 1);
    assert!(!is_divided(&mut a, &by, &[large]) && !is_divided(&mut a, &by, &[]));
}

#[test]
fn a_dividend_of_64_bits_stays() {
    let mut a = Arena::new();
    let mut by = divider(&mut a, 1, 1 << 31);
    by.n = input(&mut a, 6, "long", Interval::of_int(64, false));
    assert!(!is_divided(&mut a, &by, &[]));
    let small = below(&mut a, by.n, 1 << 31);
    assert!(is_divided(&mut a, &by, &[small]));
}

#[test]
fn each_premise_on_the_divisor_is_needed() {
    for missing in 0..5 {
        let mut a = Arena::new();
        let mut by = divider(&mut a, 1, 1 << 31);
        let small = below(&mut a, by.n, 1 << 31);
        // That the loop ends at 32 follows from the last test before, if powers of two are known so far.
        by.facts.remove(missing);
        assert!(!is_divided(&mut a, &by, &[small]), "without fact {missing}");
    }
    let mut a = Arena::new();
    let by = divider(&mut a, 1, (1 << 31) + 1);
    let small = below(&mut a, by.n, 1 << 31);
    assert!(!is_divided(&mut a, &by, &[small]), "a divisor beyond 2^31");
}

#[test]
fn a_shift_that_is_one_too_small_or_too_large_stays() {
    for by_one in [-1, 1] {
        let mut a = Arena::new();
        let mut by = divider(&mut a, 1, 1 << 31);
        let small = below(&mut a, by.n, 1 << 31);
        by.s = a.add_const(by.s, by_one);
        assert!(!is_divided(&mut a, &by, &[small]), "{by_one}");
    }
}

#[test]
fn a_factor_of_another_form_stays() {
    for more in [0, 2] {
        let mut a = Arena::new();
        let by = divider(&mut a, more, 1 << 31);
        let small = below(&mut a, by.n, 1 << 31);
        assert!(!is_divided(&mut a, &by, &[small]), "{more}");
    }
    let mut a = Arena::new();
    let mut by = divider(&mut a, 1, 1 << 31);
    by.factor = input(&mut a, 7, "m", Interval::of_int(32, false));
    let small = below(&mut a, by.n, 1 << 31);
    assert!(!is_divided(&mut a, &by, &[small]));
}

/// Returns factor and shift as the host computes them.
fn factor_of(d: i128) -> (i128, u32) {
    let s = (0..32).find(|s| d <= 1_i128 << s).expect("a divisor of at most 2^31");
    ((1_i128 << 32) * ((1_i128 << s) - d) / d + 1, s)
}

#[test]
fn constants_have_the_divisor_that_they_were_computed_for() {
    for d in (1..3000).chain([65_535, 65_537, 1_000_003, (1 << 30) + 1, (1 << 31) - 1, 1 << 31]) {
        let (factor, s) = factor_of(d);
        assert_eq!(constant_divisor(factor, true, s), Some(d));
    }
    for (d, by_one) in [(7, -1), (7, 1), (1000, -1)] {
        let (factor, s) = factor_of(d);
        let s = s.checked_add_signed(by_one).expect("positive");
        assert_ne!(constant_divisor(factor, true, s), Some(d), "{d} with a shift off by {by_one}");
    }
    assert_eq!(constant_divisor(0, true, 3), None);
    assert_eq!(constant_divisor(1 << 32, true, 3), None);
}

/// Tests each divisor that is found against divisions, where a wrong one is off first: beside multiples.
#[test]
fn divisors_of_constants_divide() {
    let dividends = |d: i128| {
        let last = ((1 << 31) - 1) / d * d;
        [0, 1, d - 1, d, d + 1, 5 * d - 1, 5 * d, last - 1, last, (1 << 31) - 1]
    };
    let mut found = 0;
    for factor in (1..2000).chain((1..2000).map(|x| (1_i128 << 32) / x + 1)).chain((2..500).map(|d| factor_of(d).0)) {
        for (s, added) in [0, 1, 3, 9].into_iter().flat_map(|s| [(s, false), (s, true)]) {
            let Some(d) = constant_divisor(factor, added, s) else { continue };
            found += 1;
            for n in dividends(d).into_iter().filter(|n| (0..1 << 31).contains(n)) {
                let high = ((n * factor) >> 32) + if added { n } else { 0 };
                assert_eq!(high >> s, n / d, "{n} by {d}: factor {factor}, shift {s}, {added}");
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn quotients_by_constants_are_divisions() {
    for (d, more) in [(7, 0), (10, 0), (768, 0), (7, 4)] {
        let mut a = Arena::new();
        let block = input(&mut a, 1, "block", Interval::new(0, 1000));
        let thread = input(&mut a, 2, "thread", Interval::new(0, 255));
        let (n, (factor, s)) = (a.scale(block, 256), factor_of(d));
        let n = a.add(n, thread);
        let product = a.scale(n, factor);
        let half = a.floor_div(product, 1 << 32);
        let sum = a.add(n, half);
        // The arena takes multiples of the divisor out of a shift; more of them is another quotient.
        let sum = a.add_const(sum, more);
        let q = a.floor_div(sum, 1 << s);
        let (one, rows, facts) = (a.int(1), a.int(100_000), a.bool(true));
        let o = Obligation { facts, offset: q, bytes: one, extent: rows };
        let mut decider = Decider::default();
        let with = decider.search(DecisionAttempt::default()).with_divisions(&mut a, &o);
        let divisor = a.int(d);
        let division = a.div(n, divisor);
        assert_eq!(with.offset == division, more == 0, "{d}");
    }
}

#[test]
fn only_unsigned_sums_of_32_bits_are_quotients() {
    let mut a = Arena::new();
    let by = divider(&mut a, 1, 1 << 31);
    let (product, power) = (a.mul(by.n, by.factor), a.pow2(by.s));
    let half = a.floor_div(product, 1 << 32);
    let sum = a.add(by.n, half);
    for (bits, signed, count) in [(32, false, 1), (32, true, 0), (16, false, 0)] {
        let read = a.wrap(sum, bits, signed);
        let q = a.div(read, power);
        assert_eq!(quotients(&mut a, q).len(), count);
    }
}

/// The number may be read in another width, and be compared with any constant in any way.
#[test]
fn conditions_on_one_number_are_told_from_those_on_another() {
    let mut a = Arena::new();
    let conditions = ["d", "e"].map(|name| {
        let number = input(&mut a, 1, name, Interval::of_int(64, false));
        let read = a.wrap(number, 32, false);
        let [one, two] = [1, 2].map(|v| a.int(v));
        let all = [number, read].map(|n| [a.eq(n, one), a.ne(n, two), a.le(n, two), a.le(two, n)]);
        all.concat()
    });
    for (i, x) in conditions.iter().enumerate() {
        for (k, y) in conditions.iter().enumerate() {
            for (x, y) in x.iter().flat_map(|x| y.iter().map(move |y| (*x, *y))) {
                assert_eq!(compare_same(&mut a, x, y), i == k, "{x:?} and {y:?}");
            }
        }
    }
    let [flag, other] = ["p", "q"].map(|name| a.fresh_bool(SymKind::Input(InputSource::Argv(1)), name));
    assert!(!compare_same(&mut a, flag, other) && !compare_same(&mut a, flag, conditions[0][0]));
}
