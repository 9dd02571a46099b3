//! Loads: the value of a read at any offset, from cells, layers or unknown contents with a version.
//!
//! In: a pointer's targets, a type and the state. Out: the value, an if-then-else over several candidate targets and
//! cells. A transfer function: it changes no contents, except that an object that exists from the start gets its
//! initial state.

use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use super::scalar::Scalar;
use super::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use ir::{FuncRef, Side, TypeId, TypeKind};
use std::rc::Rc;

/// Maximum number of constants that an offset may equal to be followed to each of them.
const MAX_PLACES: usize = 8;

impl ExecutionContext<'_> {
    pub(in crate::symbolic) fn load(
        &mut self,
        s: &mut State,
        f: FuncRef,
        p: &Rc<Vec<GuardedTarget>>,
        ty: TypeId,
    ) -> Value {
        let m = self.module(f);
        let mut out: Option<Value> = None;
        let p = self.targets_on(s.path, p);
        for t in self.not_null(&p).iter() {
            let v = match &t.base {
                Base::Object(o) => self.load_object(s, f, *o, t.offset, ty),
                Base::Null => self.unknown_of(m, ty, &UnknownReason::LoadedThroughNull),
                Base::Func(_) => self.unknown_of(m, ty, &UnknownReason::LoadedFromFunction),
                Base::Unknown(l) if matches!(m.ty(ty).kind, TypeKind::Ptr(_)) => {
                    let l = l.clone();
                    self.load_lost(s, &l)
                }
                Base::Unknown(l) => {
                    let r = l.reason.clone();
                    self.unknown_of(m, ty, &r)
                }
            };
            out = Some(match out {
                None => v,
                Some(old) => self.ite_value(t.cond, &v, &old),
            });
        }
        out.unwrap_or_else(|| self.unknown_of(m, ty, &UnknownReason::LoadedThroughNothing))
    }

    /// Whether nobody else may write such a scalar of the object while it is read.
    pub(in crate::symbolic) fn is_read_as_it_was(&self, o: ObjId, read: Scalar) -> bool {
        self.knows_stores(o)
            || matches!(self.object(o).kind, ObjKind::Constant(_)) && self.is_settled(o)
            || self.is_as_at_launch(o, read)
    }

    pub(in crate::symbolic) fn load_object(
        &mut self,
        s: &mut State,
        f: FuncRef,
        o: ObjId,
        offset: TermId,
        ty: TypeId,
    ) -> Value {
        let m = self.module(f);
        let size = m.size_of(ty).get();
        if self.is_never_known(o) {
            let reason = UnknownReason::OneOfSeveralHolds(self.object(o).name.clone());
            return self.unknown_of(m, ty, &reason);
        }
        // The device may write this memory at any time until the host waits for it. Pointers that it may store are part
        // of the points-to set.
        if self.is_under_way(s, o) && !matches!(m.ty(ty).kind, TypeKind::Ptr(_)) {
            let reason = UnknownReason::HoldsMeanwhile(self.object(o).name.clone());
            return self.unknown_of(m, ty, &reason);
        }
        // Writes by other threads are not followed.
        if !self.is_read_as_it_was(o, Scalar::of(&m.ty(ty).kind)) {
            if let Some(v) = self.load_beside(f, o, offset, ty) {
                return v;
            }
            let reason = UnknownReason::Holds(self.object(o).name.clone());
            return self.load_shared(f, (o, (offset, s.path)), ty, (false, None), &reason);
        }
        self.ensure(s, o);
        if self.is_written_by_another_name(s, o) {
            return self.unknown_of(m, ty, &UnknownReason::TextWritten);
        }
        self.note_used_by_host(o);
        match &m.ty(ty).kind {
            TypeKind::Struct { fields, .. } => {
                let v = fields
                    .iter()
                    .map(|x| {
                        let d = self.arena.add_const(offset, i128::from(x.offset));
                        self.load_object(s, f, o, d, x.ty)
                    })
                    .collect();
                return Value::Aggregate(Rc::new(v));
            }
            TypeKind::Array { elem, count } if count.get() <= 64 => {
                let stride = m.size_of(*elem);
                let v = count
                    .offsets(stride)
                    .map(|at| {
                        let d = self.arena.add_const(offset, i128::from(at));
                        self.load_object(s, f, o, d, *elem)
                    })
                    .collect();
                return Value::Aggregate(Rc::new(v));
            }
            TypeKind::Vector { elem, count } => {
                let stride = m.size_of(*elem);
                let v = count
                    .offsets(stride)
                    .map(|at| {
                        let d = self.arena.add_const(offset, i128::from(at));
                        self.load_object(s, f, o, d, *elem)
                    })
                    .collect();
                return Value::Aggregate(Rc::new(v));
            }
            _ => {}
        }
        let Some(state) = s.mem.get(&o).cloned() else { return self.unknown_of(m, ty, &UnknownReason::UnknownMemory) };
        if self.is_changed_by_another_name(s, o, Scalar::of(&m.ty(ty).kind)) {
            return self.unknown_of(m, ty, &UnknownReason::StoredByOtherName);
        }
        let raw = self.read_cells(o, &state, offset, size, Some((f, ty)));
        let v = self.convert(f, raw, ty);
        self.remember_number(s, o, offset, size, &v);
        self.among_stored(o, v)
    }

    /// Loads a pointer through a pointer.
    pub fn load_pointer(&mut self, s: &mut State, p: &Rc<Vec<GuardedTarget>>) -> Rc<Vec<GuardedTarget>> {
        let mut out: Option<Value> = None;
        for t in p.iter() {
            let v = match &t.base {
                Base::Object(o) => {
                    self.ensure(s, *o);
                    self.note_used_by_host(*o);
                    let changed = self.is_changed_by_another_name(s, *o, Scalar::Pointer);
                    let st = s.mem.get(o).filter(|_| !changed).cloned();
                    match st {
                        Some(st) => {
                            let v = self.read_cells(*o, &st, t.offset, 8, None);
                            let p = self.as_pointer(&v);
                            Value::Ptr(p)
                        }
                        None => self.unknown_pointer(&UnknownReason::UnknownMemory),
                    }
                }
                _ => self.unknown_pointer(&UnknownReason::LoadedThroughLost),
            };
            out = Some(match out {
                None => v,
                Some(old) => self.ite_value(t.cond, &v, &old),
            });
        }
        match out {
            Some(Value::Ptr(p)) => p,
            _ => {
                let v = self.unknown_pointer(&UnknownReason::LoadedThroughNothing);
                self.as_pointer(&v)
            }
        }
    }

    /// Loads a value of a type of the function's module.
    pub fn load_typed(&mut self, s: &mut State, f: FuncRef, p: &Rc<Vec<GuardedTarget>>, ty: TypeId) -> Value {
        self.load(s, f, p, ty)
    }
}

