//! Decides one proof obligation: an access stays within its object.
//!
//! In: an [`Obligation`]. Out: a [`Decision`]: safe, safe if nothing wraps, a counterexample, or unknown with the reason. A proof reads
//! every [`Term::Wrap`] as the identity and then proves the range obligation of each that it rests on ([`super::ranges`]). Where one fails,
//! exact arithmetic modulo 2^n gets its chance, then conversions read by value ([`super::conversions`]); else the access is safe only
//! if that operation does not wrap. [`super::proofs`] remembers proofs and refutations, [`super::models`] makes counterexamples small.
//! It knows nothing of kernels, launches and replays.

use super::models::QUICK;
use super::obligation::{Decision, Obligation};
use super::proofs::Proof;
use super::ranges::Met;
use crate::counterexample::degenerate::Sizes;
use crate::solver::{self, Answer, Context, Groups, Limits, Model, WrapMode};
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Models with a wrap that are kept.
const WRAPPING: usize = 8;

/// How well a model is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// A small one, and whether it is degenerate.
    Thorough,
    /// The first will do: making it small has a price, and only what is replayed or shown needs that.
    Rough,
}

/// Decides obligations, remembering what it proved.
#[derive(Default)]
pub struct Decider {
    pub limits: Limits,
    /// What all searches may take together, whatever their limits are.
    pub until: Option<Allotment>,
    /// Whether a budget, rather than a model or a proof, ended some search of the last decision: more of it may decide.
    pub cut: bool,
    /// Inputs that are sizes: what happens only where one of them is below 1 is degenerate.
    pub sizes: Sizes,
    /// Bytes of the device's memory that a witness should not take more than, where there is one.
    pub handy: Option<u64>,
    /// Whether the search of a small witness is likely to be for nothing: see `Tools::in_hurry`.
    pub hurried: bool,
    pub(super) decided: FxHashMap<Obligation, Decision>,
    /// Facts that a goal was once proved from, and what is free in the proof: it follows from every set that contains them. By the goal without
    /// its constant: `x + 3 <= 0` shows `x + 2 <= 0` as well.
    pub(super) proofs: FxHashMap<TermId, Vec<Proof>>,
    /// Models of goals by the same key: one that refutes `x + 2 <= 0` refutes `x + 3 <= 0` as well.
    pub(super) refuting: FxHashMap<TermId, Vec<Model>>,
    /// Models in which a range obligation fails; one that satisfies other facts too refutes it under those.
    pub(super) models: FxHashMap<TermId, Vec<Model>>,
    /// Searches for range obligations that ended without an answer, by what they were given.
    pub(super) open_ranges: FxHashMap<(TermId, Work), u32>,
    /// Goals whose search was cut off under these facts, with what it was given.
    pub(super) hopeless: FxHashMap<(TermId, TermId), Work>,
    pub(super) wraps: FxHashMap<TermId, Vec<TermId>>,
    /// Facts prepared for earlier obligations, latest last: the next ones often share them.
    pub(super) contexts: Vec<((TermId, WrapMode), Context)>,
    pub(super) groups: Groups,
    /// The symbols of facts and goals.
    pub(super) symbols: FxHashMap<TermId, Rc<[SymId]>>,
    /// Models in which an access went out of bounds because something wrapped: they often show the same of the next.
    pub(super) wrapping: Vec<Model>,
    /// Inputs that led out of bounds before: one bad run often shows several accesses.
    pub(super) known: Vec<Vec<(SymId, i128)>>,
}

impl Decider {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub fn decide(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.decide_with(a, o, Care::Thorough)
    }

    /// As [`Self::decide`], but a model is the first that comes and says nothing of whether it is degenerate: for what is looked
    /// at again before it is replayed or shown.
    pub fn decide_roughly(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.decide_with(a, o, Care::Rough)
    }

    fn decide_with(&mut self, a: &mut Arena, o: &Obligation, care: Care) -> Decision {
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
        if !(self.cut || care == Care::Rough && matches!(d, Decision::Fails { .. })) {
            self.decided.insert(o.clone(), d.clone());
        }
        d
    }

    /// Whether something can happen at all: [`Decision::Safe`] where its condition cannot hold.
    pub fn happens(&mut self, a: &mut Arena, cond: TermId) -> Decision {
        self.happens_with(a, cond, Care::Thorough)
    }

    /// As [`Self::happens`], with the first model that comes: for what needs to know whether there is one, and nothing of it.
    pub fn happens_roughly(&mut self, a: &mut Arena, cond: TermId) -> Decision {
        self.happens_with(a, cond, Care::Rough)
    }

