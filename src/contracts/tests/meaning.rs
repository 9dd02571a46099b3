//! Resolution of names, semantics of conditions, and their normal forms.

use super::small::{Signature, Small};
use crate::eval::{EvalError, Truth, Undefined, eval};
use crate::parse::parse;
use crate::resolve::resolve;
use crate::simplify::simplify;

const F: Signature = Signature { kernel: true };

#[test]
fn faults_of_names_and_sorts() {
    for (text, place, message, help) in [
        ("elements(p) >= nn", "nn", "kernel f has no `nn`", "its names are `n`, `m`, `k`, `p`, `q`, `x`, `t`, `v`"),
        ("lenght > 0", "lenght", "kernel f has no `lenght`", "its names are `n`, `m`, `k`, `p`, `q`, `x`, `t`, `v`"),
        ("extent(n) > 0", "n", "`extent` takes a pointer, not a number", "name a pointer"),
        ("extent(x) > 0", "x", "`extent` takes a pointer, not a `tensor`", "write for example `x.data_ptr()`"),
        ("elements(v) >= n", "v", "elements of `void *` have no size", "`extent(v)` counts in bytes"),
        ("x.sise(0) > 0", "x.sise(0)", "a `tensor` has no `sise()`", "did you mean `size`?"),
        ("x.size > 0", "x.size", "`size` is a function", "call it: `size(…)`"),
        ("x.size() > 0", "x.size()", "`size` is called with 0 arguments", "it takes 1"),
        (
            "x.size(p) > 0",
            "p",
            "a pointer (`const int *`) stands where a number is expected",
            "`elements(p)`, `extent(p)` and `p[i]` are numbers",
        ),
        ("x[0] > 0", "x", "a `tensor` is not an array", "it has `.size()`, `.dim()`, `.numel()`, `.data_ptr()`"),
        ("n[0] > 0", "n", "a number is not an array", "pointers and arrays have elements"),
        ("*v > 0", "*v", "elements of `void *` have no size", "nothing is read through it"),
        ("t.ne[0] > 0", "t", "a pointer (`const shape *`) has no members", "write `->` in place of `.`"),
        ("x->dim() > 0", "x", "a `tensor` is not a pointer", "write `.` in place of `->`"),
        ("t->nee[0] > 0", "t->nee", "a `shape` has no `nee`", "did you mean `ne`?"),
        ("n->a > 0", "n", "a number is not a pointer", "write `.` in place of `->`"),
        ("v->a > 0", "v", "a pointer (`void *`) has no members", "its type is not known"),
        (
            "p > n",
            "p",
            "a pointer (`const int *`) is compared with a number",
            "`elements(p)`, `extent(p)` and `p[i]` are numbers",
        ),
        (
            "p < q",
            "p < q",
            "pointers cannot be compared with `<`",
            "write `extent(p) >= …` for the bytes behind a pointer",
        ),
        ("p - q > 0", "p - q", "contracts have no `-` of two pointers", "write the number of elements between them"),
        ("v + 1 != 0", "v", "elements of `void *` have no size", "subtract the bytes from its extent"),
        (
            "p * 2 > 0",
            "p",
            "a pointer (`const int *`) stands where a number is expected",
            "`elements(p)`, `extent(p)` and `p[i]` are numbers",
        ),
        ("x + 1 > 0", "x", "a `tensor` is not a number", "it has `.size()`, `.dim()`, `.numel()`, `.data_ptr()`"),
        ("n + x > 0", "x", "a `tensor` is not a number", "it has `.size()`, `.dim()`, `.numel()`, `.data_ptr()`"),
        (
            "-p > 0",
            "p",
            "a pointer (`const int *`) stands where a number is expected",
            "`elements(p)`, `extent(p)` and `p[i]` are numbers",
        ),
        ("x > 0", "x", "a `tensor` is compared with a number", "it has `.size()`, `.dim()`, `.numel()`, `.data_ptr()`"),
        (
            "x && n",
            "x",
            "a `tensor` is neither true nor false",
            "it has `.size()`, `.dim()`, `.numel()`, `.data_ptr()`",
        ),
        ("alpha > 0", "alpha", "a `float` is compared with a number", "contracts are over whole numbers"),
        ("disjoint(p, n)", "n", "`disjoint` takes a pointer, not a number", "name a pointer"),
        (
            "threadIdx.x < n",
            "threadIdx",
            "`threadIdx` differs between threads; a contract concerns the whole launch",
            "write what the largest index needs: `gridDim.x * blockDim.x`",
        ),
        (
            "forall n in [0, 3): p[n]",
            "forall n in [",
            "`n` already names something else",
            "give the variable of `forall` another name",
        ),
        (
            "forall i in [0, p): p[i]",
            "p",
            "a pointer (`const int *`) stands where a number is expected",
            "`elements(p)`, `extent(p)` and `p[i]` are numbers",
        ),
        (
            "forall i in [0, n): forall i in [0, n): p[i]",
            "forall i in [",
            "`i` already names something else",
            "give the variable of `forall` another name",
        ),
        (
            "(n ? p : m) != 0",
            "(n ? p : m)",
            "one branch is a pointer (`const int *`), the other a number",
            "both branches of `?:` are numbers, or both pointers",
        ),
        ("sizeof(foo) > n", "sizeof(foo)", "`foo` is a type of unknown size", "write the number of bytes"),
    ] {
        let all = resolve(&parse(text).expect(text), &F).expect_err(text);
        let [e] = &all[..] else { panic!("{text}: {all:?}") };
        let shown = (&text[e.span.start..e.span.end], e.message.as_str(), e.help.as_str());
        assert_eq!(shown, (place, message, help), "{text}");
    }
    let all = resolve(&parse("nn > mm && extent(n) > 0").unwrap(), &F).unwrap_err();
    assert_eq!(all.len(), 3, "each fault is told: {all:?}");
    assert!(resolve(&parse("x.data_ptr<float>() + 1 == p && n").unwrap(), &F).is_ok());
    let host = resolve(&parse("gridDim.x > 0").unwrap(), &Signature { kernel: false }).unwrap_err();
    assert_eq!(host[0].to_string(), "function f has no `gridDim.x`; launch terms belong to contracts of kernels");
}

