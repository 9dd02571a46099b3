//! Maps the names of launch stubs, the host functions that launch kernels, to kernel symbols, and stubs to kernels.

use super::{FuncId, FuncRef, Function, Linkage, ModuleId, Program, Side};
use cpp_demangle::Symbol;

/// Prefix that clang puts before a kernel's own name in the mangled symbol of its stub (LLVM 22, ItaniumMangle.cpp).
const MARK: &str = "__device_stub__";

/// Returns the possible symbols of a stub's kernel, the most probable first; none where the symbol is no stub.
///
/// The mark begins a name, whose length precedes it (Itanium C++ ABI, 5.1.2): `18__device_stub__foo`. The text before
/// the length may itself end in digits, for example `ns1` or an unnamed namespace. The demangler decides which digits
/// are the length: the kernel's demangled name must be that of the stub without the mark.
pub(super) fn kernels_of(stub: &str) -> Vec<String> {
    let Some(at) = stub.find(MARK) else { return vec![] };
    let (before, behind) = (&stub[..at], &stub[at + MARK.len()..]);
    if !stub.starts_with("_Z") {
        return if at == 0 { vec![behind.to_owned()] } else { vec![] };
    }
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let mut found: Vec<String> = (1..=digits)
        .rev()
        .filter_map(|n| {
            let (before, length) = before.split_at(at - n);
            // A length has no leading zero.
            let length: usize = length.parse().ok().filter(|_| !length.starts_with('0'))?;
            let own = length.checked_sub(MARK.len()).filter(|n| (1..=behind.len()).contains(n))?;
            Some(format!("{before}{own}{behind}"))
        })
        .collect();
    if found.len() < 2 {
        return found;
    }
    let Some(wanted) = demangled(stub).map(|s| s.replacen(MARK, "", 1)) else { return found };
    if let Some(i) = found.iter().position(|k| demangled(k).is_some_and(|k| k == wanted)) {
        found = vec![found.swap_remove(i)];
    }
    found
}

impl Program {
    /// Gives launch stubs the names of their kernels too, as nvcc does: another unit may declare the kernel as a function
    /// of the host and take its address.
    pub(super) fn name_stubs(&mut self) {
        let stubs: Vec<(String, FuncRef)> = self
            .functions
            .iter()
            .filter(|((side, _), _)| *side == Side::Host)
            .filter_map(|((_, name), r)| Some((Self::kernel_symbol_of_stub(name)?, *r)))
            .collect();
        for (kernel, stub) in stubs {
            self.functions.entry((Side::Host, kernel)).or_insert(stub);
        }
    }

    /// Returns the symbol of the kernel that a host-side launch stub launches (LLVM 22, CGCUDANV.cpp).
    ///
    /// `None` where the symbol is no stub; the kernel may still lack a definition.
    #[must_use]
    pub fn kernel_symbol_of_stub(stub: &str) -> Option<String> {
        kernels_of(stub).into_iter().next()
    }

    /// Returns the kernel that a call of `stub` in a host module launches: the definition on the device side of the
    /// same translation unit if there is one (`static` kernels of two units may share a name), else the program's
    /// definition. `None` where the symbol is no stub or the kernel is not defined.
    #[must_use]
    pub fn kernel_of_stub(&self, host: ModuleId, stub: &str) -> Option<FuncRef> {
        let found = self.of_stub(host, stub, |f| !f.is_declaration(), |name| self.find_func(Side::Device, name))?;
        (!self.func(found).is_declaration()).then_some(found)
    }

    /// Returns the tile kernel that a call of `stub` in a host module launches, found like [`Self::kernel_of_stub`]. It
    /// has no body.
    #[must_use]
    pub fn tile_kernel_of_stub(&self, host: ModuleId, stub: &str) -> Option<FuncRef> {
        let anywhere = |name: &str| {
            let named = |f: &Function| f.tile.is_some() && f.name == name && f.linkage != Linkage::Internal;
            self.functions().find(|(_, m, f)| m.side == Side::Device && named(f)).map(|(r, ..)| r)
        };
        self.of_stub(host, stub, |f| f.tile.is_some(), anywhere)
    }

