//! Arguments of command-line options as inputs.
//!
//! In a loop over options one variable may be set from any occurrence of an option, so each reading is an input of its own;
//! the command line then gives the option once for each that a model mentions.

use super::exec::{Executor, State};
use super::memory::ObjId;
use super::term::{InputSource, Range, SymKind, Term, TermId};
use std::rc::Rc;

/// Whether an option has an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes { Nothing, Argument, Perhaps }

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

impl Executor<'_> {
    /// The argument of an option read as a number, where the path says which option it is.
    pub(crate) fn option_argument(&mut self, s: &State, text: ObjId, bits: u32) -> Option<TermId> {
        let found = self.options.get(&text)?.clone();
        let conditions = self.arena.conjuncts(s.path);
        let known = found.words.iter().find(|w| {
            let value = self.arena.int(w.value);
            let is = self.arena.eq(found.option, value);
            conditions.contains(&is)
        })?;
        Some(self.option_input(known.word.clone(), Range::of_int(bits, true)))
    }

    /// Whether the parser gave an argument: the condition under which the pointer to it is not null.
    pub(crate) fn has_argument(&mut self, option: TermId, words: &[OptionWord]) -> TermId {
        let mut ways = vec![];
        for w in words {
            if w.takes == Takes::Nothing { continue; }
            let value = self.arena.int(w.value);
            let mut way = self.arena.eq(option, value);
            if w.takes == Takes::Perhaps {
                let given = self.perhaps("whether an option has an argument");
                way = self.arena.and(way, given);
            }
            ways.push(way);
        }
        self.arena.or_all(ways)
    }

    pub(crate) fn perhaps(&mut self, reason: &str) -> TermId { self.arena.fresh_bool(SymKind::Unknown { reason: reason.to_owned() }, "?") }

    /// Where a loop sets a variable from an option: the argument of some occurrence, whichever it was.
    pub(super) fn option_of_some_round(&mut self, leaves: &[TermId], range: Range) -> Option<TermId> {
        let word = leaves.iter().find_map(|l| match self.arena.get(*l) {
            Term::Sym(s) => match &self.arena.symbol(*s).kind { SymKind::Input(InputSource::Option { word, .. }) => Some(word.clone()), _ => None },
            _ => None,
        })?;
        Some(self.option_input(word, range))
    }

    fn option_input(&mut self, word: String, range: Range) -> TermId {
        let ordinal = self.next_read();
        let name = format!("the value of {word}");
        self.arena.fresh(SymKind::Input(InputSource::Option { ordinal, word }), name, range)
    }
}
