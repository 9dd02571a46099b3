//! Abstraction of host computations to arbitrary values of their ranges.
//!
//! `n |= n >> 1; n |= n >> 2; …` rounds a size up; a file header and some choices give a width. Whether an index is
//! below such a value seldom depends on how it was computed. In: facts and goals. Out: the same with each bitwise
//! operation, and each large choice that does not depend on a thread, replaced by an uninterpreted value. What
//! follows from the facts for all such values follows for the actual one. So a proof of the abstracted goal is a
//! proof of the original one, under either reading of wraps, and does not rest on wraps below the replaced terms.
//! Models of the abstraction mean nothing.

use super::query::FreeTerms;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Smallest number of terms at which a choice is replaced; the solver sees smaller ones as they are.
const LARGE: usize = 10;

/// Uninterpreted values that stand for host computations.
#[derive(Debug, Default)]
pub struct OpaqueValues {
    numbers: FxHashMap<TermId, TermId>,
    seen: FxHashSet<TermId>,
    terms: FreeTerms,
}

impl OpaqueValues {
    /// Records the replaceable terms below the roots, which are replaced from now on. Returns whether any was new.
    pub fn note(&mut self, arena: &mut Arena, roots: &[TermId]) -> bool {
        let before = self.numbers.len();
        let mut work: Vec<TermId> = roots.to_vec();
        while let Some(t) = work.pop() {
            if !self.seen.insert(t) {
                continue;
            }
            if !is_number_of_the_host(arena, t) {
                work.extend(arena.children(t));
                continue;
            }
            let (number, range) = (arena.int(i128::from(t.0)), arena.range(t));
            let apply = arena.apply(UninterpretedFunction::OfHost(t.0), vec![number], range);
            self.numbers.insert(t, apply);
        }
        if self.numbers.len() == before {
            return false;
        }
        self.terms = FreeTerms::new(self.numbers.keys().copied().collect());
        true
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the replaced terms.
    pub fn terms(&self) -> FreeTerms {
        self.terms.clone()
    }

    /// Returns a term with the recorded terms replaced.
    pub fn read(&self, arena: &mut Arena, t: TermId) -> TermId {
        arena.substitute(t, &self.numbers)
    }
}

/// Whether the term is a bitwise operation, or a large choice that does not depend on a thread.
fn is_number_of_the_host(arena: &Arena, t: TermId) -> bool {
    match arena.get(t) {
        Term::BitAnd(..) | Term::BitOr(..) | Term::BitXor(..) => true,
        Term::Ite(..) => {
            let below = arena.cone(&[t]);
            below.len() >= LARGE
                && below.iter().all(|t| match arena.get(*t) {
                    Term::Sym(s) | Term::BoolSym(s) => !matches!(
                        arena.symbol(*s).kind,
                        SymKind::Thread(_) | SymKind::Block(_) | SymKind::Content { .. }
                    ),
                    _ => true,
                })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::OpaqueValues;
    use crate::solver::{Answer, SolverLimits, WrapMode, prove};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{Axis, InputSource, SymKind, TermId};

    fn symbol(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(0, (1 << 31) - 1))
    }

    /// `n |= n >> 1; n |= n >> 2; n |= n >> 4; n++`
    fn rounded_up(a: &mut Arena, n: TermId) -> TermId {
        let all = [2, 4, 16].into_iter().fold(n, |n, by| {
            let part = a.floor_div(n, by);
            a.bit_or(n, part, 32)
        });
        a.add_const(all, 1)
    }

    #[test]
    fn an_index_below_a_rounded_size_does_not_depend_on_the_bits() {
        let mut a = Arena::new();
        let (n, i) = (symbol(&mut a, "n"), symbol(&mut a, "i"));
        let size = rounded_up(&mut a, n);
        let within = a.lt(i, size);
        let mut opaque = OpaqueValues::default();
        assert!(opaque.note(&mut a, &[within]) && !opaque.note(&mut a, &[within]));
        let read = opaque.read(&mut a, within);
        assert!(read != within && !a.cone(&[read]).contains(&n), "what the bits are of is gone");
        let goal = {
            let (end, all) = (a.scale(i, 4), a.scale(size, 4));
            let end = a.add_const(end, 4);
            a.le(end, all)
        };
        // No budget for anything else.
        let hurried = SolverLimits { work: base::work::Work::millis(4), steps: 40, core: false };
        assert!(
            matches!(prove(&mut a, &[within], goal, WrapMode::Exact, &hurried), Answer::Proved { used, .. } if used == [within])
        );
        assert!(!opaque.note(&mut a, &[goal]) && !OpaqueValues::default().note(&mut a, &[i]));
    }

    /// Returns the larger of a value from a file header and its square, or another value where there is no file.
    fn width(a: &mut Arena, of: &str) -> TermId {
        let (n, there) = (symbol(a, of), symbol(a, "opened"));
        let (square, one, fixed) = (a.mul(n, n), a.int(1), a.int(640));
        let larger = {
            let less = a.lt(n, square);
            a.ite(less, square, n)
        };
        let opened = a.eq(there, one);
        let chosen = a.ite(opened, larger, fixed);
        let few = a.lt(chosen, one);
        a.ite(few, one, chosen)
    }

    #[test]
    fn an_element_of_an_image_does_not_depend_on_where_the_width_comes_from() {
        let mut a = Arena::new();
        let (w, h, x, y) = (width(&mut a, "w"), width(&mut a, "h"), symbol(&mut a, "x"), symbol(&mut a, "y"));
        let facts = [a.lt(x, w), a.lt(y, h)];
        let index = {
            let row = a.mul(w, y);
            a.add(row, x)
        };
        let goal = {
            let size = a.mul(w, h);
            a.lt(index, size)
        };
        let hurried = SolverLimits { work: base::work::Work::millis(4), steps: 40, core: false };
        let Answer::Proved { free, .. } = prove(&mut a, &facts, goal, WrapMode::Exact, &hurried) else {
            panic!("not proved")
        };
        assert!(free.contains(&w) && free.contains(&h), "how they come about has no part in it");
        let beyond = {
            let size = a.mul(h, h);
            a.lt(index, size)
        };
        assert!(matches!(prove(&mut a, &facts, beyond, WrapMode::Exact, &SolverLimits::default()), Answer::Model(_)));
        // A choice that a thread makes is no size.
        let i = a.fresh(SymKind::Thread(Axis::X), "threadIdx.x", Interval::new(0, 1023));
        let own = {
            let same = a.eq(i, x);
            a.ite(same, w, h)
        };
        let mut opaque = OpaqueValues::default();
        assert!(opaque.note(&mut a, &[own]) && !opaque.terms().contains(&own) && opaque.terms().contains(&w));
    }

    #[test]
    fn what_depends_on_the_bits_is_left_to_the_solver() {
        let mut a = Arena::new();
        let n = symbol(&mut a, "n");
        let size = rounded_up(&mut a, n);
        let (small, large) = {
            let (eight, nine) = (a.int(8), a.int(9));
            (a.le(size, eight), a.le(nine, size))
        };
        // 7 becomes 7 + 1, 8 becomes 15 + 1.
        let eight = {
            let c = a.int(8);
            a.le(c, n)
        };
        assert!(matches!(
            prove(&mut a, &[eight], large, WrapMode::Exact, &SolverLimits::default()),
            Answer::Proved { .. }
        ));
        assert!(matches!(prove(&mut a, &[eight], small, WrapMode::Exact, &SolverLimits::default()), Answer::Model(_)));
        assert!(matches!(prove(&mut a, &[], large, WrapMode::Exact, &SolverLimits::default()), Answer::Model(_)));
    }
}
