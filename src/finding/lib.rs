//! Types that `check/` fills in and that renderers display; they mirror the JSON document `scuba-findings/1`.

mod command;
mod conjuncts;
pub mod counts;
mod divided;
pub mod dlpack;
mod left_out;
mod messages;
pub mod names;
mod operator;
pub mod paths;
#[doc(hidden)]
pub mod samples;
pub mod schema;
pub mod second_reading;
pub mod sources;
pub mod steps;
mod widened;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use crate::left_out::DiffBase;
pub use crate::messages::{NEVER_SET, SAME_CHECK, UNDECIDED_COPY, USED_HERE};
pub use crate::operator::{CheckedArgument, Fix, MissingCheck, TensorArgument};
use crate::second_reading::SecondReading;
use crate::steps::Step;
pub use base::reasons::ReasonCode;
use base::rules::{Level, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Possible,
    Proved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    Reached,
    NotReached,
    Incomplete,
    NotRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Read,
    Write,
    Atomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    Global,
    Shared,
    Local,
    Constant,
    Host,
}

/// A position in a source file. `file` is absolute inside the analysis; renderers make it relative to the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    pub file: String,
    /// 1-based line; 0 if the front end gave none: `null` in documents.
    #[serde(with = "known")]
    #[schemars(with = "Option<u32>")]
    pub line: u32,
    #[serde(with = "known")]
    #[schemars(with = "Option<u32>")]
    pub column: u32,
}

/// Serialisation of lines and columns: 0 stands for none.
mod known {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(n: &u32, s: S) -> Result<S::Ok, S::Error> {
        Some(*n).filter(|n| *n > 0).serialize(s)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<u32, D::Error> {
        Option::<u32>::deserialize(d).map(Option::unwrap_or_default)
    }
}

impl std::fmt::Display for Position {
    /// Writes `file:line:column`; the file alone if the front end gave no line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 { f.write_str(&self.file) } else { write!(f, "{}:{}:{}", self.file, self.line, self.column) }
    }
}

/// The access, launch or call that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    #[serde(flatten)]
    pub position: Position,
    /// Demangled kernel name with parameter types.
    pub kernel: String,
    /// Source name of the array or pointer that the access uses.
    pub array: String,
    /// Name and range of the part of the allocation, if there is one.
    pub partition: Option<String>,
    pub direction: Direction,
    pub space: MemorySpace,
    /// Index expression in source names; several dimensions as `[j][i]`.
    pub index: String,
    /// Width of the access in bytes.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Allocation {
    pub file: String,
    #[serde(with = "known")]
    #[schemars(with = "Option<u32>")]
    pub line: u32,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub column: u32,
    /// Size in bytes, as an expression of the program's inputs.
    pub extent: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Launch {
    pub file: String,
    #[serde(with = "known")]
    #[schemars(with = "Option<u32>")]
    pub line: u32,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub column: u32,
    pub grid: String,
    pub block: String,
    /// Dynamic shared memory in bytes, as an expression.
    pub shared: String,
}

/// A position that helps to understand a finding: where memory was freed, the access in the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Related {
    #[serde(flatten)]
    pub position: Position,
    /// Event at the position: `freed here`.
    pub what: String,
    /// True for a position in a header that is not the user's, below the user's line that the finding names.
    #[serde(skip_serializing_if = "is_false", default)]
    pub inner: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(v: &bool) -> bool {
    !*v
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(v: &u32) -> bool {
    *v == 0
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessInput {
    pub name: String,
    pub value: String,
}

/// Inputs of the program that lead to the finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RunInputs {
    /// `argv[1]…`, for `main`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub argv: Vec<String>,
    /// Arguments in parameter order, for roots other than `main`, as 64-bit two's complement.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub args: Vec<i64>,
    /// Number of bytes behind each pointer parameter of such a root that a contract mentions, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub extents: BTreeMap<String, u64>,
    /// Null pointers, by the names of their pointees.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub null: BTreeSet<String>,
    /// Contents, at the root's call, of objects behind parameters and of structures passed by value, as far as the
    /// program reads them. A pointer precedes its pointee.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub held: Vec<HeldScalar>,
    /// Tensor arguments, by parameter name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub tensors: BTreeMap<String, TensorArgument>,
    /// Line of Python that calls the root, an operator, with these arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// Name under which Python calls the root: `scale` in the extension's module, `ext::scale` in PyTorch's dispatcher.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// Properties of the device on which the run goes wrong, by name; the others do not matter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub device: BTreeMap<String, i64>,
    /// Standard input.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub stdin: String,
    /// Files that the program opens.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<RunFile>,
}

/// A scalar in an object that the root receives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct HeldScalar {
    /// The parameter, or the path to the pointer to the object.
    pub object: String,
    /// Offset in bytes.
    pub at: i64,
    pub what: HeldValue,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HeldValue {
    Number {
        bits: u32,
        value: i128,
    },
    /// Pointer to an object of its own, with this name.
    Pointer(String),
    /// Address this many bytes after the pointee of the pointer at byte `data` of the same object.
    Behind {
        data: i64,
        bytes: i64,
    },
    /// A `std::string` with these contents.
    Text(String),
}

impl HeldScalar {
    /// Returns the name of the object that it points to.
    #[must_use]
    pub const fn pointer_to(&self) -> Option<&String> {
        match &self.what {
            HeldValue::Pointer(to) => Some(to),
            HeldValue::Number { .. } | HeldValue::Behind { .. } | HeldValue::Text(_) => None,
        }
    }
}

/// A file that a run needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RunFile {
    /// Name by which the program opens the file.
    pub name: String,
    /// Contents; two hexadecimal digits for each byte in documents.
    #[serde(with = "hex")]
    #[schemars(with = "String")]
    pub bytes: Vec<u8>,
}

