//! Facts about products of integers in memory, instantiated on demand.
//!
//! In: quantified facts about elements, and terms with products. Out: facts that follow. Products of elements that are
//! pairwise equal are equal; a product that is not zero has no part that is zero; a product of numbers that are not
//! negative is not negative.

use super::products::{ElementProduct, ElementRun};
use super::quantified_facts::QuantifiedFact;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of products for which one query gets facts.
const MAX: usize = 16;

/// Quantified fact about elements: each of the first `count` has the property, or one of the other conditions holds.
#[derive(Clone, Debug)]
struct ElementFact {
    count: TermId,
    otherwise: Vec<TermId>,
    property: ElementProperty,
}

#[derive(Clone, Copy, Debug)]
enum ElementProperty {
    /// Elements with the same index are equal.
    Equal(ElementRun, ElementRun),
    /// Each is at least a number, which is not negative.
    AtLeast(ElementRun, i128),
}

/// Facts about the products below the roots; `None` if there are none.
pub fn instances(a: &mut Arena, always: &[QuantifiedFact], roots: &[TermId]) -> Option<TermId> {
    let cone = a.cone(roots);
    let mut originals: Vec<ElementProduct> = cone.iter().filter_map(|t| ElementProduct::of_term(a, *t)).collect();
    if originals.is_empty() {
        return None;
    }
    originals.truncate(MAX);
    let mut known = Known::of_roots(a, roots);
    let mut products = vec![];
    for product in &originals {
        let plain = a.substitute(product.term, &known.equal);
        let same = a.eq(product.term, plain);
        known.add(a, vec![same]);
        if let Some(factors) = ElementProduct::of_term(a, plain).and_then(|plain| plain.factors(a)) {
            let mut all = a.int(1);
            for factor in factors {
                let factor = a.substitute(factor, &known.equal);
                all = a.mul(all, factor);
            }
            let same = a.eq(product.term, all);
            known.add(a, vec![same]);
        }
        products.extend(ElementProduct::of_term(a, plain).filter(|plain| !products.contains(plain)));
    }
    let mut facts = vec![];
    for fact in always {
        let fact = fact.map(|t| a.substitute(t, &known.equal));
        facts.extend(element_facts(a, &fact));
    }
    let mut next = 0;
    while let Some(product) = products.get(next).copied() {
        next += 1;
        of_few(a, &product, &cone, &mut known);
        for fact in &facts {
            match fact.property {
                ElementProperty::Equal(x, y) => {
                    for (x, y) in [(x, y), (y, x)] {
                        let Some(other) = equal_product(a, &product, (fact, &x, &y), &mut known) else { continue };
                        if products.len() < MAX && !products.contains(&other) {
                            products.push(other);
                        }
                    }
                }
                ElementProperty::AtLeast(x, least) => {
                    let Some((outside, _)) = product.not_within(a, &x, fact.count) else { continue };
                    let least = a.int(least.min(1));
                    let large = a.le(least, product.term);
                    known.add(a, [&fact.otherwise[..], &[outside, large]].concat());
                }
            }
        }
    }
    // Interpretations of products, of those of equal elements too.
    let mut read: Vec<(u32, bool)> = cone
        .iter()
        .filter_map(|t| a.reading(*t))
        .filter(|(arg, ..)| originals.iter().any(|product| product.term == *arg))
        .map(|(_, bits, signed)| (bits, signed))
        .collect();
    read.sort_unstable();
    read.dedup();
    for whole in &products {
        for part in &products {
            of_part(a, whole, part, &read, &mut known);
        }
    }
    (!known.new.is_empty()).then(|| a.and_all(known.new))
}

/// Conditions that hold, and facts that follow from them.
struct Known {
    conditions: FxHashSet<TermId>,
    /// Maps terms to those that the conditions say are equal.
    equal: FxHashMap<TermId, TermId>,
    new: Vec<TermId>,
}

