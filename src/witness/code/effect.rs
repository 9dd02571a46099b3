//! Types for the effects of code beyond computing. Module `effects` derives them from the models of functions.

use ir::{BlockId, FuncRef, GlobalRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Effect of a function, callees included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionEffect {
    /// Launches kernels, allocates or frees device memory, or calls something else of the CUDA runtime that later
    /// code depends on.
    pub cuda: bool,
    /// Launches kernels from device code.
    pub launches: bool,
    /// Waits for other threads.
    pub barrier: bool,
    /// Draws from or seeds `rand`.
    pub random: bool,
    /// Reads standard input or a file.
    pub input: bool,
    /// Calls through pointers.
    pub indirect: bool,
    /// May end all device work by a trap or a failing assert.
    pub traps: bool,
    /// May throw an exception: calls a function without a body that may.
    pub throws: bool,
    /// Calls a function of PyTorch, which may refuse its arguments.
    pub checks: bool,
    /// Variables that the function writes by name.
    pub globals: FxHashSet<GlobalRef>,
    /// Functions that it may call, itself included.
    pub calls: FxHashSet<FuncRef>,
}

/// Effects by function, computed once.
#[derive(Default)]
pub struct FunctionEffects {
    pub(super) memo: FxHashMap<FuncRef, Rc<FunctionEffect>>,
    /// Effects of parts of functions: the run reaches the same branches and loops many times.
    pub(super) regions: FxHashMap<(FuncRef, Vec<BlockId>), Rc<FunctionEffect>>,
    pub(super) targets: FxHashMap<FuncRef, Rc<DeclarationFacts>>,
    /// True if the program has launches at all, so that a call of an unknown function may launch. Computed at the
    /// start of a run.
    pub launches: Option<bool>,
}

/// Properties of a function from its declaration.
#[derive(Debug)]
pub struct DeclarationFacts {
    /// Whether the function's model only computes.
    pub pure: bool,
    /// True for each parameter that points to memory which the function does not change.
    pub konst: Vec<bool>,
}

impl FunctionEffect {
    pub(super) fn add(&mut self, other: &Self) {
        self.cuda |= other.cuda;
        self.launches |= other.launches;
        self.barrier |= other.barrier;
        self.random |= other.random;
        self.input |= other.input;
        self.indirect |= other.indirect;
        self.traps |= other.traps;
        self.throws |= other.throws;
        self.checks |= other.checks;
        self.globals.extend(&other.globals);
        self.calls.extend(&other.calls);
    }
}

impl FunctionEffects {
    /// Whether a call of an unknown function may launch.
    pub const fn may_matter_unknown(&self) -> bool {
        matches!(self.launches, Some(true))
    }
}
