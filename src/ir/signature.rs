//! What the source says of a function's parameters, as far as it is kept: types in its name, signs of its variables.

use super::instruction::{Op, Var};
use super::{Function, Param, TypeId};

/// A number of C's (LP64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    Int { bits: u32, unsigned: bool },
    Float(u32),
}

/// What a type's name says that is a number of C's, or one of `<cstdint>`'s and its kin.
#[must_use]
pub fn plain_number(name: &str) -> Option<Plain> {
    let int = |bits, unsigned| Some(Plain::Int { bits, unsigned });
    match name {
        "char" | "signed char" | "int8_t" => int(8, false),
        "unsigned char" | "uint8_t" | "bool" => int(8, true),
        "short" | "int16_t" => int(16, false),
        "unsigned short" | "uint16_t" => int(16, true),
        "int" | "signed" | "int32_t" => int(32, false),
        "unsigned int" | "unsigned" | "uint32_t" => int(32, true),
        "long" | "long long" | "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" => int(64, false),
        "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" | "uintptr_t" => int(64, true),
        "float" => Some(Plain::Float(32)),
        "double" => Some(Plain::Float(64)),
        _ => None,
    }
}

/// `T` of `const T *`, `T *const`, `T &` and `T *[4]`, with its own qualifiers.
#[must_use]
pub fn pointee_name(pointer: &str) -> Option<&str> {
    let mut name = pointer.trim_end();
    while let Some((rest, dimension)) = name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        dimension.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
        name = rest.trim_end();
    }
    for word in ["const", "__restrict", "volatile"] {
        name = name.strip_suffix(word).unwrap_or(name).trim_end();
    }
    let name = name.strip_suffix("&&").or_else(|| name.strip_suffix(['*', '&']))?;
    Some(name.trim_end())
}

/// The type of an element of an array: `T [5]` of `T [4][5]`.
#[must_use]
pub fn element_name(array: &str) -> String {
    match (array.find('['), array.find(']')) {
        (Some(from), Some(to)) if from < to => format!("{}{}", array[..from].trim_end(), &array[to + 1..]),
        _ => array.to_owned(),
    }
}

/// `ns::Image`, which LLVM calls `struct.ns::Image.12`.
#[must_use]
pub fn source_name(llvm: &str) -> &str {
    let of_source = llvm.split_once('.').map_or("", |(_, n)| n);
    of_source.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.').unwrap_or(of_source)
}

/// How the names of functions begin that stand for a library's; behind it is the name of that, demangled.
pub const LIBRARY_MODEL: &str = "scuba.model ";

impl Param {
    /// What the source calls it: of a part of a structure that is passed in registers the structure.
    #[must_use]
    pub fn source_name(&self) -> &str {
        match self.name.rsplit_once(".coerce") {
            Some((name, "" | "0" | "1")) => name,
            _ => &self.name,
        }
    }
}

impl Function {
    /// Whether it stands for a function of a library.
    #[must_use]
    pub fn is_library_model(&self) -> bool {
        self.name.starts_with(LIBRARY_MODEL)
    }

    /// The types of its parameters as the source spells them. Of templates, and where a type has commas of its own, the list of a function's
    /// name does not say which type is whose.
    fn parameter_types(&self) -> Option<Vec<&str>> {
        let (name, list) = self.display.strip_suffix(')')?.split_once('(')?;
        let types: Vec<&str> = list.split(", ").collect();
        (!name.contains('<') && !list.contains(['(', '<']) && types.len() == self.params.len()).then_some(types)
    }

    /// The variable of a parameter.
    fn variable(&self, parameter: &str) -> Option<&Var> {
        self.blocks.iter().flat_map(|b| &b.insts).find_map(|i| match &i.op {
            Op::Alloca { var: Some(v), .. } if v.param.is_some() && v.name == parameter => Some(v),
            _ => None,
        })
    }

    /// A structure that is passed by value in registers (System V x86-64 ABI, 3.2.3), whose parts clang calls `x.coerce`, or `x.coerce0` and
    /// `x.coerce1`: its name, its type, and the byte of it at which this part begins.
    #[must_use]
    pub fn in_registers(&self, parameter: usize) -> Option<(&str, TypeId, u64)> {
        let (name, part) = self.params.get(parameter)?.name.rsplit_once(".coerce")?;
        let at = match part {
            "" | "0" => 0,
            "1" => 8,
            _ => return None,
        };
        let ty = self.blocks.iter().flat_map(|b| &b.insts).find_map(|i| match &i.op {
            Op::Alloca { var: Some(v), ty, .. } if v.param.is_some() && v.name == name => Some(*ty),
            _ => None,
        })?;
        Some((name, ty, at))
    }

    /// The type of a parameter as the source spells it, where debug information tells.
    #[must_use]
    pub fn declared_type(&self, parameter: &str) -> Option<&str> {
        self.variable(parameter).map(|v| v.type_name.as_str())
    }

    /// Bytes of what a parameter points to, by its type. How the function indexes it says nothing: it may read another type.
    #[must_use]
    pub fn element_bytes(&self, parameter: usize) -> Option<u64> {
        let told = self.variable(&self.params.get(parameter)?.name).and_then(|v| v.pointee);
        told.or_else(|| self.plain_element_bytes(parameter))
    }

    /// The same where there is no variable that tells: of plain types (LP64), by the function's name.
    fn plain_element_bytes(&self, parameter: usize) -> Option<u64> {
        let base = self.parameter_types()?.get(parameter)?.strip_suffix('*')?.replace(" const", "");
        Some(match base.trim() {
            "char" | "signed char" | "unsigned char" | "bool" => 1,
            "short" | "unsigned short" | "__half" | "__nv_bfloat16" => 2,
            "int" | "unsigned int" | "float" => 4,
            "long" | "unsigned long" | "long long" | "unsigned long long" | "double" => 8,
            _ => return None,
        })
    }

    /// Whether a parameter is an unsigned number.
    #[must_use]
    pub fn is_unsigned(&self, parameter: &str) -> bool {
        self.variable(parameter).is_some_and(|v| v.unsigned)
    }
}

#[cfg(test)]
mod tests {
    use super::{element_name, pointee_name};

    #[test]
    fn what_pointers_point_to() {
        for (pointer, to) in [
            ("const float *", Some("const float")),
            ("T *const", Some("T")),
            ("float *__restrict", Some("float")),
            ("ns::S &", Some("ns::S")),
            ("ggml_tensor *[10]", Some("ggml_tensor")),
            ("char **", Some("char *")),
            ("int", None),
            ("int[4]", None),
        ] {
            assert_eq!(pointee_name(pointer), to, "{pointer}");
        }
        assert_eq!(["long[4]", "T *[4][5]", "int"].map(element_name), ["long", "T *[5]", "int"]);
    }
}
