//! Decisions of random obligations over small ranges and narrow integers, against all assignments.

use super::decide::{Decider, DecisionAttempt};
use super::obligation::{Decision, Obligation};
use super::wrapping::name;
use crate::solver::WrapMode;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Bits and signedness of a machine integer; `None`: the integer itself.
type Width = Option<(u32, bool)>;

/// `constant + factors·symbols + product·x·y`; each symbol may be wrapped after a constant is added to it.
#[derive(Clone, Debug)]
struct Sum {
    constant: i128,
    factors: [i128; 2],
    product: i128,
    inner: (Width, i128),
}

/// `left + slack <= right`, each side read as a machine integer.
#[derive(Clone, Debug)]
struct Guard {
    left: (Sum, Width),
    right: (Sum, Width),
    slack: i128,
}

/// An index and an extent that guards compare, in the same or in other widths.
#[derive(Clone, Debug)]
struct Problem {
    ranges: [(i128, i128); 2],
    index: (Sum, Width),
    extent: (Sum, Width),
    /// Widths in which the guards `0 <= index` and `index < extent` read both, where there are any.
    from_below: Option<Width>,
    from_above: Option<(Width, Width, i128)>,
    more: Vec<Guard>,
}

fn widths() -> impl Strategy<Value = Width> {
    prop_oneof![2 => Just(None), 3 => Just(Some((4, true))), 3 => Just(Some((4, false))), 1 => Just(Some((3, false)))]
}

fn sums() -> impl Strategy<Value = Sum> {
    let inner = prop_oneof![3 => Just((None, 0)), 1 => (widths(), -3i128..=3)];
    (-5i128..=5, [-2i128..=2, -2i128..=2], prop_oneof![4 => Just(0i128), 1 => -1i128..=1], inner)
        .prop_map(|(constant, factors, product, inner)| Sum { constant, factors, product, inner })
}

fn problems() -> impl Strategy<Value = Problem> {
    let range = || prop_oneof![Just((0i128, 7i128)), Just((-8, 7)), Just((0, 15)), Just((1, 6))];
    let more = ((sums(), widths()), (sums(), widths()), -1i128..=1).prop_map(|(left, right, slack)| Guard {
        left,
        right,
        slack,
    });
    let above = prop::option::weighted(0.8, (widths(), widths(), 0i128..=2));
    (
        [range(), range()],
        (sums(), widths()),
        (sums(), widths()),
        (prop::option::weighted(0.7, widths()), above),
        prop::collection::vec(more, 0..3),
    )
        .prop_map(|(ranges, index, extent, (from_below, from_above), more)| Problem {
            ranges,
            index,
            extent,
            from_below,
            from_above,
            more,
        })
}

struct Built {
    arena: Arena,
    symbols: [TermId; 2],
    obligation: Obligation,
}

impl Built {
    fn new(p: &Problem) -> Self {
        let mut a = Arena::new();
        let symbols = [0, 1].map(|i| {
            let (lo, hi) = p.ranges[i];
            a.fresh(SymKind::Input(InputSource::Argv(i as u32)), format!("x{i}"), Interval::new(lo, hi))
        });
        let as_read = |a: &mut Arena, (sum, _): &(Sum, Width), width: Width| {
            let t = whole(a, symbols, sum);
            narrowed(a, t, width)
        };
        let (offset, extent) = (as_read(&mut a, &p.index, p.index.1), as_read(&mut a, &p.extent, p.extent.1));
        let (zero, one) = (a.int(0), a.int(1));
        let mut facts = vec![];
        if let Some(width) = p.from_below {
            let index = as_read(&mut a, &p.index, width);
            facts.push(a.le(zero, index));
        }
        if let Some((of_index, of_extent, slack)) = p.from_above {
            let (index, extent) = (as_read(&mut a, &p.index, of_index), as_read(&mut a, &p.extent, of_extent));
            let index = a.add_const(index, slack);
            facts.push(a.le(index, extent));
        }
        for g in &p.more {
            let (left, right) = (as_read(&mut a, &g.left, g.left.1), as_read(&mut a, &g.right, g.right.1));
            let left = a.add_const(left, g.slack);
            facts.push(a.le(left, right));
        }
        let facts = a.and_all(facts);
        Self { arena: a, symbols, obligation: Obligation { facts, offset, bytes: one, extent } }
    }

