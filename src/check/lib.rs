//! One proof obligation for each access and launch, decided by a polynomial bound and then Z3.
//!
//! In: a linked [`ir::Program`]. Out: a [`ProgramReport`]. The crate is independent of LLVM and nvcc.
//!
//! From the bottom up: `solver` (facts ⊢ goal), `obligations` (one access under the conditions of its path),
//! `concurrency` (communication of threads through memory), `counterexample` (a model becomes inputs, a replay judges
//! it), `findings` (in the user's terms), `rules` (checks of an access, a copy, a call), `engine` (order and budget
//! of all checks).

pub(crate) mod concurrency;
pub(crate) mod context;
pub(crate) mod counterexample;
pub(crate) mod findings;
pub mod inference;
mod names;
pub(crate) mod obligations;
mod options;
mod pipeline;
mod report;
pub(crate) mod rules;
pub mod solver;
mod stated;
pub(crate) mod summaries;

use base::inside;
use base::nets::{self, Nets};
use ir::Program;
pub use options::{CHECKS_FOR_DOUBTS, CheckOptions, Pace, STACK, SummarisedKernels};
pub use report::{AccessStanding, ContractFault, DecidedAccess, ProgramReport};

/// Analyses one program from all its roots.
#[must_use]
pub fn check_program(program: &Program, options: &CheckOptions) -> ProgramReport {
    // The rest of the time is for work after the last verdict.
    let nets = Nets::new(options.solver_ms, Some(options.time().part(9, 10)));
    let (mut report, seen) = inside::watching(&options.inside, || {
        nets::under(Some(nets.clone()), || {
            for module in &program.modules {
                inside::dump(inside::Dump::Ir, || module.to_string());
            }
            let (mut options, mut problems, mut faults) = stated::with_sources(program, options);
            options.classes = pipeline::classes::invariants(program, &options);
            let (budget, reached) = pipeline::budgets::of_pace(program, &options);
            let check = || pipeline::Engine::new(program, &options).run(budget, inference::unchecked::of_entries);
            let mut report = solver::cache::on_program(|| program.digest(), check);
            report.problems.append(&mut problems);
            faults.append(&mut report.faults);
            report.faults = faults;
            if options.pace != Pace::Whole {
                report.notes.push(format!(
                    "build budget: {reached} instructions are reachable; {} of {} ms of work done",
                    budget.get() / 1_000_000,
                    report.summary.work / 1_000_000
                ));
            }
            report
        })
    });
    report.seen = seen;
    report.nets = nets.reached();
    report
}

/// Makes Z3 give up rather than use more than this many bytes.
pub fn limit_memory(bytes: u64) {
    z3::set_global_param("memory_high_watermark_mb", &(bytes >> 20).max(1).to_string());
}

/// Returns the version of the linked Z3 library.
#[must_use]
pub fn z3_version() -> &'static str {
    z3::full_version()
}
