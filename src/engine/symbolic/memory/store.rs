//! Stores: cells and surrounding contents after a write at any offset (strong updates at a certain target, else weak
//! ones), and havoc.

use super::array_write::WrittenContents;
use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use super::value::has_unknown_pointer;
use super::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::with_end_of;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use base::work::{charge, cost};
use ir::Side;
use std::rc::Rc;

/// Maximum size in bytes of a register value that becomes separate unknown cells.
const MAX_BYTES: u64 = 256;

impl ExecutionContext<'_> {
    pub(in crate::symbolic) fn store(&mut self, s: &mut State, p: &Rc<Vec<GuardedTarget>>, v: Value, size: u64) {
        let p = self.targets_on(s.path, p);
        let p = &self.not_null(&p);
        self.keep(p, &v);
        let single = p.len() == 1;
        for t in p.iter() {
            match &t.base {
                Base::Object(o) => {
                    let cond = if single { None } else { Some(t.cond) };
                    self.store_object(s, *o, t.offset, &v, size, cond);
                }
                Base::Unknown(l) => self.havoc_unknown_store(s, l, &UnknownReason::StoredSomewhere, false),
                // Such a store does not complete.
                Base::Null | Base::Func(_) => {}
            }
        }
    }

    pub(in crate::symbolic) fn store_object(
        &mut self,
        s: &mut State,
        o: ObjId,
        offset: TermId,
        v: &Value,
        size: u64,
        cond: Option<TermId>,
    ) {
        // Such an object is never read from its cells: a kernel's stores to it go to its write set (`record.rs`).
        if !self.knows_stores(o) {
            return;
        }
        if self.several.has_other_names(o) {
            return self.written_by_another_name(s, o, &UnknownReason::StoredByOtherName);
        }
        self.ensure(s, o);
        self.note_used_by_host(o);
        let Some(rc) = s.mem.get(&o) else { return };
        let mut state = rc.as_ref().clone();
        let width = i64::try_from(size).unwrap_or(i64::MAX / 4);
        if let Some(at) = self.arena.as_int(offset).and_then(|v| i64::try_from(v).ok()) {
            if size > 1 << 16 {
                state.clear(at, at.saturating_add(width));
                self.blur(&mut state, &UnknownReason::LargeValue);
                s.mem.insert(o, Rc::new(state));
                return;
            }
            if let Value::Aggregate(_) = v {
                // Aggregates that `parts_of_value` can split are stored part by part, so this is another one.
                self.keep_cut_cells(&mut state, at, at + width);
                self.blur_cells(&mut state, at, size);
                s.mem.insert(o, Rc::new(state));
                return;
            }
            let new = match cond {
                None => v.clone(),
                Some(c) => {
                    let old = self.read_cells(o, &state, offset, size, None);
                    self.ite_value(c, v, &old)
                }
            };
            self.keep_cut_cells(&mut state, at, at + width);
            state.cells.insert(at, (u32::try_from(size).unwrap_or(u32::MAX), new));
        } else if let (Some(places), false, Ok(bytes @ 1..=8)) =
            (self.few_places(offset), matches!(v, Value::Aggregate(_)), u32::try_from(size))
        {
            for k in places {
                // No object has a byte at such an offset.
                let Some(at) = self.arena.as_int(k).and_then(|at| i64::try_from(at).ok()) else { continue };
                let here = self.arena.eq(offset, k);
                let here = cond.map_or(here, |c| self.arena.and(here, c));
                let old = self.read_cells(o, &state, k, size, None);
                let new = self.ite_value(here, v, &old);
                self.keep_cut_cells(&mut state, at, at + width);
                state.cells.insert(at, (bytes, new));
            }
        } else if let (Some(value), None, Side::Host, Ok(bytes @ 1..=8)) =
            (self.number_of_element(v, size), cond, self.side, u32::try_from(size))
        {
            let one = self.arena.int(1);
            return self.write_layer(s, o, offset, (i128::from(bytes), bytes, one), WrittenContents::All(value));
        } else {
            let r = self.arena.range(offset);
            let lo = r.lo.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MIN / 4);
            let hi = r.hi.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MAX / 4).saturating_add(width);
            state.clear(lo, hi);
            self.blur(&mut state, &UnknownReason::WrittenAtVariable);
        }
        s.mem.insert(o, Rc::new(state));
    }

    pub fn store_value(&mut self, s: &mut State, p: &Rc<Vec<GuardedTarget>>, v: Value, size: u64) {
        self.store(s, p, v, size);
    }

    pub fn havoc_reachable(&mut self, s: &mut State, args: &[Value], reason: &UnknownReason) {
        self.clobber(s, args, reason);
        if self.side == Side::Host && args.iter().any(has_unknown_pointer) {
            self.havoc_escaped(s, reason, false);
        }
    }
}

