//! Inputs and results of a run of the interpreter.

use base::work::Work;
use contracts::Cond;
use finding::{Direction, HeldScalar};
use ir::{BlockId, FuncRef, ValueId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Concrete inputs of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConcreteInputs {
    /// `argv[1]…` for `main`; the interpreter chooses `argv[0]` itself.
    pub argv: Vec<String>,
    /// Arguments in parameter order, for roots other than `main`. A parameter beyond the end is unknown; a pointer
    /// parameter is always a fresh object.
    pub args: Vec<i128>,
    /// Size in bytes of the objects behind pointer parameters, by name. An object without an entry has an unknown
    /// size.
    pub extents: BTreeMap<String, u64>,
    /// Names of the objects whose pointers are null.
    pub null: BTreeSet<String>,
    /// Initial contents of objects behind parameters and of structures passed by value, as far as the program reads
    /// them. A pointer comes before the contents of its pointee.
    pub held: Vec<HeldScalar>,
    /// Description of the tensor arguments for messages; `held` has all their contents.
    pub tensors: BTreeMap<String, finding::TensorArgument>,
    /// Launch configuration, if the root itself is a kernel.
    pub launch: Option<IsolatedLaunch>,
    /// Conditions on the arguments. A run whose arguments break one is a run that no caller could make.
    pub required: Vec<RequiredCondition>,
    /// Whether no caller can give these inputs: they break the meaning or the invariant of a type.
    pub impossible: bool,
    pub stdin: Vec<u8>,
    /// File contents by the name under which the program opens the file.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Values that `rand` returns, repeated cyclically, to ask what another C library would do. Empty: glibc's
    /// values.
    pub random: Vec<u32>,
    /// Properties of the device by their names in `models::devices`; the others are a usual device's.
    pub device: BTreeMap<String, i64>,
}

/// Launch of a kernel without host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IsolatedLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u64,
}

/// Program point: an access, an allocation, a launch or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProgramPoint {
    pub func: FuncRef,
    pub block: BlockId,
    /// Index into the block's instructions. The number of instructions stands for the block's terminator (an
    /// `invoke`).
    pub inst: u32,
}

/// Kind of the object that an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    HostHeap,
    HostStack,
    HostGlobal,
    /// Pinned host memory, which kernels may use (`cudaMallocHost`, `cudaHostAlloc`).
    Pinned,
    /// Memory from `cudaMalloc` and its relatives.
    Device,
    Managed,
    /// A `__device__` variable.
    DeviceGlobal,
    /// A `__constant__` variable.
    Constant,
    /// A `__shared__` variable of fixed size.
    Shared,
    /// `extern __shared__` memory, whose size the launch gives.
    DynamicShared,
    /// A stack variable of one device thread.
    Local,
    /// A kernel parameter passed by value.
    KernelParam,
    /// Memory that the interpreter does not model: never out of bounds.
    Foreign,
    /// Null, or an address that was never an object's.
    Wild,
}

/// Object that an access was meant for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntendedObject {
    pub kind: ObjectKind,
    /// Source name of the variable, or name of the function that allocated the object.
    pub name: String,
    /// Allocating call for heap and device objects; allocating instruction for stack objects.
    pub alloc: Option<ProgramPoint>,
    /// Size in bytes.
    pub extent: u64,
    pub freed: bool,
}

/// Kind of error of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AccessFault {
    /// The access is outside its object, or its address belongs to no object.
    Bounds,
    /// The access goes through null or an address near it.
    Null,
    /// Kernel code accesses memory through a pointer read from uninitialised memory.
    Unset,
    /// Kernel code accesses an address that depends on a value read from uninitialised memory.
    UnsetIndex,
    /// Kernel code accesses pageable host memory, which is legal on some systems. The interpreter performs the
    /// access.
    HostMemory,
    /// The object was freed.
    Freed,
    /// The access is inside its object, but its address is not a multiple of the required alignment.
    Misaligned,
    /// A claim that the program makes about itself does not hold; there is no access.
    FalseClaim,
    /// A call or a launch breaks the callee's contract; there is no access.
    BrokenContract,
    /// Memory is freed twice; there is no access.
    FreedAgain,
    /// The access is inside its object, but outside the part that the pointer names.
    Part(PartBounds),
}

