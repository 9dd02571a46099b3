//! Addresses of the allocations of a loop's iterations, as functions of the iteration ([`UninterpretedFunction::Made`]), and facts
//! about such memory.
//!
//! In: allocations that iterations make and keep in an array. Out: the summary object
//! ([`Several`](super::site_summary::SummaryObjects)) that stands for all iterations, objects for single elements, and the
//! effects that writes and frees through one name have on the others.

use super::object::{ObjId, ObjState, Object, UncoveredContents};
use super::site_summary::SiteSummary;
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use ir::Side;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Marks memory as possibly freed if another of its names was freed.
    pub(in crate::symbolic) fn free_other_names(&mut self, s: &mut State, o: ObjId, cond: TermId) {
        let Some(all) = self.several.clans.get(&o).copied() else { return };
        let Some(made) = self.several.iterations.get(&all).map(|r| r.made) else { return };
        for other in [made, all] {
            if other == o && o == made {
                continue;
            }
            let reason = UnknownReason::FreedByOtherName(self.object(other).name.clone());
            let maybe = self.arena.fresh_bool(SymKind::Unknown { reason }, "?");
            let both = self.arena.and(cond, maybe);
            self.ensure(s, other);
            let Some(before) = s.mem.get(&other).map(|x| x.freed.clone()) else { continue };
            let freed = self.freed_also(other, before, both);
            if let Some(st) = s.mem.get_mut(&other) {
                Rc::make_mut(st).freed = freed;
            }
        }
    }
}

