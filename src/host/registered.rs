//! Operators that a library registers with PyTorch: functions that Python calls with anything that their checks accept.
//!
//! In: a program. Out: the functions of its host side that it gives to `torch::Library::def` and `impl` (torch/library.h), to
//! `torch::RegisterOperators` (ATen/core/op_registration/op_registration.h) and to `pybind11::module_::def` (pybind11 2.13), by address, as a lambda
//! or by `TORCH_FN`. The unit that registers may be another one than defines them.

use crate::ir::{Callee, Const, FuncRef, Function, Op, Operand, Program, Side, Terminator};

/// How the names of functions begin that register what they are given.
const REGISTER: &[&str] = &[
    "torch::Library::def",
    "torch::Library::impl",
    "torch::Library::fallback",
    "c10::RegisterOperators::op",
    "c10::RegisterOperators::RegisterOperators",
    "torch::RegisterOperators::",
    "torch::jit::RegisterOperators::",
    "pybind11::module_::def",
    "torch::CppFunction::CppFunction",
];

/// Functions that operators' registrations name, each once, in the order of the program.
pub(super) fn registered(program: &Program) -> Vec<FuncRef> {
    let mut out: Vec<FuncRef> = vec![];
    for (r, m, f) in program.functions().filter(|(_, m, _)| m.side == Side::Host) {
        let callees: Vec<&Function> = calls(f)
            .filter_map(|(callee, _)| match callee {
                Callee::Direct(id) => Some(&m.functions[id.index()]),
                _ => None,
            })
            .filter(|c| REGISTER.iter().any(|start| c.display.starts_with(start)))
            .collect();
        // What registers is the library's own code as well: it hands on what it was given.
        if callees.is_empty() || REGISTER.iter().any(|start| f.display.starts_with(start)) {
            continue;
        }
        let named = named_in(f).into_iter().map(|id| program.resolve_func(r.module, id));
        let lambdas = format!("{}::", f.display);
        let by_type = program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration()).filter(|(_, _, f)| {
            let is_lambda = f.display.strip_prefix(&lambdas).is_some_and(|rest| {
                (rest.starts_with('$') || rest.starts_with("{lambda")) && rest.contains("::operator()(")
            });
            let constant = format!("L{}E", f.name);
            is_lambda || f.name.starts_with("_Z") && callees.iter().any(|c| c.name.contains(&constant))
        });
        for f in named.chain(by_type.map(|(r, ..)| r)) {
            let func = program.func(f);
            let librarys = ["c10::", "torch::", "at::", "pybind11::", "std::", "void "].iter().any(|n| func.display.starts_with(n));
            let is_users = !func.is_declaration() && !librarys && !program.loc(f.module, func.loc).system;
            if is_users && !out.contains(&f) {
                out.push(f);
            }
        }
    }
    out
}

/// The calls of a function.
fn calls(f: &Function) -> impl Iterator<Item = (&Callee, &Vec<Operand>)> {
    let plain = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| match &i.op {
        Op::Call { callee, args } => Some((callee, args)),
        _ => None,
    });
    let invoked = f.blocks.iter().filter_map(|b| match &b.term {
        Terminator::Invoke { callee, args, .. } => Some((callee, args)),
        _ => None,
    });
    plain.chain(invoked)
}

/// The functions whose addresses a function passes on or stores.
fn named_in(f: &Function) -> Vec<crate::ir::FuncId> {
    let passed = calls(f).flat_map(|(_, args)| args);
    let stored = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| match &i.op {
        Op::Store { value, .. } => Some(value),
        _ => None,
    });
    let function = |o: &Operand| if let Operand::Const(Const::Func(id)) = o { Some(*id) } else { None };
    passed.chain(stored).filter_map(function).collect()
}
