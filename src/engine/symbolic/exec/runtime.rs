//! What is taken of the CUDA runtime, and what is noted of it while the host is followed: how much memory a device has, which launches it may
//! refuse, which work for the device may still be under way, and who may change constant variables meanwhile.
//!
//! Plain data below the executor; [`super::device_work`] and `host/` note it. What is noted once stays noted on all paths; what is under way is
//! part of a state, since waiting ends it.

use crate::symbolic::exec::site::Site;
use crate::symbolic::memory::object::{ObjId, ObjState};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// Bytes of memory that a device has at most.
    pub device_memory: u64,
    /// Work for the device may overlap: the host uses a stream other than the default one, or copies asynchronously.
    pub overlapping: bool,
    /// A launch was come to that may be refused.
    pub refusable: bool,
    /// Something was launched.
    pub launched: bool,
    /// Another device than the first may be in use.
    pub several_devices: bool,
    /// A stream of the C library was given a buffer of the program's.
    pub stream_buffers: bool,
    /// A stream may be in use that does not wait for the default one.
    pub unordered: bool,
    /// Where the dynamic shared memory is noted that kernels may have, and the clusters that they require (`host/runs.rs`).
    pub attributes: FxHashMap<FuncRef, ObjId>,
    /// The program sets no such attribute anywhere.
    pub usual_shared: bool,
    /// The program may set the clusters that kernels require (`host/launch_shapes.rs`).
    pub sets_clusters: Option<bool>,
    /// There are functions of the host that no unit at hand defines and no library is known to have.
    pub has_outside: Option<bool>,
    /// The most bytes of static shared memory of kernels.
    pub statics: FxHashMap<FuncRef, i128>,
    /// What `cudaMallocManaged` gave, and what the functions for pinned memory did.
    pub managed: FxHashSet<ObjId>,
    pub pinned: FxHashSet<ObjId>,
    /// Constant variables that kernels can reach by their addresses; any of them.
    pub(super) reached: FxHashSet<ObjId>,
    pub(super) any_reached: bool,
    /// Those that the host changed once something was launched, by copies that wait for other streams or do not.
    pub(super) changed: FxHashSet<(ObjId, bool)>,
    pub(super) any_changed: bool,
    /// What launches of a single thread have stored, which were followed.
    pub(super) alone: FxHashSet<ObjId>,
    /// What a caller gave: that the host's own code uses, and that kernels and copies for them write.
    pub used_by_host: FxHashSet<ObjId>,
    pub written_by_device: FxHashSet<ObjId>,
    /// What a caller gave, and variables, that copies or fills write.
    pub written_as_bytes: FxHashSet<ObjId>,
    /// What says in a state which memory of the host work for the device may still write, and what that held when it began to.
    /// That is at their places the number of the stream, below them the number of the event that was recorded last, if nothing came after.
    pub(super) flight: Option<ObjId>,
    pub(super) begun: FxHashMap<ObjId, Vec<Rc<ObjState>>>,
    /// Calls that made streams and events, and how often each was come to.
    pub(super) handles: Vec<((u64, Site), usize)>,
}

impl Runtime {
    /// The number of a call that makes a stream or an event.
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

    /// How much was noted: what comes before in a round of a loop may depend on it in the next.
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
                + usize::from(self.any_reached)
                + usize::from(self.any_changed),
        )
    }
}
