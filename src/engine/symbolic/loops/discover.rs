//! Discovery of the variables that a loop's body changes, and of an iteration's effect on them.
//!
//! In: a loop and the state before it. Out: a [`Transition`] from a state in which everything that the body writes is
//! an arbitrary symbol to the state at its end. Passes over the body repeat until no further variable changes, as in
//! widening (Cousot and Cousot, POPL 1977). A pointer variable has one of the targets that passes leave in it, or an
//! unknown one. Consequences of the transition for later iterations are not derived here.

use super::summary::MAX_AGAIN;
use super::transition::{BodyPass, LoopAt, PointerVars, Transition};
use super::types::LoopVar;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjState, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::{BlockId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Maximum number of targets of a loop's pointer variable.
const MAX_POINTERS: usize = 8;

/// Maximum number of passes that determine what a body changes, and of further passes that only find another target of
/// a pointer.
const MAX_PASSES: u32 = 16;
const MAX_WIDENED: u32 = 64;

/// Result of [`Executor::discover`].
pub(super) enum Discovery {
    Found(Box<Transition>),
    /// The body never reaches the back edge: on this path there is no loop.
    NeverComesBack,
    /// Every pass found new variables or pointer targets.
    NotFound,
    GaveUp,
}

impl Executor<'_> {
    /// Repeats passes over the body, with every known variable arbitrary, until no further one changes. Records no
    /// events. Puts objects that existed before the loop, but that the body is the first to touch, into the state
    /// before the loop.
    pub(super) fn discover(&mut self, fr: &mut Activation, at: &LoopAt<'_>, s0: &mut State) -> Discovery {
        let mut vars: Vec<LoopVar> = self.loops.vars.get(&at.key).cloned().unwrap_or_default();
        for p in &at.phis {
            if !vars.contains(&LoopVar::Phi(*p)) {
                vars.push(LoopVar::Phi(*p));
            }
        }
        let events = self.events.mark();
        let mut pointers = PointerVars::default();
        let found = self.without_recording(|e| e.passes(fr, at, s0, &mut vars, &mut pointers));
        let pass = match found {
            Ok(pass) => {
                self.events.take_back(events);
                self.loops.vars.insert(at.key, vars.clone());
                pass
            }
            Err(ended) => return ended,
        };
        match pass {
            Some(pass) => Discovery::Found(Box::new(Transition { vars, pointers, pass })),
            None => Discovery::NotFound,
        }
    }

    /// Returns the last of the passes; `None` if there would be too many.
    fn passes(
        &mut self,
        fr: &mut Activation,
        at: &LoopAt<'_>,
        s0: &mut State,
        vars: &mut Vec<LoopVar>,
        pointers: &mut PointerVars,
    ) -> Result<Option<BodyPass>, Discovery> {
        let func = self.function(fr.func);
        let mut again = 0;
        let (mut iteration, mut widened) = (0, 0);
        while iteration < MAX_PASSES {
            self.note_choices(at, s0, vars, pointers);
            let (mark, version) = (self.arena.symbols().len(), self.heap.version());
            let (stored, noted) = (self.mark(), self.runtime.noted());
            let chosen = self.chosen_pointers(pointers);
            let (head, symbols) = self.header_state(fr, s0, vars, &at.phi_start, |_, v| chosen.get(&v).cloned());
            let out = self.region(fr, at.cfg, Some(at.number), at.header, vec![(at.header, head.clone())]);
            if self.limits.is_at_an_end() {
                return Err(Discovery::GaveUp);
            }
            let Some((mut end, mut phi_end)) = self.back_state(fr, func, at.header, &at.phis, out.back) else {
                return Err(Discovery::NeverComesBack);
            };
            self.resolve_at_back_edge(&head, &mut end, &mut phi_end);
            if self.touch_what_was_there(s0, &end) {
                iteration += 1;
                continue;
            }
            let pass = BodyPass { head, symbols, end, phi_end, mark, version };
            let mut new = self.changed(&pass.head, &pass.end, vars);
            // Each iteration starts with a twin of its own.
            new.retain(|v| !matches!(v, LoopVar::Cell(o, ..) | LoopVar::Whole(o) | LoopVar::Life(o) if pointers.twins.values().any(|w| w.twin == *o)));
            if iteration >= 10 {
                new =
                    new.into_iter().map(|v| if let LoopVar::Cell(o, ..) = v { LoopVar::Whole(o) } else { v }).collect();
            }
            pointers.wider = false;
            for v in vars.iter() {
                self.widen_pointer(fr, at, s0, &pass, *v, pointers);
            }
            self.drop_twins_in_numbers(vars, &pass, pointers);
            pointers.wider |= self.number_starts(s0, &pass.end, vars.iter().chain(&new));
            if new.is_empty() && !pointers.wider {
                // Launches are executed differently once device work may overlap, and status codes once a launch may be
                // refused.
                if self.runtime.noted() != noted {
                    iteration += 1;
                    continue;
                }
                // Iterate: a pointer stored in iteration i may be loaded in iteration i + 1.
                if !self.has_kept_more(stored) {
                    return Ok(Some(pass));
                }
                again += 1;
                if again > MAX_AGAIN {
                    self.give_up_places(stored);
                }
            }
            // Pointers passed from iteration to iteration are found one per pass.
            if pointers.wider && new.is_empty() && widened < MAX_WIDENED {
                widened += 1;
            } else {
                iteration += 1;
            }
            for v in new {
                if let LoopVar::Whole(o) = v {
                    vars.retain(|x| !matches!(x, LoopVar::Cell(p, ..) if *p == o));
                }
                if !vars.contains(&v) {
                    vars.push(v);
                }
            }
        }
        Ok(None)
    }
}

