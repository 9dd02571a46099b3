//! How a call of a modelled function ends: with a result, by waiting for other threads, or not at all.

use super::value::Val;
use crate::api::Why;

/// Why a thread does not go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The program, or this thread, ends here.
    Ended(String),
    /// What happens next is not known.
    Unknown(Why),
    /// The access sought was reached.
    Found,
    /// Steps, time or memory ran out.
    Budget,
}

/// What a modelled function gives back.
pub enum Ret {
    Void,
    Val(Val),
    Many(Vec<Val>),
    /// The thread waits for others; the result comes when it goes on.
    Wait(Wait),
}

/// What a thread of a block waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wait {
    /// A barrier of the block, by its number; the operation on the threads' predicates.
    Barrier { id: u32, vote: Option<(Vote, Val)> },
    /// All lanes in `mask` of the warp.
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
