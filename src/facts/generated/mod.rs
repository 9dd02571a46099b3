//! Build descriptions that CMake writes before anything is compiled: the planned links and their inputs.
//!
//! In: a build folder, an output. Out: the planned links, the outputs that are still built, the commands of makefiles.
//! Links come from the reply of CMake's File API (3.14 and later), which this module queries. Without a reply, and for
//! objects, it reads `build.ninja` and CMake's makefiles (3.25) as text. It knows nothing of facts or programs, and
//! ignores statements that it does not know.

mod file_api;
pub(super) mod folders;
mod makefiles;
pub(super) mod ninja;
pub(super) mod planned;
mod query;
mod reply;

pub use folders::cmake_home;
pub use makefiles::compile_commands;
pub use planned::FolderPlans;
