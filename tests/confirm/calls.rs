//! The look at the arguments of the host's calls.

use super::{Bench, here, nvcc};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// The runtime's functions that it stands in for, as the template names them.
fn wrapped() -> Vec<String> {
    let template = std::fs::read_to_string(here().join("../../templates/calls.cpp")).unwrap();
    let named = template.lines().filter_map(|l| l.split_once('(')).filter(|(macro_name, _)| {
        !macro_name.is_empty() && macro_name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    });
    named.filter_map(|(_, rest)| Some(rest.split([',', ')']).next()?.to_owned())).collect()
}

#[test]
fn each_side_of_a_call_that_leaves_its_block_is_written_down_and_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let build = |command: &mut Command| {
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    build(
        Command::new(nvcc())
            .args(["-std=c++17", "-O1", "-Xcompiler", "-Wall,-Wextra,-Werror", "-c"])
            .arg(here().join("../../templates/calls.cpp"))
            .arg("-o")
            .arg(at("calls.o")),
    );
    for (name, source) in [("program.o", "programs/calls.c"), ("runtime.o", "libcudart.c")] {
        build(
            Command::new("cc")
                .args(["-O1", "-fno-builtin", "-w", "-c"])
                .arg(here().join(source))
                .arg("-o")
                .arg(at(name)),
        );
    }
    let wraps: Vec<String> = wrapped().iter().map(|n| format!("-Wl,--wrap={n}")).collect();
    assert_eq!(wraps.len(), 44, "{wraps:?}");
    build(
        Command::new("c++")
            .arg(at("program.o"))
            .arg(at("calls.o"))
            .arg(at("runtime.o"))
            .args(&wraps)
            .arg("-o")
            .arg(at("program")),
    );

    let log = at("log");
    let said = Command::new(at("program")).env("SCUBA_CALLS", &log).output().unwrap();
    let launch = |kernel: u32| format!("kernel {kernel} by 2 blocks of 3\nkernel {kernel} by 1 blocks of 3\n");
    let named = |kernel: u32| format!("kernel {} by 2 blocks of 3\n", kernel + 100);
    let all: String = [1, 2].map(|k| launch(k) + &named(k)).concat();
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("0\n{all}"), "{said:?}");
    // It ends as it would without.
    assert_eq!(said.status.signal(), Some(11), "{said:?}");
    let lines: Vec<String> = std::fs::read_to_string(&log)
        .unwrap()
        .lines()
        // Addresses differ from run to run.
        .map(|l| l.split(' ').filter(|w| !w.starts_with("0x")).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            "bad cudaMemcpy read host live 0 25 24",
            "bad cudaMemset write device live 8 41 48",
            "bad cudaMemcpy write host live 28 8 32",
            "bad cudaMemcpyAsync write host live 0 40 32",
            "bad cudaMemcpy2D write device live 0 1028 1024",
            "bad cudaMemcpy2D read host live 0 28 24",
            "bad cudaMemset2D write device live 0 1536 1024",
            "bad cudaMemcpyToSymbol write device live 44 24 64",
            "bad cudaMemcpy read host live 0 9 8",
            "bad cudaMemset write device freed 0 4 16",
            "unknown cudaMemcpy write",
            "bad cudaMemset write device freed 0 4 48",
            "bad access write host freed 12 1 64",
        ]
    );

    // Launches of other kernels are left out, whatever the compiler calls what is local to a unit.
    let other = at("other");
    let said = Command::new(at("program"))
        .envs([("SCUBA_CALLS", other.as_os_str()), ("SCUBA_KERNEL", "_Z4lastPi".as_ref())])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("0\n{}{}", launch(2), named(2)), "{said:?}");
    assert_eq!(std::fs::read_to_string(&other).unwrap().matches("launched _Z4lastPi\n").count(), 1);
}

#[test]
fn a_copy_that_the_driver_lets_pass_is_confirmed_by_its_arguments() {
    let bench = Bench::new("memcpy_too_long.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let log = bench.root().join("log");
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool(
        "compute-sanitizer",
        &script.replace("sed \"s|", &format!("[ -e {0} ] && cp {0} \"$SCUBA_CALLS\"; sed \"s|", log.display())),
    );
    let confirm = || {
        let all = bench
            .scuba(["confirm", "memcpy_too_long.cu", "-D", "all", "--message-format", "json"])
            .status(1)
            .findings();
        let [finding] = all.try_into().unwrap();
        finding
    };
    // Nothing is known of the calls, and none was refused.
    let finding = confirm();
    assert_eq!(finding["confirmation"]["status"], "inconclusive", "{finding}");
    let witness = &finding["witness"];
    let (offset, extent) = (witness["offset_bytes"].as_i64().unwrap(), witness["extent_bytes"].as_i64().unwrap());
    let side = if finding["access"]["direction"] == "read" { "read" } else { "write" };
    let bytes = finding["access"]["bytes"].as_i64().unwrap();
    let bad = |extent: i64| format!("bad cudaMemcpy {side} device live 0x7f00 {offset} {bytes} {extent}\n");
    std::fs::write(&log, bad(extent)).unwrap();
    let confirmation = &confirm()["confirmation"];
    assert_eq!(
        (confirmation["status"].as_str(), confirmation["by"].as_str()),
        (Some("confirmed"), Some("kernel-check")),
        "{confirmation}"
    );
    let detail = confirmation["detail"].as_str().unwrap();
    assert!(
        detail.starts_with(&format!("`cudaMemcpy` {side}s {bytes} bytes at 0x7f00, byte {offset} of {extent} of memory of the device, running the program itself")),
        "{detail}"
    );
    // Another block is no evidence.
    std::fs::write(&log, bad(extent + 1)).unwrap();
    let confirmation = &confirm()["confirmation"];
    assert_eq!(confirmation["status"], "inconclusive", "{confirmation}");
    // It was linked with the stand-ins.
    assert!(bench.calls().iter().any(|c| c.contains("/0-calls/program")), "{:?}", bench.calls());
}