impl MemoryDomain<'_> {
    pub fn read_cells(
        &mut self,
        o: ObjId,
        state: &ObjState,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        if self.several.has_other_names(o) {
            let reason = UnknownReason::OneOfSeveralHolds(self.object(o).name.clone());
            return match want {
                Some((f, ty)) => {
                    let m = self.module(f);
                    self.unknown_of(m, ty, &reason)
                }
                None => Value::unknown(reason.clone()),
            };
        }
        let Some(at) = self.arena.as_int(offset).and_then(|v| i64::try_from(v).ok()) else {
            return self.read_variable(o, state, offset, size, want);
        };
        let width = i64::try_from(size).unwrap_or(i64::MAX / 4);
        if let Some((sz, v)) = state.cells.get(&at)
            && u64::from(*sz) == size
        {
            return v.clone();
        }
        let parts: Vec<(i64, u32, Value)> =
            state.overlapping(at, at.saturating_add(width)).map(|(o, s, v)| (o, s, v.clone())).collect();
        if parts.is_empty() {
            return self.rest_value(o, state, offset, size, want);
        }
        // Several integers are read as one (`dim3` passed in registers).
        if parts.iter().all(|(_, _, v)| matches!(v, Value::Int(_) | Value::Bool(_))) {
            let covered: i64 = parts.iter().map(|(_, s, _)| i64::from(*s)).sum();
            let inside = parts.iter().all(|(po, ps, _)| *po >= at && po + i64::from(*ps) <= at + width);
            if inside && width <= 8 {
                // Unwritten bytes between them (padding of a structure) may be anything.
                let parts = self.with_bytes_between(parts, (at, width), covered);
                let mut sum = self.arena.int(0);
                for (po, ps, v) in &parts {
                    let bits = ps * 8;
                    let t = self.as_int_value(v, bits);
                    let t = self.interpret(t, bits, false);
                    // The first piece begins at the offset that is read: none lies before it.
                    let Ok(shift) = u32::try_from((po - at) * 8) else { continue };
                    if shift >= 64 {
                        return Value::unknown(UnknownReason::WideInteger);
                    }
                    let t = self.arena.scale(t, 1i128 << shift);
                    sum = self.arena.add(sum, t);
                }
                return Value::Int(sum);
            }
            if let [(po, ps, v)] = parts.as_slice()
                && *po <= at
                && at + width <= po + i64::from(*ps)
                && *ps <= 8
            {
                let t = self.as_int_value(v, ps * 8);
                let u = self.interpret(t, ps * 8, false);
                let Ok(shift) = u32::try_from((at - po) * 8) else { return Value::unknown(UnknownReason::PartOfValue) };
                let t = self.arena.floor_div(u, 1i128 << shift);
                return Value::Int(self.arena.modulo(t, 1i128 << (width * 8)));
            }
        }
        Value::unknown(UnknownReason::WrittenInPieces)
    }

    /// Loads at a variable offset.
    pub(in crate::symbolic) fn read_variable(
        &mut self,
        o: ObjId,
        state: &ObjState,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let r = self.arena.range(offset);
        let lo = r.lo.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MIN / 4);
        let hi =
            r.hi.and_then(|v| i64::try_from(v).ok())
                .unwrap_or(i64::MAX / 4)
                .saturating_add(i64::try_from(size).unwrap_or(0));
        let hits: Vec<(i64, u32, Value)> = state.overlapping(lo, hi).map(|(o, s, v)| (o, s, v.clone())).collect();
        if hits.is_empty() {
            return self.rest_value(o, state, offset, size, want);
        }
        if let Some(places) = self.few_places(offset) {
            let mut v: Option<Value> = None;
            for k in places {
                let (x, c) = (self.read_cells(o, state, k, size, want), self.arena.eq(offset, k));
                v = Some(match v {
                    None => x,
                    Some(old) => self.ite_value(c, &x, &old),
                });
            }
            return v.unwrap_or_else(|| Value::unknown(UnknownReason::NoPlace));
        }
        // An array of equal cells: one of them, or the contents beside them. This way pointers keep their targets.
        let aligned = hits.iter().all(|(_, s, _)| u64::from(*s) == size);
        let width = i128::from(size);
        let into = self.arena.modulo(offset, width.max(1));
        let regular = self.arena.as_int(into) == Some(0) && hits.iter().all(|(at, ..)| i128::from(*at) % width == 0);
        let all = i64::try_from(hits.len()).ok().map(|n| i128::from(n) * width)
            == self.object(o).extent.and_then(|e| self.arena.as_int(e));
        // Unwritten memory may be taken for written memory.
        let beside = !(all || state.rest == UncoveredContents::Uninit);
        if !aligned
            && self.arena.as_int(into) == Some(0)
            && let Some(runs) = self.runs_of_zeros(&hits, i64::try_from(size).unwrap_or(i64::MAX))
        {
            let zero = match want {
                Some((f, ty)) => self.zero_of(f, ty),
                None => Value::Int(self.arena.int(0)),
            };
            let bytes: i64 = runs.iter().map(|r| r.1 - r.0).sum();
            let all = self.object(o).extent.and_then(|e| self.arena.as_int(e)) == Some(i128::from(bytes));
            let mut v: Option<Value> = (!all && state.rest != UncoveredContents::Uninit)
                .then(|| self.rest_value(o, state, offset, size, want));
            for (from, to) in runs {
                let [from, to] = [from, to].map(|at| self.arena.int(i128::from(at)));
                let (behind, before) = (self.arena.le(from, offset), self.arena.lt(offset, to));
                let there = self.arena.and(behind, before);
                v = Some(match v {
                    None => zero.clone(),
                    Some(old) => self.ite_value(there, &zero, &old),
                });
            }
            return v.unwrap_or(zero);
        }
        if aligned && hits.len() <= 64 && (regular || !beside) {
            let mut v: Option<Value> = beside.then(|| self.rest_value(o, state, offset, size, want));
            for (at, _, x) in hits {
                let k = self.arena.int(i128::from(at));
                let c = self.arena.eq(offset, k);
                v = Some(match v {
                    None => x,
                    Some(old) => self.ite_value(c, &x, &old),
                });
            }
            return v.unwrap_or_else(|| Value::unknown(UnknownReason::EmptyArray));
        }
        let name = self.object(o).name.clone();
        match want {
            Some((f, ty)) => {
                let m = self.module(f);
                self.unknown_of(m, ty, &UnknownReason::ElementOf(name.clone()))
            }
            None => Value::unknown(UnknownReason::ArrayElement),
        }
    }

    /// Value of memory outside the cells.
    pub(in crate::symbolic) fn rest_value(
        &mut self,
        o: ObjId,
        state: &ObjState,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let name = self.object(o).name.clone();
        // The array as given; once the program replaces or permutes arguments, they are unknown.
        if matches!(self.object(o).kind, ObjKind::ArgvArray)
            && self.heap.first(o).is_some_and(|first| first.rest == state.rest)
        {
            return match self.arena.as_int(offset).and_then(|v| u32::try_from(v).ok()) {
                Some(at) if at % 8 == 0 => {
                    let text = self.argument_text(at / 8);
                    self.pointer(text, 0)
                }
                _ => self.argument_at(offset).unwrap_or_else(|| self.unknown_pointer(&UnknownReason::ArgumentAt)),
            };
        }
        match &state.rest {
            UncoveredContents::Zero => match want {
                Some((f, ty)) => self.zero_of(f, ty),
                None => Value::Int(self.arena.int(0)),
            },
            UncoveredContents::Uninit => {
                let reason = UnknownReason::Unwritten(name.clone());
                match want {
                    Some((f, ty)) if matches!(self.module(f).ty(ty).kind, TypeKind::Ptr(_)) => {
                        self.lost_pointer(UnknownPointer::unset(reason))
                    }
                    Some((f, ty)) => {
                        let m = self.module(f);
                        self.unknown_of(m, ty, &reason)
                    }
                    None => Value::unknown(reason),
                }
            }
            UncoveredContents::Init => {
                match self.initial_value(o, offset, size).or_else(|| self.initial_element(o, offset, size)) {
                    Some(v) => v,
                    None => match want {
                        Some((f, ty)) => {
                            let m = self.module(f);
                            self.unknown_of(m, ty, &UnknownReason::ElementOf(name.clone()))
                        }
                        None => Value::unknown(UnknownReason::TableElement),
                    },
                }
            }
            UncoveredContents::Layer(l) => {
                let l = l.clone();
                self.read_layer(o, &l, offset, size, want)
            }
            UncoveredContents::Either(e) => {
                let e = e.clone();
                self.read_either(o, &e, offset, size, want)
            }
            UncoveredContents::Unknown { version, reason, .. } => {
                if let (Some((f, ty)), Some(at)) = (want, self.arena.as_int(offset).and_then(|v| i64::try_from(v).ok()))
                    && let Some(v) = self.given_value((o, state), at, size, &self.module(f).ty(ty).kind)
                {
                    return v;
                }
                let int = match want {
                    Some((f, ty)) => match self.module(f).ty(ty).kind {
                        TypeKind::Int(b) if b > 1 => Some(b),
                        _ => None,
                    },
                    None => None,
                };
                if let Some(bits) = int {
                    return self.content(o, *version, offset, bits);
                }
                let reason = reason.clone();
                match want {
                    Some((f, ty)) => {
                        let m = self.module(f);
                        self.unknown_of(m, ty, &reason)
                    }
                    None => Value::Unknown(reason),
                }
            }
        }
    }

    /// Converts a cell's value to the type as which it is read.
    pub(in crate::symbolic) fn convert(&mut self, f: FuncRef, v: Value, ty: TypeId) -> Value {
        let m = self.module(f);
        match (&m.ty(ty).kind, v) {
            (TypeKind::Int(1), v) => Value::Bool(self.as_bool_value(&v)),
            (TypeKind::Int(bits), Value::Bool(_) | Value::Ptr(_)) if *bits < 8 => {
                self.unknown_of(m, ty, &UnknownReason::NarrowValue)
            }
            (TypeKind::Int(_), v @ Value::Int(_)) => v,
            (TypeKind::Int(bits), v @ (Value::Bool(_) | Value::Ptr(_))) => {
                let b = *bits;
                Value::Int(self.as_int_value(&v, b))
            }
            (TypeKind::Ptr(_), v @ Value::Ptr(_)) => v,
            (TypeKind::Ptr(_), Value::Int(t)) => self.int_as_pointer(t),
            (TypeKind::Float(_), v @ Value::Real(_)) => v,
            (TypeKind::Float(_), Value::Int(t)) if self.arena.as_int(t) == Some(0) => {
                Value::Real(super::value::Ratio::exact(t))
            }
            (_, Value::Unknown(r)) => self.unknown_of(m, ty, &r),
            _ => self.unknown_of(m, ty, &UnknownReason::OtherType),
        }
    }
}

