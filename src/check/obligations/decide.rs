//! Decision of one proof obligation: an access stays within its object.
//!
//! In: an [`Obligation`], and limits of the work on it. Out: a [`Decision`]: safe, safe if nothing wraps, a
//! counterexample, or unknown with the reason; and whether a budget ended a search. A proof reads every [`Term::Wrap`]
//! as the identity and then proves the range obligation of each wrap that it rests on ([`super::ranges`]). Where one
//! fails, exact arithmetic modulo 2^n is tried, then conversions read by value ([`super::conversions`]); otherwise the
//! access is safe only if that operation does not wrap. [`super::proofs`] remembers proofs and refutations,
//! [`super::models`] makes counterexamples small. The decider is independent of kernels, launches and replays.

use super::families::{Families, FamilyMember};
use super::models::QUICK;
use super::obligation::{Decision, Obligation};
use super::proofs::Proof;
use super::ranges::{MetRanges, RangeObligations};
use crate::counterexample::degenerate::Sizes;
use crate::solver::{self, Answer, FactContext, GroupResults, Model, SolverLimits, WrapMode};
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most remembered models in which an operation wraps.
const WRAPPING: usize = 8;

/// Effort spent on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelEffort {
    /// Searches for a small model, and determines whether it is degenerate.
    Thorough,
    /// Takes the first model: making it small is expensive, and only replayed or shown models need that.
    Rough,
}

/// Limits of the work on one decision.
#[derive(Clone, Copy, Debug)]
pub struct DecisionAttempt {
    pub limits: SolverLimits,
    /// Work of all proof searches of an access together. Searches for a witness go on: a bug is worth more.
    pub proofs: Allotment,
    /// Work of this and other decisions and replays together, whatever their own limits are.
    pub until: Allotment,
    /// Whether the search for a small witness is likely to be in vain, and gets no more work than others.
    pub hurried: bool,
}

/// A decision of the decider.
#[derive(Debug)]
pub struct Decided {
    pub decision: Decision,
    /// Whether a budget, rather than a model or a proof, ended some search: a larger budget may decide.
    pub cut: bool,
}

/// Decides obligations and remembers proofs and models.
#[derive(Default)]
pub struct Decider {
    /// Inputs that are sizes: a failure that needs one of them below 1 is degenerate.
    pub sizes: Sizes,
    /// Bytes of device memory that a witness should not exceed, if there is a limit.
    pub handy: Option<u64>,
    pub(super) decided: FxHashMap<Obligation, Decision>,
    pub(super) families: Families,
    /// Facts that once proved a goal, and the free terms of the proof: the goal follows from every superset of these
    /// facts. The key is the goal without its constant: `x + 3 <= 0` shows `x + 2 <= 0` as well.
    pub(super) proofs: FxHashMap<TermId, Vec<Proof>>,
    /// Models that refute goals, by the same key: one that refutes `x + 2 <= 0` refutes `x + 3 <= 0` as well.
    pub(super) refuting: FxHashMap<TermId, Vec<Model>>,
    /// Models in which a range obligation fails; one that satisfies other facts too refutes it under those.
    pub(super) models: FxHashMap<TermId, Vec<Model>>,
    /// Numbers of searches for a range obligation without an answer, by goal and work.
    pub(super) open_ranges: FxHashMap<(TermId, Work), u32>,
    /// Work of the last search, for goals whose search was cut off under these facts.
    pub(super) hopeless: FxHashMap<(TermId, TermId), Work>,
    pub(super) wraps: FxHashMap<TermId, Vec<TermId>>,
    /// Terms below a term that may be quotients by a precomputed factor.
    pub(super) quotients: FxHashMap<TermId, Rc<[TermId]>>,
    /// Answers whether facts show that an exponent is the logarithm of a divisor, rounded up.
    pub(super) logarithms: FxHashMap<(TermId, TermId, TermId), bool>,
    /// Facts prepared for earlier obligations, latest last; the next obligations often share them.
    pub(super) contexts: Vec<((TermId, WrapMode), FactContext)>,
    pub(super) groups: GroupResults,
    /// Symbols of facts and goals.
    pub(super) symbols: FxHashMap<TermId, Rc<[SymId]>>,
    /// Models in which an access went out of bounds because an operation wrapped: they often refute the next access
    /// too.
    pub(super) wrapping: Vec<Model>,
    /// Inputs that led out of bounds before: one bad run often shows several accesses.
    pub(super) known: Vec<Vec<(SymId, i128)>>,
}

