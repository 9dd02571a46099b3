//! Scalars: the arith, math and index dialects, and their equivalents in the LLVM dialect.

use crate::lower::body::BodyBuilder;
use crate::mlir::{Attr, MlirOp, Type};
use crate::signs;
use ir::{BinOp, CastOp, Const, Op, Operand, Pred};

/// Integer comparison predicates by number (MLIR `arith.cmpi` and `llvm.icmp`).
const INT_PREDICATES: [Pred; 10] =
    [Pred::Eq, Pred::Ne, Pred::Slt, Pred::Sle, Pred::Sgt, Pred::Sge, Pred::Ult, Pred::Ule, Pred::Ugt, Pred::Uge];
/// Floating-point comparison predicates by number (`arith.cmpf` and `llvm.fcmp`).
const FLOAT_PREDICATES: [&str; 16] =
    ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"];

fn binary(name: &str) -> Option<BinOp> {
    Some(match name {
        "addi" | "add" => BinOp::Add,
        "subi" | "sub" => BinOp::Sub,
        "muli" | "mul" => BinOp::Mul,
        "divsi" | "sdiv" | "divs" => BinOp::SDiv,
        "divui" | "udiv" | "divu" => BinOp::UDiv,
        "remsi" | "srem" | "rems" => BinOp::SRem,
        "remui" | "urem" | "remu" => BinOp::URem,
        "shli" | "shl" => BinOp::Shl,
        "shrsi" | "ashr" | "shrs" => BinOp::AShr,
        "shrui" | "lshr" | "shru" => BinOp::LShr,
        "andi" | "and" => BinOp::And,
        "ori" | "or" => BinOp::Or,
        "xori" | "xor" => BinOp::Xor,
        "addf" | "fadd" => BinOp::FAdd,
        "subf" | "fsub" => BinOp::FSub,
        "mulf" | "fmul" => BinOp::FMul,
        "divf" | "fdiv" => BinOp::FDiv,
        "remf" | "frem" => BinOp::FRem,
        _ => return None,
    })
}

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn arith(&mut self, op: &'m MlirOp) -> bool {
        let (dialect, name) = op.name.split_once('.').unwrap_or(("", &op.name));
        if dialect == "math" {
            return self.math(op, name);
        }
        self.scalar(op, name)
    }

    /// Lowers a scalar operation, given its name without the dialect.
    pub(in crate::lower) fn scalar(&mut self, op: &'m MlirOp, name: &str) -> bool {
        let Some(signed) = self.scalar_value(op, name) else { return false };
        let value = match op.text(signs::MARK) {
            Some(word) => self.of_either_sign(op, signed, word),
            None => signed,
        };
        self.set(op, 0, value);
        true
    }

    /// Returns a choice between the signed and the unsigned result of an operation whose signedness is unknown. If both
    /// are equal, the choice has that value, in the symbolic engine as in a replay.
    fn of_either_sign(&mut self, op: &MlirOp, signed: Operand, word: &str) -> Operand {
        let mut other = op.clone();
        signs::make_unsigned(&mut other);
        let name = other.name.split_once('.').map_or(other.name.as_str(), |n| n.1).to_owned();
        let Some(unsigned) = self.scalar_value(&other, &name) else { return signed };
        if signed == unsigned {
            return signed;
        }
        let i1 = self.side.types.int(1);
        let which = Const::Opaque { ty: i1, what: frontend::second::which(word) };
        let ty = self.result_type(op);
        self.select(Operand::Const(which), unsigned, signed, ty)
    }

    fn scalar_value(&mut self, op: &MlirOp, name: &str) -> Option<Operand> {
        let result = op.result_types.first()?;
        let ty = self.side.types.of(result);
        let scalar = matches!(result, Type::Int(_) | Type::Index | Type::Float(_));
        let bits = Self::bits(result);
        let from = op.operand_types.first().and_then(Self::bits);
        Some(match name {
            "constant" | "mlir.constant" | "bool.constant" => {
                let a = op.attr("value")?;
                let c = match a {
                    Attr::Dense { elems, .. } if elems.len() == 1 && scalar => self.side.constant(&elems[0], result),
                    a if scalar => self.side.constant(a, result),
                    _ => Some(Const::Opaque { ty, what: "a constant of several elements".into() }),
                };
                Operand::Const(c?)
            }
            "cmpi" | "icmp" | "cmp" => {
                let pred =
                    op.int("predicate").and_then(|p| usize::try_from(p).ok()).and_then(|p| INT_PREDICATES.get(p))?;
                if *result != Type::Int(1) {
                    return None;
                }
                let (a, b) = (self.operand(op, 0), self.operand(op, 1));
                self.icmp(*pred, a, b)
            }
            "cmpf" | "fcmp" => {
                let pred =
                    op.int("predicate").and_then(|p| usize::try_from(p).ok()).and_then(|p| FLOAT_PREDICATES.get(p))?;
                let (a, b) = (self.operand(op, 0), self.operand(op, 1));
                self.emit(Op::Fcmp { pred: (*pred).to_owned(), a, b }, ty)
            }
            "select" => {
                let (c, a, b) = (self.operand(op, 0), self.operand(op, 1), self.operand(op, 2));
                self.select(c, a, b, ty)
            }
            "negf" | "fneg" => {
                let a = self.operand(op, 0);
                self.emit(Op::FNeg(a), ty)
            }
            "extsi" | "sext" | "index_cast" | "casts" | "extui" | "zext" | "index_castui" | "castu" | "trunci"
            | "trunc" => {
                let (Some(from), Some(to)) = (from, bits) else { return None };
                let a = self.operand(op, 0);
                match name {
                    "index_cast" => self.subscript(a, from, to),
                    _ => self.resize(a, from, to, matches!(name, "extsi" | "sext" | "casts")),
                }
            }
            "extf" | "fpext" => self.cast(op, CastOp::FpExt),
            "truncf" | "fptrunc" => self.cast(op, CastOp::FpTrunc),
            "sitofp" => self.cast(op, CastOp::SiToFp),
            "uitofp" => self.cast(op, CastOp::UiToFp),
            "fptosi" => self.cast(op, CastOp::FpToSi),
            "fptoui" => self.cast(op, CastOp::FpToUi),
            "bitcast" if scalar => self.cast(op, CastOp::Bitcast),
            "maxsi" | "minsi" | "maxui" | "minui" => {
                let pred = match name {
                    "maxsi" => Pred::Sgt,
                    "minsi" => Pred::Slt,
                    "maxui" => Pred::Ugt,
                    _ => Pred::Ult,
                };
                let (a, b) = (self.operand(op, 0), self.operand(op, 1));
                let c = self.icmp(pred, a.clone(), b.clone());
                self.select(c, a, b, ty)
            }
            // Rounded towards minus or plus infinity.
            "floordivsi" | "ceildivsi" | "ceildivui" => {
                let bits = bits?;
                let (a, b) = (self.operand(op, 0), self.operand(op, 1));
                self.rounded_division(name, a, b, bits)
            }
            _ => {
                let b = binary(name)?;
                let (x, y) = (self.operand(op, 0), self.operand(op, 1));
                self.bin(b, x, y, ty)
            }
        })
    }

    fn cast(&mut self, op: &MlirOp, cast: CastOp) -> Operand {
        let value = self.operand(op, 0);
        let from = match op.operand_types.first() {
            Some(t) => self.side.types.of(t),
            None => self.side.types.void(),
        };
        let to = self.result_type(op);
        self.emit(Op::Cast { op: cast, value, from, nneg: false }, to)
    }

    /// Returns the quotient rounded towards zero, corrected where there is a remainder.
    pub(in crate::lower) fn rounded_division(&mut self, name: &str, a: Operand, b: Operand, bits: u32) -> Operand {
        let ty = self.side.types.int(bits);
        let unsigned = name == "ceildivui";
        let (div, rem) = if unsigned { (BinOp::UDiv, BinOp::URem) } else { (BinOp::SDiv, BinOp::SRem) };
        let q = self.bin(div, a.clone(), b.clone(), ty);
        let r = self.bin(rem, a, b.clone(), ty);
        let zero = Self::int(bits, 0);
        let inexact = self.icmp(Pred::Ne, r.clone(), zero.clone());
        let (fix, by) = if unsigned {
            (inexact, 1)
        } else {
            // Different signs of remainder and divisor: the quotient was rounded up.
            let i1 = self.side.types.int(1);
            let (rn, bn) = (self.icmp(Pred::Slt, r, zero.clone()), self.icmp(Pred::Slt, b, zero));
            let differ = self.bin(BinOp::Xor, rn, bn, i1);
            let up = if name == "floordivsi" { differ } else { self.bin(BinOp::Xor, differ, Self::int(1, -1), i1) };
            (self.bin(BinOp::And, inexact, up, i1), if name == "floordivsi" { -1 } else { 1 })
        };
        let other = self.bin(BinOp::Add, q.clone(), Self::int(bits, by), ty);
        self.select(fix, other, q, ty)
    }

    fn math(&mut self, op: &'m MlirOp, name: &str) -> bool {
        let Some(t) = op.result_types.first() else { return false };
        let ty = self.side.types.of(t);
        let suffix = match t {
            Type::Float(32) => "f32",
            Type::Float(64) => "f64",
            Type::Int(32) => "i32",
            Type::Int(64) | Type::Index => "i64",
            _ => return false,
        };
        let args = self.operands(op);
        let v = match name {
            "absi" => {
                let Some(bits) = Self::bits(t) else { return false };
                let zero = Self::int(bits, 0);
                let c = self.icmp(Pred::Slt, args[0].clone(), zero.clone());
                let n = self.bin(BinOp::Sub, zero, args[0].clone(), ty);
                self.select(c, n, args[0].clone(), ty)
            }
            "ceil" | "floor" | "trunc" => self.call(&format!("llvm.{name}.{suffix}"), args, ty, &[ty]),
            // Other functions yield numbers on which addresses rarely depend.
            _ => self.unknown(&op.name, ty, args),
        };
        self.set(op, 0, v);
        true
    }
}
