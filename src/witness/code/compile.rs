//! Compiles the analysis form to [`FunctionCode`]: blocks in order, edges with the moves of their phis, terminators and
//! calls.
//!
//! In: a function with a body. Out: its flat form, which the machine keeps. Module `instructions` compiles single
//! instructions.

use super::builder::{Builder, Patch};
use super::program_cache;
use crate::library::modelled;
use crate::machine::form::{Arg, CallInfo, CallTarget, FlatFunction, FunctionCode, I, Opd, Relocation, SwitchInfo};
use crate::machine::state::Machine;
use crate::machine::value::mask;
use base::work::{charge_each, cost};
use ir::{self, BlockId, FuncRef, Op, Operand, Terminator, ValueId};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

impl<'p> Machine<'p> {
    /// Flat form of a function with a body.
    pub fn code(&mut self, func: FuncRef) -> Rc<FunctionCode> {
        if let Some(c) = self.codes.get(&func) {
            return c.clone();
        }
        let flat = self.flat(func);
        charge_each(cost::LOAD, flat.insts.len());
        let mut consts = flat.consts.clone();
        for (at, by) in &flat.relocations {
            match by {
                Relocation::Poison(why) => consts[*at] = self.unknown(why),
                Relocation::Scalars { module, constant, ty } => {
                    let scalars = self.const_scalars(*module, constant, *ty);
                    for (c, (_, _, v)) in consts[*at..].iter_mut().zip(scalars) {
                        *c = v;
                    }
                }
            }
        }
        let hits = vec![Cell::new(0); flat.insts.len()];
        let code = Rc::new(FunctionCode { flat, hits, consts });
        self.codes.insert(func, code.clone());
        code
    }

    /// Flat form that all runs share, unless the run watches the pointers that name parts: their stores are then no
    /// register moves.
    fn flat(&mut self, func: FuncRef) -> Rc<FlatFunction> {
        let program = self.program;
        let common = !self.watches_parts();
        if let Some(flat) = common.then(|| program_cache::flat(program, func)).flatten() {
            return flat;
        }
        let (m, f) = (program.module(func.module), program.func(func));
        let flat = Rc::new(Builder::new(self, m, f, func).build());
        if common {
            program_cache::keep(program, &flat);
        }
        flat
    }
}

impl Builder<'_, '_> {
    fn build(mut self) -> FlatFunction {
        self.assign_registers();
        self.promote();
        for l in &self.code.flow.loops {
            self.code.loop_regs.insert(l.header, self.code.regs);
            self.code.regs += 1;
        }
        for bi in 0..self.f.blocks.len() {
            #[expect(clippy::cast_possible_truncation, reason = "blocks are numbered by u32")]
            self.block(BlockId(bi as u32));
        }
        for (at, which, block) in std::mem::take(&mut self.patches) {
            let to = self.code.block_pc[block.index()];
            match (&mut self.code.insts[at], which) {
                (I::Jump { pc }, _) => *pc = to,
                (I::Branch { yes, .. }, Patch::Yes) => *yes = to,
                (I::Branch { no, .. }, Patch::No) => *no = to,
                _ => {}
            }
        }
        self.code
    }

    #[expect(clippy::cast_possible_truncation, reason = "instructions are numbered by u32")]
    fn block(&mut self, b: BlockId) {
        self.code.block_pc.push(self.code.insts.len() as u32);
        let f = self.f;
        let block = &f.blocks[b.index()];
        for (i, inst) in block.insts.iter().enumerate() {
            self.place = (b.0, i as u32);
            self.inst(inst);
        }
        self.place = (b.0, block.insts.len() as u32);
        self.terminator(b, &block.term);
    }

    fn jump(&mut self, from: BlockId, to: BlockId) {
        self.edge(from, to);
        let at = self.emit(I::Jump { pc: 0 });
        self.patches.push((at, Patch::Jump, to));
    }

