//! Links of a build, from the recorded commands of compiler drivers, linkers and `ar`; each becomes a [`Link`].
//!
//! One link is usually recorded twice, as `g++ …` and as the `ld …` that it starts. The driver's command is preferred
//! (its response files still exist, and it lacks the system's libraries). The linker's command serves for drivers with
//! unknown names and for those whose working directory is unknown.

use super::execution::ExecutedCommand;
use super::scripts;
use crate::request::{Link, LinkKind};
use files::normalise;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A parsed link command, before files are searched.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkCommand {
    pub kind: LinkKind,
    /// Path as given.
    pub output: PathBuf,
    pub inputs: Vec<LinkInput>,
    /// Values of `-L`, as given.
    pub folders: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkInput {
    File(PathBuf),
    /// `-lNAME`, or `-l:FILE`, whose name is searched exactly.
    Library {
        name: OsString,
        archive_only: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkTool {
    Archiver,
    Driver,
    Linker,
}

/// Collects the links whose output exists: failed and probing commands leave none. Each output has one link, in the
/// order of the first commands; several `ar` commands on one archive are merged. An archive whose members were removed
/// or rewritten since has no link: its contents identify it.
#[must_use]
pub fn collect(executions: &[ExecutedCommand]) -> Vec<Link> {
    let mut found: Vec<(LinkTool, usize, Link)> = Vec::new();
    // Archives whose members may differ from the present files at their inputs' paths.
    let mut by_members: HashSet<PathBuf> = HashSet::new();
    for execution in executions {
        let Some(tool) = LinkTool::of(&execution.program) else { continue };
        let Some(parsed) = parse(tool, &execution.arguments, &execution.directory) else { continue };
        let output = normalise(&execution.directory, &parsed.output);
        if !output.is_file() {
            continue;
        }
        let (inputs, missing) = resolve(&parsed, &execution.directory, tool);
        let link = Link { kind: parsed.kind, output: canonical(output), inputs };
        if tool == LinkTool::Archiver && (missing > 0 || !is_older_than(&link.inputs, &link.output)) {
            by_members.insert(link.output.clone());
        }
        match found.iter_mut().find(|(_, _, l)| l.output == link.output) {
            None => found.push((tool, missing, link)),
            Some((LinkTool::Archiver, _, known)) if tool == LinkTool::Archiver => {
                for input in link.inputs {
                    if !known.inputs.contains(&input) {
                        known.inputs.push(input);
                    }
                }
            }
            // The later command made the same output, unless it is the linker under the driver.
            Some(known) if tool != LinkTool::Linker || known.0 == LinkTool::Linker || known.1 > missing => {
                *known = (tool, missing, link);
            }
            Some(_) => {}
        }
    }
    found.into_iter().map(|(_, _, link)| link).filter(|link| !by_members.contains(&link.output)).collect()
}

/// Collects the links of programs and shared libraries whose output does not exist: they failed or probed, or their
/// output was moved or removed since. Each output has one link, the last one.
#[must_use]
pub fn without_output(executions: &[ExecutedCommand]) -> Vec<Link> {
    let links = executions.iter().filter(|e| e.directory.is_absolute()).filter_map(planned);
    let mut gone: BTreeMap<PathBuf, Link> = BTreeMap::new();
    let is_program = |l: &Link| matches!(l.kind, LinkKind::Executable | LinkKind::SharedLibrary);
    for link in links.filter(|l| is_program(l) && !l.output.exists()) {
        gone.insert(link.output.clone(), link);
    }
    gone.into_values().collect()
}

/// Whether no file was written after `output`, as far as times show.
fn is_older_than(files: &[PathBuf], output: &Path) -> bool {
    let written = |file: &Path| file.metadata().and_then(|m| m.modified()).ok();
    written(output).is_none_or(|made| files.iter().filter_map(|f| written(f)).all(|time| time <= made))
}

/// Names of compiler drivers; the same as in `preload.c`.
const DRIVERS: [&str; 21] = [
    "cc",
    "c++",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "gfortran",
    "flang",
    "icc",
    "icpc",
    "icx",
    "icpx",
    "ifx",
    "nvc",
    "nvc++",
    "nvfortran",
    "mpicc",
    "mpicxx",
    "mpic++",
    "mpiCC",
    "mpifort",
];

impl LinkTool {
    /// Returns the tool by the same rule as `preload.c`: `x86_64-linux-gnu-g++-12` is `g++`. `None` for programs that
    /// neither link nor compile.
    pub(crate) fn of(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        let version = name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
        let name = if version.len() < name.len() { version.strip_suffix('-').unwrap_or(name) } else { name };
        match name.rsplit('-').next()? {
            "ar" => Some(Self::Archiver),
            "ld" | "ld.bfd" | "ld.gold" | "ld.lld" | "lld" | "ld.mold" | "mold" | "gold" => Some(Self::Linker),
            name => DRIVERS.contains(&name).then_some(Self::Driver),
        }
    }
}

/// Reads the link of a command, before or after it runs: its files need not exist.
pub fn planned(execution: &ExecutedCommand) -> Option<Link> {
    let tool = LinkTool::of(&execution.program)?;
    let parsed = parse(tool, &execution.arguments, &execution.directory)?;
    let folders: Vec<PathBuf> = parsed.folders.iter().map(|f| normalise(&execution.directory, f)).collect();
    let inputs = parsed.inputs.iter().filter_map(|input| match input {
        LinkInput::File(file) => Some(normalise(&execution.directory, file)),
        LinkInput::Library { name, archive_only } => find_library(name, *archive_only, &folders).map(canonical),
    });
    let inputs = inputs.collect();
    Some(Link { kind: parsed.kind, output: normalise(&execution.directory, &parsed.output), inputs })
}

fn parse(tool: LinkTool, arguments: &[OsString], directory: &Path) -> Option<LinkCommand> {
    let mut words: VecDeque<OsString> = arguments.iter().skip(1).cloned().collect();
    expand(&mut words, directory);
    match tool {
        LinkTool::Archiver => archive(words),
        LinkTool::Driver | LinkTool::Linker => link(words, tool),
    }
}

/// Replaces response files (`@FILE`) by their words; an unreadable one stays a word, as for GNU tools.
pub(crate) fn expand(words: &mut VecDeque<OsString>, directory: &Path) {
    // A file may name itself; no sensible command comes near this many.
    let mut budget = 64;
    let mut at = 0;
    while at < words.len() {
        let file =
            words[at].as_bytes().strip_prefix(b"@").map(|f| normalise(directory, Path::new(OsStr::from_bytes(f))));
        match file.and_then(|f| std::fs::read(f).ok()) {
            Some(text) if budget > 0 => {
                budget -= 1;
                let rest = words.split_off(at + 1);
                words.pop_back();
                words.extend(shlex::bytes::Shlex::new(&text).map(OsString::from_vec));
                words.extend(rest);
            }
            _ => at += 1,
        }
    }
}

/// Options of compiler drivers and GNU-like linkers whose value is the next word, and is neither input nor output.
const WITH_VALUE: [&str; 60] = [
    "-u",
    "-T",
    "-z",
    "-e",
    "-x",
    "-m",
    "-y",
    "-h",
    "-A",
    "-F",
    "-f",
    "-G",
    "-a",
    "-R",
    "-P",
    "-Y",
    "-b",
    "-I",
    "-D",
    "-U",
    "-B",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-arch",
    "-target",
    "--param",
    "-aux-info",
    "-wrapper",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-dynamic-linker",
    "--dynamic-linker",
    "-plugin",
    "-plugin-opt",
    "-soname",
    "--soname",
    "-rpath",
    "--rpath",
    "-rpath-link",
    "--rpath-link",
    "-Map",
    "--script",
    "--version-script",
    "--dynamic-list",
    "--defsym",
    "--undefined",
    "--entry",
    "--dependency-file",
];

const SOURCES: [&str; 13] = ["c", "cc", "cpp", "cxx", "c++", "C", "s", "S", "f", "f90", "F90", "i", "ii"];

fn link(words: VecDeque<OsString>, tool: LinkTool) -> Option<LinkCommand> {
    // Each word with the tool that reads it: a word passed to the linker (`-Wl,-E`) is not the driver's own (`-E`).
    let mut words: VecDeque<(LinkTool, OsString)> = words.into_iter().map(|word| (tool, word)).collect();
    let (mut output, mut inputs, mut folders) = (None, Vec::new(), Vec::new());
    let (mut shared, mut relocatable, mut archive_only) = (false, false, false);
    while let Some((reader, word)) = words.pop_front() {
        let mut value = || words.pop_front().map(|(_, value)| value);
        let bytes = word.as_bytes();
        let after =
            |prefix: &str| bytes.strip_prefix(prefix.as_bytes()).filter(|v| !v.is_empty()).map(OsStr::from_bytes);
        match bytes {
            b"-Xlinker" if reader == LinkTool::Driver => {
                if let Some(next) = words.front_mut() {
                    next.0 = LinkTool::Linker;
                }
            }
            _ if reader == LinkTool::Driver && bytes.starts_with(b"-Wl,") => {
                for part in bytes[4..].split(|b| *b == b',').rev().filter(|part| !part.is_empty()) {
                    words.push_front((LinkTool::Linker, OsStr::from_bytes(part).to_owned()));
                }
            }
            b"-o" | b"--output" => output = value(),
            b"-c" | b"-S" | b"-E" | b"-M" | b"-MM" | b"-fsyntax-only" if reader == LinkTool::Driver => return None,
            b"-shared" | b"--shared" | b"-Bshareable" | b"-dynamiclib" => shared = true,
            b"-r" | b"-i" | b"--relocatable" => relocatable = true,
            b"-static" | b"--static" | b"-Bstatic" | b"-dn" | b"-non_shared" => archive_only = true,
            b"-Bdynamic" | b"-dy" | b"-call_shared" => archive_only = false,
            b"-L" | b"--library-path" => folders.extend(value().map(PathBuf::from)),
            b"-l" | b"--library" => inputs.extend(value().map(|name| library(&name, archive_only))),
            _ if WITH_VALUE.iter().any(|o| o.as_bytes() == bytes) => {
                value();
            }
            _ if after("--output=").is_some() => output = after("--output=").map(OsStr::to_owned),
            _ if after("--library-path=").is_some() => folders.extend(after("--library-path=").map(PathBuf::from)),
            _ if after("--library=").is_some() => inputs.extend(after("--library=").map(|n| library(n, archive_only))),
            _ if after("-L").is_some() => folders.extend(after("-L").map(PathBuf::from)),
            _ if after("-l").is_some() => inputs.extend(after("-l").map(|n| library(n, archive_only))),
            // `-oFILE`; not the linkers' `-omagic`.
            _ if after("-o").is_some() && reader == LinkTool::Driver => output = after("-o").map(OsStr::to_owned),
            _ if bytes.starts_with(b"-") => {}
            _ => {
                let file = PathBuf::from(&word);
                let source = file.extension().and_then(OsStr::to_str).is_some_and(|e| SOURCES.contains(&e));
                if !source {
                    inputs.push(LinkInput::File(file));
                }
            }
        }
    }
    if output.is_none() && inputs.is_empty() {
        return None; // `--version` and the like
    }
    let kind = match (relocatable, shared) {
        (true, _) => LinkKind::Relocatable,
        (false, true) => LinkKind::SharedLibrary,
        (false, false) => LinkKind::Executable,
    };
    Some(LinkCommand { kind, output: output.map_or_else(|| PathBuf::from("a.out"), PathBuf::from), inputs, folders })
}

fn library(name: &OsStr, archive_only: bool) -> LinkInput {
    LinkInput::Library { name: name.to_owned(), archive_only }
}

/// Parses `ar [--plugin X] [-]KEYLETTERS [POSITION] [COUNT] ARCHIVE FILE…`, for the letters that add members.
fn archive(mut words: VecDeque<OsString>) -> Option<LinkCommand> {
    let mut letters = None;
    while let Some(word) = words.front() {
        match word.as_bytes() {
            b"--plugin" | b"--target" | b"--output" | b"--record-libdeps" => {
                words.pop_front();
            }
            long if long.starts_with(b"--") => {}
            short if letters.is_none() => letters = Some(short.strip_prefix(b"-").unwrap_or(short).to_vec()),
            _ => break,
        }
        words.pop_front();
    }
    let letters = letters?;
    if !letters.iter().any(|l| b"rq".contains(l)) {
        return None;
    }
    let extra = letters.iter().filter(|l| b"abiN".contains(l)).count();
    let mut words = words.into_iter().skip(extra).map(PathBuf::from);
    let output = words.next()?;
    Some(LinkCommand {
        kind: LinkKind::Archive,
        output,
        inputs: words.map(LinkInput::File).collect(),
        folders: Vec::new(),
    })
}

/// Returns the existing files, and the number of named files that do not exist.
fn resolve(parsed: &LinkCommand, directory: &Path, tool: LinkTool) -> (Vec<PathBuf>, usize) {
    let folders: Vec<PathBuf> = parsed.folders.iter().map(|f| normalise(directory, f)).collect();
    let (mut files, mut missing) = (Vec::new(), 0);
    for input in &parsed.inputs {
        match input {
            LinkInput::File(file) => {
                let file = normalise(directory, file);
                if file.is_file() { files.extend(scripts::expanded(canonical(file), &folders)) } else { missing += 1 }
            }
            // A library in none of the given folders belongs to the system.
            LinkInput::Library { name, archive_only } => {
                let found = find_library(name, *archive_only, &folders).map(canonical);
                files.extend(found.into_iter().flat_map(|file| scripts::expanded(file, &folders)));
            }
        }
    }
    if tool == LinkTool::Linker {
        // Start files and the compiler's own libraries, which the driver adds.
        files.retain(|f| !["/usr/lib", "/lib", "/usr/lib64", "/lib64"].iter().any(|system| f.starts_with(system)));
    }
    (files, missing)
}

pub(super) fn find_library(name: &OsStr, archive_only: bool, folders: &[PathBuf]) -> Option<PathBuf> {
    let candidates = match name.as_bytes().strip_prefix(b":") {
        Some(exact) => vec![OsStr::from_bytes(exact).to_owned()],
        None => {
            let file = |end: &str| [OsStr::new("lib"), name, OsStr::new(end)].into_iter().collect::<OsString>();
            if archive_only { vec![file(".a")] } else { vec![file(".so"), file(".a")] }
        }
    };
    folders.iter().flat_map(|folder| candidates.iter().map(move |c| folder.join(c))).find(|path| path.is_file())
}

fn canonical(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<LinkCommand> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(LinkTool::of(Path::new(&words[0])).unwrap(), &words, Path::new("/nowhere"))
    }

    fn files(p: &LinkCommand) -> Vec<&str> {
        p.inputs
            .iter()
            .map(|i| match i {
                LinkInput::File(f) => f.to_str().unwrap(),
                LinkInput::Library { name, .. } => name.to_str().unwrap(),
            })
            .collect()
    }

    #[test]
    fn tools_are_known_by_the_end_of_their_name() {
        for (name, expected) in [
            ("/usr/bin/x86_64-linux-gnu-g++-12", LinkTool::Driver),
            ("clang++-22", LinkTool::Driver),
            ("llvm-ar-22", LinkTool::Archiver),
            ("x86_64-linux-gnu-ar", LinkTool::Archiver),
            ("ld.lld-22", LinkTool::Linker),
            ("/usr/bin/ld", LinkTool::Linker),
        ] {
            assert_eq!(LinkTool::of(Path::new(name)), Some(expected), "{name}");
        }
        for name in ["cmake", "ranlib", "/usr/bin/sh", "nvcc", "main.cu"] {
            assert_eq!(LinkTool::of(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn a_driver_links_unless_it_only_compiles() {
        let p = parsed("/usr/bin/c++ -O3 -DNDEBUG main.cu.o util.cpp -o app -Llib -Wl,-rpath,/x:/y lib/libkern.a -lcudart_static -lrt").unwrap();
        assert_eq!(p.kind, LinkKind::Executable);
        assert_eq!(p.output, Path::new("app"));
        assert_eq!(files(&p), ["main.cu.o", "lib/libkern.a", "cudart_static", "rt"]);
        assert_eq!(p.folders, [Path::new("lib")]);
        assert_eq!(parsed("g++ -c a.cpp -o a.o"), None);
        assert_eq!(parsed("g++ --version"), None);
        assert_eq!(parsed("g++ a.o").unwrap().output, Path::new("a.out"));
    }

    #[test]
    fn what_the_driver_hands_on_is_read_as_the_linker_reads_it() {
        let p = parsed("g++ -shared -fPIC -oliba.so a.o -Wl,--whole-archive,libk.a,--no-whole-archive -Wl,-soname,liba.so.1 -Wl,-E -Xlinker -r").unwrap();
        assert_eq!(p.kind, LinkKind::Relocatable);
        assert_eq!(files(&p), ["a.o", "libk.a"]);
        assert_eq!(parsed("g++ -shared a.o -o liba.so").unwrap().kind, LinkKind::SharedLibrary);
        assert_eq!(parsed("g++ -Wl,-o,other a.o").unwrap().output, Path::new("other"));
    }

    #[test]
    fn libraries_follow_the_static_switch() {
        let p = parsed(
            "ld -o app -m elf_x86_64 -dynamic-linker /lib64/ld.so -z relro -L /a -L/b a.o -Bstatic -lk -Bdynamic -lc",
        )
        .unwrap();
        assert_eq!(files(&p), ["a.o", "k", "c"]);
        let only = |i: usize| matches!(p.inputs[i], LinkInput::Library { archive_only: true, .. });
        assert!(only(1) && !only(2));
    }

    #[test]
    fn ar_adds_members_with_r_and_q_only() {
        let p = parsed("/usr/bin/ar qc libk.a a.o b.o").unwrap();
        assert_eq!((p.kind, p.output.as_path()), (LinkKind::Archive, Path::new("libk.a")));
        assert_eq!(files(&p), ["a.o", "b.o"]);
        assert_eq!(files(&parsed("ar --plugin x.so -rcs libk.a a.o").unwrap()), ["a.o"]);
        assert_eq!(files(&parsed("ar rb first.o libk.a a.o").unwrap()), ["a.o"]);
        for other in ["ar t libk.a", "ar x libk.a a.o", "ar s libk.a", "ar --version", "ar -M"] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }

    /// Creates a folder with the named files, each with its own name as contents.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        folder
    }

    fn execution(folder: &Path, line: &str) -> ExecutedCommand {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        ExecutedCommand { directory: folder.to_owned(), program: PathBuf::from(&arguments[0]), arguments }
    }

    #[test]
    fn one_link_per_output_the_driver_before_the_linker_under_it() {
        let folder = folder(&["app", "a.o", "b.o", "lib/libk.so", "lib/libk.a"]);
        let root = folder.path().canonicalize().unwrap();
        let links = collect(&[
            execution(&root, "g++ a.o b.o -o app -Llib -lk -lm"),
            execution(&root, "/usr/bin/ld -o app /usr/lib/x86_64-linux-gnu/crt1.o a.o b.o -Llib -lk -lm"),
            execution(&root, "g++ gone.o -o conftest"),
        ]);
        let expected = Link {
            kind: LinkKind::Executable,
            output: root.join("app"),
            inputs: vec![root.join("a.o"), root.join("b.o"), root.join("lib/libk.so")],
        };
        assert_eq!(links, [expected]);
    }

    #[test]
    fn the_linker_serves_where_the_drivers_folder_was_not_told() {
        let folder = folder(&["deep/app", "deep/a.o"]);
        let root = folder.path().canonicalize().unwrap();
        let app = root.join("deep/app");
        let links = collect(&[
            execution(&root, &format!("g++ a.o -o {}", app.display())),
            execution(&root.join("deep"), &format!("ld a.o -o {}", app.display())),
        ]);
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].inputs, [root.join("deep/a.o")]);
    }

    #[test]
    fn a_link_is_planned_before_its_files_are_there() {
        let link =
            planned(&execution(Path::new("/b/apps"), "c++ CMakeFiles/app.dir/main.o -o app ../k/libk.a -L/none -lrt"))
                .unwrap();
        assert_eq!((link.kind, link.output.as_path()), (LinkKind::Executable, Path::new("/b/apps/app")));
        assert_eq!(link.inputs, [Path::new("/b/apps/CMakeFiles/app.dir/main.o"), Path::new("/b/k/libk.a")]);
        assert_eq!(planned(&execution(Path::new("/b"), "c++ -c a.cpp -o a.o")), None);
        assert_eq!(planned(&execution(Path::new("/b"), "ranlib libk.a")), None);
    }

    #[test]
    fn an_archive_filled_by_several_commands_is_one_link() {
        let folder = folder(&["a.o", "b.o", "objects.rsp", "libk.a"]);
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("objects.rsp"), "\"b.o\"\na.o\n").unwrap();
        let links = collect(&[execution(&root, "ar qc libk.a a.o"), execution(&root, "ar q libk.a @objects.rsp")]);
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].inputs, [root.join("a.o"), root.join("b.o")]);
    }

    #[test]
    fn an_archive_whose_members_are_gone_or_others_by_now_is_known_by_what_it_holds() {
        let folder = folder(&["a.o", "b.o", "liba.a", "libb.a"]);
        let root = folder.path().canonicalize().unwrap();
        let commands = [execution(&root, "ar rc liba.a a.o gone.o"), execution(&root, "ar rc libb.a b.o")];
        let made = |at: u64| {
            let file = std::fs::File::options().write(true).open(root.join("b.o")).unwrap();
            let archive = root.join("libb.a").metadata().unwrap().modified().unwrap();
            file.set_modified(archive - std::time::Duration::from_secs(10) + std::time::Duration::from_secs(at))
                .unwrap();
            collect(&commands).into_iter().map(|l| l.output).collect::<Vec<_>>()
        };
        assert_eq!(made(0), [root.join("libb.a")]);
        assert_eq!(made(20), Vec::<PathBuf>::new());
    }
}
