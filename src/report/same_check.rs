//! Merges the findings of one missing check, however many accesses it affects.
//!
//! In: the findings of a run, in order, with the checks that operators lack. Out: the worst of the findings that one
//! check would fix, with the positions of the others; checks of one argument are one list. Accesses are counted
//! separately.

use super::joined_check;
use super::suppress::{Suppressed, SuppressionReason};
use base::rules::Rule;
use contracts::{Cond, implies, parse};
use finding::{CheckedArgument, Finding, Position, Related, SAME_CHECK};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Rule that the accesses break, and position of the operator.
type OperatorKey = (Rule, Position);

fn operator(f: &Finding) -> Option<OperatorKey> {
    f.missing_check.as_ref().map(|m| (f.rule, m.function.clone()))
}

/// Replaces each finding's check by the strongest check of its operator that implies it: the weaker ones are then
/// redundant.
pub fn strengthen(findings: &mut [Finding]) {
    let mut operators: FxHashMap<OperatorKey, Vec<(String, Cond)>> = FxHashMap::default();
    for f in findings.iter() {
        let Some((operator, check)) = operator(f).zip(f.missing_check.as_ref()) else { continue };
        let all = operators.entry(operator).or_default();
        if all.iter().all(|(text, _)| *text != check.condition)
            && let Ok(condition) = parse(&check.condition)
        {
            all.push((check.condition.clone(), condition));
        }
    }
    for f in findings {
        let Some(all) = operator(f).and_then(|o| operators.get(&o)) else { continue };
        let Some(check) = &mut f.missing_check else { continue };
        let Some(mut at) = all.iter().position(|(text, _)| *text == check.condition) else { continue };
        let says = |a: usize, b: usize| implies(&all[a].1, &all[b].1);
        // Of two equivalent checks the first remains, so that this terminates.
        while let Some(more) = (0..all.len()).find(|i| *i != at && says(*i, at) && (*i < at || !says(at, *i))) {
            at = more;
        }
        check.condition.clone_from(&all[at].0);
    }
}

/// A missing check. If no condition was found: the contents of the index tensors that lead out of bounds, or the sizes
/// of the arguments, against the memory that they lead out of.
#[derive(PartialEq, Eq, Hash)]
enum AbsentCheck {
    Condition(OperatorKey, String),
    Contents { root: String, array: String, of: Vec<String> },
    Sizes { program: String, root: String, memory: (String, u32, u32, String) },
}

impl AbsentCheck {
    fn of(f: &Finding) -> Option<Self> {
        if let (Some(operator), Some(m)) = (operator(f), &f.missing_check) {
            return Some(Self::Condition(operator, m.condition.clone()));
        }
        let of: Vec<String> = f.tensors_read().map(str::to_owned).collect();
        let (root, array) = (f.root.clone(), f.access.array.clone());
        match f.rule {
            Rule::DataIndex if !of.is_empty() => Some(Self::Contents { root, array, of }),
            Rule::UncheckedArgument if !f.arguments.is_empty() => {
                let at = f.allocation.as_ref()?;
                let memory = (at.file.clone(), at.line, at.column, at.extent.clone());
                Some(Self::Sizes { program: f.program.clone(), root, memory })
            }
            _ => None,
        }
    }
}

/// Merges the findings of one check. A comment that accepts the representative finding accepts all of them, and so does
/// a baseline with any of them. A comment at another position accepts only that position, and scuba.toml's rules for a
/// path apply to that path only. The findings are unordered.
#[must_use]
pub fn join(reported: Vec<Finding>, suppressed: Vec<Suppressed>) -> (Vec<Finding>, Vec<Suppressed>) {
    let all = reported.into_iter().map(|f| (f, None)).chain(suppressed.into_iter().map(|s| (s.finding, Some(s.by))));
    let mut groups: Vec<Vec<(Finding, Option<SuppressionReason>)>> = vec![];
    let mut known: FxHashMap<AbsentCheck, usize> = FxHashMap::default();
    for (f, by) in all {
        match AbsentCheck::of(&f) {
            Some(lack) => {
                let at = *known.entry(lack).or_insert(groups.len());
                if at == groups.len() {
                    groups.push(vec![]);
                }
                groups[at].push((f, by));
            }
            None => groups.push(vec![(f, by)]),
        }
    }
    let (mut reported, mut suppressed) = (vec![], vec![]);
    for group in groups {
        let is_of_path = |by: &Option<SuppressionReason>| matches!(by, Some(SuppressionReason::Path { .. }));
        let (of_paths, mut group): (Vec<_>, Vec<_>) = group.into_iter().partition(|(_, by)| is_of_path(by));
        suppressed.extend(of_paths.into_iter().filter_map(|(finding, by)| Some(Suppressed { finding, by: by? })));
        group.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
        let in_baseline = group.iter().find_map(|(_, by)| by.clone().filter(|by| *by == SuppressionReason::Baseline));
        let first = group.first().and_then(|(_, by)| by.clone());
        if let Some(by) = first.or(in_baseline) {
            suppressed
                .extend(group.into_iter().map(|(finding, own)| Suppressed { finding, by: own.unwrap_or(by.clone()) }));
            continue;
        }
        let mut group = group.into_iter();
        let Some((mut leader, _)) = group.next() else { continue };
        for (finding, by) in group {
            if let Some(by) = by {
                suppressed.push(Suppressed { finding, by });
                continue;
            }
            let position = finding.access.position;
            leader.related.push(Related { position, what: SAME_CHECK.into(), inner: false });
        }
        reported.push(leader);
    }
    (reported, suppressed)
}

