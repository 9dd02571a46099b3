//! Arguments that carry tensors of DLPack ([`models::dlpack`]).
//!
//! In: the arguments of a root. Out: the state in which its library calls it, after the models' conversions
//! (`templates/models/dlpack.cpp`); and, at a launch, the lengths of the tensors' memory, as far as the path determines
//! their dimensions by then.

use super::Call;
use crate::kernel::builtins::Modelled;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::tensors::OF_HANDLE;
use crate::symbolic::memory::value::{Base, Target, Value};
use ir::FuncRef;
use models::dlpack::{CONVERSION, Carrier, LAID_OUT, carrier};

impl Executor<'_> {
    /// Adds the object of an argument that carries a tensor. Its first word points to the tensor, as that of a handle.
    pub(super) fn carrier_given(&mut self, f: FuncRef, carrier: &Carrier, object: Object) -> Value {
        let extent = Some(self.arena.int(i128::from(carrier.bytes)));
        let o = self.heap.add(Object { kind: ObjKind::HostLocal, extent, array: false, ..object });
        self.note_carrier(o, f);
        self.pointer(o, 0)
    }

    /// Runs the conversions of a root's arguments; `None` if none of them returns.
    pub fn converted(&mut self, root: FuncRef, args: &[Value], state: State) -> Option<State> {
        let mut state = state;
        // What a conversion makes is an object of its own for each argument.
        for ((i, a), context) in args.iter().enumerate().zip(1..) {
            let Some(carrier) = carrier(self.program.func(root), i) else { continue };
            let Some(f) = self.conversion(root, carrier.class) else { continue };
            let required = carrier.required.iter().map(|n| Value::Int(self.arena.int(i128::from(*n))));
            let given: Vec<Value> = std::iter::once(a.clone()).chain(required).collect();
            state = self.call(f, given, state, context)?.1;
        }
        Some(state)
    }

    /// Finds a unit's own copy of a model.
    fn conversion(&self, f: FuncRef, of: &str) -> Option<FuncRef> {
        self.program.own_function(f.module, &format!("{CONVERSION}{of}"))
    }

    /// States the lengths of the memory of the tensors that arguments carry.
    pub(super) fn carried_are_laid_out(&mut self, context: u64, state: State) -> Option<State> {
        let mut state = state;
        for (o, root) in self.tensors_carried() {
            let Some(f) = self.conversion(root, LAID_OUT) else { continue };
            let tensor = self.pointer(o, 0);
            state = self.call(f, vec![tensor], state, context)?.1;
        }
        Some(state)
    }

    /// Returns the tensor that a caller gave into which a pointer leads, or null.
    pub(super) fn given_tensor(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let targets = self.pointer_arg(c, 0);
        let given = match targets.as_slice() {
            [Target { base: Base::Object(o), .. }] => Some(*o),
            _ => None,
        };
        let is_one = |o: &ObjId| {
            let object = self.object(*o);
            object.kind == ObjKind::Parameter && object.name.ends_with(OF_HANDLE)
        };
        let v = match given.filter(is_one) {
            Some(o) => self.pointer(o, 0),
            None => self.null(),
        };
        Ok(Some((v, s)))
    }
}
