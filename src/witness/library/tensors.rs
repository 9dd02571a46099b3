//! Primitives of the tensor models (`templates/models/aten.cpp`).

use super::arguments::{arg, text};
use super::model::{ModelClass, ModelTable};
use super::string::bytes;
use crate::api::{Cause, ObjectKind};
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::space::split;
use crate::memory::store::Fill;
use models::tensors::{OF_HANDLE, operation_name};

/// Functions that the models call.
pub(super) const BASIS: ModelTable = &[
    (&["__scuba_device_memory"], device_memory, ModelClass::Memory),
    (&["__scuba_device_copy"], device_copy, ModelClass::Memory),
    (&["__scuba_extent"], extent, ModelClass::Pure),
    (&["__scuba_known"], super::simple::first, ModelClass::Pure),
    // The axiom holds for tensors that were made for a run.
    (&["__scuba_axiom"], super::simple::nothing, ModelClass::Pure),
    (&["__scuba_written"], written, ModelClass::Memory),
    (&["__scuba_any"], any, ModelClass::Pure),
    (&["__scuba_held"], any, ModelClass::Pure),
    (&["__scuba_whole"], any, ModelClass::Pure),
    (&["__scuba_times"], times, ModelClass::Pure),
    (&["__scuba_product"], product, ModelClass::Pure),
    (&["__scuba_extreme"], extreme, ModelClass::Pure),
    // In a replay the type is known.
    (&["__scuba_keep_extreme"], super::simple::nothing, ModelClass::Pure),
    (&["__scuba_setting"], setting, ModelClass::Pure),
    (&["__scuba_refuses"], refuses, ModelClass::Pure),
    (&["__scuba_given"], given, ModelClass::Pure),
    (&["__scuba_is_known"], is_known, ModelClass::Pure),
    (&["__scuba_lost"], lost, ModelClass::Memory),
    // Only axioms depend on it.
    (&["__scuba_asked"], nothing_asked, ModelClass::Pure),
];

fn device_memory(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let site = m.user_site(th);
    let fill = match arg(args, 1).known() {
        Some(0) => Fill::Poison(Reason::UNINIT),
        Some(1) => Fill::Byte(0),
        _ => Fill::Poison(m.reason(Cause::Operation, "what a function of PyTorch computes")),
    };
    m.heap_object(ObjectKind::Device, "tensor", site, arg(args, 0), fill).map(Ret::Val)
}

/// Allocates a copy of another tensor's storage if it is contiguous; otherwise the position of its elements is
/// unknown.
fn device_copy(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let site = m.user_site(th);
    let fill = Fill::Poison(m.reason(Cause::Operation, "what a function of PyTorch computes"));
    let to = m.heap_object(ObjectKind::Device, "tensor", site, arg(args, 0), fill)?;
    if let (Some(bytes), Some(from), Some(1)) = (arg(args, 0).known(), arg(args, 1).known(), arg(args, 2).known())
        && from != 0
    {
        let ((source, offset), (copy, _)) = (split(from), split(to.bits));
        let held = m.mem.get(&th.stack, source).filter(|o| !o.unknown.is_some() && o.holds(offset, bytes));
        if let Some(pieces) = held.map(|o| o.store.cut(offset.cast_unsigned(), bytes))
            && let Some(o) = m.mem.get_mut(&mut th.stack, copy)
        {
            o.store.paste(0, &pieces);
        }
    }
    Ok(Ret::Val(to))
}

fn extent(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let p = arg(args, 0);
    let Some(address) = p.known() else { return Ok(Ret::Val(p)) };
    if address == 0 {
        return Ok(Ret::Val(Val::ZERO));
    }
    let (id, offset) = split(address);
    let size = m.mem.get(&th.stack, id).filter(|o| !o.unknown.is_some()).map(|o| o.size);
    Ok(Ret::Val(match size {
        Some(size) => Val::new(size.wrapping_sub(offset.cast_unsigned())),
        None => Val::poison(m.reason(Cause::Other, "the extent of memory that is not known")),
    }))
}

