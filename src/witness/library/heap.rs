//! Allocation and deallocation by the C library, in host and device code.

use super::arguments::{arg, short_name, write};
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::space::split;
use crate::memory::store::Fill;

pub fn malloc(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (site, name) = (m.user_site(th), short_name(m, call));
    let p = m.heap_object(kind(th), &name, site, arg(args, 0), Fill::Poison(Reason::UNINIT))?;
    if let Some(o) = m.mem.initial_mut(split(p.bits).0) {
        o.align = MALLOC_ALIGNMENT;
    }
    Ok(Ret::Val(p))
}

/// Alignment in bytes of what `malloc` returns in host code (glibc 2.36 on x86-64) and in device code (CUDA C++
/// Programming Guide 13.0, 10.34).
const MALLOC_ALIGNMENT: u32 = 16;

/// Records the alignment in bytes that an object was allocated with, if it is known.
fn raise_alignment(m: &mut Machine<'_>, p: Val, align: Val) {
    let align = align.known().filter(|a| a.is_power_of_two()).and_then(|a| u32::try_from(a).ok());
    if let (Some(align), Some(o)) = (align, m.mem.initial_mut(split(p.bits).0)) {
        o.align = o.align.max(align);
    }
}

const fn kind(th: &Thread) -> ObjectKind {
    if th.on_device() { ObjectKind::Device } else { ObjectKind::HostHeap }
}

pub fn product(a: Val, b: Val) -> Val {
    match (a.known(), b.known()) {
        (Some(x), Some(y)) => Val::new(x.saturating_mul(y)),
        _ => Val::poison(if a.is_poison() { a.poison } else { b.poison }),
    }
}

pub fn calloc(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let site = m.user_site(th);
    m.heap_object(ObjectKind::HostHeap, "calloc", site, product(arg(args, 0), arg(args, 1)), Fill::Byte(0))
        .map(Ret::Val)
}

pub fn realloc(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let (old, size, site) = (arg(args, 0), arg(args, 1), m.user_site(th));
    let new = m.heap_object(ObjectKind::HostHeap, "realloc", site, size, Fill::Poison(Reason::UNINIT))?;
    if old.is_poison() || old.bits == 0 {
        return Ok(Ret::Val(new));
    }
    let pieces = m.mem.global(split(old.bits).0).map(|o| {
        let n = o.size.min(size.known().unwrap_or(o.size));
        o.store.cut(0, n)
    });
    if let (Some(p), Some(o)) = (pieces, m.mem.global_mut(split(new.bits).0)) {
        o.store.paste(0, &p);
    }
    m.mem.free(split(old.bits).0);
    Ok(Ret::Val(new))
}

pub fn free(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let p = arg(args, 0);
    if let Some(a) = p.known().filter(|a| *a != 0) {
        // The C library ends the program if it is given memory that it did not allocate.
        let foreign = m.mem.global(split(a).0).is_some_and(|o| {
            matches!(o.kind, ObjectKind::Device | ObjectKind::Managed)
                || o.kind == ObjectKind::Pinned && o.name.starts_with("cu")
        });
        if foreign && !th.on_device() {
            return Err(ThreadStop::Ended("the C library frees memory of the CUDA runtime".to_owned()));
        }
        release(m, th, a)?;
    }
    Ok(Ret::Void)
}

/// Frees the object that starts at an address: its contents are dropped, its size is kept for messages. The CUDA
/// runtime refuses any other address; the C library ends the program or causes damage that the interpreter does not
/// model.
pub fn release(m: &mut Machine<'_>, th: &Thread, address: u64) -> Result<(), ThreadStop> {
    let (id, 0) = split(address) else { return Ok(()) };
    let Some(freed) = m.mem.global(id).filter(|o| can_be_freed(o.kind)).map(|o| o.freed) else { return Ok(()) };
    if freed {
        return m.freed_again(th, address);
    }
    m.mem.free(id);
    if let Some(o) = m.mem.global_mut(id) {
        o.store.fill_all(Fill::Poison(Reason::UNINIT));
    }
    Ok(())
}

const fn can_be_freed(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::HostHeap | ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned)
}

pub fn memalign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let p = malloc(m, th, call, &args[1.min(args.len())..])?;
    if let Ret::Val(p) = p {
        raise_alignment(m, p, arg(args, 0));
    }
    Ok(p)
}

/// `operator new` with a size in bytes and an alignment.
pub fn aligned_new(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    memalign(m, th, call, &[arg(args, 1), arg(args, 0)])
}

pub fn posix_memalign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let site = m.user_site(th);
    let p = m.heap_object(ObjectKind::HostHeap, "posix_memalign", site, arg(args, 2), Fill::Poison(Reason::UNINIT))?;
    raise_alignment(m, p, arg(args, 1));
    write(m, th, call, arg(args, 0), 64, p)?;
    Ok(Ret::Val(Val::ZERO))
}
