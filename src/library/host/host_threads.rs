//! Threads of the host: POSIX threads (POSIX.1-2017), `std::thread` as libstdc++ starts it (GCC 12, libstdc++-v3/src/c++11/thread.cc),
//! and their locks. A thread is executed where it is started ([`engine::symbolic::exec::host_threads`]).

use super::cuda;
use super::cuda_memory::moved;
use super::driver_api::like;
use super::graphs;
use super::libc;
use super::openmp;
use super::quiet::{is_output, is_quiet, is_quiet_name};
use super::table::{self, HostTable};
use super::thread_states;
use base::reasons::UnknownReason;
use engine::symbolic::exec::calls::mix;
use engine::symbolic::exec::captures::CaptureUnderWay;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::lock_records::ThreadArguments;
use engine::symbolic::exec::site::Site;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::SymKind;
use ir::{FuncRef, LIBRARY_MODEL, Operand, Program, Terminator, learns_of_threads};
use models::cuda_names::{is_of_driver, is_of_runtime};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Start of a `std::thread`.
pub(super) const START: &str = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";

/// Threads and regions.
pub(super) const THREADS: HostTable = &[
    (&[START], |e, c, s| start(e, c, s)),
    (&["_ZNSt6thread4joinEv"], |e, c, s| join_thread(e, c, s, true)),
    (&["_ZNSt6thread6detachEv"], |e, c, s| join_thread(e, c, s, false)),
    (&["_ZNSt6thread6_StateD0Ev", "_ZNSt6thread6_StateD1Ev", "_ZNSt6thread6_StateD2Ev"], |_, _, s| super::no_value(s)),
    (&["pthread_create"], |e, c, s| create(e, c, s)),
    (&["pthread_join"], |e, c, s| join(e, c, s)),
    (&["pthread_mutex_lock", "pthread_mutex_trylock", "pthread_cond_wait"], |e, c, s| lock(e, c, s)),
    (&["_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"], |e, c, s| critical(e, c, s)),
    (
        &[
            "_ZNSt18condition_variableC1Ev",
            "_ZNSt18condition_variableD1Ev",
            "_ZNSt18condition_variable10notify_oneEv",
            "_ZNSt18condition_variable10notify_allEv",
        ],
        |_, _, s| super::no_value(s),
    ),
];

/// Maximum number of threads that start each other, and are executed.
const MAX_AROUND: usize = 3;

/// Words in the names of functions with bodies by which a thread may wait for another one in a way that is not followed.
const WAITING: &[&str] = &[
    "shared_mutex",
    "shared_timed_mutex",
    "shared_lock",
    "__basic_future",
    "std::future<",
    "std::shared_future<",
    "semaphore",
    "latch",
    "barrier",
];

/// Name of the call by which a future's state sets its result once, which only one thread does.
const CALL_ONCE_OF_FUTURE: &str = "call_once<void (std::__future_base::_State_baseV2::*";

/// Functions that end a thread, or have it execute other code, at any place where it is.
const INTERRUPTING: &[&str] = &["pthread_cancel", "pthread_kill", "pthread_sigqueue", "tgkill"];

/// Records a call in a thread: by a function that is not known to be quiet, it may wait for another thread.
pub(super) fn note_call(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let declared = e.program.func(c.func).is_declaration();
    if declared && INTERRUPTING.contains(&c.base()) && starts_threads(e.program) {
        e.limits.miss(|| UnknownReason::OtherHostThread);
    }
    if e.runtime.threads_around == 0 {
        // What is not known to be quiet may wait for a thread.
        if declared && !is_quiet(e, c.base()) {
            e.lock_taken(s);
        }
        return;
    }
    let name = c.base();
    // Which thread comes first is not known: another one may have done it. A guard is read before.
    let modelled = c.name.strip_prefix(LIBRARY_MODEL).or_else(|| declared.then_some(name));
    if modelled == Some("pthread_once") {
        e.lock_taken(s);
    }
    let of_cuda = is_of_runtime(name) || is_of_driver(name);
    let calls_back = name.contains("HostFunc") || name.contains("Callback") || name.contains("Capture");
    let quiet = match declared {
        true => of_cuda && !calls_back || is_quiet(e, name),
        false => {
            let waits = WAITING.iter().any(|word| c.display.contains(word)) && !c.display.contains(CALL_ONCE_OF_FUTURE);
            !(waits || is_output(name) && e.streams_call_program())
        }
    };
    let frees = name == "free" || name.starts_with("_Zd") || name.starts_with("_ZNSt6thread6_State");
    let deep = !of_cuda || ["Launch", "3D", "Graph", "Batch"].iter().any(|word| name.contains(word));
    if !quiet {
        let by: String = if declared { name } else { c.display }.chars().take(60).collect();
        e.may_wait_for_thread_by(&by);
    } else if declared && !frees && e.learned_reads(s, c.args, deep) {
        e.may_wait_for_thread();
    }
    // The call may wait for a kernel that waits; queries and copies to the host tell how far devices are.
    let tells = |e: &mut ExecutionContext<'_>| {
        name.ends_with("Query") || name.contains("MemGetInfo") || name.contains("emcpy") && !copies_to_device(e, c)
    };
    if declared && of_cuda && (tells(e) || e.kernels_may_wait()) {
        e.learns_of_devices();
    }
}

