//! Precompiled headers that units of any project share: the same toolkit, language flags and architecture suffice.
//!
//! In: clang's flags for one side, and the headers of the system that a source begins with ([`Beginning`]). Out: a
//! precompiled header that stands for SCuBA's header and the first of these.
//!
//! The base holds what clang reads before every source. Others build on it, each for a sequence of headers: a source
//! takes the longest that its own sequence begins with, so that clang reads the same text in the same order as without.
//! Macros and folders of the user's are no part of a header: it serves units whose macros no file of it mentions, and
//! whose folders have no file of a name that one of its files includes. (A name that `##` puts together is not seen.)
//! Macros that the base mentions give another base.
//!
//! The base is made when it is needed first: it costs less than a second source without it. A sequence is precompiled
//! at its second occurrence. Templates that the base uses are instantiated in it, which each source would repeat; no
//! source may add to what these find (C++ [namespace.std]).

use super::beginning::Beginning;
use super::pch::{self, ClangRun, HeaderContents, HeaderFolder, PrecompiledHeader};
use super::toolkit::Toolkit;
use crate::identifiers;
use crate::namesakes::SearchFolders;
use files::store::{self, Readers};
use nvcc::processes::TimeAllowance;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files that are in folders which every unit searches, wherever these are.
const LANDMARKS: [&str; 6] =
    ["cstdlib", "new", "stdlib.h", "features.h", "cuda_runtime.h", "__clang_cuda_runtime_wrapper.h"];

/// Flags that name a folder, with the folder in the same word or in the next.
const FOLDERS: [&str; 4] = ["-isystem", "-idirafter", "-iquote", "-I"];

/// Result of a search.
pub(super) enum SharedHeader {
    Found(PrecompiledHeader),
    /// Absence of a header, for example because another process is making one.
    Missing,
    /// Flags that have none, for example because a file of the project replaces one of the toolkit's.
    Unfit,
}

/// Flags of one side, split into those that a header depends on and the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SplitFlags {
    /// Flags for the base, without the user's folders and macros.
    arguments: Vec<String>,
    /// `-D…` and `-U…` of the user's.
    macros: Vec<String>,
    /// Folders other than the toolkit's, as the flags spell them, in the order in which clang searches them.
    folders: Vec<PathBuf>,
}

/// Names in the files of a header.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct MentionedNames {
    /// Hashes of all identifiers, ascending.
    identifiers: Vec<u64>,
    /// Names of files in directives.
    files: BTreeSet<String>,
}

/// Parameters that all searches of one run have in common.
pub(super) struct SharedHeaders<'a> {
    pub kept: &'a Path,
    pub clang: &'a Path,
    pub version: &'a str,
    pub directory: &'a Path,
    pub toolkit: &'a Toolkit,
    pub time: &'a TimeAllowance,
    /// Whether all of a source's sequence is to be precompiled now.
    pub at_once: bool,
}

/// A header that can be used.
struct Usable {
    header: PrecompiledHeader,
    names: Vec<MentionedNames>,
}

