//! Words that nvcc acts on: the command line between the words of its environment variables, with options files
//! expanded.
//!
//! In: the arguments and the variables. Out: words in nvcc's order. The only flag that this module interprets is
//! `-optf`.

use super::flags::{self, FlagEffect, FlagMatch};
use super::words;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Maximum depth of nested options files. nvcc 13.0 refuses long chains of them ("Too many options file opened"); a
/// file that names itself ends here.
const DEEPEST: usize = 16;
/// Maximum bytes of an options file; bounds the cost of a mistaken `-optf` (a device, a core file).
const LARGEST: u64 = 16 << 20;
/// Maximum number of words; files that name each other several times would grow exponentially.
const MAX: usize = 1 << 16;

/// Environment variables of nvcc.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `NVCC_PREPEND_FLAGS`
    pub prepend: OsString,
    /// `NVCC_APPEND_FLAGS`
    pub append: OsString,
    /// `NVCC_CCBIN`
    pub host_compiler: OsString,
}

impl Environment {
    pub fn of_this_process() -> Environment {
        let get = |name| std::env::var_os(name).unwrap_or_default();
        Environment {
            prepend: get("NVCC_PREPEND_FLAGS"),
            append: get("NVCC_APPEND_FLAGS"),
            host_compiler: get("NVCC_CCBIN"),
        }
    }
}

/// Returns all words in order. Skips unreadable options files: nvcc refuses the command then.
pub fn expand(arguments: &[OsString], environment: &Environment, directory: &Path) -> Vec<OsString> {
    let given = words::environment(environment.prepend.as_bytes())
        .into_iter()
        .chain(arguments.iter().map(|argument| argument.as_bytes().to_vec()))
        .chain(words::environment(environment.append.as_bytes()));
    let mut expansion = Expansion { directory, words: Vec::new() };
    expansion.add(given, 0);
    expansion.words
}

struct Expansion<'d> {
    directory: &'d Path,
    words: Vec<OsString>,
}

impl Expansion<'_> {
    fn add(&mut self, given: impl Iterator<Item = Vec<u8>>, depth: usize) {
        let mut given = given.peekable();
        while let Some(word) = given.next() {
            if self.words.len() >= MAX {
                return;
            }
            if word.first() != Some(&b'-') {
                self.words.push(OsString::from_vec(word));
                continue;
            }
            match flags::find(&word) {
                FlagMatch::With(flag, value) if flag.effect == FlagEffect::OptionsFile => self.files(value, depth),
                FlagMatch::Alone(flag) if flag.effect == FlagEffect::OptionsFile => {
                    if let Some(value) = given.next() {
                        self.files(&value, depth);
                    }
                }
                // The value of another flag may look like -optf.
                FlagMatch::Alone(flag) => {
                    self.words.push(OsString::from_vec(word));
                    self.words.extend(given.next_if(|next| flag.value.takes(next)).map(OsString::from_vec));
                }
                FlagMatch::With(..) | FlagMatch::Unknown => {
                    self.words.push(OsString::from_vec(word));
                }
            }
        }
    }

    fn files(&mut self, value: &[u8], depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        for item in words::list(value) {
            let path = self.directory.join(OsStr::from_bytes(&words::path(&item)));
            if let Some(text) = read(&path) {
                self.add(words::options_file(&text).into_iter(), depth + 1);
            }
        }
    }
}

/// Reads a regular file only: reading a pipe would take input from nvcc.
fn read(path: &PathBuf) -> Option<Vec<u8>> {
    let status = std::fs::metadata(path).ok()?;
    if !status.is_file() || status.len() > LARGEST {
        return None;
    }
    std::fs::read(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[OsString]) -> Vec<String> {
        words.iter().map(|word| word.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn files_nest_and_end() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("one"), "-DA -optf two \"b c.cu\"").unwrap();
        std::fs::write(folder.path().join("two"), "-DB --options-file=three,missing").unwrap();
        std::fs::write(folder.path().join("three"), "-DC -optf three").unwrap();
        let environment =
            Environment { prepend: "-DP".into(), append: "-DQ -optf two".into(), ..Environment::default() };
        let arguments = ["-c", "-optf", "one", "-o", "-optf"].map(OsString::from);
        let words = strings(&expand(&arguments, &environment, folder.path()));
        let repeated = words.iter().filter(|word| *word == "-DC").count();
        assert_eq!(repeated, 2 * DEEPEST - 3);
        let mut rest = words.clone();
        rest.retain(|word| word != "-DC");
        assert_eq!(rest, ["-DP", "-c", "-DA", "-DB", "b c.cu", "-o", "-optf", "-DQ", "-DB"]);
    }

    #[test]
    fn a_chain_that_doubles_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), "-DA ".repeat(1000) + &"-optf f ".repeat(50)).unwrap();
        let arguments = ["-optf", "f"].map(OsString::from);
        assert!(expand(&arguments, &Environment::default(), folder.path()).len() <= MAX);
    }

    #[test]
    fn devices_are_left_alone() {
        let arguments = ["-optf", "/dev/zero", "a.cu"].map(OsString::from);
        assert_eq!(strings(&expand(&arguments, &Environment::default(), Path::new("/"))), ["a.cu"]);
    }
}
