//! Exceptions: the edges from calls to handlers (Itanium C++ ABI, Exception Handling).
//!
//! In: a call that may throw, and the state before and after it. Out: a state for its handler, if the function goes on
//! from there. There, everything that the callee could write before it threw is unknown. The executor does not follow
//! an edge to mere clean-up that launches nothing: the handler that catches the exception havocs all that the left
//! function may have done. The analysis assumes that memory is not exhausted and CUDA functions throw nothing. What code of
//! the exceptions themselves may change is in [`super::thrown_classes`].

use super::calls::calls_through_pointers;
use super::thrown_classes::ThrownClasses;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::SymKind;
use base::reasons::UnknownReason;
use ir::reach::Mentions;
use ir::{BlockId, Callee, FuncRef, Inst, Op, Operand, Side, Terminator, TypeId, ValueId};
use models::attributes::{calls_nothing, is_launch, is_of_c_interface, is_of_cuda, may_throw, may_throw_for_size};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Start of a `std::thread`, which throws where no thread is left.
const START_OF_THREAD: &str = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";

/// Runs the function of `std::async` in its thread, and sets the result (libstdc++ 14, `future`).
const RUN_OF_ASYNC: &str = "_ZNSt13__future_base17_Async_state_implI";

impl ExecutionContext<'_> {
    /// Returns the state in which an exception of a call reaches its handler, if the function goes on from there.
    pub(in crate::symbolic) fn thrown(
        &mut self,
        fr: &Activation,
        site: Site,
        (callee, args): (&Callee, &[Value]),
        before: State,
        ty: TypeId,
    ) -> Option<State> {
        let thrown = self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::Caught }, "?");
        let mut s = self.assume(before, thrown)?;
        match self.direct_callee(fr.func.module, callee) {
            // Neither writes what the program reads before it throws.
            Some(f) if ["__cxa_throw", START_OF_THREAD].contains(&self.function(f).name.as_str()) => {}
            Some(f) if !self.function(f).is_declaration() => {
                let m = self.module(fr.func);
                s = self.skip_call(f, args, s, (m, ty), (fr.context, site), &UnknownReason::Caught).1;
            }
            Some(f) => self.havoc_call(&mut s, &[f], args, &UnknownReason::Caught),
            None => {
                // The callee may be a function without a body, or one outside this list.
                self.havoc_call(&mut s, &[], args, &UnknownReason::Caught);
                for f in self.called_with(&vec![Scalar::Bytes; args.len()]) {
                    if self.function(f).is_declaration() {
                        self.havoc_call(&mut s, &[f], args, &UnknownReason::Caught);
                        continue;
                    }
                    let m = self.module(fr.func);
                    s = self.skip_call(f, args, s, (m, ty), (fr.context, site), &UnknownReason::Caught).1;
                }
            }
        }
        Some(s)
    }

    /// Whether a call may throw, and this function catches the exception and goes on.
    pub(in crate::symbolic) fn may_be_caught(
        &mut self,
        fr: &Activation,
        call: (&Callee, &[Operand]),
        unwind: BlockId,
    ) -> bool {
        self.side == Side::Host && self.may_throw(fr.func, call) && self.goes_on(fr.func, unwind)
    }

    /// Whether a call through a pointer calls a method of a caught object: the object that the handler received.
    pub(in crate::symbolic) fn is_of_caught(&mut self, f: FuncRef, args: &[Operand]) -> bool {
        let Some(Operand::Value(object)) = args.first() else { return false };
        self.caught_in(f).contains(object)
    }

    /// Returns the objects that a function catches, directly or as read from the variables of its handlers.
    fn caught_in(&mut self, f: FuncRef) -> &FxHashSet<ValueId> {
        let program = self.program;
        self.functions.caught.entry(f).or_insert_with(|| {
            let all = || program.func(f).blocks.iter().flat_map(|b| &b.insts);
            let begins = |i: &&Inst| matches!(&i.op, Op::Call { callee: Callee::Direct(g), .. } if program.func(program.resolve_func(f.module, *g)).name == "__cxa_begin_catch");
            let mut caught: FxHashSet<ValueId> = all().filter(begins).filter_map(|i| i.result).collect();
            let stored = |to_caught: bool| all().filter_map(|i| match &i.op {
                Op::Store { ptr: Operand::Value(to), value, .. } if matches!(value, Operand::Value(v) if caught.contains(v)) == to_caught => Some(*to),
                _ => None,
            }).collect::<FxHashSet<ValueId>>();
            let (variables, mut others) = (stored(true), stored(false));
            // Variables whose addresses go elsewhere.
            let mut note = |o: &Operand| if let Operand::Value(v) = o { others.insert(*v); };
            for b in &program.func(f).blocks {
                for i in &b.insts {
                    match &i.op { Op::Load { .. } => {} Op::Store { value, .. } => note(value), Op::Lifetime { .. } => {} op => op.operands(&mut note) }
                }
                b.term.operands(&mut note);
            }
            caught.extend(all().filter_map(|i| match &i.op { Op::Load { ptr: Operand::Value(p), .. } if variables.contains(p) && !others.contains(p) => i.result, _ => None }));
            caught
        })
    }

    /// Returns the blocks that a function reaches if nothing is thrown.
    fn unthrown_blocks(&mut self, f: FuncRef) -> &FxHashSet<BlockId> {
        let func = self.program.func(f);
        self.functions.unthrown.entry(f).or_insert_with(|| {
            let (mut plain, mut open) = (FxHashSet::default(), vec![BlockId(0)]);
            while let Some(b) = open.pop() {
                if !plain.insert(b) {
                    continue;
                }
                match &func.blocks[b.index()].term {
                    Terminator::Invoke { normal, .. } => open.push(*normal),
                    t => open.extend(t.successors()),
                }
            }
            plain
        })
    }

    fn may_throw(&mut self, caller: FuncRef, (callee, args): (&Callee, &[Operand])) -> bool {
        let Some(f) = self.direct_callee(caller.module, callee) else { return true };
        // The state of `std::async` keeps what its function throws, and sets its result once.
        if self.function(caller).name.starts_with(RUN_OF_ASYNC) {
            return false;
        }
        if may_throw_for_size(&self.function(f).name) {
            return !is_constant(args.first());
        }
        self.function_may_throw(f)
    }

    /// Whether a function of the program may throw, or call one that does.
    pub fn function_may_throw(&mut self, f: FuncRef) -> bool {
        if let Some(known) = self.functions.throws.get(&f) {
            return *known;
        }
        let named = self.globals_of(HostPart::Function(f));
        let throws = named.reached.iter().chain([&f]).any(|r| {
            let g = self.function(*r);
            g.is_declaration() && (may_throw(&g.name) || may_call_back(&g.name)) || self.allocates_by_size(*r)
        });
        self.functions.throws.insert(f, throws);
        throws
    }

    /// Returns the state in which a task has thrown, and its exception is kept: what it may have written is unknown. What it
    /// launched before is followed with the task; whether it freed memory of a device is not.
    pub fn after_thrown_task(&mut self, mut s: State, f: FuncRef, args: &[Value]) -> State {
        let named = self.globals_of(HostPart::Function(f));
        let ends = |name: &str| is_of_cuda(name) && ["Free", "Destroy", "Reset"].iter().any(|e| name.contains(e));
        let frees = named.reached.iter().any(|r| ends(&self.function(*r).name));
        match self.globals_written_by(f, |_| true) {
            Some(globals) if !frees => {
                let written: Vec<Value> = args.iter().cloned().chain(globals).collect();
                self.havoc_call(&mut s, &[], &written, &UnknownReason::Caught);
            }
            _ => self.limits.miss(|| UnknownReason::Caught),
        }
        s
    }

    /// Whether a function allocates by `new` with a size that is not a constant.
    fn allocates_by_size(&self, f: FuncRef) -> bool {
        let by_size = |callee: &Callee, args: &[Operand]| {
            let called = self.direct_callee(f.module, callee);
            called.is_some_and(|g| may_throw_for_size(&self.function(g).name)) && !is_constant(args.first())
        };
        self.function(f).blocks.iter().any(|b| {
            let called = |i: &Inst| matches!(&i.op, Op::Call { callee, args } if by_size(callee, args));
            b.insts.iter().any(called)
                || matches!(&b.term, Terminator::Invoke { callee, args, .. } if by_size(callee, args))
        })
    }

    /// Whether a function returns to its caller or to its other code from a handler, or its handler or clean-up
    /// launches. For `main` the former counts only if something is then done on a device.
    fn goes_on(&mut self, f: FuncRef, unwind: BlockId) -> bool {
        if let Some(known) = self.functions.handlers.get(&(f, unwind)) {
            return *known;
        }
        let func = self.function(f);
        let (mut seen, mut open) = (FxHashSet::default(), vec![unwind]);
        while let Some(b) = open.pop() {
            if seen.insert(b) {
                open.extend(func.blocks[b.index()].term.successors());
            }
        }
        let back = seen.iter().any(|b| matches!(func.blocks[b.index()].term, Terminator::Ret(_)))
            || !self.unthrown_blocks(f).is_disjoint(&seen);
        let mut mentions = Mentions::of(self.program, f.module, seen.iter().map(|b| &func.blocks[b.index()]));
        mentions.indirect = self.calls_through_pointers(f, &seen);
        let thrown = self.thrown_classes();
        let on = if back && func.name != "main"
            || thrown.destructors.iter().any(|d| self.limits.effort().leads_to_cuda(*d))
        {
            true
        } else if back {
            !self.limits.effort().are_harmless(&mentions)
        } else {
            self.limits.effort().reaches(&mentions, |g| is_launch(&self.function(g).name))
        };
        self.functions.handlers.insert((f, unwind), on);
        on
    }

    /// Numbers of arguments of these blocks' calls through pointers, except for methods of a caught object.
    fn calls_through_pointers(&mut self, f: FuncRef, blocks: &FxHashSet<BlockId>) -> BTreeSet<usize> {
        let func = self.function(f);
        let harmless = self.thrown_classes().methods.is_empty();
        blocks
            .iter()
            .flat_map(|b| calls_through_pointers(&func.blocks[b.index()]))
            .filter(|args| !(harmless && self.is_of_caught(f, args)))
            .map(<[_]>::len)
            .collect()
    }
}