/// Bounds of a part, in bytes from the start of the object. The last part has no end of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PartBounds {
    pub start: i64,
    pub end: Option<i64>,
}

impl AccessFault {
    /// Whether this fault answers a search for `wanted`: a null access also answers a search for a bounds error.
    pub fn answers(self, wanted: Self) -> bool {
        self == wanted || (self == Self::Null && wanted == Self::Bounds)
    }
}

/// Occurrence of a [`AccessFault`], such as an access outside its object or to freed memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadAccess {
    pub fault: AccessFault,
    pub site: ProgramPoint,
    /// Call chain of the thread to the access, starting with the call in the kernel.
    pub callers: Vec<ProgramPoint>,
    /// Call of the launch stub or of `cudaLaunchKernel`; `None` for host accesses.
    pub launch_site: Option<ProgramPoint>,
    /// Number of the launch in the run, from 0. Launches that do not run are counted, too.
    pub launch: u64,
    pub grid: [u64; 3],
    pub block_dim: [u64; 3],
    pub block: [u64; 3],
    pub thread: [u64; 3],
    pub object: IntendedObject,
    /// Bytes from the start of the object; negative before the start.
    pub offset: i64,
    /// Width in bytes.
    pub bytes: u64,
    pub direction: Direction,
    /// Number of occurrences of this fault at this site and launch site.
    pub count: u64,
    /// Numbers that the access and the calls to it depend on, the innermost frame first.
    #[serde(default)]
    pub frames: Vec<FrameValues>,
}

/// Numbers from which an instruction was computed, within its function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameValues {
    pub site: ProgramPoint,
    /// Integers by the value that holds them, in order; with the sign that their bits have.
    pub values: Vec<(ValueId, i64)>,
}

impl BadAccess {
    /// Whether the access is out of bounds of shared memory, but stays in its object if addresses are computed modulo
    /// 2^32. Device code computes shared addresses so: `p[~i]` with an `unsigned` index is `p[-1 - i]` there.
    #[must_use]
    pub fn is_inside_in_hardware(&self) -> bool {
        self.fault == AccessFault::Bounds
            && matches!(self.object.kind, ObjectKind::Shared | ObjectKind::DynamicShared)
            && u64::try_from(self.offset.rem_euclid(1 << 32)).is_ok_and(|o| o + self.bytes <= self.object.extent)
    }
}

/// Index of a block in its grid and of a thread in its block.
pub type BlockThread = ([u64; 3], [u64; 3]);

/// Which threads of a launch to try.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TriedThreads {
    /// Threads to try in order. Where a thread's path depends on others, its whole block is run.
    List(Vec<BlockThread>),
    /// Every thread of one block.
    Block([u64; 3]),
    /// Every block, corners of the grid first, within the budget.
    Any,
}

/// Part of an object that an access must leave while it stays in the object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PartTarget {
    /// Pointer variables that cut the object into parts, each named by the only store that sets it. The access goes
    /// through the variable of `own` and touches a part that begins at another one.
    Named { own: ProgramPoint, others: Vec<ProgramPoint> },
    /// The given number of bytes from the base address of an address computation.
    Row { gep: ProgramPoint, bytes: u64 },
}

/// The access that a witness claims to be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TargetAccess {
    pub site: ProgramPoint,
    /// Call chain from the kernel to the access, where it matters: an atomic operation of a header has many callers.
    pub callers: Option<Vec<ProgramPoint>>,
    /// Launch to look at. `None`: any launch, or the host itself if `site` is in host code.
    pub launch_site: Option<ProgramPoint>,
    /// Number of the launch in the run. If this launch does not reach the access, other launches of the launch site
    /// count.
    pub launch: Option<u64>,
    pub threads: TriedThreads,
    /// Fault to look for; `None`: any.
    pub fault: Option<AccessFault>,
    /// Side of a copy; `None`: either.
    pub direction: Option<Direction>,
    /// Required alignment in bytes, which the address must violate.
    pub align: Option<u32>,
    /// Part that the access must leave: no other fault counts.
    pub parts: Option<PartTarget>,
    /// Contract that the call or launch must break: no other fault counts.
    pub contract: Option<RequiredCondition>,
}

