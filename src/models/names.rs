//! Names of functions of libraries, by what is known of them: one table for each property, rows by family.
//!
//! What a property means, and which functions have it by the beginnings of their names, is in [`super::attributes`].

/// Functions of libraries that give memory made anew, an address made of one they are given, or none; that call nothing of the program's;
/// and that put no address anywhere but one of those. What reads (`fread`, `sscanf`, `read`) may read an address that was written.
#[rustfmt::skip]
pub(super) const GIVE_NOTHING_ELSE: &[&str] = &[
    // The heap.
    "malloc", "calloc", "realloc", "reallocarray", "valloc", "aligned_alloc", "memalign", "posix_memalign", "free",
    "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
    "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
    // Memory and texts.
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp",
    "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk",
    "strdup", "strndup", "toupper", "tolower", "isdigit", "isspace", "isalpha",
    // Texts as numbers.
    "atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtof", "strtod",
    "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull", "abs", "labs", "llabs",
    // Output.
    "printf", "fprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "vsnprintf", "puts", "putchar", "putc",
    "fputc", "fputs", "fwrite", "fflush", "perror",
    // The end.
    "exit", "_exit", "abort", "__assert_fail",
    // The C++ runtime.
    "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "_Unwind_Resume", "_ZSt9terminatev",
    "_ZSt17__throw_bad_allocv", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt19__throw_logic_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    // Random numbers.
    "rand", "srand", "random", "srandom", "drand48", "lrand48", "mrand48", "srand48", "rand_r", "erand48",
    // Time.
    "time", "clock", "gettimeofday", "clock_gettime", "usleep", "sleep",
    // Mathematics.
    "pow", "powf", "sqrt", "sqrtf", "exp", "expf", "exp2", "exp2f", "log", "logf", "log2", "log2f", "log10",
    "log10f", "sin", "sinf", "cos", "cosf", "tan", "tanf", "asin", "asinf", "acos", "acosf", "atan", "atanf",
    "atan2", "atan2f", "sinh", "cosh", "tanh", "tanhf", "fabs", "fabsf", "floor", "floorf", "ceil", "ceilf", "round",
    "roundf", "lround", "lroundf", "rint", "rintf", "trunc", "truncf", "fmod", "fmodf", "fmax", "fmaxf", "fmin",
    "fminf", "hypot", "hypotf", "cbrt", "cbrtf", "ldexp", "frexp", "erf", "erff", "erfc", "erfcf",
];

/// The same of intrinsics, by their names without types.
#[rustfmt::skip]
pub(super) const INTRINSICS: &[&str] = &[
    // Memory and texts.
    "memcpy", "memcpy.inline", "memmove", "memset", "memset.inline",
    // Marks.
    "lifetime.start", "lifetime.end", "assume", "expect", "expect.with.probability", "is.constant", "objectsize",
    "experimental.noalias.scope.decl", "eh.typeid.for",
    // Integers and bits.
    "abs", "smax", "smin", "umax", "umin", "ctpop", "ctlz", "cttz", "bswap", "bitreverse", "fshl", "fshr",
    "sadd.with.overflow", "uadd.with.overflow", "ssub.with.overflow", "usub.with.overflow", "smul.with.overflow",
    "umul.with.overflow", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat",
    // Mathematics.
    "fabs", "sqrt", "pow", "powi", "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "floor", "ceil",
    "round", "roundeven", "rint", "nearbyint", "trunc", "copysign", "fma", "fmuladd", "maxnum", "minnum", "maximum",
    "minimum", "is.fpclass",
    // The stack, traps and variable arguments.
    "stacksave", "stackrestore", "trap", "va_start", "va_end", "va_copy",
];

/// What throws, and what surrounds a handler. That the end of one destroys what was caught is left out (`throws`).
#[rustfmt::skip]
pub(super) const OF_EXCEPTIONS: &[&str] = &[
    "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_init_primary_exception", "__cxa_throw",
    "__cxa_rethrow", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_get_exception_ptr", "__cxa_bad_cast",
    "__cxa_bad_typeid", "__cxa_throw_bad_array_new_length", "__cxa_pure_virtual", "__dynamic_cast",
];

/// Functions of libraries that call those they are given before they return, and never again.
#[rustfmt::skip]
pub(super) const KEEPS_NOTHING: &[&str] = &[
    "qsort", "qsort_r", "bsearch", "lfind", "lsearch",
];

