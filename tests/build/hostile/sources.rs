//! Sources with gigantic constants and deep nesting: read in bounded time, or told of in one line.

use super::{SCUBA, Site};
use crate::support::run;
use std::path::Path;
use std::time::Duration;

/// A program that puts `body` between a size `n`, at least 1, and its end.
fn program(before: &str, body: &str) -> String {
    format!(
        "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n\
         __global__ void k(float *a, int n) {{ int i = threadIdx.x; if (i < n) a[i] = 1.0f; }}\n{before}\n\
         int main(int argc, char **argv) {{\n  int n = argc < 2 ? 1 : atoi(argv[1]);\n  if (n < 1) return 1;\n  \
         float *a, *d;\n  {body}\n  return 0;\n}}\n"
    )
}

/// Compiles through the shim, then checks. Returns what each of them said.
#[track_caller]
fn both(site: &Site, source: &str) -> (String, String) {
    std::fs::write(site.project().join("a.cu"), source).unwrap();
    let line = site.compiles(&mut site.compilation());
    let check = run(site.command(Path::new(SCUBA)).args(["check", "-v"]));
    let said = check.err();
    for trouble in ["panicked", "report it", "overflowed its stack", "the front end crashed", "ended by signal"] {
        assert!(!line.contains(trouble) && !said.contains(trouble), "{line}\n{said}");
    }
    assert!(check.took < Duration::from_secs(100), "{:?}", check.took);
    (line, said)
}

/// One program of all shapes: what stands before `main` and in it.
fn joined<B: AsRef<str>>(shapes: &[(B, String)]) -> (String, String) {
    let before = shapes.iter().map(|(before, _)| before.as_ref()).collect();
    (before, shapes.iter().map(|(_, body)| format!("{{ {body} }}\n")).collect())
}

/// Memory that no device has: the program goes on without it, and what it does then counts.
#[test]
fn impossible_allocations_do_not_hide_what_follows() {
    let site = Site::new("");
    let k = "cudaMalloc(&d, 4 * n); k<<<1, n + 1>>>(d, n + 1);";
    for body in [
        format!("cudaMalloc(&a, SIZE_MAX); {k}"),
        format!("cudaMalloc(&a, 1ULL << 40); {k}"),
        format!("cudaMallocManaged(&a, -1); {k}"),
        format!("cudaMallocHost(&a, SIZE_MAX / 2); {k}"),
        format!("a = (float *)malloc(SIZE_MAX); {k}"),
        format!("a = (float *)realloc(malloc(SIZE_MAX - 7), SIZE_MAX); {k}"),
        "if (cudaMalloc(&a, SIZE_MAX) != cudaSuccess) cudaMalloc(&a, 4); k<<<1, 32>>>(a, n);".to_owned(),
    ] {
        std::fs::write(site.project().join("a.cu"), program("", &body)).unwrap();
        let said = run(site.command(Path::new(SCUBA)).args(["check", "a.cu", "--message-format", "json"]));
        let report: serde_json::Value = serde_json::from_str(&said.out()).unwrap();
        let count = |what: &str| report["summary"][what].as_u64().unwrap();
        assert_eq!((count("accesses"), count("safe")), (1, 0), "{body}\n{report}");
    }
}

#[test]
fn gigantic_constants() {
    let site = Site::new("");
    let digits = "9".repeat(100_000);
    let many: Vec<String> = (0..100_000).map(|n| (n % 1000).to_string()).collect();
    let good = "cudaMalloc(&a, n * sizeof(float)); k<<<1, n>>>(a, n);";
    let shapes = [
        (
            "",
            format!(
                "{good} char *p = (char *)calloc(SIZE_MAX, SIZE_MAX); if (p) memset(p, 0, SIZE_MAX); cudaMemset(a, 0, 4);"
            ),
        ),
        (
            "",
            format!(
                "{good} k<<<0x7fffffff, 1024>>>(a, 0); k<<<dim3(~0u, ~0u, ~0u), dim3(~0u, ~0u, ~0u), ~(size_t)0>>>(a, n);"
            ),
        ),
        (
            "",
            format!(
                "{good} int m = atoi(\"{digits}\") + strtol(\"-{digits}\", 0, 10); sscanf(\"{digits}\", \"%d\", &m); printf(\"%d\\n\", m);"
            ),
        ),
        (
            "",
            format!(
                "{good} char t[8]; snprintf(t, sizeof t, \"%999999999d\", n); printf(\"%.999999999f\", (double)n);"
            ),
        ),
        (
            "struct Big { char x[1ULL << 59]; };\nextern char far[(1ULL << 59) - 1];\n\
             __global__ void b(Big *p, long i) { if (i < 0) p[i].x[(1ULL << 58) + i] = 1; }\n",
            format!("{good} if (n < 0) far[(1ULL << 59) - 2] = 1; b<<<1, 1>>>((Big *)a, n);"),
        ),
        (
            "__global__ void s(float *a, int n) { unsigned x = 1u << (n & 31); unsigned __int128 w = (unsigned __int128)x << (n & 127); \
             if ((w >> 127) < 1 && x >> 31 < 1 && n / (-2147483647 - 1) == 0) a[0] = 1; }\n",
            format!("{good} s<<<1, 1>>>(a, n);"),
        ),
    ];
    let table = format!(
        "__device__ int table[100000] = {{{}}};\n__global__ void t(int n) {{ if (n < 100000) table[n] = table[99999 - n]; }}\n",
        many.join(",")
    );
    let (before, body) = joined(&shapes);
    let (line, said) = both(&site, &program(&(table + &before), &(body + "t<<<1, 1>>>(n);")));
    assert!(said.contains("scuba: no findings; ") && !said.contains("not analysed"), "{line}{said}");
}

