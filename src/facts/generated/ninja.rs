//! Reader of `build.ninja` (<https://ninja-build.org/manual.html>), as CMake and Meson write it.

use super::file_api::CompiledObjects;
use files::normalise;
use nvcc::host::SHIM;
use nvcc::request::{Link, LinkKind};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The statements of one `build.ninja`.
#[derive(Debug, Default)]
pub struct NinjaFile {
    /// blake3 of the statement that makes an output, with its variables.
    edges: HashMap<PathBuf, [u8; 32]>,
    links: Vec<Link>,
    compiled: CompiledObjects,
    /// Rules whose command runs through the shim.
    watched_rules: HashSet<String>,
    /// Meson's symbol files of shared libraries, each with its library: links depend on the symbol file, and name the
    /// library only in a flag.
    symbols: HashMap<PathBuf, PathBuf>,
    /// Rule of each link, by its output.
    link_rules: HashMap<PathBuf, String>,
}

impl NinjaFile {
    /// Reads the file, CMake's `rules.ninja`, and the files that Ninja Multi-Config writes for each configuration:
    /// `build.ninja` includes only one of those. Unreadable files contribute nothing.
    pub fn read(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let mut ninja = Self::default();
        let mut add = |file: &Path| {
            if let Ok(text) = std::fs::read_to_string(file) {
                ninja.add_text(&text, folder);
            }
        };
        add(file);
        add(&folder.join("CMakeFiles/rules.ninja"));
        let entries = std::fs::read_dir(folder.join("CMakeFiles")).into_iter().flatten().flatten();
        let mut configurations: Vec<PathBuf> = entries
            .filter(|e| e.file_name().to_str().is_some_and(|n| n.starts_with("impl-") && n.ends_with(".ninja")))
            .map(|e| e.path())
            .collect();
        configurations.sort();
        configurations.iter().for_each(|file| add(file));
        ninja
    }

    /// Adds the statements in `text`, whose paths are relative to `folder`.
    fn add_text(&mut self, text: &str, folder: &Path) {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(rule) = line.strip_prefix("rule ") {
                while let Some(variable) = lines.next_if(|l| l.starts_with(' ')) {
                    if variable.trim_start().starts_with("command =") && variable.contains(SHIM) {
                        self.watched_rules.insert(rule.trim().to_owned());
                    }
                }
            }
            let Some(statement) = line.strip_prefix("build ") else { continue };
            let mut statement = statement.to_owned();
            while statement.ends_with('$') {
                statement.pop();
                statement.push_str(lines.next().unwrap_or_default().trim_start());
            }
            let mut hasher = blake3::Hasher::new();
            hasher.update(statement.as_bytes());
            while let Some(variable) = lines.next_if(|l| l.starts_with(' ')) {
                hasher.update(b"\n").update(variable.as_bytes());
            }
            self.add(&statement, *hasher.finalize().as_bytes(), folder);
        }
    }

    fn add(&mut self, statement: &str, hash: [u8; 32], folder: &Path) {
        let NinjaStatement { outputs, rule, inputs } = NinjaStatement::parse(statement);
        let path = |word: &String| normalise(folder, Path::new(word));
        for output in &outputs {
            self.edges.insert(path(output), hash);
        }
        if (rule.contains("_COMPILER__") || rule.ends_with("_COMPILER"))
            && let (Some(output), Some(input)) = (outputs.first(), inputs.first())
        {
            self.compiled.insert(path(output), vec![path(input)]);
        }
        if rule == "SHSYM"
            && let (Some(output), Some(library)) = (outputs.first(), inputs.first())
        {
            self.symbols.insert(path(output), path(library));
        }
        if let Some(output) = outputs.first()
            && let Some(kind) = kind(&rule).or_else(|| kind_by_meson(&rule, output))
        {
            self.link_rules.insert(path(output), rule.clone());
            self.links.push(Link { kind, output: path(output), inputs: inputs.iter().map(path).collect() });
        }
    }

    pub fn edge(&self, output: &Path) -> Option<[u8; 32]> {
        self.edges.get(output).copied()
    }

    pub fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.edges.keys()
    }

    /// Returns the outputs of compilers, recognised by CMake's names for its rules: `CUDA_COMPILER__app_Release`.
    pub fn compiled(&self) -> &CompiledObjects {
        &self.compiled
    }

    /// Returns the outputs of links whose command runs through the shim.
    pub fn watched(&self) -> impl Iterator<Item = &PathBuf> {
        self.link_rules.iter().filter(|(_, rule)| self.watched_rules.contains(*rule)).map(|(output, _)| output)
    }

    pub fn links(&self) -> Vec<Link> {
        let mut links = self.links.clone();
        for input in links.iter_mut().flat_map(|l| &mut l.inputs) {
            if let Some(library) = self.symbols.get(input) {
                input.clone_from(library);
            }
        }
        links
    }
}

