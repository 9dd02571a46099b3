//! A thread of the machine: its frames, registers and stack, and its place in the launch under way.

use super::form::{Arg, Code};
use super::value::Val;
use crate::api::Site;
use crate::memory::space::Stack;
use ir::{BlockId, FuncRef};
use std::rc::Rc;

/// A function under way.
pub struct Frame {
    pub code: Rc<Code>,
    /// Next instruction.
    pub pc: usize,
    /// First register.
    pub base: usize,
    /// Stack objects that belong to the frames below.
    pub depth: usize,
    /// Where the caller wants the result: register of its frame and number of scalars.
    pub dst: u32,
    pub slots: u32,
    /// Arguments beyond the declared ones.
    pub varargs: Vec<Arg>,
    pub vararg_values: Vec<Val>,
}

/// Where a device thread stands in its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub block: [u32; 3],
    pub thread: [u32; 3],
}

/// One thread, of the host or of the device.
pub struct Thread {
    pub frames: Vec<Frame>,
    pub regs: Vec<Val>,
    pub stack: Stack,
    /// `None`: the host's thread.
    pub place: Option<Place>,
    /// Runs without the others of its block: what they may have written is poison.
    pub alone: bool,
    /// Has passed a barrier.
    pub synced: bool,
}

impl Thread {
    pub const fn host() -> Self {
        Self { frames: Vec::new(), regs: Vec::new(), stack: Stack::host(), place: None, alone: false, synced: false }
    }
    pub const fn device(place: Place, alone: bool) -> Self {
        Self { frames: Vec::new(), regs: Vec::new(), stack: Stack::device(), place: Some(place), alone, synced: false }
    }
    pub const fn on_device(&self) -> bool {
        self.place.is_some()
    }
}

/// A launch under way.
#[derive(Clone, Debug)]
pub struct Launch {
    pub ordinal: u64,
    pub site: Option<Site>,
    pub kernel: FuncRef,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster along each axis, if that is known.
    pub cluster: Option<[u32; 3]>,
    /// What its kernel was given.
    pub arguments: Rc<Vec<Val>>,
}

/// The instruction of the analysis form that the one at `pc` came from.
pub fn site_of(code: &Code, pc: usize) -> Site {
    let (block, inst) = code.places.get(pc).copied().unwrap_or((0, 0));
    Site { func: code.func, block: BlockId(block), inst }
}
