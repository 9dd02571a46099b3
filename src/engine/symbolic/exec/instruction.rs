//! Instructions: dispatch to the file of this folder that executes each.
//!
//! In: an instruction, the activation and the state. Out: the state after it, with its result in the activation.

use super::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use ir::{Inst, Op};

impl Executor<'_> {
    /// Executes one instruction. `None` if execution does not go on after it.
    pub(in crate::symbolic) fn instruction(
        &mut self,
        fr: &mut Activation,
        inst: &Inst,
        site: Site,
        mut s: State,
    ) -> Option<State> {
        match &inst.op {
            // Evaluated at block entry.
            Op::Phi(_) => {}
            Op::Alloca { .. } => self.stack_variable(fr, inst, site, &mut s),
            Op::Load { .. } => {
                self.load_instruction(fr, inst, site, &mut s);
                self.note_named(fr, inst, site);
            }
            Op::Store { .. } => {
                self.store_instruction(fr, inst, site, &mut s);
                self.note_named(fr, inst, site);
            }
            Op::AtomicRmw { .. } | Op::CmpXchg { .. } => self.atomic_instruction(fr, inst, site, &mut s),
            Op::Lifetime { .. } => self.lifetime_marker(fr, inst, &mut s),
            Op::MemCopy { .. } => self.copy_instruction(fr, inst, site, &mut s),
            Op::MemSet { .. } => self.fill_instruction(fr, inst, site, &mut s),
            Op::Gep { base, steps, .. } => self.address_computation(fr, inst, site, base, steps),
            Op::Bin { op, a, b, .. } => {
                let v = match self.bit_field(fr, inst, *op, a, b) {
                    Some(v) => v,
                    None => self.binary(fr, *op, a, b, inst.ty),
                };
                let v = self.shifted_below_the_width(s.path, *op, v);
                self.set(fr, inst.result, v);
                self.note_operation(fr, inst, site);
                if let Some(divides) = self.divisor_not_zero(fr, *op, b) {
                    s = self.assume(s, divides)?;
                }
            }
            Op::Assume(c) => {
                let c = self.condition(fr, c);
                return self.claim(s, c, site, "__builtin_assume");
            }
            Op::Fence => self.others_run(&mut s),
            Op::Call { callee, args } => return self.call_instruction(fr, inst, site, s, callee, args),
            Op::Asm { .. } => self.assembly(fr, inst, site, &mut s),
            Op::Other { what, args } => self.unmodelled(fr, inst, site, &mut s, what, args),
            // All others compute a value without side effects.
            _ => {
                let v = self.computed(fr, inst);
                self.set(fr, inst.result, v);
                self.note_operation(fr, inst, site);
            }
        }
        Some(s)
    }
}

impl ExecutionContext<'_> {
    /// Returns the result of an instruction that depends on its operands alone.
    fn computed(&mut self, fr: &Activation, inst: &Inst) -> Value {
        match &inst.op {
            Op::Icmp { pred, a, b } => self.compare(fr, *pred, a, b),
            Op::Fcmp { pred, a, b } => self.compare_reals(fr, pred, a, b, inst.ty),
            Op::FNeg(a) => match self.operand(fr, a, inst.ty) {
                Value::Real(r) => {
                    self.arena.real_negated(&r).map_or_else(|| Value::unknown(UnknownReason::Float), Value::Real)
                }
                _ => Value::unknown(UnknownReason::Float),
            },
            Op::Cast { op, value, from, .. } => self.cast(fr, *op, value, *from, inst.ty),
            Op::Select { cond, a, b } => self.select(fr, inst, cond, a, b),
            Op::Freeze(a) => self.operand(fr, a, inst.ty),
            Op::ExtractValue { agg, path } => self.extract_value(fr, inst, agg, path),
            Op::InsertValue { agg, value, path } => self.insert_value(fr, inst, agg, value, path),
            Op::ExtractElement { vec, index } => self.extract_element(fr, inst, vec, index),
            Op::InsertElement { vec, value, index } => self.insert_element(fr, inst, vec, value, index),
            Op::Shuffle { a, b, mask } => self.shuffle(fr, inst, a, b, mask),
            // All others are executed separately.
            Op::Phi(_)
            | Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::Lifetime { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Gep { .. }
            | Op::Bin { .. }
            | Op::Assume(_)
            | Op::Fence
            | Op::Call { .. }
            | Op::Asm { .. }
            | Op::Other { .. } => Value::unknown(UnknownReason::NotComputed),
        }
    }
}
