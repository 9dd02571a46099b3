//! Threads that a launch runs: its configuration, its attributes and those of its kernel together (CUDA C++
//! Programming Guide 13.0, Thread Block Clusters and Blocks as Clusters; CUDA Runtime API reference 13.0,
//! `cudaLaunchAttributeID`).
//!
//! In: the configuration of a launch. Out: the grid and block that run, with the conditions that prevent it; unknown
//! ones, with the reason, where the documents do not specify it.

use super::cuda;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{LaunchAttributes, LaunchConfig, LaunchLimits};
use engine::symbolic::exec::library::LibraryCall;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::kernel::launch::{MAX_BLOCK, MAX_GRID};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::{Callee, Const, FuncRef, LaunchShape, Op, Operand, Side, Terminator};
pub use models::launches::{self, AttributeEffect};
use std::rc::Rc;

/// Maximum number of attributes that are read of one launch.
const MAX: i128 = 16;

/// Cluster that a kernel demands of its launches.
enum RequiredCluster {
    Nothing,
    Blocks([u32; 3]),
    /// Blocks along some axes only, which no launch satisfies.
    Partly,
    Unknown,
}

/// Reads the attributes of a `cudaLaunchConfig_t`.
pub(crate) fn launch_attributes(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> LaunchAttributes {
    let unknown = |why| LaunchAttributes { refusable: true, unknown: Some(why), ..LaunchAttributes::default() };
    let config = cuda::pointer_arg(e, c, 0);
    let Some(count) = member(e, s, &config, launches::COUNT_AT, 4).and_then(|t| e.arena.as_int(t)) else {
        return unknown(UnknownReason::LaunchAttributes);
    };
    let mut out = LaunchAttributes::default();
    if count == 0 {
        return out;
    }
    let at = e.arena.int(i128::from(launches::LIST_AT));
    let list = e.offset_targets(&config, at);
    let list = e.load_pointer(s, &list);
    for i in 0..count.min(MAX + 1) {
        let at = e.arena.int(i * i128::from(launches::ATTRIBUTE_BYTES));
        let one = e.offset_targets(&list, at);
        let id = member(e, s, &one, 0, 4).and_then(|t| e.arena.as_int(t)).filter(|_| i < MAX);
        let Some(id) = id.and_then(|id| u32::try_from(id).ok()) else {
            return unknown(UnknownReason::LaunchAttributes);
        };
        match launches::effect(id) {
            AttributeEffect::Nothing => {}
            AttributeEffect::LargerClusters => out.cluster_open = true,
            AttributeEffect::Cooperative | AttributeEffect::OfStreams => out.refusable = true,
            AttributeEffect::Cluster => {
                let axes = [0, 4, 8].map(|at| member(e, s, &one, launches::VALUE_AT + at, 4));
                match axes {
                    [Some(x), Some(y), Some(z)] if out.cluster.is_none() => out.cluster = Some([x, y, z]),
                    // It is undocumented which of two counts.
                    _ => out.cluster_open = true,
                }
            }
            AttributeEffect::Unknown(name) => return unknown(UnknownReason::LaunchAttribute(name)),
        }
    }
    out
}

/// Returns an unsigned member of a structure.
fn member(e: &mut MemoryDomain<'_>, s: &mut State, of: &Rc<Vec<GuardedTarget>>, at: u64, bytes: u64) -> Option<TermId> {
    let delta = e.arena.int(i128::from(at));
    let place = e.offset_targets(of, delta);
    let held = e.load_number(s, &place, bytes)?;
    Some(e.interpret(held, u32::try_from(8 * bytes).ok()?, false))
}

/// Returns the configuration with which a launch runs.
pub(crate) fn shaped(e: &mut MemoryDomain<'_>, s: &State, kernel: FuncRef, c: &LaunchConfig) -> LaunchConfig {
    let shape = e.program.func(kernel).shape;
    if let Some(why) = c.attributes.unknown.clone() {
        return of_unknown_shape(e, c, &shape, why);
    }
    if shape.unread {
        return of_unknown_shape(e, c, &shape, UnknownReason::KernelShape);
    }
    let (cluster, runs, refusable) = cluster_of(e, s, kernel, &c.attributes);
    let refusable = refusable || c.attributes.refusable;
    let limits = LaunchLimits { cluster, runs: Some(runs), refusable, ..c.limits };
    let Some(block) = shape.block else { return LaunchConfig { limits, ..c.clone() } };
    // A block other than the declared one is refused (PTX ISA 9.0, `.reqntid`; measured on an H100 with CUDA
    // 13.0), except for the single thread that the guide asks for.
    let fits = [[1; 3], block].map(|of| is_block(e, c.block, of));
    let fits = e.arena.or(fits[0], fits[1]);
    let runs = e.arena.and(runs, fits);
    let each = shape.cluster.unwrap_or([1; 3]).map(|n| e.arena.int(i128::from(n)));
    let grid = [0, 1, 2].map(|i| e.arena.mul(c.grid[i], each[i]));
    let block = block.map(|n| e.arena.int(i128::from(n)));
    LaunchConfig { grid, block, limits: LaunchLimits { runs: Some(runs), ..limits }, ..c.clone() }
}

fn is_block(e: &mut Terms, block: [TermId; 3], of: [u32; 3]) -> TermId {
    let all = (0..3).map(|i| {
        let n = e.arena.int(i128::from(of[i]));
        e.arena.eq(block[i], n)
    });
    let all = all.collect();
    e.arena.and_all(all)
}

/// Returns the cluster of a launch, the condition on its sources under which the launch runs, and whether
/// something else in it may prevent that.
fn cluster_of(
    e: &mut MemoryDomain<'_>,
    s: &State,
    kernel: FuncRef,
    asked: &LaunchAttributes,
) -> (Option<[u32; 3]>, TermId, bool) {
    let shape = e.program.func(kernel).shape;
    let (runs, refused) = (e.arena.bool(true), e.arena.bool(false));
    let open = (None, runs, true);
    if asked.cluster_open {
        return open;
    }
    // A cluster declared at compile time cannot be set at run time (`cudaFuncAttributes` in driver_types.h).
    let own = match (shape.cluster, shape.block) {
        (Some(c), _) => RequiredCluster::Blocks(c),
        (None, Some(_)) => RequiredCluster::Blocks([1; 3]),
        (None, None) => required_cluster(e, s, kernel),
    };
    let number = |t: TermId| e.arena.as_int(t).and_then(|n| u32::try_from(n).ok());
    let by_launch = match asked.cluster.map(|axes| axes.map(number)) {
        None | Some([Some(0), Some(0), Some(0)]) => None,
        Some([Some(x @ 1..), Some(y @ 1..), Some(z @ 1..)]) => Some([x, y, z]),
        Some(_) => return open,
    };
    let cluster = match (own, by_launch) {
        (RequiredCluster::Unknown, _) => return open,
        (RequiredCluster::Partly, _) => return (None, refused, true),
        // PTX ISA 9.0, `.reqnctapercluster`.
        (RequiredCluster::Blocks(own), Some(other)) if own != other => return (None, refused, true),
        (RequiredCluster::Blocks(c), _) | (RequiredCluster::Nothing, Some(c)) => c,
        (RequiredCluster::Nothing, None) if shape.names_no_cluster => return (None, refused, true),
        // Each block is a cluster of its own (PTX ISA 9.0, Cluster of Cooperative Thread Arrays).
        (RequiredCluster::Nothing, None) => [1; 3],
    };
    (Some(cluster), runs, !launches::is_portable(cluster, shape.most_blocks))
}

/// Returns a launch that may run any threads, or none; wherever it runs, blocks are as the kernel declares them
/// (PTX ISA 9.0, `.reqntid`).
fn of_unknown_shape(
    e: &mut ValueDomain<'_>,
    c: &LaunchConfig,
    shape: &LaunchShape,
    why: UnknownReason,
) -> LaunchConfig {
    let any = |e: &mut ValueDomain<'_>, most: i128, name: &str| {
        let most = e.most_launched(most);
        e.arena.fresh(SymKind::Unknown { reason: why.clone() }, name, Interval::new(1, most))
    };
    let grid = MAX_GRID.map(|m| any(e, m, "gridDim"));
    let block = match shape.block.filter(|_| !shape.unread) {
        Some(b) => b.map(|n| e.arena.int(i128::from(n))),
        None => MAX_BLOCK.map(|m| any(e, m, "blockDim")),
    };
    let limits = LaunchLimits { cluster: None, runs: None, refusable: true, ..c.limits };
    LaunchConfig { grid, block, limits, ..c.clone() }
}

