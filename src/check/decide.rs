//! Decides one obligation: an access stays within its object.
//!
//! A proof reads every range obligation ([`Term::Wrap`]) as met and then proves each one that it rests on, from facts
//! that rest only on older ones, so that no obligation supports itself. Where one fails, exact arithmetic modulo 2^n
//! gets its chance; else the access is safe only if that operation does not wrap.

use super::show;
use super::solver::{self, Answer, Context, Limits, Model, ModelAnswer, WrapMode};
use crate::symbolic::term::{Arena, Range, SymId, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of an obligation.
#[derive(Clone, Debug)]
pub enum Decision {
    Safe,
    /// Safe where these operations do not wrap.
    SafeIfNoWrap(Vec<String>),
    /// A model in which the access is out of bounds; it reads wraps as said.
    Fails { model: Model, mode: WrapMode, degenerate: bool },
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

/// Decides obligations, remembering what it proved.
#[derive(Default)]
pub struct Decider {
    pub limits: Limits,
    decided: FxHashMap<Obligation, Decision>,
    /// Whether a range obligation is met under these facts.
    in_range: FxHashMap<(TermId, TermId), bool>,
    wraps: FxHashMap<TermId, Vec<TermId>>,
    /// Facts prepared for the obligation before: the next one often shares them.
    context: Option<(TermId, Context)>,
    /// Inputs that led out of bounds before: one bad run often shows several accesses.
    known: Vec<Vec<(SymId, i128)>>,
}

impl Decider {
    #[must_use]
    pub fn new(limits: Limits) -> Self { Self { limits, ..Self::default() } }

    pub fn decide(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        if let Some(d) = self.decided.get(o) { return d.clone(); }
        let d = self.decide_new(a, o);
        self.decided.insert(o.clone(), d.clone());
        d
    }

    fn decide_new(&mut self, a: &mut Arena, o: &Obligation) -> Decision {
        let zero = a.int(0);
        let end = a.add(o.offset, o.bytes);
        let goals = [a.le(zero, o.offset), a.le(end, o.extent)];
        let facts = a.conjuncts(o.facts);
        let mut context = match self.context.take() { Some((f, c)) if f == o.facts => c, _ => Context::new(a, &facts, WrapMode::Assume) };
        let mut unmet: Vec<TermId> = vec![];
        for goal in goals {
            if a.as_bool(goal) == Some(true) { continue; }
            let used = match context.bound(a, goal, &self.limits) {
                Some(used) => used,
                None => {
                    if let Some(d) = self.known_input(a, &facts, goal) { self.context = Some((o.facts, context)); return d; }
                    match context.prove(a, goal, &self.limits) {
                        Answer::Proved { used, .. } => used,
                        Answer::Model(m) => { self.context = Some((o.facts, context)); return self.fails(a, &facts, goal, m, WrapMode::Assume); }
                        Answer::Unknown(why) => { self.context = Some((o.facts, context)); return Decision::Unknown(why); }
                    }
                }
            };
            let mut roots = used;
            roots.push(goal);
            for w in self.unmet(a, o.facts, &roots) { if !unmet.contains(&w) { unmet.push(w); } }
        }
        self.context = Some((o.facts, context));
        if unmet.is_empty() { return Decision::Safe; }
        // With wrap-around as it is.
        let quick = Limits { millis: self.limits.millis.min(700), ..self.limits };
        let both = a.and(goals[0], goals[1]);
        match solver::prove(a, &facts, both, WrapMode::Exact, &quick) {
            Answer::Proved { .. } => Decision::Safe,
            Answer::Model(m) => match self.fails(a, &facts, both, m, WrapMode::Exact) {
                Decision::Fails { model, mode, degenerate } if self.underflows(a, &unmet, &model) => Decision::Fails { model, mode, degenerate },
                _ => Decision::SafeIfNoWrap(self.name(a, &unmet)),
            },
            Answer::Unknown(_) => Decision::SafeIfNoWrap(self.name(a, &unmet)),
        }
    }

    fn name(&self, a: &Arena, unmet: &[TermId]) -> Vec<String> {
        unmet.iter().map(|w| match a.get(*w) {
            Term::Wrap { arg, bits, signed } => format!("`{}` as {} {bits}-bit integer", show::term(a, *arg), if *signed { "a signed" } else { "an unsigned" }),
            _ => show::term(a, *w),
        }).collect()
    }

    /// Whether some operation goes below zero rather than beyond the largest value: `n - 1` on an unsigned 0 is a
    /// wrong bound, not an overflow.
    fn underflows(&self, a: &Arena, unmet: &[TermId], m: &Model) -> bool {
        unmet.iter().any(|w| match a.get(*w) {
            Term::Wrap { arg, bits, signed: false } => m.value(a, *arg, WrapMode::Exact).is_some_and(|v| v < 0 && v > -(1i128 << (bits - 1))),
            _ => false,
        })
    }

    /// Whether inputs that led to another bad access lead to this one too.
    fn known_input(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<Decision> {
        for inputs in self.known.clone() {
            let mut fixed = facts.to_vec();
            let symbols = a.symbols_of(&[&fixed[..], &[goal]].concat());
            for (s, v) in &inputs {
                if !symbols.contains(s) { continue; }
                let (t, v) = (a.symbol_term(*s), a.int(*v));
                fixed.push(a.eq(t, v));
            }
            let quick = Limits { millis: 300, ..self.limits };
            if let Answer::Model(model) = solver::prove(a, &fixed, goal, WrapMode::Assume, &quick) {
                return Some(Decision::Fails { model, mode: WrapMode::Assume, degenerate: inputs.iter().any(|(_, v)| *v < 1) });
            }
        }
        None
    }

    /// A small model in place of the first one.
    fn fails(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId, first: Model, mode: WrapMode) -> Decision {
        let mut all = facts.to_vec();
        all.push(a.not(goal));
        let symbols = a.symbols_of(&all);
        let inputs: Vec<SymId> = symbols.iter().copied().filter(|s| matches!(a.symbol(*s).kind, SymKind::Input(_))).collect();
        let model = match solver::find_model(a, &all, &inputs, &inputs, mode, &self.limits) {
            ModelAnswer::Model(m) => m,
            _ => first,
        };
        let fixed: Vec<(SymId, i128)> = inputs.iter().filter_map(|s| model.values.get(s).map(|v| (*s, *v))).collect();
        if !fixed.is_empty() && self.known.len() < 3 { self.known.push(fixed); }
        let degenerate = inputs.iter().any(|s| model.values.get(s).is_some_and(|v| *v < 1));
        Decision::Fails { model, mode, degenerate }
    }

    /// Range obligations below the roots that do not follow from the facts.
    fn unmet(&mut self, a: &mut Arena, facts: TermId, roots: &[TermId]) -> Vec<TermId> {
        let mut open: Vec<TermId> = vec![];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut work: Vec<TermId> = roots.iter().flat_map(|r| self.wraps_of(a, *r)).collect();
        while let Some(w) = work.pop() {
            if !seen.insert(w) { continue; }
            match self.in_range(a, facts, w) {
                Some(used) => work.extend(used),
                None => open.push(w),
            }
        }
        open
    }

    /// Proves that a wrap's argument is in range, from facts that rest only on older wraps. Gives the wraps that the
    /// proof rests on.
    fn in_range(&mut self, a: &mut Arena, facts: TermId, w: TermId) -> Option<Vec<TermId>> {
        let Term::Wrap { arg, bits, signed } = *a.get(w) else { return Some(vec![]) };
        let older: Vec<TermId> = a.conjuncts(facts).into_iter().filter(|f| self.wraps_of(a, *f).iter().all(|x| *x < w)).collect();
        let key = { let all = a.and_all(older.clone()); (all, w) };
        if let Some(false) = self.in_range.get(&key) { return None; }
        let r = Range::of_int(bits, signed);
        let (lo, hi) = (a.int(r.lo?), a.int(r.hi?));
        let (lower, upper) = (a.le(lo, arg), a.le(arg, hi));
        let mut rests = self.wraps_of(a, arg);
        for goal in [lower, upper] {
            if a.as_bool(goal) == Some(true) { continue; }
            let limits = Limits { millis: self.limits.millis.min(1500), ..self.limits };
            match solver::prove(a, &older, goal, WrapMode::Assume, &limits) {
                Answer::Proved { used, .. } => for u in used { rests.extend(self.wraps_of(a, u)); },
                _ => { self.in_range.insert(key, false); return None; }
            }
        }
        Some(rests)
    }

    fn wraps_of(&mut self, a: &Arena, t: TermId) -> Vec<TermId> {
        if let Some(w) = self.wraps.get(&t) { return w.clone(); }
        let w: Vec<TermId> = a.cone(&[t]).into_iter().filter(|x| matches!(a.get(*x), Term::Wrap { .. })).collect();
        self.wraps.insert(t, w.clone());
        w
    }
}
