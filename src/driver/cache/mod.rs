//! What checks said before.

pub(in crate::driver) mod placeless;
pub(in crate::driver) mod reports;
