//! Renderers for inferred contracts.
//!
//! In: functions with their conditions. Out: text for people, a JSON document, tables for scuba.toml, and source code
//! that tests them.

use contracts::ast::{ContractFunction, Dim3Member, LaunchProperty, TermKind};
use contracts::check::{self, Leaves, SATURATING, Width};
use contracts::parse::LONGEST;
use contracts::{Cond, ContractTerm, parse, simplify};
use finding::dlpack::{self, Carried};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Requirements of one function on its arguments. Paths are as reports show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionContract {
    pub function: String,
    pub symbol: String,
    /// True for a kernel, false for a host function.
    pub kernel: bool,
    /// Width in bits and signedness of its integers.
    #[serde(skip, default)]
    pub numbers: BTreeMap<String, (u32, bool)>,
    pub file: String,
    pub line: u32,
    pub requires: Vec<ReportedRequirement>,
    /// Number of places that are safe for all arguments.
    pub safe: usize,
    /// Places that are safe if nothing wraps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub safe_if_no_wrap: Vec<AccessPosition>,
    pub open: Vec<UndecidedAccess>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partly: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedRequirement {
    #[serde(rename = "condition")]
    pub text: String,
    #[serde(skip, default = "holds")]
    pub condition: Cond,
    pub evidence: String,
    /// Operations that must not wrap for the condition to suffice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub if_no_wrap: Vec<String>,
    pub covers: Vec<AccessPosition>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessPosition {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub array: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndecidedAccess {
    #[serde(flatten)]
    pub place: AccessPosition,
    pub reason: String,
}

/// Placeholder until a document's conditions are parsed.
fn holds() -> Cond {
    Cond::literal(true)
}

/// Number of accesses listed for one condition in text for people.
const LISTED: usize = 3;

/// Renders text for people.
#[must_use]
pub fn human(functions: &[FunctionContract]) -> String {
    let mut out = String::new();
    for f in functions {
        let _ = writeln!(out, "{}  {}:{}", f.function, f.file, f.line);
        let width = f.requires.iter().map(|r| r.text.chars().count()).max().unwrap_or(0).min(60);
        for r in &f.requires {
            let places = some(r.covers.iter().map(|p| format!("{}:{}", p.line, p.array)).collect());
            let wraps = if r.if_no_wrap.is_empty() { "" } else { " if no index wraps" };
            let _ = writeln!(out, "    {:width$}  {}{wraps}: {places}", r.text, r.evidence);
        }
        if f.requires.is_empty() && f.open.is_empty() && f.safe_if_no_wrap.is_empty() && f.partly.is_none() {
            let _ = writeln!(out, "    nothing");
        }
        if !f.safe_if_no_wrap.is_empty() {
            let places = some(f.safe_if_no_wrap.iter().map(|p| format!("{}:{}", p.line, p.array)).collect());
            let _ = writeln!(out, "    safe if no index wraps: {places}");
        }
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for o in &f.open {
            reasons.entry(&o.reason).or_default().push(format!("{}:{}", o.place.line, o.place.array));
        }
        for (reason, places) in reasons {
            let _ = writeln!(out, "    undecided for {}: {reason}", some(places));
        }
        if let Some(why) = &f.partly {
            let _ = writeln!(out, "    not followed to its end: {why}");
        }
    }
    out
}

fn some(mut all: Vec<String>) -> String {
    // One line may access an array several times.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|place| seen.insert(place.clone()));
    let more = all.len().saturating_sub(LISTED);
    all.truncate(LISTED);
    let list = all.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

#[derive(Serialize)]
struct ContractsDocument<'a, T> {
    schema: &'static str,
    tool: ContractsTool,
    #[serde(flatten)]
    said: &'a T,
}

#[derive(Serialize)]
struct ContractsTool {
    version: &'static str,
}

#[derive(Serialize, Deserialize)]
struct Functions {
    functions: Vec<FunctionContract>,
}

fn document<T: Serialize>(schema: &'static str, said: &T) -> serde_json::Result<String> {
    let tool = ContractsTool { version: env!("CARGO_PKG_VERSION") };
    Ok(serde_json::to_string_pretty(&ContractsDocument { schema, tool, said })? + "\n")
}

/// Renders a JSON document for programs.
///
/// # Errors
/// Fails if the document cannot be written (`serde_json` knows no such case for these types).
pub fn json(functions: &[FunctionContract]) -> serde_json::Result<String> {
    document("scuba-contracts/1", &Functions { functions: functions.to_vec() })
}

/// Parses such a document.
///
/// # Errors
/// Fails if it is no such document, or if a condition in it cannot be parsed.
pub fn read(text: &str) -> Result<Vec<FunctionContract>, String> {
    let mut read: Functions = serde_json::from_str(text).map_err(|e| e.to_string())?;
    for r in read.functions.iter_mut().flat_map(|f| &mut f.requires) {
        r.condition = parse(&r.text).map_err(|e| format!("`{}`: {e}", r.text))?;
    }
    Ok(read.functions)
}

/// Requirements of one function that were added or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// Whether conditions imply another one, by their normal forms.
fn imply(all: &[ReportedRequirement], one: &ReportedRequirement) -> bool {
    let conditions: Vec<Cond> = all.iter().map(|r| r.condition.clone()).collect();
    let with = Cond::all(conditions.iter().cloned().chain([one.condition.clone()]).collect());
    simplify(&with) == simplify(&Cond::all(conditions))
}

/// Returns the changed requirements of functions in both lists. A condition that the others imply is no change.
#[must_use]
pub fn changes(before: &[FunctionContract], now: &[FunctionContract]) -> Vec<Change> {
    let texts = |all: &[ReportedRequirement], others: &[ReportedRequirement]| -> Vec<String> {
        all.iter().filter(|r| !imply(others, r)).map(|r| r.text.clone()).collect()
    };
    let of = |f: &FunctionContract| {
        let old = before.iter().find(|o| o.function == f.function)?;
        let (added, removed) = (texts(&f.requires, &old.requires), texts(&old.requires, &f.requires));
        let change = Change { function: f.function.clone(), file: f.file.clone(), line: f.line, added, removed };
        (!change.added.is_empty() || !change.removed.is_empty()).then_some(change)
    };
    now.iter().filter_map(of).collect()
}

/// Renders changes for people.
#[must_use]
pub fn human_changes(changes: &[Change]) -> String {
    let mut out = String::new();
    for c in changes {
        let _ = writeln!(out, "{}  {}:{}", c.function, c.file, c.line);
        for (sign, what, all) in [("+", "now required", &c.added), ("-", "no longer required", &c.removed)] {
            for text in all {
                let _ = writeln!(out, "  {sign} {text}  {what}");
            }
        }
    }
    if out.is_empty() { "no new or removed requirements\n".to_owned() } else { out }
}

/// Renders changes as a JSON document for programs.
///
/// # Errors
/// Fails like [`json`].
pub fn json_changes(changes: &[Change]) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Changes<'a> {
        changes: &'a [Change],
    }
    document("scuba-contracts-diff/1", &Changes { changes })
}

/// Returns a pattern that matches this function and no other in the list.
fn pattern(f: &FunctionContract, all: &[FunctionContract]) -> String {
    let name = |f: &FunctionContract| f.function.split(['(', '<']).next().unwrap_or_default().to_owned();
    let own = name(f);
    if all.iter().filter(|g| name(g) == own).count() == 1 {
        return own;
    }
    // These characters are special in patterns; a star also matches itself.
    f.function.chars().fold(String::new(), |mut out, c| {
        if matches!(c, '[' | ']' | '{' | '}' | '?') {
            let _ = write!(out, "[{c}]");
        } else {
            out.push(c);
        }
        out
    })
}

/// Renders tables for scuba.toml. A condition longer than scuba.toml may have is left out, and a comment says so.
#[must_use]
pub fn toml(functions: &[FunctionContract]) -> String {
    let mut out = String::new();
    for f in functions.iter().filter(|f| !f.requires.is_empty()) {
        let quoted = |text: &str| ::toml::Value::String(text.to_owned()).to_string();
        let _ = writeln!(out, "[[contract]]  # {}:{}", f.file, f.line);
        let _ = writeln!(out, "function = {}", quoted(&pattern(f, functions)));
        let _ = writeln!(out, "requires = [");
        for r in &f.requires {
            let _ = match r.text.len() {
                0..=LONGEST => writeln!(out, "  {},", quoted(&r.text)),
                long => writeln!(out, "  # left out: a condition of {long} bytes; {LONGEST} are the most"),
            };
        }
        let _ = writeln!(out, "]\n");
    }
    out
}

/// Spelling of a kernel contract's terms in a check: the caller must supply `x_bytes` and `x_elements`.
struct Spelling<'a> {
    numbers: &'a BTreeMap<String, (u32, bool)>,
}

