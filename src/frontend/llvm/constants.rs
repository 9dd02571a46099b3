//! Converts LLVM constants to [`Const`]s, with constant address computations folded to an offset from their global.

use super::ModuleReader;
use super::bindings::{Opcode, Type, Value, ValueKind as K};
use ir::{Bytes, Const, Elements};

/// A step of a constant address computation.
pub(super) enum GepPart<'m> {
    Field { offset: u64, field: u32, ty: Type<'m>, of: Type<'m> },
    Index { index: Value<'m>, stride: Bytes, count: Option<Elements> },
}

/// Largest length in characters of the text kept for a constant expression that is not modelled.
const MAX_OPAQUE: usize = 120;

/// Largest depth of nested constants that are searched for symbols.
const SYMBOL_DEPTH: u32 = 8;

/// Collects the names of functions and variables in a constant expression.
fn symbols_in(v: Value<'_>, depth: u32, out: &mut Vec<String>) {
    match v.kind() {
        K::LLVMFunctionValueKind | K::LLVMGlobalVariableValueKind | K::LLVMGlobalAliasValueKind => out.push(v.name()),
        K::LLVMConstantExprValueKind if depth < SYMBOL_DEPTH => {
            v.operands().into_iter().for_each(|o| symbols_in(o, depth + 1, out));
        }
        _ => {}
    }
}

impl<'m> ModuleReader<'m> {
    /// Converts a constant of any kind; one without a [`Const`] form becomes [`Const::Opaque`] with its text.
    pub(super) fn constant(&mut self, v: Value<'m>) -> Const {
        let ty = v.ty();
        match v.kind() {
            K::LLVMConstantIntValueKind => match v.int() {
                Some(value) => Const::Int { bits: ty.int_width(), value },
                None => self.opaque(v),
            },
            K::LLVMConstantFPValueKind => match v.float_bits() {
                Some((bits, value)) => Const::Float { bits, value },
                None => self.opaque(v),
            },
            K::LLVMConstantPointerNullValueKind | K::LLVMConstantAggregateZeroValueKind => {
                Const::Zero(self.types.id(ty))
            }
            K::LLVMUndefValueValueKind | K::LLVMPoisonValueKind => Const::Undef(self.types.id(ty)),
            K::LLVMConstantDataArrayValueKind => Const::Bytes { ty: self.types.id(ty), data: v.raw_data() },
            K::LLVMConstantDataVectorValueKind => self.data_vector(v),
            K::LLVMConstantArrayValueKind | K::LLVMConstantStructValueKind | K::LLVMConstantVectorValueKind => {
                let elems = v.operands().into_iter().map(|o| self.constant(o)).collect();
                Const::Aggregate { ty: self.types.id(ty), elems }
            }
            K::LLVMFunctionValueKind
            | K::LLVMGlobalVariableValueKind
            | K::LLVMGlobalAliasValueKind
            | K::LLVMConstantExprValueKind => {
                self.address(v).or_else(|| self.number_of_function(v)).unwrap_or_else(|| self.opaque(v))
            }
            _ => self.opaque(v),
        }
    }

    /// Resolves the address of a function as a number, as pointers to methods have it (Itanium C++ ABI, 2.3).
    fn number_of_function(&mut self, v: Value<'m>) -> Option<Const> {
        let is_number = v.kind() == K::LLVMConstantExprValueKind && v.const_opcode()? == Opcode::LLVMPtrToInt;
        if !is_number || v.ty().int_width() != 64 {
            return None;
        }
        self.address(v.operand(0)).filter(|c| matches!(c, Const::Func(_)))
    }

    fn opaque(&mut self, v: Value<'m>) -> Const {
        // Only these can be printed without their module; inline assembly and metadata would crash LLVM 22's printer.
        let printable = matches!(
            v.kind(),
            K::LLVMConstantExprValueKind
                | K::LLVMConstantFPValueKind
                | K::LLVMConstantIntValueKind
                | K::LLVMBlockAddressValueKind
        );
        let mut what = if printable { v.print() } else { format!("{:?}", v.kind()) };
        if let Some((cut, _)) = what.char_indices().nth(MAX_OPAQUE) {
            what.truncate(cut);
        }
        // Symbols that the text may lack: somebody may use their addresses as numbers.
        let mut names = vec![];
        symbols_in(v, 0, &mut names);
        for name in names {
            what.push_str(" @");
            what.push_str(&name);
        }
        Const::Opaque { ty: self.types.id(v.ty()), what }
    }

