//! What threads exchange through memory: bounds on what they store, across launches, reads of what others store, atomic counters.

pub(in crate::check) mod across_launches;
pub(in crate::check) mod atomic_counters;
pub(in crate::check) mod bounds;
pub(in crate::check) mod invariants;
pub(in crate::check) mod known;
pub(in crate::check) mod reads_from;
