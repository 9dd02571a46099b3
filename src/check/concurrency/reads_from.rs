//! Reads-from: the values that a kernel may read from memory which its threads write. A value is the one at the
//! launch, or one that some store of some thread puts there.
//!
//! In: one launch's accesses, and terms. Out: a disjunction over the writes that each read in these terms may take
//! its value from (the reads-from relation of memory models, without any order between the writes). Every store
//! counts, whenever it happens. For shared memory, whose contents at the launch are unknown, it also matters whether
//! the thread itself has written to the address before, or another thread of the block before a barrier that both passed.

use super::invariants::is_regular;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, BarrierEvent, LaunchEvent, MemoryAfterWrite};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::context::ExchangedNumber;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::{Base, GuardedTarget};
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

/// Most integers of one query, and most stores that each may come from.
const NUMBERS: usize = 6;
const STORES: usize = 12;

/// A store of the kernel to one target, and the number of accesses recorded before it.
struct KernelStore<'a> {
    order: usize,
    ev: &'a AccessEvent,
    target: &'a GuardedTarget,
}

/// A launch, and the size of an object in bytes under its conditions.
pub(crate) struct Exchange<'a> {
    pub launch: &'a LaunchEvent,
    pub run: &'a KernelRun,
    pub extent: &'a dyn Fn(&mut Executor<'_>, ObjId) -> Option<TermId>,
}

