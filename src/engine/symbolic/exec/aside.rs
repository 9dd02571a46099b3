//! Executions beside the host's: a kernel runs with a context, a call stack, events and a budget of its own.
//!
//! The host's are one value ([`SuspendedHost`]), which is swapped out before and swapped in afterwards. Objects,
//! versions of contents and points-to sets are shared.

use super::events::Events;
use super::executor::Executor;
use super::site::Site;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::kernel::context::KernelContext;
use crate::symbolic::limits::SavedLimits;
use crate::symbolic::limits::budget::Allowance;
use crate::symbolic::limits::halt::Halt;
use ir::Side;

/// The execution of the host while a kernel runs.
pub(in crate::symbolic) struct SuspendedHost {
    side: Side,
    stack: Vec<Site>,
    kernel: KernelContext,
    events: Events,
    limits: SavedLimits,
}

/// Outcome of the execution of a kernel.
pub(in crate::symbolic) struct KernelOutcome {
    pub kernel: KernelContext,
    pub events: Events,
    pub halt: Halt,
    /// Number of steps that it took.
    pub steps: u64,
}

impl ExecutionContext<'_> {
    /// Swaps in an empty execution on the device with the budget `given`, and returns the host's.
    pub(in crate::symbolic) fn swap_out_host(&mut self, given: Allowance, recording: bool) -> SuspendedHost {
        SuspendedHost {
            side: std::mem::replace(&mut self.side, Side::Device),
            stack: std::mem::take(&mut self.stack),
            kernel: std::mem::take(&mut self.kernel),
            events: std::mem::replace(&mut self.events, Events::new(recording)),
            limits: self.limits.begin_aside(given),
        }
    }

    /// Swaps in the host's execution, and returns what the kernel's left.
    pub(in crate::symbolic) fn swap_in_host(&mut self, host: SuspendedHost) -> KernelOutcome {
        let (steps, halt) = self.limits.end_aside(host.limits);
        (self.side, self.stack) = (host.side, host.stack);
        KernelOutcome {
            kernel: std::mem::replace(&mut self.kernel, host.kernel),
            events: std::mem::replace(&mut self.events, host.events),
            halt,
            steps,
        }
    }

    /// Evaluates with the meaning that host code has, on either side.
    pub(in crate::symbolic) fn on_the_host<R>(&mut self, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        let side = std::mem::replace(&mut self.side, Side::Host);
        let out = evaluate(self);
        self.side = side;
        out
    }
}

impl Executor<'_> {
    /// Executes host code without events and within a budget of its own; `None` where that does not end. What the code gives
    /// to libraries counts as given by code that is not followed, as all else that it does.
    pub fn beside_host<R>(&mut self, execute: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        let given = self.limits.left();
        let around = self.limits.begin_aside(given);
        let lent = self.points_to.lent_for_good().clone();
        let out = self.without_recording(execute);
        self.points_to.lend_no_more_than(lent);
        let ended = !self.limits.is_at_an_end();
        let (steps, _) = self.limits.end_aside(around);
        self.limits.take_steps(steps);
        out.filter(|_| ended)
    }

    /// Executes without recording events.
    pub(in crate::symbolic) fn without_recording<R>(&mut self, execute: impl FnOnce(&mut Self) -> R) -> R {
        let recording = std::mem::replace(&mut self.events.recording, false);
        let out = execute(self);
        self.events.recording = recording;
        out
    }
}