    /// Finds the wanted function that a stub stands for: on the device side of its unit, else anywhere.
    fn of_stub(
        &self,
        host: ModuleId,
        stub: &str,
        is_wanted: impl Fn(&Function) -> bool,
        anywhere: impl Fn(&str) -> Option<FuncRef>,
    ) -> Option<FuncRef> {
        let source = &self.module(host).source;
        let pair = self.variables.device_side(host);
        kernels_of(stub).iter().find_map(|name| {
            let own = (0u32..).zip(&self.modules).filter(|(mi, m)| match pair {
                Some(pair) => pair.0 == *mi,
                None => m.side == Side::Device && m.source == *source,
            });
            own.flat_map(|(mi, m)| (0u32..).zip(&m.functions).map(move |(i, f)| (mi, i, f)))
                .filter(|(_, _, f)| f.name == *name && is_wanted(f))
                .map(|(mi, i, _)| FuncRef { module: ModuleId(mi), func: FuncId(i) })
                .find(|r| !self.discarded.contains(r))
                .or_else(|| anywhere(name))
        })
    }
}

fn demangled(symbol: &str) -> Option<String> {
    Symbol::new(symbol).ok()?.demangle().ok()
}

#[cfg(test)]
mod tests {
    use super::kernels_of;

    fn one(stub: &str) -> String {
        let all = kernels_of(stub);
        assert_eq!(all.len(), 1, "{stub}: {all:?}");
        all.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn stubs_lead_to_kernels() {
        for (stub, kernel) in [
            ("_Z31__device_stub__advCubatureHex3DiPKd", "_Z16advCubatureHex3DiPKd"),
            ("_ZN2ns18__device_stub__fooILi3EEvv", "_ZN2ns3fooILi3EEvv"),
            ("__device_stub__plain", "plain"),
            ("_ZL16__device_stub__kv", "_ZL1kv"),
            ("_ZN12_GLOBAL__N_120__device_stub__plainEPii", "_ZN12_GLOBAL__N_15plainEPii"),
            ("_ZN3ns122__device_stub__countedEPii", "_ZN3ns17countedEPii"),
            ("_ZN2v27detail320__device_stub__innerEPii", "_ZN2v27detail35innerEPii"),
            ("_ZN2v27detail320__device_stub__applyIZ4mainEUliE_EEvT_Pii", "_ZN2v27detail35applyIZ4mainEUliE_EEvT_Pii"),
            (
                "_ZN2v27detail325__device_stub__with_localIZ4mainE5LocalEEvT_Pii",
                "_ZN2v27detail310with_localIZ4mainE5LocalEEvT_Pii",
            ),
            (
                "_ZN2v27detail312_GLOBAL__N_120__device_stub__deep9IiEEvPT_i",
                "_ZN2v27detail312_GLOBAL__N_15deep9IiEEvPT_i",
            ),
            ("_ZN3ns218__device_stub__k_2EPNS_1SE", "_ZN3ns23k_2EPNS_1SE"),
            ("_ZN1AI3n12E16__device_stub__kEv", "_ZN1AI3n12E1kEv"),
        ] {
            assert_eq!(one(stub), kernel);
        }
        assert!(kernels_of("_Z3foov").is_empty());
        assert!(kernels_of("_Z__device_stub__v").is_empty() && kernels_of("_Z5__device_stub__v").is_empty());
    }

    #[test]
    fn a_length_that_could_be_longer_is_told_by_the_demangler() {
        let name = "k".repeat(120);
        let stub = format!("_ZN12_GLOBAL__N_1{}__device_stub__{name}EPi", 15 + name.len());
        assert_eq!(one(&stub), format!("_ZN12_GLOBAL__N_1120{name}EPi"));
        let stub = format!("_ZN3ns118__device_stub__abcE{}Pi", "i".repeat(200));
        assert_eq!(one(&stub), format!("_ZN3ns13abcE{}Pi", "i".repeat(200)));
    }
}
