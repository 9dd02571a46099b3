//! Models of the C library: process, allocation, string conversion, random numbers.

use super::arguments::{arg, name_of, not_null, text, write};
use super::heap::{calloc, free, malloc, memalign, posix_memalign, realloc};
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::numbers::{as_signed, as_unsigned, parse_float, parse_int};
use super::random::Rand;
use super::simple::{one, outside, zero};
use crate::api::Cause;
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, mask};
use crate::memory::space::split;
use crate::memory::store::Fill;

/// Functions of the C library: process, allocation, string conversion, random numbers.
pub(super) const LIBC: ModelTable = &[
    (
        &[
            "atexit",
            "__cxa_atexit",
            "signal",
            "setlocale",
            "sched_yield",
            "usleep",
            "sleep",
            "nanosleep",
            "pthread_mutex_init",
            "pthread_mutex_destroy",
            "fflush",
            "mlock",
            "munlock",
            "omp_set_num_threads",
            "omp_get_thread_num",
            "openlog",
            "tzset",
            "__cxa_thread_atexit",
            "madvise",
        ],
        zero,
        ModelClass::Pure,
    ),
    (&["setvbuf", "setbuf"], set_buffer, ModelClass::Memory),
    (&["omp_get_num_threads"], one, ModelClass::Pure),
    (&["malloc", "valloc", "alloca"], malloc, ModelClass::Memory),
    (&["calloc"], calloc, ModelClass::Memory),
    (&["realloc"], realloc, ModelClass::Memory),
    (&["free", "cfree"], free, ModelClass::Memory),
    (&["aligned_alloc", "memalign"], memalign, ModelClass::Memory),
    (&["posix_memalign"], posix_memalign, ModelClass::Memory),
    (&["atoi"], atoi, ModelClass::Pure),
    (&["atol", "atoll"], atol, ModelClass::Pure),
    (&["atof"], atof, ModelClass::Pure),
    // glibc's headers rename some functions for C23.
    (
        &["strtol", "strtoll", "strtoq", "strtoimax", "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoimax"],
        strtol,
        ModelClass::Memory,
    ),
    (
        &["strtoul", "strtoull", "strtouq", "strtoumax", "__isoc23_strtoul", "__isoc23_strtoull", "__isoc23_strtoumax"],
        strtoul,
        ModelClass::Memory,
    ),
    (&["strtod"], strtod, ModelClass::Memory),
    (&["strtof"], strtof, ModelClass::Memory),
    (&["rand", "random"], rand, ModelClass::Random),
    (&["srand", "srandom"], srand, ModelClass::Random),
    (
        &[
            "time",
            "clock",
            "getpid",
            "gettimeofday",
            "clock_gettime",
            "times",
            "getrusage",
            "omp_get_wtime",
            "omp_get_max_threads",
            "omp_get_num_procs",
            "sysconf",
            "get_nprocs",
            "ftime",
            "getticks",
            "gethostname",
        ],
        outside,
        ModelClass::Memory,
    ),
    (
        &[
            "chdir",
            "fchdir",
            "chroot",
            "rename",
            "renameat",
            "remove",
            "unlink",
            "link",
            "symlink",
            "truncate",
            "ftruncate",
            "mkfifo",
            "system",
            "popen",
        ],
        files_change,
        ModelClass::Input,
    ),
    (&["getenv", "secure_getenv"], getenv, ModelClass::Pure),
    (&["__errno_location"], errno, ModelClass::Pure),
];

/// Model of a function by its symbol.
pub fn find(name: &str) -> Option<ModelEntry> {
    if let Some(e) = super::no_return::find(name) {
        return Some(e);
    }
    by_name(LIBC, name)
}

/// Stops if a stream gets a buffer in the program's memory, which is not modelled.
fn set_buffer(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if arg(args, 1).known() == Some(0) {
        return Ok(Ret::Val(Val::ZERO));
    }
    Err(ThreadStop::Unknown("a stream's buffer is in memory of the program".into()))
}

#[expect(clippy::cast_sign_loss, reason = "two's complement of the width asked for")]
fn int_result(v: i64, width: u32) -> Val {
    Val::new(v as u64 & mask(width))
}

fn atoi(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(match text(m, th, arg(args, 0)) {
        // glibc's atoi is strtol and a truncation.
        Ok(s) => int_result(as_signed(parse_int(&s, 10, false).0), 32),
        Err(p) => p,
    }))
}

fn atol(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(match text(m, th, arg(args, 0)) {
        Ok(s) => int_result(as_signed(parse_int(&s, 10, false).0), 64),
        Err(p) => p,
    }))
}

fn atof(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(
        text(m, th, arg(args, 0))
            .map_or_else(|p| p, |s| parse_float(&s).map_or(Val::poison(Reason::OPEN), |f| Val::f64(f.0))),
    ))
}

/// Common part of the `strto…` functions: writes the end pointer.
fn number(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    f: impl FnOnce(&[u8]) -> (Val, usize),
) -> ModelResult {
    let (s, end) = (arg(args, 0), arg(args, 1));
    not_null(th, s)?;
    let (v, at) = match text(m, th, s) {
        Ok(bytes) => {
            let (v, n) = f(&bytes);
            (v, Val::new(s.bits + n as u64))
        }
        Err(p) => (p, p),
    };
    write(m, th, call, end, 64, at)?;
    Ok(Ret::Val(v))
}

