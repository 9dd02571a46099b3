//! Loop summaries: one pass over the body at an arbitrary iteration `k`.
//!
//! In: a loop and the states that enter it. Out: the states at the edges that leave it, and returns inside it. First a
//! pass in which every variable that the body writes is an arbitrary symbol gives each variable's next value as a
//! function of its present one ([`super::discover`]). Then every variable with a closed form (`i + c`, `p + c`,
//! `s / 2^c`, `s * 2^c`) is replaced by this form in terms of `k` ([`super::accelerate`]); the others are bounded or
//! arbitrary (a counter that is sometimes incremented stays between its start and `k` steps further). The condition
//! under which the loop continues is kept for the previous iteration: it makes exit values exact. Later executions of
//! the same loop only verify the steps that were found. Loop summarisation in symbolic execution follows Godefroid and
//! Luchaup (ISSTA 2011).

use super::accelerate::{Recurrences, SolvedForms};
use super::discover::Discovery;
use super::quantified_facts::QuantifiedFact;
use super::sum::Iterations;
use super::transition::{LoopAt, Transition};
use super::types::{Form, LoopOut, LoopVar};
use crate::symbolic::exec::events::LoopEvent;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::{Activation, RegionOut, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::limits::cost::{HostPart, PartTreatment};
use crate::symbolic::memory::value::{GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::inside::{self, Dump};
use base::reasons::UnknownReason;
use ir::cfg::Cfg;
use ir::{BlockId, Op, Side, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Number of passes repeated only because they stored new addresses, before addresses stored there become unknown.
pub(super) const MAX_AGAIN: usize = 2;

impl Executor<'_> {
    pub(in crate::symbolic) fn run_loop(
        &mut self,
        fr: &mut Activation,
        cfg: &Cfg,
        l: usize,
        incoming: Vec<(BlockId, State)>,
    ) -> LoopOut {
        let header = cfg.loops[l].header;
        let func = self.function(fr.func);
        let part = HostPart::Loop(fr.func, header);
        let Some(start) = self.enter_block(fr, func, header, incoming, true) else { return LoopOut::default() };
        if self.spared(part) == Some(PartTreatment::Entirely) {
            self.may_wait_for_thread();
            let why = UnknownReason::LoopTooLong(func.display.clone());
            return self.skip_loop(fr, &cfg.loops[l], start, &why);
        }
        let begun = self.begin(part);
        let around = self.loops.by_number;
        let out = self.follow_loop(fr, cfg, l, start);
        self.loops.by_number = around;
        self.may_end_thread_in_loop(out.0.is_empty() && out.1.is_empty());
        self.limits.end(begun);
        out
    }

    fn follow_loop(&mut self, fr: &mut Activation, cfg: &Cfg, l: usize, mut s0: State) -> LoopOut {
        let before = (self.arena.symbols().len(), self.heap.version());
        let at = self.loop_at(fr, cfg, l);
        if let Some(known) = self.loops.steps.get(&at.key).cloned()
            && let Some(r) = self.repeat_loop(fr, &at, &s0, &known)
        {
            return r;
        }
        self.loops.by_number = false;
        let found = match self.discover(fr, &at, &mut s0) {
            Discovery::Found(found) => found,
            Discovery::GaveUp => return LoopOut::default(),
            Discovery::NeverComesBack => {
                self.restore(fr, &at.phi_start);
                return self.last_pass(fr, &at, s0);
            }
            Discovery::NotFound => return self.skip_unknown_loop(fr, &at, s0),
        };
        let mut solved = self.accelerate(&Recurrences { frame: fr, at: &at, start: &s0, found: &found });
        let mut facts = vec![];
        for (v, bits, signed) in &solved.ranges {
            if let Some(Form::Closed(Value::Int(at_k))) = solved.forms.get(v) {
                facts.extend(self.within(*at_k, *bits, *signed));
            }
        }
        // Pointees are better distinguished by unrolling than by the number of an iteration.
        let of_pointers = solved.arrays.iter().any(|(o, _)| self.points_to.has_addresses(*o));
        // So are shifts by that number: `for (int u = 0; (1 << u) < 1024; u++)`.
        let by_powers = self.powers_of(&solved.all_round, solved.k);
        let by_number = self.loops.by_number;
        if by_number {
            self.loops.steps.remove(&at.key);
        }
        let is_inexact = solved.inexact || solved.scattered || of_pointers || by_number;
        if (is_inexact || !by_powers.is_empty())
            && let Some(n) = self.trip_count(if is_inexact { &solved.iteration } else { &by_powers }, solved.k)
            && let Some(r) = self.unroll(fr, &at, &s0, n)
        {
            inside::dump(Dump::Loops, || {
                format!("{}: executed iteration by iteration, {n} times", self.name_of_loop(fr.func, &at))
            });
            return r;
        }
        self.find_invariants(&Recurrences { frame: fr, at: &at, start: &s0, found: &found }, &mut solved);
        inside::dump(Dump::Loops, || self.describe_summary(fr.func, &at, &solved));
        self.execute_summary(fr, &at, &s0, &found, solved, (facts, before))
    }

    /// Executes the body once, at iteration `k`, with the solved forms of its variables; `facts` are further facts, and
    /// `before` is the number of symbols and the last version before the loop.
    fn execute_summary(
        &mut self,
        fr: &mut Activation,
        at: &LoopAt<'_>,
        s0: &State,
        found: &Transition,
        solved: SolvedForms,
        (mut facts, before): (Vec<TermId>, (usize, u32)),
    ) -> LoopOut {
        let SolvedForms { k, forms, map, ranges, arrays, iteration, each, noted, all_round, .. } = solved;
        let search = self.highest_bit_search(&all_round, k, (found.pass.mark, found.pass.version));
        let iteration = [iteration, noted].concat();
        facts.push(self.went_round(&iteration, k));
        let first = self.in_the_first_iteration(&iteration, k);
        let lost: FxHashMap<LoopVar, Value> =
            found.pointers.beyond.iter().map(|v| (*v, self.unknown_pointer(&UnknownReason::LoopPointer))).collect();
        let (mut sk, _) = self.header_state(fr, s0, &found.vars, &at.phi_start, |_, v| match forms.get(&v) {
            Some(Form::Closed(x) | Form::Bounded(x, _)) => Some(x.clone()),
            _ => lost.get(&v).cloned(),
        });
        for f in forms.values() {
            if let Form::Bounded(_, b) = f {
                facts.extend(b.iter().copied());
            }
        }
        for (o, filled) in &arrays {
            self.fill_so_far(&mut sk, s0, *o, filled, (k, fr.func));
        }
        self.loops.ranges.insert(at.key, ranges);
        facts.extend(search.map(|search| self.higher_bits_clear(&search, s0.path)));
        facts.push(sk.path);
        sk.path = self.arena.and_all(facts);
        let gone = QuantifiedFact::of_iterations(&mut self.arena, &[iteration, each].concat(), k);
        let (begin, accesses) = (sk.path, self.events.accesses.len());
        let mut out = self.final_pass(fr, at, &sk);
        self.note_loop(accesses, k, &out.back);
        self.fill_in_blocks((s0, &sk), found, &arrays, (k, fr.func), &mut out);
        self.left_by_iterations((s0, &sk), out.back.iter().map(|b| &b.1), before);
        if let Some(first) = first {
            let iterations = Iterations { k, map: &map, mark: found.pass.mark, version: found.pass.version };
            out.exits = self.after_the_first_iteration(out.exits, begin, first, &iterations);
        }
        if let Some(search) = search {
            self.leave_highest_bit_search(&search, &mut out);
        }
        if let Some(gone) = gone {
            for s in out.exits.iter_mut().map(|e| &mut e.2).chain(out.rets.iter_mut().map(|r| &mut r.1)) {
                gone.add_to(&mut s.always);
            }
        }
        (out.exits, out.rets)
    }

    /// Executes the pass whose results count, and repeats it if it stored addresses that earlier passes did not: one of
    /// its loads might have had to return them.
    fn final_pass(&mut self, fr: &mut Activation, at: &LoopAt<'_>, start: &State) -> RegionOut {
        let (header, events) = (at.header, self.events.mark());
        for again in 0..4 * MAX_AGAIN {
            let stored = self.mark();
            let out = self.region(fr, at.cfg, Some(at.number), header, vec![(header, start.clone())]);
            if !self.has_kept_more(stored) || self.limits.is_at_an_end() {
                return out;
            }
            if again >= MAX_AGAIN {
                self.give_up_places(stored);
            }
            self.events.take_back(events);
        }
        let name = self.function(fr.func).display.clone();
        self.limits.give_up(UnknownReason::LoopStores(name));
        RegionOut::default()
    }

    /// Executes one pass with the steps that an earlier execution of this loop found. The pass verifies them, so by
    /// induction they hold in every iteration. `None` if they do not.
    fn repeat_loop(
        &mut self,
        fr: &mut Activation,
        at: &LoopAt<'_>,
        s0: &State,
        steps: &[(LoopVar, Option<i128>)],
    ) -> Option<LoopOut> {
        let (header, phi_start) = (at.header, &at.phi_start);
        let func = self.function(fr.func);
        // If the test comes last, the body needs the fact that the previous iteration continued: solve the loop anew.
        // So does what stands before the test, as in the loop of one block that constructs the elements of an array.
        let next = func.blocks[header.index()].term.successors();
        let leaves = next.iter().any(|b| !at.cfg.loops[at.number].blocks.contains(b));
        let guarded = leaves && !next.contains(&header);
        if self.events.recording && !guarded {
            return None;
        }
        let vars: Vec<LoopVar> = steps.iter().map(|s| s.0).collect();
        let (mark, version) = (self.arena.symbols().len(), self.heap.version());
        let k = self.iteration_symbol(&vars);
        let next_k = self.arena.add_const(k, 1);
        let (mut now, mut starts): (FxHashMap<LoopVar, Value>, FxHashMap<LoopVar, Value>) = Default::default();
        let mut next: Vec<(LoopVar, Value)> = vec![];
        let mut granted = vec![];
        let no_wrap = self.loops.ranges.get(&at.key).cloned().unwrap_or_default();
        for (v, step) in steps {
            if let LoopVar::Life(o) = v {
                let before = self.freed_when(s0, *o);
                let (freed, fact) = self.freed_in_loop(before, *o, k);
                now.insert(*v, Value::Bool(freed));
                granted.push(fact);
            }
            // The variable is arbitrary in each iteration.
            let Some(step) = step else { continue };
            let mut start = self.var_value(s0, phi_start, *v)?;
            // Its range was proved for the integer as which it is read.
            if let (Value::Int(t), Some((_, bits, signed))) = (&start, no_wrap.iter().find(|r| r.0 == *v)) {
                start = Value::Int(self.interpret(*t, *bits, *signed));
            }
            starts.insert(*v, start.clone());
            now.insert(*v, self.advance(&start, *step, k)?);
            next.push((*v, self.advance(&start, *step, next_k)?));
        }
        let (events, stored) = (self.events.mark(), self.mark());
        let (mut sk, _) = self.header_state(fr, s0, &vars, phi_start, |_, v| now.get(&v).cloned());
        for (v, bits, signed) in &no_wrap {
            let Some(Value::Int(t)) = now.get(v) else { continue };
            granted.extend(self.within(*t, *bits, *signed));
        }
        granted.push(sk.path);
        sk.path = self.arena.and_all(granted);
        let accesses = self.events.accesses.len();
        let out = self.region(fr, at.cfg, Some(at.number), header, vec![(header, sk.clone())]);
        if self.limits.is_at_an_end() {
            return Some(LoopOut::default());
        }
        self.note_loop(accesses, k, &out.back);
        self.left_by_iterations((s0, &sk), out.back.iter().map(|b| &b.1), (mark, version));
        let phis: Vec<ValueId> = phi_start.keys().copied().collect();
        let back = self.back_state(fr, func, header, &phis, out.back);
        let mut exits = out.exits;
        if let Some((mut sb, mut phi_next)) = back {
            self.resolve_at_back_edge(&sk, &mut sb, &mut phi_next);
            let mut same = next.iter().all(|(v, want)| self.var_value(&sb, &phi_next, *v).as_ref() == Some(want));
            let (_, _, iteration) = self.arena.split_common(sk.path, sb.path);
            let mut iteration = self.arena.conjuncts(iteration);
            let search = self.highest_bit_search(&iteration, k, (mark, version));
            iteration.retain(|c| self.only_old(*c, mark, version, Some(k)));
            for (v, bits, signed) in &no_wrap {
                let (Some(Value::Int(t)), Some(Value::Int(start)), Some((_, Some(step)))) =
                    (now.get(v).cloned(), starts.get(v).cloned(), steps.iter().find(|s| s.0 == *v))
                else {
                    continue;
                };
                let (d, read) = (self.arena.int(*step), self.arena.wrap(t, *bits, *signed));
                same &= self.steps_in_range(start, read, d, &iteration, Interval::of_int(*bits, *signed));
            }
            if !same || self.has_kept_more(stored) || !self.changed(&sk, &sb, &vars).is_empty() {
                self.events.take_back(events);
                self.restore(fr, phi_start);
                return None;
            }
            let mut fact = self.went_round(&iteration, k);
            if let Some(search) = search {
                let clear = self.higher_bits_clear(&search, s0.path);
                fact = self.arena.and(fact, clear);
            }
            let gone = QuantifiedFact::of_iterations(&mut self.arena, &iteration, k);
            exits = exits.into_iter().filter_map(|(a, b, s)| self.assume(s, fact).map(|s| (a, b, s))).collect();
            if let Some(search) = search {
                exits = self.exits_of_highest_bit_search(&search, exits);
            }
            if let Some(gone) = gone {
                for (_, _, s) in &mut exits {
                    gone.add_to(&mut s.always);
                }
            }
        }
        Some((exits, out.rets))
    }

    fn last_pass(&mut self, fr: &mut Activation, at: &LoopAt<'_>, s0: State) -> LoopOut {
        self.restore(fr, &at.phi_start);
        let out = self.region(fr, at.cfg, Some(at.number), at.header, vec![(at.header, s0)]);
        (out.exits, out.rets)
    }
}

impl ExecutionContext<'_> {
    /// Records a loop of which iteration `k` was executed, from the given access on.
    fn note_loop(&mut self, from: usize, k: TermId, back: &[(BlockId, State)]) {
        if !self.events.recording || self.side != Side::Device {
            return;
        }
        let continues = self.arena.or_all(back.iter().map(|b| b.1.path).collect());
        let accesses = from..self.events.accesses.len();
        self.events.loops.push(LoopEvent { accesses, iteration: k, continues });
    }

    /// Havocs a loop whose changed variables could not be determined, if it does nothing on a device; otherwise gives
    /// up.
    fn skip_unknown_loop(&mut self, fr: &mut Activation, at: &LoopAt<'_>, s0: State) -> LoopOut {
        let why = UnknownReason::LoopChanges(self.function(fr.func).display.clone());
        if self.side == Side::Host && self.is_harmless_loop(fr.func, at.header) {
            let note = format!("{why}; it does nothing on a device");
            if !self.events.notes.contains(&note) {
                self.events.notes.push(note);
            }
            self.restore(fr, &at.phi_start);
            return self.skip_loop(fr, &at.cfg.loops[at.number], s0, &why);
        }
        self.limits.give_up(why);
        LoopOut::default()
    }
}

impl MemoryDomain<'_> {
    pub(super) fn name_iteration(&mut self, k: TermId, forms: &FxHashMap<LoopVar, Form>) {
        let mut names: Vec<String> = forms
            .iter()
            .filter_map(|(v, f)| match (v, f) {
                (LoopVar::Cell(o, 0, 1..=8), Form::Closed(Value::Int(t)))
                    if self
                        .arena
                        .symbols_of(&[*t])
                        .iter()
                        .any(|s| matches!(self.arena.get(k), Term::Sym(x) if x == s)) =>
                {
                    let n = &self.object(*o).name;
                    (!n.is_empty()).then(|| n.clone())
                }
                _ => None,
            })
            .collect();
        names.sort();
        if let Some(n) = names.into_iter().next() {
            self.arena.rename(k, format!("iteration of {n}"));
        }
    }

    pub(super) fn iteration_symbol(&mut self, vars: &[LoopVar]) -> TermId {
        // Named after the counting variable, if one has a name.
        let name = vars
            .iter()
            .find_map(|v| match v {
                LoopVar::Cell(o, 0, 1..=8) => {
                    let n = &self.object(*o).name;
                    (!n.is_empty()).then(|| n.clone())
                }
                _ => None,
            })
            .unwrap_or_else(|| "loop".into());
        self.arena.fresh(
            SymKind::Iteration { name: name.clone() },
            format!("iteration of {name}"),
            Interval::new(0, 1 << 62),
        )
    }
}

