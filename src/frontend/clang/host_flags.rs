//! Flags of the host compiler that matter to clang.
//!
//! In: what nvcc passes to the host compiler. Out: clang's arguments.

use super::flags::is_ndebug;

/// OpenMP version of g++ 12: 4.5.
const OPENMP: &str = "-D_OPENMP=201511";

/// Selects the host compiler flags that matter to clang, without `NDEBUG` if requested.
pub(super) fn host_flags(flags: &[String], drop_ndebug: bool) -> Vec<String> {
    /// Flags whose value may be the next word.
    const WITH_VALUE: &[&str] = &["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
    /// Flags that change the meaning of the source.
    const LANGUAGE: &[&str] = &[
        "-fexceptions",
        "-fno-exceptions",
        "-frtti",
        "-fno-rtti",
        "-ffreestanding",
        "-fms-extensions",
        "-fchar8_t",
        "-fno-char8_t",
        "-fpermissive",
        "-fno-operator-names",
        "-fgnu-keywords",
        "-fcoroutines",
        "-ansi",
        "-pthread",
        "-fno-elide-constructors",
        "-fno-threadsafe-statics",
        "-nostdinc",
        "-nostdinc++",
        "-m32",
        "-m64",
        "-fblocks",
    ];
    let mut out = vec![];
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if let Some(name) = WITH_VALUE.iter().filter(|n| flag.starts_with(**n)).max_by_key(|n| n.len()) {
            let value = match flag.strip_prefix(*name) {
                Some("") | None => flags.next().cloned(),
                Some(v) => Some(v.to_owned()),
            };
            let Some(value) = value else { break };
            if drop_ndebug && *name == "-D" && is_ndebug(&value) {
                continue;
            }
            if name.len() == 2 {
                out.push(format!("{name}{value}"));
            } else {
                out.extend([(*name).to_owned(), value]);
            }
        } else if LANGUAGE.contains(&flag.as_str()) || flag.starts_with("-std=") {
            out.push(flag.clone());
        } else if flag == "-funsigned-char" {
            // Both sides see the macro.
            out.extend(["-Xarch_host".into(), flag.clone(), "-Xarch_device".into(), "-D__CHAR_UNSIGNED__=1".into()]);
        } else if HOST_ONLY.contains(&flag.as_str()) || flag == "-fpack-struct" || flag.starts_with("-fpack-struct=") {
            out.extend(["-Xarch_host".into(), flag.clone()]);
        } else if flag.starts_with("-march=") || flag.starts_with("-mcpu=") || is_feature(flag) {
            // Instruction sets belong to the host side of a compilation.
            out.extend(["-Xarch_host".into(), flag.clone()]);
        } else if flag == "-fopenmp" || flag.starts_with("-fopenmp=") || flag == "-qopenmp" {
            // The host's parallel regions become functions that are passed to the runtime (LLVM 22, OMPIRBuilder:
            // `__kmpc_fork_call`): their writes are unknown. On the device side the pragmas are ignored, but g++, which
            // preprocesses that side too, defines the macro.
            out.extend(["-Xarch_host", "-fopenmp", "-Xarch_device", OPENMP].map(String::from));
        }
    }
    out
}

/// Flags that change the layout of the host's data or the meaning of its operations. nvcc passes them to the host
/// compiler only: cicc lays out device data as always (CUDA 13.0, each flag tested).
const HOST_ONLY: &[&str] = &[
    "-fno-short-enums",
    "-fno-short-wchar",
    "-fno-signed-char",
    "-fno-strict-overflow",
    "-fno-unsigned-char",
    "-fno-wrapv",
    "-fshort-enums",
    "-fshort-wchar",
    "-fsigned-char",
    "-ftrapv",
    "-fwrapv",
    "-malign-double",
    "-mlong-double-128",
    "-mlong-double-64",
    "-mlong-double-80",
    "-mms-bitfields",
    "-mno-ms-bitfields",
];

/// GCC flags of that kind that clang 22 lacks.
const LACKING: &[&str] = &[
    "-fno-signed-bitfields",
    "-funsigned-bitfields",
    "-fpcc-struct-return",
    "-freg-struct-return",
    "-fsingle-precision-constant",
    "-m128bit-long-double",
    "-m96bit-long-double",
    "-mno-align-double",
    "-mx32",
];

/// Whether clang lacks a flag that changes the host's code.
pub(super) fn is_lacking(flag: &str) -> bool {
    LACKING.contains(&flag)
        || ["-fabi-version=", "-fexec-charset=", "-finput-charset=", "-fwide-exec-charset=", "-fsso-struct="]
            .iter()
            .any(|f| flag.starts_with(f))
}

/// Whether a flag selects an x86 instruction set: `-mavx2`, `-mno-sse4.1`, `-mfma`.
fn is_feature(flag: &str) -> bool {
    ["avx", "sse", "ssse", "fma", "f16c", "bmi", "aes", "popcnt", "lzcnt", "amx", "pclmul", "rdrnd"]
        .iter()
        .any(|f| flag.strip_prefix("-mno-").or_else(|| flag.strip_prefix("-m")).is_some_and(|r| r.starts_with(f)))
}
