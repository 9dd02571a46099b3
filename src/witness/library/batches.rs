//! Batched copies (CUDA Runtime API reference 13.0, `cudaMemcpyBatchAsync`), whose addresses and sizes are in arrays.

use super::arguments::{arg, read};
use super::work::ensure_not_captured;
use crate::api::Cause;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;

/// Most copies to perform one by one; the effect of a larger batch is unknown.
const MAX: u64 = 1 << 12;

/// `cudaMemcpyBatchAsync(dsts, srcs, sizes, count, …, stream)`: each copy reads and writes. Their order is
/// unspecified, so that the written contents become unknown.
pub fn memcpy_batch(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Result<Ret, ThreadStop> {
    let stream = args.last().copied().unwrap_or(Val::ZERO);
    ensure_not_captured(m, stream)?;
    let why = m.reason(Cause::Contents, "the result of a batch of copies");
    let (Some(site), Some(count)) = (m.site(th), arg(args, 3).known().filter(|n| *n <= MAX)) else {
        m.havoc_reachable(th, &[arg(args, 0)], why);
        return Ok(Ret::Val(Val::ZERO));
    };
    let mut written = Vec::new();
    for i in 0..count {
        let mut places = [Val::ZERO; 3];
        for (place, list) in places.iter_mut().zip(args) {
            *place = read(m, th, Val { bits: list.bits.wrapping_add(8 * i), ..*list }, 64)?;
        }
        let [to, from, size] = places;
        m.copy(th, || site, to, from, size)?;
        written.push(to);
    }
    for to in written {
        m.havoc(th, to, why);
    }
    Ok(Ret::Val(Val::ZERO))
}