/// Functions of C and POSIX that keep no address of what they are given, and call nothing that they find there. Other threads may run
/// meanwhile.
#[rustfmt::skip]
pub(super) const KEEP_NO_ADDRESS: &[&str] = &[
    // Files and streams.
    "fopen", "fopen64", "fdopen", "freopen", "fclose", "fread", "fgets", "fgetc", "getc", "getchar", "gets",
    "ungetc", "fseek", "fseeko", "ftell", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno", "scanf",
    "fscanf", "sscanf", "vfscanf", "vsscanf", "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf",
    "__isoc23_scanf", "__isoc23_fscanf", "__isoc23_sscanf", "getline", "getdelim", "open", "open64", "close", "read",
    "write", "lseek", "lseek64", "pread", "pwrite", "stat", "fstat", "lstat", "access", "mkdir", "unlink", "remove",
    "rename", "ftruncate", "fsync", "mmap", "munmap", "mlock",
    // The system.
    "getenv", "gethostname", "getpid", "getppid", "getcwd", "chdir", "isatty",
    // Texts.
    "strtok_r", "strerror", "strnlen", "stpcpy", "strcoll", "isalnum", "isupper", "islower", "isxdigit", "ispunct",
    "isprint",
    // Time.
    "localtime", "localtime_r", "gmtime", "gmtime_r", "strftime", "mktime", "ctime", "asctime", "difftime",
    "nanosleep", "clock_getres",
    // Resources.
    "getrusage", "sysconf", "getpagesize", "sched_yield",
    // Mathematics.
    "div", "ldiv",
    // Threads.
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
    "pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_wait", "pthread_cond_signal",
    "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_barrier_init", "pthread_barrier_wait",
    "pthread_barrier_destroy", "pthread_self", "pthread_join", "pthread_detach", "pthread_attr_init",
    "pthread_attr_destroy", "pthread_attr_setstacksize", "pthread_attr_setdetachstate", "sem_init", "sem_wait",
    "sem_post", "sem_destroy",
    // Mathematics.
    "tgamma", "lgamma", "fma", "fmaf", "nextafter", "remainder", "modf", "modff", "sincos", "sincosf", "expm1",
    "log1p", "asinh", "acosh", "atanh", "scalbn", "ilogb", "logb", "nan", "nanf",
];

/// Functions of C and POSIX that write nothing through the pointers that they are given but what is the library's own: streams of files,
/// threads, what they free.
#[rustfmt::skip]
pub(super) const WRITE_ONLY_THEIR_OWN: &[&str] = &[
    // Streams.
    "fclose", "fflush", "fseek", "fseeko", "ftell", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno",
    "fgetc", "getc", "ungetc", "fputc", "putc", "fputs", "puts", "fprintf", "vfprintf", "printf", "perror", "fwrite",
    "write", "pwrite", "pclose", "closedir", "fsync", "freopen", "fdopen", "fopen", "fopen64", "popen", "opendir",
    // Memory that ends, and that is read.
    "free", "munmap", "mlock", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcasecmp",
    "strncasecmp", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strdup", "strndup", "strcoll",
    "atoi", "atol", "atoll", "atof", "getenv", "strerror", "access", "mkdir", "rmdir", "unlink", "remove", "rename",
    "chdir", "open", "open64", "system", "exit", "abort", "__assert_fail", "setenv", "putenv", "dlopen", "dlsym",
    "dlclose", "_Unwind_Resume",
    // Threads.
    "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_mutex_destroy",
    "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy",
    "pthread_barrier_wait", "pthread_barrier_destroy", "pthread_attr_destroy", "pthread_attr_setstacksize",
    "pthread_attr_setdetachstate", "sem_wait", "sem_post", "sem_destroy",
    // Time.
    "mktime", "difftime", "asctime", "ctime", "localtime", "gmtime", "nanosleep",
];

