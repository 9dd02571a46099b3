//! Conditions on tensors: properties on the path to a launch, solved for those that contracts can express, and
//! assumptions of code about layout.
//!
//! In: conditions of a launch, over properties of caller-given tensors (`scuba::Tensor` in
//! `templates/models/aten.cpp`). Out: terms for properties that follow from others (extents, element counts, sizes
//! counted from the last dimension, and equal properties); and hypotheses, each a condition in contract syntax.

use crate::obligations::obligation::Obligation;
use contracts::ast::TermKind;
use contracts::{Cond, parse, parse_term};
use engine::symbolic::exec::executor::Executor;
pub use engine::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{InputSource, Poly, SymId, SymKind, Term, TermId};
use ir::FuncRef;
use models::tensors::answer;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most properties that are solved for in one set of conditions.
const MAX: usize = 400;

/// Elimination orders: of element counts from some dimension on, and of the count of all elements.
const REST: u32 = 1;
const NUMEL: u32 = 2;
/// Order of properties that follow from no others.
const PLAIN: u32 = 4;

/// Returns the elimination order of a tensor property: lower ones are expressed by others first. `None` for other
/// symbols.
fn order(a: &Arena, s: SymId) -> Option<u32> {
    match &a.symbol(s).kind {
        SymKind::Input(InputSource::Given { object, path, .. }) if object.ends_with(OF_HANDLE) => {
            let handle = object.strip_suffix(OF_HANDLE).unwrap_or(object);
            let asked = path.strip_prefix(handle).unwrap_or(path);
            Some(match asked {
                _ if asked.contains("numel() ") => REST,
                ".numel()" => NUMEL,
                _ if asked.starts_with(".size(-") => 3,
                _ => PLAIN,
            })
        }
        SymKind::Input(InputSource::Param { name, .. }) if name.ends_with(&format!("{OF_STORAGE})")) => Some(0),
        _ => None,
    }
}

/// Whether contracts can express a tensor property.
pub(super) fn has_word(object: &str, path: &str) -> bool {
    let handle = object.strip_suffix(OF_HANDLE).unwrap_or(object);
    let of_it = path.strip_prefix(handle).is_some_and(|rest| rest.starts_with('.'));
    of_it
        && parse_term(path).is_ok_and(|t| match &t.kind {
            TermKind::Method(of, _, name, args) => {
                let number = |t: &contracts::ContractTerm| t.to_string().parse::<i128>().ok();
                let args: Option<Vec<i128>> = args.iter().map(number).collect();
                matches!(of.kind, TermKind::Name(_))
                    && name != "scalar_type"
                    && args.is_some_and(|a| answer(name.as_str(), &a).is_some())
            }
            _ => false,
        })
}

/// Whether a condition mentions only tensor properties.
pub(super) fn is_of_tensors(a: &Arena, t: TermId) -> bool {
    let symbols = a.symbols_of(&[t]);
    !symbols.is_empty() && symbols.into_iter().all(|s| order(a, s).is_some())
}

/// Returns an obligation without the facts on products of all sizes of a tensor: no condition can name these.
pub(super) fn without_products(a: &mut Arena, ob: &Obligation) -> Obligation {
    let mut facts = a.conjuncts(ob.facts);
    facts.retain(|c| !a.cone(&[*c]).into_iter().any(|t| is_product(a, t)));
    Obligation { facts: a.and_all(facts), ..ob.clone() }
}

fn is_product(a: &Arena, t: TermId) -> bool {
    matches!(a.get(t), Term::Apply { function: UninterpretedFunction::Product, .. })
}

