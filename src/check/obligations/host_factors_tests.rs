//! Premises of divisions by a factor that is rounded up: each is needed, and values are those of divisions.

use super::super::decide::{Decider, DecisionAttempt};
use super::super::obligation::Obligation;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::{BitFunction, UninterpretedFunction};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

/// How the host computes the logarithm of the divisor, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Logarithm {
    /// A loop from the highest bit down, and a test for a power of two.
    Search,
    /// `31 - clz(d)` and a test for a power of two.
    ZerosInFront,
    /// `32 - clz(d - 1)`
    ZerosBefore,
    /// A loop that halves the divisor, and a test for a power of two.
    Halving,
}

const LOGARITHMS: [Logarithm; 4] =
    [Logarithm::Search, Logarithm::ZerosInFront, Logarithm::ZerosBefore, Logarithm::Halving];

/// A divider as the host of a program makes it, with the facts on its numbers.
struct Divider {
    n: TermId,
    d: TermId,
    /// Iterations of the loop.
    k: TermId,
    logarithm: TermId,
    /// Summand of the numerator beside the divisor.
    more: i128,
    /// Bits by which the shift is too far.
    too_far: i128,
    facts: Vec<TermId>,
}

fn input(a: &mut Arena, i: u32, name: &str, range: Interval) -> TermId {
    a.fresh(SymKind::Input(InputSource::Argv(i)), name, range)
}

fn zeros_in_front(a: &mut Arena, t: TermId) -> TermId {
    a.apply(UninterpretedFunction::OfBits(BitFunction::ZerosInFront, 32), vec![t], Interval::new(0, 32))
}

fn divider(a: &mut Arena, way: Logarithm) -> Divider {
    let n = input(a, 1, "n", Interval::of_int(32, false));
    let d = input(a, 2, "d", Interval::of_int(32, false));
    let k = input(a, 3, "k", Interval::new(0, 1 << 62));
    let [zero, one, two, large] = [0, 1, 2, 1 << 31].map(|v| a.int(v));
    let before = a.add_const(d, -1);
    let both = a.bit_and(d, before, 32);
    let is_power = a.eq(both, zero);
    let up = a.ite(is_power, zero, one);
    let mut facts = vec![a.le(two, d), a.le(d, large)];
    let logarithm = match way {
        Logarithm::Search => {
            let last = a.int(31);
            let bit = a.sub(last, k);
            let above = a.add_const(bit, 1);
            let (power, twice) = (a.pow2(bit), a.pow2(above));
            facts.extend([a.le(k, last), a.le(power, d), a.lt(d, twice)]);
            a.add(bit, up)
        }
        Logarithm::ZerosInFront => {
            let zeros = zeros_in_front(a, d);
            let bit = a.sub(up, zeros);
            a.add_const(bit, 31)
        }
        Logarithm::ZerosBefore => {
            let zeros = zeros_in_front(a, before);
            let bits = a.neg(zeros);
            a.add_const(bits, 32)
        }
        Logarithm::Halving => {
            let last = a.int(31);
            let power = a.pow2(k);
            let left = a.div(d, power);
            facts.extend([a.le(k, last), a.eq(left, one)]);
            a.add(k, up)
        }
    };
    Divider { n, d, k, logarithm, more: -1, too_far: 0, facts }
}

/// Builds `n·m / 2^32 / 2^s` with `p = 31 + logarithm`, `m = (2^p + d - 1) / d` and `s = p - 32`.
fn quotient(a: &mut Arena, by: &Divider) -> TermId {
    let p = a.add_const(by.logarithm, 31);
    let s = a.add_const(p, by.too_far - 32);
    let (read, s) = (a.wrap(p, 32, false), a.wrap(s, 32, false));
    let power = a.pow2(read);
    let (last, any) = (a.int(63), input(a, 9, "?", Interval::of_int(64, false)));
    let defined = a.le(read, last);
    let power = a.ite(defined, power, any);
    let sum = a.add(power, by.d);
    let sum = a.add_const(sum, by.more);
    let sum = a.wrap(sum, 64, false);
    let factor = a.div(sum, by.d);
    let factor = a.wrap(factor, 32, false);
    let product = a.mul(by.n, factor);
    let half = a.floor_div(product, 1 << 32);
    let by = a.pow2(s);
    a.div(half, by)
}

/// Whether the decider replaces a term by the division of a dividend by a divisor.
fn replaces(a: &mut Arena, facts: &[TermId], whole: TermId, division: TermId) -> bool {
    let one = a.int(1);
    let rows = input(a, 4, "rows", Interval::new(1, 1000));
    let facts = a.and_all(facts.to_vec());
    let o = Obligation { facts, offset: whole, bytes: one, extent: rows };
    let mut decider = Decider::default();
    let with = decider.search(DecisionAttempt::default()).with_divisions(a, &o);
    assert!(with.offset == whole || with.offset == division);
    with.offset != whole
}

fn is_divided(a: &mut Arena, by: &Divider, most: i128) -> bool {
    let q = quotient(a, by);
    let bound = a.int(most);
    let small = a.lt(by.n, bound);
    let division = a.div(by.n, by.d);
    replaces(a, &[&by.facts[..], &[small]].concat(), q, division)
}

#[test]
fn a_factor_that_is_rounded_up_divides() {
    for way in LOGARITHMS {
        let mut a = Arena::new();
        let by = divider(&mut a, way);
        assert!(is_divided(&mut a, &by, 1 << 31), "{way:?}");
        assert!(!is_divided(&mut a, &by, (1 << 31) + 1), "{way:?}: a dividend that is too large");
    }
}

