//! Messages that are printed once per build, by the first of its commands.
//!
//! In: a `.scuba` folder, a message and its key. Out: the message, from one command only; from the others an
//! alternative message, or none.
//!
//! Commands of a build run in parallel and know nothing of each other, so a file in `.scuba/said` marks a printed
//! message: the command that creates it (`O_EXCL`: only one can) prints the message. The name of the file is a hash of
//! the key and of the id of the enclosing `scuba build` ([`history::BUILD`]): a build prints each message once. A build
//! that `scuba` did not start has no id, and only a clock could tell where it begins and ends. There a message is
//! printed once until its key changes, or the build folder is removed.
//!
//! The shim creates the mark when it prints, not the analysis when it ends: if nvcc fails, no output of the analysis is
//! printed, and the next command must print the message that nobody saw. If the shim requests it ([`ASKED`]), the
//! analysis therefore writes such a message in a form that [`PrintedMessages::settle`] reads.

use super::history;
use base::paths;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Environment variable by which the shim requests messages that it settles.
pub const ASKED: &str = "SCUBA_ONCE";

/// Prefix of a message that is to be settled; no other text begins so.
const MARK: &[u8] = b"\x01scuba-once ";

/// A message that is printed once, and its alternative for later commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnceMessage {
    pub key: String,
    pub first: String,
    pub later: Option<String>,
}

impl OnceMessage {
    /// Encodes the message for the shim.
    #[must_use]
    pub fn unsettled(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{}{json}\n", String::from_utf8_lossy(MARK))
    }
}

/// Messages printed so far, beside the facts of one command.
#[derive(Clone, Debug)]
pub struct PrintedMessages {
    folder: PathBuf,
    build: Option<String>,
}

impl PrintedMessages {
    /// Opens the marks of a `.scuba` folder for the build of this process.
    #[must_use]
    pub fn of(folder: &Path) -> PrintedMessages {
        PrintedMessages { folder: folder.to_owned(), build: history::build_of_this_process() }
    }

    /// Returns the text that this command prints for a message. If the mark cannot be created, the message is printed.
    #[must_use]
    pub fn say<'l>(&self, line: &'l OnceMessage) -> Option<&'l str> {
        if self.is_first(&line.key) { Some(&line.first) } else { line.later.as_deref() }
    }

    fn is_first(&self, key: &str) -> bool {
        let mut name = blake3::Hasher::new();
        for part in [key, self.build.as_deref().unwrap_or_default()] {
            name.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let said = self.folder.join("said");
        let marked = paths::create(&self.folder)
            .and_then(|()| std::fs::create_dir_all(&said))
            .and_then(|()| std::fs::File::create_new(said.join(&name.finalize().to_hex()[..32])));
        !marked.is_err_and(|e| e.kind() == ErrorKind::AlreadyExists)
    }

    /// Settles the messages in the text of an analysis.
    #[must_use]
    pub fn settle(&self, text: &[u8]) -> Vec<u8> {
        replace(text, |line| self.say(line).map(str::to_owned))
    }

    /// Replaces each message in the text by its first form, for a log.
    #[must_use]
    pub fn plain(text: &[u8]) -> Vec<u8> {
        replace(text, |line| Some(line.first.clone()))
    }
}

fn replace(text: &[u8], with: impl Fn(&OnceMessage) -> Option<String>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for one in text.split_inclusive(|b| *b == b'\n') {
        match one.strip_prefix(MARK).and_then(|json| serde_json::from_slice::<OnceMessage>(json).ok()) {
            Some(line) => out.extend(with(&line).into_iter().flat_map(|l| (l + "\n").into_bytes())),
            None => out.extend_from_slice(one),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{OnceMessage, PrintedMessages};
    use std::path::Path;

    fn line(key: &str, later: Option<&str>) -> OnceMessage {
        OnceMessage { key: key.into(), first: format!("first {key}"), later: later.map(str::to_owned) }
    }

    #[test]
    fn one_of_many_says_it_for_each_build() {
        let root = tempfile::tempdir().unwrap();
        let of = |build: Option<&str>| PrintedMessages {
            folder: root.path().join(".scuba"),
            build: build.map(str::to_owned),
        };
        for build in [None, Some("1"), Some("2")] {
            let once = of(build);
            let said: usize = std::thread::scope(|s| {
                let all: Vec<_> =
                    (0..16).map(|_| s.spawn(|| usize::from(once.say(&line("a", None)).is_some()))).collect();
                all.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert_eq!(said, 1, "{build:?}");
            assert_eq!(once.say(&line("b", Some("later"))), Some("first b"));
            assert_eq!(once.say(&line("b", Some("later"))), Some("later"));
        }
        assert!(root.path().join(".scuba/.gitignore").is_file());
    }

    #[test]
    fn where_no_mark_can_be_made_it_is_said() {
        let once = PrintedMessages { folder: Path::new("/dev/null/.scuba").to_owned(), build: None };
        assert!((0..2).all(|_| once.say(&line("a", None)).is_some()));
    }

    #[test]
    fn the_rest_of_the_text_stays_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let once = PrintedMessages { folder: root.path().to_owned(), build: None };
        let text = [b"x\xff\n".as_slice(), line("a", None).unsettled().as_bytes(), b"y"].concat();
        assert_eq!(PrintedMessages::plain(&text), b"x\xff\nfirst a\ny");
        assert_eq!(once.settle(&text), b"x\xff\nfirst a\ny");
        assert_eq!(once.settle(&text), b"x\xff\ny");
        assert_eq!(once.settle(b"\x01scuba-once {\n"), b"\x01scuba-once {\n");
    }
}
