//! Reasons why clang may read a unit as another program than the unit's own compiler.
//!
//! In: the user's files of a unit, clang's command. Out: a line for each name that both compilers define differently
//! and the files mention, and for each flag that clang lacks; whether the files contain architecture-dependent code.

use super::host_flags;
use super::predefined::{self, QUESTIONS};
use crate::identifiers;
use crate::own::UserFolders;
use files::ContentStore;
use ir::Doubt;
use nvcc::unit::TranslationUnit;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Attributes that nvcc 13.0 knows and clang 22 ignores, as `__block_size__` and `__cluster_dims__` spell them.
const BARE: &[&str] = &["block_size", "cluster_dims", "__block_size__", "__cluster_dims__"];

/// Largest number of names reported for one unit.
const MAX: usize = 4;

/// Compiler-dependent names in the user's files of a unit.
#[derive(Debug, Default)]
pub(super) struct CompilerDependentNames {
    /// True where the code may depend on the architecture.
    pub architectures: bool,
    /// True where code depends on `NDEBUG`, or an assert may have an effect that the program uses.
    pub ndebug: bool,
    /// Names that an implementation may define, each with its first occurrence.
    names: BTreeMap<String, (PathBuf, usize)>,
    /// First use of an attribute that sets launch sizes and that no toolkit macro spells.
    bare: Option<(PathBuf, usize, String)>,
}

impl CompilerDependentNames {
    /// Reads the user's files.
    pub fn of(files: &[PathBuf], own: &UserFolders) -> Self {
        let mut out = Self::default();
        // The names in scuba.h are defined for it.
        let is_ours = |f: &Path| f.file_name().is_some_and(|n| n == "scuba.h");
        for file in files.iter().filter(|f| !own.is_system(f) && !is_ours(f)) {
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned();
            out.ndebug |= identifiers::may_act(&text, "assert");
            let mut before = "";
            for name in identifiers::names(&text) {
                if BARE.contains(&name.text) && before == "__attribute__" && out.bare.is_none() {
                    out.bare = Some((file.clone(), name.line, name.text.to_owned()));
                }
                before = name.text;
                out.ndebug |= name.text == "NDEBUG";
                out.architectures |= tells_architectures_apart(name.text, name.presence_only);
                if is_of_implementation(name.text) && !out.names.contains_key(name.text) {
                    out.names.insert(name.text.to_owned(), (file.clone(), name.line));
                }
            }
        }
        out
    }

    /// Returns one line for each mentioned name that clang's command defines differently than the unit's own compiler;
    /// only the first ones. `kept`: store of the compilers' earlier answers.
    pub fn doubts(
        &self,
        clang: &Path,
        arguments: &[String],
        unit: &TranslationUnit,
        kept: Option<&ContentStore>,
    ) -> Vec<Doubt> {
        let bare = self.bare.as_ref().map(|(file, line, name)| {
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            let words = format!("{file}:{line} sets launch sizes by the bare attribute `{name}`");
            anywhere(format!("{words}, which is not followed"))
        });
        let mut out: Vec<Doubt> = bare.into_iter().collect();
        if self.names.is_empty() {
            return out;
        }
        let differing = predefined::differing(clang, arguments, unit, kept);
        let differs = |name: &str| is_otherwise(name) || differing.as_ref().is_none_or(|names| names.contains(name));
        let mut places: Vec<(&PathBuf, usize, &String)> =
            self.names.iter().filter(|(n, _)| differs(n)).map(|(n, (file, line))| (file, *line, n)).collect();
        places.sort();
        let more = places.len().saturating_sub(MAX);
        out.extend(places.iter().take(MAX).map(|(file, line, name)| {
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            let words =
                format!("{file}:{line} tests `{name}`, which clang defines differently from the unit's compiler");
            Doubt { words, file: Some(file.into_owned()), certain: false }
        }));
        if more > 0 {
            let words = format!("{more} more tested names differ between clang and the unit's compiler");
            out.push(Doubt { words, file: Some(String::new()), certain: false });
        }
        out
    }
}

/// Whether clang answers differently than g++ and nvcc whatever its command: compiler-specific queries, and guards of
/// its own headers.
fn is_otherwise(name: &str) -> bool {
    QUESTIONS.contains(&name) || OTHERWISE.contains(&name) || name.starts_with("__CLANG_")
}

/// Returns a doubt for each host compiler flag that changes the code and that clang lacks.
pub(super) fn of_flags(unit: &TranslationUnit) -> Vec<Doubt> {
    let lacking = unit.host_flags.iter().filter(|f| host_flags::is_lacking(f));
    let lacking = lacking.map(|f| anywhere(format!("the host code is compiled with `{f}`, which clang lacks")));
    lacking.chain(other_library(unit)).collect()
}