#[test]
fn normal_forms_read_well() {
    for (text, normal) in [
        ("rows * cols <= elements(x)", "elements(x) >= cols * rows"),
        ("0 <= elements(x) + -1*rows*cols", "elements(x) >= cols * rows"),
        ("n > 0", "n >= 1"),
        ("!(n <= 0)", "n >= 1"),
        ("n - 1 >= 0", "n >= 1"),
        ("k < n", "k < n"),
        ("n > k", "k < n"),
        ("n * 4 <= extent(x)", "extent(x) >= 4 * n"),
        ("extent(x) >= n * sizeof(float)", "extent(x) >= 4 * n"),
        ("4*n + 8 <= 4*m", "m >= n + 2"),
        ("2*n == 7", "false"),
        ("2*n != 7", "true"),
        ("n >= 1 && n >= 5 && n != 5", "n >= 6"),
        ("n >= 3 && n <= 3", "n == 3"),
        ("n > 3 && n < 2", "false"),
        ("n > 3 || n > 2", "n >= 3"),
        ("n > 3 || n <= 3", "true"),
        ("x[n] > 3 || x[n] <= 3", "x[n] <= 3 || x[n] >= 4"),
        ("(n + m) * (n - m) == 0", "m * m == n * n"),
        ("a && a", "a"),
        ("elements(x) >= n && n > 0 && disjoint(y, x)", "n >= 1 && elements(x) >= n && disjoint(x, y)"),
        ("!(a > 0 && b > 0)", "a <= 0 || b <= 0"),
        ("n > 0 ==> m > 0 ==> elements(x) >= n * m", "m >= 1 && n >= 1 ==> elements(x) >= m * n"),
        ("n > 0 && (n > 0 ==> m > 0)", "m >= 1 && n >= 1"),
        ("forall i in [0, n - 1]: x[i] < m", "forall i in [0, n): x[i] < m"),
        ("forall i in [0, n + 1): x[i] < m", "forall i in [0, n]: x[i] < m"),
        ("forall i in [3, 3): x[i]", "true"),
        ("forall i in [0, n): m > n || n >= m", "true"),
        ("!forall i in [0, n): x[i] + 0 < m", "!(forall i in [0, n): x[i] + 0 < m)"),
        ("x[n] - x[n] >= 0", "x[n] - x[n] >= 0"),
        ("n / d - n / d == 0", "n / d - n / d == 0"),
        ("n / 4 * 4 == n", "n == 4 * (n / 4)"),
        ("(4 * n) % 4 == 0", "true"),
        ("(8*n + 4) / 4 > m", "2 * n >= m"),
        ("min(n, n, 3, 4) > m", "m < min(n, 3)"),
        ("k + 1 < n", "k + 2 <= n"),
        ("n - k >= 2", "k + 2 <= n"),
        ("-n >= 3", "n <= -3"),
        ("a != 0", "a != 0"),
        ("(size_t)n * m > 0", "m * n >= 1"),
        ("n << 3 <= extent(p)", "extent(p) >= 8 * n"),
        ("true && n", "n"),
        ("(b ? n : m) > 1 + 1", "(b ? n : m) >= 3"),
        ("n == n", "n == n"),
        ("p == q", "p == q"),
        ("elements(x + n + 0) > m", "elements(x + n + 0) > m"),
        ("elements(x) > n * dim + stride * (n - 1)", "elements(x) > dim * n + n * stride - stride"),
        ("gridDim.x * blockDim.x >= n", "gridDim.x * blockDim.x >= n"),
        ("x.size(0) * x.size(1) <= y.numel()", "x.size(0) * x.size(1) <= y.numel()"),
    ] {
        assert_eq!(simplify(&parse(text).expect(text)).to_string(), normal, "{text}");
    }
    // More is known about integers than about possible pointers.
    let c = resolve(&parse("m == n && n == m && n == n").unwrap(), &F).unwrap();
    assert_eq!(simplify(&c).to_string(), "m == n");
}