/// Returns the kind of link of a CMake rule: `CXX_EXECUTABLE_LINKER__app_Release`.
fn kind(rule: &str) -> Option<LinkKind> {
    let (rule, _) = rule.split_once("_LINKER__")?;
    ["_EXECUTABLE", "_STATIC_LIBRARY", "_SHARED_LIBRARY", "_MODULE_LIBRARY", "_DEVICE"]
        .iter()
        .position(|end| rule.ends_with(end))
        .map(|i| {
            [
                LinkKind::Executable,
                LinkKind::Archive,
                LinkKind::SharedLibrary,
                LinkKind::SharedLibrary,
                LinkKind::DeviceLink,
            ][i]
        })
}

/// Returns the kind of link of a Meson rule (1.0): `STATIC_LINKER`, and `cpp_LINKER` for programs and shared libraries,
/// both also with `_RSP`.
fn kind_by_meson(rule: &str, output: &str) -> Option<LinkKind> {
    let language = rule.strip_suffix("_RSP").unwrap_or(rule).strip_suffix("_LINKER")?;
    let name = Path::new(output).file_name()?.to_str()?;
    Some(match language {
        "STATIC" => LinkKind::Archive,
        _ if name.ends_with(".so") || name.contains(".so.") => LinkKind::SharedLibrary,
        _ => LinkKind::Executable,
    })
}

/// A statement `OUTPUTS [| OUTPUTS]: RULE INPUTS [| INPUTS] [|| ORDER ONLY]`.
#[derive(Debug, Default)]
struct NinjaStatement {
    outputs: Vec<String>,
    rule: String,
    inputs: Vec<String>,
}

impl NinjaStatement {
    fn parse(text: &str) -> Self {
        let mut statement = Self::default();
        let mut words = words(text).into_iter();
        for word in words.by_ref() {
            match word {
                NinjaWord::Colon => break,
                NinjaWord::Text(text) if text != "|" => statement.outputs.push(text),
                NinjaWord::Text(_) => {}
            }
        }
        let mut strings = words.filter_map(|w| match w {
            NinjaWord::Text(text) => Some(text),
            NinjaWord::Colon => None,
        });
        statement.rule = strings.next().unwrap_or_default();
        statement.inputs = strings.take_while(|t| t != "||").filter(|t| t != "|").collect();
        statement
    }
}

#[derive(Debug, PartialEq, Eq)]
enum NinjaWord {
    Text(String),
    Colon,
}

