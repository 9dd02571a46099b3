//! Records the origins of unknown memory contents ([`ContentOrigin`]): of device memory, and of arrays of the host, which loops
//! fill before they are copied.
//!
//! In: states before and after launches and loops, and where paths meet, as the executor reaches them. Out: an origin
//! for each version of such contents. Consequences of origins are not derived here.

use super::memory_ssa::{ContentOrigin, ContentVersion};
use super::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::term::TermId;
use ir::Side;

impl MemoryDomain<'_> {
    fn is_followed_in_time(&self, o: ObjId) -> bool {
        let object = self.object(o);
        self.side == Side::Host
            && match object.kind {
                ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::HostHeap => true,
                ObjKind::HostLocal | ObjKind::HostGlobal(_) => object.array,
                _ => false,
            }
    }

    /// Records which contents are new after a launch; `before` is the last version before it.
    pub fn left_by_launch(&mut self, s: &State, launch: Option<usize>, before: u32) {
        let new: Vec<(u32, ObjId)> =
            s.mem.iter().filter_map(|(o, held)| Some((version(held).filter(|v| *v > before)?, o))).collect();
        for (v, o) in new {
            if self.side == Side::Host && matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_))
            {
                self.heap.note_origin(v, ContentOrigin::Launch(o, launch));
            }
        }
    }

    /// Records the contents at the head of a loop whose back edges were all followed.
    pub(in crate::symbolic) fn left_by_iterations<'s>(
        &mut self,
        (start, head): (&'s State, &State),
        back: impl Iterator<Item = &'s State> + Clone,
        before: (usize, u32),
    ) {
        let new: Vec<(u32, ObjId)> =
            head.mem.iter().filter_map(|(o, held)| Some((version(held).filter(|v| *v > before.1)?, o))).collect();
        for (v, o) in new {
            if !self.is_followed_in_time(o) {
                continue;
            }
            let moments: Option<Vec<ContentVersion>> =
                std::iter::once(start).chain(back.clone()).map(|s| moment(s, o)).collect();
            if let Some(moments) = moments {
                self.heap.note_origin(v, ContentOrigin::Loop { object: o, moments, before });
            }
        }
    }

    /// Records that contents are those of one of two paths that meet.
    pub(in crate::symbolic) fn left_on_ways(&mut self, o: ObjId, version: u32, paths: [&State; 2]) {
        if !self.is_followed_in_time(o) {
            return;
        }
        let moments: Option<Vec<ContentVersion>> = paths.into_iter().map(|s| moment(s, o)).collect();
        if let Some(moments) = moments {
            self.heap.note_origin(version, ContentOrigin::Join { object: o, moments });
        }
    }
}

impl Terms {
    /// Whether a term consists only of symbols and contents older than a time, given as a number of symbols and a
    /// version.
    pub fn is_older(&self, t: TermId, (mark, version): (usize, u32)) -> bool {
        self.only_old(t, mark, version, None)
    }
}

/// Version of an object's contents, if these have no other description.
fn version(held: &ObjState) -> Option<u32> {
    if let UncoveredContents::Unknown { version, .. } = held.rest { Some(version) } else { None }
}

fn moment(s: &State, o: ObjId) -> Option<ContentVersion> {
    Some(ContentVersion { path: s.path, always: s.always.clone(), held: s.mem.get(&o)?.clone() })
}
