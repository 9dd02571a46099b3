//! Lowers inline PTX with a single load or store to a plain access.
//!
//! The toolkit's and clang's headers implement `__ldcg`, `__ldcs`, `__stwt` and the like this way, and programs do too.
//! Other assembly is unchanged. Syntax: PTX ISA 9.0, sections 9.7.9.8 (`ld`) and 9.7.9.12 (`st`).

use super::bindings::{LlvmTypeKind, Type, Value};
use super::function::FunctionLowering;
use ir::{AddressStep, Bytes, CastOp, Const, LocId, Op, Operand, TypeKind};

/// A single `ld` or `st`.
#[derive(Clone, Debug, PartialEq)]
struct PtxAccess {
    store: bool,
    /// Type of an element in memory, and whether a wider register sign-extends it.
    element: TypeKind,
    signed: bool,
    volatile: bool,
    /// Operand that holds the address.
    address: usize,
    /// Offset in bytes added to the address.
    offset: i64,
    /// Operands for the elements; several for vectors.
    registers: Vec<usize>,
}

/// Returns the number of result operands of an assembly statement, by its constraint string; `None` if some operand is
/// in memory.
fn outputs(constraints: &str) -> Option<usize> {
    let list: Vec<&str> = constraints.split(',').filter(|c| !c.is_empty()).collect();
    if list.iter().any(|c| c.contains('*')) {
        return None;
    }
    Some(list.iter().filter(|c| c.starts_with('=')).count())
}

/// Parses the text of an assembly statement (LLVM's spelling: operands are `$0`).
fn parse(text: &str) -> Option<PtxAccess> {
    let statement = text.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    if statement.contains(';') || statement.contains("//") {
        return None;
    }
    let (mnemonic, operands) = statement.split_once(char::is_whitespace)?;
    let mut parts = mnemonic.split('.');
    let store = match parts.next()? {
        "ld" | "ldu" => false,
        "st" => true,
        _ => return None,
    };
    let mut volatile = false;
    let mut lanes = 1;
    let mut element = None;
    for part in parts {
        match part {
            "volatile" | "relaxed" | "acquire" | "release" | "mmio" => volatile = true,
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "v8" => lanes = 8,
            _ => match scalar(part) {
                Some(e) => element = Some(e),
                None if QUALIFIERS.contains(&part.split("::").next().unwrap_or_default()) => {}
                None => return None,
            },
        }
    }
    let (element, signed) = element?;
    let open = operands.find('[')?;
    let close = operands.find(']')?;
    let (before, inside, behind) = (&operands[..open], operands.get(open + 1..close)?, &operands[close + 1..]);
    let list = if store { behind.trim().strip_prefix(',')? } else { before.trim().strip_suffix(',')? };
    if !(if store { before } else { behind }).trim().is_empty() {
        return None;
    }
    let list = list.trim();
    let list = list.strip_prefix('{').map_or(Some(list), |l| l.strip_suffix('}'))?;
    let registers = list.split(',').map(|r| operand(r.trim())).collect::<Option<Vec<_>>>()?;
    let (address, offset) = match inside.split_once('+') {
        Some((a, o)) => (operand(a.trim())?, o.trim().parse().ok()?),
        None => (operand(inside.trim())?, 0),
    };
    (registers.len() == lanes).then_some(PtxAccess { store, element, signed, volatile, address, offset, registers })
}

/// Qualifiers without effect on the access: global memory, whose addresses are generic ones (PTX ISA 9.0, 5.1), cache
/// operators and hints, scopes.
const QUALIFIERS: &[&str] =
    &["global", "weak", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "cta", "cluster", "gpu", "sys", "L1", "L2"];

fn scalar(part: &str) -> Option<(TypeKind, bool)> {
    let bits: u32 = part.get(1..)?.parse().ok()?;
    match (part.as_bytes()[0], bits) {
        (b's', 8 | 16 | 32 | 64) => Some((TypeKind::Int(bits), true)),
        (b'u' | b'b', 8 | 16 | 32 | 64 | 128) => Some((TypeKind::Int(bits), false)),
        (b'f', 32 | 64) => Some((TypeKind::Float(bits), false)),
        _ => None,
    }
}

fn operand(text: &str) -> Option<usize> {
    text.strip_prefix('$')?.parse().ok()
}

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
        let access = parse(text)?;
        let results = outputs(constraints)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_stores_are_read() {
        let load = |element, signed, registers: &[usize], address| {
            Some(PtxAccess {
                store: false,
                element,
                signed,
                volatile: false,
                address,
                offset: 0,
                registers: registers.to_vec(),
            })
        };
        assert_eq!(parse("ld.global.cg.s32 $0, [$1];"), load(TypeKind::Int(32), true, &[0], 1));
        assert_eq!(
            parse("ld.global.cs.v4.f32 {$0,$1,$2,$3}, [$4];"),
            load(TypeKind::Float(32), false, &[0, 1, 2, 3], 4)
        );
        assert_eq!(
            parse(" ld.global.nc.L1::no_allocate.L2::128B.u8 $0, [ $1 ] ; \n"),
            load(TypeKind::Int(8), false, &[0], 1)
        );
        assert_eq!(
            parse("st.volatile.global.u16 [$0+4], $1;"),
            Some(PtxAccess {
                store: true,
                element: TypeKind::Int(16),
                signed: false,
                volatile: true,
                address: 0,
                offset: 4,
                registers: vec![1]
            })
        );
    }

    #[test]
    fn what_is_more_than_one_access_stays_assembly() {
        for text in [
            "",
            "bar.sync 0;",
            "cp.async.ca.shared.global [$0], [$1], 16;",
            "@%p ld.global.u32 $0, [$1];",
            "{ ld.global.u32 $0, [$1]; }",
            "ld.global.u32 $0, [$1]; add.u32 $0, $0, 1;",
            "ld.shared.u32 $0, [$1];",
            "ld.global.v2.f32 $0, [$1];",
            "ld.global.u32 %r1, [$1];",
            "st.global.u32 [%rd1], $1;",
            "ld.param.u32 $0, [x];",
            "ld.global.u32 ] [",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn results_come_first() {
        assert_eq!(outputs("=r,l,~{memory}"), Some(1));
        assert_eq!(outputs("=f,=f,l"), Some(2));
        assert_eq!(outputs("l,r,~{memory}"), Some(0));
        assert_eq!(outputs("=*m,r"), None);
        assert_eq!(outputs(""), Some(0));
    }
}
