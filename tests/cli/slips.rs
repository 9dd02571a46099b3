//! Mistakes in scuba.toml and in comments that accept findings, as commands of a build meet them.

use super::{Project, SAFE, Said, buggy};
use std::io::Write;
use std::process::Stdio;

const SLIP: &str = "[levels]\nmisaligned = \"warn\"\n[levls]\nall = \"warn\"\n";
const NOTE: &str = "scuba: note: scuba.toml:3: unknown key `levls` (did you mean `levels`?); it is ignored; findings that it accepts may be denied\n";

impl Project {
    /// What the shim would ask for, without a shim.
    fn compile_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Said {
        let request = serde_json::to_vec(&self.request(arguments)).unwrap();
        let mut command = self.command();
        command.arg("__analyze").envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&request).unwrap();
        child.wait_with_output().unwrap().into()
    }
}

#[test]
fn a_key_that_is_not_known_is_left_out_and_said_once() {
    let p = Project::new();
    p.write("bad.cu", &buggy());
    p.write("good.cu", SAFE);
    p.write("scuba.toml", SLIP);
    let good = |variables: &[(&str, &str)]| p.compile_with("-c good.cu -o good.o", variables);
    assert_eq!(good(&[]).status(0).err, NOTE);
    assert_eq!(good(&[]).status(0).err, "");
    // What is denied without it says so, beside the finding.
    let said = p.compile("-c bad.cu -o bad.o").status(1);
    let last = said.err.lines().last().unwrap();
    assert!(said.err.contains("error[oob-global]"), "{said:?}");
    assert_eq!(
        last,
        "scuba: note: bad.cu was checked without scuba.toml:3: unknown key `levls` (did you mean `levels`?)"
    );
    // Each build has a name; another text is another mistake.
    for build in ["1", "2"] {
        assert_eq!(good(&[("SCUBA_BUILD", build)]).status(0).err, NOTE);
        assert_eq!(good(&[("SCUBA_BUILD", build)]).status(0).err, "");
    }
    p.write("scuba.toml", &format!("{SLIP}\n"));
    assert_eq!(good(&[]).status(0).err, NOTE);
    // A person is refused, and so is who wants to be strict.
    let said = p.scuba(["check"]).status(2);
    assert!(said.err.contains("scuba.toml:3:2: unknown key `levls`, expected one of `nvcc`"), "{said:?}");
    let said = good(&[("SCUBA_STRICT", "1")]).status(2);
    assert!(said.err.contains("scuba.toml:3:2: unknown key `levls`") && said.err.lines().count() == 1, "{said:?}");
    let said = p.scuba(["build", "--", "touch", "built"]).status(2);
    assert!(said.err.contains("scuba.toml:3:2:") && !p.root().join("built").exists(), "{said:?}");
}

