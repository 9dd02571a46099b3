//! `scuba.h` in compilers: nothing in a program as built, strings in LLVM IR on request.

use crate::{COUNTED_BY, ENTRY, REQUIRES, SCUBA_H, parse};
use std::path::Path;
use std::process::{Command, Output};

const SOURCES: [(&str, &str); 3] = [
    ("c.c", include_str!("header/c.c")),
    ("cxx.cpp", include_str!("header/cxx.cpp")),
    ("cuda.cu", include_str!("header/cuda.cu")),
];

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("scuba.h"), SCUBA_H).unwrap();
    for (name, text) in SOURCES {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

/// Output of a compiler; `None` if it is not installed.
fn run(compiler: &str, flags: &str, dir: &Path) -> Option<Output> {
    Command::new(compiler).args(flags.split(' ')).current_dir(dir).output().ok()
}

#[test]
fn compilers_see_nothing() {
    let dir = folder();
    for (compiler, source, standards) in [
        ("gcc", "c.c", ["c99", "c11", "c17"]),
        ("clang-22", "c.c", ["c99", "c11", "c23"]),
        ("g++", "cxx.cpp", ["c++14", "c++17", "c++20"]),
        ("clang++-22", "cxx.cpp", ["c++14", "c++17", "c++23"]),
    ] {
        for standard in standards {
            let flags = format!("-std={standard} -Wall -Wextra -pedantic -Werror -fsyntax-only {source}");
            let Some(out) = run(compiler, &flags, dir.path()) else { continue };
            assert!(out.status.success(), "{compiler} {flags}: {}", String::from_utf8_lossy(&out.stderr));
        }
    }
}

#[test]
fn contracts_are_strings_in_the_ir() {
    let dir = folder();
    for (compiler, source, texts) in [
        (
            "clang-22",
            "c.c",
            &[
                "n <= 256 && index != nullptr && disjoint(index, m->data)",
                "forall i in [0, n - 1]: index[i] < m->rows",
                "forall i in [0, n): index[i] >= 0",
                "extent(index) >= n * sizeof(int)",
                "elements(index) >= max(n, 1)",
            ][..],
        ),
        ("clang++-22", "cxx.cpp", &["v.size >= (size_t)n * 2 && n <= 256", "elements(p) >= i + 1"][..]),
    ] {
        let flags = format!("-D__SCUBA__ -O1 -Wall -Wextra -Werror -S -emit-llvm -o - {source}");
        let Some(out) = run(compiler, &flags, dir.path()) else { continue };
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let ir = String::from_utf8_lossy(&out.stdout);
        let strings = ir.lines().filter(|l| l.starts_with("@.str") && !l.contains("llvm.metadata"));
        let read: Vec<String> = strings
            .map(|l| {
                let text = l.split_once(" c\"").unwrap().1.split_once("\\00\"").unwrap().0.replace("\\22", "\"");
                parse(&text).unwrap_or_else(|e| panic!("{}", e.render(&text, source, 1))).to_string()
            })
            .collect();
        assert_eq!(read, texts, "{ir}");
        let calls = ir.lines().filter(|l| l.contains(&format!("call void @{REQUIRES}"))).count();
        assert_eq!(calls, texts.len(), "{ir}");
        assert!(ir.contains(COUNTED_BY) && ir.contains(ENTRY), "{ir}");
    }
}
