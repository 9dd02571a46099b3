//! Elements of memory as functions of their index, and the comparison of two arrays of unknown length.
//!
//! In: a pointer to elements of one width, or two of them with the result of their comparison. Out: the element with
//! any index in the present contents; a [`QuantifiedFact`] about the pairs of elements. Contents of a later version are
//! other contents, so the fact survives writes.

use super::quantified_facts::QuantifiedFact;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::value::{GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use ir::{FuncRef, TypeId, TypeKind};
use std::rc::Rc;

/// Widths in bytes of the elements that a comparison of bytes may compare, widest first. Single bytes are strings.
const WIDTHS: [i128; 3] = [8, 4, 2];

/// Bound on the number of elements, as their size in bytes is a number of 64 bits.
const MOST: i128 = 1 << 61;

/// Element of memory as a function of its index.
#[derive(Clone, Debug)]
pub struct IndexedElement {
    pub value: TermId,
    /// Conditions under which the element has another value, such as that there are no elements.
    pub unless: Vec<TermId>,
}

impl Terms {
    /// Element number `k`, as far as a value is a function of `k`. `mark` and `version` are the number of symbols and the
    /// last version before it was read.
    fn known_element(&mut self, value: TermId, (mark, version, k): (usize, u32, TermId)) -> Option<IndexedElement> {
        if self.only_old(value, mark, version, Some(k)) {
            return Some(IndexedElement { value, unless: vec![] });
        }
        let Term::Ite(c, x, y) = *self.arena.get(value) else { return None };
        if !self.only_old(c, mark, version, None) || self.arena.cone(&[c]).contains(&k) {
            return None;
        }
        let (side, not_this) = match [x, y].map(|t| self.known_element(t, (mark, version, k))) {
            [Some(side), None] => (side, self.arena.not(c)),
            [None, Some(side)] => (side, c),
            _ => return None,
        };
        Some(IndexedElement { unless: [side.unless, vec![not_this]].concat(), ..side })
    }

    /// Symbol for the index of any element.
    pub fn element_index(&mut self) -> TermId {
        let name = "an element".to_owned();
        self.arena.fresh(SymKind::Iteration { name: name.clone() }, name, Interval::new(0, MOST))
    }
}

impl ExecutionContext<'_> {
    /// Element number `k` of `bytes` bytes behind a pointer; `None` if it is no function of `k`.
    pub fn element_at(
        &mut self,
        s: &mut State,
        f: FuncRef,
        (p, bytes): (&Rc<Vec<GuardedTarget>>, i128),
        k: TermId,
    ) -> Option<IndexedElement> {
        let bits = u32::try_from(bytes * 8).ok()?;
        let ty = self.module(f).types.iter().position(|t| t.kind == TypeKind::Int(bits))?;
        let ty = TypeId(u32::try_from(ty).ok()?);
        let offset = self.arena.scale(k, bytes);
        let p = self.offset_targets(p, offset);
        // The first read may give an object its initial contents.
        self.load_typed(s, f, &p, ty);
        let (mark, version) = (self.arena.symbols().len(), self.heap.version());
        let Value::Int(value) = self.load_typed(s, f, &p, ty) else { return None };
        self.known_element(value, (mark, version, k))
    }

    /// Records that the first `size` bytes behind two pointers are equal if `result` is 0. Returns whether they are equal
    /// anyway.
    pub fn note_compared(
        &mut self,
        s: &mut State,
        f: FuncRef,
        [p, q]: [&Rc<Vec<GuardedTarget>>; 2],
        size: TermId,
        result: TermId,
    ) -> bool {
        for bytes in WIDTHS {
            let rest = self.arena.modulo(size, bytes);
            if self.arena.as_int(rest) != Some(0) {
                continue;
            }
            let k = self.element_index();
            let elements = [p, q].map(|p| self.element_at(s, f, (p, bytes), k));
            let [Some(x), Some(y)] = elements else { continue };
            // The size is congruent to the real one; it is that one if it is in range, and without elements if negative.
            let count = self.arena.floor_div(size, bytes);
            let most = self.arena.int(MOST);
            let (out_of_range, zero) = (self.arena.le(most, count), self.arena.int(0));
            let (same, differ) = (self.arena.eq(x.value, y.value), self.arena.ne(result, zero));
            if self.arena.as_bool(same) == Some(true) && x.unless.is_empty() && y.unless.is_empty() {
                return true;
            }
            let cond = self.arena.or_all([&[out_of_range, differ, same], &x.unless[..], &y.unless[..]].concat());
            QuantifiedFact::new(k, count, cond).everywhere().add_to(&mut s.always);
            return false;
        }
        false
    }
}
