//! Strings of the command line as the program compares and reads them: arguments, words and option values as input
//! symbols.
//!
//! In: comparisons of arguments with words, reads at offsets of `argv`, conversions to numbers, with the path. Out:
//! the input symbol of such a value, if the path determines its option.

use super::command_line::{ArgumentComparison, OptionArgument, OptionWord, one_object, option_name};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::{ARGUMENT_BITS, ObjId, ObjKind, Object, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use base::reasons::UnknownReason;
use std::collections::BTreeMap;
use std::rc::Rc;

impl MemoryDomain<'_> {
    /// Returns the pointer that `argv` contains at a variable offset.
    pub(in crate::symbolic) fn argument_at(&mut self, offset: TermId) -> Option<Value> {
        let into = self.arena.modulo(offset, 8);
        if self.arena.as_int(into).is_some_and(|into| into != 0) {
            return None;
        }
        let o = match self.inputs.argv_texts.get(&u32::MAX) {
            Some(o) => *o,
            None => {
                let o = self.heap.add(Object {
                    kind: ObjKind::ArgvTexts,
                    name: "argv".into(),
                    extent: None,
                    site: None,
                    func: None,
                    array: true,
                });
                self.inputs.argv_texts.insert(u32::MAX, o);
                self.is_in_argv(o);
                o
            }
        };
        let index = self.arena.floor_div(offset, 8);
        // A null pointer follows the last argument.
        let count = self.input(InputSource::Argc, 32);
        let given = self.arena.lt(index, count);
        let (none, at, zero) = (self.arena.not(given), self.arena.scale(index, 1 << ARGUMENT_BITS), self.arena.int(0));
        Some(Value::Ptr(Rc::new(vec![
            GuardedTarget::new(given, Base::Object(o), at),
            GuardedTarget::new(none, Base::Null, zero),
        ])))
    }

    /// Returns the result of comparing two strings. `most` is the maximum number of characters, `Some(None)` if it is
    /// unknown; `any_case` ignores case.
    pub fn comparison(
        &mut self,
        s: &State,
        p: &[GuardedTarget],
        q: &[GuardedTarget],
        most: Option<Option<i128>>,
        any_case: bool,
    ) -> TermId {
        let int = Interval::of_int(32, true);
        for (argument, text, swapped) in [(p, q, false), (q, p, true)] {
            let Some((o, offset)) = one_object(argument) else { continue };
            if !self.is_as_given(s, o, offset) {
                continue;
            }
            let Some(mut word) =
                self.text_of(text).filter(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_graphic()))
            else {
                continue;
            };
            let whole = match most {
                None => true,
                Some(Some(n)) => {
                    let n = usize::try_from(n).unwrap_or(0);
                    let whole = n > word.len();
                    word.truncate(n);
                    whole
                }
                Some(None) => continue,
            };
            match self.object(o).kind {
                ObjKind::ArgvText(index) if whole && !any_case && self.arena.as_int(offset) == Some(0) => {
                    let result = self.input(InputSource::ArgvWord { index, word }, 32);
                    return if swapped { self.arena.scale(result, -1) } else { result };
                }
                ObjKind::ArgvTexts => {
                    let Some((index, 0)) = self.within_arguments(offset) else { continue };
                    let result = self.arena.fresh(SymKind::Unknown { reason: UnknownReason::TextComparison }, "?", int);
                    self.inputs.compared.insert(result, ArgumentComparison { index, word, whole });
                    return result;
                }
                _ => {}
            }
        }
        self.arena.fresh(SymKind::Unknown { reason: UnknownReason::TextComparison }, "?", int)
    }

    /// Returns the numeric value of the argument after a word, or of the rest of the same argument, if the path
    /// implies that it was that word.
    pub fn argument_after_word(&mut self, s: &State, (o, offset): (ObjId, TermId), bits: u32) -> Option<TermId> {
        if !matches!(self.object(o).kind, ObjKind::ArgvTexts) || !self.is_as_given(s, o, offset) {
            return None;
        }
        let (index, into) = self.within_arguments(offset)?;
        // Letters by their position, in this argument and the one before.
        let mut letters: [BTreeMap<usize, char>; 2] = Default::default();
        for c in self.arena.conjuncts(s.path) {
            // Several words may stand for one option.
            let paths = match self.arena.get(c) {
                Term::Or(paths) => paths.clone(),
                _ => vec![c],
            };
            for way in paths {
                let Term::EqZ(t) = *self.arena.get(way) else { break };
                if let Some(w) = self.inputs.compared.get(&t).cloned() {
                    match (self.distance(index, w.index), w.whole) {
                        (Some(1), true) if into == 0 => {
                            return Some(self.option_input(format!("{} ", w.word), Interval::of_int(bits, true)));
                        }
                        (Some(0), false) if into == w.word.len() => {
                            return Some(self.option_input(w.word, Interval::of_int(bits, true)));
                        }
                        _ => {}
                    }
                } else if let Some((which, at, letter)) = self.letter(t)
                    && let Some(which) =
                        self.distance(index, which).and_then(|d| letters.get_mut(usize::try_from(d).ok()?))
                {
                    which.entry(at).or_insert(letter);
                }
            }
        }
        let [mut here, before] = letters;
        let (mut word, end) = if into > 0 {
            here.retain(|at, _| *at < into);
            (here, "")
        } else {
            (before, " ")
        };
        // Programs often test `argv[i][1] == 'n'` alone.
        if word.contains_key(&1) {
            word.entry(0).or_insert('-');
        }
        let length = if into > 0 { into } else { word.len() };
        let whole = !word.is_empty() && (0..length).all(|at| word.contains_key(&at));
        whole.then(|| self.option_input(word.into_values().chain(end.chars()).collect(), Interval::of_int(bits, true)))
    }

    /// Returns the argument, the position and the letter, if the equation `t == 0` states that a letter of an argument
    /// has a given value.
    fn letter(&mut self, t: TermId) -> Option<(TermId, usize, char)> {
        let p = self.arena.poly(t);
        let mut symbols = p.terms.iter().filter(|(m, _)| !m.is_empty());
        let (m, coefficient) = symbols.next()?;
        if symbols.next().is_some() || m.len() != 1 || coefficient.abs() != 1 {
            return None;
        }
        let letter = u8::try_from(-p.constant() * coefficient).ok().filter(u8::is_ascii_graphic)?;
        let Term::Apply { function: UninterpretedFunction::Content, args, .. } = self.arena.get(m[0]) else {
            return None;
        };
        let [o, version, offset, bits] = args.as_slice() else { return None };
        let all = *self.inputs.argv_texts.get(&u32::MAX)?;
        // The initial contents.
        let first = match self.heap.first(all)?.rest {
            UncoveredContents::Unknown { version, .. } => i128::from(version),
            _ => return None,
        };
        if self.arena.as_int(*o) != Some(i128::from(all.0))
            || self.arena.as_int(*version) != Some(first)
            || self.arena.as_int(*bits) != Some(8)
        {
            return None;
        }
        let offset = *offset;
        let (which, at) = self.within_arguments(offset)?;
        Some((which, at, char::from(letter)))
    }

    /// Returns the numeric value of an option's argument, if the path determines the option.
    pub fn option_argument(&mut self, s: &State, text: ObjId, bits: u32) -> Option<TermId> {
        let start = self.arena.int(0);
        if !self.is_as_given(s, text, start) {
            return None;
        }
        let found = self.inputs.options.get(&text)?.clone();
        let conditions = self.arena.conjuncts(s.path);
        let known = found.words.iter().find(|w| {
            let value = self.arena.int(w.value);
            let is = self.arena.eq(found.option, value);
            conditions.contains(&is)
        })?;
        Some(self.option_input(known.word.clone(), Interval::of_int(bits, true)))
    }
}