impl ExecutionContext<'_> {
    /// Puts objects that existed before the loop, but that the body is the first to touch, into the state before the
    /// loop; returns whether there were any.
    fn touch_what_was_there(&mut self, s0: &mut State, end: &State) -> bool {
        let untouched: Vec<ObjId> = end
            .mem
            .keys()
            .filter(|o| !s0.mem.contains_key(o) && self.object(*o).kind.is_there_from_the_start())
            .collect();
        let any = !untouched.is_empty();
        for o in untouched {
            self.ensure(s0, o);
        }
        any
    }

    /// Adds a pointer variable's targets after a pass to its possible ones; the pointer becomes unknown if they are too
    /// many or differ between iterations.
    fn widen_pointer(
        &mut self,
        fr: &Activation,
        at: &LoopAt<'_>,
        s0: &mut State,
        pass: &BodyPass,
        v: LoopVar,
        pointers: &mut PointerVars,
    ) {
        let PointerVars { choices, beyond, twins, wider } = pointers;
        if beyond.contains(&v) {
            return;
        }
        let (mark, version) = (pass.mark, pass.version);
        let (a, n) = match (self.var_value(s0, &at.phi_start, v), self.var_value(&pass.end, &pass.phi_end, v)) {
            (_, Some(Value::Ptr(n))) => match self.pointers_before(s0, &at.phi_start, v) {
                Some(a) => (a, n),
                None => return,
            },
            (Some(Value::Ptr(_)), _) if !matches!(v, LoopVar::Whole(_)) => {
                choices.remove(&v);
                beyond.insert(v);
                *wider = true;
                return;
            }
            _ => return,
        };
        if let ([a], [n]) = (a.as_slice(), n.as_slice())
            && !choices.contains_key(&v)
            && a.0 == n.base
        {
            return;
        }
        let known = choices.entry(v).or_insert_with(|| {
            *wider = true;
            a
        });
        let mut bad = false;
        let resized = matches!(n.as_slice(), [GuardedTarget { base: Base::Object(o), .. }] if !s0.mem.contains_key(o) && !self.object(*o).extent.is_some_and(|e| self.only_old(e, mark, version, None)));
        let anew = if resized { self.made_anew(fr, at.header, s0, &pass.end, &n) } else { None };
        match (anew, twins.get(&v)) {
            (Some(w), None) => {
                known.push((Base::Object(w.twin), w.offset));
                twins.insert(v, w);
                *wider = true;
            }
            (anew, before) => bad |= anew.as_ref() != before,
        }
        // The next iteration's twin is not this one's.
        bad |= n.iter().any(|t| twins.values().any(|w| t.base == Base::Object(w.twin)));
        for t in n.iter().filter(|_| !twins.contains_key(&v)) {
            // An allocation of an earlier iteration may have had another size.
            bad |= matches!(t.base, Base::Object(o) if !s0.mem.contains_key(&o) && !self.object(o).extent.is_some_and(|e| self.only_old(e, mark, version, None)));
            if known.iter().any(|(b, o)| *b == t.base && *o == t.offset) {
                continue;
            }
            if *wider {
                continue;
            }
            bad |= matches!(t.base, Base::Unknown(_)) || known.len() >= MAX_POINTERS;
            known.push((t.base.clone(), t.offset));
            *wider = true;
        }
        bad |= known.iter().any(|(b, _)| matches!(b, Base::Unknown(_)));
        let offsets = known.iter().map(|(_, o)| *o).collect::<Vec<_>>();
        bad |= offsets.into_iter().any(|o| !self.only_old(o, mark, version, None));
        // An object made in an earlier iteration has that iteration's size, not this one's.
        let extents: Vec<TermId> = known
            .iter()
            .filter_map(|(b, _)| if let Base::Object(o) = b { self.object(*o).extent } else { None })
            .collect();
        bad |= extents.into_iter().any(|e| !self.only_old(e, mark, version, None));
        if bad {
            choices.remove(&v);
            twins.remove(&v);
            beyond.insert(v);
            *wider = true;
        }
    }

    /// Builds the state at the header: variables get the given values, or fresh symbols.
    pub(super) fn header_state(
        &mut self,
        fr: &mut Activation,
        s0: &State,
        vars: &[LoopVar],
        phi_start: &FxHashMap<ValueId, Value>,
        given: impl Fn(&Self, LoopVar) -> Option<Value>,
    ) -> (State, FxHashMap<LoopVar, Value>) {
        let mut s = s0.clone();
        let mut symbols = FxHashMap::default();
        for v in vars {
            match *v {
                LoopVar::Whole(o) => {
                    let name = self.object(o).name.clone();
                    let input =
                        matches!(s0.mem.get(&o).map(|x| &x.rest), Some(UncoveredContents::Unknown { input: true, .. }));
                    self.blank(&mut s, o, &UnknownReason::LoopWritesTo(name.clone()), input);
                }
                LoopVar::Cell(o, at, size) => {
                    let value = match given(self, *v) {
                        Some(x) => x,
                        None => {
                            let start = self.var_value(s0, phi_start, *v);
                            let name = self.object(o).name.clone();
                            self.like(start.as_ref(), size, &UnknownReason::InLoop(name.clone()))
                        }
                    };
                    self.ensure(&mut s, o);
                    if let Some(rc) = s.mem.get_mut(&o) {
                        let st: &mut ObjState = Rc::make_mut(rc);
                        st.clear(at, at + i64::from(size));
                        st.cells.insert(at, (size, value.clone()));
                    }
                    symbols.insert(*v, value);
                }
                LoopVar::Life(o) => {
                    let value =
                        match given(self, *v) {
                            Some(x) => x,
                            None => {
                                let name = self.object(o).name.clone();
                                Value::Bool(self.arena.fresh_bool(
                                    SymKind::Unknown { reason: UnknownReason::FreedInLoop(name.clone()) },
                                    "?",
                                ))
                            }
                        };
                    if let Value::Bool(c) = value {
                        self.set_freed(&mut s, o, c);
                    }
                    symbols.insert(*v, value);
                }
                LoopVar::Phi(p) => {
                    let value = match given(self, *v) {
                        Some(x) => x,
                        None => {
                            let start = phi_start.get(&p).cloned();
                            let bits = self.value_type(fr.func, p).and_then(|t| self.bits_of(fr.func, t)).unwrap_or(64);
                            self.like(start.as_ref(), bits.div_ceil(8), &UnknownReason::Carried)
                        }
                    };
                    fr.env[p.index()] = Some(value.clone());
                    symbols.insert(*v, value);
                }
            }
        }
        (s, symbols)
    }

    pub(super) fn back_state(
        &mut self,
        fr: &mut Activation,
        func: &ir::Function,
        header: BlockId,
        phis: &[ValueId],
        back: Vec<(BlockId, State)>,
    ) -> Option<(State, FxHashMap<ValueId, Value>)> {
        if back.is_empty() {
            return None;
        }
        let saved: Vec<(ValueId, Option<Value>)> = phis.iter().map(|p| (*p, fr.env[p.index()].clone())).collect();
        let s = self.enter_block(fr, func, header, back, true)?;
        let next = phis.iter().filter_map(|p| fr.env[p.index()].clone().map(|v| (*p, v))).collect();
        for (p, v) in saved {
            fr.env[p.index()] = v;
        }
        Some((s, next))
    }
}