/// Returns the cluster that the program made a kernel require.
fn required_cluster(e: &mut MemoryDomain<'_>, s: &State, kernel: FuncRef) -> RequiredCluster {
    let Some(o) = e.runtime.attributes.get(&kernel).copied() else {
        return if sets_clusters(e) { RequiredCluster::Unknown } else { RequiredCluster::Nothing };
    };
    let cell = |at: i64| match s.mem.get(&o).and_then(|st| st.cells.get(&at)) {
        Some((4, Value::Int(t))) => e.arena.as_int(*t).and_then(|n| u32::try_from(n).ok()),
        _ => None,
    };
    match [cell(4), cell(8), cell(12)] {
        [Some(0), Some(0), Some(0)] => RequiredCluster::Nothing,
        [Some(x @ 1..), Some(y @ 1..), Some(z @ 1..)] => RequiredCluster::Blocks([x, y, z]),
        // The values must all be 0 or all be positive (`cudaFuncAttributes` in driver_types.h).
        [Some(_), Some(_), Some(_)] => RequiredCluster::Partly,
        _ => RequiredCluster::Unknown,
    }
}

/// Whether the program may set the cluster that a kernel requires: by a call whose attribute is not constant, or
/// is one of a cluster.
fn sets_clusters(e: &mut MemoryDomain<'_>) -> bool {
    if let Some(known) = e.runtime.sets_clusters {
        return known;
    }
    let is_harmless = |o: Option<&Operand>| match o {
        Some(Operand::Const(Const::Int { value, .. })) => !launches::is_of_clusters(*value),
        _ => false,
    };
    let program = e.program;
    let sets = |f: FuncRef, callee: &Callee, args: &[Operand]| {
        let Callee::Direct(id) = callee else { return false };
        let name = &program.func(program.resolve_func(f.module, *id)).name;
        let at = launches::SETTERS.iter().find(|(n, _)| name.contains(n)).map(|(_, at)| *at);
        at.is_some_and(|at| !is_harmless(args.get(at)))
    };
    let found = program.functions().filter(|(_, m, _)| m.side == Side::Host).any(|(r, _, f)| {
        // The C++ functions of the same names forward their arguments.
        !launches::SETTERS.iter().any(|(n, _)| f.name.contains(n))
            && f.blocks.iter().any(|b| {
                let called = b.insts.iter().any(|i| match &i.op {
                    Op::Call { callee, args, .. } => sets(r, callee, args),
                    _ => false,
                });
                called || matches!(&b.term, Terminator::Invoke { callee, args, .. } if sets(r, callee, args))
            })
    });
    e.runtime.sets_clusters = Some(found);
    found
}

