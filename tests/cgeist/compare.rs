//! Both front ends on the same programs, in every recorded shape.

use super::programs::{SHAPES, check, folder, programs, read_by_clang, recorded, recorded_modules};
use super::reading::read;
use scuba::cgeist::{known_misreadings, mlir, signs};
use scuba::check::ProgramReport;
use scuba::frontend::second;
use scuba::ir::Program;
use scuba::rules::Rule;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// Findings and what is not decided, by kernel and array. Inputs under which something wraps are looked for last, as long as there is
/// time: a busy machine may find them in one reading only.
fn verdicts(r: &ProgramReport, lines: bool) -> Vec<String> {
    let line = |n: u32| if lines { format!(":{n}") } else { String::new() };
    let found = r.findings.iter().filter(|f| f.rule != Rule::IndexOverflow).map(|f| {
        format!("{:?} {:?} {}{} {}", f.rule, f.verdict, f.access.kernel, line(f.access.position.line), f.access.array)
    });
    let open = r.undecided.iter().map(|u| format!("undecided {}{} {}", u.kernel, line(u.position.line), u.array));
    found.chain(open).collect()
}

/// How every access stands, by kernel and array: what wraps counts as safe if it does not.
fn standings(r: &ProgramReport, lines: bool) -> Vec<String> {
    r.places
        .iter()
        .map(|p| {
            format!(
                "{}{} {} {:?}",
                p.kernel,
                if lines { format!(":{}", p.position.line) } else { String::new() },
                p.array,
                p.standing
            )
        })
        .collect()
}

/// Equal ones told apart by a number: two accesses of one form are two.
fn numbered(all: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    all.into_iter()
        .map(|x| {
            let n = seen.entry(x.clone()).or_default();
            *n += 1;
            if *n == 1 { x } else { format!("{x} ({n})") }
        })
        .collect()
}

fn list(
    out: &mut String,
    what: &str,
    clang: impl IntoIterator<Item = String>,
    cgeist: impl IntoIterator<Item = String>,
) {
    let (a, b) = (numbered(clang), numbered(cgeist));
    for x in a.difference(&b) {
        let _ = writeln!(out, "  - {what}: {x}");
    }
    for x in b.difference(&a) {
        let _ = writeln!(out, "  + {what}: {x}");
    }
}

/// A difference that is known, and why it is there.
struct Known {
    program: &'static str,
    /// Shapes whose name begins so; empty: all.
    shape: &'static str,
    /// Words of the line.
    words: &'static [&'static str],
    /// How many such lines there are in all.
    lines: usize,
    why: &'static str,
}

const SHARED_SIZE: &str =
    "unmodified cgeist does not pass the third launch argument: the size of dynamic shared memory is not known";
const ELEMENTS: &str = "cgeist stores the elements of an initialiser one by one, clang fills the array";
const MEMBERS: &str =
    "MLIR does not keep the names of members; without positions, accesses of one expression are places of their own";

const fn known(
    program: &'static str,
    shape: &'static str,
    words: &'static [&'static str],
    lines: usize,
    why: &'static str,
) -> Known {
    Known { program, shape, words, lines, why }
}

const KNOWN: &[Known] = &[
    known("dynamicSharedOOb", "stock", &["launch: 0 k(int*) <<<(1, 1, 1), (64, 1, 1), "], 4, SHARED_SIZE),
    known("dynamicSharedOOb", "stock", &["- verdict: OobShared Proved k(int*) s"], 2, SHARED_SIZE),
    known("dynamicSharedOOb", "stock", &["+ verdict: undecided k(int*) s"], 4, SHARED_SIZE),
    known("dynamicSharedOOb", "stock", &["place: k(int*) s "], 8, SHARED_SIZE),
    known("dynamicSharedOk", "stock", &["launch: 0 k(int*) <<<(1, 1, 1), (64, 1, 1), "], 4, SHARED_SIZE),
    known("dynamicSharedOk", "stock", &["+ verdict: undecided k(int*) s"], 4, SHARED_SIZE),
    known("dynamicSharedOk", "stock", &["place: k(int*) s "], 8, SHARED_SIZE),
    known(
        "shared_dyn",
        "stock",
        &["launch: 0 sections(float const*, float*, int) <<<(4, 1, 1), (128, 1, 1), "],
        4,
        SHARED_SIZE,
    ),
    known("shared_dyn", "stock", &["+ verdict: undecided sections(float const*, float*, int) s_"], 16, SHARED_SIZE),
    known("shared_dyn", "stock", &["- place: sections(float const*, float*, int) s_", " Safe"], 16, SHARED_SIZE),
    known("shared_dyn", "stock", &["+ place: sections(float const*, float*, int) s_", " Undecided"], 16, SHARED_SIZE),
    known("templ", "", &["- access: polyeval<", " writes local hist of 16 [0] 16"], 8, ELEMENTS),
    known("templ", "", &["+ access: polyeval<", " writes local hist of 16 [", "] 4"], 32, ELEMENTS),
    known("templ", "stock", &["+ place: polyeval<8, float>(float const*, float*, int) hist Safe"], 8, ELEMENTS),
    known("structarg", "", &["place: step(Particles, Vec3, Vec3*)", " ps", " Safe"], 26, MEMBERS),
];

