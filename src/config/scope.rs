//! Table `[scope]`: what is analysed.

use globset::GlobMatcher;
use std::path::{Component, Path, PathBuf};

/// Files that are not analysed, by patterns for paths relative to scuba.toml's folder. A pattern that matches a folder
/// matches everything in it.
#[derive(Clone, Debug, Default)]
pub struct ProjectScope {
    pub(super) exclude: Vec<GlobMatcher>,
    pub(super) folder: PathBuf,
}

impl ProjectScope {
    /// Whether a file, given by its absolute path, is not analysed.
    #[must_use]
    pub fn excludes(&self, file: &Path) -> bool {
        if self.exclude.is_empty() {
            return false;
        }
        let file = normal(file);
        let within = |file: &Path, folder: &Path| file.strip_prefix(folder).ok().is_some_and(|rest| self.matches(rest));
        // A project behind a symbolic link is recognised too.
        within(&file, &self.folder)
            || file
                .canonicalize()
                .is_ok_and(|file| self.folder.canonicalize().is_ok_and(|folder| within(&file, &folder)))
    }

    fn matches(&self, relative: &Path) -> bool {
        let named = relative.ancestors().filter(|p| !p.as_os_str().is_empty());
        named.into_iter().any(|path| self.exclude.iter().any(|glob| glob.is_match(path)))
    }
}

/// Removes `.` and `..` from a path, as compilers print it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use std::path::Path;

    #[test]
    fn files_and_folders_are_excluded_relative_to_scuba_toml() {
        let text = "[scope]\nexclude = [\"third_party/**\", \"vendor\", \"src/*_generated.cu\"]\n";
        let scope = parse(text, Path::new("/no/such/p/scuba.toml")).unwrap().scope;
        for file in
            ["third_party/a.cu", "third_party/x/y/b.h", "vendor/c/d.cu", "src/k_generated.cu", "src/../vendor/./e.cu"]
        {
            assert!(scope.excludes(&Path::new("/no/such/p").join(file)), "{file}");
        }
        for file in [
            "/no/such/p/src/a.cu",
            "/no/such/p/src/x/k_generated.cu",
            "/no/such/p/src/third_party/a.cu",
            "/other/vendor/a.cu",
        ] {
            assert!(!scope.excludes(Path::new(file)), "{file}");
        }
        assert!(!parse("", Path::new("/no/such/p/scuba.toml")).unwrap().scope.excludes(Path::new("/no/such/p/a.cu")));
    }

    #[test]
    fn projects_behind_a_link_have_the_same_scope() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        std::fs::create_dir_all(real.join("lib")).unwrap();
        std::fs::write(real.join("lib/a.cu"), "").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let scope = parse("[scope]\nexclude = [\"lib\"]\n", &link.join("scuba.toml")).unwrap().scope;
        assert!(scope.excludes(&real.join("lib/a.cu")) && scope.excludes(&link.join("lib/a.cu")));
    }
}
