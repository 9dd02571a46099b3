//! Names of the source for sizes: `o.height` in the place of the term that the variable holds.
//!
//! In: the executor after the host code, and the place at which a size is told. Out: the text of terms there, and the
//! places where inputs were read. The text of a term without a variable is that of
//! [`engine::symbolic::terms::display`].

use super::position::position_of;
use super::wording;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use finding::Position;
use ir::SourceLoc;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Most variables of one line.
const OF_LINE: usize = 6;
/// Longest name that is easier to read than what it stands for.
const LONG: usize = 40;

/// A variable that holds a number where a size is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizeVariable {
    pub name: String,
    pub term: TermId,
    /// Function that the variable belongs to, without its parameters.
    pub in_function: String,
    /// First place in the function where the variable has this number.
    pub position: Position,
}

/// Names at one place of the user's source.
pub(crate) struct SourceNames<'e, 'p> {
    e: &'e Executor<'p>,
    place: Position,
    here: OnceCell<FxHashMap<TermId, (u32, SizeVariable)>>,
    alike: OnceCell<FxHashMap<(String, Vec<SymId>), TermId>>,
    used: RefCell<Vec<SizeVariable>>,
}

/// File and line of a function's definition.
type FunctionKey = (String, u32);

/// A load or store of a variable in the user's source.
struct VariableUse {
    term: TermId,
    /// Definition of the function, which instances of a template share.
    function: FunctionKey,
    in_function: String,
    name: String,
    loc: SourceLoc,
}

/// Line of the last use of a variable of a function, and the numbers that it holds there.
type LastUses = FxHashMap<(FunctionKey, String), (u32, Vec<TermId>)>;

impl VariableUse {
    fn variable(&self) -> SizeVariable {
        SizeVariable {
            name: self.name.clone(),
            term: self.term,
            in_function: self.in_function.clone(),
            position: position_of(self.loc.clone()),
        }
    }
}

impl<'e, 'p> SourceNames<'e, 'p> {
    pub fn at(e: &'e Executor<'p>, place: Position) -> Self {
        Self { e, place, here: OnceCell::new(), alike: OnceCell::new(), used: RefCell::default() }
    }

    /// Formats a term with the names of variables that hold its parts.
    pub fn show(&self, t: TermId) -> String {
        let named: RefCell<Vec<SizeVariable>> = RefCell::default();
        let text = display::term_with_names(&self.e.arena, t, &|part| {
            let v = self.variable(part)?;
            named.borrow_mut().push(v.clone());
            Some(v.name)
        });
        let mut used = self.used.borrow_mut();
        for v in named.into_inner() {
            // A part may be cut off where the text is long.
            if text.contains(&v.name) && !used.contains(&v) {
                used.push(v);
            }
        }
        text
    }

    /// Returns the variables that the texts so far mention.
    pub fn used(&self) -> Vec<SizeVariable> {
        self.used.borrow().clone()
    }

    /// Returns the variable that holds a number at this place, if the number has no plain text of its own.
    fn variable(&self, t: TermId) -> Option<SizeVariable> {
        let arena = &self.e.arena;
        let is_composite = match arena.get(t) {
            Term::Sym(s) => match &arena.symbol(*s).kind {
                // Parameters and what callers give have names of the source already.
                SymKind::Input(InputSource::Param { .. } | InputSource::Given { .. } | InputSource::Count { .. }) => {
                    return None;
                }
                SymKind::Input(_) => false,
                SymKind::Unknown { .. } | SymKind::Content { .. } => true,
                _ => return None,
            },
            Term::Ite(..)
            | Term::Apply { .. }
            | Term::Wrap { .. }
            | Term::BitAnd(..)
            | Term::BitOr(..)
            | Term::BitXor(..)
            | Term::Pow2(_)
            | Term::Rem(..)
            | Term::Mod(..) => true,
            _ => return None,
        };
        let t = if self.e.named.of(t).is_empty() { self.alike(t).filter(|_| is_composite)? } else { t };
        let here = self.here.get_or_init(|| self.names_here());
        here.get(&t).map(|(_, v)| v.clone()).or_else(|| if is_composite { self.name_elsewhere(t) } else { None })
    }

    /// Returns a number of a variable with the same text and symbols: width extensions are no part of the text.
    fn alike(&self, t: TermId) -> Option<TermId> {
        let a = &self.e.arena;
        let key = |t: TermId| Some((display::term(a, t), a.symbols_of(&[t]))).filter(|(text, _)| !text.contains('…'));
        let known = self.alike.get_or_init(|| {
            let all = self.e.named.all();
            let options = all.iter().map(|(t, _)| *t).filter(|t| matches!(a.get(*t), Term::Ite(..)));
            // Of several the first remains.
            options.rev().filter_map(|t| Some((key(t)?, t))).collect()
        });
        key(t).and_then(|k| known.get(&k)).copied()
    }

