//! Additional facts in findings of operators: the tensors that trigger them, the checks that they lack, and the edit
//! that adds the check. They mirror the JSON document.

use crate::conjuncts;
use crate::divided::{IntegerArguments, divided};
use crate::dlpack::{self, Carried};
use crate::widened::widened;
use crate::{Finding, Position, WitnessInput};
use base::rules::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Number of tensor elements shown to users.
const SHOWN: usize = 4;

/// Most characters of a condition that one statement checks.
const LONGEST: usize = 240;

/// A tensor argument of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TensorArgument {
    /// Element type as Python names it: `float32`.
    pub dtype: String,
    pub sizes: Vec<i64>,
    /// Strides in elements.
    pub strides: Vec<i64>,
    /// True on the GPU, false on the host.
    pub on_device: bool,
    /// Contents of its storage, by element number; 0 for elements not listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elements: BTreeMap<u64, i64>,
}

/// An operator and the memory of one argument: what a check of the argument is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckedArgument {
    /// Signature of the operator.
    pub operator: String,
    pub memory: Position,
    /// Names that the extent depends on, whatever the size of an element is.
    pub given: Vec<String>,
}

impl Finding {
    /// Returns the argument that a check of the operator would have to concern; `None` where no tensors lead out of bounds.
    #[must_use]
    pub fn checked_argument(&self) -> Option<CheckedArgument> {
        let is_of_tensors =
            matches!(self.rule, Rule::UncheckedArgument | Rule::DataIndex) && !self.arguments.is_empty();
        // A launch is no access to an argument: what it lacks is told of all at once.
        let is_launch = self.launch.as_ref().is_some_and(|l| {
            let at = &self.access.position;
            (&l.file, l.line, l.column) == (&at.file, at.line, at.column)
        });
        let at = self.allocation.as_ref().filter(|_| is_of_tensors && !is_launch)?;
        let memory = Position { file: at.file.clone(), line: at.line, column: at.column };
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let words = at.extent.split(|c| !is_word(c)).filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()));
        let given: BTreeSet<String> = words.map(str::to_owned).collect();
        let given = given.into_iter().collect();
        Some(CheckedArgument { operator: self.root.clone(), memory, given })
    }

    /// Iterates over the names of the tensors whose elements matter for the finding.
    pub fn tensors_read(&self) -> impl Iterator<Item = &str> {
        let matters = |t: &TensorArgument| t.elements.values().any(|n| *n != 0);
        self.arguments.iter().filter(move |(_, t)| matters(t)).map(|(name, _)| name.as_str())
    }

    /// Iterates over the witness's inputs that no tensor argument determines.
    pub fn inputs_outside_tensors(&self) -> impl Iterator<Item = &WitnessInput> {
        let of_tensor = |name: &str| {
            let name = name.strip_prefix("extent(").unwrap_or(name);
            self.arguments.keys().any(|t| name.strip_prefix(t.as_str()).is_some_and(|rest| rest.starts_with('.')))
        };
        self.witness.iter().flat_map(|w| &w.inputs).filter(move |i| !of_tensor(&i.name))
    }
}

impl TensorArgument {
    /// Returns the bytes of an element; `None` for types whose names give no number of bits.
    #[must_use]
    pub fn element_bytes(&self) -> Option<i128> {
        if self.dtype == "bool" {
            return Some(1);
        }
        let digits = self.dtype.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.parse::<i128>().ok().filter(|bits| bits % 8 == 0).map(|bits| bits / 8)
    }

    /// Whether the tensor can be created: the number of its elements and its memory stay within feasible limits.
    #[must_use]
    pub fn can_be_made(&self) -> bool {
        const MAX: i128 = 1 << 47;
        let elements = self.sizes.iter().try_fold(1_i128, |n, s| n.checked_mul(i128::from(*s)));
        let far = |(n, s): (&i64, &i64)| i128::from(*n - 1) * i128::from(*s);
        let reach: i128 = self.sizes.iter().zip(&self.strides).map(far).sum();
        self.is_empty() || elements.is_some_and(|n| n <= MAX) && reach < MAX
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.contains(&0)
    }

    /// Whether its strides are those of a newly created tensor of its sizes.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let mut n = 1_i64;
        let of_one = |(size, stride): (&i64, &i64)| {
            let packed = *size == 1 || *stride == n;
            n = n.saturating_mul(*size);
            packed
        };
        self.is_empty() || self.sizes.iter().zip(&self.strides).rev().all(of_one)
    }
}

