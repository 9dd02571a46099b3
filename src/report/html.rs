//! Renders one self-contained page: no script, no external resources.

use super::assemble::Assembled;
use super::human::notes;
use super::short::word;
use super::span;
use base::rules::Level;
use finding::sources::SourceFiles;
use finding::{Finding, Summary, Verdict};
use std::fmt::Write as _;

const TEMPLATE: &str = include_str!("../../templates/report.html");
/// Number of source lines shown before and after a position.
const AROUND: u32 = 2;

/// Renders the page.
#[must_use]
pub fn page(assembled: &Assembled, sources: &SourceFiles) -> String {
    let report = &assembled.report;
    let findings: String = if report.findings.is_empty() {
        "<p>No findings.</p>".into()
    } else {
        report.findings.iter().map(|f| article(f, sources)).collect()
    };
    let undecided = table(
        "Undecided accesses",
        ["Place", "Array", "Kernel", "Why"],
        report.undecided.iter().map(|u| {
            let p = &u.position;
            [p.to_string(), u.array.clone(), u.kernel.clone(), u.reason.clone()]
        }),
    );
    let not_analysed = table(
        "Not analysed",
        ["File", "Side", "Why"],
        report.not_analysed.iter().map(|n| [n.file.clone(), n.side.clone(), n.reason.clone()]),
    );
    let unseen = table(
        "Linked without being read",
        ["Program", "Object", "Why"],
        report.unseen.iter().map(|u| [u.program.clone(), u.object.clone(), u.reason.clone()]),
    );
    let t = &report.tool;
    let tool = format!(
        "SCuBA {}, Z3 {}, {}; device memory at most {} bytes",
        t.version, t.z3, t.frontend, t.axioms.device_memory
    );
    fill(&[
        ("summary", summary(&report.summary, assembled.suppressed.len())),
        ("findings", findings),
        ("undecided", undecided),
        ("not_analysed", not_analysed + &unseen),
        ("tool", escape(&tool)),
    ])
}

