//! Links of a build folder from the reply of CMake's File API.
//!
//! CMake reports the sources of a target and not its objects. Its objects are those that the generator's files make of
//! these sources in the target's folder. A reply that disagrees with these files is outdated.

use super::reply::{Reply, ReplyTarget};
use files::normalise;
use nvcc::interpose::execution::ExecutedCommand;
use nvcc::interpose::links;
use nvcc::request::{Link, LinkKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Objects that compilers make, each with its source and the other files that a makefile lists as its dependencies.
pub(super) type CompiledObjects = BTreeMap<PathBuf, Vec<PathBuf>>;

/// Returns the links of all targets; `None` if there is no reply, or none that agrees with the generator's files.
/// `generated` is the time at which CMake wrote those files, `compiled` and `known` are the objects and links read from
/// them. The contents of these files decide where times do not.
pub(super) fn links(
    root: &Path,
    compiled: &CompiledObjects,
    known: &[Link],
    generated: SystemTime,
) -> Option<Vec<Link>> {
    let reply = Reply::of(root, generated)?;
    let here = BuildReply { root, reply: &reply };
    let mut all = Vec::new();
    for (configuration, target) in &reply.targets {
        let Some(kind) = kind(target) else { continue };
        let Some(output) = target.artifacts.first().map(|a| normalise(root, &a.path)) else { continue };
        let mut inputs = here.objects(target, configuration, compiled)?;
        if kind != LinkKind::Archive {
            inputs.extend(here.libraries(target, &output));
        }
        all.push(Link { kind, output, inputs });
    }
    name_versions(&mut all, known);
    all.iter().all(|link| agrees(link, known, root)).then_some(all)
}

/// Whether the generator's files, where they describe the same link, give it the same inputs within the build folder.
/// Times alone do not reveal an outdated reply: archives, stores and copies may give all files the same time.
fn agrees(link: &Link, known: &[Link], root: &Path) -> bool {
    let inner = |link: &'_ Link| -> BTreeSet<PathBuf> {
        let taken_in = |p: &&PathBuf| p.starts_with(root) && **p != link.output;
        link.inputs.iter().filter(taken_in).cloned().collect()
    };
    known.iter().filter(|k| k.kind == link.kind && k.output == link.output).all(|k| inner(k) == inner(link))
}

/// Renames shared libraries to their versioned names. CMake reports the plain name (`libk.so`); the file, and the links
/// that take it in, use the versioned one.
fn name_versions(all: &mut [Link], known: &[Link]) {
    let names = known.iter().map(|l| &l.output).chain(all.iter().flat_map(|l| &l.inputs));
    let names: BTreeSet<PathBuf> = names.filter(|n| n.extension().is_some_and(|e| e != "o")).cloned().collect();
    for link in all.iter_mut().filter(|l| l.kind == LinkKind::SharedLibrary && !names.contains(&l.output)) {
        let is_version = |name: &&PathBuf| {
            let version = name.as_os_str().to_str().zip(link.output.to_str()).and_then(|(n, o)| n.strip_prefix(o));
            version.is_some_and(|v| v.starts_with('.') && v.chars().all(|c| c == '.' || c.is_ascii_digit()))
        };
        if let Some(name) = names.iter().find(is_version) {
            link.output.clone_from(name);
        }
    }
}

fn kind(target: &ReplyTarget) -> Option<LinkKind> {
    Some(match target.kind.as_str() {
        "EXECUTABLE" => LinkKind::Executable,
        "STATIC_LIBRARY" => LinkKind::Archive,
        "SHARED_LIBRARY" | "MODULE_LIBRARY" => LinkKind::SharedLibrary,
        _ => return None,
    })
}

/// A build folder and the reply for it.
struct BuildReply<'r> {
    root: &'r Path,
    reply: &'r Reply,
}

impl BuildReply<'_> {
    /// Resolves a path relative to the source folder, to the spelling that the generator's files imply when read from
    /// `root`.
    fn source(&self, path: &Path) -> PathBuf {
        let path = normalise(&self.reply.paths.source, path);
        // CMake may know the folder by another name, through a symbolic link.
        path.strip_prefix(&self.reply.paths.build).map(|below| self.root.join(below)).unwrap_or(path)
    }

    /// Returns the objects of a target, including those of object libraries. `None` if the generator's files make other
    /// objects in the target's folder, or lack one.
    fn objects(&self, target: &ReplyTarget, configuration: &str, compiled: &CompiledObjects) -> Option<Vec<PathBuf>> {
        let mut folder = normalise(self.root, &target.paths.build).join(format!("CMakeFiles/{}.dir", target.name));
        if self.reply.multi_config {
            folder.push(configuration);
        }
        let sources: BTreeSet<PathBuf> = target.compiled().map(|path| self.source(path)).collect();
        let mut found = BTreeSet::new();
        let mut objects: Vec<PathBuf> =
            target.others().filter(|p| is_object(p)).map(|path| self.source(path)).collect();
        for (object, from) in compiled.range(folder.clone()..).take_while(|(object, _)| object.starts_with(&folder)) {
            match from.iter().find(|f| sources.contains(*f)) {
                Some(source) => found.insert(source),
                None if is_of_language(from) => return None,
                None => continue,
            };
            // A precompiled header is no object of the link.
            if is_object(object) {
                objects.push(object.clone());
            }
        }
        (found.len() == sources.len()).then_some(objects)
    }

    /// Returns the libraries that a link names: files, and those that `-l` finds.
    fn libraries(&self, target: &ReplyTarget, output: &Path) -> Vec<PathBuf> {
        let text = target.libraries();
        let words = shlex::split(&text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
        let directory = if self.reply.from_root { self.root.to_owned() } else { self.root.join(&target.paths.build) };
        let mut arguments: Vec<OsString> = vec!["c++".into(), "-o".into(), output.into()];
        arguments.extend(words.into_iter().map(OsString::from));
        let execution = ExecutedCommand { directory, program: "c++".into(), arguments };
        links::planned(&execution).map(|link| link.inputs).unwrap_or_default()
    }
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "o")
}

/// Whether one of these files is a C, C++ or CUDA source, by its extension. The object of a device link has none.
fn is_of_language(from: &[PathBuf]) -> bool {
    let extensions = ["c", "cc", "cpp", "cxx", "c++", "C", "CPP", "cu"];
    from.iter().filter_map(|f| f.extension()?.to_str()).any(|e| extensions.contains(&e))
}
