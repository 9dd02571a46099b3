//! Inputs that a proposed check would refuse although nothing goes wrong.
//!
//! In: the goal of an access, and conditions that suffice for it. Out: whether some inputs violate the conditions while
//! every thread keeps the goal: values of the inputs that do for all threads tried so far, and a proof that they do for
//! every thread, or one more thread to try (counterexample-guided inductive synthesis; Solar-Lezama, "Program Synthesis
//! by Sketching", 2008, chapter 4). A condition that asks for too much is no advice.

use super::conditions::implies;
use super::wording::SymbolNames;
use crate::context::{CheckContext, RootTools};
use crate::obligations::obligation::{Counterexample, Decision};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;

/// Most inputs that are tried for one check.
const TRIES: usize = 8;

/// Whether inputs are found that violate these conditions and under which the facts imply the goal.
pub(super) fn refuse_right_inputs(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &SymbolNames,
    (facts, goal): (TermId, TermId),
    conditions: &[TermId],
) -> bool {
    let a = &mut tools.e.arena;
    let all = a.and_all(conditions.to_vec());
    let violated = a.not(all);
    let mut sought = a.and_all(vec![facts, violated, goal]);
    let symbols: Vec<TermId> = a.symbols_of(&[facts, goal, all]).into_iter().map(|s| a.symbol_term(s)).collect();
    let (inputs, others): (Vec<TermId>, Vec<TermId>) = symbols.into_iter().partition(|t| names.is_parameter(*t));
    for _ in 0..TRIES {
        let Decision::Fails(c) = tools.happens(cx, sought).decision else { return false };
        let a = &mut tools.e.arena;
        let tried = values(a, &inputs, &c);
        let (there, kept) = (a.substitute(facts, &tried), a.substitute(goal, &tried));
        if implies(a, &mut tools.decider.with(cx.attempt), there, kept) {
            return true;
        }
        let a = &mut tools.e.arena;
        let lost = a.not(kept);
        let lost = a.and(there, lost);
        let Decision::Fails(c) = tools.happens(cx, lost).decision else { return false };
        // The next inputs must do for this thread, too.
        let a = &mut tools.e.arena;
        let thread = values(a, &others, &c);
        let (happens, kept) = (a.substitute(facts, &thread), a.substitute(goal, &thread));
        let never = a.not(happens);
        let kept = a.or(never, kept);
        sought = a.and(sought, kept);
    }
    false
}

/// Values of symbols in a model.
fn values(a: &mut Arena, of: &[TermId], c: &Counterexample) -> FxHashMap<TermId, TermId> {
    let known: Vec<(TermId, i128)> = of.iter().filter_map(|t| Some((*t, c.model.value(a, *t, c.mode)?))).collect();
    known.into_iter().map(|(t, n)| (t, if a.is_boolean(t) { a.bool(n != 0) } else { a.int(n) })).collect()
}
