//! Sentences of a finding, for services that show one text for each.

use super::human::notes;
use finding::{DiffBase, Finding, Verdict};

/// Returns a text that begins with a capital letter and ends with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let mut sentence: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    sentence.push_str(letters.as_str());
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

/// Returns what goes wrong, and then for which input; each is one line. The first sentence stands alone in lists.
pub(super) fn of(f: &Finding) -> Vec<String> {
    let plain = |text: &str| sentence(&text.replace(['\n', '\r'], " "));
    let a = &f.access;
    let mut sentences = vec![plain(&f.message)];
    if a.position.line == 0 {
        sentences.push(plain(&format!("it is `{}[{}]` in `{}`", a.array, a.index, a.kernel)));
    }
    // The first note of a finding with a witness is its counterexample.
    if let Some(counterexample) = f.witness.as_ref().and_then(|_| notes(f).into_iter().next()) {
        sentences.push(plain(&counterexample));
    }
    if f.verdict == Verdict::Possible {
        sentences.push("This is possible, not proved.".into());
    }
    sentences
}

/// Returns the line on units outside of `[scope]`, if there are some.
#[must_use]
pub fn excluded_units(number: u32) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 unit is outside of [scope]".to_owned()),
        n => Some(format!("{n} units are outside of [scope]")),
    }
}

/// Returns the line on findings that `--diff-base` leaves out, if there are some.
#[must_use]
pub fn old_findings(base: &DiffBase) -> Option<String> {
    let revision = &base.revision;
    match base.left_out {
        0 => None,
        1 => Some(format!("1 finding on lines that did not change since {revision} is not shown")),
        n => Some(format!("{n} findings on lines that did not change since {revision} are not shown")),
    }
}
