//! Modules read by another front end: doubts about the reading, and operations of unknown signedness.
//!
//! [`settled`] resolves a choice between the signed and the unsigned operation ([`which`]) by clang's module of the
//! same function: if clang's code makes one choice for all operations of that kind and width, so does the result. If it
//! contains both, the choice stays undecided.

use ir::{BinOp, CastOp, Const, Function, Inst, Module, Op, Operand, Pred, TypeKind, ValueId};
use std::collections::{BTreeMap, HashMap};

/// First word of the producer of a module that cgeist printed.
pub const PRODUCER: &str = "cgeist";

/// Separator between the producer's name and the doubts about its reading.
const DOUBTFUL: &str = "; not exact: ";

/// Returns the producer of a module: the front end's name, and the doubts about its reading.
#[must_use]
pub fn producer(name: &str, doubts: &[String]) -> String {
    if doubts.is_empty() { name.to_owned() } else { format!("{name}{DOUBTFUL}{}", doubts.join(", ")) }
}

/// Returns the doubts about a module by its producer: `None` for one that cgeist did not read, else words, perhaps
/// none.
#[must_use]
pub fn doubts(producer: &str) -> Option<&str> {
    let rest = producer.strip_prefix(PRODUCER)?;
    Some(rest.split_once(DOUBTFUL).map_or("", |d| d.1))
}

/// Prefix of the name of the constant that stands for unknown signedness.
const WHICH: &str = "signedness of operations, which cgeist omits for ";

/// Returns the name of the constant that decides whether an operation is unsigned.
#[must_use]
pub fn which(word: &str) -> String {
    format!("{WHICH}`{word}`")
}

/// Returns the module with every subscript unsigned; `None` if no subscript has unknown signedness. cgeist sign-extends
/// all subscripts, so that a verdict must hold for both modules.
#[must_use]
pub fn unsigned_subscripts(m: &Module) -> Option<Module> {
    let mut other = m.clone();
    let mut any = false;
    for i in other.functions.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts) {
        if let Op::Cast { op: op @ CastOp::SExt, nneg: true, .. } = &mut i.op {
            *op = CastOp::ZExt;
            any = true;
        }
    }
    any.then_some(other)
}

/// Operations that depend on signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SignOperation {
    Divide,
    Remainder,
    Shift,
    Compare,
    Extend,
    ToFloat,
    FromFloat,
}

/// Numbers of signed and unsigned operations in a function, by kind and width in bits.
type OperationCounts = BTreeMap<(SignOperation, u32), (u32, u32)>;

/// Returns the module with the choices that clang's modules settle; `None` if they settle none.
#[must_use]
pub fn settled(module: &Module, clang: &[&Module]) -> Option<Module> {
    let counts: HashMap<&str, OperationCounts> = clang
        .iter()
        .filter(|m| m.side == module.side)
        .flat_map(|m| m.functions.iter().filter(|f| !f.blocks.is_empty()).map(|f| (f.name.as_str(), counts(m, f))))
        .collect();
    let mut out = module.clone();
    let mut any = false;
    for (f, before) in out.functions.iter_mut().zip(&module.functions) {
        let Some(counts) = counts.get(before.name.as_str()) else { continue };
        let kinds: HashMap<ValueId, (SignOperation, u32)> = insts(before)
            .filter_map(|i| sign(module, before, i).map(|(kind, bits, _)| (i.result, kind, bits)))
            .filter_map(|(r, kind, bits)| Some((r?, (kind, bits))))
            .collect();
        for i in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            let Op::Select { cond, b: Operand::Value(signed), .. } = &mut i.op else { continue };
            if !matches!(cond, Operand::Const(Const::Opaque { what, .. }) if what.starts_with(WHICH)) {
                continue;
            }
            let unsigned = match kinds.get(signed).and_then(|k| counts.get(k)) {
                Some((0, n)) if *n > 0 => true,
                Some((n, 0)) if *n > 0 => false,
                _ => continue,
            };
            *cond = Operand::Const(Const::Int { bits: 1, value: -i128::from(unsigned) });
            any = true;
        }
    }
    any.then_some(out)
}

fn insts(f: &Function) -> impl Iterator<Item = &Inst> {
    f.blocks.iter().flat_map(|b| &b.insts)
}

fn counts(m: &Module, f: &Function) -> OperationCounts {
    let mut out = OperationCounts::new();
    for (kind, bits, unsigned) in insts(f).filter_map(|i| sign(m, f, i)) {
        let n = out.entry((kind, bits)).or_default();
        if unsigned {
            n.1 += 1;
        } else {
            n.0 += 1;
        }
    }
    out
}

/// Returns kind and width of an operation that depends on signedness, and whether it is unsigned.
fn sign(m: &Module, f: &Function, i: &Inst) -> Option<(SignOperation, u32, bool)> {
    let int = |t| match m.ty(t).kind {
        TypeKind::Int(bits) => Some(bits),
        _ => None,
    };
    let (kind, bits, unsigned) = match &i.op {
        Op::Bin { op, .. } => {
            let (kind, unsigned) = match op {
                BinOp::UDiv => (SignOperation::Divide, true),
                BinOp::SDiv => (SignOperation::Divide, false),
                BinOp::URem => (SignOperation::Remainder, true),
                BinOp::SRem => (SignOperation::Remainder, false),
                BinOp::LShr => (SignOperation::Shift, true),
                BinOp::AShr => (SignOperation::Shift, false),
                _ => return None,
            };
            (kind, int(i.ty)?, unsigned)
        }
        Op::Icmp { pred, a, b } => {
            let unsigned = match pred {
                Pred::Ult | Pred::Ule | Pred::Ugt | Pred::Uge => true,
                Pred::Slt | Pred::Sle | Pred::Sgt | Pred::Sge => false,
                Pred::Eq | Pred::Ne => return None,
            };
            (SignOperation::Compare, width(m, f, a).or_else(|| width(m, f, b))?, unsigned)
        }
        Op::Cast { op, from, .. } => match op {
            CastOp::ZExt => (SignOperation::Extend, int(*from)?, true),
            CastOp::SExt => (SignOperation::Extend, int(*from)?, false),
            CastOp::UiToFp => (SignOperation::ToFloat, int(*from)?, true),
            CastOp::SiToFp => (SignOperation::ToFloat, int(*from)?, false),
            CastOp::FpToUi => (SignOperation::FromFloat, int(i.ty)?, true),
            CastOp::FpToSi => (SignOperation::FromFloat, int(i.ty)?, false),
            _ => return None,
        },
        _ => return None,
    };
    // A truth value has no sign.
    (bits > 1).then_some((kind, bits, unsigned))
}

/// Returns the width of an integer operand.
fn width(m: &Module, f: &Function, o: &Operand) -> Option<u32> {
    let ty = match o {
        Operand::Const(Const::Int { bits, .. }) => return Some(*bits),
        Operand::Const(_) => return None,
        Operand::Value(v) => match f.params.get(v.index()) {
            Some(p) => p.ty,
            None => insts(f).find(|i| i.result == Some(*v))?.ty,
        },
    };
    match m.ty(ty).kind {
        TypeKind::Int(bits) => Some(bits),
        _ => None,
    }
}
