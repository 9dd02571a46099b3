//! Decides one obligation: an access stays within its object.
//!
//! A proof reads every range obligation ([`Term::Wrap`]) as met and then proves each one that it rests on, from facts
//! that rest only on older ones, so that no obligation supports itself. Where one fails, exact arithmetic modulo 2^n
//! gets its chance; else the access is safe only if that operation does not wrap.

use crate::check::counterexample::degenerate::Sizes;
use crate::check::findings::wording;
use crate::check::solver;
use crate::check::solver::{Answer, Context, Free, Groups, Limits, Model, ModelAnswer, WrapMode};
use crate::symbolic::terms::term::{Arena, Range, SymId, SymKind, Term, TermId};
use crate::work::{Allotment, Work};
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of an obligation.
#[derive(Clone, Debug)]
pub enum Decision {
    Safe,
    /// Safe where these operations do not wrap.
    SafeIfNoWrap(Vec<String>),
    /// A model in which the access is out of bounds; it reads wraps as said.
    Fails {
        model: Model,
        mode: WrapMode,
        degenerate: bool,
    },
    Unknown(String),
}

/// One access to one object under one condition. Terms are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Obligation {
    pub facts: TermId,
    pub offset: TermId,
    pub bytes: TermId,
    pub extent: TermId,
}

/// The least that the search of a small witness gets, and the most of searches that are one of several.
const SMALLEST: Work = Work::seconds(1);
const QUICK: Work = Work::millis(700);
const KNOWN_INPUT: Work = Work::millis(300);
const ONE_RANGE: Work = Work::millis(1500);

/// Models with a wrap that are kept.
const WRAPPING: usize = 8;

/// How many times one obligation's limit the range obligations may take that it rests on.
const UNMET_TIMES: u64 = 4;

/// Searches for one range obligation that may end without an answer.
const RANGE_TRIES: u32 = 3;

/// Wraps beside those of a proof that are looked at before a search in the machine's own arithmetic.
const OTHER_WRAPS: usize = 32;

/// Range obligations that were met, with those that their proofs rest on.
type Met = FxHashMap<TermId, Vec<TermId>>;

/// Range obligations that were looked at.
#[derive(Debug, Default, PartialEq)]
struct Ranges {
    open: Vec<TermId>,
    met: Met,
}

/// Why `x + constant <= 0` holds: facts, and what is free in the proof. Of goals of another form the constant is 0.
#[derive(Clone, Debug)]
struct Proof {
    constant: i128,
    used: Vec<TermId>,
    free: Free,
}

/// Proofs and models that are kept of each family of goals that differ by a constant.
const OF_A_FAMILY: usize = 8;

/// Prepared sets of facts that are kept.
const CONTEXTS: usize = 8;

/// Decides obligations, remembering what it proved.
#[derive(Default)]
pub struct Decider {
    pub limits: Limits,
    /// What all searches may take together, whatever their limits are.
    pub until: Option<Allotment>,
    /// Whether a budget, rather than a model or a proof, ended some search of the last decision: more of it may decide.
    pub cut: bool,
    /// Whether the first model will do: making it small has a price, and only what is replayed or shown needs that.
    rough: bool,
    /// Inputs that are sizes: what happens only where one of them is below 1 is degenerate.
    pub sizes: Sizes,
    /// Whether the search of a small witness is likely to be for nothing.
    pub hurried: bool,
    decided: FxHashMap<Obligation, Decision>,
    /// Facts that a goal was once proved from, and what is free in the proof: it follows from every set that contains them. By the goal without
    /// its constant: `x + 3 <= 0` shows `x + 2 <= 0` as well.
    proofs: FxHashMap<TermId, Vec<Proof>>,
    /// Models of goals by the same key: one that refutes `x + 2 <= 0` refutes `x + 3 <= 0` as well.
    refuting: FxHashMap<TermId, Vec<Model>>,
    /// Models in which a range obligation fails; one that satisfies other facts too refutes it under those.
    models: FxHashMap<TermId, Vec<Model>>,
    /// Searches for range obligations that ended without an answer, by what they were given.
    open_ranges: FxHashMap<(TermId, Work), u32>,
    /// Goals whose search was cut off under these facts, with what it was given.
    hopeless: FxHashMap<(TermId, TermId), Work>,
    wraps: FxHashMap<TermId, Vec<TermId>>,
    /// Facts prepared for earlier obligations, latest last: the next ones often share them.
    contexts: Vec<((TermId, WrapMode), Context)>,
    groups: Groups,
    /// Models in which an access went out of bounds because something wrapped: they often show the same of the next.
    wrapping: Vec<Model>,
    /// Inputs that led out of bounds before: one bad run often shows several accesses.
    known: Vec<Vec<(SymId, i128)>>,
}

