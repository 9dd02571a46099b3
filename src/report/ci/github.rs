//! Renders GitHub's workflow commands, which become annotations of the lines of a pull request.
//!
//! Source of form and escapes: "Workflow commands for GitHub Actions" of GitHub's documentation, and
//! `packages/core/src/command.ts` of github.com/actions/toolkit.

use crate::assemble::Assembled;
use crate::region;
use crate::repository::RepositoryPaths;
use crate::sentences;
use crate::style::{Style, Verbosity};
use base::rules::Level;
use finding::Finding;
use finding::sources::SourceFiles;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes one command for each finding.
///
/// # Errors
/// Fails if `out` cannot be written.
pub(crate) fn write(assembled: &Assembled, style: Style, sources: &SourceFiles, out: &mut dyn Write) -> io::Result<()> {
    let paths = RepositoryPaths::of(sources.root());
    let shown = |f: &&Finding| style.verbosity > Verbosity::Quiet || f.level == Level::Deny;
    for f in assembled.report.findings.iter().filter(shown) {
        writeln!(out, "{}", command(f, &paths, sources))?;
    }
    Ok(())
}

fn command(f: &Finding, paths: &RepositoryPaths, sources: &SourceFiles) -> String {
    let name = match f.level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "notice",
    };
    let p = &f.access.position;
    let mut command = format!("::{name} file={}", property(&paths.show(&p.file)));
    // A String is always written.
    if let Some(region) = region::at(p, Some(&f.access.array), sources) {
        let _ = write!(command, ",line={0},endLine={0}", region.line);
        if region.column > 0 {
            let _ = write!(command, ",col={}", region.column);
        }
        // The column of the last character.
        if region.end_column > region.column {
            let _ = write!(command, ",endColumn={}", region.end_column - 1);
        }
    }
    let title = format!("{}: {}", f.rule, f.rule.title());
    let _ = write!(command, ",title={}::{}", property(&title), data(&text(f, paths)));
    command
}

/// Returns the annotation's text: what goes wrong, for which input, and where the object and the launch are.
fn text(f: &Finding, paths: &RepositoryPaths) -> String {
    let mut lines = sentences::of(f);
    let place = |file: &str, line: u32| match line {
        0 => paths.show(file),
        line => format!("{}:{line}", paths.show(file)),
    };
    if let Some(al) = f.allocation.as_ref().filter(|al| !al.file.is_empty()) {
        lines.push(format!("Its extent is {} bytes: {}.", al.extent, place(&al.file, al.line)));
    }
    if let Some(l) = f.launch.as_ref().filter(|l| !l.file.is_empty()) {
        lines.push(format!("It is launched with grid {}, block {}: {}.", l.grid, l.block, place(&l.file, l.line)));
    }
    lines.push(format!("`scuba explain {}` says more.", f.rule));
    lines.join("\n")
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped() {
        assert_eq!(data("100% of a[i, j]: x\r\ny"), "100%25 of a[i, j]: x%0D%0Ay");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
