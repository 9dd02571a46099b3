//! (room kernel)
