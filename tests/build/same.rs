//! nvcc's own streams, exit status and files, on many kinds of command lines, wrong ones included.
//!
//! Each line runs under nvcc and then under the shim, in a fresh folder of the same name with the same files in it.

use crate::support::{KERNEL, MAIN, PASSES, Shim, clean, normal, nvcc, run, tree, write};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Line {
    /// As in a shell.
    words: &'static str,
    /// `NVCC_APPEND_FLAGS`.
    append: &'static str,
    /// A file for standard input.
    input: &'static str,
    contents: Contents,
}

/// How the files that two runs wrote are compared, apart from their names.
#[derive(Clone, Copy, PartialEq)]
enum Contents {
    /// Byte for byte, but for the process number in `tmpxft_…`.
    Same,
    /// The same without the host's debug sections: the assembler orders their strings by a hash of texts that hold the number.
    WithoutDebug,
    /// Not at all: they hold times.
    Any,
}

const fn line(words: &'static str) -> Line {
    Line { words, append: "", input: "", contents: Contents::Same }
}

const fn times(words: &'static str) -> Line {
    Line { words, append: "", input: "", contents: Contents::Any }
}

static LINES: &[Line] = &[
    // One stage at a time.
    line("-arch=sm_80 -c a.cu"),
    line("-arch=sm_80 -c a.cu -o sub/deep.o"),
    line("-arch=sm_80 -dc a.cu -o a.dc.o"),
    line("-arch=sm_80 -dw a.cu"),
    line("-arch=sm_80 -rdc=true -c a.cu"),
    line("-arch=sm_80 --relocatable-device-code true --compile --output-file=x.o a.cu"),
    line("-arch=sm_80 -ptx a.cu"),
    line("-arch=sm_80 -ptx -o - a.cu"),
    line("-arch=sm_80 -cubin -o a.cubin a.cu"),
    line("-arch=sm_80 -fatbin a.cu -odir sub"),
    line("-arch=sm_80 -cuda a.cu"),
    line("-arch=sm_80 -optix-ir a.cu"),
    line("-arch=sm_80 -E a.cu -o a.ii"),
    line("-M a.cu"),
    line("-MM -MF a.d a.cu -o a.o"),
    line("-c c.cpp"),
    line("-x c++ -c c.cpp -o c.o"),
    line("-x cu -arch=sm_80 -c kernels.txt"),
    line("-arch=sm_80 -c 'sp ace.cu'"),
    line("-arch=sm_80 -dryrun -c a.cu"),
    // Architectures.
    line("-gencode arch=compute_80,code=sm_80 -c a.cu"),
    line("--generate-code=arch=compute_80,code=[compute_80,sm_80] -c a.cu"),
    line("-arch=compute_80 -code=sm_80,sm_86 -c a.cu -t 2"),
    line("-arch=native -c a.cu"),
    line("-arch=all-major -ptx a.cu"),
    // Dependencies.
    line("-arch=sm_80 -c -MD -MT target -MF sub/a.d -o sub/a.o a.cu"),
    line("-arch=sm_80 -c -MMD -MP a.cu"),
    line("-arch=sm_80 -c -MD -odir sub a.cu"),
    // Several sources, and links.
    line("-arch=sm_80 -c a.cu b.cu -odir sub"),
    line("-arch=sm_80 a.cu main.cpp -o app"),
    line("-arch=sm_80 b.cu"),
    line("-arch=sm_80 -run b.cu"),
    line("-arch=sm_80 a.rdc.o main.o -o app"),
    line("-arch=sm_80 -dlink a.rdc.o -o linked.o"),
    line("-arch=sm_80 -dlink a.rdc.o main.o"),
    line("-arch=sm_80 -lib a.rdc.o main.o -o libk.a"),
    line("-arch=sm_80 -lib a.cu"),
    line("-arch=sm_80 -shared -Xcompiler -fPIC a.cu -o libk.so"),
    line("-arch=sm_80 -r a.rdc.o main.o -o both.o"),
    line("-arch=sm_80 main.o -L. -lkernels -o app -cudart shared"),
    line("-arch=sm_80 main.o missing.o -o app"),
    line("-arch=sm_80 -lnosuchlibrary main.o -o app"),
    line("-arch=sm_80 main.o -o app"),
    line("main.o libkernels.a -o app -Xlinker -Map=app.map"),
    // What goes to other programs.
    line("-arch=sm_80 -c a.cu -Xcompiler -Wall,-Wextra,-DX=1"),
    line("-arch=sm_80 -c a.cu -Xptxas -v"),
    line("-arch=sm_80 -c a.cu -res-usage -lineinfo"),
    line("-arch=sm_80 -c a.cu -G --no-compress"),
    Line {
        words: "-arch=sm_80 -c a.cu -g -O0 -std=c++20 -DN=3 -UN -Iinc -isystem inc -include h.h -o g.o",
        append: "",
        input: "",
        contents: Contents::WithoutDebug,
    },
    line("-arch=sm_80 -c a.cu -forward-unknown-to-host-compiler -march=x86-64 -fno-strict-aliasing"),
    line(
        "-arch=sm_80 -c a.cu -ccbin g++ -use_fast_math --extended-lambda --expt-relaxed-constexpr -default-stream per-thread",
    ),
    line("-arch=sm_80 -c warn.cu"),
    line("-arch=sm_80 -c warn.cu -w"),
    line("-arch=sm_80 -c warn.cu -Werror all-warnings"),
    line("-arch=sm_80 -c warn.cu -diag-suppress 177"),
    line("-arch=sm_80 -c warn.cu -Wconversion"),
    // Response files, the environment, standard input.
    line("-optf options.txt a.cu"),
    line("--options-file nested.txt,options.txt"),
    line("-optf missing.txt a.cu"),
    line("-optf self.txt a.cu"),
    Line { words: "-arch=sm_80 -c a.cu", append: "-DA -o appended.o", input: "", contents: Contents::Same },
    Line { words: "-c a.cu", append: "-arch=sm_10", input: "", contents: Contents::Same },
    Line { words: "-x cu -E - ", append: "", input: "a.cu", contents: Contents::Same },
    // Intermediate files.
    line("-arch=sm_80 -c a.cu -keep -keep-dir sub"),
    line("-arch=sm_80 -v --keep b.cu -o app"),
    line("-arch=sm_80 -v -c a.cu"),
    times("-arch=sm_80 -c a.cu -time times.csv"),
    line("-arch=sm_80 -c a.cu -objtemp -o sub/a.o"),
    line("-arch=sm_80 -c a.cu -o /dev/null"),
    line("-clean -c old.cu"),
    // Asking for nothing.
    line("--version"),
    line("-V"),
    line("--help"),
    line("-v __cmake_determine_cuda"),
    line("--list-gpu-arch"),
    line("--list-gpu-code --list-gpu-arch"),
    // Wrong.
    line(""),
    line("-c"),
    line("-o"),
    line("-c a.cu -o"),
    line("-c nosuch.cu"),
    line("-c broken.cu -arch=sm_80"),
    line("-arch=sm_80 -c a.cu broken.cu"),
    line("-arch=sm_80 -c broken.cu -o old.o"),
    line("-c a.cu -arch=sm_5"),
    line("-c a.cu -arch"),
    line("-c a.cu --arch=sm_80"),
    line("-c a.cu -rdc"),
    line("-c a.cu -rdc=maybe"),
    line("-c a.cu -ofoo.o"),
    line("-c a.cu -O fast"),
    line("-c a.cu --nosuchflag"),
    line("-c a.cu --nosuchflag=value value"),
    line("-- a.cu"),
    line("-c - "),
    line("-c @options.txt a.cu"),
    line("-c a.txt"),
    line("-c a.cu b.cu -o both.o"),
    line("-c a.cu -o nosuch/folder/a.o"),
    line("-c a.cu -DA=\\\""),
    line("-c a.cu -std=c++99"),
    line("-c a.cu -x rust"),
    line("-c a.cu -ccbin /no/such/compiler"),
    line("-c a.cu -Xcompiler --no-such-host-flag -arch=sm_80"),
    line("-c kernels.ptx"),
    line("-arch=sm_80 -dlink broken.o"),
];

