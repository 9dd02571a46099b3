use super::{Project, SAFE, nvcc};
use scuba::finding::{ReasonCode, Report};
use scuba::rules::Rule;

#[test]
fn what_cannot_be_understood_ends_with_status_2_and_says_what_is_allowed() {
    let p = Project::new();
    for line in [
        &["frobnicate"][..],
        &["check", "--message-format", "xml"],
        &["check", "-D", "oob"],
        &["explain", "oob"],
        &["report"],
        &["build"],
        &[],
    ] {
        let said = super::Said::from(p.command().args(line).output().unwrap()).status(2);
        assert!(!said.err.is_empty() && said.out.is_empty(), "{line:?}: {said:?}");
    }
    assert!(p.scuba(["check", "-D", "oob-gobal"]).err.contains("oob-global"));
    assert!(p.scuba(["explain", "oob"]).err.contains("oob-shared"));
}

#[test]
fn help_and_version_succeed_on_standard_output() {
    let p = Project::new();
    for line in [&["--help"][..], &["--version"], &["check", "--help"], &["build", "-h"]] {
        let said = super::Said::from(p.command().args(line).output().unwrap()).status(0);
        assert!(said.err.is_empty() && said.out.contains("scuba"), "{line:?}");
    }
    assert!(!p.scuba(["--help"]).out.contains("__analyze"));
}

#[test]
fn every_rule_and_every_code_is_explained() {
    let p = Project::new();
    let list = p.scuba(["explain"]).status(0).out;
    for name in Rule::ALL.map(Rule::name).into_iter().chain(ReasonCode::ALL.map(ReasonCode::name)) {
        let said = p.scuba(["explain", name]).status(0);
        let title = said.out.lines().next().unwrap().strip_prefix(&format!("# {name}: ")).unwrap();
        assert!(said.err.is_empty());
        let is_listed = |l: &str| l.split_whitespace().next() == Some(name) && l.ends_with(title);
        assert!(list.lines().any(is_listed), "{name}: {list}");
    }
}

#[test]
fn confirm_without_facts_says_how_to_get_them() {
    let said = Project::new().scuba(["confirm"]).status(2);
    assert!(said.err.contains("no facts under") && said.err.contains("scuba build -- COMMAND"), "{said:?}");
}

#[test]
fn nothing_to_check_is_status_2_with_what_to_do() {
    let p = Project::new();
    let said = p.scuba(["check"]).status(2);
    assert!(said.err.contains("no facts under") && said.err.contains("scuba build"), "{said:?}");
    assert!(p.scuba(["check", "none.cu"]).status(2).err.contains("none.cu"));
    p.write("dir/x", "");
    assert!(p.scuba(["check", "dir", "dir"]).status(2).err.contains("folder"));
    assert!(p.scuba(["check", "-p", "dir"]).status(2).err.contains("compile_commands.json"));
    p.write("a.cu", SAFE);
    assert!(p.scuba(["check", "a.cu", "--", "--version"]).status(2).err.contains("a.cu"));
}

#[test]
fn a_mistake_in_scuba_toml_stops_the_check_with_its_place() {
    let p = Project::new();
    p.write("src/a.cu", SAFE);
    p.write("scuba.toml", "[limits]\nsolver_ms = \"fast\"\n");
    let said = p.scuba(["check", "src/a.cu"]).status(2);
    assert!(said.err.contains("scuba.toml:2:13:"), "{said:?}");
    // Nearer to the source, or named: that one counts.
    p.write("src/scuba.toml", "[levls]\n");
    assert!(p.scuba(["check", "src/a.cu"]).status(2).err.contains("src/scuba.toml:1:2: unknown key `levls`"));
    p.write("good.toml", "");
    p.scuba(["check", "src/a.cu", "--config", "good.toml"]).status(0);
    let by_variable = p.command().args(["check", "src/a.cu"]).env("SCUBA_CONFIG", "good.toml").output().unwrap();
    assert_eq!(by_variable.status.code(), Some(0));
    assert!(p.scuba(["check", "src/a.cu", "--config", "none.toml"]).status(2).err.contains("none.toml"));
}

#[test]
fn documents_stand_alone_on_standard_output_and_text_on_standard_error() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    let json = p.scuba(["check", "a.cu", "--message-format", "json"]).status(0);
    let report: Report = serde_json::from_str(&json.out).unwrap();
    assert_eq!((report.schema.as_str(), report.summary.translation_units), ("scuba-findings/1", 1));
    assert!(report.findings.is_empty() && report.not_analysed.is_empty(), "{report:?}");
    assert_eq!(json.err, "");
    let sarif = p.scuba(["check", "a.cu", "--message-format", "sarif"]).status(0);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&sarif.out).unwrap()["version"], "2.1.0");
    let human = p.scuba(["check", "a.cu"]).status(0);
    assert!(human.out.is_empty() && human.err.starts_with("scuba: no findings"), "{human:?}");
    let quiet = p.scuba(["check", "-q", "a.cu"]).status(0);
    assert!(quiet.out.is_empty() && quiet.err.is_empty(), "{quiet:?}");
    let by_variable = p.command().args(["check", "a.cu"]).env("SCUBA_MESSAGE_FORMAT", "json").output().unwrap();
    assert!(by_variable.stdout.starts_with(b"{"));
}

#[test]
fn what_cannot_be_read_is_one_line_in_words_of_clang_that_build_tools_do_not_match() {
    let p = Project::new();
    p.write("a.cu", "int main() { return undeclared_error; }\n");
    let said = p.scuba(["check", "a.cu"]).status(2);
    let line = said.err.lines().find(|l| l.contains("not analysed:")).unwrap();
    assert!(line.starts_with("scuba: a.cu: not analysed: `error: use of undeclared identifier"), "{said:?}");
    // Tools search for `file:line:column: error:`.
    assert!(!line.contains(": error:") && line.contains("` at ") && !line.contains("warning"), "{line}");
}

