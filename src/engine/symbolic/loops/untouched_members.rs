//! Members of an array's elements that a loop reads and no iteration writes: they hold what they held before the loop.
//!
//! In: the places that an iteration writes, and the terms that stand for the array's contents at its start. Out: for
//! those at other offsets in the elements, the contents before the loop, as functions of the iteration.

use super::array_fill::{IterationSums, WrittenPlace};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;

/// A loop at its general iteration `k`.
#[derive(Clone, Copy)]
pub(super) struct GeneralIteration<'s> {
    /// The loop's variables at iteration `k`.
    pub map: &'s FxHashMap<TermId, TermId>,
    /// Symbols before `mark.0` and contents up to `mark.1` are older than the loop.
    pub mark: (usize, u32),
    pub k: TermId,
    pub place: (u64, Site),
}

impl MemoryDomain<'_> {
    /// Returns the loop's variables at iteration `k`, and what stands for contents of the array `o` at the start of the
    /// iteration, where no iteration writes these: the contents before the loop. `values` are what an iteration writes;
    /// sizes of what it allocates (`end`) are looked at as well. `written` are all places of `o` that it writes.
    pub(super) fn with_untouched_members(
        &mut self,
        (o, start): (ObjId, &ObjState),
        (values, end): (&[TermId], &State),
        written: &[WrittenPlace],
        iteration: GeneralIteration<'_>,
        sums: &IterationSums<'_>,
    ) -> FxHashMap<TermId, TermId> {
        let GeneralIteration { map, mark, k, place } = iteration;
        let mut all = map.clone();
        let (UncoveredContents::Unknown { version, .. }, Some(before)) = (&start.rest, sums.before.mem.get(&o)) else {
            return all;
        };
        let before = before.clone();
        let sizes = end.mem.keys().filter(|made| self.heap.is_made_since(*made, mark.1));
        let sizes: Vec<TermId> = sizes.filter_map(|made| self.object(made).extent).collect();
        for n in self.arena.cone(&[values, &sizes].concat()) {
            let Some((offset, bytes)) = self.content_of(n, o, *version) else { continue };
            let at = self.arena.substitute(offset, map);
            let at = self.without_wraps(at, k, sums.known);
            if self.only_old(at, mark.0, mark.1, Some(k))
                && self.is_apart(at, bytes, written, k)
                && let Some(held) = self.held_at_place(o, &before, at, bytes, place.1.func)
            {
                all.insert(n, held);
            }
        }
        all
    }

    /// Offset and size in bytes of what a term reads of an object's unknown contents.
    fn content_of(&self, t: TermId, o: ObjId, version: u32) -> Option<(TermId, u32)> {
        let Term::Apply { function: UninterpretedFunction::Content, args, .. } = self.arena.get(t) else {
            return None;
        };
        let [of, at_version, offset, bits] = *args.as_slice() else { return None };
        let is_of = self.arena.as_int(of) == Some(i128::from(o.0));
        let is_at = self.arena.as_int(at_version) == Some(i128::from(version));
        let bits = self.arena.as_int(bits).filter(|bits| is_of && is_at && bits % 8 == 0)?;
        Some((offset, u32::try_from(bits / 8).ok()?))
    }

    /// Whether no iteration writes any of the `bytes` bytes at an offset: it moves by whole elements, and is apart from
    /// what is written of each.
    fn is_apart(&mut self, at: TermId, bytes: u32, written: &[WrittenPlace], k: TermId) -> bool {
        let [next, zero] = [1, 0].map(|n| if n == 0 { self.arena.int(0) } else { self.arena.add_const(k, n) });
        let [after, first] = [next, zero].map(|i| self.arena.substitute(at, &std::iter::once((k, i)).collect()));
        let step = self.arena.sub(after, at);
        let Some(step) = self.arena.as_int(step) else { return false };
        written.iter().all(|w| {
            let apart = self.arena.sub(first, w.from);
            self.arena.as_int(apart).is_some_and(|apart| {
                let inside = apart.rem_euclid(w.stride);
                step % w.stride == 0 && inside >= i128::from(w.bytes) && inside + i128::from(bytes) <= w.stride
            })
        })
    }
}
