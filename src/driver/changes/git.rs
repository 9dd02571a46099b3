//! Questions to git about a repository. Settings of users and colours have no influence on the answers.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository, as far as `--diff-base` asks it.
#[derive(Debug)]
pub(super) struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// Finds the repository that holds a folder, for messages about a revision.
    pub(super) fn of(folder: &Path, revision: &str) -> Result<Self> {
        let said = run(folder, &["rev-parse", "--show-toplevel"])?;
        if !said.status.success() {
            let why = first_line(&said.stderr);
            if why.contains("not a git repository") {
                bail!("--diff-base {revision}: {} is in no git repository", folder.display());
            }
            let hint = match why.contains("dubious ownership") {
                true => "; if you trust it: `git config --global --add safe.directory FOLDER`",
                false => "",
            };
            bail!("--diff-base {revision}: git cannot read the repository of {}: {why}{hint}", folder.display());
        }
        let top = text(&said.stdout);
        Ok(Self { folder: PathBuf::from(top.trim_end_matches('\n')) })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the last common ancestor of a revision and the present commit.
    pub(super) fn ancestor(&self, revision: &str) -> Result<String> {
        let of_commit = format!("{revision}^{{commit}}");
        let known = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &of_commit])?;
        let here = self.folder.display();
        let Some(commit) = known else {
            let remote = format!("origin/{revision}");
            let hint = if self.is_shallow()? {
                shallow(revision)
            } else if self.ask(&["rev-parse", "--verify", "--quiet", &format!("{remote}^{{commit}}")])?.is_some() {
                format!(": did you mean `{remote}`?")
            } else {
                String::new()
            };
            bail!("--diff-base: there is no revision `{revision}` in {here}{hint}");
        };
        let ancestor = self.ask(&["merge-base", "--end-of-options", &commit, "HEAD"])?;
        ancestor.map_or_else(
            || {
                let hint = if self.is_shallow()? { shallow(revision) } else { String::new() };
                bail!("--diff-base: `{revision}` and the present commit have no common ancestor in {here}{hint}")
            },
            Ok,
        )
    }

    /// Returns the differences of the working tree from a commit, as a patch without context lines.
    pub(super) fn diff(&self, commit: &str) -> Result<String> {
        let said = run(
            &self.folder,
            &[
                "diff",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "--text",
                "--find-renames",
                "--no-relative",
                "--diff-algorithm=histogram",
                "--submodule=short",
                "--src-prefix=a/",
                "--dst-prefix=b/",
                "--inter-hunk-context=0",
                "--unified=0",
                commit,
                "--",
            ],
        )?;
        self.answer(said)
    }

    /// Returns the paths that git tracks, those of submodules too.
    pub(super) fn tracked(&self) -> Result<std::collections::BTreeSet<String>> {
        let said = run(&self.folder, &["ls-files", "-z", "--full-name", "--recurse-submodules"])?;
        let all = self.answer(said)?;
        Ok(all.split('\0').filter(|p| !p.is_empty()).map(str::to_owned).collect())
    }

    fn is_shallow(&self) -> Result<bool> {
        Ok(self.ask(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true"))
    }

    /// Returns one line; `None` if git says no.
    fn ask(&self, arguments: &[&str]) -> Result<Option<String>> {
        let said = run(&self.folder, arguments)?;
        let line = text(&said.stdout).lines().next().map(str::to_owned);
        Ok(line.filter(|_| said.status.success()))
    }

    fn answer(&self, said: Output) -> Result<String> {
        if !said.status.success() {
            bail!("--diff-base: git failed in {}: {}", self.folder.display(), first_line(&said.stderr));
        }
        Ok(text(&said.stdout))
    }
}

/// Returns what to do where a clone lacks the history of a revision.
fn shallow(revision: &str) -> String {
    let name = revision.strip_prefix("origin/").unwrap_or(revision);
    format!(
        ": this clone is shallow. Fetch the history (`git fetch --unshallow origin {name}`), or clone with it (actions/checkout: `fetch-depth: 0`; GitLab: `GIT_DEPTH: 0`)"
    )
}

fn run(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new("git");
    // A hook of git has these, some of them relative to another folder.
    for name in ["GIT_DIFF_OPTS", "GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    command
        .args(["--no-pager", "--no-optional-locks", "-c", "core.quotePath=false"])
        .args(arguments)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .output()
        .context("--diff-base: git cannot be run; install it")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn first_line(bytes: &[u8]) -> String {
    text(bytes).lines().next().unwrap_or_default().to_owned()
}
