//! Copies and fills of rows and of volumes, between pitched pointers and arrays (CUDA Runtime API reference 13.0, `cudaMemcpy3D`,
//! `cudaMemcpy2DToArray`; Driver API reference 13.0, `cuMemcpy2D`, `cuMemcpy3D`).

use super::arguments::{arg, read};
use super::copies::stream_of;
use super::model::{ModelClass, ModelTable};
use super::runtime::{ArrayLayout, DeviceWork, RowsOfCopy};
use super::work::{refuse, submit};
use crate::api::Cause;
use crate::machine::call::{ModelResult, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use finding::Direction;
use models::cuda_arrays::PitchRule;

/// Copies and fills of volumes, and copies of rows between memory and arrays.
pub(super) const VOLUMES: ModelTable = &[
    (&["cudaMemcpy3D", "cudaMemcpy3DAsync"], memcpy_3d, ModelClass::Memory),
    (&["cudaMemcpy3DPeer", "cudaMemcpy3DPeerAsync"], memcpy_3d_peer, ModelClass::Memory),
    (&["cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2", "cuMemcpy2DAsync_v2"], driver_rows, ModelClass::Memory),
    (
        &["cuMemcpy3D_v2", "cuMemcpy3DAsync_v2", "cuMemcpy3DPeer", "cuMemcpy3DPeerAsync"],
        driver_volume,
        ModelClass::Memory,
    ),
    (&["cudaMemcpy2D", "cudaMemcpy2DAsync"], memcpy_2d, ModelClass::Memory),
    (&["cudaMemset2D", "cudaMemset2DAsync"], memset_2d, ModelClass::Memory),
    (&["cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync"], rows_to_array, ModelClass::Memory),
    (&["cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync"], rows_from_array, ModelClass::Memory),
    (&["cudaMemcpyToArray", "cudaMemcpyToArrayAsync"], bytes_to_array, ModelClass::Memory),
    (&["cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync"], bytes_from_array, ModelClass::Memory),
    (&["cuMemcpyHtoA_v2", "cuMemcpyHtoAAsync_v2", "cuMemcpyDtoA_v2"], driver_bytes_to_array, ModelClass::Memory),
    (&["cuMemcpyAtoH_v2", "cuMemcpyAtoHAsync_v2", "cuMemcpyAtoD_v2"], driver_bytes_from_array, ModelClass::Memory),
    (&["cudaMemcpyArrayToArray", "cudaMemcpy2DArrayToArray", "cuMemcpyAtoA_v2"], between_arrays, ModelClass::Memory),
    (&["cudaMemset3D", "cudaMemset3DAsync"], memset_3d, ModelClass::Memory),
];

/// Memory of one side of a copy.
enum SideMemory {
    /// Address, bytes from row to row, rows from slice to slice, and which of them CUDA takes.
    Pitched {
        at: Val,
        pitch: Val,
        rows: Val,
        rule: PitchRule,
    },
    Array(Val),
    /// Memory of several possible kinds, at one of these addresses if it is no array.
    Undecided(Vec<Val>),
}

/// Side of a copy: its memory, and the position in it: bytes, rows and slices.
struct VolumePart {
    memory: SideMemory,
    position: [Val; 3],
}

/// Outcome of a copy.
pub(super) enum VolumeCopy {
    Done(DeviceWork),
    Refused,
    Undecided,
}

fn moved(p: Val, by: u64) -> Val {
    Val { bits: p.bits.wrapping_add(by), ..p }
}

fn word(m: &mut Machine<'_>, th: &mut Thread, p: Val, at: u64) -> Result<Val, ThreadStop> {
    read(m, th, moved(p, at), 64)
}

fn words(m: &mut Machine<'_>, th: &mut Thread, p: Val, at: u64) -> Result<[Val; 3], ThreadStop> {
    Ok([word(m, th, p, at)?, word(m, th, p, at + 8)?, word(m, th, p, at + 16)?])
}

fn product(a: Val, b: u64) -> Val {
    a.known().map_or(a, |a| Val::new(a.saturating_mul(b)))
}

fn sizes(m: &Machine<'_>, handle: Val) -> Option<ArrayLayout> {
    handle.known().and_then(|h| m.cuda.arrays.get(&h)).copied()
}

/// Gives a copy to a stream, or refuses it.
fn given(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], copy: VolumeCopy) -> ModelResult {
    let stream = stream_of(m, call, a);
    match copy {
        VolumeCopy::Done(work) => submit(m, th, stream, work),
        VolumeCopy::Undecided => submit(m, th, stream, DeviceWork::Nothing),
        VolumeCopy::Refused => refuse(m),
    }
}

