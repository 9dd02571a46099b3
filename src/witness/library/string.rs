//! String and memory functions of the C library.

use super::arguments::{arg, not_null, text, write};
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use crate::api::Cause;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, mask, signed};
use crate::memory::space::split;

/// String and memory functions of the C library.
pub(super) const STRING: ModelTable = &[
    (&["memcpy", "memmove", "__memcpy_chk", "__memmove_chk"], memcpy, ModelClass::Memory),
    (&["memset", "__memset_chk"], memset, ModelClass::Memory),
    (&["bzero"], bzero, ModelClass::Memory),
    (&["memcmp", "bcmp"], memcmp, ModelClass::Pure),
    (&["strlen"], strlen, ModelClass::Pure),
    (&["strcmp"], strcmp, ModelClass::Pure),
    (&["strncmp"], strncmp, ModelClass::Pure),
    (&["strcasecmp"], strcasecmp, ModelClass::Pure),
    (&["strcpy"], strcpy, ModelClass::Memory),
    (&["strdup"], strdup, ModelClass::Memory),
    (&["strndup"], strndup, ModelClass::Memory),
    (&["isdigit"], isdigit, ModelClass::Pure),
    (&["isspace"], isspace, ModelClass::Pure),
    (&["isalpha"], isalpha, ModelClass::Pure),
    (&["isalnum"], isalnum, ModelClass::Pure),
    (&["toupper"], toupper, ModelClass::Pure),
    (&["tolower"], tolower, ModelClass::Pure),
];

pub fn find(name: &str) -> Option<ModelEntry> {
    by_name(STRING, name)
}

fn memcpy(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(site) = m.site(th) {
        m.copy(th, || site, arg(args, 0), arg(args, 1), arg(args, 2))?;
    }
    Ok(Ret::Val(arg(args, 0)))
}

fn memset(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(site) = m.site(th) {
        m.set(th, || site, arg(args, 0), arg(args, 1), arg(args, 2))?;
    }
    Ok(Ret::Val(arg(args, 0)))
}

fn bzero(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(site) = m.site(th) {
        m.set(th, || site, arg(args, 0), Val::ZERO, arg(args, 1))?;
    }
    Ok(Ret::Void)
}

/// Bytes that cost as much to read as an instruction costs to execute.
const BYTES_PER_STEP: u64 = 4;

/// Most bytes that are read at once: what takes more is unknown.
const LONGEST: u64 = 1 << 24;

/// Reads `len` bytes at an address, each of which counts as work; fails with the poison of an unknown byte.
pub(super) fn bytes(m: &mut Machine<'_>, th: &Thread, p: Val, len: Val) -> Result<Vec<u8>, Val> {
    let (Some(a), Some(n)) = (p.known(), len.known()) else { return Err(if p.is_poison() { p } else { len }) };
    let (id, off) = split(a);
    if n > LONGEST {
        return Err(Val::poison(m.reason(Cause::Contents, "more contents than a replay reads at once")));
    }
    let o = m.mem.get(&th.stack, id).filter(|o| o.holds(off, n)).ok_or(Val::poison(Reason::BAD_READ))?;
    let mut read = 0;
    let all = (0..n)
        .map(|i| {
            read = i;
            let b = o.store.read(off.cast_unsigned() + i, 1);
            if b.is_poison() { Err(b) } else { Ok(b.bits as u8) }
        })
        .collect();
    m.steps += read / BYTES_PER_STEP;
    all
}

/// Difference of the first bytes that differ, as glibc gives it on x86-64; a missing byte counts as 0.
fn ordering(a: &[u8], b: &[u8]) -> Val {
    let at = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let byte = |s: &[u8]| i32::from(s.get(at).copied().unwrap_or(0));
    Val::i32(byte(a) - byte(b))
}

fn result(r: Result<Val, Val>) -> ModelResult {
    Ok(Ret::Val(match r {
        Ok(v) | Err(v) => v,
    }))
}

fn memcmp(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let n = arg(args, 2);
    result(bytes(m, th, arg(args, 0), n).and_then(|a| bytes(m, th, arg(args, 1), n).map(|b| ordering(&a, &b))))
}

fn strlen(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    not_null(th, arg(args, 0))?;
    result(text(m, th, arg(args, 0)).map(|s| Val::new(s.len() as u64)))
}

