//! (room frontend)
