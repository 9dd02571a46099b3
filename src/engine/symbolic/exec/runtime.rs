//! Model of the CUDA runtime during host execution: how much memory a device has, which launches it may refuse, which
//! device work may still be in flight, and who may change constant variables meanwhile.
//!
//! Plain data below the executor; [`super::device_work`] and `host/` record it. A recorded fact holds on all paths;
//! work in flight is part of a state, since waiting ends it.

use crate::symbolic::exec::captures::Captures;
use crate::symbolic::exec::lock_records::HostLocks;
use crate::symbolic::exec::site::Site;
use crate::symbolic::memory::object::{ObjId, ObjState};
use crate::symbolic::terms::term::TermId;
use ir::{FuncRef, GlobalRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// Maximum number of bytes of memory of a device.
    pub device_memory: u64,
    /// Whether device work may overlap: the host uses a stream other than the default one, or copies asynchronously.
    pub overlapping: bool,
    /// Whether the host reached a launch that may be refused.
    pub refusable: bool,
    /// Whether something was launched.
    pub launched: bool,
    /// Kernels of libraries that modelled calls launch in their bodies.
    pub behind_models: FxHashSet<FuncRef>,
    /// Functions of the program that modelled calls call on a device: they touch nothing but their arguments.
    pub called_by_models: FxHashSet<FuncRef>,
    /// Host functions whose bodies were followed.
    pub followed: FxHashSet<FuncRef>,
    /// Functions whose addresses code outside the program gets.
    pub given_away: FxHashSet<FuncRef>,
    /// Devices of tensors that the program makes where another tensor is, by their storage: such a device may be the host.
    pub devices_of_tensors: FxHashMap<ObjId, TermId>,
    /// Storages of one element that is the least or the most of other elements, of a type that is not known: the
    /// number, valid while the storage has this state.
    pub extremes: FxHashMap<ObjId, (Rc<ObjState>, TermId)>,
    /// Whether a device other than the first may be in use.
    pub several_devices: bool,
    /// Whether a stream of the C library was given a buffer of the program.
    pub stream_buffers: bool,
    /// Whether a stream may be in use that does not wait for the default one.
    pub unordered: bool,
    /// Objects that record each kernel's limit of dynamic shared memory and the clusters that it requires
    /// (`host/runs.rs`).
    pub attributes: FxHashMap<FuncRef, ObjId>,
    /// Whether the program never sets such an attribute.
    pub usual_shared: bool,
    /// `Some(true)` if the program may set the clusters that kernels require (`host/launch_shapes.rs`).
    pub sets_clusters: Option<bool>,
    /// `Some(true)` if there are host functions that no available unit defines and no known library has.
    pub has_outside: Option<bool>,
    /// Host variables that nothing writes any more, and those that at most constructors write.
    pub settled: FxHashSet<GlobalRef>,
    pub of_constructors: FxHashSet<GlobalRef>,
    /// Maximum number of bytes of static shared memory, by kernel.
    pub statics: FxHashMap<FuncRef, i128>,
    /// Allocations by `cudaMallocManaged`, and by the functions for pinned memory.
    pub managed: FxHashSet<ObjId>,
    pub pinned: FxHashSet<ObjId>,
    /// Constant variables that kernels can reach by their addresses; `any_reached`: any of them.
    pub(super) reached: FxHashSet<ObjId>,
    pub(super) any_reached: bool,
    /// Constant variables that the host changed after a launch, and whether the copy waits for other streams;
    /// `any_changed`: any of them.
    pub(super) changed: FxHashSet<(ObjId, bool)>,
    pub(super) any_changed: bool,
    /// Objects that followed single-thread launches have stored to.
    pub(super) alone: FxHashSet<ObjId>,
    /// Caller memory that the host's own code uses, and caller memory that kernels, and copies for them, write.
    pub used_by_host: FxHashSet<ObjId>,
    pub written_by_device: FxHashSet<ObjId>,
    /// Caller memory and variables that copies or fills write.
    pub written_as_bytes: FxHashSet<ObjId>,
    /// `flight` is the object that records in a state which host memory device work may still write; `begun` holds its
    /// contents when that work began. At each object's offset, `flight` contains the number of the stream. Below them
    /// it contains the number of the event that was recorded last, if nothing came after.
    pub(super) flight: Option<ObjId>,
    pub(super) begun: FxHashMap<ObjId, Vec<Rc<ObjState>>>,
    /// Object that records in a state the order of streams around memory that is allocated in it, streams that wait for the default
    /// stream, which waits for them, and the streams that had work; `None` is an unknown one.
    pub(super) order: Option<ObjId>,
    pub waiting_streams: FxHashSet<i64>,
    /// Events that were recorded.
    pub(super) events: FxHashSet<i64>,
    pub(super) used_streams: FxHashSet<Option<i64>>,
    /// Whether threads of the host may give work to devices, the number of threads around the present one, and the object that
    /// records in a state which may still run.
    pub host_threads: bool,
    pub threads_around: usize,
    pub(super) threads: Option<ObjId>,
    /// Version of contents at the last start of a thread.
    pub(super) last_started: u32,
    /// Whether the caller of the present root may have started threads.
    pub(super) unknown_threads: bool,
    /// Variables of which each thread has its own, once that was asked.
    pub(super) of_threads: Option<Rc<[GlobalRef]>>,
    /// Facts about the present thread, where it is another one than the first.
    pub(super) in_thread: InThread,
    /// Locks that threads take, and what they concern.
    pub(super) locks: HostLocks,
    /// Bounds of the iterations of a loop of OpenMP that threads share, by the function that runs it.
    pub shared_iterations: FxHashMap<FuncRef, Option<(TermId, TermId)>>,
    /// `Some(true)` if kernels may wait for what comes after their launch.
    pub(super) kernels_wait: Option<bool>,
    /// `Some(true)` if functions of the program may run where a stream writes.
    pub(super) streams_call: Option<bool>,
    /// Whether code after `main` uses devices.
    pub(in crate::symbolic) used_at_exit: bool,
    /// Graphs, and the work that they keep.
    pub captures: Captures,
    /// Calls that made streams and events, and how often each was reached.
    pub(super) handles: Vec<((u64, Site), usize)>,
}

