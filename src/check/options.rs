//! What a check may cost and what it takes for granted, as scuba.toml and the command line say.
//!
//! Plain data: it knows nothing of programs, solvers or reports.

use base::inside::Wanted;
use contracts::assume::Condition;
use contracts::{Contract, Entry, Invariant};
use serde::{Deserialize, Serialize};

/// Bytes of the stack of a thread that checks. Symbolic execution descends by calls; deep call chains of real programs need more than
/// a thread's usual 2 MiB. Only what is touched is ever backed by memory.
pub const STACK: usize = 512 << 20;

const MOST_THREADS: usize = 4;

/// How often a program is checked, at most, where somebody wants to see what its verdicts rest on: as ever, and once for each axiom that can be
/// left out, for none and for all. The safety net of time is so many times as far.
pub const CHECKS_FOR_DOUBTS: u32 = 24;

/// Axioms and budgets (DESIGN: Axioms; scuba.toml `[limits]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Bytes; the sum of live device allocations is at most this.
    pub device_memory: u64,
    /// Bytes of the device's memory that a witness should not take more than: `[confirm] max_bytes`.
    pub handy: Option<u64>,
    /// Hundredths of the usual budget of work: with the pace the only limit that verdicts depend on.
    pub work: u32,
    /// Who waits for it.
    pub pace: Pace,
    /// Wall-clock milliseconds for one question to the solver: a safety net.
    pub solver_ms: u32,
    /// Wall-clock seconds for the whole program; beyond: undecided. A safety net.
    pub seconds: u32,
    /// Bytes that this process may have in memory; what would need more is undecided.
    pub memory: Option<u64>,
    /// Functions named under `[roots]`: findings from them may be proved.
    pub roots: Vec<String>,
    /// What scuba.toml states under `[entry]`.
    pub entry: Entry,
    /// What scuba.toml states under `[[assume]]`.
    pub assume: Vec<Condition>,
    /// What scuba.toml states under `[[contract]]`: of functions, and of types.
    pub contracts: Vec<Contract>,
    pub invariants: Vec<Invariant>,
    /// What the program's own classes keep to, by exact type.
    pub classes: Vec<Invariant>,
    /// What callers owe besides: invariants of what they give to entry points.
    pub owed: Vec<Contract>,
    /// Threads that may share the check.
    pub jobs: usize,
    /// What is to be seen of it.
    pub inside: Wanted,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device_memory: 192 << 30,
            handy: None,
            work: 100,
            pace: Pace::Whole,
            solver_ms: 60_000,
            seconds: 300,
            memory: None,
            roots: vec![],
            entry: Entry::default(),
            assume: vec![],
            contracts: vec![],
            invariants: vec![],
            classes: vec![],
            owed: vec![],
            jobs: 1,
            inside: Wanted::default(),
        }
    }
}

impl Options {
    /// Threads that a check uses at most: all that they execute lies within one limit of memory.
    #[must_use]
    pub fn threads(&self) -> usize {
        if self.inside.is_in_order() { 1 } else { self.jobs.clamp(1, MOST_THREADS) }
    }
}

/// How much of the budget is spent at once: what a build leaves open is decided later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pace {
    /// A compile command waits: a small part of what it costs itself, by the size of the code.
    Compile,
    /// A link waits.
    Link,
    /// All of it.
    Whole,
    /// Another reading of the same sources decides, and this one is held against it: the first looks alone, and so many units of work
    /// at most, or what a compile command waits for where that is more.
    Beside(u64),
}
