//! Every way in which a build's processes start others.

use super::{Session, plainly};
use scuba::nvcc::interpose::{InterposeError, run};
use std::ffi::OsString;
use std::path::PathBuf;

/// Calls the function named by its first argument on the program of its second.
const EXECUTES: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    const char *how = argv[1], *program = argv[2];
    char *words[] = {(char *)program, (char *)how, "two words", NULL};
    char *empty[] = {NULL};
    int status;
    pid_t child;
    if (!strcmp(how, "execve")) execve(program, words, environ);
    if (!strcmp(how, "execve-bare")) execve(program, words, empty);
    if (!strcmp(how, "execv")) execv(program, words);
    if (!strcmp(how, "execvp")) execvp("nvcc", words);
    if (!strcmp(how, "execvpe")) execvpe("nvcc", words, empty);
    if (!strcmp(how, "execl")) execl(program, program, how, "two words", NULL);
    if (!strcmp(how, "execlp")) execlp("nvcc", program, how, "two words", NULL);
    if (!strcmp(how, "execle")) execle(program, program, how, "two words", NULL, empty);
    if (!strcmp(how, "system")) {
        char line[8192];
        snprintf(line, sizeof line, "%s system 'two words'", program);
        return system(line) != 0;
    }
    if (!strncmp(how, "posix_spawn", 11)) {
        int e = how[11] == 'p' ? posix_spawnp(&child, "nvcc", NULL, NULL, words, empty)
                               : posix_spawn(&child, program, NULL, NULL, words, environ);
        return e || waitpid(child, &status, 0) != child || status != 0;
    }
    if (!strcmp(how, "vfork")) {
        volatile int parent = 42;
        child = vfork();
        if (!child) { execv(program, words); _exit(99); }
        return waitpid(child, &status, 0) != child || status != 0 || parent != 42;
    }
    return 98;
}
"#;

#[test]
fn every_exec_function_reaches_the_shim() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let source = session.write("executes.c", EXECUTES);
    let program = session.path("executes");
    plainly("cc", &["-o", program.to_str().unwrap(), source.to_str().unwrap()], session.folder.path());
    let ways = [
        "execve",
        "execve-bare",
        "execv",
        "execvp",
        "execvpe",
        "execl",
        "execlp",
        "execle",
        "system",
        "posix_spawn",
        "posix_spawnp",
        "vfork",
    ];
    for way in ways {
        let path = format!("PATH={}:$PATH", nvcc.parent().unwrap().display());
        let outcome = session.sh(&format!("{path} {} {way} {}", program.display(), nvcc.display()));
        assert_eq!(outcome.status.code(), Some(0), "{way}");
        assert_eq!(outcome.compiles.len(), 1, "{way}");
        assert_eq!(outcome.compiles[0].program, nvcc, "{way}");
        assert_eq!(outcome.compiles[0].arguments[1..], [way, "two words"].map(OsString::from), "{way}");
    }
    assert_eq!(session.calls(), ways.map(|way| format!("{} {way} two words", nvcc.display())));
    assert_eq!(session.ran(), ways.map(|way| format!("1 {way} two words")), "nvcc itself runs once, under the guard");
}

#[test]
fn interpreters_and_cleared_environments() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let n = nvcc.display();
    let script = format!(
        "set -e\n\
         env -i {n} env\n\
         env -u LD_PRELOAD sh -c '{n} unset'\n\
         LD_PRELOAD=/nonexistent-library.so sh -c '{n} other' 2>/dev/null\n\
         python3 -c 'import subprocess; subprocess.run([\"{n}\", \"python\"], env={{}}, check=True)'\n\
         cd / && (exec {n} subshell)\n\
         echo piped | xargs {n}\n\
         bash -c '{n} one && {n} two'\n"
    );
    let outcome = session.sh(&script);
    assert!(outcome.status.success());
    let expected = ["env", "unset", "other", "python", "subshell", "piped", "one", "two"];
    assert_eq!(session.calls(), expected.map(|word| format!("{n} {word}")));
    assert_eq!(outcome.compiles[4].directory, PathBuf::from("/"));
}

