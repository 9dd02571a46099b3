//! Standard output and standard error, and how strings are written to them.

use super::args::Colour;
use finding::{NotAnalysed, UnreadObject};
use nvcc::colour;
use report::assemble::Assembled;
use report::render::MessageFormat;
use report::sentences;
use std::collections::BTreeSet;
use std::io::Write;

/// Writes to standard output. A reader that has closed the pipe (`scuba explain … | head`) is no error.
pub fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes one block to standard error in a single call, so that lines of concurrent processes do not mix.
pub fn print_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a report: for machines to standard output, text to standard error, for people at the width of the terminal.
pub fn report(format: MessageFormat, text: &str) {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    match (format, width) {
        (MessageFormat::Human, Some(width)) => print_error(&report::wrap::wrap(text, width)),
        _ if format.is_for_machines() => print(text),
        _ => print_error(text),
    }
}

/// Writes one line of the tool's own to standard error.
pub fn complain(line: &str) {
    print_error(&format!("scuba: {line}\n"));
}

/// Whether text on standard error may be coloured.
#[must_use]
pub fn coloured(choice: Colour) -> bool {
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => colour::on_this_terminal(),
    }
}

/// Returns lines for a build log, one for each unit, without `error:`, which build tools search for.
#[must_use]
pub fn not_analysed_in_build(all: &[NotAnalysed]) -> Vec<String> {
    all.chunk_by(|a, b| a.file == b.file)
        .map(|unit| {
            let lines = not_analysed(unit);
            let about = format!("{}: ", unit[0].file);
            let more = lines.iter().skip(1).map(|line| line.strip_prefix(&about).unwrap_or(line));
            let line = lines.iter().take(1).map(String::as_str).chain(more).collect::<Vec<_>>().join("; ");
            harmless(&line).replace("error: ", "error ")
        })
        .collect()
}

/// Returns lines for users: one for each unit and reason, whether one side or both could not be read.
#[must_use]
pub fn not_analysed(all: &[NotAnalysed]) -> Vec<String> {
    let same = |a: &NotAnalysed, b: &NotAnalysed| a.file == b.file && a.reason == b.reason;
    all.chunk_by(same)
        .map(|sides| {
            let n = &sides[0];
            let reason = quoted(&shortened(&n.reason));
            match n.side.as_str() {
                side if side != "both" && sides.iter().all(|n| n.side == side) => {
                    format!("{}: {side} side not analysed: {reason}", n.file)
                }
                _ => format!("{}: not analysed: {reason}", n.file),
            }
        })
        .collect()
}

/// Longest reason in characters: a compiler may name things of any length.
const LONGEST_REASON: usize = 1000;

/// Leaves out the middle of a long reason.
fn shortened(reason: &str) -> std::borrow::Cow<'_, str> {
    if reason.chars().nth(LONGEST_REASON).is_none() {
        return reason.into();
    }
    let (begin, all) = (LONGEST_REASON / 2, reason.chars().count());
    let text = |from: usize, most: usize| reason.chars().skip(from).take(most).collect::<String>();
    format!("{} … {}", text(0, begin), text(all - begin, begin)).into()
}

/// Quotes a compiler's message in its own words, which people search for, and puts its position behind it: build tools
/// take `file:line:column: error:` for a message of their own compiler. Another reason stays as it is.
fn quoted(reason: &str) -> String {
    let at = [": fatal error: ", ": error: "].iter().find_map(|mark| reason.find(mark));
    match at.map(|at| (&reason[..at], &reason[at + 2..])) {
        Some((place, message)) if !message.contains(['`', '\n']) => format!("`{message}` at {place}"),
        _ => reason.to_owned(),
    }
}

/// Returns the line that says how to name folders of headers that were not found; `None` if none is missing.
#[must_use]
pub fn missing_headers<'a>(reasons: impl Iterator<Item = &'a str>) -> Option<String> {
    let name = |reason: &'a str| {
        let (_, rest) = reason.split_once(": fatal error: '")?;
        rest.strip_suffix("' file not found")
    };
    let names: BTreeSet<&str> = reasons.filter_map(name).collect();
    let all = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let were = if names.len() == 1 { "was" } else { "were" };
    (!names.is_empty()).then(|| {
        format!("{all} {were} not found: pass include folders after `--`, as to nvcc: `scuba check FILE -- -I FOLDER`")
    })
}

/// Number of objects that a line names.
const NAMED: usize = 3;

/// Returns lines for objects that were linked without being read: one for each program and reason.
#[must_use]
pub fn unseen(all: &[UnreadObject]) -> Vec<String> {
    all.chunk_by(|a, b| a.program == b.program && a.reason == b.reason)
        .map(|same| {
            let (program, reason) = (&same[0].program, &same[0].reason);
            let named: Vec<&str> = same.iter().take(NAMED).map(|u| u.object.as_str()).collect();
            let named = named.join(", ");
            match same.len() {
                1 => format!("{program}: {named} was linked without being read ({reason})"),
                n if n <= NAMED => format!("{program}: {named} were linked without being read ({reason})"),
                n => format!("{program}: {n} objects were linked without being read, among them {named} ({reason})"),
            }
        })
        .collect()
}

