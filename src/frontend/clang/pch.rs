//! Precompiled headers for CUDA units, one in each folder of a cache. All hold clang's own CUDA headers and SCuBA's
//! header. `shared` makes those of all units whose flags mean the same to these headers; this module also makes those
//! of exactly the same flags, and of the leading includes of one source, valid while these do not change.
//!
//! In: clang's flags for one side, a cache folder. Out: a precompiled header that replaces `-include` of SCuBA's
//! header. It is made when the flags occur for the second time, and used while none of its input files changes; clang
//! gives the same messages with it and without. The folder's contents are trusted, so it must belong to one user.

use super::compat::COMPAT;
use super::invoke;
use super::lead::LeadingIncludes;
use super::toolkit::STAND_INS;
use crate::namesakes::{Namesakes, SearchFolders};
use crate::requests;
use files::store::{self, Readers};
use files::{Dependency, Hashes, Since};
use nvcc::processes::TimeAllowance;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Largest size of all headers kept, in bytes: one takes about 10 MiB, one that builds on another less, one of PyTorch's
/// headers 160 MiB. The least recently used are removed.
const MOST: u64 = 1 << 30;
/// Number of headers in use above which none is made for a single source.
const MAX_IN_USE: usize = 40;
/// Largest number of flag sets remembered as seen once.
const SEEN: usize = 2000;
/// Interval after which a header is marked as used again, and rejected flags are retried.
const NOTED: Duration = Duration::from_secs(24 * 3600);
/// Time after which the maker of an unfinished header counts as dead.
const GONE: Duration = Duration::from_secs(120);

/// A header that is up to date, and the files that it was made of.
#[derive(Debug)]
pub(super) struct PrecompiledHeader {
    pub path: PathBuf,
    pub files: Vec<PathBuf>,
}

/// Cache folder of one header.
#[derive(Clone, Debug)]
pub(super) struct HeaderFolder {
    pub folder: PathBuf,
}

/// Inputs of a header.
#[derive(Debug, Serialize, Deserialize)]
struct HeaderInputs {
    files: Vec<Dependency>,
    namesakes: Namesakes,
}

/// Contents of a header.
#[derive(Clone, Copy)]
pub(super) enum HeaderContents<'a> {
    /// SCuBA's header and those that clang includes by itself.
    Ours,
    /// The same, and the leading includes of a source; on top of a header that covers some of them, if there is one.
    Lead { includes: &'a LeadingIncludes, below: Option<&'a PrecompiledHeader> },
    /// The same for any source: templates are instantiated in it.
    Base,
    /// Text of includes, on top of another header.
    OnTop { below: &'a PrecompiledHeader, text: &'a str },
}

/// Parameters of a run of clang for one side: flags without files, version, folders, time.
#[derive(Clone)]
pub(super) struct ClangRun<'a> {
    pub clang: &'a Path,
    pub version: &'a str,
    pub arguments: Vec<String>,
    /// Contents of the header that is wanted.
    pub contents: HeaderContents<'a>,
    pub directory: &'a Path,
    /// Folders that are searched for includes.
    pub folders: &'a SearchFolders,
    pub time: &'a TimeAllowance,
}

/// Returns the precompiled header for these flags; `None` if there is none yet, or if clang would read another program
/// with it. `below` finds a header that leading includes are precompiled on top of.
pub(super) fn find(
    kept: &Path,
    flags: &ClangRun<'_>,
    below: impl FnOnce() -> Option<PrecompiledHeader>,
) -> Option<PrecompiledHeader> {
    // Files that the flags include come before SCuBA's header.
    if are_preceded(&flags.arguments) {
        return None;
    }
    let place = HeaderFolder { folder: kept.join(key(flags).to_hex().as_str()) };
    if let Some(files) = place.current(flags.folders) {
        return Some(PrecompiledHeader { path: place.header(), files });
    }
    // Most flags of a single `scuba check` never occur again.
    if !place.folder.is_dir() {
        let _ = std::fs::create_dir_all(&place.folder);
        return None;
    }
    if flags.lead().is_some() && are_all_in_use(kept) {
        return None;
    }
    let below = flags.lead().and_then(|_| below());
    let made = place.make(&flags.on_top_of(below.as_ref()));
    tidy(kept);
    made.map(|files| PrecompiledHeader { path: place.header(), files })
}

