//! Inductive bounds of loop variables: `0 <= lo <= hi <= n` of a binary search, `at < 8` of an index that starts over,
//! `slot < size` of a probe.
//!
//! In: variables without a closed form, with their values in an iteration and after it. Out: bounds that hold at the
//! start and that every iteration that continues preserves. Candidates come from the terms with which conditions
//! compare the variables, from starts, and from values to which the variables are set. Candidates that cannot be proved
//! are dropped until the rest is inductive (Houdini: Flanagan and Leino, FME 2001).

use super::sum::Iterations;
use super::types::{Form, LoopVar};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::linear::Linear;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of variables of one loop.
const MAX_VARIABLES: usize = 6;
/// Maximum number of paths through an iteration.
const MAX_WAYS: usize = 16;
/// Maximum number of conjuncts used from the path condition at the loop.
const MAX_FACTS: usize = 24;
/// Maximum number of terms below such a conjunct.
const LARGEST_FACT: usize = 120;
/// Maximum number of passes that drop candidates.
const MAX_DROPS: usize = 8;
/// Maximum number of wraps examined in an iteration.
const MAX_READINGS: usize = 12;
/// Budget of linear reasoning for one loop, in terms of comparisons.
const MAX_OF_LOOP: u64 = 1 << 19;

/// A variable that an iteration changes.
pub(in crate::symbolic) struct CarriedVariable {
    pub var: LoopVar,
    pub start: TermId,
    /// Symbol of its value in an iteration.
    pub held: TermId,
    /// Value after the iteration, as stored.
    pub next: TermId,
    pub bits: u32,
    /// Value at iteration `k` with facts about it, if only steps have moved the variable; `None` otherwise.
    pub moved: Option<(TermId, Vec<TermId>)>,
    /// Whether the variable has another form already.
    pub settled: bool,
}

/// A loop variable in terms of the machine integer that is read from it.
pub(super) struct BoundedVariable {
    pub(super) read: TermId,
    pub(super) bits: u32,
    pub(super) signed: bool,
    pub(super) start: TermId,
    pub(super) next: TermId,
    pub(super) leaves: Vec<TermId>,
}

/// Path through an iteration: its conditions, and the variables' values after it.
struct IterationPath {
    facts: Vec<TermId>,
    next: Vec<TermId>,
}

