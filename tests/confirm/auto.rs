//! `[confirm] when = "auto"`: in a shim that denies, and at the end of `scuba build`.

use super::{Bench, Said, nvcc};
use std::path::Path;
use std::process::Command;

/// The shim in place of nvcc.
fn shim(bench: &Bench, arguments: &[&str]) -> Said {
    shim_with(bench, arguments, &[])
}

fn shim_with(bench: &Bench, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
    shim_command(bench, arguments, variables).output().unwrap().into()
}

pub fn shim_command(bench: &Bench, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut c = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SCUBA_") || name == "CUDA_VISIBLE_DEVICES" {
            c.env_remove(name);
        }
    }
    c.args(arguments)
        .current_dir(bench.project())
        .env("SCUBA_NVCC", nvcc())
        .env("PATH", format!("{}:{}", bench.tools().display(), std::env::var("PATH").unwrap()))
        .env("LD_LIBRARY_PATH", bench.tools())
        .envs(variables.iter().copied());
    c
}

fn bench() -> Bench {
    bench_of("vector.cu", "vector.xml", "")
}

/// `settings`: more lines of `[confirm]`, and what may follow them.
pub fn bench_of(program: &str, record: &str, settings: &str) -> Bench {
    let bench = Bench::new(program);
    bench.sanitizer(record, record, &bench.project());
    bench.settings(&format!(
        "[confirm]\ncompute_sanitizer = \"{}\"\n{settings}",
        bench.tools().join("compute-sanitizer").display()
    ));
    bench
}

/// A tool that writes its process number into `pids` and hangs, with a child, where its words contain `when`; else `real` runs.
pub fn hangs(bench: &Bench, name: &str, when: &str, real: &str) {
    let pids = bench.root().join("pids");
    bench.tool(name, &format!("case \" $* \" in *\"{when}\"*) echo $$ >>{pids}; sleep 300 & echo $! >>{pids}; wait;; esac\nexec {real} \"$@\"", pids = pids.display()));
}

/// Of what [`hangs`] wrote down: so many tools, each with a child.
#[track_caller]
pub fn assert_nothing_is_left(bench: &Bench, hung: usize) {
    let pids = std::fs::read_to_string(bench.root().join("pids")).unwrap();
    assert_eq!(pids.lines().count(), 2 * hung, "{pids}");
    assert_all_are_gone(bench);
}

/// However many runs there were: how far a run comes before it is ended from outside depends on how busy the machine is.
pub fn assert_all_are_gone(bench: &Bench) {
    let pids = std::fs::read_to_string(bench.root().join("pids")).unwrap();
    assert!(!pids.is_empty());
    for pid in pids.lines() {
        assert!(is_gone(pid), "process {pid} is left");
    }
}

pub fn all_are_gone(bench: &Bench) -> bool {
    std::fs::read_to_string(bench.root().join("pids")).unwrap().lines().all(is_gone)
}

/// What has ended and is not waited for has no program any more.
fn is_gone(pid: &str) -> bool {
    !Path::new("/proc").join(pid).join("exe").exists()
}

