use super::ProgramPlan;
use crate::generated::FolderPlans;
use crate::{LinkFacts, LinkSymbol, Recipe, Symbols, UnderivedInputs, UnitFacts};
use nvcc::request::{Link, LinkKind};
use nvcc::unit::{Language, TranslationUnit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn symbols(names: &[&str]) -> Vec<LinkSymbol> {
    let mut all: Vec<LinkSymbol> = names.iter().map(|n| LinkSymbol { device: false, name: (*n).to_owned() }).collect();
    all.sort();
    all
}

fn unit(key: &str, strong: &[&str], needed: &[&str]) -> UnitFacts {
    let source = Path::new(key).file_stem().unwrap().to_string_lossy().into_owned();
    UnitFacts {
        key: key.into(),
        unit: TranslationUnit {
            output: Some(key.into()),
            ..TranslationUnit::plain(source.into(), "/src".into(), Language::Cuda)
        },
        dependencies: vec![].into(),
        recipe: Recipe::default(),
        maker: None,
        pending: false,
        built_without: false,
        symbols: Symbols { strong: symbols(strong), weak: vec![], needed: symbols(needed) },
        not_analysed: vec![],
        producers: vec![],
        notes: vec![],
        unseen: None,
        denied: false,
        told: vec![],
    }
}

fn link(kind: LinkKind, output: &str, inputs: &[&str]) -> LinkFacts {
    LinkFacts {
        link: Link { kind, output: output.into(), inputs: inputs.iter().map(PathBuf::from).collect() },
        units: vec![],
    }
}

/// Returns the fields by which tests compare plans, and checks that units are sorted by their keys.
fn programs(units: &[UnitFacts], links: &[LinkFacts]) -> Vec<(String, Vec<usize>)> {
    let plans = super::programs(units, links);
    assert!(plans.iter().all(|p| p.units.is_sorted_by_key(|&i| &units[i].key)));
    plans.into_iter().map(|p| (p.name, p.units.into_iter().collect::<BTreeSet<_>>().into_iter().collect())).collect()
}

fn plan(name: &str, units: &[usize]) -> (String, Vec<usize>) {
    (name.to_owned(), units.to_vec())
}

#[test]
fn a_main_is_joined_with_what_defines_its_symbols_and_theirs() {
    let units = [
        unit("/b/main.cu.o", &["main"], &["run", "printf"]),
        unit("/b/run.cu.o", &["run"], &["deep"]),
        unit("/b/deep.cu.o", &["deep"], &[]),
        unit("/b/other.cu.o", &["other"], &[]),
    ];
    assert_eq!(programs(&units, &[]), [plan("main", &[0, 1, 2]), plan("other", &[3])]);
}

#[test]
fn two_mains_never_meet_and_share_what_both_need() {
    let units = [
        unit("/b/one.cu.o", &["main", "run"], &["lib"]),
        unit("/b/two.cu.o", &["main"], &["lib", "run"]),
        unit("/b/lib.cu.o", &["lib"], &[]),
    ];
    // The `run` of the first program is not visible to the second.
    assert_eq!(programs(&units, &[]), [plan("one", &[0, 2]), plan("two", &[1, 2])]);
}

#[test]
fn a_symbol_with_two_definitions_is_not_joined() {
    let units = [
        unit("/b/main.cu.o", &["main"], &["run"]),
        unit("/b/fast.cu.o", &["run"], &[]),
        unit("/b/slow.cu.o", &["run"], &[]),
    ];
    assert_eq!(programs(&units, &[]), [plan("main", &[0]), plan("fast", &[1]), plan("slow", &[2])]);
}

#[test]
fn a_strong_definition_beats_weak_ones_and_one_weak_is_taken() {
    let mut units = [
        unit("/b/main.cu.o", &["main"], &["f", "g"]),
        unit("/b/a.cu.o", &["f"], &[]),
        unit("/b/b.cu.o", &[], &[]),
        unit("/b/c.cu.o", &[], &[]),
    ];
    units[2].symbols.weak = symbols(&["f"]);
    units[3].symbols.weak = symbols(&["g"]);
    assert_eq!(programs(&units, &[]), [plan("main", &[0, 1, 3]), plan("b", &[2])]);
}

#[test]
fn the_link_decides_where_it_was_seen() {
    let units = [
        unit("/b/main.cu.o", &["main"], &["run"]),
        unit("/b/fast.cu.o", &["run"], &[]),
        unit("/b/slow.cu.o", &["run"], &[]),
        unit("/b/unused.cu.o", &["unused"], &[]),
        unit("/b/plugin.cu.o", &["plugin"], &["run"]),
    ];
    let links = [
        link(LinkKind::Archive, "/b/liball.a", &["/b/slow.cu.o", "/b/unused.cu.o"]),
        link(LinkKind::DeviceLink, "/b/dlink.o", &["/b/main.cu.o", "/b/liball.a"]),
        link(LinkKind::Executable, "/b/app", &["/b/main.cu.o", "/b/dlink.o", "/b/liball.a"]),
        link(LinkKind::SharedLibrary, "/b/libplugin.so", &["/b/plugin.cu.o", "/b/fast.cu.o"]),
    ];
    // The archive contributes only the needed members; no program of the build uses the shared library.
    assert_eq!(programs(&units, &links), [plan("app", &[0, 2]), plan("libplugin.so", &[1, 4]), plan("unused", &[3])]);
}

#[test]
fn what_the_build_makes_of_units_is_not_besides_them() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let at = |name: &str| root.join(name).to_string_lossy().into_owned();
    let units = [
        unit(&at("main.cpp.o"), &["main"], &["run"]),
        unit(&at("run.cu.o"), &["run"], &[]),
        unit(&at("unused.cu.o"), &["unused"], &[]),
    ];
    let made = |kind, output: &str, inputs: &[&str]| {
        let inputs: Vec<String> = inputs.iter().map(|i| at(i)).collect();
        link(kind, &at(output), &inputs.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let besides = |links: &[LinkFacts]| {
        let plan = super::programs(&units, links).remove(0);
        assert_eq!(plan.name, "app");
        let found = UnderivedInputs::of(&plan, &units.iter().collect::<Vec<_>>(), links);
        let names = |all: Vec<PathBuf>| {
            let names = all.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned());
            names.collect::<Vec<_>>().join(" ")
        };
        (names(found.files), names(found.missing))
    };
    let app = |inputs: &[&str]| made(LinkKind::Executable, "app", inputs);
    // A denied build made none of these files.
    let archive = made(LinkKind::Archive, "librun.a", &["run.cu.o", "unused.cu.o"]);
    let device = made(LinkKind::DeviceLink, "cmake_device_link.o", &["main.cpp.o", "librun.a"]);
    let links = [archive, device, app(&["main.cpp.o", "cmake_device_link.o", "librun.a", "libm.a", "seen.o"])];
    assert_eq!(besides(&links), (String::new(), "libm.a seen.o".into()));
    // A successful build made all of them.
    for name in ["run.cu.o", "librun.a", "cmake_device_link.o", "libm.a", "seen.o", "more.o"] {
        std::fs::write(root.join(name), name).unwrap();
    }
    assert_eq!(besides(&links), ("libm.a seen.o".into(), String::new()));
    // An archive contributes the members that are no unit's; relocatable objects contain more than units.
    let mixed = made(LinkKind::Archive, "librun.a", &["run.cu.o", "more.o", "gone.o"]);
    let part = made(LinkKind::Relocatable, "part.o", &["main.cpp.o", "seen.o"]);
    assert_eq!(besides(&[mixed, part, app(&["part.o", "librun.a"])]), ("seen.o more.o".into(), "gone.o".into()));
    // Archives without a known link are identified by their members.
    for (name, members) in [("libown.a", &["run.cu.o"][..]), ("libboth.a", &["run.cu.o", "more.o"])] {
        let mut ar = std::process::Command::new("ar");
        assert!(ar.current_dir(&root).arg("rcs").arg(name).args(members).status().unwrap().success());
    }
    assert_eq!(besides(&[app(&["main.cpp.o", "libown.a", "libboth.a"])]), ("libboth.a".into(), String::new()));
}

#[test]
fn a_program_is_meant_by_its_name_its_file_and_what_goes_into_it() {
    let units = [unit("/b/main.cu.o", &["main"], &["run"]), unit("/b/run.cu.o", &["run"], &[])];
    let links = [
        link(LinkKind::Archive, "/b/librun.a", &["/b/run.cu.o"]),
        link(LinkKind::Executable, "/b/app", &["/b/main.cu.o", "/b/librun.a"]),
    ];
    let plan = super::programs(&units, &links).remove(0);
    for meant in ["/b/app", "/b/librun.a", "app"] {
        assert!(plan.is_meant(Path::new(meant)), "{meant}");
    }
    for other in ["/c/app", "/b/main.cu.o", "ap"] {
        assert!(!plan.is_meant(Path::new(other)), "{other}");
    }
}

#[test]
fn a_program_takes_in_the_shared_library_it_is_linked_with() {
    let units = [unit("/b/main.cu.o", &["main"], &["run"]), unit("/b/run.cu.o", &["run"], &[])];
    let links = [
        link(LinkKind::SharedLibrary, "/b/librun.so", &["/b/run.cu.o"]),
        link(LinkKind::Executable, "/b/app", &["/b/main.cu.o", "/b/librun.so"]),
    ];
    assert_eq!(programs(&units, &links), [plan("app", &[0, 1])]);
}

#[test]
fn units_compiled_and_linked_in_one_command_belong_to_its_output() {
    let units = [unit("/b/app#/src/main.cu", &["main"], &["run"]), unit("/b/app#/src/run.cu", &["run"], &[])];
    let mut app = link(LinkKind::Executable, "/b/app", &[]);
    app.units = units.iter().map(|u| u.key.clone()).collect();
    assert_eq!(programs(&units, &[app]), [plan("app", &[0, 1])]);
}

#[test]
fn cmake_folders_tell_targets_apart() {
    let units = [
        unit("/b/CMakeFiles/one.dir/main.cu.o", &["main"], &["run"]),
        unit("/b/CMakeFiles/one.dir/run.cu.o", &["run"], &[]),
        unit("/b/CMakeFiles/one.dir/registry.cu.o", &["registry"], &[]),
        unit("/b/CMakeFiles/two.dir/main.cu.o", &["main"], &["run"]),
        unit("/b/CMakeFiles/two.dir/run.cu.o", &["run"], &[]),
    ];
    assert_eq!(programs(&units, &[]), [plan("one", &[0, 1, 2]), plan("two", &[3, 4])]);
}

#[test]
fn libraries_without_a_main_are_grouped_by_what_they_need() {
    let units = [
        unit("/b/api.cu.o", &["api"], &["impl"]),
        unit("/b/impl.cu.o", &["impl"], &[]),
        unit("/b/alone.cu.o", &["alone"], &["missing"]),
    ];
    assert_eq!(programs(&units, &[]), [plan("api", &[0, 1]), plan("alone", &[2])]);
}

#[test]
fn archives_that_nobody_recorded_are_recognised_by_their_members() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let at = |name: &str| dir.join(name).to_string_lossy().into_owned();
    for name in ["main.o", "fast.o", "slow.o"] {
        std::fs::write(dir.join(name), name).unwrap();
    }
    let made = std::process::Command::new("ar").arg("cr").args([at("lib.a"), at("slow.o")]).status().unwrap();
    assert!(made.success());
    let units = [
        unit(&at("main.o"), &["main"], &["run"]),
        unit(&at("fast.o"), &["run"], &[]),
        unit(&at("slow.o"), &["run"], &[]),
    ];
    let links = [link(LinkKind::Executable, &at("app"), &[&at("main.o"), &at("lib.a")])];
    assert_eq!(programs(&units, &links), [plan("app", &[0, 2]), plan("fast", &[1])]);
}