impl Executor<'_> {
    /// Returns forms, at iteration `r.k`, of the variables for which bounds are found. `iteration` holds in each iteration
    /// that continues, in terms of their symbols; `path` holds at the start of the loop.
    pub(in crate::symbolic) fn inductive(
        &mut self,
        carried: &[CarriedVariable],
        iteration: &[TermId],
        path: TermId,
        r: &Iterations<'_>,
    ) -> Vec<(LoopVar, Form)> {
        if carried.is_empty() || carried.len() > MAX_VARIABLES {
            return vec![];
        }
        let work = self.loops.linear_work.get();
        self.loops.linear_work.set(work.min(MAX_OF_LOOP));
        let mut found = self.bounds_that_last(carried, iteration, path, r);
        // All variables together may have too many paths: try them one by one.
        if found.is_empty() && carried.len() > 1 {
            for one in carried {
                found.extend(self.bounds_that_last(std::slice::from_ref(one), iteration, path, r));
            }
        }
        self.loops.linear_work.set(work - (work.min(MAX_OF_LOOP) - self.loops.linear_work.get()));
        found
    }

    fn bounds_that_last(
        &mut self,
        carried: &[CarriedVariable],
        iteration: &[TermId],
        path: TermId,
        r: &Iterations<'_>,
    ) -> Vec<(LoopVar, Form)> {
        let (variables, iteration) = self.as_read(carried, iteration);
        let mut hyps = self.candidates(&variables, &iteration, r);
        if hyps.is_empty() {
            return vec![];
        }
        let mut known = self.facts_about(path, &variables, &hyps, &iteration);
        // At the start of the loop.
        let mut before = self.told(&known);
        let starts: Vec<TermId> = variables.iter().map(|v| v.start).collect();
        let plain = self.in_range(&mut before, &starts);
        self.arena.substitute_all(&mut known, &plain);
        self.arena.substitute_all(&mut hyps, &plain);
        let at_start: FxHashMap<TermId, TermId> =
            variables.iter().map(|v| (v.read, self.arena.substitute(v.start, &plain))).collect();
        let mut before = self.told(&known);
        let mut done = FxHashMap::default();
        hyps.retain(|h| {
            let goal = self.arena.substitute_more(*h, &at_start, &mut done);
            before.implies(&mut self.arena, goal)
        });
        if hyps.is_empty() {
            return vec![];
        }
        let Some(paths) = self.paths(&variables, &iteration, r) else { return vec![] };
        let mut stable = false;
        for _ in 0..MAX_DROPS {
            let all = hyps.len();
            let plain = self.that_do_not_wrap(&known, &iteration, &paths, &hyps);
            for way in &paths {
                let mut facts = [&iteration[..], &way.facts].concat();
                self.arena.substitute_all(&mut facts, &plain);
                let mut premises = self.told(&[&known, &facts, &hyps].map(Vec::as_slice).concat());
                let mut after = self.read_after(&variables, way);
                let mut done = FxHashMap::default();
                for t in after.values_mut() {
                    *t = self.arena.substitute_more(*t, &plain, &mut done);
                }
                let mut done = FxHashMap::default();
                hyps.retain(|h| {
                    let goal = self.arena.substitute_more(*h, &after, &mut done);
                    premises.implies(&mut self.arena, goal)
                });
            }
            if hyps.is_empty() {
                return vec![];
            }
            if hyps.len() == all {
                stable = true;
                break;
            }
        }
        if !stable {
            return vec![];
        }
        self.found(carried, &variables, (&known, &iteration), &paths, &hyps, r)
    }

    /// Separates the remaining budget from that of the executor from which this one was copied.
    pub fn own_linear_work(&mut self) {
        self.loops.own_linear_work();
    }

    /// Resets the budget for another kernel.
    pub(crate) fn renew_linear_work(&self) {
        self.loops.renew_linear_work();
    }

    fn told(&mut self, facts: &[TermId]) -> Linear {
        let work = self.loops.linear_work.clone();
        Linear::new(&mut self.arena, facts, &work)
    }

    /// Wraps, in an iteration's conditions and in the variables after it, that change no value if the candidates hold.
    fn that_do_not_wrap(
        &mut self,
        known: &[TermId],
        iteration: &[TermId],
        paths: &[IterationPath],
        hyps: &[TermId],
    ) -> FxHashMap<TermId, TermId> {
        let roots: Vec<TermId> =
            iteration.iter().chain(paths.iter().flat_map(|w| w.facts.iter().chain(&w.next))).copied().collect();
        if !self.arena.cone(&roots).into_iter().any(|t| matches!(self.arena.get(t), Term::Wrap { .. })) {
            return FxHashMap::default();
        }
        let mut premises = self.told(&[known, iteration, hyps].concat());
        self.in_range(&mut premises, &roots)
    }

    /// Forms of the variables by bounds that hold in every iteration.
    fn found(
        &mut self,
        carried: &[CarriedVariable],
        variables: &[BoundedVariable],
        (known, iteration): (&[TermId], &[TermId]),
        paths: &[IterationPath],
        hyps: &[TermId],
        r: &Iterations<'_>,
    ) -> Vec<(LoopVar, Form)> {
        // Variables that steps have moved equal the sum of their steps, as long as none wraps.
        let mut before = self.told(known);
        let mut kept: Vec<bool> = variables
            .iter()
            .zip(carried)
            .map(|(v, c)| {
                if c.settled || c.moved.is_none() || v.start == c.start {
                    return !c.settled;
                }
                self.fits(&mut before, c.start, Interval::of_int(v.bits, v.signed))
            })
            .collect();
        let mut steps: Vec<Vec<Option<TermId>>> = vec![vec![]; carried.len()];
        for way in paths {
            let mut premises = self.told(&[known, iteration, &way.facts, hyps].concat());
            for (i, (v, next)) in variables.iter().zip(&way.next).enumerate() {
                let next = self.congruent(*next, v.bits);
                let step = self.arena.sub(next, v.read);
                let by = !self.arena.cone(&[step]).contains(&v.read);
                steps[i].push(by.then_some(step));
                if carried[i].moved.is_none() || !kept[i] {
                    continue;
                }
                kept[i] =
                    (by || self.is_old(next, r)) && self.fits(&mut premises, next, Interval::of_int(v.bits, v.signed));
            }
        }
        // If a variable may wrap, its bounds are worth more than its steps, provided that it has both bounds.
        let mut followed = kept.clone();
        for (i, (v, c)) in variables.iter().zip(carried).enumerate() {
            if kept[i] || c.settled {
                continue;
            }
            let has = |e: &mut Self, sign: i128| {
                hyps.iter().any(|h| {
                    let Term::Le(t) = *e.arena.get(*h) else { return false };
                    e.arena.poly(t).terms.iter().any(|(m, c)| m.as_slice() == [v.read] && c.signum() == sign)
                })
            };
            followed[i] = has(self, 1) && has(self, -1);
        }
        let (mut out, mut values): (Vec<(LoopVar, Form)>, FxHashMap<TermId, TermId>) = Default::default();
        let reads: Vec<TermId> = variables.iter().map(|v| v.read).collect();
        for (i, (v, c)) in variables.iter().zip(carried).enumerate() {
            if !followed[i] {
                continue;
            }
            let of_kept = |e: &Self, h: TermId| {
                let cone = e.arena.cone(&[h]);
                cone.contains(&v.read) && !reads.iter().enumerate().any(|(j, x)| !followed[j] && cone.contains(x))
            };
            let mut facts: Vec<TermId> = hyps.iter().copied().filter(|h| of_kept(self, *h)).collect();
            if facts.is_empty() {
                continue;
            }
            let value = self.bounded(v, c, &mut facts);
            values.insert(v.read, value);
            if let Some((moved, more)) = c.moved.as_ref().filter(|_| kept[i]) {
                facts.extend(more);
                facts.push(self.arena.eq(*moved, value));
            }
            out.push((c.var, Form::Bounded(Value::Int(value), facts)));
        }
        self.add_sums(&mut out, (carried, &kept), variables, &steps, r.k);
        for (_, form) in &mut out {
            let Form::Bounded(_, facts) = form else { continue };
            self.arena.substitute_all(facts, &values);
        }
        out
    }
}

