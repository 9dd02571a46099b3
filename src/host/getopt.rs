//! `getopt` and its kin (POSIX.1-2017, glibc): which option was found is unknown, its argument is an input.
//!
//! In a loop over options one variable may be set from any occurrence of an option, so each reading is an input of its own;
//! the command line then gives the option once for each that a model mentions.

use super::Call;
use crate::ir::Side;
use crate::kernel::Modelled;
use crate::symbolic::exec::{Executor, State};
use crate::symbolic::memory::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::term::{InputSource, Range, SymKind, Term, TermId};
use crate::symbolic::value::{Base, Target, Value};
use std::rc::Rc;

/// Bytes of glibc's `struct option`, and before its fields `flag` and `val`.
const LONG_OPTION: i128 = 32;
const FLAG: i128 = 16;
const VALUE: i128 = 24;

/// Longest table of long options that is read.
const MOST_LONG: i128 = 64;

/// What one call of `getopt` found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it returned.
    pub option: TermId,
    /// Values that it may return and how each option is spelled: `-s`, `--size`.
    pub words: Rc<[(i128, String)]>,
}

impl Executor<'_> {
    /// Options may stand anywhere and repeat: every call may find any of them, or none.
    pub(super) fn getopt(&mut self, c: &Call<'_>, s: State, long: bool) -> Modelled {
        let mut s = s;
        let mut words = self.short_options(c);
        // It may permute `argv`, and writes where the table of long options says.
        self.forget_reachable(&mut s, c.args.get(1..2).unwrap_or_default(), "what `getopt` found");
        if long {
            self.long_options(c, &mut s, &mut words);
            let index = self.pointer_arg(c, 4);
            self.forget_targets(&mut s, &index, "what `getopt` found");
        }
        let words: Rc<[(i128, String)]> = words.into();
        for name in ["optind", "optopt"] { if let Some(o) = self.library_variable(name) { self.forget(&mut s, o, "what `getopt` found", false); } }
        let option = self.arena.fresh(SymKind::Unknown { reason: "the option that `getopt` found".into() }, "an option", Range::of_int(32, true));
        if let Some(o) = self.library_variable("optarg") {
            let text = self.new_object(Object { kind: ObjKind::Opaque, name: "optarg".into(), extent: None, site: None, func: None, array: true });
            self.options.insert(text, Found { option, words });
            let (cond, zero) = (self.arena.bool(true), self.arena.int(0));
            let place = Rc::new(vec![Target::new(cond, Base::Object(o), zero)]);
            s.mem.insert(o, Rc::new(ObjState::new(Rest::Zero)));
            let p = self.pointer(text, 0);
            self.store_value(&mut s, &place, p, 8);
        }
        Ok(Some((Value::Int(option), s)))
    }

    /// The argument of an option read as a number, where the path says which option it is.
    pub(super) fn option_argument(&mut self, s: &State, text: ObjId, bits: u32) -> Option<TermId> {
        let found = self.options.get(&text)?.clone();
        let conditions = self.arena.conjuncts(s.path);
        let (_, word) = found.words.iter().find(|(value, _)| {
            let value = self.arena.int(*value);
            let is = self.arena.eq(found.option, value);
            conditions.contains(&is)
        })?;
        Some(self.option_input(word.clone(), Range::of_int(bits, true)))
    }

    /// Some argument of an option that `n` may be set to under these leaves of a choice: whatever occurrence it was.
    pub(crate) fn option_of_some_round(&mut self, leaves: &[TermId], range: Range) -> Option<TermId> {
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

    fn library_variable(&mut self, name: &str) -> Option<ObjId> {
        let r = self.program.find_global(Side::Host, name)?;
        Some(self.global_of(r))
    }

    fn short_options(&mut self, c: &Call<'_>) -> Vec<(i128, String)> {
        let text = self.pointer_arg(c, 2);
        let text = self.text_of(&text).unwrap_or_default();
        text.chars().filter(char::is_ascii_alphanumeric).map(|ch| (i128::from(u32::from(ch)), format!("-{ch}"))).collect()
    }

    /// Reads the table of long options; what their flags point to may be written.
    fn long_options(&mut self, c: &Call<'_>, s: &mut State, words: &mut Vec<(i128, String)>) {
        let table = self.pointer_arg(c, 3);
        for i in 0..MOST_LONG {
            let field = |e: &mut Self, at: i128| { let d = e.arena.int(i * LONG_OPTION + at); e.offset_targets(&table, d) };
            let at = field(self, 0);
            let name = self.load_pointer(s, &at);
            if name.iter().all(|t| matches!(t.base, Base::Null)) { return; }
            let at = field(self, FLAG);
            let flag = self.load_pointer(s, &at);
            if flag.iter().any(|t| matches!(t.base, Base::Unknown(_))) { break; }
            self.forget_targets(s, &flag, "what `getopt` found");
            let at = field(self, VALUE);
            let Value::Int(value) = self.load_typed(s, c.site.func, &at, c.ty) else { continue };
            let (Some(value), Some(name)) = (self.arena.as_int(value), self.text_of(&name)) else { continue };
            if !words.iter().any(|(v, _)| *v == value) { words.push((value, format!("--{name}"))); }
        }
        // A table that cannot be read to its end.
        self.forget_reachable(s, c.args, "what `getopt` found");
    }
}
