//! Result of one look at an access, and the change that more effort could make.
//!
//! An [`AccessVerdict`] is the verdict of one access in one context; a [`AccessExamination`] adds what more effort could change about
//! it. Plain data with the order in which outcomes outweigh each other.

use base::reasons::{ReasonCode, UnknownReason};
use base::rules::Rule;
use finding::counts::PlaceClass;
use finding::{Finding, Verdict};

/// Verdict of one access in one context.
#[derive(Clone, Debug)]
pub(crate) enum AccessVerdict {
    Safe,
    SafeIfNoWrap(Vec<String>),
    Unknown(UnknownReason),
    Found(Box<Finding>),
}

/// What more effort could change about an outcome; the most promising last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FurtherEffort {
    Nothing,
    /// A model rests on unknowns and was not replayed yet.
    Replay,
    /// A budget ended the search.
    Work,
}

/// Effort of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Almost no work: a few milliseconds for each obligation; no model is examined and nothing is replayed.
    Glance,
    /// Models that rest on unknowns are postponed: their replays seldom succeed.
    First,
    Full,
}

/// A look at an access.
#[derive(Clone, Debug)]
pub(crate) struct AccessExamination {
    pub outcome: AccessVerdict,
    pub more: FurtherEffort,
}

impl AccessVerdict {
    /// Rank of unknown outcomes, followed by the rank of possible findings.
    pub const UNKNOWN: u8 = 2;
    const FOUND: u8 = 3;
    /// Rank of proved findings.
    pub const PROVED: u8 = 4;

    /// Whether more time cannot make the outcome worse.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Found(f) if f.verdict == Verdict::Proved && !f.degenerate)
    }

    /// Returns the severity of the outcome; the worst is largest.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Safe => 0,
            Self::SafeIfNoWrap(_) => 1,
            Self::Unknown(_) => Self::UNKNOWN,
            Self::Found(f) if f.verdict == Verdict::Possible => Self::FOUND,
            Self::Found(_) => Self::PROVED,
        }
    }

    /// Returns the class that the source position counts as. `assuming`: whether it is safe only under an assumption.
    pub fn class(&self, assuming: bool) -> PlaceClass {
        match self {
            Self::Safe => PlaceClass::Safe { if_no_wrap: false, assuming },
            Self::SafeIfNoWrap(_) => PlaceClass::Safe { if_no_wrap: true, assuming },
            Self::Unknown(_) => PlaceClass::Unknown,
            Self::Found(f) if f.verdict == Verdict::Possible => PlaceClass::Possible,
            Self::Found(_) => PlaceClass::Proved,
        }
    }

    pub fn is_safe(&self) -> bool {
        matches!(self, Self::Safe | Self::SafeIfNoWrap(_))
    }

    pub fn is_finding(&self) -> bool {
        self.rank() >= Self::FOUND
    }

    /// Returns the rule of the finding, if there is one.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Found(f) => Some(f.rule),
            _ => None,
        }
    }

    /// Returns the outcome unchanged, unless a budget cut off its input and a larger one may change the outcome.
    pub fn unless(self, cut: bool) -> Self {
        if cut && !self.is_final() { Self::Unknown(UnknownReason::ProgramWork) } else { self }
    }

    /// Combines with a first look: the first verdict stands where the second look is undecided, and the first reason
    /// where a budget ended the second look.
    pub fn or_first(self, first: Self) -> Self {
        match (&self, &first) {
            (Self::Unknown(_), Self::Safe | Self::SafeIfNoWrap(_) | Self::Found(_)) => first,
            (Self::Unknown(why), Self::Unknown(_)) if why.code() == ReasonCode::Work => first,
            _ => self,
        }
    }

    /// Whether this outcome rather than the other represents a source position in the report.
    pub fn outweighs(&self, other: &Self) -> bool {
        match (other, self) {
            // Of two findings with the same verdict, the one that is not degenerate wins.
            (Self::Found(a), Self::Found(b)) if a.verdict == b.verdict => a.degenerate && !b.degenerate,
            (a, b) => b.rank() > a.rank(),
        }
    }
}

impl AccessExamination {
    pub fn of(outcome: AccessVerdict) -> Self {
        Self { outcome, more: FurtherEffort::Nothing }
    }

    /// Returns a look without any attempt, for lack of budget.
    pub fn none() -> Self {
        Self { outcome: AccessVerdict::Unknown(UnknownReason::ProgramWork), more: FurtherEffort::Work }
    }

    /// Returns a look that a glance did not decide.
    pub fn put_off() -> Self {
        Self::none()
    }

    /// Returns the worst of the looks at all targets of one access; more effort on any target could change it.
    pub fn worst(looks: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::of(AccessVerdict::Safe);
        for l in looks {
            all.more = all.more.max(l.more);
            if l.outcome.rank() > all.outcome.rank() {
                all.outcome = l.outcome;
            }
        }
        if all.outcome.is_final() {
            all.more = FurtherEffort::Nothing;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessExamination, AccessVerdict, FurtherEffort};
    use base::reasons::UnknownReason;

    #[test]
    fn a_second_look_without_a_verdict_keeps_the_first() {
        let safe = AccessVerdict::SafeIfNoWrap(vec!["n * 4".into()]);
        let late = AccessVerdict::Unknown(UnknownReason::ProgramWork);
        assert!(matches!(late.clone().or_first(safe.clone()), AccessVerdict::SafeIfNoWrap(_)));
        assert!(matches!(AccessVerdict::Safe.or_first(late.clone()), AccessVerdict::Safe));
        assert!(matches!(AccessVerdict::Safe.or_first(safe), AccessVerdict::Safe));
        // The reason of a look that a budget ended says less than the first one's.
        let why = AccessVerdict::Unknown(UnknownReason::NoValue);
        let reason = |v: AccessVerdict| if let AccessVerdict::Unknown(why) = v { Some(why) } else { None };
        let late = || AccessVerdict::Unknown(UnknownReason::ProgramWork);
        assert_eq!(reason(late().or_first(why.clone())), Some(UnknownReason::NoValue));
        assert_eq!(reason(why.or_first(late())), Some(UnknownReason::NoValue));
    }

    #[test]
    fn the_worst_target_counts_and_what_any_could_still_change() {
        let cut = AccessExamination { outcome: AccessVerdict::SafeIfNoWrap(vec![]), more: FurtherEffort::Work };
        let open =
            AccessExamination { outcome: AccessVerdict::Unknown(UnknownReason::NoValue), more: FurtherEffort::Replay };
        let all = AccessExamination::worst([AccessExamination::of(AccessVerdict::Safe), cut, open]);
        assert!(matches!(all.outcome, AccessVerdict::Unknown(_)));
        assert_eq!(all.more, FurtherEffort::Work);
    }
}
