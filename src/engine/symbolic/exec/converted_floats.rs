//! Floating-point variables that a function compares, and converts to integers: `if (x >= 0 && x < n) a[(int)x]`.
//!
//! In: the code of a function, and stores of unknown numbers to such a variable. Out: the number as one that keeps its
//! identity, so that what comparisons say of it is known of the integer. Other unknown numbers need none: most are sums
//! that no index depends on.

use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::value::Value;
use ir::{Callee, CastOp, FuncRef, Op, Operand, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Parts of the names of functions that round numbers to integers (`floorf`, `llvm.floor.f32`, `__nv_floorf`).
const ROUND: &[&str] = &["floor", "ceil", "trunc"];

impl ExecutionContext<'_> {
    /// Returns the number that a store puts into a variable: an unknown one by its floor, if that variable is compared and
    /// converted.
    pub(super) fn floored(&mut self, fr: &Activation, ptr: &Operand, v: Value) -> Value {
        let (Value::Unknown(why), Operand::Value(variable)) = (&v, ptr) else { return v };
        if !self.converted_floats(fr.func).contains(variable) {
            return v;
        }
        Value::Real(self.arena.real_unknown(why))
    }

    fn converted_floats(&mut self, f: FuncRef) -> Rc<FxHashSet<ValueId>> {
        if let Some(known) = self.functions.converted.get(&f) {
            return known.clone();
        }
        let found = Rc::new(self.find_converted_floats(f));
        self.functions.converted.insert(f, found.clone());
        found
    }

    fn find_converted_floats(&self, f: FuncRef) -> FxHashSet<ValueId> {
        let (m, func) = (self.module(f), self.function(f));
        // Variables, then the values that are read from them.
        let mut of: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let (mut variables, mut compared, mut converted) =
            (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            if let (Op::Alloca { ty, .. }, Some(r)) = (&inst.op, inst.result)
                && matches!(m.ty(*ty).kind, TypeKind::Float(32 | 64))
            {
                variables.insert(r);
            }
        }
        if variables.is_empty() {
            return variables;
        }
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            let read = |o: &Operand| if let Operand::Value(v) = o { of.get(v).copied() } else { None };
            match &inst.op {
                Op::Load { ptr: Operand::Value(v), .. } if variables.contains(v) => {
                    of.extend(inst.result.map(|r| (r, *v)));
                }
                Op::Cast { op: CastOp::FpExt, value, .. } => {
                    let from = read(value);
                    of.extend(inst.result.zip(from));
                }
                Op::Cast { op: CastOp::FpToSi | CastOp::FpToUi, value, .. } => converted.extend(read(value)),
                Op::Fcmp { a, b, .. } => compared.extend([a, b].into_iter().filter_map(read)),
                Op::Call { callee: Callee::Direct(id), args } => {
                    let name = &m.functions[id.index()].name;
                    if ROUND.iter().any(|part| name.contains(part)) {
                        converted.extend(args.iter().filter_map(read));
                    }
                }
                _ => {}
            }
        }
        compared.retain(|v| converted.contains(v));
        compared
    }
}