impl std::fmt::Display for TensorArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |all: &[i64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "{}[{}]", self.dtype, list(&self.sizes))?;
        if !self.is_packed() {
            write!(f, " with strides [{}]", list(&self.strides))?;
        }
        for (i, (at, value)) in self.elements.iter().filter(|(_, v)| **v != 0).take(SHOWN).enumerate() {
            let before = if i == 0 { " where" } else { "," };
            write!(f, "{before} element {at} is {value}")?;
        }
        Ok(())
    }
}

/// A check of its arguments that an operator lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingCheck {
    /// Condition in contract syntax: `w.size(0) >= x.size(1)`.
    pub condition: String,
    /// Position of the operator's name in its definition.
    pub function: Position,
    /// Whether the operator is written against the stable ABI, whose checks have a name of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stable: bool,
    /// Whether no code can check the condition, because it concerns the extent of a pointer: a contract can state it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contract: bool,
    /// Arguments that carry tensors of DLPack.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub carriers: BTreeMap<String, Carried>,
    /// Integer arguments of fewer than 64 bits: code must not multiply them in their own type.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub narrow: BTreeSet<String>,
    /// Integer arguments of 64 bits.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub wide: BTreeSet<String>,
    /// Integer arguments without a sign, of any width.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unsigned: BTreeSet<String>,
}

impl MissingCheck {
    /// Returns the check in the form of PyTorch (c10/util/Exception.h) or of the library that passes the arguments, as
    /// several statements if it is long; `None` if it would have to inspect every element, or something that the library
    /// does not offer.
    #[must_use]
    pub fn statements(&self) -> Option<Vec<String>> {
        // Code cannot ask for the extent of a pointer.
        if self.contract || ["forall ", "extent(", "elements("].iter().any(|what| self.condition.contains(what)) {
            return None;
        }
        let all =
            if self.condition.len() > LONGEST { conjuncts::of(&self.condition) } else { vec![self.condition.clone()] };
        all.iter().map(|condition| self.statement_of(condition)).collect()
    }

    /// Returns the check as one text ([`Self::statements`]).
    #[must_use]
    pub fn statement(&self) -> Option<String> {
        Some(self.statements()?.join(" "))
    }

    fn statement_of(&self, condition: &str) -> Option<String> {
        let arguments = IntegerArguments { narrow: &self.narrow, wide: &self.wide, unsigned: &self.unsigned };
        let code = presence(&widened(&divided(condition, &arguments), &self.narrow));
        let condition = presence(condition);
        if self.carriers.values().any(|c| *c != Carried::Optional) {
            return dlpack::statement(&code, &self.carriers);
        }
        let code = dlpack::written(&code, &self.carriers)?;
        let check = if self.stable { "STD_TORCH_CHECK" } else { "TORCH_CHECK" };
        Some(format!("{check}({code}, \"expected {condition}\");"))
    }
}

/// Writes whether optional tensors are given as a truth: `!x.has_value()` for `x.has_value() != 1`.
fn presence(condition: &str) -> String {
    let asked = ".has_value()";
    let mut out = String::new();
    let mut rest = condition;
    while let Some(at) = rest.find(asked) {
        let (before, after) = rest.split_at(at);
        let after = &after[asked.len()..];
        let name = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        let (is_absent, after) = match (after.strip_prefix(" != 1"), after.strip_prefix(" == 1")) {
            (Some(after), _) => (true, after),
            (_, Some(after)) => (false, after),
            _ => (false, after),
        };
        out += &before[..name];
        out += if is_absent { "!" } else { "" };
        out += &before[name..];
        out += asked;
        rest = after;
    }
    out + rest
}

/// An edit that fixes the finding: text to insert at a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    #[serde(flatten)]
    pub position: Position,
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::presence;

    #[test]
    fn no_code_asks_for_the_extent_of_a_pointer() {
        let f = crate::samples::finding();
        assert!(crate::samples::check(&f, "n >= 1").statement().is_some());
        for condition in ["extent(x.data()) >= 8 * n", "n == 0 || elements(x) >= n"] {
            assert_eq!(crate::samples::check(&f, condition).statement(), None);
        }
    }

    #[test]
    fn presence_is_a_truth() {
        for (condition, code) in [
            ("b.has_value() != 1 || b.numel() >= n", "!b.has_value() || b.numel() >= n"),
            ("(bias_opt.has_value() == 1 && n > 0)", "(bias_opt.has_value() && n > 0)"),
            ("n >= 0", "n >= 0"),
        ] {
            assert_eq!(presence(condition), code);
        }
    }
}
