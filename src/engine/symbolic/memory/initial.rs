//! Initial contents of memory: globals, arguments, parameters, and untouched objects.

use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use super::value::{GuardedTarget, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::terms::term::{TermId, wrap_value};
use base::reasons::UnknownReason;
use ir::{Const, FuncRef, Linkage, TypeId, TypeKind};
use std::rc::Rc;

/// Maximum number of elements of a constant table that is read at a variable offset.
const MAX_TABLE: i128 = 64;
/// Maximum number of targets of a pointer that is read from such a table.
const MAX_POINTERS: usize = 32;

impl ExecutionContext<'_> {
    /// Ensures that an object has a state: globals get their initial contents.
    pub fn ensure(&mut self, s: &mut State, o: ObjId) {
        if s.mem.contains_key(&o) {
            return;
        }
        // Initial contents are the same on every path to the first use, and given contents the same in every kernel.
        let given = if self.heap.given(o).is_some() { self.heap.at_entry(o) } else { None };
        if let Some(first) = given.or_else(|| self.heap.first(o)) {
            s.mem.insert(o, first.clone());
            return;
        }
        let rest = match &self.object(o).kind {
            ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) => {
                let g = self.program.global(*r);
                let internal = g.constant
                    || self.from_the_start
                    || g.linkage == Linkage::Internal && !self.limits.effort().may_be_written(*r);
                // An unrecognised copy may have overwritten a device variable's initial value.
                let device = !matches!(self.object(o).kind, ObjKind::HostGlobal(_)) && !g.constant;
                match &g.init {
                    _ if device => {
                        let v = self.heap.next_version();
                        UncoveredContents::Unknown {
                            version: v,
                            input: false,
                            reason: Rc::new(UnknownReason::DeviceVariable(g.source_name.clone())),
                        }
                    }
                    Some(Const::Zero(_)) if internal => UncoveredContents::Zero,
                    Some(_) if internal => UncoveredContents::Init,
                    None if g.defined && internal => UncoveredContents::Zero,
                    _ => {
                        let v = self.heap.next_version();
                        UncoveredContents::Unknown {
                            version: v,
                            input: false,
                            reason: Rc::new(UnknownReason::Global(g.source_name.clone())),
                        }
                    }
                }
            }
            ObjKind::ArgvArray | ObjKind::ArgvText(_) | ObjKind::ArgvTexts => {
                let v = self.heap.next_version();
                UncoveredContents::Unknown { version: v, input: true, reason: Rc::new(UnknownReason::ArgumentText) }
            }
            ObjKind::DeviceHeap
            | ObjKind::SharedDynamic
            | ObjKind::SharedStatic(_)
            | ObjKind::HostHeap
            | ObjKind::Managed => UncoveredContents::Uninit,
            _ => {
                let v = self.heap.next_version();
                UncoveredContents::Unknown { version: v, input: false, reason: Rc::new(UnknownReason::UnknownMemory) }
            }
        };
        match (&rest, &self.object(o).kind) {
            (UncoveredContents::Init, ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) => {
                let r = *r;
                self.keep_initial(o, r);
            }
            // Zero or unwritten memory holds no address.
            (UncoveredContents::Unknown { .. }, _) => self.points_to.add_anything(o),
            _ => {}
        }
        let state = Rc::new(ObjState::new(rest));
        if self.object(o).kind.is_there_from_the_start() || self.heap.given(o).is_some() {
            self.heap.note_first(o, state.clone());
        }
        s.mem.insert(o, state);
    }

    /// Puts the host variables that the program may write into a state, so that changes by loops and on other paths are
    /// compared with it.
    pub fn ensure_written(&mut self, s: &mut State) {
        for g in self.limits.effort().written() {
            let o = self.global_object(g.module, g.global);
            self.ensure(s, o);
        }
    }

    /// Puts the pointees of an argument, which may be a structure passed by value, into a state.
    pub fn ensure_pointees(&mut self, s: &mut State, v: &Value) {
        let mut objects = vec![];
        self.collect_objects(v, &mut objects);
        for o in objects {
            self.ensure(s, o);
        }
    }
}