#[test]
fn sources_that_are_two_programs_are_not_checked_as_one() {
    let p = Project::new();
    p.write("a.cu", SAFE);
    p.write("b.cu", SAFE);
    let said = p.scuba(["check", "a.cu", "b.cu"]).status(2);
    assert!(said.err.contains("a.cu") && said.err.contains("b.cu") && said.err.contains("main"), "{said:?}");
}

#[test]
fn doctor_finds_what_is_there_and_says_how_to_get_the_rest() {
    let p = Project::new();
    let said = p.scuba(["doctor"]).status(0);
    for name in ["scuba-nvcc", "scuba-extract", "Z3", "nvcc", "nvcc compiles", "clang", "a small program"] {
        assert!(said.out.lines().any(|l| l.starts_with(name) && l.contains(" ok ")), "{name}: {}", said.out);
    }
    assert!(said.out.contains(nvcc().to_str().unwrap()));
    let without =
        super::Said::from(p.command().arg("doctor").env("SCUBA_NVCC", "/no/such/nvcc").output().unwrap()).status(2);
    assert!(
        without.out.lines().any(|l| l.starts_with("nvcc") && l.contains("MISSING") && l.contains("install")),
        "{}",
        without.out
    );
    // What starts may read nothing all the same.
    p.write("scuba.toml", "[frontend]\nflags = [\"-include\", \"no-such-header.h\"]\n");
    let unread = p.scuba(["doctor"]).status(2);
    let line = unread.out.lines().find(|l| l.starts_with("a small program")).unwrap();
    assert!(line.contains("MISSING") && line.contains("no-such-header.h"), "{line}");
    p.write("scuba.toml", "[x]\n");
    assert!(p.scuba(["doctor"]).status(2).out.contains("unknown key `x`"));
}

/// Compiler caches and an nvcc that only say their versions: what is known of them together.
#[test]
fn doctor_says_what_is_known_of_compiler_caches_and_of_newer_toolkits() {
    let p = Project::new();
    let say = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        p.write(name, &format!("#!/bin/sh\necho '{text}'\n"));
        std::fs::set_permissions(p.root().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    say("ccache", "ccache version 4.14.2");
    say("sccache", "sccache 0.16.0");
    let path = format!("{}:{}", p.root().display(), std::env::var("PATH").unwrap());
    let lines = |release: &str| {
        say("nvcc", &format!("Cuda compilation tools, release {release}, V{release}.1"));
        let nvcc = p.root().join("nvcc");
        super::Said::from(p.command().arg("doctor").env("SCUBA_NVCC", nvcc).env("PATH", &path).output().unwrap()).out
    };
    let line = |text: &str, name: &str| text.lines().find(|l| l.starts_with(name)).unwrap().to_owned();
    let (old, new) = (lines("13.2"), lines("13.9"));
    assert!(line(&old, "ccache").contains("CCACHE_DEPEND=1"), "{old}");
    assert!(line(&old, "sccache").contains(" ok ") && line(&new, "sccache").contains("do not use it"), "{old}{new}");
    assert!(!line(&old, "nvcc").contains("newer") && line(&new, "nvcc").contains("newer than 13.5"), "{old}{new}");
}

/// An nvcc that answers and compiles nothing, as that of a toolkit whose parts are of different releases.
#[test]
fn doctor_says_what_an_nvcc_said_that_compiles_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let p = Project::new();
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0;; esac\n\
        echo 'ptxas a.ptx, line 9; fatal   : Unsupported .version 9.5' >&2\nexit 255\n";
    p.write("nvcc", script);
    std::fs::set_permissions(p.root().join("nvcc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let nvcc = p.root().join("nvcc");
    let said = super::Said::from(p.command().arg("doctor").env("SCUBA_NVCC", nvcc).output().unwrap()).status(2);
    let line = said.out.lines().find(|l| l.starts_with("nvcc compiles")).unwrap();
    for part in ["MISSING", "Unsupported .version 9.5", "nvcc itself fails"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(
        std::fs::read_dir(p.root()).unwrap().filter(|f| f.as_ref().unwrap().file_name() == "probe.o").count(),
        0
    );
}

#[test]
fn doctor_does_not_wait_for_an_nvcc_that_hangs() {
    use std::os::unix::fs::PermissionsExt;
    let p = Project::new();
    p.write("nvcc", "#!/bin/sh\nexec sleep 100000\n");
    std::fs::set_permissions(p.root().join("nvcc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let nvcc = p.root().join("nvcc");
    let said = super::Said::from(p.command().arg("doctor").env("SCUBA_NVCC", nvcc).output().unwrap()).status(2);
    let line = |of: &str| said.out.lines().find(|l| l.starts_with(of)).unwrap();
    assert!(line("nvcc  ").contains("MISSING") && line("nvcc  ").contains("did not end in time"), "{}", said.out);
    assert!(line("nvcc compiles").contains("there is no nvcc to ask"), "{}", said.out);
}

#[test]
fn a_build_has_its_commands_own_status() {
    let p = Project::new();
    p.scuba(["build", "--", "sh", "-c", "exit 7"]).status(7);
    assert!(p.scuba(["build", "--", "no-such-command"]).status(2).err.contains("no-such-command"));
    assert!(p.scuba(["build", "--", "true"]).status(2).err.contains("but nothing was analysed"));
}
