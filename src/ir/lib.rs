//! The analysis form: one small, serialisable control-flow-graph form that every front end lowers
//! to and every later room reads.
//!
//! In: nothing (the front ends construct it). Out: [`Module`] per side of a translation unit and
//! [`Program`], the modules of one program linked by symbol name. It knows neither LLVM nor Z3.
//!
//! It follows unoptimised LLVM IR (LLVM 22) closely: source variables are [`Op::Alloca`]s, a source
//! access is a [`Op::Load`] or [`Op::Store`] of its own, so that "one access in the source" survives.

pub mod cfg;
mod entry_points;
pub mod initialisers;
mod instruction;
pub mod intrinsic;
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
pub mod tile;
mod units;
mod variables;

pub use instruction::{AtomicOp, BinOp, Callee, CastOp, Op, Operand, Pred, Step, Terminator, Var};
pub use outside::Outside;
pub use program::{FuncRef, GlobalRef, ModuleId, Program, SourceLoc};
pub use shape::LaunchShape;
pub use signature::{LIBRARY_MODEL, Plain, element_name, plain_number, pointee_name, source_name};
pub use tile::{TileAccess, TileCode};
pub use units::{Bytes, Elements};

use serde::{Deserialize, Serialize};

/// Changes whenever the serialised form changes; part of every fact file's key.
pub const FORMAT_VERSION: u32 = 16;

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
    /// Allocation size (array stride); 0 for void, functions and opaque types.
    pub size: Bytes,
    pub align: u32,
    /// A structure as the source calls it, template arguments included (`cuda::std::span<float, 4UL>`), where debug information tells which
    /// it is.
    pub source: Option<String>,
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
    /// Something that is never loaded or stored by us (label, token, metadata, x86_fp80, scalable…).
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub offset: u64,
    pub ty: TypeId,
    /// Its name in the source: empty where it has none there (base classes, anonymous members), `None` where it is not known.
    pub name: Option<String>,
    /// Its type in the source, where debug information tells it.
    pub declared: Option<Declared>,
}

/// What the source says of a type that LLVM's has not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Declared {
    /// As C++ spells it: `const float *`.
    pub type_name: String,
    /// For integers, and arrays of them: unsigned?
    pub unsigned: bool,
    /// For pointers, and arrays of them: bytes of what it points to, where that has a size that is known.
    pub pointee: Option<u64>,
    /// How many elements a pointer leads to at least, where `SCUBA_COUNTED_BY` says it: a term over members beside it.
    pub counted_by: Option<Counted>,
    /// Only functions of its class and its friends name it.
    pub private: bool,
}

/// What `SCUBA_COUNTED_BY` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    pub text: String,
    /// Of some access of the member: where it is stated is not kept.
    pub loc: LocId,
}

/// What stands before the names of files that the front end itself adds to a unit.
pub const ADDED: &str = "<scuba>/";

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

/// Why a module may be another program than the one that is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Doubt {
    /// One line.
    pub words: String,
    /// The name of the file that asks what compilers answer differently: code that depends on it is likely there. `None`: any code may.
    pub file: Option<String>,
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
    /// Device code that is linked with that of other units (`-rdc=true`). Otherwise the unit is a device program of its own.
    pub relocatable: bool,
    /// Where this may be another program than the one that is compiled.
    pub doubts: Vec<Doubt>,
    pub types: Vec<TypeDef>,
    pub files: Vec<SourceFile>,
    pub locs: Vec<Loc>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute, lexically normalised path; [`ADDED`] and a name for what the front end itself adds to a unit.
    pub path: String,
    /// True where it is not the user's own: [`frontend::own`] says when.
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
    /// A number as a pointer of this type.
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
    /// What its source states of whoever calls it (`SCUBA_REQUIRES` of scuba.h).
    pub requires: Vec<Stated>,
    /// `__launch_bounds__` / reqntid where given: most threads per block.
    pub max_threads: Option<u32>,
    /// What its attributes fix of its launches.
    pub shape: LaunchShape,
    /// The accesses of a tile kernel, which has no body here.
    pub tile: Option<TileCode>,
    pub loc: LocId,
}

impl Function {
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A condition as it stands in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    pub text: String,
    pub loc: LocId,
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
    /// The class of an object that is passed by the address of a copy, since it has a copy constructor or destructor of its own (Itanium C++
    /// ABI, 3.1.2.3), as the source spells it.
    pub class: Option<String>,
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
    /// Whether a person may mean this function by `name`: its symbol, or its qualified name with or without parameters.
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
    /// The source name of a structure's member; see [`Field::name`].
    #[must_use]
    pub fn member_name(&self, of: TypeId, field: u32) -> Option<&str> {
        match &self.ty(of).kind {
            TypeKind::Struct { fields, .. } => fields.get(field as usize)?.name.as_deref(),
            _ => None,
        }
    }
    /// A member by its name in the source, with its byte: one of a base, or of a structure without a name, counts as the whole's own.
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
    /// The type that the source calls so, where it is a structure, a number of C's or a pointer; qualifiers mean nothing. An instance of a
    /// template is one of which it is known that it is that one.
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
            Some(signature::Plain::Int { bits, .. }) => found(&|t| t.kind == TypeKind::Int(bits)),
            Some(signature::Plain::Float(bits)) => found(&|t| t.kind == TypeKind::Float(bits)),
            None => found(&|t| match &t.kind {
                TypeKind::Struct { name: Some(n), fields } if !fields.is_empty() => match name.contains('<') {
                    true => t.source.as_deref() == Some(name),
                    false => source_name(n) == name,
                },
                _ => false,
            }),
        }
    }
    /// Whether a structure of this name and size is a member, a base or an element of a type, at any depth, or may lie in a union or among
    /// characters that it has (C++ [intro.object]).
    #[must_use]
    pub fn has_part(&self, ty: TypeId, name: &str, size: Bytes) -> bool {
        let is_it = |of: TypeId| {
            matches!(&self.ty(of).kind, TypeKind::Struct { name: Some(n), .. } if source_name(n) == name)
                || self.has_part(of, name, size)
        };
        match &self.ty(ty).kind {
            // LLVM knows one member of it; none is larger than the whole.
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
