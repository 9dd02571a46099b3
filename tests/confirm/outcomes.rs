//! What becomes of a finding.

use super::{Bench, here};

const JSON: [&str; 2] = ["--message-format", "json"];

#[test]
fn a_run_of_the_program_confirms_and_the_next_check_shows_it() {
    let bench = Bench::new("global_write.cu");
    bench.sanitizer("global_write.xml", "clean.xml", &bench.project());
    let said = bench
        .command()
        .args(["confirm", "global_write.cu"])
        .args(JSON)
        .args(["--", "-O3", "-DUNUSED=1"])
        .output()
        .unwrap();
    let said = super::Said::from(said).status(1);
    let [finding] = said.findings().try_into().unwrap();
    let confirmation = &finding["confirmation"];
    assert_eq!(confirmation["status"], "confirmed");
    assert_eq!(
        (confirmation["by"].as_str(), confirmation["device"].as_str()),
        (Some("compute-sanitizer"), Some("NVIDIA H200"))
    );
    let detail = confirmation["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("Invalid __global__ write of size 4 bytes is out of bounds at 0x7f")
            && detail.contains("by thread (1, 0, 0) of block (0, 0, 0)"),
        "{detail}"
    );
    assert!(detail.ends_with("(driver 580.159.04, CUDA 13.5.37, Compute Sanitizer 2025.3.1.0)"), "{detail}");

    // The program was built and run once, with the witness's argument, under the options that make memcheck see it.
    let [call] = bench.calls().try_into().unwrap();
    assert!(call.starts_with("--tool memcheck --xml --save "), "{call}");
    for words in [
        "--print-limit 0",
        "--strip-paths no",
        "--padding 1024",
        "--destroy-on-device-error kernel",
        // Whatever the defaults of a version are.
        "--report-api-errors explicit",
        "--track-stream-ordered-races no",
        "--check-api-memory-access yes",
        "--require-cuda-init no",
        "/program 1",
    ] {
        assert!(call.contains(words), "{call}");
    }

    let again =
        bench.scuba(["check", "global_write.cu", "--message-format", "json", "--", "-O3", "-DUNUSED=1"]).status(1);
    assert_eq!(again.findings()[0]["confirmation"], *confirmation);
    let text = bench.scuba(["check", "global_write.cu"]).status(1).err;
    assert!(text.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{text}");

    // What was seen of other code is not shown for this one.
    let source = bench.project().join("global_write.cu");
    let old = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, old.replace("2.0f", "3.0f")).unwrap();
    let changed = bench.scuba(["check", "global_write.cu", "--message-format", "json"]).status(1);
    assert!(changed.findings()[0]["confirmation"].is_null());
}

#[test]
fn other_rules_are_confirmed_in_the_kernel_or_where_the_call_is_refused() {
    let confirmed = |program: &str, record: &str, rule: &str| {
        let bench = Bench::new(program);
        bench.sanitizer(record, "clean.xml", &bench.project());
        // Warnings are confirmed where they are asked for.
        let said = bench.scuba(["confirm", program, "-D", "all", "--message-format", "json"]).status(1);
        let [finding] = said.findings().try_into().unwrap();
        assert_eq!((finding["rule"].as_str(), finding["level"].as_str()), (Some(rule), Some("deny")), "{finding}");
        assert_eq!(finding["confirmation"]["status"], "confirmed", "{finding}");
        finding["confirmation"]["detail"].as_str().unwrap().to_owned()
    };
    let detail = confirmed("use_after_free.cu", "use_after_free.xml", "use-after-free");
    assert!(
        detail.contains("write of size 4 bytes")
            && detail.contains("by thread (0, 0, 0) of block (0, 0, 0), matched at use_after_free.cu:1, in `s`, running the program itself"),
        "{detail}"
    );
    for (program, rule, call) in [
        ("double_free", "double-free", "cudaFree"),
        ("memcpy_too_long", "memcpy-out-of-bounds", "cudaMemcpy"),
        ("memset_too_long", "memcpy-out-of-bounds", "cudaMemset"),
    ] {
        let detail = confirmed(&format!("{program}.cu"), &format!("{program}.xml"), rule);
        assert!(detail.contains(&format!("on CUDA API call to {call}, running the program itself")), "{detail}");
    }
    for (program, rule) in
        [("null_pointer", "invalid-pointer"), ("host_pointer", "invalid-pointer"), ("misaligned", "misaligned")]
    {
        let detail = confirmed(&format!("{program}.cu"), &format!("{program}.xml"), rule);
        assert!(detail.starts_with("Invalid __global__") && detail.contains("running the program itself"), "{detail}");
    }
}

