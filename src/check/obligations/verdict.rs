//! Result of one look at an access, and the change that more effort could make.
//!
//! An [`Outcome`] is the verdict of one access in one context; a [`Look`] adds what more effort could change about
//! it. Plain data with the order in which outcomes outweigh each other.

use base::reasons::UnknownReason;
use base::rules::Rule;
use finding::counts::PlaceClass;
use finding::{Finding, Verdict};

/// Verdict of one access in one context.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Safe,
    SafeIfNoWrap(Vec<String>),
    Unknown(UnknownReason),
    Found(Box<Finding>),
}

/// What more effort could change about an outcome; the most promising last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum More {
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
pub(crate) struct Look {
    pub outcome: Outcome,
    pub more: More,
}

impl Outcome {
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

    /// Combines with a first look: the first verdict stands where the second look is undecided.
    pub fn or_first(self, first: Self) -> Self {
        if matches!((&self, &first), (Self::Unknown(_), f) if !matches!(f, Self::Unknown(_))) { first } else { self }
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

impl Look {
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, more: More::Nothing }
    }

    /// Returns a look without any attempt, for lack of budget.
    pub fn none() -> Self {
        Self { outcome: Outcome::Unknown(UnknownReason::ProgramWork), more: More::Work }
    }

    /// Returns a look that a glance did not decide.
    pub fn put_off() -> Self {
        Self::none()
    }

    /// Returns the worst of the looks at all targets of one access; more effort on any target could change it.
    pub fn worst(looks: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::of(Outcome::Safe);
        for l in looks {
            all.more = all.more.max(l.more);
            if l.outcome.rank() > all.outcome.rank() {
                all.outcome = l.outcome;
            }
        }
        if all.outcome.is_final() {
            all.more = More::Nothing;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, More, Outcome};
    use base::reasons::UnknownReason;

    #[test]
    fn a_second_look_without_a_verdict_keeps_the_first() {
        let safe = Outcome::SafeIfNoWrap(vec!["n * 4".into()]);
        let late = Outcome::Unknown(UnknownReason::ProgramWork);
        assert!(matches!(late.clone().or_first(safe.clone()), Outcome::SafeIfNoWrap(_)));
        assert!(matches!(Outcome::Safe.or_first(late.clone()), Outcome::Safe));
        assert!(matches!(Outcome::Safe.or_first(safe), Outcome::Safe));
    }

    #[test]
    fn the_worst_target_counts_and_what_any_could_still_change() {
        let cut = Look { outcome: Outcome::SafeIfNoWrap(vec![]), more: More::Work };
        let open = Look { outcome: Outcome::Unknown(UnknownReason::NoValue), more: More::Replay };
        let all = Look::worst([Look::of(Outcome::Safe), cut, open]);
        assert!(matches!(all.outcome, Outcome::Unknown(_)));
        assert_eq!(all.more, More::Work);
    }
}
