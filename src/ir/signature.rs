//! Source-level facts of a function's parameters that survive: types in its name, signedness of its variables.

use super::instruction::{Op, Var};
use super::{Function, Param, TypeId};

/// A C arithmetic type (LP64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticType {
    Int { bits: u32, unsigned: bool },
    Float(u32),
}

/// Parses the name of a C arithmetic type, or of a type of `<cstdint>` and the like.
#[must_use]
pub fn plain_number(name: &str) -> Option<ArithmeticType> {
    let int = |bits, unsigned| Some(ArithmeticType::Int { bits, unsigned });
    match name {
        "char" | "signed char" | "int8_t" => int(8, false),
        "unsigned char" | "uint8_t" | "bool" => int(8, true),
        "short" | "int16_t" => int(16, false),
        "unsigned short" | "uint16_t" => int(16, true),
        "int" | "signed" | "int32_t" => int(32, false),
        "unsigned int" | "unsigned" | "uint32_t" => int(32, true),
        "long" | "long long" | "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" => int(64, false),
        "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" | "uintptr_t" => int(64, true),
        "float" => Some(ArithmeticType::Float(32)),
        "double" => Some(ArithmeticType::Float(64)),
        _ => None,
    }
}

/// Returns the pointee `T` of `const T *`, `T *const`, `T &` and `T *[4]`, with its own qualifiers.
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

/// Returns the element type of an array: `T [5]` for `T [4][5]`.
#[must_use]
pub fn element_name(array: &str) -> String {
    match (array.find('['), array.find(']')) {
        (Some(from), Some(to)) if from < to => format!("{}{}", array[..from].trim_end(), &array[to + 1..]),
        _ => array.to_owned(),
    }
}

/// Returns the source name of an LLVM structure name: `ns::Image` for `struct.ns::Image.12`.
#[must_use]
pub fn source_name(llvm: &str) -> &str {
    let of_source = llvm.split_once('.').map_or("", |(_, n)| n);
    of_source.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.').unwrap_or(of_source)
}

/// Prefix of the names of functions that model a library function; the demangled name of the latter follows.
pub const LIBRARY_MODEL: &str = "scuba.model ";

/// Prefix of the names of bodies that only the interpreter runs; the symbol of the library function follows.
pub const CONCRETE_MODEL: &str = "scuba.concrete ";

/// Prefix of the names of functions that turn a caller's tensor into an argument; the argument's class follows.
pub const CONVERSION: &str = "scuba.argument ";

impl Param {
    /// Returns the parameter's source name; for a part of a structure passed in registers, the structure's.
    #[must_use]
    pub fn source_name(&self) -> &str {
        match self.name.rsplit_once(".coerce") {
            Some((name, "" | "0" | "1")) => name,
            _ => &self.name,
        }
    }
}

impl Function {
    /// Whether this function models a library function.
    #[must_use]
    pub fn is_library_model(&self) -> bool {
        self.name.starts_with(LIBRARY_MODEL)
    }

    /// Whether this function turns a caller's tensor into an argument.
    #[must_use]
    pub fn is_conversion(&self) -> bool {
        self.name.starts_with(CONVERSION)
    }

    /// Returns the source spellings of the parameter types. `None` for templates, and where a type itself contains
    /// commas: the list in a function's name is ambiguous then.
    fn parameter_types(&self) -> Option<Vec<&str>> {
        let (name, list) = self.display.strip_suffix(')')?.split_once('(')?;
        let types: Vec<&str> = list.split(", ").collect();
        (!name.contains('<') && !list.contains(['(', '<']) && types.len() == self.params.len()).then_some(types)
    }

    /// Returns the variable of a parameter.
    fn variable(&self, parameter: &str) -> Option<&Var> {
        self.blocks.iter().flat_map(|b| &b.insts).find_map(|i| match &i.op {
            Op::Alloca { var: Some(v), .. } if v.param.is_some() && v.name == parameter => Some(v),
            _ => None,
        })
    }

    /// Returns name, type and byte offset of a part of a structure that is passed by value in registers (System V
    /// x86-64 ABI, 3.2.3). clang names such parts `x.coerce`, or `x.coerce0` and `x.coerce1`.
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

    /// Returns the source spelling of a parameter's type, where debug information has it.
    #[must_use]
    pub fn declared_type(&self, parameter: &str) -> Option<&str> {
        self.variable(parameter).map(|v| v.type_name.as_str())
    }

    /// Returns the pointee size of a parameter in bytes, by its type. How the function indexes it is no evidence: it
    /// may read another type.
    #[must_use]
    pub fn element_bytes(&self, parameter: usize) -> Option<u64> {
        let told = self.variable(&self.params.get(parameter)?.name).and_then(|v| v.pointee);
        told.or_else(|| self.plain_element_bytes(parameter))
    }

    /// Like [`Self::element_bytes`] without debug information: for plain types (LP64), from the function's name.
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

    /// Whether a parameter is an unsigned integer.
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
