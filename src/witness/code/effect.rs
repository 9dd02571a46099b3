//! What code may do beside computing: types alone. They are found out in `effects`, from what functions are modelled.

use ir::{BlockId, FuncRef, GlobalRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a function does, callees included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Launches kernels, allocates or frees device memory, or does something else of the CUDA runtime that later code
    /// depends on.
    pub cuda: bool,
    /// Waits for other threads.
    pub barrier: bool,
    /// Draws from `rand` or `drand48`, or seeds them.
    pub random: bool,
    /// Reads standard input or a file.
    pub input: bool,
    /// Calls through pointers.
    pub indirect: bool,
    /// May end all work for the device: by a trap, or an assert that fails.
    pub traps: bool,
    /// Variables that it writes by name.
    pub globals: FxHashSet<GlobalRef>,
    /// Functions it may call, itself included.
    pub calls: FxHashSet<FuncRef>,
}

/// Effects that were found out, by function.
#[derive(Default)]
pub struct Effects {
    pub(super) memo: FxHashMap<FuncRef, Rc<Effect>>,
    /// Of parts of functions: a branch or loop is come to again and again.
    pub(super) regions: FxHashMap<(FuncRef, Vec<BlockId>), Rc<Effect>>,
    pub(super) targets: FxHashMap<FuncRef, Rc<Called>>,
    /// The program has launches at all, so that a call of something unknown might be one.
    pub launches: Option<bool>,
}

/// What is known of a function by its declaration.
#[derive(Debug)]
pub struct Called {
    /// It has a model that only computes.
    pub pure: bool,
    /// Parameters that point to what it does not change.
    pub konst: Vec<bool>,
}

impl Effect {
    pub(super) fn add(&mut self, other: &Self) {
        self.cuda |= other.cuda;
        self.barrier |= other.barrier;
        self.random |= other.random;
        self.input |= other.input;
        self.indirect |= other.indirect;
        self.traps |= other.traps;
        self.globals.extend(&other.globals);
        self.calls.extend(&other.calls);
    }
}

impl Effects {
    /// Whether a call of something that is not known might launch.
    pub const fn may_matter_unknown(&self) -> bool {
        matches!(self.launches, Some(true))
    }
}