impl ValueDomain<'_> {
    /// Drops targets of a pointer that the host accesses whose conditions the path excludes: behind
    /// `if (!w.has_value()) return;` a copy of `w` leads to the tensor alone.
    pub(in crate::symbolic) fn targets_on(
        &mut self,
        path: TermId,
        p: &Rc<Vec<GuardedTarget>>,
    ) -> Rc<Vec<GuardedTarget>> {
        if self.side == Side::Device || p.len() < 2 {
            return p.clone();
        }
        let known = self.arena.conjuncts(path);
        charge_each(cost::OBJECT, known.len());
        let holds = |c: &TermId| known.binary_search(c).is_ok();
        let mut left = vec![];
        for t in p.iter() {
            let all = self.arena.conjuncts(t.cond);
            if all.iter().all(holds) {
                return Rc::new(vec![t.clone()]);
            }
            let is_excluded = all.into_iter().any(|c| holds(&self.arena.not(c)));
            if !is_excluded {
                left.push(t.clone());
            }
        }
        if left.is_empty() || left.len() == p.len() { p.clone() } else { Rc::new(left) }
    }

    /// Drops null targets of a pointer that the host accesses, if others remain: after an access through null, such as
    /// that of an empty `std::vector`, the program does not continue.
    pub(in crate::symbolic) fn not_null(&self, p: &Rc<Vec<GuardedTarget>>) -> Rc<Vec<GuardedTarget>> {
        let is_null = |t: &GuardedTarget| t.base == Base::Null;
        if self.side == Side::Device || p.len() < 2 || !p.iter().any(is_null) || p.iter().all(is_null) {
            return p.clone();
        }
        Rc::new(p.iter().filter(|t| !is_null(t)).cloned().collect())
    }
}

