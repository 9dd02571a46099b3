//! `--diff-base`: a branch is told of its own bugs, and fails for them alone.

use super::{Project, Said, nvcc};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A program with a bug that has been there for long.
const OLD: &str = "\
#include <cstdlib>
__global__ void old_bug(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1.0f;
}
__global__ void fine(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 2.0f;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  old_bug<<<(n + 255) / 256, 256>>>(a, n);
  fine<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
";

/// The same with another kernel and its launch, which is wrong too.
fn with_new_bug() -> String {
    let kernel = "__global__ void new_bug(float *b, int n) {\n  b[blockIdx.x * blockDim.x + threadIdx.x] = 3.0f;\n}\n";
    let launch = "  float *b;\n  cudaMalloc(&b, n * sizeof(float));\n  new_bug<<<(n + 255) / 256, 256>>>(b, n);\n";
    OLD.replace("int main", &format!("{kernel}int main")).replace("  return cuda", &format!("{launch}  return cuda"))
}

impl Project {
    /// A repository whose branch `main` has the old bug, on a branch of its own.
    fn repository() -> Self {
        let p = Self::new();
        p.git(["init", "-q"]);
        p.write("a.cu", OLD);
        p.commit("old");
        p.git(["checkout", "-q", "-b", "topic"]);
        p
    }

    pub(super) fn git<const N: usize>(&self, arguments: [&str; N]) {
        git(&self.root(), &arguments);
    }

    fn commit(&self, message: &str) {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "-m", message]);
    }

    /// `scuba check a.cu --diff-base REV`.
    fn since(&self, revision: &str) -> Said {
        self.scuba(["check", "a.cu", "--message-format", "short", "--diff-base", revision])
    }

    /// Checks the present text of `a.cu`; returns the kernels with findings.
    #[track_caller]
    fn kernels_since(&self, revision: &str) -> Vec<String> {
        let said = self.scuba(["check", "a.cu", "--message-format", "json", "--diff-base", revision]);
        let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        let findings = document["findings"].as_array().unwrap();
        assert_eq!(said.status, i32::from(!findings.is_empty()), "{said:?}");
        let kernel = |f: &Value| f["access"]["kernel"].as_str().unwrap().split('(').next().unwrap().to_owned();
        findings.iter().map(kernel).collect()
    }
}

/// Runs git without settings of the machine.
fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn only_the_new_bug_of_a_branch_is_told_and_denied() {
    let p = Project::repository();
    p.write("a.cu", &with_new_bug());
    p.commit("new");
    // The branch's base goes on meanwhile: the last common ancestor counts.
    p.git(["checkout", "-q", "main"]);
    p.write("a.cu", &format!("// later\n{OLD}"));
    p.commit("later");
    p.git(["checkout", "-q", "topic"]);

    let both = p.scuba(["check", "a.cu", "--message-format", "short"]).status(1);
    assert_eq!(both.err.matches("error[oob-global]").count(), 2, "{both:?}");
    let said = p.since("main").status(1);
    let told: Vec<&str> = said.err.lines().filter(|l| l.contains("error[")).collect();
    assert_eq!(told.len(), 1, "{said:?}");
    assert!(told[0].starts_with("a.cu:12:3: error[oob-global]: "), "{said:?}");
    assert!(said.err.contains("scuba: 1 finding on lines that did not change since main is not shown\n"), "{said:?}");

    // Without the new bug, the old one fails nothing.
    p.write("a.cu", &OLD.replace("= 2.0f", "= 4.0f"));
    let said = p.since("main").status(0);
    assert!(!said.err.contains("error[") && said.err.contains("1 finding on lines"), "{said:?}");
    let document: Value =
        serde_json::from_str(&p.scuba(["check", "a.cu", "--message-format", "json", "--diff-base", "main"]).out)
            .unwrap();
    assert_eq!(document["diff_base"]["revision"], "main");
    assert_eq!(document["diff_base"]["left_out"], 1);
    assert_eq!(document["summary"]["proved"], 1, "accesses are counted as ever");
    // The page tells what it leaves out.
    let cache = tempfile::tempdir().unwrap();
    let kept = |arguments: &[&str]| -> Said {
        p.command().env("SCUBA_CACHE", cache.path()).args(arguments).output().unwrap().into()
    };
    kept(&["check", "-q", "a.cu", "--diff-base", "main"]).status(0);
    let page = kept(&["report", "--html", "-"]).status(0).out;
    let (start, end) = (
        "<p>Shown are findings that concern lines changed since <code>main</code> (commit ",
        "1 other finding is not shown",
    );
    assert!(page.contains(start) && page.contains(end) && page.contains("No findings."), "{page}");
    // No revision is no choice.
    assert_eq!(p.since("").status(1).err.matches("error[oob-global]").count(), 1);
}

