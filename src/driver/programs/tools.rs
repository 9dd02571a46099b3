//! Asks the build tools of a build for the commands that they know.
//!
//! In: the make and Ninja commands that a `scuba build` saw, its own included; objects without facts. Out: the units
//! and links that make these objects. The tools only print what they would run: make by `-n` (`makefile.rs`), Ninja by
//! `-t commands` (Ninja's manual, "Extra tools"). A make that another make started is asked directly, with the
//! variables of the build's own command: `-W` does not reach it through its parent.

use super::makefile::{self, MakeCommand, PrintedCommand};
use facts::key_of;
use facts::linked::{Folders, Stray};
use nvcc::interpose::execution::ExecutedCommand;
use nvcc::unit::TranslationUnit;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Maximum number of commands of one tool to ask; a build that starts more comes from a generator, which wrote down
/// its commands.
const MAX: usize = 16;

/// Build tools to ask.
#[derive(Debug, Default)]
pub struct BuildTools {
    makes: Vec<MakeCommand>,
    ninjas: Vec<NinjaCommand>,
}

impl BuildTools {
    /// Finds the tools among some commands; the first command is the build's own.
    #[must_use]
    pub fn of(runs: &[ExecutedCommand]) -> Self {
        let mut tools = Self::default();
        let own = runs.first().and_then(MakeCommand::of);
        // CMake's projects for trying compilers are deleted by now, or lie in CMake's own folder.
        let counts = |r: &&ExecutedCommand| {
            r.directory.is_absolute() && r.directory.is_dir() && r.directory.iter().all(|part| part != "CMakeFiles")
        };
        for run in runs.iter().filter(counts) {
            let make = MakeCommand::of(run).map(|make| match &own {
                Some(own) if make != *own => make.started_by(own),
                _ => make,
            });
            // CMake's makefiles are read directly.
            let make = make.filter(|m| !m.directory().join("CMakeFiles").is_dir() && !tools.makes.contains(m));
            tools.makes.extend(make);
            tools.ninjas.extend(NinjaCommand::of(run).filter(|n| !tools.ninjas.contains(n)));
        }
        tools.makes.truncate(MAX);
        tools.ninjas.truncate(MAX);
        tools
    }

    /// Returns the units of these objects, as far as a tool knows how to make them.
    #[must_use]
    pub fn units(&self, strays: &[&Stray], folders: &Folders) -> Vec<TranslationUnit> {
        if strays.is_empty() {
            return vec![];
        }
        // What the tools would run for their goals comes before what a tool can make by a rule of its own
        // (`app/main.o` in the folder above).
        let wanted: BTreeSet<&Path> = strays.iter().map(|stray| stray.key.as_path()).collect();
        let sources: Vec<PathBuf> = strays.iter().flat_map(|s| folders.sources_of(&s.object, &s.key)).collect();
        let units = self.all_with(&sources).into_iter().flat_map(|printed| printed.units);
        let mut found: Vec<TranslationUnit> =
            units.filter(|unit| wanted.contains(key_of(unit, None).as_path())).collect();
        for make in &self.makes {
            let known: BTreeSet<PathBuf> = found.iter().map(|unit| key_of(unit, None)).collect();
            let open: Vec<&Stray> = strays.iter().copied().filter(|stray| !known.contains(&stray.key)).collect();
            found.extend(make.units(&open, folders));
        }
        found
    }

    /// Returns the commands that make a stray and the files that go into it.
    #[must_use]
    pub fn commands_of(&self, stray: &Stray, folders: &Folders) -> Vec<PrintedCommand> {
        let of_make = self.makes.iter().map(|make| make.commands_of(stray, folders));
        let of_ninja = self.ninjas.iter().map(|ninja| ninja.commands(std::slice::from_ref(&ninja.below(&stray.key))));
        of_make.chain(of_ninja).find(|printed| !printed.is_empty()).unwrap_or_default()
    }

    /// Returns the commands that make the goals of the tools' commands from all sources in their folders.
    #[must_use]
    pub fn all_commands(&self) -> Vec<PrintedCommand> {
        self.all_with(&[])
    }

    fn all_with(&self, sources: &[PathBuf]) -> Vec<PrintedCommand> {
        let of_make = self.makes.iter().flat_map(|make| make.all_commands(sources));
        of_make.chain(self.ninjas.iter().flat_map(|ninja| ninja.commands(&ninja.goals))).collect()
    }
}

/// Ninja command, without options on how to run it.
#[derive(Debug, PartialEq, Eq)]
struct NinjaCommand {
    program: PathBuf,
    directory: PathBuf,
    /// Value of `-f`.
    file: Option<OsString>,
    goals: Vec<OsString>,
}