/// A thread of the host beside the first, while it is executed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InThread {
    /// Last version of contents before it, or before the thread around it.
    pub(super) base: u32,
    /// Whether it may have learned of what other threads did meanwhile, through a device.
    pub(super) learned: bool,
    /// Whether it freed memory that existed before, and whether it may not come back.
    pub(super) frees: bool,
    pub(super) ends: bool,
}

impl Runtime {
    /// Returns the runtime of a program that has not called it yet, on devices with up to 192 GiB of memory.
    pub(in crate::symbolic) fn new() -> Self {
        Self { device_memory: 192 << 30, ..Self::default() }
    }

    /// Returns the number of a call that makes a stream or an event.
    pub fn made_at(&mut self, context: u64, site: Site) -> usize {
        let key = (context, site);
        let n = self.handles.iter().position(|h| h.0 == key).unwrap_or_else(|| {
            self.handles.push((key, 0));
            self.handles.len() - 1
        });
        self.handles[n].1 += 1;
        n
    }

    pub fn is_made_once(&self, n: usize) -> bool {
        self.handles.get(n).is_some_and(|h| h.1 == 1)
    }

    /// Counts the recorded facts: earlier code in a loop iteration may depend on them in the next one.
    pub fn noted(&self) -> (bool, bool, bool, bool, usize) {
        (
            self.overlapping,
            self.refusable,
            self.launched,
            self.unordered,
            self.reached.len()
                + self.changed.len()
                + self.alone.len()
                + self.used_by_host.len()
                + self.written_by_device.len()
                + self.written_as_bytes.len()
                + self.behind_models.len()
                + self.called_by_models.len()
                + usize::from(self.any_reached)
                + usize::from(self.any_changed)
                + usize::from(self.host_threads)
                + usize::from(self.in_thread.learned)
                + self.captures.noted()
                + self.locks.noted(),
        )
    }
}
