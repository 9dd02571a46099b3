//! Copies of volumes (CUDA Runtime API reference 13.0, `cudaMemcpy3D`): rows of rows, between pitched pointers or CUDA's arrays.

use super::cuda_memory::moved;
use super::graphs::side;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::KeptSide;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Pitched pointer of one side, in bytes, with the position of the copy in it.
struct VolumeSide {
    at: Rc<Vec<GuardedTarget>>,
    x: TermId,
    y: TermId,
    z: TermId,
    pitch: TermId,
    rows: TermId,
}

/// A copied volume: targets of both sides, and what is accessed of each; nothing is known of what is in an array.
pub(super) struct CopiedVolume {
    pub to: Rc<Vec<GuardedTarget>>,
    pub from: Rc<Vec<GuardedTarget>>,
    pub sides: Vec<KeptSide>,
}

/// Whether an address is surely null.
fn is_null(p: &[GuardedTarget]) -> bool {
    !p.is_empty() && p.iter().all(|t| t.base == Base::Null)
}

fn size(e: &mut MemoryDomain<'_>, s: &mut State, p: &[GuardedTarget], at: i128) -> TermId {
    let place = moved(e, p, at);
    let v = match e.load_number(s, &place, 8) {
        Some(t) => Value::Int(t),
        None => Value::unknown(UnknownReason::Copy2D),
    };
    let t = e.value_int(&v, 64);
    e.interpret(t, 64, false)
}

/// Models the copy that a `cudaMemcpy3DParms` describes: for each side an array, a position and a pitched pointer (address,
/// pitch, width, height), at 0 and at 64; then the extent, at 128. Without an array, widths are in bytes.
pub(super) fn copy_volume(e: &mut ExecutionContext<'_>, s: &mut State, p: &Rc<Vec<GuardedTarget>>) -> CopiedVolume {
    let [from, to] = [0, 64].map(|base| {
        let (array, at) = (moved(e, p, base), moved(e, p, base + 32));
        let is_array = !is_null(&e.load_pointer(s, &array));
        let at = e.load_pointer(s, &at);
        let [x, y, z, pitch, rows] = [8, 16, 24, 40, 56].map(|field| size(e, s, p, base + field));
        (is_array, VolumeSide { at, x, y, z, pitch, rows })
    });
    let [width, height, depth] = [128, 136, 144].map(|at| size(e, s, p, at));
    let mut sides = vec![];
    if !from.0 && !to.0 {
        // Longer rows than the distance between two are refused.
        let one = e.arena.int(1);
        let mut runs = [width, height, depth].map(|n| e.arena.le(one, n)).to_vec();
        for side in [&from.1, &to.1] {
            let end = e.arena.add(side.x, width);
            runs.push(e.arena.le(end, side.pitch));
        }
        let runs = e.arena.and_all(runs);
        if let Some(there) = e.assume(s.clone(), runs) {
            for (of, kind) in [(&from.1, AccessKind::Read), (&to.1, AccessKind::Write)] {
                let (start, bytes) = range(e, of, [width, height, depth]);
                let at = e.offset_targets(&of.at, start);
                e.note_copy(&there, &at, bytes, kind);
                sides.push(side(&at, bytes, kind));
            }
        }
    }
    for o in e.objects_at(s, &to.1.at) {
        e.note_written_by_device(o);
    }
    e.havoc_targets(s, &to.1.at, &UnknownReason::Copy2D);
    CopiedVolume { to: to.1.at, from: from.1.at, sides }
}

/// Returns the first byte of a copied volume, from its pointer on, and the number of bytes up to the end of its last row.
fn range(e: &mut ExecutionContext<'_>, of: &VolumeSide, [width, height, depth]: [TermId; 3]) -> (TermId, TermId) {
    let bytes_to = |e: &mut ExecutionContext<'_>, slices: TermId, rows: TermId| {
        let above = e.arena.mul(slices, of.rows);
        let all = e.arena.add(above, rows);
        e.arena.mul(all, of.pitch)
    };
    let first = bytes_to(e, of.z, of.y);
    let start = e.arena.add(first, of.x);
    let (slices, rows) = (e.arena.add_const(depth, -1), e.arena.add_const(height, -1));
    let last = bytes_to(e, slices, rows);
    (start, e.arena.add(last, width))
}
