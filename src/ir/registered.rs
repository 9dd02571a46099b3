//! Operators that a library registers with PyTorch: functions that Python calls with any arguments that their checks
//! accept.
//!
//! In: a program. Out: the host functions that it passes to `torch::Library::def` and `impl` (torch/library.h), to
//! `torch::RegisterOperators` (ATen/core/op_registration/op_registration.h) and to `pybind11::module_::def` (pybind11
//! 2.13), by address, as a lambda or by `TORCH_FN`. The unit that registers them may differ from the unit that defines
//! them.

use super::{Callee, Const, FuncId, FuncRef, Function, Linkage, Module, Op, Operand, Program, Side, Terminator};

/// Prefixes of the nested names of registration functions (Itanium C++ ABI, 5.1): demanglers may reject the rest of a
/// name.
const REGISTER: &[&str] = &[
    "5torch7Library3def",
    "5torch7Library4impl",
    "5torch7Library8fallback",
    "5torch11CppFunctionC",
    "5torch17RegisterOperators",
    "5torch3jit17RegisterOperators",
    "3c1017RegisterOperators2op",
    "3c1017RegisterOperatorsC",
    "8pybind117module_3def",
    "8nanobind7module_3def",
    "3tvm3ffi10reflection9GlobalDef3def",
    "3tvm3ffi6detail11unpack_call",
    "5torch6stable6detail13StableLibrary4impl",
];

/// Functions that `TORCH_BOX` makes of an operator: they take a stack and pass its elements on.
const BOXES: &[&str] = &["5torch6stable6detail5boxer", "5torch6stable6detail10boxer_impl"];

/// Prefixes of the registration functions of bindings that make an object of their own of each argument.
const BIND: &[&str] = &["8pybind11", "8nanobind", "3tvm3ffi"];

/// Returns a function's nested name.
fn nested(f: &Function) -> &str {
    f.name.strip_prefix("_ZN").unwrap_or_default().trim_start_matches(['r', 'V', 'K', 'R', 'O'])
}

/// Whether a function registers its argument.
fn is_registering(f: &Function) -> bool {
    REGISTER.iter().any(|start| nested(f).starts_with(start))
}

/// Returns the functions that a box names; none for other functions. The box's mangled name has them only as abbreviations.
fn boxed(program: &Program, function: FuncRef) -> Vec<FuncRef> {
    let is_box = |f: FuncRef| BOXES.iter().any(|start| nested(program.func(f)).starts_with(start));
    let (mut seen, mut open, mut out) = (vec![], vec![function], vec![]);
    while let Some(f) = open.pop().filter(|f| is_box(*f)) {
        seen.push(f);
        let func = program.func(f);
        out.extend(named_in(func).into_iter().map(|id| program.resolve_func(f.module, id)));
        let called = calls(func).filter_map(|(c, _)| if let Callee::Direct(id) = c { Some(*id) } else { None });
        let called = called.map(|id| program.resolve_func(f.module, id)).filter(|f| is_box(*f) && !seen.contains(f));
        open.extend(called.collect::<Vec<_>>());
    }
    out
}

/// Returns the registration functions that a function calls. Registration functions themselves give none: they are
/// library code and only pass their argument on.
fn registering<'m>(m: &'m Module, f: &Function) -> Vec<&'m Function> {
    if is_registering(f) {
        return vec![];
    }
    calls(f)
        .filter_map(|(callee, _)| if let Callee::Direct(id) = callee { Some(&m.functions[id.index()]) } else { None })
        .filter(|c| is_registering(c))
        .collect()
}

/// Whether a function registers operators: only the library takes the addresses of the functions that it names.
#[must_use]
pub fn registers(m: &Module, f: &Function) -> bool {
    m.side == Side::Host && !registering(m, f).is_empty()
}

/// Returns the functions that registrations of operators name, each once, in program order.
#[must_use]
pub fn registered(program: &Program) -> Vec<FuncRef> {
    registered_by(program, |_| true)
}

/// Whether only bindings register an operator that make their own object of each argument: pybind11
/// (`argument_loader`, pybind11/cast.h), nanobind (`type_caster`, nanobind/nb_cast.h), TVM-FFI (`ArgValueWithContext`,
/// tvm/ffi/function_detail.h). C++ code can also call an operator through PyTorch's dispatcher, which passes
/// references on unchanged.
#[must_use]
pub fn is_bound_only(program: &Program, operator: FuncRef) -> bool {
    let bound = |callees: &[&Function]| callees.iter().all(|c| BIND.iter().any(|b| nested(c).starts_with(b)));
    registered_by(program, bound).contains(&operator) && !registered_by(program, |c| !bound(c)).contains(&operator)
}

