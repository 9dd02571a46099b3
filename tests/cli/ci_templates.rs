//! The templates of `templates/ci`, run as their services run them.

use super::{Project, SAFE, Said, buggy, nvcc};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(name: &str) -> Value {
    let text = std::fs::read_to_string(checkout().join(name)).unwrap();
    serde_yaml_ng::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A wheel whose `scuba` is the one under test, so that pip installs it without a network.
fn wheel(p: &Project) -> PathBuf {
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", assert_cmd::cargo::cargo_bin!("scuba").display());
    let path = p.root().join("scuba_cuda-0-py3-none-any.whl");
    let make = "import sys, zipfile\n\
        with zipfile.ZipFile(sys.argv[1], 'w') as z:\n\
        \x20for name, text in [('scuba_cuda-0.data/scripts/scuba', sys.argv[2]),\n\
        \x20  ('scuba_cuda-0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: scuba-cuda\\nVersion: 0\\n'),\n\
        \x20  ('scuba_cuda-0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'),\n\
        \x20  ('scuba_cuda-0.dist-info/RECORD', '')]:\n\
        \x20 entry = zipfile.ZipInfo(name)\n\
        \x20 entry.external_attr = 0o100755 << 16\n\
        \x20 z.writestr(entry, text)\n";
    let made = Command::new("python3").args(["-c", make]).arg(&path).arg(script).status().unwrap();
    assert!(made.success());
    path
}

/// A repository with a build by make, whose branch `main` has one bug.
fn repository() -> Project {
    let p = Project::new();
    p.git(["init", "-q"]);
    p.write("old.cu", &buggy());
    p.write("new.cu", SAFE);
    p.write(".gitignore", "*.o\n.scuba/\n*.whl\n*.md\ntmp/\n*.xml\n*.json\n");
    p.write("Makefile", &format!("all: old.o new.o\n%.o: %.cu\n\t{} -arch=sm_80 -c $< -o $@\n", nvcc().display()));
    p.git(["add", "-A"]);
    p.git(["commit", "-q", "-m", "old"]);
    p.git(["checkout", "-q", "-b", "topic"]);
    p
}

/// Runs the shell steps of a composite action as GitHub's runner does, with the little of its expressions that the
/// action uses.
struct Runner<'p> {
    project: &'p Project,
    inputs: BTreeMap<String, String>,
    /// Outputs by `STEP.NAME`.
    outputs: BTreeMap<String, String>,
    path: String,
    /// What `uses` steps were given.
    used: Vec<(String, BTreeMap<String, String>)>,
}

impl<'p> Runner<'p> {
    fn new(project: &'p Project, action: &Value, given: &[(&str, &str)]) -> Self {
        let declared = action["inputs"].as_object().unwrap();
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in declared {
            let value = given.iter().find(|(n, _)| n == name).map(|(_, v)| (*v).to_owned());
            let default = input.get("default").map(text);
            assert!(value.is_some() || default.is_some() && input["required"] != true, "input {name}");
            inputs.insert(name.clone(), value.or(default).unwrap());
        }
        assert!(given.iter().all(|(name, _)| declared.contains_key(*name)));
        let path = std::env::var("PATH").unwrap();
        Self { project, inputs, outputs: BTreeMap::new(), path, used: vec![] }
    }

    fn value(&self, expression: &str) -> String {
        let parts: Vec<&str> = expression.trim().split('.').collect();
        match parts.as_slice() {
            ["inputs", name] => self.inputs.get(*name).unwrap_or_else(|| panic!("no input {name}")).clone(),
            ["steps", step, "outputs", name] => {
                self.outputs.get(&format!("{step}.{name}")).cloned().unwrap_or_default()
            }
            _ => panic!("`{expression}` is no expression that this test knows"),
        }
    }

