//! Codes of undecided accesses: one file for each, with everything that users see.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Declares the codes from their variants and files.
macro_rules! codes {
    ($($(#[doc = $doc:literal])? $variant:ident in $file:ident,)*) => {
        $(mod $file;)*

        /// Stable kind of the reason why an access is undecided, for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum ReasonCode {
            $($(#[doc = $doc])? $variant,)*
        }

        impl ReasonCode {
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            /// Returns what the code's file says.
            #[must_use]
            pub const fn info(self) -> &'static CodeInfo {
                match self {
                    $(Self::$variant => &$file::INFO,)*
                }
            }
        }
    };
}

codes! {
    /// The budget of the access was spent.
    Work in work,
    /// A safety net ended the search.
    Time in time,
    Memory in memory,
    ExtentUnknown in extent_unknown,
    ContentsUnknown in contents_unknown,
    CallUnknown in call_unknown,
    Loop in loops,
    Float in float,
    NoLaunch in no_launch,
    HostNotFollowed in host_not_followed,
    Replay in replay,
    Text in text,
    Asm in asm,
    /// The access is in a tile kernel.
    Tile in tile,
    /// The access depends on a unit that was linked without being read.
    Unseen in unseen,
    Other in other,
}

/// Everything about a code that users see.
#[derive(Debug)]
pub struct CodeInfo {
    pub name: &'static str,
    /// Advice that decides such an access, in one line; `{file}` stands for the access's file.
    pub decides: &'static str,
    /// The same where the reason names a function or variable; `{name}` stands for it.
    pub decides_named: Option<&'static str>,
    /// Page of `scuba explain`, in Markdown. Its first line is `# NAME: what it means in a few words`.
    pub page: &'static str,
}

/// Advice on an access in memory that callers give.
const BY_CALLERS: &str = "`scuba contracts {file}` says what its callers owe; a `[[contract]]` states it";
/// Words of reasons about code without known callers.
const NO_CALLERS: &str = "no known code calls this";

impl ReasonCode {
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the code's meaning in a few words, without a full stop.
    #[must_use]
    pub fn title(self) -> &'static str {
        let first = self.info().page.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }

    /// Returns this code if it is a limit, else the other: a limit takes precedence over the code that it ended.
    pub(super) const fn limit_or(self, other: Self) -> Self {
        if matches!(self, Self::Work | Self::Time | Self::Memory) { self } else { other }
    }

    /// Returns this code unless it is `Other`, else the other one.
    pub(super) const fn or(self, other: Self) -> Self {
        if matches!(self, Self::Other) { other } else { self }
    }

    /// Whether reasons with this code name functions.
    const fn names_calls(self) -> bool {
        matches!(self, Self::CallUnknown | Self::HostNotFollowed)
    }

    /// Returns what decides an access with this code and reason, in a line for users.
    #[must_use]
    pub fn decided_by(self, reason: &str, file: &str) -> String {
        let info = self.info();
        // Only calls are of functions; the others name variables.
        let fits = |name: &&str| !name.is_empty() && (self.names_calls() || !name.contains('('));
        let name = reason.split('`').nth(1).filter(fits);
        let text = match (info.decides_named, name) {
            _ if reason.contains(NO_CALLERS) => BY_CALLERS.to_owned(),
            (Some(text), Some(name)) => text.replace("{name}", name),
            _ => info.decides.to_owned(),
        };
        text.replace("{file}", file)
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ReasonCode {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|c| c.name() == s)
            .ok_or_else(|| format!("unknown code `{s}`; the codes are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::ReasonCode;

    #[test]
    fn every_page_explains_its_code_with_an_example_and_what_decides_it() {
        for code in ReasonCode::ALL {
            let (text, title) = (code.info().page, code.title());
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            assert_eq!(code.name().parse(), Ok(code));
            assert!(text.starts_with(&format!("# {code}: ")), "{code}");
            assert!(!title.is_empty() && !title.contains('#') && !title.ends_with('.'), "{code}");
            for part in ["## Example", "## What decides it", "```"] {
                assert!(text.contains(part), "{code} lacks {part}");
            }
            assert!(text.lines().all(|l| l.chars().count() <= 100), "{code} has a line too long for a terminal");
            let advice = [Some(code.info().decides), code.info().decides_named];
            assert!(advice.into_iter().flatten().all(|a| !a.contains('\n') && !a.ends_with('.')), "{code}");
        }
    }

    #[test]
    fn advice_names_what_the_reason_names() {
        let by = |code: ReasonCode, reason: &str| code.decided_by(reason, "k.cu");
        let callers = "`scuba contracts k.cu` says what its callers owe";
        assert!(by(ReasonCode::NoLaunch, "no launch of this kernel is known").starts_with(callers));
        let extent = by(ReasonCode::ExtentUnknown, "the extent of `x` is not known: no known code calls this");
        assert!(extent.starts_with(callers), "{extent}");
        assert!(
            by(ReasonCode::ExtentUnknown, "unknown memory").starts_with("allocate the memory in code that is read")
        );
        let nested = "the kernel was not followed to its end: the result of `size_of_problem`";
        assert!(by(ReasonCode::CallUnknown, nested).starts_with("give the check the source of `size_of_problem`"));
        assert!(
            by(ReasonCode::CallUnknown, "a call through an unknown pointer").starts_with("give the check the source")
        );
        let stores = by(ReasonCode::Loop, "the stores of the loop in `f(int)` are unknown");
        assert!(stores.starts_with("check the variable after the loop"), "{stores}");
        assert!(by(ReasonCode::Loop, "`n` in a loop").starts_with("check `n` after the loop"));
        assert!(by(ReasonCode::ContentsUnknown, "what `at` holds").contains("what `at` holds"));
    }
}
