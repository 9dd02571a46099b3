//! Symbolic models of integer functions against their reference results, bit by bit, at each width.

use super::of_integers;
use crate::Models;
use crate::kernel::builtins::integer_of_libdevice;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::functions::{BitFunction, UninterpretedFunction};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId, wrap_value};
use ir::{Program, reference};

fn sym(e: &mut Executor<'_>, range: Interval) -> (TermId, SymId) {
    let t = e.arena.fresh(SymKind::Input(InputSource::World("x".into())), "x", range);
    let Term::Sym(s) = *e.arena.get(t) else { unreachable!() };
    (t, s)
}

/// Value of a term under values of these symbols. Bit functions are computed at their widths.
fn value(e: &Executor<'_>, t: TermId, symbols: &[(SymId, i128)]) -> Option<i128> {
    let apply = |t: TermId, args: &[i128]| {
        let Term::Apply { function, .. } = e.arena.get(t) else { return None };
        let (left, bits) = match *function {
            UninterpretedFunction::OfBits(f, bits) => return Some(f.of(args[0], bits)),
            UninterpretedFunction::Funnel { left, bits } => (left, bits),
            _ => return None,
        };
        let args: Vec<u64> = args.iter().map(|a| u64::try_from(*a).expect("as unsigned numbers")).collect();
        Some(i128::from(reference::value(if left { "fshl" } else { "fshr" }, bits, &args)))
    };
    let of = |s: SymId| symbols.iter().find(|(x, _)| *x == s).map(|(_, v)| *v);
    e.arena.eval_under(&[t], &Valuation { symbols: &of, apply: &apply, wraps: true })[&t]
}

