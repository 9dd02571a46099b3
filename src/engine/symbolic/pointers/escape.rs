//! Escaping addresses: where stores put them, and the possible targets of unknown pointers.
//!
//! In: stores, calls and loads as the executor reaches them. Out: entries of the points-to sets
//! ([`Kept`](super::points_to::PointsTo)), and the objects and functions to which an unknown pointer may lead.
//! Flow-insensitive, after Andersen (1994); in points-to sets an object allocated in a loop is an allocation-site
//! summary.

use super::points_to::{MAX_PLACES, PointsToMark, StoredAddresses, keys};
use super::reached::ReachedObjects;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjKind, UncoveredContents};
use crate::symbolic::memory::value::has_unknown_pointer;
use crate::symbolic::memory::value::is_known;
use crate::symbolic::memory::value::{Base, GuardedTarget, PossibleTargets, UnknownPointer, Value};
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use ir::reach::Mentions;
use ir::{FuncRef, GlobalRef, Side};
use std::rc::Rc;

/// Kinds of addresses stored through unknown pointers that a load from an object may return.
pub(in crate::symbolic) struct UnknownStores {
    pub objects: bool,
    pub functions: bool,
}

impl Executor<'_> {
    /// Havocs memory that a kernel with these arguments may write, including pointers in it and in device variables.
    /// The kernel may also store any address that it can reach to any object that it writes. `stream` is the number of
    /// its stream.
    pub fn havoc_device(&mut self, s: &mut State, kernel: Option<FuncRef>, args: &[Value], stream: Option<i64>) {
        let written = kernel.and_then(|k| self.written_by_kernel(k, s, args));
        let mut given = vec![];
        for a in args {
            self.collect_objects(a, &mut given);
        }
        let reached = self.reached_by_device(s, &given, args.iter().any(has_unknown_pointer));
        let mut changed = written.as_ref().map_or_else(|| reached.clone(), |w| w.objects().collect::<Vec<_>>());
        changed.sort_unstable();
        for o in &changed {
            let what = match self.object(*o).kind {
                // Tensors and optionals of a caller are memory of the host.
                ObjKind::Parameter
                    if self.heap.is_of_class(*o)
                        && written.is_none()
                        && !given.contains(o)
                        && !self.heap.is_registered(*o) =>
                {
                    continue;
                }
                ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::Parameter => {
                    UnknownReason::KernelWrites(self.object(*o).name.clone())
                }
                ObjKind::DeviceGlobal(_) => UnknownReason::KernelWritesDevice,
                // Kernels write constant variables only through addresses that the host requested.
                ObjKind::Constant(_) if self.is_reached(*o) => UnknownReason::KernelWritesConstant,
                // Host memory that is registered with devices, or passed to the kernel on a system where devices see
                // all memory. Other memory reachable through unknown pointers is taken to be device memory.
                ObjKind::HostHeap | ObjKind::HostLocal | ObjKind::HostGlobal(_)
                    if written.is_some() || given.contains(o) || self.heap.is_registered(*o) =>
                {
                    UnknownReason::KernelWrites(self.object(*o).name.clone())
                }
                ObjKind::Constant(_) | ObjKind::HostHeap | ObjKind::HostLocal | ObjKind::HostGlobal(_) => continue,
                // Only the host has strings, streams and handles; shared memory and a thread's own memory end with the
                // kernel.
                ObjKind::ArgvArray
                | ObjKind::ArgvText(_)
                | ObjKind::ArgvTexts
                | ObjKind::Stream(_)
                | ObjKind::Opaque
                | ObjKind::SharedStatic(_)
                | ObjKind::SharedDynamic
                | ObjKind::DeviceLocal => continue,
            };
            self.points_to.add_objects(Some(*o), &reached);
            self.note_written_by_device(*o);
            let before = s.mem.get(o).cloned();
            if let (Some(before), Some(written)) = (&before, &written)
                && self.rewrite(s, *o, before, written)
            {
                continue;
            }
            self.havoc(s, *o, &what, false);
            if let (Some(before), Some(written)) = (before, &written) {
                self.keep_beside(s, *o, &before, written);
            }
        }
        let is_begun = |o: &ObjId| {
            written.is_some()
                || given.contains(o)
                || self.heap.is_registered(*o)
                || !self.is_followed(*o) && !self.heap.is_of_class(*o)
        };
        let begun: Vec<ObjId> = changed.iter().copied().filter(is_begun).collect();
        self.begin_writing(s, begun, stream);
    }
}

