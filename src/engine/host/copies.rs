//! Copies and fills of the CUDA runtime (CUDA Runtime API reference 13.0, Memory Management): the memory contents
//! after them, and one event for each side that they read or write.

use super::driver_api::like;
use super::table::Table;
use super::waits::is_per_thread;
use crate::symbolic::exec::events::AccessKind;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Rows of equal size: distance in bytes from one to the next, bytes per row, and number of rows.
struct Rows {
    pitch: TermId,
    width: TermId,
    height: TermId,
}

/// Maximum number of copies in one batch that are followed one by one.
const MOST_OF_A_BATCH: i128 = 32;

/// Copies and fills.
pub(super) const COPIES: Table = &[
    (&["cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyWithAttributesAsync"], |e, c, s| {
        e.copies(c, s, Executor::cuda_memcpy)
    }),
    (
        &[
            "cuMemcpy",
            "cuMemcpyAsync",
            "cuMemcpyHtoD_v2",
            "cuMemcpyDtoH_v2",
            "cuMemcpyDtoD_v2",
            "cuMemcpyHtoDAsync_v2",
            "cuMemcpyDtoHAsync_v2",
            "cuMemcpyDtoDAsync_v2",
        ],
        |e, c, s| e.copies(c, s, Executor::cuda_memcpy),
    ),
    (&["cudaMemcpyBatchAsync", "cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2"], |e, c, s| e.cuda_memcpy_batch(c, s)),
    (&["cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cuMemcpyPeer", "cuMemcpyPeerAsync"], |e, c, s| {
        e.copies(c, s, Executor::cuda_memcpy_peer)
    }),
    (&["cudaMemcpy2D", "cudaMemcpy2DAsync"], |e, c, s| e.copies(c, s, Executor::cuda_memcpy_2d)),
    (&["cudaMemset", "cudaMemsetAsync"], |e, c, s| e.copies(c, s, Executor::cuda_memset)),
    (&["cudaMemset2D", "cudaMemset2DAsync"], |e, c, s| e.copies(c, s, Executor::cuda_memset_2d)),
    (&["cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"], |e, c, s| e.copies(c, s, Executor::cuda_memcpy_to_symbol)),
    (&["cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"], |e, c, s| {
        e.copies(c, s, Executor::cuda_memcpy_from_symbol)
    }),
];

