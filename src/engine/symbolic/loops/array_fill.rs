//! Arrays that a loop fills: one element in each iteration, at equal distances.

use super::prefix_sum::{SteppedVariable, steps_below};
use super::untouched_members::GeneralIteration;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::array_write::WrittenContents;
use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Monomial, SymKind, Term, TermId};
use ir::{FuncRef, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum number of elements that an iteration writes to one array.
const MAX_MEMBERS: usize = 8;

/// Maximum number of conditions that bound an atom one by the other: `i < n`, `n < m`, `m < 1000`.
const CHAINED: usize = 3;

/// Elements that a loop writes to an array, as a function of the iteration. Offsets and sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct FilledElements {
    from: TermId,
    stride: i128,
    bytes: u32,
    value: TermId,
    /// Symbol for the element's number in `value`: the iteration's, unless each iteration fills several elements.
    number: TermId,
    /// Elements that each iteration fills one after the other, if these are several.
    per_iteration: Option<TermId>,
    /// Term in `value` that stands for the element's contents before the loop.
    held: Option<TermId>,
    /// Summary object of the memory that iterations allocate, if the elements are its addresses.
    pub made: Option<ObjId>,
}

impl FilledElements {
    /// Elements of which each iteration fills `per_iteration`; `value` is that of the element with a number.
    pub(super) const fn in_blocks(
        (from, stride, bytes): (TermId, i128, u32),
        per_iteration: TermId,
        (number, value): (TermId, TermId),
    ) -> Self {
        let per_iteration = Some(per_iteration);
        Self { from, stride, bytes, value, number, per_iteration, held: None, made: None }
    }

    /// Value of an element, in terms of its iteration.
    pub const fn value(&self) -> TermId {
        self.value
    }
}

/// Sums over iterations, and their context.
pub(in crate::symbolic) struct IterationSums<'s> {
    pub running: &'s [SteppedVariable],
    /// State before the loop.
    pub before: &'s State,
    /// Conditions that hold in each iteration that continues, in terms of its number.
    pub known: &'s [TermId],
}

/// Bytes that iterations write: `bytes` of them, `stride` bytes further in each.
#[derive(Clone, Copy)]
pub(super) struct WrittenPlace {
    at: TermId,
    /// Offset in the first iteration.
    pub from: TermId,
    pub stride: i128,
    pub bytes: u32,
}

/// Write of an iteration to one offset of an array, on one path or on all.
struct IterationWrite {
    from: TermId,
    bytes: u32,
    value: TermId,
    below: Rc<ObjState>,
}

impl ExecutionContext<'_> {
    /// Fills the elements of all iterations before `k` of a loop in `func`; `before` is the state at the loop's start.
    pub(in crate::symbolic) fn fill_so_far(
        &mut self,
        s: &mut State,
        before: &State,
        o: ObjId,
        filled: &[FilledElements],
        (k, func): (TermId, FuncRef),
    ) {
        // Objects that iterations made are arbitrary already.
        let Some(old) = before.mem.get(&o) else { return };
        // The loop may free what it fills.
        let freed = s.mem.get(&o).and_then(|now| now.freed.clone());
        s.mem.insert(o, Rc::new(ObjState { freed, ..ObjState::clone(old) }));
        for f in filled {
            if let Some(all) = f.made {
                self.iterations_begin(s, all);
            }
            // A separate symbol: an element's number is not that of an iteration in progress.
            let element = self.arena.fresh(
                SymKind::Iteration { name: "an element".into() },
                "an element",
                Interval::new(0, 1 << 62),
            );
            let mut value = self.arena.substitute(f.value, &std::iter::once((f.number, element)).collect());
            if let Some(held) = f.held {
                let held = self.arena.substitute(held, &std::iter::once((f.number, element)).collect());
                let moved = self.arena.scale(element, f.stride);
                let at = self.arena.add(f.from, moved);
                if let Some(known) = self.held_at_place(o, old, at, f.bytes, func) {
                    value = self.arena.substitute(value, &std::iter::once((held, known)).collect());
                }
            }
            let count = f.per_iteration.map_or(k, |each| self.arena.mul(k, each));
            self.write_layer(s, o, f.from, (f.stride, f.bytes, count), WrittenContents::Each { k: element, value });
        }
    }
}