/// Records a cluster that the program makes a kernel require (`cudaFuncAttributeRequiredClusterWidth` and similar
/// attributes). Returns whether that surely succeeds.
pub(crate) fn require_cluster(
    e: &mut MemoryDomain<'_>,
    s: &mut State,
    kernels: &[FuncRef],
    which: Option<i128>,
    value: TermId,
) -> bool {
    let mut sure = !kernels.is_empty() && launches::axis(which).is_some();
    for k in kernels {
        let shape = e.program.func(*k).shape;
        sure &= kernels.len() == 1 && shape.block.is_none() && shape.cluster.is_none() && !shape.unread;
        sure &= e.arena.as_int(value).is_some_and(|n| n >= 0);
        let Some(o) = e.runtime.attributes.get(k).copied() else { continue };
        let held = if sure { Value::Int(value) } else { Value::unknown(UnknownReason::KernelAttribute) };
        if let Some(st) = s.mem.get_mut(&o) {
            let st = Rc::make_mut(st);
            for at in launches::axis(which).map_or(0..3, |i| i..i + 1) {
                st.cells.insert(4 + 4 * at, (4, held.clone()));
            }
        }
    }
    sure
}

/// Returns the kernel that a handle of the runtime represents.
pub(crate) fn kernel_of_handle(e: &ValueDomain<'_>, base: &Base) -> Option<FuncRef> {
    let Base::Func(stub) = base else { return None };
    e.program.kernel_of_stub(stub.module, &e.program.func(*stub).name)
}
