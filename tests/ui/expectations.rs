//! What a program says of itself: headers, expected findings, and how these are rewritten from what was found.

use scuba::finding::{Report, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// What is found: file, line, rule, verdict.
pub type Place = (String, u32, String, String);

/// How many findings of one line, rule and verdict.
pub type Findings = BTreeMap<Place, usize>;

/// The headers of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub flags: Vec<String>,
    pub with: Vec<String>,
    pub options: Vec<String>,
    pub snapshot: bool,
    pub decided: bool,
    pub undecided: Option<usize>,
    pub undecided_most: Option<usize>,
}

pub fn read_header(text: &str) -> Header {
    let mut header = Header::default();
    for line in text.lines().filter_map(|l| l.strip_prefix("//@")) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let words = || shlex::split(value).unwrap();
        match key.trim() {
            "flags" => header.flags.extend(words()),
            "with" => header.with.extend(words()),
            "options" => header.options.extend(words()),
            "snapshot" => header.snapshot = true,
            "decided" => header.decided = true,
            "undecided" => header.undecided = Some(value.trim().parse().unwrap()),
            "undecided-most" => header.undecided_most = Some(value.trim().parse().unwrap()),
            other => panic!("unknown header `{other}`"),
        }
    }
    header
}

/// The header beside it that a line includes.
pub fn included(line: &str) -> Option<&str> {
    line.strip_prefix("#include \"")?.split_once('"').map(|(name, _)| name)
}

/// Line (from 1), rule and verdict of one `//~`, which stands in line `number`.
fn read_expectation(file: &str, number: usize, text: &str) -> Place {
    let above = text.chars().take_while(|c| *c == '^').count();
    let mut words = text[above..].split_whitespace();
    let (Some(rule), Some(verdict)) = (words.next(), words.next()) else {
        panic!("{file}:{number}: `//~ RULE VERDICT`")
    };
    (file.to_owned(), u32::try_from(number - above).unwrap(), rule.to_owned(), verdict.to_owned())
}

pub fn read_expectations(file: &str, text: &str, into: &mut Findings) {
    for (index, line) in text.lines().enumerate() {
        for expectation in line.split("//~").skip(1) {
            *into.entry(read_expectation(file, index + 1, expectation)).or_default() += 1;
        }
    }
}

pub fn found(report: &Report) -> Findings {
    let mut all = Findings::new();
    for f in &report.findings {
        let verdict = match f.verdict {
            Verdict::Proved => "proved",
            Verdict::Possible => "possible",
        };
        let verdict = if f.degenerate { format!("degenerate-{verdict}") } else { verdict.to_owned() };
        let p = &f.access.position;
        let file = Path::new(&p.file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        *all.entry((file, p.line, f.rule.name().to_owned(), verdict)).or_default() += 1;
    }
    all
}

/// One line for each difference.
pub fn differences(expected: &Findings, found: &Findings) -> String {
    let mut text = String::new();
    for key in expected.keys().chain(found.keys().filter(|k| !expected.contains_key(k))) {
        let (wanted, there) = (expected.get(key).copied().unwrap_or(0), found.get(key).copied().unwrap_or(0));
        let (file, line, rule, verdict) = key;
        if wanted != there {
            let _ = writeln!(text, "  {file}:{line}: {rule} {verdict}: expected {wanted}, found {there}");
        }
    }
    text
}

/// The text with exactly the findings of this file that were found. What is expected and found stays where it stands; what is new is
/// put behind its line. Lines keep their numbers, since nothing is added between them.
pub fn bless_findings(file: &str, text: &str, found: &Findings) -> String {
    let mut left: Findings = found.iter().filter(|(p, _)| p.0 == file).map(|(p, n)| (p.clone(), *n)).collect();
    let mut lines: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut parts = line.split("//~");
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            if let Some(n @ 1..) = left.get_mut(&read_expectation(file, index + 1, part)) {
                *n -= 1;
                let _ = write!(kept, "//~{part}");
            }
        }
        lines.push(if kept == line { kept } else { kept.trim_end().to_owned() });
    }
    for ((_, line, rule, verdict), n) in left {
        // A line that goes on in the next one ends in a backslash and takes no comment: it is left to the author.
        if let Some(text) = lines.get_mut(line as usize - 1).filter(|l| !l.ends_with('\\')) {
            for _ in 0..n {
                let _ = write!(text, " //~ {rule} {verdict}");
            }
        }
    }
    let end = if text.ends_with('\n') { "\n" } else { "" };
    lines.join("\n") + end
}

