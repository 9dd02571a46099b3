//! Records kernel accesses as events for the checks, and the write sets of kernels.

use super::object::{ObjId, ObjKind};
use super::value::{Base, GuardedTarget, UnknownPointer};
use crate::symbolic::exec::events::{AccessDetail, AccessEvent, AccessKind};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::terms::term::TermId;
use ir::{FuncRef, LocId, Side};
use std::rc::Rc;

impl ExecutionContext<'_> {
    pub(in crate::symbolic) fn record(
        &mut self,
        s: &State,
        site: Site,
        p: &Rc<Vec<GuardedTarget>>,
        bytes: u64,
        kind: AccessKind,
        detail: AccessDetail,
    ) {
        let n = self.arena.int(i128::from(bytes));
        self.record_range(s, site, p, n, kind, detail);
    }

    pub(in crate::symbolic) fn record_range(
        &mut self,
        s: &State,
        site: Site,
        p: &Rc<Vec<GuardedTarget>>,
        bytes: TermId,
        kind: AccessKind,
        detail: AccessDetail,
    ) {
        let AccessDetail { rows, stores, stored_pointer: pointer, scalar } = detail;
        if self.side != Side::Device {
            // Accesses to the host's own memory are not checked; those to memory shared with devices are.
            if p.iter().any(|t| matches!(t.base, Base::Object(o) if matches!(self.object(o).kind, ObjKind::Managed))) {
                let stack = self.stack_to(site);
                self.note_use(s, &stack, p, kind, bytes);
            }
            return;
        }
        if kind != AccessKind::Read {
            let length = self.arena.as_int(bytes);
            for t in p.iter() {
                match t.base {
                    // What is in arrays of CUDA is not followed.
                    Base::Object(o) if !matches!(self.object(o).kind, ObjKind::DeviceLocal | ObjKind::Opaque) => {
                        match (length, &pointer) {
                            (Some(8), Some(p)) => self.note_pointer(o, t.offset, p, scalar),
                            (Some(n), _) => self.note_written(o, t.offset, n, scalar),
                            (None, _) => self.kernel.written.add_all(o),
                        }
                    }
                    // A pointer that was never set leads to nothing in the program.
                    Base::Unknown(UnknownPointer { unset: true, .. }) => {}
                    Base::Unknown(_) => self.kernel.written_anywhere = true,
                    // A thread's own variables are followed; null and functions cannot be written.
                    Base::Object(_) | Base::Null | Base::Func(_) => {}
                }
            }
        }
        if !self.events.recording {
            return;
        }
        if p.iter().all(|t| self.is_plain_local(t, bytes) || self.is_own_of_libdevice(site.func, t)) {
            self.events.own.insert(site);
            return;
        }
        let stack = Rc::new(self.stack_to(site));
        self.note_use(s, &stack, p, kind, bytes);
        let at = self.kernel.partitions.tick();
        self.events.accesses.push(AccessEvent {
            site,
            stack,
            targets: p.clone(),
            bytes,
            kind,
            path: s.path,
            at,
            rows,
            stores,
        });
    }

    /// Call stack of an instruction, with the instruction itself last.
    pub(in crate::symbolic) fn stack_to(&self, site: Site) -> Vec<Site> {
        let mut stack = self.stack.clone();
        // A modelled call accesses memory itself.
        if stack.last() != Some(&site) {
            stack.push(site);
        }
        stack
    }

    pub fn note_access(&mut self, s: &State, site: Site, p: &Rc<Vec<GuardedTarget>>, bytes: TermId, kind: AccessKind) {
        self.record_range(s, site, p, bytes, kind, AccessDetail::default());
    }
}

impl MemoryDomain<'_> {
    /// Records memory that a kernel may write which the executed one launches.
    pub fn note_written_beside(&mut self, objects: &[ObjId], anywhere: bool) {
        for o in objects {
            self.kernel.written.add_all(*o);
            self.kernel.written_otherwise.insert(*o);
        }
        self.kernel.written_anywhere |= anywhere;
    }

    /// Whether CUDA's mathematical functions (libdevice) access a table or variable of their own: such accesses are
    /// taken to be correct.
    pub(in crate::symbolic) fn is_own_of_libdevice(&self, f: FuncRef, t: &GuardedTarget) -> bool {
        let is_libdevice = |f: FuncRef| {
            let f = self.function(f);
            (f.name.starts_with("__nv_") || f.name.starts_with("__internal_")) && f.loc == LocId(0)
        };
        let Base::Object(o) = t.base else { return false };
        is_libdevice(f)
            && match self.object(o).kind {
                ObjKind::DeviceLocal => self.object(o).func.is_some_and(is_libdevice),
                ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) => {
                    let g = self.program.global(r);
                    g.name.starts_with("__cudart_") && g.loc == LocId(0)
                }
                _ => false,
            }
    }

    /// Whether the target is a whole scalar variable of the thread: no array access that a user would count.
    pub(in crate::symbolic) fn is_plain_local(&self, t: &GuardedTarget, bytes: TermId) -> bool {
        let Base::Object(o) = t.base else { return false };
        let object = self.object(o);
        if !matches!(object.kind, ObjKind::DeviceLocal) {
            return false;
        }
        match (self.arena.as_int(t.offset), self.arena.as_int(bytes), object.extent.and_then(|e| self.arena.as_int(e)))
        {
            (Some(off), Some(n), Some(ext)) => off >= 0 && off + n <= ext && !object.array,
            _ => false,
        }
    }
}