impl MemoryDomain<'_> {
    /// Stored value as an integer: an integer itself, or a pointer's address. `None` for a lost pointer with known
    /// candidates.
    pub(in crate::symbolic) fn number_of_element(&mut self, v: &Value, size: u64) -> Option<TermId> {
        match v {
            Value::Int(t) => Some(*t),
            Value::Ptr(p)
                if size == 8
                    && !p.iter().any(|t| matches!(t.base, Base::Unknown(UnknownPointer { among: Some(_), .. }))) =>
            {
                Some(self.as_int_value(v, 64))
            }
            _ => None,
        }
    }

    /// Makes room for a store: bytes of partly covered cells, before and after it, become cells of their own.
    pub(in crate::symbolic) fn keep_cut_cells(&mut self, state: &mut ObjState, from: i64, to: i64) {
        let cut: Vec<(i64, u32, Value)> = state
            .overlapping(from, to)
            .filter(|(o, s, _)| *o < from || o + i64::from(*s) > to)
            .map(|(o, s, v)| (o, s, v.clone()))
            .collect();
        state.clear(from, to);
        for (o, s, v) in cut {
            let end = o + i64::from(s);
            for (first, last) in [(o, from.min(end)), (to.max(o), end)] {
                self.keep_bytes(state, (o, s, &v), (first, last), first, &UnknownReason::PartlyOverwritten);
            }
        }
    }

    /// Writes some bytes of a cell to offset `to`: as one integer if the cell holds one, else as unknown bytes.
    pub(in crate::symbolic) fn keep_bytes(
        &mut self,
        state: &mut ObjState,
        (at, size, v): (i64, u32, &Value),
        (first, last): (i64, i64),
        to: i64,
        reason: &UnknownReason,
    ) {
        let Some(bytes) = u32::try_from(last - first).ok().filter(|n| *n > 0) else { return };
        if matches!(v, Value::Int(_) | Value::Bool(_))
            && size <= 8
            && let Ok(shift) = u32::try_from((first - at) * 8)
        {
            // Memory holds the lowest byte first (little-endian).
            let t = self.as_int_value(v, size * 8);
            let t = self.interpret(t, size * 8, false);
            let t = self.arena.floor_div(t, 1i128 << shift);
            let part = self.arena.modulo(t, 1i128 << (bytes * 8));
            state.cells.insert(to, (bytes, Value::Int(part)));
            return;
        }
        for b in 0..last - first {
            state.cells.insert(to + b, (1, Value::unknown(reason.clone())));
        }
    }

    pub(in crate::symbolic) fn blur_cells(&mut self, state: &mut ObjState, at: i64, size: u64) {
        if size > MAX_BYTES {
            return self.blur(state, &UnknownReason::PartOfStructure);
        }
        for i in 0..size {
            state.cells.insert(at + i64::try_from(i).unwrap_or(0), (1, Value::unknown(UnknownReason::PartOfStructure)));
        }
    }

    pub(in crate::symbolic) fn blur(&mut self, state: &mut ObjState, reason: &UnknownReason) {
        let version = self.heap.next_version();
        state.rest = UncoveredContents::Unknown { version, input: false, reason: Rc::new(reason.clone()) };
    }

    /// Whether the host writes an object only through CUDA calls.
    pub(in crate::symbolic) fn is_of_device(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::Constant(_))
    }

    pub(in crate::symbolic) fn read_only(&self, o: ObjId) -> bool {
        match &self.object(o).kind {
            ObjKind::HostGlobal(r) => self.program.global(*r).constant || self.runtime.settled.contains(r),
            ObjKind::Constant(_) => true,
            // A string's method writes to no other string.
            ObjKind::ArgvText(_) | ObjKind::ArgvTexts | ObjKind::Opaque => self.is_copied_text(o),
            // The host writes device memory only through CUDA calls; those that take its address account for it.
            ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) => self.side == Side::Host,
            _ => false,
        }
    }

    /// Havocs an object, including the addresses in it: code that is not followed may have written it.
    pub fn havoc(&mut self, s: &mut State, o: ObjId, reason: &UnknownReason, input: bool) {
        self.points_to.add_anything(o);
        self.blank(s, o, reason, input);
    }

    /// Havocs an object's contents; addresses in it remain among those stored there.
    pub(in crate::symbolic) fn blank(&mut self, s: &mut State, o: ObjId, reason: &UnknownReason, input: bool) {
        if self.several.has_other_names(o) {
            return self.written_by_another_name(s, o, reason);
        }
        charge(cost::FORGET);
        let version = self.heap.next_version();
        let n = with_end_of(
            s.mem.get(&o),
            ObjState::new(UncoveredContents::Unknown { version, input, reason: Rc::new(reason.clone()) }),
        );
        s.mem.insert(o, Rc::new(n));
    }

    pub fn havoc_targets(&mut self, s: &mut State, p: &Rc<Vec<GuardedTarget>>, reason: &UnknownReason) {
        for t in p.iter() {
            match &t.base {
                Base::Object(o) if !self.read_only(*o) || self.is_of_device(*o) => self.havoc(s, *o, reason, false),
                Base::Unknown(l) => {
                    if let Some(among) = &l.among {
                        for o in &among.objects {
                            self.points_to.add_anything(*o);
                        }
                    }
                    self.havoc_unknown_store(s, l, reason, true);
                }
                // Read-only objects, and bases that are not memory.
                Base::Object(_) | Base::Null | Base::Func(_) => {}
            }
        }
    }

    /// Havocs the direct pointees of pointer arguments.
    pub fn havoc_pointees(&mut self, s: &mut State, args: &[Value], reason: &UnknownReason) {
        let mut v = vec![];
        for a in args {
            self.collect_objects(a, &mut v);
        }
        self.note_lost_writes(args);
        if self.side == Side::Host && args.iter().any(has_unknown_pointer) {
            self.havoc_escaped(s, reason, false);
        }
        for o in v {
            if self.side == Side::Device && !matches!(self.object(o).kind, ObjKind::DeviceLocal) {
                self.kernel.written.add_all(o);
                self.kernel.written_otherwise.insert(o);
            } else if !self.read_only(o) || self.is_of_device(o) {
                self.havoc(s, o, reason, false);
            }
        }
    }
}
