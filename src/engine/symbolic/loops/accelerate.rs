//! Values of loop variables at iteration `k`: an ordered list of recurrence solvers applied to a [`Transition`].
//!
//! In: the effect of an iteration on each variable. Out: forms in terms of `k`, arrays that iterations fill, and
//! conditions that hold in each iteration that continues. The transition holds in every iteration, so a closed form
//! solves the recurrence exactly; other variables are bounded or arbitrary. Loop acceleration as in Bozga, Iosif and
//! Konečný (CAV 2010). Execution of the loop with these forms is not decided here.

use super::array_fill::{FilledElements, IterationSums};
use super::houdini::CarriedVariable;
use super::prefix_sum::{SteppedVariable, steps_below};
use super::sum::Iterations;
use super::transition::{LoopAt, Transition};
use super::types::{Form, LoopVar};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::{Interval, WIDEST};
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Input of the recurrence solvers: a loop, the state before it, and its transition.
pub(super) struct Recurrences<'a> {
    pub frame: &'a Activation,
    pub at: &'a LoopAt<'a>,
    pub start: &'a State,
    pub found: &'a Transition,
}

/// Maximum size in bytes of a small array: eight elements of 64 bits.
const MAX_SMALL: i128 = 64;

/// Solved forms of a loop's variables at iteration `k`.
pub(super) struct SolvedForms {
    pub k: TermId,
    pub forms: FxHashMap<LoopVar, Form>,
    /// Maps symbols of the pass over the body to their values at iteration `k`.
    pub map: FxHashMap<TermId, TermId>,
    /// Variables that do not wrap, with their width in bits and whether they are signed.
    pub ranges: Vec<(LoopVar, u32, bool)>,
    pub arrays: Vec<(ObjId, Vec<FilledElements>)>,
    /// Whether iterations leave in an array pointers, or in a small array numbers, that only unrolling can distinguish.
    pub scattered: bool,
    /// Whether some variable has no closed form.
    pub inexact: bool,
    /// Conditions that hold in each iteration that continues, in terms of `k` alone.
    pub iteration: Vec<TermId>,
    /// Further conditions on memory that hold in each iteration that continues; new values are functions of `k`.
    pub each: Vec<TermId>,
    /// Conditions like `iteration`, including those in terms of variables without a closed form.
    pub all_round: Vec<TermId>,
    /// Facts about each earlier iteration from variables that record what an iteration found.
    pub noted: Vec<TermId>,
    /// Variables that only steps have moved.
    pub by_steps: FxHashSet<LoopVar>,
}

