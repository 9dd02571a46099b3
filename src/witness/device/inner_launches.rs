//! Launches by device threads (CUDA C++ Programming Guide 13.0, 4.18, CUDA Dynamic Parallelism).
//!
//! In: the calls of the device runtime. Out: launches, which run in an order that may happen: each begins when all threads of the
//! launching kernel have ended, and ends, with all that it launches, before the next one begins.

use super::configuration::{InnerLaunch, ShapeAttributes};
use super::outcome::LaunchOutcome;
use super::shape::GridShape;
use crate::api::{ObjectKind, ProgramPoint};
use crate::library::arguments::{arg, read, write};
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::{Thread, site_of};
use crate::machine::value::{Reason, Val, low32};
use crate::memory::space::Obj;
use crate::memory::store::Fill;
use ir::FuncRef;
use ir::launched::is_launch_by_device;

/// Most launches that have not begun (`cudaLimitDevRuntimePendingLaunchCount` of CUDA 13.0 by default).
const MAX_PENDING: usize = 2048;

/// `cudaStreamTailLaunch` (`driver_types.h` of CUDA 13.0).
const TAIL_LAUNCH: u64 = 3;

/// `(alignment, bytes)`.
pub fn parameter_buffer(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let Some(bytes) = arg(a, 1).known() else { return Err(unknown("the size of its arguments is not known")) };
    let obj = Obj::new(ObjectKind::KernelParam, "arguments".into(), bytes, Fill::Poison(Reason::UNINIT));
    let id = m.mem.add(obj).ok_or_else(|| unknown("more objects than the interpreter can hold"))?;
    Ok(Ret::Val(Val::new(id.address())))
}

/// Creates a stream or an event: `(place of the handle, flags)`.
pub fn made_on_device(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 64, Val::new(1))?;
    Ok(Ret::Val(Val::ZERO))
}

/// `(kernel, arguments, grid, block, bytes of dynamic shared memory, stream)`.
pub fn launch_by_device(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let kernel = arg(a, 0).known().and_then(|address| m.mem.func_at(address));
    let kernel = kernel.filter(|k| m.program.func(*k).kernel && !m.program.func(*k).is_declaration());
    let Some(kernel) = kernel else { return Err(unknown("which kernel is not known")) };
    let (grid, block) = (dimensions(m, th, arg(a, 2))?, dimensions(m, th, arg(a, 3))?);
    let shared = arg(a, 4).known().map(|v| u64::from(low32(v)));
    let (Some(asked), Some(shared)) = (grid.zip(block), shared) else {
        return Err(unknown("its configuration is not known"));
    };
    let Ok(GridShape { grid, block, cluster }) = m.shape(kernel, asked, &ShapeAttributes::default()) else {
        return Err(unknown("its shape is not known"));
    };
    match m.fate(kernel, grid, block, shared) {
        LaunchOutcome::Runs => {}
        LaunchOutcome::Refused(code) => return Ok(Ret::Val(Val::new(code))),
        LaunchOutcome::Undecided(why) => return Err(unknown(&why)),
    }
    if m.cuda.inner.len() >= MAX_PENDING {
        return Err(unknown("more are pending than a device holds"));
    }
    let Some(stream) = arg(a, 5).known() else { return Err(unknown("its stream is not known")) };
    let tail = stream == TAIL_LAUNCH;
    let values = m.arguments_in_buffer(th, kernel, arg(a, 1))?;
    let site = m.device_launch_site(th);
    m.cuda.inner.push(InnerLaunch { kernel, values, grid, block, cluster, shared, tail, site });
    Ok(Ret::Val(Val::ZERO))
}

fn unknown(why: &str) -> ThreadStop {
    ThreadStop::Unknown(format!("a launch by a kernel: {why}").into())
}

/// Reads a `dim3`; `None` if a member is unknown.
fn dimensions(m: &mut Machine<'_>, th: &Thread, at: Val) -> Result<Option<[u32; 3]>, ThreadStop> {
    let mut all = [0; 3];
    for (i, n) in (0u64..).zip(&mut all) {
        let v = read(m, th, Val { bits: at.bits + 4 * i, ..at }, 32)?;
        let Some(v) = v.known() else { return Ok(None) };
        *n = low32(v);
    }
    Ok(Some(all))
}

impl Machine<'_> {
    /// Returns the call in the program's own code that launches, outside of the functions of the toolkit's headers.
    fn device_launch_site(&self, th: &Thread) -> Option<ProgramPoint> {
        let frame = th.frames.iter().rev().find(|f| !is_launch_by_device(&self.program.func(f.code.func).name))?;
        Some(site_of(&frame.code, frame.pc.wrapping_sub(1)))
    }

    /// Reads the arguments of a launch from its buffer, where they lie one behind the other, each aligned as its type.
    fn arguments_in_buffer(&mut self, th: &Thread, kernel: FuncRef, buffer: Val) -> Result<Vec<Val>, ThreadStop> {
        let (mut out, mut at) = (vec![], 0u64);
        let m = self.program.module(kernel.module);
        for p in &self.program.func(kernel).params {
            let size = m.size_of(p.byval.unwrap_or(p.ty)).get();
            let align = if p.byval.is_some() { u64::from(p.align) } else { size };
            if !align.is_power_of_two() {
                return Err(unknown("where its arguments lie is not known"));
            }
            at = at.next_multiple_of(align);
            self.kernel_argument(th, (kernel, p), Val { bits: buffer.bits + at, ..buffer }, &mut out)?;
            at += size;
        }
        Ok(out)
    }
}
