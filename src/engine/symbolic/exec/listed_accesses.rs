//! Accesses described by a list: those of inline assembly (`models/ptx.rs`) and of intrinsics that move matrices and
//! blocks (`models/tiles.rs`).
//!
//! In: the list, with the arguments. Out: a kernel access for each, checked if its address has a known target. The
//! caller models the contents of memory afterwards.

use crate::symbolic::exec::events::{AccessDetail, AccessKind};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::terms::term::{Term, TermId};
use base::reasons::UnknownReason;
pub use models::access::{
    AccessExtent, AccessMode, AddressRange, Guard, LeadingDimension, ModelledAccess, StateSpace, WARP,
};
use std::rc::Rc;

/// Argument and, for an integer, its width in bits.
pub struct Argument {
    pub value: Value,
    pub bits: Option<u32>,
}

/// Targets of an access, its size in bytes and its path condition.
struct LocatedAccess {
    targets: Rc<Vec<GuardedTarget>>,
    bytes: TermId,
    path: TermId,
}

impl ExecutionContext<'_> {
    /// Records the accesses of a list. Returns whether all their addresses are known.
    pub fn listed_accesses(
        &mut self,
        s: &mut State,
        site: Site,
        list: &[ModelledAccess],
        args: &[Argument],
        pointer: &UnknownReason,
    ) -> bool {
        let mut all = true;
        for access in list {
            let kind = match access.kind {
                AccessMode::Read => AccessKind::Read,
                AccessMode::Write => AccessKind::Write,
                AccessMode::Atomic => AccessKind::Atomic,
            };
            let Some(found) = access.place.and_then(|p| self.located(s, &p, args)) else {
                self.unknown_access(s, site, kind, pointer);
                all = false;
                continue;
            };
            if self.arena.as_int(found.bytes) == Some(0) || self.arena.as_bool(found.path) == Some(false) {
                continue;
            }
            let before = std::mem::replace(&mut s.path, found.path);
            if let Some(AccessExtent::Bytes(bytes)) = access.place.map(|p| p.extent)
                && bytes.is_power_of_two()
            {
                let align = u32::try_from(bytes).unwrap_or(u32::MAX);
                self.note_alignment(s, site, &found.targets, bytes, align, kind);
            }
            self.record_range(s, site, &found.targets, found.bytes, kind, AccessDetail::default());
            s.path = before;
        }
        all
    }
}

