//! The same document every time: whatever the number of threads, the load, the clock, the folder, the order of the units and what
//! caches hold.
//!
//! `cargo test --test repeat` takes five programs of `tests/ui`; with `SCUBA_REPEAT=40` so many, spread over all of them; with
//! `SCUBA_REPEAT_DIR=FOLDER` the `.cu` files of that folder, each as a program of its own (as many as `SCUBA_REPEAT` says). A program
//! is checked as it is with one thread first; every other way of checking it must give the same document but for `seconds`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Programs that are checked where nothing else is asked for: loops, replays, several units, what is undecided, a solver that gives up.
const FEW: [&str; 5] = [
    "oob-global/row_starts.cu",
    "clean/vectors_by_iterators.cu",
    "index-overflow/one_for_all.cu",
    "undecided/threads_meet.cu",
    "report/two_units.cu",
];

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

/// A program: its sources, relative to its project, and nvcc's flags.
#[derive(Debug)]
struct Program {
    project: PathBuf,
    folder: PathBuf,
    sources: Vec<String>,
    flags: Vec<String>,
}

impl Program {
    fn name(&self) -> String {
        self.folder.join(&self.sources[0]).display().to_string()
    }

    /// One of `tests/ui`, with what its first lines say.
    fn of_ui(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let words = |key: &str| -> Vec<String> {
            text.lines()
                .filter_map(|l| l.strip_prefix("//@")?.trim().strip_prefix(key))
                .flat_map(|v| shlex::split(v).unwrap())
                .collect()
        };
        let own = path.file_name().unwrap().to_string_lossy().into_owned();
        let sources = std::iter::once(own).chain(words("with:")).collect();
        Self {
            project: ui(),
            folder: path.parent().unwrap().strip_prefix(ui()).unwrap().to_owned(),
            sources,
            flags: words("flags:"),
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "cu") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// So many of them, spread evenly.
fn spread<T>(all: Vec<T>, n: usize) -> Vec<T> {
    let len = all.len();
    all.into_iter()
        .enumerate()
        .filter(|(i, _)| n >= len || (i * n) / len != ((i + 1) * n) / len)
        .map(|(_, t)| t)
        .collect()
}

fn programs() -> Vec<Program> {
    let n: Option<usize> = std::env::var("SCUBA_REPEAT").ok().map(|n| n.parse().expect("SCUBA_REPEAT is a number"));
    if let Some(dir) = std::env::var_os("SCUBA_REPEAT_DIR") {
        let project = PathBuf::from(dir).canonicalize().unwrap();
        return spread(files(&project), n.unwrap_or(40))
            .into_iter()
            .map(|f| Program {
                folder: f.parent().unwrap().strip_prefix(&project).unwrap().to_owned(),
                sources: vec![f.file_name().unwrap().to_string_lossy().into_owned()],
                flags: vec!["-std=c++17".into()],
                project: project.clone(),
            })
            .collect();
    }
    match n {
        // Helpers of other programs are no programs.
        Some(n) => spread(
            files(&ui()).into_iter().filter(|f| std::fs::read_to_string(f).unwrap().contains("main(")).collect(),
            n,
        )
        .iter()
        .map(|f| Program::of_ui(f))
        .collect(),
        None => FEW.iter().map(|f| Program::of_ui(&ui().join(f))).collect(),
    }
}

/// One way of checking a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    Threads,
    Busy,
    SlowedDown,
    Elsewhere,
    OtherOrder,
    Cold,
    Warm,
    WarmThreads,
}

const WAYS: [Way; 8] =
    [Way::Threads, Way::Busy, Way::SlowedDown, Way::Elsewhere, Way::OtherOrder, Way::Cold, Way::Warm, Way::WarmThreads];

fn command(p: &Program, way: Way, project: &Path, cache: &Path) -> Command {
    let nvcc = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SCUBA_") {
            command.env_remove(name);
        }
    }
    let threads = if matches!(way, Way::Threads | Way::WarmThreads) { "8" } else { "1" };
    let caches = matches!(way, Way::Cold | Way::Warm | Way::WarmThreads);
    command
        .current_dir(project.join(&p.folder))
        .env("SCUBA_NVCC", nvcc)
        .env("SCUBA_CACHE", if caches { cache.as_os_str() } else { "off".as_ref() });
    command.args(["check", "-j", threads, "--color", "never", "--message-format", "json"]);
    if way == Way::OtherOrder {
        command.args(p.sources.iter().rev());
    } else {
        command.args(&p.sources);
    }
    command.arg("--").args(&p.flags).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    command
}

/// Eight loops that do nothing but compute, while it lives.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        Self((0..8).map(|_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for c in &mut self.0 {
            let _ = c.kill();
            let _ = c.wait();
        }
    }
}

/// Lets a process and all that it starts run a fifth of the time: to them the clock runs five times as fast.
fn slow_down(child: &mut Child) {
    let group = Pid::from_child(child);
    while child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
        let _ = kill_process_group(group, Signal::STOP);
        std::thread::sleep(Duration::from_millis(20));
        let _ = kill_process_group(group, Signal::CONT);
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The document, without how long it took.
fn document(p: &Program, way: Way, project: &Path, cache: &Path) -> Value {
    let _load = (way == Way::Busy).then(Load::new);
    let mut child = command(p, way, project, cache).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).map(|_| text)
    });
    if way == Way::SlowedDown {
        slow_down(&mut child);
    }
    child.wait().unwrap();
    let text = reader.join().unwrap().unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{} ({way:?}): {e}", p.name()));
    document["summary"].as_object_mut().unwrap().remove("seconds");
    document
}

/// Where two documents differ first.
fn difference(a: &Value, b: &Value, at: &str) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => x.keys().chain(y.keys()).find_map(|k| {
            difference(x.get(k).unwrap_or(&Value::Null), y.get(k).unwrap_or(&Value::Null), &format!("{at}.{k}"))
        }),
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            x.iter().zip(y).enumerate().find_map(|(i, (x, y))| difference(x, y, &format!("{at}[{i}]")))
        }
        _ => (a != b).then(|| format!("{at}: {a} and {b}")),
    }
}

#[test]
fn every_way_of_checking_a_program_gives_the_same_document() {
    let mut wrong = vec![];
    let all = programs();
    assert!(!all.is_empty(), "there is no program to check");
    for p in &all {
        let temporary = tempfile::tempdir().unwrap();
        let cache = temporary.path().join("cache");
        let plain = document(p, Way::Plain, &p.project, &cache);
        if plain.get("repeatable").is_some() {
            wrong.push(format!("{}: a safety net was reached: {}", p.name(), plain["limits_reached"]));
            continue;
        }
        for way in WAYS {
            if way == Way::OtherOrder && p.sources.len() < 2 {
                continue;
            }
            let elsewhere = temporary.path().join("a folder with a longer name");
            // Headers beside the sources come along; of a whole checkout the program's own folder does.
            if way == Way::Elsewhere {
                copy(&p.project.join(&p.folder), &elsewhere.join(&p.folder));
                let settings = p.project.join("scuba.toml");
                std::fs::write(elsewhere.join("scuba.toml"), std::fs::read_to_string(settings).unwrap_or_default())
                    .unwrap();
            }
            let project = if way == Way::Elsewhere && p.project == ui() { &elsewhere } else { &p.project };
            if let Some(what) = difference(&plain, &document(p, way, project, &cache), "document") {
                wrong.push(format!("{} ({way:?}): {what}", p.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} programs differ:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
