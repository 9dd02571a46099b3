//! Formats that services which run builds read: annotations and a job summary for GitHub, a code quality report for
//! GitLab, and test results as JUnit writes them. Paths are relative to the repository.

mod github;
mod gitlab;
pub mod job_summary;
mod junit;
#[cfg(test)]
mod tests;

pub(super) use github::write as write_github;
pub(super) use gitlab::report as gitlab_report;
pub(super) use junit::write as write_junit;
