//! `scuba stats`, `scuba cache`, and units that a build compiled without the analysis.

use super::{Project, SAFE, Said, buggy, nvcc};
use scuba::finding::Report;

impl Project {
    /// A folder in which something other than the shim compiled `a.cu`, by a command that is written down.
    fn built_without(source: &str) -> Self {
        let p = Self::new();
        p.write("a.cu", source);
        p.write("a.cu.o", "");
        let entry = r#"[{"directory": ".", "file": "a.cu", "command": "nvcc -arch=sm_80 -c a.cu -o a.cu.o"}]"#;
        p.write("compile_commands.json", entry);
        p
    }

    fn stats(&self) -> serde_json::Value {
        let said = self.scuba(["stats", "--format", "json"]).status(0);
        serde_json::from_str(&said.out).unwrap()
    }
}

#[test]
fn a_unit_that_was_built_without_the_analysis_is_in_the_document_until_the_shim_compiles_it() {
    let p = Project::built_without(SAFE);
    let document = || {
        let said = p.scuba(["check", "--message-format", "json"]).status(0);
        serde_json::from_str::<Report>(&said.out).unwrap()
    };
    // Also once its facts are kept.
    for time in ["first", "second"] {
        let report = document();
        let files: Vec<&str> = report.built_without_analysis.iter().map(|b| b.file.as_str()).collect();
        assert_eq!((files, report.summary.built_without_analysis), (vec!["a.cu"], 1), "{time}");
        assert_eq!((report.summary.safe, report.not_analysed.len()), (1, 0), "it was read, {time}");
    }
    assert!(p.scuba(["check"]).status(0).err.contains("1 unit built without the analysis"));
    let strict = p.scuba(["check", "--strict"]).status(2);
    assert!(strict.err.contains("--strict: 1 unit was built without the analysis"), "{strict:?}");
    let sarif = p.scuba(["check", "--message-format", "sarif"]).status(0);
    assert!(sarif.out.contains("built without the analysis"), "{sarif:?}");
    assert_eq!(p.stats()["built_without_analysis"], serde_json::json!(["a.cu"]));
    assert!(p.scuba(["stats"]).status(0).out.ends_with("built without the analysis: a.cu\n"));

    let nvcc = nvcc();
    let compile = ["build", "--strict", "--", nvcc.to_str().unwrap(), "-arch=sm_80", "-c", "a.cu", "-o", "a.cu.o"];
    let built = p.scuba(compile).status(0);
    assert!(!built.err.contains("without the analysis"), "{built:?}");
    assert!(document().built_without_analysis.is_empty());
    assert_eq!(p.stats()["built_without_analysis"], serde_json::json!([]));
}

#[test]
fn strict_fails_on_accesses_of_inline_assembly_that_are_open() {
    let p = Project::new();
    let store = "  if (i < n) asm volatile(\"{.reg .u64 q; .reg .u32 n; .reg .pred p; mov.u64 q, %0; mov.u32 n, 0; again: st.global.u32 [q], n; add.u64 q, q, 4; add.u32 n, n, 1; setp.lt.u32 p, n, 64; @p bra again;}\" :: \"l\"(a + i) : \"memory\");";
    p.write("a.cu", &SAFE.replace("  if (i < n) a[i] = 1.0f;", store));
    let loose = p.scuba(["check", "a.cu"]).status(0);
    assert!(loose.err.contains("undecided"), "{loose:?}");
    let strict = p.scuba(["check", "--strict", "a.cu"]).status(2);
    assert!(strict.err.contains("--strict: 1 access of inline assembly is undecided"), "{strict:?}");
    p.write("a.cu", SAFE);
    p.scuba(["check", "--strict", "a.cu"]).status(0);

    // The shim's commands are as strict.
    p.write("b.cu", &SAFE.replace("  if (i < n) a[i] = 1.0f;", store));
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
    command
        .current_dir(p.root())
        .args(["-arch=sm_80", "-c", "b.cu"])
        .env("SCUBA_NVCC", nvcc())
        .env("SCUBA_STRICT", "1");
    let shim = Said::from(command.output().unwrap()).status(2);
    assert!(shim.err.contains("SCUBA_STRICT: 1 access of inline assembly is undecided"), "{shim:?}");
    assert!(!p.root().join("b.o").exists());
}