impl SharedHeaders<'_> {
    /// Returns the header for a source with these flags (without files). `source` is relative to the working directory.
    pub fn find(&self, arguments: &[String], source: &Path, begins: bool) -> SharedHeader {
        if pch::are_preceded(arguments) {
            return SharedHeader::Unfit;
        }
        let flags = SplitFlags::of(arguments, &self.folders_of_toolkit());
        let searched: Vec<PathBuf> = flags.folders.iter().map(|f| files::normalise(self.directory, f)).collect();
        let (base, macros) = match self.base(&flags, &searched) {
            Ok(base) => base,
            Err(unfit) => return unfit,
        };
        if !begins {
            return SharedHeader::Found(base.header);
        }
        let mut beginning = Beginning::of(source, self.directory, &searched);
        let places = SearchedPlaces::of(&base.header.files);
        beginning.retain(|name| !places.is_read(name));
        SharedHeader::Found(self.longest(&flags, &macros, base, &beginning, &searched).header)
    }

    /// Returns the base, and the macros that it was made with.
    fn base(&self, flags: &SplitFlags, searched: &[PathBuf]) -> Result<(Usable, Vec<String>), SharedHeader> {
        let mut macros: Vec<String> = vec![];
        // The files of the base may depend on a macro whose name no other file of it has.
        for _ in 0..3 {
            let base = self.made_or_make(flags, &macros, &[], None).ok_or(SharedHeader::Missing)?;
            if base.names.iter().any(|n| n.are_hidden(searched, self.toolkit)) {
                return Err(SharedHeader::Unfit);
            }
            let relevant = flags.macros.iter().filter(|m| base.names.iter().any(|n| n.mention(name_of(m))));
            let relevant: Vec<String> = relevant.cloned().collect();
            if relevant == macros {
                return Ok((base, macros));
            }
            macros = relevant;
        }
        Err(SharedHeader::Unfit)
    }

    /// Returns the header for the longest beginning of a sequence that there is one for, or makes one.
    fn longest(
        &self,
        flags: &SplitFlags,
        macros: &[String],
        base: Usable,
        beginning: &Beginning,
        searched: &[PathBuf],
    ) -> Usable {
        let fits = |usable: &Usable, n: usize| {
            let defined = beginning.macros_before(n).iter().map(String::as_str);
            let given = flags.macros.iter().filter(|m| !macros.contains(m)).map(|m| name_of(m));
            let mut names = defined.chain(given);
            !names.any(|name| usable.names.iter().any(|m| m.mention(name)))
                && !usable.names.iter().any(|n| n.are_hidden(searched, self.toolkit))
        };
        let all = &beginning.headers;
        let (mut best, mut covered) = (base, 0);
        let mut lacking = vec![];
        for n in (1..=all.len()).rev() {
            match self.made(flags, macros, &all[..n]) {
                Some(usable) if fits(&usable, n) => {
                    (best, covered) = (usable, n);
                    break;
                }
                Some(_) => {}
                None => lacking.push(n),
            }
        }
        // The longest sequence that occurred before.
        let again = lacking.into_iter().filter(|n| fits(&best, *n)).find(|n| {
            let place = self.place(flags, macros, &all[..*n]);
            let seen = place.folder.is_dir();
            let _ = std::fs::create_dir_all(&place.folder);
            seen || self.at_once
        });
        let Some(n) = again else { return best };
        match self.make(flags, macros, &all[..n], Some((&best, covered))) {
            Some(made) if fits(&made, n) => made,
            _ => best,
        }
    }

    fn made_or_make(
        &self,
        flags: &SplitFlags,
        macros: &[String],
        headers: &[String],
        below: Option<(&Usable, usize)>,
    ) -> Option<Usable> {
        self.made(flags, macros, headers).or_else(|| self.make(flags, macros, headers, below))
    }

    /// Returns a header that is up to date, with the names of all files that it was made of.
    fn made(&self, flags: &SplitFlags, macros: &[String], headers: &[String]) -> Option<Usable> {
        let place = self.place(flags, macros, headers);
        if !place.header().is_file() {
            return None;
        }
        let files = place.current(&self.own_folders())?;
        let names = store::read(&place.names())?;
        Some(Usable { header: PrecompiledHeader { path: place.header(), files }, names })
    }

    /// Makes a header on top of one that covers the first of its headers.
    fn make(
        &self,
        flags: &SplitFlags,
        macros: &[String],
        headers: &[String],
        below: Option<(&Usable, usize)>,
    ) -> Option<Usable> {
        let place = self.place(flags, macros, headers);
        std::fs::create_dir_all(&place.folder).ok()?;
        let (folders, text) = (self.own_folders(), text(&headers[below.map_or(0, |(_, covered)| covered)..]));
        let contents = below.map_or(HeaderContents::Base, |(usable, _)| HeaderContents::OnTop {
            header: &usable.header.path,
            made_of: &usable.header.files,
            text: &text,
        });
        let run = self.run(flags, macros, contents, &folders);
        let files = place.make(&run);
        pch::tidy(self.kept);
        let files = files?;
        let known: HashSet<&PathBuf> = below.iter().flat_map(|(usable, _)| &usable.header.files).collect();
        let new = MentionedNames::of(files.iter().filter(|f| !known.contains(f) && !f.starts_with(self.kept)));
        let ours = MentionedNames::of_text(super::compat::COMPAT);
        let mut names: Vec<MentionedNames> = vec![];
        match below {
            Some(_) => names.push(new?),
            None => names.extend([new?, ours]),
        }
        store::write(self.kept, &place.names(), Readers::Owner, &names).ok()?;
        Some(Usable { header: PrecompiledHeader { path: place.header(), files }, names })
    }

    /// Returns the folder of a header.
    fn place(&self, flags: &SplitFlags, macros: &[String], headers: &[String]) -> HeaderFolder {
        let folders = self.own_folders();
        let mut hash = blake3::Hasher::new();
        hash.update(b"shared 1").update(pch::key(&self.run(flags, macros, HeaderContents::Base, &folders)).as_bytes());
        for header in headers {
            hash.update(header.as_bytes()).update(b"\n");
        }
        HeaderFolder { folder: self.kept.join(hash.finalize().to_hex().as_str()) }
    }

    fn run<'r>(
        &'r self,
        flags: &SplitFlags,
        macros: &[String],
        contents: HeaderContents<'r>,
        folders: &'r SearchFolders,
    ) -> ClangRun<'r> {
        ClangRun {
            clang: self.clang,
            version: self.version,
            arguments: [&flags.arguments[..], macros].concat(),
            contents,
            directory: self.directory,
            folders,
            time: self.time,
        }
    }

    /// Returns the folders that are searched with the flags of the base alone.
    fn own_folders(&self) -> SearchFolders {
        SearchFolders::of_toolkit(self.toolkit.root.as_deref())
    }

    /// Returns the toolkit's folders as clang's flags spell them.
    fn folders_of_toolkit(&self) -> Vec<PathBuf> {
        let given = self.toolkit.includes.iter().chain(&self.toolkit.system_includes).cloned();
        given.chain(self.toolkit.host.gcc_folder.iter().map(|f| f.join("include"))).collect()
    }
}

