//! Conditions on array contents: an index read from memory is in bounds where each element that may be read is.
//!
//! In: an obligation whose offset depends on values that the function's arrays held when it was called. Out:
//! conditions on the parameters alone, and conditions on each of an array's first elements (`forall i in [0, n): 0 <=
//! idx[i] && idx[i] < m`), which together suffice. The number of these elements comes from the condition under which
//! the read itself stays in its array; otherwise it is all elements.

use super::conditions::{for_goal, happens, implies, where_made};
use super::dimensions::with_divisors;
use super::signs::sufficient;
use super::wording::{SymbolName, SymbolNames};
use crate::context::{CheckContext, RootTools};
use crate::obligations::obligation::Obligation;
use engine::symbolic::inputs::elements::ElementRead;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Poly, Term, TermId};
use ir::FuncRef;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most array elements that one obligation may depend on.
const MAX_READ: usize = 6;
/// Most arrays in a chain of indirect reads.
const DEEPEST: usize = 3;

/// Condition `body` on each of the first `count` elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ElementCondition {
    /// Symbol for an arbitrary element of the array.
    pub element: TermId,
    /// Number of elements, in terms that contracts can express.
    pub count: TermId,
    pub body: TermId,
}

impl ElementCondition {
    /// Whether this condition implies another one, as far as is immediately visible.
    pub fn implies(&self, other: &Self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>) -> bool {
        let a = &mut tools.e.arena;
        let as_many = a.le(other.count, self.count);
        self.element == other.element
            && a.as_bool(as_many) == Some(true)
            && implies(a, &mut tools.decider.with(cx.attempt), self.body, other.body)
    }
}

/// Conditions that together suffice for an access.
#[derive(Clone, Debug, Default)]
pub(super) struct SufficientConditions {
    pub now: Vec<TermId>,
    pub each: Vec<ElementCondition>,
    pub wraps: Vec<String>,
}

impl SufficientConditions {
    /// Joins the conditions on the same elements of an array.
    fn join_bodies(&mut self, a: &mut Arena) {
        let mut joined: Vec<ElementCondition> = vec![];
        for each in std::mem::take(&mut self.each) {
            match joined.iter_mut().find(|known| (known.element, known.count) == (each.element, each.count)) {
                Some(known) => known.body = a.and(known.body, each.body),
                None => joined.push(each),
            }
        }
        self.each = joined;
    }
}

/// Finds sufficient conditions for an obligation; `None` where none are found, or the obligation mentions no array
/// element.
pub(super) fn of(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    f: FuncRef,
    names: &mut SymbolNames,
    ob: &Obligation,
) -> Option<SufficientConditions> {
    let Opened { ob, read, kept } = opened(tools, f, names, ob, ob.offset);
    let goals = in_bounds(&mut tools.e.arena, &ob);
    let mut needs = needed(cx, tools, (f, &read), names, (ob.facts, &goals), &kept)?;
    let mut facts = vec![ob.facts];
    facts.extend(&needs.now);
    for (t, of) in &read {
        for each in needs.each.iter().filter(|each| names.any(of) == Some(each.element)) {
            let a = &mut tools.e.arena;
            let zero = a.int(0);
            let (before, behind) = (a.lt(of.at, zero), a.le(each.count, of.at));
            let holds = a.substitute(each.body, &std::iter::once((each.element, *t)).collect());
            facts.push(a.or_all(vec![before, behind, holds]));
        }
    }
    let a = &mut tools.e.arena;
    let all = a.and_all(facts);
    // Unsatisfiable conditions would make everything safe.
    let satisfiable = a.bool(true);
    if !happens(a, &mut tools.decider.with(cx.attempt), names, all, satisfiable) {
        return None;
    }
    let (more, wraps) =
        sufficient(a, &mut tools.decider.with(cx.attempt), names, &Obligation { facts: all, ..ob.clone() })?;
    needs.wraps = wraps;
    if a.as_bool(more).is_none() {
        needs.now.push(more);
    }
    where_read(cx, tools, names, ob.facts, &mut needs);
    Some(needs)
}

