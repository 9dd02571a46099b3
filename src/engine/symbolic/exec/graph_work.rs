//! Graphs in a state: the capture that is under way, and the memory that their work finds at a launch.
//!
//! In: a state and recorded work ([`super::captures`]). Out: events of the work at a later launch, and whether its memory is left.

use super::captures::{CaptureUnderWay, GraphWork};
use super::events::LaunchEvent;
use super::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Cell's value for an unknown graph.
const SOME_GRAPH: i64 = -1;

/// State of memory at the launch of a graph that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLeft {
    There,
    PerhapsFreed,
    /// Perhaps another allocation of the same call, or none on this path.
    PerhapsAnother,
}

impl MemoryDomain<'_> {
    /// Sets the first state of a root to no capture.
    pub fn nothing_captured(&mut self, s: &mut State) {
        let o = self.heap.add(Object {
            kind: ObjKind::Opaque,
            name: String::new(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.runtime.captures.now = Some(o);
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Zero)));
        // A loop whose iterations end each capture that they begin leaves this cell as it was.
        self.set_capture(s, CaptureUnderWay::No);
    }

    /// Returns the capture that is under way.
    pub fn capture_under_way(&self, s: &State) -> CaptureUnderWay {
        let Some(st) = self.runtime.captures.now.and_then(|o| s.mem.get(&o)) else { return CaptureUnderWay::No };
        match st.cells.get(&0) {
            Some((_, Value::Int(t))) => match self.arena.as_int(*t).and_then(|n| i64::try_from(n).ok()) {
                Some(0) => CaptureUnderWay::No,
                Some(SOME_GRAPH) | None => CaptureUnderWay::Into(None),
                Some(n) => CaptureUnderWay::Into(Some(n)),
            },
            None if st.rest == UncoveredContents::Zero => CaptureUnderWay::No,
            _ => CaptureUnderWay::Into(None),
        }
    }

    pub fn set_capture(&mut self, s: &mut State, now: CaptureUnderWay) {
        let number = match now {
            CaptureUnderWay::No => 0,
            CaptureUnderWay::Into(n) => n.unwrap_or(SOME_GRAPH),
        };
        let number = Value::Int(self.arena.int(i128::from(number)));
        if let Some(st) = self.runtime.captures.now.and_then(|o| s.mem.get_mut(&o)) {
            Rc::make_mut(st).cells.insert(0, (8, number));
        }
    }

    /// Returns the objects that device work may write: memory of the device, and what it shares with the host.
    pub fn open_to_device(&self, s: &State) -> Vec<ObjId> {
        let mut all: Vec<ObjId> = s.mem.keys().filter(|o| self.is_open_to_device(*o)).collect();
        all.sort_unstable();
        all
    }

    fn is_open_to_device(&self, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::DeviceHeap | ObjKind::Managed => true,
            ObjKind::Parameter => !self.heap.is_of_class(o) || self.heap.is_registered(o),
            // Copies change constant variables too.
            ObjKind::DeviceGlobal(r) | ObjKind::Constant(r) => !self.program.global(r).constant,
            ObjKind::HostLocal | ObjKind::HostHeap => self.heap.is_registered(o),
            ObjKind::HostGlobal(r) => self.heap.is_registered(o) || self.program.is_managed(r),
            ObjKind::ArgvArray
            | ObjKind::ArgvText(_)
            | ObjKind::ArgvTexts
            | ObjKind::SharedStatic(_)
            | ObjKind::SharedDynamic
            | ObjKind::DeviceLocal
            | ObjKind::Stream(_)
            | ObjKind::Opaque => false,
        }
    }

    /// Records that device work may write memory of the host that a captured kernel is given, at any later time.
    pub fn share_with_device(&mut self, given: &[ObjId]) {
        let host =
            |o: &ObjId| matches!(self.object(*o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_));
        let of_host: Vec<ObjId> = given.iter().copied().filter(host).collect();
        self.heap.register(of_host);
    }

    /// Returns a state as a launch of a graph may find it: with other contents of all memory that device work reads.
    pub fn at_any_launch(&mut self, s: &State) -> State {
        let mut open = s.clone();
        for o in self.open_to_device(s) {
            self.havoc(&mut open, o, &UnknownReason::OtherDeviceWork, false);
        }
        open
    }

    /// Returns what is left in this state of memory that a graph uses: it may be gone, or be another allocation.
    pub fn may_be_gone(&mut self, s: &State, o: ObjId, work: &GraphWork, root: Option<ir::FuncRef>) -> MemoryLeft {
        let object = self.object(o);
        let (kind, func) = (object.kind.clone(), object.func);
        if self.is_image(o) {
            return if self.is_image_ended(s, o) { MemoryLeft::PerhapsAnother } else { MemoryLeft::There };
        }
        if !matches!(kind, ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap | ObjKind::HostLocal) {
            let given = kind == ObjKind::Parameter;
            let freed = given && {
                let when = self.freed_when(s, o);
                self.arena.as_bool(when) != Some(false)
            };
            return if freed { MemoryLeft::PerhapsFreed } else { MemoryLeft::There };
        }
        let again = match kind {
            ObjKind::HostLocal => func != root,
            _ => self.heap.is_made_again(o),
        };
        if work.times > 1 && again || !s.mem.contains_key(&o) {
            return MemoryLeft::PerhapsAnother;
        }
        let when = self.freed_when(s, o);
        if self.arena.as_bool(when) == Some(false) { MemoryLeft::There } else { MemoryLeft::PerhapsFreed }
    }
}

