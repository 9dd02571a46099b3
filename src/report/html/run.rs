//! Commands that show a finding.

use crate::kept::ReportOrigin;
use finding::Finding;
use std::fmt::Write as _;

/// Returns the commands, each with what it runs: the program or the operator itself, and the run under Compute
/// Sanitizer.
#[must_use]
pub fn commands(f: &Finding, origin: &ReportOrigin) -> Vec<(&'static str, String)> {
    let Some(w) = &f.witness else { return vec![] };
    let how = if w.run.call.is_some() { "from Python, on a GPU" } else { "the program, on a GPU" };
    let own = f.command().map(|command| (how, command));
    own.into_iter().chain([("the same on a GPU under Compute Sanitizer", confirm(f, origin))]).collect()
}

/// Quotes a word of a command line where a shell needs it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Formats the confirmation on a GPU: of the sources that were named, else of the build's finding.
fn confirm(f: &Finding, origin: &ReportOrigin) -> String {
    if origin.sources.is_empty() {
        return format!("scuba confirm {}", f.fingerprint);
    }
    let words = origin.sources.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(" ");
    let mut text = format!("scuba confirm {words}");
    if !origin.flags.is_empty() {
        let _ = write!(text, " -- {}", origin.flags.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{commands, quoted};
    use crate::kept::ReportOrigin;
    use finding::samples;

    #[test]
    fn sources_are_confirmed_as_they_were_checked_and_a_build_by_its_finding() {
        let mut f = samples::finding();
        f.fingerprint = "12ab".into();
        let of = |origin: &ReportOrigin| commands(&f, origin).into_iter().map(|(_, c)| c).collect::<Vec<_>>();
        assert_eq!(of(&ReportOrigin::default()), ["./app 1", "scuba confirm 12ab"]);
        let (sources, flags) = (vec!["my scale.cu".into()], vec!["-DN=1".into()]);
        let named = ReportOrigin { sources, flags, ..ReportOrigin::default() };
        assert_eq!(of(&named)[1], "scuba confirm 'my scale.cu' -- -DN=1");
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, shown) in
            [("a", "a"), ("", "''"), ("it's", "'it'\\''s'"), ("$x", "'$x'"), ("-arch=sm_80", "-arch=sm_80")]
        {
            assert_eq!(quoted(word), shown);
        }
    }
}
