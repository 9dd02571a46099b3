//! Kernel accesses that may be unaligned.
//!
//! In: loads, stores and copies of structures with the alignment that the compiler assumes. Out: one
//! [`UnalignedEvent`] for each target that may be unaligned.

use crate::symbolic::exec::events::{AccessKind, UnalignedEvent};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::object::ObjKind;
use crate::symbolic::memory::value::{Base, GuardedTarget};
use ir::Side;
use std::rc::Rc;

/// Size of the widest access in bytes; every allocation starts at a multiple of it.
const WIDEST: u64 = 16;

impl ExecutionContext<'_> {
    /// Records an access of `bytes` bytes whose address must be a multiple of `align`, and of no more than its own
    /// width.
    pub(in crate::symbolic) fn note_alignment(
        &mut self,
        s: &State,
        site: Site,
        p: &[GuardedTarget],
        bytes: u64,
        align: u32,
        kind: AccessKind,
    ) {
        if self.side != Side::Device || !self.events.recording || align < 2 || !bytes.is_power_of_two() {
            return;
        }
        let Ok(align) = u32::try_from(u64::from(align).min(bytes).min(WIDEST)) else { return };
        for t in p {
            // If an address is unknown, the access itself is undecided.
            let Base::Object(object) = t.base else { continue };
            if matches!(self.object(object).kind, ObjKind::DeviceLocal | ObjKind::Parameter | ObjKind::Opaque) {
                continue;
            }
            let rest = self.arena.modulo(t.offset, i128::from(align));
            let zero = self.arena.int(0);
            let off = self.arena.ne(rest, zero);
            let path = self.arena.and_all(vec![s.path, t.cond, off]);
            if self.arena.as_bool(path) == Some(false) {
                continue;
            }
            let bytes = self.arena.int(i128::from(bytes));
            let stack = Rc::new(self.stack_to(site));
            self.events.unaligned.push(UnalignedEvent { stack, object, offset: t.offset, bytes, align, kind, path });
        }
    }
}