    /// Builds the condition that the access stays in its object; lists the operations of the obligation.
    fn inside(&mut self) -> (TermId, Vec<TermId>) {
        let (a, o) = (&mut self.arena, &self.obligation);
        let inside = super::wrapping::inside(a, o);
        let operations = a.cone(&[o.facts, inside]).into_iter().filter(|t| matches!(a.get(*t), Term::Wrap { .. }));
        let operations = operations.collect();
        (inside, operations)
    }

    fn assignments(&self, p: &Problem) -> Vec<[i128; 2]> {
        let [(x0, x1), (y0, y1)] = p.ranges;
        (x0..=x1).flat_map(|x| (y0..=y1).map(move |y| [x, y])).collect()
    }

    /// Value of a term in machine arithmetic.
    fn value(&self, at: [i128; 2], t: TermId) -> Option<i128> {
        let Term::Sym(first) = *self.arena.get(self.symbols[0]) else { panic!("not a symbol") };
        let symbols = |s: SymId| Some(if s == first { at[0] } else { at[1] });
        self.arena.eval_under(&[t], &Valuation { symbols: &symbols, apply: &|_, _| None, wraps: true })[&t]
    }

    /// Returns the value of `other` at each assignment that satisfies a condition, with the names of the operations that
    /// wrap there.
    fn happening(
        &self,
        p: &Problem,
        (cond, other): (TermId, TermId),
        operations: &[TermId],
    ) -> Vec<(Option<i128>, Vec<String>)> {
        let wraps = |at: [i128; 2], w: TermId| match *self.arena.get(w) {
            Term::Wrap { arg, bits, signed } => self.value(at, arg).is_none_or(|v| leaves(v, bits, signed)),
            _ => false,
        };
        let names = |at| operations.iter().filter(|w| wraps(at, **w)).map(|w| name(&self.arena, *w)).collect();
        let happens = self.assignments(p).into_iter().filter(|at| self.value(*at, cond) == Some(1));
        happens.map(|at| (self.value(at, other), names(at))).collect()
    }
}

/// Whether a value leaves a machine integer. A negative value that is read as unsigned is converted, not wrapped.
fn leaves(v: i128, bits: u32, signed: bool) -> bool {
    let r = Interval::of_int(bits, signed);
    let lo = r.lo.map(|lo| if signed { lo } else { -(1 << bits) });
    lo.is_some_and(|lo| v < lo) || r.hi.is_some_and(|hi| v > hi)
}

fn whole(a: &mut Arena, symbols: [TermId; 2], sum: &Sum) -> TermId {
    let (width, added) = sum.inner;
    let [x, y] = symbols.map(|s| {
        let s = a.add_const(s, added);
        narrowed(a, s, width)
    });
    let (product, fx, fy) = (a.mul(x, y), a.scale(x, sum.factors[0]), a.scale(y, sum.factors[1]));
    let (product, linear) = (a.scale(product, sum.product), a.add(fx, fy));
    let all = a.add(product, linear);
    a.add_const(all, sum.constant)
}

