//! Reads a translation unit in this process, by the front end that is asked for. Only the worker does that.

use super::extraction::{ExtractOptions, Extraction};
use super::{cgeist, clang};
use config::FrontendKind;
use nvcc::unit::TranslationUnit;
use std::time::Instant;

/// A second reading beside clang's may take this part of a unit's time: it must not be what a build waits for.
const SECOND_PART: u32 = 3;

const STOPPED: &str = "the reader of cgeist's output stopped at something it does not know";

/// Reads a unit in this process, by the front end that is asked for: clang, cgeist, or clang with cgeist beside it.
#[must_use]
pub fn extract_here(unit: &TranslationUnit, options: &ExtractOptions) -> Extraction {
    match options.kind {
        FrontendKind::Clang => clang::extract_here(unit, options),
        FrontendKind::Cgeist => {
            let deadline = Instant::now() + options.time_limit;
            std::thread::scope(|scope| with_room(scope, || cgeist::extract_here(unit, options, deadline)))
                .unwrap_or_else(|| cgeist::refused(unit, STOPPED))
        }
        // What cgeist prints may be anything: it is read by a worker of its own, so that clang's reading stands whatever
        // becomes of that.
        FrontendKind::Auto => std::thread::scope(|scope| {
            let other = scope.spawn(|| cgeist::second(unit, options, options.time_limit / SECOND_PART));
            let mut out = clang::extract_here(unit, options);
            match other.join().ok().flatten() {
                Some(Ok(second)) => out.second = Some(second),
                Some(Err(why)) => out.notes.push(format!("no second reading: {why}")),
                None => {}
            }
            out
        }),
    }
}

/// Bytes of stack for reading MLIR, whose regions nest; only what is touched is backed by memory.
const ROOM: usize = 128 << 20;

/// Runs work that descends deeply on a thread of its own; `None` where it stopped.
fn with_room<'s, T: Send + 's>(
    scope: &'s std::thread::Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Option<T> {
    std::thread::Builder::new().stack_size(ROOM).spawn_scoped(scope, work).ok()?.join().ok()
}
