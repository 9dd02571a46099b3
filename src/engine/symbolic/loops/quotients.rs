//! Variables that each iteration divides by a power of two, rounding up or down to a least value: `m = (m + 1) / 2`,
//! `m = max(1, m / 2)`, as the sizes of the levels of an image pyramid or of a multigrid.
//!
//! In: a variable's start, its value in an iteration and after it. Out: its value at iteration `k`. Repeated division
//! by `c` is one division by `c^k`, also if each step rounds up (Graham, Knuth and Patashnik, *Concrete Mathematics*,
//! section 3.2). Plain quotients are in [`super::recurrences`].

use super::types::Form;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};

/// A step `(h + added) / 2^log2`.
struct Quotient {
    /// The sum as the machine reads it.
    numerator: TermId,
    added: i128,
    log2: u32,
    /// Whether a negative numerator is rounded towards zero; a shift rounds it down.
    truncates: bool,
    /// Width in bits and signedness with which the numerator is read, if it may wrap.
    read: Option<(u32, bool)>,
}

impl Terms {
    /// Closed form of a variable that starts as `a` and changes from `h` to `n` in an iteration.
    pub(super) fn rounded_quotient(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        k: TermId,
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let (step, least) = match *self.arena.get(n) {
            Term::Ite(c, x, y) => {
                let (step, is_first) =
                    self.quotient(x, h).map(|s| (s, true)).or_else(|| self.quotient(y, h).map(|s| (s, false)))?;
                let (quotient, least) = if is_first { (x, y) } else { (y, x) };
                let range = self.arena.range(least);
                // No less than its own quotient, and a value of the variable.
                let fits = range.lo.is_some_and(|l| l >= 0) && self.arena.range(h).contains(range);
                let is_maximum =
                    self.is_maximum(n, quotient, least) || self.is_choice_by_size(c, is_first, &step, least);
                if !fits || !is_maximum || !self.only_old(least, mark, version, None) {
                    return None;
                }
                (step, Some(least))
            }
            // A plain quotient has another solver.
            _ => (self.quotient(n, h).filter(|s| s.added != 0)?, None),
        };
        // The value that the machine reads, not any congruent one.
        let a = self.in_range_of(a, h)?;
        let divided = self.divided_often(&step, a, h, k)?;
        let Some(least) = least else { return Some(Form::Closed(Value::Int(divided))) };
        // The start may be below the least value.
        let at_least = self.arena.max(least, divided);
        let first = self.arena.le_zero(k);
        Some(Form::Closed(Value::Int(self.arena.ite(first, a, at_least))))
    }

    /// The step that a term is.
    fn quotient(&mut self, n: TermId, h: TermId) -> Option<Quotient> {
        let (numerator, divisor, truncates) = match *self.arena.get(n) {
            Term::Div(x, c) => (x, self.arena.as_int(c)?, true),
            Term::FloorDiv(x, c) => (x, c, false),
            _ => return None,
        };
        if divisor < 2 || divisor & (divisor - 1) != 0 {
            return None;
        }
        let (sum, read) = match self.arena.reading(numerator) {
            Some((sum, bits, signed)) if self.reads_whole(h, bits, signed) => (sum, Some((bits, signed))),
            Some(_) => return None,
            None => (numerator, None),
        };
        let added = self.arena.sub(sum, h);
        let added = self.arena.as_int(added).filter(|d| *d == 0 || *d == divisor - 1)?;
        Some(Quotient { numerator, added, log2: divisor.trailing_zeros(), truncates, read })
    }

    /// Whether `n` is the maximum of two terms.
    fn is_maximum(&mut self, n: TermId, x: TermId, y: TermId) -> bool {
        [(x, y), (y, x)].into_iter().any(|(x, y)| {
            let (at_least, above) = (self.arena.le(y, x), self.arena.lt(y, x));
            [at_least, above].into_iter().any(|c| self.arena.ite(c, x, y) == n)
        })
    }

