//! Copies and fills of CUDA's runtime (CUDA Runtime API reference 13.0, Memory Management).

use super::arguments::{arg, read, short_name};
use super::cuda::symbol;
use super::runtime::{DeviceWork, RowsOfCopy};
use super::work::{ensure_not_captured, refuse, submit};
use crate::api::Cause;
use crate::machine::call::{ModelResult, Ret, ThreadStop};
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

/// Copies row by row: (dst, dpitch, src, spitch, width, height).
pub(super) fn memcpy_2d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let side = |at, pitch| RowsOfCopy { at: arg(a, at), pitch: arg(a, pitch), slice: Val::ZERO };
    let extent = [arg(a, 4), arg(a, 5), Val::new(1)];
    submit(m, th, stream_of(m, call, a), DeviceWork::CopyRows { to: side(0, 1), from: side(2, 3), extent })
}

/// `(const cudaMemcpy3DParms *, stream)`.
pub(super) fn memcpy_3d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    match volume(m, th, arg(a, 0))? {
        Some(work) => submit(m, th, stream_of(m, call, a), work),
        None => refuse(m),
    }
}

/// Reads a `cudaMemcpy3DParms`: for each side an array, a position and a pitched pointer (address, pitch, width, height), at 0
/// and at 64; then the extent, at 128. Without an array, widths are in bytes. `None` if rows are longer than the distance
/// between two, which is refused.
pub(super) fn volume(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<Option<DeviceWork>, ThreadStop> {
    let mut fields = [Val::ZERO; 19];
    for (i, field) in (0u64..).zip(&mut fields) {
        *field = read(m, th, Val { bits: p.bits.wrapping_add(8 * i), ..p }, 64)?;
    }
    let [from, to] = [0, 8].map(|i| (fields[i], [fields[i + 1], fields[i + 2], fields[i + 3]], &fields[i + 4..i + 8]));
    let extent = [fields[16], fields[17], fields[18]];
    if from.0.known() != Some(0) || to.0.known() != Some(0) {
        let why = m.reason(Cause::Contents, "a copy from or to an array of CUDA's");
        m.havoc(th, to.2[0], why);
        return Ok(Some(DeviceWork::Nothing));
    }
    let all = [from, to];
    let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    if all.iter().any(|(_, [x, ..], ptr)| {
        sum(x.known(), extent[0].known()).zip(ptr[1].known()).is_some_and(|(row, pitch)| row > pitch)
    }) {
        return Ok(None);
    }
    let [from, to] = all.map(|(_, [x, y, z], ptr)| {
        let [at, pitch, slice] = [ptr[0], ptr[1], ptr[3]];
        let known = [x, y, z].map(Val::known);
        let start = match (known, pitch.known(), slice.known()) {
            ([Some(x), Some(0), Some(0)], ..) => Some(x),
            ([Some(x), Some(y), Some(0)], Some(pitch), _) => Some(x.wrapping_add(y.wrapping_mul(pitch))),
            ([Some(x), Some(y), Some(z)], Some(pitch), Some(slice)) => {
                Some(z.wrapping_mul(slice).wrapping_add(y).wrapping_mul(pitch).wrapping_add(x))
            }
            _ => None,
        };
        let at = match start {
            Some(start) => Val { bits: at.bits.wrapping_add(start), ..at },
            None => m.unknown("where a copy of a volume begins"),
        };
        RowsOfCopy { at, pitch, slice }
    });
    Ok(Some(DeviceWork::CopyRows { to, from, extent }))
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

/// Fills row by row: (dst, pitch, value, width, height).
pub(super) fn memset_2d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work =
        DeviceWork::FillRows { to: arg(a, 0), pitch: arg(a, 1), byte: arg(a, 2), width: arg(a, 3), height: arg(a, 4) };
    submit(m, th, stream_of(m, call, a), work)
}
