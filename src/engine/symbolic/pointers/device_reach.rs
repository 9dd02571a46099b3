//! Memory that device work reaches from what it is given: along pointers in memory, and anywhere if an address is unknown.

use super::reached::ReachedObjects;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Value, has_unknown_pointer};

impl MemoryDomain<'_> {
    /// Returns what values lead to at once, and whether an address among it is unknown.
    pub fn given_by(&self, s: &State, values: &[Value]) -> (Vec<ObjId>, bool) {
        let mut given = vec![];
        for v in values {
            self.collect_objects(v, &mut given);
        }
        let anywhere = values.iter().any(has_unknown_pointer) || given.iter().any(|o| self.holds_unknown(s, *o));
        // A structure passed by value ends with its launch: what its members lead to is given too.
        let mut held = vec![];
        for o in &given {
            if let Some(st) = s.mem.get(o) {
                for (_, v) in st.cells.values() {
                    self.collect_objects(v, &mut held);
                }
            }
        }
        given.extend(held);
        given.sort_unstable();
        given.dedup();
        (given, anywhere)
    }

    fn holds_unknown(&self, s: &State, o: ObjId) -> bool {
        s.mem.get(&o).is_some_and(|st| st.cells.values().any(|(_, v)| has_unknown_pointer(v)))
    }

    /// Returns the objects that are reached from given ones.
    pub fn reached_by_device(&self, s: &State, given: &[ObjId], anywhere: bool) -> Vec<ObjId> {
        let mut reached = ReachedObjects::among(self.heap.len());
        reached.add(given.iter().copied());
        // A kernel names variables by itself.
        reached.add(s.mem.keys().filter(|o| match self.object(*o).kind {
            ObjKind::DeviceGlobal(_) | ObjKind::Constant(_) => true,
            ObjKind::HostGlobal(r) => self.program.is_managed(r),
            _ => false,
        }));
        let mut anywhere_added = false;
        let mut anywhere = anywhere;
        loop {
            if anywhere && !anywhere_added {
                anywhere_added = true;
                reached.add(self.escaped(s));
            }
            let Some(o) = self.reach_on(s, &mut reached) else { return reached.in_order() };
            anywhere |= self.holds_unknown(s, o);
        }
    }
}
