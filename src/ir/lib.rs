//! The analysis form: one small, serialisable control-flow graph that every front end produces and every later crate
//! reads.
//!
//! In: nothing (the front ends construct it). Out: [`Module`] for each side of a translation unit, and [`Program`], the
//! modules of one program linked by symbol name. It knows neither LLVM nor Z3.
//!
//! It follows unoptimised LLVM IR (LLVM 22) closely: source variables are [`Op::Alloca`]s, and each access in the
//! source has its own [`Op::Load`] or [`Op::Store`], so that "one access in the source" survives.

pub mod cfg;
mod entry_points;
pub mod initialised_once;
pub mod initialisers;
mod initialising_calls;
mod instruction;
pub mod intrinsic;
pub mod launched;
mod opaque;
mod operands;
mod outside;
mod program;
pub mod reach;
#[doc(hidden)]
pub mod reference;
pub mod registered;
mod shape;
pub mod shared;
mod signature;
mod stub;
mod text;
pub mod thread_locals;
pub mod tile;
mod units;
mod variables;
mod waiting;

pub use instruction::{AddressStep, AtomicOp, BinOp, Callee, CastOp, Op, Operand, Pred, Terminator, Var};
pub use outside::OutsideEffects;
pub use program::{FuncRef, GlobalRef, ModuleId, Program, SourceLoc};
pub use shape::LaunchShape;
pub use signature::{
    ArithmeticType, CONCRETE_MODEL, CONVERSION, LIBRARY_MODEL, element_name, plain_number, pointee_name, source_name,
};
pub use tile::{TileAccess, TileCode};
pub use units::{Bytes, Elements};
pub use waiting::{kernels_may_wait, learns_of_threads, streams_call_program};

use serde::{Deserialize, Serialize};

/// Version of the serialised form, raised at each change of it; part of every fact file's key.
pub const FORMAT_VERSION: u32 = 22;

macro_rules! index {
    ($(#[$m:meta])* $name:ident) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// Index into the table as `usize`.
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

/// Side of a CUDA translation unit.
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

/// A type with its layout. Sizes and alignments are in bytes, as LLVM's data layout gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeDef {
    pub kind: TypeKind,
    /// Allocation size (array stride); 0 for void, functions and opaque types.
    pub size: Bytes,
    pub align: u32,
    /// Source spelling of a structure type, template arguments included (`cuda::std::span<float, 4UL>`), where debug
    /// information identifies it.
    pub source: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeKind {
    Void,
    /// Integer; the number is its width in bits.
    Int(u32),
    /// IEEE (or bfloat) floating point; the number is its width in bits.
    Float(u32),
    /// Pointer; the number is its address space.
    Ptr(u32),
    Array {
        elem: TypeId,
        count: Elements,
    },
    /// SIMD vector; elements are packed.
    Vector {
        elem: TypeId,
        count: Elements,
    },
    Struct {
        name: Option<String>,
        fields: Vec<Field>,
    },
    /// A type whose values the analysis never loads or stores (label, token, metadata, x86_fp80, scalable…).
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub offset: u64,
    pub ty: TypeId,
    /// Source name: empty for base classes and anonymous members, `None` where unknown.
    pub name: Option<String>,
    /// Source type, where debug information gives it.
    pub declared: Option<SourceTypeFacts>,
}

/// Facts of a source type that LLVM's type lacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceTypeFacts {
    /// C++ spelling: `const float *`.
    pub type_name: String,
    /// True for unsigned integers and arrays of them.
    pub unsigned: bool,
    /// Pointee size in bytes, for pointers and arrays of pointers whose pointee has a known size.
    pub pointee: Option<u64>,
    /// Least number of elements behind a pointer, as stated by `SCUBA_COUNTED_BY`: a term over sibling members.
    pub counted_by: Option<CountedBy>,
    /// True for a private member: only member functions of its class and friends can name it.
    pub private: bool,
}

/// The count of a `SCUBA_COUNTED_BY`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountedBy {
    pub text: String,
    /// Location of some access of the member: the location of the statement itself is not kept.
    pub loc: LocId,
}

/// Prefix of the names of files that the front end itself adds to a unit.
pub const ADDED: &str = "<scuba>/";

/// A source position with the chain of call sites through which it was inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc {
    pub file: FileId,
    /// 1-based; 0 where the compiler generated the instruction.
    pub line: u32,
    /// 1-based; 0 where unknown.
    pub column: u32,
    pub inlined_at: Option<LocId>,
}

