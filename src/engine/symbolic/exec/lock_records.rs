//! Records of locks between threads of the host. Plain data below the executor; [`super::locks`] records and reads it.

use crate::symbolic::memory::object::{Memory, ObjId, ObjState};
use crate::symbolic::memory::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Locks of an execution.
#[derive(Clone, Debug, Default)]
pub(super) struct HostLocks {
    /// Whether a thread beside the first has taken one.
    pub(super) used: bool,
    /// Memory that others may store to; `None` is all that is not the thread's own.
    pub(super) scope: Option<FxHashSet<ObjId>>,
    /// Number of locks taken so far in threads beside the first, and contents of memory as these left it unknown.
    pub(super) taken: usize,
    pub(super) seen: Vec<(ObjId, Rc<ObjState>)>,
    /// Memory to which the present thread stored before it took one of its locks.
    pub(super) stored: FxHashSet<ObjId>,
    /// Arguments of the threads that were started, and the version of contents before the first of them.
    pub(super) given: Vec<Value>,
    pub(super) first: Option<u32>,
    /// Arguments of the present thread and of those around it.
    pub(super) around: Vec<ThreadArguments>,
    /// Memory that threads have stored to.
    pub(super) written: FxHashMap<ObjId, StoredByThread>,
}

/// Memory that a thread has stored to.
#[derive(Clone, Debug)]
pub(super) struct StoredByThread {
    /// Number of the thread, if it is known and alone.
    pub(super) by: Option<i64>,
    /// Contents that it left, and those of the state in which others go on meanwhile.
    pub(super) left: Rc<ObjState>,
    pub(super) meanwhile: Rc<ObjState>,
}

impl HostLocks {
    /// Counts what was recorded.
    pub(super) fn noted(&self) -> usize {
        self.written.len() + self.given.len() + usize::from(self.used)
    }
}

/// Arguments of a thread, and the object of its own that holds the rest of them.
#[derive(Clone, Debug)]
pub struct ThreadArguments {
    pub given: Vec<Value>,
    pub own: Option<ObjId>,
    /// Memory in which it starts.
    pub before: Memory,
}
