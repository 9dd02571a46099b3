//! Sums over the iterations of a loop whose summands depend on the iteration: `n += i`, and counters of the iterations
//! in which a condition holds. Also facts that variables imply about all iterations: flags that some iteration may have
//! set, and conditions of the first iteration.
//!
//! In: a variable's start, its value in an iteration and after it, and the loop's other variables at iteration `k`.
//! Out: its value at iteration `k`. Everything is exact modulo the variable's width, as the closed forms in
//! [`super::summary`] are.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::loops::types::Form;
use crate::symbolic::memory::value::{GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use ir::BlockId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum period, in iterations, of a periodic condition whose iterations are counted.
const LONGEST_PERIOD: i128 = 8;

/// Maximum depth of nested choices.
const DEPTH: u32 = 5;

/// Iterations of a loop: their number so far, and the values of the pass's terms in such an iteration.
pub(in crate::symbolic) struct Iterations<'m> {
    pub k: TermId,
    pub map: &'m FxHashMap<TermId, TermId>,
    /// Symbols from `mark` on and versions after `version` belong to the pass.
    pub mark: usize,
    pub version: u32,
}

impl Terms {
    /// Closed form of a variable that starts as `a` and changes from `h` to `n` in an iteration.
    pub(in crate::symbolic) fn added_up(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        r: &Iterations<'_>,
    ) -> Option<Form> {
        let mut facts = vec![];
        let sum = self.sum_of_steps(n, h, r, &mut facts, DEPTH)?;
        let value = Value::Int(self.arena.add(a, sum));
        Some(if facts.is_empty() { Form::Closed(value) } else { Form::Bounded(value, facts) })
    }

