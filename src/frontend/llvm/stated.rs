//! Moves contracts that sources state with scuba.h out of the code and into their function.
//!
//! In: a module that was read. Out: the same module without calls of `__scuba_requires`, whose strings become the
//! preconditions of their functions, and without annotations of members. Those of `SCUBA_COUNTED_BY` stay with the
//! member's type (LLVM 22 Language Reference, `llvm.ptr.annotation`). The names in them are those of the enclosing
//! function, so this pass precedes all others.

use contracts::{COUNTED_BY, REQUIRES};
use ir::{
    AddressStep, Callee, CastOp, Const, CountedBy, FuncId, Global, Inst, Module, Op, Operand, SourceCondition, TypeId,
    TypeKind,
};

/// Moves the statements of functions and members out of the blocks.
pub(super) fn lift(m: &mut Module) {
    requirements(m);
    counts(m);
}

fn requirements(m: &mut Module) {
    let named = |f: &ir::Function| f.name == REQUIRES;
    let Some(requires) = m.functions.iter().position(named).and_then(|i| u32::try_from(i).ok()).map(FuncId) else {
        return;
    };
    let Module { functions, globals, .. } = m;
    for f in functions {
        for block in &mut f.blocks {
            block.insts.retain(|inst| match stated(inst, requires, globals) {
                Some(text) => {
                    f.requires.push(SourceCondition { text, loc: inst.loc });
                    false
                }
                None => true,
            });
        }
    }
}

/// Returns the text of a stating call.
fn stated(inst: &Inst, requires: FuncId, globals: &[Global]) -> Option<String> {
    let Op::Call { callee: Callee::Direct(f), args } = &inst.op else { return None };
    let [Operand::Const(text)] = args.as_slice() else { return None };
    if *f == requires { text_of(text, globals) } else { None }
}

/// Replaces each annotation by its pointer, and records the counts.
fn counts(m: &mut Module) {
    let annotates = |f: &ir::Function| f.name.starts_with("llvm.ptr.annotation.");
    let those: Vec<bool> = m.functions.iter().map(annotates).collect();
    if !those.contains(&true) {
        return;
    }
    let Module { functions, globals, types, .. } = m;
    let mut found: Vec<(TypeId, u32, CountedBy)> = vec![];
    for f in functions.iter_mut() {
        let insts = || f.blocks.iter().flat_map(|b| &b.insts);
        let calls = insts().filter_map(|i| match &i.op {
            Op::Call { callee: Callee::Direct(c), args } if those[c.index()] => Some((args, i.loc)),
            _ => None,
        });
        for (args, loc) in calls {
            let [Operand::Value(p), Operand::Const(text), ..] = args.as_slice() else { continue };
            let member = insts().find(|i| i.result == Some(*p)).and_then(|i| match &i.op {
                Op::Gep { steps, .. } => match steps.last() {
                    Some(AddressStep::Field { of, field, .. }) => Some((*of, *field)),
                    _ => None,
                },
                _ => None,
            });
            let text = text_of(text, globals).and_then(|t| t.strip_prefix(COUNTED_BY).map(str::to_owned));
            found.extend(member.zip(text).map(|((of, field), text)| (of, field, CountedBy { text, loc })));
        }
        for inst in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            let pointer = match &inst.op {
                Op::Call { callee: Callee::Direct(c), args } if those[c.index()] => args.first().cloned(),
                _ => None,
            };
            if let Some(value) = pointer {
                inst.op = Op::Cast { op: CastOp::Bitcast, value, from: inst.ty, nneg: false };
            }
        }
    }
    for (of, field, counted) in found {
        if let TypeKind::Struct { fields, .. } = &mut types[of.index()].kind
            && let Some(field) = fields.get_mut(field as usize)
        {
            field.declared.get_or_insert_default().counted_by.get_or_insert(counted);
        }
    }
}

fn text_of(text: &Const, globals: &[Global]) -> Option<String> {
    let Const::Global { id, .. } = text else { return None };
    let Some(Const::Bytes { data, .. }) = globals.get(id.index())?.init.as_ref() else { return None };
    String::from_utf8(data.strip_suffix(&[0]).unwrap_or(data).to_vec()).ok()
}