    /// Whether a choice by the size of the numerator, as in `h > 1 ? h / 2 : 1`, is the maximum of quotient and least
    /// value: from some size on, the quotient is no less, and below it, no greater. The condition must read the number
    /// that is divided: a negative one is small, and great if it is read as unsigned.
    fn is_choice_by_size(&mut self, c: TermId, is_first: bool, step: &Quotient, least: TermId) -> bool {
        let Term::Le(t) = *self.arena.get(c) else { return false };
        // `size - numerator <= 0` if the quotient is the first of both, else `numerator - (size - 1) <= 0`.
        let size = if is_first {
            let size = self.arena.add(t, step.numerator);
            self.arena.as_int(size)
        } else {
            let less = self.arena.sub(step.numerator, t);
            self.arena.as_int(less).map(|l| l + 1)
        };
        let divisor = 1i128 << step.log2;
        let least_size = self.arena.as_int(least).and_then(|l| l.checked_mul(divisor));
        size.zip(least_size).is_some_and(|(s, l)| (l..=l.saturating_add(divisor)).contains(&s))
    }

    /// Value of the start after `k` steps.
    fn divided_often(&mut self, step: &Quotient, a: TermId, h: TermId, k: TermId) -> Option<TermId> {
        let exponent = self.arena.scale(k, i128::from(step.log2));
        let power = self.arena.pow2(exponent);
        if step.added == 0 {
            let from = step.read.map_or(a, |(bits, signed)| self.arena.wrap(a, bits, signed));
            // A shift rounds negative numbers down, but they are below the least value anyway.
            return Some(self.arena.div(from, power));
        }
        let value = self.quotient_rounded_up(a, power, step.truncates);
        let Some((bits, signed)) = step.read else { return Some(value) };
        // The machine may read another start than `a`, and the sum may wrap, in the first iteration only.
        let range = Interval::of_value(bits, signed);
        let most = self.arena.int(range.hi?.checked_sub(step.added)?);
        let modulus = range.hi?.checked_sub(range.lo?)?.checked_add(1)?;
        let (as_is, other) = if range == self.arena.range(h) {
            let wrapped = self.arena.add_const(a, -modulus);
            (self.arena.le(a, most), self.quotient_rounded_up(wrapped, power, step.truncates))
        } else {
            let (zero, unsigned) = (self.arena.int(0), self.arena.add_const(a, modulus));
            let (fits, other) =
                (self.arena.le(unsigned, most), self.quotient_rounded_up(unsigned, power, step.truncates));
            (self.arena.le(zero, a), self.arena.ite(fits, other, value))
        };
        let first = self.arena.le_zero(k);
        let other = self.arena.ite(first, a, other);
        Some(self.arena.ite(as_is, value, other))
    }

