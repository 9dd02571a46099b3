//! Identity of a program: distinguishes it from other programs and from its own other versions.
//!
//! In: an executable. Out: a string that differs between programs. For an ELF file it holds the build id, which a
//! linker computes from all that it writes (ld(1), `--build-id`), else the hash of the contents. The string covers the
//! needed libraries in the same way, since most of a compiler lies in its libraries; they are searched in the folders
//! of ld.so(8).

use super::hashes::Hashes;
use super::stamp::Stamp;
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::read::{ReadCache, StringTable};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Folders of the system's libraries, on 64-bit x86.
const SYSTEM: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// Dynamic-linking data of an ELF file.
#[derive(Debug, Default)]
struct DynamicSection {
    build: Option<Vec<u8>>,
    /// `DT_NEEDED`.
    needed: Vec<String>,
    /// `DT_RUNPATH`, else `DT_RPATH`.
    folders: Vec<PathBuf>,
}

/// Returns a string that identifies the version of a program and its path: many programs find their parts beside
/// themselves. `None` if the program cannot be read.
#[must_use]
pub fn identity(program: &Path, hashes: &Hashes) -> Option<String> {
    let program = program.canonicalize().ok()?;
    Some(format!("{}{}", program.display(), build(&program, hashes)?))
}

/// Returns a string that identifies the version of a program, whatever its path. `None` if the program cannot be read.
#[must_use]
pub fn build(program: &Path, hashes: &Hashes) -> Option<String> {
    let mut parts = BTreeMap::new();
    add(&program.canonicalize().ok()?, hashes, &mut parts)?;
    Some(parts.into_iter().fold(String::new(), |mut text, (path, part)| {
        let _ = write!(text, " {}={part}", path.file_name().unwrap_or_default().to_string_lossy());
        text
    }))
}

/// Adds a file and, transitively, the libraries that it needs.
fn add(file: &Path, hashes: &Hashes, parts: &mut BTreeMap<PathBuf, String>) -> Option<()> {
    if parts.contains_key(file) {
        return Some(());
    }
    let DynamicSection { build, needed, folders } = about(file).unwrap_or_default();
    let stamp = Stamp::at(file)?;
    let part = match build {
        // A tool may change a program after the link (strip, patchelf); that mostly changes the size as well.
        Some(build) => format!("{}:{}", hex(&build), stamp.size),
        None => hex(&hashes.of(file, stamp)?.hash),
    };
    parts.insert(file.to_owned(), part);
    let folders: Vec<PathBuf> = folders.into_iter().chain(SYSTEM.map(PathBuf::from)).collect();
    for library in needed {
        // A library in none of these folders is found by configuration that only ld.so knows.
        let found = folders.iter().find_map(|folder| folder.join(&library).canonicalize().ok());
        if let Some(found) = found {
            add(&found, hashes, parts)?;
        }
    }
    Some(())
}

/// Reads the build id and the dynamic section only. `None` if it is no 64-bit ELF file.
fn about(file: &Path) -> Option<DynamicSection> {
    let data = ReadCache::new(File::open(file).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let mut about = DynamicSection::default();
    for segment in segments {
        if let Ok(Some(mut notes)) = segment.notes(endian, &data) {
            while let Ok(Some(note)) = notes.next() {
                if note.n_type(endian) == elf::NT_GNU_BUILD_ID && note.name() == elf::ELF_NOTE_GNU {
                    about.build = Some(note.desc().to_owned());
                }
            }
        }
        let Ok(Some(entries)) = segment.dynamic(endian, &data) else { continue };
        let value = |tag: u32| entries.iter().find(|e| e.tag32(endian) == Some(tag)).map(|e| e.d_val(endian));
        let strings = value(elf::DT_STRTAB).zip(value(elf::DT_STRSZ)).and_then(|(address, size)| {
            // Segment of the file that is loaded at this address.
            let holder = segments.iter().find(|s| {
                s.p_type(endian) == elf::PT_LOAD
                    && (s.p_vaddr(endian)..s.p_vaddr(endian) + s.p_filesz(endian)).contains(&address)
            })?;
            let start = address - holder.p_vaddr(endian) + holder.p_offset(endian);
            Some(StringTable::new(&data, start, start.checked_add(size)?))
        });
        let Some(strings) = strings else { continue };
        let text = |offset: u64| {
            let bytes = strings.get(u32::try_from(offset).ok()?).ok()?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        let needed = entries.iter().filter(|e| e.tag32(endian) == Some(elf::DT_NEEDED));
        about.needed = needed.filter_map(|e| text(e.d_val(endian))).collect();
        let folders = value(elf::DT_RUNPATH).or_else(|| value(elf::DT_RPATH)).and_then(text).unwrap_or_default();
        let origin = file.parent().unwrap_or(Path::new("/")).to_string_lossy();
        about.folders = folders
            .split(':')
            .filter(|f| !f.is_empty())
            .map(|f| f.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into())
            .collect();
    }
    Some(about)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{about, identity};
    use crate::Hashes;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_program_says_who_built_it_and_what_it_needs() {
        let ours = about(&std::env::current_exe().unwrap()).unwrap();
        assert!(ours.needed.iter().any(|l| l.starts_with("libc.so")), "{ours:?}");
        assert!(about(Path::new("/etc/passwd")).is_none());
        let hashes = Hashes::default();
        let ours = std::env::current_exe().unwrap();
        let said = identity(&ours, &hashes).unwrap();
        assert_eq!(identity(&ours, &hashes).as_ref(), Some(&said));
        assert!(said.contains(" libc.so"), "{said}");
        assert_eq!(identity(Path::new("/no/such"), &hashes), None);
    }

    #[test]
    fn contents_tell_what_no_linker_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        let hashes = Hashes::default();
        let of = |text: &str| {
            std::fs::write(&path, text).unwrap();
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            identity(&path, &hashes).unwrap()
        };
        let first = of("#!/bin/sh\nexit 0\n");
        assert_ne!(first, of("#!/bin/sh\nexit 1\n"));
        assert_eq!(first, of("#!/bin/sh\nexit 0\n"));
    }

    /// Programs that differ only in the contents of one library.
    #[test]
    fn another_library_is_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let compile = |arguments: &[&str], text: &str| {
            std::fs::write(folder.path().join("a.c"), text).unwrap();
            let mut cc = std::process::Command::new("cc");
            let built = cc.current_dir(folder.path()).args(arguments).status().unwrap();
            assert!(built.success());
        };
        let hashes = Hashes::default();
        compile(&["-shared", "-fPIC", "a.c", "-o", "libpart.so"], "int part(void) { return 1; }");
        compile(
            &["a.c", "-o", "tool", "-L.", "-lpart", "-Wl,-rpath,$ORIGIN"],
            "int part(void); int main(void) { return part(); }",
        );
        let tool = folder.path().join("tool");
        let before = identity(&tool, &hashes).unwrap();
        assert!(before.contains(" libpart.so="), "{before}");
        compile(&["-shared", "-fPIC", "a.c", "-o", "libpart.so"], "int part(void) { return 2; }");
        assert_ne!(identity(&tool, &hashes).unwrap(), before);
    }
}