/// Solves the equations among conditions for tensor properties, in terms of others; no solution contains a solved
/// property.
pub(super) fn solved(a: &mut Arena, conditions: TermId) -> FxHashMap<TermId, TermId> {
    let mut all: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut equations: Vec<TermId> = a
        .conjuncts(conditions)
        .into_iter()
        .filter_map(|c| if let Term::EqZ(x) = a.get(c) { Some(*x) } else { None })
        // The product of all sizes of a tensor has no contract expression; `numel()` has one.
        .filter(|x| !a.cone(&[*x]).into_iter().any(|t| is_product(a, t)))
        .collect();
    while all.len() < MAX {
        let candidate = |a: &Arena, of: TermId| -> Option<(u32, TermId, i128)> {
            let p = a.poly(of);
            // Element counts from some dimension on have no contract expression; where they remain, the count of all
            // elements has one.
            let has_rest = || a.symbols_of(&[of]).into_iter().any(|s| order(a, s) == Some(REST));
            let constant =
                p.terms.iter().all(|(m, _)| m.len() <= 1) && p.terms.iter().filter(|(m, _)| !m.is_empty()).count() == 1;
            let mut best = None;
            for (m, c) in &p.terms {
                let [t] = m.as_slice() else { continue };
                let Term::Sym(s) = a.get(*t) else { continue };
                let may = |r: &u32| (*r < 4 || constant) && (*r != NUMEL || !has_rest());
                let Some(order) = order(a, *s).filter(may) else { continue };
                let elsewhere = p.terms.iter().any(|(other, _)| other != m && other.contains(t));
                if c.abs() == 1 && !elsewhere && best.is_none_or(|(r, ..): (u32, TermId, i128)| order < r) {
                    best = Some((order, *t, *c));
                }
            }
            best
        };
        let found = equations
            .iter()
            .enumerate()
            .filter_map(|(i, p)| Some((candidate(a, *p)?, i)))
            .min_by_key(|((r, t, _), i)| (*r, *t, *i));
        let Some(((_, t, c), i)) = found else { break };
        let p = a.poly(equations.swap_remove(i));
        let rest: Vec<_> =
            p.terms.iter().filter(|(m, _)| m.as_slice() != [t]).map(|(m, k)| (m.clone(), -k * c)).collect();
        let value = a.from_poly(Poly { terms: rest });
        let one: FxHashMap<TermId, TermId> = [(t, value)].into_iter().collect();
        for e in &mut equations {
            *e = a.substitute(*e, &one);
        }
        let known: Vec<TermId> = all.keys().copied().collect();
        for k in known {
            let new = a.substitute(all[&k], &one);
            all.insert(k, new);
        }
        all.insert(t, value);
    }
    all
}

/// Tensor properties in conditions, by tensor and by the source's expression.
struct TensorProperties(BTreeMap<(String, String), TermId>);

impl TensorProperties {
    fn of(a: &mut Arena, conditions: TermId) -> Self {
        let mut all = BTreeMap::new();
        for s in a.symbols_of(&[conditions]) {
            if let SymKind::Input(InputSource::Given { object, path, .. }) = &a.symbol(s).kind
                && let Some(handle) = object.strip_suffix(OF_HANDLE)
                && let Some(asked) = path.strip_prefix(handle)
            {
                let key = (handle.to_owned(), asked.trim_start_matches('.').to_owned());
                all.insert(key, a.symbol_term(s));
            }
        }
        Self(all)
    }

    fn get(&self, tensor: &str, asked: &str) -> Option<TermId> {
        self.0.get(&(tensor.to_owned(), asked.to_owned())).copied()
    }

    /// Returns a tensor's rank, where it is known.
    fn rank(&self, a: &Arena, known: &FxHashMap<TermId, TermId>, tensor: &str) -> Option<i128> {
        a.as_int(*known.get(&self.get(tensor, "dim()")?)?)
    }
}

/// Returns the sizes of the accessed tensor, in other tensor properties: for a caller-given tensor, its own if its
/// rank is known; for another one, those of a caller-given tensor with as many elements, as `zeros_like` makes it.
pub(super) fn sizes(
    a: &mut Arena,
    conditions: TermId,
    solved: &FxHashMap<TermId, TermId>,
    given: Option<&str>,
    access: &Obligation,
) -> Option<Vec<TermId>> {
    let numbers = TensorProperties::of(a, conditions);
    let of = |a: &mut Arena, tensor: &str| -> Option<Vec<TermId>> {
        let rank = numbers.rank(a, solved, tensor)?;
        (0..rank).map(|k| Some(a.substitute(numbers.get(tensor, &format!("size({k})"))?, solved))).collect()
    };
    if let Some(tensor) = given {
        return of(a, tensor);
    }
    let (extent, bytes) = (a.unwrapped(access.extent), a.as_int(access.bytes)?);
    let tensors: BTreeSet<&str> = numbers.0.keys().map(|(tensor, _)| tensor.as_str()).collect();
    tensors.into_iter().find_map(|tensor| {
        let sizes = of(a, tensor)?;
        let one = a.int(1);
        let all = sizes.iter().fold(one, |n, size| a.mul(n, *size));
        (sizes.len() > 1 && a.scale(all, bytes) == extent).then_some(sizes)
    })
}

