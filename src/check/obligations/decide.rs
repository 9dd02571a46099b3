//! Decision of one proof obligation: an access stays within its object.
//!
//! In: an [`Obligation`]. Out: a [`Decision`]: safe, safe if nothing wraps, a counterexample, or unknown with the
//! reason. A proof reads every [`Term::Wrap`] as the identity and then proves the range obligation of each wrap that
//! it rests on ([`super::ranges`]). Where one fails, exact arithmetic modulo 2^n is tried, then conversions read by
//! value ([`super::conversions`]); otherwise the access is safe only if that operation does not wrap.
//! [`super::proofs`] remembers proofs and refutations, [`super::models`] makes counterexamples small. The decider is
//! independent of kernels, launches and replays.

use super::models::QUICK;
use super::obligation::{Decision, Obligation};
use super::proofs::Proof;
use super::ranges::MetRanges;
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

/// Decides obligations and remembers proofs and models.
#[derive(Default)]
pub struct Decider {
    pub limits: SolverLimits,
    /// Work of all searches together, whatever their own limits are.
    pub until: Option<Allotment>,
    /// Whether a budget, rather than a model or a proof, ended some search of the last decision: a larger budget may
    /// decide.
    pub cut: bool,
    /// Inputs that are sizes: a failure that needs one of them below 1 is degenerate.
    pub sizes: Sizes,
    /// Bytes of device memory that a witness should not exceed, if there is a limit.
    pub handy: Option<u64>,
    /// Whether the search for a small witness is likely to be in vain: see `Tools::in_hurry`.
    pub hurried: bool,
    pub(super) decided: FxHashMap<Obligation, Decision>,
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

impl Decider {
    #[must_use]
    pub fn new(limits: SolverLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub fn decide(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.decide_with(a, o, ModelEffort::Thorough)
    }

    /// Decides as [`Self::decide`] does, but with the first model found, and without determining whether it is
    /// degenerate: for results that are examined again before they are replayed or shown.
    pub fn decide_roughly(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.decide_with(a, o, ModelEffort::Rough)
    }

    fn decide_with(&mut self, a: &mut Arena, o: &Obligation, care: ModelEffort) -> Decision {
        self.cut = false;
        if let Some(d) = self.decided.get(o) {
            return d.clone();
        }
        if self.until.is_some_and(Allotment::is_spent) {
            self.cut = true;
            return Decision::Unknown(UnknownReason::SolverWork);
        }
        let usual = self.limits;
        if let Some(until) = self.until {
            self.limits.work = usual.work.min(until.left());
        }
        let d = self.decide_new(a, o, care);
        self.limits = usual;
        if !(self.cut || care == ModelEffort::Rough && matches!(d, Decision::Fails(_))) {
            self.decided.insert(o.clone(), d.clone());
        }
        d
    }

    /// Decides whether a condition can hold at all; [`Decision::Safe`] where it cannot.
    pub fn happens(&mut self, a: &mut Arena, cond: TermId) -> Decision {
        self.happens_with(a, cond, ModelEffort::Thorough)
    }

    /// Decides as [`Self::happens`] does, with the first model found: for callers that need only its existence.
    pub fn happens_roughly(&mut self, a: &mut Arena, cond: TermId) -> Decision {
        self.happens_with(a, cond, ModelEffort::Rough)
    }

    fn happens_with(&mut self, a: &mut Arena, cond: TermId, care: ModelEffort) -> Decision {
        self.cut = false;
        let facts = a.conjuncts(cond);
        let never = a.bool(false);
        let limits = self.limits;
        match self.prove(a, cond, &facts, never, &limits) {
            Answer::Proved { .. } => Decision::Safe,
            Answer::Model(m) => self.fails(a, &facts, never, m, WrapMode::Assume, care),
            Answer::Unknown(why) => Decision::Unknown(why),
        }
    }

    /// Whether a proof shows that the condition implies `follows`, where nothing wraps.
    pub fn implies(&mut self, a: &mut Arena, cond: TermId, follows: TermId) -> bool {
        let (facts, limits) = (a.conjuncts(cond), self.limits);
        a.conjuncts(follows).into_iter().all(|goal| {
            a.as_bool(goal) == Some(true)
                || facts.contains(&goal)
                || matches!(self.prove(a, cond, &facts, goal, &limits), Answer::Proved { .. })
        })
    }

    fn decide_new(&mut self, a: &mut Arena, o: &Obligation, care: ModelEffort) -> Decision {
        let zero = a.int(0);
        let end = a.add(o.offset, o.bytes);
        let goals = [a.le(zero, o.offset), a.le(end, o.extent)];
        let facts = a.conjuncts(o.facts);
        // Often the goals follow even with wraps: indices of small arrays, guarded immediately before. Where nothing
        // can wrap, both readings coincide.
        let may_wrap = facts.iter().chain(&goals).any(|t| !self.wraps_of(a, *t).is_empty());
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
        if unmet.is_empty() {
            return Decision::Safe;
        }
        // Exact wrap-around arithmetic.
        let both = a.and(goals[0], goals[1]);
        let may_underflow = unmet.iter().any(|w| matches!(a.get(*w), Term::Wrap { signed: false, .. }));
        if !may_underflow && self.wrapping.iter().any(|m| m.refutes(a, &facts, both, WrapMode::Exact)) {
            return Decision::SafeIfNoWrap(self.name(a, &unmet));
        }
        let quick = SolverLimits { work: self.limits.work.min(QUICK), ..self.limits };
        // Where an operation is known not to wrap, no arithmetic modulo 2^n is needed.
        let plain = self.plain(a, o, both, &unmet, &met);
        let (read, goal) = {
            let mut read = |t: TermId| a.substitute(t, &plain);
            (facts.iter().map(|f| read(*f)).collect::<Vec<_>>(), read(both))
        };
        match solver::prove(a, &read, goal, WrapMode::Exact, &quick) {
            Answer::Proved { .. } => Decision::Safe,
            Answer::Model(m) if !may_underflow => {
                if self.wrapping.len() >= WRAPPING {
                    self.wrapping.remove(0);
                }
                self.wrapping.push(m);
                Decision::SafeIfNoWrap(self.name(a, &unmet))
            }
            Answer::Model(m) => {
                let d = self.underflowing(a, &facts, both, &unmet, m, care);
                let d = d.unwrap_or_else(|| self.by_value(a, o, goals, &unmet, care));
                // Only the smallest model decides: the first one may wrap in the other direction.
                self.cut |= care == ModelEffort::Rough && matches!(d, Decision::SafeIfNoWrap(_));
                d
            }
            Answer::Unknown(_) => {
                let d = if may_underflow {
                    self.by_value(a, o, goals, &unmet, care)
                } else {
                    Decision::SafeIfNoWrap(self.name(a, &unmet))
                };
                self.cut |= !matches!(d, Decision::Safe);
                d
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decider, Decision, MetRanges, Obligation};
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
        let mut decider = Decider::default();
        assert!(matches!(decider.decide_roughly(&mut a, &o), Decision::Fails(_)));
        let Decision::Fails(c) = decider.decide(&mut a, &o) else { panic!("n = 16 is beyond") };
        assert_eq!((c.model.value(&a, n, WrapMode::Assume), c.degenerate), (Some(16), false));
        // Only an input that is no size leads there.
        let facts = a.le(n, zero);
        let below = Obligation { facts, offset: n, bytes: one, extent: zero };
        assert!(matches!(decider.decide_roughly(&mut a, &below), Decision::Fails(_)));
        assert!(matches!(decider.decide(&mut a, &below), Decision::Fails(c) if c.degenerate));
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
        let mut decider = Decider::default();
        assert!(decider.implies(&mut a, both, more) && decider.implies(&mut a, both, both));
        assert!(!decider.implies(&mut a, together, positive) && !decider.implies(&mut a, positive, more));
        assert!(decider.known.is_empty(), "a small model was sought");
        let never = a.bool(false);
        assert!(decider.implies(&mut a, never, more));
        assert!(matches!(decider.happens_roughly(&mut a, both), Decision::Fails(_)));
        assert!(decider.known.is_empty(), "a small model was sought");
        assert!(matches!(decider.happens(&mut a, both), Decision::Fails(_)));
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
        assert!(matches!(Decider::default().decide(&mut a, &rounded), Decision::Safe));
        let mut d = Decider::default();
        let (all, goal) = (a.conjuncts(facts), {
            let end = a.add(offset, four);
            a.le(end, extent)
        });
        let limits = d.limits;
        let crate::solver::Answer::Proved { mut used, free, .. } = d.prove(&mut a, facts, &all, goal, &limits) else {
            panic!("it follows")
        };
        used.push(goal);
        assert_eq!(d.unmet(&mut a, facts, &used, &free).open, vec![]);
        assert_eq!(d.unmet(&mut a, facts, &used, &crate::solver::FreeTerms::default()).open, vec![wrapped]);
        let facts = a.and(facts, fewer);
        let beside = Obligation { facts, offset, bytes: four, extent: wrapped_extent };
        assert!(matches!(Decider::default().decide(&mut a, &beside), Decision::SafeIfNoWrap(_)));
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
        let mut d = Decider::default();
        let limits = d.limits;
        assert!(matches!(d.prove(&mut a, facts, &[facts], eight, &limits), crate::solver::Answer::Proved { .. }));
        assert!(d.proof_of(&mut a, &[facts, other], nine).is_some(), "what is at most 8 is at most 9");
        assert!(d.proof_of(&mut a, &[other], nine).is_none(), "and that only where the same is known");
        assert!(d.proof_of(&mut a, &[facts], six).is_none() && seven_ == facts);
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
        let mut d = Decider::default();
        // Only `x + 1000 <= 2000` keeps `x` small, and that also holds where the sum wraps.
        let known = MetRanges::from_iter([(fourfold, vec![]), (twofold, vec![sum])]);
        let plain = d.plain(&mut a, &o, goal, &[sum], &known);
        assert!(
            plain.contains_key(&fourfold) && !plain.contains_key(&sum) && !plain.contains_key(&twofold),
            "{plain:?}"
        );
        assert!(matches!(d.decide(&mut a, &o), Decision::SafeIfNoWrap(_)));
    }
}
