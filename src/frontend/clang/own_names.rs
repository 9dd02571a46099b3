//! Names that a source defines and that clang knows already, and nvcc does not.
//!
//! Types: nvcc reads `cuda_runtime.h` alone before the source, clang `<stdlib.h>` and others too (clang 22,
//! `__clang_cuda_runtime_wrapper.h`), so that `typedef unsigned long long uint64_t;` is a second one for clang only. What
//! nvcc takes never reads the header's type as well: it would refuse the second definition, too. Static functions: clang
//! has some built in that GCC has in a header (`__rdtsc`). A macro that is defined behind clang's headers gives the
//! source's own type or function another name.
//!
//! In: clang's messages. Out: the text of a file of macros.

use super::positions::{offset, place};
use super::source_overlay::is_word;
use files::normalise;
use std::path::Path;

/// clang's messages (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const REDEFINED: &str = "error: typedef redefinition with different types (";
const STATIC: &str = "error: static declaration of '";
const BUILT_IN: &str = "' is a builtin with type '";

/// Largest number of such names before no further ones are looked for.
pub(super) const MAX: usize = 16;

/// Returns macros that rename the types and functions whose definitions clang refuses; `None` if there are none.
pub(super) fn renamed(stderr: &str, directory: &Path) -> Option<String> {
    let next = stderr.lines().skip(1).chain([""]);
    let is_refused = |line: &str, next: &str| {
        line.contains(REDEFINED) || line.contains(STATIC) && next.contains(": note: '") && next.contains(BUILT_IN)
    };
    let lines = stderr.lines().zip(next).filter(|(line, next)| is_refused(line, next));
    let places = lines.filter_map(|(line, _)| place(line));
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
        let function = "error: static declaration of 'uint64_t' follows non-static declaration (";
        let note = format!("{}:1:28: note: 'uint64_t' is a builtin with type 'int ()'\n", source.display());
        assert_eq!(all(&refused(28, function)), None);
        assert_eq!(all(&(refused(28, function) + &note)).as_deref(), Some("#define uint64_t scuba_own_uint64_t\n"));
    }
}