    fn expand(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, from)) = rest.split_once("${{") {
            let (expression, after) = from.split_once("}}").unwrap();
            out.push_str(before);
            out.push_str(&self.value(expression));
            rest = after;
        }
        out + rest
    }

    fn holds(&self, condition: &str) -> bool {
        condition.split("&&").all(|one| {
            let (equal, (left, right)) = match one.split_once("!=") {
                Some(sides) => (false, sides),
                None => (true, one.split_once("==").unwrap()),
            };
            (self.value(left) == right.trim().trim_matches('\'')) == equal
        })
    }

    /// Runs all steps; returns the status of the first that fails, and what all said.
    fn run(&mut self, action: &Value) -> Said {
        let mut all = Said { status: 0, out: String::new(), err: String::new() };
        for step in action["runs"]["steps"].as_array().unwrap() {
            if all.status != 0 || !step.get("if").is_none_or(|c| self.holds(c.as_str().unwrap())) {
                continue;
            }
            let map = |name: &str| -> BTreeMap<String, String> {
                let entries = step.get(name).and_then(Value::as_object).into_iter().flatten();
                entries.map(|(k, v)| (k.clone(), self.expand(&text(v)))).collect()
            };
            if let Some(action) = step.get("uses") {
                let given = map("with");
                self.used.push((text(action), given));
                continue;
            }
            let said = self.step(step, &map("env"));
            all.out += &said.out;
            all.err += &said.err;
            all.status = said.status;
        }
        all
    }

    fn step(&mut self, step: &Value, env: &BTreeMap<String, String>) -> Said {
        assert_eq!(step["shell"], "bash", "a composite action names the shell");
        // Texts of users reach a shell by the environment only.
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "{script}");
        let root = self.project.root();
        let temporary = root.join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let file = |name: &str| self.project.write(&format!("tmp/{name}"), "");
        let (output, path) = (file("output"), file("path"));
        let folder = step.get("working-directory").map_or(String::new(), |w| self.expand(&text(w)));
        let mut command = self.project.command();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]);
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                bash.env(name, value)
            } else {
                bash.env_remove(name)
            };
        }
        command = bash;
        command.current_dir(root.join(folder)).stdin(Stdio::null()).envs(env).env("PATH", &self.path);
        command.env("RUNNER_TEMP", &temporary).env("GITHUB_OUTPUT", &output).env("GITHUB_PATH", &path);
        command.env("GITHUB_WORKSPACE", &root).env("GITHUB_STEP_SUMMARY", root.join("summary.md"));
        command
            .env("GITHUB_SERVER_URL", "https://github.com")
            .env("GITHUB_REPOSITORY", "o/n")
            .env("GITHUB_SHA", "c0ffee");
        command.env("PIP_NO_INDEX", "1").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        let said: Said = command.output().unwrap().into();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            self.path = format!("{line}:{}", self.path);
        }
        for line in std::fs::read_to_string(&output).unwrap().lines() {
            let (name, value) = line.split_once('=').unwrap();
            self.outputs.insert(format!("{}.{name}", step["id"].as_str().unwrap()), value.to_owned());
        }
        said
    }
}

