//! Joins of paths: memory and values where several paths meet.
//!
//! In: states with their conditions. Out: one state, in which a value that differs is an if-then-else over the
//! condition that distinguishes the paths.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::loops::quantified_facts::QuantifiedFact;
use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Ratio, Value};
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::TypeKind;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Merges states that reach one point. The second result has one selector for each state but the first: true if
    /// the merge of the earlier states was reached rather than that state.
    pub fn merge(&mut self, states: Vec<State>) -> Option<(State, Vec<TermId>)> {
        let mut it = states.into_iter();
        let mut acc = it.next()?;
        let mut selectors = vec![];
        for s in it {
            let (sel, path) = self.selector(acc.path, s.path);
            selectors.push(sel);
            acc = self.merge_two(acc, s, sel, path);
        }
        Some((acc, selectors))
    }

    fn merge_two(&mut self, mut a: State, mut b: State, sel: TermId, path: TermId) -> State {
        self.ensure_both(&mut a, &mut b);
        let mut mem = a.mem.clone();
        for (id, of_a, of_b) in a.mem.differing(&b.mem) {
            match (of_a, of_b) {
                (Some(sa), Some(sb)) => {
                    let m = self.merge_object(id, sa, sb, sel, [&a, &b]);
                    mem.insert(id, Rc::new(m));
                }
                (None, Some(sb)) => {
                    mem.insert(id, sb.clone());
                }
                _ => {}
            }
        }
        let pending = if a.pending == b.pending { a.pending } else { None };
        let always = QuantifiedFact::joined(&a.always, &b.always);
        let lent = if Rc::ptr_eq(&a.lent, &b.lent) { a.lent } else { Rc::new(a.lent.with(&b.lent)) };
        State { path, mem, pending, always, lent }
    }

    /// Adds to each state the objects that exist from the start and that only the other state has used so far. Any
    /// other missing object was allocated on the other's path.
    fn ensure_both(&mut self, a: &mut State, b: &mut State) {
        let lacks = |e: &Self, x: &State, y: &State| -> Vec<ObjId> {
            let only = x.mem.differing(&y.mem).filter(|(_, of_x, _)| of_x.is_none()).map(|(o, ..)| o);
            only.filter(|o| e.object(*o).kind.is_there_from_the_start()).collect()
        };
        let (of_a, of_b) = (lacks(self, a, b), lacks(self, b, a));
        for o in of_a {
            self.ensure(a, o);
        }
        for o in of_b {
            self.ensure(b, o);
        }
    }
}

