//! A denied finding: the build fails after nvcc's success, and what the command wrote is gone, so that the next run tries again.

use crate::support::{DENIES, KERNEL, MAIN, PASSES, Shim, clean, run, tree, write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const FINDING: &str = "deny[oob-global]: a[i] may be out of bounds\n";

fn names(folder: &Path) -> Vec<String> {
    tree(folder).into_keys().collect()
}

#[test]
fn what_was_written_is_removed() {
    let shim = Shim::new(DENIES);
    for (words, kept) in [
        (
            &["-c", "a.cu", "-o", "sub/a.o", "-MD", "-MF", "sub/a.o.d", "-MT", "sub/a.o"][..],
            &["a.cu", "b.cu", "main.cpp", "sub/"][..],
        ),
        (&["-dc", "a.cu", "b.cu", "-odir", "sub", "-MMD"], &["a.cu", "b.cu", "main.cpp", "sub/"]),
        (&["-ptx", "a.cu"], &["a.cu", "b.cu", "main.cpp", "sub/"]),
        (&["a.cu", "main.cpp", "-o", "app"], &["a.cu", "b.cu", "main.cpp", "sub/"]),
        (&["-lib", "a.cu", "-o", "libk.a"], &["a.cu", "b.cu", "main.cpp", "sub/"]),
        (&["-c", "a.cu", "-o", "/dev/null"], &["a.cu", "b.cu", "main.cpp", "sub/"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("a.cu", KERNEL), ("b.cu", "__global__ void b() {}\n"), ("main.cpp", MAIN)]);
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let output = run(shim.command(folder.path()).arg("-arch=sm_80").args(words));
        assert_eq!((output.status.code(), output.err().as_str()), (Some(1), FINDING), "{words:?}");
        assert_eq!(names(folder.path()), kept, "{words:?}");
    }
    assert!(Path::new("/dev/null").metadata().is_ok_and(|status| !status.is_file()));
}

#[test]
fn what_was_not_written_stays() {
    let shim = Shim::new(DENIES);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(
        folder.path(),
        &[("a.cu", KERNEL), ("a.d", "another tool's"), ("out/target.o", "old"), ("unrelated.o", "old")],
    );
    symlink(at("out/target.o"), at("a.o")).unwrap();
    let output = run(shim.command(folder.path()).args(["-arch=sm_80", "-c", "a.cu"]));
    assert_eq!(output.status.code(), Some(1));
    // nvcc puts a file in place of the link; what the link led to is not its work.
    assert!(!at("a.o").exists() && !at("a.o").is_symlink() && at("out/target.o").exists());
    assert!(at("a.d").exists() && at("unrelated.o").exists());
    let log = std::fs::read_to_string(at(".scuba/log")).unwrap();
    assert!(log.contains("removed ") && log.contains("a.o"), "{log}");
}

const MAKEFILE: &str = "app: a.o main.o\n\t$(NVCC) -arch=sm_80 $^ -o $@\n%.o: %.cu\n\t$(NVCC) -arch=sm_80 -c $< -o $@ -MD\n\
    main.o: main.cpp\n\t$(CXX) -c $< -o $@\n-include a.d\n";

#[test]
fn make_tries_again() {
    let shim = Shim::new(DENIES);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.cu", KERNEL), ("main.cpp", MAIN), ("Makefile", MAKEFILE)]);
    tries_again(&shim, folder.path(), || {
        let mut command = shim.command(folder.path());
        let mut make = clean(Path::new("make"), folder.path());
        make.arg(format!("NVCC={}", command.get_program().display()))
            .envs(command.env_remove("MAKEFLAGS").get_envs().filter_map(|(name, value)| Some((name, value?))));
        make
    });
}

#[test]
fn ninja_tries_again() {
    let shim = Shim::new(DENIES);
    let folder = tempfile::tempdir().unwrap();
    let ninja = format!(
        "nvcc = {}\nrule cu\n command = $nvcc -arch=sm_80 -c $in -o $out -MD -MF $out.d\n depfile = $out.d\n deps = gcc\n\
         rule cxx\n command = g++ -c $in -o $out\nrule link\n command = $nvcc -arch=sm_80 $in -o $out\n\
         build a.o: cu a.cu\nbuild main.o: cxx main.cpp\nbuild app: link a.o main.o\n",
        shim.path().display()
    );
    write(folder.path(), &[("a.cu", KERNEL), ("main.cpp", MAIN), ("build.ninja", &ninja)]);
    tries_again(&shim, folder.path(), || {
        let mut command = clean(Path::new("ninja"), folder.path());
        command.env("SCUBA_NVCC", crate::support::nvcc());
        command
    });
}

/// Fails as long as the finding is denied, however often; builds once it is not; then has nothing to do.
fn tries_again(shim: &Shim, folder: &Path, build: impl Fn() -> Command) {
    for _ in 0..2 {
        let output = run(&mut build());
        assert!(!output.status.success());
        let text = output.out() + &output.err();
        assert_eq!(text.matches(FINDING).count(), 1, "{text}");
        assert!(!folder.join("a.o").exists() && !folder.join("app").exists());
    }
    shim.set_analysis(PASSES);
    run(&mut build()).ok();
    assert!(folder.join("app").exists());
    shim.set_analysis(DENIES);
    run(&mut build()).ok();
}