/// Splits a statement into words at blanks and colons; `$` takes the next character literally.
fn words(text: &str) -> Vec<NinjaWord> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars();
    let end = |word: &mut String, words: &mut Vec<NinjaWord>| {
        if !word.is_empty() {
            words.push(NinjaWord::Text(std::mem::take(word)));
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            '$' => word.extend(letters.next()),
            ' ' => end(&mut word, &mut words),
            ':' => {
                end(&mut word, &mut words);
                words.push(NinjaWord::Colon);
            }
            other => word.push(other),
        }
    }
    end(&mut word, &mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::NinjaFile;
    use nvcc::request::LinkKind;
    use std::path::{Path, PathBuf};

    const TEXT: &str = "\
# made by hand
rule X
  command = x
build lib/libk.a: CUDA_STATIC_LIBRARY_LINKER__k_ lib/CMakeFiles/k.dir/a.cu.o lib/CMakeFiles/k.dir/b$ b.cu.o
  LINK_FLAGS = 1

build app | app.map: CXX_EXECUTABLE_LINKER__app_Debug CMakeFiles/app.dir/main.cpp.o | lib/libk.a ../x/./c$:d.so $
    /abs/e.o || order lib/libk.a
build CMakeFiles/app.dir/main.cpp.o: CXX_COMPILER__app_ /src/main.cpp || cmake_object_order_depends_target_app
  FLAGS = -O2
build p.so: CUDA_MODULE_LIBRARY_LINKER__p_ p.o
build d.o: CUDA_EXECUTABLE_DEVICE_LINKER__app_ a.o
build edit_cache: phony e
";

    fn parse(text: &str) -> NinjaFile {
        let mut ninja = NinjaFile::default();
        ninja.add_text(text, Path::new("/b"));
        ninja
    }

    #[test]
    fn links_are_known_with_their_inputs() {
        let ninja = parse(TEXT);
        let links: Vec<_> =
            ninja.links.iter().map(|l| (l.kind, l.output.to_str().unwrap(), l.inputs.clone())).collect();
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            links,
            [
                (
                    LinkKind::Archive,
                    "/b/lib/libk.a",
                    paths(&["/b/lib/CMakeFiles/k.dir/a.cu.o", "/b/lib/CMakeFiles/k.dir/b b.cu.o"])
                ),
                (
                    LinkKind::Executable,
                    "/b/app",
                    paths(&["/b/CMakeFiles/app.dir/main.cpp.o", "/b/lib/libk.a", "/x/c:d.so", "/abs/e.o"])
                ),
                (LinkKind::SharedLibrary, "/b/p.so", paths(&["/b/p.o"])),
                (LinkKind::DeviceLink, "/b/d.o", paths(&["/b/a.o"])),
            ]
        );
    }

    #[test]
    fn mesons_links_are_known_by_its_rules() {
        let text = "\
build libk.a: STATIC_LINKER libk.a.p/a.cu.o
build libs.so.1: cuda_LINKER libs.so.1.p/b.cu.o
build app: cpp_LINKER_RSP app.p/main.cpp.o | libk.a
build app.p/main.cpp.o: cpp_COMPILER ../main.cpp
";
        let ninja = parse(text);
        let kinds: Vec<_> = ninja.links.iter().map(|l| l.kind).collect();
        assert_eq!(kinds, [LinkKind::Archive, LinkKind::SharedLibrary, LinkKind::Executable]);
        assert_eq!(ninja.compiled().len(), 1);
    }

    #[test]
    fn mesons_files_of_symbols_stand_for_their_libraries() {
        let text = "\
build app: cuda_LINKER app.p/main.cu.o | libs.so.p/libs.so.symbols
  LINK_ARGS = -Xlinker=libs.so
build libs.so: cuda_LINKER libs.so.p/b.cu.o
build libs.so.p/libs.so.symbols: SHSYM libs.so
";
        let links = parse(text).links();
        assert_eq!(links[0].inputs, ["/b/app.p/main.cu.o", "/b/libs.so"].map(PathBuf::from));
    }

    #[test]
    fn links_whose_rule_names_the_shim_are_watched() {
        let text = format!(
            "rule CXX_EXECUTABLE_LINKER__app_Debug\n  command = $PRE_LINK && /x/scuba-nvcc /usr/bin/c++ $in\n  restat = 1\n{TEXT}"
        );
        assert_eq!(parse(&text).watched().collect::<Vec<_>>(), [Path::new("/b/app")]);
        assert_eq!(parse(TEXT).watched().count(), 0);
    }

    #[test]
    fn every_output_has_its_statement() {
        let edge = |text: &str, output: &str| parse(text).edge(Path::new(output));
        let other = TEXT.replace("-O2", "-O3");
        let object = "/b/CMakeFiles/app.dir/main.cpp.o";
        assert!(edge(TEXT, object).is_some() && edge(TEXT, object) != edge(&other, object));
        assert_eq!(edge(TEXT, "/b/app.map"), edge(&other, "/b/app"));
        assert_eq!(edge(TEXT, "/b/none"), None);
        let compiled: Vec<_> = parse(TEXT).compiled().clone().into_iter().collect();
        assert_eq!(compiled, [(PathBuf::from(object), vec![PathBuf::from("/src/main.cpp")])]);
    }
}
