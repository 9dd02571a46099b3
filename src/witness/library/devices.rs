//! Devices and their contexts (CUDA Runtime API reference 13.0, "Device Management"): the current device, and what a
//! reset destroys.

use super::arguments::arg;
use super::runtime::INVALID_VALUE;
use crate::api::Cause;
use crate::api::ObjectKind;
use crate::machine::call::{Ret, Stop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use crate::memory::space::ObjId;

type Res = Result<Ret, Stop>;

/// `cudaSetDevice`: the device on which memory lies is not modelled.
pub fn set(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    m.works()?;
    m.cuda.several_devices |= arg(args, 0).known() != Some(0);
    Ok(Ret::Val(Val::ZERO))
}

/// `cudaDeviceReset`: frees the runtime's allocations on the device and makes its variables unknown.
pub fn reset(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, _: &[Val]) -> Res {
    m.works()?;
    let why = m.reason(Cause::Contents, "what a variable holds once its device was reset");
    let all: Vec<ObjId> = m.mem.ids().collect();
    for id in all {
        let Some(o) = m.mem.global(id) else { continue };
        match o.kind {
            ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned if !o.freed => {
                // The runtime did not allocate registered memory.
                if o.kind == ObjectKind::Pinned && !o.name.starts_with("cu") {
                    continue;
                }
                if m.cuda.several_devices {
                    return Err(Stop::Unknown("one of several devices is reset".into()));
                }
                m.mem.free(id);
            }
            ObjectKind::DeviceGlobal | ObjectKind::Constant => m.forget_object(th, id, why),
            _ => {}
        }
    }
    m.cuda.ended = m.mem.ids().last().unwrap_or(ObjId(0));
    Ok(Ret::Val(Val::ZERO))
}

/// Result of a free of memory that a device reset already freed: the runtime refuses it.
pub fn ended_before(m: &mut Machine<'_>, id: ObjId) -> Option<Ret> {
    let refused = id <= m.cuda.ended && m.mem.global(id).is_some_and(|o| o.freed);
    refused.then(|| {
        m.cuda.error = INVALID_VALUE;
        Ret::Val(Val::new(INVALID_VALUE))
    })
}
