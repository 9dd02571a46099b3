//! Bundles: made on one machine, run on another, taken back.

use super::Bench;
use std::process::Command;

#[test]
fn a_bundle_makes_the_round_trip() {
    let bench = Bench::new("through_header.cu");
    std::fs::create_dir(bench.project().join("inc")).unwrap();
    std::fs::copy(super::here().join("programs/inc/vector.h"), bench.project().join("inc/vector.h")).unwrap();
    let (project, bundle, away) = (bench.project(), bench.root().join("bundle"), bench.root().join("elsewhere"));
    // No GPU where it is made.
    bench.tool("nvidia-smi", "exit 9");
    let said = bench
        .scuba(["confirm", "through_header.cu", "--bundle", bundle.to_str().unwrap(), "--", "-I", "inc", "-O2"])
        .status(0);
    assert!(said.err.contains("1 counterexample is in "), "{}", said.err);
    assert!(!project.join(".scuba").exists(), "nothing has been seen yet");
    let again = bench
        .scuba(["confirm", "through_header.cu", "--bundle", bundle.to_str().unwrap(), "--", "-I", "inc", "-O2"])
        .status(2);
    assert!(again.err.contains("is not empty"), "{}", again.err);

    // The code with checks is one that the toolkit's assembler takes, for a newer device too.
    let check = bundle.join("checks/0-unit-0.ptx");
    let done = Command::new(super::nvcc().with_file_name("ptxas"))
        .args(["-arch=sm_120", "-o", "/dev/null"])
        .arg(&check)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let ptx = std::fs::read_to_string(&check).unwrap();
    assert!(ptx.contains("call.uni (retval0), scuba_check"), "{ptx}");

    // Another machine: no sources but the bundle's.
    std::fs::rename(&bundle, &away).unwrap();
    let hidden = bench.root().join("hidden");
    std::fs::rename(&project, &hidden).unwrap();
    bench.tool("nvidia-smi", "echo 'NVIDIA L4, 580.1, 8.9'");
    let sources = away.join(format!("sources{}", project.display()));
    bench.sanitizer("vector.xml", "vector.xml", &sources);
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool(
        "compute-sanitizer",
        &script.replace("sed \"s|", "sed \"s|/project/vector.cu|/project/inc/vector.h|g;s|"),
    );
    let run = |bench: &Bench| {
        let mut c = Command::new(away.join("run.sh"));
        c.current_dir(bench.root())
            .env("SCUBA", assert_cmd::cargo::cargo_bin!("scuba"))
            .env("SCUBA_NVCC", super::nvcc())
            .env("SCUBA_CONFIG", bench.root().join("other.toml"))
            .env("PATH", format!("{}:{}", bench.tools().display(), std::env::var("PATH").unwrap()));
        super::Said::from(c.output().unwrap())
    };
    std::fs::write(
        bench.root().join("other.toml"),
        format!("[confirm]\ncompute_sanitizer = \"{}\"\n", bench.tools().join("compute-sanitizer").display()),
    )
    .unwrap();
    let said = run(&bench).status(1);
    assert!(said.err.contains("1 of 1 findings confirmed"), "{}", said.err);
    assert!(away.join("results.json").is_file());
    let calls = bench.calls().join("\n");
    assert!(!calls.contains(project.to_str().unwrap()), "{calls}");

    // Back where it came from, without a GPU.
    std::fs::rename(&hidden, &project).unwrap();
    bench.tool("nvidia-smi", "exit 9");
    let said = bench.scuba(["confirm", "--from", away.to_str().unwrap()]).status(1);
    assert!(said.err.contains("confirmed: inc/vector.h:"), "{}", said.err);
    let shown =
        bench.scuba(["check", "through_header.cu", "--message-format", "json", "--", "-I", "inc", "-O2"]).status(1);
    let confirmation = &shown.findings()[0]["confirmation"];
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["device"].as_str()),
        (Some("confirmed"), Some("NVIDIA L4")),
        "{confirmation}"
    );
}

#[test]
fn what_only_warns_is_named_as_left_out() {
    let bench = Bench::new("vector.cu");
    bench.tool("nvidia-smi", "exit 9");
    let bundle = bench.root().join("bundle");
    let said = bench.scuba(["confirm", "vector.cu", "-W", "all", "--bundle", bundle.to_str().unwrap()]).status(0);
    assert!(said.err.contains("with level warn") && said.err.contains("when = \"all\""), "{}", said.err);
    assert!(!bundle.exists());
}

#[test]
fn what_is_no_bundle_is_refused() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    let said = bench.scuba(["confirm", "--from", "."]).status(2);
    assert!(said.err.contains("a bundle is a folder that `scuba confirm --bundle` wrote"), "{}", said.err);
    std::fs::write(bench.project().join("manifest.json"), r#"{"schema": "scuba-bundle/9"}"#).unwrap();
    let said = bench.scuba(["confirm", "--from", "."]).status(2);
    assert!(said.err.contains("`scuba-bundle/9`"), "{}", said.err);
}