/// Doubt about a unit whose host compiler, clang, uses another C++ library than the one that is read. nvcc 13.5 passes `-stdlib`
/// to no other compiler.
fn other_library(unit: &TranslationUnit) -> Option<Doubt> {
    let name = unit.host_compiler.as_ref()?.file_name()?.to_string_lossy().into_owned();
    let asks = name.contains("clang") && unit.host_flags.iter().any(|f| f == "-stdlib=libc++");
    asks.then(|| anywhere("the host code is compiled with libc++, but read with libstdc++".to_owned()))
}

/// Returns a doubt about all code of a unit.
pub(super) fn anywhere(words: String) -> Doubt {
    Doubt { words, file: None, certain: false }
}

/// Whether a name in a source may make code depend on the architecture (CUDA C++ Programming Guide 13.0, 5.1;
/// `nv/target` of CCCL). Whether `__CUDA_ARCH__` is defined only distinguishes the device side from the host side.
fn tells_architectures_apart(name: &str, presence_only: bool) -> bool {
    match name {
        "__CUDA_ARCH__" => !presence_only,
        "__CUDA_ARCH_SPECIFIC__" | "__CUDA_ARCH_FAMILY_SPECIFIC__" | "NV_IF_TARGET" | "NV_IF_ELSE_TARGET" => true,
        "NV_DISPATCH_TARGET" | "__CUDA_ARCH_HAS_FEATURE__" | "__CUDA_MINIMUM_ARCH__" => true,
        _ => ["__CUDA_ARCH_FEAT_", "__CUDA_HAS_ARCH_", "NV_PROVIDES_SM_", "NV_IS_EXACTLY_", "NV_HAS_FEATURE_"]
            .iter()
            .any(|p| name.starts_with(p)),
    }
}

/// Names of CUDA and of every compiler, which are frequent in sources.
const EVERYWHERE: &[&str] = &[
    "__COUNTER__",
    "__CUDACC__",
    "__CUDA_ARCH__",
    "__DATE__",
    "__FILE__",
    "__FUNCTION__",
    "__LINE__",
    "__NVCC__",
    "__PRETTY_FUNCTION__",
    "__TIME__",
    "__VA_ARGS__",
    "__align__",
    "__asm__",
    "__attribute__",
    "__constant__",
    "__cplusplus",
    "__device__",
    "__forceinline__",
    "__func__",
    "__global__",
    "__grid_constant__",
    "__host__",
    "__inline__",
    "__launch_bounds__",
    "__managed__",
    "__noinline__",
    "__restrict__",
    "__shared__",
    "__volatile__",
];

/// Names that clang's command always defines differently than nvcc: traits of extended lambdas, whose closures clang
/// does not mark, and the macro that removes profiler ranges.
const OTHERWISE: &[&str] = &[
    "CCCL_DISABLE_NVTX",
    "__nv_is_extended_device_lambda_closure_type",
    "__nv_is_extended_device_lambda_with_preserved_return_type",
    "__nv_is_extended_host_device_lambda_closure_type",
];

/// Whether a name is spelled like a macro that compilers define.
fn is_of_implementation(name: &str) -> bool {
    let shouted = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let begins = |p: &&str| name.starts_with(*p);
    let reserved = name.starts_with("__") || name.starts_with('_') && shouted;
    OTHERWISE.contains(&name)
        || reserved
            && (shouted
                || name.ends_with("__")
                || ["__has_", "__is_", "__clang_", "__cpp_", "__seg_"].iter().any(begins))
            && EVERYWHERE.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_everywhere_are_sorted() {
        assert!(EVERYWHERE.is_sorted());
    }

    #[test]
    fn names_of_implementations() {
        for name in [
            "__clang__",
            "__has_builtin",
            "__CUDA__",
            "_OPENMP",
            "__cpp_constexpr",
            "__GCC_IEC_559",
            "__AVX2__",
            "CCCL_DISABLE_NVTX",
        ] {
            assert!(is_of_implementation(name), "{name}");
        }
        for name in ["__global__", "__syncthreads", "__shfl_sync", "N", "_x", "__ldg", "__half", "CLANG"] {
            assert!(!is_of_implementation(name), "{name}");
        }
    }

    #[test]
    fn a_value_tells_architectures_apart_and_presence_does_not() {
        assert!(tells_architectures_apart("__CUDA_ARCH__", false) && !tells_architectures_apart("__CUDA_ARCH__", true));
        assert!(tells_architectures_apart("__CUDA_ARCH_FEAT_SM90_ALL", true));
        assert!(!tells_architectures_apart("__CUDA_ARCH_LIST__", false));
    }
}
