//! Which addresses escape: where stores put them, and what pointers of which nothing is known may therefore lead to.
//!
//! In: stores, calls and reads as the executor comes to them. Out: entries of the points-to sets ([`Kept`](super::points_to::Kept)), and for a
//! pointer that is not known the objects and functions that it may be the address of. Flow-insensitive, after Andersen (1994); in
//! points-to sets an object allocated in a loop is an allocation-site summary.

use super::points_to::{MAX_PLACES, Mark, Stored, keys};
use super::reached::Reached;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, Rest};
use crate::symbolic::memory::value::is_known;
use crate::symbolic::memory::value::{Base, Lost, Places, Target, Value};
use crate::symbolic::memory::value::{collect, has_unknown_pointer};
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use ir::reach::Mentions;
use ir::{FuncRef, GlobalRef, Side};
use std::rc::Rc;

/// Whether objects and functions whose addresses were stored at places that are not known may be read at a place.
pub(in crate::symbolic) struct Elsewhere {
    pub objects: bool,
    pub functions: bool,
}

impl Executor<'_> {
    pub(in crate::symbolic) fn mark(&self) -> Mark {
        Mark { news: self.kept.news.len(), objects: self.heap.len() }
    }

    /// Whether something that an earlier part of a round might have read has been stored since its start.
    pub(in crate::symbolic) fn has_kept_more(&self, since: Mark) -> bool {
        self.kept.news_since(since).next().is_some()
    }

    /// Where every round stores something new, nothing is known of what is read there.
    pub(in crate::symbolic) fn give_up_places(&mut self, since: Mark) {
        let places: Vec<Option<ObjId>> = self.kept.news_since(since).collect();
        for p in places {
            match p {
                Some(o) => self.kept.add_anything(o),
                None => self.kept.unsettled = true,
            }
        }
    }

    /// Notes that a value is stored at a place.
    pub(in crate::symbolic) fn keep(&mut self, to: &[Target], v: &Value) {
        let mut found = Stored::default();
        found.add_value(v, &|t| self.arena.as_int(t).is_some());
        if found.is_empty() {
            return;
        }
        for t in to {
            for place in keys(&t.base) {
                match self.own_links(t, v) {
                    Some((o, at, to)) => {
                        for to in to {
                            self.kept.add_link(o, at, to);
                        }
                        self.kept.add_untangled(place, &found);
                    }
                    None => self.kept.add(place, &found),
                }
            }
        }
    }

    /// Where a store puts addresses of the very object that it writes, and where these lead, in bytes, if all of that is known.
    fn own_links(&self, t: &Target, v: &Value) -> Option<(ObjId, i64, Vec<i64>)> {
        let (Base::Object(o), Value::Ptr(p)) = (&t.base, v) else { return None };
        let constant = |t: &Target| self.arena.as_int(t.offset).and_then(|at| i64::try_from(at).ok());
        let leads = p.iter().filter(|x| {
            !matches!(x.base, Base::Object(other) if other != *o) && !matches!(x.base, Base::Null | Base::Func(_))
        });
        let to: Option<Vec<i64>> = leads.map(|x| if x.base == Base::Object(*o) { constant(x) } else { None }).collect();
        Some((*o, constant(t)?, to?))
    }

    /// Notes that a value is stored at a place that is not known.
    pub(in crate::symbolic) fn keep_anywhere(&mut self, v: &Value) {
        let mut found = Stored::default();
        found.add_value(v, &|t| self.arena.as_int(t).is_some());
        self.kept.add(None, &found);
    }

    /// Notes that what one place holds is copied to another.
    pub(crate) fn keep_copy(&mut self, s: &State, to: &[Target], from: &[Target]) {
        let mut found = Stored::default();
        for t in from {
            match &t.base {
                Base::Object(o) => self.stored_at(s, *o, &mut found),
                Base::Unknown(Lost { among: Some(a), .. }) => {
                    for o in &a.objects {
                        self.stored_at(s, *o, &mut found);
                    }
                }
                Base::Unknown(_) => {
                    found.objects.extend(self.escaped(s));
                    found.anything = true;
                }
                // There is nothing to read.
                Base::Null | Base::Func(_) => {}
            }
        }
        for t in to {
            for place in keys(&t.base) {
                self.kept.add(place, &found);
            }
        }
    }

    /// What may be read of an object in a state.
    pub(in crate::symbolic) fn stored_at(&self, s: &State, o: ObjId, out: &mut Stored) {
        let elsewhere = self.stored_itself_at(s, o, out);
        let Some(anywhere) = self.kept.places.get(&None) else { return };
        charge_each(cost::OBJECT, anywhere.size());
        if elsewhere.objects {
            out.objects.extend(&anywhere.objects);
        }
        if elsewhere.functions {
            out.functions.extend(&anywhere.functions);
        }
    }

    /// The same but for what was stored at places that are not known; says what of that may be read here too.
    pub(in crate::symbolic) fn stored_itself_at(&self, s: &State, o: ObjId, out: &mut Stored) -> Elsewhere {
        let mut objects = vec![];
        let known = self.held_in_cells(s, o, &mut objects);
        charge_each(cost::OBJECT, objects.len());
        out.objects.extend(objects);
        let cells_only = s.mem.get(&o).is_some_and(|st| {
            matches!(st.rest, Rest::Uninit | Rest::Zero) && st.cells.values().all(|(_, v)| is_known(v))
        });
        if cells_only {
            for (_, v) in s.mem[&o].cells.values() {
                out.add_value(v, &|t| self.is_no_address(t));
            }
            return Elsewhere { objects: !known, functions: false };
        }
        if let Some(all) = self.kept.places.get(&Some(o)) {
            charge_each(cost::OBJECT, all.size());
            out.add(all);
        }
        out.anything |= !self.is_followed(o);
        Elsewhere { objects: !known, functions: true }
    }

    /// Whether every store to an object is one that is executed, or leaves word in `kept`.
    pub(in crate::symbolic) fn is_followed(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
    }

    /// Notes the addresses in the initial value of a global variable.
    pub(in crate::symbolic) fn keep_initial(&mut self, o: ObjId, r: GlobalRef) {
        let mut all = Mentions::default();
        if let Some(initial) = &self.program.global(r).init {
            all.add_constant(self.program, r.module, initial);
        }
        let objects = all.globals.iter().map(|g| self.global_object(g.module, g.global)).collect();
        self.kept.add(Some(o), &Stored { objects, functions: all.named.into_iter().collect(), anything: all.opaque });
    }

    /// What a pointer that is read from these objects may point to; `None` where that is not known.
    fn places_in(&self, objects: &[ObjId]) -> Option<Rc<Places>> {
        if self.kept.unsettled {
            return None;
        }
        let mut all = Stored::default();
        for o in objects {
            if !self.is_followed(*o) {
                return None;
            }
            if let Some(there) = self.kept.places.get(&Some(*o)) {
                all.add(there);
            }
        }
        if let Some(anywhere) = self.kept.places.get(&None) {
            all.objects.extend(&anywhere.objects);
            all.functions.extend(&anywhere.functions);
        }
        self.kept.add_twins(&mut all.objects);
        if all.anything || all.size() > MAX_PLACES {
            return None;
        }
        let mut places =
            Places { objects: all.objects.into_iter().collect(), functions: all.functions.into_iter().collect() };
        places.objects.sort_unstable();
        places.functions.sort_unstable();
        Some(Rc::new(places))
    }

    /// A pointer that was read from an object of the host, where it was lost: what it may point to.
    pub(in crate::symbolic) fn among_stored(&self, o: ObjId, v: Value) -> Value {
        let Value::Ptr(p) = &v else { return v };
        if self.side != Side::Host || !p.iter().any(|t| t.base.is_anywhere()) {
            return v;
        }
        let Some(places) = self.places_in(&[o]) else { return v };
        let found = p.iter().map(|t| match &t.base {
            Base::Unknown(l @ Lost { among: None, .. }) => {
                Target { base: Base::Unknown(Lost { among: Some(places.clone()), ..l.clone() }), ..t.clone() }
            }
            _ => t.clone(),
        });
        Value::Ptr(Rc::new(found.collect()))
    }

    /// A pointer that is read through one that was lost.
    pub(in crate::symbolic) fn load_lost(&mut self, s: &mut State, lost: &Lost) -> Value {
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
        self.lost_pointer(Lost { reason: lost.reason.clone(), among, unset: false })
    }

    /// Forgets what is written through a pointer that was lost; what is stored there has been noted.
    pub(in crate::symbolic) fn forget_lost(
        &mut self,
        s: &mut State,
        lost: &Lost,
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
            _ => self.forget_escaped(s, reason, device),
        }
    }

    /// What a pointer that was lost may point to: nothing if it was never set, else one of these.
    pub(in crate::symbolic) fn places_of_lost(&self, s: &State, lost: &Lost) -> Vec<ObjId> {
        match &lost.among {
            _ if lost.unset => vec![],
            Some(a) => a.objects.clone(),
            None => self.escaped(s),
        }
    }

    /// What a pointer may point to.
    pub(crate) fn objects_at(&self, s: &State, p: &[Target]) -> Vec<ObjId> {
        p.iter()
            .flat_map(|t| match &t.base {
                Base::Object(o) => vec![*o],
                Base::Unknown(l) => self.places_of_lost(s, l),
                // No memory.
                Base::Null | Base::Func(_) => vec![],
            })
            .collect()
    }

    /// Objects that pointers in an object may point to.
    pub(in crate::symbolic) fn held(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) {
        if !self.held_in_cells(s, o, out) {
            out.extend(self.kept.objects(None));
        }
    }

    /// The same but for addresses that were stored at places that are not known; says whether none of these can be here.
    fn held_in_cells(&self, s: &State, o: ObjId, out: &mut Vec<ObjId>) -> bool {
        let state = s.mem.get(&o);
        if let Some(st) = state {
            charge_each(cost::OBJECT, st.cells.len());
            for (_, v) in st.cells.values() {
                collect(v, out);
            }
        }
        // Where every cell is known, an address that is not there has been overwritten.
        let known = state.is_some_and(|st| {
            !matches!(st.rest, Rest::Unknown { .. } | Rest::Layer(_) | Rest::Either(_))
                && st.cells.values().all(|(_, v)| is_known(v))
        });
        if !known {
            out.extend(self.kept.objects(Some(o)));
        }
        known
    }

    /// Objects that some pointer in memory may point to, or a number that is the address of one.
    fn escaped(&self, s: &State) -> Vec<ObjId> {
        let mut found = Reached::among(self.heap.len());
        found.add(self.kept.exposed.iter().copied());
        let mut held = vec![];
        for o in s.mem.keys() {
            held.clear();
            self.held_in_cells(s, o, &mut held);
            found.add(held.iter().copied());
        }
        // What a kernel stores in memory of the device has no cells. Variables without cells have ended.
        for (place, k) in &self.kept.places {
            if place.is_none_or(|o| !matches!(self.object(o).kind, ObjKind::HostLocal | ObjKind::DeviceLocal)) {
                found.add(k.objects.iter().copied());
            }
        }
        found.in_order()
    }

    /// Goes on to an object that was reached, and reaches what its pointers may lead to; gives that object.
    pub(in crate::symbolic) fn reach_on(&self, s: &State, reached: &mut Reached) -> Option<ObjId> {
        let o = reached.next()?;
        let mut held = vec![];
        let known = self.held_in_cells(s, o, &mut held);
        reached.add(held);
        // What is stored at places that are not known may be in any of these objects: it is the same for all.
        if !known {
            self.reach_anywhere(reached);
        }
        Some(o)
    }

    /// Reaches what is stored at places that are not known.
    pub(in crate::symbolic) fn reach_anywhere(&self, reached: &mut Reached) {
        reached.add_anywhere(self.kept.objects(None));
    }

    /// Forgets what any pointer could reach: the heap, globals and variables whose address is kept somewhere. The host
    /// writes `device` memory through CUDA's functions only.
    pub(in crate::symbolic) fn forget_escaped(&mut self, s: &mut State, reason: &UnknownReason, device: bool) {
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
                self.forget(s, o, reason, false);
            }
        }
    }

    /// Contents of memory that a kernel with these arguments may write, pointers in it and in device variables included. It may
    /// also keep any address that it can reach anywhere that it writes. `stream` is the number of the one it runs in.
    pub(crate) fn forget_device(
        &mut self,
        s: &mut State,
        kernel: Option<FuncRef>,
        args: &[Value],
        stream: Option<i64>,
    ) {
        let written = kernel.and_then(|k| self.written_by_kernel(k, s, args));
        let mut work = vec![];
        for a in args {
            collect(a, &mut work);
            // An address may be given as a number.
            if let Value::Int(t) = a {
                work.extend(self.addresses_in(*t));
            }
            if has_unknown_pointer(a) {
                work.extend(self.escaped(s));
            }
        }
        work.extend(s.mem.keys().filter(|o| match self.object(*o).kind {
            ObjKind::DeviceGlobal(_) | ObjKind::Constant(_) => true,
            ObjKind::HostGlobal(r) => self.program.is_managed(r),
            _ => false,
        }));
        let mut reached = Reached::among(self.heap.len());
        reached.add(work);
        let mut anywhere = false;
        while let Some(o) = self.reach_on(s, &mut reached) {
            // A member of a structure, or a pointer in memory of the device, may be one of which nothing is known.
            if !anywhere && s.mem.get(&o).is_some_and(|st| st.cells.values().any(|(_, v)| has_unknown_pointer(v))) {
                anywhere = true;
                reached.add(self.escaped(s));
            }
        }
        let reached = reached.in_order();
        let mut changed = written.as_ref().map_or_else(|| reached.clone(), |w| w.objects().collect::<Vec<_>>());
        changed.sort_unstable();
        let mut given = vec![];
        for a in args {
            collect(a, &mut given);
        }
        for o in &changed {
            let what = match self.object(*o).kind {
                ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::Parameter => {
                    UnknownReason::KernelWrites(self.object(*o).name.clone())
                }
                ObjKind::DeviceGlobal(_) => UnknownReason::KernelWritesDevice,
                // Kernels write constant variables through addresses that the host asked for, and no others.
                ObjKind::Constant(_) if self.is_reached(*o) => UnknownReason::KernelWritesConstant,
                // Memory of the host that devices see too, or that the kernel is given on a system where they see all. What else it might reach
                // through pointers of which nothing is known is taken to be the device's.
                ObjKind::HostHeap | ObjKind::HostLocal | ObjKind::HostGlobal(_)
                    if written.is_some() || given.contains(o) || self.heap.is_registered(*o) =>
                {
                    UnknownReason::KernelWrites(self.object(*o).name.clone())
                }
                ObjKind::Constant(_) | ObjKind::HostHeap | ObjKind::HostLocal | ObjKind::HostGlobal(_) => continue,
                // Texts, streams and handles are the host's alone, shared memory and what a thread owns end with the kernel.
                ObjKind::ArgvArray
                | ObjKind::ArgvText(_)
                | ObjKind::ArgvTexts
                | ObjKind::Stream(_)
                | ObjKind::Opaque
                | ObjKind::SharedStatic(_)
                | ObjKind::SharedDynamic
                | ObjKind::DeviceLocal => continue,
            };
            self.kept.add_objects(Some(*o), &reached);
            self.note_written_by_device(*o);
            let before = s.mem.get(o).cloned();
            if let (Some(before), Some(written)) = (&before, &written)
                && self.rewrite(s, *o, before, written)
            {
                continue;
            }
            self.forget(s, *o, &what, false);
            if let (Some(before), Some(written)) = (before, &written) {
                self.keep_beside(s, *o, &before, written);
            }
        }
        self.begin_writing(
            s,
            changed
                .iter()
                .copied()
                .filter(|o| {
                    written.is_some() || given.contains(o) || !self.is_followed(*o) || self.heap.is_registered(*o)
                })
                .collect::<Vec<_>>(),
            stream,
        );
    }
}
