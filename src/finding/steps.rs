//! Steps of a finding: from the input to the byte, in the order in which they happen.

use crate::Position;
use serde::{Deserialize, Serialize};

/// What a step tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// An input of the program or of the entry point.
    Input,
    /// A size, as the source computes it from inputs.
    Size,
    /// The allocation of the accessed object.
    Allocation,
    /// A free, a copy or another call between allocation and access.
    Call,
    /// The launch of the kernel.
    Launch,
    /// The block and the thread that go wrong.
    Thread,
    /// The index, or another value that the address is computed from.
    Index,
    /// The byte offset beside the extent.
    Offset,
}

/// One step, as `steps` of a finding has it in documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub kind: StepKind,
    /// Sentence for people, in names of the source: `d_x is 4 * n bytes`.
    pub message: String,
    /// Value in the witness, if it is known: `12`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
    /// Place in the source, if the step has one.
    #[serde(flatten, skip_serializing_if = "Option::is_none", default)]
    pub position: Option<Position>,
}
