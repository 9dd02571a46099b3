//! Memory that is allocated and freed in the order of streams (CUDA C++ Programming Guide 13.0, Stream Ordered Memory Allocator): whether
//! work that uses it runs behind the allocation and before the free.
//!
//! In: allocations, uses and frees with their streams, events, and waits of the host. Out: the end of what is said of the program where no
//! order is known. A state records for each such object the streams whose later work runs behind its allocation, and the events that were
//! recorded behind it; and the same for its last use in each stream (happens-before by the streams and events: Lamport, CACM 1978).
//!
//! Events and waits of other host threads order nothing here, and neither do those of a capture.

use super::captures::CaptureUnderWay;
use super::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Number of the default stream.
const DEFAULT: i64 = 1;

/// Highest number of a stream that is told apart.
const MOST: i64 = 60;

/// Set of streams: later work in any stream.
const ALL: i64 = -1;

/// Number of bytes in the record for an object.
const OF_OBJECT: i64 = 1024;

/// Offset in the record of an object's sets: of streams and events behind its allocation, followed by those behind its last use in each
/// stream, and in streams that are not told apart.
const fn behind_allocation(o: ObjId) -> i64 {
    OF_OBJECT * (o.0 as i64) + OF_OBJECT
}
fn behind_use(o: ObjId, stream: Option<i64>) -> i64 {
    behind_allocation(o) + 8 * stream.filter(|n| (DEFAULT..=MOST).contains(n)).unwrap_or(MOST + 1)
}

/// Set of a stream or event; empty for one that is not told apart. Streams and events have different numbers.
fn bit(number: Option<i64>) -> i64 {
    number.filter(|n| (DEFAULT..=MOST).contains(n)).map_or(0, |n| 1 << n)
}

impl MemoryDomain<'_> {
    /// Sets the first state of a root to no memory in the order of streams.
    pub fn nothing_in_stream_order(&mut self, s: &mut State) {
        let o = self.heap.add(Object {
            kind: ObjKind::Opaque,
            name: String::new(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.runtime.order = Some(o);
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Zero)));
    }

    fn order_cells(&self, s: &State) -> Vec<(i64, i64)> {
        let Some(st) = self.runtime.order.and_then(|o| s.mem.get(&o)) else { return vec![] };
        let number = |v: &Value| match v {
            // What differs from path to path is behind nothing.
            Value::Int(t) => self.arena.as_int(*t).and_then(|n| i64::try_from(n).ok()).unwrap_or(0),
            _ => 0,
        };
        st.cells.iter().map(|(at, (_, v))| (*at, number(v))).collect()
    }

    fn order_cell(&self, s: &State, at: i64) -> Option<i64> {
        self.order_cells(s).into_iter().find(|(there, _)| *there == at).map(|(_, n)| n)
    }

    fn set_order_cell(&mut self, s: &mut State, at: i64, n: Option<i64>) {
        let n = n.map(|n| Value::Int(self.arena.int(i128::from(n))));
        let Some(st) = self.runtime.order.and_then(|o| s.mem.get_mut(&o)) else { return };
        match n {
            Some(n) => Rc::make_mut(st).cells.insert(at, (8, n)),
            None => Rc::make_mut(st).cells.remove(&at),
        };
    }

    /// Whether later work in a stream is behind what this set of streams is behind. The default stream waits for the streams that wait for
    /// it.
    fn is_behind(&self, set: i64, stream: Option<i64>) -> bool {
        let waiting = |n: i64| self.runtime.waiting_streams.contains(&n);
        set == ALL
            || set & bit(stream) != 0
            || stream == Some(DEFAULT) && (DEFAULT..=MOST).any(|n| set & 1 << n != 0 && waiting(n))
            || stream.is_some_and(waiting) && set & bit(Some(DEFAULT)) != 0
    }

    /// Whether what this thread does now orders the uses of an object: no other one may use it meanwhile, and a capture does nothing yet but to
    /// memory of its graph.
    fn orders(&self, s: &State, o: ObjId) -> bool {
        let captured = self.capture_under_way(s) != CaptureUnderWay::No;
        !self.may_be_used_by_thread(s, Some(o))
            && (self.runtime.threads_around == 0 || self.heap.is_made_since(o, self.runtime.in_thread.base))
            && (!captured || self.runtime.captures.memory.contains_key(&o))
    }

    /// Changes the sets of all objects whose uses are ordered now.
    fn change_sets(&mut self, s: &mut State, change: impl Fn(&Self, i64, bool) -> i64) {
        for (at, set) in self.order_cells(s) {
            let orders = u32::try_from(at / OF_OBJECT - 1).is_ok_and(|o| self.orders(s, ObjId(o)));
            let changed = change(self, set, orders);
            if set != ALL && changed != set {
                self.set_order_cell(s, at, Some(changed));
            }
        }
    }

    /// Records the allocation of an object in a stream.
    pub fn allocated_in_stream(&mut self, s: &mut State, o: ObjId, stream: Option<i64>) {
        self.set_order_cell(s, behind_allocation(o), Some(bit(stream)));
        self.set_order_cell(s, behind_use(o, stream), Some(bit(stream)));
    }

    /// Records an event of a stream: it is behind what the later work of its stream is behind. An unknown one may be any.
    pub fn event_in_stream(&mut self, s: &mut State, event: Option<i64>, stream: Option<i64>) {
        self.runtime.events.extend(event);
        let again =
            event.map_or_else(|| self.runtime.events.iter().fold(0, |all, e| all | bit(Some(*e))), |e| bit(Some(e)));
        self.change_sets(s, |e, set, orders| {
            let is_behind = orders && event.is_some() && e.is_behind(set, stream);
            if is_behind { set | again } else { set & !again }
        });
    }

    /// Records that the later work of a stream waits for an event.
    pub fn stream_waits(&mut self, s: &mut State, stream: Option<i64>, event: Option<i64>) {
        self.change_sets(s, |_, set, orders| if orders && set & bit(event) != 0 { set | bit(stream) } else { set });
    }

    /// Records that the host has waited for a stream or an event, or for all work.
    pub fn host_waited_in_order(&mut self, s: &mut State, number: Option<i64>) {
        self.change_sets(s, |_, set, orders| {
            let done = orders && number.is_none_or(|n| set & bit(Some(n)) != 0);
            if done { ALL } else { set }
        });
    }

    /// Returns the places and sets of the last uses of an object; `None` for one that was not allocated in the order of streams.
    fn uses_in_order(&self, s: &State, o: ObjId) -> Option<Vec<(i64, i64)>> {
        let first = behind_allocation(o);
        let of_object: Vec<(i64, i64)> =
            self.order_cells(s).into_iter().filter(|(at, _)| (first..first + OF_OBJECT).contains(at)).collect();
        of_object
            .iter()
            .any(|(at, _)| *at == first)
            .then(|| of_object.into_iter().filter(|(at, _)| *at != first).collect())
    }

    /// Removes an object from the record.
    fn leave_order(&mut self, s: &mut State, o: ObjId) {
        for (at, _) in self.uses_in_order(s, o).into_iter().flatten() {
            self.set_order_cell(s, at, None);
        }
        self.set_order_cell(s, behind_allocation(o), None);
    }

    /// Returns the objects that were allocated in the order of streams.
    pub fn in_stream_order(&self, s: &State) -> Vec<ObjId> {
        let all = self.order_cells(s).into_iter().filter(|(at, _)| *at > 0 && at % OF_OBJECT == 0);
        all.filter_map(|(at, _)| u32::try_from(at / OF_OBJECT - 1).ok().map(ObjId)).collect()
    }
}