/// Returns the tensor that a caller gave into which a pointer leads, or null.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn given(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let p = arg(args, 0);
    let Some(address) = p.known() else { return Ok(Ret::Val(p)) };
    let (id, _) = split(address);
    let is_one = address != 0 && m.mem.get(&th.stack, id).is_some_and(|o| o.name.ends_with(OF_HANDLE));
    Ok(Ret::Val(Val::new(if is_one { id.address() } else { 0 })))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn nothing_asked(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::ZERO))
}

fn written(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Operation, "what a function of PyTorch computes");
    let Some(address) = arg(args, 0).known().filter(|a| *a != 0) else { return Ok(Ret::Void) };
    let (id, _) = split(address);
    if let Some(o) = m.mem.get_mut(&mut th.stack, id) {
        o.store.fill_all(Fill::Poison(why));
    }
    Ok(Ret::Void)
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn is_known(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::new(u64::from(!arg(args, 0).is_poison()))))
}

/// Makes the memory behind a pointer unknown, for the reason that the second argument states.
fn lost(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let what = text(m, th, arg(args, 1)).unwrap_or_default();
    let why = m.reason(Cause::Contents, &String::from_utf8_lossy(&what));
    m.havoc(th, arg(args, 0), why);
    Ok(Ret::Void)
}

fn any(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::poison(m.reason(Cause::Operation, "a number that a library's function chooses"))))
}

/// Setting that an operator's caller made before: a run uses the usual value.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn setting(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(arg(args, 2)))
}

/// Goes on as if the running operation, which is not modelled, accepted its arguments.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn refuses(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    let modelled = th.frames.iter().rev().map(|f| m.program.func(f.code.func)).find(|f| f.is_library_model());
    let name = modelled.map(|f| operation_name(&f.display)).unwrap_or_default();
    m.doubt_acceptance(th, &name);
    Ok(Ret::Val(Val::ZERO))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn times(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let (a, b) = (arg(args, 0), arg(args, 1));
    Ok(Ret::Val(match (a.known(), b.known()) {
        (Some(x), Some(y)) => Val::new(x.wrapping_mul(y)),
        _ => {
            if a.is_poison() {
                a
            } else {
                b
            }
        }
    }))
}

/// Returns the unknown result of an operation of which an operand is unknown. That a check of it passes is no assumption
/// to be made.
fn of_operation(m: &mut Machine<'_>, operand: Val) -> Val {
    let why = format!("an operation on {}", m.text(operand.poison));
    Val::poison(m.reason(Cause::Operation, &why))
}

/// Returns the product of that many sizes.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn product(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let count = arg(args, 1);
    let size = Val { bits: count.bits.wrapping_mul(8), ..count };
    let of = |word: &[u8]| word.iter().rev().fold(0, |n: u64, byte| n << 8 | u64::from(*byte));
    Ok(Ret::Val(match bytes(m, th, arg(args, 0), size) {
        Ok(all) => Val::new(all.chunks(8).map(of).fold(1, u64::wrapping_mul)),
        Err(unknown) => of_operation(m, unknown),
    }))
}

/// Returns the least or the most of integers, with a sign or without.
fn extreme(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let [width, count, most, sign] = [1, 2, 3, 4].map(|i| arg(args, i));
    let width = width.known().filter(|w| (1..=8).contains(w));
    let (Some(width), Some(most), Some(sign)) = (width, most.known(), sign.known()) else {
        return any(m, th, call, args);
    };
    // Integers of 64 bits without a sign are no elements of which there are extremes.
    if sign == 0 && width == 8 {
        return any(m, th, call, args);
    }
    let size = Val { bits: count.bits.wrapping_mul(width), ..count };
    let shift = 64 - 8 * width;
    let of = |word: &[u8]| {
        let bits = word.iter().rev().fold(0, |n: u64, byte| n << 8 | u64::from(*byte));
        if sign == 0 { bits.cast_signed() } else { (bits << shift).cast_signed() >> shift }
    };
    Ok(Ret::Val(match bytes(m, th, arg(args, 0), size) {
        Ok(all) => {
            let all = all.chunks(usize::try_from(width).unwrap_or(1)).map(of);
            let found = if most != 0 { all.max() } else { all.min() };
            Val::new(found.unwrap_or(0).cast_unsigned())
        }
        Err(unknown) => of_operation(m, unknown),
    }))
}
