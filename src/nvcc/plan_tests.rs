//! Command lines and their plans, without a compiler; and arbitrary command lines without a panic.

use super::*;
use crate::expand::{Environment, expand};
use crate::parse::parse;
use crate::unit::PreprocessorFlag;
use proptest::prelude::*;
use std::fmt::Write;
use std::os::unix::ffi::OsStringExt;

fn planned(arguments: &[OsString], environment: &Environment, directory: &Path) -> Option<ShimPlan> {
    let words = expand(arguments, environment, directory);
    let line = parse(&words, &environment.host_compiler);
    let setting = CommandEnvironment {
        directory,
        nvcc: Some(Path::new("/opt/cuda/bin/nvcc")),
        words: &words,
        native: &|| vec![90, 86],
    };
    plan(&line, &setting)
}

fn strings(words: &str) -> Vec<OsString> {
    shlex::split(words).expect("a shell line").into_iter().map(OsString::from).collect()
}

fn of(words: &str) -> Option<ShimPlan> {
    planned(&strings(words), &Environment::default(), Path::new("/w"))
}

/// Formats a plan: a line per unit, then the link, then the files written.
fn summary(words: &str) -> String {
    let Some(plan) = of(words) else { return "nothing".into() };
    let mut text = String::new();
    for unit in &plan.request.units {
        let output = unit.output.as_deref().map_or("-".into(), |path| path.display().to_string());
        write!(text, "{} {:?} {:?} {output}", unit.source.display(), unit.language, unit.sides).unwrap();
        if unit.relocatable {
            text.push_str(" rdc");
        }
        if !unit.architectures.is_empty() {
            write!(text, " {:?}", unit.architectures).unwrap();
        }
        text.push('\n');
    }
    for source in &plan.unreadable {
        writeln!(text, "unreadable {source}").unwrap();
    }
    if let Some(link) = &plan.request.link {
        write!(text, "{:?} {} <-", link.kind, link.output.display()).unwrap();
        for input in &link.inputs {
            write!(text, " {}", input.display()).unwrap();
        }
        text.push('\n');
    }
    text.push_str("writes");
    for file in &plan.outputs {
        write!(text, " {}", file.display()).unwrap();
    }
    text
}

