//! Symbols that only LLVM's own demangler reads.
//!
//! In: a symbol. Out: the name as users know it, with its parameter types and without its return type. clang 18 and later mangle what a template
//! parameter is declared as where it depends on others (`Tn`, `Ty`, `Tk` in front of an argument; Itanium C++ ABI, 5.1.5.8), and requirements
//! (5.1.5.7), which the crate that reads all others does not.

use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;

/// `llvm::ItaniumPartialDemangler` (llvm/Demangle/Demangle.h, LLVM 22): two pointers.
type Demangler = MaybeUninit<[*mut libc::c_void; 2]>;

unsafe extern "C" {
    #[link_name = "_ZN4llvm23ItaniumPartialDemanglerC1Ev"]
    fn demangler_new(this: *mut Demangler);
    #[link_name = "_ZN4llvm23ItaniumPartialDemanglerD1Ev"]
    fn demangler_drop(this: *mut Demangler);
    /// Whether it fails.
    #[link_name = "_ZN4llvm23ItaniumPartialDemangler15partialDemangleEPKc"]
    fn demangler_read(this: *mut Demangler, symbol: *const c_char) -> bool;
    #[link_name = "_ZNK4llvm23ItaniumPartialDemangler10isFunctionEv"]
    fn demangler_is_function(this: *const Demangler) -> bool;
    #[link_name = "_ZNK4llvm23ItaniumPartialDemangler14finishDemangleEPcPm"]
    fn demangler_whole(this: *const Demangler, buffer: *mut c_char, size: *mut usize) -> *mut c_char;
    #[link_name = "_ZNK4llvm23ItaniumPartialDemangler15getFunctionNameEPcPm"]
    fn demangler_name(this: *const Demangler, buffer: *mut c_char, size: *mut usize) -> *mut c_char;
}

/// The demangled symbol; the symbol itself where nothing reads it.
pub(in super::super) fn demangle(symbol: &str) -> String {
    let read = crate::names::demangle(symbol);
    if read == symbol && symbol.starts_with("_Z") { of_llvm(symbol).unwrap_or(read) } else { read }
}

fn of_llvm(symbol: &str) -> Option<String> {
    let symbol = CString::new(symbol).ok()?;
    let mut demangler = Demangler::uninit();
    // SAFETY: a constructed object of the size that the header declares, used within its lifetime; each text is one that the object allocates.
    unsafe {
        demangler_new(&raw mut demangler);
        let named = !demangler_read(&raw mut demangler, symbol.as_ptr());
        let whole = if named {
            taken(demangler_whole(&raw const demangler, std::ptr::null_mut(), std::ptr::null_mut()))
        } else {
            None
        };
        let is_function = named && demangler_is_function(&raw const demangler);
        let name = if is_function {
            taken(demangler_name(&raw const demangler, std::ptr::null_mut(), std::ptr::null_mut()))
        } else {
            None
        };
        demangler_drop(&raw mut demangler);
        let whole = whole?;
        // A function's return type stands in front.
        Some(match name.and_then(|name| whole.find(&format!("{name}("))) {
            Some(at) => as_others(&whole[at..]),
            None => as_others(&whole),
        })
    }
}

/// Puts spaces between closing brackets, as all other names have them.
fn as_others(name: &str) -> String {
    let mut out = name.to_owned();
    while out.contains(">>") && !out.contains("operator>>") {
        out = out.replacen(">>", "> >", 1);
    }
    out
}

/// A text that its receiver frees.
unsafe fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated text that `malloc` gave, as the header says.
    unsafe {
        let out = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_of_constrained_templates_are_read() {
        let of = "_ZNK2at10TensorBase14const_data_ptrIfTnNSt9enable_ifIXntsr3stdE10is_const_vIT_EEiE4typeELi0EEEPKS3_v";
        assert_eq!(demangle(of), "at::TensorBase::const_data_ptr<float, 0>() const");
        // As by the crate that reads all others.
        assert_eq!(demangle("_Z5scaleIfEvPT_i1P"), "scale<float>(float*, int, P)");
        assert_eq!(
            demangle("_Z3addRSt6vectorIS_IfSaIfEESaIS1_EE"),
            crate::names::demangle("_Z3addRSt6vectorIS_IfSaIfEESaIS1_EE")
        );
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Z"), "_Z");
    }
}
