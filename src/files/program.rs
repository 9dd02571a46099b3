//! What tells a program from others, and from another version of itself.
//!
//! In: an executable. Out: a text that is another where the program is. Of an ELF file that is the build id, which linkers make of all that
//! they write (ld(1), `--build-id`), else the hash of its contents; and the same of the libraries that it needs, since a compiler is
//! mostly these: they are sought where ld.so(8) seeks them.

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

/// What an ELF file says of itself.
#[derive(Debug, Default)]
struct About {
    build: Option<Vec<u8>>,
    /// `DT_NEEDED`.
    needed: Vec<String>,
    /// `DT_RUNPATH`, else `DT_RPATH`.
    folders: Vec<PathBuf>,
}

/// Tells a program from what it was and from others, its place included: many find what they need beside themselves. `None` where it
/// cannot be read.
#[must_use]
pub fn identity(program: &Path, hashes: &Hashes) -> Option<String> {
    let program = program.canonicalize().ok()?;
    Some(format!("{}{}", program.display(), build(&program, hashes)?))
}

/// The same wherever the program lies.
#[must_use]
pub fn build(program: &Path, hashes: &Hashes) -> Option<String> {
    let mut parts = BTreeMap::new();
    add(&program.canonicalize().ok()?, hashes, &mut parts)?;
    Some(parts.into_iter().fold(String::new(), |mut text, (path, part)| {
        let _ = write!(text, " {}={part}", path.file_name().unwrap_or_default().to_string_lossy());
        text
    }))
}

/// Adds a file and the libraries that it needs.
fn add(file: &Path, hashes: &Hashes, parts: &mut BTreeMap<PathBuf, String>) -> Option<()> {
    if parts.contains_key(file) {
        return Some(());
    }
    let About { build, needed, folders } = about(file).unwrap_or_default();
    let stamp = Stamp::at(file)?;
    let part = match build {
        // A program may be changed behind the linker's back (strip, patchelf): then mostly its size is, too.
        Some(build) => format!("{}:{}", hex(&build), stamp.size),
        None => hex(&hashes.of(file, stamp)?.hash),
    };
    parts.insert(file.to_owned(), part);
    let folders: Vec<PathBuf> = folders.into_iter().chain(SYSTEM.map(PathBuf::from)).collect();
    for library in needed {
        // One that is nowhere here is found by what only ld.so knows.
        let found = folders.iter().find_map(|folder| folder.join(&library).canonicalize().ok());
        if let Some(found) = found {
            add(&found, hashes, parts)?;
        }
    }
    Some(())
}

/// Reads only the parts of the file that say so. `None` where it is no ELF file of 64 bits.
fn about(file: &Path) -> Option<About> {
    let data = ReadCache::new(File::open(file).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let mut about = About::default();
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
            // Where the file has what is loaded there.
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

    /// Two programs that differ in what one of their libraries is.
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
