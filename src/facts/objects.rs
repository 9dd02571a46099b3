//! Symbols, sources and device code of an object file.

use super::symbols::{LinkSymbol, Symbols};
use object::elf::STB_GNU_UNIQUE;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol, SymbolFlags, SymbolKind};
use std::path::Path;

/// Sections of device code that nvcc puts into host objects: complete images, and relocatable ones (cuobjdump's
/// manual).
const DEVICE_SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
/// Prefix of the symbols that nvcc's device link defines, one for each object that it took in, and that these objects
/// need (CUDA 13.0, `--dryrun -dlink`).
const LINKED_DEVICE_CODE: &str = "__cudaRegisterLinkedBinary_";
/// Prefix of nvcc's temporary files: `tmpxft_00004440_00000000-6_blur.cudafe1.cpp` of `blur.cu`.
const TEMPORARY: &str = "tmpxft_";

/// An object, or a shared library, as its compiler and linker wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectFile {
    pub symbols: Symbols,
    /// File names of the sources that it was compiled from, without folders; names from nvcc have no extension. Empty
    /// if an assembler left no names, or if the object was stripped.
    pub sources: Vec<String>,
    /// Whether it carries device code.
    pub device_code: bool,
    /// Whether it is the output of nvcc's device link.
    pub device_link: bool,
}

impl ObjectFile {
    /// Parses an object or a shared library; `None` if the bytes are neither.
    #[must_use]
    pub fn parse(data: &[u8]) -> Option<Self> {
        let file = object::File::parse(data).ok()?;
        let mut found = Self::default();
        // A stripped library still has its dynamic symbols.
        let dynamic = file.kind() == ObjectKind::Dynamic && file.symbols().next().is_none();
        let symbols: Vec<_> =
            if dynamic { file.dynamic_symbols().collect() } else { file.symbols().collect::<Vec<_>>() };
        for s in &symbols {
            let Ok(name) = s.name() else { continue };
            if s.kind() == SymbolKind::File {
                found.sources.extend(source(name));
            }
            // GCC marks objects that hold only input of link-time optimisation (`-flto`; lto-streamer.h).
            if !s.is_global() || name.starts_with("__gnu_lto_") {
                continue;
            }
            found.device_link |= name.starts_with(LINKED_DEVICE_CODE) && !s.is_undefined();
            let symbol = LinkSymbol { device: false, name: name.to_owned() };
            // Static variables of inline functions are GNU's unique symbols: each object that uses one defines it.
            let unique = matches!(s.flags(), SymbolFlags::Elf { st_info, .. } if st_info >> 4 == STB_GNU_UNIQUE);
            match (s.is_undefined(), s.is_weak() || unique) {
                (true, _) => found.symbols.needed.push(symbol),
                (false, true) => found.symbols.weak.push(symbol),
                (false, false) => found.symbols.strong.push(symbol),
            }
        }
        for list in [&mut found.symbols.strong, &mut found.symbols.weak, &mut found.symbols.needed] {
            list.sort();
            list.dedup();
        }
        found.device_code = file.sections().any(|s| s.name().is_ok_and(|n| DEVICE_SECTIONS.contains(&n)));
        Some(found)
    }
}

/// Returns the source that a file symbol names.
fn source(name: &str) -> Option<String> {
    let name = name.rsplit('/').next()?;
    let own = match name.strip_prefix(TEMPORARY) {
        Some(rest) => rest.split_once('-')?.1.split_once('_')?.1.split_once('.')?.0,
        None => name,
    };
    (!own.is_empty()).then(|| own.to_owned())
}

/// Returns the host symbols that an object defines and needs; no symbols if it is no object.
#[must_use]
pub fn symbols(object: &Path) -> Symbols {
    let data = std::fs::read(object).unwrap_or_default();
    ObjectFile::parse(&data).unwrap_or_default().symbols
}

#[cfg(test)]
mod tests {
    use super::{ObjectFile, source, symbols};
    use crate::Symbols;

    #[test]
    fn symbols_are_the_linkers() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(
            at("a.cpp"),
            "void f(int); inline int *g() { static int i; return &i; } int main() { f(*g()); }\n",
        )
        .unwrap();
        let made =
            std::process::Command::new("g++").arg("-c").arg(at("a.cpp")).arg("-o").arg(at("a.o")).status().unwrap();
        assert!(made.success());
        let found = symbols(&at("a.o"));
        assert!(found.has_main() && found.strong.len() == 1, "{found:?}");
        assert!(found.weak.iter().any(|s| s.name == "_Z1gv"), "{found:?}");
        assert!(
            found.needed.iter().any(|s| s.name == "_Z1fi") && found.needed.iter().all(|s| s.name != "_Z1gv"),
            "{found:?}"
        );
        assert_eq!(symbols(&at("a.cpp")), Symbols::default());
        assert_eq!(symbols(&at("none.o")), Symbols::default());
        let object = ObjectFile::parse(&std::fs::read(at("a.o")).unwrap()).unwrap();
        assert_eq!(object.sources, ["a.cpp"]);
        assert!(!object.device_code && !object.device_link);
        assert_eq!(ObjectFile::parse(b"text"), None);
    }

    #[test]
    fn temporary_files_of_nvcc_tell_the_source() {
        assert_eq!(source("tmpxft_00004440_00000000-6_blur_row.cudafe1.cpp").as_deref(), Some("blur_row"));
        assert_eq!(source("src/a.cpp").as_deref(), Some("a.cpp"));
        assert_eq!(source(""), None);
        assert_eq!(source("tmpxft_0"), None);
    }
}
