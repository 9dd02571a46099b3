//! State at a loop's back edge, under the conditions of the path that leads there.
//!
//! Where paths of a body join and part again at the same condition, values are if-then-elses over that condition, and
//! the path decides it. C++ blocks with variables join at the end of each block, also where one of them leaves the
//! function: `if (failed) { cudaFree(p); return 1; }`. In: the states at the header and at the back edge. Out: the latter, with
//! the decided conditions resolved. An iteration that comes back passes this path, so the values are equal there.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{FreeState, ObjId, ObjState};
use crate::symbolic::memory::value::{GuardedTarget, Value};
use crate::symbolic::terms::term::{Term, TermId};
use ir::ValueId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum number of choices that one comparison decides.
const MAX_CHOICES: usize = 16;

/// Maximum number of rounds of unit propagation.
const MAX_PROPAGATIONS: usize = 8;

/// Conditions that a path decides, and results of their substitution so far.
#[derive(Default)]
struct DecidedConditions {
    map: FxHashMap<TermId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Terms {
    /// Resolves the conditions that the path from the header to the back edge decides, in all that the iteration changed.
    pub(super) fn resolve_at_back_edge(&mut self, head: &State, end: &mut State, phis: &mut FxHashMap<ValueId, Value>) {
        let before = self.arena.conjuncts(head.path);
        let mut decided = DecidedConditions::default();
        let mut units = self.arena.conjuncts(end.path);
        units.retain(|c| before.binary_search(c).is_err());
        // Unit propagation (Davis, Logemann and Loveland, 1962): of a disjunction one part is left.
        let mut disjunctions = vec![];
        for _ in 0..MAX_PROPAGATIONS {
            if units.is_empty() {
                break;
            }
            for c in std::mem::take(&mut units) {
                disjunctions.extend(self.decide(c, &mut decided.map));
            }
            disjunctions.retain(|c| {
                let Term::Or(parts) = self.arena.get(*c) else { return false };
                let is_false =
                    |part: &TermId| decided.map.get(part).is_some_and(|v| self.arena.as_bool(*v) == Some(false));
                let mut left = parts.iter().filter(|part| !is_false(part));
                let (first, second) = (left.next(), left.next());
                units.extend(first.filter(|_| second.is_none()));
                second.is_some()
            });
            units = units.into_iter().flat_map(|unit| self.arena.conjuncts(unit)).collect();
        }
        if decided.map.is_empty() {
            return;
        }
        let changed: Vec<(ObjId, ObjState)> = end
            .mem
            .differing(&head.mem)
            .filter_map(|(o, after, before)| Some((o, self.resolved_object(after?, before?, &mut decided)?)))
            .collect();
        for (o, state) in changed {
            end.mem.insert(o, Rc::new(state));
        }
        for v in phis.values_mut() {
            if let Some(new) = self.resolved(v, &mut decided) {
                *v = new;
            }
        }
    }

    /// Decides a condition that holds, and the choices that it decides; returns all of them.
    fn decide(&mut self, condition: TermId, map: &mut FxHashMap<TermId, TermId>) -> Vec<TermId> {
        let (yes, no) = (self.arena.bool(true), self.arena.bool(false));
        let mut all = self.choices_decided_by(condition);
        all.push(condition);
        for c in &all {
            let not = self.arena.not(*c);
            map.insert(*c, yes);
            map.insert(not, no);
        }
        all
    }

    /// Conditions of choices that a comparison with 0 decides: `(c ? 1 : d ? 1 : 5) - 5 == 0` holds only where neither `c`
    /// nor `d` does. So blocks choose where to go on from where they joined.
    fn choices_decided_by(&mut self, mut comparison: TermId) -> Vec<TermId> {
        let mut out = vec![];
        while out.len() < MAX_CHOICES {
            let is_equal = match *self.arena.get(comparison) {
                Term::EqZ(t) => Some((t, true)),
                Term::Not(c) => {
                    if let Term::EqZ(t) = *self.arena.get(c) {
                        Some((t, false))
                    } else {
                        None
                    }
                }
                _ => None,
            };
            let Some((t, equal)) = is_equal else { break };
            let mut atoms =
                self.arena.poly(t).terms.into_iter().filter_map(|(m, _)| m.first().copied().filter(|_| m.len() == 1));
            let Some((n, c, arms)) = atoms.find_map(|n| match *self.arena.get(n) {
                Term::Ite(c, a, b) => Some((n, c, [a, b])),
                _ => None,
            }) else {
                break;
            };
            let zero = self.arena.int(0);
            let [yes, no] = arms.map(|arm| {
                let chosen = self.arena.substitute(t, &std::iter::once((n, arm)).collect());
                if equal { self.arena.eq(chosen, zero) } else { self.arena.ne(chosen, zero) }
            });
            let (holds, rest) = match (self.arena.as_bool(yes), self.arena.as_bool(no)) {
                (Some(false), _) => (self.arena.not(c), no),
                (_, Some(false)) => (c, yes),
                _ => break,
            };
            out.extend(self.arena.conjuncts(holds));
            comparison = rest;
        }
        out
    }

    /// Returns an object with resolved conditions, if this changes it.
    fn resolved_object(
        &mut self,
        after: &ObjState,
        before: &ObjState,
        decided: &mut DecidedConditions,
    ) -> Option<ObjState> {
        let mut out: Option<ObjState> = None;
        if let Some(f) = &after.freed
            && before.freed.as_ref().map(|b| b.cond) != Some(f.cond)
        {
            let cond = self.arena.substitute_more(f.cond, &decided.map, &mut decided.done);
            if cond != f.cond {
                let gone = self.arena.as_bool(cond) == Some(false);
                let freed = (!gone).then(|| Rc::new(FreeState { cond, ..(**f).clone() }));
                out.get_or_insert_with(|| after.clone()).freed = freed;
            }
        }
        for (at, (size, v)) in &after.cells {
            if before.cells.get(at).is_some_and(|(s, w)| s == size && w == v) {
                continue;
            }
            if let Some(new) = self.resolved(v, decided) {
                out.get_or_insert_with(|| after.clone()).cells.insert(*at, (*size, new));
            }
        }
        out
    }

    /// Returns a value with resolved conditions, if this changes it.
    fn resolved(&mut self, v: &Value, decided: &mut DecidedConditions) -> Option<Value> {
        let mut resolve = |t: TermId| self.arena.substitute_more(t, &decided.map, &mut decided.done);
        let new = match v {
            Value::Int(t) => Value::Int(resolve(*t)),
            Value::Bool(t) => Value::Bool(resolve(*t)),
            Value::Ptr(p) => {
                let all: Vec<GuardedTarget> = p
                    .iter()
                    .map(|t| GuardedTarget { cond: resolve(t.cond), offset: resolve(t.offset), ..t.clone() })
                    .collect();
                let possible: Vec<GuardedTarget> =
                    all.into_iter().filter(|t| self.arena.as_bool(t.cond) != Some(false)).collect();
                if possible.is_empty() {
                    return None;
                }
                Value::Ptr(Rc::new(possible))
            }
            // Parts and fractions are not loop variables with closed forms.
            Value::Real(_) | Value::Aggregate(_) | Value::Unknown(_) => return None,
        };
        (new != *v).then_some(new)
    }
}
