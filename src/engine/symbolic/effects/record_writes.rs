//! Records the writes of the kernel under execution ([`Footprint`](super::write_set::Footprint)) and the contents of
//! memory outside them.
//!
//! In: stores and calls of a kernel; reads of memory of which it writes only some bytes. Out: its write set, and the
//! contents of that memory at the launch.

use super::write_set::Footprint;
use super::write_set::{ByteRanges, POINTER, Pointers, widen};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use crate::symbolic::memory::scalar::{Scalar, Scalars};
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use ir::{FuncRef, TypeId, TypeKind};
use std::rc::Rc;

impl MemoryDomain<'_> {
    /// Records that a kernel writes `bytes` bytes at `offset`.
    pub(in crate::symbolic) fn note_written(&mut self, o: ObjId, offset: TermId, bytes: i128, scalar: Option<Scalar>) {
        for at in self.each_offset(offset) {
            self.kernel.written.add(o, bytes_at(&self.arena, at, bytes), scalar);
        }
    }

    /// Records a pointer that a kernel stores.
    pub(in crate::symbolic) fn note_pointer(
        &mut self,
        o: ObjId,
        offset: TermId,
        p: &[GuardedTarget],
        scalar: Option<Scalar>,
    ) {
        // An address may be stored as an integer.
        self.kernel.written.add_scalars(o, Scalars::of(scalar));
        let mut all: Option<Pointers> = Some(vec![]);
        for t in p {
            let known = match &t.base {
                Base::Object(to) => {
                    !matches!(
                        self.object(*to).kind,
                        ObjKind::DeviceLocal | ObjKind::SharedStatic(_) | ObjKind::SharedDynamic
                    ) && !self.is_never_known(*to)
                }
                Base::Null | Base::Func(_) => true,
                Base::Unknown(l) => l.unset,
            };
            let Some(found) = all.as_mut().filter(|_| known) else {
                all = None;
                break;
            };
            for at in self.constants(t.offset) {
                widen(found, &(t.base.clone(), at));
            }
        }
        for at in self.each_offset(offset) {
            self.kernel.written.add_pointers(o, bytes_at(&self.arena, at, POINTER), all.as_ref());
        }
    }

    /// Returns the previous value or one of these pointers, undetermined which.
    fn or_one_of(&mut self, before: Value, pointers: &Pointers, name: &str) -> Value {
        let why = UnknownReason::WhichPointer(name.to_owned());
        let mut all = before;
        for (base, at) in pointers {
            let offset = match at {
                Some(at) => self.arena.int(i128::from(*at)),
                None => self.arena.fresh(
                    SymKind::Unknown { reason: why.clone() },
                    "an offset",
                    crate::symbolic::terms::interval::Interval::of_int(64, true),
                ),
            };
            let yes = self.arena.bool(true);
            let other = Value::Ptr(Rc::new(vec![GuardedTarget::new(yes, base.clone(), offset)]));
            if other == all {
                continue;
            }
            let chosen = self.arena.fresh_bool(SymKind::Unknown { reason: why.clone() }, "?");
            all = self.ite_value(chosen, &other, &all);
        }
        all
    }

    /// Keeps the contents of an object outside the kernel's writes, and the set of possible pointers where the kernel
    /// stores nothing but pointers.
    pub(in crate::symbolic) fn keep_beside(&mut self, s: &mut State, o: ObjId, before: &ObjState, written: &Footprint) {
        if self.several.has_other_names(o) {
            return;
        }
        let name = self.object(o).name.clone();
        let mut kept = vec![];
        for (at, (size, v)) in &before.cells {
            let bytes = ByteRanges::once(i128::from(*at), i128::from(*size));
            if !written.meets(o, bytes) {
                kept.push((*at, (*size, v.clone())));
                continue;
            }
            // A cell that is not kept is unknown like all havocked memory.
            let (Value::Ptr(_), Some(pointers)) = (v, written.pointers_at(o, bytes)) else { continue };
            kept.push((*at, (*size, self.or_one_of(v.clone(), &pointers, &name))));
        }
        for (bytes, _) in
            written.places.get(&o).into_iter().flatten().filter(|(p, only)| p.every == 0 && only.is_some())
        {
            // Bytes without a cell are treated likewise.
            let (Ok(at), Some(pointers)) = (i64::try_from(bytes.at), written.pointers_at(o, *bytes)) else { continue };
            let Some(held) = self.pointer_without_cell(before, at, &name) else { continue };
            kept.push((at, (8, self.or_one_of(held, &pointers, &name))));
        }
        if kept.is_empty() {
            return;
        }
        if let Some(state) = s.mem.get_mut(&o) {
            Rc::make_mut(state).cells.extend(kept);
        }
    }

    /// Replaces the contents of an object at the few known offsets that a kernel writes; returns `false` if it writes
    /// elsewhere.
    pub(in crate::symbolic) fn rewrite(
        &mut self,
        s: &mut State,
        o: ObjId,
        before: &ObjState,
        written: &Footprint,
    ) -> bool {
        let Some(places) = written.places.get(&o) else { return false };
        let each: Option<Vec<(i64, u32)>> = places
            .iter()
            .map(|(p, _)| {
                (p.every == 0 && matches!(p.bytes, 1 | 2 | 4 | 8))
                    .then_some(())
                    .and_then(|()| Some((i64::try_from(p.at).ok()?, u32::try_from(p.bytes).ok()?)))
            })
            .collect();
        let Some(mut each) = each.filter(|_| {
            !self.several.has_other_names(o)
                && matches!(
                    before.rest,
                    UncoveredContents::Uninit | UncoveredContents::Zero | UncoveredContents::Unknown { .. }
                )
        }) else {
            return false;
        };
        each.sort_unstable();
        if each.windows(2).any(|w| w[0].0 + i64::from(w[0].1) > w[1].0) {
            return false;
        }
        self.points_to.add_anything(o);
        let name = self.object(o).name.clone();
        let version = self.heap.next_version();
        let mut state = before.clone();
        for (at, bytes) in each {
            let pointers = written.pointers_at(o, ByteRanges::once(i128::from(at), i128::from(bytes)));
            let held = match before.cells.get(&at) {
                Some((size, v @ Value::Ptr(_))) if *size == bytes => Some(v.clone()),
                None if bytes == 8 && pointers.is_some() => self.pointer_without_cell(before, at, &name),
                _ => None,
            };
            let value = match (held, pointers) {
                (Some(held), Some(pointers)) => self.or_one_of(held, &pointers, &name),
                (Some(_), None) => Value::unknown(UnknownReason::KernelWrites(name.clone())),
                (None, _) => {
                    let at = self.arena.int(i128::from(at));
                    self.content(o, version, at, bytes * 8)
                }
            };
            self.keep_cut_cells(&mut state, at, at + i64::from(bytes));
            state.cells.insert(at, (bytes, value));
        }
        s.mem.insert(o, Rc::new(state));
        true
    }

    /// Returns what a kernel reads from memory in which it writes only other bytes, or only pointers.
    pub(in crate::symbolic) fn load_beside(
        &mut self,
        f: FuncRef,
        o: ObjId,
        offset: TermId,
        ty: TypeId,
    ) -> Option<Value> {
        let mut out: Option<Value> = None;
        for at in self.each_offset(offset) {
            let v = self.load_beside_at(f, o, at, ty)?;
            let here = self.arena.eq(offset, at);
            out = Some(match out {
                None => v,
                Some(old) => self.ite_value(here, &v, &old),
            });
        }
        out
    }

    fn load_beside_at(&mut self, f: FuncRef, o: ObjId, offset: TermId, ty: TypeId) -> Option<Value> {
        let beside = self.kernel.beside.clone()?;
        let m = self.module(f);
        if !beside.objects.contains(&o)
            || self.is_never_known(o)
            || matches!(m.ty(ty).kind, TypeKind::Struct { .. } | TypeKind::Array { .. } | TypeKind::Vector { .. })
        {
            return None;
        }
        let size = m.size_of(ty);
        let bytes = bytes_at(&self.arena, offset, i128::from(size));
        let pointers = if beside.written.meets(o, bytes) {
            Some(beside.written.pointers_at(o, bytes).filter(|_| matches!(m.ty(ty).kind, TypeKind::Ptr(_)))?)
        } else {
            None
        };
        let state = beside.memory.get(&o)?;
        let raw = self.read_cells(o, state, offset, size.get(), Some((f, ty)));
        let before = self.convert(f, raw, ty);
        let name = self.object(o).name.clone();
        Some(match pointers {
            Some(pointers) => self.or_one_of(before, &pointers, &name),
            None => before,
        })
    }
}

