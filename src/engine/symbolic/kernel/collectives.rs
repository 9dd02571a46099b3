//! Collective operations of a block, and whether another access may disturb one: its storage in shared memory is its own
//! from the barrier before it to the barrier behind it.

use crate::symbolic::exec::events::{AccessEvent, Events};
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::Base;
use crate::symbolic::terms::term::TermId;
use std::ops::Range;

impl MemoryDomain<'_> {
    /// Whether an access outside of a collective operation may overlap with it: it touches the same shared memory, and
    /// no barrier that all threads of the operation pass lies between them.
    pub(super) fn disturbs_collectives(&self, events: &Events) -> bool {
        events.collectives.iter().any(|c| {
            let shared = self.shared_of(&events.accesses[c.accesses.clone()]);
            // Another iteration is no recorded access.
            let repeated = events.loops.iter().any(|l| {
                l.accesses.start <= c.accesses.start && c.accesses.end <= l.accesses.end && !c.accesses.is_empty()
            });
            let Some(shared) = shared.filter(|_| !repeated) else { return true };
            events.accesses.iter().enumerate().filter(|(i, _)| !c.accesses.contains(i)).any(|(i, ev)| {
                let touches = ev.targets.iter().any(|t| match t.base {
                    Base::Object(o) => shared.contains(&o),
                    _ => true,
                });
                let between = if i < c.accesses.start { i + 1..c.accesses.start + 1 } else { c.accesses.end..i + 1 };
                touches && !self.is_parted(events, between, c.path)
            })
        })
    }

    /// Returns the shared memory that accesses touch; `None` if some address is unknown.
    fn shared_of(&self, accesses: &[AccessEvent]) -> Option<Vec<ObjId>> {
        let mut out = vec![];
        for t in accesses.iter().flat_map(|ev| ev.targets.iter()) {
            let Base::Object(o) = t.base else { return None };
            if matches!(self.object(o).kind, ObjKind::SharedStatic(_) | ObjKind::SharedDynamic) {
                out.push(o);
            }
        }
        Some(out)
    }
}

impl Terms {
    /// Whether a barrier stands after one of these numbers of accesses, on the way of a path.
    fn is_parted(&self, events: &Events, between: Range<usize>, path: TermId) -> bool {
        let way = self.arena.conjuncts(path);
        events
            .barriers
            .iter()
            .any(|b| between.contains(&b.accesses) && self.arena.conjuncts(b.path).iter().all(|c| way.contains(c)))
    }
}
