//! Units that `[scope] exclude` of scuba.toml names: not analysed on purpose.
//!
//! In: facts of units. Out: those outside of the scope marked as not read, as units of a program whose commands are
//! unknown are; their object's symbols tell what depends on them ([`super::lost`]). Without symbols, everything in
//! the program may.

use super::pending;
use config::ProjectScope;
use facts::join::ProgramPlan;
use facts::{Symbols, UnitFacts, UnitWithCode, UnreadReason, key_of, objects};
use nvcc::request::Link;
use nvcc::unit::{Language, TranslationUnit};
use std::collections::BTreeSet;
use std::path::Path;

/// Reason why such a unit is not read.
pub const OUTSIDE: &str = "outside of [scope]";

/// Message where no other unit is left.
pub const ALL_OUTSIDE: &str = "every unit is outside of [scope] (scuba.toml): nothing was checked";

/// Whether a unit is outside of the scope.
#[must_use]
pub fn excludes(scope: &ProjectScope, unit: &TranslationUnit) -> bool {
    scope.excludes(&unit.directory.join(&unit.source))
}

/// Returns the facts of a unit outside of the scope that a command compiles now, or that is named without a build: its
/// symbols are not known.
#[must_use]
pub fn unread(unit: &TranslationUnit, link: Option<&Link>) -> UnitWithCode {
    let mut made = pending::record(unit);
    made.facts.key = key_of(unit, link);
    made.facts.symbols = Symbols::default();
    made.facts.unseen = Some(reason(unit));
    made
}

/// Marks the units outside of the scope. An object tells the symbols of a unit that was never read, if it is not older
/// than the source.
pub fn mark(units: &mut [UnitFacts], scope: &ProjectScope) {
    for unit in units.iter_mut().filter(|u| !u.is_excluded() && excludes(scope, &u.unit)) {
        // An object without a known command has its own symbols.
        if unit.unseen.is_none() && unit.pending {
            unit.symbols = if is_current(unit) { objects::symbols(&unit.key) } else { Symbols::default() };
        }
        unit.built_without = false;
        unit.unseen = Some(reason(&unit.unit));
    }
}

fn reason(unit: &TranslationUnit) -> UnreadReason {
    let object = unit.source.file_name().unwrap_or(unit.source.as_os_str()).to_string_lossy().into_owned();
    UnreadReason { object, reason: OUTSIDE.to_owned(), excluded: true }
}

fn is_current(unit: &UnitFacts) -> bool {
    let written = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    written(&unit.key).zip(written(&unit.source())).is_some_and(|(object, source)| source <= object)
}

/// Adds units outside of the scope without symbols to every program, where no link tells which programs they belong
/// to; removes programs that consist of such units.
pub fn join(plans: &mut Vec<ProgramPlan>, units: &[UnitFacts]) {
    plans.retain(|plan| plan.units.iter().any(|&i| !units[i].is_excluded()));
    let open: Vec<usize> =
        (0..units.len()).filter(|&i| units[i].is_excluded() && units[i].symbols.is_empty()).collect();
    for plan in plans {
        let there: BTreeSet<usize> = plan.units.iter().copied().collect();
        plan.units.extend(open.iter().filter(|i| !there.contains(i)));
    }
}

/// Returns the sources of units outside of the scope: those of these programs, and with `all` every CUDA unit.
pub fn sources<'u>(units: &'u [UnitFacts], plans: &'u [ProgramPlan], all: bool) -> impl Iterator<Item = String> + 'u {
    let members: BTreeSet<usize> = plans.iter().flat_map(|p| p.units.iter().copied()).collect();
    let counts = move |i: usize, u: &UnitFacts| all && u.unit.language == Language::Cuda || members.contains(&i);
    let excluded = units.iter().enumerate().filter(move |(i, u)| u.is_excluded() && counts(*i, u));
    excluded.map(|(_, u)| u.source().to_string_lossy().into_owned())
}
