//! Regions of OpenMP as clang lowers them (LLVM 22, openmp/runtime/src/kmp.h): each is executed for one arbitrary thread of its team,
//! which gets arbitrary parts of the iterations of a loop.

use super::cuda;
use super::cuda_memory::moved;
use super::host_threads::{critical, function, run};
use super::libc;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::calls::mix;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use std::rc::Rc;

/// Regions, their loops and critical sections.
pub(super) const OPENMP: HostTable = &[
    (&["__kmpc_fork_call"], |e, c, s| region(e, c, s)),
    (&["__kmpc_for_static_init_4", "__kmpc_for_static_init_4u"], |e, c, s| own_iterations(e, c, s, 4)),
    (&["__kmpc_for_static_init_8", "__kmpc_for_static_init_8u"], |e, c, s| own_iterations(e, c, s, 8)),
    (&["__kmpc_critical", "__kmpc_critical_with_hint"], |e, c, s| critical(e, c, s)),
    (&["__kmpc_reduce", "__kmpc_reduce_nowait"], |e, c, s| reduce(e, c, s)),
    (&["__kmpc_single", "__kmpc_master", "__kmpc_masked"], |e, _, s| one_of_them(e, s)),
    (&["__kmpc_barrier", "__kmpc_flush", "__kmpc_end_taskgroup"], |e, c, s| critical(e, c, s)),
    (&["__kmpc_omp_taskwait", "__kmpc_omp_taskyield"], |e, c, s| task_wait(e, c, s)),
    (&["__kmpc_omp_task_alloc"], |e, c, s| new_task(e, c, s)),
    (&["__kmpc_omp_task", "__kmpc_omp_task_with_deps"], |e, c, s| task(e, c, s)),
    (
        &["__kmpc_dispatch_init_4", "__kmpc_dispatch_init_4u", "__kmpc_dispatch_init_8", "__kmpc_dispatch_init_8u"],
        |e, c, s| share_iterations(e, c, s),
    ),
    (&["__kmpc_dispatch_next_4", "__kmpc_dispatch_next_4u"], |e, c, s| next_iterations(e, c, s, 4)),
    (&["__kmpc_dispatch_next_8", "__kmpc_dispatch_next_8u"], |e, c, s| next_iterations(e, c, s, 8)),
    (
        &[
            "__kmpc_end_critical",
            "__kmpc_end_master",
            "__kmpc_end_masked",
            "__kmpc_end_single",
            "__kmpc_taskgroup",
            "__kmpc_push_proc_bind",
            "__kmpc_end_reduce",
            "__kmpc_end_reduce_nowait",
            "__kmpc_dispatch_deinit",
            "__kmpc_for_static_fini",
            "__kmpc_push_num_threads",
        ],
        |_, _, s| super::no_value(s),
    ),
];

/// `(place, number of arguments, function, arguments …)`: each thread of a team calls the function, with two addresses of thread
/// numbers before the arguments.
fn region(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let f = cuda::pointer_arg(e, c, 2);
    let Some(f) = function(&f).filter(|f| !e.program.func(*f).is_declaration()) else { return Err(Box::new(s)) };
    let reason = UnknownReason::OtherHostThread;
    // What a region without device work writes is lost.
    if !e.limits.effort().leads_to_cuda(f) {
        return Err(Box::new(s));
    }
    let mut s = s;
    let kind = ObjKind::HostHeap;
    let number =
        Object { kind, name: String::new(), extent: Some(e.arena.int(4)), site: None, func: None, array: true };
    let o = e.heap.allocate((c.context, c.site, 1), number);
    let rest =
        UncoveredContents::Unknown { version: e.heap.next_version(), input: false, reason: Rc::new(reason.clone()) };
    s.mem.insert(o, Rc::new(ObjState::new(rest)));
    let number = e.pointer(o, 0);
    let mut args = vec![number.clone(), number];
    args.extend(c.args.iter().skip(3).cloned());
    let before = s.clone();
    let Some(mut s) = run(e, c, &[f], &args, s, (true, None)) else {
        e.limits.miss(|| reason.clone());
        return super::no_value(before);
    };
    // What one thread stores, each may store.
    let (changed, freed) = e.changed_since(&before, &s);
    if freed {
        e.limits.miss(|| reason.clone());
    }
    for o in changed {
        e.havoc(&mut s, o, &reason, false);
    }
    super::no_value(s)
}

