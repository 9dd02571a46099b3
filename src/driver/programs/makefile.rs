//! Commands that a makefile would run, as make itself prints them.
//!
//! In: the make command of a `scuba build`; objects without facts, or a project without any. Out: the units and links
//! that make these objects. make gets the variables and files of that very command, under which it found the objects
//! up to date. It runs with `-n` and takes the sources as new (`-W`; GNU make's manual, "Summary of Options"): it
//! prints what it would do, and does nothing.

use super::sources::{self, NvccChoice};
use facts::key_of;
use facts::linked::{Folders, Stray};
use nvcc::command::{Environment, NvccCommand};
use nvcc::host;
use nvcc::interpose::execution::ExecutedCommand;
use nvcc::interpose::links;
use nvcc::request::Link;
use nvcc::unit::TranslationUnit;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Maximum number of objects that make is asked about, one at a time.
const MAX: usize = 64;
/// Options that take the next word as value if none is attached.
const WITH_VALUE: [&str; 8] = ["-f", "-C", "-I", "-W", "-o", "-O", "--file", "--directory"];

/// Maximum number of sources that make takes as new in one call, since its command line is limited.
const MAX_SOURCES: usize = 2000;

/// Command that make prints, as far as it compiles or links.
#[derive(Debug, PartialEq, Eq)]
pub struct PrintedCommand {
    pub units: Vec<TranslationUnit>,
    pub link: Option<Link>,
}

/// Make command, without options on how to run it.
#[derive(Debug)]
pub struct MakeCommand {
    program: PathBuf,
    directory: PathBuf,
    /// Variables, makefiles and include folders.
    options: Vec<OsString>,
    /// Goals of the command; if empty, make takes the makefile's first.
    goals: Vec<OsString>,
}

/// Compares all but the path of the make program.
impl PartialEq for MakeCommand {
    fn eq(&self, other: &Self) -> bool {
        (&self.directory, &self.options, &self.goals) == (&other.directory, &other.options, &other.goals)
    }
}