fn axis(a: Dim3Member) -> &'static str {
    match a {
        Dim3Member::X => "x",
        Dim3Member::Y => "y",
        Dim3Member::Z => "z",
    }
}

impl Leaves for Spelling<'_> {
    fn text(&self, term: &ContractTerm) -> Option<String> {
        match &term.kind {
            TermKind::Apply(ContractFunction::Extent, of) => Some(format!("{}_bytes", of.first()?)),
            TermKind::Apply(ContractFunction::Elements, of) => Some(format!("{}_elements", of.first()?)),
            TermKind::Launch(LaunchProperty::Grid(a)) => Some(format!("grid.{}", axis(*a))),
            TermKind::Launch(LaunchProperty::Block(a)) => Some(format!("block.{}", axis(*a))),
            TermKind::Launch(LaunchProperty::DynamicShared) => Some("shared_bytes".to_owned()),
            _ => None,
        }
    }

    fn width(&self, term: &ContractTerm) -> Option<Width> {
        let (bits, signed) = match &term.kind {
            TermKind::Apply(..) | TermKind::Launch(LaunchProperty::DynamicShared) => (64, true),
            TermKind::Launch(_) => (32, false),
            TermKind::Name(name) => self.numbers.get(name).copied()?,
            _ => return None,
        };
        Some(Width { bits, signed })
    }
}

