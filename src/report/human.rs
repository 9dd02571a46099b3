//! Renders text in the style of rustc: excerpts of the source with the access, its allocation and its launch, and the
//! counterexample.

use super::assemble::Assembled;
use super::short::word;
use super::span;
use super::style::{Style, Verbosity};
use super::undecided;
use annotate_snippets::{AnnotationKind, Element, Group, Level as Paint, Origin, Renderer, Snippet};
use base::rules::{Help, Level, Rule};
use contracts::ast::CondKind;
use finding::sources::SourceFiles;
use finding::{Direction, Finding, MemorySpace, Position, Replay, SAME_CHECK, Summary, Verdict, Witness};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;
use std::rc::Rc;

/// Largest number of lines of one file that a note lists.
const LINES: usize = 8;

/// The `human` renderer.
#[derive(Debug)]
pub struct HumanRenderer<'a> {
    pub style: Style,
    pub sources: &'a SourceFiles,
}

/// A labelled position in a file.
struct SourceLabel {
    line: u32,
    column: u32,
    label: String,
    primary: bool,
    array: Option<String>,
}

impl HumanRenderer<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write(&self, assembled: &Assembled, out: &mut dyn Write) -> io::Result<()> {
        let report = &assembled.report;
        let renderer = if self.style.colour { Renderer::styled() } else { Renderer::plain() };
        let mut told = BTreeSet::new();
        for f in report.findings.iter().filter(|f| self.style.verbosity > Verbosity::Quiet || f.level == Level::Deny) {
            let comments = assembled.comments.iter().filter(|(of, _)| *of == f.fingerprint);
            let comments: Vec<&str> = comments.map(|(_, n)| n.message.as_str()).collect();
            writeln!(out, "{}\n", self.finding(f, &comments, &mut told, &renderer))?;
        }
        if self.style.verbosity == Verbosity::Verbose {
            undecided::write(report, true, out)?;
            for s in &assembled.suppressed {
                let p = &s.finding.access.position;
                let by = match &s.by {
                    super::suppress::SuppressionReason::Comment { reason } => format!("by a comment: {reason}"),
                    super::suppress::SuppressionReason::Path { reason } => format!("by scuba.toml: {reason}"),
                    super::suppress::SuppressionReason::Baseline => "by the baseline".to_owned(),
                };
                writeln!(out, "accepted: {}: {} {by}", p, s.finding.rule)?;
            }
        }
        if self.style.summary && self.style.verbosity == Verbosity::Normal {
            undecided::write(report, false, out)?;
        }
        if self.style.summary && self.style.verbosity > Verbosity::Quiet {
            writeln!(out, "{}", line_of_counts(assembled, self.style.verbosity))?;
        }
        Ok(())
    }

    /// Returns the note that a finding was not confirmed; none with a summary, which states it once for all findings.
    fn unconfirmed(&self, f: &Finding) -> Option<String> {
        f.confirmation_not_run.as_deref().filter(|_| !self.style.summary).map(not_run)
    }

    /// Renders a finding, with notes on comments beside it. Assumptions that were `told` are not told again.
    fn finding(&self, f: &Finding, comments: &[&str], told: &mut BTreeSet<String>, renderer: &Renderer) -> String {
        let paint = match f.level {
            Level::Deny => Paint::ERROR,
            Level::Warn => Paint::WARNING,
            Level::Note | Level::Allow => Paint::NOTE,
        };
        let texts: Vec<(String, Option<Rc<str>>, Vec<SourceLabel>)> = by_file(f)
            .into_iter()
            .map(|(file, marks)| {
                let text = self.sources.text(&file);
                (file, text, marks)
            })
            .collect();
        let mut group: Group<'_> =
            paint.primary_title(&f.message).id(f.rule.name()).elements(std::iter::empty::<Element<'_>>());
        for (file, text, marks) in &texts {
            group = match text.as_deref().and_then(|t| excerpt(file, t, marks)) {
                Some(snippet) => group.element(snippet),
                None => marks.iter().fold(group, |g, m| {
                    let mut origin = Origin::path(file.as_str());
                    if m.line > 0 {
                        origin = origin.line(m.line as usize);
                    }
                    if m.column > 0 {
                        origin = origin.char_column(m.column as usize);
                    }
                    // Without the source text the label has no excerpt to refer to.
                    g.element(origin).element(Paint::NOTE.message(m.label.clone()))
                }),
            };
        }
        let steps = Some(steps(f)).filter(|s| self.style.verbosity == Verbosity::Verbose && !s.is_empty());
        let comments = comments.iter().map(|c| (*c).to_owned());
        let mut notes = once(notes(f), told).into_iter().chain(steps).chain(comments).chain(self.unconfirmed(f));
        // The first note names the inputs that the command has.
        let example = f.witness.as_ref().and_then(|_| notes.next()).map(|note| Paint::NOTE.message(note));
        let command = f.command().map(|command| Paint::NOTE.with_name("run").message(command));
        for message in example.into_iter().chain(command).chain(notes.map(|note| Paint::NOTE.message(note))) {
            group = group.element(message);
        }
        group = group.element(Paint::HELP.message(help(f)));
        renderer.render(&[group])
    }
}

