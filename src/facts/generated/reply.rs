//! Reply of CMake's File API for a build folder: `cmake-file-api(7)`, object kind `codemodel` version 2.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A reply for this build folder as it was generated last, as far as times show.
#[derive(Debug)]
pub(super) struct Reply {
    /// Top-level paths, in CMake's spelling.
    pub paths: Paths,
    /// Whether relative names in links are relative to the build folder, as for Ninja; else they are relative to the
    /// target's own.
    pub from_root: bool,
    /// Whether objects lie in a folder named after their configuration.
    pub multi_config: bool,
    /// Targets, each with the name of its configuration.
    pub targets: Vec<(String, ReplyTarget)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Paths {
    pub source: PathBuf,
    pub build: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyTarget {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// Paths relative to the top-level ones.
    pub paths: Paths,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    #[serde(default)]
    link: LinkStep,
    #[serde(default)]
    sources: Vec<ReplySource>,
    #[serde(default)]
    compile_groups: Vec<CompileGroup>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Artifact {
    /// Path relative to the build folder.
    pub path: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkStep {
    #[serde(default)]
    command_fragments: Vec<Fragment>,
}

#[derive(Debug, Deserialize)]
struct Fragment {
    fragment: String,
    role: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReplySource {
    /// Path relative to the source folder.
    path: PathBuf,
    compile_group_index: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct CompileGroup {
    language: String,
}

impl ReplyTarget {
    /// Returns the C, C++ and CUDA sources that the target compiles.
    pub fn compiled(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter_map(|s| {
            let group = self.compile_groups.get(s.compile_group_index?)?;
            ["C", "CXX", "CUDA"].contains(&group.language.as_str()).then_some(s.path.as_path())
        })
    }

    /// Returns the files that the target takes in uncompiled: objects of object libraries, among headers and others.
    pub fn others(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter(|s| s.compile_group_index.is_none()).map(|s| s.path.as_path())
    }

    /// Returns the part of the link command that names libraries, as words of a shell.
    pub fn libraries(&self) -> String {
        let fragments = self.link.command_fragments.iter();
        let wanted = fragments.filter(|f| matches!(f.role.as_str(), "libraries" | "libraryPath"));
        wanted.map(|f| f.fragment.as_str()).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Deserialize)]
struct ReplyIndex {
    cmake: CMake,
    objects: Vec<ReplyObject>,
}

#[derive(Debug, Deserialize)]
struct CMake {
    generator: Generator,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generator {
    name: String,
    #[serde(default)]
    multi_config: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReplyObject {
    kind: String,
    version: Version,
    json_file: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Version {
    major: u32,
}

#[derive(Debug, Deserialize)]
struct CodeModel {
    paths: Paths,
    configurations: Vec<CMakeConfiguration>,
}

#[derive(Debug, Deserialize)]
struct CMakeConfiguration {
    name: String,
    targets: Vec<TargetFile>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetFile {
    json_file: PathBuf,
}

impl Reply {
    /// Reads the newest reply, whoever queried. `None` if CMake generated the folder after it (`generated`) without a
    /// query, or if the reply came with a folder that was moved or copied.
    pub fn of(root: &Path, generated: SystemTime) -> Option<Self> {
        let folder = root.join(".cmake/api/v1/reply");
        let names = std::fs::read_dir(&folder).ok()?.flatten().map(|e| e.file_name());
        // Names sort by time.
        let index = names.filter(|n| n.as_encoded_bytes().starts_with(b"index-")).max().map(|n| folder.join(n))?;
        if index.metadata().and_then(|m| m.modified()).ok()? < generated {
            return None;
        }
        let ReplyIndex { cmake, objects } = read(&index)?;
        let model = objects.iter().find(|o| o.kind == "codemodel" && o.version.major == 2)?;
        let CodeModel { paths, configurations } = read(&folder.join(&model.json_file))?;
        if paths.build.canonicalize().ok()? != root.canonicalize().ok()? {
            return None;
        }
        let mut targets = Vec::new();
        for configuration in configurations {
            for target in configuration.targets {
                targets.push((configuration.name.clone(), read(&folder.join(target.json_file))?));
            }
        }
        let Generator { name, multi_config } = cmake.generator;
        Some(Self { paths, from_root: name.starts_with("Ninja"), multi_config, targets })
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_reader(BufReader::new(File::open(file).ok()?)).ok()
}