/// More functions of C and POSIX, of which no more is known than whose they are.
#[rustfmt::skip]
pub(super) const OTHERS_OF_C: &[&str] = &[
    // Processes and signals.
    "fork", "vfork", "wait", "waitpid", "execl", "execlp", "execv", "execve", "execvp", "kill", "raise", "signal",
    "sigaction", "sigemptyset", "sigfillset", "sigaddset", "sigprocmask", "pthread_sigmask", "alarm", "pause",
    "setitimer", "atexit", "at_quick_exit", "quick_exit", "_Exit", "getuid", "geteuid", "getgid", "setpgid", "nice",
    "getpriority", "setpriority", "setrlimit", "getrlimit", "sched_setaffinity", "sched_getaffinity", "sched_getcpu",
    "prctl", "syscall", "backtrace", "backtrace_symbols", "backtrace_symbols_fd", "dladdr", "dlerror",
    // Files, folders and sockets.
    "tmpfile", "tmpnam", "mkstemp", "mkdtemp", "popen", "pclose", "opendir", "readdir", "rewinddir", "closedir",
    "glob", "globfree", "ftw", "nftw", "scandir", "fcntl", "ioctl", "select", "poll", "pipe", "dup", "dup2", "chmod",
    "chown", "umask", "readv", "writev", "sendfile", "mprotect", "msync", "madvise", "posix_fadvise", "fallocate",
    "posix_fallocate", "statvfs", "readlink", "utime", "utimes", "flock", "lockf", "socket", "bind", "listen",
    "accept", "connect", "send", "sendto", "sendmsg", "recv", "recvfrom", "recvmsg", "shutdown", "setsockopt",
    "getsockopt", "getaddrinfo", "freeaddrinfo", "gethostbyname", "inet_addr", "inet_ntoa", "inet_pton", "inet_ntop",
    "htons", "htonl", "ntohs", "ntohl", "shm_open", "shm_unlink", "shmget", "shmat", "shmdt", "shmctl", "sem_open",
    "sem_close", "sem_unlink", "sem_trywait", "sem_timedwait", "fgetpos", "fsetpos", "setvbuf", "setbuf",
    "fputs_unlocked", "getc_unlocked", "putchar_unlocked", "dprintf", "asprintf", "vasprintf", "vprintf", "vsprintf",
    "vscanf", "ctermid", "isatty", "ttyname", "tcgetattr", "tcsetattr", "getopt", "getopt_long", "getopt_long_only",
    // Texts and memory.
    "strsep", "strtok", "strcasestr", "strlcpy", "strlcat", "strxfrm", "strsignal", "memccpy", "memmem", "memrchr",
    "mempcpy", "bcopy", "bzero", "bcmp", "index", "rindex", "ffs", "swab", "basename", "dirname", "realpath", "regcomp",
    "regexec", "regfree", "regerror", "fnmatch", "wordexp", "wordfree", "iconv", "iconv_open", "iconv_close", "mblen",
    "mbstowcs", "wcstombs", "mbtowc", "wctomb", "wcslen", "wcscmp", "wcscpy", "malloc_usable_size", "mallopt",
    "malloc_trim", "mallinfo", "alloca", "strtold", "strtoimax", "strtoumax", "iscntrl", "isgraph", "isblank",
    "setlocale", "localeconv", "hcreate", "hdestroy", "hsearch", "tsearch", "tfind", "tdelete",
    // Time.
    "times", "ftime", "clock_settime", "clock_nanosleep", "timer_create", "timer_settime", "timer_delete", "tzset",
    "timegm", "strptime",
    // Jumps, threads and the system.
    "longjmp", "_longjmp", "siglongjmp", "pthread_create", "pthread_exit", "pthread_cancel", "pthread_equal",
    "pthread_key_create", "pthread_setspecific", "pthread_getspecific", "pthread_once", "pthread_cond_timedwait",
    "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_mutexattr_destroy", "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_rwlock_init", "pthread_rwlock_destroy",
    "pthread_spin_init", "pthread_spin_lock", "pthread_spin_unlock", "pthread_spin_destroy", "pthread_setaffinity_np",
    "pthread_getaffinity_np", "pthread_setname_np", "uname", "sysinfo", "getloadavg", "gethostid", "getlogin",
    "getpwuid", "getrandom", "getentropy", "arc4random", "putenv", "setenv", "unsetenv", "clearenv", "secure_getenv",
    "syslog", "openlog", "closelog", "err", "errx", "warn", "warnx", "error", "error_at_line",
    // Mathematics.
    "ldexpf", "frexpf", "scalbnf", "scalbln", "logbf", "ilogbf", "nextafterf", "nexttoward", "fdim", "fdimf",
    "copysign", "copysignf", "remainderf", "remquo", "nearbyint", "nearbyintf", "llround", "llroundf", "lrint",
    "lrintf", "llrint", "llrintf", "expm1f", "log1pf", "asinhf", "acoshf", "atanhf", "sinhf", "coshf", "tgammaf",
    "lgammaf", "lgamma_r", "j0", "j1", "jn", "y0", "y1", "yn", "exp10", "exp10f", "powl", "sqrtl", "expl", "logl",
    "sinl", "cosl", "tanl", "fabsl", "floorl", "ceill", "roundl", "fmodl", "lldiv", "feclearexcept", "feenableexcept",
    "fetestexcept", "fesetround", "fegetround", "srand48_r", "drand48_r", "random_r", "srandom_r", "initstate",
    "initstate_r", "setstate", "nrand48", "jrand48", "seed48", "lcong48",
];

