//! The summary of a job of GitHub Actions: a file that the environment names, in which each step adds its part.
//!
//! In: `GITHUB_STEP_SUMMARY`, and for links `GITHUB_SERVER_URL`, `GITHUB_REPOSITORY` and `GITHUB_SHA`. Out: Markdown at
//! the end of that file. A failure costs one line, not the verdict.

use super::output;
use finding::sources::SourceFiles;
use report::assemble::Assembled;
use report::ci::job_summary::{SourceLinks, markdown};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Appends the run's summary, if the environment names a file for it.
pub(crate) fn append(assembled: &Assembled, sources: &SourceFiles) {
    let Some(path) = variable("GITHUB_STEP_SUMMARY") else { return };
    let text = markdown(assembled, links().as_ref(), &output::remarks(assembled), sources);
    let file = OpenOptions::new().create(true).append(true).open(Path::new(&path));
    if let Err(e) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        output::complain(&format!("the job's summary cannot be written to {path} (GITHUB_STEP_SUMMARY): {e}"));
    }
}

fn links() -> Option<SourceLinks> {
    let [server, repository, commit] = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"].map(variable);
    Some(SourceLinks::new(&server?, &repository?, &commit?))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
