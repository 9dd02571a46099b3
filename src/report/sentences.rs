//! Sentences of a finding, for services that show one text for each.

use super::human::notes;
use finding::{Finding, Verdict};

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