const WARNS: &str = "__global__ void k() { int unused; }\n";
const BROKEN: &str = "__global__ void k( { }\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("a.cu", KERNEL),
        ("b.cu", "__global__ void k(int *p) { *p = 1; }\nint main() { return 0; }\n"),
        ("c.cpp", "int one() { return 1; }\n"),
        ("main.cpp", MAIN),
        ("kernels.txt", KERNEL),
        ("sp ace.cu", KERNEL),
        ("old.cu", KERNEL),
        ("old.o", "what an earlier run left"),
        ("warn.cu", WARNS),
        ("broken.cu", BROKEN),
        ("broken.o", "no object"),
        ("inc/h.h", "#define FROM_H 1\n"),
        ("sub/keep", ""),
        ("options.txt", "-arch=sm_80 -c\n-DA=\"x y\" -o options.o"),
        ("nested.txt", "-DOUTER a.cu -optf inner.txt"),
        ("inner.txt", "-DINNER"),
        ("self.txt", "-DS -optf self.txt"),
        ("a.txt", "no source"),
    ]
}

/// Objects that some of the lines link, compiled once.
fn objects() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &files());
        for words in [
            "-arch=sm_80 -dc a.cu -o a.rdc.o",
            "-c main.cpp",
            "-arch=sm_80 -lib a.cu -o libkernels.a",
            "-arch=sm_80 -ptx a.cu -o kernels.ptx",
        ] {
            run(clean(&nvcc(), folder.path()).args(words.split(' '))).ok();
        }
        folder
    });
    folder.path()
}

