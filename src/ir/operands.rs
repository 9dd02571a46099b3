//! Operands and targets of instructions and terminators.

use super::{AddressStep, Block, BlockId, Callee, Op, Operand, Terminator};

/// Defines a visitor of all operands of an instruction, terminator or block, shared or mutable.
macro_rules! operands {
    ($name:ident $(, $mutable:tt)?) => {
        impl Op {
            /// Calls `f` with every operand.
            pub fn $name<'o>(&'o $($mutable)? self, f: &mut impl FnMut(&'o $($mutable)? Operand)) {
                match self {
                    Self::Alloca { count: a, .. }
                    | Self::Load { ptr: a, .. }
                    | Self::Lifetime { ptr: a, .. }
                    | Self::FNeg(a)
                    | Self::Freeze(a)
                    | Self::Assume(a)
                    | Self::Cast { value: a, .. }
                    | Self::ExtractValue { agg: a, .. } => f(a),
                    Self::Store { ptr: a, value: b, .. }
                    | Self::AtomicRmw { ptr: a, value: b, .. }
                    | Self::Bin { a, b, .. }
                    | Self::Icmp { a, b, .. }
                    | Self::Fcmp { a, b, .. }
                    | Self::Shuffle { a, b, .. }
                    | Self::InsertValue { agg: a, value: b, .. }
                    | Self::ExtractElement { vec: a, index: b } => [a, b].into_iter().for_each(f),
                    Self::CmpXchg { ptr: a, expected: b, new: c }
                    | Self::Select { cond: a, a: b, b: c }
                    | Self::MemCopy { dst: a, src: b, len: c, .. }
                    | Self::MemSet { dst: a, byte: b, len: c }
                    | Self::InsertElement { vec: a, value: b, index: c } => [a, b, c].into_iter().for_each(f),
                    Self::Gep { base, steps, .. } => {
                        f(base);
                        for s in steps {
                            if let AddressStep::Index { index, .. } = s {
                                f(index);
                            }
                        }
                    }
                    Self::Phi(edges) => edges.into_iter().for_each(|(_, o)| f(o)),
                    Self::Call { callee, args } => {
                        if let Callee::Indirect(o) = callee {
                            f(o);
                        }
                        args.into_iter().for_each(f);
                    }
                    Self::Asm { args, .. } | Self::Other { args, .. } => args.into_iter().for_each(f),
                    Self::Fence => {}
                }
            }
        }

        impl Terminator {
            /// Calls `f` with every operand.
            pub fn $name<'o>(&'o $($mutable)? self, f: &mut impl FnMut(&'o $($mutable)? Operand)) {
                match self {
                    Self::Ret(Some(o)) | Self::CondBr { cond: o, .. } | Self::Switch { value: o, .. } => f(o),
                    Self::Invoke { callee, args, .. } => {
                        if let Callee::Indirect(o) = callee {
                            f(o);
                        }
                        args.into_iter().for_each(f);
                    }
                    Self::Ret(None) | Self::Br(_) | Self::Unreachable | Self::Other(_) => {}
                }
            }
        }

        impl Block {
            /// Calls `f` with every operand.
            pub fn $name<'o>(&'o $($mutable)? self, f: &mut impl FnMut(&'o $($mutable)? Operand)) {
                for inst in &$($mutable)? self.insts {
                    inst.op.$name(f);
                }
                self.term.$name(f);
            }
        }
    };
}
operands!(operands);
operands!(operands_mut, mut);

impl Terminator {
    /// Calls `f` with every successor block.
    pub fn successors_mut(&mut self, mut f: impl FnMut(&mut BlockId)) {
        match self {
            Self::Br(b) => f(b),
            Self::CondBr { then: a, otherwise: b, .. } | Self::Invoke { normal: a, unwind: b, .. } => {
                [a, b].into_iter().for_each(f);
            }
            Self::Switch { default, cases, .. } => {
                f(default);
                cases.iter_mut().for_each(|c| f(&mut c.1));
            }
            Self::Ret(_) | Self::Unreachable | Self::Other(_) => {}
        }
    }
}
