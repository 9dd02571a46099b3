//! Threads of the host: POSIX threads (POSIX.1-2017), `std::thread` and `std::async` as libstdc++ starts them (GCC 12,
//! libstdc++-v3/src/c++11/thread.cc), and OpenMP regions as clang lowers them (LLVM 22, openmp/runtime/src/kmp.h).
//!
//! A thread is run to its end by the call that starts it: an order that exists unless the thread waits for another one, and
//! then the run ends. An OpenMP region is run by a single thread, as with `OMP_THREAD_LIMIT=1`.

use super::arguments::{arg, read, write};
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::simple::{nothing, one, zero};
use crate::api::ObjectKind;
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::space::split;
use crate::memory::store::Fill;
use ir::FuncRef;
use ir::thread_locals::are_guarded;

/// Threads, locks and OpenMP's runtime.
pub(super) const THREADS: ModelTable = &[
    (&["pthread_create"], create, ModelClass::Barrier),
    (&["pthread_join"], join, ModelClass::Barrier),
    (&["pthread_detach"], zero, ModelClass::Pure),
    (&["pthread_mutex_lock"], lock, ModelClass::Barrier),
    (&["pthread_mutex_unlock"], unlock, ModelClass::Barrier),
    (&["_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"], wait, ModelClass::Barrier),
    (
        &[
            "_ZNSt18condition_variableC1Ev",
            "_ZNSt18condition_variableD1Ev",
            "_ZNSt18condition_variable10notify_oneEv",
            "_ZNSt18condition_variable10notify_allEv",
        ],
        nothing,
        ModelClass::Pure,
    ),
    (
        &["_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"],
        start,
        ModelClass::Barrier,
    ),
    (&["_ZNSt6thread4joinEv", "_ZNSt6thread6detachEv"], no_longer_joinable, ModelClass::Memory),
    (&["_ZNSt6thread6_StateD0Ev", "_ZNSt6thread6_StateD1Ev", "_ZNSt6thread6_StateD2Ev"], nothing, ModelClass::Pure),
    (&["_ZNSt13__future_base12_Result_baseC1Ev", "_ZNSt13__future_base12_Result_baseC2Ev"], result, ModelClass::Memory),
    (&["_ZNSt13__future_base12_Result_baseD1Ev", "_ZNSt13__future_base12_Result_baseD2Ev"], nothing, ModelClass::Pure),
    (&["_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj"], nothing, ModelClass::Pure),
    (&["__kmpc_fork_call"], region, ModelClass::Barrier),
    (
        &["__kmpc_for_static_init_4", "__kmpc_for_static_init_4u"],
        |m, th, call, a| own_iterations(m, th, call, a, 32),
        ModelClass::Memory,
    ),
    (
        &["__kmpc_for_static_init_8", "__kmpc_for_static_init_8u"],
        |m, th, call, a| own_iterations(m, th, call, a, 64),
        ModelClass::Memory,
    ),
    (
        &["__kmpc_dispatch_init_4", "__kmpc_dispatch_init_4u", "__kmpc_dispatch_init_8", "__kmpc_dispatch_init_8u"],
        all_iterations,
        ModelClass::Barrier,
    ),
    (
        &["__kmpc_dispatch_next_4", "__kmpc_dispatch_next_4u"],
        |m, th, call, a| next_iterations(m, th, call, a, 32),
        ModelClass::Barrier,
    ),
    (
        &["__kmpc_dispatch_next_8", "__kmpc_dispatch_next_8u"],
        |m, th, call, a| next_iterations(m, th, call, a, 64),
        ModelClass::Barrier,
    ),
    (&["__kmpc_omp_task_alloc"], new_task, ModelClass::Barrier),
    (&["__kmpc_omp_task", "__kmpc_omp_task_with_deps"], task, ModelClass::Barrier),
    (&["__kmpc_omp_taskwait", "__kmpc_omp_taskyield"], zero, ModelClass::Pure),
    (
        &["__kmpc_single", "__kmpc_master", "__kmpc_masked", "__kmpc_reduce", "__kmpc_reduce_nowait"],
        one,
        ModelClass::Pure,
    ),
    (&["__kmpc_global_thread_num", "omp_in_parallel"], zero, ModelClass::Pure),
    (
        &[
            "__kmpc_barrier",
            "__kmpc_critical",
            "__kmpc_critical_with_hint",
            "__kmpc_dispatch_deinit",
            "__kmpc_end_critical",
            "__kmpc_end_master",
            "__kmpc_end_masked",
            "__kmpc_end_reduce",
            "__kmpc_end_reduce_nowait",
            "__kmpc_end_single",
            "__kmpc_end_taskgroup",
            "__kmpc_flush",
            "__kmpc_for_static_fini",
            "__kmpc_push_num_threads",
            "__kmpc_push_proc_bind",
            "__kmpc_taskgroup",
        ],
        nothing,
        ModelClass::Pure,
    ),
];

