//! Constraint independence: facts that share no symbol with other facts can be decided separately (as in EXE and
//! KLEE; Cadar, Dunbar and Engler, OSDI 2008).
//!
//! In: facts, and a goal. Out: the facts linked to the goal, and the others in groups. Many conditions on the path to
//! an access have nothing to do with its index: earlier loops, tests of other variables. The result for such a group
//! is kept for the next access on that path.

use super::query::{Model, ModelAnswer, PositiveSymbols, SolverBudget, SolverLimits, SolverOutcome, WrapMode};
use super::{minimise, smt};
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Links between facts: symbols and uninterpreted functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FactLink {
    Symbol(SymId),
    Function(UninterpretedFunction),
}

/// The facts linked to a goal, and the other facts in groups.
pub(super) struct FactSplit {
    pub near: Vec<TermId>,
    pub far: Vec<Vec<TermId>>,
}

/// Results for groups. Terms are those of one arena.
#[derive(Default)]
pub struct GroupResults {
    known: FxHashMap<(Vec<TermId>, WrapMode), GroupAnswer>,
    /// Smallest models found.
    small: FxHashMap<(Vec<TermId>, WrapMode), Model>,
}

#[derive(Clone)]
enum GroupAnswer {
    Holds(Model),
    Never,
    /// Searched without result, with this much work.
    Undecided(Work, UnknownReason),
}

impl GroupResults {
    /// Decides whether the facts of a group can hold together. `most` is the work of the whole search.
    pub(super) fn decide(
        &mut self,
        arena: &Arena,
        group: &[TermId],
        mode: WrapMode,
        budget: &SolverBudget,
        most: Work,
    ) -> SolverOutcome {
        let key = (group.to_vec(), mode);
        match self.known.get(&key) {
            Some(GroupAnswer::Holds(m)) => return SolverOutcome::Sat(m.clone()),
            Some(GroupAnswer::Never) => return SolverOutcome::Unsat,
            Some(GroupAnswer::Undecided(tried, why)) if *tried >= most => return SolverOutcome::Unknown(why.clone()),
            _ => {}
        }
        let want: Vec<(TermId, bool)> = group.iter().map(|f| (*f, true)).collect();
        let outcome = smt::decide(arena, &want, mode, budget);
        self.known.insert(
            key,
            match &outcome {
                SolverOutcome::Sat(m) => GroupAnswer::Holds(m.clone()),
                SolverOutcome::Unsat => GroupAnswer::Never,
                SolverOutcome::Unknown(why) => GroupAnswer::Undecided(most, why.clone()),
            },
        );
        outcome
    }

    /// Combines small models of the groups into a model of all facts; see [`super::find_model`].
    pub(super) fn find(
        &mut self,
        arena: &Arena,
        facts: &[TermId],
        prefer_small: &[SymId],
        positive: &PositiveSymbols,
        mode: WrapMode,
        limits: &SolverLimits,
    ) -> ModelAnswer {
        let all = Allotment::of(limits.work);
        let mut whole = Model::default();
        for group in split(arena, facts, None).all() {
            let key = (group, mode);
            if !self.small.contains_key(&key) {
                let symbols = arena.symbols_of(&key.0);
                let here = |all: &[SymId]| -> Vec<SymId> {
                    all.iter().copied().filter(|s| symbols.binary_search(s).is_ok()).collect()
                };
                match minimise::find(
                    arena,
                    &key.0,
                    &here(prefer_small),
                    &PositiveSymbols { wished: here(&positive.wished), sizes: here(&positive.sizes) },
                    mode,
                    &SolverLimits { work: all.left(), ..*limits },
                ) {
                    ModelAnswer::Model(m) => {
                        self.small.insert(key.clone(), m);
                    }
                    other => return other,
                }
            }
            if let Some(m) = self.small.get(&key) {
                whole.values.extend(m.values.clone());
                whole.applications.extend(m.applications.clone());
            }
        }
        ModelAnswer::Model(whole)
    }
}

impl FactSplit {
    fn all(self) -> impl Iterator<Item = Vec<TermId>> {
        std::iter::once(self.near).filter(|g| !g.is_empty()).chain(self.far)
    }
}

fn names(arena: &Arena, t: TermId) -> Vec<FactLink> {
    arena
        .cone(&[t])
        .into_iter()
        .filter_map(|n| match arena.get(n) {
            Term::Sym(s) | Term::BoolSym(s) => Some(FactLink::Symbol(*s)),
            Term::Apply { function, .. } => Some(FactLink::Function(*function)),
            _ => None,
        })
        .collect()
}

/// Splits facts into groups linked transitively by symbols and functions. A group keeps the order of the facts.
pub(super) fn split(arena: &Arena, facts: &[TermId], goal: Option<TermId>) -> FactSplit {
    let of_fact: Vec<Vec<FactLink>> = facts.iter().map(|f| names(arena, *f)).collect();
    let mut by_name: FxHashMap<&FactLink, Vec<usize>> = FxHashMap::default();
    for (i, ns) in of_fact.iter().enumerate() {
        for n in ns {
            by_name.entry(n).or_default().push(i);
        }
    }
    let mut taken = vec![false; facts.len()];
    let mut linked = |start: &[FactLink]| -> Vec<usize> {
        let mut seen: FxHashSet<FactLink> = start.iter().copied().collect();
        let mut queue: Vec<FactLink> = start.to_vec();
        let mut group = vec![];
        while let Some(n) = queue.pop() {
            for &i in by_name.get(&n).map_or(&[][..], Vec::as_slice) {
                if std::mem::replace(&mut taken[i], true) {
                    continue;
                }
                group.push(i);
                for m in &of_fact[i] {
                    if seen.insert(*m) {
                        queue.push(*m);
                    }
                }
            }
        }
        group
    };
    let mut near = linked(&goal.map(|g| names(arena, g)).unwrap_or_default());
    // A fact without symbols is true or makes the whole query unsatisfiable: it belongs to the query.
    near.extend(of_fact.iter().enumerate().filter(|(_, ns)| ns.is_empty()).map(|(i, _)| i));
    let mut far = vec![];
    for ns in &of_fact {
        let mut group = linked(ns);
        group.sort_unstable();
        if !group.is_empty() {
            far.push(group);
        }
    }
    near.sort_unstable();
    let terms = |group: Vec<usize>| group.into_iter().map(|i| facts[i]).collect();
    FactSplit { near: terms(near), far: far.into_iter().map(terms).collect() }
}

#[cfg(test)]
mod tests {
    use super::split;
    use base::reasons::UnknownReason;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::SymKind;

    #[test]
    fn facts_are_grouped_by_what_they_share() {
        let mut a = Arena::new();
        let [x, y, z, u, v] = ["x", "y", "z", "u", "v"]
            .map(|n| a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, n, Interval::of_int(32, true)));
        let (xy, yz, uu, v5) = (a.le(x, y), a.le(y, z), a.le_zero(u), a.le_zero(v));
        let zero = a.int(0);
        let goal = a.le(zero, z);
        let s = split(&a, &[uu, xy, v5, yz], Some(goal));
        assert_eq!((s.near, s.far), (vec![xy, yz], vec![vec![uu], vec![v5]]));
    }
}