#[test]
fn what_another_access_hides_is_confirmed_by_its_launch_alone() {
    let bench = Bench::new("vector.cu");
    // In the program another access comes first; the launch alone shows this one.
    bench.sanitizer("two_lines.xml", "vector.xml", &bench.project());
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "confirmed", "{confirmation}");
    assert!(confirmation["detail"].as_str().unwrap().contains("running this launch alone"), "{confirmation}");
    assert_eq!(bench.calls().len(), 2);
    let launch = std::fs::read_to_string(bench.root().join("last.launch")).unwrap();
    let (first, rest) = launch.split_once('\n').unwrap();
    assert!(first.starts_with("module /"), "{launch}");
    assert_eq!(
        rest,
        "kernel _Z1sP6float4\ngrid 1 1 1\nblock 32 1 1\nshared 0\nobject 0 device 504\nparameter 0 8\npoints 0 0 0 0\n"
    );
}

#[test]
fn silence_is_not_reproduced_and_keeps_the_finding_and_its_log() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let [finding] = said.findings().try_into().unwrap();
    assert_eq!(
        (finding["level"].as_str(), finding["confirmation"]["status"].as_str()),
        (Some("deny"), Some("not-reproduced"))
    );
    let folder = bench.project().join(".scuba/confirmations");
    let [kept] = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>().try_into().unwrap();
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(kept).unwrap()).unwrap();
    let log = kept["log"].as_str().unwrap();
    for words in [
        "== the program itself",
        "== this launch alone",
        "-lineinfo -arch sm_90",
        "0 records",
        "== this launch with a check",
    ] {
        assert!(log.contains(words), "{log}");
    }
}

/// The GPU runs code for its own architecture, which may lack what the finding is about.
#[test]
fn silence_of_code_for_another_architecture_is_inconclusive() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let confirmed = |arch: &str| {
        let said = bench.command().args(["confirm", "vector.cu"]).args(JSON).args(["--", arch]).output().unwrap();
        super::Said::from(said).status(1).findings()[0]["confirmation"].clone()
    };
    assert_eq!(confirmed("-arch=sm_90")["status"], "not-reproduced");
    for (flag, arch) in [
        ("-arch=sm_100", "sm_100"),
        ("-gencode=arch=compute_100f,code=sm_100", "sm_100f"),
        ("-gencode=arch=compute_90a,code=sm_90a", "sm_90a"),
    ] {
        let confirmation = confirmed(flag);
        assert_eq!(confirmation["status"], "inconclusive", "{arch}");
        let detail = confirmation["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("in code for sm_90: the finding is about code for {arch}")), "{detail}");
    }
}

#[test]
fn what_compute_sanitizer_cannot_see_is_confirmed_by_the_check_in_the_kernel() {
    let bench = Bench::new("shared_neighbour.cu");
    bench.sanitizer("shared_neighbour.xml", "shared_neighbour.xml", &bench.project());
    let said = bench.command().args(["confirm", "shared_neighbour.cu"]).args(JSON).env("RECORD", "1").output().unwrap();
    let said = super::Said::from(said).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("confirmed"), Some("kernel-check")),
        "{confirmation}"
    );
    let detail = confirmation["detail"].as_str().unwrap();
    assert!(detail.starts_with("write of 4 bytes at 0x7f5a00000440, byte 64 of 64 by thread (15, 0, 0) of block (0, 0, 0), 5 times out of bounds in all, checked at shared_neighbour.cu:5, running this launch with a check compiled into the kernel"), "{detail}");

    // A kernel that ends early says nothing.
    let said = bench
        .command()
        .args(["confirm", "shared_neighbour.cu"])
        .args(JSON)
        .env("RECORD", "1")
        .env("FAILS", "1")
        .output()
        .unwrap();
    let confirmation = &super::Said::from(said).status(1).findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "inconclusive", "{confirmation}");
    assert!(confirmation["detail"].as_str().unwrap().contains("failed: 700 (an error)"), "{confirmation}");
}