/// Serialisation of bytes as hexadecimal digits.
mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::fmt::Write;

    pub fn serialize<S: Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(2 * bytes.len());
        // Writing to a string does not fail.
        for b in bytes {
            let _ = write!(text, "{b:02x}");
        }
        s.serialize_str(&text)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(d)?;
        let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
        text.as_bytes()
            .chunks(2)
            .map(|p| match p {
                [h, l] => digit(*h).zip(digit(*l)).map(|(h, l)| h << 4 | l),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(|| D::Error::custom("the contents of a file are pairs of hexadecimal digits"))
    }
}

/// Sites of the access, its launch and its root in the checked program, for code that replays the witness in the same
/// process. Not part of any report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sites {
    /// Module and function.
    pub root: [u32; 2],
    /// Module, function, block and instruction.
    pub access: [u32; 4],
    /// Call sites that lead to the access from the kernel.
    pub callers: Vec<[u32; 4]>,
    pub launch: Option<[u32; 4]>,
    /// Part of the object that the access must stay in, if smaller than the object.
    #[serde(default)]
    pub part: Option<PartSites>,
}

/// A part of an object, by the site that defines it: module, function, block and instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartSites {
    /// The store that sets its pointer, and those of the other parts.
    Named { own: [u32; 4], others: Vec<[u32; 4]> },
    /// The address computation that starts from it, and its size in bytes.
    Row { gep: [u32; 4], bytes: u64 },
}

/// Concrete inputs under which the access goes out of bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Witness {
    pub inputs: Vec<WitnessInput>,
    pub run: RunInputs,
    pub grid: [u64; 3],
    /// Block index.
    pub block: [u64; 3],
    /// Thread index within the block.
    pub thread: [u64; 3],
    /// Byte offset of the access from the start of the allocation (negative: before it). If there is a partition,
    /// offset and extent refer to it.
    pub offset_bytes: i64,
    pub extent_bytes: i64,
    pub replay: Replay,
    #[serde(skip)]
    pub sites: Option<Sites>,
}

/// Result of a run on a device. "Not reproduced" is not "refuted".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmationStatus {
    Confirmed,
    NotReproduced,
    Inconclusive,
}

impl fmt::Display for ConfirmationStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::NotReproduced => "not reproduced",
            Self::Inconclusive => "inconclusive",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmedBy {
    ComputeSanitizer,
    /// A check compiled into the program: for an access of its kernels, or for the arguments of host calls.
    KernelCheck,
}

impl fmt::Display for ConfirmedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ComputeSanitizer => "compute-sanitizer",
            Self::KernelCheck => "a check compiled into the program",
        })
    }
}

/// Outcome of a run on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    pub status: ConfirmationStatus,
    pub by: ConfirmedBy,
    pub device: String,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    pub fingerprint: String,
    pub rule: Rule,
    pub level: Level,
    pub verdict: Verdict,
    /// True if the finding needs a zero-byte allocation or a size <= 0.
    pub degenerate: bool,
    /// Number of template instances and launches that share the finding.
    pub occurrences: u32,
    pub program: String,
    pub root: String,
    pub message: String,
    pub access: Access,
    pub allocation: Option<Allocation>,
    pub launch: Option<Launch>,
    /// Other positions that belong to the finding, in execution order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
    /// The path from input to byte, in order, with the witness's values.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<Step>,
    pub witness: Option<Witness>,
    pub confirmation: Option<Confirmation>,
    /// Reason why no device was used although `[confirm] when` requests it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confirmation_not_run: Option<String>,
    pub assumptions: Vec<String>,
    pub unknowns: Vec<String>,
    /// Tensor arguments of an operator that lead to the finding, by parameter name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub arguments: BTreeMap<String, TensorArgument>,
    /// Check that the operator lacks, if it was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub missing_check: Option<MissingCheck>,
    /// Architecture whose device code alone has the finding, while the program's lowest one lacks it: `sm_90`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub architecture: Option<String>,
    /// The missing check as an edit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix: Option<Fix>,
}