#[test]
fn a_launch_has_the_contents_of_its_buffers_and_the_check_its_bounds() {
    let bench = Bench::new("atomic.cu");
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "atomic.cu", "--bundle", bundle.to_str().unwrap()]).status(0);
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
    let [case] = manifest["cases"].as_array().unwrap().as_slice() else { panic!("{manifest}") };
    let attempts = case["attempts"].as_array().unwrap();
    assert_eq!(
        attempts.iter().map(|a| a["how"].as_str().unwrap()).collect::<Vec<_>>(),
        ["program", "launch", "check", "check"]
    );
    // The indices 0, 1, 2 and 20 into four bins; room around them, none around the bins.
    let common = "grid 1 1 1\nblock 4 1 1\nshared 0\nobject 0 device 16\nobject 1 roomy 16\nbytes 1 0 00000000010000000200000014000000\n\
        parameter 0 8\npoints 0 0 0 0\nparameter 1 8\npoints 1 0 1 0\nparameter 2 4\nvalue 2 0 04000000\n";
    assert_eq!(attempts[1]["description"], common);
    assert_eq!(attempts[1]["target"], serde_json::json!(["0", 80, 16]));
    // `atomicAdd` of the toolkit's header has other callers: only thread 3's access at byte 80 counts.
    let words: String =
        [16u64, 0, 0, 0, 3, 0, 0, 80, 0].iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect();
    let check = format!(
        "{}object table symbol 0 scuba_table\nbytes table 0 0200000000000000\naddress table 8 0 0\nbytes table 16 {words}\nrecords scuba_records 0\n",
        common.replace("device", "roomy")
    );
    assert_eq!(attempts[2]["description"], check);
    // The same once more, where all other accesses are guarded by what there is in the launch and a mebibyte around it.
    let ranges = "object ranges symbol 0 scuba_ranges\naddress ranges 0 0 -1048576\naddress ranges 8 0 1048592\n\
        address ranges 16 1 -1048576\naddress ranges 24 1 1048592\n";
    assert_eq!(attempts[3]["description"], format!("{check}{ranges}"));
    assert_eq!((attempts[2]["guard"].as_u64(), attempts[3]["guard"].as_u64()), (None, Some(1)));
    let code = bundle.join(attempts[3]["code"]["bundle"].as_str().unwrap());
    let ptx = std::fs::read_to_string(&code).unwrap();
    assert!(ptx.contains("call.uni (retval0), scuba_guard") && ptx.contains("scuba_check"), "{ptx}");
    let done = Command::new(super::nvcc().with_file_name("ptxas"))
        .args(["-arch=sm_90", "-o", "/dev/null"])
        .arg(&code)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn guarded_code_of_each_architecture_is_code_for_devices_of_today() {
    for architecture in ["sm_60", "sm_70", "sm_75", "sm_80", "sm_90"] {
        let bench = Bench::new("atomic.cu");
        let bundle = bench.root().join("bundle");
        let flags = ["confirm", "atomic.cu", "--bundle", bundle.to_str().unwrap(), "--", "-arch", architecture];
        bench.scuba(flags).status(0);
        let code = std::fs::read_dir(bundle.join("checks")).unwrap().map(|e| e.unwrap().path());
        let guarded: Vec<_> = code.filter(|p| p.to_string_lossy().ends_with("-guarded.ptx")).collect();
        assert_eq!(guarded.len(), 1, "{architecture}");
        let done = Command::new(super::nvcc().with_file_name("ptxas"))
            .args(["-arch=sm_90", "-o", "/dev/null"])
            .args(&guarded)
            .output()
            .unwrap();
        assert!(done.status.success(), "{architecture}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn the_check_knows_where_a_part_or_a_row_begins() {
    for (program, rows) in [("parts.cu", 2), ("rows.cu", 1), ("locals.cu", 2), ("halves.cu", 2)] {
        let bench = Bench::new(program);
        let bundle = bench.root().join("bundle");
        bench.scuba(["confirm", program, "-D", "all", "--bundle", bundle.to_str().unwrap()]).status(0);
        let manifest: serde_json::Value =
            serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
        let check = bundle.join("checks/0-unit-0.ptx");
        let done = Command::new(super::nvcc().with_file_name("ptxas"))
            .args(["-arch=sm_90", "-o", "/dev/null"])
            .arg(&check)
            .output()
            .unwrap();
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
        let cases = manifest["cases"].as_array().unwrap();
        assert_eq!(cases.len(), rows, "{program}");
        for case in cases {
            let attempt = case["attempts"]
                .as_array()
                .unwrap()
                .iter()
                .find(|a| a["how"] == "check")
                .unwrap_or_else(|| panic!("{case}"));
            let (row, description) = (attempt["row"].as_u64().unwrap(), attempt["description"].as_str().unwrap());
            let line =
                description.lines().rfind(|l| l.starts_with(&format!("bytes table {} ", row * 88 + 16))).unwrap();
            let hex = line.rsplit(' ').next().unwrap();
            let word = |i: usize| {
                i64::from_le_bytes(std::array::from_fn(|b| {
                    u8::from_str_radix(&hex[16 * i + 2 * b..][..2], 16).unwrap()
                }))
            };
            let launch: Vec<u64> = description
                .lines()
                .find_map(|l| l.strip_prefix("block "))
                .unwrap()
                .split(' ')
                .map(|n| n.parse().unwrap())
                .collect();
            let (extent, offset, from, block) = (word(0), word(7), word(8), i64::try_from(launch[0]).unwrap());
            let summary = case["expected"]["summary"].as_str().unwrap();
            // `last` is the first part, `state` begins behind it, rows and local arrays where the code says.
            let expected = match summary {
                s if s.contains("past the end of `last`") => (4 * block, 4 * block, 0),
                s if s.contains("past the end of `state`, into") => (extent, extent, 4 * block),
                s if s.contains("a row of `left`") => (32, 32, 0),
                s if s.contains("past the end of `low`") => (extent, extent, 0),
                s if s.contains("past the end of `m`") => (36, 36, 0),
                s if s.contains("past the end of `state`") => (12, 12, 0),
                _ => (extent, offset, 0),
            };
            assert_eq!((extent, offset, from), expected, "{summary}");
        }
    }
}

#[test]
fn the_check_runs_on_devices_older_than_the_code_was_made_for() {
    let bench = Bench::new("shared_neighbour.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    bench.tool("nvidia-smi", "echo 'NVIDIA GeForce RTX 2080, 580.1, 7.5'");
    let said = bench
        .command()
        .args(["confirm", "shared_neighbour.cu", "--message-format", "json", "--", "-arch=sm_90"])
        .env("RECORD", "1")
        .env("MODULE", bench.root().join("module.ptx"))
        .output()
        .unwrap();
    let confirmation = &super::Said::from(said).status(1).findings()[0]["confirmation"];
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["device"].as_str()),
        (Some("confirmed"), Some("NVIDIA GeForce RTX 2080")),
        "{confirmation}"
    );
    let module = bench.root().join("module.ptx");
    let done = Command::new(super::nvcc().with_file_name("ptxas"))
        .args(["-arch=sm_75", "-o", "/dev/null"])
        .arg(&module)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn all_accesses_of_one_launch_are_checked_in_one_run() {
    let bench = Bench::new("locals.cu");
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "locals.cu", "-D", "all", "--bundle", bundle.to_str().unwrap()]).status(0);
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
    let checks: Vec<Vec<(u64, &str)>> = manifest["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let checks = case["attempts"].as_array().unwrap().iter().filter(|a| a["how"] == "check");
            checks.map(|a| (a["row"].as_u64().unwrap(), a["description"].as_str().unwrap())).collect()
        })
        .collect();
    // First together, then each alone.
    let [[(a, both), (_, one)], [(b, same), (_, other)]] = [[checks[0][0], checks[0][1]], [checks[1][0], checks[1][1]]];
    assert!(a != b && both == same && one != other && one != both, "{checks:?}");
    // The launcher ran it once for both.
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let said = bench
        .command()
        .args(["confirm", "locals.cu", "-D", "all", "--message-format", "json"])
        .env("RECORD", "1")
        .env("MODULE", bench.root().join("module"))
        .output()
        .unwrap();
    let said = super::Said::from(said).status(1);
    assert!(said.findings().iter().all(|f| f["confirmation"]["status"] == "confirmed"), "{said:?}");
    let kept = std::fs::read_dir(bench.project().join(".scuba/confirmations"))
        .unwrap()
        .map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    let started = kept.map(|log| log.matches("/launcher/launch ").count()).sum::<usize>();
    assert_eq!(started, 3, "two under Compute Sanitizer, one with the checks");
    // What both runs of a check say is said once.
    let said = bench.scuba(["confirm", "locals.cu", "-D", "all", "--message-format", "json"]).status(1);
    let detail = said.findings()[0]["confirmation"]["detail"].as_str().unwrap().to_owned();
    assert_eq!(detail.matches("the access was never out of bounds").count(), 1, "{detail}");
}

#[test]
fn where_an_access_was_travels_with_the_results() {
    let bench = Bench::new("shared_neighbour.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "shared_neighbour.cu", "--bundle", bundle.to_str().unwrap()]).status(0);
    let from = |bench: &Bench| {
        super::Said::from(bench.command().args(["confirm", "--from"]).arg(&bundle).env("RECORD", "1").output().unwrap())
            .status(1)
    };
    let seen = "write of 4 bytes at 0x7f5a00000440, byte 64 of 64 by thread (15, 0, 0) of block (0, 0, 0)";
    assert!(from(&bench).err.contains(seen));
    let results: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bundle.join("results.json")).unwrap()).unwrap();
    assert!(results["outcomes"][0]["confirmation"]["detail"].as_str().unwrap().starts_with(seen), "{results}");
    assert!(results["outcomes"][0]["log"].as_str().unwrap().contains(" 0x7f5a00000440\n"), "{results}");
    // Taken back to where there is no GPU, and shown by the next check.
    bench.tool("nvidia-smi", "exit 9");
    assert!(from(&bench).err.contains(seen));
    assert!(bench.scuba(["check", "shared_neighbour.cu"]).status(1).err.contains(seen));
}
