//! Location of `.scuba/`.
//!
//! In: the file that a command writes, the folder in which it runs, `SCUBA_DIR`. Out: the path of the `.scuba` folder
//! for the facts of that output. The module knows nothing of the folder's contents.

use super::remote_url::RemoteUrl;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the folder.
pub const NAME: &str = ".scuba";

/// Files and folders that mark the root of a build or of a project.
const MARKS: [&str; 4] = ["CMakeCache.txt", "build.ninja", NAME, ".git"];

/// The `.scuba` folder for `output`; it need not exist yet.
///
/// `$SCUBA_DIR/.scuba`, else the one of the nearest ancestor of the output with CMakeCache.txt, build.ninja, an
/// existing `.scuba` or .git, else the one of `working`, or of the output's folder if `working` cannot be written or is
/// the root folder. Without an output (compile and link in one command, `/dev/null`) the search starts at `working`,
/// which must be absolute; a relative `SCUBA_DIR` or output is relative to it.
pub fn resolve(output: Option<&Path>, working: &Path, scuba_dir: Option<&Path>) -> PathBuf {
    if let Some(dir) = scuba_dir.filter(|dir| !dir.as_os_str().is_empty()) {
        return within(working, dir);
    }
    let start = match output {
        Some(output) if !output.starts_with("/dev") => working.join(output).parent().unwrap_or(working).to_owned(),
        _ => working.to_owned(),
    };
    // A build folder reached through a symbolic link has the ancestors of the link's target.
    let start = start.canonicalize().unwrap_or(start);
    let marks =
        |folder: &Path| MARKS.into_iter().any(|mark| is_of_a_project(folder, mark) && folder.join(mark).exists());
    let marked = start.ancestors().find(|folder| marks(folder));
    // Read-only sources are built elsewhere; facts in the root folder would mark every project below it.
    let unmarked = || if working.parent().is_some() && is_writable(working) { working } else { &start };
    marked.unwrap_or_else(unmarked).join(NAME)
}

/// Whether a mark in a folder indicates a project: facts in the root folder belong to whatever ran there.
fn is_of_a_project(folder: &Path, mark: &str) -> bool {
    mark != NAME || folder.parent().is_some()
}

/// Nearest `.scuba` folder, belonging to a project, strictly above a folder.
#[must_use]
pub fn above(dir: &Path) -> Option<PathBuf> {
    let mut above = dir.ancestors().skip(1).filter(|folder| is_of_a_project(folder, NAME));
    above.find_map(|folder| Some(folder.join(NAME)).filter(|facts| facts.is_dir()))
}

/// Whether files can be created in a folder, according to the system.
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::Access;
    !folder.exists() || rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Calls [`resolve`] with this process's `SCUBA_DIR`.
pub fn of_this_process(output: Option<&Path>, working: &Path) -> PathBuf {
    resolve(output, working, set_folder().as_deref())
}

/// The `.scuba` folder that this process's `SCUBA_DIR` names, relative to `working`; `None` if it is not set.
pub fn named_by_environment(working: &Path) -> Option<PathBuf> {
    set_folder().map(|dir| within(working, &dir))
}

