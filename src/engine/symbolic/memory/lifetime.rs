//! Lifetimes: which memory has been freed, under which condition and where, or registered with devices; later uses of
//! it, and copies by the host.
//!
//! In: frees, accesses and copies as the executor reaches them. Out: [`StaleEvent`]s, each with the condition under
//! which it meets freed memory, and copies as [`CopyEvent`]s. Satisfiability of these conditions is not checked here.

use super::object::{FreeState, ObjId, ObjKind};
use super::value::{Base, GuardedTarget};
use crate::symbolic::exec::events::{AccessEvent, AccessKind, CopyEvent, StaleEvent, StaleOperation};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::Side;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Whether two objects may have the same address: they were given under two names, or one may have been allocated
    /// where the other was freed on any path.
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

    /// Frees the pointee. Only the start of an allocation can be freed; null does nothing.
    pub fn release(&mut self, s: &mut State, p: &[GuardedTarget]) {
        let zero = self.arena.int(0);
        for t in p {
            let Base::Object(o) = t.base else {
                // `release_lost` frees through lost pointers; null and functions are not freed.
                continue;
            };
            // Nobody frees variables, a thread's own memory, or memory of a library or the system.
            if !matches!(
                self.object(o).kind,
                ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap | ObjKind::Parameter
            ) {
                continue;
            }
            // The allocation failed on this path: there is nothing to free.
            if self.is_null_here(s, o) {
                continue;
            }
            let at_start = self.arena.eq(t.offset, zero);
            let cond = self.arena.and(t.cond, at_start);
            // The pointer never points to the start.
            if self.arena.as_bool(cond) == Some(false) {
                continue;
            }
            self.free_other_names(s, o, cond);
            if self.several.has_other_names(o) {
                continue;
            }
            self.ensure(s, o);
            self.note_free(s, o);
            let Some(before) = s.mem.get(&o).map(|x| x.freed.clone()) else { continue };
            if let Some(f) = &before {
                let not_refused = self.arena.not(f.with_context);
                let again = self.arena.and(cond, not_refused);
                self.note_stale(s, self.stack.clone(), (o, again), f, StaleOperation::FreedAgain);
            }
            let freed = self.freed_also(o, before, cond);
            if let Some(st) = s.mem.get_mut(&o) {
                Rc::make_mut(st).freed = freed;
            }
        }
    }

    /// Frees through lost pointers: each device, managed or given allocation to which one may lead becomes possibly
    /// freed.
    pub fn release_lost(&mut self, s: &mut State, p: &[GuardedTarget]) {
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
        // An object that this path has not allocated cannot be freed.
        let Some(before) = s.mem.get(&o).map(|x| x.freed.clone()) else { return };
        self.note_free(s, o);
        let reason = UnknownReason::FreedThroughLost(self.object(o).name.clone());
        let perhaps = self.arena.fresh_bool(SymKind::Unknown { reason }, "?");
        let cond = self.arena.and(cond, perhaps);
        let freed = self.freed_also(o, before, cond);
        if let Some(st) = s.mem.get_mut(&o) {
            Rc::make_mut(st).freed = freed;
        }
    }

    /// Frees all memory from the runtime together with its device's context (`cudaDeviceReset`); `certain` if that
    /// device is the only one in use. Memory of another device is not freed.
    pub fn end_context(&mut self, s: &mut State, certain: bool) {
        self.end_images(s, &[]);
        let mut all: Vec<ObjId> = s
            .mem
            .keys()
            .filter(|o| matches!(self.object(*o).kind, ObjKind::DeviceHeap | ObjKind::Managed))
            .map(|o| self.several.freed_as(o))
            .collect();
        all.sort_unstable();
        all.dedup();
        for o in all {
            self.note_free(s, o);
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
                Rc::make_mut(st).freed = Some(Rc::new(FreeState { with_context, ..(*freed).clone() }));
            }
        }
    }

    /// Joins an earlier free state with a free under `cond` at the present call stack.
    pub(in crate::symbolic) fn freed_also(
        &mut self,
        o: ObjId,
        before: Option<Rc<FreeState>>,
        cond: TermId,
    ) -> Option<Rc<FreeState>> {
        let mut now = match before {
            Some(f) => (*f).clone(),
            None => {
                let no = self.arena.bool(false);
                FreeState { cond: no, with_context: no, at: vec![] }
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

    /// Sets the condition under which an object has been freed; the free sites are all that were ever recorded for it.
    pub(in crate::symbolic) fn set_freed(&mut self, s: &mut State, o: ObjId, cond: TermId) {
        self.ensure(s, o);
        let at = self.heap.freed_at(o).to_vec();
        let no = self.arena.bool(false);
        let with_context = s.mem.get(&o).and_then(|x| x.freed.as_ref()).map_or(no, |f| f.with_context);
        let freed = (self.arena.as_bool(cond) != Some(false)).then(|| Rc::new(FreeState { cond, with_context, at }));
        if let Some(st) = s.mem.get_mut(&o) {
            Rc::make_mut(st).freed = freed;
        }
    }

    /// Records an access or copy of possibly freed memory. `stack` leads to it and ends with it.
    pub(in crate::symbolic) fn note_use(
        &mut self,
        s: &State,
        stack: &[Site],
        p: &[GuardedTarget],
        kind: AccessKind,
        bytes: TermId,
    ) {
        if !self.events.recording {
            return;
        }
        for t in p {
            let Base::Object(o) = t.base else { continue };
            // Memory that was never freed may be used.
            let Some(f) = s.mem.get(&self.several.freed_as(o)).and_then(|x| x.freed.clone()) else { continue };
            self.note_stale(s, stack.to_vec(), (o, t.cond), &f, StaleOperation::Used { kind, offset: t.offset, bytes });
        }
    }

    fn note_stale(
        &mut self,
        s: &State,
        stack: Vec<Site>,
        (object, cond): (ObjId, TermId),
        freed: &Rc<FreeState>,
        deed: StaleOperation,
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

    /// Records one side of a copy or fill made by a CUDA call: `bytes` bytes from the pointer on.
    pub fn note_copy(&mut self, s: &State, p: &Rc<Vec<GuardedTarget>>, bytes: TermId, kind: AccessKind) {
        if !self.events.recording || self.side != Side::Host {
            return;
        }
        let stack = Rc::new(self.stack.clone());
        let Some(side) = AccessEvent::without_targets(stack.clone(), bytes, kind, s.path) else { return };
        let used = self.objects_at(s, p);
        self.use_of_graph_memory(s, &used, "a copy");
        self.note_use(s, &stack, p, kind, bytes);
        let at = self.kernel.partitions.tick();
        let not_empty = self.nothing_empty(s);
        self.events.copies.push(CopyEvent { side: AccessEvent { targets: p.clone(), at, ..side }, not_empty });
    }
}

impl MemoryDomain<'_> {
    /// Registers host memory with devices (`cudaHostRegister`); the registration is taken to last.
    pub fn register(&mut self, s: &State, p: &[GuardedTarget]) {
        let objects = self.objects_at(s, p);
        self.heap.register(objects);
    }

    /// Condition under which an object has been freed.
    pub(in crate::symbolic) fn freed_when(&mut self, s: &State, o: ObjId) -> TermId {
        match s.mem.get(&self.several.freed_as(o)).and_then(|x| x.freed.as_ref()) {
            Some(f) => f.cond,
            None => self.arena.bool(false),
        }
    }

    /// Condition that an object has been freed at iteration `k` of a loop that may free it: before the loop or in an
    /// earlier iteration. The second term is the fact that the first iteration has no earlier one.
    pub(in crate::symbolic) fn freed_in_loop(&mut self, before: TermId, o: ObjId, k: TermId) -> (TermId, TermId) {
        let reason = UnknownReason::FreedEarlier(self.object(o).name.clone());
        let earlier = self.arena.fresh_bool(SymKind::Unknown { reason }, "?");
        let one = self.arena.int(1);
        let (not, later) = (self.arena.not(earlier), self.arena.le(one, k));
        (self.arena.or(before, earlier), self.arena.or(not, later))
    }

    /// Condition that every allocation so far has at least one byte.
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

impl Terms {
    /// Joins the free states of two merged paths; `sel` is true on the first.
    pub(in crate::symbolic) fn merge_freed(
        &mut self,
        sel: TermId,
        a: Option<&Rc<FreeState>>,
        b: Option<&Rc<FreeState>>,
    ) -> Option<Rc<FreeState>> {
        if a == b {
            return a.cloned();
        }
        let no = self.arena.bool(false);
        let other = self.arena.not(sel);
        let mut either = |of: fn(&FreeState) -> TermId| {
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
        Some(Rc::new(FreeState { cond, with_context, at }))
    }
}
