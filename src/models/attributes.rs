//! Facts about functions without bodies, by their names alone (C11, C++17, CUDA 13.0's runtime and driver, Itanium C++
//! ABI).
//!
//! Their effects on memory are modelled elsewhere (`host`). Here stands which functions they may call, which addresses
//! they may retain, and what they may launch and throw.

use super::cuda_names::{is_of_driver, is_of_runtime};
use super::no_return::returns;
use super::row::{FunctionAttributes, Throws};
use super::table::{fits, of};
use ir::intrinsic;

/// Whether a library function calls no function of the program, whatever its arguments. Among the intrinsics only those
/// of coroutines run the program's code.
pub fn calls_nothing(name: &str) -> bool {
    name.starts_with("llvm.") && !name.starts_with("llvm.coro.")
        || of(name).gives_nothing_else
        || of(name).of_exceptions
}

/// Whether a function returns no address except its arguments and newly allocated memory, and calls no function of the
/// program.
pub fn gives_nothing_else(name: &str) -> bool {
    // An intrinsic's row has its name without types.
    let name = intrinsic::base(name).map_or(name, |base| &name[.."llvm.".len() + base.len()]);
    of(name).gives_nothing_else
}

/// Whether a function may call its function arguments after it has returned.
pub fn keeps_functions(name: &str) -> bool {
    !of(name).keeps_no_function
}

/// Whether an unknown library function may retain addresses from its arguments, and write there in a later call or call
/// functions that it finds there. The functions of CUDA, of the C++ library and other known ones are assumed not to.
pub fn may_keep_addresses(name: &str) -> bool {
    !(is_of_library(name)
        || is_of_c_interface(name)
        || calls_nothing(name)
        || of(name).keeps_no_address
        || of(name).keeps_no_function)
}

/// Whether a library function may write through its pointer arguments, known or not. C++ library functions write the
/// objects that they are called on. Where CUDA functions write is stated by their models.
pub fn writes_what_it_is_given(name: &str) -> bool {
    !(is_of_library(name) || of(name).of_exceptions || of(name).writes_only_its_own)
}

/// Whether a name belongs to the C library, to POSIX or to the compiler (names that begin with two underscores are
/// reserved; C11 7.1.3).
pub fn is_of_c_library(name: &str) -> bool {
    let known = of(name);
    name.starts_with("__")
        || name.starts_with("_Unwind")
        || name.starts_with("llvm.")
        || known.gives_nothing_else
        || known.keeps_no_address
        || known.keeps_no_function
        || known.writes_only_its_own
        || known.of_c_library
        || known.reads.is_some()
        || returns(name).is_some()
}

/// Whether a host function without a body may belong to the program itself or to unknown code: no known library defines
/// it.
pub fn may_be_the_programs(name: &str) -> bool {
    !is_of_library(name)
        && !calls_nothing(name)
        && !is_of_cuda(name)
        && !is_of_c_interface(name)
        && !is_of_c_library(name)
}

/// Whether this argument of a library function is a string that the function only reads.
pub fn only_reads(name: &str, display: &str, argument: usize) -> bool {
    // The C++ library takes what it modifies through non-const types.
    if is_of_library(name) {
        return !["char*", "char&", "void*", "char**"].iter().any(|p| display.contains(p));
    }
    of(name).reads.is_some_and(|r| argument == r.argument || r.rest && argument > r.argument)
}

/// Whether a function may launch a kernel argument. The C and C++ libraries do not know CUDA; they may only call a
/// function argument that launches.
pub fn may_launch_given(name: &str) -> bool {
    !asks_about_kernels(name) && (is_of_cuda(name) || !(is_of_c_library(name) || is_of_library(name)))
}

/// Whether a function only queries or sets properties of its kernel argument.
pub fn asks_about_kernels(name: &str) -> bool {
    fits(name, |a| a.asks_about_kernels)
}

