//! Bitwise operations taken as any numbers of their ranges.
//!
//! `n |= n >> 1; n |= n >> 2; …` rounds a size up; that an index is below the size seldom depends on how. In: facts and goals. Out: the
//! same with each such operation replaced by an uninterpreted number. What follows from facts for all values of that number follows
//! for the one that it has: a proof of these is a proof of those, whichever way wraps are read, and
//! that something wraps below the operation has no part in it. Models mean nothing.

use super::Free;
use crate::symbolic::term::{Arena, Term, TermId};
use rustc_hash::FxHashMap;

/// Fewer operations are left to the solver as they are.
const MANY: usize = 1;

/// What stands for bitwise operations.
#[derive(Debug)]
pub struct Opaque { numbers: FxHashMap<TermId, TermId>, terms: Free }

impl Opaque {
    /// `None` where there are few bitwise operations below the facts.
    pub fn of(arena: &mut Arena, facts: &[TermId]) -> Option<Self> {
        let mut found = arena.cone(facts);
        found.retain(|t| matches!(arena.get(*t), Term::BitAnd(..) | Term::BitOr(..) | Term::BitXor(..)));
        if found.len() < MANY { return None; }
        let terms = Free::new(found.iter().copied().collect());
        let numbers = found.into_iter().map(|t| {
            let (number, range) = (arena.int(i128::from(t.0)), arena.range(t));
            (t, arena.apply("bits", vec![number], range))
        }).collect();
        Some(Self { numbers, terms })
    }

    /// The operations that are replaced.
    pub fn terms(&self) -> Free { self.terms.clone() }

    /// A term with them replaced.
    pub fn read(&self, arena: &mut Arena, t: TermId) -> TermId { arena.substitute(t, &self.numbers) }
}

#[cfg(test)]
mod tests {
    use super::Opaque;
    use crate::check::solver::{Answer, Limits, WrapMode, prove};
    use crate::symbolic::term::{Arena, InputSource, Range, SymKind, TermId};

    fn symbol(a: &mut Arena, name: &str) -> TermId { a.fresh(SymKind::Input(InputSource::World(name.into())), name, Range::new(0, (1 << 31) - 1)) }

    /// `n |= n >> 1; n |= n >> 2; n |= n >> 4; n++`
    fn rounded_up(a: &mut Arena, n: TermId) -> TermId {
        let all = [2, 4, 16].into_iter().fold(n, |n, by| { let part = a.floor_div(n, by); a.bit_or(n, part, 32) });
        a.add_const(all, 1)
    }

    #[test]
    fn an_index_below_a_rounded_size_does_not_depend_on_the_bits() {
        let mut a = Arena::new();
        let (n, i) = (symbol(&mut a, "n"), symbol(&mut a, "i"));
        let size = rounded_up(&mut a, n);
        let within = a.lt(i, size);
        let opaque = Opaque::of(&mut a, &[within]).unwrap();
        let read = opaque.read(&mut a, within);
        assert!(read != within && !a.cone(&[read]).contains(&n), "what the bits are of is gone");
        let goal = { let (end, all) = (a.scale(i, 4), a.scale(size, 4)); let end = a.add_const(end, 4); a.le(end, all) };
        // With no time for anything else.
        let hurried = Limits { millis: 4, rlimit: 4, steps: 40, core: false };
        assert!(matches!(prove(&mut a, &[within], goal, WrapMode::Exact, &hurried), Answer::Proved { used, .. } if used == [within]));
        assert!(Opaque::of(&mut a, &[goal]).is_some() && Opaque::of(&mut a, &[i]).is_none());
    }

    #[test]
    fn what_depends_on_the_bits_is_left_to_the_solver() {
        let mut a = Arena::new();
        let n = symbol(&mut a, "n");
        let size = rounded_up(&mut a, n);
        let (small, large) = { let (eight, nine) = (a.int(8), a.int(9)); (a.le(size, eight), a.le(nine, size)) };
        // 7 becomes 7 + 1, 8 becomes 15 + 1.
        let eight = { let c = a.int(8); a.le(c, n) };
        assert!(matches!(prove(&mut a, &[eight], large, WrapMode::Exact, &Limits::default()), Answer::Proved { .. }));
        assert!(matches!(prove(&mut a, &[eight], small, WrapMode::Exact, &Limits::default()), Answer::Model(_)));
        assert!(matches!(prove(&mut a, &[], large, WrapMode::Exact, &Limits::default()), Answer::Model(_)));
    }
}