    /// Quotient of `a` by `power`, rounded up. A positive number is `(a - 1) / power + 1`, whose bounds follow from
    /// those of a quotient. Rounding up and then towards zero, as `(-2 + 1) / 2` does, divides the distance of a
    /// negative number from 1, which stays at least 1.
    fn quotient_rounded_up(&mut self, a: TermId, power: TermId, truncates: bool) -> TermId {
        let (one, less, negated) = (self.arena.int(1), self.arena.add_const(a, -1), self.arena.neg(a));
        let less = self.arena.div(less, power);
        let positive = self.arena.add_const(less, 1);
        let other = if truncates {
            let distance = self.arena.add_const(negated, 1);
            let distance = self.arena.div(distance, power);
            let distance = self.arena.max(one, distance);
            self.arena.sub(one, distance)
        } else {
            let magnitude = self.arena.div(negated, power);
            self.arena.neg(magnitude)
        };
        let is_positive = self.arena.le(one, a);
        self.arena.ite(is_positive, positive, other)
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

    /// Range of the variable's symbol and of the machine's reading of the numerator (bits, signedness), the numbers
    /// added and divided by, whether a shift divides, and the least value.
    type Case = ((u32, bool), (u32, bool), i128, i128, bool, Option<i128>);

    const CASES: [Case; 16] = [
        ((32, true), (32, true), 1, 2, false, None),
        ((32, true), (32, true), 1, 2, true, None),
        ((32, true), (32, true), 3, 4, false, None),
        ((32, true), (32, true), 7, 8, true, None),
        ((32, false), (32, false), 1, 2, false, None),
        ((32, true), (32, false), 1, 2, false, None),
        ((32, true), (32, false), 3, 4, false, None),
        ((64, true), (64, true), 1, 2, false, None),
        ((64, true), (64, false), 1, 2, false, None),
        ((64, false), (64, false), 1, 2, true, None),
        ((8, false), (32, true), 1, 2, false, None),
        ((8, true), (32, true), 1, 2, false, None),
        ((32, true), (32, true), 0, 2, false, Some(1)),
        ((32, true), (32, true), 0, 4, true, Some(5)),
        ((32, true), (32, false), 0, 2, false, Some(1)),
        ((32, true), (32, true), 3, 4, false, Some(3)),
    ];

    fn unknown(e: &mut Executor<'_>, name: &str, range: Interval) -> TermId {
        e.arena.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, name, range)
    }

    /// The variable's value after one iteration, as the machine computes it.
    fn stepped(value: i128, (kept, read, added, by, shifts, least): Case) -> i128 {
        let numerator = wrap_value(value + added, read.0, read.1);
        let quotient = if shifts { numerator.div_euclid(by) } else { numerator / by };
        wrap_value(least.map_or(quotient, |l| quotient.max(l)), kept.0, kept.1)
    }

    /// The same as a term.
    fn step(e: &mut Executor<'_>, h: TermId, (_, read, added, by, shifts, least): Case) -> TermId {
        let sum = e.arena.add_const(h, added);
        let numerator = e.arena.wrap(sum, read.0, read.1);
        let divisor = e.arena.int(by);
        let quotient = if shifts { e.arena.floor_div(numerator, by) } else { e.arena.div(numerator, divisor) };
        let Some(least) = least else { return quotient };
        let least = e.arena.int(least);
        e.arena.max(least, quotient)
    }

    #[test]
    fn quotients_are_as_iterations_one_by_one() {
        let program = Program::default();
        for case @ (kept, ..) in CASES {
            let range = Interval::of_int(kept.0, kept.1);
            let (lo, hi) = (range.lo.unwrap(), range.hi.unwrap());
            let starts = (-20..=100).chain(lo..lo + 10).chain(hi - 10..=hi).chain([hi / 2, hi / 2 + 1, lo / 2]);
            for (start, constant) in starts.flat_map(|s| [(s, true), (s, false)]) {
                let start = wrap_value(start, kept.0, kept.1);
                let mut e = Executor::new(&program, &NoLibrary);
                let a = if constant { e.arena.int(start) } else { unknown(&mut e, "start", range) };
                let mark = e.arena.symbols().len();
                let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
                let h = unknown(&mut e, "h", range);
                let n = step(&mut e, h, case);
                let form = e.rounded_quotient((a, h, n), k, mark, 0);
                let Some(Form::Closed(Value::Int(form))) = form else { panic!("{case:?}: {form:?}") };
                let mut value = start;
                for iteration in 0..12 {
                    let known = [(a, start), (k, iteration)];
                    let of = |s| known.iter().find(|(t, _)| *e.arena.get(*t) == Term::Sym(s)).map(|(_, v)| *v);
                    assert_eq!(e.arena.eval(form, &of), Some(value), "{case:?}: {start} at {iteration}");
                    value = stepped(value, case);
                }
            }
        }
    }

