//! (room witness)
