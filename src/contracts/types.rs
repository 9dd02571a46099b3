//! Type names as users write them.

/// Name of a type, or of the template that it is an instance of, without leading keywords and inline version
/// namespaces (`cuda::std::__4::span`).
#[must_use]
pub fn plain_name(name: &str) -> String {
    let mut name = name.trim();
    for word in ["const ", "struct ", "class "] {
        name = name.strip_prefix(word).unwrap_or(name).trim_start();
    }
    let name = name.split('<').next().unwrap_or_default();
    let is_version = |part: &&str| part.strip_prefix("__").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    name.split("::").filter(|part| !is_version(part)).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_of_types() {
        for (written, name) in [
            ("struct matrix", "matrix"),
            ("cuda::std::__4::span<float, 3>", "cuda::std::span"),
            ("const a::__b::c", "a::__b::c"),
        ] {
            assert_eq!(plain_name(written), name, "{written}");
        }
    }
}
