//! Levels, what is accepted, and what a build does with a denied finding.

use super::{Project, SAFE, Said, buggy};
use scuba::finding::{Report, Verdict};
use scuba::rules::Level;
use std::fmt::Write as _;

fn report(said: &Said) -> Report {
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

impl Project {
    fn json<const N: usize>(&self, options: [&str; N]) -> Said {
        self.command().args(["check", "a.cu", "--message-format", "json"]).args(options).output().unwrap().into()
    }
}

#[test]
fn levels_come_from_scuba_toml_and_the_command_line_has_the_last_word() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    assert_eq!(report(&p.json(["-D", "oob-global"]).status(1)).findings[0].level, Level::Deny);
    assert_eq!(report(&p.json(["-W", "all"]).status(0)).findings[0].level, Level::Warn);
    assert!(report(&p.json(["-D", "all", "-A", "oob-global"]).status(0)).findings.is_empty());
    p.write("scuba.toml", "[levels]\noob-global = \"note\"\n");
    assert_eq!(report(&p.json([]).status(0)).findings[0].level, Level::Note);
    assert_eq!(report(&p.json(["-D", "all"]).status(1)).findings[0].level, Level::Deny);
    p.write("scuba.toml", "[levels]\nall = \"allow\"\n");
    assert!(report(&p.json([]).status(0)).findings.is_empty());
}

#[test]
fn text_goes_to_standard_error_and_is_coloured_on_demand_only() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    let short = p.scuba(["check", "-D", "all", "--message-format", "short", "a.cu"]).status(1);
    assert!(
        short.out.is_empty() && short.err.lines().next().unwrap().starts_with("a.cu:4:3: error[oob-global]: "),
        "{short:?}"
    );
    let plain = p.scuba(["check", "-D", "all", "a.cu"]).status(1);
    assert!(plain.out.is_empty() && plain.err.contains("--> a.cu:4:3") && !plain.err.contains('\u{1b}'), "{plain:?}");
    assert!(p.scuba(["check", "--color", "always", "-D", "all", "a.cu"]).status(1).err.contains('\u{1b}'));
    let quiet = p.scuba(["check", "-q", "-W", "all", "a.cu"]).status(0);
    assert_eq!(quiet.err, "", "a warning is not denied");
}

#[test]
fn comments_and_paths_accept_findings() {
    let p = Project::new();
    p.write("a.cu", &buggy().replace("a[i] = 1.0f;", "a[i] = 1.0f; // scuba: allow(oob-global) padded by the caller"));
    assert!(report(&p.json(["-D", "all"]).status(0)).findings.is_empty());
    let without_reason = buggy().replace("a[i] = 1.0f;", "a[i] = 1.0f; // scuba: allow(oob-global)");
    p.write("a.cu", &without_reason);
    let said = p.json(["-D", "all"]).status(1);
    assert!(said.err.contains("a.cu:4: ") && said.err.contains("needs a reason"), "{said:?}");
    p.write("scuba.toml", "[[allow]]\nrule = \"oob-global\"\npath = \"*.cu\"\nreason = \"being rewritten\"\n");
    assert!(report(&p.json(["-D", "all"]).status(0)).findings.is_empty());
    // A comment that silences nothing is told.
    p.write("b.cu", &SAFE.replace("= 1.0f;", "= 1.0f; // scuba: allow(oob-global) old"));
    assert!(p.scuba(["check", "b.cu"]).status(0).err.contains("b.cu:4: this `scuba: allow` matches no finding"));
}

#[test]
fn the_colours_that_scuba_build_is_asked_for_reach_the_shims() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    makefile(&p);
    let coloured = p.scuba(["build", "--color", "always", "-D", "all", "--", "make"]).status(1);
    assert!(coloured.err.contains("\u{1b}[1m\u{1b}[91merror[oob-global]"), "{coloured:?}");
    assert!(!p.scuba(["build", "-D", "all", "--", "make"]).status(1).err.contains('\u{1b}'));
}

