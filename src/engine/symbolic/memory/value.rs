//! Values of the symbolic executor.

use super::object::ObjId;
use super::partition::PartId;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use ir::FuncRef;
use std::rc::Rc;

/// Objects and functions whose addresses a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Places {
    pub objects: Vec<ObjId>,
    pub functions: Vec<FuncRef>,
}

/// A pointer that could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lost {
    /// Why; shown to users.
    pub reason: Rc<UnknownReason>,
    /// What it points to if to anything. An object stands here for all that its allocation ever made, so that neither an extent nor
    /// contents may be taken from it. `None` where that is not known either.
    pub among: Option<Rc<Places>>,
    /// It was read where nothing has ever been written, or through such a pointer: whoever uses it has gone wrong already.
    pub unset: bool,
}

impl Lost {
    /// One of which nothing is known.
    #[must_use]
    pub fn anywhere(reason: UnknownReason) -> Self {
        Self { reason: Rc::new(reason), among: None, unset: false }
    }
    /// One that was never set: it points to nothing of the program's.
    #[must_use]
    pub fn unset(reason: UnknownReason) -> Self {
        Self { reason: Rc::new(reason), among: Some(Rc::default()), unset: true }
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reason.fmt(f)
    }
}

/// What a pointer points into.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    Object(ObjId),
    Null,
    Func(FuncRef),
    Unknown(Lost),
}

impl Base {
    /// Whether nothing is known of where this is.
    #[must_use]
    pub const fn is_anywhere(&self) -> bool {
        matches!(self, Self::Unknown(Lost { among: None, .. }))
    }
}

/// One place that a pointer may point to, under a condition. Conditions of one pointer exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub cond: TermId,
    pub base: Base,
    /// Bytes from the start of the object, as a 64-bit signed representative.
    pub offset: TermId,
    /// The named part of the object through which the pointer came.
    pub part: Option<PartId>,
}

impl Target {
    /// A place that has no name of its own.
    #[must_use]
    pub const fn new(cond: TermId, base: Base, offset: TermId) -> Self {
        Self { cond, base, offset, part: None }
    }
}

/// A floating-point number: `num / den` of the mathematical integers, rounded as [`Rounding`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    pub num: TermId,
    pub den: i128,
    pub rounding: Rounding,
}

/// How far the machine's number may be from the one that is written down (`terms/floating.rs`). Errors are counted in
/// [`crate::symbolic::terms::floating::UNIT`]s, absolute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    #[default]
    Exact,
    /// A monotone function of it that leaves numbers of up to so many bits as they are: a quotient that was rounded once is on the
    /// same side of each integer as the exact one.
    Monotone { bits: u32, error: i128 },
    /// Anywhere within the error.
    Within(i128),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Representative of an integer of any width but 1.
    Int(TermId),
    /// `i1`, as a boolean term.
    Bool(TermId),
    Ptr(Rc<Vec<Target>>),
    Real(Ratio),
    /// Structures, arrays and vectors in registers.
    Aggregate(Rc<Vec<Value>>),
    /// Not known; the reason is shown to users.
    Unknown(Rc<UnknownReason>),
}

impl Value {
    #[must_use]
    pub fn unknown(reason: UnknownReason) -> Self {
        Self::Unknown(Rc::new(reason))
    }
}

/// Whether nothing in a value is unknown.
pub(in crate::symbolic) fn is_known(v: &Value) -> bool {
    match v {
        Value::Unknown(_) => false,
        Value::Ptr(p) => !p.iter().any(|t| matches!(t.base, Base::Unknown(_))),
        Value::Aggregate(e) => e.iter().all(is_known),
        Value::Int(_) | Value::Bool(_) | Value::Real(_) => true,
    }
}

/// Whether a pointer in a value is one of which nothing is known.
pub(in crate::symbolic) fn has_unknown_pointer(v: &Value) -> bool {
    match v {
        Value::Ptr(p) => p.iter().any(|t| t.base.is_anywhere()),
        Value::Aggregate(e) => e.iter().any(has_unknown_pointer),
        // No pointers.
        Value::Int(_) | Value::Bool(_) | Value::Real(_) | Value::Unknown(_) => false,
    }
}

/// Objects that a value points to.
pub(in crate::symbolic) fn collect(v: &Value, out: &mut Vec<ObjId>) {
    match v {
        Value::Ptr(p) => {
            for t in p.iter() {
                match &t.base {
                    Base::Object(o) => out.push(*o),
                    Base::Unknown(Lost { among: Some(a), .. }) => out.extend(&a.objects),
                    Base::Null | Base::Func(_) | Base::Unknown(_) => {}
                }
            }
        }
        Value::Aggregate(e) => e.iter().for_each(|v| collect(v, out)),
        // Addresses in numbers are found by `addresses_in`; what is unknown leads nowhere that is known.
        Value::Int(_) | Value::Bool(_) | Value::Real(_) | Value::Unknown(_) => {}
    }
}
