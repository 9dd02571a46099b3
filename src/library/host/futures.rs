//! Tasks of `std::async`, and the waits of futures (libstdc++ 12 to 14, `future`).
//!
//! In: a call that starts a task, by which its shared state sets the result, or that waits for it. Out: the state behind the task's
//! function, without the machinery between them (`std::call_once`, `std::function`, an exception kept for `get`). The result, and
//! whether it is there, are unknown. The function of a `std::packaged_task` is not followed.

use super::cuda;
use super::cuda_memory::moved;
use super::host_threads;
use base::reasons::UnknownReason;
use engine::symbolic::exec::calls::mix;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use ir::reach::Mentions;
use ir::{FuncRef, Program};
use models::attributes::is_of_library;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// Makes what sets a result by a call: the addresses of the result and of the function with its arguments.
pub(super) const TASK_SETTER: &str = "_ZNSt13__future_base14_S_task_setterI";
/// Sets a result: `(this, setter, whether it may have been set)`.
pub(super) const SET_RESULT: &str = "_ZNSt13__future_base13_State_baseV213_M_set_resultE";

/// Offsets in a state, in bytes, of the pointer to its result and of the word that says that the result is there.
const RESULT: i128 = 8;
const STATUS: i128 = 16;

/// Makes the state of `std::async`, which starts its thread.
const MAKES_STATE: &str = "_ZSt11make_sharedINSt13__future_base17_Async_state_implI";

/// Offset of the thread in the state of `std::async`, in bytes.
const THREAD: i128 = 32;

/// Bits of a launch policy (C++ [futures.overview]): in a thread of its own, and where the result is asked for.
const ASYNC: i128 = 1;
const DEFERRED: i128 = 2;

/// Returns the nearest call operator of a function with its arguments (`std::thread::_Invoker`) that a function leads to.
fn invoker(program: &Program, from: FuncRef) -> Option<FuncRef> {
    let (mut seen, mut open) = (FxHashSet::default(), VecDeque::from([from]));
    while let Some(f) = open.pop_front() {
        let func = program.func(f);
        if func.name.starts_with("_ZNSt6thread8_InvokerI") && func.name.ends_with("clEv") {
            return Some(f);
        }
        if seen.insert(f) && !func.is_declaration() {
            let mentions = Mentions::of(program, f.module, &func.blocks);
            open.extend(mentions.called.into_iter().chain(mentions.named));
        }
    }
    None
}

/// Whether a task may throw: a function of the program that its call leads to by name, or that the task holds.
fn may_throw(e: &mut Executor<'_>, s: &State, invoker: FuncRef, task: &Value) -> bool {
    let program = e.program;
    let (mut seen, mut open) = (FxHashSet::default(), vec![invoker]);
    while let Some(f) = open.pop() {
        if !seen.insert(f) {
            continue;
        }
        let func = program.func(f);
        if func.is_declaration() || !is_of_library(&func.name) {
            if e.function_may_throw(f) {
                return true;
            }
            continue;
        }
        open.extend(Mentions::of(program, f.module, &func.blocks).called);
    }
    let Value::Ptr(places) = task else { return true };
    let cells: Vec<Value> = places
        .iter()
        .filter_map(|t| if let Base::Object(o) = t.base { s.mem.get(&o) } else { None })
        .flat_map(|st| st.cells.values())
        // A pointer to a method is a number (Itanium C++ ABI, 2.3).
        .filter(|(_, v)| matches!(v, Value::Ptr(_) | Value::Int(_)))
        .map(|(_, v)| v.clone())
        .collect();
    let held: Vec<FuncRef> = cells
        .iter()
        .flat_map(|v| e.as_pointer(v).iter().map(|t| t.base.clone()).collect::<Vec<_>>())
        .filter_map(|base| if let Base::Func(f) = base { Some(f) } else { None })
        .collect();
    held.into_iter().any(|f| e.function_may_throw(f))
}

