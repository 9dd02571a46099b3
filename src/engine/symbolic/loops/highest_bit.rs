//! Loops that test the bits of a number from the highest one down, as a count of leading zeros without an instruction
//! does: `for (i = 31; i >= 0; i--) if (x & (1 << i)) return 31 - i;`.
//!
//! In: the conditions under which the loop continues, in terms of the iteration `k`. Out: bounds on the number. Every
//! bit above bit `w - 1 - k` was tested before iteration `k` and was clear, so `x < 2^(w - k)`. Where bit `w - 1 - k`
//! is set, `2^(w - 1 - k) <= x` as well; where all bits were tested, `x` is 0.

use crate::symbolic::exec::state::{RegionOut, State};
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};
use ir::BlockId;

/// Search for the highest set bit of a number of `width` bits: iteration `k` tests bit `width - 1 - k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HighestBitSearch {
    k: TermId,
    /// The number, read as unsigned.
    word: TermId,
    width: u32,
}

impl Terms {
    /// Finds a search for the highest bit of a number that the loop does not change, among the conditions under which
    /// the loop continues. `mark` and `version` tell what existed before the loop.
    pub(super) fn highest_bit_search(
        &mut self,
        continues: &[TermId],
        k: TermId,
        (mark, version): (usize, u32),
    ) -> Option<HighestBitSearch> {
        for c in continues {
            let Term::EqZ(t) = *self.arena.get(*c) else { continue };
            let Some(search) = self.tests_bit(t, k) else { continue };
            if self.only_old(search.word, mark, version, None)
                && self.test_of_end(&search, continues).is_some_and(|(_, tested)| tested)
            {
                return Some(search);
            }
        }
        None
    }

    /// Bound on the number at the start of iteration `k`. On a path, `k` is at most the width.
    pub(super) fn higher_bits_clear(&mut self, search: &HighestBitSearch, path: TermId) -> TermId {
        let word = self.plain_word(search, path);
        let width = self.arena.int(i128::from(search.width));
        let left = self.arena.sub(width, search.k);
        let bound = self.arena.pow2(left);
        self.arena.lt(word, bound)
    }

    /// Adds to the states that leave the loop what follows from their conditions.
    pub(super) fn leave_highest_bit_search(&mut self, search: &HighestBitSearch, out: &mut RegionOut) {
        out.exits = self.exits_of_highest_bit_search(search, std::mem::take(&mut out.exits));
        out.rets = std::mem::take(&mut out.rets)
            .into_iter()
            .filter_map(|(v, s)| self.after_highest_bit_search(search, s).map(|s| (v, s)))
            .collect();
    }

    /// Adds to the exits of the loop what follows from their conditions.
    pub(super) fn exits_of_highest_bit_search(
        &mut self,
        search: &HighestBitSearch,
        exits: Vec<(BlockId, BlockId, State)>,
    ) -> Vec<(BlockId, BlockId, State)> {
        let left = |(from, to, s)| self.after_highest_bit_search(search, s).map(|s| (from, to, s));
        exits.into_iter().filter_map(left).collect()
    }

    fn after_highest_bit_search(&mut self, search: &HighestBitSearch, mut s: State) -> Option<State> {
        s.path = self.path_after_search(search, s.path)?;
        Some(s)
    }

    /// Adds to a path that leaves the loop the bound that follows from its condition; `None` if it cannot hold. Where a
    /// set bit ends the loop, bounds take the place of both tests: with the bits above clear, they are the same.
    fn path_after_search(&mut self, search: &HighestBitSearch, path: TermId) -> Option<TermId> {
        let word = self.plain_word(search, path);
        let conjuncts = self.arena.conjuncts(path);
        let Some((end, tested)) = self.test_of_end(search, &conjuncts) else { return Some(path) };
        let path = if tested {
            let is_test = |e: &mut Self, c: TermId| {
                let Term::Not(c) = *e.arena.get(c) else { return false };
                let Term::EqZ(t) = *e.arena.get(c) else { return false };
                e.tests_bit(t, search.k) == Some(*search)
            };
            let rest: Vec<TermId> = conjuncts.iter().copied().filter(|c| *c != end && !is_test(self, *c)).collect();
            if rest.len() + 1 == conjuncts.len() {
                return Some(path);
            }
            let last = self.arena.int(i128::from(search.width) - 1);
            let bit = self.arena.sub(last, search.k);
            let power = self.arena.pow2(bit);
            let bounds = [self.arena.le(search.k, last), self.arena.le(power, word)];
            self.arena.and_all([&rest[..], &bounds].concat())
        } else {
            let (zero, one) = (self.arena.int(0), self.arena.int(1));
            let positive = self.arena.le(one, word);
            if self.arena.bounds_at_least(path, positive) {
                return None;
            }
            let is_zero = self.arena.eq(word, zero);
            self.arena.and(path, is_zero)
        };
        (self.arena.as_bool(path) != Some(false)).then_some(path)
    }

