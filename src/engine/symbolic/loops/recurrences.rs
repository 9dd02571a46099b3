//! Closed forms of single variables: the recurrence `h` → `n` from the start `a`, solved in terms of the iteration
//! number `k`.
//!
//! Affine steps (`h + d`), values set once, geometric steps (`h / 2^c`, `h * 2^c`), rounded quotients
//! ([`super::quotients`]), alternation ([`super::alternating`]), and choices between steps and fixed values. Loop
//! acceleration as in Bozga, Iosif and Konečný (CAV 2010), for the recurrences that programs have. In: terms of one pass
//! over the body. Out: a [`Form`]. The solvers do not know to which loop the terms belong.

use super::sum::Iterations;
use super::types::Form;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::value::{GuardedTarget, Value, is_known};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::polynomial::gcd;
use base::reasons::UnknownReason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Maximum number of nodes visited in a choice between values.
const MAX_CHOICES: usize = 64;

impl MemoryDomain<'_> {
    pub(super) fn solve(
        &mut self,
        start: &Value,
        sym: &Value,
        next: &Value,
        k: TermId,
        mark: usize,
        version: u32,
    ) -> Form {
        match (start, sym, next) {
            (Value::Int(a), Value::Int(h), Value::Int(n)) => self.solve_int(*a, *h, *n, k, mark, version),
            (Value::Ptr(a), Value::Ptr(h), Value::Ptr(n))
                if a.len() == 1 && h.len() == 1 && n.len() == 1 && a[0].base == n[0].base && h[0].base == n[0].base =>
            {
                match self.solve_int(a[0].offset, h[0].offset, n[0].offset, k, mark, version) {
                    Form::Closed(Value::Int(o)) => {
                        Form::Closed(Value::Ptr(Rc::new(vec![GuardedTarget { offset: o, ..a[0].clone() }])))
                    }
                    Form::Bounded(Value::Int(o), f) => {
                        Form::Bounded(Value::Ptr(Rc::new(vec![GuardedTarget { offset: o, ..a[0].clone() }])), f)
                    }
                    _ => Form::Arbitrary,
                }
            }
            (Value::Bool(a), Value::Bool(h), Value::Bool(n)) if h == n => Form::Closed(Value::Bool(*a)),
            // Two unknown values may share their reason and still differ.
            (a, h, n) if h == n && is_known(h) => Form::Closed(a.clone()),
            (Value::Bool(a), _, Value::Bool(n)) if self.only_old(*n, mark, version, None) => {
                let first = self.arena.le_zero(k);
                let (x, y) = (Value::Bool(*a), Value::Bool(*n));
                Form::Closed(self.ite_value(first, &x, &y))
            }
            _ => Form::Arbitrary,
        }
    }
}

impl ValueDomain<'_> {
    pub(super) fn solve_int(&mut self, a: TermId, h: TermId, n: TermId, k: TermId, mark: usize, version: u32) -> Form {
        let d = self.arena.sub(n, h);
        if self.only_old(d, mark, version, None) {
            let t = self.arena.mul(d, k);
            return Form::Closed(Value::Int(self.arena.add(a, t)));
        }
        // Set to one value in every iteration: the start at first, then this value.
        if self.only_old(n, mark, version, None) {
            let first = self.arena.le_zero(k);
            return Form::Closed(Value::Int(self.arena.ite(first, a, n)));
        }
        if let Some(f) = self.geometric(a, h, n, k, mark, version) {
            return f;
        }
        if let Some(f) = self.rounded_quotient((a, h, n), k, mark, version) {
            return f;
        }
        if let Some(f) = self.alternating((a, h, n), k, mark, version) {
            return f;
        }
        if let Some(leaves) = self.leaves(n)
            && let Some(v) = self.option_of_some_iteration(&leaves, self.arena.range(h))
        {
            return Form::Bounded(Value::Int(v), vec![]);
        }
        self.moved(a, h, n, &Iterations { k, map: &FxHashMap::default(), mark, version }).unwrap_or(Form::Arbitrary)
    }
}

