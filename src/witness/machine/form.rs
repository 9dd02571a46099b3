//! Flat form of functions that the machine runs: registers instead of values, one scalar each.
//!
//! A value takes as many registers as its type has scalars. Vector operations become one instruction per lane, moves
//! within aggregates become register moves, and variables whose address is not taken live in registers.

use super::state::ConcreteModel;
use super::value::Val;
use crate::code::flow::Flow;
use ir::{AtomicOp, BinOp, BlockId, CastOp, Const, FuncRef, ModuleId, Pred, TypeId, ValueId};
use models::access::ModelledAccess;
pub use models::ptx::{EndingInstruction, WaitEvent};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// A register of the frame, or a constant of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opd(u32);

impl Opd {
    const CONST: u32 = 1 << 31;
    pub const fn reg(n: u32) -> Self {
        Self(n)
    }
    pub const fn constant(n: u32) -> Self {
        Self(n | Self::CONST)
    }
    #[inline]
    pub const fn is_const(self) -> bool {
        self.0 & Self::CONST != 0
    }
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & !Self::CONST) as usize
    }
    /// Operand of the `n`-th scalar after this one.
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0 + n)
    }
}

/// A scalar of a type in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Bytes from the start of the value.
    pub off: u32,
    /// Width in bits; 0 for a scalar without a model (80-bit floats and the like).
    pub bits: u8,
}

impl Leaf {
    pub const fn bytes(self) -> u32 {
        (self.bits as u32).div_ceil(8)
    }
}

/// Memory layout of a type.
#[derive(Clone, Debug)]
pub struct TypeLayout {
    pub leaves: Vec<Leaf>,
    /// Bytes that a load or store of the type touches.
    pub bytes: u64,
}

/// Floating-point comparison: ordered ones are false with a NaN, unordered ones true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatPred {
    pub unordered: bool,
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
}

impl FloatPred {
    /// Parses LLVM's name; `None` if LLVM has no such predicate.
    pub fn parse(name: &str) -> Option<Self> {
        let p = |unordered, less, equal, greater| Some(Self { unordered, less, equal, greater });
        match name {
            "false" => p(false, false, false, false),
            "oeq" => p(false, false, true, false),
            "ogt" => p(false, false, false, true),
            "oge" => p(false, false, true, true),
            "olt" => p(false, true, false, false),
            "ole" => p(false, true, true, false),
            "one" => p(false, true, false, true),
            "ord" => p(false, true, true, true),
            "uno" => p(true, false, false, false),
            "ueq" => p(true, false, true, false),
            "ugt" => p(true, false, false, true),
            "uge" => p(true, false, true, true),
            "ult" => p(true, true, false, false),
            "ule" => p(true, true, true, false),
            "une" => p(true, true, false, true),
            "true" => p(true, true, true, true),
            _ => None,
        }
    }
    pub fn holds(self, a: f64, b: f64) -> bool {
        match a.partial_cmp(&b) {
            None => self.unordered,
            Some(std::cmp::Ordering::Less) => self.less,
            Some(std::cmp::Ordering::Equal) => self.equal,
            Some(std::cmp::Ordering::Greater) => self.greater,
        }
    }
}

/// Target of a call.
#[derive(Clone, Debug)]
pub enum CallTarget {
    Body(FuncRef),
    /// A function whose body runs after the ranges that it is given were checked.
    Algorithm(FuncRef),
    /// A function with a model.
    Model(ConcreteModel),
    /// A function without body or model.
    Unknown,
    /// A call through a pointer.
    Indirect(Opd),
}

/// Operand of a call with its number of scalars.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub opd: Opd,
    pub slots: u32,
    /* bits of a scalar; 0 for aggregates */ pub bits: u8,
    pub float: bool,
}

pub struct CallInfo {
    pub callee: CallTarget,
    /// Function that the call names, if it is direct.
    pub target: Option<FuncRef>,
    pub args: Vec<Arg>,
    pub dst: u32,
    pub slots: u32,
}