impl NinjaCommand {
    /// Parses a Ninja command; `None` if it runs another program, or one of Ninja's extra tools (`-t`).
    fn of(run: &ExecutedCommand) -> Option<Self> {
        if !matches!(run.program.file_name()?.to_str()?, "ninja" | "ninja-build" | "samu") {
            return None;
        }
        let mut ninja =
            Self { program: run.program.clone(), directory: run.directory.clone(), file: None, goals: vec![] };
        let mut words = run.arguments.iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_bytes() {
                [b'-', b't', ..] => return None,
                // Options with a value (Ninja 1.12, `ninja -h`).
                [b'-', letter @ (b'C' | b'f' | b'd' | b'j' | b'k' | b'l' | b'w'), rest @ ..] => {
                    let attached = || OsString::from(std::ffi::OsStr::from_bytes(rest));
                    let value = if rest.is_empty() { words.next().cloned() } else { Some(attached()) };
                    match (letter, value) {
                        (b'C', Some(folder)) => ninja.directory = run.directory.join(folder),
                        (b'f', value) => ninja.file = value,
                        _ => {}
                    }
                }
                [b'-', ..] => {}
                _ => ninja.goals.push(word.clone()),
            }
        }
        Some(ninja)
    }

    /// Returns the path relative to Ninja's folder, the usual form in its file.
    fn below(&self, path: &Path) -> OsString {
        path.strip_prefix(&self.directory).unwrap_or(path).into()
    }

    /// Returns all commands that make some targets; without targets, those that make the file's defaults.
    fn commands(&self, goals: &[OsString]) -> Vec<PrintedCommand> {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(&self.directory);
        if let Some(file) = &self.file {
            command.arg("-f").arg(file);
        }
        let output = command.args(["-t", "commands"]).args(goals).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let text = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
        text.map(|text| makefile::commands(&text, &self.directory)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{BuildTools, NinjaCommand};
    use facts::linked::{Folders, Stray};
    use nvcc::interpose::execution::ExecutedCommand;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    fn run(line: &str, directory: &Path) -> ExecutedCommand {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        ExecutedCommand { directory: directory.to_owned(), program: arguments[0].clone().into(), arguments }
    }

    #[test]
    fn ninjas_folder_file_and_targets_count() {
        let of = |line: &str| NinjaCommand::of(&run(line, Path::new("/w"))).map(|n| (n.directory, n.file, n.goals));
        let told = |folder: &str, file: Option<&str>, goals: &[&str]| {
            Some((folder.into(), file.map(OsString::from), goals.iter().map(OsString::from).collect()))
        };
        assert_eq!(of("/usr/bin/ninja -j 4 app"), told("/w", None, &["app"]));
        assert_eq!(of("ninja -Cb -f build-Release.ninja -v"), told("/w/b", Some("build-Release.ninja"), &[]));
        assert_eq!(of("ninja -t recompact"), None);
        assert_eq!(of("make all"), None);
    }

    /// Outputs of all compilations and links that the tools print.
    fn told(tools: &BuildTools) -> Vec<PathBuf> {
        let printed = tools.all_commands();
        let units = printed.iter().flat_map(|p| &p.units).filter_map(|u| u.output.clone());
        let links = printed.iter().filter_map(|p| p.link.as_ref()).map(|l| l.output.clone());
        let mut all: Vec<PathBuf> = units.chain(links).map(|p| p.file_name().unwrap().into()).collect();
        all.sort();
        all
    }

    #[test]
    fn ninja_tells_its_commands_where_it_has_nothing_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let text = "rule cu\n  command = nvcc -c $in -o $out\nrule ld\n  command = g++ -o $out $in\n\
                    build o/a.o: cu a.cu\nbuild app: ld o/a.o\nbuild other: ld o/b.o\ndefault app\n";
        std::fs::write(root.join("build.ninja"), text).unwrap();
        let own = run("sh build.sh", &root);
        assert_eq!(told(&BuildTools::of(&[own.clone(), run("ninja", &root)])), ["a.o", "app"].map(PathBuf::from));
        assert_eq!(told(&BuildTools::of(&[run("ninja -C . other", &root)])), [PathBuf::from("other")]);
        assert_eq!(told(&BuildTools::of(&[own])), Vec::<PathBuf>::new());
        assert!(!root.join("o").exists(), "nothing was made");
    }

    #[test]
    fn a_make_that_a_make_started_tells_with_the_variables_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in [
            ("Makefile", "all:\n\t$(MAKE) -C lib\n"),
            ("lib/Makefile", "all: ../o/a.o\n../o/%.o: %.cpp\n\tg++ -DN=$(N) -c $< -o $@\n"),
            ("lib/a.cpp", ""),
            ("o/a.o", "made"),
        ] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        let tools = BuildTools::of(&[run("make N=4", &root), run("make N=4", &root), run("make -C lib", &root)]);
        assert_eq!(tools.makes.len(), 2);
        let stray = Stray::of(root.join("o/a.o"));
        let units = tools.units(&[&stray], &Folders::new([root.clone()]));
        assert_eq!(units.iter().map(|u| u.command.join(" ")).collect::<Vec<_>>(), ["g++ -DN=4 -c a.cpp -o ../o/a.o"]);
        assert_eq!(units[0].directory, root.join("lib"));
        assert_eq!(std::fs::read_to_string(root.join("o/a.o")).unwrap(), "made");
    }
}
