//! A loop as it is entered ([`LoopAt`]), and what a round of it does ([`Transition`]): the transition relation from the variables' values at the header to
//! those at its end.

use super::types::{LoopKey, LoopVar};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::recency::Anew;
use crate::symbolic::memory::value::Base;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use ir::cfg::Cfg;
use ir::{BlockId, ValueId};
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

/// The loop that is executed, in one activation.
pub(in crate::symbolic) struct LoopAt<'c> {
    pub cfg: &'c Cfg,
    /// Its index among the loops of the graph.
    pub number: usize,
    pub header: BlockId,
    pub key: LoopKey,
    /// Phis of the header, and their values before the loop.
    pub phis: Vec<ValueId>,
    pub phi_start: FxHashMap<ValueId, Value>,
}

/// One pass over the body from a state in which its variables are symbols.
pub(in crate::symbolic) struct Pass {
    /// The state at the header.
    pub head: State,
    /// The symbols that variables hold there.
    pub symbols: FxHashMap<LoopVar, Value>,
    /// The state where the body has come back to the header, and the values of phis there.
    pub end: State,
    pub phi_end: FxHashMap<ValueId, Value>,
    /// Symbols and contents from here on belong to the pass.
    pub mark: usize,
    pub version: u32,
}

/// Pointer variables that may hold several places.
#[derive(Default)]
pub(in crate::symbolic) struct PointerVars {
    /// Every object and offset that they can hold.
    pub choices: FxHashMap<LoopVar, Vec<(Base, TermId)>>,
    /// Those of which nothing is known.
    pub beyond: FxHashSet<LoopVar>,
    /// Those that each round sets to an object of its own.
    pub twins: FxHashMap<LoopVar, Anew>,
    /// Whether the last pass added to these.
    pub wider: bool,
}

impl PointerVars {
    pub fn contains(&self, v: &LoopVar) -> bool {
        self.choices.contains_key(v) || self.beyond.contains(v)
    }
}

/// What a round does: how it leads from the variables' values at the header to those at its end.
pub(in crate::symbolic) struct Transition {
    pub vars: Vec<LoopVar>,
    pub pointers: PointerVars,
    pub pass: Pass,
}