/// Returns the sizes of a caller-given tensor of known rank, each with its stride, in other tensor properties; `None`
/// where the conditions mention not all of them.
pub(super) fn sizes_and_strides(
    a: &mut Arena,
    conditions: TermId,
    solved: &FxHashMap<TermId, TermId>,
    tensor: &str,
) -> Option<Vec<(TermId, TermId)>> {
    let numbers = TensorProperties::of(a, conditions);
    let rank = numbers.rank(a, solved, tensor)?;
    let of = |k: i128, what: &str| numbers.get(tensor, &format!("{what}({k})"));
    (0..rank).map(|k| Some((a.substitute(of(k, "size")?, solved), a.substitute(of(k, "stride")?, solved)))).collect()
}

/// Solves as [`solved`] does, with the strides of contiguous tensors, as far as the conditions fix their ranks.
pub(super) fn solved_of_packed(a: &mut Arena, conditions: TermId) -> FxHashMap<TermId, TermId> {
    let known = solved(a, conditions);
    let numbers = TensorProperties::of(a, conditions);
    let mut packed: FxHashMap<TermId, TermId> = FxHashMap::default();
    for ((handle, asked), t) in &numbers.0 {
        let at = asked.strip_prefix("stride(").and_then(|rest| rest.strip_suffix(')')?.parse::<i128>().ok());
        let (Some(at), Some(dim)) = (at, numbers.rank(a, &known, handle)) else { continue };
        let at = if at < 0 { dim + at } else { at };
        let sizes: Option<Vec<TermId>> = (at + 1..dim).map(|k| numbers.get(handle, &format!("size({k})"))).collect();
        let Some(sizes) = sizes else { continue };
        let one = a.int(1);
        let stride = sizes.into_iter().fold(one, |n, size| a.mul(n, size));
        packed.insert(*t, stride);
    }
    strides_of_made(a, conditions, &mut packed);
    let conditions = a.substitute(conditions, &packed);
    let mut all = solved(a, conditions);
    for (t, stride) in packed {
        let stride = a.substitute(stride, &all);
        all.insert(t, stride);
    }
    all
}

/// Adds strides of tensors that PyTorch made. The conditions state that each is the product of the later sizes,
/// unless the tensor has no elements or the dimension has size one (`strides_of` in `templates/models/aten.cpp`).
fn strides_of_made(a: &mut Arena, conditions: TermId, packed: &mut FxHashMap<TermId, TermId>) {
    for c in a.conjuncts(conditions) {
        if !matches!(a.get(c), Term::Or(_)) {
            continue;
        }
        let (mut open, mut found) = (vec![c], vec![]);
        while let Some(t) = open.pop() {
            match a.get(t) {
                Term::Or(all) | Term::And(all) => open.extend(all),
                Term::EqZ(x) => found.extend(stride_said(a, *x)),
                _ => {}
            }
        }
        if let [(stride, product)] = found[..] {
            packed.entry(stride).or_insert(product);
        }
    }
}

/// Splits `s - p` into an otherwise unknown symbol and a tensor property.
fn stride_said(a: &mut Arena, difference: TermId) -> Option<(TermId, TermId)> {
    let p = a.poly(difference);
    let is_unknown =
        |t: TermId| matches!(a.get(t), Term::Sym(s) if matches!(a.symbol(*s).kind, SymKind::Unknown { .. }));
    let (t, c) = p.terms.iter().find_map(|(m, c)| match m.as_slice() {
        [t] if c.abs() == 1 && is_unknown(*t) => Some((*t, *c)),
        _ => None,
    })?;
    let rest = p.terms.iter().filter(|(m, _)| m.as_slice() != [t]).map(|(m, k)| (m.clone(), -k * c)).collect();
    let product = a.from_poly(Poly { terms: rest });
    (a.as_int(product).is_some() || is_of_tensors(a, product)).then_some((t, product))
}