    /// Decodes the elements of a data vector from its bytes (little-endian on both sides of CUDA).
    fn data_vector(&mut self, v: Value<'m>) -> Const {
        let ty = self.types.id(v.ty());
        let Some((elem, count)) = v.ty().sequence() else { return self.opaque(v) };
        let size = usize::try_from(self.types.size(elem)).unwrap_or(0);
        let integer = elem.kind() == super::bindings::LlvmTypeKind::LLVMIntegerTypeKind;
        let data = v.raw_data();
        if size == 0 || size > 8 || data.len() as u64 != size as u64 * count {
            return self.opaque(v);
        }
        let bits = u32::try_from(size * 8).unwrap_or(64);
        let elems = data
            .chunks_exact(size)
            .map(|c| {
                let raw = c.iter().rev().fold(0u64, |a, b| a << 8 | u64::from(*b));
                if integer {
                    let shift = 64 - bits;
                    Const::Int { bits, value: i128::from((raw << shift).cast_signed() >> shift) }
                } else {
                    Const::Float { bits, value: raw }
                }
            })
            .collect();
        Const::Aggregate { ty, elems }
    }

    /// Resolves a global or function through address space casts and constant address computations.
    pub(super) fn address(&mut self, v: Value<'m>) -> Option<Const> {
        match v.kind() {
            K::LLVMFunctionValueKind => self.functions.get(&v).map(|f| Const::Func(*f)),
            K::LLVMGlobalVariableValueKind => self.globals.get(&v).map(|g| Const::Global { id: *g, offset: 0 }),
            K::LLVMGlobalAliasValueKind => self.address(v.aliasee()),
            K::LLVMConstantExprValueKind => match v.const_opcode()? {
                Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => self.address(v.operand(0)),
                // A narrower integer is zero-extended (LLVM 22 Language Reference, `inttoptr`).
                Opcode::LLVMIntToPtr => {
                    let (number, width) = (v.operand(0).int()?, v.operand(0).ty().int_width());
                    let low = if width < 64 { (1 << width) - 1 } else { i128::from(u64::MAX) };
                    let value = u64::try_from(number & low).ok()?;
                    Some(Const::Address { ty: self.types.id(v.ty()), value })
                }
                Opcode::LLVMGetElementPtr => {
                    let base = self.address(v.operand(0))?;
                    let mut total: i64 = 0;
                    for part in self.gep_parts(v)? {
                        total = total.checked_add(match part {
                            GepPart::Field { offset, .. } => i64::try_from(offset).ok()?,
                            GepPart::Index { index, stride, .. } => {
                                i64::try_from(index.int()?).ok()?.checked_mul(i64::try_from(stride.get()).ok()?)?
                            }
                        })?;
                    }
                    match base {
                        Const::Global { id, offset } => Some(Const::Global { id, offset: offset.checked_add(total)? }),
                        Const::Address { ty, value } => {
                            Some(Const::Address { ty, value: value.wrapping_add_signed(total) })
                        }
                        base if total == 0 => Some(base),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the steps of an address computation (instruction or constant), without a leading zero index. `None`
    /// where a step has no layout (scalable vectors).
    pub(super) fn gep_parts(&mut self, gep: Value<'m>) -> Option<Vec<GepPart<'m>>> {
        let operands = gep.operands();
        let mut ty = gep.gep_source_type();
        let mut out = vec![];
        for (i, index) in operands.iter().copied().enumerate().skip(1) {
            if i == 1 {
                if operands.len() == 2 || index.int() != Some(0) {
                    out.push(GepPart::Index { index, stride: Bytes(self.types.size(ty)), count: None });
                }
                continue;
            }
            if let Some((elem, count)) = ty.sequence() {
                // Flexible array members and `extern __shared__ T a[]` have length 0, which bounds nothing.
                out.push(GepPart::Index {
                    index,
                    stride: Bytes(self.types.size(elem)),
                    count: (count > 0).then_some(Elements(count)),
                });
                ty = elem;
            } else if ty.kind() == super::bindings::LlvmTypeKind::LLVMStructTypeKind {
                let field = u32::try_from(index.int()?).ok()?;
                let member = *ty.fields().get(field as usize)?;
                out.push(GepPart::Field { offset: self.types.field_offset(ty, field), field, ty: member, of: ty });
                ty = member;
            } else {
                return None;
            }
        }
        Some(out)
    }
}
