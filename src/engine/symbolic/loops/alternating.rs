//! Variables that alternate between two values: `x = c - x`, as in `buffer = 1 - buffer`, and `x ^= c`.
//!
//! In: a variable's start, its value in an iteration and after it. Out: its value at iteration `k`: the start in even
//! iterations, and the start after one step in odd ones, since a second step undoes the first (both are involutions).
//! Exact modulo the variable's width.

use super::types::Form;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};

/// Widths of variables, in bits.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

impl Terms {
    /// Closed form of a variable that starts as `a` and changes from `h` to `n` in an iteration.
    pub(super) fn alternating(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        k: TermId,
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let other = self.subtracted((a, h, n), mark, version).or_else(|| self.toggled((a, h, n), mark, version))?;
        // `read_at` leaves the form unwrapped if the start is in range: bring the values of odd iterations into range,
        // too.
        let other = self.in_range_of(other, h)?;
        let (parity, apart) = (self.arena.modulo(k, 2), self.arena.sub(other, a));
        // Use parity itself if possible: sums over iterations, and bounds, can handle it.
        let value = if self.arena.as_int(apart).is_some() {
            let moved = self.arena.mul(apart, parity);
            self.arena.add(a, moved)
        } else {
            let even = self.arena.le_zero(parity);
            self.arena.ite(even, a, other)
        };
        Some(Form::Closed(Value::Int(value)))
    }

    /// Value of the start after one step `c - h`.
    fn subtracted(&mut self, (a, h, n): (TermId, TermId, TermId), mark: usize, version: u32) -> Option<TermId> {
        let c = self.arena.add(n, h);
        self.only_old(c, mark, version, None).then(|| self.arena.sub(c, a))
    }

    /// Value of the start after one step `h ^ c` on all bits of the variable: on fewer bits the first step would clear
    /// the rest.
    fn toggled(&mut self, (a, h, n): (TermId, TermId, TermId), mark: usize, version: u32) -> Option<TermId> {
        let Term::BitXor(x, y, bits) = *self.arena.get(n) else { return None };
        let reads = |t: TermId| t == h || self.arena.reading(t).is_some_and(|(x, b, _)| x == h && b == bits);
        let c = match (reads(x), reads(y)) {
            (true, false) => y,
            (false, true) => x,
            _ => return None,
        };
        let whole = [true, false].into_iter().any(|s| Interval::of_int(bits, s).contains(self.arena.range(h)));
        if !whole || !self.only_old(c, mark, version, None) {
            return None;
        }
        let from = self.arena.wrap(a, bits, false);
        Some(self.arena.bit_xor(from, c, bits))
    }

    /// Value of `t` in a variable whose symbol is `h`; `None` if it may leave the range and the width is unknown.
    pub(super) fn in_range_of(&mut self, t: TermId, h: TermId) -> Option<TermId> {
        let range = self.arena.range(h);
        if range.contains(self.arena.range(t)) {
            return Some(t);
        }
        let (bits, signed) = WIDTHS
            .into_iter()
            .flat_map(|b| [(b, true), (b, false)])
            .find(|(bits, signed)| Interval::of_int(*bits, *signed) == range)?;
        Some(self.arena.wrap(t, bits, signed))
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Interval, Value};
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use crate::symbolic::terms::term::{SymKind, Term, TermId, wrap_value};
    use base::reasons::UnknownReason;
    use ir::Program;