#[test]
fn the_action_installs_builds_annotates_and_uploads() {
    let p = repository();
    p.write("new.cu", &buggy());
    let action = yaml("templates/ci/action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    let wheel = wheel(&p);
    let wheel = wheel.to_str().unwrap();

    let given = [("build", "make -k"), ("wheel", wheel), ("diff-base", "main"), ("options", "-W data-index -q")];
    let mut runner = Runner::new(&p, &action, &given);
    let said = runner.run(&action);
    assert_eq!(said.status, 1, "{said:?}");
    assert!(runner.path.starts_with(p.root().join("tmp/scuba/bin").to_str().unwrap()), "scuba comes from the wheel");
    assert_eq!(said.out.matches("::error file=").count(), 1, "{said:?}");
    assert!(said.out.contains("::error file=new.cu,line=4,"), "{said:?}");
    let summary = std::fs::read_to_string(p.root().join("summary.md")).unwrap();
    assert!(summary.contains("[new.cu:4](https://github.com/o/n/blob/c0ffee/new.cu#L4)"), "{summary}");
    assert_eq!(runner.outputs["build.status"], "1");
    // Code scanning gets all findings, and compares by itself.
    let [(name, with)] = runner.used.as_slice() else { panic!("{:?}", runner.used) };
    assert_eq!((name.as_str(), with["category"].as_str()), ("github/codeql-action/upload-sarif@v4", "scuba"));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&with["sarif_file"]).unwrap()).unwrap();
    assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), 2);

    // Without new bugs, and without an upload, where scuba is there already.
    p.write("new.cu", SAFE);
    let installed = runner.path;
    let given = [("build", "make -k"), ("diff-base", "main"), ("upload", "false")];
    let mut runner = Runner { path: installed.clone(), ..Runner::new(&p, &action, &given) };
    let said = runner.run(&action);
    assert_eq!((said.status, runner.used.len()), (0, 0), "{said:?}");

    // A build that fails by itself keeps its status.
    let given = [("build", "make; exit 7"), ("diff-base", "main")];
    let mut runner = Runner { path: installed, ..Runner::new(&p, &action, &given) };
    assert_eq!(runner.run(&action).status, 7);
}

