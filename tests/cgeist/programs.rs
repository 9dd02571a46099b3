//! Every recorded module is checked, and its findings compared with what the programs say of themselves.

use scuba::check::{self, Options, ProgramReport};
use scuba::frontend::cgeist::lower::About;
use scuba::frontend::cgeist::lower_text;
use scuba::ir::Program;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn folder() -> PathBuf { Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cgeist/fixtures") }

pub const SHAPES: [&str; 3] = ["stock.generic", "immediate", "light"];

/// A recorded module of a program, linked.
pub fn recorded(program: &str, shape: &str) -> Option<Program> {
    let source = folder().join(format!("{program}.cu"));
    let text = std::fs::read_to_string(folder().join(format!("{program}.{shape}.mlir"))).ok()?;
    let about = About {
        text: std::fs::read_to_string(&source).unwrap(),
        source: source.to_string_lossy().into_owned(),
        directory: folder(),
        system: vec!["/usr".into()],
        arch: "sm_60".into(),
        producer: "cgeist".into(),
        asserts_restored: false,
    };
    let lowered = lower_text(&text, &about).unwrap_or_else(|e| panic!("{program}.{shape}: {e}"));
    assert!(lowered.unknown.is_empty(), "{program}.{shape}: {:?}", lowered.unknown);
    Some(Program::link(vec![Arc::new(lowered.device), Arc::new(lowered.host)]))
}

pub fn check(p: &Program) -> ProgramReport {
    std::thread::scope(|s| std::thread::Builder::new().stack_size(256 << 20)
        .spawn_scoped(s, || check::check_program(p, &Options::default())).unwrap().join().unwrap())
}

pub fn programs() -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "cu")).map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    all.sort();
    all
}

#[test]
fn show() {
    let filter = std::env::var("P").unwrap_or_default();
    for p in programs() {
        if !p.contains(&filter) { continue; }
        for s in SHAPES {
            let Some(program) = recorded(&p, s) else { continue };
            let r = check(&program);
            eprintln!("== {p} {s}: {:?}", r.summary);
            for f in &r.findings { eprintln!("   {:?} {} {:?} {}[{}] {:?} at {}:{} degenerate {} {:?}", f.rule, f.access.kernel, f.verdict, f.access.array, f.access.index, f.access.direction, f.access.position.line, f.access.position.column, f.degenerate, f.assumptions); }
            for u in &r.undecided { eprintln!("   undecided {} {} {}:{} {}", u.kernel, u.array, u.position.line, u.position.column, u.reason); }
            for n in &r.notes { eprintln!("   note {n}"); }
        }
    }
}
