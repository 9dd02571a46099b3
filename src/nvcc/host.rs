//! Commands of the host's tools: compilers, `ar`, linkers.
//!
//! In: the command line of such a tool. Out: what it compiles, as a [`ShimPlan`], or what it links. Commands are translated
//! to nvcc's spelling and read by nvcc's parser. This module runs nothing and knows nothing of facts.

use super::command::{Environment, NvccCommand};
use super::interpose::execution::ExecutedCommand;
use super::interpose::links::{self, LinkTool};
use super::locate::{LAUNCHERS, is_nvcc, program_name};
use super::plan::ShimPlan;
use super::request::AnalysisRequest;
use super::unit::Language;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A host tool's command that runs through the shim as its launcher.
#[derive(Debug)]
pub enum HostCommand {
    /// Compiles C or C++ (see [`AnalysisRequest::deferred`]), or CUDA if the tool is clang.
    Compile(ShimPlan),
    /// Makes an archive, a library or a program.
    Link(ShimPlan),
    /// Anything else.
    Other,
}

/// Whether a command line, without the shim's own name, begins with a host tool, or with a compiler cache before one.
/// Such a word is no flag and no input of nvcc.
#[must_use]
pub fn is_tool(words: &[OsString]) -> bool {
    let Some(program) = words.get(tool_at(words)) else { return false };
    let Some(name) = program_name(program) else { return false };
    // `ranlib` and `cmake -E rm` accompany the `ar` of a CMake archive, each with a launcher.
    let is_beside = matches!(name, "ranlib" | "cmake" | "strip" | "libtool")
        || name.ends_with("-ranlib")
        || name.ends_with("-strip");
    is_beside || LinkTool::of(Path::new(program)).is_some()
}

/// Whether a command line, without the shim's own name, begins with a script, or with a compiler cache before one. Such
/// a script wraps nvcc, as that of Kokkos does; nvcc itself would not read its name.
#[must_use]
pub fn is_script(words: &[OsString], path: Option<&OsStr>, directory: &Path) -> bool {
    let Some(word) = words.get(tool_at(words)).filter(|word| program_name(word).is_some()) else { return false };
    let Ok(program) = which::which_in(word, path, directory) else { return false };
    let mut mark = [0; 2];
    let begins = File::open(directory.join(program)).and_then(|mut file| file.read_exact(&mut mark));
    !is_nvcc(word) && begins.is_ok() && mark == *b"#!"
}

/// Index of the tool in a command line: 1 behind a compiler cache, else 0.
fn tool_at<W: AsRef<OsStr>>(words: &[W]) -> usize {
    let first = words.first().and_then(|word| program_name(word.as_ref()));
    usize::from(first.is_some_and(|name| LAUNCHERS.contains(&name)))
}

/// Reads the command of a tool.
#[must_use]
pub fn read(words: &[OsString], directory: &Path) -> HostCommand {
    let words = expanded(&words[tool_at(words)..], directory);
    let Some(program) = words.first().cloned() else { return HostCommand::Other };
    if compiles(&program, &words) {
        return compile(&words, directory).map_or(HostCommand::Other, HostCommand::Compile);
    }
    let execution = ExecutedCommand { directory: directory.to_owned(), program: program.into(), arguments: words };
    let Some(link) = links::planned(&execution) else { return HostCommand::Other };
    let (outputs, inputs) = (vec![link.output.clone()], link.inputs.clone());
    let request = AnalysisRequest {
        units: vec![],
        link: Some(link),
        directory: directory.to_owned(),
        deferred: true,
        launcher: None,
    };
    HostCommand::Link(ShimPlan { request, outputs, inputs, unreadable: vec![] })
}

/// Whether a command, with its response files expanded, is a compiler's that links nothing.
#[must_use]
pub fn compiles(program: &OsStr, words: &[OsString]) -> bool {
    LinkTool::of(Path::new(program)) == Some(LinkTool::Driver) && words.iter().any(|w| w == "-c")
}

/// Expands the response files (`@FILE`) in a host tool's command.
#[must_use]
pub fn expanded(words: &[OsString], directory: &Path) -> Vec<OsString> {
    let mut words = words.iter().cloned().collect();
    links::expand(&mut words, directory);
    words.into()
}

