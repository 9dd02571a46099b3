//! Path of the running program.
//!
//! Linux tells it by a link in `/proc`, which a container or a chroot may lack. The kernel also hands each program the
//! path by which it was executed (getauxval(3), `AT_EXECFN`), which needs no file system.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Returns the absolute path of this process's program.
///
/// # Errors
/// If neither source tells it, or the working directory of a relative path is gone.
pub fn path() -> io::Result<PathBuf> {
    std::env::current_exe().or_else(|error| match executed() {
        Some(path) => Ok(std::env::current_dir()?.join(path)),
        None => Err(error),
    })
}

/// Returns the path by which the kernel was told to execute this program.
fn executed() -> Option<PathBuf> {
    // SAFETY: reads the vector that the kernel placed into this process.
    #[expect(unsafe_code, reason = "no safe interface")]
    let name = unsafe { libc::getauxval(libc::AT_EXECFN) } as *const libc::c_char;
    if name.is_null() {
        return None;
    }
    // SAFETY: the entry is the address of a text that ends in a zero, and that stays as long as the process.
    #[expect(unsafe_code, reason = "no safe interface")]
    let name = unsafe { CStr::from_ptr(name) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_sources_name_one_file() {
        let path = super::executed().unwrap();
        let path = std::env::current_dir().unwrap().join(path);
        assert_eq!(path.canonicalize().unwrap(), std::env::current_exe().unwrap().canonicalize().unwrap());
    }
}