impl Executor<'_> {
    /// Executes a copy or fill, and its effects on the host.
    pub(super) fn copies(
        &mut self,
        c: &Call<'_>,
        mut s: State,
        copy: impl FnOnce(&mut Self, &Call<'_>, &mut State),
    ) -> Modelled {
        copy(self, c, &mut s);
        self.after_copy(like(c.base()), c, &mut s);
        self.success(s)
    }

    fn cuda_memcpy(&mut self, c: &Call<'_>, s: &mut State) {
        let n = self.size_arg(c, 2);
        self.plain_copy(c, s, (0, 1), n);
    }

    fn cuda_memcpy_peer(&mut self, c: &Call<'_>, s: &mut State) {
        let n = self.size_arg(c, 4);
        self.plain_copy(c, s, (0, 2), n);
    }

    /// Models copies whose addresses and sizes (in bytes) are in arrays: `dsts`, `srcs`, `sizes`, and their number.
    /// Their order is arbitrary, so the contents of each destination are unknown.
    fn cuda_memcpy_batch(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let [dsts, srcs, sizes] = [0, 1, 2].map(|i| self.pointer_arg(c, i));
        let unknown = UnknownReason::BatchedCopy;
        let count = self.size_arg(c, 3);
        let followed = self.arena.as_int(count).filter(|n| *n <= MOST_OF_A_BATCH);
        let stream = c.args.len().checked_sub(1).and_then(|i| self.stream_number(c, i));
        for i in 0..followed.unwrap_or(1) {
            let at = self.arena.int(8 * i);
            let [to, from] = [&dsts, &srcs].map(|list| {
                let place = self.offset_targets(list, at);
                self.load_pointer(&mut s, &place)
            });
            let place = self.offset_targets(&sizes, at);
            let n = followed.and_then(|_| self.load_number(&mut s, &place, 8));
            let n = n.unwrap_or_else(|| self.value_int(&Value::unknown(unknown.clone()), 64));
            let n = self.interpret(n, 64, false);
            self.note_copy(&s, &from, n, AccessKind::Read);
            self.note_copy(&s, &to, n, AccessKind::Write);
            for o in self.objects_at(&s, &to) {
                self.note_written_by_device(o);
            }
            self.forget_targets(&mut s, &to, &unknown);
            self.after_queued_copy(&mut s, Some(&to), stream);
        }
        // The writes of the others are as unknown as those of an external function.
        if followed.is_some() { self.success(s) } else { Err(Box::new(s)) }
    }

    fn cuda_memcpy_2d(&mut self, c: &Call<'_>, s: &mut State) {
        let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 2));
        let (to, from, width, height) =
            (self.size_arg(c, 1), self.size_arg(c, 3), self.size_arg(c, 4), self.size_arg(c, 5));
        self.note_rows(s, &f, &Rows { pitch: from, width, height }, AccessKind::Read);
        self.note_rows(s, &d, &Rows { pitch: to, width, height }, AccessKind::Write);
        self.forget_targets(s, &d, &UnknownReason::Copy2D);
    }

    fn cuda_memset(&mut self, c: &Call<'_>, s: &mut State) {
        let d = self.pointer_arg(c, 0);
        let (b, n) = (self.int_arg(c, 1, 32), self.size_arg(c, 2));
        self.note_copy(s, &d, n, AccessKind::Write);
        for o in self.objects_at(s, &d) {
            self.note_written_by_device(o);
        }
        self.fill(s, &d, b, n);
    }

    fn cuda_memset_2d(&mut self, c: &Call<'_>, s: &mut State) {
        let d = self.pointer_arg(c, 0);
        let (pitch, width, height) = (self.size_arg(c, 1), self.size_arg(c, 3), self.size_arg(c, 4));
        self.fill_rows(s, &d, pitch, width, height);
    }

    /// A fill of rows, all in bytes.
    pub(super) fn fill_rows(
        &mut self,
        s: &mut State,
        d: &Rc<Vec<Target>>,
        pitch: TermId,
        width: TermId,
        height: TermId,
    ) {
        self.note_rows(s, d, &Rows { pitch, width, height }, AccessKind::Write);
        self.forget_targets(s, d, &UnknownReason::RowsFilled);
    }

    fn cuda_memcpy_to_symbol(&mut self, c: &Call<'_>, s: &mut State) {
        let f = self.pointer_arg(c, 1);
        let n = self.size_arg(c, 2);
        self.note_copy(s, &f, n, AccessKind::Read);
        if let Some(d) = self.in_symbol(c, 0, 3) {
            self.note_copy(s, &d, n, AccessKind::Write);
            self.copy(s, &d, &f, n);
        } else {
            self.lose_variables(s, &UnknownReason::CopyToUnknownSymbol);
        }
    }

    fn cuda_memcpy_from_symbol(&mut self, c: &Call<'_>, s: &mut State) {
        let d = self.pointer_arg(c, 0);
        let n = self.size_arg(c, 2);
        let from = self.in_symbol(c, 1, 3);
        if let Some(f) = &from {
            self.note_copy(s, f, n, AccessKind::Read);
        }
        self.note_copy(s, &d, n, AccessKind::Write);
        match &from {
            Some(f) => self.copy(s, &d, f, n),
            None => self.forget_targets(s, &d, &UnknownReason::CopiedFromSymbol),
        }
    }

    /// Updates the state after a copy or fill, and records whether the host has waited for it.
    fn after_copy(&mut self, name: &str, c: &Call<'_>, s: &mut State) {
        let (to, from, symbol) = match name {
            n if n.starts_with("cudaMemcpyPeer") => (Some(0), Some(2), None),
            n if n.starts_with("cudaMemcpy2D") => (Some(0), Some(2), None),
            n if n.starts_with("cudaMemcpyToSymbol") => (None, Some(1), Some(0)),
            n if n.starts_with("cudaMemcpyFromSymbol") => (Some(0), None, Some(1)),
            n if n.starts_with("cudaMemset") => (Some(0), None, None),
            _ => (Some(0), Some(1), None),
        };
        let [to, from] = [to, from].map(|i| i.map(|i| self.pointer_arg(c, i)));
        let variable = symbol.map(|i| {
            let p = self.pointer_arg(c, i);
            self.device_symbol(&p)
        });
        let waits = !name.ends_with("Async") && !is_per_thread(c.name);
        if name.starts_with("cudaMemcpyToSymbol") {
            self.change_variable(variable.flatten(), waits);
        }
        if waits {
            if !name.starts_with("cudaMemset") {
                self.copy_waits(c, s, [to.as_ref().map_or(&[][..], |p| p), from.as_ref().map_or(&[][..], |p| p)]);
            }
            // Fills, and copies within the device, continue after the call.
            if let Some(to) = &to {
                let of_device = from.as_ref().is_none_or(|f| f.iter().any(|t| !self.is_of_the_host(t)));
                if of_device {
                    self.begin_fills(s, to, name.starts_with("cudaMemset"));
                }
            }
            // Another stream that does not wait may write there before and after.
            if !self.runtime.unordered {
                return;
            }
            self.forget_overlapping(s, to.as_ref());
        } else {
            let stream = c.args.len().checked_sub(1).and_then(|i| self.stream_number(c, i));
            self.after_queued_copy(s, to.as_ref(), stream);
        }
        if let (Some(Some(o)), true) = (variable, name.starts_with("cudaMemcpyToSymbol")) {
            self.forget(s, o, &UnknownReason::CopyOverlaps, false);
        }
    }

    /// Updates the state after a copy that continues after its call has returned.
    fn after_queued_copy(&mut self, s: &mut State, to: Option<&Rc<Vec<Target>>>, stream: Option<i64>) {
        self.overlap(s);
        if let Some(to) = to {
            self.begin_copying(s, to, stream);
        }
        self.forget_overlapping(s, to);
    }

    /// Havocs the destination: the bytes that arrive later may differ from the current ones.
    fn forget_overlapping(&mut self, s: &mut State, to: Option<&Rc<Vec<Target>>>) {
        for o in to.map(|to| self.objects_at(s, to)).unwrap_or_default() {
            if !self.is_pageable(o) {
                self.forget(s, o, &UnknownReason::CopyOverlaps, false);
            }
        }
    }

    fn is_of_the_host(&self, t: &Target) -> bool {
        matches!(t.base, Base::Object(o) if self.is_pageable(o) || self.runtime.pinned.contains(&o))
    }

    /// Whether memory is visible only to the host: the call returns after a copy has written it, and after a copy has
    /// read it.
    fn is_pageable(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
            && !self.heap.is_registered(o)
    }

    fn begin_fills(&mut self, s: &mut State, to: &[Target], fill: bool) {
        // The call waits if it fills pinned memory.
        let objects: Vec<ObjId> = self
            .objects_at(s, to)
            .into_iter()
            .filter(|o| !fill || !self.runtime.pinned.contains(o))
            .filter(|o| self.runtime.managed.contains(o))
            .collect();
        if !objects.is_empty() {
            self.begin_writing(s, objects, Some(1));
        }
    }

    /// Returns an argument of type `size_t`, in bytes or a number of rows.
    pub(super) fn size_arg(&mut self, c: &Call<'_>, i: usize) -> TermId {
        let n = self.int_arg(c, i, 64);
        self.interpret(n, 64, false)
    }

    fn plain_copy(&mut self, c: &Call<'_>, s: &mut State, (to, from): (usize, usize), n: TermId) {
        let (d, f) = (self.pointer_arg(c, to), self.pointer_arg(c, from));
        self.copy_between(s, &d, &f, n);
    }

    /// Models a copy of `n` bytes.
    fn copy_between(&mut self, s: &mut State, to: &Rc<Vec<Target>>, from: &Rc<Vec<Target>>, n: TermId) {
        self.note_copy(s, from, n, AccessKind::Read);
        self.note_copy(s, to, n, AccessKind::Write);
        for o in self.objects_at(s, to) {
            self.note_written_by_device(o);
        }
        self.copy(s, to, from, n);
    }

    /// Returns an address in a device variable, from the argument that names it and the argument with the byte offset
    /// in it.
    fn in_symbol(&mut self, c: &Call<'_>, symbol: usize, offset: usize) -> Option<Rc<Vec<Target>>> {
        let symbol = self.pointer_arg(c, symbol);
        let offset = if c.args.len() > offset { self.size_arg(c, offset) } else { self.arena.int(0) };
        let o = self.device_symbol(&symbol)?;
        let cond = self.arena.bool(true);
        Some(Rc::new(vec![Target::new(cond, Base::Object(o), offset)]))
    }

    /// Records the access to rows: from the first byte of the first to the last byte of the last, if there are any.
    fn note_rows(&mut self, s: &State, p: &Rc<Vec<Target>>, rows: &Rows, kind: AccessKind) {
        let one = self.arena.int(1);
        let (some, wide) = (self.arena.le(one, rows.height), self.arena.le(one, rows.width));
        let any = self.arena.and(some, wide);
        let Some(s) = self.assume(s.clone(), any) else { return };
        let before_last = self.arena.add_const(rows.height, -1);
        let distance = self.arena.mul(before_last, rows.pitch);
        let bytes = self.arena.add(distance, rows.width);
        self.note_copy(&s, p, bytes, kind);
    }
}
