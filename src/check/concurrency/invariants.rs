//! Invariants of memory that the threads of one kernel write, for every interleaving: `parent[v]` stays an index if
//! it was one at the launch and threads store only indices.
//!
//! In: one launch's accesses. Out: bounds on the integers that its kernel reads from such memory. The algorithm is
//! Houdini (Flanagan and Leino, FME 2001) with thread-modular proofs (Flanagan and Qadeer, SPIN 2003). Candidates are
//! the bounds that the kernel's own indices need. A candidate holds where the launch's contents satisfy it and every
//! store of any thread does, assuming the candidates for the integers read before: by induction over time. Every read
//! must then lie in its object, since memory beyond it may hold anything; that is shown by induction too.

use super::bounds::{ContentBound, Invariants};
use super::cursors::{self, Additions};
use super::known::KnownBounds;
use crate::context::{CheckContext, RootTools};
use crate::obligations::cone;
use crate::obligations::obligation::{Decision, Obligation};
use engine::symbolic::exec::events::{AccessEvent, AccessKind, LaunchEvent, MemoryAfterWrite};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::context::ExchangedNumber;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::loops::quantified_facts;
use engine::symbolic::memory::object::{Memory, ObjId, ObjKind};
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, Term, TermId};

/// Most candidates for one launch.
const MAX: usize = 8;

