//! Units that a build compiled without the analysis: a compiler cache in front of the shim had the object, the shim
//! was off or killed, or the compiler's commands do not come to the shim.
//!
//! In: build folders, objects without facts. Out: their units, by the commands that the build's generator wrote down
//! (Ninja's own account of its file, CMake's makefiles, `compile_commands.json`), and the objects whose command is
//! unknown.

use super::makefile::PrintedCommand;
use super::pending;
use super::sources::{self, NvccChoice};
use facts::generated::{FolderPlans, cmake_home, compile_commands};
use facts::join::ProgramPlan;
use facts::linked::{self, ByOutput, Folders, LinkSearch, Stray};
use facts::{DiskSnapshot, LinkFacts, Linkers, MakeOverrides, Recipe, UnitFacts, canonical, key_of, linkers};
use files::{FileTime, Stamp};
use nvcc::request::Link;
use nvcc::unit::{Language, TranslationUnit};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Maximum number of targets that Ninja is asked for by name; for more, it lists all that it knows.
const MAX_NAMED: usize = 200;

#[derive(Debug, Default)]
pub struct UnreadUnits {
    /// Sorted by their objects.
    pub units: Vec<TranslationUnit>,
    /// Objects whose compile command is unknown.
    pub unknown: Vec<PathBuf>,
}

/// Returns the CUDA units that were compiled in the build folder `root` and whose objects are not `known`.
#[must_use]
pub fn of(root: &Path, known: impl Fn(&Path) -> bool, present: &DiskSnapshot) -> UnreadUnits {
    let database = sources::of_database(root, NvccChoice::default()).unwrap_or_default();
    let planned = FolderPlans::of_folders(BTreeSet::from([root.to_owned()]), present);
    let listed = database.iter().filter(|u| u.language == Language::Cuda).map(|u| key_of(u, None));
    let mut objects: BTreeSet<PathBuf> =
        planned.cuda_objects().filter_map(|o| o.canonicalize().ok()).chain(listed).collect();
    objects.retain(|o| o.is_file() && !known(o));
    let mut unseen = UnreadUnits::default();
    if objects.is_empty() {
        return unseen;
    }
    let commands = CompileCommands::of([root], &objects);
    for object in objects {
        match commands.by_object.get(&object) {
            Some(unit) if unit.language == Language::Cuda => unseen.units.push(unit.clone()),
            _ => unseen.unknown.push(object),
        }
    }
    unseen
}

/// Compile commands of objects.
#[derive(Debug, Default)]
pub struct CompileCommands {
    by_object: HashMap<PathBuf, TranslationUnit>,
}

impl CompileCommands {
    /// Collects the recorded commands of the `wanted` objects, given by their keys, from these folders.
    #[must_use]
    pub fn of<'r>(roots: impl IntoIterator<Item = &'r Path>, wanted: &BTreeSet<PathBuf>) -> Self {
        let mut all = Self::default();
        for root in roots {
            // The build tool's own file comes first: a database may belong to an older configuration.
            let generated = generated(root, wanted);
            let listed = sources::of_database(root, NvccChoice::default()).unwrap_or_default();
            for unit in generated.into_iter().chain(listed) {
                all.by_object.entry(key_of(&unit, None)).or_insert(unit);
            }
        }
        all
    }

    /// Returns the unit of an object, by its key.
    #[must_use]
    pub fn of_object(&self, key: &Path) -> Option<&TranslationUnit> {
        self.by_object.get(key)
    }
}

/// Returns the compilations that a generator wrote down for its own build tool; nothing if its files cannot be read.
fn generated(root: &Path, wanted: &BTreeSet<PathBuf>) -> Vec<TranslationUnit> {
    let file = root.join("build.ninja");
    if file.is_file() {
        return ninja(root, &file, wanted);
    }
    let of = |(folder, words): (PathBuf, Vec<String>)| {
        sources::of_command(&words, &folder, NvccChoice::default()).unwrap_or_default()
    };
    compile_commands(root).into_iter().flat_map(of).collect()
}

/// Returns the compilations of the wanted objects as Ninja prints them. Ninja Multi-Config writes a file for each
/// configuration, and each configuration has its own folder of objects (`CMakeFiles/app.dir/Release/a.cu.o`);
/// `build.ninja` includes one of these files.
fn ninja(root: &Path, file: &Path, wanted: &BTreeSet<PathBuf>) -> Vec<TranslationUnit> {
    let entries =
        std::fs::read_dir(root).into_iter().flatten().flatten().filter_map(|e| e.file_name().into_string().ok());
    let mut configurations: Vec<String> =
        entries.filter_map(|n| Some(n.strip_prefix("build-")?.strip_suffix(".ninja")?.to_owned())).collect();
    configurations.sort();
    let mut of_file: BTreeMap<PathBuf, Vec<&Path>> = BTreeMap::new();
    for target in wanted.iter().filter_map(|o| o.strip_prefix(root).ok()) {
        let configuration =
            configurations.iter().find(|c| target.components().any(|part| part.as_os_str() == c.as_str()));
        let file = configuration.map_or_else(|| file.to_owned(), |c| root.join(format!("build-{c}.ninja")));
        of_file.entry(file).or_default().push(target);
    }
    of_file.into_iter().flat_map(|(file, targets)| ninja_file(root, &file, &targets)).collect()
}