/// Start of a note on an assumption.
const ASSUMING: &str = "assuming ";

/// Replaces notes on assumptions that were told at an earlier finding by one note that refers to them.
fn once(notes: Vec<String>, told: &mut BTreeSet<String>) -> Vec<String> {
    let (mut out, mut again) = (vec![], 0);
    for note in notes {
        if note.starts_with(ASSUMING) && !told.insert(note.clone()) {
            again += 1;
            if again == 1 {
                out.push(String::new());
            }
            continue;
        }
        out.push(note);
    }
    if let Some(note) = out.iter_mut().find(|n| n.is_empty()) {
        note.push_str(if again == 1 { "under an assumption told above" } else { "under assumptions told above" });
    }
    out
}

/// Returns the note that no device was used, which is the same for every finding.
#[must_use]
pub fn not_run(why: &str) -> String {
    format!("hardware confirmation was not run: {why}")
}

/// Returns the positions to show, the file of the access first.
fn by_file(f: &Finding) -> Vec<(String, Vec<SourceLabel>)> {
    let a = &f.access;
    let mut files = vec![(
        a.position.file.clone(),
        vec![SourceLabel {
            line: a.position.line,
            column: a.position.column,
            label: label(f),
            primary: true,
            array: Some(a.array.clone()),
        }],
    )];
    let mut add = |file: &str, line: u32, column: u32, label: String| {
        if file.is_empty() || line == 0 {
            return;
        }
        let mark = SourceLabel { line, column, label, primary: false, array: None };
        match files.iter_mut().find(|(name, _)| name == file) {
            Some((_, marks)) => marks.push(mark),
            None => files.push((file.to_owned(), vec![mark])),
        }
    };
    if let Some(al) = &f.allocation {
        let partition = a.partition.as_ref().map_or(String::new(), |p| format!("; `{}` is its part {p}", a.array));
        let how = match a.space {
            MemorySpace::Shared | MemorySpace::Local | MemorySpace::Constant => "declared",
            _ if al.is_given() => "given",
            _ => "allocated",
        };
        add(&al.file, al.line, al.column, format!("{how} here: {} bytes{partition}", code(&al.extent)));
    }
    // Code that is not the user's is named but not shown.
    for r in f.related.iter().filter(|r| !r.inner && r.what != SAME_CHECK) {
        add(&r.position.file, r.position.line, r.position.column, r.what.clone());
    }
    if let Some(l) = f.launch.as_ref().filter(|_| !at_launch(f)) {
        let shared = if matches!(l.shared.as_str(), "" | "0") {
            String::new()
        } else {
            format!(", shared memory {} bytes", code(&l.shared))
        };
        add(
            &l.file,
            l.line,
            l.column,
            format!("launched here: grid {}, block {}{shared}", code(&l.grid), code(&l.block)),
        );
    }
    files
}

