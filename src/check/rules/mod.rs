//! One file for each rule: its checks of accesses, copies, calls and launches. [`rule`] defines the interface,
//! [`list`] holds all rules.

pub(crate) mod alignment;
pub(crate) mod bounds;
pub(crate) mod claims;
pub(crate) mod contracts;
pub(crate) mod crossing;
mod device;
pub(crate) mod layout;
pub(crate) mod layout_intent;
mod lifetime;
pub(crate) mod list;
pub(crate) mod memcpy;
pub(crate) mod overflow;
pub(crate) mod partition;
pub(crate) mod pointer;
pub(crate) mod rule;
pub(crate) mod subarray;
