//! What findings of operators say besides: the tensors with which it happens, what is not checked of them, and the edit that checks it. They mirror the
//! JSON document.

use crate::Position;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Elements of a tensor that people are shown.
const SHOWN: usize = 4;

/// A tensor that an operator is called with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorArgument {
    /// As Python calls it: `float32`.
    pub dtype: String,
    pub sizes: Vec<i64>,
    /// In elements.
    pub strides: Vec<i64>,
    /// On the GPU rather than the host.
    pub on_device: bool,
    /// What its storage holds, by the number of the element there; 0 where nothing is said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elements: BTreeMap<u64, i64>,
}

impl TensorArgument {
    /// Whether anybody can make it: it has no more elements, and needs no more memory, than is taken for possible.
    #[must_use]
    pub fn can_be_made(&self) -> bool {
        const MOST: i128 = 1 << 47;
        let elements = self.sizes.iter().try_fold(1_i128, |n, s| n.checked_mul(i128::from(*s)));
        let far = |(n, s): (&i64, &i64)| i128::from(*n - 1) * i128::from(*s);
        let reach: i128 = self.sizes.iter().zip(&self.strides).map(far).sum();
        self.sizes.contains(&0) || elements.is_some_and(|n| n <= MOST) && reach < MOST
    }

    /// Whether its strides are those that a tensor of its sizes has when it is made.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let mut n = 1_i64;
        let of_one = |(size, stride): (&i64, &i64)| {
            let packed = *size == 1 || *stride == n;
            n = n.saturating_mul(*size);
            packed
        };
        self.sizes.contains(&0) || self.sizes.iter().zip(&self.strides).rev().all(of_one)
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

/// What an operator would have to check of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingCheck {
    /// As contracts are written: `w.size(0) >= x.size(1)`.
    pub condition: String,
    /// Where the operator is defined: its name.
    pub function: Position,
    /// It is written against the stable ABI, whose checks have a name of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stable: bool,
}

impl MissingCheck {
    /// The check as PyTorch has it (c10/util/Exception.h, torch/headeronly/util/Exception.h); `None` where it would have to look at every element.
    #[must_use]
    pub fn statement(&self) -> Option<String> {
        let of_elements = self.condition.contains("forall ");
        let check = if self.stable { "STD_TORCH_CHECK" } else { "TORCH_CHECK" };
        (!of_elements).then(|| format!("{check}({0}, \"expected {0}\");", self.condition))
    }
}

/// An edit that mends it: text that goes in at a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    #[serde(flatten)]
    pub position: Position,
    pub text: String,
}