impl Terms {
    /// Writes a number read from an unknown cell back into the cell, so that later reads give the same number.
    pub(in crate::symbolic) fn remember_number(
        &self,
        s: &mut State,
        o: ObjId,
        offset: TermId,
        size: u64,
        read: &Value,
    ) {
        let Some(at) = self.arena.as_int(offset).and_then(|v| i64::try_from(v).ok()) else { return };
        let is_unknown =
            |s: &ObjState| matches!(s.cells.get(&at), Some((n, Value::Unknown(_))) if u64::from(*n) == size);
        if !matches!(read, Value::Int(_)) || !s.mem.get(&o).is_some_and(|x| is_unknown(x)) {
            return;
        }
        let Some(state) = s.mem.get_mut(&o) else { return };
        if let Some(cell) = Rc::make_mut(state).cells.get_mut(&at) {
            cell.1 = read.clone();
        }
    }

    /// Adds an unknown piece for each byte that the pieces do not cover.
    fn with_bytes_between(
        &mut self,
        mut parts: Vec<(i64, u32, Value)>,
        (at, width): (i64, i64),
        covered: i64,
    ) -> Vec<(i64, u32, Value)> {
        if covered < width {
            let holes: Vec<i64> = (at..at + width)
                .filter(|b| !parts.iter().any(|(from, n, _)| (*from..from + i64::from(*n)).contains(b)))
                .collect();
            for b in holes {
                let kind = SymKind::Unknown { reason: UnknownReason::WrittenInPieces };
                let byte = self.arena.fresh(kind, "?", Interval::new(0, 255));
                parts.push((b, 1, Value::Int(byte)));
            }
        }
        parts
    }

