//! `scuba report`: writes the last report as a page or as SARIF.

use super::stats::moment;
use crate::args::ReportArgs;
use crate::last_report::{self, CheckSubject};
use crate::programs::{folders, stored};
use crate::{Status, output};
use anyhow::{Context, Result};
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use report::kept::KeptReport;
use report::levels::Overrides;
use report::{html, sarif};
use std::path::Path;

/// # Errors
/// If nothing was built or checked here, or a file cannot be written.
pub fn run(args: &ReportArgs, overrides: Overrides) -> Result<Status> {
    let here = folders::chosen(args.dir.as_deref())?;
    let (kept, sources) = match last_report::without_facts(&here) {
        Some(kept) => {
            let sources = SourceFiles::new(ProjectRoot::new(kept.origin.root.clone()));
            (kept, sources)
        }
        None => of_facts(args, overrides, &here)?,
    };
    if let Some(path) = &args.html {
        let date = format!("{} UTC", moment(kept.origin.at));
        write(path, &html::page(&kept, date, &sources).context("cannot render the page")?)?;
    }
    if let Some(path) = &args.sarif {
        let text = serde_json::to_string_pretty(&sarif::document(&kept.assembled, args.common.verbose, &sources))
            .context("cannot render SARIF")?;
        write(path, &(text + "\n"))?;
    }
    // The user asked for a report, not for a verdict.
    Ok(Status::Clean)
}

/// Checks the programs of the last build; most verdicts are in the cache.
fn of_facts(args: &ReportArgs, overrides: Overrides, here: &Path) -> Result<(KeptReport, SourceFiles)> {
    let (mut stored, session) = stored::open_with_session(args.dir.as_deref(), &args.common, &overrides)?;
    stored.refresh(&session);
    let session = session.with_baseline()?.with_confirmations(stored.folders());
    let checked = stored.check(&session);
    let (assembled, sources) = session.assemble(checked.found, checked.frontend);
    session.say_asides(&assembled);
    let (folders, contracts) = (stored.folders(), checked.contracts);
    let subject = CheckSubject { folders, contracts, of_facts: true, ..CheckSubject::default() };
    let mut kept = last_report::of(&session, assembled, &sources, &subject, here.to_owned());
    // The build or check that users know, not this command.
    if let Some(last) = last_report::find(here).filter(|last| last.origin.of_facts) {
        (kept.origin.command, kept.origin.at) = (last.origin.command, last.origin.at);
        kept.origin.beyond_diff_base = last.assembled.report.diff_base.map(|base| base.revision);
    }
    Ok((kept, sources))
}

/// Writes a file; `-` is standard output.
fn write(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        output::print(text);
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
