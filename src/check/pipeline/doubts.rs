//! Axioms that safe verdicts rest on.
//!
//! In: the safe positions of a program. Out: one line of JSON on request (`--dump doubts`, `make doubts`). A position
//! rests on an axiom if it is no longer decided as safe when every execution omits that axiom alone; it rests on
//! several if it stays safe without each but not without all. Positions undecided only because of a budget or a
//! safety net are left unsettled. An axiom that no execution used changes nothing. For axioms built into the engine,
//! the output lists the positions that they could concern. Nothing is replayed, and no verdict changes.

use super::Engine;
use crate::context::ArrayPosition;
use crate::obligations::verdict::AccessVerdict;
use crate::options::CHECKS_FOR_DOUBTS;
use base::axioms::{Axiom, AxiomKind, ConcernedAccesses, ConsultedAxioms, OmittedAxioms};
use base::inside::{self, Dump};
use base::nets::{self, Nets};
use finding::ReasonCode;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::sync::Arc;

impl Engine<'_> {
    /// Writes the axioms that the safe positions rest on, if requested.
    pub(super) fn doubts(&self) {
        if !inside::is_wanted(Dump::Doubts) {
            return;
        }
        let safe: Vec<ArrayPosition> = self.safe_places().collect();
        let asked: FxHashSet<ArrayPosition> = safe.iter().cloned().collect();
        let came_to = Arc::new(ConsultedAxioms::default());
        // The same decisions, but without replays and the results that these share: a position that is not safe even
        // so is no evidence about axioms.
        let (as_it_is, _) = self.decided_without(&asked, OmittedAxioms::NOTHING, Some(came_to.clone()));
        let again: FxHashSet<ArrayPosition> =
            safe.iter().filter(|p| as_it_is.rank(p) == self.rank(p)).cloned().collect();
        let rests = |without: OmittedAxioms| -> AxiomDependence {
            let (bare, late) = self.decided_without(&again, without, None);
            let weaker = |p: &ArrayPosition| again.contains(p) && bare.rank(p).is_none_or(|r| Some(r) > self.rank(p));
            let cut = |p: &ArrayPosition| weaker(p) && (late || bare.is_cut(p));
            AxiomDependence {
                surely: safe.iter().map(|p| weaker(p) && !cut(p)).collect(),
                perhaps: safe.iter().map(cut).collect(),
            }
        };
        let nothing = || AxiomDependence { surely: vec![false; safe.len()], perhaps: vec![false; safe.len()] };
        let mut on_one = vec![false; safe.len()];
        let mut rows = vec![];
        for axiom in Axiom::ALL {
            let (name, says, kind) = axiom.row();
            let all_that = |is: &dyn Fn(&ArrayPosition) -> bool| AxiomDependence {
                surely: safe.iter().map(is).collect(),
                ..nothing()
            };
            let (how, on) = match kind {
                AxiomKind::LeftOut if !came_to.has(axiom) || again.is_empty() => ("not-asked", nothing()),
                AxiomKind::LeftOut => ("left-out", rests(OmittedAxioms::NOTHING.and(axiom))),
                AxiomKind::Named => ("named", all_that(&|p| axiom == Axiom::NoWrap && self.needs_no_wrap(p))),
                AxiomKind::BuiltIn(ConcernedAccesses::Every) => ("built-in", all_that(&|_| true)),
                AxiomKind::BuiltIn(ConcernedAccesses::Launched) => {
                    ("built-in", all_that(&|p| self.is_in_launched_kernel(p)))
                }
            };
            if kind == AxiomKind::LeftOut {
                for (i, any) in on_one.iter_mut().enumerate() {
                    *any |= on.surely[i] || on.perhaps[i];
                }
            }
            let (surely, perhaps) = (numbers(&on.surely), numbers(&on.perhaps));
            rows.push(json!({"axiom": name, "says": says, "how": how, "places": surely, "unsettled": perhaps}));
        }
        let on_all = if again.is_empty() { nothing() } else { rests(OmittedAxioms::any()) };
        let several: Vec<bool> = (0..safe.len()).map(|i| !on_one[i] && on_all.surely[i]).collect();
        let none: Vec<bool> = (0..safe.len())
            .map(|i| !on_one[i] && !on_all.surely[i] && !on_all.perhaps[i] && again.contains(&safe[i]))
            .collect();
        let open: Vec<bool> = safe.iter().map(|p| !again.contains(p)).collect();
        let places: Vec<Value> = safe.iter().map(|p| self.shown(p)).collect();
        let all = json!({
            "safe": places, "axioms": rows, "several": numbers(&several), "none": numbers(&none), "open": numbers(&open),
        });
        inside::dump(Dump::Doubts, || format!("doubts: {all}"));
    }

    /// Returns an engine that decided these positions without some axioms, and whether a safety net ended that early.
    /// The engine has its own safety net, independent of earlier ones.
    fn decided_without(
        &self,
        asked: &FxHashSet<ArrayPosition>,
        without: OmittedAxioms,
        came_to: Option<Arc<ConsultedAxioms>>,
    ) -> (Self, bool) {
        let mut bare = self.again();
        bare.came_to = came_to;
        bare.ask_only(Some(asked.clone()), without);
        let options = self.cx.options;
        let net = Nets::new(options.solver_ms, Some(options.time().part(1, CHECKS_FOR_DOUBTS)));
        nets::under(Some(net.clone()), || {
            bare.visit();
            bare.unreached();
        });
        (bare, !net.reached().is_empty())
    }

    /// Whether a position is undecided only for lack of work, time or memory.
    fn is_cut(&self, place: &ArrayPosition) -> bool {
        let open = self.places.get(place).map(|t| &t.outcome);
        matches!(open, Some(AccessVerdict::Unknown(why)) if matches!(why.code(), ReasonCode::Work | ReasonCode::Time | ReasonCode::Memory))
    }

    fn needs_no_wrap(&self, place: &ArrayPosition) -> bool {
        self.places.get(place).is_some_and(|t| matches!(t.outcome, AccessVerdict::SafeIfNoWrap(_)))
    }

    fn is_in_launched_kernel(&self, place: &ArrayPosition) -> bool {
        let Some(tallied) = self.places.get(place) else { return false };
        self.launched.iter().any(|k| self.cx.program.func(*k).display == tallied.kernel)
    }

    fn shown(&self, (loc, array): &ArrayPosition) -> Value {
        let kernel = self.places.get(&(loc.clone(), array.clone())).map_or("", |t| &t.kernel);
        json!({"file": loc.file, "line": loc.line, "column": loc.column, "array": array, "kernel": kernel})
    }
}

/// Positions that certainly rest on the omitted axiom, and those for which this is unsettled.
struct AxiomDependence {
    surely: Vec<bool>,
    perhaps: Vec<bool>,
}

fn numbers(which: &[bool]) -> Vec<usize> {
    which.iter().enumerate().filter(|(_, is)| **is).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::{Axiom, CHECKS_FOR_DOUBTS};

    #[test]
    fn the_net_of_time_is_for_all_checks() {
        // One check as usual, one that omits nothing, one that omits every axiom, and one for each axiom.
        let checks = 3 + Axiom::ALL.iter().filter(|a| a.can_be_left_out()).count();
        assert!(checks <= CHECKS_FOR_DOUBTS as usize, "{checks}");
    }
}