/// Lets a header be made again when it is wanted next.
pub(super) fn forget(header: &Path) {
    if let Some(folder) = header.parent() {
        let _ = std::fs::remove_file(HeaderFolder { folder: folder.to_owned() }.inputs());
    }
}

/// Whether flags include files before SCuBA's header, or replace files.
pub(super) fn are_preceded(arguments: &[String]) -> bool {
    arguments.iter().any(|a| a.starts_with("-include") || a.starts_with("-imacros") || a == "-ivfsoverlay")
}

impl<'a> ClangRun<'a> {
    fn lead(&self) -> Option<&'a LeadingIncludes> {
        match self.contents {
            HeaderContents::Lead { includes, .. } => Some(includes),
            _ => None,
        }
    }

    /// Returns the header that the wanted one builds on.
    fn below(&self) -> Option<&'a PrecompiledHeader> {
        match self.contents {
            HeaderContents::OnTop { below, .. } => Some(below),
            HeaderContents::Lead { below, .. } => below,
            HeaderContents::Ours | HeaderContents::Base => None,
        }
    }

    /// Returns the run in which leading includes are precompiled on top of a header.
    fn on_top_of<'b>(&self, below: Option<&'b PrecompiledHeader>) -> ClangRun<'b>
    where
        'a: 'b,
    {
        let contents = match self.contents {
            HeaderContents::Lead { includes, .. } => HeaderContents::Lead { includes, below },
            other => other,
        };
        ClangRun { contents, ..self.clone() }
    }
}

/// Hashes everything that decides how clang reads the header.
pub(super) fn key(flags: &ClangRun<'_>) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    add(COMPAT.as_bytes());
    add(flags.version.as_bytes());
    add(flags.clang.as_os_str().as_encoded_bytes());
    // The spelling of `__FILE__` does not matter to toolkit headers.
    for a in flags.arguments.iter().filter(|a| flags.lead().is_some() || !a.starts_with("-fmacro-prefix-map=")) {
        add(a.as_bytes());
    }
    if let Some(lead) = flags.lead() {
        add(flags.directory.as_os_str().as_encoded_bytes());
        add(lead.source.as_os_str().as_encoded_bytes());
        add(lead.text.as_bytes());
    }
    if has_relative_folders(&flags.arguments) {
        add(flags.directory.as_os_str().as_encoded_bytes());
    }
    for name in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"] {
        add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
    }
    hash.finalize()
}

/// Whether clang's includes depend on its working directory.
fn has_relative_folders(arguments: &[String]) -> bool {
    let mut folder_next = false;
    arguments.iter().any(|a| {
        let is_folder =
            std::mem::replace(&mut folder_next, matches!(a.as_str(), "-I" | "-isystem" | "-iquote" | "-idirafter"));
        is_folder && !a.starts_with('/') || a.strip_prefix("-I").is_some_and(|p| !p.is_empty() && !p.starts_with('/'))
    })
}

impl HeaderFolder {
    pub fn header(&self) -> PathBuf {
        self.folder.join("header.pch")
    }

    /// Path of the list of the header's inputs, which include the header itself.
    fn inputs(&self) -> PathBuf {
        self.folder.join("inputs")
    }

    /// Path of SCuBA's header.
    fn ours(&self) -> PathBuf {
        self.folder.join("scuba-compat.h")
    }

    /// Path of the source with the leading includes, if there are any.
    fn source(&self) -> PathBuf {
        self.folder.join("lead.cu")
    }

    /// Path of the list of names that its inputs mention.
    pub fn names(&self) -> PathBuf {
        self.folder.join("names")
    }

