//! One file for each command.

pub(in crate::driver) mod analyze;
pub(in crate::driver) mod baseline;
pub(in crate::driver) mod build;
pub(in crate::driver) mod check;
pub(in crate::driver) mod confirm;
pub(in crate::driver) mod contracts;
pub(in crate::driver) mod doctor;
pub(in crate::driver) mod init;
pub(in crate::driver) mod pages;
pub(in crate::driver) mod project;
pub(in crate::driver) mod stats;
