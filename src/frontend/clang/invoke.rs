//! Runs clang with a limit of time and reads its messages.

use super::insertions;
use files::normalise;
use files::store::{self, Readers};
use files::{Hashes, program};
use nvcc::processes::{self, TimeAllowance, Unfinished};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reason why clang wrote no bitcode, in one line.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The first error, and all messages with their ranges.
    #[error("{line}")]
    Error { line: String, stderr: String },
    #[error("cannot run {clang}: {message}; install clang-22 or name one under [frontend] clang")]
    NotFound { clang: PathBuf, message: String },
    #[error("clang took too long (limits.tu_seconds)")]
    TimedOut,
    #[error("clang crashed ({0})")]
    Crashed(String),
    /// The dynamic linker refused it: a library is missing, or the limit of memory is below what libraries alone take.
    #[error("clang cannot start: {0}; raise `memory` under [limits] if it is low, else install clang-22 again")]
    NotStarted(String),
}

impl Refusal {
    /// Whether a precompiled header is the likely reason: clang names it, or crashed.
    pub(super) fn concerns(&self, header: &Path) -> bool {
        match self {
            Self::Error { stderr, .. } => stderr.contains(&*header.to_string_lossy()),
            Self::Crashed(_) => true,
            Self::NotFound { .. } | Self::TimedOut | Self::NotStarted(_) => false,
        }
    }
}

/// Exit status of a program whose libraries cannot be loaded (glibc's dynamic linker, ld.so(8)), and what it says then.
const NOT_LOADED: (i32, &str) = (127, "error while loading shared libraries: ");

/// Largest part of clang's messages that is read, in bytes.
const MAX_OUTPUT: usize = 64 << 20;

/// Runs clang to its end, or until its time is over.
pub(super) fn clang(clang: &Path, arguments: &[String], directory: &Path, time: &TimeAllowance) -> Result<(), Refusal> {
    let mut command = Command::new(clang);
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The worker may be killed at any time, and then nobody waits for this process.
    let child = processes::start(&mut command)
        .map_err(|e| Refusal::NotFound { clang: clang.to_owned(), message: e.to_string() })?;
    let ended = processes::finish(child, vec![], MAX_OUTPUT, time).map_err(|why| match why {
        Unfinished::TimedOut => Refusal::TimedOut,
        why => Refusal::Crashed(why.to_string()),
    })?;
    let stderr = String::from_utf8_lossy(&ended.errors).into_owned();
    match first_error(&insertions::without_ranges(&stderr)) {
        _ if ended.status.success() => Ok(()),
        Some(line) if ended.status.signal().is_none() => Err(Refusal::Error { line, stderr }),
        _ => Err(match not_loaded(ended.status.code(), &stderr) {
            Some(why) => Refusal::NotStarted(why.to_owned()),
            None => Refusal::Crashed(processes::how(ended.status)),
        }),
    }
}

/// Returns why the dynamic linker did not load a program.
fn not_loaded(status: Option<i32>, stderr: &str) -> Option<&str> {
    let (code, words) = NOT_LOADED;
    let line = stderr.lines().next().filter(|_| status == Some(code))?;
    Some(line.split_once(words)?.1)
}

/// Returns clang's first `error:` line.
fn first_error(stderr: &str) -> Option<String> {
    stderr.lines().find(|l| l.contains(" error: ") || l.starts_with("error: ")).map(|l| l.trim().to_owned())
}

/// Whether clang's first error is in code that it read before the source: its own headers and those that they include.
pub(super) fn is_before_the_source(stderr: &str) -> bool {
    let mut included_by = None;
    for line in stderr.lines() {
        if let Some(from) = line.strip_prefix("In file included from ") {
            included_by = included_by.or(Some(from));
        } else if line.contains(" error: ") {
            return included_by.is_some_and(|from| from.starts_with("<built-in>"));
        } else {
            included_by = None;
        }
    }
    false
}