#[test]
fn variables_for_the_command_reach_the_shim_through_a_cleared_environment() {
    let session = Session::new();
    let nvcc = session.script("bin/nvcc", &format!("echo \"$SCUBA_DIR\" > '{}'", session.path("seen").display()));
    let mut options = session.options();
    options.environment.push(("SCUBA_DIR".into(), "/facts".into()));
    let command = ["env", "-i", nvcc.to_str().unwrap()].map(OsString::from);
    assert!(run(&command, &options).unwrap().status.success());
    assert_eq!(std::fs::read_to_string(session.path("seen")).unwrap(), "/facts\n");
}

#[test]
fn a_compiler_cache_is_wrapped_from_outside() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let cache = session.script("bin/ccache", "exec \"$@\"");
    let outcome = session.sh(&format!("{} {} -c a.cu", cache.display(), nvcc.display()));
    assert!(outcome.status.success());
    assert_eq!(session.calls(), [format!("{} {} -c a.cu", cache.display(), nvcc.display())]);
    assert_eq!(session.ran(), ["1 -c a.cu"]);
}

#[test]
fn what_is_not_an_nvcc_is_left_alone() {
    let session = Session::new();
    session.write("bin/nvcc", "not executable");
    std::fs::create_dir_all(session.path("folder/nvcc")).unwrap();
    std::os::unix::fs::symlink(session.path("scuba-nvcc"), session.path("nvcc")).unwrap();
    let other = session.script("bin/nvcc-wrapper", "exit 7");
    assert_eq!(session.sh(&other.display().to_string()).status.code(), Some(7));
    for broken in ["bin/nvcc", "folder/nvcc", "gone/nvcc"] {
        let outcome = session.sh(&format!("{} -c a.cu 2>/dev/null", session.path(broken).display()));
        assert!(matches!(outcome.status.code(), Some(126 | 127)), "{broken}");
        assert!(outcome.compiles.is_empty(), "{broken}");
    }
    // A link to the shim is the shim: called once, not through itself.
    assert!(session.sh(&format!("{} true", session.path("nvcc").display())).status.success());
    assert_eq!(session.calls(), ["true"]);
}

#[test]
fn without_its_shim_nvcc_still_runs() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let outcome = session.sh(&format!("rm '{}' && {} -c a.cu", session.path("scuba-nvcc").display(), nvcc.display()));
    assert!(outcome.status.success());
    assert_eq!(session.ran(), [" -c a.cu"]);
}

#[test]
fn long_command_lines_arrive_whole() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let outcome = session.sh(&format!("{} $(seq 1 20000)", nvcc.display()));
    assert!(outcome.status.success());
    assert_eq!(outcome.compiles[0].arguments.len(), 20001);
    assert_eq!(session.ran()[0].split(' ').count(), 20001);
}