/// What the two readings of a program, checked, do not say alike: launches, allocations, accesses, verdicts, places; one line each.
pub fn differences(first: (&Program, &ProgramReport), second: (&Program, &ProgramReport), lines: bool) -> Vec<String> {
    let (a, b) = (read(first.0, lines), read(second.0, lines));
    let mut out = String::new();
    let in_order = |v: Vec<String>| v.into_iter().enumerate().map(|(i, x)| format!("{i} {x}")).collect::<Vec<_>>();
    list(&mut out, "launch", in_order(a.launches), in_order(b.launches));
    list(&mut out, "allocation", in_order(a.allocations), in_order(b.allocations));
    list(&mut out, "access", a.accesses, b.accesses);
    list(&mut out, "verdict", verdicts(first.1, lines), verdicts(second.1, lines));
    list(&mut out, "place", standings(first.1, lines), standings(second.1, lines));
    out.lines().map(str::to_owned).collect()
}

/// Which known difference of a recorded shape a line is.
pub fn known_as(program: &str, shape: &str, line: &str) -> Option<usize> {
    KNOWN
        .iter()
        .position(|k| k.program == program && shape.starts_with(k.shape) && k.words.iter().all(|w| line.contains(w)))
}

#[test]
fn both_read_the_same() {
    let mut text = String::new();
    let mut used: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for p in programs() {
        let clang = read_by_clang(&p);
        let report = check(&clang);
        let own = read(&clang, true);
        assert!(!own.launches.is_empty() && !own.accesses.is_empty(), "{p}: clang's reading is empty");
        for shape in SHAPES {
            let Some(cgeist) = recorded(&p, shape) else { continue };
            for line in differences((&clang, &report), (&cgeist, &check(&cgeist)), !shape.starts_with("stock")) {
                match known_as(&p, shape, &line) {
                    Some(i) => *used.entry((i, shape)).or_default() += 1,
                    None => {
                        let _ = writeln!(text, "{p} {shape}{line}");
                    }
                }
            }
        }
    }
    assert!(text.is_empty(), "\n{text}");
    let mut counts = String::new();
    for (i, k) in KNOWN.iter().enumerate() {
        let times: usize = used.iter().filter(|((j, _), _)| *j == i).map(|(_, n)| n).sum();
        if times != k.lines {
            let _ = writeln!(counts, "{times}, not {}: {} {:?} ({})", k.lines, k.program, k.words, k.why);
        }
    }
    assert!(counts.is_empty(), "\n{counts}");
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
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|f| {
                    (format!("{:?}", f.rule), f.access.kernel.as_str(), f.access.array.as_str(), f.access.position.line)
                })
                .collect();
            // The size of dynamic shared memory is not known to unmodified cgeist.
            if stock && *program == "dynamicSharedOOb" {
                assert_eq!(found, [], "{program} {shape}");
                assert!(
                    report.undecided.iter().any(|u| u.array == "s" && u.reason.contains("which cgeist leaves out")),
                    "{:?}",
                    report.undecided
                );
                continue;
            }
            assert_eq!(
                found,
                [((*rule).to_owned(), "k(int*)", *array, if stock { 0 } else { *line })],
                "{program} {shape}"
            );
            // Memory that is freed too early has no recorded twin.
            let Some(twin) = program.strip_suffix("OOb") else { continue };
            let twin = check(&recorded(&format!("{twin}Ok"), shape).unwrap());
            assert!(twin.findings.is_empty(), "{program} {shape}: {:?}", twin.findings);
        }
    }
}

#[test]
fn subscripts_of_the_recorded_programs_may_be_of_either_sign() {
    let mut flipped = 0;
    for p in programs() {
        let Some(modules) = recorded_modules(&p, "stock.generic") else { continue };
        let other = modules
            .each_ref()
            .map(|m| second::unsigned_subscripts(m).inspect(|_| flipped += 1).unwrap_or_else(|| m.clone()));
        let [a, b] = [modules, other].map(|m| check(&Program::link(m.map(Arc::new).into())));
        assert_eq!(standings(&a, false), standings(&b, false), "{p}");
    }
    assert!(flipped > 20, "{flipped}");
}

#[test]
fn nothing_of_the_recorded_programs_is_doubtful() {
    for p in programs() {
        let source = std::fs::read_to_string(folder().join(format!("{p}.cu"))).unwrap();
        assert_eq!(known_misreadings::about(&[&source]), Vec::<String>::new(), "{p}");
        for shape in SHAPES {
            let Ok(text) = std::fs::read_to_string(folder().join(format!("{p}.{shape}.mlir"))) else { continue };
            let open = signs::settle(&mut mlir::read(&text).unwrap(), &[&source]);
            assert!(open.is_empty(), "{p} {shape}: {open:?}");
        }
    }
}

/// Comparisons, quotients and the like of a module whose operands are signed, and those whose operands are not.
fn signs_of(module: &mlir::MlirModule) -> (usize, usize) {
    let (mut signed, mut unsigned) = (0, 0);
    for o in &module.ops {
        o.walk(&mut |o| match (o.name.as_str(), o.int("predicate")) {
            ("arith.shrsi", _) | ("arith.cmpi", Some(2..=5)) => signed += 1,
            ("arith.shrui", _) | ("arith.cmpi", Some(6..=9)) => unsigned += 1,
            _ => {}
        });
    }
    (signed, unsigned)
}

#[test]
fn what_is_unsigned_by_a_typedef_is_unsigned() {
    // `gid >> 7` of `uint64_t`; in `gid >= m` that is converted to `unsigned long long`, which cgeist knows.
    let source = std::fs::read_to_string(folder().join("control.cu")).unwrap();
    let text = std::fs::read_to_string(folder().join("control.stock-16.0.6.generic.mlir")).unwrap();
    let mut module = mlir::read(&text).unwrap();
    let (signed, unsigned) = signs_of(&module);
    signs::settle(&mut module, &[&source]);
    assert_eq!(signs_of(&module), (signed - 1, unsigned + 1));
}
