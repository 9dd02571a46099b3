//! Merges findings into one per place in the source: launches, template instances and programs that share it are
//! counted, not listed.

use super::joined_check;
use base::rules::Rule;
use finding::{CheckedArgument, Finding, Position, Undecided};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place in the source: one array at one position.
type MergeKey = (Position, String);

fn place(position: &Position, array: &str) -> MergeKey {
    (position.clone(), array.to_owned())
}

/// Merges the findings of one rule at the same file, line, column and array; those of operators that lack a check stay
/// apart by operator and argument. The worst remains (proved before possible, non-degenerate before degenerate, the first
/// of equals) with its program, the sum of all occurrences, and all checks: launches may need different ones.
#[must_use]
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut known: FxHashMap<(Rule, MergeKey, Option<CheckedArgument>), usize> = FxHashMap::default();
    for mut new in findings {
        let here = place(&new.access.position, &new.access.array);
        let at = *known.entry((new.rule, here, new.checked_argument())).or_insert(merged.len());
        let Some(old) = merged.get_mut(at) else {
            merged.push(new);
            continue;
        };
        let occurrences = old.occurrences.saturating_add(new.occurrences);
        if badness(&new) > badness(old) {
            std::mem::swap(old, &mut new);
        }
        old.occurrences = occurrences;
        if let (Some(check), Some(other)) = (&mut old.missing_check, &new.missing_check) {
            joined_check::require(check, other);
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
    fn launches_at_one_place_may_lack_different_checks() {
        let lacks = |root: &str, memory: &str, condition: &str| {
            let mut f = samples::finding();
            (f.rule, f.root) = (Rule::UncheckedArgument, root.into());
            f.allocation.as_mut().unwrap().extent = format!("extent({memory}.data_ptr())");
            f.arguments = [(memory.to_owned(), samples::tensor())].into();
            f.missing_check = Some(samples::check(&f, condition));
            f
        };
        let all = vec![
            lacks("op()", "x", "x.numel() >= n"),
            lacks("other()", "x", "x.numel() >= n"),
            lacks("op()", "x", "x.numel() >= m"),
            lacks("op()", "y", "y.numel() >= m"),
        ];
        let merged = merge(all);
        let told: Vec<_> =
            merged.iter().map(|f| (f.occurrences, f.missing_check.as_ref().unwrap().condition.as_str())).collect();
        assert_eq!(told, [(2, "x.numel() >= n && x.numel() >= m"), (1, "x.numel() >= n"), (1, "y.numel() >= m")]);
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
