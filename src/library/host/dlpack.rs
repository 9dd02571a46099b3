//! Arguments that carry tensors of DLPack ([`models::dlpack`]).
//!
//! In: the arguments of a root. Out: the state in which its library calls it, after the models' conversions
//! (`templates/models/dlpack.cpp`); and, at a launch, the lengths of the tensors' memory, as far as the path determines
//! their dimensions by then.

use super::cuda;
use super::libc;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::tensors::OF_HANDLE;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::{InputSource, SymKind};
use ir::FuncRef;
use models::dlpack::{CONVERSION, LAID_OUT, carrier};

/// Runs the conversions of a root's arguments; `None` if none of them returns.
pub fn converted(e: &mut Executor<'_>, root: FuncRef, args: &[Value], state: State) -> Option<State> {
    let mut state = state;
    // What a conversion makes is an object of its own for each argument.
    for ((i, a), context) in args.iter().enumerate().zip(1..) {
        let Some(carrier) = carrier(e.program.module(root.module), e.program.func(root), i) else { continue };
        let Some(f) = conversion(e, root, carrier.class) else { continue };
        let required = carrier.required.iter().map(|n| Value::Int(e.arena.int(i128::from(*n))));
        let given: Vec<Value> = std::iter::once(a.clone()).chain(required).collect();
        state = e.call(f, given, state, context)?.1;
    }
    Some(state)
}

/// Finds a unit's own copy of a model.
fn conversion(e: &ValueDomain<'_>, f: FuncRef, of: &str) -> Option<FuncRef> {
    e.program.own_function(f.module, &format!("{CONVERSION}{of}"))
}

/// States the lengths of the memory of the tensors that arguments carry.
pub(super) fn carried_are_laid_out(e: &mut Executor<'_>, context: u64, state: State) -> Option<State> {
    let mut state = state;
    for (o, root) in e.tensors_carried() {
        let Some(f) = conversion(e, root, LAID_OUT) else { continue };
        let tensor = e.pointer(o, 0);
        state = e.call(f, vec![tensor], state, context)?.1;
    }
    Some(state)
}

/// Returns the tensor that a caller gave into which a pointer leads, or null.
pub(super) fn given_tensor(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let targets = cuda::pointer_arg(e, c, 0);
    let given = match targets.as_slice() {
        [GuardedTarget { base: Base::Object(o), .. }] => Some(*o),
        _ => None,
    };
    let is_one = |o: &ObjId| {
        let object = e.object(*o);
        object.kind == ObjKind::Parameter && object.name.ends_with(OF_HANDLE)
    };
    let v = match given.filter(is_one) {
        Some(o) => e.pointer(o, 0),
        None => e.null(),
    };
    Ok(Some((v, s)))
}

/// Returns whether a number in some bytes of a given tensor was asked for so far.
pub(super) fn asked_of_tensor(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let targets = cuda::pointer_arg(e, c, 0);
    let bytes = libc::int_arg(e, c, 1, 64);
    let place = match targets.as_slice() {
        [GuardedTarget { base: Base::Object(o), offset, .. }] => Some(*o).zip(e.arena.as_int(*offset)),
        _ => None,
    };
    let asked = place.zip(e.arena.as_int(bytes)).is_some_and(|((o, from), bytes)| {
        let name = &e.object(o).name;
        let is_there = |kind: &SymKind| match kind {
            SymKind::Input(InputSource::Given { object, at, bits: 1.., .. }) => {
                object == name && (from..from + bytes).contains(&i128::from(*at))
            }
            _ => false,
        };
        e.arena.symbols().iter().any(|s| is_there(&s.kind))
    });
    Ok(Some((Value::Int(e.arena.int(i128::from(asked))), s)))
}
