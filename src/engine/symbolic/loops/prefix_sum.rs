//! Running sums: `row[i] = n; n += degree(i);` and `row[i + 1] = row[i] + degree(i);` fill an array with the sums over
//! the iterations so far, where each iteration adds another bounded number.
//!
//! In: a variable's value in an iteration and after it. Out: its value as a function of the number of iterations,
//! `sum(step, j)`: the sum over the iterations before number `j`, 0 for `j <= 0`. `step` is a symbol for the summand of
//! any iteration, with its range. Facts about a sum are instantiated on demand: from iteration `i` to `j` it grows by
//! `j - i` steps.

use super::sum::Iterations;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::loops::types::{Form, LoopVar};
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of sums with one step symbol for which one query gets instances.
const MAX: usize = 8;

/// Maximum number of known bounds whose sums are tried as premises.
const MAX_KNOWN: usize = 24;

/// A variable that iterations move by steps.
#[derive(Clone, Debug)]
pub(in crate::symbolic) struct SteppedVariable {
    pub var: LoopVar,
    /// Value in an iteration; `next` is the value after it.
    held: TermId,
    next: TermId,
    /// Unbounded value at iteration `k`; `read` is what the machine reads then, and `read_next` one iteration later.
    pub now: TermId,
    read: TermId,
    read_next: TermId,
    /// Step symbol; `None` if the value is known exactly.
    pub step: Option<TermId>,
    /// Facts about `now`.
    pub facts: Vec<TermId>,
}

impl Terms {
    /// Sum over the iterations before number `j`, with `step` for the summand.
    pub(in crate::symbolic) fn sum_before(&mut self, step: TermId, j: TermId) -> TermId {
        let r = self.arena.range(step);
        let range = Interval { lo: r.lo.filter(|l| *l >= 0).map(|_| 0), hi: r.hi.filter(|h| *h <= 0).map(|_| 0) };
        self.arena.apply(UninterpretedFunction::Sum, vec![step, j], range)
    }

    /// Symbol for the summand of any iteration, if it has a bound.
    pub(in crate::symbolic) fn any_step(&mut self, range: Interval) -> Option<TermId> {
        if range.lo.is_none() && range.hi.is_none() {
            return None;
        }
        Some(self.arena.fresh(SymKind::Unknown { reason: UnknownReason::LoopSum }, "step", range))
    }

    /// Running sum of a variable of `bits` bits that starts as `a` and changes from `h` to `n` in an iteration, if it
    /// moves only by bounded steps.
    pub(in crate::symbolic) fn running(
        &mut self,
        var: LoopVar,
        (a, h, n): (TermId, TermId, TermId),
        bits: u32,
        r: &Iterations<'_>,
    ) -> Option<SteppedVariable> {
        let signed = self.arena.range(h).lo.is_some_and(|l| l < 0);
        let after = self.arena.add_const(r.k, 1);
        let (step, [now, then]) = match self.added_up((a, h, n), r) {
            Some(Form::Closed(Value::Int(now)) | Form::Bounded(Value::Int(now), _)) => {
                let then = self.arena.substitute(now, &std::iter::once((r.k, after)).collect());
                (None, [now, then])
            }
            _ => {
                let step = self.steps_between(h, n, r)?;
                let step = self.any_step(step)?;
                (
                    Some(step),
                    [r.k, after].map(|j| {
                        let sum = self.sum_before(step, j);
                        self.arena.add(a, sum)
                    }),
                )
            }
        };
        let [read, read_next] = [now, then].map(|t| self.arena.wrap(t, bits, signed));
        let facts = instances(&mut self.arena, &[now]).into_iter().collect();
        Some(SteppedVariable { var, held: h, next: n, now, read, read_next, step, facts })
    }

    /// Range of the summand of any iteration, if the variable only moves by steps.
    fn steps_between(&mut self, h: TermId, n: TermId, r: &Iterations<'_>) -> Option<Interval> {
        let mut range: Option<Interval> = None;
        for leaf in self.leaves(n)? {
            let d = self.arena.sub(leaf, h);
            let d = self.arena.substitute(d, r.map);
            if self.arena.cone(&[d]).contains(&h) {
                return None;
            }
            let d = self.arena.range(d);
            range = Some(range.map_or(d, |r| r.union(d)));
        }
        range
    }

    /// Expresses a value that an iteration writes in terms of the iteration's number, where running sums are part of
    /// it.
    pub(in crate::symbolic) fn in_running(&mut self, value: TermId, running: &[SteppedVariable]) -> TermId {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for r in running {
            for (then, read) in [(r.held, r.read), (r.next, r.read_next)] {
                let beyond = self.arena.sub(value, then);
                if self.arena.as_int(beyond).is_some() {
                    return self.arena.add(read, beyond);
                }
            }
            map.insert(r.held, r.read);
            if !matches!(self.arena.get(r.next), Term::Sym(_)) {
                map.insert(r.next, r.read_next);
            }
        }
        self.arena.substitute(value, &map)
    }

    /// Resolves if-then-else terms whose conditions follow from `known`, or whose negations do.
    pub(in crate::symbolic) fn under(&mut self, mut t: TermId, known: &[TermId]) -> TermId {
        loop {
            let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
            for n in self.arena.cone(&[t]) {
                let Term::Ite(c, a, b) = *self.arena.get(n) else { continue };
                let all = self.arena.conjuncts(c);
                if all.iter().all(|c| self.follows(*c, known)) {
                    map.insert(n, a);
                    continue;
                }
                if all.into_iter().any(|c| {
                    let not = self.arena.not(c);
                    self.follows(not, known)
                }) {
                    map.insert(n, b);
                }
            }
            if map.is_empty() {
                return t;
            }
            t = self.arena.substitute(t, &map);
        }
    }

