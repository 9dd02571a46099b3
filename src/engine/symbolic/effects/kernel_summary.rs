//! The write set of a kernel at its launch: other device memory keeps its contents.
//!
//! In: a kernel, and the targets of its pointers. Out: the bytes that it may write, `None` if unknown. The kernel is
//! executed for one thread with these pointers at arbitrary offsets and with arbitrary numbers, so that one summary
//! serves every launch with such pointers. A pointer that it reads from memory may be any address: a store through it
//! may write anywhere, as may a call of unknown code.
//!
//! If its arguments lead to memory that contains pointers, the kernel is executed with these pointers, except those
//! that it may overwrite itself. The executor finds them by a fixpoint: it assumes that the kernel writes nowhere,
//! computes the write set, assumes that set, until nothing is added.

use super::shapes::{ArgumentShape, LaunchContents, MemberShapes};
use super::write_set::{Footprint, PartialWrites};
use crate::symbolic::exec::events::{LaunchAttributes, LaunchConfig, LaunchLimits};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::kernel::launch::{MAX_BLOCK, MAX_GRID, MAX_SHARED};
use crate::symbolic::limits::budget::{Allowance, Limit};
use crate::symbolic::memory::object::{Memory, ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::partition::Partitions;
use crate::symbolic::memory::value::collect;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::pointers::points_to::PointsTo;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::SymKind;
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use ir::FuncRef;
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Step limit of one summary.
const STEPS: u64 = 100_000;

/// Maximum number of fixpoint iterations.
const MAX_SUPPOSED: u32 = 6;

/// Maximum number of objects with pointers considered per launch, and of cells in each.
const MAX_HELD: usize = 16;
const MAX_CELLS: usize = 64;

/// Maximum number of summaries per program that distinguish offsets and the pointers in memory.
const MAX_EXACT: usize = 256;

const WHY: UnknownReason = UnknownReason::AnyLaunch;

impl Executor<'_> {
    /// Returns the bytes that a kernel with these arguments may write, except for a thread's own memory.
    pub(in crate::symbolic) fn written_by_kernel(
        &mut self,
        kernel: FuncRef,
        s: &State,
        args: &[Value],
    ) -> Option<Rc<Footprint>> {
        let held = if self.runtime.overlapping { None } else { self.held_at_launch(s, args) };
        if let Some(held) = held.as_ref().filter(|h| !h.is_empty())
            && let Some(written) = self.exact_effects_of(kernel, s, args, held)
        {
            return Some(written);
        }
        let shapes = self.shapes(kernel, s, args, false);
        let written = self.effects_of((kernel, shapes, vec![]))?;
        // If it stores pointers, a second execution tells which ones, and where.
        let exact = if written.has_pointers() {
            held.filter(LaunchContents::is_empty).and_then(|held| self.exact_effects_of(kernel, s, args, &held))
        } else {
            None
        };
        Some(exact.unwrap_or(written))
    }

    /// Records what a kernel may write which the executed one launches with these arguments, and those that it launches in its turn. Pointers in
    /// memory may be any then: the launching kernel may store them.
    pub fn note_written_by_launched(&mut self, kernel: FuncRef, s: &State, args: &[Value]) {
        let shapes = self.shapes(kernel, s, args, false);
        match self.effects_of((kernel, shapes, vec![])) {
            Some(written) => {
                let objects: Vec<ObjId> = written.objects().collect();
                self.note_written_beside(&objects, false);
            }
            None => self.note_written_beside(&[], true),
        }
    }

    /// Computes the write set with the exact offsets of its pointer arguments, up to [`MAX_EXACT`] such summaries.
    fn exact_effects_of(
        &mut self,
        kernel: FuncRef,
        s: &State,
        args: &[Value],
        held: &LaunchContents,
    ) -> Option<Rc<Footprint>> {
        let key = (kernel, self.shapes(kernel, s, args, true), held.clone());
        if !self.summaries.all.contains_key(&key) {
            if self.summaries.exact >= MAX_EXACT {
                return None;
            }
            self.summaries.exact += 1;
        }
        self.effects_of(key)
    }

    fn effects_of(&mut self, key: (FuncRef, Vec<ArgumentShape>, LaunchContents)) -> Option<Rc<Footprint>> {
        if let Some(known) = self.summaries.all.get(&key) {
            return known.clone();
        }
        // A kernel that comes to launch itself may write anything.
        if self.summaries.under_way.contains(&key.0) {
            return None;
        }
        self.summaries.under_way.push(key.0);
        let written = self.find_effects(key.0, &key.1, &key.2).map(Rc::new);
        self.summaries.under_way.pop();
        self.summaries.all.insert(key, written.clone());
        written
    }

    fn find_effects(&mut self, kernel: FuncRef, shapes: &[ArgumentShape], held: &LaunchContents) -> Option<Footprint> {
        let function = self.function(kernel);
        if function.is_declaration()
            || function.params.len() != shapes.len()
            || shapes.iter().any(|x| self.may_alias(x))
        {
            return None;
        }
        if held.iter().any(|(_, members)| members.cells.iter().any(|(.., x)| self.may_alias(x))) {
            return None;
        }
        charge_each(cost::OBJECT, self.points_to.size());
        let initial = self.heap.take_first();
        let given = Allowance { steps: STEPS, ..self.limits.left() };
        let (found, ..) = self.aside(given, |e| {
            let found = e.suppose(kernel, shapes, held);
            // Once the time is over, the host sees it at its next step.
            debug_assert!(e.limits.limit().is_none_or(|l| l != Limit::Steps) || found.is_none());
            found
        });
        self.heap.restore_first(initial);
        found
    }

    /// Executes `run` in a fresh kernel context with the budget `given`, without recording events, and then restores
    /// the host's context. Also returns the steps that it took, and its points-to sets. Initial contents of memory and
    /// versions of contents are not restored.
    pub(in crate::symbolic) fn aside<R>(
        &mut self,
        given: Allowance,
        run: impl FnOnce(&mut Self) -> R,
    ) -> (R, u64, PointsTo) {
        let (host, freed, kept) = (self.swap_out_host(given, false), self.heap.frees(), self.points_to.clone());
        let out = run(self);
        let ended = self.swap_in_host(host);
        self.heap.restore_frees(freed);
        (out, ended.steps, std::mem::replace(&mut self.points_to, kept))
    }

    fn suppose(&mut self, kernel: FuncRef, shapes: &[ArgumentShape], held: &LaunchContents) -> Option<Footprint> {
        let objects: FxHashSet<ObjId> = held.iter().map(|h| h.0).collect();
        let mut memory = Memory::default();
        for (o, members) in held {
            let state = self.with_pointers(members);
            memory.insert(*o, state);
        }
        let known_objects = self.heap.len();
        let mut written = Footprint::default();
        for _ in 0..MAX_SUPPOSED {
            self.kernel.beside = Some(Rc::new(PartialWrites {
                objects: objects.clone(),
                written: written.clone(),
                memory: memory.clone(),
            }));
            self.enter_with(kernel, shapes);
            let known = self.limits.is_whole() && !self.kernel.may_write_anywhere() && !self.kernel.unknown_code;
            let mut found = std::mem::take(&mut self.kernel.written);
            if !known {
                return None;
            }
            found.drop_pointers(|o| (o.0 as usize) < known_objects);
            let all = written.covers(&found, |o| objects.contains(&o));
            written.merge(&found);
            if all {
                return Some(written);
            }
        }
        None
    }

    fn enter_with(&mut self, kernel: FuncRef, shapes: &[ArgumentShape]) {
        self.kernel.partitions = Partitions::default();
        let first = self.arena.symbols().len();
        self.kernel.partitions.begin(first);
        let any = |e: &mut Self, most: i128, name: &str| {
            let most = e.most_launched(most);
            e.arena.fresh(SymKind::Unknown { reason: WHY }, name, Interval::new(1, most))
        };
        let config = LaunchConfig {
            grid: MAX_GRID.map(|m| any(self, m, "gridDim")),
            block: MAX_BLOCK.map(|m| any(self, m, "blockDim")),
            shared: any(self, MAX_SHARED, "dynamic shared memory"),
            stream: None,
            limits: LaunchLimits { threads: self.function(kernel).max_threads, ..LaunchLimits::default() },
            attributes: LaunchAttributes::default(),
        };
        let config = self.with_declared_block(kernel, config);
        let mut path = self.launch_axioms(&config);
        let thread = self.thread_symbols(&config);
        for i in 0..3 {
            path.push(self.arena.lt(thread.tid[i], config.block[i]));
            path.push(self.arena.lt(thread.bid[i], config.grid[i]));
        }
        let shared = self.heap.add(Object {
            kind: ObjKind::SharedDynamic,
            name: String::new(),
            extent: Some(config.shared),
            site: None,
            func: None,
            array: true,
        });
        self.kernel.thread = Some(crate::symbolic::kernel::context::ThreadIndices { shared: Some(shared), ..thread });
        let mut memory = Memory::default();
        let m = self.module(kernel);
        let params = &self.function(kernel).params;
        let args: Vec<Value> = params
            .iter()
            .zip(shapes)
            .map(|(p, shape)| match shape {
                ArgumentShape::Number => self.unknown_of(m, p.ty, &WHY),
                ArgumentShape::Pointer(bases) => self.pointer_to(bases),
                ArgumentShape::Structure(members) => {
                    let extent = p.byval.map(|ty| self.arena.int(i128::from(m.size_of(ty))));
                    let o = self.heap.add(Object {
                        kind: ObjKind::DeviceLocal,
                        name: p.name.clone(),
                        extent,
                        site: None,
                        func: Some(kernel),
                        array: false,
                    });
                    let state = self.with_pointers(members);
                    memory.insert(o, state);
                    self.pointer(o, 0)
                }
            })
            .collect();
        let mut state = self.initial_state();
        state.mem = memory;
        let path = self.arena.and_all(path);
        let Some(state) = self.assume(state, path) else {
            self.limits.give_up(UnknownReason::NoLaunchAtAll);
            return;
        };
        let mut h = rustc_hash::FxHasher::default();
        (kernel, self.heap.len(), "effects").hash(&mut h);
        drop(self.call(kernel, args, state, h.finish()));
    }
}

