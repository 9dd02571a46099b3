//! Members of a static library whose `ar` command was not recorded, identified by contents.

use object::read::archive::ArchiveFile;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Returns blake3 of each member; no members if the file is no archive or cannot be read.
pub fn members(path: &Path) -> Vec<[u8; 32]> {
    // Reading whole programs and shared libraries only to reject them would be slow.
    if path.extension().is_none_or(|e| e != "a") {
        return vec![];
    }
    let Ok(data) = std::fs::read(path) else { return vec![] };
    let Ok(archive) = ArchiveFile::parse(data.as_slice()) else { return vec![] };
    archive
        .members()
        .flatten()
        .filter_map(|m| m.data(data.as_slice()).ok())
        .map(|bytes| *blake3::hash(bytes).as_bytes())
        .collect()
}

/// Returns the members of an archive with their names; `None` if the bytes are no archive. The members of a thin
/// archive are read from their own files.
#[must_use]
pub fn contents<'d>(path: &Path, data: &'d [u8]) -> Option<Vec<(String, Cow<'d, [u8]>)>> {
    let archive = ArchiveFile::parse(data).ok()?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let thin = archive.is_thin();
    let mut all = Vec::new();
    for member in archive.members().flatten() {
        let name = Path::new(OsStr::from_bytes(member.name()));
        let bytes = if thin {
            std::fs::read(folder.join(name)).ok().map(Cow::Owned)
        } else {
            member.data(data).ok().map(Cow::Borrowed)
        };
        if let Some(bytes) = bytes {
            all.push((name.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes));
        }
    }
    Some(all)
}

/// Returns the file names of an archive's members; no names if the file is no archive or cannot be read.
pub fn names(path: &Path) -> Vec<OsString> {
    let Ok(data) = std::fs::read(path) else { return vec![] };
    let Ok(archive) = ArchiveFile::parse(data.as_slice()) else { return vec![] };
    archive.members().flatten().map(|m| OsString::from_vec(m.name().to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::{members, names};

    #[test]
    fn members_are_known_by_their_contents() {
        let dir = tempfile::tempdir().unwrap();
        let object = dir.path().join("a.o");
        std::fs::write(&object, b"not even an object").unwrap();
        let library = dir.path().join("liba.a");
        let made = std::process::Command::new("ar").arg("cr").arg(&library).arg(&object).status().unwrap();
        assert!(made.success());
        assert!(members(&library).contains(blake3::hash(b"not even an object").as_bytes()));
        assert_eq!(names(&library), ["a.o"]);
        std::fs::write(&library, b"!<arch>\ngarbage").unwrap();
        assert!(members(&library).is_empty());
        assert!(members(&dir.path().join("none.a")).is_empty());
    }
}
