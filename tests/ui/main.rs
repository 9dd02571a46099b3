//! Small CUDA programs with exactly the findings they must have.
//!
//! A line says what is wrong with it: `a[i] = 0; //~ oob-global proved`; several findings stand behind several `//~`.
//! `//~^` speaks of the line above. Headers: `//@ flags: -DN=4` gives nvcc's flags, `//@ with: other.cu` names sources of
//! the same program, `//@ options: -D all` options of `scuba check`, `//@ snapshot` compares the text that users see too,
//! `//@ decided` demands a verdict on every access and at least one launch, `//@ undecided: 2` that so many have none,
//! `//@ undecided-most: 2` that no more have none: what takes long may be decided or not.
//!
//! A finding that is missing, one too many, or one with another verdict fails the test. `SCUBA_UI=part-of-a-name` runs
//! some programs only.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use scuba::report::finding::{Replay, Report, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each runs a front end and a solver.
const THREADS: usize = 2;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|e| e == "cu") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// How many findings of one line, rule and verdict.
type Findings = BTreeMap<(String, u32, String, String), usize>;

/// What a program says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    flags: Vec<String>,
    with: Vec<String>,
    options: Vec<String>,
    snapshot: bool,
    decided: bool,
    undecided: Option<usize>,
    undecided_most: Option<usize>,
}

fn read_header(text: &str) -> Header {
    let mut header = Header::default();
    for line in text.lines().filter_map(|l| l.strip_prefix("//@")) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let words = || shlex::split(value).unwrap();
        match key.trim() {
            "flags" => header.flags.extend(words()),
            "with" => header.with.extend(words()),
            "options" => header.options.extend(words()),
            "snapshot" => header.snapshot = true,
            "decided" => header.decided = true,
            "undecided" => header.undecided = Some(value.trim().parse().unwrap()),
            "undecided-most" => header.undecided_most = Some(value.trim().parse().unwrap()),
            other => panic!("unknown header `{other}`"),
        }
    }
    header
}

fn read_expectations(file: &str, text: &str, into: &mut Findings) {
    for (index, line) in text.lines().enumerate() {
        for expectation in line.split("//~").skip(1) {
            let above = expectation.chars().take_while(|c| *c == '^').count();
            let mut words = expectation[above..].split_whitespace();
            let (Some(rule), Some(verdict)) = (words.next(), words.next()) else {
                panic!("{file}:{}: `//~ RULE VERDICT`", index + 1)
            };
            let at = u32::try_from(index + 1 - above).unwrap();
            *into.entry((file.to_owned(), at, rule.to_owned(), verdict.to_owned())).or_default() += 1;
        }
    }
}

