//! One finding per place in the source: launches and template instances that share it are counted, not listed.

use super::finding::{Finding, Rule};
use rustc_hash::FxHashMap;

/// Merges the findings of one rule of one program at the same file, line, column and array. The worst stays (proved
/// before possible, not degenerate before degenerate, the first of equals), with the sum of their occurrences.
#[must_use]
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut places: FxHashMap<(String, Rule, String, u32, u32, String), usize> = FxHashMap::default();
    for new in findings {
        let p = &new.access.position;
        let place = (new.program.clone(), new.rule, p.file.clone(), p.line, p.column, new.access.array.clone());
        if let Some(&at) = places.get(&place) {
            let old = &mut merged[at];
            let occurrences = old.occurrences.saturating_add(new.occurrences);
            if badness(&new) > badness(old) { *old = new; }
            old.occurrences = occurrences;
        } else {
            places.insert(place, merged.len());
            merged.push(new);
        }
    }
    merged
}

fn badness(f: &Finding) -> impl Ord { (f.verdict, !f.degenerate) }

#[cfg(test)]
mod tests {
    use super::merge;
    use crate::report::finding::{Rule, Verdict};
    use crate::report::samples;

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
    fn other_arrays_columns_rules_and_programs_stay_apart() {
        let mut all = vec![samples::finding(); 5];
        all[1].access.array = "b".into();
        all[2].access.position.column += 1;
        all[3].rule = Rule::DataIndex;
        all[4].program = "other".into();
        assert_eq!(merge(all.clone()), all);
    }
}
