//! Where addresses have been kept. Cells lose pointers when an array of them is written at a variable place or by a
//! loop; what a pointer read back from there may point to is known from here, whatever the order of the stores.

use super::access::collect;
use super::exec::{Executor, State};
use super::loops::is_known;
use super::memory::{ObjId, ObjKind, Rest};
use super::value::{Base, Target, Value};
use crate::ir::Side;
use rustc_hash::{FxHashMap, FxHashSet};

/// Objects whose address was at some time stored in an object; under `None`, at a place that is not known.
pub type Kept = FxHashMap<Option<ObjId>, FxHashSet<ObjId>>;

impl Executor<'_> {
    /// Notes that a value is stored at a place.
    pub(super) fn keep(&mut self, to: &[Target], v: &Value) {
        let mut found = vec![];
        collect(v, &mut found);
        if found.is_empty() { return; }
        for t in to {
            let place = match t.base { Base::Object(o) => Some(o), Base::Unknown(_) => None, Base::Null | Base::Func(_) => continue };
            self.kept.entry(place).or_default().extend(found.iter().copied());
        }
    }

    /// Notes that what one place holds is copied to another.
    pub(super) fn keep_copy(&mut self, s: &State, to: &[Target], from: &[Target]) {
        let mut found = vec![];
        for t in from {
            match t.base {
                Base::Object(o) => self.held(s, o, &mut found),
                Base::Unknown(_) => found.extend(self.escaped(s)),
                Base::Null | Base::Func(_) => {}
            }
        }
        for t in to {
            let place = match t.base { Base::Object(o) => Some(o), Base::Unknown(_) => None, Base::Null | Base::Func(_) => continue };
            if !found.is_empty() { self.kept.entry(place).or_default().extend(found.iter().copied()); }
        }
    }

    /// Objects that pointers in an object may point to.
    pub(super) fn held(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) {
        if !self.held_in_cells(s, o, out) && let Some(k) = self.kept.get(&None) { out.extend(k.iter().copied()); }
    }

    /// The same but for addresses that were stored at places that are not known; says whether none of these can be here.
    fn held_in_cells(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) -> bool {
        let state = s.mem.get(&o);
        if let Some(st) = state { for (_, v) in st.cells.values() { collect(v, out); } }
        // Where every cell is known, an address that is not there has been overwritten.
        let known = state.is_some_and(|st| !matches!(st.rest, Rest::Unknown { .. } | Rest::Layer(_) | Rest::Either(_)) && st.cells.values().all(|(_, v)| is_known(v)));
        if !known && let Some(k) = self.kept.get(&Some(o)) { out.extend(k.iter().copied()); }
        known
    }

    /// Objects that some pointer in memory may point to.
    fn escaped(&self, s: &State) -> Vec<ObjId> {
        let mut out = vec![];
        for o in s.mem.keys() { self.held_in_cells(s, *o, &mut out); }
        // What a kernel stores in memory of the device has no cells. Variables without cells have ended.
        for (place, k) in &self.kept {
            if place.is_none_or(|o| !matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::DeviceLocal)) { out.extend(k.iter().copied()); }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Forgets what any pointer could reach: the heap, globals and variables whose address is kept somewhere. The host
    /// writes `device` memory through CUDA's functions only.
    pub(super) fn forget_escaped(&mut self, s: &mut State, reason: &str, device: bool) {
        let mut all: Vec<ObjId> = self.escaped(s);
        if self.side == Side::Device {
            self.written_anywhere = true;
            all.retain(|o| matches!(self.object(*o).kind, ObjKind::DeviceLocal));
        } else {
            all.extend(s.mem.keys().copied().filter(|o| matches!(self.object(*o).kind, ObjKind::HostHeap | ObjKind::HostGlobal(_) | ObjKind::Managed)));
        }
        all.sort_unstable();
        all.dedup();
        for o in all { if !self.read_only(o) || (device && matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))) { self.forget(s, o, reason, false); } }
    }

    /// Contents of device memory that a kernel with these arguments may write, pointers in it and in device variables
    /// included. It may also keep any address that it can reach anywhere that it can reach.
    pub(crate) fn forget_device(&mut self, s: &mut State, args: &[Value]) {
        let mut work = vec![];
        for a in args {
            collect(a, &mut work);
            if let Value::Ptr(p) = a && p.iter().any(|t| matches!(t.base, Base::Unknown(_))) { work.extend(self.escaped(s)); }
        }
        work.extend(s.mem.keys().copied().filter(|o| matches!(self.object(*o).kind, ObjKind::DeviceGlobal(_) | ObjKind::Constant(_))));
        let mut seen: FxHashSet<ObjId> = FxHashSet::default();
        while let Some(o) = work.pop() { if seen.insert(o) { self.held(s, o, &mut work); } }
        let mut reached: Vec<ObjId> = seen.into_iter().collect();
        reached.sort_unstable();
        for o in &reached {
            let what = match self.object(*o).kind {
                ObjKind::DeviceHeap | ObjKind::Managed => format!("what a kernel writes to `{}`", self.object(*o).name),
                ObjKind::DeviceGlobal(_) => "what a kernel writes to a device variable".to_owned(),
                _ => continue,
            };
            self.kept.entry(Some(*o)).or_default().extend(reached.iter().copied());
            self.forget(s, *o, &what, false);
        }
    }
}
