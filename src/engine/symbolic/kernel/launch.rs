//! Symbolic execution of a kernel for one arbitrary thread of one arbitrary block of a launch.

use super::shared_reads::ExchangeMemory;
use crate::symbolic::effects::write_set::{Footprint, PartialWrites, StableReads};
use crate::symbolic::exec::aside::KernelOutcome;
use crate::symbolic::exec::events::{
    AccessEvent, BarrierEvent, ClaimEvent, ContractEvent, LaunchAttributes, LaunchConfig, LaunchEvent, LaunchLimits,
    LoopEvent, StaleEvent, UnalignedEvent,
};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::kernel::context::ThreadIndices;
use crate::symbolic::limits::budget::{Allowance, Limit};
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::partition::Partition;
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Axis, SymId, SymKind, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use ir::FuncRef;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// CUDA's limits of a launch (CUDA C++ Programming Guide 13.0, Compute Capabilities, capability 7.5 to 12.0).
pub const MAX_BLOCK: [i128; 3] = [1024, 1024, 64];
pub const MAX_THREADS: i128 = 1024;
pub const MAX_GRID: [i128; 3] = [(1 << 31) - 1, 65535, 65535];
/// Bytes; the most that any capability up to 12.0 offers.
pub const MAX_SHARED: i128 = 227 * 1024;

/// Maximum number of iterations of the write set's fixpoint.
const MAX_SUPPOSED: u32 = 6;

/// Events of one launch.
#[derive(Debug)]
pub struct KernelRun {
    pub accesses: Vec<AccessEvent>,
    pub barriers: Vec<BarrierEvent>,
    /// Launches by its threads (dynamic parallelism).
    pub launches: Vec<LaunchEvent>,
    /// Loops that were not executed iteration by iteration.
    pub loops: Vec<LoopEvent>,
    /// Uses of memory that was freed, before its launch or by itself.
    pub stale: Vec<StaleEvent>,
    /// Accesses that may be unaligned.
    pub unaligned: Vec<UnalignedEvent>,
    /// Largest divisor of an address that an access asks for, in bytes: also where it has it.
    pub alignment: u32,
    /// Claims that may be false.
    pub claims: Vec<ClaimEvent>,
    /// Calls that may violate contracts.
    pub contracts: Vec<ContractEvent>,
    /// Instructions that touched nothing but a thread's own plain variables.
    pub own: FxHashSet<Site>,
    /// Indexed by the numbers that pointers carry.
    pub partitions: Vec<Partition>,
    pub thread: ThreadIndices,
    /// First symbol of this thread: another thread has different ones from here on.
    pub own_from: SymId,
    pub exchanged: ExchangeMemory,
    /// Reason why the kernel could not be followed to its end.
    pub gave_up: Option<UnknownReason>,
    /// Limit that ended it.
    pub limit: Option<Limit>,
}

