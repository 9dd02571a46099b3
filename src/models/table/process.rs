//! Process functions: termination, signals, jumps, options and the environment (C11, POSIX.1-2017, glibc 2.39).

use crate::returns::Returns::{IfHandled, IfZero, Never, Perhaps};
use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&["exit", "abort", "__assert_fail"]).gives_nothing_else().writes_only_its_own().returns(Never),
    host(&["_exit"]).gives_nothing_else().returns(Never),
    host(&["getenv"]).keeps_no_address().writes_only_its_own().reads(0),
    host(&["getpid"]).keeps_no_address(),
    host(&["getppid"]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&["system"]).writes_only_its_own().reads(0),
    host(&["setenv"]).writes_only_its_own().reads_from(0).neither("neither knows more than its attributes"),
    host(&["putenv"]).writes_only_its_own().neither("neither knows more than its attributes"),
    host(&[
        "execl", "execlp", "execv", "execvp",
    ]).reads_from(0).returns(Perhaps)
    .concrete_only("whether it comes back is open: a path goes on behind it, and no replay does"),
    host(&["err", "errx"]).reads_from(1).returns(Never),
    host(&["error", "error_at_line"]).reads_from(2).returns(IfZero(0)),
    host(&[
        "_Exit", "quick_exit", "__assert_perror_fail", "__assert", "__stack_chk_fail", "__chk_fail",
        "__fortify_fail", "pthread_exit", "thrd_exit", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "verr",
        "verrx",
    ]).returns(Never),
    host(&[
        "kill", "killpg", "tgkill", "pthread_kill", "pthread_sigqueue", "sigqueue", "execle", "execve", "execvpe",
        "fexecve", "pause", "sigsuspend", "sigpause", "sigwait", "sigwaitinfo", "reboot", "syscall",
    ]).returns(Perhaps).concrete_only("whether it comes back is open: a path goes on behind it, and no replay does"),
    host(&["verror"]).returns(IfZero(0)),
    host(&[
        "raise", "gsignal",
    ]).returns(IfHandled(0))
    .concrete_only("whether it comes back is open: a path goes on behind it, and no replay does"),
    host(&[
        "fork", "vfork", "wait", "waitpid", "sigaction", "sigemptyset", "sigfillset", "sigaddset", "sigprocmask",
        "pthread_sigmask", "alarm", "setitimer", "at_quick_exit", "prctl", "unsetenv", "clearenv",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&[
        "signal", "secure_getenv",
    ]).of_c_library().concrete_only("what it gives is unknown, and what it could write is lost"),
    host(&["atexit", "getopt", "getopt_long", "getopt_long_only"]).of_c_library(),
    host(&[
        "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
    ]).symbolic_only("what comes back a second time is not replayed"),
];
