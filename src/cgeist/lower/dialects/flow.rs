//! Lowers structured control flow (the scf dialect) to a graph of blocks.

use crate::lower::body::{BodyBuilder, YieldTarget};
use crate::mlir::{Attr, MlirOp, Type};
use ir::{BinOp, BlockId, Operand, Pred, Terminator, TypeId};

impl<'m> BodyBuilder<'_, '_, 'm> {
    fn types(&mut self, t: &[Type]) -> Vec<TypeId> {
        t.iter().map(|t| self.side.types.of(t)).collect()
    }

    /// Creates the block where an operation's results are joined; the results are its phis.
    pub(in crate::lower) fn join(&mut self, op: &'m MlirOp) -> BlockId {
        let types = self.types(&op.result_types);
        self.block("", &types)
    }

    pub(in crate::lower) fn bind_results(&mut self, op: &'m MlirOp, join: BlockId) {
        for i in 0..op.results.len() {
            let o = self.phi(join, i);
            self.set(op, i, o);
        }
    }

    pub(in crate::lower) fn yielded(&mut self, op: &'m MlirOp, exit: &YieldTarget) -> bool {
        let args = self.operands(op);
        match exit {
            YieldTarget::Yield(to) => {
                self.jump(*to, args);
                true
            }
            _ => false,
        }
    }

    pub(in crate::lower) fn scf(&mut self, op: &'m MlirOp, exit: &YieldTarget) -> bool {
        match (op.name.as_str(), exit) {
            ("scf.yield" | "scf.reduce.return" | "scf.reduce" | "scf.forall.in_parallel", YieldTarget::Yield(_)) => {
                return self.yielded(op, exit);
            }
            ("scf.condition", YieldTarget::Condition { body, out }) => {
                let all = self.operands(op);
                let Some((cond, args)) = all.split_first() else { return false };
                self.branch(cond.clone(), (*body, args.to_vec()), (*out, args.to_vec()));
                return true;
            }
            _ => {}
        }
        match (op.name.as_str(), op.regions.as_slice()) {
            ("scf.if", [then, rest @ ..]) => {
                let cond = self.operand(op, 0);
                let join = self.join(op);
                let (a, b) = (self.block("then", &[]), self.block("else", &[]));
                self.branch(cond, (a, vec![]), (b, vec![]));
                self.enter(a);
                self.region(then, vec![], &YieldTarget::Yield(join));
                self.enter(b);
                match rest.first() {
                    Some(r) => self.region(r, vec![], &YieldTarget::Yield(join)),
                    None => self.jump(join, vec![]),
                }
                self.enter(join);
                self.bind_results(op, join);
            }
            ("scf.execute_region", [r]) => {
                let join = self.join(op);
                self.region(r, vec![], &YieldTarget::Yield(join));
                self.enter(join);
                self.bind_results(op, join);
            }
            ("scf.while", [before, after]) => {
                let start = self.operands(op);
                let carried = self.types(&op.operand_types);
                let header = self.block("while", &carried);
                let passed: Vec<TypeId> = after
                    .blocks
                    .first()
                    .map(|b| b.args.iter().map(|a| self.side.types.of(&a.1)).collect())
                    .unwrap_or_default();
                let body = self.block("do", &passed);
                let join = self.join(op);
                self.jump(header, start);
                self.enter(header);
                let args = (0..carried.len()).map(|i| self.phi(header, i)).collect();
                self.region(before, args, &YieldTarget::Condition { body, out: join });
                self.enter(body);
                let args = (0..passed.len()).map(|i| self.phi(body, i)).collect();
                self.region(after, args, &YieldTarget::Yield(header));
                self.enter(join);
                self.bind_results(op, join);
            }
            ("scf.for", [r]) => {
                let all = self.operands(op);
                let [lo, hi, step, init @ ..] = all.as_slice() else { return false };
                let Some(bits) = op.operand_types.first().and_then(Self::bits) else { return false };
                let (lo, hi, step, init) = (lo.clone(), hi.clone(), step.clone(), init.to_vec());
                let join = self.join(op);
                self.counted(lo, hi, step, bits, init, join, |me, iv, args, latch| {
                    let mut all = vec![iv];
                    all.extend(args);
                    me.region(r, all, &YieldTarget::Yield(latch));
                });
                self.bind_results(op, join);
            }
            ("scf.parallel" | "scf.forall", [r]) if op.results.is_empty() => {
                let Some((lo, hi, step)) = self.bounds(op) else { return false };
                self.nest(&lo, &hi, &step, vec![], &mut |me, ivs, latch| me.region(r, ivs, &YieldTarget::Yield(latch)));
            }
            ("scf.index_switch", [default, cases @ ..]) => {
                let value = self.operand(op, 0);
                let values = op.attr("cases").and_then(Attr::ints).unwrap_or_default();
                if values.len() != cases.len() {
                    return false;
                }
                let join = self.join(op);
                let blocks: Vec<BlockId> = op.regions.iter().map(|_| self.block("case", &[])).collect();
                let table = values.iter().copied().zip(blocks[1..].iter().copied()).collect();
                self.terminate(Terminator::Switch { value, default: blocks[0], cases: table });
                for (b, r) in blocks.iter().zip(std::iter::once(default).chain(cases)) {
                    self.enter(*b);
                    self.region(r, vec![], &YieldTarget::Yield(join));
                }
                self.enter(join);
                self.bind_results(op, join);
            }
            _ => return false,
        }
        true
    }

