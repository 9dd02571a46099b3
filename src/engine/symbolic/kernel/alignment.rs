//! Kernel accesses that may be unaligned.
//!
//! In: loads, stores and copies of structures with the alignment that the compiler assumes. Out: one
//! [`UnalignedEvent`] for each target that may be unaligned.

use crate::symbolic::exec::events::{AccessKind, AlignmentNeed, UnalignedEvent};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget};
use crate::symbolic::terms::congruence::KnownDivisors;
use crate::symbolic::terms::term::{InputSource, SymKind, TermId};
use ir::Side;
use ir::shared::shared_begin;
use models::dlpack::BYTE_OFFSET;
use std::rc::Rc;

/// Size of the widest access in bytes; every allocation starts at a multiple of it.
const WIDEST: u32 = 16;

/// Alignment that an access needs, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct RequiredAlignment {
    pub align: u32,
    /// Whether the type of what is copied is not known, and may need less.
    pub presumed: bool,
}

impl From<u32> for RequiredAlignment {
    fn from(align: u32) -> Self {
        Self { align, presumed: false }
    }
}

/// Size of the widest access to constant memory in bytes.
const WIDEST_OF_CONSTANTS: u64 = 8;

impl ExecutionContext<'_> {
    /// Records an access of `bytes` bytes whose address the compiler takes for a multiple of `align`. An access that is
    /// narrower than that may be merged with its neighbours, and a copy of a structure is made of accesses of that width.
    pub fn note_alignment(
        &mut self,
        s: &State,
        site: Site,
        p: &[GuardedTarget],
        bytes: u64,
        alignment: impl Into<RequiredAlignment>,
        kind: AccessKind,
    ) {
        let RequiredAlignment { align, presumed } = alignment.into();
        if self.side != Side::Device || !self.events.recording || align < 2 {
            return;
        }
        let align = align.min(WIDEST);
        let needed = match presumed {
            true => AlignmentNeed::Presumed,
            false if !bytes.is_power_of_two() || bytes < u64::from(align) => AlignmentNeed::Merged,
            false => AlignmentNeed::Width,
        };
        for t in p {
            // If an address is unknown, the access itself is undecided.
            let Base::Object(object) = t.base else { continue };
            // Memory that a caller gives begins at such a multiple, too (axiom `given-alignment`).
            let kind_of_object = &self.object(object).kind;
            if matches!(kind_of_object, ObjKind::DeviceLocal)
                || matches!(kind_of_object, ObjKind::Opaque) && !self.is_image(object)
            {
                continue;
            }
            // Reads of constant memory have up to 8 bytes (sm_90): ptxas splits others.
            let split = matches!(kind_of_object, ObjKind::Constant(_)) && bytes > WIDEST_OF_CONSTANTS;
            let needed = if split { AlignmentNeed::Merged } else { needed };
            self.events.alignment = self.events.alignment.max(align);
            let begins = self.begins_here(site, object);
            let rest = self.arena.modulo(t.offset, i128::from(align));
            let zero = self.arena.int(0);
            let off = self.arena.ne(rest, zero);
            let happens = self.arena.and(s.path, t.cond);
            let path = if begins < align { happens } else { self.arena.and(happens, off) };
            if self.arena.as_bool(path) == Some(false)
                || begins >= align && self.is_multiple(happens, t.offset, object, align)
            {
                continue;
            }
            let bytes = self.arena.int(i128::from(bytes));
            let stack = Rc::new(self.stack_to(site));
            let offset = t.offset;
            let event = UnalignedEvent { stack, object, offset, bytes, align, begins, needed, kind, happens, path };
            self.events.unaligned.push(event);
        }
    }

    /// Returns what the address of an object is a multiple of, in the kernel under execution.
    fn begins_here(&mut self, site: Site, o: ObjId) -> u32 {
        let begins = self.begins_at(o);
        if begins >= WIDEST || !matches!(self.object(o).kind, ObjKind::SharedStatic(_)) {
            return begins;
        }
        let of_all = match (self.kernel.shared_begin, self.stack_to(site).first()) {
            (Some(known), _) => known,
            (None, Some(first)) => shared_begin(self.program, first.func, WIDEST),
            (None, None) => 1,
        };
        self.kernel.shared_begin = Some(of_all);
        begins.max(of_all)
    }

    /// Whether an offset is a multiple of `align` by the divisors of its parts, or the address by a check of the program
    /// (`reinterpret_cast<uintptr_t>(p) % 16 == 0`).
    fn is_multiple(&mut self, happens: TermId, offset: TermId, object: ObjId, align: u32) -> bool {
        let facts = self.arena.conjuncts(happens);
        let mut known = KnownDivisors::of(&self.arena, &facts);
        // A tensor's data begins behind it (dlpack.h, at `data`; axiom `given-alignment`).
        for s in self.arena.symbols_of(&[offset]) {
            if let SymKind::Input(InputSource::Given { path, .. }) = &self.arena.symbol(s).kind
                && path.ends_with(BYTE_OFFSET)
            {
                let t = self.arena.symbol_term(s);
                known.state(t, WIDEST.into());
            }
        }
        if known.divides(&self.arena, align.into(), offset) {
            return true;
        }
        let Some(begin) = self.address_known(object) else { return false };
        let address = self.arena.add(begin, offset);
        known.divides(&self.arena, align.into(), address) || {
            let checked: Vec<TermId> = known.stated(align.into()).collect();
            checked.into_iter().any(|other| {
                let between = self.arena.sub(address, other);
                known.divides(&self.arena, align.into(), between)
            })
        }
    }
}

impl MemoryDomain<'_> {
    /// Whether a place is surely a multiple of `align` bytes, by where objects begin and the divisors of offsets. No memory is.
    #[must_use]
    pub fn is_aligned(&self, s: &State, p: &[GuardedTarget], align: u64) -> bool {
        p.iter().all(|t| {
            let Base::Object(o) = t.base else { return t.base == Base::Null };
            let facts: Vec<TermId> = [s.path, t.cond].iter().flat_map(|c| self.arena.conjuncts(*c)).collect();
            u64::from(self.begins_at(o)).is_multiple_of(align)
                && KnownDivisors::of(&self.arena, &facts).divides(&self.arena, align.into(), t.offset)
        })
    }

    /// Returns what the address of an object is a multiple of: that of a variable as it is declared. Other memory begins at
    /// a multiple of the widest access.
    #[must_use]
    pub fn begins_at(&self, o: ObjId) -> u32 {
        match self.object(o).kind {
            ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) | ObjKind::SharedStatic(r) | ObjKind::HostGlobal(r) => {
                self.program.global(r).align.max(1)
            }
            ObjKind::HostLocal => 1,
            _ => WIDEST,
        }
    }
}