/// Condition that must hold at every call of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequiredCondition {
    pub function: FuncRef,
    pub condition: Cond,
}

/// Bounds of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBudget {
    /// Instructions executed by all threads together.
    pub steps: u64,
    /// Total work of the run, steps included.
    pub work: Work,
    /// Instructions in one loop. Beyond this bound the loop is skipped if possible, and what it writes becomes
    /// poison.
    pub loop_steps: u64,
    /// Upper bound on the bytes of all live device allocations together.
    pub device_memory: u64,
    /// Bytes of the interpreter's own memory for written contents.
    pub memory: u64,
}

impl Default for RunBudget {
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

/// Kind of thing that a run does not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// The work budget ran out.
    Work,
    /// The effect of a function without a model.
    Call,
    /// The effect of a skipped loop.
    Loop,
    /// The contents of memory or of a file.
    Contents,
    Float,
    Assembly,
    /// Result of an operation of PyTorch, or whether it accepts its arguments.
    Operation,
    /// Anything that no function model and no memory contents would resolve.
    #[default]
    Other,
}

/// Reason why a run leaves something undecided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UndecidedReason {
    pub text: String,
    pub cause: Cause,
}

impl UndecidedReason {
    /// Wraps the text with `words`, for example to add a source position; keeps the cause.
    #[must_use]
    pub fn said(self, words: impl FnOnce(&str) -> String) -> Self {
        Self { text: words(&self.text), cause: self.cause }
    }
}

impl From<String> for UndecidedReason {
    fn from(text: String) -> Self {
        Self { text, cause: Cause::Other }
    }
}

impl From<&str> for UndecidedReason {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl std::fmt::Display for UndecidedReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Verdict of a replay on its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplayOutcome {
    /// The program's own code reached the access out of bounds; `assumptions` lists what the run assumed before.
    Reached { bad: Box<BadAccess>, assumptions: Vec<String> },
    /// The run ended without the bad access, or the access was within bounds.
    NotReached { why: String },
    /// The result depends on something that the interpreter does not compute, or the budget ran out.
    Incomplete { why: UndecidedReason },
    /// The run reached the access with an address that was read out of bounds, so that the address is unknown.
    Astray { why: UndecidedReason, assumptions: Vec<String> },
}

/// Beginning of the reason why a run that launches nothing does not reach its target.
pub(crate) const NO_LAUNCH: &str = "nothing is launched: ";

impl ReplayOutcome {
    /// Whether the program ended before its first launch: it does not accept its inputs, or has nothing to do.
    #[must_use]
    pub fn launches_nothing(&self) -> bool {
        matches!(self, Self::NotReached { why } if why.starts_with(NO_LAUNCH))
    }
}

/// Result of an exhaustive run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExhaustiveRun {
    /// Bad accesses: one entry for each access site, launch site and object, in order of first occurrence.
    pub bad: Vec<BadAccess>,
    /// Number of leading entries of `bad` that came before poison decided anything.
    pub certain: usize,
    /// Device accesses that were reached with an address read out of bounds, before poison decided anything.
    pub astray: Vec<ProgramPoint>,
    /// Execution count of each load, store, atomic and memory copy in device code.
    pub visited: FxHashMap<ProgramPoint, u64>,
    /// Whether every launch, block and thread ran to its end and poison decided nothing.
    pub completed: bool,
    /// Reason why the run is not complete; empty if `completed`.
    pub why: String,
    /// Number of launches that ran.
    pub launches: u64,
    pub assumptions: Vec<String>,
    /// Instructions executed.
    pub steps: u64,
    /// Whether an integer operation left the mathematical integers, or read a negative number as unsigned.
    pub wrapped: bool,
    /// Beginning of what the program printed to standard output; a question mark replaces unknown text.
    pub output: String,
}
