//! Both front ends on the same programs, in every recorded shape.

use super::programs::{SHAPES, check, folder, programs, read_by_clang, recorded};
use super::reading::read;
use scuba::check::ProgramReport;
use scuba::frontend::cgeist::{doubt, mlir};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Findings and what is not decided, by kernel and array.
fn verdicts(r: &ProgramReport, lines: bool) -> BTreeSet<String> {
    let line = |n: u32| if lines { format!(":{n}") } else { String::new() };
    let found = r.findings.iter().map(|f| format!("{:?} {:?} {}{} {}", f.rule, f.verdict, f.access.kernel, line(f.access.position.line), f.access.array));
    let open = r.undecided.iter().map(|u| format!("undecided {}{} {}", u.kernel, line(u.position.line), u.array));
    found.chain(open).collect()
}

fn list(out: &mut String, what: &str, clang: impl IntoIterator<Item = String>, cgeist: impl IntoIterator<Item = String>) {
    let (a, b): (BTreeSet<String>, BTreeSet<String>) = (clang.into_iter().collect(), cgeist.into_iter().collect());
    for x in a.difference(&b) { let _ = writeln!(out, "  - {what}: {x}"); }
    for x in b.difference(&a) { let _ = writeln!(out, "  + {what}: {x}"); }
}

/// A difference that is known, and why it is there.
struct Known {
    program: &'static str,
    /// Shapes whose name begins so; empty: all.
    shape: &'static str,
    /// Words of the line.
    words: &'static [&'static str],
    why: &'static str,
}

const SHARED_SIZE: &str = "unmodified cgeist does not pass the third launch argument: the size of dynamic shared memory is not known";
const ELEMENTS: &str = "cgeist stores the elements of an initialiser one by one, clang fills the array";

const KNOWN: &[Known] = &[
    Known { program: "dynamicSharedOOb", shape: "stock", words: &["k(int*)"], why: SHARED_SIZE },
    Known { program: "dynamicSharedOk", shape: "stock", words: &["k(int*)"], why: SHARED_SIZE },
    Known { program: "shared_dyn", shape: "stock", words: &["launch"], why: SHARED_SIZE },
    Known { program: "shared_dyn", shape: "stock", words: &["+ verdict: undecided", "s_"], why: SHARED_SIZE },
    Known { program: "templ", shape: "", words: &["access", "writes local hist of 16"], why: ELEMENTS },
];

#[test]
fn both_read_the_same() {
    let mut text = String::new();
    let mut used = vec![false; KNOWN.len()];
    for p in programs() {
        let clang = read_by_clang(&p);
        let report = check(&clang);
        for shape in SHAPES {
            let Some(cgeist) = recorded(&p, shape) else { continue };
            let lines = !shape.starts_with("stock");
            let (a, b) = (read(&clang, lines), read(&cgeist, lines));
            assert!(!a.launches.is_empty() && !a.accesses.is_empty(), "{p}: clang's reading is empty");
            let mut out = String::new();
            let numbered = |v: Vec<String>| v.into_iter().enumerate().map(|(i, x)| format!("{i} {x}")).collect::<Vec<_>>();
            list(&mut out, "launch", numbered(a.launches), numbered(b.launches));
            list(&mut out, "allocation", numbered(a.allocations), numbered(b.allocations));
            list(&mut out, "access", a.accesses, b.accesses);
            list(&mut out, "verdict", verdicts(&report, lines), verdicts(&check(&cgeist), lines));
            for line in out.lines() {
                let known = KNOWN.iter().position(|k| k.program == p && shape.starts_with(k.shape) && k.words.iter().all(|w| line.contains(w)));
                match known { Some(i) => used[i] = true, None => { let _ = writeln!(text, "{p} {shape}{line}"); } }
            }
        }
    }
    assert!(text.is_empty(), "\n{text}");
    for (k, used) in KNOWN.iter().zip(used) { assert!(used, "no longer different: {} {:?} ({})", k.program, k.words, k.why); }
}

/// Rule, kernel, array and line of what must be found; nothing else may be.
const EXPECTED: &[(&str, &str, &str, u32)] = &[
    ("globalOOb", "OobGlobal", "a", 6),
    ("localOOb", "OobLocal", "buf", 6),
    ("staticSharedOOb", "OobShared", "s", 5),
    ("dynamicSharedOOb", "OobShared", "s", 5),
    ("uafLaunch", "UseAfterFree", "d", 8),
    ("uafBranch", "UseAfterFree", "d", 10),
    ("uafKernel", "UseAfterFree", "p", 7),
];

#[test]
fn bad_programs_are_found_through_cgeist_alone_and_their_twins_are_not() {
    for (program, rule, array, line) in EXPECTED {
        for shape in SHAPES {
            let stock = shape.starts_with("stock");
            let report = check(&recorded(program, shape).unwrap());
            let found: Vec<_> = report.findings.iter().map(|f| (format!("{:?}", f.rule), f.access.kernel.as_str(), f.access.array.as_str(), f.access.position.line)).collect();
            // The size of dynamic shared memory is not known to unmodified cgeist.
            if stock && *program == "dynamicSharedOOb" {
                assert_eq!(found, [], "{program} {shape}");
                assert!(report.undecided.iter().any(|u| u.array == "s" && u.reason.contains("which cgeist leaves out")), "{:?}", report.undecided);
                continue;
            }
            assert_eq!(found, [((*rule).to_owned(), "k(int*)", *array, if stock { 0 } else { *line })], "{program} {shape}");
            // Memory that is freed too early has no recorded twin.
            let Some(twin) = program.strip_suffix("OOb") else { continue };
            let twin = check(&recorded(&format!("{twin}Ok"), shape).unwrap());
            assert!(twin.findings.is_empty(), "{program} {shape}: {:?}", twin.findings);
        }
    }
}

/// Programs of which cgeist's reading is doubtful, and why.
const DOUBTFUL: &[(&str, &str)] = &[("control", "cgeist takes `uint64_t` for a signed type")];

#[test]
fn readings_are_doubtful_where_the_recorded_programs_give_reason() {
    for p in programs() {
        let source = std::fs::read_to_string(folder().join(format!("{p}.cu"))).unwrap();
        for shape in SHAPES {
            let Ok(text) = std::fs::read_to_string(folder().join(format!("{p}.{shape}.mlir"))) else { continue };
            let doubts = doubt::about(&mlir::read(&text).unwrap(), &[&source]);
            let expected: Vec<&str> = DOUBTFUL.iter().filter(|d| d.0 == p).map(|d| d.1).collect();
            assert_eq!(doubts, expected, "{p} {shape}");
        }
    }
}
