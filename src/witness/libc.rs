//! The C library: process, allocation, numbers from text, random numbers, options.

use super::api::ObjectKind;
use super::machine::{Machine, Ret, Stop, Thread};
use super::code::CallInfo;
use super::memory::split;
use super::models::{Class, Entry};
use super::random::{Drand48, Rand};
use super::store::Fill;
use super::value::{Reason, Val, mask};
use rustc_hash::FxHashMap;

type Res = Result<Ret, Stop>;

/// State of the C library.
#[derive(Default)]
pub struct Libc {
    pub rand: Rand,
    /// How many numbers were drawn from [`super::api::Inputs::random`].
    drawn: usize,
    pub drand48: Drand48,
    /// Why the random numbers to come are not known.
    rand_unknown: Reason,
    drand48_unknown: Reason,
    pub files: super::stdio::Files,
    errno: Option<u64>,
    pub getopt: super::getopt::Getopt,
    /// Whether the last reading from `std::cin` succeeded, where that is known.
    pub cin_good: Option<bool>,
    /// Position in `strtok`'s string.
    pub strtok: u64,
}

impl Default for Reason { fn default() -> Self { Self::NONE } }

impl Libc {
    /// After skipped code that drew an unknown number of values.
    pub fn forget_random(&mut self, why: Reason) {
        self.rand_unknown = why;
        self.drand48_unknown = why;
    }
    pub fn forget_input(&mut self, why: Reason) { self.files.forget(why); }
}

/// The model of a function, by its symbol.
pub fn find(name: &str) -> Option<Entry> {
    // glibc's headers rename some for C23 and for large files.
    let name = name.strip_prefix("__isoc23_").or_else(|| name.strip_prefix("__isoc99_")).unwrap_or(name);
    Some(match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "__assert_fail" | "__assert" | "__stack_chk_fail" | "pthread_exit" => (ends, Class::Ends),
        "atexit" | "__cxa_atexit" | "signal" | "setlocale" | "sched_yield" | "usleep" | "sleep" | "nanosleep" | "pthread_mutex_lock"
        | "pthread_mutex_unlock" | "pthread_mutex_init" | "pthread_mutex_destroy" | "setvbuf" | "setbuf" | "fflush" | "mlock" | "munlock"
        | "omp_set_num_threads" | "omp_get_thread_num" | "openlog" | "tzset" | "__cxa_thread_atexit" | "madvise" => (zero, Class::Pure),
        "omp_get_num_threads" | "omp_in_parallel" => (one, Class::Pure),
        "malloc" | "valloc" | "alloca" => (malloc, Class::Memory),
        "calloc" => (calloc, Class::Memory),
        "realloc" => (realloc, Class::Memory),
        "free" | "cfree" => (free, Class::Memory),
        "aligned_alloc" | "memalign" => (memalign, Class::Memory),
        "posix_memalign" => (posix_memalign, Class::Memory),
        "atoi" => (atoi, Class::Pure),
        "atol" | "atoll" => (atol, Class::Pure),
        "atof" => (atof, Class::Pure),
        "strtol" | "strtoll" | "strtoq" | "strtoimax" => (strtol, Class::Memory),
        "strtoul" | "strtoull" | "strtouq" | "strtoumax" => (strtoul, Class::Memory),
        "strtod" => (strtod, Class::Memory),
        "strtof" => (strtof, Class::Memory),
        "rand" | "random" => (rand, Class::Random),
        "srand" | "srandom" => (srand, Class::Random),
        "rand_r" => (rand_r, Class::Memory),
        "drand48" => (drand48, Class::Random),
        "lrand48" => (lrand48, Class::Random),
        "mrand48" => (mrand48, Class::Random),
        "srand48" => (srand48, Class::Random),
        "time" | "clock" | "getpid" | "gettimeofday" | "clock_gettime" | "times" | "getrusage" | "omp_get_wtime" | "omp_get_max_threads"
        | "omp_get_num_procs" | "sysconf" | "get_nprocs" | "ftime" | "getticks" | "gethostname" => (outside, Class::Memory),
        "getenv" | "secure_getenv" => (getenv, Class::Pure),
        "__errno_location" => (errno, Class::Pure),
        "abs" => (abs32, Class::Pure),
        "labs" | "llabs" => (abs64, Class::Pure),
        "qsort" => (qsort, Class::Memory),
        "getopt" => (super::getopt::getopt, Class::Input),
        "getopt_long" | "getopt_long_only" => (super::getopt::getopt_long, Class::Input),
        _ => return None,
    })
}