impl Terms {
    /// Solves a choice between steps and fixed values.
    pub(super) fn moved(&mut self, a: TermId, h: TermId, n: TermId, r: &Iterations<'_>) -> Option<Form> {
        let (k, mark, version) = (r.k, r.mark, r.version);
        let (mut lo, mut hi) = (0i128, 0i128);
        let (mut fixed, mut divisor) = (vec![], 0);
        for leaf in self.leaves(n)? {
            let d = self.arena.sub(leaf, h);
            if let Some(c) = self.arena.as_int(d) {
                lo = lo.min(c);
                hi = hi.max(c);
                divisor = gcd(divisor, c);
            } else if self.only_old(leaf, mark, version, None) {
                fixed.push(leaf);
            } else {
                let d = self.arena.substitute(d, r.map);
                let steps = self.arena.range(d);
                match (steps.lo, steps.hi) {
                    (Some(l), Some(u)) if !self.arena.cone(&[d]).contains(&h) => {
                        lo = lo.min(l);
                        hi = hi.max(u);
                        divisor = gcd(divisor, self.arena.poly(d).divisor_of_values());
                    }
                    _ => return None,
                }
            }
        }
        if fixed.len() > 4 {
            return None;
        }
        // The start or a fixed value, plus the steps since then. A representative has no range: code that reads the sum
        // as a machine integer shows that it has not wrapped.
        let steps = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::LoopMoves },
            "steps",
            Interval { lo: (lo == 0).then_some(0), hi: (hi == 0).then_some(0) },
        );
        // Each step is a multiple of it, and so is their sum (Granger, "Static analysis of arithmetical congruences", 1989).
        let steps = self.arena.scale(steps, divisor.max(1));
        let (l, u) = (self.arena.scale(k, lo), self.arena.scale(k, hi));
        let (l, u) = (self.arena.le(l, steps), self.arena.le(steps, u));
        let mut facts = vec![l, u];
        let mut v = self.arena.add(a, steps);
        for f in fixed {
            let (other, past) = (
                self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::LoopChangesIf }, "?"),
                self.arena.add(f, steps),
            );
            v = self.arena.ite(other, past, v);
            // Before the first iteration it is the start.
            let (one, not) = (self.arena.int(1), self.arena.not(other));
            let started = self.arena.le(one, k);
            facts.push(self.arena.or(not, started));
        }
        Some(Form::Bounded(Value::Int(v), facts))
    }

    /// Solves `best = i` under a condition: the start, or a value from some earlier iteration.
    pub(super) fn set_in_some_iteration(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        k: TermId,
        map: &FxHashMap<TermId, TermId>,
        iteration: &[TermId],
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let mut leaves = self.leaves(n)?;
        leaves.retain(|l| *l != h);
        if leaves.len() > 4 {
            return None;
        }
        let (mut value, mut facts) = (a, vec![]);
        for leaf in leaves {
            let at_k = self.arena.substitute(leaf, map);
            if !self.only_old(at_k, mark, version, Some(k)) {
                return None;
            }
            let earlier = self.arena.fresh(
                SymKind::Iteration { name: "an earlier round".into() },
                "an earlier iteration",
                Interval::new(0, 1 << 62),
            );
            let then: FxHashMap<TermId, TermId> = std::iter::once((k, earlier)).collect();
            let kept = self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::WhichRoundSet }, "?");
            let in_iteration = self.arena.substitute(at_k, &then);
            value = self.arena.ite(kept, value, in_iteration);
            // One fact each: a launch keeps the facts whose symbols it knows.
            let mut conditions = vec![self.arena.lt(earlier, k)];
            for c in iteration {
                conditions.push(self.arena.substitute(*c, &then));
            }
            for c in conditions {
                facts.push(self.arena.or(kept, c));
            }
        }
        Some(Form::Bounded(Value::Int(value), facts))
    }

    /// Solves `h / 2^c`, `h >> c`, `h * 2^c`.
    pub(super) fn geometric(
        &mut self,
        a: TermId,
        h: TermId,
        n: TermId,
        k: TermId,
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let power = |c: i128| (c >= 2 && c & (c - 1) == 0).then(|| i128::from(c.trailing_zeros()));
        // The divided number is the one that the machine reads, not any congruent one.
        let read = |s: &mut Self, t: TermId| match s.arena.reading(t) {
            Some((arg, bits, signed)) => {
                (arg == h && s.reads_whole(h, bits, signed)).then(|| s.arena.wrap(a, bits, signed))
            }
            None => (t == h && s.arena.range(h).contains(s.arena.range(a))).then_some(a),
        };
        match *self.arena.get(n) {
            Term::Div(x, c) => {
                let m = power(self.arena.as_int(c)?)?;
                let from = read(self, x)?;
                let e = self.arena.scale(k, m);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.div(from, p))))
            }
            Term::FloorDiv(x, c) => {
                let m = power(c)?;
                let from = read(self, x)?;
                if self.arena.range(from).lo.is_none_or(|v| v < 0) {
                    return None;
                }
                let e = self.arena.scale(k, m);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.div(from, p))))
            }
            Term::Poly(_) => {
                let p = self.arena.poly(n);
                let [(m, c)] = p.terms.as_slice() else { return None };
                if m.as_slice() != [h] {
                    return None;
                }
                let w = power(*c)?;
                let e = self.arena.scale(k, w);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.mul(a, p))))
            }
            _ => {
                let _ = (mark, version);
                None
            }
        }
    }

    /// Whether a reading has the width of the variable whose symbol is `h`. Else the start is not what is divided: the
    /// reading drops bits of a wider variable, and a narrower one keeps only the low bits of a quotient.
    pub(super) fn reads_whole(&self, h: TermId, bits: u32, signed: bool) -> bool {
        // An unsigned variable may have a signed symbol, but not the reverse.
        [signed, true].map(|s| Interval::of_value(bits, s)).contains(&self.arena.range(h))
    }

    /// Values that a choice may have; `None` if they are too many.
    pub(in crate::symbolic) fn leaves(&self, t: TermId) -> Option<Vec<TermId>> {
        let (mut out, mut open, mut seen) = (vec![], vec![t], FxHashSet::default());
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            if seen.len() > MAX_CHOICES {
                return None;
            }
            match self.arena.get(t) {
                Term::Ite(_, a, b) => open.extend([*b, *a]),
                _ => out.push(t),
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Interval, SymKind, UnknownReason, Value};
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use crate::symbolic::terms::term::{Term, TermId, wrap_value};
    use ir::Program;

    fn unknown(e: &mut Executor<'_>, name: &str, range: Interval) -> TermId {
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, name, range)
    }

    /// Form of a variable of `bits` bits that iterations halve as a number of `read` bits, with its start and iteration.
    fn halved(
        e: &mut Executor<'_>,
        (bits, signed): (u32, bool),
        read: (u32, bool),
        shifts: bool,
    ) -> (Option<Form>, TermId, TermId) {
        let range = Interval::of_int(bits, signed);
        let a = unknown(e, "start", range);
        let mark = e.arena.symbols().len();
        let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
        let (h, two) = (unknown(e, "h", range), e.arena.int(2));
        let numerator = e.arena.wrap(h, read.0, read.1);
        let next = if shifts { e.arena.floor_div(numerator, 2) } else { e.arena.div(numerator, two) };
        (e.geometric(a, h, next, k, mark, 0), a, k)
    }

    #[test]
    fn halves_are_as_iterations_one_by_one() {
        let program = Program::default();
        let cases = [((32, true), (32, false)), ((32, true), (64, true)), ((8, false), (32, false))];
        for (kept, read, shifts) in cases.into_iter().flat_map(|(k, r)| [(k, r, false), (k, r, true)]) {
            let mut e = Executor::new(&program, &NoLibrary);
            let (Some(Form::Closed(Value::Int(form))), a, k) = halved(&mut e, kept, read, shifts) else {
                assert!(shifts && read == (64, true), "{kept:?} {read:?}");
                continue;
            };
            let range = Interval::of_int(kept.0, kept.1);
            for start in [0, 1, 2, 5, 100, -1, -2, -7, range.lo.unwrap(), range.hi.unwrap()] {
                let start = wrap_value(start, kept.0, kept.1);
                let mut value = start;
                for iteration in 0..40 {
                    let known = [(a, start), (k, iteration)];
                    let of = |s| known.iter().find(|(t, _)| *e.arena.get(*t) == Term::Sym(s)).map(|(_, v)| *v);
                    let now = e.arena.eval(form, &of).unwrap();
                    assert_eq!(wrap_value(now, kept.0, kept.1), value, "{kept:?} {read:?}: {start} at {iteration}");
                    value = wrap_value(wrap_value(value, read.0, read.1) / 2, kept.0, kept.1);
                }
            }
        }
    }

    #[test]
    fn halves_of_another_width_have_no_form() {
        let program = Program::default();
        // Wider variables keep their start, narrower ones only the low bits of a quotient: -1 stays.
        let cases = [
            ((64, true), (32, false)),
            ((64, true), (32, true)),
            ((16, true), (32, false)),
            ((8, true), (16, false)),
            ((64, true), (128, false)),
            ((32, false), (32, true)),
        ];
        for (kept, read, shifts) in cases.into_iter().flat_map(|(k, r)| [(k, r, false), (k, r, true)]) {
            let mut e = Executor::new(&program, &NoLibrary);
            assert!(halved(&mut e, kept, read, shifts).0.is_none(), "{kept:?} {read:?}");
        }
    }
}