#[test]
fn what_other_bad_accesses_hide_is_confirmed_where_they_are_left_out() {
    let bench = Bench::new("use_after_free.cu");
    // Compute Sanitizer sees another access first, in the program and in the launch alone.
    bench.sanitizer("two_lines.xml", "two_lines.xml", &bench.project());
    let of = |environment: &[(&str, &str)]| {
        let mut command = bench.command();
        command.args(["confirm", "use_after_free.cu"]).args(JSON).envs(environment.iter().copied());
        super::Said::from(command.output().unwrap()).status(1).findings()[0]["confirmation"].clone()
    };
    // A kernel that has the other bad access ends early, one that leaves it out does not.
    let confirmation = of(&[("RECORD", "1"), ("GUARDED", "1")]);
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("confirmed"), Some("kernel-check")),
        "{confirmation}"
    );
    let detail = confirmation["detail"].as_str().unwrap();
    for words in
        ["write of 4 bytes at 0x", " of memory that was freed by thread (0, 0, 0)", ", 3 other bad accesses omitted"]
    {
        assert!(detail.contains(words), "{detail}");
    }
    // What nothing shows is no evidence.
    assert_eq!(of(&[("GUARDED", "1")])["status"], "inconclusive");
}

#[test]
fn a_launch_of_minutes_is_not_waited_for_once_the_check_saw_the_witness() {
    let bench = Bench::new("shared_neighbour.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let of = |bench: &Bench, environment: &[(&str, &str)]| {
        let mut command = bench.command();
        command.args(["confirm", "shared_neighbour.cu"]).args(JSON).env("HANGS", "1").envs(environment.iter().copied());
        super::Said::from(command.output().unwrap()).status(1).findings()[0]["confirmation"].clone()
    };
    let confirmation = of(&bench, &[("RECORD", "1")]);
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("confirmed"), Some("kernel-check")),
        "{confirmation}"
    );
    let mut kept = std::fs::read_dir(bench.project().join(".scuba/confirmations")).unwrap();
    let log = std::fs::read_to_string(kept.next().unwrap().unwrap().path()).unwrap();
    assert!(log.contains("ended: all that was sought was seen"), "it waited for the launch: {log}");
    // Where the time is up, that is the reason, and what may be done about it.
    let settings = std::fs::read_to_string(bench.project().join("scuba.toml")).unwrap();
    bench.settings(&settings.replace("[confirm]\n", "[confirm]\ntimeout_s = 2\n"));
    let confirmation = of(&bench, &[]);
    assert_eq!(confirmation["status"], "inconclusive", "{confirmation}");
    let detail = confirmation["detail"].as_str().unwrap();
    assert!(detail.contains("did not end in time (2 seconds: `[confirm] timeout_s`)"), "{detail}");
}

