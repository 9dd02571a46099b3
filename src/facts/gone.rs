//! What was kept of a build and is no part of it any more.
//!
//! In: units, links and what the build folder's own description plans. Out: which of them are gone. Nothing is removed here.

use super::generated::planned::Planned;
use super::maker::Maker;
use super::unit::{LinkFacts, UnitFacts};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// For each unit whether it is gone: its source was deleted and no link takes in its object, its target does not build it any more, or its output has gone
/// while another output of the same source is there. An output that was denied was never there. `running` is the output of a link that is being made: what
/// that takes in is linked, though the output is not there yet.
#[must_use]
pub fn units(units: &[UnitFacts], links: &[LinkFacts], planned: &Planned, running: Option<&Path>) -> Vec<bool> {
    let present: BTreeSet<PathBuf> = units.iter().filter(|u| u.key.exists()).map(UnitFacts::source).collect();
    let replaced = |u: &UnitFacts| {
        let lies = u.key.exists() || u.linked_by().is_some_and(Path::is_file);
        let kept = u.denied || lies || u.maker.is_some_and(Maker::alive);
        !kept && present.contains(&u.source())
    };
    let is_made = |l: &&LinkFacts| running == Some(&l.link.output) || l.link.output.exists();
    let linked: BTreeSet<&PathBuf> = links.iter().filter(is_made).flat_map(|l| &l.link.inputs).collect();
    // A source that the build made and removed again.
    let is_linked = |u: &UnitFacts| u.key.exists() && linked.contains(&u.key);
    let removed = |u: &UnitFacts| !u.source().exists() && !is_linked(u);
    units.iter().map(|u| removed(u) || planned.dropped(&u.key) || replaced(u)).collect()
}

/// Whether a link that was seen is gone: its output and what it was made of. An output alone may have been denied.
#[must_use]
pub fn link(seen: &LinkFacts) -> bool {
    !seen.link.output.exists() && (seen.link.inputs.is_empty() || seen.link.inputs.iter().any(|i| !i.exists()))
}

/// Takes out what is marked.
pub fn remove<T>(list: &mut Vec<T>, gone: &[bool]) -> Vec<T> {
    let mut at = gone.iter();
    let (removed, kept) = std::mem::take(list).into_iter().partition(|_| at.next().copied().unwrap_or(false));
    *list = kept;
    removed
}
