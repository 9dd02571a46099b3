//! Models of library functions: what calls of the CUDA runtime, of the C and C++ libraries and of PyTorch do to the
//! state of an execution, and what intrinsics and builtins of kernels do.
//!
//! In: a call with the state before it. Out: its result and the state after it, and events. [`Models`] gives the models
//! to the executor. Each model is a function over the lowest floor of the engine that it needs; only what executes code
//! (launches, constructors of variables) takes the executor.

pub mod device_launches;
pub mod host;
pub mod kernel;

use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{Library, LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::terms::term::TermId;
use ir::Side;

/// The models of this crate, of hosts and of kernels.
pub struct Models;

impl Library for Models {
    fn call(&self, executor: &mut Executor<'_>, call: &LibraryCall<'_>, state: State) -> ModelOutcome {
        match executor.side {
            Side::Host => host::host_call(executor, call, state),
            Side::Device => {
                let state = match device_launches::device_runtime_call(executor, call, state) {
                    Ok(done) => return Ok(done),
                    Err(state) => *state,
                };
                let allocated = std::mem::take(&mut executor.kernel.allocates);
                let done = kernel::builtins::device_call(executor, call, state);
                if executor.kernel.allocates {
                    device_launches::heap_beside_launches(executor, &UnknownReason::HeapBesideLaunches);
                }
                executor.kernel.allocates |= allocated;
                done
            }
        }
    }

    fn bound_results(
        &self,
        executor: &mut Executor<'_>,
        call: &LibraryCall<'_>,
        before: TermId,
        state: &mut State,
    ) -> bool {
        executor.side == Side::Device && kernel::collectives::bound_results(executor, call, before, state)
    }
}
