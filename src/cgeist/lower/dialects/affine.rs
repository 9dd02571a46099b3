//! The affine dialect: maps and sets are evaluated exactly.

use crate::lower::body::{BodyBuilder, YieldTarget};
use crate::mlir::{AffineExpr, AffineMap, AffineSet, Attr, MlirOp, Type};
use ir::{BinOp, Op, Operand, Pred};
use std::sync::Arc;

impl<'m> BodyBuilder<'_, '_, 'm> {
    fn map(op: &MlirOp, names: &[&str]) -> Option<Arc<AffineMap>> {
        names.iter().find_map(|n| match op.attr(n) {
            Some(Attr::Map(m)) => Some(m.clone()),
            _ => None,
        })
    }

    fn expr(&mut self, e: &AffineExpr, dims: &[Operand], symbols: &[Operand]) -> Option<Operand> {
        let ty = self.side.types.int(64);
        Some(match e {
            AffineExpr::Dim(i) => dims.get(*i)?.clone(),
            AffineExpr::Sym(i) => symbols.get(*i)?.clone(),
            AffineExpr::Const(c) => Self::int(64, i128::from(*c)),
            AffineExpr::Add(a, b) => {
                let (a, b) = (self.expr(a, dims, symbols)?, self.expr(b, dims, symbols)?);
                self.bin(BinOp::Add, a, b, ty)
            }
            AffineExpr::Mul(a, b) => {
                let (a, b) = (self.expr(a, dims, symbols)?, self.expr(b, dims, symbols)?);
                self.bin(BinOp::Mul, a, b, ty)
            }
            AffineExpr::FloorDiv(a, b) => {
                let (a, b) = (self.expr(a, dims, symbols)?, self.expr(b, dims, symbols)?);
                self.rounded_division("floordivsi", a, b, 64)
            }
            AffineExpr::CeilDiv(a, b) => {
                let (a, b) = (self.expr(a, dims, symbols)?, self.expr(b, dims, symbols)?);
                self.rounded_division("ceildivsi", a, b, 64)
            }
            AffineExpr::Mod(a, b) => {
                // Never negative: the remainder, plus the divisor if the remainder is below zero.
                let (a, b) = (self.expr(a, dims, symbols)?, self.expr(b, dims, symbols)?);
                let r = self.bin(BinOp::SRem, a, b.clone(), ty);
                let below = self.icmp(Pred::Slt, r.clone(), Self::int(64, 0));
                let up = self.bin(BinOp::Add, r.clone(), b, ty);
                self.select(below, up, r, ty)
            }
        })
    }

    fn results(&mut self, m: &AffineMap, args: &[Operand]) -> Option<Vec<Operand>> {
        let (dims, symbols) = args.split_at_checked(m.dims)?;
        m.results.iter().map(|e| self.expr(e, dims, symbols)).collect()
    }

    /// Returns the largest (`Sgt`) or smallest (`Slt`) of some values.
    fn extreme(&mut self, values: Vec<Operand>, pred: Pred) -> Option<Operand> {
        let ty = self.side.types.int(64);
        let mut it = values.into_iter();
        let mut best = it.next()?;
        for v in it {
            let c = self.icmp(pred, best.clone(), v.clone());
            best = self.select(c, best, v, ty);
        }
        Some(best)
    }

    fn set_holds(&mut self, s: &AffineSet, args: &[Operand]) -> Option<Operand> {
        let (dims, symbols) = args.split_at_checked(s.dims)?;
        let i1 = self.side.types.int(1);
        let mut all: Option<Operand> = None;
        for (e, equal) in &s.constraints {
            let v = self.expr(e, dims, symbols)?;
            let c = self.icmp(if *equal { Pred::Eq } else { Pred::Sge }, v, Self::int(64, 0));
            all = Some(match all {
                None => c,
                Some(a) => self.bin(BinOp::And, a, c, i1),
            });
        }
        Some(all.unwrap_or(Self::int(1, -1)))
    }

    pub(in crate::lower) fn affine(&mut self, op: &'m MlirOp, exit: &YieldTarget) -> bool {
        self.affine_op(op, exit).unwrap_or(false)
    }

