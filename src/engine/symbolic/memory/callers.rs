//! Memory that a caller gave, of which only its names are known: whether a pointer is null, and what may be one under two names.
//!
//! In: objects behind parameters of a root. Out: the condition under which such a pointer is null; whether what an object holds may have
//! been changed through another name. A caller may give the same memory twice, or that of a variable that it can reach; a contract's
//! `disjoint` says that it does not. What a type's scalars are is the language's rule (C++ [basic.lval], C 6.5): an object of a floating-point
//! type is not changed through an integer, nor one of four bytes through one of eight; characters change anything. A structure is no other, but
//! for those that it is part of. Memory that the host's own
//! code uses and memory that kernels write through another pointer are taken to be apart.

use super::containers::OF_CONTAINER;
use super::object::{ObjId, ObjKind, ObjState, Rest};
use super::scalar::Scalar;
use super::value::{Base, Target};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{InputSource, TermId};
use base::axioms::Axiom;
use ir::{Linkage, Side, TypeKind, source_name};
use std::rc::Rc;

/// How the input begins that says whether a pointer is null; behind it is the pointer's name.
pub const NULL: &str = "nullptr == ";

impl Executor<'_> {
    /// When what a parameter points to is not there: its pointer is null. `None` of references and `this`, and of other objects.
    pub(in crate::symbolic) fn is_null_parameter(&mut self, o: ObjId) -> Option<TermId> {
        let object = self.object(o);
        let (ObjKind::Parameter, Some(f)) = (&object.kind, object.func) else { return None };
        let name = object.name.clone();
        let func = self.program.func(f);
        // A tensor's handle leads to a tensor, and its storage is there where it has elements.
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

    pub(in crate::symbolic) fn truth_input(&mut self, source: InputSource) -> TermId {
        let t = self.signed_input(source.clone(), 1, false);
        debug_assert_eq!(self.arena.range(t), Range::new(0, 1), "{source:?}");
        t
    }

    /// Whether two objects may be one, given under two names.
    pub(in crate::symbolic) fn may_be_given_twice(&self, a: ObjId, b: ObjId) -> bool {
        let of = |o: ObjId| matches!(self.object(o).kind, ObjKind::Parameter);
        a != b
            && !self.is_librarys_own(a)
            && !self.is_librarys_own(b)
            && (of(a) && (of(b) || self.is_reached_by_callers(b)) || of(b) && self.is_reached_by_callers(a))
            && !self.assumptions.are_disjoint(a, b)
    }

    /// Whether nobody's pointer leads to an object but a library's own.
    fn is_librarys_own(&self, o: ObjId) -> bool {
        self.heap.given(o).is_some_and(|given| given.class == Some(super::tensors::Class::Tensor))
    }

    /// The same of memory that is written as what the pointer's type says: copies and fills write bytes, of whatever is there.
    pub(in crate::symbolic) fn may_be_written_twice(&self, a: ObjId, b: ObjId, as_bytes: bool) -> bool {
        self.may_be_given_twice(a, b)
            && (as_bytes || !self.are_other_structures(a, b) || !self.assumptions.takes(Axiom::TypesApart))
    }

    /// Whether both are structures, of types neither of which is part of the other: no byte of one is one of the other.
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

    /// Whether code outside the program may have the address of a variable.
    fn is_reached_by_callers(&self, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::HostGlobal(g) => {
                let global = self.program.global(g);
                !global.constant && (global.linkage != Linkage::Internal || self.limits.effort().is_addressed(g))
            }
            // Whoever runs a kernel can ask for it.
            ObjKind::DeviceGlobal(g) => !self.program.global(g).constant,
            _ => false,
        }
    }

    /// Whether what is read as such a scalar may have been changed through another name since the function was called.
    pub(in crate::symbolic) fn is_changed_by_another_name(&self, s: &State, o: ObjId, read: Scalar) -> bool {
        if self.heap.parameters().is_empty() {
            return false;
        }
        self.heap.parameters().iter().copied().chain(self.heap.globals()).any(|other| {
            let (Some(now), Some(first)) = (s.mem.get(&other), self.heap.at_entry(other)) else { return false };
            let as_bytes = self.runtime.written_as_bytes.contains(&other);
            let as_bytes = as_bytes || !self.assumptions.takes(Axiom::TypesApart);
            let read = if as_bytes { Scalar::Bytes } else { read };
            is_changed(first, now, read) && self.may_be_written_twice(o, other, as_bytes) && self.is_on_this_side(other)
        })
    }

    /// Whether the code that is executed may use what an object is.
    fn is_on_this_side(&self, o: ObjId) -> bool {
        let by_host = self.runtime.used_by_host.contains(&o);
        let by_device = self.runtime.written_by_device.contains(&o);
        let on_this_side = match self.side {
            Side::Host => by_host || !by_device,
            Side::Device => by_device || !by_host,
        };
        on_this_side || !self.assumptions.takes(Axiom::SidesApart)
    }

    /// Notes that the host's own code uses what a caller gave.
    pub(in crate::symbolic) fn note_used_by_host(&mut self, o: ObjId) {
        if self.side == Side::Host && matches!(self.object(o).kind, ObjKind::Parameter) {
            self.runtime.used_by_host.insert(o);
        }
    }

    /// Notes that copies or fills write what a caller gave: they write bytes, which are part of anything.
    pub(super) fn note_written_as_bytes(&mut self, p: &[Target]) {
        for t in p {
            if let Base::Object(o) = t.base
                && matches!(self.object(o).kind, ObjKind::Parameter | ObjKind::HostGlobal(_))
            {
                self.runtime.written_as_bytes.insert(o);
            }
        }
    }

    /// Notes that kernels, or copies for them, write what a caller gave.
    pub(crate) fn note_written_by_device(&mut self, o: ObjId) {
        if matches!(self.object(o).kind, ObjKind::Parameter) {
            self.runtime.written_by_device.insert(o);
        }
    }
}

fn is_changed(first: &Rc<ObjState>, now: &Rc<ObjState>, read: Scalar) -> bool {
    if Rc::ptr_eq(first, now) {
        return false;
    }
    let same_rest = match (&first.rest, &now.rest) {
        (Rest::Layer(a), Rest::Layer(b)) => Rc::ptr_eq(a, b),
        (a, b) => a == b,
    };
    !same_rest
        || now
            .cells
            .iter()
            .any(|(at, (bytes, v))| first.cells.get(at) != Some(&(*bytes, v.clone())) && read.is_changed_by(*bytes, v))
}