#[test]
fn each_premise_on_the_divisor_is_needed() {
    for way in LOGARITHMS {
        let count = divider(&mut Arena::new(), way).facts.len();
        for missing in 0..count {
            let mut a = Arena::new();
            let mut by = divider(&mut a, way);
            by.facts.remove(missing);
            // That the search ends follows from the bounds, where powers are known.
            let follows = matches!(way, Logarithm::Search | Logarithm::Halving) && missing == 2;
            assert!(follows || !is_divided(&mut a, &by, 1 << 31), "{way:?} without fact {missing}");
        }
        for (most, factor, shift) in [((1 << 31) + 1, -1, 0), (1 << 31, -2, 0), (1 << 31, 1, 0), (1 << 31, -1, 1)] {
            let mut a = Arena::new();
            let mut by = divider(&mut a, way);
            let most = a.int(most);
            by.facts[1] = a.le(by.d, most);
            (by.more, by.too_far) = (factor, shift);
            assert!(!is_divided(&mut a, &by, 1 << 31), "{way:?}: {most:?} {factor} {shift}");
        }
    }
}

#[test]
fn logarithms_of_another_number_or_the_other_way_round_stay() {
    for way in LOGARITHMS {
        for by_one in [-1, 1] {
            let mut a = Arena::new();
            let mut by = divider(&mut a, way);
            by.logarithm = a.add_const(by.logarithm, by_one);
            assert!(!is_divided(&mut a, &by, 1 << 31), "{way:?}: {by_one}");
        }
        let mut a = Arena::new();
        let mut by = divider(&mut a, way);
        let other = input(&mut a, 5, "other", Interval::of_int(32, false));
        let map = FxHashMap::from_iter([(by.d, other)]);
        by.logarithm = a.substitute(by.logarithm, &map);
        let changed = by.logarithm != divider(&mut a, way).logarithm;
        assert!(changed && !is_divided(&mut a, &by, 1 << 31), "{way:?}");
    }
    let mut a = Arena::new();
    let mut by = divider(&mut a, Logarithm::Search);
    let [zero, one] = [0, 1].map(|v| a.int(v));
    let up = a.sub(by.logarithm, by.k);
    let Some(test) = a.cone(&[up]).into_iter().find(|t| matches!(a.get(*t), Term::EqZ(_))) else {
        panic!("a test for a power of two")
    };
    let (right, turned) = (a.ite(test, zero, one), a.ite(test, one, zero));
    let map = FxHashMap::from_iter([(right, turned)]);
    by.logarithm = a.substitute(by.logarithm, &map);
    assert!(!is_divided(&mut a, &by, 1 << 31));
}

/// Tests the choice of the dividend itself for the divisor 1, as the device makes it.
#[test]
fn the_divisor_one_is_chosen_apart() {
    for (one_is, number, divided) in [(1, 0, true), (2, 0, false), (1, 1, false)] {
        for way in LOGARITHMS {
            let mut a = Arena::new();
            let mut by = divider(&mut a, way);
            let [one, large, apart] = [1, 1 << 31, one_is].map(|v| a.int(v));
            by.facts[0] = a.le(one, by.d);
            let (small, apart) = (a.lt(by.n, large), a.eq(by.d, apart));
            let (q, undivided) = (quotient(&mut a, &by), a.add_const(by.n, number));
            let whole = a.ite(apart, undivided, q);
            let division = a.div(by.n, by.d);
            let facts = [&by.facts[..], &[small]].concat();
            assert_eq!(replaces(&mut a, &facts, whole, division), divided, "{way:?} {one_is} {number}");
        }
    }
}

/// Compares the values of quotients with divisions, beside powers of two and multiples of divisors.
#[test]
fn quotients_have_the_values_of_divisions() {
    let powers = (1..31).flat_map(|e| [(1_i128 << e) - 1, 1 << e, (1 << e) + 1]);
    let divisors: Vec<i128> = (2..200).chain(powers.filter(|d| *d >= 200)).chain([(1 << 31) - 1, 1 << 31]).collect();
    for way in LOGARITHMS {
        let mut a = Arena::new();
        let by = divider(&mut a, way);
        let q = quotient(&mut a, &by);
        // Zeros in front are computed here.
        let before = a.add_const(by.d, -1);
        let zeros = [by.d, before].map(|t| (zeros_in_front(&mut a, t), by.k));
        let q = a.substitute(q, &zeros.into_iter().collect());
        let symbol = |t: TermId| match a.get(t) {
            Term::Sym(s) => *s,
            _ => panic!("a symbol"),
        };
        let [n, d, k] = [by.n, by.d, by.k].map(symbol);
        for divisor in &divisors {
            let floor = i128::from(divisor.ilog2());
            let iterations = match way {
                Logarithm::Halving => floor,
                Logarithm::Search | Logarithm::ZerosInFront => 31 - floor,
                Logarithm::ZerosBefore => 31 - i128::from((divisor - 1).ilog2()),
            };
            let last = ((1 << 31) - 1) / divisor * divisor;
            for dividend in [0, 1, divisor - 1, *divisor, 5 * divisor - 1, last - 1, last, (1 << 31) - 1] {
                if !(0..1 << 31).contains(&dividend) {
                    continue;
                }
                let values = [(n, dividend), (d, *divisor), (k, iterations)];
                let of = |s| values.iter().find(|(x, _)| *x == s).map_or(Some(0), |(_, v)| Some(*v));
                assert!(by.facts.iter().all(|f| a.eval(*f, &of) == Some(1)), "{way:?}: facts for {divisor}");
                assert_eq!(a.eval(q, &of), Some(dividend / divisor), "{way:?}: {dividend} by {divisor}");
            }
        }
    }
}
