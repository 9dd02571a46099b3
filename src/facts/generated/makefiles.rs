//! Reader of the makefiles that CMake writes. `CMakeFiles/TargetDirectories.txt` lists the folders of all targets; in
//! each, `link.txt` holds the link's commands and `build.make` the compilations.

use super::file_api::CompiledObjects;
use files::normalise;
use nvcc::command::{Environment, NvccCommand};
use nvcc::host::{self, SHIM};
use nvcc::interpose::execution::ExecutedCommand;
use nvcc::interpose::links;
use nvcc::request::{Link, LinkKind};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Links and objects in the makefiles of a build folder.
#[derive(Debug, Default)]
pub struct Makefiles {
    pub links: Vec<Link>,
    /// Objects that the makefiles make, all with their dependencies.
    pub compiled: CompiledObjects,
    /// Outputs of links whose command runs through the shim.
    pub watched: Vec<PathBuf>,
}

/// Reads the links of a build folder, and all objects that its makefiles make.
pub fn read(root: &Path) -> Makefiles {
    let list = std::fs::read_to_string(root.join("CMakeFiles/TargetDirectories.txt")).unwrap_or_default();
    let mut all = Makefiles::default();
    for target in list.lines().map(Path::new) {
        // Commands of …/apps/CMakeFiles/one.dir run in …/apps.
        let Some(folder) = target.parent().and_then(Path::parent) else { continue };
        if let Ok(text) = std::fs::read_to_string(target.join("link.txt")) {
            let found = link(&text, folder);
            all.watched.extend(found.iter().filter(|_| text.contains(SHIM)).map(|l| l.output.clone()));
            all.links.extend(found);
        }
        if let Ok(text) = std::fs::read_to_string(target.join("dlink.txt")) {
            all.links.extend(device_link(&text, folder));
        }
        if let Ok(text) = std::fs::read_to_string(target.join("build.make")) {
            for (object, from) in made(&text, root) {
                all.compiled.entry(object).or_default().push(from);
            }
        }
    }
    all
}

/// Returns the commands that compile objects, each with its working folder; launchers stand before the compiler.
#[must_use]
pub fn compile_commands(root: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let list = std::fs::read_to_string(root.join("CMakeFiles/TargetDirectories.txt")).unwrap_or_default();
    let mut all = Vec::new();
    for target in list.lines().map(Path::new) {
        let read = |name: &str| std::fs::read_to_string(target.join(name)).unwrap_or_default();
        let (rules, flags) = (read("build.make"), read("flags.make"));
        for line in
            rules.lines().filter_map(|l| l.strip_prefix('\t')).filter(|l| l.contains(" -c ") && l.contains(" -o "))
        {
            let mut line = line.to_owned();
            for (name, value) in flags.lines().filter_map(|l| l.split_once(" = ")) {
                line = line.replace(&format!("$({name})"), value);
            }
            // The command of a target outside the top folder reads `cd FOLDER && COMMAND`.
            let (folder, command) = match line.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")) {
                Some((folder, command)) => (shlex::split(folder).and_then(|w| w.into_iter().next()), command),
                None => (None, line.as_str()),
            };
            all.extend(
                shlex::split(command).map(|words| (folder.map_or_else(|| root.to_owned(), PathBuf::from), words)),
            );
        }
    }
    all
}

/// Returns the link of the first command in a link.txt that links; `ranlib` comes after `ar`.
fn link(text: &str, folder: &Path) -> Option<Link> {
    text.lines().find_map(|line| {
        let words: Vec<OsString> = shlex::split(line)?.into_iter().map(OsString::from).collect();
        // Launchers stand before the tool.
        (0..words.len().min(4)).find_map(|start| {
            let execution = ExecutedCommand {
                directory: folder.to_owned(),
                program: words[start].clone().into(),
                arguments: words[start..].to_vec(),
            };
            links::planned(&execution)
        })
    })
}

/// Returns the device link in a dlink.txt, a command of nvcc.
fn device_link(text: &str, folder: &Path) -> Option<Link> {
    text.lines().find_map(|line| {
        let words = host::nvcc_words(&shlex::split(line)?);
        let plan = NvccCommand::read(&words, &Environment::default(), folder).plan(folder, None, &Vec::new)?;
        plan.request.link.filter(|link| link.kind == LinkKind::DeviceLink)
    })
}

/// Returns target and prerequisite of a makefile's rules, resolved in the build folder. CMake writes one rule for each
/// prerequisite of an object.
fn made<'t>(text: &'t str, root: &'t Path) -> impl Iterator<Item = (PathBuf, PathBuf)> + 't {
    let path = |text: &str| normalise(root, Path::new(&text.trim().replace("\\ ", " ").replace("$$", "$")));
    text.lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#', '.']))
        .filter_map(|line| line.split_once(": "))
        .filter(|(left, _)| left.ends_with(".o") || left.ends_with(".gch"))
        .map(move |(left, right)| (path(left), path(right)))
}

