//! What is known of functions without bodies by their names alone (C11, C++17, CUDA 13.0's runtime and driver, Itanium C++ ABI).
//!
//! What they do to memory is modelled elsewhere (`host`); here stands what they may call, keep, launch and throw.

use super::cuda_names::{is_of_driver, is_of_runtime};
use super::no_return::returns;
use super::row::Throws;
use super::table::{fits, of};
use ir::intrinsic;

/// Whether a function of a library calls nothing of the program's, whatever it is given.
/// Of intrinsics only those of coroutines run the program's own code.
pub fn calls_nothing(name: &str) -> bool {
    name.starts_with("llvm.") && !name.starts_with("llvm.coro.")
        || of(name).gives_nothing_else
        || of(name).of_exceptions
}

/// Whether a function gives no address but those that it is given and memory made anew, and calls nothing of the program's.
pub fn gives_nothing_else(name: &str) -> bool {
    // The row of an intrinsic has its name without types.
    let name = intrinsic::base(name).map_or(name, |base| &name[.."llvm.".len() + base.len()]);
    of(name).gives_nothing_else
}

/// Whether it may call what it is given after it has returned.
pub fn keeps_functions(name: &str) -> bool {
    !of(name).keeps_no_function
}

/// Whether a function of a library may keep addresses that it is given, and write there when another of it is called, or call what it
/// finds there: one of which nothing is known. Those of CUDA, the C++ library and other known ones are taken not to.
pub fn may_keep_addresses(name: &str) -> bool {
    !(is_of_library(name)
        || is_of_c_interface(name)
        || calls_nothing(name)
        || of(name).keeps_no_address
        || of(name).keeps_no_function)
}

/// Whether a function of a library may write where a pointer leads that it is given, be that unknown. Those of the C++ library write the
/// objects that they are called on, and what the others write of CUDA's is told where they are modelled.
pub fn writes_what_it_is_given(name: &str) -> bool {
    !(is_of_library(name) || of(name).of_exceptions || of(name).writes_only_its_own)
}

/// Whether a name is one of the C library's, of POSIX's or of the compiler's own (those that begin with two underscores are reserved; C11
/// 7.1.3).
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

/// Whether a function of the host without a body may belong to the program itself, or to code of which nothing is known: no library is known to have it.
pub fn may_be_the_programs(name: &str) -> bool {
    !is_of_library(name)
        && !calls_nothing(name)
        && !is_of_cuda(name)
        && !is_of_c_interface(name)
        && !is_of_c_library(name)
}

/// Whether a function of a library only reads a text that is this argument of it.
pub fn only_reads(name: &str, display: &str, argument: usize) -> bool {
    // What the C++ library changes it is given as such.
    if is_of_library(name) {
        return !["char*", "char&", "void*", "char**"].iter().any(|p| display.contains(p));
    }
    of(name).reads.is_some_and(|r| argument == r.argument || r.rest && argument > r.argument)
}

/// Whether a function that is given a kernel may launch it: the C and C++ libraries know nothing of CUDA. They may call a function that
/// does, where they are given one.
pub fn may_launch_given(name: &str) -> bool {
    !asks_about_kernels(name) && (is_of_cuda(name) || !(is_of_c_library(name) || is_of_library(name)))
}

/// Whether a function only asks about a kernel that it is given, or sets what holds of it.
pub fn asks_about_kernels(name: &str) -> bool {
    fits(name, |a| a.asks_about_kernels)
}

/// Functions that do something on a device, by their names: those of CUDA's runtime and of its driver's API.
#[must_use]
pub fn is_of_cuda(name: &str) -> bool {
    is_of_runtime(name) || name.starts_with("__cuda") || is_of_driver(name)
}

/// Whether a mangled name is of the library itself: in `std` or `__gnu_cxx`, or local to such a function (Itanium C++ ABI, 5.1.2).
pub fn is_of_library(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("_Z") else { return false };
    let rest = rest.trim_start_matches('Z');
    let rest = rest.strip_prefix('N').map_or(rest, |nested| nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']));
    ["St", "Sa", "Ss", "Sb", "Si", "So", "Sd", "9__gnu_cxx"].iter().any(|p| rest.starts_with(p))
}

/// Whether a function has an interface for C, CUDA's included.
pub fn is_of_c_interface(name: &str) -> bool {
    is_of_cuda(name) || fits(name, |a| a.of_c_interface)
}

/// Whether a function is a manipulator of streams that the C++ library has.
pub fn is_manipulator(name: &str) -> bool {
    ["_ZSt4endl", "_ZSt4ends", "_ZSt5flush", "_ZSt2ws"].iter().any(|p| name.starts_with(p))
        || name.starts_with("_ZSt") && name.ends_with("RSt8ios_base")
}

/// Whether a function launches what it is given, or tells how the next launch is configured.
pub fn is_launch(name: &str) -> bool {
    fits(name, |a| a.launches)
}

/// Whether a function without a body may throw something that a program catches.
pub fn may_throw(name: &str) -> bool {
    let foreign = name.starts_with("_Z") || name.starts_with("__cxa_throw") || name == "__cxa_rethrow";
    // What is thrown where memory is exhausted is left out.
    foreign && !fits(name, |a| matches!(a.throws, Some(Throws::NoMemory | Throws::Nothing)))
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