/// Returns lines on what a report does not cover: units that could not be analysed, objects that were linked without
/// being read, units outside of `[scope]`, findings that are left out.
#[must_use]
pub fn remarks(assembled: &Assembled) -> Vec<String> {
    let report = &assembled.report;
    let mut remarks = [not_analysed(&report.not_analysed), unseen(&report.unseen)].concat();
    remarks.extend(sentences::excluded_units(report.summary.excluded));
    remarks.extend(report.diff_base.as_ref().and_then(sentences::old_findings));
    remarks
}

/// Rewrites a line for a build log so that build tools do not take it for a compiler's message: they search for
/// `error` and `warning`. What is quoted keeps its words.
#[must_use]
pub fn harmless(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    let last = parts.len() - 1;
    // A backquote without its other half quotes nothing.
    let is_quoted = |i: usize| i % 2 == 1 && i < last;
    let text = |(i, part): (usize, &&str)| if is_quoted(i) { (*part).to_owned() } else { without_words(part) };
    parts.iter().enumerate().map(text).collect::<Vec<_>>().join("`").replace(char::is_control, " ")
}

/// Replaces the words that build tools search for.
fn without_words(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
        out.push_str(before);
        out.push_str(match &from[..end] {
            "error" | "Error" | "ERROR" => "fault",
            "errors" | "Errors" => "faults",
            "warning" | "Warning" | "WARNING" => "remark",
            "warnings" | "Warnings" => "remarks",
            word => word,
        });
        rest = &from[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{harmless, missing_headers, not_analysed, not_analysed_in_build};
    use finding::NotAnalysed;

    #[test]
    fn lines_for_build_logs_lack_the_words_that_build_tools_match() {
        assert_eq!(
            harmless("a.cu:3: error: no `cudaError_t`\nError 2 warnings"),
            "a.cu:3: fault: no `cudaError_t` fault 2 remarks"
        );
        assert_eq!(harmless(""), "");
        assert_eq!(harmless("`error` and error `error"), "`error` and fault `fault");
    }

    #[test]
    fn what_clang_says_keeps_its_words() {
        let said = |reason: &str| {
            let unit = NotAnalysed { file: "a.cu".into(), side: "both".into(), reason: reason.into() };
            harmless(&not_analysed(&[unit])[0])
        };
        assert_eq!(
            said("/p/a.cu:2:10: fatal error: 'heat.h' file not found"),
            "a.cu: not analysed: `fatal error: 'heat.h' file not found` at /p/a.cu:2:10"
        );
        let unit = NotAnalysed { file: "a.cu".into(), side: "both".into(), reason: "a.cu:2:1: error: no `x`".into() };
        let quoted = NotAnalysed { reason: "a.cu:2:1: error: no 'x'".into(), ..unit.clone() };
        assert_eq!(not_analysed_in_build(&[quoted]), ["a.cu: not analysed: `error no 'x'` at a.cu:2:1"]);
        assert_eq!(not_analysed_in_build(&[unit]), ["a.cu: not analysed: a.cu:2:1: fault: no `x`"]);
        assert_eq!(said("a.cu:3:1: error: no member `x`"), "a.cu: not analysed: a.cu:3:1: fault: no member `x`");
        assert_eq!(said("clang gave no error"), "a.cu: not analysed: clang gave no fault");
    }

    #[test]
    fn a_unit_has_one_short_line_in_a_build_log() {
        let side =
            |side: &str, reason: &str| NotAnalysed { file: "a.cu".into(), side: side.into(), reason: reason.into() };
        let both = [side("device", "one\u{1b}[1m"), side("host", "two")];
        assert_eq!(
            not_analysed_in_build(&both),
            ["a.cu: device side not analysed: one [1m; host side not analysed: two"]
        );
        let other = NotAnalysed { file: "b.cu".into(), ..both[0].clone() };
        assert_eq!(not_analysed_in_build(&[both[0].clone(), other]).len(), 2);
        let long = side("both", &format!("{}: undeclared", "é".repeat(100_000)));
        let line = &not_analysed_in_build(&[long])[0];
        assert!(line.chars().count() < 1100 && line.ends_with(": undeclared"), "{line}");
    }

    #[test]
    fn headers_that_were_not_found_are_named_once() {
        let not_found = |name: &str| format!("/p/a.cu:2:10: fatal error: '{name}' file not found");
        let all = [not_found("b.h"), not_found("a/a.h"), not_found("b.h"), "a.cu:1:1: error: x".to_owned()];
        let line = missing_headers(all.iter().map(String::as_str)).unwrap();
        assert!(line.starts_with("`a/a.h`, `b.h` were not found: pass include folders after `--`"), "{line}");
        assert_eq!(missing_headers(["error: x"].into_iter()), None);
    }
}
