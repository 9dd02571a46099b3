//! Macros, paths and host flags as the host compiler receives them from nvcc, against what the shim reads from the same words.

use crate::support::{clean, nvcc, run, write};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::unit::PreprocessorFlag;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Words of the command line, text of an options file, `NVCC_APPEND_FLAGS`.
const CASES: &[(&[&str], &str, &str)] = &[
    (&["-DA", "-D", "B", "-D=C", "--define-macro", "D", "--define-macro=E,F", "-UA", "-U", "G"], "", ""),
    (&[r#"-DA="x y""#, r#"-DB=\"x\""#, "-DC='x'", r#"-DD="x,y",E="c""#, r"-DF=x\,y", "-DG,,H", "-DI="], "", ""),
    (&["-DF(a,b)=a", r#"-DA=\"x,y\",B"#], "", ""),
    (&["-Iinc", "-I", "sp ace", "-I=d", "--include-path=e,f", r#"-I"a,b""#, r#"-I"inc"/x,d"#], "", ""),
    (&["-isystem", "inc", "-isystem=d", "--system-include", "e,f", "-include", "h.h", "--pre-include=h.h,h.h"], "", ""),
    (&["-Xcompiler", "-Wall,-Wextra", "-Xcompiler=-DX", "--compiler-options", "-DY -DZ"], "", ""),
    (&["-Xcompiler", r#"-DX=\"a b\""#, "-Xcompiler", r#""-DY=1,-DZ""#, "-Xcompiler", r#"-DW=\\\"a\\\""#], "", ""),
    (
        &["-Xcompiler", "-DX='a,b',-DY", "-Xcompiler", "'-DZ=a b'", "-Xcompiler", r"-DV=a\,b", "-Xcompiler", ",-DU,,"],
        "",
        "",
    ),
    (
        &[
            "-forward-unknown-to-host-compiler",
            "-fno-strict-aliasing",
            "-march=x86-64",
            "-Xcompiler",
            "-DX",
            "-Wno-psabi",
        ],
        "",
        "",
    ),
    (&["-DA"], r#"-DB="x y" -DC=\"x\" -DD=\\\"x\\\" -DE=x\ y "-DF=x y""#, ""),
    (&["-DA"], "-DB=x\\,y -DC=x\\\\,y\n-DD=\"x,y\"\r\n\t-DE=a\"b c\"d -DF=\\\\x -DG=\\\\\\\\x", ""),
    (&["-DA"], r#"-Xcompiler "-DX=1,-DY" -Xcompiler \"-DZ=1,-DW\" -I"sp ace""#, ""),
    (&["-DA"], "", r#"-DB="x y" -DC -I"sp ace" -Xcompiler -DX,-DY"#),
    (&["-DA"], "-DB", "-optf options.txt\t-DC"),
];

#[test]
fn the_host_compiler_receives_what_we_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, &[("a.cu", ""), ("h.h", "")]);
    let log = folder.join("log");
    for name in ["gcc", "g++"] {
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *'-include cuda_runtime.h'*) printf '%s\\0' \"$@\" >> '{}';; esac\nexec /usr/bin/{name} \"$@\"\n",
            log.display()
        );
        write(folder, &[(&format!("host/{name}"), &script)]);
        std::fs::set_permissions(folder.join("host").join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (words, file, append) in CASES {
        let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
        if !file.is_empty() {
            write(folder, &[("options.txt", file)]);
            words.extend(["-optf".into(), "options.txt".into()]);
        }
        let mut command = clean(&nvcc(), folder);
        command.args(&words).args(["-E", "a.cu", "-o", "/dev/null", "-ccbin"]).arg(folder.join("host"));
        command.env("NVCC_APPEND_FLAGS", append);
        let _ = std::fs::remove_file(&log);
        let output = run(&mut command);
        let received = std::fs::read(&log)
            .unwrap_or_else(|_| panic!("{words:?}: the host compiler was not run: {}", output.err()));
        let received: Vec<String> =
            received.split(|&byte| byte == 0).map(|word| String::from_utf8(word.to_vec()).unwrap()).collect();

        words.extend(["-c".into(), "a.cu".into()]);
        let environment = Environment { append: OsString::from(append), ..Environment::default() };
        let plan = NvccCommand::read(&words, &environment, folder).plan(folder, None, &Vec::new).unwrap();
        compare(&received, &plan.request.units[0].preprocessor, &plan.request.units[0].host_flags);
    }
}

fn compare(received: &[String], preprocessor: &[PreprocessorFlag], host_flags: &[String]) {
    let toolkit = |path: &str| Path::new(path).ends_with("include") || Path::new(path).ends_with("include/cccl");
    // nvcc hands them over kind by kind, each in order.
    let (mut macros, mut includes, mut systems, mut before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut words = received.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-D" => macros.push(PreprocessorFlag::Define(words.next().unwrap().clone())),
            "-U" => macros.push(PreprocessorFlag::Undefine(words.next().unwrap().clone())),
            "-isystem" => systems.push(words.next().unwrap().clone()),
            "-include" => before.push(words.next().unwrap().clone()),
            word => includes.extend(word.strip_prefix("-I").map(str::to_owned)),
        }
    }
    includes.retain(|path| !toolkit(path));
    systems.retain(|path| !toolkit(path));
    before.retain(|file| file != "cuda_runtime.h");
    let paths = |pick: fn(&PreprocessorFlag) -> Option<&Path>| -> Vec<String> {
        preprocessor.iter().filter_map(pick).map(|path| path.display().to_string()).collect()
    };
    let read: Vec<_> = preprocessor
        .iter()
        .filter(|flag| matches!(flag, PreprocessorFlag::Define(_) | PreprocessorFlag::Undefine(_)))
        .cloned()
        .collect();
    assert_eq!(read, macros);
    assert_eq!(paths(|flag| if let PreprocessorFlag::Include(path) = flag { Some(path) } else { None }), includes);
    assert_eq!(paths(|flag| if let PreprocessorFlag::SystemInclude(path) = flag { Some(path) } else { None }), systems);
    assert_eq!(paths(|flag| if let PreprocessorFlag::PreInclude(path) = flag { Some(path) } else { None }), before);
    let mut rest = received.iter();
    for flag in host_flags {
        assert!(
            rest.any(|word| word == flag),
            "{flag} is not among {received:?}, or not in that order: {host_flags:?}"
        );
    }
    // And nothing that only the host flags could have brought is missing from them.
    let brought: Vec<&String> = received
        .iter()
        .filter(|word| ["-W", "-f", "-march"].iter().any(|start| word.starts_with(start)) || *word == "-DX")
        .collect();
    assert!(brought.iter().all(|word| host_flags.contains(word)), "{brought:?} {host_flags:?}");
}
