//! Formats that other programs read: what services of code review make of a run.

use super::tensors::{ALL, PYBIND, scale};
use super::{Project, SAFE, Said, buggy};
use serde_json::Value;
use std::path::Path;

/// Checks a SARIF document against the official schema.
#[track_caller]
fn assert_valid(document: &str) -> Value {
    let schema: Value = serde_json::from_str(include_str!("../schemas/sarif-2.1.0.json")).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let validator = jsonschema::draft4::new(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

/// A project in the folder `gpu` of a repository, with one bug.
fn in_repository() -> Project {
    let p = Project::new();
    p.git(["init", "-q"]);
    p.write("gpu/scuba.toml", "");
    p.write("gpu/a.cu", &buggy());
    p
}

#[test]
fn github_gets_annotations_on_standard_output_and_a_summary_of_the_job() {
    let p = in_repository();
    let summary = p.write("summary.md", "before\n");
    let said: Said = p
        .command()
        .args(["check", "gpu/a.cu", "--message-format", "github"])
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_SERVER_URL", "https://github.com")
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("GITHUB_SHA", "c0ffee")
        .output()
        .unwrap()
        .into();
    let said = said.status(1);
    assert!(
        said.out.starts_with("::error file=gpu/a.cu,line=4,endLine=4,col=3,endColumn=6,title=oob-global%3A "),
        "{said:?}"
    );
    assert_eq!(said.out.lines().count(), 1, "{said:?}");
    assert!(said.err.contains("scuba: 1 error; 1 access in 1 kernel"), "{said:?}");
    let text = std::fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("before\n## SCuBA\n"), "{text}");
    assert!(text.contains("[gpu/a.cu:4](https://github.com/owner/name/blob/c0ffee/gpu/a.cu#L4)"), "{text}");
    // A file that cannot be written costs a line.
    let said: Said = p
        .command()
        .args(["check", "gpu/a.cu", "--message-format", "github"])
        .env("GITHUB_STEP_SUMMARY", p.root().join("no/such/folder/s.md"))
        .output()
        .unwrap()
        .into();
    assert!(said.status(1).err.contains("the job's summary cannot be written"));
}

#[test]
fn a_build_is_annotated_once_at_its_end_and_a_shim_by_itself_at_once() {
    let p = Project::new();
    p.write("a.cu", &buggy());
    p.write("Makefile", &format!("app.o: a.cu\n\t{} -arch=sm_80 -c a.cu -o app.o\n", super::nvcc().display()));
    let said = p.scuba(["build", "--message-format", "github", "--", "make"]).status(1);
    assert_eq!(said.out.matches("::error file=a.cu,line=4,").count(), 1, "{said:?}");
    assert!(!said.err.contains("::error"), "{said:?}");
    let shim = |format: &str| -> Said {
        let shim = assert_cmd::cargo::cargo_bin!("scuba-nvcc");
        let mut command = std::process::Command::new(shim);
        command.args(["-arch=sm_80", "-c", "a.cu", "-o", "b.o"]).current_dir(p.root());
        command.env("SCUBA_NVCC", super::nvcc()).env("SCUBA_CACHE", super::cache::fresh());
        command.env("SCUBA_MESSAGE_FORMAT", format).output().unwrap().into()
    };
    let said = shim("github").status(1);
    assert!(said.out.is_empty() && said.err.contains("::error file=a.cu,line=4,"), "{said:?}");
    // A document of one command is of no use: lines, as for people.
    for format in ["gitlab", "junit"] {
        let said = shim(format).status(1);
        assert!(said.out.is_empty() && said.err.contains("a.cu:4:3: error[oob-global]: "), "{said:?}");
    }
    let said = shim("xml");
    assert!(said.err.contains("use human, short, json, sarif, github, gitlab or junit"), "{said:?}");
}

#[test]
fn documents_of_gitlab_and_junit_stand_alone_on_standard_output() {
    let p = in_repository();
    let said = p.scuba(["check", "gpu/a.cu", "--message-format", "gitlab"]).status(1);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report[0]["location"]["path"], "gpu/a.cu");
    assert_eq!(report[0]["severity"], "critical");
    let said = p.scuba(["check", "gpu/a.cu", "--message-format", "junit"]).status(1);
    assert!(said.out.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"SCuBA\" tests=\"1\" failures=\"1\""
    ));
    p.write("gpu/a.cu", SAFE);
    let said = p.scuba(["check", "gpu/a.cu", "--message-format", "junit"]).status(0);
    assert!(said.out.contains("name=\"no findings\"") && !said.out.contains("<failure"), "{said:?}");
}

