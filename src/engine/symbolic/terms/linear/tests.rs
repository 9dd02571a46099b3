use super::Linear;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use base::reasons::UnknownReason;
use std::cell::Cell;
use std::rc::Rc;

fn unknown(a: &mut Arena, lo: i128, hi: i128) -> TermId {
    a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "x", Interval::new(lo, hi))
}

fn plenty() -> Rc<Cell<u64>> {
    Rc::new(Cell::new(1 << 40))
}

#[test]
fn what_follows_is_true_of_all_small_numbers_and_most_of_what_is_true_follows() {
    // Comparisons of two numbers between -4 and 4 and a quotient of them: every derived one holds for each pair that
    // satisfies the facts.
    let mut a = Arena::new();
    let (x, y) = (unknown(&mut a, -4, 4), unknown(&mut a, -4, 4));
    let Term::Sym(first) = *a.get(x) else { unreachable!() };
    let sum = a.add(x, y);
    let half = a.floor_div(sum, 2);
    let sides: Vec<TermId> = {
        let mut all = vec![];
        for (c, d, e) in [(1, 0, 0), (0, 1, 0), (1, -1, 0), (2, 1, 0), (0, -1, 1), (-1, 0, 2), (-3, 2, 0)] {
            let parts = [a.scale(x, c), a.scale(y, d), a.scale(half, e)];
            let t = a.add(parts[0], parts[1]);
            let t = a.add(t, parts[2]);
            for k in [0, 2] {
                let t = a.add_const(t, k);
                all.push(a.le_zero(t));
                let n = a.neg(t);
                all.push(a.le_zero(n));
            }
        }
        all
    };
    let (mut derived, mut valid) = (0, 0);
    for f in &sides {
        for g in &sides {
            let facts = [*f, *g];
            let mut linear = Linear::new(&mut a, &facts, &plenty());
            for goal in &sides {
                let mut holds = true;
                for v in -4..=4 {
                    for w in -4..=4 {
                        let at = |s: SymId| Some(if s == first { v } else { w });
                        let value = |t: TermId| a.eval(t, &at) == Some(1);
                        if facts.iter().all(|f| value(*f)) && !value(*goal) {
                            holds = false;
                        }
                    }
                }
                let found = linear.implies(&mut a, *goal);
                assert!(holds || !found, "{:?} does not follow from {:?}", a.get(*goal), facts);
                derived += usize::from(found);
                valid += usize::from(holds);
            }
        }
    }
    assert!(derived * 10 >= valid * 9, "{derived} of {valid}");
}

/// Pseudorandom numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn number(a: &mut Arena, d: &mut Dice, of: &[TermId], depth: u32) -> TermId {
    let leaf = |a: &mut Arena, d: &mut Dice| {
        if d.below(4) == 0 {
            let v = i128::from(d.below(9)) - 4;
            a.int(v)
        } else {
            of[usize::try_from(d.below(of.len() as u64)).unwrap()]
        }
    };
    if depth == 0 {
        return leaf(a, d);
    }
    let (x, y) = (number(a, d, of, depth - 1), leaf(a, d));
    let c = i128::from(d.below(4)) + 1;
    match d.below(11) {
        0 => a.add(x, y),
        1 => a.sub(x, y),
        2 => a.scale(x, -c),
        3 => a.floor_div(x, c),
        4 => {
            let c = a.int(c);
            a.div(x, c)
        }
        5 => a.modulo(x, c),
        6 => {
            let c = a.int(c);
            a.rem(x, c)
        }
        7 => a.wrap(x, 3, c % 2 == 0),
        8 => {
            let (x, y) = (a.modulo(x, 8), a.modulo(y, 4));
            a.bit_xor(x, y, 8)
        }
        9 => a.mul(x, y),
        _ => {
            let test = truth(a, d, of, depth - 1);
            a.ite(test, x, y)
        }
    }
}

fn truth(a: &mut Arena, d: &mut Dice, of: &[TermId], depth: u32) -> TermId {
    let (x, y) = (number(a, d, of, depth.min(1)), number(a, d, of, depth.min(1)));
    match d.below(if depth == 0 { 4 } else { 6 }) {
        0 | 1 => a.le(x, y),
        2 => a.eq(x, y),
        3 => a.ne(x, y),
        4 => {
            let (p, q) = (truth(a, d, of, depth - 1), truth(a, d, of, depth - 1));
            a.and(p, q)
        }
        _ => {
            let (p, q) = (truth(a, d, of, depth - 1), truth(a, d, of, depth - 1));
            a.or(p, q)
        }
    }
}

#[test]
fn what_follows_from_facts_of_any_kind_is_true_wherever_they_are() {
    let mut dice = Dice(7);
    let (mut followed, mut told) = (0, 0);
    for _ in 0..400 {
        let mut a = Arena::new();
        let symbols = [unknown(&mut a, -4, 4), unknown(&mut a, -4, 4)];
        let Term::Sym(first) = *a.get(symbols[0]) else { unreachable!() };
        let facts: Vec<TermId> = (0..3).map(|_| truth(&mut a, &mut dice, &symbols, 2)).collect();
        let goals: Vec<TermId> = (0..6).map(|_| truth(&mut a, &mut dice, &symbols, 2)).collect();
        let worlds: Vec<(i128, i128)> = (-4..=4).flat_map(|v| (-4..=4).map(move |w| (v, w))).collect();
        let value = |a: &Arena, t: TermId, (v, w): (i128, i128)| {
            a.eval(t, &|s| Some(if s == first { v } else { w })).unwrap() == 1
        };
        let possible: Vec<(i128, i128)> =
            worlds.into_iter().filter(|at| facts.iter().all(|f| value(&a, *f, *at))).collect();
        let mut linear = Linear::new(&mut a, &facts, &plenty());
        // In either order, so that nothing is left over from one goal to the next.
        for goal in goals.iter().chain(goals.iter().rev()) {
            let found = linear.implies(&mut a, *goal);
            let holds = possible.iter().all(|at| value(&a, *goal, *at));
            assert!(
                holds || !found,
                "{:?} does not follow from {:?}",
                a.get(*goal),
                facts.iter().map(|f| a.get(*f)).collect::<Vec<_>>()
            );
            followed += usize::from(found && !possible.is_empty());
            told += usize::from(!possible.is_empty());
        }
    }
    assert!(followed * 20 > told, "{followed} of {told}");
}

#[test]
fn quotients_are_rounded() {
    // lo + 2 <= hi makes lo < (lo + hi) / 2 < hi.
    let mut a = Arena::new();
    let (lo, hi) = (unknown(&mut a, 0, 1 << 30), unknown(&mut a, 0, 1 << 30));
    let two = a.add_const(lo, 2);
    let fact = a.le(two, hi);
    let sum = a.add(lo, hi);
    let mid = a.floor_div(sum, 2);
    let (above, below) = (a.lt(lo, mid), a.lt(mid, hi));
    let mut linear = Linear::new(&mut a, &[fact], &plenty());
    assert!(linear.implies(&mut a, above) && linear.implies(&mut a, below));
    let (two_above, next) = (a.add_const(lo, 1), a.lt(lo, hi));
    let more = a.lt(two_above, mid);
    assert!(!linear.implies(&mut a, more) && linear.implies(&mut a, next));
}
