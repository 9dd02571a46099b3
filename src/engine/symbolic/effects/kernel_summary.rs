//! What a kernel may write, found out where the host launches it: the rest of the device's memory stays as it is.
//!
//! In: a kernel, and where its pointers lead. Out: where it writes, `None` where that is not known. It is executed for one thread with
//! these pointers at any offset and every number arbitrary, so that one answer serves each launch with such pointers. What it reads
//! of memory may be any address: a store through one is to any place, and so is a call of code that is not known.
//!
//! Where its arguments lead to memory with pointers in it, it is executed with these. Those that it may overwrite itself are not
//! known: suppose that it writes nowhere, see where it then does, suppose that, until nothing is added.

use super::shapes::{Held, Members, Shape};
use super::write_set::{Beside, Footprint};
use crate::symbolic::exec::events::{Events, LaunchAttributes, LaunchConfig, LaunchLimits};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::kernel::launch::{MAX_BLOCK, MAX_GRID, MAX_SHARED};
use crate::symbolic::limits::budget::{Allowance, Limit};
use crate::symbolic::memory::object::{Memory, ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::partition::Partitions;
use crate::symbolic::memory::value::collect;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::SymKind;
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use ir::{FuncRef, Side};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Steps for one answer.
const STEPS: u64 = 100_000;

/// How often it is supposed where a kernel writes.
const MAX_SUPPOSED: u32 = 6;

/// Objects with pointers that are looked at for one launch, and cells of each.
const MAX_HELD: usize = 16;
const MAX_CELLS: usize = 64;

/// Answers with offsets and the pointers that memory holds, for one program.
const MAX_EXACT: usize = 256;

const WHY: UnknownReason = UnknownReason::AnyLaunch;

impl Executor<'_> {
    /// Where a kernel with these arguments may write, but for a thread's own memory.
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
        // Which pointers it stores, and where, is worth another look.
        let exact = if written.has_pointers() {
            held.filter(Held::is_empty).and_then(|held| self.exact_effects_of(kernel, s, args, &held))
        } else {
            None
        };
        Some(exact.unwrap_or(written))
    }

    /// With the offsets of the pointers that it is given, as long as there are few answers like that.
    fn exact_effects_of(&mut self, kernel: FuncRef, s: &State, args: &[Value], held: &Held) -> Option<Rc<Footprint>> {
        let key = (kernel, self.shapes(kernel, s, args, true), held.clone());
        if !self.summaries.all.contains_key(&key) {
            if self.summaries.exact >= MAX_EXACT {
                return None;
            }
            self.summaries.exact += 1;
        }
        self.effects_of(key)
    }

    fn effects_of(&mut self, key: (FuncRef, Vec<Shape>, Held)) -> Option<Rc<Footprint>> {
        if let Some(known) = self.summaries.all.get(&key) {
            return known.clone();
        }
        let written = self.find_effects(key.0, &key.1, &key.2).map(Rc::new);
        self.summaries.all.insert(key, written.clone());
        written
    }

    fn shapes(&self, kernel: FuncRef, s: &State, args: &[Value], exact: bool) -> Vec<Shape> {
        self.function(kernel)
            .params
            .iter()
            .zip(args)
            .map(|(p, v)| match (p.byval, v) {
                (Some(_), Value::Ptr(p)) => match p.as_slice() {
                    [Target { base: Base::Object(o), .. }] => self.members(s, *o, exact),
                    // Pointers in it are unknown, stores through them may go anywhere.
                    _ => Shape::Number,
                },
                _ => self.shape(v, exact),
            })
            .collect()
    }

    fn shape(&self, v: &Value, exact: bool) -> Shape {
        let Value::Ptr(p) = v else { return Shape::Number };
        let at = |t: &Target| if exact { self.constants(t.offset) } else { vec![None] };
        let mut bases: Vec<(Base, Option<i64>)> =
            p.iter().flat_map(|t| at(t).into_iter().map(|at| (t.base.clone(), at))).collect();
        bases.sort();
        bases.dedup();
        Shape::Pointer(bases)
    }

    /// The pointers in a structure that is passed by value; what else it holds is arbitrary.
    fn members(&self, s: &State, o: ObjId, exact: bool) -> Shape {
        Shape::Structure(
            s.mem
                .get(&o)
                .filter(|st| !matches!(st.rest, Rest::Layer(_) | Rest::Either(_)))
                .map(|st| self.members_of(st, exact))
                .unwrap_or_default(),
        )
    }

    fn members_of(&self, state: &ObjState, exact: bool) -> Members {
        let else_unset = state.rest == Rest::Uninit;
        let cells = state
            .cells
            .iter()
            .map(|(at, (size, v))| (*at, *size, self.shape(v, exact)))
            .filter(|(.., v)| else_unset || matches!(v, Shape::Pointer(_)));
        Members { cells: cells.collect(), else_unset }
    }

    /// The pointers in device memory that the arguments lead to; `None` where there are too many.
    fn held_at_launch(&self, s: &State, args: &[Value]) -> Option<Held> {
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
            // What has no contents yet is read as unknown.
            let Some(state) = s.mem.get(&o) else { continue };
            for (_, v) in state.cells.values() {
                collect(v, &mut work);
            }
            // Pointers in other memory, which the host or any thread may change meanwhile, are read as unknown.
            if !matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))
                || self.is_never_known(o)
                || self.several.has_other_names(o)
            {
                continue;
            }
            let members = self.members_of(state, true);
            // What is not listed is read as unknown.
            if members.cells.is_empty() {
                continue;
            }
            if members.cells.len() > MAX_CELLS || held.len() >= MAX_HELD {
                if members.cells.iter().any(|(.., v)| matches!(v, Shape::Pointer(_))) {
                    return None;
                }
                continue;
            }
            held.push((o, members));
        }
        held.sort_unstable_by_key(|h: &(ObjId, Members)| h.0);
        Some(held)
    }

    /// Whether these are told apart although they may be the same memory: what parameters of unknown callers point to.
    fn may_alias(&self, x: &Shape) -> bool {
        match x {
            Shape::Number => false,
            Shape::Pointer(bases) => bases
                .iter()
                .any(|(b, _)| matches!(b, Base::Object(o) if matches!(self.object(*o).kind, ObjKind::Parameter))),
            Shape::Structure(members) => members.cells.iter().any(|(.., m)| self.may_alias(m)),
        }
    }

    fn find_effects(&mut self, kernel: FuncRef, shapes: &[Shape], held: &Held) -> Option<Footprint> {
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
        charge_each(cost::OBJECT, self.kept.size());
        let (kept, initial) = (self.kept.clone(), self.heap.take_first());
        let given = Allowance { steps: STEPS, ..self.limits.left() };
        let (found, _) = self.aside(given, |e| {
            let found = e.suppose(kernel, shapes, held);
            // Where the time is over the host learns it at its next step.
            debug_assert!(e.limits.limit().is_none_or(|l| l != Limit::Steps) || found.is_none());
            found
        });
        self.kept = kept;
        self.heap.restore_first(initial);
        found
    }

    /// Executes a kernel in a fresh kernel context which may take so much, records no events, and then restores the host's; with the
    /// steps that it took. What memory holds at first, numbers of contents and points-to sets are not restored.
    pub(in crate::symbolic) fn aside<R>(&mut self, given: Allowance, run: impl FnOnce(&mut Self) -> R) -> (R, u64) {
        let side = std::mem::replace(&mut self.side, Side::Device);
        let kernel = std::mem::take(&mut self.kernel);
        let events = std::mem::replace(&mut self.events, Events::new(false));
        let stack = std::mem::take(&mut self.stack);
        let around = self.limits.begin_aside(given);
        let freed = self.heap.frees();

        let out = run(self);

        let (taken, _) = self.limits.end_aside(around);
        (self.side, self.kernel, self.events, self.stack) = (side, kernel, events, stack);
        self.heap.restore_frees(freed);
        (out, taken)
    }

    fn suppose(&mut self, kernel: FuncRef, shapes: &[Shape], held: &Held) -> Option<Footprint> {
        let objects: FxHashSet<ObjId> = held.iter().map(|h| h.0).collect();
        let mut memory = Memory::default();
        for (o, members) in held {
            let state = self.with_pointers(members);
            memory.insert(*o, state);
        }
        let known_objects = self.heap.len();
        let mut written = Footprint::default();
        for _ in 0..MAX_SUPPOSED {
            self.kernel.beside =
                Some(Rc::new(Beside { objects: objects.clone(), written: written.clone(), memory: memory.clone() }));
            self.enter_with(kernel, shapes);
            let known = self.limits.is_whole() && !self.kernel.written_anywhere && !self.kernel.unknown_code;
            let mut found = std::mem::take(&mut self.kernel.written);
            if !known {
                return None;
            }
            found.forget_pointers(|o| (o.0 as usize) < known_objects);
            let all = written.covers(&found, |o| objects.contains(&o));
            written.merge(&found);
            if all {
                return Some(written);
            }
        }
        None
    }

    /// Memory that holds these pointers, and anything else; or nothing else that was ever written.
    fn with_pointers(&mut self, members: &Members) -> Rc<ObjState> {
        let version = self.heap.next_version();
        let mut state = ObjState::new(if members.else_unset {
            Rest::Uninit
        } else {
            Rest::Unknown { version, input: false, reason: Rc::new(WHY) }
        });
        for (at, size, member) in &members.cells {
            let held = if let Shape::Pointer(bases) = member { self.pointer_to(bases) } else { Value::unknown(WHY) };
            state.cells.insert(*at, (*size, held));
        }
        Rc::new(state)
    }

    fn enter_with(&mut self, kernel: FuncRef, shapes: &[Shape]) {
        self.kernel.partitions = Partitions::default();
        self.kernel.partitions.begin(self.arena.symbols().len());
        let any = |e: &mut Self, most: i128, name: &str| {
            let most = e.most_launched(most);
            e.arena.fresh(SymKind::Unknown { reason: WHY }, name, Range::new(1, most))
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
        self.kernel.thread = Some(crate::symbolic::kernel::context::Thread { shared: Some(shared), ..thread });
        let mut memory = Memory::default();
        let m = self.module(kernel);
        let params = &self.function(kernel).params;
        let args: Vec<Value> = params
            .iter()
            .zip(shapes)
            .map(|(p, shape)| match shape {
                Shape::Number => self.unknown_of(m, p.ty, &WHY),
                Shape::Pointer(bases) => self.pointer_to(bases),
                Shape::Structure(members) => {
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

    /// A pointer to any offset in one of these, where no offset is known.
    fn pointer_to(&mut self, bases: &[(Base, Option<i64>)]) -> Value {
        let mut rest = self.arena.bool(true);
        let mut targets = vec![];
        for (i, (base, at)) in bases.iter().enumerate() {
            let offset = match (base, at) {
                (Base::Null, _) => self.arena.int(0),
                (_, Some(at)) => self.arena.int(i128::from(*at)),
                _ => self.arena.fresh(SymKind::Unknown { reason: WHY }, "an offset", Range::of_int(64, true)),
            };
            let here = if i + 1 == bases.len() {
                self.arena.bool(true)
            } else {
                self.arena.fresh_bool(SymKind::Unknown { reason: WHY }, "?")
            };
            let cond = self.arena.and(rest, here);
            let not = self.arena.not(here);
            rest = self.arena.and(rest, not);
            targets.push(Target::new(cond, base.clone(), offset));
        }
        Value::Ptr(Rc::new(targets))
    }
}
