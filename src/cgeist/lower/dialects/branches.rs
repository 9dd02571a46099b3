//! The cf dialect, and the branches of the LLVM dialect: edges between the blocks of a region.

use crate::lower::body::BodyBuilder;
use crate::mlir::{Attr, MlirOp};
use ir::{BlockId, Op, Operand, Terminator};

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn cf(&mut self, op: &'m MlirOp, targets: &[BlockId]) -> bool {
        let to = |i: usize| op.successors.get(i).and_then(|s| targets.get(*s)).copied();
        match (op.name.as_str(), to(0), to(1)) {
            ("cf.br" | "llvm.br", Some(b), _) => {
                let args = self.operands(op);
                self.jump(b, args);
                true
            }
            ("cf.cond_br" | "llvm.cond_br", Some(then), Some(other)) => {
                let all = self.operands(op);
                let sizes: Vec<usize> = match op.segments() {
                    Some(s) if s.len() == 3 => s.iter().map(|x| x.len()).collect(),
                    _ => vec![1, all.len().saturating_sub(1), 0],
                };
                let Some((cond, rest)) = all.split_first() else { return false };
                let (a, b) = rest.split_at(sizes[1].min(rest.len()));
                self.branch(cond.clone(), (then, a.to_vec()), (other, b.to_vec()));
                true
            }
            ("cf.switch" | "llvm.switch", Some(default), _) => {
                let all = self.operands(op);
                let Some((value, rest)) = all.split_first() else { return false };
                let values = op.attr("case_values").and_then(Attr::ints).unwrap_or_default();
                if values.len() + 1 != op.successors.len() {
                    return false;
                }
                let sizes = op.attr("case_operand_segments").and_then(Attr::ints).unwrap_or_default();
                let total: usize = sizes.iter().filter_map(|n| usize::try_from(*n).ok()).sum();
                let mut rest = rest.split_at(rest.len().saturating_sub(total));
                let default_args = rest.0.to_vec();
                let mut cases = vec![];
                // Each edge that carries values gets a block of its own: several cases may lead to one block.
                let from = self.here();
                let via = |me: &mut Self, to: BlockId, args: Vec<Operand>| {
                    let b = me.block("case", &[]);
                    me.enter(b);
                    me.jump(to, args);
                    me.enter(from);
                    b
                };
                let default = via(self, default, default_args);
                for (i, v) in values.iter().enumerate() {
                    let n = sizes.get(i).and_then(|n| usize::try_from(*n).ok()).unwrap_or(0).min(rest.1.len());
                    let (mine, others) = rest.1.split_at(n);
                    rest.1 = others;
                    let Some(t) = to(i + 1) else { return false };
                    cases.push((*v, via(self, t, mine.to_vec())));
                }
                self.terminate(Terminator::Switch { value: value.clone(), default, cases });
                true
            }
            ("cf.assert", ..) => {
                let c = self.operand(op, 0);
                self.effect(Op::Assume(c));
                true
            }
            _ => false,
        }
    }
}
