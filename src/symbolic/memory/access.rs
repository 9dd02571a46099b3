//! Loads, stores, copies and fills of the executor, and the record of what kernels access.

use super::array_write::Written;
use super::object::{ObjId, ObjKind, ObjState, Rest};
use super::value::collect;
use super::value::{Base, Lost, Target, Value, unwritten};
use crate::ir::{Const, FuncRef, Linkage, LocId, Side, TypeId, TypeKind};
use crate::symbolic::exec::events::{AccessEvent, AccessKind};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::with_end_of;
use crate::symbolic::terms::term::{Range, Term, TermId};
use std::rc::Rc;

/// Elements of a constant table that are looked up one by one.
const MAX_TABLE: i128 = 64;

/// Structures up to this many bytes are copied cell by cell.
const MAX_COPY: i128 = 1 << 14;

/// Constants that an offset may be to be followed to each of them.
const MOST_PLACES: usize = 8;

impl Executor<'_> {
    // ---- record ----

    pub(in crate::symbolic) fn record(
        &mut self,
        s: &State,
        site: Site,
        p: &Rc<Vec<Target>>,
        bytes: u64,
        kind: AccessKind,
    ) {
        let n = self.arena.int(i128::from(bytes));
        self.record_range(s, site, p, n, kind);
    }

    pub(in crate::symbolic) fn record_range(
        &mut self,
        s: &State,
        site: Site,
        p: &Rc<Vec<Target>>,
        bytes: TermId,
        kind: AccessKind,
    ) {
        let (rows, stores, pointer) = (self.rows.take(), std::mem::take(&mut self.stores), self.stored_pointer.take());
        if self.side != Side::Device {
            // The host's own memory is not what is checked, memory that it shares with devices is.
            if p.iter().any(|t| matches!(t.base, Base::Object(o) if matches!(self.object(o).kind, ObjKind::Managed))) {
                let stack = self.stack_to(site);
                self.note_use(s, &stack, p, kind, bytes);
            }
            return;
        }
        if kind != AccessKind::Read {
            let length = self.arena.as_int(bytes);
            for t in p.iter() {
                match t.base {
                    Base::Object(o) if !matches!(self.object(o).kind, ObjKind::DeviceLocal) => match (length, &pointer)
                    {
                        (Some(8), Some(p)) => self.note_pointer(o, t.offset, p),
                        (Some(n), _) => self.note_written(o, t.offset, n),
                        (None, _) => self.kernel.written.add_all(o),
                    },
                    Base::Unknown(Lost { unset: true, .. }) => {}
                    Base::Unknown(_) => self.kernel.written_anywhere = true,
                    // A thread's own variables are followed; nothing is written to null or a function.
                    Base::Object(_) | Base::Null | Base::Func(_) => {}
                }
            }
        }
        if !self.events.recording
            || p.iter().all(|t| self.is_plain_local(t, bytes) || self.is_own_of_libdevice(site.func, t))
        {
            return;
        }
        let stack = Rc::new(self.stack_to(site));
        self.note_use(s, &stack, p, kind, bytes);
        let at = self.kernel.partitions.tick();
        self.events.accesses.push(AccessEvent {
            site,
            stack,
            targets: p.clone(),
            bytes,
            kind,
            path: s.path,
            at,
            rows,
            stores,
        });
    }

    /// The calls that lead to an instruction, and it.
    pub(in crate::symbolic) fn stack_to(&self, site: Site) -> Vec<Site> {
        let mut stack = self.stack.clone();
        stack.push(site);
        stack
    }

    /// What CUDA's mathematical functions (libdevice) do with tables and variables of their own: that is taken to be right.
    fn is_own_of_libdevice(&self, f: FuncRef, t: &Target) -> bool {
        let is_libdevice = |f: FuncRef| {
            let f = self.function(f);
            (f.name.starts_with("__nv_") || f.name.starts_with("__internal_")) && f.loc == LocId(0)
        };
        let Base::Object(o) = t.base else { return false };
        is_libdevice(f)
            && match self.object(o).kind {
                ObjKind::DeviceLocal => self.object(o).func.is_some_and(is_libdevice),
                ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) => {
                    let g = self.program.global(r);
                    g.name.starts_with("__cudart_") && g.loc == LocId(0)
                }
                _ => false,
            }
    }

    /// A scalar variable of the thread, accessed whole: no array access that a user would count.
    fn is_plain_local(&self, t: &Target, bytes: TermId) -> bool {
        let Base::Object(o) = t.base else { return false };
        let object = self.object(o);
        if !matches!(object.kind, ObjKind::DeviceLocal) {
            return false;
        }
        match (self.arena.as_int(t.offset), self.arena.as_int(bytes), object.extent.and_then(|e| self.arena.as_int(e)))
        {
            (Some(off), Some(n), Some(ext)) => off >= 0 && off + n <= ext && !object.array,
            _ => false,
        }
    }

    // ---- load ----

    pub(in crate::symbolic) fn load(&mut self, s: &mut State, f: FuncRef, p: &Rc<Vec<Target>>, ty: TypeId) -> Value {
        let m = self.module(f);
        let mut out: Option<Value> = None;
        for t in self.not_null(p).iter() {
            let v = match &t.base {
                Base::Object(o) => self.load_object(s, f, *o, t.offset, ty),
                Base::Null => self.unknown_of(m, ty, "a load through a null pointer"),
                Base::Func(_) => self.unknown_of(m, ty, "a load from a function"),
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
        out.unwrap_or_else(|| self.unknown_of(m, ty, "a load through no pointer"))
    }

    /// Where a pointer leads that the host uses: behind a null pointer, such as that of an empty `std::vector`, the program does not go on.
    fn not_null(&self, p: &Rc<Vec<Target>>) -> Rc<Vec<Target>> {
        let is_null = |t: &Target| t.base == Base::Null;
        if self.side == Side::Device || p.len() < 2 || !p.iter().any(is_null) || p.iter().all(is_null) {
            return p.clone();
        }
        Rc::new(p.iter().filter(|t| !is_null(t)).cloned().collect())
    }

    /// Whether nobody else may write the object while it is read.
    fn is_read_as_it_was(&self, o: ObjId) -> bool {
        self.knows_stores(o)
            || matches!(self.object(o).kind, ObjKind::Constant(_)) && self.is_settled(o)
            || self.kernel.stable.as_ref().is_some_and(|k| k.contains(&o))
    }

    fn load_object(&mut self, s: &mut State, f: FuncRef, o: ObjId, offset: TermId, ty: TypeId) -> Value {
        let m = self.module(f);
        let size = m.size_of(ty);
        if self.is_never_known(o) {
            let reason = format!("what one of several allocations, `{}`, holds", self.object(o).name);
            return self.unknown_of(m, ty, &reason);
        }
        // What the device may write at any time, until the host waits for it. Pointers are among those that it may store.
        if self.is_under_way(s, o) && !matches!(m.ty(ty).kind, TypeKind::Ptr(_)) {
            let reason = format!("what `{}` holds while work for the device is under way", self.object(o).name);
            return self.unknown_of(m, ty, &reason);
        }
        // What other threads may write is not followed.
        if !self.is_read_as_it_was(o) {
            if let Some(v) = self.load_beside(f, o, offset, ty) {
                return v;
            }
            let reason = format!("what `{}` holds", self.object(o).name);
            return self.load_shared(f, (o, (offset, s.path)), ty, false, &reason);
        }
        self.ensure(s, o);
        if self.is_written_by_another_name(s, o) {
            return self.unknown_of(m, ty, "a text that the program writes");
        }
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
            TypeKind::Array { elem, count } if *count <= 64 => {
                let stride = m.size_of(*elem);
                let v = (0..*count)
                    .map(|i| {
                        let d = self.arena.add_const(offset, i128::from(i * stride));
                        self.load_object(s, f, o, d, *elem)
                    })
                    .collect();
                return Value::Aggregate(Rc::new(v));
            }
            TypeKind::Vector { elem, count } => {
                let stride = m.size_of(*elem);
                let v = (0..u64::from(*count))
                    .map(|i| {
                        let d = self.arena.add_const(offset, i128::from(i * stride));
                        self.load_object(s, f, o, d, *elem)
                    })
                    .collect();
                return Value::Aggregate(Rc::new(v));
            }
            _ => {}
        }
        let Some(state) = s.mem.get(&o).cloned() else { return self.unknown_of(m, ty, "memory that is not known") };
        let raw = self.read_cells(o, &state, offset, size, Some((f, ty)));
        let v = self.convert(f, raw, ty);
        self.remember_number(s, o, offset, size, &v);
        self.among_stored(o, v)
    }

    /// What is not known of a cell is the same number each time it is read.
    fn remember_number(&self, s: &mut State, o: ObjId, offset: TermId, size: u64, read: &Value) {
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

    pub(crate) fn read_cells(
        &mut self,
        o: ObjId,
        state: &ObjState,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        if self.several.has_other_names(o) {
            let reason = format!("what one of several allocations, `{}`, holds", self.object(o).name);
            return match want {
                Some((f, ty)) => {
                    let m = self.module(f);
                    self.unknown_of(m, ty, &reason)
                }
                None => Value::unknown(&reason),
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
        // Several integers read as one (`dim3` passed in registers).
        if parts.iter().all(|(_, _, v)| matches!(v, Value::Int(_) | Value::Bool(_))) {
            let covered: i64 = parts.iter().map(|(_, s, _)| i64::from(*s)).sum();
            if covered == width && parts[0].0 == at {
                let mut sum = self.arena.int(0);
                for (po, ps, v) in &parts {
                    let bits = ps * 8;
                    let t = self.as_int_value(v, bits);
                    let t = self.interpret(t, bits, false);
                    let Ok(shift) = u32::try_from((po - at) * 8) else { continue };
                    if shift >= 64 {
                        return Value::unknown("a wide integer");
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
                let Ok(shift) = u32::try_from((at - po) * 8) else { return Value::unknown("part of a value") };
                let t = self.arena.floor_div(u, 1i128 << shift);
                return Value::Int(self.arena.modulo(t, 1i128 << (width * 8)));
            }
        }
        Value::unknown("a value that was written in other pieces than it is read")
    }

    /// A load at an offset that is not constant.
    fn read_variable(
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
            return v.unwrap_or_else(|| Value::unknown("no place"));
        }
        // An array of equal cells: one of them, or what is beside them. Pointers keep their targets this way.
        let aligned = hits.iter().all(|(_, s, _)| u64::from(*s) == size);
        let width = i128::from(size);
        let into = self.arena.modulo(offset, width.max(1));
        let regular = self.arena.as_int(into) == Some(0) && hits.iter().all(|(at, ..)| i128::from(*at) % width == 0);
        let all = i64::try_from(hits.len()).ok().map(|n| i128::from(n) * width)
            == self.object(o).extent.and_then(|e| self.arena.as_int(e));
        // What was never written may be taken for what was.
        let beside = !(all || state.rest == Rest::Uninit);
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
            let mut v: Option<Value> =
                (!all && state.rest != Rest::Uninit).then(|| self.rest_value(o, state, offset, size, want));
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
            return v.unwrap_or_else(|| Value::unknown("an empty array"));
        }
        let name = self.object(o).name.clone();
        match want {
            Some((f, ty)) => {
                let m = self.module(f);
                self.unknown_of(m, ty, &format!("an element of `{name}`"))
            }
            None => Value::unknown("an element of an array"),
        }
    }

    /// Where cells begin and end that lie side by side, if all are zero and numbers of `size` bytes lie in them or beside them.
    fn runs_of_zeros(&self, cells: &[(i64, u32, Value)], size: i64) -> Option<Vec<(i64, i64)>> {
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

    /// The constants that an offset may be, where they are few: that of one of several members, say.
    fn few_places(&self, offset: TermId) -> Option<Vec<TermId>> {
        if !matches!(self.arena.get(offset), Term::Ite(..)) {
            return None;
        }
        let mut places = self.leaves(offset)?;
        places.sort_unstable();
        (places.len() <= MOST_PLACES && places.iter().all(|k| self.arena.as_int(*k).is_some())).then_some(places)
    }

    /// What memory outside the cells holds.
    pub(in crate::symbolic) fn rest_value(
        &mut self,
        o: ObjId,
        state: &ObjState,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let name = self.object(o).name.clone();
        // As it was given; where the program replaces or permutes arguments, nothing is known of them.
        if matches!(self.object(o).kind, ObjKind::ArgvArray)
            && self.initial.get(&o).is_some_and(|first| first.rest == state.rest)
        {
            return match self.arena.as_int(offset).and_then(|v| u32::try_from(v).ok()) {
                Some(at) if at % 8 == 0 => {
                    let text = self.argument_text(at / 8);
                    self.pointer(text, 0)
                }
                _ => self
                    .argument_at(offset)
                    .unwrap_or_else(|| self.unknown_pointer("a program argument at a variable position")),
            };
        }
        match &state.rest {
            Rest::Zero => match want {
                Some((f, ty)) => self.zero_of(f, ty),
                None => Value::Int(self.arena.int(0)),
            },
            Rest::Uninit => {
                let reason = unwritten(&name);
                match want {
                    Some((f, ty)) if matches!(self.module(f).ty(ty).kind, TypeKind::Ptr(_)) => {
                        self.lost_pointer(Lost::unset(&reason))
                    }
                    Some((f, ty)) => {
                        let m = self.module(f);
                        self.unknown_of(m, ty, &reason)
                    }
                    None => Value::unknown(&reason),
                }
            }
            Rest::Init => match self.initial_value(o, offset, size).or_else(|| self.initial_element(o, offset, size)) {
                Some(v) => v,
                None => match want {
                    Some((f, ty)) => {
                        let m = self.module(f);
                        self.unknown_of(m, ty, &format!("an element of `{name}`"))
                    }
                    None => Value::unknown("an element of a table"),
                },
            },
            Rest::Layer(l) => {
                let l = l.clone();
                self.read_layer(o, &l, offset, size, want)
            }
            Rest::Either(e) => {
                let e = e.clone();
                self.read_either(o, &e, offset, size, want)
            }
            Rest::Unknown { version, reason, .. } => {
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

    /// An integer that memory holds of which only that is known. Equal versions hold equal contents.
    pub(in crate::symbolic) fn content(&mut self, o: ObjId, version: u32, offset: TermId, bits: u32) -> Value {
        let args = vec![
            self.arena.int(i128::from(o.0)),
            self.arena.int(i128::from(version)),
            offset,
            self.arena.int(i128::from(bits)),
        ];
        Value::Int(self.arena.apply("content", args, Range::of_int(bits, true)))
    }

    /// The object that holds the text of `argv[i]`.
    fn argument_text(&mut self, i: u32) -> ObjId {
        if let Some(o) = self.argv_texts.get(&i) {
            return *o;
        }
        let o = self.new_object(super::object::Object {
            kind: ObjKind::ArgvText(i),
            name: format!("argv[{i}]"),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.argv_texts.insert(i, o);
        self.is_in_argv(o);
        o
    }

    /// Notes that the array of arguments holds the address of a text.
    pub(in crate::symbolic) fn is_in_argv(&mut self, text: ObjId) {
        let array = self.objects.iter().position(|o| o.kind == ObjKind::ArgvArray).and_then(|i| u32::try_from(i).ok());
        if let Some(array) = array {
            self.kept.add_objects(Some(ObjId(array)), &[text]);
        }
    }

    /// A scalar of a constant table.
    fn initial_value(&mut self, o: ObjId, offset: TermId, size: u64) -> Option<Value> {
        let (ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) = self.object(o).kind.clone()
        else {
            return None;
        };
        let at = u64::try_from(self.arena.as_int(offset)?).ok()?;
        let g = self.program.global(r);
        let init = g.init.as_ref()?;
        let f = FuncRef { module: r.module, func: crate::ir::FuncId(0) };
        let c = self.constant_at(f, init, g.ty, at, size)?;
        Some(c)
    }

    /// An element of a small constant table at an offset that is not constant.
    fn initial_element(&mut self, o: ObjId, offset: TermId, size: u64) -> Option<Value> {
        let width = i128::from(size.max(1));
        let count = self
            .object(o)
            .extent
            .and_then(|e| self.arena.as_int(e))
            .filter(|e| e % width == 0 && e / width <= MAX_TABLE)?
            / width;
        let into = self.arena.modulo(offset, width);
        if self.arena.as_int(into) != Some(0) {
            return None;
        }
        let mut value: Option<Value> = None;
        for i in (0..count).rev() {
            let at = self.arena.int(i * width);
            let element = self.initial_value(o, at, size)?;
            let here = self.arena.eq(offset, at);
            value = Some(match value {
                None => element,
                Some(other) => self.ite_value(here, &element, &other),
            });
        }
        value
    }

    fn constant_at(&mut self, f: FuncRef, c: &Const, ty: TypeId, at: u64, size: u64) -> Option<Value> {
        let m = self.module(f);
        match c {
            Const::Aggregate { elems, .. } => match &m.ty(ty).kind {
                TypeKind::Struct { fields, .. } => {
                    let (i, x) = fields.iter().enumerate().rev().find(|(_, x)| x.offset <= at)?;
                    self.constant_at(f, elems.get(i)?, x.ty, at - x.offset, size)
                }
                TypeKind::Array { elem, .. } => {
                    let n = m.size_of(*elem).max(1);
                    self.constant_at(f, elems.get(usize::try_from(at / n).ok()?)?, *elem, at % n, size)
                }
                TypeKind::Vector { elem, .. } => {
                    let n = m.size_of(*elem).max(1);
                    self.constant_at(f, elems.get(usize::try_from(at / n).ok()?)?, *elem, at % n, size)
                }
                _ => None,
            },
            Const::Bytes { data, .. } => {
                let mut v: i128 = 0;
                for i in 0..size.min(8) {
                    v |= i128::from(*data.get(usize::try_from(at + i).ok()?)?) << (8 * i);
                }
                Some(Value::Int(self.arena.int(v)))
            }
            Const::Zero(_) => Some(Value::Int(self.arena.int(0))),
            _ if at == 0 && m.size_of(ty) == size => Some(self.constant(f, c)),
            _ => None,
        }
    }

    /// Makes sure that an object has a state: globals get their initial contents.
    pub(crate) fn ensure(&mut self, s: &mut State, o: ObjId) {
        if s.mem.contains_key(&o) {
            return;
        }
        // What is there from the start is the same on every way to its first use.
        if let Some(first) = self.initial.get(&o) {
            s.mem.insert(o, first.clone());
            return;
        }
        let rest = match &self.object(o).kind {
            ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) => {
                let g = self.program.global(*r);
                let internal = g.constant
                    || self.from_the_start
                    || g.linkage == Linkage::Internal && !self.effort.may_be_written(*r);
                // What a device variable starts with may be overwritten by a copy that was not recognised.
                let device = !matches!(self.object(o).kind, ObjKind::HostGlobal(_)) && !g.constant;
                match &g.init {
                    _ if device => {
                        let v = self.next_version();
                        Rest::Unknown {
                            version: v,
                            input: false,
                            reason: Rc::from(format!("the device variable `{}`", g.source_name)),
                        }
                    }
                    Some(Const::Zero(_)) if internal => Rest::Zero,
                    Some(_) if internal => Rest::Init,
                    None if g.defined && internal => Rest::Zero,
                    _ => {
                        let v = self.next_version();
                        Rest::Unknown {
                            version: v,
                            input: false,
                            reason: Rc::from(format!("the global `{}`", g.source_name)),
                        }
                    }
                }
            }
            ObjKind::ArgvArray | ObjKind::ArgvText(_) | ObjKind::ArgvTexts => {
                let v = self.next_version();
                Rest::Unknown { version: v, input: true, reason: Rc::from("the text of a program argument") }
            }
            ObjKind::DeviceHeap
            | ObjKind::SharedDynamic
            | ObjKind::SharedStatic(_)
            | ObjKind::HostHeap
            | ObjKind::Managed => Rest::Uninit,
            _ => {
                let v = self.next_version();
                Rest::Unknown { version: v, input: false, reason: Rc::from("memory that is not known") }
            }
        };
        match (&rest, &self.object(o).kind) {
            (Rest::Init, ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) => {
                let r = *r;
                self.keep_initial(o, r);
            }
            (Rest::Unknown { .. }, _) => self.kept.add_anything(o),
            _ => {}
        }
        let state = Rc::new(ObjState::new(rest));
        if self.object(o).kind.is_there_from_the_start() {
            self.initial.insert(o, state.clone());
        }
        s.mem.insert(o, state);
    }

    /// A cell's value as the type it is read as.
    pub(in crate::symbolic) fn convert(&mut self, f: FuncRef, v: Value, ty: TypeId) -> Value {
        let m = self.module(f);
        match (&m.ty(ty).kind, v) {
            (TypeKind::Int(1), v) => Value::Bool(self.as_bool_value(&v)),
            (TypeKind::Int(bits), Value::Bool(_) | Value::Ptr(_)) if *bits < 8 => {
                self.unknown_of(m, ty, "a narrow value")
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
            _ => self.unknown_of(m, ty, "a value read as another type"),
        }
    }

    /// Puts an object with what it holds first into a state.
    pub(crate) fn starts_with(&mut self, s: &mut State, o: ObjId, state: ObjState) {
        if let (Rest::Init, ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) =
            (&state.rest, &self.object(o).kind)
        {
            let r = *r;
            self.keep_initial(o, r);
        }
        s.mem.insert(o, Rc::new(state));
    }

    // ---- store ----

    pub(in crate::symbolic) fn store(&mut self, s: &mut State, p: &Rc<Vec<Target>>, v: Value, size: u64) {
        let p = &self.not_null(p);
        self.keep(p, &v);
        let single = p.len() == 1;
        for t in p.iter() {
            match &t.base {
                Base::Object(o) => {
                    let cond = if single { None } else { Some(t.cond) };
                    self.store_object(s, *o, t.offset, &v, size, cond);
                }
                Base::Unknown(l) => self.forget_lost(s, l, "a store through an unknown pointer", false),
                // No such store comes to its end.
                Base::Null | Base::Func(_) => {}
            }
        }
    }

    fn store_object(&mut self, s: &mut State, o: ObjId, offset: TermId, v: &Value, size: u64, cond: Option<TermId>) {
        if !self.knows_stores(o) {
            return;
        }
        if self.several.has_other_names(o) {
            return self.written_by_another_name(s, o, "what was stored by another name");
        }
        self.ensure(s, o);
        let Some(rc) = s.mem.get(&o) else { return };
        let mut state = rc.as_ref().clone();
        let width = i64::try_from(size).unwrap_or(i64::MAX / 4);
        if let Some(at) = self.arena.as_int(offset).and_then(|v| i64::try_from(v).ok()) {
            if size > 1 << 16 {
                state.clear(at, at.saturating_add(width));
                self.blur(&mut state, "a large value");
                s.mem.insert(o, Rc::new(state));
                return;
            }
            if let Value::Aggregate(_) = v {
                state.clear(at, at + width);
                self.blur_cells(&mut state, at, v, size);
                s.mem.insert(o, Rc::new(state));
                return;
            }
            let new = match cond {
                None => v.clone(),
                Some(c) => {
                    let old = self.read_cells(o, &state, offset, size, None);
                    self.ite_value(c, v, &old)
                }
            };
            self.keep_cut_cells(&mut state, at, at + width);
            state.cells.insert(at, (u32::try_from(size).unwrap_or(u32::MAX), new));
        } else if let (Some(places), false, Ok(bytes @ 1..=8)) =
            (self.few_places(offset), matches!(v, Value::Aggregate(_)), u32::try_from(size))
        {
            for k in places {
                let Some(at) = self.arena.as_int(k).and_then(|at| i64::try_from(at).ok()) else { continue };
                let here = self.arena.eq(offset, k);
                let here = cond.map_or(here, |c| self.arena.and(here, c));
                let old = self.read_cells(o, &state, k, size, None);
                let new = self.ite_value(here, v, &old);
                self.keep_cut_cells(&mut state, at, at + width);
                state.cells.insert(at, (bytes, new));
            }
        } else if let (Some(value), None, Side::Host, Ok(bytes @ 1..=8)) =
            (self.number_of_element(v, size), cond, self.side, u32::try_from(size))
        {
            let one = self.arena.int(1);
            return self.write_layer(s, o, offset, (i128::from(bytes), bytes, one), Written::All(value));
        } else {
            let r = self.arena.range(offset);
            let lo = r.lo.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MIN / 4);
            let hi = r.hi.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MAX / 4).saturating_add(width);
            state.clear(lo, hi);
            self.blur(&mut state, "an array written at a variable index");
        }
        s.mem.insert(o, Rc::new(state));
    }

    /// What is stored as a number: one, or a pointer by its address, but for what may be one of several places.
    fn number_of_element(&mut self, v: &Value, size: u64) -> Option<TermId> {
        match v {
            Value::Int(t) => Some(*t),
            Value::Ptr(p)
                if size == 8 && !p.iter().any(|t| matches!(t.base, Base::Unknown(Lost { among: Some(_), .. }))) =>
            {
                Some(self.as_int_value(v, 64))
            }
            _ => None,
        }
    }

    /// Cells that a store covers only in part are no longer known.
    pub(in crate::symbolic) fn keep_cut_cells(&mut self, state: &mut ObjState, from: i64, to: i64) {
        let cut: Vec<(i64, u32)> = state
            .overlapping(from, to)
            .filter(|(o, s, _)| *o < from || o + i64::from(*s) > to)
            .map(|(o, s, _)| (o, s))
            .collect();
        state.clear(from, to);
        for (o, s) in cut {
            // The bytes outside the store become cells of one byte that are not known.
            for b in (o..o + i64::from(s)).filter(|b| *b < from || *b >= to) {
                state.cells.insert(b, (1, Value::unknown("a value that was partly overwritten")));
            }
        }
    }

    fn blur_cells(&mut self, state: &mut ObjState, at: i64, v: &Value, size: u64) {
        // Registers holding a structure: members in order, each with an equal share where sizes are not known.
        if let Value::Aggregate(e) = v
            && !e.is_empty()
            && size.is_multiple_of(e.len() as u64)
        {
            let each = size / e.len() as u64;
            if each <= 8 {
                for (i, x) in e.iter().enumerate() {
                    let o = at + i64::try_from(i as u64 * each).unwrap_or(0);
                    state.cells.insert(o, (u32::try_from(each).unwrap_or(8), x.clone()));
                }
                return;
            }
        }
        for i in 0..size.min(256) {
            state.cells.insert(at + i64::try_from(i).unwrap_or(0), (1, Value::unknown("part of a structure")));
        }
    }

    pub(in crate::symbolic) fn blur(&mut self, state: &mut ObjState, reason: &str) {
        let version = self.next_version();
        state.rest = Rest::Unknown { version, input: false, reason: Rc::from(reason) };
    }

    /// Makes everything that an object holds unknown, addresses too: code may have written it that is not followed.
    pub fn forget(&mut self, s: &mut State, o: ObjId, reason: &str, input: bool) {
        self.kept.add_anything(o);
        self.blank(s, o, reason, input);
    }

    /// Makes what an object holds unknown; addresses in it are among those that were stored there.
    pub(in crate::symbolic) fn blank(&mut self, s: &mut State, o: ObjId, reason: &str, input: bool) {
        if self.several.has_other_names(o) {
            return self.written_by_another_name(s, o, reason);
        }
        let version = self.next_version();
        let n = with_end_of(s.mem.get(&o), ObjState::new(Rest::Unknown { version, input, reason: Rc::from(reason) }));
        s.mem.insert(o, Rc::new(n));
    }

    // ---- copies and fills ----

    pub fn copy(&mut self, s: &mut State, dst: &Rc<Vec<Target>>, src: &Rc<Vec<Target>>, len: TermId) {
        self.keep_copy(s, dst, src);
        let (dst, src) = (&without_null(dst), &without_null(src));
        for t in dst.iter() {
            if let Base::Unknown(l) = &t.base {
                self.forget_lost(s, l, "a copy through an unknown pointer", true);
            }
        }
        if [dst, src]
            .into_iter()
            .flat_map(|p| p.iter())
            .any(|t| matches!(t.base, Base::Object(o) if self.is_never_known(o) || self.is_under_way(s, o)))
        {
            for t in dst.iter() {
                if let Base::Object(to) = t.base
                    && self.knows_stores(to)
                {
                    self.forget(s, to, "a copy from or to one of several allocations, or of what is under way", false);
                }
            }
            return;
        }
        if src.iter().any(|t| matches!(t.base, Base::Object(o) if self.is_written_by_another_name(s, o))) {
            return self.forget_targets(s, dst, "a text that the program writes");
        }
        let n = self.arena.as_int(len);
        if let (Some(n), [Target { base: Base::Object(from), offset: so, .. }]) = (n, src.as_slice())
            && n <= MAX_COPY
        {
            self.ensure(s, *from);
            let at = self.arena.as_int(*so).and_then(|v| i64::try_from(v).ok());
            let source = s.mem.get(from).cloned();
            if let (Some(at), Some(source)) = (at, source) {
                let n = i64::try_from(n).unwrap_or(0);
                if self.is_read_as_it_was(*from) && !matches!(source.rest, Rest::Layer(_) | Rest::Either(_)) {
                    for t in dst.iter() {
                        let Base::Object(to) = t.base else { continue };
                        if !self.knows_stores(to) {
                            continue;
                        }
                        let single = dst.len() == 1;
                        match self.arena.as_int(t.offset).and_then(|v| i64::try_from(v).ok()) {
                            Some(d) if single => self.copy_cells(s, *from, &source, at, to, d, n),
                            _ => self.forget(s, to, "a copy to one of several places", false),
                        }
                    }
                    return;
                }
            }
        }
        if let ([Target { base: Base::Object(to), offset, .. }], [Target { base: Base::Object(from), offset: at, .. }]) = (dst.as_slice(), src.as_slice())
            // Threads of a kernel keep copies of what nobody writes meanwhile in variables of their own.
            && (self.side == Side::Host || matches!(self.object(*to).kind, ObjKind::DeviceLocal) && self.is_read_as_it_was(*from))
        {
            self.copy_layer(s, (*to, *offset), (*from, *at), len);
            return;
        }
        let input = src.iter().any(|t| matches!(t.base, Base::Object(o) if matches!(s.mem.get(&o).map(|x| &x.rest), Some(Rest::Unknown { input: true, .. }))));
        for t in dst.iter() {
            let Base::Object(to) = t.base else { continue };
            if !self.knows_stores(to) {
                continue;
            }
            let name = self.object(to).name.clone();
            self.forget(s, to, &format!("what is copied into `{name}`"), input);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "two places and a length")]
    fn copy_cells(&mut self, s: &mut State, from: ObjId, source: &ObjState, at: i64, to: ObjId, d: i64, n: i64) {
        self.ensure(s, to);
        let Some(rc) = s.mem.get(&to) else { return };
        let mut state = rc.as_ref().clone();
        self.keep_cut_cells(&mut state, d, d + n);
        let parts: Vec<(i64, u32, Value)> = source
            .overlapping(at, at + n)
            .filter(|(o, s, _)| *o >= at && o + i64::from(*s) <= at + n)
            .map(|(o, s, v)| (o, s, v.clone()))
            .collect();
        let whole = self.object(to).extent.and_then(|e| self.arena.as_int(e)) == Some(i128::from(n)) && d == 0;
        let covered: i64 = parts.iter().map(|p| i64::from(p.1)).sum();
        if covered < n {
            match &source.rest {
                Rest::Init => {
                    // A table: its scalars, four or eight bytes at a time as they are read later.
                    if whole {
                        state.rest = Rest::Init;
                    }
                    let f = FuncRef {
                        module: self.object(from).site.map_or(crate::ir::ModuleId(0), |x| x.0),
                        func: crate::ir::FuncId(0),
                    };
                    if let ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) =
                        self.object(from).kind.clone()
                    {
                        let g = self.program.global(r);
                        if let Some(init) = &g.init {
                            let mut scalars = vec![];
                            self.scalars(
                                f,
                                init,
                                g.ty,
                                0,
                                &(u64::try_from(at).unwrap_or(0)..u64::try_from(at + n).unwrap_or(0)),
                                &mut scalars,
                            );
                            for (o, size, c) in scalars {
                                let (o, size) =
                                    (i64::try_from(o).unwrap_or(i64::MAX / 4), i64::try_from(size).unwrap_or(0));
                                if o >= at && o + size <= at + n {
                                    let v = self.constant(f, &c);
                                    state.cells.insert(o - at + d, (u32::try_from(size).unwrap_or(8), v));
                                } else {
                                    for b in o.max(at)..(o + size).min(at + n) {
                                        state.cells.insert(b - at + d, (1, Value::unknown("part of a copied number")));
                                    }
                                }
                            }
                        }
                    }
                    state.rest = if whole { Rest::Zero } else { state.rest };
                }
                r if whole => state.rest = r.clone(),
                // What was never written stays so.
                Rest::Uninit if state.rest == Rest::Uninit => {}
                _ => {
                    for b in 0..n {
                        state.cells.insert(d + b, (1, Value::unknown("part of a copied structure")));
                    }
                }
            }
            // Of cells of which only some bytes are copied.
            let cut = source
                .overlapping(at, at + n)
                .filter(|(o, s, _)| *o < at || o + i64::from(*s) > at + n)
                .map(|(o, s, _)| (o.max(at), (o + i64::from(s)).min(at + n)));
            for b in cut.flat_map(|(from, to)| from..to) {
                state.cells.insert(b - at + d, (1, Value::unknown("part of a value that was copied")));
            }
        }
        for (o, size, v) in parts {
            state.clear(o - at + d, o - at + d + i64::from(size));
            state.cells.insert(o - at + d, (size, v));
        }
        s.mem.insert(to, Rc::new(state));
    }

    /// The scalars of a constant that have a byte in a part of it (bytes): offset, size and value of each.
    fn scalars(
        &self,
        f: FuncRef,
        c: &Const,
        ty: TypeId,
        at: u64,
        part: &std::ops::Range<u64>,
        out: &mut Vec<(u64, u64, Const)>,
    ) {
        let m = self.module(f);
        let size = m.size_of(ty);
        if at + size <= part.start || at >= part.end {
            return;
        }
        match (c, &m.ty(ty).kind) {
            (Const::Aggregate { elems, .. }, TypeKind::Struct { fields, .. }) => {
                for (e, x) in elems.iter().zip(fields) {
                    self.scalars(f, e, x.ty, at + x.offset, part, out);
                }
            }
            (Const::Aggregate { elems, .. }, TypeKind::Array { elem, .. }) => {
                for (i, e) in elems.iter().enumerate() {
                    self.scalars(f, e, *elem, at + i as u64 * m.size_of(*elem), part, out);
                }
            }
            (Const::Bytes { data, .. }, TypeKind::Array { elem, .. }) if matches!(m.size_of(*elem), 2 | 4 | 8) => {
                let size = m.size_of(*elem);
                let each = (0..)
                    .zip(data.chunks_exact(usize::try_from(size).unwrap_or(8)))
                    .map(|(i, b): (u64, _)| (at + i * size, b));
                out.extend(
                    each.filter(|(o, _)| o + size > part.start && *o < part.end)
                        .map(|(o, b)| (o, size, element(&m.ty(*elem).kind, b))),
                );
            }
            (Const::Bytes { data, .. }, _) => out.extend(
                (at..)
                    .zip(data)
                    .filter(|(o, _)| part.contains(o))
                    .map(|(o, b)| (o, 1, Const::Int { bits: 8, value: i128::from(*b) })),
            ),
            (Const::Zero(_), TypeKind::Struct { fields, .. }) => {
                for x in fields {
                    self.scalars(f, &Const::Zero(x.ty), x.ty, at + x.offset, part, out);
                }
            }
            (Const::Zero(_), TypeKind::Array { elem, count }) => {
                let each = m.size_of(*elem).max(1);
                let (first, end) = (part.start.saturating_sub(at) / each, part.end.saturating_sub(at).div_ceil(each));
                for i in first..end.min(*count) {
                    self.scalars(f, &Const::Zero(*elem), *elem, at + i * each, part, out);
                }
            }
            _ => out.push((at, size, c.clone())),
        }
    }

    pub fn fill(&mut self, s: &mut State, dst: &Rc<Vec<Target>>, byte: TermId, len: TermId) {
        let dst = &without_null(dst);
        for t in dst.iter() {
            if let Base::Unknown(l) = &t.base {
                self.forget_lost(s, l, "memory filled through an unknown pointer", true);
            }
        }
        let n = self.arena.as_int(len);
        let zero = self.arena.as_int(byte) == Some(0);
        for t in dst.iter() {
            let Base::Object(o) = t.base else { continue };
            if !self.knows_stores(o) {
                continue;
            }
            if self.several.has_other_names(o) {
                self.written_by_another_name(s, o, "memory that was filled");
                continue;
            }
            let extent = self.object(o).extent;
            let at = self.arena.as_int(t.offset);
            let whole = dst.len() == 1 && at == Some(0) && extent == Some(len);
            if whole && zero {
                let n = with_end_of(s.mem.get(&o), ObjState::new(Rest::Zero));
                s.mem.insert(o, Rc::new(n));
                continue;
            }
            match (n, at) {
                (Some(n), Some(at)) if zero && n <= 1024 && dst.len() == 1 => {
                    self.ensure(s, o);
                    let Some(rc) = s.mem.get(&o) else { continue };
                    let mut state = rc.as_ref().clone();
                    let at = i64::try_from(at).unwrap_or(0);
                    let n = i64::try_from(n).unwrap_or(0);
                    self.keep_cut_cells(&mut state, at, at + n);
                    let z = self.arena.int(0);
                    let each = [8, 4, 2].into_iter().find(|each| n % each == 0 && at % each == 0).unwrap_or(1);
                    let mut b = 0;
                    while b < n {
                        state.cells.insert(at + b, (u32::try_from(each).unwrap_or(1), Value::Int(z)));
                        b += each;
                    }
                    s.mem.insert(o, Rc::new(state));
                }
                _ => match self.arena.as_int(byte) {
                    Some(b) if self.side == Side::Host && dst.len() == 1 => {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "the low byte is what is written"
                        )]
                        self.write_layer(s, o, t.offset, (1, 1, len), Written::Fill(b as u8));
                    }
                    _ => self.forget(s, o, "memory that was filled", false),
                },
            }
        }
    }

    /// Memory that the host writes by CUDA calls alone.
    pub(in crate::symbolic) fn is_of_device(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::Constant(_))
    }

    pub(in crate::symbolic) fn read_only(&self, o: ObjId) -> bool {
        match &self.object(o).kind {
            ObjKind::HostGlobal(r) => self.program.global(*r).constant,
            ObjKind::Constant(_) => true,
            // What a method of one string writes is no other string's.
            ObjKind::ArgvText(_) | ObjKind::ArgvTexts | ObjKind::Opaque => self.is_copied_text(o),
            // The host cannot write device memory except through CUDA calls; those that take its address say so.
            ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) => self.side == Side::Host,
            _ => false,
        }
    }
}

/// An element of a table from its bytes, the least significant first.
fn element(kind: &TypeKind, bytes: &[u8]) -> Const {
    let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    match kind {
        TypeKind::Float(bits) => Const::Float { bits: *bits, value },
        TypeKind::Int(bits) => {
            Const::Int { bits: *bits, value: crate::symbolic::terms::term::wrap_value(i128::from(value), *bits, true) }
        }
        _ => Const::Int { bits: 64, value: i128::from(value) },
    }
}

// What the rooms `host/` and `kernel/` need of memory.
impl Executor<'_> {
    pub(crate) fn value_int(&mut self, v: &Value, bits: u32) -> TermId {
        self.as_int_value(v, bits)
    }

    pub(crate) fn store_value(&mut self, s: &mut State, p: &Rc<Vec<Target>>, v: Value, size: u64) {
        self.store(s, p, v, size);
    }

    pub(crate) fn offset_targets(&mut self, p: &Rc<Vec<Target>>, delta: TermId) -> Rc<Vec<Target>> {
        match self.offset_pointer(p, delta) {
            Value::Ptr(p) => p,
            _ => p.clone(),
        }
    }

    /// The pointer that a pointer points to.
    pub(crate) fn load_pointer(&mut self, s: &mut State, p: &Rc<Vec<Target>>) -> Rc<Vec<Target>> {
        let mut out: Option<Value> = None;
        for t in p.iter() {
            let v = match &t.base {
                Base::Object(o) => {
                    self.ensure(s, *o);
                    let st = s.mem.get(o).cloned();
                    match st {
                        Some(st) => {
                            let v = self.read_cells(*o, &st, t.offset, 8, None);
                            let p = self.as_pointer(&v);
                            Value::Ptr(p)
                        }
                        None => self.unknown_pointer("memory that is not known"),
                    }
                }
                _ => self.unknown_pointer("a load through a pointer that could not be followed"),
            };
            out = Some(match out {
                None => v,
                Some(old) => self.ite_value(t.cond, &v, &old),
            });
        }
        match out {
            Some(Value::Ptr(p)) => p,
            _ => {
                let v = self.unknown_pointer("a load through no pointer");
                self.as_pointer(&v)
            }
        }
    }

    /// Puts the variables of the host that the program may write into a state: what loops and other ways change is seen against it.
    pub(crate) fn ensure_written(&mut self, s: &mut State) {
        for g in self.effort.written() {
            let o = self.global_object(g.module, g.global);
            self.ensure(s, o);
        }
    }

    /// Puts what an argument points to, itself a structure passed by value perhaps, into a state.
    pub(crate) fn ensure_pointees(&mut self, s: &mut State, v: &Value) {
        let mut objects = vec![];
        collect(v, &mut objects);
        for o in objects {
            self.ensure(s, o);
        }
    }

    /// A load as a type of the function's module.
    pub(crate) fn load_typed(&mut self, s: &mut State, f: FuncRef, p: &Rc<Vec<Target>>, ty: TypeId) -> Value {
        self.load(s, f, p, ty)
    }

    pub(crate) fn forget_targets(&mut self, s: &mut State, p: &Rc<Vec<Target>>, reason: &str) {
        for t in p.iter() {
            match &t.base {
                Base::Object(o) if !self.read_only(*o) || self.is_of_device(*o) => self.forget(s, *o, reason, false),
                Base::Unknown(l) => {
                    if let Some(among) = &l.among {
                        for o in &among.objects {
                            self.kept.add_anything(*o);
                        }
                    }
                    self.forget_lost(s, l, reason, true);
                }
                // What cannot be written, and what is no memory.
                Base::Object(_) | Base::Null | Base::Func(_) => {}
            }
        }
    }

    pub(crate) fn forget_reachable(&mut self, s: &mut State, args: &[Value], reason: &str) {
        self.clobber(s, args, reason);
    }

    /// What pointer arguments point to directly.
    pub(crate) fn forget_pointees(&mut self, s: &mut State, args: &[Value], reason: &str) {
        let mut v = vec![];
        for a in args {
            collect(a, &mut v);
            if let Value::Int(t) = a {
                v.extend(self.addresses_in(*t));
            }
        }
        self.note_lost_writes(args);
        for o in v {
            if self.side == Side::Device && !matches!(self.object(o).kind, ObjKind::DeviceLocal) {
                self.kernel.written.add_all(o);
                self.kernel.written_otherwise.insert(o);
            } else if !self.read_only(o) || self.is_of_device(o) {
                self.forget(s, o, reason, false);
            }
        }
    }

    pub(crate) fn note_access(&mut self, s: &State, site: Site, p: &Rc<Vec<Target>>, bytes: TermId, kind: AccessKind) {
        self.record_range(s, site, p, bytes, kind);
    }

    pub(crate) fn next_content_version(&mut self) -> u32 {
        self.next_version()
    }

    pub(crate) fn next_read(&mut self) -> u32 {
        self.reads += 1;
        self.reads - 1
    }

    pub(crate) fn global_of(&mut self, r: crate::ir::GlobalRef) -> ObjId {
        self.global_object(r.module, r.global)
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.events.recording
    }

    pub(crate) fn call_stack(&self) -> &[Site] {
        &self.stack
    }

    /// Where the user wrote what is executed: the innermost call outside system headers and launch stubs.
    pub(crate) fn user_location(&self) -> Option<(crate::ir::ModuleId, crate::ir::LocId)> {
        self.stack
            .iter()
            .rev()
            .map(|s| self.location(*s))
            .find(|(m, l)| {
                let p = self.program.loc(*m, *l);
                p.line > 0 && !p.system
            })
            .or_else(|| self.stack.last().map(|s| self.location(*s)))
    }
}

/// Where something is copied from or to, if anything is: not null, which a container without elements has.
fn without_null(p: &Rc<Vec<Target>>) -> Rc<Vec<Target>> {
    match p.iter().filter(|t| t.base != Base::Null).count() {
        n if n == p.len() || n == 0 => p.clone(),
        _ => Rc::new(p.iter().filter(|t| t.base != Base::Null).cloned().collect()),
    }
}