impl ValueDomain<'_> {
    /// Rewrites variables and conditions in terms of the machine integers that are read: for each variable a signed or
    /// an unsigned one.
    fn as_read(&mut self, carried: &[CarriedVariable], iteration: &[TermId]) -> (Vec<BoundedVariable>, Vec<TermId>) {
        let roots: Vec<TermId> = carried.iter().map(|c| c.next).chain(iteration.iter().copied()).collect();
        let cone = self.arena.cone(&roots);
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut read = vec![];
        for c in carried {
            let signed = self.arena.range(c.held).lo.is_some_and(|l| l < 0);
            let unsigned = cone.iter().any(|t| self.reads_as_unsigned(*t, c));
            if !signed || !unsigned {
                read.push((c.held, signed));
                continue;
            }
            let Term::Sym(s) = *self.arena.get(c.held) else {
                read.push((c.held, signed));
                continue;
            };
            let kind = self.arena.symbol(s).kind.clone();
            let number = self.arena.fresh(kind, "?", Interval::of_int(c.bits, false));
            let as_signed = self.arena.wrap(number, c.bits, true);
            for t in &cone {
                if self.arena.reading(*t) == Some((c.held, c.bits, false)) {
                    map.insert(*t, number);
                }
            }
            map.insert(c.held, as_signed);
            read.push((number, false));
        }
        let mut conditions = iteration.to_vec();
        self.arena.substitute_all(&mut conditions, &map);
        self.plainly(&mut conditions);
        let conditions = conditions.into_iter().flat_map(|t| self.arena.conjuncts(t)).collect();
        let variables = carried
            .iter()
            .zip(read)
            .map(|(c, (read, signed))| {
                let mut next = [self.arena.substitute(c.next, &map)];
                self.plainly(&mut next);
                let (next, start) = (next[0], self.interpret(c.start, c.bits, signed));
                let leaves = self.leaves(next).unwrap_or_default();
                BoundedVariable { read, bits: c.bits, signed, start, next, leaves }
            })
            .collect();
        (variables, conditions)
    }
}

impl Terms {
    /// Whether a term reads a variable, or a sum with it, as an unsigned integer of its width.
    fn reads_as_unsigned(&self, t: TermId, c: &CarriedVariable) -> bool {
        let Some((x, bits, false)) = self.arena.reading(t) else { return false };
        bits == c.bits && (x == c.held || self.arena.poly(x).terms.iter().any(|(m, _)| m.as_slice() == [c.held]))
    }

    /// Drops wraps of summands inside a wrapped sum: only the outer wrap counts.
    fn plainly(&mut self, terms: &mut [TermId]) {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for n in self.arena.cone(terms) {
            let Term::Wrap { arg, bits, signed } = *self.arena.get(n) else { continue };
            let inner = self.congruent(arg, bits);
            if inner != arg {
                let new = self.arena.wrap(inner, bits, signed);
                map.insert(n, new);
            }
        }
        self.arena.substitute_all(terms, &map);
    }

