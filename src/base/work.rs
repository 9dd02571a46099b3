//! Work: the cost of a check so far, counted rather than timed, so that load, cores and clocks change no verdict.
//!
//! Code whose cost matters charges for it: terms that are built or visited, steps of the executor, instructions of
//! replays, resource units of Z3. One unit is about a nanosecond of one core of the machine on which [`cost`] was
//! calibrated. Budgets can therefore be thought of as times, but they are not times, and no verdict depends on a clock.
//!
//! The counter belongs to the thread. A measurement is the difference between two readings in one task, whose steps are
//! the same on any thread.

use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::{Add, Div, Mul, Sub};

/// Prices in units. Calibrated by least squares of processor time over counts on programs of HeCBench; only their order
/// of magnitude matters, since a budget promises repeatability, not time.
pub mod cost {
    /// A term that is looked up or created; `OPERAND` is the price of each of its monomials or operands.
    pub const TERM: u64 = 60;
    pub const OPERAND: u64 = 6;
    /// A term visited by a walk.
    pub const WALK: u64 = 20;
    /// A term evaluated under a valuation.
    pub const EVALUATE: u64 = 30;
    /// A step of the symbolic executor; `OBJECT` is the price of each object visited by a copy of its memory or a walk
    /// over it.
    pub const STEP: u64 = 200;
    pub const OBJECT: u64 = 8;
    /// A havocked object.
    pub const FORGET: u64 = 100;
    /// A term of a comparison in Fourier-Motzkin elimination.
    pub const ELIMINATE: u64 = 12;
    /// A constraint tried against a polynomial in a step of the polynomial bound.
    pub const CANCEL: u64 = 30;
    /// A context of Z3; `ENCODE` is the price of a term given to it, and `RESOURCE` that of one of its resource units.
    pub const CONTEXT: u64 = 250_000;
    pub const ENCODE: u64 = 2_500;
    pub const RESOURCE: u64 = 500;
    /// An instruction of the concrete interpreter.
    pub const INSTRUCTION: u64 = 5;
    /// A run of the concrete interpreter; `LOAD` is the price of each instruction of a function that it reaches for the
    /// first time.
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
    /// Work of the reference machine in `n` milliseconds.
    #[must_use]
    pub const fn millis(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }
    /// Work of the reference machine in `n` seconds.
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
    /// Share of the work, in hundredths.
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
/// Saturating: the difference is zero if more is subtracted than there is.
impl Sub for Work {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}
/// A share of an unlimited amount is unlimited.
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

/// Charges this thread with work.
#[inline]
pub fn charge(units: u64) {
    DONE.with(|d| d.set(d.get().wrapping_add(units)));
}

/// Charges this thread with a price for each of several things.
#[inline]
pub fn charge_each(price: u64, things: usize) {
    charge(price.wrapping_mul(things as u64));
}

/// Work of this thread so far.
#[must_use]
#[inline]
pub fn done() -> Work {
    Work(DONE.with(Cell::get))
}

/// Sets the cost of the work since `before` to a price, whatever was charged.
pub fn settle(before: Work, price: Work) {
    DONE.with(|d| d.set(before.0.wrapping_add(price.0)));
}

/// Remaining work of this thread, from some moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    end: u64,
}

impl Allotment {
    #[must_use]
    pub fn of(work: Work) -> Self {
        Self { end: done().0.saturating_add(work.0) }
    }
    /// An unlimited allotment.
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
    /// Returns the allotment that ends first.
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
        // Another thread's work is counted separately.
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