/// Returns the compilations in one Ninja file. `ninja -t commands -s TARGET…` prints the last command of each target
/// (Ninja 1.7). For many targets, `-t compdb` prints the compilation database of all rules (Ninja 1.10; before, rules
/// had to be named).
fn ninja_file(root: &Path, file: &Path, targets: &[&Path]) -> Vec<TranslationUnit> {
    if targets.len() <= MAX_NAMED {
        let mut arguments = vec!["-t".as_ref(), "commands".as_ref(), "-s".as_ref()];
        arguments.extend(targets.iter().map(|t| t.as_os_str()));
        if let Some(text) = run_ninja(root, file, &arguments) {
            let of = |line: &str| {
                let words = shlex::split(line)?;
                sources::of_command(&words, root, NvccChoice::default()).ok()
            };
            return text.lines().filter_map(of).flatten().collect();
        }
    }
    let text = run_ninja(root, file, &["-t".as_ref(), "compdb".as_ref()]);
    text.and_then(|t| sources::of_text(&t[t.find('[').unwrap_or(0)..], file, NvccChoice::default()).ok())
        .unwrap_or_default()
}

/// Returns what Ninja prints about one of its files; this changes neither a build nor its logs.
fn run_ninja(root: &Path, file: &Path, arguments: &[&OsStr]) -> Option<String> {
    let mut command = Command::new(ninja_program(root));
    let run = command.arg("-C").arg(root).arg("-f").arg(file).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(run.stdout).ok()?;
    run.status.success().then_some(text)
}

/// Returns the Ninja that CMake found for a build folder, else the one in PATH.
fn ninja_program(root: &Path) -> PathBuf {
    let cache = std::fs::read_to_string(root.join("CMakeCache.txt")).unwrap_or_default();
    let named = cache.lines().find_map(|l| l.strip_prefix("CMAKE_MAKE_PROGRAM:FILEPATH="));
    named.map(PathBuf::from).filter(|p| p.is_file()).unwrap_or_else(|| "ninja".into())
}

/// Reason why an object without a known compile command was not read, and what to do.
pub const UNKNOWN_COMMAND: &str =
    "no compile command is known: build under `scuba build`, or add one to a compile_commands.json";
/// The reason for an object that the build which ends now wrote: building it again gives no more information.
const MADE_OTHERWISE: &str = "written in this build by a tool that SCuBA does not read, such as objcopy, mv or an assembler: list its compilation in a compile_commands.json";
/// The reason for an object that existed before the build.
const MADE_BEFORE: &str = "written before this build by an unknown command: remove it and build again, or list its compilation in a compile_commands.json";

/// Returns the reason why an object without a known compile command was not read. `since`: start of the build whose
/// end this is.
#[must_use]
pub fn why_unknown(stray: &Stray, since: Option<FileTime>) -> &'static str {
    let Some(since) = since else { return UNKNOWN_COMMAND };
    let written = Stamp::at(&stray.file()).is_some_and(|stamp| stamp.changed_since(since));
    if written { MADE_OTHERWISE } else { MADE_BEFORE }
}

/// Returns the programs of links without output that take in a unit with a kernel: they were not checked as programs.
#[must_use]
pub fn removed(links: &[Link], units: &[UnitFacts], has_kernel: impl Fn(usize) -> bool) -> Vec<finding::UnreadObject> {
    // An object that no longer exists may have been moved before: its file name identifies it.
    let is_of = |unit: &UnitFacts, file: &Path| {
        let moved = || !unit.key.exists() && !file.exists() && unit.key.file_name() == file.file_name();
        unit.unit.language == Language::Cuda && (unit.key == canonical(file) || moved())
    };
    let takes_in = |l: &&Link, i: usize| l.inputs.iter().any(|file| is_of(&units[i], file));
    let judged = links.iter().filter(|l| (0..units.len()).any(|i| takes_in(l, i) && has_kernel(i)));
    let of = |l: &Link| {
        let name = linked::shown(&l.output);
        let reason = format!(
            "{} no longer exists, so its units were checked as if no program called them: link it to a file that stays, or name its sources: `scuba check FILE…`",
            l.output.display()
        );
        finding::UnreadObject { program: name.clone(), object: name, reason }
    };
    judged.map(of).collect()
}

