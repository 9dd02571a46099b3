//! The analysis form: one small, serialisable control-flow-graph form that every front end lowers
//! to and every later room reads.
//!
//! In: nothing (the front ends construct it). Out: [`Module`] per side of a translation unit and
//! [`Program`], the modules of one program linked by symbol name. It knows neither LLVM nor Z3.
//!
//! It follows unoptimised LLVM IR (LLVM 22) closely: source variables are [`Op::Alloca`]s, a source
//! access is a [`Op::Load`] or [`Op::Store`] of its own, so that "one access in the source" survives.

pub mod cfg;
pub mod intrinsic;
mod operands;
mod program;
pub mod reach;
#[cfg(test)]
pub(crate) mod reference;
pub mod shared;
mod stub;
mod text;

pub use program::{FuncRef, GlobalRef, ModuleId, Program, SourceLoc};

use serde::{Deserialize, Serialize};

/// Changes whenever the serialised form changes; part of every fact file's key.
pub const FORMAT_VERSION: u32 = 4;

macro_rules! index {
    ($(#[$m:meta])* $name:ident) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this indexes.
            #[must_use]
            pub fn index(self) -> usize { self.0 as usize }
        }
    };
}
index!(/// Index into [`Module::types`].
    TypeId);
index!(/// Index into [`Module::functions`].
    FuncId);
index!(/// Index into [`Module::globals`].
    GlobalId);
index!(/// Index into [`Function::blocks`].
    BlockId);
index!(/// A value of a function: parameters come first (0..params.len()), then instruction results.
    ValueId);
index!(/// Index into [`Module::locs`]; `LocId(0)` is always "no location".
    LocId);
index!(/// Index into [`Module::files`].
    FileId);

/// Which half of a CUDA translation unit a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    Host,
    Device,
}

/// LLVM's address spaces on NVPTX (NVPTX usage guide, LLVM 22).
pub mod space {
    pub const GENERIC: u32 = 0;
    pub const GLOBAL: u32 = 1;
    pub const SHARED: u32 = 3;
    pub const CONSTANT: u32 = 4;
    pub const LOCAL: u32 = 5;
}

/// A type with its layout; sizes and alignments in bytes, as LLVM's data layout gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeDef {
    pub kind: TypeKind,
    /// Allocation size in bytes (array stride); 0 for void, functions and opaque types.
    pub size: u64,
    pub align: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeKind {
    Void,
    /// Integer of so many bits.
    Int(u32),
    /// IEEE (or bfloat) floating point of so many bits.
    Float(u32),
    /// Pointer with its address space.
    Ptr(u32),
    Array {
        elem: TypeId,
        count: u64,
    },
    /// SIMD vector; elements are packed.
    Vector {
        elem: TypeId,
        count: u32,
    },
    Struct {
        name: Option<String>,
        fields: Vec<Field>,
    },
    /// Something that is never loaded or stored by us (label, token, metadata, x86_fp80, scalable…).
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub offset: u64,
    pub ty: TypeId,
    /// Its name in the source: empty where it has none there (base classes, anonymous members), `None` where it is not known.
    pub name: Option<String>,
}

/// A source position with the chain of call sites through which it was inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc {
    pub file: FileId,
    /// 1-based; 0 where the compiler made the instruction up.
    pub line: u32,
    /// 1-based; 0 where unknown.
    pub column: u32,
    pub inlined_at: Option<LocId>,
}

/// One side of one translation unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    pub side: Side,
    /// Main source file as given to the compiler.
    pub source: String,
    /// Which front end made it, with its version, e.g. `clang 22.1.8`.
    pub producer: String,
    /// The architecture analysed on the device side, e.g. `sm_80`; empty on the host side.
    pub arch: String,
    /// The command defines `NDEBUG`, and the source was read as if it did not: its `assert`s are assumptions.
    pub asserts_restored: bool,
    pub types: Vec<TypeDef>,
    pub files: Vec<SourceFile>,
    pub locs: Vec<Loc>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute, lexically normalised path.
    pub path: String,
    /// True where the front end saw it through `-isystem`, the toolkit or the compiler's own headers.
    pub system: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linkage {
    /// Visible to other translation units; one strong definition.
    External,
    /// `static`, anonymous namespaces.
    Internal,
    /// Inline functions, template instances: any one of equal definitions.
    Odr,
    /// Weak or common definitions that a strong one replaces.
    Weak,
    /// A body given for inlining only, the symbol is defined elsewhere (`available_externally`).
    Available,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Mangled symbol.
    pub name: String,
    /// Source name where debug information gives one (`smem`, `s_cubD`), else the demangled symbol.
    pub source_name: String,
    pub ty: TypeId,
    pub space: u32,
    pub linkage: Linkage,
    /// Never written by anyone. `__constant__` memory is none: the host may fill it before a launch.
    pub constant: bool,
    /// False for `extern` declarations (dynamic shared memory among them).
    pub defined: bool,
    /// What it holds when the program starts; absent for declarations. Shared memory starts undefined.
    pub init: Option<Const>,
    pub loc: LocId,
}