impl Executor<'_> {
    /// Solves variables in this order: closed forms of single variables, wrapping, sums stored in arrays, sums, flags
    /// and counts, bounded moves, and values set in some iteration. The first solver that handles a variable decides.
    pub(super) fn accelerate(&mut self, r: &Recurrences<'_>) -> SolvedForms {
        let (t, pass) = (r.found, &r.found.pass);
        let k = self.iteration_symbol(&t.vars);
        let (mut forms, inexact) = self.closed_forms(r, k);
        self.rotated(r, k, &mut forms);
        let (steps, constant) = self.constant_steps(r, &forms);
        let (_, _, iteration) = self.arena.split_common(pass.head.path, pass.end.path);
        let ranges = self.ranges_by_induction(r, k, iteration, &mut forms);
        let map = self.values_at(r, &forms, &ranges);
        let iterations = Iterations { k, map: &map, mark: pass.mark, version: pass.version };
        let (arrays, running) = self.arrays_filled(r, &forms, iteration, &iterations);
        for x in &running {
            forms.insert(x.var, Form::Bounded(Value::Int(x.now), x.facts.clone()));
        }
        let is_scattered = |o: &ObjId| {
            let filled = arrays.iter().any(|(a, f)| a == o && f.iter().all(|f| f.made.is_none()));
            !filled && (self.points_to.has_addresses(*o) || self.is_small_array(*o))
        };
        let scattered = t.vars.iter().any(|v| matches!(v, LoopVar::Whole(o) if is_scattered(o)));
        // `repeat_loop` does not find facts about arrays.
        let fillable = |v: &LoopVar| matches!(v, LoopVar::Whole(o) if self.may_be_filled(*o, pass));
        if constant && !inexact && arrays.is_empty() && !scattered && !t.vars.iter().any(fillable) {
            self.loops.steps.insert(r.at.key, steps);
        } else {
            self.loops.steps.remove(&r.at.key);
        }
        let iteration = self.arena.substitute(iteration, &map);
        let all_round = self.arena.conjuncts(iteration);
        let (iteration, open): (Vec<TermId>, Vec<TermId>) =
            all_round.iter().copied().partition(|c| self.only_old(*c, pass.mark, pass.version, Some(k)));
        let each = self.in_each_iteration(&open, (pass.mark, pass.version), k);
        let (noted, by_steps) = self.forms_over_iterations(r, &running, &iteration, &iterations, &mut forms);
        self.name_iteration(k, &forms);
        SolvedForms { k, forms, map, ranges, arrays, scattered, inexact, iteration, each, all_round, noted, by_steps }
    }

    /// Whether an object is a host variable of a few elements, as sizes and extents by dimension are.
    fn is_small_array(&self, o: ObjId) -> bool {
        let object = self.object(o);
        let small = object.extent.and_then(|e| self.arena.as_int(e)).is_some_and(|e| e <= MAX_SMALL);
        small && object.kind == ObjKind::HostLocal
    }

    /// Finds invariants of variables without a closed form, and the values of pointers to objects that each iteration
    /// makes.
    pub(super) fn find_invariants(&mut self, r: &Recurrences<'_>, solved: &mut SolvedForms) {
        let (t, pass) = (r.found, &r.found.pass);
        let iterations = Iterations { k: solved.k, map: &solved.map, mark: pass.mark, version: pass.version };
        let mut carried = vec![];
        for v in &t.vars {
            if t.pointers.contains(v) || t.pointers.twins.contains_key(v) {
                continue;
            }
            let (Some((start, held, next)), Some(bits)) = (self.numbers_in(r, *v), self.bits_of_var(r.frame, *v))
            else {
                continue;
            };
            let (moved, settled) = match solved.forms.get(v) {
                Some(Form::Arbitrary) => (None, false),
                Some(Form::Bounded(Value::Int(now), facts)) if solved.by_steps.contains(v) => {
                    (Some((*now, facts.clone())), false)
                }
                Some(Form::Bounded(..)) => (None, true),
                _ => continue,
            };
            let next = self.as_kept(next, held, bits);
            let next = self.arena.substitute(next, iterations.map);
            carried.push(CarriedVariable { var: *v, start, held, next, bits, moved, settled });
        }
        solved.forms.extend(self.inductive(&carried, &solved.all_round, r.start.path, &iterations));
        for (v, w) in &t.pointers.twins {
            self.size_twin(w, &iterations);
            let start = self.var_value(r.start, &r.at.phi_start, *v);
            solved.forms.insert(*v, Form::Bounded(self.held_at(start.as_ref(), w, solved.k), vec![]));
        }
    }
}