impl ValueDomain<'_> {
    /// Collects a loop of this activation, as it is entered.
    fn loop_at<'c>(&self, fr: &Activation, cfg: &'c Cfg, l: usize) -> LoopAt<'c> {
        let header = cfg.loops[l].header;
        let phis: Vec<ValueId> = self.function(fr.func).blocks[header.index()]
            .insts
            .iter()
            .take_while(|i| matches!(i.op, Op::Phi(_)))
            .filter_map(|i| i.result)
            .collect();
        let phi_start = phis.iter().filter_map(|p| fr.env[p.index()].clone().map(|v| (*p, v))).collect();
        LoopAt { cfg, number: l, header, key: (fr.context, fr.func, header), phis, phi_start }
    }
}

impl Terms {
    /// Consequences, at iteration `k`, of the conditions under which the loop continues: they held at `k - 1`, unless
    /// `k` is the first iteration. An inequality (`p != end`) held at all earlier iterations, so a value that moves by
    /// whole steps has not passed it.
    fn went_round(&mut self, iteration: &[TermId], k: TermId) -> TermId {
        let mut all = vec![];
        for c in iteration {
            if let Some(f) = self.never_met(*c, k) {
                all.push(f);
            }
        }
        let iteration = self.arena.and_all(iteration.to_vec());
        if self.arena.as_bool(iteration) != Some(true) {
            let before = self.arena.add_const(k, -1);
            let prev = self.arena.substitute(iteration, &std::iter::once((k, before)).collect());
            let first = self.arena.le_zero(k);
            all.push(self.arena.or(first, prev));
            for c in self.arena.conjuncts(prev) {
                if let Some(f) = self.exponent_bound(c) {
                    all.push(self.arena.or(first, f));
                }
            }
        }
        self.arena.and_all(all)
    }