fn fresh(folder: &Path) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    write(folder, &files());
    for object in ["a.rdc.o", "main.o", "libkernels.a", "kernels.ptx"] {
        std::fs::copy(objects().join(object), folder.join(object)).unwrap();
    }
    // The line table that -G makes holds the source's time.
    let source = std::fs::File::options().write(true).open(folder.join("a.cu")).unwrap();
    source.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
}

/// Everything there is to see of a run.
#[derive(PartialEq, Eq)]
struct Seen {
    status: String,
    stdout: String,
    stderr: String,
    files: BTreeMap<String, Vec<u8>>,
}

fn see(line: &Line, mut command: Command, folder: &Path) -> Seen {
    command.args(shlex::split(line.words).unwrap());
    if !line.append.is_empty() {
        command.env("NVCC_APPEND_FLAGS", line.append);
    }
    if !line.input.is_empty() {
        command.stdin(Stdio::from(std::fs::File::open(folder.join(line.input)).unwrap()));
    }
    let output = run(&mut command);
    if line.contents == Contents::WithoutDebug {
        run(clean(Path::new("objcopy"), folder).args(["--strip-debug", "g.o"])).ok();
    }
    let mut files = tree(folder);
    for contents in files.values_mut() {
        *contents = if line.contents == Contents::Any { Vec::new() } else { normal(contents) };
    }
    // Names of kept files hold the process number too.
    let files = files
        .into_iter()
        .map(|(name, contents)| (String::from_utf8(normal(name.as_bytes())).unwrap(), contents))
        .collect();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(&normal(bytes)).into_owned();
        // ptxas says how long it took.
        text.lines().filter(|line| !line.contains("Compile time =")).map(|line| format!("{line}\n")).collect::<String>()
    };
    Seen { status: output.status.to_string(), stdout: text(&output.stdout), stderr: text(&output.stderr), files }
}

/// What differs, in words; `None` when nothing does.
fn difference(line: &Line, nvcc: &Seen, shim: &Seen) -> Option<String> {
    if nvcc == shim {
        return None;
    }
    let mut text = format!("{:?} {:?}\n", line.words, line.append);
    for (what, one, other) in [
        ("status", &nvcc.status, &shim.status),
        ("stdout", &nvcc.stdout, &shim.stdout),
        ("stderr", &nvcc.stderr, &shim.stderr),
    ] {
        if one != other {
            text += &format!("  {what} of nvcc: {one}\n  {what} of the shim: {other}\n");
        }
    }
    let names: std::collections::BTreeSet<&String> = nvcc.files.keys().chain(shim.files.keys()).collect();
    for name in names {
        match (nvcc.files.get(name), shim.files.get(name)) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) => {
                let at =
                    one.iter().zip(other).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
                let near = |bytes: &[u8]| {
                    String::from_utf8_lossy(&bytes[at.saturating_sub(24)..bytes.len().min(at + 40)]).into_owned()
                };
                text += &format!(
                    "  {name}: {} and {} bytes, at {at} {:?} and {:?}\n",
                    one.len(),
                    other.len(),
                    near(one),
                    near(other)
                );
            }
            (one, _) => text += &format!("  {name} only from {}\n", if one.is_some() { "nvcc" } else { "the shim" }),
        }
    }
    Some(text)
}

