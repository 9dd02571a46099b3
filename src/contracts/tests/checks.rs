//! Checks in C: their text, and their values when compiled.

use super::random::{conds, worlds};
use super::small::{Signature, Small};
use crate::ast::{ContractFunction, ContractTerm, TermKind};
use crate::check::{Check, Leaves, SATURATING, Width, check};
use crate::eval::eval;
use crate::parse::parse;
use crate::resolve::resolve;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fmt::Write;
use std::process::Command;

/// Leaf types: `n` and `m` are `int`, `k` is `unsigned`, tensor methods return `int64_t`, everything else `size_t`.
struct Operator;

impl Leaves for Operator {
    fn text(&self, t: &ContractTerm) -> Option<String> {
        let TermKind::Apply(ContractFunction::Elements, args) = &t.kind else { return None };
        match &args[..] {
            [ContractTerm { kind: TermKind::Name(n), .. }] if n == "y" => Some("y.numel()".into()),
            _ => None,
        }
    }

    fn width(&self, t: &ContractTerm) -> Option<Width> {
        let of = |bits, signed| Some(Width { bits, signed });
        match &t.kind {
            TermKind::Name(n) if ["n", "m"].contains(&n.as_str()) => of(32, true),
            TermKind::Name(n) if n == "k" => of(32, false),
            TermKind::Name(n) if n == "u" => None,
            TermKind::Method(..) | TermKind::Apply(..) | TermKind::Subscript(..) => of(64, true),
            _ => of(64, false),
        }
    }
}

fn text(of: &str) -> Result<Check, String> {
    check(&parse(of).expect(of), &Operator).map_err(|e| e.to_string())
}

#[test]
fn checks_read_like_code() {
    for (of, c) in [
        ("x.size(0) >= n * m", "x.size(0) >= (__int128)n * m"),
        ("x.size(0) == x.size(1)", "x.size(0) == x.size(1)"),
        ("n >= 1", "n >= 1"),
        ("n < k", "(__int128)n < k"),
        ("u < n", "(__int128)u < n"),
        ("n * 4 + m <= x.size(0)", "(__int128)n * 4 + m <= x.size(0)"),
        ("x.size(0) >= x.size(1) * x.size(2) * n", "x.size(0) >= scuba_mul((__int128)x.size(1) * x.size(2), n)"),
        ("x.size(0) * x.size(1) >= x.size(2) * n", "(__int128)x.size(0) * x.size(1) >= (__int128)x.size(2) * n"),
        ("n / 2 >= m", "n / 2 >= m"),
        ("n / m > 1", "m != 0 && (__int128)n / m > 1"),
        ("!(n / m > 1)", "!(!(m != 0) || (__int128)n / m > 1)"),
        ("n > 0 ==> m % n == 0", "!(n > 0) || (n != 0 && (__int128)m % n == 0)"),
        ("min(n, m) > 0", "((__int128)n < (__int128)m ? (__int128)n : (__int128)m) > 0"),
        ("abs(n) < 4", "((__int128)n < 0 ? -(__int128)n : (__int128)n) < 4"),
        ("ceil_div(n, 32) <= x.size(0)", "(__int128)n / 32 + ((__int128)n % 32 > 0) <= x.size(0)"),
        (
            "ceil_div(n, m) <= x.size(0)",
            "m != 0 && (__int128)n / (__int128)m + ((__int128)n % (__int128)m != 0 && ((__int128)n < 0) == ((__int128)m < 0)) <= x.size(0)",
        ),
        ("(n & 3) == 0", "((__int128)n & 3) == 0"),
        ("n << 3 <= x.size(0)", "(__int128)n * 8 <= x.size(0)"),
        ("n >> m == 0", "(__int128)m >= 0 && (__int128)n >> ((__int128)m < 127 ? (__int128)m : 127) == 0"),
        ("(n > 0 ? n : m) >= 3", "(n > 0 ? (__int128)n : m) >= 3"),
        ("(n > 0 ? m / n : 1) >= 3", "(n > 0 ? n != 0 : 1) && (n > 0 ? (__int128)m / n : 1) >= 3"),
        (
            "n / m > 1 ? n > 1 : m > 1",
            "(m != 0 && (__int128)n / m > 1 ? n > 1 : !(!(m != 0) || (__int128)n / m > 1) && m > 1)",
        ),
        ("elements(y) >= n * m", "y.numel() >= (__int128)n * m"),
        ("elements(p) >= n", "`elements(p)` cannot be evaluated at run time"),
        ("forall i in [0, n): p[i] < n", "`forall` needs a loop"),
        ("disjoint(p, q)", "`disjoint(p, q)` cannot be evaluated at run time"),
        ("gridDim.x > 1", "`gridDim.x` cannot be evaluated at run time"),
        ("x.size(0) >= n * sizeof(float)", "x.size(0) >= (__int128)n * sizeof(float)"),
        ("a || b && c", "a || (b && c)"),
        ("-n * -m > 0", "-(__int128)n * -(__int128)m > 0"),
        ("t->ne[n + 1] > 0", "t->ne[(__int128)n + 1] > 0"),
        (
            "x.size(0) * x.size(1) * x.size(2) == x.size(3) * x.size(4) * x.size(5)",
            "numbers in it do not fit into 128 bits",
        ),
        ("k >= 4294967296", "(__int128)k >= 4294967296LL"),
        ("n + m != -5", "(__int128)n + m != -5"),
        ("b == 18446744073709551615", "b == 18446744073709551615ULL"),
    ] {
        assert_eq!(text(of).map_or_else(|e| e, |c| c.text), c, "{of}");
    }
}

