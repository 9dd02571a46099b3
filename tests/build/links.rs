//! Which objects make which program, as real configurations of CMake tell before anything is built: by the File API, and by the
//! generators' own files.

use crate::support::{clean, run, tree, write};
use scuba::facts::DiskSnapshot;
use scuba::facts::generated::FolderPlans;
use scuba::nvcc::request::LinkKind;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One source in several targets, an object library, a static library in two programs, a shared one in another folder.
const LISTS: &str = "cmake_minimum_required(VERSION 3.14)\nproject(p LANGUAGES CXX)\n\
    add_library(o OBJECT o.cpp)\n\
    add_library(k STATIC k.cpp ${CMAKE_CURRENT_BINARY_DIR}/made.cpp)\n\
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/made.cpp \"int made() { return 0; }\\n\")\n\
    add_executable(one main.cpp $<TARGET_OBJECTS:o>)\ntarget_link_libraries(one PRIVATE k)\n\
    add_executable(two main.cpp)\ntarget_link_libraries(two PRIVATE k o -lrt)\n\
    add_subdirectory(sub)\n";
const SUB: &str = "add_library(s SHARED ../k.cpp)\ntarget_link_libraries(s PRIVATE k)\n\
    set_target_properties(s PROPERTIES VERSION 1.2 SOVERSION 1)\n\
    add_executable(three \"../main file.cpp\")\ntarget_link_libraries(three PRIVATE s)\n";

const LINKS: [&str; 5] = [
    "Archive libk.a <- CMakeFiles/k.dir/k.cpp.o CMakeFiles/k.dir/made.cpp.o",
    "Executable one <- CMakeFiles/o.dir/o.cpp.o CMakeFiles/one.dir/main.cpp.o libk.a",
    "Executable sub/three <- sub/CMakeFiles/three.dir/__/main_file.cpp.o sub/libs.so.1.2",
    "Executable two <- CMakeFiles/o.dir/o.cpp.o CMakeFiles/two.dir/main.cpp.o libk.a",
    "SharedLibrary sub/libs.so.1.2 <- libk.a sub/CMakeFiles/s.dir/__/k.cpp.o",
];

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(more: &str) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        let source = |name: &str| format!("int {name}() {{ return 0; }}\n");
        write(
            &project.root(),
            &[
                ("CMakeLists.txt", &(LISTS.to_owned() + more)),
                ("sub/CMakeLists.txt", SUB),
                ("main.cpp", "int main() { return 0; }\n"),
                ("main file.cpp", "int main() { return 0; }\n"),
                ("o.cpp", &source("o")),
                ("k.cpp", &source("k")),
            ],
        );
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn build(&self) -> PathBuf {
        self.root().join("build")
    }

    fn configure(&self, generator: &str) {
        run(clean(Path::new("cmake"), &self.root()).args(["-S", ".", "-B", "build", "-G", generator])).ok();
    }

    /// As [`Self::configure`], with the question there before.
    fn configure_asked(&self, generator: &str) {
        let query = self.build().join(".cmake/api/v1/query/client-other/query.json");
        fs::create_dir_all(query.parent().unwrap()).unwrap();
        fs::write(query, "{\"requests\": [{\"kind\": \"codemodel\", \"version\": 2}]}").unwrap();
        self.configure(generator);
    }

    fn planned(&self) -> FolderPlans {
        FolderPlans::of_folders(BTreeSet::from([self.build()]), &DiskSnapshot::default())
    }

    /// `KIND OUTPUT <- INPUTS`, those in the build folder, in the order of their names.
    fn links(&self) -> Vec<String> {
        let build = self.build();
        let name = |path: &PathBuf| path.strip_prefix(&build).ok().map(|p| p.display().to_string());
        let mut links: Vec<String> = self
            .planned()
            .links
            .iter()
            .map(|link| {
                let mut inputs: Vec<String> = link.inputs.iter().filter_map(name).collect();
                inputs.sort();
                format!("{:?} {} <- {}", link.kind, name(&link.output).unwrap(), inputs.join(" "))
            })
            .collect();
        links.sort();
        links
    }

    /// Changes what the generator wrote, at the times at which it did.
    fn edit(&self, change: impl Fn(&Path, String) -> Option<String>) {
        for name in tree(&self.build()).into_keys().filter(|name| !name.ends_with('/') && !name.starts_with(".cmake/"))
        {
            let file = self.build().join(name);
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let written = file.metadata().unwrap().modified().unwrap();
            match change(&file, text) {
                Some(text) => {
                    fs::write(&file, text).unwrap();
                    File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
                }
                None => fs::remove_file(&file).unwrap(),
            }
        }
    }

    /// Takes away what the links can be read from without the File API.
    fn hide_links(&self) {
        self.edit(|file, text| (!file.ends_with("link.txt")).then(|| text.replace("_LINKER__", "_HIDDEN__")));
    }
}

