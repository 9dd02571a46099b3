//! Result of a replay, and the fault that a replay must show.

use base::reasons::UnknownReason;
use witness::{AccessFault, BadAccess, PartTarget, RequiredCondition};

/// Result of a replay.
#[derive(Clone, Debug)]
pub(crate) enum ReplayResult {
    Reached {
        bad: Box<BadAccess>,
        assumptions: Vec<String>,
    },
    NotReached(UnknownReason),
    Incomplete(UnknownReason),
    /// Reached where `rand` returns other numbers than here.
    ByChance(Box<BadAccess>),
    /// Reached by a run of all threads one after another.
    InTurn {
        bad: Box<BadAccess>,
        by_chance: bool,
    },
    /// Reached by an address that was itself read out of bounds.
    Astray {
        why: UnknownReason,
        assumptions: Vec<String>,
    },
}

/// Fault that a replay must show.
pub(crate) enum SoughtFault {
    Fault(AccessFault),
    /// The address is no multiple of this many bytes.
    Unaligned(u32),
    /// A call violates a contract.
    Broken(RequiredCondition),
    /// The access leaves a part of an object.
    Out(PartTarget),
}
