//! LLVM's intrinsics, of either side, by their whole names (LLVM 22 Language Reference, NVPTX usage guide).
//!
//! One that is not known here gives an unknown result, and what its pointers lead to is unknown behind it; in a kernel it counts as an
//! access that is not decided unless it is known to touch no memory.

use super::Modelled;
use super::bits::Bits;
use crate::ir::{FuncRef, Module, Side, TypeId, TypeKind, intrinsic};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::events::AccessKind;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::value::{Ratio, Value};
use crate::symbolic::terms::floating::Whole;
use crate::symbolic::terms::term::{Range, SymKind, TermId};
use std::rc::Rc;

/// Those that do nothing that can be seen.
const NOTHING: &[&str] = &[
    "prefetch",
    "stackrestore",
    "experimental.noalias.scope.decl",
    "dbg.declare",
    "dbg.value",
    "dbg.assign",
    "dbg.label",
    "donothing",
    "sideeffect",
    "assume",
    "pseudoprobe",
    "invariant.start",
    "invariant.end",
    "var.annotation",
    "fake.use",
];

/// Those that give their first argument.
const SAME: &[&str] = &[
    "expect",
    "expect.with.probability",
    "annotation",
    "ptr.annotation",
    "launder.invariant.group",
    "strip.invariant.group",
    "ssa.copy",
    "arithmetic.fence",
];

/// Those with pointers that read and write no memory. What they give is not known.
const TOUCH_NO_MEMORY: &[&str] = &[
    "ptrmask",
    "objectsize",
    "is.constant",
    "threadlocal.address",
    "preserve.array.access.index",
    "preserve.struct.access.index",
    "preserve.union.access.index",
    "va_start",
    "va_end",
    "va_copy",
];

/// The same of NVPTX, which has its types in its names: parts in front of the next dot.
const TOUCH_NO_MEMORY_OF_DEVICES: &[&str] =
    &["isspacep", "prefetch", "prefetchu", "ptr", "mapa", "getctarank", "applypriority", "move", "texsurf"];

