use super::{Project, SAFE, Said};
use scuba::facts::{FactStore, UnitWithCode};
use scuba::files::ContentStore;
use scuba::finding::Report;
use scuba::ir::{Bytes, TypeDef, TypeKind};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::request::AnalysisRequest;
use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;

const MAIN: &str = "\
#include <cstdlib>
void fill(float *a, int n);
int main(int argc, char **argv) {
  int n = argc < 2 ? 1 : atoi(argv[1]);
  if (n < 1) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill(a, n);
  return cudaDeviceSynchronize();
}
";
const FILL: &str = "\
__global__ void fill_kernel(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}
void fill(float *a, int n) { fill_kernel<<<(n + 255) / 256, 256>>>(a, n); }
";

impl Project {
    /// What the shim would ask for.
    pub(super) fn request(&self, arguments: &str) -> AnalysisRequest {
        let words: Vec<_> = arguments.split(' ').map(Into::into).collect();
        let plan = NvccCommand::read(&words, &Environment::default(), &self.root());
        plan.plan(&self.root(), Some(&super::nvcc()), &Vec::new).unwrap().request
    }

    fn analyze(&self, input: &[u8]) -> Said {
        self.analyze_with_levels(input, "")
    }

    fn analyze_with_levels(&self, input: &[u8], levels: &str) -> Said {
        let mut child = self
            .command()
            .arg("__analyze")
            .env("SCUBA_LEVELS", levels)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }

    pub(super) fn compile(&self, arguments: &str) -> Said {
        self.analyze(&serde_json::to_vec(&self.request(arguments)).unwrap())
    }

    fn compile_denying(&self, arguments: &str) -> Said {
        self.analyze_with_levels(&serde_json::to_vec(&self.request(arguments)).unwrap(), "deny=all")
    }

    fn report(&self, directory: &str) -> Report {
        let said = self.scuba(["check", directory, "--message-format", "json"]);
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
    }
}

#[test]
fn the_shims_requests_leave_facts_that_are_joined_to_programs() {
    let p = Project::new();
    p.write("build/CMakeCache.txt", "");
    p.write("src/main.cu", MAIN);
    p.write("src/fill.cu", FILL);
    p.write("src/other.cu", SAFE);
    for name in ["main", "fill", "other"] {
        let said = p.compile(&format!("-c src/{name}.cu -o build/{name}.o")).status(0);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "a clean unit is no news");
    }
    assert_eq!(std::fs::read_to_string(p.root().join("build/.scuba/.gitignore")).unwrap(), "*\n");
    let report = p.report("build");
    assert_eq!((report.summary.programs, report.summary.translation_units), (2, 3), "{report:?}");
    // The same from the folder above, from within, and by naming the facts themselves.
    for directory in [".", "build/.scuba"] {
        assert_eq!(p.report(directory).summary.programs, 2, "{directory}");
    }
    std::fs::create_dir(p.root().join("build/deep")).unwrap();
    let from_within = Said::from(p.command().arg("check").current_dir(p.root().join("build/deep")).output().unwrap());
    assert!(from_within.status(0).err.contains("no findings"));
    assert!(p.scuba(["check", "build/deep"]).status(2).err.contains("no facts under"));
    // Sources that were deleted are no part of the project any more.
    std::fs::remove_file(p.root().join("src/other.cu")).unwrap();
    assert_eq!(p.report("build").summary.programs, 1);
}

#[test]
fn facts_go_where_scuba_dir_says() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    let request = serde_json::to_vec(&p.request("-c a.cu -o a.o")).unwrap();
    let elsewhere = p.root().join("elsewhere");
    let mut child = p.command().arg("__analyze").env("SCUBA_DIR", &elsewhere).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&request).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(elsewhere.join(".scuba/units").is_dir());
    assert!(!p.root().join(".scuba").exists());
    let said = Said::from(p.command().arg("check").env("SCUBA_DIR", &elsewhere).output().unwrap());
    said.status(0);
}

#[test]
fn a_relative_scuba_dir_is_that_of_the_whole_build() {
    let p = Project::new();
    p.write("sub/a.cu", SAFE);
    p.write("Makefile", &format!("all:\n\tcd sub && {} -arch=sm_80 -c a.cu -o a.o\n", super::nvcc().display()));
    let scuba =
        |arguments: &[&str]| Said::from(p.command().args(arguments).env("SCUBA_DIR", "facts").output().unwrap());
    scuba(&["build", "--", "make"]).status(0);
    assert!(p.root().join("facts/.scuba/units").is_dir());
    assert!(!p.root().join("sub/facts").exists() && !p.root().join("sub/.scuba").exists());
    assert!(scuba(&["check"]).status(0).err.contains("no findings"));
}

