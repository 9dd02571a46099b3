//! What the source says of a function's parameters, as far as it is kept: types in its name, signs of its variables.

use super::Function;
use super::instruction::Op;

impl Function {
    /// The types of its parameters as the source spells them. Of templates, and where a type has commas of its own, the list of a function's
    /// name does not say which type is whose.
    #[must_use]
    pub fn parameter_types(&self) -> Option<Vec<&str>> {
        let (name, list) = self.display.strip_suffix(')')?.split_once('(')?;
        let types: Vec<&str> = list.split(", ").collect();
        (!name.contains('<') && !list.contains(['(', '<']) && types.len() == self.params.len()).then_some(types)
    }

    /// Bytes of what a parameter points to, where its type is a plain one (LP64). How the function indexes it says nothing: it may read
    /// another type.
    #[must_use]
    pub fn element_bytes(&self, parameter: usize) -> Option<u64> {
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
        self.blocks.iter().flat_map(|b| &b.insts).any(|i| {
            matches!(&i.op, Op::Alloca { var: Some(v), .. } if v.param.is_some() && v.name == parameter && v.unsigned)
        })
    }
}
