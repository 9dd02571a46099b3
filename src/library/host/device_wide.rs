//! Algorithms of CCCL that run on a whole device: Thrust's as its CUDA backend starts them, and CUB's.
//!
//! In: a call whose iterators are plain addresses of elements of an arithmetic type, with operators of the library. Out:
//! what it reads and writes, by the documentation (CCCL 3.3, Thrust and CUB API), in place of a body that launches
//! kernels by the architecture and the number of elements. Any other call is entered.

use super::cuda;
use super::functors;
use super::graphs;
use super::libc;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::reach::Mentions;
use ir::{FuncRef, Program, TypeKind};
use models::device_wide::{CUB, CubCall, ElementCount, ElementUse, THRUST, ThrustCall, ThrustResult};
use models::row::{MatchKind, NameKey};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Returns the names of the modelled functions.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    let names = THRUST.iter().map(|a| a.name).chain(CUB.iter().map(|a| a.name));
    names.map(|n| NameKey::new(MatchKind::DemangledPart, n))
}

/// Models a call of such an algorithm.
pub(super) fn device_wide_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let own = e.program.is_own(c.func) && !e.program.loc(c.func.module, e.program.func(c.func).loc).system;
    if own {
        return Err(Box::new(s));
    }
    if let Some(call) = ThrustCall::of(c.display) {
        return thrust_call(e, c, s, &call);
    }
    match CubCall::of(c.display) {
        Some(call) => cub_call(e, c, s, &call),
        None => Err(Box::new(s)),
    }
}

/// A range of elements on a device.
struct DeviceRange {
    place: Rc<Vec<GuardedTarget>>,
    bytes: TermId,
    used: ElementUse,
}

fn thrust_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State, call: &ThrustCall) -> ModelOutcome {
    let (a, sizes) = (call.algorithm, &call.sizes);
    let iterators = 2 + a.beside.len();
    let places: Vec<_> = (1..=iterators).map(|i| cuda::pointer_arg(e, c, i)).collect();
    let Some(bytes) = between(e, &places[0], &places[1]).filter(|_| places.iter().all(|p| is_of_device(e, p))) else {
        return Err(Box::new(s));
    };
    // A body whose elements may be unaligned is followed.
    if !places.iter().zip([sizes[0]].iter().chain(sizes)).all(|(p, size)| e.is_aligned(&s, p, *size)) {
        return Err(Box::new(s));
    }
    let zero = e.arena.int(0);
    let bytes = e.arena.max(bytes, zero);
    let count = e.arena.floor_div(bytes, i128::from(sizes[0]));
    let mut ranges = vec![DeviceRange { place: places[0].clone(), bytes, used: a.range }];
    for (i, used) in a.beside.iter().enumerate() {
        let bytes = if sizes[i + 1] == sizes[0] { bytes } else { e.arena.scale(count, i128::from(sizes[i + 1])) };
        ranges.push(DeviceRange { place: places[i + 2].clone(), bytes, used: *used });
    }
    let operators = |f: &String| functors::that_touch_their_arguments(e.program, f);
    let called: Option<Vec<Vec<FuncRef>>> = call.functions.as_ref().and_then(|all| all.iter().map(operators).collect());
    let called: Option<Vec<FuncRef>> = called.map(|all| all.into_iter().flatten().collect()).filter(|all: &Vec<_>| {
        functors::execute_nothing_else(e.program, c.func, &kernels_behind(e.program, c.func), all)
    });
    if !call.is_whole && called.is_none() {
        // The body does the rest.
        note(e, &s, &ranges);
        graphs::not_kept(e, c, &s);
        return Err(Box::new(s));
    }
    e.runtime.called_by_models.extend(called.into_iter().flatten());
    let mut end = ranges.last().map(|r| (r.place.clone(), r.bytes));
    if call.result != ThrustResult::End {
        let reason = UnknownReason::Algorithm;
        let chosen = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::new(0, 1 << 56));
        let within = e.arena.le(chosen, count);
        let Some(known) = e.assume(s, within) else { return Ok(None) };
        s = known;
        let (place, size) = match call.result {
            ThrustResult::Copied(size) => (cuda::pointer_arg(e, c, iterators + 1), size),
            _ => (places[0].clone(), sizes[0]),
        };
        let bytes = e.arena.scale(chosen, i128::from(size));
        if matches!(call.result, ThrustResult::Copied(_)) {
            if !is_of_device(e, &place) || !e.is_aligned(&s, &place, size) {
                note(e, &s, &ranges);
                graphs::not_kept(e, c, &s);
                return Err(Box::new(s));
            }
            ranges.push(DeviceRange { place: place.clone(), bytes, used: ElementUse::Write });
        }
        if call.result == ThrustResult::Count {
            run(e, c, &mut s, &ranges);
            return Ok(Some((Value::Int(chosen), s)));
        }
        end = Some((place, bytes));
    }
    run(e, c, &mut s, &ranges);
    // Scans and copies return the end of what they write.
    let m = e.program.module(c.site.func.module);
    let v = match (end, &m.ty(c.ty).kind) {
        (Some((place, bytes)), TypeKind::Ptr(_)) => Value::Ptr(e.offset_targets(&place, bytes)),
        _ => e.unknown_of(m, c.ty, &UnknownReason::Algorithm),
    };
    Ok(Some((v, s)))
}

