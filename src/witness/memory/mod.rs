//! Address space of a run, and the bytes of its objects.

pub(crate) mod globals;
pub(crate) mod space;
pub(crate) mod store;
