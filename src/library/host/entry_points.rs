//! Functions that a program looks up by their names (CUDA Driver API reference 13.0, Driver Entry Point Access; POSIX.1-2017, `dlsym`): a pointer to
//! the function that a constant text names, where the table of models has it, so that a call through it is one of that model.
//!
//! In: a name, and the version that it is asked for. Out: the pointer; an unknown one with the name in its reason, where the table has no such row.

use super::cuda;
use super::libc;
use super::table::HostTable;
use super::waits::is_per_thread;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use models::attributes::is_of_cuda;
use models::entry_points::{LookUp, is_known, look_up};
use std::rc::Rc;

/// Look-ups of the runtime and the driver.
pub(super) const LOOK_UPS: HostTable = &[
    (&["cudaGetDriverEntryPoint"], |e, c, s| driver_entry_point(e, c, s, None, 2)),
    (&["cudaGetDriverEntryPointByVersion"], |e, c, s| driver_entry_point(e, c, s, Some(2), 3)),
    (&["cuGetProcAddress", "cuGetProcAddress_v2"], |e, c, s| driver_entry_point(e, c, s, Some(2), 3)),
];

/// Look-ups of the C library.
pub(super) const OF_LIBRARIES: HostTable = &[(&["dlsym"], |e, c, s| library_symbol(e, c, s))];

/// `(name, place of the pointer, [version], flags, place of the result)`.
fn driver_entry_point(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    version: Option<usize>,
    flags: usize,
) -> ModelOutcome {
    let (name, out) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let version = version.map(|i| {
        let v = libc::int_arg(e, c, i, 32);
        e.arena.as_int(v).and_then(|v| u32::try_from(v).ok())
    });
    let flags_arg = libc::int_arg(e, c, flags, 64);
    // With 2 it is a function for the default stream of each thread; by default the program's own choice.
    let usual = matches!(e.arena.as_int(flags_arg), Some(0 | 1)) && !is_per_thread(c.name);
    let text = e.text_of(&name).filter(|_| usual);
    let found = match (text.as_deref(), version) {
        (Some(name), None) => look_up(name, None),
        (Some(name), Some(Some(version))) => look_up(name, Some(version)),
        _ => LookUp::Unknown,
    };
    let known = match found {
        LookUp::Symbol(symbol) => pointer_to_symbol(e, symbol).map(|p| (p, 0)),
        // The first version of `cuGetProcAddress` has no status: there the call fails.
        LookUp::Missing { .. } if c.args.len() <= flags + 1 => None,
        LookUp::Missing { status } => Some((e.null(), status)),
        LookUp::Unknown => None,
    };
    let result = cuda::pointer_arg(e, c, flags + 1);
    let (pointer, status) = match known {
        Some((pointer, status)) => (pointer, Value::Int(e.arena.int(status.into()))),
        None => {
            let status = e.unknown_int(&UnknownReason::Gives(c.base().to_owned()), 32);
            (not_found(e, c, text), Value::Int(status))
        }
    };
    e.store_value(&mut s, &out, pointer, 8);
    e.store_value(&mut s, &result, status, 4);
    super::success(e, s)
}

/// `dlsym(handle, name)`. Names of CUDA are the toolkit's own, whichever library is asked.
fn library_symbol(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let name = cuda::pointer_arg(e, c, 1);
    let text = e.text_of(&name);
    let found = text.as_deref().filter(|name| is_of_cuda(name)).and_then(|symbol| pointer_to_symbol(e, symbol));
    let v = found.unwrap_or_else(|| not_found(e, c, text));
    Ok(Some((v, s)))
}

fn pointer_to_symbol(e: &mut ValueDomain<'_>, symbol: &str) -> Option<Value> {
    let f = e.program.entry_point(symbol).filter(|_| is_known(symbol))?;
    let (cond, offset) = (e.arena.bool(true), e.arena.int(0));
    Some(Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Func(f), offset)])))
}

fn not_found(e: &mut Terms, c: &LibraryCall<'_>, name: Option<String>) -> Value {
    let call = c.base().to_owned();
    e.unknown_pointer(&match name {
        Some(name) => UnknownReason::LookedUp(name, call),
        None => UnknownReason::Gives(call),
    })
}