impl ExecutionContext<'_> {
    /// Forms of the variables taken one by one, and whether any of them is not exact.
    fn closed_forms(&mut self, r: &Recurrences<'_>, k: TermId) -> (FxHashMap<LoopVar, Form>, bool) {
        let (t, pass) = (r.found, &r.found.pass);
        let (mark, version) = (pass.mark, pass.version);
        let mut forms: FxHashMap<LoopVar, Form> = FxHashMap::default();
        let mut inexact = false;
        for v in &t.vars {
            if let (LoopVar::Life(o), Some(sym)) = (*v, pass.symbols.get(v).cloned()) {
                let form = self.life(o, r.start, &sym, &pass.end, k, mark, version);
                // Each iteration frees one of several outer allocations: only unrolling tells which.
                inexact |= !matches!(form, Form::Closed(_)) && r.start.mem.contains_key(&o);
                forms.insert(*v, form);
                continue;
            }
            // An array has no symbol: it is arbitrary, or filled.
            let Some(sym) = pass.symbols.get(v).cloned() else { continue };
            let Some(start) = self.var_value(r.start, &r.at.phi_start, *v) else {
                // Unwritten memory may be taken for written memory, as at joins.
                if t.pointers.choices.contains_key(v) {
                    forms.insert(*v, Form::Bounded(sym, vec![]));
                    inexact = true;
                }
                continue;
            };
            let Some(mut next) = self.var_value(&pass.end, &pass.phi_end, *v) else { continue };
            if let (Value::Int(n), Value::Int(h), Some(bits)) = (&next, &sym, self.bits_of_var(r.frame, *v)) {
                next = Value::Int(self.as_kept(*n, *h, bits));
            }
            let form = if t.pointers.contains(v) {
                Form::Bounded(sym, vec![])
            } else {
                self.solve(&start, &sym, &next, k, mark, version)
            };
            if matches!(form, Form::Arbitrary | Form::Bounded(..))
                && matches!(start, Value::Int(_) | Value::Ptr(_) | Value::Bool(_))
            {
                inexact = true;
            }
            forms.insert(*v, form);
        }
        (forms, inexact)
    }

    /// Variables with a closed form that stay in the range of a machine integer, by induction over the iterations.
    fn ranges_by_induction(
        &mut self,
        r: &Recurrences<'_>,
        k: TermId,
        iteration: TermId,
        forms: &mut FxHashMap<LoopVar, Form>,
    ) -> Vec<(LoopVar, u32, bool)> {
        let (t, pass) = (r.found, &r.found.pass);
        let plain = self.arena.conjuncts(iteration);
        let mut ranges: Vec<(LoopVar, u32, bool)> = vec![];
        let mut stepped: Vec<(LoopVar, TermId)> = vec![];
        for v in &t.vars {
            let (Some(Form::Closed(Value::Int(_))), Some(Value::Int(h))) = (forms.get(v), pass.symbols.get(v)) else {
                continue;
            };
            let Some(bits) = self.bits_of_var(r.frame, *v) else { continue };
            let Some((start, _, next)) = self.numbers_in(r, *v) else { continue };
            let signed = self.arena.range(*h).lo.is_some_and(|l| l < 0);
            let next = self.as_kept(next, *h, bits);
            let d = self.arena.sub(next, *h);
            if self.steps_in_range(start, *h, d, &plain, Interval::of_int(bits, signed)) {
                ranges.push((*v, bits, signed));
                continue;
            }
            // `while (i-- > 0)` on an unsigned `i`: the value that the condition reads starts in range, and so stays
            // there.
            let Some(read) = self.read_as_unsigned(&plain, *h, bits) else { continue };
            let from = self.interpret(start, bits, false);
            // The same step in every iteration: otherwise `k` steps are not `d * k`.
            if !self.only_old(d, pass.mark, pass.version, None) {
                continue;
            }
            if !self.steps_in_range(from, read, d, &plain, Interval::of_int(bits, false)) {
                continue;
            }
            let moved = self.arena.mul(d, k);
            stepped.push((*v, self.arena.add(from, moved)));
            ranges.push((*v, bits, false));
        }
        for (v, at_k) in stepped {
            forms.insert(v, Form::Closed(Value::Int(at_k)));
        }
        ranges
    }

    /// Maps symbols of variables to the values that the machine reads at iteration `k`; after `k` steps these may have
    /// wrapped.
    fn values_at(
        &mut self,
        r: &Recurrences<'_>,
        forms: &FxHashMap<LoopVar, Form>,
        ranges: &[(LoopVar, u32, bool)],
    ) -> FxHashMap<TermId, TermId> {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (v, f) in forms {
            match (f, r.found.pass.symbols.get(v)) {
                (Form::Closed(Value::Int(at_k)), Some(Value::Int(sym))) => {
                    let read = match self.bits_of_var(r.frame, *v) {
                        Some(bits) if !ranges.iter().any(|r| r.0 == *v) => {
                            let start = self.var_value(r.start, &r.at.phi_start, *v);
                            self.read_at(*at_k, start.as_ref(), *sym, bits)
                        }
                        _ => *at_k,
                    };
                    map.insert(*sym, read);
                }
                (Form::Closed(Value::Ptr(at_k)), Some(Value::Ptr(sym))) => {
                    if let ([a], [h]) = (at_k.as_slice(), sym.as_slice()) {
                        map.insert(h.offset, a.offset);
                    }
                }
                // The symbol stays: any value.
                _ => {}
            }
        }
        map
    }

    /// Arrays to which each iteration writes an element, and the running sums stored in them.
    fn arrays_filled(
        &mut self,
        r: &Recurrences<'_>,
        forms: &FxHashMap<LoopVar, Form>,
        iteration: TermId,
        iterations: &Iterations<'_>,
    ) -> (Vec<(ObjId, Vec<FilledElements>)>, Vec<SteppedVariable>) {
        let (t, pass) = (r.found, &r.found.pass);
        let place = (r.frame.context, Site { func: r.frame.func, block: r.at.header, inst: u32::MAX - 1 });
        let fills = t.vars.iter().any(|v| matches!(v, LoopVar::Whole(_)));
        let (mut running, mut in_iteration): (Vec<SteppedVariable>, Vec<TermId>) = Default::default();
        for v in t.vars.iter().filter(|_| fills) {
            if !Terms::is_open(r, forms, *v) {
                continue;
            }
            let (Some((a, h, n)), Some(bits)) = (self.numbers_in(r, *v), self.bits_of_var(r.frame, *v)) else {
                continue;
            };
            let n = self.as_kept(n, h, bits);
            running.extend(self.running(*v, (a, h, n), bits, iterations));
        }
        if fills {
            let iteration = self.arena.substitute(iteration, iterations.map);
            in_iteration = [self.arena.conjuncts(iteration), self.arena.conjuncts(r.start.path)].concat();
            in_iteration = self.read_plainly(in_iteration);
        }
        let sums = IterationSums { running: &running, before: r.start, known: &in_iteration };
        let (mark, k) = ((pass.mark, pass.version), iterations.k);
        let arrays: Vec<(ObjId, Vec<FilledElements>)> = t
            .vars
            .iter()
            .filter_map(|v| {
                if let LoopVar::Whole(o) = v {
                    self.filled(*o, (&pass.head, &pass.end), iterations.map, mark, k, place, &sums).map(|f| (*o, f))
                } else {
                    None
                }
            })
            .collect();
        // An array that stores a variable's value of each iteration refers to the same sum as the variable.
        let kept: FxHashSet<TermId> =
            arrays.iter().flat_map(|(_, f)| f).flat_map(|f| steps_below(&self.arena, f.value())).collect();
        running.retain(|r| r.step.is_some_and(|s| kept.contains(&s)));
        (arrays, running)
    }

    /// Forms of numbers that depend on what iterations did: sums, flags and counts, bounded moves, values set in some
    /// iteration. Returns what flags say about each iteration, and the variables that only steps have moved.
    fn forms_over_iterations(
        &mut self,
        r: &Recurrences<'_>,
        running: &[SteppedVariable],
        iteration: &[TermId],
        iterations: &Iterations<'_>,
        forms: &mut FxHashMap<LoopVar, Form>,
    ) -> (Vec<TermId>, FxHashSet<LoopVar>) {
        let (mark, version) = (iterations.mark, iterations.version);
        let mut by_steps: FxHashSet<LoopVar> = FxHashSet::default();
        let mut noted: Vec<TermId> = vec![];
        for v in &r.found.vars {
            if matches!(forms.get(v), Some(Form::Arbitrary | Form::Bounded(Value::Ptr(_), _)))
                && !r.found.pointers.contains(v)
                && let Some(f) = self.pointer_sum(r, *v, iterations)
            {
                forms.insert(*v, f);
                continue;
            }
            if !Terms::is_open(r, forms, *v) || running.iter().any(|x| x.var == *v) {
                continue;
            }
            let Some((a, h, n)) = self.numbers_in(r, *v) else { continue };
            let kept = match self.bits_of_var(r.frame, *v) {
                Some(bits) => self.as_kept(n, h, bits),
                None => n,
            };
            if let Some(bits) = self.bits_of_var(r.frame, *v)
                && let Some(f) = self.multiplied((a, h, kept), bits, iterations)
            {
                forms.insert(*v, f);
                continue;
            }
            if let Some(f) = self.added_up((a, h, kept), iterations) {
                forms.insert(*v, f);
                continue;
            }
            let moved = self.moved(a, h, kept, iterations);
            if let Some(known) = moved.as_ref().or_else(|| forms.get(v)).cloned()
                && let Some((f, seen)) = self.noted((a, h, kept), iterations, &known)
            {
                forms.insert(*v, f);
                noted.push(seen);
                continue;
            }
            if let Some(f) = moved {
                forms.insert(*v, f);
                by_steps.insert(*v);
                continue;
            }
            if !matches!(forms.get(v), Some(Form::Arbitrary)) {
                continue;
            }
            let f = match self.set_in_some_iteration((a, h, n), iterations.k, iterations.map, iteration, mark, version)
            {
                None => self.loaded_in_some_iteration(a, h, n, mark, version),
                f => f,
            };
            if let Some(f) = f {
                forms.insert(*v, f);
            }
        }
        (noted, by_steps)
    }

    /// Width in bits of a variable that holds an integer.
    pub(super) fn bits_of_var(&self, fr: &Activation, v: LoopVar) -> Option<u32> {
        match v {
            LoopVar::Cell(_, _, size) => Some(size * 8),
            LoopVar::Phi(p) => self.value_type(fr.func, p).and_then(|t| self.bits_of(fr.func, t)),
            LoopVar::Whole(_) | LoopVar::Life(_) => None,
        }
    }
}

