//! Rules: one file for each, which carries everything that its users see. They are below all rooms: settings choose
//! them, checks report violations, reports show them, and `confirm` asks what a GPU can see of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Declares the rules from their variants and files.
macro_rules! rules {
    ($($variant:ident in $file:ident,)*) => {
        $(mod $file;)*

        /// A class of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Rule {
            $($variant,)*
        }

        impl Rule {
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            /// Returns what the rule's file says.
            #[must_use]
            pub const fn info(self) -> &'static RuleInfo {
                match self {
                    $(Self::$variant => &$file::INFO,)*
                }
            }
        }
    };
}

rules! {
    OobGlobal in oob_global,
    OobShared in oob_shared,
    OobLocal in oob_local,
    OobConstant in oob_constant,
    IntraAllocation in intra_allocation,
    MemcpyOutOfBounds in memcpy_out_of_bounds,
    UseAfterFree in use_after_free,
    DoubleFree in double_free,
    InvalidPointer in invalid_pointer,
    DataIndex in data_index,
    IndexOverflow in index_overflow,
    Misaligned in misaligned,
    FalseAssumption in false_assumption,
    Contract in contract,
    UncheckedArgument in unchecked_argument,
}

/// Everything about a rule that users see.
#[derive(Debug)]
pub struct RuleInfo {
    pub name: &'static str,
    /// Level of a *proved* finding without further configuration.
    pub level: Level,
    pub weakness: Weakness,
    /// Text of the row in `docs/rules.md`.
    pub reports: &'static str,
    pub help: Help,
    pub confirmation: GpuConfirmation,
    /// Page of `scuba explain`, in Markdown. Its first line is `# NAME: what it means in a few words`.
    pub page: &'static str,
}

/// Weakness that a rule reports, in the words of services that collect findings of many tools.
#[derive(Debug)]
pub struct Weakness {
    /// Numbers in the Common Weakness Enumeration (<https://cwe.mitre.org>), the closest first.
    pub cwe: &'static [u16],
    /// Severity on the scale of CVSS, from 0.1 to 10.0: a write that an input controls counts most.
    pub severity: &'static str,
}

/// Advice to users on a finding.
#[derive(Debug)]
pub enum Help {
    /// Check the index of the access.
    Index,
    /// A text in which `{array}` stands for the finding's array.
    Text(&'static str),
}

/// Kinds of runs on a GPU that confirm a finding.
#[derive(Debug)]
pub struct GpuConfirmation {
    /// Whether Compute Sanitizer sees it.
    pub sanitizer: bool,
    /// Reason why the launch alone confirms nothing, if it does not.
    pub not_alone: Option<&'static str>,
    /// Test by a check that is compiled into the kernel, if one sees it.
    pub check: Option<CompiledCheck>,
    /// Whether wrappers of runtime functions see it in the arguments of a host call.
    pub arguments: bool,
    /// Whether the driver refuses each wrong host call.
    pub refused: bool,
    /// Words behind the extent in the evidence of a compiled check.
    pub place: &'static str,
}

impl GpuConfirmation {
    /// Compute Sanitizer alone.
    const SANITIZER: Self =
        Self { sanitizer: true, not_alone: None, check: None, arguments: false, refused: false, place: "" };
    /// Compute Sanitizer, or a compiled check of the object's bounds.
    const BOUNDS: Self = Self { check: Some(CompiledCheck::Bounds), ..Self::SANITIZER };
}

/// Test of an access by code that is compiled into its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompiledCheck {
    /// The access leaves its object.
    Bounds,
    /// The access is to memory that is not device memory, whatever the bounds.
    Memory,
}

impl Rule {
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the rule's meaning in a few words, without a full stop.
    #[must_use]
    pub fn title(self) -> &'static str {
        let first = self.info().page.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }

    /// Returns the first paragraph of the rule's page as one line: what the rule reports.
    #[must_use]
    pub fn summary(self) -> String {
        let lines = self.info().page.lines().skip(1).skip_while(|l| l.is_empty());
        lines.take_while(|l| !l.is_empty()).collect::<Vec<_>>().join(" ")
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Allow,
    Note,
    Warn,
    Deny,
}

#[cfg(test)]
mod tests {
    use super::{Rule, Weakness};

    #[test]
    fn every_page_explains_its_rule_with_examples_and_how_to_silence_it() {
        for rule in Rule::ALL {
            let (text, title) = (rule.info().page, rule.title());
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
            assert!(text.starts_with(&format!("# {rule}: ")), "{rule}");
            assert!(!title.is_empty() && !title.contains('#') && !title.ends_with('.'), "{rule}");
            assert!(rule.summary().ends_with('.') && !rule.summary().contains('#'), "{rule}: {}", rule.summary());
            let Weakness { cwe, severity } = rule.info().weakness;
            assert!(!cwe.is_empty() && (0.1..=10.0).contains(&severity.parse::<f64>().unwrap()), "{rule}");
            for part in ["## Why it matters", "## Wrong", "## Right", "## Silencing", "```cuda"] {
                assert!(text.contains(part), "{rule} lacks {part}");
            }
            assert!(text.contains(&format!("scuba: allow({rule})")), "{rule}");
            assert!(text.lines().all(|l| l.chars().count() <= 100), "{rule} has a line too long for a terminal");
        }
    }
}