fn compare(m: &mut Machine<'_>, th: &Thread, args: &[Val], f: impl Fn(Vec<u8>) -> Vec<u8>) -> ModelResult {
    for p in [arg(args, 0), arg(args, 1)] {
        not_null(th, p)?;
    }
    let a = text(m, th, arg(args, 0));
    let b = text(m, th, arg(args, 1));
    result(a.and_then(|a| b.map(|b| ordering(&f(a), &f(b)))))
}

fn strcmp(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    compare(m, th, args, |s| s)
}
fn strcasecmp(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    compare(m, th, args, |s| s.to_ascii_lowercase())
}
fn strncmp(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let Some(n) = arg(args, 2).known() else { return Ok(Ret::Val(Val::poison(arg(args, 2).poison))) };
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    compare(m, th, args, |mut s| {
        s.truncate(n);
        s
    })
}

/// Writes a string of known bytes with its NUL.
pub fn put_text(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, p: Val, s: &[u8]) -> Result<(), ThreadStop> {
    for (i, b) in (0u64..).zip(s.iter().chain([&0])) {
        write(m, th, call, Val { bits: p.bits + i, ..p }, 8, Val::new(u64::from(*b)))?;
    }
    Ok(())
}

fn strcpy(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match text(m, th, arg(args, 1)) {
        Ok(s) => put_text(m, th, call, arg(args, 0), &s)?,
        Err(p) => m.havoc(th, arg(args, 0), p.poison),
    }
    Ok(Ret::Val(arg(args, 0)))
}

fn strdup(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match text(m, th, arg(args, 0)) {
        Ok(s) => copy_of(m, th, call, "strdup", &s),
        Err(p) => Ok(Ret::Val(Val::poison(p.poison))),
    }
}

/// Copies at most `n` bytes of a string and appends a NUL; the string needs no NUL within them (POSIX.1-2017, glibc
/// 2.36 `string/strndup.c`).
fn strndup(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (from, n) = (arg(args, 0), arg(args, 1));
    let Some(most) = n.known() else { return Ok(Ret::Val(Val::poison(n.poison))) };
    if most > 0 {
        not_null(th, from)?;
    }
    match m.mem.c_string_within(&th.stack, from, most) {
        Ok(s) => copy_of(m, th, call, "strndup", &s),
        Err(p) => Ok(Ret::Val(Val::poison(p.unwrap_or(Reason::BAD_READ)))),
    }
}

/// Creates a heap object that holds a string.
fn copy_of(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, function: &str, s: &[u8]) -> ModelResult {
    let site = m.user_site(th);
    let size = Val::new(s.len() as u64 + 1);
    let p = m.heap_object(
        crate::api::ObjectKind::HostHeap,
        function,
        site,
        size,
        crate::memory::store::Fill::Poison(Reason::UNINIT),
    )?;
    put_text(m, th, call, p, s)?;
    Ok(Ret::Val(p))
}

/// Character class, by its bit in glibc's tables for the "C" locale. Bytes above 127 and the end of file are in no
/// class. Other arguments have an undefined result.
fn class(args: &[Val], bit: u64, is: impl Fn(u8) -> bool) -> ModelResult {
    let c = arg(args, 0);
    result(c.known().map_or(Err(c), |b| match signed(b, 32) {
        n @ 0..=255 => Ok(Val::new(if is(n as u8) { bit } else { 0 })),
        -128..0 => Ok(Val::ZERO),
        _ => Err(Val::poison(Reason::OPEN)),
    }))
}

/// Character conversion. As in glibc's tables, a negative `char` counts as its byte, except the end of file.
fn on_char(args: &[Val], f: impl Fn(u8) -> u8) -> ModelResult {
    let c = arg(args, 0);
    result(c.known().map_or(Err(c), |b| match signed(b, 32) {
        n @ 0..=255 => Ok(Val::new(u64::from(f(n as u8)))),
        n @ -128..=-2 => Ok(Val::new((n + 256) as u64)),
        _ => Ok(Val::new(b & mask(32))),
    }))
}

fn isdigit(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    class(a, 1 << 11, |b| b.is_ascii_digit())
}
fn isspace(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    class(a, 1 << 13, super::numbers::is_space)
}
fn isalpha(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    class(a, 1 << 10, |b| b.is_ascii_alphabetic())
}
fn isalnum(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    class(a, 1 << 3, |b| b.is_ascii_alphanumeric())
}
fn toupper(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    on_char(a, |b| b.to_ascii_uppercase())
}
fn tolower(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    on_char(a, |b| b.to_ascii_lowercase())
}
