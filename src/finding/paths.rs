//! Paths as reports show them: relative to the project, absolute outside it.

use std::path::{Path, PathBuf};

/// Folder that paths in reports are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRoot(PathBuf);

impl ProjectRoot {
    /// Returns scuba.toml's folder, else the repository that contains `start`, else the working folder. Paths are
    /// absolute.
    #[must_use]
    pub fn find(config_folder: Option<&Path>, start: &Path, working: &Path) -> Self {
        let root = config_folder
            .map(Path::to_owned)
            .or_else(|| start.ancestors().find(|d| d.join(".git").exists()).map(Path::to_owned))
            .unwrap_or_else(|| working.to_owned());
        Self(root)
    }

    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self(root)
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Returns a path as reports show it. Front ends give lexically normalised absolute paths; a project behind a
    /// symbolic link is recognised too.
    #[must_use]
    pub fn show(&self, path: &str) -> String {
        let p = Path::new(path);
        if p.is_relative() {
            return path.to_owned();
        }
        if let Ok(rest) = p.strip_prefix(&self.0) {
            return rest.to_string_lossy().into_owned();
        }
        let resolved = || {
            let root = self.0.canonicalize().ok()?;
            let whole = p.canonicalize().ok()?;
            whole.strip_prefix(&root).ok().map(|r| r.to_string_lossy().into_owned())
        };
        resolved().unwrap_or_else(|| path.to_owned())
    }

    /// Returns the absolute path for a shown one; the inverse of [`Self::show`].
    #[must_use]
    pub fn absolute(&self, shown: &str) -> PathBuf {
        self.0.join(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::ProjectRoot;
    use std::path::Path;

    #[test]
    fn paths_inside_are_relative_and_paths_outside_absolute() {
        let root = ProjectRoot::new("/no/such/project".into());
        assert_eq!(root.show("/no/such/project/src/a.cu"), "src/a.cu");
        assert_eq!(root.show("/usr/include/x.h"), "/usr/include/x.h");
        assert_eq!(root.show("/no/such/project2/a.cu"), "/no/such/project2/a.cu");
        assert_eq!(root.absolute("src/a.cu"), Path::new("/no/such/project/src/a.cu"));
        assert_eq!(root.absolute("/usr/include/x.h"), Path::new("/usr/include/x.h"));
    }

    #[test]
    fn the_root_is_the_settings_folder_then_the_repository_then_the_working_folder() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("repo/a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(dir.path().join("repo/.git")).unwrap();
        assert_eq!(ProjectRoot::find(Some(Path::new("/c")), &deep, Path::new("/w")).folder(), Path::new("/c"));
        assert_eq!(ProjectRoot::find(None, &deep, Path::new("/w")).folder(), dir.path().join("repo"));
        assert_eq!(ProjectRoot::find(None, dir.path(), Path::new("/w")).folder(), Path::new("/w"));
    }
}
