//! What a kernel may write, found out where the host launches it: the rest of the device's memory stays as it is.
//!
//! In: a kernel, and where its pointers lead. Out: the objects that it writes, `None` where these are not known. It is executed for one
//! thread with these pointers at any offset and every number arbitrary, so that one answer serves each launch with such pointers.
//! What it reads of memory may be any address: a store through one is to any place, and so is a call of code that is not known.

use super::budget::Limit;
use super::exec::{Executor, LaunchConfig, State};
use super::memory::{Memory, ObjId, ObjKind, ObjState, Object, Rest};
use super::partition::Partitions;
use super::term::{Range, SymKind};
use super::value::{Base, Target, Value};
use crate::ir::{FuncRef, Side};
use crate::kernel::launch::{MAX_BLOCK, MAX_GRID, MAX_SHARED};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Steps for one answer.
const STEPS: u64 = 100_000;

const WHY: &str = "an argument of any launch";

/// What is known of an argument: where it points to, or a structure's members at their offsets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape { Number, Pointer(Vec<Base>), Structure(Vec<(i64, u32, Shape)>) }

/// Answers by kernel and arguments.
pub(super) type Effects = FxHashMap<(FuncRef, Vec<Shape>), Option<Rc<FxHashSet<ObjId>>>>;

fn shape(v: &Value) -> Shape {
    let Value::Ptr(p) = v else { return Shape::Number };
    let mut bases: Vec<Base> = p.iter().map(|t| t.base.clone()).collect();
    bases.sort();
    bases.dedup();
    Shape::Pointer(bases)
}