impl Executor<'_> {
    /// Executes a kernel under a launch, with the budget `given`. Facts (the launch's path, axioms, allocations)
    /// become its path condition.
    pub fn run_kernel(
        &mut self,
        kernel: FuncRef,
        launch: &LaunchEvent,
        facts: Vec<TermId>,
        given: Allowance,
    ) -> KernelRun {
        let (run, disturbed) = self.run_with_collectives(kernel, launch, facts.clone(), (given, false));
        if disturbed { self.run_with_collectives(kernel, launch, facts, (given, true)).0 } else { run }
    }

    /// Executes a kernel, with bounds on the results of its collective operations unless they are `disturbed`; also
    /// returns whether they are.
    fn run_with_collectives(
        &mut self,
        kernel: FuncRef,
        launch: &LaunchEvent,
        facts: Vec<TermId>,
        (given, disturbed): (Allowance, bool),
    ) -> (KernelRun, bool) {
        let recording = self.is_recording();
        let host = self.swap_out_host(given, recording);
        self.kernel.disturbed = disturbed;
        self.renew_linear_work();
        let own_from = SymId(u32::try_from(self.arena.symbols().len()).unwrap_or(u32::MAX));
        let first = self.arena.symbols().len();
        self.kernel.partitions.begin(first);
        let thread = self.thread_symbols(&launch.config);
        let mut path = facts;
        for i in 0..3 {
            path.push(self.arena.lt(thread.tid[i], launch.config.block[i]));
            path.push(self.arena.lt(thread.bid[i], launch.config.grid[i]));
        }
        let shared = self.heap.add(Object {
            kind: ObjKind::SharedDynamic,
            name: String::new(),
            extent: Some(launch.config.shared),
            site: None,
            func: None,
            array: true,
        });
        let thread = ThreadIndices { shared: Some(shared), ..thread };
        self.kernel.thread = Some(thread.clone());
        let path = self.arena.and_all(path);

        // First compute the write set: everything else keeps its contents from the launch. The stores of a single
        // thread are followed.
        let mut anywhere = false;
        let single =
            self.at_launch(launch, path).and_then(|s| self.written_by_single(kernel, &launch.args, &launch.config, s));
        self.kernel.alone = single.is_some();
        if let Some(written) = single {
            let objects = self.heap.len();
            self.set_stable_memory(launch, &written, false, objects);
        } else {
            anywhere = self.without_recording(|e| e.compute_write_set(kernel, launch, path));
            self.kernel.partitions.restart();
        }
        if !self.limits.is_at_an_end() {
            self.enter_kernel(kernel, launch, path, 2);
        }

        let KernelOutcome { kernel: mut context, events, halt, .. } = self.swap_in_host(host);
        let disturbed = self.disturbs_collectives(&events);
        let run = KernelRun {
            accesses: events.accesses,
            barriers: events.barriers,
            launches: events.launches,
            loops: events.loops,
            stale: events.stale,
            unaligned: events.unaligned,
            alignment: events.alignment,
            claims: events.claims,
            contracts: events.contracts,
            own: events.own,
            partitions: context.partitions.take(),
            thread,
            own_from,
            exchanged: ExchangeMemory {
                anywhere: anywhere || context.written_anywhere || context.launches,
                otherwise: context.written_otherwise,
            },
            limit: halt.limit(),
            gave_up: halt.reason(),
        };
        (run, disturbed)
    }

    /// Computes the write set of a kernel, and leaves all else as it is at the launch. Returns whether it may write
    /// anywhere.
    fn compute_write_set(&mut self, kernel: FuncRef, launch: &LaunchEvent, path: TermId) -> bool {
        let known = self.heap.len();
        self.enter_kernel(kernel, launch, path, 1);
        let mut anywhere = self.kernel.may_write_anywhere();
        let mut written = std::mem::take(&mut self.kernel.written);
        if anywhere || written.has_pointers() {
            let ended = self.limits.halt().clone();
            match self.written_through_pointers_at_launch(kernel, launch, path, known) {
                Some(found) => (written, anywhere) = (found, false),
                // The result of the first execution is correct, if less exact.
                None if !anywhere => self.limits.restore(ended),
                None => {}
            }
        }
        self.kernel.written_anywhere = anywhere;
        written.drop_pointers(|o| (o.0 as usize) < known);
        let objects = self.heap.len();
        self.set_stable_memory(launch, &written, anywhere, objects);
        anywhere
    }

    /// Returns the write set of a kernel that loads pointers from memory and stores through them, by a fixpoint.
    /// Memory that it does not write keeps its contents from the launch: the executor assumes that the kernel writes
    /// nowhere, computes the write set, assumes that set, until nothing is added. The first store outside the set
    /// would be one that this execution sees. `None` if it may write anywhere.
    fn written_through_pointers_at_launch(
        &mut self,
        kernel: FuncRef,
        launch: &LaunchEvent,
        path: TermId,
        known: usize,
    ) -> Option<Footprint> {
        let mut written = Footprint::default();
        let unknown_code = std::mem::replace(&mut self.kernel.unknown_code, false);
        for _ in 0..MAX_SUPPOSED {
            self.set_stable_memory(launch, &written, false, known);
            self.kernel.written_anywhere = false;
            if !self.limits.is_whole() {
                break;
            }
            self.enter_kernel(kernel, launch, path, 1);
            if self.kernel.may_write_anywhere() || self.kernel.unknown_code {
                break;
            }
            let mut found = std::mem::take(&mut self.kernel.written);
            found.drop_pointers(|o| (o.0 as usize) < known);
            let all = written.covers(&found, |o| (o.0 as usize) < known);
            written.merge(&found);
            if all {
                self.kernel.unknown_code = unknown_code;
                return Some(written);
            }
        }
        self.kernel.unknown_code |= unknown_code;
        self.kernel.written_anywhere = true;
        None
    }

    fn enter_kernel(&mut self, kernel: FuncRef, launch: &LaunchEvent, path: TermId, salt: u64) {
        if let Some(s) = self.at_launch(launch, path) {
            use std::hash::{Hash, Hasher};
            let mut h = rustc_hash::FxHasher::default();
            (kernel, launch.site, self.heap.len(), salt).hash(&mut h);
            let args = launch.args.clone();
            // A kernel returns nothing: only its events count.
            drop(self.call(kernel, args, s, h.finish()));
        }
    }
}