/// The rule of a finding, words of its message, and what the check in the kernel says of it.
type Confirmed = (&'static str, &'static str, &'static str);

const IN_PARTS: &[(&str, &[Confirmed])] = &[
    (
        "parts.cu",
        &[
            (
                "intra-allocation",
                "into `factors`",
                "write of 4 bytes at ADDRESS, byte 16 of 16 of its part by thread (",
            ),
            ("intra-allocation", "into `state`", "read of 4 bytes at ADDRESS, byte 16 of 16 of its part by thread ("),
        ],
    ),
    (
        "rows.cu",
        &[("intra-allocation", "a row of `left`", "read of 4 bytes at ADDRESS, byte 32 of 32 of its part by thread (")],
    ),
    (
        "halves.cu",
        &[
            ("intra-allocation", "into `high`", "write of 4 bytes at ADDRESS, byte "),
            ("oob-global", "past the end of `far`", "write of 4 bytes at ADDRESS, byte "),
        ],
    ),
    (
        "locals.cu",
        &[
            ("oob-local", "past the end of `m`", "read of 4 bytes at ADDRESS, byte 36 of 36 by thread ("),
            ("oob-local", "past the end of `state`", "write of 4 bytes at ADDRESS, byte 12 of 12 by thread ("),
        ],
    ),
];

#[test]
fn parts_rows_locals_and_other_allocations_are_confirmed_by_the_check_while_compute_sanitizer_is_silent() {
    for (program, findings) in IN_PARTS {
        let bench = Bench::new(program);
        bench.sanitizer("clean.xml", "clean.xml", &bench.project());
        let said =
            bench.command().args(["confirm", program, "-D", "all"]).args(JSON).env("RECORD", "1").output().unwrap();
        let all = super::Said::from(said).status(1).findings();
        for (rule, words, expected) in *findings {
            let found = all
                .iter()
                .find(|f| f["message"].as_str().unwrap().contains(words))
                .unwrap_or_else(|| panic!("{program}: {all:?}"));
            assert_eq!(found["rule"], *rule);
            let confirmation = &found["confirmation"];
            assert_eq!(
                (confirmation["status"].as_str(), confirmation["by"].as_str()),
                (Some("confirmed"), Some("kernel-check")),
                "{program}: {confirmation}"
            );
            let detail = confirmation["detail"].as_str().unwrap();
            let detail = detail
                .split(' ')
                .map(|w| if w.starts_with("0x") && w.ends_with(',') { "ADDRESS," } else { w })
                .collect::<Vec<_>>()
                .join(" ");
            assert!(
                detail.starts_with(expected)
                    && detail.contains("running this launch with a check compiled into the kernel"),
                "{program}: {detail}"
            );
            assert_eq!(
                detail.contains("; Compute Sanitizer reports nothing ("),
                *rule == "intra-allocation",
                "{program}: {detail}"
            );
        }
    }
}

#[test]
fn inside_one_allocation_only_the_check_in_the_kernel_says_anything() {
    let bench = Bench::new("parts.cu");
    let of = |bench: &Bench, environment: &[(&str, &str)]| {
        let said = bench
            .command()
            .args(["confirm", "parts.cu"])
            .args(JSON)
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        super::Said::from(said).status(1).findings()[0]["confirmation"].clone()
    };
    // It is silent: the finding is not reproduced.
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let confirmation = of(&bench, &[]);
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("not-reproduced"), Some("kernel-check")),
        "{confirmation}"
    );
    // It could not be run: what Compute Sanitizer says, or does not say, is no answer.
    for golden in ["clean.xml", "vector.xml"] {
        bench.sanitizer(golden, golden, &bench.project());
        let confirmation = of(&bench, &[("FAILS", "1")]);
        assert_eq!(confirmation["status"], "inconclusive", "{golden}: {confirmation}");
        assert!(confirmation["detail"].as_str().unwrap().contains("failed: 700 (an error)"), "{confirmation}");
    }
}

#[test]
fn a_run_that_hangs_after_the_access_was_reported_confirms_it() {
    let bench = Bench::new("vector.cu");
    let text = here().join("golden/vector.txt");
    bench.tool(
        "compute-sanitizer",
        &format!(
            "[ \"$1\" = --version ] && exit 0\nsed 's|/project|{}|' {}\nsleep 300",
            bench.project().display(),
            text.display()
        ),
    );
    bench.settings(&format!(
        "[confirm]\ntimeout_s = 2\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "confirmed", "{confirmation}");
}

#[test]
fn what_is_not_understood_is_never_clean() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool("compute-sanitizer", &script.replace("grep -q", "sed -i 's|<ComputeSanitizerOutput/>|<ComputeSanitizerOutput><novelty/></ComputeSanitizerOutput>|' \"$save\"; grep -q"));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "inconclusive", "{confirmation}");
    assert!(confirmation["detail"].as_str().unwrap().contains("novelty"), "{confirmation}");
}