/// Returns the facts of a stray whose command is known: it is read when a program needs it.
#[must_use]
pub fn found(stray: &Stray, unit: &TranslationUnit, present: &DiskSnapshot) -> UnitFacts {
    let mut facts = pending::record(unit).facts;
    facts.key.clone_from(&stray.key);
    facts.symbols.clone_from(&stray.object.symbols);
    // A C++ unit is read by its command, however it was compiled.
    facts.built_without = unit.language == Language::Cuda && stray.contents.is_some();
    facts.recipe = Recipe::of(&facts.key, &unit.directory, present);
    facts
}

/// Returns the units and links of commands that make prints; the units are read when a program needs them.
#[must_use]
pub fn of_printed(printed: &[PrintedCommand], present: &DiskSnapshot) -> (Vec<UnitFacts>, Vec<LinkFacts>) {
    let (mut units, mut links) = (Vec::new(), Vec::new());
    for command in printed {
        let of_command = command.units.iter().map(|unit| {
            let stray = Stray::of(key_of(unit, command.link.as_ref()));
            let facts = found(&stray, unit, present);
            // A unit that is compiled and linked by one command has no lasting object.
            let built_without = unit.language == Language::Cuda;
            UnitFacts { built_without, ..facts }
        });
        let of_command: Vec<UnitFacts> = of_command.collect();
        if let Some(link) = &command.link {
            let keys = of_command.iter().map(|u| u.key.clone()).collect();
            links.push(LinkFacts { link: link.clone(), units: keys });
        }
        units.extend(of_command);
    }
    (units, links)
}

/// Returns the folders of the toolkits that units are compiled with.
#[must_use]
pub fn toolkits(units: &[UnitFacts]) -> BTreeSet<PathBuf> {
    let nvcc = units.iter().filter_map(|u| u.unit.nvcc.as_deref());
    nvcc.filter_map(|nvcc| Some(nvcc.parent()?.parent()?.to_owned())).collect()
}

/// Returns the folders of a project: those that hold the units' sources (the folder of scuba.toml or of the
/// repository, whichever is nearer, else the source's own); those that their commands run in; the sources of CMake
/// build folders among the latter; and those of the outputs.
#[must_use]
pub fn project_folders(units: &[UnitFacts], links: &[LinkFacts]) -> BTreeSet<PathBuf> {
    let own: BTreeSet<PathBuf> = units.iter().filter_map(|u| Some(u.source().parent()?.to_owned())).collect();
    let directories: BTreeSet<PathBuf> = units.iter().map(|u| u.unit.directory.clone()).collect();
    // A command that runs in the root directory does not show where its project is.
    let directories = directories.into_iter().filter(|d| d.parent().is_some());
    let outputs = units.iter().map(|u| &u.key).chain(links.iter().map(|l| &l.link.output));
    own.into_iter()
        .map(|folder| {
            let root = |f: &&Path| f.join("scuba.toml").is_file() || f.join(".git").exists();
            folder.ancestors().find(root).map_or_else(|| folder.clone(), Path::to_owned)
        })
        .chain(directories.flat_map(|d| cmake_home(&d).into_iter().chain([d])))
        .chain(outputs.filter_map(|o| Some(o.parent()?.to_owned())))
        .collect()
}

/// Links that make programs with CUDA code, as far as facts and objects show.
#[derive(Debug)]
pub struct CudaLinks {
    outputs: BTreeSet<PathBuf>,
}

impl CudaLinks {
    #[must_use]
    pub fn of(units: &[UnitFacts], links: &[LinkFacts], folders: &Folders, among: impl Fn(&LinkFacts) -> bool) -> Self {
        let cuda: BTreeSet<&Path> = units.iter().filter(|u| pending::counts(u)).map(|u| u.key.as_path()).collect();
        let known: BTreeSet<&Path> = units.iter().map(|u| u.key.as_path()).collect();
        let by_output = ByOutput::of(links);
        let mut looked = HashMap::new();
        let is_cuda = |file: &Path| {
            let unknown = || !known.contains(file) && folders.hold(file);
            cuda.contains(file)
                || unknown() && *looked.entry(file.to_owned()).or_insert_with(|| linked::has_device_code(file))
        };
        let mut search = LinkSearch::new(&by_output, is_cuda);
        let wanted = links.iter().filter(|l| among(l) && search.takes_in(l));
        Self { outputs: wanted.map(|l| l.link.output.clone()).collect() }
    }

    #[must_use]
    pub fn holds(&self, link: &LinkFacts) -> bool {
        self.outputs.contains(&link.link.output)
    }
}

/// Returns the line for CUDA objects whose links did not come to the shim and whose makefile names host compilers.
#[must_use]
pub fn other_linker(by: Linkers) -> String {
    let which = if by.nvcc { "may link" } else { "links" };
    format!(
        "this makefile {which} with a program other than nvcc, and scuba-nvcc sees no such link: build with `scuba build -- make`"
    )
}

