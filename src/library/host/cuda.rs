//! The CUDA runtime API (CUDA Runtime API reference 13.0), except for copies. Calls succeed; but launches and
//! allocations (`runs.rs`), and queries, return any code.

use super::libc;
use super::table::{HostTable, find};
use super::{arrays, copies, cuda_launch, cuda_memory, driver_api, entry_points, graphs, volume_calls, waits};
use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::memory::value::{GuardedTarget, Value};
use models::cuda_names::{is_of_driver, is_of_runtime};
use std::rc::Rc;

/// Devices and status codes.
pub(super) const STATUS: HostTable = &[
    (&["cudaSetDevice"], |e, c, s| set_device(e, c, s)),
    (&["cudaGetLastError", "cudaPeekAtLastError"], |e, c, s| last_error(e, c, s)),
    (&["cudaStreamQuery", "cudaEventQuery", "cuStreamQuery", "cuEventQuery"], |e, c, s| query(e, c, s)),
    (&["cudaGetErrorString", "cudaGetErrorName"], |e, c, s| error_text(e, c, s)),
];

/// Prefixes of the runtime's function names; a call of any of these without a model succeeds.
pub(super) const REST: &[&str] = &["cuda", "__cuda"];

/// Name prefixes of functions whose codes are followed, or that return another call's result.
const FOLLOWED: &[&str] = &[
    "cudaMalloc",
    "cudaHostAlloc",
    "cudaLaunch",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaGetError",
    "cuMemAlloc",
    "cuMemHostAlloc",
    "cuLaunch",
];

/// Whether a call returns a code that the analysis assumes to be success.
pub(super) fn may_fail(c: &LibraryCall<'_>) -> bool {
    let name = c.base();
    (is_of_runtime(name) || is_of_driver(name))
        && !name.ends_with("Query")
        && !FOLLOWED.iter().any(|p| name.starts_with(p))
}

/// Models a call that may fail: on failure it does nothing, and returns some other code.
pub(crate) fn call_that_may_fail(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let Value::Int(status) = e.status(c.base()) else { return Err(Box::new(s)) };
    let zero = e.arena.int(0);
    let well = e.arena.eq(status, zero);
    let failed = e.arena.not(well);
    let before = e.assume(s.clone(), failed);
    let done = match e.assume(s.clone(), well) {
        Some(s) => super::library_call(e, c, s),
        None => Ok(None),
    };
    let (Ok(done), code) = (done, Value::Int(status)) else { return Err(Box::new(s)) };
    match (done, before) {
        (done, None) => Ok(done),
        (None, Some(before)) => Ok(Some((code, before))),
        (Some((v, after)), Some(before)) => {
            let Some((s, choices)) = e.merge(vec![after, before]) else { return Ok(None) };
            let v = choices.first().map_or(code.clone(), |done| e.ite_value(*done, &v, &code));
            Ok(Some((v, s)))
        }
    }
}

pub(crate) fn cuda_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let of_runtime = REST.iter().any(|p| c.name.starts_with(p));
    // A function of the driver's name that has a body is the program's own.
    let of_driver = c.name.starts_with("cu") && e.program.func(c.func).is_declaration();
    if !of_runtime && !of_driver {
        return Err(Box::new(s));
    }
    let families = [
        arrays::ARRAYS,
        copies::COPIES,
        volume_calls::VOLUMES,
        waits::WAITS,
        cuda_memory::MEMORY,
        cuda_launch::LAUNCHES,
        graphs::GRAPHS,
        STATUS,
        driver_api::DRIVER,
        entry_points::LOOK_UPS,
        super::outputs::POOLS,
        super::queries::QUERIES,
    ];
    if let Some(model) = find(&families, c.base()) {
        return model(e, c, s);
    }
    if graphs::changes_graphs(e, c) {
        e.limits.miss(|| UnknownReason::KernelGraph(c.base().to_string()));
    }
    // The body of a template overload (`cudaMalloc<float>`) leads to the plain call; a function of the program may
    // have such a prefix too.
    if !of_runtime || !e.program.func(c.func).is_declaration() || c.name.starts_with("cuda") && !is_of_runtime(c.name) {
        return Err(Box::new(s));
    }
    e.havoc_call(&mut s, &[c.func], c.args, &UnknownReason::Returns(c.name.to_string()));
    super::success(e, s)
}

fn set_device(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (device, zero) = (libc::int_arg(e, c, 0, 32), e.arena.int(0));
    let first = e.arena.eq(device, zero);
    e.runtime.several_devices |= e.arena.as_bool(first) != Some(true);
    super::success(e, s)
}

fn last_error(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    if e.runtime.refusable { query(e, c, s) } else { super::success(e, s) }
}

fn query(e: &mut Terms, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let status = e.status(c.base());
    Ok(Some((status, s)))
}

fn error_text(e: &mut Terms, _: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let v = e.unknown_pointer(&UnknownReason::ErrorText);
    Ok(Some((v, s)))
}

pub(crate) fn pointer_arg(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize) -> Rc<Vec<GuardedTarget>> {
    match c.args.get(i) {
        Some(v) => {
            let v = v.clone();
            e.as_pointer(&v)
        }
        None => Rc::new(vec![]),
    }
}