fn name_of(m: &Machine<'_>, call: &CallInfo) -> String { call.target.map_or_else(String::new, |f| m.program.func(f).display.clone()) }

pub fn arg(args: &[Val], i: usize) -> Val { args.get(i).copied().unwrap_or(Val::UNINIT) }

#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn zero(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { Ok(Ret::Val(Val::ZERO)) }
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn one(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { Ok(Ret::Val(Val::new(1))) }
/// Gives its first argument back.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn first(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res { Ok(Ret::Val(arg(args, 0))) }
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
pub fn nothing(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { Ok(Ret::Void) }

pub fn ends(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, _: &[Val]) -> Res {
    let at = m.user_site(th).map(|s| m.line(s)).unwrap_or_default();
    Err(Stop::Ended(format!("{at}: the call of `{}`", name_of(m, call))))
}

/// Something from outside the program: the result and what is behind the arguments are not known.
pub fn outside(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let why = m.reason(&format!("`{}`", name_of(m, call)));
    for a in args { if !a.is_poison() { m.forget(th, *a, why); } }
    Ok(Ret::Val(Val::poison(why)))
}

pub fn malloc(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let (site, name) = (m.user_site(th), short_name(m, call));
    m.heap_object(kind(th), &name, site, arg(args, 0), Fill::Poison(Reason::UNINIT)).map(Ret::Val)
}

const fn kind(th: &Thread) -> ObjectKind { if th.on_device() { ObjectKind::Device } else { ObjectKind::HostHeap } }

/// The function's name without parameters, as an allocation is called in reports.
pub fn short_name(m: &Machine<'_>, call: &CallInfo) -> String {
    let n = name_of(m, call);
    n.split('(').next().unwrap_or_default().to_owned()
}

fn product(a: Val, b: Val) -> Val {
    match (a.known(), b.known()) {
        (Some(x), Some(y)) => Val::new(x.saturating_mul(y)),
        _ => Val::poison(if a.is_poison() { a.poison } else { b.poison }),
    }
}

fn calloc(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let site = m.user_site(th);
    m.heap_object(ObjectKind::HostHeap, "calloc", site, product(arg(args, 0), arg(args, 1)), Fill::Byte(0)).map(Ret::Val)
}

fn realloc(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let (old, size, site) = (arg(args, 0), arg(args, 1), m.user_site(th));
    let new = m.heap_object(ObjectKind::HostHeap, "realloc", site, size, Fill::Poison(Reason::UNINIT))?;
    if old.is_poison() || old.bits == 0 { return Ok(Ret::Val(new)); }
    let pieces = m.mem.global(split(old.bits).0).map(|o| {
        let n = o.size.min(size.known().unwrap_or(o.size));
        o.store.cut(0, n)
    });
    if let (Some(p), Some(o)) = (pieces, m.mem.global_mut(split(new.bits).0)) { o.store.paste(0, &p); }
    m.mem.free(split(old.bits).0);
    Ok(Ret::Val(new))
}

pub fn free(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let p = arg(args, 0);
    if let Some(a) = p.known().filter(|a| *a != 0) {
        // The C library ends the program where it is given what it has not allocated.
        let foreign = m.mem.global(split(a).0).is_some_and(|o| matches!(o.kind, ObjectKind::Device | ObjectKind::Managed) || o.kind == ObjectKind::Pinned && o.name.starts_with("cuda"));
        if foreign && !th.on_device() { return Err(Stop::Ended("memory of the CUDA runtime is freed by the C library".to_owned())); }
        release(m, th, a)?;
    }
    Ok(Ret::Void)
}

/// Frees the object that starts at an address: its contents are given back, its extent is kept for messages. Any other
/// address is refused by the CUDA runtime, and by the C library ends the program or does harm that is not ours to follow.
pub fn release(m: &mut Machine<'_>, th: &Thread, address: u64) -> Result<(), Stop> {
    let (id, 0) = split(address) else { return Ok(()) };
    let Some(freed) = m.mem.global(id).filter(|o| can_be_freed(o.kind)).map(|o| o.freed) else { return Ok(()) };
    if freed { return m.freed_again(th, address); }
    m.mem.free(id);
    if let Some(o) = m.mem.global_mut(id) { o.store.fill_all(Fill::Poison(Reason::UNINIT)); }
    Ok(())
}

const fn can_be_freed(kind: ObjectKind) -> bool { matches!(kind, ObjectKind::HostHeap | ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned) }

fn memalign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res { malloc(m, th, call, &args[1.min(args.len())..]) }

fn posix_memalign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let site = m.user_site(th);
    let p = m.heap_object(ObjectKind::HostHeap, "posix_memalign", site, arg(args, 2), Fill::Poison(Reason::UNINIT))?;
    write(m, th, call, arg(args, 0), 64, p)?;
    Ok(Ret::Val(Val::ZERO))
}

/// A model writes one scalar through an argument.
pub fn write(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, p: Val, bits: u32, v: Val) -> Result<(), Stop> {
    if p.known() == Some(0) { return Ok(()); }
    let Some(site) = m.site(th) else { return Ok(()) };
    m.store(th, || site, p, bits, v)
}

/// A model reads one scalar through an argument.
pub fn read(m: &mut Machine<'_>, th: &Thread, p: Val, bits: u32) -> Result<Val, Stop> {
    let Some(site) = m.site(th) else { return Ok(Val::UNINIT) };
    m.load(th, || site, p, bits)
}

/// The bytes of a string argument; poison where they are not known.
pub fn text(m: &mut Machine<'_>, th: &Thread, p: Val) -> Result<Vec<u8>, Val> {
    m.mem.c_string(&th.stack, p).map_err(|r| Val::poison(r.unwrap_or(Reason::BAD_READ)))
}

/// The host's program ends where it reads a text through a null pointer, such as that of an argument that is missing.
pub fn not_null(th: &Thread, p: Val) -> Result<(), Stop> {
    if th.on_device() || p.is_poison() || !split(p.bits).0.is_null() { return Ok(()); }
    Err(Stop::Ended("the program reads a text through a null pointer".into()))
}

/// An integer as `strtol` reads it: value, overflow, bytes used (0 where there is none).
pub fn parse_int(s: &[u8], base: u64) -> (i128, usize) {
    let mut i = s.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
    let negative = match s.get(i) { Some(b'-') => { i += 1; true } Some(b'+') => { i += 1; false } _ => false };
    let mut base = base;
    let hex = s.get(i) == Some(&b'0') && matches!(s.get(i + 1), Some(b'x' | b'X')) && s.get(i + 2).is_some_and(u8::is_ascii_hexdigit);
    if hex && (base == 0 || base == 16) { i += 2; base = 16; }
    if base == 0 { base = if s.get(i) == Some(&b'0') { 8 } else { 10 }; }
    let start = i;
    let mut v: i128 = 0;
    while let Some(d) = s.get(i).and_then(|b| char::from(*b).to_digit(36)).filter(|d| u64::from(*d) < base) {
        v = (v * i128::from(base) + i128::from(d)).min(1 << 70);
        i += 1;
    }
    if i == start { return (0, 0); }
    (if negative { -v } else { v }, i)
}

/// A floating-point number as `strtod` reads it, and bytes used.
pub fn parse_float(s: &[u8]) -> (f64, usize) {
    let lead = s.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let t = &s[lead..];
    let sign = usize::from(matches!(t.first(), Some(b'+' | b'-')));
    let word = |w: &[u8]| t.len() >= sign + w.len() && t[sign..sign + w.len()].eq_ignore_ascii_case(w);
    for w in [&b"infinity"[..], b"inf", b"nan"] {
        if word(w) {
            let v = if w[0] | 32 == b'n' { f64::NAN } else { f64::INFINITY };
            return (if t[0] == b'-' { -v } else { v }, lead + sign + w.len());
        }
    }
    let mut i = sign;
    let digits = |i: &mut usize| { let s = *i; while t.get(*i).is_some_and(u8::is_ascii_digit) { *i += 1; } *i - s };
    let mut n = digits(&mut i);
    if t.get(i) == Some(&b'.') {
        i += 1;
        n += digits(&mut i);
    }
    if n == 0 { return (0.0, 0); }
    if matches!(t.get(i), Some(b'e' | b'E')) {
        let mut j = i + 1;
        if matches!(t.get(j), Some(b'+' | b'-')) { j += 1; }
        if digits(&mut j) > 0 { i = j; }
    }
    let v = std::str::from_utf8(&t[..i]).ok().and_then(|s| s.parse().ok()).unwrap_or(f64::NAN);
    (v, lead + i)
}

#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "two's complement of the width asked for")]
fn int_result(v: i128, width: u32) -> Val { Val::new(v as u64 & mask(width)) }

fn atoi(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(match text(m, th, arg(args, 0)) {
        // glibc's atoi is strtol and a truncation.
        Ok(s) => int_result(parse_int(&s, 10).0.clamp(i64::MIN.into(), i64::MAX.into()), 32),
        Err(p) => p,
    }))
}

fn atol(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(match text(m, th, arg(args, 0)) {
        Ok(s) => int_result(parse_int(&s, 10).0.clamp(i64::MIN.into(), i64::MAX.into()), 64),
        Err(p) => p,
    }))
}

