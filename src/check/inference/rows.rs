//! Checks of a tensor of which an operator checks neither layout nor rank: that it is packed, and how long its rows are.
//!
//! In: an access to a caller-given tensor that leaves its storage, and the launch that makes it. Out: the check that
//! code with this index needs, as `x.dim() == 2 && x.size(1) == 3` for `x[3 * row + 2]`. The rows' length is a factor
//! of the index; a length counts only if the access is then safe.

use super::missing::OutOfBoundsAccess;
use super::tensors::{self, PackedStorage};
use super::wording::{ConditionVocabulary, SymbolName, SymbolNames, readable};
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::obligations::obligation::{Decision, Obligation};
use contracts::ast::{Comparison, CondKind};
use contracts::{Cond, Span};
use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, TermId};
use rustc_hash::FxHashMap;

/// Most lengths of rows that are tried, and most dimensions before them: code that asks for more sizes asks for all.
const LENGTHS: usize = 3;
const DIMENSIONS: i128 = 3;

/// Returns the storage of the accessed tensor if it is packed.
pub(super) fn packed(
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
    solved: &FxHashMap<TermId, TermId>,
) -> Option<PackedStorage> {
    let name = wrong.object.strip_suffix(OF_STORAGE)?;
    let bytes = wrong.arguments.get(name)?.element_bytes()?;
    tensors::packed_storage(&mut tools.e.arena, run.launch.path, solved, name, (wrong.obligation.extent, bytes))
}

/// Returns the check of rank and rows, where some length of rows makes the access safe.
pub(super) fn of_rows(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
    (storage, names): (&PackedStorage, &mut SymbolNames),
    solved: &FxHashMap<TermId, TermId>,
) -> Option<String> {
    let name = wrong.object.strip_suffix(OF_STORAGE)?;
    let (rank, behind) = storage.rows.filter(|(rank, _)| *rank <= DIMENSIONS)?;
    let path = run.launch.path;
    let offset = tools.e.arena.substitute(wrong.obligation.offset, solved);
    for length in lengths(&mut tools.e.arena, names, offset, storage) {
        let a = &mut tools.e.arena;
        let with = storage.with_rows(a, solved, length);
        let Some(mut ob) = tensors::put_into(a, &with, path, wrong.obligation) else { continue };
        // How sizes of tensors compare was no part of the access's facts, as long as it did not matter.
        let of_path = a.substitute(path, &with);
        ob.facts = a.and(ob.facts, of_path);
        if !is_safe(cx, tools, &ob) {
            continue;
        }
        names.all.insert(behind, SymbolName::Parameter(format!("{name}.size({rank})")));
        let a = &mut tools.e.arena;
        let is_length = a.eq(behind, length);
        let rows = size_first(readable(&names.condition(a, is_length)?), &format!("{name}.size({rank})"));
        let layout = if storage.is_known { String::new() } else { format!("{name}.is_contiguous() && ") };
        return Some(format!("{layout}{name}.dim() == {} && {rows}", rank + 1));
    }
    None
}

/// Writes an equation with this size on the left.
fn size_first(equation: Cond, size: &str) -> Cond {
    match equation.kind {
        CondKind::Compare(Comparison::Eq, left, right) if right.to_string() == size => {
            Cond::compare(Comparison::Eq, *right, *left)
        }
        kind => Cond::new(kind, Span::default()),
    }
}

fn is_safe(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, ob: &Obligation) -> bool {
    matches!(tools.decide_roughly(cx, ob).decision, Decision::Safe | Decision::SafeIfNoWrap(_))
}

/// Returns what rows could be as long as, in elements: the factors of threads and counters in an index that contracts
/// can express, the shortest first. The tensor's own sizes count the rows.
fn lengths(a: &mut Arena, names: &SymbolNames, offset: TermId, storage: &PackedStorage) -> Vec<TermId> {
    let bytes = storage.bytes;
    let offset = a.unwrapped(offset);
    let mut found: Vec<(usize, i128, Vec<TermId>, TermId)> = vec![];
    for (m, c) in a.poly(offset).terms {
        let (sizes, variables): (Vec<TermId>, Vec<TermId>) =
            m.iter().partition(|t| names.has(a, **t, ConditionVocabulary::default()));
        let sizes: Vec<TermId> = sizes.into_iter().filter(|t| !storage.asked.contains(t)).collect();
        if variables.is_empty() || c % bytes != 0 || (sizes.is_empty() && c.abs() == bytes) {
            continue;
        }
        let factor = (c / bytes).abs();
        let length = a.from_poly(Poly { terms: vec![(sizes.iter().copied().collect(), factor)] });
        found.push((sizes.len(), factor, sizes, length));
    }
    found.sort_unstable();
    found.dedup();
    // A block of 64 rows is no row: `x[7 * (64 * block + thread)]` has the factors 448 and 7.
    let all = found.clone();
    let is_several = |(_, factor, sizes, _): &(usize, i128, Vec<TermId>, TermId)| {
        all.iter().any(|(_, of_one, same, _)| of_one < factor && factor % of_one == 0 && same == sizes)
    };
    found.retain(|length| !is_several(length));
    found.into_iter().map(|(.., length)| length).take(LENGTHS).collect()
}
