//! Algorithms of CCCL that run on a whole device (`models::device_wide`): before their bodies run, the ranges that they are
//! given are checked, so that a range that is too long is a fault of the call.

use super::arguments::arg;
use crate::api::ObjectKind;
use crate::machine::call::ThreadStop;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use crate::memory::space::split;
use finding::Direction;
use ir::{FuncRef, Program, Side};
use models::device_wide::{CubCall, ElementCount, ElementUse, ThrustCall};

/// Whether a function is such an algorithm.
pub fn is_device_wide(program: &Program, f: FuncRef) -> bool {
    let func = program.func(f);
    let display = func.display.as_str();
    let of_library = !program.is_own(f) || program.loc(f.module, func.loc).system;
    of_library
        && program.module(f.module).side == Side::Host
        && (display.contains("::cuda_cub::") || display.starts_with("cub::"))
        && (ThrustCall::of(display).is_some() || CubCall::of(display).is_some())
}

/// Checks the ranges of a call.
pub fn check(m: &mut Machine<'_>, th: &mut Thread, f: FuncRef, args: &[Val]) -> Result<(), ThreadStop> {
    // A captured one runs at the launches of the graph.
    if m.cuda.capturing.is_some() {
        return Ok(());
    }
    let program = m.program;
    let display = program.func(f).display.as_str();
    if let Some(call) = ThrustCall::of(display) {
        let (Some(first), Some(last)) = (arg(args, 1).known(), arg(args, 2).known()) else { return Ok(()) };
        let Some(count) = last.checked_sub(first).map(|n| n / call.sizes[0]) else { return Ok(()) };
        if split(first).0 != split(last).0 {
            return Ok(());
        }
        let uses = std::iter::once((1, call.algorithm.range)).chain((3..).zip(call.algorithm.beside.iter().copied()));
        for ((i, used), size) in uses.zip(&call.sizes) {
            range(m, th, arg(args, i), count.saturating_mul(*size), used)?;
        }
    } else if let Some(call) = CubCall::of(display) {
        let (number, bits, signed) = call.count;
        let (Some(storage), Some(count)) = (arg(args, 0).known(), arg(args, number).known()) else { return Ok(()) };
        // Without storage the call only asks how much it needs.
        let negative = signed && count >> (bits - 1) & 1 == 1;
        if storage == 0 || negative {
            return Ok(());
        }
        for (i, (size, (used, many))) in (2..).zip(call.sizes.iter().zip(call.algorithm.ranges)) {
            let count = if *many == ElementCount::All { count } else { 1 };
            range(m, th, arg(args, i), count.saturating_mul(*size), *used)?;
        }
    }
    Ok(())
}

/// Checks a range in memory of a device.
fn range(m: &mut Machine<'_>, th: &mut Thread, p: Val, bytes: u64, used: ElementUse) -> Result<(), ThreadStop> {
    let Some(site) = m.site(th) else { return Ok(()) };
    let of_device = p.known().and_then(|a| m.mem.global(split(a).0)).is_some_and(|o| o.kind == ObjectKind::Device);
    if !of_device || bytes == 0 {
        return Ok(());
    }
    if used != ElementUse::Write {
        m.examine(th, site, p, bytes, Direction::Read)?;
    }
    if used != ElementUse::Read {
        m.examine(th, site, p, bytes, Direction::Write)?;
    }
    Ok(())
}