impl Decider {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub fn decide(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.cut = false;
        if let Some(d) = self.decided.get(o) {
            return d.clone();
        }
        if self.until.is_some_and(Allotment::is_spent) {
            self.cut = true;
            return Decision::Unknown(solver::OUT_OF_WORK.into());
        }
        let usual = self.limits;
        if let Some(until) = self.until {
            self.limits.work = usual.work.min(until.left());
        }
        let d = self.decide_new(a, o);
        self.limits = usual;
        if !(self.cut || self.rough && matches!(d, Decision::Fails { .. })) {
            self.decided.insert(o.clone(), d.clone());
        }
        d
    }

    /// Whether something can happen at all: [`Decision::Safe`] where its condition cannot hold.
    pub fn happens(&mut self, a: &mut Arena, cond: TermId) -> Decision {
        self.cut = false;
        let facts = a.conjuncts(cond);
        let never = a.bool(false);
        let limits = self.limits;
        match self.prove(a, cond, &facts, never, &limits) {
            Answer::Proved { .. } => Decision::Safe,
            Answer::Model(m) => self.fails(a, &facts, never, m, WrapMode::Assume),
            Answer::Unknown(why) => Decision::Unknown(why),
        }
    }

    /// As [`Self::decide`], but a model is the first that comes and says nothing of whether it is degenerate: for what is looked
    /// at again before it is replayed or shown.
    pub fn decide_roughly(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        self.rough = true;
        let d = self.decide(a, o);
        self.rough = false;
        d
    }

    fn decide_new(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
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
                    if !self.rough
                        && let Some(d) = self.known_input(a, &facts, goal)
                    {
                        return d;
                    }
                    let limits = self.limits;
                    match self.prove(a, o.facts, &facts, goal, &limits) {
                        Answer::Proved { used, free, .. } => (used, free),
                        Answer::Model(m) => return self.fails(a, &facts, goal, m, WrapMode::Assume),
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
            Answer::Model(m) => self.underflowing(a, &facts, both, &unmet, m).unwrap_or_else(|| {
                // Only the smallest model tells: any first one may wrap the other way.
                self.cut |= self.rough;
                Decision::SafeIfNoWrap(self.name(a, &unmet))
            }),
            Answer::Unknown(_) => {
                self.cut = true;
                Decision::SafeIfNoWrap(self.name(a, &unmet))
            }
        }
    }

    /// A model, every input at least 1, in which something wraps and the access goes out of bounds; and what wraps.
    pub fn wraps(&mut self, a: &mut Arena, o: &Obligation, work: Work) -> Option<(Model, Vec<String>)> {
        let (zero, end) = (a.int(0), a.add(o.offset, o.bytes));
        let inside = [a.le(zero, o.offset), a.le(end, o.extent)];
        let mut all = a.conjuncts(o.facts);
        let inside = a.and(inside[0], inside[1]);
        all.push(a.not(inside));
        let inputs: Vec<SymId> =
            a.symbols_of(&all).into_iter().filter(|s| matches!(a.symbol(*s).kind, SymKind::Input(_))).collect();
        let limits = Limits { work, ..self.limits };
        let ModelAnswer::Model(model) = solver::find_model(
            a,
            &all,
            &inputs,
            &self.sizes.positive(&inputs),
            WrapMode::Exact,
            &limits,
            &mut self.groups,
        ) else {
            return None;
        };
        if inputs.iter().any(|s| model.values.get(s).is_some_and(|v| *v < 1)) {
            return None;
        }
        let wrapped: Vec<TermId> = a
            .cone(&all)
            .into_iter()
            .filter(|w| match a.get(*w) {
                Term::Wrap { arg, bits, signed } => {
                    let r = Range::of_int(*bits, *signed);
                    model
                        .value(a, *arg, WrapMode::Exact)
                        .is_some_and(|v| r.lo.is_some_and(|l| v < l) || r.hi.is_some_and(|h| v > h))
                }
                _ => false,
            })
            .collect();
        let names = self.name(a, &wrapped);
        Some((model, names))
    }

