//! Given memory of which only the names are known: whether a pointer is null, and which names may be aliases.
//!
//! In: objects behind parameters of a root. Out: the condition under which such a pointer is null; whether an object's
//! contents may have been changed through another name. A caller may pass the same memory twice, or that of a variable
//! that it can reach; a contract's `disjoint` excludes this. Types follow the language's aliasing rules (C++
//! [basic.lval], C 6.5): a store of an integer does not change a floating-point object, and one of eight bytes does not
//! change one of four; characters change anything. A structure aliases no other structure except those that it is part
//! of. Memory that host code itself uses and memory that kernels write through another pointer are taken to be apart.

use super::containers::OF_CONTAINER;
use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use super::scalar::Scalar;
use super::value::{Base, GuardedTarget};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, TermId};
use base::axioms::Axiom;
use ir::{Linkage, Side, TypeKind, source_name};
use std::rc::Rc;

/// Prefix of the name of the input that tells whether a pointer is null; the pointer's name follows.
pub const NULL: &str = "nullptr == ";

impl ExecutionContext<'_> {
    /// Whether two objects may be one, given under two names.
    pub(in crate::symbolic) fn may_be_given_twice(&self, a: ObjId, b: ObjId) -> bool {
        let of = |o: ObjId| matches!(self.object(o).kind, ObjKind::Parameter);
        a != b
            && !self.is_librarys_own(a)
            && !self.is_librarys_own(b)
            && (of(a) && (of(b) || self.is_reached_by_callers(b)) || of(b) && self.is_reached_by_callers(a))
            && !self.assumptions.are_disjoint(a, b)
    }

    /// Whether two objects may be one if a write has the type of its pointer; copies and fills (`as_bytes`) write bytes
    /// of any type.
    pub(in crate::symbolic) fn may_be_written_twice(&self, a: ObjId, b: ObjId, as_bytes: bool) -> bool {
        self.may_be_given_twice(a, b)
            && (as_bytes || !self.are_other_structures(a, b) || !self.assumptions.takes(Axiom::TypesApart))
    }

    /// Whether code outside the program may have the address of a variable.
    fn is_reached_by_callers(&self, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::HostGlobal(g) => {
                let global = self.program.global(g);
                !global.constant && (global.linkage != Linkage::Internal || self.limits.effort().is_addressed(g))
            }
            // Whoever runs a kernel can ask for the variable's address.
            ObjKind::DeviceGlobal(g) => !self.program.global(g).constant,
            _ => false,
        }
    }

    /// Whether another name may have changed what is read as such a scalar since the function was called.
    pub(in crate::symbolic) fn is_changed_by_another_name(&self, s: &State, o: ObjId, read: Scalar) -> bool {
        if self.heap.parameters().is_empty() {
            return false;
        }
        self.heap.parameters().iter().copied().chain(self.heap.globals()).any(|other| {
            let Some(now) = s.mem.get(&other) else { return false };
            let as_bytes = self.runtime.written_as_bytes.contains(&other);
            let as_bytes = as_bytes || !self.assumptions.takes(Axiom::TypesApart);
            let read = if as_bytes { Scalar::Bytes } else { read };
            let changed = match self.heap.at_entry(other) {
                Some(first) => is_changed(first, now, read),
                // It was written before it was read, whatever was written.
                None => matches!(self.object(other).kind, ObjKind::Parameter),
            };
            changed && self.may_be_written_twice(o, other, as_bytes) && self.is_on_this_side(other)
        })
    }
}

