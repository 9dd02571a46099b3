//! Arguments of a function whose caller is unknown: arbitrary numbers, and objects that a caller owns.
//!
//! In: a parameter. Out: its value, with the object that it points to where it is a pointer or a structure.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::term::InputSource;
use base::reasons::UnknownReason;
use ir::{FuncRef, Module, ModuleId, Param, Side, TypeId, TypeKind};
use models::dlpack::carrier;
use models::tensors::is_given_class;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Returns an arbitrary value for a parameter with an unknown caller; `bound` tells whether a binding makes the
    /// objects that it passes by reference.
    pub fn root_argument(&mut self, s: &mut State, m: &Module, f: FuncRef, i: usize, bound: bool) -> Value {
        if let Some(v) = self.part_in_registers(s, m, f, i) {
            return v;
        }
        let program = self.program;
        let p: &Param = &program.func(f).params[i];
        let function = program.func(f).display.clone();
        match &m.ty(p.ty).kind {
            TypeKind::Int(1) => self.unknown_of(m, p.ty, &UnknownReason::Parameter),
            TypeKind::Int(bits) => {
                let signed = !self.program.func(f).is_unsigned(&p.name);
                let source = InputSource::Param { function, name: p.name.clone() };
                Value::Int(self.signed_input(source, *bits, signed))
            }
            TypeKind::Ptr(_) => {
                let site: Option<(ModuleId, ir::LocId)> = Some((f.module, self.program.func(f).loc));
                let object = Object {
                    kind: ObjKind::Parameter,
                    name: p.name.clone(),
                    extent: None,
                    site,
                    func: Some(f),
                    array: true,
                };
                if let Some(carrier) = carrier(m, program.func(f), i).filter(|_| m.side == Side::Host) {
                    return self.carrier_given(f, &carrier, object);
                }
                if let Some(ty) = p.byval {
                    let o = self.add_structure_given(f, &p.name, ty);
                    return self.pointer(o, 0);
                }
                let declared = program.func(f).declared_type(&p.name);
                let given = match &p.class {
                    Some(class) => m.type_named(class),
                    None => declared.and_then(|d| self.pointee_type(m, d)),
                };
                // An object of a class that is passed by address is owned by the function, as is its result in memory.
                // So is a handle that the binding made of a Python argument.
                let own = p.class.is_some() || p.sret.is_some() || bound && declared.is_some_and(is_given_class);
                let o = if own && m.side == Side::Host {
                    self.heap.add(Object { kind: ObjKind::HostLocal, array: false, ..object })
                } else {
                    self.heap.add(object)
                };
                let of_a_library =
                    p.class.as_deref().or(declared).is_some_and(|d| self.note_given_class(o, f, d, p.class.is_some()));
                if !of_a_library && p.sret.is_none() {
                    self.note_given(o, f, given, p.class.is_some());
                }
                self.pointer(o, 0)
            }
            _ => self.unknown_of(m, p.ty, &UnknownReason::Parameter),
        }
    }

    /// Returns a part of a structure that is passed by value in registers, as read from the structure that the caller
    /// gave.
    fn part_in_registers(&mut self, s: &mut State, m: &Module, f: FuncRef, i: usize) -> Option<Value> {
        let program = self.program;
        let func = program.func(f);
        let (name, ty, at) = func.in_registers(i)?;
        let part = func.params[i].ty;
        if m.size_of(part).get() > 8 || !matches!(m.ty(part).kind, TypeKind::Int(_) | TypeKind::Ptr(_)) {
            return None;
        }
        let o = self.structure_given(f, name).unwrap_or_else(|| self.add_structure_given(f, name, ty));
        self.whole_as_given(s, o);
        let (cond, offset) = (self.arena.bool(true), self.arena.int(i128::from(at)));
        let targets = Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), offset)]);
        match self.load_typed(s, f, &targets, part) {
            Value::Unknown(_) => None,
            v => Some(v),
        }
    }
}

impl MemoryDomain<'_> {
    /// Adds the object for a structure that a caller passes by value, owned by the function.
    fn add_structure_given(&mut self, f: FuncRef, name: &str, ty: TypeId) -> ObjId {
        let m = self.program.module(f.module);
        let extent = self.arena.int(i128::from(m.size_of(ty)));
        let o = self.heap.add(Object {
            kind: if m.side == Side::Device { ObjKind::DeviceLocal } else { ObjKind::HostLocal },
            name: name.to_owned(),
            extent: Some(extent),
            site: Some((f.module, self.program.func(f).loc)),
            func: Some(f),
            array: false,
        });
        self.note_given(o, f, Some(ty), true);
        o
    }
}