/// Returns the version, `clang 22.1.8`. Running a program for it takes as long as reading a small source, so the answer
/// is cached in a folder, if there is one, until the program's file changes.
pub(super) fn version(clang: &Path, kept: Option<&Path>) -> Option<String> {
    let place = kept.and_then(|folder| Some(folder.join(format!("version-2-{}", identity(clang)?))));
    if let Some(known) = place.as_deref().and_then(store::read) {
        return Some(known);
    }
    let version = asked(clang)?;
    if let Some((place, folder)) = place.zip(kept) {
        // If the answer cannot be cached, clang runs again next time.
        let _ = store::write(folder, &place, Readers::Owner, &version);
    }
    Some(version)
}

/// Returns a name for the present contents of a program. `None` for scripts, which may run anything.
pub(super) fn identity(program: &Path) -> Option<String> {
    let file = which::which(program).ok()?;
    let mut magic = [0; 4];
    std::fs::File::open(&file).ok()?.read_exact(&mut magic).ok()?;
    let text = program::identity(&file, Hashes::of_this_process()).filter(|_| magic == *b"\x7fELF")?;
    Some(blake3::hash(text.as_bytes()).to_hex()[..16].to_owned())
}

fn asked(clang: &Path) -> Option<String> {
    let out = Command::new(clang).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let rest = text.split("clang version ").nth(1)?;
    Some(format!("clang {}", rest.split_whitespace().next()?))
}

/// Returns the files named by a make-style depfile, as absolute paths; none if it does not exist.
pub(super) fn dependencies(depfile: &Path, directory: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(depfile).unwrap_or_default();
    parse_depfile(&text).into_iter().map(|p| normalise(directory, Path::new(&p))).collect()
}

/// Parses the prerequisites of a depfile: blanks end a name unless escaped, `$$` is a dollar, a backslash before a line
/// end joins lines.
fn parse_depfile(text: &str) -> Vec<String> {
    let Some((_, list)) = text.split_once(": ") else { return vec![] };
    let mut out = vec![];
    let mut name = String::new();
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some('\n')) => {
                chars.next();
                flush(&mut name, &mut out);
            }
            '\\' if matches!(chars.peek(), Some(' ' | '#' | '\\')) => name.extend(chars.next()),
            '$' if matches!(chars.peek(), Some('$')) => {
                chars.next();
                name.push('$');
            }
            c if c.is_whitespace() => flush(&mut name, &mut out),
            c => name.push(c),
        }
    }
    flush(&mut name, &mut out);
    out
}

fn flush(name: &mut String, out: &mut Vec<String>) {
    if !name.is_empty() {
        out.push(std::mem::take(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depfiles_are_read_with_their_escapes() {
        let text = "a.o: a.cu /inc/b\\ c.h \\\n  d$$.h \\\n  e\\#f.h\n";
        assert_eq!(parse_depfile(text), ["a.cu", "/inc/b c.h", "d$.h", "e#f.h"]);
        assert!(parse_depfile("").is_empty());
    }

    #[test]
    fn errors_before_the_source_are_told_by_who_includes_them() {
        let built_in = "In file included from <built-in>:1:\nIn file included from /c/wrapper.h:5:\n/c/cuda.h:9:1: error: expected ')'\n";
        let own = "In file included from a.cu:1:\n/c/b.h:9:1: error: expected ')'\n";
        assert!(is_before_the_source(built_in) && is_before_the_source(&format!("{built_in}{own}")));
        assert!(
            !is_before_the_source(own) && !is_before_the_source("a.cu:1:1: error: b\n") && !is_before_the_source("")
        );
        assert!(!is_before_the_source(&format!("In file included from <built-in>:1:\nw.h:1:1: warning: w\n{own}")));
    }

    #[test]
    fn the_first_error_is_found() {
        let text = "warning: x\nIn file included from a\na.cu:3:1: error: unknown type name 'foo'\na.cu:4: error: b\n";
        assert_eq!(first_error(text).as_deref(), Some("a.cu:3:1: error: unknown type name 'foo'"));
        assert_eq!(first_error("clang++: error: no such file").as_deref(), Some("clang++: error: no such file"));
        assert_eq!(first_error("note: nothing"), None);
    }
}
