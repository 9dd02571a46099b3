//! What an execution comes to that matters to the checks: accesses, launches, copies, uses of freed memory.
//!
//! Plain data below the executor. Which of them can go wrong is not asked here.

use super::site::Site;
use crate::symbolic::loops::quantified_facts::Always;
use crate::symbolic::memory::object::Freed;
use crate::symbolic::memory::object::{Memory, ObjId};
use crate::symbolic::memory::partition::{Moment, Row};
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use contracts::Requirement;
use ir::FuncRef;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// How the access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// What a write leaves in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Stores {
    #[default]
    Unknown,
    /// What was there before.
    Same,
    /// This integer, or what was there before.
    Value(TermId),
}

/// One memory access in a kernel, with what must hold for it to happen.
#[derive(Clone, Debug)]
pub struct AccessEvent {
    pub site: Site,
    /// Call sites from the kernel inwards.
    pub stack: Rc<Vec<Site>>,
    pub targets: Rc<Vec<Target>>,
    /// Width in bytes; a term for copies of variable length.
    pub bytes: TermId,
    pub kind: AccessKind,
    pub path: TermId,
    pub at: Moment,
    /// The arrays inside the object that are indexed.
    pub rows: Option<Rc<Vec<Row>>>,
    pub stores: Stores,
}

/// What is known of an access besides where it goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessDetail {
    /// The arrays inside the object that are indexed.
    pub rows: Option<Rc<Vec<Row>>>,
    /// The number that a write stores, or the pointer.
    pub stores: Stores,
    pub stored_pointer: Option<Rc<Vec<Target>>>,
    /// As what it is written; bytes where that is not known.
    pub scalar: Option<Scalar>,
}

/// A kernel launch that the host reaches.
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
    pub always: Rc<Vec<Always>>,
}

/// What a launch is made with. `limits` are the kernel's own, where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    pub grid: [TermId; 3],
    pub block: [TermId; 3],
    pub shared: TermId,
    /// The number of its stream, if that is known.
    pub stream: Option<i64>,
    pub limits: LaunchLimits,
    /// What the launch itself asks for besides.
    pub attributes: LaunchAttributes,
}

/// What a launch of a kernel may have at most: bytes of dynamic shared memory, and threads of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLimits {
    pub shared: Option<TermId>,
    pub threads: Option<u32>,
    /// Blocks of a cluster along each axis, of which the grid is a multiple where the launch runs at all.
    pub cluster: Option<[u32; 3]>,
    /// What must hold for the launch to run.
    pub runs: Option<TermId>,
    /// Something else may keep the launch from running.
    pub refusable: bool,
}

/// Attributes of a launch (`cudaLaunchKernelExC`, CUDA Runtime API 13.0) that decide which threads run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchAttributes {
    /// Blocks of a cluster along each axis.
    pub cluster: Option<[TermId; 3]>,
    /// Which cluster that is cannot be told.
    pub cluster_open: bool,
    /// The runtime may refuse the launch for their sake.
    pub refusable: bool,
    /// Why it is not known which threads run.
    pub unknown: Option<UnknownReason>,
}

/// What is done with freed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    FreedAgain,
    /// Read, written or copied: offset from the start and width in bytes.
    Used {
        kind: AccessKind,
        offset: TermId,
        bytes: TermId,
    },
}

/// Memory is used, or freed again, although it has been freed.
#[derive(Clone, Debug)]
pub struct StaleEvent {
    /// The calls from the root or the kernel inwards; the access or the call itself is last.
    pub stack: Rc<Vec<Site>>,
    pub object: ObjId,
    pub freed: Rc<Freed>,
    pub deed: Deed,
    /// What must hold for it to happen to this object after it was freed.
    pub path: TermId,
}

impl StaleEvent {
    #[must_use]
    pub fn site(&self) -> Option<Site> {
        self.stack.last().copied()
    }
}

/// One side of a copy or fill that a CUDA call of the host makes.
#[derive(Clone, Debug)]
pub struct CopyEvent {
    pub side: AccessEvent,
    /// That no allocation so far is empty: what happens only otherwise is degenerate.
    pub not_empty: TermId,
}