/// Plans the compilations of a host compiler's command with `-c`: C, C++, and CUDA if the compiler is clang. `None` for
/// any other command, and for a build tool's probe.
#[must_use]
pub fn compile(words: &[OsString], directory: &Path) -> Option<ShimPlan> {
    let mut plan = compile_for(words, directory)?;
    plan.request.link = None;
    Some(plan)
}

/// Plans a host compiler's command that also links what it compiles: its units leave no object.
#[must_use]
pub fn compile_and_link(words: &[OsString], directory: &Path) -> Option<ShimPlan> {
    let compiles_only = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"];
    let words = &expanded(words, directory);
    if words.iter().any(|w| compiles_only.iter().any(|only| w == only)) {
        return None;
    }
    compile_for(words, directory)
}

fn compile_for(words: &[OsString], directory: &Path) -> Option<ShimPlan> {
    let words = &expanded(&words[tool_at(words)..], directory);
    let strings: Vec<String> = words.iter().map(|w| w.to_str().map(str::to_owned)).collect::<Option<_>>()?;
    let command = NvccCommand::read(&nvcc_words(&strings), &Environment::default(), directory);
    if command.is_probe(directory) {
        return None;
    }
    let mut plan = command.plan(directory, None, &Vec::new)?;
    let all = |languages: &[Language]| plan.request.units.iter().all(|u| languages.contains(&u.language));
    // clang compiles CUDA as well: such units hold kernels, and are read like nvcc's.
    let is_cuda = all(&[Language::Cuda]) && is_clang(Path::new(words.first()?));
    if plan.request.units.is_empty() || !(is_cuda || all(&[Language::Cxx, Language::C])) {
        return None;
    }
    plan.request.deferred = !is_cuda;
    let toolkit = strings.iter().find_map(|w| w.strip_prefix("--cuda-path="));
    for unit in &mut plan.request.units {
        if is_cuda {
            unit.nvcc = toolkit.map(|t| directory.join(t).join("bin/nvcc")).filter(|n| n.is_file());
        } else {
            // The command that really ran, not its translation to nvcc's spelling.
            unit.command.clone_from(&strings);
            unit.host_compiler = words.first().map(Into::into);
        }
    }
    Some(plan)
}

/// Name of the shim, as build systems that use it as a launcher write it down.
pub const SHIM: &str = "scuba-nvcc";

/// Strips the launchers before the compiler of a compile command: this program, compiler caches, `env`, and CMake's own
/// for clang-tidy and similar tools (`cmake -E __run_co_compile … -- COMPILER …`).
#[must_use]
pub fn without_launchers(words: &[String]) -> &[String] {
    let name = |w: &String| Path::new(w).file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let mut rest = words;
    while let [first, after @ ..] = rest {
        match name(first).as_str() {
            "cmake" => match after.iter().position(|w| w == "--") {
                Some(at) => rest = &after[at + 1..],
                None => break,
            },
            "env" => rest = &after[after.iter().take_while(|w| w.contains('=')).count()..],
            launcher if launcher == SHIM || LAUNCHERS.contains(&launcher) => {
                // The shim or cache stands alone where it acts as the compiler itself.
                let compiler = after.first().is_some_and(|w| !w.starts_with('-') && may_compile(w));
                if !compiler {
                    break;
                }
                rest = after;
            }
            _ => break,
        }
    }
    rest
}

/// Whether a word may name a compiler or a launcher, rather than a source.
fn may_compile(word: &str) -> bool {
    let path = Path::new(word);
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    is_nvcc(OsStr::new(word))
        || LinkTool::of(path) == Some(LinkTool::Driver)
        || name == SHIM
        || name == "env"
        || LAUNCHERS.contains(&name)
}

/// Whether a word of the command names the shim.
#[must_use]
pub fn names_shim(words: &[String]) -> bool {
    words.iter().any(|w| Path::new(w).file_name().is_some_and(|n| n == SHIM))
}

fn is_clang(program: &Path) -> bool {
    program.file_name().and_then(OsStr::to_str).is_some_and(|name| name.contains("clang"))
}

/// Returns the nvcc that a command names by a path, behind any launchers.
#[must_use]
pub fn named_nvcc(words: &[String]) -> Option<&Path> {
    let leading = words.iter().take_while(|w| !w.starts_with('-')).map(Path::new);
    leading.filter(|w| w.file_name().is_some_and(|n| n == "nvcc") && w.components().count() > 1).last()
}

