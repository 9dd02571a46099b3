//! Implied values: the values that a launch's path condition gives to its configuration and arguments. `switch (log2)
//! { case 7: … }` makes `log2` a constant in that case, and with it block sizes and trip counts (KLEE's implied value
//! concretisation; Cadar, Dunbar and Engler, OSDI 2008).
//!
//! In: a launch. Out: the launch with these values substituted, and the path's other conditions. This module uses no
//! solver.

use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::FreeState;
use engine::symbolic::memory::object::{Memory, ObjState, UncoveredContents};
use engine::symbolic::memory::value::{GuardedTarget, Ratio, Rounding, Value};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymKind, Term, TermId, wrap_value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Iterations for equalities that follow from others in turn: `a == 3`, `b == a + 1`.
const ROUNDS: usize = 4;

/// Values that a path condition decides.
#[derive(Default)]
pub(crate) struct DecidedValues {
    /// Values of symbols and other atoms, and truth values of conditions.
    all: FxHashMap<TermId, TermId>,
    /// Cache of substituted terms: the terms of one memory have most subterms in common.
    done: RefCell<FxHashMap<TermId, TermId>>,
}

impl DecidedValues {
    /// Clears the cache of substituted terms: they may belong to a task that has ended.
    pub fn clear_terms(&self) {
        self.done.borrow_mut().clear();
    }

    /// Returns the values that these conditions decide, and the conditions after substitution. Conditions that fix
    /// anything but a plain internal symbol stay: witnesses need the inputs, and parts of an atom may occur
    /// elsewhere.
    pub fn by(a: &mut Arena, conditions: &[TermId]) -> (Self, Vec<TermId>) {
        let mut out = Self::default();
        let mut facts = conditions.to_vec();
        let mut kept = vec![];
        for _ in 0..ROUNDS {
            let mut found: FxHashMap<TermId, TermId> = FxHashMap::default();
            for c in &facts {
                let Some((atom, value)) = fixed(a, *c) else { continue };
                let number = a.int(value);
                if found.insert(atom, number).is_some() {
                    continue;
                }
                match *a.get(atom) {
                    Term::Sym(s) if !matches!(a.symbol(s).kind, SymKind::Input(_)) => {}
                    Term::Wrap { arg, bits, signed } => {
                        // The same bits with the other signedness.
                        let (other, read) = (a.wrap(arg, bits, !signed), wrap_value(value, bits, !signed));
                        let read = a.int(read);
                        found.insert(other, read);
                        kept.push(*c);
                    }
                    _ => kept.push(*c),
                }
            }
            if found.is_empty() {
                break;
            }
            let mut done = FxHashMap::default();
            facts = facts
                .into_iter()
                .flat_map(|c| {
                    let c = a.substitute_more(c, &found, &mut done);
                    a.conjuncts(c)
                })
                .collect();
            out.all.extend(found);
        }
        let (yes, no) = (a.bool(true), a.bool(false));
        for c in conditions.iter().chain(&facts) {
            if a.as_bool(*c).is_some() {
                continue;
            }
            out.all.insert(*c, yes);
            let n = a.not(*c);
            out.all.insert(n, no);
        }
        facts.retain(|c| a.as_bool(*c) != Some(true));
        facts.extend(kept);
        (out, facts)
    }

    pub fn term(&self, a: &mut Arena, t: TermId) -> TermId {
        a.substitute_more(t, &self.all, &mut self.done.borrow_mut())
    }

    fn value(&self, a: &mut Arena, v: &Value) -> Value {
        match v {
            Value::Int(t) => Value::Int(self.term(a, *t)),
            Value::Bool(t) => Value::Bool(self.term(a, *t)),
            Value::Real(r) => {
                let rounding = match r.rounding {
                    Rounding::Floored { nan } => Rounding::Floored { nan: self.term(a, nan) },
                    known => known,
                };
                Value::Real(Ratio { num: self.term(a, r.num), den: r.den, rounding })
            }
            Value::Ptr(p) => {
                let mut targets: Vec<GuardedTarget> = p
                    .iter()
                    .map(|t| GuardedTarget { cond: self.term(a, t.cond), offset: self.term(a, t.offset), ..t.clone() })
                    .collect();
                targets.retain(|t| a.as_bool(t.cond) != Some(false));
                Value::Ptr(Rc::new(targets))
            }
            Value::Aggregate(e) => Value::Aggregate(Rc::new(e.iter().map(|x| self.value(a, x)).collect())),
            Value::Unknown(_) => v.clone(),
        }
    }

    fn memory(&self, a: &mut Arena, m: &Memory) -> Memory {
        m.iter()
            .map(|(o, state)| {
                let changed: Vec<(i64, u32, Value)> = state
                    .cells
                    .iter()
                    .filter_map(|(at, (size, v))| {
                        let new = self.value(a, v);
                        (new != *v).then_some((*at, *size, new))
                    })
                    .collect();
                let freed = state.freed.as_ref().map(|f| {
                    Rc::new(FreeState {
                        cond: self.term(a, f.cond),
                        with_context: self.term(a, f.with_context),
                        at: f.at.clone(),
                    })
                });
                let rest = matches!(state.rest, UncoveredContents::Layer(_) | UncoveredContents::Either(_))
                    .then(|| state.rest.map(&mut |t| self.term(a, t)));
                if changed.is_empty() && freed == state.freed && rest.is_none() {
                    return (o, state.clone());
                }
                let mut state: ObjState = (**state).clone();
                if let Some(rest) = rest {
                    state.rest = rest;
                }
                state.freed = freed.filter(|f| a.as_bool(f.cond) != Some(false));
                for (at, size, v) in changed {
                    state.cells.insert(at, (size, v));
                }
                (o, Rc::new(state))
            })
            .collect()
    }
}

/// Returns the atom to which a condition gives a single value.
fn fixed(a: &mut Arena, c: TermId) -> Option<(TermId, i128)> {
    let Term::EqZ(t) = *a.get(c) else { return None };
    let p = a.poly(t);
    let mut symbols = p.terms.iter().filter(|(m, _)| !m.is_empty());
    let (m, coefficient) = symbols.next()?;
    if symbols.next().is_some() || m.len() != 1 {
        return None;
    }
    let rest = p.constant();
    (rest % coefficient == 0).then(|| (m[0], -rest / coefficient))
}

/// Substitutes the values that a launch's path decides; the path keeps the remaining conditions. `None` where the
/// conditions exclude each other.
pub(crate) fn launch(e: &mut Executor<'_>, l: &LaunchEvent) -> Option<(LaunchEvent, DecidedValues)> {
    let conditions = e.arena.conjuncts(l.path);
    let (decided, facts) = DecidedValues::by(&mut e.arena, &conditions);
    let path = e.arena.and_all(facts);
    if e.arena.as_bool(path) == Some(false) {
        return None;
    }
    let a = &mut e.arena;
    let mut out = l.clone();
    out.path = path;
    out.config.grid = l.config.grid.map(|t| decided.term(a, t));
    out.config.block = l.config.block.map(|t| decided.term(a, t));
    out.config.shared = decided.term(a, l.config.shared);
    out.config.limits.shared = l.config.limits.shared.map(|t| decided.term(a, t));
    out.args = l.args.iter().map(|v| decided.value(a, v)).collect();
    out.memory = decided.memory(a, &l.memory);
    out.always = Rc::new(l.always.iter().map(|x| x.map(|t| decided.term(a, t))).collect());
    Some((out, decided))
}