    /// A variable's width in bits and signedness, its step on terms, and the same step on integers.
    type Case = (u32, bool, fn(&mut Executor<'_>, TermId, TermId, u32) -> TermId, fn(i128, i128) -> i128);

    const CASES: [Case; 8] = [
        (32, true, |e, h, c, _| e.arena.sub(c, h), |h, c| c - h),
        (32, false, |e, h, c, _| e.arena.sub(c, h), |h, c| c - h),
        (64, true, |e, h, c, _| e.arena.sub(c, h), |h, c| c - h),
        (8, false, |e, h, c, _| e.arena.sub(c, h), |h, c| c - h),
        (32, true, xor, |h, c| h ^ c),
        (32, false, xor, |h, c| h ^ c),
        (64, false, xor, |h, c| h ^ c),
        (8, true, |e, h, c, _| xor(e, h, c, 32), |h, c| h ^ c),
    ];

    fn xor(e: &mut Executor<'_>, h: TermId, c: TermId, bits: u32) -> TermId {
        let [h, c] = [h, c].map(|t| e.arena.wrap(t, bits, false));
        e.arena.bit_xor(h, c, bits)
    }

    fn unknown(e: &mut Executor<'_>, name: &str, range: Interval) -> TermId {
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, name, range)
    }

    /// Value of a variable at iteration `k`, as the machine reads it.
    fn at(e: &Executor<'_>, t: TermId, symbols: &[(TermId, i128)]) -> i128 {
        let value = |s| symbols.iter().find(|(t, _)| *e.arena.get(*t) == Term::Sym(s)).map(|(_, v)| *v);
        e.arena.eval(t, &value).unwrap()
    }

    #[test]
    fn turns_are_as_iterations_one_by_one() {
        let program = Program::default();
        for (bits, signed, step, on_numbers) in CASES {
            let range = Interval::of_int(bits, signed);
            let numbers = [0, 1, 2, 5, -1, -7, range.lo.unwrap(), range.hi.unwrap(), range.hi.unwrap() - 3];
            for constant in [true, false] {
                for (start, c) in numbers.iter().flat_map(|x| numbers.map(|y| (*x, y))) {
                    let start = wrap_value(start, bits, signed);
                    let mut e = Executor::new(&program, &NoLibrary);
                    let [a, by] = if constant {
                        [start, c].map(|v| e.arena.int(v))
                    } else {
                        ["start", "c"].map(|n| unknown(&mut e, n, Interval::of_int(64, true)))
                    };
                    let mark = e.arena.symbols().len();
                    let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
                    let h = unknown(&mut e, "h", range);
                    let next = step(&mut e, h, by, bits);
                    let form = e.alternating((a, h, next), k, mark, 0);
                    let Some(Form::Closed(Value::Int(form))) = form else {
                        // Toggling no bits, or all bits of a signed number, has become another term by then.
                        assert!(constant && on_numbers(2, 5) == 7 && (c == 0 || c == -1), "{bits} {c}: {form:?}");
                        continue;
                    };
                    let mut value = start;
                    for iteration in 0..6 {
                        let now = at(&e, form, &[(a, start), (by, c), (k, iteration)]);
                        // The value starts in range, and so stays there.
                        assert_eq!(now, value, "{start}, by {c}, of {bits} bits, in round {iteration}");
                        value = wrap_value(on_numbers(value, c), bits, signed);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_turn_has_no_form() {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        let a = unknown(&mut e, "start", Interval::of_int(32, true));
        let mark = e.arena.symbols().len();
        let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
        let (h, other) =
            (unknown(&mut e, "h", Interval::of_int(32, true)), unknown(&mut e, "other", Interval::of_int(32, true)));
        let (one, twice) = (e.arena.int(1), e.arena.scale(h, -2));
        // Another variable's value in this iteration, twice the number, and half of the bits.
        let by_another = e.arena.sub(other, h);
        let xor_another = xor(&mut e, h, other, 32);
        let low = xor(&mut e, h, one, 16);
        for n in [by_another, xor_another, twice, low, h] {
            assert!(e.alternating((a, h, n), k, mark, 0).is_none(), "{n:?}");
        }
        // A number without a width has no form if it may leave its range.
        let narrow = unknown(&mut e, "narrow", Interval::new(0, 5));
        let next = e.arena.sub(one, narrow);
        assert!(e.alternating((a, narrow, next), k, mark, 0).is_none());
    }
}
