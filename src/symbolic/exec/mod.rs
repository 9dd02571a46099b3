//! The executor: functions, blocks, joins of paths, instructions and calls.

pub(in crate::symbolic) mod calls;
pub(in crate::symbolic) mod device_work;
pub mod events;
pub(in crate::symbolic) mod exceptions;
pub mod executor;
pub(in crate::symbolic) mod instruction;
pub(in crate::symbolic) mod join;
pub(crate) mod runtime;
pub mod site;
pub mod state;
