//! Runs front ends over units, several at a time.

use super::cache::readings::Readings;
use super::session::Session;
use facts::{DiskSnapshot, Recipe, SecondCode, Symbols, UnitFacts, UnitWithCode, UnreadSide, key_of};
use files::{Dependency, Hashes, Since};
use frontend::{self, ExtractOptions, Extraction};
use ir::{Module, Side};
use nvcc::request::Link;
use nvcc::unit::TranslationUnit;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the facts of one unit: from an earlier reading of the same files, else from the front end. If the front end
/// cannot run or fails as a whole, the unit has no modules and gives the reason.
#[must_use]
pub fn extract(unit: &TranslationUnit, link: Option<&Link>, present: &DiskSnapshot, session: &Session) -> UnitWithCode {
    let options = session.extract_options();
    let readings = Readings::of(unit, &options, &session.root, session.store());
    let known = readings.as_ref().and_then(|r| r.get(present));
    session.tally.reads(known.is_some());
    let (extraction, dependencies, failed) = match known {
        Some((extraction, files)) => (extraction, files, None),
        None => read(unit, &options, readings.as_ref()),
    };
    let modules: Vec<Arc<Module>> = extraction.modules.into_iter().map(Arc::new).collect();
    let mut notes = extraction.notes;
    let second = extraction.second.map(|second| {
        notes.extend(second.notes);
        SecondCode { modules: second.modules.into_iter().map(Arc::new).collect(), frontend: second.frontend }
    });
    let facts = UnitFacts {
        key: key_of(unit, link),
        unit: unit.clone(),
        dependencies: dependencies.into(),
        recipe: Recipe::default(),
        maker: None,
        pending: false,
        built_without: false,
        symbols: Symbols::of(&modules),
        not_analysed: extraction
            .not_analysed
            .iter()
            .map(|n| UnreadSide { side: side_name(n.side).into(), reason: n.reason.clone() })
            .chain(failed)
            .collect(),
        producers: if extraction.frontend.is_empty() { vec![] } else { vec![extraction.frontend] },
        notes,
        unseen: None,
        denied: false,
        told: vec![],
    };
    UnitWithCode { facts, modules, second }
}

/// Runs the front end on a unit. Returns its result, the files that it read, and the reason if it failed.
fn read(
    unit: &TranslationUnit,
    options: &ExtractOptions,
    readings: Option<&Readings<'_>>,
) -> (Extraction, Vec<Dependency>, Option<UnreadSide>) {
    let since = Since::now();
    match frontend::extract(unit, options) {
        Ok(extraction) => {
            let hashes = Hashes::of_this_process();
            let files: Vec<_> = extraction.dependencies.iter().filter_map(|p| since.dependency(p, hashes)).collect();
            if let Some(readings) = readings {
                readings.put(&extraction, &files, &since);
            }
            // Other commands of the build read most of the same headers now.
            hashes.keep();
            (extraction, files, None)
        }
        Err(e) => (Extraction::default(), vec![], Some(UnreadSide { side: "both".into(), reason: e.to_string() })),
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Host => "host",
        Side::Device => "device",
    }
}

/// Runs [`extract`] on each unit, `session.jobs` at a time; results keep the order of the units. Calls `done` with
/// each source.
#[must_use]
pub fn extract_all(units: &[TranslationUnit], session: &Session, done: &(impl Fn(&Path) + Sync)) -> Vec<UnitWithCode> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, UnitWithCode)>> = Mutex::new(Vec::with_capacity(units.len()));
    std::thread::scope(|scope| {
        for _ in 0..session.jobs.min(units.len()) {
            scope.spawn(|| {
                let present = DiskSnapshot::default();
                while let Some((i, unit)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| units.get(i).map(|u| (i, u)))
                {
                    let extracted = extract(unit, None, &present, session);
                    done(&unit.source);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((i, extracted));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|r| r.0);
    results.into_iter().map(|r| r.1).collect()
}
