//! Operations as the provers know them: bounds that values attain, and the values themselves.

use super::notation::Scope;
use crate::solver::*;
use engine::symbolic::terms::eval::Valuation;

/// Names, facts, and what is never negative where the facts hold, but zero somewhere: the bound is the best one.
const BOUNDS: &[(&str, &[&str], &[&str])] = &[
    ("x size, y size", &[], &["x + y - or(x, y)", "or(x, y) - x", "or(x, y) - y", "x + y - xor(x, y)"]),
    ("x size, y i32", &[], &["x - and(x, y)", "x - and(y, x)"]),
    ("x i32", &[], &["x - 7*floor(x, 7)", "7*floor(x, 7) + 6 - x", "mod(x, 7)", "6 - mod(x, 7)"]),
    ("x i32", &["x >= 0"], &["x - mod(x, 7)", "x - x/7", "6 - x%7", "x%7"]),
    ("x i32", &[], &["x - 7*floor(x, 7) - mod(x, 7)", "7*floor(x, 7) + mod(x, 7) - x"]),
    ("x size, y count", &[], &["x - x/y*y", "x/y*y + y - 1 - x", "x - x/y", "x/y", "x%y", "x - x%y", "y - 1 - x%y"]),
    ("x i32, y i32", &["x >= 0", "y >= 1"], &["x - x/y*y - x%y", "x/y*y + x%y - x", "y - 1 - x%y"]),
    ("x i32, y count", &["x <= 0"], &["x/y*y - x", "x - x/y*y + y - 1"]),
    ("x i32, y count", &[], &["x - x/y*y + y - 1", "x/y*y - x + y - 1", "y - 1 - x%y", "y - 1 + x%y"]),
    ("x i32, y i32", &[], &["x - min(x, y)", "y - min(x, y)", "max(x, y) - x", "max(x, y) - y"]),
    (
        "x i32, y i32, p flag",
        &["x <= y"],
        &["ite(p, x, y) - x", "y - ite(p, x, y)", "ite(p, y, x) - x", "y - ite(p, y, x)"],
    ),
    ("x 3..8, y 5..9, p flag", &[], &["ite(p, x, y) - 3", "9 - ite(p, x, y)"]),
    ("x i32, y i32, z i32", &["z <= 4"], &["ite(z <= 4, x, y) - x", "x - ite(z <= 4, x, y)"]),
    ("x i32, y i32, z i32", &["z >= 5"], &["ite(z <= 4, x, y) - y", "y - ite(z <= 4, x, y)"]),
    ("k 0..20", &[], &["pow2(k) - k - 1", "1048576 - pow2(k)", "8*pow2(k) - pow2(k + 3)", "pow2(k + 3) - 8*pow2(k)"]),
    ("k 0..20, n i32", &["k <= 5"], &["32 - pow2(k)"]),
    ("k 0..20, j 0..20", &["j <= k"], &["pow2(k) - pow2(j)"]),
    ("k 0..20, j 0..20", &["j < k"], &["pow2(k) - 2*pow2(j)"]),
    ("x i64", &["x >= 0 - 5", "x <= 100"], &["x - i32(x)", "i32(x) - x"]),
    ("x i64", &["x >= 0", "x <= 100"], &["x - u32(x)", "u32(x) - x"]),
    ("x count, y count, z count", &["x*y <= x*z"], &["z - y"]),
    ("x count, y size, z i32", &["x*y <= 10*x", "z <= y*y"], &["100 - z"]),
];

#[test]
fn the_polynomial_bound_knows_the_best_bounds_of_operations() {
    let mut wrong = vec![];
    for (names, facts, bounds) in BOUNDS {
        for bound in *bounds {
            let mut s = Scope::default();
            s.declare(names);
            let facts: Vec<TermId> = facts.iter().map(|f| s.term(f)).collect();
            let (holds, fails) = (s.term(&format!("{bound} >= 0")), s.term(&format!("{bound} >= 1")));
            for (goal, is_true) in [(holds, true), (fails, false)] {
                let mut context = FactContext::new(&mut s.arena, &facts, WrapMode::Exact);
                let answer = context.quick(&mut s.arena, goal, &SolverLimits::default());
                if is_true != matches!(answer, Some(Answer::Proved { .. })) {
                    wrong.push(format!("{bound} >= {}: {answer:?}", i32::from(!is_true)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Operations of `x` and `y`.
const OPERATIONS: &[&str] = &[
    "x / y",
    "x % y",
    "y / 3",
    "x % 5",
    "floor(x, 6)",
    "mod(x, 6)",
    "and(x, y)",
    "or(x, y)",
    "xor(x, y)",
    "and(x, 54)",
    "and(y, 4294967289)",
    "or(x, 20)",
    "xor(x, 54)",
    "i32(x * 100000000)",
    "u32(x * 100000000 + y)",
    "pow2(mod(x, 9))",
    "min(x, y)",
    "max(x, y)",
    "ite(x < y && x != 3, x * y, 0 - y)",
    "ite(x == y || y > 20, 1, 2)",
];

const VALUES: &[(i128, i128)] = &[(0, 1), (3, 5), (-7, 2), (45, 23), (-46, 60), (63, -4)];

#[test]
fn z3_computes_what_a_machine_computes() {
    for operation in OPERATIONS {
        let mut s = Scope::default();
        s.declare("x -64..63, y -64..63");
        let (x, y, t) = (s.term("x"), s.term("y"), s.term(operation));
        let (id_x, id_y) = (super::id(&s.arena, x), super::id(&s.arena, y));
        for (vx, vy) in VALUES {
            let symbol = |s| (s == id_x).then_some(*vx).or((s == id_y).then_some(*vy));
            let values = Valuation { symbols: &symbol, apply: &|_, _| None, wraps: true };
            let value = s.arena.eval_under(&[t], &values)[&t].unwrap();
            let a = &mut s.arena;
            let [at_x, at_y, value] = [*vx, *vy, value].map(|v| a.int(v));
            let facts = [a.eq(x, at_x), a.eq(y, at_y)];
            let goal = a.eq(t, value);
            let other = a.not(goal);
            for (goal, is_true) in [(goal, true), (other, false)] {
                let limits = SolverLimits::default();
                let answer = entail::prove(a, &facts, goal, WrapMode::Exact, &limits, &mut GroupResults::default());
                assert_eq!(
                    matches!(answer, Answer::Proved { .. }),
                    is_true,
                    "{operation} of {vx} and {vy}: {answer:?}"
                );
            }
        }
    }
}