/// A Makefile as people write it: the compiler by its absolute path.
fn makefile(p: &Project) {
    p.write(
        "Makefile",
        &format!("NVCC := {}\napp.o: a.cu\n\t$(NVCC) -arch=sm_80 -c a.cu -o app.o\n", super::nvcc().display()),
    );
}

#[test]
fn a_baseline_accepts_what_there_was_and_survives_line_moves() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    makefile(&p);
    p.scuba(["build", "-W", "all", "--", "make"]).status(0);
    let shown = p.scuba(["baseline"]).status(0);
    assert!(shown.out.starts_with("+ ") && shown.out.contains("oob-global: a.cu: `a[i]`"), "{shown:?}");
    assert!(!p.root().join("scuba-baseline.json").exists());
    p.scuba(["baseline", "--write"]).status(0);
    assert_eq!(p.scuba(["baseline"]).status(0).out, "");
    assert!(report(&p.json(["-D", "all"]).status(0)).findings.is_empty());
    p.write("a.cu", &format!("\n// moved\n\n{}", buggy()));
    assert!(report(&p.json(["-D", "all"]).status(0)).findings.is_empty());
    p.write("a.cu", &buggy().replace("a[i] = 1.0f;", "a[i] = 1.0f; a[i + 1] = 2.0f;"));
    let new = report(&p.json(["-D", "all"]).status(1));
    assert_eq!(new.findings.len(), 1, "{new:?}");
    assert!(new.findings[0].access.index.contains("+ 1"));
    // A baseline that scuba.toml names must be there.
    p.write("scuba.toml", "[baseline]\npath = \"other.json\"\n");
    let said = p.json([]).status(2);
    assert!(said.err.contains("other.json") && said.err.contains("scuba baseline --write"), "{said:?}");
}

#[test]
fn a_denied_finding_stops_the_build_and_is_told_once() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    makefile(&p);
    let said = p.scuba(["build", "-D", "all", "--", "make"]).status(1);
    assert_eq!(said.err.matches("error[oob-global]").count(), 1, "{said:?}");
    assert!(said.err.contains("scuba: 1 error"), "{said:?}");
    assert!(!p.root().join("app.o").exists(), "make must try again");
    // What stopped the build is still known, and stays so until the output is compiled again.
    p.scuba(["check", "-D", "all"]).status(1);
    let again = p.scuba(["build", "-A", "all", "--", "make"]).status(0);
    assert!(!again.err.contains("oob-global") && p.root().join("app.o").exists(), "{again:?}");
    p.write("a.cu", SAFE);
    p.scuba(["build", "-D", "all", "--", "make"]).status(0);
}

#[test]
fn a_builds_document_stands_alone_on_standard_output() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    makefile(&p);
    let said = p.scuba(["build", "-W", "all", "--message-format", "json", "--", "make"]).status(0);
    let report = report(&said);
    assert_eq!(report.findings.len(), 1);
    assert!(said.err.contains("-c a.cu -o app.o"), "make's own output: {said:?}");
}