/// An access that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Undecided {
    #[serde(flatten)]
    pub position: Position,
    pub kernel: String,
    pub array: String,
    pub reason: String,
    pub code: ReasonCode,
    /// Positions in headers that are not the user's to which this one leads, in execution order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
}

/// A side of a translation unit that no front end could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotAnalysed {
    pub file: String,
    pub side: String,
    pub reason: String,
}

/// An object, or a member of an archive, that a program was linked with and that was not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UnreadObject {
    /// The program's name, as in findings.
    pub program: String,
    /// The object's file name; for a member of an archive `libk.a(options.o)`.
    pub object: String,
    /// Reason why it was not read, and what to do.
    pub reason: String,
}

/// A unit that a build compiled without the analysis: a compiler cache had its object, or the shim was off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct BuiltWithout {
    /// Source of the unit; its object if the command that compiled it is unknown.
    pub file: String,
}

/// Counts of places in the source; `safe + safe_if_no_wrap + proved + possible + unknown == accesses`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub programs: u32,
    pub translation_units: u32,
    pub not_analysed: u32,
    /// Units that the build compiled without the analysis.
    #[serde(default)]
    pub built_without_analysis: u32,
    /// Objects and archive members that programs were linked with and that were not read.
    #[serde(default)]
    pub unseen: u32,
    /// Units outside of `[scope]`.
    #[serde(default)]
    pub excluded: u32,
    pub kernels: u32,
    pub launches: u32,
    pub accesses: u32,
    pub safe: u32,
    pub safe_if_no_wrap: u32,
    /// Safe places (of `safe` and `safe_if_no_wrap`) that rest on an assert that NDEBUG removes, or on an `[[assume]]`.
    #[serde(default)]
    pub safe_assuming: u32,
    pub proved: u32,
    pub possible: u32,
    pub unknown: u32,
    /// Cost in units of work: the same on every machine.
    #[serde(default)]
    pub work: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axioms {
    pub device_memory: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportTool {
    pub version: String,
    pub z3: String,
    pub frontend: String,
    pub axioms: Axioms,
}

/// The JSON document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    #[schemars(extend("const" = schema::NAME))]
    pub schema: String,
    pub tool: ReportTool,
    pub summary: Summary,
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    pub not_analysed: Vec<NotAnalysed>,
    /// Units compiled without the analysis in the build that recorded the facts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub built_without_analysis: Vec<BuiltWithout>,
    /// Objects not read, ordered by program and object.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen: Vec<UnreadObject>,
    /// Sources of units outside of `[scope]`, ordered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub excluded: Vec<String>,
    /// Whether another run gives the same report; false if a safety net was reached.
    #[serde(skip_serializing_if = "is_true", default = "yes")]
    pub repeatable: bool,
    /// Settings of the safety nets that were reached.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub limits_reached: Vec<String>,
    /// Revision that findings must be newer than, if they must.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff_base: Option<DiffBase>,
    /// Comparison with another front end's reading, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub second_reading: Option<SecondReading>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_true(v: &bool) -> bool {
    *v
}
fn yes() -> bool {
    true
}

impl Summary {
    /// Adds another program's counts and work if its places are not available: a place of both counts twice.
    pub fn add(&mut self, other: &Self) {
        self.kernels += other.kernels;
        self.launches += other.launches;
        self.accesses += other.accesses;
        self.safe += other.safe;
        self.safe_if_no_wrap += other.safe_if_no_wrap;
        self.safe_assuming += other.safe_assuming;
        self.proved += other.proved;
        self.possible += other.possible;
        self.unknown += other.unknown;
        self.work += other.work;
    }
}

impl Report {
    /// Whether any finding is denied, which decides the exit status.
    #[must_use]
    pub fn denied(&self) -> bool {
        self.findings.iter().any(|f| f.level == Level::Deny)
    }

    /// Returns everything that `--strict` rejects, one line each: sides that were not read, units built without the
    /// analysis, objects linked without being read, and undecided accesses of inline assembly.
    #[must_use]
    pub fn lacking(&self) -> Vec<String> {
        let asm = self.undecided.iter().filter(|u| u.code == ReasonCode::Asm).count();
        let count = |n: usize, one: &str, more: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {more}")),
        };
        [
            count(self.not_analysed.len(), "side of a unit was not read", "sides of units were not read"),
            count(
                self.built_without_analysis.len(),
                "unit was built without the analysis",
                "units were built without the analysis",
            ),
            count(self.unseen.len(), "object was linked without being read", "objects were linked without being read"),
            count(asm, "access of inline assembly is undecided", "accesses of inline assembly are undecided"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
