//! (room facts)
