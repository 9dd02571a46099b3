//! Reads a translation unit in this process, by the front end that is asked for. Only the worker does that.

use super::clang;
use super::extraction::{ExtractOptions, Extraction, NotAnalysed, SecondReading};
use super::paths::normalise;
use config::FrontendKind;
use nvcc::unit::TranslationUnit;
use std::time::Duration;

/// A second reading beside clang's may take this part of a unit's time: it must not be what a build waits for.
const SECOND_PART: u32 = 3;

/// A front end beside clang, as a worker knows it.
#[derive(Clone, Copy)]
pub struct Reader {
    /// Reads a unit by itself; sides that it cannot read are listed.
    pub alone: fn(&TranslationUnit, &ExtractOptions) -> Extraction,
    /// Reads a unit beside clang, within a time, by a worker process of its own. `None`: it is not installed. An error is a line for the log.
    pub beside: fn(&TranslationUnit, &ExtractOptions, Duration) -> Option<Result<SecondReading, String>>,
}

/// Reads a unit in this process, by the front end that is asked for: clang, another one, or clang with the other beside it.
#[must_use]
pub fn extract_here(unit: &TranslationUnit, options: &ExtractOptions, other: Option<Reader>) -> Extraction {
    match (options.kind, other) {
        (FrontendKind::Clang, _) | (FrontendKind::Auto, None) => clang::extract_here(unit, options),
        (FrontendKind::Cgeist, Some(other)) => (other.alone)(unit, options),
        (FrontendKind::Cgeist, None) => without_cgeist(unit),
        // What the other prints may be anything: it is read by a worker of its own, so that clang's reading stands whatever
        // becomes of that.
        (FrontendKind::Auto, Some(other)) => std::thread::scope(|scope| {
            let second = scope.spawn(|| (other.beside)(unit, options, options.time_limit / SECOND_PART));
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

/// A unit of which cgeist was to read the sides, by a worker that was built without it.
fn without_cgeist(unit: &TranslationUnit) -> Extraction {
    const WHY: &str = "scuba-extract was built without cgeist (the feature `cgeist` of its crate)";
    let file = normalise(&unit.directory, &unit.source);
    let side = |side| NotAnalysed { file: file.clone(), side, reason: WHY.into() };
    Extraction { not_analysed: clang::sides(unit).into_iter().map(side).collect(), ..Extraction::default() }
}