/// Records a call of a function with a body that is not entered: what it reaches may wait for another thread, or learn of one.
pub(super) fn note_not_entered(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let program = e.program;
    let calls = e.streams_call_program();
    let learns = |f: FuncRef| {
        let func = program.func(f);
        match func.is_declaration() {
            true => {
                !is_quiet_name(&func.name, calls) || ORDERING.contains(&func.name.as_str()) || is_modelled(&func.name)
            }
            false => learns_of_threads(func),
        }
    };
    if e.reaches_such(c.func, learns) {
        if e.runtime.threads_around > 0 {
            let by: String = c.display.chars().take(60).collect();
            e.may_wait_for_thread_by(&by);
        } else {
            e.lock_taken(s);
        }
    } else if e.learned_reads(s, c.args, true) {
        e.may_wait_for_thread();
    }
}

/// Functions that are quiet only where their models run.
const ORDERING: &[&str] = &["pthread_once", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort"];

fn is_modelled(name: &str) -> bool {
    table::find(&[THREADS, openmp::OPENMP], name).is_some()
}

/// Whether a copy surely writes memory of a device alone.
fn copies_to_device(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>) -> bool {
    let name = like(c.base());
    let first = ["cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpy2D", "cudaMemcpy2DAsync", "cudaMemcpyPeer"];
    name.starts_with("cudaMemcpyToSymbol")
        || first.contains(&name)
            && cuda::pointer_arg(e, c, 0).iter().all(|t| match t.base {
                Base::Object(o) => matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_)),
                Base::Null => true,
                Base::Func(_) | Base::Unknown(_) => false,
            })
}

/// Whether a program may start threads that are followed.
pub(super) fn starts_threads(program: &Program) -> bool {
    program.functions().any(|(_, _, f)| f.is_declaration() && (f.name == "pthread_create" || f.name == START))
}

/// Returns the function that an address surely is.
pub(super) fn function(p: &[GuardedTarget]) -> Option<FuncRef> {
    match p {
        [GuardedTarget { base: Base::Func(f), .. }] => Some(*f),
        _ => None,
    }
}

/// Executes the functions of a thread, one after the other, or those of one of a team. `None` if one of them may not come back.
pub(super) fn run(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    functions: &[FuncRef],
    args: &[Value],
    mut s: State,
    (team, own): (bool, Option<ObjId>),
) -> Option<State> {
    if e.runtime.threads_around >= MAX_AROUND {
        return None;
    }
    graphs::leave_contents_open(e, &mut s);
    e.runtime.host_threads = true;
    e.used_at_exit(false);
    if e.capture_under_way(&s) != CaptureUnderWay::No {
        e.limits.miss(|| UnknownReason::OtherHostThread);
    }
    e.open_to_threads(&mut s);
    if !team {
        e.given_to_thread(args);
    }
    let mut scope = team.then(FxHashSet::default);
    for attempt in 0..MAX_TRIES {
        let so_far = e.events_so_far();
        let own = own.filter(|_| !team);
        let mark = e.begin_locks(scope.clone(), ThreadArguments { given: args.to_vec(), own, before: s.mem.clone() });
        let mut state = run_once(e, c, functions, args, s.clone(), (attempt, team));
        let locked = e.end_locks(mark, &s, state.as_mut());
        let Some(scope) = scope.as_mut().filter(|_| locked) else { return ended(e, &s, state?) };
        // Others of the team may store at their locks to what this one stores to.
        let stored = state.as_ref().map(|after| e.changed_since(&s, after).0).unwrap_or_default();
        let before = scope.len();
        scope.extend(stored);
        if scope.len() == before {
            return ended(e, &s, state?);
        }
        e.take_events_back(&so_far);
    }
    None
}

