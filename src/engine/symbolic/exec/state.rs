//! Data of one path: the state of memory under its condition, and the activation of a function.

use super::events::LaunchConfig;
use crate::symbolic::loops::quantified_facts::QuantifiedFact;
use crate::symbolic::memory::object::{Memory, ObjId};
use crate::symbolic::memory::partition::ArrayRow;
use crate::symbolic::memory::value::Value;
use crate::symbolic::pointers::points_to::StoredAddresses;
use crate::symbolic::terms::term::TermId;
use base::work::{charge_each, cost};
use ir::{BlockId, FuncRef, Operand, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Debug)]
pub struct State {
    pub path: TermId,
    pub mem: Memory,
    /// Set by `__cudaPushCallConfiguration`, taken by `__cudaPopCallConfiguration`.
    pub pending: Option<Rc<LaunchConfig>>,
    /// Facts that hold in every iteration of completed loops.
    pub always: Rc<Vec<QuantifiedFact>>,
    /// Objects that callbacks registered on this path, outside loops, may write ([`crate::symbolic::effects`]).
    pub lent: Rc<StoredAddresses>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        charge_each(cost::OBJECT, self.mem.parts());
        Self {
            path: self.path,
            mem: self.mem.clone(),
            pending: self.pending.clone(),
            always: self.always.clone(),
            lent: self.lent.clone(),
        }
    }
}

/// Activation of a function.
pub(in crate::symbolic) struct Activation {
    pub func: FuncRef,
    pub env: Vec<Option<Value>>,
    pub locals: Vec<ObjId>,
    /// Rows of addresses, by the values that hold them.
    pub rows: FxHashMap<ValueId, Rc<Vec<ArrayRow>>>,
    /// Numbers shifted left by a constant, and the distance, by the values that hold the result.
    pub shifted: FxHashMap<ValueId, (TermId, i128)>,
    /// Hash of the call stack and of the iterations of unrolled loops around it: distinguishes allocations.
    pub context: u64,
}

impl Activation {
    /// Returns the rows that an address lies in.
    pub fn rows(&self, ptr: &Operand) -> Option<Rc<Vec<ArrayRow>>> {
        if let Operand::Value(v) = ptr { self.rows.get(v).cloned() } else { None }
    }
}

/// Edges out of a region and returns inside it.
#[derive(Default)]
pub(in crate::symbolic) struct RegionOut {
    pub back: Vec<(BlockId, State)>,
    pub exits: Vec<(BlockId, BlockId, State)>,
    pub rets: Vec<(Option<Value>, State)>,
}