impl MemoryDomain<'_> {
    /// Form of an object's freed condition at iteration `k`.
    #[expect(clippy::too_many_arguments, reason = "one variable of a loop, as for any other")]
    pub(super) fn life(
        &mut self,
        o: ObjId,
        s0: &State,
        sym: &Value,
        sb: &State,
        k: TermId,
        mark: usize,
        version: u32,
    ) -> Form {
        let (start, next) = (self.freed_when(s0, o), self.freed_when(sb, o));
        match self.solve(&Value::Bool(start), sym, &Value::Bool(next), k, mark, version) {
            Form::Arbitrary => {
                let (freed, fact) = self.freed_in_loop(start, o, k);
                Form::Bounded(Value::Bool(freed), vec![fact])
            }
            form => form,
        }
    }
}

impl Terms {
    /// Integer values of a variable: before the loop, at the start of an iteration and at its end.
    pub(super) fn numbers_in(&self, r: &Recurrences<'_>, v: LoopVar) -> Option<(TermId, TermId, TermId)> {
        let (t, pass) = (r.found, &r.found.pass);
        debug_assert!(t.vars.contains(&v));
        match (
            self.var_value(r.start, &r.at.phi_start, v),
            pass.symbols.get(&v),
            self.var_value(&pass.end, &pass.phi_end, v),
        ) {
            (Some(Value::Int(a)), Some(Value::Int(h)), Some(Value::Int(n))) => Some((a, *h, n)),
            _ => None,
        }
    }

