//! What an object file says of itself.

use super::symbols::{Symbol, Symbols};
use object::elf::STB_GNU_UNIQUE;
use object::{Object, ObjectSymbol, SymbolFlags};
use std::path::Path;

/// The host symbols that an object offers and asks for, as its compiler wrote them; none where it is no object.
#[must_use]
pub fn symbols(object: &Path) -> Symbols {
    let data = std::fs::read(object).unwrap_or_default();
    let Ok(file) = object::File::parse(data.as_slice()) else { return Symbols::default() };
    let mut symbols = Symbols::default();
    for s in file.symbols().filter(ObjectSymbol::is_global) {
        let Ok(name) = s.name() else { continue };
        let symbol = Symbol { device: false, name: name.to_owned() };
        // Static variables of inline functions are GNU's unique symbols: defined wherever they are used.
        let unique = matches!(s.flags(), SymbolFlags::Elf { st_info, .. } if st_info >> 4 == STB_GNU_UNIQUE);
        match (s.is_undefined(), s.is_weak() || unique) {
            (true, _) => symbols.needed.push(symbol),
            (false, true) => symbols.weak.push(symbol),
            (false, false) => symbols.strong.push(symbol),
        }
    }
    for list in [&mut symbols.strong, &mut symbols.weak, &mut symbols.needed] {
        list.sort();
        list.dedup();
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::symbols;
    use crate::facts::Symbols;

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
    }
}
