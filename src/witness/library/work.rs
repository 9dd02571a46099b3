//! Work that the host gives to a device: it is done at once, or kept for the launches of a graph while its stream is captured
//! (CUDA C++ Programming Guide 13.0, CUDA Graphs; Runtime API reference 13.0, Stream Management and Graph Management).
//!
//! In: a stream and an operation with its arguments. Out: the operation's effect, or a node of the captured graph.

use super::cuda::enough_memory;
use super::heap::release;
use super::runtime::{DeviceWork, INVALID_VALUE, KeptWork, RowsOfCopy};
use crate::api::{Cause, ObjectKind, ProgramPoint};
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::globals::leaves;
use crate::memory::space::{Obj, split};
use crate::memory::store::Fill;
use std::rc::Rc;

/// Most rows of one copy or fill to follow.
const MAX_ROWS: u64 = 1 << 20;

/// Fate of work that is given to a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WorkFate {
    Done,
    /// The stream is captured.
    Kept,
}

const OK: ModelResult = Ok(Ret::Val(Val::ZERO));

/// Decides what becomes of work on a stream. Stops at work on a stream other than the captured ones during a capture.
pub(super) fn fate(m: &Machine<'_>, stream: Val) -> Result<WorkFate, ThreadStop> {
    m.works()?;
    let Some(capture) = &m.cuda.capturing else { return Ok(WorkFate::Done) };
    match stream.known() {
        Some(s) if capture.streams.contains(&s) => Ok(WorkFate::Kept),
        // The default stream may refuse it, and end the capture.
        _ => Err(ThreadStop::Unknown("a stream other than the captured one is used during the capture".into())),
    }
}

/// Stops if work is captured that no graph can keep here.
pub(super) fn ensure_not_captured(m: &Machine<'_>, stream: Val) -> Result<(), ThreadStop> {
    match fate(m, stream)? {
        WorkFate::Done => Ok(()),
        WorkFate::Kept => Err(ThreadStop::Unknown("a call is captured whose work in a graph is not followed".into())),
    }
}

/// Gives work to a stream.
pub(super) fn submit(m: &mut Machine<'_>, th: &mut Thread, stream: Val, work: DeviceWork) -> ModelResult {
    match fate(m, stream)? {
        WorkFate::Done => {
            let site = m.site(th);
            perform(m, th, site, &work)
        }
        WorkFate::Kept => {
            let kept = kept(m, th, work)?;
            if let Some(capture) = &mut m.cuda.capturing {
                capture.work.push(kept);
            }
            OK
        }
    }
}

/// Makes memory that a graph allocates at its launches, and returns its address: until then it is not there.
pub(super) fn memory_of_graph(m: &mut Machine<'_>, th: &Thread, name: &str, size: Val) -> Result<Val, ThreadStop> {
    let site = m.user_site(th);
    if let Some(n) = size.known() {
        enough_memory(m, site, n)?;
    }
    let p = m.heap_object(ObjectKind::Device, name, site, size, Fill::Poison(Reason::UNINIT))?;
    m.mem.free(split(p.bits).0);
    m.cuda.graph_memory.insert(p.bits);
    Ok(p)
}

/// Returns the work that ends the life of memory of a graph.
pub(super) fn release_of_graph(m: &Machine<'_>, p: Val) -> Result<DeviceWork, ThreadStop> {
    if p.known().is_some_and(|p| m.cuda.graph_memory.contains(&p)) {
        return Ok(DeviceWork::Release(p));
    }
    Err(ThreadStop::Unknown("a graph frees memory that no graph allocates".into()))
}

/// Returns work as a graph keeps it: with the arguments that it has now, and the place where the program asked for it.
pub(super) fn kept(m: &mut Machine<'_>, th: &mut Thread, work: DeviceWork) -> Result<KeptWork, ThreadStop> {
    match work {
        DeviceWork::Launch { handle, configuration, arguments } => {
            let site = m.launch_site(th);
            let arguments = kept_arguments(m, th, handle, arguments)?;
            Ok(KeptWork { site, work: DeviceWork::Launch { handle, configuration, arguments } })
        }
        other => Ok(KeptWork { site: m.site(th), work: other }),
    }
}

