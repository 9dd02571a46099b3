use super::super::host_flags::is_lacking;
use super::*;
use crate::clang::toolkit::HostCompiler;

fn unit(language: Language) -> TranslationUnit {
    TranslationUnit {
        nvcc: Some("/cuda/bin/nvcc".into()),
        ..TranslationUnit::plain("-odd.cu".into(), "/w".into(), language)
    }
}

fn toolkit() -> Toolkit {
    Toolkit {
        root: Some("/cuda".into()),
        version: (13, 0, 88),
        includes: vec!["/cuda/include".into()],
        system_includes: vec!["/cuda/include/cccl".into()],
        host: HostCompiler { gnu_version: Some("13.2.0".into()), gcc_folder: Some("/gcc/13".into()) },
    }
}

fn arguments(unit: &TranslationUnit, side: Side) -> Vec<String> {
    ClangCommand::new(unit, side, &Fidelity::default(), &toolkit(), &ExtractOptions::default())
        .files(LeadingHeader::Ours(Path::new("/t/compat.h")), Path::new("/t/o.bc"), Path::new("/t/o.d"))
        .arguments
}

fn words(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|f| (*f).to_owned()).collect()
}

#[test]
fn the_lowest_architecture_is_taken_or_the_nearest_below() {
    assert_eq!(analysed_arch(&[90, 80], 75), 80);
    assert_eq!(analysed_arch(&[], 75), 75);
    assert_eq!(analysed_arch(&[119], 75), 110);
    assert_eq!(analysed_arch(&[200], 75), 121);
    assert_eq!(analysed_arch(&[20], 75), 30, "nothing below: the lowest of all");
}

#[test]
fn host_flags_are_cut_to_what_changes_meaning() {
    let given = words(&[
        "-Wall",
        "-O3",
        "-fPIC",
        "-march=native",
        "-mavx2",
        "-mno-fma",
        "-fno-exceptions",
        "-DA=1",
        "-D",
        "B",
        "-I/x",
        "-isystem",
        "/y",
        "-idirafter",
        "/z",
        "-fopenmp",
        "-g",
        "-flto",
        "-fvisibility=hidden",
        "-m64",
        "-mcmodel=large",
        "-DNDEBUG",
        "-include",
        "p.h",
        "-std=c++20",
        "-D",
    ]);
    let kept = [
        "-Xarch_host",
        "-march=native",
        "-Xarch_host",
        "-mavx2",
        "-Xarch_host",
        "-mno-fma",
        "-fno-exceptions",
        "-DA=1",
        "-DB",
        "-I/x",
        "-isystem",
        "/y",
        "-idirafter",
        "/z",
        "-Xarch_host",
        "-fopenmp",
        "-Xarch_device",
        "-D_OPENMP=201511",
        "-m64",
        "-include",
        "p.h",
        "-std=c++20",
    ];
    assert_eq!(host_flags(&given, true), kept);
    assert!(host_flags(&given, false).contains(&"-DNDEBUG".to_owned()));
}

#[test]
fn flags_of_layout_are_the_hosts_alone() {
    let given = words(&["-fpack-struct=2", "-fshort-enums", "-funsigned-char", "-funsigned-bitfields", "-fno-rtti"]);
    let kept = [
        "-Xarch_host",
        "-fpack-struct=2",
        "-Xarch_host",
        "-fshort-enums",
        "-Xarch_host",
        "-funsigned-char",
        "-Xarch_device",
        "-D__CHAR_UNSIGNED__=1",
        "-fno-rtti",
    ];
    assert_eq!(host_flags(&given, false), kept);
    assert!(is_lacking("-funsigned-bitfields") && is_lacking("-fexec-charset=latin1") && !is_lacking("-fno-rtti"));
}

#[test]
fn sets_of_features_have_nvccs_macros() {
    let of = |number, features| feature_macros(DeviceCompilation { number, features }, true, (13, 0, 88)).join(" ");
    assert_eq!(of(90, FeatureSet::Plain), "-DCUDA_DOUBLE_MATH_FUNCTIONS");
    assert!(of(90, FeatureSet::Specific).ends_with("-D__CUDA_ARCH_SPECIFIC__=900 -D__CUDA_ARCH_FAMILY_SPECIFIC__=900"));
    let family = of(100, FeatureSet::Family);
    assert!(family.contains("-U__CUDA_ARCH_FEAT_SM100_ALL") && !family.contains("__CUDA_ARCH_SPECIFIC__"), "{family}");
}

#[test]
fn ndebug_is_found_wherever_it_stands_last() {
    let of = |preprocessor: Vec<PreprocessorFlag>, host: &[&str]| {
        defines_ndebug(&TranslationUnit { preprocessor, host_flags: words(host), ..unit(Language::Cuda) })
    };
    let define = |d: &str| PreprocessorFlag::Define(d.into());
    assert!(of(vec![define("NDEBUG")], &[]) && of(vec![define("NDEBUG=1")], &[]) && of(vec![], &["-DNDEBUG"]));
    assert!(!of(vec![define("NDEBUG"), PreprocessorFlag::Undefine("NDEBUG".into())], &[]));
    assert!(!of(vec![define("NDEBUGGING")], &["-DNDEBUG_X"]));
}

#[test]
fn the_version_claimed_is_one_whose_headers_clang_can_read() {
    assert_eq!(gnu_version("12.2.0", Language::Cuda).as_deref(), Some("12.2.0"));
    assert_eq!(gnu_version("14.1.0", Language::Cxx).as_deref(), Some("12.9.0"));
    assert_eq!(gnu_version("12.2.0", Language::C), None);
    assert_eq!(gnu_version("garbage", Language::Cxx), None);
}

