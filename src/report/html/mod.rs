//! Renders one page that needs nothing else: no network, no other file. A small script filters; without it, all is
//! shown.

mod allocation;
mod excerpt;
mod findings;
mod listing;
mod run;
mod threads;

use self::excerpt::{LineMark, TextSpan, spans};
use self::findings::FindingView;
use self::listing::MarkedSource;
use crate::kept::{KeptReport, StatedContract};
use crate::sentences;
use crate::suppress::SuppressionReason;
use crate::undecided::{self, UndecidedCause};
use askama::Template;
use finding::sources::SourceFiles;
use finding::{DiffBase, Finding, Report, Summary, Undecided, Verdict};
use std::collections::BTreeSet;

/// Custom filters of the templates.
mod filters {
    use askama::filters::Safe;
    use std::fmt::{Display, Write as _};

    /// Turns stretches in backticks into code, and escapes everything.
    #[askama::filter_fn]
    pub fn prose(text: impl Display, _: &dyn askama::Values) -> askama::Result<Safe<String>> {
        let mut out = String::new();
        for (i, part) in text.to_string().split('`').enumerate() {
            let mut plain = String::new();
            for c in part.chars() {
                match c {
                    '&' => plain.push_str("&amp;"),
                    '<' => plain.push_str("&lt;"),
                    '>' => plain.push_str("&gt;"),
                    '"' => plain.push_str("&quot;"),
                    '\'' => plain.push_str("&#39;"),
                    c => plain.push(c),
                }
            }
            if i % 2 == 0 {
                out.push_str(&plain);
            } else {
                write!(out, "<code>{plain}</code>")?;
            }
        }
        Ok(Safe(out))
    }
}

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
struct PageView {
    about: AboutView,
    tool: String,
    axioms: String,
    accesses: u32,
    classes: Vec<CountView>,
    scope: String,
    remarks: Vec<String>,
    /// Sentence on the revision that all findings are newer than.
    newer_than: Option<String>,
    findings: Vec<FindingView>,
    rules: BTreeSet<String>,
    filenames: BTreeSet<String>,
    verdicts: BTreeSet<&'static str>,
    undecided: Vec<CauseView>,
    contracts: Vec<ContractView>,
    files: Vec<MarkedSource>,
    gaps: Vec<(String, String)>,
    accepted: Vec<AcceptedView>,
}

/// Head of the page.
struct AboutView {
    project: String,
    revision: Option<String>,
    command: String,
    date: String,
}

/// Number of accesses of a class.
struct CountView {
    class: &'static str,
    name: &'static str,
    count: u32,
}

/// Undecided accesses with one cause.
struct CauseView {
    id: String,
    code: &'static str,
    title: &'static str,
    reason: String,
    /// Advice that decides such an access.
    advice: String,
    places: Vec<UndecidedView>,
}

/// An undecided access.
struct UndecidedView {
    id: String,
    file: String,
    place: String,
    link: String,
    array: String,
    kernel: String,
    line: Option<Vec<TextSpan>>,
}

/// A contract, with the anchor of its place.
struct ContractView {
    function: String,
    requires: Vec<String>,
    origin: String,
    link: String,
}

/// A finding that the project accepts.
struct AcceptedView {
    place: String,
    link: String,
    rule: String,
    by: String,
}

/// Renders the page; `date` is the report's time for people.
///
/// # Errors
/// If a template fails, which none of ours does.
pub fn page(kept: &KeptReport, date: String, sources: &SourceFiles) -> askama::Result<String> {
    let report = &kept.assembled.report;
    let files = listing::sources(kept, sources);
    let shown: BTreeSet<(&str, u32)> =
        files.iter().flat_map(|f| f.rows.iter().map(|r| (f.name.as_str(), r.number))).collect();
    let linked = |file: &str, line: u32| shown.contains(&(file, line));
    let origin = &kept.origin;
    let findings: Vec<FindingView> =
        report.findings.iter().map(|f| FindingView::of(f, origin, sources, &linked)).collect();
    let t = &report.tool;
    let undecided = views_of_causes(report, sources, &linked);
    let mut verdicts: BTreeSet<&'static str> = findings.iter().map(|f| f.verdict).collect();
    if !undecided.is_empty() {
        verdicts.insert("unknown");
    }
    let project = origin.root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let view = PageView {
        about: AboutView {
            project: if project.is_empty() { "SCuBA report".into() } else { project },
            revision: origin.revision.clone(),
            command: command_line(&origin.command),
            date,
        },
        tool: format!("SCuBA {}, Z3 {}, {}", t.version, t.z3, t.frontend),
        axioms: format!(
            "The analysis takes for granted that a device has at most {} bytes of memory.",
            t.axioms.device_memory
        ),
        accesses: report.summary.accesses,
        classes: classes(&report.summary),
        scope: scope(&report.summary),
        remarks: remarks(kept),
        newer_than: report.diff_base.as_ref().map(newer_than).or_else(|| {
            let revision = origin.beyond_diff_base.as_ref()?;
            Some(format!(
                "The build told only of findings that concern lines changed since `{revision}`. This page shows all."
            ))
        }),
        rules: findings.iter().map(|f| f.rule.clone()).collect(),
        filenames: findings
            .iter()
            .map(|f| f.file.clone())
            .chain(report.undecided.iter().map(|u| u.position.file.clone()))
            .collect(),
        verdicts,
        findings,
        undecided,
        contracts: kept.contracts.iter().map(|c| contract(c, &linked)).collect(),
        accepted: accepted(kept, &linked),
        files,
        gaps: gaps(kept),
    };
    view.render()
}