/// Model of such a function by its name.
pub(super) fn find(name: &str) -> Option<ModelEntry> {
    by_name(THREADS, name)
}

/// Variables of each thread that hold something during one call of the library alone.
const WITHIN_A_CALL: [&str; 4] =
    ["std::__once_callable", "std::__once_call", "_ZSt15__once_callable", "_ZSt11__once_call"];

/// Returns the address of a variable of the present thread: in another one than the first, of an object of its own. Stops where code initialises
/// such variables, whose guards are read by other means.
pub(super) fn of_thread(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let id = arg(a, 0).known().map(|p| split(p).0);
    let object = id.and_then(|id| m.mem.global(id));
    if !m.libc.threads.is_another() || object.is_some_and(|o| WITHIN_A_CALL.contains(&&*o.name)) {
        return Ok(Ret::Val(arg(a, 0)));
    }
    let unknown = || ThreadStop::Unknown("a variable of another host thread is used".into());
    let program = m.program;
    let are_guarded = *m.libc.threads.are_guarded.get_or_insert_with(|| are_guarded(program));
    let (Some(id), false) = (id, are_guarded) else { return Err(unknown()) };
    let key = (m.libc.threads.present, id);
    let known = m.libc.threads.variables.get(&key).copied();
    let Some(own) = known.or_else(|| m.another_variable(id.address())) else { return Err(unknown()) };
    m.libc.threads.variables.insert(key, own);
    Ok(Ret::Val(Val::new(own)))
}

/// Maximum number of threads around one that is run.
const MAX_DEPTH: usize = 8;

/// Runs a thread to its end.
fn run(m: &mut Machine<'_>, th: &mut Thread, f: FuncRef, args: &[Val]) -> Result<Val, ThreadStop> {
    if m.cuda.is_capturing() {
        return Err(ThreadStop::Unknown("a host thread is started while a stream is captured".into()));
    }
    if m.libc.threads.unfinished {
        return Err(ThreadStop::Unknown("a host thread may wait for a kernel that was not run to its end".into()));
    }
    if m.libc.threads.depth >= MAX_DEPTH {
        return Err(ThreadStop::Unknown("host threads start each other".into()));
    }
    m.libc.threads.depth += 1;
    m.libc.threads.begun += 1;
    let outer = std::mem::replace(&mut m.libc.threads.present, m.libc.threads.begun);
    let error = std::mem::take(&mut m.cuda.error);
    let errno = m.libc.errno.take();
    let result = m.call(th, f, args);
    m.cuda.error = error;
    m.libc.errno = errno;
    m.libc.threads.depth -= 1;
    m.libc.threads.present = outer;
    let result = match result {
        // An exception that leaves a thread ends the program (C++ [except.terminate]).
        Err(ThreadStop::Thrown) => return Err(ThreadStop::Ended("an exception leaves a host thread".into())),
        other => other?,
    };
    if m.cuda.is_capturing() {
        return Err(ThreadStop::Unknown("a host thread leaves a stream captured".into()));
    }
    Ok(result.first().copied().unwrap_or(Val::ZERO))
}