impl ExecutionContext<'_> {
    /// Loads a pointer through a lost pointer.
    pub(in crate::symbolic) fn load_lost(&mut self, s: &mut State, lost: &UnknownPointer) -> Value {
        if lost.unset {
            return self.lost_pointer(lost.clone());
        }
        let among = match &lost.among {
            Some(a) if self.side == Side::Host => {
                for o in &a.objects {
                    self.ensure(s, *o);
                }
                self.places_in(&a.objects)
            }
            _ => None,
        };
        self.lost_pointer(UnknownPointer { reason: lost.reason.clone(), among, unset: false })
    }
}

impl MemoryDomain<'_> {
    pub(in crate::symbolic) fn mark(&self) -> PointsToMark {
        PointsToMark { news: self.points_to.news.len(), objects: self.heap.len() }
    }

    /// Whether an address has been stored since the start of an iteration that an earlier part of it might have loaded.
    pub(in crate::symbolic) fn has_kept_more(&self, since: PointsToMark) -> bool {
        self.points_to.news_since(since).next().is_some()
    }

    /// Makes the addresses in these objects unknown, since every iteration stores new ones.
    pub(in crate::symbolic) fn give_up_places(&mut self, since: PointsToMark) {
        let places: Vec<Option<ObjId>> = self.points_to.news_since(since).collect();
        for p in places {
            match p {
                Some(o) => self.points_to.add_anything(o),
                None => self.points_to.unsettled = true,
            }
        }
    }

    /// Records the addresses in a value stored through a pointer.
    pub(in crate::symbolic) fn keep(&mut self, to: &[GuardedTarget], v: &Value) {
        let mut found = StoredAddresses::default();
        found.add_value(v, &|t| self.arena.as_int(t).is_some());
        if found.is_empty() {
            return;
        }
        for t in to {
            for place in keys(&t.base) {
                match self.own_links(t, v) {
                    Some((o, at, to)) => {
                        for to in to {
                            self.points_to.add_link(o, at, to);
                        }
                        self.points_to.add_untangled(place, &found);
                    }
                    None => self.points_to.add(place, &found),
                }
            }
        }
    }

    /// Records the addresses in a value stored through an unknown pointer.
    pub(in crate::symbolic) fn keep_anywhere(&mut self, v: &Value) {
        let mut found = StoredAddresses::default();
        found.add_value(v, &|t| self.arena.as_int(t).is_some());
        self.points_to.add(None, &found);
    }

    /// Records the addresses copied from one pointer's targets to another's.
    pub fn keep_copy(&mut self, s: &State, to: &[GuardedTarget], from: &[GuardedTarget]) {
        let mut found = StoredAddresses::default();
        for t in from {
            match &t.base {
                Base::Object(o) => self.stored_at(s, *o, &mut found),
                Base::Unknown(UnknownPointer { among: Some(a), .. }) => {
                    for o in &a.objects {
                        self.stored_at(s, *o, &mut found);
                    }
                }
                Base::Unknown(_) => {
                    found.objects.extend(self.escaped(s));
                    found.anything = true;
                }
                // Nothing can be read there.
                Base::Null | Base::Func(_) => {}
            }
        }
        for t in to {
            for place in keys(&t.base) {
                self.points_to.add(place, &found);
            }
        }
    }

    /// Collects the addresses that a load from an object may return in a state.
    pub(in crate::symbolic) fn stored_at(&self, s: &State, o: ObjId, out: &mut StoredAddresses) {
        let elsewhere = self.stored_itself_at(s, o, out);
        let Some(anywhere) = self.points_to.places.get(&None) else { return };
        charge_each(cost::OBJECT, anywhere.size());
        if elsewhere.objects {
            out.objects.extend(&anywhere.objects);
        }
        if elsewhere.functions {
            out.functions.extend(&anywhere.functions);
        }
    }

    /// Collects these addresses without those stored through unknown pointers; returns which of the latter may be
    /// loaded here too.
    pub(in crate::symbolic) fn stored_itself_at(
        &self,
        s: &State,
        o: ObjId,
        out: &mut StoredAddresses,
    ) -> UnknownStores {
        let mut objects = vec![];
        let known = self.held_in_cells(s, o, &mut objects);
        charge_each(cost::OBJECT, objects.len());
        out.objects.extend(objects);
        let cells_only = s.mem.get(&o).is_some_and(|st| {
            matches!(st.rest, UncoveredContents::Uninit | UncoveredContents::Zero)
                && st.cells.values().all(|(_, v)| is_known(v))
        });
        if cells_only {
            for (_, v) in s.mem[&o].cells.values() {
                out.add_value(v, &|t| self.is_no_address(t));
            }
            return UnknownStores { objects: !known, functions: false };
        }
        if let Some(all) = self.points_to.places.get(&Some(o)) {
            charge_each(cost::OBJECT, all.size());
            out.add(all);
        }
        out.anything |= !self.is_followed(o);
        UnknownStores { objects: !known, functions: true }
    }

    /// Whether every store to an object is either executed or recorded in `points_to`.
    pub(in crate::symbolic) fn is_followed(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
    }

    /// Records the addresses in a global variable's initial value.
    pub(in crate::symbolic) fn keep_initial(&mut self, o: ObjId, r: GlobalRef) {
        let mut all = Mentions::default();
        if let Some(initial) = &self.program.global(r).init {
            all.add_constant(self.program, r.module, initial);
        }
        let objects = all.globals.iter().map(|g| self.global_object(g.module, g.global)).collect();
        self.points_to.add(
            Some(o),
            &StoredAddresses { objects, functions: all.named.into_iter().collect(), anything: all.opaque },
        );
    }

    /// Possible targets of a pointer loaded from these objects; `None` if unknown.
    fn places_in(&self, objects: &[ObjId]) -> Option<Rc<PossibleTargets>> {
        if self.points_to.unsettled {
            return None;
        }
        let mut all = StoredAddresses::default();
        for o in objects {
            if !self.is_followed(*o) {
                return None;
            }
            if let Some(there) = self.points_to.places.get(&Some(*o)) {
                all.add(there);
            }
        }
        if let Some(anywhere) = self.points_to.places.get(&None) {
            all.objects.extend(&anywhere.objects);
            all.functions.extend(&anywhere.functions);
        }
        self.points_to.add_twins(&mut all.objects);
        if all.anything || all.size() > MAX_PLACES {
            return None;
        }
        let mut places = PossibleTargets {
            objects: all.objects.into_iter().collect(),
            functions: all.functions.into_iter().collect(),
        };
        places.objects.sort_unstable();
        places.functions.sort_unstable();
        Some(Rc::new(places))
    }

    /// Restricts an unknown pointer, loaded from an object by the host, to the addresses stored there.
    pub(in crate::symbolic) fn among_stored(&self, o: ObjId, v: Value) -> Value {
        let Value::Ptr(p) = &v else { return v };
        if self.side != Side::Host || !p.iter().any(|t| t.base.is_anywhere()) {
            return v;
        }
        let Some(places) = self.places_in(&[o]) else { return v };
        let found = p.iter().map(|t| match &t.base {
            Base::Unknown(l @ UnknownPointer { among: None, .. }) => GuardedTarget {
                base: Base::Unknown(UnknownPointer { among: Some(places.clone()), ..l.clone() }),
                ..t.clone()
            },
            _ => t.clone(),
        });
        Value::Ptr(Rc::new(found.collect()))
    }

    /// Havocs the targets of a store through a lost pointer; the stored addresses are already recorded.
    pub(in crate::symbolic) fn havoc_unknown_store(
        &mut self,
        s: &mut State,
        lost: &UnknownPointer,
        reason: &UnknownReason,
        device: bool,
    ) {
        if lost.unset {
            return;
        }
        match &lost.among {
            Some(a) if self.side == Side::Host => {
                for o in &a.objects {
                    if !self.read_only(*o) || (device && self.is_of_device(*o)) {
                        self.blank(s, *o, reason, false);
                    }
                }
            }
            _ => self.havoc_escaped(s, reason, device),
        }
    }

    /// Possible targets of a lost pointer: none if it was never set, else its candidates or all escaped objects.
    pub(in crate::symbolic) fn places_of_lost(&self, s: &State, lost: &UnknownPointer) -> Vec<ObjId> {
        match &lost.among {
            _ if lost.unset => vec![],
            Some(a) => a.objects.clone(),
            None => self.escaped(s),
        }
    }

    /// Objects to which a pointer may lead.
    pub fn objects_at(&self, s: &State, p: &[GuardedTarget]) -> Vec<ObjId> {
        p.iter()
            .flat_map(|t| match &t.base {
                Base::Object(o) => vec![*o],
                Base::Unknown(l) => self.places_of_lost(s, l),
                // Not memory.
                Base::Null | Base::Func(_) => vec![],
            })
            .collect()
    }

    /// Objects to which pointers in an object may lead.
    pub(in crate::symbolic) fn held(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) {
        if !self.held_in_cells(s, o, out) {
            out.extend(self.points_to.objects(None));
        }
    }

    /// Collects these objects without those whose addresses were stored through unknown pointers; returns whether none
    /// of the latter can be here.
    fn held_in_cells(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) -> bool {
        let state = s.mem.get(&o);
        if let Some(st) = state {
            charge_each(cost::OBJECT, st.cells.len());
            for (_, v) in st.cells.values() {
                self.collect_objects(v, out);
            }
        }
        // If every cell is known, an address that is not in a cell has been overwritten.
        let known = state.is_some_and(|st| {
            !matches!(
                st.rest,
                UncoveredContents::Unknown { .. } | UncoveredContents::Layer(_) | UncoveredContents::Either(_)
            ) && st.cells.values().all(|(_, v)| is_known(v))
        });
        if !known {
            out.extend(self.points_to.objects(Some(o)));
        }
        known
    }

    /// Objects to which a pointer in memory, or a number that contains an address, may lead.
    pub(in crate::symbolic) fn escaped(&self, s: &State) -> Vec<ObjId> {
        let mut found = ReachedObjects::among(self.heap.len());
        found.add(self.points_to.exposed.iter().copied());
        let mut held = vec![];
        for o in s.mem.keys() {
            held.clear();
            self.held_in_cells(s, o, &mut held);
            found.add(held.iter().copied());
        }
        // A kernel's stores to device memory have no cells. Variables without cells have ended.
        for (place, k) in &self.points_to.places {
            if place.is_none_or(|o| !matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::DeviceLocal)) {
                found.add(k.objects.iter().copied());
            }
        }
        let mut all = found.in_order();
        all.retain(|o| !self.has_ended(s, *o));
        all
    }

    /// Takes the next reached object and adds the objects to which its pointers may lead; returns that object.
    pub(in crate::symbolic) fn reach_on(&self, s: &State, reached: &mut ReachedObjects) -> Option<ObjId> {
        let o = reached.next()?;
        let mut held = vec![];
        let known = self.held_in_cells(s, o, &mut held);
        reached.add(held);
        // Addresses stored through unknown pointers may be in any of these objects, and are the same for all.
        if !known {
            self.reach_anywhere(reached);
        }
        Some(o)
    }

    /// Reaches the objects whose addresses were stored through unknown pointers.
    pub(in crate::symbolic) fn reach_anywhere(&self, reached: &mut ReachedObjects) {
        reached.add_anywhere(self.points_to.objects(None));
    }

    /// Havocs everything that an unknown pointer could reach: the heap, globals and variables whose addresses are
    /// stored somewhere. Device memory, which the host writes only through CUDA functions, is included if `device` is
    /// true.
    pub(in crate::symbolic) fn havoc_escaped(&mut self, s: &mut State, reason: &UnknownReason, device: bool) {
        let mut all: Vec<ObjId> = self.escaped(s);
        if self.side == Side::Device {
            self.kernel.written_anywhere = true;
            all.retain(|o| matches!(self.object(*o).kind, ObjKind::DeviceLocal));
        } else {
            all.extend(s.mem.keys().filter(|o| {
                matches!(self.object(*o).kind, ObjKind::HostHeap | ObjKind::HostGlobal(_) | ObjKind::Managed)
            }));
        }
        all.sort_unstable();
        all.dedup();
        for o in all {
            if !self.read_only(o)
                || (device && matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_)))
            {
                self.havoc(s, o, reason, false);
            }
        }
    }
}

impl Terms {
    /// Offset, in bytes, of a store that writes addresses of the very object to which it stores, and the offsets to
    /// which they lead, if all are known.
    fn own_links(&self, t: &GuardedTarget, v: &Value) -> Option<(ObjId, i64, Vec<i64>)> {
        let (Base::Object(o), Value::Ptr(p)) = (&t.base, v) else { return None };
        let constant = |t: &GuardedTarget| self.arena.as_int(t.offset).and_then(|at| i64::try_from(at).ok());
        let leads = p.iter().filter(|x| {
            !matches!(x.base, Base::Object(other) if other != *o) && !matches!(x.base, Base::Null | Base::Func(_))
        });
        let to: Option<Vec<i64>> = leads.map(|x| if x.base == Base::Object(*o) { constant(x) } else { None }).collect();
        Some((*o, constant(t)?, to?))
    }
}