/// Replaces the `{{name}}`s of the template in one pass: inserted text is not searched again.
fn fill(values: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        if let Some((_, value)) = values.iter().find(|(n, _)| *n == name) {
            page.push_str(value);
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn summary(s: &Summary, accepted: usize) -> String {
    let items = [
        (s.programs, "programs"),
        (s.translation_units, "translation units"),
        (s.kernels, "kernels"),
        (s.launches, "launches"),
        (s.accesses, "accesses"),
        (s.safe, "safe"),
        (s.safe_if_no_wrap, "safe unless an index wraps"),
        (s.safe_assuming, "safe only under an assumption"),
        (s.proved, "proved wrong"),
        (s.possible, "possibly wrong"),
        (s.unknown, "undecided"),
        (s.not_analysed, "sides not analysed"),
        (s.built_without_analysis, "units built without the analysis"),
        (s.unseen, "objects linked without being read"),
        (u32::try_from(accepted).unwrap_or(u32::MAX), "findings accepted"),
    ];
    let list: String = items.iter().map(|(n, what)| format!("<li><b>{n}</b> {what}</li>\n")).collect();
    format!("<ul class=\"counts\">\n{list}</ul>")
}

fn article(f: &Finding, sources: &SourceFiles) -> String {
    let class = match f.level {
        Level::Deny => "deny",
        Level::Warn => "warn",
        Level::Note | Level::Allow => "note",
    };
    let verdict = match f.verdict {
        Verdict::Proved => "proved",
        Verdict::Possible => "possible",
    };
    let p = &f.access.position;
    let mut html = format!(
        "<article class=\"{class}\" id=\"{}\">\n<h2><span class=\"level\">{}[{}]</span>: {}</h2>\n<p>{verdict}; {}</p>\n",
        escape(&f.fingerprint),
        word(f.level),
        f.rule,
        escape(&f.message),
        escape(f.rule.title())
    );
    html += &place("access", &p.file, p.line, p.column, Some(&f.access.array), sources);
    if let Some(a) = f.allocation.as_ref().filter(|a| !a.file.is_empty()) {
        html += &place(&format!("allocation: {} bytes", a.extent), &a.file, a.line, a.column, None, sources);
    }
    if let Some(l) = f.launch.as_ref().filter(|l| !l.file.is_empty()) {
        html +=
            &place(&format!("launch: grid {}, block {}", l.grid, l.block), &l.file, l.line, l.column, None, sources);
    }
    for r in &f.related {
        html += &place(&r.what, &r.position.file, r.position.line, r.position.column, None, sources);
    }
    html += "<ul>\n";
    for note in notes(f) {
        let _ = writeln!(html, "<li>{}</li>", escape(&note));
    }
    html += "</ul>\n</article>\n";
    html
}

fn place(what: &str, file: &str, line: u32, column: u32, array: Option<&str>, sources: &SourceFiles) -> String {
    let mut html = format!(
        "<div class=\"at\">{} &mdash; {}</div>\n",
        escape(&finding::Position { file: file.to_owned(), line, column }.to_string()),
        escape(what)
    );
    if line == 0 {
        return html;
    }
    let lines: Vec<(u32, String)> = (line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
        .filter_map(|n| sources.line(file, n).map(|text| (n, text)))
        .collect();
    if lines.is_empty() {
        return html;
    }
    html += "<pre>";
    for (n, text) in lines {
        let _ = write!(html, "<span class=\"n\">{n:>5} </span>");
        if n == line {
            let r = span::expression(&text, column, array);
            let _ = writeln!(
                html,
                "{}<mark>{}</mark>{}",
                escape(&text[..r.start]),
                escape(&text[r.clone()]),
                escape(&text[r.end..])
            );
        } else {
            let _ = writeln!(html, "{}", escape(&text));
        }
    }
    html += "</pre>\n";
    html
}

fn table<const N: usize>(title: &str, heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let body: String = rows
        .map(|cells| {
            let cells: String = cells.iter().map(|c| format!("<td>{}</td>", escape(c))).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    if body.is_empty() {
        return String::new();
    }
    let heads: String = heads.iter().map(|h| format!("<th>{h}</th>")).collect();
    format!("<h2>{title}</h2>\n<table>\n<tr>{heads}</tr>\n{body}</table>")
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::assemble::{Policy, ProgramFindings, RunFindings, assemble};
    use crate::levels::Levels;
    use config::Config;
    use finding::paths::ProjectRoot;
    use finding::samples;
    use finding::sources::SourceFiles;
    use finding::{Axioms, Position, ReasonCode, ReportTool, Undecided};

    #[test]
    fn a_page_holds_excerpts_and_no_text_of_the_program_becomes_markup() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("scale.cu"), samples::SCALE).unwrap();
        let root = ProjectRoot::new(dir.path().to_owned());
        let sources = SourceFiles::new(root.clone());
        let mut finding = samples::finding();
        finding.message = "read of `<script>alert(1)</script>` & {{summary}}".into();
        finding.access.kernel = "fill<int>(int*)".into();
        for file in [
            &mut finding.access.position.file,
            &mut finding.allocation.as_mut().unwrap().file,
            &mut finding.launch.as_mut().unwrap().file,
        ] {
            *file = "scale.cu".into();
        }
        let undecided = Undecided {
            position: Position { file: "scale.cu".into(), line: 5, column: 3 },
            kernel: "fill<int>(int*)".into(),
            array: "b".into(),
            code: ReasonCode::Other,
            reason: "a < b".into(),
            related: vec![],
        };
        let found = RunFindings {
            programs: vec![ProgramFindings {
                name: "app".into(),
                findings: vec![finding],
                undecided: vec![undecided],
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
        let html = page(
            &assemble(found, tool, &Policy { config: &config, levels: &levels, root: &root, baseline: None }, &sources),
            &sources,
        );
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
        assert!(html.contains("& {{summary}}".replace('&', "&amp;").as_str()), "what is put in is not filled in again");
        assert!(html.contains("fill&lt;int&gt;(int*)") && html.contains("a &lt; b"));
        assert!(
            html.contains("<mark>a[i]</mark>")
                && html.contains("<mark>scale&lt;&lt;&lt;(n + 255) / 256, 256&gt;&gt;&gt;(a, n)</mark>"),
            "{html}"
        );
        assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    }
}
