//! Partitions: the parts into which named pointers cut an object, such as `float *b = &a[n];` in shared memory.
//!
//! In: the values that a kernel stores in its pointer variables. Out: where each part begins and when it was named;
//! each pointer carries the name through which it was derived ([`Target::part`]). The module must not know what an
//! access outside its part means.
//!
//! A variable names a part if one store sets it, its address is never taken, and the stored address is the same for all
//! threads, all blocks and all loop iterations. A pointer computed from it (`a + threadIdx.x * w`) is still derived
//! through it. A variable that is set several times (`p += stride`, `swap(a, b)`) names nothing, and neither do
//! parameters and members: their values keep the part that they had before, or none.

use super::object::ObjId;
use crate::symbolic::exec::site::Site;
use crate::symbolic::terms::term::TermId;
use ir::{Bytes, FuncRef, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index into [`Partitions::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

/// Point in a kernel's execution order at which a thread acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExecutionPoint {
    pub order: u32,
    /// Number of block barriers passed before.
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
    /// Path condition at that store.
    pub path: TermId,
    pub named: ExecutionPoint,
    /// Moment at which the variable went out of scope.
    pub ended: Option<ExecutionPoint>,
    /// False if another execution of the store set the variable to another address: then it names nothing.
    pub fixed: bool,
}

/// Declared array inside an object that an access indexes: a row of `tile[32][33]`, or an array member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayRow {
    /// The address computation.
    pub gep: Site,
    /// Bytes from the start of the row.
    pub offset: TermId,
    /// Size of the row; `element` is the size of each of its elements.
    pub size: Bytes,
    pub element: Bytes,
}

/// Role of a local pointer variable in naming parts.
#[derive(Clone, Debug)]
pub(super) enum PointerRole {
    Names(String),
    /// Holds what it was given once, under the part name that the value already had.
    Passes,
    Several,
}

/// The parts of one kernel's objects.
#[derive(Clone, Default)]
pub struct Partitions {
    pub(super) all: Vec<Partition>,
    pub(super) of_variable: FxHashMap<ObjId, PartId>,
    pub(super) roles: FxHashMap<FuncRef, Rc<FxHashMap<ValueId, PointerRole>>>,
    now: ExecutionPoint,
    /// Number of symbols older than the kernel.
    pub(super) outside: usize,
}

impl Partitions {
    /// Begins a kernel in an arena of `symbols` symbols.
    pub(crate) fn begin(&mut self, symbols: usize) {
        self.outside = symbols;
    }

    /// Clears all named parts.
    pub(crate) fn restart(&mut self) {
        self.all.clear();
        self.of_variable.clear();
        self.now = ExecutionPoint::default();
    }

    pub(crate) fn take(&mut self) -> Vec<Partition> {
        let all = std::mem::take(&mut self.all);
        self.restart();
        all
    }

    /// Advances to the next moment.
    pub(in crate::symbolic) fn tick(&mut self) -> ExecutionPoint {
        self.now.order += 1;
        self.now
    }

    pub fn barrier(&mut self) {
        self.now.phase += 1;
    }

    /// Ends the scope of a variable.
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
