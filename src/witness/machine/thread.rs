//! Threads of the machine: frames, registers, stack, and position in the current launch.

use super::form::{Arg, FunctionCode};
use super::value::Val;
use crate::api::ProgramPoint;
use crate::memory::space::Stack;
use ir::{BlockId, FuncRef};
use std::rc::Rc;

/// Frame of an active function.
pub struct Frame {
    pub code: Rc<FunctionCode>,
    /// Next instruction.
    pub pc: usize,
    /// First register.
    pub base: usize,
    /// Number of stack objects of the frames below.
    pub depth: usize,
    /// Destination of the result: register of the caller's frame and number of scalars.
    pub dst: u32,
    pub slots: u32,
    /// Arguments beyond the declared parameters.
    pub varargs: Vec<Arg>,
    pub vararg_values: Vec<Val>,
}

/// Position of a device thread in its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    pub block: [u32; 3],
    pub thread: [u32; 3],
}

/// A host or device thread.
pub struct Thread {
    pub frames: Vec<Frame>,
    pub regs: Vec<Val>,
    pub stack: Stack,
    /// Position in the launch; `None` for the host thread.
    pub place: Option<ThreadPosition>,
    /// Whether the thread runs without the other threads of its block: what they may have written is poison.
    pub alone: bool,
    /// Whether the thread has passed a barrier.
    pub synced: bool,
}

impl Thread {
    pub const fn host() -> Self {
        Self { frames: Vec::new(), regs: Vec::new(), stack: Stack::host(), place: None, alone: false, synced: false }
    }
    pub const fn device(place: ThreadPosition, alone: bool) -> Self {
        Self { frames: Vec::new(), regs: Vec::new(), stack: Stack::device(), place: Some(place), alone, synced: false }
    }
    pub const fn on_device(&self) -> bool {
        self.place.is_some()
    }
}

/// The current launch.
#[derive(Clone, Debug)]
pub struct CurrentLaunch {
    pub ordinal: u64,
    pub site: Option<ProgramPoint>,
    pub kernel: FuncRef,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster along each axis, if known.
    pub cluster: Option<[u32; 3]>,
    /// Arguments of the kernel.
    pub arguments: Rc<Vec<Val>>,
}

/// Instruction of the analysis form that the flat instruction at `pc` came from.
pub fn site_of(code: &FunctionCode, pc: usize) -> ProgramPoint {
    let (block, inst) = code.places.get(pc).copied().unwrap_or((0, 0));
    ProgramPoint { func: code.func, block: BlockId(block), inst }
}
