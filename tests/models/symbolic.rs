//! The engine's verdict on programs that read and change texts of the command line, against what the interpreter does with a pool of texts.

use super::program::Program;
use super::unit::{Unit, alone};
use super::{Rng, TEXTS};
use scuba::check::{CheckOptions, ProgramReport, check_program};
use scuba::finding::Verdict;
use scuba::ir::{Program as Linked, Side};
use scuba::witness::{ConcreteInputs, RunBudget, enumerate};
use std::fmt::Write as _;
use std::sync::Arc;

/// Programs of one translation unit.
const TOGETHER: usize = 40;
/// Symbolic execution descends by calls.
const STACK: usize = 256 << 20;

/// Statements that give `v[N]` a number, of a text T.
const READS: &[&str] = &[
    "vN = atoi(T);",
    "vN = atoi(T);",
    "vN = (int)atol(T);",
    "vN = (int)strtol(T, nullptr, 10);",
    "vN = (int)strtol(T, nullptr, 0);",
    "vN = (int)strtoul(T, nullptr, 10);",
    "vN = (int)strtol(T, nullptr, 16);",
    "sscanf(T, \"%d\", &vN);",
    "if (sscanf(T, \"%d\", &vN) != 1) return 1;",
    "vN = sscanf(T, \"%d\", &v0) + 4;",
    "sscanf(T, \"%i\", &vN);",
    "sscanf(T, \"%u\", (unsigned *)&vN);",
    "sscanf(T, \"%d,%d\", &vN, &v0);",
    "vN = (int)strlen(T);",
    "vN = (int)strlen(T) + 1;",
    "vN = (int)strcspn(T, \",\") + 1;",
    "vN = (int)strspn(T, \"0123456789\") + 1;",
    "vN = (int)strcspn(\"size,4\", \",\");",
    "vN = strcmp(T, \"m\") < 0 ? 3 : 5;",
    "vN = strcmp(\"m\", T) > 0 ? 3 : 5;",
    "vN = strncmp(T, \"size\", 4) == 0 ? 3 : 5;",
    "vN = strncmp(T, \"m\", 9) ? 5 : 3;",
    "vN = strcasecmp(T, \"big\") == 0 ? 7 : 5;",
    "vN = strcmp(T, \"big\") == 0 ? 7 : 5;",
    "vN = T[0] - 48;",
    "vN = T[0] == 'b' ? 7 : 5;",
    "if (strlen(T) > 1) vN = atoi(T + 1);",
    "if (strlen(T) > 1) vN = (int)strlen(T + 1) + 1;",
    "{ char *e; vN = (int)strtol(T, &e, 10); if (*e) return 1; }",
    "{ const char *p = strchr(T, ','); vN = p ? atoi(p + 1) : 5; }",
    "vN = std::stoi(T);",
    "{ std::string s = T; vN = std::stoi(s); }",
    "{ std::string s(T, strlen(T) / 2); vN = atoi(s.c_str()); }",
    "{ std::string s = T, t; t = s; vN = atoi(t.c_str()); }",
    "{ std::string s = T; s = s.substr(s.size() / 2); vN = atoi(s.c_str()); }",
    "{ std::string s = T; vN = s == \"big\" ? 7 : 5; }",
    "{ std::string s = T; if (s != \"m\") return 1; vN = 6; }",
    "{ std::string s = T; if (!s.empty()) s[0] = '7'; vN = atoi(s.c_str()); }",
];

/// Statements that change a text T, or which text is where. U is the other one.
const WRITES: &[&str] = &[
    "if (T[0]) T[0] = '7';",
    "if (strlen(T) > 1) T[1] = 0;",
    "if (strlen(T) > 1) T[strlen(T) - 1] = '8';",
    "strtok(T, \",\");",
    "strtok(T, \",\"); strtok(nullptr, \",\");",
    "if (strlen(T) >= 1) strcpy(T, \"7\");",
    "if (strlen(T) >= strlen(U)) strcpy(T, U);",
    "for (char *p = T; *p; p++) *p = (char)toupper(*p);",
    "for (int i = 1; i < 3; i++) if (argv[i][0] == '1') argv[i][0] = '2';",
    "if (char *p = strchr(T, ',')) *p = 0;",
    "{ char *e; strtol(T, &e, 10); *e = 0; }",
    "argv[1] = argv[2];",
    "if (T[0]) argv[2] = T + 1;",
    "{ char *p = argv[1]; argv[1] = argv[2]; argv[2] = p; }",
    "if (strlen(T) > 1) memcpy(T, \"11\", 2);",
    "if (strlen(T) > 1) memset(T, '3', 2);",
    "if (strlen(T) > 2) T[2] = '4';",
];

