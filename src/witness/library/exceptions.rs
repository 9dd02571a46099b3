//! Functions of the C++ runtime that throw and catch exceptions (Itanium C++ ABI, 2.4 and 2.5).

use super::arguments::{arg, read};
use super::heap::malloc;
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::simple::ends;
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::thrown::ThrownObject;
use crate::machine::value::{Reason, Val};

/// Functions that throw and catch.
pub(super) const EXCEPTIONS: ModelTable = &[
    (&["__cxa_throw"], throw, ModelClass::Ends),
    (&["__cxa_rethrow"], rethrow, ModelClass::Ends),
    (&["__cxa_begin_catch", "__cxa_get_exception_ptr"], begin_catch, ModelClass::Memory),
    (&["__cxa_end_catch"], end_catch, ModelClass::Memory),
    (
        &[
            "_ZSt24__throw_invalid_argumentPKc",
            "_ZSt20__throw_out_of_rangePKc",
            "_ZSt24__throw_out_of_range_fmtPKcz",
            "_ZSt20__throw_length_errorPKc",
            "_ZSt19__throw_logic_errorPKc",
        ],
        throw_of_library,
        ModelClass::Ends,
    ),
];

/// Model of a function by its symbol.
pub fn find(name: &str) -> Option<ModelEntry> {
    by_name(EXCEPTIONS, name)
}

fn throw(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    if th.on_device() {
        return ends(m, th, call, args);
    }
    let class = m.symbol_at(arg(args, 1));
    m.exceptions.flying.push(ThrownObject { object: arg(args, 0), class });
    Err(ThreadStop::Thrown)
}

/// Throws an exception of the library; its object is not followed.
fn throw_of_library(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    if th.on_device() {
        return ends(m, th, call, args);
    }
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let class = ["16invalid_argument", "12out_of_range", "12length_error", "11logic_error"]
        .into_iter()
        .find(|class| name.contains(&format!("__throw_{}", class.trim_start_matches(|c: char| c.is_ascii_digit()))))
        .map(|class| format!("_ZTISt{class}"));
    let object = match malloc(m, th, call, &[Val::new(16)])? {
        Ret::Val(object) => object,
        _ => Val::UNINIT,
    };
    m.havoc(th, object, Reason::OPEN);
    m.exceptions.flying.push(ThrownObject { object, class });
    Err(ThreadStop::Thrown)
}

fn rethrow(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let Some(caught) = m.exceptions.caught.last().cloned() else { return ends(m, th, call, args) };
    m.exceptions.flying.push(caught);
    Err(ThreadStop::Thrown)
}

fn begin_catch(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let begins = call.target.is_some_and(|f| m.program.func(f).name == "__cxa_begin_catch");
    if begins && let Some(caught) = m.exceptions.flying.pop() {
        m.exceptions.caught.push(caught);
    }
    // Of a pointer, the handler gets the value (Itanium C++ ABI, 2.5.3).
    let exceptions = &m.exceptions;
    let exception = if begins { exceptions.caught.last() } else { exceptions.flying.last() };
    if exception.and_then(|e| e.class.as_ref()).is_some_and(|class| class.starts_with("_ZTIP")) {
        return read(m, th, arg(args, 0), 64).map(Ret::Val);
    }
    Ok(Ret::Val(arg(args, 0)))
}

fn end_catch(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    // An exception that is thrown again stays.
    m.exceptions.caught.pop();
    Ok(Ret::Void)
}

/// `llvm.eh.typeid.for`: 1 for a type of which the exception is, like the number at its landing pad.
pub(super) fn number_of_type(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(match m.is_handled_as(arg(args, 0)) {
        Some(handled) => Val::new(if handled { 1 } else { 2 }),
        None => m.unknown("the type of an exception"),
    }))
}