/// Returns the condition that each factor is positive where a product of non-negative values is not 0.
pub(super) fn positive_factors(a: &mut Arena, conditions: TermId) -> TermId {
    let mut factors: BTreeSet<TermId> = BTreeSet::new();
    for c in a.conjuncts(conditions) {
        let Term::Not(x) = a.get(c) else { continue };
        let Term::EqZ(p) = a.get(*x) else { continue };
        // A value that is 0 is 0 in any width.
        let mut p = *p;
        while let Term::Wrap { arg, .. } = a.get(p) {
            p = *arg;
        }
        let p = a.poly(p);
        if let [(m, _)] = p.terms.as_slice()
            && m.iter().all(|f| a.range(*f).lo.is_some_and(|lo| lo >= 0))
        {
            factors.extend(m.iter().copied());
        }
    }
    let one = a.int(1);
    let all: Vec<TermId> = factors.into_iter().map(|f| a.le(one, f)).collect();
    a.and_all(all)
}

/// Substitutes the solved tensor properties on the path to the launch into an obligation; `None` where there are
/// none.
pub(super) fn put_into(
    a: &mut Arena,
    solved: &FxHashMap<TermId, TermId>,
    path: TermId,
    ob: &Obligation,
) -> Option<Obligation> {
    if solved.is_empty() {
        return None;
    }
    let mut done = FxHashMap::default();
    let mut put = |a: &mut Arena, t: TermId| a.substitute_more(t, solved, &mut done);
    let (path, facts) = (put(a, path), put(a, ob.facts));
    let more = positive_factors(a, path);
    Some(Obligation {
        facts: a.and(facts, more),
        offset: put(a, ob.offset),
        bytes: put(a, ob.bytes),
        extent: put(a, ob.extent),
    })
}

/// Whether a condition is an equation of a property of a tensor that follows from others: its extent, its number of
/// elements, the product of its sizes, a size counted from the last one.
pub(super) fn is_definition(a: &Arena, t: TermId) -> bool {
    let Term::EqZ(t) = *a.get(t) else { return false };
    let is_symbol = |t: &TermId| matches!(a.get(*t), Term::Sym(s) if order(a, *s).is_some_and(|order| order < PLAIN));
    let follows = |t: &TermId| is_symbol(t) || is_product(a, *t);
    a.poly(t).terms.iter().any(|(m, _)| matches!(&m[..], [t] if follows(t)))
}

/// Removes facts on element counts from some dimension on, which contracts cannot express, from an obligation: relations
/// between sizes are then lost. Memory contents that equal a tensor property, as in an accessor's copy of the sizes, are
/// replaced by it, and facts on them removed.
pub(super) fn in_words(a: &mut Arena, ob: &Obligation) -> Obligation {
    let is_rest = |a: &Arena, t: TermId| a.symbols_of(&[t]).into_iter().any(|s| order(a, s) == Some(REST));
    let mut facts = a.conjuncts(ob.facts);
    facts.retain(|c| !is_rest(a, *c));
    let known = copied_properties(a, &facts);
    facts.retain(|c| !a.cone(&[*c]).iter().any(|t| known.contains_key(t)));
    let facts = a.and_all(facts);
    let mut put = |t: TermId| a.substitute(t, &known);
    Obligation { facts, offset: put(ob.offset), bytes: put(ob.bytes), extent: put(ob.extent) }
}

/// Returns memory contents that equal a tensor property by these facts, with the property.
pub(super) fn copied_properties(a: &Arena, facts: &[TermId]) -> FxHashMap<TermId, TermId> {
    facts.iter().filter_map(|c| copied_property(a, *c)).collect()
}

/// Splits an equation of memory contents and a tensor property into both.
fn copied_property(a: &Arena, equation: TermId) -> Option<(TermId, TermId)> {
    let Term::EqZ(difference) = *a.get(equation) else { return None };
    let p = a.poly(difference);
    let ([(x, 1), (y, -1)] | [(y, -1), (x, 1)]) = &p.terms[..] else { return None };
    let ([x], [y]) = (x.as_slice(), y.as_slice()) else { return None };
    let is_property = |t: TermId| matches!(a.get(t), Term::Sym(s) if order(a, *s).is_some());
    let is_content = |t: TermId| matches!(a.get(t), Term::Apply { function: UninterpretedFunction::Content, .. });
    match (is_content(*x), is_content(*y)) {
        (true, false) => is_property(*y).then_some((*x, *y)),
        (false, true) => is_property(*x).then_some((*y, *x)),
        _ => None,
    }
}

