//! Copies and fills of memory: cell by cell if small, else as layers.

use super::array_write::WrittenContents;
use super::initial::element;
use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use super::scalar::Scalar;
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::with_end_of;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use ir::{Const, Elements, FuncRef, Side, TypeId, TypeKind};
use std::rc::Rc;

/// Maximum size in bytes of a copy that is made cell by cell.
const MAX_COPY: i128 = 1 << 14;

impl ExecutionContext<'_> {
    pub fn copy(&mut self, s: &mut State, dst: &Rc<Vec<GuardedTarget>>, src: &Rc<Vec<GuardedTarget>>, len: TermId) {
        self.keep_copy(s, dst, src);
        self.note_written_as_bytes(dst);
        let (dst, src) = (&without_null(dst), &without_null(src));
        for t in dst.iter() {
            if let Base::Unknown(l) = &t.base {
                self.havoc_unknown_store(s, l, &UnknownReason::CopiedSomewhere, true);
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
                    self.havoc(s, to, &UnknownReason::CopyOfSeveral, false);
                }
            }
            return;
        }
        if src.iter().any(|t| matches!(t.base, Base::Object(o) if self.is_written_by_another_name(s, o))) {
            return self.havoc_targets(s, dst, &UnknownReason::TextWritten);
        }
        let changed = |t: &GuardedTarget| matches!(t.base, Base::Object(o) if self.is_changed_by_another_name(s, o, Scalar::Bytes));
        if src.iter().any(changed) {
            return self.havoc_targets(s, dst, &UnknownReason::StoredByOtherName);
        }
        let n = self.arena.as_int(len);
        if let (Some(n), [GuardedTarget { base: Base::Object(from), offset: so, .. }]) = (n, src.as_slice())
            && n <= MAX_COPY
        {
            self.ensure(s, *from);
            let at = self.arena.as_int(*so).and_then(|v| i64::try_from(v).ok());
            let source = s.mem.get(from).cloned();
            let source = source.map(|held| self.with_given(*from, held, (so, n)));
            if let (Some(at), Some(source)) = (at, source) {
                let n = i64::try_from(n).unwrap_or(0);
                if self.is_read_as_it_was(*from, Scalar::Bytes)
                    && !matches!(source.rest, UncoveredContents::Layer(_) | UncoveredContents::Either(_))
                {
                    for t in dst.iter() {
                        // Unknown targets were havocked above; a function has no contents.
                        let Base::Object(to) = t.base else { continue };
                        if !self.knows_stores(to) {
                            continue;
                        }
                        let single = dst.len() == 1;
                        match self.arena.as_int(t.offset).and_then(|v| i64::try_from(v).ok()) {
                            Some(d) if single => self.copy_cells(s, *from, &source, at, to, d, n),
                            _ => self.havoc(s, to, &UnknownReason::CopyToOneOfSeveral, false),
                        }
                    }
                    return;
                }
            }
        }
        if let ([GuardedTarget { base: Base::Object(to), offset, .. }], [GuardedTarget { base: Base::Object(from), offset: at, .. }]) = (dst.as_slice(), src.as_slice())
            // A kernel thread may keep a copy in its own variable, provided that nobody writes the source meanwhile.
            && (self.side == Side::Host || matches!(self.object(*to).kind, ObjKind::DeviceLocal) && self.is_read_as_it_was(*from, Scalar::Bytes))
        {
            self.copy_layer(s, (*to, *offset), (*from, *at), len);
            return;
        }
        let input = src.iter().any(|t| matches!(t.base, Base::Object(o) if matches!(s.mem.get(&o).map(|x| &x.rest), Some(UncoveredContents::Unknown { input: true, .. }))));
        for t in dst.iter() {
            // Unknown targets were havocked above; a function has no contents.
            let Base::Object(to) = t.base else { continue };
            if !self.knows_stores(to) {
                continue;
            }
            let name = self.object(to).name.clone();
            self.havoc(s, to, &UnknownReason::CopiedInto(name.clone()), input);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "two places and a length")]
    pub(in crate::symbolic) fn copy_cells(
        &mut self,
        s: &mut State,
        from: ObjId,
        source: &ObjState,
        at: i64,
        to: ObjId,
        d: i64,
        n: i64,
    ) {
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
                UncoveredContents::Init => {
                    // A constant table: copy its scalars, four or eight bytes at a time as they are read later.
                    if whole {
                        state.rest = UncoveredContents::Init;
                    }
                    let f = FuncRef {
                        module: self.object(from).site.map_or(ir::ModuleId(0), |x| x.0),
                        func: ir::FuncId(0),
                    };
                    // Only variables have initial values, so the object is a variable.
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
                                        state
                                            .cells
                                            .insert(b - at + d, (1, Value::unknown(UnknownReason::PartOfCopiedNumber)));
                                    }
                                }
                            }
                        }
                    }
                    state.rest = if whole { UncoveredContents::Zero } else { state.rest };
                }
                r if whole => state.rest = r.clone(),
                // Unwritten bytes stay unwritten.
                UncoveredContents::Uninit if state.rest == UncoveredContents::Uninit => {}
                _ => {
                    for b in 0..n {
                        state.cells.insert(d + b, (1, Value::unknown(UnknownReason::PartOfCopiedStructure)));
                    }
                }
            }
            // Cells that are copied only in part.
            let cut: Vec<(i64, u32, Value)> = source
                .overlapping(at, at + n)
                .filter(|(o, s, _)| *o < at || o + i64::from(*s) > at + n)
                .map(|(o, s, v)| (o, s, v.clone()))
                .collect();
            for (o, size, v) in &cut {
                let (first, last) = ((*o).max(at), (o + i64::from(*size)).min(at + n));
                let reason = UnknownReason::PartOfCopiedValue;
                self.keep_bytes(&mut state, (*o, *size, v), (first, last), first - at + d, &reason);
            }
        }
        for (o, size, v) in parts {
            state.clear(o - at + d, o - at + d + i64::from(size));
            state.cells.insert(o - at + d, (size, v));
        }
        s.mem.insert(to, Rc::new(state));
    }

    pub fn fill(&mut self, s: &mut State, dst: &Rc<Vec<GuardedTarget>>, byte: TermId, len: TermId) {
        self.note_written_as_bytes(dst);
        let dst = &without_null(dst);
        for t in dst.iter() {
            if let Base::Unknown(l) = &t.base {
                self.havoc_unknown_store(s, l, &UnknownReason::FilledSomewhere, true);
            }
        }
        let n = self.arena.as_int(len);
        let zero = self.arena.as_int(byte) == Some(0);
        for t in dst.iter() {
            // Unknown targets were havocked above; null and functions have no contents.
            let Base::Object(o) = t.base else { continue };
            if !self.knows_stores(o) {
                continue;
            }
            if self.several.has_other_names(o) {
                self.written_by_another_name(s, o, &UnknownReason::Filled);
                continue;
            }
            let extent = self.object(o).extent;
            let at = self.arena.as_int(t.offset);
            let whole = dst.len() == 1 && at == Some(0) && extent == Some(len);
            if whole && zero {
                let n = with_end_of(s.mem.get(&o), ObjState::new(UncoveredContents::Zero));
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
                        self.write_layer(s, o, t.offset, (1, 1, len), WrittenContents::Fill(b as u8));
                    }
                    _ => self.havoc(s, o, &UnknownReason::Filled, false),
                },
            }
        }
    }
}

