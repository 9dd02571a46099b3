//! Macros before the source: those of nvcc's own preprocessing of each side against those that clang is given, the ones that may differ apart.

use super::{Project, options};
use scuba::frontend::clang::predefined::{self, MacroTable};
use scuba::ir::Side;
use std::path::Path;
use std::process::Command;

/// Names, or what they begin or end with, that clang defines otherwise than the host's GCC does, and why they are left so. Units that ask
/// for one of them rest on an assumption (`src/frontend/clang/doubts.rs`).
const MAY_DIFFER: &[(&[&str], &str)] = &[
    (&["__clang*", "__CLANG*", "__llvm__", "__CUDA__", "__NVPTX__", "__PTX__"], "clang's own headers ask for them"),
    (
        &["__FPCLASS_*", "__MEMORY_SCOPE_*", "__OPENCL_*", "__OBJC*", "__private_extern__", "__CONSTANT_CFSTRINGS__"],
        "clang's own",
    ),
    (
        &["*_FMTX__", "*_FMTd__", "*_FMTi__", "*_FMTo__", "*_FMTu__", "*_FMTx__", "*_C_SUFFIX__", "*_WIDTH__"],
        "clang's stdint.h builds on them",
    ),
    (
        &["__INT*", "__UINT*", "__BITINT*", "__SIG_ATOMIC*", "__WCHAR_MIN__", "__WINT_*"],
        "clang's stdint.h builds on them",
    ),
    (&["__FLT*", "__DBL_*", "__LDBL_*", "__DEC*", "__FLOAT*", "__SIZEOF_FLOAT*", "__GCC_IEC*"], "of clang's types"),
    (&["__STDC_IEC*", "__STDC_ISO*", "_STDC_PREDEF_H", "__STDC_EMBED*"], "of a header that GCC alone includes first"),
    (&["__cpp_*", "__GXX_ABI_VERSION", "__VERSION__"], "what each compiler has"),
    (
        &["__OPTIMIZE__", "__NO_INLINE__", "__NO_MATH_INLINES", "__GNUC_*_INLINE__"],
        "clang is run with -O1 for its lifetimes",
    ),
    (&["__ATOMIC_HLE*", "__HAVE_SPECULATION*", "__MMX_WITH_SSE__", "__seg_*", "__tune_*", "__k8*"], "of the target"),
    (&["__GNUC_*CHARSET_NAME", "__LITTLE_ENDIAN__", "__POINTER_WIDTH__", "__STDCPP_*"], "GCC's or clang's alone"),
    (
        &["__PIC__", "__PIE__", "__pic__", "__pie__", "__code_model_*", "__BIGGEST_ALIGNMENT__"],
        "the device's target has none, or its own",
    ),
    (
        &["__NO_MATH_ERRNO__", "__SIZEOF_LONG_DOUBLE__"],
        "of the device's target; its long double is a double, as with nvcc",
    ),
    (&["__CUDACC__"], "compat.h gives it its value behind clang's headers"),
    (
        &["__SCUBA_EXTENDED_LAMBDA__", "__CUDACC_EXTENDED_LAMBDA__"],
        "compat.h gives the second one behind clang's headers, where the first one is",
    ),
    (&["__CHAR8_TYPE__"], "GCC's alone"),
    (&["__SCUBA__", "CCCL_DISABLE_NVTX", "__CLANG_CUDA_TEXTURE_INTRINSICS_H__"], "what this front end adds"),
];

fn may_differ(name: &str) -> bool {
    let fits = |pattern: &&str| match (pattern.strip_prefix('*'), pattern.split_once('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some((begin, end))) => name.starts_with(begin) && name.ends_with(end),
        _ => name == *pattern,
    };
    MAY_DIFFER.iter().flat_map(|(patterns, _)| *patterns).any(fits)
}

/// The macros of each preprocessing in nvcc's own plan: the host's first, then one of each compilation of device code.
fn of_nvcc(project: &Project, nvcc: &Path, flags: &str) -> Vec<MacroTable> {
    let words = flags.split_whitespace();
    let out =
        Command::new(nvcc).args(["--dryrun", "-c", "a.cu"]).args(words).current_dir(project.path()).output().unwrap();
    let plan = String::from_utf8_lossy(&out.stderr).into_owned();
    let commands = plan
        .lines()
        .filter_map(|l| l.strip_prefix("#$ "))
        .filter(|l| l.starts_with("gcc ") && l.contains(" -E -x c++"));
    let macros = commands.map(|line| {
        let line = line.split("-o \"").next().unwrap().replace("-include \"cuda_runtime.h\"", "");
        let shell = format!("{line} -dM");
        let out = Command::new("sh").args(["-c", &shell]).current_dir(project.path()).output().unwrap();
        assert!(out.status.success(), "{shell}: {}", String::from_utf8_lossy(&out.stderr));
        predefined::parse(&String::from_utf8_lossy(&out.stdout))
    });
    macros.collect()
}

fn differences(ours: &MacroTable, theirs: &MacroTable) -> Vec<String> {
    let names = ours.keys().chain(theirs.keys().filter(|n| !ours.contains_key(*n)));
    names
        .filter(|n| !may_differ(n))
        .filter(|n| match (ours.get(*n), theirs.get(*n)) {
            (Some(a), Some(b)) => !predefined::same(a, b),
            _ => true,
        })
        .map(|n| format!("{n}: clang {:?}, nvcc {:?}", ours.get(n), theirs.get(n)))
        .collect()
}

#[test]
fn each_side_has_the_macros_of_nvccs_own_preprocessing() {
    let flags = [
        "",
        "-arch=sm_80 -std=c++20 -rdc=true --extended-lambda -DA=2",
        "-arch=sm_90a",
        "-gencode arch=compute_100f,code=sm_100",
        "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_103a,code=sm_103a",
        "-Xcompiler -funsigned-char,-fno-exceptions,-fpack-struct",
    ];
    for flags in flags {
        let p = Project::new(&[("a.cu", "")]);
        let unit = p.unit(&format!("a.cu -c {flags}"));
        let options = options();
        let theirs = of_nvcc(&p, unit.nvcc.as_deref().unwrap(), flags);
        let ours = |side| {
            let arguments = scuba::frontend::clang::arguments(&unit, side, &options).unwrap();
            predefined::of_clang(&options.clang, &arguments, p.path()).unwrap()
        };
        assert!(theirs.len() >= 2, "{flags}: {}", theirs.len());
        assert_eq!(differences(&ours(Side::Host), &theirs[0]), Vec::<String>::new(), "host, {flags}");
        // The lowest compilation, in whatever order nvcc plans them.
        let device = ours(Side::Device);
        let least = theirs[1..].iter().map(|t| differences(&device, t)).min_by_key(Vec::len).unwrap();
        assert_eq!(least, Vec::<String>::new(), "device, {flags}");
    }
}
