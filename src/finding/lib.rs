//! The types that `check/` fills in and the renderers draw; they mirror the JSON document `scuba-findings/1`.

pub mod counts;
pub mod names;
mod operator;
pub mod paths;
#[doc(hidden)]
pub mod samples;
pub mod second_reading;
pub mod sources;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use crate::operator::{Fix, MissingCheck, TensorArgument};
use crate::second_reading::SecondReading;
pub use base::reasons::Code;
use base::rules::{Level, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Possible,
    Proved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    Reached,
    NotReached,
    Incomplete,
    NotRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Read,
    Write,
    Atomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Global,
    Shared,
    Local,
    Constant,
    Host,
}

/// A position in a source file. `file` is absolute inside the analysis; renderers make it relative to the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    pub file: String,
    /// 0 where the front end gave none: `null` in documents.
    #[serde(with = "known")]
    pub line: u32,
    #[serde(with = "known")]
    pub column: u32,
}

/// Lines and columns in documents: 0 is none.
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
    /// `file:line:column`; the file alone where the front end gave no line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 { f.write_str(&self.file) } else { write!(f, "{}:{}:{}", self.file, self.line, self.column) }
    }
}

/// The access, launch or call that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    #[serde(flatten)]
    pub position: Position,
    /// Demangled kernel with parameter types.
    pub kernel: String,
    /// Source name of the array or pointer the access goes through.
    pub array: String,
    /// Name and range of the part of the allocation, where there is one.
    pub partition: Option<String>,
    pub direction: Direction,
    pub space: Space,
    /// Index expression in source names; several dimensions as `[j][i]`.
    pub index: String,
    /// Width of the access in bytes.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    pub file: String,
    #[serde(with = "known")]
    pub line: u32,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub column: u32,
    /// Size in bytes as an expression of the program's inputs.
    pub extent: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    pub file: String,
    #[serde(with = "known")]
    pub line: u32,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub column: u32,
    pub grid: String,
    pub block: String,
    /// Dynamic shared memory in bytes, as an expression.
    pub shared: String,
}

/// What happens where a kernel uses the memory that a finding at its launch speaks of.
pub const USED_HERE: &str = "used here";

/// What is said of the other accesses that the check of a finding would mend.
pub const SAME_CHECK: &str = "the same check is missing for this access";

/// A place that a reader must know of to understand a finding: where memory was freed, the access in the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    #[serde(flatten)]
    pub position: Position,
    /// What happens there: `freed here`.
    pub what: String,
    /// In a header that is nobody's own, below the user's line that the finding names.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessInput {
    pub name: String,
    pub value: String,
}

/// What the program is given so that it goes there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// `argv[1]…`, for `main`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub argv: Vec<String>,
    /// Arguments in parameter order, for roots other than `main`; as 64-bit two's complement.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub args: Vec<i64>,
    /// Bytes behind pointer parameters of such a root, by their names, where a contract speaks of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub extents: BTreeMap<String, u64>,
    /// Pointers that are null, by the names of what they would point to.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub null: BTreeSet<String>,
    /// What objects behind parameters, and structures passed by value, hold when the root is called, as far as the program reads it. A pointer
    /// comes before what is behind it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub held: Vec<Held>,
    /// Tensors among them, by the names of parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub tensors: BTreeMap<String, TensorArgument>,
    /// Under which name Python calls the root: `scale` of the extension's module, `ext::scale` of PyTorch's dispatcher.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// Standard input.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub stdin: String,
    /// Files that it opens.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<RunFile>,
}

/// A scalar of an object that the root is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Held {
    /// The parameter, or the path to the pointer that leads to the object.
    pub object: String,
    /// In bytes.
    pub at: i64,
    pub what: HeldValue,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeldValue {
    Number {
        bits: u32,
        value: i128,
    },
    /// To an object of its own, of this name.
    Pointer(String),
    /// So many bytes behind what the pointer at byte `data` of the same object points to.
    Behind {
        data: i64,
        bytes: i64,
    },
    /// A `std::string` with this text.
    Text(String),
}

impl Held {
    /// The name of the object that it points to.
    #[must_use]
    pub const fn pointer_to(&self) -> Option<&String> {
        match &self.what {
            HeldValue::Pointer(to) => Some(to),
            HeldValue::Number { .. } | HeldValue::Behind { .. } | HeldValue::Text(_) => None,
        }
    }
}

/// A file that a run needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunFile {
    /// As the program opens it.
    pub name: String,
    /// Its contents; in documents two hexadecimal digits each.
    #[serde(with = "hex")]
    pub bytes: Vec<u8>,
}

/// Bytes as hexadecimal digits.
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

/// Where the access, its launch and its root are in the program that was checked: for those who run the witness again in
/// the same process. Not part of any report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sites {
    /// Module and function.
    pub root: [u32; 2],
    /// Module, function, block and instruction.
    pub access: [u32; 4],
    /// The calls that lead there from the kernel.
    pub callers: Vec<[u32; 4]>,
    pub launch: Option<[u32; 4]>,
    /// What it must stay in, where that is less than its object.
    #[serde(default)]
    pub part: Option<PartSites>,
}

/// A part of an object, by what makes it one: module, function, block and instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartSites {
    /// The store that sets its pointer, and those of the other parts.
    Named { own: [u32; 4], others: Vec<[u32; 4]> },
    /// The address computation that starts from it; its bytes.
    Row { gep: [u32; 4], bytes: u64 },
}