/// Finds sufficient conditions for goals that imply the obligation, where nothing in them wraps. `offset` is the
/// access's own, with its conversions. Each part is satisfiable, while products and quotients leave the conjunction
/// undecided.
pub(super) fn of_goals(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    f: FuncRef,
    names: &mut SymbolNames,
    (facts, goals, offset): (TermId, &[TermId], TermId),
) -> Option<SufficientConditions> {
    let a = &mut tools.e.arena;
    let (zero, all) = (a.int(0), a.and_all(goals.to_vec()));
    // The goals replace the offset, so that their elements are found.
    let ob = Obligation { facts, offset: all, bytes: zero, extent: zero };
    let Opened { ob, read, kept } = opened(tools, f, names, &ob, offset);
    let goals = tools.e.arena.conjuncts(ob.offset);
    let facts = with_divisors(&mut tools.e.arena, ob.facts, &goals);
    let mut needs = needed(cx, tools, (f, &read), names, (facts, &goals), &kept)?;
    where_read(cx, tools, names, ob.facts, &mut needs);
    Some(needs)
}

fn in_bounds(a: &mut Arena, ob: &Obligation) -> [TermId; 2] {
    let (zero, end) = (a.int(0), a.add(ob.offset, ob.bytes));
    [a.le(zero, ob.offset), a.le(end, ob.extent)]
}

fn needed(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, read): (FuncRef, &[SymbolRead]),
    names: &mut SymbolNames,
    (facts, goals): (TermId, &[TermId]),
    kept: &KeptByConversions,
) -> Option<SufficientConditions> {
    if read.is_empty() {
        return None;
    }
    let mut needs = SufficientConditions::default();
    add(cx, tools, (f, read), names, (facts, goals), &mut needs, 0)?;
    if !kept.goals.is_empty() {
        let mut facts = vec![kept.facts];
        for (t, of) in read {
            let bodies = needs.each.iter().filter(|each| names.any(of) == Some(each.element));
            let bodies: Vec<_> =
                bodies.map(|each| (each.body, std::iter::once((each.element, *t)).collect())).collect();
            facts.extend(bodies.into_iter().map(|(body, here)| tools.e.arena.substitute(body, &here)));
        }
        let facts = tools.e.arena.and_all(facts);
        add(cx, tools, (f, read), names, (facts, &kept.goals), &mut needs, 0)?;
        needs.join_bodies(&mut tools.e.arena);
    }
    let of_conversions = !kept.goals.is_empty() && !needs.now.is_empty();
    Some(needs).filter(|needs| !needs.each.is_empty() || of_conversions)
}

/// Weakens conditions to paths on which the access happens.
fn where_read(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &SymbolNames,
    facts: TermId,
    needs: &mut SufficientConditions,
) {
    for part in needs.now.iter_mut().chain(needs.each.iter_mut().map(|each| &mut each.body)) {
        *part = where_made(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), names, facts, *part);
    }
}

/// The symbol of a value that is read, and the read.
type SymbolRead = (TermId, Rc<ElementRead>);

/// Adds the conditions that goals need under these facts, and those of the reads that they depend on.
fn add(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, read): (FuncRef, &[SymbolRead]),
    names: &mut SymbolNames,
    (facts, goals): (TermId, &[TermId]),
    needs: &mut SufficientConditions,
    depth: usize,
) -> Option<()> {
    let mut parts = vec![];
    let a = &mut tools.e.arena;
    for goal in goals.iter().copied() {
        if a.as_bool(goal) == Some(true) || implies(a, &mut tools.decider.with(cx.attempt), facts, goal) {
            continue;
        }
        let found = match for_goal(a, &mut tools.decider.with(cx.attempt), names, (facts, goal), false) {
            Some(found) => found,
            None => for_goal(a, &mut tools.decider.with(cx.attempt), names, (facts, goal), true)?,
        };
        parts.extend(a.conjuncts(found));
    }
    let mut of_elements: Vec<(TermId, TermId)> = vec![];
    for part in parts {
        match names.elements_in(&tools.e.arena, part).as_slice() {
            [] if needs.now.contains(&part) => {}
            [] => needs.now.push(part),
            [one] => of_elements.push((*one, part)),
            _ => return None,
        }
    }
    // One condition for each array.
    let mut bodies: Vec<(TermId, Rc<ElementRead>, Vec<TermId>)> = vec![];
    for (t, part) in of_elements {
        let (_, of) = read.iter().find(|(x, _)| *x == t)?.clone();
        match bodies.iter_mut().find(|(x, ..)| *x == t) {
            Some((.., all)) => all.push(part),
            None => bodies.push((t, of, vec![part])),
        }
    }
    for (t, of, all) in bodies {
        let body = tools.e.arena.and_all(all);
        let count = elements_read(cx, tools, (f, read), names, facts, &of, (needs, depth))?;
        let element = names.any(&of)?;
        let body = tools.e.arena.substitute(body, &std::iter::once((t, element)).collect());
        let each = ElementCondition { element, count, body };
        if !needs.each.contains(&each) {
            needs.each.push(each);
        }
    }
    Some(())
}