impl Known {
    fn of_roots(a: &mut Arena, roots: &[TermId]) -> Self {
        let conditions: Vec<TermId> =
            roots.iter().filter(|t| a.is_boolean(**t)).flat_map(|t| a.conjuncts(*t)).collect();
        let mut equal: FxHashMap<TermId, TermId> = FxHashMap::default();
        for c in &conditions {
            let Some((x, y)) = equal_values(a, *c) else { continue };
            let [x, y] = [x, y].map(|t| equal.get(&t).copied().unwrap_or(t));
            if x == y {
                continue;
            }
            // The one with the narrower range shows more.
            let (from, to) = if a.range(y).contains(a.range(x)) { (y, x) } else { (x, y) };
            equal.values_mut().filter(|t| **t == from).for_each(|t| *t = to);
            equal.insert(from, to);
        }
        let mut plain = conditions.clone();
        a.substitute_all(&mut plain, &equal);
        let conditions = conditions.into_iter().chain(plain.into_iter().flat_map(|c| a.conjuncts(c))).collect();
        Self { conditions, equal, new: vec![] }
    }

    /// Adds that one of the sides holds.
    fn add(&mut self, a: &mut Arena, sides: Vec<TermId>) {
        let whole = a.or_all(sides);
        let sides = if let Term::Or(sides) = a.get(whole) { sides.clone() } else { vec![whole] };
        if sides.iter().any(|side| self.conditions.contains(side)) {
            return;
        }
        let mut open = vec![];
        for side in sides {
            let not = a.not(side);
            if !a.conjuncts(not).iter().any(|c| !self.conditions.contains(c)) {
                continue;
            }
            open.push(side);
        }
        let fact = a.or_all(open);
        if a.as_bool(fact) != Some(true) && !self.new.contains(&fact) {
            self.new.push(fact);
        }
    }
}

/// Symbol or value in memory, and another one or a number that a condition says is equal to it.
fn equal_values(a: &mut Arena, condition: TermId) -> Option<(TermId, TermId)> {
    let Term::EqZ(t) = *a.get(condition) else { return None };
    let p = a.poly(t);
    let is_symbol = |t: TermId| {
        let content = |t: &Term| matches!(t, Term::Apply { function: UninterpretedFunction::Content, .. });
        (matches!(a.get(t), Term::Sym(_)) || content(a.get(t))).then_some(t)
    };
    let constant = p.constant();
    let symbols: Vec<(TermId, i128)> = p
        .terms
        .iter()
        .filter_map(|(m, c)| if let [one] = m[..] { Some((is_symbol(one)?, *c)) } else { None })
        .collect();
    if symbols.len() + usize::from(constant != 0) != p.terms.len() {
        return None;
    }
    match symbols[..] {
        [(x, f), (y, g)] if constant == 0 && f == -g => Some((x, y)),
        [(x, f)] if constant % f == 0 => Some((x, a.int(-(constant / f)))),
        _ => None,
    }
}

/// Adds what a product is of no element, and of one that is read.
fn of_few(a: &mut Arena, product: &ElementProduct, cone: &[TermId], known: &mut Known) {
    let one = a.int(1);
    let first = product.run.product(a, one);
    let (some, is_one) = (a.le(one, product.count), a.eq(product.term, one));
    known.add(a, vec![some, is_one]);
    if cone.contains(&first) {
        let (several, is_first) = (a.ne(product.count, one), a.eq(product.term, first));
        known.add(a, vec![several, is_first]);
    }
}

/// Adds that a product of elements `x` is that of the elements `y` with the same indices, which it returns.
fn equal_product(
    a: &mut Arena,
    product: &ElementProduct,
    (fact, x, y): (&ElementFact, &ElementRun, &ElementRun),
    known: &mut Known,
) -> Option<ElementProduct> {
    let (outside, j) = product.not_within(a, x, fact.count)?;
    if a.as_bool(outside) == Some(true) || known.conditions.contains(&outside) {
        return None;
    }
    let bytes = y.bytes(a)?;
    let moved = a.scale(j, bytes);
    let from = a.add(y.from, moved);
    let other = ElementProduct::new(a, y.at(from), product.count);
    let same = a.eq(product.term, other.term);
    known.add(a, [&fact.otherwise[..], &[outside, same]].concat());
    // A product of one element is no product any more.
    ElementProduct::of_term(a, other.term)
}