impl Executor<'_> {
    /// The objects but for a thread's own that a kernel with these arguments may write.
    pub(super) fn written_by_kernel(&mut self, kernel: FuncRef, s: &State, args: &[Value]) -> Option<Rc<FxHashSet<ObjId>>> {
        let shapes: Vec<Shape> = self.function(kernel).params.iter().zip(args).map(|(p, v)| match (p.byval, v) {
            (Some(_), Value::Ptr(p)) => match p.as_slice() { [Target { base: Base::Object(o), .. }] => self.members(s, *o), _ => Shape::Number },
            _ => shape(v),
        }).collect();
        let key = (kernel, shapes);
        if let Some(known) = self.effects.get(&key) { return known.clone(); }
        let written = self.find_effects(kernel, &key.1).map(Rc::new);
        self.effects.insert(key, written.clone());
        written
    }

    /// The pointers in a structure that is passed by value; what else it holds is arbitrary.
    fn members(&self, s: &State, o: ObjId) -> Shape {
        let Some(state) = s.mem.get(&o).filter(|st| !matches!(st.rest, Rest::Layer(_) | Rest::Either(_))) else { return Shape::Structure(vec![]) };
        Shape::Structure(state.cells.iter().map(|(at, (size, v))| (*at, *size, shape(v))).filter(|(.., v)| matches!(v, Shape::Pointer(_))).collect())
    }

    /// Whether these are told apart although they may be the same memory: what parameters of unknown callers point to.
    fn may_alias(&self, x: &Shape) -> bool {
        match x {
            Shape::Number => false,
            Shape::Pointer(bases) => bases.iter().any(|b| matches!(b, Base::Object(o) if matches!(self.object(*o).kind, ObjKind::Parameter))),
            Shape::Structure(members) => members.iter().any(|(.., m)| self.may_alias(m)),
        }
    }

    fn find_effects(&mut self, kernel: FuncRef, shapes: &[Shape]) -> Option<FxHashSet<ObjId>> {
        let function = self.function(kernel);
        if function.is_declaration() || function.params.len() != shapes.len() || shapes.iter().any(|x| self.may_alias(x)) { return None; }
        // All that the execution of a kernel leaves in the executor is as it was afterwards.
        let side = std::mem::replace(&mut self.side, Side::Device);
        let recording = std::mem::replace(&mut self.recording, false);
        let steps = std::mem::replace(&mut self.budget.steps, STEPS);
        let (stack, partitions, unaligned) = (std::mem::take(&mut self.stack), std::mem::take(&mut self.partitions), std::mem::take(&mut self.unaligned));
        let (accesses, stale) = (std::mem::take(&mut self.accesses), std::mem::take(&mut self.stale));
        let (gave_up, missed, limit) = (self.gave_up.take(), self.missed.take(), self.limit.take());
        let (kept, freed, notes) = (self.kept.clone(), self.freed_at.clone(), self.notes.len());
        let (written, otherwise) = (std::mem::take(&mut self.written), std::mem::take(&mut self.written_otherwise));
        let anywhere = std::mem::replace(&mut self.written_anywhere, false);
        let unknown_code = std::mem::replace(&mut self.unknown_code, false);
        let (stable, thread) = (self.stable.take(), self.thread.take());
        let initial = std::mem::take(&mut self.initial);

        self.enter_with(kernel, shapes);
        let known = self.gave_up.is_none() && self.missed.is_none() && !self.written_anywhere && !self.unknown_code;
        let found = std::mem::replace(&mut self.written, written);
        // Where the time is over the host learns it at its next step.
        debug_assert!(self.limit.is_none_or(|l| l != Limit::Steps) || !known);

        (self.side, self.recording, self.budget.steps, self.stack, self.partitions, self.unaligned) = (side, recording, steps, stack, partitions, unaligned);
        (self.accesses, self.stale, self.gave_up, self.missed, self.limit) = (accesses, stale, gave_up, missed, limit);
        (self.kept, self.freed_at, self.written_otherwise, self.written_anywhere, self.unknown_code) = (kept, freed, otherwise, anywhere, unknown_code);
        (self.stable, self.thread, self.initial) = (stable, thread, initial);
        self.notes.truncate(notes);
        known.then_some(found)
    }

    fn enter_with(&mut self, kernel: FuncRef, shapes: &[Shape]) {
        self.partitions = Partitions::default();
        self.partitions.begin(self.arena.symbols().len());
        let any = |e: &mut Self, most: i128, name: &str| e.arena.fresh(SymKind::Unknown { reason: WHY.into() }, name, Range::new(1, most));
        let config = LaunchConfig { grid: MAX_GRID.map(|m| any(self, m, "gridDim")), block: MAX_BLOCK.map(|m| any(self, m, "blockDim")), shared: any(self, MAX_SHARED, "dynamic shared memory") };
        let mut path = self.launch_axioms(&config);
        let thread = self.thread_symbols(&config);
        for i in 0..3 {
            path.push(self.arena.lt(thread.tid[i], config.block[i]));
            path.push(self.arena.lt(thread.bid[i], config.grid[i]));
        }
        let shared = self.new_object(Object { kind: ObjKind::SharedDynamic, name: String::new(), extent: Some(config.shared), site: None, func: None, array: true });
        self.thread = Some(super::exec::Thread { shared: Some(shared), ..thread });
        let mut memory = Memory::default();
        let m = self.module(kernel);
        let params = &self.function(kernel).params;
        let args: Vec<Value> = params.iter().zip(shapes).map(|(p, shape)| match shape {
            Shape::Number => self.unknown_of(m, p.ty, WHY),
            Shape::Pointer(bases) => self.pointer_to(bases),
            Shape::Structure(members) => {
                let extent = p.byval.map(|ty| self.arena.int(i128::from(m.size_of(ty))));
                let o = self.new_object(Object { kind: ObjKind::DeviceLocal, name: p.name.clone(), extent, site: None, func: Some(kernel), array: false });
                let version = self.next_version();
                let mut state = ObjState::new(Rest::Unknown { version, input: false, reason: Rc::from(WHY) });
                for (at, size, member) in members { if let Shape::Pointer(bases) = member { state.cells.insert(*at, (*size, self.pointer_to(bases))); } }
                memory.insert(o, Rc::new(state));
                self.pointer(o, 0)
            }
        }).collect();
        let mut state = self.initial_state();
        state.mem = memory;
        let path = self.arena.and_all(path);
        let Some(state) = self.assume(state, path) else { self.give_up("no launch at all"); return };
        let mut h = rustc_hash::FxHasher::default();
        (kernel, self.objects.len(), "effects").hash(&mut h);
        drop(self.call(kernel, args, state, h.finish()));
    }

    /// A pointer to any offset in one of these.
    fn pointer_to(&mut self, bases: &[Base]) -> Value {
        let mut rest = self.arena.bool(true);
        let mut targets = vec![];
        for (i, base) in bases.iter().enumerate() {
            let offset = if matches!(base, Base::Null) { self.arena.int(0) } else { self.arena.fresh(SymKind::Unknown { reason: WHY.into() }, "an offset", Range::of_int(64, true)) };
            let here = if i + 1 == bases.len() { self.arena.bool(true) } else { self.arena.fresh_bool(SymKind::Unknown { reason: WHY.into() }, "?") };
            let cond = self.arena.and(rest, here);
            let not = self.arena.not(here);
            rest = self.arena.and(rest, not);
            targets.push(Target::new(cond, base.clone(), offset));
        }
        Value::Ptr(Rc::new(targets))
    }
}