#[test]
fn a_damaged_fact_file_costs_one_line_and_only_itself() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    p.write("b.cu", SAFE);
    p.compile("-c a.cu -o a.o").status(0);
    p.compile("-c b.cu -o b.o").status(0);
    let mut files: Vec<_> =
        std::fs::read_dir(p.root().join(".scuba/units")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let bytes = std::fs::read(&files[0]).unwrap();
    std::fs::write(&files[0], &bytes[..bytes.len() - 7]).unwrap();
    let said = p.scuba(["check"]).status(0);
    let lines: Vec<_> = said.err.lines().filter(|l| l.contains(".scuba/units/")).collect();
    assert!(lines.len() == 1 && lines[0].contains("damaged"), "{said:?}");
    assert_eq!(p.report(".").summary.translation_units, 1);
    // The next compilation of that output makes it good again.
    p.compile("-c a.cu -o a.o").status(0);
    p.compile("-c b.cu -o b.o").status(0);
    assert_eq!(p.report(".").summary.translation_units, 2);
}

#[test]
fn what_the_shim_cannot_have_analysed_is_one_line_and_status_2() {
    let p = Project::new();
    p.write("bad.cu", "int main() { return missing_error; }\n");
    let said = p.compile("-c bad.cu -o bad.o").status(2);
    assert!(said.err.contains("`error use of undeclared identifier 'missing_error'` at "), "{said:?}");
    for (said, what) in
        [(p.compile("-c bad.cu -o bad.o"), "bad.cu"), (p.analyze(b"{"), "request"), (p.analyze(b""), "request")]
    {
        let said = said.status(2);
        assert!(said.out.is_empty() && said.err.contains(what), "{said:?}");
        for line in said.err.lines() {
            assert!(line.starts_with("scuba: ") && !line.contains("error:") && !line.contains("warning"), "{line}");
        }
    }
}

#[test]
fn the_shim_keeps_to_the_same_front_end_as_the_command_line() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    p.write("scuba.toml", "[frontend]\nkind = \"cgeist\"\n");
    let (shim, check) = (p.compile("-c a.cu -o a.o").status(2), p.scuba(["check", "a.cu"]).status(2));
    for said in [&shim, &check] {
        assert!(said.err.contains("`cgeist`") && said.err.lines().count() == 1, "{said:?}");
    }
    // The command line of `scuba build` reaches the shims below it.
    p.write("Makefile", &format!("a.o: a.cu\n\t{} -arch=sm_80 -c a.cu -o a.o\n", super::nvcc().display()));
    let built = p.scuba(["build", "--frontend", "clang", "--", "make"]).status(0);
    assert!(built.err.contains("no findings; 1 access in 1 kernel"), "{built:?}");
}

#[test]
fn units_of_one_command_are_joined_by_its_link() {
    let p = Project::new();
    p.write("main.cu", MAIN);
    p.write("fill.cu", FILL);
    p.compile("main.cu fill.cu -o app").status(0);
    let report = p.report(".");
    assert_eq!((report.summary.programs, report.summary.translation_units), (1, 2));
}

#[test]
fn a_folder_that_cannot_be_written_costs_the_facts_and_not_the_analysis() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    // A file where the folder should be: fails for root, too.
    p.write(".scuba", "");
    let said = p.compile("-c a.cu -o a.o").status(0);
    assert!(said.err.lines().count() == 1 && said.err.contains("SCUBA_DIR"), "{said:?}");
}

#[test]
fn the_unit_that_completes_a_program_is_told_what_is_wrong_with_it() {
    let p = Project::new();
    p.write("main.cu", MAIN);
    p.write("fill.cu", &FILL.replace("if (i < n) ", ""));
    p.compile_denying("-c main.cu -o main.o").status(0);
    let denied = p.compile_denying("-c fill.cu -o fill.o").status(1);
    assert!(
        denied.out.is_empty() && denied.err.contains("error[oob-global]") && denied.err.contains("--> fill.cu:3:3"),
        "{denied:?}"
    );
    // Its object is gone: it is compiled again before the program can be, and until then nobody else pays.
    p.compile_denying("-c main.cu -o main.o").status(0);
    p.compile_denying("-c fill.cu -o fill.o").status(1);
    p.write("fill.cu", FILL);
    p.compile_denying("-c fill.cu -o fill.o").status(0);
}