/// Returns the source of a header: its includes.
fn text(headers: &[String]) -> String {
    headers.iter().map(|h| format!("#include <{h}>\n")).collect()
}

/// Returns the name in `-DNAME=…`, `-DNAME(…)=…`, `-UNAME`.
fn name_of(flag: &str) -> &str {
    let rest = flag.get(2..).unwrap_or_default();
    rest.split(['=', '(']).next().unwrap_or(rest)
}

/// Whether a macro is one of a compiler's or of SCuBA's.
fn is_of_implementation(name: &str) -> bool {
    name.starts_with("__") || ["CCCL_DISABLE_NVTX", "CUDA_DOUBLE_MATH_FUNCTIONS", "_FORTIFY_SOURCE"].contains(&name)
}

impl SplitFlags {
    fn of(arguments: &[String], toolkit: &[PathBuf]) -> Self {
        let mut out = Self::default();
        let mut words = arguments.iter();
        let mut by_kind: [Vec<PathBuf>; 4] = Default::default();
        while let Some(word) = words.next() {
            if word == "-Xclang" || word.starts_with("-Xarch_") {
                out.arguments.push(word.clone());
                out.arguments.extend(words.next().cloned());
            } else if let Some(kind) = FOLDERS.iter().position(|f| word.starts_with(f)) {
                let joined = &word[FOLDERS[kind].len()..];
                let folder = if joined.is_empty() { words.next().map(String::as_str) } else { Some(joined) };
                let Some(folder) = folder else { continue };
                if kind < 2 && toolkit.iter().any(|t| t == Path::new(folder)) {
                    out.arguments.extend([FOLDERS[kind].to_owned(), folder.to_owned()]);
                } else {
                    by_kind[kind].push(folder.into());
                }
            } else if word.starts_with("-D") || word.starts_with("-U") {
                let next = if word.len() > 2 { "" } else { words.next().map_or("", |w| w) };
                let flag = format!("{word}{next}");
                let list = if is_of_implementation(name_of(&flag)) { &mut out.arguments } else { &mut out.macros };
                list.push(flag);
            } else if !word.starts_with("-fmacro-prefix-map=") {
                out.arguments.push(word.clone());
            }
        }
        let [system, after, quoted, plain] = by_kind;
        out.folders = [quoted, plain, system, after].concat();
        out
    }
}