impl ExecutionContext<'_> {
    /// Lets a kernel read memory that it does not write with its contents at the launch, for objects below `known`.
    fn set_stable_memory(&mut self, launch: &LaunchEvent, written: &Footprint, anywhere: bool, known: usize) {
        let stable = StableReads { known, written: written.clone(), memory: launch.memory.clone(), anywhere };
        let objects = written
            .objects()
            .filter(|o| matches!(self.object(*o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_)))
            .filter(|o| stable.is_there(*o) && self.stays(*o, &stable, Scalar::Bytes))
            .collect();
        self.kernel.stable = Some(Rc::new(stable));
        self.kernel.beside =
            Some(Rc::new(PartialWrites { objects, written: written.clone(), memory: launch.memory.clone() }));
    }

    /// Whether a kernel may read such a scalar of an object with its value at the launch.
    pub(in crate::symbolic) fn is_as_at_launch(&self, o: ObjId, read: Scalar) -> bool {
        let Some(stable) = &self.kernel.stable else { return false };
        stable.is_there(o) && !stable.written.contains(o) && self.stays(o, stable, read)
    }

    /// Whether the kernel, through another unknown pointer, writes memory that is read as such a scalar.
    fn is_written_as_another(&self, o: ObjId, stable: &StableReads, read: Scalar) -> bool {
        stable.written.objects().any(|w| {
            let apart = self.assumptions.takes(Axiom::TypesApart);
            let read = if apart { read } else { Scalar::Bytes };
            stable.written.may_change(w, read) && self.may_be_written_twice(o, w, stable.written.is_of_bytes(w))
        })
    }

    /// Whether only the kernel's known writes change an object.
    fn stays(&self, o: ObjId, stable: &StableReads, read: Scalar) -> bool {
        let StableReads { anywhere, .. } = *stable;
        match self.object(o).kind {
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => false,
            ObjKind::DeviceLocal => true,
            ObjKind::Constant(_) => self.is_settled(o),
            // The host does not wait for the kernel before it writes.
            ObjKind::Managed | ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_) => false,
            ObjKind::Parameter | ObjKind::DeviceGlobal(_) | ObjKind::DeviceHeap
                if anywhere || self.runtime.overlapping =>
            {
                false
            }
            // A pointer of unknown origin may have the same target as another one, or point to a device variable.
            ObjKind::Parameter | ObjKind::DeviceGlobal(_) => !self.is_written_as_another(o, stable, read),
            ObjKind::DeviceHeap => true,
            // Memory that kernels cannot reach, and strings, which nobody writes.
            ObjKind::ArgvArray | ObjKind::ArgvText(_) | ObjKind::ArgvTexts | ObjKind::Stream(_) | ObjKind::Opaque => {
                !anywhere && !self.runtime.overlapping
            }
        }
    }

    /// Returns the values of a kernel's parameters for an unknown launch.
    pub fn unknown_arguments(&mut self, kernel: FuncRef) -> Vec<Value> {
        let func = self.program.func(kernel);
        let m = self.program.module(kernel.module);
        let mut s = self.initial_state();
        (0..func.params.len()).map(|i| self.root_argument(&mut s, m, kernel, i, false)).collect()
    }
}

impl MemoryDomain<'_> {
    fn at_launch(&mut self, launch: &LaunchEvent, path: TermId) -> Option<State> {
        let mut state = self.initial_state();
        state.mem.clone_from(&launch.memory);
        self.assume(state, path)
    }
}

