//! Work: what a check has cost so far, counted and not timed, so that load, cores and clocks change no verdict.
//!
//! Each place whose cost matters charges what it does: terms that are built or walked over, steps of the executor, instructions of
//! replays, resource units of Z3. One unit is about a nanosecond of one core of the machine on which [`cost`] was calibrated, so that
//! budgets can be thought of as times; they are not, and no verdict depends on a clock.
//!
//! The counter is the thread's. What is measured is the difference of two readings in one task, whose steps are the same whichever
//! thread takes it.

use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::{Add, Div, Mul, Sub};

/// Prices in units. Calibrated by least squares of processor time over counts on programs of HeCBench; only their order of magnitude
/// matters, since a budget is a promise of repetition, not of time.
pub mod cost {
    /// A term that is looked up or made, and each of its monomials or operands.
    pub const TERM: u64 = 60;
    pub const OPERAND: u64 = 6;
    /// A term that a walk passes.
    pub const WALK: u64 = 20;
    /// A term that is evaluated under a valuation.
    pub const EVALUATE: u64 = 30;
    /// A step of the symbolic executor, and each object that a copy of its memory or a walk over it passes.
    pub const STEP: u64 = 200;
    pub const OBJECT: u64 = 8;
    /// An object whose contents become unknown.
    pub const FORGET: u64 = 100;
    /// A term of a comparison in Fourier-Motzkin elimination.
    pub const ELIMINATE: u64 = 12;
    /// A constraint that is held against a polynomial in a step of the polynomial bound.
    pub const CANCEL: u64 = 30;
    /// A context of Z3, a term that is given to it, and one of its resource units.
    pub const CONTEXT: u64 = 250_000;
    pub const ENCODE: u64 = 2_500;
    pub const RESOURCE: u64 = 500;
    /// An instruction of the concrete interpreter.
    pub const INSTRUCTION: u64 = 5;
    /// A run of it, and each instruction of a function that it comes to first.
    pub const RUN: u64 = 20_000;
    pub const LOAD: u64 = 20;
}

/// An amount of work, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Work(u64);

impl Work {
    pub const NONE: Self = Self(0);
    pub const MAX: Self = Self(u64::MAX);

    #[must_use]
    pub const fn units(n: u64) -> Self {
        Self(n)
    }
    /// What the reference machine does in so many milliseconds.
    #[must_use]
    pub const fn millis(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }
    /// What the reference machine does in so many seconds.
    #[must_use]
    pub const fn seconds(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
    /// This share of it, in hundredths.
    #[must_use]
    pub fn percent(self, of_hundred: u32) -> Self {
        Self(u64::try_from(u128::from(self.0) * u128::from(of_hundred) / 100).unwrap_or(u64::MAX))
    }
}

impl Add for Work {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0.saturating_add(o.0))
    }
}
/// Nothing where more is taken away than there is.
impl Sub for Work {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}
/// Each part of what has no end has none.
impl Div<u64> for Work {
    type Output = Self;
    fn div(self, n: u64) -> Self {
        if self == Self::MAX { self } else { Self(self.0 / n.max(1)) }
    }
}
impl Mul<u64> for Work {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}
impl std::iter::Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::NONE, Self::add)
    }
}

thread_local! { static DONE: Cell<u64> = const { Cell::new(0) }; }

/// Adds to what this thread has done.
#[inline]
pub fn charge(units: u64) {
    DONE.with(|d| d.set(d.get().wrapping_add(units)));
}

/// Adds the price of so many things.
#[inline]
pub fn charge_each(price: u64, things: usize) {
    charge(price.wrapping_mul(things as u64));
}

/// What this thread has done so far.
#[must_use]
#[inline]
pub fn done() -> Work {
    Work(DONE.with(Cell::get))
}

/// Says that what was done since `before` costs so much, whatever was charged.
pub fn settle(before: Work, price: Work) {
    DONE.with(|d| d.set(before.0.wrapping_add(price.0)));
}

/// Work that may still be done, from a moment of this thread on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    end: u64,
}

impl Allotment {
    #[must_use]
    pub fn of(work: Work) -> Self {
        Self { end: done().0.saturating_add(work.0) }
    }
    /// Without an end.
    pub const UNLIMITED: Self = Self { end: u64::MAX };

    #[must_use]
    #[inline]
    pub fn left(self) -> Work {
        Work(self.end.saturating_sub(done().0))
    }
    #[must_use]
    #[inline]
    pub fn is_spent(self) -> bool {
        done().0 >= self.end
    }
    /// The one that ends first.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { end: self.end.min(other.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Allotment, Work, charge, done};

    #[test]
    fn an_allotment_ends_by_what_is_charged_and_not_by_time() {
        let before = done();
        let all = Allotment::of(Work::units(100));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!((all.left(), all.is_spent()), (Work::units(100), false));
        charge(60);
        assert_eq!((done() - before, all.left()), (Work::units(60), Work::units(40)));
        assert!(all.min(Allotment::of(Work::units(5))).left() == Work::units(5) && !Allotment::UNLIMITED.is_spent());
        charge(40);
        assert!(all.is_spent() && all.left().is_none());
        // Another thread's work is its own.
        assert_eq!(std::thread::spawn(|| done().get()).join().unwrap(), 0);
    }

    #[test]
    fn shares_do_not_overflow() {
        assert_eq!(
            (Work::MAX.percent(50), Work::seconds(2).percent(25)),
            (Work::units(u64::MAX / 2), Work::millis(500))
        );
        assert_eq!(
            (Work::units(3) - Work::units(5), Work::MAX + Work::units(1), Work::units(7) / 0),
            (Work::NONE, Work::MAX, Work::units(7))
        );
    }
}