    /// Path of the mark that clang failed to make the header.
    fn refused(&self) -> PathBuf {
        self.folder.join("refused")
    }

    /// Returns the header's input files if none of them changed and no other file would be found in place of one.
    pub fn current(&self, folders: &SearchFolders) -> Option<Vec<PathBuf>> {
        let path = self.inputs();
        let HeaderInputs { files, namesakes } = store::read(&path)?;
        let hashes = Hashes::of_this_process();
        let unchanged = !files.is_empty() && files.iter().all(|f| f.is_unchanged(hashes));
        let names = files.iter().map(|i| i.path.as_path()).filter(|p| !self.is_kept(p));
        if !unchanged || !folders.unchanged(names, &namesakes) {
            return None;
        }
        if age(&path).is_some_and(|a| a > NOTED) {
            let _ = store::open_to_append(&path).and_then(|f| f.set_modified(SystemTime::now()));
        }
        Some(paths(files))
    }

    /// Makes the header; only one process does so at a time, and the others get none.
    pub fn make(&self, flags: &ClangRun<'_>) -> Option<Vec<PathBuf>> {
        let _lock = self.lock()?;
        self.remove_what_the_dead_left();
        if age(&self.refused()).is_some_and(|a| a < NOTED) {
            return None;
        }
        let made = self.write(flags);
        if made.is_none() {
            let _ = std::fs::write(self.refused(), "");
        }
        made
    }

    /// Locks the folder until the result is dropped or this process ends; `None` if another process makes the header.
    fn lock(&self) -> Option<std::fs::File> {
        let file = store::open_to_append(&self.folder.join("making")).ok()?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        // What the dead left is told by its age.
        file.set_modified(SystemTime::now()).ok()?;
        Some(file)
    }

    /// Returns the files that a header would be made of beside those of the header below it.
    pub fn sources(&self, flags: &ClangRun<'_>) -> Option<Vec<PathBuf>> {
        let (mut arguments, source) = self.command(flags)?;
        let list = tempfile::NamedTempFile::new_in(&self.folder).ok()?;
        let path = |p: &Path| p.display().to_string();
        arguments.extend(["-M".into(), "-MF".into(), path(list.path()), "--".into(), path(&source)]);
        invoke::clang(flags.clang, &arguments, flags.directory, flags.time).ok()?;
        let files = invoke::dependencies(list.path(), flags.directory);
        files.contains(&source).then_some(files)
    }

    /// Returns clang's arguments for the header, without outputs, and the source that it is made of.
    fn command(&self, flags: &ClangRun<'_>) -> Option<(Vec<String>, PathBuf)> {
        let ours = self.ours();
        self.keep(&ours, COMPAT)?;
        let path = |p: &Path| p.display().to_string();
        let (mut arguments, mut source) = (vec![], ours.clone());
        match flags.contents {
            HeaderContents::Ours => arguments.extend(flags.arguments.iter().cloned()),
            HeaderContents::Lead { includes, .. } => {
                source = self.source();
                self.keep(&source, &includes.as_source())?;
                // Before all other folders, like the folder of a source.
                arguments.extend(["-iquote".into(), path(includes.folder())]);
                arguments.extend(flags.arguments.iter().cloned());
                if flags.below().is_none() {
                    arguments.extend(["-include".into(), path(&ours)]);
                }
            }
            HeaderContents::Base => {
                arguments.extend(flags.arguments.iter().cloned());
                arguments.extend(["-Xclang", "-fpch-instantiate-templates"].map(String::from));
            }
            HeaderContents::OnTop { text, .. } => {
                source = self.source();
                self.keep(&source, text)?;
                arguments.extend(flags.arguments.iter().cloned());
            }
        }
        if let Some(below) = flags.below() {
            arguments.extend(["-Xclang", "-include-pch", "-Xclang"].map(String::from));
            arguments.push(path(&below.path));
        }
        // The inputs' contents are compared before each use: their times may differ then, or mean nothing.
        arguments.extend(["-Xclang", "-fno-pch-timestamp"].map(String::from));
        Some((arguments, source))
    }