impl MemoryDomain<'_> {
    /// Returns the pointers in device memory that the arguments lead to; `None` if there are too many.
    fn held_at_launch(&self, s: &State, args: &[Value]) -> Option<LaunchContents> {
        let mut work = vec![];
        for a in args {
            collect(a, &mut work);
        }
        let mut variables: Vec<ObjId> =
            s.mem.keys().filter(|o| matches!(self.object(*o).kind, ObjKind::DeviceGlobal(_))).collect();
        variables.sort_unstable();
        work.extend(variables);
        let mut seen: FxHashSet<ObjId> = FxHashSet::default();
        let mut held = vec![];
        while let Some(o) = work.pop() {
            if !seen.insert(o) {
                continue;
            }
            // Memory without contents yet reads as unknown.
            let Some(state) = s.mem.get(&o) else { continue };
            for (_, v) in state.cells.values() {
                collect(v, &mut work);
            }
            // The host or any thread may change other memory meanwhile, so pointers in it read as unknown.
            if !matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))
                || self.is_never_known(o)
                || self.several.has_other_names(o)
            {
                continue;
            }
            let members = self.members_of(state, true);
            // Unlisted memory reads as unknown.
            if members.cells.is_empty() {
                continue;
            }
            if members.cells.len() > MAX_CELLS || held.len() >= MAX_HELD {
                if members.cells.iter().any(|(.., v)| matches!(v, ArgumentShape::Pointer(_))) {
                    return None;
                }
                continue;
            }
            held.push((o, members));
        }
        held.sort_unstable_by_key(|h: &(ObjId, MemberShapes)| h.0);
        Some(held)
    }

    /// Whether targets that the analysis distinguishes may be the same memory: targets of parameters with unknown
    /// callers.
    fn may_alias(&self, x: &ArgumentShape) -> bool {
        match x {
            ArgumentShape::Number => false,
            ArgumentShape::Pointer(bases) => bases
                .iter()
                .any(|(b, _)| matches!(b, Base::Object(o) if matches!(self.object(*o).kind, ObjKind::Parameter))),
            ArgumentShape::Structure(members) => members.cells.iter().any(|(.., m)| self.may_alias(m)),
        }
    }

    /// Returns memory that contains these pointers; all else is unknown, or never written if `else_unset`.
    fn with_pointers(&mut self, members: &MemberShapes) -> Rc<ObjState> {
        let version = self.heap.next_version();
        let mut state = ObjState::new(if members.else_unset {
            UncoveredContents::Uninit
        } else {
            UncoveredContents::Unknown { version, input: false, reason: Rc::new(WHY) }
        });
        for (at, size, member) in &members.cells {
            let held =
                if let ArgumentShape::Pointer(bases) = member { self.pointer_to(bases) } else { Value::unknown(WHY) };
            state.cells.insert(*at, (*size, held));
        }
        Rc::new(state)
    }
}