/// Maximum number of tries of a team of threads, each with more memory that its locks concern.
const MAX_TRIES: u64 = 4;

/// Executes the functions of a thread one time.
fn run_once(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    functions: &[FuncRef],
    args: &[Value],
    mut s: State,
    (attempt, team): (u64, bool),
) -> Option<State> {
    let around = e.enter_thread();
    let before = s.clone();
    let own = e.begin_own_variables(&mut s, args, team);
    let mut state = Some(s);
    for (i, f) in (1u64..).zip(functions) {
        let n = i.wrapping_add(attempt.wrapping_mul(0x10001));
        let context = mix(c.context, c.site).wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        state = state.and_then(|s| e.call(*f, args.to_vec(), s, context)).map(|(_, s)| s);
    }
    if let Some(s) = state.as_mut() {
        e.end_own_variables(s, own, team);
    }
    let in_order = e.leave_thread(&around, state.is_some());
    if let Some(s) = state.as_mut().filter(|_| !in_order) {
        e.without_frees_since(&before, s);
    }
    state
}

/// Returns the state of the thread that goes on beside one, or behind a team.
fn ended(e: &mut Executor<'_>, before: &State, mut s: State) -> Option<State> {
    // The starting thread goes on whatever becomes of this one.
    (s.path, s.always) = (before.path, before.always.clone());
    if e.capture_under_way(&s) != CaptureUnderWay::No {
        e.limits.miss(|| UnknownReason::OtherHostThread);
    }
    e.open_to_threads(&mut s);
    Some(s)
}

/// Executes a thread, and returns its number with the state of the thread that starts it.
fn started(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    functions: &[FuncRef],
    args: &[Value],
    s: State,
    own: Option<ObjId>,
) -> (Value, State) {
    let before = s.clone();
    let mut s = match run(e, c, functions, args, s, (false, own)) {
        Some(after) => after,
        // Its work is not done in this state.
        None => {
            e.limits.miss(|| UnknownReason::OtherHostThread);
            before.clone()
        }
    };
    let number = e.thread_started(&mut s);
    e.stored_by_thread(&before, &mut s, number);
    let number = match number {
        Some(n) => Value::Int(e.arena.int(i128::from(n))),
        None => unknown_number(e),
    };
    (number, s)
}

fn unknown_number(e: &mut Executor<'_>) -> Value {
    let reason = UnknownReason::OtherHostThread;
    Value::Int(e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::new(1, i128::from(u64::MAX))))
}

/// Whether the program looks at the result of a call.
fn is_result_used(program: &Program, site: Site) -> bool {
    let func = program.func(site.func);
    let Some(block) = func.blocks.get(site.block.index()) else { return true };
    let result = match (block.insts.get(site.inst as usize), &block.term) {
        (Some(i), _) => i.result,
        (None, Terminator::Invoke { result, .. }) => *result,
        (None, _) => return true,
    };
    let Some(result) = result else { return false };
    let mut used = false;
    let mut note = |o: &Operand| used |= matches!(o, Operand::Value(v) if *v == result);
    for b in &func.blocks {
        b.insts.iter().for_each(|i| i.op.operands(&mut note));
        b.term.operands(&mut note);
    }
    used
}

/// Starts a `std::thread`: `(this, address of the owner of a state, …)`. The state's third virtual method is what the thread
/// runs; its second one destroys the state.
fn start(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (this, owner) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let state = e.load_pointer(&mut s, &owner);
    let methods = e.load_pointer(&mut s, &state);
    let [destroy, body] = [8, 16].map(|at| {
        let at = moved(e, &methods, at);
        function(&e.load_pointer(&mut s, &at))
    });
    let made = body.is_none().then(|| thread_states::methods(e.program, c.site.func)).flatten();
    let (destroy, body) = made.map_or((destroy, body), |m| (Some(m.destroy), Some(m.run)));
    let (Some(destroy), Some(body)) = (destroy, body) else {
        let why = UnknownReason::OtherHostThread;
        e.limits.miss(|| why.clone());
        return Err(Box::new(s));
    };
    let null = e.null();
    e.store_value(&mut s, &owner, null, 8);
    // What a thread without device work writes is lost.
    if !e.limits.effort().leads_to_cuda(body) {
        let why = UnknownReason::OtherHostThread;
        let state = Value::Ptr(state);
        e.start(&mut s, body, std::slice::from_ref(&state), &why);
        e.start(&mut s, destroy, &[state], &why);
        let number = unknown_number(e);
        e.store_value(&mut s, &this, number, 8);
        return super::no_value(s);
    }
    // The state of a thread is its own.
    let own = match state.as_slice() {
        [GuardedTarget { base: Base::Object(o), .. }] => Some(*o),
        _ => None,
    };
    let (number, mut s) = started(e, c, &[body, destroy], &[Value::Ptr(state)], s, own);
    e.store_value(&mut s, &this, number, 8);
    super::no_value(s)
}

