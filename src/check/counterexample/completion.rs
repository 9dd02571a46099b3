//! Values of inputs that a model leaves unset: from the conditions under which an access is reached, as far as these
//! are plain equations and bounds.
//!
//! A proof of a failure uses only the facts that matter for it; a run must also satisfy the others, such as a check
//! that two tensors have the same type. In: conditions, and the known values. Out: values for other symbols. They are
//! a guess; a run decides.

use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use std::collections::BTreeMap;

/// A condition `sum + constant == 0`, or `<= 0`, over symbols alone, each with a factor.
struct LinearCondition {
    equation: bool,
    symbols: Vec<(SymId, i128)>,
    constant: i128,
}

impl LinearCondition {
    /// Returns the only unknown symbol with its factor and the sum of the other terms; `None` where there are none or
    /// several.
    fn open(&self, known: &BTreeMap<SymId, i128>) -> Option<(SymId, i128, i128)> {
        let mut open = None;
        let mut sum = self.constant;
        for (s, factor) in &self.symbols {
            match known.get(s) {
                Some(v) => sum = sum.checked_add(factor.checked_mul(*v)?)?,
                None if open.is_none() => open = Some((*s, *factor)),
                None => return None,
            }
        }
        open.map(|(s, factor)| (s, factor, sum))
    }
}

/// Adds values within range for these symbols. Each comes with its default; a symbol without default stays unset
/// unless an equation determines it.
pub(super) fn complete(
    a: &Arena,
    conditions: &[TermId],
    known: &mut BTreeMap<SymId, i128>,
    symbols: &[(SymId, Option<i128>)],
) {
    let rows = rows(a, conditions);
    let mut left: Vec<(SymId, Option<i128>)> =
        symbols.iter().copied().filter(|(s, _)| !known.contains_key(s)).collect();
    loop {
        // Symbols that equations determine.
        let forced = rows.iter().filter(|r| r.equation).find_map(|r| {
            let (s, factor, sum) = r.open(known)?;
            (sum % factor == 0 && left.iter().any(|(l, _)| *l == s)).then_some((s, -sum / factor))
        });
        let (s, value) = match forced {
            Some(found) => found,
            None => {
                let Some((s, otherwise)) = left.iter().find_map(|(s, o)| Some((*s, (*o)?))) else { return };
                let range = a.symbol(s).range;
                let (mut least, mut most) = (range.lo.unwrap_or(i128::MIN), range.hi.unwrap_or(i128::MAX));
                for row in rows.iter().filter(|r| !r.equation) {
                    match row.open(known) {
                        // factor * s + sum <= 0
                        Some((of, factor, sum)) if of == s && factor > 0 => most = most.min((-sum).div_euclid(factor)),
                        Some((of, factor, sum)) if of == s => {
                            least = least.max(sum.div_euclid(-factor) + i128::from(sum.rem_euclid(-factor) != 0));
                        }
                        _ => {}
                    }
                }
                (s, if least <= most { otherwise.clamp(least, most) } else { otherwise })
            }
        };
        left.retain(|(l, _)| *l != s);
        known.insert(s, value);
    }
}

fn rows(a: &Arena, conditions: &[TermId]) -> Vec<LinearCondition> {
    let mut open = conditions.to_vec();
    let mut out = vec![];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(t) = open.pop() {
        if !seen.insert(t) {
            continue;
        }
        match a.get(t) {
            Term::And(all) => open.extend(all.iter().copied()),
            Term::EqZ(p) => out.extend(row(a, *p, true)),
            Term::Le(p) => out.extend(row(a, *p, false)),
            _ => {}
        }
    }
    out
}

fn row(a: &Arena, t: TermId, equation: bool) -> Option<LinearCondition> {
    let mut row = LinearCondition { equation, symbols: vec![], constant: 0 };
    let symbol = |t: TermId| if let Term::Sym(s) = a.get(t) { Some(*s) } else { None };
    match a.get(t) {
        Term::Poly(p) => {
            for (monomial, factor) in &p.terms {
                match monomial.as_slice() {
                    [] => row.constant = *factor,
                    [one] => row.symbols.push((symbol(*one)?, *factor)),
                    _ => return None,
                }
            }
        }
        _ => row.symbols.push((symbol(t)?, 1)),
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::complete;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{SymKind, Term};
    use std::collections::BTreeMap;

    #[test]
    fn equations_and_bounds_say_what_is_left_open() {
        let mut a = Arena::default();
        let mut symbol = |name: &str| {
            let t = a.fresh(SymKind::Iteration { name: name.into() }, name, Interval::new(0, 100));
            let Term::Sym(s) = a.get(t) else { unreachable!("a symbol") };
            (t, *s)
        };
        let (x, xs) = symbol("x");
        let (y, ys) = symbol("y");
        let (z, zs) = symbol("z");
        let (same, two) = (a.eq(x, y), a.int(2));
        let least = a.le(two, z);
        let all = a.and(same, least);
        let mut known = BTreeMap::from([(xs, 7)]);
        complete(&a, &[all], &mut known, &[(ys, Some(1)), (zs, Some(1))]);
        assert_eq!(known, BTreeMap::from([(xs, 7), (ys, 7), (zs, 2)]));
    }
}
