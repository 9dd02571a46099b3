//! Values of the symbolic executor.

use super::object::ObjId;
use super::partition::PartId;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use ir::FuncRef;
use std::rc::Rc;

/// Objects and functions whose addresses a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PossibleTargets {
    pub objects: Vec<ObjId>,
    pub functions: Vec<FuncRef>,
}

/// A pointer that could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnknownPointer {
    /// Reason, shown to users.
    pub reason: Rc<UnknownReason>,
    /// Candidate objects and functions, if the pointer points to any. An object here stands for everything that its
    /// allocation ever made, so neither an extent nor contents may be taken from it. `None` if the candidates are
    /// unknown.
    pub among: Option<Rc<PossibleTargets>>,
    /// Whether the pointer was read from never-written memory, or through such a pointer: its use is already an error.
    pub unset: bool,
}

impl UnknownPointer {
    /// A lost pointer with unknown candidates.
    #[must_use]
    pub fn anywhere(reason: UnknownReason) -> Self {
        Self { reason: Rc::new(reason), among: None, unset: false }
    }
    /// A pointer that was never set: it points to nothing in the program.
    #[must_use]
    pub fn unset(reason: UnknownReason) -> Self {
        Self { reason: Rc::new(reason), among: Some(Rc::default()), unset: true }
    }
}

impl std::fmt::Display for UnknownPointer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reason.fmt(f)
    }
}

/// Base of a pointer: the thing that it points into.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    Object(ObjId),
    Null,
    Func(FuncRef),
    Unknown(UnknownPointer),
}

impl Base {
    /// Whether nothing is known about what the pointer points into.
    #[must_use]
    pub const fn is_anywhere(&self) -> bool {
        matches!(self, Self::Unknown(UnknownPointer { among: None, .. }))
    }
}

/// Guarded target of a pointer. The conditions of one pointer's targets exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GuardedTarget {
    pub cond: TermId,
    pub base: Base,
    /// Bytes from the start of the object, as a 64-bit signed representative.
    pub offset: TermId,
    /// Named part of the object through which the pointer was derived.
    pub part: Option<PartId>,
}

impl GuardedTarget {
    /// A target without a named part.
    #[must_use]
    pub const fn new(cond: TermId, base: Base, offset: TermId) -> Self {
        Self { cond, base, offset, part: None }
    }
}

/// A floating-point number: the exact quotient `num / den` of mathematical integers, rounded as [`Rounding`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    pub num: TermId,
    pub den: i128,
    pub rounding: Rounding,
}

/// Distance between the machine's number and the exact quotient (`terms/floating.rs`). Errors are absolute, in
/// [`crate::symbolic::terms::floating::UNIT`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    #[default]
    Exact,
    /// A monotone function of the quotient that preserves numbers of up to `bits` bits: a quotient rounded once is on
    /// the same side of each integer as the exact one.
    Monotone { bits: u32, error: i128 },
    /// Any number within the error.
    Within(i128),
    /// Any number of which the quotient, with a denominator of 1, is the floor: an unknown number that is compared before it
    /// becomes an integer. It is no number where `nan` holds, and the quotient is then any integer. Infinities have a
    /// quotient beyond all other numbers.
    Floored { nan: TermId },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Representative of an integer of any width but 1.
    Int(TermId),
    /// `i1`, as a boolean term.
    Bool(TermId),
    Ptr(Rc<Vec<GuardedTarget>>),
    Real(Ratio),
    /// Structures, arrays and vectors in registers.
    Aggregate(Rc<Vec<Value>>),
    /// Unknown; the reason is shown to users.
    Unknown(Rc<UnknownReason>),
}

impl Value {
    #[must_use]
    pub fn unknown(reason: UnknownReason) -> Self {
        Self::Unknown(Rc::new(reason))
    }
}

/// Whether no part of a value is unknown.
pub(in crate::symbolic) fn is_known(v: &Value) -> bool {
    match v {
        Value::Unknown(_) => false,
        Value::Ptr(p) => !p.iter().any(|t| matches!(t.base, Base::Unknown(_))),
        Value::Aggregate(e) => e.iter().all(is_known),
        Value::Int(_) | Value::Bool(_) | Value::Real(_) => true,
    }
}

/// Whether a value contains a pointer without known candidates.
pub(in crate::symbolic) fn has_unknown_pointer(v: &Value) -> bool {
    match v {
        Value::Ptr(p) => p.iter().any(|t| t.base.is_anywhere()),
        Value::Aggregate(e) => e.iter().any(has_unknown_pointer),
        // These hold no pointers.
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
                    Base::Unknown(UnknownPointer { among: Some(a), .. }) => out.extend(&a.objects),
                    Base::Null | Base::Func(_) | Base::Unknown(_) => {}
                }
            }
        }
        Value::Aggregate(e) => e.iter().for_each(|v| collect(v, out)),
        // `addresses_in` finds addresses in numbers; an unknown value leads to no known object.
        Value::Int(_) | Value::Bool(_) | Value::Real(_) | Value::Unknown(_) => {}
    }
}