    fn sum_of_steps(
        &mut self,
        n: TermId,
        h: TermId,
        r: &Iterations<'_>,
        facts: &mut Vec<TermId>,
        depth: u32,
    ) -> Option<TermId> {
        if let Term::Ite(c, x, y) = *self.arena.get(n) {
            let c = self.arena.substitute(c, r.map);
            if self.only_old(c, r.mark, r.version, None) {
                let depth = depth.checked_sub(1)?;
                let (x, y) = (self.sum_of_steps(x, h, r, facts, depth)?, self.sum_of_steps(y, h, r, facts, depth)?);
                return Some(self.arena.ite(c, x, y));
            }
            if !self.only_old(c, r.mark, r.version, Some(r.k)) {
                return None;
            }
            let (x, y) = (self.arena.sub(x, h), self.arena.sub(y, h));
            if ![x, y].into_iter().all(|d| self.only_old(d, r.mark, r.version, None)) {
                return None;
            }
            let met = self.iterations_with(c, r)?;
            let unmet = self.arena.sub(r.k, met);
            let (x, y) = (self.arena.mul(x, met), self.arena.mul(y, unmet));
            return Some(self.arena.add(x, y));
        }
        let d = self.arena.sub(n, h);
        let d = self.arena.substitute(d, r.map);
        if !self.only_old(d, r.mark, r.version, Some(r.k)) {
            return None;
        }
        if let Some((first, slope)) = self.linear(d, r.k) {
            return Some(self.sum_of_linear(first, slope, r.k, facts));
        }
        let (plain, same) = self.evenly_growing(d, r, DEPTH)?;
        let (first, slope) = self.linear(plain, r.k)?;
        let exact = self.sum_of_linear(first, slope, r.k, facts);
        let range = self.arena.range(d);
        let (lo, hi) = (range.lo?, range.hi?);
        // Else any sum of as many steps: a multiple of what divides each (Granger, "Static analysis of arithmetical
        // congruences", 1989).
        let divisor = self.arena.poly(d).divisor_of_values().max(1);
        let any = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::LoopMoves },
            "steps",
            Interval { lo: (lo == 0).then_some(0), hi: (hi == 0).then_some(0) },
        );
        let any = self.arena.scale(any, divisor);
        let (lo, hi) = (self.arena.scale(r.k, lo), self.arena.scale(r.k, hi));
        facts.extend([self.arena.le(lo, any), self.arena.le(any, hi)]);
        let none = self.arena.le_zero(r.k);
        let same = self.arena.or(none, same);
        Some(self.arena.ite(same, exact, any))
    }

    /// Sums `first + slope · j` over the iterations `j` before `k`.
    fn sum_of_linear(&mut self, first: TermId, slope: TermId, k: TermId, facts: &mut Vec<TermId>) -> TermId {
        let steady = self.arena.mul(first, k);
        if self.arena.as_int(slope) == Some(0) {
            return steady;
        }
        // The sum 0 + 1 + … + (k - 1), with facts about it for a solver that does not multiply.
        let square = self.arena.mul(k, k);
        let twice = self.arena.sub(square, k);
        let triangle = self.arena.floor_div(twice, 2);
        let (zero, last) = (self.arena.int(0), self.arena.add_const(k, -1));
        facts.extend([self.arena.le(zero, triangle), self.arena.le(last, triangle)]);
        let growing = self.arena.mul(slope, triangle);
        self.arena.add(steady, growing)
    }

    /// Returns a number that grows evenly, and a condition under which it is equal to a sum in all iterations before
    /// `k`: no interpretation of its parts changes them, and choices that no iteration changes take their first
    /// alternative. What grows evenly is in range between two iterations in which it is.
    fn evenly_growing(&mut self, d: TermId, r: &Iterations<'_>, depth: u32) -> Option<(TermId, TermId)> {
        let depth = depth.checked_sub(1)?;
        let (mut plain, mut kept) = (d, vec![]);
        let last = self.arena.add_const(r.k, -1);
        for (m, c) in self.arena.poly(d).terms {
            let [t] = m[..] else { continue };
            let part = match *self.arena.get(t) {
                Term::Wrap { arg, bits, signed } => {
                    let (arg, same) = self.evenly_growing(arg, r, depth)?;
                    self.linear(arg, r.k)?;
                    kept.push(same);
                    let at_end = self.arena.substitute(arg, &std::iter::once((r.k, last)).collect());
                    for end in [self.in_iteration(arg, r.k, 0), at_end] {
                        kept.extend(self.within(end, bits, signed));
                    }
                    arg
                }
                Term::Ite(c, x, _) if self.only_old(c, r.mark, r.version, None) => {
                    let (x, same) = self.evenly_growing(x, r, depth)?;
                    kept.extend([c, same]);
                    x
                }
                _ => continue,
            };
            let more = self.arena.sub(part, t);
            let more = self.arena.scale(more, c);
            plain = self.arena.add(plain, more);
        }
        Some((plain, self.arena.and_all(kept)))
    }

    /// Closed form of the offset of a pointer that is moved by a sum.
    pub(super) fn pointer_added_up(&mut self, [start, held, next]: [&Value; 3], r: &Iterations<'_>) -> Option<Form> {
        let (Value::Ptr(a), Value::Ptr(h), Value::Ptr(n)) = (start, held, next) else { return None };
        let ([a], [h], [n]) = (a.as_slice(), h.as_slice(), n.as_slice()) else { return None };
        if a.base != n.base || h.base != n.base {
            return None;
        }
        let moved = |o: TermId| Value::Ptr(Rc::new(vec![GuardedTarget { offset: o, ..a.clone() }]));
        Some(match self.added_up((a.offset, h.offset, n.offset), r)? {
            Form::Closed(Value::Int(o)) => Form::Closed(moved(o)),
            Form::Bounded(Value::Int(o), facts) => Form::Bounded(moved(o), facts),
            _ => return None,
        })
    }

    /// Form at iteration `k` of a variable that each iteration either leaves unchanged or changes in one fixed way, and
    /// a fact about each earlier iteration in terms of `k`: the iteration changed nothing, or the change is visible.
    /// `if (bad(i)) ok = false;` and `errors += bad(i);` imply such a fact about `bad(i)`. `form` is the form known so
    /// far.
    pub(in crate::symbolic) fn noted(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        r: &Iterations<'_>,
        form: &Form,
    ) -> Option<(Form, TermId)> {
        let (d, zero) = (self.arena.sub(n, h), self.arena.int(0));
        let mut new = None;
        let changed = if matches!(self.arena.get(n), Term::Ite(..)) {
            self.changed_when(n, h, &mut new, DEPTH)?
        } else {
            self.changed_when(d, zero, &mut new, DEPTH)?
        };
        let changed = self.arena.substitute(changed, r.map);
        if !self.only_old(changed, r.mark, r.version, Some(r.k)) || !self.arena.cone(&[changed]).contains(&r.k) {
            return None;
        }
        let unchanged = self.arena.not(changed);
        let new = if matches!(self.arena.get(n), Term::Ite(..)) {
            new?
        } else {
            let step = new?;
            self.arena.add(h, step)
        };
        let step = self.arena.sub(new, h);
        if let Some(by) = self.arena.as_int(step) {
            // Every change is the same step: after one change the variable is at least that far from its start.
            let Form::Bounded(Value::Int(now), _) = form else { return None };
            let so_far = self.arena.sub(*now, a);
            if self.arena.cone(&[so_far]).contains(&r.k) {
                return None;
            }
            let seen = if by > 0 { self.arena.le(step, so_far) } else { self.arena.le(so_far, step) };
            return Some((form.clone(), self.arena.or(unchanged, seen)));
        }
        self.arena.as_int(new)?;
        let seen = self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::RoundSet }, "?");
        let value = self.arena.ite(seen, new, a);
        let (not, one) = (self.arena.not(seen), self.arena.int(1));
        let begun = self.arena.le(one, r.k);
        let fact = self.arena.or(not, begun);
        Some((Form::Bounded(Value::Int(value), vec![fact]), self.arena.or(unchanged, seen)))
    }

    /// Condition under which a choice differs from `old`: always by the same value, which becomes `new`.
    fn changed_when(&mut self, n: TermId, old: TermId, new: &mut Option<TermId>, depth: u32) -> Option<TermId> {
        if n == old {
            return Some(self.arena.bool(false));
        }
        if let Term::Ite(c, x, y) = *self.arena.get(n) {
            let depth = depth.checked_sub(1)?;
            let (x, y) = (self.changed_when(x, old, new, depth)?, self.changed_when(y, old, new, depth)?);
            let not = self.arena.not(c);
            let (x, y) = (self.arena.and(c, x), self.arena.and(not, y));
            return Some(self.arena.or(x, y));
        }
        (*new.get_or_insert(n) == n).then(|| self.arena.bool(true))
    }

    /// Instances, at the first iteration, of conditions that hold in each iteration that continues, as far as the last
    /// iteration's instance does not imply them (it does for `first + slope · k <= 0` with a positive constant slope).
    pub(in crate::symbolic) fn in_the_first_iteration(&mut self, conditions: &[TermId], k: TermId) -> Option<TermId> {
        let mut all = vec![];
        for &c in conditions {
            if !self.arena.cone(&[c]).contains(&k) {
                continue;
            }
            if let Term::Le(t) = *self.arena.get(c)
                && let Some((_, slope)) = self.linear(t, k)
                && self.arena.as_int(slope).is_some_and(|s| s > 0)
            {
                continue;
            }
            all.push(self.in_iteration(c, k, 0));
        }
        (!all.is_empty()).then(|| self.arena.and_all(all))
    }

    /// Adds to each exit what it implies about the first iteration: the loop was left there, or the conditions for
    /// continuing held. This fact does not mention the number of iterations, so it is known wherever the loop's inputs
    /// are.
    pub(in crate::symbolic) fn after_the_first_iteration(
        &mut self,
        exits: Vec<(BlockId, BlockId, State)>,
        begin: TermId,
        first: TermId,
        r: &Iterations<'_>,
    ) -> Vec<(BlockId, BlockId, State)> {
        exits
            .into_iter()
            .filter_map(|(from, to, s)| {
                let (_, _, left) = self.arena.split_common(begin, s.path);
                let left: Vec<TermId> = self
                    .arena
                    .conjuncts(left)
                    .into_iter()
                    .filter(|c| self.only_old(*c, r.mark, r.version, Some(r.k)))
                    .collect();
                let left = self.arena.and_all(left);
                let at_once = self.in_iteration(left, r.k, 0);
                let fact = self.arena.or(at_once, first);
                self.assume(s, fact).map(|s| (from, to, s))
            })
            .collect()
    }

    /// Splits a term into `first + slope · k`, where neither depends on `k`.
    pub(super) fn linear(&mut self, t: TermId, k: TermId) -> Option<(TermId, TermId)> {
        let [first, second] = [0, 1].map(|v| self.in_iteration(t, k, v));
        let slope = self.arena.sub(second, first);
        let grown = self.arena.mul(slope, k);
        (self.arena.add(first, grown) == t).then_some((first, slope))
    }

    fn in_iteration(&mut self, t: TermId, k: TermId, iteration: i128) -> TermId {
        let v = self.arena.int(iteration);
        self.arena.substitute(t, &std::iter::once((k, v)).collect())
    }

    /// Number of iterations before `k` in which a condition holds.
    fn iterations_with(&mut self, c: TermId, r: &Iterations<'_>) -> Option<TermId> {
        if let Term::Not(x) = *self.arena.get(c) {
            let n = self.iterations_with(x, r)?;
            return Some(self.arena.sub(r.k, n));
        }
        let (Term::Le(t) | Term::EqZ(t)) = *self.arena.get(c) else { return self.iterations_in_turn(c, r) };
        let Some((first, slope)) = self.linear(t, r.k) else { return self.iterations_in_turn(c, r) };
        let slope = self.arena.as_int(slope)?;
        if matches!(self.arena.get(c), Term::Le(_)) {
            self.iterations_up_to(first, slope, r.k)
        } else {
            self.iteration_of(first, slope, r.k)
        }
    }

    /// Number (1 or 0) of iterations `j` before `k` in which `first + slope · j == 0`, for slopes of 1 and -1.
    fn iteration_of(&mut self, first: TermId, slope: i128, k: TermId) -> Option<TermId> {
        let iteration = match slope {
            -1 => first,
            1 => self.arena.neg(first),
            _ => return None,
        };
        let (zero, one) = (self.arena.int(0), self.arena.int(1));
        let (begun, before) = (self.arena.le(zero, iteration), self.arena.lt(iteration, k));
        let there = self.arena.and(begun, before);
        Some(self.arena.ite(there, one, zero))
    }

    /// Number of iterations `j` before `k` in which `first + slope · j <= 0`.
    fn iterations_up_to(&mut self, first: TermId, slope: i128, k: TermId) -> Option<TermId> {
        let zero = self.arena.int(0);
        if slope > 0 {
            // All up to some iteration.
            let below = self.arena.neg(first);
            let last = self.arena.floor_div(below, slope);
            let end = self.arena.add_const(last, 1);
            let end = self.arena.max(end, zero);
            return Some(self.arena.min(end, k));
        }
        // All from some iteration on.
        let slope = slope.checked_neg().filter(|s| *s > 0)?;
        let up = self.arena.add_const(first, slope - 1);
        let begin = self.arena.floor_div(up, slope);
        let begin = self.arena.max(begin, zero);
        let left = self.arena.sub(k, begin);
        Some(self.arena.max(left, zero))
    }

    /// Number of iterations before `k` in which a condition holds that depends on the iteration only through its
    /// remainder by a small number, such as `j % 2 == 0`.
    fn iterations_in_turn(&mut self, c: TermId, r: &Iterations<'_>) -> Option<TermId> {
        let (mut period, mut remainders) = (1i128, vec![]);
        for t in self.arena.cone(&[c]) {
            let Term::Mod(x, m) = *self.arena.get(t) else { continue };
            if self.only_old(t, r.mark, r.version, None) {
                continue;
            }
            let (_, slope) = self.linear(x, r.k)?;
            self.arena.as_int(slope)?;
            if period % m != 0 {
                period = period.checked_mul(m)?;
            }
            if period > LONGEST_PERIOD {
                return None;
            }
            remainders.push(t);
        }
        if remainders.is_empty() {
            return None;
        }
        let mut all = self.arena.int(0);
        for iteration in 0..period {
            let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
            for t in &remainders {
                let v = self.in_iteration(*t, r.k, iteration);
                map.insert(*t, v);
            }
            let met = self.arena.substitute(c, &map);
            if !self.only_old(met, r.mark, r.version, None) {
                return None;
            }
            // Iterations `iteration`, `iteration + period`, … before `k`.
            let up = self.arena.add_const(r.k, period - 1 - iteration);
            let (times, zero) = (self.arena.floor_div(up, period), self.arena.int(0));
            let times = self.arena.ite(met, times, zero);
            all = self.arena.add(all, times);
        }
        Some(all)
    }

    /// Drops interpretations of `h` from a value that is stored in `bits` bits: modulo 2^bits they change nothing.
    pub(in crate::symbolic) fn as_kept(&mut self, n: TermId, h: TermId, bits: u32) -> TermId {
        self.as_kept_within(n, h, bits, DEPTH)
    }

    fn as_kept_within(&mut self, n: TermId, h: TermId, bits: u32, depth: u32) -> TermId {
        if !self
            .arena
            .cone(&[n])
            .into_iter()
            .any(|t| self.arena.reading(t).is_some_and(|(x, b, _)| x == h && b >= bits))
        {
            return n;
        }
        if let Term::Ite(c, x, y) = *self.arena.get(n) {
            let Some(depth) = depth.checked_sub(1) else { return n };
            let (x, y) = (self.as_kept_within(x, h, bits, depth), self.as_kept_within(y, h, bits, depth));
            return self.arena.ite(c, x, y);
        }
        let mut out = n;
        for (m, c) in self.arena.poly(n).terms {
            let [t] = m[..] else { continue };
            if !self.arena.reading(t).is_some_and(|(x, b, _)| x == h && b >= bits) {
                continue;
            }
            let (read, kept) = (self.arena.scale(t, c), self.arena.scale(h, c));
            out = self.arena.sub(out, read);
            out = self.arena.add(out, kept);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Iterations;
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{SymKind, Term, TermId};
    use base::reasons::UnknownReason;
    use ir::Program;
    use rustc_hash::FxHashMap;

    /// Runs a test with the iterations of a loop in a program without functions.
    fn with_iterations(test: impl FnOnce(&mut Executor<'_>, &Iterations<'_>)) {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        let mark = e.arena.symbols().len();
        let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
        test(&mut e, &Iterations { k, map: &FxHashMap::default(), mark, version: 0 });
    }

    fn at(e: &Executor<'_>, t: TermId, k: TermId, iteration: i128) -> i128 {
        let Term::Sym(s) = *e.arena.get(k) else { unreachable!() };
        e.arena.eval(t, &|x| (x == s).then_some(iteration)).unwrap()
    }

    #[test]
    fn iterations_are_counted_as_one_by_one() {
        with_iterations(|e, r| {
            let mut counted = 0;
            let numbers: Vec<TermId> = (-3..9).map(|v| e.arena.int(v)).collect();
            let (twice, thrice, down) = (e.arena.scale(r.k, 2), e.arena.scale(r.k, 3), e.arena.neg(r.k));
            let remainders = [2, 4].map(|m| {
                let more = e.arena.add_const(thrice, 1);
                e.arena.modulo(more, m)
            });
            for n in numbers {
                for t in [r.k, twice, thrice, down, remainders[0], remainders[1]] {
                    for c in [e.arena.le(t, n), e.arena.le(n, t), e.arena.eq(t, n)] {
                        let not = e.arena.not(c);
                        for c in [c, not] {
                            // Other solvers handle constants and steps of more than one.
                            let Some(count) = e.iterations_with(c, r) else { continue };
                            counted += 1;
                            for k in 0..12 {
                                let met = (0..k).filter(|j| at(e, c, r.k, *j) == 1).count();
                                assert_eq!(at(e, count, r.k, k), i128::try_from(met).unwrap(), "{c:?} before {k}");
                            }
                        }
                    }
                }
            }
            assert!(counted > 150, "{counted}");
        });
    }

    #[test]
    fn steps_that_grow_add_up() {
        with_iterations(|e, r| {
            let h = e.arena.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "h", Interval::of_int(32, true));
            let step = e.arena.scale(r.k, 3);
            let step = e.arena.add_const(step, -2);
            let (next, mut facts) = (e.arena.add(h, step), vec![]);
            let sum = e.sum_of_steps(next, h, r, &mut facts, 3).unwrap();
            for k in 0..12 {
                assert_eq!(at(e, sum, r.k, k), (0..k).map(|j| 3 * j - 2).sum::<i128>());
                assert!(facts.iter().all(|f| at(e, *f, r.k, k) == 1));
            }
            // Steps of 8 bits add up until one of them wraps: 3 * 43 - 2 is 127.
            let narrow = e.arena.wrap(step, 8, true);
            let next = e.arena.add(h, narrow);
            let sum = e.sum_of_steps(next, h, r, &mut facts, 3).unwrap();
            let Term::Ite(same, exact, _) = *e.arena.get(sum) else { panic!("no choice") };
            for k in 0..60 {
                assert_eq!(at(e, same, r.k, k), i128::from(k <= 44), "before {k}");
                assert_eq!(at(e, exact, r.k, k), (0..k).map(|j| 3 * j - 2).sum::<i128>());
            }
            // A square has no such sum.
            let square = e.arena.mul(r.k, r.k);
            let next = e.arena.add(h, square);
            assert!(e.sum_of_steps(next, h, r, &mut facts, 3).is_none());
        });
    }
}