fn atof(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    not_null(th, arg(args, 0))?;
    Ok(Ret::Val(text(m, th, arg(args, 0)).map_or_else(|p| p, |s| Val::f64(parse_float(&s).0))))
}

/// Common to the `strto…` functions: writes where the number ended.
fn number(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val], f: impl FnOnce(&[u8]) -> (Val, usize)) -> Res {
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

fn strtol(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let base = arg(args, 2).known().unwrap_or(10);
    let mut overflow = false;
    let r = number(m, th, call, args, |s| {
        let (v, n) = parse_int(s, base);
        overflow = i64::try_from(v).is_err();
        (int_result(v.clamp(i64::MIN.into(), i64::MAX.into()), 64), n)
    });
    if overflow { set_errno(m, 34)?; }
    r
}

fn strtoul(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let base = arg(args, 2).known().unwrap_or(10);
    let mut overflow = false;
    let r = number(m, th, call, args, |s| {
        let (v, n) = parse_int(s, base);
        overflow = v.unsigned_abs() > u128::from(u64::MAX);
        (if overflow { Val::new(u64::MAX) } else { int_result(v, 64) }, n)
    });
    if overflow { set_errno(m, 34)?; }
    r
}

fn strtod(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    number(m, th, call, args, |s| {
        let (v, n) = parse_float(s);
        (Val::f64(v), n)
    })
}

fn strtof(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    number(m, th, call, args, |s| {
        let (_, n) = parse_float(s);
        let v: f32 = std::str::from_utf8(&s[..n]).ok().and_then(|t| t.trim().parse().ok()).unwrap_or(0.0);
        (Val::new(u64::from(v.to_bits())), n)
    })
}

fn rand(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res {
    if !m.inputs.random.is_empty() {
        let v = m.inputs.random[m.libc.drawn % m.inputs.random.len()];
        m.libc.drawn += 1;
        return Ok(Ret::Val(Val::new(u64::from(v))));
    }
    if m.libc.rand_unknown.is_some() { return Ok(Ret::Val(Val::poison(m.libc.rand_unknown))); }
    Ok(Ret::Val(Val::new(u64::from(m.libc.rand.next()))))
}

fn srand(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let seed = arg(args, 0);
    m.libc.rand_unknown = seed.poison;
    m.libc.rand = Rand::new(super::value::low32(seed.bits));
    Ok(Ret::Void)
}

fn rand_r(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let seed = read(m, th, arg(args, 0), 32)?;
    let Some(s) = seed.known() else { return Ok(Ret::Val(seed)) };
    let (next, result) = super::random::rand_r(super::value::low32(s));
    write(m, th, call, arg(args, 0), 32, Val::new(u64::from(next)))?;
    Ok(Ret::Val(Val::new(u64::from(result))))
}

fn draw48(m: &mut Machine<'_>, f: impl FnOnce(&mut Drand48) -> Val) -> Ret {
    if m.libc.drand48_unknown.is_some() { Ret::Val(Val::poison(m.libc.drand48_unknown)) } else { Ret::Val(f(&mut m.libc.drand48)) }
}

fn drand48(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { Ok(draw48(m, |d| Val::f64(d.double()))) }
fn lrand48(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { Ok(draw48(m, |d| Val::new(u64::from(d.positive())))) }
fn mrand48(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res {
    Ok(draw48(m, |d| Val::new(i64::from(d.signed()).cast_unsigned())))
}

fn srand48(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let seed = arg(args, 0);
    m.libc.drand48_unknown = seed.poison;
    m.libc.drand48 = Drand48::new(super::value::low32(seed.bits));
    Ok(Ret::Void)
}

fn getenv(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let name = text(m, th, arg(args, 0)).map(|s| String::from_utf8_lossy(&s).into_owned()).unwrap_or_default();
    m.seen.assume(format!("the environment variable `{name}` is not set"));
    Ok(Ret::Val(Val::ZERO))
}

fn errno_object(m: &mut Machine<'_>) -> Result<u64, Stop> {
    if let Some(a) = m.libc.errno { return Ok(a); }
    let a = m.heap_object(ObjectKind::HostGlobal, "errno", None, Val::new(4), Fill::Byte(0))?.bits;
    m.libc.errno = Some(a);
    Ok(a)
}

fn set_errno(m: &mut Machine<'_>, v: u64) -> Result<(), Stop> {
    let a = errno_object(m)?;
    if let Some(o) = m.mem.global_mut(split(a).0) { o.store.write(0, 4, Val::new(v)); }
    Ok(())
}

fn errno(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res { errno_object(m).map(|a| Ret::Val(Val::new(a))) }

fn abs32(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let v = arg(args, 0);
    m.wrapped |= v.known().is_some_and(|b| super::value::low32(b).cast_signed() == i32::MIN);
    Ok(Ret::Val(v.known().map_or(v, |b| Val::new(u64::from(super::value::low32(b).cast_signed().unsigned_abs())))))
}

fn abs64(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let v = arg(args, 0);
    m.wrapped |= v.known().is_some_and(|b| b.cast_signed() == i64::MIN);
    Ok(Ret::Val(v.known().map_or(v, |b| Val::new(b.cast_signed().unsigned_abs()))))
}

/// Sorts with the program's own comparison, where all is known; else the array becomes unknown.
fn qsort(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    let (base, n, width, compare) = (arg(args, 0), arg(args, 1), arg(args, 2), arg(args, 3));
    let f = compare.known().and_then(|a| m.mem.func_at(a));
    let (Some(b), Some(n), Some(w), Some(f)) = (base.known(), n.known(), width.known(), f) else {
        let why = m.reason("what `qsort` sorted");
        m.forget(th, base, why);
        return Ok(Ret::Void);
    };
    // Merge sort over positions; glibc's is one as well, so that equal elements keep their order.
    let mut order: Vec<u64> = (0..n.min(1 << 20)).collect();
    let mut unknown = n > 1 << 20;
    let mut width_of_runs = 1;
    while width_of_runs < order.len() && !unknown {
        let mut next = Vec::with_capacity(order.len());
        for pair in order.chunks(2 * width_of_runs) {
            let (left, right) = pair.split_at(width_of_runs.min(pair.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() && j < right.len() && !unknown {
                let r = m.call(th, f, &[Val::new(b + left[i] * w), Val::new(b + right[j] * w)])?;
                let Some(sign) = r.first().and_then(|v| v.known()) else { unknown = true; break };
                if super::value::signed(sign, 32) <= 0 { next.push(left[i]); i += 1; } else { next.push(right[j]); j += 1; }
            }
            next.extend(&left[i..]);
            next.extend(&right[j..]);
        }
        order = next;
        width_of_runs *= 2;
    }
    let (id, off) = split(b);
    if unknown || !m.mem.get(&th.stack, id).is_some_and(|o| o.holds(off, n.saturating_mul(w))) {
        let why = m.reason("what `qsort` sorted");
        m.forget(th, base, why);
        return Ok(Ret::Void);
    }
    if let Some(o) = m.mem.get_mut(&mut th.stack, id) {
        let pieces: Vec<_> = order.iter().map(|i| o.store.cut(off.cast_unsigned() + i * w, w)).collect();
        for (i, p) in (0u64..).zip(&pieces) { o.store.paste(off.cast_unsigned() + i * w, p); }
    }
    Ok(Ret::Void)
}

/// Names and addresses of the program's own variables in the C library, for models that set them.
pub fn library_variables(m: &Machine<'_>, names: &[&str]) -> FxHashMap<String, u64> {
    m.globals.iter().filter_map(|(g, a)| {
        let name = &m.program.global(*g).name;
        names.contains(&name.as_str()).then(|| (name.clone(), *a))
    }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_strtol_does() {
        assert_eq!(parse_int(b"  -42x", 10), (-42, 5));
        assert_eq!(parse_int(b"0x1fz", 0), (31, 4));
        assert_eq!(parse_int(b"0x", 16), (0, 1));
        assert_eq!(parse_int(b"017", 0), (15, 3));
        assert_eq!(parse_int(b"abc", 10), (0, 0));
        assert_eq!(parse_int(b"", 10), (0, 0));
        assert_eq!(parse_int(b"+7", 10), (7, 2));
    }

    #[test]
    fn floats_are_read_as_strtod_does() {
        assert_eq!(parse_float(b" 1.5e3x"), (1500.0, 6));
        assert_eq!(parse_float(b"2e"), (2.0, 1));
        assert_eq!(parse_float(b".5"), (0.5, 2));
        assert_eq!(parse_float(b"-inf"), (f64::NEG_INFINITY, 4));
        assert_eq!(parse_float(b"."), (0.0, 0));
    }
}
