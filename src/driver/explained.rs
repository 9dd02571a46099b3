//! Pages of `scuba explain`: those of rules, and those of codes of undecided accesses.

use base::reasons::ReasonCode;
use base::rules::Rule;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fmt::Write;

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

/// Returns the list of all names, each with the title of its page, rules with their levels.
pub fn list() -> String {
    let mut text = String::from("Rules, with the level of proved findings:\n");
    for rule in Rule::ALL {
        let level = format!("{:?}", rule.info().level).to_lowercase();
        let _ = writeln!(text, "  {:<20}  {level:<4}  {}", rule.name(), rule.title());
    }
    text.push_str("\nCodes of undecided accesses:\n");
    for code in ReasonCode::ALL {
        let _ = writeln!(text, "  {:<17}  {}", code.name(), code.title());
    }
    text.push_str("\n`scuba explain NAME` prints the page of one.\n");
    text
}

/// Parser of such a name.
pub fn parser() -> impl TypedValueParser<Value = Explained> {
    let names = Rule::ALL.map(Rule::name).into_iter().chain(ReasonCode::ALL.map(ReasonCode::name));
    PossibleValuesParser::new(names).try_map(|s| s.parse::<Explained>())
}