/// Value of `SCUBA_DIR`, if set: the folder that holds `.scuba`.
pub fn set_folder() -> Option<PathBuf> {
    std::env::var_os("SCUBA_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

fn within(working: &Path, dir: &Path) -> PathBuf {
    working.join(dir).join(NAME)
}

/// Folder for data that can be regenerated, shared by all projects of one user: `SCUBA_CACHE` if it names a folder, else
/// the user's cache folder; `None` if [`why_no_cache`] gives a reason.
#[must_use]
pub fn cache() -> Option<PathBuf> {
    usable_cache().ok()
}

/// Returns the reason why there is no cache.
#[must_use]
pub fn why_no_cache() -> Option<String> {
    usable_cache().err()
}

fn usable_cache() -> Result<PathBuf, String> {
    let folder = match set_cache() {
        SetCache::Off => return Err("SCUBA_CACHE is `off`".to_owned()),
        SetCache::Folder(folder) => folder,
        SetCache::Default | SetCache::Remote(_) => {
            let folder = user_cache().ok_or("HOME is not set")?;
            if is_of_another_user(&folder) {
                return Err(format!("{} belongs to another user", folder.display()));
            }
            folder
        }
    };
    // clang and the facts could not name it.
    if folder.to_str().is_none() {
        return Err(format!("the path {} is not UTF-8", folder.display()));
    }
    Ok(folder)
}

/// Whether a folder belongs to a user who is neither this one nor root.
#[must_use]
pub fn is_of_another_user(folder: &Path) -> bool {
    owner_beside(folder, rustix::process::geteuid().as_raw()).is_some()
}

/// Returns the owner of a folder if that is neither this user nor root. The cache is believed, so nobody else may have
/// filled it: HOME may be another user's, for example below `sudo`. A folder that is named in `SCUBA_CACHE` is trusted.
fn owner_beside(folder: &Path, user: u32) -> Option<u32> {
    const ROOT: u32 = 0;
    let owner = std::os::unix::fs::MetadataExt::uid(&folder.metadata().ok()?);
    (owner != user && owner != ROOT).then_some(owner)
}

/// Returns the URL that `SCUBA_CACHE` names: of a remote cache, beside which the user's cache folder stays in use. `None`
/// if it names none.
///
/// # Errors
/// If it is a URL of no store of remote caches: the message names it, and what is allowed.
pub fn remote_cache() -> Result<Option<RemoteUrl>, String> {
    match set_cache() {
        SetCache::Remote(url) => {
            RemoteUrl::parse(&url).map(Some).map_err(|why| format!("SCUBA_CACHE: {why}; or name a folder, or `off`"))
        }
        SetCache::Default | SetCache::Off | SetCache::Folder(_) => Ok(None),
    }
}

/// Whether `SCUBA_CACHE` switches all caches off.
#[must_use]
pub fn is_cache_off() -> bool {
    set_cache() == SetCache::Off
}

/// Meaning of `SCUBA_CACHE`.
#[derive(Debug, PartialEq, Eq)]
enum SetCache {
    /// Variable that is not set.
    Default,
    Off,
    Folder(PathBuf),
    /// URL, which may be wrong.
    Remote(String),
}

fn set_cache() -> SetCache {
    std::env::var_os("SCUBA_CACHE").filter(|v| !v.is_empty()).map_or(SetCache::Default, |set| meaning(&set))
}

/// Returns the meaning of a value of `SCUBA_CACHE`.
fn meaning(set: &OsStr) -> SetCache {
    let text = set.to_string_lossy();
    match set.to_str() {
        Some("off") => SetCache::Off,
        _ if RemoteUrl::is_url(&text) => SetCache::Remote(text.into_owned()),
        _ => SetCache::Folder(PathBuf::from(set)),
    }
}

/// The user's cache folder, whatever `SCUBA_CACHE` says. Relative paths count as not set (XDG Base Directory
/// Specification).
#[must_use]
pub fn user_cache() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache"))).map(|f| f.join("scuba"))
}

/// Creates the folder, with a `.gitignore` that keeps all of it out of version control.
///
/// # Errors
/// Errors of `create_dir_all` and `write`.
pub fn create(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let ignore = dir.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_mark_wins() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("p/.git")).unwrap();
        std::fs::create_dir_all(root.join("p/build/CMakeFiles/app.dir")).unwrap();
        std::fs::create_dir_all(root.join("p/src")).unwrap();
        std::fs::create_dir_all(root.join("elsewhere")).unwrap();
        std::fs::write(root.join("p/build/CMakeCache.txt"), "").unwrap();
        let find = |output: &str, working: &str| resolve(Some(Path::new(output)), &root.join(working), None);
        assert_eq!(find("CMakeFiles/app.dir/a.o", "p/build"), root.join("p/build/.scuba"));
        assert_eq!(find("a.o", "p/src"), root.join("p/.scuba"));
        assert_eq!(find("/dev/null", "p/src"), root.join("p/.scuba"));
        assert_eq!(resolve(None, &root.join("p/src"), None), root.join("p/.scuba"));
        assert_eq!(find("../p/src/a.o", "elsewhere"), root.join("p/.scuba"));
        let unmarked = root.join("elsewhere");
        assert_eq!(resolve(Some(&unmarked.join("a.o")), &root, None), root.join(".scuba"));
        assert_eq!(resolve(Some(&unmarked.join("a.o")), Path::new("/"), None), unmarked.join(".scuba"));
        assert_eq!(resolve(None, &root.join("p"), Some(Path::new("out"))), root.join("p/out/.scuba"));
        assert_eq!(resolve(None, &root.join("p"), Some(Path::new(""))), root.join("p/.scuba"));
        std::os::unix::fs::symlink(root.join("p/build"), root.join("elsewhere/b")).unwrap();
        assert_eq!(find("b/a.o", "elsewhere"), root.join("p/build/.scuba"));
    }

    #[test]
    fn a_cache_is_a_folder_or_off_or_a_url() {
        let of = |text: &str| meaning(OsStr::new(text));
        assert_eq!(of("off"), SetCache::Off);
        for folder in ["/var/cache/scuba", "cache", "off/", "a:b", "://x", "1a://x", "/odd/s3://x", "C:/x"] {
            assert_eq!(of(folder), SetCache::Folder(PathBuf::from(folder)));
        }
        for url in ["s3://bucket/scuba", "https://cache.example", "file:///tmp/c", "git+ssh://x"] {
            assert_eq!(of(url), SetCache::Remote(url.to_owned()));
        }
    }

    #[test]
    fn folders_of_others_are_recognised() {
        let root = tempfile::tempdir().unwrap();
        let own = std::os::unix::fs::MetadataExt::uid(&root.path().metadata().unwrap());
        assert_eq!((owner_beside(root.path(), own), owner_beside(Path::new("/"), own)), (None, None));
        assert_eq!(owner_beside(&root.path().join("none"), own + 1), None);
        assert_eq!(owner_beside(root.path(), own + 1), (own != 0).then_some(own));
    }

    #[test]
    fn created_once_with_its_gitignore() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a/.scuba");
        create(&dir).unwrap();
        std::fs::write(dir.join(".gitignore"), "mine").unwrap();
        create(&dir).unwrap();
        assert_eq!(std::fs::read(dir.join(".gitignore")).unwrap(), b"mine");
    }
}