/// Whether a name is a function of CUDA's runtime or driver API, which may act on a device.
#[must_use]
pub fn is_of_cuda(name: &str) -> bool {
    is_of_runtime(name) || name.starts_with("__cuda") || is_of_driver(name)
}

/// Whether a function of CUDA may do more than return the text of an error code (CUDA 13.5: Error Handling). The `what`
/// functions of thrust's exceptions call these: they would make each virtual call one that may lead to CUDA.
#[must_use]
pub fn acts_on_a_device(name: &str) -> bool {
    is_of_cuda(name)
        && !["cudaGetErrorName", "cudaGetErrorString", "cuGetErrorName", "cuGetErrorString"].contains(&name)
}

/// Whether a mangled name belongs to the C++ library: in `std` or `__gnu_cxx`, or local to such a function (Itanium C++
/// ABI, 5.1.2).
pub fn is_of_library(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("_Z") else { return false };
    let rest = rest.trim_start_matches('Z');
    let rest = rest.strip_prefix('N').map_or(rest, |nested| nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']));
    ["St", "Sa", "Ss", "Sb", "Si", "So", "Sd", "9__gnu_cxx"].iter().any(|p| rest.starts_with(p))
}

/// Whether a function has a C interface; those of CUDA have one.
pub fn is_of_c_interface(name: &str) -> bool {
    is_of_cuda(name) || fits(name, |a| a.of_c_interface)
}

/// Whether a function is a stream manipulator of the C++ library.
pub fn is_manipulator(name: &str) -> bool {
    ["_ZSt4endl", "_ZSt4ends", "_ZSt5flush", "_ZSt2ws"].iter().any(|p| name.starts_with(p))
        || name.starts_with("_ZSt") && name.ends_with("RSt8ios_base")
}

/// Whether a function launches its kernel argument, or configures the next launch.
pub fn is_launch(name: &str) -> bool {
    fits(name, |a| a.launches)
}

/// Whether a function without a body may throw an exception that a program catches.
pub fn may_throw(name: &str) -> bool {
    let of_runtime = ["__cxa_throw", "__cxa_rethrow", "__cxa_bad_"].iter().any(|start| name.starts_with(start));
    let foreign = name.starts_with("_Z") || of_runtime;
    // Exceptions for exhausted memory are ignored.
    let quiet = |a: &FunctionAttributes| a.throws.is_some();
    foreign && !quiet(&of(name)) && !fits(name, quiet)
}

/// Whether a function without a body throws for sizes in bytes in argument 0 that no object can have, as that of an
/// array of negative length, and otherwise only where memory is exhausted.
pub fn may_throw_for_size(name: &str) -> bool {
    fits(name, |a| a.throws == Some(Throws::ImpossibleSize))
}

#[cfg(test)]
mod tests {
    use super::{is_of_cuda, is_of_library};

    #[test]
    fn names_of_cuda() {
        for n in ["cudaMalloc", "__cudaPushCallConfiguration", "cuLaunchKernel"] {
            assert!(is_of_cuda(n), "{n}");
        }
        for n in ["cut", "cube", "_Z4mainv", "custom", "cudaPick", "cuPrepare"] {
            assert!(!is_of_cuda(n), "{n}");
        }
    }

    #[test]
    fn the_librarys_own_names() {
        for n in [
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5c_strEv",
            "_ZSt4sortIPiEvT_S1_",
            "_ZNSsC1EPKcRKSaIcE",
            "_ZN9__gnu_cxx13new_allocatorIcED2Ev",
            "_ZZNSt8__detail4findEvE1x",
        ] {
            assert!(is_of_library(n), "{n}");
        }
        for n in [
            "main",
            "_Z9configureNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
            "_ZN3run4withERSt6vectorIiSaIiEE",
            "_ZZ4mainENKUliE_clEi",
            "_ZN5StackC2Ev",
            "_Z3addIdEvNSt7__cxx1112basic_stringIcE",
        ] {
            assert!(!is_of_library(n), "{n}");
        }
    }
}