    #[test]
    fn choices_by_size_are_maxima() {
        let program = Program::default();
        // `h >= size ? h / 4 : 3`, and the same with both exchanged.
        for (size, exchanged) in (8..22).flat_map(|s| [(s, false), (s, true)]) {
            let mut e = Executor::new(&program, &NoLibrary);
            let range = Interval::of_int(32, true);
            let a = unknown(&mut e, "start", range);
            let mark = e.arena.symbols().len();
            let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
            let h = unknown(&mut e, "h", range);
            let (four, three, bound) = (e.arena.int(4), e.arena.int(3), e.arena.int(size));
            let quotient = e.arena.div(h, four);
            let n = if exchanged {
                let below = e.arena.lt(h, bound);
                e.arena.ite(below, three, quotient)
            } else {
                let above = e.arena.le(bound, h);
                e.arena.ite(above, quotient, three)
            };
            let form = e.rounded_quotient((a, h, n), k, mark, 0);
            let is_maximum = (-50..50).all(|h| (if h >= size { h / 4 } else { 3 }) == (h / 4).max(3));
            assert_eq!(form.is_some(), is_maximum, "{size}");
        }
    }

    #[test]
    fn a_choice_reads_what_is_divided() {
        let program = Program::default();
        // `h > 1 ? h / 2 : 1` with signed and unsigned readings of `h` in the condition and in the quotient.
        for (compared, divided) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut e = Executor::new(&program, &NoLibrary);
            let range = Interval::of_int(32, true);
            let a = unknown(&mut e, "start", range);
            let mark = e.arena.symbols().len();
            let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
            let h = unknown(&mut e, "h", range);
            let (one, two) = (e.arena.int(1), e.arena.int(2));
            let [condition, numerator] = [compared, divided].map(|signed| e.arena.wrap(h, 32, signed));
            let (above, quotient) = (e.arena.lt(one, condition), e.arena.div(numerator, two));
            let n = e.arena.ite(above, quotient, one);
            // -5 is small as a signed number and great as an unsigned one.
            assert_eq!(
                e.rounded_quotient((a, h, n), k, mark, 0).is_some(),
                compared == divided,
                "{compared} {divided}"
            );
        }
    }

    #[test]
    fn other_steps_have_no_form() {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        let range = Interval::of_int(32, true);
        let a = unknown(&mut e, "start", range);
        let mark = e.arena.symbols().len();
        let k = e.arena.fresh(SymKind::Iteration { name: "i".into() }, "i", Interval::new(0, 1 << 62));
        let (h, other) = (unknown(&mut e, "h", range), unknown(&mut e, "other", range));
        let quotient = |e: &mut Executor<'_>, t: TermId, added: i128, by: i128| {
            let (sum, by) = (e.arena.add_const(t, added), e.arena.int(by));
            let sum = e.arena.wrap(sum, 32, true);
            e.arena.div(sum, by)
        };
        let half = quotient(&mut e, h, 0, 2);
        let [zero, minus_one] = [0, -1].map(|v| e.arena.int(v));
        // Rounding to the nearest, divisors that are no powers of two, another variable, a plain quotient.
        let mut steps = [(2, 4), (4, 4), (2, 3), (-1, 2)].map(|(added, by)| quotient(&mut e, h, added, by)).to_vec();
        steps.extend([quotient(&mut e, other, 1, 2), half]);
        // A minimum, a negative least value, one of this iteration, and narrower and wider numerators.
        steps.extend([e.arena.min(half, zero), e.arena.max(half, minus_one), e.arena.max(half, other)]);
        let sum = e.arena.add_const(h, 1);
        let narrow = e.arena.wrap(sum, 16, true);
        steps.push(e.arena.floor_div(narrow, 2));
        let long = unknown(&mut e, "long", Interval::of_int(64, true));
        let sum = e.arena.add_const(long, 1);
        let wide = e.arena.wrap(sum, 128, false);
        let wide = (long, e.arena.floor_div(wide, 2));
        for (h, n) in steps.into_iter().map(|n| (h, n)).chain([wide]) {
            assert!(e.rounded_quotient((a, h, n), k, mark, 0).is_none(), "{n:?}");
        }
    }
}