#[test]
fn records_of_parallel_processes_stay_whole() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let outcome = session.sh(&format!("seq 1 200 | xargs -P 8 -n 1 {} -c", nvcc.display()));
    assert!(outcome.status.success());
    let mut numbers: Vec<u32> =
        outcome.compiles.iter().map(|c| c.arguments[2].to_str().unwrap().parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_session_inside_a_session_has_its_own_rules() {
    let outer = Session::new();
    let nvcc = outer.fake_nvcc();
    let inner = outer.script("inner/scuba-nvcc", "echo inner >> \"$INNER\"; SCUBA_INTERPOSE_GUARD=1 exec \"$@\"");
    let log = outer.write("inner/log", "");
    let outcome = outer.sh(&format!(
        "INNER='{}' SCUBA_INTERPOSE_SHIM='{}' SCUBA_INTERPOSE_LOG='{}' sh -c '{} -c a.cu'",
        outer.path("inner/calls").display(),
        inner.display(),
        log.display(),
        nvcc.display()
    ));
    assert!(outcome.status.success());
    assert!(outer.calls().is_empty() && outcome.compiles.is_empty());
    assert_eq!(super::lines(&outer.path("inner/calls")), ["inner"]);
}

#[test]
fn a_process_that_outlives_its_session_changes_nothing_any_more() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let (go, done) = (session.path("go"), session.path("done"));
    let script = format!(
        "(until [ -e '{}' ]; do sleep 0.05; done; {} late; : > '{}') &",
        go.display(),
        nvcc.display(),
        done.display()
    );
    assert!(session.sh(&script).status.success());
    std::fs::write(&go, "").unwrap();
    for _ in 0..200 {
        if done.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(session.ran(), [" late"]);
    assert!(session.calls().is_empty());
}

#[test]
fn a_statically_linked_tool_is_told_of_and_gets_the_shim_by_name() {
    let session = Session::new();
    let source = session.write("tool.c", "#include <stdlib.h>\n#include <unistd.h>\nint main(void) { char *n = getenv(\"NVCC\"); execl(n, n, \"true\", NULL); return 9; }\n");
    let tool = session.path("tool");
    plainly("cc", &["-static", "-o", tool.to_str().unwrap(), source.to_str().unwrap()], session.folder.path());
    let mut options = session.options();
    options.environment.push(("UNRELATED".into(), "1".into()));
    assert!(std::env::var_os("NVCC").is_none(), "the test's own environment names an nvcc");
    let outcome = run(&[tool.clone().into()], &options).unwrap();
    assert!(outcome.status.success());
    assert_eq!(session.calls(), ["true"]);
    assert_eq!(outcome.notes.len(), 1);
    assert!(outcome.notes[0].starts_with(&format!("{} is statically linked", tool.display())), "{:?}", outcome.notes);
}

/// Executes its arguments by the system call, as statically linked programs do, or by the C library's own function, past whatever is
/// preloaded, as bear's wrapper does.
const EXECUTES_UNSEEN: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    if (!strcmp(argv[1], "syscall")) syscall(SYS_execve, argv[2], argv + 2, environ);
    int (*own)(const char *, char *const[], char *const[]) = dlsym(dlopen("libc.so.6", RTLD_LAZY), "execve");
    own(argv[2], argv + 2, environ);
    return 98;
}
"#;

/// What nobody sees executed tells of itself: an nvcc, be it a script, turns to the shim; a host compiler and a link are recorded, once,
/// and so is a compiler by a link of another name.
#[test]
fn what_is_executed_unseen_is_seen_when_it_starts() {
    let session = Session::new();
    let nvcc = session.fake_nvcc();
    let source = session.write("executes.c", EXECUTES_UNSEEN);
    let program = session.path("executes");
    let folder = session.folder.path().to_owned();
    plainly("cc", &["-o", program.to_str().unwrap(), source.to_str().unwrap()], &folder);
    std::os::unix::fs::symlink(which::which("g++").unwrap(), session.path("other-name")).unwrap();
    session.write("a.cpp", "int a;\n");
    session.write("m.cpp", "int main() {}\n");
    let cxx = which::which("g++").unwrap();
    for (way, last) in [("syscall", 1), ("own", 2)] {
        let p = program.display();
        let script = format!(
            "set -e; cd '{}'; rm -f *.o app\n{p} {way} {} -c {way}.cu\n{p} {way} {cxx} -c a.cpp -o a.o\n{cxx} -c m.cpp -o m.o\n\
             {p} {way} ./other-name -c a.cpp -o b.o\n{p} {way} {cxx} -o app m.o a.o\n",
            folder.display(),
            nvcc.display(),
            cxx = cxx.display()
        );
        let outcome = session.sh(&script);
        assert!(outcome.status.success(), "{way}");
        assert_eq!(session.calls().len(), last, "{way}");
        assert_eq!(session.calls()[last - 1], format!("{} -c {way}.cu", nvcc.display()));
        assert_eq!(session.ran()[last - 1], format!("1 -c {way}.cu"), "nvcc itself runs once, under the guard");
        assert_eq!(outcome.compiles.len(), 1, "{way}");
        let objects = outcome.host_compiles.iter().flat_map(|plan| &plan.request.units);
        let mut objects: Vec<_> = objects.map(|u| u.output.as_ref().unwrap().file_name().unwrap().to_owned()).collect();
        objects.sort();
        assert_eq!(objects, ["a.o", "b.o", "m.o"], "{way}");
        let links: Vec<_> = outcome.links.iter().map(|l| l.output.file_name().unwrap()).collect();
        assert_eq!(links, ["app"], "{way}");
    }
}