/// Adds what a product of some of the elements of another one has to do with it. A part of a product that is not zero is
/// no more than it, but for the sign; and where a power of two divides the part, it divides the whole.
fn of_part(a: &mut Arena, whole: &ElementProduct, part: &ElementProduct, read: &[(u32, bool)], known: &mut Known) {
    if whole == part {
        return;
    }
    let Some((outside, first)) = part.not_within(a, &whole.run, whole.count) else { return };
    if a.as_bool(outside) == Some(true) || known.conditions.contains(&outside) {
        return;
    }
    let zero = a.int(0);
    let (is_zero, not) = (a.eq(whole.term, zero), a.neg(whole.term));
    let some = a.ne(part.term, zero);
    known.add(a, vec![outside, is_zero, some]);
    for t in [part.term, a.neg(part.term)] {
        let (below, above) = (a.le(t, whole.term), a.le(t, not));
        known.add(a, vec![outside, is_zero, below, above]);
    }
    let (elsewhere, shorter) = (a.ne(first, zero), a.ne(part.count, whole.count));
    let same = a.eq(whole.term, part.term);
    known.add(a, vec![elsewhere, shorter, same]);
    for (bits, signed) in read {
        let [of_whole, of_part] = [whole.term, part.term].map(|t| a.wrap(t, *bits, *signed));
        let (divides, whole_too) = (a.ne(of_part, zero), a.eq(of_whole, zero));
        known.add(a, vec![outside, divides, whole_too]);
    }
}

/// Facts about elements that a quantified fact implies.
fn element_facts(a: &mut Arena, fact: &QuantifiedFact) -> Vec<ElementFact> {
    let (k, [count, cond]) = (fact.index(), fact.terms());
    let mut out = vec![];
    for c in a.conjuncts(cond) {
        let sides = if let Term::Or(sides) = a.get(c) { sides.clone() } else { vec![c] };
        let (of_elements, otherwise): (Vec<TermId>, Vec<TermId>) =
            sides.into_iter().partition(|side| a.cone(&[*side]).contains(&k));
        if let [one] = of_elements[..]
            && let Some(property) = element_property(a, one, k)
        {
            out.push(ElementFact { count, otherwise, property });
        }
    }
    out
}

