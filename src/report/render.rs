//! Chooses the renderer and the output stream of a report.

use super::assemble::Assembled;
use super::human::{HumanRenderer, summary_line};
use super::shard::ShardPart;
pub use super::style::{MessageFormat, Style, Verbosity};
use super::{ci, sarif, short};
use finding::Report;
use finding::sources::SourceFiles;
use serde::Serialize;
use std::io::{self, Write};

/// The JSON document; that of a shard has one field more.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'a ShardPart>,
}

/// Returns the line of counts that ends a report for people.
#[must_use]
pub fn summary(assembled: &Assembled) -> String {
    summary_line(assembled)
}

/// Writes a report.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn render(
    assembled: &Assembled,
    format: MessageFormat,
    style: Style,
    sources: &SourceFiles,
    out: &mut dyn Write,
) -> io::Result<()> {
    let document = |out: &mut dyn Write, value: &serde_json::Value| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        writeln!(out)
    };
    match format {
        MessageFormat::Human => HumanRenderer { style, sources }.write(assembled, out),
        MessageFormat::Short => short::write(assembled, style, out),
        MessageFormat::Json => {
            let shard = assembled.shard.as_deref();
            serde_json::to_writer_pretty(&mut *out, &Document { report: &assembled.report, shard })?;
            writeln!(out)
        }
        MessageFormat::Sarif => {
            document(out, &sarif::document(assembled, style.verbosity == Verbosity::Verbose, sources))
        }
        MessageFormat::Github => ci::write_github(assembled, style, sources, out),
        MessageFormat::Gitlab => document(out, &ci::gitlab_report(&assembled.report, sources)),
        MessageFormat::Junit => ci::write_junit(assembled, sources, out),
    }
}
