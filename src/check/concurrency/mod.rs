//! Communication of threads through memory: bounds on stored values, invariants across launches, reads of other
//! threads' stores, atomic counters.

pub(crate) mod across_launches;
pub(crate) mod atomic_counters;
pub(crate) mod bounds;
mod cursors;
pub(crate) mod invariants;
pub(crate) mod known;
pub(crate) mod reads_from;
