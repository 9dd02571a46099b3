//! The axioms: assumptions of every *safe* verdict, each with its name, its statement, and whether it can be left out.
//!
//! Plain data, and the only list of them. Code that uses an axiom asks [`OmittedAxioms`], by `Assumptions::takes`, whether
//! the present execution assumes it; the table in `docs/glossary.md` is this list. Leaving out one axiom shows which
//! verdicts rest on it (`check/pipeline/doubts.rs`).

use std::sync::atomic::{AtomicU32, Ordering};

/// An assumption of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axiom {
    Argc,
    LaunchLimits,
    KernelLimits,
    KnownLaunches,
    DeviceAllocation,
    DeviceMemory,
    HostMemory,
    Pitches,
    DeviceProperties,
    CallsSucceed,
    TypesApart,
    SidesApart,
    BlockBarriers,
    TensorSizes,
    View,
    ClassInvariant,
    ToolchainClaim,
    Claim,
    RemovedAssert,
    Stated,
    Contract,
    Invariant,
    NoWrap,
    UnseenUnits,
    HostDefined,
    InitialOrder,
    LibraryCallbacks,
    LibraryObjects,
    NoThrow,
    HostReach,
    HostFloating,
    GivenAlignment,
    SoleWriter,
    SeparateObjects,
    Stack,
    Models,
    SameProgram,
    LeftOpen,
    Machine,
    Tool,
}

/// How the verdicts that rest on an axiom are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxiomKind {
    /// Checking the program once more without the axiom.
    LeftOut,
    /// The verdicts name the axiom themselves.
    Named,
    /// The axiom is built into the engine and could concern these safe accesses.
    BuiltIn(ConcernedAccesses),
}

/// Accesses that a built-in axiom could concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcernedAccesses {
    Every,
    /// Accesses in kernels that known host code launches.
    Launched,
}

