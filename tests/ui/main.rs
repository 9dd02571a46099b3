//! Small CUDA programs with exactly the findings they must have. Each is a test of its own, named by its path: `cargo test --test ui --
//! oob-global/row_starts` runs one, `-- clean/guarded,clean/tiles` those two, `-- clean/` a folder, `-- '[quick]'` a small part of
//! all. README.md says what each folder covers.
//!
//! A line says what is wrong with it: `a[i] = 0; //~ oob-global proved`; several findings stand behind several `//~`.
//! `//~^` speaks of the line above. Headers: `//@ flags: -DN=4` gives nvcc's flags, `//@ with: other.cu` names sources of
//! the same program, `//@ options: -D all` options of `scuba check`, `//@ snapshot` compares the text that users see too,
//! `//@ decided` demands a verdict on every access and at least one launch, `//@ undecided: 2` that so many have none,
//! `//@ undecided-most: 2` that no more have none: what takes long may be decided or not.
//!
//! Each access that nvcc's own code has must be counted too: accesses.rs.
//!
//! A finding that is missing, one too many, or one with another verdict fails the test. `SCUBA_BLESS=1 cargo test --test ui -- NAME`
//! writes what was found into the programs: the `//~`, the number of `//@ undecided`, and snapshots; read the difference before
//! it is committed. What it cannot change (`//@ decided`, a proved finding without a replay, ...) still fails.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod accesses;
#[path = "../support/cache.rs"]
mod cache;
mod expectations;

use expectations::{Findings, Header};
use libtest_mimic::{Arguments, Failed, Trial};
use scuba::finding::{Replay, Report, Verdict};
use scuba::rules::Rule;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Mutex;

/// What `make test-quick` runs: of each folder what takes little and covers most.
const QUICK: &[&str] = &[
    "clean/data_filled",
    "clean/grid_stride",
    "clean/guarded",
    "clean/structure_parameter",
    "clean/two_buffers",
    "double-free/straight",
    "intra-allocation/chained",
    "invalid-pointer/null",
    "memcpy-out-of-bounds/sides",
    "memory-spaces/dynamic_shared_ok",
    "memory-spaces/dynamic_shared_oob",
    "memory-spaces/local_oob",
    "misaligned/rows",
    "oob-global/missing_guard",
    "oob-global/off_by_one",
    "oob-shared/neighbour",
    "report/two_units",
    "undecided/captured",
    "use-after-free/launch",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn blessing() -> bool {
    std::env::var_os("SCUBA_BLESS").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Paths of all `.cu` below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "cu") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The programs: what no other one names by `//@ with:`.
fn programs() -> Vec<PathBuf> {
    let all = sources(&folder());
    let parts: BTreeSet<PathBuf> = all
        .iter()
        .flat_map(|p| {
            let header = expectations::read_header(&std::fs::read_to_string(p).unwrap());
            header.with.iter().map(|w| p.with_file_name(w)).collect::<Vec<_>>()
        })
        .collect();
    all.into_iter().filter(|p| !parts.contains(p)).collect()
}

/// `folder/program`.
fn name(program: &Path) -> String {
    program.strip_prefix(folder()).unwrap().with_extension("").to_string_lossy().into_owned()
}

fn scuba(program: &Path, header: &Header, format: &str) -> Output {
    let nvcc = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SCUBA_") {
            command.env_remove(name);
        }
    }
    let directory = program.parent().unwrap();
    command.current_dir(directory).env("SCUBA_NVCC", nvcc).env("SCUBA_CACHE", cache::fresh()).stdin(Stdio::null());
    command.args(["check", "-j", "1", "--color", "never", "--message-format", format]).args(&header.options);
    if format == "json" {
        command.args(["--dump", "accesses"]);
    }
    command.arg(program.file_name().unwrap()).args(&header.with).arg("--").args(&header.flags);
    command.output().unwrap()
}