    /// Bound on an exponent from a condition on a power of two: for machine integers, `2^e < n` or `n / 2^e > 0` holds
    /// only for small `e`.
    fn exponent_bound(&mut self, c: TermId) -> Option<TermId> {
        let Term::Le(t) = *self.arena.get(c) else { return None };
        for (m, factor) in self.arena.poly(t).terms {
            let [x] = m[..] else { continue };
            let own = self.arena.scale(x, factor);
            let rest = self.arena.sub(t, own);
            let Some(least) = self.arena.range(rest).lo else { continue };
            let (e, most) = match *self.arena.get(x) {
                Term::Pow2(e) if factor > 0 => (e, least.checked_neg()?.div_euclid(factor)),
                Term::Div(n, d) if factor < 0 && least > 0 => match (self.arena.get(d), self.arena.range(n).hi) {
                    (Term::Pow2(e), Some(most)) => (*e, most),
                    _ => continue,
                },
                _ => continue,
            };
            if most < 1 {
                continue;
            }
            let largest = self.arena.int(i128::from(most.ilog2()));
            return Some(self.arena.le(e, largest));
        }
        None
    }

    /// Derives, from `a·j + b != 0` for every `j` in `0..k`, where `a` divides `b`: `b > 0` or `a·(k - 1) + b < 0` (for
    /// positive `a`).
    fn never_met(&mut self, c: TermId, k: TermId) -> Option<TermId> {
        let Term::Not(e) = *self.arena.get(c) else { return None };
        let Term::EqZ(t) = *self.arena.get(e) else { return None };
        let p = self.arena.poly(t);
        let a = p.terms.iter().find(|(m, _)| m.as_slice() == [k])?.1;
        let (t, a) = if a < 0 { (self.arena.neg(t), a.checked_neg()?) } else { (t, a) };
        let own = self.arena.scale(k, a);
        let b = self.arena.sub(t, own);
        if self.arena.cone(&[b]).contains(&k) || self.arena.poly(b).terms.iter().any(|(_, c)| c % a != 0) {
            return None;
        }
        let one = self.arena.int(1);
        let past = self.arena.le(one, b);
        let last = self.arena.add_const(t, 1 - a);
        let not_yet = self.arena.le_zero(last);
        Some(self.arena.or(past, not_yet))
    }

    /// Value of a variable after `k` steps of constant size.
    fn advance(&mut self, start: &Value, step: i128, k: TermId) -> Option<Value> {
        let d = self.arena.scale(k, step);
        match start {
            Value::Int(a) => Some(Value::Int(self.arena.add(*a, d))),
            Value::Ptr(p) if p.len() == 1 => {
                let o = self.arena.add(p[0].offset, d);
                Some(Value::Ptr(Rc::new(vec![GuardedTarget { offset: o, ..p[0].clone() }])))
            }
            _ => None,
        }
    }

    pub(super) fn restore(&self, fr: &mut Activation, phis: &FxHashMap<ValueId, Value>) {
        for (p, v) in phis {
            fr.env[p.index()] = Some(v.clone());
        }
    }
}