impl Exchange<'_> {
    /// Returns the possible values of the integers read below the roots; `None` where nothing is known about any.
    pub fn facts(&self, e: &mut Executor<'_>, roots: &[TermId]) -> Option<TermId> {
        if self.run.exchanged.anywhere || self.run.gave_up.is_some() {
            return None;
        }
        let numbers: Vec<(SymId, ExchangedNumber)> =
            e.arena.symbols_of(roots).into_iter().filter_map(|s| Some((s, *e.loaded.get(&s)?))).take(NUMBERS).collect();
        let mut all = vec![];
        for (s, l) in numbers {
            all.extend(self.of_number(e, s, &l));
        }
        (!all.is_empty()).then(|| e.arena.and_all(all))
    }

    fn of_number(&self, e: &mut Executor<'_>, s: SymId, l: &ExchangedNumber) -> Option<TermId> {
        let (offset, path) = l.place?;
        if !is_regular(e, self.run, l) {
            return None;
        }
        let stores: Vec<KernelStore<'_>> = self
            .run
            .accesses
            .iter()
            .enumerate()
            .filter(|(_, ev)| ev.writes(l.object) && ev.stores != MemoryAfterWrite::Same)
            .flat_map(|(order, ev)| {
                ev.targets.iter().filter(|t| t.base == Base::Object(l.object)).map(move |target| KernelStore {
                    order,
                    ev,
                    target,
                })
            })
            .collect();
        if stores.len() > STORES {
            return None;
        }
        let number = e.arena.symbol_term(s);
        let extent = (self.extent)(e, l.object)?;
        let mut cases = vec![self.at_first(e, number, l, (offset, path), &stores)?, outside(e, offset, l.bits, extent)];
        for store in stores {
            cases.push(self.by_some_thread(e, number, l, offset, &store)?);
        }
        Some(e.arena.or_all(cases))
    }

    /// Builds the condition that the value is the one from the launch, and that the thread has not overwritten it on
    /// the same path, wherever it went since. Shared memory holds an arbitrary value at the launch.
    fn at_first(
        &self,
        e: &mut Executor<'_>,
        number: TermId,
        l: &ExchangedNumber,
        (offset, path): (TermId, TermId),
        stores: &[KernelStore<'_>],
    ) -> Option<TermId> {
        let way = e.arena.conjuncts(path);
        let mut before: Vec<TermId> = stores
            .iter()
            .filter(|s| s.order < l.order && s.ev.targets.len() == 1)
            .filter_map(|s| {
                // An atomic operation may leave the old value.
                if s.ev.kind != AccessKind::Write
                    || !e.arena.conjuncts(s.ev.path).iter().all(|c| way.contains(c))
                    || self.in_a_loop(e, s.ev)
                {
                    return None;
                }
                Some(e.arena.eq(s.target.offset, offset))
            })
            .collect();
        for store in stores {
            before.extend(self.before_a_barrier(e, l, (offset, &way), store));
        }
        let replaced = e.arena.or_all(before);
        let kept = e.arena.not(replaced);
        match e.object(l.object).kind {
            ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) if !e.runtime.overlapping => {
                let held = e.number_in(&self.launch.memory, l, offset)?;
                let held = signed(e, held, l.bits);
                let held = e.arena.eq(number, held);
                Some(e.arena.and(kept, held))
            }
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => Some(kept),
            _ => None,
        }
    }

    /// Builds conditions under which a thread of the block has stored to the offset before a barrier that it and the
    /// reading thread passed: the first thread, or the one whose number along x leads there.
    fn before_a_barrier(
        &self,
        e: &mut Executor<'_>,
        l: &ExchangedNumber,
        (offset, way): (TermId, &[TermId]),
        KernelStore { order, ev, target }: &KernelStore<'_>,
    ) -> Vec<TermId> {
        let of_block = is_of_block(e, l.object);
        let is_single = ev.kind == AccessKind::Write && ev.targets.len() == 1;
        if !of_block || !is_single {
            return vec![];
        }
        let of_store = e.arena.conjuncts(ev.path);
        let passed = &self.run.barriers[..l.barriers.min(self.run.barriers.len())];
        // The reading thread comes from the barrier, and the storing one goes on to it: its path leads there, or does as
        // far as all threads of the block agree.
        let passes = |e: &Executor<'_>, c: &TermId| way.contains(c) && (of_store.contains(c) || self.is_uniform(e, *c));
        let is_between =
            |b: &BarrierEvent| *order < b.accesses && e.arena.conjuncts(b.path).iter().all(|c| passes(e, c));
        if !passed.iter().any(is_between) || !e.assumptions.takes(Axiom::BlockBarriers) {
            return vec![];
        }
        // The storing thread runs the same iterations as the reading one of a loop whose conditions no thread differs in.
        let own = of_store.into_iter().filter(|c| !(way.contains(c) && self.is_of_iterations(e, *c)));
        let mut own: Vec<TermId> = own.collect();
        own.push(target.cond);
        let stored = [e.arena.and_all(own), target.offset];
        // Only the indices tell the storing thread from the reading one: no iteration of a loop does.
        if !self.depend_on(e, &stored, |kind| matches!(kind, SymKind::Thread(_) | SymKind::Block(_))) {
            return vec![];
        }
        let (zero, one) = (e.arena.int(0), e.arena.int(1));
        let of_thread = |x: TermId| FxHashMap::from_iter(self.run.thread.tid.into_iter().zip([x, zero, zero]));
        let mut threads = vec![zero];
        let [first, second] = [zero, one].map(|x| e.arena.substitute(target.offset, &of_thread(x)));
        let step = e.arena.sub(second, first);
        if let Some(step) = e.arena.as_int(step).filter(|s| *s > 0) {
            let from_first = e.arena.sub(offset, first);
            threads.push(e.arena.floor_div(from_first, step));
        }
        let mut all = vec![];
        for x in threads {
            let [way, at] = stored.map(|t| e.arena.substitute(t, &of_thread(x)));
            let (same, counts) = (e.arena.eq(at, offset), e.arena.le(zero, x));
            all.push(e.arena.and_all(vec![way, same, counts]));
        }
        all
    }

    /// Whether a condition is the same for all threads of a block.
    fn is_uniform(&self, e: &Executor<'_>, condition: TermId) -> bool {
        self.depend_on(e, &[condition], |kind| matches!(kind, SymKind::Block(_)))
    }

    /// Whether a condition depends on the block and on numbers of iterations alone.
    fn is_of_iterations(&self, e: &Executor<'_>, condition: TermId) -> bool {
        self.depend_on(e, &[condition], |kind| matches!(kind, SymKind::Block(_) | SymKind::Iteration { .. }))
    }

    /// Whether all that differs between threads in these terms is of some kinds.
    fn depend_on(&self, e: &Executor<'_>, terms: &[TermId], is_of: impl Fn(&SymKind) -> bool) -> bool {
        self.own(e, terms).into_iter().all(|s| is_of(&e.arena.symbol(s).kind))
            && !e.arena.cone(terms).into_iter().any(|t| of_own_memory(e, t).is_some())
    }

    fn in_a_loop(&self, e: &Executor<'_>, ev: &AccessEvent) -> bool {
        let mut terms = vec![ev.path];
        terms.extend(ev.targets.iter().flat_map(|t| [t.cond, t.offset]));
        self.own(e, &terms).into_iter().any(|s| matches!(e.arena.symbol(s).kind, SymKind::Iteration { .. }))
    }

    /// Builds the condition that a store put the value there, by any thread that can reach the same memory.
    fn by_some_thread(
        &self,
        e: &mut Executor<'_>,
        number: TermId,
        l: &ExchangedNumber,
        offset: TermId,
        KernelStore { ev, target, .. }: &KernelStore<'_>,
    ) -> Option<TermId> {
        // The result of an atomic operation on the old value may be any integer.
        let value = match ev.stores {
            MemoryAfterWrite::Value(v) => Some(signed(e, v, l.bits)),
            MemoryAfterWrite::Unknown | MemoryAfterWrite::Added { .. } | MemoryAfterWrite::Same => None,
        };
        let way = e.arena.and(ev.path, target.cond);
        let of_block = is_of_block(e, l.object);
        let mut other: FxHashMap<TermId, TermId> = FxHashMap::default();
        let all: Vec<TermId> = [way, target.offset].into_iter().chain(value).collect();
        for t in e.arena.cone(&all) {
            let Some(range) = of_own_memory(e, t) else { continue };
            let new = e.arena.fresh(SymKind::Unknown { reason: UnknownReason::OtherThreadHolds }, "?", range);
            other.insert(t, new);
        }
        for s in self.own(e, &all) {
            if of_block && matches!(e.arena.symbol(s).kind, SymKind::Block(_)) {
                continue;
            }
            let (old, new) = (e.arena.symbol_term(s), e.another(s));
            other.insert(old, new);
        }
        let [way, at] = [way, target.offset].map(|t| e.arena.substitute(t, &other));
        let same = e.arena.eq(at, offset);
        let is = match value {
            Some(v) => {
                let v = e.arena.substitute(v, &other);
                e.arena.eq(number, v)
            }
            None => e.arena.bool(true),
        };
        Some(e.arena.and_all(vec![way, same, is]))
    }

    /// Returns the symbols that differ in another thread, or in another iteration of the same one.
    fn own(&self, e: &Executor<'_>, terms: &[TermId]) -> Vec<SymId> {
        e.arena.symbols_of(terms).into_iter().filter(|s| *s >= self.run.own_from).collect()
    }
}