#[test]
fn commands_at_the_same_time_say_it_once() {
    let p = Project::new();
    p.write("scuba.toml", SLIP);
    p.write("empty.cu", "int x;\n");
    p.write(".scuba/keep", "");
    let said: Vec<Said> = std::thread::scope(|s| {
        let all: Vec<_> = (0..6)
            .map(|n| {
                s.spawn({
                    let p = &p;
                    move || p.compile(&format!("-c empty.cu -o {n}.o"))
                })
            })
            .collect();
        all.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(said.iter().filter(|s| s.err == NOTE).count(), 1, "{said:?}");
    assert!(said.iter().all(|s| s.status == 0 && (s.err.is_empty() || s.err == NOTE)), "{said:?}");
}

/// Settings that change what becomes of the finding, and what stands beside them.
#[test]
fn what_the_file_says_besides_counts() {
    let allow = "[[allow]]\nrule = \"oob-global\"\npath = \"bad.cu\"\nreason = \"known\"\n";
    for (text, status, note) in [
        // Accepted, whatever else is wrong.
        (
            format!("{allow}[limits]\nsolver_ms = 0\n"),
            0,
            "scuba.toml:6: 0 is out of range: use 1 to 3600000; it is ignored",
        ),
        (
            format!("[limits]\nsolver_msec = 1\n{allow}"),
            0,
            "scuba.toml:2: unknown key `solver_msec` (did you mean `solver_ms`?); it is ignored",
        ),
        (format!("[limits\nwork = 1\n{allow}"), 0, "scuba.toml:1: unclosed table, expected `]`; it is ignored"),
        ("[levels]\noob-global = \"allow\"\nmisaligned = \"of\"\n".into(), 0, "scuba.toml:3: unknown value `of`"),
        // The mistake is in what accepts.
        (
            allow.replace("oob-global", "oob-gobal"),
            1,
            "scuba.toml:2: unknown rule `oob-gobal` (did you mean `oob-global`?)",
        ),
        (allow.replace("[[allow]]", "[[allow]"), 1, "scuba.toml:1: unclosed array table, expected `]`"),
        ("[baseline]\npath = \"none.json\"\n".into(), 1, "scuba.toml: cannot read the baseline "),
    ] {
        let p = Project::new();
        p.write("bad.cu", &buggy());
        p.write("scuba.toml", &text);
        let said = p.compile("-c bad.cu -o bad.o").status(status);
        assert_eq!(said.err.contains("error[oob-global]"), status == 1, "{text}: {said:?}");
        let notes: Vec<&str> = said.err.lines().filter(|l| l.starts_with("scuba: ")).collect();
        assert!(notes.len() == 1 && notes[0].starts_with(&format!("scuba: note: {note}")), "{text}: {said:?}");
        assert_eq!(notes[0].contains("may be denied"), status == 1 || text.contains("\"of\""), "{notes:?}");
        let refused = p.scuba(["check"]).status(2);
        assert!(refused.err.lines().count() == 1 && !refused.err.contains("ignored"), "{refused:?}");
    }
}

#[test]
fn a_comment_that_cannot_be_understood_is_explained_beside_the_finding() {
    for (comment, why) in [
        ("scuba: allow(oob-gobal) checked", "`scuba: allow` is ignored: unknown rule `oob-gobal`"),
        ("scuba: allow oob-global checked", "malformed `scuba: allow`: write `// scuba: allow(RULE) reason`"),
        ("scuba: allow(oob-global)", "`scuba: allow` needs a reason"),
    ] {
        for (source, line) in [
            (buggy().replace("  a[i] =", &format!("  // {comment}\n  a[i] =")), 4),
            (buggy().replace("= 1.0f;", &format!("= 1.0f; // {comment}")), 4),
        ] {
            // One far away comes after it; one that silences nothing is a whole run's to tell.
            let p = Project::new();
            p.write("a.cu", &format!("{source}// scuba: allow(all)\n// scuba: allow(oob-shared) old\n"));
            let far = format!("scuba: note: a.cu:{}: ", source.lines().count() + 1);
            for format in ["human", "short"] {
                let said = p.compile_with("-c a.cu -o a.o", &[("SCUBA_MESSAGE_FORMAT", format)]).status(1);
                let notes: Vec<&str> = said.err.lines().filter(|l| l.starts_with("scuba: ")).collect();
                let last = notes.last().unwrap();
                assert!(last.starts_with(&far) && last.contains("needs a reason"), "{format}: {said:?}");
                if format == "human" {
                    let note = format!("= note: the comment in line {line} accepts nothing: {why}");
                    assert!(notes.len() == 1 && said.err.contains(&note), "{format}: {said:?}");
                } else {
                    let note = format!("scuba: note: a.cu:{line}: {why}");
                    assert!(notes.len() == 2 && notes[0].starts_with(&note), "{format}: {said:?}");
                }
            }
        }
    }
    // Nothing is said where nothing is found, and of comments in other files.
    let p = Project::new();
    p.write("a.cu", &format!("// scuba: allow(all)\n{SAFE}"));
    assert_eq!(p.compile("-c a.cu -o a.o").status(0).err, "");
    p.write("b.h", "// scuba: allow(all)\n");
    p.write("b.cu", &format!("#include \"b.h\"\n{}", buggy()));
    assert!(!p.compile("-c b.cu -o b.o").status(1).err.contains("scuba: note"));
}
