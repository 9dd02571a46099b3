//! Hovers: the verdict of the access under the cursor, and the contract of its kernel; elsewhere what contracts say of
//! the function or parameter under the cursor.

use super::view::{MarkKind, TextMark};
use finding::counts::PlaceClass;
use finding::names::base_name;
use finding::{Finding, Undecided, Verdict};
use report::explained;
use report::kept::{KeptReport, StatedContract};
use report::shape::SourceShape;
use std::fmt::Write;
use std::ops::Range;

/// Returns the mark at a place in a text: the shortest, of equal ones the one that says most.
#[must_use]
pub fn at<'a, 'm>(marks: &'m [TextMark<'a>], line: u32, byte: usize) -> Option<&'m TextMark<'a>> {
    let there = marks.iter().filter(|m| m.line == line && m.range.contains(&byte));
    there.min_by_key(|m| {
        let rank = match m.kind {
            MarkKind::Finding(_) => 0,
            MarkKind::Undecided(_) => 1,
            MarkKind::Place(_) => 2,
        };
        (m.range.len(), rank)
    })
}

/// Returns the text of a hover, in Markdown.
#[must_use]
pub fn text(mark: &TextMark<'_>) -> String {
    let (mut text, kernel) = match mark.kind {
        MarkKind::Finding(f) => (finding(f, mark.of_whole), f.access.kernel.as_str()),
        MarkKind::Undecided(u) => (undecided(u), u.kernel.as_str()),
        MarkKind::Place(p) => (place(&p.array, p.class), p.kernel.as_str()),
    };
    for contract in contracts(mark.report, kernel) {
        let _ = write!(text, "\n\n{contract}");
    }
    text
}

fn finding(f: &Finding, of_whole: bool) -> String {
    let verdict = match f.verdict {
        Verdict::Proved => "proved wrong",
        Verdict::Possible => "possibly wrong",
    };
    let mut text = format!("**{verdict}** `{}`: {}", f.rule, f.message);
    for note in explained::notes(f) {
        let _ = write!(text, "\n\n{}", note.replace('\n', "  \n"));
    }
    for (i, s) in f.steps.iter().enumerate() {
        let gap = if i == 0 { "\n\n" } else { "\n" };
        let _ = write!(text, "{gap}{}. {}", i + 1, s.message);
    }
    let _ = write!(text, "\n\n{}", explained::help(f));
    if of_whole {
        text.push_str("\n\nFound in the last build; the file alone does not decide it.");
    }
    text
}

fn undecided(u: &Undecided) -> String {
    let advice = u.code.decided_by(&u.reason, &u.position.file);
    let what = format!("**undecided** `{0}`: access of `{1}`: {2}", u.code, u.array, u.reason);
    format!("{what}\n\n{advice}; see `scuba explain {}`", u.code)
}

fn place(array: &str, class: PlaceClass) -> String {
    match class {
        PlaceClass::Safe { if_no_wrap: true, .. } => format!("**safe** unless an index wraps: access of `{array}`"),
        PlaceClass::Safe { assuming: true, .. } => format!("**safe** under an assumption: access of `{array}`"),
        PlaceClass::Safe { .. } => format!("**safe** for every input: access of `{array}`"),
        PlaceClass::Unknown => format!("**undecided**: access of `{array}`"),
        PlaceClass::Possible => format!("**possibly wrong**: access of `{array}`; the finding is accepted"),
        PlaceClass::Proved => format!("**proved wrong**: access of `{array}`; the finding is accepted"),
    }
}

/// Returns what contracts require of a kernel, by its displayed name.
fn contracts(report: &KeptReport, kernel: &str) -> Vec<String> {
    let name = kernel.split(['(', '<']).next().unwrap_or(kernel);
    let is_of =
        |pattern: &str| [kernel, name, name.rsplit("::").next().unwrap_or(name)].iter().any(|n| fits(pattern, n));
    conditions(name, report.contracts.iter().filter(|c| is_of(&c.function)), |_| true)
}