/// The links of one configuration of several.
fn of_configuration(name: &str) -> Vec<String> {
    let folder = format!(".dir/{name}/");
    let in_folder = |path: &str| match path.rsplit_once('/') {
        Some((above, file)) => format!("{above}/{name}/{file}"),
        None => format!("{name}/{path}"),
    };
    let word = |word: &str| match word {
        "<-" => word.to_owned(),
        object if object.ends_with(".o") => object.replace(".dir/", &folder),
        kind if kind.starts_with(char::is_uppercase) => kind.to_owned(),
        linked => in_folder(linked),
    };
    LINKS
        .iter()
        .map(|line| {
            let (left, right) = line.split_once(" <- ").unwrap();
            let mut inputs: Vec<String> = right.split(' ').map(word).collect();
            inputs.sort();
            let left: Vec<String> = left.split(' ').map(word).collect();
            format!("{} <- {}", left.join(" "), inputs.join(" "))
        })
        .collect()
}

fn expected(generator: &str) -> Vec<String> {
    if generator != "Ninja Multi-Config" {
        return LINKS.map(str::to_owned).to_vec();
    }
    let mut all: Vec<String> = ["Debug", "Release", "RelWithDebInfo"].into_iter().flat_map(of_configuration).collect();
    all.sort();
    all
}

const GENERATORS: [&str; 3] = ["Ninja", "Unix Makefiles", "Ninja Multi-Config"];

#[test]
fn without_an_answer_the_generators_files_tell() {
    for generator in GENERATORS {
        let project = Project::new("");
        project.configure(generator);
        assert_eq!(project.links(), expected(generator), "{generator}");
        project.hide_links();
        assert_eq!(project.links(), [""; 0], "{generator}");
    }
}

#[test]
fn an_answer_alone_tells_the_same() {
    for generator in GENERATORS {
        let project = Project::new("");
        project.configure_asked(generator);
        assert_eq!(project.links(), expected(generator), "{generator}");
        project.hide_links();
        assert_eq!(project.links(), expected(generator), "{generator}");
    }
}

/// Links that are made by what only the project knows: a script, and launchers in a row.
#[test]
fn links_whose_commands_cannot_be_read() {
    for more in [
        "set(CMAKE_CXX_LINK_EXECUTABLE \"/bin/sh ${CMAKE_SOURCE_DIR}/join.sh <TARGET> <OBJECTS> <LINK_LIBRARIES>\")\n",
        "set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK \"env -u A -u B -u C -u D\")\n",
    ] {
        let project = Project::new(&format!("{more}set(CMAKE_CXX_USE_RESPONSE_FILE_FOR_OBJECTS 1)\n"));
        project.configure("Unix Makefiles");
        assert!(!project.links().iter().any(|l| l.starts_with("Executable one")), "{:?}", project.links());
        project.configure_asked("Unix Makefiles");
        assert_eq!(project.links(), LINKS, "{more}");
    }
}

#[test]
fn one_object_of_many_sources_and_headers_compiled_before() {
    for generator in GENERATORS {
        let more =
            "set_target_properties(k PROPERTIES UNITY_BUILD ON)\ntarget_precompile_headers(one PRIVATE <vector>)\n";
        let project = Project::new(&more.replace("k PROP", "k two PROP"));
        project.configure_asked(generator);
        let with_files = project.links();
        project.hide_links();
        assert_eq!(project.links(), with_files, "{generator}");
        assert!(project.links().iter().any(|l| l.contains("k.dir/") && l.contains("Unity/unity_0_cxx.cxx.o")));
    }
}

#[test]
fn an_old_answer_is_not_believed() {
    for generator in GENERATORS {
        let project = Project::new("");
        project.configure_asked(generator);
        fs::remove_dir_all(project.build().join(".cmake/api/v1/query")).unwrap();
        write(&project.root(), &[("CMakeLists.txt", &LISTS.replace("(two main.cpp", "(two main.cpp o.cpp"))]);
        project.configure(generator);
        let reply = project.build().join(".cmake/api/v1/reply");
        assert!(reply.is_dir(), "CMake leaves what nobody asks for any more");
        let links = project.links();
        assert!(links.iter().any(|l| l.contains("two.dir/") && l.contains("/o.cpp.o")), "{generator}: {links:?}");
        project.hide_links();
        assert_eq!(project.links(), [""; 0], "{generator}");
        // Nor where times tell nothing, as after a copy.
        for entry in fs::read_dir(&reply).unwrap() {
            let file = File::options().write(true).open(entry.unwrap().path()).unwrap();
            file.set_modified(SystemTime::now()).unwrap();
        }
        assert_eq!(project.links(), [""; 0], "{generator}: another object");
    }
}

