//! The part of the LLVM dialect that cgeist emits.

use crate::lower::body::BodyBuilder;
use crate::mlir::{Attr, MlirOp, Type};
use ir::{AddressStep, AtomicOp, CastOp, Const, Elements, Op, Operand, Terminator, TypeId};

/// Mark of `llvm.getelementptr` for the positions of its operands among constants.
const DYNAMIC: i128 = i32::MIN as i128;

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn llvm(&mut self, op: &'m MlirOp, targets: &[ir::BlockId]) -> bool {
        let name = op.name.strip_prefix("llvm.").unwrap_or(&op.name);
        match name {
            "return" => return self.ret(op),
            "br" | "cond_br" | "switch" => return self.cf(op, targets),
            "unreachable" => {
                self.terminate(Terminator::Unreachable);
                return true;
            }
            "call" => return self.call_op(op),
            "load" => {
                let ptr = self.operand(op, 0);
                let ty = self.result_type(op);
                let v = self.emit(Op::Load { ptr, volatile: op.attr("volatile_").is_some(), align: 0 }, ty);
                self.set(op, 0, v);
            }
            "store" => {
                let (value, ptr) = (self.operand(op, 0), self.operand(op, 1));
                if !matches!(value, Operand::Const(Const::Undef(_))) {
                    self.store(ptr, value, &op.operand_types[0]);
                }
            }
            "getelementptr" => return self.gep(op),
            "alloca" => return self.llvm_alloca(op),
            "mlir.addressof" => {
                let Some(n) = op.text("global_name") else { return false };
                let c = match self.side.global(n) {
                    Some(id) => Const::Global { id, offset: 0 },
                    None => Const::Func(self.side.function(n)),
                };
                self.set(op, 0, Operand::Const(c));
            }
            "mlir.undef" | "mlir.poison" => {
                let ty = self.result_type(op);
                self.set(op, 0, Operand::Const(Const::Undef(ty)));
            }
            "mlir.null" | "mlir.zero" => {
                let ty = self.result_type(op);
                self.set(op, 0, Operand::Const(Const::Zero(ty)));
            }
            "bitcast" if matches!(op.result_types.first(), Some(Type::Ptr { .. })) => {
                let v = self.operand(op, 0);
                self.set(op, 0, v);
            }
            "addrspacecast" | "freeze" => {
                let v = self.operand(op, 0);
                self.set(op, 0, v);
            }
            "inttoptr" | "ptrtoint" => {
                let value = self.operand(op, 0);
                let from = match op.operand_types.first() {
                    Some(t) => self.side.types.of(t),
                    None => return false,
                };
                let ty = self.result_type(op);
                let cast = if name == "inttoptr" { CastOp::IntToPtr } else { CastOp::PtrToInt };
                let v = self.emit(Op::Cast { op: cast, value, from, nneg: false }, ty);
                self.set(op, 0, v);
            }
            "extractvalue" | "insertvalue" => return self.aggregate(op, name == "extractvalue"),
            "atomicrmw" => self.llvm_atomic(op),
            "cmpxchg" => {
                let (ptr, expected, new) = (self.operand(op, 0), self.operand(op, 1), self.operand(op, 2));
                let ty = self.result_type(op);
                let v = self.emit(Op::CmpXchg { ptr, expected, new }, ty);
                self.set(op, 0, v);
            }
            "fence" => self.effect(Op::Fence),
            "intr.memcpy" | "intr.memmove" | "intr.memcpy.inline" => {
                let (dst, src, len) = (self.operand(op, 0), self.operand(op, 1), self.operand(op, 2));
                self.effect(Op::MemCopy { dst, src, len, align: [0; 2], presumed: false });
            }
            "intr.memset" => {
                let (dst, byte, len) = (self.operand(op, 0), self.operand(op, 1), self.operand(op, 2));
                self.effect(Op::MemSet { dst, byte, len });
            }
            "intr.assume" => {
                let c = self.operand(op, 0);
                self.effect(Op::Assume(c));
            }
            "inline_asm" => self.inline_asm(op),
            _ => return self.scalar(op, name),
        }
        true
    }

    fn llvm_alloca(&mut self, op: &'m MlirOp) -> bool {
        let t = match (op.attr("elem_type"), op.result_types.first()) {
            (Some(Attr::Type(t)), _) => t.clone(),
            (_, Some(Type::Ptr { pointee: Some(t), .. })) => t.as_ref().clone(),
            _ => return false,
        };
        let (ty, ptr) = (self.side.types.of(&t), self.side.types.ptr());
        let count = self.operand(op, 0);
        let bits = op.operand_types.first().and_then(Self::bits).unwrap_or(64);
        let count = self.resize(count, bits, 64, true);
        let align = self.side.types.defs[ty.index()].align;
        let var = op.results.first().and_then(|r| self.variables.get(r)).cloned();
        let v = self.emit(Op::Alloca { ty, count, align, var }, ptr);
        self.set(op, 0, v);
        true
    }

    /// Extracts a member from a structure, or inserts one.
    fn aggregate(&mut self, op: &'m MlirOp, extract: bool) -> bool {
        let Some(path) = op
            .attr("position")
            .and_then(Attr::ints)
            .and_then(|v| v.iter().map(|i| u32::try_from(*i).ok()).collect::<Option<Vec<_>>>())
        else {
            return false;
        };
        let ty = self.result_type(op);
        // The order of `insertvalue`'s operands changed with version 16; the result has the container's type.
        let v = if extract {
            let agg = self.operand(op, 0);
            self.emit(Op::ExtractValue { agg, path }, ty)
        } else {
            let swapped = op.operand_types.first() != op.result_types.first();
            let (a, b) = (self.operand(op, usize::from(swapped)), self.operand(op, usize::from(!swapped)));
            self.emit(Op::InsertValue { agg: a, value: b, path }, ty)
        };
        self.set(op, 0, v);
        true
    }

    /// Lowers an atomic operation, which is LLVM's `AtomicBinOp`, by number.
    fn llvm_atomic(&mut self, op: &'m MlirOp) {
        let kind = match op.int("bin_op") {
            Some(0) => AtomicOp::Xchg,
            Some(1) => AtomicOp::Add,
            Some(2) => AtomicOp::Sub,
            Some(3) => AtomicOp::And,
            Some(4) => AtomicOp::Nand,
            Some(5) => AtomicOp::Or,
            Some(6) => AtomicOp::Xor,
            Some(7) => AtomicOp::Max,
            Some(8) => AtomicOp::Min,
            Some(9) => AtomicOp::UMax,
            Some(10) => AtomicOp::UMin,
            Some(11) => AtomicOp::FAdd,
            Some(12) => AtomicOp::FSub,
            _ => AtomicOp::Other,
        };
        let (ptr, value) = (self.operand(op, 0), self.operand(op, 1));
        let ty = self.result_type(op);
        let v = self.emit(Op::AtomicRmw { op: kind, ptr, value }, ty);
        self.set(op, 0, v);
    }

    fn inline_asm(&mut self, op: &'m MlirOp) {
        let args = self.operands(op);
        let text = op.text("asm_string").unwrap_or_default().to_owned();
        let constraints = op.text("constraints").unwrap_or_default().to_owned();
        let asm = Op::Asm { text, constraints, args, side_effects: op.attr("has_side_effects").is_some() };
        if op.results.is_empty() {
            self.effect(asm);
        } else {
            let ty = self.result_type(op);
            let v = self.emit(asm, ty);
            self.set(op, 0, v);
        }
    }

    fn gep(&mut self, op: &'m MlirOp) -> bool {
        let elem = match (op.attr("elem_type"), op.operand_types.first()) {
            (Some(Attr::Type(t)), _) => t.clone(),
            (_, Some(Type::Ptr { pointee: Some(t), .. })) => t.as_ref().clone(),
            _ => return false,
        };
        let Some(constants) = op.attr("rawConstantIndices").or_else(|| op.attr("structIndices")).and_then(Attr::ints)
        else {
            return false;
        };
        let mut given = 1;
        let mut indices = vec![];
        for c in constants {
            if c == DYNAMIC {
                let Some(bits) = op.operand_types.get(given).and_then(Self::bits) else { return false };
                let i = self.operand(op, given);
                indices.push(self.subscript(i, bits, 64));
                given += 1;
            } else {
                indices.push(Self::int(64, c));
            }
        }
        let base = self.operand(op, 0);
        let Some(steps) = self.steps(elem, &indices) else { return false };
        let ptr = self.side.types.ptr();
        let zero =
            steps.iter().all(|s| matches!(s, AddressStep::Index { index, .. } if Self::as_int(index) == Some(0)));
        let v =
            if zero { base } else { self.emit(Op::Gep { base, steps, inbounds: op.attr("inbounds").is_some() }, ptr) };
        self.set(op, 0, v);
        true
    }

    fn steps(&mut self, elem: Type, indices: &[Operand]) -> Option<Vec<AddressStep>> {
        let (first, rest) = indices.split_first()?;
        let mut steps = vec![];
        let mut t = elem;
        let id: TypeId = self.side.types.of(&t);
        if Self::as_int(first) != Some(0) || rest.is_empty() {
            steps.push(AddressStep::Index { index: first.clone(), stride: self.side.types.size(id), count: None });
        }
        for i in rest {
            t = match t {
                Type::Struct { fields: Some(ref f), .. } => {
                    let n = usize::try_from(Self::as_int(i)?).ok()?;
                    let inner = f.get(n)?.clone();
                    let (whole, ty) = (self.side.types.of(&t), self.side.types.of(&inner));
                    let ir::TypeKind::Struct { fields, .. } = self.side.types.kind(whole) else { return None };
                    steps.push(AddressStep::Field {
                        offset: fields.get(n)?.offset,
                        field: u32::try_from(n).ok()?,
                        ty,
                        of: whole,
                    });
                    inner
                }
                Type::Array { count, elem } => {
                    let ty = self.side.types.of(&elem);
                    steps.push(AddressStep::Index {
                        index: i.clone(),
                        stride: self.side.types.size(ty),
                        count: Some(Elements(count)),
                    });
                    elem.as_ref().clone()
                }
                _ => return None,
            };
        }
        Some(steps)
    }
}