/// Name of each axiom, its statement, and how verdicts that rest on it are determined, in the order of the axioms.
#[rustfmt::skip]
const ROWS: [(Axiom, &str, &str, AxiomKind); 40] = [
    (Axiom::Argc, "argc", "`main` is given the program's name: `argc >= 1`", AxiomKind::LeftOut),
    (Axiom::LaunchLimits, "launch-limits", "a launch that runs stays within CUDA's limits: blocks of at most 1024 threads, grids and shared memory as the programming guide limits them", AxiomKind::LeftOut),
    (Axiom::KernelLimits, "kernel-limits", "a launch that runs respects the limits that its kernel declares or the program sets: launch bounds, block and cluster sizes, dynamic shared memory", AxiomKind::LeftOut),
    (Axiom::KnownLaunches, "known-launches", "a kernel that the program's host code launches is launched nowhere else", AxiomKind::LeftOut),
    (Axiom::DeviceAllocation, "device-allocation", "an allocation of device or pinned memory that a kernel uses has succeeded", AxiomKind::LeftOut),
    (Axiom::DeviceMemory, "device-memory", "no allocation is larger than `[limits] device_memory` (192 GiB), and no array of CUDA than 131,072 elements, 65,536 rows and 16,384 slices or layers", AxiomKind::LeftOut),
    (Axiom::HostMemory, "host-memory", "no block of host memory and no file is larger than 1 TiB, and no argument longer than 1 MiB", AxiomKind::LeftOut),
    (Axiom::Pitches, "pitches", "`cudaMallocPitch` and `cudaMalloc3D` round the width of a row up to a multiple of 32 bytes, by fewer than 512 bytes and by as many for each row of that width", AxiomKind::LeftOut),
    (Axiom::DeviceProperties, "device-properties", "queries of a device give what the programming guide says of its capability: blocks of at most 1024 threads, 32 threads per warp, 48 KiB of shared memory; 1 to 1024 multiprocessors, which hold at most 2048 threads and 32 blocks each; no more free memory than there is", AxiomKind::LeftOut),
    (Axiom::CallsSucceed, "calls-succeed", "CUDA runtime calls succeed, except launches, allocations and queries, whose error codes are followed", AxiomKind::LeftOut),
    (Axiom::TypesApart, "types-apart", "caller-given memory is not changed through a pointer to another type (C++ [basic.lval], C 6.5)", AxiomKind::LeftOut),
    (Axiom::SidesApart, "sides-apart", "kernels write caller-given memory that host code uses through no other pointer", AxiomKind::LeftOut),
    (Axiom::BlockBarriers, "block-barriers", "all threads of a block that have not ended reach each `__syncthreads` together (CUDA C++ programming guide, synchronization functions)", AxiomKind::LeftOut),
    (Axiom::TensorSizes, "tensor-sizes", "tensors that a caller gives are as PyTorch makes them, or as DLPack has them: ranks, sizes and strides in range, storage as large as they say", AxiomKind::LeftOut),
    (Axiom::View, "views", "caller-given spans and containers have as many elements as their sizes say (`std::span`, `std::vector`, `mdspan`, …)", AxiomKind::LeftOut),
    (Axiom::ClassInvariant, "class-invariants", "caller-given objects satisfy the invariants that every constructor and function of their class preserves", AxiomKind::LeftOut),
    (Axiom::ToolchainClaim, "toolchain-claims", "claims of the toolchain's headers about their own code are true (`__builtin_assume`)", AxiomKind::LeftOut),
    (Axiom::Claim, "claims", "the program's claims are true (`__builtin_assume`, `__builtin_unreachable`)", AxiomKind::LeftOut),
    (Axiom::RemovedAssert, "removed-asserts", "an `assert` that `-DNDEBUG` removes would hold", AxiomKind::LeftOut),
    (Axiom::Stated, "stated", "what scuba.toml states under `[[assume]]` holds", AxiomKind::LeftOut),
    (Axiom::Contract, "contracts", "callers outside the program respect contracts", AxiomKind::LeftOut),
    (Axiom::Invariant, "invariants", "caller-given objects satisfy the invariants stated for their types", AxiomKind::LeftOut),
    (Axiom::NoWrap, "no-wrap", "an integer operation that `-v` names stays in the range of its type", AxiomKind::Named),
    (Axiom::UnseenUnits, "unseen-units", "objects that were linked without being read, and units whose host code could not be read, do nothing that changes a verdict", AxiomKind::Named),
    (Axiom::HostDefined, "host-defined", "host code has no undefined behaviour: its loads and stores, which are not checked, stay in memory that it may access, and its threads do not race with each other, nor with device work of each other (C++ [intro.races])", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::InitialOrder, "initial-order", "constructors of variables run unit by unit in the order in which the units are linked", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::LibraryCallbacks, "library-callbacks", "the C library and CUDA call no function that they only find in memory; no function is called through an address that was passed on as an integer", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::LibraryObjects, "library-objects", "C++ library objects are changed only through their members", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::NoThrow, "no-throw", "CUDA functions throw no exceptions", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::HostReach, "host-reach", "a kernel reaches host memory only through its arguments or registered pointers", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::HostFloating, "host-floating", "host floating-point arithmetic is not compiled with `-ffast-math`", AxiomKind::BuiltIn(ConcernedAccesses::Launched)),
    (Axiom::GivenAlignment, "given-alignment", "memory that a caller gives begins at a multiple of 16 bytes: the data of a tensor, and what a pointer of an entry point or of a kernel without known launches points to; and so does a kernel's shared memory, in which static variables lie one behind another, with gaps for their alignments alone", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::SoleWriter, "sole-writer", "nobody outside the program writes its memory or changes a file while it is read", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::SeparateObjects, "separate-objects", "live allocations and variables do not overlap", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::Stack, "stack", "host and device call stacks are large enough", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::Models, "models", "library functions behave as their models say", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::SameProgram, "same-program", "nvcc compiles what clang reads: the same macros, headers, types and layout", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::LeftOpen, "left-open", "where C++ leaves a choice to compilers and code depends on it, the choice is clang's: evaluation order of operands and arguments, copy elision, `__PRETTY_FUNCTION__`, `__has_include` of a compiler's own headers, sizes of extended lambdas", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::Machine, "machine", "the host is x86-64 with unified addressing, the device of capability 7.5 to 12.0", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
    (Axiom::Tool, "tool", "the engine and Z3 have no bug that makes a proof wrong", AxiomKind::BuiltIn(ConcernedAccesses::Every)),
];

impl Axiom {
    pub const ALL: [Self; ROWS.len()] = {
        let mut all = [ROWS[0].0; ROWS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = ROWS[i].0;
            i += 1;
        }
        all
    };

    /// Name of the axiom, its statement, and how verdicts that rest on it are determined.
    #[must_use]
    pub const fn row(self) -> (&'static str, &'static str, AxiomKind) {
        let (_, name, says, kind) = ROWS[self as usize];
        (name, says, kind)
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Whether a program can be checked without the axiom.
    #[must_use]
    pub const fn can_be_left_out(self) -> bool {
        matches!(self.row().2, AxiomKind::LeftOut)
    }
}

/// Axioms that an execution does not assume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OmittedAxioms(u64);

impl OmittedAxioms {
    pub const NOTHING: Self = Self(0);

    /// Axioms that users state, that programs claim, or that concern given objects. An access that is safe only by
    /// these counts as safe under an assumption.
    pub const ASSUMPTIONS: Self = Self::NOTHING
        .and(Axiom::View)
        .and(Axiom::ClassInvariant)
        .and(Axiom::Claim)
        .and(Axiom::RemovedAssert)
        .and(Axiom::Stated)
        .and(Axiom::Contract)
        .and(Axiom::Invariant);

    /// Axioms about memory that an unknown caller gives. Known launches give other memory: what holds of an arbitrary
    /// launch holds of them only without these.
    #[must_use]
    pub const fn and_of_callers(self) -> Self {
        self.and(Axiom::TypesApart)
            .and(Axiom::SidesApart)
            .and(Axiom::TensorSizes)
            .and(Axiom::View)
            .and(Axiom::ClassInvariant)
            .and(Axiom::Invariant)
    }

    #[must_use]
    pub const fn and(self, axiom: Axiom) -> Self {
        Self(self.0 | 1 << axiom as u64)
    }

    /// Set of all axioms that can be left out.
    #[must_use]
    pub fn any() -> Self {
        Axiom::ALL.into_iter().filter(|a| a.can_be_left_out()).fold(Self::NOTHING, Self::and)
    }

    #[must_use]
    pub const fn has(self, axiom: Axiom) -> bool {
        self.0 & (1 << axiom as u64) != 0
    }
}

/// Axioms that executions asked for: leaving out any other one changes nothing.
#[derive(Debug, Default)]
pub struct ConsultedAxioms([AtomicU32; 2]);

impl ConsultedAxioms {
    const EACH: usize = 32;

    pub fn note(&self, axiom: Axiom) {
        let n = axiom as usize;
        self.0[n / Self::EACH].fetch_or(1 << (n % Self::EACH), Ordering::Relaxed);
    }

    #[must_use]
    pub fn has(&self, axiom: Axiom) -> bool {
        let n = axiom as usize;
        self.0[n / Self::EACH].load(Ordering::Relaxed) & (1 << (n % Self::EACH)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Axiom, AxiomKind, ConcernedAccesses, ConsultedAxioms, OmittedAxioms};

    #[test]
    fn every_axiom_is_listed_once_under_a_name_of_its_own() {
        for (i, a) in Axiom::ALL.into_iter().enumerate() {
            assert_eq!(a as usize, i, "{a:?}");
            assert!(Axiom::ALL[..i].iter().all(|b| b.name() != a.name()), "{a:?}");
        }
        let came_to = ConsultedAxioms::default();
        came_to.note(Axiom::Tool);
        assert!(came_to.has(Axiom::Tool) && !came_to.has(Axiom::Argc) && !came_to.has(Axiom::LaunchLimits));
        assert!(OmittedAxioms::any().has(Axiom::Argc) && !OmittedAxioms::any().has(Axiom::Tool));
        assert!(OmittedAxioms::ASSUMPTIONS.has(Axiom::Contract) && !OmittedAxioms::ASSUMPTIONS.has(Axiom::Argc));
    }

    /// Table of the glossary, between its marks.
    fn table() -> String {
        let mut out = String::from("\n| axiom | says | what rests on it |\n| --- | --- | --- |\n");
        for a in Axiom::ALL {
            let (name, says, kind) = a.row();
            let how = match kind {
                AxiomKind::LeftOut => "found by leaving it out",
                AxiomKind::Named => "named by the verdict",
                AxiomKind::BuiltIn(ConcernedAccesses::Every) => "built in: could concern every safe access",
                AxiomKind::BuiltIn(ConcernedAccesses::Launched) => {
                    "built in: could concern safe accesses of launched kernels"
                }
            };
            out += &format!("| `{name}` | {says} | {how} |\n");
        }
        out
    }

    #[test]
    fn the_glossary_has_this_list() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/glossary.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("<!-- axioms -->").expect("the glossary has a table of axioms");
        let (there, after) = rest.split_once("<!-- /axioms -->").expect("the table of axioms has an end");
        if std::env::var_os("SCUBA_BLESS").is_some() {
            let whole = format!("{before}<!-- axioms -->{}<!-- /axioms -->{after}", table());
            std::fs::write(&path, whole).unwrap();
            return;
        }
        assert_eq!(there, table(), "SCUBA_BLESS=1 cargo test --lib axioms writes the table");
    }
}