/// Returns the label of the finding's own position.
fn label(f: &Finding) -> String {
    let a = &f.access;
    if f.rule == Rule::DoubleFree {
        // "Here" means nothing without a line.
        return if a.position.line == 0 {
            format!("`{}` is freed again in `{}`", a.array, a.kernel)
        } else {
            "freed again here".into()
        };
    }
    if f.rule == Rule::FalseAssumption {
        return "does not hold".into();
    }
    if f.rule == Rule::Contract && a.position.line == 0 {
        return format!("`{}` does not hold in `{}`", a.array, a.kernel);
    }
    if f.rule == Rule::Contract {
        return format!("`{}` does not hold here", f.access.array);
    }
    if at_launch(f) && a.position.line == 0 {
        return format!("`{}` is launched with `{}`", a.kernel, a.array);
    }
    if at_launch(f) {
        return format!("launched with `{}` here", a.array);
    }
    let verb = match a.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Atomic => "atomic access",
    };
    let mut label = format!("{verb} of {}", bytes(a.bytes));
    if !a.index.is_empty() {
        let _ = write!(label, " at `{}`", subscript(&a.array, &a.index));
    }
    label
}

/// Whether the finding is about a launch rather than about an access in its kernel.
fn at_launch(f: &Finding) -> bool {
    let p = &f.access.position;
    f.launch.as_ref().is_some_and(|l| (&l.file, l.line, l.column) == (&p.file, p.line, p.column))
}

/// Formats `a[i]`; an index already in brackets stays as it is.
fn subscript(array: &str, index: &str) -> String {
    if index.starts_with('[') { format!("{array}{index}") } else { format!("{array}[{index}]") }
}

/// Quotes an expression within a sentence; a number stays unquoted.
fn code(expression: &str) -> String {
    if expression.bytes().all(|b| b.is_ascii_digit()) { expression.to_owned() } else { format!("`{expression}`") }
}

fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

/// Renders the excerpt of one file; `None` if the file no longer has such a line.
fn excerpt<'a>(
    file: &'a str,
    text: &'a str,
    marks: &'a [SourceLabel],
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut snippet = Snippet::source(text).path(file).line_start(1);
    for m in marks {
        let kind = if m.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        snippet = snippet.annotation(kind.span(range(text, m)?).label(m.label.as_str()));
    }
    Some(snippet)
}

/// Returns the byte range of a mark within the whole text.
fn range(text: &str, mark: &SourceLabel) -> Option<Range<usize>> {
    let index = usize::try_from(mark.line).ok()?.checked_sub(1)?;
    let line = text.split_inclusive('\n').nth(index)?;
    // `line` is a slice of `text`.
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let within = span::expression(line.trim_end_matches(['\n', '\r']), mark.column, mark.array.as_deref());
    Some(start + within.start..start + within.end)
}

pub(super) fn notes(f: &Finding) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(w) = &f.witness {
        notes.push(counterexample(f, w));
    }
    let mut place = format!("in `{}`, reached from `{}`", f.access.kernel, f.root);
    if !f.program.is_empty() {
        let _ = write!(place, " of `{}`", f.program);
    }
    if f.occurrences > 1 {
        let _ = write!(place, "; {} launches or instances share it", f.occurrences);
    }
    notes.push(place);
    // The message already names a host call.
    let inner = f.related.iter().rfind(|r| r.inner && f.launch.is_some());
    notes.extend(inner.map(|r| {
        let p = &r.position;
        format!("{}, at {}:{}", r.what, p.file.rsplit('/').next().unwrap_or_default(), p.line)
    }));
    notes.extend(also_unchecked(f));
    if f.verdict == Verdict::Possible {
        notes.push(match f.witness.as_ref().map(|w| w.replay) {
            Some(Replay::Incomplete) => "possible, not proved: the replay of this input could not be completed".into(),
            Some(Replay::NotReached) => {
                "possible, not proved: the replay of this input did not reach the access".into()
            }
            _ => "possible, not proved".into(),
        });
    }
    if f.degenerate {
        notes.push("happens only with an empty allocation or a size below 1".into());
    }
    notes.extend(f.assumptions.iter().map(|a| format!("{ASSUMING}{a}")));
    notes.extend(f.unknowns.iter().map(|u| format!("not known: {u}")));
    if let Some(c) = &f.confirmation {
        let mut line = format!("{} by {} on {}", c.status, c.by, c.device);
        if !c.detail.is_empty() {
            let _ = write!(line, ": {}", c.detail);
        }
        notes.push(line);
    }
    notes
}

