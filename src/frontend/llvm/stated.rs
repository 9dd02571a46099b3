//! Contracts that sources state with scuba.h: taken out of the code, and kept with their function.
//!
//! In: a module that was read. Out: the same without calls of `__scuba_requires`, whose texts are what their functions require. Names in
//! them are those of the enclosing function, so this comes before anything else looks at the code.

use crate::contracts::REQUIRES;
use crate::ir::{Callee, Const, FuncId, Global, Inst, Module, Op, Operand, Stated};

/// Moves what functions state out of their blocks.
pub(super) fn lift(m: &mut Module) {
    let named = |f: &crate::ir::Function| f.name == REQUIRES;
    let Some(requires) = m.functions.iter().position(named).and_then(|i| u32::try_from(i).ok()).map(FuncId) else {
        return;
    };
    let Module { functions, globals, .. } = m;
    for f in functions {
        for block in &mut f.blocks {
            block.insts.retain(|inst| match stated(inst, requires, globals) {
                Some(text) => {
                    f.requires.push(Stated { text, loc: inst.loc });
                    false
                }
                None => true,
            });
        }
    }
}

/// The text of a call that states something.
fn stated(inst: &Inst, requires: FuncId, globals: &[Global]) -> Option<String> {
    let Op::Call { callee: Callee::Direct(f), args } = &inst.op else { return None };
    let [Operand::Const(Const::Global { id, .. })] = args.as_slice() else { return None };
    let Some(Const::Bytes { data, .. }) = globals.get(id.index()).filter(|_| *f == requires)?.init.as_ref() else {
        return None;
    };
    String::from_utf8(data.strip_suffix(&[0]).unwrap_or(data).to_vec()).ok()
}