    /// Form of a pointer that each iteration moves within its object.
    fn pointer_sum(&mut self, r: &Recurrences<'_>, v: LoopVar, iterations: &Iterations<'_>) -> Option<Form> {
        let pass = &r.found.pass;
        let start = self.var_value(r.start, &r.at.phi_start, v)?;
        let next = self.var_value(&pass.end, &pass.phi_end, v)?;
        self.pointer_added_up([&start, pass.symbols.get(&v)?, &next], iterations)
    }

    /// Constant steps of variables (`None` for arbitrary ones), and whether every other variable has one.
    fn constant_steps(
        &mut self,
        r: &Recurrences<'_>,
        forms: &FxHashMap<LoopVar, Form>,
    ) -> (Vec<(LoopVar, Option<i128>)>, bool) {
        let (t, pass) = (r.found, &r.found.pass);
        let mut steps: Vec<(LoopVar, Option<i128>)> = vec![];
        let mut constant = true;
        for v in &t.vars {
            match (forms.get(v), pass.symbols.get(v), self.var_value(&pass.end, &pass.phi_end, *v)) {
                (Some(Form::Closed(Value::Int(_))), Some(Value::Int(h)), Some(Value::Int(n))) => {
                    let d = self.arena.sub(n, *h);
                    let c = self.arena.as_int(d);
                    constant &= c.is_some();
                    steps.push((*v, c));
                }
                (Some(Form::Closed(Value::Ptr(_))), Some(Value::Ptr(h)), Some(Value::Ptr(n)))
                    if h.len() == 1 && n.len() == 1 =>
                {
                    let d = self.arena.sub(n[0].offset, h[0].offset);
                    let c = self.arena.as_int(d);
                    constant &= c.is_some();
                    steps.push((*v, c));
                }
                (Some(Form::Arbitrary) | None, ..) => steps.push((*v, None)),
                _ if matches!(v, LoopVar::Life(_)) => steps.push((*v, None)),
                _ => constant = false,
            }
        }
        (steps, constant)
    }

    /// Whether further solvers may try a number: it has no exact form.
    fn is_open(r: &Recurrences<'_>, forms: &FxHashMap<LoopVar, Form>, v: LoopVar) -> bool {
        !r.found.pointers.contains(&v)
            && matches!(forms.get(&v), Some(Form::Arbitrary | Form::Bounded(Value::Int(_), _)))
    }

