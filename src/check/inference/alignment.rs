//! Condition on a function's inputs under which an access is aligned.
//!
//! In: an access that may be unaligned, and the contract names of symbols. Out: that the strides by which threads and
//! loops move the address, and its offset from the start of the memory, are multiples of what they must be, as
//! `d % 4 == 0` for rows of `d` floats that are read as `float4`. The condition is proved sufficient before it is returned.

use super::conditions::{happens, implies, where_made, without_choices};
use super::given::words_of_packed;
use super::missing::check_for_all;
use super::tensors;
use super::wording::{ConditionVocabulary, SymbolNames, readable};
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::obligations::decide::LimitedDecider;
use crate::obligations::obligation::Obligation;
use base::polynomial::gcd;
use engine::symbolic::exec::events::UnalignedEvent;
use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, Term, TermId};
use finding::{Finding, MissingCheck, TensorArgument};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Most choices of an address that are looked at.
const CHOICES: usize = 8;

/// An address that may be unaligned.
#[derive(Clone, Copy)]
pub(super) struct UnalignedAddress {
    /// Offset from the start of the memory, in bytes.
    pub offset: TermId,
    /// Divisor that the offset must have, in bytes.
    pub align: u32,
    /// Condition under which it is accessed without having it.
    pub path: TermId,
    /// Condition under which it is accessed.
    pub happens: TermId,
}

/// Finds the condition; `None` where none on the function's inputs and the launch suffices.
pub(super) fn of(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    address: UnalignedAddress,
) -> Option<TermId> {
    let offset = chosen(a, decider, address);
    for launch in [false, true] {
        let Some(condition) =
            divisible(a, names, (offset, address.align), ConditionVocabulary { launch, elements: false })
        else {
            continue;
        };
        let mut parts = a.conjuncts(condition);
        parts.retain(|c| !implies(a, decider, address.happens, *c));
        let condition = a.and_all(parts);
        let condition = without_choices(a, condition);
        let (both, aligned) = (a.and(address.happens, condition), a.not(address.path));
        if happens(a, decider, names, address.happens, condition) && implies(a, decider, both, aligned) {
            return Some(where_made(a, decider, names, address.path, condition));
        }
    }
    None
}

/// Returns the offset with the choices that are made wherever it is accessed.
fn chosen(a: &mut Arena, decider: &mut LimitedDecider<'_>, address: UnalignedAddress) -> TermId {
    let offset = a.unwrapped(address.offset);
    let choice = |t: &TermId| if let Term::Ite(c, x, y) = *a.get(*t) { Some((*t, c, x, y)) } else { None };
    let choices: Vec<_> = a.cone(&[offset]).iter().filter_map(choice).take(CHOICES).collect();
    let mut made: FxHashMap<TermId, TermId> = FxHashMap::default();
    for (choice, c, x, y) in choices {
        let not = a.not(c);
        if implies(a, decider, address.happens, c) {
            made.insert(choice, x);
        } else if implies(a, decider, address.happens, not) {
            made.insert(choice, y);
        }
    }
    a.substitute(offset, &made)
}

/// Returns the condition that each stride of the address, and the rest of it, is a multiple of what it must be; `None`
/// where a stride is a number that is none.
fn divisible(
    a: &mut Arena,
    names: &SymbolNames,
    (offset, align): (TermId, u32),
    words: ConditionVocabulary,
) -> Option<TermId> {
    let mut strides: BTreeMap<Vec<TermId>, Poly> = BTreeMap::new();
    for (m, c) in a.poly(offset).terms {
        let (named, variables): (Vec<TermId>, Vec<TermId>) = m.iter().partition(|t| names.has(a, **t, words));
        strides.entry(variables).or_insert_with(|| Poly { terms: vec![] }).terms.push((named.into_iter().collect(), c));
    }
    let mut all = vec![];
    for stride in strides.into_values() {
        let content = stride.terms.iter().fold(i128::from(align), |all, (_, c)| gcd(all, *c));
        let rest = i128::from(align) / content;
        if rest == 1 {
            continue;
        }
        let terms: Vec<_> = stride.terms.into_iter().map(|(m, c)| (m, c / content)).collect();
        if terms.iter().all(|(m, _)| m.is_empty()) {
            return None;
        }
        let (stride, rest) = (a.from_poly(Poly { terms }), a.int(rest));
        let left = a.rem(stride, rest);
        let zero = a.int(0);
        all.push(a.eq(left, zero));
    }
    all.sort_unstable();
    all.dedup();
    Some(a.and_all(all))
}

/// Returns the check of tensors' sizes that an operator lacks for an access to be aligned; `None` where the tensor of
/// the witness is not packed, so that sizes do not determine the address.
pub(crate) fn missing(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &UnalignedEvent,
    (finding, obligation): (&Finding, &Obligation),
) -> Option<MissingCheck> {
    let object = tools.e.object(event.object).name.clone();
    let tensor = object.strip_suffix(OF_STORAGE);
    if tensor.is_some_and(|tensor| !finding.arguments.get(tensor).is_some_and(TensorArgument::is_packed)) {
        return None;
    }
    let path = run.launch.path;
    let (names, solved) = words_of_packed(tools, run);
    let of_tensors = tensors::put_into(&mut tools.e.arena, &solved, path, obligation);
    let ob = of_tensors.as_ref().unwrap_or(obligation);
    let happens = tools.e.arena.substitute(event.happens, &solved);
    let address = UnalignedAddress { offset: ob.offset, align: event.align, path: ob.facts, happens };
    let condition = of(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), &names, address)?;
    let condition = readable(&names.condition(&tools.e.arena, condition)?).to_string();
    check_for_all(cx, tools, run, (&object, event.happens), condition)
}
