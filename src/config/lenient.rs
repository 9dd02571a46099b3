//! Lenient reading of scuba.toml for build commands: a mistake costs the statement that contains it, not the analysis.
//!
//! In: a path. Out: a [`Config`] of the readable statements, and the skipped ones ([`SkippedStatements`]), described in one
//! line. Every other command refuses such a file ([`super::load`]); a build must neither fail because of it nor pass
//! unchecked.

use super::load::{position, read};
use super::{Config, RuleSelector};
use base::rules::Rule;
use base::statements::{Mistake, SkippedMistake, SkippedPart, recover};
use contracts::error::nearest;
use std::borrow::Cow;
use std::path::Path;

/// Tables of scuba.toml.
const TABLES: [&str; 14] = [
    "allow", "assume", "baseline", "build", "cache", "confirm", "contract", "entry", "frontend", "levels", "limits",
    "nvcc", "roots", "scope",
];

/// Tables that can remove findings or lower their levels.
const ACCEPTING: [&str; 6] = ["allow", "assume", "baseline", "contract", "levels", "scope"];

/// Tables whose entries are skipped as a whole: without one of its keys, an entry could accept more than the user
/// meant.
const WHOLE: [&str; 3] = ["allow", "assume", "contract"];

/// Statements of a project's settings that were skipped because of mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatements {
    /// Line of the first mistake, if it has one; `what` describes the mistake.
    line: Option<usize>,
    what: String,
    /// Positions of the other mistakes.
    others: Vec<String>,
    /// Whether the whole file was skipped.
    all: bool,
    /// Whether findings that the settings accept may be denied.
    accepting: bool,
    /// blake3 of the file's contents.
    contents: String,
}

impl SkippedStatements {
    /// Adds a baseline that cannot be read. `before` holds the mistakes in the file that names the baseline.
    #[must_use]
    pub fn with_baseline(before: Option<Self>, what: String) -> Self {
        match before {
            Some(mut left) => {
                left.others.push("the baseline".into());
                Self { accepting: true, ..left }
            }
            None => {
                let contents = blake3::hash(what.as_bytes()).to_hex().to_string();
                Self { line: None, what, others: vec![], all: false, accepting: true, contents }
            }
        }
    }

    /// Key that identifies the file's contents and the skipped statements.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}{}", self.contents, self.text(None))
    }

    fn place(&self, name: Option<&str>) -> Option<String> {
        name.map(|name| self.line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}")))
    }

    /// Returns one line for a build log. `name` is the file's name as users know it, if there is a file.
    #[must_use]
    pub fn text(&self, name: Option<&str>) -> String {
        let place = self.place(name).map_or_else(String::new, |p| format!("{p}: "));
        let one = self.others.is_empty();
        let mut text =
            format!("{place}{}; {} ignored", self.what, if self.all { "the whole file is" } else { "it is" });
        if !one {
            text.push_str(&format!(
                ", and so {} {}",
                if self.others.len() == 1 { "is" } else { "are" },
                self.others.join(", ")
            ));
        }
        if self.accepting {
            text.push_str(if one {
                "; findings that it accepts may be denied"
            } else {
                "; findings that they accept may be denied"
            });
        }
        text
    }

    /// Returns the line to show beside a finding denied in `subject`.
    #[must_use]
    pub fn beside(&self, subject: &str, name: Option<&str>) -> String {
        let place = self.place(name).unwrap_or_else(|| "the baseline".into());
        let others: String = self.others.iter().map(|o| format!(", {o}")).collect();
        format!("{subject} was checked without {place}{others}: {}", self.what)
    }
}

