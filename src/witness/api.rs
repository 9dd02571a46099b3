//! What goes into a run of the interpreter and what comes out of it.

use base::work::Work;
use contracts::Cond;
use finding::{Direction, Held};
use ir::{BlockId, FuncRef};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Concrete inputs of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Inputs {
    /// `argv[1]…`, for `main`; `argv[0]` is the interpreter's own choice.
    pub argv: Vec<String>,
    /// Arguments in parameter order, for roots other than `main`. A parameter beyond the end is unknown; a pointer
    /// parameter is always a fresh object.
    pub args: Vec<i128>,
    /// Bytes of the objects behind pointer parameters, by their names; those of others are unknown.
    pub extents: BTreeMap<String, u64>,
    /// Pointers that are null, by the names of what they would point to.
    pub null: BTreeSet<String>,
    /// What objects behind parameters, and structures passed by value, hold when the root is called, as far as the program reads it. A pointer
    /// comes before what is behind it.
    pub held: Vec<Held>,
    /// Which tensors these are, for people: `held` has all that they are made of.
    pub tensors: BTreeMap<String, finding::TensorArgument>,
    /// What a kernel that is itself the root is launched with.
    pub launch: Option<Alone>,
    /// What must hold of the arguments, or the run is none that a caller could make.
    pub required: Vec<Required>,
    /// No caller gives these: they break what a type means, or its invariant.
    pub impossible: bool,
    pub stdin: Vec<u8>,
    /// Contents by the name under which the program opens them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What `rand` gives, over and over, for the question what another C library would do; empty: what glibc gives.
    pub random: Vec<u32>,
}

/// A launch without a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Alone {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u64,
}

/// An instruction of a program: an access, an allocation, a launch or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site {
    pub func: FuncRef,
    pub block: BlockId,
    /// Index into the block's instructions; their number for the block's terminator (an `invoke`).
    pub inst: u32,
}

/// What an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    HostHeap,
    HostStack,
    HostGlobal,
    /// Pinned host memory, which kernels may use (`cudaMallocHost`, `cudaHostAlloc`).
    Pinned,
    /// `cudaMalloc` and its relatives.
    Device,
    Managed,
    /// A `__device__` variable.
    DeviceGlobal,
    /// A `__constant__` variable.
    Constant,
    /// A `__shared__` variable of fixed size.
    Shared,
    /// `extern __shared__`, with the size that the launch gives.
    DynamicShared,
    /// A variable of one thread's stack.
    Local,
    /// A kernel's parameter passed by value.
    KernelParam,
    /// Memory that belongs to something not modelled: never out of bounds.
    Foreign,
    /// Null, or an address that was never that of an object.
    Wild,
}

/// The object an access was meant for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    pub kind: ObjectKind,
    /// Source name of the variable, or the function that allocated it.
    pub name: String,
    /// The call that allocated it, on the heap and on the device; the instruction that did, on a stack.
    pub alloc: Option<Site>,
    /// Size in bytes.
    pub extent: u64,
    pub freed: bool,
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Fault {
    /// Outside its object, or through an address that belongs to none.
    Bounds,
    /// Through null, or an address near it.
    Null,
    /// In a kernel, through a pointer that was read where nothing has written.
    Unset,
    /// In a kernel, at an address that depends on what was read where nothing has written.
    UnsetIndex,
    /// In a kernel, of pageable memory of the host: legal on some systems, and done.
    HostMemory,
    /// In an object that was freed.
    Freed,
    /// In its object, at an address that is no multiple of what was asked for.
    Misaligned,
    /// No access: what the program claims of itself does not hold.
    FalseClaim,
    /// No access: a call or a launch breaks the contract of what it calls.
    BrokenContract,
    /// No access: what was freed is freed again.
    FreedAgain,
    /// In its object, but outside the part of it that was named.
    Part(PartBounds),
}

/// Bytes from the start of the object; the last part has no end of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PartBounds {
    pub start: i64,
    pub end: Option<i64>,
}

impl Fault {
    /// Whether it is the fault that somebody looks for.
    pub fn answers(self, wanted: Self) -> bool {
        self == wanted || (self == Self::Null && wanted == Self::Bounds)
    }
}

/// An access that lies outside its object, or in an object that is freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadAccess {
    pub fault: Fault,
    pub site: Site,
    /// The calls through which the thread came there, the kernel's own first.
    pub callers: Vec<Site>,
    /// The call of the launch stub, or of `cudaLaunchKernel`; `None` for accesses of the host.
    pub launch_site: Option<Site>,
    /// The launch's number in the run, from 0; launches that do not run count as well.
    pub launch: u64,
    pub grid: [u64; 3],
    pub block_dim: [u64; 3],
    pub block: [u64; 3],
    pub thread: [u64; 3],
    pub object: Object,
    /// Bytes from the start of the object; negative before it.
    pub offset: i64,
    /// Width in bytes.
    pub bytes: u64,
    pub direction: Direction,
    /// How often this site did so in this launch site.
    pub count: u64,
}

