//! (room host)
