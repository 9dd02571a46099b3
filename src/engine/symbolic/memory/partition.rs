//! Partitions: the parts into which named pointers cut an object, such as `float *b = &a[n];` in shared memory.
//!
//! In: what a kernel stores in its pointer variables. Out: where each part begins and when it was named; a pointer says
//! through which name it came ([`Target::part`]). It must not know what an access outside its part means.
//!
//! A variable names a part if it is set by one store, its address is never taken, and what it is set to is the same place
//! for all threads, all blocks and all rounds of loops. A pointer computed from it (`a + threadIdx.x * w`) still came
//! through it. A variable that is set several times (`p += stride`, `swap(a, b)`) names nothing, and neither do
//! parameters and members: what they hold is known by the name it had before, or by none.

use super::object::ObjId;
use crate::symbolic::exec::site::Site;
use crate::symbolic::terms::term::TermId;
use ir::{Bytes, FuncRef, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index into [`Partitions::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

/// When a thread does something in a kernel, in the order in which the kernel was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    pub order: u32,
    /// Barriers of the block that came before.
    pub phase: u32,
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The variable's name in the source.
    pub name: String,
    /// The one store that sets it.
    pub set: Site,
    pub object: ObjId,
    /// Bytes from the start of the object.
    pub start: TermId,
    /// What holds where it is set.
    pub path: TermId,
    pub named: Moment,
    /// When the variable went out of scope.
    pub ended: Option<Moment>,
    /// False where some execution of the store set it to another place: then it names nothing.
    pub fixed: bool,
}

/// The declared array inside an object that an access indexes: a row of `tile[32][33]`, a member that is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The address computation.
    pub gep: Site,
    /// Bytes from the start of the row.
    pub offset: TermId,
    /// Of the row, and of each of its elements.
    pub size: Bytes,
    pub element: Bytes,
}

/// What a local pointer variable may do.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Names(String),
    /// Holds what it was given once, under the name that this had.
    Passes,
    Several,
}

/// The parts of one kernel's objects.
#[derive(Clone, Default)]
pub struct Partitions {
    pub(super) all: Vec<Partition>,
    pub(super) of_variable: FxHashMap<ObjId, PartId>,
    pub(super) roles: FxHashMap<FuncRef, Rc<FxHashMap<ValueId, Role>>>,
    now: Moment,
    /// Symbols that are older than the kernel.
    pub(super) outside: usize,
}

impl Partitions {
    /// A kernel begins, in an arena of so many symbols.
    pub(crate) fn begin(&mut self, symbols: usize) {
        self.outside = symbols;
    }

    /// Forgets what was named so far.
    pub(crate) fn restart(&mut self) {
        self.all.clear();
        self.of_variable.clear();
        self.now = Moment::default();
    }

    pub(crate) fn take(&mut self) -> Vec<Partition> {
        let all = std::mem::take(&mut self.all);
        self.restart();
        all
    }

    /// The next moment.
    pub(in crate::symbolic) fn tick(&mut self) -> Moment {
        self.now.order += 1;
        self.now
    }

    pub(crate) fn barrier(&mut self) {
        self.now.phase += 1;
    }

    /// A variable goes out of scope.
    pub(in crate::symbolic) fn end(&mut self, variable: ObjId) {
        let Some(id) = self.of_variable.get(&variable).copied() else { return };
        let now = self.tick();
        self.all[id.0 as usize].ended = Some(now);
    }

    pub(super) fn name(&mut self, variable: ObjId, p: Partition) -> PartId {
        match self.of_variable.get(&variable) {
            Some(id) => {
                let old = &mut self.all[id.0 as usize];
                let fixed = old.fixed && old.object == p.object && old.start == p.start;
                *old = Partition { fixed, ..p };
                *id
            }
            None => {
                let id = PartId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
                self.all.push(p);
                self.of_variable.insert(variable, id);
                id
            }
        }
    }
}