fn memcpy_3d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let copy = volume(m, th, arg(a, 0))?;
    given(m, th, call, a, copy)
}

fn memcpy_3d_peer(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let copy = runtime_copy(m, th, arg(a, 0), [0, 72, 144])?;
    given(m, th, call, a, copy)
}

/// Reads a `cudaMemcpy3DParms`.
pub(super) fn volume(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<VolumeCopy, ThreadStop> {
    runtime_copy(m, th, p, [0, 64, 128])
}

/// Reads a structure of the runtime: for each side an array, a position and a pitched pointer (address, pitch, width, height); then the
/// extent. Widths are in bytes, but beside an array in its elements.
fn runtime_copy(
    m: &mut Machine<'_>,
    th: &mut Thread,
    p: Val,
    [from, to, extent]: [u64; 3],
) -> Result<VolumeCopy, ThreadStop> {
    let mut extent = words(m, th, p, extent)?;
    let mut element = None;
    let mut sides = vec![];
    for base in [from, to] {
        let (array, at) = (word(m, th, p, base)?, word(m, th, p, base + 32)?);
        let mut position = words(m, th, p, base + 8)?;
        let (pitch, rows) = (word(m, th, p, base + 40)?, word(m, th, p, base + 56)?);
        let memory = match array.known() {
            Some(0) => SideMemory::Pitched { at, pitch, rows, rule: PitchRule::Runtime },
            Some(_) => {
                let bytes = sizes(m, array).map(|of| of.element);
                position[0] = in_elements(m, position[0], bytes);
                element.get_or_insert(bytes);
                SideMemory::Array(array)
            }
            None => SideMemory::Undecided(vec![at]),
        };
        sides.push(VolumePart { memory, position });
    }
    if let Some(bytes) = element {
        extent[0] = in_elements(m, extent[0], bytes);
        // The reference says bytes, and an H200 with CUDA 13.0 counts elements.
        for side in &mut sides {
            if side.position[0].known() != Some(0) && !matches!(side.memory, SideMemory::Array(_)) {
                side.position[0] = m.unknown("where a copy beside an array begins");
            }
        }
    }
    let (Some(to), Some(from)) = (sides.pop(), sides.pop()) else { return Ok(VolumeCopy::Undecided) };
    copied(m, th, from, to, extent)
}

fn in_elements(m: &mut Machine<'_>, n: Val, bytes: Option<u64>) -> Val {
    bytes.map_or_else(|| m.unknown("the size of an array's elements"), |bytes| product(n, bytes))
}

fn driver_rows(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let p = arg(a, 0);
    let [from, to] = [driver_side(m, th, p, 0, false)?, driver_side(m, th, p, 56, false)?];
    let extent = [word(m, th, p, 112)?, word(m, th, p, 120)?, Val::new(1)];
    let copy = copied(m, th, from, to, extent)?;
    given(m, th, call, a, copy)
}

fn driver_volume(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let p = arg(a, 0);
    let [from, to] = [driver_side(m, th, p, 0, true)?, driver_side(m, th, p, 88, true)?];
    let extent = words(m, th, p, 176)?;
    let copy = copied(m, th, from, to, extent)?;
    given(m, th, call, a, copy)
}

/// Reads a side of a `CUDA_MEMCPY2D` or `CUDA_MEMCPY3D`: the position, a level of detail in a volume, the kind of memory
/// (`CUmemorytype`), addresses of the host and of the device, an array, a reserved member in a volume, pitch, and height in a volume
/// (`cuda.h` of CUDA 13.0).
fn driver_side(
    m: &mut Machine<'_>,
    th: &mut Thread,
    p: Val,
    base: u64,
    volume: bool,
) -> Result<VolumePart, ThreadStop> {
    let mut position = words(m, th, p, base)?;
    let at = base + if volume { 32 } else { 16 };
    let kind = read(m, th, moved(p, at), 32)?;
    let (host, device, array) = (word(m, th, p, at + 8)?, word(m, th, p, at + 16)?, word(m, th, p, at + 24)?);
    let (pitch, rows) = if volume {
        (word(m, th, p, at + 40)?, word(m, th, p, at + 48)?)
    } else {
        position[2] = Val::ZERO;
        (word(m, th, p, at + 32)?, Val::ZERO)
    };
    let rule = PitchRule::Driver;
    let memory = match kind.known() {
        Some(1) => SideMemory::Pitched { at: host, pitch, rows, rule },
        // Of the device, or of one address space for both sides.
        Some(2 | 4) => SideMemory::Pitched { at: device, pitch, rows, rule },
        Some(3) => SideMemory::Array(array),
        _ => SideMemory::Undecided(vec![host, device]),
    };
    Ok(VolumePart { memory, position })
}

/// Checks whether a side has room for what is copied; `None` if that is not known. CUDA refuses distances against the rule, and copies beyond
/// an array.
fn fits(m: &Machine<'_>, of: &VolumePart, extent: [Val; 3]) -> Option<bool> {
    let within = |i: usize, end: Val| -> Option<bool> {
        let last = of.position[i].known()?.saturating_add(extent[i].known()?);
        Some(last <= end.known()?)
    };
    let all = match of.memory {
        SideMemory::Pitched { pitch, rows, rule, .. } => {
            let is = |v: Val, n: u64| v.known().map(|v| v == n);
            let single_slice = is(extent[2], 1);
            let single = both(single_slice, is(extent[1], 1));
            let (row, slice) = match rule {
                PitchRule::Runtime => (both(is(pitch, 0), single), both(is(rows, 0), single_slice)),
                PitchRule::Driver => (is(pitch, 0), is(rows, 0)),
                PitchRule::Fill => (single, Some(false)),
            };
            [either(within(0, pitch), row), either(within(1, rows), slice), Some(true)]
        }
        SideMemory::Array(handle) => {
            let of = sizes(m, handle)?;
            [within(0, Val::new(of.row)), within(1, Val::new(of.height)), within(2, Val::new(of.depth))]
        }
        SideMemory::Undecided(_) => [Some(true); 3],
    };
    all.into_iter().fold(Some(true), both)
}

/// Conjunction of conditions that may be unknown.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(false) || b == Some(false) { Some(false) } else { a.and(b) }
}

