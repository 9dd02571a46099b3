//! The lowest floor: terms alone, without a program.

use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::memory::object::Memory;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::arena::Arena;
use ir::ValueId;
use std::rc::Rc;

/// Terms over which everything else is stated.
#[derive(Clone)]
pub struct Terms {
    pub arena: Arena,
}

impl Terms {
    pub(crate) fn new() -> Self {
        Self { arena: Arena::new() }
    }

    /// Returns a state in which nothing has happened yet, beside other states in progress.
    pub(in crate::symbolic) fn state_at_start(&mut self) -> State {
        State {
            path: self.arena.bool(true),
            mem: Memory::default(),
            pending: None,
            always: Rc::default(),
            lent: Rc::default(),
        }
    }

    pub(in crate::symbolic) fn set(&self, fr: &mut Activation, r: Option<ValueId>, v: Value) {
        if let Some(r) = r {
            fr.env[r.index()] = Some(v);
        }
    }
}