/// Machine instruction. `d` is a register of the frame.
pub enum I {
    Mov {
        d: u32,
        s: Opd,
    },
    Int {
        op: BinOp,
        w: u8,
        d: u32,
        a: Opd,
        b: Opd,
    },
    Float {
        op: BinOp,
        w: u8,
        d: u32,
        a: Opd,
        b: Opd,
    },
    /// 128-bit arithmetic: two registers per operand, low half first.
    Wide {
        op: BinOp,
        d: u32,
        a: Opd,
        b: Opd,
    },
    Icmp {
        pred: Pred,
        w: u8,
        d: u32,
        a: Opd,
        b: Opd,
    },
    IcmpWide {
        pred: Pred,
        d: u32,
        a: Opd,
        b: Opd,
    },
    Fcmp {
        pred: FloatPred,
        w: u8,
        d: u32,
        a: Opd,
        b: Opd,
    },
    FNeg {
        w: u8,
        d: u32,
        a: Opd,
    },
    Cast {
        op: CastOp,
        from: u8,
        to: u8,
        d: u32,
        a: Opd,
    },
    /// Converts a shared-memory address to an integer in the shared window, or back.
    Window {
        to_number: bool,
        d: u32,
        a: Opd,
    },
    /// Conversion from or to 128 bits.
    CastWide {
        op: CastOp,
        from: u8,
        to: u8,
        d: u32,
        a: Opd,
    },
    /// Reinterprets the bytes of one layout as another.
    Repack {
        d: u32,
        a: Opd,
        from: u32,
        to: u32,
    },
    Select {
        d: u32,
        c: Opd,
        a: Opd,
        b: Opd,
    },
    /// `base + off` bytes.
    Offset {
        d: u32,
        base: Opd,
        off: i64,
    },
    /// `base + index * stride` bytes, the index sign-extended from `w` bits.
    Index {
        d: u32,
        base: Opd,
        index: Opd,
        w: u8,
        stride: i64,
    },
    Load {
        d: u32,
        p: Opd,
        bits: u8,
    },
    /// Load of a pointer.
    LoadPointer {
        d: u32,
        p: Opd,
    },
    LoadMany {
        d: u32,
        p: Opd,
        layout: u32,
    },
    Store {
        p: Opd,
        v: Opd,
        bits: u8,
    },
    StoreMany {
        p: Opd,
        v: Opd,
        layout: u32,
    },
    Atomic {
        op: AtomicOp,
        bits: u8,
        d: u32,
        p: Opd,
        v: Opd,
    },
    CmpXchg {
        bits: u8,
        d: u32,
        p: Opd,
        expected: Opd,
        new: Opd,
    },
    MemCopy {
        dst: Opd,
        src: Opd,
        len: Opd,
    },
    MemSet {
        dst: Opd,
        byte: Opd,
        len: Opd,
    },
    /// Creates a stack object of `count` elements with `elem` bytes each, aligned to `align` bytes.
    Alloca {
        d: u32,
        elem: u64,
        align: u32,
        count: Opd,
        name: u32,
    },
    /// Reads element `index`, `stride` scalars long, of a vector of `n` scalars.
    Extract {
        d: u32,
        vec: Opd,
        n: u32,
        stride: u32,
        index: Opd,
    },
    Insert {
        d: u32,
        n: u32,
        stride: u32,
        index: Opd,
        v: Opd,
    },
    /// Makes `n` registers from `d` on poison.
    Poison {
        d: u32,
        n: u32,
        s: Opd,
    },
    /// Makes the object uninitialised again.
    Fresh {
        p: Opd,
    },
    Assume {
        c: Opd,
    },
    Call {
        info: u32,
    },
    Asm {
        info: u32,
    },
    /// Loop entry: saves the step count in a register.
    Enter {
        d: u32,
    },
    /// Back edge to the loop header `header`.
    Back {
        d: u32,
        header: u32,
    },
    Jump {
        pc: u32,
    },
    Branch {
        c: Opd,
        yes: u32,
        no: u32,
    },
    Switch {
        v: Opd,
        info: u32,
    },
    Ret {
        v: Opd,
        n: u32,
    },
    Unreachable,
    /// Terminator that the machine does not model.
    Stuck {
        why: Opd,
    },
}

