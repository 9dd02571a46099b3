//! Modules that every room may use, and that use no room.

pub mod alarm;
pub mod axioms;
pub mod background;
pub mod cpu_time;
pub mod inside;
pub mod nets;
pub mod own_program;
pub mod panics;
pub mod paths;
pub mod polynomial;
pub mod reasons;
pub mod remote_url;
pub mod rules;
pub mod statements;
pub mod temporary;
pub mod work;
