//! Functions of the C++ runtime that throw and catch exceptions (Itanium C++ ABI, 2.4 and 2.5).

use super::arguments::{arg, read};
use super::heap::{aligned_new, malloc};
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::simple::ends;
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::thrown::ThrownObject;
use crate::machine::value::{Reason, Val};
use ir::{Callee, Const, FuncRef, GlobalId, Op, Operand, Program, Terminator, ValueId};
use models::attributes::is_of_library;

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
            "_ZSt17__throw_bad_allocv",
            "_ZSt28__throw_bad_array_new_lengthv",
            "__cxa_throw_bad_array_new_length",
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
    // Its end runs the program's own code, which is not followed there.
    let acts = |address: u64| m.mem.func_at(address).is_none_or(|f| !only_ends(m.program, f, 0));
    if arg(args, 2).known().is_none_or(|address| address != 0 && acts(address)) {
        return Err(ThreadStop::Unknown("an exception has a destructor of the program's own".into()));
    }
    let class = m.symbol_at(arg(args, 1));
    let at = m.user_site(th);
    m.exceptions.flying.push(ThrownObject { object: arg(args, 0), class, at });
    Err(ThreadStop::Thrown)
}

/// Deepest destructors of members and bases that are looked at.
const DESTRUCTORS: u32 = 8;

/// Whether a destructor does nothing but to end its object and the parts of it: it stores addresses of virtual tables, and calls
/// such destructors, those of the library among them.
fn only_ends(program: &Program, f: FuncRef, depth: u32) -> bool {
    let func = program.func(f);
    if func.is_declaration() || depth > DESTRUCTORS {
        let is_destructor = ["D0Ev", "D1Ev", "D2Ev"].iter().any(|end| func.name.ends_with(end));
        return func.is_declaration() && is_of_library(&func.name) && is_destructor;
    }
    let calls_such = |callee: &Callee| match callee {
        Callee::Direct(id) => only_ends(program, program.resolve_func(f.module, *id), depth + 1),
        Callee::Indirect(_) => false,
    };
    let is_table = |id: GlobalId| {
        let name = &program.global(program.resolve_global(f.module, id)).name;
        name.starts_with("_ZTV") || name.starts_with("_ZTT")
    };
    let makes: Vec<ValueId> = func
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter_map(|i| if let Op::Alloca { .. } = i.op { i.result } else { None })
        .collect();
    func.blocks.iter().all(|b| {
        let quiet = b.insts.iter().all(|i| match &i.op {
            Op::Alloca { .. } | Op::Load { .. } | Op::Gep { .. } | Op::Cast { .. } | Op::Lifetime { .. } => true,
            Op::Store { ptr: Operand::Value(v), .. } if makes.contains(v) => true,
            Op::Store { value: Operand::Const(Const::Global { id, .. }), .. } => is_table(*id),
            Op::Call { callee, .. } => calls_such(callee),
            _ => false,
        });
        quiet
            && match &b.term {
                Terminator::Invoke { callee, .. } => calls_such(callee),
                Terminator::Other(_) => false,
                _ => true,
            }
    })
}

/// Throws an exception of the library; its object is not followed.
fn throw_of_library(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    if th.on_device() {
        return ends(m, th, call, args);
    }
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let classes = [
        "16invalid_argument",
        "12out_of_range",
        "12length_error",
        "11logic_error",
        "9bad_alloc",
        "20bad_array_new_length",
    ];
    let class = classes
        .into_iter()
        .find(|class| name.contains(&format!("throw_{}", class.trim_start_matches(|c: char| c.is_ascii_digit()))))
        .map(|class| format!("_ZTISt{class}"));
    throw_new(m, th, call, class)
}

/// Throws an exception of a class, if that is known; its object is not followed.
fn throw_new(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, class: Option<String>) -> ModelResult {
    let object = match malloc(m, th, call, &[Val::new(16)])? {
        Ret::Val(object) => object,
        _ => Val::UNINIT,
    };
    m.havoc(th, object, Reason::OPEN);
    let at = m.user_site(th);
    m.exceptions.flying.push(ThrownObject { object, class, at });
    Err(ThreadStop::Thrown)
}

/// Largest object in bytes (`PTRDIFF_MAX`): no machine allocates more, however much memory it has.
const LARGEST_OBJECT: u64 = i64::MAX.cast_unsigned();

/// Allocates by `operator new` and `operator new[]`. In host code a size that no object can have, as that of an array
/// of negative length, throws (C++17, 8.3.4; libstdc++ 14).
pub(super) fn new(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    if is_impossible(th, args) { throw_bad_alloc(m, th, call) } else { malloc(m, th, call, args) }
}

/// Allocates by `operator new` with an alignment, as [`new`].
pub(super) fn new_aligned(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    if is_impossible(th, args) { throw_bad_alloc(m, th, call) } else { aligned_new(m, th, call, args) }
}

fn is_impossible(th: &Thread, args: &[Val]) -> bool {
    !th.on_device() && arg(args, 0).known().is_some_and(|size| size > LARGEST_OBJECT)
}

/// Throws what `new` throws for an impossible size: `bad_alloc`, or `bad_array_new_length`, which is one. Compilers
/// differ, so that the class is not known where the program names the latter.
fn throw_bad_alloc(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo) -> ModelResult {
    let names_derived = m.globals.keys().any(|of| m.program.global(*of).name == "_ZTISt20bad_array_new_length");
    throw_new(m, th, call, (!names_derived).then(|| "_ZTISt9bad_alloc".to_owned()))
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
    match m.is_handled_as(arg(args, 0)) {
        Some(handled) => Ok(Ret::Val(Val::new(if handled { 1 } else { 2 }))),
        None => Err(ThreadStop::Unknown("what follows depends on the type of an exception".into())),
    }
}