impl MemoryDomain<'_> {
    fn located(&mut self, s: &State, place: &AddressRange, args: &[Argument]) -> Option<LocatedAccess> {
        let targets = self.listed_address(place, args.get(place.address.argument)?)?;
        let number = |e: &mut Self, i: usize| {
            let argument = args.get(i)?;
            let t = e.value_int(&argument.value, 32);
            Some(e.interpret(t, 32, false))
        };
        let bytes = match place.extent {
            AccessExtent::Bytes(n) => self.arena.int(i128::from(n)),
            AccessExtent::Argument(i) => number(self, i)?,
            AccessExtent::Tile(tile) => {
                // Lines start at multiples of one nonnegative distance: the first and the last bound all of them.
                let between = i128::from(tile.lines - 1) * i128::from(tile.bits);
                let last = match tile.leading {
                    LeadingDimension::Packed => {
                        self.arena.int(i128::from(tile.lines - 1) * i128::from(tile.line_bytes))
                    }
                    LeadingDimension::Argument(_) | LeadingDimension::LastArgument => {
                        let i = if let LeadingDimension::Argument(i) = tile.leading { i } else { args.len() - 1 };
                        let leading = number(self, i)?;
                        let bits = self.arena.scale(leading, between);
                        self.arena.floor_div(bits, 8)
                    }
                };
                let line = self.arena.int(i128::from(tile.line_bytes));
                self.arena.add(last, line)
            }
        };
        let mut path = s.path;
        if matches!(place.extent, AccessExtent::Argument(_)) {
            // An access of no bytes is none.
            let zero = self.arena.int(0);
            let c = self.arena.ne(bytes, zero);
            path = self.arena.and(path, c);
        }
        if let Guard::Argument { argument, set } = place.guard {
            let argument = args.get(argument)?;
            let bits = argument.bits.unwrap_or(32);
            let t = self.value_int(&argument.value, bits);
            let t = self.interpret(t, bits, true);
            let zero = self.arena.int(0);
            let c = if set { self.arena.ne(t, zero) } else { self.arena.eq(t, zero) };
            path = self.arena.and(path, c);
        }
        if place.lanes < WARP {
            let lane = self.lane()?;
            let lanes = self.arena.int(i128::from(place.lanes));
            let c = self.arena.lt(lane, lanes);
            path = self.arena.and(path, c);
        }
        Some(LocatedAccess { targets, bytes, path })
    }

    /// Returns the index of the thread in its warp: lanes count within the linearised block.
    pub fn lane(&mut self) -> Option<TermId> {
        let t = self.kernel.thread.clone()?;
        let z = self.arena.mul(t.tid[2], t.block[1]);
        let y = self.arena.add(z, t.tid[1]);
        let y = self.arena.mul(y, t.block[0]);
        let linear = self.arena.add(y, t.tid[0]);
        Some(self.arena.modulo(linear, 32))
    }

    /// Returns the targets of an address, if they are known and in the memory space that the instruction names.
    fn listed_address(&mut self, place: &AddressRange, argument: &Argument) -> Option<Rc<Vec<GuardedTarget>>> {
        let number = matches!(argument.value, Value::Int(_));
        // A generic address is no offset in the window of shared memory.
        if matches!(argument.value, Value::Ptr(_)) && place.space == StateSpace::Shared {
            return None;
        }
        if !matches!(argument.value, Value::Int(_) | Value::Ptr(_)) {
            return None;
        }
        let p = self.as_pointer(&argument.value);
        let fits = |e: &Self, t: &GuardedTarget| match t.base {
            Base::Object(o) => match place.space {
                StateSpace::Shared => e.is_shared(o),
                StateSpace::Global => !e.is_shared(o),
                // An integer may be an address in either space.
                StateSpace::Generic => !number || !e.is_shared(o),
                StateSpace::Other => true,
            },
            Base::Unknown(UnknownPointer { unset, .. }) => unset,
            Base::Null | Base::Func(_) => !number,
        };
        if p.is_empty() || !p.iter().all(|t| fits(self, t)) {
            return None;
        }
        let more = self.arena.int(i128::from(place.address.offset));
        let narrow = number && argument.bits == Some(32);
        let targets = p.iter().map(|t| {
            let mut offset = self.arena.add(t.offset, more);
            if narrow {
                // Sums wrap at 32 bits, and objects are smaller than half of that.
                offset = self.interpret(offset, 32, true);
            }
            GuardedTarget { offset, ..t.clone() }
        });
        Some(Rc::new(targets.collect()))
    }

    fn is_shared(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::SharedStatic(_) | ObjKind::SharedDynamic)
    }

    /// Undoes the truncation of a shared-memory address to 32 bits and its extension: these addresses have no more
    /// bits.
    pub(super) fn uncut(&mut self, t: TermId) -> Option<TermId> {
        let p = self.arena.poly(t);
        let cut =
            p.terms.iter().filter(|(m, c)| m.len() == 1 && *c == 1).find_map(|(m, _)| match self.arena.get(m[0]) {
                Term::Wrap { arg, bits: 32, .. } => Some((m[0], *arg)),
                Term::Mod(arg, n) if *n == 1 << 32 => Some((m[0], *arg)),
                _ => None,
            })?;
        let objects = self.addresses_in(cut.1);
        if objects.is_empty() || !objects.iter().all(|o| self.is_shared(*o)) {
            return None;
        }
        let rest = self.arena.sub(t, cut.0);
        Some(self.arena.add(cut.1, rest))
    }
}
