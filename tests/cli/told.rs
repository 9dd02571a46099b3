//! How a finding is told: its steps in order, sizes in the names of the source, the command that shows it.

use super::{Project, Said};
use scuba::finding::Report;
use scuba::finding::steps::{Step, StepKind};

/// Sizes from optional arguments, through a structure and a function that allocates.
const SHADE: &str = "\
#include <cstdlib>
struct Options { int width = 640, height = 480; };
static Options parse(int argc, char **argv) {
  Options o;
  if (argc > 1) o.width = atoi(argv[1]);
  if (argc > 2) o.height = atoi(argv[2]);
  return o;
}
__global__ void shade(float *image, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col <= width && row < height) image[row * width + col] = 1.0f;
}
static float *image_of(size_t pixels) {
  float *image;
  if (cudaMalloc(&image, pixels * sizeof(float)) != cudaSuccess) exit(1);
  return image;
}
int main(int argc, char **argv) {
  Options o = parse(argc, argv);
  if (o.width < 1 || o.height < 1 || o.width > 4096 || o.height > 4096) return 1;
  float *image = image_of((size_t)o.width * o.height);
  dim3 block(16, 16);
  dim3 grid((o.width + 16) / 16, (o.height + 15) / 16);
  shade<<<grid, block>>>(image, o.width, o.height);
  return cudaDeviceSynchronize();
}
";

fn report(said: &Said) -> Report {
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

fn step(steps: &[Step], kind: StepKind, message: &str) -> (Option<String>, u32) {
    let found = steps.iter().find(|s| s.kind == kind && s.message == message);
    let found = found.unwrap_or_else(|| panic!("no {kind:?} `{message}` in {steps:#?}"));
    (found.value.clone(), found.position.as_ref().map_or(0, |p| p.line))
}

#[test]
fn steps_lead_from_the_input_to_the_byte_in_names_of_the_source() {
    let p = Project::new();
    p.write("a.cu", SHADE);
    let said = p.scuba(["check", "a.cu", "--message-format", "json"]).status(1);
    let report = report(&said);
    let [f] = report.findings.as_slice() else { panic!("{said:?}") };
    assert_eq!(f.allocation.as_ref().unwrap().extent, "4 * o.width * o.height");
    let launch = f.launch.as_ref().unwrap();
    assert_eq!(launch.grid, "((o.width + 16) / 16, (o.height + 15) / 16)");
    let some = |text: &str| Some(text.to_owned());
    // No argument is the smallest example, and the defaults are the sizes then.
    assert_eq!(step(&f.steps, StepKind::Input, "argc is 1").0, some("1"));
    assert_eq!(step(&f.steps, StepKind::Size, "`o.width` is 640"), (some("640"), 21));
    assert_eq!(step(&f.steps, StepKind::Size, "`o.height` is 480"), (some("480"), 21));
    let allocated = "`image` is allocated: `4 * o.width * o.height` = 1228800 bytes";
    assert_eq!(step(&f.steps, StepKind::Allocation, allocated), (some("1228800"), 16));
    let launched = format!("`shade` is launched: grid `{}` = (41, 30), block (16, 16)", launch.grid);
    assert_eq!(step(&f.steps, StepKind::Launch, &launched), (some("grid (41, 30, 1), block (16, 16, 1)"), 25));
    let index = f.steps.iter().find(|s| s.kind == StepKind::Index).unwrap();
    let w = f.witness.as_ref().unwrap();
    // The numbers of the index are those of the run: they give its offset.
    assert_eq!(index.value, some(&(w.offset_bytes / 4).to_string()));
    let (row, col) = (w.block[1] * 16 + w.thread[1], w.block[0] * 16 + w.thread[0]);
    let of = format!("where row is {row}, width is 640 and col is {col}");
    assert!(index.message.starts_with("`row * width + col` is ") && index.message.ends_with(&of), "{index:?}");
    let last = f.steps.last().unwrap();
    assert_eq!((last.kind, last.value.clone()), (StepKind::Offset, some(&w.offset_bytes.to_string())));
    assert!(f.steps.is_sorted_by_key(|s| s.kind));
    let text = p.scuba(["check", "a.cu", "-v"]).status(1).err;
    assert!(text.contains("1. argc is 1 (a.cu:") && text.contains(&format!("{launched} (a.cu:25)")), "{text}");
    assert!(!p.scuba(["check", "a.cu"]).status(1).err.contains("step by step"));
}

#[test]
fn calls_of_the_host_are_told_in_steps_too() {
    let p = Project::new();
    p.write(
        "a.cu",
        "\
#include <cstdlib>
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  char *a, *h = (char *)malloc(2 * (size_t)n);
  cudaMalloc(&a, n);
  cudaMemcpy(a, h, 2 * (size_t)n, cudaMemcpyHostToDevice);
  cudaFree(a);
  cudaFree(a);
}
",
    );
    let report = report(&p.scuba(["check", "a.cu", "--message-format", "json"]).status(1));
    let of = |rule: &str| &report.findings.iter().find(|f| f.rule.name() == rule).unwrap().steps;
    let copy = of("memcpy-out-of-bounds");
    let n = copy.iter().find(|s| s.kind == StepKind::Input).unwrap().value.clone().unwrap();
    let n: u32 = n.parse().unwrap();
    assert_eq!(step(copy, StepKind::Size, &format!("`n` is {n}")).1, 4);
    assert_eq!(step(copy, StepKind::Call, &format!("`cudaMemcpy` is asked for {} bytes", 2 * n)).1, 8);
    let frees = of("double-free");
    assert_eq!(step(frees, StepKind::Call, "freed here").1, 9);
    assert_eq!(step(frees, StepKind::Offset, "`a` is freed twice").1, 10);
}