    /// Compiles the edge between two blocks: phi moves and loop bookkeeping.
    fn edge(&mut self, from: BlockId, to: BlockId) {
        let f = self.f;
        let mut moves: Vec<(u32, Opd)> = Vec::new();
        for inst in &f.blocks[to.index()].insts {
            let (Op::Phi(incoming), Some(r)) = (&inst.op, inst.result) else { break };
            let Some((_, o)) = incoming.iter().find(|(b, _)| *b == from) else { continue };
            let (d, n) = self.code.values[r.index()];
            let (s, k) = self.operand(o);
            for i in 0..n.min(k) {
                moves.push((d + i, s.plus(i)));
            }
        }
        if let [(d, s)] = moves[..] {
            self.emit(I::Mov { d, s });
        } else {
            // Phi moves are parallel: a phi may read another one's old value.
            let temps = self.code.regs;
            #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
            let n = moves.len() as u32;
            self.code.regs += n;
            for (i, (_, s)) in (0..).zip(&moves) {
                self.emit(I::Mov { d: temps + i, s: *s });
            }
            for (i, (d, _)) in (0..).zip(&moves) {
                self.emit(I::Mov { d: *d, s: Opd::reg(temps + i) });
            }
        }
        if let Some(&d) = self.code.loop_regs.get(&to) {
            let inside = self.code.flow.loop_at(to).is_some_and(|l| l.contains(from));
            if inside {
                self.emit(I::Back { d, header: to.0 });
            } else {
                self.emit(I::Enter { d });
            }
        }
    }

    fn needs_edge(&self, to: BlockId) -> bool {
        self.code.loop_regs.contains_key(&to)
            || self.f.blocks[to.index()].insts.first().is_some_and(|i| matches!(i.op, Op::Phi(_)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "instructions are numbered by u32")]
    fn terminator(&mut self, b: BlockId, t: &Terminator) {
        match t {
            Terminator::Ret(v) => {
                let (v, n) = v.as_ref().map_or((Opd::reg(0), 0), |v| self.operand(v));
                self.emit(I::Ret { v, n });
            }
            Terminator::Br(to) => self.jump(b, *to),
            Terminator::CondBr { cond, then, otherwise } => {
                let c = self.one(cond);
                let at = self.emit(I::Branch { c, yes: 0, no: 0 });
                for (to, which) in [(*then, Patch::Yes), (*otherwise, Patch::No)] {
                    if self.needs_edge(to) {
                        let here = self.code.insts.len() as u32;
                        if let I::Branch { yes, no, .. } = &mut self.code.insts[at] {
                            if matches!(which, Patch::Yes) {
                                *yes = here;
                            } else {
                                *no = here;
                            }
                        }
                        self.jump(b, to);
                    } else {
                        self.patches.push((at, which, to));
                    }
                }
            }
            Terminator::Switch { value, default, cases } => {
                let v = self.one(value);
                let w = self.width(value).0;
                let info = self.code.switches.len() as u32;
                self.code.switches.push(SwitchInfo { default: 0, cases: FxHashMap::default() });
                self.emit(I::Switch { v, info });
                // Each distinct target has its own edge.
                let mut made: FxHashMap<BlockId, u32> = FxHashMap::default();
                let mut at = |s: &mut Self, to: BlockId| {
                    if let Some(&pc) = made.get(&to) {
                        return pc;
                    }
                    let here = s.code.insts.len() as u32;
                    s.jump(b, to);
                    made.insert(to, here);
                    here
                };
                let default = at(self, *default);
                let mut table = FxHashMap::default();
                for (value, to) in cases {
                    let pc = at(self, *to);
                    #[expect(clippy::cast_sign_loss, reason = "the pattern is what is compared")]
                    table.entry(*value as u64 & mask(w)).or_insert(pc);
                }
                self.code.switches[info as usize] = SwitchInfo { default, cases: table };
            }
            Terminator::Invoke { result, callee, args, normal, .. } => {
                self.call(*result, callee, args);
                self.jump(b, *normal);
            }
            Terminator::Unreachable => {
                self.emit(I::Unreachable);
            }
            Terminator::Other(what) => {
                let why = self.unknown(format!("`{what}`, which is not modelled"));
                self.emit(I::Stuck { why });
            }
        }
    }

    pub(super) fn call(&mut self, result: Option<ValueId>, callee: &ir::Callee, args: &[Operand]) {
        let args: Vec<Arg> = args
            .iter()
            .map(|a| {
                let (opd, slots) = self.operand(a);
                let (bits, float) = self.width(a);
                Arg { opd, slots, bits: u8::try_from(bits).unwrap_or(0), float }
            })
            .collect();
        let (dst, slots) = result.map_or((0, 0), |r| self.code.values[r.index()]);
        let (callee, target) = match callee {
            ir::Callee::Direct(id) => {
                let r = self.machine.program.resolve_func(self.mid, *id);
                (modelled::resolve(self.machine.program, r), Some(r))
            }
            ir::Callee::Indirect(o) => (CallTarget::Indirect(self.one(o)), None),
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
        let info = self.code.calls.len() as u32;
        self.code.calls.push(CallInfo { callee, target, args, dst, slots });
        self.emit(I::Call { info });
    }
}
