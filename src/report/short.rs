//! Renders one line per finding, in the form that editors and build tools recognise.

use super::assemble::Assembled;
use super::style::{Style, Verbosity};
use base::rules::Level;
use finding::Finding;
use std::io::{self, Write};

/// Writes the report in the format `short`.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(assembled: &Assembled, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let report = &assembled.report;
    for f in report.findings.iter().filter(|f| style.verbosity > Verbosity::Quiet || f.level == Level::Deny) {
        writeln!(out, "{}", line(f))?;
    }
    if style.verbosity == Verbosity::Verbose {
        for u in &report.undecided {
            writeln!(out, "{}: undecided: `{}` in `{}`: {}", u.position, u.array, u.kernel, u.reason)?;
        }
    }
    Ok(())
}

/// Formats `file:line:column: error[rule]: message`; without a line, adds the kernel and the expression.
fn line(f: &Finding) -> String {
    let p = &f.access.position;
    let place = if p.line > 0 {
        String::new()
    } else {
        format!(": `{}[{}]` in `{}`", f.access.array, f.access.index, f.access.kernel)
    };
    format!("{p}: {}[{}]: {}{place}", word(f.level), f.rule, f.message.replace('\n', " "))
}

/// Returns the word for a level in text formats.
pub(super) fn word(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "note",
    }
}