#[test]
fn a_link_that_is_planned_counts_before_and_instead_of_one_that_was_seen() {
    let units = [
        unit("/b/main.cu.o", &["main"], &["run"]),
        unit("/b/fast.cu.o", &["run"], &[]),
        unit("/b/slow.cu.o", &["run"], &[]),
    ];
    let seen = link(LinkKind::Executable, "/b/app", &["/b/main.cu.o", "/b/slow.cu.o"]);
    let made = |inputs: &[&str]| FolderPlans {
        links: vec![link(LinkKind::Executable, "/b/app", inputs).link],
        ..FolderPlans::default()
    };
    let plans = |planned: &FolderPlans| super::programs(&units, &super::links(vec![seen.clone()], planned));
    assert_eq!(plans(&FolderPlans::default())[0].units, [0, 2]);
    let now = plans(&made(&["/b/main.cu.o", "/b/fast.cu.o", "/b/cxx.cpp.o"]));
    let expected = ProgramPlan {
        name: "app".into(),
        units: vec![1, 0],
        output: Some("/b/app".into()),
        unknown_objects: true,
        ..ProgramPlan::default()
    };
    assert_eq!(now[0], expected);
    assert!(plans(&made(&["/b/main.cu.o", "/b/later.cu.o"]))[0].incomplete);
    assert!(!plans(&made(&["/b/main.cu.o", "/b/lib.a"]))[0].unknown_objects);
}

#[test]
fn ten_thousand_units_are_grouped_at_once() {
    let name = |i: usize| format!("f{i}");
    let units: Vec<UnitFacts> =
        (0..10_000).map(|i| unit(&format!("/b/u{i}.o"), &[&name(i)], &[&name(i + 1), &name(i / 2)])).collect();
    let start = std::time::Instant::now();
    assert_eq!(programs(&units, &[]).len(), 1);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// A unit that is compiled and linked at once has no object, and no known symbols before it is read.
#[test]
fn what_shows_no_symbols_may_need_any_member_of_an_archive() {
    let main = UnitFacts { pending: true, ..unit("/b/app#/s/main.cpp", &[], &[]) };
    let units = [main, unit("/b/run.o", &["run"], &["make"]), unit("/b/make.o", &["make"], &[])];
    let mut links = [
        link(LinkKind::Archive, "/b/libx.a", &["/b/run.o", "/b/make.o"]),
        link(LinkKind::Executable, "/b/app", &["/b/libx.a"]),
    ];
    links[1].units.push("/b/app#/s/main.cpp".into());
    assert_eq!(programs(&units, &links), [plan("app", &[0, 1, 2])]);
}