impl MemoryDomain<'_> {
    /// Records pointer variables with several targets before the loop: in later iterations each has one of these or of
    /// targets found later.
    fn note_choices(&mut self, at: &LoopAt<'_>, s0: &State, vars: &[LoopVar], pointers: &mut PointerVars) {
        for v in vars {
            if pointers.contains(v) {
                continue;
            }
            let before = self.pointers_before(s0, &at.phi_start, *v).filter(|a| {
                (2..=MAX_POINTERS).contains(&a.len()) && !a.iter().any(|(b, _)| matches!(b, Base::Unknown(_)))
            });
            if let Some(before) = before {
                pointers.choices.insert(*v, before);
            }
        }
    }

    /// Possible targets of a pointer variable before the loop: none if it was never written. `None` if they are
    /// unknown.
    pub(super) fn pointers_before(
        &mut self,
        s0: &State,
        phis: &FxHashMap<ValueId, Value>,
        v: LoopVar,
    ) -> Option<Vec<(Base, TermId)>> {
        let value = match (self.var_value(s0, phis, v), v) {
            (Some(x), _) => x,
            (None, LoopVar::Cell(o, at, size)) => {
                let st = s0.mem.get(&o)?.clone();
                match self.cell_for_merge(o, &st, at, size) {
                    None => return Some(vec![]),
                    Some(x) => x,
                }
            }
            _ => return None,
        };
        match value {
            Value::Ptr(p) => Some(p.iter().map(|t| (t.base.clone(), t.offset)).collect()),
            Value::Int(t) if self.arena.as_int(t) == Some(0) => Some(vec![(Base::Null, t)]),
            _ => None,
        }
    }
}

