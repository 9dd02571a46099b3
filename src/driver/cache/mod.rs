//! Caches of readings and reports, and the folder of all caches.

pub(crate) mod folder;
pub(crate) mod placeless;
pub(crate) mod readings;
pub(crate) mod remote;
pub(crate) mod reports;
pub(crate) mod shared_code;