fn names_nvcc(word: &str) -> bool {
    matches!(Path::new(word).file_name().and_then(|n| n.to_str()), Some("nvcc" | "nvcc.exe" | "scuba-nvcc"))
}

/// Whether a command runs nvcc, with or without launchers.
#[must_use]
pub fn runs_nvcc(words: &[String]) -> bool {
    words.iter().take_while(|w| !w.starts_with('-')).any(|w| names_nvcc(w))
}

/// Returns the arguments in nvcc's spelling: without the compiler's name and the launchers before it, and with a host
/// compiler's or clang's own flags translated.
#[must_use]
pub fn nvcc_words(words: &[String]) -> Vec<OsString> {
    let leading = words.iter().take_while(|w| !w.starts_with('-')).collect::<Vec<_>>();
    if let Some(at) = leading.iter().rposition(|w| names_nvcc(w)) {
        return words[at + 1..].iter().map(OsString::from).collect();
    }
    let mut out = Vec::new();
    let mut rest = words.iter().skip(tool_at(words) + 1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-c" | "-MD" | "-MMD" => out.push(word.into()),
            "-o" | "-MF" | "-I" | "-D" | "-U" | "-isystem" | "-include" => {
                out.push(word.into());
                out.extend(rest.next().map(OsString::from));
            }
            "-x" => {
                let language = rest.next().map_or("", String::as_str);
                if matches!(language, "cuda" | "cu") {
                    out.extend(["-x".into(), "cu".into()]);
                }
            }
            // Flags with a separate value that nvcc does not have.
            "-MT" | "-MQ" | "-arch" | "-target" | "-Xclang" | "-mllvm" | "-iquote" | "-idirafter" => {
                let value = rest.next();
                if word == "-iquote" || word == "-idirafter" {
                    out.extend([OsString::from("-I"), value.map(OsString::from).unwrap_or_default()]);
                }
            }
            w => {
                // gcc also accepts the value of `-o` in the same word.
                if let Some(output) = w.strip_prefix("-o") {
                    out.extend(["-o".into(), output.into()]);
                } else if let Some(arch) =
                    w.strip_prefix("--cuda-gpu-arch=").or_else(|| w.strip_prefix("--offload-arch="))
                {
                    out.push(format!("-gencode=arch={},code={arch}", arch.replace("sm_", "compute_")).into());
                } else if !w.starts_with('-')
                    || ["-I", "-D", "-U", "-std=", "-isystem", "-MF"].iter().any(|p| w.starts_with(p))
                {
                    out.push(w.into());
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{HostCommand, is_tool, nvcc_words, read, without_launchers};
    use crate::request::LinkKind;
    use crate::unit::{Language, Sides};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    fn words(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        nvcc_words(&words).iter().map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn commands_of_other_compilers_are_read_in_nvccs_spelling() {
        assert_eq!(words("/usr/bin/ccache /cuda/bin/nvcc -dc a.cu -o a.o"), "-dc a.cu -o a.o");
        assert_eq!(words("scuba-nvcc /cuda/bin/nvcc -c a.cu"), "-c a.cu");
        assert_eq!(
            words("g++ -O2 -DX=1 -I inc -std=gnu++17 -MF a.d -march=native -o a.o -c a.cpp"),
            "-DX=1 -I inc -std=gnu++17 -MF a.d -o a.o -c a.cpp"
        );
        assert_eq!(words("g++ -c a.cpp -ob/a.o -opt"), "-c a.cpp -o b/a.o -o pt", "as gcc reads it");
        assert_eq!(
            words("buildcache clang++ -x cuda --cuda-gpu-arch=sm_80 -c a.cc"),
            "-x cu -gencode=arch=compute_80,code=sm_80 -c a.cc"
        );
    }

    #[test]
    fn compilers_are_found_behind_launchers() {
        let behind = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            without_launchers(&words).join(" ")
        };
        for launchers in [
            "",
            "/x/scuba-nvcc ",
            "ccache /x/scuba-nvcc ",
            "env A=1 B=2 ",
            "/usr/bin/cmake -E __run_co_compile --tidy=t -- ",
        ] {
            assert_eq!(behind(&format!("{launchers}/usr/bin/c++ -c a.cpp")), "/usr/bin/c++ -c a.cpp");
        }
        assert_eq!(behind("scuba-nvcc -c a.cu"), "scuba-nvcc -c a.cu");
        assert_eq!(behind("scuba-nvcc a.cu -c"), "scuba-nvcc a.cu -c");
        assert_eq!(behind("sccache nvcc -c a.cu"), "nvcc -c a.cu");
    }

    fn command(line: &str) -> HostCommand {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        read(&words, Path::new("/w"))
    }

    #[test]
    fn tools_are_told_from_what_nvcc_is_given() {
        let is = |line: &str| is_tool(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for tool in [
            "/usr/bin/c++",
            "g++-12 -c a.cpp",
            "ar",
            "/usr/bin/ranlib",
            "x86_64-linux-gnu-ld",
            "/opt/bin/cmake -E rm",
            "ccache g++ -c a.cpp",
        ] {
            assert!(is(tool), "{tool}");
        }
        for word in ["-c", "main.cu", "nvcc", "/x/nvcc-12.6", "ccache", "ccache nvcc -c a.cu", "a.o", "libar.a"] {
            assert!(!is(word), "{word}");
        }
        for flag in
            ["-ccbin=/usr/bin/g++", "-I/usr/include/c++", "-L/x/ccache g++", "-ld", "-Xlinker=-strip", "-Ix/ranlib"]
        {
            assert!(!is(flag), "{flag}");
        }
    }

    #[test]
    fn a_compilation_is_recorded_as_it_ran() {
        let HostCommand::Compile(plan) =
            command("ccache /usr/bin/c++ -O3 -DX=1 -I/i -MD -MT o/a.o -MF o/a.o.d -o o/a.o -c /s/a.cpp")
        else {
            panic!()
        };
        let unit = &plan.request.units[0];
        assert!(plan.request.deferred && plan.request.link.is_none());
        assert_eq!((unit.language, unit.sides, unit.nvcc.as_ref()), (Language::Cxx, Sides::HostOnly, None));
        assert_eq!((unit.output.as_deref(), unit.command[0].as_str()), (Some(Path::new("/w/o/a.o")), "/usr/bin/c++"));
        assert_eq!(plan.outputs, [PathBuf::from("/w/o/a.o"), PathBuf::from("/w/o/a.o.d")]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("r"), "-c 'a b.cpp' @more").unwrap();
        std::fs::write(folder.path().join("more"), "-ob/a.o").unwrap();
        let HostCommand::Compile(plan) = read(&["g++", "@r"].map(OsString::from), folder.path()) else { panic!() };
        let unit = &plan.request.units[0];
        assert_eq!(unit.output.as_deref(), Some(folder.path().join("b/a.o").as_path()));
        assert_eq!(unit.command, ["g++", "-c", "a b.cpp", "-ob/a.o"]);
        let HostCommand::Compile(plan) = command("gcc -c kernel.c -o k.o") else { panic!() };
        assert_eq!(plan.request.units[0].language, Language::C);
        let HostCommand::Compile(plan) =
            command("clang++-22 --cuda-path=/no/such --cuda-gpu-arch=sm_80 -O3 -o a.cu.o -x cuda -c a.cu")
        else {
            panic!()
        };
        let unit = &plan.request.units[0];
        assert!(!plan.request.deferred, "clang's CUDA code is read at once");
        assert_eq!((unit.language, unit.sides, unit.nvcc.as_ref()), (Language::Cuda, Sides::Both, None));
        assert_eq!((unit.architectures.as_slice(), unit.host_compiler.as_ref()), (&[80][..], None));
        for other in [
            "g++ -c a.cu -o a.o",
            "g++ -c a.s -o a.o",
            "g++ -c conftest.cpp",
            "g++ --version",
            "ranlib libk.a",
            "cmake -E rm -f libk.a",
        ] {
            assert!(matches!(command(other), HostCommand::Other), "{other}");
        }
    }

    #[test]
    fn a_link_is_one_of_its_inputs() {
        let HostCommand::Link(plan) = command("/usr/bin/g++ main.o -o app k/libk.a -lrt") else { panic!() };
        let link = plan.request.link.unwrap();
        assert_eq!(
            (link.kind, link.inputs),
            (LinkKind::Executable, vec![PathBuf::from("/w/main.o"), PathBuf::from("/w/k/libk.a")])
        );
        assert_eq!(plan.outputs, [PathBuf::from("/w/app")]);
        let HostCommand::Link(plan) = command("/usr/bin/ar qc libk.a a.o") else { panic!() };
        assert_eq!(plan.request.link.unwrap().kind, LinkKind::Archive);
    }
}