#[test]
fn variables_of_one_name_are_told_with_their_functions() {
    let p = Project::new();
    p.write(
        "a.cu",
        "\
#include <cstdlib>
static void clear(float *x, int n) { cudaMemset(x, 0, n * sizeof(float)); }
int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 1 || m < 1) return 1;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  clear(x, m);
}
",
    );
    let report = report(&p.scuba(["check", "a.cu", "--message-format", "json"]).status(1));
    let f = &report.findings[0];
    let argv = &f.witness.as_ref().unwrap().run.argv;
    assert_eq!(step(&f.steps, StepKind::Size, &format!("`n` of `main` is {}", argv[0])).1, 5);
    assert_eq!(step(&f.steps, StepKind::Size, &format!("`n` of `clear` is {}", argv[1])).1, 2);
}

#[test]
fn the_command_that_shows_a_finding_is_told_where_a_line_can_say_it() {
    let p = Project::new();
    p.write("a.cu", &super::buggy());
    let said = p.scuba(["check", "a.cu"]).status(1);
    let report = report(&p.scuba(["check", "a.cu", "--message-format", "json"]).status(1));
    let argument = report.findings[0].witness.as_ref().unwrap().run.argv[0].clone();
    assert!(said.err.contains(&format!("= run: ./a {argument}\n")), "{said:?}");
    // Nobody calls this function, so nobody can say how.
    let uncalled =
        super::buggy().replace("int main(int argc, char **argv)", "extern \"C\" int go(int argc, char **argv)");
    p.write("a.cu", &uncalled);
    assert!(!p.scuba(["check", "a.cu"]).err.contains("= run: "));
}

