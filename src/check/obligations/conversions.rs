//! Negative values read as unsigned integers: the conversion is defined, so nothing wraps.
//!
//! In: an obligation that was proved only where some operations do not wrap. Out: a decision that reads a negative
//! value converted to an unsigned integer of n bits as the machine does: larger by 2^n (C++17, 7.8
//! \[conv.integral\]). A proof that reads the value unchanged excludes all inputs for which it is negative, and so
//! bad accesses that need no wrap of their own. Other operations are assumed not to wrap, and are named where the
//! access rests on them.

use super::decide::{ModelEffort, Search};
use super::obligation::{Counterexample, Decision, Obligation};
use crate::solver::{self, Answer, Model, ModelAnswer, WrapMode};
use base::reasons::UnknownReason;
use base::work::Allotment;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Most proof attempts, each with more conversions read by value than the one before.
const ROUNDS: usize = 4;

/// An obligation with conversions read by value.
struct Converted {
    facts: Vec<TermId>,
    /// Conjunction of the facts.
    all: TermId,
    goals: [TermId; 2],
    /// Values that are read, by the [`Term::Wrap`] that each replaces.
    values: FxHashMap<TermId, TermId>,
}

/// Outcome of one attempt.
enum ConversionAttempt {
    /// The goals both follow where these operations do not wrap.
    Proved(Vec<TermId>),
    Fails(TermId, Model),
    Undecided,
}