impl Terms {
    /// Returns the alternatives of an offset, such as those of one of two members; the offset itself if there are more
    /// than [`MAX_CHOICES`].
    fn each_offset(&self, offset: TermId) -> Vec<TermId> {
        if !matches!(self.arena.get(offset), Term::Ite(..)) {
            return vec![offset];
        }
        self.leaves(offset).filter(|l| l.len() <= MAX_CHOICES).unwrap_or_else(|| vec![offset])
    }

    /// Returns the constants that an offset may be; `None` stands for any offset.
    pub(in crate::symbolic) fn constants(&self, offset: TermId) -> Vec<Option<i64>> {
        let all = self.leaves(offset).unwrap_or_default();
        let all: Option<Vec<i64>> =
            all.into_iter().map(|t| self.arena.as_int(t).and_then(|at| i64::try_from(at).ok())).collect();
        all.filter(|all| !all.is_empty()).map_or_else(|| vec![None], |all| all.into_iter().map(Some).collect())
    }

    /// Returns the pointer that a read without a cell finds: null in zeroed memory, an unset pointer in unwritten
    /// memory.
    fn pointer_without_cell(&mut self, before: &ObjState, at: i64, name: &str) -> Option<Value> {
        if before.overlapping(at, at + 8).next().is_some() {
            return None;
        }
        match before.rest {
            UncoveredContents::Zero => Some(self.null()),
            UncoveredContents::Uninit => {
                Some(self.lost_pointer(UnknownPointer::unset(UnknownReason::Unwritten(name.to_owned()))))
            }
            _ => None,
        }
    }
}

/// Returns the bytes that an access touches.
fn bytes_at(arena: &Arena, offset: TermId, bytes: i128) -> ByteRanges {
    match arena.get(offset) {
        Term::Int(at) => ByteRanges::once(*at, bytes),
        Term::Poly(p) => {
            let (every, at) = (p.common_divisor(), p.constant());
            if every < bytes { ByteRanges::ALL } else { ByteRanges { every, at, bytes } }
        }
        _ => ByteRanges::ALL,
    }
}

/// Maximum number of alternatives of one offset that are examined separately.
const MAX_CHOICES: usize = 8;