    /// Facts that a term lies in the range of an interpretation.
    pub(super) fn within(&mut self, t: TermId, bits: u32, signed: bool) -> Vec<TermId> {
        let r = Interval::of_int(bits, signed);
        let (Some(lo), Some(hi)) = (r.lo, r.hi) else { return vec![] };
        let (lo, hi) = (self.arena.int(lo), self.arena.int(hi));
        vec![self.arena.le(lo, t), self.arena.le(t, hi)]
    }

    /// Term through which conditions read a variable as an unsigned integer of `bits` bits.
    pub(super) fn read_as_unsigned(&self, conditions: &[TermId], h: TermId, bits: u32) -> Option<TermId> {
        self.arena.cone(conditions).into_iter().find(|t| self.arena.reading(*t) == Some((h, bits, false)))
    }

    /// Checks by induction over the iterations that a variable stays in range: the start is in range, and the bounds on
    /// `v` in an iteration that continues keep one more step `d` in range.
    pub(super) fn steps_in_range(
        &mut self,
        start: TermId,
        v: TermId,
        d: TermId,
        iteration: &[TermId],
        want: Interval,
    ) -> bool {
        if !want.contains(self.arena.range(start)) {
            return false;
        }
        let step = self.arena.range(d);
        let (Some(least), Some(most)) = (step.lo, step.hi) else { return false };
        let (mut upper, mut lower) = (most <= 0, least >= 0);
        for c in iteration {
            let Term::Le(t) = *self.arena.get(*c) else { continue };
            let p = self.arena.poly(t);
            let Some((_, coefficient)) = p.terms.iter().find(|(m, _)| m.as_slice() == [v]).cloned() else { continue };
            let own = self.arena.scale(v, coefficient);
            let rest = self.arena.sub(t, own);
            // coefficient * v + rest <= 0
            let Some(l) = self.arena.range(rest).lo else { continue };
            if coefficient >= 1 {
                let max = (-l).div_euclid(coefficient);
                upper |= max.checked_add(most).is_some_and(|v| want.hi.is_some_and(|h| v <= h));
            }
            if coefficient <= -1 {
                let min = -((-l).div_euclid(-coefficient));
                lower |= min.checked_add(least).is_some_and(|v| want.lo.is_some_and(|w| v >= w));
            }
        }
        upper && lower
    }

    /// Value that the machine reads of a variable after `k` steps, of which `at_k` is the unbounded value. Variables of
    /// fewer than 32 bits wrap around. One of 32 bits or more that starts in range is followed to the first wrapped
    /// value, which the condition of the previous iteration does not exclude, and no further (docs/LIMITATIONS.md):
    /// that would take some 2^31 iterations or a step as large.
    pub(super) fn read_at(&mut self, at_k: TermId, start: Option<&Value>, sym: TermId, bits: u32) -> TermId {
        let signed = self.arena.range(sym).lo.is_some_and(|l| l < 0);
        let want = Interval::of_int(bits, signed);
        let wrapped = self.arena.wrap(at_k, bits, signed);
        let (Some(Value::Int(start)), true) = (start, (32..=WIDEST).contains(&bits)) else { return wrapped };
        if want.contains(self.arena.range(*start)) {
            return at_k;
        }
        let fits = self.within(*start, bits, signed);
        let fits = self.arena.and_all(fits);
        self.arena.ite(fits, at_k, wrapped)
    }

    /// Whether a term consists only of symbols and contents that are older than the pass, and possibly of `k`.
    pub(in crate::symbolic) fn only_old(&self, t: TermId, mark: usize, version: u32, k: Option<TermId>) -> bool {
        self.arena.cone(&[t]).into_iter().all(|n| match self.arena.get(n) {
            Term::Sym(s) | Term::BoolSym(s) => (s.0 as usize) < mark || Some(n) == k,
            Term::Apply { function: UninterpretedFunction::Content | UninterpretedFunction::Product, args, .. } => {
                args.get(1).and_then(|a| self.arena.as_int(*a)).is_some_and(|v| v <= i128::from(version))
            }
            // A value of an iteration of a loop inside the pass: another one in each iteration of the pass.
            Term::Apply { function: UninterpretedFunction::Round(of), args, .. }
                if k.is_none_or(|k| args.as_slice() != [k]) =>
            {
                if (*of as usize) < self.arena.symbols().len() {
                    (*of as usize) < mark
                } else {
                    self.only_old(TermId(u32::MAX - of), mark, version, None)
                }
            }
            _ => true,
        })
    }
}