#[test]
fn functions_of_integers_are_what_they_are_at_each_width() {
    let program = Program::default();
    for bits in [8, 16, 32, 64] {
        for signed in [false, true] {
            for (name, takes) in reference::ALL {
                // Bytes are swapped in pairs (LLVM 22 Language Reference, llvm.bswap).
                if *name == "bswap" && bits == 8 {
                    continue;
                }
                let mut e = Executor::new(&program, &Models);
                let symbols: Vec<(TermId, SymId)> =
                    (0..*takes).map(|_| sym(&mut e, Interval::of_int(bits, signed))).collect();
                let mut args: Vec<Value> = symbols.iter().map(|s| Value::Int(s.0)).collect();
                args.push(Value::Bool(e.arena.bool(false)));
                let Some(Value::Int(t)) = of_integers(&mut e, name, &args, bits) else {
                    panic!("{name} of {bits} bits")
                };
                let numbers =
                    [reference::samples(bits, 7), reference::samples(bits, 91), reference::samples(bits, 1234)];
                for i in 0..numbers[0].len() {
                    for j in 0..if *takes > 1 { numbers[1].len() } else { 1 } {
                        let raw: Vec<u64> = [numbers[0][i], numbers[1][j], numbers[2][(i + j) % numbers[2].len()]]
                            .into_iter()
                            .take(*takes)
                            .collect();
                        let given: Vec<(SymId, i128)> = symbols
                            .iter()
                            .zip(&raw)
                            .map(|(s, v)| (s.1, wrap_value(i128::from(*v), bits, signed)))
                            .collect();
                        let expected = i128::from(reference::value(name, bits, &raw));
                        let got = value(&e, t, &given).map(|v| wrap_value(v, bits, false));
                        assert_eq!(got, Some(expected), "{name} of {bits} bits: {raw:?}");
                        // The same for constants.
                        let constants: Vec<Value> = given
                            .iter()
                            .map(|(_, v)| Value::Int(e.arena.int(*v)))
                            .chain(args.last().cloned())
                            .collect();
                        let Some(Value::Int(c)) = of_integers(&mut e, name, &constants, bits) else {
                            panic!("{name} of constants")
                        };
                        assert_eq!(
                            e.arena.as_int(c).map(|v| wrap_value(v, bits, false)),
                            Some(expected),
                            "{name} of {bits} bits, constants: {raw:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn zeros_of_zero_are_anything_where_that_is_undefined() {
    let program = Program::default();
    let mut e = Executor::new(&program, &Models);
    let (x, s) = sym(&mut e, Interval::of_int(32, true));
    let yes = Value::Bool(e.arena.bool(true));
    let Some(Value::Int(t)) = of_integers(&mut e, "ctlz", &[Value::Int(x), yes], 32) else { panic!() };
    assert_eq!(value(&e, t, &[(s, 5)]), Some(29));
    assert_eq!(value(&e, t, &[(s, 0)]), None);
}

#[test]
fn functions_of_libdevice_have_their_width() {
    let program = Program::default();
    for (name, f, bits) in [
        ("clz", BitFunction::ZerosInFront, 32),
        ("clzll", BitFunction::ZerosInFront, 64),
        ("popc", BitFunction::Ones, 32),
        ("popcll", BitFunction::Ones, 64),
        ("brev", BitFunction::Reversed, 32),
        ("brevll", BitFunction::Reversed, 64),
    ] {
        for v in reference::samples(bits, 17) {
            let mut e = Executor::new(&program, &Models);
            let a = Value::Int(e.arena.int(wrap_value(i128::from(v), bits, true)));
            let Some(Value::Int(t)) = integer_of_libdevice(&mut e, &format!("__nv_{name}"), &[a]) else {
                panic!("{name}")
            };
            assert_eq!(e.arena.as_int(t), Some(f.of(i128::from(v), bits)), "{name}({v})");
        }
    }
    for (name, bits) in [("ffs", 32), ("ffsll", 64)] {
        for v in reference::samples(bits, 17) {
            let mut e = Executor::new(&program, &Models);
            let a = Value::Int(e.arena.int(i128::from(v)));
            let Some(Value::Int(t)) = integer_of_libdevice(&mut e, &format!("__nv_{name}"), &[a]) else {
                panic!("{name}")
            };
            let expected = if v == 0 { 0 } else { i128::from(reference::value("cttz", bits, &[v])) + 1 };
            assert_eq!(e.arena.as_int(t), Some(expected), "{name}({v})");
        }
    }
    let mut e = Executor::new(&program, &Models);
    let a = Value::Int(e.arena.int(1));
    for name in ["__nv_min2", "__nv_clzlll", "__nv_sin", "clz", "__nv_"] {
        assert!(integer_of_libdevice(&mut e, name, std::slice::from_ref(&a)).is_none(), "{name}");
    }
}

#[test]
fn bytes_are_permuted_and_differences_added() {
    let program = Program::default();
    let picked = |a: u64, b: u64, selector: u64| {
        let bytes = (b << 32 | a).to_le_bytes();
        (0..4).fold(0, |r, i| r | i128::from(bytes[(selector >> (4 * i) & 7) as usize]) << (8 * i))
    };
    for (i, a) in reference::samples(32, 3).into_iter().enumerate() {
        let b = reference::samples(32, 55)[i];
        let mut e = Executor::new(&program, &Models);
        let (x, y) = (sym(&mut e, Interval::of_int(32, true)), sym(&mut e, Interval::of_int(32, false)));
        let given = [(x.1, wrap_value(i128::from(a), 32, true)), (y.1, i128::from(b))];
        for selector in [0x3210, 0x7654, 0x4442, 0x0716] {
            let args = [x.0, y.0, e.arena.int(selector)].map(Value::Int);
            let Some(Value::Int(t)) = of_integers(&mut e, "nvvm.prmt", &args, 32) else { panic!("{selector:x}") };
            let selector = u64::try_from(selector).expect("as written above");
            assert_eq!(value(&e, t, &given), Some(picked(a, b, selector)), "{a:x} {b:x} {selector:x}");
        }
        for selector in [0x8000, 0x000c] {
            let args = [x.0, y.0, e.arena.int(selector)].map(Value::Int);
            assert!(of_integers(&mut e, "nvvm.prmt", &args, 32).is_none(), "a sign is replicated");
        }
        for (name, signed) in [("nvvm.sad.i", true), ("nvvm.sad.ui", false)] {
            let args = [x.0, y.0, e.arena.int(7)].map(Value::Int);
            let Some(Value::Int(t)) = of_integers(&mut e, name, &args, 32) else { panic!("{name}") };
            let [l, r] = [a, b].map(|v| wrap_value(i128::from(v), 32, signed));
            let expected = wrap_value((l - r).abs() + 7, 32, false);
            assert_eq!(value(&e, t, &given).map(|v| wrap_value(v, 32, false)), Some(expected), "{name} {a:x} {b:x}");
        }
    }
}

#[test]
fn names_are_whole() {
    let program = Program::default();
    let mut e = Executor::new(&program, &Models);
    let a = Value::Int(e.arena.int(1));
    let args = vec![a.clone(), a.clone(), a];
    for name in [
        "is.constant",
        "smax2",
        "abs.other",
        "vector.reduce.smax",
        "sadd",
        "uadd",
        "fshl.other",
        "nvvm.min",
        "nvvm.min.i.other",
        "ctpop.x",
    ] {
        assert!(of_integers(&mut e, name, &args, 32).is_none(), "{name}");
    }
}

#[test]
fn integer_arithmetic_is_the_machines() {
    use ir::BinOp as B;
    let program = Program::default();
    for bits in [8, 16, 32, 64] {
        for signed in [false, true] {
            for op in [
                B::Add,
                B::Sub,
                B::Mul,
                B::UDiv,
                B::SDiv,
                B::URem,
                B::SRem,
                B::Shl,
                B::LShr,
                B::AShr,
                B::And,
                B::Or,
                B::Xor,
            ] {
                let mut e = Executor::new(&program, &Models);
                let (x, y) = (sym(&mut e, Interval::of_int(bits, signed)), sym(&mut e, Interval::of_int(bits, signed)));
                let t = e.int_op(op, x.0, y.0, bits);
                for a in reference::samples(bits, 5) {
                    for b in reference::samples(bits, 77) {
                        let Some(expected) = machine(op, bits, a, b) else { continue };
                        let given = [
                            (x.1, wrap_value(i128::from(a), bits, signed)),
                            (y.1, wrap_value(i128::from(b), bits, signed)),
                        ];
                        let constants = [e.arena.int(given[0].1), e.arena.int(given[1].1)];
                        let all = [
                            t,
                            e.int_op(op, x.0, constants[1], bits),
                            e.int_op(op, constants[0], y.0, bits),
                            e.int_op(op, constants[0], constants[1], bits),
                        ];
                        for t in all {
                            // Without a value: unknown, or beyond 127 bits.
                            if let Some(v) = value(&e, t, &given) {
                                assert_eq!(
                                    wrap_value(v, bits, false),
                                    i128::from(expected),
                                    "{op:?} of {bits} bits: {a}, {b}"
                                );
                            } else {
                                assert!(
                                    !e.unknowns_of(&[t]).is_empty() || matches!(op, B::Shl | B::Mul) && bits == 64,
                                    "{op:?} of {bits} bits: {a}, {b}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the machine's result; `None` if it is undefined.
fn machine(op: ir::BinOp, bits: u32, a: u64, b: u64) -> Option<u64> {
    use ir::BinOp as B;
    let (x, y) = (i128::from(a), i128::from(b));
    let (sx, sy) = (wrap_value(x, bits, true), wrap_value(y, bits, true));
    let shift = u32::try_from(b).ok().filter(|k| *k < bits);
    let r = match op {
        B::Add => x + y,
        B::Sub => x - y,
        B::Mul => sx * sy,
        B::UDiv => x.checked_div(y)?,
        B::URem => x.checked_rem(y)?,
        B::SDiv => sx.checked_div(sy)?,
        B::SRem => sx.checked_rem(sy)?,
        B::Shl => x.checked_shl(shift?)? & ((1 << bits) - 1),
        B::LShr => x >> shift?,
        B::AShr => sx >> shift?,
        B::And => x & y,
        B::Or => x | y,
        _ => x ^ y,
    };
    u64::try_from(wrap_value(r, bits, false)).ok()
}

#[test]
fn high_halves_of_products_are_rounded_down() {
    let program = Program::default();
    for (name, bits, signed) in [("i", 32, true), ("ui", 32, false), ("ll", 64, true), ("ull", 64, false)] {
        let name = format!("nvvm.mulhi.{name}");
        let mut e = Executor::new(&program, &Models);
        // A variable may hold any number that is congruent to the operand.
        let [x, y] = [0, 1].map(|_| sym(&mut e, Interval::of_int(64, true)));
        let args = [Value::Int(x.0), Value::Int(y.0)];
        let Some(Value::Int(t)) = of_integers(&mut e, &name, &args, bits) else { panic!("{name}") };
        for a in reference::samples(bits, 3) {
            for b in reference::samples(bits, 5) {
                let [a, b] = [a, b].map(|v| wrap_value(i128::from(v), bits, signed));
                // Products of 128 bits are beyond what terms are computed with: these are unknown.
                let expected = a.checked_mul(b).map(|p| p >> bits);
                let given = [(x.1, wrap_value(a, 64, true)), (y.1, wrap_value(b, 64, true))];
                assert_eq!(value(&e, t, &given), expected, "{name}({a}, {b})");
                let constants = [a, b].map(|v| Value::Int(e.arena.int(v)));
                let Some(Value::Int(c)) = of_integers(&mut e, &name, &constants, bits) else { panic!("{name}") };
                assert_eq!(e.arena.as_int(c), expected.filter(|_| e.arena.as_int(c).is_some()), "{name}({a}, {b})");
            }
        }
    }
}