/// Copies the arguments of a launch, which a graph keeps with the values that they have when its node is made.
fn kept_arguments(m: &mut Machine<'_>, th: &mut Thread, handle: Val, args: Val) -> Result<Val, ThreadStop> {
    let kernel = m.kernel_of(handle).map_err(ThreadStop::Unknown)?;
    let (module, f) = (m.program.module(kernel.module), m.program.func(kernel));
    let count = f.params.len() as u64;
    let list = m.heap_object(
        ObjectKind::HostHeap,
        "arguments of a graph",
        None,
        Val::new(8 * count),
        Fill::Poison(Reason::UNINIT),
    )?;
    let Some(site) = m.site(th) else { return Ok(list) };
    for (i, p) in (0u64..).zip(&f.params) {
        let at = m.load(th, || site, Val { bits: args.bits.wrapping_add(8 * i), ..args }, 64)?;
        let ty = p.byval.unwrap_or(p.ty);
        let size = module.size_of(ty).get();
        let unknown = if at.is_poison() { at.poison } else { Reason::UNINIT };
        let mut obj = Obj::new(ObjectKind::HostHeap, p.name.as_str().into(), size, Fill::Poison(unknown));
        let (id, off) = split(at.bits);
        if let Some(o) = m.mem.get(&th.stack, id).filter(|o| !at.is_poison() && o.holds(off, size)) {
            obj.store.paste(0, &o.store.cut(off.cast_unsigned(), size));
        } else if !at.is_poison() && !leaves(module, ty).is_empty() {
            return Err(ThreadStop::Unknown("an argument of a captured launch is not in memory that is known".into()));
        }
        let kept =
            m.mem.add(obj).ok_or_else(|| ThreadStop::Unknown("more objects than the interpreter can hold".into()))?;
        m.store(th, || site, Val::new(list.bits + 8 * i), 64, Val::new(kept.address()))?;
    }
    Ok(list)
}

/// Does work for which the program asked at `site`.
pub(super) fn perform(
    m: &mut Machine<'_>,
    th: &mut Thread,
    site: Option<ProgramPoint>,
    work: &DeviceWork,
) -> ModelResult {
    let Some(at) = site else { return OK };
    match work {
        DeviceWork::Copy { to, from, bytes } => m.copy(th, || at, *to, *from, *bytes)?,
        DeviceWork::CopyRows { to, from, extent } => return copy_rows(m, th, at, (*to, *from), *extent),
        DeviceWork::Fill { to, byte, bytes } => m.set(th, || at, *to, *byte, *bytes)?,
        DeviceWork::FillRows { to, byte, extent } => {
            let byte = *byte;
            return for_rows(m, th, at, *to, *extent, |m, th, p, width| m.set(th, || at, p, byte, width));
        }
        DeviceWork::TouchRows { rows, extent, direction } => {
            let why = m.reason(Cause::Contents, "a copy from or to an array of CUDA's");
            let direction = *direction;
            return for_rows(m, th, at, *rows, *extent, |m, th, p, width| {
                m.touch(th, at, p, width.bits, direction, why)
            });
        }
        DeviceWork::Launch { handle, configuration, arguments } => {
            return m.launch(th, *handle, configuration, *arguments).map(|e| Ret::Val(Val::new(e)));
        }
        DeviceWork::HostCall { function, arguments } => {
            m.call(th, *function, arguments)?;
        }
        DeviceWork::Allocate(p) => {
            let id = split(p.bits).0;
            if m.mem.global(id).is_some_and(|o| !o.freed) {
                return Err(ThreadStop::Unknown("a graph is launched again before its memory was freed".into()));
            }
            m.mem.revive(id);
        }
        DeviceWork::Release(p) => release(m, th, p.bits)?,
        DeviceWork::Graph(all) => return perform_all(m, th, all),
        DeviceWork::Nothing => {}
    }
    OK
}

