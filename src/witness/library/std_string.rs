//! `std::string` of libstdc++: the members that are compiled into the library, on the string's layout.

use super::arguments::{arg, read, text, write};
use super::heap::release;
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::simple::nothing;
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::store::Fill;

/// Members of `std::string`, by the name after the prefix of the class.
pub(super) const MEMBERS: ModelTable = &[
    (&["9_M_createERmm"], string_create, ModelClass::Memory),
    (&["9_M_appendEPKcm"], string_append, ModelClass::Memory),
    (&["9_M_assignERKS4_"], string_assign, ModelClass::Memory),
    (&["10_M_replaceEmmPKcm"], string_replace, ModelClass::Memory),
    (&["14_M_replace_auxEmmmc"], string_fill, ModelClass::Memory),
    (&["12_M_constructEmc"], string_construct, ModelClass::Memory),
    (&["9_M_mutateEmmPKcm"], string_mutate, ModelClass::Memory),
    (&["7reserveEm"], string_reserve, ModelClass::Memory),
    (&["10_M_disposeEv"], nothing, ModelClass::Memory),
];

/// Model of a member of libstdc++'s `std::string`. Layout: pointer at 0, length at 8, capacity or the characters
/// themselves at 16.
pub(super) fn method(method: &str) -> Option<ModelEntry> {
    by_name(MEMBERS, method)
}

/// Writes back the new capacity that libstdc++ chooses; returns the storage.
fn string_create(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    // The member function ignores its object; the capacity is the second argument.
    let (cap, old) = (arg(args, 1), arg(args, 2));
    let want = read(m, th, cap, 64)?;
    let (Some(w), Some(o)) = (want.known(), old.known()) else {
        return m
            .heap_object(
                ObjectKind::HostHeap,
                "std::string",
                None,
                Val::poison(if want.is_poison() { want.poison } else { old.poison }),
                Fill::Poison(Reason::UNINIT),
            )
            .map(Ret::Val);
    };
    let size = if w > o && w < 2 * o { 2 * o } else { w };
    write(m, th, call, cap, 64, Val::new(size))?;
    let site = m.user_site(th);
    m.heap_object(ObjectKind::HostHeap, "std::string", site, Val::new(size + 1), Fill::Poison(Reason::UNINIT))
        .map(Ret::Val)
}

struct Str {
    data: u64,
    bytes: Vec<u8>,
}

fn string_read(m: &mut Machine<'_>, th: &Thread, s: Val) -> Result<Result<Str, Reason>, ThreadStop> {
    let (data, len) = (read(m, th, s, 64)?, read(m, th, Val { bits: s.bits + 8, ..s }, 64)?);
    let Some(d) = data.known() else { return Ok(Err(data.poison)) };
    Ok(super::string::bytes(m, th, data, len).map(|bytes| Str { data: d, bytes }).map_err(|v| v.poison))
}

/// Replaces a string's contents, in place if they fit.
fn string_write(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    s: Val,
    old: u64,
    bytes: &[u8],
) -> Result<(), ThreadStop> {
    let local = s.bits + 16;
    let capacity = if old == local { 15 } else { read(m, th, Val::new(local), 64)?.known().unwrap_or(0) };
    let mut data = old;
    if bytes.len() as u64 > capacity {
        let size = (bytes.len() as u64).max(2 * capacity);
        let site = m.user_site(th);
        data = m
            .heap_object(ObjectKind::HostHeap, "std::string", site, Val::new(size + 1), Fill::Poison(Reason::UNINIT))?
            .bits;
        if old != local {
            release(m, th, old)?;
        }
        write(m, th, call, s, 64, Val::new(data))?;
        write(m, th, call, Val::new(local), 64, Val::new(size))?;
    }
    super::string::put_text(m, th, call, Val::new(data), bytes)?;
    write(m, th, call, Val::new(s.bits + 8), 64, Val::new(bytes.len() as u64))
}

