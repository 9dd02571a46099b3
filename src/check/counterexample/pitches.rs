//! Pitches as the interpreter returns them: a proof takes any pitch that is as wide as a row, a model must agree with the
//! replay.
//!
//! In: terms of an access. Out: the condition that the pitches which they mention are the smallest ones.

use crate::context::RootTools;
use engine::symbolic::terms::term::TermId;

/// Returns the condition that the pitches in these terms are the widths of rows, rounded up; `None` where there are none.
pub(crate) fn as_replayed(tools: &mut RootTools<'_>, terms: &[TermId]) -> Option<TermId> {
    if tools.e.inputs.pitches.is_empty() {
        return None;
    }
    let cone = tools.e.arena.cone(terms);
    let mentioned: Vec<_> =
        tools.e.inputs.pitches.iter().copied().filter(|pitch| cone.contains(&pitch.units)).collect();
    let a = &mut tools.e.arena;
    let unit = i128::from(witness::PITCH);
    let each: Vec<TermId> = mentioned
        .into_iter()
        .map(|pitch| {
            let more = a.add_const(pitch.width, unit - 1);
            let rows = a.floor_div(more, unit);
            let rounded = a.scale(rows, unit);
            a.eq(pitch.bytes, rounded)
        })
        .collect();
    (!each.is_empty()).then(|| a.and_all(each))
}