/// Disjunction of conditions that may be unknown.
fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(true) || b == Some(true) { Some(true) } else { a.and(b) }
}

/// Returns the distances of a side as its rule has them: bytes from row to row, and rows from slice to slice.
fn distances(rule: PitchRule, [pitch, rows]: [Val; 2], position: [Val; 3], extent: [Val; 3]) -> [Val; 2] {
    let end = |i: usize| match (position[i].known(), extent[i].known()) {
        (Some(first), Some(n)) => Val::new(first.saturating_add(n)),
        (None, _) => position[i],
        (_, None) => extent[i],
    };
    let unset = |v: Val| rule == PitchRule::Driver && v.known() == Some(0);
    [if unset(pitch) { end(0) } else { pitch }, if unset(rows) { end(1) } else { rows }]
}

/// Returns the rows of a side from the position on; `None` for an array whose sizes are not known.
fn rows_of(m: &mut Machine<'_>, of: &VolumePart, extent: [Val; 3]) -> Option<RowsOfCopy> {
    let (at, pitch, slice) = match of.memory {
        SideMemory::Pitched { at, pitch, rows, rule } => {
            let [pitch, rows] = distances(rule, [pitch, rows], of.position, extent);
            (at, pitch, rows)
        }
        SideMemory::Array(handle) => {
            let of = sizes(m, handle)?;
            (handle, Val::new(of.row), Val::new(of.height))
        }
        SideMemory::Undecided(_) => return None,
    };
    let start = match (of.position.map(Val::known), pitch.known(), slice.known()) {
        ([Some(x), Some(0), Some(0)], ..) => Some(x),
        ([Some(x), Some(y), Some(0)], Some(pitch), _) => Some(x.wrapping_add(y.wrapping_mul(pitch))),
        ([Some(x), Some(y), Some(z)], Some(pitch), Some(slice)) => {
            Some(z.wrapping_mul(slice).wrapping_add(y).wrapping_mul(pitch).wrapping_add(x))
        }
        _ => None,
    };
    let at = match start {
        Some(start) => moved(at, start),
        None => m.unknown("where a copy of a volume begins"),
    };
    Some(RowsOfCopy { at, pitch, slice })
}