#[test]
fn a_program_with_a_stale_unit_waits_for_it() {
    let p = Project::new();
    p.write("size.h", "#define SIZE(n) (n)\n");
    p.write(
        "main.cu",
        &MAIN
            .replace("cudaMalloc(&a, n ", "cudaMalloc(&a, SIZE(n) ")
            .replace("#include <cstdlib>", "#include <cstdlib>\n#include \"size.h\""),
    );
    p.write("fill.cu", &FILL.replace("if (i < n)", "if (i <= n)"));
    p.compile_denying("-c main.cu -o main.o").status(0);
    // The correction is in a header of the other unit, which make will compile next.
    p.write("size.h", "#define SIZE(n) (n + 1)\n");
    let said = p.compile_denying("-c fill.cu -o fill.o").status(0);
    assert_eq!(said.err, "", "old facts deny nothing");
    p.compile_denying("-c main.cu -o main.o").status(0);
    p.write("size.h", "#define SIZE(n) (n)\n");
    p.compile_denying("-c main.cu -o main.o").status(1);
}

#[test]
fn a_warning_is_told_once_by_the_units_of_a_program() {
    let p = Project::new();
    p.write("main.cu", MAIN);
    p.write("fill.cu", &FILL.replace("if (i < n) ", ""));
    p.write("scuba.toml", "[levels]\nall = \"warn\"\n");
    assert_eq!(p.compile("-c main.cu -o main.o").status(0).err, "");
    assert!(p.compile("-c fill.cu -o fill.o").status(0).err.contains("warning[oob-global]"));
    assert_eq!(p.compile("-c main.cu -o main.o").status(0).err, "");
    assert!(
        p.compile("-c fill.cu -o fill.o").status(0).err.contains("warning[oob-global]"),
        "its own compilation says it again"
    );
}

#[test]
fn a_check_that_needs_too_much_memory_ends_with_one_line() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    p.compile("-c a.cu -o a.o").status(0);
    // Facts that compress well and are decoded whole.
    let store = FactStore::new(p.root().join(".scuba"));
    let facts = store.read().unwrap().units.remove(0);
    let mut modules = store.modules(&facts.key).unwrap();
    Arc::make_mut(&mut modules[0])
        .types
        .resize(9_000_000, TypeDef { kind: TypeKind::Void, size: Bytes(0), align: 1, source: None });
    store.write_unit(&UnitWithCode { facts, modules, second: None }).unwrap();
    p.scuba(["check"]).status(0);
    p.write("scuba.toml", "[limits]\nmemory = \"256MiB\"\n");
    let said = p.scuba(["check"]).status(2);
    assert_eq!(
        (said.out.as_str(), said.err.as_str()),
        ("", "scuba: a.cu: not analysed: it takes more memory than 256 MiB (limits.memory)\n")
    );
}

/// A loop launches a kernel whose execution makes many terms.
const ROWS: &str = "\
#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x))))))
__device__ float mixed(const float *in, int n, float v) {
  for (int i = 0; i < n; i++) v = v > in[i] ? v * in[i] : v + in[i];
  return v;
}
__global__ void row(float *out, const float *in, int n, int y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  float v = in[x];
  MANY(v = mixed(in, n, v); v = mixed(in, x, v);)
  out[y * n + x] = v;
}
int main() {
  const int n = 50;
  float *out, *in;
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMalloc(&in, n * sizeof(float));
  for (int y = 0; y < n; y++)
    row<<<1, 64>>>(out, in, n, y);
  return cudaDeviceSynchronize();
}
";

#[test]
fn launches_of_a_loop_that_do_not_fit_in_memory_are_one_under_its_invariant() {
    for (source, denied) in [(ROWS.to_owned(), false), (ROWS.replace("n * n * sizeof", "(n * n - 1) * sizeof"), true)] {
        let p = Project::new();
        p.write("rows.cu", &source);
        p.compile("-c rows.cu -o rows.o").status(0);
        p.write("scuba.toml", "[limits]\nmemory = \"256MiB\"\n");
        let said = p.scuba(["check", "-v"]).status(i32::from(denied));
        let (told, found) =
            (said.err.contains("the loop at line 19 of `main` takes too long"), said.err.contains("error[oob-global]"));
        assert_eq!((told, found), (true, denied), "{}", said.err);
        assert!(said.err.contains(if denied { "4 safe, 1 proved" } else { "5 safe" }), "{}", said.err);
    }
}

