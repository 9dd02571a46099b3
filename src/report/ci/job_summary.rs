//! Renders the summary of a job in Markdown, which GitHub shows on the page of a workflow's run.

use crate::assemble::Assembled;
use crate::human::summary_line;
use crate::repository::RepositoryPaths;
use crate::sentences;
use crate::short::word;
use finding::sources::SourceFiles;
use finding::{Finding, ReasonCode};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Number of findings that the table shows; GitHub ignores a summary of more than 1 MiB.
const ROWS: usize = 200;

/// Address of the sources of one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLinks {
    /// `https://github.com/OWNER/NAME/blob/COMMIT`.
    base: String,
}

impl SourceLinks {
    /// Returns the address that GitHub's variables `GITHUB_SERVER_URL`, `GITHUB_REPOSITORY` and `GITHUB_SHA` give.
    #[must_use]
    pub fn new(server: &str, repository: &str, commit: &str) -> Self {
        Self { base: format!("{}/{repository}/blob/{commit}", server.trim_end_matches('/')) }
    }

    fn line(&self, path: &str, line: u32) -> String {
        let path: String = path
            .bytes()
            .map(|b| match b {
                b'/' | b'-' | b'.' | b'_' | b'~' | b'+' | b'@' => char::from(b).to_string(),
                b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
                b => format!("%{b:02X}"),
            })
            .collect();
        let anchor = if line > 0 { format!("#L{line}") } else { String::new() };
        format!("{}/{path}{anchor}", self.base)
    }
}

/// Renders the summary; `remarks` are lines below the counts.
#[must_use]
pub fn markdown(
    assembled: &Assembled,
    links: Option<&SourceLinks>,
    remarks: &[String],
    sources: &SourceFiles,
) -> String {
    let report = &assembled.report;
    let paths = RepositoryPaths::of(sources.root());
    let line = summary_line(assembled);
    // A String is always written.
    let mut text = format!("## SCuBA\n\n{}\n", cell(line.strip_prefix("scuba: ").unwrap_or(&line)));
    for remark in remarks {
        let _ = write!(text, "\n{}\n", cell(remark));
    }
    if !report.findings.is_empty() {
        text.push_str("\n| level | rule | place | finding |\n| --- | --- | --- | --- |\n");
        for f in report.findings.iter().take(ROWS) {
            let _ = writeln!(text, "{}", row(f, links, &paths));
        }
        if let Some(more) = report.findings.len().checked_sub(ROWS).filter(|more| *more > 0) {
            let _ = write!(text, "\nFindings that the table leaves out: {more}.\n");
        }
    }
    text.push_str(&undecided(assembled));
    text
}

fn row(f: &Finding, links: Option<&SourceLinks>, paths: &RepositoryPaths) -> String {
    let p = &f.access.position;
    let shown = paths.show(&p.file);
    let place = if p.line > 0 { format!("{shown}:{}", p.line) } else { shown };
    let place = match links.zip(paths.relative(&p.file)) {
        Some((links, path)) => format!("[{}]({})", cell(&place), links.line(&path, p.line)),
        None => cell(&place),
    };
    format!("| {} | `{}` | {place} | {} |", word(f.level), f.rule, cell(&sentences::of(f).join(" ")))
}

/// Returns the undecided accesses by the cause that `scuba` names, the most frequent first.
fn undecided(assembled: &Assembled) -> String {
    let mut causes: BTreeMap<ReasonCode, (usize, &str)> = BTreeMap::new();
    for u in &assembled.report.undecided {
        causes.entry(u.code).or_insert((0, &u.reason)).0 += 1;
    }
    if causes.is_empty() {
        return String::new();
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(code, (count, _))| (std::cmp::Reverse(*count), *code));
    let mut text = String::from("\n### Undecided\n\n| cause | places | for example |\n| --- | --- | --- |\n");
    for (code, (count, reason)) in causes {
        let code = serde_json::to_value(code).ok();
        let code = code.as_ref().and_then(serde_json::Value::as_str).unwrap_or("other");
        let _ = writeln!(text, "| `{code}` | {count} | {} |", cell(reason));
    }
    text
}

/// Escapes what would end a cell of a table, or become markup. Text between backquotes is code, where only `|` counts.
fn cell(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let balanced = text.matches('`').count().is_multiple_of(2);
    let mut escaped = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '`' if balanced => in_code = !in_code,
            '|' => escaped.push('\\'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '~' | '@' if !in_code => escaped.push('\\'),
            _ => {}
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{SourceLinks, cell};

    #[test]
    fn text_stays_text_in_a_cell() {
        assert_eq!(cell("`a[i] | b` of <x>\n|"), "`a[i] \\| b` of \\<x\\> \\|");
        assert_eq!(cell("one ` alone *"), "one \\` alone \\*");
    }

    #[test]
    fn links_are_to_lines_of_a_commit() {
        let links = SourceLinks::new("https://github.com/", "o/n", "c0ffee");
        assert_eq!(links.line("src/my file.cu", 7), "https://github.com/o/n/blob/c0ffee/src/my%20file.cu#L7");
        assert_eq!(links.line("a.cu", 0), "https://github.com/o/n/blob/c0ffee/a.cu");
    }
}
