//! What the source says of a function's parameters, as far as it is kept: types in its name, signs of its variables.

use super::Function;
use super::instruction::{Op, Var};

impl Function {
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