#[test]
fn a_hung_run_is_ended_and_says_so() {
    let bench = Bench::new("vector.cu");
    bench.tool(
        "compute-sanitizer",
        "[ \"$1\" = --version ] && exit 0\nsleep 300 & echo $! >>\"$(dirname \"$0\")/pids\"\nwait",
    );
    bench.settings(&format!(
        "[confirm]\ntimeout_s = 1\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "inconclusive");
    assert!(confirmation["detail"].as_str().unwrap().contains("did not end in time"), "{confirmation}");
    let pids = std::fs::read_to_string(bench.tools().join("pids")).unwrap();
    for pid in pids.lines() {
        assert!(!std::path::Path::new("/proc").join(pid).join("exe").exists(), "process {pid} is left");
    }
    assert_eq!(pids.lines().count(), 2);
}

#[test]
fn too_much_memory_is_not_asked_for() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    bench.settings(&format!(
        "[confirm]\nmax_bytes = \"500B\"\ncompute_sanitizer = \"{}\"\n",
        bench.tools().join("compute-sanitizer").display()
    ));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(confirmation["status"], "inconclusive");
    // The launch alone has a mebibyte before and after each of its objects.
    for words in [
        "it takes 504 bytes of device memory, and `[confirm] max_bytes` allows 500 bytes",
        "it takes 2.1 MiB (2097656 bytes)",
    ] {
        assert!(confirmation["detail"].as_str().unwrap().contains(words), "{confirmation}");
    }
    assert!(bench.calls().is_empty());
}

#[test]
fn the_users_own_program_and_single_findings_may_be_named() {
    let bench = Bench::new("two_lines.cu");
    bench.sanitizer("two_lines.xml", "clean.xml", &bench.project());
    let all = bench.scuba(["check", "two_lines.cu", "--message-format", "json"]).status(1).findings();
    let read = all.iter().find(|f| f["access"]["direction"] == "read").unwrap();
    let print = read["fingerprint"].as_str().unwrap();
    let program = here().join("golden/clean.xml");
    let said = bench
        .scuba(["confirm", "two_lines.cu", &print[..8], "--exe", program.to_str().unwrap(), "--message-format", "json"])
        .status(1);
    for f in said.findings() {
        let expected = if f["fingerprint"] == read["fingerprint"] { "confirmed" } else { "null" };
        assert_eq!(f["confirmation"]["status"].as_str().unwrap_or("null"), expected, "{f}");
    }
    assert!(bench.calls()[0].ends_with("/golden/clean.xml"), "{:?}", bench.calls());
    let said = bench.scuba(["confirm", "two_lines.cu", "0123456789abcdef"]).status(2);
    assert!(said.err.contains("there is no finding `0123456789abcdef`"), "{}", said.err);
}

#[test]
fn without_a_gpu_it_says_what_to_do() {
    let bench = Bench::new("vector.cu");
    bench.tool("nvidia-smi", "echo 'No devices were found'; exit 6");
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    let said = bench.scuba(["confirm", "vector.cu"]).status(2);
    assert!(
        said.err.contains("there is no NVIDIA GPU here") && said.err.contains("scuba confirm --bundle DIR"),
        "{}",
        said.err
    );
}

#[test]
fn where_all_gpus_are_hidden_there_is_none() {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    let said = bench.command().args(["confirm", "vector.cu"]).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let said = super::Said::from(said).status(2);
    assert!(
        said.err.contains("there is no NVIDIA GPU here (CUDA_VISIBLE_DEVICES hides them all)")
            && bench.calls().is_empty(),
        "{}",
        said.err
    );
}

/// The last way is Compute Sanitizer's again, whatever was tried before it.
#[test]
fn what_other_kernels_hide_is_confirmed_without_their_launches() {
    let bench = Bench::new("vector.cu");
    let source = bench.project().join("vector.cu");
    let text = std::fs::read_to_string(&source).unwrap() + "__global__ void other(int *p) { p[0] = 1; }\n";
    std::fs::write(&source, text).unwrap();
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    let alone = format!(
        "[ -n \"$SCUBA_KERNEL\" ] && golden={} && echo \"launched $SCUBA_KERNEL\" >\"$SCUBA_CALLS\"; sed \"s|",
        here().join("golden/vector.xml").display()
    );
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", &alone));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    let confirmation = &said.findings()[0]["confirmation"];
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("confirmed"), Some("compute-sanitizer")),
        "{confirmation}"
    );
    let detail = confirmation["detail"].as_str().unwrap();
    assert!(detail.contains("running the program itself without the launches of other kernels"), "{detail}");
    // The kernel's own: another one says nothing.
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", &alone.replace("launched", "missed")));
    let said = bench.scuba(["confirm", "vector.cu", "--message-format", "json"]).status(1);
    assert_eq!(said.findings()[0]["confirmation"]["status"], "inconclusive");
}