impl Executor<'_> {
    /// LLVM intrinsics of either side, without the `llvm.` prefix.
    pub(crate) fn intrinsic(&mut self, name: &str, args: &[Value], mut s: State, site: Site, ty: TypeId) -> Modelled {
        let m = self.program.module(site.func.module);
        let base = intrinsic::without_types(name);
        match base {
            "trap" | "debugtrap" | "ubsantrap" | "nvvm.exit" => return Ok(None),
            _ if NOTHING.contains(&base) => return Ok(Some((Value::unknown(UnknownReason::NoValue), s))),
            "va_start" | "va_end" | "va_copy" => {
                self.forget_pointees(&mut s, args, &UnknownReason::VariadicArguments);
                return Ok(Some((Value::unknown(UnknownReason::NoValue), s)));
            }
            "stacksave" => {
                let v = self.unknown_pointer(&UnknownReason::StackPointer);
                return Ok(Some((v, s)));
            }
            _ if SAME.contains(&base) && !args.is_empty() => return Ok(Some((args[0].clone(), s))),
            // By the type of what it gives, below.
            _ => {}
        }
        let known = match m.ty(ty).kind {
            TypeKind::Int(1) if base == "is.fpclass" => self.class_of_number(args),
            TypeKind::Int(bits) => self.of_integers(base, args, bits),
            TypeKind::Float(_) => self.of_reals(base, args, site.func, ty),
            TypeKind::Struct { .. } => self.with_overflow(base, args, m, ty),
            // Vectors, pointers and nothing: not known below.
            _ => None,
        };
        if let Some(v) = known {
            return Ok(Some((v, s)));
        }
        if name.starts_with("nvvm.")
            && let Some(v) = self.access_of_intrinsic(name, args, &mut s, site, ty)
        {
            return Ok(Some((v, s)));
        }
        // Parts of a coroutine, which run the program's own code.
        if name.starts_with("coro.") {
            self.missed.get_or_insert(UnknownReason::Coroutine);
            self.kernel.unknown_code |= self.side == Side::Device;
        }
        if !touches_no_memory(name, base) && args.iter().any(|a| matches!(a, Value::Ptr(_))) {
            self.unknown_access(&s, site, &UnknownReason::UsedBy(format!("llvm.{name}")));
        }
        self.forget_pointees(&mut s, args, &UnknownReason::EffectOf(format!("llvm.{name}")));
        let v = self.unknown_of(m, ty, &UnknownReason::ResultOf(format!("llvm.{base}")));
        Ok(Some((v, s)))
    }

    fn of_integers(&mut self, base: &str, args: &[Value], bits: u32) -> Option<Value> {
        if !(2..=64).contains(&bits) {
            return None;
        }
        // Those whose operands are as wide as their results.
        let int = |e: &mut Self, i: usize| {
            args.get(i).filter(|v| matches!(v, Value::Int(_) | Value::Unknown(_))).map(|v| e.value_int(v, bits))
        };
        let flag =
            |e: &Self, i: usize| matches!(args.get(i), Some(Value::Bool(c)) if e.arena.as_bool(*c) == Some(false));
        let t = match base {
            "smin" | "smax" | "umin" | "umax" => {
                let (a, b) = (int(self, 0)?, int(self, 1)?);
                return Some(self.extreme(base.ends_with("max"), base.starts_with('s'), [a, b], bits));
            }
            "nvvm.min.i" | "nvvm.min.ll" | "nvvm.max.i" | "nvvm.max.ll" | "nvvm.min.ui" | "nvvm.min.ull"
            | "nvvm.max.ui" | "nvvm.max.ull" => {
                let (a, b) = (int(self, 0)?, int(self, 1)?);
                return Some(self.extreme(base.starts_with("nvvm.max"), !base.contains(".u"), [a, b], bits));
            }
            "abs" => {
                let a = int(self, 0)?;
                return Some(self.absolute(a, bits));
            }
            "ctpop" => {
                let a = int(self, 0)?;
                self.of_bits(Bits::Ones, a, bits)?
            }
            "ctlz" | "cttz" => {
                let (a, f) = (int(self, 0)?, if base == "ctlz" { Bits::ZerosInFront } else { Bits::ZerosBehind });
                if flag(self, 1) { self.of_bits(f, a, bits)? } else { self.of_bits_but_zero(f, a, bits)? }
            }
            "bswap" => {
                let a = int(self, 0)?;
                self.of_bits(Bits::BytesReversed, a, bits)?
            }
            "bitreverse" => {
                let a = int(self, 0)?;
                self.of_bits(Bits::Reversed, a, bits)?
            }
            "fshl" | "fshr" => {
                let all = [int(self, 0)?, int(self, 1)?, int(self, 2)?];
                self.funnel(base == "fshl", all, bits)?
            }
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => {
                let all = [int(self, 0)?, int(self, 1)?];
                self.saturated(base.ends_with("add.sat"), base.starts_with('s'), all, bits)?
            }
            // Any other: not known.
            _ => return None,
        };
        Some(Value::Int(t))
    }

    pub(super) fn extreme(&mut self, max: bool, signed: bool, [a, b]: [TermId; 2], bits: u32) -> Value {
        let (a, b) = (self.interpret(a, bits, signed), self.interpret(b, bits, signed));
        Value::Int(if max { self.arena.max(a, b) } else { self.arena.min(a, b) })
    }

    pub(super) fn absolute(&mut self, a: TermId, bits: u32) -> Value {
        let a = self.interpret(a, bits, true);
        let n = self.arena.neg(a);
        let zero = self.arena.int(0);
        let c = self.arena.le(zero, a);
        Value::Int(self.arena.ite(c, a, n))
    }

    /// A sum, difference or product, and whether it does not fit: how `new T[n]` computes its size.
    fn with_overflow(&mut self, base: &str, args: &[Value], m: &Module, ty: TypeId) -> Option<Value> {
        let (op, signed) = match base.strip_suffix(".with.overflow")? {
            "uadd" => ('+', false),
            "usub" => ('-', false),
            "umul" => ('*', false),
            "sadd" => ('+', true),
            "ssub" => ('-', true),
            "smul" => ('*', true),
            _ => return None,
        };
        let TypeKind::Struct { fields, .. } = &m.ty(ty).kind else { return None };
        let TypeKind::Int(bits @ 2..=64) = m.ty(fields.first()?.ty).kind else { return None };
        let (a, b) = (self.value_int(args.first()?, bits), self.value_int(args.get(1)?, bits));
        let (a, b) = (self.interpret(a, bits, signed), self.interpret(b, bits, signed));
        let exact = match op {
            '+' => self.arena.add(a, b),
            '-' => self.arena.sub(a, b),
            _ => self.arena.mul(a, b),
        };
        let Range { lo: Some(lo), hi: Some(hi) } = Range::of_int(bits, signed) else { return None };
        let (lo, hi) = (self.arena.int(lo), self.arena.int(hi));
        let (below, above) = (self.arena.lt(exact, lo), self.arena.lt(hi, exact));
        let over = self.arena.or(below, above);
        Some(Value::Aggregate(Rc::new(vec![Value::Int(exact), Value::Bool(over)])))
    }

    fn of_reals(&mut self, base: &str, args: &[Value], f: FuncRef, ty: TypeId) -> Option<Value> {
        let real = |i: usize| match args.get(i) {
            Some(Value::Real(r)) => Some(*r),
            _ => None,
        };
        let way = match base {
            "floor" | "nvvm.floor.f" | "nvvm.floor.d" | "nvvm.floor.ftz.f" => Whole::Floor,
            "ceil" | "nvvm.ceil.f" | "nvvm.ceil.d" | "nvvm.ceil.ftz.f" => Whole::Ceil,
            "trunc" | "nvvm.trunc.f" | "nvvm.trunc.d" | "nvvm.trunc.ftz.f" => Whole::Trunc,
            "fabs" => {
                let r = real(0)?;
                return Some(Value::Real(self.arena.real_magnitude(&r)));
            }
            "fmuladd" | "fma" => {
                let (x, y, z, format) = (real(0)?, real(1)?, real(2)?, self.format_of(f, ty)?);
                let product = self.arena.real_binary(crate::ir::BinOp::FMul, &x, &y, format)?;
                // Whether the product is rounded in between is for whoever compiles it: where that could show, the sum is within both errors.
                return self.arena.real_binary(crate::ir::BinOp::FAdd, &product, &z, format).map(Value::Real);
            }
            // Any other: not known.
            _ => return None,
        };
        let t = self.arena.real_whole(&real(0)?, way)?;
        Some(Value::Real(Ratio::exact(t)))
    }

    /// Whether a number is of one of the classes of a mask: one that is followed is finite; a zero may have either sign, and a small
    /// number may be one.
    fn class_of_number(&mut self, args: &[Value]) -> Option<Value> {
        const FINITE: i128 = 0b01_1111_1000;
        let (Some(Value::Real(_)), Some(Value::Int(mask))) = (args.first(), args.get(1)) else { return None };
        let mask = self.arena.as_int(*mask)? & FINITE;
        if mask == 0 || mask == FINITE {
            return Some(Value::Bool(self.arena.bool(mask != 0)));
        }
        Some(Value::Bool(self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::FloatClass }, "?")))
    }

    /// What an intrinsic of a device accesses, where that is known; its result.
    fn access_of_intrinsic(
        &mut self,
        name: &str,
        args: &[Value],
        s: &mut State,
        site: Site,
        ty: TypeId,
    ) -> Option<Value> {
        let m = self.program.module(site.func.module);
        let mut parts = name.split('.').skip(1);
        let (kind, result) = match parts.next()? {
            // Loads through the read-only cache.
            "ldg" | "ldu" => (AccessKind::Read, &UnknownReason::BufferHolds),
            "atomic" => (AccessKind::Atomic, &UnknownReason::AtomicResult),
            _ => return None,
        };
        let p = self.as_pointer(args.first()?);
        let bytes = self.arena.int(i128::from(m.size_of(ty)));
        self.note_access(s, site, &p, bytes, kind);
        if kind == AccessKind::Atomic {
            self.forget_pointees(s, args, result);
        }
        Some(self.unknown_of(m, ty, result))
    }
}

/// Whether an intrinsic reads and writes nothing through its pointers.
fn touches_no_memory(name: &str, base: &str) -> bool {
    TOUCH_NO_MEMORY.contains(&base)
        || name
            .strip_prefix("nvvm.")
            .and_then(|n| n.split('.').next())
            .is_some_and(|n| TOUCH_NO_MEMORY_OF_DEVICES.contains(&n))
}

/// Whether a function lets the threads of a block wait for each other.
pub(super) fn is_barrier(name: &str) -> bool {
    name == "__syncthreads"
        || name.strip_prefix("llvm.nvvm.").is_some_and(|n| matches!(n.split('.').next(), Some("barrier0" | "barrier")))
}

#[cfg(test)]
mod tests;