impl MemoryDomain<'_> {
    /// Condition under which a parameter's pointer is null, so that its pointee does not exist. `None` for references,
    /// `this` and other objects.
    pub(in crate::symbolic) fn is_null_parameter(&mut self, o: ObjId) -> Option<TermId> {
        let object = self.object(o);
        let (ObjKind::Parameter, Some(f)) = (&object.kind, object.func) else { return None };
        let name = object.name.clone();
        let func = self.program.func(f);
        // A tensor's handle always leads to a tensor, and its storage exists if it has elements.
        if self.heap.given(o).is_some_and(|given| given.class.is_some()) || name.ends_with(super::tensors::OF_STORAGE) {
            return None;
        }
        // A container without storage has a block of no bytes.
        if name.ends_with(OF_CONTAINER) {
            return None;
        }
        if func.params.iter().any(|p| p.name == name && p.dereferenceable > 0) {
            return None;
        }
        let source = InputSource::Param { function: func.display.clone(), name: format!("{NULL}{name}") };
        let is_null = self.truth_input(source);
        let one = self.arena.int(1);
        Some(self.arena.eq(is_null, one))
    }

    /// Whether only a library's own pointers lead to an object.
    fn is_librarys_own(&self, o: ObjId) -> bool {
        self.heap.given(o).is_some_and(|given| given.class == Some(super::tensors::LibraryClass::Tensor))
    }

    /// Whether both are structures and neither type is part of the other: they share no byte.
    fn are_other_structures(&self, a: ObjId, b: ObjId) -> bool {
        let of = |o: ObjId| {
            let given = self.heap.given(o)?;
            let m = self.program.module(given.module);
            match &m.ty(given.ty?).kind {
                TypeKind::Struct { name: Some(name), .. } => Some((m, given.ty?, source_name(name))),
                _ => None,
            }
        };
        let (Some((m, x, of_x)), Some((n, y, of_y))) = (of(a), of(b)) else { return false };
        of_x != of_y && !m.has_part(x, of_y, n.size_of(y)) && !n.has_part(y, of_x, m.size_of(x))
    }

    /// Whether the side that is executed may access an object.
    fn is_on_this_side(&self, o: ObjId) -> bool {
        let by_host = self.runtime.used_by_host.contains(&o);
        let by_device = self.runtime.written_by_device.contains(&o);
        let on_this_side = match self.side {
            Side::Host => by_host || !by_device,
            Side::Device => by_device || !by_host,
        };
        on_this_side || !self.assumptions.takes(Axiom::SidesApart)
    }

    /// Records that host code itself uses given memory.
    pub(in crate::symbolic) fn note_used_by_host(&mut self, o: ObjId) {
        if self.side == Side::Host && matches!(self.object(o).kind, ObjKind::Parameter) {
            self.runtime.used_by_host.insert(o);
        }
    }

    /// Records that copies or fills write given memory: they write bytes, which may be part of any object.
    pub(super) fn note_written_as_bytes(&mut self, p: &[GuardedTarget]) {
        for t in p {
            if let Base::Object(o) = t.base
                && matches!(self.object(o).kind, ObjKind::Parameter | ObjKind::HostGlobal(_))
            {
                self.runtime.written_as_bytes.insert(o);
            }
        }
    }

    /// Records that kernels, or copies for them, write given memory.
    pub fn note_written_by_device(&mut self, o: ObjId) {
        if matches!(self.object(o).kind, ObjKind::Parameter) {
            self.runtime.written_by_device.insert(o);
        }
    }
}

impl ValueDomain<'_> {
    pub(in crate::symbolic) fn truth_input(&mut self, source: InputSource) -> TermId {
        let t = self.signed_input(source.clone(), 1, false);
        debug_assert_eq!(self.arena.range(t), Interval::new(0, 1), "{source:?}");
        t
    }
}

fn is_changed(first: &Rc<ObjState>, now: &Rc<ObjState>, read: Scalar) -> bool {
    if Rc::ptr_eq(first, now) {
        return false;
    }
    let same_rest = match (&first.rest, &now.rest) {
        (UncoveredContents::Layer(a), UncoveredContents::Layer(b)) => Rc::ptr_eq(a, b),
        (a, b) => a == b,
    };
    !same_rest
        || now
            .cells
            .iter()
            .any(|(at, (bytes, v))| first.cells.get(at) != Some(&(*bytes, v.clone())) && read.is_changed_by(*bytes, v))
}
