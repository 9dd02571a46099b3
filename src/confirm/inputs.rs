//! Input files of a run of the program.
//!
//! In: file names as the program opens them, with their contents. Out: files below the run's own working folder, or
//! the reason why there can be none. Manifests come from other machines: whatever they name, nothing is written
//! elsewhere.

use finding::RunFile;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error(
        "it opens `{0}`, but input files can only be made below the run's folder: give it a name without a folder, or use an argument's"
    )]
    Absolute(String),
    #[error("it opens `{0}`, which is not below the run's folder: nothing is written outside it")]
    Outside(String),
    #[error("it opens a file with the impossible name {0:?}")]
    Nameless(String),
    #[error("it opens `{0}` under two names, with different contents")]
    Twice(String),
    #[error("its input has {bytes} bytes, and `[confirm] max_bytes` allows {most}")]
    TooLarge { bytes: u64, most: u64 },
    #[error("its input file `{name}` cannot be written: {source}")]
    Write { name: String, source: io::Error },
}

/// Input files with valid names.
#[derive(Debug, Default)]
pub struct InputFiles<'a> {
    files: BTreeMap<PathBuf, &'a RunFile>,
}

impl<'a> InputFiles<'a> {
    /// Checks the names and sizes of input files. `most` is the largest number of bytes of all files and the standard
    /// input together (`[confirm] max_bytes`).
    ///
    /// # Errors
    /// If a name is invalid or leads out of the run's folder, if two names of one file have different contents, or if
    /// there are too many bytes.
    pub fn new(files: &'a [RunFile], stdin: &str, most: u64) -> Result<Self, InputError> {
        let bytes = files.iter().map(|f| f.bytes.len() as u64).fold(stdin.len() as u64, u64::saturating_add);
        if bytes > most {
            return Err(InputError::TooLarge { bytes, most });
        }
        let mut out = Self { files: BTreeMap::new() };
        for file in files {
            let other = out.files.insert(below(&file.name)?, file);
            if other.is_some_and(|o| o.bytes != file.bytes) {
                return Err(InputError::Twice(file.name.clone()));
            }
        }
        Ok(out)
    }

    /// Distinct files.
    pub fn iter(&self) -> impl Iterator<Item = &RunFile> {
        self.files.values().copied()
    }

    /// Writes the files into `folder`, which exists and belongs to this run alone.
    ///
    /// # Errors
    /// If a file cannot be written: the disk is full, or a file is where another one needs a folder.
    pub fn write(&self, folder: &Path) -> Result<(), InputError> {
        for (path, file) in &self.files {
            create(&folder.join(path), &file.bytes)
                .map_err(|source| InputError::Write { name: file.name.clone(), source })?;
        }
        Ok(())
    }
}

/// Creates a new file; the target of an existing link in its place stays unchanged.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Path of a name relative to the working folder.
fn below(name: &str) -> Result<PathBuf, InputError> {
    if name.is_empty() || name.contains('\0') || name.ends_with('/') {
        return Err(InputError::Nameless(name.into()));
    }
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err(InputError::Outside(name.into())),
            Component::RootDir | Component::Prefix(_) => return Err(InputError::Absolute(name.into())),
        }
    }
    if path.as_os_str().is_empty() { Err(InputError::Nameless(name.into())) } else { Ok(path) }
}

#[cfg(test)]
mod tests {
    use super::{InputError, InputFiles};
    use finding::RunFile;

    fn file(name: &str, bytes: &[u8]) -> RunFile {
        RunFile { name: name.into(), bytes: bytes.into() }
    }

    fn refused(name: &str) -> InputError {
        InputFiles::new(&[file(name, b"x")], "", 100).unwrap_err()
    }

    #[test]
    fn files_lie_where_the_program_opens_them() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            [file("input1", &[0, 0xff]), file("./data/graph.bin", b"g"), file("-4", b""), file("input1", &[0, 0xff])];
        InputFiles::new(&files, "", 100).unwrap().write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!((read("input1"), read("data/graph.bin"), read("-4")), (vec![0, 0xff], b"g".to_vec(), vec![]));
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        for name in ["../x", "a/../../x", "a/..", ".."] {
            assert!(matches!(refused(name), InputError::Outside(n) if n == name), "{name}");
        }
        for name in ["/etc/passwd", "//x", "/"] {
            assert!(!matches!(refused(name), InputError::Outside(_)), "{name}");
        }
        assert_eq!(refused("/data/g").to_string().split(',').next(), Some("it opens `/data/g`"));
        for name in ["", ".", "./", "a/", "a\0b"] {
            assert!(matches!(refused(name), InputError::Nameless(_)), "{name:?}");
        }
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("run"), folder.path().join("precious"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(&outside, "precious").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("input1")).unwrap();
        let failed = InputFiles::new(&[file("input1", b"x")], "", 100).unwrap().write(&inside).unwrap_err();
        assert!(failed.to_string().starts_with("its input file `input1` cannot be written: "), "{failed}");
        assert_eq!(std::fs::read(&outside).unwrap(), b"precious");
    }

    #[test]
    fn one_file_has_one_content_and_is_no_folder() {
        assert!(matches!(InputFiles::new(&[file("a", b"1"), file("./a", b"2")], "", 100), Err(InputError::Twice(_))));
        let folder = tempfile::tempdir().unwrap();
        let files = [file("a", b"1"), file("a/b", b"2")];
        assert!(matches!(
            InputFiles::new(&files, "", 100).unwrap().write(folder.path()),
            Err(InputError::Write { .. })
        ));
    }

    #[test]
    fn all_input_together_is_bounded() {
        let files = [file("a", &[0; 6]), file("b", &[0; 3])];
        assert!(InputFiles::new(&files, "1", 10).is_ok());
        let failed = InputFiles::new(&files, "12", 10).unwrap_err();
        assert_eq!(failed.to_string(), "its input has 11 bytes, and `[confirm] max_bytes` allows 10");
    }
}
