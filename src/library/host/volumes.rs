//! Copies and fills of rows and of volumes, that is of rows of rows, between pitched pointers and CUDA's arrays (CUDA Runtime
//! API reference 13.0, `cudaMemcpy3D`, `cudaMemcpy2DToArray`; Driver API reference 13.0, `cuMemcpy2D`, `cuMemcpy3D`).
//!
//! In: where each side lies, a position in it, and sizes. Out: the event of each side that is no array, under the condition
//! that CUDA does not refuse the copy.

use super::arrays::{self, ArraySizes};
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
use models::cuda_arrays::PitchRule;
use std::rc::Rc;

/// Addresses that a pointer may have.
pub(super) type Targets = Rc<Vec<GuardedTarget>>;

/// Memory of one side of a copy.
pub(super) enum VolumeMemory {
    /// Address, bytes from row to row, rows from slice to slice, and which of them CUDA takes.
    Pitched { at: Targets, pitch: TermId, rows: TermId, rule: PitchRule },
    /// Array, with its sizes if they are known.
    Array(Option<ArraySizes>),
    /// Memory of several possible kinds, at one of these addresses if it is no array.
    Undecided(Vec<Targets>),
}

/// Side of a copy: its memory, and the position in it: bytes, rows and slices.
pub(super) struct VolumeSide {
    pub memory: VolumeMemory,
    pub position: [TermId; 3],
}

/// A copied volume: targets of the sides that are no arrays, and what is accessed of each.
pub(super) struct CopiedVolume {
    pub to: Option<Targets>,
    pub from: Option<Targets>,
    pub sides: Vec<KeptSide>,
}

/// Layout of a structure that describes a copy (`cudaMemcpy3DParms`, `CUDA_MEMCPY2D`, …), in bytes.
#[derive(Clone, Copy)]
pub(super) enum CopyStructure {
    /// Offsets of the two sides, of which each has an array, a position, and a pitched pointer (address, pitch, width, height),
    /// and of the extent.
    Runtime { sides: [i128; 2], extent: i128 },
    /// Offsets of the two sides, and of the extent: see [`of_driver`].
    Driver { sides: [i128; 2], extent: i128, dimensions: usize },
}

/// `cudaMemcpy3DParms`.
pub(super) const VOLUME: CopyStructure = CopyStructure::Runtime { sides: [0, 64], extent: 128 };
/// `cudaMemcpy3DPeerParms`, which has a device behind each side.
pub(super) const VOLUME_OF_PEERS: CopyStructure = CopyStructure::Runtime { sides: [0, 72], extent: 144 };
/// `CUDA_MEMCPY2D`.
pub(super) const DRIVER_ROWS: CopyStructure = CopyStructure::Driver { sides: [0, 56], extent: 112, dimensions: 2 };
/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, which has contexts at members that are reserved in the other.
pub(super) const DRIVER_VOLUME: CopyStructure = CopyStructure::Driver { sides: [0, 88], extent: 176, dimensions: 3 };

/// Whether an address is surely null.
fn is_null(p: &[GuardedTarget]) -> bool {
    !p.is_empty() && p.iter().all(|t| t.base == Base::Null)
}

/// Reads a `size_t` at a place.
pub(super) fn size(e: &mut MemoryDomain<'_>, s: &mut State, p: &[GuardedTarget], at: i128) -> TermId {
    arrays::number(e, s, p, (at, 8), UnknownReason::Copy2D)
}

/// Models the copy that a structure describes.
pub(super) fn copy_volume(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    p: &Targets,
    structure: CopyStructure,
) -> CopiedVolume {
    match structure {
        CopyStructure::Runtime { sides, extent } => {
            let [mut from, mut to] = sides.map(|base| of_runtime(e, s, p, base));
            let mut sizes = [0, 8, 16].map(|at| size(e, s, p, extent + at));
            if let Some(element) = element(&from).or_else(|| element(&to)) {
                sizes[0] = in_elements(e, sizes[0], element);
                // The reference says bytes, and an H200 with CUDA 13.0 counts elements.
                for side in [&mut from, &mut to] {
                    let first = e.arena.as_int(side.position[0]) == Some(0);
                    if !first && !matches!(side.memory, VolumeMemory::Array(_)) {
                        side.position[0] = in_elements(e, side.position[0], None);
                    }
                }
            }
            copy_sides(e, s, from, to, sizes)
        }
        CopyStructure::Driver { sides, extent, dimensions } => {
            let [from, to] = sides.map(|base| of_driver(e, s, p, base, dimensions));
            let [width, height] = [0, 8].map(|at| size(e, s, p, extent + at));
            let depth = if dimensions == 3 { size(e, s, p, extent + 16) } else { e.arena.int(1) };
            copy_sides(e, s, from, to, [width, height, depth])
        }
    }
}

