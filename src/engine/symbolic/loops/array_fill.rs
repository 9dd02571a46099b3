//! Arrays that a loop fills: one element in each round, at equal distances.

use super::prefix_sum::{Running, steps_below};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::array_write::Written;
use crate::symbolic::memory::object::{ObjId, ObjState, Rest};
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::functions::Function;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use ir::{FuncRef, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Elements that a round writes to one array.
const MAX_MEMBERS: usize = 8;

/// What a loop writes to an array: in bytes, by the number of the round.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct Filled {
    from: TermId,
    stride: i128,
    bytes: u32,
    value: TermId,
    /// What stands, in the value, for what the element held before the loop.
    held: Option<TermId>,
    /// What stands for the memory that rounds allocate whose addresses these are.
    pub made: Option<ObjId>,
}

impl Filled {
    /// What an element gets, in terms of its round.
    pub const fn value(&self) -> TermId {
        self.value
    }
}

/// What adds up from round to round.
pub(in crate::symbolic) struct Sums<'s> {
    pub running: &'s [Running],
    /// The state before the loop.
    pub before: &'s State,
    /// What holds in each round that goes on, in terms of its number.
    pub known: &'s [TermId],
}

/// What a round writes to an array in one place, on one way through it or on all.
struct Write {
    from: TermId,
    bytes: u32,
    value: TermId,
    below: Rc<ObjState>,
}

