//! Arrays that a loop fills: one element in each round, at equal distances.

use super::exec::{Executor, Site, State};
use super::layers::{Layer, ROUND, Written};
use super::memory::{ObjId, Rest};
use super::term::{Range, SymKind, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Elements that a round writes to one array.
const MAX_MEMBERS: usize = 8;

/// What a loop writes to an array: in bytes, by the number of the round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    from: TermId,
    stride: i128,
    bytes: u32,
    value: TermId,
    /// What stands for the memory that rounds allocate whose addresses these are.
    pub made: Option<ObjId>,
}

impl Executor<'_> {
    /// What a round writes to an array of which nothing was known at its start (`states`: that and its end), where it is one
    /// element, or several with equal distances that lie apart (members of a structure), on every way through the round; in the order in
    /// which they are written. `map` has the loop's variables at iteration `k`; symbols before `mark.0` and contents up to `mark.1` are
    /// older than the loop, which `place` tells.
    pub(super) fn filled(&mut self, o: ObjId, states: (&State, &State), map: &FxHashMap<TermId, TermId>, mark: (usize, u32), k: TermId, place: (u64, Site)) -> Option<Vec<Filled>> {
        let (start, end) = (states.0.mem.get(&o)?, states.1.mem.get(&o)?);
        let mut state = self.settled(states.1.path, end);
        let mut all: Vec<Filled> = vec![];
        while state != *start {
            let Rest::Layer(layer) = &state.rest else { return None };
            if !state.cells.is_empty() || self.arena.as_int(layer.count) != Some(1) || all.len() >= MAX_MEMBERS { return None; }
            let layer = layer.clone();
            let filled = self.filled_by(&layer, states.1, map, mark, k, place)?;
            let mut hidden = false;
            for later in &all {
                if later.stride != filled.stride { return None; }
                hidden |= (later.from, later.bytes) == (filled.from, filled.bytes);
                if hidden { break; }
                let apart = self.arena.sub(later.from, filled.from);
                let apart = self.arena.as_int(apart)?.rem_euclid(filled.stride);
                if apart < i128::from(filled.bytes) || apart + i128::from(later.bytes) > filled.stride { return None; }
            }
            // What is written twice holds what was written last.
            if !hidden { all.push(filled); }
            state = layer.below.clone();
        }
        all.reverse();
        (!all.is_empty()).then_some(all)
    }

    fn filled_by(&mut self, layer: &Layer, end: &State, map: &FxHashMap<TermId, TermId>, mark: (usize, u32), k: TermId, place: (u64, Site)) -> Option<Filled> {
        let Written::All(value) = layer.what else { return None };
        let at = self.arena.substitute(layer.from, map);
        if !self.only_old(at, mark.0, mark.1, Some(k)) { return None; }
        let next = self.arena.add_const(k, 1);
        let after = self.arena.substitute(at, &std::iter::once((k, next)).collect());
        let step = self.arena.sub(after, at);
        let stride = self.arena.as_int(step).filter(|s| *s >= i128::from(layer.bytes))?;
        let zero = self.arena.int(0);
        let from = self.arena.substitute(at, &std::iter::once((k, zero)).collect());
        let value = self.arena.substitute(value, map);
        // What each round allocates is another object in each.
        let made = self.arena.cone(&[value]).into_iter().any(|t| self.is_address_since(t, mark.1));
        if made {
            let (value, all) = self.made_in_each_round(value, end, map, mark, k, place)?;
            return Some(Filled { from, stride, bytes: layer.bytes, value, made: Some(all) });
        }
        let value = self.of_each_round(value, layer.bytes, mark, k);
        Some(Filled { from, stride, bytes: layer.bytes, value, made: None })
    }

    /// A value that a round computes, as a function of the round: what the round itself makes up is another in each.
    fn of_each_round(&mut self, value: TermId, bytes: u32, mark: (usize, u32), k: TermId) -> TermId {
        let mut own: FxHashMap<TermId, TermId> = FxHashMap::default();
        for n in self.arena.cone(&[value]) {
            let new = match self.arena.get(n) {
                Term::Sym(s) if (s.0 as usize) >= mark.0 && n != k => {
                    let (serial, range) = (s.0, self.arena.symbol(*s).range);
                    Some((serial, range))
                }
                // A choice that is open: anything.
                Term::BoolSym(s) if (s.0 as usize) >= mark.0 => { let s = *s; return self.anything_in_each_round(s.0, bytes, k); }
                // What is read of memory that the loop itself changes.
                Term::Apply { name, range, .. } if name == "content" && !self.only_old(n, mark.0, mark.1, Some(k)) => Some((u32::MAX - n.0, *range)),
                _ => None,
            };
            if let Some((id, range)) = new {
                let each = self.arena.apply(format!("{ROUND}{id}"), vec![k], range);
                own.insert(n, each);
            }
        }
        self.arena.substitute(value, &own)
    }

    fn anything_in_each_round(&mut self, serial: u32, bytes: u32, k: TermId) -> TermId {
        self.arena.apply(format!("{ROUND}{serial}"), vec![k], Range::of_int(bytes * 8, true))
    }

    /// At iteration `k` the rounds before it have filled their elements; `before` is the state at the loop's start.
    pub(super) fn fill_so_far(&mut self, s: &mut State, before: &State, o: ObjId, filled: &[Filled], k: TermId) {
        let Some(old) = before.mem.get(&o) else { return };
        s.mem.insert(o, Rc::clone(old));
        for f in filled {
            if let Some(all) = f.made { self.rounds_begin(s, all); }
            // A symbol of its own: the number of an element is none of a round that is under way.
            let element = self.arena.fresh(SymKind::Iteration { name: "an element".into() }, "an element", Range::new(0, 1 << 62));
            let value = self.arena.substitute(f.value, &std::iter::once((k, element)).collect());
            self.write_layer(s, o, f.from, (f.stride, f.bytes, k), Written::Each { k: element, value });
        }
    }
}
