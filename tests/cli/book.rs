//! The book: its pages say what the code does, its links lead somewhere, and a wheel brings it and takes it away.

use super::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn page(place: &str) -> String {
    std::fs::read_to_string(root().join(place)).unwrap_or_else(|e| panic!("{place}: {e}"))
}

/// Sources of the programs, without their tests.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, out: &mut Vec<(PathBuf, String)>) {
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        for path in all {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                walk(&path, out);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") || name == "preload.c" {
                let text = std::fs::read_to_string(&path).unwrap();
                let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
                out.push((path, shipped));
            }
        }
    }
    let mut out = vec![];
    walk(&root().join("src"), &mut out);
    assert!(out.len() > 300, "{}", out.len());
    out
}

fn run(command: &mut Command) -> String {
    let out = command.output().unwrap();
    let said = [out.stdout, out.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(out.status.success(), "{command:?}: {said}");
    said
}

/// Variables that SCuBA's own processes and bundles pass to each other, and those of tests.
const INTERNAL: [&str; 19] = [
    "SCUBA_BLESS",
    "SCUBA_BUILD",
    "SCUBA_CALLS",
    "SCUBA_COLOR",
    "SCUBA_DIFF_REPOSITORY",
    "SCUBA_FRONTEND",
    "SCUBA_FUZZ",
    "SCUBA_INTERPOSE_GUARD",
    "SCUBA_INTERPOSE_LIB",
    "SCUBA_INTERPOSE_LOG",
    "SCUBA_INTERPOSE_SHIM",
    "SCUBA_KERNEL",
    "SCUBA_LEVELS",
    "SCUBA_NVCC_RUNNING",
    "SCUBA_ONCE",
    "SCUBA_RUN",
    "SCUBA_SECONDS",
    "SCUBA_USERS_TMPDIR",
    "SCUBA_WAIT_MS",
];

#[test]
fn every_variable_of_the_environment_is_in_the_book_and_no_other() {
    let mut read = BTreeSet::new();
    for (_, text) in sources() {
        for part in text.split('"').skip(1) {
            let is_name = part.len() > 6 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            if part.starts_with("SCUBA_") && is_name && !INTERNAL.contains(&part) {
                read.insert(part.to_owned());
            }
        }
    }
    let text = page("docs/book/environment.md");
    let cells = text.lines().filter(|l| l.starts_with("| `")).map(|l| l.split(" | ").next().unwrap());
    let named: BTreeSet<String> = cells.flat_map(|c| c.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    let ours: BTreeSet<String> = named.iter().filter(|n| n.starts_with("SCUBA_")).cloned().collect();
    assert_eq!(ours, read);
    let all: String = sources().into_iter().map(|(_, t)| t).collect();
    for name in &named {
        assert!(all.contains(name.as_str()), "nothing reads {name}");
    }
}

/// Literal parts of a text with placeholders that are long enough to be looked for.
fn fragments(text: &str, between: impl Fn(char) -> bool) -> Vec<&str> {
    text.split(between)
        .map(|f| f.trim_matches([' ', ':', ',', ';', '(', ')', '.', '`']))
        .filter(|f| f.len() >= 9)
        .collect()
}

/// A source's text as its strings have it: lines that a backslash joins are one.
fn joined(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_suffix('\\') {
            Some(start) if out.ends_with('\u{1}') => {
                out = out.trim_end_matches('\u{1}').to_owned() + start.trim_start() + "\u{1}";
            }
            Some(start) => out += &format!("{start}\u{1}"),
            None if out.ends_with('\u{1}') => out = format!("{}{}\n", out.trim_end_matches('\u{1}'), line.trim_start()),
            None => out += &format!("{line}\n"),
        }
    }
    out
}

#[test]
fn messages_of_the_book_are_those_of_the_code() {
    let text = page("docs/book/messages.md");
    let all: String = sources().iter().map(|(_, t)| joined(t)).collect();
    let rows = text.lines().filter(|l| l.starts_with("| `"));
    let cells: Vec<&str> = rows.map(|l| l.split(" | ").next().unwrap()).collect();
    let quoted = cells.iter().flat_map(|c| c.split('`').skip(1).step_by(2));
    let messages: Vec<&str> = quoted.map(|m| m.trim_start_matches("note: ")).collect();
    assert!(messages.len() > 40, "{messages:?}");
    let mut wrong = vec![];
    for message in &messages {
        for part in fragments(message, |c| c == '…') {
            if !all.contains(part) {
                wrong.push(format!("no source says `{part}`: {message}"));
            }
        }
    }
    // And each line of our own that a source has in full is in the book.
    let mut found = 0;
    for (path, source) in sources() {
        let source = joined(&source);
        for start in ["\"scuba: note: ", "\"scuba: ", "complain(&format!(\"", "complain(\""] {
            for (at, _) in source.match_indices(start) {
                let literal = &source[at + start.len()..];
                let literal = literal.split('"').next().unwrap().trim_start_matches("note: ").trim_end_matches("\\n");
                let mut depth = 0;
                let holes: String = literal
                    .chars()
                    .map(|c| {
                        depth += i32::from(c == '{') - i32::from(c == '}');
                        if depth > 0 || c == '}' || c == '`' { '…' } else { c }
                    })
                    .collect();
                // Commands stand between backticks, which a cell of code cannot have.
                let said = |f: &&str| !f.starts_with("scuba ");
                for part in fragments(&holes, |c| c == '…').into_iter().filter(said) {
                    found += 1;
                    let in_row =
                        |m: &&str| m.contains(part) || fragments(m, |c| c == '…').iter().any(|f| part.contains(f));
                    let known = messages.iter().any(in_row);
                    if !known {
                        wrong.push(format!("no row has `{part}` of {}", path.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty() && found > 15, "docs/book/messages.md: {found} parts looked for: {}", wrong.join("\n"));
}

/// The page says that `scuba-cache-remote` alone opens connections.
#[test]
fn only_the_helper_of_the_remote_cache_opens_connections() {
    let helper = ["src/transport/", "src/bin/scuba-cache-remote.rs"];
    for (path, text) in sources() {
        let is_helper = helper.iter().any(|part| path.to_string_lossy().contains(part));
        for word in ["std::net", "TcpStream", "UdpSocket", "AF_INET", "ToSocketAddrs", "transport::"] {
            assert!(
                is_helper || !text.contains(word),
                "{} has {word}: docs/book/files.md says that only scuba-cache-remote opens connections",
                path.display()
            );
        }
    }
    let lock: toml::Table = page("Cargo.lock").parse().unwrap();
    let name = |text: &str| text.split(' ').next().unwrap().to_owned();
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut ours = BTreeSet::new();
    for package in lock["package"].as_array().unwrap() {
        let this = package["name"].as_str().unwrap().to_owned();
        if package.get("source").is_none() {
            ours.insert(this.clone());
        }
        let all = package.get("dependencies").and_then(|d| d.as_array()).into_iter().flatten();
        needs.entry(this).or_default().extend(all.map(|d| name(d.as_str().unwrap())));
    }
    let all_below = |crate_name: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![crate_name.to_owned()]);
        while let Some(next) = left.pop() {
            if seen.insert(next.clone()) {
                left.extend(needs.get(&next).into_iter().flatten().cloned());
            }
        }
        seen
    };
    // `scuba` holds the programs: the helper, and others that do not name the crate.
    ours.retain(|crate_name| crate_name != "transport" && crate_name != "scuba");
    assert!(ours.len() > 15 && all_below("transport").contains("opendal"), "{ours:?}");
    for crate_name in ours {
        let below = all_below(&crate_name);
        for package in ["opendal", "reqwest", "hyper", "ureq", "curl", "rustls", "native-tls", "openssl", "socket2"] {
            assert!(!below.contains(package), "{crate_name} needs {package}");
        }
    }
}

/// The book with what this machine has: pages always, HTML where mdBook is (`make book` installs it).
/// Returns the help of the command that these words of a command line name, if it is one.
fn help(words: &[&str]) -> Option<String> {
    let command = words.get(1).filter(|w| !w.starts_with('-'));
    let out = Command::new(assert_cmd::cargo::cargo_bin!("scuba")).args(command).arg("--help").output().unwrap();
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn the_table_of_behaviours_names_what_there_is_and_counts_it() {
    let text = page("docs/behaviours.md");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| behaviour ") && !l.starts_with("| --- "))
        .map(|l| l.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    let mut counts = [0; 3];
    for row in &rows {
        let [behaviour, tools, answer, shown] = row[..] else { panic!("{row:?}") };
        let answer = ["yes", "partly", "no"].iter().position(|a| *a == answer).unwrap_or_else(|| panic!("{row:?}"));
        counts[answer] += 1;
        assert!(!behaviour.is_empty() && !tools.is_empty(), "{row:?}");
        let code: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(answer != 0 || shown.contains("](") || !code.is_empty(), "{row:?}: a yes is shown");
        for command in
            code.iter().filter_map(|c| c.find("scuba ").map(|at| &c[at..])).filter(|c| !c.contains("scuba: "))
        {
            let own = command.split(" -- ").next().unwrap();
            let words: Vec<&str> = own.split(' ').collect();
            let help = help(&words).unwrap_or_else(|| panic!("`{command}` is no command"));
            for option in words.iter().filter(|w| w.len() > 1 && w.starts_with('-')) {
                let is_named = help.split([' ', ',', '\n']).any(|word| word == *option);
                assert!(is_named, "`{command}`: {option} is no option");
            }
        }
    }
    let [yes, partly, no] = counts;
    let sum = format!("Of {} such behaviours, {yes} are there, {partly} partly and {no} not.", rows.len());
    assert!(text.contains(&sum), "{sum}");
}

#[test]
fn the_book_is_made_and_its_links_lead_somewhere() {
    let p = Project::new();
    let mdbook = Command::new(root().join("tools/find-mdbook.sh")).output().unwrap();
    let mdbook = String::from_utf8(mdbook.stdout).unwrap().trim().to_owned();
    let mut command = Command::new("python3");
    command.args(["-B".as_ref(), root().join("tools/book.py").as_os_str()]);
    command.arg("--scuba").arg(assert_cmd::cargo::cargo_bin!("scuba")).arg("--out").arg(p.root());
    if !mdbook.is_empty() {
        command.args(["--mdbook", &mdbook]);
    }
    run(&mut command);
    let read = |place: &str| std::fs::read_to_string(p.root().join("pages").join(place)).unwrap();
    assert!(read("book/start.md").contains("scuba build -- make -j8"));
    assert!(read("book/settings.md").contains("[limits]"));
    for rule in scuba::rules::Rule::ALL {
        let text = read(&format!("rules/{rule}.md"));
        assert!(text.contains("## Wrong") && text.contains("## Right") && text.contains("```"), "{rule}");
        assert!(read("rules.md").contains(&format!("rules/{rule}.md")), "{rule}");
    }
    if !mdbook.is_empty() {
        for place in ["index.html", "rules/oob-global.html", "schema/findings.schema.json", "book/messages.html"] {
            assert!(p.root().join("book").join(place).is_file(), "{place}");
        }
    }
    // A link that leads nowhere is found.
    let copy = p.root().join("copy");
    run(Command::new("cp").arg("-r").arg(root().join("docs")).arg(p.root().join("docs")));
    std::fs::create_dir_all(copy.join("tools")).unwrap();
    std::fs::rename(p.root().join("docs"), copy.join("docs")).unwrap();
    for file in ["tools/book.py", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "scuba.toml.example"] {
        std::fs::copy(root().join(file), copy.join(file)).unwrap();
    }
    let broken = page("docs/gpu.md") + "\n[gone](evaluation/gone.md) [no such part](report.md#nowhere)\n";
    std::fs::write(copy.join("docs/gpu.md"), broken).unwrap();
    let mut command = Command::new("python3");
    command.arg("-B").arg(copy.join("tools/book.py")).arg("--scuba").arg(assert_cmd::cargo::cargo_bin!("scuba"));
    let said = command.arg("--out").arg(copy.join("out")).output().unwrap();
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(
        !said.status.success() && err.contains("gpu.md: evaluation/gone.md") && err.contains("report.md#nowhere"),
        "{err}"
    );
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            out.extend(files(&entry.path()));
        } else {
            out.insert(entry.path());
        }
    }
    out
}

/// A wheel of this build's `scuba` with its documents, and without clang and LLVM.
#[test]
fn a_wheel_holds_the_documents_and_leaves_nothing_behind() {
    let p = Project::new();
    let (dist, doc) = (p.root().join("dist"), p.root().join("dist/share/doc/scuba"));
    std::fs::create_dir_all(dist.join("bin")).unwrap();
    std::fs::create_dir_all(doc.join("licences")).unwrap();
    let scuba = assert_cmd::cargo::cargo_bin!("scuba");
    std::fs::copy(scuba, dist.join("bin/scuba")).unwrap();
    std::fs::copy(root().join("LICENSE-MIT"), doc.join("licences/LICENSE-MIT")).unwrap();
    run(Command::new(root().join("tools/packaging/documents.sh")).arg(scuba).arg(&doc));
    run(Command::new(scuba).arg("__pages").arg(&dist));
    let wheel = root().join("tools/packaging/wheel.py");
    run(Command::new("python3").arg("-B").arg(wheel).arg(&dist).arg(p.root().join("out")));
    let wheel = files(&p.root().join("out")).into_iter().next().unwrap();

    let venv = p.root().join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    let before = files(&venv);
    let pip = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(venv.join("bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1").args(["-B", "-m", "pip", "--disable-pip-version-check", "--quiet"]);
        run(command.args(arguments))
    };
    pip(&["install".as_ref(), "--no-index".as_ref(), "--no-deps".as_ref(), wheel.as_os_str()]);
    for place in [
        "scuba.toml.example",
        "CHANGELOG.md",
        "docs/builds.md",
        "docs/schema/scuba.schema.json",
        "docs/rules/oob-global.md",
    ] {
        assert!(venv.join("share/doc/scuba").join(place).is_file(), "{place}");
    }
    // The installed command refers to what lies there.
    p.write("project/a.cu", super::SAFE);
    let said = run(Command::new(venv.join("bin/scuba")).arg("init").arg(p.root().join("project")));
    let example = venv.join("share/doc/scuba/scuba.toml.example");
    assert!(said.contains(&format!("all settings: {}", example.display())), "{said}");
    pip(&["uninstall".as_ref(), "--yes".as_ref(), "scuba-cuda".as_ref()]);
    // pip's own bytecode is not of the wheel.
    let after = files(&venv).into_iter().filter(|f| f.extension().is_none_or(|e| e != "pyc"));
    assert_eq!(after.filter(|f| !before.contains(f)).collect::<Vec<_>>(), Vec::<PathBuf>::new());
}