#[test]
fn phases_and_outputs() {
    for (words, expected) in [
        ("-c a.cu", "a.cu Cuda Both /w/a.o\nwrites /w/a.o"),
        ("--compile --output-file d/u.o sub/a.cu", "sub/a.cu Cuda Both /w/d/u.o\nwrites /w/d/u.o"),
        ("-c sub/s.cu", "sub/s.cu Cuda Both /w/s.o\nwrites /w/s.o"),
        ("-c -o x.o -odir d a.cu", "a.cu Cuda Both /w/x.o\nwrites /w/x.o"),
        ("-dc a.cu b.cu -odir d", "a.cu Cuda Both /w/d/a.o rdc\nb.cu Cuda Both /w/d/b.o rdc\nwrites /w/d/a.o /w/d/b.o"),
        ("-dw -rdc=true a.cu", "a.cu Cuda Both /w/a.o rdc\nwrites /w/a.o"),
        ("-dlto -c a.cu", "a.cu Cuda Both /w/a.o rdc\nwrites /w/a.o"),
        ("-dlto -rdc=false -c a.cu", "a.cu Cuda Both /w/a.o rdc\nwrites /w/a.o"),
        ("-rdc true -c a.cu", "a.cu Cuda Both /w/a.o rdc\nwrites /w/a.o"),
        ("-ptx a.cu c.cpp", "a.cu Cuda DeviceOnly /w/a.ptx\nwrites /w/a.ptx"),
        ("-ptx c.cpp", "nothing"),
        ("-cuda a.cu c.cpp", "a.cu Cuda Both /w/a.cu.cpp.ii\nwrites /w/a.cu.cpp.ii"),
        ("-cuda c.cpp", "nothing"),
        // Values that may be left out.
        ("-Ofc -fatbin a.cu", "a.cu Cuda DeviceOnly /w/a.fatbin\nwrites /w/a.fatbin"),
        ("-Ofc min -hls -ptx a.cu -Ofc", "a.cu Cuda DeviceOnly /w/a.ptx\nwrites /w/a.ptx"),
        ("-cubin -arch=sm_80 a.cu -o k.cubin", "a.cu Cuda DeviceOnly /w/k.cubin [80]\nwrites /w/k.cubin"),
        ("-enable-tile -tilebc a.cu", "a.cu Cuda DeviceOnly /w/a.tilebc\nwrites /w/a.tilebc"),
        ("-enable-tile -tilefatbin -tilecubin a.cu", "a.cu Cuda DeviceOnly /w/a.tile.fatbin\nwrites /w/a.tile.fatbin"),
        ("-enable-tile -tile-preview simt -c a.cu", "a.cu Cuda Both /w/a.o\nwrites /w/a.o"),
        ("-fatbin -odir d a.cu", "a.cu Cuda DeviceOnly /w/d/a.fatbin\nwrites /w/d/a.fatbin"),
        ("-optix-ir a.cu", "a.cu Cuda DeviceOnly /w/a.optixir\nwrites /w/a.optixir"),
        ("-cuda a.cu", "a.cu Cuda Both /w/a.cu.cpp.ii\nwrites /w/a.cu.cpp.ii"),
        ("-c a.cu -ptx", "a.cu Cuda DeviceOnly /w/a.ptx\nwrites /w/a.ptx"),
        ("-c c.cpp m.c", "c.cpp Cxx HostOnly /w/c.o\nm.c C HostOnly /w/m.o\nwrites /w/c.o /w/m.o"),
        ("-x cu -c kernels.txt", "kernels.txt Cuda Both /w/kernels.o\nwrites /w/kernels.o"),
        ("-c x.inc -x=cu", "x.inc Cuda Both /w/x.o\nwrites /w/x.o"),
        ("-x c++ -c a.cu", "a.cu Cxx HostOnly /w/a.o\nwrites /w/a.o"),
        ("-x cu -c -", "unreadable standard input\nwrites"),
        ("-x cu -c - -o x.o", "unreadable standard input\nwrites /w/x.o"),
        ("-c - ", "nothing"),
        ("-c a.cu -o /dev/null", "a.cu Cuda Both /dev/null\nwrites /dev/null"),
        ("-c ./a.cu -o ./d//a.o", "./a.cu Cuda Both /w/d/a.o\nwrites /w/d/a.o"),
        ("-c a.cu -o x.o -o y.o", "a.cu Cuda Both /w/y.o\nwrites /w/y.o"),
        ("-cubin k.ptx", "nothing"),
    ] {
        assert_eq!(summary(words), expected, "{words}");
    }
}

#[test]
fn nothing_to_analyse() {
    for words in [
        "",
        "--version",
        "-V",
        "--help",
        "-v __cmake_determine_cuda",
        "--dryrun -c a.cu",
        "-E a.cu",
        "-M a.cu",
        "-MM a.cu -MF a.d",
        "-E -c a.cu",
        "-MD -M a.cu",
        "-clean -c a.cu",
        "--list-gpu-arch",
        "-hls=gen-lcs -o script",
        "-c a.txt",
        "-c",
        "-o",
        "-c -I a.cu",
        "--options-file /missing/file -c",
    ] {
        assert_eq!(summary(words), "nothing", "{words}");
    }
}

