//! Language server: shows the findings of the last report in an editor, and checks files that are saved.
//!
//! In: messages of the Language Server Protocol 3.17, kept reports. Out: diagnostics, hovers, code actions. It checks
//! nothing itself: each check is another process of `scuba`, whose end in whatever way is a message to the user.

mod actions;
mod checks;
mod diagnostics;
mod hover;
mod protocol;
mod reports;
mod server;
mod text;
mod uri;
mod view;

use base::rules::Rule;
use report::kept::KeptReport;
use std::path::{Path, PathBuf};

/// Services of the caller.
#[derive(Clone, Debug)]
pub struct EditorTools {
    /// Program that checks: `scuba`.
    pub program: PathBuf,
    /// Last report about a folder.
    pub last_report: fn(&Path) -> Option<KeptReport>,
    /// Files that change with each build or check about a folder.
    pub kept_files: fn(&Path) -> Vec<PathBuf>,
    /// Decides whether something was built in a folder since its last report.
    pub is_behind: fn(&Path) -> bool,
    /// Report in a file.
    pub read_report: fn(&Path) -> Option<KeptReport>,
    /// File with the page of a rule, for links.
    pub rule_page: fn(Rule) -> Option<PathBuf>,
}

pub use server::{ServerEnd, serve};
