//! What kernels, and functions that launch them and whose callers are not known, rely on: the conditions on their parameters under which
//! accesses stay in bounds.
//!
//! In: a program. Out: of each kernel the conditions, as contracts are written, with the accesses that each one covers and what is known
//! of it; and the accesses for which there is none. Nothing of it is assumed by anybody until somebody writes it down.
//!
//! `conditions` finds them: what is left of an obligation when the variables of threads and loops are eliminated. `wording` writes
//! terms as contracts.

mod conditions;
mod dimensions;
mod elements;
mod entry;
mod evidence;
mod gather;
mod given;
mod kernel;
pub(crate) mod missing;
mod signs;
mod tensors;
mod together;
mod wording;

use super::engine::{Engine, classes};
use super::options::Options;
use super::report::Fault;
use super::stated;
use base::nets::{self, Net, Nets};
use base::work::Work;
use contracts::Cond;
use engine::host::roots;
use finding::Position;
use ir::{Program, Side};
use std::sync::OnceLock;
use std::time::Duration;

/// What one kernel needs of its arguments and its launch, or one function of its arguments.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// `scale(float*, int)`.
    pub function: String,
    pub symbol: String,
    /// Otherwise a function of the host.
    pub kernel: bool,
    pub position: Position,
    /// Its numbers: bits, and whether they are signed.
    pub numbers: Vec<(String, u32, bool)>,
    pub conditions: Vec<Condition>,
    /// Places that are safe whatever it is given.
    pub safe: usize,
    /// The same where nothing wraps.
    pub safe_if_no_wrap: Vec<Place>,
    /// Places for which no condition was found.
    pub open: Vec<Open>,
    /// Why it was not followed to its end: there may be more accesses.
    pub partly: Option<String>,
}

/// A condition under which accesses are safe.
#[derive(Clone, Debug)]
pub struct Condition {
    pub condition: Cond,
    pub evidence: Evidence,
    /// Operations that must not wrap for it to suffice.
    pub wraps: Vec<String>,
    /// The accesses that it makes safe, together with the others of the kernel.
    pub covers: Vec<Place>,
}

/// What is known of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// With it, every access that it covers is proved safe.
    Sufficient,
    /// That, and some launch that violates it goes out of bounds: a replay of the kernel alone did.
    Needed,
    /// That, and every launch that violates it does, where nothing wraps: the solver proved it.
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

/// An access as the source has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub position: Position,
    pub array: String,
}

/// An access without a condition.
#[derive(Clone, Debug)]
pub struct Open {
    pub place: Place,
    pub reason: String,
}

/// What was found of a program.
#[derive(Clone, Debug, Default)]
pub struct OfProgram {
    pub functions: Vec<Inferred>,
    /// Contracts that are stated, and wrong.
    pub faults: Vec<Fault>,
    /// Safety nets that were reached: without them more may be found.
    pub nets: Vec<Net>,
}

/// The kernels of a program, and its functions that anybody may call or nobody does, in the order of their names; of these those that
/// `wanted` names.
#[must_use]
pub fn of_program(program: &Program, options: &Options, wanted: impl Fn(&str, &str) -> bool) -> OfProgram {
    let nets = Nets::new(options.solver_ms, Some(Duration::from_secs(u64::from(options.seconds)) * 9 / 10));
    let (functions, faults) = nets::under(Some(nets.clone()), || {
        let (mut options, _, mut faults) = stated::with_sources(program, options);
        options.classes = classes::invariants(program, &options);
        let mut engine = Engine::new(program, &options);
        let mut kernels: Vec<_> = program
            .functions()
            .filter(|(_, m, f)| {
                m.side == Side::Device && f.kernel && !f.is_declaration() && wanted(&f.name, &f.display)
            })
            // Should a safety net be reached, those of libraries go without.
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
        all.extend(each(&mut engine, entries, entry::infer));
        all.sort_by(|a, b| a.function.cmp(&b.function));
        faults.extend(engine.faults());
        (all, faults)
    });
    OfProgram { functions, faults, nets: nets.reached() }
}

/// What is found of each of several functions, by as many threads as the check may have.
fn each<T: Sync>(
    engine: &mut Engine<'_>,
    functions: impl Iterator<Item = T>,
    infer: impl Fn(&mut Engine<'_>, &T) -> Option<Inferred> + Sync,
) -> Vec<Inferred> {
    let functions: Vec<(T, OnceLock<Option<Inferred>>)> = functions.map(|f| (f, OnceLock::new())).collect();
    engine.by_turns(&functions, |engine, (function, found)| {
        // Each has budgets of its own, and nobody waits.
        engine.cx.total = Work::MAX;
        found.get_or_init(|| infer(engine, function));
    });
    functions.into_iter().filter_map(|(_, found)| found.into_inner().flatten()).collect()
}
