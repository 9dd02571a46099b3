//! Which memory has been freed, under which condition and where, or made known to devices; what touches it afterwards, and what
//! the host copies.
//!
//! In: frees, accesses and copies as the executor comes to them. Out: [`StaleEvent`]s, each with the condition under which
//! it meets freed memory, and copies as [`CopyEvent`]s. Whether such a condition can hold is not asked here.

use super::object::{Freed, ObjId, ObjKind};
use super::value::{Base, Target};
use crate::symbolic::exec::events::{AccessEvent, AccessKind, CopyEvent, Deed, StaleEvent};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::Side;
use std::rc::Rc;

impl Executor<'_> {
    /// Makes memory of the host known to devices (`cudaHostRegister`): for good, as far as this is followed.
    pub(crate) fn register(&mut self, s: &State, p: &[Target]) {
        let objects = self.objects_at(s, p);
        self.heap.register(objects);
    }

    /// Whether two objects may have the same address: given under two names, or one after the other: where one was freed, on any path, what is
    /// allocated later may be there.
    pub(in crate::symbolic) fn may_have_one_address(&self, a: ObjId, b: ObjId) -> bool {
        self.may_be_given_twice(a, b)
            || a != b
                && [a, b].iter().any(|o| !self.heap.freed_at(*o).is_empty())
                && [a, b].iter().all(|o| {
                    matches!(
                        self.object(*o).kind,
                        ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap | ObjKind::Parameter
                    )
                })
    }

    /// Frees what a pointer points to. Only the start of an allocation can be freed; null does nothing.
    pub(crate) fn release(&mut self, s: &mut State, p: &[Target]) {
        let zero = self.arena.int(0);
        for t in p {
            let Base::Object(o) = t.base else {
                // Of one that was lost `release_lost` says what it frees; null and functions are freed by nobody.
                continue;
            };
            // Variables, what threads own and what a library or the system keeps is not freed by anybody.
            if !matches!(
                self.object(o).kind,
                ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap | ObjKind::Parameter
            ) {
                continue;
            }
            // Its memory was not given on this path: there is nothing to free.
            if self.is_null_here(s, o) {
                continue;
            }
            let at_start = self.arena.eq(t.offset, zero);
            let cond = self.arena.and(t.cond, at_start);
            // It never points to the start.
            if self.arena.as_bool(cond) == Some(false) {
                continue;
            }
            self.free_other_names(s, o, cond);
            if self.several.has_other_names(o) {
                continue;
            }
            self.ensure(s, o);
            let Some(before) = s.mem.get(&o).map(|x| x.freed.clone()) else { continue };
            if let Some(f) = &before {
                let not_refused = self.arena.not(f.with_context);
                let again = self.arena.and(cond, not_refused);
                self.note_stale(s, self.stack.clone(), (o, again), f, Deed::FreedAgain);
            }
            let freed = self.freed_also(o, before, cond);
            if let Some(st) = s.mem.get_mut(&o) {
                Rc::make_mut(st).freed = freed;
            }
        }
    }

    /// Frees what pointers lead to of which it is not known where: memory of the device may have been freed by each.
    pub(crate) fn release_lost(&mut self, s: &mut State, p: &[Target]) {
        for t in p {
            if let Base::Unknown(l) = &t.base {
                for o in self.places_of_lost(s, l) {
                    self.perhaps_freed(s, o, t.cond);
                }
            }
        }
    }

    pub(in crate::symbolic) fn perhaps_freed(&mut self, s: &mut State, o: ObjId, cond: TermId) {
        if !matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::Parameter) {
            return;
        }
        let o = self.several.freed_as(o);
        // What this path has not allocated is not there to be freed.
        let Some(before) = s.mem.get(&o).map(|x| x.freed.clone()) else { return };
        let reason = UnknownReason::FreedThroughLost(self.object(o).name.clone());
        let perhaps = self.arena.fresh_bool(SymKind::Unknown { reason }, "?");
        let cond = self.arena.and(cond, perhaps);
        let freed = self.freed_also(o, before, cond);
        if let Some(st) = s.mem.get_mut(&o) {
            Rc::make_mut(st).freed = freed;
        }
    }

    /// Ends all memory that the runtime gave, with the context of its device (`cudaDeviceReset`); `certain` where that is the only device in
    /// use. Of another one nothing ends.
    pub(crate) fn end_context(&mut self, s: &mut State, certain: bool) {
        let mut all: Vec<ObjId> = s
            .mem
            .keys()
            .filter(|o| matches!(self.object(*o).kind, ObjKind::DeviceHeap | ObjKind::Managed))
            .map(|o| self.several.freed_as(o))
            .collect();
        all.sort_unstable();
        all.dedup();
        for o in all {
            let cond = if certain {
                self.arena.bool(true)
            } else {
                let reason = UnknownReason::OnResetDevice(self.object(o).name.clone());
                self.arena.fresh_bool(SymKind::Unknown { reason }, "?")
            };
            let Some(before) = s.mem.get(&o).map(|x| x.freed.clone()) else { continue };
            let Some(freed) = self.freed_also(o, before, cond) else { continue };
            let with_context = self.arena.or(freed.with_context, cond);
            if let Some(st) = s.mem.get_mut(&o) {
                Rc::make_mut(st).freed = Some(Rc::new(Freed { with_context, ..(*freed).clone() }));
            }
        }
    }

    /// Freed before, or now under this condition.
    pub(in crate::symbolic) fn freed_also(
        &mut self,
        o: ObjId,
        before: Option<Rc<Freed>>,
        cond: TermId,
    ) -> Option<Rc<Freed>> {
        let mut now = match before {
            Some(f) => (*f).clone(),
            None => {
                let no = self.arena.bool(false);
                Freed { cond: no, with_context: no, at: vec![] }
            }
        };
        now.cond = self.arena.or(now.cond, cond);
        let here = Rc::new(self.stack.clone());
        if !now.at.contains(&here) {
            now.at.push(here.clone());
        }
        self.heap.note_freed(o, here);
        Some(Rc::new(now))
    }

    /// What two merged paths know of an object's end; `sel` is true on the first.
    pub(in crate::symbolic) fn merge_freed(
        &mut self,
        sel: TermId,
        a: Option<&Rc<Freed>>,
        b: Option<&Rc<Freed>>,
    ) -> Option<Rc<Freed>> {
        if a == b {
            return a.cloned();
        }
        let no = self.arena.bool(false);
        let other = self.arena.not(sel);
        let mut either = |of: fn(&Freed) -> TermId| {
            let (x, y) = (a.map_or(no, |f| of(f)), b.map_or(no, |f| of(f)));
            let (x, y) = (self.arena.and(sel, x), self.arena.and(other, y));
            self.arena.or(x, y)
        };
        let (cond, with_context) = (either(|f| f.cond), either(|f| f.with_context));
        let mut at: Vec<Rc<Vec<Site>>> = vec![];
        for place in a.into_iter().chain(b).flat_map(|f| &f.at) {
            if !at.contains(place) {
                at.push(place.clone());
            }
        }
        Some(Rc::new(Freed { cond, with_context, at }))
    }

    /// Whether an object has been freed, as a condition.
    pub(in crate::symbolic) fn freed_when(&mut self, s: &State, o: ObjId) -> TermId {
        match s.mem.get(&self.several.freed_as(o)).and_then(|x| x.freed.as_ref()) {
            Some(f) => f.cond,
            None => self.arena.bool(false),
        }
    }

    /// Makes it so that an object has been freed under a condition, at one of the places where it ever is.
    pub(in crate::symbolic) fn set_freed(&mut self, s: &mut State, o: ObjId, cond: TermId) {
        self.ensure(s, o);
        let at = self.heap.freed_at(o).to_vec();
        let no = self.arena.bool(false);
        let with_context = s.mem.get(&o).and_then(|x| x.freed.as_ref()).map_or(no, |f| f.with_context);
        let freed = (self.arena.as_bool(cond) != Some(false)).then(|| Rc::new(Freed { cond, with_context, at }));
        if let Some(st) = s.mem.get_mut(&o) {
            Rc::make_mut(st).freed = freed;
        }
    }

    /// Whether an object has been freed at iteration `k` of a loop that may free it: before the loop, or in an earlier
    /// round. With the fact that there is no earlier round than the first.
    pub(in crate::symbolic) fn freed_in_loop(&mut self, before: TermId, o: ObjId, k: TermId) -> (TermId, TermId) {
        let reason = UnknownReason::FreedEarlier(self.object(o).name.clone());
        let earlier = self.arena.fresh_bool(SymKind::Unknown { reason }, "?");
        let one = self.arena.int(1);
        let (not, later) = (self.arena.not(earlier), self.arena.le(one, k));
        (self.arena.or(before, earlier), self.arena.or(not, later))
    }

    /// Notes an access or copy of what may have been freed. `stack` leads to it and ends with it.
    pub(in crate::symbolic) fn note_use(
        &mut self,
        s: &State,
        stack: &[Site],
        p: &[Target],
        kind: AccessKind,
        bytes: TermId,
    ) {
        if !self.events.recording {
            return;
        }
        for t in p {
            let Base::Object(o) = t.base else { continue };
            // What nobody has freed is used rightly.
            let Some(f) = s.mem.get(&self.several.freed_as(o)).and_then(|x| x.freed.clone()) else { continue };
            self.note_stale(s, stack.to_vec(), (o, t.cond), &f, Deed::Used { kind, offset: t.offset, bytes });
        }
    }

    fn note_stale(
        &mut self,
        s: &State,
        stack: Vec<Site>,
        (object, cond): (ObjId, TermId),
        freed: &Rc<Freed>,
        deed: Deed,
    ) {
        if !self.events.recording {
            return;
        }
        let path = self.arena.and_all(vec![s.path, cond, freed.cond]);
        if self.arena.as_bool(path) == Some(false) {
            return;
        }
        self.events.stale.push(StaleEvent { stack: Rc::new(stack), object, freed: freed.clone(), deed, path });
    }

    /// Notes one side of a copy or fill that a CUDA call makes: `bytes` bytes from where the pointer points.
    pub(crate) fn note_copy(&mut self, s: &State, p: &Rc<Vec<Target>>, bytes: TermId, kind: AccessKind) {
        if !self.events.recording || self.side != Side::Host {
            return;
        }
        let stack = Rc::new(self.stack.clone());
        let Some(side) = AccessEvent::without_targets(stack.clone(), bytes, kind, s.path) else { return };
        self.note_use(s, &stack, p, kind, bytes);
        let at = self.kernel.partitions.tick();
        let not_empty = self.nothing_empty(s);
        self.events.copies.push(CopyEvent { side: AccessEvent { targets: p.clone(), at, ..side }, not_empty });
    }

    /// That every allocation so far has at least one byte.
    fn nothing_empty(&mut self, s: &State) -> TermId {
        let mut extents: Vec<TermId> = s
            .mem
            .keys()
            .map(|o| self.object(o))
            .filter(|o| matches!(o.kind, ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap))
            .filter_map(|o| o.extent)
            .collect();
        extents.sort_unstable();
        extents.dedup();
        let one = self.arena.int(1);
        let all: Vec<TermId> = extents.into_iter().map(|t| self.arena.le(one, t)).collect();
        self.arena.and_all(all)
    }
}