impl ValueDomain<'_> {
    fn shapes(&self, kernel: FuncRef, s: &State, args: &[Value], exact: bool) -> Vec<ArgumentShape> {
        self.function(kernel)
            .params
            .iter()
            .zip(args)
            .map(|(p, v)| match (p.byval, v) {
                (Some(_), Value::Ptr(p)) => match p.as_slice() {
                    [GuardedTarget { base: Base::Object(o), .. }] => self.members(s, *o, exact),
                    // Pointers in it are unknown: stores through them may go anywhere.
                    _ => ArgumentShape::Number,
                },
                _ => self.shape(v, exact),
            })
            .collect()
    }
}

impl Terms {
    fn shape(&self, v: &Value, exact: bool) -> ArgumentShape {
        let Value::Ptr(p) = v else { return ArgumentShape::Number };
        let at = |t: &GuardedTarget| if exact { self.constants(t.offset) } else { vec![None] };
        let mut bases: Vec<(Base, Option<i64>)> =
            p.iter().flat_map(|t| at(t).into_iter().map(|at| (t.base.clone(), at))).collect();
        bases.sort();
        bases.dedup();
        ArgumentShape::Pointer(bases)
    }

    /// Returns the pointers in a structure that is passed by value; its other members are arbitrary.
    fn members(&self, s: &State, o: ObjId, exact: bool) -> ArgumentShape {
        ArgumentShape::Structure(
            s.mem
                .get(&o)
                .filter(|st| !matches!(st.rest, UncoveredContents::Layer(_) | UncoveredContents::Either(_)))
                .map(|st| self.members_of(st, exact))
                .unwrap_or_default(),
        )
    }