impl BadAccess {
    /// Whether it is out of bounds of shared memory, but stays in its object where addresses are computed modulo 2^32, as shared
    /// ones are on the device: `p[~i]` of an `unsigned` is `p[-1 - i]` there.
    #[must_use]
    pub fn is_inside_in_hardware(&self) -> bool {
        self.fault == Fault::Bounds
            && matches!(self.object.kind, ObjectKind::Shared | ObjectKind::DynamicShared)
            && u64::try_from(self.offset.rem_euclid(1 << 32)).is_ok_and(|o| o + self.bytes <= self.object.extent)
    }
}

/// Index of a block in its grid and of a thread in its block.
pub type BlockThread = ([u64; 3], [u64; 3]);

/// Which threads of a launch to try.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Threads {
    /// These, in order; the whole block of each where a thread's path depends on others.
    List(Vec<BlockThread>),
    /// Every thread of one block.
    Block([u64; 3]),
    /// All blocks, corners of the grid first, as far as the budget goes.
    Any,
}

/// A part of an object that an access must leave while it stays in the object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Parts {
    /// Pointer variables that cut the object, each by the one store that sets it: the access goes through the first and touches
    /// a part that begins elsewhere.
    Named { own: Site, others: Vec<Site> },
    /// So many bytes from the address that an address computation starts from.
    Row { gep: Site, bytes: u64 },
}

/// The access that a witness claims to be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    pub site: Site,
    /// The calls that lead there from the kernel, where it matters: an atomic operation of a header has many callers.
    pub callers: Option<Vec<Site>>,
    /// `None`: any launch (or the host itself, where `site` is on the host side).
    pub launch_site: Option<Site>,
    /// Only the launch of this number in the run; where it does not reach the access, others of the same launch
    /// site still count.
    pub launch: Option<u64>,
    pub threads: Threads,
    /// What must be wrong with it; `None`: anything.
    pub fault: Option<Fault>,
    /// Which side of a copy; `None`: any.
    pub direction: Option<Direction>,
    /// What the address must not be a multiple of, in bytes.
    pub align: Option<u32>,
    /// Only that it leaves its part counts.
    pub parts: Option<Parts>,
    /// Only that this does not hold of the call or the launch counts.
    pub contract: Option<Required>,
}

/// What must hold wherever a function is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Required {
    pub function: FuncRef,
    pub condition: Cond,
}

/// Bounds of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Instructions executed, all threads together.
    pub steps: u64,
    /// All that it does, steps included.
    pub work: Work,
    /// Instructions in one loop, after which the loop is skipped where that is possible and what it writes becomes
    /// poison.
    pub loop_steps: u64,
    /// Bytes; the sum of live device allocations is at most this.
    pub device_memory: u64,
    /// Bytes that what is written may take here.
    pub memory: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 200_000_000,
            work: Work::seconds(20),
            loop_steps: 2_000_000,
            device_memory: 192 << 30,
            memory: 1 << 30,
        }
    }
}

/// What kind of thing a run does not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// Its work was spent.
    Work,
    /// What a function does that is not modelled.
    Call,
    /// What a loop does that was skipped.
    Loop,
    /// What memory or a file holds.
    Contents,
    Float,
    Assembly,
    /// What no model of a function, and no memory, would tell.
    #[default]
    Other,
}

/// Why a run does not decide something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Why {
    pub text: String,
    pub cause: Cause,
}

impl Why {
    /// The same, said of a place.
    #[must_use]
    pub fn said(self, words: impl FnOnce(&str) -> String) -> Self {
        Self { text: words(&self.text), cause: self.cause }
    }
}

impl From<String> for Why {
    fn from(text: String) -> Self {
        Self { text, cause: Cause::Other }
    }
}

impl From<&str> for Why {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// What a replay says about its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The program's own code reached the access, out of bounds; `assumptions` are what was taken for granted on the way.
    Reached { bad: Box<BadAccess>, assumptions: Vec<String> },
    /// The run ended (or the access was within bounds) without it.
    NotReached { why: String },
    /// Something that the interpreter does not compute decides it, or the budget ran out.
    Incomplete { why: Why },
    /// The run reached the access with an address that was read out of bounds: where that is nobody can tell.
    Astray { why: Why, assumptions: Vec<String> },
}

/// Everything an exhaustive run saw.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// One entry for each access site, launch site and object, in order of first occurrence.
    pub bad: Vec<BadAccess>,
    /// So many of them came before anything was decided by poison.
    pub certain: usize,
    /// Accesses of the device side that were reached, before anything was decided by poison, with an address that was read out of bounds.
    pub astray: Vec<Site>,
    /// How often each load, store, atomic or copy in memory was executed on the device side.
    pub visited: FxHashMap<Site, u64>,
    /// True where every launch, block and thread ran to its end, nothing decided by poison.
    pub completed: bool,
    /// Why not; empty where `completed`.
    pub why: String,
    /// How many launches ran.
    pub launches: u64,
    pub assumptions: Vec<String>,
    /// Instructions executed.
    pub steps: u64,
    /// Some integer operation left the mathematical integers, or a negative number was read as unsigned.
    pub wrapped: bool,
    /// The beginning of what it printed to the standard output, a question mark in place of what is not known.
    pub output: String,
}