impl Terms {
    /// Values at the start of a pass of the pointer variables with several or unknown targets.
    fn chosen_pointers(&mut self, pointers: &PointerVars) -> FxHashMap<LoopVar, Value> {
        let mut chosen: FxHashMap<LoopVar, Value> = pointers
            .choices
            .iter()
            .filter(|(_, c)| !c.is_empty())
            .map(|(v, c)| (*v, self.any_of(c, &UnknownReason::LoopPointers)))
            .collect();
        for v in &pointers.beyond {
            let p = self.unknown_pointer(&UnknownReason::LoopPointer);
            chosen.insert(*v, p);
        }
        chosen
    }

    /// Makes twin pointers unknown if a twin's address is stored as an integer.
    fn drop_twins_in_numbers(&mut self, vars: &[LoopVar], pass: &BodyPass, pointers: &mut PointerVars) {
        let numbers: Vec<TermId> = vars
            .iter()
            .filter_map(|v| {
                if let Some(Value::Int(n)) = self.var_value(&pass.end, &pass.phi_end, *v) { Some(n) } else { None }
            })
            .collect();
        if pointers.twins.values().any(|w| self.speaks_of(&numbers, w.twin)) {
            for v in pointers.twins.drain().map(|(v, _)| v) {
                pointers.choices.remove(&v);
                pointers.beyond.insert(v);
            }
            pointers.wider = true;
        }
    }

    /// Returns an arbitrary value of the start value's kind. A pointer keeps its object.
    pub(super) fn like(&mut self, start: Option<&Value>, size: u32, reason: &UnknownReason) -> Value {
        let unknown = SymKind::Unknown { reason: reason.clone() };
        match start {
            Some(Value::Bool(_)) => Value::Bool(self.arena.fresh_bool(unknown, "?")),
            Some(Value::Ptr(p)) if p.len() == 1 && matches!(p[0].base, Base::Object(_)) => {
                let offset = self.arena.fresh(unknown, "?", Interval::of_int(63, true));
                Value::Ptr(Rc::new(vec![GuardedTarget { offset, ..p[0].clone() }]))
            }
            Some(Value::Ptr(_)) => self.unknown_pointer(reason),
            Some(Value::Int(t)) => {
                // Unsigned if the start does not fit the signed range.
                let bits = size * 8;
                let signed = Interval::of_value(bits, true);
                let range = if self.arena.as_int(*t).is_some_and(|v| !signed.contains_value(v)) {
                    Interval::of_int(bits, false)
                } else {
                    signed
                };
                Value::Int(self.arena.fresh(unknown, "?", range))
            }
            Some(Value::Real(r)) if r.is_floored() => Value::Real(self.arena.real_unknown(reason)),
            Some(Value::Aggregate(e)) => {
                let e: Vec<Value> = e.iter().map(|x| self.like(Some(x), 8, reason)).collect();
                Value::Aggregate(Rc::new(e))
            }
            _ => Value::unknown(reason.clone()),
        }
    }