fn join_thread(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State, joins: bool) -> ModelOutcome {
    let this = cuda::pointer_arg(e, c, 0);
    if joins {
        join_at(e, &this, &mut s);
    }
    let zero = Value::Int(e.arena.int(0));
    e.store_value(&mut s, &this, zero, 8);
    super::no_value(s)
}

/// Waits for the thread of which an object has the number; returns whether the number is known.
pub(super) fn join_at(e: &mut Executor<'_>, thread: &Rc<Vec<GuardedTarget>>, s: &mut State) -> bool {
    let number = e.load_number(s, thread, 8).and_then(|t| e.arena.as_int(t)).and_then(|n| i64::try_from(n).ok());
    match number {
        Some(number) => e.thread_joined(s, number),
        // Which of several threads it is.
        None => e.is_known_by_number(),
    }
    e.stores_of_joined(s, number);
    e.waited_in_thread(s);
    number.is_some()
}

/// `(handle, attributes, function, argument)`.
fn create(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (handle, f) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 2));
    let Some(f) = function(&f).filter(|f| !e.program.func(*f).is_declaration()) else { return Err(Box::new(s)) };
    let Some(argument) = c.args.get(3).cloned() else { return Err(Box::new(s)) };
    // What a thread without device work writes is lost.
    if !e.limits.effort().leads_to_cuda(f) {
        return Err(Box::new(s));
    }
    if !is_result_used(e.program, c.site) {
        let (number, mut s) = started(e, c, &[f], &[argument], s, None);
        e.store_value(&mut s, &handle, number, 8);
        return super::success(e, s);
    }
    // Where no thread is left, none is started.
    let Value::Int(status) = e.status(c.name) else { return Err(Box::new(s)) };
    let zero = e.arena.int(0);
    let well = e.arena.eq(status, zero);
    let not = e.arena.not(well);
    let failed = e.assume(s.clone(), not);
    let Some(s) = e.assume(s, well) else { return Ok(failed.map(|s| (Value::Int(status), s))) };
    let (number, after) = started(e, c, &[f], &[argument], s, None);
    let threads = after.clone();
    let Some((mut s, _)) = e.merge(std::iter::once(after).chain(failed).collect()) else { return Ok(None) };
    // A thread that was not started harms no less.
    e.with_threads_of(&mut s, &threads);
    e.store_value(&mut s, &handle, number, 8);
    Ok(Some((Value::Int(status), s)))
}

/// `(handle, where its result goes)`.
fn join(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let number = libc::int_arg(e, c, 0, 64);
    let number = e.arena.as_int(number).and_then(|n| i64::try_from(n).ok());
    match number {
        Some(number) => e.thread_joined(&mut s, number),
        None => e.is_known_by_number(),
    }
    e.stores_of_joined(&mut s, number);
    e.waited_in_thread(&mut s);
    let out = cuda::pointer_arg(e, c, 1);
    if !out.iter().all(|t| t.base == Base::Null) {
        let result = e.unknown_pointer(&UnknownReason::OtherHostThread);
        e.store_value(&mut s, &out, result, 8);
    }
    super::success(e, s)
}

/// Models a lock or a wait: what other threads stored before they gave the lock back is there. Bytes of the lock itself are unknown.
fn lock(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    e.lock_taken(&mut s);
    let why = UnknownReason::Gives(c.base().to_owned());
    let waits = c.base() == "pthread_cond_wait";
    for (i, bytes) in [(0, if waits { 48 } else { 40 }), (1, 40)].into_iter().take(1 + usize::from(waits)) {
        let p = cuda::pointer_arg(e, c, i);
        e.store_value(&mut s, &p, Value::unknown(why.clone()), bytes);
    }
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &why);
    Ok(Some((v, s)))
}

pub(super) fn critical(e: &mut Executor<'_>, _: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    e.lock_taken(&mut s);
    super::no_value(s)
}

/// Makes what a copy or fill has written to device memory unknown, if other threads may write there at any time.
pub(super) fn after_copy(e: &mut ExecutionContext<'_>, s: &mut State) {
    if e.runtime.host_threads {
        e.open_to_threads(s);
    }
}