fn function(m: &Machine<'_>, address: Val) -> Result<FuncRef, ThreadStop> {
    let found = address.known().and_then(|a| m.mem.func_at(a));
    found.ok_or_else(|| ThreadStop::Unknown("which function a host thread runs is not known".into()))
}

/// `(handle, attributes, function, argument)`.
fn create(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let f = function(m, arg(a, 2))?;
    let unknown = m.unknown("the result of a thread that has not ended");
    m.libc.threads.results.push(unknown);
    let number = m.libc.threads.results.len();
    write(m, th, call, arg(a, 0), 64, Val::new(number as u64))?;
    let result = run(m, th, f, &[arg(a, 3)])?;
    m.libc.threads.results[number - 1] = result;
    Ok(Ret::Val(Val::ZERO))
}

/// `(handle, where its result goes)`.
fn join(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let out = arg(a, 1);
    if out.known() != Some(0) {
        let number = arg(a, 0).known().and_then(|n| usize::try_from(n).ok());
        let result = number.and_then(|n| m.libc.threads.results.get(n.wrapping_sub(1))).copied();
        let result = result.unwrap_or_else(|| m.unknown("the result of a host thread"));
        write(m, th, call, out, 64, result)?;
    }
    Ok(Ret::Val(Val::ZERO))
}

fn lock(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let mutex = arg(a, 0);
    let threads = &mut m.libc.threads;
    let depth = threads.depth;
    let waits = match mutex.known() {
        Some(mutex) => threads.locked.iter().any(|(of, by)| *of == mutex && *by != depth),
        None => !threads.locked.is_empty() || depth > 0,
    };
    if waits {
        return Err(ThreadStop::Unknown("a host thread waits for another one".into()));
    }
    threads.locked.extend(mutex.known().map(|mutex| (mutex, depth)));
    Ok(Ret::Val(Val::ZERO))
}

/// Stops: what is waited for comes later than here, if it comes at all.
fn wait(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Err(ThreadStop::Unknown("a host thread waits for another one".into()))
}

fn unlock(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let locked = &mut m.libc.threads.locked;
    if let Some(at) = locked.iter().rposition(|(of, _)| Some(*of) == arg(a, 0).known()) {
        locked.remove(at);
    }
    Ok(Ret::Val(Val::ZERO))
}

/// Starts a `std::thread`: `(this, address of the owner of a state, …)`. The state's third virtual method is what the thread
/// runs; its second one destroys the state.
fn start(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let owner = arg(a, 1);
    let state = read(m, th, owner, 64)?;
    write(m, th, call, owner, 64, Val::ZERO)?;
    m.libc.threads.started += 1;
    let number = Val::new(m.libc.threads.started);
    write(m, th, call, arg(a, 0), 64, number)?;
    let methods = read(m, th, state, 64)?;
    let method = |m: &mut Machine<'_>, th: &mut Thread, i: u64| {
        let at = Val { bits: methods.bits.wrapping_add(8 * i), ..methods };
        let address = read(m, th, at, 64)?;
        function(m, address)
    };
    let (destroy, body) = (method(m, th, 1)?, method(m, th, 2)?);
    run(m, th, body, &[state])?;
    run(m, th, destroy, &[state])?;
    Ok(Ret::Void)
}

fn no_longer_joinable(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 64, Val::ZERO)?;
    Ok(Ret::Void)
}

/// Result of an asynchronous call, before its class sets the virtual methods: no exception.
fn result(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let this = arg(a, 0);
    for at in [0, 8] {
        write(m, th, call, Val { bits: this.bits.wrapping_add(at), ..this }, 64, Val::ZERO)?;
    }
    Ok(Ret::Void)
}