/// Concrete inputs under which the access goes out of bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    pub inputs: Vec<WitnessInput>,
    pub run: Run,
    pub grid: [u64; 3],
    /// Block index.
    pub block: [u64; 3],
    /// Thread index within the block.
    pub thread: [u64; 3],
    /// Byte offset of the access from the start of the allocation (negative: before it); of the partition where there is one,
    /// as is the extent.
    pub offset_bytes: i64,
    pub extent_bytes: i64,
    pub replay: Replay,
    #[serde(skip)]
    pub sites: Option<Sites>,
}

/// What a run on a device said of a finding. "Not reproduced" is not "refuted".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmedBy {
    ComputeSanitizer,
    /// A check compiled into the program: of an access of its kernels, or of the arguments of the host's calls.
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

/// The outcome of a run on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    pub status: ConfirmationStatus,
    pub by: ConfirmedBy,
    pub device: String,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub fingerprint: String,
    pub rule: Rule,
    pub level: Level,
    pub verdict: Verdict,
    /// Needs a zero-byte allocation or a size <= 0.
    pub degenerate: bool,
    /// How many template instances and launches share it.
    pub occurrences: u32,
    pub program: String,
    pub root: String,
    pub message: String,
    pub access: Access,
    pub allocation: Option<Allocation>,
    pub launch: Option<Launch>,
    /// Other places that belong to it, in the order in which they are passed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
    pub witness: Option<Witness>,
    pub confirmation: Option<Confirmation>,
    /// Why no device was asked, where `[confirm] when` wants it to be.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confirmation_not_run: Option<String>,
    pub assumptions: Vec<String>,
    pub unknowns: Vec<String>,
    /// Tensors of an operator for which it happens, by the names of its parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub arguments: BTreeMap<String, TensorArgument>,
    /// What the operator would have to check, where that was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub missing_check: Option<MissingCheck>,
    /// The architecture whose device code alone has it, where the program's lowest one has not: `sm_90`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub architecture: Option<String>,
    /// The same as an edit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix: Option<Fix>,
}

impl Finding {
    /// The tensors of which elements matter for it, by name.
    pub fn tensors_read(&self) -> impl Iterator<Item = &str> {
        let matters = |t: &TensorArgument| t.elements.values().any(|n| *n != 0);
        self.arguments.iter().filter(move |(_, t)| matters(t)).map(|(name, _)| name.as_str())
    }
}

/// An access that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undecided {
    #[serde(flatten)]
    pub position: Position,
    pub kernel: String,
    pub array: String,
    pub reason: String,
    pub code: Code,
    /// What the place leads to in headers that are nobody's own, in the order in which it is passed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
}

/// A side of a translation unit that no front end could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAnalysed {
    pub file: String,
    pub side: String,
    pub reason: String,
}

/// An object, or a member of an archive, that a program was linked from and that was not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unseen {
    /// The program's name, as in findings.
    pub program: String,
    /// The object's file name; of a member of an archive `libk.a(options.o)`.
    pub object: String,
    /// Why it was not read, and what to do.
    pub reason: String,
}

/// A unit that a build compiled without the analysis: a compiler cache had its object, or the shim was off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BuiltWithout {
    /// Its source; its object where nothing tells by which command it was compiled.
    pub file: String,
}

/// Counts of places in the source; `safe + safe_if_no_wrap + proved + possible + unknown == accesses`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub programs: u32,
    pub translation_units: u32,
    pub not_analysed: u32,
    /// Units of the build that were compiled without the analysis.
    #[serde(default)]
    pub built_without_analysis: u32,
    /// Objects and archive members that programs were linked from and that were not read.
    #[serde(default)]
    pub unseen: u32,
    pub kernels: u32,
    pub launches: u32,
    pub accesses: u32,
    pub safe: u32,
    pub safe_if_no_wrap: u32,
    /// Of these two: places that rest on an assert that NDEBUG removes, or on an `[[assume]]`.
    #[serde(default)]
    pub safe_assuming: u32,
    pub proved: u32,
    pub possible: u32,
    pub unknown: u32,
    /// What it cost, in units of work: the same on every machine.
    #[serde(default)]
    pub work: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axioms {
    pub device_memory: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub version: String,
    pub z3: String,
    pub frontend: String,
    pub axioms: Axioms,
}

/// The JSON document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    pub tool: Tool,
    pub summary: Summary,
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    pub not_analysed: Vec<NotAnalysed>,
    /// Of the build that left the facts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub built_without_analysis: Vec<BuiltWithout>,
    /// In the order of programs and objects.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen: Vec<Unseen>,
    /// Whether another run says the same. Not so where a safety net was reached.
    #[serde(skip_serializing_if = "is_true", default = "yes")]
    pub repeatable: bool,
    /// The settings of those that were.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub limits_reached: Vec<String>,
    /// Where another front end read the units too.
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
    /// Adds another program's counts and work, where its places are not at hand: one of both counts twice.
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
    /// Whether any finding is denied: decides the exit status.
    #[must_use]
    pub fn denied(&self) -> bool {
        self.findings.iter().any(|f| f.level == Level::Deny)
    }

    /// What `--strict` does not take, one line each: sides that were not read, units that were built without the analysis, objects
    /// that were linked without being read, and undecided accesses of inline assembly.
    #[must_use]
    pub fn lacking(&self) -> Vec<String> {
        let asm = self.undecided.iter().filter(|u| u.code == Code::Asm).count();
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