/// What nests deeply, or is long, within what clang reads.
#[test]
fn deep_nesting() {
    let site = Site::new("");
    let repeat = |text: &str, times: usize| text.repeat(times);
    let each = |times: usize, text: &dyn Fn(usize) -> String| (0..times).map(text).collect::<String>();
    let good = "cudaMalloc(&a, n * sizeof(float)); k<<<1, n>>>(a, n);";
    let structures = each(3000, &|i| format!("struct S{} {{ S{i} s; int y; }};\n", i + 1));
    let functions = each(300, &|i| format!("__host__ __device__ int f{}(int n) {{ return f{i}(n) + 1; }}\n", i + 1));
    let templates = "template <int N> struct F { static int v(int n) { return F<N - 1>::v(n) + 1; } };\n\
                     template <> struct F<0> { static int v(int n) { return n; } };\n";
    let shapes = [
        (String::new(), format!("n = {}n{}; {good}", repeat("(", 200), repeat(")", 200))),
        (String::new(), format!("{}{good}{}", repeat("{", 250), repeat("}", 250))),
        (String::new(), format!("int m = n{}; if (m) {{ {good} }}", repeat(" + n", 2000))),
        (
            "static int g(int x) { return x + 1; }".to_owned(),
            format!("int m = {}n{}; if (m) {{ {good} }}", repeat("g(", 200), repeat(")", 200)),
        ),
        (
            format!("__host__ __device__ int f0(int n) {{ return n; }}\n{functions}"),
            format!("if (f300(n)) {{ {good} }}"),
        ),
        (templates.to_owned(), format!("if (F<500>::v(n)) {{ {good} }}")),
        (
            format!(
                "struct S0 {{ int x[2]; }};\n{structures}__global__ void s(S3000 *p, int n) {{ if (n < 0) p[n].{}y = n; }}\n",
                repeat("s.", 200)
            ),
            format!("{good} s<<<1, 1>>>((S3000 *)a, n);"),
        ),
        (
            format!(
                "__global__ void p(int {}p, int n) {{ if (n < 0) {}p = 1; }}\n",
                repeat("*", 200),
                repeat("*", 200)
            ),
            format!("{good} p<<<1, 1>>>(0, n);"),
        ),
        (
            format!(
                "__device__ int m{}[4];\n__global__ void e(int n) {{ if (n < 0) m{}[n] = 1; }}\n",
                repeat("[1]", 200),
                repeat("[0]", 200)
            ),
            format!("{good} e<<<1, 1>>>(n);"),
        ),
        (String::new(), format!("{}{good}{}", each(100, &|i| format!("if (n != {}) {{", i + 1000)), repeat("}", 100))),
        ("int r(int n) { return n <= 0 ? 0 : r(n - 1) + 1; }".to_owned(), format!("if (r(n) >= 0) {{ {good} }}")),
    ];
    let (before, body) = joined(&shapes);
    let (line, said) = both(&site, &program(&before, &body));
    assert!(said.contains("scuba: no findings; ") && !said.contains("not analysed"), "{line}{said}");
}

/// What clang refuses costs one line.
#[test]
fn nesting_that_clang_refuses() {
    let site = Site::new("");
    let templates = "template <int N> struct F { static int v(int n) { return F<N - 1>::v(n) + 1; } };\n\
                     template <> struct F<0> { static int v(int n) { return n; } };\n";
    for (name, before, body, why) in [
        ("blocks", "", format!("{}n++;{}", "{".repeat(3000), "}".repeat(3000)), "bracket nesting level exceeded"),
        ("templates", templates, "n = F<20000>::v(n);".to_owned(), "recursive template instantiation exceeded"),
    ] {
        let (line, _) = both(&site, &program(before, &body));
        assert!(line.starts_with("scuba: a.cu: not analysed: ") && line.contains(why), "{name}: {line}");
    }
}