/// Context of the function that the model of a call calls.
fn context_of(c: &LibraryCall<'_>) -> u64 {
    mix(c.context, c.site).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Calls the function of a task where its setter is made: it is set at once.
pub(super) fn run_task(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (Some(invoker), Some(task)) = (invoker(e.program, c.site.func), c.args.last().cloned()) else {
        // The function of a `std::packaged_task` is called where its result is set, which is not followed.
        e.limits.miss(|| UnknownReason::OtherHostThread);
        return Err(Box::new(s));
    };
    let throws = may_throw(e, &s, invoker, &task);
    let (mut args, mut held) = (vec![task], None);
    if e.program.func(invoker).params.len() > 1 {
        let result = scratch(e, c, &mut s, invoker, "the result of a task");
        args.insert(0, e.pointer(result, 0));
        held = Some(result);
    }
    let context = context_of(c);
    let before = s.clone();
    let after = e.call(invoker, args, s, context);
    // What it did before it ended the program, or threw, is not followed.
    if after.is_none() {
        e.limits.miss(|| UnknownReason::OtherHostThread);
    }
    let mut after = after.map_or_else(|| before.clone(), |(_, s)| s);
    if throws {
        let reason = UnknownReason::Caught;
        let threw = e.arena.fresh_bool(SymKind::Unknown { reason }, "?");
        let not = e.arena.not(threw);
        let thrown = e.after_thrown_task(before, invoker, &c.args[1..]);
        let both = [e.assume(after.clone(), not), e.assume(thrown, threw)];
        if let Some((merged, _)) = e.merge(both.into_iter().flatten().collect()) {
            after = merged;
        }
    }
    if let Some(result) = held {
        after.mem.remove(&result);
    }
    Ok(Some((Value::Aggregate(Rc::new(c.args.to_vec())), after)))
}

/// Leaves the result of a state unknown, and whether it is there.
pub(super) fn set_result(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let this = cuda::pointer_arg(e, c, 0);
    let reason = UnknownReason::ResultOf("a task".to_owned());
    let (result, status) = (moved(e, &this, RESULT), moved(e, &this, STATUS));
    let held = e.unknown_pointer(&reason);
    e.store_value(&mut s, &result, held, 8);
    let word = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::of_int(32, false));
    e.store_value(&mut s, &status, Value::Int(word), 4);
    super::no_value(s)
}

/// Starts a thread by `std::async`: `(future, policy, …)`. A call that may defer its function until the result is asked for is not
/// followed.
pub(super) fn start(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let policy = c.args.get(1).and_then(|v| if let Value::Int(t) = v { e.arena.as_int(*t) } else { None });
    let called = Mentions::of(e.program, c.func.module, &e.program.func(c.func).blocks).called;
    let makes = called.into_iter().find(|f| e.program.func(*f).name.starts_with(MAKES_STATE));
    let surely = policy.is_some_and(|p| p & ASYNC != 0 && p & DEFERRED == 0);
    let Some(makes) = makes.filter(|_| surely) else {
        let why = UnknownReason::OtherHostThread;
        e.start(&mut s, c.func, c.args, &why);
        return super::opaque(e, c, s, &why);
    };
    let owner = scratch(e, c, &mut s, makes, "the state of a task");
    let args: Vec<Value> = std::iter::once(e.pointer(owner, 0)).chain(c.args[2..].iter().cloned()).collect();
    let context = context_of(c);
    let before = s.clone();
    let Some((_, mut s)) = e.call(makes, args, s, context) else {
        e.limits.miss(|| UnknownReason::OtherHostThread);
        return Ok(Some((Value::unknown(UnknownReason::NoValue), before)));
    };
    let (future, Value::Ptr(from)) = (cuda::pointer_arg(e, c, 0), e.pointer(owner, 0)) else { return Ok(None) };
    for at in [0, 8] {
        let (from, to) = (moved(e, &from, at), moved(e, &future, at));
        let held = e.load_pointer(&mut s, &from);
        e.store_value(&mut s, &to, Value::Ptr(held), 8);
    }
    s.mem.remove(&owner);
    super::no_value(s)
}

/// Adds an object for what a function returns by address.
fn scratch(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, f: FuncRef, name: &str) -> ObjId {
    let (kind, name) = (ObjKind::HostLocal, name.to_owned());
    let object = Object { kind, name, extent: None, site: None, func: Some(f), array: true };
    let o = e.heap.allocate((c.context, c.site, 0), object);
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    o
}

/// Waits for the thread of a future: `get`, `wait` and the destructor. The result is unknown.
pub(super) fn wait(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let by_address = c.args.len() > 1;
    let future = cuda::pointer_arg(e, c, usize::from(by_address));
    let state = e.load_pointer(&mut s, &future);
    let thread = moved(e, &state, THREAD);
    // The result may be another thread's, which goes on.
    if !host_threads::join_at(e, &thread, &mut s) {
        e.lock_taken(&mut s);
    }
    if !c.display.contains("::wait(") {
        for at in [0, 8] {
            let (at, null) = (moved(e, &future, at), e.null());
            e.store_value(&mut s, &at, null, 8);
        }
    }
    let reason = UnknownReason::ResultOf("a task".to_owned());
    if by_address {
        e.clobber(&mut s, &c.args[..1], &reason);
    }
    let m = e.program.module(c.site.func.module);
    let result = e.unknown_of(m, c.ty, &reason);
    Ok(Some((result, s)))
}

/// Whether a method of a future waits for its thread.
pub(super) fn waits(c: &LibraryCall<'_>) -> bool {
    let method = c.display.strip_prefix("std::future<").or_else(|| c.display.strip_prefix("std::__basic_future<"));
    method.is_some_and(|m| {
        let name = m.rsplit("::").next().unwrap_or_default();
        ["get()", "wait() const", "wait()", "~future()", "~__basic_future()"].contains(&name)
    })
}
