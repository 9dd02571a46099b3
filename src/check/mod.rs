//! One obligation per access and launch, decided by a polynomial bound and then Z3.
//!
//! In: a linked [`crate::ir::Program`]. Out: a [`ProgramReport`]. It knows neither LLVM nor nvcc.

pub(crate) mod concurrency;
pub(crate) mod counterexample;
mod engine;
pub(crate) mod findings;
pub(crate) mod obligations;
pub(crate) mod rules;
pub mod solver;

use crate::inside::{self, Seen, Wanted};
use crate::assume::Condition;
use crate::ir::Program;
use crate::nets::{self, Net, Nets};
use crate::report::finding::{Finding, Position, Summary, Undecided};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bytes of the stack of a thread that checks. Symbolic execution descends by calls; deep call chains of real programs need more than
/// a thread's usual 2 MiB. Only what is touched is ever backed by memory.
pub const STACK: usize = 512 << 20;

const MOST_THREADS: usize = 4;

/// Axioms and budgets (DESIGN: Axioms; scuba.toml `[limits]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Bytes; the sum of live device allocations is at most this.
    pub device_memory: u64,
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
    /// What scuba.toml states under `[[assume]]`.
    pub assume: Vec<Condition>,
    /// Threads that may share the check.
    pub jobs: usize,
    /// What is to be seen of it.
    pub inside: Wanted,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device_memory: 192 << 30,
            work: 100,
            pace: Pace::Whole,
            solver_ms: 60_000,
            seconds: 300,
            memory: None,
            roots: vec![],
            assume: vec![],
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
}

/// One access in the source and what was decided of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub position: Position,
    pub kernel: String,
    pub array: String,
    pub standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Standing {
    /// Also where it is so only if no operation wraps.
    Safe,
    Open,
    Found,
}

/// What the check of one program says. Levels are the rules' defaults; `report/` applies configuration,
/// fills `program`, fingerprints and suppressions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProgramReport {
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    /// How every place stands, in the order of positions.
    pub places: Vec<Place>,
    /// Counts of this program only.
    pub summary: Summary,
    /// Safety nets that were reached: another run may say more.
    pub nets: Vec<Net>,
    /// One line each for `-v` and the log.
    pub notes: Vec<String>,
    /// What is wrong with the user's own settings, one line each.
    pub problems: Vec<String>,
    /// What was to be seen of the check.
    pub seen: Seen,
}

/// Analyses one program from all its roots.
#[must_use]
pub fn check_program(program: &Program, options: &Options) -> ProgramReport {
    // Some of the time is for what comes after the last verdict.
    let nets = Nets::new(options.solver_ms, Some(Duration::from_secs(u64::from(options.seconds)) * 9 / 10));
    let (mut report, seen) = inside::watching(&options.inside, || nets::under(Some(nets.clone()), || {
        let (budget, reached) = engine::budgets::of_pace(program, options);
        let check = || engine::Engine::new(program, options).run(budget);
        let mut report = solver::cache::on_program(|| program.digest(), check);
        if options.pace != Pace::Whole {
            report.notes.push(format!(
                "while the build waits: {reached} instructions are reached; of {} ms of work {} were done",
                budget.get() / 1_000_000,
                report.summary.work / 1_000_000
            ));
        }
        report
    }));
    report.seen = seen;
    report.nets = nets.reached();
    report
}

/// Lets Z3 give up, rather than take more than so many bytes.
pub fn limit_memory(bytes: u64) {
    z3::set_global_param("memory_high_watermark_mb", &(bytes >> 20).max(1).to_string());
}

/// Version of the Z3 library in use.
#[must_use]
pub fn z3_version() -> &'static str {
    z3::full_version()
}