/// What a response file says counts as if it stood in the command, and so does a value in the word of its flag.
#[test]
fn host_compilers_are_read_as_they_read_their_words() {
    let session = Session::new();
    session.write("a.cpp", "int a;\n");
    session.write("r", "-c 'a.cpp' -o a.o\n");
    let outcome = session.sh(&format!("cd '{}'; g++ @r; g++ -c a.cpp -ob.o", session.folder.path().display()));
    let objects = outcome.host_compiles.iter().flat_map(|plan| &plan.request.units);
    let objects: Vec<_> = objects.filter_map(|u| u.output.as_ref()?.file_name()).collect();
    assert_eq!(objects, ["a.o", "b.o"]);
}

/// Built with AddressSanitizer by gcc, a program checks that nothing is preloaded before its runtime.
#[test]
fn a_sanitized_program_runs_in_a_build() {
    let session = Session::new();
    let source = session.write("generator.c", "int main(void) { return 0; }\n");
    let generator = session.path("generator");
    plainly(
        "gcc",
        &["-fsanitize=address", "-o", generator.to_str().unwrap(), source.to_str().unwrap()],
        session.folder.path(),
    );
    assert!(session.run(&[generator]).status.success());
}

/// 32-bit programs cannot load the library, and their loader would say so into the build's output.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_32_bit_program_gets_no_library() {
    let session = Session::new();
    // Executes /usr/bin/env with the environment it was given.
    let source = session.write(
        "small.s",
        ".globl _start\n_start:\n mov (%esp), %ecx\n lea 8(%esp,%ecx,4), %edx\n lea 4(%esp), %ecx\n mov $11, %eax\n mov $path, %ebx\n int $0x80\n\
         mov $1, %eax\n mov $5, %ebx\n int $0x80\n.data\npath: .asciz \"/usr/bin/env\"\n",
    );
    let (object, small, seen) = (session.path("small.o"), session.path("small"), session.path("seen"));
    plainly("as", &["--32", "-o", object.to_str().unwrap(), source.to_str().unwrap()], session.folder.path());
    plainly("ld", &["-m", "elf_i386", "-o", small.to_str().unwrap(), object.to_str().unwrap()], session.folder.path());
    if std::process::Command::new(&small).output().is_err() {
        // A kernel without 32-bit programs: no build has one either.
        return;
    }
    let outcome =
        session.sh(&format!("LD_PRELOAD=/other.so:$LD_PRELOAD {} > '{}' 2>/dev/null", small.display(), seen.display()));
    assert!(outcome.status.success());
    let environment = super::lines(&seen);
    assert!(
        environment.iter().any(|l| l.starts_with("LD_PRELOAD=/other.so") && !l.contains("interpose")),
        "{environment:?}"
    );
    assert!(environment.iter().any(|l| l.starts_with("SCUBA_INTERPOSE_LOG=")));
}

#[test]
fn errors_say_what_was_not_found() {
    let session = Session::new();
    assert!(matches!(run(&[], &session.options()), Err(InterposeError::NoCommand)));
    let missing = run(&["no-such-build-tool".into()], &session.options()).unwrap_err().to_string();
    assert!(missing.contains("no-such-build-tool"), "{missing}");
    let options = scuba::nvcc::interpose::InterposeOptions { shim: session.path("nowhere"), environment: Vec::new() };
    let missing = run(&["true".into()], &options).unwrap_err().to_string();
    assert!(missing.contains("nowhere"), "{missing}");
    assert_eq!(session.sh("exit 5").status.code(), Some(5));
}
