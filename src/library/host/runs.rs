//! Conditions under which launches run (CUDA Runtime API reference 13.0,
//! Execution Control).
//!
//! A launch that asks for more than its kernel may have is refused: it has no effect, and the program goes on. In:
//! attributes that the program sets, launches. Out: the limits under which a launch runs at all, and whether it surely
//! does. `symbolic/exec/failure_branches.rs` follows the status codes that refused calls return.

use super::cuda;
use super::launch_shapes;
use super::libc;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{LaunchConfig, LaunchLimits};
use engine::symbolic::exec::library::LibraryCall;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::kernel::launch::{MAX_GRID, MAX_SHARED, MAX_THREADS};
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::shared::most_static_shared;
use ir::{FuncRef, Side};
use models::launches;
use std::rc::Rc;

/// Bytes of shared memory of a block, static and dynamic, that a kernel may have without its attribute.
const USUAL_SHARED: i128 = 48 * 1024;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC: i128 = 8;

/// Value that records an unset attribute. The cluster along each axis follows it in the object; zero is unset.
const NOT_SET: i128 = -1;

/// Maximum number of kernels whose attributes are followed: each state contains them.
const MAX: usize = 64;

/// Adds the attributes that the program may set to the state in which `main` starts.
pub(crate) fn first_attributes(e: &mut MemoryDomain<'_>, s: &mut State) {
    let program = e.program;
    let is_named =
        |names: &[&str]| program.functions().any(|(_, m, f)| m.side == Side::Host && names.contains(&f.name.as_str()));
    e.runtime.usual_shared = !is_named(&[
        "cudaFuncSetAttribute",
        "cudaKernelSetAttributeForDevice",
        "cuFuncSetAttribute",
        "cuKernelSetAttribute",
    ]);
    if e.runtime.usual_shared
        || is_named(&["cudaKernelSetAttributeForDevice", "cuFuncSetAttribute", "cuKernelSetAttribute"])
    {
        return;
    }
    let kernels: Vec<FuncRef> =
        program.functions().filter(|(_, m, f)| m.side == Side::Device && f.kernel).map(|(r, ..)| r).collect();
    if kernels.len() > MAX {
        return;
    }
    let not_set = e.arena.int(NOT_SET);
    for k in kernels {
        let extent = Some(e.arena.int(16));
        let o = e.heap.add(Object {
            kind: ObjKind::Opaque,
            name: program.func(k).name.clone(),
            extent,
            site: None,
            func: None,
            array: false,
        });
        let mut state = ObjState::new(UncoveredContents::Zero);
        state.cells.insert(0, (4, Value::Int(not_set)));
        let none = e.arena.int(0);
        for at in [4, 8, 12] {
            state.cells.insert(at, (4, Value::Int(none)));
        }
        s.mem.insert(o, Rc::new(state));
        e.runtime.attributes.insert(k, o);
    }
}

/// Returns the last requested attribute value that was granted.
fn attribute(s: &State, o: ObjId) -> Option<TermId> {
    match s.mem.get(&o).and_then(|st| st.cells.get(&0)) {
        Some((4, Value::Int(t))) => Some(*t),
        _ => None,
    }
}

fn most_static(e: &mut MemoryDomain<'_>, kernel: FuncRef) -> i128 {
    let program = e.program;
    *e.runtime.statics.entry(kernel).or_insert_with(|| i128::from(most_static_shared(program, kernel)))
}

