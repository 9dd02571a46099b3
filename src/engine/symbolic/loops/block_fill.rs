//! Arrays that nested loops fill without gaps: each iteration of the outer loop writes the elements behind those of the
//! iteration before.
//!
//! In: the state at the start of iteration `k`, and that at its end, in which the inner loop left a layer. Out: one layer
//! over the elements of all iterations, as a function of the element's number. The offsets in the pass that finds out what
//! a loop changes may wrap, as its counter is any number there; at iteration `k` they do not.

use super::array_fill::FilledElements;
use super::prefix_sum::steps_below;
use super::transition::{BodyPass, Transition};
use super::types::LoopVar;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::{RegionOut, State};
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::array_write::WrittenContents;
use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use ir::{FuncRef, Side};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Executor<'_> {
    /// Gives arrays their elements of all iterations in the states behind a loop in `func`. `start` is the state before the
    /// loop, `at_k` that at the start of iteration `k`, and `filled` are arrays whose elements are known already.
    pub(super) fn fill_in_blocks(
        &mut self,
        (start, at_k): (&State, &State),
        found: &Transition,
        filled: &[(ObjId, Vec<FilledElements>)],
        (k, func): (TermId, FuncRef),
        out: &mut RegionOut,
    ) {
        let [(_, back)] = out.back.as_slice() else { return };
        let mark = (found.pass.mark, found.pass.version);
        let arrays = found.vars.iter().filter_map(|v| if let LoopVar::Whole(o) = v { Some(*o) } else { None });
        for o in arrays.filter(|o| filled.iter().all(|f| f.0 != *o)) {
            let (Some(before), Some(after)) = (at_k.mem.get(&o), back.mem.get(&o)) else { continue };
            let after = self.settled(back.path, after);
            let known = self.arena.conjuncts(back.path);
            let known = self.read_plainly(known);
            let Some(block) = self.block_of_iteration((before, &after), &known, mark, k) else { continue };
            for (_, _, s) in &mut out.exits {
                // Behind the last iteration, before another one writes.
                if s.mem.get(&o).is_some_and(|now| Rc::ptr_eq(now, before)) {
                    self.fill_so_far(s, start, o, &[block], (k, func));
                }
            }
        }
    }
}

impl MemoryDomain<'_> {
    /// Whether an array that this pass over a body writes would be known where the counters of loops around it are.
    pub(super) fn may_be_filled(&self, o: ObjId, pass: &BodyPass) -> bool {
        let (Some(start), Some(end)) = (pass.head.mem.get(&o), pass.end.mem.get(&o)) else { return false };
        self.side == Side::Host && matches!(&end.rest, UncoveredContents::Layer(layer) if layer.below == *start)
    }

    /// Returns the elements that iteration `k` writes to an array, if that is all that it writes there, and they lie behind
    /// those of the iteration before. `known` are conditions at its end. Symbols before `mark.0` and contents up to
    /// `mark.1` are older than the loop.
    fn block_of_iteration(
        &mut self,
        (start, end): (&Rc<ObjState>, &ObjState),
        known: &[TermId],
        mark: (usize, u32),
        k: TermId,
    ) -> Option<FilledElements> {
        let UncoveredContents::Layer(layer) = &end.rest else { return None };
        let WrittenContents::Each { k: inner, value } = layer.what else { return None };
        if layer.below != *start || !end.cells.is_empty() {
            return None;
        }
        let (at, count) = (layer.from, self.iterations_done(layer.count, known));
        if !self.only_old(count, mark.0, mark.1, None) || !self.only_old(at, mark.0, mark.1, Some(k)) {
            return None;
        }
        let (next, zero) = (self.arena.add_const(k, 1), self.arena.int(0));
        let [after, from] = [next, zero].map(|i| self.arena.substitute(at, &std::iter::once((k, i)).collect()));
        let step = self.arena.sub(after, at);
        if step != self.arena.scale(count, layer.stride) {
            return None;
        }
        let is_of_iteration = |t: &TermId| self.is_address_since(*t, mark.1);
        if !steps_below(&self.arena, value).is_empty() || self.arena.cone(&[value]).iter().any(is_of_iteration) {
            return None;
        }
        let (number, value) = self.of_each_element(value, (inner, count), mark, k)?;
        Some(FilledElements::in_blocks((from, layer.stride, layer.bytes), count, (number, value)))
    }
}

impl Terms {
    /// Returns how often a loop went round that has ended after iteration `k`, if its conditions give one number: neither
    /// fewer, as it ended, nor more, as it began its last iteration, unless there was none.
    fn iterations_done(&mut self, k: TermId, known: &[TermId]) -> TermId {
        let zero = self.arena.int(0);
        for c in known {
            let Term::Le(sum) = *self.arena.get(*c) else { continue };
            if !self.arena.poly(sum).terms.iter().any(|(m, c)| m.as_slice() == [k] && *c == -1) {
                continue;
            }
            let least = self.arena.add(sum, k);
            if self.arena.cone(&[least]).contains(&k) || self.range_given(least, known).lo.is_none_or(|lo| lo < 0) {
                continue;
            }
            let (no_more, none) = (self.arena.le(k, least), self.arena.le(k, zero));
            let bounds = |way: &TermId| {
                let all = self.arena.conjuncts(*way);
                all.contains(&no_more) || all.contains(&none)
            };
            let bounds_all = |c: &TermId| match self.arena.get(*c) {
                Term::Or(ways) => ways.iter().all(bounds),
                _ => bounds(c),
            };
            if known.iter().any(bounds_all) {
                return least;
            }
        }
        k
    }

    /// Turns the value of element `inner` of iteration `k` into a function of the element's number in all iterations:
    /// `k * count + inner`. What is new in an iteration or an element has one value in each element (Skolem functions).
    /// Also returns what stands for the number.
    fn of_each_element(
        &mut self,
        value: TermId,
        (inner, count): (TermId, TermId),
        mark: (usize, u32),
        k: TermId,
    ) -> Option<(TermId, TermId)> {
        let number =
            self.arena.fresh(SymKind::Iteration { name: "an element".into() }, "an element", Interval::new(0, 1 << 62));
        let mut own: FxHashMap<TermId, TermId> = FxHashMap::default();
        for n in self.arena.cone(&[value]) {
            if matches!(self.arena.get(n), Term::BoolSym(s) if (s.0 as usize) >= mark.0) {
                return None;
            }
            if n != inner
                && n != k
                && let Some(each) = self.value_in_each_iteration(n, mark, number)
            {
                own.insert(n, each);
            }
        }
        let mut value = self.arena.substitute(value, &own);
        let cone = self.arena.cone(&[value]);
        if cone.contains(&inner) || cone.contains(&k) {
            let count = self.arena.as_int(count).filter(|count| *count > 0)?;
            let (of_block, in_block) = (self.arena.floor_div(number, count), self.arena.modulo(number, count));
            value = self.arena.substitute(value, &[(k, of_block), (inner, in_block)].into_iter().collect());
        }
        self.only_old(value, mark.0, mark.1, Some(number)).then_some((number, value))
    }
}