impl Invariants {
    /// Finds the invariants of a launch. `extent` returns an object's size in bytes under the launch's conditions;
    /// `asked` are bounds that the launch must establish.
    pub fn of(
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        launch: &LaunchEvent,
        run: &KernelRun,
        extent: &dyn Fn(&mut Executor<'_>, ObjId) -> Option<TermId>,
        (asked, known): (Vec<ContentBound>, KnownBounds),
    ) -> Self {
        if run.exchanged.anywhere || tools.e.runtime.overlapping || run.gave_up.is_some() {
            return Self { operations: known.operations().to_vec(), known, bounds: vec![] };
        }
        let mut all = Self { bounds: asked, known, operations: vec![] };
        for b in candidates(&mut tools.e, launch, run, extent) {
            if !all.bounds.iter().any(|o| o.is(&b.loaded, b.below)) {
                all.bounds.push(b);
            }
        }
        while !all.bounds.is_empty() {
            all.operations = all.known.operations().to_vec();
            if let Some(broken) = (0..all.bounds.len()).find(|i| !all.holds(cx, tools, *i, launch, run, extent)) {
                all.bounds.remove(broken);
                continue;
            }
            let Some(outside) = all.read_outside(cx, tools, run, extent) else { return all };
            all.bounds.retain(|b| b.loaded.object != outside);
        }
        all.operations = all.known.operations().to_vec();
        all
    }

    fn with_facts(&self, e: &mut Executor<'_>, facts: TermId, roots: &[TermId]) -> TermId {
        let mut all = roots.to_vec();
        all.push(facts);
        match self.facts(e, &all) {
            Some(more) => e.arena.and(facts, more),
            None => facts,
        }
    }

    /// Decides one obligation under the bounds, and records the operations that must not wrap.
    fn shown(&mut self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, o: Obligation) -> bool {
        let facts = self.with_facts(&mut tools.e, o.facts, &[o.offset, o.bytes, o.extent]);
        if tools.e.arena.as_bool(facts) == Some(false) {
            return true;
        }
        match tools.decide_roughly(cx, &Obligation { facts, ..o }).decision {
            Decision::Safe => true,
            Decision::SafeIfNoWrap(ops) => {
                for op in ops {
                    if !self.operations.contains(&op) {
                        self.operations.push(op);
                    }
                }
                true
            }
            Decision::Fails(_) | Decision::Unknown(_) => false,
        }
    }

    /// Decides one obligation under the bounds in machine arithmetic: that nothing wraps is what a claim says.
    fn shown_exactly(&self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, o: Obligation) -> bool {
        let facts = self.with_facts(&mut tools.e, o.facts, &[o.offset, o.bytes, o.extent]);
        tools.e.arena.as_bool(facts) == Some(false)
            || matches!(tools.decide_roughly(cx, &Obligation { facts, ..o }).decision, Decision::Safe)
    }

    /// Shows `0 <= number < below` under these facts.
    fn within(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        b: ContentBound,
        facts: TermId,
        number: TermId,
    ) -> bool {
        let number = tools.e.interpret(number, b.loaded.bits, true);
        let one = tools.e.arena.int(1);
        self.shown(cx, tools, Obligation { facts, offset: number, bytes: one, extent: b.below })
    }

    fn is_never(&mut self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, facts: TermId) -> bool {
        let (before, one, nothing) = (tools.e.arena.int(-1), tools.e.arena.int(1), tools.e.arena.int(0));
        self.shown(cx, tools, Obligation { facts, offset: before, bytes: one, extent: nothing })
    }

    /// Returns whether the bound holds for the contents at the launch; `runs`: the launch surely runs.
    fn holds_before(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        b: ContentBound,
        launch: &LaunchEvent,
        size: TermId,
        runs: bool,
    ) -> bool {
        let Some((held, inside)) = element(&mut tools.e, &launch.memory, &b.loaded, size) else { return false };
        let checked = quantified_facts::instances(&mut tools.e.arena, &launch.always, &[held]);
        if is_open(&mut tools.e, &self.known, held, checked.is_some()) {
            return false;
        }
        let mut facts = cone::conditions(&tools.e, launch);
        if runs {
            facts.extend(tools.e.launch_axioms(&launch.config));
        }
        facts.push(inside);
        facts.extend(checked);
        let facts = tools.e.arena.and_all(facts);
        self.within(cx, tools, b, facts, held)
    }

    fn holds(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        i: usize,
        launch: &LaunchEvent,
        run: &KernelRun,
        extent: &dyn Fn(&mut Executor<'_>, ObjId) -> Option<TermId>,
    ) -> bool {
        let b = self.bounds[i];
        let o = b.loaded.object;
        if !is_regular(&mut tools.e, run, &b.loaded) {
            return false;
        }
        let Some(size) = extent(&mut tools.e, o) else { return false };
        match cursors::additions(&mut tools.e, run, o) {
            None => self.holds_with(cx, tools, (i, b), launch, run, size),
            Some(ways) => ways.into_iter().any(|way| {
                let Some(rest) = self.below_additions(cx, tools, b, launch, &way) else { return false };
                self.holds_with(cx, tools, (i, rest), launch, run, size)
            }),
        }
    }

    /// Returns the bound that integers must keep, so that they keep `b` whatever threads add to them. `None` if the
    /// additions themselves may exceed it.
    fn below_additions(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        b: ContentBound,
        launch: &LaunchEvent,
        way: &Additions,
    ) -> Option<ContentBound> {
        let e = &mut tools.e;
        // The sum must not leave the width either.
        let most = e.arena.int(1 << (b.loaded.bits.min(64) - 1));
        let below = e.arena.min(b.below, most);
        let below = e.arena.sub(below, way.total);
        let one = e.arena.int(1);
        if let Some(top) = way.top {
            let mut facts = cone::conditions(e, launch);
            facts.extend(e.launch_axioms(&launch.config));
            let facts = e.arena.and_all(facts);
            if !self.shown(cx, tools, Obligation { facts, offset: top, bytes: one, extent: below }) {
                return None;
            }
        }
        let mut claims = way.claims.iter();
        let shown = claims.all(|c| {
            self.shown_exactly(cx, tools, Obligation { facts: c.facts, offset: c.number, bytes: one, extent: c.below })
        });
        shown.then_some(ContentBound { below, ..b })
    }

    /// Whether bound `i` holds if integers are below `b` at the launch and after every store, additions apart.
    fn holds_with(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        (i, b): (usize, ContentBound),
        launch: &LaunchEvent,
        run: &KernelRun,
        size: TermId,
    ) -> bool {
        let o = b.loaded.object;
        // At the launch, wherever it is read.
        if !self.holds_before(cx, tools, b, launch, size, true) {
            return false;
        }
        self.bounds[i].left = b.left && self.holds_before(cx, tools, b, launch, size, false);
        // After every store.
        for ev in run.accesses.iter().filter(|ev| ev.writes(o)) {
            for t in ev.targets.iter().filter(|t| t.base == Base::Object(o)) {
                let facts = tools.e.arena.and(ev.path, t.cond);
                let kept = match ev.stores {
                    MemoryAfterWrite::Same | MemoryAfterWrite::Added { .. } => true,
                    MemoryAfterWrite::Value(v) => self.within(cx, tools, b, facts, v),
                    MemoryAfterWrite::Unknown => self.is_never(cx, tools, facts),
                };
                if !kept {
                    return false;
                }
            }
        }
        true
    }

    /// Returns an object with bounds from which a read may lie outside.
    fn read_outside(
        &mut self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &KernelRun,
        extent: &dyn Fn(&mut Executor<'_>, ObjId) -> Option<TermId>,
    ) -> Option<ObjId> {
        let objects: Vec<ObjId> = self.bounds.iter().map(|b| b.loaded.object).collect();
        for ev in run.accesses.iter().filter(|ev| ev.kind != AccessKind::Write) {
            for t in ev.targets.iter() {
                let Base::Object(o) = t.base else { continue };
                if !objects.contains(&o) {
                    continue;
                }
                let Some(extent) = extent(&mut tools.e, o) else { return Some(o) };
                let facts = tools.e.arena.and(ev.path, t.cond);
                if !self.shown(cx, tools, Obligation { facts, offset: t.offset, bytes: ev.bytes, extent }) {
                    return Some(o);
                }
            }
        }
        None
    }
}

/// Returns an arbitrary integer of an object, and the condition that it lies inside.
pub(crate) fn element(
    e: &mut Executor<'_>,
    memory: &Memory,
    l: &ExchangedNumber,
    size: TermId,
) -> Option<(TermId, TermId)> {
    let width = i128::from(l.bits / 8);
    let element =
        e.arena.fresh(SymKind::Iteration { name: "an element".into() }, "an element", Interval::new(0, 1 << 62));
    let offset = e.arena.scale(element, width);
    let held = e.number_in(memory, l, offset)?;
    let end = e.arena.add_const(offset, width);
    Some((held, e.arena.le(end, size)))
}

/// Whether nothing is known about an integer in memory, or about an unchecked element that a loop sets.
pub(crate) fn is_open(e: &mut Executor<'_>, known: &KnownBounds, held: TermId, checked: bool) -> bool {
    if checked || known.facts(e, &[held]).is_some() {
        return false;
    }
    open_elements(e, held)
        || matches!(e.arena.get(held), Term::Sym(_))
        || matches!(e.arena.get(held), Term::Apply { .. }) && !cone::unknowns(e, &[held]).is_empty()
}

/// Whether a kernel accesses the integer's object only in aligned steps of that integer's width, so that no store
/// changes a part of it.
pub(crate) fn is_regular(e: &mut Executor<'_>, run: &KernelRun, l: &ExchangedNumber) -> bool {
    let width = i128::from(l.bits / 8);
    !run.exchanged.otherwise.contains(&l.object)
        && run
            .accesses
            .iter()
            .flat_map(|ev| ev.targets.iter().map(move |t| (ev, t)))
            .filter(|(_, t)| t.base == Base::Object(l.object))
            .all(|(ev, t)| {
                e.arena.as_int(ev.bytes) == Some(width) && {
                    let into = e.arena.modulo(t.offset, width);
                    e.arena.as_int(into) == Some(0)
                }
            })
}

/// Whether some branch of a value is an arbitrary result of a loop.
fn open_elements(e: &Executor<'_>, value: TermId) -> bool {
    match e.arena.get(value) {
        Term::Ite(_, a, b) => open_elements(e, *a) || open_elements(e, *b),
        Term::Apply { function, .. } => matches!(function, UninterpretedFunction::Round(_)),
        _ => false,
    }
}

/// Returns the bounds that indices of the kernel need.
fn candidates(
    e: &mut Executor<'_>,
    launch: &LaunchEvent,
    run: &KernelRun,
    extent: &dyn Fn(&mut Executor<'_>, ObjId) -> Option<TermId>,
) -> Vec<ContentBound> {
    let mut out: Vec<ContentBound> = vec![];
    for loaded in cursors::all(e, run) {
        // A cursor is not negative, wherever its value goes.
        if is_kept(e, launch, loaded.object) && out.len() < MAX {
            let below = e.arena.int(1 << (loaded.bits.min(64) - 1));
            out.push(ContentBound { loaded, below, left: false });
        }
    }
    for ev in &run.accesses {
        for (loaded, c, o) in indices(e, ev) {
            let kept = is_kept(e, launch, loaded.object);
            let Some(size) = extent(e, o).filter(|_| kept && out.len() < MAX) else { continue };
            let below = e.arena.floor_div(size, c);
            // A counter of elements is as large as their number in the end.
            let below = if cursors::is_cursor(run, loaded.object) { e.arena.add_const(below, 1) } else { below };
            if !out.iter().any(|b| b.is(&loaded, below)) {
                out.push(ContentBound { loaded, below, left: false });
            }
        }
    }
    out
}

/// Whether only the launch's threads write an object while it runs.
fn is_kept(e: &Executor<'_>, launch: &LaunchEvent, o: ObjId) -> bool {
    launch.memory.contains_key(&o) && matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))
}

/// Returns integers read from memory that an access uses as an index, each with the element size in bytes and the
/// object.
fn indices(e: &Executor<'_>, ev: &AccessEvent) -> Vec<(ExchangedNumber, i128, ObjId)> {
    let mut out = vec![];
    for t in ev.targets.iter() {
        let Base::Object(o) = t.base else { continue };
        for (m, c) in e.arena.poly(t.offset).terms {
            if c <= 0 {
                continue;
            }
            for n in e.arena.cone(&m) {
                if let Term::Sym(s) = e.arena.get(n)
                    && let Some(l) = e.loaded.get(s)
                {
                    out.push((*l, c, o));
                }
            }
        }
    }
    out
}