impl Executor<'_> {
    /// What a round writes to an array of which nothing was known at its start (`states`: that and its end), where it is one
    /// element, or several with equal distances that lie apart (members of a structure); in the order in which they are written. On a way
    /// through the round that leaves an element alone it holds what it held before the loop. `map` has the loop's variables at iteration `k`; symbols before `mark.0` and contents up to `mark.1` are
    /// older than the loop, which `place` tells.
    #[expect(clippy::too_many_arguments, reason = "one array of a loop, as its other variables")]
    pub(in crate::symbolic) fn filled(
        &mut self,
        o: ObjId,
        states: (&State, &State),
        map: &FxHashMap<TermId, TermId>,
        mark: (usize, u32),
        k: TermId,
        place: (u64, Site),
        sums: &Sums<'_>,
    ) -> Option<Vec<Filled>> {
        let (start, end) = (states.0.mem.get(&o)?, states.1.mem.get(&o)?);
        let mut state = self.settled(states.1.path, end);
        let mut all: Vec<Filled> = vec![];
        while state != *start {
            if all.len() >= MAX_MEMBERS {
                return None;
            }
            let write = self.written(o, &state, place.1.func)?;
            let filled = self.filled_by((o, start), &write, states.1, map, mark, k, place, sums)?;
            let mut hidden = false;
            for later in &all {
                if later.stride != filled.stride {
                    return None;
                }
                hidden |= (later.from, later.bytes) == (filled.from, filled.bytes);
                if hidden {
                    break;
                }
                let apart = self.arena.sub(later.from, filled.from);
                let apart = self.arena.as_int(apart)?.rem_euclid(filled.stride);
                if apart < i128::from(filled.bytes) || apart + i128::from(later.bytes) > filled.stride {
                    return None;
                }
            }
            // What is written twice holds what was written last.
            if !hidden {
                all.push(filled);
            }
            state = write.below;
        }
        all.reverse();
        (!all.is_empty()).then_some(all)
    }

    /// What was written last to an array; on a way on which it was not, that is what the place held. `f`: a function of the loop's module.
    fn written(&mut self, o: ObjId, state: &ObjState, f: FuncRef) -> Option<Write> {
        if !state.cells.is_empty() {
            return None;
        }
        match &state.rest {
            Rest::Layer(layer) => {
                let Written::All(value) = layer.what else { return None };
                if self.arena.as_int(layer.count) != Some(1) {
                    return None;
                }
                Some(Write { from: layer.from, bytes: layer.bytes, value, below: layer.below.clone() })
            }
            Rest::Either(e) => {
                let e = e.clone();
                let ways = [&e.states[0], &e.states[1]].map(|way| self.written(o, way, f));
                let (write, [value, other]) = match ways {
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
                Some(Write { value: self.arena.ite(e.first, value, other), ..write })
            }
            _ => None,
        }
    }

    /// The number of so many bytes that an array holds at an offset, as a signed one.
    fn held_at_place(&mut self, o: ObjId, state: &ObjState, at: TermId, bytes: u32, f: FuncRef) -> Option<TermId> {
        let ty =
            self.module(f).types.iter().position(|t| matches!(t.kind, TypeKind::Int(bits) if bits == bytes * 8))?;
        let Value::Int(held) = self.read_cells(o, state, at, bytes.into(), Some((f, TypeId(u32::try_from(ty).ok()?))))
        else {
            return None;
        };
        Some(self.interpret(held, bytes * 8, true))
    }

    #[expect(clippy::too_many_arguments, reason = "one array of a loop, as its other variables")]
    fn filled_by(
        &mut self,
        (o, start): (ObjId, &ObjState),
        write: &Write,
        end: &State,
        map: &FxHashMap<TermId, TermId>,
        mark: (usize, u32),
        k: TermId,
        place: (u64, Site),
        sums: &Sums<'_>,
    ) -> Option<Filled> {
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
        let value = self.in_running(write.value, sums.running);
        let value = self.arena.substitute(value, map);
        let value = self.without_wraps(value, k, sums.known);
        // What each round allocates is another object in each.
        let made = self.arena.cone(&[value]).into_iter().any(|t| self.is_address_since(t, mark.1));
        if made {
            let (value, all) = self.made_in_each_round(value, end, map, mark, k, place)?;
            return Some(Filled { from, stride, bytes: write.bytes, value, held: None, made: Some(all) });
        }
        // No other round writes there.
        let held = self.held_in_round(o, start, at, write.bytes);
        if let Some(value) = self.added_to_the_one_before(
            (o, start),
            (at, from, stride),
            write.bytes,
            value,
            (mark, k, place.1.func),
            held,
            sums,
        ) {
            return Some(Filled { from, stride, bytes: write.bytes, value, held: None, made: None });
        }
        let (value, held) = self.of_each_round(value, write.bytes, mark, k, held);
        Some(Filled { from, stride, bytes: write.bytes, value, held, made: None })
    }

    /// The same without the readings that cannot change a number of any round: `i + 1` where `i < n`.
    fn without_wraps(&mut self, t: TermId, k: TermId, known: &[TermId]) -> TermId {
        let (mut t, mut last) = (t, None);
        loop {
            let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
            for n in self.arena.cone(&[t]) {
                let Term::Wrap { arg, bits, signed } = *self.arena.get(n) else { continue };
                let Some((rest, factor)) = self.linear_part(arg, k) else { continue };
                let last = *last.get_or_insert_with(|| self.last_round(k, known));
                let moved = Range { lo: Some(0), hi: last }.scale(factor);
                let rest = self.arena.range(rest);
                let sum = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
                if Range::of_int(bits, signed)
                    .contains(Range { lo: sum(moved.lo, rest.lo), hi: sum(moved.hi, rest.hi) })
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

    /// `rest + factor · k`.
    fn linear_part(&mut self, t: TermId, k: TermId) -> Option<(TermId, i128)> {
        let factor = self.arena.poly(t).terms.iter().find(|(m, _)| m.as_slice() == [k]).map(|(_, c)| *c)?;
        let own = self.arena.scale(k, factor);
        let rest = self.arena.sub(t, own);
        (!self.arena.cone(&[rest]).contains(&k)).then_some((rest, factor))
    }

    /// The greatest number of a round that goes on, as its conditions say.
    fn last_round(&mut self, k: TermId, known: &[TermId]) -> Option<i128> {
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

    /// The number that stands, in a round, for what an array held at its start.
    fn held_in_round(&mut self, o: ObjId, start: &ObjState, at: TermId, bytes: u32) -> Option<TermId> {
        let Rest::Unknown { version, .. } = &start.rest else { return None };
        match self.content(o, *version, at, bytes * 8) {
            Value::Int(t) => Some(t),
            _ => None,
        }
    }

    /// The value of a round that adds to the element which the round before wrote, or to the one before the first: what was there, and
    /// the sum so far. `held` stands for what its own element held.
    #[expect(clippy::too_many_arguments, reason = "one array of a loop, as its other variables")]
    fn added_to_the_one_before(
        &mut self,
        (o, start): (ObjId, &ObjState),
        (at, from, stride): (TermId, TermId, i128),
        bytes: u32,
        value: TermId,
        (mark, k, func): ((usize, u32), TermId, FuncRef),
        held: Option<TermId>,
        sums: &Sums<'_>,
    ) -> Option<TermId> {
        let at_before = self.arena.add_const(at, -stride);
        let before = self.held_in_round(o, start, at_before, bytes)?;
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
        let (added, _) = self.of_each_round(added, bytes, mark, k, None);
        let step = self.any_step(self.arena.range(added))?;
        let before_first = self.arena.add_const(from, -stride);
        let first = self.held_at_place(o, &old, before_first, bytes, func)?;
        let rounds = self.arena.add_const(k, 1);
        let sum = self.sum_before(step, rounds);
        let all = self.arena.add(first, sum);
        Some(self.arena.wrap(all, bytes * 8, true))
    }

    /// A value that a round computes, as a function of the round: what the round itself makes up is another in each. And what stands
    /// there for `held`.
    fn of_each_round(
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
            let new = match self.arena.get(n) {
                Term::Sym(s) if (s.0 as usize) >= mark.0 && n != k && !steps.contains(&n) => {
                    let (serial, range) = (s.0, self.arena.symbol(*s).range);
                    Some((serial, range))
                }
                // A choice that is open: anything.
                Term::BoolSym(s) if (s.0 as usize) >= mark.0 => {
                    let s = *s;
                    return (self.anything_in_each_round(s.0, bytes, k), None);
                }
                // What is read of memory that the loop itself changes.
                Term::Apply { function: Function::Content, range, .. }
                    if !self.only_old(n, mark.0, mark.1, Some(k)) =>
                {
                    Some((u32::MAX - n.0, *range))
                }
                _ => None,
            };
            if let Some((id, range)) = new {
                let each = self.arena.apply(Function::Round(id), vec![k], range);
                own.insert(n, each);
            }
        }
        (self.arena.substitute(value, &own), held.and_then(|h| own.get(&h).copied()))
    }

    fn anything_in_each_round(&mut self, serial: u32, bytes: u32, k: TermId) -> TermId {
        self.arena.apply(Function::Round(serial), vec![k], Range::of_value(bytes * 8, true))
    }

    /// At iteration `k` of a loop in `func` the rounds before it have filled their elements; `before` is the state at the loop's start.
    pub(in crate::symbolic) fn fill_so_far(
        &mut self,
        s: &mut State,
        before: &State,
        o: ObjId,
        filled: &[Filled],
        (k, func): (TermId, FuncRef),
    ) {
        // What the rounds themselves made is arbitrary already.
        let Some(old) = before.mem.get(&o) else { return };
        s.mem.insert(o, Rc::clone(old));
        for f in filled {
            if let Some(all) = f.made {
                self.rounds_begin(s, all);
            }
            // A symbol of its own: the number of an element is none of a round that is under way.
            let element = self.arena.fresh(
                SymKind::Iteration { name: "an element".into() },
                "an element",
                Range::new(0, 1 << 62),
            );
            let mut value = self.arena.substitute(f.value, &std::iter::once((k, element)).collect());
            if let Some(held) = f.held {
                let held = self.arena.substitute(held, &std::iter::once((k, element)).collect());
                let moved = self.arena.scale(element, f.stride);
                let at = self.arena.add(f.from, moved);
                if let Some(known) = self.held_at_place(o, old, at, f.bytes, func) {
                    value = self.arena.substitute(value, &std::iter::once((held, known)).collect());
                }
            }
            self.write_layer(s, o, f.from, (f.stride, f.bytes, k), Written::Each { k: element, value });
        }
    }
}
