//! (room confirm)
pub mod record;