/// Number of sizes that the models of ATen's functions examine, whatever the code asks for.
const ALL_SIZES: i128 = 8;

/// Returns the greatest lower bound of a value by these conditions; `None` where they give none above 0.
fn at_least(a: &Arena, number: TermId, paths: &[TermId]) -> Option<i128> {
    let is_number = |m: &[TermId]| m == [number];
    let bound = |c: TermId| match a.get(c) {
        Term::Le(t) => {
            let p = a.poly(*t);
            let mut others = p.terms.iter().filter(|(m, _)| !m.is_empty());
            let only = matches!((others.next(), others.next()), (Some((m, -1)), None) if is_number(m));
            only.then(|| p.constant())
        }
        // A number that is not negative, and not 0.
        Term::Not(x) => match a.get(*x) {
            Term::EqZ(t) if *t == number && a.range(number).lo.is_some_and(|lo| lo >= 0) => Some(1),
            _ => None,
        },
        _ => None,
    };
    paths.iter().flat_map(|p| a.conjuncts(*p)).filter_map(bound).max().filter(|n| *n > 0)
}

/// Returns the lowest rank of a tensor on the path to a launch, and the substitution that holds where its rank is no
/// higher; `None` where that adds nothing, or the conditions give no lower bound.
pub(super) fn of_fewest_dimensions(
    a: &mut Arena,
    path: TermId,
    tensor: &str,
) -> Option<(i128, FxHashMap<TermId, TermId>)> {
    let numbers = TensorProperties::of(a, path);
    let dim = numbers.get(tensor, "dim()")?;
    let rank = at_least(a, dim, &[path])?;
    let behind = numbers.get(tensor, &format!("numel() from size({rank}) on"))?;
    let one = a.int(1);
    Some((rank, std::iter::once((behind, one)).collect()))
}

/// Storage of a caller-given tensor that is packed.
pub(super) struct PackedStorage {
    /// Whether the operator makes sure that the tensor is packed.
    pub is_known: bool,
    /// Whether the operator leaves its rank open.
    pub is_open: bool,
    /// The storage's extent, and the size of an element in bytes.
    extent: TermId,
    pub bytes: i128,
    numel: TermId,
    /// Sizes that the operator asks for.
    pub asked: Vec<TermId>,
    /// The lowest rank, and the number of elements behind each index of that many dimensions, where the rank is open.
    pub rows: Option<(i128, TermId)>,
}

/// Returns the storage of a tensor that is packed, by the conditions on the path to a launch.
pub(super) fn packed_storage(
    a: &mut Arena,
    path: TermId,
    solved: &FxHashMap<TermId, TermId>,
    tensor: &str,
    (extent, bytes): (TermId, i128),
) -> Option<PackedStorage> {
    let numbers = TensorProperties::of(a, path);
    let numel = numbers.get(tensor, "numel()")?;
    let is_open = numbers.rank(a, solved, tensor).is_none();
    let rank = numbers.get(tensor, "dim()").filter(|_| is_open).and_then(|dim| at_least(a, dim, &[path]));
    let asked = |rank: i128| (0..rank).map(|k| numbers.get(tensor, &format!("size({k})"))).collect::<Option<Vec<_>>>();
    let rows = rank.and_then(|rank| {
        let behind = numbers.get(tensor, &format!("numel() from size({rank}) on"))?;
        Some((rank, behind, asked(rank)?))
    });
    // The storage of a contiguous copy is as long as its elements.
    let is_known = solved.contains_key(&extent) || !matches!(a.get(extent), Term::Sym(_));
    let asked = rows.as_ref().map(|(.., asked)| asked.clone()).unwrap_or_default();
    Some(PackedStorage {
        is_known,
        is_open,
        extent,
        bytes,
        numel,
        asked,
        rows: rows.map(|(rank, behind, _)| (rank, behind)),
    })
}

impl PackedStorage {
    /// Adds the storage's extent to the solutions.
    pub fn with_extent(&self, a: &mut Arena, solved: &FxHashMap<TermId, TermId>) -> FxHashMap<TermId, TermId> {
        let numel = a.substitute(self.numel, solved);
        self.with(a, solved, FxHashMap::default(), numel)
    }