impl MemoryDomain<'_> {
    /// Returns the address `at` of an object that an iteration allocates, as a function of the iteration `k`, and the
    /// summary object that stands for the allocations of all iterations; the array that stores the addresses must keep
    /// all of them. `end` is the state at the end of the iteration, `map` holds the loop's variables at iteration `k`;
    /// symbols before `mark.0` and contents up to `mark.1` are older than the loop.
    pub(in crate::symbolic) fn made_in_each_iteration(
        &mut self,
        at: TermId,
        end: &State,
        map: &FxHashMap<TermId, TermId>,
        mark: (usize, u32),
        k: TermId,
        (context, site): (u64, Site),
    ) -> Option<(TermId, ObjId)> {
        let Value::Ptr(p) = self.int_as_pointer(at) else { return None };
        let [GuardedTarget { base: Base::Object(made), offset, .. }] = p.as_slice() else { return None };
        let (made, offset) = (*made, *offset);
        if !self.heap.is_made_since(made, mark.1) || self.points_to.is_twin(made) {
            return None;
        }
        if !self.only_old(offset, mark.0, mark.1, Some(k)) {
            return None;
        }
        let freed = self.freed_when(end, made);
        if self.arena.as_bool(freed) != Some(false) {
            return None;
        }
        let size = self.object(made).extent?;
        let size = self.arena.substitute(size, map);
        if !self.only_old(size, mark.0, mark.1, Some(k)) {
            return None;
        }
        let varies = self.arena.cone(&[size]).contains(&k);
        let object = Object { extent: (!varies).then_some(size), ..self.object(made).clone() };
        let all = self.heap.allocate((context, site, made.0), object);
        // Addresses stored before may be any of these.
        self.points_to.add_twin(made, all);
        let each = varies.then_some((k, size));
        let spare = self
            .several
            .iterations
            .remove(&all)
            .map(|r| r.elements.into_iter().map(|e| e.1).chain(r.spare).collect())
            .unwrap_or_default();
        self.several.clans.extend([(made, all), (all, all)]);
        self.several
            .iterations
            .insert(all, SiteSummary { made, each, elements: vec![], spare, numbers: FxHashMap::default() });
        let address = self.address_of_iteration(all, k);
        Some((self.arena.add(address, offset), all))
    }

    fn size_element(&mut self, o: ObjId, number: TermId, (k, size): (TermId, TermId)) {
        let size = self.arena.substitute(size, &std::iter::once((k, number)).collect());
        self.heap.set_extent(o, size);
    }

    /// Starts an iteration: the loop's earlier allocations have unknown contents and are not freed.
    pub(in crate::symbolic) fn iterations_begin(&mut self, s: &mut State, all: ObjId) {
        let reason = Rc::new(UnknownReason::RoundsLeft(self.object(all).name.clone()));
        let version = self.heap.next_version();
        s.mem.insert(all, Rc::new(ObjState::new(UncoveredContents::Unknown { version, input: false, reason })));
    }

    /// Object to which the address of iteration `number`'s allocation leads.
    pub(in crate::symbolic) fn made_in_iteration(&mut self, all: ObjId, number: TermId) -> Option<ObjId> {
        let r = self.several.iterations.get(&all)?;
        let Some(each) = r.each else { return Some(all) };
        if let Some((_, o)) = r.elements.iter().find(|e| e.0 == number) {
            return Some(*o);
        }
        if let Some((o, _)) = r.numbers.iter().find(|n| *n.1 == number) {
            return Some(*o);
        }
        if r.elements.len() >= MAX_ELEMENTS {
            return None;
        }
        let spare = self.several.iterations.get_mut(&all).and_then(|r| {
            r.spare.pop_front().inspect(|o| {
                r.numbers.remove(o);
            })
        });
        let o = match spare {
            Some(o) => o,
            None => {
                let o = self.heap.add(self.object(all).clone());
                self.points_to.add_twin(all, o);
                self.several.clans.insert(o, all);
                o
            }
        };
        self.size_element(o, number, each);
        if let Some(r) = self.several.iterations.get_mut(&all) {
            r.elements.push((number, o));
        }
        Some(o)
    }

    /// Address of an object that stands for allocations of iterations, as an integer: the address from some iteration.
    pub(in crate::symbolic) fn address_of_several(&mut self, o: ObjId) -> Option<TermId> {
        if !self.several.has_other_names(o) {
            return None;
        }
        let all = *self.several.clans.get(&o)?;
        let r = self.several.iterations.get(&all)?;
        let known = r.elements.iter().find(|e| e.1 == o).map(|e| e.0).or_else(|| r.numbers.get(&o).copied());
        let number = known.unwrap_or_else(|| {
            self.arena.fresh(
                SymKind::Unknown { reason: UnknownReason::WhichRoundAllocated },
                "?",
                Interval::new(0, 1 << 62),
            )
        });
        if o != all
            && let Some(r) = self.several.iterations.get_mut(&all)
            && known.is_none()
        {
            r.numbers.insert(o, number);
        }
        Some(self.address_of_iteration(all, number))
    }

    /// Objects whose address a term of [`UninterpretedFunction::Made`] may be.
    pub(in crate::symbolic) fn made_by(&self, t: TermId) -> Vec<ObjId> {
        let Term::Apply { function: UninterpretedFunction::Made, args, .. } = self.arena.get(t) else { return vec![] };
        let all = args.first().and_then(|a| self.arena.as_int(*a)).and_then(|id| u32::try_from(id).ok()).map(ObjId);
        all.map_or_else(Vec::new, |all| self.several.names(all))
    }

    /// Havocs known contents that a write through this name may have changed under another name.
    pub(in crate::symbolic) fn written_by_another_name(&mut self, s: &mut State, o: ObjId, reason: &UnknownReason) {
        let names = self.several.names(o);
        for other in names {
            if other != o && !self.several.has_other_names(other) && s.mem.contains_key(&other) {
                self.blank(s, other, reason, false);
            }
        }
    }

    /// Whether an object's contents are never known, in a kernel or on the host.
    pub(in crate::symbolic) fn is_never_known(&self, o: ObjId) -> bool {
        self.several.has_other_names(o) || self.side == Side::Device && self.several.clans.contains_key(&o)
    }
}

impl Terms {
    fn address_of_iteration(&mut self, all: ObjId, k: TermId) -> TermId {
        let id = self.arena.int(i128::from(all.0));
        self.arena.apply(UninterpretedFunction::Made, vec![id, k], Interval::new(1 << 16, 1 << 56))
    }
}

/// Maximum number of elements of one array that have objects of their own: one for each symbol that counts elements in
/// some pass over a loop.
const MAX_ELEMENTS: usize = 512;
