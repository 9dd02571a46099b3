//! Operands of instructions and terminators.

use super::{AddressStep, Callee, Op, Operand, Terminator};

impl Op {
    /// Calls `f` with every operand.
    pub fn operands<'o>(&'o self, f: &mut impl FnMut(&'o Operand)) {
        match self {
            Self::Alloca { count, .. } => f(count),
            Self::Load { ptr, .. } | Self::Lifetime { ptr, .. } => f(ptr),
            Self::Store { ptr, value, .. } | Self::AtomicRmw { ptr, value, .. } => {
                f(ptr);
                f(value);
            }
            Self::CmpXchg { ptr, expected, new } => {
                f(ptr);
                f(expected);
                f(new);
            }
            Self::Gep { base, steps, .. } => {
                f(base);
                for s in steps {
                    if let AddressStep::Index { index, .. } = s {
                        f(index);
                    }
                }
            }
            Self::Bin { a, b, .. } | Self::Icmp { a, b, .. } | Self::Fcmp { a, b, .. } | Self::Shuffle { a, b, .. } => {
                f(a);
                f(b);
            }
            Self::FNeg(a)
            | Self::Freeze(a)
            | Self::Assume(a)
            | Self::Cast { value: a, .. }
            | Self::ExtractValue { agg: a, .. } => f(a),
            Self::Select { cond, a, b } => {
                f(cond);
                f(a);
                f(b);
            }
            Self::Phi(v) => v.iter().for_each(|(_, o)| f(o)),
            Self::Call { callee, args } => {
                if let Callee::Indirect(o) = callee {
                    f(o);
                }
                args.iter().for_each(f);
            }
            Self::Asm { args, .. } | Self::Other { args, .. } => args.iter().for_each(f),
            Self::MemCopy { dst, src, len, .. } => {
                f(dst);
                f(src);
                f(len);
            }
            Self::MemSet { dst, byte, len } => {
                f(dst);
                f(byte);
                f(len);
            }
            Self::InsertValue { agg, value, .. } => {
                f(agg);
                f(value);
            }
            Self::ExtractElement { vec, index } => {
                f(vec);
                f(index);
            }
            Self::InsertElement { vec, value, index } => {
                f(vec);
                f(value);
                f(index);
            }
            Self::Fence => {}
        }
    }
}

impl Terminator {
    /// Calls `f` with every operand.
    pub fn operands<'o>(&'o self, f: &mut impl FnMut(&'o Operand)) {
        match self {
            Self::Ret(Some(o)) | Self::CondBr { cond: o, .. } | Self::Switch { value: o, .. } => f(o),
            Self::Invoke { callee, args, .. } => {
                if let Callee::Indirect(o) = callee {
                    f(o);
                }
                args.iter().for_each(f);
            }
            Self::Ret(None) | Self::Br(_) | Self::Unreachable | Self::Other(_) => {}
        }
    }
}
