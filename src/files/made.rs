//! Record of the outputs that the shim saw written.
//!
//! In: a `.scuba` folder, and an output whose command has ended and was analysed. Out: whether the present output is
//! the recorded one. If it is, its facts describe it even if its sources have changed. Each output has one small file,
//! written by the one command that makes the output; an unreadable file counts as missing.

use super::store::{self, Readers};
use super::{Stamp, hash_of};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Name of the folder in `.scuba`.
const NAME: &str = "made";

/// Recorded state and contents of one output.
#[derive(Serialize, Deserialize)]
struct RecordedOutput {
    stamp: Stamp,
    /// blake3 of its contents.
    hash: [u8; 32],
}

/// Records the state of an output. If that fails, the sources decide later whether the facts are current.
pub fn keep(folder: &Path, output: &Path) {
    let (Some(file), Some(stamp)) = (file(folder, output), Stamp::at(output)) else { return };
    let Ok(data) = std::fs::read(output) else { return };
    let record = RecordedOutput { stamp, hash: *blake3::hash(&data).as_bytes() };
    let _ = store::write(folder, &file, Readers::Umask, &record);
}

/// Whether the output exists with the recorded contents.
#[must_use]
pub fn is_as_kept(folder: &Path, output: &Path) -> bool {
    same(folder, output) == Some(true)
}

/// Whether the output exists with contents other than the recorded ones.
#[must_use]
pub fn is_replaced(folder: &Path, output: &Path) -> bool {
    same(folder, output) == Some(false)
}

/// Compares an output with its record; `None` if there is no record, or the output is gone.
fn same(folder: &Path, output: &Path) -> Option<bool> {
    let made: RecordedOutput = store::read(&file(folder, output)?)?;
    Some(Stamp::at(output)? == made.stamp || hash_of(output)? == made.hash)
}

fn file(folder: &Path, output: &Path) -> Option<PathBuf> {
    let output = output.canonicalize().ok()?;
    let hash = blake3::hash(output.as_os_str().as_encoded_bytes()).to_hex();
    Some(folder.join(NAME).join(&hash[..24]))
}

#[cfg(test)]
mod tests {
    use super::{is_as_kept, is_replaced, keep};

    #[test]
    fn an_output_is_as_it_was_kept_until_somebody_writes_it() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, output) = (dir.path().join(".scuba"), dir.path().join("a.o"));
        std::fs::write(&output, "one").unwrap();
        assert!(!is_as_kept(&folder, &output));
        keep(&folder, &output);
        assert!(is_as_kept(&folder, &output));
        let then = output.metadata().unwrap().modified().unwrap();
        std::fs::remove_file(&output).unwrap();
        std::fs::write(&output, "two").unwrap();
        // The effect of `touch -r`.
        std::fs::File::options().write(true).open(&output).unwrap().set_modified(then).unwrap();
        assert!(!is_as_kept(&folder, &output) && is_replaced(&folder, &output));
        // The state of a build folder that was copied to another machine.
        std::fs::remove_file(&output).unwrap();
        assert!(!is_as_kept(&folder, &output) && !is_replaced(&folder, &output));
        std::fs::write(&output, "one").unwrap();
        assert!(is_as_kept(&folder, &output) && !is_replaced(&folder, &output));
        keep(&folder, &dir.path().join("none.o"));
        let none = dir.path().join("none.o");
        assert!(!is_as_kept(&folder, &none) && !is_replaced(&folder, &none));
    }
}