/// Returns the bytes of an element if a side is an array, as far as they are known.
fn element(of: &VolumeSide) -> Option<Option<TermId>> {
    match of.memory {
        VolumeMemory::Array(of) => Some(of.map(|a| a.element)),
        VolumeMemory::Pitched { .. } | VolumeMemory::Undecided(_) => None,
    }
}

/// Returns a number of elements in bytes.
fn in_elements(e: &mut MemoryDomain<'_>, n: TermId, element: Option<TermId>) -> TermId {
    match element {
        Some(bytes) => e.arena.mul(n, bytes),
        None => e.value_int(&Value::unknown(UnknownReason::ArraySize), 64),
    }
}

/// Reads a side of a structure of the runtime: without an array, positions and widths are in bytes.
fn of_runtime(e: &mut ExecutionContext<'_>, s: &mut State, p: &Targets, base: i128) -> VolumeSide {
    let (array, at) = (moved(e, p, base), moved(e, p, base + 32));
    let (array, at) = (e.load_pointer(s, &array), e.load_pointer(s, &at));
    let [mut x, y, z, pitch, rows] = [8, 16, 24, 40, 56].map(|field| size(e, s, p, base + field));
    let memory = if is_null(&array) {
        VolumeMemory::Pitched { at, pitch, rows, rule: PitchRule::Runtime }
    } else if array.iter().any(|t| t.base == Base::Null) {
        VolumeMemory::Undecided(vec![at])
    } else {
        let of = arrays::sizes(e, s, &array);
        x = in_elements(e, x, of.map(|a| a.element));
        VolumeMemory::Array(of)
    };
    VolumeSide { memory, position: [x, y, z] }
}

/// Reads a side of a structure of the driver: the position, a level of detail if there are three dimensions, the kind of memory
/// (`CUmemorytype`), addresses of the host and of the device, an array, a member that is reserved if there are three dimensions,
/// pitch, and height if there are three dimensions (`cuda.h` of CUDA 13.0).
fn of_driver(e: &mut ExecutionContext<'_>, s: &mut State, p: &Targets, base: i128, dimensions: usize) -> VolumeSide {
    let none = e.arena.int(0);
    let volume = dimensions == 3;
    let [x, y] = [0, 8].map(|at| size(e, s, p, base + at));
    let (z, at) = if volume { (size(e, s, p, base + 16), base + 32) } else { (none, base + 16) };
    let kind = moved(e, p, at);
    let kind = e.load_number(s, &kind, 4).and_then(|kind| e.arena.as_int(kind));
    let [host, device, array] = [8, 16, 24].map(|field| {
        let place = moved(e, p, at + field);
        e.load_pointer(s, &place)
    });
    let (pitch, rows) =
        if volume { (size(e, s, p, at + 40), size(e, s, p, at + 48)) } else { (size(e, s, p, at + 32), none) };
    let rule = PitchRule::Driver;
    let memory = match kind {
        Some(1) => VolumeMemory::Pitched { at: host, pitch, rows, rule },
        // Of the device, or of one address space for both sides.
        Some(2 | 4) => VolumeMemory::Pitched { at: device, pitch, rows, rule },
        Some(3) => VolumeMemory::Array(arrays::sizes(e, s, &array)),
        _ => VolumeMemory::Undecided(vec![host, device]),
    };
    VolumeSide { memory, position: [x, y, z] }
}

/// Returns the targets of a side that may be read or written, if it is no array.
fn targets(of: &VolumeSide) -> Option<Targets> {
    match &of.memory {
        VolumeMemory::Pitched { at, .. } => Some(at.clone()),
        VolumeMemory::Array(_) => None,
        VolumeMemory::Undecided(places) => Some(Rc::new(places.iter().flat_map(|p| p.iter().cloned()).collect())),
    }
}

/// Models the copy of a volume: bytes of a row, rows, and slices.
pub(super) fn copy_sides(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    from: VolumeSide,
    to: VolumeSide,
    extent: [TermId; 3],
) -> CopiedVolume {
    let one = e.arena.int(1);
    let mut runs = extent.map(|n| e.arena.le(one, n)).to_vec();
    for of in [&from, &to] {
        runs.extend(fits(e, of, extent));
    }
    let runs = e.arena.and_all(runs);
    let mut sides = vec![];
    if let Some(there) = e.assume(s.clone(), runs) {
        for (of, kind) in [(&from, AccessKind::Read), (&to, AccessKind::Write)] {
            sides.extend(access(e, &there, of, extent, kind));
        }
    }
    let (to, from) = (targets(&to), targets(&from));
    leave_unknown(e, s, to.as_ref(), &UnknownReason::Copy2D);
    CopiedVolume { to, from, sides }
}

