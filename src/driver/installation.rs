//! Origin of the running `scuba`, and the files that came with it.
//!
//! In: the program's path. Out: [`Installation`], which decides the advice that `scuba doctor` gives, and paths of pages
//! and examples that exist.

use base::own_program;
use std::path::{Path, PathBuf};

/// What `scuba` was installed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installer {
    /// Built in a checkout, and run from its `target` folder.
    Checkout,
    /// pip, pipx or uv, from a wheel.
    Wheel,
    /// `make dist` or `make install`, or a package made from these.
    Prefix,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    pub installer: Installer,
    /// Folder that holds `bin`; of a checkout, its root.
    prefix: PathBuf,
}

/// Folder of pages and examples under a prefix.
const DOCUMENTS: &str = "share/doc/scuba";

impl Installation {
    /// Finds the installation of this process. Links are followed.
    #[must_use]
    pub fn own() -> Option<Self> {
        Self::of(&own_program::path().and_then(|p| p.canonicalize()).ok()?)
    }

    fn of(program: &Path) -> Option<Self> {
        let prefix = program.parent()?.parent()?.to_owned();
        if is_wheel(&prefix) {
            return Some(Self { installer: Installer::Wheel, prefix });
        }
        // A checkout holds its build: `target/release/scuba`, or one more folder between.
        let checkout = |f: &&Path| f.join("scuba.toml.example").is_file() && f.join("Cargo.toml").is_file();
        Some(match program.ancestors().skip(1).take(5).find(checkout) {
            Some(root) if !prefix.join(DOCUMENTS).is_dir() => {
                Self { installer: Installer::Checkout, prefix: root.to_owned() }
            }
            _ => Self { installer: Installer::Prefix, prefix },
        })
    }

    /// Returns the path of a page or an example, by its path in the checkout, if it was installed.
    #[must_use]
    pub fn document(&self, place: &str) -> Option<PathBuf> {
        let folder = match self.installer {
            Installer::Checkout => self.prefix.clone(),
            Installer::Wheel | Installer::Prefix => self.prefix.join(DOCUMENTS),
        };
        Some(folder.join(place)).filter(|p| p.is_file())
    }
}

/// Whether pip's record of the wheel lies where a prefix has it: in an environment, or beside `bin` by `pip --target`.
fn is_wheel(prefix: &Path) -> bool {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let packages = entries(&prefix.join("lib"))
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python")))
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)));
    packages.chain([prefix.to_owned()]).any(|folder| {
        entries(&folder).any(|e| {
            let name = e.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("scuba_cuda-") && name.ends_with(".dist-info")
        })
    })
}

/// Returns where to read a page: its path if it was installed, else its name in the repository.
#[must_use]
pub fn page(place: &str) -> String {
    let installed = Installation::own().and_then(|i| i.document(place));
    installed.map_or_else(|| format!("{place} of SCuBA's repository"), |p| p.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::{Installation, Installer};
    use std::path::Path;

    fn write(root: &Path, place: &str) {
        let path = root.join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn wheels_prefixes_and_checkouts_are_told_apart_by_what_lies_beside() {
        let of = |files: &[&str], program: &str| {
            let dir = tempfile::tempdir().unwrap();
            for file in files {
                write(dir.path(), file);
            }
            let found = Installation::of(&dir.path().join(program)).unwrap();
            (found.installer, found.document("scuba.toml.example").is_some())
        };
        let example = "share/doc/scuba/scuba.toml.example";
        let record = "lib/python3.11/site-packages/scuba_cuda-0.1.0.dist-info/RECORD";
        assert_eq!(of(&[record, example], "bin/scuba"), (Installer::Wheel, true));
        assert_eq!(of(&["scuba_cuda-0.1.0.dist-info/RECORD"], "bin/scuba"), (Installer::Wheel, false));
        assert_eq!(of(&["lib/python3.11/site-packages/other/RECORD", example], "bin/scuba"), (Installer::Prefix, true));
        let checkout = ["scuba.toml.example", "Cargo.toml"];
        for program in ["target/release/scuba", "target/o0/debug/scuba"] {
            assert_eq!(of(&checkout, program), (Installer::Checkout, true), "{program}");
        }
        let dist = ["scuba.toml.example", "Cargo.toml", "dist/scuba-1/share/doc/scuba/scuba.toml.example"];
        assert_eq!(of(&dist, "dist/scuba-1/bin/scuba"), (Installer::Prefix, true));
        assert_eq!(of(&[], "bin/scuba"), (Installer::Prefix, false));
    }
}
