//! The concrete interpreter: the independent judge of the symbolic engine.
//!
//! In: a linked [`ir::Program`], a root function and concrete [`ConcreteInputs`]. Out: whether a given access is reached out
//! of bounds ([`replay`]), or every out-of-bounds access of the run ([`enumerate`]). It shares nothing with
//! `engine/`, `library/` or `check/`: it must not know how a witness was found.
//!
//! Integers wrap as on hardware. Values that the interpreter does not compute are *poison* with a reason (module
//! `value`). Every object is bounds-checked and lies in its own window of the address space (module `memory`).

mod api;
pub mod code;
mod contracts;
pub mod device;
mod given;
pub mod library;
pub mod machine;
pub mod memory;
mod observe;
mod provenance;
pub mod python;
mod replay;
mod snapshot;

pub use api::{
    AccessFault, BadAccess, BlockThread, Cause, ConcreteInputs, ExhaustiveRun, FrameValues, IntendedObject,
    IsolatedLaunch, ObjectKind, PartBounds, PartTarget, ProgramPoint, ReplayOutcome, RequiredCondition, RunBudget,
    TargetAccess, TriedThreads, UndecidedReason,
};
pub use library::cuda::PITCH;
pub use library::devices::device;
pub use library::modelled::keys;
pub use replay::{PatientPasses, ReplayCost, access_sites, enumerate, replay, replay_after, replay_with_snapshot};
pub use snapshot::{Image, Snapshot, SnapshotObject};
