//! Induction variable of a loop and its value after the loop, in closed form.

use super::region::{defs, promoted_stores};
use crate::machine::form::FunctionCode;
use crate::machine::value::{Val, mask, signed};
use ir::{BinOp, BlockId, Const, Function, Op, Operand, Pred, Terminator, ValueId};

/// Induction variable of a loop and its value after the loop. The loop must have one `v = v ± c`, and its header must
/// compare `v` with a loop-invariant value.
pub(super) fn induction_exit(
    f: &Function,
    code: &FunctionCode,
    regs: &[Val],
    blocks: &[BlockId],
    header: BlockId,
) -> Option<(ValueId, Val)> {
    let defs = defs(f, blocks);
    let stores = promoted_stores(f, blocks);
    let Terminator::CondBr { cond: Operand::Value(c), then, otherwise } = &f.blocks[header.index()].term else {
        return None;
    };
    let (Op::Icmp { pred, a, b }, stays) = (defs.get(c)?, blocks.contains(then)) else { return None };
    if stays == blocks.contains(otherwise) {
        return None;
    }
    // Finds the variable that an operand loads; `fixed` finds the value of a loop-invariant operand.
    let var = |o: &Operand| match o {
        Operand::Value(v) => match defs.get(v)? {
            Op::Load { ptr: Operand::Value(p), .. } if code.promoted.contains_key(p) => Some(*p),
            _ => None,
        },
        Operand::Const(_) => None,
    };
    let fixed = |o: &Operand| -> Option<Val> {
        match o {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 64 bits by the guard")]
            Operand::Const(Const::Int { bits, value }) if *bits <= 64 => Some(Val::new(*value as u64 & mask(*bits))),
            Operand::Const(_) => None,
            o => match var(o) {
                Some(p) if !stores.contains_key(&p) => Some(regs[code.promoted[&p] as usize]),
                Some(_) => None,
                None => match o {
                    Operand::Value(v) if !defs.contains_key(v) => Some(regs[code.values[v.index()].0 as usize]),
                    _ => None,
                },
            },
        }
    };
    let (counter, bound, pred) =
        match (var(a).filter(|p| stores.contains_key(p)), var(b).filter(|p| stores.contains_key(p))) {
            (Some(p), None) => (p, fixed(b)?, *pred),
            (None, Some(p)) => (p, fixed(a)?, mirrored(*pred)),
            _ => return None,
        };
    let pred = if stays { pred } else { negated(pred) };
    let [Operand::Value(next)] = stores.get(&counter)?[..] else { return None };
    let Op::Bin { op, a, b: Operand::Const(Const::Int { bits, value }), .. } = defs.get(next)? else { return None };
    if var(a) != Some(counter) {
        return None;
    }
    let w = *bits;
    let step = match op {
        BinOp::Add => i64::try_from(*value).ok()?,
        BinOp::Sub => i64::try_from(-*value).ok()?,
        _ => return None,
    };
    let now = regs[code.promoted[&counter] as usize].known()?;
    exit_value(now, bound.known()?, step, pred, w).map(|v| (counter, Val::new(v)))
}

/// First value of `now + k * step` (k ≥ 0) for which `pred bound` is false, if the sum does not wrap before.
fn exit_value(now: u64, bound: u64, step: i64, pred: Pred, w: u32) -> Option<u64> {
    let wide = |b: u64| match pred {
        Pred::Sgt | Pred::Sge | Pred::Slt | Pred::Sle => i128::from(signed(b, w)),
        _ => i128::from(b),
    };
    let (i, n, s) = (wide(now), wide(bound), i128::from(step));
    let end = match pred {
        Pred::Slt | Pred::Ult if s > 0 => {
            if i >= n {
                i
            } else {
                i + (n - i + s - 1) / s * s
            }
        }
        Pred::Sle | Pred::Ule if s > 0 => {
            if i > n {
                i
            } else {
                i + ((n - i) / s + 1) * s
            }
        }
        Pred::Sgt | Pred::Ugt if s < 0 => {
            if i <= n {
                i
            } else {
                i + (i - n - s - 1) / -s * s
            }
        }
        Pred::Sge | Pred::Uge if s < 0 => {
            if i < n {
                i
            } else {
                i + ((i - n) / -s + 1) * s
            }
        }
        Pred::Ne if s != 0 && (n - i) % s == 0 && (n - i) / s >= 0 => n,
        _ => return None,
    };
    let (low, high) = match pred {
        Pred::Sgt | Pred::Sge | Pred::Slt | Pred::Sle => (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1),
        _ => (0, (1i128 << w) - 1),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie in the type's range")]
    if (low..=high).contains(&end) { Some(end as u64 & mask(w)) } else { None }
}

const fn mirrored(p: Pred) -> Pred {
    match p {
        Pred::Eq | Pred::Ne => p,
        Pred::Ugt => Pred::Ult,
        Pred::Uge => Pred::Ule,
        Pred::Ult => Pred::Ugt,
        Pred::Ule => Pred::Uge,
        Pred::Sgt => Pred::Slt,
        Pred::Sge => Pred::Sle,
        Pred::Slt => Pred::Sgt,
        Pred::Sle => Pred::Sge,
    }
}

const fn negated(p: Pred) -> Pred {
    match p {
        Pred::Eq => Pred::Ne,
        Pred::Ne => Pred::Eq,
        Pred::Ugt => Pred::Ule,
        Pred::Uge => Pred::Ult,
        Pred::Ult => Pred::Uge,
        Pred::Ule => Pred::Ugt,
        Pred::Sgt => Pred::Sle,
        Pred::Sge => Pred::Slt,
        Pred::Slt => Pred::Sge,
        Pred::Sle => Pred::Sgt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_loops_end_where_they_would() {
        let run = |mut i: i64, n: i64, s: i64, p: fn(i64, i64) -> bool| {
            while p(i, n) {
                i += s;
            }
            i
        };
        for i in -3..4 {
            for n in -5..9 {
                for s in 1..4 {
                    let v = |x: i64| x.cast_unsigned() & mask(32);
                    let up = |p, f: fn(i64, i64) -> bool| {
                        assert_eq!(exit_value(v(i), v(n), s, p, 32), Some(v(run(i, n, s, f))), "{p:?} {i} {n} {s}");
                    };
                    up(Pred::Slt, |a, b| a < b);
                    up(Pred::Sle, |a, b| a <= b);
                    let down = |p, f: fn(i64, i64) -> bool| {
                        assert_eq!(exit_value(v(i), v(n), -s, p, 32), Some(v(run(i, n, -s, f))), "{p:?} {i} {n} {s}");
                    };
                    down(Pred::Sgt, |a, b| a > b);
                    down(Pred::Sge, |a, b| a >= b);
                }
            }
        }
        assert_eq!(exit_value(0, 10, 3, Pred::Ne, 32), None, "steps over it");
        assert_eq!(exit_value(0, mask(32), 2, Pred::Ult, 32), None, "would wrap");
    }
}