/// A reason why a module may differ from the program that nvcc compiles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Doubt {
    /// The reason, in one line.
    pub words: String,
    /// Name of the file that tests something which compilers answer differently: code that depends on it is probably
    /// there. `None`: any code may depend on it.
    pub file: Option<String>,
    /// Whether it does differ, so that nothing in the program is safe.
    pub certain: bool,
}

/// Analysis form of one side of a translation unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    pub side: Side,
    /// Main source file as given to the compiler.
    pub source: String,
    /// Front end and its version, e.g. `clang 22.1.8`.
    pub producer: String,
    /// The architecture analysed on the device side, e.g. `sm_80`; empty on the host side.
    pub arch: String,
    /// True where the command defines `NDEBUG` and the source was read without it: its `assert`s are assumptions.
    pub asserts_restored: bool,
    /// True for device code that is linked with other units' (`-rdc=true`). Otherwise the unit is a device program of
    /// its own.
    pub relocatable: bool,
    /// Reasons why this may differ from the program that nvcc compiles.
    pub doubts: Vec<Doubt>,
    pub types: Vec<TypeDef>,
    pub files: Vec<SourceFile>,
    pub locs: Vec<Loc>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute, lexically normalised path; for a file that the front end itself adds to a unit, [`ADDED`] and a name.
    pub path: String,
    /// True where the file is not the user's own, as defined by [`frontend::own`].
    pub system: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linkage {
    /// Visible to other translation units; one strong definition.
    External,
    /// `static`, anonymous namespaces.
    Internal,
    /// Inline functions, template instances: any one of several equivalent definitions.
    Odr,
    /// Explicit instances of templates (`weak_odr`): like [`Self::Odr`], and units without one may refer to it.
    Instance,
    /// Weak or common definitions, which a strong one replaces.
    Weak,
    /// A body for inlining only; the symbol is defined elsewhere (`available_externally`).
    Available,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Mangled symbol.
    pub name: String,
    /// Source name where debug information gives one (`smem`, `s_cubD`), else the demangled symbol.
    pub source_name: String,
    pub ty: TypeId,
    /// Least alignment in bytes; 1 where unknown. A type that is declared with less than its own makes it smaller.
    pub align: u32,
    pub space: u32,
    pub linkage: Linkage,
    /// True for a variable that nobody writes. False for `__constant__` memory: the host may fill it before a launch.
    pub constant: bool,
    /// False for `extern` declarations (dynamic shared memory among them).
    pub defined: bool,
    /// Initial value at program start; absent for declarations. Shared memory starts undefined.
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
    /// An integer as a pointer of this type.
    Address {
        ty: TypeId,
        value: u64,
    },
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
    /// A constant expression that is not modelled; the text says which.
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
    /// Preconditions that the source states for callers (`SCUBA_REQUIRES` of scuba.h).
    pub requires: Vec<SourceCondition>,
    /// Largest number of threads per block, from `__launch_bounds__` or reqntid where given.
    pub max_threads: Option<u32>,
    /// Launch shape that its attributes fix.
    pub shape: LaunchShape,
    /// Accesses of a tile kernel, whose body the analysis lacks.
    pub tile: Option<TileCode>,
    pub loc: LocId,
}

