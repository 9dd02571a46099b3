//! Reader for MLIR's generic operation form (MLIR Language Reference, LLVM 17): `"dialect.op"(%operands) … : type`.
//!
//! In: text. Out: a [`MlirModule`] with resolved operands, or a [`MlirSyntaxError`] with line and column. Total: every text gives
//! one of the two. It knows only the built-in types and attributes, no other dialect, and nothing of CUDA.

mod affine;
mod attribute;
mod cursor;
mod operation;
mod types;

pub use affine::{AffineExpr, AffineMap, AffineSet};
pub use cursor::MlirSyntaxError;

use std::collections::BTreeMap;
use std::sync::Arc;

/// A value of the program: block argument or operation result, numbered over the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MlirValue(pub u32);

/// Top-level operations; usually one `builtin.module`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MlirModule {
    pub ops: Vec<MlirOp>,
    /// Number of values.
    pub values: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MlirOp {
    /// Name with dialect: `memref.load`.
    pub name: String,
    pub results: Vec<MlirValue>,
    pub operands: Vec<MlirValue>,
    /// Indices into the blocks of the region that holds the operation.
    pub successors: Vec<usize>,
    /// Inherent attributes (properties) and discardable ones together.
    pub attrs: BTreeMap<String, Attr>,
    pub regions: Vec<MlirRegion>,
    pub operand_types: Vec<Type>,
    pub result_types: Vec<Type>,
    pub loc: MlirLoc,
}

impl MlirOp {
    #[must_use]
    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.get(name)
    }

    /// Returns the dialect part of the name.
    #[must_use]
    pub fn dialect(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// Returns a string attribute, or the name of a symbol reference.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attrs.get(name)? {
            Attr::String(s) | Attr::Symbol(s) => Some(s),
            _ => None,
        }
    }

    #[must_use]
    pub fn int(&self, name: &str) -> Option<i128> {
        match self.attrs.get(name)? {
            Attr::Int(v, _) => Some(*v),
            Attr::Bool(b) => Some(i128::from(*b)),
            _ => None,
        }
    }

    /// Returns the operands grouped by `operandSegmentSizes` (or its older spelling).
    #[must_use]
    pub fn segments(&self) -> Option<Vec<&[MlirValue]>> {
        let sizes = self.attr("operandSegmentSizes").or_else(|| self.attr("operand_segment_sizes"))?.ints()?;
        let mut rest = self.operands.as_slice();
        let mut out = vec![];
        for n in sizes {
            let n = usize::try_from(n).ok().filter(|n| *n <= rest.len())?;
            let (a, b) = rest.split_at(n);
            out.push(a);
            rest = b;
        }
        Some(out)
    }

    /// Visits this operation and all operations inside it, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a MlirOp)) {
        visit(self);
        for o in self.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.ops) {
            o.walk(visit);
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MlirRegion {
    pub blocks: Vec<MlirBlock>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MlirBlock {
    pub args: Vec<(MlirValue, Type)>,
    pub ops: Vec<MlirOp>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Int(u32),
    Index,
    /// Floating point; the number is its width in bits.
    Float(u32),
    MemRef(Arc<MemRef>),
    Vector {
        shape: Vec<u64>,
        elem: Arc<Type>,
    },
    /// `!llvm.ptr`, with the pointee that versions before 17 write.
    Ptr {
        pointee: Option<Arc<Type>>,
        space: u32,
    },
    /// `!llvm.struct`; `fields` is `None` for opaque ones and for references to an enclosing one.
    Struct {
        name: Option<String>,
        fields: Option<Arc<Vec<Type>>>,
        packed: bool,
    },
    /// `!llvm.array`.
    Array {
        count: u64,
        elem: Arc<Type>,
    },
    Func(Arc<FunctionType>),
    /// `none`, `!llvm.void`.
    Void,
    /// Any other type, as written.
    Other(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemRef {
    /// Dimensions; `None` for a dynamic one.
    pub shape: Vec<Option<u64>>,
    pub elem: Type,
    pub space: u32,
    /// A layout other than the identity, as written.
    pub layout: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionType {
    pub params: Vec<Type>,
    pub results: Vec<Type>,
    pub variadic: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    Unit,
    Bool(bool),
    Int(i128, Option<Type>),
    /// Value, and its type if written.
    Float(f64, Option<Type>),
    /// String whose bytes, such as `\00`, are stored as Latin-1 characters without loss.
    String(String),
    /// Symbol reference; for nested references the last name.
    Symbol(String),
    Array(Vec<Attr>),
    Dict(BTreeMap<String, Attr>),
    Type(Type),
    Map(Arc<AffineMap>),
    Set(Arc<AffineSet>),
    /// `dense<…>`: the elements in order, one for a splat.
    Dense {
        elems: Vec<Attr>,
        ty: Option<Type>,
    },
    Loc(MlirLoc),
    /// Any other attribute, as written: `#gpu<dim x>`.
    Other(String),
}

impl Attr {
    /// Returns the integers of `array<i32: …>`, `[…]` or `dense<…>`.
    #[must_use]
    pub fn ints(&self) -> Option<Vec<i128>> {
        let (Self::Array(v) | Self::Dense { elems: v, .. }) = self else { return None };
        v.iter()
            .map(|a| match a {
                Self::Int(v, _) => Some(*v),
                Self::Bool(b) => Some(i128::from(*b)),
                _ => None,
            })
            .collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum MlirLoc {
    #[default]
    Unknown,
    /// File, 1-based line, 1-based column.
    File(Arc<str>, u32, u32),
    /// Position of the callee, position of the caller.
    Call(Arc<(MlirLoc, MlirLoc)>),
    /// A name defined elsewhere in the text; used only inside the reader.
    Alias(Arc<str>),
}

/// Reads a module from a text.
///
/// # Errors
/// Fails where the text is not a module in generic form; the error has the position.
pub fn read(text: &str) -> Result<MlirModule, MlirSyntaxError> {
    // `cursor::MAX_DEPTH` bounds the nesting; a separate thread makes that bound independent of the caller's stack.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("mlir".into())
            .stack_size(cursor::STACK)
            .spawn_scoped(scope, || operation::module(text));
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(r)) => r,
            Ok(Err(_)) => Err(MlirSyntaxError {
                line: 0,
                column: 0,
                message: "the reader stopped at an unknown construct".into(),
            }),
            Err(e) => Err(MlirSyntaxError { line: 0, column: 0, message: format!("no thread for the reader: {e}") }),
        }
    })
}

#[cfg(test)]
pub(crate) mod tests;
