//! Decides whether changed lines concern a finding.
//!
//! The path of a finding is its own place, the places of the allocation and the launch, related places, its steps, and
//! the definition of the operator whose check is missing. The finding is new
//!
//! 1. if a line of a statement on its path changed, or a line directly above or below it was removed;
//! 2. if any line of the kernel or device function around the access changed: a guard may be among them;
//! 3. if, in a function around a place of its path on the host, a changed or removed statement decides by one of the
//!    finding's values, or sets one. The values are the names in the extent, in the configuration of the launch, in the
//!    inputs, and in the statements of these places;
//! 4. if git does not track a file on its path, or the file lies in a submodule that changed;
//! 5. if no place of its path lies in the repository.

use super::ChangesSince;
use super::patch::ChangedPart;
use finding::sources::SourceFiles;
use finding::steps::StepKind;
use finding::{Finding, Position, USED_HERE};
use report::shape::SourceShape;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Words of expressions and declarations that name no value.
const NO_VALUES: [&str; 22] = [
    "auto",
    "bool",
    "char",
    "const",
    "constexpr",
    "double",
    "else",
    "float",
    "for",
    "if",
    "int",
    "int32_t",
    "int64_t",
    "long",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "unsigned",
    "void",
];

/// Words of statements that decide where a program goes on.
const DECISIONS: [&str; 9] = ["if", "while", "for", "switch", "case", "return", "throw", "exit", "abort"];

/// Parts of the names of macros that check a condition (`assert`, `TORCH_CHECK`, `REQUIRE`), in small letters.
const CHECKS: [&str; 5] = ["assert", "check", "require", "expects", "ensure"];

/// Code that a place of a path lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceSide {
    /// A kernel, or a function that it calls.
    Device,
    Host,
    /// Other access with the same cause, of which only its own lines count.
    Beside,
}

/// A place of a path.
#[derive(Debug)]
struct PathPlace {
    at: Position,
    side: PlaceSide,
    /// Path of its file in the repository.
    path: String,
}

/// Path of one finding, with the changes that may concern it.
#[derive(Debug)]
pub(super) struct FindingPath<'a> {
    changes: &'a ChangesSince,
    places: Vec<PathPlace>,
    shapes: BTreeMap<String, SourceShape>,
    values: BTreeSet<String>,
}

impl<'a> FindingPath<'a> {
    pub(super) fn new(changes: &'a ChangesSince, f: &Finding, sources: &SourceFiles) -> Self {
        let places: Vec<PathPlace> = places(f)
            .into_iter()
            .filter_map(|(at, side)| {
                let path = changes.in_repository(&sources.root().absolute(&at.file))?;
                Some(PathPlace { at, side, path })
            })
            .collect();
        let mut shapes = BTreeMap::new();
        for place in &places {
            shapes
                .entry(place.path.clone())
                .or_insert_with(|| SourceShape::of(&sources.text(&place.at.file).unwrap_or_default()));
        }
        let mut path = Self { changes, places, shapes, values: BTreeSet::new() };
        path.values = path.find_values(f);
        path
    }

    /// Whether the finding counts as new.
    pub(super) fn is_new(&self) -> bool {
        self.places.is_empty() || self.places.iter().any(|place| self.concerns(place))
    }

    fn concerns(&self, place: &PathPlace) -> bool {
        let changes = self.changes;
        if !changes.tracked.contains(&place.path) || changes.changed.is_in_changed_submodule(&place.path) {
            return true;
        }
        let parts = changes.changed.parts(&place.path);
        let Some(shape) = self.shapes.get(&place.path).filter(|_| !parts.is_empty()) else { return false };
        let statement = shape.statement(place.at.line, place.at.column);
        if parts.iter().any(|part| part.touches(&statement)) {
            return true;
        }
        let Some(function) = shape.function(place.at.line) else { return false };
        let mut within = parts.iter().filter(|part| part.touches(&function));
        match place.side {
            PlaceSide::Device => within.next().is_some(),
            PlaceSide::Host => within.any(|part| self.decides(part, &function, shape)),
            PlaceSide::Beside => false,
        }
    }

    /// Whether a change in a host function decides by a value of the finding, or sets one.
    fn decides(&self, part: &ChangedPart, function: &RangeInclusive<u32>, shape: &SourceShape) -> bool {
        let own = part.lines();
        let own = *own.start().max(function.start())..=*own.end().min(function.end());
        let added = if part.is_removal() { String::new() } else { shape.statements(&own) };
        added.split('\n').chain(part.removed.iter().map(String::as_str)).any(|text| decides(text, &self.values))
    }

    fn find_values(&self, f: &Finding) -> BTreeSet<String> {
        let extent = f.allocation.iter().map(|a| a.extent.as_str());
        let launch = f.launch.iter().flat_map(|l| [l.grid.as_str(), &l.block, &l.shared]);
        let inputs = f.witness.iter().flat_map(|w| &w.inputs).map(|i| i.name.as_str());
        let arguments = f.arguments.keys().map(String::as_str);
        let mut values: BTreeSet<String> =
            extent.chain(launch).chain(inputs).chain(arguments).flat_map(names).collect();
        for place in self.places.iter().filter(|p| p.side == PlaceSide::Host) {
            let Some(shape) = self.shapes.get(&place.path) else { continue };
            values.extend(names(&shape.statements(&(place.at.line..=place.at.line))));
        }
        values
    }
}