#[test]
fn what_new_code_makes_reachable_counts_as_new() {
    let p = Project::repository();
    let none: [&str; 0] = [];
    for (why, text, expected) in [
        ("nothing but a comment elsewhere", OLD.replace("= 2.0f;", "= 2.0f; // two"), &none[..]),
        ("another launch in main", OLD.replace("  return cuda", "  fine<<<1, 1>>>(a, n);\n  return cuda"), &none),
        ("a guard of the kernel was removed", OLD.replace("  if (i < n)\n", ""), &["fine"]),
        ("a guard of the kernel was weakened", OLD.replace("i < n)", "i <= n)"), &["fine"]),
        ("the allocation is smaller", OLD.replace("&a, n *", "&a, (n - 1) *"), &["old_bug", "fine"]),
        ("the launch is larger", OLD.replace("old_bug<<<(n + 255)", "old_bug<<<(n + 511)"), &["old_bug"]),
        ("a condition on the size was added", OLD.replace("n < 1)", "n < 1 || n > 100)"), &["old_bug"]),
        ("a condition on the size was removed", OLD.replace("  if (n < 1) return 1;\n", ""), &["old_bug"]),
        ("the size is computed in another way", OLD.replace("int n = atoi", "int n = 1 + atoi"), &["old_bug"]),
    ] {
        p.write("a.cu", &text);
        let mut kernels = p.kernels_since("main");
        kernels.sort_by_key(|k| k == "fine");
        kernels.dedup();
        assert_eq!(kernels, expected, "{why}");
    }
}

#[test]
fn files_without_history_are_new_and_moved_ones_are_not() {
    let p = Project::repository();
    p.git(["mv", "a.cu", "b.cu"]);
    p.commit("move");
    assert!(p.scuba(["check", "b.cu", "--diff-base", "main"]).status(0).err.contains("1 finding on lines"));
    // Untracked, ignored or not.
    p.write("a.cu", OLD);
    assert_eq!(p.kernels_since("main"), ["old_bug"]);
    p.write(".gitignore", "a.cu\n");
    assert_eq!(p.kernels_since("main"), ["old_bug"]);
}

#[test]
fn settings_of_git_and_odd_names_change_nothing() {
    let p = Project::repository();
    for (name, value) in [
        ("diff.noprefix", "true"),
        ("color.ui", "always"),
        ("diff.external", "/bin/false"),
        ("diff.context", "40"),
        ("diff.interHunkContext", "40"),
        ("core.quotePath", "true"),
        ("diff.relative", "true"),
    ] {
        p.git(["config", name, value]);
    }
    p.write(".gitattributes", "*.cu -diff\n");
    p.write("ü \"b\".cu", OLD);
    p.commit("another old one");
    p.git(["branch", "-f", "main"]);
    p.write("a.cu", &with_new_bug());
    assert_eq!(p.kernels_since("main"), ["new_bug"]);
    p.write("ü \"b\".cu", &with_new_bug());
    let said = p.scuba(["check", "ü \"b\".cu", "--diff-base", "main", "--message-format", "short"]).status(1);
    assert_eq!(said.err.matches("error[").count(), 1, "{said:?}");
}