    /// Whether there is a proof without Z3 that reads wraps as they are.
    fn bound_exactly(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], goal: TermId) -> bool {
        let limits = Limits { steps: self.limits.steps / 4, ..self.limits };
        self.context(a, all, facts, WrapMode::Exact).bound(a, goal, &limits).is_some()
    }

    /// A proof without Z3, of these facts (`all` is their conjunction).
    fn bound(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], goal: TermId) -> Option<(Vec<TermId>, Free)> {
        if let Some(proof) = self.proof_of(a, facts, goal) {
            return Some(proof);
        }
        let limits = self.limits;
        let proof = self.context(a, all, facts, WrapMode::Assume).bound(a, goal, &limits)?;
        self.remember(a, goal, proof.clone());
        Some(proof)
    }

    fn prove(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], goal: TermId, limits: &Limits) -> Answer {
        if let Some((used, free)) = self.proof_of(a, facts, goal) {
            return Answer::Proved { by: solver::Method::Poly, used, free };
        }
        let (family, _) = family(a, goal);
        let known =
            self.refuting.get(&family).and_then(|all| all.iter().find(|m| m.refutes(a, facts, goal, WrapMode::Assume)));
        if let Some(m) = known {
            return Answer::Model(m.clone());
        }
        if self.hopeless.get(&(all, goal)).is_some_and(|tried| *tried >= limits.work) {
            self.cut = true;
            return Answer::Unknown(solver::OUT_OF_WORK.into());
        }
        let mut groups = std::mem::take(&mut self.groups);
        let answer = self.context(a, all, facts, WrapMode::Assume).prove(a, goal, limits, &mut groups);
        self.groups = groups;
        match &answer {
            Answer::Proved { used, free, .. } => self.remember(a, goal, (used.clone(), free.clone())),
            Answer::Unknown(_) => {
                self.cut = true;
                self.hopeless.insert((all, goal), limits.work);
            }
            Answer::Model(m) => {
                let known = self.refuting.entry(family).or_default();
                if known.len() < OF_A_FAMILY {
                    known.push(m.clone());
                }
            }
        }
        answer
    }

    fn proof_of(&self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<(Vec<TermId>, Free)> {
        let (family, constant) = family(a, goal);
        let proof = self
            .proofs
            .get(&family)?
            .iter()
            .find(|p| p.constant >= constant && p.used.iter().all(|u| facts.contains(u)))?;
        Some((proof.used.clone(), proof.free.clone()))
    }

    fn remember(&mut self, a: &mut Arena, goal: TermId, (used, free): (Vec<TermId>, Free)) {
        let (family, constant) = family(a, goal);
        let known = self.proofs.entry(family).or_default();
        // The weaker one with no fewer facts says nothing more.
        known.retain(|p| !(p.constant <= constant && used.iter().all(|u| p.used.contains(u))));
        if known.len() < OF_A_FAMILY {
            known.push(Proof { constant, used, free });
        }
    }

    /// The facts prepared for proofs.
    fn context(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], mode: WrapMode) -> &mut Context {
        let entry = match self.contexts.iter().position(|c| c.0 == (all, mode)) {
            Some(i) => self.contexts.remove(i),
            None => {
                if self.contexts.len() >= CONTEXTS {
                    self.contexts.remove(0);
                }
                ((all, mode), Context::new(a, facts, mode))
            }
        };
        self.contexts.push(entry);
        let last = self.contexts.len() - 1;
        &mut self.contexts[last].1
    }

    fn name(&self, a: &Arena, unmet: &[TermId]) -> Vec<String> {
        unmet
            .iter()
            .map(|w| match a.get(*w) {
                Term::Wrap { arg, bits, signed } => format!(
                    "`{}` as {} {bits}-bit integer",
                    wording::term(a, *arg),
                    if *signed { "a signed" } else { "an unsigned" }
                ),
                _ => wording::term(a, *w),
            })
            .collect()
    }

    /// A model in which the access goes out of bounds because some operation goes below zero, and none beyond its largest value: sizes for which
    /// that happens were never meant.
    fn underflowing(
        &mut self,
        a: &mut Arena,
        facts: &[TermId],
        goal: TermId,
        unmet: &[TermId],
        first: Model,
    ) -> Option<Decision> {
        let mut all = facts.to_vec();
        for w in unmet {
            let Term::Wrap { arg, bits, signed } = *a.get(*w) else { continue };
            let range = Range::of_int(bits, signed);
            if let Some(hi) = range.hi {
                let most = a.int(hi);
                all.push(a.le(arg, most));
            }
            if signed && let Some(lo) = range.lo {
                let least = a.int(lo);
                all.push(a.le(least, arg));
            }
        }
        let quick = Limits { work: self.limits.work.min(QUICK), ..self.limits };
        let first = if first.refutes(a, &all, goal, WrapMode::Exact) {
            first
        } else {
            let Answer::Model(m) = solver::prove(a, &all, goal, WrapMode::Exact, &quick) else { return None };
            m
        };
        match self.fails(a, &all, goal, first, WrapMode::Exact) {
            Decision::Fails { model, mode, degenerate } if self.underflows(a, unmet, &model) => {
                Some(Decision::Fails { model, mode, degenerate })
            }
            _ => None,
        }
    }

    /// Whether some operation goes below zero rather than beyond the largest value: `n - 1` on an unsigned 0 is a
    /// wrong bound, not an overflow.
    fn underflows(&self, a: &Arena, unmet: &[TermId], m: &Model) -> bool {
        unmet.iter().any(|w| match a.get(*w) {
            Term::Wrap { arg, bits, signed: false } => {
                m.value(a, *arg, WrapMode::Exact).is_some_and(|v| v < 0 && v > -(1i128 << (bits - 1)))
            }
            _ => false,
        })
    }

    /// Whether inputs that led to another bad access lead to this one too.
    fn known_input(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<Decision> {
        for inputs in self.known.clone() {
            let mut fixed = facts.to_vec();
            let symbols = a.symbols_of(&[&fixed[..], &[goal]].concat());
            for (s, v) in &inputs {
                if !symbols.contains(s) {
                    continue;
                }
                let (t, v) = (a.symbol_term(*s), a.int(*v));
                fixed.push(a.eq(t, v));
            }
            let quick = Limits { work: KNOWN_INPUT, ..self.limits };
            if let Answer::Model(model) = solver::prove(a, &fixed, goal, WrapMode::Assume, &quick) {
                let degenerate = inputs.iter().any(|(s, v)| *v < 1 && symbols.contains(s) && self.sizes.contains(*s));
                self.cut |= degenerate;
                return Some(Decision::Fails { model, mode: WrapMode::Assume, degenerate });
            }
        }
        None
    }

    /// A small model in place of the first one.
    fn fails(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId, first: Model, mode: WrapMode) -> Decision {
        if self.rough {
            return Decision::Fails { model: first, mode, degenerate: false };
        }
        let mut all = facts.to_vec();
        all.push(a.not(goal));
        let symbols = a.symbols_of(&all);
        let inputs: Vec<SymId> =
            symbols.iter().copied().filter(|s| matches!(a.symbol(*s).kind, SymKind::Input(_))).collect();
        // A small witness is worth more than a quick answer: it is what replays and what users read.
        let limits = Limits {
            work: if self.hurried { self.limits.work } else { self.limits.work.max(SMALLEST) }
                .min(self.until.map_or(Work::MAX, Allotment::left)),
            ..self.limits
        };
        let model = match solver::find_model(
            a,
            &all,
            &inputs,
            &self.sizes.positive(&inputs),
            mode,
            &limits,
            &mut self.groups,
        ) {
            ModelAnswer::Model(m) => m,
            _ => {
                self.cut = true;
                first
            }
        };
        let fixed: Vec<(SymId, i128)> = inputs.iter().filter_map(|s| model.values.get(s).map(|v| (*s, *v))).collect();
        let degenerate = self.sizes.degenerate(a, &model);
        // Not those under which something wraps or is empty: they seldom lead anywhere else, and better ones come first.
        if !fixed.is_empty() && mode == WrapMode::Assume && !degenerate && self.known.len() < 3 {
            self.known.push(fixed);
        }
        self.cut |= degenerate;
        Decision::Fails { model, mode, degenerate }
    }

    /// Range obligations below the roots, but for those below what is free, that do not follow from the facts, or are more than can be
    /// looked at.
    fn unmet(&mut self, a: &mut Arena, facts: TermId, roots: &[TermId], free: &Free) -> Ranges {
        let until = Allotment::of(self.limits.work * UNMET_TIMES);
        let until = self.until.map_or(until, |u| u.min(until));
        let mut found = Ranges::default();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut work: Vec<TermId> = self.wraps_above(a, roots, free);
        while let Some(w) = work.pop() {
            if !seen.insert(w) {
                continue;
            }
            if until.is_spent() {
                self.cut = true;
                found.open.push(w);
                continue;
            }
            match self.in_range(a, facts, w) {
                Some(used) => {
                    work.extend(&used);
                    found.met.insert(w, used);
                }
                None => found.open.push(w),
            }
        }
        found
    }

    /// Wraps in these terms that are the identity wherever the facts hold in the machine's own arithmetic, with their arguments: those met
    /// whose proof rests on such ones alone. `met` knows those of earlier proofs; others are looked at without Z3.
    fn plain(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goal: TermId,
        unmet: &[TermId],
        met: &Met,
    ) -> FxHashMap<TermId, TermId> {
        let facts = a.conjuncts(o.facts);
        let mut wraps: Vec<TermId> =
            facts.iter().chain([&goal]).flat_map(|t| self.wraps_of(a, *t)).chain(met.keys().copied()).collect();
        wraps.sort_unstable();
        wraps.dedup();
        let mut tries = 0;
        let mut plain: FxHashMap<TermId, TermId> = FxHashMap::default();
        // Older first, and each rests on what is known to be one already: none supports itself.
        for w in wraps {
            let Term::Wrap { arg, bits, signed } = *a.get(w) else { continue };
            if unmet.contains(&w) {
                continue;
            }
            let holds = match met.get(&w) {
                Some(rests) => rests.iter().all(|r| plain.contains_key(r)),
                None if tries >= OTHER_WRAPS => false,
                None => {
                    tries += 1;
                    self.bound_in_range(a, o.facts, &facts, (arg, bits, signed), &plain)
                }
            };
            if !holds {
                continue;
            }
            let arg = a.substitute(arg, &plain);
            plain.insert(w, arg);
        }
        plain
    }

    /// Whether a wrap's argument is in range by the polynomial bound, and by a proof that rests on `plain` wraps alone.
    fn bound_in_range(
        &mut self,
        a: &mut Arena,
        all: TermId,
        facts: &[TermId],
        (arg, bits, signed): (TermId, u32, bool),
        plain: &FxHashMap<TermId, TermId>,
    ) -> bool {
        let Range { lo: Some(lo), hi: Some(hi) } = Range::of_int(bits, signed) else { return false };
        let (lo, hi) = (a.int(lo), a.int(hi));
        let goals = [a.le(lo, arg), a.le(arg, hi)];
        goals.into_iter().all(|goal| {
            if a.as_bool(goal) == Some(true) {
                return true;
            }
            let Some((mut used, free)) = self.bound(a, all, facts, goal) else { return false };
            used.push(goal);
            self.wraps_above(a, &used, &free).iter().all(|w| plain.contains_key(w))
        })
    }

    /// Proves that a wrap's argument is in range, from facts that rest only on older wraps. Gives the wraps that the
    /// proof rests on.
    fn in_range(&mut self, a: &mut Arena, facts: TermId, w: TermId) -> Option<Vec<TermId>> {
        let Term::Wrap { arg, bits, signed } = *a.get(w) else { return Some(vec![]) };
        let older: Vec<TermId> =
            a.conjuncts(facts).into_iter().filter(|f| self.wraps_of(a, *f).iter().all(|x| *x < w)).collect();
        let all = a.and_all(older.clone());
        let r = Range::of_int(bits, signed);
        let (lo, hi) = (a.int(r.lo?), a.int(r.hi?));
        let (lower, upper) = (a.le(lo, arg), a.le(arg, hi));
        let mut rests = vec![];
        for goal in [lower, upper] {
            if a.as_bool(goal) == Some(true) {
                continue;
            }
            if self.proof_of(a, &older, goal).is_none()
                && self
                    .models
                    .get(&goal)
                    .is_some_and(|m| m.iter().any(|m| m.refutes(a, &older, goal, WrapMode::Assume)))
            {
                return None;
            }
            // What the solver could not tell under some facts it seldom can under others.
            let limits = Limits { work: self.limits.work.min(ONE_RANGE), ..self.limits };
            let tried = self.open_ranges.get(&(goal, limits.work)).copied().unwrap_or(0);
            let answer = if tried < RANGE_TRIES {
                self.prove(a, all, &older, goal, &limits)
            } else {
                self.bound(a, all, &older, goal).map_or_else(
                    || {
                        self.cut = true;
                        Answer::Unknown(solver::OUT_OF_WORK.into())
                    },
                    |(used, free)| Answer::Proved { by: solver::Method::Poly, used, free },
                )
            };
            match answer {
                Answer::Proved { mut used, free, .. } => {
                    used.push(goal);
                    rests.extend(self.wraps_above(a, &used, &free));
                }
                Answer::Model(m) => {
                    let known = self.models.entry(goal).or_default();
                    if known.len() < 4 {
                        known.push(m);
                    }
                    return None;
                }
                Answer::Unknown(_) => {
                    self.open_ranges.insert((goal, limits.work), tried + 1);
                    return None;
                }
            }
        }
        Some(rests)
    }

    /// The wraps below some roots, but for those that are only below what is free.
    fn wraps_above(&mut self, a: &Arena, roots: &[TermId], free: &Free) -> Vec<TermId> {
        if free.is_empty() {
            return roots.iter().flat_map(|r| self.wraps_of(a, *r)).collect();
        }
        let (mut found, mut seen, mut open) = (vec![], FxHashSet::default(), roots.to_vec());
        while let Some(t) = open.pop() {
            if free.contains(&t) || !seen.insert(t) {
                continue;
            }
            if matches!(a.get(t), Term::Wrap { .. }) {
                found.push(t);
            }
            open.extend(a.children(t));
        }
        found
    }

    fn wraps_of(&mut self, a: &Arena, t: TermId) -> Vec<TermId> {
        if let Some(w) = self.wraps.get(&t) {
            return w.clone();
        }
        let w: Vec<TermId> = a.cone(&[t]).into_iter().filter(|x| matches!(a.get(*x), Term::Wrap { .. })).collect();
        self.wraps.insert(t, w.clone());
        w
    }
}

