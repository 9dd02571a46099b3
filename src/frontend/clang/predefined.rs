//! Predefined macros in which clang and the unit's own compiler differ.
//!
//! In: a unit, clang's command for one side of it. Out: the names that are defined differently, or by only one of both.
//! nvcc preprocesses with the host compiler (CUDA 13.0, `nvcc --dryrun`), whose macros a source sees, on the device
//! side too.

use super::invoke;
use files::ContentStore;
use nvcc::unit::{Language, PreprocessorFlag, TranslationUnit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

/// Queries that the preprocessor itself answers (clang 22, "Feature Checking Macros"; GCC 12, CPP manual 4.2.3), each
/// compiler in its own way.
pub(super) const QUESTIONS: &[&str] = &[
    "__has_attribute",
    "__has_builtin",
    "__has_constexpr_builtin",
    "__has_cpp_attribute",
    "__has_c_attribute",
    "__has_declspec_attribute",
    "__has_extension",
    "__has_feature",
    "__has_warning",
    "__is_identifier",
    "__is_target_arch",
];

/// Map from macro names to their definitions.
pub type MacroTable = BTreeMap<String, String>;

/// Returns the names that clang with `arguments` defines differently than the unit's own compiler; `None` if one of
/// them cannot be run. `kept`: store of earlier answers.
#[must_use]
pub fn differing(
    clang: &Path,
    arguments: &[String],
    unit: &TranslationUnit,
    kept: Option<&ContentStore>,
) -> Option<BTreeSet<String>> {
    let language = if unit.language == Language::C { "c" } else { "c++" };
    let host = unit.host_compiler.as_deref().unwrap_or(Path::new(if language == "c" { "gcc" } else { "g++" }));
    let host = if host.is_dir() { host.join("g++") } else { host.to_owned() };
    let mut theirs: Vec<String> = vec!["-x".into(), language.into()];
    // nvcc 13.0 compiles C++17 by default, like GCC 12.
    theirs.extend(unit.standard.iter().map(|s| format!("-std={s}")));
    theirs.extend(unit.host_flags.iter().filter(|f| defines(f)).cloned());
    theirs.extend(unit.preprocessor.iter().filter_map(|flag| match flag {
        PreprocessorFlag::Define(d) => Some(format!("-D{d}")),
        PreprocessorFlag::Undefine(d) => Some(format!("-U{d}")),
        _ => None,
    }));
    let theirs = known(&host, &theirs, &unit.directory, kept)?;
    let ours = known(clang, &preprocessing(arguments), &unit.directory, kept)?;
    let mut names: BTreeSet<String> = theirs.keys().chain(ours.keys()).cloned().collect();
    names.retain(|n| match (theirs.get(n), ours.get(n)) {
        (Some(a), Some(b)) => !same(a, b),
        // Whatever nvcc's command line defines, clang's defines too.
        (None, Some(_)) => !is_given(n),
        _ => true,
    });
    Some(names)
}

/// Returns the macros that clang with `arguments` predefines.
#[must_use]
pub fn of_clang(clang: &Path, arguments: &[String], directory: &Path) -> Option<MacroTable> {
    asked(clang, &preprocessing(arguments), directory)
}

/// Whether nvcc or the user defines a macro.
fn is_given(name: &str) -> bool {
    name.starts_with("__CUDACC")
        || name.starts_with("__CUDA_A")
        || name.starts_with("__NVCC")
        || name.starts_with("__NV_TL")
        || [
            "__SCUBA__",
            "__SCUBA_EXTENDED_LAMBDA__",
            "__SCUBA_FLOAT128__",
            "__CLANG_CUDA_TEXTURE_INTRINSICS_H__",
            "CUDA_DOUBLE_MATH_FUNCTIONS",
        ]
        .contains(&name)
        || !name.starts_with('_')
}

/// Whether a host compiler flag may change predefined macros.
fn defines(flag: &str) -> bool {
    let joined = flag.len() > 2 && (flag.starts_with("-D") || flag.starts_with("-U"));
    joined || ["-f", "-m", "-O", "-std=", "-ansi", "-pthread"].iter().any(|f| flag.starts_with(f))
}

/// Reduces clang's flags to those of the preprocessor, without files.
fn preprocessing(arguments: &[String]) -> Vec<String> {
    let mut out = vec![];
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-include" | "-ivfsoverlay" | "-o" | "-MF" => {
                words.next();
            }
            "-c" | "-emit-llvm" => {}
            // No file is read: neither folders nor names of files matter.
            "-I" | "-isystem" | "-idirafter" | "-iquote" => {
                words.next();
            }
            _ if IRRELEVANT.iter().any(|flag| word.starts_with(flag)) => {}
            _ => out.push(word.clone()),
        }
    }
    out.extend(["-nocudainc", "-nocudalib"].map(String::from));
    out
}

