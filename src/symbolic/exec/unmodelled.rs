//! Inline assembly and instructions that are not modelled: what they may read and write.

use super::executor::Executor;
use crate::ir::{Inst, Operand, Side, TypeKind};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Frame, State};
use crate::symbolic::memory::value::Value;

impl Executor<'_> {
    /// Inline assembly: what it is given may be written, and on a device any memory where an address may be any.
    pub(super) fn assembly(
        &mut self,
        fr: &mut Frame,
        inst: &Inst,
        site: Site,
        s: &mut State,
        operands: &[Operand],
        text: &str,
    ) {
        let m = self.module(fr.func);
        let args: Vec<Value> = operands.iter().map(|a| self.any_operand(fr, a)).collect();
        self.clobber(s, &args, &UnknownReason::Assembly);
        if self.side == Side::Device && assembly_writes(text) {
            // A number that is no known address may be any.
            let lost = operands
                .iter()
                .zip(&args)
                .any(|(o, v)| self.operand_bits(fr, o).is_none_or(|bits| bits == 64) && self.may_be_any_address(v));
            self.kernel.written_anywhere |= lost || text.contains("call");
        }
        // What it accesses stands in brackets; addresses may come as numbers.
        self.kernel.unknown_code |= self.side == Side::Device && (text.contains('[') || text.contains("call"));
        if self.side == Side::Device && text.contains('[') && !text.trim_start().starts_with("prefetch") {
            self.unknown_access(s, site, &UnknownReason::AssemblyPointer);
        }
        // Without a memory clobber and with a pointer only in scalar use this is a plain computation.
        if self.side == Side::Device
            && (text.contains("cp.async") || text.contains("ldmatrix") || text.contains("st.") || text.contains("ld."))
        {
            self.notes.push(format!(
                "inline assembly with memory operands is not checked: `{}`",
                text.chars().take(60).collect::<String>()
            ));
        }
        if inst.result.is_some() {
            let v = self.unknown_of(m, inst.ty, &UnknownReason::AssemblyResult);
            self.set(fr, inst.result, v);
        }
    }

    /// An instruction that is not modelled.
    pub(super) fn unmodelled(
        &mut self,
        fr: &mut Frame,
        inst: &Inst,
        site: Site,
        s: &mut State,
        what: &str,
        args: &[Operand],
    ) {
        let m = self.module(fr.func);
        let args: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
        self.kernel.unknown_code |= self.side == Side::Device;
        // What gives memory is no access: that is what happens to it.
        let gives_memory = inst.result.is_some() && matches!(m.ty(inst.ty).kind, TypeKind::Ptr(_));
        if !gives_memory && args.iter().any(|a| matches!(a, Value::Ptr(_))) {
            self.unknown_access(s, site, &UnknownReason::UsedBy(what.to_owned()));
        }
        self.clobber(s, &args, &UnknownReason::Instruction(what.to_owned()));
        if inst.result.is_some() {
            let v = self.unknown_of(m, inst.ty, &UnknownReason::ResultOf(what.to_owned()));
            self.set(fr, inst.result, v);
        }
    }

    fn may_be_any_address(&self, v: &Value) -> bool {
        match v {
            Value::Int(t) => self.arena.as_int(*t).is_none() && self.addresses_in(*t).is_empty(),
            Value::Unknown(_) => true,
            // Pointers are seen to where they lead; no other value is an address.
            Value::Ptr(_) | Value::Bool(_) | Value::Real(_) | Value::Aggregate(_) => false,
        }
    }
}

/// Whether inline assembly for a device may write memory: by one of these instructions, at an address in brackets.
fn assembly_writes(text: &str) -> bool {
    const WRITE: &[&str] = &["st.", "red.", "atom.", "cp.", "stmatrix", "multimem", "call", "mbarrier"];
    text.contains('[') && WRITE.iter().any(|w| text.contains(w)) || text.contains("call")
}
