//! The makefiles that CMake writes: `CMakeFiles/TargetDirectories.txt` names the folders of all targets, in each of which
//! `link.txt` holds the link's commands and `build.make` what is compiled.

use super::folders::tidy;
use crate::nvcc::interpose::execution::Execution;
use crate::nvcc::interpose::links;
use crate::nvcc::request::Link;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The links of a build folder, and all files that its makefiles make.
pub fn read(root: &Path) -> (Vec<Link>, BTreeSet<PathBuf>) {
    let list = std::fs::read_to_string(root.join("CMakeFiles/TargetDirectories.txt")).unwrap_or_default();
    let (mut all, mut objects) = (Vec::new(), BTreeSet::new());
    for target in list.lines().map(Path::new) {
        // …/apps/CMakeFiles/one.dir: its commands run in …/apps
        let Some(folder) = target.parent().and_then(Path::parent) else { continue };
        if let Ok(text) = std::fs::read_to_string(target.join("link.txt")) {
            all.extend(link(&text, folder));
        }
        if let Ok(text) = std::fs::read_to_string(target.join("dlink.txt")) {
            all.extend(link(&text, folder));
        }
        if let Ok(text) = std::fs::read_to_string(target.join("build.make")) {
            objects.extend(made(&text, root));
        }
    }
    (all, objects)
}

/// The first command of a link.txt that links; `ranlib` comes after `ar`.
fn link(text: &str, folder: &Path) -> Option<Link> {
    text.lines().find_map(|line| {
        let words: Vec<OsString> = shlex::split(line)?.into_iter().map(OsString::from).collect();
        // Launchers stand before the tool.
        (0..words.len().min(4)).find_map(|start| {
            let execution = Execution {
                directory: folder.to_owned(),
                program: words[start].clone().into(),
                arguments: words[start..].to_vec(),
            };
            links::planned(&execution)
        })
    })
}

/// Left sides of a makefile's rules, relative to the build folder.
fn made<'t>(text: &'t str, root: &'t Path) -> impl Iterator<Item = PathBuf> + 't {
    text.lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#', '.']))
        .filter_map(|line| line.split_once(": "))
        .filter(|(left, _)| left.ends_with(".o"))
        .map(|(left, _)| tidy(&root.join(left.replace("\\ ", " "))))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::nvcc::request::LinkKind;

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
        write("k/CMakeFiles/k.dir/link.txt", "/usr/bin/ar qc libk.a CMakeFiles/k.dir/a.cu.o\n/usr/bin/ranlib libk.a\n");
        let (links, objects) = read(&root);
        assert_eq!(
            links.iter().map(|l| (l.kind, l.output.clone())).collect::<Vec<_>>(),
            [(LinkKind::Executable, root.join("apps/one")), (LinkKind::Archive, root.join("k/libk.a")),]
        );
        assert_eq!(links[0].inputs, [root.join("apps/CMakeFiles/one.dir/one.cu.o"), root.join("k/libk.a")]);
        assert_eq!(links[1].inputs, [root.join("k/CMakeFiles/k.dir/a.cu.o")]);
        assert_eq!(objects.into_iter().collect::<Vec<_>>(), [root.join("apps/CMakeFiles/one.dir/one.cu.o")]);
    }
}
