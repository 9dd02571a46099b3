//! Undecided accesses by cause, each with what decides it.
//!
//! In: the undecided accesses of a report. Out: causes in the order of their weight, and their lines. By default a few
//! causes, with `-v` all of them with their places.

use super::human::list;
use finding::{ReasonCode, Report, Undecided};
use std::io::{self, Write};

/// Most causes that are told by default.
const CAUSES: usize = 3;
/// Most files that an advice names.
const FILES: usize = 3;
/// Most further arrays that a cause names.
const NAMES: usize = 3;

/// A cause that leaves accesses undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndecidedCause<'a> {
    pub code: ReasonCode,
    /// Reason of the first place; others differ in numbers, and in the name of the accessed array, at most.
    pub reason: &'a str,
    /// Advice that decides it, in a line.
    pub advice: String,
    pub places: Vec<&'a Undecided>,
}

/// Groups the undecided accesses of a report: the cause of most accesses first, equal ones in the order of their
/// places.
#[must_use]
pub fn causes(report: &Report) -> Vec<UndecidedCause<'_>> {
    let mut out: Vec<(String, UndecidedCause<'_>)> = vec![];
    for u in &report.undecided {
        let key = without_numbers(&without_array(&u.reason, &u.array));
        match out.iter_mut().find(|(known, c)| *known == key && c.code == u.code) {
            Some((_, cause)) => cause.places.push(u),
            None => out.push((
                key,
                UndecidedCause { code: u.code, reason: &u.reason, advice: String::new(), places: vec![u] },
            )),
        }
    }
    let mut out: Vec<UndecidedCause<'_>> = out.into_iter().map(|(_, cause)| cause).collect();
    for cause in &mut out {
        cause.advice = advice(report, cause);
    }
    out.sort_by_key(|c| std::cmp::Reverse(c.places.len()));
    out
}

/// Returns a reason without the name of the accessed array: the same is missing of each.
fn without_array(reason: &str, array: &str) -> String {
    let base = array.split(['[', '.']).next().unwrap_or(array);
    reason.replace(&format!("`{array}`"), "``").replace(&format!("`{base}`"), "``")
}

/// Returns the arrays of a cause whose reason names the accessed array, without that of its first place.
fn other_arrays(cause: &UndecidedCause<'_>) -> Vec<String> {
    let Some(first) = cause.places.first() else { return vec![] };
    if without_array(cause.reason, &first.array) == cause.reason {
        return vec![];
    }
    let mut out: Vec<&str> = vec![];
    for u in &cause.places {
        if u.array != first.array && !out.contains(&u.array.as_str()) {
            out.push(&u.array);
        }
    }
    let more = out.len().saturating_sub(NAMES);
    let mut out: Vec<String> = out.into_iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    if more > 0 {
        out.push(format!("{more} more"));
    }
    out
}

/// Returns a reason with one digit for each number outside of quoted names: accesses that are executed often differ in
/// their counts.
fn without_numbers(reason: &str) -> String {
    let mut out = String::with_capacity(reason.len());
    for (i, part) in reason.split('`').enumerate() {
        if i > 0 {
            out.push('`');
        }
        if i % 2 == 1 {
            out.push_str(part);
            continue;
        }
        for c in part.chars() {
            match c {
                '0'..='9' if out.ends_with('0') => {}
                '0'..='9' => out.push('0'),
                c => out.push(c),
            }
        }
    }
    out
}

fn advice(report: &Report, cause: &UndecidedCause<'_>) -> String {
    // The objects that the reason names, each with the reason why it was not read.
    let mut unread: Vec<String> = report
        .unseen
        .iter()
        .filter(|o| cause.code == ReasonCode::Unseen && cause.reason.contains(&o.object))
        .map(|o| format!("`{}` was not read: {}", o.object, o.reason))
        .collect();
    unread.dedup();
    if !unread.is_empty() {
        return unread.join("; ");
    }
    let mut files: Vec<&str> = vec![];
    for u in &cause.places {
        if !files.contains(&u.position.file.as_str()) {
            files.push(&u.position.file);
        }
    }
    let files = if files.len() > FILES { "FILE".to_owned() } else { files.join(" ") };
    cause.code.decided_by(cause.reason, &files)
}