impl MentionedNames {
    /// Reads files; `None` if one cannot be read, or if a directive includes a file by a macro and no other name of it
    /// is known.
    fn of<'f>(files: impl Iterator<Item = &'f PathBuf>) -> Option<Self> {
        let mut all: HashSet<u64> = HashSet::new();
        let mut names = BTreeSet::new();
        for file in files {
            let one = Self::of_contents(&std::fs::read(file).ok()?);
            all.extend(&one.identifiers);
            names.extend(one.files.iter().cloned());
        }
        let mut identifiers: Vec<u64> = all.into_iter().collect();
        identifiers.sort_unstable();
        Some(Self { identifiers, files: names })
    }

    /// Names in one file. The headers of both sides are made of mostly the same files.
    fn of_contents(bytes: &[u8]) -> Arc<Self> {
        static KNOWN: Mutex<BTreeMap<[u8; 32], Arc<MentionedNames>>> = Mutex::new(BTreeMap::new());
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *blake3::hash(bytes).as_bytes();
        if let Some(names) = known().get(&key) {
            return names.clone();
        }
        let names = Arc::new(Self::of_text(&String::from_utf8_lossy(bytes)));
        known().insert(key, names.clone());
        names
    }

    fn of_text(text: &str) -> Self {
        let unique: HashSet<&str> = identifiers::names(text).into_iter().map(|n| n.text).collect();
        let mut identifiers: Vec<u64> = unique.into_iter().map(hash).collect();
        identifiers.sort_unstable();
        // Macros may hold names of files, too.
        let directives = text.lines().filter(|l| l.trim_start().starts_with('#'));
        Self { identifiers, files: directives.flat_map(file_names).map(str::to_owned).collect() }
    }

    fn mention(&self, name: &str) -> bool {
        self.identifiers.binary_search(&hash(name)).is_ok()
    }

    /// Whether a folder has a file of a name that a directive mentions. The toolkit's own folders may be named again.
    fn are_hidden(&self, folders: &[PathBuf], toolkit: &Toolkit) -> bool {
        let own = toolkit.folders();
        let is_own = |f: &Path| f.canonicalize().is_ok_and(|f| own.contains(&f));
        folders.iter().filter(|f| !is_own(f)).any(|folder| {
            let entries: HashSet<OsString> =
                std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
            !entries.is_empty()
                && self.files.iter().any(|name| {
                    let Some(Component::Normal(first)) = Path::new(name).components().next() else { return false };
                    entries.contains(first) && folder.join(name).is_file()
                })
        })
    }
}

/// Returns the names in `<…>` and `"…"` of a line.
fn file_names(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['<', '"'])?;
            let close = if rest[open..].starts_with('<') { '>' } else { '"' };
            let behind = &rest[open + 1..];
            let end = behind.find(close)?;
            let name = &behind[..end];
            rest = &behind[end + 1..];
            if !name.is_empty() && !name.contains(char::is_whitespace) {
                return Some(name);
            }
        }
    })
}

