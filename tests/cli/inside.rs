//! Looking inside a check: `--explain`, `--timings`, `--dump`, `SCUBA_LOG`.

use crate::Project;

const KERNEL: &str = "\
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 1.0f;
}
int main() {
  float *a;
  cudaMalloc(&a, 100 * sizeof(float));
  fill<<<1, 128>>>(a, 100);
  return cudaDeviceSynchronize();
}
";

fn project() -> Project {
    let p = Project::new();
    p.write("a.cu", KERNEL);
    p
}

#[test]
fn an_access_is_explained_from_its_index_to_its_verdict() {
    let p = project();
    let said = p.scuba(["check", "a.cu", "--explain", "a.cu:3"]);
    assert_eq!(said.status, 1, "{said:?}");
    for part in [
        "`a` in `fill(float*, int)`, launch 1 at ",
        "4 * threadIdx.x + 4 <= 400 (bytes)",
        "it fails where threadIdx.x = 100",
        "reaches it, and it goes wrong there",
        "counts as proved: ",
        "=> proved: ",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // The report is what it would be.
    assert!(said.err.contains("a.cu:3"), "{}", said.err);
}

#[test]
fn copies_frees_and_lifetimes_are_explained() {
    let p = Project::new();
    p.write(
        "a.cu",
        "__global__ void fill(float *a) { a[threadIdx.x] = 1.0f; }
int main() {
  float *a, host[8];
  cudaMalloc(&a, 4 * sizeof(float));
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(a);
  fill<<<1, 4>>>(a);
  cudaFree(a);
}
",
    );
    for (line, parts) in [
        ("1", &["used after a possible free", "freed at", "counts as safe"][..]),
        ("5", &["the call and `a`", "0 + 32 <= 16 (bytes)", "counts as proved: `cudaMemcpy` reads beyond `a`"]),
        ("7", &["used after a possible free", "=> proved: `a` is used by a kernel after it was freed"]),
        ("8", &["freed again after a possible free", "it happens always", "counts as proved: `a` is freed twice"]),
    ] {
        let said = p.scuba(["check", "a.cu", "--explain", &format!("a.cu:{line}")]);
        for part in parts {
            assert!(said.out.contains(part), "line {line}: {part}: {}", said.out);
        }
    }
}

#[test]
fn a_file_is_named_as_one_likes() {
    let p = project();
    let named = |file: &str| p.scuba(["check", "a.cu", "--explain", &format!("{file}:3")]).out;
    let usual = named("a.cu");
    assert!(usual.contains("=> proved"), "{usual}");
    assert_eq!(usual, named("./a.cu"));
    assert_eq!(usual, named(&p.root().join("a.cu").to_string_lossy()));
}

#[test]
fn a_place_without_an_access_is_said_to_be_none() {
    let p = project();
    let said = p.scuba(["check", "a.cu", "--explain", "a.cu:2"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("nothing was checked at a.cu:2"), "{}", said.err);
    let wrong = p.scuba(["check", "a.cu", "--explain", "a.cu"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("`a.cu` is not a position: write FILE:LINE or FILE:LINE:COLUMN"), "{}", wrong.err);
}

#[test]
fn what_is_seen_leaves_documents_as_they_are() {
    let p = project();
    let plain = p.scuba(["check", "a.cu", "--message-format", "json"]);
    let seen =
        p.scuba(["check", "a.cu", "--message-format", "json", "--timings", "--dump", "loops", "--dump", "state"]);
    let document = |text: &str| {
        let mut d: serde_json::Value = serde_json::from_str(text).unwrap();
        d["summary"]["seconds"] = 0.into();
        d
    };
    assert_eq!(document(&plain.out), document(&seen.out));
    for part in ["launch of `fill(float*, int)`", "timings of a:", "execute host and kernels", "solver"] {
        assert!(seen.err.contains(part), "{part}: {}", seen.err);
    }
}

#[test]
fn each_part_can_be_written_out() {
    let p = project();
    p.write(
        "loop.cu",
        "__global__ void sum(const int *a, int n, int *s) { int t = 0; for (int i = 0; i < n; i += 2) t += a[i]; *s = t; }
         int main(int argc, char **) { int *a, *s; cudaMalloc(&a, argc * sizeof(int)); cudaMalloc(&s, 4);
           sum<<<1, 1>>>(a, argc, s); return 0; }\n",
    );
    for (kind, part) in [
        ("ir", "module Device "),
        ("state", "launch of `sum("),
        ("loops", "loop in `sum(int const*, int, int*)` at loop.cu:1"),
        ("obligations", "obligation of `a` at "),
        ("smt2", "(check-sat)"),
        ("queries", "\"goal\":{\"Proof\":"),
    ] {
        let said = p.scuba(["check", "loop.cu", "--dump", kind]);
        assert!(
            said.out.replace(&p.root().display().to_string(), "").replace("at /", "at ").contains(part),
            "{kind}: {}",
            said.out
        );
    }
}

#[test]
fn the_log_is_written_where_somebody_wants_it() {
    let p = project();
    let of = |filter: &str| {
        let out = p.command().args(["check", "a.cu"]).env("SCUBA_LOG", filter).output().unwrap();
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(of("debug").contains("execute host and kernels"));
    assert!(!of("error").contains("execute host and kernels"));
    assert!(!p.root().join("debug").exists(), "a level is no file");
}
