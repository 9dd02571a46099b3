//! Events of an execution that the checks need: accesses, launches, copies, uses of freed memory.
//!
//! Plain data below the executor, which leaves their verdict to the checks.

use super::site::Site;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::loops::quantified_facts::QuantifiedFact;
use crate::symbolic::memory::object::FreeState;
use crate::symbolic::memory::object::{Memory, ObjId};
use crate::symbolic::memory::partition::{ArrayRow, ExecutionPoint};
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use contracts::Requirement;
use ir::FuncRef;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Kind of memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// Contents of memory after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MemoryAfterWrite {
    #[default]
    Unknown,
    /// The contents before the write.
    Same,
    /// The stored integer, or the contents before the write.
    Value(TermId),
    /// The sum, in the width of the write, of the contents before it and a number.
    Added { before: TermId, amount: TermId },
}

/// Memory access in a kernel, with the condition under which it happens.
#[derive(Clone, Debug)]
pub struct AccessEvent {
    pub site: Site,
    /// Call sites from the kernel inwards.
    pub stack: Rc<Vec<Site>>,
    pub targets: Rc<Vec<GuardedTarget>>,
    /// Width in bytes; a term for copies of variable length.
    pub bytes: TermId,
    pub kind: AccessKind,
    pub path: TermId,
    pub at: ExecutionPoint,
    /// The indexed arrays inside the object.
    pub rows: Option<Rc<Vec<ArrayRow>>>,
    pub stores: MemoryAfterWrite,
}

/// Properties of an access besides its targets.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessDetail {
    /// The indexed arrays inside the object.
    pub rows: Option<Rc<Vec<ArrayRow>>>,
    /// The integer or pointer that a write stores.
    pub stores: MemoryAfterWrite,
    pub stored_pointer: Option<Rc<Vec<GuardedTarget>>>,
    /// Scalar type of the write; bytes if it is unknown.
    pub scalar: Option<Scalar>,
}

/// Kernel launch that the host reaches.
#[derive(Clone, Debug)]
pub struct LaunchEvent {
    pub site: Site,
    /// Call sites from the root inwards; the innermost one outside launch stubs is the user's `<<<>>>`.
    pub stack: Rc<Vec<Site>>,
    pub kernel: Result<FuncRef, String>,
    pub config: LaunchConfig,
    /// Values of the kernel's parameters; a structure passed by value is an object.
    pub args: Vec<Value>,
    pub memory: Memory,
    pub path: TermId,
    pub always: Rc<Vec<QuantifiedFact>>,
    /// Host loops around it that are executed iteration by iteration, the outermost first.
    pub loops: Vec<HostPart>,
}

impl LaunchEvent {
    /// Whether another launch of the same root has the same grid and the same arguments: pointers to the same places,
    /// whatever the conditions of the path.
    #[must_use]
    pub fn is_given_the_same(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Ptr(a), Value::Ptr(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| (&a.base, a.offset) == (&b.base, b.offset))
            }
            _ => a == b,
        };
        let (grid, block) = (self.config.grid == other.config.grid, self.config.block == other.config.block);
        grid && block && self.args.len() == other.args.len() && self.args.iter().zip(&other.args).all(is_same)
    }
}

/// Configuration of a launch. `limits` are the kernel's own, if it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    pub grid: [TermId; 3],
    pub block: [TermId; 3],
    pub shared: TermId,
    /// Number of its stream, if known.
    pub stream: Option<i64>,
    pub limits: LaunchLimits,
    /// Attributes that the launch itself requests.
    pub attributes: LaunchAttributes,
}

/// Maximum values for a launch of a kernel: bytes of dynamic shared memory, and threads per block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLimits {
    pub shared: Option<TermId>,
    pub threads: Option<u32>,
    /// Blocks of a cluster along each axis; the grid is a multiple of them if the launch runs at all.
    pub cluster: Option<[u32; 3]>,
    /// Condition under which the launch runs.
    pub runs: Option<TermId>,
    /// Whether something else may prevent the launch.
    pub refusable: bool,
}

