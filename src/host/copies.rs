//! Copies and fills of the CUDA runtime (CUDA Runtime API reference 13.0, Memory Management): what they leave in memory, and
//! one event for each side that they read or write.

use super::Call;
use crate::kernel::Modelled;
use crate::symbolic::exec::{AccessKind, Executor, State};
use crate::symbolic::term::TermId;
use crate::symbolic::value::{Base, Target};
use std::rc::Rc;

/// Rows of one size, the distance from one to the next, and their number.
struct Rows { pitch: TermId, width: TermId, height: TermId }

impl Executor<'_> {
    pub(super) fn cuda_copy(&mut self, name: &str, c: &Call<'_>, mut s: State) -> Modelled {
        match name {
            "cudaMemcpy" | "cudaMemcpyAsync" => { let n = self.size_arg(c, 2); self.plain_copy(c, &mut s, (0, 1), n); }
            "cudaMemcpyPeer" | "cudaMemcpyPeerAsync" => { let n = self.size_arg(c, 4); self.plain_copy(c, &mut s, (0, 2), n); }
            "cudaMemcpy2D" | "cudaMemcpy2DAsync" => {
                let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 2));
                let (to, from, width, height) = (self.size_arg(c, 1), self.size_arg(c, 3), self.size_arg(c, 4), self.size_arg(c, 5));
                self.note_rows(&s, &f, &Rows { pitch: from, width, height }, AccessKind::Read);
                self.note_rows(&s, &d, &Rows { pitch: to, width, height }, AccessKind::Write);
                self.forget_targets(&mut s, &d, "a 2D copy");
            }
            "cudaMemset" | "cudaMemsetAsync" => {
                let d = self.pointer_arg(c, 0);
                let (b, n) = (self.int_arg(c, 1, 32), self.size_arg(c, 2));
                self.note_copy(&s, &d, n, AccessKind::Write);
                self.fill(&mut s, &d, b, n);
            }
            "cudaMemset2D" | "cudaMemset2DAsync" => {
                let d = self.pointer_arg(c, 0);
                let (pitch, width, height) = (self.size_arg(c, 1), self.size_arg(c, 3), self.size_arg(c, 4));
                self.note_rows(&s, &d, &Rows { pitch, width, height }, AccessKind::Write);
                self.forget_targets(&mut s, &d, "rows that were filled");
            }
            "cudaMemcpyToSymbol" | "cudaMemcpyToSymbolAsync" => {
                let f = self.pointer_arg(c, 1);
                let n = self.size_arg(c, 2);
                self.note_copy(&s, &f, n, AccessKind::Read);
                if let Some(d) = self.in_symbol(c, 0, 3) {
                    self.note_copy(&s, &d, n, AccessKind::Write);
                    self.copy(&mut s, &d, &f, n);
                } else { self.lose_variables(&mut s, "a copy to a symbol that is not known"); }
            }
            "cudaMemcpyFromSymbol" | "cudaMemcpyFromSymbolAsync" => {
                let d = self.pointer_arg(c, 0);
                let n = self.size_arg(c, 2);
                let from = self.in_symbol(c, 1, 3);
                if let Some(f) = &from { self.note_copy(&s, f, n, AccessKind::Read); }
                self.note_copy(&s, &d, n, AccessKind::Write);
                match &from { Some(f) => self.copy(&mut s, &d, f, n), None => self.forget_targets(&mut s, &d, "what is copied from a symbol") }
            }
            _ => return Err(Box::new(s)),
        }
        // The host may write what is copied before it is.
        self.overlapping |= name.ends_with("Async");
        self.success(s)
    }

    /// An argument of type `size_t`, in bytes or a number of rows.
    fn size_arg(&mut self, c: &Call<'_>, i: usize) -> TermId {
        let n = self.int_arg(c, i, 64);
        self.interpret(n, 64, false)
    }

    fn plain_copy(&mut self, c: &Call<'_>, s: &mut State, (to, from): (usize, usize), n: TermId) {
        let (d, f) = (self.pointer_arg(c, to), self.pointer_arg(c, from));
        self.note_copy(s, &f, n, AccessKind::Read);
        self.note_copy(s, &d, n, AccessKind::Write);
        self.copy(s, &d, &f, n);
    }

    /// A place in a device variable: the argument that names it and the one that is the offset in it, in bytes.
    fn in_symbol(&mut self, c: &Call<'_>, symbol: usize, offset: usize) -> Option<Rc<Vec<Target>>> {
        let symbol = self.pointer_arg(c, symbol);
        let offset = if c.args.len() > offset { self.size_arg(c, offset) } else { self.arena.int(0) };
        let o = self.device_symbol(&symbol)?;
        let cond = self.arena.bool(true);
        Some(Rc::new(vec![Target::new(cond, Base::Object(o), offset)]))
    }

    /// Notes rows: from the first byte of the first to the last byte of the last, where there are any.
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
