//! A finding as the page shows it: the witness first, then drawings, sources and notes.

use super::allocation::{self, ByteDrawing};
use super::excerpt::{self, SourceRow};
use super::threads::{self, CellMap};
use super::{class_of, id_of_finding, id_of_line, run};
use crate::human::{help, notes};
use crate::kept::ReportOrigin;
use crate::short::word;
use base::rules::Level;
use finding::sources::SourceFiles;
use finding::steps::{Step, StepKind};
use finding::{Finding, Position, SAME_CHECK};

/// A finding, all texts ready.
#[derive(Debug)]
pub struct FindingView {
    pub id: String,
    pub rule: String,
    pub title: String,
    pub level: &'static str,
    pub level_word: &'static str,
    pub verdict: &'static str,
    pub message: String,
    pub file: String,
    pub place: String,
    /// Anchor of the place in the marked sources.
    pub link: String,
    pub kernel: String,
    pub root: String,
    pub program: String,
    pub witness: Option<WitnessView>,
    pub steps: Vec<StepView>,
    pub bytes: Option<ByteDrawing>,
    pub maps: Vec<CellMap>,
    pub excerpts: Vec<ExcerptView>,
    pub notes: Vec<String>,
    pub fix: Option<(String, String)>,
}

/// Inputs that lead to the finding, and what they do.
#[derive(Debug)]
pub struct WitnessView {
    pub inputs: Vec<(String, String)>,
    pub commands: Vec<(&'static str, String)>,
    pub text: Vec<String>,
}

/// A step from the input to the byte.
#[derive(Debug)]
pub struct StepView {
    pub message: String,
    pub place: String,
    pub link: String,
}

/// An excerpt that folds.
#[derive(Debug)]
pub struct ExcerptView {
    pub place: String,
    pub what: String,
    pub link: String,
    pub rows: Vec<SourceRow>,
}

impl FindingView {
    #[must_use]
    pub fn of(f: &Finding, origin: &ReportOrigin, sources: &SourceFiles, linked: &dyn Fn(&str, u32) -> bool) -> Self {
        let anchor = |p: &Position| if linked(&p.file, p.line) { id_of_line(&p.file, p.line) } else { String::new() };
        let mut notes = notes(f);
        let witness = f.witness.as_ref().map(|w| WitnessView {
            inputs: inputs(f, w),
            commands: run::commands(f, origin),
            // The first note is the counterexample, which steps tell better.
            text: Some(notes.remove(0))
                .filter(|_| f.steps.is_empty())
                .iter()
                .flat_map(|n| n.lines())
                .map(capital)
                .collect(),
        });
        // The head of the article has the place.
        notes.retain(|n| !n.starts_with("in `") || n.contains("; "));
        notes.push(help(f));
        // The witness has lists of its inputs.
        let told = |s: &&Step| f.witness.is_none() || s.kind != StepKind::Input;
        let steps = f.steps.iter().filter(told).map(|s| StepView {
            message: s.message.clone(),
            place: s.position.as_ref().map(ToString::to_string).unwrap_or_default(),
            link: s.position.as_ref().map(&anchor).unwrap_or_default(),
        });
        Self {
            id: id_of_finding(f),
            rule: f.rule.to_string(),
            title: f.rule.title().to_owned(),
            level: match f.level {
                Level::Deny => "deny",
                Level::Warn => "warn",
                Level::Note | Level::Allow => "note",
            },
            level_word: word(f.level),
            verdict: class_of(f.verdict),
            message: f.message.clone(),
            file: f.access.position.file.clone(),
            place: f.access.position.to_string(),
            link: anchor(&f.access.position),
            kernel: f.access.kernel.clone(),
            root: f.root.clone(),
            program: f.program.clone(),
            witness,
            steps: steps.collect(),
            bytes: allocation::draw(f),
            maps: threads::draw(f),
            excerpts: excerpts(f, sources, &anchor),
            notes,
            fix: f.fix.as_ref().map(|x| (x.position.to_string(), x.text.trim().to_owned())),
        }
    }
}

fn capital(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Returns the inputs: tensors whole, then the other values.
fn inputs(f: &Finding, w: &finding::Witness) -> Vec<(String, String)> {
    let of_tensor = |name: &str| {
        let name = name.strip_prefix("extent(").unwrap_or(name);
        f.arguments.keys().any(|t| name.strip_prefix(t.as_str()).is_some_and(|rest| rest.starts_with('.')))
    };
    let tensors = f.arguments.iter().map(|(name, t)| (name.clone(), t.to_string()));
    let others = w.inputs.iter().filter(|i| !of_tensor(&i.name)).map(|i| (i.name.clone(), i.value.clone()));
    tensors.chain(others).collect()
}

fn excerpts(f: &Finding, sources: &SourceFiles, anchor: &dyn Fn(&Position) -> String) -> Vec<ExcerptView> {
    let array = Some(f.access.array.as_str());
    let view = |p: &Position, what: String, mark| ExcerptView {
        place: p.to_string(),
        what,
        link: anchor(p),
        rows: excerpt::around(&p.file, (p.line, p.column), mark, sources),
    };
    let at = &f.access.position;
    let index = if f.access.index.is_empty() { String::new() } else { format!(", index {}", f.access.index) };
    let mut all = vec![view(at, format!("{}{index}", f.access.array), (array, class_of(f.verdict)))];
    let mut add = |file: &str, line, column, what: String| {
        let p = Position { file: file.to_owned(), line, column };
        if !file.is_empty() && p != *at {
            all.push(view(&p, what, (None, "note")));
        }
    };
    if let Some(a) = &f.allocation {
        add(&a.file, a.line, a.column, format!("allocation: {} bytes", a.extent));
    }
    if let Some(l) = &f.launch {
        let shared =
            if matches!(l.shared.as_str(), "" | "0") { String::new() } else { format!(", shared {}", l.shared) };
        add(&l.file, l.line, l.column, format!("launch: grid {}, block {}{shared}", l.grid, l.block));
    }
    for r in f.related.iter().filter(|r| r.what != SAME_CHECK) {
        add(&r.position.file, r.position.line, r.position.column, r.what.clone());
    }
    all
}
