//! Paths relative to the repository, as services that show findings beside code want them.
//!
//! In: paths as reports show them, which are relative to the project. Out: paths relative to the folder that holds the
//! project's `.git`; to the project itself where there is none.

use finding::paths::ProjectRoot;
use std::path::{Path, PathBuf};

/// Paths in the repository that holds a project.
#[derive(Clone, Debug)]
pub struct RepositoryPaths {
    root: ProjectRoot,
    top: PathBuf,
}

impl RepositoryPaths {
    #[must_use]
    pub fn of(root: &ProjectRoot) -> Self {
        let top = root.folder().ancestors().find(|d| d.join(".git").exists()).unwrap_or(root.folder()).to_owned();
        Self { root: root.clone(), top }
    }

    /// Returns the path relative to the repository; `None` for a file outside it.
    #[must_use]
    pub fn relative(&self, shown: &str) -> Option<String> {
        let path = self.root.absolute(shown);
        path.strip_prefix(&self.top).ok().map(|p| p.to_string_lossy().into_owned())
    }

    /// Returns the path relative to the repository, or absolute outside it.
    #[must_use]
    pub fn show(&self, shown: &str) -> String {
        self.relative(shown).unwrap_or_else(|| shown.to_owned())
    }

    /// Folder of the repository.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.top
    }
}

#[cfg(test)]
mod tests {
    use super::RepositoryPaths;
    use finding::paths::ProjectRoot;

    #[test]
    fn paths_of_a_project_in_a_folder_are_relative_to_its_repository() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("repo/gpu");
        std::fs::create_dir_all(&project).unwrap();
        let root = ProjectRoot::new(project.clone());
        // Without a repository, the project is the top.
        assert_eq!(RepositoryPaths::of(&root).show("src/a.cu"), "src/a.cu");
        std::fs::create_dir(dir.path().join("repo/.git")).unwrap();
        let paths = RepositoryPaths::of(&root);
        assert_eq!(paths.show("src/a.cu"), "gpu/src/a.cu");
        let beside = dir.path().join("repo/lib/b.h").to_string_lossy().into_owned();
        assert_eq!(paths.relative(&beside).as_deref(), Some("lib/b.h"));
        assert_eq!(paths.relative("/usr/include/x.h"), None);
        assert_eq!(paths.show("/usr/include/x.h"), "/usr/include/x.h");
        assert_eq!(paths.folder(), dir.path().join("repo"));
    }
}
