//! Detection of programs into which the loader preloads nothing.

use object::elf::{FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Reason why interposition cannot reach a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreachable {
    StaticallyLinked,
    /// The program is 32-bit, and the library is 64-bit.
    OtherClass,
    /// The program is setuid or setgid: the loader ignores LD_PRELOAD.
    Privileged,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StaticallyLinked => "is statically linked",
            Self::OtherClass => "is not a 64-bit program",
            Self::Privileged => "runs with the rights of its file's owner",
        })
    }
}

/// Returns why interposition cannot reach a program; `None` if it can, or if the program cannot be read: then the
/// loader decides.
pub fn unreachable(program: &Path) -> Option<Unreachable> {
    unreachable_through(program, 4)
}

/// Follows at most `scripts` interpreters that are scripts themselves, as the kernel does.
fn unreachable_through(program: &Path, scripts: u8) -> Option<Unreachable> {
    let mode = program.metadata().ok()?.permissions().mode();
    let data = std::fs::read(program).ok()?;
    if let Some(line) = data.strip_prefix(b"#!") {
        let line = line.split(|b| *b == b'\n').next()?.trim_ascii_start();
        let interpreter = line.split(u8::is_ascii_whitespace).next()?;
        return scripts
            .checked_sub(1)
            .and_then(|n| unreachable_through(Path::new(std::ffi::OsStr::from_bytes(interpreter)), n));
    }
    if mode & 0o6000 != 0 {
        return Some(Unreachable::Privileged);
    }
    match FileKind::parse(&*data).ok()? {
        FileKind::Elf32 => Some(Unreachable::OtherClass),
        FileKind::Elf64 => {
            let header = FileHeader64::<Endianness>::parse(&*data).ok()?;
            let endian = header.endian().ok()?;
            let interpreted =
                header.program_headers(endian, &*data).ok()?.iter().any(|h| h.p_type(endian) == PT_INTERP);
            (!interpreted).then_some(Unreachable::StaticallyLinked)
        }
        _ => None,
    }
}