/// Reads one scuba.toml and skips the statements with mistakes.
#[must_use]
pub fn load_leniently(path: &Path) -> (Config, Option<SkippedStatements>) {
    let defaults = || Config { path: Some(path.to_owned()), ..Config::default() };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) => {
            let left = SkippedStatements {
                line: None,
                what: format!("cannot be read ({e})"),
                others: vec![],
                all: true,
                accepting: true,
                contents: String::new(),
            };
            return (defaults(), Some(left));
        }
    };
    let text = without_strange_comments(String::from_utf8_lossy(&bytes));
    let strange = matches!(&text, Cow::Owned(_));
    let (config, slips) = recover(&text, &WHOLE, |t| match t.find(char::REPLACEMENT_CHARACTER).filter(|_| strange) {
        Some(at) => Err(Mistake { at: Some(at), message: "text that is not UTF-8".into() }),
        None => read(t, path),
    });
    let Some((first, others)) = slips.split_first() else {
        return (config.unwrap_or_else(defaults), None);
    };
    let line = |s: &SkippedMistake| position(&text, s.at).0;
    let mut others: Vec<usize> = others.iter().map(line).filter(|l| *l != line(first)).collect();
    others.dedup();
    let left = SkippedStatements {
        line: Some(line(first)),
        what: brief(&first.message),
        others: others.iter().map(|l| format!("line {l}")).collect(),
        all: config.is_none(),
        accepting: slips.iter().any(may_accept),
        contents: blake3::hash(&bytes).to_hex().to_string(),
    };
    (config.unwrap_or_else(defaults), Some(left))
}