fn narrowed(a: &mut Arena, t: TermId, width: Width) -> TermId {
    match width {
        Some((bits, signed)) => a.wrap(t, bits, signed),
        None => t,
    }
}

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig {
        cases: n,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

/// Checks a decision against all assignments that satisfy a condition; `held`: what shall hold wherever they do.
fn check(
    b: &Built,
    p: &Problem,
    terms: (TermId, TermId),
    operations: &[TermId],
    decision: &Decision,
) -> Result<(), TestCaseError> {
    let all = b.happening(p, terms, operations);
    let bad: Vec<_> = all.iter().filter(|(v, _)| *v != Some(1)).collect();
    match decision {
        Decision::Safe => prop_assert!(bad.is_empty(), "safe, but {:?}", bad),
        Decision::SafeIfNoWrap(named) => {
            prop_assert!(!named.is_empty());
            for (_, wrapped) in bad {
                prop_assert!(
                    wrapped.iter().any(|w| named.contains(w)),
                    "safe but for {:?}, but {:?} wrap",
                    named,
                    wrapped
                );
            }
        }
        Decision::Fails(c) => {
            let value = |t| c.model.value(&b.arena, t, c.mode);
            prop_assert_eq!((value(terms.0), value(terms.1)), (Some(1), Some(0)), "{:?}", c.mode);
            prop_assert!(c.mode == WrapMode::Assume || !bad.is_empty());
        }
        Decision::Unknown(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(50))]

    #[test]
    fn decisions_agree_with_machine_arithmetic(p in problems()) {
        let mut b = Built::new(&p);
        let (inside, operations) = b.inside();
        let (o, attempt) = (b.obligation.clone(), DecisionAttempt::default());
        let decided = Decider::default().with(attempt).decide(&mut b.arena, &o);
        check(&b, &p, (o.facts, inside), &operations, &decided.decision)?;
        // What was remembered of one decision must not change the next.
        let mut decider = Decider::default();
        let bytes = b.arena.int(2);
        let wider = Obligation { bytes, ..o.clone() };
        decider.with(attempt).decide(&mut b.arena, &wider);
        let again = decider.with(attempt).decide_roughly(&mut b.arena, &o);
        check(&b, &p, (o.facts, inside), &operations, &again.decision)?;
    }

    #[test]
    fn what_cannot_happen_does_not_happen_in_machine_arithmetic(p in problems()) {
        let mut b = Built::new(&p);
        let (inside, operations) = b.inside();
        let outside = b.arena.not(inside);
        let cond = b.arena.and(b.obligation.facts, outside);
        let never = b.arena.bool(false);
        let decided = Decider::default().with(DecisionAttempt::default()).happens(&mut b.arena, cond);
        check(&b, &p, (cond, never), &operations, &decided.decision)?;
    }
}

proptest! {
    #![proptest_config(cases(40))]

    /// Tests models in which one operation wraps, with inputs from 1, against all assignments.
    #[test]
    fn a_model_in_which_an_operation_wraps_exists_where_there_is_one(p in problems()) {
        let mut b = Built::new(&p);
        let (inside, operations) = b.inside();
        let outside = b.arena.not(inside);
        let (o, limits) = (b.obligation.clone(), DecisionAttempt::default().limits);
        let named = Decider::default().operations(&mut b.arena, &o);
        for w in &operations {
            let own = name(&b.arena, *w);
            prop_assert_eq!(named.get(&own).map(|n| name(&b.arena, n)), Some(own));
            let model = Decider::default().wrapping(&mut b.arena, &o, *w, &operations, &limits);
            let cond = b.arena.and(o.facts, outside);
            let Term::Wrap { arg, bits, signed } = *b.arena.get(*w) else { unreachable!() };
            let range = Interval::of_int(bits, signed);
            let a = &b.arena;
            let argument = |t: TermId| match *a.get(t) {
                Term::Wrap { arg, bits, signed } => (arg, Interval::of_int(bits, signed)),
                _ => unreachable!(),
            };
            if let Some(m) = &model {
                let value = |t| m.value(a, t, WrapMode::Exact);
                prop_assert_eq!(value(cond), Some(1));
                prop_assert!(value(arg).is_some_and(|v| !range.contains_value(v)));
                for other in operations.iter().filter(|other| *other != w) {
                    let (arg, range) = argument(*other);
                    prop_assert!(value(arg).is_some_and(|v| range.contains_value(v)));
                }
                prop_assert!(b.symbols.iter().all(|s| value(*s).is_none_or(|v| v >= 1)));
            } else {
                let lone = b.assignments(&p).into_iter().filter(|at| at.iter().all(|v| *v >= 1)).find(|at| {
                    let wraps = |t: TermId| {
                        let (arg, range) = argument(t);
                        b.value(*at, arg).is_some_and(|v| !range.contains_value(v))
                    };
                    b.value(*at, cond) == Some(1) && operations.iter().all(|t| wraps(*t) == (t == w))
                });
                prop_assert_eq!(lone, None);
            }
        }
    }
}

/// Counts the random obligations without a verdict.
#[test]
fn few_obligations_over_small_ranges_are_undecided() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::new(cases(1));
    let mut undecided = 0;
    for _ in 0..60 {
        let p = problems().new_tree(&mut runner).unwrap().current();
        let mut b = Built::new(&p);
        let o = b.obligation.clone();
        let decided = Decider::default().with(DecisionAttempt::default()).decide(&mut b.arena, &o);
        undecided += usize::from(matches!(decided.decision, Decision::Unknown(_)));
    }
    assert!(undecided <= 3, "{undecided} of 60");
}
