//! Running front ends over units, several at a time.

use super::session::Session;
use crate::facts::{Dependency, Missing, Symbols, Unit, UnitFacts, key_of};
use crate::frontend::{self, Extraction};
use crate::ir::Side;
use crate::nvcc::request::Link;
use crate::nvcc::unit::TranslationUnit;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The facts of one unit. Where the front end cannot be run or fails as a whole, the unit has no modules and says why.
#[must_use]
pub fn extract(unit: &TranslationUnit, link: Option<&Link>, session: &Session) -> Unit {
    let (extraction, failed) = match frontend::extract(unit, &session.extract_options()) {
        Ok(extraction) => (extraction, None),
        Err(e) => (Extraction::default(), Some(Missing { side: "both".into(), reason: e.to_string() })),
    };
    let facts = UnitFacts {
        key: key_of(unit, link),
        unit: unit.clone(),
        dependencies: extraction.dependencies.iter().filter_map(|p| Dependency::of(p)).collect(),
        symbols: Symbols::of(&extraction.modules),
        not_analysed: extraction.not_analysed.iter()
            .map(|n| Missing { side: side_name(n.side).into(), reason: n.reason.clone() })
            .chain(failed)
            .collect(),
        producers: if extraction.frontend.is_empty() { vec![] } else { vec![extraction.frontend] },
        notes: extraction.notes,
        denied: false,
        told: vec![],
    };
    Unit { facts, modules: extraction.modules.into_iter().map(Arc::new).collect() }
}

fn side_name(side: Side) -> &'static str {
    match side { Side::Host => "host", Side::Device => "device" }
}

/// As [`extract`] for each unit, `session.jobs` at a time, in the order given. `done` is told of each.
#[must_use]
pub fn extract_all(units: &[TranslationUnit], session: &Session, done: &(impl Fn(&Path) + Sync)) -> Vec<Unit> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Unit)>> = Mutex::new(Vec::with_capacity(units.len()));
    std::thread::scope(|scope| {
        for _ in 0..session.jobs.min(units.len()) {
            scope.spawn(|| {
                while let Some((i, unit)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| units.get(i).map(|u| (i, u))) {
                    let extracted = extract(unit, None, session);
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