/// Returns the functions named in those functions whose registration calls satisfy `by`.
fn registered_by(program: &Program, by: impl Fn(&[&Function]) -> bool) -> Vec<FuncRef> {
    let mut out: Vec<FuncRef> = vec![];
    for (r, m, f) in program.functions().filter(|(_, m, _)| m.side == Side::Host) {
        let callees = registering(m, f);
        if callees.is_empty() || !by(&callees) {
            continue;
        }
        for operator in named_where(program, (r, f), &callees) {
            if !out.contains(&operator) {
                out.push(operator);
            }
        }
    }
    out
}

/// Returns the functions that `f` registers by calls of `callees`.
fn named_where(program: &Program, (r, f): (FuncRef, &Function), callees: &[&Function]) -> Vec<FuncRef> {
    let named: Vec<FuncRef> = named_in(f).into_iter().map(|id| program.resolve_func(r.module, id)).collect();
    let boxed: Vec<FuncRef> = named.iter().flat_map(|f| boxed(program, *f)).collect();
    // The mangled name of a closure contains that of its enclosing function (Itanium C++ ABI, 5.1.7).
    let inside = match f.name.strip_prefix("_Z") {
        Some(encoding) => format!("_ZZ{encoding}E"),
        None => format!("_ZZ{}{}E", f.name.len(), f.name),
    };
    let host = program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
    let by_type = host.filter(|(at, _, f)| {
        let is_lambda = f.name.strip_prefix(&inside).is_some_and(|rest| rest.starts_with('N') && rest.contains("clE"));
        // Other units cannot name it.
        let is_seen = f.linkage != Linkage::Internal || at.module == r.module;
        is_lambda || is_seen && callees.iter().any(|c| has_argument(c, f))
    });
    let is_users = |f: &FuncRef| {
        let func = program.func(*f);
        let librarys = ["c10::", "torch::", "at::", "pybind11::", "nanobind::", "tvm::ffi::", "std::", "void "];
        let is_librarys = librarys.iter().any(|n| func.display.starts_with(n));
        !func.is_declaration() && !is_librarys && !program.loc(f.module, func.loc).system
    };
    named.into_iter().chain(boxed).chain(by_type.map(|(r, ..)| r)).filter(is_users).collect()
}

/// Whether a function is a template's instance with another function as argument (`TORCH_FN`). The mangled name has the
/// argument whole or with substitutions (Itanium C++ ABI, 5.1.10), so that the demangled one is compared then.
fn has_argument(instance: &Function, argument: &Function) -> bool {
    if !argument.name.starts_with("_Z") || !instance.name.contains('L') {
        return false;
    }
    if instance.name.contains(&format!("L{}E", argument.name)) {
        return true;
    }
    let (name, whole) = (&argument.display, &instance.display);
    name.ends_with(')')
        && whole.match_indices(name.as_str()).any(|(at, _)| {
            // A return type may stand in front of an instance of a template.
            let (before, behind) = (&whole[..at], &whole[at + name.len()..]);
            let begins = before.ends_with(['&', '(']) || before.ends_with(' ') && before.contains('&');
            begins && behind.trim_start_matches(')').starts_with(['>', ',', ' '])
        })
}

/// Whether only PyTorch's dispatcher calls an operator, with at least one device tensor as argument: all of its
/// registrations are implementations for CUDA (`TORCH_LIBRARY_IMPL(ext, CUDA, m)`; torch/library.h).
#[must_use]
pub fn is_dispatched_for_devices(program: &Program, operator: FuncRef) -> bool {
    let mut by = program.functions().filter(|(_, m, _)| m.side == Side::Host).filter(|(r, m, f)| {
        let callees = registering(m, f);
        !callees.is_empty() && named_where(program, (*r, f), &callees).contains(&operator)
    });
    let is_for_devices = |f: &Function| f.display.contains("TORCH_LIBRARY_IMPL_init_") && f.display.contains("_CUDA_");
    by.next().is_some_and(|(.., f)| is_for_devices(f)) && by.all(|(.., f)| is_for_devices(f))
}

/// Iterates over the calls of a function.
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

/// Returns the functions whose addresses a function passes as arguments or stores.
fn named_in(f: &Function) -> Vec<FuncId> {
    let passed = calls(f).flat_map(|(_, args)| args);
    let stored = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| match &i.op {
        Op::Store { value, .. } => Some(value),
        _ => None,
    });
    let function = |o: &Operand| if let Operand::Const(Const::Func(id)) = o { Some(*id) } else { None };
    passed.chain(stored).filter_map(function).collect()
}