/// A decider and the limits of each of its decisions.
pub struct LimitedDecider<'d> {
    decider: &'d mut Decider,
    pub attempt: DecisionAttempt,
}

/// Searches for one decision.
pub(super) struct Search<'d> {
    pub decider: &'d mut Decider,
    pub limits: SolverLimits,
    pub proofs: Allotment,
    pub until: Allotment,
    pub hurried: bool,
    pub cut: bool,
}

impl Default for DecisionAttempt {
    fn default() -> Self {
        Self {
            limits: SolverLimits::default(),
            proofs: Allotment::UNLIMITED,
            until: Allotment::UNLIMITED,
            hurried: false,
        }
    }
}

impl DecisionAttempt {
    #[must_use]
    pub const fn with_work(mut self, work: Work) -> Self {
        self.limits.work = work;
        self
    }
}

impl Decider {
    pub const fn with(&mut self, attempt: DecisionAttempt) -> LimitedDecider<'_> {
        LimitedDecider { decider: self, attempt }
    }

    pub(super) const fn search(&mut self, attempt: DecisionAttempt) -> Search<'_> {
        let DecisionAttempt { limits, proofs, until, hurried } = attempt;
        Search { decider: self, limits, proofs, until, hurried, cut: false }
    }
}

impl Decider {
    /// Announces an obligation that will be decided: what is proved of one of its kind is then proved of all.
    pub fn expect(&mut self, a: &mut Arena, o: &Obligation) {
        if !o.is_settled(a)
            && let Some(member) = FamilyMember::of(self, a, o)
        {
            self.families.expect(member);
        }
    }
}

impl LimitedDecider<'_> {
    pub fn decide(&mut self, a: &mut Arena, o: &Obligation) -> Decided {
        self.decide_with(a, o, ModelEffort::Thorough)
    }

    /// Decides as [`Self::decide`] does, but with the first model found, and without determining whether it is
    /// degenerate: for results that are examined again before they are replayed or shown.
    pub fn decide_roughly(&mut self, a: &mut Arena, o: &Obligation) -> Decided {
        self.decide_with(a, o, ModelEffort::Rough)
    }

    fn decide_with(&mut self, a: &mut Arena, o: &Obligation, care: ModelEffort) -> Decided {
        if let Some(d) = self.decider.decided.get(o) {
            return Decided { decision: d.clone(), cut: false };
        }
        if self.attempt.until.is_spent() {
            return Decided { decision: Decision::Unknown(UnknownReason::SolverWork), cut: true };
        }
        let member = if o.is_settled(a) { None } else { FamilyMember::of(self.decider, a, o) };
        if let Some(member) = &member
            && self.decider.families.has_instance(member)
        {
            self.decider.decided.insert(o.clone(), Decision::Safe);
            return Decided { decision: Decision::Safe, cut: false };
        }
        let work = self.attempt.limits.work.min(self.attempt.until.left());
        let attempt = self.attempt.with_work(work);
        let mut search = self.decider.search(attempt);
        let decision = search.decide(a, o, care);
        let cut = search.cut;
        if let (Some(member), Decision::Safe) = (&member, &decision) {
            self.decider.families.add(a, member, attempt);
        }
        if !(cut || care == ModelEffort::Rough && matches!(decision, Decision::Fails(_))) {
            self.decider.decided.insert(o.clone(), decision.clone());
        }
        Decided { decision, cut }
    }

    /// Decides whether a condition can hold at all; [`Decision::Safe`] where it cannot, even if operations wrap.
    pub fn happens(&mut self, a: &mut Arena, cond: TermId) -> Decided {
        self.happens_with(a, cond, ModelEffort::Thorough)
    }

    /// Decides as [`Self::happens`] does, with the first model found: for callers that need only its existence.
    pub fn happens_roughly(&mut self, a: &mut Arena, cond: TermId) -> Decided {
        self.happens_with(a, cond, ModelEffort::Rough)
    }

    fn happens_with(&mut self, a: &mut Arena, cond: TermId, care: ModelEffort) -> Decided {
        let mut search = self.decider.search(self.attempt);
        let facts = a.conjuncts(cond);
        let never = a.bool(false);
        let decision = match search.prove(a, cond, &facts, never, &self.attempt.limits) {
            Answer::Proved { used, free, .. } => {
                // The event is an access to an object without bytes: it fails wherever it happens.
                let [zero, one] = [0, 1].map(|v| a.int(v));
                let o = Obligation { facts: cond, offset: zero, bytes: one, extent: zero };
                let RangeObligations { open, met } = search.unmet(a, cond, &used, &free);
                search.in_machine_arithmetic(a, &o, [never, never], (&open, &met), care)
            }
            Answer::Model(m) => search.fails(a, &facts, never, m, WrapMode::Assume, care),
            Answer::Unknown(why) => Decision::Unknown(why),
        };
        Decided { decision, cut: search.cut }
    }

    /// Whether a proof shows that the condition implies `follows`, where nothing wraps.
    pub fn implies(&mut self, a: &mut Arena, cond: TermId, follows: TermId) -> bool {
        let (facts, mut search) = (a.conjuncts(cond), self.decider.search(self.attempt));
        a.conjuncts(follows).into_iter().all(|goal| {
            a.as_bool(goal) == Some(true)
                || facts.contains(&goal)
                || matches!(search.prove(a, cond, &facts, goal, &self.attempt.limits), Answer::Proved { .. })
        })
    }
}