/// Returns the numbered steps from the inputs to the byte, one a line, each with its place.
fn steps(f: &Finding) -> String {
    let mut text = String::new();
    for (number, s) in (1..).zip(&f.steps) {
        let place = s.position.as_ref().map(|p| {
            let name = p.file.rsplit('/').next().unwrap_or(&p.file);
            if p.line == 0 { format!(" ({name})") } else { format!(" ({name}:{})", p.line) }
        });
        let start = if number == 1 { "step by step:" } else { "" };
        let _ = write!(text, "{start}\n{number}. {}{}", s.message, place.unwrap_or_default());
    }
    text
}

/// Returns a note about the other accesses that the finding's check would fix.
fn also_unchecked(f: &Finding) -> Option<String> {
    let mut lines: Vec<(&str, Vec<u32>)> = vec![];
    let all: Vec<&Position> = f.related.iter().filter(|r| r.what == SAME_CHECK).map(|r| &r.position).collect();
    for p in &all {
        match lines.iter_mut().find(|(file, _)| *file == p.file) {
            Some((_, known)) if known.contains(&p.line) => {}
            Some((_, known)) => known.push(p.line),
            None => lines.push((&p.file, vec![p.line])),
        }
    }
    let in_file = |(file, lines): &(&str, Vec<u32>)| {
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut shown: Vec<String> = lines.iter().filter(|l| **l > 0).take(LINES).map(ToString::to_string).collect();
        if lines.len() > LINES {
            shown.push("…".into());
        }
        format!("{name}:{}", shown.join(", "))
    };
    let places = lines.iter().map(in_file).collect::<Vec<_>>().join("; ");
    let accesses = if all.len() == 1 { "one other access".into() } else { format!("{} other accesses", all.len()) };
    (!all.is_empty()).then(|| format!("the same check is missing for {accesses}: {places}"))
}

fn counterexample(f: &Finding, w: &Witness) -> String {
    let mut text = String::new();
    if w.inputs.is_empty() {
        text.push_str("whatever the input");
    } else {
        let tensors = f.arguments.iter().map(|(name, tensor)| format!("{name}: {tensor}"));
        let numbers = f.inputs_outside_tensors().map(|i| format!("{} = {}", i.name, i.value));
        let inputs: Vec<String> = tensors.chain(numbers).collect();
        let _ = write!(text, "for example with {}", inputs.join(", "));
    }
    if f.rule == Rule::DoubleFree {
        return text;
    }
    if f.launch.is_some() {
        let _ = write!(text, ": grid {}, thread {} of block {}", triple(w.grid), triple(w.thread), triple(w.block));
    }
    // The address of null or of host memory tells users nothing.
    if matches!(f.rule, Rule::InvalidPointer | Rule::FalseAssumption | Rule::Contract) {
        return text;
    }
    let width = i64::try_from(f.access.bytes).unwrap_or(i64::MAX);
    let end = w.offset_bytes.saturating_add(width);
    let extent = w.extent_bytes;
    let (first, last) = (w.offset_bytes, end.saturating_sub(1));
    let bytes = if width <= 1 { format!("byte {first}") } else { format!("bytes {first} to {last}") };
    let _ = write!(text, "\naccesses {bytes} of `{}`, which has {extent} bytes", f.access.array);
    if f.rule == Rule::UseAfterFree {
        text.push_str(" and was freed");
    }
    if f.access.partition.is_some() {
        text.push_str(" in this part");
    }
    text
}

