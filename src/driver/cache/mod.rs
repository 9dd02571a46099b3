//! What was read and said before.

pub(in crate::driver) mod placeless;
pub(in crate::driver) mod readings;
pub(in crate::driver) mod reports;