#[test]
fn links() {
    for (words, expected) in [
        ("a.cu", "a.cu Cuda Both -\nExecutable /w/a.out <-\nwrites /w/a.out"),
        ("a.cu m.o -o d/app", "a.cu Cuda Both -\nExecutable /w/d/app <- /w/m.o\nwrites /w/d/app"),
        ("-odir d a.cu", "a.cu Cuda Both -\nExecutable /w/d/a.out <-\nwrites /w/d/a.out"),
        ("-run a.cu", "a.cu Cuda Both -\nExecutable /w/a.out <-\nwrites /w/a.out"),
        ("-run app", "nothing"),
        (
            "-shared -o libk.so k.o /usr/lib/libz.so.1",
            "SharedLibrary /w/libk.so <- /w/k.o /usr/lib/libz.so.1\nwrites /w/libk.so",
        ),
        ("-lib a.o c.o", "Archive /w/a.a <- /w/a.o /w/c.o\nwrites /w/a.a"),
        ("-lib -o libk.a a.cu c.o", "a.cu Cuda Both -\nArchive /w/libk.a <- /w/c.o\nwrites /w/libk.a"),
        ("-dlink a.o c.o", "DeviceLink /w/a_dlink.o <- /w/a.o /w/c.o\nwrites /w/a_dlink.o"),
        ("-dlink -cubin a.o", "DeviceLink /w/a_dlink.cubin <- /w/a.o\nwrites /w/a_dlink.cubin"),
        ("-fatbin -dlink -o k.fatbin a.o", "DeviceLink /w/k.fatbin <- /w/a.o\nwrites /w/k.fatbin"),
        ("-dlink -ptx a.cu", "a.cu Cuda DeviceOnly /w/a.ptx\nwrites /w/a.ptx"),
        ("-r a.o c.o -o r.o", "Relocatable /w/r.o <- /w/a.o /w/c.o\nwrites /w/r.o"),
        (
            "-o app m.o -Xlinker --whole-archive,libk.a,--no-whole-archive",
            "Executable /w/app <- /w/m.o /w/libk.a\nwrites /w/app",
        ),
        (
            "-o app m.o -Xcompiler '\"-Wl,--whole-archive,libk.a\"'",
            "Executable /w/app <- /w/m.o /w/libk.a\nwrites /w/app",
        ),
        ("-o app m.o -Xcompiler -fopenmp -lm", "Executable /w/app <- /w/m.o\nwrites /w/app"),
    ] {
        assert_eq!(summary(words), expected, "{words}");
    }
}

#[test]
fn libraries_are_found_where_the_linker_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["one/libk.a", "two/libk.so", "two/libm.a", "two/m.o"] {
        std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    let plan =
        planned(&strings("a.o -lk b.o -l m,zz -l:m.o -Ltwo -L one -o app"), &Environment::default(), folder.path())
            .unwrap();
    let expected = ["a.o", "two/libk.so", "b.o", "two/libm.a", "two/m.o"].map(|file| folder.path().join(file));
    assert_eq!(plan.request.link.unwrap().inputs, expected);
}

#[test]
fn dependency_files() {
    for (words, expected) in [
        ("-c -MD a.cu", "writes /w/a.d /w/a.o"),
        ("-c -MMD a.cu b.cu -odir d", "writes /w/d/a.d /w/d/a.o /w/d/b.d /w/d/b.o"),
        ("-c -MD -o sub/s.cu.o s.cu", "writes /w/sub/s.cu.d /w/sub/s.cu.o"),
        ("-c -MD -o noext s.cu", "writes /w/noext /w/noext.d"),
        ("-c -MD -MT x -MF deps/x.d -o x.o s.cu", "writes /w/deps/x.d /w/x.o"),
        ("-MD a.cu", "writes /w/a.d /w/a.out"),
        ("-c -MF x.d a.cu", "writes /w/a.o"),
    ] {
        assert_eq!(summary(words).lines().last().unwrap(), expected, "{words}");
    }
}

