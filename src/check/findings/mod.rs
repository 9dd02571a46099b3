//! From a violated obligation to a finding in the words of the source.

pub(in crate::check) mod build;
pub(in crate::check) mod explanation;
pub(in crate::check) mod host_call;
pub(in crate::check) mod kernel;
pub(in crate::check) mod position;
pub(in crate::check) mod state;
pub(in crate::check) mod wording;
