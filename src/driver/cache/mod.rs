//! Caches of readings and reports.

pub(crate) mod placeless;
pub(crate) mod readings;
pub(crate) mod reports;