impl ValueDomain<'_> {
    /// Returns the conditions under which a launch runs at all.
    pub fn launch_axioms(&mut self, c: &LaunchConfig) -> Vec<TermId> {
        let mut facts = vec![];
        let one = self.arena.int(1);
        for i in 0..3 {
            for (t, max) in [(c.grid[i], MAX_GRID[i]), (c.block[i], MAX_BLOCK[i])] {
                facts.push(self.arena.le(one, t));
                let m = self.most_launched(max);
                let m = self.arena.int(m);
                facts.push(self.arena.le(t, m));
            }
        }
        let xy = self.arena.mul(c.block[0], c.block[1]);
        let xyz = self.arena.mul(xy, c.block[2]);
        let of_kernel = self.assumptions.takes(Axiom::KernelLimits);
        if self.assumptions.takes(Axiom::LaunchLimits) {
            let m = self.arena.int(MAX_THREADS);
            facts.push(self.arena.le(xyz, m));
        }
        if let Some(n) = c.limits.threads.filter(|_| of_kernel) {
            let m = self.arena.int(i128::from(n));
            facts.push(self.arena.le(xyz, m));
        }
        let m = self.most_launched(MAX_SHARED);
        let m = self.arena.int(m);
        facts.push(self.arena.le(c.shared, m));
        if let Some(m) = c.limits.shared.filter(|_| of_kernel) {
            facts.push(self.arena.le(c.shared, m));
        }
        let zero = self.arena.int(0);
        facts.push(self.arena.le(zero, c.shared));
        if !of_kernel {
            return facts;
        }
        for (blocks, cluster) in c.grid.into_iter().zip(c.limits.cluster.unwrap_or([1; 3])) {
            let rest = self.arena.modulo(blocks, i128::from(cluster));
            facts.push(self.arena.eq(rest, zero));
        }
        facts.extend(c.limits.runs);
        facts
    }

    /// Returns the maximum of a launch parameter; without [`Axiom::LaunchLimits`], that of its type.
    pub fn most_launched(&self, most: i128) -> i128 {
        if self.assumptions.takes(Axiom::LaunchLimits) { most } else { u32::MAX.into() }
    }

    /// Replaces the block of an unknown configuration by the one that the kernel's own attributes declare: no other
    /// runs (PTX ISA 9.0, `.reqntid`).
    pub fn with_declared_block(&mut self, kernel: FuncRef, c: LaunchConfig) -> LaunchConfig {
        let shape = self.program.func(kernel).shape;
        let block = shape.block.filter(|_| !shape.unread && self.assumptions.takes(Axiom::KernelLimits));
        let block = block.map_or(c.block, |b| b.map(|n| self.arena.int(i128::from(n))));
        LaunchConfig { block, ..c }
    }

    pub(crate) fn thread_symbols(&mut self, c: &LaunchConfig) -> ThreadIndices {
        let axes = [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];
        let make = |e: &mut Self, dims: &[TermId; 3], name: &str, max: &[i128; 3], thread: bool| {
            std::array::from_fn(|i| {
                let most = e.most_launched(max[i]);
                let hi = e.arena.range(dims[i]).hi.map_or(most, |h| h.min(most)) - 1;
                if hi <= 0 {
                    return e.arena.int(0);
                }
                let kind = if thread { SymKind::Thread(axes[i].1) } else { SymKind::Block(axes[i].1) };
                e.arena.fresh(kind, format!("{name}.{}", axes[i].0), Interval::new(0, hi))
            })
        };
        let tid = make(self, &c.block, "threadIdx", &MAX_BLOCK, true);
        let bid = make(self, &c.grid, "blockIdx", &MAX_GRID, false);
        ThreadIndices { tid, bid, block: c.block, grid: c.grid, cluster: c.limits.cluster, shared: None }
    }

    /// Returns a launch of unknown shape, for kernels that no known host code launches.
    pub fn unknown_launch(&mut self, name: &str) -> LaunchConfig {
        let axes = ["x", "y", "z"];
        let src = |i: usize, what: &str| crate::symbolic::terms::term::InputSource::Param {
            function: name.to_owned(),
            name: format!("{what}.{}", axes[i]),
        };
        let grid = std::array::from_fn(|i| {
            let k = SymKind::Input(src(i, "gridDim"));
            let most = self.most_launched(MAX_GRID[i]);
            self.arena.fresh(k, format!("gridDim.{}", axes[i]), Interval::new(1, most))
        });
        let block = std::array::from_fn(|i| {
            let k = SymKind::Input(src(i, "blockDim"));
            let most = self.most_launched(MAX_BLOCK[i]);
            self.arena.fresh(k, format!("blockDim.{}", axes[i]), Interval::new(1, most))
        });
        let k = SymKind::Input(crate::symbolic::terms::term::InputSource::Param {
            function: name.to_owned(),
            name: "dynamic shared memory".into(),
        });
        let most = self.most_launched(MAX_SHARED);
        let shared = self.arena.fresh(k, "dynamic shared memory", Interval::new(0, most));
        let (limits, attributes) = (LaunchLimits::default(), LaunchAttributes::default());
        LaunchConfig { grid, block, shared, stream: None, limits, attributes }
    }
}
