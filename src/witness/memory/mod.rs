//! The address space of a run and the bytes of its objects.

pub(in crate::witness) mod globals;
pub(in crate::witness) mod space;
pub(in crate::witness) mod store;