/// A constant of any type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Const {
    /// Two's-complement bits, sign-extended from `bits`.
    Int {
        bits: u32,
        value: i128,
    },
    /// The bit pattern, zero-extended.
    Float {
        bits: u32,
        value: u64,
    },
    /// Null pointer, all-zero aggregate or vector.
    Zero(TypeId),
    Undef(TypeId),
    /// Address of a global plus a byte offset (constant GEPs and address space casts folded in).
    Global {
        id: GlobalId,
        offset: i64,
    },
    Func(FuncId),
    /// Elements of an array, vector or structure, in order.
    Aggregate {
        ty: TypeId,
        elems: Vec<Const>,
    },
    /// Array of bytes (strings and other data), in order.
    Bytes {
        ty: TypeId,
        data: Vec<u8>,
    },
    /// A constant expression that we do not model; the text says which.
    Opaque {
        ty: TypeId,
        what: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Mangled symbol.
    pub name: String,
    /// Demangled with parameter types, as shown to users: `scale(float*, int)`.
    pub display: String,
    pub linkage: Linkage,
    /// A `__global__` function (device side).
    pub kernel: bool,
    pub variadic: bool,
    /// Declared `noreturn`.
    pub noreturn: bool,
    pub ret: TypeId,
    pub params: Vec<Param>,
    /// Empty for declarations. Block 0 is the entry.
    pub blocks: Vec<Block>,
    /// Number of values: parameters and instruction results.
    pub values: u32,
    /// `__launch_bounds__` / reqntid where given: most threads per block.
    pub max_threads: Option<u32>,
    pub loc: LocId,
}

impl Function {
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    pub ty: TypeId,
    /// `byval(T)`: the argument is a pointer to a copy of this type. On the device side a kernel's structure
    /// parameter arrives so.
    pub byval: Option<TypeId>,
    /// `sret(T)`.
    pub sret: Option<TypeId>,
    /// `dereferenceable(n)`: bytes that a reference or `this` points to at least, those of its type; 0 where nothing is said.
    pub dereferenceable: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    pub name: String,
    pub insts: Vec<Inst>,
    pub term: Terminator,
    pub term_loc: LocId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inst {
    /// `None` for instructions without a result.
    pub result: Option<ValueId>,
    /// Type of the result (`Void` without one).
    pub ty: TypeId,
    pub op: Op,
    pub loc: LocId,
}

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
    /// For integers (after stripping typedefs and qualifiers): unsigned?
    pub unsigned: bool,
    /// 1-based parameter number where the variable is a parameter.
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

/// One step of an address computation, left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// Member number `field` of the structure type `of`; `ty` is the member's own type.
    Field { offset: u64, field: u32, ty: TypeId, of: TypeId },
    /// `index * stride` bytes; `count` is the dimension's length when stepping inside an array type.
    Index { index: Operand, stride: u64, count: Option<u64> },
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
    /// `align`: what the address is a multiple of, in bytes; 0 where the front end does not say.
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
        steps: Vec<Step>,
        inbounds: bool,
    },
    /// `nsw`/`nuw` as the front end gave them: clang gives `nsw` to signed source arithmetic.
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
    /// `nneg`: the front end takes the value not to be negative, so that either extension gives the same. LLVM says so of
    /// zero extensions; cgeist, which extends every subscript by the sign, of those that may be unsigned.
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
    /// Inline assembly: the text, constraint string and operands.
    Asm {
        text: String,
        constraints: String,
        args: Vec<Operand>,
        side_effects: bool,
    },
    /// `llvm.memcpy`, `llvm.memmove`.
    /// `align`: of the destination and of the source, as for loads.
    MemCopy {
        dst: Operand,
        src: Operand,
        len: Operand,
        align: [u32; 2],
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
    /// Mask entries of -1 are undefined.
    Shuffle {
        a: Operand,
        b: Operand,
        mask: Vec<i32>,
    },
    Freeze(Operand),
    Fence,
    /// `llvm.assume` and `__builtin_assume`.
    Assume(Operand),
    /// Start or end of an alloca's life.
    Lifetime {
        start: bool,
        ptr: Operand,
    },
    /// An instruction that we do not model; its name is the reason given to users.
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
    /// `resume`, `unreachable` after a throw, cleanup returns.
    Unreachable,
    /// `indirectbr`, `callbr`, Windows funclets: not followed.
    Other(String),
}

impl Function {
    /// Whether a person may mean this function by `name`: its symbol, or its qualified name with or without parameters.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        name == self.name || name == self.display || self.display.split('(').next() == Some(name)
    }
}

impl Terminator {
    /// Successor blocks in order, duplicates kept.
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

impl Module {
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &TypeDef {
        &self.types[id.index()]
    }
    #[must_use]
    pub fn size_of(&self, id: TypeId) -> u64 {
        self.types[id.index()].size
    }
    /// The source name of a structure's member; see [`Field::name`].
    #[must_use]
    pub fn member_name(&self, of: TypeId, field: u32) -> Option<&str> {
        match &self.ty(of).kind {
            TypeKind::Struct { fields, .. } => fields.get(field as usize)?.name.as_deref(),
            _ => None,
        }
    }
    #[must_use]
    pub fn func(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }
    #[must_use]
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }
}
