//! Device work in flight while the host goes on, and changes to constant variables meanwhile.
//!
//! In: launches, copies and waits in host order. Out: whether the contents of memory are reliable.
//! [`Runtime`](super::runtime::Runtime) records it; work in flight is recorded in an object of the state, since
//! waiting ends it.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::{GuardedTarget, Value};
use base::reasons::UnknownReason;
use ir::Side;
use std::rc::Rc;

impl MemoryDomain<'_> {
    // ---- constant variables ----

    /// Records that kernels can reach a constant variable whose address was taken; `None` for an unknown one.
    pub fn reach_constant(&mut self, variable: Option<ObjId>) {
        match variable {
            Some(o) => {
                self.runtime.reached.insert(o);
            }
            None => self.runtime.any_reached = true,
        }
    }

    /// Records that the host changes a variable by name, and whether the copy waits for the work of other streams.
    pub fn change_variable(&mut self, variable: Option<ObjId>, waits: bool) {
        if waits && !self.runtime.launched {
            return;
        }
        match variable {
            Some(o) => {
                self.runtime.changed.insert((o, waits));
            }
            None => self.runtime.any_changed = true,
        }
    }

    /// Whether kernels can write a constant variable.
    pub(in crate::symbolic) fn is_reached(&self, o: ObjId) -> bool {
        self.runtime.any_reached || self.runtime.reached.contains(&o)
    }

    /// Whether a constant variable keeps its contents from the launch while a kernel runs.
    pub(crate) fn is_settled(&self, o: ObjId) -> bool {
        let late = self.runtime.overlapping
            && (self.runtime.any_changed
                || self.runtime.changed.contains(&(o, false))
                || self.runtime.unordered && self.runtime.changed.contains(&(o, true)));
        !self.is_reached(o) && !late
    }

    // ---- work that overlaps ----

    /// Records that device work may overlap from here on, also with launches that were executed as if they had the
    /// device for themselves: havocs what these stored.
    pub fn overlap(&mut self, s: &mut State) {
        self.runtime.overlapping = true;
        let mut all: Vec<ObjId> = self.runtime.alone.iter().copied().collect();
        all.sort_unstable();
        for o in all {
            if s.mem.contains_key(&o) {
                self.havoc(s, o, &UnknownReason::OtherDeviceWork, false);
            }
        }
    }

    pub(in crate::symbolic) fn note_alone(&mut self, written: impl Iterator<Item = ObjId>) {
        self.runtime.alone.extend(written);
    }

    // ---- work in flight ----

    /// Sets the first state of a root to no device work in flight.
    pub fn nothing_under_way(&mut self, s: &mut State) {
        let o = self.heap.add(Object {
            kind: ObjKind::Opaque,
            name: String::new(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.runtime.flight = Some(o);
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Zero)));
    }

    /// Whether the host sees what the device writes to an object while that work is in flight.
    pub(super) fn is_seen_by_host(&self, o: ObjId) -> bool {
        match self.object(o).kind {
            // Tensors and optionals of a caller are memory of the host.
            ObjKind::Parameter => !self.heap.is_of_class(o) || self.heap.is_registered(o),
            ObjKind::Managed => true,
            ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_) => self.heap.is_registered(o),
            // The host reaches device and thread memory by copies only; only the host reaches strings and streams.
            ObjKind::DeviceHeap
            | ObjKind::DeviceGlobal(_)
            | ObjKind::Constant(_)
            | ObjKind::SharedStatic(_)
            | ObjKind::SharedDynamic
            | ObjKind::DeviceLocal
            | ObjKind::ArgvArray
            | ObjKind::ArgvText(_)
            | ObjKind::ArgvTexts
            | ObjKind::Stream(_)
            | ObjKind::Opaque => false,
        }
    }

    /// Records that device work may write these objects from now on, until the host waits for it.
    pub fn begin_writing(&mut self, s: &mut State, objects: impl IntoIterator<Item = ObjId>, stream: Option<i64>) {
        let Some(flight) = self.runtime.flight.filter(|_| self.side == Side::Host) else { return };
        self.set_recorded(s, 0);
        for o in objects {
            // The host reads such an object only by copies, which wait or are followed separately.
            if !self.is_seen_by_host(o) {
                continue;
            }
            // If several streams may write the object, its stream is unknown.
            let stream = if self.is_under_way(s, o) && self.cell(s, place(o)) != stream { None } else { stream };
            let number = Value::Int(self.arena.int(i128::from(stream.unwrap_or(SOME_STREAM))));
            if let Some(st) = s.mem.get_mut(&flight) {
                Rc::make_mut(st).cells.insert(place(o), (8, number));
            }
            let Some(held) = s.mem.get(&o).cloned() else { continue };
            let begun = self.runtime.begun.entry(o).or_default();
            if !begun.iter().any(|b| Rc::ptr_eq(b, &held)) {
                begun.push(held);
            }
        }
    }

    /// Records the same for the targets of a copy or fill.
    pub fn begin_copying(&mut self, s: &mut State, to: &[GuardedTarget], stream: Option<i64>) {
        let objects = self.objects_at(s, to);
        self.begin_writing(s, objects, stream);
    }

    fn cell(&self, s: &State, at: i64) -> Option<i64> {
        let flight = self.runtime.flight.and_then(|f| s.mem.get(&f))?;
        match flight.cells.get(&at) {
            Some((_, Value::Int(t))) => self.arena.as_int(*t).and_then(|n| i64::try_from(n).ok()),
            _ => None,
        }
    }

    /// Records the event after which no work is in flight except for what it waits for; 0 for none.
    pub fn set_recorded(&mut self, s: &mut State, event: i64) {
        let number = Value::Int(self.arena.int(i128::from(event)));
        if let Some(st) = self.runtime.flight.and_then(|f| s.mem.get_mut(&f)) {
            Rc::make_mut(st).cells.insert(0, (8, number));
        }
    }

    pub fn is_recorded(&self, s: &State, event: i64) -> bool {
        self.cell(s, 0) == Some(event)
    }

    /// Whether device work may still write what the host reads here.
    pub(in crate::symbolic) fn is_under_way(&self, s: &State, o: ObjId) -> bool {
        if self.side != Side::Host || self.runtime.begun.is_empty() || !self.is_seen_by_host(o) {
            return false;
        }
        let Some(flight) = self.runtime.flight.and_then(|f| s.mem.get(&f)) else { return false };
        match flight.cells.get(&place(o)) {
            Some((_, Value::Int(t))) => self.arena.as_int(*t) != Some(0),
            Some(_) => true,
            None => flight.rest != UncoveredContents::Zero,
        }
    }

    /// Ends all device work after the host has waited for it: what the host stored meanwhile may have been
    /// overwritten.
    pub fn all_done(&mut self, s: &mut State) {
        let Some(flight) = self.runtime.flight.filter(|_| !self.runtime.begun.is_empty()) else { return };
        self.settle(s, |_| true);
        s.mem.insert(flight, Rc::new(ObjState::new(UncoveredContents::Zero)));
    }

    /// Ends the work of one stream after the host has waited for it.
    pub fn done_in(&mut self, s: &mut State, stream: i64) {
        let Some(flight) = self.runtime.flight.filter(|_| !self.runtime.begun.is_empty()) else { return };
        let done = self.settle(s, |n| n == Some(stream));
        let zero = self.arena.int(0);
        for o in done {
            if let Some(st) = s.mem.get_mut(&flight) {
                Rc::make_mut(st).cells.insert(place(o), (8, Value::Int(zero)));
            }
        }
    }

    fn settle(&mut self, s: &mut State, is_done: impl Fn(Option<i64>) -> bool) -> Vec<ObjId> {
        let mut open: Vec<ObjId> = self
            .runtime
            .begun
            .keys()
            .copied()
            .filter(|o| self.is_under_way(s, *o) && is_done(self.cell(s, place(*o))))
            .collect();
        open.sort_unstable();
        for o in &open {
            let untouched =
                s.mem.get(o).is_some_and(|now| self.runtime.begun[o].iter().any(|b| Rc::ptr_eq(b, now) || b == now));
            if !untouched && s.mem.contains_key(o) {
                self.havoc(s, *o, &UnknownReason::DeviceWorkMeanwhile, false);
            }
        }
        open
    }
}

/// Returns the byte offset of an object's entry in the record of work in flight.
fn place(o: ObjId) -> i64 {
    8 * i64::from(o.0) + 8
}

/// Number of an unknown stream.
const SOME_STREAM: i64 = i64::MAX;
