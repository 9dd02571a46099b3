//! `scuba lsp`: the language server.

use crate::{Status, last_report};
use anyhow::{Context, Result, anyhow};
use base::rules::Rule;
use base::{own_program, paths};
use editor::{EditorTools, ServerEnd};
use files::store::{self, Readers};
use std::path::PathBuf;

/// Serves a client on standard input and output.
///
/// # Errors
/// If the client does not begin as the protocol says.
pub fn run() -> Result<Status> {
    let tools = EditorTools {
        program: own_program::path().context("cannot find this program")?,
        last_report: last_report::find,
        kept_files: last_report::watched,
        is_behind: last_report::is_behind,
        read_report: last_report::read,
        rule_page,
    };
    let here = std::env::current_dir().context("the working folder does not exist")?;
    match editor::serve(tools, here) {
        Ok(ServerEnd::Asked) => Ok(Status::Clean),
        Ok(ServerEnd::Lost) => Ok(Status::Denied),
        Err(e) => Err(anyhow!("{e}")),
    }
}

/// Returns a file with the page of a rule in the user's cache, and writes it if it is not there.
fn rule_page(rule: Rule) -> Option<PathBuf> {
    let root = paths::cache()?;
    let path = root.join("rules").join(format!("{rule}.md"));
    let page = rule.info().page;
    if std::fs::read(&path).is_ok_and(|there| there == page.as_bytes()) {
        return Some(path);
    }
    store::replace(&root, &path, Readers::Owner, page.as_bytes()).ok()?;
    Some(path)
}