impl MemoryDomain<'_> {
    /// Returns the elements that an iteration writes to an array with unknown contents at its start, in the order of
    /// the writes: one element, or several of the same stride that do not overlap (members of a structure). `states`
    /// are those at the start and at the end of the iteration. A path that does not write an element leaves its
    /// contents from before the loop. `map` holds the loop's variables at iteration `k`; symbols before `mark.0` and
    /// contents up to `mark.1` are older than the loop, which `place` identifies.
    #[expect(clippy::too_many_arguments, reason = "one array of a loop, as its other variables")]
    pub(in crate::symbolic) fn filled(
        &mut self,
        o: ObjId,
        states: (&State, &State),
        map: &FxHashMap<TermId, TermId>,
        mark: (usize, u32),
        k: TermId,
        place: (u64, Site),
        sums: &IterationSums<'_>,
    ) -> Option<Vec<FilledElements>> {
        let (start, end) = (states.0.mem.get(&o)?, states.1.mem.get(&o)?);
        let mut state = self.settled(states.1.path, end);
        let iteration = GeneralIteration { map, mark, k, place };
        let (mut writes, mut places): (Vec<IterationWrite>, Vec<WrittenPlace>) = (vec![], vec![]);
        while state != *start {
            if writes.len() >= MAX_MEMBERS {
                return None;
            }
            let write = self.written(o, &state, place.1.func)?;
            let at = self.place_of(&write, iteration, sums)?;
            let mut hidden = false;
            for later in &places {
                if later.stride != at.stride {
                    return None;
                }
                hidden |= (later.from, later.bytes) == (at.from, at.bytes);
                if hidden {
                    break;
                }
                let apart = self.arena.sub(later.from, at.from);
                let apart = self.arena.as_int(apart)?.rem_euclid(at.stride);
                if apart < i128::from(at.bytes) || apart + i128::from(later.bytes) > at.stride {
                    return None;
                }
            }
            state.clone_from(&write.below);
            // An element that is written twice holds the last value.
            if !hidden {
                places.push(at);
                writes.push(write);
            }
        }
        let values: Vec<TermId> = writes.iter().map(|w| w.value).collect();
        let map = &self.with_untouched_members((o, start), (&values, states.1), &places, iteration, sums);
        let iteration = GeneralIteration { map, ..iteration };
        let mut all = vec![];
        for (value, at) in values.into_iter().zip(places).rev() {
            all.push(self.filled_by((o, start), (value, at), states.1, iteration, sums)?);
        }
        (!all.is_empty()).then_some(all)
    }

    /// Last write to an array; on a path without the write, its value is what the array held there. `f` is a function
    /// of the loop's module.
    fn written(&mut self, o: ObjId, state: &ObjState, f: FuncRef) -> Option<IterationWrite> {
        if !state.cells.is_empty() {
            return None;
        }
        match &state.rest {
            UncoveredContents::Layer(layer) => {
                let WrittenContents::All(value) = layer.what else { return None };
                if self.arena.as_int(layer.count) != Some(1) {
                    return None;
                }
                Some(IterationWrite { from: layer.from, bytes: layer.bytes, value, below: layer.below.clone() })
            }
            UncoveredContents::Either(e) => {
                let e = e.clone();
                let paths = [&e.states[0], &e.states[1]].map(|way| self.written(o, way, f));
                let (write, [value, other]) = match paths {
                    [Some(w), Some(v)] if (w.from, w.bytes) == (v.from, v.bytes) && w.below == v.below => {
                        let values = [w.value, v.value];
                        (w, values)
                    }
                    [Some(w), _] if w.below == e.states[1] => {
                        let values = [w.value, self.held_at_place(o, &w.below, w.from, w.bytes, f)?];
                        (w, values)
                    }
                    [_, Some(w)] if w.below == e.states[0] => {
                        let values = [self.held_at_place(o, &w.below, w.from, w.bytes, f)?, w.value];
                        (w, values)
                    }
                    _ => return None,
                };
                Some(IterationWrite { value: self.arena.ite(e.first, value, other), ..write })
            }
            _ => None,
        }
    }

    /// Signed integer of `bytes` bytes that an array holds at an offset.
    pub(super) fn held_at_place(
        &mut self,
        o: ObjId,
        state: &ObjState,
        at: TermId,
        bytes: u32,
        f: FuncRef,
    ) -> Option<TermId> {
        let ty =
            self.module(f).types.iter().position(|t| matches!(t.kind, TypeKind::Int(bits) if bits == bytes * 8))?;
        let Value::Int(held) = self.read_cells(o, state, at, bytes.into(), Some((f, TypeId(u32::try_from(ty).ok()?))))
        else {
            return None;
        };
        Some(self.interpret(held, bytes * 8, true))
    }

    /// Returns where an iteration writes, if that moves by at least its size in each.
    fn place_of(
        &mut self,
        write: &IterationWrite,
        iteration: GeneralIteration<'_>,
        sums: &IterationSums<'_>,
    ) -> Option<WrittenPlace> {
        let GeneralIteration { map, mark, k, .. } = iteration;
        let at = self.arena.substitute(write.from, map);
        let at = self.without_wraps(at, k, sums.known);
        if !self.only_old(at, mark.0, mark.1, Some(k)) {
            return None;
        }
        let next = self.arena.add_const(k, 1);
        let after = self.arena.substitute(at, &std::iter::once((k, next)).collect());
        let step = self.arena.sub(after, at);
        let stride = self.arena.as_int(step).filter(|s| *s >= i128::from(write.bytes))?;
        let zero = self.arena.int(0);
        let from = self.arena.substitute(at, &std::iter::once((k, zero)).collect());
        Some(WrittenPlace { at, from, stride, bytes: write.bytes })
    }

    fn filled_by(
        &mut self,
        (o, start): (ObjId, &ObjState),
        (value, written): (TermId, WrittenPlace),
        end: &State,
        iteration: GeneralIteration<'_>,
        sums: &IterationSums<'_>,
    ) -> Option<FilledElements> {
        let GeneralIteration { map, mark, k, place } = iteration;
        let WrittenPlace { at, from, stride, bytes } = written;
        let value = self.in_running(value, sums.running);
        let value = self.arena.substitute(value, map);
        let value = self.without_wraps(value, k, sums.known);
        // Each iteration allocates another object.
        let made = self.arena.cone(&[value]).into_iter().any(|t| self.is_address_since(t, mark.1));
        if made {
            let (value, all) = self.made_in_each_iteration(value, end, map, mark, k, place)?;
            return Some(FilledElements {
                from,
                stride,
                bytes,
                value,
                number: k,
                per_iteration: None,
                held: None,
                made: Some(all),
            });
        }
        // No other iteration writes there.
        let held = self.held_in_iteration(o, start, at, bytes);
        if let Some(value) = self.added_to_the_one_before(
            (o, start),
            (at, from, stride),
            bytes,
            value,
            (mark, k, place.1.func),
            held,
            sums,
        ) {
            return Some(FilledElements {
                from,
                stride,
                bytes,
                value,
                number: k,
                per_iteration: None,
                held: None,
                made: None,
            });
        }
        let (value, held) = self.of_each_iteration(value, bytes, mark, k, held);
        Some(FilledElements { from, stride, bytes, value, number: k, per_iteration: None, held, made: None })
    }

    /// Value of an iteration that adds to the element written by the previous one, or at first to the element before
    /// the first: the initial element plus the sum so far. `held` stands for the former contents of the iteration's own
    /// element.
    #[expect(clippy::too_many_arguments, reason = "one array of a loop, as its other variables")]
    fn added_to_the_one_before(
        &mut self,
        (o, start): (ObjId, &ObjState),
        (at, from, stride): (TermId, TermId, i128),
        bytes: u32,
        value: TermId,
        (mark, k, func): ((usize, u32), TermId, FuncRef),
        held: Option<TermId>,
        sums: &IterationSums<'_>,
    ) -> Option<TermId> {
        let at_before = self.arena.add_const(at, -stride);
        let before = self.held_in_iteration(o, start, at_before, bytes)?;
        let added = self.arena.sub(value, before);
        if self.arena.cone(&[added]).contains(&before) {
            return None;
        }
        let old = sums.before.mem.get(&o)?.clone();
        let added = match held {
            Some(held) => {
                let known = self.held_at_place(o, &old, at, bytes, func).unwrap_or(held);
                self.arena.substitute(added, &std::iter::once((held, known)).collect())
            }
            None => added,
        };
        let added = self.under(added, sums.known);
        let (added, _) = self.of_each_iteration(added, bytes, mark, k, None);
        let range = self.arena.range(added);
        let step = self.any_step(range)?;
        let before_first = self.arena.add_const(from, -stride);
        let first = self.held_at_place(o, &old, before_first, bytes, func)?;
        let iterations = self.arena.add_const(k, 1);
        let sum = self.sum_before(step, iterations);
        let all = self.arena.add(first, sum);
        Some(self.arena.wrap(all, bytes * 8, true))
    }
}

