//! Working folder of a build tool's command.
//!
//! In: a command as it was executed. Out: the folder in which make or Ninja work, which `-C` may change. CMake starts
//! one of them itself (`cmake --build`, with a preset too), as Meson does; the folder that a CMake command names counts
//! if interposition cannot reach CMake.

use super::execution::ExecutedCommand;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Forms of a tool's short options.
struct ShortOptions {
    /// Options with an argument: the rest of the word, or else the next word.
    with_argument: &'static [u8],
    /// Options whose argument, if any, is the rest of the word.
    with_rest: &'static [u8],
    /// Whether each `-C` starts from the one before; else the last one counts.
    cumulative: bool,
}

/// GNU Make 4.4, "Summary of ShortOptions".
const MAKE: ShortOptions = ShortOptions { with_argument: b"CEIWfo", with_rest: b"Ojl", cumulative: true };
/// Ninja 1.12, `ninja -h`.
const NINJA: ShortOptions = ShortOptions { with_argument: b"Cdfjkltw", with_rest: b"", cumulative: false };

/// Returns the folder that a command works in; `None` if it is no build tool's, or if its working directory is unknown.
pub fn folder(execution: &ExecutedCommand) -> Option<PathBuf> {
    let arguments = execution.arguments.get(1..).unwrap_or_default();
    // The same names as in preload.c.
    let folder = match execution.program.file_name()?.as_bytes() {
        b"make" | b"gmake" | b"remake" => MAKE.folder(execution, arguments),
        b"ninja" | b"ninja-build" | b"samu" | b"n2" => NINJA.folder(execution, arguments),
        b"cmake" | b"cmake3" => {
            let at = arguments.iter().position(|word| word == "--build")?;
            let named = arguments.get(at + 1).filter(|word| !word.as_bytes().starts_with(b"-"))?;
            execution.directory.join(named)
        }
        _ => return None,
    };
    folder.is_absolute().then_some(folder)
}

impl ShortOptions {
    fn folder(&self, execution: &ExecutedCommand, arguments: &[OsString]) -> PathBuf {
        let mut folder = execution.directory.clone();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let word = word.as_bytes();
            let named = match word {
                b"--" => break,
                b"--directory" => words.next().map(OsString::as_os_str),
                _ if word.starts_with(b"--") => word.strip_prefix(b"--directory=").map(OsStr::from_bytes),
                [b'-', letters @ ..] => match self.argument(letters) {
                    Some((b'C', [])) => words.next().map(OsString::as_os_str),
                    Some((b'C', rest)) => Some(OsStr::from_bytes(rest)),
                    Some((_, [])) => words.next().and(None),
                    _ => None,
                },
                _ => None,
            };
            if let Some(named) = named {
                folder = if self.cumulative { folder.join(named) } else { execution.directory.join(named) };
            }
        }
        folder
    }

    /// Returns the first letter that takes an argument, and the rest of its word; `None` if a `with_rest` letter comes
    /// before it.
    fn argument<'w>(&self, letters: &'w [u8]) -> Option<(u8, &'w [u8])> {
        let at = letters.iter().position(|c| self.with_argument.contains(c) || self.with_rest.contains(c))?;
        self.with_argument.contains(&letters[at]).then(|| (letters[at], &letters[at + 1..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(words: &[&str]) -> Option<PathBuf> {
        folder(&ExecutedCommand {
            directory: "/w".into(),
            program: words[0].into(),
            arguments: words.iter().map(OsString::from).collect(),
        })
    }

    #[test]
    fn build_tools_work_where_they_are_started_or_told_to() {
        for (words, folder) in [
            (&["/usr/bin/make", "-j8", "all"][..], "/w"),
            (&["make", "-C", "b", "-C", "c"], "/w/b/c"),
            (&["gmake", "-kCb"], "/w/b"),
            (&["make", "-j", "4", "--directory=b", "--directory", "/x"], "/x"),
            (&["make", "-f", "-C", "b"], "/w"),
            (&["make", "-lC", "-jC", "--", "-C", "b"], "/w"),
            (&["ninja", "-C", "b", "-C", "c", "one"], "/w/c"),
            (&["ninja-build", "-vCb", "-j", "-C"], "/w/b"),
            (&["ninja", "-t", "-C", "b"], "/w"),
            (&["cmake", "--build", "b", "--parallel", "2"], "/w/b"),
        ] {
            assert_eq!(of(words).as_deref(), Some(Path::new(folder)), "{words:?}");
        }
        for words in [&["g++", "-C", "b"][..], &["cmake", "-B", "b"], &["cmake", "--build", "--preset", "p"]] {
            assert_eq!(of(words), None, "{words:?}");
        }
        let unknown =
            ExecutedCommand { directory: PathBuf::new(), program: "make".into(), arguments: vec!["make".into()] };
        assert_eq!(folder(&unknown), None, "its folder could not be told");
    }
}