/// The program and what it names: file names and texts.
fn texts(program: &Path, header: &Header) -> Vec<(String, String)> {
    let name = program.file_name().unwrap().to_string_lossy().into_owned();
    std::iter::once(name)
        .chain(header.with.iter().cloned())
        .map(|name| {
            let text = std::fs::read_to_string(program.with_file_name(&name)).unwrap();
            (name, text)
        })
        .collect()
}

/// The headers beside the program that these sources include: file names and texts.
fn headers(program: &Path, sources: &[(String, String)]) -> Vec<(String, String)> {
    let included: BTreeSet<&str> =
        sources.iter().flat_map(|(_, text)| text.lines()).filter_map(expectations::included).collect();
    included
        .into_iter()
        .filter(|name| !sources.iter().any(|(source, _)| source == name))
        .filter_map(|name| Some((name.to_owned(), std::fs::read_to_string(program.with_file_name(name)).ok()?)))
        .collect()
}

/// Writes what was found into the program and the sources that it names.
fn bless(program: &Path, header: &Header, found: &Findings, report: &Report) {
    /// Two programs may name the same source.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap();
    let sources = texts(program, header);
    let headers = headers(program, &sources);
    for (name, text) in sources.into_iter().chain(headers) {
        let mut blessed = expectations::bless_findings(&name, &text, found);
        if program.ends_with(&name) {
            blessed = expectations::bless_undecided(&blessed, report.undecided.len());
        }
        if blessed != text {
            std::fs::write(program.with_file_name(name), blessed).unwrap();
        }
    }
}

/// What is wrong with the findings of one program; nothing where all is well.
fn problems(program: &Path) -> String {
    let mut header = expectations::read_header(&std::fs::read_to_string(program).unwrap());
    let output = scuba(program, &header, "json");
    let Ok(report) = serde_json::from_slice::<Report>(&output.stdout) else {
        return format!("  no report ({}): {}\n", output.status, String::from_utf8_lossy(&output.stderr));
    };
    let found = expectations::found(&report);
    if blessing() {
        bless(program, &header, &found, &report);
        header = expectations::read_header(&std::fs::read_to_string(program).unwrap());
    }
    let mut expected = Findings::new();
    let sources = texts(program, &header);
    for (name, text) in sources.iter().chain(&headers(program, &sources)) {
        expectations::read_expectations(name, text, &mut expected);
    }
    let mut text = expectations::differences(&expected, &found);
    let recorded = format!("tests/ui/{}.cu", name(program));
    text.push_str(&accesses::differences(&recorded, &header, &sources, &String::from_utf8_lossy(&output.stderr)));
    for n in &report.not_analysed {
        let _ = writeln!(text, "  {} side of {} not analysed: {}", n.side, n.file, n.reason);
    }
    for f in report.findings.iter().filter(|f| f.verdict == Verdict::Proved) {
        if f.witness.as_ref().map(|w| w.replay) != Some(Replay::Reached) {
            let _ =
                writeln!(text, "  line {}: proved without a replay that reached the access", f.access.position.line);
        }
    }
    let s = &report.summary;
    if s.safe + s.safe_if_no_wrap + s.proved + s.possible + s.unknown != s.accesses {
        let _ = writeln!(text, "  the counts do not add up: {s:?}");
    }
    if header.decided {
        if s.launches == 0 {
            text.push_str("  no launch was found\n");
        }
        for u in &report.undecided {
            let _ = writeln!(text, "  line {}: undecided: {}", u.position.line, u.reason);
        }
    }
    if let Some(n) = header.undecided
        && report.undecided.len() != n
    {
        let _ = writeln!(text, "  {} undecided, expected {n}", report.undecided.len());
    }
    if let Some(n) = header.undecided_most
        && report.undecided.len() > n
    {
        let _ = writeln!(text, "  {} undecided, expected {n} at most", report.undecided.len());
    }
    let status = i32::from(report.denied());
    if output.status.code() != Some(status) {
        let _ = writeln!(text, "  exit status {:?}, expected {status}", output.status.code());
    }
    text
}

