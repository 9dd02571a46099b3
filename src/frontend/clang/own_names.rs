//! Types that a source defines under names of headers that clang includes by itself and nvcc does not.
//!
//! nvcc reads `cuda_runtime.h` alone before the source, clang `<stdlib.h>` and others too (clang 22,
//! `__clang_cuda_runtime_wrapper.h`), so that `typedef unsigned long long uint64_t;` is a second one for clang only. A
//! macro that is defined behind clang's headers gives the source's own type another name. What nvcc takes never reads
//! the header's type as well: it would refuse the second definition, too.
//!
//! In: clang's messages. Out: the text of a file of macros.

use super::positions::{offset, place};
use super::source_overlay::is_word;
use files::normalise;
use std::path::Path;

/// clang's message (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const REDEFINED: &str = "error: typedef redefinition with different types (";

/// Largest number of such types before no further ones are looked for.
pub(super) const MAX: usize = 16;

/// Returns macros that rename the types whose definitions clang refuses; `None` if there are none.
pub(super) fn renamed(stderr: &str, directory: &Path) -> Option<String> {
    let places = stderr.lines().filter(|l| l.contains(REDEFINED)).filter_map(place);
    let names = places.filter_map(|(file, line, column)| {
        let source = std::fs::read(normalise(directory, file)).ok()?;
        let at = offset(&source, (line, column))?;
        let name: Vec<u8> = source[at..].iter().copied().take_while(|b| is_word(*b)).collect();
        String::from_utf8(name).ok().filter(|n| !n.is_empty())
    });
    let text: String = names.map(|n| format!("#define {n} scuba_own_{n}\n")).collect();
    Some(text).filter(|t| !t.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_at_the_places_of_the_errors() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.cu");
        std::fs::write(&source, "typedef unsigned long long uint64_t;\n").unwrap();
        let refused = |column: usize, what: &str| format!("{}:1:{column}: {what}'a' vs 'b')\n", source.display());
        let all = |text: &str| renamed(text, folder.path());
        assert_eq!(all(&refused(28, REDEFINED)).as_deref(), Some("#define uint64_t scuba_own_uint64_t\n"));
        assert_eq!(all(&refused(27, REDEFINED)), None);
        assert_eq!(all(&refused(28, "error: redefinition of 'x' (")), None);
    }
}