/// `(place, thread, schedule, is last, first, last, stride, …)`: a thread gets some of the iterations.
fn own_iterations(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State, bytes: u64) -> ModelOutcome {
    let bits = u32::try_from(8 * bytes).unwrap_or(64);
    let signed = !c.name.ends_with('u');
    let [is_last, first, last, stride]: [Rc<Vec<GuardedTarget>>; 4] = [3, 4, 5, 6].map(|i| cuda::pointer_arg(e, c, i));
    let step = libc::int_arg(e, c, 7, bits);
    let bounds = [&first, &last].map(|p| e.load_number(&mut s, p, bytes));
    let unknown = |e: &mut Executor<'_>| {
        let (lo, hi) = if signed { (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        let reason = UnknownReason::OtherHostThread;
        e.arena.fresh(SymKind::Unknown { reason }, "iteration", Interval::new(lo, hi))
    };
    let (from, to) = (unknown(e), unknown(e));
    if let ([Some(low), Some(high)], Some(step)) = (bounds, e.arena.as_int(step))
        && step > 0
    {
        let (low, high) = (e.interpret(low, bits, signed), e.interpret(high, bits, signed));
        let facts = [e.arena.le(low, from), e.arena.le(to, high)];
        let facts = e.arena.and_all(facts.to_vec());
        match e.assume(s, facts) {
            Some(after) => s = after,
            None => return Ok(None),
        }
    }
    e.store_value(&mut s, &first, Value::Int(from), bytes);
    e.store_value(&mut s, &last, Value::Int(to), bytes);
    let reason = UnknownReason::OtherHostThread;
    for (p, bytes) in [(is_last, 4), (stride, bytes)] {
        e.store_value(&mut s, &p, Value::unknown(reason.clone()), bytes);
    }
    super::no_value(s)
}

/// `(…)`: the thread adds its part to the whole as in a critical section (1), or another one does (0). That it adds by atomic
/// operations (2) gives nothing else.
fn reduce(e: &mut Executor<'_>, _: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    e.lock_taken(&mut s);
    one_of_them(e, s)
}

/// Gives 1 where this thread of the team executes what one of them does, and 0 elsewhere.
fn one_of_them(e: &mut Executor<'_>, s: State) -> ModelOutcome {
    let reason = UnknownReason::OtherHostThread;
    let it = e.arena.fresh(SymKind::Unknown { reason }, "is the one", Interval::new(0, 1));
    Ok(Some((Value::Int(it), s)))
}

/// Waits for tasks, which have been executed where they were made; what threads of the team stored meanwhile is there.
fn task_wait(e: &mut Executor<'_>, _: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    e.lock_taken(&mut s);
    super::success(e, s)
}

/// `(place, thread, flags, bytes of the task, bytes of addresses of what it shares, function)`: a task begins with the address of those
/// addresses, which lie behind it, and with its function (`kmp_task_t`).
fn new_task(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let bytes = [3, 4].map(|i| {
        let n = libc::int_arg(e, c, i, 64);
        e.arena.as_int(n).and_then(|n| i64::try_from(n).ok()).filter(|n| (0..1 << 30).contains(n))
    });
    let ([Some(own), Some(shared)], Some(f)) = (bytes, c.args.get(5).cloned()) else { return not_followed(e, s) };
    let own = (own + 7) & !7;
    let extent = Some(e.arena.int(i128::from(own + shared)));
    let object = Object { kind: ObjKind::HostHeap, name: String::new(), extent, site: None, func: None, array: true };
    let o = e.heap.allocate((c.context, c.site, 1), object);
    let reason = Rc::new(UnknownReason::OtherHostThread);
    let rest = UncoveredContents::Unknown { version: e.heap.next_version(), input: false, reason };
    s.mem.insert(o, Rc::new(ObjState::new(rest)));
    for (at, v) in [(0, e.pointer(o, i128::from(own))), (8, f)] {
        let Value::Ptr(p) = e.pointer(o, at) else { return Err(Box::new(s)) };
        e.store_value(&mut s, &p, v, 8);
    }
    Ok(Some((e.pointer(o, 0), s)))
}

/// Reports a task as missed whose function or size is not known: it may do any work later.
fn not_followed(e: &mut Executor<'_>, s: State) -> ModelOutcome {
    e.limits.miss(|| UnknownReason::OtherHostThread);
    Err(Box::new(s))
}

/// `(place, thread, task, …)`: any thread of the team executes the task, now or later. Executing it here is each of its executions, as with
/// a thread that is started.
fn task(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let made = cuda::pointer_arg(e, c, 2);
    let at = moved(e, &made, 8);
    let f = e.load_pointer(&mut s, &at);
    let Some(f) = function(&f).filter(|f| !e.program.func(*f).is_declaration()) else { return not_followed(e, s) };
    let zero = Value::Int(e.arena.int(0));
    let around = e.enter_thread();
    let context = mix(c.context, c.site);
    let after = e.call(f, vec![zero, Value::Ptr(made)], s.clone(), context);
    e.leave_thread(&around, after.is_some());
    let Some((_, mut after)) = after else {
        e.limits.miss(|| UnknownReason::OtherHostThread);
        return super::success(e, s);
    };
    // The thread that made it goes on whatever becomes of it.
    (after.path, after.always) = (s.path, s.always);
    super::success(e, after)
}

/// `(place, thread, schedule, first, last, stride, chunk)`: threads get parts of these iterations, one after the other.
fn share_iterations(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (bits, signed) = iterations_of(c.name);
    let [first, last] = [3, 4].map(|i| {
        let n = libc::int_arg(e, c, i, bits);
        e.interpret(n, bits, signed)
    });
    let step = libc::int_arg(e, c, 5, bits);
    let step = e.interpret(step, bits, true);
    let bounds = Some((first, last)).filter(|_| e.arena.as_int(step).is_some_and(|n| n > 0));
    // The bounds are those of one loop, whose steps lead up.
    let all = &mut e.runtime.shared_iterations;
    match all.get(&c.site.func) {
        Some(other) if *other != bounds => all.insert(c.site.func, None),
        _ => all.insert(c.site.func, bounds),
    };
    super::no_value(s)
}

/// Returns the width in bits of the iterations of a loop, and whether they are signed.
fn iterations_of(name: &str) -> (u32, bool) {
    let unsigned = name.ends_with('u');
    (if name.trim_end_matches('u').ends_with('8') { 64 } else { 32 }, !unsigned)
}

/// `(place, thread, is last, first, last, stride)`: a part of the iterations, if any is left.
fn next_iterations(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State, bytes: u64) -> ModelOutcome {
    let (bits, signed) = iterations_of(c.name);
    let reason = UnknownReason::OtherHostThread;
    let (lo, hi) = if signed { (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let fresh =
        |e: &mut Executor<'_>, range| e.arena.fresh(SymKind::Unknown { reason: reason.clone() }, "iteration", range);
    let left = fresh(e, Interval::new(0, 1));
    let (from, to) = (fresh(e, Interval::new(lo, hi)), fresh(e, Interval::new(lo, hi)));
    let bounds = e.runtime.shared_iterations.get(&c.site.func).copied().flatten();
    let mut s = s;
    if let Some((first, last)) = bounds {
        // None of them are used if no part is left.
        let zero = e.arena.int(0);
        let none = e.arena.eq(left, zero);
        let mut facts = vec![];
        for (a, b) in [(first, from), (from, to), (to, last)] {
            let fact = e.arena.le(a, b);
            facts.push(e.arena.or(none, fact));
        }
        let facts = e.arena.and_all(facts);
        match e.assume(s, facts) {
            Some(after) => s = after,
            None => return Ok(None),
        }
    }
    let [is_last, first, last, stride] = [2, 3, 4, 5].map(|i| cuda::pointer_arg(e, c, i));
    e.store_value(&mut s, &first, Value::Int(from), bytes);
    e.store_value(&mut s, &last, Value::Int(to), bytes);
    for (p, bytes) in [(is_last, 4), (stride, bytes)] {
        e.store_value(&mut s, &p, Value::unknown(UnknownReason::OtherHostThread), bytes);
    }
    Ok(Some((Value::Int(left), s)))
}