/// Does the work of a graph, node by node: each is behind those that it depends on, and the order of others is free.
pub(super) fn perform_all(m: &mut Machine<'_>, th: &mut Thread, all: &Rc<Vec<KeptWork>>) -> ModelResult {
    for kept in all.iter() {
        let outer = std::mem::replace(&mut m.cuda.launched_for, kept.site);
        let done = perform(m, th, kept.site, &kept.work);
        m.cuda.launched_for = outer;
        done?;
    }
    OK
}

fn moved(p: Val, by: u64) -> Val {
    Val { bits: p.bits.wrapping_add(by), ..p }
}

/// Copies row by row.
fn copy_rows(
    m: &mut Machine<'_>,
    th: &mut Thread,
    site: ProgramPoint,
    (to, from): (RowsOfCopy, RowsOfCopy),
    extent: [Val; 3],
) -> ModelResult {
    if !are_known(m, th, site, &[to, from], extent) {
        return OK;
    }
    if extent.iter().any(|n| n.known() == Some(0)) {
        return OK;
    }
    for z in 0..extent[2].bits {
        for y in 0..extent[1].bits {
            m.copy(th, || site, row(to, extent, y, z), row(from, extent, y, z), extent[0])?;
        }
    }
    OK
}

/// Performs an operation for each row, of which it gets the address and the number of bytes.
fn for_rows(
    m: &mut Machine<'_>,
    th: &mut Thread,
    site: ProgramPoint,
    rows: RowsOfCopy,
    extent: [Val; 3],
    operation: impl Fn(&mut Machine<'_>, &mut Thread, Val, Val) -> Result<(), ThreadStop>,
) -> ModelResult {
    if !are_known(m, th, site, &[rows], extent) || extent.iter().any(|n| n.known() == Some(0)) {
        return OK;
    }
    for z in 0..extent[2].bits {
        for y in 0..extent[1].bits {
            operation(m, th, row(rows, extent, y, z), extent[0])?;
        }
    }
    OK
}

/// Address of a row. A single slice does not use the number of rows from slice to slice, nor a single row the distance between two.
fn row(of: RowsOfCopy, [_, height, depth]: [Val; 3], y: u64, z: u64) -> Val {
    let above = if depth.known() == Some(1) { y } else { z.wrapping_mul(of.slice.bits).wrapping_add(y) };
    let single = depth.known() == Some(1) && height.known() == Some(1);
    moved(of.at, if single { 0 } else { above.wrapping_mul(of.pitch.bits) })
}

/// Whether it is known which rows an operation touches, and these are not too many. Otherwise what it may write, the first rows, is
/// unknown.
fn are_known(
    m: &mut Machine<'_>,
    th: &mut Thread,
    site: ProgramPoint,
    rows: &[RowsOfCopy],
    [width, height, depth]: [Val; 3],
) -> bool {
    let (one_slice, one_row) = (depth.known() == Some(1), height.known() == Some(1));
    let mut numbers = vec![width, height, depth];
    numbers.extend(rows.iter().filter(|_| !(one_slice && one_row)).map(|r| r.pitch));
    numbers.extend(rows.iter().filter(|_| !one_slice).map(|r| r.slice));
    let many = || match (height.known(), depth.known()) {
        (Some(h), Some(d)) => h.saturating_mul(d) > MAX_ROWS,
        _ => true,
    };
    let open = numbers.iter().find(|v| v.is_poison()).map(|v| v.poison);
    let open = open.or_else(|| many().then(|| m.reason(Cause::Contents, "a copy of more than a million rows")));
    let Some(why) = open else { return true };
    m.seen.unclear(site, || m.reasons.why(why, |why| format!("its size depends on {why}")));
    if let Some(to) = rows.first() {
        m.havoc(th, to.at, why);
    }
    false
}

/// Refuses a call for its arguments.
pub(super) fn refuse(m: &mut Machine<'_>) -> ModelResult {
    m.cuda.error = INVALID_VALUE;
    Ok(Ret::Val(Val::new(INVALID_VALUE)))
}
