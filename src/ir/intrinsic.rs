//! Splits the name of an LLVM intrinsic: `llvm.`, the base name, the types that it is overloaded for.
//!
//! In: a function's name. Out: the base name without the types. The base name may itself contain dots (`is.fpclass`,
//! `umul.with.overflow`), so that only the whole of it identifies the intrinsic.

/// Returns the name of an intrinsic without `llvm.` and the type suffixes (LLVM 22, `getMangledTypeStr` in
/// Intrinsics.cpp); `None` for other functions.
#[must_use]
pub fn base(function: &str) -> Option<&str> {
    function.strip_prefix("llvm.").map(without_types)
}

/// Like [`base`], for a name without the prefix `llvm.`.
#[must_use]
pub fn without_types(name: &str) -> &str {
    let mut name = name;
    while let Some((before, last)) = name.rsplit_once('.')
        && is_type(last)
    {
        name = before;
    }
    name
}

fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[end..])
}

fn is_type(text: &str) -> bool {
    if matches!(text, "f16" | "bf16" | "f32" | "f64" | "f80" | "f128" | "ppcf128" | "x86amx" | "isVoid" | "Metadata") {
        return true;
    }
    if let Some(elements) = text.strip_prefix("nxv").or_else(|| text.strip_prefix(['v', 'a']))
        && let Some(element) = number(elements)
        && is_type(element)
    {
        return true;
    }
    matches!(text.strip_prefix(['i', 'p']).and_then(number), Some(""))
}

#[cfg(test)]
mod tests {
    use super::{base, without_types};

    #[test]
    fn types_go_and_names_stay_whole() {
        for (name, expected) in [
            ("llvm.smax.i32", "smax"),
            ("llvm.smax.v4i32", "smax"),
            ("llvm.is.fpclass.f32", "is.fpclass"),
            ("llvm.is.constant.i64", "is.constant"),
            ("llvm.umul.with.overflow.i64", "umul.with.overflow"),
            ("llvm.memcpy.p0.p0.i64", "memcpy"),
            ("llvm.ptrmask.p0.i64", "ptrmask"),
            ("llvm.launder.invariant.group.p0", "launder.invariant.group"),
            ("llvm.trap", "trap"),
            ("llvm.vector.reduce.add.nxv4i32", "vector.reduce.add"),
            ("llvm.nvvm.d2i.lo", "nvvm.d2i.lo"),
            ("llvm.nvvm.fmin.f", "nvvm.fmin.f"),
            ("llvm.fabs.bf16", "fabs"),
            ("llvm.abs.i128", "abs"),
            ("llvm.experimental.noalias.scope.decl", "experimental.noalias.scope.decl"),
            ("llvm.expect.with.probability.i1", "expect.with.probability"),
        ] {
            assert_eq!(base(name), Some(expected));
        }
        assert_eq!(base("smax.i32"), None);
        assert_eq!(without_types("i32"), "i32");
    }
}
