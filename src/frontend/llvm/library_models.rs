//! Library functions that SCuBA's own models replace: `templates/models/`.
//!
//! In: the bitcode of a unit, linked with that of models. A model is named by the demangled name of the function that
//! it replaces. Out: the model of each function of the unit that has one; the bodies in headers are ignored. A model
//! has the signature of its function, with two exceptions. A name with the prefix `! ` accepts any further arguments
//! after the model's own (`! [8] f`: the function returns that many bytes in memory). A model with the prefix `!! `
//! never returns. A body for the interpreter alone has another prefix and the function's symbol: the function stays
//! as it is, and its body is read with it.

use super::bindings::{Bitcode, Value, demangle};
use rustc_hash::FxHashMap;

pub(super) use ir::{CONCRETE_MODEL as CONCRETE, LIBRARY_MODEL as MODEL};

/// Map from functions to their models.
#[derive(Default)]
pub(super) struct LibraryModels<'m> {
    of: FxHashMap<Value<'m>, Value<'m>>,
    concrete: FxHashMap<Value<'m>, Value<'m>>,
}

impl<'m> LibraryModels<'m> {
    pub(super) fn find(bitcode: &Bitcode<'m>) -> Self {
        // Size in bytes of a result returned in memory.
        let returned = |f: Value<'m>| f.param_type_attribute(0, "sret").map(|t| bitcode.layout(t).0);
        let mut whole: FxHashMap<String, Value<'m>> = FxHashMap::default();
        let mut patterns: Vec<(String, Value<'m>)> = vec![];
        let functions = bitcode.functions();
        let mut concrete: FxHashMap<String, Value<'m>> = FxHashMap::default();
        for f in &functions {
            let name = f.name();
            if let Some(of) = name.strip_prefix(CONCRETE) {
                concrete.insert(of.to_owned(), *f);
            } else if let Some(of) = name.strip_prefix(MODEL) {
                if of.contains('*') || of.starts_with('!') {
                    patterns.push((of.to_owned(), *f));
                } else {
                    whole.insert(of.to_owned(), *f);
                }
            }
        }
        let body =
            |f: Value<'m>| concrete.get(&f.name()).filter(|body| same_signature(f, **body)).map(|body| (f, *body));
        let concrete = if concrete.is_empty() {
            FxHashMap::default()
        } else {
            functions.iter().copied().filter_map(body).collect()
        };
        let mut models = Self { concrete, ..Self::default() };
        if whole.is_empty() && patterns.is_empty() {
            return models;
        }
        for f in functions {
            let name = f.name();
            // Patterns are those of names in C++.
            let mangled = name.starts_with("_Z");
            let demangled = demangle(&name);
            let model = whole.get(&demangled).or_else(|| {
                patterns
                    .iter()
                    .filter(|_| mangled)
                    .find(|(p, _)| {
                        let (bytes, p) = bytes_returned(p.trim_start_matches(['!', ' ']));
                        (bytes.is_none() || bytes == returned(f)) && matches(p, &demangled)
                    })
                    .map(|(_, f)| f)
            });
            // A function with other arguments belongs to another version of the library.
            if let Some(model) = model.filter(|m| stands_for(**m, f)) {
                models.of.insert(f, *model);
            }
        }
        models
    }

    /// Returns a value's model, or else the value itself.
    pub(super) fn instead_of(&self, v: Value<'m>) -> Value<'m> {
        self.of.get(&v).copied().unwrap_or(v)
    }

    /// Returns the body of a function without one, which only the interpreter runs.
    pub(super) fn concrete_of(&self, f: Value<'m>) -> Option<Value<'m>> {
        self.concrete.get(&f).copied().filter(|_| f.is_declaration())
    }

    /// Whether a function's model matches many functions by a pattern.
    pub(super) fn is_of_many(&self, v: Value<'m>) -> bool {
        self.of.get(&v).is_some_and(|model| model.name().contains(['*', '!']))
    }

    pub(super) fn have(&self, v: Value<'m>) -> bool {
        self.of.contains_key(&v)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (Value<'m>, Value<'m>)> + '_ {
        self.of.iter().map(|(f, model)| (*f, *model))
    }
}

/// Returns the name shown to users for a model's pattern.
pub(super) fn display(pattern: &str) -> String {
    bytes_returned(pattern.trim_start_matches(['!', ' '])).1.to_owned()
}

/// Whether a model's signature allows calling it in place of a function.
fn stands_for(model: Value<'_>, f: Value<'_>) -> bool {
    let name = model.name();
    let of = name.strip_prefix(MODEL).unwrap_or_default();
    let ret = |f: Value<'_>| f.value_type().signature().0.print();
    if of.starts_with("!!") {
        true
    } else if of.starts_with('!') {
        let types = |f: Value<'_>| f.params().iter().map(|p| p.ty().print()).collect::<Vec<_>>();
        ret(model) == ret(f) && types(f).starts_with(&types(model))
    } else {
        same_signature(f, model)
    }
}

fn same_signature(a: Value<'_>, b: Value<'_>) -> bool {
    let types = |f: Value<'_>| f.params().iter().map(|p| p.ty().print()).collect::<Vec<_>>();
    let ret = |f: Value<'_>| f.value_type().signature().0.print();
    ret(a) == ret(b) && types(a) == types(b)
}

/// Splits a pattern into the size in bytes returned in memory (`[16] at::f(*`) and the rest.
fn bytes_returned(pattern: &str) -> (Option<u64>, &str) {
    let split = pattern.strip_prefix('[').and_then(|p| p.split_once("] "));
    match split.and_then(|(n, rest)| Some((n.parse().ok()?, rest))) {
        Some((n, rest)) => (Some(n), rest),
        None => (None, pattern),
    }
}

/// Whether a text matches a pattern, in which `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, text, yes) in [
            ("at::empty(*)", "at::empty(c10::ArrayRef<long>, c10::TensorOptions)", true),
            ("at::empty(*)", "at::empty_like(at::Tensor const&)", false),
            ("* at::f<*>() const", "float* at::f<float>() const", true),
            ("at::f<*>() const", "at::f<float>()", false),
            ("a", "a", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, text), yes, "{pattern} {text}");
        }
    }
}