pub struct SwitchInfo {
    pub default: u32,
    pub cases: FxHashMap<u64, u32>,
}

pub struct AsmInfo {
    pub text: Rc<str>,
    pub args: Vec<Arg>,
    /// Device accesses of the statement.
    pub accesses: Vec<ModelledAccess>,
    /// Index of the argument whose address, as an integer in the shared window, is the result.
    pub shared_address: Option<usize>,
    /// Special register whose contents are the result, as the NVVM intrinsics spell it.
    pub special_register: Option<String>,
    /// Instruction of the statement that ends the thread, if there is one.
    pub ending: Option<EndingInstruction>,
    /// Other threads that the statement waits for.
    pub waiting: Option<WaitEvent>,
    pub constraints: Rc<str>,
    pub dst: u32,
    pub slots: u32,
}

/// A function that is ready to run in one machine.
pub struct FunctionCode {
    pub flat: Rc<FlatFunction>,
    /// Execution count of each memory access.
    pub hits: Vec<Cell<u64>>,
    pub consts: Vec<Val>,
}

impl Deref for FunctionCode {
    type Target = FlatFunction;
    fn deref(&self) -> &FlatFunction {
        &self.flat
    }
}

/// A constant whose value differs between machines.
pub enum Relocation {
    /// Scalars of a constant that holds an address or has no model.
    Scalars { module: ModuleId, constant: Const, ty: TypeId },
    /// Poison with this reason.
    Poison(String),
}

/// Flat form of a function, the same for every run of its program.
pub struct FlatFunction {
    pub func: FuncRef,
    pub insts: Vec<I>,
    /// Block and instruction of the analysis form for each flat instruction.
    pub places: Vec<(u32, u32)>,
    /// Constants; a machine fills in the relocated ones when it takes the code.
    pub consts: Vec<Val>,
    /// Relocations by the index of their first constant.
    pub relocations: Vec<(usize, Relocation)>,
    pub regs: u32,
    /// Number of parameter registers, which are the first ones.
    pub param_slots: u32,
    /// Parameters that point to a copy: register and size in bytes.
    pub byval: Vec<(u32, u64)>,
    pub layouts: Vec<TypeLayout>,
    pub calls: Vec<CallInfo>,
    pub switches: Vec<SwitchInfo>,
    pub asms: Vec<AsmInfo>,
    pub names: Vec<Rc<str>>,
    pub block_pc: Vec<u32>,
    /// First register and number of registers of each value of the function.
    pub values: Vec<(u32, u32)>,
    /// Registers of promoted variables.
    pub promoted: FxHashMap<ValueId, u32>,
    /// Register that holds the step count at the entry of the loop with this header.
    pub loop_regs: FxHashMap<BlockId, u32>,
    pub flow: Flow,
}

impl FlatFunction {
    pub fn block_of(&self, pc: usize) -> BlockId {
        BlockId(self.places.get(pc).map_or(0, |p| p.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_predicates_treat_nan_as_llvm_does() {
        let h = |p, a, b| FloatPred::parse(p).unwrap().holds(a, b);
        assert!(h("olt", 1.0, 2.0) && !h("olt", f64::NAN, 2.0) && h("ult", f64::NAN, 2.0));
        assert!(h("une", f64::NAN, f64::NAN) && !h("one", f64::NAN, 1.0) && h("uno", f64::NAN, 1.0));
        assert!(h("ord", 1.0, 1.0) && FloatPred::parse("nonsense").is_none());
    }

    #[test]
    fn instructions_stay_small() {
        assert!(std::mem::size_of::<I>() <= 32, "{}", std::mem::size_of::<I>());
    }
}