/// `(place, number of arguments, function, arguments …)`: the function gets two addresses of thread numbers before them.
fn region(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let f = function(m, arg(a, 2))?;
    m.seen.take_for_granted("an OpenMP region runs with one thread (`OMP_THREAD_LIMIT=1`)".into());
    let numbers = m.heap_object(ObjectKind::HostHeap, "thread number", None, Val::new(8), Fill::Byte(0))?;
    let mut args = vec![numbers, numbers];
    args.extend(a.iter().skip(3));
    m.call(th, f, &args)?;
    Ok(Ret::Void)
}

/// `(place, thread, flags, bytes of the task, bytes of addresses of what it shares, function)`: a task begins with the address of those
/// addresses, which lie behind it, and with its function (`kmp_task_t`).
fn new_task(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let [Some(own), Some(shared)] = [3, 4].map(|i| arg(a, i).known()) else {
        return Err(ThreadStop::Unknown("the size of an OpenMP task is not known".into()));
    };
    let own = own.next_multiple_of(8);
    let size = Val::new(own.wrapping_add(shared));
    let task = m.heap_object(ObjectKind::HostHeap, "OpenMP task", None, size, Fill::Poison(Reason::UNINIT))?;
    let at = |offset: u64| Val { bits: task.bits.wrapping_add(offset), ..task };
    write(m, th, call, at(0), 64, at(own))?;
    write(m, th, call, at(8), 64, arg(a, 5))?;
    Ok(Ret::Val(task))
}

/// `(place, thread, task, …)`: a team of one thread executes a task where it is made.
fn task(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let task = arg(a, 2);
    let at = Val { bits: task.bits.wrapping_add(8), ..task };
    let entry = read(m, th, at, 64)?;
    let f = function(m, entry)?;
    m.call(th, f, &[Val::ZERO, task])?;
    Ok(Ret::Val(Val::ZERO))
}

/// `(place, thread, schedule, is last, first, last, stride, …)`: one thread has all iterations.
fn own_iterations(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], bits: u32) -> ModelResult {
    let (first, last) = (read(m, th, arg(a, 4), bits)?, read(m, th, arg(a, 5), bits)?);
    if arg(a, 3).known() != Some(0) {
        write(m, th, call, arg(a, 3), 32, Val::new(1))?;
    }
    let stride = match (first.known(), last.known()) {
        (Some(first), Some(last)) => Val::new(last.wrapping_sub(first).wrapping_add(1)),
        _ => m.unknown("the stride of an OpenMP loop"),
    };
    write(m, th, call, arg(a, 6), bits, stride)?;
    Ok(Ret::Void)
}

/// `(place, thread, schedule, first, last, stride, chunk)`.
fn all_iterations(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    m.libc.threads.iterations = Some([arg(a, 3), arg(a, 4), arg(a, 5)]);
    Ok(Ret::Void)
}

/// `(place, thread, is last, first, last, stride)`: all iterations at once, then none.
fn next_iterations(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], bits: u32) -> ModelResult {
    let Some(all) = m.libc.threads.iterations.take() else { return Ok(Ret::Val(Val::ZERO)) };
    let (Some(first), Some(last)) = (all[0].known(), all[1].known()) else {
        return Err(ThreadStop::Unknown("the iterations of an OpenMP loop are not known".into()));
    };
    let signed = |v: u64| if bits == 32 { i64::from(v as u32 as i32) } else { v.cast_signed() };
    let up = signed(all[2].bits) > 0;
    if up && signed(first) > signed(last) || !up && signed(first) < signed(last) {
        return Ok(Ret::Val(Val::ZERO));
    }
    if arg(a, 2).known() != Some(0) {
        write(m, th, call, arg(a, 2), 32, Val::new(1))?;
    }
    for (i, v) in (3..).zip(all) {
        write(m, th, call, arg(a, i), bits, v)?;
    }
    Ok(Ret::Val(Val::new(1)))
}