/// The text with `//@ undecided: N` of so many, where it has that header. The others are claims of the author and stay.
pub fn bless_undecided(text: &str, undecided: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//@").and_then(|l| l.split_once(':')) {
            Some((key, _)) if key.trim() == "undecided" => {
                let _ = writeln!(out, "//@ undecided: {undecided}");
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Tests of this file itself, which run beside the programs.
pub const TESTS: [(&str, fn()); 4] = [
    ("expectations::a_missing_an_extra_and_a_changed_finding_are_differences", differences_are_found),
    ("expectations::headers_are_read", headers_are_read),
    ("expectations::blessing_changes_what_differs_and_nothing_else", blessing_changes_what_differs),
    ("expectations::blessing_counts_what_is_undecided", blessing_counts_what_is_undecided),
];

fn key(line: u32, rule: &str, verdict: &str) -> Place {
    ("a.cu".to_owned(), line, rule.to_owned(), verdict.to_owned())
}

fn differences_are_found() {
    let mut expected = Findings::new();
    read_expectations(
        "a.cu",
        "x;\na[i] = b[i]; //~ oob-global proved //~ oob-global proved\n//~^ oob-shared possible\n",
        &mut expected,
    );
    let exact = Findings::from([(key(2, "oob-global", "proved"), 2), (key(2, "oob-shared", "possible"), 1)]);
    assert_eq!(expected, exact);
    assert_eq!(differences(&expected, &exact), "");
    for (change, line) in [
        (
            Findings::from([(key(2, "oob-global", "proved"), 1), (key(2, "oob-shared", "possible"), 1)]),
            "oob-global proved: expected 2, found 1",
        ),
        (Findings::from([(key(2, "oob-global", "proved"), 2)]), "oob-shared possible: expected 1, found 0"),
        (
            Findings::from([(key(2, "oob-global", "proved"), 2), (key(2, "oob-shared", "proved"), 1)]),
            "oob-shared proved: expected 0, found 1",
        ),
        (
            Findings::from([(key(3, "oob-global", "proved"), 2), (key(2, "oob-shared", "possible"), 1)]),
            "3: oob-global proved: expected 0, found 2",
        ),
    ] {
        assert!(differences(&expected, &change).contains(line), "{line}");
    }
}

fn headers_are_read() {
    let h = read_header("//@ flags: -DN=\"4 2\" -O2\n//@ with: part_b.cu\n//@ snapshot\nint x; //@ flags: no\n");
    assert_eq!(
        h,
        Header {
            flags: vec!["-DN=4 2".into(), "-O2".into()],
            with: vec!["part_b.cu".into()],
            options: vec![],
            snapshot: true,
            decided: false,
            undecided: None,
            undecided_most: None
        }
    );
}

fn blessing_changes_what_differs() {
    let text =
        "x;\na[i] = b[i]; //~ oob-global proved //~ oob-global proved\n//~^ oob-shared possible\n#define A \\\ny;";
    let exact = Findings::from([(key(2, "oob-global", "proved"), 2), (key(2, "oob-shared", "possible"), 1)]);
    assert_eq!(bless_findings("a.cu", text, &exact), text);
    let another = Findings::from([
        (key(1, "misaligned", "proved"), 2),
        (key(2, "oob-global", "proved"), 1),
        (key(2, "oob-shared", "proved"), 1),
        (key(4, "oob-local", "proved"), 1),
        (("b.cu".into(), 5, "oob-local".into(), "proved".into()), 1),
    ]);
    assert_eq!(
        bless_findings("a.cu", text, &another),
        "x; //~ misaligned proved //~ misaligned proved\na[i] = b[i]; //~ oob-global proved //~ oob-shared proved\n\n#define A \\\ny;"
    );
}

fn blessing_counts_what_is_undecided() {
    let text = "//@ undecided: 2\n//@ undecided-most: 2\n//@ decided\nint x; //@ undecided: 2\n";
    let blessed = "//@ undecided: 5\n//@ undecided-most: 2\n//@ decided\nint x; //@ undecided: 2\n";
    assert_eq!(bless_undecided(text, 5), blessed);
}