/// Flags, with their values, without effect on what is predefined.
const IRRELEVANT: [&str; 5] = ["-I", "-isystem", "-idirafter", "-iquote", "-fmacro-prefix-map="];

/// Flags by which a file or the machine decides what is predefined.
const UNKEPT: [&str; 9] =
    ["@", "-include", "-imacros", "-specs", "--specs", "--config", "-fplugin", "-load", "-add-plugin"];

/// Variables of the environment that compilers read (GCC 12 manual, 3.21; clang 22, "Command Guide").
const VARIABLES: [&str; 8] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_USER_DIR",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
];

/// Returns what a compiler answered to the same question before, else asks it: starting clang takes as long as reading
/// a small source. Two questions for each side of a unit came from the name of an include guard alone.
fn known(compiler: &Path, flags: &[String], directory: &Path, kept: Option<&ContentStore>) -> Option<MacroTable> {
    let kept = kept.and_then(|store| Some((store.of_tools(), key(compiler, flags, directory)?)));
    if let Some(table) = kept.as_ref().and_then(|(store, key)| store.get(key)) {
        return Some(table);
    }
    let table = asked(compiler, flags, directory)?;
    if let Some((store, key)) = kept {
        store.put(&key, false, &table);
    }
    Some(table)
}

/// Returns the key of an answer. `None` if it may depend on more: the program is a script or a compiler cache, or a flag
/// names a file or the machine.
fn key(compiler: &Path, flags: &[String], directory: &Path) -> Option<[u8; 32]> {
    let program = which::which_in(compiler, std::env::var_os("PATH"), directory).ok()?;
    let name = program.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned();
    let compiles = ["g++", "gcc", "c++", "clang"].iter().any(|compiler| name.contains(compiler));
    if !compiles || flags.iter().any(|f| f.contains("native") || UNKEPT.iter().any(|u| f.starts_with(u))) {
        return None;
    }
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    add(b"macros 1");
    add(invoke::identity(&program)?.as_bytes());
    // The program's behaviour may depend on the name that it is called by.
    add(program.as_os_str().as_encoded_bytes());
    flags.iter().for_each(|flag| add(flag.as_bytes()));
    for name in VARIABLES {
        add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
    }
    Some(*hash.finalize().as_bytes())
}

fn asked(compiler: &Path, flags: &[String], directory: &Path) -> Option<MacroTable> {
    let mut command = Command::new(compiler);
    command.args(flags).args(["-E", "-dM", "/dev/null"]).current_dir(directory).stdin(Stdio::null());
    let out = command.output().ok().filter(|o| o.status.success())?;
    Some(parse(&String::from_utf8_lossy(&out.stdout)))
}

/// Parses the output of `-dM`.
#[must_use]
pub fn parse(text: &str) -> MacroTable {
    let define = |line: &str| {
        let rest = line.strip_prefix("#define ")?;
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        Some((rest[..end].to_owned(), rest[end..].to_owned()))
    };
    text.lines().filter_map(define).collect()
}

