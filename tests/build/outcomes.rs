//! What becomes of a build when the analysis passes, warns, gives up, crashes, hangs or is not there; which commands it is asked
//! about; and how the real nvcc is found.

use crate::support::{DENIES, KERNEL, MAIN, Output, PASSES, Shim, clean, install, nvcc, run, write};
use scuba::nvcc::request::LinkKind;
use scuba::nvcc::unit::{Language, Sides};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

const COMPILE: [&str; 4] = ["-arch=sm_80", "-c", "a.cu", "-MD"];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.cu", KERNEL), ("main.cpp", MAIN), ("broken.cu", "__global__ void k( { }\n")]);
    folder
}

/// nvcc's own result with `line` on standard error and nothing that a build tool would take for a diagnostic.
#[track_caller]
fn expect_line(output: &Output, folder: &Path, line: &str) {
    assert_eq!((output.status.code(), output.err().as_str()), (Some(0), line));
    assert!(!line.to_lowercase().contains("error") && !line.to_lowercase().contains("warning"));
    assert!(folder.join("a.o").exists());
}

#[test]
fn text_of_a_passing_analysis_is_printed_once() {
    let shim = Shim::new("cat > /dev/null; echo 'warn: one'; echo 'warn: two' >&2; exit 0");
    let folder = project();
    let output = run(shim.command(folder.path()).args(COMPILE)).ok();
    assert_eq!((output.out().as_str(), output.err().as_str()), ("", "warn: one\nwarn: two\n"));
}

/// The analysis writes to a pipe: it is told whether its text ends up on a terminal.
#[test]
fn text_is_coloured_where_standard_error_is_a_terminal() {
    let shim = Shim::new("cat > /dev/null; echo \"colour: $SCUBA_COLOR\"; exit 0");
    let folder = project();
    let told = |terminal: bool, name: &str, value: &str| {
        let line = format!("{} {}", shim.path().display(), COMPILE.join(" "));
        let mut command = clean(Path::new(if terminal { "script" } else { "sh" }), folder.path());
        command.args([if terminal { "-qec" } else { "-c" }, &line]);
        if terminal {
            command.arg("/dev/null");
        }
        command.env("SCUBA_NVCC", nvcc()).env_remove("NO_COLOR").env("TERM", "xterm").env(name, value);
        let output = run(&mut command).ok();
        let text = output.out() + &output.err();
        text.split_whitespace().last().unwrap_or_default().to_owned()
    };
    for (terminal, name, value, expected) in [
        (true, "TERM", "xterm", "always"),
        (false, "TERM", "xterm", "never"),
        (true, "NO_COLOR", "1", "never"),
        (true, "NO_COLOR", "", "always"),
        (true, "TERM", "dumb", "never"),
        (false, "SCUBA_COLOR", "always", "always"),
        (true, "SCUBA_COLOR", "never", "never"),
    ] {
        assert_eq!(told(terminal, name, value), expected, "terminal: {terminal}, {name}={value}");
    }
}

#[test]
fn one_line_when_it_cannot_follow() {
    let shim = Shim::new("cat > /dev/null; echo 'scuba: note: a.cu: device side not analysed'; exit 2");
    let folder = project();
    let output = run(shim.command(folder.path()).args(COMPILE));
    expect_line(&output, folder.path(), "scuba: note: a.cu: device side not analysed\n");

    let output = run(shim.command(folder.path()).args(COMPILE).env("SCUBA_STRICT", "1"));
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("a.o").exists() && !folder.path().join("a.d").exists());
}

#[test]
fn crashes_and_nonsense_cost_one_line() {
    let folder = project();
    for (script, line) in [
        (
            "cat > /dev/null; echo 'thread main panicked: an error'; exit 101",
            "scuba: note: a.cu was not analysed: scuba ended with status 101\n",
        ),
        ("kill -SEGV $$", "scuba: note: a.cu was not analysed: scuba was ended by signal 11\n"),
        ("exit 1", "scuba: note: a.cu was not analysed: scuba denied the command without a finding\n"),
        // It does not even read the request, which is larger than a pipe holds.
        ("exec 0<&-; exit 127", "scuba: note: a.cu was not analysed: scuba ended with status 127\n"),
        ("head -c 3000000 /dev/urandom; exit 3", "scuba: note: a.cu was not analysed: scuba ended with status 3\n"),
    ] {
        let shim = Shim::new(script);
        let long = format!("-DLONG={}", "x".repeat(100_000));
        let output = run(shim.command(folder.path()).args(COMPILE).arg(long));
        expect_line(&output, folder.path(), line);
    }
    let log = std::fs::read_to_string(folder.path().join(".scuba/log")).unwrap();
    assert!(log.contains("thread main panicked: an error"), "{log}");
    assert_eq!(std::fs::read_to_string(folder.path().join(".scuba/.gitignore")).unwrap(), "*\n");
}