    /// Adds the storage's extent, for a tensor that has rows of this length behind the sizes that are asked for.
    pub fn with_rows(
        &self,
        a: &mut Arena,
        solved: &FxHashMap<TermId, TermId>,
        length: TermId,
    ) -> FxHashMap<TermId, TermId> {
        let Some((_, behind)) = self.rows else { return solved.clone() };
        let all = self.asked.iter().fold(length, |n, size| a.mul(n, *size));
        let numel = a.substitute(all, solved);
        self.with(a, solved, [(behind, length), (self.numel, numel)].into_iter().collect(), numel)
    }

    fn with(
        &self,
        a: &mut Arena,
        solved: &FxHashMap<TermId, TermId>,
        mut more: FxHashMap<TermId, TermId>,
        numel: TermId,
    ) -> FxHashMap<TermId, TermId> {
        if matches!(a.get(self.extent), Term::Sym(_)) {
            let extent = a.scale(numel, self.bytes);
            more.insert(self.extent, extent);
        }
        let mut all: FxHashMap<TermId, TermId> =
            solved.iter().map(|(t, value)| (*t, a.substitute(*value, &more))).collect();
        all.extend(more);
        all
    }
}

/// Returns the layout assumptions of code about a function's tensors that these launches' conditions do not state:
/// contiguity, and the rank that the code uses.
pub(super) fn hypotheses(e: &mut Executor<'_>, f: FuncRef, paths: &[TermId]) -> Vec<Cond> {
    let display = e.program.func(f).display.clone();
    let mut numbers: BTreeMap<String, Vec<(SymId, String)>> = BTreeMap::new();
    for (i, s) in (0..).zip(e.arena.symbols()) {
        if let SymKind::Input(InputSource::Given { function, object, path, .. }) = &s.kind
            && *function == display
            && let Some(handle) = object.strip_suffix(OF_HANDLE)
        {
            let asked = path.strip_prefix(handle).unwrap_or_default().trim_start_matches('.').to_owned();
            numbers.entry(handle.to_owned()).or_default().push((SymId(i), asked));
        }
    }
    let known: Vec<FxHashMap<TermId, TermId>> = paths.iter().map(|p| solved(&mut e.arena, *p)).collect();
    let mentioned: BTreeSet<SymId> = e.arena.symbols_of(paths).into_iter().collect();
    let mut out = vec![];
    for (handle, numbers) in numbers {
        // Contracts cannot name a member of a structure, or one of several tensors.
        if handle.contains(|c: char| !c.is_alphanumeric() && c != '_') {
            continue;
        }
        let fixed = |e: &mut Executor<'_>, asked: &str| {
            let s = numbers.iter().find(|(_, a)| a == asked).map(|(s, _)| *s);
            let t = s.map(|s| e.arena.symbol_term(s));
            t.is_some_and(|t| known.iter().all(|k| k.get(&t).is_some_and(|v| e.arena.as_int(*v).is_some())))
        };
        if !numbers.iter().any(|(s, _)| mentioned.contains(s)) {
            continue;
        }
        let mut said = vec![];
        if !fixed(e, "is_contiguous()") {
            said.push(format!("{handle}.is_contiguous()"));
        }
        if !fixed(e, "dim()") {
            // A query for a missing size throws; where sizes are read without a query, the highest one that is
            // mentioned gives the rank.
            let dim = numbers.iter().find(|(_, asked)| asked == "dim()").map(|(s, _)| e.arena.symbol_term(*s));
            let sizes = numbers
                .iter()
                .filter(|(s, _)| mentioned.contains(s))
                .filter_map(|(_, asked)| asked.strip_prefix("size(")?.strip_suffix(')')?.parse::<u32>().ok());
            let read = sizes.max().map(|last| i128::from(last) + 1).filter(|n| *n < ALL_SIZES);
            if let Some(rank) = dim.and_then(|dim| at_least(&e.arena, dim, paths)).or(read) {
                said.push(format!("{handle}.dim() == {rank}"));
            }
        }
        out.extend(said.iter().filter_map(|text| parse(text).ok()));
    }
    out
}