    fn write(&self, flags: &ClangRun<'_>) -> Option<Vec<PathBuf>> {
        let since = Since::now();
        let (mut arguments, source) = self.command(flags)?;
        let ours = self.ours();
        let aside = || tempfile::NamedTempFile::new_in(&self.folder);
        let (header, list) = (aside().ok()?, aside().ok()?);
        let path = |p: &Path| p.display().to_string();
        arguments.extend(["-Xclang", "-emit-pch"].map(String::from));
        arguments.extend(["-MD".into(), "-MF".into(), path(list.path())]);
        arguments.extend(["-o".into(), path(header.path()), "--".into(), path(&source)]);
        invoke::clang(flags.clang, &arguments, flags.directory, flags.time).ok()?;
        let mut files = invoke::dependencies(list.path(), flags.directory);
        if files.is_empty() || !files.contains(&source) {
            return None;
        }
        if let Some(below) = flags.below() {
            files.extend(below.files.iter().cloned().chain([below.path.clone()]));
            files.sort();
            files.dedup();
        }
        header.persist(self.header()).ok()?;
        let hashes = Hashes::of_this_process();
        // Nobody else writes these two files, which may be very recent.
        let input = |path: PathBuf| {
            let is_ours = path == ours || path == source;
            if is_ours { Dependency::of(&path, hashes) } else { since.dependency(&path, hashes) }
        };
        let mut inputs: Vec<Dependency> = files.into_iter().map(input).collect::<Option<_>>()?;
        // If a file was written in the meantime, it is unknown which version clang read.
        if !inputs.iter().all(Dependency::is_known) {
            return None;
        }
        let names = inputs.iter().map(|i| i.path.as_path()).filter(|p| !self.is_kept(p));
        let namesakes = flags.folders.namesakes(names, &since)?;
        inputs.push(Dependency::of(&self.header(), hashes)?);
        let inputs = HeaderInputs { files: inputs, namesakes };
        store::write(&self.folder, &self.inputs(), Readers::Owner, &inputs).ok()?;
        Some(paths(inputs.files))
    }

    /// Whether a file is one of the cache of headers.
    fn is_kept(&self, path: &Path) -> bool {
        self.folder.parent().is_some_and(|kept| path.starts_with(kept))
    }

    /// Writes a file of SCuBA's, unless it exists with this text.
    fn keep(&self, path: &Path, text: &str) -> Option<()> {
        if store::bytes(path).is_some_and(|t| t == text.as_bytes()) {
            return Some(());
        }
        store::replace(&self.folder, path, Readers::Owner, text.as_bytes()).ok()
    }