#[test]
fn as_nvcc_itself() {
    assert!(LINES.len() >= 60);
    let shim = Shim::new(PASSES);
    let root = tempfile::tempdir().unwrap();
    let next = AtomicUsize::new(0);
    let worker = |worker: usize| {
        let folder = root.path().join(format!("w{worker}"));
        let mut differences = Vec::new();
        while let Some(line) = LINES.get(next.fetch_add(1, Ordering::Relaxed)) {
            fresh(&folder);
            let plain = see(line, clean(&nvcc(), &folder), &folder);
            fresh(&folder);
            let shimmed = see(line, shim.command(&folder), &folder);
            differences.extend(difference(line, &plain, &shimmed));
        }
        differences
    };
    let differences: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|number| scope.spawn(move || worker(number))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(
        differences.is_empty(),
        "{} of {} lines differ:\n{}",
        differences.len(),
        LINES.len(),
        differences.join("\n")
    );
}

/// Command lines that nobody would write: words drawn by a fixed sequence.
#[test]
fn as_nvcc_itself_on_nonsense() {
    const WORDS: &[&str] = &[
        "-c",
        "-dc",
        "-ptx",
        "-E",
        "-M",
        "-MD",
        "-MF",
        "-o",
        "-odir",
        "-arch",
        "-arch=sm_80",
        "-arch=all",
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-code",
        "sm_80",
        "a.cu",
        "b.cu",
        "main.cpp",
        "main.o",
        "a.txt",
        "x.o",
        "sub",
        "-",
        "--",
        "-x",
        "cu",
        "-D",
        "-DA=\"",
        "-I",
        "-l",
        "-L.",
        "-Xcompiler",
        "-Wall,",
        "-rdc",
        "true",
        "-rdc=false",
        "-optf",
        "options.txt",
        "nosuch.txt",
        "--nosuch",
        "-t",
        "2",
        "-std",
        "c++17",
        "-lib",
        "-dlink",
        "-shared",
        "-G",
        "-O",
        "-keep",
        "-w",
        "-forward-unknown-to-host-compiler",
        "\\",
        "",
        "=",
        "-=",
        "--=x",
        "-o=",
        "é",
    ];
    let shim = Shim::new(PASSES);
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("w");
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut differences = Vec::new();
    for _ in 0..120 {
        let count = 1 + draw(7);
        let words: Vec<&str> = (0..count).map(|_| WORDS[draw(WORDS.len())]).collect();
        let text = shlex::try_join(words.iter().copied()).unwrap();
        let line = times(Box::leak(text.into_boxed_str()));
        fresh(&folder);
        let plain = see(&line, clean(&nvcc(), &folder), &folder);
        fresh(&folder);
        let mut shimmed = see(&line, shim.command(&folder), &folder);
        // The one line that standard input is worth.
        shimmed.stderr =
            shimmed.stderr.replace("scuba: note: standard input was not analysed: it can be read only once\n", "");
        differences.extend(difference(&line, &plain, &shimmed));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Standard input cannot be read twice: nvcc's result, and one line about it.
#[test]
fn standard_input_is_nvccs() {
    let shim = Shim::new(PASSES);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.cu", KERNEL)]);
    let mut command = shim.command(folder.path());
    command.stdin(std::fs::File::open(folder.path().join("a.cu")).unwrap());
    let output = run(command.args(["-x", "cu", "-arch=sm_80", "-c", "-", "-o", "a.o"])).ok();
    assert_eq!(output.err(), "scuba: note: standard input was not analysed: it can be read only once\n");
    assert!(folder.path().join("a.o").exists());
}
