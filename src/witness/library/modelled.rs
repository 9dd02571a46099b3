//! Decides which functions have a model, before the interpreter enters their bodies.

use super::model::{self, ModelClass, ModelEntry};
use super::{
    cuda, cxx, device_wide, entry_points, exceptions, host_threads, intrinsics, libc, math, stdio, string, tensors,
};
use crate::device::builtins;
use crate::machine::form::CallTarget;
use ir::{CONCRETE_MODEL, FuncRef, Function, Param, Program, Side};
use models::row::{CallSide, NameKey};
use models::table::not_returning;

/// Target of a call of this function (resolved in the program).
pub fn resolve(program: &Program, f: FuncRef) -> CallTarget {
    match find(program, f) {
        Some((m, _)) => CallTarget::Model(m),
        None if program.func(f).is_declaration() => {
            let body = program.own_function(f.module, &format!("{CONCRETE_MODEL}{}", program.func(f).name));
            body.map_or(CallTarget::Unknown, CallTarget::Body)
        }
        None if device_wide::is_device_wide(program, f) => CallTarget::Algorithm(f),
        None => CallTarget::Body(f),
    }
}

/// Class of what skipping a call of this function would lose.
pub fn class(program: &Program, f: FuncRef) -> ModelClass {
    find(program, f).map_or(ModelClass::Memory, |e| e.1)
}

fn find(program: &Program, f: FuncRef) -> Option<ModelEntry> {
    let func = program.func(f);
    let name = func.name.as_str();
    if let Some(rest) = name.strip_prefix("llvm.") {
        return intrinsics::intrinsic(rest).or_else(|| builtins::intrinsic(rest));
    }
    match program.module(f.module).side {
        // A body in the program has priority; headers wrap assertions.
        Side::Device if !func.is_declaration() && !builtins::is_trap(name) => math::device(name),
        Side::Device => builtins::find(name).or_else(|| math::device(name)),
        // A user's function may have the name of a C library function: then its body has priority, unless the library
        // has an overload or inline function of this name.
        Side::Host if name.starts_with("cu") && program.is_own(f) => None,
        Side::Host => cuda::find(name, func.is_declaration())
            .or_else(|| cxx::find(name, &func.display))
            .or_else(|| if func.is_declaration() || is_inline_libc(name) { host_library(name) } else { None }),
    }
}

/// Keys of the functions that the interpreter models.
#[must_use]
pub fn keys() -> Vec<(CallSide, NameKey)> {
    let libraries = [libc::LIBC, string::STRING, stdio::STDIO, tensors::BASIS, entry_points::OF_LIBRARIES]
        .into_iter()
        .flat_map(|t| model::keys(t, "", NameKey::whole));
    let ends = not_returning().filter(|(n, _)| exceptions::find(n).is_none()).map(|(n, _)| NameKey::whole(n));
    let threads = model::keys(host_threads::THREADS, "", NameKey::whole);
    let host = cuda::keys().chain(threads).chain(cxx::keys()).chain(libraries).chain(math::keys_of_host()).chain(ends);
    let device = builtins::keys().chain(math::keys_of_device());
    host.map(|k| (CallSide::Host, k))
        .chain(device.map(|k| (CallSide::Device, k)))
        .chain(intrinsics::keys().map(|k| (CallSide::of_intrinsic(&k), k)))
        .collect()
}

fn host_library(name: &str) -> Option<ModelEntry> {
    model::by_name(tensors::BASIS, name)
        .or_else(|| model::by_name(entry_points::OF_LIBRARIES, name))
        .or_else(|| libc::find(name))
        .or_else(|| string::find(name))
        .or_else(|| stdio::find(name))
        .or_else(|| math::host(name))
}

/// Whether headers define this C library function inline.
fn is_inline_libc(name: &str) -> bool {
    matches!(
        name,
        "atoi"
            | "atol"
            | "atoll"
            | "atof"
            | "printf"
            | "fprintf"
            | "sprintf"
            | "snprintf"
            | "getchar"
            | "putchar"
            | "getc"
            | "feof"
    )
}

/// True for each argument of a function that its signature makes a pointer to const. Arguments that a signature does not
/// name come first: the memory of a result, then `this`. Where the numbers differ all the same, because an object is
/// passed in pieces or not at all, nothing is known of any (Itanium C++ ABI, 3.1).
pub fn const_arguments(f: &Function) -> Vec<bool> {
    let named = parameters(&f.display);
    let result = usize::from(f.params.first().is_some_and(|p| p.sret.is_some()));
    // A declaration's parameters have no names. Only `this` and references are dereferenceable.
    let first_is_reference = named.first().is_some_and(|p| p.ends_with('&'));
    let is_this = |p: &Param| {
        p.name == "this"
            || p.name.is_empty() && p.dereferenceable > 0 && f.name.starts_with("_ZN") && !first_is_reference
    };
    let hidden = result + usize::from(f.params.get(result).is_some_and(is_this));
    if hidden + named.len() == f.params.len() + usize::from(f.variadic) {
        std::iter::repeat_n(false, hidden).chain(named.into_iter().map(is_to_const)).collect()
    } else {
        vec![]
    }
}

/// Whether a parameter is a pointer to const. One level only: the pointees of a const pointee are writable, but library
/// functions do not write them.
fn is_to_const(p: &str) -> bool {
    let pointer = p.ends_with('*') || p.ends_with('&');
    let pointee = p.trim_end_matches(['*', '&']).trim_end();
    pointer && (pointee.ends_with("const") || pointee.starts_with("const ") && !p[..p.len() - 1].contains('*'))
}

/// Parameters of a demangled signature.
fn parameters(display: &str) -> Vec<&str> {
    // The parameter list is the last balanced pair of parentheses.
    let Some(end) = display.rfind(')') else { return Vec::new() };
    let mut depth = 0;
    let mut start = None;
    for (i, c) in display[..=end].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    start = Some(i + 1);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(start) = start else { return Vec::new() };
    let (mut depth, mut out, mut from) = (0i32, Vec::new(), start);
    for (i, c) in display[start..end].char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(display[from..start + i].trim());
                from = start + i + 1;
            }
            _ => {}
        }
    }
    if !display[from..end].trim().is_empty() {
        out.push(display[from..end].trim());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn const_parameters_are_read_from_the_signature() {
        let const_params = |display| parameters(display).into_iter().map(is_to_const).collect::<Vec<_>>();
        assert_eq!(const_params("f(float const*, int, float*)"), vec![true, false, false]);
        assert_eq!(const_params("g<a<b, c> >(char const* const&, (anonymous)*)"), vec![true, false]);
        assert_eq!(const_params("std::foo(const char*, void (*)(int, int))"), vec![true, false]);
        assert_eq!(const_params("malloc"), Vec::<bool>::new());
        assert_eq!(const_params("h()"), Vec::<bool>::new());
    }
}