#[test]
fn sarif_of_real_programs_is_valid_and_relative_to_the_repository() {
    let p = in_repository();
    // A comment without a reason is a notification, a unit that is no CUDA another.
    p.write("gpu/a.cu", &buggy().replace("a[i] = 1.0f;", "a[i] = 1.0f; // scuba: allow(oob-global)"));
    let document = assert_valid(&p.scuba(["check", "gpu/a.cu", "--message-format", "sarif"]).status(1).out);
    let run = &document["runs"][0];
    let physical = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "gpu/a.cu");
    assert_eq!(physical["region"]["endColumn"], 7);
    assert_eq!(run["invocations"][0]["toolConfigurationNotifications"][0]["descriptor"]["id"], "settings");
    p.write("gpu/b.cu", "#error no\n");
    let said = p.scuba(["check", "gpu/b.cu", "--message-format", "sarif"]);
    let document = assert_valid(&said.out);
    let told = &document["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(told["descriptor"]["id"], "not-analysed", "{said:?}");
}

/// The document of an operator that lacks a check, whose fix is an edit.
fn of_an_operator(p: &Project) -> Said {
    let source = scale(
        &ALL.replacen(" && x.is_contiguous()", "", 1),
        "torch::empty({x.size(0), x.size(1)}, x.options())",
        PYBIND,
    );
    p.write("operator.cu", &source);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    p.scuba(["check", "operator.cu", "--message-format", "sarif", "--", "-std=c++17", &include])
}

#[test]
fn a_missing_check_is_a_fix_of_the_document() {
    let document = assert_valid(&of_an_operator(&Project::new()).out);
    let fix = &document["runs"][0]["results"][0]["fixes"][0];
    let change = &fix["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "operator.cu", "{document}");
    let inserted = change["replacements"][0]["insertedContent"]["text"].as_str().unwrap();
    assert!(inserted.contains("TORCH_CHECK(x.is_contiguous()"), "{inserted}");
}

/// Microsoft's validator, with the rules of GitHub's code scanning, on a program of each folder of `tests/ui`.
///
/// `make sarif-validate` installs the pinned version and names it in `SARIF_MULTITOOL`.
#[test]
#[ignore = "needs @microsoft/sarif-multitool: make sarif-validate"]
fn microsofts_validator_finds_no_error() {
    let tool = std::env::var_os("SARIF_MULTITOOL").expect("SARIF_MULTITOOL: the validator (make sarif-validate)");
    let p = Project::new();
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut folders: Vec<_> =
        std::fs::read_dir(ui).unwrap().map(|e| e.unwrap().path()).filter(|f| f.is_dir()).collect();
    folders.sort();
    let mut files = vec![];
    let mut results = 0;
    for folder in folders {
        let mut programs: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        programs.retain(|f| f.extension().is_some_and(|e| e == "cu"));
        programs.sort();
        let Some(program) = programs.first() else { continue };
        let said: Said =
            p.command().args(["check", "-v", "--message-format", "sarif"]).arg(program).output().unwrap().into();
        results += assert_valid(&said.out)["runs"][0]["results"].as_array().unwrap().len();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        files.push(p.write(&format!("{name}.sarif"), &said.out));
    }
    let said = of_an_operator(&p);
    results += assert_valid(&said.out)["runs"][0]["results"].as_array().unwrap().len();
    files.push(p.write("operator.sarif", &said.out));
    assert!(files.len() > 10 && results > 10, "{} documents with {results} results", files.len());
    let checked = std::process::Command::new(tool)
        .args(["validate", "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"])
        .args(&files)
        .current_dir(p.root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned() + &String::from_utf8_lossy(&checked.stderr);
    // The project has no home page yet, which the driver's `informationUri` would name.
    let wrong: Vec<&str> = said
        .lines()
        .filter(|l| l.contains(": error ") || l.contains(": warning "))
        .filter(|l| !l.contains("SARIF2005"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(said.contains("Analysis completed successfully") && checked.status.success(), "{said}");
}
