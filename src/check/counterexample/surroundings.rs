//! Surroundings of a program as a replay has them: pitches and one known device.
//!
//! In: terms of a fault. Out: the condition, and a failure under it where there is one.

use super::pitches;
use crate::context::RootTools;
use crate::obligations::obligation::Decision;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use models::devices;

/// Returns the condition that one known device that runs the program's code has all properties in these terms that depend on a capability;
/// `None` where there are none.
fn of_one_device(tools: &mut RootTools<'_>, terms: &[TermId]) -> Option<TermId> {
    let architecture = devices::architecture(tools.e.program);
    let a = &mut tools.e.arena;
    let mut asked: Vec<(TermId, Vec<i64>)> = vec![];
    for s in a.symbols_of(terms) {
        if let SymKind::Input(InputSource::Device { property, .. }) = a.symbol(s).kind
            && let Some(values) = devices::by_capability(property, architecture)
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
    let facts: Vec<TermId> = pitches.into_iter().chain(of_one_device(tools, terms)).collect();
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
