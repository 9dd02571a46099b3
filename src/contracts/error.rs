//! Errors in contracts.
//!
//! In: a span of the text, a message and advice. Out: the same for people, with the text below it.

use super::ast::Span;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// An error in a contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct ContractError {
    /// Span of the contract's text; empty at its end.
    pub span: Span,
    /// Description of the error.
    pub message: String,
    /// Advice: what is allowed, or the nearest name.
    pub help: String,
}

impl ContractError {
    pub(super) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into() }
    }

    /// Renders the error with its text. `origin` is the text's source (`scuba.toml`, a source file), `line` its first
    /// line there, from 1.
    #[must_use]
    pub fn render(&self, text: &str, origin: &str, line: usize) -> String {
        let boundary = |at: usize| (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at));
        let start = boundary(self.span.start).unwrap_or_default();
        let end = boundary(self.span.end.max(start)).unwrap_or(text.len());
        let snippet = Snippet::source(text).path(origin).line_start(line);
        let report = Level::ERROR
            .primary_title(self.message.as_str())
            .element(snippet.annotation(AnnotationKind::Primary.span(start..end)))
            .element(Level::HELP.message(self.help.as_str()));
        Renderer::plain().render(&[report])
    }
}

/// The known name that was probably meant, by Damerau-Levenshtein distance: at most a third of the letters differ.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = name.chars().count().max(3) / 3;
    known
        .into_iter()
        .map(|k| (strsim::osa_distance(&name.to_lowercase(), &k.to_lowercase()), k))
        .filter(|(d, k)| *d <= far && *d < k.chars().count())
        .min()
        .map(|(_, k)| k)
}

/// `did you mean …`, otherwise a list of the known names.
#[must_use]
pub(super) fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone, what: &str) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("did you mean `{near}`?");
    }
    let names: Vec<_> = known.into_iter().take(8).map(|k| format!("`{k}`")).collect();
    if names.is_empty() { format!("there are no {what}") } else { format!("{what} are {}", names.join(", ")) }
}