    /// Bounds of runs of adjacent cells, if all cells are zero and each run is aligned to integers of `size` bytes.
    pub(in crate::symbolic) fn runs_of_zeros(&self, cells: &[(i64, u32, Value)], size: i64) -> Option<Vec<(i64, i64)>> {
        let mut runs: Vec<(i64, i64)> = vec![];
        for (at, bytes, v) in cells {
            if !matches!(v, Value::Int(t) if self.arena.as_int(*t) == Some(0)) {
                return None;
            }
            let end = at + i64::from(*bytes);
            match runs.last_mut() {
                Some(last) if last.1 == *at => last.1 = end,
                _ => runs.push((*at, end)),
            }
        }
        runs.iter().all(|r| r.0 % size == 0 && r.1 % size == 0).then_some(runs)
    }

    /// Constants that an offset may equal, if they are few: an offset of one of several members, for example.
    pub(in crate::symbolic) fn few_places(&self, offset: TermId) -> Option<Vec<TermId>> {
        if !matches!(self.arena.get(offset), Term::Ite(..)) {
            return None;
        }
        let mut places = self.leaves(offset)?;
        places.sort_unstable();
        (places.len() <= MAX_PLACES && places.iter().all(|k| self.arena.as_int(*k).is_some())).then_some(places)
    }

    /// An unknown integer in memory. Equal versions hold equal contents.
    pub(in crate::symbolic) fn content(&mut self, o: ObjId, version: u32, offset: TermId, bits: u32) -> Value {
        let args = vec![
            self.arena.int(i128::from(o.0)),
            self.arena.int(i128::from(version)),
            offset,
            self.arena.int(i128::from(bits)),
        ];
        Value::Int(self.arena.apply(UninterpretedFunction::Content, args, Interval::of_value(bits, true)))
    }
}