/// Returns what becomes of a copy of an extent: bytes, rows and slices.
fn copied(
    m: &mut Machine<'_>,
    th: &mut Thread,
    from: VolumePart,
    to: VolumePart,
    extent: [Val; 3],
) -> Result<VolumeCopy, ThreadStop> {
    if extent.iter().any(|n| n.known() == Some(0)) {
        return Ok(VolumeCopy::Done(DeviceWork::Nothing));
    }
    let undecided = [&from, &to].iter().any(|side| matches!(side.memory, SideMemory::Undecided(_)));
    let room = [fits(m, &from, extent), fits(m, &to, extent)];
    if room.contains(&Some(false)) && !undecided {
        return Ok(VolumeCopy::Refused);
    }
    if undecided || room.contains(&None) {
        doubt_room(m, th);
    }
    if undecided {
        let why = m.reason(Cause::Contents, "a copy between kinds of memory that are not known");
        let places = match to.memory {
            SideMemory::Pitched { at, .. } => vec![at],
            SideMemory::Array(handle) => vec![handle],
            SideMemory::Undecided(places) => places,
        };
        for place in places {
            m.havoc(th, place, why);
        }
        return Ok(VolumeCopy::Undecided);
    }
    Ok(VolumeCopy::Done(match (rows_of(m, &from, extent), rows_of(m, &to, extent)) {
        (Some(from), Some(to)) => DeviceWork::CopyRows { to, from, extent },
        (Some(rows), None) => DeviceWork::TouchRows { rows, extent, direction: Direction::Read },
        (None, Some(rows)) => DeviceWork::TouchRows { rows, extent, direction: Direction::Write },
        (None, None) => DeviceWork::Nothing,
    }))
}

/// Doubts what follows: CUDA may refuse the copy.
fn doubt_room(m: &mut Machine<'_>, th: &Thread) {
    let at = m.user_site(th).map(|s| m.line(s)).unwrap_or_default();
    m.seen.doubt(format!("{at}: whether the copy stays within an array or a row is not known"));
}

/// Side that an array is, before the position in bytes and rows.
fn array_side(a: &[Val], i: usize) -> VolumePart {
    VolumePart { memory: SideMemory::Array(arg(a, i)), position: [arg(a, i + 1), arg(a, i + 2), Val::ZERO] }
}

fn pitched_side(a: &[Val], at: usize, pitch: usize) -> VolumePart {
    let rule = PitchRule::Runtime;
    let memory = SideMemory::Pitched { at: arg(a, at), pitch: arg(a, pitch), rows: Val::ZERO, rule };
    VolumePart { memory, position: [Val::ZERO; 3] }
}

/// `(to, pitch, from, pitch, width, height, …)`.
fn memcpy_2d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let extent = [arg(a, 4), arg(a, 5), Val::new(1)];
    let copy = copied(m, th, pitched_side(a, 2, 3), pitched_side(a, 0, 1), extent)?;
    given(m, th, call, a, copy)
}

/// `(array, x, y, from, pitch, width, height, …)`.
fn rows_to_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let copy = copied(m, th, pitched_side(a, 3, 4), array_side(a, 0), [arg(a, 5), arg(a, 6), Val::new(1)])?;
    given(m, th, call, a, copy)
}

/// `(to, pitch, array, x, y, width, height, …)`.
fn rows_from_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let copy = copied(m, th, array_side(a, 2), pitched_side(a, 0, 1), [arg(a, 5), arg(a, 6), Val::new(1)])?;
    given(m, th, call, a, copy)
}

