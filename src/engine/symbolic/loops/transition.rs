//! A loop as it is entered ([`LoopAt`]), and its transition relation ([`Transition`]) from the variables' values at the
//! header to those at the end of an iteration.

use super::types::{LoopKey, LoopVar};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::recency::FreshAllocation;
use crate::symbolic::memory::value::Base;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use ir::cfg::Cfg;
use ir::{BlockId, ValueId};
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

/// The loop being executed, in one activation.
pub(in crate::symbolic) struct LoopAt<'c> {
    pub cfg: &'c Cfg,
    /// Index among the loops of the graph.
    pub number: usize,
    pub header: BlockId,
    pub key: LoopKey,
    /// Phis of the header; `phi_start` holds their values before the loop.
    pub phis: Vec<ValueId>,
    pub phi_start: FxHashMap<ValueId, Value>,
}

/// Pass over the body from a state in which its variables are symbols.
pub(in crate::symbolic) struct BodyPass {
    /// State at the header.
    pub head: State,
    /// Symbols that variables hold at the header.
    pub symbols: FxHashMap<LoopVar, Value>,
    /// State at the back edge; `phi_end` holds the values of phis there.
    pub end: State,
    pub phi_end: FxHashMap<ValueId, Value>,
    /// Symbols from `mark` on and versions after `version` belong to the pass.
    pub mark: usize,
    pub version: u32,
}

/// Pointer variables with several possible targets.
#[derive(Default)]
pub(in crate::symbolic) struct PointerVars {
    /// Every object and offset that each variable can hold.
    pub choices: FxHashMap<LoopVar, Vec<(Base, TermId)>>,
    /// Variables with unknown pointers.
    pub beyond: FxHashSet<LoopVar>,
    /// Variables that each iteration sets to an object of its own.
    pub twins: FxHashMap<LoopVar, FreshAllocation>,
    /// Whether the last pass added targets.
    pub wider: bool,
}

impl PointerVars {
    pub fn contains(&self, v: &LoopVar) -> bool {
        self.choices.contains_key(v) || self.beyond.contains(v)
    }
}

/// Effect of one iteration: the relation between the variables' values at the header and those at its end.
pub(in crate::symbolic) struct Transition {
    pub vars: Vec<LoopVar>,
    pub pointers: PointerVars,
    pub pass: BodyPass,
}
