//! Extents that nothing bounds from below: products with an unknown that no fact bounds.
//!
//! In: an obligation. Out: the unknown whose value 0 makes the object empty under all facts. No proof exists then, unless
//! no path leads to the access, and a replay cannot choose the unknown. Sizes that a program reads into structures
//! behind containers are such: a search spends its whole budget on their products and still finds nothing.

use super::obligation::Obligation;
use base::reasons::UnknownReason;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, SymKind, TermId};
use rustc_hash::FxHashMap;

/// Maximum number of unknowns of an extent that are tried.
const MAX_TRIED: usize = 8;

/// Returns the reason of an unknown that makes the extent 0 and may be 0 itself, whatever the facts, the offset and the
/// width of the access are.
pub(crate) fn reason(a: &mut Arena, ob: &Obligation) -> Option<UnknownReason> {
    let candidates = a.symbols_of(&[ob.extent]);
    let unknowns: Vec<(SymId, UnknownReason)> = candidates
        .into_iter()
        .filter(|s| a.symbol(*s).range.contains_value(0))
        .filter_map(|s| match &a.symbol(s).kind {
            SymKind::Unknown { reason } | SymKind::Content { what: reason, .. } => Some((s, reason.clone())),
            _ => None,
        })
        .take(MAX_TRIED)
        .collect();
    if unknowns.is_empty() {
        return None;
    }
    let used = a.symbols_of(&[ob.offset, ob.bytes]);
    let facts = a.conjuncts(ob.facts);
    let zero = a.int(0);
    for (s, reason) in unknowns.into_iter().filter(|(s, _)| !used.contains(s)) {
        let factor = a.symbol_term(s);
        let none: FxHashMap<TermId, TermId> = [(factor, zero)].into_iter().collect();
        let mut done = FxHashMap::default();
        if a.substitute_more(ob.extent, &none, &mut done) != zero {
            continue;
        }
        let holds = |a: &mut Arena, fact: TermId, done: &mut FxHashMap<TermId, TermId>| {
            let without = a.substitute_more(fact, &none, done);
            without == fact || a.as_bool(without) == Some(true)
        };
        if facts.iter().all(|fact| holds(a, *fact, &mut done)) {
            return Some(reason);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Obligation, reason};
    use base::reasons::UnknownReason;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{SymKind, TermId};

    fn unknown(a: &mut Arena) -> TermId {
        a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "?", Interval::of_int(32, true))
    }

    #[test]
    fn a_size_with_a_factor_that_nothing_bounds_proves_nothing() {
        let mut a = Arena::new();
        let (x, y, i) = (unknown(&mut a), unknown(&mut a), unknown(&mut a));
        let eight = a.int(8);
        let xy = a.mul(x, y);
        let (extent, offset) = (a.mul(xy, eight), a.mul(i, eight));
        let (zero, large) = (a.int(0), a.int(1 << 40));
        // The allocation succeeded: it has no negative size, and no more bytes than the device.
        let facts = [a.le(zero, extent), a.le(extent, large), a.le(zero, i)];
        let facts = a.and_all(facts.to_vec());
        let ob = Obligation { facts, offset, bytes: eight, extent };
        assert_eq!(reason(&mut a, &ob), Some(UnknownReason::NoValue));

        // A guard bounds both factors, or each is in the offset.
        let guard = [a.lt(i, x), a.lt(i, y)];
        let facts = a.and_all([facts].into_iter().chain(guard).collect());
        assert_eq!(reason(&mut a, &Obligation { facts, ..ob.clone() }), None);
        let offset = a.mul(xy, i);
        assert_eq!(reason(&mut a, &Obligation { offset, ..ob.clone() }), None);
        // Not each part of the sum has the factor.
        let more = a.add(extent, eight);
        assert_eq!(reason(&mut a, &Obligation { extent: more, ..ob }), None);
    }
}