impl ValueDomain<'_> {
    /// Returns the value of a variable that a loop sets from an option: the argument of some occurrence, undetermined
    /// which.
    pub(in crate::symbolic) fn option_of_some_iteration(
        &mut self,
        leaves: &[TermId],
        range: Interval,
    ) -> Option<TermId> {
        let word = leaves.iter().find_map(|l| match self.arena.get(*l) {
            Term::Sym(s) => match &self.arena.symbol(*s).kind {
                SymKind::Input(InputSource::Option { word, .. }) => Some(word.clone()),
                _ => None,
            },
            _ => None,
        })?;
        Some(self.option_input(word, range))
    }

    fn option_input(&mut self, word: String, range: Interval) -> TermId {
        let ordinal = self.next_read();
        let name = format!("the value of {}", option_name(&word));
        self.arena.fresh(SymKind::Input(InputSource::Option { ordinal, word }), name, range)
    }
}

impl Terms {
    /// Returns the index of the argument that a pointer into the strings of all arguments points into, and the byte
    /// offset in it.
    fn within_arguments(&mut self, offset: TermId) -> Option<(TermId, usize)> {
        let into = self.arena.modulo(offset, 1 << ARGUMENT_BITS);
        let into = usize::try_from(self.arena.as_int(into)?).ok()?;
        Some((self.arena.floor_div(offset, 1 << ARGUMENT_BITS), into))
    }

    fn distance(&mut self, to: TermId, from: TermId) -> Option<i128> {
        let d = self.arena.sub(to, from);
        let d = self.arena.unwrapped(d);
        self.arena.as_int(d)
    }

    /// Returns the condition under which the parser returned an argument, so that the pointer to it is not null.
    pub fn has_argument(&mut self, option: TermId, words: &[OptionWord]) -> TermId {
        let mut paths = vec![];
        for w in words {
            if w.takes == OptionArgument::Nothing {
                continue;
            }
            let value = self.arena.int(w.value);
            let mut way = self.arena.eq(option, value);
            if w.takes == OptionArgument::Perhaps {
                let given = self.perhaps(&UnknownReason::OptionHasArgument);
                way = self.arena.and(way, given);
            }
            paths.push(way);
        }
        self.arena.or_all(paths)
    }

    pub fn perhaps(&mut self, reason: &UnknownReason) -> TermId {
        self.arena.fresh_bool(SymKind::Unknown { reason: reason.clone() }, "?")
    }
}
