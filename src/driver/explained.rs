//! Pages of `scuba explain`: those of rules, and those of codes of undecided accesses.

use base::reasons::ReasonCode;
use base::rules::Rule;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Name that has a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    Rule(Rule),
    Code(ReasonCode),
}

impl Explained {
    #[must_use]
    pub const fn page(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.info().page,
            Self::Code(code) => code.info().page,
        }
    }
}

impl std::str::FromStr for Explained {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        s.parse().map(Self::Rule).or_else(|e| s.parse().map(Self::Code).map_err(|_| e))
    }
}

/// Parser of such a name.
pub fn parser() -> impl TypedValueParser<Value = Explained> {
    let names = Rule::ALL.map(Rule::name).into_iter().chain(ReasonCode::ALL.map(ReasonCode::name));
    PossibleValuesParser::new(names).try_map(|s| s.parse::<Explained>())
}