/// Blanks comments that are not UTF-8: comments may hold anything.
fn without_strange_comments(text: Cow<'_, str>) -> Cow<'_, str> {
    let Cow::Owned(text) = text else { return text };
    let is_strange = |l: &str| l.trim_start().starts_with('#') && l.contains(char::REPLACEMENT_CHARACTER);
    Cow::Owned(text.split_inclusive('\n').map(|l| if is_strange(l) { "\n" } else { l }).collect())
}

/// Whether a skipped statement may have removed findings or lowered their levels. A word close to no table counts,
/// since its table is unknown.
fn may_accept(slip: &SkippedMistake) -> bool {
    match &slip.lost {
        SkippedPart::All => true,
        SkippedPart::Below(word) => nearest(word, TABLES).is_none_or(|table| ACCEPTING.contains(&table)),
    }
}

/// Shortens a message: the closest known word replaces the list of all known words.
fn brief(message: &str) -> String {
    let parts = message.split_once(", expected ").or_else(|| message.split_once("; the rules are "));
    let Some((head, list)) = parts.filter(|(head, _)| head.starts_with("unknown ")) else { return message.to_owned() };
    let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let rules = Rule::ALL.map(|r| RuleSelector::One(r).to_string());
    let known = if known.is_empty() { rules.iter().map(String::as_str).chain(["all"]).collect() } else { known };
    match head.split('`').nth(1).and_then(|word| nearest(word, known)) {
        Some(near) => format!("{head} (did you mean `{near}`?)"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{SkippedStatements, load_leniently};
    use crate::{Config, FrontendKind, RuleSelector};
    use base::rules::{Level, Rule};

    fn load(text: impl AsRef<[u8]>) -> (Config, Option<SkippedStatements>) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("scuba.toml");
        std::fs::write(&path, text).unwrap();
        load_leniently(&path)
    }

    #[track_caller]
    fn says(text: &str, line: &str) -> Config {
        let (config, left) = load(text);
        assert_eq!(left.unwrap().text(Some("scuba.toml")), line, "{text}");
        config
    }

    #[test]
    fn a_file_without_mistakes_is_read_as_ever() {
        let (config, left) = load("[limits]\nwork = 7\n");
        assert_eq!((config.limits.work, left), (7, None));
    }

    #[test]
    fn a_key_or_a_value_in_error_is_left_out_and_the_rest_counts() {
        let c = says(
            "[limits]\nwork = 7\nsolver_msec = 5\n[[allow]]\nrule = \"all\"\npath = \"a/**\"\nreason = \"theirs\"\n",
            "scuba.toml:3: unknown key `solver_msec` (did you mean `solver_ms`?); it is ignored",
        );
        assert_eq!((c.limits.work, c.allow.len()), (7, 1));
        let c = says(
            "[limits]\nwork = 7\nsolver_ms = 0\n[frontend]\nkind = \"clang\"\n",
            "scuba.toml:3: 0 is out of range: use 1 to 3600000; it is ignored",
        );
        assert_eq!((c.limits.work, c.limits.solver_ms, c.frontend.kind), (7, 60_000, FrontendKind::Clang));
        let c = says(
            "[levls]\nall = \"allow\"\n[limits]\nwork = 7\n",
            "scuba.toml:1: unknown key `levls` (did you mean `levels`?); it is ignored; findings that it accepts may be denied",
        );
        assert_eq!((c.limits.work, c.level_of_all), (7, None));
        let c = says(
            "[levels]\noob-gobal = \"warn\"\ndata-index = \"deny\"\nmisaligned = \"of\"\n",
            "scuba.toml:2: unknown rule `oob-gobal` (did you mean `oob-global`?); it is ignored, and so is line 4; \
             findings that they accept may be denied",
        );
        assert_eq!((c.levels.len(), c.levels[&Rule::DataIndex]), (1, Level::Deny));
    }

    #[test]
    fn an_entry_that_accepts_counts_whole_or_not_at_all() {
        let c = says(
            "[[allow]]\nrule = \"all\"\npath = \"a/**\"\nreason = \"theirs\"\nkernel = \"k\"\n\
             [[allow]]\nrule = \"oob-global\"\npath = \"b/**\"\nreason = \"theirs\"\n",
            "scuba.toml:5: unknown key `kernel`, expected one of `rule`, `path`, `reason`; it is ignored; findings that it \
             accepts may be denied",
        );
        assert_eq!(c.allow.iter().map(|a| a.rule).collect::<Vec<_>>(), [RuleSelector::One(Rule::OobGlobal)]);
        let c = says(
            "[[assume]]\nexpr = \"n > 0\"\nfunktion = \"f\"\n[[assume]]\nexpr = \"n >\"\n[[assume]]\nexpr = \"n > 1\"\n",
            "scuba.toml:3: unknown key `funktion` (did you mean `function`?); it is ignored, and so is line 5; findings that \
             they accept may be denied",
        );
        assert_eq!(c.assume.len(), 1);
    }

    #[test]
    fn of_what_is_no_toml_the_rest_counts() {
        let c = says(
            "[limits\nwork = 7\n[confirm]\npadding = 8\n",
            "scuba.toml:1: unclosed table, expected `]`; it is ignored",
        );
        assert_eq!((c.limits.work, c.confirm.padding), (100, 8));
        let c = says(
            "[[allow]\nrule = \"all\"\npath = \"**\"\nreason = \"x\"\n[limits]\nwork = 7\n",
            "scuba.toml:1: unclosed array table, expected `]`; it is ignored; findings that it accepts may be denied",
        );
        assert_eq!((c.limits.work, c.allow.len()), (7, 0));
        let c = says(
            "[limits]\nwork = 7\nlevels]\nall = \"allow\"\n",
            "scuba.toml:3: key with no value, expected `=`; it is ignored; findings that it accepts may be denied",
        );
        assert_eq!((c.limits.work, c.level_of_all), (7, None));
        let (c, left) = load(b"# \xfc\n[limits]\nwork = 7\n[nvcc]\npath = \"\xfc\"\n");
        let line = "scuba.toml:5: text that is not UTF-8; it is ignored";
        assert_eq!((c.limits.work, c.nvcc, left.unwrap().text(Some("scuba.toml"))), (7, None, line.into()));
    }

    #[test]
    fn a_file_that_cannot_be_read_and_a_baseline_are_named() {
        let root = tempfile::tempdir().unwrap();
        let (config, left) = load_leniently(&root.path().join("scuba.toml"));
        let text = left.unwrap().text(Some("scuba.toml"));
        assert!(text.starts_with("scuba.toml: cannot be read (") && text.contains("; the whole file is ignored; "));
        assert_eq!(config.folder(), Some(root.path()));

        let left = SkippedStatements::with_baseline(None, "no baseline".into());
        assert_eq!(left.text(None), "no baseline; it is ignored; findings that it accepts may be denied");
        assert_eq!(left.beside("a.cu", None), "a.cu was checked without the baseline: no baseline");
        let left = SkippedStatements::with_baseline(load("[limits]\nwrk = 1\n").1, "no baseline".into());
        assert_eq!(
            left.beside("a.cu", Some("scuba.toml")),
            "a.cu was checked without scuba.toml:2, the baseline: unknown key `wrk` (did you mean `work`?)"
        );
    }
}