#[test]
fn architectures() {
    for (words, expected) in [
        ("-arch=sm_80", vec![80]),
        ("-arch sm_90a", vec![90]),
        ("--gpu-architecture=compute_75 --gpu-code=sm_80,sm_86", vec![75]),
        ("-gencode arch=compute_86,code=sm_86 -gencode=arch=compute_75,code=sm_75", vec![86, 75]),
        ("--generate-code=arch=compute_80,code=[compute_80,sm_80]", vec![80]),
        ("--generate-code arch=compute_80,code=\\\"sm_80,compute_80\\\"", vec![80]),
        ("-arch=native", vec![90, 86]),
        ("-arch=all-major", vec![75, 80, 90, 100, 110, 120]),
        ("-code=sm_80", vec![]),
        ("", vec![]),
    ] {
        let plan = of(&format!("-c a.cu {words}")).unwrap();
        assert_eq!(plan.request.units[0].architectures, expected, "{words}");
    }
}

#[test]
fn what_the_front_end_needs() {
    let environment = Environment {
        prepend: "-DPRE=\"a b\"".into(),
        append: "-DPOST".into(),
        host_compiler: "/usr/bin/g++-12".into(),
    };
    let words = strings(
        "-forward-unknown-to-host-compiler -DA=1,B -U C -I inc,\"../x\" -isystem=/sys -include pre.h -std=c++20 -Xcompiler -fPIC,-DH \
         -march=native -expt-extended-lambda --expt-relaxed-constexpr -use_fast_math -default-stream=per-thread -ftz false -G -O3 \
         --new-flag-of-nvcc-14 -Xcudafe --diag_suppress=1 -Wno-psabi -Wconversion -t 4 -c a.cu",
    );
    let plan = planned(&words, &environment, Path::new("/w")).unwrap();
    let unit = &plan.request.units[0];
    use PreprocessorFlag::*;
    assert_eq!(
        unit.preprocessor,
        [
            Define("PRE=\"a b\"".into()),
            Define("A=1".into()),
            Define("B".into()),
            Undefine("C".into()),
            Include("inc".into()),
            Include("../x".into()),
            SystemInclude("/sys".into()),
            PreInclude("pre.h".into()),
            Define("POST".into()),
        ]
    );
    assert_eq!(unit.standard.as_deref(), Some("c++20"));
    assert_eq!(unit.host_flags, ["-fPIC", "-DH", "-march=native", "--new-flag-of-nvcc-14", "-Wno-psabi"]);
    assert_eq!(
        unit.language_flags,
        [
            "--extended-lambda",
            "--expt-relaxed-constexpr",
            "--use_fast_math",
            "--default-stream=per-thread",
            "--ftz=false",
            "--device-debug"
        ]
    );
    assert_eq!(unit.host_compiler.as_deref(), Some(Path::new("/usr/bin/g++-12")));
    assert_eq!(unit.nvcc.as_deref(), Some(Path::new("/opt/cuda/bin/nvcc")));
    assert_eq!(
        (unit.command.first().unwrap().as_str(), unit.command.last().unwrap().as_str()),
        ("/opt/cuda/bin/nvcc", "-DPOST")
    );
    assert_eq!(plan.request.units.len(), 1);
}

#[test]
fn unknown_flags_stop_nothing() {
    let plan = of("-c --flag-of-tomorrow value -Zq=3 a.cu -- b.cu @response").unwrap();
    let sources: Vec<_> = plan.request.units.iter().map(|unit| unit.source.as_path()).collect();
    assert_eq!(sources, [Path::new("a.cu"), Path::new("b.cu")]);
    let line = parse(&strings("-c --flag-of-tomorrow value -- b.cu"), OsStr::new(""));
    assert_eq!(line.unknown, strings("--flag-of-tomorrow --"));
}

