//! The clang of an installation, found relative to the running program.
//!
//! `make dist`, `make install` and the wheel create the same folders: `PREFIX/bin/scuba` and, with the libraries and
//! headers that it needs, `PREFIX/lib/scuba/bin/clang++-22`. That folder is in no `PATH`: it is no compiler for builds,
//! and hides none.

use base::own_program;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Program name, both in `PATH` and in an installation.
const NAME: &str = "clang++-22";

/// Returns the clang to run where no setting names one: the installation's, else a name to be searched in `PATH`.
#[must_use]
pub fn clang() -> PathBuf {
    // Links are resolved: a program that a package manager links elsewhere belongs to the folder of its target.
    let own = own_program::path().and_then(|p| p.canonicalize()).ok().and_then(|p| beside(&p));
    own.unwrap_or_else(|| NAME.into())
}

/// Returns the folder of the installation's clang and of its headers, `PREFIX/lib/scuba`; `None` in a build tree.
#[must_use]
pub fn folder() -> Option<&'static Path> {
    static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let clang = Some(clang()).filter(|clang| is_bundled(clang))?;
        Some(clang.parent()?.parent()?.to_owned())
    });
    FOLDER.as_deref()
}

/// Whether this clang belongs to an installation of SCuBA.
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
