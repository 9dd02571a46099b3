//! Lowers each LLVM instruction to an [`Op`].

use super::bindings::{IntPredicate, Opcode, RealPredicate, RmwOp, Value, ValueKind};
use super::constants::GepPart;
use super::function::FunctionLowering;
use ir::{AddressStep, AtomicOp, BinOp, CastOp, Inst, LocId, Op, Operand, Pred, TypeId};

/// Returns LLVM's spelling of an opcode, for messages.
pub(super) fn opcode_name(o: Opcode) -> String {
    let text = format!("{o:?}");
    text.strip_prefix("LLVM").unwrap_or(&text).to_lowercase()
}

pub(super) fn bin_op(o: Opcode) -> Option<BinOp> {
    Some(match o {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        Opcode::LLVMFAdd => BinOp::FAdd,
        Opcode::LLVMFSub => BinOp::FSub,
        Opcode::LLVMFMul => BinOp::FMul,
        Opcode::LLVMFDiv => BinOp::FDiv,
        Opcode::LLVMFRem => BinOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast_op(o: Opcode) -> Option<CastOp> {
    Some(match o {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::ZExt,
        Opcode::LLVMSExt => CastOp::SExt,
        Opcode::LLVMFPTrunc => CastOp::FpTrunc,
        Opcode::LLVMFPExt => CastOp::FpExt,
        Opcode::LLVMFPToUI => CastOp::FpToUi,
        Opcode::LLVMFPToSI => CastOp::FpToSi,
        Opcode::LLVMUIToFP => CastOp::UiToFp,
        Opcode::LLVMSIToFP => CastOp::SiToFp,
        Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr => CastOp::PtrToInt,
        Opcode::LLVMIntToPtr => CastOp::IntToPtr,
        Opcode::LLVMBitCast => CastOp::Bitcast,
        Opcode::LLVMAddrSpaceCast => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

fn pred(p: IntPredicate) -> Pred {
    match p {
        IntPredicate::LLVMIntEQ => Pred::Eq,
        IntPredicate::LLVMIntNE => Pred::Ne,
        IntPredicate::LLVMIntUGT => Pred::Ugt,
        IntPredicate::LLVMIntUGE => Pred::Uge,
        IntPredicate::LLVMIntULT => Pred::Ult,
        IntPredicate::LLVMIntULE => Pred::Ule,
        IntPredicate::LLVMIntSGT => Pred::Sgt,
        IntPredicate::LLVMIntSGE => Pred::Sge,
        IntPredicate::LLVMIntSLT => Pred::Slt,
        IntPredicate::LLVMIntSLE => Pred::Sle,
    }
}

fn float_pred(p: RealPredicate) -> &'static str {
    match p {
        RealPredicate::LLVMRealPredicateFalse => "false",
        RealPredicate::LLVMRealOEQ => "oeq",
        RealPredicate::LLVMRealOGT => "ogt",
        RealPredicate::LLVMRealOGE => "oge",
        RealPredicate::LLVMRealOLT => "olt",
        RealPredicate::LLVMRealOLE => "ole",
        RealPredicate::LLVMRealONE => "one",
        RealPredicate::LLVMRealORD => "ord",
        RealPredicate::LLVMRealUNO => "uno",
        RealPredicate::LLVMRealUEQ => "ueq",
        RealPredicate::LLVMRealUGT => "ugt",
        RealPredicate::LLVMRealUGE => "uge",
        RealPredicate::LLVMRealULT => "ult",
        RealPredicate::LLVMRealULE => "ule",
        RealPredicate::LLVMRealUNE => "une",
        RealPredicate::LLVMRealPredicateTrue => "true",
    }
}

fn atomic_op(o: RmwOp) -> AtomicOp {
    match o {
        RmwOp::LLVMAtomicRMWBinOpXchg => AtomicOp::Xchg,
        RmwOp::LLVMAtomicRMWBinOpAdd => AtomicOp::Add,
        RmwOp::LLVMAtomicRMWBinOpSub => AtomicOp::Sub,
        RmwOp::LLVMAtomicRMWBinOpAnd => AtomicOp::And,
        RmwOp::LLVMAtomicRMWBinOpNand => AtomicOp::Nand,
        RmwOp::LLVMAtomicRMWBinOpOr => AtomicOp::Or,
        RmwOp::LLVMAtomicRMWBinOpXor => AtomicOp::Xor,
        RmwOp::LLVMAtomicRMWBinOpMax => AtomicOp::Max,
        RmwOp::LLVMAtomicRMWBinOpMin => AtomicOp::Min,
        RmwOp::LLVMAtomicRMWBinOpUMax => AtomicOp::UMax,
        RmwOp::LLVMAtomicRMWBinOpUMin => AtomicOp::UMin,
        RmwOp::LLVMAtomicRMWBinOpFAdd => AtomicOp::FAdd,
        RmwOp::LLVMAtomicRMWBinOpFSub => AtomicOp::FSub,
        RmwOp::LLVMAtomicRMWBinOpFMax => AtomicOp::FMax,
        RmwOp::LLVMAtomicRMWBinOpFMin => AtomicOp::FMin,
        RmwOp::LLVMAtomicRMWBinOpUIncWrap => AtomicOp::UIncWrap,
        RmwOp::LLVMAtomicRMWBinOpUDecWrap => AtomicOp::UDecWrap,
        RmwOp::LLVMAtomicRMWBinOpUSubCond
        | RmwOp::LLVMAtomicRMWBinOpUSubSat
        | RmwOp::LLVMAtomicRMWBinOpFMaximum
        | RmwOp::LLVMAtomicRMWBinOpFMinimum => AtomicOp::Other,
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers an instruction other than a terminator.
    pub(super) fn op(&mut self, inst: Value<'m>, loc: LocId) -> Op {
        let Some(opcode) = inst.opcode() else { return self.other("unknown".into(), inst, loc) };
        if let Some(op) = bin_op(opcode) {
            let (nsw, nuw) = match opcode {
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl => inst.no_wrap(),
                _ => (false, false),
            };
            return Op::Bin { op, a: self.nth(inst, 0, loc), b: self.nth(inst, 1, loc), nsw, nuw };
        }
        if let Some(op) = cast_op(opcode) {
            let nneg = matches!(opcode, Opcode::LLVMZExt | Opcode::LLVMUIToFP) && inst.nneg();
            let from = self.reader.types.id(inst.operand(0).ty());
            return Op::Cast { op, value: self.nth(inst, 0, loc), from, nneg };
        }
        match opcode {
            Opcode::LLVMAlloca => Op::Alloca {
                ty: self.reader.types.id(inst.allocated_type()),
                count: self.nth(inst, 0, loc),
                align: inst.alignment(),
                var: self.variable(inst),
            },
            Opcode::LLVMLoad => Op::Load {
                ptr: self.nth(inst, 0, loc),
                volatile: inst.is_volatile(),
                align: self.reader.required_alignment(inst, inst.ty(), inst.operand(0)),
            },
            Opcode::LLVMStore => Op::Store {
                value: self.nth(inst, 0, loc),
                ptr: self.nth(inst, 1, loc),
                volatile: inst.is_volatile(),
                align: self.reader.required_alignment(inst, inst.operand(0).ty(), inst.operand(1)),
            },
            Opcode::LLVMAtomicRMW => Op::AtomicRmw {
                op: atomic_op(inst.rmw_op()),
                ptr: self.nth(inst, 0, loc),
                value: self.nth(inst, 1, loc),
            },
            Opcode::LLVMAtomicCmpXchg => Op::CmpXchg {
                ptr: self.nth(inst, 0, loc),
                expected: self.nth(inst, 1, loc),
                new: self.nth(inst, 2, loc),
            },
            Opcode::LLVMGetElementPtr => self.gep(inst, loc),
            Opcode::LLVMICmp => {
                Op::Icmp { pred: pred(inst.icmp()), a: self.nth(inst, 0, loc), b: self.nth(inst, 1, loc) }
            }
            Opcode::LLVMFCmp => Op::Fcmp {
                pred: float_pred(inst.fcmp()).to_owned(),
                a: self.nth(inst, 0, loc),
                b: self.nth(inst, 1, loc),
            },
            Opcode::LLVMFNeg => Op::FNeg(self.nth(inst, 0, loc)),
            Opcode::LLVMSelect => {
                Op::Select { cond: self.nth(inst, 0, loc), a: self.nth(inst, 1, loc), b: self.nth(inst, 2, loc) }
            }
            Opcode::LLVMPHI => Op::Phi(
                inst.incoming()
                    .into_iter()
                    .map(|(b, v)| {
                        let from = self.block_id(b);
                        (from, self.phi_operand(v, from, loc))
                    })
                    .collect(),
            ),
            Opcode::LLVMCall => self.call(inst, loc),
            Opcode::LLVMExtractValue => Op::ExtractValue { agg: self.nth(inst, 0, loc), path: inst.path() },
            Opcode::LLVMInsertValue => {
                Op::InsertValue { agg: self.nth(inst, 0, loc), value: self.nth(inst, 1, loc), path: inst.path() }
            }
            Opcode::LLVMExtractElement => {
                Op::ExtractElement { vec: self.nth(inst, 0, loc), index: self.nth(inst, 1, loc) }
            }
            Opcode::LLVMInsertElement => Op::InsertElement {
                vec: self.nth(inst, 0, loc),
                value: self.nth(inst, 1, loc),
                index: self.nth(inst, 2, loc),
            },
            Opcode::LLVMShuffleVector => {
                Op::Shuffle { a: self.nth(inst, 0, loc), b: self.nth(inst, 1, loc), mask: inst.mask() }
            }
            Opcode::LLVMFreeze => Op::Freeze(self.nth(inst, 0, loc)),
            Opcode::LLVMFence => Op::Fence,
            // Clauses are type descriptions, which the analysis ignores.
            Opcode::LLVMLandingPad => Op::Other { what: "landingpad".into(), args: vec![] },
            o => self.other(opcode_name(o), inst, loc),
        }
    }

    fn nth(&mut self, inst: Value<'m>, i: u32, loc: LocId) -> Operand {
        self.operand(inst.operand(i), loc)
    }

    fn other(&mut self, what: String, inst: Value<'m>, loc: LocId) -> Op {
        let args = inst.operands().into_iter().map(|o| self.operand(o, loc)).collect();
        Op::Other { what, args }
    }

    /// Lowers an address computation, instruction or constant expression.
    pub(super) fn gep(&mut self, gep: Value<'m>, loc: LocId) -> Op {
        let vector = gep.ty().sequence().is_some();
        let Some(parts) = (if vector { None } else { self.reader.gep_parts(gep) }) else {
            return self.other("getelementptr of vectors".into(), gep, loc);
        };
        let base = self.operand(gep.operand(0), loc);
        let steps = parts
            .into_iter()
            .map(|p| match p {
                GepPart::Field { offset, field, ty, of } => {
                    AddressStep::Field { offset, field, ty: self.reader.types.id(ty), of: self.reader.types.id(of) }
                }
                GepPart::Index { index, stride, count } => {
                    AddressStep::Index { index: self.operand(index, loc), stride, count }
                }
            })
            .collect();
        Op::Gep { base, steps, inbounds: gep.gep_inbounds() }
    }

    /// Lowers a call, or the call of an invoke.
    pub(super) fn call(&mut self, inst: Value<'m>, loc: LocId) -> Op {
        let called = inst.called();
        let args = inst.arguments();
        if let Some((text, constraints, side_effects)) = called.inline_asm() {
            if let Some(op) = self.memory_asm(inst, &text, &constraints, &args, loc) {
                return op;
            }
            let args = args.into_iter().map(|a| self.operand(a, loc)).collect();
            return Op::Asm { text, constraints, args, side_effects };
        }
        if called.kind() == ValueKind::LLVMFunctionValueKind
            && let Some(op) = self.intrinsic(inst, &called.name(), &args, loc)
        {
            return op;
        }
        let args = args.into_iter().map(|a| self.operand(a, loc)).collect();
        Op::Call { callee: self.callee(called, loc), args }
    }

    /// Appends an instruction and returns its result.
    pub(super) fn emit(&mut self, ty: TypeId, op: Op, loc: LocId) -> Operand {
        let id = self.fresh();
        self.out.push(Inst { result: Some(id), ty, op, loc });
        Operand::Value(id)
    }

    /// Lowers the intrinsics that have an operation of their own; the others stay calls by name.
    fn intrinsic(&mut self, call: Value<'m>, name: &str, args: &[Value<'m>], loc: LocId) -> Option<Op> {
        let intrinsic = Intrinsic::of(name)?;
        let mut arg = |i: usize| args.get(i).map(|a| self.operand(*a, loc));
        Some(match intrinsic {
            Intrinsic::Copy => {
                let (dst, src, len) = (arg(0)?, arg(1)?, arg(2)?);
                let (align, presumed) = self.reader.copied_alignment(call);
                Op::MemCopy { dst, src, len, align, presumed }
            }
            Intrinsic::Set => Op::MemSet { dst: arg(0)?, byte: arg(1)?, len: arg(2)? },
            Intrinsic::Assume => Op::Assume(arg(0)?),
            // LLVM 22 dropped the size operand: the pointer is the last argument in both forms.
            Intrinsic::LifetimeStart => Op::Lifetime { start: true, ptr: arg(args.len().checked_sub(1)?)? },
            Intrinsic::LifetimeEnd => Op::Lifetime { start: false, ptr: arg(args.len().checked_sub(1)?)? },
        })
    }
}

/// Intrinsics that become operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intrinsic {
    Copy,
    Set,
    Assume,
    LifetimeStart,
    LifetimeEnd,
}

impl Intrinsic {
    /// Recognises an intrinsic by its function name; type suffixes (`.p0.p0.i64`) are ignored.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.strip_prefix("llvm.")?;
        let table = [
            ("memcpy", Self::Copy),
            ("memmove", Self::Copy),
            ("memset", Self::Set),
            ("assume", Self::Assume),
            ("lifetime.start", Self::LifetimeStart),
            ("lifetime.end", Self::LifetimeEnd),
        ];
        table
            .into_iter()
            .find(|(base, _)| name.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
            .map(|(_, i)| i)
    }
}

#[cfg(test)]
mod tests {
    use super::Intrinsic;

    #[test]
    fn intrinsics_are_known_by_their_base_name() {
        assert_eq!(Intrinsic::of("llvm.memcpy.p0.p0.i64"), Some(Intrinsic::Copy));
        assert_eq!(Intrinsic::of("llvm.memcpy.inline.p0.p0.i64"), Some(Intrinsic::Copy));
        assert_eq!(Intrinsic::of("llvm.memset.p0.i64"), Some(Intrinsic::Set));
        assert_eq!(Intrinsic::of("llvm.lifetime.end.p0"), Some(Intrinsic::LifetimeEnd));
        assert_eq!(Intrinsic::of("llvm.assumed"), None);
        assert_eq!(Intrinsic::of("memcpy"), None);
    }
}