fn statement(r: &mut Rng, all: &[&str]) -> String {
    let n = 1 + r.below(3);
    let (t, u) = if r.below(4) == 0 { ("argv[2]", "argv[1]") } else { ("argv[1]", "argv[2]") };
    filled(r.of(all), n, t, u)
}

/// A statement on the variable of this number and these texts.
fn filled(statement: &str, n: usize, t: &str, u: &str) -> String {
    // `T` and `U` stand alone.
    let mut out = String::new();
    let text = statement.replace("vN", &format!("v{n}"));
    let bytes: Vec<char> = text.chars().collect();
    for (i, c) in bytes.iter().enumerate() {
        let beside = |j: Option<usize>| {
            j.and_then(|j| bytes.get(j)).is_some_and(|c| c.is_alphanumeric() || *c == '_' || *c == '"')
        };
        match c {
            'T' | 'U' if !beside(i.checked_sub(1)) && !beside(Some(i + 1)) => {
                out.push_str(if *c == 'T' { t } else { u });
            }
            c => out.push(*c),
        }
    }
    out
}

fn program(seed: u64) -> Program {
    let mut r = Rng::new(seed);
    let mut body: Vec<String> = vec![];
    // Two that may be equal come first or last.
    let twin = r.below(3) == 0;
    let first = statement(&mut r, READS);
    body.push(first.clone());
    for _ in 0..1 + r.below(3) {
        let s = if r.below(2) == 0 { statement(&mut r, WRITES) } else { statement(&mut r, READS) };
        let s = if r.below(5) == 0 { format!("if (v1 > 4) {{ {s} }}") } else { s };
        body.push(s);
    }
    if twin {
        body.push(["v1", "v2", "v3"].iter().fold(first, |s, v| s.replace(v, "v2")));
    } else {
        body.push(statement(&mut r, READS));
    }
    let (n, m) = (["v1", "v2"][r.below(2)], ["v2", "v3", "v1"][r.below(3)]);
    let text = format!(
        "__global__ void @put(int *a, int i) {{ a[i] = 1; }}\nint @main(int argc, char **argv) {{\n  if (argc != 3) return 1;\n  int v0 = 4, v1 = 5, v2 = 5, v3 = 5;\n  {}\n  if ({n} < 1 || {n} > 3000 || {m} < 1 || {m} > 3000 || v0 > 99) return 1;\n\
        \x20 int *a;\n  cudaMalloc(&a, {n} * sizeof(int));\n  @put<<<1, 1>>>(a, {m} - 1);\n  return 0;\n}}\n",
        body.join("\n  ")
    );
    let head = if seed.is_multiple_of(TOGETHER as u64) {
        "#include <cctype>\n#include <cstdio>\n#include <string>\n#include <strings.h>\n"
    } else {
        ""
    };
    Program::new(seed, format!("{head}{text}"))
}

fn check(linked: &Arc<Linked>) -> ProgramReport {
    let program = Arc::clone(linked);
    let options = CheckOptions { solver_ms: 1000, seconds: 10, ..CheckOptions::default() };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || check_program(&program, &options))
        .unwrap()
        .join()
        .unwrap()
}

/// Texts for both arguments: each with a few others.
fn runs(r: &mut Rng) -> Vec<[String; 2]> {
    let mut all = vec![];
    for t in TEXTS {
        for other in [*t, "5", r.of(TEXTS)] {
            all.push([(*t).to_owned(), other.to_owned()]);
        }
    }
    all
}

#[derive(Default)]
struct Tally {
    programs: usize,
    bad: usize,
    safe: usize,
    proved: usize,
    unknown: usize,
    wrong: Vec<String>,
}