/// CUDA's functions that are given kernels to ask about them. Beginnings of names.
#[rustfmt::skip]
pub(super) const ASKS_ABOUT_KERNELS: &[&str] = &[
    "cudaFuncGet", "cudaFuncSet", "cudaOccupancy",
];

/// Interfaces for C beside CUDA's runtime and driver, whose functions call no virtual methods. Beginnings of names.
#[rustfmt::skip]
pub(super) const C_INTERFACES: &[&str] = &[
    "cublas", "cufft", "cusparse", "cusolver", "curand", "cudnn", "nccl", "nvtx", "nvml", "MPI_", "omp_", "shmem_",
    "nvshmem",
];

/// What is thrown where memory is exhausted. Beginnings of names.
#[rustfmt::skip]
pub(super) const NO_MEMORY: &[&str] = &[
    "_ZSt17__throw_bad_alloc", "_ZSt28__throw_bad_array_new_length", "_ZSt20__throw_length_error",
    "__cxa_throw_bad_array_new_length", "_Znw", "_Zna",
];

/// Functions of the C++ library with bodies elsewhere that throw nothing. Beginnings of names.
#[rustfmt::skip]
pub(super) const THROW_NOTHING: &[&str] = &[
    "_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZSt16__ostream_insert", "_ZNSt8ios_base", "_ZNSt9basic_ios",
    "_ZNKSt9basic_ios", "_ZNSt6chrono", "_ZdlPv", "_ZdaPv", "_ZSt9terminate", "__cxa_guard", "__cxa_begin_catch",
    "__cxa_end_catch", "__cxa_atexit", "__cxa_allocate_exception", "__cxa_free_exception",
];

/// Functions of C and POSIX that only read the text which an argument is: that argument, counted from 0, and whether all behind it are so
/// as well. Formats that store through an argument (`%n`, `sscanf`) store nothing in a text.
#[rustfmt::skip]
pub(super) const ONLY_READ: &[(&[&str], usize, bool)] = &[
    (
        &[
            "strlen", "strnlen", "strdup", "strndup", "fopen", "fopen64", "open", "open64", "creat", "stat", "lstat",
            "stat64", "__xstat", "access", "mkdir", "rmdir", "unlink", "chdir", "opendir", "getenv", "putchar",
            "puts", "perror", "fputs", "fwrite", "remove", "system", "strtod", "strtof", "strtold", "realpath",
            "truncate", "nvtxRangePushA", "nvtxMarkA",
        ],
        0,
        false,
    ),
    (
        &[
            "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "memcmp", "strspn", "strcspn", "rename",
            "link", "symlink", "setenv", "dlopen", "printf", "scanf", "__isoc99_scanf", "__isoc23_scanf", "execl",
            "execlp", "execv", "execvp",
        ],
        0,
        true,
    ),
    (
        &[
            "strcpy", "strncpy", "strcat", "strncat", "stpcpy", "memcpy", "memmove", "write", "fprintf", "dprintf",
            "sprintf", "strtok", "strtok_r", "strsep", "setlocale", "fscanf", "syslog", "freopen", "err", "warn",
            "errx", "warnx", "__isoc99_fscanf", "__isoc23_fscanf",
        ],
        1,
        true,
    ),
    (
        &[
            "snprintf", "error", "error_at_line", "strftime", "cuModuleGetFunction",
        ],
        2,
        true,
    ),
    (
        &[
            "cuModuleLoad",
        ],
        1,
        false,
    ),
    (
        &[
            "sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "vsscanf", "warnx", "warn",
        ],
        0,
        true,
    ),
];