/// Writes the undecided accesses: with `all` each place and every cause, else the causes of most accesses.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(report: &Report, all: bool, out: &mut dyn Write) -> io::Result<()> {
    let causes = causes(report);
    let shown = if all { causes.len() } else { CAUSES.min(causes.len()) };
    for c in &causes[..shown] {
        if all {
            for u in &c.places {
                writeln!(out, "undecided: {}: `{}` in `{}`: {}", u.position, u.array, u.kernel, u.reason)?;
            }
        } else {
            write!(out, "undecided: {}: {}", accesses(c.places.len()), c.reason)?;
            match other_arrays(c).as_slice() {
                [] => writeln!(out)?,
                others => writeln!(out, "; likewise {}", list(others))?,
            }
        }
        writeln!(out, "  = help: {}; see `scuba explain {}`", c.advice, c.code)?;
    }
    let rest: usize = causes[shown..].iter().map(|c| c.places.len()).sum();
    if rest > 0 {
        let others = causes.len() - shown;
        let others = if others == 1 { "one other cause".to_owned() } else { format!("{others} other causes") };
        writeln!(out, "undecided: {} by {others} (-v lists them)", accesses(rest))?;
    }
    Ok(())
}

fn accesses(n: usize) -> String {
    if n == 1 { "1 access".to_owned() } else { format!("{n} accesses") }
}

#[cfg(test)]
mod tests {
    use super::{causes, without_numbers, write};
    use crate::tests::empty_report;
    use finding::{Position, ReasonCode, Report, Undecided, UnreadObject};

    fn undecided(file: &str, line: u32, code: ReasonCode, reason: &str) -> Undecided {
        let position = Position { file: file.into(), line, column: 3 };
        let (kernel, array, reason) = ("k(float*)".into(), "a".into(), reason.into());
        Undecided { position, kernel, array, code, reason, related: vec![] }
    }

    fn text(report: &Report, all: bool) -> String {
        let mut out = vec![];
        write(report, all, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const NO_CALLERS: &str = "the extent of `a` is not known: no known code calls this";

    #[test]
    fn accesses_are_grouped_by_cause_with_what_decides_them() {
        let mut report = empty_report();
        report.undecided = vec![
            undecided("a.cu", 1, ReasonCode::Work, "the solver's budget was spent (limits.work)"),
            undecided("a.cu", 2, ReasonCode::ExtentUnknown, NO_CALLERS),
            undecided("b.cu", 3, ReasonCode::ExtentUnknown, NO_CALLERS),
            undecided("b.cu", 4, ReasonCode::Replay, "replay did not reach it: executed 2 times"),
            undecided("b.cu", 5, ReasonCode::Replay, "replay did not reach it: executed 16 times"),
            undecided("b.cu", 6, ReasonCode::Replay, "replay did not reach it: executed 3 times"),
            undecided("c.cu", 7, ReasonCode::Float, "a floating-point value"),
        ];
        let weights: Vec<(ReasonCode, usize)> = causes(&report).iter().map(|c| (c.code, c.places.len())).collect();
        let expected =
            [(ReasonCode::Replay, 3), (ReasonCode::ExtentUnknown, 2), (ReasonCode::Work, 1), (ReasonCode::Float, 1)];
        assert_eq!(weights, expected);
        insta::assert_snapshot!(text(&report, false));
        insta::assert_snapshot!(text(&report, true));
    }

    #[test]
    fn an_unread_object_is_named_with_its_reason() {
        let mut report = empty_report();
        let reason = "the result of `parse(char**)`, in options.o: linked without being read";
        report.undecided = vec![undecided("a.cu", 1, ReasonCode::Unseen, reason)];
        assert!(text(&report, false).contains("= help: let the build show how it is compiled"));
        let object = |object: &str| UnreadObject {
            program: "app".into(),
            object: object.into(),
            reason: "its compile command is not known".into(),
        };
        report.unseen = vec![object("options.o"), object("other.o")];
        let said = text(&report, false);
        assert!(said.contains("= help: `options.o` was not read: its compile command is not known; see"), "{said}");
    }

    #[test]
    fn arrays_of_which_the_same_is_missing_are_one_cause() {
        let mut report = empty_report();
        let one = |array: &str| {
            let reason = NO_CALLERS.replace("`a`", &format!("`{array}`"));
            Undecided { array: array.into(), ..undecided("a.cu", 1, ReasonCode::ExtentUnknown, &reason) }
        };
        report.undecided = ["a", "b", "a", "c", "d", "e"].map(one).to_vec();
        let said = text(&report, false);
        let line = "undecided: 6 accesses: the extent of `a` is not known: no known code calls this; likewise `b`, `c`, `d` and 1 more\n";
        assert!(said.starts_with(line), "{said}");
        assert_eq!(text(&report, true).matches("= help").count(), 1);
        // Another array than the accessed one makes a cause of its own.
        report.undecided = ["a", "b"].map(|array| Undecided { array: "out".into(), ..one(array) }).to_vec();
        assert_eq!(causes(&report).len(), 2);
    }

    #[test]
    fn numbers_make_no_cause_but_names_do() {
        assert_eq!(without_numbers("executed 16 times in `k16`"), "executed 0 times in `k16`");
        assert_ne!(without_numbers("what `a1` holds"), without_numbers("what `a2` holds"));
        assert_eq!(text(&empty_report(), true), "");
    }
}