fn judge(p: &Program, linked: &Arc<Linked>, tally: &mut Tally) {
    let report = check(linked);
    let root = linked.find_func(Side::Host, "main").unwrap();
    let run = |argv: Vec<String>| {
        enumerate(
            linked,
            root,
            &ConcreteInputs { argv, ..ConcreteInputs::default() },
            &RunBudget { steps: 200_000, work: scuba::work::Work::seconds(5), ..RunBudget::default() },
        )
    };
    let is_bad = |argv: Vec<String>| {
        let run = run(argv);
        run.bad.iter().take(run.certain).any(|b| b.launch_site.is_some())
    };
    let bad = runs(&mut Rng::new(p.seed)).into_iter().find(|argv| is_bad(argv.to_vec()));
    let s = &report.summary;
    tally.programs += 1;
    tally.bad += usize::from(bad.is_some());
    // Those in which a launch is reached.
    tally.safe += usize::from(s.safe > 0 && s.launches > 0);
    tally.unknown += usize::from(s.unknown > 0);
    let said = report.findings.len() + report.undecided.len() + usize::try_from(s.safe_if_no_wrap).unwrap();
    let gave_up = report.notes.iter().any(|n| n.starts_with("`main` was not followed"));
    if let Some(argv) = &bad
        && said == 0
        && !gave_up
    {
        tally.wrong.push(format!("seed {}: safe, but out of bounds on {argv:?}\n{}", p.seed, alone(p)));
    }
    for f in report.findings.iter().filter(|f| f.verdict == Verdict::Proved) {
        tally.proved += 1;
        let argv = f.witness.as_ref().map(|w| w.run.argv.clone()).unwrap_or_default();
        if !is_bad(argv.clone()) {
            tally.wrong.push(format!("seed {}: proved, but within bounds on {argv:?}\n{}", p.seed, alone(p)));
        }
    }
}

fn tried(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let all: Vec<u64> = seeds.collect();
    for seeds in all.chunks(TOGETHER) {
        let programs: Vec<Program> = seeds.iter().map(|s| program(*s)).collect();
        let mut unit = Unit::new(&programs).unwrap();
        for (i, p) in programs.iter().enumerate() {
            unit.with(i, |linked| judge(p, linked, &mut tally));
        }
    }
    println!(
        "{} programs, {} out of bounds on some texts; safe {}, proved {}, unknown {}",
        tally.programs, tally.bad, tally.safe, tally.proved, tally.unknown
    );
    assert!(tally.wrong.is_empty(), "{} of {}:\n{}", tally.wrong.len(), tally.programs, tally.wrong.join("\n"));
    tally
}

/// A program with every statement of these tests.
pub(super) fn source() -> String {
    let all: Vec<String> = READS.iter().chain(WRITES).map(|s| filled(s, 1, "argv[1]", "argv[2]")).collect();
    format!(
        "int @main(int argc, char **argv) {{\n  int v0 = 4, v1 = 5;\n  {}\n  return v1 + v0;\n}}\n",
        all.iter().map(|s| format!("{{ {s} }}")).collect::<Vec<_>>().join("\n  ")
    )
}

/// What the function itself does: programs as g++ compiles them, where the kernel's access is a test of its index. Ends with this status where
/// that is out of bounds; any other way to end is none.
const BAD: &str = "77";

