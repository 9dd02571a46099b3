//! Contracts that were inferred, as they are shown.
//!
//! In: functions with their conditions. Out: text for people, a JSON document, tables for scuba.toml, and source that tests them.

use crate::contracts::ast::{Axis, Function as Builtin, Launch, TermKind};
use crate::contracts::check::{self, Leaves, SATURATING, Width};
use crate::contracts::{Cond, Term};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What one function needs of its arguments. Paths are as they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    pub function: String,
    pub symbol: String,
    /// Their types, where these are known.
    #[serde(skip)]
    pub parameters: BTreeMap<String, String>,
    pub file: String,
    pub line: u32,
    pub requires: Vec<Requirement>,
    /// Places that are safe whatever it is given.
    pub safe: usize,
    pub open: Vec<Open>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partly: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    #[serde(rename = "condition")]
    pub text: String,
    #[serde(skip)]
    pub condition: Cond,
    pub evidence: &'static str,
    /// Operations that must not wrap for it to suffice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub if_no_wrap: Vec<String>,
    pub covers: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub array: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    #[serde(flatten)]
    pub place: Place,
    pub reason: String,
}

/// Accesses that are listed of one condition, for people.
const LISTED: usize = 3;

/// For people.
#[must_use]
pub fn human(functions: &[Function]) -> String {
    let mut out = String::new();
    for f in functions {
        let _ = writeln!(out, "{}  {}:{}", f.function, f.file, f.line);
        let width = f.requires.iter().map(|r| r.text.chars().count()).max().unwrap_or(0).min(60);
        for r in &f.requires {
            let places = some(r.covers.iter().map(|p| format!("{}:{}", p.line, p.array)).collect());
            let wraps = if r.if_no_wrap.is_empty() { "" } else { " if no index wraps" };
            let _ = writeln!(out, "    {:width$}  {}{wraps}: {places}", r.text, r.evidence);
        }
        if f.requires.is_empty() && f.open.is_empty() {
            let _ = writeln!(out, "    nothing");
        }
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for o in &f.open {
            reasons.entry(&o.reason).or_default().push(format!("{}:{}", o.place.line, o.place.array));
        }
        for (reason, places) in reasons {
            let _ = writeln!(out, "    not known of {}: {reason}", some(places));
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
struct Document<'a> {
    schema: &'static str,
    tool: Tool,
    functions: &'a [Function],
}

#[derive(Serialize)]
struct Tool {
    version: &'static str,
}

/// For programs.
///
/// # Errors
/// Where the document cannot be written (`serde_json` knows no such case for our types).
pub fn json(functions: &[Function]) -> serde_json::Result<String> {
    let tool = Tool { version: env!("CARGO_PKG_VERSION") };
    let document = Document { schema: "scuba-contracts/1", tool, functions };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// A pattern that means this function and no other of these.
fn pattern(f: &Function, all: &[Function]) -> String {
    let name = |f: &Function| f.function.split(['(', '<']).next().unwrap_or_default().to_owned();
    let own = name(f);
    if all.iter().filter(|g| name(g) == own).count() == 1 {
        return own;
    }
    // In a pattern these begin something; a star matches itself too.
    f.function.chars().fold(String::new(), |mut out, c| {
        if matches!(c, '[' | ']' | '{' | '}' | '?') {
            let _ = write!(out, "[{c}]");
        } else {
            out.push(c);
        }
        out
    })
}

/// For scuba.toml.
#[must_use]
pub fn toml(functions: &[Function]) -> String {
    let mut out = String::new();
    for f in functions.iter().filter(|f| !f.requires.is_empty()) {
        let quoted = |text: &str| ::toml::Value::String(text.to_owned()).to_string();
        let _ = writeln!(out, "[[contract]]  # {}:{}", f.file, f.line);
        let _ = writeln!(out, "function = {}", quoted(&pattern(f, functions)));
        let _ = writeln!(out, "requires = [");
        for r in &f.requires {
            let _ = writeln!(out, "  {},", quoted(&r.text));
        }
        let _ = writeln!(out, "]\n");
    }
    out
}

/// How a check spells what is in a contract of a kernel: `x_bytes` and `x_elements` are the caller's to say.
struct Spelling<'a> {
    types: &'a BTreeMap<String, String>,
}

fn axis(a: Axis) -> &'static str {
    match a {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    }
}

impl Leaves for Spelling<'_> {
    fn text(&self, term: &Term) -> Option<String> {
        match &term.kind {
            TermKind::Apply(Builtin::Extent, of) => Some(format!("{}_bytes", of.first()?)),
            TermKind::Apply(Builtin::Elements, of) => Some(format!("{}_elements", of.first()?)),
            TermKind::Launch(Launch::Grid(a)) => Some(format!("grid.{}", axis(*a))),
            TermKind::Launch(Launch::Block(a)) => Some(format!("block.{}", axis(*a))),
            TermKind::Launch(Launch::DynamicShared) => Some("shared_bytes".to_owned()),
            _ => None,
        }
    }

    fn width(&self, term: &Term) -> Option<Width> {
        let (bits, signed) = match &term.kind {
            TermKind::Apply(..) | TermKind::Launch(Launch::DynamicShared) => (64, true),
            TermKind::Launch(_) => (32, false),
            TermKind::Name(name) => match self.types.get(name).map_or("", String::as_str) {
                "char" | "signed char" => (8, true),
                "unsigned char" | "bool" => (8, false),
                "short" => (16, true),
                "unsigned short" => (16, false),
                "int" => (32, true),
                "unsigned int" => (32, false),
                "unsigned long" | "unsigned long long" => (64, false),
                _ => (64, true),
            },
            _ => return None,
        };
        Some(Width { bits, signed })
    }
}

/// Source that tests for them before a launch.
#[must_use]
pub fn checks(functions: &[Function]) -> String {
    let (mut out, mut saturates) = (String::new(), false);
    for f in functions.iter().filter(|f| !f.requires.is_empty()) {
        let _ = writeln!(
            out,
            "// Before a launch of {} ({}:{}), where `grid` and `block` are what it is",
            f.function, f.file, f.line
        );
        let _ = writeln!(
            out,
            "// launched with and NAME_elements (NAME_bytes) is how much there is behind the pointer NAME:"
        );
        for r in &f.requires {
            match check::check(&r.condition, &Spelling { types: &f.parameters }) {
                Ok(c) => {
                    saturates |= c.saturates;
                    let _ = writeln!(out, "if (!({})) return cudaErrorInvalidValue;  // {}", c.text, r.text);
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