impl ExecutionContext<'_> {
    /// Records that a launch of a graph allocates memory that may have been freed since the last one.
    pub fn allocated_by_graph(&mut self, s: &mut State, objects: &[ObjId]) {
        let no = self.arena.bool(false);
        for o in objects {
            if s.mem.contains_key(o) {
                self.set_freed(s, *o, no);
            }
        }
    }
}

impl ExecutionContext<'_> {
    /// Checks that memory of graphs is used as followed: by work of its own graph behind the allocation, or after the graph has
    /// freed it, which is a use of freed memory. `by` names the function that uses it.
    pub fn use_of_graph_memory(&mut self, s: &State, used: &[ObjId], by: &str) {
        if self.runtime.captures.memory.is_empty() {
            return;
        }
        for o in used {
            let Some(owner) = self.runtime.captures.memory.get(o).copied() else { continue };
            let of_graph =
                matches!(self.capture_under_way(s), CaptureUnderWay::Into(Some(g)) if owner.graph == Some(g));
            let making = self.runtime.captures.making.clone();
            let followed = if of_graph {
                if let Some(new) = &making {
                    self.runtime.captures.users.push((*o, new.number));
                }
                match (owner.node, making) {
                    (None, None) => true,
                    (Some(node), Some(new)) => new.behind.is_some_and(|behind| behind.contains(&node)),
                    (None, Some(_)) | (Some(_), None) => false,
                }
            } else {
                let when = self.freed_when(s, *o);
                making.is_none() && self.arena.as_bool(when) == Some(true)
            };
            if !followed {
                self.limits.miss(|| UnknownReason::MemoryOfGraph(by.to_owned()));
            }
        }
    }

    /// Records that a graph does its work with the memory of this state.
    pub fn work_again(&mut self, s: &State, work: &GraphWork) {
        if !self.events.recording {
            return;
        }
        let path = self.arena.and(s.path, work.path);
        let s = &self.at_any_launch(s);
        if let Some(launch) = &work.launch {
            let mut memory = s.mem.clone();
            // Structures that it is given by value.
            for (o, contents) in launch.memory.iter() {
                if self.object(o).kind == ObjKind::DeviceLocal {
                    memory.insert(o, contents.clone());
                }
            }
            let event = LaunchEvent { memory, path, always: s.always.clone(), ..(**launch).clone() };
            self.events.launches.push(event);
        }
        let there = State { path, ..s.clone() };
        for side in &work.sides {
            self.note_use(&there, &work.stack, &side.targets, side.kind, side.bytes);
        }
    }
}