/// Whether an object is in the shared memory of a block.
fn is_of_block(e: &Executor<'_>, o: ObjId) -> bool {
    matches!(e.object(o).kind, ObjKind::SharedStatic(_) | ObjKind::SharedDynamic)
}

/// Returns the range of the contents or the address of thread-local memory, which differs in another thread.
pub(super) fn of_own_memory(e: &Executor<'_>, t: TermId) -> Option<Interval> {
    let Term::Apply { function: UninterpretedFunction::Content | UninterpretedFunction::Address, args, range } =
        e.arena.get(t)
    else {
        return None;
    };
    let object = u32::try_from(e.arena.as_int(*args.first()?)?).ok()?;
    matches!(e.object(ObjId(object)).kind, ObjKind::DeviceLocal).then_some(*range)
}

/// Builds the condition that a read of this many bits lies outside an object.
fn outside(e: &mut Executor<'_>, offset: TermId, bits: u32, extent: TermId) -> TermId {
    let (zero, end) = (e.arena.int(0), e.arena.add_const(offset, i128::from(bits / 8)));
    let (before, behind) = (e.arena.lt(offset, zero), e.arena.lt(extent, end));
    e.arena.or(before, behind)
}

/// Returns the signed integer that is read where a value was stored.
fn signed(e: &mut Executor<'_>, value: TermId, bits: u32) -> TermId {
    if Interval::of_int(bits, true).contains(e.arena.range(value)) {
        return value;
    }
    let half = 1i128 << (bits - 1);
    let up = e.arena.add_const(value, half);
    let cut = e.arena.modulo(up, half * 2);
    e.arena.add_const(cut, -half)
}
