//! `[scope] exclude`: units that are not analysed on purpose, and what rests on them.

use super::{Project, SAFE, Said, buggy, nvcc};
use serde_json::Value;
use std::process::Command;

/// A program whose size comes from another unit.
const MAIN: &str = "\
int size(int);
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}
int main(int argc, char **) {
  int n = size(argc);
  if (n < 1 || n > 100000) return 1;
  float *a;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess) return 1;
  fill<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
";

/// Another project's unit, with a bug of its own.
const OTHERS: &str = "\
__global__ void wrong(float *a) { a[threadIdx.x] = 1.0f; }
int size(int n) {
  float *a;
  cudaMalloc(&a, 4);
  wrong<<<1, 2>>>(a);
  return n * 3;
}
";

const SCOPE: &str = "[scope]\nexclude = [\"third_party/**\"]\n";

fn document(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

fn project() -> Project {
    let p = Project::new();
    p.write("main.cu", MAIN);
    p.write("third_party/size.cu", OTHERS);
    p.write("scuba.toml", SCOPE);
    p
}

#[track_caller]
fn assert_nothing_is_plain_safe(document: &Value) {
    let summary = &document["summary"];
    assert_eq!(summary["excluded"], 1, "{summary}");
    assert_eq!(document["excluded"], serde_json::json!(["third_party/size.cu"]));
    assert!(document["findings"].as_array().unwrap().is_empty(), "{document}");
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert_eq!(count("safe") + count("safe_if_no_wrap"), count("safe_assuming"), "{summary}");
    assert_eq!((count("unseen"), count("not_analysed")), (0, 0), "{summary}");
}

#[test]
fn named_sources_outside_of_the_scope_are_not_analysed_and_nothing_rests_on_them_unsaid() {
    let p = project();
    let check = ["check", "main.cu", "third_party/size.cu", "--message-format"];
    let said = p.scuba([check[0], check[1], check[2], check[3], "json"]).status(0);
    assert_nothing_is_plain_safe(&document(&said));
    assert!(said.err.contains("scuba: 1 unit is outside of [scope]\n"), "{said:?}");
    // The page tells it too, of the report that a cache keeps.
    let cache = tempfile::tempdir().unwrap();
    let kept = |arguments: &[&str]| -> Said {
        p.command().env("SCUBA_CACHE", cache.path()).args(arguments).output().unwrap().into()
    };
    kept(&["check", "-q", "main.cu", "third_party/size.cu"]).status(0);
    let page = kept(&["report", "--html", "-"]).status(0).out;
    for shown in [
        "<p>1 unit is outside of [scope] and not analysed.</p>",
        "<td><code>third_party/size.cu</code></td><td>outside of <code>[scope]</code> in scuba.toml</td>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    // On purpose: no reason to fail.
    p.scuba(["check", "--strict", "main.cu", "third_party/size.cu"]).status(0);
    p.write("scuba.toml", "");
    let said = p.scuba([check[0], check[1], check[2], check[3], "json"]).status(1);
    let whole = document(&said);
    assert_eq!(whole["summary"]["excluded"], 0);
    assert_eq!(whole["findings"][0]["access"]["file"], "third_party/size.cu");
    assert_eq!(whole["summary"]["safe_assuming"], 0, "{}", whole["summary"]);
}

#[test]
fn a_build_does_not_analyse_them_and_still_finds_the_projects_own_bugs() {
    let p = project();
    let nvcc = format!("NVCC={}", nvcc().display());
    p.write("apart.cu", SAFE);
    p.write(
        "Makefile",
        "all: app apart\n%.o: %.cu\n\t$(NVCC) -arch=sm_80 -c $< -o $@\n\
         app: main.o third_party/size.o\n\t$(NVCC) -arch=sm_80 $^ -o $@\napart: apart.o\n\t$(NVCC) -arch=sm_80 $^ -o $@\n",
    );
    let said = p.scuba(["build", "--", "make", &nvcc]).status(0);
    assert!(said.err.contains("scuba: 1 unit is outside of [scope]\n"), "{said:?}");
    assert!(!said.err.contains("wrong") && p.root().join("app").exists(), "{said:?}");
    let app = document(&p.scuba(["check", "--program", "app", "--message-format", "json"]).status(0));
    assert_nothing_is_plain_safe(&app);
    // A program without the unit keeps what is shown of it.
    let apart = document(&p.scuba(["check", "--program", "apart", "--message-format", "json"]).status(0));
    assert_eq!(apart["summary"]["excluded"], 0);
    assert_eq!((apart["summary"]["safe"].as_u64(), apart["summary"]["safe_assuming"].as_u64()), (Some(1), Some(0)));

    // Back in scope, the unit is read by its command.
    p.write("scuba.toml", "");
    let said = p.scuba(["check", "--message-format", "short"]).status(1);
    assert!(said.err.contains("third_party/size.cu:1:35: error[oob-global]"), "{said:?}");
    // Out of it again, what was read does not count.
    p.write("scuba.toml", SCOPE);
    p.scuba(["check", "--message-format", "short"]).status(0);
    p.write("apart.cu", &buggy());
    let said = p.scuba(["build", "--message-format", "short", "--", "make", &nvcc]).status(1);
    assert!(said.err.contains("apart.cu:4:3: ") && !said.err.contains("size.cu"), "{said:?}");
}

#[test]
fn the_shim_compiles_them_and_says_nothing() {
    let p = project();
    p.write("third_party/alone.cu", &buggy());
    let shim = |file: &str| -> Said {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
        command.args(["-arch=sm_80", file, "-o", "alone"]).current_dir(p.root());
        command.env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", super::cache::fresh());
        command.output().unwrap().into()
    };
    let said = shim("third_party/alone.cu").status(0);
    assert!(said.err.is_empty() && p.root().join("alone").exists(), "{said:?}");
    p.write("own.cu", &buggy());
    assert!(shim("own.cu").status(1).err.contains("error[oob-global]"));
}

#[test]
fn findings_in_their_headers_are_accepted() {
    let p = project();
    let (kernel, main) = OTHERS.split_once('\n').unwrap();
    p.write("third_party/kernel.cuh", kernel);
    p.write("own.cu", &format!("#include \"third_party/kernel.cuh\"\n{main}int main() {{ return size(1); }}\n"));
    let said = p.scuba(["check", "-v", "own.cu"]).status(0);
    assert!(
        said.err.contains("accepted: third_party/kernel.cuh:1:35: oob-global by scuba.toml: outside of [scope]"),
        "{said:?}"
    );
}

#[test]
fn compile_commands_leave_them_out_of_every_program() {
    let p = project();
    let entry = |file: &str| {
        format!(
            r#"{{"directory": "{}", "file": "{file}", "command": "{} -arch=sm_80 -c {file} -o {file}.o"}}"#,
            p.root().display(),
            nvcc().display()
        )
    };
    p.write("compile_commands.json", &format!("[{}, {}]", entry("main.cu"), entry("third_party/size.cu")));
    assert_nothing_is_plain_safe(&document(&p.scuba(["check", "-p", ".", "--message-format", "json"]).status(0)));
}

#[test]
fn a_scope_that_leaves_nothing_is_an_error() {
    let p = project();
    p.write("scuba.toml", "[scope]\nexclude = [\"**\"]\n");
    let said = p.scuba(["check", "main.cu"]).status(2);
    assert!(said.err.contains("every unit is outside of [scope] (scuba.toml): nothing was checked"), "{said:?}");
    let said = p.scuba(["build", "--", &nvcc().display().to_string(), "-arch=sm_80", "-c", "main.cu"]).status(2);
    assert!(
        said.err.contains("every unit is outside of [scope]") || said.err.contains("nothing was analysed"),
        "{said:?}"
    );
}
