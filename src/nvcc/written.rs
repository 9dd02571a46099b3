//! Detection of the files that a command wrote, and their removal when the build must fail.
//!
//! In: the paths that a command may write and those that it reads, before it runs. Out: after it ran, the changed
//! regular files among them are removed, so that make and ninja try again. Devices, inputs and unchanged files are
//! never removed.

use files::{FileTime, Stamp};
use std::path::PathBuf;
use std::time::Duration;

/// Maximum number of looks at the file system's clock, a millisecond apart, until it advances: its ticks are at most
/// ten milliseconds apart.
const LOOKS: u32 = 20;

/// The state of a command's outputs before it ran.
pub struct OutputSnapshot {
    outputs: Vec<(PathBuf, Option<Stamp>)>,
    inputs: Vec<(u64, u64)>,
}

impl OutputSnapshot {
    pub fn of(outputs: &[PathBuf], inputs: &[PathBuf]) -> OutputSnapshot {
        let outputs: Vec<_> = outputs.iter().map(|path| (path.clone(), Stamp::at(path))).collect();
        // A write in the tick of the previous one may leave the state unchanged.
        for _ in 0..LOOKS {
            let now = FileTime::now();
            if outputs.iter().filter_map(|(_, stamp)| *stamp).all(|stamp| stamp.is_older_than(now)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        OutputSnapshot { outputs, inputs: inputs.iter().filter_map(|path| Some(Stamp::at(path)?.file())).collect() }
    }

    /// Removes the files written since. Returns the removed paths, and the paths whose removal failed with the errors.
    pub fn remove_written(&self) -> (Vec<PathBuf>, Vec<(PathBuf, std::io::Error)>) {
        let (mut removed, mut failed) = (Vec::new(), Vec::new());
        for (path, before) in &self.outputs {
            // Follows symbolic links: nvcc writes their target.
            let Ok(status) = path.metadata() else { continue };
            let now = Stamp::of(&status);
            if !status.is_file() || *before == Some(now) || self.inputs.contains(&now.file()) {
                continue;
            }
            // A symbolic link is the user's own; the command wrote its target.
            let target = path.canonicalize().unwrap_or_else(|_| path.clone());
            match std::fs::remove_file(&target) {
                Ok(()) => removed.push(target),
                Err(error) => failed.push((target, error)),
            }
        }
        (removed, failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn only_regular_files_that_were_written() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        for file in ["kept.o", "rewritten.o", "source.cu", "target.o", "replaced.o"] {
            std::fs::write(at(file), "old").unwrap();
        }
        symlink(at("target.o"), at("link.o")).unwrap();
        std::fs::create_dir(at("folder.o")).unwrap();
        let names = ["kept.o", "rewritten.o", "new.o", "source.cu", "link.o", "folder.o", "replaced.o", "never.o"];
        let mut outputs: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
        outputs.push("/dev/null".into());
        let before = OutputSnapshot::of(&outputs, &[at("source.cu")]);
        std::thread::sleep(std::time::Duration::from_millis(20));
        for file in ["rewritten.o", "new.o", "source.cu", "link.o"] {
            std::fs::write(at(file), "new").unwrap();
        }
        std::fs::write(at("temporary"), "old").unwrap();
        std::fs::rename(at("temporary"), at("replaced.o")).unwrap();

        let (mut removed, failed) = before.remove_written();
        removed.sort();
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(removed, ["new.o", "replaced.o", "rewritten.o", "target.o"].map(at));
        for file in ["kept.o", "source.cu", "folder.o"] {
            assert!(at(file).exists(), "{file}");
        }
        assert!(at("link.o").is_symlink() && Path::new("/dev/null").exists());
    }
}
