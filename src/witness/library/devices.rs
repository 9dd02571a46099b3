//! Devices and their contexts (CUDA Runtime API reference 13.0, "Device Management"): the current device, and what a
//! reset destroys.

use super::arguments::{arg, write};
use super::runtime::INVALID_VALUE;
use crate::api::Cause;
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use crate::memory::space::WindowId;

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
    write(m, th, call, arg(a, 0), 32, Val::ZERO)?;
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaDeviceGetAttribute(int *, attribute, device)`: values of the launch limits; other attributes depend on the
/// device.
pub fn attribute(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let v = match arg(a, 1).known() {
        Some(1..=3) => Val::new(1024),
        Some(4) => Val::new(64),
        Some(5) => Val::new(0x7fff_ffff),
        Some(6 | 7) => Val::new(65_535),
        Some(10) => Val::new(32),
        _ => m.unknown("a property of the device"),
    };
    write(m, th, call, arg(a, 0), 32, v)?;
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaGetDeviceProperties(cudaDeviceProp *, device)`: the launch limits, at the offsets of the structure since CUDA
/// 10.
pub fn properties(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Other, "a property of the device");
    let p = arg(a, 0);
    m.havoc(th, p, why);
    let at = |off: u64| Val { bits: p.bits + off, ..p };
    super::string::put_text(m, th, call, p, b"a CUDA device")?;
    for (off, v) in
        [(308, 32), (320, 1024), (324, 1024), (328, 1024), (332, 64), (336, 0x7fff_ffff), (340, 65_535), (344, 65_535)]
    {
        write(m, th, call, at(off), 32, Val::new(v))?;
    }
    Ok(Ret::Val(Val::ZERO))
}
