//! Requirements of kernels, and of functions with unknown callers that launch them: the conditions on their
//! parameters under which accesses stay in bounds.
//!
//! In: a program. Out: for each kernel the conditions, in contract syntax, each with the accesses that it covers and
//! its evidence; and the accesses without a condition. No condition is assumed until somebody writes it down.
//!
//! `conditions` finds them: they are the rest of an obligation after the elimination of thread and loop variables.
//! `wording` writes terms as contracts.

pub(crate) mod alignment;
mod conditions;
mod dimensions;
mod dispatch;
mod elements;
mod entry;
pub(crate) mod evaluated;
mod evidence;
mod gather;
mod given;
mod guards;
mod kernel;
mod launches;
pub(crate) mod missing;
mod refusals;
mod rows;
mod signs;
mod summaries;
mod tensors;
mod together;
pub(crate) mod unchecked;
mod wording;

use super::context::ArrayPosition;
use super::findings::position::position_of;
use super::options::CheckOptions;
use super::pipeline::turns::Turn;
use super::pipeline::{Engine, classes};
use super::report::ContractFault;
use super::stated;
use base::nets::{self, Net, Nets};
use base::work::Work;
use contracts::Cond;
use finding::Position;
use ir::{Program, Side};
use library::host::roots;
use std::sync::OnceLock;

/// Requirements of one kernel on its arguments and its launch, or of one function on its arguments.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// Signature, such as `scale(float*, int)`.
    pub function: String,
    pub symbol: String,
    /// Whether it is a kernel rather than a host function.
    pub kernel: bool,
    pub position: Position,
    /// Integer parameters: name, bits, and whether they are signed.
    pub numbers: Vec<(String, u32, bool)>,
    pub conditions: Vec<SafetyCondition>,
    /// Number of positions that are safe for all inputs.
    pub safe: usize,
    /// Positions that are safe for all inputs where nothing wraps.
    pub safe_if_no_wrap: Vec<SourceAccess>,
    /// Positions without a condition.
    pub open: Vec<AccessWithoutCondition>,
    /// Reason why the execution did not complete: there may be more accesses.
    pub partly: Option<String>,
}

/// A condition under which accesses are safe.
#[derive(Clone, Debug)]
pub struct SafetyCondition {
    pub condition: Cond,
    pub evidence: Evidence,
    /// Operations that must not wrap for the condition to suffice.
    pub wraps: Vec<String>,
    /// Accesses that the condition makes safe, together with the kernel's other conditions.
    pub covers: Vec<SourceAccess>,
}

/// Evidence for a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Sufficient: with the condition, every access that it covers is proved safe.
    Sufficient,
    /// Sufficient, and some launch that violates the condition goes out of bounds: a replay of the kernel alone did.
    Needed,
    /// Sufficient and needed, and every launch that violates the condition goes out of bounds where nothing wraps:
    /// the solver proved it.
    Exact,
}

impl Evidence {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sufficient => "sufficient",
            Self::Needed => "needed",
            Self::Exact => "exact",
        }
    }
}

/// An access in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceAccess {
    pub position: Position,
    pub array: String,
}

impl From<ArrayPosition> for SourceAccess {
    fn from((loc, array): ArrayPosition) -> Self {
        Self { position: position_of(loc), array }
    }
}

/// An access without a condition.
#[derive(Clone, Debug)]
pub struct AccessWithoutCondition {
    pub place: SourceAccess,
    pub reason: String,
}

/// Results for a program.
#[derive(Clone, Debug, Default)]
pub struct ProgramRequirements {
    pub functions: Vec<Inferred>,
    /// Stated contracts that are wrong.
    pub faults: Vec<ContractFault>,
    /// Faults of the analysis itself, one line each: their functions are missing.
    pub internal: Vec<String>,
    /// Safety nets that were reached: without them more may be found.
    pub nets: Vec<Net>,
}

/// Infers the requirements of a program's kernels, and of its functions with unknown callers, in the order of their
/// names; only of those that `wanted` selects.
#[must_use]
pub fn of_program(
    program: &Program,
    options: &CheckOptions,
    wanted: impl Fn(&str, &str) -> bool,
) -> ProgramRequirements {
    let nets = Nets::new(options.solver_ms, Some(options.time().part(9, 10)));
    let (functions, faults, internal) = nets::under(Some(nets.clone()), || {
        let (mut options, _, mut faults) = stated::with_sources(program, options);
        options.classes = classes::invariants(program, &options);
        let mut engine = Engine::new(program, &options);
        let mut kernels: Vec<_> = program
            .functions()
            .filter(|(_, m, f)| {
                m.side == Side::Device && f.kernel && !f.is_declaration() && wanted(&f.name, &f.display)
            })
            // Library kernels come last and are skipped if a safety net is reached.
            .map(|(r, _, f)| ((!program.users_loc(r.module, f.loc).is_users(), f.display.clone()), r))
            .collect();
        kernels.sort();
        // Each unit has its own copy of a template's instance.
        kernels.dedup_by(|a, b| a.0.1 == b.0.1 && program.func(a.1).name == program.func(b.1).name);
        let count = kernels.len();
        let mut all = each(&mut engine, kernels.into_iter().map(|(_, kernel)| kernel), |engine, kernel| {
            Some(kernel::infer(engine, *kernel, count))
        });
        let entries = roots(program, &options.roots, &options.entry).into_iter().filter(|r| {
            let f = program.func(r.func);
            f.name != "main" && wanted(&f.name, &f.display)
        });
        all.extend(each(&mut engine, entries, |engine, root| Some(entry::infer(engine, root)?.found)));
        all.sort_by(|a, b| a.function.cmp(&b.function));
        faults.extend(engine.faults());
        (all, faults, std::mem::take(&mut engine.report.internal))
    });
    ProgramRequirements { functions, faults, internal, nets: nets.reached() }
}

/// Infers the requirements of several functions, with as many threads as the check may have.
fn each<T: Turn + Sync>(
    engine: &mut Engine<'_>,
    functions: impl Iterator<Item = T>,
    infer: impl Fn(&mut Engine<'_>, &T) -> Option<Inferred> + Sync,
) -> Vec<Inferred> {
    let functions: Vec<(T, OnceLock<Option<Inferred>>)> = functions.map(|f| (f, OnceLock::new())).collect();
    engine.by_turns(&functions, |engine, (function, found)| {
        // Each function has its own budget, and nobody waits.
        engine.cx.total = Work::MAX;
        found.get_or_init(|| infer(engine, function));
    });
    functions.into_iter().filter_map(|(_, found)| found.into_inner().flatten()).collect()
}
