use super::{Folders, StraySearch, Strays, shown};
use crate::LinkFacts;
use crate::generated::FolderPlans;
use nvcc::request::{Link, LinkKind};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Compiles a source of this name to `build/NAME.o`.
    fn object(&self, source: &str, text: &str) -> PathBuf {
        let (from, to) = (self.at(source), self.at("build").join(format!("{source}.o")));
        std::fs::create_dir_all(self.at("build")).unwrap();
        std::fs::write(&from, text).unwrap();
        assert!(Command::new("g++").arg("-c").arg(&from).arg("-o").arg(&to).status().unwrap().success());
        to
    }

    fn folders(&self) -> Folders {
        Folders::new([self.at("")])
    }
}

fn strays(links: &[LinkFacts], folders: &Folders, wanted: impl Fn(&LinkFacts) -> bool, unmade: bool) -> Strays {
    super::strays(&[], links, &StraySearch { folders, planned: &FolderPlans::default(), unmade }, wanted)
}

fn link(kind: LinkKind, output: &Path, inputs: &[&Path]) -> LinkFacts {
    let inputs = inputs.iter().map(|i| (*i).to_owned()).collect();
    LinkFacts { link: Link { kind, output: output.to_owned(), inputs }, units: vec![] }
}

fn names(found: &Strays) -> Vec<String> {
    found.found.iter().map(super::Stray::name).collect()
}

#[test]
fn objects_and_members_without_facts_are_found_and_those_made_elsewhere_are_not() {
    let place = Place::new();
    let main = place.object("main.cpp", "int f(); int main() { return f(); }");
    let options = place.object("options.cpp", "int f() { return 1; }");
    let vendored = place.object("vendored.cpp", "int g() { return 1; }");
    std::fs::remove_file(place.at("vendored.cpp")).unwrap();
    let archive = place.at("build/libo.a");
    assert!(Command::new("ar").arg("cr").arg(&archive).args([&options, &vendored]).status().unwrap().success());
    let program = link(LinkKind::Executable, &place.at("app"), &[&main, &archive, &place.at("build/none.o")]);
    let found = strays(std::slice::from_ref(&program), &place.folders(), |_| true, false);
    assert_eq!(names(&found), ["main.cpp.o", "options.cpp.o"], "the member is the object that lies there");
    assert_eq!(found.archives.len(), 1);
    assert_eq!(found.archives[0].link.inputs.len(), 2);
    assert_eq!(found.nobodys.iter().map(|p| shown(p)).collect::<Vec<_>>(), ["vendored.cpp.o"]);
    std::fs::remove_file(&options).unwrap();
    let found = strays(std::slice::from_ref(&program), &place.folders(), |_| true, false);
    assert_eq!(names(&found), ["libo.a(options.cpp.o)", "main.cpp.o"]);
    // A planned object counts if the search asks for it, and nothing counts in other folders.
    assert_eq!(names(&strays(std::slice::from_ref(&program), &place.folders(), |_| true, true)).len(), 3);
    let elsewhere = Folders::new([PathBuf::from("/no/such/folder")]);
    assert!(strays(&[program], &elsewhere, |_| true, true).found.is_empty());
}

#[test]
fn thin_archives_have_the_members_that_lie_beside_them() {
    let place = Place::new();
    let options = place.object("options.cpp", "int f() { return 1; }");
    let archive = place.at("build/libo.a");
    assert!(Command::new("ar").arg("crT").arg(&archive).arg(&options).status().unwrap().success());
    let program = link(LinkKind::Executable, &place.at("app"), &[&archive]);
    assert_eq!(names(&strays(&[program], &place.folders(), |_| true, false)), ["options.cpp.o"]);
}

#[test]
fn libraries_whose_links_are_known_are_looked_into_once() {
    let place = Place::new();
    let (a, b) = (place.object("a.cpp", "int a() { return 1; }"), place.object("b.cpp", "int b() { return 1; }"));
    let library = place.at("build/libk.so");
    let links = [
        link(LinkKind::Executable, &place.at("app"), &[&a, &library, &library]),
        link(LinkKind::SharedLibrary, &library, &[&b]),
        link(LinkKind::Executable, &place.at("other"), &[&place.object("c.cpp", "int main() {}")]),
    ];
    let found = strays(&links, &place.folders(), |l| l.link.output.ends_with("app"), false);
    assert_eq!(names(&found), ["a.cpp.o", "b.cpp.o"]);
}
