//! Precompiled headers that units of any project share: the same toolkit, language flags and architecture suffice.
//!
//! In: clang's flags for one side, and the headers that a source begins with ([`Beginning`]). Out: a precompiled header
//! that stands for SCuBA's header and the first of these.
//!
//! The base holds what clang reads before every source. Others build on it, each for a sequence of headers: a source
//! takes the longest that its own sequence begins with, so that clang reads the same text in the same order as without.
//! Macros and folders of the user's are no part of a header: it serves units whose macros no file of it mentions, and
//! whose folders have no file of a name that one of its files includes. (A name that `##` puts together is not seen.)
//! Macros that the base mentions give another base.
//!
//! Headers of foreign trees in folders of the flags (`-isystem`, a Python package, a folder outside the project) are
//! precompiled the same way. Such a header is made with the foreign folders, and with those macros of the user's that
//! one of its files mentions; so it serves units with the same foreign folders.
//!
//! The base is made when it is needed first: it costs less than a second source without it. A sequence is precompiled
//! at its second occurrence. Templates that the base uses are instantiated in it, which each source would repeat; no
//! source may add to what these find (C++ [namespace.std]).

use super::beginning::{Beginning, SearchedFolder};
use super::mentioned::MentionedNames;
use super::pch::{self, ClangRun, HeaderContents, HeaderFolder, PrecompiledHeader};
use super::toolkit::Toolkit;
use crate::namesakes::SearchFolders;
use crate::own::UserFolders;
use files::store::{self, Readers};
use nvcc::processes::TimeAllowance;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Files that are in folders which every unit searches, wherever these are.
const LANDMARKS: [&str; 6] =
    ["cstdlib", "new", "stdlib.h", "features.h", "cuda_runtime.h", "__clang_cuda_runtime_wrapper.h"];

/// Flags that name a folder, with the folder in the same word or in the next.
const FOLDERS: [&str; 4] = ["-isystem", "-idirafter", "-iquote", "-I"];

/// Flag that makes file names relative to a folder.
const NAMES: &str = "-fmacro-prefix-map=";

/// Headers that are searched for, and made if that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoughtHeader {
    Base,
    /// The base, or one that covers headers that the source begins with.
    Longest,
    /// The same, and none if the source begins without a foreign header.
    Foreign,
}

/// Result of a search.
pub(super) enum SharedHeader {
    Found(FoundHeader),
    /// Absence of a header, for example because another process is making one.
    Missing,
    /// Flags that have none, for example because a file of the project replaces one of the toolkit's.
    Unfit,
}

impl SharedHeader {
    /// Returns the header that was found.
    pub fn found(self) -> Option<FoundHeader> {
        match self {
            Self::Found(found) => Some(found),
            Self::Missing | Self::Unfit => None,
        }
    }
}

/// A header that a source can be read with.
pub(super) struct FoundHeader {
    pub header: PrecompiledHeader,
    /// Whether it covers a foreign header.
    pub foreign: bool,
    /// Whether it covers all headers that the source begins with.
    pub whole: bool,
}

/// Flags of one side, split into those that a header depends on and the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SplitFlags {
    /// Flags for a header, without the user's macros and folders but for foreign ones.
    arguments: Vec<String>,
    /// `-D…` and `-U…` of the user's.
    macros: Vec<String>,
    /// Other folders, as the flags spell them, in the order in which clang searches them; those of `-iquote` first.
    folders: Vec<PathBuf>,
    /// Number of the folders of `-iquote`.
    quoted: usize,
}

/// Flags and folders with which a sequence of headers is read.
struct SequenceFlags<'s> {
    flags: &'s SplitFlags,
    /// Macros of the user's that the base was made with.
    base: &'s [String],
    /// Folders that are searched beside those in the flags.
    folders: &'s [PathBuf],
}

impl SequenceFlags<'_> {
    /// Returns the macros that headers with these names are made with.
    fn macros_for(&self, names: &[MentionedNames]) -> Vec<String> {
        let mentioned = |m: &String| names.iter().any(|n| n.mention(name_of(m)));
        self.flags.macros.iter().filter(|m| self.base.contains(m) || mentioned(m)).cloned().collect()
    }
}