/// Property of element number `k` that a condition states.
fn element_property(a: &mut Arena, condition: TermId, k: TermId) -> Option<ElementProperty> {
    let (Term::EqZ(t) | Term::Le(t)) = *a.get(condition) else { return None };
    let is_equation = matches!(a.get(condition), Term::EqZ(_));
    let p = a.poly(t);
    let constant = p.constant();
    let elements: Vec<(TermId, i128)> =
        p.terms.iter().filter_map(|(m, c)| if let [one] = m[..] { Some((one, *c)) } else { None }).collect();
    if elements.len() + usize::from(constant != 0) != p.terms.len() {
        return None;
    }
    match (is_equation, elements[..].as_ref()) {
        (true, &[(x, f), (y, g)]) if constant == 0 && f.abs() == 1 && f == -g => {
            let (x, y) = (ElementRun::of_element(a, x, k)?, ElementRun::of_element(a, y, k)?);
            Some(ElementProperty::Equal(x, y))
        }
        // constant - x <= 0
        (false, &[(x, -1)]) if constant >= 0 => {
            Some(ElementProperty::AtLeast(ElementRun::of_element(a, x, k)?, constant))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::instances;
    use crate::symbolic::loops::products::ElementRun;
    use crate::symbolic::loops::quantified_facts::QuantifiedFact;
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::functions::UninterpretedFunction;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
    use rustc_hash::FxHashMap;

    const BYTES: i128 = 8;

    /// Contents of two objects, before and behind offset 0.
    type Contents = [[i128; 16]; 2];

    fn symbol(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(-2, 6))
    }

    /// The elements of an object from one on.
    fn run(a: &mut Arena, object: i128, first: TermId) -> ElementRun {
        let from = a.scale(first, BYTES);
        ElementRun { object: a.int(object), version: a.int(0), bits: a.int(64), from }
    }

    fn element(a: &mut Arena, run: ElementRun, k: TermId) -> TermId {
        let (moved, one) = (a.scale(k, BYTES), a.int(1));
        let from = a.add(run.from, moved);
        run.at(from).product(a, one)
    }

    fn known(a: &mut Arena, t: TermId, symbols: &FxHashMap<TermId, TermId>, held: &Contents) -> i128 {
        let plain = a.substitute(t, symbols);
        let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
        for n in a.cone(&[plain]) {
            let Term::Apply { function, args, .. } = a.get(n) else { continue };
            let args: Vec<i128> = args.iter().map(|t| a.as_int(*t).unwrap()).collect();
            let count = if *function == UninterpretedFunction::Product { args[4] } else { 1 };
            let at =
                |i: i128| held[usize::try_from(args[0]).unwrap()][usize::try_from(args[2] / BYTES + i + 4).unwrap()];
            let value = (0..count).map(at).product();
            values.insert(n, a.int(value));
        }
        let value = a.substitute(plain, &values);
        a.as_bool(value).map(i128::from).or_else(|| a.as_int(value)).unwrap()
    }

    /// Every fact is true of any contents and numbers of which the conditions are true.
    #[test]
    fn facts_are_true_of_all_contents() {
        let mut a = Arena::new();
        let [n, m, d, r] = ["n", "m", "d", "r"].map(|name| symbol(&mut a, name));
        let k = a.fresh(SymKind::Iteration { name: "k".into() }, "k", Interval::new(0, 100));
        let (zero, one) = (a.int(0), a.int(1));
        let (x, y, y_behind, x_behind) =
            (run(&mut a, 0, zero), run(&mut a, 1, zero), run(&mut a, 1, d), run(&mut a, 0, one));
        let [of_x, of_y, of_y_behind] = [x, y, y_behind].map(|run| element(&mut a, run, k));
        let always = {
            let (same, differ) = (a.eq(of_x, of_y_behind), a.ne(r, zero));
            let (same, positive, least) = (a.or(same, differ), a.le(zero, of_y), a.le(one, of_x));
            let few = a.or(least, differ);
            [QuantifiedFact::new(k, n, same), QuantifiedFact::new(k, m, positive), QuantifiedFact::new(k, n, few)]
        };
        let (fewer, both) = (a.add_const(n, -1), a.add(n, d));
        let all = [(x, n), (y, m), (y_behind, n), (x_behind, fewer), (x, m), (y, both)];
        let products: Vec<TermId> = all.iter().map(|(run, count)| run.product(&mut a, *count)).collect();
        let read: Vec<TermId> = products.iter().map(|t| a.wrap(*t, 2, true)).collect();
        let [equal, fixed, whole] = [a.eq(n, m), a.eq(n, one), a.eq(m, both)];
        let (mut held_true, mut seed) = (0, 1u64);
        for roots in [vec![], vec![equal], vec![fixed], vec![whole], vec![equal, fixed]] {
            let asked = [&products[..], &read[..], &roots[..], &[of_x, of_y]].concat();
            let facts = instances(&mut a, &always, &asked).unwrap();
            let facts = a.conjuncts(facts);
            let mut next = |most: u64| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) % most
            };
            for _ in 0..200 {
                let values = [next(6), next(6), next(6), next(2)].map(i128::from);
                let values = [values[0] - 1, values[1] - 1, values[2] - 1, values[3]];
                let mut held: Contents = [[0; 16]; 2];
                held.iter_mut().flatten().for_each(|v| *v = i128::from(next(5)) - 1);
                if next(3) > 0 {
                    for i in 0..values[0].max(0) {
                        let at = |i: i128| usize::try_from(i + 4).unwrap();
                        held[0][at(i)] = held[1][at(values[2] + i)];
                    }
                }
                let mut symbols: FxHashMap<TermId, TermId> = FxHashMap::default();
                for (t, v) in [n, m, d, r].into_iter().zip(values) {
                    symbols.insert(t, a.int(v));
                }
                let is_true = |a: &mut Arena, t: TermId, j: i128| {
                    let j = a.int(j);
                    let at_j = a.substitute(t, &std::iter::once((k, j)).collect());
                    known(a, at_j, &symbols, &held) == 1
                };
                let is_given = roots.iter().all(|t| is_true(&mut a, *t, 0))
                    && always.iter().zip([values[0], values[1], values[0]]).all(|(fact, count)| {
                        let [_, cond] = fact.terms();
                        (0..count).all(|j| is_true(&mut a, cond, j))
                    });
                if !is_given {
                    continue;
                }
                held_true += 1;
                for fact in &facts {
                    assert!(is_true(&mut a, *fact, 0), "{fact:?} of {values:?} {held:?}");
                }
            }
        }
        assert!(held_true > 60, "{held_true}");
    }
}