fn command_line(words: &[String]) -> String {
    words.iter().map(|w| run::quoted(w)).collect::<Vec<_>>().join(" ")
}

fn classes(s: &Summary) -> Vec<CountView> {
    let of = |class, name, count| CountView { class, name, count };
    let mut all = vec![
        of("proved", "proved wrong", s.proved),
        of("possible", "possibly wrong", s.possible),
        of("unknown", "undecided", s.unknown),
        of("safe", "safe", s.safe),
    ];
    if s.safe_if_no_wrap > 0 {
        all.push(of("safe", "safe unless an index wraps", s.safe_if_no_wrap));
    }
    all
}

fn plural(n: u32, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Returns what was checked, in one line.
fn scope(s: &Summary) -> String {
    let mut parts = vec![
        plural(s.programs, "program"),
        plural(s.translation_units, "translation unit"),
        plural(s.kernels, "kernel"),
        plural(s.launches, "launch").replace("launchs", "launches"),
    ];
    parts.push(plural(s.accesses, "access").replace("accesss", "accesses"));
    parts.join(", ")
}

/// Returns what limits the counts, one line each; nothing where nothing does.
fn remarks(kept: &KeptReport) -> Vec<String> {
    let report = &kept.assembled.report;
    let s = &report.summary;
    let mut all = Vec::new();
    if s.safe_assuming > 0 {
        all.push(format!("{} of the safe accesses are safe only under an assumption.", s.safe_assuming));
    }
    if let Some(units) = sentences::excluded_units(s.excluded) {
        all.push(format!("{units} and not analysed."));
    }
    if !report.repeatable {
        all.push(format!(
            "A safety net was reached ({}): another run may decide more.",
            report.limits_reached.join(", ")
        ));
    }
    if let Some(second) = &report.second_reading {
        all.extend(second.lines());
    }
    all.extend(kept.assembled.notices.iter().map(|n| format!("{}:{}: {}", n.file, n.line, n.message)));
    all
}

/// Returns the sentence on the revision of `--diff-base`, and on findings that it leaves out.
fn newer_than(base: &DiffBase) -> String {
    let commit = base.commit.get(..12).unwrap_or(&base.commit);
    let shown = format!("Shown are findings that concern lines changed since `{}` (commit {commit}).", base.revision);
    match base.left_out {
        0 => format!("{shown} There are no others."),
        1 => format!("{shown} 1 other finding is not shown, and its access counts above."),
        n => format!("{shown} {n} other findings are not shown, and their accesses count above."),
    }
}

fn views_of_causes(report: &Report, sources: &SourceFiles, linked: &dyn Fn(&str, u32) -> bool) -> Vec<CauseView> {
    let number = |u: &Undecided| report.undecided.iter().position(|known| std::ptr::eq(known, u)).unwrap_or_default();
    let causes = undecided::causes(report);
    let view = |(i, c): (usize, &UndecidedCause<'_>)| CauseView {
        id: format!("undecided-{}", i + 1),
        code: c.code.name(),
        title: c.code.title(),
        reason: c.reason.to_owned(),
        advice: c.advice.clone(),
        places: c.places.iter().map(|u| undecided_view(u, number(u), sources, linked)).collect(),
    };
    causes.iter().enumerate().map(view).collect()
}

fn undecided_view(
    u: &Undecided,
    number: usize,
    sources: &SourceFiles,
    linked: &dyn Fn(&str, u32) -> bool,
) -> UndecidedView {
    let p = &u.position;
    let mark = LineMark {
        column: p.column,
        array: Some(u.array.clone()),
        class: "unknown",
        title: String::new(),
        link: String::new(),
        weight: 1,
    };
    UndecidedView {
        id: id_of_undecided(number),
        file: p.file.clone(),
        place: p.to_string(),
        link: if linked(&p.file, p.line) { id_of_line(&p.file, p.line) } else { String::new() },
        array: u.array.clone(),
        kernel: u.kernel.clone(),
        line: sources.line(&p.file, p.line).map(|text| {
            let indent = text.len() - text.trim_start().len();
            let mut spans = spans(&text, &[mark]);
            if let Some(first) = spans.first_mut() {
                first.text = first.text.get(indent..).unwrap_or(&first.text).to_owned();
            }
            spans
        }),
    }
}

/// Returns what was not analysed, each with its reason.
fn gaps(kept: &KeptReport) -> Vec<(String, String)> {
    let report = &kept.assembled.report;
    let sides = report.not_analysed.iter().map(|n| match n.side.as_str() {
        "both" => (n.file.clone(), n.reason.clone()),
        side => (format!("{}, {side} side", n.file), n.reason.clone()),
    });
    let built = report.built_without_analysis.iter().map(|b| (b.file.clone(), "built without the analysis".to_owned()));
    let unseen = report
        .unseen
        .iter()
        .map(|u| (format!("{} of {}", u.object, u.program), format!("linked without being read: {}", u.reason)));
    let excluded = report.excluded.iter().map(|file| (file.clone(), "outside of `[scope]` in scuba.toml".to_owned()));
    sides.chain(built).chain(unseen).chain(excluded).collect()
}

fn contract(c: &StatedContract, linked: &dyn Fn(&str, u32) -> bool) -> ContractView {
    let link = c.place().filter(|(file, line)| linked(file, *line)).map(|(file, line)| id_of_line(file, line));
    ContractView {
        function: c.function.clone(),
        requires: c.requires.clone(),
        origin: c.origin.clone(),
        link: link.unwrap_or_default(),
    }
}

fn accepted(kept: &KeptReport, linked: &dyn Fn(&str, u32) -> bool) -> Vec<AcceptedView> {
    let view = |s: &crate::suppress::Suppressed| {
        let p = &s.finding.access.position;
        AcceptedView {
            place: p.to_string(),
            link: if linked(&p.file, p.line) { id_of_line(&p.file, p.line) } else { String::new() },
            rule: s.finding.rule.to_string(),
            by: match &s.by {
                SuppressionReason::Comment { reason } => format!("by a comment: {reason}"),
                SuppressionReason::Path { reason } => format!("by scuba.toml: {reason}"),
                SuppressionReason::Baseline => "by the baseline".to_owned(),
            },
        }
    };
    kept.assembled.suppressed.iter().map(view).collect()
}

const fn class_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Possible => "possible",
    }
}

