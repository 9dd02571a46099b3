//! Maps the names of launch stubs, the host functions that launch kernels, to kernel symbols.

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
