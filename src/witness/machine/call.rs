//! Outcomes of a modelled call: a result, a wait for other threads, or a stop.

use super::value::Val;
use crate::api::UndecidedReason;

/// Reason why a thread stops.
#[derive(Clone, Debug, PartialEq)]
pub enum ThreadStop {
    /// The program or this thread ends here.
    Ended(String),
    /// The next event is unknown.
    Unknown(UndecidedReason),
    /// An exception flies, and no frame of the present call handles it.
    Thrown,
    /// The run reached the target access.
    Found,
    /// The steps, work or memory of the budget ran out.
    Budget,
}

/// Result of a modelled function.
pub enum Ret {
    Void,
    Val(Val),
    Many(Vec<Val>),
    /// The thread waits for other threads; the result follows when it resumes.
    Wait(Wait),
}

/// Result of a model, or the reason why its thread stops.
pub type ModelResult = Result<Ret, ThreadStop>;

/// What a thread of a block waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wait {
    /// Barrier of the block by number, and the vote on the threads' predicates.
    Barrier { id: u32, vote: Option<(Vote, Val)> },
    /// The lanes in `mask` of the warp.
    Warp { mask: u32, op: WarpOp },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Count,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WarpOp {
    Sync,
    Shuffle {
        kind: Shuffle,
        value: Val,
        lane: Val,
        clamp: Val,
        /* whether a second result says if the source lane took part */ pair: bool,
    },
    Vote {
        vote: Vote,
        pred: Val,
    },
    MatchAny {
        value: Val,
    },
    Reduce {
        op: Reduce,
        value: Val,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Index,
    Up,
    Down,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Add,
    Min,
    Max,
    UMin,
    UMax,
    And,
    Or,
    Xor,
}