    /// Returns, for the function around the place, the variables by the numbers that they hold there, each with the line
    /// of its last use: those that the last use of each name before the place read or wrote.
    fn names_here(&self) -> FxHashMap<TermId, (u32, SizeVariable)> {
        let all = self.e.named.all();
        let in_file = all.iter().flat_map(|(t, sites)| sites.iter().map(|s| (*t, *s)));
        let in_file: Vec<VariableUse> = in_file
            .filter_map(|(t, s)| {
                let loc = self.users(s).filter(|l| l.file == self.place.file && l.line <= self.place.line)?;
                self.of_variable(t, s, loc)
            })
            .collect();
        // The use that is nearest to the place is in the place's own function.
        let Some(function) = in_file.iter().max_by_key(|u| u.loc.line).map(|u| u.function.clone()) else {
            return FxHashMap::default();
        };
        let mut by_name: BTreeMap<String, Vec<VariableUse>> = BTreeMap::new();
        for u in in_file.into_iter().filter(|u| u.function == function) {
            by_name.entry(u.name.clone()).or_default().push(u);
        }
        let mut out: FxHashMap<TermId, (u32, SizeVariable)> = FxHashMap::default();
        for uses in by_name.into_values() {
            let Some(last) = uses.iter().map(|u| u.loc.line).max() else { continue };
            for t in uses.iter().filter(|u| u.loc.line == last).map(|u| u.term) {
                let Some(first) = uses.iter().filter(|u| u.term == t).min_by_key(|u| (u.loc.line, u.loc.column)) else {
                    continue;
                };
                // Of several variables the one used nearest to the place.
                if out.get(&t).is_none_or(|(line, _)| *line < last) {
                    out.insert(t, (last, first.variable()));
                }
            }
        }
        out
    }

    /// Returns the variables that the line of the place itself uses: arguments of its call.
    pub fn of_line(&self) -> Vec<SizeVariable> {
        let here = self.here.get_or_init(|| self.names_here()).values();
        let mut out: Vec<SizeVariable> =
            here.filter(|(last, _)| *last == self.place.line).map(|(_, v)| v.clone()).collect();
        out.sort_by(|a, b| (&a.position, &a.name, a.term).cmp(&(&b.position, &b.name, b.term)));
        out.truncate(OF_LINE);
        out
    }

    /// Returns the first variable of another function that holds a number where it is last used there; rather one that
    /// holds no other number there.
    fn name_elsewhere(&self, t: TermId) -> Option<SizeVariable> {
        let uses = || self.e.named.of(t).iter().filter_map(|s| self.of_variable(t, *s, self.users(*s)?));
        let lines: BTreeSet<u32> = uses().map(|u| u.function.1).collect();
        let mut last = LastUses::default();
        for (term, sites) in self.e.named.all() {
            let defined = |s: &Site| self.e.program.loc(s.func.module, self.e.program.func(s.func).loc).line;
            for s in sites.iter().filter(|s| lines.contains(&defined(s))) {
                let Some(u) = self.users(*s).and_then(|l| self.of_variable(term, *s, l)) else { continue };
                let (line, terms) = last.entry((u.function, u.name)).or_default();
                if u.loc.line > *line {
                    (*line, *terms) = (u.loc.line, vec![]);
                }
                if u.loc.line == *line {
                    terms.push(term);
                }
            }
        }
        let held = |u: &VariableUse| last.get(&(u.function.clone(), u.name.clone())).map(|(_, terms)| terms);
        let alone = uses().find(|u| held(u).is_some_and(|terms| terms.iter().all(|other| *other == t)));
        let found = alone.or_else(|| uses().find(|u| held(u).is_some_and(|terms| terms.contains(&t))))?;
        Some(found.variable())
    }

    /// Returns the position of a site, if it is in the user's own source.
    fn users(&self, s: Site) -> Option<SourceLoc> {
        let (module, loc) = self.e.location(s);
        Some(self.e.program.loc(module, loc)).filter(SourceLoc::is_users)
    }

    fn of_variable(&self, term: TermId, s: Site, loc: SourceLoc) -> Option<VariableUse> {
        let name = wording::variable(self.e.program, s).filter(|n| n.len() <= LONG)?;
        let f = self.e.program.func(s.func);
        let defined = self.e.program.loc(s.func.module, f.loc);
        let in_function = wording::function(self.e.program, s.func).unwrap_or_default();
        Some(VariableUse { term, function: (defined.file, defined.line), in_function, name, loc })
    }
}

/// Returns the first place in the user's source where a variable has the value of an input.
pub(crate) fn read_at(e: &Executor<'_>, input: &InputSource) -> Option<Position> {
    let is_it = |t: TermId| match e.arena.get(t) {
        Term::Sym(s) => matches!(&e.arena.symbol(*s).kind, SymKind::Input(of) if of == input),
        _ => false,
    };
    let all = e.named.all();
    let sites = all.iter().filter(|(t, _)| is_it(*t)).flat_map(|(_, sites)| sites.iter());
    let place = |s: &Site| {
        let (module, loc) = e.location(*s);
        Some(e.program.loc(module, loc)).filter(SourceLoc::is_users).map(position_of)
    };
    sites.filter_map(place).next()
}