/// What goals have in common that differ by a constant, and the constant of this one; itself and 0 where it is no `x + constant <= 0`.
fn family(a: &mut Arena, goal: TermId) -> (TermId, i128) {
    let Term::Le(t) = *a.get(goal) else { return (goal, 0) };
    let constant = a.constant_of(t);
    (a.add_const(t, -constant), constant)
}

#[cfg(test)]
mod tests {
    use super::{Decider, Decision, Obligation};
    use crate::check::solver::WrapMode;
    use crate::symbolic::terms::term::{Arena, InputSource, Range, SymKind};

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
        let crate::check::solver::Answer::Proved { mut used, free, .. } = d.prove(&mut a, facts, &all, goal, &limits)
        else {
            panic!("it follows")
        };
        used.push(goal);
        assert_eq!(d.unmet(&mut a, facts, &used, &free).open, vec![]);
        assert_eq!(d.unmet(&mut a, facts, &used, &crate::check::solver::Free::default()).open, vec![wrapped]);
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
        assert!(matches!(
            d.prove(&mut a, facts, &[facts], eight, &limits),
            crate::check::solver::Answer::Proved { .. }
        ));
        assert!(d.proof_of(&mut a, &[facts, other], nine).is_some(), "what is at most 8 is at most 9");
        assert!(d.proof_of(&mut a, &[other], nine).is_none(), "and that only where the same is known");
        assert!(d.proof_of(&mut a, &[facts], six).is_none() && seven_ == facts);
        let crate::check::solver::Answer::Model(_) = d.prove(&mut a, facts, &[facts], six, &limits) else {
            panic!("it may be 7")
        };
        let nothing = crate::check::solver::Limits { work: crate::work::Work::NONE, steps: 0, core: false };
        let crate::check::solver::Answer::Model(m) = d.prove(&mut a, facts, &[facts], five, &nothing) else {
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
        let known = super::Met::from_iter([(fourfold, vec![]), (twofold, vec![sum])]);
        let plain = d.plain(&mut a, &o, goal, &[sum], &known);
        assert!(
            plain.contains_key(&fourfold) && !plain.contains_key(&sum) && !plain.contains_key(&twofold),
            "{plain:?}"
        );
        assert!(matches!(d.decide(&mut a, &o), Decision::SafeIfNoWrap(_)));
    }
}