impl ValueDomain<'_> {
    /// Collects the scalars of a constant that overlap a byte range: the offset, size and value of each.
    pub(in crate::symbolic) fn scalars(
        &self,
        f: FuncRef,
        c: &Const,
        ty: TypeId,
        at: u64,
        part: &std::ops::Range<u64>,
        out: &mut Vec<(u64, u64, Const)>,
    ) {
        let m = self.module(f);
        let size = m.size_of(ty).get();
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
                let offsets = Elements(elems.len() as u64).offsets(m.size_of(*elem));
                for (e, offset) in elems.iter().zip(offsets) {
                    self.scalars(f, e, *elem, at + offset, part, out);
                }
            }
            (Const::Bytes { data, .. }, TypeKind::Array { elem, .. })
                if matches!(m.size_of(*elem).get(), 2 | 4 | 8) =>
            {
                let size = m.size_of(*elem).get();
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
                let each = m.size_of(*elem).get().max(1);
                let (first, end) = (part.start.saturating_sub(at) / each, part.end.saturating_sub(at).div_ceil(each));
                for i in first..end.min(count.get()) {
                    self.scalars(f, &Const::Zero(*elem), *elem, at + i * each, part, out);
                }
            }
            _ => out.push((at, size, c.clone())),
        }
    }
}

impl Terms {
    pub fn offset_targets(&mut self, p: &Rc<Vec<GuardedTarget>>, delta: TermId) -> Rc<Vec<GuardedTarget>> {
        match self.offset_pointer(p, delta) {
            Value::Ptr(p) => p,
            _ => p.clone(),
        }
    }
}

/// Drops null targets of a copy or fill, if others remain: a container without elements may have a null pointer.
fn without_null(p: &Rc<Vec<GuardedTarget>>) -> Rc<Vec<GuardedTarget>> {
    match p.iter().filter(|t| t.base != Base::Null).count() {
        n if n == p.len() || n == 0 => p.clone(),
        _ => Rc::new(p.iter().filter(|t| t.base != Base::Null).cloned().collect()),
    }
}
