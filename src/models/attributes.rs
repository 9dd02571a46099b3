//! What is known of functions without bodies by their names alone (C11, C++17, CUDA 13.0's runtime and driver, Itanium C++ ABI).
//!
//! What they do to memory is modelled elsewhere (`host`); here stands what they may call, keep, launch and throw.

use crate::ir::intrinsic;

/// Functions of libraries that give memory made anew, an address made of one they are given, or none; that call nothing of the program's;
/// and that put no address anywhere but one of those. What reads (`fread`, `sscanf`, `read`) may read an address that was written.
const GIVE_NOTHING_ELSE: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "valloc",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "free",
    "_Znwm",
    "_Znam",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strdup",
    "strndup",
    "toupper",
    "tolower",
    "isdigit",
    "isspace",
    "isalpha",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtof",
    "strtod",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "abs",
    "labs",
    "llabs",
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "sprintf",
    "snprintf",
    "vsnprintf",
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "fwrite",
    "fflush",
    "perror",
    "exit",
    "_exit",
    "abort",
    "__assert_fail",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "_Unwind_Resume",
    "_ZSt9terminatev",
    "_ZSt17__throw_bad_allocv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "rand",
    "srand",
    "random",
    "srandom",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "rand_r",
    "erand48",
    "time",
    "clock",
    "gettimeofday",
    "clock_gettime",
    "usleep",
    "sleep",
    "pow",
    "powf",
    "sqrt",
    "sqrtf",
    "exp",
    "expf",
    "exp2",
    "exp2f",
    "log",
    "logf",
    "log2",
    "log2f",
    "log10",
    "log10f",
    "sin",
    "sinf",
    "cos",
    "cosf",
    "tan",
    "tanf",
    "asin",
    "asinf",
    "acos",
    "acosf",
    "atan",
    "atanf",
    "atan2",
    "atan2f",
    "sinh",
    "cosh",
    "tanh",
    "tanhf",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "round",
    "roundf",
    "lround",
    "lroundf",
    "rint",
    "rintf",
    "trunc",
    "truncf",
    "fmod",
    "fmodf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "hypot",
    "hypotf",
    "cbrt",
    "cbrtf",
    "ldexp",
    "frexp",
    "erf",
    "erff",
    "erfc",
    "erfcf",
];

/// The same of intrinsics, by their names without types.
const INTRINSICS: &[&str] = &[
    "memcpy",
    "memcpy.inline",
    "memmove",
    "memset",
    "memset.inline",
    "lifetime.start",
    "lifetime.end",
    "assume",
    "expect",
    "expect.with.probability",
    "abs",
    "smax",
    "smin",
    "umax",
    "umin",
    "ctpop",
    "ctlz",
    "cttz",
    "bswap",
    "bitreverse",
    "fshl",
    "fshr",
    "sadd.with.overflow",
    "uadd.with.overflow",
    "ssub.with.overflow",
    "usub.with.overflow",
    "smul.with.overflow",
    "umul.with.overflow",
    "sadd.sat",
    "uadd.sat",
    "ssub.sat",
    "usub.sat",
    "fabs",
    "sqrt",
    "pow",
    "powi",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "floor",
    "ceil",
    "round",
    "roundeven",
    "rint",
    "nearbyint",
    "trunc",
    "copysign",
    "fma",
    "fmuladd",
    "maxnum",
    "minnum",
    "maximum",
    "minimum",
    "is.fpclass",
    "stacksave",
    "stackrestore",
    "trap",
    "is.constant",
    "objectsize",
    "va_start",
    "va_end",
    "va_copy",
    "experimental.noalias.scope.decl",
    "eh.typeid.for",
];

/// What throws, and what surrounds a handler. That the end of one destroys what was caught is left out (`throws`).
const OF_EXCEPTIONS: &[&str] = &[
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_init_primary_exception",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_get_exception_ptr",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_throw_bad_array_new_length",
    "__cxa_pure_virtual",
    "__dynamic_cast",
];

/// Whether a function of a library calls nothing of the program's, whatever it is given.
/// Of intrinsics only those of coroutines run the program's own code.
pub(crate) fn calls_nothing(name: &str) -> bool {
    name.starts_with("llvm.") && !name.starts_with("llvm.coro.")
        || GIVE_NOTHING_ELSE.contains(&name)
        || OF_EXCEPTIONS.contains(&name)
}

/// Whether a function gives no address but those that it is given and memory made anew, and calls nothing of the program's.
pub(crate) fn gives_nothing_else(name: &str) -> bool {
    GIVE_NOTHING_ELSE.contains(&name) || intrinsic::base(name).is_some_and(|n| INTRINSICS.contains(&n))
}

/// Functions of libraries that call those they are given before they return, and never again.
const KEEPS_NOTHING: &[&str] = &["qsort", "qsort_r", "bsearch", "lfind", "lsearch"];

/// Whether it may call what it is given after it has returned.
pub(crate) fn keeps_functions(name: &str) -> bool {
    !KEEPS_NOTHING.contains(&name)
}