    /// Condition that says that iteration `k` tests a bit of the number, or that it does not, and which: whether the
    /// number of the bit, `w - 1 - k`, is not negative. No reading of it wraps: `k` is at most `w`.
    fn test_of_end(&mut self, search: &HighestBitSearch, conditions: &[TermId]) -> Option<(TermId, bool)> {
        let (zero, last) = (self.arena.int(0), self.arena.int(i128::from(search.width) - 1));
        let bit = self.arena.sub(last, search.k);
        let read = [32, 64].map(|bits| self.arena.wrap(bit, bits, true));
        for bit in [bit].into_iter().chain(read) {
            let (tested, past) = (self.arena.le(zero, bit), self.arena.lt(bit, zero));
            if let Some(found) = conditions.iter().find(|c| [tested, past].contains(c)) {
                return Some((*found, *found == tested));
            }
        }
        None
    }

    /// Reads a number as `x & 2^(w - 1 - k)`, whatever it is where `k` exceeds `w - 1`.
    fn tests_bit(&mut self, t: TermId, k: TermId) -> Option<HighestBitSearch> {
        let bits = self.arena.bits_of_signed(t);
        let tests: Vec<(TermId, TermId, u32)> = match *self.arena.get(bits) {
            Term::BitAnd(x, y, width) => vec![(x, y, width), (y, x, width)],
            // The lowest bits of a number: its bits that a mask has.
            Term::Mod(mask, m) if m.count_ones() == 1 && m > 1 => {
                let ones = self.arena.int(m - 1);
                vec![(mask, ones, 32), (mask, ones, 64)]
            }
            _ => return None,
        };
        for (mask, word, width) in tests {
            let Some(e) = self.shifted_one(mask, width) else { continue };
            let sum = self.arena.add(e, k);
            let is_word = Interval::of_int(width, false).contains(self.arena.range(word))
                || self.arena.signed_of_bits(word, width).is_some();
            if is_word && self.arena.as_int(sum) == Some(i128::from(width) - 1) {
                return Some(HighestBitSearch { k, word, width });
            }
        }
        None
    }

    /// Returns `e` where a term is `1 << e` for each `e` of `0..width`.
    fn shifted_one(&mut self, t: TermId, width: u32) -> Option<TermId> {
        let of_width = |a: &Arena, t: TermId| match *a.get(t) {
            Term::Wrap { arg, bits, .. } if bits == width => arg,
            _ => t,
        };
        let (defined, power) = match *self.arena.get(of_width(&self.arena, t)) {
            Term::Ite(defined, power, _) => (Some(defined), power),
            _ => (None, t),
        };
        let power = of_width(&self.arena, power);
        let Term::Pow2(by) = *self.arena.get(power) else { return None };
        let last = self.arena.int(i128::from(width) - 1);
        let within = self.arena.le(by, last);
        if defined.is_some_and(|d| d != within) {
            return None;
        }
        Some(match *self.arena.get(by) {
            Term::Wrap { arg, bits, .. } if bits >= width => arg,
            _ => by,
        })
    }

