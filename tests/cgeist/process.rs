//! cgeist as a process: a script in its place replays what was recorded, or misbehaves. Nothing of it costs more than
//! one line.

use super::mixed;
use super::programs::folder;
use scuba::finding::second_reading::ReadingVerdict;
use scuba::finding::{Report, Verdict};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder with a program, a script instead of cgeist, and one instead of polygeist-opt.
struct Place(tempfile::TempDir);

/// What the command line tool said.
struct Said {
    out: String,
    err: String,
    status: Option<i32>,
}

impl Said {
    fn report(&self) -> Report {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

impl Place {
    /// `body` is what the script does with a source; `recorded` what polygeist-opt then prints, if there is one.
    fn new(program: &str, body: &str, recorded: Option<&str>) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::copy(folder().join(format!("{program}.cu")), place.path("a.cu")).unwrap();
        place.script("cgeist", &format!(
            "#!/bin/sh\necho \"$@\" >> {log}\ncase \"$1\" in\n--version) echo 'LLVM version 17.0.6git'; exit 0;;\n--help) echo '  --immediate'; exit 0;;\nesac\n{body}\n",
            log = place.path("log").display(),
        ));
        if let Some(name) = recorded {
            place.script(
                "polygeist-opt",
                &format!(
                    "#!/bin/sh\necho \"$@\" >> {}\ncat > /dev/null\ncat '{}'\n",
                    place.path("log").display(),
                    folder().join(name).display()
                ),
            );
        }
        place
    }

    /// Replays a recorded module as an unmodified installation prints it.
    fn replaying(program: &str, recorded: &str) -> Self {
        Self::new(program, "echo 'module {'; echo '}'", Some(recorded))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn scuba(&self, arguments: &[&str]) -> Said {
        self.run(assert_cmd::cargo::cargo_bin!("scuba"), arguments)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Said {
        let nvcc = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SCUBA_") {
                command.env_remove(name);
            }
        }
        let path = std::env::var("PATH").unwrap();
        let out = command
            .current_dir(self.0.path())
            .args(arguments)
            .stdin(Stdio::null())
            .env("SCUBA_DIR", self.0.path())
            .env("SCUBA_NVCC", nvcc)
            .env("SCUBA_CGEIST", self.path("cgeist"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("PATH", path)
            .output()
            .unwrap();
        Said {
            out: String::from_utf8_lossy(&out.stdout).into_owned(),
            err: String::from_utf8_lossy(&out.stderr).into_owned(),
            status: out.status.code(),
        }
    }

    fn check(&self, kind: &str) -> Said {
        self.scuba(&["check", "--frontend", kind, "--message-format", "json", "a.cu"])
    }

    fn log(&self) -> Vec<String> {
        std::fs::read_to_string(self.path("log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

#[test]
fn findings_come_from_cgeist_alone() {
    let place = Place::replaying("globalOOb", "globalOOb.stock.generic.mlir");
    let said = place.check("cgeist");
    let report = said.report();
    assert_eq!((said.status, report.tool.frontend.as_str(), said.err.as_str()), (Some(1), "cgeist 17.0.6", ""));
    let [f] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    let a = &f.access;
    assert_eq!(
        (a.kernel.as_str(), a.array.as_str(), a.index.as_str(), a.position.line, a.position.column),
        ("k(int*)", "a", "i + 1", 0, 0)
    );
    assert_eq!(f.verdict, Verdict::Proved);
    // What tells places apart inside is no position.
    assert!(said.out.contains("\"line\": null") && !said.out.contains("\"line\": 0"), "{}", said.out);
    let verbose = place.scuba(&["check", "-v", "--frontend", "cgeist", "a.cu", "--dump", "obligations"]);
    assert!(!verbose.err.contains(":0:") && !verbose.out.contains(":0:"), "{}{}", verbose.out, verbose.err);
    assert!(verbose.out.contains("obligation of `a[i + 1]` at "), "{}", verbose.out);
    // Without a line a finding is told by kernel, array and expression.
    let short = place.scuba(&["check", "--frontend", "cgeist", "--message-format", "short", "a.cu"]);
    assert_eq!(
        short.err.lines().next(),
        Some("a.cu: error[oob-global]: write past the end of `a`: `a[i + 1]` in `k(int*)`")
    );

    let twin = Place::replaying("globalOk", "globalOk.stock.generic.mlir").check("cgeist");
    assert_eq!((twin.status, twin.report().findings.len(), twin.report().summary.safe), (Some(0), 0, 1));
}

#[test]
fn cgeist_is_told_what_it_must_know_and_asked_once_what_it_can() {
    let place = Place::replaying("globalOk", "globalOk.stock.generic.mlir");
    for _ in 0..2 {
        let said = place.scuba(&[
            "check",
            "--frontend",
            "cgeist",
            "a.cu",
            "--",
            "-DX=1",
            "-I",
            "inc",
            "-arch=sm_120",
            "-std=c++17",
            "-DNDEBUG",
        ]);
        assert_eq!(said.status, Some(0), "{}", said.err);
    }
    let log = place.log();
    assert_eq!(log.iter().filter(|l| *l == "--help").count(), 1, "{log:?}");
    assert_eq!(log.iter().filter(|l| *l == "--version").count(), 1, "{log:?}");
    let calls: Vec<&String> = log.iter().filter(|l| l.starts_with("a.cu")).collect();
    assert_eq!(calls.len(), 2);
    let inc = format!("-I{}", place.path("inc").display());
    for flag in
        ["-S", "--function=*", "--immediate", "--cuda-gpu-arch=sm_90", "--cuda-path=", "-DX=1", &inc, "-std=c++17"]
    {
        assert!(calls[0].contains(flag), "{flag}: {}", calls[0]);
    }
    // Asserts are kept.
    assert!(!calls[0].contains("NDEBUG") && !calls[0].contains("-nocudalib"), "{}", calls[0]);
    assert_eq!(log.iter().filter(|l| l.contains("--mlir-print-op-generic")).count(), 2, "{log:?}");
}

#[test]
fn a_cgeist_that_prints_the_generic_form_needs_no_help() {
    let recorded = folder().join("globalOOb.immediate.mlir");
    let place = Place::new("globalOOb", &format!("cat '{}'", recorded.display()), None);
    let report = place.check("cgeist").report();
    let [f] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    // The recorded positions are of `globalOOb.cu`.
    assert_eq!((f.access.position.line, f.access.kernel.as_str()), (6, "k(int*)"));
}

/// What a script does, and what is said of it.
const MISBEHAVIOUR: &[(&str, &str)] = &[
    (
        "echo 'a.cu:1:1: error: no such luck' >&2; echo more >&2; exit 1",
        "cgeist failed (exit status 1): a.cu:1:1: error: no such luck",
    ),
    ("kill -SEGV $$", "cgeist failed (signal 11)"),
    ("exec sleep 600", "cgeist took too long (limits.tu_seconds)"),
    ("sleep 600 & sleep 600", "cgeist took too long (limits.tu_seconds)"),
    ("echo '\"builtin.module\"(' ; head -c 100000 /dev/urandom", "cgeist's output cannot be read: line 2, column "),
    ("echo '\"builtin.module\"() ({'; yes '%x = \"a.b\"() : () -> i32'", "cgeist printed more than 128 MiB"),
    (
        "echo '\"builtin.module\"() ({ \"func.func\"() <{sym_name = \"f\"}> ({ \"cf.br\"()[^bb7] : () -> () }) : () -> () }) : () -> ()'",
        "there is no block of this name here",
    ),
    ("echo 'module {}'", "cgeist prints MLIR in its custom form, and `polygeist-opt`"),
    (":", "cgeist prints MLIR in its custom form, and `polygeist-opt`"),
];

#[test]
fn a_bad_cgeist_costs_one_line() {
    for (body, said) in MISBEHAVIOUR {
        let place = Place::new("globalOOb", body, None);
        // One that sleeps is ended after ten seconds.
        std::fs::write(place.path("scuba.toml"), "[limits]\ntu_seconds = 1\n").unwrap();
        let start = Instant::now();
        let alone = place.check("cgeist");
        assert!(start.elapsed() < Duration::from_secs(20), "{body}: {:?}", start.elapsed());
        let report = alone.report();
        assert_eq!(report.findings, [], "{body}");
        // One reason, for each side of the unit.
        assert_eq!(report.not_analysed.len(), 2, "{body}: {:?}", report.not_analysed);
        for n in &report.not_analysed {
            assert!(
                n.reason.contains(said) && !n.reason.contains('\n') && n.reason.len() < 500,
                "{body}: {}",
                n.reason
            );
        }
        assert_eq!(alone.err.lines().count(), 1, "{body}: {}", alone.err);
    }
}

/// What a script in the place of polygeist-opt does, and what is said of it.
const OPT_MISBEHAVIOUR: &[(&str, &str)] = &[
    ("exit 3", "polygeist-opt failed (exit status 3)"),
    ("kill -ABRT $$", "polygeist-opt failed (signal 6)"),
    ("cat > /dev/null; exec sleep 600", "polygeist-opt took too long (limits.tu_seconds)"),
    (
        "cat > /dev/null; echo rubbish",
        "cgeist's output cannot be read: line 1, column 1: expected an operation in generic form",
    ),
    ("cat > /dev/null; exec yes", "polygeist-opt printed more than 128 MiB"),
    ("head -c 3000000 /dev/zero | tr '\\0' e >&2; exit 1", "polygeist-opt failed (exit status 1): eeee"),
];

#[test]
fn a_bad_polygeist_opt_costs_one_line() {
    for (body, said) in OPT_MISBEHAVIOUR {
        let place = Place::replaying("globalOOb", "globalOOb.stock.generic.mlir");
        place.script("polygeist-opt", &format!("#!/bin/sh\n{body}\n"));
        std::fs::write(place.path("scuba.toml"), "[limits]\ntu_seconds = 1\n").unwrap();
        let alone = place.check("cgeist");
        let report = alone.report();
        assert_eq!(
            (report.findings.len(), report.not_analysed.len(), alone.err.lines().count()),
            (0, 2, 1),
            "{body}: {}",
            alone.err
        );
        for n in &report.not_analysed {
            assert!(
                n.reason.contains(said) && !n.reason.contains('\n') && n.reason.len() < 500,
                "{body}: {}",
                n.reason
            );
        }
    }
}

#[test]
fn one_that_hangs_whatever_it_is_asked_is_one_line() {
    let place = Place::new("globalOOb", ":", None);
    place.script("cgeist", "#!/bin/sh\nexec sleep 600\n");
    std::fs::write(place.path("scuba.toml"), "[limits]\ntu_seconds = 2\n").unwrap();
    let start = Instant::now();
    let report = place.check("cgeist").report();
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    assert_eq!(report.not_analysed.len(), 2);
    assert!(report.not_analysed[0].reason.contains("cgeist took too long"), "{}", report.not_analysed[0].reason);
}

#[test]
fn in_a_build_a_bad_cgeist_is_one_line_or_none() {
    let place = Place::new("globalOk", "echo 'a.cu:1:1: error: no such luck' >&2; exit 1", None);
    for (kind, lines) in [("cgeist", 1), ("auto", 0)] {
        std::fs::write(place.path("scuba.toml"), format!("[frontend]\nkind = \"{kind}\"\n")).unwrap();
        let said = place.run(assert_cmd::cargo::cargo_bin!("scuba-nvcc"), &["-c", "a.cu", "-o", "a.o"]);
        assert_eq!(
            (said.status, said.out.as_str(), said.err.lines().count()),
            (Some(0), "", lines),
            "{kind}: {}",
            said.err
        );
        // Build tools look for these words.
        assert!(!said.err.contains("error") && !said.err.contains("warning"), "{}", said.err);
        assert!(lines == 0 || said.err.contains("no such luck"), "{}", said.err);
        std::fs::remove_file(place.path("a.o")).unwrap();
    }
    std::fs::remove_file(place.path("cgeist")).unwrap();
    for (kind, lines) in [("cgeist", 1), ("auto", 0)] {
        std::fs::write(place.path("scuba.toml"), format!("[frontend]\nkind = \"{kind}\"\n")).unwrap();
        let said = place.run(assert_cmd::cargo::cargo_bin!("scuba-nvcc"), &["-c", "a.cu", "-o", "a.o"]);
        assert_eq!(
            (said.status, said.err.lines().count(), place.path("a.o").is_file()),
            (Some(0), lines, true),
            "{kind}: {}",
            said.err
        );
    }
}

#[test]
fn beside_clang_a_bad_cgeist_changes_nothing() {
    for (body, said) in MISBEHAVIOUR.iter().filter(|(b, _)| !b.contains("yes")) {
        let place = Place::new("globalOOb", body, None);
        std::fs::write(place.path("scuba.toml"), "[limits]\ntu_seconds = 4\n").unwrap();
        let both = place.check("auto");
        let report = both.report();
        assert_eq!(
            (both.status, both.err.as_str(), report.findings.len(), report.not_analysed.len()),
            (Some(1), "", 1, 0),
            "{body}"
        );
        assert_eq!(
            (report.findings[0].verdict, report.findings[0].access.position.line),
            (Verdict::Proved, 6),
            "{body}"
        );
        assert!(report.tool.frontend.starts_with("clang 22"), "{}", report.tool.frontend);
        let told = place.scuba(&["check", "-v", "a.cu"]);
        assert_eq!(
            told.err.lines().filter(|l| l.contains("no second reading: ") && l.contains(said)).count(),
            1,
            "{body}: {}",
            told.err
        );
    }
}

#[test]
fn beside_clang_its_output_may_take_all_memory_and_time() {
    // Well formed, and far more than can be read in a third of the time, or kept in so little memory.
    let place = Place::new(
        "globalOOb",
        "echo '\"builtin.module\"() ({'; yes '\"a.b\"() {x = [1, 2, 3]} : () -> ()' | head -n 3000000; echo '}) : () -> ()'",
        None,
    );
    std::fs::write(place.path("scuba.toml"), "[limits]\ntu_seconds = 12\nmemory = \"1GiB\"\n").unwrap();
    let start = Instant::now();
    let said = place.scuba(&["check", "-v", "a.cu"]);
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    assert_eq!(
        (said.status, said.err.lines().filter(|l| l.contains("no second reading: ")).count()),
        (Some(1), 1),
        "{}",
        said.err
    );
    assert!(said.err.contains("write past the end of `a`"), "{}", said.err);
}

#[test]
fn disagreements_are_told_and_decide_nothing() {
    // clang reads the bad program, the script replays its good twin.
    let place = Place::replaying("globalOOb", "globalOk.stock.generic.mlir");
    let said = place.scuba(&["check", "-v", "a.cu"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(
        said.err.contains("`a` in `k(int*)` is out of bounds as clang reads it, in bounds as cgeist 17.0.6 does"),
        "{}",
        said.err
    );
    // And the other way round.
    let place = Place::replaying("globalOk", "globalOOb.stock.generic.mlir");
    let said = place.scuba(&["check", "-v", "a.cu"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(
        said.err.contains("`a` in `k(int*)` is in bounds as clang reads it, out of bounds as cgeist 17.0.6 does"),
        "{}",
        said.err
    );
    let report = place.check("auto").report();
    assert_eq!((report.findings.len(), report.summary.safe), (0, 1));
    let second = report.second_reading.unwrap();
    assert_eq!((second.frontend.as_str(), second.compared, second.different), ("cgeist 17.0.6", 1, 1));
    let [told] = second.list.as_slice() else { panic!("{:?}", second.list) };
    assert_eq!((told.position.file.as_str(), told.position.line, told.array.as_str()), ("a.cu", 6, "a"));
    assert_eq!(
        (told.first, told.second, &told.known),
        (Some(ReadingVerdict::Safe), Some(ReadingVerdict::Found), &None)
    );
    // What cgeist is known to read otherwise is no news.
    let text = std::fs::read_to_string(place.path("a.cu")).unwrap();
    std::fs::write(place.path("a.cu"), format!("{text}\nvoid f(int n) {{ if (n < 0) throw n; }}\n")).unwrap();
    let said = place.scuba(&["check", "-v", "a.cu"]);
    let known = "out of bounds as cgeist 17.0.6 does; a known misreading may be why: cgeist drops exceptions";
    assert!(said.err.contains(known), "{}", said.err);
    // Agreement is a line with `-v`, and nothing without.
    let place = Place::replaying("saxpy", "saxpy.stock.generic.mlir");
    let said = place.scuba(&["check", "-v", "a.cu"]);
    assert!(said.err.contains("cgeist 17.0.6 reads it as clang does"), "{}", said.err);
    assert!(!place.scuba(&["check", "a.cu"]).err.contains("cgeist"));
}

#[test]
fn a_place_that_one_reading_leaves_open_is_no_agreement() {
    // Unmodified cgeist does not say how large dynamic shared memory is.
    let place = Place::replaying("dynamicSharedOOb", "dynamicSharedOOb.stock.generic.mlir");
    let said = place.scuba(&["check", "-v", "a.cu"]);
    assert!(said.err.contains("cgeist 17.0.6 beside clang: ") && said.err.contains("undecided in one"), "{}", said.err);
    assert!(said.err.contains("`s` in `k(int*)` is out of bounds as clang reads it, undecided as"), "{}", said.err);
    assert!(!said.err.contains("reads it as clang does"), "{}", said.err);
    let second = place.check("auto").report().second_reading.unwrap();
    assert_eq!((second.different, second.open_on_one_side > 0), (0, true), "{second:?}");
    // Where cgeist fails there is none.
    place.script("polygeist-opt", "#!/bin/sh\nexit 3\n");
    assert_eq!(place.check("auto").report().second_reading, None);
}

/// A kernel that writes to the tenth element and so many on.
fn behind_the_tenth(subscript: &str) -> String {
    mixed::text(
        "Pii",
        &format!(
            r#"
    %one = "arith.constant"() <{{value = 1 : i32}}> : () -> i32
    %ten = "arith.constant"() <{{value = 10 : index}}> : () -> index
    %q = "polygeist.subindex"(%p, %ten) : (memref<?xi32>, index) -> memref<?xi32>
    %less = "arith.subi"(%t32, %one) : (i32, i32) -> i32
    %i = "arith.index_cast"({subscript}) : (i32) -> index
    "memref.store"(%v, %q, %i) : (i32, memref<?xi32>, index) -> ()"#
        ),
    )
}

#[test]
fn subscripts_that_may_be_unsigned_are_in_bounds_only_where_both_readings_are() {
    let of = |subscript: &str| {
        let place = Place::new("globalOk", "cat module.mlir", None);
        std::fs::write(place.path("module.mlir"), behind_the_tenth(subscript)).unwrap();
        place.check("cgeist").report()
    };
    let plain = of("%t32");
    assert_eq!((plain.summary.safe, plain.summary.accesses, plain.findings.len()), (1, 1, 0));
    // `q[threadIdx.x - 1]`: to the compiler 4294967295 for the first thread, to cgeist -1.
    let below = of("%less");
    assert_eq!((below.summary.safe, below.summary.unknown, below.findings.len()), (0, 1, 0), "{:?}", below.undecided);
    assert!(below.undecided[0].reason.contains("cgeist sign-extends every subscript"), "{:?}", below.undecided);
}

#[test]
fn sizes_are_unsigned_where_cgeist_is_alone() {
    let report = Place::replaying("sizes", "sizes.stock-16.0.6.generic.mlir").check("cgeist").report();
    let s = &report.summary;
    assert_eq!((s.safe, s.accesses, report.findings.len()), (1, 1, 0), "{:?}", report.undecided);
}

/// A kernel that writes to the element of half of a number.
fn half_of(number: &str) -> String {
    mixed::text(
        "Pii",
        &format!(
            r#"
    %one = "arith.constant"() <{{value = 1 : i32}}> : () -> i32
    %two = "arith.constant"() <{{value = 2 : i32}}> : () -> i32
    %less = "arith.subi"(%t32, %one) : (i32, i32) -> i32
    %half = "arith.divsi"({number}, %two) : (i32, i32) -> i32
    %i = "arith.index_cast"(%half) : (i32) -> index
    "memref.store"(%v, %p, %i) : (i32, memref<?xi32>, index) -> ()"#
        ),
    )
}

#[test]
fn what_may_be_unsigned_is_in_bounds_only_where_it_is_both_ways() {
    let of = |number: &str, ty: &str| {
        let place = Place::new("globalOk", "cat module.mlir", None);
        let source =
            format!("#include <cstdint>\n__global__ void k(int *p, int n) {{ {ty} t = threadIdx.x; p[t / 2] = 7; }}\n");
        std::fs::write(place.path("a.cu"), source).unwrap();
        std::fs::write(place.path("module.mlir"), half_of(number)).unwrap();
        place.check("cgeist").report()
    };
    for ty in ["int", "uint32_t"] {
        let report = of("%t32", ty);
        assert_eq!((report.summary.safe, report.findings.len()), (1, 0), "{ty}: {:?}", report.undecided);
    }
    // Half of -1 is 0, and half of 4294967295 is 2147483647.
    let signed = of("%less", "int");
    assert_eq!((signed.summary.safe, signed.findings.len()), (1, 0), "{:?}", signed.undecided);
    let open = of("%less", "uint32_t").summary;
    assert_eq!((open.safe, open.proved, open.possible + open.unknown), (0, 0, 1), "{open:?}");
}

#[test]
fn a_module_that_mlir_refuses_proves_nothing() {
    // It is printed in generic form though nobody asked for that.
    let place = Place::new("globalOk", "cat module.mlir", Some("globalOk.stock.generic.mlir"));
    std::fs::write(place.path("module.mlir"), half_of("%t32")).unwrap();
    let report = place.check("cgeist").report();
    assert_eq!(report.summary.safe, 1, "{:?}", report.undecided);
    place.script(
        "polygeist-opt",
        "#!/bin/sh\ncat > /dev/null\necho '<stdin>:3:5: error: operand #0 does not dominate this use' >&2\nexit 1\n",
    );
    let report = place.check("cgeist").report();
    assert_eq!((report.summary.safe, report.summary.unknown), (0, 1), "{:?}", report.undecided);
    assert!(report.undecided[0].reason.contains("MLIR's own verifier refuses"), "{:?}", report.undecided);
}

#[test]
fn doubtful_readings_prove_nothing() {
    // What cgeist drops might have kept the bad input out.
    let place = Place::replaying("globalOOb", "globalOOb.stock.generic.mlir");
    let text = std::fs::read_to_string(place.path("a.cu")).unwrap();
    std::fs::write(place.path("a.cu"), format!("{text}\nvoid f(int n) {{ if (n < 0) throw n; }}\n")).unwrap();
    let said = place.check("cgeist");
    let report = said.report();
    assert_eq!((said.status, report.findings[0].verdict), (Some(0), Verdict::Possible));
    assert!(
        report.findings[0].assumptions.iter().any(|a| a.contains("cgeist drops exceptions")),
        "{:?}",
        report.findings[0].assumptions
    );

    let place = Place::replaying("globalOk", "globalOk.stock.generic.mlir");
    let text = std::fs::read_to_string(place.path("a.cu")).unwrap();
    std::fs::write(place.path("a.cu"), format!("{text}\nstruct S {{ int a : 3; }};\n")).unwrap();
    let report = place.check("cgeist").report();
    let s = &report.summary;
    assert_eq!((s.safe, s.unknown, s.accesses), (0, 1, 1));
    assert!(report.undecided[0].reason.contains("bit-fields"), "{:?}", report.undecided);
}

#[test]
fn a_missing_cgeist_is_one_line() {
    let place = Place::new("globalOOb", ":", None);
    std::fs::remove_file(place.path("cgeist")).unwrap();
    let said = place.check("cgeist");
    assert_eq!((said.status, said.err.lines().count()), (Some(2), 1), "{}", said.err);
    assert!(said.err.contains("was not found; name it by SCUBA_CGEIST or `[frontend] cgeist`"), "{}", said.err);
    let said = place.check("auto");
    assert_eq!((said.status, said.report().findings.len(), said.err.as_str()), (Some(1), 1, ""));
}

/// What a script prints that reads the small program of `scuba doctor`.
fn probed() -> String {
    mixed::text("Pii", r#""memref.store"(%v, %p, %t) : (i32, memref<?xi32>, index) -> ()"#)
        .replace("_Z1kPii", "_Z11scuba_probePii")
        .replace("_Z16__device_stub__kPii", "_Z26__device_stub__scuba_probePii")
}

/// What the line of `scuba doctor` about cgeist says.
fn doctor(p: &Place) -> String {
    p.scuba(&["doctor"]).out.lines().find(|l| l.starts_with("cgeist")).unwrap().to_owned()
}

#[test]
fn doctor_says_what_cgeist_can_do() {
    let place = Place::new("globalOk", "echo 'module {'; echo '}'", Some("globalOk.stock.generic.mlir"));
    // It starts, and what it prints is not the program that it was given.
    let said = doctor(&place);
    assert!(said.contains("MISSING") && said.contains("its kernel is not in what was printed"), "{said}");
    std::fs::write(place.path("probe.mlir"), probed()).unwrap();
    let replay = format!("#!/bin/sh\ncat > /dev/null\ncat '{}'\n", place.path("probe.mlir").display());
    place.script("polygeist-opt", &replay);
    let said = doctor(&place);
    assert!(
        said.contains(" ok ") && said.contains("cgeist 17.0.6; generic form by ") && said.contains("polygeist-opt"),
        "{said}"
    );
    let place = Place::new("globalOk", ":", None);
    assert!(doctor(&place).contains("MISSING") && doctor(&place).contains("polygeist-opt"), "{}", doctor(&place));
    std::fs::remove_file(place.path("cgeist")).unwrap();
    assert!(doctor(&place).contains("was not found"), "{}", doctor(&place));
}

/// As a real one with the headers of nvcc 13; with those of a folder that is named, it reads.
const NEEDS_OLD_HEADERS: &str = r#"for a in "$@"; do case "$a" in --cuda-path=*) root="${a#--cuda-path=}";; esac; done
if [ -f "$root/include/texture_fetch_functions.h" ]; then cat module.mlir; exit 0; fi
echo "/c/include/__clang_cuda_runtime_wrapper.h:359:10: fatal error: 'texture_fetch_functions.h' file not found" >&2; exit 1"#;

/// What NVIDIA's wheels install, as far as clang asks for it.
const WHEELS: [&str; 7] = [
    "cuda_runtime/include/cuda.h",
    "cuda_runtime/include/cuda_runtime.h",
    "cuda_runtime/include/texture_fetch_functions.h",
    "cuda_nvcc/include/crt/host_defines.h",
    "curand/include/curand_mtgp32_kernel.h",
    "cuda_cccl/include/nv/target",
    "cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
];

#[test]
fn cgeist_reads_the_headers_that_are_named_for_it() {
    let place = Place::new("globalOOb", NEEDS_OLD_HEADERS, None);
    std::fs::copy(folder().join("globalOOb.immediate.mlir"), place.path("module.mlir")).unwrap();
    // With nvcc's own nothing is read: one line says which headers are missing, in the log beside clang.
    let why =
        "'texture_fetch_functions.h' file not found; these are headers of CUDA 13.5: name a toolkit up to CUDA 12.1";
    let alone = place.check("cgeist").report();
    assert!(alone.not_analysed[0].reason.contains(why), "{}", alone.not_analysed[0].reason);
    let both = place.scuba(&["check", "-v", "a.cu"]);
    assert_eq!(
        both.err.lines().filter(|l| l.contains("no second reading") && l.contains(why)).count(),
        1,
        "{}",
        both.err
    );
    let said = doctor(&place);
    assert!(
        said.contains("MISSING") && said.contains(why) && said.contains("nvidia-cuda-runtime-cu12==12.1"),
        "{said}"
    );

    // Wheels are several folders; what is missing of them is named.
    let settings = "[frontend]\ncgeist_cuda = \"wheels/nvidia\"\n";
    std::fs::write(place.path("scuba.toml"), settings).unwrap();
    let refused = |said: &Said| said.report().not_analysed[0].reason.clone();
    let first = refused(&place.check("cgeist"));
    assert!(first.contains("wheels/nvidia is not a folder; name a toolkit up to CUDA 12.1"), "{first}");
    for (i, file) in WHEELS.iter().enumerate() {
        let path = place.path("wheels/nvidia").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#define CUDA_VERSION 12010\n").unwrap();
        if i == 1 {
            let lacks = refused(&place.check("cgeist"));
            assert!(
                lacks.contains("lacks include/texture_fetch_functions.h, of the wheel nvidia-cuda-runtime-cu12"),
                "{lacks}"
            );
        }
    }
    let report = place.check("cgeist").report();
    assert_eq!((report.findings.len(), report.not_analysed.len()), (1, 0), "{:?}", report.not_analysed);
    // Headers of the toolkit that a command names would hide them.
    let nvcc = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/include");
    let include = format!("-I{}", nvcc.display());
    let said = place.scuba(&["check", "--frontend", "cgeist", "a.cu", "--", &include, "-Iown"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    let last = place.log().pop().unwrap();
    assert!(!last.contains(&include) && last.contains("/own"), "{last}");
}

#[test]
fn memory_is_limited() {
    // `tail` keeps a line until it ends.
    let place = Place::new("globalOOb", "head -c 3000000000 /dev/zero | tail -n 1", None);
    std::fs::write(place.path("scuba.toml"), "[limits]\nmemory = \"1GiB\"\ntu_seconds = 30\n").unwrap();
    let report = place.check("cgeist").report();
    assert_eq!((report.findings.len(), report.not_analysed.len()), (0, 2));
    let why = &report.not_analysed[0].reason;
    assert!(why.starts_with("cgeist failed (") && why.contains("memory"), "{why}");
}
