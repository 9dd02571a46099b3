//! The host side: models of the CUDA runtime, the C library and the C++ library, as far as allocation sizes, launches
//! and pointers depend on them, and the roots from which a program runs.
//!
//! In: a linked program. Out: launch events. This module is independent of the shim and of Z3.

mod arrays;
mod copies;
mod cuda;
pub(crate) mod cuda_launch;
mod cuda_memory;
mod device_wide;
mod dlpack;
mod driver_api;
mod entry_points;
mod extremes;
mod files;
mod formats;
mod functors;
mod futures;
mod getopt;
mod graphs;
mod host_threads;
pub(crate) mod launch_shapes;
mod libc;
mod libc_memory;
mod libc_text;
mod openmp;
mod outputs;
mod queries;
mod quiet;
mod root;
mod runs;
mod stdcxx;
mod table;
mod tensors;
mod thread_states;
mod variables;
mod volume_calls;
mod volumes;
mod waits;

pub use dlpack::converted;
pub use root::{HostRoot, initialised, lead_to_launches, root_state, root_state_before, roots};
pub use table::keys;

use crate::kernel::intrinsics;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::memory::value::Value;

/// Whether a mangled name is of an operator `new` or `delete` that a program may define itself (C++17, 21.6.2).
fn is_replaceable(name: &str) -> bool {
    ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|p| name.starts_with(p))
}

/// Models a library function by name, before any body is entered.
pub(crate) fn host_call(e: &mut Executor<'_>, call: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    host_threads::note_call(e, call, &mut s);
    let program = e.program;
    let func = program.func(call.func);
    if func.is_declaration()
        && let Some(model) = table::find(&[host_threads::THREADS, openmp::OPENMP], call.name)
    {
        return match model(e, call, s) {
            Err(s) => library_call(e, call, *s),
            done => done,
        };
    }
    if func.is_declaration() && cuda::may_fail(call) && !e.assumptions.takes(Axiom::CallsSucceed) {
        return cuda::call_that_may_fail(e, call, s);
    }
    library_call(e, call, s)
}

fn library_call(e: &mut Executor<'_>, call: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (program, f, args, site, ty) = (e.program, call.func, call.args, call.site, call.ty);
    if let Some(rest) = call.name.strip_prefix("llvm.") {
        return intrinsics::intrinsic(e, rest, args, s, site, ty);
    }
    // A program that defines a function of a library means its own.
    let own = program.is_own(f);
    if own && call.name.starts_with("cu") {
        return Err(Box::new(s));
    }
    let s = match outputs::result_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    let s = match cuda::cuda_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    let s = match queries::template_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    let s = match device_wide::device_wide_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    let s = match tensors::torch_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    if own && (!call.name.starts_with("_Z") || is_replaceable(call.name)) {
        return Err(Box::new(s));
    }
    let s = match libc::libc_call(e, call, s) {
        Err(s) => *s,
        done => return done,
    };
    stdcxx::stdcxx_call(e, call, s)
}

pub(crate) fn success(e: &mut Terms, s: State) -> ModelOutcome {
    Ok(Some((Value::Int(e.arena.int(0)), s)))
}

pub(crate) fn no_value(s: State) -> ModelOutcome {
    Ok(Some((Value::unknown(UnknownReason::NoValue), s)))
}

/// Models the call as unknown: havocs everything that it could write.
pub(crate) fn opaque(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    reason: &UnknownReason,
) -> ModelOutcome {
    e.others_run(&mut s);
    let parts = outputs::library_objects(e, c);
    let args = e.without_texts_read(&[c.func], c.args);
    e.havoc_parts(&mut s, &args, &parts, reason);
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, reason);
    Ok(Some((v, s)))
}
