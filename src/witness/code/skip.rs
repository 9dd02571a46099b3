//! Continues after branches with unknown conditions, and past loops that only prepare data.
//!
//! Whatever the skipped code could have written becomes poison: a havoc of its write set, which `effects` and `roots`
//! compute. No verdict then depends on skipped code by chance. The induction variable of a counted loop keeps its
//! value after the loop (`induction`).

use super::effect::FunctionEffect;
use super::induction::induction_exit;
use super::region::{SkippableRegion, defs, promoted_stores};
use super::roots::Roots;
use crate::api::{Cause, UndecidedReason};
use crate::machine::call::ThreadStop;
use crate::machine::form::FunctionCode;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, mask};
use crate::memory::space::{WindowId, split};
use ir::{self, Block, BlockId, Callee, Const, FuncRef, Op, Operand, Terminator, TypeKind, ValueId};
use models::access::ModelledAccess;
use models::ptx;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl<'p> Machine<'p> {
    /// Finds the instruction to continue at after a branch with an unknown condition.
    #[cold]
    pub fn undecided(
        &mut self,
        th: &mut Thread,
        code: &FunctionCode,
        base: usize,
        pc: usize,
        why: Reason,
    ) -> Result<usize, ThreadStop> {
        let block = code.block_of(pc);
        let func = code.func;
        if !th.on_device() && self.libc.threads.is_another() {
            let at = self.block_line(func, block);
            return Err(ThreadStop::Unknown(
                self.reasons.why(why, |why| format!("{at}: a branch of a host thread depends on {why}")),
            ));
        }
        if !th.on_device() {
            if let Some((to, failure)) = self.continuing_side(th, code, block) {
                let (at, text) = (self.block_line(func, block), self.text(why));
                let what = format!("{at}: the program continues there, although that depends on {text}");
                let others: Vec<BlockId> =
                    code.flow.succs[block.index()].iter().filter(|s| **s != to).copied().collect();
                let others: Vec<BlockId> = others.into_iter().flat_map(|s| code.flow.reach(s)).collect();
                let e = self.effects.of_blocks(self.program, code.func, &others);
                // A check for a failure is taken to pass, unless what an operation of PyTorch computes decides it: that is
                // what such a check is about. Where both sides are usual, either may be taken.
                let cause = self.reasons.cause(why);
                if failure && cause != Cause::Operation && !self.may_throw_to_handler(th, code, &others, &e) {
                    self.seen.assume(what);
                } else {
                    self.seen.doubt_path(UndecidedReason { text: what, cause });
                }
                return Ok(self.arrive(th, code, base, Some(block), to, why));
            }
            if !self.launches_ahead(th, code, block) {
                return Err(ThreadStop::Ended(format!(
                    "{}: no kernel is launched any more",
                    self.block_line(func, block)
                )));
            }
        }
        if let Some(join) = code.flow.join[block.index()] {
            let region = self.region_of_branch(code, block, join);
            if self.may_skip(th, &region) {
                if th.on_device() && self.seen.target.is_none() {
                    let at = self.block_line(func, block);
                    let why = self.reasons.why(why, |why| format!("{at}: a branch of the kernel depends on {why}"));
                    self.seen.doubt(why);
                }
                self.poison_region(th, code, base, &region, why, &FxHashSet::default());
                return Ok(self.arrive(th, code, base, None, join, why));
            }
        }
        let at = self.block_line(func, block);
        Err(ThreadStop::Unknown(self.reasons.why(why, |why| format!("{at}: a branch depends on {why}"))))
    }

    /// Region between a branch and the join of its sides, cached because loops reach the same branch many times.
    fn region_of_branch(&mut self, code: &FunctionCode, block: BlockId, join: BlockId) -> Rc<SkippableRegion<'p>> {
        if let Some(known) = self.known.regions.get(&(code.func, block)) {
            return known.clone();
        }
        let region = Rc::new(self.region(code.func, code.flow.between(block, join)));
        self.known.regions.insert((code.func, block), region.clone());
        region
    }

    fn region(&mut self, func: FuncRef, blocks: Vec<BlockId>) -> SkippableRegion<'p> {
        let program = self.program;
        let f = program.func(func);
        SkippableRegion {
            func,
            effect: self.effects.of_blocks(program, func, &blocks),
            defs: defs(f, &blocks),
            stores: promoted_stores(f, &blocks),
            blocks,
        }
    }

    /// Moves to a block from its predecessor `from`. If `from` is unknown, the block's phis become poison. Records
    /// the entry of a loop.
    pub(crate) fn arrive(
        &mut self,
        th: &mut Thread,
        code: &FunctionCode,
        base: usize,
        from: Option<BlockId>,
        to: BlockId,
        why: Reason,
    ) -> usize {
        let f = self.program.func(code.func);
        for inst in &f.blocks[to.index()].insts {
            let (Op::Phi(incoming), Some(r)) = (&inst.op, inst.result) else { break };
            let (d, n) = code.values[r.index()];
            let known = incoming.iter().find(|(b, _)| Some(*b) == from).map(|(_, o)| o);
            for k in 0..n {
                let v = match known {
                    Some(Operand::Value(v)) => th.regs[base + (code.values[v.index()].0 + k) as usize],
                    Some(Operand::Const(Const::Int { bits, value })) if *bits <= 64 =>
                    {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "at most 64 bits by the guard"
                        )]
                        Val::new(*value as u64 & mask(*bits))
                    }
                    _ => Val::poison(why),
                };
                th.regs[base + (d + k) as usize] = v;
            }
        }
        if let Some(&r) = code.loop_regs.get(&to) {
            th.regs[base + r as usize] = Val::new(self.steps);
        }
        code.block_pc[to.index()] as usize
    }

    /// The one side of a branch that continues, if all other sides only end the program, and whether each of these ends
    /// it as a failure.
    fn continuing_side(&mut self, th: &Thread, code: &FunctionCode, block: BlockId) -> Option<(BlockId, bool)> {
        let root = th.frames.len() <= 1;
        let key = (code.func, block, root);
        if let Some(known) = self.known.continuing.get(&key) {
            return *known;
        }
        let side = self.only_side(code, block, root);
        self.known.continuing.insert(key, side);
        side
    }

    fn only_side(&mut self, code: &FunctionCode, block: BlockId, root: bool) -> Option<(BlockId, bool)> {
        let sides = &code.flow.succs[block.index()];
        let ends: Vec<bool> = sides.iter().map(|s| self.only_ends(code, *s, block, root)).collect();
        let going: Vec<BlockId> = sides.iter().zip(&ends).filter(|(_, e)| !**e).map(|(s, _)| *s).collect();
        match going[..] {
            [one] if sides.len() > 1 => {
                let mut ending = sides.iter().zip(&ends).filter(|(_, e)| **e);
                Some((one, ending.all(|(s, _)| self.ends_in_failure(code, *s))))
            }
            _ => None,
        }
    }

    /// Whether a side that only ends the program does so as a failure: by no return and no `exit` with the status 0.
    fn ends_in_failure(&self, code: &FunctionCode, from: BlockId) -> bool {
        let f = self.program.func(code.func);
        let blocks: Vec<&Block> = code.flow.reach(from).iter().map(|b| &f.blocks[b.index()]).collect();
        let is_zero = |o: &Operand| matches!(o, Operand::Const(Const::Zero(_) | Const::Int { value: 0, .. }));
        let ends_well = |b: &&Block| match &b.term {
            // A status that is returned lies in a variable, which this side sets.
            Terminator::Ret(Some(Operand::Value(status))) => {
                let slot = b.insts.iter().find_map(|i| match &i.op {
                    Op::Load { ptr, .. } if i.result == Some(*status) => Some(ptr),
                    _ => None,
                });
                let set: Vec<&Operand> = blocks
                    .iter()
                    .flat_map(|b| &b.insts)
                    .filter_map(|i| match &i.op {
                        Op::Store { ptr, value, .. } if Some(ptr) == slot => Some(value),
                        _ => None,
                    })
                    .collect();
                set.is_empty() || set.into_iter().any(is_zero)
            }
            Terminator::Ret(status) => status.as_ref().is_none_or(is_zero),
            Terminator::Unreachable => b.insts.iter().any(|i| match &i.op {
                Op::Call { callee: Callee::Direct(id), args } => {
                    let callee = self.program.resolve_func(code.func.module, *id);
                    ["exit", "_exit", "_Exit", "quick_exit"].contains(&self.program.func(callee).name.as_str())
                        && args.first().is_some_and(is_zero)
                }
                _ => false,
            }),
            _ => false,
        };
        !blocks.iter().any(ends_well)
    }

    /// Whether every path from here ends the program without CUDA work before.
    fn only_ends(&mut self, code: &FunctionCode, from: BlockId, branch: BlockId, root: bool) -> bool {
        let program = self.program;
        let f = program.func(code.func);
        let reach = code.flow.reach(from);
        if reach.contains(&branch) {
            return false;
        }
        let goes_on = |b: &BlockId| match f.blocks[b.index()].term {
            Terminator::Other(_) => true,
            Terminator::Ret(_) => !root,
            _ => false,
        };
        if reach.iter().any(goes_on) {
            return false;
        }
        let e = self.effects.of_blocks(program, code.func, &reach);
        !e.cuda && !e.indirect
    }

    /// Whether this frame or one below may still do CUDA work after this block.
    fn launches_ahead(&mut self, th: &Thread, code: &FunctionCode, block: BlockId) -> bool {
        if self.before_root || self.may_launch_from(code, block) {
            return true;
        }
        th.frames.iter().rev().skip(1).any(|f| self.may_launch_from(&f.code, f.code.block_of(f.pc.saturating_sub(1))))
    }

    fn may_launch_from(&mut self, code: &FunctionCode, block: BlockId) -> bool {
        let key = (code.func, block);
        let ahead = match self.known.ahead.get(&key) {
            Some(known) => known.clone(),
            None => {
                let blocks = code.flow.reach(block);
                let ahead = Rc::new((self.effects.of_blocks(self.program, code.func, &blocks), blocks));
                self.known.ahead.insert(key, ahead.clone());
                ahead
            }
        };
        let (e, blocks) = &*ahead;
        e.cuda || e.indirect || self.sought_in(code.func, blocks, e)
    }

    /// Whether the target is in these blocks of a function or in their callees.
    fn sought_in(&self, func: FuncRef, blocks: &[BlockId], e: &FunctionEffect) -> bool {
        self.seen
            .target
            .as_ref()
            .is_some_and(|t| t.site.func == func && blocks.contains(&t.site.block) || e.calls.contains(&t.site.func))
    }

    /// Whether skipping these blocks only changes contents of memory and registers.
    fn may_skip(&self, th: &Thread, region: &SkippableRegion<'_>) -> bool {
        let f = self.program.func(region.func);
        if region.blocks.iter().any(|b| matches!(f.blocks[b.index()].term, Terminator::Ret(_) | Terminator::Other(_))) {
            return false;
        }
        let e = &region.effect;
        // What a graph keeps of a capture must be whole.
        if self.cuda.capturing.is_some()
            || e.cuda
            || e.barrier
            || e.indirect && !th.on_device() && self.effects.may_matter_unknown()
        {
            return false;
        }
        // The target must not be skipped.
        !self.sought_in(region.func, &region.blocks, e)
    }

    /// Skips a loop, if possible, at its back edge after many steps; returns the instruction after the loop.
    #[cold]
    pub fn skip_loop(
        &mut self,
        th: &mut Thread,
        code: &FunctionCode,
        base: usize,
        header: BlockId,
    ) -> Result<Option<usize>, ThreadStop> {
        let Some(l) = code.flow.loop_at(header).cloned() else { return Ok(None) };
        if self.seen.target.is_none() && th.on_device() {
            return Ok(None);
        }
        let body = self.region(code.func, l.blocks.clone());
        if !self.may_skip(th, &body) {
            return Ok(None);
        }
        let mut exits: Vec<BlockId> =
            l.blocks.iter().flat_map(|b| code.flow.succs[b.index()].clone()).filter(|b| !l.contains(*b)).collect();
        exits.sort_unstable();
        exits.dedup();
        let root = th.frames.len() <= 1;
        if exits.len() > 1 {
            let host = !th.on_device();
            exits.retain(|b| !(host && self.only_ends(code, *b, header, root)));
        }
        // Several exits may meet again before anything else is done.
        let Some(&first) = exits.first() else { return Ok(None) };
        let (exit, between) = if exits.len() == 1 {
            (first, Vec::new())
        } else {
            let Some(join) = code.flow.join[header.index()].filter(|j| !l.contains(*j)) else { return Ok(None) };
            let mut between = code.flow.between(header, join);
            between.retain(|b| !l.contains(*b));
            if between.len() > 8 {
                return Ok(None);
            }
            let behind = self.region(code.func, between.clone());
            if !self.may_skip(th, &behind) {
                return Ok(None);
            }
            (join, between)
        };
        let at = self.block_line(code.func, header);
        let why = self.reason(Cause::Loop, &format!("what the loop at {at} computes, which was skipped"));
        let counted = induction_exit(self.program.func(code.func), code, &th.regs[base..], &l.blocks, header);
        if counted.is_none() && self.libc.threads.is_another() {
            return Err(ThreadStop::Unknown(format!("{at}: a loop in a host thread may wait for another one").into()));
        }
        if counted.is_none() {
            self.seen.assume(format!("{at}: the loop ends"));
        }
        let mut blocks = l.blocks.clone();
        blocks.extend(between);
        blocks.sort_unstable();
        let keep: FxHashSet<ValueId> = counted.iter().map(|c| c.0).collect();
        let all = self.region(code.func, blocks);
        self.poison_region(th, code, base, &all, why, &keep);
        if let Some((var, value)) = counted {
            th.regs[base + code.promoted[&var] as usize] = value;
        }
        self.seen.skipped = true;
        Ok(Some(self.arrive(th, code, base, None, exit, why)))
    }

    /// Makes everything poison that these blocks may write.
    fn poison_region(
        &mut self,
        th: &mut Thread,
        code: &FunctionCode,
        base: usize,
        region: &SkippableRegion<'p>,
        why: Reason,
        keep: &FxHashSet<ValueId>,
    ) {
        self.doubt_skipped_throws(th, code, &region.blocks, &region.effect);
        let func = code.func;
        let f = self.program.func(func);
        let (blocks, e) = (&region.blocks, &region.effect);
        let mut roots = Roots { region, found: FxHashSet::default(), unknown: false };
        // Where the region writes, traced from the values before it.
        let mut deep: FxHashSet<WindowId> = FxHashSet::default();
        for b in blocks {
            let block = &f.blocks[b.index()];
            for inst in &block.insts {
                match &inst.op {
                    Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
                        roots.of(self, th, code, base, ptr);
                    }
                    Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => roots.of(self, th, code, base, dst),
                    Op::Asm { args, text, constraints, .. } => {
                        for a in args {
                            roots.of(self, th, code, base, a);
                        }
                        // Inline assembly receives shared-memory addresses as integers.
                        if th.on_device() && ptx::accesses(text, constraints).iter().any(ModelledAccess::writes) {
                            roots.found.extend(self.mem.shared_ids());
                        }
                    }
                    Op::Call { callee, args } => self.call_roots(th, code, base, callee, args, &mut roots, &mut deep),
                    _ => {}
                }
            }
            if let Terminator::Invoke { callee, args, .. } = &block.term {
                self.call_roots(th, code, base, callee, args, &mut roots, &mut deep);
            }
        }
        let mut objects = roots.found;
        let deep = self.with_those_of_threads(deep.into_iter().collect());
        objects.extend(self.mem.reachable(&th.stack, &deep));
        let found: Vec<WindowId> = objects.iter().copied().collect();
        objects.extend(self.with_those_of_threads(found));
        for g in &e.globals {
            let a = self.global_address(g.module, g.global);
            objects.insert(split(a).0);
        }
        if roots.unknown {
            let at = blocks.first().map(|b| self.block_line(func, *b)).unwrap_or_default();
            self.seen.assume(format!("{at}: writes through unknown pointers change nothing that matters"));
        }
        for id in objects {
            self.havoc_object(th, id, why);
        }
        if e.random {
            self.libc.havoc_random(why);
        }
        if e.input {
            self.libc.havoc_input(why);
        }
        for b in blocks {
            let block = &f.blocks[b.index()];
            for inst in &block.insts {
                if let Op::Store { ptr: Operand::Value(v), .. } = &inst.op
                    && let Some(&r) = code.promoted.get(v)
                    && !keep.contains(v)
                {
                    let bits = th.regs[base + r as usize].bits;
                    // A pointer that the region advances still points into its object.
                    th.regs[base + r as usize] =
                        Val::unknown_address(if self.is_pointer_var(func, *v) { bits } else { 0 }, why);
                }
                let result = inst.result.filter(|_| !matches!(inst.op, Op::Alloca { .. }));
                if let Some(v) = result {
                    poison_value(th, code, base, v, why);
                }
            }
            if let Terminator::Invoke { result: Some(v), .. } = &block.term {
                poison_value(th, code, base, *v, why);
            }
        }
    }

    fn is_pointer_var(&self, func: FuncRef, var: ValueId) -> bool {
        let (m, f) = (self.program.module(func.module), self.program.func(func));
        f.blocks.iter().flat_map(|b| &b.insts).any(|i| {
            i.result == Some(var)
                && matches!(&i.op, Op::Alloca { ty, .. } if matches!(m.ty(*ty).kind, TypeKind::Ptr(_)))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn call_roots(
        &mut self,
        th: &Thread,
        code: &FunctionCode,
        base: usize,
        callee: &ir::Callee,
        args: &[Operand],
        roots: &mut Roots<'_, '_>,
        deep: &mut FxHashSet<WindowId>,
    ) {
        let konst = match callee {
            ir::Callee::Direct(id) => {
                let called = self.effects.called(self.program, self.program.resolve_func(code.func.module, *id));
                if called.pure {
                    return;
                }
                Some(called)
            }
            ir::Callee::Indirect(_) => None,
        };
        for (i, a) in args.iter().enumerate() {
            if konst.as_ref().is_some_and(|c| c.konst.get(i).copied().unwrap_or(false)) {
                continue;
            }
            let before = std::mem::take(&mut roots.found);
            let unknown = roots.unknown;
            roots.of(self, th, code, base, a);
            // An argument that is no pointer has no pointees, which loses nothing.
            roots.unknown = unknown;
            deep.extend(roots.found.iter().copied());
            roots.found = before;
        }
    }
}

fn poison_value(th: &mut Thread, code: &FunctionCode, base: usize, v: ValueId, why: Reason) {
    let (d, n) = code.values[v.index()];
    for k in 0..n {
        th.regs[base + (d + k) as usize] = Val::poison(why);
    }
}