/// Returns the places of a finding's path that have a line.
fn places(f: &Finding) -> Vec<(Position, PlaceSide)> {
    let at = |file: &str, line, column| Position { file: file.to_owned(), line, column };
    let launch = f.launch.as_ref().map(|l| at(&l.file, l.line, l.column));
    let in_kernel = launch.as_ref().is_some_and(|l| *l != f.access.position);
    let own = if in_kernel { PlaceSide::Device } else { PlaceSide::Host };
    let mut all = vec![(f.access.position.clone(), own)];
    all.extend(f.allocation.iter().map(|a| (at(&a.file, a.line, a.column), PlaceSide::Host)));
    all.extend(launch.map(|l| (l, PlaceSide::Host)));
    all.extend(f.missing_check.iter().map(|m| (m.function.clone(), PlaceSide::Host)));
    all.extend(f.related.iter().map(|r| {
        let side = match r.what.as_str() {
            USED_HERE => PlaceSide::Device,
            finding::SAME_CHECK => PlaceSide::Beside,
            _ => PlaceSide::Host,
        };
        (r.position.clone(), side)
    }));
    all.extend(f.steps.iter().filter_map(|s| {
        let side = match s.kind {
            StepKind::Thread | StepKind::Index | StepKind::Offset => own,
            StepKind::Input | StepKind::Size | StepKind::Allocation | StepKind::Call | StepKind::Launch => {
                PlaceSide::Host
            }
        };
        Some((s.position.clone()?, side))
    }));
    all.retain(|(p, _)| p.line > 0);
    all
}

/// Splits a text into words and what follows each.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_name)?;
        let from = &rest[start..];
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        rest = after;
        Some((word, after.trim_start()))
    })
}

/// Returns the names of values in an expression or a statement: no functions, kernels, types or numbers.
fn names(text: &str) -> Vec<String> {
    words(text)
        .filter(|(word, after)| {
            !word.starts_with(|c: char| c.is_ascii_digit())
                && !NO_VALUES.contains(word)
                && !after.starts_with('(')
                && !after.starts_with("<<<")
                && !after.starts_with("::")
        })
        .map(|(word, _)| word.to_owned())
        .collect()
}

/// Whether a statement mentions one of the values in a condition, or sets it.
fn decides(text: &str, values: &BTreeSet<String>) -> bool {
    let mut mentions = false;
    let mut decision = false;
    for (word, after) in words(text) {
        let small = word.to_lowercase();
        decision |= DECISIONS.contains(&word) || CHECKS.iter().any(|c| small.contains(c));
        if values.contains(word) {
            mentions = true;
            let before = text[..word.as_ptr() as usize - text.as_ptr() as usize].trim_end();
            let assigned = after.starts_with('=') && !after.starts_with("==");
            let changed = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"]
                .iter()
                .any(|operator| after.starts_with(operator));
            if assigned || changed || ["&", "++", "--"].iter().any(|operator| before.ends_with(operator)) {
                return true;
            }
        }
    }
    mentions && (decision || compares(text))
}

/// Whether a text has a comparison or a logical operator; shifts, launches and members have none.
fn compares(text: &str) -> bool {
    let rest = ["<<<", ">>>", "<<", ">>", "->"].iter().fold(text.to_owned(), |text, other| text.replace(other, " "));
    ["<", ">", "==", "!=", "&&", "||", "?"].iter().any(|operator| rest.contains(operator))
}

#[cfg(test)]
mod tests {
    use super::{decides, names};
    use std::collections::BTreeSet;

    #[test]
    fn values_are_neither_functions_nor_types_nor_numbers() {
        assert_eq!(names("cudaMalloc((void **)&a, 4 * n * sizeof(float))"), ["a", "n"]);
        assert_eq!(names("k<<<(n + 255) / 256, std::min(b, 0x20)>>>(a, s.m)"), ["n", "b", "a", "s", "m"]);
    }

    #[test]
    fn conditions_and_assignments_decide_and_new_uses_do_not() {
        let values: BTreeSet<String> = ["n", "a"].map(str::to_owned).into();
        for text in [
            "if (n > 4) return 1",
            "assert(n % 4 == 0)",
            "TORCH_CHECK(n)",
            "m < n",
            "n = 4",
            "int n = atoi(argv[1])",
            "n *= 2",
            "--n",
            "scanf(\"%d\", &n)",
            "x = n ? 1 : 2",
        ] {
            assert!(decides(text, &values), "{text}");
        }
        for text in ["k<<<n, 256>>>(b, n)", "cudaMalloc(&b, 4 * n)", "if (m > 4) return 1", "m = n", "b->n >> 2", ""] {
            assert!(!decides(text, &values), "{text}");
        }
    }
}