#[test]
fn a_limit_of_memory_below_what_clang_takes_is_named() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    p.write("scuba.toml", "[limits]\nmemory = \"256MiB\"\n");
    let said = p.scuba(["check", "a.cu"]).status(2);
    assert!(said.err.contains("a.cu: not analysed: clang cannot start: "), "{}", said.err);
    assert!(said.err.contains("raise `memory` under [limits]"), "{}", said.err);
}

/// Each of these choices may end in several ways, and the paths are merged. Without a loop there is nothing to leave out.
const LONG: &str = "\
#include <cstdlib>
#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x)))))))))))))
__global__ void fill(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f; }
int main(int argc, char **argv) {
  int n = argc < 2 ? 1 : atoi(argv[1]);
  if (n < 1) return 1;
  int *next = (int *)malloc(n * sizeof(int)), count = 0;
  MANY(
    next[count++] = n;
    if (count < 0) cudaDeviceReset();
    if (rand() % 2) next[count++] = n - 1;
    if (rand() % 3) next[count++] = n - 2;
    if (count + 1 < n) next[count++] = n + 1;
  )
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
";

#[test]
fn where_memory_runs_out_the_report_is_complete_and_says_so() {
    let p = Project::new();
    p.write("long.cu", LONG);
    p.write("good.cu", SAFE);
    p.compile("-c long.cu -o long.o").status(0);
    p.compile("-c good.cu -o good.o").status(0);
    p.write("scuba.toml", "[limits]\nmemory = \"256MiB\"\n");
    let said = p.scuba(["check", "--message-format", "json"]).status(0);
    let report: Report = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (report.summary.programs, report.summary.unknown, report.summary.safe, report.undecided.len()),
        (2, 1, 1, 1),
        "{}",
        said.out
    );
    assert!(
        report.undecided[0].reason.contains("the memory limit was reached (limits.memory)"),
        "{}",
        report.undecided[0].reason
    );

    // More than fits before anything is executed: of that program nothing is known, of the other all.
    let store = FactStore::new(p.root().join(".scuba"));
    let facts = store.read().unwrap().units.into_iter().find(|u| u.source().ends_with("long.cu")).unwrap();
    let mut modules = store.modules(&facts.key).unwrap();
    Arc::make_mut(&mut modules[0])
        .types
        .resize(6_000_000, TypeDef { kind: TypeKind::Void, size: Bytes(0), align: 1, source: None });
    store.write_unit(&UnitWithCode { facts, modules, second: None }).unwrap();
    let said = p.scuba(["check", "--message-format", "json"]).status(0);
    let report: Report = serde_json::from_str(&said.out).unwrap();
    let reasons: Vec<&str> = report.not_analysed.iter().map(|n| n.reason.as_str()).collect();
    assert!(matches!(reasons.as_slice(), [one] if one.contains("limits.memory")), "{reasons:?}");
    assert_eq!((report.summary.programs, report.summary.safe, report.summary.unknown), (1, 1, 0), "{}", said.out);
}

/// The entries of a cache of verdicts.
fn entries(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let shards = std::fs::read_dir(folder.join("verdicts")).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        shards.flat_map(|shard| std::fs::read_dir(shard.path()).unwrap()).map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

/// The key of an entry: its folder and file are named by it.
fn key(entry: &std::path::Path) -> [u8; 32] {
    let name = |path: &std::path::Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let digits = name(entry.parent().unwrap()) + &name(entry);
    std::array::from_fn(|i| u8::from_str_radix(&digits[2 * i..][..2], 16).unwrap())
}

#[test]
fn a_program_of_which_nothing_changed_is_not_checked_again() {
    let p = Project::new();
    let cache = p.root().join("cache");
    let check =
        |file: &str| -> Said { p.command().env("SCUBA_CACHE", &cache).args(["check", file]).output().unwrap().into() };
    p.write("good.cu", SAFE);
    p.write("bad.cu", &super::buggy());
    check("good.cu").status(0);
    let good = entries(&cache).remove(0);
    let first = check("bad.cu").status(1);
    // All but the time that it took.
    let without_time = |said: &Said| said.err.rsplit_once('(').unwrap().0.to_owned();
    assert_eq!(without_time(&check("bad.cu").status(1)), without_time(&first));
    let all = entries(&cache);
    assert_eq!(all.len(), 2);
    let bad = all.iter().find(|f| **f != good).unwrap();

    // That it is taken from there: with the other program's report under its key it is said to be safe.
    let kept = std::fs::read(bad).unwrap();
    let store = ContentStore::new(cache.clone());
    let report: String = store.get(&key(&good)).unwrap();
    store.put(&key(bad), false, &report);
    check("bad.cu").status(0);
    // The other program's entry in its place is none.
    std::fs::copy(&good, bad).unwrap();
    check("bad.cu").status(1);
    // Damaged ones are made again, other limits and other sources have others.
    std::fs::write(bad, &kept[..kept.len() / 2]).unwrap();
    check("bad.cu").status(1);
    // The same again, but for the digits of the time that it took.
    assert!(std::fs::read(bad).unwrap().len().abs_diff(kept.len()) < 20);
    p.write("scuba.toml", "[limits]\nwork = 99\n");
    check("bad.cu").status(1);
    p.write("bad.cu", SAFE);
    check("bad.cu").status(0);
    assert_eq!(entries(&cache).len(), 4);
    // What is no folder keeps nothing and stops nothing.
    let said: Said =
        p.command().env("SCUBA_CACHE", p.root().join("scuba.toml")).args(["check", "bad.cu"]).output().unwrap().into();
    said.status(0);
}

/// Alive and no zombie.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
}