/// Attributes of a launch (`cudaLaunchKernelExC`, CUDA Runtime API 13.0) that decide which threads run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchAttributes {
    /// Blocks of a cluster along each axis.
    pub cluster: Option<[TermId; 3]>,
    /// Whether the cluster is unknown.
    pub cluster_open: bool,
    /// Whether the runtime may refuse the launch because of the attributes.
    pub refusable: bool,
    /// Reason why it is unknown which threads run.
    pub unknown: Option<UnknownReason>,
}

/// Invalid operation on freed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleOperation {
    FreedAgain,
    /// Read, written or copied: offset from the start and width in bytes.
    Used {
        kind: AccessKind,
        offset: TermId,
        bytes: TermId,
    },
}

/// Use, or second free, of freed memory.
#[derive(Clone, Debug)]
pub struct StaleEvent {
    /// The calls from the root or the kernel inwards; the access or the call itself is last.
    pub stack: Rc<Vec<Site>>,
    pub object: ObjId,
    pub freed: Rc<FreeState>,
    pub deed: StaleOperation,
    /// Condition under which it happens to this object after the free.
    pub path: TermId,
}

impl StaleEvent {
    #[must_use]
    pub fn site(&self) -> Option<Site> {
        self.stack.last().copied()
    }
}

/// Source or destination of a copy or fill by a host CUDA call.
#[derive(Clone, Debug)]
pub struct CopyEvent {
    pub side: AccessEvent,
    /// Condition that no allocation so far is empty: a case that happens only otherwise is degenerate.
    pub not_empty: TermId,
}

/// Access that may be unaligned.
#[derive(Clone, Debug)]
pub struct UnalignedEvent {
    /// The calls from the kernel inwards; the access is last.
    pub stack: Rc<Vec<Site>>,
    pub object: ObjId,
    pub offset: TermId,
    pub bytes: TermId,
    /// Required divisor of the offset, in bytes.
    pub align: u32,
    /// Divisor of the address at which the object begins, in bytes: less than `align` for a variable that is declared so.
    pub begins: u32,
    pub needed: AlignmentNeed,
    pub kind: AccessKind,
    /// Condition under which it happens to this object.
    pub happens: TermId,
    /// Condition under which it happens without that alignment.
    pub path: TermId,
}

/// Why an access needs its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignmentNeed {
    /// The access is as wide.
    Width,
    /// A compiler may merge the access, which by itself needs less, with its neighbours, or split it.
    Merged,
    /// The type of the structure that is copied is not known, and may need less.
    Presumed,
}

impl UnalignedEvent {
    /// Returns the access, without its object.
    #[must_use]
    pub fn access(&self) -> Option<AccessEvent> {
        AccessEvent::without_targets(self.stack.clone(), self.bytes, self.kind, self.path)
    }
}

impl AccessEvent {
    /// Returns an access by the last of these sites without an object: a rule adds the one that it suspects to the
    /// condition. `None` without a site.
    #[must_use]
    pub fn without_targets(stack: Rc<Vec<Site>>, bytes: TermId, kind: AccessKind, path: TermId) -> Option<Self> {
        Some(Self {
            site: *stack.last()?,
            stack,
            targets: Rc::new(vec![]),
            bytes,
            kind,
            path,
            at: ExecutionPoint::default(),
            rows: None,
            stores: MemoryAfterWrite::Unknown,
        })
    }

    /// Whether the access writes this object, or may.
    #[must_use]
    pub fn writes(&self, o: ObjId) -> bool {
        self.kind != AccessKind::Read && self.targets.iter().any(|t| t.base == Base::Object(o))
    }
}

/// Claim of a kernel (`__builtin_assume`, `__builtin_unreachable`) that may be false.
#[derive(Clone, Debug)]
pub struct ClaimEvent {
    /// The calls from the kernel inwards, and the claim itself.
    pub stack: Rc<Vec<Site>>,
    /// Source text of the claim.
    pub written: Rc<str>,
    /// Description of the assumption, if the claim is an `assert` that the build removes: the compiler derives nothing
    /// from it, but accesses that it made safe no longer are.
    pub removed: Option<Arc<str>>,
    /// Condition that the kernel reaches the claim, and it is false.
    pub path: TermId,
    /// Condition that the claim is false.
    pub broken: TermId,
}