/// An argument of an operator that lacks checks, with the rule that accesses break.
type ArgumentKey = (OperatorKey, CheckedArgument);

/// Joins the findings of checks that one argument of an operator lacks: the worst remains, with all checks and the
/// positions of the others. Returns the others, too: each was accepted, or not, by itself.
#[must_use]
pub fn join_arguments(findings: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    let mut groups: Vec<Vec<Finding>> = vec![];
    let mut known: FxHashMap<ArgumentKey, usize> = FxHashMap::default();
    for f in findings {
        let key: Option<ArgumentKey> = operator(&f).zip(f.checked_argument());
        let at = key.map_or(groups.len(), |key| *known.entry(key).or_insert(groups.len()));
        if at == groups.len() {
            groups.push(vec![]);
        }
        groups[at].push(f);
    }
    let (mut reported, mut joined) = (vec![], vec![]);
    for mut group in groups {
        group.sort_by(|a, b| order(a).cmp(&order(b)));
        let mut group = group.into_iter();
        let Some(mut leader) = group.next() else { continue };
        for finding in group {
            if let (Some(check), Some(other)) = (&mut leader.missing_check, &finding.missing_check) {
                if joined_check::is_of_other_ranks(check, other) {
                    reported.push(finding);
                    continue;
                }
                joined_check::require(check, other);
            }
            let position = finding.access.position.clone();
            leader.related.push(Related { position, what: SAME_CHECK.into(), inner: false });
            leader.related.extend(finding.related.iter().filter(|r| r.what == SAME_CHECK).cloned());
            joined.push(finding);
        }
        reported.push(leader);
    }
    (reported, joined)
}

/// Sort key: the worst first, then by position.
fn order(f: &Finding) -> impl Ord + use<'_> {
    let p = &f.access.position;
    (Reverse(f.verdict), f.degenerate, &p.file, p.line, p.column, &f.access.array, &f.program)
}

#[cfg(test)]
mod tests {
    use super::{join, join_arguments, strengthen};
    use crate::suppress::{Suppressed, SuppressionReason};
    use base::rules::Rule;
    use finding::samples;
    use finding::{Finding, MissingCheck, SAME_CHECK, TensorArgument, Verdict};

    fn lacks(line: u32, condition: &str) -> Finding {
        let mut f = samples::finding();
        f.rule = Rule::UncheckedArgument;
        f.access.position.line = line;
        let mut function = f.access.position.clone();
        function.line = 1;
        f.missing_check = Some(MissingCheck { function, ..samples::check(&f, condition) });
        f
    }

    fn lines(f: &Finding) -> Vec<u32> {
        f.related.iter().filter(|r| r.what == SAME_CHECK).map(|r| r.position.line).collect()
    }

    #[test]
    fn one_check_makes_one_finding_with_the_other_places() {
        let mut worst = lacks(9, "x.numel() >= n");
        worst.verdict = Verdict::Proved;
        let mut all = vec![lacks(7, "x.numel() >= n"), lacks(8, "y.numel() >= n"), worst, samples::finding()];
        all[0].verdict = Verdict::Possible;
        all[3].access.position.line = 30;
        let (reported, _) = join(all, vec![]);
        let mut told: Vec<_> = reported.iter().map(|f| (f.access.position.line, lines(f))).collect();
        told.sort_unstable();
        assert_eq!(told, [(8, vec![]), (9, vec![7]), (30, vec![])]);
    }

    #[test]
    fn a_check_that_follows_from_another_goes_with_it() {
        let mut all = vec![
            lacks(7, "3 * x.size(0) <= y.numel() + 1"),
            lacks(8, "x.size(0) <= z.numel()"),
            lacks(9, "3 * x.size(0) <= y.numel()"),
            lacks(10, "3 * x.size(0) <= y.numel() + 2"),
        ];
        let mut elsewhere = lacks(11, "3 * x.size(0) <= y.numel() + 2");
        elsewhere.missing_check.as_mut().unwrap().function.line = 2;
        all.push(elsewhere);
        strengthen(&mut all);
        let (reported, _) = join(all, vec![]);
        let told: Vec<_> =
            reported.iter().map(|f| (lines(f), f.missing_check.as_ref().unwrap().condition.as_str())).collect();
        assert_eq!(
            told,
            [
                (vec![9, 10], "3 * x.size(0) <= y.numel()"),
                (vec![], "x.size(0) <= z.numel()"),
                (vec![], "3 * x.size(0) <= y.numel() + 2"),
            ]
        );
    }

