//! Calls of functions of the unit, of the runtime, and of functions that stand for a single machine operation.

use crate::lower::body::BodyBuilder;
use crate::lower::forwarder::{Forwarder, operation};
use crate::lower::side::{ENDS, SideBuilder};
use crate::mlir::MlirOp;
use frontend::names::demangle;
use ir::{Callee, Const, Op, Operand, Side, Terminator, TypeId};

impl SideBuilder<'_, '_> {
    /// Returns the machine operation that a function stands for.
    pub fn forwarder(&mut self, name: &str) -> Option<Forwarder> {
        if self.side != Side::Device {
            return None;
        }
        if let Some(f) = self.forwarders.get(name) {
            return *f;
        }
        let f = self.find_forwarder(name);
        self.forwarders.insert(name.to_owned(), f);
        f
    }

    fn find_forwarder(&self, name: &str) -> Option<Forwarder> {
        if let Some(rest) = name.strip_prefix("__nvvm_atom_") {
            let mut parts = rest.split('_');
            let op = parts.next()?;
            let kind = parts.next_back()?;
            return operation(op, kind.starts_with('u'), matches!(kind, "f" | "d"));
        }
        if name.starts_with("__nvvm_ldg_") {
            return Some(Forwarder::Load);
        }
        let display = demangle(name);
        let head = display.split('(').next()?;
        let head = head.split('<').next()?.rsplit("::").next()?;
        let (key, _) = self.unit.symbols.get_key_value(name)?;
        if head == "__ldg" || head == "__ldcg" || head == "__ldca" || head == "__ldcs" {
            return self.reaches(key).iter().any(|s| s.starts_with("__nvvm_ldg_")).then_some(Forwarder::Load);
        }
        let op = head.strip_prefix("atomic")?.trim_end_matches("_block").trim_end_matches("_system");
        let leads = self.reaches(key).iter().any(|s| {
            s.starts_with("__nvvm_atom_")
                || self.unit.symbols.get(s).is_some_and(|f| {
                    let mut found = false;
                    f.walk(&mut |o| found |= o.name == "memref.atomic_rmw" || o.name == "llvm.atomicrmw");
                    found
                })
        });
        if !leads {
            return None;
        }
        let first = display.split_once('(').map_or("", |d| d.1);
        operation(
            &op.to_ascii_lowercase(),
            first.starts_with("unsigned"),
            first.starts_with("float") || first.starts_with("double"),
        )
    }
}

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn call_op(&mut self, op: &'m MlirOp) -> bool {
        let args = self.operands(op);
        let ty = self.result_type(op);
        let Some(name) = op.text("callee") else {
            let Some((callee, args)) = args.split_first() else { return false };
            self.indirect(op, callee.clone(), args.to_vec(), ty);
            return true;
        };
        if let Some(f) = self.side.forwarder(name)
            && self.forwarded(op, f, &args)
        {
            return true;
        }
        if let Some(v) = self.copy_call(name, &args) {
            self.set(op, 0, v);
            return true;
        }
        let id = if self.unit.symbols.contains_key(name) {
            self.side.function(name)
        } else {
            let params: Vec<_> = op.operand_types.iter().map(|t| self.side.types.of(t)).collect();
            self.side.declare(name, ty, &params)
        };
        let v = self.call_id(id, args, ty);
        self.set(op, 0, v);
        if ENDS.contains(&name) {
            self.terminate(Terminator::Unreachable);
        }
        true
    }

    fn forwarded(&mut self, op: &'m MlirOp, f: Forwarder, args: &[Operand]) -> bool {
        let ty = self.result_type(op);
        let v = match (f, args) {
            (Forwarder::Rmw(kind), [ptr, value]) => {
                self.emit(Op::AtomicRmw { op: kind, ptr: ptr.clone(), value: value.clone() }, ty)
            }
            (Forwarder::Load, [ptr]) => self.emit(Op::Load { ptr: ptr.clone(), volatile: false, align: 0 }, ty),
            (Forwarder::Cas, [ptr, expected, new]) => {
                let i1 = self.side.types.int(1);
                let pair = self.side.types.structure(None, &[ty, i1], false);
                let both =
                    self.emit(Op::CmpXchg { ptr: ptr.clone(), expected: expected.clone(), new: new.clone() }, pair);
                self.emit(Op::ExtractValue { agg: both, path: vec![0] }, ty)
            }
            _ => return false,
        };
        self.set(op, 0, v);
        true
    }

    /// Lowers an operation of the func dialect.
    pub(in crate::lower) fn function_op(&mut self, op: &'m MlirOp) -> bool {
        match op.name.as_str() {
            "func.return" => self.ret(op),
            "func.call" => self.call_op(op),
            "func.call_indirect" => {
                let args = self.operands(op);
                let ty = self.result_type(op);
                let Some((callee, args)) = args.split_first() else { return false };
                self.indirect(op, callee.clone(), args.to_vec(), ty);
                true
            }
            "func.constant" => {
                let Some(n) = op.text("value") else { return false };
                let f = self.side.function(n);
                self.set(op, 0, Operand::Const(Const::Func(f)));
                true
            }
            _ => false,
        }
    }

    pub(in crate::lower) fn ret(&mut self, op: &MlirOp) -> bool {
        let v = if op.operands.is_empty() { None } else { Some(self.operand(op, 0)) };
        self.terminate(Terminator::Ret(v));
        true
    }

    pub(in crate::lower) fn indirect(&mut self, op: &MlirOp, callee: Operand, args: Vec<Operand>, ty: TypeId) {
        let call = Op::Call { callee: Callee::Indirect(callee), args };
        if op.results.is_empty() {
            self.effect(call);
        } else {
            let v = self.emit(call, ty);
            self.set(op, 0, v);
        }
    }
}