#[test]
fn preprocessor_flags_keep_their_order_and_ours_comes_first_of_the_headers() {
    use PreprocessorFlag as P;
    let u = TranslationUnit {
        preprocessor: vec![
            P::Include("a".into()),
            P::Define("X=1".into()),
            P::PreInclude("mine.h".into()),
            P::Undefine("X".into()),
            P::SystemInclude("s".into()),
            P::Define("X=2".into()),
        ],
        ..unit(Language::Cuda)
    };
    let a = arguments(&u, Side::Device);
    let at = |f: &str| a.iter().position(|x| x == f).unwrap_or_else(|| panic!("no {f} in {a:?}"));
    assert!(at("-Ia") < at("-DX=1") && at("-DX=1") < at("-UX") && at("-UX") < at("-DX=2"));
    assert!(at("s") < at("/cuda/include"), "the toolkit's folders come last");
    assert!(at("/t/compat.h") < at("mine.h"));
    assert_eq!(a[a.len() - 2..], ["--", "-odd.cu"], "a source like a flag is none");
}

#[test]
fn relocatable_code_is_read_as_such() {
    let of = |relocatable| arguments(&TranslationUnit { relocatable, ..unit(Language::Cuda) }, Side::Device);
    assert!(of(true).contains(&"-fgpu-rdc".to_owned()) && !of(false).contains(&"-fgpu-rdc".to_owned()));
}

#[test]
fn late_macros_are_the_users_own_in_their_order() {
    use PreprocessorFlag as P;
    let define = |d: &str| P::Define(d.into());
    let u = TranslationUnit {
        preprocessor: vec![
            define("N=4"),
            define("F(x)=x + 1"),
            define("__CUDA_NO_HALF_OPERATORS__"),
            P::Undefine("N".into()),
            define("CUDA_API_PER_THREAD_DEFAULT_STREAM"),
            define("NDEBUG"),
            define("ON"),
            P::Include("i".into()),
            P::PreInclude("mine.h".into()),
        ],
        ..unit(Language::Cuda)
    };
    assert_eq!(
        late_macros(&u, Asserts::Kept).as_deref(),
        Some("#define N 4\n#define F(x) x + 1\n#undef N\n#define ON 1\n")
    );
    assert!(late_macros(&u, Asserts::AsGiven).unwrap().contains("#define NDEBUG 1\n"));
    assert_eq!(late_macros(&unit(Language::Cuda), Asserts::Kept), None);
    let reading = Fidelity { late_macros: Some("/t/late.h".into()), ..Fidelity::default() };
    let command = ClangCommand::new(&u, Side::Host, &reading, &toolkit(), &ExtractOptions::default());
    let a = command
        .files(LeadingHeader::Ours(Path::new("/t/compat.h")), Path::new("/t/o.bc"), Path::new("/t/o.d"))
        .arguments;
    let at = |f: &str| a.iter().position(|x| x == f).unwrap_or_else(|| panic!("no {f} in {a:?}"));
    assert!(at("/t/compat.h") < at("/t/late.h") && at("/t/late.h") < at("mine.h"));
    assert!(!a.iter().any(|f| f == "-DN=4" || f == "-UN" || f == "-DON"));
    assert!(a.contains(&"-D__CUDA_NO_HALF_OPERATORS__".to_owned()));
    assert!(a.contains(&"-DCUDA_API_PER_THREAD_DEFAULT_STREAM".to_owned()));
}

#[test]
fn plain_sources_are_not_compiled_as_cuda() {
    for (language, x) in [(Language::Cxx, "c++"), (Language::C, "c")] {
        let a = arguments(&unit(language), Side::Host);
        assert_eq!(a[..2], ["-x", x]);
        assert!(!a.iter().any(|f| f.starts_with("--cuda")), "{a:?}");
        assert!(a.contains(&"-D__NVCC__".to_owned()), "nvcc defines it for every language");
    }
    let own = TranslationUnit { nvcc: None, ..unit(Language::Cxx) };
    assert!(!arguments(&own, Side::Host).contains(&"-D__NVCC__".to_owned()), "compiled by the host compiler itself");
}

#[test]
fn a_standard_of_another_language_is_left_out_as_gcc_does() {
    let of = |language, standard: &str| {
        let u = TranslationUnit { standard: Some(standard.into()), ..unit(language) };
        arguments(&u, Side::Host).contains(&format!("-std={standard}"))
    };
    let all = [of(Language::C, "gnu++20"), of(Language::C, "c11"), of(Language::Cxx, "c++17")];
    assert_eq!(all, [false, true, true]);
}

#[test]
fn language_flags_become_their_macros() {
    let u = TranslationUnit {
        language_flags: words(&["--extended-lambda", "--default-stream", "per-thread", "--device-debug"]),
        relocatable: true,
        ..unit(Language::Cuda)
    };
    let a = arguments(&u, Side::Host);
    for m in ["SCUBA_EXTENDED_LAMBDA__", "CUDACC_DEBUG__", "CUDACC_RDC__"] {
        assert!(a.contains(&format!("-D__{m}")), "{m}");
    }
    assert!(a.contains(&"-DCUDA_API_PER_THREAD_DEFAULT_STREAM".to_owned()));
    let joined = TranslationUnit { language_flags: words(&["--default-stream=legacy"]), ..unit(Language::Cuda) };
    assert!(!arguments(&joined, Side::Host).contains(&"-DCUDA_API_PER_THREAD_DEFAULT_STREAM".to_owned()));
}