impl Terms {
    /// Drops wraps that change no value in any iteration: `i + 1` where `i < n`.
    pub(super) fn without_wraps(&mut self, t: TermId, k: TermId, known: &[TermId]) -> TermId {
        let (mut t, mut last) = (t, None);
        loop {
            let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
            for n in self.arena.cone(&[t]) {
                let Term::Wrap { arg, bits, signed } = *self.arena.get(n) else { continue };
                let Some((rest, factor)) = self.linear_part(arg, k) else { continue };
                let last = *last.get_or_insert_with(|| self.last_iteration(k, known));
                let moved = Interval { lo: Some(0), hi: last }.scale(factor);
                let rest = self.range_given(rest, known);
                let sum = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
                if Interval::of_int(bits, signed)
                    .contains(Interval { lo: sum(moved.lo, rest.lo), hi: sum(moved.hi, rest.hi) })
                {
                    map.insert(n, arg);
                }
            }
            if map.is_empty() {
                return t;
            }
            t = self.arena.substitute(t, &map);
        }
    }

    /// Bounds of a term by those of its atoms: what conditions that hold give an atom, by bounds of the others in them.
    pub(super) fn range_given(&self, t: TermId, known: &[TermId]) -> Interval {
        let mut bounds: FxHashMap<TermId, Interval> = FxHashMap::default();
        for _ in 0..CHAINED {
            let before = bounds.clone();
            for c in known {
                let Term::Le(sum) = *self.arena.get(*c) else { continue };
                let terms = self.arena.poly(sum).terms;
                for (atom, factor) in terms.iter().filter_map(|(m, c)| match m.as_slice() {
                    [atom] => Some((*atom, *c)),
                    _ => None,
                }) {
                    // The sum of the others is at least so much.
                    let others = terms.iter().filter(|(m, _)| m.as_slice() != [atom]);
                    let Some(least) = self.range_by(others, &bounds).lo else { continue };
                    let all = bounds.get(&atom).copied().unwrap_or_else(|| self.arena.range(atom));
                    let bound = if factor > 0 {
                        Interval { lo: None, hi: least.checked_neg().map(|most| most.div_euclid(factor)) }
                    } else {
                        let by = factor.checked_neg().unwrap_or(i128::MAX);
                        Interval { lo: least.checked_add(by - 1).map(|least| least.div_euclid(by)), hi: None }
                    };
                    bounds.insert(atom, all.intersect(bound));
                }
            }
            if bounds == before {
                break;
            }
        }
        self.range_by(self.arena.poly(t).terms.iter(), &bounds).intersect(self.arena.range(t))
    }

