//! An access to a tensor, dimension by dimension.
//!
//! In: an offset into the storage of a packed tensor, and the tensor's sizes. Out: bounds on each dimension's index
//! that together suffice (delinearisation; Grosser, Ramanujam, Pouchet, Sadayappan and Pop, "Optimistic
//! Delinearization of Parametrically Sized Arrays", ICS 2015). This module decides nothing.

use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Monomial, Poly, Term, TermId};

/// Returns, for each dimension, the condition that its index is at least 0 and less than its size; an access takes
/// `width` elements of `bytes` bytes, which follow one another in the last dimension. `None` where the offset is no sum of whole strides, or contains only the last dimension's stride:
/// then it counts the elements of all dimensions. For one dimension only quotients are worth splitting.
pub(super) fn goals(
    a: &mut Arena,
    offset: TermId,
    (bytes, width): (i128, i128),
    sizes: &[TermId],
) -> Option<Vec<TermId>> {
    let strides: Vec<Stride> = (1..=sizes.len()).map(|k| stride(a, &sizes[k..])).collect();
    let split = split(a, offset, (bytes, width), sizes, &strides)?;
    let strided = split.indices.iter().rev().skip(1).any(|index| !a.poly(*index).terms.is_empty());
    let has_quotient = |a: &Arena| a.cone(&[offset]).iter().any(|t| matches!(a.get(*t), Term::Div(..) | Term::Rem(..)));
    (strided || sizes.len() == 1 && has_quotient(a)).then_some(split.goals)
}

/// Returns the same for a tensor that is indexed by its own strides, whatever its layout: its sizes with its strides.
/// `None` where no stride in the offset is unknown. The offset of the first element has none.
pub(super) fn goals_of_strides(
    a: &mut Arena,
    offset: TermId,
    (bytes, width): (i128, i128),
    dimensions: &[(TermId, TermId)],
) -> Option<Vec<TermId>> {
    let mut known: Vec<(Stride, TermId)> = vec![];
    for (size, stride) in dimensions {
        let [(factors, by @ 1..)] = &a.poly(*stride).terms[..] else { return None };
        known.push(((*by, factors.clone()), *size));
    }
    // An unknown stride is recognised in any order, a constant one divides what others leave.
    known.sort_by_key(|((by, factors), _)| (factors.is_empty(), std::cmp::Reverse(*by)));
    let (strides, sizes): (Vec<Stride>, Vec<TermId>) = known.into_iter().unzip();
    if width > 1 && strides.last().is_none_or(|(by, factors)| *by != 1 || !factors.is_empty()) {
        return None;
    }
    let split = split(a, offset, (bytes, width), &sizes, &strides)?;
    let unknown: Vec<TermId> = strides.into_iter().flat_map(|(_, factors)| factors).collect();
    let cone = a.cone(&split.indices);
    let is_split = !cone.iter().any(|t| unknown.contains(t));
    let is_first = a.as_int(offset) == Some(0) && !unknown.is_empty();
    (is_split && (is_first || a.cone(&[offset]).iter().any(|t| unknown.contains(t)))).then_some(split.goals)
}

/// Elements between neighbours in one dimension: a number, and factors.
type Stride = (i128, Monomial);

/// An offset, split into dimensions.
struct SplitOffset {
    indices: Vec<TermId>,
    goals: Vec<TermId>,
}

/// Splits an offset into whole strides; `None` where something is left.
fn split(
    a: &mut Arena,
    offset: TermId,
    (bytes, width): (i128, i128),
    sizes: &[TermId],
    strides: &[Stride],
) -> Option<SplitOffset> {
    let mut rest = a.poly(offset).terms;
    for (_, c) in &mut rest {
        if *c % bytes != 0 {
            return None;
        }
        *c /= bytes;
    }
    let (mut goals, mut indices) = (vec![], vec![]);
    for (k, (size, (by, factors))) in sizes.iter().zip(strides).enumerate() {
        let (mut index, mut others) = (vec![], vec![]);
        for (m, c) in rest {
            match without(&m, factors) {
                // A constant splits into whole strides and a remainder.
                Some(left) if m.is_empty() => {
                    index.push((left, c.div_euclid(*by)));
                    others.push((m, c.rem_euclid(*by)));
                }
                Some(left) if c % by == 0 => index.push((left, c / by)),
                _ => others.push((m, c)),
            }
        }
        index.retain(|(_, c)| *c != 0);
        others.retain(|(_, c)| *c != 0);
        rest = others;
        index.sort_unstable();
        let index = a.from_poly(Poly { terms: index });
        let zero = a.int(0);
        let last = if k + 1 == sizes.len() { a.add_const(index, width - 1) } else { index };
        goals.extend([a.le(zero, index), a.lt(last, *size)]);
        indices.push(index);
    }
    rest.is_empty().then_some(SplitOffset { indices, goals })
}

