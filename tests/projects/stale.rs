//! Files whose size and time say that nothing changed: what they hold decides, for the reading that is kept, for facts, and for commands
//! of the build.

use super::support::{Project, Said, Way};
use scuba::files::{FileTime, Stamp};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn project() -> Project {
    Project::new("stale").cached()
}

fn touch(arguments: &[&str], path: &Path) {
    assert!(Command::new("touch").args(arguments).arg(path).status().unwrap().success());
}

/// Waits until the clock of file times has passed the file's last change: what is read before is not settled, since the
/// file may change again without another time, and it is read once more.
fn settle(path: &Path) {
    while Stamp::at(path).unwrap().changed_since(FileTime::now()) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Project {
    /// Other text of as many bytes, with the time of what was there.
    #[track_caller]
    fn replace_unseen(&self, name: &str, from: &str, to: &str) {
        assert_eq!(from.len(), to.len());
        let (path, model) = (self.root().join(name), self.root().join("model"));
        std::fs::write(&model, "").unwrap();
        touch(&["-r", path.to_str().unwrap()], &model);
        self.replace(name, from, to);
        touch(&["-r", model.to_str().unwrap()], &path);
        assert_eq!(path.metadata().unwrap().modified().unwrap(), model.metadata().unwrap().modified().unwrap());
    }

    /// Has the build make one unit's object again and what is made of it, and nothing else.
    fn build_again(&self, way: Way, unit: &str) -> Said {
        self.remake(way, unit, false)
    }

    /// The same of the object alone.
    fn compile_again(&self, way: Way, unit: &str) -> Said {
        self.remake(way, unit, true)
    }

    fn remake(&self, way: Way, unit: &str, alone: bool) -> Said {
        let folder = self.build_folder(way);
        if way == Way::Make {
            let object = format!("build/{unit}.o");
            std::fs::remove_file(folder.join(&object)).unwrap();
            return self.make(1, "", if alone { &object } else { "all" });
        }
        std::fs::remove_file(folder.join(format!("CMakeFiles/app.dir/{unit}.cu.o"))).unwrap();
        // Without a configuration, which would write the folder's files again.
        let target = if alone { format!("{unit}.cu.o") } else { "all".into() };
        self.command("cmake").arg("--build").arg(&folder).args(["--target", &target]).output().unwrap().into()
    }

    /// What the last check or build counted.
    fn counts(&self, what: &str) -> u64 {
        let said = self.scuba(&["stats", "--format", "json"]).status(0);
        let stats: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        stats["builds"].as_array().unwrap().last().unwrap()["counts"][what].as_u64().unwrap()
    }
}

#[track_caller]
fn denied(said: &Said) {
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

/// A change that makes the kernel write one element too many; whoever comes first must see it.
fn is_seen(change: impl Fn(&Project)) {
    let project = project();
    project.build(Way::Make, 1, "").status(0).without_findings();
    project.scuba(&["check"]).status(0).without_findings();
    change(&project);
    // What was read of the unit is not taken for what it is now.
    denied(&project.scuba(&["check"]));
    denied(&project.build_again(Way::Make, "main"));

    let project = self::project();
    project.build(Way::Make, 1, "").status(0);
    change(&project);
    // The other unit's facts are old, and it is waited for.
    project.build_again(Way::Make, "main").status(0).without_findings();
    denied(&project.build_again(Way::Make, "k"));
}

#[test]
fn a_header_of_equal_size_and_time() {
    is_seen(|project| project.replace_unseen("reach.h", "REACH 64", "REACH 65"));
}

#[test]
fn a_source_of_equal_size_and_time() {
    is_seen(|project| project.replace_unseen("k.cu", "x + 0]", "x + 1]"));
}

/// As `cp -p`, `rsync -t` and many installers do: the file comes from elsewhere with its time, under the same name.
#[test]
fn a_header_that_another_of_equal_size_and_time_replaces() {
    is_seen(|project| {
        let root = project.root();
        std::fs::write(root.join("other.h"), project.read("reach.h").replace("REACH 64", "REACH 65")).unwrap();
        touch(&["-r", root.join("reach.h").to_str().unwrap()], &root.join("other.h"));
        std::fs::rename(root.join("other.h"), root.join("reach.h")).unwrap();
    });
}

#[test]
fn a_link_that_leads_to_another_file_of_equal_size_and_time() {
    let project = project();
    let root = project.root();
    for (folder, reach) in [("one", "REACH 64"), ("two", "REACH 65")] {
        project.write(&format!("{folder}/reach.h"), &project.read("reach.h").replace("REACH 64", reach));
        touch(&["-d", "@1000000000"], &root.join(folder).join("reach.h"));
    }
    let lead_to = |folder: &str| {
        let _ = std::fs::remove_file(root.join("reach.h"));
        std::os::unix::fs::symlink(format!("{folder}/reach.h"), root.join("reach.h")).unwrap();
    };
    lead_to("one");
    project.build(Way::Make, 1, "").status(0).without_findings();
    lead_to("two");
    denied(&project.scuba(&["check"]));
    lead_to("one");
    project.scuba(&["check"]).status(0).without_findings();
    lead_to("two");
    denied(&project.build_again(Way::Make, "k"));
}

/// As in Nix's store, and in archives that are made to be the same every time.
#[test]
fn files_that_all_have_one_time() {
    let project = project();
    let level = || {
        let all =
            Command::new("find").arg(project.root()).args(["-exec", "touch", "-h", "-d", "@1", "{}", "+"]).status();
        assert!(all.unwrap().success());
    };
    level();
    project.build(Way::Make, 1, "").status(0).without_findings();
    level();
    project.scuba(&["check"]).status(0).without_findings();
    assert_eq!(project.counts("read"), 0, "what files hold decides in this direction, too");
    project.replace("reach.h", "REACH 64", "REACH 65");
    level();
    denied(&project.scuba(&["check"]));
    project.replace("reach.h", "REACH 65", "REACH 64");
    level();
    project.scuba(&["check"]).status(0).without_findings();
    project.build_again(Way::Make, "k").status(0).without_findings();
}

const BEFORE: &str = "-DCOUNT=64 -DREACH=64";
const AFTER: &str = "-DCOUNT=32 -DREACH=32";

/// Flags that change both units: old facts of one are not joined with new ones of the other.
fn flags_are_seen(project: &Project, way: Way, file: &str) {
    project.replace_unseen(file, BEFORE, AFTER);
    project.compile_again(way, "main").status(0).without_findings();
    project.build_again(way, "k").status(0).without_findings();
    project.scuba(&["check"]).status(0).without_findings();
}

#[test]
fn a_makefile_of_equal_size_and_time() {
    let project = project();
    project.replace("Makefile", "-DNOTHING=64", BEFORE);
    project.build(Way::Make, 1, "").status(0).without_findings();
    flags_are_seen(&project, Way::Make, "Makefile");
}

#[test]
fn flags_of_cmake_of_equal_size_and_time() {
    let project = project();
    project.build(Way::CMakeMake, 1, "COUNT=64;REACH=64").status(0).without_findings();
    flags_are_seen(&project, Way::CMakeMake, "make/CMakeFiles/app.dir/flags.make");
}

/// What nobody touched is neither read by a front end nor compared by what it holds; what was touched alone is compared once.
#[test]
fn files_are_compared_only_after_they_were_touched_and_once() {
    let project = project();
    project.build(Way::Make, 1, "").status(0).without_findings();
    let check = |files: Option<u64>| {
        project.scuba(&["check"]).status(0).without_findings();
        assert_eq!(project.counts("read"), 0);
        if let Some(files) = files {
            assert_eq!(project.counts("compared"), files);
        }
    };
    // What is as old as the build may be compared once.
    check(None);
    check(Some(0));
    let own = ["k.cu", "main.cu", "reach.h", "size.h"];
    for name in own {
        let path = project.root().join(name);
        let before = path.metadata().unwrap().modified().unwrap();
        touch(&["-d", "@1000000000"], &path);
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(before).unwrap();
        settle(&path);
    }
    check(Some(own.len() as u64));
    check(Some(0));
    // A folder that keeps nothing loses nothing.
    let cache = project.root().join("cache");
    let read_only = |yes: bool| {
        let status = Command::new("chmod").args(["-R", if yes { "a-w" } else { "u+w" }]).arg(&cache).status();
        assert!(status.unwrap().success());
    };
    read_only(true);
    for name in own {
        touch(&[], &project.root().join(name));
        settle(&project.root().join(name));
    }
    check(None);
    read_only(false);
    check(None);
    check(Some(0));
}