#[test]
fn an_operator_is_called_from_python() {
    let source = "\
#include <torch/extension.h>
__global__ void copy(float *p, const float *q, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = q[i];
}
torch::Tensor both(torch::Tensor x, torch::Tensor y, int64_t k, bool flag) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && x.is_contiguous() && y.is_contiguous() && k == 7 && flag);
  if (x.numel() > 0) copy<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return x;
}
TORCH_LIBRARY(ext, m) { m.def(\"both\", &both); }
";
    // Parts and implementations of a library have a number behind its name.
    let all = [
        ("TORCH_LIBRARY(ext,", "ext"),
        ("TORCH_LIBRARY(ext2,", "ext2"),
        ("TORCH_LIBRARY_FRAGMENT(ext12,", "ext12"),
        ("TORCH_LIBRARY_FRAGMENT(ext_,", "ext_"),
    ];
    for (registered, namespace) in all {
        let (report, said) = super::tensors::checked(&source.replace("TORCH_LIBRARY(ext,", registered));
        let f = report.findings.iter().find(|f| f.access.array == "q").unwrap_or_else(|| panic!("{said:?}"));
        let sizes = |name: &str| f.arguments[name].sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let made = |name: &str| format!("torch.zeros({}, dtype=torch.float32, device=\"cuda\")", sizes(name));
        let call = format!("torch.ops.{namespace}.both({}, {}, 7, True)", made("x"), made("y"));
        assert_eq!(f.command().unwrap(), call, "{:?}", f.witness);
    }
}

#[test]
fn clang_is_quoted_in_its_own_words_and_folders_of_headers_are_asked_for() {
    let p = Project::new();
    p.write("a.cu", &format!("#include \"own.h\"\n{SHADE}"));
    let said = p.scuba(["check", "a.cu"]).status(2);
    assert!(said.err.contains("`fatal error: 'own.h' file not found` at "), "{said:?}");
    assert!(said.err.contains("`own.h` was not found: pass include folders after `--`"), "{said:?}");
    p.write("include/own.h", "");
    let said = p.scuba(["check", "a.cu", "--", "-I", "include"]).status(1);
    assert!(!said.err.contains("not found"), "{said:?}");
}

#[test]
fn a_comment_that_does_not_accept_its_finding_is_explained_there() {
    let p = Project::new();
    let with = |comment: &str| super::buggy().replace("a[i] = 1.0f;", &format!("a[i] = 1.0f; // scuba: {comment}"));
    p.write("a.cu", &with("allow(oob-shared) padded"));
    let text = p.scuba(["check", "a.cu"]).status(1).err;
    assert!(text.contains("= note: `scuba: allow(oob-shared)` in line 4 does not accept `oob-global`"), "{text}");
    assert!(!text.contains("matches no finding"), "once is enough: {text}");
    p.write("a.cu", &with("allow(oob-global)"));
    let text = p.scuba(["check", "a.cu"]).status(1).err;
    assert!(text.contains("= note: the comment in line 4 accepts nothing: `scuba: allow` needs a reason"), "{text}");
    assert!(!text.contains("scuba: a.cu:4: "), "once is enough: {text}");
}

#[test]
fn the_last_line_of_a_build_names_what_failed() {
    let p = Project::new();
    p.write("a.cu", super::SAFE);
    p.write("build.sh", &format!("{} -arch=sm_80 -c a.cu -o a.o && exit 3\n", super::nvcc().display()));
    let said = p.scuba(["build", "--", "sh", "build.sh"]).status(3);
    let last = said.err.lines().last().unwrap();
    assert_eq!(last, "scuba: the build command failed: `sh build.sh` exited with status 3", "{said:?}");
}

#[test]
fn notes_are_wrapped_at_the_width_of_a_terminal_and_nowhere_else() {
    let p = Project::new();
    p.write("a.cu", SHADE);
    let inside = format!("stty cols 64 rows 40; exec '{}' check --color never -v a.cu", super::scuba().display());
    let mut terminal = std::process::Command::new("script");
    terminal.args(["-qec", &inside, "/dev/null"]).current_dir(p.root());
    terminal.env("SCUBA_NVCC", super::nvcc()).env("SCUBA_CACHE", super::cache::fresh()).env("SHELL", "/bin/sh");
    let shown = String::from_utf8(terminal.stdin(std::process::Stdio::null()).output().unwrap().stdout).unwrap();
    let shown = shown.replace('\r', "");
    let (_, notes) = shown.split_once("   = note: ").unwrap_or_else(|| panic!("{shown}"));
    assert!(notes.lines().all(|l| l.chars().count() <= 64), "{shown}");
    // The same words, in lines of any length.
    let plain = p.scuba(["check", "--color", "never", "-v", "a.cu"]).status(1).err;
    let (_, long) = plain.split_once("   = note: ").unwrap();
    assert!(long.lines().any(|l| l.chars().count() > 100), "{plain}");
    let words = |text: &str| {
        let notes = text.split("\nscuba: ").next().unwrap_or_default();
        notes.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words(notes), words(long));
}

/// Of the instances of a template, the one that is undecided is named, not the first one that was looked at.
#[test]
fn an_undecided_access_names_the_instance_that_is_undecided() {
    let p = Project::new();
    p.write(
        "a.cu",
        "\
#include <cstdlib>
template <int B> __global__ void k(float *a, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) a[i] = s[threadIdx.x];
}
void other(float *a, int n) { k<64><<<(n + 63) / 64, 64>>>(a, n); }
int main(int argc, char **argv) {
  int n = argc < 2 ? 1 : atoi(argv[1]);
  if (n < 1 || n > 4096) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  k<128><<<(n + 127) / 128, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
",
    );
    let said = p.scuba(["check", "-v", "a.cu"]).status(0).err;
    let undecided: Vec<&str> = said.lines().filter(|l| l.starts_with("undecided: a.cu:5:")).collect();
    assert_eq!(undecided.len(), 2, "{said}");
    assert!(undecided.iter().all(|l| l.contains("in `k<64>(float*, int)`: ")), "{said}");
}