/// Adds facts on the divisors in the goals: a product of sizes that is a divisor has no zero factor.
pub(super) fn with_divisors(a: &mut Arena, facts: TermId, goals: &[TermId]) -> TermId {
    let mut factors: Vec<TermId> = vec![];
    for t in a.cone(goals) {
        let (Term::Div(_, by) | Term::Rem(_, by)) = a.get(t) else { continue };
        if let [(m, _)] = a.poly(*by).terms.as_slice() {
            factors.extend(m.iter().filter(|f| a.range(**f).lo.is_some_and(|lo| lo >= 0)));
        }
    }
    factors.sort_unstable();
    factors.dedup();
    let one = a.int(1);
    let mut all = vec![facts];
    all.extend(factors.into_iter().map(|f| a.le(one, f)));
    a.and_all(all)
}

/// Returns the stride of a dimension in elements, as a constant and its factors: the sizes of all later dimensions.
fn stride(a: &Arena, behind: &[TermId]) -> Stride {
    let (mut by, mut factors) = (1, Monomial::new());
    for size in behind {
        match a.as_int(*size) {
            Some(n) if n > 0 => by *= n,
            _ => factors.push(*size),
        }
    }
    (by, factors)
}

/// Removes these factors from a product; `None` where one of them does not occur.
fn without(m: &Monomial, factors: &[TermId]) -> Option<Monomial> {
    let mut left = m.clone();
    for f in factors {
        let at = left.iter().position(|x| x == f)?;
        left.remove(at);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::goals;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{SymKind, TermId};

    fn number(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Iteration { name: name.into() }, name, Interval::new(0, 1 << 40))
    }

    #[test]
    fn an_offset_is_taken_apart_by_the_strides_of_its_dimensions() {
        let mut a = Arena::new();
        let [n, h, w, b, i, j] = ["n", "h", "w", "b", "i", "j"].map(|name| number(&mut a, name));
        let three = a.int(3);
        // Access float x[n][h][w][3]: x[b][i][j + 1][2].
        let one = a.int(1);
        let column = a.add(j, one);
        let (plane, row) = (a.mul(h, w), a.mul(i, w));
        let of_b = a.mul(b, plane);
        let pixel = a.add(of_b, row);
        let pixel = a.add(pixel, column);
        let element = a.scale(pixel, 3);
        let two = a.int(2);
        let element = a.add(element, two);
        let offset = a.scale(element, 4);
        let found = goals(&mut a, offset, (4, 1), &[n, h, w, three]).expect("whole strides");
        let zero = a.int(0);
        let mut expected = vec![];
        for (index, size) in [(b, n), (i, h), (column, w), (two, three)] {
            expected.extend([a.le(zero, index), a.lt(index, size)]);
        }
        assert_eq!(found, expected);
        assert_eq!(goals(&mut a, offset, (4, 1), &[n]), None, "one dimension");
        assert_eq!(goals(&mut a, element, (4, 1), &[n, h, w, three]), None, "no whole elements");
    }

    #[test]
    fn an_access_of_several_elements_ends_in_its_row() {
        let mut a = Arena::new();
        let [n, f] = ["n", "f"].map(|name| number(&mut a, name));
        let (zero, one, three) = (a.int(0), a.int(1), a.int(3));
        // Access float x[n][3][3] by float3: x[f][1].
        let rows = a.scale(f, 3);
        let row = a.add(rows, one);
        let offset = a.scale(row, 12);
        let found = goals(&mut a, offset, (4, 3), &[n, three, three]).expect("whole strides");
        assert_eq!(found[..2], [a.le(zero, f), a.lt(f, n)]);
        assert!(found[2..].iter().all(|goal| a.as_bool(*goal) == Some(true)));
        let found = goals(&mut a, offset, (4, 4), &[n, three, three]).expect("whole strides");
        assert!(found.iter().any(|goal| a.as_bool(*goal) == Some(false)), "four elements leave a row of three");
    }
}