#[test]
fn a_flood_of_findings_is_cut() {
    let shim = Shim::new("cat > /dev/null; yes 'deny: a line of text' | head -c 5000000; exit 1");
    let folder = project();
    let output = run(shim.command(folder.path()).args(COMPILE));
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.len() < 1_100_000 && output.err().ends_with("scuba: note: the output ends here, at 1 MiB\n"));
}

/// A background process that keeps the pipe open must not keep the build.
#[test]
fn leftovers_of_the_analysis_are_ended() {
    let shim = Shim::new("cat > /dev/null; (sleep 1000; touch \"$0.survived\") & echo $! > \"$0.pid\"; exit 0");
    let folder = project();
    let output = run(shim.command(folder.path()).args(COMPILE)).ok();
    assert!(output.took < Duration::from_secs(100));
    let pid = std::fs::read_to_string(shim.folder().join("scuba.pid")).unwrap();
    assert!(!is_alive(pid.trim()), "process {pid} is left behind");
}

#[test]
fn a_hanging_analysis_is_cut_off() {
    let shim = Shim::new("trap '' TERM; echo 'half a finding'; while :; do sleep 1000; done");
    let folder = project();
    // The limit is the analysis's own and a margin of 15 seconds.
    write(folder.path(), &[("scuba.toml", "[limits]\ntu_seconds = 1\n")]);
    let output = run(shim.command(folder.path()).args(COMPILE));
    expect_line(&output, folder.path(), "scuba: note: a.cu was not analysed: it took longer than 16 seconds\n");
    assert!(output.took > Duration::from_secs(15) && output.took < Duration::from_secs(60), "{:?}", output.took);
}

#[test]
fn without_the_analysis_nvcc_builds() {
    let shim = Shim::alone();
    let folder = project();
    let output = run(shim.command(folder.path()).args(COMPILE));
    let line = format!("scuba: note: a.cu was not analysed: `{}` is missing\n", shim.folder().join("scuba").display());
    expect_line(&output, folder.path(), &line);
    let output = run(shim.command(folder.path()).args(COMPILE).env("SCUBA_STRICT", "1"));
    assert_eq!(output.status.code(), Some(2));
}

/// nvcc's failure is nvcc's alone: nothing of ours is printed, and the analysis is not waited for.
#[test]
fn nothing_of_ours_when_nvcc_fails() {
    let shim = Shim::new("cat > /dev/null; echo denied; echo $$ > \"$0.pid\"; sleep 1000; exit 1");
    let folder = project();
    write(folder.path(), &[("broken.o", "an earlier run's")]);
    let words = ["-arch=sm_80", "-c", "broken.cu"];
    let plain = run(clean(&nvcc(), folder.path()).args(words));
    let output = run(shim.command(folder.path()).args(words));
    assert_eq!((output.status, output.out(), output.err()), (plain.status, plain.out(), plain.err()));
    assert!(output.took < Duration::from_secs(100));
    if let Ok(pid) = std::fs::read_to_string(shim.folder().join("scuba.pid")) {
        assert!(!is_alive(pid.trim()), "process {pid} is left behind");
    }
}

