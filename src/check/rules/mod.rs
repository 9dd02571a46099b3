//! One file for each rule: what it asks of an access, a copy, a call or a launch. [`rule`] says what a rule is, [`list`] holds all.

pub(in crate::check) mod alignment;
pub(in crate::check) mod bounds;
pub(in crate::check) mod claims;
pub(in crate::check) mod contracts;
pub(in crate::check) mod crossing;
mod device;
pub(in crate::check) mod layout;
pub(in crate::check) mod layout_intent;
mod lifetime;
pub(in crate::check) mod list;
pub(in crate::check) mod memcpy;
pub(in crate::check) mod overflow;
pub(in crate::check) mod partition;
pub(in crate::check) mod pointer;
pub(in crate::check) mod rule;
pub(in crate::check) mod subarray;