#[test]
fn long_conditions_are_simplified_soon() {
    let start = std::time::Instant::now();
    let chain: Vec<String> = (0..400).map(|k| format!("n{}<{}", k % 7, k * 37 % 400)).collect();
    let short = "n0 <= -1 && n1 <= 13 && n2 <= 4 && n3 <= 1 && n4 <= 6 && n5 <= 0 && n6 <= 11";
    assert_eq!(simplify(&parse(&chain.join(" &&")).unwrap()).to_string(), short);
    let powers = format!("{}>1", ["(a+b+c+d+e)"; 300].join("*"));
    let e = parse(&powers).unwrap_err();
    assert_eq!(e.message, "the contract is too deep");
    let powers = format!("{}>1", ["(a+b+c+d+e)"; 50].join("*"));
    let _ = simplify(&parse(&powers).unwrap());
    let nested = (0..8).fold("x[i]".to_owned(), |t, _| format!("x[{t}+{t}/2]"));
    let _ = simplify(&parse(&format!("{nested}>1")).unwrap());
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn conditions_hold_or_not_and_it_is_told_why() {
    let w = Small {
        n: 3,
        m: -7,
        k: 2,
        arrays: [Some(vec![1, 2, 3]), None],
        alias: None,
        sizes: vec![2, 5],
        ne: [4, 6],
        grid: 2,
    };
    for (text, meant) in [
        ("m / 2 == -3 && m % 2 == -1", "holds"),
        ("m >> 1 == -4", "holds"),
        ("ceil_div(m, 2) == -3 && ceil_div(n, 2) == 2", "holds"),
        ("~n == -4 && (m & 0xff) == 249", "holds"),
        ("n << 3 == 24", "holds"),
        ("abs(m) == 7", "holds"),
        ("n / (n - 3) == 0", "`n / (n - 3)` divides by zero"),
        ("!(n / (n - 3) == 0)", "`n / (n - 3)` divides by zero"),
        ("n / (n - 3) == 0 || n == 3", "holds"),
        ("n / (n - 3) == 0 && n == 4", "fails"),
        ("n << m == 0", "`n << m` shifts by less than zero"),
        ("p[3] == 0", "`p[3]` has no such element"),
        ("p[2] == 3", "holds"),
        ("*p == 1 && *(p + 1) == 2", "holds"),
        ("elements(p) == 3 && extent(p) == 12 && elements(p + 4) == -1", "holds"),
        ("elements(q) == 0 && q == nullptr && !q", "holds"),
        ("q[0] == 0", "`q[0]` has no such element"),
        ("q + 1 != 0", "`q + 1` has no such element"),
        ("t->ne[1] == 6", "holds"),
        ("x.size(1) == 5 && x.numel() == 10", "holds"),
        ("x.size(2) == 0", "`x.size(2)` has no such element"),
        ("forall i in [0, n): p[i] <= n", "holds"),
        ("forall i in [0, n]: p[i] <= n", "`p[i]` has no such element"),
        ("forall i in [5, n): p[i]", "holds"),
        ("forall i in [0, 1000000): n == 3", "needs more steps"),
        ("forall i in [0, 1 << 100): i < 5", "fails"),
        ("disjoint(p, q)", "holds"),
        ("disjoint(p, p + 1)", "fails"),
        ("disjoint(p, p + 3)", "holds"),
        (
            "n * 18446744073709551615 * 18446744073709551615 > 0",
            "`n * 18446744073709551615 * 18446744073709551615` is too large",
        ),
        ("1 << 127 > 0", "`1 << 127` is too large"),
        ("gridDim.x == 2", "holds"),
        ("gridDim.y == 2", "`gridDim.y` is not known"),
        ("alpha > 0", "`alpha` is not known"),
        ("alpha > 0 && false", "fails"),
        ("(n == 3 ? n : n / 0) == 3", "holds"),
        ("flag == 3 || n == 3", "holds"),
    ] {
        let (span, what) = match eval(&parse(text).expect(text), &w, 10_000) {
            Ok(Truth::True) => (None, "holds"),
            Ok(Truth::False) => (None, "fails"),
            Ok(Truth::Undefined(Undefined::DivisionByZero(s))) => (Some(s), "divides by zero"),
            Ok(Truth::Undefined(Undefined::NegativeShift(s))) => (Some(s), "shifts by less than zero"),
            Ok(Truth::Undefined(Undefined::Read(s))) => (Some(s), "has no such element"),
            Err(EvalError::TooLarge(s)) => (Some(s), "is too large"),
            Err(EvalError::Unknown(s)) => (Some(s), "is not known"),
            Err(EvalError::Sort(s)) => (Some(s), "is of the wrong sort"),
            Err(EvalError::Budget) => (None, "needs more steps"),
        };
        let shown = span.map_or_else(|| what.to_owned(), |s| format!("`{}` {what}", &text[s.start..s.end]));
        assert_eq!(shown, meant, "{text}");
    }
}