impl MemoryDomain<'_> {
    fn merge_object(&mut self, id: ObjId, a: &ObjState, b: &ObjState, sel: TermId, states: [&State; 2]) -> ObjState {
        if a == b {
            return a.clone();
        }
        if let Some(mut both) = self.either(sel, a, b) {
            both.freed = self.merge_freed(sel, a.freed.as_ref(), b.freed.as_ref());
            return both;
        }
        let rest = if a.rest == b.rest {
            a.rest.clone()
        } else {
            match (&a.rest, &b.rest) {
                // Memory that was never written may be taken for whatever the other path wrote.
                (UncoveredContents::Uninit, r) | (r, UncoveredContents::Uninit)
                    if !matches!(r, UncoveredContents::Layer(_) | UncoveredContents::Either(_)) =>
                {
                    r.clone()
                }
                _ => {
                    let v = self.heap.next_version();
                    self.left_on_ways(id, v, states);
                    UncoveredContents::Unknown { version: v, input: false, reason: Rc::new(UnknownReason::TwoPaths) }
                }
            }
        };
        let freed = self.merge_freed(sel, a.freed.as_ref(), b.freed.as_ref());
        let mut out = ObjState { cells: Default::default(), rest, freed };
        let mut keys: Vec<(i64, u32)> = a.cells.iter().map(|(o, (s, _))| (*o, *s)).collect();
        keys.extend(b.cells.iter().map(|(o, (s, _))| (*o, *s)));
        keys.sort_unstable();
        keys.dedup();
        let mut end = i64::MIN;
        let together = keys.chunk_by(|a, b| {
            end = end.max(a.0 + i64::from(a.1));
            b.0 < end
        });
        let together: Vec<Vec<(i64, u32)>> = together.map(<[_]>::to_vec).collect();
        for cells in together {
            let (o, size) = cells[0];
            if cells.len() > 1 {
                self.merge_pieces(id, (a, b), sel, &cells, &mut out);
                continue;
            }
            let va = self.cell_for_merge(id, a, o, size);
            let vb = self.cell_for_merge(id, b, o, size);
            let given_a = self.given_for_merge((id, a), (o, size), va.as_ref(), vb.as_ref());
            let given_b = self.given_for_merge((id, b), (o, size), vb.as_ref(), va.as_ref());
            let (va, vb) = (given_a.or(va), given_b.or(vb));
            let v = match (va, vb) {
                (Some(x), Some(y)) => self.ite_value(sel, &x, &y),
                // Uninitialised on one side: the value of the other.
                (Some(x), None) | (None, Some(x)) => x,
                (None, None) => continue,
            };
            out.cells.insert(o, (size, v));
        }
        out
    }

    /// Merges cells of different sizes that share bytes: into one number if a cell has all of these bytes, else into
    /// unknown bytes.
    fn merge_pieces(
        &mut self,
        id: ObjId,
        (a, b): (&ObjState, &ObjState),
        sel: TermId,
        cells: &[(i64, u32)],
        out: &mut ObjState,
    ) {
        let from = cells[0].0;
        let end = cells.iter().map(|(o, size)| o + i64::from(*size)).max().unwrap_or(from);
        if let Some((_, size @ 1..=8)) = cells.iter().find(|(o, size)| *o == from && o + i64::from(*size) == end) {
            let at = self.arena.int(i128::from(from));
            let [x, y] = [a, b].map(|s| self.read_cells(id, s, at, u64::from(*size), None));
            out.cells.insert(from, (*size, self.ite_value(sel, &x, &y)));
            return;
        }
        for byte in from..end {
            out.cells.insert(byte, (1, Value::unknown(UnknownReason::PiecesOnTwoPaths)));
        }
    }

    /// Returns a cell's value, or the value of the rest of its object; `None` for memory that was never written.
    pub(in crate::symbolic) fn cell_for_merge(
        &mut self,
        id: ObjId,
        s: &ObjState,
        offset: i64,
        size: u32,
    ) -> Option<Value> {
        if let Some((sz, v)) = s.cells.get(&offset)
            && *sz == size
        {
            return Some(v.clone());
        }
        if s.overlapping(offset, offset + i64::from(size)).next().is_none() && s.rest == UncoveredContents::Uninit {
            return None;
        }
        let t = self.arena.int(i128::from(offset));
        Some(self.rest_value(id, s, t, u64::from(size), None))
    }

    /// Returns the caller's contents of memory that only the other path wrote: a pointer or a number, like the other
    /// value.
    fn given_for_merge(
        &mut self,
        (id, state): (ObjId, &ObjState),
        (at, size): (i64, u32),
        here: Option<&Value>,
        there: Option<&Value>,
    ) -> Option<Value> {
        let kind = match (here?, there?) {
            (Value::Unknown(_), Value::Ptr(_)) => TypeKind::Ptr(0),
            (Value::Unknown(_), Value::Int(_)) => TypeKind::Int(8 * size),
            _ => return None,
        };
        let is_rest = state.overlapping(at, at + i64::from(size)).next().is_none();
        if !is_rest || !matches!(state.rest, UncoveredContents::Unknown { .. }) {
            return None;
        }
        self.given_value((id, state), at, u64::from(size), &kind)
    }

    /// Returns `if c then a else b` on values.
    pub fn ite_value(&mut self, c: TermId, a: &Value, b: &Value) -> Value {
        if a == b {
            return a.clone();
        }
        match self.arena.as_bool(c) {
            Some(true) => return a.clone(),
            Some(false) => return b.clone(),
            None => {}
        }
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => Value::Int(self.arena.ite(c, *x, *y)),
            (Value::Bool(x), Value::Bool(y)) => {
                let n = self.arena.not(c);
                let l = self.arena.and(c, *x);
                let r = self.arena.and(n, *y);
                Value::Bool(self.arena.or(l, r))
            }
            (Value::Ptr(x), Value::Ptr(y)) => {
                let n = self.arena.not(c);
                let mut out: Vec<GuardedTarget> = vec![];
                for (t, side) in x.iter().map(|t| (t, c)).chain(y.iter().map(|t| (t, n))) {
                    let cond = self.arena.and(t.cond, side);
                    if self.arena.as_bool(cond) == Some(false) {
                        continue;
                    }
                    if let Some(o) = out.iter_mut().find(|o| o.base == t.base) {
                        o.offset = self.arena.ite(cond, t.offset, o.offset);
                        o.cond = self.arena.or(o.cond, cond);
                        if o.part != t.part {
                            o.part = None;
                        }
                    } else {
                        out.push(GuardedTarget { cond, ..t.clone() });
                    }
                }
                if out.len() > 32 {
                    // Stores through the merged pointer are found by the addresses recorded here.
                    for t in &out {
                        if let Base::Object(o) = t.base {
                            self.points_to.expose(o);
                        }
                    }
                    return self.unknown_pointer(&UnknownReason::ManyTargets);
                }
                Value::Ptr(Rc::new(out))
            }
            (Value::Aggregate(x), Value::Aggregate(y)) if x.len() == y.len() => {
                let v = x.iter().zip(y.iter()).map(|(x, y)| self.ite_value(c, x, y)).collect();
                Value::Aggregate(Rc::new(v))
            }
            (Value::Real(x), Value::Real(y)) if x.is_floored() || y.is_floored() => {
                let chosen = self.arena.real_chosen(c, x, y);
                chosen.map_or_else(|| Value::unknown(UnknownReason::TwoPaths), Value::Real)
            }
            (Value::Real(x), Value::Real(y)) if x.den == y.den => Value::Real(Ratio {
                num: self.arena.ite(c, x.num, y.num),
                den: x.den,
                rounding: x.rounding.or(y.rounding),
            }),
            // Zeroed memory in which the other path stored a pointer.
            (Value::Ptr(_), Value::Int(t)) if self.arena.as_int(*t) == Some(0) => {
                let null = self.null();
                self.ite_value(c, a, &null)
            }
            (Value::Int(t), Value::Ptr(_)) if self.arena.as_int(*t) == Some(0) => {
                let null = self.null();
                self.ite_value(c, &null, b)
            }
            // If one is an address, so is the other.
            (Value::Ptr(_), Value::Unknown(r)) => {
                let lost = self.unknown_pointer(r);
                self.ite_value(c, a, &lost)
            }
            (Value::Unknown(r), Value::Ptr(_)) => {
                let lost = self.unknown_pointer(r);
                self.ite_value(c, &lost, b)
            }
            (Value::Unknown(r), _) | (_, Value::Unknown(r)) => Value::Unknown(r.clone()),
            _ => Value::unknown(UnknownReason::TwoTypes),
        }
    }
}

impl Terms {
    /// Adds a condition to a state; `None` if it cannot hold.
    pub fn assume(&mut self, mut s: State, c: TermId) -> Option<State> {
        s.path = self.arena.and(s.path, c);
        if self.arena.as_bool(s.path) == Some(false) { None } else { Some(s) }
    }

    fn selector(&mut self, a: TermId, b: TermId) -> (TermId, TermId) {
        let (_, ra, rb) = self.arena.split_common(a, b);
        let path = self.arena.or(a, b);
        // The branch at which they parted, if both still contain its condition: later conditions do not distinguish
        // them.
        let of_b = self.arena.conjuncts(rb);
        for c in self.arena.conjuncts(ra) {
            let not = self.arena.not(c);
            if of_b.binary_search(&not).is_ok() {
                return (c, path);
            }
        }
        if self.arena.as_bool(ra).is_none() {
            return (ra, path);
        }
        let n = self.arena.not(rb);
        if self.arena.as_bool(n).is_none() {
            return (n, path);
        }
        (self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::PathTaken }, "?path"), path)
    }
}