/// Returns how many of an array's first elements are read, and adds the conditions that this rests on.
fn elements_read(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, read): (FuncRef, &[SymbolRead]),
    names: &mut SymbolNames,
    facts: TermId,
    of: &ElementRead,
    (needs, depth): (&mut SufficientConditions, usize),
) -> Option<TermId> {
    if depth >= DEEPEST {
        return None;
    }
    let extent = tools.e.extent_of_parameter(f, of.object).ok()?;
    let a = &mut tools.e.arena;
    let extent = a.substitute(extent, &names.solved);
    let (offset, bytes) = (a.scale(of.at, of.size), a.int(of.size));
    let ob = Obligation { facts, offset, bytes, extent };
    let before = needs.now.len();
    let goals = in_bounds(a, &ob);
    let before_all = needs.clone();
    if add(cx, tools, (f, read), names, (facts, &goals), needs, depth + 1).is_none() {
        // Where the result decides nothing, the element's own bounds are ignored.
        if !names.copies {
            return None;
        }
        *needs = before_all;
        let a = &mut tools.e.arena;
        let extent = a.unwrapped(extent);
        return Some(a.floor_div(extent, of.size));
    }
    let a = &mut tools.e.arena;
    let new: Vec<TermId> = needs.now[before..].to_vec();
    let all = a.floor_div(extent, of.size);
    let bounds = needs.now.clone();
    let with = a.and_all(bounds);
    let with = a.and(facts, with);
    for condition in new {
        let Some(count) = counted(a, condition, (extent, all), of.size) else { continue };
        let within = a.lt(of.at, count);
        if implies(a, &mut tools.decider.with(cx.attempt), with, within) {
            return Some(count);
        }
    }
    Some(all)
}

/// Extracts `n` from `extent >= size * n`, or from `elements >= n`.
fn counted(a: &mut Arena, condition: TermId, (extent, elements): (TermId, TermId), size: i128) -> Option<TermId> {
    let Term::Le(x) = *a.get(condition) else { return None };
    let p = a.poly(x);
    for (of, by) in [(extent, size), (elements, 1)] {
        let is_it = |m: &[TermId]| m == [of];
        if !p.terms.iter().any(|(m, c)| is_it(m) && *c == -1) {
            continue;
        }
        let rest: Vec<_> = p.terms.iter().filter(|(m, _)| !is_it(m)).cloned().collect();
        if rest.iter().all(|(_, c)| c % by == 0) {
            return Some(a.from_poly(Poly { terms: rest.into_iter().map(|(m, c)| (m, c / by)).collect() }));
        }
    }
    None
}

/// An obligation in which symbols stand for the array elements that it depends on.
struct Opened {
    ob: Obligation,
    read: Vec<SymbolRead>,
    kept: KeptByConversions,
}

/// Bounds under which conversions of elements to narrower types keep their values.
struct KeptByConversions {
    goals: Vec<TermId>,
    /// Facts that mention no converted element: those of a converted one hold only while its value is kept.
    facts: TermId,
}

