//! Control flow: activations of functions, and regions of blocks in reverse post-order with nested loops as one step
//! each.
//!
//! Paths are merged at joins: a state is a path condition and a memory, and a value that differs between the merged
//! paths becomes an if-then-else over the condition that distinguishes them. In: a function or region and the states
//! that enter it. Out: the states at the edges that leave it, and its return values.

use super::executor::Executor;
use super::site::Site;
use super::state::State;
use super::state::{Activation, RegionOut};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::term::{Term, TermId};
use base::reasons::UnknownReason;
use ir::cfg::Cfg;
use ir::{BlockId, FuncRef, Function, Inst, Op, Operand, Terminator};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl<'p> Executor<'p> {
    /// Executes a defined function. `None` if it does not return.
    pub fn call(&mut self, f: FuncRef, args: Vec<Value>, state: State, context: u64) -> Option<(Option<Value>, State)> {
        let func = self.function(f);
        let cfg = self.cfg(f);
        if cfg.irreducible {
            self.limits.give_up(UnknownReason::SeveralEntries(func.display.clone()));
            return None;
        }
        let state = self.assume_at_entry(f, &args, state);
        // Targets of `va_list`s are not followed. A model ignores what it has no parameter for.
        if let Some(more) = args.get(func.params.len()..).filter(|_| !func.is_library_model()) {
            for v in more {
                self.keep_anywhere(v);
            }
        }
        let before = self.heap.len();
        let mut frame = Activation {
            func: f,
            env: vec![None; func.values as usize],
            locals: vec![],
            rows: FxHashMap::default(),
            shifted: FxHashMap::default(),
            context,
        };
        for (i, a) in args.into_iter().enumerate() {
            // Excess arguments belong to a `va_list`, recorded above.
            if let Some(slot) = frame.env.get_mut(i) {
                *slot = Some(a);
            }
        }
        let out = self.region(&mut frame, &cfg, None, BlockId(0), vec![(BlockId(0), state)]);
        let mut values = vec![];
        let mut states = vec![];
        for (v, s) in out.rets {
            values.push(v);
            states.push(s);
        }
        let (mut s, sels) = self.merge(states)?;
        let mut it = values.into_iter();
        let mut value = it.next().flatten();
        for (v, sel) in it.zip(sels) {
            value = match (value, v) {
                (Some(a), Some(b)) => Some(self.ite_value(sel, &a, &b)),
                _ => None,
            };
        }
        for l in frame.locals {
            s.mem.remove(&l);
            self.kernel.partitions.end(l);
        }
        if self.program.loc(f.module, func.loc).system {
            value = value.map(|v| self.without_no_elements(v, before));
        }
        Some((value, s))
    }

    /// Executes the blocks of a region (a loop's body or the whole function) in reverse post-order, nested loops as
    /// one step each.
    pub(in crate::symbolic) fn region(
        &mut self,
        fr: &mut Activation,
        cfg: &Cfg,
        lp: Option<usize>,
        start: BlockId,
        entry: Vec<(BlockId, State)>,
    ) -> RegionOut {
        let mut out = RegionOut::default();
        let mut incoming: FxHashMap<BlockId, Vec<(BlockId, State)>> = FxHashMap::default();
        incoming.insert(start, entry);
        let func = self.function(fr.func);
        for &b in &cfg.order {
            if incoming.is_empty() || self.limits.is_at_an_end() {
                break;
            }
            // No path leads to this block.
            let Some(states) = incoming.remove(&b) else { continue };
            let inner = cfg.innermost[b.index()];
            let edges: Vec<(BlockId, BlockId, State)> =
                if inner != lp && inner.is_some_and(|l| cfg.loops[l].header == b && cfg.loops[l].parent == lp) {
                    let l = inner.unwrap_or(0);
                    let (exits, rets) = self.run_loop(fr, cfg, l, states);
                    out.rets.extend(rets);
                    exits
                } else {
                    // The header of this very loop gets its merged state and phi values from `run_loop`.
                    let head = lp.is_some_and(|l| cfg.loops[l].header == b);
                    let Some(s) = self.enter_block(fr, func, b, states, !head) else { continue };
                    self.run_block(fr, func, b, s, &mut out).into_iter().map(|(to, s)| (b, to, s)).collect()
                };
            for (from, to, s) in edges {
                match lp {
                    Some(l) if to == cfg.loops[l].header => out.back.push((from, s)),
                    Some(l) if !cfg.loops[l].blocks.contains(&to) => out.exits.push((from, to, s)),
                    _ => incoming.entry(to).or_default().push((from, s)),
                }
            }
        }
        out
    }

    pub(in crate::symbolic) fn run_block(
        &mut self,
        fr: &mut Activation,
        func: &'p Function,
        b: BlockId,
        state: State,
        out: &mut RegionOut,
    ) -> Vec<(BlockId, State)> {
        let block = &func.blocks[b.index()];
        let mut s = state;
        for (i, inst) in block.insts.iter().enumerate() {
            if !self.step() {
                return vec![];
            }
            let site = Site { func: fr.func, block: b, inst: u32::try_from(i).unwrap_or(u32::MAX) };
            match self.instruction(fr, inst, site, s) {
                Some(n) => s = n,
                None => return vec![],
            }
        }
        if !self.step() {
            return vec![];
        }
        match &block.term {
            Terminator::Ret(v) => {
                let v = v.as_ref().map(|o| self.operand(fr, o, func.ret));
                out.rets.push((v, s));
                vec![]
            }
            Terminator::Br(to) => vec![(*to, s)],
            Terminator::CondBr { cond, then, otherwise } => {
                let c = self.condition(fr, cond);
                if then == otherwise {
                    return vec![(*then, s)];
                }
                if let Some(well) = self.ends_on_failure(fr.func, c, *then, *otherwise) {
                    return vec![(if well { *then } else { *otherwise }, s)];
                }
                if let Some(on) = self.removed_assert(fr.func, c, *then, *otherwise, b, &s) {
                    return on;
                }
                if let Some(on) = self.claimed_unreachable(fr.func, c, *then, *otherwise, &s) {
                    return on;
                }
                let n = self.arena.not(c);
                let mut v = vec![];
                if let Some(t) = self.assume(s.clone(), c) {
                    v.push((*then, t));
                }
                if let Some(e) = self.assume(s, n) {
                    v.push((*otherwise, e));
                }
                v
            }
            Terminator::Switch { value, default, cases } => self.switch(fr, value, *default, cases, s),
            Terminator::Invoke { result, ty, callee, args, normal, unwind } => {
                let site = Site { func: fr.func, block: b, inst: u32::try_from(block.insts.len()).unwrap_or(u32::MAX) };
                let inst = Inst {
                    result: *result,
                    ty: *ty,
                    op: Op::Call { callee: callee.clone(), args: args.clone() },
                    loc: block.term_loc,
                };
                let before = self.may_be_caught(fr, (callee, args), *unwind).then(|| s.clone());
                let after = self.instruction(fr, &inst, site, s);
                let thrown = before.and_then(|before| {
                    let values: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
                    self.thrown(fr, site, (callee, &values), before, *ty)
                });
                after.map(|s| (*normal, s)).into_iter().chain(thrown.map(|s| (*unwind, s))).collect()
            }
            Terminator::Unreachable => vec![],
            Terminator::Other(what) => {
                self.limits.give_up(UnknownReason::TerminatorNotFollowed(what.clone()));
                vec![]
            }
        }
    }
}

