//! Facts of units and links that are no longer part of the build.
//!
//! In: units, links, and the plan in the build folder's own description. Out: which of them are gone. Removes nothing
//! from disk.

use super::generated::planned::FolderPlans;
use super::maker::Maker;
use super::unit::{LinkFacts, UnitFacts};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Marks each unit that is gone. A unit is gone in any of three cases: its source was deleted, and no existing link
/// takes in its object; its target does not build it any more; or its output is missing, while another output of the
/// same source exists. The last case excludes denied units, which never had an output, and units that are being
/// compiled. `running` is the output of a link in progress: the inputs of that link count as linked, though its output
/// does not exist yet.
#[must_use]
pub fn units(units: &[UnitFacts], links: &[LinkFacts], planned: &FolderPlans, running: Option<&Path>) -> Vec<bool> {
    // Each file is looked at once: a build may have very many units.
    let made: Vec<bool> = units.iter().map(|u| u.key.exists()).collect();
    let present: HashSet<PathBuf> =
        units.iter().zip(&made).filter(|(_, made)| **made).map(|(u, _)| u.source()).collect();
    let replaced = |u: &UnitFacts, made: bool| {
        let lies = made || u.linked_by().is_some_and(Path::is_file);
        let kept = u.denied || lies || u.maker.is_some_and(Maker::alive);
        !kept && present.contains(&u.source())
    };
    let is_made = |l: &&LinkFacts| running == Some(&l.link.output) || l.link.output.exists();
    let linked: HashSet<&PathBuf> = links.iter().filter(is_made).flat_map(|l| &l.link.inputs).collect();
    // The build may have made and removed the source.
    let is_linked = |u: &UnitFacts, made: bool| made && linked.contains(&u.key);
    let removed = |u: &UnitFacts, made: bool| !u.source().exists() && !is_linked(u, made);
    let is_gone = |(u, made): (&UnitFacts, &bool)| removed(u, *made) || planned.dropped(&u.key) || replaced(u, *made);
    units.iter().zip(&made).map(is_gone).collect()
}

/// Whether a recorded link is gone: its output is missing, and so is one of its inputs, or it has no inputs. The output
/// alone may be missing because it was denied.
#[must_use]
pub fn link(seen: &LinkFacts) -> bool {
    !seen.link.output.exists() && (seen.link.inputs.is_empty() || seen.link.inputs.iter().any(|i| !i.exists()))
}

/// Removes the marked entries from the list and returns them.
pub fn remove<T>(list: &mut Vec<T>, gone: &[bool]) -> Vec<T> {
    let mut at = gone.iter();
    let (removed, kept) = std::mem::take(list).into_iter().partition(|_| at.next().copied().unwrap_or(false));
    *list = kept;
    removed
}
