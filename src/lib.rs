//! SCuBA: static bounds analysis of CUDA programs at build time. `ARCHITECTURE.md` is the map. Each room is a crate;
//! this crate re-exports them all for the programs and the tests.

pub use base::{axioms, cpu_time, inside, nets, paths, reasons, rules, statements, work};
#[cfg(feature = "cgeist")]
pub use cgeist;
pub use contracts::assume;
pub use engine::symbolic;
pub use library::{Models, device_launches, host, kernel};
pub use {
    check, config, confirm, contracts, driver, editor, facts, files, finding, frontend, ir, models, nvcc, report,
    witness,
};