#[test]
fn stats_tell_what_builds_and_checks_cost_and_decided() {
    let p = Project::new();
    assert!(p.scuba(["stats"]).status(2).err.contains("nothing was built or checked under"));
    p.write("a.cu", SAFE);
    let nvcc = nvcc();
    let compile = ["build", "--", nvcc.to_str().unwrap(), "-arch=sm_80", "-c", "a.cu"];
    p.scuba(compile).status(0);
    p.write("a.cu", &buggy());
    p.scuba(compile).status(1);
    p.scuba(["check"]).status(1);

    let stats = p.stats();
    assert_eq!(stats["schema"], "scuba-stats/1");
    let builds = stats["builds"].as_array().unwrap();
    let of = |key: &str| builds.iter().map(|b| b[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("what"), ["scuba build", "scuba build", "scuba check"]);
    assert_eq!(of("commands"), [1, 1, 0]);
    assert_eq!(of("denied"), [0, 1, 1]);
    assert!(builds[0]["command_ms"].as_u64().unwrap() > 0 && builds[2]["command_ms"] == 0);
    for (build, (safe, proved)) in builds.iter().zip([(1, 0), (0, 1), (0, 1)]) {
        assert_eq!((&build["summary"]["safe"], &build["summary"]["proved"]), (&safe.into(), &proved.into()));
    }
    assert_eq!((&builds[0]["counts"]["read"], &builds[0]["units"]), (&1.into(), &1.into()));
    let text = p.scuba(["stats", "--last", "1"]).status(0).out;
    assert!(
        text.contains("scuba check") && !text.contains("scuba build") && text.contains("and 2 before these"),
        "{text}"
    );
}

#[test]
fn the_cache_is_told_limited_and_removed() {
    let p = Project::new();
    p.write(".git/HEAD", "");
    p.write("a.cu", SAFE);
    p.write("Makefile", &format!("app: a.cu\n\t{} -arch=sm_80 a.cu -o app\n", nvcc().display()));
    let cache = tempfile::tempdir().unwrap();
    std::fs::write(cache.path().join("mine"), "x").unwrap();
    let scuba = |arguments: &[&str]| -> Said {
        p.command().env("SCUBA_CACHE", cache.path()).args(arguments).output().unwrap().into()
    };
    scuba(&["build", "-q", "--", "make"]).status(0);
    scuba(&["build", "-q", "--", "make", "-B"]).status(0);
    let said = scuba(&["cache"]).status(0).out;
    assert!(
        said.starts_with(&format!("{}: ", cache.path().display())) && said.contains("units as clang read them"),
        "{said}"
    );
    assert!(said.contains("in the last 2 builds and checks here: 1 of 2 (50 %) of units"), "{said}");
    let said = scuba(&["cache", "--max-size", "4KiB"]).status(0).out;
    assert!(said.starts_with("removed ") && said.contains(": 0."), "{said}");
    let said = scuba(&["cache", "--clean"]).status(0).out;
    assert!(said.contains(": 0.0 MiB in 0 files\n") && cache.path().join("mine").exists(), "{said}");
    // What was removed is made again.
    scuba(&["build", "-q", "--", "make", "-B"]).status(0);
    assert!(!scuba(&["cache"]).status(0).out.contains("in 0 files"));
    assert!(scuba(&["cache", "--max-size", "much"]).status(2).err.contains("`much` is not a size"));
    let off = p.command().env("SCUBA_CACHE", "off").arg("cache").output().unwrap();
    assert!(Said::from(off).status(2).err.contains("there is no cache"));
}

#[test]
fn commands_through_the_shim_alone_are_a_build() {
    let p = Project::new();
    p.write(".git/HEAD", "");
    for name in ["a.cu", "b.cu"] {
        p.write(name, SAFE);
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
        command.current_dir(p.root()).args(["-arch=sm_80", "-c", name]).env("SCUBA_NVCC", nvcc());
        command.env("SCUBA_CACHE", super::cache::fresh());
        Said::from(command.output().unwrap()).status(0);
    }
    let stats = p.stats();
    let builds = stats["builds"].as_array().unwrap();
    assert_eq!((builds.len(), &builds[0]["what"]), (1, &"build".into()));
    assert_eq!((&builds[0]["commands"], &builds[0]["summary"]["programs"]), (&2.into(), &2.into()));
    assert_eq!((&builds[0]["summary"]["safe"], &builds[0]["denied"]), (&2.into(), &serde_json::Value::Null));
}

#[test]
fn a_build_that_was_interrupted_is_not_checked() {
    let p = Project::new();
    p.write("a.cu", &SAFE.replace("i < n", "i < n + 1"));
    let nvcc = nvcc();
    let script = |end: &str| format!("SCUBA_LEVELS=allow=all {} -arch=sm_80 -c a.cu; {end}", nvcc.display());
    for (end, status) in [("kill -TERM $$", 143), ("exit 130", 130)] {
        let said = p.scuba(["build", "--", "sh", "-c", &script(end)]).status(status);
        assert!(!said.err.contains("accesses in") && !said.err.contains("access in"), "{said:?}");
    }
    let said = p.scuba(["build", "--", "sh", "-c", &script("exit 3")]).status(1);
    assert!(said.err.contains("1 access in 1 kernel: 1 proved wrong"), "{said:?}");
}
