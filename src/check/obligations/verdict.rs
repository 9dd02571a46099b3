//! What one look at an access gave, and what further effort could change.
//!
//! An [`Outcome`] is the verdict of one access in one context; a [`Look`] is an outcome with what more effort could change about it. Plain
//! data with the order in which outcomes outweigh each other.

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

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// What takes next to nothing: a few milliseconds for each obligation, no model is looked at and nothing is replayed.
    Glance,
    /// Models that rest on unknowns are put off: their replays seldom end well.
    First,
    Full,
}

/// One look at an access.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub outcome: Outcome,
    pub more: More,
}

impl Outcome {
    /// Ranks of what is unknown, and of the findings.
    pub const UNKNOWN: u8 = 2;
    const FOUND: u8 = 3;
    /// Rank of those that are proved.
    pub const PROVED: u8 = 4;

    /// Whether more time cannot make it worse.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Found(f) if f.verdict == Verdict::Proved && !f.degenerate)
    }

    /// Worst last.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Safe => 0,
            Self::SafeIfNoWrap(_) => 1,
            Self::Unknown(_) => Self::UNKNOWN,
            Self::Found(f) if f.verdict == Verdict::Possible => Self::FOUND,
            Self::Found(_) => Self::PROVED,
        }
    }

    /// What the place counts as. `assuming`: whether it is only safe under an assumption.
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

    /// The rule whose finding it is.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Found(f) => Some(f.rule),
            _ => None,
        }
    }

    /// As it is, unless a budget cut off what it comes from and more of it may show something else.
    pub fn unless(self, cut: bool) -> Self {
        if cut && !self.is_final() { Self::Unknown(UnknownReason::ProgramWork) } else { self }
    }

    /// What a second look adds: a first verdict stands where the second one came to none.
    pub fn or_first(self, first: Self) -> Self {
        if matches!((&self, &first), (Self::Unknown(_), f) if !matches!(f, Self::Unknown(_))) { first } else { self }
    }

    /// Whether this rather than the other stands for a place in the report.
    pub fn outweighs(&self, other: &Self) -> bool {
        match (other, self) {
            // Of two findings the one that is not degenerate.
            (Self::Found(a), Self::Found(b)) if a.verdict == b.verdict => a.degenerate && !b.degenerate,
            (a, b) => b.rank() > a.rank(),
        }
    }
}

impl Look {
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, more: More::Nothing }
    }

    /// Nothing was tried yet, for want of budget.
    pub fn none() -> Self {
        Self { outcome: Outcome::Unknown(UnknownReason::ProgramWork), more: More::Work }
    }

    /// Not decided at a glance.
    pub fn put_off() -> Self {
        Self::none()
    }

    /// Of all targets of one access the worst, which more effort on any of them could change.
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
