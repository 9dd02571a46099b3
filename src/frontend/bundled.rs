//! The clang that an installation brings along, found by where the running program lies.
//!
//! `make dist`, `make install` and the wheel lay out the same folders: `PREFIX/bin/scuba` and, with the libraries and headers that it
//! needs, `PREFIX/lib/scuba/bin/clang++-22`. That folder is in nobody's `PATH`: it is no compiler for builds, and hides none.

use std::path::{Path, PathBuf};

/// Of the one in `PATH`, and of the one that is brought along.
const NAME: &str = "clang++-22";

/// The clang to run where no setting names one: the one brought along, else a name that is sought in `PATH`.
#[must_use]
pub fn clang() -> PathBuf {
    // Links are resolved: what a package manager links into a folder of programs belongs to the folder that it links to.
    let own = std::env::current_exe().and_then(|p| p.canonicalize()).ok().and_then(|p| beside(&p));
    own.unwrap_or_else(|| NAME.into())
}

/// Whether an installation brought this clang along.
#[must_use]
pub fn is_bundled(clang: &Path) -> bool {
    clang.is_absolute() && clang.ends_with(Path::new("lib/scuba/bin").join(NAME))
}

fn beside(program: &Path) -> Option<PathBuf> {
    let clang = program.parent()?.parent()?.join("lib/scuba/bin").join(NAME);
    clang.is_file().then_some(clang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_along_is_found_by_the_program_s_own_folder() {
        let prefix = tempfile::tempdir().unwrap();
        let program = prefix.path().join("bin/scuba");
        assert_eq!(beside(&program), None);
        let clang = prefix.path().join("lib/scuba/bin/clang++-22");
        std::fs::create_dir_all(clang.parent().unwrap()).unwrap();
        std::fs::write(&clang, "").unwrap();
        assert_eq!(beside(&program), Some(clang.clone()));
        assert!(is_bundled(&clang) && !is_bundled(Path::new("clang++-22")));
    }

    #[test]
    fn without_it_clang_is_sought_by_its_name() {
        assert_eq!(clang(), Path::new("clang++-22"));
    }
}