/// Functions of C and POSIX that keep no address of what they are given, and call nothing that they find there. Other threads may run
/// meanwhile.
const KEEP_NO_ADDRESS: &[&str] = &[
    "fopen",
    "fopen64",
    "fdopen",
    "freopen",
    "fclose",
    "fread",
    "fgets",
    "fgetc",
    "getc",
    "getchar",
    "gets",
    "ungetc",
    "fseek",
    "fseeko",
    "ftell",
    "ftello",
    "rewind",
    "feof",
    "ferror",
    "clearerr",
    "fileno",
    "scanf",
    "fscanf",
    "sscanf",
    "vfscanf",
    "vsscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc99_sscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "__isoc23_sscanf",
    "getline",
    "getdelim",
    "open",
    "open64",
    "close",
    "read",
    "write",
    "lseek",
    "lseek64",
    "pread",
    "pwrite",
    "stat",
    "fstat",
    "lstat",
    "access",
    "mkdir",
    "unlink",
    "remove",
    "rename",
    "ftruncate",
    "fsync",
    "mmap",
    "munmap",
    "mlock",
    "getenv",
    "gethostname",
    "getpid",
    "getppid",
    "getcwd",
    "chdir",
    "isatty",
    "strtok_r",
    "strerror",
    "strnlen",
    "stpcpy",
    "strcoll",
    "isalnum",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "localtime",
    "localtime_r",
    "gmtime",
    "gmtime_r",
    "strftime",
    "mktime",
    "ctime",
    "asctime",
    "difftime",
    "nanosleep",
    "clock_getres",
    "getrusage",
    "sysconf",
    "getpagesize",
    "sched_yield",
    "div",
    "ldiv",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "pthread_barrier_init",
    "pthread_barrier_wait",
    "pthread_barrier_destroy",
    "pthread_self",
    "pthread_join",
    "pthread_detach",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setstacksize",
    "pthread_attr_setdetachstate",
    "sem_init",
    "sem_wait",
    "sem_post",
    "sem_destroy",
    "tgamma",
    "lgamma",
    "fma",
    "fmaf",
    "nextafter",
    "remainder",
    "modf",
    "modff",
    "sincos",
    "sincosf",
    "expm1",
    "log1p",
    "asinh",
    "acosh",
    "atanh",
    "scalbn",
    "ilogb",
    "logb",
    "nan",
    "nanf",
];

/// Whether a function of a library may keep addresses that it is given, and write there when another of it is called, or call what it
/// finds there: one of which nothing is known. Those of CUDA, the C++ library and other known ones are taken not to.
pub(crate) fn may_keep_addresses(name: &str) -> bool {
    !(is_of_library(name)
        || is_of_c_interface(name)
        || calls_nothing(name)
        || KEEP_NO_ADDRESS.contains(&name)
        || KEEPS_NOTHING.contains(&name))
}