impl ExecutionContext<'_> {
    /// Returns the functions of thrown classes that may change more than the exception.
    pub(super) fn thrown_classes(&mut self) -> Rc<ThrownClasses> {
        if let Some(known) = &self.functions.thrown {
            return known.clone();
        }
        let found = Rc::new(ThrownClasses::of(self.program, self.limits.effort().taken()));
        self.functions.thrown = Some(found.clone());
        found
    }

    /// Havocs what destructors of exceptions may change, if this function of the C++ library may run one.
    pub(super) fn may_destroy_exceptions(&mut self, s: &mut State, name: &str) {
        // Owners of exceptions, in the C++ library.
        const OWNERS: [&str; 3] = ["13exception_ptr", "16nested_exception", "13__future_base"];
        if name != "__cxa_end_catch" && !OWNERS.iter().any(|owner| name.contains(owner)) {
            return;
        }
        let thrown = self.thrown_classes();
        if !thrown.destructors.is_empty() {
            let why = UnknownReason::Caught;
            self.havoc_call(s, &thrown.destructors, &[Value::unknown(why.clone())], &why);
        }
    }
}

const fn is_constant(size: Option<&Operand>) -> bool {
    matches!(size, Some(Operand::Const(_)))
}

/// Whether a function in C without a body may call one of the program, which may throw (C++ [alg.c.library]).
fn may_call_back(name: &str) -> bool {
    !name.starts_with("_Z") && !calls_nothing(name) && !is_of_c_interface(name)
}
