//! Tile kernels (`__tile_global__`, `nvcc -enable-tile`, CUDA 13.3): functions that run once for each block, on whole
//! arrays of elements, and are compiled to Tile IR. They have no threads, so the engine does not execute them: only the
//! positions of their memory accesses are kept, and no body. A launch has unknown effects on the memory that it is
//! given.

use super::LocId;
use serde::{Deserialize, Serialize};

/// Facts kept of a tile kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileCode {
    /// Accesses of the kernel and of the functions that it calls, ordered by position.
    pub accesses: Vec<TileAccess>,
    /// True where the kernel may end all work on the device: by a trap or a failing assert.
    pub may_trap: bool,
}

/// A position at which a tile kernel accesses memory, or may do so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TileAccess {
    pub loc: LocId,
    /// Name of the accessing function, without namespace; `memory` for an access of the language itself.
    pub what: String,
}

/// Prefixes of the tile library's symbols (Itanium C++ ABI, 5.1.4): for functions, and for const methods.
const LIBRARY: [&str; 2] = ["_ZN4cuda5tiles", "_ZNK4cuda5tiles"];

/// Whether a symbol belongs to the tile library (`cuda_tile.h`), whose functions are built into the compiler.
#[must_use]
pub fn is_of_library(symbol: &str) -> bool {
    LIBRARY.iter().any(|l| symbol.starts_with(l))
}

/// Returns the name of a tile library function that accesses memory: `load`, `store_masked`, `atomic_add`, …
/// (`cuda_tile.h` of CUDA 13.5); `None` for other functions. A name follows its length and precedes template arguments
/// or the end of a nested name.
#[must_use]
pub fn accessing(symbol: &str) -> Option<&str> {
    if !is_of_library(symbol) {
        return None;
    }
    let bytes = symbol.as_bytes();
    (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).find_map(|at| {
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let from = at + digits;
        let length: usize = symbol[at..from].parse().ok()?;
        let name = symbol.get(from..from.checked_add(length)?)?;
        let ends = matches!(bytes.get(from + name.len()), Some(b'I' | b'E'));
        (ends && accesses_memory(name)).then_some(name)
    })
}

fn accesses_memory(name: &str) -> bool {
    let is_word = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_word
        && ["load", "store", "atomic"]
            .iter()
            .any(|w| name.strip_prefix(w).is_some_and(|r| r.is_empty() || r.starts_with('_')))
}

#[cfg(test)]
mod tests {
    use super::{accessing, is_of_library};

    #[test]
    fn functions_that_access_memory_are_known_by_their_symbols() {
        for (symbol, name) in [
            ("_ZN4cuda5tiles3__14loadITkNS1_13loadable_tileENS1_4tileIPKfNS1_7extentsIjJLm256EEEEEEEEv", Some("load")),
            ("_ZN4cuda5tiles3__112store_maskedITkNS1_14storeable_tileEEvT_", Some("store_masked")),
            ("_ZNK4cuda5tiles3__114partition_viewINS1_11tensor_spanIfEEE11load_maskedIJjEEEvDpT_", Some("load_masked")),
            ("_ZN4cuda5tiles3__110atomic_addILNS1_12memory_orderE0EEEvT0_", Some("atomic_add")),
            ("_ZNK4cuda5tiles3__14viewINS1_7extentsIjJLm18446744073709551615EEEEE5storeIJjEEEvDpT_", Some("store")),
            ("_ZN4cuda5tiles3__14iotaITkNS1_13integral_tileENS1_4tileIiEEEET_v", None),
            ("_ZN4cuda5tiles3__1plITkNS1_13loadable_tileEiEEvv", None),
            ("_ZN3abc4loadIiEEvv", None),
        ] {
            assert_eq!(accessing(symbol), name, "{symbol}");
        }
        assert!(is_of_library("_ZNK4cuda5tiles3__14tileIiEcvT_Ev") && !is_of_library("_Z4loadPi"));
    }
}