/// Call or launch that may violate a contract of its callee.
#[derive(Clone, Debug)]
pub struct ContractEvent {
    /// The calls from the root inwards; the call in question is last.
    pub stack: Rc<Vec<Site>>,
    pub function: FuncRef,
    pub required: Rc<Requirement>,
    /// Condition that the host reaches the call, and it violates the contract.
    pub path: TermId,
    /// Condition that the call violates the contract.
    pub broken: TermId,
}

/// Barrier that all threads of a block pass together.
#[derive(Clone, Copy, Debug)]
pub struct BarrierEvent {
    /// Number of accesses recorded before it.
    pub accesses: usize,
    /// Condition that a thread reaches it.
    pub path: TermId,
}

/// Loop of which one arbitrary iteration was executed in place of all.
#[derive(Clone, Debug)]
pub struct LoopEvent {
    /// Numbers of the accesses that were recorded in it.
    pub accesses: Range<usize>,
    /// Number of the iteration.
    pub iteration: TermId,
    /// Condition that another iteration follows.
    pub continues: TermId,
}

/// Collective operation of a block whose results are bounded.
#[derive(Clone, Debug)]
pub struct CollectiveEvent {
    /// Numbers of the accesses that were recorded in it.
    pub accesses: Range<usize>,
    /// Path condition before it.
    pub path: TermId,
}

/// Events of one execution, in its order.
#[derive(Clone, Debug)]
pub struct Events {
    pub accesses: Vec<AccessEvent>,
    /// Barriers of a kernel, in its order.
    pub barriers: Vec<BarrierEvent>,
    /// Loops of a kernel that were not executed iteration by iteration.
    pub loops: Vec<LoopEvent>,
    /// Collective operations of blocks whose results are bounded.
    pub collectives: Vec<CollectiveEvent>,
    pub launches: Vec<LaunchEvent>,
    /// Uses and frees of freed memory, on either side.
    pub stale: Vec<StaleEvent>,
    /// Kernel accesses that may be unaligned.
    pub unaligned: Vec<UnalignedEvent>,
    /// Largest divisor of an address that an access of shared or global memory asks for, in bytes.
    pub alignment: u32,
    /// Kernel claims that may be false.
    pub claims: Vec<ClaimEvent>,
    /// Copies and fills by host CUDA calls: one event for each side.
    pub copies: Vec<CopyEvent>,
    /// Host calls and launches that may violate contracts.
    pub contracts: Vec<ContractEvent>,
    /// Kernel instructions that touched nothing but a thread's own plain variables: accesses that nobody would count.
    pub own: FxHashSet<Site>,
    /// Skipped parts of the host, one line each.
    pub notes: Vec<String>,
    /// Whether events are recorded at all; otherwise only states are followed.
    pub(in crate::symbolic) recording: bool,
}

/// Lengths of the lists of events, for undoing a trial.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct EventMark {
    accesses: usize,
    barriers: usize,
    loops: usize,
    collectives: usize,
    launches: usize,
    stale: usize,
    unaligned: usize,
    copies: usize,
    contracts: usize,
}

impl Events {
    /// Returns an empty list of events.
    pub(in crate::symbolic) fn new(recording: bool) -> Self {
        Self {
            accesses: vec![],
            barriers: vec![],
            loops: vec![],
            collectives: vec![],
            launches: vec![],
            stale: vec![],
            unaligned: vec![],
            alignment: 1,
            claims: vec![],
            copies: vec![],
            contracts: vec![],
            own: FxHashSet::default(),
            notes: vec![],
            recording,
        }
    }

    pub(in crate::symbolic) const fn mark(&self) -> EventMark {
        EventMark {
            accesses: self.accesses.len(),
            barriers: self.barriers.len(),
            loops: self.loops.len(),
            collectives: self.collectives.len(),
            launches: self.launches.len(),
            stale: self.stale.len(),
            unaligned: self.unaligned.len(),
            copies: self.copies.len(),
            contracts: self.contracts.len(),
        }
    }

    pub(in crate::symbolic) fn take_back(&mut self, to: EventMark) {
        self.accesses.truncate(to.accesses);
        self.barriers.truncate(to.barriers);
        self.loops.truncate(to.loops);
        self.collectives.truncate(to.collectives);
        self.launches.truncate(to.launches);
        self.stale.truncate(to.stale);
        self.unaligned.truncate(to.unaligned);
        self.copies.truncate(to.copies);
        self.contracts.truncate(to.contracts);
    }
}
