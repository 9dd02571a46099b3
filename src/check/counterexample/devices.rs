//! The device on which a counterexample runs.

use super::pitches;
use crate::context::RootTools;
use crate::obligations::obligation::Decision;
use base::reasons::{ReasonCode, UnknownReason};
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use ir::Program;
use models::devices::{self, PROPERTIES};
use std::collections::BTreeMap;
use witness::ConcreteInputs;

/// Replaces a property that the model sets once by the value that a replay takes. Where it sets several, no single device
/// has them.
pub(super) fn of_device_taken(inputs: &mut BTreeMap<InputSource, i128>) {
    let number = |s: &InputSource| if let InputSource::Device { property, .. } = s { Some(*property) } else { None };
    let all: Vec<usize> = inputs.keys().filter_map(number).collect();
    for (source, v) in inputs {
        if let Some(property) = number(source).filter(|p| all.iter().filter(|other| *other == p).count() == 1) {
            *v = PROPERTIES[property].attained(i64::try_from(*v).unwrap_or(i64::MAX)).into();
        }
    }
}

/// Returns the condition that one known device has all properties in these terms that depend on a capability; `None` where there are none.
fn as_replayed(tools: &mut RootTools<'_>, terms: &[TermId]) -> Option<TermId> {
    let a = &mut tools.e.arena;
    let mut asked: Vec<(TermId, Vec<i64>)> = vec![];
    for s in a.symbols_of(terms) {
        if let SymKind::Input(InputSource::Device { property, .. }) = a.symbol(s).kind
            && let Some(values) = devices::by_capability(property)
        {
            asked.push((a.symbol_term(s), values));
        }
    }
    let count = asked.first()?.1.len();
    let mut each = vec![];
    for i in 0..count {
        let mut all = vec![];
        for (t, values) in &asked {
            let v = a.int(values[i].into());
            all.push(a.eq(*t, v));
        }
        each.push(a.and_all(all));
    }
    Some(a.or_all(each))
}

/// Returns the condition that pitches and the device are as replays have them; `None` where the terms mention none.
pub(crate) fn of_replays(tools: &mut RootTools<'_>, terms: &[TermId]) -> Option<TermId> {
    let pitches = pitches::as_replayed(tools, terms);
    let facts: Vec<TermId> = pitches.into_iter().chain(as_replayed(tools, terms)).collect();
    (!facts.is_empty()).then(|| tools.e.arena.and_all(facts))
}

/// Replaces a failure by one with the pitches and the device of replays, if there is one.
pub(crate) fn as_in_replays(
    tools: &mut RootTools<'_>,
    decision: Decision,
    terms: &[TermId],
    again: impl FnOnce(&mut RootTools<'_>, TermId) -> Decision,
) -> Decision {
    if !matches!(decision, Decision::Fails(_)) {
        return decision;
    }
    let Some(more) = of_replays(tools, terms) else { return decision };
    let other = again(tools, more);
    if matches!(other, Decision::Fails(_)) { other } else { decision }
}

/// Returns why a run is not possible if no device has the properties that it takes together.
pub(super) fn no_such_device(program: &Program, inputs: &ConcreteInputs) -> Option<UnknownReason> {
    if witness::device(program, inputs).is_some() {
        return None;
    }
    let all: Vec<String> = inputs.device.iter().map(|(name, v)| format!("{v} {name}")).collect();
    Some(UnknownReason::Replay(format!("no known device has {}", all.join(", ")), ReasonCode::Replay))
}
