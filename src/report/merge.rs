//! Merges findings into one per place in the source: launches, template instances and programs that share it are
//! counted, not listed.

use base::rules::Rule;
use finding::{Finding, Position, Undecided};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place in the source: one array at one position.
type MergeKey = (Position, String);

fn place(position: &Position, array: &str) -> MergeKey {
    (position.clone(), array.to_owned())
}

/// Merges the findings of one rule at the same file, line, column and array. The worst remains (proved before possible,
/// non-degenerate before degenerate, the first of equals) with its program and the sum of all occurrences.
#[must_use]
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut known: FxHashMap<(Rule, MergeKey), usize> = FxHashMap::default();
    for new in findings {
        let here = place(&new.access.position, &new.access.array);
        if let Some(&at) = known.get(&(new.rule, here.clone())) {
            let old = &mut merged[at];
            let occurrences = old.occurrences.saturating_add(new.occurrences);
            if badness(&new) > badness(old) {
                *old = new;
            }
            old.occurrences = occurrences;
        } else {
            known.insert((new.rule, here), merged.len());
            merged.push(new);
        }
    }
    merged
}

/// Keeps one entry for a place that several programs left undecided, and none if another program has a finding there.
#[must_use]
pub fn merge_undecided(undecided: Vec<Undecided>, findings: &[Finding]) -> Vec<Undecided> {
    let found: FxHashSet<MergeKey> = findings.iter().map(|f| place(&f.access.position, &f.access.array)).collect();
    let mut seen: FxHashSet<MergeKey> = FxHashSet::default();
    undecided
        .into_iter()
        .filter(|u| {
            let here = place(&u.position, &u.array);
            !found.contains(&here) && seen.insert(here)
        })
        .collect()
}

fn badness(f: &Finding) -> impl Ord + use<> {
    (f.verdict, !f.degenerate)
}

#[cfg(test)]
mod tests {
    use super::{merge, merge_undecided};
    use base::rules::Rule;
    use finding::samples;
    use finding::{ReasonCode, Undecided, Verdict};

    #[test]
    fn findings_at_one_place_become_the_worst_with_a_count() {
        let mut possible = samples::finding();
        possible.verdict = Verdict::Possible;
        possible.message = "weaker".into();
        let proved = samples::finding();
        let mut degenerate = samples::finding();
        degenerate.degenerate = true;
        let m = merge(vec![possible, degenerate, proved.clone()]);
        assert_eq!(m.len(), 1);
        assert_eq!((m[0].verdict, m[0].degenerate, m[0].occurrences), (Verdict::Proved, false, 3));
        assert_eq!(m[0].message, proved.message);
    }

    #[test]
    fn other_arrays_columns_and_rules_stay_apart() {
        let mut all = vec![samples::finding(); 4];
        all[1].access.array = "b".into();
        all[2].access.position.column += 1;
        all[3].rule = Rule::DataIndex;
        assert_eq!(merge(all.clone()), all);
    }

    #[test]
    fn a_place_of_several_programs_is_told_once() {
        let mut first = samples::finding();
        first.verdict = Verdict::Possible;
        let mut second = samples::finding();
        second.program = "other".into();
        let third = first.clone();
        let m = merge(vec![first, third, second]);
        assert_eq!((m.len(), m[0].verdict, m[0].program.as_str(), m[0].occurrences), (1, Verdict::Proved, "other", 3));

        let at = |column| {
            let mut position = samples::finding().access.position;
            position.column = column;
            let (kernel, array, reason) = ("k".into(), "a".into(), "budget".into());
            Undecided { position, kernel, array, code: ReasonCode::Other, reason, related: vec![] }
        };
        let left = merge_undecided(vec![at(m[0].access.position.column), at(40), at(40)], &m);
        assert_eq!(left, [at(40)]);
    }
}