    /// Returns a sum that is congruent modulo 2^bits, without the wraps of its summands.
    fn congruent(&mut self, t: TermId, bits: u32) -> TermId {
        let mut out = t;
        for (m, c) in self.arena.poly(t).terms {
            let [x] = m[..] else { continue };
            let Term::Wrap { arg, bits: inner, .. } = *self.arena.get(x) else { continue };
            if inner < bits {
                continue;
            }
            let (kept, plain) = (self.arena.scale(x, c), self.arena.scale(arg, c));
            out = self.arena.sub(out, kept);
            out = self.arena.add(out, plain);
        }
        out
    }

    /// Conjuncts of the path condition at the loop about the terms with which the variables are compared.
    fn facts_about(
        &self,
        path: TermId,
        variables: &[BoundedVariable],
        hyps: &[TermId],
        iteration: &[TermId],
    ) -> Vec<TermId> {
        let mut roots: Vec<TermId> = variables.iter().map(|v| v.start).collect();
        roots.extend(hyps);
        roots.extend(iteration);
        let mut about = self.arena.symbols_of(&roots);
        let mut open: Vec<TermId> = self
            .arena
            .conjuncts(path)
            .into_iter()
            .filter(|c| self.arena.cone(&[*c]).len() <= LARGEST_FACT && !self.is_product(*c))
            .collect();
        let mut out = vec![];
        for _ in 0..2 {
            let (mut near, far): (Vec<TermId>, Vec<TermId>) =
                open.into_iter().partition(|c| self.arena.symbols_of(&[*c]).iter().any(|s| about.contains(s)));
            about.extend(self.arena.symbols_of(&near));
            near.sort_by_key(|c| (self.arena.cone(&[*c]).len(), *c));
            out.extend(near);
            open = far;
        }
        out.truncate(MAX_FACTS);
        out
    }

    /// Whether a comparison involves a product of variables: usually a memory limit.
    fn is_product(&self, c: TermId) -> bool {
        let Term::Le(t) = self.arena.get(c) else { return false };
        self.arena.poly(*t).terms.iter().any(|(m, _)| m.len() > 1)
    }

    /// Paths through an iteration, by the conditions that choose the variables' next values; `None` if they are too
    /// many.
    fn paths(
        &mut self,
        variables: &[BoundedVariable],
        iteration: &[TermId],
        r: &Iterations<'_>,
    ) -> Option<Vec<IterationPath>> {
        let mut open = vec![IterationPath { facts: vec![], next: variables.iter().map(|v| v.next).collect() }];
        let mut done = vec![];
        while let Some(way) = open.pop() {
            if open.len() + done.len() >= MAX_WAYS {
                return None;
            }
            let Some(c) = self.choice_in(&way.next, r) else {
                done.push(way);
                continue;
            };
            let no = self.arena.not(c);
            for (holds, value) in [(c, true), (no, false)] {
                if value && iteration.contains(&no) || !value && iteration.contains(&c) {
                    continue;
                }
                let mut facts = way.facts.clone();
                facts.push(holds);
                let all = self.arena.and_all(facts.clone());
                if self.arena.as_bool(all) == Some(false) {
                    continue;
                }
                let known = self.arena.bool(value);
                let map: FxHashMap<TermId, TermId> = std::iter::once((c, known)).collect();
                let mut next = way.next.clone();
                self.arena.substitute_all(&mut next, &map);
                open.push(IterationPath { facts, next });
            }
        }
        Some(done)
    }

    /// Condition of a choice between numbers that the loop makes: neither one inside a condition, nor one older than
    /// the loop.
    fn choice_in(&self, numbers: &[TermId], r: &Iterations<'_>) -> Option<TermId> {
        let (mut open, mut seen): (Vec<TermId>, FxHashSet<TermId>) = (numbers.to_vec(), FxHashSet::default());
        while let Some(t) = open.pop() {
            if !seen.insert(t) || self.arena.is_boolean(t) {
                continue;
            }
            match self.arena.get(t) {
                Term::Ite(c, ..) if !self.is_old(t, r) => return Some(*c),
                Term::Ite(..) => {}
                _ => open.extend(self.arena.children(t)),
            }
        }
        None
    }

    /// Wraps below the roots that change no value, with their arguments.
    fn in_range(&mut self, premises: &mut Linear, roots: &[TermId]) -> FxHashMap<TermId, TermId> {
        let mut plain: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut seen = 0;
        for t in self.arena.cone(roots) {
            let Term::Wrap { arg, bits, signed } = *self.arena.get(t) else { continue };
            seen += 1;
            if seen > MAX_READINGS {
                break;
            }
            let arg = self.arena.substitute(arg, &plain);
            if self.fits(premises, arg, Interval::of_int(bits, signed)) {
                plain.insert(t, arg);
            }
        }
        plain
    }

