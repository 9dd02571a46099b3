//! Lowers inline PTX with a single load or store to a plain access.
//!
//! The toolkit's and clang's headers implement `__ldcg`, `__ldcs`, `__stwt` and the like this way, and programs do too.
//! Other assembly is unchanged. [`models::ptx::single`] reads the text.

use super::bindings::{LlvmTypeKind, Type, Value};
use super::function::FunctionLowering;
use ir::{AddressStep, Bytes, CastOp, Const, LocId, Op, Operand, TypeKind};
use models::ptx::single::{self, PtxAccess};

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers inline PTX with a single load or store of a generic pointer. The surrounding operations become
    /// instructions of their own; the last one is returned.
    pub(super) fn memory_asm(
        &mut self,
        inst: Value<'m>,
        text: &str,
        constraints: &str,
        args: &[Value<'m>],
        loc: LocId,
    ) -> Option<Op> {
        let access: PtxAccess = single::parse(text)?;
        let results = single::outputs(constraints)?;
        let argument = |operand: usize| operand.checked_sub(results).and_then(|i| args.get(i)).copied();
        let address = argument(access.address).filter(|a| a.ty().kind() == LlvmTypeKind::LLVMPointerTypeKind)?;
        let lanes = access.registers.len();
        let in_order = access.registers.iter().copied().eq(0..lanes);
        let stored: Option<Vec<Value<'m>>> = access.registers.iter().map(|r| argument(*r)).collect();
        // Each element has a register of its width or a wider integer one.
        let registers: Vec<TypeKind> = match (&stored, access.store) {
            (Some(values), true) => values.iter().map(|v| self.kind_of(v.ty())).collect(),
            (_, false) if in_order && results == lanes => {
                if lanes == 1 {
                    vec![self.kind_of(inst.ty())]
                } else {
                    inst.ty().fields().into_iter().map(|t| self.kind_of(t)).collect()
                }
            }
            _ => return None,
        };
        let fits = |register: &TypeKind| match (&access.element, register) {
            (TypeKind::Int(m), TypeKind::Int(r)) => m <= r,
            (TypeKind::Int(m) | TypeKind::Float(m), TypeKind::Float(r)) | (TypeKind::Float(m), TypeKind::Int(r)) => {
                m == r
            }
            _ => false,
        };
        if registers.len() != lanes || !registers.iter().all(fits) {
            return None;
        }
        let ptr = self.moved(address, access.offset, loc);
        // Equal widths move bits, whatever type the instruction names; narrower elements are integers.
        let element = match (&access.element, &registers[0]) {
            (TypeKind::Int(m), TypeKind::Int(r)) if m < r => access.element.clone(),
            (_, register) => register.clone(),
        };
        let element_id = self.reader.types.synthetic(&element, 1);
        let count = u32::try_from(lanes).ok()?;
        // An address is a multiple of the size of the whole access (PTX ISA 9.0, 6.4.1.1).
        let align = match access.element {
            TypeKind::Int(bits) | TypeKind::Float(bits) => count * (bits / 8),
            _ => 0,
        };
        let whole = self.reader.types.synthetic(&element, count);
        let index = |i: u32| Operand::Const(Const::Int { bits: 32, value: i128::from(i) });
        if access.store {
            let mut value = Operand::Const(Const::Undef(whole));
            for (i, v) in (0u32..).zip(stored?) {
                let from = self.reader.types.id(v.ty());
                let mut one = self.operand(v, loc);
                if from != element_id {
                    one = self.emit(element_id, Op::Cast { op: CastOp::Trunc, value: one, from, nneg: false }, loc);
                }
                if count == 1 {
                    value = one;
                } else {
                    value = self.emit(whole, Op::InsertElement { vec: value, value: one, index: index(i) }, loc);
                }
            }
            return Some(Op::Store { ptr, value, volatile: access.volatile, align });
        }
        let load = Op::Load { ptr, volatile: access.volatile, align };
        let register = self.reader.types.synthetic(&registers[0], 1);
        let extend = |value| Op::Cast {
            op: if access.signed { CastOp::SExt } else { CastOp::ZExt },
            value,
            from: element_id,
            nneg: false,
        };
        if count == 1 && register == element_id {
            return Some(load);
        }
        let loaded = self.emit(whole, load, loc);
        if count == 1 {
            return Some(extend(loaded));
        }
        let result = self.reader.types.id(inst.ty());
        let mut agg = Operand::Const(Const::Undef(result));
        for i in 0..count {
            let mut value = self.emit(element_id, Op::ExtractElement { vec: loaded.clone(), index: index(i) }, loc);
            if register != element_id {
                value = self.emit(register, extend(value), loc);
            }
            let insert = Op::InsertValue { agg, value, path: vec![i] };
            if i + 1 == count {
                return Some(insert);
            }
            agg = self.emit(result, insert, loc);
        }
        None
    }

    /// Advances a pointer by a number of bytes.
    fn moved(&mut self, pointer: Value<'m>, bytes: i64, loc: LocId) -> Operand {
        let base = self.operand(pointer, loc);
        if bytes == 0 {
            return base;
        }
        let ty = self.reader.types.id(pointer.ty());
        let index = Operand::Const(Const::Int { bits: 64, value: i128::from(bytes) });
        let steps = vec![AddressStep::Index { index, stride: Bytes(1), count: None }];
        self.emit(ty, Op::Gep { base, steps, inbounds: false }, loc)
    }

    fn kind_of(&mut self, ty: Type<'m>) -> TypeKind {
        let id = self.reader.types.id(ty);
        self.reader.types.defs[id.index()].kind.clone()
    }
}
