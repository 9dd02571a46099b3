//! What was read and said before.

pub(crate) mod placeless;
pub(crate) mod readings;
pub(crate) mod reports;
