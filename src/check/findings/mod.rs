//! From a violated obligation to a finding in the source's terms.

pub(crate) mod build;
pub(crate) mod explanation;
pub(crate) mod host_call;
pub(crate) mod kernel;
pub(crate) mod position;
pub(crate) mod run_values;
pub(crate) mod source_names;
pub(crate) mod state;
pub(crate) mod steps;
pub(crate) mod wording;