    /// Lowers an affine operation; `None` if an attribute or operand is missing.
    fn affine_op(&mut self, op: &'m MlirOp, exit: &YieldTarget) -> Option<bool> {
        let all = self.operands(op);
        match op.name.as_str() {
            "affine.yield" => return Some(self.yielded(op, exit)),
            "affine.apply" => {
                let m = Self::map(op, &["map"])?;
                let v = self.results(&m, &all)?;
                self.set(op, 0, v.into_iter().next()?);
            }
            "affine.min" | "affine.max" => {
                let m = Self::map(op, &["map"])?;
                let v = self.results(&m, &all)?;
                let v = self.extreme(v, if op.name == "affine.max" { Pred::Sgt } else { Pred::Slt })?;
                self.set(op, 0, v);
            }
            "affine.load" | "affine.store" => {
                let store = op.name == "affine.store";
                let at = usize::from(store);
                let Some(Type::MemRef(mem)) = op.operand_types.get(at) else { return None };
                let m = Self::map(op, &["map"])?;
                let i = self.results(&m, all.get(at + 1..)?)?;
                let ptr = self.address(all[at].clone(), mem, &i);
                if store {
                    self.store(ptr, all[0].clone(), &op.operand_types[0]);
                } else {
                    let ty = self.result_type(op);
                    let v = self.emit(Op::Load { ptr, volatile: false, align: 0 }, ty);
                    self.set(op, 0, v);
                }
            }
            "affine.if" => {
                let Some(Attr::Set(s)) = op.attr("condition") else { return None };
                let cond = self.set_holds(&s.clone(), &all)?;
                let join = self.join(op);
                let (a, b) = (self.block("then", &[]), self.block("else", &[]));
                self.branch(cond, (a, vec![]), (b, vec![]));
                for (i, block) in [a, b].into_iter().enumerate() {
                    self.enter(block);
                    match op.regions.get(i) {
                        Some(r) => self.region(r, vec![], &YieldTarget::Yield(join)),
                        None => self.jump(join, vec![]),
                    }
                }
                self.enter(join);
                self.bind_results(op, join);
            }
            "affine.for" => {
                let (lo, hi) = (
                    Self::map(op, &["lowerBoundMap", "lower_bound"])?,
                    Self::map(op, &["upperBoundMap", "upper_bound"])?,
                );
                let step = Self::int(64, op.int("step").unwrap_or(1));
                let (n, k) = (lo.dims + lo.symbols, hi.dims + hi.symbols);
                let (l, h) = (self.results(&lo, all.get(..n)?)?, self.results(&hi, all.get(n..n + k)?)?);
                // With several results the loop runs from the largest lower to the smallest upper bound.
                let (l, h) = (self.extreme(l, Pred::Sgt)?, self.extreme(h, Pred::Slt)?);
                let init = all.get(n + k..)?.to_vec();
                let r = op.regions.first()?;
                let join = self.join(op);
                self.counted(l, h, step, 64, init, join, |me, iv, args, latch| {
                    let mut all = vec![iv];
                    all.extend(args);
                    me.region(r, all, &YieldTarget::Yield(latch));
                });
                self.bind_results(op, join);
            }
            "affine.parallel" if op.results.is_empty() => {
                let (lo, hi) = (Self::map(op, &["lowerBoundsMap"])?, Self::map(op, &["upperBoundsMap"])?);
                let steps = op.attr("steps")?.ints()?;
                // Equal group sizes are printed once.
                let groups = |name: &str, n: usize| match op.attr(name).and_then(Attr::ints) {
                    Some(g) if g.len() == n => g,
                    Some(g) if g.len() == 1 => vec![g[0]; n],
                    _ => vec![1; n],
                };
                let n = lo.dims + lo.symbols;
                let (l, h) = (self.results(&lo, all.get(..n)?)?, self.results(&hi, all.get(n..)?)?);
                let l = self.grouped(l, &groups("lowerBoundsGroups", steps.len()), Pred::Sgt)?;
                let h = self.grouped(h, &groups("upperBoundsGroups", steps.len()), Pred::Slt)?;
                let s: Vec<Operand> = steps.iter().map(|s| Self::int(64, *s)).collect();
                let r = op.regions.first()?;
                self.nest(&l, &h, &s, vec![], &mut |me, ivs, latch| me.region(r, ivs, &YieldTarget::Yield(latch)));
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// Returns one bound for each loop, from the expressions of its group.
    fn grouped(&mut self, values: Vec<Operand>, groups: &[i128], pred: Pred) -> Option<Vec<Operand>> {
        let mut rest = values.into_iter();
        let mut out = vec![];
        for n in groups {
            let v: Vec<Operand> = rest.by_ref().take(usize::try_from(*n).ok()?).collect();
            out.push(self.extreme(v, pred)?);
        }
        Some(out)
    }
}