    fn happens_with(&mut self, a: &mut Arena, cond: TermId, care: Care) -> Decision {
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

    /// Whether what follows is proved to follow from a condition, where nothing wraps.
    pub fn implies(&mut self, a: &mut Arena, cond: TermId, follows: TermId) -> bool {
        let (facts, limits) = (a.conjuncts(cond), self.limits);
        a.conjuncts(follows).into_iter().all(|goal| {
            a.as_bool(goal) == Some(true)
                || facts.contains(&goal)
                || matches!(self.prove(a, cond, &facts, goal, &limits), Answer::Proved { .. })
        })
    }

    fn decide_new(&mut self, a: &mut Arena, o: &Obligation, care: Care) -> Decision {
        let zero = a.int(0);
        let end = a.add(o.offset, o.bytes);
        let goals = [a.le(zero, o.offset), a.le(end, o.extent)];
        let facts = a.conjuncts(o.facts);
        // Often enough whatever wraps: indices of small arrays, guarded right before. Where nothing can wrap, both readings are one.
        let may_wrap = facts.iter().chain(&goals).any(|t| !self.wraps_of(a, *t).is_empty());
        if goals.iter().all(|g| a.as_bool(*g) == Some(true) || may_wrap && self.bound_exactly(a, o.facts, &facts, *g)) {
            return Decision::Safe;
        }
        let mut unmet: Vec<TermId> = vec![];
        let mut met: Met = Met::default();
        for goal in goals {
            if a.as_bool(goal) == Some(true) {
                continue;
            }
            let (mut roots, free) = match self.bound(a, o.facts, &facts, goal) {
                Some(proof) => proof,
                None => {
                    if care == Care::Thorough
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
        // With wrap-around as it is.
        let both = a.and(goals[0], goals[1]);
        let may_underflow = unmet.iter().any(|w| matches!(a.get(*w), Term::Wrap { signed: false, .. }));
        if !may_underflow && self.wrapping.iter().any(|m| m.refutes(a, &facts, both, WrapMode::Exact)) {
            return Decision::SafeIfNoWrap(self.name(a, &unmet));
        }
        let quick = Limits { work: self.limits.work.min(QUICK), ..self.limits };
        // Where an operation is known not to wrap, there is nothing to compute modulo 2^n.
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
                // Only the smallest model tells: any first one may wrap the other way.
                self.cut |= care == Care::Rough && matches!(d, Decision::SafeIfNoWrap(_));
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
    use super::{Decider, Decision, Met, Obligation};
    use crate::solver::WrapMode;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Range;
    use engine::symbolic::terms::term::{InputSource, SymKind};

    #[test]
    fn a_rough_look_leaves_the_next_ones_thorough() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Range::of_int(32, true));
        let [zero, one, extent] = [0, 1, 16].map(|v| a.int(v));
        let facts = a.le(zero, n);
        let o = Obligation { facts, offset: n, bytes: one, extent };
        let mut decider = Decider::default();
        assert!(matches!(decider.decide_roughly(&mut a, &o), Decision::Fails { .. }));
        let Decision::Fails { model, degenerate, .. } = decider.decide(&mut a, &o) else { panic!("n = 16 is beyond") };
        assert_eq!((model.value(&a, n, WrapMode::Assume), degenerate), (Some(16), false));
        // Only an input that is no size leads there.
        let facts = a.le(n, zero);
        let below = Obligation { facts, offset: n, bytes: one, extent: zero };
        assert!(matches!(decider.decide_roughly(&mut a, &below), Decision::Fails { .. }));
        assert!(matches!(decider.decide(&mut a, &below), Decision::Fails { degenerate: true, .. }));
    }

    #[test]
    fn what_follows_is_proved_goal_by_goal_and_no_model_is_sought_of_the_rest() {
        let mut a = Arena::new();
        let [n, m] =
            ["n", "m"].map(|name| a.fresh(SymKind::Input(InputSource::Argv(1)), name, Range::of_int(32, true)));
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
        assert!(matches!(decider.happens_roughly(&mut a, both), Decision::Fails { .. }));
        assert!(decider.known.is_empty(), "a small model was sought");
        assert!(matches!(decider.happens(&mut a, both), Decision::Fails { .. }));
    }

    /// What wraps below bitwise operations has no part in a proof that holds whatever they give; what wraps beside them has.
    #[test]
    fn obligations_end_at_what_a_proof_takes_as_any_number() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Range::of_int(32, true));
        let i = a.fresh(SymKind::Input(InputSource::Argv(2)), "i", Range::of_int(32, true));
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
        assert_eq!(d.unmet(&mut a, facts, &used, &crate::solver::Free::default()).open, vec![wrapped]);
        let facts = a.and(facts, fewer);
        let beside = Obligation { facts, offset, bytes: four, extent: wrapped_extent };
        assert!(matches!(Decider::default().decide(&mut a, &beside), Decision::SafeIfNoWrap(_)));
    }

    /// What is proved, or refuted, of one access of a family decides others without another search.
    #[test]
    fn goals_that_differ_by_a_constant_share_an_answer() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Range::of_int(32, true));
        let i = a.fresh(SymKind::Input(InputSource::Argv(2)), "i", Range::of_int(32, true));
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
        let nothing = crate::solver::Limits { work: base::work::Work::NONE, steps: 0, core: false };
        let crate::solver::Answer::Model(m) = d.prove(&mut a, facts, &[facts], five, &nothing) else {
            panic!("what is above 6 is above 5")
        };
        assert!(m.refutes(&a, &[facts], five, WrapMode::Assume));
    }

    /// What is known not to wrap is read as it is beside what may wrap, unless that is known only where something does not wrap that may.
    #[test]
    fn what_rests_on_what_may_wrap_is_computed_modulo() {
        let mut a = Arena::new();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Range::of_int(32, true));
        let x = a.fresh(SymKind::Input(InputSource::Argv(2)), "x", Range::of_int(32, true));
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
        // Only `x + 1000 <= 2000` keeps `x` small, and that holds as well where the sum wraps.
        let known = Met::from_iter([(fourfold, vec![]), (twofold, vec![sum])]);
        let plain = d.plain(&mut a, &o, goal, &[sum], &known);
        assert!(
            plain.contains_key(&fourfold) && !plain.contains_key(&sum) && !plain.contains_key(&twofold),
            "{plain:?}"
        );
        assert!(matches!(d.decide(&mut a, &o), Decision::SafeIfNoWrap(_)));
    }
}
