//! Positions of instructions.

use ir::{BlockId, FuncRef};

/// Position of an instruction. `inst == insts.len()` is the terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub func: FuncRef,
    pub block: BlockId,
    pub inst: u32,
}
