//! What safe verdicts rest on, axiom by axiom.
//!
//! In: the safe places of a program. Out: one line of JSON for whoever wants to see it (`--dump doubts`, `make doubts`). A place rests on an axiom
//! if it is no longer decided to be safe where that axiom alone is left out of every execution; on several, if it stays safe without each
//! but not without all. An axiom that no execution asked for changes nothing. Of axioms that are built into the engine it is said which places
//! they could concern. Nothing is replayed, and no verdict changes.

use super::Engine;
use crate::axioms::{Axiom, CameTo, Concerns, Kind, Without};
use crate::check::context::Place;
use crate::check::obligations::verdict::Outcome;
use crate::inside::{self, Dump};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::sync::Arc;

impl Engine<'_> {
    /// Writes out what the safe places rest on, if anybody wants to see it.
    pub(super) fn doubts(&self) {
        if !inside::is_wanted(Dump::Doubts) {
            return;
        }
        let safe: Vec<Place> = self.safe_places().collect();
        let asked: FxHashSet<Place> = safe.iter().cloned().collect();
        let came_to = Arc::new(CameTo::default());
        // As it was decided, but without replays and what they may take over from each other: what is not safe so says nothing of axioms.
        let as_it_is = self.decided_without(&asked, Without::NOTHING, Some(came_to.clone()));
        let again: FxHashSet<Place> = safe.iter().filter(|p| as_it_is.rank(p) == self.rank(p)).cloned().collect();
        let rests = |without: Without| -> Vec<bool> {
            let bare = self.decided_without(&again, without, None);
            let weaker = |p: &Place| bare.rank(p).is_none_or(|r| Some(r) > self.rank(p));
            safe.iter().map(|p| again.contains(p) && weaker(p)).collect()
        };
        let mut on_one = vec![false; safe.len()];
        let mut rows = vec![];
        for axiom in Axiom::ALL {
            let (name, says, kind) = axiom.row();
            let (how, resting) = match kind {
                Kind::LeftOut if !came_to.has(axiom) || again.is_empty() => ("not-asked", vec![false; safe.len()]),
                Kind::LeftOut => {
                    let resting = rests(Without::NOTHING.and(axiom));
                    on_one.iter_mut().zip(&resting).for_each(|(any, this)| *any |= this);
                    ("left-out", resting)
                }
                Kind::Named => {
                    ("named", safe.iter().map(|p| axiom == Axiom::NoWrap && self.needs_no_wrap(p)).collect())
                }
                Kind::BuiltIn(Concerns::Every) => ("built-in", vec![true; safe.len()]),
                Kind::BuiltIn(Concerns::Launched) => {
                    ("built-in", safe.iter().map(|p| self.is_in_launched_kernel(p)).collect())
                }
            };
            rows.push(json!({"axiom": name, "says": says, "how": how, "places": numbers(&resting)}));
        }
        let on_all = if again.is_empty() { vec![false; safe.len()] } else { rests(Without::any()) };
        let several: Vec<bool> = on_one.iter().zip(&on_all).map(|(one, all)| !one && *all).collect();
        let none: Vec<bool> = (0..safe.len()).map(|i| !on_one[i] && !on_all[i] && again.contains(&safe[i])).collect();
        let open: Vec<bool> = safe.iter().map(|p| !again.contains(p)).collect();
        let places: Vec<Value> = safe.iter().map(|p| self.shown(p)).collect();
        let all = json!({
            "safe": places, "axioms": rows, "several": numbers(&several), "none": numbers(&none), "open": numbers(&open),
        });
        inside::dump(Dump::Doubts, || format!("doubts: {all}"));
    }

    /// An engine that decided these places without some axioms.
    fn decided_without(&self, asked: &FxHashSet<Place>, without: Without, came_to: Option<Arc<CameTo>>) -> Self {
        let mut bare = self.again();
        bare.came_to = came_to;
        bare.ask_only(Some(asked.clone()), without);
        bare.visit();
        bare.unreached();
        bare
    }

    fn needs_no_wrap(&self, place: &Place) -> bool {
        self.places.get(place).is_some_and(|t| matches!(t.outcome, Outcome::SafeIfNoWrap(_)))
    }

    fn is_in_launched_kernel(&self, place: &Place) -> bool {
        let Some(tallied) = self.places.get(place) else { return false };
        self.launched.iter().any(|k| self.cx.program.func(*k).display == tallied.kernel)
    }

    fn shown(&self, (loc, array): &Place) -> Value {
        let kernel = self.places.get(&(loc.clone(), array.clone())).map_or("", |t| &t.kernel);
        json!({"file": loc.file, "line": loc.line, "column": loc.column, "array": array, "kernel": kernel})
    }
}

fn numbers(which: &[bool]) -> Vec<usize> {
    which.iter().enumerate().filter(|(_, is)| **is).map(|(i, _)| i).collect()
}
