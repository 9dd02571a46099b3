use super::{FactStore, key_of};
use crate::{LinkFacts, Recipe, ReportedFinding, Symbols, UnitFacts, UnitWithCode};
use base::rules::Level;
use files::FileTime;
use ir::{Module, Side};
use nvcc::request::{Link, LinkKind};
use nvcc::unit::{Language, TranslationUnit};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn translation_unit(output: Option<&Path>) -> TranslationUnit {
    TranslationUnit {
        output: output.map(Path::to_owned),
        architectures: vec![80],
        command: vec!["-c".into(), "a.cu".into()],
        ..TranslationUnit::plain("a.cu".into(), "/src".into(), Language::Cuda)
    }
}

fn unit(output: &Path) -> UnitWithCode {
    let unit = translation_unit(Some(output));
    let module = Module {
        side: Side::Device,
        source: "/src/a.cu".into(),
        producer: "clang".into(),
        arch: "sm_80".into(),
        asserts_restored: false,
        relocatable: false,
        doubts: vec![],
        types: vec![],
        files: vec![],
        locs: vec![],
        globals: vec![],
        functions: vec![],
    };
    let facts = UnitFacts {
        key: key_of(&unit, None),
        unit,
        dependencies: vec![].into(),
        recipe: Recipe::default(),
        maker: None,
        pending: false,
        built_without: false,
        symbols: Symbols::default(),
        not_analysed: vec![],
        producers: vec!["clang".into()],
        notes: vec![],
        unseen: None,
        denied: false,
        told: vec![],
    };
    UnitWithCode { facts, modules: vec![Arc::new(module)], second: None }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn units_and_links_come_back_and_replace_those_of_the_same_output() {
    let dir = tempfile::tempdir().unwrap();
    let store = FactStore::new(dir.path().join(".scuba"));
    assert!(store.read().unwrap().units.is_empty(), "a store need not exist");
    let first = unit(&dir.path().join("a.o"));
    store.write_unit(&first).unwrap();
    let mut again = first.clone();
    again.facts.unit.architectures = vec![90];
    store.write_unit(&again).unwrap();
    store.write_unit(&unit(&dir.path().join("b.o"))).unwrap();
    let link = LinkFacts {
        link: Link { kind: LinkKind::Executable, output: dir.path().join("app"), inputs: vec![dir.path().join("a.o")] },
        units: vec![first.facts.key.clone()],
    };
    store.write_link(&link).unwrap();
    store.write_link(&link).unwrap();

    let contents = store.read().unwrap();
    assert_eq!(contents.units.len(), 2);
    assert!(contents.units.contains(&again.facts));
    assert_eq!(contents.links, [link]);
    assert!(contents.ignored.is_empty());
    let modules = store.modules(&first.facts.key).unwrap();
    assert_eq!((modules.len(), modules[0].arch.as_str()), (1, "sm_80"));
    assert_eq!(std::fs::read_to_string(dir.path().join(".scuba/.gitignore")).unwrap(), "*\n");
}

#[test]
fn a_file_that_cannot_be_used_costs_one_line_and_itself() {
    let dir = tempfile::tempdir().unwrap();
    let store = FactStore::new(dir.path().join(".scuba"));
    for name in ["a.o", "b.o", "c.o", "d.o"] {
        store.write_unit(&unit(&dir.path().join(name))).unwrap();
    }
    let units = files(&dir.path().join(".scuba/units"));
    let good = std::fs::read(&units[0]).unwrap();
    std::fs::write(&units[0], &good[..good.len() / 2]).unwrap();
    std::fs::write(&units[1], "nothing of ours").unwrap();
    let mut other = good;
    other[8] ^= 0xff;
    std::fs::write(&units[2], other).unwrap();
    // A writer that died left this file.
    std::fs::write(dir.path().join(".scuba/units/.writing-x"), "half").unwrap();

    let contents = store.read().unwrap();
    assert_eq!(contents.units.len(), 1);
    assert_eq!(contents.ignored.len(), 3, "{:?}", contents.ignored);
    for (line, what) in contents.ignored.iter().zip(["damaged", "not a fact file", "version"]) {
        assert!(line.contains(what) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn verdicts_are_kept_with_the_code() {
    let dir = tempfile::tempdir().unwrap();
    let store = FactStore::new(dir.path().join(".scuba"));
    let unit = unit(&dir.path().join("a.o"));
    let before = FileTime::now();
    store.write_unit(&unit).unwrap();
    let told = |f: &str| ReportedFinding { fingerprint: f.into(), level: Level::Warn };
    store.note_verdict(&unit.facts.key, true, &[told("ff"), told("aa")]).unwrap();
    store.note_verdict(&unit.facts.key, true, &[told("aa")]).unwrap();
    let facts = store.read().unwrap().units.remove(0);
    assert!(facts.denied);
    assert_eq!(facts.told, [told("aa"), told("ff")]);
    assert!(
        facts.told[0].covers("aa", Level::Note)
            && facts.told[0].covers("aa", Level::Warn)
            && !facts.told[0].covers("aa", Level::Deny)
    );
    assert!(
        store.was_written_since(&unit.facts.key, before) && !store.was_written_since(Path::new("/no/such.o"), before)
    );
    assert_eq!(store.modules(&unit.facts.key).unwrap().len(), 1);
    assert!(store.note_verdict(Path::new("/no/such.o"), true, &[]).is_err());
}

#[test]
fn keys_are_canonical_outputs_and_tell_units_of_one_command_apart() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap().join("real");
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("linked")).unwrap();
    let through_link = translation_unit(Some(&dir.path().join("linked/a.o")));
    assert_eq!(key_of(&through_link, None), real.join("a.o"), "before the output exists");
    std::fs::write(real.join("a.o"), "").unwrap();
    assert_eq!(key_of(&through_link, None), real.join("a.o"));

    let link = Link { kind: LinkKind::Executable, output: real.join("app"), inputs: vec![] };
    let mut other = translation_unit(None);
    other.source = "b.cu".into();
    let keys = [key_of(&translation_unit(None), Some(&link)), key_of(&other, Some(&link)), key_of(&other, None)];
    assert!(keys[0].starts_with(&real) && keys[0] != keys[1] && keys[1] != keys[2], "{keys:?}");
}

#[test]
fn facts_that_were_moved_are_not_taken_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let store = FactStore::new(dir.path().join("a/.scuba"));
    store.write_unit(&unit(&dir.path().join("a.o"))).unwrap();
    store.write_link(&archive(&dir.path().join("lib.a"), &[])).unwrap();
    std::fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
    let store = FactStore::new(dir.path().join("b/.scuba"));
    // Another name of the same folder does not count as a move.
    std::os::unix::fs::symlink(dir.path().join("b"), dir.path().join("a")).unwrap();
    let contents = store.read().unwrap();
    assert_eq!(
        (contents.units.len(), contents.links.len(), contents.ignored.len(), contents.moved.len()),
        (0, 0, 0, 2)
    );
    store.remove([], [], &contents);
    assert!(
        files(&dir.path().join("b/.scuba/units")).is_empty() && files(&dir.path().join("b/.scuba/links")).is_empty()
    );
    store.write_unit(&unit(&dir.path().join("a.o"))).unwrap();
    assert_eq!(FactStore::new(dir.path().join("a/.scuba")).read().unwrap().units.len(), 1);
}

#[test]
fn what_is_forgotten_is_gone_with_what_dead_writers_left() {
    let dir = tempfile::tempdir().unwrap();
    let store = FactStore::new(dir.path().join(".scuba"));
    for name in ["a.o", "b.o"] {
        store.write_unit(&unit(&dir.path().join(name))).unwrap();
    }
    let (fresh, old) = (dir.path().join(".scuba/units/.writing-1"), dir.path().join(".scuba/units/.writing-2"));
    for file in [&fresh, &old] {
        std::fs::write(file, "half").unwrap();
    }
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100_000);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(past).unwrap();
    store.remove([dir.path().canonicalize().unwrap().join("a.o").as_path()], [], &store.read().unwrap());
    assert_eq!(store.read().unwrap().units.len(), 1);
    assert!(fresh.exists() && !old.exists());
}

fn archive(output: &Path, inputs: &[PathBuf]) -> LinkFacts {
    LinkFacts {
        link: Link { kind: LinkKind::Archive, output: output.to_owned(), inputs: inputs.to_vec() },
        units: vec![],
    }
}

#[test]
fn an_archive_keeps_the_members_that_earlier_commands_put_there() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().canonicalize().unwrap().join(name);
    for name in ["a.o", "b.o", "c.o"] {
        std::fs::write(at(name), name).unwrap();
    }
    let store = FactStore::new(at(".scuba"));
    let ar = |names: &[&str]| {
        let objects: Vec<PathBuf> = names.iter().map(|n| at(n)).collect();
        assert!(std::process::Command::new("ar").arg("rc").arg(at("lib.a")).args(&objects).status().unwrap().success());
        store.write_link(&archive(&at("lib.a"), &objects)).unwrap();
        store.read().unwrap().links.remove(0).link.inputs
    };
    ar(&["a.o", "b.o"]);
    assert_eq!(ar(&["c.o"]), [at("c.o"), at("a.o"), at("b.o")]);
    std::fs::remove_file(at("lib.a")).unwrap();
    assert_eq!(ar(&["b.o"]), [at("b.o")], "made anew");
}