    #[test]
    fn one_index_tensor_makes_one_finding_of_what_it_leads_out_of() {
        let leads = |line: u32, array: &str| {
            let mut f = lacks(line, "");
            (f.rule, f.missing_check, f.access.array) = (Rule::DataIndex, None, array.into());
            let elements = [(0, 9)].into();
            let index =
                TensorArgument { dtype: "int64".into(), sizes: vec![1], strides: vec![1], on_device: true, elements };
            f.arguments.insert("index".into(), index);
            f
        };
        let mut of_sizes = leads(10, "x");
        of_sizes.arguments.clear();
        let (reported, _) = join(vec![leads(7, "x"), leads(8, "y"), leads(9, "x"), of_sizes], vec![]);
        let told: Vec<_> = reported.iter().map(|f| (f.access.position.line, lines(f))).collect();
        assert_eq!(told, [(7, vec![9]), (8, vec![]), (10, vec![])]);
    }

    #[test]
    fn sizes_without_a_stated_check_make_one_finding_for_each_memory() {
        let leaves = |line: u32, extent: &str| {
            let mut f = lacks(line, "");
            f.missing_check = None;
            let t = |sizes: Vec<i64>| TensorArgument {
                dtype: "float32".into(),
                strides: vec![1; sizes.len()],
                sizes,
                on_device: true,
                elements: std::collections::BTreeMap::new(),
            };
            f.arguments.insert("x".into(), t(vec![2]));
            f.allocation.as_mut().unwrap().extent = extent.into();
            f
        };
        let mut alone = leaves(11, "extent(x.data_ptr())");
        alone.arguments.clear();
        let all = vec![
            leaves(7, "extent(x.data_ptr())"),
            leaves(8, "extent(y.data_ptr())"),
            leaves(9, "extent(x.data_ptr())"),
            alone,
        ];
        let (reported, _) = join(all, vec![]);
        let told: Vec<_> = reported.iter().map(|f| (f.access.position.line, lines(f))).collect();
        assert_eq!(told, [(7, vec![9]), (8, vec![]), (11, vec![])]);
    }

    #[test]
    fn checks_of_one_argument_are_one_finding() {
        let of = |line: u32, memory: &str, condition: &str| {
            let mut f = lacks(line, condition);
            f.allocation.as_mut().unwrap().extent = format!("extent({memory}.data_ptr())");
            f.arguments = [(memory.to_owned(), samples::tensor())].into();
            f
        };
        let mut all = vec![
            of(9, "x", "n <= 2 || x.numel() >= m + 9"),
            of(8, "y", "y.numel() >= m"),
            of(7, "x", "n <= 1 || x.numel() >= m"),
            of(10, "x", "n <= 2 || x.numel() >= m + 9"),
        ];
        all[0].verdict = Verdict::Possible;
        let mut other = of(11, "x", "x.numel() >= k");
        other.missing_check.as_mut().unwrap().function.line = 2;
        all.push(other);
        let (reported, _) = join(all, vec![]);
        let (reported, joined) = join_arguments(reported);
        let condition = |f: &Finding| f.missing_check.as_ref().unwrap().condition.clone();
        let told: Vec<_> = reported.iter().map(|f| (f.access.position.line, lines(f), condition(f))).collect();
        let all_of_x = "(n <= 1 || x.numel() >= m) && (n <= 2 || x.numel() >= m + 9)".to_owned();
        assert_eq!(
            told,
            [(7, vec![10, 9], all_of_x), (8, vec![], "y.numel() >= m".into()), (11, vec![], "x.numel() >= k".into()),]
        );
        let joined: Vec<_> = joined.iter().map(|f| (f.access.position.line, condition(f))).collect();
        assert_eq!(joined, [(10, "n <= 2 || x.numel() >= m + 9".into())], "each with its own check");
    }

    #[test]
    fn who_accepts_the_finding_accepts_its_places() {
        let [a, b] = [lacks(7, "x.numel() >= n"), lacks(8, "x.numel() >= n")];
        let comment = || SuppressionReason::Comment { reason: "why".into() };
        let by = |finding: &Finding, by| vec![Suppressed { finding: finding.clone(), by }];
        let (reported, suppressed) = join(vec![b.clone()], by(&a, comment()));
        assert_eq!((reported.len(), suppressed.len()), (0, 2));
        let (reported, suppressed) = join(vec![a.clone()], by(&b, comment()));
        assert_eq!((lines(&reported[0]), suppressed.len()), (vec![], 1), "only its own place");
        let (reported, suppressed) = join(vec![a], by(&b, SuppressionReason::Baseline));
        assert_eq!((reported.len(), suppressed.len()), (0, 2), "the one that speaks for them may be another one now");
    }

    #[test]
    fn what_is_said_of_a_path_silences_nothing_elsewhere() {
        let [a, b] = [lacks(7, "x.numel() >= n"), lacks(8, "x.numel() >= n")];
        let by = SuppressionReason::Path { reason: "theirs".into() };
        let (reported, suppressed) = join(vec![b], vec![Suppressed { finding: a, by }]);
        assert_eq!((reported.len(), reported[0].access.position.line, suppressed.len()), (1, 8, 1));
    }
}