/// The text that users see, where the program asks for it.
fn compare_text(program: &Path) {
    let header = expectations::read_header(&std::fs::read_to_string(program).unwrap());
    if !header.snapshot {
        return;
    }
    let output = scuba(program, &header, "human");
    let text = String::from_utf8(output.stderr).unwrap();
    // Without the time it took.
    let text = text.rsplit_once(" (").map_or(text.clone(), |(before, _)| before.to_owned());
    let name = name(program).replace('/', "__");
    insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

fn check(program: &Path) -> Result<(), Failed> {
    let problems = problems(program);
    if !problems.is_empty() {
        return Err(format!("{}:\n{problems}", program.display()).into());
    }
    compare_text(program);
    Ok(())
}

/// What holds of the folder as a whole.
const OF_THE_FOLDER: [(&str, fn()); 4] = [
    ("folder::what_is_missing_is_said", accesses::what_is_missing_is_said),
    ("folder::every_snapshot_has_its_program", every_snapshot_has_its_program),
    ("folder::the_quick_programs_are_there", the_quick_programs_are_there),
    ("folder::the_readme_names_every_folder", the_readme_names_every_folder),
];

fn every_snapshot_has_its_program() {
    for entry in std::fs::read_dir(folder().join("snapshots")).unwrap() {
        let snapshot = entry.unwrap().path();
        if snapshot.extension().is_none_or(|e| e != "snap") {
            continue;
        }
        let program = snapshot.file_stem().unwrap().to_string_lossy().replace("__", "/");
        let text = std::fs::read_to_string(folder().join(program).with_extension("cu")).unwrap_or_default();
        assert!(expectations::read_header(&text).snapshot, "{}: no program asks for it", snapshot.display());
    }
}

fn the_quick_programs_are_there() {
    let there: BTreeSet<String> = programs().iter().map(|p| name(p)).collect();
    for quick in QUICK {
        assert!(there.contains(*quick), "{quick} is gone");
    }
}

fn the_readme_names_every_folder() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let named = name.parse::<Rule>().is_ok() || readme.contains(&format!("`{name}/`"));
        assert!(!path.is_dir() || named, "tests/ui/README.md does not name {name}/");
    }
}

/// Keeps the programs of a filter that lists several by name; a name without a program is a mistake.
fn keep_named(arguments: &mut Arguments, trials: &mut Vec<Trial>) {
    let Some(names) = arguments.filter.take_if(|f| f.contains(',')) else { return };
    let names: BTreeSet<&str> = names.split(',').collect();
    trials.retain(|t| names.contains(t.name()));
    let there: BTreeSet<&str> = trials.iter().map(Trial::name).collect();
    assert!(there == names, "no program: {:?}", names.difference(&there));
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Snapshots are written by a run that insta is told to write them in.
    if blessing() && std::env::var_os("INSTA_UPDATE").is_none() {
        let mut again = Command::new(std::env::current_exe().unwrap());
        let status = again.args(std::env::args_os().skip(1)).env("INSTA_UPDATE", "always").status().unwrap();
        return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let mut trials: Vec<Trial> = Vec::new();
    for (name, test) in expectations::TESTS.into_iter().chain(OF_THE_FOLDER) {
        trials.push(Trial::test(name, move || {
            test();
            Ok(())
        }));
    }
    let programs = programs();
    assert!(!programs.is_empty(), "no program in {}", folder().display());
    for program in programs {
        let name = name(&program);
        let quick = QUICK.contains(&name.as_str());
        let trial = Trial::test(name, move || check(&program));
        trials.push(if quick { trial.with_kind("quick") } else { trial });
    }
    keep_named(&mut arguments, &mut trials);
    libtest_mimic::run(&arguments, trials).exit_code()
}