/// `(array, x, y, from, bytes, …)`: bytes row after row.
fn bytes_to_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    bytes_beside_array(m, th, call, a, (0, [arg(a, 1), arg(a, 2)]), (3, Direction::Read), arg(a, 4))
}

/// `(to, array, x, y, bytes, …)`.
fn bytes_from_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    bytes_beside_array(m, th, call, a, (1, [arg(a, 2), arg(a, 3)]), (0, Direction::Write), arg(a, 4))
}

/// `(array, offset, from, bytes, …)`, of an array of one dimension.
fn driver_bytes_to_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    bytes_beside_array(m, th, call, a, (0, [arg(a, 1), Val::ZERO]), (2, Direction::Read), arg(a, 3))
}

/// `(to, array, offset, bytes, …)`, of an array of one dimension.
fn driver_bytes_from_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    bytes_beside_array(m, th, call, a, (1, [arg(a, 2), Val::ZERO]), (0, Direction::Write), arg(a, 3))
}

/// Copies bytes between memory and an array, whose rows they fill one after the other.
fn bytes_beside_array(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    a: &[Val],
    (array, [x, y]): (usize, [Val; 2]),
    (memory, direction): (usize, Direction),
    bytes: Val,
) -> ModelResult {
    let (handle, at) = (arg(a, array), arg(a, memory));
    let numbers = (sizes(m, handle), x.known(), y.known(), bytes.known());
    let copy = match numbers {
        (Some(of), Some(x), Some(y), Some(n)) => {
            let start = y.saturating_mul(of.row).saturating_add(x);
            if start.saturating_add(n) > of.row.saturating_mul(of.height) {
                VolumeCopy::Refused
            } else {
                let inside = moved(handle, start);
                let (to, from) = if direction == Direction::Read { (inside, at) } else { (at, inside) };
                VolumeCopy::Done(DeviceWork::Copy { to, from, bytes })
            }
        }
        _ => {
            doubt_room(m, th);
            let rows = RowsOfCopy { at, pitch: Val::ZERO, slice: Val::ZERO };
            let extent = [bytes, Val::new(1), Val::new(1)];
            VolumeCopy::Done(DeviceWork::TouchRows { rows, extent, direction })
        }
    };
    given(m, th, call, a, copy)
}

/// Leaves the first array unknown.
fn between_arrays(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Contents, "a copy from array to array");
    m.havoc(th, arg(a, 0), why);
    given(m, th, call, a, VolumeCopy::Undecided)
}

/// `(pitched pointer, value, extent, …)`, both passed by value in memory: address, pitch, width and height; then width in bytes, height
/// and depth.
fn memset_3d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (pointer, byte) = (arg(a, 0), arg(a, 1));
    let (at, pitch, rows) = (word(m, th, pointer, 0)?, word(m, th, pointer, 8)?, word(m, th, pointer, 24)?);
    let extent = words(m, th, arg(a, 2), 0)?;
    filled(m, th, call, a, (at, pitch, rows), byte, extent)
}

/// `(to, pitch, value, width, height, …)`.
fn memset_2d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let extent = [arg(a, 3), arg(a, 4), Val::new(1)];
    filled(m, th, call, a, (arg(a, 0), arg(a, 1), arg(a, 4)), arg(a, 2), extent)
}

/// Fills an extent of bytes, rows and slices.
fn filled(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    a: &[Val],
    (at, pitch, rows): (Val, Val, Val),
    byte: Val,
    extent: [Val; 3],
) -> ModelResult {
    let memory = SideMemory::Pitched { at, pitch, rows, rule: PitchRule::Fill };
    let of = VolumePart { memory, position: [Val::ZERO; 3] };
    if extent.iter().any(|n| n.known() == Some(0)) {
        return given(m, th, call, a, VolumeCopy::Undecided);
    }
    let room = fits(m, &of, extent);
    if room == Some(false) {
        return refuse(m);
    }
    if room.is_none() {
        doubt_room(m, th);
    }
    let to = RowsOfCopy { at, pitch, slice: rows };
    given(m, th, call, a, VolumeCopy::Done(DeviceWork::FillRows { to, byte, extent }))
}