    /// Returns the bounds of a parallel loop, if all of them are operands.
    fn bounds(&mut self, op: &'m MlirOp) -> Option<(Vec<Operand>, Vec<Operand>, Vec<Operand>)> {
        if op.name != "scf.parallel" {
            return None;
        }
        let all = self.operands(op);
        let n = op.regions.first()?.blocks.first()?.args.len();
        let part = |i: usize| all.get(i * n..(i + 1) * n).map(<[Operand]>::to_vec);
        Some((part(0)?, part(1)?, part(2)?))
    }

    /// Nests loops; parallel iterations run in some order here.
    pub(in crate::lower) fn nest(
        &mut self,
        lo: &[Operand],
        hi: &[Operand],
        step: &[Operand],
        ivs: Vec<Operand>,
        body: &mut dyn FnMut(&mut Self, Vec<Operand>, BlockId),
    ) {
        let i = ivs.len();
        let join = self.block("", &[]);
        let (Some(l), Some(h), Some(s)) = (lo.get(i), hi.get(i), step.get(i)) else {
            body(self, ivs, join);
            self.enter(join);
            return;
        };
        self.counted(l.clone(), h.clone(), s.clone(), 64, vec![], join, |me, iv, _, latch| {
            let mut ivs = ivs.clone();
            ivs.push(iv);
            me.nest(lo, hi, step, ivs, body);
            me.jump(latch, vec![]);
        });
    }

    /// Lowers `for (iv = lo; iv < hi; iv += step)` with loop-carried values; it exits to `join`, which receives them.
    #[expect(clippy::too_many_arguments, reason = "all of a loop")]
    pub(in crate::lower) fn counted(
        &mut self,
        lo: Operand,
        hi: Operand,
        step: Operand,
        bits: u32,
        init: Vec<Operand>,
        join: BlockId,
        body: impl FnOnce(&mut Self, Operand, Vec<Operand>, BlockId),
    ) {
        let iv_ty = self.side.types.int(bits);
        // The join's phis have the types of the carried values.
        let carried = self.phi_types(join);
        let mut types = vec![iv_ty];
        types.extend(&carried);
        let header = self.block("for", &types);
        let (inside, latch) = (self.block("for.body", &[]), self.block("for.next", &carried));
        let mut start = vec![lo];
        start.extend(init);
        self.jump(header, start);
        self.enter(header);
        let iv = self.phi(header, 0);
        let args: Vec<Operand> = (0..carried.len()).map(|i| self.phi(header, i + 1)).collect();
        let c = self.icmp(Pred::Slt, iv.clone(), hi);
        self.branch(c, (inside, vec![]), (join, args.clone()));
        self.enter(inside);
        body(self, iv.clone(), args, latch);
        self.enter(latch);
        let mut next = vec![self.bin(BinOp::Add, iv, step, iv_ty)];
        next.extend((0..carried.len()).map(|i| self.phi(latch, i)));
        self.jump(header, next);
        self.enter(join);
    }
}
