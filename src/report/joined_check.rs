//! Joins checks that one operator lacks into one.
//!
//! In: checks of one operator, each a condition in contract syntax. Out: one condition that requires all of them, with
//! what they share stated once: the alternatives that excuse a call from each, and conditions that others imply.

use contracts::ast::{Comparison, CondKind, TermKind};
use contracts::{Cond, implies, parse};
use finding::MissingCheck;
use std::collections::{BTreeMap, BTreeSet};

/// Adds another check of the same operator to one.
pub fn require(check: &mut MissingCheck, other: &MissingCheck) {
    if check.condition == other.condition {
        return;
    }
    check.condition = match (parse(&check.condition), parse(&other.condition)) {
        (Ok(first), Ok(second)) => both(&first, &second).to_string(),
        _ => format!("({}) && ({})", check.condition, other.condition),
    };
    check.carriers.extend(other.carriers.iter().map(|(name, how)| (name.clone(), *how)));
    check.narrow.extend(other.narrow.iter().cloned());
    check.wide.extend(other.wide.iter().cloned());
    check.unsigned.extend(other.unsigned.iter().cloned());
}

/// Whether two checks ask the same tensor for different numbers of dimensions: no call would pass both.
pub fn is_of_other_ranks(check: &MissingCheck, other: &MissingCheck) -> bool {
    let (Ok(first), Ok(second)) = (parse(&check.condition), parse(&other.condition)) else { return false };
    let (first, second) = (ranks(&first), ranks(&second));
    first.iter().any(|(tensor, all)| second.get(tensor).is_some_and(|others| all.is_disjoint(others)))
}

/// Returns the numbers of dimensions that a condition asks tensors for.
fn ranks(condition: &Cond) -> BTreeMap<String, BTreeSet<i128>> {
    let mut all: BTreeMap<String, BTreeSet<i128>> = BTreeMap::new();
    let mut open = vec![condition];
    while let Some(c) = open.pop() {
        match &c.kind {
            CondKind::And(parts) | CondKind::Or(parts) => open.extend(parts),
            CondKind::Compare(Comparison::Eq, left, right) => {
                if let (TermKind::Method(of, _, asked, _), TermKind::Int(rank)) = (&left.kind, &right.kind)
                    && asked == "dim"
                {
                    all.entry(of.to_string()).or_default().insert(*rank);
                }
            }
            _ => {}
        }
    }
    all
}

/// Returns the conjunction of two conditions.
fn both(first: &Cond, second: &Cond) -> Cond {
    if implies(first, second) {
        return first.clone();
    }
    if implies(second, first) {
        return second.clone();
    }
    let (one, two) = (alternatives(first), alternatives(second));
    let shared: Vec<Cond> = one.iter().filter(|c| two.contains(c)).cloned().collect();
    if shared.is_empty() {
        return Cond::all(fewest(parts(first).into_iter().chain(parts(second)).collect()));
    }
    let rest = |all: Vec<Cond>| Cond::any(all.into_iter().filter(|c| !shared.contains(c)).collect());
    let joined = both(&rest(one), &rest(two));
    Cond::any(shared.into_iter().chain([joined]).collect())
}

fn alternatives(c: &Cond) -> Vec<Cond> {
    match &c.kind {
        CondKind::Or(all) => all.clone(),
        _ => vec![c.clone()],
    }
}

fn parts(c: &Cond) -> Vec<Cond> {
    match &c.kind {
        CondKind::And(all) => all.clone(),
        _ => vec![c.clone()],
    }
}

/// Drops conditions that others imply, of equivalent ones all but the first.
fn fewest(all: Vec<Cond>) -> Vec<Cond> {
    let mut kept: Vec<Cond> = vec![];
    for c in all {
        if !kept.iter().any(|k| implies(k, &c)) {
            kept.retain(|k| !implies(&c, k));
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{both, is_of_other_ranks};
    use contracts::parse;
    use finding::samples;

    #[test]
    fn checks_of_several_ranks_are_not_joined() {
        let check = |condition: &str| samples::check(&samples::finding(), condition);
        for (first, second, differ) in [
            ("x.dim() == 2 && x.size(1) == 5", "n == 0 || x.dim() == 1", true),
            ("x.dim() == 2 && x.size(1) == 5", "x.dim() == 2 && x.size(0) >= n", false),
            ("x.dim() == 2", "y.dim() == 1", false),
        ] {
            assert_eq!(is_of_other_ranks(&check(first), &check(second)), differ, "{first}, {second}");
        }
    }

    #[test]
    fn checks_are_joined_with_what_they_share_stated_once() {
        for (first, second, joined) in [
            ("x.numel() >= n", "x.is_contiguous()", "x.numel() >= n && x.is_contiguous()"),
            ("x.size(0) >= 3", "x.size(0) >= 7", "x.size(0) >= 7"),
            (
                "x.is_contiguous() && (n <= 1 || x.numel() >= m)",
                "x.is_contiguous() && (n <= 2 || x.numel() >= m + 9)",
                "x.is_contiguous() && (n <= 1 || x.numel() >= m) && (n <= 2 || x.numel() >= m + 9)",
            ),
            (
                "x.has_value() != 1 || x.is_contiguous() && x.numel() >= n",
                "x.has_value() != 1 || x.is_contiguous() && x.size(0) >= m",
                "x.has_value() != 1 || x.is_contiguous() && x.numel() >= n && x.size(0) >= m",
            ),
            ("mode != 1 || x.numel() >= n", "y.numel() >= n", "(mode != 1 || x.numel() >= n) && y.numel() >= n"),
            ("mode != 1 || x.numel() >= n", "mode != 1", "mode != 1"),
        ] {
            let [a, b] = [first, second].map(|text| parse(text).unwrap());
            assert_eq!(both(&a, &b).to_string(), joined);
        }
    }
}
