//! Rules and their levels. They are below all rooms: settings choose them, checks report violations, reports show them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A class of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    OobGlobal,
    OobShared,
    OobLocal,
    OobConstant,
    IntraAllocation,
    MemcpyOutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidPointer,
    DataIndex,
    IndexOverflow,
    Misaligned,
    FalseAssumption,
    Contract,
    UncheckedArgument,
}

impl Rule {
    pub const ALL: [Self; 15] = [
        Self::OobGlobal,
        Self::OobShared,
        Self::OobLocal,
        Self::OobConstant,
        Self::IntraAllocation,
        Self::MemcpyOutOfBounds,
        Self::UseAfterFree,
        Self::DoubleFree,
        Self::InvalidPointer,
        Self::DataIndex,
        Self::IndexOverflow,
        Self::Misaligned,
        Self::FalseAssumption,
        Self::Contract,
        Self::UncheckedArgument,
    ];
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OobGlobal => "oob-global",
            Self::OobShared => "oob-shared",
            Self::OobLocal => "oob-local",
            Self::OobConstant => "oob-constant",
            Self::IntraAllocation => "intra-allocation",
            Self::MemcpyOutOfBounds => "memcpy-out-of-bounds",
            Self::UseAfterFree => "use-after-free",
            Self::DoubleFree => "double-free",
            Self::InvalidPointer => "invalid-pointer",
            Self::DataIndex => "data-index",
            Self::IndexOverflow => "index-overflow",
            Self::Misaligned => "misaligned",
            Self::FalseAssumption => "false-assumption",
            Self::Contract => "contract",
            Self::UncheckedArgument => "unchecked-argument",
        }
    }
    /// Level of a *proved* finding without further configuration.
    #[must_use]
    pub const fn default_level(self) -> Level {
        match self {
            Self::DataIndex | Self::IndexOverflow | Self::Misaligned | Self::UncheckedArgument => Level::Warn,
            _ => Level::Deny,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
impl FromStr for Rule {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|r| r.name() == s)
            .ok_or_else(|| format!("unknown rule `{s}`; the rules are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Effect of a finding of a rule: a denied one fails the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Allow,
    Note,
    Warn,
    Deny,
}