fn cub_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State, call: &CubCall) -> ModelOutcome {
    let ((number, bits, signed), stream) = (call.count, call.stream);
    let (storage, needed) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    if storage.iter().all(|t| t.base == Base::Null) {
        // Only the size of the temporary storage is asked for: at least a byte, or a null address would ask again.
        let reason = UnknownReason::Algorithm;
        let size = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::new(1, 1 << 40));
        e.store_value(&mut s, &needed, Value::Int(size), 8);
        return super::success(e, s);
    }
    let places: Vec<_> = (2..number).map(|i| cuda::pointer_arg(e, c, i)).collect();
    let is_usable = |(p, size): (&Rc<Vec<GuardedTarget>>, &u64)| is_of_device(e, p) && e.is_aligned(&s, p, *size);
    if stream >= c.args.len() || !is_of_device(e, &storage) || !places.iter().zip(&call.sizes).all(is_usable) {
        return Err(Box::new(s));
    }
    let Some(held) = e.load_number(&mut s, &needed, 8) else { return Err(Box::new(s)) };
    let held = e.interpret(held, 64, false);
    let (count, zero) = (libc::int_arg(e, c, number, bits), e.arena.int(0));
    let count = e.interpret(count, bits, signed);
    let count = e.arena.max(count, zero);
    let mut ranges = vec![DeviceRange { place: storage, bytes: held, used: ElementUse::Change }];
    for ((place, size), (used, many)) in places.into_iter().zip(&call.sizes).zip(call.algorithm.ranges) {
        let one = e.arena.int(1);
        let count = if *many == ElementCount::All { count } else { one };
        let bytes = e.arena.scale(count, i128::from(*size));
        ranges.push(DeviceRange { place, bytes, used: *used });
    }
    let in_stream = waits::note_stream(e, c, stream, &mut s);
    waits::uses_in_stream(e, c, &mut s, c.args, (in_stream, false));
    run(e, c, &mut s, &ranges);
    super::success(e, s)
}

/// Records what an algorithm reads and writes, and that it has launched the kernels which its body may launch.
fn run(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, ranges: &[DeviceRange]) {
    e.runtime.launched = true;
    let kernels = kernels_behind(e.program, c.func);
    e.runtime.behind_models.extend(kernels);
    note(e, s, ranges);
    graphs::not_kept(e, c, s);
    for r in ranges.iter().filter(|r| r.used != ElementUse::Read) {
        for o in e.objects_at(s, &r.place) {
            e.note_written_by_device(o);
        }
        e.havoc_targets(s, &r.place, &UnknownReason::Algorithm);
    }
}

/// Records that the ranges are read and written.
fn note(e: &mut ExecutionContext<'_>, s: &State, ranges: &[DeviceRange]) {
    for r in ranges {
        if r.used != ElementUse::Write {
            e.note_copy(s, &r.place, r.bytes, AccessKind::Read);
        }
        if r.used != ElementUse::Read {
            e.note_copy(s, &r.place, r.bytes, AccessKind::Write);
        }
    }
}

/// Returns the kernels that a host function may launch, by what it mentions.
fn kernels_behind(program: &Program, f: FuncRef) -> Vec<FuncRef> {
    let (mut out, mut seen, mut open) = (vec![], FxHashSet::default(), vec![f]);
    while let Some(g) = open.pop() {
        if !seen.insert(g) {
            continue;
        }
        let func = program.func(g);
        out.extend(program.kernel_of_stub(g.module, &func.name));
        let mentions = Mentions::of(program, g.module, &func.blocks);
        open.extend(mentions.called.into_iter().chain(mentions.named));
    }
    out
}

/// Returns the number of bytes from one place to another in the same memory; `None` where it may be other memory.
fn between(e: &mut MemoryDomain<'_>, first: &[GuardedTarget], last: &[GuardedTarget]) -> Option<TermId> {
    let same = |(a, b): (&GuardedTarget, &GuardedTarget)| a.base == b.base && (a.cond == b.cond || first.len() == 1);
    if first.len() != last.len() || !first.iter().zip(last).all(same) {
        return None;
    }
    let mut bytes = None;
    for (a, b) in first.iter().zip(last) {
        let here = e.arena.sub(b.offset, a.offset);
        bytes = Some(bytes.map_or(here, |others| e.arena.ite(a.cond, here, others)));
    }
    bytes
}

/// Whether all that is known of a place is memory of a device, or no memory, as that of a vector without elements.
fn is_of_device(e: &MemoryDomain<'_>, p: &[GuardedTarget]) -> bool {
    p.iter().any(|t| matches!(t.base, Base::Object(_)))
        && p.iter().all(|t| match t.base {
            Base::Object(o) => matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_)),
            Base::Null => true,
            Base::Func(_) | Base::Unknown(_) => false,
        })
}
