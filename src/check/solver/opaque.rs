//! What the host computed taken as any number of its range.
//!
//! `n |= n >> 1; n |= n >> 2; …` rounds a size up, a header of a file and some choices give a width: that an index is below it seldom
//! depends on how. In: facts and goals. Out: the same with each bitwise operation, and each choice between numbers that depends on
//! inputs alone, replaced by an uninterpreted number, and what is sure of two of these where one is made of the other (a width and
//! what it is rounded up to). What follows from facts for all values of that number follows for the one that it has: a proof of these is a
//! proof of those, whichever way wraps are read. Where it needs nothing that is sure of two, also that something wraps below the
//! number has no part in it. Models mean nothing.

use super::smt::{self, Outcome, Query};
use super::{Free, WrapMode};
use crate::symbolic::term::{Arena, Range, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A choice of fewer terms is left to the solver as it is.
const LARGE: usize = 10;
/// Numbers of which it is asked which is the larger, and the milliseconds for each question.
const COMPARED: usize = 12;
const COMPARE_MILLIS: u32 = 60;

/// What stands for what the host computed.
#[derive(Debug, Default)]
pub struct Opaque { numbers: FxHashMap<TermId, TermId>, seen: FxHashSet<TermId>, terms: Free }

impl Opaque {
    /// Replaces what is to be replaced below the roots from now on. Whether there was any that it did not know.
    pub fn note(&mut self, arena: &mut Arena, roots: &[TermId]) -> bool {
        let before = self.numbers.len();
        let mut work: Vec<TermId> = roots.to_vec();
        while let Some(t) = work.pop() {
            if !self.seen.insert(t) { continue; }
            if !is_number_of_the_host(arena, t) { work.extend(arena.children(t)); continue; }
            let (number, range) = (arena.int(i128::from(t.0)), arena.range(t));
            let apply = arena.apply(format!("number {}", t.0), vec![number], range);
            self.numbers.insert(t, apply);
        }
        if self.numbers.len() == before { return false; }
        self.terms = Free::new(self.numbers.keys().copied().collect());
        true
    }

    pub fn is_empty(&self) -> bool { self.numbers.is_empty() }

    /// What is replaced.
    pub fn terms(&self) -> Free { self.terms.clone() }

    /// A term with it replaced.
    pub fn read(&self, arena: &mut Arena, t: TermId) -> TermId { arena.substitute(t, &self.numbers) }

    /// That one number is never above another that is made of it, or never below, as far as that is soon found out.
    pub fn sure(&self, arena: &mut Arena, mode: WrapMode) -> Vec<TermId> {
        let mut all: Vec<TermId> = self.numbers.keys().copied().collect();
        all.sort_unstable();
        let mut sure = vec![];
        let mut asked = 0;
        for &whole in &all {
            let below: FxHashSet<TermId> = arena.cone(&[whole]).into_iter().collect();
            // The part as it comes; whatever the parts are.
            let parts: FxHashMap<TermId, TermId> = all.iter().filter(|p| **p != whole && below.contains(p)).map(|p| (*p, self.numbers[p])).collect();
            let mut inner: Vec<TermId> = parts.keys().copied().collect();
            inner.sort_unstable();
            for part in inner {
                asked += 1;
                if asked > COMPARED { return sure; }
                let made = arena.substitute(whole, &parts);
                // Of what has no value nothing is sure.
                if arena.cone(&[made]).into_iter().any(|t| may_lack_a_value(arena, t)) { continue; }
                let (from, to) = (self.numbers[&part], self.numbers[&whole]);
                for (a, b, known) in [(from, made, arena.le(from, to)), (made, from, arena.le(to, from))] {
                    let goal = arena.le(a, b);
                    let want = [(goal, false)];
                    let query = Query { want: &want, bounds: &[], mode, strict: false };
                    let holds = match arena.as_bool(goal) { Some(b) => b, None => matches!(smt::check(arena, &query, COMPARE_MILLIS, 0), Outcome::Unsat) };
                    if holds { sure.push(known); }
                }
            }
        }
        sure
    }
}

fn may_lack_a_value(arena: &Arena, t: TermId) -> bool {
    match arena.get(t) {
        Term::Div(_, b) | Term::Rem(_, b) => arena.range(*b).contains_value(0),
        Term::Pow2(a) => !Range::new(0, 126).contains(arena.range(*a)),
        _ => false,
    }
}

/// A bitwise operation, or a large choice between numbers that does not depend on a thread.
fn is_number_of_the_host(arena: &Arena, t: TermId) -> bool {
    match arena.get(t) {
        Term::BitAnd(..) | Term::BitOr(..) | Term::BitXor(..) => true,
        Term::Ite(..) => {
            let below = arena.cone(&[t]);
            below.len() >= LARGE && below.iter().all(|t| match arena.get(*t) {
                Term::Sym(s) | Term::BoolSym(s) => !matches!(arena.symbol(*s).kind, SymKind::Thread(_) | SymKind::Block(_) | SymKind::Content { .. }),
                _ => true,
            })
        }
        _ => false,
    }
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
        let mut opaque = Opaque::default();
        assert!(opaque.note(&mut a, &[within]) && !opaque.note(&mut a, &[within]));
        let read = opaque.read(&mut a, within);
        assert!(read != within && !a.cone(&[read]).contains(&n), "what the bits are of is gone");
        let goal = { let (end, all) = (a.scale(i, 4), a.scale(size, 4)); let end = a.add_const(end, 4); a.le(end, all) };
        // With no time for anything else.
        let hurried = Limits { millis: 4, rlimit: 4, steps: 40, core: false };
        assert!(matches!(prove(&mut a, &[within], goal, WrapMode::Exact, &hurried), Answer::Proved { used, .. } if used == [within]));
        assert!(!opaque.note(&mut a, &[goal]) && !Opaque::default().note(&mut a, &[i]));
    }

    /// `s = w % 32 ? w - w % 32 + 32 : w`, a row of an image as it lies in memory.
    fn aligned(a: &mut Arena, w: TermId) -> TermId {
        let over = a.modulo(w, 32);
        let fits = { let zero = a.int(0); a.eq(over, zero) };
        let up = { let down = a.sub(w, over); a.add_const(down, 32) };
        a.ite(fits, w, up)
    }

    /// The larger of a number of the header of a file and its square, or another where there is no file.
    fn width(a: &mut Arena, of: &str) -> TermId {
        let (n, there) = (symbol(a, of), symbol(a, "opened"));
        let (square, one, fixed) = (a.mul(n, n), a.int(1), a.int(640));
        let larger = { let less = a.lt(n, square); a.ite(less, square, n) };
        let opened = a.eq(there, one);
        let chosen = a.ite(opened, larger, fixed);
        let few = a.lt(chosen, one);
        a.ite(few, one, chosen)
    }

    #[test]
    fn an_element_of_a_padded_row_does_not_depend_on_where_the_width_comes_from() {
        let mut a = Arena::default();
        let (w, h) = (width(&mut a, "w"), width(&mut a, "h"));
        let s = aligned(&mut a, w);
        let (x, y) = (symbol(&mut a, "x"), symbol(&mut a, "y"));
        let facts = [a.lt(x, w), a.lt(y, h)];
        let index = { let row = a.mul(s, y); a.add(row, x) };
        let (size, larger) = (a.mul(s, h), a.mul(w, h));
        let inside = a.lt(index, size);
        let Answer::Proved { free, .. } = prove(&mut a, &facts, inside, WrapMode::Exact, &Limits::default()) else { panic!("not proved") };
        // That a padded row is no shorter is a matter of how it is padded.
        assert!(free.is_empty());
        let inside = a.lt(index, larger);
        assert!(matches!(prove(&mut a, &facts, inside, WrapMode::Exact, &Limits::default()), Answer::Model(_)));
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
