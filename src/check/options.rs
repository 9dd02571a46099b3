//! Budgets and axioms of a check, from scuba.toml and the command line.
//!
//! Plain data, independent of programs, solvers and reports.

use base::cpu_time::TimeLimit;
use base::inside::RequestedOutput;
use contracts::assume::StatedCondition;
use contracts::{Contract, EntrySelector, Invariant};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Stack size in bytes of a thread that checks. Symbolic execution recurses on calls; deep call chains of real
/// programs need more than a thread's usual 2 MiB. Only touched pages are backed by memory.
pub const STACK: usize = 512 << 20;

const MAX_THREADS: usize = 4;

/// Most checks of a program on request of the axioms that its verdicts rest on: one as usual, and one for each axiom
/// that can be omitted, for none and for all. The safety net of time is as many times as long.
pub const CHECKS_FOR_DOUBTS: u32 = 28;

/// Axioms and budgets (DESIGN: Axioms; scuba.toml `[limits]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckOptions {
    /// Device memory in bytes: the sum of live device allocations is at most this.
    pub device_memory: u64,
    /// Bytes of device memory that a witness should not exceed: `[confirm] max_bytes`.
    pub handy: Option<u64>,
    /// Work budget in hundredths of the usual one: with the pace the only limit that verdicts depend on.
    pub work: u32,
    /// Pace: who waits for the check.
    pub pace: Pace,
    /// Milliseconds of CPU time for one solver query: a safety net.
    pub solver_ms: u32,
    /// Seconds of CPU time for the whole program, after which it stays undecided: a safety net.
    pub seconds: u32,
    /// Seconds of wall time for the whole program, if a build waits for it.
    pub patience: Option<u32>,
    /// Most bytes of this process's memory; results that would need more are undecided.
    pub memory: Option<u64>,
    /// Functions named under `[roots]`: findings from them may be proved.
    pub roots: Vec<String>,
    /// Statements of scuba.toml under `[entry]`.
    pub entry: EntrySelector,
    /// Statements of scuba.toml under `[[assume]]`.
    pub assume: Vec<StatedCondition>,
    /// Statements of scuba.toml under `[[contract]]`: of functions, and of types.
    pub contracts: Vec<Contract>,
    pub invariants: Vec<Invariant>,
    /// Invariants of the program's own classes, by exact type.
    pub classes: Vec<Invariant>,
    /// Further obligations of callers: invariants of the objects that they pass to entry points.
    pub owed: Vec<Contract>,
    /// Kernels whose launches are decided by one proof.
    pub summarise: SummarisedKernels,
    /// Threads that may share the check.
    pub jobs: usize,
    /// Parts of the check to be shown.
    pub inside: RequestedOutput,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            device_memory: 192 << 30,
            handy: None,
            work: 100,
            pace: Pace::Whole,
            solver_ms: 60_000,
            seconds: 300,
            patience: None,
            memory: None,
            roots: vec![],
            entry: EntrySelector::default(),
            assume: vec![],
            contracts: vec![],
            invariants: vec![],
            classes: vec![],
            owed: vec![],
            summarise: SummarisedKernels::default(),
            jobs: 1,
            inside: RequestedOutput::default(),
        }
    }
}

impl CheckOptions {
    /// Returns the time for the whole program.
    #[must_use]
    pub fn time(&self) -> TimeLimit {
        let seconds = |s: u32| Duration::from_secs(u64::from(s));
        let usual = TimeLimit::of(seconds(self.seconds));
        self.patience.map_or(usual, |most| usual.within(seconds(most)))
    }
    /// Returns the most threads that a check uses: all that they execute shares one memory limit.
    #[must_use]
    pub fn threads(&self) -> usize {
        if self.inside.is_in_order() { 1 } else { self.jobs.clamp(1, MAX_THREADS) }
    }
}

/// Kernels whose launches are decided by one proof for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SummarisedKernels {
    /// Kernels with several launches, where looks at each launch would cost more.
    #[default]
    WhereCheaper,
    /// Every kernel: for tests of the proofs.
    All,
}

/// Part of the budget that is spent at once: a later check decides what a build leaves undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pace {
    /// A compile command waits: a small part of the command's own cost, by the size of the code.
    Compile,
    /// A link waits.
    Link,
    /// The whole budget.
    Whole,
    /// Checks beside another reading of the same sources that decides, for comparison with it: only the first looks,
    /// with at most this many units of work, or the budget of a compile command where that is larger.
    Beside(u64),
}

impl Pace {
    /// Returns the pace for a program of this many units. The link of a single unit waits for as much as the unit's compile
    /// command did, so that the report of the one serves the other.
    #[must_use]
    pub fn of_units(self, units: usize) -> Self {
        if self == Self::Link && units <= 1 { Self::Compile } else { self }
    }
}