#[cfg(test)]
mod tests {
    use super::{compile_commands, read};
    use nvcc::request::LinkKind;

    #[test]
    fn commands_of_cuda_sources_are_known_with_their_folders_and_flags() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for (target, cd) in [("CMakeFiles/one.dir", ""), ("sub/CMakeFiles/two.dir", "cd /b/sub && ")] {
            let folder = root.join(target);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("flags.make"), "CUDA_DEFINES = -DN=4\nCUDA_FLAGS = -O2 -std=c++17\n").unwrap();
            let command = "/x/ccache /cuda/bin/nvcc $(CUDA_DEFINES) $(CUDA_FLAGS) -x cu -c /s/a.cu -o a.cu.o";
            let text =
                format!("a.cu.o: /s/a.cu\n\t@echo Building a.cu.o\n\t{cd}{command}\n\tc++ -c b.cpp -o b.cpp.o\n");
            std::fs::write(folder.join("build.make"), text).unwrap();
        }
        let list = format!("{0}/CMakeFiles/one.dir\n{0}/sub/CMakeFiles/two.dir\n", root.display());
        std::fs::create_dir_all(root.join("CMakeFiles")).unwrap();
        std::fs::write(root.join("CMakeFiles/TargetDirectories.txt"), list).unwrap();
        let words = "/x/ccache /cuda/bin/nvcc -DN=4 -O2 -std=c++17 -x cu -c /s/a.cu -o a.cu.o";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let host = ["c++", "-c", "b.cpp", "-o", "b.cpp.o"].map(str::to_owned).to_vec();
        assert_eq!(
            compile_commands(root),
            [
                (root.to_owned(), words.clone()),
                (root.to_owned(), host.clone()),
                ("/b/sub".into(), words),
                (root.to_owned(), host)
            ]
        );
    }

    #[test]
    fn links_of_all_targets_before_anything_is_built() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let targets = format!(
            "{0}/apps/CMakeFiles/one.dir\n{0}/k/CMakeFiles/k.dir\n{0}/CMakeFiles/edit_cache.dir\n",
            root.display()
        );
        write("CMakeFiles/TargetDirectories.txt", &targets);
        write(
            "apps/CMakeFiles/one.dir/link.txt",
            "/bin/launch /usr/bin/g++ @CMakeFiles/one.dir/objects1 -o one -L\"/x y\" ../k/libk.a -lrt\n",
        );
        write("apps/CMakeFiles/one.dir/objects1", "\"CMakeFiles/one.dir/one.cu.o\"\n");
        write(
            "apps/CMakeFiles/one.dir/build.make",
            "# apps/no.o: x\napps/CMakeFiles/one.dir/one.cu.o: apps/CMakeFiles/one.dir/flags.make\n\tcd x: y.o\n",
        );
        write("apps/CMakeFiles/one.dir/one.rsp", "CMakeFiles/one.dir/one.cu.o\n");
        write(
            "apps/CMakeFiles/one.dir/dlink.txt",
            "\"/x/scuba-nvcc\"  /cuda/bin/nvcc -shared -dlink --options-file CMakeFiles/one.dir/one.rsp -o CMakeFiles/one.dir/cmake_device_link.o\n",
        );
        write("k/CMakeFiles/k.dir/link.txt", "/usr/bin/ar qc libk.a CMakeFiles/k.dir/a.cu.o\n/usr/bin/ranlib libk.a\n");
        let super::Makefiles { links, compiled: objects, watched } = read(&root);
        assert!(watched.is_empty());
        assert_eq!(
            links.iter().map(|l| (l.kind, l.output.clone())).collect::<Vec<_>>(),
            [
                (LinkKind::Executable, root.join("apps/one")),
                (LinkKind::DeviceLink, root.join("apps/CMakeFiles/one.dir/cmake_device_link.o")),
                (LinkKind::Archive, root.join("k/libk.a")),
            ]
        );
        assert_eq!(links[0].inputs, [root.join("apps/CMakeFiles/one.dir/one.cu.o"), root.join("k/libk.a")]);
        assert_eq!(links[1].inputs, [root.join("apps/CMakeFiles/one.dir/one.cu.o")]);
        assert_eq!(links[2].inputs, [root.join("k/CMakeFiles/k.dir/a.cu.o")]);
        let source = root.join("apps/CMakeFiles/one.dir/flags.make");
        let object = root.join("apps/CMakeFiles/one.dir/one.cu.o");
        assert_eq!(objects.into_iter().collect::<Vec<_>>(), [(object, vec![source])]);
    }
}