#[test]
fn the_job_for_gitlab_reports_all_and_fails_for_new_bugs() {
    let p = repository();
    let jobs = yaml("templates/ci/gitlab.yml");
    let job = &jobs[".scuba"];
    let mut script = String::from("set -eo pipefail\n");
    for part in ["before_script", "script"] {
        for line in job[part].as_array().unwrap() {
            script.push_str(&format!("{}\n", line.as_str().unwrap()));
        }
    }
    let script = script.replace("/tmp/scuba-venv", p.root().join("tmp/venv").to_str().unwrap());
    let wheel = wheel(&p);
    let run = |base: &str| -> Said {
        let mut bash = Command::new("bash");
        for (name, value) in p.command().get_envs() {
            if let Some(value) = value {
                bash.env(name, value)
            } else {
                bash.env_remove(name)
            };
        }
        for (name, value) in job["variables"].as_object().unwrap() {
            bash.env(name, text(value));
        }
        bash.args(["-c", &script]).current_dir(p.root()).stdin(Stdio::null()).env("SCUBA_WHEEL", &wheel);
        bash.env("SCUBA_BUILD", "make -k").env("CI_MERGE_REQUEST_DIFF_BASE_SHA", base).env("PIP_NO_INDEX", "1");
        bash.output().unwrap().into()
    };
    let base = "main";
    let said = run(base);
    assert_eq!(said.status, 0, "{said:?}");
    p.write("new.cu", &buggy());
    let said = run(base);
    assert_eq!(said.status, 1, "{said:?}");
    let reports = job["artifacts"]["reports"].as_object().unwrap();
    let report = |name: &str| std::fs::read_to_string(p.root().join(reports[name].as_str().unwrap())).unwrap();
    let quality: Value = serde_json::from_str(&report("codequality")).unwrap();
    let paths: Vec<&str> =
        quality.as_array().unwrap().iter().map(|e| e["location"]["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["new.cu", "old.cu"], "GitLab compares by itself");
    let junit = report("junit");
    assert!(junit.contains("failures=\"1\"") && junit.contains("new.cu:4:3") && !junit.contains("old.cu"), "{junit}");
    // In a branch the variable is empty: all findings count.
    p.write("new.cu", SAFE);
    assert_eq!(run("").status, 1);
}

#[test]
fn the_hook_fails_for_new_bugs_of_files_and_of_the_last_build() {
    let p = repository();
    let hook = checkout().join("templates/ci/pre-commit.sh");
    let run = |arguments: &[&str]| -> Said {
        let mut bash = Command::new(&hook);
        for (name, value) in p.command().get_envs() {
            if let Some(value) = value {
                bash.env(name, value)
            } else {
                bash.env_remove(name)
            };
        }
        let scuba = assert_cmd::cargo::cargo_bin!("scuba").parent().unwrap();
        let path = format!("{}:{}", scuba.display(), std::env::var("PATH").unwrap());
        bash.args(arguments).current_dir(p.root()).env("PATH", path).output().unwrap().into()
    };
    let files = ["files", "-arch=sm_80", "-DX=\"a b\"", "--", "old.cu", "new.cu"];
    assert_eq!(run(&files).status(0).err, "");
    p.write("new.cu", &buggy());
    let said = run(&files).status(1);
    assert!(said.err.contains("new.cu:4:3") && !said.err.contains("old.cu"), "{said:?}");
    p.scuba(["build", "--", "make", "-k"]);
    let said = run(&["build"]).status(1);
    assert!(said.err.contains("new.cu:4:3") && !said.err.contains("old.cu"), "{said:?}");
    // Each hook of the list names this script with one of its modes.
    for hook in yaml(".pre-commit-hooks.yaml").as_array().unwrap() {
        let entry = hook["entry"].as_str().unwrap();
        assert!(
            ["build", "files"].map(|mode| format!("templates/ci/pre-commit.sh {mode}")).contains(&entry.to_owned())
        );
    }
}

/// pre-commit itself, in a repository that commits. `make ci-templates` installs the pinned version and names it in
/// `PRE_COMMIT`.
#[test]
#[ignore = "needs pre-commit: make ci-templates"]
fn pre_commit_runs_the_hooks_of_this_repository() {
    let tool = std::env::var_os("PRE_COMMIT").expect("PRE_COMMIT: pre-commit (make ci-templates)");
    let hooks = Project::new();
    hooks.git(["init", "-q"]);
    for name in [".pre-commit-hooks.yaml", "templates/ci/pre-commit.sh"] {
        let to = hooks.write(name, "");
        std::fs::copy(checkout().join(name), to).unwrap();
    }
    hooks.git(["add", "-A"]);
    hooks.git(["commit", "-q", "-m", "hooks"]);
    hooks.git(["tag", "v1"]);
    let p = repository();
    p.write(
        ".pre-commit-config.yaml",
        &format!(
            "repos:\n- repo: file://{}\n  rev: v1\n  hooks:\n  - id: scuba-files\n    args: [-arch=sm_80, --]\n  - id: scuba\n",
            hooks.root().display()
        ),
    );
    let scuba = assert_cmd::cargo::cargo_bin!("scuba").parent().unwrap().to_owned();
    let path = format!("{}:{}", scuba.display(), std::env::var("PATH").unwrap());
    let run = |mut command: Command| -> Said {
        for (name, value) in p.command().get_envs() {
            if let Some(value) = value {
                command.env(name, value)
            } else {
                command.env_remove(name)
            };
        }
        command.current_dir(p.root()).env("PATH", &path).env("PRE_COMMIT_HOME", p.root().join("tmp/pre-commit"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap().into()
    };
    let commit = |message: &str| {
        p.git(["add", "-A"]);
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-m", message]);
        run(git)
    };
    let mut install = Command::new(&tool);
    install.arg("install");
    run(install).status(0);
    p.scuba(["build", "--", "make", "-k"]);
    // An old bug in a file that changes elsewhere is no obstacle.
    p.write("old.cu", &format!("// a comment\n{}", buggy()));
    let said = commit("comment").status(0);
    assert!(said.err.contains("SCuBA (single files)") && said.err.contains("Passed"), "{said:?}");
    p.write("new.cu", &buggy());
    let said = commit("new bug").status(1);
    assert_eq!(said.err.matches("new.cu:4:3").count(), 2, "both hooks: {said:?}");
    assert!(!said.err.contains("old.cu:"), "{said:?}");
    p.write("new.cu", SAFE);
    p.write("other.cu", SAFE);
    commit("fixed").status(0);
}