/// Functions of C and POSIX that only read the text which an argument is: that argument, counted from 0, and whether all behind it are so
/// as well. Formats that store through an argument (`%n`, `sscanf`) store nothing in a text.
const ONLY_READ: &[(&[&str], usize, bool)] = &[
    (
        &[
            "strlen",
            "strnlen",
            "strdup",
            "strndup",
            "fopen",
            "fopen64",
            "open",
            "open64",
            "creat",
            "stat",
            "lstat",
            "stat64",
            "__xstat",
            "access",
            "mkdir",
            "rmdir",
            "unlink",
            "chdir",
            "opendir",
            "getenv",
            "putchar",
            "puts",
            "perror",
            "fputs",
            "fwrite",
            "remove",
            "system",
            "strtod",
            "strtof",
            "strtold",
            "realpath",
            "truncate",
            "nvtxRangePushA",
            "nvtxMarkA",
        ],
        0,
        false,
    ),
    (
        &[
            "strcmp",
            "strncmp",
            "strcasecmp",
            "strncasecmp",
            "strcoll",
            "memcmp",
            "strspn",
            "strcspn",
            "rename",
            "link",
            "symlink",
            "setenv",
            "dlopen",
            "printf",
            "scanf",
            "__isoc99_scanf",
            "__isoc23_scanf",
            "execl",
            "execlp",
            "execv",
            "execvp",
        ],
        0,
        true,
    ),
    (
        &[
            "strcpy",
            "strncpy",
            "strcat",
            "strncat",
            "stpcpy",
            "memcpy",
            "memmove",
            "write",
            "fprintf",
            "dprintf",
            "sprintf",
            "strtok",
            "strtok_r",
            "strsep",
            "setlocale",
            "fscanf",
            "syslog",
            "freopen",
            "err",
            "warn",
            "errx",
            "warnx",
            "__isoc99_fscanf",
            "__isoc23_fscanf",
        ],
        1,
        true,
    ),
    (&["snprintf", "error", "error_at_line", "strftime", "cuModuleGetFunction"], 2, true),
    (&["cuModuleLoad"], 1, false),
    (&["sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "vsscanf", "warnx", "warn"], 0, true),
];

/// Whether a function of a library only reads a text that is this argument of it.
pub(crate) fn only_reads(name: &str, display: &str, argument: usize) -> bool {
    // What the C++ library changes it is given as such.
    if is_of_library(name) {
        return !["char*", "char&", "void*", "char**"].iter().any(|p| display.contains(p));
    }
    ONLY_READ.iter().any(|(names, from, on)| names.contains(&name) && (argument == *from || *on && argument > *from))
}

/// CUDA's functions that are given kernels to ask about them. Beginnings of names.
const ASKS_ABOUT_KERNELS: &[&str] = &["cudaFuncGet", "cudaFuncSet", "cudaOccupancy"];

/// Whether a function that is given a kernel may launch it.
pub(crate) fn may_launch_given(name: &str) -> bool {
    !ASKS_ABOUT_KERNELS.iter().any(|p| name.starts_with(p))
}

/// Interfaces for C beside CUDA's runtime and driver, whose functions call no virtual methods. Beginnings of names.
const C_INTERFACES: &[&str] = &[
    "cublas", "cufft", "cusparse", "cusolver", "curand", "cudnn", "nccl", "nvtx", "nvml", "MPI_", "omp_", "shmem_",
    "nvshmem",
];

/// Functions that do something on a device, by their names: those of CUDA's runtime and of its driver's API.
#[must_use]
pub fn is_of_cuda(name: &str) -> bool {
    let driver = name.strip_prefix("cu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    name.starts_with("cuda") || name.starts_with("__cuda") || driver
}

/// Whether a mangled name is of the library itself: in `std` or `__gnu_cxx`, or local to such a function (Itanium C++ ABI, 5.1.2).
pub fn is_of_library(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("_Z") else { return false };
    let rest = rest.trim_start_matches('Z');
    let rest = rest.strip_prefix('N').map_or(rest, |nested| nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']));
    ["St", "Sa", "Ss", "Sb", "Si", "So", "Sd", "9__gnu_cxx"].iter().any(|p| rest.starts_with(p))
}

/// Whether a function has an interface for C, CUDA's included.
pub(crate) fn is_of_c_interface(name: &str) -> bool {
    is_of_cuda(name) || C_INTERFACES.iter().any(|p| name.starts_with(p))
}

/// Whether a function is a manipulator of streams that the C++ library has.
pub(crate) fn is_manipulator(name: &str) -> bool {
    ["_ZSt4endl", "_ZSt4ends", "_ZSt5flush", "_ZSt2ws"].iter().any(|p| name.starts_with(p))
        || name.starts_with("_ZSt") && name.ends_with("RSt8ios_base")
}

/// Whether a function launches what it is given, or tells how the next launch is configured.
pub(crate) fn is_launch(name: &str) -> bool {
    ["cudaLaunch", "cuLaunch", "cudaGraphLaunch", "__cudaPushCallConfiguration"].iter().any(|p| name.starts_with(p))
}

/// What is thrown where memory is exhausted. Beginnings of names.
const NO_MEMORY: &[&str] = &[
    "_ZSt17__throw_bad_alloc",
    "_ZSt28__throw_bad_array_new_length",
    "_ZSt20__throw_length_error",
    "__cxa_throw_bad_array_new_length",
    "_Znw",
    "_Zna",
];

/// Functions of the C++ library with bodies elsewhere that throw nothing. Beginnings of names.
const THROW_NOTHING: &[&str] = &[
    "_ZNSo",
    "_ZStls",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZSt16__ostream_insert",
    "_ZNSt8ios_base",
    "_ZNSt9basic_ios",
    "_ZNKSt9basic_ios",
    "_ZNSt6chrono",
    "_ZdlPv",
    "_ZdaPv",
    "_ZSt9terminate",
    "__cxa_guard",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_atexit",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
];

/// Whether a function without a body may throw something that a program catches.
pub(crate) fn may_throw(name: &str) -> bool {
    let foreign = name.starts_with("_Z") || name.starts_with("__cxa_throw") || name == "__cxa_rethrow";
    foreign && ![NO_MEMORY, THROW_NOTHING].concat().iter().any(|p| name.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::{is_of_cuda, is_of_library};

    #[test]
    fn names_of_cuda() {
        for n in ["cudaMalloc", "__cudaPushCallConfiguration", "cuLaunchKernel"] {
            assert!(is_of_cuda(n), "{n}");
        }
        for n in ["cut", "cube", "_Z4mainv", "custom"] {
            assert!(!is_of_cuda(n), "{n}");
        }
    }

    #[test]
    fn the_librarys_own_names() {
        for n in [
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5c_strEv",
            "_ZSt4sortIPiEvT_S1_",
            "_ZNSsC1EPKcRKSaIcE",
            "_ZN9__gnu_cxx13new_allocatorIcED2Ev",
            "_ZZNSt8__detail4findEvE1x",
        ] {
            assert!(is_of_library(n), "{n}");
        }
        for n in [
            "main",
            "_Z9configureNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
            "_ZN3run4withERSt6vectorIiSaIiEE",
            "_ZZ4mainENKUliE_clEi",
            "_ZN5StackC2Ev",
            "_Z3addIdEvNSt7__cxx1112basic_stringIcE",
        ] {
            assert!(!is_of_library(n), "{n}");
        }
    }
}
