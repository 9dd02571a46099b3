//! Copies and fills of CUDA's runtime (CUDA Runtime API reference 13.0, Memory Management).

use super::arguments::{arg, short_name};
use super::cuda::symbol;
use super::runtime::DeviceWork;
use super::work::{ensure_not_captured, submit};
use crate::machine::call::{ModelResult, Ret};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;

const OK: ModelResult = Ok(Ret::Val(Val::ZERO));

/// Stream of a copy or fill: the last argument of asynchronous functions.
pub(super) fn stream_of(m: &Machine<'_>, call: &CallInfo, args: &[Val]) -> Val {
    let name = short_name(m, call);
    let name = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(&name);
    let name = name.strip_suffix("_v2").unwrap_or(name);
    if name.ends_with("Async") { args.last().copied().unwrap_or(Val::ZERO) } else { Val::ZERO }
}

pub(super) fn memcpy(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let work = DeviceWork::Copy { to: arg(args, 0), from: arg(args, 1), bytes: arg(args, 2) };
    submit(m, th, stream_of(m, call, args), work)
}

pub(super) fn memcpy_peer(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let work = DeviceWork::Copy { to: arg(args, 0), from: arg(args, 2), bytes: arg(args, 4) };
    submit(m, th, stream_of(m, call, args), work)
}

pub(super) fn to_symbol(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    ensure_not_captured(m, stream_of(m, call, a))?;
    let Some(site) = m.site(th) else { return OK };
    match (symbol(m, arg(a, 0)), arg(a, 3).known()) {
        (Ok(p), Some(off)) => m.write_symbol(th, site, Val::new(p.bits.wrapping_add(off)), arg(a, 1), arg(a, 2))?,
        (Ok(p), None) => m.havoc(th, p, arg(a, 3).poison),
        (Err(_), _) => m.seen.doubt(format!("{}: which symbol is written is not known", m.line(site))),
    }
    OK
}

pub(super) fn from_symbol(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    match (symbol(m, arg(a, 1)), arg(a, 3).known()) {
        (Ok(p), Some(off)) => {
            let from = Val::new(p.bits.wrapping_add(off));
            let work = DeviceWork::Copy { to: arg(a, 0), from, bytes: arg(a, 2) };
            return submit(m, th, stream_of(m, call, a), work);
        }
        (Ok(_), None) => m.havoc(th, arg(a, 0), arg(a, 3).poison),
        (Err(p), _) => m.havoc(th, arg(a, 0), p.poison),
    }
    OK
}

pub(super) fn memset(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let work = DeviceWork::Fill { to: arg(args, 0), byte: arg(args, 1), bytes: arg(args, 2) };
    submit(m, th, stream_of(m, call, args), work)
}
