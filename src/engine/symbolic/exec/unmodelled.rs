//! Inline assembly and unmodelled instructions: what they may read and write.

use super::listed_accesses::Argument;
use crate::symbolic::exec::events::AccessKind;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::kernel::special_registers;
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use ir::{Inst, Op, Operand, Side, TypeKind};
use models::access::ModelledAccess;
use models::ptx;

impl ExecutionContext<'_> {
    /// Executes inline assembly: its accesses, and what they may write; on a device any memory if an address is
    /// unknown.
    pub(super) fn assembly(&mut self, fr: &mut Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::Asm { text, constraints, args: operands, .. } = &inst.op else { return };
        let m = self.module(fr.func);
        let args: Vec<Argument> = operands
            .iter()
            .map(|o| Argument { value: self.any_operand(fr, o), bits: self.operand_bits(fr, o) })
            .collect();
        if self.side == Side::Device
            && let Some(p) = ptx::shared_address(text, constraints).and_then(|i| args.get(i))
            && let Value::Ptr(p) = &p.value
        {
            let v = Value::Int(self.pointer_as_int(p));
            return self.set(fr, inst.result, v);
        }
        if self.side == Side::Device
            && let Some(v) =
                ptx::special_register(text, constraints).and_then(|r| special_registers::contents(self, &r))
        {
            return self.set(fr, inst.result, v);
        }
        let values = |args: &[Argument]| args.iter().map(|a| a.value.clone()).collect::<Vec<_>>();
        if self.side == Side::Host {
            self.may_wait_for_thread();
            self.clobber(s, &values(&args), &UnknownReason::Assembly);
        } else {
            let mut list = ptx::accesses(text, constraints);
            list.retain(|a| {
                let kind = if a.writes() { AccessKind::Write } else { AccessKind::Read };
                !a.image.is_some_and(|image| self.image_access(s, site, kind, &image, &args))
            });
            let list = list;
            let known = self.listed_accesses(s, site, &list, &args, &UnknownReason::AssemblyPointer);
            self.kernel.unknown_code |= !known || text.contains("call");
            let lost = !known && list.iter().any(ModelledAccess::writes);
            // An integer that is no known address may be any address.
            if lost && args.iter().any(|a| a.bits.is_none_or(|bits| bits == 64) && self.may_be_any_address(&a.value)) {
                self.kernel.written_anywhere = true;
            }
            self.kernel.written_anywhere |= text.contains("call");
            // Memory that is only read keeps its contents.
            let only_read = |i: usize| {
                let of = |a: &&ModelledAccess| a.place.is_some_and(|p| p.address.argument == i);
                list.iter().any(|a| of(&a)) && !list.iter().filter(of).any(ModelledAccess::writes)
            };
            if !known || list.iter().any(ModelledAccess::writes) {
                let args = if known {
                    args.into_iter().enumerate().filter(|(i, _)| !only_read(*i)).map(|(_, a)| a).collect()
                } else {
                    args
                };
                self.clobber(s, &values(&args), &UnknownReason::Assembly);
            }
        }
        if inst.result.is_some() {
            let v = self.unknown_of(m, inst.ty, &UnknownReason::AssemblyResult);
            self.set(fr, inst.result, v);
        }
    }

    /// Executes an unmodelled instruction.
    pub(super) fn unmodelled(
        &mut self,
        fr: &mut Activation,
        inst: &Inst,
        site: Site,
        s: &mut State,
        what: &str,
        args: &[Operand],
    ) {
        // A handler waits for nothing.
        if what != "landingpad" {
            self.may_wait_for_thread();
        }
        let m = self.module(fr.func);
        let args: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
        self.kernel.unknown_code |= self.side == Side::Device;
        // An instruction that returns memory is no access: later uses of the memory are.
        let gives_memory = inst.result.is_some() && matches!(m.ty(inst.ty).kind, TypeKind::Ptr(_));
        if !gives_memory && args.iter().any(|a| matches!(a, Value::Ptr(_))) {
            self.unknown_access(s, site, AccessKind::Read, &UnknownReason::UsedBy(what.to_owned()));
        }
        self.clobber(s, &args, &UnknownReason::Instruction(what.to_owned()));
        if inst.result.is_some() {
            let v = self.unknown_of(m, inst.ty, &UnknownReason::ResultOf(what.to_owned()));
            self.set(fr, inst.result, v);
        }
    }
}

impl MemoryDomain<'_> {
    fn may_be_any_address(&self, v: &Value) -> bool {
        match v {
            Value::Int(t) => self.arena.as_int(*t).is_none() && self.addresses_in(*t).is_empty(),
            Value::Unknown(_) => true,
            // Pointers have known targets; no other value is an address.
            Value::Ptr(_) | Value::Bool(_) | Value::Real(_) | Value::Aggregate(_) => false,
        }
    }
}