    fn fits(&mut self, premises: &mut Linear, t: TermId, range: Interval) -> bool {
        let ends = [(range.lo, false), (range.hi, true)];
        ends.into_iter().all(|(end, above)| {
            let Some(end) = end else { return true };
            let end = self.arena.int(end);
            let goal = if above { self.arena.le(t, end) } else { self.arena.le(end, t) };
            premises.implies(&mut self.arena, goal)
        })
    }

    /// Values read from the variables after an iteration along this path.
    fn read_after(&mut self, variables: &[BoundedVariable], way: &IterationPath) -> FxHashMap<TermId, TermId> {
        variables
            .iter()
            .zip(&way.next)
            .map(|(v, next)| {
                let next = self.congruent(*next, v.bits);
                (v.read, self.arena.wrap(next, v.bits, v.signed))
            })
            .collect()
    }

    /// Symbol for the integer read from a variable with bounds; constant bounds become its range. The symbol does not
    /// get the range of a machine integer: other readings of the variable are derived from it, rather than being
    /// separate numbers.
    fn bounded(&mut self, v: &BoundedVariable, c: &CarriedVariable, facts: &mut Vec<TermId>) -> TermId {
        let all = self.arena.range(v.read);
        let (mut lo, mut hi) = (all.lo, all.hi);
        for f in &*facts {
            let Term::Le(t) = *self.arena.get(*f) else { continue };
            let (above, below) = (self.arena.sub(t, v.read), self.arena.add(t, v.read));
            if let Some(most) = self.arena.as_int(above).and_then(i128::checked_neg) {
                hi = hi.map(|h| h.min(most));
            }
            if let Some(least) = self.arena.as_int(below) {
                lo = lo.map(|l| l.max(least));
            }
        }
        // The range is empty: this state is unreachable.
        if lo.zip(hi).is_some_and(|(lo, hi)| lo > hi) {
            (lo, hi) = (all.lo, all.hi);
        }
        let fits = Interval::of_int(c.bits, true).contains(Interval { lo, hi }) && lo.is_some_and(|l| l >= 0);
        let Term::Sym(s) = *self.arena.get(v.read) else { return v.read };
        let kind = self.arena.symbol(s).kind.clone();
        let range = if fits { Interval { lo, hi } } else { Interval { lo: lo.filter(|l| *l >= 0), hi: None } };
        let value = self.arena.fresh(kind, "?", range);
        if !fits {
            for (bound, above) in [(lo, false), (hi, true)] {
                if let Some(b) = bound {
                    let b = self.arena.int(b);
                    facts.push(if above { self.arena.le(value, b) } else { self.arena.le(b, value) });
                }
            }
        }
        value
    }

    /// Adds the sum or difference of two variables, if every path changes it by the same constant.
    fn add_sums(
        &mut self,
        found: &mut [(LoopVar, Form)],
        (carried, kept): (&[CarriedVariable], &[bool]),
        variables: &[BoundedVariable],
        steps: &[Vec<Option<TermId>>],
        k: TermId,
    ) {
        let is_found = |v: LoopVar, found: &[(LoopVar, Form)]| found.iter().any(|f| f.0 == v);
        for i in 0..carried.len() {
            for j in i + 1..carried.len() {
                if !kept[i]
                    || !kept[j]
                    || carried[i].moved.is_none()
                    || carried[j].moved.is_none()
                    || !is_found(carried[i].var, found)
                    || !is_found(carried[j].var, found)
                {
                    continue;
                }
                for sign in [1, -1] {
                    let mut grown: Option<TermId> = None;
                    let mut same = true;
                    for (a, b) in steps[i].iter().zip(&steps[j]) {
                        let (Some(a), Some(b)) = (a, b) else {
                            same = false;
                            break;
                        };
                        let b = self.arena.scale(*b, sign);
                        let d = self.arena.add(*a, b);
                        if self.arena.as_int(d).is_none() || grown.is_some_and(|g| g != d) {
                            same = false;
                            break;
                        }
                        grown = Some(d);
                    }
                    let Some(grown) = grown.filter(|_| same) else { continue };
                    let all = |e: &mut Self, a: TermId, b: TermId| {
                        let b = e.arena.scale(b, sign);
                        e.arena.add(a, b)
                    };
                    let (now, then) = (
                        all(self, variables[i].read, variables[j].read),
                        all(self, variables[i].start, variables[j].start),
                    );
                    let by = self.arena.mul(grown, k);
                    let then = self.arena.add(then, by);
                    let fact = self.arena.eq(now, then);
                    if let Some((_, Form::Bounded(_, facts))) = found.iter_mut().find(|f| f.0 == carried[i].var) {
                        facts.push(fact);
                    }
                }
            }
        }
    }
}
