//! System functions: files by name, time, threads, random numbers, resources (C11, POSIX.1-2017, glibc).

use crate::row::{FunctionRow, host, host_starts};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&[
        "rand", "srand", "random", "srandom", "lrand48", "srand48", "time", "clock", "gettimeofday", "clock_gettime",
        "usleep", "sleep",
    ]).gives_nothing_else(),
    host(&[
        "drand48", "mrand48", "rand_r",
    ]).gives_nothing_else().concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&["erand48"]).gives_nothing_else().neither("neither knows more than its attributes"),
    host(&["__scuba_is_known", "__scuba_lost"]).concrete_only("the interpreter's body of qsort calls it"),
    host(&["qsort"]).keeps_no_function().concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&[
        "qsort_r", "bsearch", "lfind", "lsearch",
    ]).keeps_no_function().neither("neither knows more than its attributes"),
    host(&[
        "open", "open64", "mkdir",
    ]).keeps_no_address().writes_only_its_own().reads(0).neither("neither knows more than its attributes"),
    host(&[
        "close", "read", "lseek", "lseek64", "pread", "fstat", "getcwd", "isatty", "localtime_r", "gmtime_r",
        "getpagesize", "pthread_self", "pthread_attr_init", "sem_init",
    ]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&["pthread_join"]).keeps_no_address(),
    host(&["pthread_detach"]).keeps_no_address().concrete_only("attributes say all that it does"),
    host(&[
        "pwrite", "fsync", "localtime", "gmtime", "mktime", "ctime", "asctime", "difftime", "pthread_attr_destroy",
        "pthread_attr_setstacksize", "pthread_attr_setdetachstate", "sem_wait", "sem_post", "sem_destroy",
    ]).keeps_no_address().writes_only_its_own().neither("neither knows more than its attributes"),
    host(&["stat", "lstat"]).keeps_no_address().reads(0).neither("neither knows more than its attributes"),
    host(&[
        "access",
    ]).keeps_no_address().writes_only_its_own().reads(0)
    .symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&[
        "unlink", "remove", "chdir",
    ]).keeps_no_address().writes_only_its_own().reads(0)
    .concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&[
        "rename",
    ]).keeps_no_address().writes_only_its_own().reads_from(0)
    .concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&[
        "ftruncate", "gethostname", "sysconf", "sched_yield",
    ]).keeps_no_address().concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&[
        "nanosleep", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_destroy",
    ]).keeps_no_address().writes_only_its_own(),
    host(&[
        "clock_getres", "pthread_cond_init", "pthread_barrier_init",
    ]).keeps_no_address().symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&["getrusage", "pthread_mutex_init"]).keeps_no_address(),
    host(&[
        "pthread_mutex_trylock", "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast",
        "pthread_cond_destroy", "pthread_barrier_wait", "pthread_barrier_destroy",
    ]).keeps_no_address().writes_only_its_own()
    .symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&["closedir", "dlclose"]).writes_only_its_own().neither("neither knows more than its attributes"),
    host(&["dlsym"]).writes_only_its_own(),
    host(&[
        "opendir",
    ]).writes_only_its_own().reads(0).symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&["rmdir"]).writes_only_its_own().reads(0).neither("neither knows more than its attributes"),
    host(&["dlopen"]).writes_only_its_own().reads_from(0).concrete_only("a library that is open is any handle to the executor"),
    host(&["creat", "stat64", "__xstat", "realpath"]).reads(0).neither("neither knows more than its attributes"),
    host(&["truncate"]).reads(0).concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&[
        "link", "symlink",
    ]).reads_from(0).concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&["setlocale"]).reads_from(1).concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&["syslog"]).reads_from(1).neither("neither knows more than its attributes"),
    host(&["warn", "warnx"]).reads_from(0).neither("neither knows more than its attributes"),
    host(&[
        "getuid", "geteuid", "getgid", "setpgid", "nice", "getpriority", "setpriority", "setrlimit", "getrlimit",
        "sched_setaffinity", "sched_getaffinity", "sched_getcpu", "backtrace", "backtrace_symbols",
        "backtrace_symbols_fd", "dladdr", "dlerror", "tmpnam", "mkstemp", "mkdtemp", "readdir", "rewinddir", "glob",
        "globfree", "ftw", "nftw", "scandir", "fcntl", "ioctl", "select", "poll", "pipe", "dup", "dup2", "chmod",
        "chown", "umask", "readv", "writev", "sendfile", "posix_fadvise", "fallocate", "posix_fallocate", "statvfs",
        "readlink", "utime", "utimes", "flock", "lockf", "socket", "bind", "listen", "accept", "connect", "send",
        "sendto", "sendmsg", "recv", "recvfrom", "recvmsg", "shutdown", "setsockopt", "getsockopt", "getaddrinfo",
        "freeaddrinfo", "gethostbyname", "inet_addr", "inet_ntoa", "inet_pton", "inet_ntop", "htons", "htonl",
        "ntohs", "ntohl", "shm_open", "shm_unlink", "shmget", "shmat", "shmdt", "shmctl", "sem_open", "sem_close",
        "sem_unlink", "sem_trywait", "sem_timedwait", "ctermid", "ttyname", "tcgetattr", "tcsetattr", "ffs", "swab",
        "localeconv", "hcreate", "hdestroy", "hsearch", "tsearch", "tfind", "tdelete", "clock_settime",
        "clock_nanosleep", "timer_create", "timer_settime", "timer_delete", "timegm",
        "pthread_cancel", "pthread_equal", "pthread_key_create", "pthread_setspecific", "pthread_getspecific",
        "pthread_once", "pthread_cond_timedwait", "pthread_mutexattr_init", "pthread_mutexattr_settype",
        "pthread_mutexattr_destroy", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock",
        "pthread_rwlock_init", "pthread_rwlock_destroy", "pthread_spin_init", "pthread_spin_lock",
        "pthread_spin_unlock", "pthread_spin_destroy", "pthread_setaffinity_np", "pthread_getaffinity_np",
        "pthread_setname_np", "uname", "sysinfo", "getloadavg", "gethostid", "getlogin", "getpwuid", "getrandom",
        "getentropy", "arc4random", "closelog",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&["pthread_create"]).of_c_library(),
    host(&[
        "times", "ftime", "tzset", "openlog",
    ]).of_c_library().concrete_only("what it gives is unknown, and what it could write is lost"),
    // OpenMP 5.2 and its runtime (LLVM 22, openmp/runtime/src/kmp.h). A region's function runs on any number of threads
    // before the call returns.
    host(&[
        "__kmpc_fork_teams", "__kmpc_fork_call_if", "GOMP_parallel",
    ]).keeps_no_function().neither("what a region writes is lost: in which order its threads run is not known"),
    host(&["__kmpc_fork_call"]).keeps_no_function(),
    host(&[
        "__kmpc_for_static_init_4", "__kmpc_for_static_init_4u", "__kmpc_for_static_init_8", "__kmpc_for_static_init_8u",
        "__kmpc_for_static_fini", "__kmpc_push_num_threads",
        "__kmpc_dispatch_init_4", "__kmpc_dispatch_init_4u", "__kmpc_dispatch_init_8", "__kmpc_dispatch_init_8u",
        "__kmpc_dispatch_next_4", "__kmpc_dispatch_next_4u", "__kmpc_dispatch_next_8", "__kmpc_dispatch_next_8u",
        "__kmpc_dispatch_deinit", "__kmpc_reduce", "__kmpc_reduce_nowait", "__kmpc_end_reduce",
        "__kmpc_end_reduce_nowait", "__kmpc_critical", "__kmpc_critical_with_hint", "__kmpc_end_critical",
        "__kmpc_single", "__kmpc_master", "__kmpc_masked", "__kmpc_barrier", "__kmpc_end_master", "__kmpc_end_masked",
        "__kmpc_end_single", "__kmpc_flush", "__kmpc_push_proc_bind", "__kmpc_taskgroup", "__kmpc_end_taskgroup",
        "__kmpc_omp_taskwait", "__kmpc_omp_taskyield",
    ]),
    host(&["__kmpc_omp_task_alloc", "__kmpc_omp_task", "__kmpc_omp_task_with_deps"]).keeps_no_function(),
    host(&["__kmpc_global_thread_num"]).concrete_only("the executor knows nothing of the threads of a team, which it runs one at a time"),
    host_starts(&["omp_"]).of_c_interface().gives_nothing_else().neither("neither knows more than its attributes"),
    host(&["gettimeofday_"]).symbolic_only("Fortran's spelling, which no program of C has"),
    host(&[
        "get_nprocs", "getticks", "fchdir", "chroot", "renameat", "mkfifo", "__errno_location",
    ]).concrete_only("what it gives is unknown, and what it could write is lost"),
];