/// Returns the code of a condition on tensors of PyTorch as it stands in their operators: an optional one is asked by `->`.
fn of_tensors(code: &str, condition: &Cond) -> Option<String> {
    let asked = condition.asked();
    let optional =
        asked.iter().filter(|(_, what)| *what == "has_value").map(|(of, _)| ((*of).to_owned(), Carried::Optional));
    if asked.is_empty() { None } else { dlpack::written(code, &optional.collect()) }
}

/// Renders source code that tests the conditions before a launch.
#[must_use]
pub fn checks(functions: &[FunctionContract]) -> String {
    let (mut out, mut saturates) = (String::new(), false);
    for f in functions.iter().filter(|f| !f.requires.is_empty()) {
        let (where_to, refused) = if f.kernel {
            ("Before a launch of", "cudaErrorInvalidValue")
        } else {
            ("At the start of, or before a call of,", "-1")
        };
        let _ =
            writeln!(out, "// {where_to} {} ({}:{}): NAME_elements (NAME_bytes) is the", f.function, f.file, f.line);
        let _ = writeln!(
            out,
            "// number of elements (bytes) behind the pointer NAME; `grid` and `block` are the launch's dimensions."
        );
        for r in &f.requires {
            match check::check(&r.condition.clone().presence_first(), &Spelling { numbers: &f.numbers }) {
                Ok(c) => {
                    saturates |= c.saturates;
                    let _ = match of_tensors(&c.text, &r.condition) {
                        Some(code) => writeln!(out, "TORCH_CHECK({code});  // {}", r.text),
                        None => writeln!(out, "if (!({})) return {refused};  // {}", c.text, r.text),
                    };
                }
                Err(why) => {
                    let _ = writeln!(out, "// {}: {why}", r.text);
                }
            }
        }
        out.push('\n');
    }
    if saturates { format!("{SATURATING}\n{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::{FunctionContract, ReportedRequirement, holds, toml};
    use contracts::parse::LONGEST;
    use std::collections::BTreeMap;

    #[test]
    fn tables_hold_no_condition_that_scuba_toml_refuses() {
        let requirement = |text: String| ReportedRequirement {
            text,
            condition: holds(),
            evidence: String::new(),
            if_no_wrap: vec![],
            covers: vec![],
        };
        let long = format!("n >= 0{}", " && n >= 0".repeat(LONGEST / 8));
        let f = FunctionContract {
            function: "f(int)".into(),
            symbol: "_Z1fi".into(),
            kernel: false,
            numbers: BTreeMap::new(),
            file: "f.cu".into(),
            line: 1,
            requires: vec![requirement("n <= 4".into()), requirement(long.clone())],
            safe: 0,
            safe_if_no_wrap: vec![],
            open: vec![],
            partly: None,
        };
        let table = toml(&[f]);
        assert!(table.contains("\"n <= 4\",\n"), "{table}");
        let left_out = format!("# left out: a condition of {} bytes; {LONGEST} are the most\n", long.len());
        assert!(table.contains(&left_out) && !table.contains(&long), "{table}");
    }
}
