//! Accesses of kernels whose addresses may be no multiple of what they must be.
//!
//! In: loads, stores and copies of structures with the alignment that the compiler takes for granted. Out: one
//! [`UnalignedEvent`] for each place that is not surely aligned.

use crate::ir::Side;
use crate::symbolic::exec::executor::{AccessKind, Executor, Site, State};
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, Target};
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Bytes of the widest access; every allocation starts at a multiple of it.
const WIDEST: u64 = 16;

/// An access that may not be aligned.
#[derive(Clone, Debug)]
pub struct UnalignedEvent {
    /// The calls from the kernel inwards; the access is last.
    pub stack: Rc<Vec<Site>>,
    pub object: ObjId,
    pub offset: TermId,
    pub bytes: TermId,
    /// What the offset must be a multiple of, in bytes.
    pub align: u32,
    pub kind: AccessKind,
    /// What must hold for it to happen to this object, without that alignment.
    pub path: TermId,
}

impl Executor<'_> {
    /// Notes an access of so many bytes whose address must be a multiple of `align`, and of no more than its own width.
    pub(in crate::symbolic) fn note_alignment(
        &mut self,
        s: &State,
        site: Site,
        p: &[Target],
        bytes: u64,
        align: u32,
        kind: AccessKind,
    ) {
        if self.side != Side::Device || !self.recording || align < 2 || !bytes.is_power_of_two() {
            return;
        }
        let Ok(align) = u32::try_from(u64::from(align).min(bytes).min(WIDEST)) else { return };
        for t in p {
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
            self.unaligned.push(UnalignedEvent { stack, object, offset: t.offset, bytes, align, kind, path });
        }
    }
}