/// Times that are all the same tell nothing, as after `touch -d` or in archives that are made to be the same every time.
#[test]
fn an_old_answer_is_not_believed_where_all_files_have_one_time() {
    for generator in GENERATORS {
        let project = Project::new("");
        project.configure_asked(generator);
        fs::remove_dir_all(project.build().join(".cmake/api/v1/query")).unwrap();
        // The objects of all targets stay what they were.
        let lists = fs::read_to_string(project.root().join("CMakeLists.txt")).unwrap();
        let other = lists.replace("target_link_libraries(one", "target_link_libraries(one PRIVATE m)\n# (");
        assert_ne!(lists, other);
        write(&project.root(), &[("CMakeLists.txt", &other)]);
        project.configure(generator);
        let links = project.links();
        assert_ne!(links, expected(generator), "{generator}");
        run(clean(Path::new("find"), &project.root()).args([".", "-exec", "touch", "-h", "-d", "@1", "{}", "+"])).ok();
        assert_eq!(project.links(), links, "{generator}");
    }
}

#[test]
fn an_answer_for_another_folder_or_a_damaged_one_is_none() {
    let project = Project::new("");
    project.configure_asked("Ninja");
    let elsewhere = project.root().join("elsewhere");
    run(clean(Path::new("cp"), &project.root()).args(["-a", "build", "elsewhere"])).ok();
    let moved = FolderPlans::of_folders(BTreeSet::from([elsewhere]), &DiskSnapshot::default());
    // The generator's own files name objects relative to themselves.
    assert!(moved.links.iter().all(|l| l.output.starts_with(project.root().join("elsewhere"))));
    project.hide_links();
    for entry in fs::read_dir(project.build().join(".cmake/api/v1/reply")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert!(project.links().is_empty() || path.to_str().unwrap().contains("directory-"), "{}", path.display());
        fs::write(&path, text).unwrap();
    }
    assert_eq!(project.links(), LINKS);
}

/// A folder that was configured before: CMake is asked, the build tool notices nothing, and the next configuration answers.
#[test]
fn a_folder_without_an_answer_has_one_after_the_next_configuration() {
    let project = Project::new("");
    project.configure("Ninja");
    run(clean(Path::new("cmake"), &project.root()).args(["--build", "build"])).ok();
    project.planned().ask_cmake();
    let again = run(clean(Path::new("ninja"), &project.build()).arg("-n")).ok();
    assert!(again.out().contains("no work to do"), "{}", again.out());
    assert_eq!(project.links(), LINKS);
    project.configure("Ninja");
    project.hide_links();
    assert_eq!(project.links(), LINKS);
}

/// `scuba build` of a first configuration, wherever its folder is named: CMake finds the question there.
#[test]
fn a_configuration_inside_scuba_build_answers_at_once() {
    let presets = r#"{"version": 3, "configurePresets": [
        {"name": "p", "generator": "Ninja", "binaryDir": "${sourceDir}/${presetName}/../build"}]}"#;
    let inside = "mkdir build && cd build && cmake -G Ninja ..";
    for words in [
        &["cmake", "-S", ".", "-B", "build", "-G", "Ninja"][..],
        &["cmake", "--preset", "p"],
        &["env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", inside],
    ] {
        let project = Project::new("");
        write(&project.root(), &[("CMakePresets.json", presets)]);
        let mut build = clean(Path::new(env!("CARGO_BIN_EXE_scuba")), &project.root());
        let said = run(build.args(["build", "--"]).args(words));
        assert!(project.build().join("build.ninja").is_file(), "{words:?}: {}", said.err());
        project.hide_links();
        assert_eq!(project.links(), LINKS, "{words:?}");
        // Nothing else is there that CMake alone does not leave, and nothing where it tries compilers out.
        let ours: Vec<String> = tree(&project.build()).into_keys().filter(|f| f.contains(".cmake/api")).collect();
        assert!(ours.iter().all(|f| f.starts_with(".cmake/api/")), "{ours:?}");
    }
    // A CMake that configures nothing leaves nothing.
    let project = Project::new("");
    let mut build = clean(Path::new(env!("CARGO_BIN_EXE_scuba")), &project.root());
    run(build.args(["build", "--", "cmake", "--build", "none"]));
    assert!(!project.root().join("none").exists() && !project.root().join(".cmake").exists());
}

/// A folder that cannot be written is configured as it would be.
#[test]
fn where_the_question_cannot_be_put_nothing_is_said() {
    let project = Project::new("");
    fs::create_dir_all(project.build()).unwrap();
    fs::write(project.build().join(".cmake"), "a file").unwrap();
    let mut build = clean(Path::new(env!("CARGO_BIN_EXE_scuba")), &project.root());
    let said = run(build.args(["build", "--", "cmake", "-S", ".", "-B", "build", "-G", "Ninja"]));
    assert!(said.out().contains("Generating done") && !said.err().contains(".cmake"), "{}", said.err());
    project.planned().ask_cmake();
    assert_eq!(project.links(), LINKS);
    assert!(project.planned().links.iter().any(|l| l.kind == LinkKind::Executable));
}