/// An access that may not be aligned.
#[derive(Clone, Debug)]
pub struct UnalignedEvent {
    /// The calls from the kernel inwards; the access is last.
    pub stack: Rc<Vec<Site>>,
    pub object: ObjId,
    pub offset: TermId,
    pub bytes: TermId,
    /// What the offset must be a multiple of, in bytes.
    pub align: u32,
    pub kind: AccessKind,
    /// What must hold for it to happen to this object, without that alignment.
    pub path: TermId,
}

impl AccessEvent {
    /// An access by the last of these sites that names no object: a rule puts the one that it suspects into the condition. `None` without a site.
    #[must_use]
    pub fn without_targets(stack: Rc<Vec<Site>>, bytes: TermId, kind: AccessKind, path: TermId) -> Option<Self> {
        Some(Self {
            site: *stack.last()?,
            stack,
            targets: Rc::new(vec![]),
            bytes,
            kind,
            path,
            at: Moment::default(),
            rows: None,
            stores: Stores::Unknown,
        })
    }

    /// Whether it writes this object, or may.
    #[must_use]
    pub fn writes(&self, o: ObjId) -> bool {
        self.kind != AccessKind::Read && self.targets.iter().any(|t| t.base == Base::Object(o))
    }
}

/// What a kernel claims of itself (`__builtin_assume`, `__builtin_unreachable`), where that may not hold.
#[derive(Clone, Debug)]
pub struct ClaimEvent {
    /// The calls from the kernel inwards, and the claim itself.
    pub stack: Rc<Vec<Site>>,
    /// How it is written.
    pub written: Rc<str>,
    /// Of an `assert` that the build removes, the assumption that it is: the compiler builds nothing on it, but what it made safe is not.
    pub removed: Option<Arc<str>>,
    /// That it is come to, and does not hold.
    pub path: TermId,
    /// That it does not hold.
    pub broken: TermId,
}

/// A call, or a launch, under which a contract of what is called may not hold.
#[derive(Clone, Debug)]
pub struct ContractEvent {
    /// The calls from the root inwards, that in question last.
    pub stack: Rc<Vec<Site>>,
    pub function: FuncRef,
    pub required: Rc<Requirement>,
    /// That it is come to, and does not hold.
    pub path: TermId,
    /// That it does not hold.
    pub broken: TermId,
}

/// The events of one execution, in its order.
#[derive(Clone, Debug)]
pub struct Events {
    pub accesses: Vec<AccessEvent>,
    pub launches: Vec<LaunchEvent>,
    /// Uses and frees of freed memory, on either side.
    pub stale: Vec<StaleEvent>,
    /// Accesses of kernels that are not surely aligned.
    pub unaligned: Vec<UnalignedEvent>,
    /// What kernels claim that may not hold.
    pub claims: Vec<ClaimEvent>,
    /// What CUDA calls of the host copy and fill: one event for each side.
    pub copies: Vec<CopyEvent>,
    /// Calls and launches of the host that may not keep to contracts.
    pub contracts: Vec<ContractEvent>,
    /// Instructions of kernels that came to nothing but a thread's own plain variables: no accesses that anybody would count.
    pub own: FxHashSet<Site>,
    /// What of the host was left out, one line each.
    pub notes: Vec<String>,
    /// Whether events are noted at all, rather than only states followed.
    pub(in crate::symbolic) recording: bool,
}

/// Lengths of the lists of events, for taking back what a trial added.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct EventMark {
    accesses: usize,
    launches: usize,
    stale: usize,
    unaligned: usize,
    copies: usize,
    contracts: usize,
}

impl Events {
    /// None yet.
    pub(in crate::symbolic) fn new(recording: bool) -> Self {
        Self {
            accesses: vec![],
            launches: vec![],
            stale: vec![],
            unaligned: vec![],
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
            launches: self.launches.len(),
            stale: self.stale.len(),
            unaligned: self.unaligned.len(),
            copies: self.copies.len(),
            contracts: self.contracts.len(),
        }
    }

    pub(in crate::symbolic) fn take_back(&mut self, to: EventMark) {
        self.accesses.truncate(to.accesses);
        self.launches.truncate(to.launches);
        self.stale.truncate(to.stale);
        self.unaligned.truncate(to.unaligned);
        self.copies.truncate(to.copies);
        self.contracts.truncate(to.contracts);
    }
}