/// Whether two definitions are equivalent: numbers by their value, types by their words in any order.
#[must_use]
pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim(), b.trim());
    let squeezed = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let words = |s: &str| {
        let mut words: Vec<String> = s.split_whitespace().map(str::to_owned).collect();
        if words.len() > 1 {
            words.retain(|w| w != "int");
        }
        words.sort();
        words
    };
    if squeezed(a) == squeezed(b) || words(a) == words(b) {
        return true;
    }
    matches!((number(a), number(b)), (Some(a), Some(b)) if a == b)
}

/// Parses a number with its suffix, integers exactly. Digits of a real number beyond its type's precision are ignored.
fn number(text: &str) -> Option<(u128, u64)> {
    let inner = text.strip_prefix("double(").and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let digits = inner.trim_end_matches(['u', 'U', 'l', 'L']);
    let whole = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    if let Some(n) = whole {
        return Some((n, 0));
    }
    let single = inner.ends_with('F');
    let digits = inner.trim_end_matches("F16").trim_end_matches(['F', 'L', 'f', 'l']);
    let n: f64 = digits.parse().ok()?;
    let rounded = if single { f64::from(digits.parse::<f32>().ok()?) } else { n };
    Some((0, rounded.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_compared_by_meaning() {
        for (a, b) in [
            ("0x7fffffffL", "2147483647L"),
            ("16", "16UL"),
            ("short unsigned int", "unsigned short"),
            ("c ## UL", "c##UL"),
            ("double(2.22507385850720138309023271733240406e-308L)", "2.2250738585072014e-308"),
            ("1.40129846432481707092372958328991613e-45F", "1.40129846e-45F"),
            ("5.96046447753906250000000000000000000e-8F16", "5.9604644775390625e-8F16"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [("64", "16"), ("long int", "int"), ("\"12\"", "\"22\""), ("", "1"), ("1.5", "1.25")] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert_eq!(parse("#define A 1\n#define F(x) x\n#define B\n").len(), 3);
    }

    #[test]
    fn answers_are_kept_unless_they_depend_on_more_than_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let of = |compiler: &Path, flags: &str| {
            let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            key(compiler, &flags, root)
        };
        let host = Path::new("g++");
        let plain = of(host, "-x c++");
        assert!(plain.is_some() && plain == of(host, "-x c++") && plain != of(host, "-x c++ -O2"));
        for flags in ["-include a.h", "-march=native", "-Xarch_host -mtune=native", "@flags", "-specs=a", "-imacros a"]
        {
            assert_eq!(of(host, flags), None, "{flags}");
        }
        // A script, and a compiler cache under a compiler's name.
        std::fs::write(root.join("script-g++"), "#!/bin/sh\nexec g++ \"$@\"\n").unwrap();
        std::fs::set_permissions(root.join("script-g++"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::copy(which::which("true").unwrap(), root.join("ccache")).unwrap();
        std::os::unix::fs::symlink(root.join("ccache"), root.join("g++")).unwrap();
        for program in ["./script-g++", "./g++"] {
            assert_eq!(of(&root.join(program), "-x c++"), None, "{program}");
        }
        // A kept answer is given without asking.
        let kept = ContentStore::new(root.join("cache"));
        let flags = ["-x", "c++"].map(String::from);
        assert!(known(host, &flags, root, Some(&kept)).is_some_and(|table| table.contains_key("__cplusplus")));
        kept.of_tools().put(&key(host, &flags, root).unwrap(), false, &MacroTable::from([("A".into(), " 1".into())]));
        assert_eq!(known(host, &flags, root, Some(&kept)).unwrap().len(), 1);
        assert!(known(host, &flags, root, None).unwrap().len() > 1);
    }

    #[test]
    fn folders_of_headers_are_no_part_of_the_question() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let asked = "-x cuda -I/a -I b -isystem /c -idirafter/d -include x.h -fmacro-prefix-map=/p/= -DX=1 -c";
        assert_eq!(preprocessing(&words(asked)), words("-x cuda -DX=1 -nocudainc -nocudalib"));
    }
}
