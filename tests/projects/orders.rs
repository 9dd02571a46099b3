//! Every order in which three units can be compiled, and two at the same time. The shim's question to the analysis is asked
//! without nvcc: what nvcc writes does not matter here.

use super::support::{BAD, GOOD, Project, Said, nvcc};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::host;
use scuba::nvcc::request::AnalysisRequest;
use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, Stdio};

/// What is compiled, the last by g++.
const UNITS: [&str; 3] = ["kernels/clear.cu", "wrapper/wrapper.cu", "apps/two.cpp"];

fn project() -> Project {
    let project = Project::new("filter");
    project.replace("wrapper/wrapper.cu", "  launch_smooth(row.values, count);\n", "");
    project.replace("apps/two.cpp", GOOD, BAD);
    let object = project.command("g++").args(["-Iinclude", "-c", UNITS[2], "-o", "two.o"]).status().unwrap();
    assert!(object.success());
    project
}

fn request(project: &Project, unit: &str) -> AnalysisRequest {
    let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    if unit.ends_with(".cpp") {
        return host::compile(&words(&format!("g++ -Iinclude -c {unit} -o two.o")), &project.root()).unwrap().request;
    }
    let object = unit.replace('/', "-") + ".o";
    let command = NvccCommand::read(
        &words(&format!("-Iinclude -c {unit} -o {object}")),
        &Environment::default(),
        &project.root(),
    );
    command.plan(&project.root(), Some(&nvcc()), &Vec::new).unwrap().request
}

/// Asked as the shim asks.
fn start(project: &Project, unit: &str) -> Child {
    let mut command = project.command(env!("CARGO_BIN_EXE_scuba"));
    let mut child =
        command.arg("__analyze").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&serde_json::to_vec(&request(project, unit)).unwrap()).unwrap();
    child
}

fn analyse(project: &Project, unit: &str) -> Said {
    start(project, unit).wait_with_output().unwrap().into()
}

#[test]
fn the_unit_that_comes_last_is_denied() {
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let project = project();
        for first in [a, b] {
            let said = analyse(&project, UNITS[first]).status(0);
            assert_eq!(said.err, "", "{} before {}", UNITS[first], UNITS[c]);
        }
        let said = analyse(&project, UNITS[c]).status(1);
        assert!(said.err.contains("error[oob-global]: write past the end of `row`"), "{}: {}", UNITS[c], said.err);
    }
}

#[test]
fn of_two_units_at_the_same_time_one_is_denied() {
    for [first, a, b] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let project = project();
        analyse(&project, UNITS[first]).status(0);
        let both = [start(&project, UNITS[a]), start(&project, UNITS[b])];
        let denied =
            both.map(|child| child.wait_with_output().unwrap().status.code()).iter().filter(|s| **s == Some(1)).count();
        assert!(denied >= 1, "{} and {} after {}", UNITS[a], UNITS[b], UNITS[first]);
    }
}

/// A program that lacks a function is left to the unit that has it, or to the link, where the makefile's link comes to us.
#[test]
fn a_program_that_lacks_a_function_waits_where_its_link_is_seen() {
    for (linker, waits) in [("$(NVCC)", true), ("g++", false)] {
        let project = Project::new("filter");
        project.write("Makefile", &format!("NVCC = nvcc\napp: a.o b.o\n\t{linker} a.o b.o -o app\n"));
        project.write("b.cu", "int size() { return 31; }\n");
        project.write(
            "a.cu",
            "int size();\n__global__ void fill(int *p) { p[threadIdx.x] = 1; }\n\
             int main() { int *p; if (cudaMalloc(&p, size() * sizeof(int))) return 1; fill<<<1, 32>>>(p); return 0; }\n",
        );
        analyse(&project, "a.cu").status(0);
        let log = std::fs::read_to_string(project.root().join(".scuba/log")).unwrap_or_default();
        assert_eq!(log.contains("a waits for its link"), waits, "{linker}: {log}");
        let said = analyse(&project, "b.cu").status(1);
        assert!(said.err.contains("error[oob-global]: write past the end of `p`"), "{linker}: {}", said.err);
    }
}
