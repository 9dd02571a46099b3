//! Functions without a body by which no thread of the host learns of another one, or waits for it.

use super::host_threads::START;
use engine::symbolic::floors::execution_context::ExecutionContext;

/// Starts of the names of functions by which no thread learns of another one, or waits for it, without CUDA's.
const QUIET: &[&str] = &[
    "llvm.",
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "_ZNSt6thread6_State",
    // Nodes and hashes of containers, texts.
    "_ZSt18_Rb_tree_",
    "_ZSt28_Rb_tree_",
    "_ZSt29_Rb_tree_",
    "_ZNSt8__detail15_List_node_base",
    "_ZNKSt8__detail20_Prime_rehash_policy",
    "_ZSt11_Hash_bytes",
    "_ZSt15_Fnv_hash_bytes",
    "_ZNSt7__cxx1112basic_stringI",
    "_ZNKSt7__cxx1112basic_stringI",
    "_ZNSaIcE",
];

/// Starts of the names of what writes texts to streams (libstdc++): quiet where the program has no class that the streams call.
const OUTPUT: &[&str] = &[
    "_ZNSo",
    "_ZStls",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZSt4ends",
    "_ZSt16__ostream_insert",
    "_ZNSt9basic_iosI",
    "_ZNKSt9basic_iosI",
    "_ZNSt8ios_baseC",
    "_ZNSt8ios_baseD",
    "_ZNKSt5ctypeI",
    "_ZNSt15basic_streambufI",
    "_ZNSt6localeC",
    "_ZNSt6localeD",
    "_ZNSt7__cxx1115basic_stringbufI",
    "_ZNKSt7__cxx1115basic_stringbufI",
    "_ZNSt7__cxx1118basic_stringstreamI",
    "_ZNKSt7__cxx1118basic_stringstreamI",
    "_ZNSt7__cxx1119basic_ostringstreamI",
    "_ZNKSt7__cxx1119basic_ostringstreamI",
];

/// Names of such functions.
const QUIET_NAMES: &[&str] = &[
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
    "__kmpc_for_static_init_4",
    "__kmpc_for_static_init_4u",
    "__kmpc_for_static_init_8",
    "__kmpc_for_static_init_8u",
    "__kmpc_for_static_fini",
    "__kmpc_global_thread_num",
    "__kmpc_fork_call",
    "__kmpc_push_num_threads",
    START,
    "_ZNSt6thread4joinEv",
    "_ZNSt6thread6detachEv",
    "_ZNSt6thread20hardware_concurrencyEv",
    "__clang_call_terminate",
    "_ZSt9terminatev",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_pure_virtual",
    "__gxx_personality_v0",
    "pthread_once",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_mutex_init",
    "pthread_mutex_trylock",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "_ZNSt18condition_variableC1Ev",
    "_ZNSt18condition_variableD1Ev",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
    "_ZNSt6chrono3_V212steady_clock3nowEv",
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "clock_gettime",
    "nanosleep",
    "usleep",
    "sched_yield",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "__kmpc_critical",
    "__kmpc_critical_with_hint",
    "__kmpc_end_critical",
    "__kmpc_reduce",
    "__kmpc_reduce_nowait",
    "__kmpc_end_reduce",
    "__kmpc_end_reduce_nowait",
    "__kmpc_dispatch_init_4",
    "__kmpc_dispatch_init_4u",
    "__kmpc_dispatch_init_8",
    "__kmpc_dispatch_init_8u",
    "__kmpc_dispatch_next_4",
    "__kmpc_dispatch_next_4u",
    "__kmpc_dispatch_next_8",
    "__kmpc_dispatch_next_8u",
    "__kmpc_dispatch_deinit",
    "__kmpc_single",
    "__kmpc_end_single",
    "__kmpc_master",
    "__kmpc_end_master",
    "__kmpc_masked",
    "__kmpc_end_masked",
    "__kmpc_barrier",
    "__kmpc_flush",
    "__kmpc_push_proc_bind",
    "__kmpc_taskgroup",
    "__kmpc_end_taskgroup",
    "__kmpc_omp_taskwait",
    "__kmpc_omp_taskyield",
    "__kmpc_omp_task_alloc",
    "__kmpc_omp_task",
    "__kmpc_omp_task_with_deps",
    "malloc",
    "calloc",
    "free",
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "bcmp",
    "memchr",
    "__errno_location",
    "log",
    "logf",
    "exp",
    "expf",
    "sqrtf",
    "powf",
    "floor",
    "ceil",
    "strlen",
    "strcmp",
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fflush",
    "exit",
    "abort",
    "__assert_fail",
    "rand",
    "atoi",
    "atof",
    "sqrt",
    "pow",
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_get_max_threads",
];

/// Whether no thread learns of another one, or waits for it, by a function without a body.
pub(super) fn is_quiet(e: &mut ExecutionContext<'_>, name: &str) -> bool {
    let calls = e.streams_call_program();
    is_quiet_name(name, calls)
}

/// The same, for a program whose classes streams call or not.
pub(super) fn is_quiet_name(name: &str, streams_call_program: bool) -> bool {
    QUIET_NAMES.contains(&name)
        || QUIET.iter().any(|p| name.starts_with(p))
        || is_of_exceptions(name)
        || is_output(name) && !streams_call_program
}

/// Whether a function makes or ends an exception of the C++ library, or throws one.
fn is_of_exceptions(name: &str) -> bool {
    let Some(rest) =
        name.strip_prefix("_ZSt").or_else(|| name.strip_prefix("_ZNSt")).or_else(|| name.strip_prefix("_ZNKSt"))
    else {
        return false;
    };
    let of_class = ["_error", "exception", "bad_alloc", "bad_cast", "out_of_range", "invalid_argument"];
    rest.contains("__throw_")
        || of_class.iter().any(|c| {
            let behind = rest.split_once(c).map(|(_, behind)| behind);
            behind.is_some_and(|b| ["C1E", "C2E", "D0E", "D1E", "D2E", "4whatEv"].iter().any(|m| b.starts_with(m)))
        })
}

/// Whether a function writes text to a stream.
pub(super) fn is_output(name: &str) -> bool {
    OUTPUT.iter().any(|p| name.starts_with(p))
}
