//! Tests every renderer on the same constructed findings, over small real source files.

use super::assemble::{Assembled, Policy, ProgramFindings, RunFindings, UnitOutcome, assemble};
use super::levels::Levels;
use super::render::{MessageFormat, Style, Verbosity, render};
use base::rules::Rule;
use config::Config;
use finding::counts::PlaceClass;
use finding::paths::ProjectRoot;
use finding::samples;
use finding::sources::SourceFiles;
use finding::{
    Allocation, Axioms, Confirmation, ConfirmationStatus, ConfirmedBy, Direction, Finding, MemorySpace, NotAnalysed,
    Position, ReasonCode, ReportTool, Summary, Undecided, UnreadObject, Verdict,
};

/// Returns a report without findings.
pub(crate) fn empty_report() -> finding::Report {
    let sources = SourceFiles::new(ProjectRoot::new("/project".into()));
    let (config, levels, root) = (Config::default(), Levels::default(), ProjectRoot::new("/project".into()));
    let policy = Policy { config: &config, levels: &levels, root: &root, baseline: None };
    assemble(RunFindings::default(), tool(), &policy, &sources).report
}

fn tool() -> ReportTool {
    ReportTool {
        version: "0.1.0".into(),
        z3: "5.4.0".into(),
        frontend: "clang 22.1.8".into(),
        axioms: Axioms { device_memory: 192 << 30 },
    }
}

/// Returns findings: proved (twice at one place), possible in shared memory with its allocation in a header, and an
/// accepted one.
fn findings() -> Vec<Finding> {
    let proved = samples::finding();
    let mut shared = samples::finding();
    shared.rule = Rule::OobShared;
    shared.verdict = Verdict::Possible;
    shared.steps = vec![];
    shared.message = "read of `tile` beyond its end".into();
    shared.access.position = Position { file: "/project/tile.cuh".into(), line: 3, column: 19 };
    shared.access.array = "tile".into();
    shared.access.partition = Some("tile: bytes 0 to 127 of smem".into());
    shared.access.index = "[threadIdx.y][k + 1]".into();
    shared.access.direction = Direction::Read;
    shared.access.space = MemorySpace::Shared;
    shared.access.kernel = "smooth(float*)".into();
    shared.allocation =
        Some(Allocation { file: "/project/tile.cuh".into(), line: 2, column: 20, extent: "128".into() });
    shared.unknowns = vec!["what `count()` returns (library.cu:9): not modelled".into()];
    shared.assumptions = vec!["`k < 32` (assert at tile.cuh:1)".into()];
    shared.confirmation = Some(Confirmation {
        status: ConfirmationStatus::Confirmed,
        by: ConfirmedBy::KernelCheck,
        device: "NVIDIA H200".into(),
        detail: "thread (1, 0, 0) index 32".into(),
    });
    let mut accepted = samples::finding();
    accepted.access.position.line = 6;
    vec![proved.clone(), proved, shared, accepted]
}

pub(crate) fn assembled(folder: &std::path::Path, sources: &SourceFiles, write_files: bool) -> Assembled {
    if write_files {
        let text = samples::SCALE
            .replace("  a[i] *= 2.0f;\n", "  a[i] *= 2.0f;\n  a[i] -= 1; // scuba: allow(oob-global) as above\n");
        std::fs::write(folder.join("scale.cu"), text).unwrap();
        std::fs::write(folder.join("tile.cuh"), "__device__ void smooth(float *o) {\n  __shared__ float tile[32];\n\to[threadIdx.x] = tile[threadIdx.y][k + 1];\n}\n").unwrap();
    }
    let place = |f: &str| f.replace("/project", &folder.to_string_lossy());
    let mut findings = findings();
    for f in &mut findings {
        f.access.position.file = place(&f.access.position.file);
        if let Some(a) = &mut f.allocation {
            a.file = place(&a.file);
        }
        for p in f.steps.iter_mut().filter_map(|s| s.position.as_mut()) {
            p.file = place(&p.file);
            p.line += u32::from(write_files && p.line > 5);
        }
        if let Some(l) = &mut f.launch {
            l.file = place(&l.file);
            l.line += u32::from(write_files);
        }
    }
    if write_files {
        findings[0].allocation.as_mut().unwrap().line += 1;
    }
    let config = Config::default();
    let levels = Levels::default();
    let root = ProjectRoot::new(folder.to_owned());
    let found = RunFindings {
        limits_reached: vec![],
        second: vec![],
        programs: vec![ProgramFindings {
            number: 0,
            name: "app".into(),
            findings,
            undecided: vec![Undecided {
                position: Position { file: place("/project/scale.cu"), line: 5, column: 11 },
                kernel: "scale(float*, int)".into(),
                array: "b".into(),
                code: ReasonCode::Other,
                reason: "solver budget".into(),
                related: vec![],
            }],
            places: samples::places(&[
                (4, PlaceClass::SAFE),
                (1, PlaceClass::Safe { if_no_wrap: true, assuming: false }),
                (2, PlaceClass::Proved),
                (1, PlaceClass::Possible),
                (1, PlaceClass::Unknown),
            ]),
            kernels: samples::kernels(2),
            summary: Summary { launches: 2, ..Summary::default() },
        }],
        not_analysed: vec![NotAnalysed {
            file: place("/project/other.cu"),
            side: "host".into(),
            reason: "no member named `x`".into(),
        }],
        built_without: vec![place("/project/cached.cu")],
        unseen: [UnreadObject {
            program: "app".into(),
            object: "options.cpp.o".into(),
            reason: "its compile command is not known".into(),
        }]
        .into(),
        excluded: [place("/project/third_party/x.cu")].into(),
        units: (0..2).map(|i| (i, UnitOutcome::default())).collect(),
        seconds: 0.4,
        files: vec![place("/project/scale.cu")],
    };
    assemble(found, tool(), &Policy { config: &config, levels: &levels, root: &root, baseline: None }, sources)
}