/// Returns what contracts say of the name at a place of a text, and its bytes in the line: everything of a function at
/// its definition, its calls and its launches; the conditions about a parameter within the function.
#[must_use]
pub fn contract_at(report: &KeptReport, text: &str, line: u32, byte: usize) -> Option<(Range<usize>, String)> {
    let shape = SourceShape::of(text);
    let (name, range, is_called) = shape.name_at(line + 1, byte)?;
    let found = if is_called {
        conditions(name, of_name(report, name), |_| true)
    } else {
        let (functions, others) = shape.names_of(&shape.function(line + 1)?);
        // Conditions that name a member of another object are none of the parameter's.
        let functions = functions.into_iter().filter(|f| others.contains(&name) && !f.starts_with("__"));
        functions.flat_map(|f| conditions(f, of_name(report, f), |c| mentions(c, name))).collect()
    };
    (!found.is_empty()).then(|| (range, found.join("\n\n")))
}

/// Iterates over the contracts of a function by its name in the source. Contracts in sources name its parameters too.
fn of_name<'a>(report: &'a KeptReport, name: &'a str) -> impl Iterator<Item = &'a StatedContract> {
    let is_of = move |c: &&StatedContract| match c.function.contains('(') {
        true => base_name(&c.function) == name,
        false => fits(c.function.rsplit("::").next().unwrap_or(&c.function), name),
    };
    report.contracts.iter().filter(is_of)
}

/// Returns a line for each contract with wanted conditions. Instances of a template share theirs.
fn conditions<'a>(
    name: &str,
    contracts: impl Iterator<Item = &'a StatedContract>,
    wanted: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut lines: Vec<String> = contracts
        .filter_map(|c| {
            let wanted = c.requires.iter().filter(|r| wanted(r));
            let shown: Vec<String> = wanted.map(|r| format!("`{r}`")).collect();
            let line = format!("`{name}` requires {} ({})", shown.join(", "), c.origin);
            (!shown.is_empty()).then_some(line)
        })
        .collect();
    lines.dedup();
    lines
}

/// Whether a condition mentions a name that is no member of something.
fn mentions(condition: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    condition.match_indices(name).any(|(at, _)| {
        let (before, after) = (&condition[..at], &condition[at + name.len()..]);
        !before.ends_with(is_name) && !before.ends_with('.') && !before.ends_with("->") && !after.starts_with(is_name)
    })
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            rest.is_empty() || (0..=name.len()).filter(|i| name.is_char_boundary(*i)).any(|i| fits(rest, &name[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{fits, mentions, undecided};
    use finding::{Position, ReasonCode, Undecided};

    #[test]
    fn conditions_mention_parameters_and_no_members() {
        for (condition, name, expected) in [
            ("elements(a) >= n", "a", true),
            ("elements(a) >= n", "n", true),
            ("elements(a) >= n", "e", false),
            ("elements(m.data) >= m.rows", "rows", false),
            ("elements(m->data) >= m->rows", "m", true),
            ("forall i in [0, n): index[i] < m", "index", true),
        ] {
            assert_eq!(mentions(condition, name), expected, "{condition} {name}");
        }
    }

    #[test]
    fn an_undecided_access_comes_with_its_reason_and_what_decides_it() {
        let u = Undecided {
            position: Position { file: "a.cu".into(), line: 1, column: 1 },
            kernel: "k()".into(),
            array: "x".into(),
            reason: "the loop's value of `n`".into(),
            code: ReasonCode::Loop,
            related: vec![],
        };
        let text = undecided(&u);
        assert!(text.starts_with("**undecided** `loop`: access of `x`: the loop's value of `n`\n\n"), "{text}");
        assert!(text.contains("check `n` after the loop") && text.ends_with("; see `scuba explain loop`"), "{text}");
    }

    #[test]
    fn patterns_of_contracts_name_kernels() {
        for (pattern, name, expected) in [
            ("knn_*", "knn_fast", true),
            ("knn_*", "knn", false),
            ("*_k*", "a_kernel", true),
            ("scale", "scale", true),
            ("scale", "scale2", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