/// Base of an integer, and whether `0b` is a prefix, as in C23. `None` for an invalid base: such a call gives 0 and
/// writes nothing (glibc).
fn base_of(m: &Machine<'_>, call: &CallInfo, args: &[Val]) -> Result<Option<(u64, bool)>, Val> {
    let Some(base) = arg(args, 2).known().map(|b| b & mask(32)) else { return Err(Val::poison(arg(args, 2).poison)) };
    let binary = call.target.is_some_and(|f| m.program.func(f).name.starts_with("__isoc23_"));
    Ok((base == 0 || (2..=36).contains(&base)).then_some((base, binary)))
}

fn integer(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    f: impl FnOnce(i128) -> (Val, bool),
) -> ModelResult {
    let (base, binary) = match base_of(m, call, args) {
        Ok(Some(b)) => b,
        Ok(None) => {
            set_errno(m, 22)?;
            return Ok(Ret::Val(Val::ZERO));
        }
        Err(p) => {
            write(m, th, call, arg(args, 1), 64, p)?;
            return Ok(Ret::Val(p));
        }
    };
    let mut overflow = false;
    let r = number(m, th, call, args, |s| {
        let (v, n) = parse_int(s, base, binary);
        let (v, over) = f(v);
        overflow = over;
        (v, n)
    });
    if overflow {
        set_errno(m, 34)?;
    }
    r
}

fn strtol(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    integer(m, th, call, args, |v| (int_result(as_signed(v), 64), i64::try_from(v).is_err()))
}

fn strtoul(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    integer(m, th, call, args, |v| (Val::new(as_unsigned(v)), v.unsigned_abs() > u128::from(u64::MAX)))
}

fn strtod(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    float(m, th, call, args, |f| Val::f64(f.0))
}
fn strtof(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    float(m, th, call, args, |f| Val::new(u64::from(f.1.to_bits())))
}

fn float(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    f: impl FnOnce((f64, f32)) -> Val,
) -> ModelResult {
    not_null(th, arg(args, 0))?;
    if text(m, th, arg(args, 0)).is_ok_and(|s| parse_float(&s).is_none()) {
        write(m, th, call, arg(args, 1), 64, Val::poison(Reason::OPEN))?;
        return Ok(Ret::Val(Val::poison(Reason::OPEN)));
    }
    number(m, th, call, args, |s| parse_float(s).map_or((Val::poison(Reason::OPEN), 0), |(a, b, n)| (f((a, b)), n)))
}

/// Makes files unknown that are opened later under names which the call may change.
fn files_change(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let name = name_of(m, call);
    let why = m.reason(Cause::Contents, &format!("the file that `{name}` leads to"));
    // Number of path arguments of functions that change named files; other files keep their contents.
    let named = match name.as_str() {
        "remove" | "unlink" | "truncate" => 1,
        "rename" | "link" | "symlink" => 2,
        _ => 0,
    };
    let names: Vec<_> = (0..named).map(|i| text(m, th, arg(args, i))).collect();
    if named == 0 || names.iter().any(Result::is_err) {
        m.libc.files.all_change(why);
    }
    for n in names.into_iter().flatten() {
        m.libc.files.changes(&String::from_utf8_lossy(&n), why);
    }
    Ok(Ret::Val(m.unknown("whether a file could be changed")))
}

fn rand(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    if !m.inputs.random.is_empty() {
        let v = m.inputs.random[m.libc.drawn % m.inputs.random.len()];
        m.libc.drawn += 1;
        return Ok(Ret::Val(Val::new(u64::from(v))));
    }
    if m.libc.rand_unknown.is_some() {
        return Ok(Ret::Val(Val::poison(m.libc.rand_unknown)));
    }
    Ok(Ret::Val(Val::new(u64::from(m.libc.rand.next()))))
}

fn srand(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let seed = arg(args, 0);
    m.libc.rand_unknown = seed.poison;
    m.libc.rand = Rand::new(crate::machine::value::low32(seed.bits));
    Ok(Ret::Void)
}

fn getenv(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let name = text(m, th, arg(args, 0)).map(|s| String::from_utf8_lossy(&s).into_owned()).unwrap_or_default();
    m.seen.assume(format!("the environment variable `{name}` is not set"));
    Ok(Ret::Val(Val::ZERO))
}

fn errno_object(m: &mut Machine<'_>) -> Result<u64, ThreadStop> {
    if let Some(a) = m.libc.errno {
        return Ok(a);
    }
    let a = m.heap_object(ObjectKind::HostGlobal, "errno", None, Val::new(4), Fill::Byte(0))?.bits;
    m.libc.errno = Some(a);
    Ok(a)
}

fn set_errno(m: &mut Machine<'_>, v: u64) -> Result<(), ThreadStop> {
    let a = errno_object(m)?;
    if let Some(o) = m.mem.global_mut(split(a).0) {
        o.store.write(0, 4, Val::new(v));
    }
    Ok(())
}

fn errno(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    errno_object(m).map(|a| Ret::Val(Val::new(a)))
}
