//! Guards of a check: calls of a function that never come to an access, and which its check must let pass.
//!
//! In: a condition that an access needs, the launches that need it, and the condition under which the function returns. Out: the
//! condition with the guards without which it would refuse a call that returns without the access (`x.size(1) <= 256 || …`):
//! the weakest precondition of the access (Dijkstra, "Guarded commands", 1975), as far as it matters. Calls that the function
//! refuses itself, an empty grid, and another tensor without elements are no reason for a guard. This module decides nothing.

use super::given::words_of_packed;
use super::tensors;
use super::wording::{SymbolName, SymbolNames, requirement};
use crate::context::{CheckContext, ExecutedLaunch, RootCall, RootTools};
use crate::obligations::obligation::Decision;
use contracts::ast::{Comparison, CondKind, TermKind};
use contracts::{Cond, ContractTerm};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;

/// Most guards of a check; nobody reads more.
const GUARDS: usize = 6;

/// A check that an access of a launch needs.
pub(super) struct NeededCheck<'a> {
    /// The tensor or pointer behind which the access goes wrong.
    pub object: &'a str,
    /// Facts at the access.
    pub facts: TermId,
    pub condition: Cond,
}

/// Adds the guards that a condition needs; `alike` are the paths to the launches that need it. `None` where contracts have no
/// words for a guard.
pub(super) fn with_guards(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    (call, alike): (&RootCall, Vec<TermId>),
    needed: NeededCheck<'_>,
) -> Option<Cond> {
    if has_elements(&needed.condition) {
        return Some(needed.condition);
    }
    let mut inputs = of_inputs(&mut tools.e.arena, needed.facts, call);
    let launched = tools.e.arena.conjuncts(run.launch.path);
    inputs.retain(|c| !launched.contains(c));
    let a = &mut tools.e.arena;
    let solved = tensors::solved_of_packed(a, call.returns);
    let mut choices = |path: TermId| {
        let all = a.and_all(inputs.iter().copied().chain([path]).collect());
        let all = a.substitute(all, &solved);
        let mut all = a.conjuncts(all);
        // What a property of a tensor is in others is no choice of the function.
        all.retain(|c| !tensors::is_definition(a, *c));
        with_values(a, all)
    };
    let accessed = alike.into_iter().map(&mut choices).collect();
    let own = choices(run.launch.path);
    let accessed = tools.e.arena.or_all(accessed);
    guarded(cx, tools, run, (call, &solved), (accessed, own), needed)
}

/// Puts the numbers that some conditions state of symbols into the others.
fn with_values(a: &mut Arena, all: Vec<TermId>) -> TermId {
    let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut stating = vec![];
    for c in &all {
        let Term::EqZ(t) = *a.get(*c) else { continue };
        let p = a.poly(t);
        let symbol = p.terms.iter().find_map(|(m, k)| match m[..] {
            [s] if k.abs() == 1 && matches!(a.get(s), Term::Sym(_)) => Some((s, *k)),
            _ => None,
        });
        let is_number = p.terms.iter().filter(|(m, _)| !m.is_empty()).count() == 1;
        if let Some((symbol, k)) = symbol.filter(|(s, _)| is_number && !values.contains_key(s)) {
            let value = a.int(-k * p.constant());
            values.insert(symbol, value);
            stating.push(*c);
        }
    }
    let put = |c: TermId, a: &mut Arena| if stating.contains(&c) { c } else { a.substitute(c, &values) };
    let all = all.into_iter().map(|c| put(c, a)).collect();
    a.and_all(all)
}

/// Returns the facts at an access that depend on the function's inputs alone, such as a flag that a kernel is given. A
/// copy of a tensor property in memory, as in an accessor, is the property.
fn of_inputs(a: &mut Arena, facts: TermId, call: &RootCall) -> Vec<TermId> {
    let copied = tensors::copied_properties(a, &a.conjuncts(facts));
    let facts = a.substitute(facts, &copied);
    let mut all = a.conjuncts(facts);
    all.retain(|c| a.symbols_of(&[*c]).iter().all(|s| (s.0 as usize) < call.symbols));
    all
}

/// Whether a condition says no more than that another tensor than this one has elements.
fn is_full(a: &mut Arena, names: &SymbolNames, c: TermId, object: &str) -> bool {
    let c = a.unwrapped(c);
    let at_least = match *a.get(c) {
        Term::Le(t) => (t, 1),
        Term::Not(c) => match *a.get(c) {
            Term::EqZ(t) => (t, 0),
            _ => return false,
        },
        _ => return false,
    };
    let p = a.poly(at_least.0);
    let mut products = p.terms.iter().filter(|(m, _)| !m.is_empty());
    let (Some((sizes, _)), None) = (products.next(), products.next()) else { return false };
    let is_size = |t: &TermId| match names.all.get(t) {
        Some(SymbolName::Parameter(name)) => name
            .split_once('.')
            .is_some_and(|(of, asked)| of != object && (asked.starts_with("size(") || asked == "numel()")),
        _ => false,
    };
    p.constant() == at_least.1 && sizes.iter().all(is_size)
}