#[test]
fn a_revision_that_git_cannot_compare_with_is_an_error_that_says_what_to_do() {
    let p = Project::repository();
    let said = p.since("mian").status(2);
    assert!(said.err.contains("--diff-base: there is no revision `mian` in "), "{said:?}");
    let said = p.scuba(["check", "a.cu", "--diff-base=--output=x"]).status(2);
    assert!(!p.root().join("x").exists() && said.err.contains("there is no revision"), "{said:?}");

    let clone = Project::new();
    clone.git(["clone", "-q", &format!("file://{}", p.root().display()), "full"]);
    git(&clone.root().join("full"), &["checkout", "-q", "topic"]);
    let there = |folder: &str, revision: &str| -> Said {
        let mut command = clone.command();
        command.current_dir(clone.root().join(folder)).args(["check", "a.cu", "--diff-base", revision]);
        command.output().unwrap().into()
    };
    assert!(there("full", "main").status(2).err.contains("did you mean `origin/main`?"));
    there("full", "origin/main").status(0);

    p.write("a.cu", &with_new_bug());
    p.commit("new");
    clone.git(["clone", "-q", "--depth=1", "--branch=topic", &format!("file://{}", p.root().display()), "shallow"]);
    let said = there("shallow", "origin/main").status(2);
    assert!(said.err.contains("this clone is shallow") && said.err.contains("fetch-depth: 0"), "{said:?}");

    // The merge commit of a pull request with its parents, as actions/checkout fetches it with `fetch-depth: 2`.
    p.git(["checkout", "-q", "main"]);
    p.git(["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    clone.git(["clone", "-q", "--depth=2", "--branch=main", &format!("file://{}", p.root().display()), "merge"]);
    let said = there("merge", "HEAD^1").status(1);
    assert!(said.err.contains("a.cu:12:3") && !said.err.contains("a.cu:4:3"), "{said:?}");

    let elsewhere = Project::new();
    elsewhere.write("a.cu", OLD);
    assert!(elsewhere.since("main").status(2).err.contains("is in no git repository"));
}

#[test]
fn a_build_of_a_branch_fails_for_its_own_bugs_alone() {
    let p = Project::repository();
    p.write("Makefile", &format!("app: a.cu\n\t{} -arch=sm_80 a.cu -o app\n", nvcc().display()));
    p.write("a.cu", &OLD.replace("= 2.0f", "= 4.0f"));
    let said = p.scuba(["build", "--diff-base", "main", "--", "make"]).status(0);
    assert!(p.root().join("app").exists(), "{said:?}");
    assert!(said.err.contains("1 finding on lines that did not change since main is not shown"), "{said:?}");
    // A page is made from the facts, which know nothing of revisions.
    let page = p.scuba(["report", "--html", "-"]).status(0).out;
    let shown =
        "The build told only of findings that concern lines changed since <code>main</code>. This page shows all.";
    assert!(page.contains(shown) && page.contains("write past the end of"), "{page}");
    p.write("a.cu", &with_new_bug());
    let said = p.scuba(["build", "--diff-base", "main", "--message-format", "short", "--", "make"]).status(1);
    assert!(said.err.contains("a.cu:12:3: error[oob-global]") && !said.err.contains("a.cu:4:3"), "{said:?}");
    // Named by the environment, too, as a shim gets it.
    let shim = |revision: &str| -> Said {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
        command.args(["-arch=sm_80", "-c", "a.cu", "-o", "a.o"]).current_dir(p.root());
        command
            .env("SCUBA_NVCC", nvcc())
            .env("SCUBA_CACHE", super::cache::fresh())
            .env("SCUBA_DIR", p.root().join("f"));
        command.env("SCUBA_MESSAGE_FORMAT", "short").env("SCUBA_DIFF_BASE", revision).output().unwrap().into()
    };
    p.write("a.cu", OLD);
    assert_eq!(shim("main").status(0).err, "");
    assert!(shim("").status(1).err.contains("a.cu:4:3: error[oob-global]"));
}