#[test]
fn probes() {
    for (words, directory, expected) in [
        ("-v --keep CMakeCUDACompilerId.cu", "/b/CMakeFiles/3.25.1/CompilerIdCUDA/tmp", true),
        ("-c main.cu -o CMakeFiles/cmTC_1.dir/main.cu.o", "/b/CMakeFiles/CMakeScratch/TryCompile-x", true),
        ("-c /b/CMakeFiles/CMakeTmp/a.cu", "/b", true),
        ("-c a.cu -o /b/meson-private/a.o", "/b", true),
        ("-c conftest.cu", "/b", true),
        ("-c src/confer.cu", "/b", false),
        ("-c a.cu", "/home/CompilerIdCUDAx", false),
    ] {
        let line = parse(&strings(words), OsStr::new(""));
        assert_eq!(is_probe(&line, Path::new(directory)), expected, "{words} in {directory}");
    }
}

#[test]
fn paths_need_not_be_utf8() {
    let source = OsString::from_vec(b"k\xff.cu".to_vec());
    let plan = planned(&["-c".into(), source.clone()], &Environment::default(), Path::new("/w")).unwrap();
    assert_eq!(plan.request.units[0].source, PathBuf::from(source));
    assert_eq!(plan.outputs[0].as_os_str(), &OsString::from_vec(b"/w/k\xff.o".to_vec()));
}

/// Generates words as a fuzzer would: bytes, pieces of flags, and files that name each other.
fn word() -> impl Strategy<Value = OsString> {
    let pieces = crate::flags::TABLE.iter().flat_map(|flag| [flag.long, flag.short]).filter(|name| !name.is_empty());
    let known = proptest::sample::select(pieces.collect::<Vec<_>>());
    let value = proptest::sample::select(vec![
        "",
        "true",
        "false",
        "cu",
        "a.cu",
        "-",
        "--",
        "x.o",
        "sm_80",
        "arch=compute_80,code=[sm_80",
        "\"",
        "\\",
        "a\\",
        "'",
        ",",
        "a,\"b",
        "opt",
        "/dev/null",
        "\u{0}",
        "=",
        "@opt",
        "é",
        ".",
        "..",
        "/",
    ]);
    prop_oneof![
        3 => known.clone().prop_map(OsString::from),
        3 => value.clone().prop_map(OsString::from),
        3 => (known, prop_oneof![Just("="), Just("")], value).prop_map(|(flag, between, value)| OsString::from(format!("{flag}{between}{value}"))),
        1 => proptest::collection::vec(any::<u8>(), 0..12).prop_map(OsString::from_vec),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn any_command_line_is_read(words in proptest::collection::vec(word(), 0..24), file in proptest::collection::vec(any::<u8>(), 0..200),
                                prepend in word(), append in word()) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("opt"), &file).unwrap();
        let environment = Environment { prepend, append, host_compiler: OsString::new() };
        let expanded = expand(&words, &environment, folder.path());
        let line = parse(&expanded, OsStr::new(""));
        let files = line.inputs.iter().filter(|input| matches!(input, NvccInput::File(_))).count();
        let setting = CommandEnvironment { directory: folder.path(), nvcc: None, words: &expanded, native: &Vec::new };
        if let Some(plan) = plan(&line, &setting) {
            prop_assert!(plan.request.units.len() <= files);
            prop_assert!(plan.outputs.iter().all(|path| path.is_absolute()));
            let units = &plan.request.units;
            prop_assert!(units.iter().all(|unit| unit.output.as_ref().is_none_or(|output| plan.outputs.contains(output))));
        }
    }

    /// Checks that all three tokenisers cut the words of a line without quotes as a shell does.
    #[test]
    fn plain_words_stay(words in proptest::collection::vec("[a-z0-9=._/-]{1,8}", 1..8)) {
        let line = words.join(" ");
        let expected: Vec<Vec<u8>> = words.iter().map(|word| word.clone().into_bytes()).collect();
        prop_assert_eq!(crate::words::environment(line.as_bytes()), expected.clone());
        prop_assert_eq!(crate::words::options_file(line.as_bytes()), expected.clone());
        prop_assert_eq!(crate::words::list(words.join(",").as_bytes()), expected);
    }
}