    /// Variables in which the state at the back edge differs from the one at the header, beyond the known ones.
    pub(super) fn changed(&mut self, sh: &State, sb: &State, known: &[LoopVar]) -> Vec<LoopVar> {
        let whole: FxHashSet<ObjId> =
            known.iter().filter_map(|v| if let LoopVar::Whole(o) = v { Some(*o) } else { None }).collect();
        let mut out = vec![];
        let mut ids: Vec<ObjId> = sb.mem.keys().collect();
        ids.sort_unstable();
        for o in ids {
            let b = &sb.mem[&o];
            let ends =
                b.freed.as_ref().map(|f| f.cond) != sh.mem.get(&o).and_then(|h| h.freed.as_ref()).map(|f| f.cond);
            if ends && !known.contains(&LoopVar::Life(o)) {
                out.push(LoopVar::Life(o));
            }
            if whole.contains(&o) {
                continue;
            }
            // An object that the iteration ended is absent from its last state: no later iteration finds it.
            let Some(h) = sh.mem.get(&o) else {
                // The body made the object: in the next iteration it holds anything.
                out.push(LoopVar::Whole(o));
                continue;
            };
            if Rc::ptr_eq(h, b) || h == b {
                continue;
            }
            if h.rest != b.rest {
                out.push(LoopVar::Whole(o));
                continue;
            }
            let mut keys: Vec<(i64, u32)> =
                b.cells.iter().map(|(o, (s, _))| (*o, *s)).chain(h.cells.iter().map(|(o, (s, _))| (*o, *s))).collect();
            keys.sort_unstable();
            keys.dedup();
            for (at, size) in keys {
                let (x, y) = (h.cells.get(&at), b.cells.get(&at));
                if x == y {
                    continue;
                }
                let v = LoopVar::Cell(o, at, size);
                match (x, y) {
                    (Some((s1, _)), Some((s2, _))) if s1 != s2 => {
                        out.push(LoopVar::Whole(o));
                        break;
                    }
                    (_, None) => {
                        out.push(LoopVar::Whole(o));
                        break;
                    }
                    _ => {
                        if !known.contains(&v) {
                            out.push(v);
                        }
                    }
                }
            }
        }
        if out.len() > 256 {
            out = out.into_iter().map(|v| if let LoopVar::Cell(o, ..) = v { LoopVar::Whole(o) } else { v }).collect();
            out.sort_unstable();
            out.dedup();
        }
        out
    }

    pub(super) fn var_value(&self, s: &State, phis: &FxHashMap<ValueId, Value>, v: LoopVar) -> Option<Value> {
        match v {
            LoopVar::Phi(p) => phis.get(&p).cloned(),
            LoopVar::Cell(o, at, size) => s.mem.get(&o)?.cells.get(&at).filter(|c| c.0 == size).map(|c| c.1.clone()),
            LoopVar::Whole(_) | LoopVar::Life(_) => None,
        }
    }

    /// Pointer to any of several targets, chosen freely.
    pub(in crate::symbolic) fn any_of(&mut self, places: &[(Base, TermId)], why: &UnknownReason) -> Value {
        let mut targets = vec![];
        let mut none_before = self.arena.bool(true);
        let last = places.len().saturating_sub(1);
        for (i, (base, offset)) in places.iter().enumerate() {
            let pick = if i == last {
                self.arena.bool(true)
            } else {
                self.arena.fresh_bool(SymKind::Unknown { reason: why.clone() }, "?")
            };
            let cond = self.arena.and(none_before, pick);
            let n = self.arena.not(pick);
            none_before = self.arena.and(none_before, n);
            targets.push(GuardedTarget::new(cond, base.clone(), *offset));
        }
        Value::Ptr(Rc::new(targets))
    }
}