    /// Bounds of a sum of products by those of its atoms.
    fn range_by<'m>(
        &self,
        terms: impl Iterator<Item = &'m (Monomial, i128)>,
        bounds: &FxHashMap<TermId, Interval>,
    ) -> Interval {
        let of = |atom: &TermId| bounds.get(atom).copied().unwrap_or_else(|| self.arena.range(*atom));
        terms.fold(Interval::new(0, 0), |sum, (m, c)| {
            let product = m.iter().fold(Interval::new(1, 1), |all, atom| all.mul(of(atom)));
            sum.add(product.scale(*c))
        })
    }

    /// Splits a term into `rest + factor · k`.
    fn linear_part(&mut self, t: TermId, k: TermId) -> Option<(TermId, i128)> {
        let factor = self.arena.poly(t).terms.iter().find(|(m, _)| m.as_slice() == [k]).map(|(_, c)| *c)?;
        let own = self.arena.scale(k, factor);
        let rest = self.arena.sub(t, own);
        (!self.arena.cone(&[rest]).contains(&k)).then_some((rest, factor))
    }

    /// Greatest number of an iteration that continues, by the conditions for continuing.
    fn last_iteration(&mut self, k: TermId, known: &[TermId]) -> Option<i128> {
        known
            .iter()
            .filter_map(|c| {
                let Term::Le(t) = *self.arena.get(*c) else { return None };
                let (rest, factor) = self.linear_part(t, k)?;
                (factor > 0).then_some(())?;
                self.arena.range(rest).lo?.checked_neg().map(|most| most.div_euclid(factor))
            })
            .min()
    }

    /// Term that stands, in an iteration, for an array's contents at its start.
    fn held_in_iteration(&mut self, o: ObjId, start: &ObjState, at: TermId, bytes: u32) -> Option<TermId> {
        let UncoveredContents::Unknown { version, .. } = &start.rest else { return None };
        match self.content(o, *version, at, bytes * 8) {
            Value::Int(t) => Some(t),
            _ => None,
        }
    }

    /// Turns a value that an iteration computes into a function of the iteration: fresh symbols of the iteration become
    /// applications to `k`. Also returns what replaces `held`.
    fn of_each_iteration(
        &mut self,
        value: TermId,
        bytes: u32,
        mark: (usize, u32),
        k: TermId,
        held: Option<TermId>,
    ) -> (TermId, Option<TermId>) {
        let mut own: FxHashMap<TermId, TermId> = FxHashMap::default();
        let steps = steps_below(&self.arena, value);
        for n in self.arena.cone(&[value]) {
            // A free choice: any value.
            if let Term::BoolSym(s) = self.arena.get(n)
                && (s.0 as usize) >= mark.0
            {
                let s = *s;
                return (self.anything_in_each_iteration(s.0, bytes, k), None);
            }
            if !steps.contains(&n)
                && let Some(each) = self.value_in_each_iteration(n, mark, k)
            {
                own.insert(n, each);
            }
        }
        (self.arena.substitute(value, &own), held.and_then(|h| own.get(&h).copied()))
    }

    fn anything_in_each_iteration(&mut self, serial: u32, bytes: u32, k: TermId) -> TermId {
        self.arena.apply(UninterpretedFunction::Round(serial), vec![k], Interval::of_value(bytes * 8, true))
    }
}
