//! Options of the command line: what a program's parser knows and found, and comparisons of arguments with words.
//!
//! Plain data below the executor; [`super::option_values`] reads values by it. In a loop over options one variable may be set from any
//! occurrence of an option, so each reading is an input of its own; the command line then gives the option once for each that a model mentions.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, Target};
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Whether an option has an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    Argument,
    Perhaps,
}

/// An option that a program knows.
#[derive(Clone, Debug)]
pub struct OptionWord {
    /// What the parser returns for it.
    pub value: i128,
    /// As the command line spells it: `-s`, `--size`.
    pub word: String,
    pub takes: Takes,
}

/// What one call of the parser found.
#[derive(Clone, Debug)]
pub struct FoundOption {
    /// What it returned.
    pub option: TermId,
    pub words: Rc<[OptionWord]>,
}

/// That an argument was compared with a word.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Which argument.
    pub(super) index: TermId,
    pub(super) word: String,
    /// Whether it is to be that word, or only to begin so.
    pub(super) whole: bool,
}

/// An option as users know it, of all that stands before its number.
#[must_use]
pub fn option_name(word: &str) -> &str {
    word.trim_end_matches([' ', '='])
}

/// The object that a pointer points into unless it is null, and where.
pub(crate) fn one_object(p: &[Target]) -> Option<(ObjId, TermId)> {
    let mut targets = p.iter().filter(|t| !matches!(t.base, Base::Null));
    match (targets.next()?, targets.next()) {
        (Target { base: Base::Object(o), offset, .. }, None) => Some((*o, *offset)),
        _ => None,
    }
}