/// Reads, changes and writes back a string; the whole string becomes unknown if something is not known.
fn string_change(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    s: Val,
    f: impl FnOnce(&mut Machine<'_>, &Thread, &mut Vec<u8>) -> Result<(), Reason>,
) -> ModelResult {
    if s.is_poison() {
        return Ok(Ret::Val(s));
    }
    let current = string_read(m, th, s)?;
    let made = current.and_then(|c| {
        let mut b = c.bytes;
        f(m, th, &mut b).map(|()| (c.data, b))
    });
    match made {
        Ok((old, b)) => string_write(m, th, call, s, old, &b)?,
        Err(why) => m.havoc(th, s, why),
    }
    Ok(Ret::Val(s))
}

fn input(m: &Machine<'_>, th: &Thread, p: Val, n: Val) -> Result<Vec<u8>, Reason> {
    super::string::bytes(m, th, p, n).map_err(|v| v.poison)
}
fn size(v: Val) -> Result<usize, Reason> {
    v.known().and_then(|n| usize::try_from(n).ok()).ok_or(v.poison)
}

fn string_append(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    string_change(m, th, call, arg(a, 0), |m, th, b| {
        b.extend(input(m, th, arg(a, 1), arg(a, 2))?);
        Ok(())
    })
}

fn string_assign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let other = string_read(m, th, arg(a, 1))?;
    string_change(m, th, call, arg(a, 0), |_, _, b| {
        *b = other?.bytes;
        Ok(())
    })
}

/// Replaces characters: (position, length, characters, their number).
fn string_replace(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    string_change(m, th, call, arg(a, 0), |m, th, b| {
        let (pos, n) = (size(arg(a, 1))?.min(b.len()), size(arg(a, 2))?);
        let end = pos.saturating_add(n).min(b.len());
        b.splice(pos..end, input(m, th, arg(a, 3), arg(a, 4))?);
        Ok(())
    })
}

/// Replaces characters by equal ones: (position, length, count, character).
fn string_fill(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    string_change(m, th, call, arg(a, 0), |_, _, b| {
        let (pos, n, count) = (size(arg(a, 1))?.min(b.len()), size(arg(a, 2))?, size(arg(a, 3))?.min(1 << 24));
        let end = pos.saturating_add(n).min(b.len());
        let c = arg(a, 4).known().ok_or(arg(a, 4).poison)? as u8;
        b.splice(pos..end, std::iter::repeat_n(c, count));
        Ok(())
    })
}

/// Constructs a string of `count` equal characters in an uninitialised object.
fn string_construct(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let s = arg(a, 0);
    let (Some(n), Some(c)) = (arg(a, 1).known().filter(|n| *n <= 1 << 24), arg(a, 2).known()) else {
        m.havoc(th, s, Reason::OPEN);
        return Ok(Ret::Void);
    };
    write(m, th, call, s, 64, Val::new(s.bits + 16))?;
    write(m, th, call, Val::new(s.bits + 8), 64, Val::ZERO)?;
    string_write(m, th, call, s, s.bits + 16, &vec![c as u8; n as usize])?;
    Ok(Ret::Void)
}

/// Makes room inside a string; the caller sets the length.
fn string_mutate(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let before = string_read(m, th, arg(a, 0))?.map(|s| s.bytes.len() as u64);
    let r = string_change(m, th, call, arg(a, 0), |m, th, b| {
        let (pos, n, count) = (size(arg(a, 1))?.min(b.len()), size(arg(a, 2))?, size(arg(a, 4))?);
        let end = pos.saturating_add(n).min(b.len());
        let middle = if arg(a, 3).bits == 0 { vec![0; count] } else { input(m, th, arg(a, 3), arg(a, 4))? };
        b.splice(pos..end, middle);
        Ok(())
    })?;
    if let Ok(n) = before {
        write(m, th, call, Val::new(arg(a, 0).bits + 8), 64, Val::new(n))?;
    }
    Ok(r)
}

fn string_reserve(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    // The capacity has no observable effect that matters; the contents stay.
    string_change(m, th, call, arg(a, 0), |_, _, _| Ok(()))
}

pub(super) fn string_compare(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let s = string_read(m, th, arg(a, 0))?;
    let t = text(m, th, arg(a, 1));
    Ok(Ret::Val(match (s, t) {
        (Ok(s), Ok(t)) => Val::i32(match s.bytes.cmp(&t) {
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
        }),
        (Err(why), _) => Val::poison(why),
        (_, Err(p)) => p,
    }))
}
