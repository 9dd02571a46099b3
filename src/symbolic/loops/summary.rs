//! Loops: a symbolic pass over the body gives each variable's next value as a function of its present one, and what
//! has a closed form (`i + c`, `p + c`, `s / 2^c`, `s * 2^c`) is replaced by it, in terms of the iteration number `k`.
//!
//! The pass starts from a state in which every variable that the body writes is an arbitrary symbol, so the transition
//! that it finds holds of every iteration, and the closed form solves the recurrence exactly. Variables without one are
//! arbitrary, within what their transition shows (a counter that is sometimes incremented stays between its start and
//! `k` steps further). The condition under which the loop goes round is kept for the previous iteration: it makes exit
//! values exact.

use super::array_fill::{Filled, Sums};
use super::houdini::Carried;
use super::prefix_sum::{Running, steps_below};
use super::quantified_facts::Always;
use super::sum::Rounds;
use super::types::{Form, LoopOut, LoopVar};
use crate::ir::cfg::Cfg;
use crate::ir::{BlockId, Op, Side, ValueId};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Frame, RegionOut, State};
use crate::symbolic::limits::cost::{Part, Spared};
use crate::symbolic::memory::object::{ObjId, ObjState, Rest};
use crate::symbolic::memory::recency::Anew;
use crate::symbolic::memory::value::{Base, Target, Value, is_known};
use crate::symbolic::terms::term::{Range, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Nodes of a choice between values that are looked through.
const MAX_CHOICES: usize = 64;

/// Pointers that a variable of a loop may hold.
const MOST_POINTERS: usize = 8;

/// Rounds that are gone through again only because they stored addresses that those before did not.
const MOST_AGAIN: usize = 2;

/// Passes in which it is found out what a body changes, and those besides that only find another place for a pointer.
const MOST_PASSES: u32 = 16;
const MOST_WIDENED: u32 = 64;

/// Constant trip counts up to this are executed one by one where that is more exact.
const MAX_UNROLL: u32 = 64;

impl Executor<'_> {
    pub(in crate::symbolic) fn run_loop(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        l: usize,
        incoming: Vec<(BlockId, State)>,
    ) -> LoopOut {
        let header = cfg.loops[l].header;
        let func = self.function(fr.func);
        let part = Part::Loop(fr.func, header);
        let Some(start) = self.enter_block(fr, func, header, incoming, true) else { return LoopOut::default() };
        if self.spared(part) == Some(Spared::Entirely) {
            let why = format!("what a loop in `{}` does, which takes too long to follow", func.display);
            return self.leave_out_loop(fr, &cfg.loops[l], start, &why);
        }
        let begun = self.begin(part);
        let out = self.follow_loop(fr, cfg, l, start);
        self.end(begun);
        out
    }

    fn follow_loop(&mut self, fr: &mut Frame, cfg: &Cfg, l: usize, mut s0: State) -> LoopOut {
        let before = (self.arena.symbols().len(), self.version);
        let header = cfg.loops[l].header;
        let func = self.function(fr.func);
        let phis: Vec<ValueId> = func.blocks[header.index()]
            .insts
            .iter()
            .take_while(|i| matches!(i.op, Op::Phi(_)))
            .filter_map(|i| i.result)
            .collect();
        let phi_start: FxHashMap<ValueId, Value> =
            phis.iter().filter_map(|p| fr.env[p.index()].clone().map(|v| (*p, v))).collect();

        let key = (fr.context, fr.func, header);
        let mut vars: Vec<LoopVar> = self.loops.vars.get(&key).cloned().unwrap_or_default();
        for p in &phis {
            if !vars.contains(&LoopVar::Phi(*p)) {
                vars.push(LoopVar::Phi(*p));
            }
        }

        if let Some(known) = self.loops.steps.get(&key).cloned()
            && let Some(r) = self.repeat_loop(fr, cfg, l, &s0, &phi_start, &known)
        {
            return r;
        }

        // Discovery: passes with every known variable arbitrary, until no further one changes.
        let recording = std::mem::replace(&mut self.events.recording, false);
        let events = self.events.mark();
        let mut transition = None;
        // Pointers that a round may set to another object: every (object, offset) that they can hold.
        let mut choices: FxHashMap<LoopVar, Vec<(Base, TermId)>> = FxHashMap::default();
        let mut beyond: FxHashSet<LoopVar> = FxHashSet::default();
        let mut twins: FxHashMap<LoopVar, Anew> = FxHashMap::default();
        let mut again = 0;
        let (mut round, mut widened) = (0, 0);
        while round < MOST_PASSES {
            // One of several already: it is one of these in later rounds too, or more come to light.
            for v in &vars {
                if choices.contains_key(v) || beyond.contains(v) {
                    continue;
                }
                let before = self.pointers_before(&s0, &phi_start, *v).filter(|a| {
                    (2..=MOST_POINTERS).contains(&a.len()) && !a.iter().any(|(b, _)| matches!(b, Base::Unknown(_)))
                });
                if let Some(before) = before {
                    choices.insert(*v, before);
                }
            }
            let mark = self.arena.symbols().len();
            let version = self.version;
            let (stored, overlapping) = (self.mark(), (self.overlapping, self.runtime.noted()));
            let mut chosen: FxHashMap<LoopVar, Value> = choices
                .iter()
                .filter(|(_, c)| !c.is_empty())
                .map(|(v, c)| (*v, self.any_of(c, "which of several pointers a loop left in a variable")))
                .collect();
            for v in &beyond {
                let p = self.unknown_pointer("what a loop left in a pointer");
                chosen.insert(*v, p);
            }
            let (sh, symbols) = self.header_state(fr, &s0, &vars, &phi_start, |_, v| chosen.get(&v).cloned());
            let out = self.region(fr, cfg, Some(l), header, vec![(header, sh.clone())]);
            if self.gave_up.is_some() {
                self.events.recording = recording;
                return LoopOut::default();
            }
            let back = self.back_state(fr, func, header, &phis, out.back);
            let Some((sb, phi_next)) = back else {
                // The body never comes back: it is no loop on this path.
                self.events.recording = recording;
                self.restore(fr, &phi_start);
                return self.last_pass(fr, cfg, l, s0, &phi_start);
            };
            // What the body is the first to touch, but was there before.
            let untouched: Vec<ObjId> = sb
                .mem
                .keys()
                .copied()
                .filter(|o| !s0.mem.contains_key(o) && self.object(*o).kind.is_there_from_the_start())
                .collect();
            if !untouched.is_empty() {
                for o in untouched {
                    self.ensure(&mut s0, o);
                }
                round += 1;
                continue;
            }
            let mut new = self.changed(&sh, &sb, &vars);
            // Each round starts with a twin of its own.
            new.retain(|v| !matches!(v, LoopVar::Cell(o, ..) | LoopVar::Whole(o) | LoopVar::Life(o) if twins.values().any(|w| w.twin == *o)));
            if round >= 10 {
                new =
                    new.into_iter().map(|v| if let LoopVar::Cell(o, ..) = v { LoopVar::Whole(o) } else { v }).collect();
            }
            let mut wider = false;
            for v in vars.clone() {
                if beyond.contains(&v) {
                    continue;
                }
                let (a, n) = match (self.var_value(&s0, &phi_start, v), self.var_value(&sb, &phi_next, v)) {
                    (_, Some(Value::Ptr(n))) => match self.pointers_before(&s0, &phi_start, v) {
                        Some(a) => (a, n),
                        None => continue,
                    },
                    (Some(Value::Ptr(_)), _) if !matches!(v, LoopVar::Whole(_)) => {
                        choices.remove(&v);
                        beyond.insert(v);
                        wider = true;
                        continue;
                    }
                    _ => continue,
                };
                if let ([a], [n]) = (a.as_slice(), n.as_slice())
                    && !choices.contains_key(&v)
                    && a.0 == n.base
                {
                    continue;
                }
                let known = choices.entry(v).or_insert_with(|| {
                    wider = true;
                    a
                });
                let mut bad = false;
                let resized = matches!(n.as_slice(), [Target { base: Base::Object(o), .. }] if !s0.mem.contains_key(o) && !self.object(*o).extent.is_some_and(|e| self.only_old(e, mark, version, None)));
                let anew = if resized { self.made_anew(fr, header, &mut s0, &sb, &n) } else { None };
                match (anew, twins.get(&v)) {
                    (Some(w), None) => {
                        known.push((Base::Object(w.twin), w.offset));
                        twins.insert(v, w);
                        wider = true;
                    }
                    (anew, before) => bad |= anew.as_ref() != before,
                }
                // The next round's twin is not this one's.
                bad |= n.iter().any(|t| twins.values().any(|w| t.base == Base::Object(w.twin)));
                for t in n.iter().filter(|_| !twins.contains_key(&v)) {
                    // What an earlier round allocated may have had another size.
                    bad |= matches!(t.base, Base::Object(o) if !s0.mem.contains_key(&o) && !self.object(o).extent.is_some_and(|e| self.only_old(e, mark, version, None)));
                    if known.iter().any(|(b, o)| *b == t.base && *o == t.offset) {
                        continue;
                    }
                    if wider {
                        continue;
                    }
                    bad |= matches!(t.base, Base::Unknown(_)) || known.len() >= MOST_POINTERS;
                    known.push((t.base.clone(), t.offset));
                    wider = true;
                }
                bad |= known.iter().any(|(b, _)| matches!(b, Base::Unknown(_)));
                let stale = known.iter().map(|(_, o)| *o).collect::<Vec<_>>();
                bad |= stale.into_iter().any(|o| !self.only_old(o, mark, version, None));
                // An object made in an earlier round has that round's size, not this one's.
                let extents: Vec<TermId> = known
                    .iter()
                    .filter_map(|(b, _)| if let Base::Object(o) = b { self.object(*o).extent } else { None })
                    .collect();
                bad |= extents.into_iter().any(|e| !self.only_old(e, mark, version, None));
                if bad {
                    choices.remove(&v);
                    twins.remove(&v);
                    beyond.insert(v);
                    wider = true;
                }
            }
            // Addresses of twins that are kept as numbers.
            let numbers: Vec<TermId> = vars
                .iter()
                .filter_map(
                    |v| if let Some(Value::Int(n)) = self.var_value(&sb, &phi_next, *v) { Some(n) } else { None },
                )
                .collect();
            if twins.values().any(|w| self.speaks_of(&numbers, w.twin)) {
                for v in twins.drain().map(|(v, _)| v) {
                    choices.remove(&v);
                    beyond.insert(v);
                }
                wider = true;
            }
            wider |= self.number_starts(&mut s0, &sb, vars.iter().chain(&new));
            // What a round stores an earlier part of the next one may read back.
            if new.is_empty() && !wider {
                // Launches are followed otherwise once work for the device may overlap, and status codes once a launch may be refused.
                if (self.overlapping, self.runtime.noted()) != overlapping {
                    round += 1;
                    continue;
                }
                if !self.has_kept_more(stored) {
                    transition = Some((sh, symbols, sb, phi_next, mark, version));
                    break;
                }
                again += 1;
                if again > MOST_AGAIN {
                    self.give_up_places(stored);
                }
            }
            // Pointers that rounds pass on to each other come to light one by one.
            if wider && new.is_empty() && widened < MOST_WIDENED {
                widened += 1;
            } else {
                round += 1;
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
        self.events.take_back(events);
        self.events.recording = recording;
        self.loops.vars.insert(key, vars.clone());
        let Some((sh, symbols, sb, phi_next, mark, version)) = transition else {
            let why = format!("what the loop in `{}` changes could not be found out", func.display);
            if self.side == Side::Host && self.is_harmless_loop(fr.func, header) {
                let note = format!("{why}; it does nothing on a device");
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                self.restore(fr, &phi_start);
                return self.leave_out_loop(fr, &cfg.loops[l], s0, &why);
            }
            self.give_up(why);
            return LoopOut::default();
        };

        // Closed forms.
        let k = self.iteration_symbol(&vars);
        let mut forms: FxHashMap<LoopVar, Form> = FxHashMap::default();
        let mut inexact = false;
        for v in &vars {
            if let (LoopVar::Life(o), Some(sym)) = (*v, symbols.get(v).cloned()) {
                let form = self.life(o, &s0, &sym, &sb, k, mark, version);
                // One of several outer allocations in each round: which one is only known round by round.
                inexact |= !matches!(form, Form::Closed(_)) && s0.mem.contains_key(&o);
                forms.insert(*v, form);
                continue;
            }
            let Some(sym) = symbols.get(v).cloned() else { continue };
            let Some(start) = self.var_value(&s0, &phi_start, *v) else {
                // What was never written may be taken for what was, as where paths meet.
                if choices.contains_key(v) {
                    forms.insert(*v, Form::Bounded(sym, vec![]));
                    inexact = true;
                }
                continue;
            };
            let Some(mut next) = self.var_value(&sb, &phi_next, *v) else { continue };
            if let (Value::Int(n), Value::Int(h), Some(bits)) = (&next, &sym, self.bits_of_var(fr, *v)) {
                next = Value::Int(self.as_kept(*n, *h, bits));
            }
            let form = if choices.contains_key(v) || beyond.contains(v) {
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

        let mut steps: Vec<(LoopVar, Option<i128>)> = vec![];
        let mut repeatable = !inexact;
        for v in &vars {
            match (forms.get(v), symbols.get(v), self.var_value(&sb, &phi_next, *v)) {
                (Some(Form::Closed(Value::Int(_))), Some(Value::Int(h)), Some(Value::Int(n))) => {
                    let d = self.arena.sub(n, *h);
                    let c = self.arena.as_int(d);
                    repeatable &= c.is_some();
                    steps.push((*v, c));
                }
                (Some(Form::Closed(Value::Ptr(_))), Some(Value::Ptr(h)), Some(Value::Ptr(n)))
                    if h.len() == 1 && n.len() == 1 =>
                {
                    let d = self.arena.sub(n[0].offset, h[0].offset);
                    let c = self.arena.as_int(d);
                    repeatable &= c.is_some();
                    steps.push((*v, c));
                }
                (Some(Form::Arbitrary) | None, ..) => steps.push((*v, None)),
                _ if matches!(v, LoopVar::Life(_)) => steps.push((*v, None)),
                _ => repeatable = false,
            }
        }
        let (_, _, round) = {
            let (a, b) = (sh.path, sb.path);
            self.arena.split_common(a, b)
        };
        let plain = self.arena.conjuncts(round);
        let mut ranges: Vec<(LoopVar, u32, bool)> = vec![];
        let mut stepped: Vec<(LoopVar, TermId)> = vec![];
        for v in &vars {
            let (Some(Form::Closed(Value::Int(_))), Some(Value::Int(h))) = (forms.get(v), symbols.get(v)) else {
                continue;
            };
            let Some(bits) = self.bits_of_var(fr, *v) else { continue };
            let (Some(Value::Int(start)), Some(Value::Int(next))) =
                (self.var_value(&s0, &phi_start, *v), self.var_value(&sb, &phi_next, *v))
            else {
                continue;
            };
            let signed = self.arena.range(*h).lo.is_some_and(|l| l < 0);
            let next = self.as_kept(next, *h, bits);
            let d = self.arena.sub(next, *h);
            if self.steps_in_range(start, *h, d, &plain, Range::of_int(bits, signed)) {
                ranges.push((*v, bits, signed));
                continue;
            }
            // `while (i-- > 0)` on an unsigned `i`: what the condition reads starts in range, and so stays there.
            let Some(read) = self.read_as_unsigned(&plain, *h, bits) else { continue };
            let from = self.interpret(start, bits, false);
            if !self.steps_in_range(from, read, d, &plain, Range::of_int(bits, false)) {
                continue;
            }
            let moved = self.arena.mul(d, k);
            stepped.push((*v, self.arena.add(from, moved)));
            ranges.push((*v, bits, false));
        }
        for (v, at_k) in stepped {
            forms.insert(v, Form::Closed(Value::Int(at_k)));
        }
        // The condition of going round, in terms of k. It speaks of what the machine reads, which after k steps may have wrapped.
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (v, f) in &forms {
            match (f, symbols.get(v)) {
                (Form::Closed(Value::Int(at_k)), Some(Value::Int(sym))) => {
                    let read = match self.bits_of_var(fr, *v) {
                        Some(bits) if !ranges.iter().any(|r| r.0 == *v) => {
                            self.read_at(*at_k, self.var_value(&s0, &phi_start, *v).as_ref(), *sym, bits)
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
                // Its symbol stays: any value.
                _ => {}
            }
        }
        let of_rounds = (fr.context, Site { func: fr.func, block: header, inst: u32::MAX - 1 });
        let rounds = Rounds { k, map: &map, mark, version };
        let fills = vars.iter().any(|v| matches!(v, LoopVar::Whole(_)));
        let (mut running, mut in_round): (Vec<Running>, Vec<TermId>) = Default::default();
        for v in vars.iter().filter(|_| fills) {
            if choices.contains_key(v)
                || beyond.contains(v)
                || !matches!(forms.get(v), Some(Form::Arbitrary | Form::Bounded(Value::Int(_), _)))
            {
                continue;
            }
            let (Some(Value::Int(a)), Some(Value::Int(h)), Some(Value::Int(n)), Some(bits)) = (
                self.var_value(&s0, &phi_start, *v),
                symbols.get(v).cloned(),
                self.var_value(&sb, &phi_next, *v),
                self.bits_of_var(fr, *v),
            ) else {
                continue;
            };
            let n = self.as_kept(n, h, bits);
            running.extend(self.running(*v, (a, h, n), bits, &rounds));
        }
        if fills {
            let round = self.arena.substitute(round, &map);
            in_round = [self.arena.conjuncts(round), self.arena.conjuncts(s0.path)].concat();
            in_round = self.read_plainly(in_round);
        }
        let sums = Sums { running: &running, before: &s0, known: &in_round };
        let arrays: Vec<(ObjId, Vec<Filled>)> = vars
            .iter()
            .filter_map(|v| {
                if let LoopVar::Whole(o) = v {
                    self.filled(*o, (&sh, &sb), &map, (mark, version), k, of_rounds, &sums).map(|f| (*o, f))
                } else {
                    None
                }
            })
            .collect();
        // Arrays that hold what a variable was in each round speak of the same sum as it does itself.
        let kept: FxHashSet<TermId> =
            arrays.iter().flat_map(|(_, f)| f).flat_map(|f| steps_below(&self.arena, f.value())).collect();
        running.retain(|r| r.step.is_some_and(|s| kept.contains(&s)));
        for r in &running {
            forms.insert(r.var, Form::Bounded(Value::Int(r.now), r.facts.clone()));
        }
        // Pointers that rounds leave in an array are told apart where each round is executed by itself.
        let scattered = vars.iter().any(|v| matches!(v, LoopVar::Whole(o) if self.kept.has_addresses(*o) && !arrays.iter().any(|(a, f)| a == o && f.iter().all(|f| f.made.is_none()))));
        // What is known of arrays is only found out the long way.
        if repeatable && arrays.is_empty() && !scattered {
            self.loops.steps.insert(key, steps);
        } else {
            self.loops.steps.remove(&key);
        }
        let round = self.arena.substitute(round, &map);
        let all_round = self.arena.conjuncts(round);
        let round: Vec<TermId> =
            all_round.iter().copied().filter(|c| self.only_old(*c, mark, version, Some(k))).collect();

        let mut facts = vec![];
        // Variables that only steps have moved.
        let mut by_steps: FxHashSet<LoopVar> = FxHashSet::default();
        // Of each round, in variables that keep what it found.
        let mut noted: Vec<TermId> = vec![];
        for v in &vars {
            if choices.contains_key(v)
                || beyond.contains(v)
                || !matches!(forms.get(v), Some(Form::Arbitrary | Form::Bounded(Value::Int(_), _)))
            {
                continue;
            }
            if running.iter().any(|r| r.var == *v) {
                continue;
            }
            let (Some(Value::Int(a)), Some(Value::Int(h)), Some(Value::Int(n))) =
                (self.var_value(&s0, &phi_start, *v), symbols.get(v).cloned(), self.var_value(&sb, &phi_next, *v))
            else {
                continue;
            };
            let kept = match self.bits_of_var(fr, *v) {
                Some(bits) => self.as_kept(n, h, bits),
                None => n,
            };
            if let Some(f) = self.added_up((a, h, kept), &rounds) {
                forms.insert(*v, f);
                continue;
            }
            let moved = self.moved(a, h, kept, &rounds);
            if let Some(known) = moved.as_ref().or_else(|| forms.get(v)).cloned()
                && let Some((f, seen)) = self.noted((a, h, kept), &rounds, &known)
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
            let f = match self.set_in_some_round((a, h, n), k, &map, &round, mark, version) {
                None => self.loaded_in_some_round(a, h, n, mark, version),
                f => f,
            };
            if let Some(f) = f {
                forms.insert(*v, f);
            }
        }
        self.name_iteration(k, &forms);
        for (v, bits, signed) in &ranges {
            if let Some(Form::Closed(Value::Int(at_k))) = forms.get(v) {
                facts.extend(self.within(*at_k, *bits, *signed));
            }
        }

        if (inexact || scattered)
            && let Some(n) = self.trip_count(&round, k)
            && n <= MAX_UNROLL
            && let Some(r) = self.unroll(fr, cfg, l, &s0, &phi_start, n)
        {
            return r;
        }

        let mut carried = vec![];
        for v in &vars {
            if choices.contains_key(v) || beyond.contains(v) || twins.contains_key(v) {
                continue;
            }
            let (Some(Value::Int(start)), Some(Value::Int(held)), Some(Value::Int(next)), Some(bits)) = (
                self.var_value(&s0, &phi_start, *v),
                symbols.get(v).cloned(),
                self.var_value(&sb, &phi_next, *v),
                self.bits_of_var(fr, *v),
            ) else {
                continue;
            };
            let (moved, settled) = match forms.get(v) {
                Some(Form::Arbitrary) => (None, false),
                Some(Form::Bounded(Value::Int(now), facts)) if by_steps.contains(v) => {
                    (Some((*now, facts.clone())), false)
                }
                Some(Form::Bounded(..)) => (None, true),
                _ => continue,
            };
            let next = self.as_kept(next, held, bits);
            let next = self.arena.substitute(next, &map);
            carried.push(Carried { var: *v, start, held, next, bits, moved, settled });
        }
        forms.extend(self.inductive(&carried, &all_round, s0.path, &rounds));

        for (v, w) in &twins {
            self.size_twin(w, &rounds);
            let start = self.var_value(&s0, &phi_start, *v);
            forms.insert(*v, Form::Bounded(self.held_at(start.as_ref(), w, k), vec![]));
        }
        let round = [round, noted].concat();
        facts.push(self.went_round(&round, k));
        let first = self.in_the_first_round(&round, k);
        let lost: FxHashMap<LoopVar, Value> =
            beyond.iter().map(|v| (*v, self.unknown_pointer("what a loop left in a pointer"))).collect();
        let (mut sk, _) = self.header_state(fr, &s0, &vars, &phi_start, |_, v| match forms.get(&v) {
            Some(Form::Closed(x) | Form::Bounded(x, _)) => Some(x.clone()),
            _ => lost.get(&v).cloned(),
        });
        for f in forms.values() {
            if let Form::Bounded(_, b) = f {
                facts.extend(b.iter().copied());
            }
        }
        for (o, filled) in &arrays {
            self.fill_so_far(&mut sk, &s0, *o, filled, (k, fr.func));
        }
        self.loops.ranges.insert(key, ranges);
        facts.push(sk.path);
        sk.path = self.arena.and_all(facts);
        let gone = Always::of_rounds(&mut self.arena, &round, k);
        let begin = sk.path;
        let mut out = self.final_pass(fr, cfg, l, &sk);
        self.left_by_rounds((&s0, &sk), out.back.iter().map(|b| &b.1), before);
        if let Some(first) = first {
            out.exits = self.after_the_first_round(out.exits, begin, first, &Rounds { k, map: &map, mark, version });
        }
        if let Some(gone) = gone {
            for s in out.exits.iter_mut().map(|e| &mut e.2).chain(out.rets.iter_mut().map(|r| &mut r.1)) {
                gone.add_to(&mut s.always);
            }
        }
        (out.exits, out.rets)
    }

    /// The pass that counts. It stores no address that those before it did not, which it might have had to read back; else once more.
    fn final_pass(&mut self, fr: &mut Frame, cfg: &Cfg, l: usize, start: &State) -> RegionOut {
        let (header, events) = (cfg.loops[l].header, self.events.mark());
        for again in 0..4 * MOST_AGAIN {
            let stored = self.mark();
            let out = self.region(fr, cfg, Some(l), header, vec![(header, start.clone())]);
            if !self.has_kept_more(stored) || self.gave_up.is_some() {
                return out;
            }
            if again >= MOST_AGAIN {
                self.give_up_places(stored);
            }
            self.events.take_back(events);
        }
        self.give_up(format!("what the loop in `{}` stores could not be found out", self.function(fr.func).display));
        RegionOut::default()
    }

    /// One pass with the steps that an earlier execution of this loop found, which the pass itself verifies: by
    /// induction they then hold of every iteration. `None` where they do not.
    fn repeat_loop(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        l: usize,
        s0: &State,
        phi_start: &FxHashMap<ValueId, Value>,
        steps: &[(LoopVar, Option<i128>)],
    ) -> Option<LoopOut> {
        let header = cfg.loops[l].header;
        let func = self.function(fr.func);
        // Where the test comes last, the body needs to know that the round before went on: the long way.
        let guarded = func.blocks[header.index()].term.successors().iter().any(|b| !cfg.loops[l].blocks.contains(b));
        if self.events.recording && !guarded {
            return None;
        }
        let vars: Vec<LoopVar> = steps.iter().map(|s| s.0).collect();
        let (mark, version) = (self.arena.symbols().len(), self.version);
        let k = self.iteration_symbol(&vars);
        let next_k = self.arena.add_const(k, 1);
        let (mut now, mut starts): (FxHashMap<LoopVar, Value>, FxHashMap<LoopVar, Value>) = Default::default();
        let mut next: Vec<(LoopVar, Value)> = vec![];
        let mut granted = vec![];
        let no_wrap = self.loops.ranges.get(&(fr.context, fr.func, header)).cloned().unwrap_or_default();
        for (v, step) in steps {
            if let LoopVar::Life(o) = v {
                let before = self.freed_when(s0, *o);
                let (freed, fact) = self.freed_in_loop(before, *o, k);
                now.insert(*v, Value::Bool(freed));
                granted.push(fact);
            }
            let Some(step) = step else { continue };
            let mut start = self.var_value(s0, phi_start, *v)?;
            // What was found of its range is of the number that it is read as.
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
        let out = self.region(fr, cfg, Some(l), header, vec![(header, sk.clone())]);
        if self.gave_up.is_some() {
            return Some(LoopOut::default());
        }
        self.left_by_rounds((s0, &sk), out.back.iter().map(|b| &b.1), (mark, version));
        let phis: Vec<ValueId> = phi_start.keys().copied().collect();
        let back = self.back_state(fr, func, header, &phis, out.back);
        let mut exits = out.exits;
        if let Some((sb, phi_next)) = back {
            let mut same = next.iter().all(|(v, want)| self.var_value(&sb, &phi_next, *v).as_ref() == Some(want));
            let (_, _, round) = self.arena.split_common(sk.path, sb.path);
            let round: Vec<TermId> =
                self.arena.conjuncts(round).into_iter().filter(|c| self.only_old(*c, mark, version, Some(k))).collect();
            for (v, bits, signed) in &no_wrap {
                let (Some(Value::Int(t)), Some(Value::Int(start)), Some((_, Some(step)))) =
                    (now.get(v).cloned(), starts.get(v).cloned(), steps.iter().find(|s| s.0 == *v))
                else {
                    continue;
                };
                let (d, read) = (self.arena.int(*step), self.arena.wrap(t, *bits, *signed));
                same &= self.steps_in_range(start, read, d, &round, Range::of_int(*bits, *signed));
            }
            if !same || self.has_kept_more(stored) || !self.changed(&sk, &sb, &vars).is_empty() {
                self.events.take_back(events);
                self.restore(fr, phi_start);
                return None;
            }
            let fact = self.went_round(&round, k);
            let gone = Always::of_rounds(&mut self.arena, &round, k);
            exits = exits.into_iter().filter_map(|(a, b, s)| self.assume(s, fact).map(|s| (a, b, s))).collect();
            if let Some(gone) = gone {
                for (_, _, s) in &mut exits {
                    gone.add_to(&mut s.always);
                }
            }
        }
        Some((exits, out.rets))
    }

    /// Facts that a term lies in the range of an interpretation.
    fn within(&mut self, t: TermId, bits: u32, signed: bool) -> Vec<TermId> {
        let r = Range::of_int(bits, signed);
        let (Some(lo), Some(hi)) = (r.lo, r.hi) else { return vec![] };
        let (lo, hi) = (self.arena.int(lo), self.arena.int(hi));
        vec![self.arena.le(lo, t), self.arena.le(t, hi)]
    }

    /// The term by which conditions read a variable as an unsigned number of so many bits.
    fn read_as_unsigned(&self, conditions: &[TermId], h: TermId, bits: u32) -> Option<TermId> {
        self.arena.cone(conditions).into_iter().find(|t| self.arena.reading(*t) == Some((h, bits, false)))
    }

    /// By induction over the rounds: the start is in range, and where a round that goes on bounds the value `v`, one
    /// step `d` further is still in range.
    fn steps_in_range(&mut self, start: TermId, v: TermId, d: TermId, round: &[TermId], want: Range) -> bool {
        if !want.contains(self.arena.range(start)) {
            return false;
        }
        let step = self.arena.range(d);
        let (Some(least), Some(most)) = (step.lo, step.hi) else { return false };
        let (mut upper, mut lower) = (most <= 0, least >= 0);
        for c in round {
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

    /// What the conditions of going round say at iteration `k`: they held at `k - 1`, unless this is the first. A test for
    /// inequality (`p != end`) held at all earlier iterations, so that a value that moves by whole steps has not passed it.
    fn went_round(&mut self, round: &[TermId], k: TermId) -> TermId {
        let mut all = vec![];
        for c in round {
            if let Some(f) = self.never_met(*c, k) {
                all.push(f);
            }
        }
        let round = self.arena.and_all(round.to_vec());
        if self.arena.as_bool(round) != Some(true) {
            let before = self.arena.add_const(k, -1);
            let prev = self.arena.substitute(round, &std::iter::once((k, before)).collect());
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

    /// What a condition on a power of two says of its exponent: `2^e < n` or `n / 2^e > 0`, for machine integers, holds for small ones only.
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

    /// From `a·j + b != 0` for every `j` in `0..k`, where `a` divides `b`: `b > 0` or `a·(k - 1) + b < 0` (for positive `a`).
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

    fn name_iteration(&mut self, k: TermId, forms: &FxHashMap<LoopVar, Form>) {
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

    /// A variable after `k` steps of constant size.
    fn advance(&mut self, start: &Value, step: i128, k: TermId) -> Option<Value> {
        let d = self.arena.scale(k, step);
        match start {
            Value::Int(a) => Some(Value::Int(self.arena.add(*a, d))),
            Value::Ptr(p) if p.len() == 1 => {
                let o = self.arena.add(p[0].offset, d);
                Some(Value::Ptr(Rc::new(vec![Target { offset: o, ..p[0].clone() }])))
            }
            _ => None,
        }
    }

    fn last_pass(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        l: usize,
        s0: State,
        phi_start: &FxHashMap<ValueId, Value>,
    ) -> LoopOut {
        self.restore(fr, phi_start);
        let out = self.region(fr, cfg, Some(l), cfg.loops[l].header, vec![(cfg.loops[l].header, s0)]);
        (out.exits, out.rets)
    }

    fn restore(&self, fr: &mut Frame, phis: &FxHashMap<ValueId, Value>) {
        for (p, v) in phis {
            fr.env[p.index()] = Some(v.clone());
        }
    }

    fn iteration_symbol(&mut self, vars: &[LoopVar]) -> TermId {
        // Named after the variable that counts, where one has a name.
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
            Range::new(0, 1 << 62),
        )
    }

    /// The state at the header: variables get the given values, or fresh symbols.
    fn header_state(
        &mut self,
        fr: &mut Frame,
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
                    let input = matches!(s0.mem.get(&o).map(|x| &x.rest), Some(Rest::Unknown { input: true, .. }));
                    self.blank(&mut s, o, &format!("what a loop writes to `{name}`"), input);
                }
                LoopVar::Cell(o, at, size) => {
                    let value = match given(self, *v) {
                        Some(x) => x,
                        None => {
                            let start = self.var_value(s0, phi_start, *v);
                            let name = self.object(o).name.clone();
                            self.like(start.as_ref(), size, &format!("`{name}` in a loop"))
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
                    let value = match given(self, *v) {
                        Some(x) => x,
                        None => {
                            let name = self.object(o).name.clone();
                            Value::Bool(self.arena.fresh_bool(
                                SymKind::Unknown { reason: format!("whether `{name}` was freed in a loop") },
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
                            self.like(start.as_ref(), bits.div_ceil(8), "a value carried round a loop")
                        }
                    };
                    fr.env[p.index()] = Some(value.clone());
                    symbols.insert(*v, value);
                }
            }
        }
        (s, symbols)
    }

    /// An arbitrary value of the kind that the start has. Pointers keep the objects that they point into.
    fn like(&mut self, start: Option<&Value>, size: u32, reason: &str) -> Value {
        let unknown = SymKind::Unknown { reason: reason.to_owned() };
        match start {
            Some(Value::Bool(_)) => Value::Bool(self.arena.fresh_bool(unknown, "?")),
            Some(Value::Ptr(p)) if p.len() == 1 && matches!(p[0].base, Base::Object(_)) => {
                let offset = self.arena.fresh(unknown, "?", Range::of_int(63, true));
                Value::Ptr(Rc::new(vec![Target { offset, ..p[0].clone() }]))
            }
            Some(Value::Ptr(_)) => self.unknown_pointer(reason),
            Some(Value::Int(t)) => {
                // Unsigned where the start does not fit the signed reading.
                let bits = (size * 8).min(64);
                let signed = Range::of_int(bits, true);
                let range = if self.arena.as_int(*t).is_some_and(|v| !signed.contains_value(v)) {
                    Range::of_int(bits, false)
                } else {
                    signed
                };
                Value::Int(self.arena.fresh(unknown, "?", range))
            }
            Some(Value::Aggregate(e)) => {
                let e: Vec<Value> = e.iter().map(|x| self.like(Some(x), 8, reason)).collect();
                Value::Aggregate(Rc::new(e))
            }
            _ => Value::unknown(reason),
        }
    }

    fn back_state(
        &mut self,
        fr: &mut Frame,
        func: &crate::ir::Function,
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

    /// Variables in which the state at the back edge differs from the one at the header, beyond the known ones.
    fn changed(&mut self, sh: &State, sb: &State, known: &[LoopVar]) -> Vec<LoopVar> {
        let whole: FxHashSet<ObjId> =
            known.iter().filter_map(|v| if let LoopVar::Whole(o) = v { Some(*o) } else { None }).collect();
        let mut out = vec![];
        let mut ids: Vec<ObjId> = sb.mem.keys().copied().collect();
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
            let Some(h) = sh.mem.get(&o) else {
                // Made inside the body: on the next round it holds anything.
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

    fn var_value(&self, s: &State, phis: &FxHashMap<ValueId, Value>, v: LoopVar) -> Option<Value> {
        match v {
            LoopVar::Phi(p) => phis.get(&p).cloned(),
            LoopVar::Cell(o, at, size) => s.mem.get(&o)?.cells.get(&at).filter(|c| c.0 == size).map(|c| c.1.clone()),
            LoopVar::Whole(_) | LoopVar::Life(_) => None,
        }
    }

    /// Where a pointer variable may point before the loop: nowhere if it was never written. `None` where that is not known.
    fn pointers_before(
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

    /// Whether a term is made only of symbols and contents that are older than the pass, and perhaps of `k`.
    pub(in crate::symbolic) fn only_old(&self, t: TermId, mark: usize, version: u32, k: Option<TermId>) -> bool {
        self.arena.cone(&[t]).into_iter().all(|n| match self.arena.get(n) {
            Term::Sym(s) | Term::BoolSym(s) => (s.0 as usize) < mark || Some(n) == k,
            Term::Apply { name, args, .. } if name == "content" => {
                args.get(1).and_then(|a| self.arena.as_int(*a)).is_some_and(|v| v <= i128::from(version))
            }
            _ => true,
        })
    }

    /// Whether an object has been freed at iteration `k`.
    #[expect(clippy::too_many_arguments, reason = "one variable of a loop, as for any other")]
    fn life(&mut self, o: ObjId, s0: &State, sym: &Value, sb: &State, k: TermId, mark: usize, version: u32) -> Form {
        let (start, next) = (self.freed_when(s0, o), self.freed_when(sb, o));
        match self.solve(&Value::Bool(start), sym, &Value::Bool(next), k, mark, version) {
            Form::Arbitrary => {
                let (freed, fact) = self.freed_in_loop(start, o, k);
                Form::Bounded(Value::Bool(freed), vec![fact])
            }
            form => form,
        }
    }

    /// What the machine reads of a variable after `k` steps, of which `at_k` is the value without end. Small variables go round and
    /// round. One of 32 bits or more that starts within its range is followed to the first value that has wrapped, which the
    /// condition of the round before does not exclude, and no further (docs/LIMITATIONS.md): that would take some 2^31 rounds or a step as large.
    fn read_at(&mut self, at_k: TermId, start: Option<&Value>, sym: TermId, bits: u32) -> TermId {
        let signed = self.arena.range(sym).lo.is_some_and(|l| l < 0);
        let want = Range::of_int(bits, signed);
        let wrapped = self.arena.wrap(at_k, bits, signed);
        let (Some(Value::Int(start)), true) = (start, bits >= 32) else { return wrapped };
        if want.contains(self.arena.range(*start)) {
            return at_k;
        }
        let fits = self.within(*start, bits, signed);
        let fits = self.arena.and_all(fits);
        self.arena.ite(fits, at_k, wrapped)
    }

    /// Width of a variable that holds a number.
    fn bits_of_var(&self, fr: &Frame, v: LoopVar) -> Option<u32> {
        match v {
            LoopVar::Cell(_, _, size) => Some(size * 8),
            LoopVar::Phi(p) => self.value_type(fr.func, p).and_then(|t| self.bits_of(fr.func, t)),
            LoopVar::Whole(_) | LoopVar::Life(_) => None,
        }
    }

    fn solve(&mut self, start: &Value, sym: &Value, next: &Value, k: TermId, mark: usize, version: u32) -> Form {
        match (start, sym, next) {
            (Value::Int(a), Value::Int(h), Value::Int(n)) => self.solve_int(*a, *h, *n, k, mark, version),
            (Value::Ptr(a), Value::Ptr(h), Value::Ptr(n))
                if a.len() == 1 && h.len() == 1 && n.len() == 1 && a[0].base == n[0].base && h[0].base == n[0].base =>
            {
                match self.solve_int(a[0].offset, h[0].offset, n[0].offset, k, mark, version) {
                    Form::Closed(Value::Int(o)) => {
                        Form::Closed(Value::Ptr(Rc::new(vec![Target { offset: o, ..a[0].clone() }])))
                    }
                    Form::Bounded(Value::Int(o), f) => {
                        Form::Bounded(Value::Ptr(Rc::new(vec![Target { offset: o, ..a[0].clone() }])), f)
                    }
                    _ => Form::Arbitrary,
                }
            }
            (Value::Bool(a), Value::Bool(h), Value::Bool(n)) if h == n => Form::Closed(Value::Bool(*a)),
            // Two that are not known may share their reason and differ.
            (a, h, n) if h == n && is_known(h) => Form::Closed(a.clone()),
            (Value::Bool(a), _, Value::Bool(n)) if self.only_old(*n, mark, version, None) => {
                let first = self.arena.le_zero(k);
                let (x, y) = (Value::Bool(*a), Value::Bool(*n));
                Form::Closed(self.ite_value(first, &x, &y))
            }
            _ => Form::Arbitrary,
        }
    }

    fn solve_int(&mut self, a: TermId, h: TermId, n: TermId, k: TermId, mark: usize, version: u32) -> Form {
        let d = self.arena.sub(n, h);
        if self.only_old(d, mark, version, None) {
            let t = self.arena.mul(d, k);
            return Form::Closed(Value::Int(self.arena.add(a, t)));
        }
        // Set to one value in every round: the start, and that from then on.
        if self.only_old(n, mark, version, None) {
            let first = self.arena.le_zero(k);
            return Form::Closed(Value::Int(self.arena.ite(first, a, n)));
        }
        if let Some(f) = self.geometric(a, h, n, k, mark, version) {
            return f;
        }
        if let Some(leaves) = self.leaves(n)
            && let Some(v) = self.option_of_some_round(&leaves, self.arena.range(h))
        {
            return Form::Bounded(Value::Int(v), vec![]);
        }
        self.moved(a, h, n, &Rounds { k, map: &FxHashMap::default(), mark, version }).unwrap_or(Form::Arbitrary)
    }

    /// A choice between steps and fixed values.
    fn moved(&mut self, a: TermId, h: TermId, n: TermId, r: &Rounds<'_>) -> Option<Form> {
        let (k, mark, version) = (r.k, r.mark, r.version);
        let (mut lo, mut hi) = (0i128, 0i128);
        let mut fixed = vec![];
        for leaf in self.leaves(n)? {
            let d = self.arena.sub(leaf, h);
            if let Some(c) = self.arena.as_int(d) {
                lo = lo.min(c);
                hi = hi.max(c);
            } else if self.only_old(leaf, mark, version, None) {
                fixed.push(leaf);
            } else {
                let d = self.arena.substitute(d, r.map);
                let steps = self.arena.range(d);
                match (steps.lo, steps.hi) {
                    (Some(l), Some(u)) if !self.arena.cone(&[d]).contains(&h) => {
                        lo = lo.min(l);
                        hi = hi.max(u);
                    }
                    _ => return None,
                }
            }
        }
        if fixed.len() > 4 {
            return None;
        }
        // The start or a fixed value, and what the steps since then add up to. A representative has no range: where the
        // sum is read as a machine integer, that it has not wrapped is shown there.
        let steps = self.arena.fresh(
            SymKind::Unknown { reason: "how far a loop moves a variable under a condition".into() },
            "steps",
            Range { lo: (lo == 0).then_some(0), hi: (hi == 0).then_some(0) },
        );
        let (l, u) = (self.arena.scale(k, lo), self.arena.scale(k, hi));
        let (l, u) = (self.arena.le(l, steps), self.arena.le(steps, u));
        let mut facts = vec![l, u];
        let mut v = self.arena.add(a, steps);
        for f in fixed {
            let (other, past) = (
                self.arena.fresh_bool(
                    SymKind::Unknown { reason: "a value that a loop changes under a condition".into() },
                    "?",
                ),
                self.arena.add(f, steps),
            );
            v = self.arena.ite(other, past, v);
            // Before the first round it is the start.
            let (one, not) = (self.arena.int(1), self.arena.not(other));
            let started = self.arena.le(one, k);
            facts.push(self.arena.or(not, started));
        }
        Some(Form::Bounded(Value::Int(v), facts))
    }

    /// `best = i` under a condition: the start, or what some earlier round had.
    fn set_in_some_round(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        k: TermId,
        map: &FxHashMap<TermId, TermId>,
        round: &[TermId],
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let mut leaves = self.leaves(n)?;
        leaves.retain(|l| *l != h);
        if leaves.len() > 4 {
            return None;
        }
        let (mut value, mut facts) = (a, vec![]);
        for leaf in leaves {
            let at_k = self.arena.substitute(leaf, map);
            if !self.only_old(at_k, mark, version, Some(k)) {
                return None;
            }
            let earlier = self.arena.fresh(
                SymKind::Iteration { name: "an earlier round".into() },
                "an earlier iteration",
                Range::new(0, 1 << 62),
            );
            let then: FxHashMap<TermId, TermId> = std::iter::once((k, earlier)).collect();
            let kept = self.arena.fresh_bool(SymKind::Unknown { reason: "which round set a variable".into() }, "?");
            let in_round = self.arena.substitute(at_k, &then);
            value = self.arena.ite(kept, value, in_round);
            // One fact each: a launch keeps those whose symbols it knows.
            let mut conditions = vec![self.arena.lt(earlier, k)];
            for c in round {
                conditions.push(self.arena.substitute(*c, &then));
            }
            for c in conditions {
                facts.push(self.arena.or(kept, c));
            }
        }
        Some(Form::Bounded(Value::Int(value), facts))
    }

    /// `h / 2^c`, `h >> c`, `h * 2^c`.
    fn geometric(&mut self, a: TermId, h: TermId, n: TermId, k: TermId, mark: usize, version: u32) -> Option<Form> {
        let power = |c: i128| (c >= 2 && c & (c - 1) == 0).then(|| i128::from(c.trailing_zeros()));
        // The number that is divided is the one that the machine reads, not any congruent one.
        let read = |s: &mut Self, t: TermId| match s.arena.reading(t) {
            Some((arg, bits, signed)) if arg == h => Some(s.arena.wrap(a, bits, signed)),
            _ => (t == h && s.arena.range(h).contains(s.arena.range(a))).then_some(a),
        };
        match *self.arena.get(n) {
            Term::Div(x, c) => {
                let m = power(self.arena.as_int(c)?)?;
                let from = read(self, x)?;
                let e = self.arena.scale(k, m);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.div(from, p))))
            }
            Term::FloorDiv(x, c) => {
                let m = power(c)?;
                let from = read(self, x)?;
                if self.arena.range(from).lo.is_none_or(|v| v < 0) {
                    return None;
                }
                let e = self.arena.scale(k, m);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.div(from, p))))
            }
            Term::Poly(_) => {
                let p = self.arena.poly(n);
                let [(m, c)] = p.terms.as_slice() else { return None };
                if m.as_slice() != [h] {
                    return None;
                }
                let w = power(*c)?;
                let e = self.arena.scale(k, w);
                let p = self.arena.pow2(e);
                Some(Form::Closed(Value::Int(self.arena.mul(a, p))))
            }
            _ => {
                let _ = (mark, version);
                None
            }
        }
    }

    /// Every value that a choice may give; `None` where they are too many.
    pub(in crate::symbolic) fn leaves(&self, t: TermId) -> Option<Vec<TermId>> {
        let (mut out, mut open, mut seen) = (vec![], vec![t], FxHashSet::default());
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            if seen.len() > MAX_CHOICES {
                return None;
            }
            match self.arena.get(t) {
                Term::Ite(_, a, b) => open.extend([*b, *a]),
                _ => out.push(t),
            }
        }
        Some(out)
    }

    /// A pointer to any of several places, by a free choice.
    pub(in crate::symbolic) fn any_of(&mut self, places: &[(Base, TermId)], why: &str) -> Value {
        let mut targets = vec![];
        let mut none_before = self.arena.bool(true);
        let last = places.len().saturating_sub(1);
        for (i, (base, offset)) in places.iter().enumerate() {
            let pick = if i == last {
                self.arena.bool(true)
            } else {
                self.arena.fresh_bool(SymKind::Unknown { reason: why.to_owned() }, "?")
            };
            let cond = self.arena.and(none_before, pick);
            let n = self.arena.not(pick);
            none_before = self.arena.and(none_before, n);
            targets.push(Target::new(cond, base.clone(), *offset));
        }
        Value::Ptr(Rc::new(targets))
    }

    /// The first k up to the unrolling limit at which some condition of going round is false.
    fn trip_count(&mut self, round: &[TermId], k: TermId) -> Option<u32> {
        for n in 0..=MAX_UNROLL {
            let v = self.arena.int(i128::from(n));
            let map: FxHashMap<TermId, TermId> = std::iter::once((k, v)).collect();
            for c in round {
                let t = self.arena.substitute(*c, &map);
                if self.arena.as_bool(t) == Some(false) {
                    return Some(n);
                }
            }
        }
        None
    }

    fn unroll(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        l: usize,
        s0: &State,
        phi_start: &FxHashMap<ValueId, Value>,
        trips: u32,
    ) -> Option<LoopOut> {
        let part = Part::Loop(fr.func, cfg.loops[l].header);
        if self.spared(part).is_some() {
            return None;
        }
        let before = self.budget.enter(trips)?;
        self.effort.unrolled.insert(part);
        let out = self.every_round(fr, cfg, l, s0, phi_start, trips);
        self.budget.leave(before);
        out
    }

    fn every_round(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        l: usize,
        s0: &State,
        phi_start: &FxHashMap<ValueId, Value>,
        trips: u32,
    ) -> Option<LoopOut> {
        let events = self.events.mark();
        let func = self.function(fr.func);
        let header = cfg.loops[l].header;
        let phis: Vec<ValueId> = phi_start.keys().copied().collect();
        self.restore(fr, phi_start);
        let mut out = LoopOut::default();
        let mut state = s0.clone();
        let context = fr.context;
        for i in 0..=trips {
            // Allocations of different rounds are different objects.
            fr.context =
                crate::symbolic::exec::calls::mix(context, Site { func: fr.func, block: header, inst: u32::MAX - i });
            let r = self.region(fr, cfg, Some(l), header, vec![(header, state.clone())]);
            out.0.extend(r.exits);
            out.1.extend(r.rets);
            if self.gave_up.is_some() {
                fr.context = context;
                return Some(LoopOut::default());
            }
            match self.back_state(fr, func, header, &phis, r.back) {
                None => {
                    fr.context = context;
                    return Some(out);
                }
                Some((s, next)) => {
                    state = s;
                    self.restore(fr, &next);
                }
            }
        }
        // It went on: not a constant trip count after all.
        fr.context = context;
        self.events.take_back(events);
        None
    }
}