impl ExecutionContext<'_> {
    /// Whether a block is part of a loop.
    pub fn is_in_loop(&mut self, f: FuncRef, b: BlockId) -> bool {
        self.cfg(f).innermost[b.index()].is_some()
    }

    /// Number of loops that a block is part of.
    pub fn loops_around(&mut self, f: FuncRef, b: BlockId) -> usize {
        let cfg = self.cfg(f);
        std::iter::successors(cfg.innermost[b.index()], |l| cfg.loops[*l].parent).count()
    }

    pub(in crate::symbolic) fn cfg(&mut self, f: FuncRef) -> Rc<Cfg> {
        if let Some(c) = self.functions.cfgs.get(&f) {
            return c.clone();
        }
        let c = Rc::new(Cfg::new(self.function(f)));
        self.functions.cfgs.insert(f, c.clone());
        c
    }

    /// Merges incoming edges and evaluates the block's phis.
    pub(in crate::symbolic) fn enter_block(
        &mut self,
        fr: &mut Activation,
        func: &Function,
        b: BlockId,
        incoming: Vec<(BlockId, State)>,
        phis: bool,
    ) -> Option<State> {
        let (preds, states): (Vec<_>, Vec<_>) = incoming.into_iter().unzip();
        let (s, sels) = self.merge(states)?;
        if phis {
            let mut results = vec![];
            for inst in &func.blocks[b.index()].insts {
                let Op::Phi(edges) = &inst.op else { break };
                let mut value: Option<Value> = None;
                for (i, p) in preds.iter().enumerate() {
                    // Each predecessor has its edge: none is skipped.
                    let Some((_, o)) = edges.iter().find(|(e, _)| e == p) else { continue };
                    let v = self.operand(fr, o, inst.ty);
                    value = Some(match value {
                        None => v,
                        Some(old) => self.ite_value(sels[i - 1], &old, &v),
                    });
                }
                results.push((inst.result, value));
            }
            for (r, v) in results {
                if let (Some(r), Some(v)) = (r, v) {
                    fr.env[r.index()] = Some(v);
                }
            }
        }
        Some(s)
    }

    pub(in crate::symbolic) fn switch(
        &mut self,
        fr: &mut Activation,
        value: &Operand,
        default: BlockId,
        cases: &[(i128, BlockId)],
        s: State,
    ) -> Vec<(BlockId, State)> {
        let bits = self.operand_bits(fr, value).unwrap_or(32);
        let v = self.operand_int(fr, value, bits);
        let v = self.interpret(v, bits, true);
        let mut others = vec![];
        let mut by_target: Vec<(BlockId, Vec<TermId>)> = vec![];
        for (k, to) in cases {
            let k = self.arena.int(*k);
            let c = self.arena.eq(v, k);
            others.push(self.arena.not(c));
            match by_target.iter_mut().find(|(t, _)| t == to) {
                Some((_, cs)) => cs.push(c),
                None => by_target.push((*to, vec![c])),
            }
        }
        let none = self.arena.and_all(others);
        match by_target.iter_mut().find(|(t, _)| *t == default) {
            Some((_, cs)) => cs.push(none),
            None => by_target.push((default, vec![none])),
        }
        let mut out = vec![];
        for (to, cs) in by_target {
            let c = self.arena.or_all(cs);
            if let Some(s) = self.assume(s.clone(), c) {
                out.push((to, s));
            }
        }
        out
    }
}

impl MemoryDomain<'_> {
    /// Returns the element storage of a standard library container: it is null if the container is empty, but an empty
    /// block is an equivalent model, and then pointers into it move uniformly. `before`: number of objects before the
    /// call.
    pub(in crate::symbolic) fn without_no_elements(&mut self, v: Value, before: usize) -> Value {
        let Value::Ptr(p) = &v else { return v };
        let [a, b] = p.as_slice() else { return v };
        let (none, some) = if a.base == Base::Null { (a, b) } else { (b, a) };
        let (Base::Null, Base::Object(o)) = (&none.base, &some.base) else { return v };
        let (Some(extent), true) =
            (self.object(*o).extent, (o.0 as usize) >= before && self.arena.as_int(some.offset) == Some(0))
        else {
            return v;
        };
        let (zero, some) = (self.arena.int(0), some.clone());
        let empty = self.arena.conjuncts(none.cond).into_iter().any(|c| {
            let Term::EqZ(t) = *self.arena.get(c) else { return false };
            self.arena.substitute(extent, &std::iter::once((t, zero)).collect()) == zero
        });
        if !empty {
            return v;
        }
        Value::Ptr(Rc::new(vec![GuardedTarget { cond: self.arena.bool(true), ..some }]))
    }
}
