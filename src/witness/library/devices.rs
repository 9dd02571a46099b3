//! Devices and their contexts (CUDA Runtime API reference 13.0, "Device Management"): the current device, and what a
//! reset destroys; queries of the first device, which is as the inputs say, else a usual one (`models::devices`).

use super::arguments::{arg, write};
use super::runtime::INVALID_VALUE;
use crate::api::{Cause, ConcreteInputs, ObjectKind};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use crate::memory::space::WindowId;
use ir::{Program, TypeKind};
use models::devices::{FREE_MEMORY, PROPERTIES, STRUCTURE, TOTAL_MEMORY, architecture, device_with, of_attribute};

/// `cudaSetDevice`: the device on which memory lies is not modelled.
pub fn set(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    m.works()?;
    m.cuda.several_devices |= arg(args, 0).known() != Some(0);
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaDeviceReset`: frees the runtime's allocations on the device and makes its variables unknown.
pub fn reset(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    m.works()?;
    let why = m.reason(Cause::Contents, "the contents of a variable after a device reset");
    let all: Vec<WindowId> = m.mem.ids().collect();
    for id in all {
        let Some(o) = m.mem.global(id) else { continue };
        match o.kind {
            ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned if !o.freed => {
                // The runtime did not allocate registered memory.
                if o.kind == ObjectKind::Pinned && !o.name.starts_with("cu") {
                    continue;
                }
                if m.cuda.several_devices {
                    return Err(ThreadStop::Unknown("one of several devices is reset".into()));
                }
                m.mem.free(id);
            }
            ObjectKind::DeviceGlobal | ObjectKind::Constant => m.havoc_object(th, id, why),
            _ => {}
        }
    }
    m.cuda.images.clear();
    m.cuda.arrays.clear();
    m.cuda.ended = m.mem.ids().last().unwrap_or(WindowId(0));
    Ok(Ret::Val(Val::ZERO))
}

/// Result of a free of memory that a device reset already freed: the runtime refuses it.
pub fn ended_before(m: &mut Machine<'_>, id: WindowId) -> Option<Ret> {
    let refused = id <= m.cuda.ended && m.mem.global(id).is_some_and(|o| o.freed);
    refused.then(|| {
        m.cuda.error = INVALID_VALUE;
        Ret::Val(Val::new(INVALID_VALUE))
    })
}

/// `cudaGetDevice`: the first one.
pub fn number(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let current = if m.cuda.several_devices { m.unknown("the number of the device") } else { Val::ZERO };
    write(m, th, call, arg(a, 0), 32, current)?;
    Ok(Ret::Val(Val::ZERO))
}

/// Returns the properties of the device on which a program runs; `None` if no device has those that its inputs give.
#[must_use]
pub fn device(program: &Program, inputs: &ConcreteInputs) -> Option<[i64; PROPERTIES.len()]> {
    device_with(|i| inputs.device.get(PROPERTIES[i].name).copied(), architecture(program))
}

/// Returns a property of the device with the number in an argument, and notes it if devices differ in it.
fn property(m: &mut Machine<'_>, number: usize, device_number: Val) -> Val {
    let p = &PROPERTIES[number];
    if let Some(c) = p.constant() {
        return Val::new(c.cast_unsigned());
    }
    match device(m.program, &m.inputs) {
        Some(all) if device_number.known() == Some(0) => {
            take_device(m, number, &all);
            Val::new(all[number].cast_unsigned())
        }
        _ => m.unknown("a property of the device"),
    }
}

/// Notes the device that a run takes, unless the inputs give the property that the program reads.
fn take_device(m: &mut Machine<'_>, number: usize, all: &[i64; PROPERTIES.len()]) {
    if !m.inputs.device.contains_key(PROPERTIES[number].name) {
        m.seen.take_for_granted(format!("the device is {}", models::devices::described(all)));
    }
}

/// `cudaDeviceGetAttribute(int *, attribute, device)`
pub fn attribute(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let number = arg(a, 1).known().and_then(|n| i64::try_from(n).ok()).and_then(of_attribute);
    let v = match number {
        Some(number) => property(m, number, arg(a, 2)),
        None => m.unknown("a property of the device"),
    };
    write(m, th, call, arg(a, 0), 32, v)?;
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaGetDeviceProperties(cudaDeviceProp *, device)`
pub fn properties(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Other, "a property of the device");
    let p = arg(a, 0);
    m.havoc(th, p, why);
    let at = |off: u64| Val { bits: p.bits + off, ..p };
    super::string::put_text(m, th, call, p, b"a CUDA device")?;
    let Some(site) = m.site(th) else { return Ok(Ret::Val(Val::ZERO)) };
    let module = m.program.module(site.func.module);
    let Some(structure) = module.type_named(STRUCTURE) else { return Ok(Ret::Val(Val::ZERO)) };
    let known = device(m.program, &m.inputs).filter(|_| arg(a, 1).known() == Some(0));
    for (number, property) in PROPERTIES.iter().enumerate() {
        let place = property.member.and_then(|(name, index)| {
            let (off, field) = module.member(structure, name)?;
            let (ty, off) = match module.ty(field.ty).kind {
                TypeKind::Array { elem, .. } => (elem, off + index * module.size_of(elem).get()),
                _ => (field.ty, off),
            };
            if let TypeKind::Int(bits @ (32 | 64)) = module.ty(ty).kind { Some((off, bits)) } else { None }
        });
        let (Some((off, bits)), Some(v)) = (place, property.constant().or_else(|| Some(known?[number]))) else {
            continue;
        };
        if let (None, Some(all)) = (property.constant(), &known) {
            take_device(m, number, all);
        }
        write(m, th, call, at(off), bits, Val::new(v.cast_unsigned()))?;
    }
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaMemGetInfo(size_t *free, size_t *total)`: the free memory is known at the first call only.
pub fn memory(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let first = if m.cuda.several_devices { Val::new(1) } else { Val::ZERO };
    let free = match std::mem::replace(&mut m.cuda.asked_for_memory, true) {
        false => property(m, FREE_MEMORY, first),
        true => m.unknown("the free memory of the device"),
    };
    let total = property(m, TOTAL_MEMORY, first);
    // Memory that the program itself holds is not free.
    let live = m
        .mem
        .ids()
        .filter_map(|id| m.mem.global(id))
        .filter(|o| matches!(o.kind, ObjectKind::Device | ObjectKind::Managed) && !o.freed);
    let held: u64 = live.map(|o| o.size).fold(0, u64::saturating_add);
    let free = match (free.known(), total.known()) {
        (Some(free), Some(total)) if free > total.saturating_sub(held) => m.unknown("the free memory of the device"),
        _ => free,
    };
    write(m, th, call, arg(a, 0), 64, free)?;
    write(m, th, call, arg(a, 1), 64, total)?;
    Ok(Ret::Val(Val::ZERO))
}

/// `cuDeviceTotalMem(size_t *, device)`
pub fn total_memory(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let total = property(m, TOTAL_MEMORY, arg(a, 1));
    write(m, th, call, arg(a, 0), 64, total)?;
    Ok(Ret::Val(Val::ZERO))
}

/// Symbols of templates of `cuda_runtime.h` that search all sizes of blocks.
pub const POTENTIAL: [&str; 2] =
    ["_ZL34cudaOccupancyMaxPotentialBlockSizeI", "_ZL43cudaOccupancyMaxPotentialBlockSizeWithFlagsI"];

/// `cudaOccupancyMaxPotentialBlockSize(int *, int *, …)`: the compiler decides.
pub fn potential(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    for i in 0..2 {
        let v = m.unknown("the occupancy of a kernel");
        write(m, th, call, arg(a, i), 32, v)?;
    }
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, …)`: the compiler decides.
pub fn occupancy(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let v = m.unknown("the occupancy of a kernel");
    write(m, th, call, arg(a, 0), 32, v)?;
    Ok(Ret::Val(Val::ZERO))
}