impl ExecutionContext<'_> {
    /// Records that work in a stream uses objects, and ends what is said of the program if it may run before one of them is allocated.
    pub fn used_in_stream(&mut self, s: &mut State, objects: &[ObjId], stream: Option<i64>, by: &str) {
        self.runtime.used_streams.insert(stream);
        for o in objects {
            let Some(allocated) = self.order_cell(s, behind_allocation(*o)) else { continue };
            if !self.is_behind(allocated, stream) {
                self.limits.miss(|| UnknownReason::StreamOrder(by.to_owned()));
            }
            self.set_order_cell(s, behind_use(*o, stream), Some(bit(stream)));
        }
    }

    /// Records that objects are freed in a stream, `None` for any object, and ends what is said of the program if work that uses them may not
    /// have ended.
    pub fn freed_in_stream(&mut self, s: &mut State, objects: Option<&[ObjId]>, stream: Option<i64>, by: &str) {
        let all = objects.map_or_else(|| self.in_stream_order(s), <[ObjId]>::to_vec);
        for o in all {
            let in_order = match self.uses_in_order(s, o) {
                Some(uses) => uses.into_iter().all(|(_, set)| self.is_behind(set, stream)),
                // Of other memory the uses are not known.
                None => {
                    let used: Vec<Option<i64>> = self.runtime.used_streams.iter().copied().collect();
                    used.into_iter().all(|of| bit(of) != 0 && self.is_behind(bit(of), stream))
                }
            };
            if !in_order {
                self.limits.miss(|| UnknownReason::StreamOrder(by.to_owned()));
            }
            self.leave_order(s, o);
        }
    }

    /// Records a free that is in the order of no stream, for which the host does not wait either (CUDA C++ Programming Guide 13.0, 4.3): all
    /// work must have ended before.
    pub fn freed_at_once(&mut self, s: &mut State, o: ObjId, by: &str) {
        let Some(uses) = self.uses_in_order(s, o) else { return };
        if uses.into_iter().any(|(_, set)| set != ALL) {
            self.limits.miss(|| UnknownReason::StreamOrder(by.to_owned()));
        }
        self.leave_order(s, o);
    }
}
