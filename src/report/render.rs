//! Chooses the renderer and the output stream of a report.

use super::assemble::Assembled;
use super::human::HumanRenderer;
use super::{sarif, short};
use finding::sources::SourceFiles;
use std::io::{self, Write};

/// Value of `--message-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// Excerpts of the source with what goes wrong and for which input
    #[default]
    Human,
    /// One line per finding: file:line:column: level[rule]: message
    Short,
    /// One document of schema scuba-findings/1
    Json,
    /// SARIF 2.1.0
    Sarif,
}

impl MessageFormat {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Short => "short",
            Self::Json => "json",
            Self::Sarif => "sarif",
        }
    }

    /// Whether the format is a document for machines, which goes to standard output; text for people goes to standard
    /// error.
    #[must_use]
    pub fn is_document(self) -> bool {
        matches!(self, Self::Json | Self::Sarif)
    }
}

impl std::str::FromStr for MessageFormat {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        <Self as clap::ValueEnum>::from_str(s, false)
    }
}

/// Amount of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Denied findings only.
    Quiet,
    #[default]
    Normal,
    /// Undecided accesses and notes too.
    Verbose,
}

/// Style of the text renderers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// True to write ANSI escape sequences.
    pub colour: bool,
    pub verbosity: Verbosity,
    /// True to end with a line of counts; the shim writes none.
    pub summary: bool,
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
    match format {
        MessageFormat::Human => HumanRenderer { style, sources }.write(assembled, out),
        MessageFormat::Short => short::write(assembled, style, out),
        MessageFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &assembled.report)?;
            writeln!(out)
        }
        MessageFormat::Sarif => {
            serde_json::to_writer_pretty(
                &mut *out,
                &sarif::document(assembled, style.verbosity == Verbosity::Verbose, sources),
            )?;
            writeln!(out)
        }
    }
}