pub(crate) fn rendered_in(format: MessageFormat, style: Style, write_files: bool) -> String {
    let dir = tempfile::tempdir().unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
    let assembled = assembled(dir.path(), &sources, write_files);
    let mut out = Vec::new();
    render(&assembled, format, style, &sources, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn rendered(format: MessageFormat, verbosity: Verbosity) -> String {
    rendered_in(format, Style { colour: false, verbosity, summary: true }, true)
}

#[test]
fn human() {
    insta::assert_snapshot!(rendered(MessageFormat::Human, Verbosity::Normal));
}

#[test]
fn human_verbose() {
    insta::assert_snapshot!(rendered(MessageFormat::Human, Verbosity::Verbose));
}

#[test]
fn human_quiet_shows_denied_findings_only() {
    let text = rendered(MessageFormat::Human, Verbosity::Quiet);
    assert!(text.contains("error[oob-global]") && !text.contains("warning") && !text.contains("scuba: "), "{text}");
}

#[test]
fn human_without_the_source_files() {
    insta::assert_snapshot!(rendered_in(MessageFormat::Human, Style { summary: true, ..Style::default() }, false));
}

#[test]
fn colour_adds_escapes_and_changes_no_text() {
    let plain = rendered_in(MessageFormat::Human, Style::default(), true);
    let coloured = rendered_in(MessageFormat::Human, Style { colour: true, ..Style::default() }, true);
    assert!(coloured.contains("\u{1b}[") && !plain.contains('\u{1b}'));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        stripped.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn short() {
    insta::assert_snapshot!(rendered(MessageFormat::Short, Verbosity::Normal));
}

#[test]
fn json_is_the_documented_document() {
    let text = rendered(MessageFormat::Json, Verbosity::Normal);
    insta::assert_snapshot!(text);
    let back: finding::Report = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string_pretty(&back).unwrap() + "\n", text);
}

#[test]
fn that_no_device_was_asked_is_told_of_each_finding_or_by_the_command_once() {
    const NOTE: &str = "= note: hardware confirmation was not run: there is no NVIDIA GPU here";
    let dir = tempfile::tempdir().unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
    let mut assembled = assembled(dir.path(), &sources, true);
    let text = |assembled: &Assembled, format, summary| {
        let mut out = Vec::new();
        render(assembled, format, Style { summary, ..Style::default() }, &sources, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let short = text(&assembled, MessageFormat::Short, false);
    let denied = assembled.report.findings.iter_mut().filter(|f| f.level == base::rules::Level::Deny);
    let denied = denied.map(|f| f.confirmation_not_run = Some("there is no NVIDIA GPU here".into())).count();
    assert!(denied > 0 && denied < assembled.report.findings.len());
    assert_eq!(text(&assembled, MessageFormat::Human, false).matches(NOTE).count(), denied);
    assert!(!text(&assembled, MessageFormat::Human, true).contains("hardware confirmation"));
    assert_eq!(text(&assembled, MessageFormat::Short, false), short);
    assert_eq!(
        text(&assembled, MessageFormat::Json, false)
            .matches(r#""confirmation_not_run": "there is no NVIDIA GPU here""#)
            .count(),
        denied
    );
    assert_eq!(
        text(&assembled, MessageFormat::Sarif, false)
            .matches(r#""confirmationNotRun": "there is no NVIDIA GPU here""#)
            .count(),
        denied
    );
}

#[test]
fn an_assumption_is_told_once_and_programs_that_fail_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
    let mut assembled = assembled(dir.path(), &sources, true);
    let text = |assembled: &Assembled| {
        let mut out = Vec::new();
        render(assembled, MessageFormat::Human, Style { summary: true, ..Style::default() }, &sources, &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    let (first, second) = ("that nothing wraps".to_owned(), "that `n < 8`".to_owned());
    assembled.report.findings[0].assumptions = vec![first.clone()];
    assembled.report.findings[1].assumptions = vec![second.clone(), first.clone()];
    let said = text(&assembled);
    assert_eq!(said.matches("assuming that nothing wraps").count(), 1, "{said}");
    assert!(said.contains("= note: assuming that `n < 8`\n   = note: under an assumption told above\n"), "{said}");
    assembled.report.findings[1].assumptions = vec![first.clone(), second.clone()];
    assembled.report.findings[0].assumptions = vec![first, second];
    assert!(text(&assembled).contains("= note: under assumptions told above\n"));
    assert!(!text(&assembled).contains("fails)"));
    assembled.report.summary.programs = 2;
    assert!(
        text(&assembled).contains("\nscuba: 1 error, 1 warning (`app` fails), 1 accepted; "),
        "{}",
        text(&assembled)
    );
}

#[test]
fn counts_of_documents_saturate() {
    let summary = Summary { launches: u32::MAX, work: u64::MAX, ..Summary::default() };
    let program = ProgramFindings { summary, ..ProgramFindings::default() };
    let found = RunFindings { programs: vec![program.clone(), program], ..RunFindings::default() };
    let root = ProjectRoot::new("/project".into());
    let (config, levels, sources) = (Config::default(), Levels::default(), SourceFiles::new(root.clone()));
    let policy = Policy { config: &config, levels: &levels, root: &root, baseline: None };
    let report = assemble(found, tool(), &policy, &sources).report;
    assert_eq!((report.summary.launches, report.summary.work), (u32::MAX, u64::MAX));
}