#[test]
fn reports_are_written_from_facts() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    makefile(&p);
    p.scuba(["build", "-q", "-W", "all", "--", "make"]).status(0);
    p.scuba(["report", "--html", "r.html", "--sarif", "r.sarif"]).status(0);
    let html = std::fs::read_to_string(p.root().join("r.html")).unwrap();
    assert!(
        html.contains("oob-global")
            && html.contains("title=\"write past the end of `a`\">a[i]</a>")
            && !html.contains("{{"),
        "{html}"
    );
    let sarif: serde_json::Value = serde_json::from_slice(&std::fs::read(p.root().join("r.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "oob-global");
    assert!(p.scuba(["report", "--html", "no/such/r.html"]).status(2).err.contains("no/such/r.html"));
}

#[test]
fn the_report_of_named_sources_is_kept_and_nothing_is_written_beside_them() {
    let p = Project::new();
    p.write("src/a.cu", &buggy());
    let scuba = |arguments: &[&str]| -> Said { p.command().args(arguments).output().unwrap().into() };
    assert!(scuba(&["report", "--html", "-"]).status(2).err.contains("no facts under"));
    // The cache of a command under test is empty: here one command reads what another has written.
    let cache = tempfile::tempdir().unwrap();
    let scuba = |arguments: &[&str]| -> Said {
        p.command().env("SCUBA_CACHE", cache.path()).args(arguments).output().unwrap().into()
    };
    scuba(&["check", "-q", "-D", "all", "src/a.cu", "--", "-DN=1"]).status(1);
    let names: Vec<_> = std::fs::read_dir(p.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["src"]);
    let html = scuba(&["report", "--html", "-"]).status(0).out;
    for shown in ["scuba check -q -D all src/a.cu -- -DN=1", "scuba confirm src/a.cu -- -DN=1", "./a 1", "proved wrong"]
    {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&scuba(&["report", "--sarif", "-"]).status(0).out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "oob-global");
    // A source that was edited since is shown as it is now, and this is told.
    p.write("src/a.cu", &format!("// moved\n{}", buggy()));
    assert!(scuba(&["report", "--html", "-"]).status(0).out.contains("has changed since the check"));
    // A later build is the last.
    p.write("src/a.cu", SAFE);
    p.write("Makefile", &format!("app.o: src/a.cu\n\t{} -arch=sm_80 -c $< -o $@\n", super::nvcc().display()));
    scuba(&["build", "-q", "-D", "all", "--", "make"]).status(0);
    let html = scuba(&["report", "--html", "-"]).status(0).out;
    assert!(html.contains("scuba build -q -D all -- make") && html.contains("No findings."), "{html}");
    // So is a check after it, kept beside the facts.
    p.write("src/a.cu", &buggy());
    scuba(&["check", "-q", "-D", "all", "src/a.cu"]).status(1);
    assert!(scuba(&["report", "--html", "-"]).status(0).out.contains("scuba check -q -D all src/a.cu"));
}

/// Kernels that differ in the array that they fill, every third of which is too short for its launch; and a `main` that launches them,
/// or functions of a library of which each launches one.
fn many_kernels(library: bool) -> String {
    let mut text = String::from("#include <cstdlib>\n");
    let size = |i: usize| if i.is_multiple_of(3) { "n" } else { "n + 1" };
    for i in 0..16 {
        let _ = writeln!(
            text,
            "__global__ void k{i}(float *a, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i <= n) a[i] = {i};\n}}"
        );
        if library {
            let _ = writeln!(
                text,
                "void f{i}(int n) {{\n  float *a;\n  cudaMalloc(&a, ({}) * sizeof(float));\n  k{i}<<<n / 64 + 1, 64>>>(a, n);\n}}",
                size(i)
            );
        }
    }
    if library {
        return text;
    }
    text.push_str("int main(int argc, char **argv) {\n  if (argc < 2) return 1;\n  int n = atoi(argv[1]);\n  if (n < 1 || n > 1000) return 1;\n");
    for i in 0..16 {
        let _ = writeln!(
            text,
            "  float *a{i};\n  cudaMalloc(&a{i}, ({}) * sizeof(float));\n  k{i}<<<n / 64 + 1, 64>>>(a{i}, n);",
            size(i)
        );
    }
    text + "  return cudaDeviceSynchronize();\n}\n"
}

/// How many threads share a check changes nothing about what it says.
#[test]
fn threads_come_to_what_one_comes_to() {
    let p = Project::new();
    p.write("program.cu", &many_kernels(false));
    p.write("library.cu", &many_kernels(true));
    for (file, bad) in [("program.cu", Verdict::Proved), ("library.cu", Verdict::Possible)] {
        let report = |threads: &str| {
            let mut r: Report =
                serde_json::from_str(&p.scuba(["check", "-j", threads, "--message-format", "json", file]).out).unwrap();
            r.summary.seconds = 0.0;
            r
        };
        let one = report("1");
        assert_eq!((one.summary.accesses, one.findings.len(), one.summary.unknown), (16, 6, 0), "{file}: {one:?}");
        assert!(one.findings.iter().all(|f| f.verdict == bad), "{file}: {one:?}");
        for threads in ["2", "3"] {
            assert_eq!(format!("{:?}", report(threads)), format!("{one:?}"), "{file} with {threads}");
        }
    }
}