impl Search<'_> {
    /// Decides an obligation that rests on `unmet` operations, with each conversion of a possibly negative value read
    /// by value.
    pub(super) fn by_value(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goals: [TermId; 2],
        unmet: &[TermId],
        care: ModelEffort,
    ) -> Decision {
        self.by_value_within(a, o, goals, unmet, care).unwrap_or_else(|| {
            self.cut = true;
            Decision::Unknown(UnknownReason::SolverWork)
        })
    }

    /// Runs [`Self::by_value`] within the work of one obligation; `None` where that is too little.
    fn by_value_within(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goals: [TermId; 2],
        unmet: &[TermId],
        care: ModelEffort,
    ) -> Option<Decision> {
        let until = Allotment::of(self.limits.work);
        let (mut open, mut conversions) = (unmet.to_vec(), BTreeSet::new());
        for _ in 0..ROUNDS {
            self.limits.work = self.limits.work.min(until.left());
            if !self.more_conversions(a, o.facts, &mut open, &mut conversions) {
                return Some(match open.as_slice() {
                    [] => Decision::Safe,
                    open => Decision::SafeIfNoWrap(self.decider.name(a, open)),
                });
            }
            let asked = Converted::of(a, o, goals, &conversions);
            match self.try_converted(a, &asked, care) {
                ConversionAttempt::Proved(found) => open = self.originals(a, o, goals, &asked, found)?,
                ConversionAttempt::Fails(goal, first) => {
                    return Some(self.fails_by_value(a, o, goals, &asked, (goal, first), care));
                }
                ConversionAttempt::Undecided => return None,
            }
        }
        None
    }

    /// Adds the open operations that may read a negative value as unsigned, and returns whether there were any. Where
    /// an operation is shown to read no negative value, the operations that this proof rests on become open too.
    fn more_conversions(
        &mut self,
        a: &mut Arena,
        facts: TermId,
        open: &mut Vec<TermId>,
        conversions: &mut BTreeSet<TermId>,
    ) -> bool {
        let before = conversions.len();
        let mut looked_at = open.clone();
        looked_at.sort_unstable();
        let mut shown: Vec<TermId> = vec![];
        for w in looked_at {
            let Some(arg) = converts(a, w).filter(|_| !conversions.contains(&w)) else { continue };
            match self.never_negative(a, facts, w, arg) {
                Some(rests) if rests.iter().all(|r| converts(a, *r).is_none() || shown.contains(r)) => {
                    shown.push(w);
                    open.extend(rests);
                }
                _ => {
                    conversions.insert(w);
                }
            }
        }
        open.sort_unstable();
        open.dedup();
        conversions.len() > before
    }

    /// Returns the operations that must not wrap so that the value below a conversion is non-negative, by facts that
    /// rest on older conversions alone; `None` where that is not proved.
    fn never_negative(&mut self, a: &mut Arena, facts: TermId, w: TermId, arg: TermId) -> Option<Vec<TermId>> {
        let older: Vec<TermId> =
            a.conjuncts(facts).into_iter().filter(|f| self.decider.wraps_of(a, *f).iter().all(|x| *x < w)).collect();
        let all = a.and_all(older.clone());
        let zero = a.int(0);
        let goal = a.le(zero, arg);
        if a.as_bool(goal) == Some(true) {
            return Some(vec![]);
        }
        let limits = self.limits;
        let Answer::Proved { mut used, free, .. } = self.prove(a, all, &older, goal, &limits) else { return None };
        used.push(goal);
        Some(self.unmet(a, all, &used, &free).open)
    }

    fn try_converted(&mut self, a: &mut Arena, asked: &Converted, care: ModelEffort) -> ConversionAttempt {
        let limits = self.limits;
        let mut open = vec![];
        for goal in asked.goals {
            if a.as_bool(goal) == Some(true) {
                continue;
            }
            match self.prove(a, asked.all, &asked.facts, goal, &limits) {
                Answer::Proved { mut used, free, .. } => {
                    used.push(goal);
                    open.extend(self.unmet(a, asked.all, &used, &free).open);
                }
                Answer::Model(m) => return ConversionAttempt::Fails(goal, m),
                // The search for a small model tries small inputs by evaluation.
                Answer::Unknown(_) if care == ModelEffort::Thorough => {
                    let mut all = asked.facts.clone();
                    all.push(a.not(goal));
                    let symbols = a.symbols_of(&all);
                    let is_input = |s: &SymId| matches!(a.symbol(*s).kind, SymKind::Input(_));
                    let inputs: Vec<SymId> = symbols.into_iter().filter(is_input).collect();
                    let positive = self.decider.sizes.positive(&inputs);
                    let groups = &mut self.decider.groups;
                    return match solver::find_model(a, &all, &inputs, &positive, WrapMode::Assume, &limits, groups) {
                        ModelAnswer::Model(m) => ConversionAttempt::Fails(goal, m),
                        ModelAnswer::Unsat | ModelAnswer::Unknown(_) => ConversionAttempt::Undecided,
                    };
                }
                Answer::Unknown(_) => return ConversionAttempt::Undecided,
            }
        }
        ConversionAttempt::Proved(open)
    }

    /// Returns a model in which the access fails under machine arithmetic.
    fn fails_by_value(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goals: [TermId; 2],
        asked: &Converted,
        (goal, first): (TermId, Model),
        care: ModelEffort,
    ) -> Decision {
        let (facts, both) = (a.conjuncts(o.facts), a.and(goals[0], goals[1]));
        let conversions: Vec<TermId> = asked.values.keys().copied().collect();
        if let Decision::Fails(c) = self.fails(a, &asked.facts, goal, first, WrapMode::Assume, care)
            && c.model.refutes(a, &facts, both, WrapMode::Exact)
            && self.underflows(a, &conversions, &c.model)
        {
            return Decision::Fails(Counterexample { mode: WrapMode::Exact, ..c });
        }
        self.cut = true;
        Decision::Unknown(UnknownReason::SolverWork)
    }

    /// Maps operations in the converted terms back to operations of the obligation; `None` where one has no original.
    fn originals(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goals: [TermId; 2],
        asked: &Converted,
        found: Vec<TermId>,
    ) -> Option<Vec<TermId>> {
        let roots = [o.facts, goals[0], goals[1]];
        let mut wraps: Vec<TermId> = roots.iter().flat_map(|t| self.decider.wraps_of(a, *t)).collect();
        wraps.sort_unstable();
        wraps.dedup();
        let (mut of, mut done) = (FxHashMap::default(), FxHashMap::default());
        for w in wraps {
            let read = a.substitute_more(w, &asked.values, &mut done);
            of.entry(read).or_insert(w);
        }
        found.into_iter().map(|w| of.get(&w).copied()).collect()
    }
}