/// First bytes of the blake3 hash of a name.
fn hash(name: &str) -> u64 {
    let bytes = blake3::hash(name.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|i| bytes.as_bytes()[i]))
}

/// Folders that every unit searches, and the files that a header was made of.
struct SearchedPlaces<'f> {
    folders: BTreeSet<&'f Path>,
    files: HashSet<&'f Path>,
}

impl<'f> SearchedPlaces<'f> {
    fn of(files: &'f [PathBuf]) -> Self {
        let is_landmark = |f: &&PathBuf| f.file_name().is_some_and(|n| LANDMARKS.iter().any(|l| n == *l));
        Self {
            folders: files.iter().filter(is_landmark).filter_map(|f| f.parent()).collect(),
            files: files.iter().map(PathBuf::as_path).collect(),
        }
    }

    /// Whether an `#include` of this name finds only files that were read: each of them guards itself.
    fn is_read(&self, name: &str) -> bool {
        let mut found = self.folders.iter().map(|f| f.join(name)).filter(|p| p.is_file()).peekable();
        found.peek().is_some() && found.all(|p| self.files.contains(p.as_path()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn flags_are_the_users_or_the_headers() {
        let flags = "-x cuda -Xclang -Dx -I/p -isystem /t/include -D A=1 -D__NVCC__ -isystem /q -Xarch_host -mavx -UB -iquote r -idirafter /t/gcc -fmacro-prefix-map=/p/= -std=c++17";
        let split = SplitFlags::of(&words(flags), &["/t/include".into(), "/t/gcc".into()]);
        assert_eq!(
            split.arguments,
            words("-x cuda -Xclang -Dx -isystem /t/include -D__NVCC__ -Xarch_host -mavx -idirafter /t/gcc -std=c++17")
        );
        assert_eq!(split.macros, ["-DA=1", "-UB"]);
        assert_eq!(split.folders, ["r", "/p", "/q"].map(PathBuf::from));
        assert_eq!([name_of("-DA=1"), name_of("-DF(x)=x"), name_of("-UB")], ["A", "F", "B"]);
    }

    #[test]
    fn names_are_those_of_macros_and_of_files() {
        let text = "#include <a/b.h>\n# include \"c.h\" // <d e>\n#if __has_include(<f>) && X < 3 && Y > 2\n#define G <g.h>\n#endif\nint h; // i\n";
        let names = MentionedNames::of_text(text);
        assert_eq!(names.files.iter().map(String::as_str).collect::<Vec<_>>(), ["a/b.h", "c.h", "f", "g.h"]);
        assert!(["X", "Y", "G", "h"].iter().all(|n| names.mention(n)) && !names.mention("i"));
    }

    #[test]
    fn a_file_of_such_a_name_hides_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["inc/a/b.h", "other/b.h", "toolkit/include/a/b.h"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let include = root.canonicalize().unwrap().join("toolkit/include");
        let toolkit = Toolkit {
            root: None,
            version: (13, 0, 0),
            includes: vec![include.clone()],
            system_includes: vec![],
            host: super::super::toolkit::HostCompiler::default(),
        };
        let names = MentionedNames::of_text("#include <a/b.h>\n");
        let hidden = |f: &str| names.are_hidden(&[root.join(f)], &toolkit);
        assert_eq!(["inc", "other", "missing", "toolkit/include"].map(hidden), [true, false, false, false]);
    }

    #[test]
    fn a_header_is_read_if_all_files_of_its_name_were() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let file = |name: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let read = [file("wrap/new"), file("std/new"), file("std/cstdlib"), file("std/bits/x.h")];
        file("wrap/cmath");
        let all = [read.to_vec(), vec![file("std/cmath")]].concat();
        let places = SearchedPlaces::of(&all);
        assert_eq!(
            ["new", "cstdlib", "bits/x.h", "x.h", "cmath", "vector"].map(|n| places.is_read(n)),
            [true, true, true, false, false, false]
        );
    }
}