/// Models a fill of a volume: bytes of a row, rows, and slices.
pub(super) fn fill_side(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    of: VolumeSide,
    extent: [TermId; 3],
) -> CopiedVolume {
    let one = e.arena.int(1);
    let mut runs = extent.map(|n| e.arena.le(one, n)).to_vec();
    runs.extend(fits(e, &of, extent));
    let runs = e.arena.and_all(runs);
    let there = e.assume(s.clone(), runs);
    let sides = there.and_then(|there| access(e, &there, &of, extent, AccessKind::Write)).into_iter().collect();
    let to = targets(&of);
    leave_unknown(e, s, to.as_ref(), &UnknownReason::RowsFilled);
    CopiedVolume { to, from: None, sides }
}

/// Records the access to a side that is no array.
fn access(
    e: &mut ExecutionContext<'_>,
    there: &State,
    of: &VolumeSide,
    extent: [TermId; 3],
    kind: AccessKind,
) -> Option<KeptSide> {
    let VolumeMemory::Pitched { at, pitch, rows, rule } = &of.memory else { return None };
    let [x, y, _] = of.position;
    let (row, slice) = (e.arena.add(x, extent[0]), e.arena.add(y, extent[1]));
    let (pitch, rows) = (distance(e, there, *rule, *pitch, row), distance(e, there, *rule, *rows, slice));
    let (start, bytes) = range(e, of.position, [pitch, rows], extent);
    let at = e.offset_targets(at, start);
    e.note_copy(there, &at, bytes, kind);
    Some(side(&at, bytes, kind))
}

/// Leaves memory unknown that a copy or fill writes.
pub(super) fn leave_unknown(e: &mut ExecutionContext<'_>, s: &mut State, to: Option<&Targets>, why: &UnknownReason) {
    let Some(to) = to else { return };
    for o in e.objects_at(s, to) {
        e.note_written_by_device(o);
    }
    e.havoc_targets(s, to, why);
}

/// Returns the conditions without which CUDA refuses a copy: its distances are as the rule says, and it stays in its array.
fn fits(e: &mut ExecutionContext<'_>, of: &VolumeSide, [width, height, depth]: [TermId; 3]) -> Vec<TermId> {
    let within = |e: &mut ExecutionContext<'_>, i: usize, n: TermId, end: TermId| {
        let last = e.arena.add(of.position[i], n);
        e.arena.le(last, end)
    };
    match of.memory {
        VolumeMemory::Pitched { pitch, rows, rule, .. } => {
            let (one, none) = (e.arena.int(1), e.arena.int(0));
            let (mut row, mut slice) = (within(e, 0, width, pitch), within(e, 1, height, rows));
            let (single_row, single_slice) = (e.arena.eq(height, one), e.arena.eq(depth, one));
            let single = e.arena.and(single_row, single_slice);
            let (no_pitch, no_rows) = (e.arena.eq(pitch, none), e.arena.eq(rows, none));
            match rule {
                PitchRule::Runtime => {
                    let (no_pitch, no_rows) = (e.arena.and(no_pitch, single), e.arena.and(no_rows, single_slice));
                    row = e.arena.or(row, no_pitch);
                    slice = e.arena.or(slice, no_rows);
                }
                PitchRule::Driver => {
                    row = e.arena.or(row, no_pitch);
                    slice = e.arena.or(slice, no_rows);
                }
                PitchRule::Fill => row = e.arena.or(row, single),
            }
            vec![row, slice]
        }
        VolumeMemory::Array(Some(a)) => {
            vec![within(e, 0, width, a.row), within(e, 1, height, a.height), within(e, 2, depth, a.depth)]
        }
        VolumeMemory::Array(None) | VolumeMemory::Undecided(_) => vec![],
    }
}

/// Returns a distance as a rule has it, if what is copied may be `n` long.
fn distance(e: &mut ExecutionContext<'_>, there: &State, rule: PitchRule, given: TermId, n: TermId) -> TermId {
    let none = e.arena.int(0);
    let unset = e.arena.eq(given, none);
    if rule != PitchRule::Driver || e.assume(there.clone(), unset).is_none() {
        return given;
    }
    e.arena.ite(unset, n, given)
}

/// Returns the first byte of a copied volume, from its pointer on, and the number of bytes up to the end of its last row.
fn range(
    e: &mut ExecutionContext<'_>,
    [x, y, z]: [TermId; 3],
    [pitch, rows]: [TermId; 2],
    [width, height, depth]: [TermId; 3],
) -> (TermId, TermId) {
    let bytes_to = |e: &mut ExecutionContext<'_>, slices: TermId, above: TermId| {
        let before = e.arena.mul(slices, rows);
        let all = e.arena.add(before, above);
        e.arena.mul(all, pitch)
    };
    let first = bytes_to(e, z, y);
    let start = e.arena.add(first, x);
    let (slices, above) = (e.arena.add_const(depth, -1), e.arena.add_const(height, -1));
    let last = bytes_to(e, slices, above);
    (start, e.arena.add(last, width))
}
