//! Guards of function-local static variables (Itanium C++ ABI, 3.3.3: one-time construction).
//!
//! In: calls of the runtime around such a construction. Out: whether to construct, by the guard's first byte, which is
//! set after the construction. Other threads that construct the same variable at that time leave the same contents.

use super::cuda;
use super::table::HostTable;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::value::{Base, Value};

pub(super) const GUARDS: HostTable = &[
    (&["__cxa_guard_acquire"], |e, c, s| guard_acquire(e, c, s)),
    (&["__cxa_guard_release"], |e, c, s| guard_release(e, c, s)),
    // The construction threw: it is still to be done.
    (&["__cxa_guard_abort"], |_, _, s| super::no_value(s)),
];

fn guard_acquire(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let guard = cuda::pointer_arg(e, c, 0);
    for t in guard.iter() {
        if let Base::Object(o) = t.base {
            e.ensure(&mut s, o);
        }
    }
    let Some(done) = e.load_number(&mut s, &guard, 1) else { return Err(Box::new(s)) };
    let (zero, one) = (e.arena.int(0), e.arena.int(1));
    let open = e.arena.eq(done, zero);
    Ok(Some((Value::Int(e.arena.ite(open, one, zero)), s)))
}

fn guard_release(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (guard, one) = (cuda::pointer_arg(e, c, 0), e.arena.int(1));
    e.store_value(&mut s, &guard, Value::Int(one), 1);
    super::no_value(s)
}