#[test]
fn a_shim_that_denies_confirms_by_the_launch_alone() {
    let bench = bench();
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(said.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", said.err);
    assert!(!bench.project().join("vector.o").exists());
    let [call] = bench.calls().try_into().unwrap();
    assert!(call.ends_with(".launch"), "{call}");
    let later = bench.scuba(["check"]).status(1);
    assert!(later.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", later.err);
}

#[test]
fn a_shim_that_denies_confirms_by_the_check_what_the_sanitizer_cannot_see() {
    // One array into the next one, part into part, local array into local array.
    for (program, findings) in [("shared_neighbour.cu", 1), ("parts.cu", 2), ("locals.cu", 2)] {
        let bench = bench_of(program, "clean.xml", "[levels]\nintra-allocation = \"deny\"\noob-local = \"deny\"\n");
        let said = shim_with(&bench, &["-c", program, "-o", "a.o"], &[("RECORD", "1")]).status(1);
        assert_eq!(
            said.err.matches("confirmed by a check compiled into the program on NVIDIA H200").count(),
            findings,
            "{program}: {}",
            said.err
        );
        assert!(!bench.project().join("a.o").exists());
        // No code of the user's host ran.
        assert!(bench.calls().iter().all(|c| c.ends_with(".launch")), "{:?}", bench.calls());
    }
}

#[test]
fn an_index_that_a_file_decides_is_confirmed_in_a_shim_that_denies_it() {
    let bench = bench_of("vector.cu", "clean.xml", "[levels]\ndata-index = \"deny\"\n");
    std::fs::copy(super::here().join("../ui/data-index/words.cu"), bench.project().join("words.cu")).unwrap();
    let said = shim_with(&bench, &["-c", "words.cu", "-o", "a.o"], &[("RECORD", "1")]).status(1);
    assert!(
        said.err.contains("error[data-index]")
            && said.err.contains("confirmed by a check compiled into the program on NVIDIA H200"),
        "{}",
        said.err
    );
}

#[test]
fn a_check_that_cannot_be_made_in_time_costs_neither_the_verdict_nor_the_launch() {
    let bench = bench_of("vector.cu", "vector.xml", "timeout_s = 24\n[frontend]\nclang = \"clang-that-hangs\"\n");
    hangs(&bench, "clang-that-hangs", " -x ir ", "clang++-22");
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(said.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", said.err);
    assert_nothing_is_left(&bench, 1);
}

#[test]
fn a_driver_that_does_not_answer_does_not_cost_the_verdict() {
    // The shim would give up the whole analysis after this time, and let the build pass.
    let bench = bench_of("vector.cu", "vector.xml", "[limits]\ntu_seconds = 16\n");
    hangs(&bench, "nvidia-smi", "", "false");
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(said.err.contains("error[oob-global]"), "{}", said.err);
    assert_nothing_is_left(&bench, 1);
    let log = std::fs::read_to_string(bench.project().join(".scuba/log")).unwrap();
    assert!(log.contains("hardware confirmation was not run"), "{log}");
}

#[test]
fn a_launch_that_hangs_is_over_when_the_shims_time_is() {
    let bench = bench_of("vector.cu", "clean.xml", "timeout_s = 25\n");
    hangs(&bench, "compute-sanitizer", ".launch", "echo Version 1");
    let said = shim(&bench, &["-c", "vector.cu", "-o", "a.o"]).status(1);
    assert!(said.err.contains("error[oob-global]") && said.err.contains("did not end in time"), "{}", said.err);
    assert_nothing_is_left(&bench, 1);
}

#[test]
fn never_means_never() {
    let bench = bench();
    bench.settings(&format!(
        "[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(!said.err.contains("confirm") && bench.calls().is_empty(), "{}", said.err);
}

#[test]
fn without_a_gpu_nothing_runs_and_the_builds_report_says_so() {
    let bench = bench();
    bench.tool("nvidia-smi", "exit 9");
    let build = format!("{} -c vector.cu -o vector.o", nvcc().display());
    let said = bench.scuba(["build", "--", "sh", "-c", &build]).status(1);
    assert_eq!(
        said.err.matches("scuba: hardware confirmation was not run: there is no NVIDIA GPU here").count(),
        1,
        "{}",
        said.err
    );
    assert!(bench.calls().is_empty());
    let log = std::fs::read_to_string(Path::new(&bench.project()).join(".scuba/log")).unwrap();
    assert!(log.contains("hardware confirmation was not run"), "{log}");
    let said = bench.scuba(["build", "--message-format", "json", "--", "sh", "-c", &build]).status(1);
    assert_eq!(not_run(&said.findings()), [NO_GPU]);
    assert_eq!(said.err.matches("hardware confirmation was not run").count(), 1, "{}", said.err);
    // Other commands ask no device.
    let said = bench.scuba(["check"]).status(1);
    assert!(said.err.contains("error[oob-global]") && !said.err.contains("confirm"), "{}", said.err);
}

const NO_GPU: &str = "there is no NVIDIA GPU here";

/// Of findings without a confirmation, why there is none.
#[track_caller]
fn not_run(findings: &[serde_json::Value]) -> Vec<String> {
    assert!(findings.iter().all(|f| f["confirmation"].is_null()), "{findings:?}");
    findings.iter().filter_map(|f| f["confirmation_not_run"].as_str().map(str::to_owned)).collect()
}

#[test]
fn without_a_gpu_a_shim_says_so_of_each_finding_that_it_denies() {
    let bench = bench_of("two_lines.cu", "clean.xml", "");
    bench.tool("nvidia-smi", "exit 9");
    let says = |format: &str| {
        let said =
            shim_with(&bench, &["-c", "two_lines.cu", "-o", "a.o"], &[("SCUBA_MESSAGE_FORMAT", format)]).status(1);
        assert!(!bench.project().join("a.o").exists());
        said.err
    };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let human = says("human");
    assert_eq!(
        (
            human.matches("error[oob-global]").count(),
            human.matches(&format!("= note: hardware confirmation was not run: {NO_GPU}\n")).count()
        ),
        (3, 3),
        "{human}"
    );
    assert!(!human.contains("scuba: "), "{human}");
    let short = says("short");
    assert!(short.lines().count() == 3 && !short.contains("confirm"), "{short}");
    assert_eq!(not_run(json(&says("json"))["findings"].as_array().unwrap()), [NO_GPU; 3]);
    let sarif = json(&says("sarif"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() == 3 && results.iter().all(|r| r["properties"]["confirmationNotRun"] == NO_GPU), "{sarif}");
    // Nothing is missing where nothing was wanted.
    bench.settings("[confirm]\nwhen = \"never\"\n");
    for format in ["human", "json", "sarif"] {
        assert!(!says(format).contains(NO_GPU), "{format}");
    }
}

#[test]
fn the_end_of_a_build_confirms_what_its_shims_could_not() {
    let bench = bench_of("vector.cu", "clean.xml", "");
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    // The first run shows nothing.
    let later = format!(
        "[ $(wc -l <{}) -gt 1 ] && golden={}\nsed \"s|",
        bench.root().join("calls").display(),
        super::here().join("golden/vector.xml").display()
    );
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", &later));
    let build = format!("{} -c vector.cu -o vector.o", nvcc().display());
    let said = bench.scuba(["build", "--", "sh", "-c", &build]).status(1);
    let (shim, end) = said.err.split_once("not reproduced by").unwrap();
    assert!(
        shim.contains("error[oob-global]")
            && !shim.contains("confirmed by")
            && end.contains("confirmed by compute-sanitizer on NVIDIA H200"),
        "{}",
        said.err
    );
    let calls = bench.calls();
    assert!(calls.len() == 2 && calls.iter().all(|c| c.ends_with(".launch")), "{calls:?}");
}

#[test]
fn a_build_of_several_units_is_confirmed_from_its_facts() {
    let bench = bench();
    for file in ["main.cu", "part.cu"] {
        std::fs::copy(super::here().join("programs/units").join(file), bench.project().join(file)).unwrap();
    }
    bench.sanitizer("clean.xml", "vector.xml", &bench.project());
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", "sed \"s|vector.cu|part.cu|;s|"));
    bench.settings(&format!(
        "[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    let nvcc = nvcc().display().to_string();
    let build =
        format!("{nvcc} -O1 -dc main.cu -o main.o && {nvcc} -O1 -dc part.cu -o part.o && {nvcc} main.o part.o -o app");
    bench.scuba(["build", "-q", "--", "sh", "-c", &build]).status(1);
    assert!(bench.calls().is_empty());

    let said = bench.scuba(["confirm", "--message-format", "json"]).status(1);
    let [finding] = said.findings().try_into().unwrap();
    assert_eq!(finding["confirmation"]["status"], "confirmed", "{finding}");
    // The program was built of both units, its device code linked, and so was the launch's.
    let [program, launch] = bench.calls().try_into().unwrap();
    assert!(program.ends_with("/program") && launch.ends_with(".launch"), "{program}\n{launch}");
    let shown = bench.scuba(["report", "--sarif", "report.sarif"]).status(0);
    assert!(
        std::fs::read_to_string(bench.project().join("report.sarif")).unwrap().contains("running this launch alone"),
        "{shown:?}"
    );
}

#[test]
fn programs_of_one_name_are_not_taken_for_each_other() {
    let bench = bench();
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    bench.settings(&format!(
        "[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    for (folder, program) in [("a", "clean.cu"), ("b", "vector.cu"), ("c", "shared_static.cu")] {
        std::fs::create_dir(bench.project().join(folder)).unwrap();
        std::fs::copy(super::here().join("programs").join(program), bench.project().join(folder).join("main.cu"))
            .unwrap();
    }
    let nvcc = nvcc().display().to_string();
    let build = format!("for d in a b c; do {nvcc} -c $d/main.cu -o $d/main.o; done");
    bench.scuba(["build", "-q", "--", "sh", "-c", &build]).status(1);
    let said = bench.scuba(["confirm", "--message-format", "json"]).status(1);
    assert_eq!(said.findings().len(), 2);
    let kept = std::fs::read_dir(bench.project().join(".scuba/confirmations"))
        .unwrap()
        .map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    for log in kept {
        // Each was built of its own source.
        assert_eq!(log.matches("/b/main.cu").count() > 0, log.matches("/c/main.cu").count() == 0, "{log}");
        assert!(!log.contains("/a/main.cu"), "{log}");
    }
}

#[test]
fn a_link_that_denies_confirms() {
    let bench = bench();
    for file in ["main.cu", "part.cu"] {
        std::fs::copy(super::here().join("programs/units").join(file), bench.project().join(file)).unwrap();
    }
    // A second definition of what `main` calls: which one is meant is known at the link alone.
    let part = std::fs::read_to_string(bench.project().join("part.cu")).unwrap();
    std::fs::write(bench.project().join("other.cu"), part.replace("a[threadIdx.x]", "a[threadIdx.x / 4]")).unwrap();
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", "sed \"s|vector.cu|part.cu|;s|"));
    for file in ["part", "other", "main"] {
        shim(&bench, &["-O1", "-dc", &format!("{file}.cu"), "-o", &format!("{file}.o")]).status(0);
    }
    assert!(bench.calls().is_empty());
    let said = shim(&bench, &["main.o", "part.o", "-o", "app"]).status(1);
    assert!(said.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", said.err);
    assert!(!bench.project().join("app").exists());
    let [call] = bench.calls().try_into().unwrap();
    assert!(call.ends_with(".launch"), "{call}");
}