fn id_of_finding(f: &Finding) -> String {
    format!("finding-{}", f.fingerprint)
}

fn id_of_undecided(number: usize) -> String {
    format!("open-{}", number + 1)
}

fn id_of_line(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::assemble::{Policy, ProgramFindings, RunFindings, assemble};
    use crate::kept::{KeptReport, ReportOrigin, StatedContract};
    use crate::levels::Levels;
    use config::Config;
    use finding::counts::{CountedPlace, PlaceClass};
    use finding::paths::ProjectRoot;
    use finding::sources::SourceFiles;
    use finding::steps::{Step, StepKind};
    use finding::{Axioms, Finding, Position, ReasonCode, ReportTool, Undecided, samples};

    fn at(line: u32, column: u32) -> Position {
        Position { file: "scale.cu".into(), line, column }
    }

    /// Renders a page about [`samples::SCALE`] in a folder.
    fn rendered(folder: &std::path::Path, change: impl FnOnce(&mut Finding)) -> String {
        std::fs::write(folder.join("scale.cu"), samples::SCALE).unwrap();
        let root = ProjectRoot::new(folder.to_owned());
        let sources = SourceFiles::new(root.clone());
        let mut finding = samples::finding();
        for file in [
            &mut finding.access.position.file,
            &mut finding.allocation.as_mut().unwrap().file,
            &mut finding.launch.as_mut().unwrap().file,
        ] {
            *file = "scale.cu".into();
        }
        change(&mut finding);
        let undecided = Undecided {
            position: at(4, 7),
            kernel: "fill<int>(int*)".into(),
            array: "i".into(),
            code: ReasonCode::Loop,
            reason: "a < b".into(),
            related: vec![],
        };
        let place =
            |line, class| CountedPlace { position: at(line, 3), array: "a".into(), class, kernel: "scale".into() };
        let found = RunFindings {
            programs: vec![ProgramFindings {
                name: "app".into(),
                findings: vec![finding],
                undecided: vec![undecided],
                places: vec![place(5, PlaceClass::Proved), place(11, PlaceClass::SAFE)],
                ..ProgramFindings::default()
            }],
            ..RunFindings::default()
        };
        let tool = ReportTool {
            version: "0.1.0".into(),
            z3: "5.4.0".into(),
            frontend: "clang".into(),
            axioms: Axioms { device_memory: 1 },
        };
        let (config, levels) = (Config::default(), Levels::default());
        let policy = Policy { config: &config, levels: &levels, root: &root, baseline: None };
        let assembled = assemble(found, tool, &policy, &sources);
        let origin = ReportOrigin {
            root: "/project/heat".into(),
            command: vec!["scuba".into(), "check".into(), "scale.cu".into()],
            revision: Some("0123456789ab".into()),
            ..ReportOrigin::default()
        };
        let contract =
            StatedContract { function: "k*".into(), requires: vec!["n < 5".into()], origin: "scuba.toml:3".into() };
        let kept = KeptReport::new(origin, assembled, vec![contract], &sources);
        let kept = KeptReport::read(&serde_json::to_vec(&kept).unwrap()).unwrap();
        page(&kept, "2026-01-02 03:04 UTC".into(), &sources).unwrap()
    }

    #[test]
    fn no_text_of_the_program_becomes_markup() {
        let dir = tempfile::tempdir().unwrap();
        let html = rendered(dir.path(), |f| {
            f.message = "read of `<script>alert(1)</script>` & {{ summary }}".into();
            f.access.kernel = "fill<int>(int*)\" onload=\"x".into();
            f.steps = vec![Step { kind: StepKind::Index, message: "<b>i</b>".into(), value: None, position: None }];
        });
        assert_eq!(html.matches("<script").count(), 1, "the page's own");
        assert!(html.contains("read of <code>&lt;script&gt;alert(1)&lt;/script&gt;</code> &amp; {{ summary }}"));
        assert!(html.contains("fill&#60;int&#62;(int*)&#34; onload=") && !html.contains("\" onload=\""), "{html}");
        assert!(html.contains("&lt;b&gt;i&lt;/b&gt;") && html.contains("a &lt; b"));
        assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
        for outside in ["src=", "href=\"http", "url(", "@import"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_witness_comes_first_and_every_link_leads_somewhere() {
        let dir = tempfile::tempdir().unwrap();
        let html = rendered(dir.path(), |f| {
            let step = |kind, message: &str, value: &str, line| Step {
                kind,
                message: message.into(),
                value: Some(value.into()),
                position: Some(at(line, 3)),
            };
            f.steps = vec![step(StepKind::Size, "`n`", "1", 9), step(StepKind::Allocation, "`a` in bytes", "4", 11)];
        });
        let order = ["argv[1] = ", "./app 1", "<ol class=\"steps\">", "<svg", "<pre class=\"source\">"];
        let places: Vec<usize> = order.iter().map(|text| html.find(text).unwrap_or_else(|| panic!("{text}"))).collect();
        assert!(places.is_sorted(), "{places:?}");
        let ids: std::collections::BTreeSet<&str> =
            html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let links: Vec<&str> = html.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.len() > 20, "{links:?}");
        for link in links {
            assert!(ids.contains(link), "#{link} leads nowhere");
        }
        for shown in ["<h1>heat</h1>", "0123456789ab", "scuba check scale.cu", "2026-01-02 03:04 UTC", "n &#60; 5"] {
            assert!(html.contains(shown), "{shown}");
        }
        assert!(html.contains("<a class=\"hit proved\"") && html.contains("<mark class=\"safe\""), "{html}");
        assert!(html.contains("a &lt; b") && html.contains("<code>scuba explain loop</code>"), "{html}");
    }

    #[test]
    fn a_source_that_changed_since_the_check_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let html = rendered(dir.path(), |_| {});
        assert!(!html.contains("has changed since the check"));
    }
}
