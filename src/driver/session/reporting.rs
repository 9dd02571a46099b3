//! Reports of a session: what a run found is made into a report, written in the chosen format, and recorded.

use super::Session;
use crate::cache::remote::SessionRemote;
use crate::history::{CheckRecord, HistoryRecord};
use crate::{Status, job_summary, output};
use anyhow::{Context, Result};
use facts::ReportedFinding;
use files::ContentStore;
use finding::sources::SourceFiles;
use finding::{Axioms, Report, ReportTool};
use nvcc::history::{self, BuildHistory};
use report::assemble::{Assembled, Policy, RunFindings, assemble};
use report::render::{MessageFormat, render, summary};
use std::path::PathBuf;
use std::time::Duration;

/// Longest time for which a command waits at its end until new entries of the remote cache are sent. What is left then is
/// sent by the process in the background.
const UNTIL_SENT: Duration = Duration::from_secs(5);

impl Session {
    /// Returns the remote cache of this run.
    #[must_use]
    pub const fn remote(&self) -> &SessionRemote {
        &self.remote
    }

    /// Returns the store of readings and verdicts, shared with other machines if there is a remote cache.
    #[must_use]
    pub fn store(&self) -> Option<ContentStore> {
        Some(ContentStore::of_this_process()?.shared_by(self.remote.entries()))
    }

    /// Ends the use of the remote cache by a command that no build waits for: sends what is new, waits for that a moment,
    /// and tells trouble in a line.
    pub fn close_remote(&self) {
        if let Some(line) = self.remote.refusals().filter(|_| self.verbose()) {
            output::complain(&output::harmless(&format!("note: {line}")));
        }
        self.remote.send(UNTIL_SENT);
        if let Some(trouble) = self.remote.trouble().filter(|t| !self.quiet() && (t.is_new || self.verbose())) {
            output::complain(&output::harmless(&format!("note: {}", trouble.line)));
        }
    }

    /// Makes a report of what was found, and returns it with the sources of its excerpts.
    #[must_use]
    pub fn assemble(&self, found: RunFindings, frontend: String) -> (Assembled, SourceFiles) {
        let tool = ReportTool {
            version: env!("CARGO_PKG_VERSION").into(),
            z3: check::z3_version().into(),
            frontend,
            axioms: Axioms { device_memory: self.config.limits.device_memory },
        };
        let sources = SourceFiles::new(self.root.clone());
        let policy =
            Policy { config: &self.config, levels: &self.levels, root: &self.root, baseline: self.baseline.as_ref() };
        let mut assembled = assemble(found, tool, &policy, &sources);
        if let Some(changes) = &self.changes {
            changes.keep_new(&mut assembled, &sources);
        }
        for f in &mut assembled.report.findings {
            f.confirmation = self.confirmations.of(f, &sources);
        }
        (assembled, sources)
    }

    /// Writes a report in the chosen format, in a single call.
    ///
    /// # Errors
    /// If it cannot be rendered.
    pub fn write(&self, assembled: &Assembled, sources: &SourceFiles) -> Result<()> {
        let mut text = Vec::new();
        render(assembled, self.format, self.style, sources, &mut text).context("cannot write the report")?;
        output::report(self.format, &String::from_utf8_lossy(&text));
        // Annotations are shown beside lines; a log needs the counts too.
        if self.format == MessageFormat::Github && self.style.summary && !self.quiet() {
            output::print_error(&format!("{}\n", summary(assembled)));
        }
        Ok(())
    }

    /// Writes the report of a whole run, with notices about the project's own comments and settings. Text omits
    /// findings that users were `told` of during the build.
    ///
    /// # Errors
    /// If it cannot be rendered.
    pub fn tell(&self, mut assembled: Assembled, sources: &SourceFiles, told: &[ReportedFinding]) -> Result<Status> {
        let status = self.status(&assembled);
        self.say_asides(&assembled);
        if !self.format.is_for_machines() {
            assembled.omit_findings(|f| told.iter().any(|t| t.covers(&f.fingerprint, f.level)));
        }
        self.write(&assembled, sources)?;
        if self.format == MessageFormat::Github {
            job_summary::append(&assembled, sources);
        }
        Ok(status)
    }

    /// Records the cost and the verdicts of a run, for `scuba stats`, in the first of these `.scuba` folders. `build`
    /// names the `scuba build` whose end this is.
    pub fn keep(&self, report: &Report, command: &str, build: Option<String>, took: Duration, folders: &[PathBuf]) {
        let Some(folder) = folders.first() else { return };
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let at = history::now().saturating_sub(milliseconds);
        let counts = self.tally.counts();
        BuildHistory::of(folder).add(&HistoryRecord::Check(CheckRecord {
            at,
            build,
            milliseconds,
            counts,
            ..CheckRecord::of(report, command)
        }));
    }

    /// Writes notes on comments that should accept a finding and cannot be understood; documents have no field for them.
    pub fn explain_comments(&self, assembled: &Assembled) {
        if self.format.is_document() {
            return;
        }
        let text = self.format == MessageFormat::Human;
        for n in assembled.notices_beside_findings().into_iter().filter(|n| !text || !assembled.is_at_finding(n)) {
            output::complain(&output::harmless(&format!("note: {}:{}: {}", n.file, n.line, n.message)));
        }
    }

    /// Writes what the report does not cover, and notices on the project's own comments and settings.
    pub fn say_asides(&self, assembled: &Assembled) {
        if self.quiet() {
            return;
        }
        for line in output::remarks(assembled) {
            output::complain(&output::harmless(&line));
        }
        let text = self.format == MessageFormat::Human;
        for n in assembled.notices.iter().filter(|n| !text || !assembled.is_at_finding(n)) {
            output::complain(&format!("{}:{}: {}", n.file, n.line, n.message));
        }
        for line in assembled.report.lacking().into_iter().filter(|_| self.strict) {
            output::complain(&format!("--strict: {line}"));
        }
    }

    #[must_use]
    pub fn status(&self, assembled: &Assembled) -> Status {
        if assembled.report.denied() {
            Status::Denied
        } else if self.strict && !assembled.report.lacking().is_empty() {
            Status::Unable
        } else {
            Status::Clean
        }
    }
}
