//! Command-line options: those that a program's parser knows and found, and comparisons of arguments with words.
//!
//! Plain data below the executor; [`super::option_values`] reads values by it. In a loop over options, any occurrence
//! of an option may set a variable, so each read is a separate input; the command line of a model then contains the
//! option once for each input that the model mentions.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, GuardedTarget};
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Whether an option takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionArgument {
    Nothing,
    Argument,
    Perhaps,
}

/// Option that a program knows.
#[derive(Clone, Debug)]
pub struct OptionWord {
    /// Value that the parser returns for it.
    pub value: i128,
    /// Spelling on the command line: `-s`, `--size`.
    pub word: String,
    pub takes: OptionArgument,
}

/// Result of one parser call.
#[derive(Clone, Debug)]
pub struct FoundOption {
    /// Return value of the call.
    pub option: TermId,
    pub words: Rc<[OptionWord]>,
}

/// Comparison of an argument with a word.
#[derive(Clone, Debug)]
pub struct ArgumentComparison {
    /// Index of the argument.
    pub(super) index: TermId,
    pub(super) word: String,
    /// Whether the argument must equal the word, or only begin with it.
    pub(super) whole: bool,
}

/// Returns the name of an option as users know it, from everything before its number.
#[must_use]
pub fn option_name(word: &str) -> &str {
    word.trim_end_matches([' ', '='])
}

/// Returns the only object that a pointer points into unless it is null, and the offset.
pub fn one_object(p: &[GuardedTarget]) -> Option<(ObjId, TermId)> {
    let mut targets = p.iter().filter(|t| !matches!(t.base, Base::Null));
    match (targets.next()?, targets.next()) {
        (GuardedTarget { base: Base::Object(o), offset, .. }, None) => Some((*o, *offset)),
        _ => None,
    }
}