    /// Drops wraps that change nothing under these conditions: `i` as an `int` where `0 <= i` and `i <= 2147483647`.
    pub(in crate::symbolic) fn read_plainly(&mut self, mut known: Vec<TermId>) -> Vec<TermId> {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        // Keyed by the bounded term without its constant: an unrolled kernel may have as many bounds and wraps as
        // branches and indices.
        let mut bounds: FxHashMap<TermId, Vec<i128>> = FxHashMap::default();
        for c in &known {
            if let Term::Le(t) = *self.arena.get(*c) {
                let (rest, constant) = self.arena.apart(t);
                bounds.entry(rest).or_default().push(constant);
            }
        }
        for n in self.arena.cone(&known) {
            let Term::Wrap { arg, bits, signed } = *self.arena.get(n) else { continue };
            let (want, has) = (Interval::of_int(bits, signed), self.arena.range(arg));
            if !want.contains(Interval { hi: Some(0), ..has }) {
                continue;
            }
            let (rest, of_arg) = self.arena.apart(arg);
            // `rest + constant <= 0`, hence `rest + of_arg <= of_arg - constant`.
            let most = |constant: &i128| of_arg.checked_sub(*constant).is_some_and(|most| want.contains_value(most));
            if bounds.get(&rest).is_some_and(|constants| constants.iter().any(most)) {
                map.insert(n, arg);
            }
        }
        self.arena.substitute_all(&mut known, &map);
        known
    }

    /// Whether a condition follows from one of these, or from the sum of two.
    fn follows(&mut self, c: TermId, known: &[TermId]) -> bool {
        if known.contains(&c) {
            return true;
        }
        let Term::Le(t) = *self.arena.get(c) else { return false };
        let bounds: Vec<TermId> = known
            .iter()
            .filter_map(|c| if let Term::Le(t) = self.arena.get(*c) { Some(*t) } else { None })
            .take(MAX_KNOWN)
            .collect();
        let symbols = self.arena.symbols_of(&[t]);
        for x in &bounds {
            // Both terms are at most 0.
            let rest = self.arena.sub(t, *x);
            if self.arena.range(rest).hi.is_some_and(|h| h <= 0) {
                return true;
            }
            if !self.arena.symbols_of(&[*x]).iter().any(|s| symbols.contains(s)) {
                continue;
            }
            for y in &bounds {
                let rest = self.arena.sub(rest, *y);
                if self.arena.range(rest).hi.is_some_and(|h| h <= 0) {
                    return true;
                }
            }
        }
        false
    }
}

/// Step symbols of the sums below a term.
pub(in crate::symbolic) fn steps_below(a: &Arena, t: TermId) -> FxHashSet<TermId> {
    a.cone(&[t])
        .into_iter()
        .filter_map(|n| match a.get(n) {
            Term::Apply { function: UninterpretedFunction::Sum, args, .. } => Some(args[0]),
            _ => None,
        })
        .collect()
}

/// Facts about the sums below the roots; `None` if there are none.
pub fn instances(a: &mut Arena, roots: &[TermId]) -> Option<TermId> {
    let mut by_step: Vec<(TermId, Vec<(TermId, TermId)>)> = vec![];
    for t in a.cone(roots) {
        let Term::Apply { function: UninterpretedFunction::Sum, args, .. } = a.get(t) else { continue };
        let [step, j] = args[..] else { continue };
        match by_step.iter_mut().find(|(s, _)| *s == step) {
            Some((_, all)) => all.push((j, t)),
            None => by_step.push((step, vec![(j, t)])),
        }
    }
    let zero = a.int(0);
    let mut out = vec![];
    for (step, mut sums) in by_step {
        let range = a.range(step);
        sums.truncate(MAX);
        sums.push((zero, zero));
        for (i, x) in sums.iter().enumerate() {
            for y in &sums[i + 1..] {
                out.extend([grown(a, *x, *y, range), grown(a, *y, *x, range)]);
            }
        }
    }
    out.retain(|f| a.as_bool(*f) != Some(true));
    (!out.is_empty()).then(|| a.and_all(out))
}

/// Bounds the growth between the sums `(j, sum)` before two iterations, unless the second is the earlier one.
fn grown(a: &mut Arena, (i, before): (TermId, TermId), (j, after): (TermId, TermId), step: Interval) -> TermId {
    // Iterations before the first add nothing.
    let from_start = a.range(i).lo.is_some_and(|l| l >= 0);
    let [lo, hi] = [
        step.lo.map(|l| if from_start { l } else { l.min(0) }),
        step.hi.map(|h| if from_start { h } else { h.max(0) }),
    ];
    let (iterations, growth) = (a.sub(j, i), a.sub(after, before));
    let mut all = vec![];
    if let Some(lo) = lo {
        let least = a.scale(iterations, lo);
        all.push(a.le(least, growth));
    }
    if let Some(hi) = hi {
        let most = a.scale(iterations, hi);
        all.push(a.le(growth, most));
    }
    let all = a.and_all(all);
    let earlier = a.lt(j, i);
    a.or(earlier, all)
}
