//! Function objects of the program that touch no memory but what they are given.
//!
//! In: the type of a function object. Out: whether all its call operators read nothing but their arguments, their own object
//! (pointers in it are not followed) and variables of their own, and write to the latter alone. An algorithm that calls such an
//! object touches its ranges alone.

use ir::{Callee, Const, FuncRef, Op, Operand, Program, Side, Terminator, TypeKind, ValueId};
use rustc_hash::FxHashSet;

/// Deepest calls that are followed.
const MAX_DEPTH: usize = 16;

/// Returns the call operators of a type in device code if they touch nothing but their arguments; the type as in demangled names.
pub(super) fn that_touch_their_arguments(program: &Program, class: &str) -> Option<Vec<FuncRef>> {
    let class = class.trim_end_matches('&').trim_end_matches(" const").trim();
    let operators: Vec<FuncRef> = program
        .functions()
        .filter(|(_, m, f)| m.side == Side::Device && !f.is_declaration() && is_operator_of(&f.display, class))
        .map(|(f, ..)| f)
        .collect();
    (!operators.is_empty() && operators.iter().all(|f| touches_given(program, *f, false, &mut vec![])))
        .then_some(operators)
}

fn is_operator_of(display: &str, class: &str) -> bool {
    display.match_indices(class).any(|(at, _)| {
        let before = display[..at].chars().next_back();
        before.is_none_or(|c| c == ' ') && display[at + class.len()..].starts_with("::operator()")
    })
}

/// Whether a function touches nothing but what its parameters point to, given that these are arguments; it may write there if
/// they are `writable`.
fn touches_given(program: &Program, f: FuncRef, writable: bool, around: &mut Vec<FuncRef>) -> bool {
    let func = program.func(f);
    if func.is_declaration() {
        return func.name.starts_with("__nv_") || func.name == "__nvvm_reflect";
    }
    if around.contains(&f) || around.len() >= MAX_DEPTH {
        return false;
    }
    around.push(f);
    let own = own_pointers(program, f, |_| true);
    let written = own_pointers(program, f, |i| writable || func.params[i].sret.is_some());
    let is_own = |o: &Operand| match o {
        Operand::Value(v) => own.contains(v),
        Operand::Const(c) => is_constant_memory(program, f, c),
    };
    let is_written = |o: &Operand| matches!(o, Operand::Value(v) if written.contains(v));
    let mut call = |callee: &Callee, args: &[Operand]| {
        let Callee::Direct(id) = callee else { return false };
        let called = program.resolve_func(f.module, *id);
        let name = &program.func(called).name;
        if name.starts_with("llvm.") {
            let of_memory = ["mem", "atomic", ".ld", ".st", "load", "store", "gather", "scatter", "prefetch", "cp."];
            return !of_memory.iter().any(|m| name.contains(m));
        }
        let pointer = |o: &Operand| is_pointer(program, f, o);
        let writable = args.iter().all(|a| !pointer(a) || is_written(a));
        args.iter().all(|a| !pointer(a) || is_own(a)) && touches_given(program, called, writable, around)
    };
    let quiet = func.blocks.iter().all(|b| {
        b.insts.iter().all(|i| match &i.op {
            Op::Load { ptr, volatile, .. } => !volatile && is_own(ptr),
            Op::Store { ptr, volatile, .. } => !volatile && is_written(ptr),
            Op::MemCopy { dst, src, .. } => is_written(dst) && is_own(src),
            Op::MemSet { dst, .. } => is_written(dst),
            Op::Call { callee, args } => call(callee, args),
            Op::Alloca { .. }
            | Op::Gep { .. }
            | Op::Bin { .. }
            | Op::Icmp { .. }
            | Op::Fcmp { .. }
            | Op::FNeg(_)
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Phi(_)
            | Op::Lifetime { .. }
            | Op::ExtractValue { .. }
            | Op::InsertValue { .. } => true,
            _ => false,
        }) && match &b.term {
            Terminator::Invoke { callee, args, .. } => call(callee, args),
            Terminator::Other(_) => false,
            _ => true,
        }
    });
    around.pop();
    quiet
}

fn is_pointer(program: &Program, f: FuncRef, o: &Operand) -> bool {
    let (module, func) = (program.module(f.module), program.func(f));
    match o {
        Operand::Const(_) => false,
        Operand::Value(v) => {
            let parameter = func.params.get(v.index()).map(|p| p.ty);
            let made = || {
                func.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(*v)).map(|i| i.ty).or_else(|| {
                    func.blocks.iter().find_map(|b| match &b.term {
                        Terminator::Invoke { result, ty, .. } if *result == Some(*v) => Some(*ty),
                        _ => None,
                    })
                })
            };
            parameter
                .or_else(made)
                .is_none_or(|ty| !matches!(module.ty(ty).kind, TypeKind::Int(_) | TypeKind::Float(_)))
        }
    }
}

/// Whether an address is that of a constant, as of the tables of mathematical functions.
fn is_constant_memory(program: &Program, f: FuncRef, c: &Const) -> bool {
    matches!(c, Const::Global { id, .. } if program.global(program.resolve_global(f.module, *id)).constant)
}

/// Returns the values of a function that surely are addresses in its own variables, or in arguments for such parameters.
fn own_pointers(program: &Program, f: FuncRef, such: impl Fn(usize) -> bool) -> FxHashSet<ValueId> {
    let func = program.func(f);
    let insts = || func.blocks.iter().flat_map(|b| &b.insts);
    let slots: FxHashSet<ValueId> =
        insts().filter_map(|i| if matches!(i.op, Op::Alloca { .. }) { i.result } else { None }).collect();
    // The greatest set that the instructions allow: values are taken out until no more are.
    let mut own: FxHashSet<ValueId> = insts().filter_map(|i| i.result).collect();
    own.extend((0..func.params.len()).filter(|i| such(*i)).filter_map(|i| u32::try_from(i).ok()).map(ValueId));
    loop {
        let is_own = |o: &Operand| match o {
            Operand::Value(v) => own.contains(v),
            Operand::Const(c) => is_constant_memory(program, f, c),
        };
        // Pointers in a variable are its own if all that are stored there are, and its address goes nowhere else.
        let holds_own = |slot: ValueId| {
            slots.contains(&slot)
                && insts().all(|i| match &i.op {
                    Op::Store { ptr: Operand::Value(p), value, .. } if *p == slot => {
                        is_own(value) || !is_pointer(program, f, value)
                    }
                    Op::Store { value: Operand::Value(v), .. } if *v == slot => false,
                    Op::Load { .. } | Op::Lifetime { .. } | Op::Store { .. } => true,
                    op => {
                        let mut named = false;
                        op.operands(&mut |o: &Operand| named |= matches!(o, Operand::Value(v) if *v == slot));
                        !named
                    }
                })
        };
        let out: Vec<ValueId> = insts()
            .filter_map(|i| Some((i.result?, &i.op)))
            .filter(|(v, _)| own.contains(v))
            .filter(|(_, op)| !match op {
                Op::Alloca { .. } => true,
                Op::Gep { base, .. } => is_own(base),
                Op::Cast { op: ir::CastOp::AddrSpaceCast | ir::CastOp::Bitcast, value, .. } => is_own(value),
                Op::Select { a, b, .. } => is_own(a) && is_own(b),
                Op::Phi(all) => all.iter().all(|(_, o)| is_own(o)),
                Op::Load { ptr: Operand::Value(p), .. } => holds_own(*p),
                _ => false,
            })
            .map(|(v, _)| v)
            .collect();
        if out.is_empty() {
            return own;
        }
        for v in out {
            own.remove(&v);
        }
    }
}
