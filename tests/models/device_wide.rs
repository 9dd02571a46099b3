//! Thrust's algorithms whose ranges are known (`models/device_wide.rs`), held against Thrust itself.
//!
//! g++ compiles a program with Thrust's backend for the host, whose algorithms have the specification of the CUDA backend's. Each algorithm is
//! called on ranges inside larger arrays: elements outside of the ranges that the model names stay as they are, the ranges that it
//! says are only read as well, and other numbers outside of all ranges give the same results, so that none is read.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Calls by the algorithm's name, with the arrays `a`, `b` and `c` of `n` elements: which of them it may change.
const CALLS: &[(&str, &str, &str)] = &[
    ("sort", "thrust::sort(P, a, a + n);", "a"),
    ("stable_sort", "thrust::stable_sort(P, a, a + n, thrust::greater<int>());", "a"),
    ("sort_by_key", "thrust::sort_by_key(P, a, a + n, b);", "ab"),
    ("stable_sort_by_key", "thrust::stable_sort_by_key(P, a, a + n, b);", "ab"),
    ("inclusive_scan", "thrust::inclusive_scan(P, a, a + n, b);", "b"),
    ("inclusive_scan", "thrust::inclusive_scan(P, a, a + n, a);", "a"),
    ("exclusive_scan", "thrust::exclusive_scan(P, a, a + n, b, 3, thrust::maximum<int>());", "b"),
    ("reduce", "result = thrust::reduce(P, a, a + n);", ""),
    ("fill", "thrust::fill(P, c, c + n, 7);", "c"),
    ("tabulate", "thrust::sequence(P, c, c + n);", "c"),
    ("copy", "thrust::copy(P, a, a + n, b);", "b"),
    ("sort", "thrust::sort(P, a, a + n, Last());", "a"),
    ("transform", "thrust::transform(P, a, a + n, b, thrust::negate<int>());", "b"),
    ("transform", "thrust::transform(P, a, a + n, b, c, thrust::plus<int>());", "c"),
    (
        "transform_reduce",
        "result = thrust::transform_reduce(P, a, a + n, thrust::negate<int>(), 0, thrust::plus<int>());",
        "",
    ),
    ("count_if", "result = thrust::count_if(P, a, a + n, Odd());", ""),
    ("copy_if", "result = thrust::copy_if(P, a, a + n, b, Odd()) - b;", "b"),
    ("remove_if", "result = thrust::remove_if(P, a, a + n, Odd()) - a;", "a"),
    ("gather", "thrust::gather(P, a, a + n, thrust::counting_iterator<int>(5), b);", "b"),
];

const HEAD: &str = r#"
#include <cstdio>
#include <cstring>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#define P thrust::cpp::par
enum { AROUND = 16, MOST = 300, ALL = AROUND + MOST + AROUND };
struct Odd { bool operator()(int x) const { return x & 1; } };
struct Last { bool operator()(int x, int y) const { return x % 10 < y % 10; } };
struct Arrays { int of[3][ALL]; };
static unsigned state;
static int next() { return (state = state * 1664525u + 1013904223u) >> 8 & 0xffff; }
// Numbers inside follow `inside`, those around the ranges `around`.
static void set(Arrays &x, int n, unsigned inside, unsigned around) {
  for (auto &array : x.of)
    for (int i = 0; i < ALL; i++) {
      unsigned &s = i >= AROUND && i < AROUND + n ? inside : around;
      state = s;
      array[i] = next();
      s = state;
    }
}
template <typename Call> void hold(const char *name, const char *changes, Call call) {
  for (int n : {0, 1, 2, 31, 32, 33, int(MOST)}) {
    static Arrays before, after, other;
    long results[2];
    set(before, n, 5, 9);
    after = before;
    results[0] = call(after.of[0] + AROUND, after.of[1] + AROUND, after.of[2] + AROUND, n);
    set(other, n, 5, 77);
    results[1] = call(other.of[0] + AROUND, other.of[1] + AROUND, other.of[2] + AROUND, n);
    for (int k = 0; k < 3; k++) {
      bool may = strchr(changes, "abc"[k]) != nullptr;
      for (int i = 0; i < ALL; i++) {
        bool inside = i >= AROUND && i < AROUND + n;
        if (after.of[k][i] != before.of[k][i] && !(may && inside)) printf("%s: n = %d: %c[%d] changed\n", name, n, "abc"[k], i - AROUND);
        if (inside && after.of[k][i] != other.of[k][i]) printf("%s: n = %d: %c[%d] depends on what lies outside\n", name, n, "abc"[k], i - AROUND);
      }
    }
    if (results[0] != results[1]) printf("%s: n = %d: the result depends on what lies outside\n", name, n);
    if (*changes && n == MOST && !memcmp(&before, &after, sizeof before)) printf("%s: nothing changed\n", name);
  }
}
int main() {
"#;

#[test]
fn thrust_reads_and_writes_the_ranges_that_its_model_names() {
    let include = Path::new(HERE).join(".deps/cuda/nvidia/cu13/include/cccl");
    assert!(include.join("thrust/sort.h").is_file(), "Thrust's headers: run `tools/setup.sh test`");
    let mut source = HEAD.to_owned();
    for (name, call, changes) in CALLS {
        let _ = writeln!(
            source,
            "  hold(\"{name}\", \"{changes}\", [](int *a, int *b, int *c, int n) {{ long result = 0; {call} (void)a, (void)b, (void)c; return result; }});"
        );
    }
    source.push_str("  printf(\"held\\n\");\n}\n");
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("thrust.cpp"), folder.path().join("thrust"));
    std::fs::write(&file, source).unwrap();
    let made = Command::new("g++")
        .args(["-std=c++17", "-O0", "-w", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-isystem"])
        .arg(&include)
        .arg("-o")
        .args([&program, &file])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let said = Command::new(&program).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "held\n");
}

/// Each modelled function of Thrust is among the calls.
#[test]
fn every_model_of_thrust_is_held_against_it() {
    let models = std::fs::read_to_string(Path::new(HERE).join("src/models/device_wide.rs")).unwrap();
    let names: Vec<&str> =
        models.split("thrust(\"::cuda_cub::").skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        assert!(CALLS.iter().any(|(n, ..)| *n == name), "`{name}` is called by no case");
    }
}