/// A native program: `PROGRAM TEXT TEXT` runs one on two texts, `PROGRAM` on all pairs of the pool, and prints those that are bad.
fn native(programs: &[Program], pairs: &[[String; 2]]) -> String {
    let mut out = String::from(
        "#include <cctype>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <string>\n#include <strings.h>\n",
    );
    for (i, p) in programs.iter().enumerate() {
        for line in p.text(&format!("zq{i}_")).lines().filter(|l| !l.starts_with("#include")) {
            let line = match line.trim() {
                l if l.starts_with("__global__") || l == "int *a;" => continue,
                l if l.starts_with("cudaMalloc(&a, ") => {
                    let n = l.trim_start_matches("cudaMalloc(&a, ").split(" * ").next().unwrap();
                    format!("  int size = {n};")
                }
                l if l.contains("<<<1, 1>>>(a, ") => {
                    let index = l.split("<<<1, 1>>>(a, ").nth(1).unwrap().trim_end_matches(");");
                    format!("  if ({index} < 0 || {index} >= size) return {BAD};")
                }
                _ => line.to_owned(),
            };
            let _ = writeln!(out, "{line}");
        }
    }
    let quoted = |s: &str| s.bytes().map(|b| format!("\\{b:03o}")).collect::<String>();
    let mains: Vec<String> = (0..programs.len()).map(|i| format!("zq{i}_main")).collect();
    let texts: Vec<String> = pairs.iter().map(|[a, b]| format!("{{\"{}\", \"{}\"}}", quoted(a), quoted(b))).collect();
    let _ = write!(
        out,
        "static int (*const programs[])(int, char **) = {{{}}};\nstatic const char *const texts[][2] = {{{}}};\n\
        static int one(int k, const char *a, const char *b) {{\n  char p[] = \"p\", s[2][200] = {{}};\n  strcpy(s[0], a), strcpy(s[1], b);\n  char *v[] = {{p, s[0], s[1], nullptr}};\n  try {{ return programs[k](3, v); }} catch (...) {{ return 1; }}\n}}\n\
        int main(int argc, char **argv) {{\n  int k = atoi(argv[1]);\n  if (argc == 4) {{ printf(\"%d\", one(k, argv[2], argv[3]) == {BAD}); return 0; }}\n\
        \x20 for (int i = 0; i < {}; i++) if (one(k, texts[i][0], texts[i][1]) == {BAD}) printf(\"%d \", i);\n}}\n",
        mains.join(", "),
        texts.join(", "),
        pairs.len()
    );
    out
}

/// What is safe is within bounds where the C library itself reads the texts, and what is proved is not.
#[test]
fn texts_of_the_command_line_as_the_library_reads_them() {
    let programs: Vec<Program> = (0..TOGETHER as u64).map(program).collect();
    let pairs = runs(&mut Rng::new(3));
    let folder = tempfile::tempdir().unwrap();
    let library = super::concrete::native(folder.path(), &native(&programs, &pairs));
    let mut unit = Unit::new(&programs).unwrap();
    let (mut wrong, mut safe, mut bad, mut proved) = (vec![], 0, 0, 0);
    for (i, p) in programs.iter().enumerate() {
        let report = unit.with(i, check);
        let found = super::concrete::run_native(&library, &[i.to_string()], "");
        let first = found.split(' ').next().and_then(|n| n.parse::<usize>().ok());
        let s = &report.summary;
        let all_safe = report.findings.is_empty() && report.undecided.is_empty() && s.safe_if_no_wrap == 0;
        let gave_up = report.notes.iter().any(|n| n.starts_with("`main` was not followed"));
        safe += usize::from(all_safe && s.launches > 0);
        bad += usize::from(first.is_some());
        if let Some(n) = first.filter(|_| all_safe && !gave_up) {
            wrong.push(format!("seed {}: safe, but out of bounds on {:?}\n{}", p.seed, pairs[n], alone(p)));
        }
        for f in report.findings.iter().filter(|f| f.verdict == Verdict::Proved) {
            let argv = f.witness.as_ref().map(|w| w.run.argv.clone()).unwrap_or_default();
            let [a, b] = argv.as_slice() else { continue };
            proved += 1;
            if super::concrete::run_native(&library, &[i.to_string(), a.clone(), b.clone()], "") != "1" {
                wrong.push(format!("seed {}: proved, but within bounds on {argv:?}\n{}", p.seed, alone(p)));
            }
        }
    }
    println!("{safe} safe, {bad} out of bounds on some texts, {proved} proved");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
    assert!(safe > 2 && bad > 5 && proved > 5, "the programs show too little: {safe} safe, {bad} bad, {proved} proved");
}

#[test]
fn texts_of_the_command_line() {
    // Without optimisation each program takes a second.
    let t = tried(0..if cfg!(debug_assertions) { TOGETHER as u64 } else { 2 * TOGETHER as u64 });
    assert!(
        t.bad > 5 && t.safe > 5 && t.proved > 5,
        "the programs show too little: {} bad, {} safe, {} proved",
        t.bad,
        t.safe,
        t.proved
    );
}

#[test]
#[ignore = "minutes"]
fn many() {
    let seeds = std::env::var("SCUBA_MODELS_SEEDS").unwrap_or_else(|_| "0..800".to_owned());
    let (from, to) = seeds.split_once("..").unwrap();
    // From the first program of a unit, which has the headers.
    let from = from.parse::<u64>().unwrap() / TOGETHER as u64 * TOGETHER as u64;
    tried(from..to.parse().unwrap());
}
