//! Abstract syntax of contracts.
//!
//! In: nothing. Out: terms ([`ContractTerm`]: integers, pointers, objects) and conditions ([`Cond`]), each with its position
//! in the text. The crate's root documents their semantics. Equality and order only compare the syntax, not positions
//! and sorts.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Byte range of the text, `start..end`; `0..0` if the syntax tree was not parsed from text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(r: std::ops::Range<usize>) -> Self {
        Self { start: r.start, end: r.end }
    }
}

/// Sort of a term's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sort {
    /// Unknown from the syntax alone, as for a bare name; [`crate::resolve()`] finds it.
    Unresolved,
    Integer,
    /// Pointers, and arrays, which decay to a pointer to their first element.
    Pointer,
    /// A struct, a tensor, or another value that is neither integer nor pointer.
    Object,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContractTerm {
    pub kind: TermKind,
    pub span: Span,
    pub sort: Sort,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TermKind {
    /// Nonnegative integer: `-3` is the negation of 3.
    Int(i128),
    /// `nullptr`, `NULL`.
    Null,
    /// A parameter, a constant, a member of the type (in an invariant) or a variable of `forall`; may contain `::`.
    Name(String),
    Launch(LaunchProperty),
    /// `a.b`, `a->b`.
    Member(Box<ContractTerm>, MemberOperator, String),
    /// `a.b(c)`, `a->b(c)`.
    Method(Box<ContractTerm>, MemberOperator, String, Vec<ContractTerm>),
    Subscript(Box<ContractTerm>, Box<ContractTerm>),
    Deref(Box<ContractTerm>),
    Apply(ContractFunction, Vec<ContractTerm>),
    /// Size of a type in bytes. The type is spelled as in C, with single spaces.
    SizeOf(String),
    Cast(WideType, Box<ContractTerm>),
    Unary(UnaryOperator, Box<ContractTerm>),
    Binary(Binary, Box<ContractTerm>, Box<ContractTerm>),
    Choice(Box<Cond>, Box<ContractTerm>, Box<ContractTerm>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MemberOperator {
    Dot,
    Arrow,
}

/// Property of a launch configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LaunchProperty {
    /// `gridDim.x`, in blocks.
    Grid(Dim3Member),
    /// `blockDim.x`, in threads.
    Block(Dim3Member),
    /// `dynamicSharedBytes`: the third argument of the launch, in bytes.
    DynamicShared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Dim3Member {
    X,
    Y,
    Z,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContractFunction {
    /// Bytes from a pointer to the end of its object; 0 for a null pointer. Negative past the end.
    Extent,
    /// The extent divided by the element size, rounded down.
    Elements,
    Min,
    Max,
    Abs,
    /// Smallest integer that is at least the exact quotient.
    CeilDiv,
}

impl ContractFunction {
    pub const ALL: [(&'static str, Self); 6] = [
        ("extent", Self::Extent),
        ("elements", Self::Elements),
        ("min", Self::Min),
        ("max", Self::Max),
        ("abs", Self::Abs),
        ("ceil_div", Self::CeilDiv),
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, f)| *f == self).map_or("", |(name, _)| name)
    }

    /// Minimum and maximum number of arguments; the maximum is `usize::MAX` if there is none.
    #[must_use]
    pub fn arity(self) -> (usize, usize) {
        match self {
            Self::Extent | Self::Elements | Self::Abs => (1, 1),
            Self::Min | Self::Max => (2, usize::MAX),
            Self::CeilDiv => (2, 2),
        }
    }
}

/// Integer types of at least 64 bits (LP64). A cast to one prevents wrapping in C, so it has no effect over the
/// mathematical integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WideType {
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int64,
    Uint64,
    Size,
    SignedSize,
    Ptrdiff,
    Intptr,
    Uintptr,
    Int128,
    UnsignedInt128,
}

impl WideType {
    pub const ALL: [(&'static str, Self); 13] = [
        ("long", Self::Long),
        ("unsigned long", Self::UnsignedLong),
        ("long long", Self::LongLong),
        ("unsigned long long", Self::UnsignedLongLong),
        ("int64_t", Self::Int64),
        ("uint64_t", Self::Uint64),
        ("size_t", Self::Size),
        ("ssize_t", Self::SignedSize),
        ("ptrdiff_t", Self::Ptrdiff),
        ("intptr_t", Self::Intptr),
        ("uintptr_t", Self::Uintptr),
        ("__int128", Self::Int128),
        ("unsigned __int128", Self::UnsignedInt128),
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, t)| *t == self).map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UnaryOperator {
    Minus,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    And,
    Xor,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Comparison {
    /// Comparison operator of the negation.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
        }
    }

    /// Comparison operator with `a` and `b` swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            Self::Eq | Self::Ne => self,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cond {
    pub kind: CondKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CondKind {
    Literal(bool),
    Compare(Comparison, Box<ContractTerm>, Box<ContractTerm>),
    /// A bare term: true if it is neither 0 nor null.
    Truth(Box<ContractTerm>),
    Not(Box<Cond>),
    /// Conjunction of at least two conditions that are no `And` themselves: [`Cond::all`].
    And(Vec<Cond>),
    /// Disjunction of at least two conditions that are no `Or` themselves: [`Cond::any`].
    Or(Vec<Cond>),
    Implies(Box<Cond>, Box<Cond>),
    /// Conditional choice. With two bare terms as branches it is instead the `Truth` of a term choice:
    /// [`Cond::choice`].
    Choice(Box<Cond>, Box<Cond>, Box<Cond>),
    Forall(Box<Forall>),
    /// Disjointness of at least two ranges, each from a pointer to the end of its object: no two share a byte.
    Disjoint(Vec<ContractTerm>),
}

/// `forall i in [from, to): body`, or `[from, to]` if `closed`. True for an empty range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Forall {
    pub variable: String,
    pub from: ContractTerm,
    pub to: ContractTerm,
    pub closed: bool,
    pub body: Cond,
}

/// Compares the syntax, not the positions.
macro_rules! compared_by_kind {
    ($($type:ident),*) => { $(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool { self.kind == other.kind }
        }
        impl Eq for $type {}
        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> { Some(self.cmp(other)) }
        }
        impl Ord for $type {
            fn cmp(&self, other: &Self) -> Ordering { self.kind.cmp(&other.kind) }
        }
        impl Hash for $type {
            fn hash<H: Hasher>(&self, state: &mut H) { self.kind.hash(state); }
        }
    )* };
}
compared_by_kind!(ContractTerm, Cond);