/// An analysis that is ended while it works cannot remove its temporary files.
#[test]
fn nothing_of_ours_is_left_in_the_folder_for_temporary_files() {
    let project = project();
    let temporary = tempfile::tempdir().unwrap();
    let left = |shim: &Shim, words: &[&str]| -> Vec<_> {
        let output = run(shim.command(project.path()).args(words).env("TMPDIR", temporary.path()));
        let made = shim.folder().join("made");
        let made =
            PathBuf::from(std::fs::read_to_string(&made).unwrap_or_else(|e| panic!("{e}: {}", output.err())).trim());
        assert!(made.starts_with(temporary.path()) && !made.exists(), "{}", made.display());
        std::fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let works = "made=$(mktemp -d) && touch \"$made/file\" && echo \"$made\" > \"${0%/*}/made\"";
    // nvcc must not fail before the analysis is at work.
    let waits = Shim::new(&format!("cat > /dev/null; {works}; sleep 1000"));
    assert_eq!(left(&waits, &["-arch=sm_80", "-c", "a.cu", "broken.cu"]), Vec::<PathBuf>::new());
    let crashes = Shim::new(&format!("cat > /dev/null; {works}; kill -9 $$"));
    assert_eq!(left(&crashes, &COMPILE), Vec::<PathBuf>::new());
}

/// A reader of sources ends with the program that waits for it, at whatever moment that is killed.
#[test]
fn readers_end_with_the_analysis() {
    let project = project();
    let tools = tempfile::tempdir().unwrap();
    install(Path::new(env!("CARGO_BIN_EXE_scuba")), &tools.path().join("scuba"));
    let reader = tools.path().join("scuba-extract");
    // It does not itself look for its client.
    std::fs::write(&reader, "#!/bin/sh\ncat > /dev/null\necho $$ > \"$0.pid\"\nexec sleep 1000\n").unwrap();
    std::fs::set_permissions(&reader, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = clean(&tools.path().join("scuba"), project.path());
    command.args(["check", "a.cu"]).env("SCUBA_NVCC", nvcc()).env("SCUBA_CACHE", "off");
    let mut check = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let until = |what: &dyn Fn() -> bool| {
        (0..1200).any(|_| {
            what() || {
                std::thread::sleep(Duration::from_millis(50));
                false
            }
        })
    };
    let pid = || std::fs::read_to_string(tools.path().join("scuba-extract.pid")).unwrap_or_default();
    assert!(until(&|| pid().ends_with('\n')), "the reader is not started");
    check.kill().unwrap();
    check.wait().unwrap();
    assert!(until(&|| !is_alive(pid().trim())), "{} is left behind", pid());
}

#[test]
fn switched_off() {
    let shim = Shim::new(DENIES);
    let folder = project();
    assert_eq!(run(shim.command(folder.path()).args(COMPILE).env("SCUBA_OFF", "1")).ok().err(), "");
    assert_eq!(run(shim.command(folder.path()).args(COMPILE).env("SCUBA_OFF", "0")).status.code(), Some(1));
}

#[test]
fn what_the_analysis_is_asked() {
    let shim = Shim::recording("exit 0");
    let folder = project();
    let here = folder.path().canonicalize().unwrap();
    run(shim.command(&here).args(["-arch=sm_86", "-rdc=true", "-DN=1", "-o", "app", "a.cu", "main.cpp", "-lm"])).ok();
    let requests = shim.requests();
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(request.directory, here);
    let link = request.link.as_ref().unwrap();
    assert_eq!((link.kind, &link.output), (LinkKind::Executable, &here.join("app")));
    let [kernel, main] = request.units.as_slice() else { panic!("{:?}", request.units) };
    assert_eq!(
        (kernel.language, kernel.sides, kernel.architectures.as_slice()),
        (Language::Cuda, Sides::Both, [86].as_slice())
    );
    assert_eq!((main.language, main.sides), (Language::Cxx, Sides::HostOnly));
    assert_eq!(kernel.nvcc.as_deref(), Some(nvcc().as_path()));
    assert!(kernel.relocatable && kernel.output.is_none() && kernel.command[1..].contains(&"-DN=1".to_owned()));
}

/// `-arch=native` is what the toolkit's query program says; nvcc does not wait for our question.
#[test]
fn native_architectures_are_asked_of_the_toolkit() {
    let shim = Shim::recording("exit 0");
    let folder = project();
    write(
        folder.path(),
        &[
            ("bin/nvcc", "#!/bin/sh\n: > a.o\n"),
            ("bin/__nvcc_device_query", "#!/bin/sh\n[ -e a.o ] || sleep 1; printf '90,86'\n"),
        ],
    );
    for program in ["bin/nvcc", "bin/__nvcc_device_query"] {
        std::fs::set_permissions(folder.path().join(program), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = shim.command(folder.path());
    run(command.env("SCUBA_NVCC", folder.path().join("bin/nvcc")).args(["-arch=native", "-c", "a.cu"])).ok();
    assert_eq!(shim.requests()[0].units[0].architectures, [90, 86]);
}

/// Probe builds, questions and preprocessing: nvcc takes the shim's place and nobody is asked.
#[test]
fn what_the_analysis_is_not_asked() {
    let shim = Shim::recording("exit 1");
    let folder = project();
    for inside in [
        "CMakeFiles/3.25.1/CompilerIdCUDA",
        "CMakeFiles/CMakeScratch/TryCompile-1",
        "CMakeFiles/CMakeTmp",
        "meson-private/tmp",
    ] {
        write(folder.path(), &[(&format!("{inside}/probe.cu"), KERNEL)]);
        run(shim.command(&folder.path().join(inside)).args(["-arch=sm_80", "-ptx", "probe.cu"])).ok();
    }
    write(folder.path(), &[("conftest.cu", KERNEL)]);
    for words in [
        &["-arch=sm_80", "-ptx", "conftest.cu"][..],
        &["--version"],
        &["-E", "a.cu"],
        &["-M", "a.cu"],
        &["--dryrun", "-c", "a.cu"],
    ] {
        run(shim.command(folder.path()).args(words)).ok();
    }
    assert!(shim.requests().is_empty(), "{:?}", shim.requests());
}

#[test]
fn launcher_mode() {
    let shim = Shim::recording("exit 0");
    let folder = project();
    let run_with = |words: &[&Path]| run(clean(&shim.path(), folder.path()).args(words).args(COMPILE)).ok();
    run_with(&[&nvcc()]);
    assert_eq!(shim.requests().len(), 1);
    // Both as the compiler and as its launcher.
    run_with(&[&shim.path(), &nvcc()]);
    assert_eq!(shim.requests().len(), 2);
    let ccache = folder.path().join("ccache");
    std::fs::write(&ccache, "#!/bin/sh\necho launched\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&ccache, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run_with(&[&ccache, &nvcc()]).out(), "launched\n");
    assert_eq!(shim.requests().len(), 3);
    let units: Vec<_> = shim.requests().into_iter().flat_map(|request| request.units).collect();
    assert!(
        units.iter().all(|unit| unit.nvcc.as_deref() == Some(&nvcc()) && unit.source == Path::new("a.cu")),
        "{units:?}"
    );
}

#[test]
fn found_on_path_and_in_the_settings() {
    let shim = Shim::new(PASSES);
    let folder = project();
    // A link by nvcc's name to the shim comes first on PATH, a real one after it.
    let links = folder.path().join("links");
    std::fs::create_dir(&links).unwrap();
    symlink(shim.path(), links.join("nvcc")).unwrap();
    let path =
        std::env::join_paths([&links, nvcc().parent().unwrap(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    run(clean(&links.join("nvcc"), folder.path()).args(COMPILE).env("PATH", &path)).ok();
    assert!(folder.path().join("a.o").exists());

    let poor = std::env::join_paths([&links, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let output = run(clean(&shim.path(), folder.path()).args(COMPILE).env("PATH", &poor));
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(
        output.err(),
        "scuba-nvcc: no nvcc found: set SCUBA_NVCC, `path` under [nvcc] in scuba.toml, or CUDA_HOME, or put nvcc on PATH\n"
    );

    write(folder.path(), &[("scuba.toml", &format!("[nvcc]\npath = '{}'\n", nvcc().display()))]);
    run(clean(&shim.path(), folder.path()).args(COMPILE).env("PATH", &poor)).ok();

    let output = run(clean(&shim.path(), folder.path()).args(COMPILE).env("SCUBA_NVCC", shim.path()));
    assert_eq!(output.status.code(), Some(127));
    assert!(output.err().contains("which is scuba-nvcc itself"), "{}", output.err());
}

/// A wrapper script that adds flags and calls `nvcc`, which is the shim again: the outer one analyses, the inner one runs nvcc.
#[test]
fn a_wrapper_around_the_shim_ends() {
    let shim = Shim::recording("exit 0");
    let folder = project();
    let wrapper = folder.path().join("wrapper");
    std::fs::write(&wrapper, format!("#!/bin/sh\nexec '{}' -DWRAPPED \"$@\"\n", shim.path().display())).unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = |folders: &[&Path]| std::env::join_paths(folders).unwrap();
    let here = nvcc();
    let mut command = clean(&shim.path(), folder.path());
    command
        .args(COMPILE)
        .env("SCUBA_NVCC", &wrapper)
        .env("PATH", path(&[here.parent().unwrap(), Path::new("/usr/bin"), Path::new("/bin")]));
    run(&mut command).ok();
    assert_eq!(shim.requests().len(), 1);

    std::fs::rename(&wrapper, folder.path().join("nvcc")).unwrap();
    let mut command = clean(&shim.path(), folder.path());
    command.args(COMPILE).env("PATH", path(&[folder.path(), Path::new("/usr/bin"), Path::new("/bin")]));
    let output = run(&mut command);
    assert_eq!(output.status.code(), Some(127));
    assert!(output.err().contains("starts scuba-nvcc again"), "{}", output.err());
}

pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}
