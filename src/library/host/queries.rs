//! Queries of a device (CUDA Runtime API and Driver API references 13.0, "Device Management", "Occupancy"): their
//! results are inputs of the program, within the ranges of `models::devices`.
//!
//! A property of a device with a known number is one input, however often it is asked for. Any other query has an
//! input of its own: two devices differ, and the free memory changes.

use super::cuda;
use super::cuda_memory::moved;
use super::libc;
use super::table::HostTable;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::TypeKind;
use models::devices::{
    FREE_MEMORY, PROPERTIES, RESIDENT_BLOCKS, RESIDENT_THREADS, STRUCTURE, TOTAL_MEMORY, of_attribute,
};
use models::row::{MatchKind, NameKey};
use std::rc::Rc;

/// Structure that `cudaFuncGetAttributes` writes, and the ranges of its members: a block has at most 1024 threads, and a
/// thread at most 255 registers on every capability.
const OF_FUNCTIONS: (&str, [(&str, i128, i128); 2]) =
    ("cudaFuncAttributes", [("maxThreadsPerBlock", 0, 1024), ("numRegs", 0, 255)]);

/// Queries.
pub(super) const QUERIES: HostTable = &[
    (&["cudaDeviceGetAttribute", "cuDeviceGetAttribute"], |e, c, s| asked(e, c, s, attribute)),
    (&["cudaGetDeviceProperties", "cudaGetDeviceProperties_v2"], |e, c, s| asked(e, c, s, properties)),
    (&["cudaMemGetInfo", "cuMemGetInfo_v2"], |e, c, s| asked(e, c, s, memory)),
    (&["cuDeviceTotalMem_v2"], |e, c, s| asked(e, c, s, total_memory)),
    (&["cudaFuncGetAttributes"], |e, c, s| asked(e, c, s, of_function)),
    (
        &["cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"],
        |e, c, s| asked(e, c, s, occupancy),
    ),
];

/// Symbols of templates of `cuda_runtime.h` that search all sizes of blocks (`cudaOccupancyMaxPotentialBlockSize`, and the
/// one with flags); their loop would be executed size by size.
const POTENTIAL: [&str; 2] =
    ["_ZL34cudaOccupancyMaxPotentialBlockSizeI", "_ZL43cudaOccupancyMaxPotentialBlockSizeWithFlagsI"];

/// Number of the property `multiProcessorCount` as an attribute.
const MULTIPROCESSORS: i64 = 16;

/// Returns the names of modelled templates.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    POTENTIAL.iter().map(|n| NameKey::new(MatchKind::Start, *n))
}

/// Models a call of such a template.
pub(super) fn template_call(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let of_toolkit = || e.program.loc(c.func.module, e.program.func(c.func).loc).system;
    if !POTENTIAL.iter().any(|p| c.name.starts_with(p)) || !of_toolkit() {
        return Err(Box::new(s));
    }
    match potential(e, c, &mut s).and_then(|facts| e.assume(s, facts)) {
        Some(s) => super::success(e, s),
        None => Ok(None),
    }
}

/// Facts about the results of a query; `None` if it is not followed.
type Asked = fn(&mut ExecutionContext<'_>, &LibraryCall<'_>, &mut State) -> Option<TermId>;

fn asked(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State, query: Asked) -> ModelOutcome {
    if !e.program.func(c.func).is_declaration() {
        return Err(Box::new(s));
    }
    let Some(facts) = query(e, c, &mut s) else { return Err(Box::new(s)) };
    match e.assume(s, facts) {
        Some(s) => super::success(e, s),
        None => Ok(None),
    }
}

/// Returns the number of the device that an argument names, if it is known.
fn device(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize) -> Option<u32> {
    let number = libc::int_arg(e, c, i, 32);
    e.arena.as_int(number).and_then(|n| u32::try_from(n).ok())
}

/// Returns what a query of a property gives; `bits` is the width of its result.
fn property(e: &mut ValueDomain<'_>, number: usize, device: Option<u32>, bits: u32) -> TermId {
    let known = e.assumptions.takes(Axiom::DeviceProperties);
    if let (true, Some(value)) = (known, PROPERTIES[number].constant()) {
        return e.arena.int(value.into());
    }
    let (least, most) = PROPERTIES[number].range;
    let range = if known { Interval::new(least.into(), most.into()) } else { Interval::of_value(bits, true) };
    e.device_property(number, device, bits, range)
}

/// `(int *, attribute, device)`
fn attribute(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let out = cuda::pointer_arg(e, c, 0);
    let number = libc::int_arg(e, c, 1, 32);
    let number = e.arena.as_int(number).and_then(|n| i64::try_from(n).ok()).and_then(of_attribute);
    let v = match number {
        Some(number) => {
            let device = device(e, c, 2);
            property(e, number, device, 32)
        }
        None => e.unknown_int(&UnknownReason::Gives(c.base().to_owned()), 32),
    };
    e.store_value(s, &out, Value::Int(v), 4);
    Some(e.arena.bool(true))
}