impl Search<'_> {
    pub(super) fn decide(&mut self, a: &mut Arena, o: &Obligation, care: ModelEffort) -> Decision {
        let o = &self.with_divisions(a, o);
        let zero = a.int(0);
        let end = a.add(o.offset, o.bytes);
        let goals = [a.le(zero, o.offset), a.le(end, o.extent)];
        let facts = a.conjuncts(o.facts);
        // Often the goals follow even with wraps: indices of small arrays, guarded immediately before. Where nothing
        // can wrap, both readings coincide.
        let may_wrap = facts.iter().chain(&goals).any(|t| !self.decider.wraps_of(a, *t).is_empty());
        if goals.iter().all(|g| a.as_bool(*g) == Some(true) || may_wrap && self.bound_exactly(a, o.facts, &facts, *g)) {
            return Decision::Safe;
        }
        let mut unmet: Vec<TermId> = vec![];
        let mut met: MetRanges = MetRanges::default();
        for goal in goals {
            if a.as_bool(goal) == Some(true) {
                continue;
            }
            let (mut roots, free) = match self.bound(a, o.facts, &facts, goal) {
                Some(proof) => proof,
                None => {
                    if care == ModelEffort::Thorough
                        && let Some(d) = self.known_input(a, &facts, goal)
                    {
                        return d;
                    }
                    let limits = self.limits;
                    match self.prove(a, o.facts, &facts, goal, &limits) {
                        Answer::Proved { used, free, .. } => (used, free),
                        Answer::Model(m) => return self.fails(a, &facts, goal, m, WrapMode::Assume, care),
                        Answer::Unknown(why) => return Decision::Unknown(why),
                    }
                }
            };
            roots.push(goal);
            let found = self.unmet(a, o.facts, &roots, &free);
            for w in found.open {
                if !unmet.contains(&w) {
                    unmet.push(w);
                }
            }
            met.extend(found.met);
        }
        self.in_machine_arithmetic(a, o, goals, (&unmet, &met), care)
    }

    /// Decides an obligation that holds where `unmet` operations do not wrap, by exact wrap-around arithmetic.
    fn in_machine_arithmetic(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goals: [TermId; 2],
        (unmet, met): (&[TermId], &MetRanges),
        care: ModelEffort,
    ) -> Decision {
        if unmet.is_empty() {
            return Decision::Safe;
        }
        let facts = a.conjuncts(o.facts);
        let both = a.and(goals[0], goals[1]);
        let may_underflow = unmet.iter().any(|w| matches!(a.get(*w), Term::Wrap { signed: false, .. }));
        if !may_underflow && self.decider.wrapping.iter().any(|m| m.refutes(a, &facts, both, WrapMode::Exact)) {
            return Decision::SafeIfNoWrap(self.decider.name(a, unmet));
        }
        let quick = self.within(SolverLimits { work: self.limits.work.min(QUICK), ..self.limits });
        // Where an operation is known not to wrap, no arithmetic modulo 2^n is needed.
        let plain = self.plain(a, o, both, unmet, met);
        let (read, goal) = {
            let mut read = |t: TermId| a.substitute(t, &plain);
            (facts.iter().map(|f| read(*f)).collect::<Vec<_>>(), read(both))
        };
        match solver::prove(a, &read, goal, WrapMode::Exact, &quick) {
            Answer::Proved { .. } => Decision::Safe,
            Answer::Model(m) if !may_underflow => {
                if self.decider.wrapping.len() >= WRAPPING {
                    self.decider.wrapping.remove(0);
                }
                self.decider.wrapping.push(m);
                Decision::SafeIfNoWrap(self.decider.name(a, unmet))
            }
            Answer::Model(m) => {
                let d = self.underflowing(a, &facts, both, unmet, m, care);
                let d = d.unwrap_or_else(|| self.by_value(a, o, goals, unmet, care));
                // Only the smallest model decides: the first one may wrap in the other direction.
                self.cut |= care == ModelEffort::Rough && matches!(d, Decision::SafeIfNoWrap(_));
                d
            }
            Answer::Unknown(_) => {
                let d = if may_underflow {
                    self.by_value(a, o, goals, unmet, care)
                } else {
                    Decision::SafeIfNoWrap(self.decider.name(a, unmet))
                };
                self.cut |= !matches!(d, Decision::Safe);
                d
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decider, Decision, DecisionAttempt, MetRanges, Obligation};
    use crate::solver::WrapMode;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind};

    #[test]
    fn a_rough_look_leaves_the_next_ones_thorough() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::of_int(32, true));
        let [zero, one, extent] = [0, 1, 16].map(|v| a.int(v));
        let facts = a.le(zero, n);
        let o = Obligation { facts, offset: n, bytes: one, extent };
        let mut fresh = Decider::default();
        let mut decider = fresh.with(DecisionAttempt::default());
        assert!(matches!(decider.decide_roughly(&mut a, &o).decision, Decision::Fails(_)));
        let Decision::Fails(c) = decider.decide(&mut a, &o).decision else { panic!("n = 16 is beyond") };
        assert_eq!((c.model.value(&a, n, WrapMode::Assume), c.degenerate), (Some(16), false));
        // Only an input that is no size leads there.
        let facts = a.le(n, zero);
        let below = Obligation { facts, offset: n, bytes: one, extent: zero };
        assert!(matches!(decider.decide_roughly(&mut a, &below).decision, Decision::Fails(_)));
        assert!(matches!(decider.decide(&mut a, &below).decision, Decision::Fails(c) if c.degenerate));
    }

    /// Tests `n < end && n - 5 > most`, which holds only for `n < 5`, where the difference wraps.
    #[test]
    fn a_condition_that_holds_only_where_an_operation_wraps_can_hold() {
        for (least, end, most, happens) in [(0, 10, 100, true), (5, 10, 100, false), (0, 3, (1 << 32) - 3, false)] {
            let mut a = Arena::new();
            let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::of_int(32, false));
            let [least, end, most] = [least, end, most].map(|v| a.int(v));
            let less = a.add_const(n, -5);
            let less = a.wrap(less, 32, false);
            let facts = [a.le(least, n), a.lt(n, end), a.lt(most, less)];
            let cond = a.and_all(facts.to_vec());
            for rough in [false, true] {
                let mut fresh = Decider::default();
                let mut decider = fresh.with(DecisionAttempt::default());
                let decided = if rough { decider.happens_roughly(&mut a, cond) } else { decider.happens(&mut a, cond) };
                match decided.decision {
                    Decision::Fails(c) => {
                        assert!(happens && c.mode == WrapMode::Exact);
                        assert_eq!(c.model.value(&a, cond, c.mode), Some(1));
                    }
                    Decision::Safe => assert!(!happens, "{rough}"),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn what_follows_is_proved_goal_by_goal_and_no_model_is_sought_of_the_rest() {
        let mut a = Arena::new();
        let [n, m] =
            ["n", "m"].map(|name| a.fresh(SymKind::Input(InputSource::Argv(1)), name, Interval::of_int(32, true)));
        let [one, three] = [1, 3].map(|v| a.int(v));
        let product = a.mul(n, m);
        let (positive, larger, together) = (a.le(one, n), a.le(three, m), a.le(three, product));
        let both = a.and(positive, larger);
        let more = a.and(together, positive);
        let mut fresh = Decider::default();
        let mut decider = fresh.with(DecisionAttempt::default());
        assert!(decider.implies(&mut a, both, more) && decider.implies(&mut a, both, both));
        assert!(!decider.implies(&mut a, together, positive) && !decider.implies(&mut a, positive, more));
        assert!(decider.decider.known.is_empty(), "a small model was sought");
        let never = a.bool(false);
        assert!(decider.implies(&mut a, never, more));
        assert!(matches!(decider.happens_roughly(&mut a, both).decision, Decision::Fails(_)));
        assert!(decider.decider.known.is_empty(), "a small model was sought");
        assert!(matches!(decider.happens(&mut a, both).decision, Decision::Fails(_)));
    }

    /// Tests that a proof does not rest on wraps below bitwise operations that it abstracts, but does rest on wraps
    /// beside them.
    #[test]
    fn obligations_end_at_what_a_proof_takes_as_any_number() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::of_int(32, true));
        let i = a.fresh(SymKind::Input(InputSource::Argv(2)), "i", Interval::of_int(32, true));
        let [zero, four, thousand] = [0, 4, 1000].map(|v| a.int(v));
        let more = a.add(n, thousand);
        let wrapped = a.wrap(more, 32, true);
        let size = [2, 4, 16].into_iter().fold(wrapped, |n, by| {
            let part = a.floor_div(n, by);
            a.bit_or(n, part, 32)
        });
        let next = a.add_const(i, 1);
        let index = a.wrap(next, 32, false);
        let (not_negative, below, fewer) = (a.le(zero, i), a.lt(next, size), a.lt(next, more));
        let (offset, extent, wrapped_extent) = (a.scale(index, 4), a.scale(size, 4), a.scale(wrapped, 4));
        let facts = a.and(not_negative, below);
        let rounded = Obligation { facts, offset, bytes: four, extent };
        assert!(matches!(
            Decider::default().with(DecisionAttempt::default()).decide(&mut a, &rounded).decision,
            Decision::Safe
        ));
        let mut fresh = Decider::default();
        let mut d = fresh.search(DecisionAttempt::default());
        let limits = d.limits;
        let (all, goal) = (a.conjuncts(facts), {
            let end = a.add(offset, four);
            a.le(end, extent)
        });
        let crate::solver::Answer::Proved { mut used, free, .. } = d.prove(&mut a, facts, &all, goal, &limits) else {
            panic!("it follows")
        };
        used.push(goal);
        assert_eq!(d.unmet(&mut a, facts, &used, &free).open, vec![]);
        assert_eq!(d.unmet(&mut a, facts, &used, &crate::solver::FreeTerms::default()).open, vec![wrapped]);
        let facts = a.and(facts, fewer);
        let beside = Obligation { facts, offset, bytes: four, extent: wrapped_extent };
        assert!(matches!(
            Decider::default().with(DecisionAttempt::default()).decide(&mut a, &beside).decision,
            Decision::SafeIfNoWrap(_)
        ));
    }

    /// Tests that a proof, or a refutation, for one access of a family decides others without another search.
    #[test]
    fn goals_that_differ_by_a_constant_share_an_answer() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::of_int(32, true));
        let i = a.fresh(SymKind::Input(InputSource::Argv(2)), "i", Interval::of_int(32, true));
        let product = a.mul(n, i);
        let (seven, zero) = (a.int(7), a.int(0));
        let (facts, other) = (a.le(product, seven), a.le(zero, n));
        let mut goal = |at_most: i128| {
            let m = a.int(at_most);
            a.le(product, m)
        };
        let [seven_, eight, nine, six, five] = [7, 8, 9, 6, 5].map(&mut goal);
        let mut fresh = Decider::default();
        let mut d = fresh.search(DecisionAttempt::default());
        let limits = d.limits;
        assert!(matches!(d.prove(&mut a, facts, &[facts], eight, &limits), crate::solver::Answer::Proved { .. }));
        assert!(d.decider.proof_of(&mut a, &[facts, other], nine).is_some(), "what is at most 8 is at most 9");
        assert!(d.decider.proof_of(&mut a, &[other], nine).is_none(), "and that only where the same is known");
        assert!(d.decider.proof_of(&mut a, &[facts], six).is_none() && seven_ == facts);
        let crate::solver::Answer::Model(_) = d.prove(&mut a, facts, &[facts], six, &limits) else {
            panic!("it may be 7")
        };
        let nothing = crate::solver::SolverLimits { work: base::work::Work::NONE, steps: 0, core: false };
        let crate::solver::Answer::Model(m) = d.prove(&mut a, facts, &[facts], five, &nothing) else {
            panic!("what is above 6 is above 5")
        };
        assert!(m.refutes(&a, &[facts], five, WrapMode::Assume));
    }

    /// Tests that an operation known not to wrap is read as the identity beside operations that may wrap, unless its
    /// proof rests on one of these.
    #[test]
    fn what_rests_on_what_may_wrap_is_computed_modulo() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::of_int(32, true));
        let x = a.fresh(SymKind::Input(InputSource::Argv(2)), "x", Interval::of_int(32, true));
        let [zero, one, hundred, thousand] = [0, 1, 100, 1000].map(|v| a.int(v));
        let fourfold = {
            let all = a.scale(n, 4);
            a.wrap(all, 32, true)
        };
        let sum = {
            let sum = a.add(x, thousand);
            a.wrap(sum, 32, true)
        };
        let twofold = {
            let all = a.scale(x, 2);
            a.wrap(all, 32, true)
        };
        let (most, end) = (a.int(2000), a.int(1001));
        let facts = [
            a.le(zero, n),
            a.le(n, hundred),
            a.le(fourfold, hundred),
            a.le(zero, x),
            a.le(sum, most),
            a.le(twofold, most),
        ];
        let facts = a.and_all(facts.to_vec());
        let o = Obligation { facts, offset: x, bytes: one, extent: end };
        let goal = {
            let last = a.add(x, one);
            a.le(last, end)
        };
        let mut fresh = Decider::default();
        let mut d = fresh.search(DecisionAttempt::default());
        // Only `x + 1000 <= 2000` keeps `x` small, and that also holds where the sum wraps.
        let known = MetRanges::from_iter([(fourfold, vec![]), (twofold, vec![sum])]);
        let plain = d.plain(&mut a, &o, goal, &[sum], &known);
        assert!(
            plain.contains_key(&fourfold) && !plain.contains_key(&sum) && !plain.contains_key(&twofold),
            "{plain:?}"
        );
        // An operation beside those of the proof is examined too.
        let less = [a.le(zero, n), a.le(n, hundred), a.le(sum, most)];
        let less = Obligation { facts: a.and_all(less.to_vec()), ..o.clone() };
        let small = a.le(fourfold, end);
        let others = d.plain(&mut a, &less, small, &[sum], &MetRanges::default());
        assert!(others.contains_key(&fourfold) && !others.contains_key(&sum), "{others:?}");
        assert!(matches!(
            fresh.with(DecisionAttempt::default()).decide(&mut a, &o).decision,
            Decision::SafeIfNoWrap(_)
        ));
    }
}
