//! Reads a translation unit in this process, by the requested front end. Only the worker does so.

use super::clang;
use super::extraction::{ComparedModules, ExtractOptions, Extraction, FailedSide};
use base::cpu_time::TimeLimit;
use config::FrontendKind;
use files::normalise;
use nvcc::unit::TranslationUnit;

/// Divisor of a unit's time limit that gives the time for a second reading beside clang: builds must not wait for it.
const SECOND_PART: u32 = 3;

/// A front end beside clang, as the worker calls it.
#[derive(Clone, Copy)]
pub struct InProcessReader {
    /// Reads a unit by itself; sides that it cannot read are listed.
    pub alone: fn(&TranslationUnit, &ExtractOptions) -> Extraction,
    /// Reads a unit in addition to clang, within a time limit and in a worker process of its own. `None` if the front
    /// end is not installed; an error is a line for the log.
    pub beside: fn(&TranslationUnit, &ExtractOptions, TimeLimit) -> Option<Result<ComparedModules, String>>,
}

/// Reads a unit in this process, by the requested front end: clang, another one, or clang and the other one.
#[must_use]
pub fn extract_here(unit: &TranslationUnit, options: &ExtractOptions, other: Option<InProcessReader>) -> Extraction {
    match (options.kind, other) {
        (FrontendKind::Clang, _) | (FrontendKind::Auto, None) => clang::extract_here(unit, options),
        (FrontendKind::Cgeist, Some(other)) => (other.alone)(unit, options),
        (FrontendKind::Cgeist, None) => without_cgeist(unit),
        // The other front end's output may be anything: a separate worker reads it, so that clang's reading stands in
        // any case.
        (FrontendKind::Auto, Some(other)) => std::thread::scope(|scope| {
            let second = scope.spawn(|| (other.beside)(unit, options, options.time_limit.part(1, SECOND_PART)));
            let mut out = clang::extract_here(unit, options);
            match second.join().ok().flatten() {
                Some(Ok(second)) => out.second = Some(second),
                Some(Err(why)) => out.notes.push(format!("no second reading: {why}")),
                None => {}
            }
            out
        }),
    }
}

/// Returns the result for a unit that cgeist was to read in a worker built without it.
fn without_cgeist(unit: &TranslationUnit) -> Extraction {
    const WHY: &str = "scuba-extract was built without cgeist (the feature `cgeist` of its crate)";
    let file = normalise(&unit.directory, &unit.source);
    let side = |side| FailedSide { file: file.clone(), side, reason: WHY.into() };
    Extraction { not_analysed: clang::sides(unit).into_iter().map(side).collect(), ..Extraction::default() }
}