/// Replaces the array elements that an obligation depends on by symbols, and returns these: what holds for every
/// value holds for the value read. The symbols get names. An element that `offset` or the obligation converts to a
/// narrower type becomes the element itself, which it is while its value is kept.
fn opened(tools: &mut RootTools<'_>, f: FuncRef, names: &mut SymbolNames, ob: &Obligation, offset: TermId) -> Opened {
    let mut found: Vec<(TermId, ElementRead)> = vec![];
    let mut symbols: FxHashMap<TermId, TermId> = FxHashMap::default();
    let cone = tools.e.arena.cone(&[ob.offset, ob.bytes, ob.facts, offset]);
    for t in cone {
        if found.len() == MAX_READ {
            break;
        }
        let Some(of) = tools.e.element_read(f, t, names.copies) else { continue };
        let symbol = tools.e.any_element(&of);
        symbols.insert(t, symbol);
        found.push((symbol, of));
    }
    let a = &mut tools.e.arena;
    let (converted, goals) = conversions(a, &found, &symbols, offset);
    let mut certain = a.conjuncts(ob.facts);
    certain.retain(|c| a.cone(&[*c]).iter().all(|t| !converted.contains_key(t)));
    let facts = a.and_all(certain);
    let kept = KeptByConversions { goals, facts: a.substitute(facts, &symbols) };
    symbols.extend(converted);
    let mut put = |t: TermId| tools.e.arena.substitute(t, &symbols);
    let ob = Obligation { facts: put(ob.facts), offset: put(ob.offset), bytes: put(ob.bytes), extent: ob.extent };
    let read: Vec<SymbolRead> =
        found.into_iter().map(|(symbol, of)| (symbol, Rc::new(ElementRead { at: put(of.at), ..of }))).collect();
    for (symbol, of) in &read {
        if names.any(of).is_none() {
            let any = tools.e.any_element(of);
            names.all.insert(any, SymbolName::Element(of.clone()));
            names.elements.push((of.clone(), any));
        }
        names.all.insert(*symbol, SymbolName::Element(of.clone()));
    }
    Opened { ob, read, kept }
}

/// Returns the values that an offset converts to a narrower type, for conversions of an element, or of a multiple of
/// one and a constant; and the bounds between which they stay the same.
fn conversions(
    a: &mut Arena,
    found: &[(TermId, ElementRead)],
    symbols: &FxHashMap<TermId, TermId>,
    offset: TermId,
) -> (FxHashMap<TermId, TermId>, Vec<TermId>) {
    let (mut converted, mut goals): (FxHashMap<TermId, TermId>, _) = (FxHashMap::default(), vec![]);
    for t in a.cone(&[offset]) {
        let Some((from, bits, signed)) = a.reading(t) else { continue };
        let inner: FxHashMap<TermId, TermId> =
            symbols.iter().chain(&converted).map(|(from, to)| (*from, *to)).collect();
        let value = a.substitute(from, &inner);
        let value = a.unwrapped(value);
        let of: Vec<TermId> = a.poly(value).terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
        let [element] = of[..] else { continue };
        if !found.iter().any(|(symbol, of)| *symbol == element && i128::from(bits) < 8 * of.size) {
            continue;
        }
        let Interval { lo: Some(least), hi: Some(most) } = Interval::of_int(bits, signed) else { continue };
        let (least, most) = (a.int(least), a.int(most));
        goals.extend([a.le(least, value), a.le(value, most)]);
        converted.insert(t, value);
    }
    (converted, goals)
}

impl SymbolNames {
    /// Returns the symbol for an arbitrary element of the array that is read.
    fn any(&self, of: &ElementRead) -> Option<TermId> {
        self.elements.iter().find(|(known, _)| known.is_of_the_same(of)).map(|(_, any)| *any)
    }
}

/// Returns a name for the element index that is no parameter's name.
pub(super) fn variable(taken: &[&str]) -> String {
    let free = ["i", "j", "k", "l", "at", "element"].into_iter().find(|name| !taken.contains(name));
    free.map_or_else(|| format!("element_{}", taken.len()), str::to_owned)
}
