//! Outputs as the shim saw them made.
//!
//! In: a `.scuba` folder, an output whose command has ended and was analysed. Out: whether the output that lies there now is that one: then
//! its facts are of it, whatever became of its sources since. One small file for each output, written by the one command that makes it;
//! a file that cannot be read is as good as none.

use super::Stamp;
use std::path::{Path, PathBuf};

/// Name of the folder in `.scuba`.
const NAME: &str = "made";

/// Keeps the state of an output. What cannot be kept is asked of its sources.
pub fn keep(folder: &Path, output: &Path) {
    let (Some(file), Some(stamp)) = (file(folder, output), Stamp::at(output)) else { return };
    let written = file.parent().map(std::fs::create_dir_all);
    if let (Some(Ok(())), Ok(text)) = (written, serde_json::to_vec(&stamp)) {
        let _ = std::fs::write(file, text);
    }
}

/// Whether an output lies there as it was kept.
#[must_use]
pub fn is_as_kept(folder: &Path, output: &Path) -> bool {
    let kept = file(folder, output).and_then(|f| std::fs::read(f).ok());
    kept.and_then(|text| serde_json::from_slice::<Stamp>(&text).ok()).is_some_and(|s| Stamp::at(output) == Some(s))
}

fn file(folder: &Path, output: &Path) -> Option<PathBuf> {
    let output = output.canonicalize().ok()?;
    let hash = blake3::hash(output.as_os_str().as_encoded_bytes()).to_hex();
    Some(folder.join(NAME).join(&hash[..24]))
}

#[cfg(test)]
mod tests {
    use super::{is_as_kept, keep};

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
        // As `touch -r` does.
        std::fs::File::options().write(true).open(&output).unwrap().set_modified(then).unwrap();
        assert!(!is_as_kept(&folder, &output));
        keep(&folder, &dir.path().join("none.o"));
        assert!(!is_as_kept(&folder, &dir.path().join("none.o")));
    }
}
