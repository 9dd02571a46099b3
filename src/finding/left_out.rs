//! Parts of a program or of its findings that a report leaves out because users asked for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Revision with which `--diff-base` compared the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffBase {
    /// The revision as the user named it.
    pub revision: String,
    /// Last common ancestor of the revision and the checked commit.
    pub commit: String,
    /// Number of findings that are not in the report since no line of their path changed.
    pub left_out: u32,
}