impl MakeCommand {
    /// Parses a make command; `None` if it runs another program.
    #[must_use]
    pub fn of(run: &ExecutedCommand) -> Option<Self> {
        let name = run.program.file_name()?.to_str()?;
        if !matches!(name, "make" | "gmake") {
            return None;
        }
        let (program, directory) = (run.program.clone(), run.directory.clone());
        let mut make = Self { program, directory, options: vec![], goals: vec![] };
        let mut words = run.arguments.iter().skip(1);
        while let Some(word) = words.next() {
            let bytes = word.as_bytes();
            let name = WITH_VALUE.iter().find(|o| o.as_bytes() == bytes);
            let value = name.and_then(|_| words.next());
            match (name.copied(), value) {
                (Some("-C" | "--directory"), Some(folder)) => make.directory.push(folder),
                (Some(option @ ("-f" | "--file" | "-I")), Some(value)) => {
                    make.options.extend([OsString::from(option), value.clone()]);
                }
                (Some(_), _) => {}
                (None, _) => {
                    let attached = |prefix: &str| bytes.strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes);
                    if let Some(folder) = attached("-C").or_else(|| attached("--directory=")) {
                        make.directory.push(folder);
                    } else if bytes.starts_with(b"-f")
                        || bytes.starts_with(b"-I")
                        || bytes.starts_with(b"--file=")
                        || bytes.starts_with(b"--makefile=")
                        || bytes.starts_with(b"--eval=")
                        || bytes == b"-e"
                        || !bytes.starts_with(b"-") && bytes.contains(&b'=')
                    {
                        make.options.push(word.clone());
                    } else if !bytes.starts_with(b"-") {
                        make.goals.push(word.clone());
                    }
                }
            }
        }
        Some(make)
    }

    /// Adds the variables of the make that started this one, which gets them through its environment.
    #[must_use]
    pub fn started_by(mut self, parent: &Self) -> Self {
        let is_variable = |word: &&OsString| !word.as_bytes().starts_with(b"-") && word.as_bytes().contains(&b'=');
        let variables: Vec<OsString> = parent.options.iter().filter(is_variable).cloned().collect();
        self.options.splice(0..0, variables);
        self
    }

    /// Folder that make works in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the units of these objects, as far as make knows how to make them.
    #[must_use]
    pub fn units(&self, strays: &[&Stray], folders: &Folders) -> Vec<TranslationUnit> {
        strays.iter().take(MAX).filter_map(|stray| self.unit(stray, folders)).collect()
    }

    fn unit(&self, stray: &Stray, folders: &Folders) -> Option<TranslationUnit> {
        let printed = self.commands_of(stray, folders);
        printed.into_iter().flat_map(|p| p.units).find(|unit| key_of(unit, None) == stray.key)
    }

    /// Returns the commands that make a stray and the files that go into it.
    #[must_use]
    pub fn commands_of(&self, stray: &Stray, folders: &Folders) -> Vec<PrintedCommand> {
        let sources = folders.sources_of(&stray.object, &stray.key);
        self.ask(&sources, &[self.below(&stray.key).into_os_string()])
    }

    /// Returns the commands that make the goals of the make command from all sources in its folder and from `others`;
    /// nothing if there are more than [`MAX_SOURCES`] of them.
    #[must_use]
    pub fn all_commands(&self, others: &[PathBuf]) -> Vec<PrintedCommand> {
        match Folders::new([self.directory.clone()]).sources() {
            Some(mut sources) if sources.len() + others.len() <= MAX_SOURCES => {
                sources.extend(others.iter().cloned());
                self.ask(&sources, &self.goals)
            }
            _ => vec![],
        }
    }

    /// Returns the path relative to make's folder, the usual form in makefiles.
    fn below(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.directory).map_or_else(|_| path.to_owned(), Path::to_owned)
    }

    fn ask(&self, sources: &[PathBuf], goals: &[OsString]) -> Vec<PrintedCommand> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.directory).args(["-n", "-w"]).args(&self.options);
        for source in sources {
            command.arg("-W").arg(self.below(source));
        }
        command.args(goals).stdin(Stdio::null()).stderr(Stdio::null());
        for inherited in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GNUMAKEFLAGS"] {
            command.env_remove(inherited);
        }
        let output = command.env("SCUBA_OFF", "1").env("LC_ALL", "C").output();
        let text = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
        text.map(|text| commands(&text, &self.directory)).unwrap_or_default()
    }
}

/// Returns the compilations and links that make or Ninja prints, each in the folder that make entered for it.
pub(super) fn commands(text: &str, directory: &Path) -> Vec<PrintedCommand> {
    let mut folders = vec![directory.to_owned()];
    let mut found = Vec::new();
    for line in text.replace("\\\n", " ").lines() {
        if let Some(folder) = line.split_once("Entering directory '").and_then(|(_, rest)| rest.strip_suffix('\'')) {
            folders.push(folder.into());
        } else if line.contains("Leaving directory '") && folders.len() > 1 {
            folders.pop();
        }
        let mut folder = folders.last().cloned().unwrap_or_else(|| directory.to_owned());
        for part in line.split("&&").flat_map(|part| part.split(';')) {
            let Some(words) = shlex::split(part) else { continue };
            match words.as_slice() {
                [cd, into] if cd == "cd" => folder = folder.join(into),
                words => {
                    let units = sources::of_command(words, &folder, NvccChoice::default()).unwrap_or_default();
                    let link = link(words, &folder);
                    if !units.is_empty() || link.is_some() {
                        found.push(PrintedCommand { units, link });
                    }
                }
            }
        }
    }
    found
}

/// Returns the link of a command of nvcc or of the host's tools.
fn link(words: &[String], folder: &Path) -> Option<Link> {
    if host::runs_nvcc(words) {
        let command = NvccCommand::read(&host::nvcc_words(words), &Environment::default(), folder);
        return command.plan(folder, None, &Vec::new)?.request.link;
    }
    let words: Vec<OsString> = host::without_launchers(words).iter().map(OsString::from).collect();
    let program = words.first()?.clone().into();
    links::planned(&ExecutedCommand { directory: folder.to_owned(), program, arguments: words })
}

