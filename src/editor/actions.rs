//! Code actions: apply a fix, accept a finding with a comment, check the file now.

use super::protocol::CHECK_FILE;
use super::text::{ColumnUnit, column};
use super::view::{MarkKind, PresentLines, TextMark};
use finding::Finding;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, Diagnostic, Position, Range, TextEdit,
    Uri, WorkspaceEdit,
};
use std::collections::HashMap;

/// Reason in a comment that accepts a finding, for the user to replace.
const REASON: &str = "say why this is right";

/// Returns the actions for a range of a text.
#[must_use]
pub fn actions(
    params: &CodeActionParams,
    marks: &[TextMark<'_>],
    text: &str,
    unit: ColumnUnit,
) -> Vec<CodeActionOrCommand> {
    let uri = &params.text_document.uri;
    let wanted = |kind: &CodeActionKind| {
        params.context.only.as_ref().is_none_or(|only| only.iter().any(|o| kind.as_str().starts_with(o.as_str())))
    };
    let mut all = Vec::new();
    let (first, last) = (params.range.start.line, params.range.end.line);
    for mark in marks.iter().filter(|m| (first..=last).contains(&m.line) && wanted(&CodeActionKind::QUICKFIX)) {
        let MarkKind::Finding(f) = mark.kind else { continue };
        let told = diagnostics_of(f, &params.context.diagnostics);
        if let Some((title, edit)) = fix(f, mark, text, unit) {
            all.push(quick_fix(uri, title, edit, told.clone(), true));
        }
        if let Some(edit) = comment(f, mark, text) {
            let title = format!("Accept `{}` here with a comment", f.rule);
            all.push(quick_fix(uri, title, edit, told, false));
        }
    }
    if wanted(&CodeActionKind::SOURCE) {
        let title = "Check this file now".to_owned();
        let arguments = Some(vec![serde_json::Value::String(uri.as_str().to_owned())]);
        all.push(CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(CodeActionKind::SOURCE),
            command: Some(Command { title, command: CHECK_FILE.into(), arguments }),
            ..CodeAction::default()
        }));
    }
    all
}

fn diagnostics_of(f: &Finding, all: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_of = |d: &&Diagnostic| {
        d.data.as_ref().and_then(|v| v.get("fingerprint")).and_then(|v| v.as_str()) == Some(f.fingerprint.as_str())
    };
    all.iter().filter(is_of).cloned().collect()
}

#[expect(clippy::mutable_key_type, reason = "a URI never changes; the protocol's type has URIs as keys")]
fn quick_fix(
    uri: &Uri,
    title: String,
    edit: TextEdit,
    diagnostics: Vec<Diagnostic>,
    preferred: bool,
) -> CodeActionOrCommand {
    let changes = HashMap::from([(uri.clone(), vec![edit])]);
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(diagnostics).filter(|d| !d.is_empty()),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: Some(preferred),
        ..CodeAction::default()
    })
}

/// Returns the edit of a finding's fix, if its place is in the same file and still there.
fn fix(f: &Finding, mark: &TextMark<'_>, text: &str, unit: ColumnUnit) -> Option<(String, TextEdit)> {
    let fix = f.fix.as_ref()?;
    let p = &fix.position;
    if p.file != f.access.position.file {
        return None;
    }
    let present = PresentLines::of(mark.report, &p.file, text);
    let (line, _) = present.place(p.line, 0, None)?;
    let now = present.line(line + 1)?;
    let indent = |t: &str| t.len() - t.trim_start().len();
    let before = mark.report.checked(&p.file)?.line(p.line)?;
    // Columns of fixes count characters.
    let inside = usize::try_from(p.column).ok()?.checked_sub(1 + before[..indent(before)].chars().count())?;
    let byte = indent(now) + now.trim_start().chars().take(inside).map(char::len_utf8).sum::<usize>();
    let at = Position { line, character: column(now, byte, unit) };
    let statement = fix.text.trim();
    Some((
        format!("Insert the missing check `{statement}`"),
        TextEdit { range: Range { start: at, end: at }, new_text: fix.text.clone() },
    ))
}

/// Returns the edit that inserts a comment above a finding's line; none inside a macro, which a comment would end.
fn comment(f: &Finding, mark: &TextMark<'_>, text: &str) -> Option<TextEdit> {
    if f.access.position.line == 0 {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let line = mark.line as usize;
    let here = lines.get(line)?;
    if line > 0 && lines[line - 1].trim_end().ends_with('\\') {
        return None;
    }
    let indent = &here[..here.len() - here.trim_start().len()];
    let at = Position { line: mark.line, character: 0 };
    Some(TextEdit {
        range: Range { start: at, end: at },
        new_text: format!("{indent}// scuba: allow({}) {REASON}\n", f.rule),
    })
}