    fn members_of(&self, state: &ObjState, exact: bool) -> MemberShapes {
        let else_unset = state.rest == UncoveredContents::Uninit;
        let cells = state
            .cells
            .iter()
            .map(|(at, (size, v))| (*at, *size, self.shape(v, exact)))
            .filter(|(.., v)| else_unset || matches!(v, ArgumentShape::Pointer(_)));
        MemberShapes { cells: cells.collect(), else_unset }
    }

    /// Returns a pointer to one of these bases, at an arbitrary offset where the offset is unknown.
    pub(in crate::symbolic) fn pointer_to(&mut self, bases: &[(Base, Option<i64>)]) -> Value {
        let mut rest = self.arena.bool(true);
        let mut targets = vec![];
        for (i, (base, at)) in bases.iter().enumerate() {
            let offset = match (base, at) {
                (Base::Null, _) => self.arena.int(0),
                (_, Some(at)) => self.arena.int(i128::from(*at)),
                _ => self.arena.fresh(SymKind::Unknown { reason: WHY }, "an offset", Interval::of_int(64, true)),
            };
            let here = if i + 1 == bases.len() {
                self.arena.bool(true)
            } else {
                self.arena.fresh_bool(SymKind::Unknown { reason: WHY }, "?")
            };
            let cond = self.arena.and(rest, here);
            let not = self.arena.not(here);
            rest = self.arena.and(rest, not);
            targets.push(GuardedTarget::new(cond, base.clone(), offset));
        }
        Value::Ptr(Rc::new(targets))
    }
}
