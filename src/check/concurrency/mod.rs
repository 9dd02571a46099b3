//! What threads exchange through memory: bounds on what they store, across launches, reads of what others store, atomic counters.

pub(crate) mod across_launches;
pub(crate) mod atomic_counters;
pub(crate) mod bounds;
pub(crate) mod invariants;
pub(crate) mod known;
pub(crate) mod reads_from;