    /// Returns the number without the case of a negative one, where the path excludes it.
    fn plain_word(&mut self, search: &HighestBitSearch, path: TermId) -> TermId {
        let Some(plain) = self.arena.signed_of_bits(search.word, search.width) else { return search.word };
        let zero = self.arena.int(0);
        let not_negative = self.arena.le(zero, plain);
        if self.arena.bounds_at_least(path, not_negative) { plain } else { search.word }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::terms::term::{InputSource, SymKind};

    /// Condition that bit `w - 1 - k` of a number is clear, as a program tests it.
    fn is_clear(e: &mut Terms, word: TermId, k: TermId, (first, guarded): (i128, bool)) -> TermId {
        let (bit, zero, last) = (e.arena.int(first), e.arena.int(0), e.arena.int(7));
        let bit = e.arena.sub(bit, k);
        let bit = e.arena.wrap(bit, 8, false);
        let power = e.arena.pow2(bit);
        let defined = if guarded { e.arena.le(bit, last) } else { e.arena.le(zero, k) };
        let any = e.arena.fresh(SymKind::Input(InputSource::Argc), "?", Interval::of_int(8, false));
        let mask = e.arena.ite(defined, power, any);
        let both = e.arena.bit_and(mask, word, 8);
        e.arena.eq(both, zero)
    }

    fn symbol(e: &mut Terms, name: &str, range: Interval) -> TermId {
        e.arena.fresh(SymKind::Input(InputSource::World(name.into())), name, range)
    }

    #[test]
    fn searches_are_found_where_each_bit_is_tested() {
        let mut e = Terms::new();
        let word = symbol(&mut e, "x", Interval::of_int(8, false));
        let mark = e.arena.symbols().len();
        let k = symbol(&mut e, "k", Interval::new(0, 1 << 62));
        let (last, early) = (e.arena.int(7), e.arena.int(8));
        let (within, late) = (e.arena.le(k, last), e.arena.le(k, early));
        let clear = is_clear(&mut e, word, k, (7, true));
        let search = HighestBitSearch { k, word, width: 8 };
        assert_eq!(e.highest_bit_search(&[clear, within], k, (mark, 0)), Some(search));
        // Without the bound on the iteration, from the second bit on, and with a number that the loop changes.
        assert_eq!(e.highest_bit_search(&[clear], k, (mark, 0)), None);
        assert_eq!(e.highest_bit_search(&[clear, late], k, (mark, 0)), None);
        let second = is_clear(&mut e, word, k, (6, true));
        let not_clear = e.arena.not(clear);
        for other in [second, not_clear] {
            assert_eq!(e.highest_bit_search(&[other, within], k, (mark, 0)), None);
        }
        assert_eq!(e.highest_bit_search(&[clear, within], k, (0, 0)), None);
    }

    /// Compares the bounds with all numbers of 8 bits: they hold exactly for the number of zeros in front.
    #[test]
    fn bounds_are_those_of_the_zeros_in_front() {
        for signed in [false, true] {
            let mut e = Terms::new();
            let x = symbol(&mut e, "x", Interval::of_int(8, signed));
            let mark = e.arena.symbols().len();
            let k = symbol(&mut e, "k", Interval::new(0, 1 << 62));
            let (zero, last) = (e.arena.int(0), e.arena.int(7));
            let (negative, read) = (e.arena.lt(x, zero), e.arena.add_const(x, 256));
            let word = e.arena.ite(negative, read, x);
            let clear = is_clear(&mut e, word, k, (7, true));
            let within = e.arena.le(k, last);
            let Some(search) = e.highest_bit_search(&[clear, within], k, (mark, 0)) else { panic!("a search") };
            let all = e.arena.bool(true);
            let above = e.higher_bits_clear(&search, all);
            let set = e.arena.not(clear);
            let path = e.arena.and_all(vec![within, set, above]);
            let Some(found) = e.path_after_search(&search, path) else { panic!("a bit may be set") };
            let past = e.arena.not(within);
            let past = e.arena.and(past, above);
            let Some(none) = e.path_after_search(&search, past) else { panic!("the number may be 0") };
            let one = e.arena.int(1);
            let (positive, larger) = (e.arena.le(one, x), e.arena.le(last, x));
            for bound in [positive, larger] {
                let path = e.arena.and(past, bound);
                assert_eq!(e.path_after_search(&search, path), None);
            }
            let symbols = [x, k].map(|t| match e.arena.get(t) {
                Term::Sym(s) => *s,
                _ => panic!("a symbol"),
            });
            let range = Interval::of_int(8, signed);
            for value in range.lo.unwrap()..=range.hi.unwrap() {
                let zeros = i128::from(u8::try_from(value.rem_euclid(256)).unwrap().leading_zeros());
                for iteration in 0..=8 {
                    let values = [value, iteration];
                    let of = |s| symbols.iter().position(|x| *x == s).map(|i| values[i]);
                    assert_eq!(e.arena.eval(above, &of), Some(i128::from(iteration <= zeros)), "{value} {iteration}");
                    let is_end = |end: bool| Some(i128::from(end && iteration == zeros));
                    assert_eq!(e.arena.eval(found, &of), is_end(value != 0), "{value} {iteration}");
                    assert_eq!(e.arena.eval(none, &of), is_end(value == 0), "{value} {iteration}");
                }
            }
        }
    }
}