/// Returns words as a list: `a, b and c`.
pub(super) fn list<T: AsRef<str>>(all: &[T]) -> String {
    let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
    match all.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

fn triple([x, y, z]: [u64; 3]) -> String {
    format!("({x}, {y}, {z})")
}

pub(super) fn help(f: &Finding) -> String {
    let array = &f.access.array;
    let first = match f.rule {
        Rule::UncheckedArgument if f.missing_check.as_ref().is_some_and(|m| m.contract) => {
            return contract_of_callers(f);
        }
        Rule::UncheckedArgument if !f.arguments.is_empty() => missing_check(f),
        Rule::UncheckedArgument if f.launch.is_none() => {
            "copy at most as many bytes as the smaller side has, or reject such arguments before".into()
        }
        Rule::DataIndex if f.missing_check.is_some() || f.tensors_read().next().is_some() => missing_check(f),
        Rule::Misaligned if let Some(m) = &f.missing_check => {
            format!(
                "rows and offsets are aligned where `{}`; take another path, or reject the call, where it does not hold",
                m.condition
            )
        }
        // No wider type holds the number. What wraps stands in the message alone.
        Rule::IndexOverflow if f.message.contains("64-bit integer") => {
            "reject such numbers before they are computed with: compare with a difference (`from <= n - len`)".into()
        }
        Rule::InvalidPointer if let Some(variable) = f.never_set() => format!("set `{variable}` before it is used"),
        rule => match rule.info().help {
            Help::Text(text) => text.replace("{array}", array),
            Help::Index => check_of_index(f),
        },
    };
    let separator = if first.contains('\n') { "\n" } else { "; " };
    format!("{first}{separator}see `scuba explain {}`", f.rule)
}

fn check_of_index(f: &Finding) -> String {
    let (array, index) = (&f.access.array, &f.access.index);
    let check = if index.is_empty() {
        format!("check the index into `{array}`")
    } else {
        // `[i].x` alone is no expression.
        let index = if index.starts_with('[') { subscript(array, index) } else { index.clone() };
        format!("check `{index}` against the size of `{array}`")
    };
    // If no input makes a difference, none can be rejected.
    let reject = f.witness.as_ref().is_none_or(|w| !w.inputs.is_empty());
    if reject { format!("{check}, or reject such inputs before the launch") } else { check }
}

/// Returns the help about extents that only a contract can state: a table for scuba.toml.
fn contract_of_callers(f: &Finding) -> String {
    let function = f.root.split('(').next().unwrap_or(&f.root);
    let condition = f.missing_check.as_ref().map_or("", |m| m.condition.as_str());
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let parts: Vec<String> = match contracts::parse(condition).map(|c| c.kind) {
        Ok(CondKind::And(all)) => all.iter().map(|c| quoted(&c.to_string())).collect(),
        _ => vec![quoted(condition)],
    };
    let (name, requires) = (quoted(function), parts.join(", "));
    format!(
        "no code can check it; state in scuba.toml what callers of `{function}` owe (see `scuba explain {}`):\n[[contract]]\n\
         function = {name}\nrequires = [{requires}]",
        f.rule
    )
}

/// Returns the help about a check of tensors that an operator lacks.
fn missing_check(f: &Finding) -> String {
    if let Some(m) = &f.missing_check {
        let function = f.root.split('(').next().unwrap_or(&f.root);
        return match m.statements() {
            Some(all) if all.len() > 1 => format!("`{function}` does not check it:\n{}", all.join("\n")),
            Some(all) => format!("`{function}` does not check it: `{}`", all.join(" ")),
            None => format!("`{function}` relies on `{}`", m.condition),
        };
    }
    let quoted = |n: &str| format!("`{n}`");
    if f.rule == Rule::DataIndex {
        let function = f.root.split('(').next().unwrap_or(&f.root);
        let read = f.tensors_read().map(quoted).collect::<Vec<_>>().join(" and ");
        return format!(
            "`{function}` relies on the contents of {read}: check them, or reject such tensors before the launch"
        );
    }
    let tensors = f.arguments.keys().map(|n| quoted(n));
    let numbers: Vec<String> = f.inputs_outside_tensors().map(|i| quoted(&i.name)).collect();
    let types: BTreeSet<&str> = f.arguments.values().map(|t| t.dtype.as_str()).collect();
    // Of one tensor, its type may be what is wrong.
    let of_types = if f.arguments.len() == 1 { ("element type", true) } else { ("element types", types.len() > 1) };
    let properties = [("sizes", true), of_types, ("values", !numbers.is_empty())];
    let properties: Vec<&str> = properties.into_iter().filter(|(_, has)| *has).map(|(what, _)| what).collect();
    let names: Vec<String> = tensors.chain(numbers).collect();
    let together = if names.len() == 1 { "are those that the kernel assumes" } else { "fit together" };
    format!("check before the launch that the {} of {} {together}", list(&properties), list(&names))
}

/// Returns the last line, with the counts, where undecided accesses are not listed.
pub(super) fn summary_line(assembled: &Assembled) -> String {
    line_of_counts(assembled, Verbosity::Normal)
}

fn line_of_counts(assembled: &Assembled, verbosity: Verbosity) -> String {
    let report = &assembled.report;
    let s = &report.summary;
    let mut parts = Vec::new();
    for level in [Level::Deny, Level::Warn, Level::Note] {
        let n = report.findings.iter().chain(&assembled.told_before).filter(|f| f.level == level).count();
        if n > 0 {
            parts.push(plural(n as u64, word(level)));
        }
    }
    let mut line =
        if parts.is_empty() { "scuba: no findings".to_owned() } else { format!("scuba: {}", parts.join(", ")) };
    if s.programs > 1 {
        let denied = report.findings.iter().chain(&assembled.told_before).filter(|f| f.level == Level::Deny);
        let names: BTreeSet<String> = denied.map(|f| format!("`{}`", f.program)).collect();
        let names: Vec<String> = names.into_iter().collect();
        if !names.is_empty() {
            let _ = write!(line, " ({} {})", list(&names), if names.len() == 1 { "fails" } else { "fail" });
        }
    }
    if !assembled.suppressed.is_empty() {
        let _ = write!(line, ", {} accepted", assembled.suppressed.len());
    }
    let _ = write!(line, "; {}", counts(s, verbosity));
    line
}

fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn counts(s: &Summary, verbosity: Verbosity) -> String {
    // With `-v` the lines that are referred to are there.
    let hint = |words: &'static str| if verbosity == Verbosity::Verbose { "" } else { words };
    let undecided = format!("undecided{}", hint(" (-v says why)"));
    let accesses = if s.accesses == 1 { "1 access".into() } else { format!("{} accesses", s.accesses) };
    let mut text = format!("{accesses} in {}", plural(u64::from(s.kernels), "kernel"));
    let classes: Vec<String> = [
        (s.safe, "safe"),
        (s.safe_if_no_wrap, "safe unless an index wraps"),
        (s.proved, "proved wrong"),
        (s.possible, "possibly wrong"),
        (s.unknown, undecided.as_str()),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{n} {what}"))
    .collect();
    if !classes.is_empty() {
        let _ = write!(text, ": {}", classes.join(", "));
    }
    if s.safe_assuming > 0 {
        let which = if s.safe_if_no_wrap == 0 { "the safe ones" } else { "the safe ones of both kinds" };
        let lists = hint(" (-v lists them)");
        let _ = write!(text, "; {} of {which} only under an assumption{lists}", s.safe_assuming);
    }
    if s.not_analysed > 0 {
        let _ = write!(text, "; {} not analysed", plural(u64::from(s.not_analysed), "side"));
    }
    if s.built_without_analysis > 0 {
        let _ = write!(text, "; {} built without the analysis", plural(u64::from(s.built_without_analysis), "unit"));
    }
    if s.unseen > 0 {
        let _ = write!(text, "; {} linked without being read", plural(u64::from(s.unseen), "object"));
    }
    let _ = write!(text, " ({:.1} s)", s.seconds);
    text
}
