//! Result of a replay, and the fault that a replay must show.

use base::reasons::{ReasonCode, UnknownReason};
use witness::{AccessFault, BadAccess, Cause, PartTarget, RequiredCondition, UndecidedReason};

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
#[derive(Clone)]
pub(crate) enum SoughtFault {
    Fault(AccessFault),
    /// The address is no multiple of this many bytes.
    Unaligned(u32),
    /// A call violates a contract.
    Broken(RequiredCondition),
    /// The access leaves a part of an object.
    Out(PartTarget),
}

/// Converts the reason why a replay decides nothing.
pub(super) fn undecided(why: UndecidedReason) -> UnknownReason {
    let code = match why.cause {
        Cause::Work => ReasonCode::Work,
        Cause::Call => ReasonCode::CallUnknown,
        Cause::Loop => ReasonCode::Loop,
        Cause::Contents | Cause::Operation => ReasonCode::ContentsUnknown,
        Cause::Float => ReasonCode::Float,
        Cause::Assembly => ReasonCode::Asm,
        Cause::Other => ReasonCode::Replay,
    };
    UnknownReason::Replay(why.text, code)
}
