//! Instructions, their operands, and the terminators of blocks, after LLVM IR (LLVM 22 language reference).

use super::{BlockId, Bytes, Const, Elements, FuncId, LocId, TypeId, ValueId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operand {
    Value(ValueId),
    Const(Const),
}

/// A named source variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Var {
    pub name: String,
    /// C++ spelling of the type as far as debug information gives it (`const float *`).
    pub type_name: String,
    /// True for an integer that is unsigned after stripping typedefs and qualifiers.
    pub unsigned: bool,
    /// Pointee size in bytes, for pointers whose pointee has a known size.
    pub pointee: Option<u64>,
    /// 1-based parameter number, for parameters.
    pub param: Option<u32>,
    pub loc: LocId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pred {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    Bitcast,
    AddrSpaceCast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    Other,
}

/// Step of an address computation; steps apply from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AddressStep {
    /// Member number `field` of the structure type `of`; `ty` is the member's own type.
    Field { offset: u64, field: u32, ty: TypeId, of: TypeId },
    /// `index` times `stride`; `count` is the dimension's length when stepping inside an array type.
    Index { index: Operand, stride: Bytes, count: Option<Elements> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// `count` elements of `ty` on the stack.
    Alloca {
        ty: TypeId,
        count: Operand,
        align: u32,
        var: Option<Var>,
    },
    /// `align`: alignment of the address in bytes; 0 where the front end gives none.
    Load {
        ptr: Operand,
        volatile: bool,
        align: u32,
    },
    Store {
        ptr: Operand,
        value: Operand,
        volatile: bool,
        align: u32,
    },
    /// Result: the old value.
    AtomicRmw {
        op: AtomicOp,
        ptr: Operand,
        value: Operand,
    },
    /// Result: `{old value, i1 success}`.
    CmpXchg {
        ptr: Operand,
        expected: Operand,
        new: Operand,
    },
    Gep {
        base: Operand,
        steps: Vec<AddressStep>,
        inbounds: bool,
    },
    /// `nsw`/`nuw` as the front end gave them: clang puts `nsw` on signed source arithmetic.
    Bin {
        op: BinOp,
        a: Operand,
        b: Operand,
        nsw: bool,
        nuw: bool,
    },
    Icmp {
        pred: Pred,
        a: Operand,
        b: Operand,
    },
    /// LLVM's predicate name (`olt`, `une`, …).
    Fcmp {
        pred: String,
        a: Operand,
        b: Operand,
    },
    FNeg(Operand),
    /// `nneg`: the front end assumes that the value is not negative, so that both extensions agree. LLVM sets it on
    /// zero extensions. cgeist sign-extends every subscript and sets it on those that may be unsigned.
    Cast {
        op: CastOp,
        value: Operand,
        from: TypeId,
        nneg: bool,
    },
    Select {
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    Phi(Vec<(BlockId, Operand)>),
    Call {
        callee: Callee,
        args: Vec<Operand>,
    },
    /// Inline assembly: the template, the constraint string and the operands.
    Asm {
        text: String,
        constraints: String,
        args: Vec<Operand>,
        side_effects: bool,
    },
    /// `llvm.memcpy`, `llvm.memmove`. `align`: alignments of the destination and of the source in bytes, as for loads;
    /// `presumed` where they are the largest that a structure of this size may have, as its type is not known.
    MemCopy {
        dst: Operand,
        src: Operand,
        len: Operand,
        align: [u32; 2],
        presumed: bool,
    },
    MemSet {
        dst: Operand,
        byte: Operand,
        len: Operand,
    },
    ExtractValue {
        agg: Operand,
        path: Vec<u32>,
    },
    InsertValue {
        agg: Operand,
        value: Operand,
        path: Vec<u32>,
    },
    ExtractElement {
        vec: Operand,
        index: Operand,
    },
    InsertElement {
        vec: Operand,
        value: Operand,
        index: Operand,
    },
    /// Mask entries of -1 stand for undefined elements.
    Shuffle {
        a: Operand,
        b: Operand,
        mask: Vec<i32>,
    },
    Freeze(Operand),
    Fence,
    /// `llvm.assume` and `__builtin_assume`.
    Assume(Operand),
    /// Start or end of an alloca's lifetime.
    Lifetime {
        start: bool,
        ptr: Operand,
    },
    /// An instruction that is not modelled; users see its name as the reason.
    Other {
        what: String,
        args: Vec<Operand>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terminator {
    Ret(Option<Operand>),
    Br(BlockId),
    CondBr {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    /// Case values are sign-extended from the condition's width.
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<(i128, BlockId)>,
    },
    /// A call that may throw: its result (if any) is defined on the normal edge only.
    Invoke {
        result: Option<ValueId>,
        ty: TypeId,
        callee: Callee,
        args: Vec<Operand>,
        normal: BlockId,
        unwind: BlockId,
    },
    /// `unreachable`, `resume` and `cleanupret`: the path does not go on in this function.
    Unreachable,
    /// `indirectbr`, `callbr`, Windows funclets: not executed.
    Other(String),
}

impl Terminator {
    /// Returns the successor blocks in order, duplicates kept.
    #[must_use]
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Ret(_) | Self::Unreachable | Self::Other(_) => vec![],
            Self::Br(b) => vec![*b],
            Self::CondBr { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Switch { default, cases, .. } => std::iter::once(*default).chain(cases.iter().map(|c| c.1)).collect(),
            Self::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
        }
    }
}
