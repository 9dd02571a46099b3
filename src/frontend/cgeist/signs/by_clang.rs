//! What cgeist leaves open about signs, settled by clang's reading of the same functions.
//!
//! In: a module of cgeist's in which operations of either sign stand as a choice ([`super::which`]), and clang's modules. Out: the module
//! where the choice is made that clang's code of the same function makes for all operations of that kind and width; a function that has
//! both kinds keeps its choice open.

use super::WHICH;
use ir::{BinOp, CastOp, Const, Function, Inst, Module, Op, Operand, Pred, TypeKind, ValueId};
use std::collections::{BTreeMap, HashMap};

/// What is done with numbers whose sign matters, without the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Divide,
    Remainder,
    Shift,
    Compare,
    Extend,
    ToFloat,
    FromFloat,
}

/// How often a function does it to numbers of so many bits: signed ones, unsigned ones.
type Counts = BTreeMap<(Kind, u32), (u32, u32)>;

/// The module with what clang's modules settle of it; `None` where that is nothing.
#[must_use]
pub fn settled(module: &Module, clang: &[&Module]) -> Option<Module> {
    let counts: HashMap<&str, Counts> = clang
        .iter()
        .filter(|m| m.side == module.side)
        .flat_map(|m| m.functions.iter().filter(|f| !f.blocks.is_empty()).map(|f| (f.name.as_str(), counts(m, f))))
        .collect();
    let mut out = module.clone();
    let mut any = false;
    for (f, before) in out.functions.iter_mut().zip(&module.functions) {
        let Some(counts) = counts.get(before.name.as_str()) else { continue };
        let kinds: HashMap<ValueId, (Kind, u32)> = insts(before)
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

fn counts(m: &Module, f: &Function) -> Counts {
    let mut out = Counts::new();
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

/// What an instruction does by the sign of its operands, their width, and whether it takes them for unsigned.
fn sign(m: &Module, f: &Function, i: &Inst) -> Option<(Kind, u32, bool)> {
    let int = |t| match m.ty(t).kind {
        TypeKind::Int(bits) => Some(bits),
        _ => None,
    };
    let (kind, bits, unsigned) = match &i.op {
        Op::Bin { op, .. } => {
            let (kind, unsigned) = match op {
                BinOp::UDiv => (Kind::Divide, true),
                BinOp::SDiv => (Kind::Divide, false),
                BinOp::URem => (Kind::Remainder, true),
                BinOp::SRem => (Kind::Remainder, false),
                BinOp::LShr => (Kind::Shift, true),
                BinOp::AShr => (Kind::Shift, false),
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
            (Kind::Compare, width(m, f, a).or_else(|| width(m, f, b))?, unsigned)
        }
        Op::Cast { op, from, .. } => match op {
            CastOp::ZExt => (Kind::Extend, int(*from)?, true),
            CastOp::SExt => (Kind::Extend, int(*from)?, false),
            CastOp::UiToFp => (Kind::ToFloat, int(*from)?, true),
            CastOp::SiToFp => (Kind::ToFloat, int(*from)?, false),
            CastOp::FpToUi => (Kind::FromFloat, int(i.ty)?, true),
            CastOp::FpToSi => (Kind::FromFloat, int(i.ty)?, false),
            _ => return None,
        },
        _ => return None,
    };
    // A truth value has no sign.
    (bits > 1).then_some((kind, bits, unsigned))
}

/// The width of an operand that is an integer.
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

#[cfg(test)]
mod tests {
    use super::settled;
    use crate::cgeist::lower::module::lower;
    use crate::cgeist::{mlir, signs};
    use ir::Module;

    /// `f` with comparisons of 32 bits by these predicates; `source` leaves them open where it names an unsigned type.
    fn module(predicates: &[u32], source: &str) -> Module {
        let compare = |(i, p): (usize, &u32)| {
            let i = i + 2;
            format!(
                "%{i} = \"arith.cmpi\"(%0, %0) {{predicate = {p} : i64}} : (i32, i32) -> i1\n\"func.call\"(%{i}) {{callee = @_Z1gb}} : (i1) -> ()\n"
            )
        };
        let body: String = predicates.iter().enumerate().map(compare).collect();
        let text = format!(
            "\"builtin.module\"() ({{\n\"func.func\"() <{{sym_name = \"_Z1fi\", function_type = (i32) -> ()}}> ({{\n^bb0(%0: i32):\n{body}\"func.return\"() : () -> ()\n}}) : () -> ()\n}}) : () -> ()"
        );
        let mut m = mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        signs::settle(&mut m, &[source]);
        lower(&m, &Default::default()).unwrap().host
    }

    #[test]
    fn clang_says_what_a_function_compares() {
        const OPEN: &str = "bool f(uint32_t a) { return a < 3; }";
        let open = module(&[2], OPEN);
        assert!(open.to_string().contains("select opaque("), "{open}");
        let by = |clang: &[u32]| settled(&open, &[&module(clang, "bool f(int a);")]).map(|m| m.to_string());
        let choice = |m: &str| {
            m.lines()
                .find(|l| l.contains("select "))
                .unwrap()
                .split("select ")
                .nth(1)
                .unwrap()
                .split(',')
                .next()
                .unwrap()
                .to_owned()
        };
        let (unsigned, signed) = (by(&[6, 7]).unwrap(), by(&[2, 1]).unwrap());
        assert_ne!(choice(&unsigned), choice(&signed));
        assert!(!unsigned.contains("opaque") && !signed.contains("opaque"), "{unsigned}{signed}");
        assert!(choice(&unsigned).contains("-1") || choice(&unsigned).contains("true"), "{unsigned}");
        // Of both kinds, or none.
        assert_eq!((by(&[2, 6]), by(&[0, 1]), settled(&open, &[]).is_none()), (None, None, true));
    }
}
