//! Functions that a program looks up by their names (CUDA Driver API reference 13.0, Driver Entry Point Access; POSIX.1-2017, `dlsym`): the address
//! that stands for the function of the name, where the table of models has it.

use super::arguments::{arg, text, write};
use super::model::{ModelClass, ModelTable};
use crate::api::{Cause, ObjectKind};
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, low32};
use crate::memory::store::Fill;
use models::attributes::is_of_cuda;
use models::entry_points::{self, LookUp, is_known};

/// Look-ups of the runtime and the driver.
pub(super) const LOOK_UPS: ModelTable = &[
    (&["cudaGetDriverEntryPoint"], by_runtime, ModelClass::Memory),
    (&["cudaGetDriverEntryPointByVersion", "cuGetProcAddress", "cuGetProcAddress_v2"], by_version, ModelClass::Memory),
];

/// Look-ups of the C library.
pub(super) const OF_LIBRARIES: ModelTable =
    &[(&["dlsym"], library_symbol, ModelClass::Memory), (&["dlopen"], open_library, ModelClass::Memory)];

/// `(name, place of the pointer, flags, place of the result)`.
fn by_runtime(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    look_up(m, th, call, a, (Some(None), 2))
}

/// `(name, place of the pointer, version, flags, place of the result)`.
fn by_version(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    look_up(m, th, call, a, (arg(a, 2).known().map(|v| Some(low32(v))), 3))
}

/// A look-up for a version: that of the runtime (`Some(None)`), one that is given, or one that is not known.
fn look_up(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    a: &[Val],
    (version, flags): (Option<Option<u32>>, usize),
) -> ModelResult {
    let per_thread = call.target.is_some_and(|f| m.program.func(f).name.ends_with("_ptsz"));
    let name = name_at(m, th, arg(a, 0));
    // With 2 it is a function for the default stream of each thread; by default the program's own choice.
    let usual = matches!(arg(a, flags).known(), Some(0 | 1)) && !per_thread;
    let found = match (&name, version) {
        (Ok(name), Some(version)) if usual => entry_points::look_up(name, version),
        _ => LookUp::Unknown,
    };
    let known = match found {
        LookUp::Symbol(symbol) => address(m, symbol).map(|p| (p, Val::ZERO)),
        // The first version of `cuGetProcAddress` has no status: there the call fails.
        LookUp::Missing { .. } if a.len() <= flags + 1 => None,
        LookUp::Missing { status } => Some((Val::ZERO, Val::new(status.into()))),
        LookUp::Unknown => None,
    };
    let (pointer, result) = match known {
        Some(both) => both,
        None => {
            let unknown = not_found(m, name);
            (unknown, unknown)
        }
    };
    write(m, th, call, arg(a, 1), 64, pointer)?;
    if let Some(place) = a.get(flags + 1) {
        write(m, th, call, *place, 32, result)?;
    }
    Ok(Ret::Val(Val::ZERO))
}

/// `dlsym(handle, name)`. Names of CUDA are the toolkit's own, whichever library is asked.
fn library_symbol(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let name = name_at(m, th, arg(a, 1));
    let found = match &name {
        Ok(name) if is_of_cuda(name) => address(m, name),
        _ => None,
    };
    Ok(Ret::Val(found.unwrap_or_else(|| not_found(m, name))))
}

/// `dlopen(file, mode)`.
fn open_library(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let name = match arg(a, 0).known() {
        Some(0) => "the program itself".to_owned(),
        _ => name_at(m, th, arg(a, 0)).map_or_else(|_| "a library".to_owned(), |n| format!("`{n}`")),
    };
    m.seen.assume(format!("`dlopen` finds {name}"));
    let handle = m.heap_object(ObjectKind::Foreign, "dlopen", None, Val::poison(Reason::OPEN), Fill::Byte(0))?;
    Ok(Ret::Val(handle))
}

fn name_at(m: &mut Machine<'_>, th: &Thread, p: Val) -> Result<String, Val> {
    text(m, th, p).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn address(m: &mut Machine<'_>, symbol: &str) -> Option<Val> {
    let f = m.program.entry_point(symbol).filter(|_| is_known(symbol))?;
    Some(Val::new(m.mem.func_address(f)))
}

fn not_found(m: &mut Machine<'_>, name: Result<String, Val>) -> Val {
    match name {
        Ok(name) => {
            Val::poison(m.reason(Cause::Call, &format!("the function `{name}`, which is looked up by its name")))
        }
        Err(unknown) => unknown,
    }
}