/// Returns the linkers that the makefiles of these CUDA units name, if no known link takes in one of the units and not
/// all linkers are nvcc.
#[must_use]
pub fn linkers_of<'u>(units: impl IntoIterator<Item = &'u UnitFacts>, links: &[LinkFacts]) -> Option<Linkers> {
    let counts = |u: &UnitFacts| u.unit.language == Language::Cuda && u.unit.output.is_some() && u.unseen.is_none();
    let taken: HashSet<&Path> =
        links.iter().flat_map(|l| l.link.inputs.iter().chain(&l.units)).map(PathBuf::as_path).collect();
    let open = units.into_iter().filter(|u| counts(u) && !taken.contains(u.key.as_path()));
    let directories: BTreeSet<&Path> = open.map(|u| u.unit.directory.as_path()).collect();
    let given = MakeOverrides::of_this_process();
    directories.into_iter().find_map(|directory| linkers(directory, &given).filter(|by| by.host || !by.nvcc))
}

/// Whether all makefiles of the units name nvcc alone as a linker: the links come to the shim.
pub fn are_linked_by_nvcc<'u>(units: impl IntoIterator<Item = &'u UnitFacts>) -> bool {
    let directories: BTreeSet<&Path> = units.into_iter().map(|u| u.unit.directory.as_path()).collect();
    let given = MakeOverrides::of_this_process();
    directories.into_iter().all(|directory| linkers(directory, &given).is_some_and(|by| by.nvcc && !by.host))
}

/// Returns the objects that were linked into programs without being read, except those outside of `[scope]`, in the order of programs and objects.
#[must_use]
pub fn of_plans(plans: &[ProgramPlan], units: &[UnitFacts]) -> Vec<finding::UnreadObject> {
    let of = |plan: &ProgramPlan| {
        let found: Vec<_> =
            plan.units.iter().filter_map(|&i| units[i].unseen.clone()).filter(|u| !u.excluded).collect();
        let program = plan.name.clone();
        found.into_iter().map(move |u| finding::UnreadObject {
            program: program.clone(),
            object: u.object,
            reason: u.reason,
        })
    };
    plans.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn objects_without_facts_are_units_again_by_the_commands_of_makefiles() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let target = root.join("CMakeFiles/app.dir");
        fs::create_dir_all(&target).unwrap();
        fs::write(root.join("CMakeFiles/TargetDirectories.txt"), format!("{}\n", target.display())).unwrap();
        fs::write(target.join("link.txt"), "g++ o/a.cu.o o/b.cu.o o/c.cu.o o/d.cu.o -o app\n").unwrap();
        fs::write(target.join("flags.make"), "CUDA_FLAGS = -arch=sm_80\n").unwrap();
        let rule = |n: &str, command: &str| format!("o/{n}.cu.o: /s/{n}.cu\n\t{command}\n");
        let compiled =
            |n: &str| rule(n, &format!("ccache scuba-nvcc /cuda/bin/nvcc $(CUDA_FLAGS) -c /s/{n}.cu -o o/{n}.cu.o"));
        let text = compiled("a") + &compiled("b") + &compiled("c") + &rule("d", "./made-by-a-script d");
        fs::write(target.join("build.make"), text).unwrap();
        fs::create_dir(root.join("o")).unwrap();
        for made in ["a", "b", "d"] {
            fs::write(root.join(format!("o/{made}.cu.o")), "").unwrap();
        }
        let unseen = of(&root, |object| object.ends_with("b.cu.o"), &DiskSnapshot::default());
        assert_eq!(unseen.units.iter().map(|u| u.source.as_path()).collect::<Vec<_>>(), [Path::new("/s/a.cu")]);
        assert_eq!(unseen.units[0].architectures, [80]);
        assert_eq!(unseen.units[0].nvcc.as_deref(), Some(Path::new("/cuda/bin/nvcc")));
        assert_eq!(unseen.unknown, [root.join("o/d.cu.o")]);
    }

    #[test]
    fn a_compilation_database_tells_of_other_build_systems_objects() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let entry = |n: &str| format!(r#"{{"directory": ".", "file": "{n}", "command": "nvcc -c {n} -o p/{n}.o"}}"#);
        let text = format!("[{}, {}]", entry("a.cu"), entry("b.cpp"));
        fs::write(root.join("compile_commands.json"), text).unwrap();
        fs::create_dir(root.join("p")).unwrap();
        let found = |known| of(&root, |_| known, &DiskSnapshot::default());
        assert!(found(false).units.is_empty(), "nothing is built yet");
        for object in ["a.cu.o", "b.cpp.o"] {
            fs::write(root.join("p").join(object), "").unwrap();
        }
        assert_eq!(found(false).units.len(), 1);
        assert!(found(true).units.is_empty());
    }
}