/// Parameters that all searches of one run have in common.
pub(super) struct SharedHeaders<'a> {
    pub kept: &'a Path,
    pub clang: &'a Path,
    pub version: &'a str,
    pub directory: &'a Path,
    pub toolkit: &'a Toolkit,
    pub time: &'a TimeAllowance,
    /// Classifier of the user's files.
    pub own: &'a UserFolders,
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
    pub fn find(&self, arguments: &[String], source: &Path, sought: SoughtHeader) -> SharedHeader {
        if pch::are_preceded(arguments) {
            return SharedHeader::Unfit;
        }
        let toolkit = self.folders_of_toolkit();
        let flags = SplitFlags::of(arguments, &toolkit, &[]);
        let searched = self.searched(&flags, project_of(arguments));
        let mut beginning = Beginning::of(source, self.directory, &searched);
        if sought == SoughtHeader::Foreign && beginning.common() == beginning.headers.len() {
            return SharedHeader::Missing;
        }
        let (base, macros) = match self.base(&flags, &paths_of(&searched)) {
            Ok(base) => base,
            Err(unfit) => return unfit,
        };
        if sought == SoughtHeader::Base {
            return SharedHeader::Found(FoundHeader { header: base.header, foreign: false, whole: true });
        }
        let places = SearchedPlaces::of(&base.header.files);
        beginning.headers.retain(|h| h.foreign || !places.is_read(&h.name));
        let with = SequenceFlags { flags: &flags, base: &macros, folders: &paths_of(&searched) };
        if beginning.common() == beginning.headers.len() {
            let (usable, covered) = self.longest(&with, base, &beginning);
            let whole = covered == beginning.headers.len();
            return SharedHeader::Found(FoundHeader { header: usable.header, foreign: false, whole });
        }
        let spelled = flags.folders.iter().zip(&searched).filter(|(_, f)| f.foreign).map(|(f, _)| f.clone());
        let wide = SplitFlags::of(arguments, &toolkit, &spelled.collect::<Vec<_>>());
        let own: Vec<PathBuf> = searched.iter().filter(|f| !f.foreign).map(|f| f.path.clone()).collect();
        let wide = SequenceFlags { flags: &wide, base: &macros, folders: &own };
        SharedHeader::Found(self.with_foreign(&wide, &with, base, &beginning))
    }

    /// Returns the user's folders, with the ones that are not the project's marked. The folder of a project may be
    /// unknown.
    fn searched(&self, flags: &SplitFlags, project: Option<&Path>) -> Vec<SearchedFolder> {
        let each = |(i, folder): (usize, &PathBuf)| {
            let path = files::normalise(self.directory, folder);
            // A name in the folder is classified.
            let is_foreign = self.own.is_system(&path.join("header")) || project.is_some_and(|p| !path.starts_with(p));
            SearchedFolder { foreign: i >= flags.quoted && is_foreign, path }
        };
        flags.folders.iter().enumerate().map(each).collect()
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

    /// Returns the header for the longest beginning of a sequence without foreign headers that there is one for, or
    /// makes one; and the number of headers that it covers.
    fn longest(&self, with: &SequenceFlags<'_>, base: Usable, beginning: &Beginning) -> (Usable, usize) {
        let (flags, macros) = (with.flags, with.base);
        let all = beginning.names(beginning.common());
        let (mut best, mut covered) = (base, 0);
        let mut lacking = vec![];
        for n in (1..=all.len()).rev() {
            match self.made(flags, macros, &all[..n]) {
                Some(usable) if self.fits(&usable, with, macros, beginning, n) => {
                    (best, covered) = (usable, n);
                    break;
                }
                Some(_) => {}
                None => lacking.push(n),
            }
        }
        let is_next = |n: &usize| self.fits(&best, with, macros, beginning, *n);
        let Some(n) = lacking.into_iter().filter(is_next).find(|n| self.is_due(&self.place(flags, macros, &all[..*n])))
        else {
            return (best, covered);
        };
        match self.make(flags, macros, &all[..n], Some((&best, covered))) {
            Some(made) if self.fits(&made, with, macros, beginning, n) => (made, n),
            _ => (best, covered),
        }
    }

    /// Returns the header for the longest beginning of a sequence that there is one for, or makes one. `with` are the
    /// flags for the headers before the first foreign one.
    fn with_foreign(
        &self,
        wide: &SequenceFlags<'_>,
        with: &SequenceFlags<'_>,
        base: Usable,
        beginning: &Beginning,
    ) -> FoundHeader {
        let (all, common) = (beginning.names(beginning.headers.len()), beginning.common());
        let found = |header, n| FoundHeader { header, foreign: n > common, whole: n == all.len() };
        let mut lacking = vec![];
        for n in (common + 1..=all.len()).rev() {
            // What its files mention is known from the last time.
            let known: Option<Vec<MentionedNames>> = store::read(&self.place(wide.flags, wide.base, &all[..n]).names());
            let macros = known.map(|names| wide.macros_for(&names));
            match macros.as_ref().and_then(|macros| self.made(wide.flags, macros, &all[..n]).zip(Some(macros))) {
                Some((usable, macros)) if self.fits(&usable, wide, macros, beginning, n) => {
                    return found(usable.header, n);
                }
                Some(_) => {}
                None => lacking.push(n),
            }
        }
        let (best, covered) = self.longest(with, base, beginning);
        let due = lacking.into_iter().find(|n| self.is_due(&self.place(wide.flags, wide.base, &all[..*n])));
        let made = due.and_then(|n| {
            let (made, macros) = self.make_foreign(wide, &all[..n], (&best, covered))?;
            self.fits(&made, wide, &macros, beginning, n).then(|| found(made.header, n))
        });
        made.unwrap_or_else(|| found(best.header, covered))
    }

    /// Makes a header with a foreign one in it; returns the macros that it was made with, too.
    fn make_foreign(
        &self,
        wide: &SequenceFlags<'_>,
        headers: &[String],
        (below, covered): (&Usable, usize),
    ) -> Option<(Usable, Vec<String>)> {
        let any = self.place(wide.flags, wide.base, headers);
        std::fs::create_dir_all(&any.folder).ok()?;
        let (folders, text) = (self.own_folders(), text(&headers[covered..]));
        // Reading the directives alone takes a tenth of the time.
        let contents = HeaderContents::OnTop { below: &below.header, text: &text };
        let files = any.sources(&self.run(wide.flags, &wide.flags.macros, contents, &folders))?;
        let names = [MentionedNames::of(files.iter().filter(|f| !f.starts_with(self.kept)))?];
        let macros = wide.macros_for(&[&names[..], &below.names[..]].concat());
        let made = self.make(wide.flags, &macros, headers, Some((below, covered)))?;
        store::write(self.kept, &any.names(), Readers::Owner, &made.names).ok()?;
        Some((made, macros))
    }

    /// Whether a header that was made with some macros stands for the first `n` headers of a source.
    fn fits(
        &self,
        usable: &Usable,
        with: &SequenceFlags<'_>,
        macros: &[String],
        beginning: &Beginning,
        n: usize,
    ) -> bool {
        let defined = beginning.macros_before(n).iter().map(String::as_str);
        let given = with.flags.macros.iter().filter(|m| !macros.contains(m)).map(|m| name_of(m));
        let mut names = defined.chain(given);
        !names.any(|name| usable.names.iter().any(|m| m.mention(name)))
            && !usable.names.iter().any(|n| n.are_hidden(with.folders, self.toolkit))
    }

    /// Whether a header that is lacking is to be made: it occurred before, or all are made at once.
    fn is_due(&self, place: &HeaderFolder) -> bool {
        let seen = place.folder.is_dir();
        let _ = std::fs::create_dir_all(&place.folder);
        seen || self.at_once
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
        let contents = below
            .map_or(HeaderContents::Base, |(usable, _)| HeaderContents::OnTop { below: &usable.header, text: &text });
        let run = self.run(flags, macros, contents, &folders);
        let files = place.make(&run);
        pch::tidy(self.kept);
        let files = files?;
        let known: HashSet<&PathBuf> = below.iter().flat_map(|(usable, _)| &usable.header.files).collect();
        let new = MentionedNames::of(files.iter().filter(|f| !known.contains(f) && !f.starts_with(self.kept)));
        let ours = MentionedNames::of_text(super::compat::COMPAT);
        let mut names = vec![new?];
        match below {
            // Macros that the base mentions have a base of their own.
            Some((_, 0)) => {}
            Some((usable, _)) => names.extend(usable.names.iter().cloned()),
            None => names.push(ours),
        }
        store::write(self.kept, &place.names(), Readers::Owner, &names).ok()?;
        Some(Usable { header: PrecompiledHeader { path: place.header(), files }, names })
    }

    /// Returns the folder of a header.
    fn place(&self, flags: &SplitFlags, macros: &[String], headers: &[String]) -> HeaderFolder {
        let folders = self.own_folders();
        let mut hash = blake3::Hasher::new();
        hash.update(b"shared 1").update(pch::key(&self.run(flags, macros, HeaderContents::Base, &folders)).as_bytes());
        for names in flags.arguments.iter().filter(|a| a.starts_with(NAMES)) {
            hash.update(names.as_bytes()).update(b"\n");
        }
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

/// Returns the folder of a project, which file names are relative to.
fn project_of(arguments: &[String]) -> Option<&Path> {
    let map = arguments.iter().rev().find_map(|a| a.strip_prefix(NAMES));
    map?.split_once('=').map(|(folder, _)| Path::new(folder))
}

/// Whether a flag changes the names of files in a folder.
fn is_renamed(flag: &str, folder: &Path) -> bool {
    flag.strip_prefix(NAMES).and_then(|map| map.split_once('=')).is_some_and(|(from, _)| folder.starts_with(from))
}

fn paths_of(folders: &[SearchedFolder]) -> Vec<PathBuf> {
    folders.iter().map(|f| f.path.clone()).collect()
}

impl SplitFlags {
    /// Splits flags. `toolkit` and `foreign` are folders whose flags stay.
    fn of(arguments: &[String], toolkit: &[PathBuf], foreign: &[PathBuf]) -> Self {
        let mut out = Self::default();
        let stays = |kind: usize, folder: &Path| {
            let named = |folders: &[PathBuf]| folders.iter().any(|f| f == folder);
            kind < 2 && named(toolkit) || FOLDERS[kind] != "-iquote" && named(foreign)
        };
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
                if stays(kind, Path::new(folder)) {
                    out.arguments.extend([FOLDERS[kind].to_owned(), folder.to_owned()]);
                } else {
                    by_kind[kind].push(folder.into());
                }
            } else if word.starts_with("-D") || word.starts_with("-U") {
                let next = if word.len() > 2 { "" } else { words.next().map_or("", |w| w) };
                let flag = format!("{word}{next}");
                let list = if is_of_implementation(name_of(&flag)) { &mut out.arguments } else { &mut out.macros };
                list.push(flag);
            } else if !word.starts_with(NAMES) || foreign.iter().any(|f| is_renamed(word, f)) {
                out.arguments.push(word.clone());
            }
        }
        let [system, after, quoted, plain] = by_kind;
        out.quoted = quoted.len();
        out.folders = [quoted, plain, system, after].concat();
        out
    }
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
        let toolkit = ["/t/include".into(), "/t/gcc".into()];
        let split = SplitFlags::of(&words(flags), &toolkit, &[]);
        assert_eq!(
            split.arguments,
            words("-x cuda -Xclang -Dx -isystem /t/include -D__NVCC__ -Xarch_host -mavx -idirafter /t/gcc -std=c++17")
        );
        assert_eq!(split.macros, ["-DA=1", "-UB"]);
        assert_eq!((split.folders, split.quoted), (["r", "/p", "/q"].map(PathBuf::from).to_vec(), 1));
        assert_eq!(project_of(&words(flags)), Some(Path::new("/p/")));
        assert_eq!([name_of("-DA=1"), name_of("-DF(x)=x"), name_of("-UB")], ["A", "F", "B"]);
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