    /// Removes a stale lock and unfinished files.
    fn remove_what_the_dead_left(&self) {
        let ended = [self.header(), self.inputs(), self.ours(), self.source(), self.refused(), self.names()];
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|e| e.path());
        for path in entries.filter(|p| !ended.contains(p) && age(p).is_some_and(|a| a > GONE)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn paths(inputs: Vec<Dependency>) -> Vec<PathBuf> {
    inputs.into_iter().map(|i| i.path).collect()
}

fn age(path: &Path) -> Option<Duration> {
    path.metadata().ok()?.modified().ok()?.elapsed().ok()
}

/// A folder and the time since its last use.
type FolderAge = (Duration, PathBuf);

/// Lists the cache, the last used first: headers, and flags that occurred once.
fn all_kept(kept: &Path) -> (Vec<FolderAge>, Vec<FolderAge>) {
    let entries = std::fs::read_dir(kept).into_iter().flatten().flatten();
    let folders =
        entries.map(|e| e.path()).filter(|p| p.is_dir() && !p.ends_with(STAND_INS) && !p.ends_with(requests::FOLDER));
    let (mut made, mut seen) = (vec![], vec![]);
    for folder in folders {
        match age(&HeaderFolder { folder: folder.clone() }.inputs()) {
            Some(age) => made.push((age, folder)),
            None => seen.push((age(&folder).unwrap_or_default(), folder)),
        }
    }
    made.sort();
    seen.sort();
    (made, seen)
}

/// Whether another header would evict one that is in use: a project of many sources would otherwise keep remaking them.
fn are_all_in_use(kept: &Path) -> bool {
    all_kept(kept).0.get(MAX_IN_USE - 1).is_some_and(|(age, _)| *age < NOTED)
}

/// Removes the least recently used entries beyond the limits.
pub(super) fn tidy(kept: &Path) {
    let (made, seen) = all_kept(kept);
    let mut bytes = 0;
    let beyond = made.into_iter().filter(|(_, folder)| {
        let header = HeaderFolder { folder: folder.clone() }.header();
        bytes += header.metadata().map_or(0, |m| m.len());
        bytes > MOST
    });
    // Another process may have removed a folder already.
    for (_, folder) in beyond.chain(seen.into_iter().skip(SEEN)) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::cpu_time::TimeLimit;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn where_clang_runs_matters_to_relative_folders() {
        for (flags, wanted) in
            [("-I/a -isystem /b", false), ("-I.", true), ("-isystem b", true), ("-I b", true), ("-DI=.", false)]
        {
            assert_eq!(has_relative_folders(&words(flags)), wanted, "{flags}");
        }
    }

    #[test]
    fn what_decides_the_header_decides_its_key() {
        let of = |flags: &str, directory: &str, version: &str| {
            key(&ClangRun {
                clang: Path::new("clang"),
                version,
                arguments: words(flags),
                contents: HeaderContents::Ours,
                directory: Path::new(directory),
                folders: &SearchFolders::default(),
                time: &TimeAllowance::new(TimeLimit::of(Duration::ZERO), 1),
            })
        };
        let first = of("-I/a -DX=1 -fmacro-prefix-map=/p/=", "/w", "clang 22.1.8");
        assert_eq!(first, of("-I/a -DX=1 -fmacro-prefix-map=/q/=", "/v", "clang 22.1.8"));
        for other in [
            of("-I/a -DX=2", "/w", "clang 22.1.8"),
            of("-DX=1 -I/a", "/w", "clang 22.1.8"),
            of("-I/a -DX=1", "/w", "clang 22.1.9"),
        ] {
            assert_ne!(first, other);
        }
        assert_ne!(of("-I.", "/w", ""), of("-I.", "/v", ""));
    }

    #[test]
    fn what_the_dead_left_goes() {
        let folder = tempfile::tempdir().unwrap();
        let place = HeaderFolder { folder: folder.path().to_owned() };
        let old = SystemTime::now() - 2 * GONE;
        for (name, modified) in
            [("making", old), (".tmpold", old), (".tmpnew", SystemTime::now()), ("header.pch", old), ("refused", old)]
        {
            std::fs::File::create(folder.path().join(name)).unwrap().set_modified(modified).unwrap();
        }
        place.remove_what_the_dead_left();
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!(
            ["making", ".tmpold", ".tmpnew", "header.pch", "refused"].map(left),
            [false, false, true, true, true]
        );
    }

    #[test]
    fn the_longest_unused_go_first() {
        let kept = tempfile::tempdir().unwrap();
        let size = 100 << 20;
        let most = usize::try_from(MOST / size).unwrap();
        for i in 0..most + 3 {
            let place = HeaderFolder { folder: kept.path().join(format!("{i:02}")) };
            std::fs::create_dir(&place.folder).unwrap();
            std::fs::File::create(place.header()).unwrap().set_len(size).unwrap();
            std::fs::write(place.inputs(), "").unwrap();
            let used = SystemTime::now() - Duration::from_secs(1000 - i as u64);
            std::fs::File::options().append(true).open(place.inputs()).unwrap().set_modified(used).unwrap();
        }
        tidy(kept.path());
        let mut left: Vec<_> =
            std::fs::read_dir(kept.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        assert_eq!((left.len(), left[0].as_str()), (most, "03"));
    }
}