/// Models `cudaFuncSetAttribute`: refused below 0, and if static and dynamic memory together exceed any device's.
/// The static memory that the compiler keeps is unknown. Returns whether the call succeeds: assumed, except for
/// clusters.
pub(crate) fn set_attribute(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: &mut State) -> bool {
    let which = libc::int_arg(e, c, 1, 32);
    let known = e.arena.as_int(which);
    if known.is_some_and(|n| n != MAX_DYNAMIC && !launches::is_of_clusters(n)) {
        return true;
    }
    let wanted = libc::int_arg(e, c, 2, 32);
    let wanted = e.interpret(wanted, 32, true);
    let handle = cuda::pointer_arg(e, c, 0);
    let kernels: Option<Vec<FuncRef>> = handle.iter().map(|t| launch_shapes::kernel_of_handle(e, &t.base)).collect();
    let all = kernels.is_none();
    let kernels = kernels.unwrap_or_else(|| e.runtime.attributes.keys().copied().collect());
    let succeeds = known == Some(MAX_DYNAMIC) || launch_shapes::require_cluster(e, s, &kernels, known, wanted);
    if known.is_some_and(launches::is_of_clusters) {
        return succeeds;
    }
    let surely = !all && kernels.len() == 1 && e.arena.as_int(which).is_some();
    for k in kernels {
        // For a kernel whose attribute is not followed, no limit is assumed.
        let Some(o) = e.runtime.attributes.get(&k).copied() else { continue };
        let room = MAX_SHARED - most_static(e, k);
        let (zero, most, kept) = (e.arena.int(0), e.arena.int(MAX_SHARED), e.arena.int(room));
        let (lower, upper, granted) = (e.arena.le(zero, wanted), e.arena.le(wanted, most), e.arena.le(wanted, kept));
        let unknown = || SymKind::Unknown { reason: UnknownReason::KernelAttributeSet };
        let perhaps = if e.arena.as_bool(granted) == Some(true) {
            granted
        } else {
            let f = e.arena.fresh_bool(unknown(), "?");
            e.arena.or(granted, f)
        };
        let perhaps = if surely { perhaps } else { e.arena.fresh_bool(unknown(), "?") };
        let done = e.arena.and_all(vec![lower, upper, perhaps]);
        let value = match attribute(s, o) {
            Some(old) => {
                let t = e.arena.ite(done, wanted, old);
                Value::Int(t)
            }
            None => Value::unknown(UnknownReason::KernelAttribute),
        };
        if let Some(st) = s.mem.get_mut(&o) {
            Rc::make_mut(st).cells.insert(0, (4, value));
        }
    }
    succeeds
}

/// Returns the configuration with the limits of its kernel: conditions that hold wherever the launch runs.
pub(crate) fn limited(e: &mut ExecutionContext<'_>, s: &State, kernel: FuncRef, c: &LaunchConfig) -> LaunchConfig {
    let usual = e.arena.int(USUAL_SHARED);
    let shared = if let Some(o) = e.runtime.attributes.get(&kernel).copied() {
        attribute(s, o).map(|t| {
            let not_set = e.arena.int(NOT_SET);
            let is = e.arena.eq(t, not_set);
            e.arena.ite(is, usual, t)
        })
    } else {
        (e.from_the_start && e.runtime.usual_shared).then_some(usual)
    };
    let threads = e.program.func(kernel).max_threads;
    LaunchConfig { limits: LaunchLimits { shared, threads, ..c.limits }, ..c.clone() }
}

/// Whether nothing in its configuration can prevent a launch, by its constants and ranges.
pub(crate) fn surely_runs(e: &mut MemoryDomain<'_>, kernel: FuncRef, c: &LaunchConfig) -> bool {
    let within = |e: &MemoryDomain<'_>, t: TermId, most: i128| Interval::new(1, most).contains(e.arena.range(t));
    let runs = c.limits.runs.is_none_or(|t| e.arena.as_bool(t) == Some(true));
    if c.limits.refusable || !runs || !(0..3).all(|i| within(e, c.grid[i], MAX_GRID[i])) {
        return false;
    }
    for (blocks, cluster) in c.grid.into_iter().zip(c.limits.cluster.unwrap_or([1; 3])) {
        let rest = e.arena.modulo(blocks, i128::from(cluster));
        if e.arena.as_int(rest) != Some(0) {
            return false;
        }
    }
    let xy = e.arena.mul(c.block[0], c.block[1]);
    let xyz = e.arena.mul(xy, c.block[2]);
    let most = c.limits.threads.map_or(MAX_THREADS, |n| i128::from(n).min(MAX_THREADS));
    if !within(e, xyz, most) || !(0..3).all(|i| within(e, c.block[i], engine::symbolic::kernel::launch::MAX_BLOCK[i])) {
        return false;
    }
    let shared = e.arena.range(c.shared);
    if e.arena.as_int(c.shared) == Some(0) {
        return true;
    }
    let Some(limit) = c.limits.shared else { return false };
    // A requested limit is for dynamic memory alone; otherwise static memory counts as well.
    let most = match e.arena.as_int(limit).filter(|n| *n != USUAL_SHARED) {
        Some(n) => n,
        None => {
            let statics = most_static(e, kernel);
            e.arena.range(limit).lo.unwrap_or(0).min(USUAL_SHARED - statics)
        }
    };
    Interval::new(0, most).contains(shared)
}