#[test]
fn killing_scuba_ends_its_front_end_at_once() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    // exec keeps the process number that is written down.
    let clang = p.write("clang", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho $PPID > worker.pid\necho $$ > clang.$$.pid\nexec sleep 600\n");
    std::fs::set_permissions(&clang, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    p.write("scuba.toml", &format!("[frontend]\nclang = \"{}\"\n", clang.display()));
    let mut scuba = p.command().args(["check", "a.cu"]).stderr(Stdio::null()).spawn().unwrap();
    let pids = || -> Vec<String> {
        let files = std::fs::read_dir(p.root())
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|f| f.extension().is_some_and(|e| e == "pid"));
        files
            .filter_map(|f| Some(std::fs::read_to_string(f).ok()?.trim().to_owned()).filter(|t| !t.is_empty()))
            .collect()
    };
    let start = std::time::Instant::now();
    while pids().len() < 3 {
        assert!(start.elapsed().as_secs() < 60, "one worker and a clang for each side: {:?}", pids());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pids = pids();
    assert!(pids.iter().all(|p| runs(p)), "{pids:?}");
    scuba.kill().unwrap();
    scuba.wait().unwrap();
    let start = std::time::Instant::now();
    while pids.iter().any(|p| runs(p)) {
        assert!(start.elapsed().as_secs() < 10, "{pids:?} still run");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// What both have checked lies in the cache once, and each is told its own places.
#[test]
fn checkouts_in_different_folders_share_verdicts() {
    let (one, two) = (Project::new(), Project::new());
    let cache = one.root().join("cache");
    let check = |p: &Project, format: &str| -> Said {
        // Sources by absolute paths, as CMake gives them.
        let source = p.root().join("src/bad.cu");
        p.command()
            .env("SCUBA_CACHE", &cache)
            .args(["check", source.to_str().unwrap(), "--message-format", format, "--", "-I.", "-I"])
            .arg(p.root().join("include"))
            .output()
            .unwrap()
            .into()
    };
    for p in [&one, &two] {
        p.write("scuba.toml", "");
        p.write("include/where.h", "#define WHERE __FILE__\n");
        p.write(
            "src/bad.cu",
            &format!(
                "#include <cstdio>\n#include \"where.h\"\n{}",
                super::buggy().replace("int main(", "void say() { puts(WHERE); }\nint main(")
            ),
        );
    }
    let said = check(&one, "json").status(1);
    let first = entries(&cache);
    assert_eq!(first.len(), 1);
    let again = check(&two, "json").status(1);
    assert_eq!(entries(&cache), first, "the second checkout asked for the same");
    let report = |said: &Said| serde_json::from_str::<Report>(&said.out).unwrap();
    assert_eq!(report(&again).findings, report(&said).findings);
    // From outside the project paths are absolute: those of the checkout that asks.
    let outside = |p: &Project| -> Said {
        p.command()
            .env("SCUBA_CACHE", &cache)
            .current_dir("/")
            .args(["check", "--message-format", "short", "--config"])
            .arg(p.root().join("scuba.toml"))
            .arg(p.root().join("src/bad.cu"))
            .args(["--", "-I"])
            .arg(p.root().join("include"))
            .output()
            .unwrap()
            .into()
    };
    for p in [&one, &two] {
        let said = outside(p).status(1);
        assert!(said.err.contains("error[oob-global]") && !said.err.contains('\u{e000}'), "{}", said.err);
    }
    // An excerpt is shown, so the file was found.
    let said = check(&two, "human").status(1);
    assert!(said.err.contains("src/bad.cu:") && said.err.contains("a["), "{}", said.err);
}
