//! A project whose links only CMake knows: two libraries define what the programs call, and a script links.

use super::support::{Project, Said, nvcc, shim};

/// `-o TARGET` comes first, which a reader of commands would take for an option of the shell.
const SCRIPT: &str = "shift 2\nexec \"$@\"\n";

/// The one program allocates what the other should have: nothing but the link tells which of the two definitions it takes in.
#[test]
fn programs_that_a_script_links_are_joined_as_cmake_tells() {
    let project = Project::new("joined");
    project.write("join.sh", SCRIPT);
    let configure = |scuba: bool| -> Said {
        let mut command = if scuba {
            let mut command = project.command(env!("CARGO_BIN_EXE_scuba"));
            command.args(["build", "--", "cmake"]);
            command
        } else {
            project.command("cmake")
        };
        command.args(["-G", "Unix Makefiles", "-S", ".", "-B", "build", "-DCMAKE_CUDA_ARCHITECTURES=80"]);
        command.arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display()));
        for language in ["CUDA", "CXX"] {
            command.arg(format!("-DCMAKE_{language}_COMPILER_LAUNCHER={}", shim().display()));
        }
        command.output().unwrap().into()
    };
    let build = || -> Said { project.command("cmake").args(["--build", "build", "--", "-k"]).output().unwrap().into() };
    let check = |program: &str| project.scuba(&["check", "build", "--program", program]);

    // Nobody has asked CMake, and no link is known: which of the two is meant stays open, and the build asks.
    configure(false).status(0);
    build().without_findings();
    check("two").without_findings();
    // The next configuration answers.
    configure(false).status(0);
    let said = check("two").status(1);
    assert!(
        said.err.contains("error[oob-global]") && said.err.contains("reached from `main` of `two`"),
        "{}",
        said.err
    );
    check("one").status(0).without_findings();

    // Asked before the first configuration, the first build knows.
    std::fs::remove_dir_all(project.root().join("build")).unwrap();
    configure(true);
    let said = build();
    assert!(said.status != 0 && said.all().contains("reached from `main` of `two`"), "{}", said.all());
}
