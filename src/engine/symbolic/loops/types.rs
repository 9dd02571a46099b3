//! What a loop's body changes ([`LoopVar`]), what is found of it ([`Form`]), and what is remembered of loops between executions ([`LoopMemo`]).

use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use ir::{BlockId, FuncRef, ValueId};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// What a loop's body changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::symbolic) enum LoopVar {
    /// A cell of an object: offset and size in bytes.
    Cell(ObjId, i64, u32),
    /// Everything that the object holds.
    Whole(ObjId),
    Phi(ValueId),
    /// Whether the object has been freed.
    Life(ObjId),
}

/// The closed form of a variable.
#[derive(Clone, Debug)]
pub(in crate::symbolic) enum Form {
    /// Value at iteration k; the transition is exact.
    Closed(Value),
    /// Arbitrary, within facts of the header state.
    Bounded(Value, Vec<TermId>),
    Arbitrary,
}

/// What the execution of a loop gives: states at the edges that leave the loop, and returns inside it.
pub(in crate::symbolic) type LoopOut = (Vec<(BlockId, BlockId, State)>, Vec<(Option<Value>, State)>);

/// A loop of one activation: its context, function and header.
pub(in crate::symbolic) type LoopKey = (u64, FuncRef, BlockId);

/// Terms of comparisons that linear reasoning on one execution of a kernel or of the host looks at.
const MOST_WORK: u64 = 1 << 23;

/// What earlier executions of loops found out, which later ones only verify.
#[derive(Clone)]
pub(in crate::symbolic) struct LoopMemo {
    /// Variables that a body changes.
    pub vars: FxHashMap<LoopKey, Vec<LoopVar>>,
    /// Their constant steps, where they have one.
    pub steps: FxHashMap<LoopKey, Vec<(LoopVar, Option<i128>)>>,
    /// Variables that were shown not to wrap as numbers of so many bits, signed or not.
    pub ranges: FxHashMap<LoopKey, Vec<(LoopVar, u32, bool)>>,
    /// What showing bounds of loops' variables may still take: terms of comparisons.
    pub linear_work: Rc<Cell<u64>>,
}

impl Default for LoopMemo {
    fn default() -> Self {
        let (vars, steps, ranges) = Default::default();
        Self { vars, steps, ranges, linear_work: Rc::new(Cell::new(MOST_WORK)) }
    }
}

impl LoopMemo {
    /// Counts what is left of the allotment apart from the executor that this memo is a copy of.
    pub fn own_linear_work(&mut self) {
        self.linear_work = Rc::new(Cell::new(self.linear_work.get()));
    }

    /// Another kernel may take as much.
    pub fn renew_linear_work(&self) {
        self.linear_work.set(MOST_WORK);
    }
}