/// Makes the structure unknown behind the pointer, and returns the places of these members: offset, bits.
fn members(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    out: &Rc<Vec<GuardedTarget>>,
    (structure, names): (&str, &[Option<(&str, u64)>]),
) -> Option<Vec<Option<(i128, u32)>>> {
    let m = e.program.module(c.site.func.module);
    let ty = m.type_named(structure)?;
    let bytes = m.size_of(ty).get();
    let place = |name: &str, index: u64| {
        let (at, field) = m.member(ty, name)?;
        let (element, at) = match m.ty(field.ty).kind {
            TypeKind::Array { elem, .. } => (elem, at + index * m.size_of(elem).get()),
            _ => (field.ty, at),
        };
        match m.ty(element).kind {
            TypeKind::Int(bits @ (32 | 64)) => Some((i128::from(at), bits)),
            _ => None,
        }
    };
    let places = names.iter().map(|n| n.and_then(|(name, index)| place(name, index))).collect();
    e.store_value(s, out, Value::unknown(UnknownReason::Gives(c.base().to_owned())), bytes);
    Some(places)
}

/// `(cudaDeviceProp *, device)`
fn properties(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let out = cuda::pointer_arg(e, c, 0);
    let names: Vec<_> = PROPERTIES.iter().map(|p| p.member).collect();
    let places = members(e, c, s, &out, (STRUCTURE, &names))?;
    let device = device(e, c, 1);
    for (number, place) in places.into_iter().enumerate() {
        let Some((at, bits)) = place else { continue };
        let v = property(e, number, device, bits);
        let p = moved(e, &out, at);
        e.store_value(s, &p, Value::Int(v), u64::from(bits / 8));
    }
    Some(e.arena.bool(true))
}

/// `(size_t *free, size_t *total)`, of the current device.
fn memory(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let (free, total) = (property(e, FREE_MEMORY, None, 64), property(e, TOTAL_MEMORY, None, 64));
    for (i, v) in [free, total].into_iter().enumerate() {
        let p = cuda::pointer_arg(e, c, i);
        e.store_value(s, &p, Value::Int(v), 8);
    }
    let known = e.assumptions.takes(Axiom::DeviceProperties);
    Some(if known { e.arena.le(free, total) } else { e.arena.bool(true) })
}

/// `(size_t *, device)`
fn total_memory(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let (p, device) = (cuda::pointer_arg(e, c, 0), device(e, c, 1));
    let v = property(e, TOTAL_MEMORY, device, 64);
    e.store_value(s, &p, Value::Int(v), 8);
    Some(e.arena.bool(true))
}

/// Returns a number that the compiler decides, within a range.
fn number_of_code(e: &mut ValueDomain<'_>, c: &LibraryCall<'_>, bits: u32, range: Interval) -> TermId {
    let reason = UnknownReason::Gives(c.display.split(['<', '(']).next().unwrap_or_default().to_owned());
    if !e.assumptions.takes(Axiom::DeviceProperties) {
        return e.unknown_int(&reason, bits);
    }
    e.arena.fresh(SymKind::Unknown { reason }, "?", range)
}

/// `(cudaFuncAttributes *, kernel)`
fn of_function(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let out = cuda::pointer_arg(e, c, 0);
    let (structure, ranges) = OF_FUNCTIONS;
    let places = members(e, c, s, &out, (structure, &ranges.map(|(name, ..)| Some((name, 0)))))?;
    for ((_, least, most), place) in ranges.into_iter().zip(places) {
        let Some((at, bits)) = place else { continue };
        let v = number_of_code(e, c, bits, Interval::new(least, most));
        let p = moved(e, &out, at);
        e.store_value(s, &p, Value::Int(v), u64::from(bits / 8));
    }
    Some(e.arena.bool(true))
}

/// `(int *blocks, kernel, threads of a block, …)`: so many blocks are resident at a time, with all their threads.
fn occupancy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let (out, threads) = (cuda::pointer_arg(e, c, 0), libc::int_arg(e, c, 2, 32));
    let v = number_of_code(e, c, 32, Interval::new(0, RESIDENT_BLOCKS.into()));
    e.store_value(s, &out, Value::Int(v), 4);
    if !e.assumptions.takes(Axiom::DeviceProperties) {
        return Some(e.arena.bool(true));
    }
    let (one, most) = (e.arena.int(1), e.arena.int(RESIDENT_THREADS.into()));
    let none = e.arena.lt(threads, one);
    let all = e.arena.mul(v, threads);
    let fit = e.arena.le(all, most);
    Some(e.arena.or(none, fit))
}

/// `(int *blocks of the device, int *threads of a block, kernel, shared memory, most threads of a block, …)`: as many
/// blocks as are resident at a time on all multiprocessors.
fn potential(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> Option<TermId> {
    let (grid, block, most) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1), libc::int_arg(e, c, 4, 32));
    let threads = number_of_code(e, c, 32, Interval::new(0, 1024));
    let resident = number_of_code(e, c, 32, Interval::new(0, RESIDENT_BLOCKS.into()));
    let multiprocessors = property(e, of_attribute(MULTIPROCESSORS)?, None, 32);
    let blocks = e.arena.mul(resident, multiprocessors);
    e.store_value(s, &block, Value::Int(threads), 4);
    if !e.assumptions.takes(Axiom::DeviceProperties) {
        let blocks = number_of_code(e, c, 32, Interval::of_int(32, true));
        e.store_value(s, &grid, Value::Int(blocks), 4);
        return Some(e.arena.bool(true));
    }
    e.store_value(s, &grid, Value::Int(blocks), 4);
    let (one, all) = (e.arena.int(1), e.arena.mul(resident, threads));
    let limit = e.arena.int(RESIDENT_THREADS.into());
    let fit = e.arena.le(all, limit);
    let (unlimited, below) = (e.arena.lt(most, one), e.arena.le(threads, most));
    let within = e.arena.or(unlimited, below);
    Some(e.arena.and(fit, within))
}
