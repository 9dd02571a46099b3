//! Mathematics of the C library: each concrete model against the function, on numbers that are special and on others.

use super::Rng;
use super::concrete::{differences, native, run_model, run_native, unit};
use std::fmt::Write as _;

/// Functions of one number, by their names for `double`.
const ONE: &[&str] = &[
    "sqrt",
    "cbrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "fabs",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "roundeven",
];
const TWO: &[&str] = &["pow", "atan2", "fmod", "remainder", "hypot", "fmax", "fmin", "fdim", "copysign"];
const WHOLE: &[&str] = &["lround", "llround", "lrint", "llrint"];
/// Tests, by symbols: headers of C++ hide them.
const TESTS: &[&str] = &["isnan", "isinf", "finite"];

/// Numbers by their bits.
fn numbers(r: &mut Rng) -> Vec<u64> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        2.0,
        3.0,
        -3.0,
        0.1,
        -0.1,
        10.0,
        100.0,
        -7.25,
        1e-3,
        1e10,
        -1e10,
        1e20,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        4_503_599_627_370_495.5,
        4_503_599_627_370_497.0,
        2_147_483_647.5,
        9_223_372_036_854_775_000.0,
        9.3e18,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        std::f64::consts::PI,
        0.499_999_999_999_999_94,
        -0.499_999_999_999_999_94,
        700.0,
        -700.0,
        88.7,
        1023.5,
    ];
    let mut all: Vec<u64> = special.iter().map(|x: &f64| x.to_bits()).collect();
    for _ in 0..20 {
        let mantissa = (r.below(1 << 30) as u64) << 22 | r.below(1 << 22) as u64;
        let exponent = 1023 - 12 + r.below(40) as u64;
        all.push((r.below(2) as u64) << 63 | exponent << 52 | mantissa & ((1 << 52) - 1));
    }
    all
}

/// A program that prints what the function gives whose number it is given, and of each function and case what it is.
fn program(seed: u64) -> (String, Vec<Vec<String>>) {
    let mut r = Rng::new(seed);
    let (x, y) = (numbers(&mut r), numbers(&mut r));
    let mut out = String::from(
        "#include <cmath>\n#include <cstring>\n#include <cstdio>\n#include <cstdlib>\n\
        static double @d(unsigned long u) { double v; memcpy(&v, &u, 8); return v; }\n\
        static void @show(double v) { unsigned long u; memcpy(&u, &v, 8); if (v != v) printf(\"nan \"); else printf(\"%lx \", u); }\n\
        static void @whole(double v, long n) { if (v > -9e18 && v < 9e18) printf(\"%ld \", n); else printf(\"none \"); }\n",
    );
    for t in TESTS {
        let _ = writeln!(out, "extern \"C\" int @of_{t}(double) __asm__(\"{t}\");");
    }
    out.push_str("int @main(int argc, char **argv) {\n  int which = atoi(argv[1]);\n");
    let list = |name: &str, all: &[u64]| {
        let all: Vec<String> = all.iter().map(|u| format!("{u:#x}ul")).collect();
        format!("  static unsigned long {name}[] = {{{}}};\n", all.join(", "))
    };
    out += &list("x", &x);
    out += &list("y", &y);
    let n = x.len();
    let mut functions = vec![];
    let mut each = |what: String, code: String| {
        let k = functions.len();
        let _ =
            writeln!(out, "  if (which == {k}) for (int i = 0; i < {n}; i++) {{ printf(\"\\n~%d: \", i); {code} }}");
        let case = |i: usize| {
            let (x, y) = (x[i], y[(i * 7 + 3) % n]);
            format!("{what} of {:e} ({x:#x}) and {:e} ({y:#x})", f64::from_bits(x), f64::from_bits(y))
        };
        functions.push((0..n).map(case).collect());
    };
    let (a, b) = ("@d(x[i])", format!("@d(y[(i * 7 + 3) % {n}])"));
    for f in ONE {
        each((*f).into(), format!("@show({f}({a}));"));
        each(format!("{f}f"), format!("@show({f}f((float){a}));"));
    }
    for f in TWO {
        each((*f).into(), format!("@show({f}({a}, {b}));"));
        each(format!("{f}f"), format!("@show({f}f((float){a}, (float){b}));"));
    }
    each("fma".into(), format!("@show(fma({a}, {b}, 1.5)); @show(fmaf((float){a}, (float){b}, 1.5f));"));
    for f in WHOLE {
        each((*f).into(), format!("@whole({a}, {f}({a})); @whole({a}, {f}f((float){a}));"));
    }
    for f in TESTS {
        each((*f).into(), format!("printf(\"%d\", @of_{f}({a}));"));
    }
    each(
        "abs".into(),
        "int k = (int)(x[i] >> 33); long l = (long)x[i]; printf(\"%d %ld %lld\", abs(k), labs(l | 1), llabs(l | 1));"
            .into(),
    );
    out.push_str("  return 0;\n}\n");
    (out, functions)
}

/// Functions whose last place differs from one C library to the next; their models say nothing.
const OPEN: [&str; 10] = ["cbrt", "cbrtf", "asinh", "asinhf", "acosh", "acoshf", "atanh", "atanhf", "exp10", "exp10f"];

fn compare(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let (source, functions) = program(seed);
    let library = native(folder.path(), &source);
    let mut unit = unit(source);
    let mut all_wrong = vec![];
    for (k, cases) in functions.iter().enumerate() {
        let argv = [k.to_string()];
        let real = run_native(&library, &argv, "");
        let (model, why) = run_model(&mut unit, &argv, "");
        let (known, wrong) = differences(&real, &model, |i| cases.get(i.wrapping_sub(1)).cloned().unwrap_or_default());
        let name = cases[0].split(' ').next().unwrap();
        // What is not known ends a run where it decides something.
        all_wrong.extend(wrong.into_iter().filter(|_| !OPEN.contains(&name)));
        let (least, most) = if OPEN.contains(&name) { (0, 1) } else { (cases.len() * 3 / 4, cases.len() + 1) };
        if known < least || known > most {
            all_wrong.push(format!("{name}: {known} of {} are known ({why})", cases.len()));
        }
    }
    assert!(all_wrong.is_empty(), "{}:\n{}", all_wrong.len(), all_wrong.join("\n"));
}

/// A program that calls every function of these tests.
pub(super) fn source() -> String {
    program(1).0
}

#[test]
fn functions_of_numbers() {
    compare(1);
}

#[test]
#[ignore = "minutes"]
fn many_functions_of_numbers() {
    for seed in 2..40 {
        compare(seed);
    }
}
