//! What CMake wrote into a build folder, before anything is compiled: which links there will be, and of what.
//!
//! In: a build folder, an output. Out: links as they are planned, the outputs that are still built, the
//! commands of makefiles. Links are read from the answer of CMake's File API (3.14 and later), for which CMake is asked here; where
//! there is none, and for objects, it reads `build.ninja` and CMake's makefiles (3.25) as text. It knows nothing of facts or
//! programs. What it does not know is as if it were not there.

mod file_api;
pub(super) mod folders;
mod makefiles;
pub(super) mod ninja;
pub(super) mod planned;
mod query;
mod reply;

pub use folders::cmake_home;
pub use makefiles::compile_commands;
pub use planned::Planned;