fn found(report: &Report) -> Findings {
    let mut all = Findings::new();
    for f in &report.findings {
        let verdict = match f.verdict {
            Verdict::Proved => "proved",
            Verdict::Possible => "possible",
        };
        let verdict = if f.degenerate { format!("degenerate-{verdict}") } else { verdict.to_owned() };
        let p = &f.access.position;
        let file = Path::new(&p.file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        *all.entry((file, p.line, f.rule.name().to_owned(), verdict)).or_default() += 1;
    }
    all
}

/// One line for each difference.
fn differences(expected: &Findings, found: &Findings) -> String {
    let mut text = String::new();
    for key in expected.keys().chain(found.keys().filter(|k| !expected.contains_key(k))) {
        let (wanted, there) = (expected.get(key).copied().unwrap_or(0), found.get(key).copied().unwrap_or(0));
        let (file, line, rule, verdict) = key;
        if wanted != there {
            let _ = writeln!(text, "  {file}:{line}: {rule} {verdict}: expected {wanted}, found {there}");
        }
    }
    text
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
    // What a busy machine once left open is not to be remembered.
    command.current_dir(directory).env("SCUBA_NVCC", nvcc).env("SCUBA_CACHE", "off").stdin(Stdio::null());
    command.args(["check", "-j", "1", "--color", "never", "--message-format", format]).args(&header.options);
    command.arg(program.file_name().unwrap()).args(&header.with).arg("--").args(&header.flags);
    command.output().unwrap()
}

/// What is wrong with the findings of one program; nothing where all is well.
fn problems(program: &Path) -> String {
    let text = std::fs::read_to_string(program).unwrap();
    let header = read_header(&text);
    let name = program.file_name().unwrap().to_string_lossy().into_owned();
    let mut expected = Findings::new();
    read_expectations(&name, &text, &mut expected);
    for other in &header.with {
        read_expectations(other, &std::fs::read_to_string(program.with_file_name(other)).unwrap(), &mut expected);
    }
    let output = scuba(program, &header, "json");
    let Ok(report) = serde_json::from_slice::<Report>(&output.stdout) else {
        return format!("  no report ({}): {}\n", output.status, String::from_utf8_lossy(&output.stderr));
    };
    let mut text = differences(&expected, &found(&report));
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

#[test]
fn programs_have_exactly_the_findings_they_say() {
    let filter = std::env::var("SCUBA_UI").unwrap_or_default();
    let all: Vec<PathBuf> = programs(&folder())
        .into_iter()
        .filter(|p| p.to_string_lossy().contains(&filter))
        // Named by another program's `//@ with:`.
        .filter(|p| !p.file_stem().unwrap().to_string_lossy().starts_with("part_"))
        .collect();
    assert!(!all.is_empty(), "no program matches SCUBA_UI={filter}");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(program) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems = problems(program);
                    if !problems.is_empty() {
                        failures.lock().unwrap().insert(program, problems);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    let text: String =
        failures.iter().map(|(p, why)| format!("{}:\n{why}", p.strip_prefix(folder()).unwrap().display())).collect();
    assert!(text.is_empty(), "{} of {} programs:\n{text}", failures.len(), all.len());

    for program in &all {
        let header = read_header(&std::fs::read_to_string(program).unwrap());
        if !header.snapshot {
            continue;
        }
        let output = scuba(program, &header, "human");
        let text = String::from_utf8(output.stderr).unwrap();
        // Without the time it took.
        let text = text.rsplit_once(" (").map_or(text.clone(), |(before, _)| before.to_owned());
        let name = program.strip_prefix(folder()).unwrap().with_extension("").to_string_lossy().replace('/', "__");
        insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, text);
        });
    }
}

#[test]
fn a_missing_an_extra_and_a_changed_finding_are_differences() {
    let mut expected = Findings::new();
    read_expectations(
        "a.cu",
        "x;\na[i] = b[i]; //~ oob-global proved //~ oob-global proved\n//~^ oob-shared possible\n",
        &mut expected,
    );
    let key = |line, rule: &str, verdict: &str| ("a.cu".to_owned(), line, rule.to_owned(), verdict.to_owned());
    let exact = Findings::from([(key(2, "oob-global", "proved"), 2), (key(2, "oob-shared", "possible"), 1)]);
    assert_eq!(expected, exact);
    assert_eq!(differences(&expected, &exact), "");
    for (change, line) in [
        (
            Findings::from([(key(2, "oob-global", "proved"), 1), (key(2, "oob-shared", "possible"), 1)]),
            "oob-global proved: expected 2, found 1",
        ),
        (Findings::from([(key(2, "oob-global", "proved"), 2)]), "oob-shared possible: expected 1, found 0"),
        (
            Findings::from([(key(2, "oob-global", "proved"), 2), (key(2, "oob-shared", "proved"), 1)]),
            "oob-shared proved: expected 0, found 1",
        ),
        (
            Findings::from([(key(3, "oob-global", "proved"), 2), (key(2, "oob-shared", "possible"), 1)]),
            "3: oob-global proved: expected 0, found 2",
        ),
    ] {
        assert!(differences(&expected, &change).contains(line), "{line}");
    }
}

#[test]
fn headers_are_read() {
    let h = read_header("//@ flags: -DN=\"4 2\" -O2\n//@ with: part_b.cu\n//@ snapshot\nint x; //@ flags: no\n");
    assert_eq!(
        h,
        Header {
            flags: vec!["-DN=4 2".into(), "-O2".into()],
            with: vec!["part_b.cu".into()],
            options: vec![],
            snapshot: true,
            decided: false,
            undecided: None,
            undecided_most: None
        }
    );
}
