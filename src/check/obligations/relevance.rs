//! Choice of the facts from which a proof is tried first: premise selection by symbols, as in SInE (Hoder and
//! Voronkov, 2011).
//!
//! In: the facts of an access, whose number grows with the code before it, and a goal. Out: the facts that share
//! symbols with the goal in one step, without iteration counts of other loops and contents of other memory. Fewer
//! facts prove less: where these do not suffice, all facts are used.

use super::decide::Decider;
use super::proofs::family;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, SymKind, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Number of facts up to which all are used at once.
const FEW: usize = 32;

impl Decider {
    /// Returns the relevant facts and their conjunction; `None` where these are most of the facts.
    pub(super) fn relevant(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<(Vec<TermId>, TermId)> {
        if facts.len() <= FEW {
            return None;
        }
        let wanted: FxHashSet<SymId> = self.symbols_of_fact(a, goal).iter().copied().collect();
        let mut near = wanted.clone();
        let all: Vec<Rc<[SymId]>> = facts.iter().map(|f| self.symbols_of_fact(a, *f)).collect();
        for symbols in &all {
            if symbols.iter().any(|s| wanted.contains(s)) {
                near.extend(symbols.iter().filter(|s| is_shared(&a.symbol(**s).kind)));
            }
        }
        let close = |(f, symbols): (&TermId, &Rc<[SymId]>)| symbols.iter().all(|s| near.contains(s)).then_some(*f);
        let chosen: Vec<TermId> = facts.iter().zip(&all).filter_map(close).collect();
        // Facts that differ only in where they wrap: one suffices, and any choice is sound because all are facts.
        let plain: Vec<TermId> = chosen.iter().map(|f| a.unwrapped(*f)).collect();
        let chosen: Vec<TermId> = strongest_of(a, &plain).into_iter().map(|i| chosen[i]).collect();
        if chosen.is_empty() || 2 * chosen.len() > facts.len() {
            return None;
        }
        let together = a.and_all(chosen.clone());
        Some((chosen, together))
    }

    pub(super) fn symbols_of_fact(&mut self, a: &Arena, t: TermId) -> Rc<[SymId]> {
        self.symbols.entry(t).or_insert_with(|| a.symbols_of(&[t]).into()).clone()
    }
}

/// Whether facts about the symbol concern a whole launch, rather than one loop or one value that was read.
const fn is_shared(kind: &SymKind) -> bool {
    !matches!(kind, SymKind::Iteration { .. } | SymKind::Content { .. } | SymKind::Unknown { .. })
}

/// Removes facts of the form `x + c <= 0` that follow from another fact with a larger `c`. The result is equivalent.
pub(super) fn strongest(a: &mut Arena, facts: &[TermId]) -> Vec<TermId> {
    strongest_of(a, facts).into_iter().map(|i| facts[i]).collect()
}

/// Returns the indices of the strongest facts, the first among equal ones.
fn strongest_of(a: &mut Arena, facts: &[TermId]) -> Vec<usize> {
    let families: Vec<(TermId, i128)> = facts.iter().map(|f| family(a, *f)).collect();
    let mut largest: FxHashMap<TermId, i128> = FxHashMap::default();
    for (of, constant) in &families {
        let most = largest.entry(*of).or_insert(*constant);
        *most = (*most).max(*constant);
    }
    let mut taken: FxHashSet<TermId> = FxHashSet::default();
    let is_strongest =
        |(_, (of, constant)): &(usize, &(TermId, i128))| largest.get(of) == Some(constant) && taken.insert(*of);
    families.iter().enumerate().filter(is_strongest).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::strongest;
    use crate::obligations::decide::{Decider, DecisionAttempt};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

    fn input(a: &mut Arena, n: u32) -> TermId {
        a.fresh(SymKind::Input(InputSource::Argv(n)), format!("argv[{n}]"), Interval::of_int(32, true))
    }

    #[test]
    fn of_bounds_that_differ_by_a_constant_the_strongest_stays() {
        let mut a = Arena::new();
        let n = input(&mut a, 1);
        let at_least = |a: &mut Arena, k: i128| {
            let k = a.int(k);
            a.le(k, n)
        };
        let at_most = |a: &mut Arena, k: i128| {
            let k = a.int(k);
            a.le(n, k)
        };
        let facts =
            [at_least(&mut a, 3), at_most(&mut a, 90), at_least(&mut a, 7), at_least(&mut a, 5), at_most(&mut a, 100)];
        assert_eq!(strongest(&mut a, &facts), [facts[1], facts[2]]);
    }

    /// Tests that of a hundred loops only the goal's own, and facts on the whole launch, are selected.
    #[test]
    fn what_other_loops_counted_is_left_out_and_decided_as_before() {
        let mut a = Arena::new();
        let (n, m) = (input(&mut a, 1), input(&mut a, 2));
        let zero = a.int(0);
        let mut facts = vec![a.lt(zero, n), a.le(n, m)];
        let mut iterations = vec![];
        for _ in 0..100 {
            let k = a.fresh(SymKind::Iteration { name: "k".into() }, "k", Interval::new(0, i128::from(i32::MAX)));
            facts.push(a.lt(k, n));
            iterations.push(k);
        }
        let goal = a.lt(iterations[40], m);
        let mut fresh = Decider::default();
        let mut search = fresh.search(DecisionAttempt::default());
        let (chosen, together) = search.decider.relevant(&mut a, &facts, goal).unwrap();
        assert_eq!(chosen, [facts[0], facts[1], facts[42]]);
        let all = a.and_all(facts.clone());
        let (used, _) = search.bound(&mut a, all, &facts, goal).unwrap();
        assert!(used.iter().all(|f| facts.contains(f)) && together != all);
        // A goal that needs another loop's count is proved from all facts.
        let other = a.le(iterations[3], iterations[40]);
        facts.push(other);
        let all = a.and_all(facts.clone());
        let far = a.lt(iterations[3], m);
        assert!(search.bound(&mut a, all, &facts, far).is_some());
        let wrong = a.lt(iterations[5], iterations[6]);
        assert!(search.bound(&mut a, all, &facts, wrong).is_none());
    }
}
