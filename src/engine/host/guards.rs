//! Guards of function-local static variables (Itanium C++ ABI, 3.3.3: one-time construction).
//!
//! In: calls of the runtime around such a construction. Out: whether to construct, by the guard's first byte, which is
//! set after the construction. Other threads that construct the same variable at that time leave the same contents.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::value::{Base, Value};

pub(super) const GUARDS: Table = &[
    (&["__cxa_guard_acquire"], |e, c, s| e.guard_acquire(c, s)),
    (&["__cxa_guard_release"], |e, c, s| e.guard_release(c, s)),
    // The construction threw: it is still to be done.
    (&["__cxa_guard_abort"], |_, _, s| Executor::no_value(s)),
];

impl Executor<'_> {
    fn guard_acquire(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let guard = self.pointer_arg(c, 0);
        for t in guard.iter() {
            if let Base::Object(o) = t.base {
                self.ensure(&mut s, o);
            }
        }
        let Some(done) = self.load_number(&mut s, &guard, 1) else { return Err(Box::new(s)) };
        let (zero, one) = (self.arena.int(0), self.arena.int(1));
        let open = self.arena.eq(done, zero);
        Ok(Some((Value::Int(self.arena.ite(open, one, zero)), s)))
    }

    fn guard_release(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (guard, one) = (self.pointer_arg(c, 0), self.arena.int(1));
        self.store_value(&mut s, &guard, Value::Int(one), 1);
        Self::no_value(s)
    }
}