/// Returns the name under which an operator is called: `scale` for a pybind11 module, `ext::scale` for PyTorch's
/// dispatcher. `None` where its registration does not give the name as a constant.
#[must_use]
pub fn registered_name(program: &Program, operator: FuncRef) -> Option<String> {
    program.functions().filter(|(_, m, f)| registers(m, f)).find_map(|(r, m, f)| {
        let mut text: Option<String> = None;
        let mut named: Option<FuncRef> = None;
        for b in &f.blocks {
            let last = match &b.term {
                Terminator::Invoke { callee, args, .. } => Some((callee, args)),
                _ => None,
            };
            let steps = b.insts.iter().map(|i| &i.op);
            for op in steps {
                if let Op::Store { value: Operand::Const(Const::Func(id)), .. } = op {
                    named = Some(program.resolve_func(r.module, *id));
                }
                if let Op::Call { callee, args } = op
                    && let Some(found) = named_by(program, (r, m), (callee, args), &mut text, named, operator)
                {
                    return Some(in_namespace(f, found));
                }
            }
            if let Some((callee, args)) = last
                && let Some(found) = named_by(program, (r, m), (callee, args), &mut text, named, operator)
            {
                return Some(in_namespace(f, found));
            }
        }
        None
    })
}

/// Records the string argument of one call, and returns it if the call registers the operator.
fn named_by(
    program: &Program,
    (r, m): (FuncRef, &Module),
    (callee, args): (&Callee, &[Operand]),
    text: &mut Option<String>,
    stored: Option<FuncRef>,
    operator: FuncRef,
) -> Option<String> {
    let strings: Vec<String> = args.iter().filter_map(|a| text_in(m, a)).collect();
    let registers = matches!(callee, Callee::Direct(id) if is_registering(&m.functions[id.index()]));
    let passed = args.iter().find_map(|a| match a {
        Operand::Const(Const::Func(id)) => Some(program.resolve_func(r.module, *id)),
        _ => None,
    });
    let by_type = || match callee {
        Callee::Direct(id) => {
            has_argument(&m.functions[id.index()], program.func(operator))
                || passed.is_some_and(|f| boxed(program, f).contains(&operator))
                || passed.is_none()
                    && stored.is_none()
                    && leads_to(program, program.resolve_func(r.module, *id), operator)
        }
        _ => false,
    };
    if registers && (passed.or(stored) == Some(operator) || by_type()) {
        return strings.first().cloned().or_else(|| text.clone());
    }
    if let Some(first) = strings.first() {
        *text = Some(first.clone());
    }
    None
}

/// Largest number of functions searched between a registration and a closure.
const MAX: usize = 2000;

/// Whether a function calls or names another one, directly or through others.
fn leads_to(program: &Program, from: FuncRef, to: FuncRef) -> bool {
    let (mut seen, mut open) = (vec![from], vec![from]);
    while let Some(f) = open.pop() {
        if f == to {
            return true;
        }
        let func = program.func(f);
        let called = calls(func).filter_map(|(c, _)| if let Callee::Direct(id) = c { Some(*id) } else { None });
        let returned = func.blocks.iter().filter_map(|b| match &b.term {
            Terminator::Ret(Some(Operand::Const(Const::Func(id)))) => Some(*id),
            _ => None,
        });
        for next in called.chain(named_in(func)).chain(returned).map(|id| program.resolve_func(f.module, id)) {
            if seen.len() < MAX && !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    false
}

/// Strips the schema from an operator string and adds the library's namespace if the dispatcher has one:
/// `TORCH_LIBRARY_init_ext`.
fn in_namespace(f: &Function, text: String) -> String {
    let name = text.split('(').next().unwrap_or_default().to_owned();
    let starts =
        [("TORCH_LIBRARY_init_", false), ("TORCH_LIBRARY_FRAGMENT_init_", true), ("TORCH_LIBRARY_IMPL_init_", true)];
    let rest = starts.iter().find_map(|(start, numbered)| Some((f.display.split_once(start)?.1, *numbered)));
    match rest {
        Some((rest, numbered)) if !name.contains("::") => {
            let namespace = rest.split('(').next().unwrap_or_default();
            // An implementation's namespace is followed by its dispatch key, and that of a part by a number.
            let keys = ["_CUDA_", "_CPU_", "_Autograd", "_CompositeImplicit", "_CompositeExplicit", "_Meta_"];
            let key = keys.iter().filter_map(|k| namespace.find(k)).min();
            let plain = match key {
                Some(end) => &namespace[..end],
                None if numbered => {
                    let part = namespace.trim_end_matches(|c: char| c.is_ascii_digit());
                    part.strip_suffix('_').unwrap_or(part)
                }
                None => namespace,
            };
            format!("{plain}::{name}")
        }
        _ => name,
    }
}

fn text_in(m: &Module, o: &Operand) -> Option<String> {
    let Operand::Const(Const::Global { id, .. }) = o else { return None };
    let Some(Const::Bytes { data, .. }) = m.globals.get(id.index())?.init.as_ref() else { return None };
    String::from_utf8(data.strip_suffix(&[0]).unwrap_or(data).to_vec()).ok()
}
