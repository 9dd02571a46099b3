//! (room confirm)