#[cfg(test)]
mod tests {
    use super::{MakeCommand, commands};
    use facts::linked::{Folders, Stray};
    use facts::objects::ObjectFile;
    use nvcc::interpose::execution::ExecutedCommand;
    use nvcc::unit::PreprocessorFlag;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    fn make_in(line: &str, directory: &Path) -> Option<MakeCommand> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        MakeCommand::of(&ExecutedCommand {
            directory: directory.to_owned(),
            program: arguments[0].clone().into(),
            arguments,
        })
    }

    fn make(line: &str) -> Option<MakeCommand> {
        make_in(line, Path::new("/p"))
    }

    #[test]
    fn what_decides_commands_is_kept_of_a_make_command() {
        let of = |line: &str| make(line).map(|m| (m.directory, m.options)).unwrap();
        assert_eq!(
            of("make -j8 -C sub -fx.mk all N=4 -k V=1 -o old"),
            ("/p/sub".into(), ["-fx.mk", "N=4", "V=1"].map(OsString::from).to_vec())
        );
        assert_eq!(of("gmake -f x.mk"), ("/p".into(), ["-f", "x.mk"].map(OsString::from).to_vec()));
        assert_eq!(make("cmake --build b"), None);
    }

    #[test]
    fn make_says_how_it_makes_an_object_and_makes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("o")).unwrap();
        std::fs::write(root.join("a.cpp"), "int main() {}").unwrap();
        std::fs::write(root.join("Makefile"), "N = 1\no/%.o: %.cpp\n\tg++ -DN=$(N) -c $< -o $@\n").unwrap();
        let object = root.join("o/a.o");
        std::fs::write(&object, "made").unwrap();
        let stray = Stray {
            key: object.clone(),
            object: ObjectFile { sources: vec!["a.cpp".into()], ..ObjectFile::default() },
            contents: None,
        };
        let folders = Folders::new([root.clone()]);
        let units = make_in("make N=4 all", &root).unwrap().units(&[&stray], &folders);
        assert_eq!(units.len(), 1);
        assert_eq!(units[0].preprocessor, [PreprocessorFlag::Define("N=4".into())]);
        assert_eq!(std::fs::read_to_string(object).unwrap(), "made");
    }

    #[test]
    fn all_that_make_would_do_is_told_with_its_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["a.cu", "b.cpp", "a.o", "b.o", "lib.so", "app"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let text = "app: b.o lib.so\n\tg++ -o $@ $^\nlib.so: a.o\n\tnvcc -shared -o $@ $^\n\
                    %.o: %.cu\n\tnvcc -c $< -o $@\n%.o: %.cpp\n\tg++ -c $< -o $@\n";
        std::fs::write(root.join("Makefile"), text).unwrap();
        let told = |line: &str| {
            let printed = make_in(line, &root).unwrap().all_commands(&[]);
            let units = printed.iter().flat_map(|p| &p.units).filter_map(|u| u.output.clone());
            let links = printed.iter().filter_map(|p| p.link.as_ref()).map(|l| l.output.clone());
            let mut all: Vec<PathBuf> = units.chain(links).map(|p| p.strip_prefix(&root).unwrap().into()).collect();
            all.sort();
            all
        };
        assert_eq!(told("make -j2"), ["a.o", "app", "b.o", "lib.so"].map(PathBuf::from));
        assert_eq!(told("make -k lib.so"), ["a.o", "lib.so"].map(PathBuf::from));
        assert_eq!(std::fs::read_to_string(root.join("app")).unwrap(), "", "nothing was made");
    }

    #[test]
    fn commands_count_in_the_folder_that_they_run_in() {
        let text = "make: Entering directory '/p'\nmake[1]: Entering directory '/p/s'\ng++ -c a.cpp -o a.o\n\
                    make[1]: Leaving directory '/p/s'\ncd t && g++ -c b.cpp -o b.o; echo done\n";
        let printed = commands(text, Path::new("/p"));
        let outputs: Vec<_> = printed.into_iter().flat_map(|p| p.units).filter_map(|u| u.output).collect();
        assert_eq!(outputs, [PathBuf::from("/p/s/a.o"), PathBuf::from("/p/t/b.o")]);
    }
}