impl Function {
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A condition as written in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCondition {
    pub text: String,
    pub loc: LocId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    pub ty: TypeId,
    /// `byval(T)`: the argument is a pointer to a copy of this type. On the device side a kernel receives structure
    /// parameters this way.
    pub byval: Option<TypeId>,
    /// `sret(T)`: the argument points to memory of this type for the result.
    pub sret: Option<TypeId>,
    /// `dereferenceable(n)`: least number of bytes behind a reference or `this`, given by the pointee type; 0 where
    /// unknown.
    pub dereferenceable: u64,
    /// Alignment in bytes of the address, of a reference, `this` or a copy; 0 where unknown.
    pub align: u32,
    /// Source spelling of the class of an object that is passed by the address of a copy, because it has its own copy
    /// constructor or destructor (Itanium C++ ABI, 3.1.2.3).
    pub class: Option<String>,
    /// Name of the class that the parameter is, or that it points or refers to; aliases are resolved.
    pub of_class: Option<String>,
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

impl Function {
    /// Whether a user may mean this function by `name`: its symbol, or its qualified name with or without parameters.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        name == self.name || name == self.display || self.display.split('(').next() == Some(name)
    }
}

impl Module {
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &TypeDef {
        &self.types[id.index()]
    }
    #[must_use]
    pub fn size_of(&self, id: TypeId) -> Bytes {
        self.types[id.index()].size
    }
    /// Returns the source name of a structure member; see [`Field::name`].
    #[must_use]
    pub fn member_name(&self, of: TypeId, field: u32) -> Option<&str> {
        match &self.ty(of).kind {
            TypeKind::Struct { fields, .. } => fields.get(field as usize)?.name.as_deref(),
            _ => None,
        }
    }
    /// Finds a member by its source name, with its byte offset. Members of bases and of unnamed structures are found
    /// too.
    #[must_use]
    pub fn member(&self, of: TypeId, name: &str) -> Option<(u64, &Field)> {
        let TypeKind::Struct { fields, .. } = &self.ty(of).kind else { return None };
        let own = fields.iter().find(|f| f.name.as_deref() == Some(name)).map(|f| (f.offset, f));
        let inherited = || {
            let unnamed = fields.iter().filter(|f| f.name.as_deref() == Some(""));
            unnamed.into_iter().find_map(|base| self.member(base.ty, name).map(|(at, f)| (base.offset + at, f)))
        };
        own.or_else(inherited)
    }
    /// Finds the type with this source name if it is a structure, a C arithmetic type or a pointer; qualifiers are
    /// ignored. A template instance is found only where its exact source spelling is known.
    #[must_use]
    pub fn type_named(&self, name: &str) -> Option<TypeId> {
        let mut name = name.trim();
        for word in ["const ", "volatile ", "struct ", "class ", "union "] {
            name = name.strip_prefix(word).unwrap_or(name).trim_start();
        }
        let found = |is: &dyn Fn(&TypeDef) -> bool| {
            self.types.iter().position(is).and_then(|i| u32::try_from(i).ok()).map(TypeId)
        };
        if name.ends_with('*') {
            return found(&|t| matches!(t.kind, TypeKind::Ptr(0)));
        }
        match signature::plain_number(name) {
            Some(signature::ArithmeticType::Int { bits, .. }) => found(&|t| t.kind == TypeKind::Int(bits)),
            Some(signature::ArithmeticType::Float(bits)) => found(&|t| t.kind == TypeKind::Float(bits)),
            None => found(&|t| match &t.kind {
                TypeKind::Struct { name: Some(n), fields } if !fields.is_empty() => match name.contains('<') {
                    true => t.source.as_deref() == Some(name),
                    false => source_name(n) == name,
                },
                _ => false,
            }),
        }
    }
    /// Whether a structure of this name and size is a member, a base or an element of a type, at any depth, or may lie
    /// in one of its unions or character arrays (C++ [intro.object]).
    #[must_use]
    pub fn has_part(&self, ty: TypeId, name: &str, size: Bytes) -> bool {
        let is_it = |of: TypeId| {
            matches!(&self.ty(of).kind, TypeKind::Struct { name: Some(n), .. } if source_name(n) == name)
                || self.has_part(of, name, size)
        };
        match &self.ty(ty).kind {
            // LLVM knows one member of a union; no member is larger than the union.
            TypeKind::Struct { name: Some(n), .. } if n.starts_with("union.") => self.size_of(ty) >= size,
            TypeKind::Struct { fields, .. } => fields.iter().any(|f| is_it(f.ty)),
            TypeKind::Array { elem, .. } if self.ty(*elem).kind == TypeKind::Int(8) => self.size_of(ty) >= size,
            TypeKind::Array { elem, .. } | TypeKind::Vector { elem, .. } => is_it(*elem),
            _ => false,
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