impl MemoryDomain<'_> {
    /// Object with the string `argv[i]`.
    pub(in crate::symbolic) fn argument_text(&mut self, i: u32) -> ObjId {
        if let Some(o) = self.inputs.argv_texts.get(&i) {
            return *o;
        }
        let o = self.heap.add(super::object::Object {
            kind: ObjKind::ArgvText(i),
            name: format!("argv[{i}]"),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.inputs.argv_texts.insert(i, o);
        self.is_in_argv(o);
        o
    }

    /// Records that the argument array holds the address of a string.
    pub(in crate::symbolic) fn is_in_argv(&mut self, text: ObjId) {
        if let Some(array) = self.heap.first_of(&ObjKind::ArgvArray) {
            self.points_to.add_objects(Some(array), &[text]);
        }
    }

    /// A scalar of a constant table.
    pub(in crate::symbolic) fn initial_value(&mut self, o: ObjId, offset: TermId, size: u64) -> Option<Value> {
        let (ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) = self.object(o).kind.clone()
        else {
            return None;
        };
        let at = u64::try_from(self.arena.as_int(offset)?).ok()?;
        let g = self.program.global(r);
        let init = g.init.as_ref()?;
        let f = FuncRef { module: r.module, func: ir::FuncId(0) };
        let c = self.constant_at(f, init, g.ty, at, size)?;
        Some(c)
    }

    /// An element of a small constant table at a variable offset. In a table of pointers each target has the offset as
    /// its condition.
    pub(in crate::symbolic) fn initial_element(&mut self, o: ObjId, offset: TermId, size: u64) -> Option<Value> {
        let mut elements = vec![];
        for at in self.table_offsets(o, offset, size)? {
            let at = self.arena.int(at);
            elements.push((self.arena.eq(offset, at), self.initial_value(o, at, size)));
        }
        if elements.iter().any(|(_, e)| matches!(e, Some(Value::Ptr(_)))) {
            let mut targets = vec![];
            for (here, element) in elements {
                // Other members of the object may lie between the pointers.
                let element = element.unwrap_or_else(|| Value::unknown(UnknownReason::TableElement));
                for t in self.as_pointer(&element).iter() {
                    let cond = self.arena.and(here, t.cond);
                    targets.push(GuardedTarget { cond, ..t.clone() });
                }
            }
            return (targets.len() <= MAX_POINTERS).then(|| Value::Ptr(Rc::new(targets)));
        }
        let mut value: Option<Value> = None;
        for (here, element) in elements.into_iter().rev() {
            let element = element?;
            value = Some(match value {
                None => element,
                Some(other) => self.ite_value(here, &element, &other),
            });
        }
        value
    }

    /// Returns the offsets, in bytes, that a variable offset may have for a read inside an object: those of its stride
    /// and its range.
    fn table_offsets(&mut self, o: ObjId, offset: TermId, size: u64) -> Option<Vec<i128>> {
        let last = self.object(o).extent.and_then(|e| self.arena.as_int(e))?.checked_sub(i128::from(size.max(1)))?;
        let p = self.arena.poly(offset);
        let (stride, constant) = (p.common_divisor(), p.constant());
        let range = self.arena.range(offset);
        let (least, most) = (range.lo.unwrap_or(0).max(0), range.hi.unwrap_or(last).min(last));
        if stride < i128::from(size.max(1)) {
            return None;
        }
        let first = least.checked_add((constant.checked_sub(least)?).rem_euclid(stride))?;
        let count = most.checked_sub(first)?.div_euclid(stride).checked_add(1)?;
        (1..=MAX_TABLE).contains(&count).then(|| (0..count).map(|i| first + i * stride).collect())
    }

    pub(in crate::symbolic) fn constant_at(
        &mut self,
        f: FuncRef,
        c: &Const,
        ty: TypeId,
        at: u64,
        size: u64,
    ) -> Option<Value> {
        let m = self.module(f);
        match c {
            Const::Aggregate { elems, .. } => match &m.ty(ty).kind {
                TypeKind::Struct { fields, .. } => {
                    let (i, x) = fields.iter().enumerate().rev().find(|(_, x)| x.offset <= at)?;
                    self.constant_at(f, elems.get(i)?, x.ty, at - x.offset, size)
                }
                TypeKind::Array { elem, .. } => {
                    let n = m.size_of(*elem).get().max(1);
                    self.constant_at(f, elems.get(usize::try_from(at / n).ok()?)?, *elem, at % n, size)
                }
                TypeKind::Vector { elem, .. } => {
                    let n = m.size_of(*elem).get().max(1);
                    self.constant_at(f, elems.get(usize::try_from(at / n).ok()?)?, *elem, at % n, size)
                }
                _ => None,
            },
            Const::Bytes { data, .. } => {
                let mut v: i128 = 0;
                for i in 0..size.min(16) {
                    v |= i128::from(*data.get(usize::try_from(at + i).ok()?)?) << (8 * i);
                }
                Some(Value::Int(self.arena.int(v)))
            }
            Const::Zero(_) => Some(Value::Int(self.arena.int(0))),
            // Some bytes of an integer, little-endian.
            Const::Int { bits, value }
                if *bits > 8 && size.checked_add(at)? <= m.size_of(ty).get() && size < m.size_of(ty).get() =>
            {
                let low = value.checked_shr(u32::try_from(at * 8).ok()?)?;
                Some(Value::Int(self.arena.int(wrap_value(low, u32::try_from(size * 8).ok()?, true))))
            }
            _ if at == 0 && m.size_of(ty).get() == size => Some(self.constant(f, c)),
            _ => None,
        }
    }

    /// Puts an object with its initial contents into a state.
    pub fn starts_with(&mut self, s: &mut State, o: ObjId, state: ObjState) {
        if let (UncoveredContents::Init, ObjKind::HostGlobal(r) | ObjKind::DeviceGlobal(r) | ObjKind::Constant(r)) =
            (&state.rest, &self.object(o).kind)
        {
            let r = *r;
            self.keep_initial(o, r);
        }
        s.mem.insert(o, Rc::new(state));
    }
}

/// Decodes a table element from its bytes, least significant first.
pub(super) fn element(kind: &TypeKind, bytes: &[u8]) -> Const {
    let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    match kind {
        TypeKind::Float(bits) => Const::Float { bits: *bits, value },
        TypeKind::Int(bits) => Const::Int { bits: *bits, value: wrap_value(i128::from(value), *bits, true) },
        _ => Const::Int { bits: 64, value: i128::from(value) },
    }
}
