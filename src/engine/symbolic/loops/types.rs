//! Loop variables ([`LoopVar`]), their forms ([`Form`]), and results kept between executions of a loop ([`LoopMemo`]).

use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use ir::{BlockId, FuncRef, ValueId};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// Part of the state that a loop's body changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::symbolic) enum LoopVar {
    /// A cell of an object: offset and size in bytes.
    Cell(ObjId, i64, u32),
    /// Whole contents of the object.
    Whole(ObjId),
    Phi(ValueId),
    /// The condition under which the object has been freed.
    Life(ObjId),
}

/// Form of a loop variable at iteration `k`.
#[derive(Clone, Debug)]
pub(in crate::symbolic) enum Form {
    /// Value at iteration `k`; the transition is exact.
    Closed(Value),
    /// A value that is arbitrary within these facts about the header state.
    Bounded(Value, Vec<TermId>),
    Arbitrary,
}

/// Results of executing a loop: states at the edges that leave it, and returns inside it.
pub(in crate::symbolic) type LoopOut = (Vec<(BlockId, BlockId, State)>, Vec<(Option<Value>, State)>);

/// Key of a loop in one activation: context, function and header.
pub(in crate::symbolic) type LoopKey = (u64, FuncRef, BlockId);

/// Budget of linear reasoning in one execution of a kernel or of the host, in terms of comparisons.
const MAX_WORK: u64 = 1 << 23;

/// Results of earlier executions of loops, which later ones only verify.
#[derive(Clone)]
pub(in crate::symbolic) struct LoopMemo {
    /// Variables that a body changes.
    pub vars: FxHashMap<LoopKey, Vec<LoopVar>>,
    /// Constant steps of these variables; `None` for arbitrary variables.
    pub steps: FxHashMap<LoopKey, Vec<(LoopVar, Option<i128>)>>,
    /// Variables proved not to wrap, with their width in bits and whether they are signed.
    pub ranges: FxHashMap<LoopKey, Vec<(LoopVar, u32, bool)>>,
    /// Remaining budget for proving bounds of loop variables, in terms of comparisons.
    pub linear_work: Rc<Cell<u64>>,
    /// Whether an iteration of the present loop did something that is known only where its number is.
    pub by_number: bool,
}

impl Default for LoopMemo {
    fn default() -> Self {
        let (vars, steps, ranges) = Default::default();
        Self { vars, steps, ranges, linear_work: Rc::new(Cell::new(MAX_WORK)), by_number: false }
    }
}

impl LoopMemo {
    /// Separates the remaining budget from that of the executor from which this memo was copied.
    pub fn own_linear_work(&mut self) {
        self.linear_work = Rc::new(Cell::new(self.linear_work.get()));
    }

    /// Resets the budget for another kernel.
    pub fn renew_linear_work(&self) {
        self.linear_work.set(MAX_WORK);
    }
}
