//! CUDA units that a build compiled without the analysis: a compiler cache before the shim had the object, or the shim was off or killed.
//!
//! In: a build folder, the objects whose facts are known. Out: the other objects' units, by the commands that the build's generator wrote
//! down: `compile_commands.json`, else what Ninja itself says of its file, else CMake's makefiles. And objects of which nothing tells how.

use super::sources::{self, Nvcc};
use crate::facts::generated::{Planned, cuda_commands};
use crate::facts::{Present, key_of};
use crate::nvcc::unit::{Language, TranslationUnit};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Default)]
pub struct Unseen {
    /// In the order of their objects.
    pub units: Vec<TranslationUnit>,
    /// Objects.
    pub unknown: Vec<PathBuf>,
}

/// What was compiled in `root`, a build folder, and is not `known` by its object.
#[must_use]
pub fn of(root: &Path, known: impl Fn(&Path) -> bool, present: &Present) -> Unseen {
    let database = sources::of_database(root, Nvcc::default()).ok();
    let planned = Planned::of_folders(BTreeSet::from([root.to_owned()]), present);
    let listed = database.iter().flatten().filter(|u| u.language == Language::Cuda).map(|u| key_of(u, None));
    let mut objects: BTreeSet<PathBuf> =
        planned.cuda_objects().filter_map(|o| o.canonicalize().ok()).chain(listed).collect();
    objects.retain(|o| o.is_file() && !known(o));
    let mut unseen = Unseen::default();
    if objects.is_empty() {
        return unseen;
    }
    let units = database.unwrap_or_else(|| commands(root)).into_iter().filter(|u| u.language == Language::Cuda);
    let mut units: HashMap<PathBuf, TranslationUnit> = units.map(|u| (key_of(&u, None), u)).collect();
    for object in objects {
        match units.remove(&object) {
            Some(unit) => unseen.units.push(unit),
            None => unseen.unknown.push(object),
        }
    }
    unseen
}

/// What a generator wrote down of all compilations for its own build tool; nothing where it cannot be read.
fn commands(root: &Path) -> Vec<TranslationUnit> {
    let file = root.join("build.ninja");
    if file.is_file() {
        return ninja(root).and_then(|text| sources::of_text(&text, &file, Nvcc::default()).ok()).unwrap_or_default();
    }
    let of = |(folder, words): (PathBuf, Vec<String>)| {
        sources::of_command(&words, &folder, Nvcc::default()).unwrap_or_default()
    };
    cuda_commands(root).into_iter().flat_map(of).collect()
}

/// `ninja -t compdb` prints a compilation database of all rules (Ninja 1.10; before, rules had to be named).
fn ninja(root: &Path) -> Option<String> {
    let run = Command::new("ninja").arg("-C").arg(root).args(["-t", "compdb"]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(run.stdout).ok()?;
    // Where it changes folders it says so first.
    run.status.success().then(|| text[text.find('[').unwrap_or(0)..].to_owned())
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
        let unseen = of(&root, |object| object.ends_with("b.cu.o"), &Present::default());
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
        let found = |known| of(&root, |_| known, &Present::default());
        assert!(found(false).units.is_empty(), "nothing is built yet");
        for object in ["a.cu.o", "b.cpp.o"] {
            fs::write(root.join("p").join(object), "").unwrap();
        }
        assert_eq!(found(false).units.len(), 1);
        assert!(found(true).units.is_empty());
    }
}