impl Converted {
    fn of(a: &mut Arena, o: &Obligation, goals: [TermId; 2], conversions: &BTreeSet<TermId>) -> Self {
        let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
        // The value lies below its conversion, and is older.
        for w in conversions {
            let Term::Wrap { arg, bits, signed: false } = *a.get(*w) else { continue };
            let arg = a.substitute(arg, &values);
            let (zero, above) = (a.int(0), a.add_const(arg, 1i128 << bits));
            let negative = a.lt(arg, zero);
            let read = a.ite(negative, above, arg);
            let read = a.wrap(read, bits, false);
            values.insert(*w, read);
        }
        let mut done = FxHashMap::default();
        let all = a.substitute_more(o.facts, &values, &mut done);
        let goals = goals.map(|g| a.substitute_more(g, &values, &mut done));
        Self { facts: a.conjuncts(all), all, goals, values }
    }
}

/// Returns the value that an operation reads as unsigned, where it may be negative.
fn converts(a: &Arena, w: TermId) -> Option<TermId> {
    match *a.get(w) {
        Term::Wrap { arg, signed: false, .. } if a.range(arg).lo.is_none_or(|l| l < 0) => Some(arg),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::decide::{Decider, DecisionAttempt, ModelEffort};
    use super::super::obligation::{Counterexample, Decision, Obligation};
    use crate::solver::WrapMode;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

    /// Builds `left = n - done; tail = (unsigned)left % (4 * width); a[n - tail]`, where `n` and `done` are at most a
    /// million.
    fn rest_of_row(a: &mut Arena, least_left: Option<i128>) -> (Obligation, TermId) {
        let mut input = |i, name: &str| a.fresh(SymKind::Input(InputSource::Argv(i)), name, Interval::of_int(32, true));
        let (n, done, width) = (input(1, "n"), input(2, "done"), input(3, "width"));
        let [zero, one, four, most, widest] = [0, 1, 4, 1_000_000, 1024].map(|v| a.int(v));
        let left = a.sub(n, done);
        let read = a.wrap(left, 32, false);
        let by = a.scale(width, 4);
        let tail = a.rem(read, by);
        let at = a.sub(n, tail);
        let (offset, extent) = (a.scale(at, 4), a.scale(n, 4));
        let mut facts = vec![a.le(one, n), a.le(n, most), a.le(zero, done), a.le(done, most), a.lt(zero, tail)];
        facts.extend([a.le(one, width), a.le(width, widest)]);
        if let Some(least) = least_left {
            let least = a.int(least);
            facts.push(a.le(least, left));
        }
        let facts = a.and_all(facts);
        (Obligation { facts, offset, bytes: four, extent }, left)
    }

    /// Decides with the one conversion read by value.
    fn by_value(a: &mut Arena, o: &Obligation) -> Decision {
        let (zero, end) = (a.int(0), a.add(o.offset, o.bytes));
        let goals = [a.le(zero, o.offset), a.le(end, o.extent)];
        let mut decider = Decider::default();
        let conversions = decider.wraps_of(a, goals[0]).to_vec();
        assert_eq!(conversions.len(), 1);
        decider.search(DecisionAttempt::default()).by_value(a, o, goals, &conversions, ModelEffort::Thorough)
    }

    #[test]
    fn a_negative_number_that_is_read_as_unsigned_is_a_value() {
        let mut a = Arena::new();
        let (o, left) = rest_of_row(&mut a, None);
        let Decision::Fails(Counterexample { model, mode, .. }) = by_value(&mut a, &o) else {
            panic!("n = 1 with 2 done leaves a row")
        };
        assert!(mode == WrapMode::Exact && model.value(&a, left, mode).is_some_and(|v| v < 0), "{model:?}");
    }

    /// Tests negative values only, not values above the maximum.
    #[test]
    fn what_is_never_negative_is_read_as_it_is() {
        let mut a = Arena::new();
        let (o, _) = rest_of_row(&mut a, Some(0));
        assert!(matches!(by_value(&mut a, &o), Decision::SafeIfNoWrap(named) if named.len() == 1));
        let decided = Decider::default().with(DecisionAttempt::default()).decide(&mut a, &o);
        assert!(matches!(decided.decision, Decision::Safe));
    }
}