/// Conditions for `n` 4, `m` 0, and sizes of the largest, the largest and the smallest 64-bit integer.
const WIDE: [(&str, bool); 7] = [
    ("x.size(0) >= x.size(0) * x.size(1) * n * n", false),
    ("x.size(0) >= x.size(0) * x.size(1) * x.size(2)", true),
    ("x.size(0) * x.size(1) * x.size(2) * x.size(2) >= x.size(0)", true),
    ("x.size(0) * x.size(1) * x.size(2) * m == 0", true),
    ("x.size(0) * x.size(1) * -x.size(2) * -n < x.size(2) - 1", true),
    ("x.size(0) * x.size(1) * x.size(0) - x.size(0) > x.size(1)", true),
    ("x.size(0) - x.size(0) * x.size(1) * x.size(0) > x.size(1)", false),
];

/// Compiles every condition as a function of the arguments, and compares with the evaluator.
#[test]
fn a_compiler_agrees_with_the_evaluation() {
    let Ok(compiler) = which("g++") else { return };
    let mut runner = TestRunner::deterministic();
    let mut source = format!(
        "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n{SATURATING}\
         static int64_t sizes[3]; static struct shape {{ int64_t ne[3]; }} shape_, *t = &shape_;\n\
         static int failed; static void expect(int line, bool is, bool should) {{\n\
           if (is != should) {{ std::printf(\"%d: %d\\n\", line, is); failed = 1; }} }}\n\
         struct tensor {{ int64_t size(int64_t d) const {{ return sizes[d]; }} }};\n"
    );
    let mut calls = String::new();
    let (mut written, mut decided) = (0, [0, 0]);
    let mut told = vec![];
    while written < 250 {
        let c = conds(false).new_tree(&mut runner).unwrap().current();
        let Ok(c) = resolve(&c, &Signature { kernel: false }) else { continue };
        let Ok(e) = check(&c, &Operator) else { continue };
        let mut cases = String::new();
        for round in 0..12 {
            let mut w = worlds().new_tree(&mut runner).unwrap().current();
            // Arrays that the compiled code does not have are not read.
            (w.sizes, w.ne) = (vec![w.k, 2, 3], [w.ne[0], w.ne[1]]);
            if round % 4 == 0 {
                (w.n, w.m, w.k) = (i32::MIN.into(), i32::MAX.into(), u32::MAX.into());
                w.sizes = vec![i64::MAX.into(), i64::MIN.into(), 3];
            }
            let Ok(truth) = eval(&c, &w, 10_000) else { continue };
            if c.to_string().contains("ne[2]") {
                continue;
            }
            decided[usize::from(truth.holds())] += 1;
            let _ = writeln!(cases, "{}", call(written, &w, truth.holds()));
        }
        let _ = writeln!(
            source,
            "static bool f{written}(int n, int m, unsigned k, tensor x) {{ (void)n; (void)m; (void)k; (void)x;\n  return {}; }}",
            e.text
        );
        calls += &cases;
        told.push(format!("{c}   {}", e.text));
        written += 1;
    }
    // Products beyond 128 bits, compared with values far from the saturation limit.
    for (k, (of, holds)) in WIDE.into_iter().enumerate() {
        let check = text(of).unwrap();
        assert!(check.saturates);
        let _ = writeln!(source, "static bool wide{k}(int n, int m, tensor x) {{ return {}; }}", check.text);
        let (large, least) = ("INT64_MAX", "INT64_MIN");
        let _ = writeln!(calls, "  sizes[0] = {large}; sizes[1] = {large}; sizes[2] = {least};");
        let _ = writeln!(calls, "  expect({written}, wide{k}(4, 0, tensor()), {holds});");
        told.push(of.to_owned());
        written += 1;
    }
    assert!(decided[0] > 400 && decided[1] > 400, "{decided:?}");
    let _ = writeln!(source, "int main() {{\n{calls}  return failed; }}");
    let dir = tempfile::tempdir().unwrap();
    let (file, program) = (dir.path().join("checks.cpp"), dir.path().join("checks"));
    std::fs::write(&file, source).unwrap();
    let flags = [
        "-std=c++17",
        "-O0",
        "-Wparentheses",
        "-Wsign-compare",
        "-Werror",
        "-Wno-div-by-zero",
        "-fsanitize=undefined",
        "-fno-sanitize-recover=all",
        "-o",
    ];
    let built = Command::new(compiler).args(flags).args([&program, &file]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    let wrong: Vec<&String> =
        out.lines().filter_map(|l| told.get(l.split(':').next()?.parse::<usize>().ok()?)).collect();
    assert!(ran.status.success(), "{out}\n{wrong:#?}");
}

fn call(which: usize, w: &Small, holds: bool) -> String {
    let number = |v: i128| if v == i64::MIN.into() { "INT64_MIN".to_owned() } else { v.to_string() };
    let set = |name: &str, all: &[i128]| {
        let each = all.iter().enumerate().map(|(k, v)| format!("{name}[{k}] = {};", number(*v)));
        each.collect::<Vec<_>>().join(" ")
    };
    let (sizes, ne) = (set("sizes", &w.sizes), set("t->ne", &w.ne));
    let (n, m, k) = (number(w.n), number(w.m), number(w.k));
    format!("  {sizes} {ne} expect({which}, f{which}((int)({n}LL), (int)({m}LL), {k}u, tensor()), {holds});")
}

fn which(program: &str) -> Result<String, String> {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    found.then(|| program.to_owned()).ok_or_else(|| program.to_owned())
}