/// Adds the guards of the access without which the condition would refuse calls that return without it.
fn guarded(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    (call, solved): (&RootCall, &FxHashMap<TermId, TermId>),
    (accessed, own): (TermId, TermId),
    NeededCheck { object, condition, .. }: NeededCheck<'_>,
) -> Option<Cond> {
    let stated = requirement(condition.clone());
    let needed = tools.e.required_of_call(tools.root.func, &call.args, &call.entry, &stated);
    let (names, _) = words_of_packed(tools, run);
    let mut held = tools.e.launch_axioms(&run.launch.config);
    held.extend([call.returns, tools.e.all_of_objects()]);
    let a = &mut tools.e.arena;
    // An empty grid, sizes that no grid has, and other tensors without elements are no reason for a guard.
    let (full, facts): (Vec<TermId>, Vec<TermId>) =
        a.conjuncts(own).into_iter().partition(|c| is_full(a, &names, *c, object));
    held.extend(full);
    let returns = a.and_all(held);
    let otherwise = a.not(accessed);
    let unaffected = a.and(returns, otherwise);
    let mut refusal = needed.map(|needed| RefusedCalls { unaffected, needed, solved });
    if refusal.as_mut().is_some_and(|refusal| !refusal.is_possible(cx, tools, &[])) {
        return Some(condition);
    }
    let (mut guards, mut is_unsaid): (Vec<(TermId, Cond)>, bool) = (vec![], false);
    for fact in facts {
        let a = &mut tools.e.arena;
        let fact = a.unwrapped(fact);
        let broken = a.not(fact);
        let breaks = a.and(returns, broken);
        let breaks = a.unwrapped(breaks);
        // What every call that returns satisfies is no guard.
        if a.as_bool(breaks) == Some(false) || matches!(tools.happens(cx, breaks).decision, Decision::Safe) {
            continue;
        }
        match names.condition(&tools.e.arena, broken) {
            Some(said) => guards.push((broken, number_last(said))),
            // What is unknown otherwise is no choice that a caller makes.
            None => is_unsaid |= is_flag(&tools.e.arena, broken),
        }
    }
    // What the condition says of a call that lacks an optional tensor is not known: it has the guards that it was found with.
    let Some(mut refusal) = refusal else { return Some(condition).filter(|_| !is_unsaid) };
    let all = |guards: &[(TermId, Cond)]| guards.iter().map(|(broken, _)| *broken).collect::<Vec<_>>();
    if refusal.is_possible(cx, tools, &all(&guards)) {
        return None;
    }
    let mut i = 0;
    while i < guards.len() {
        let guard = guards.remove(i);
        if refusal.is_possible(cx, tools, &all(&guards)) {
            guards.insert(i, guard);
            i += 1;
        }
    }
    (guards.len() <= GUARDS).then(|| Cond::any(guards.into_iter().map(|(_, said)| said).chain([condition]).collect()))
}

/// Writes a bound with the number on the right, and as people write it: `n > 100000`, not `n >= 100001`.
fn number_last(c: Cond) -> Cond {
    let (op, left, right) = match c.kind {
        CondKind::Compare(op, left, right) if matches!(left.kind, TermKind::Int(_)) => (op.swapped(), *right, *left),
        CondKind::Compare(op, left, right) => (op, *left, *right),
        kind => return Cond::new(kind, c.span),
    };
    match (op, &right.kind) {
        (Comparison::Ge, TermKind::Int(n)) if *n > 1 => Cond::compare(Comparison::Gt, left, ContractTerm::int(n - 1)),
        _ => Cond::compare(op, left, right),
    }
}

/// Whether a condition is a flag, or that it is not set: contracts have no words for those.
fn is_flag(a: &Arena, c: TermId) -> bool {
    match *a.get(c) {
        Term::Not(c) => matches!(a.get(c), Term::BoolSym(_)),
        Term::BoolSym(_) => true,
        _ => false,
    }
}

/// Whether a condition is one on the elements of an array.
fn has_elements(c: &Cond) -> bool {
    match &c.kind {
        CondKind::Forall(_) => true,
        CondKind::And(all) | CondKind::Or(all) => all.iter().any(has_elements),
        _ => false,
    }
}

/// A check that may refuse calls that it does not concern.
struct RefusedCalls<'a> {
    /// Condition under which the function returns without the access.
    unaffected: TermId,
    /// The check.
    needed: TermId,
    solved: &'a FxHashMap<TermId, TermId>,
}

impl RefusedCalls<'_> {
    /// Whether some call returns without the access, and violates the check with these alternatives.
    fn is_possible(&mut self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, alternatives: &[TermId]) -> bool {
        let a = &mut tools.e.arena;
        let check = a.or_all(alternatives.iter().copied().chain([self.needed]).collect());
        let violated = a.not(check);
        let refused = a.and(self.unaffected, violated);
        let refused = a.substitute(refused, self.solved);
        let refused = a.unwrapped(refused);
        a.as_bool(refused) != Some(false) && matches!(tools.happens(cx, refused).decision, Decision::Fails(_))
    }
}
