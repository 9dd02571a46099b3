//! Checks compiled into a kernel, for faults that Compute Sanitizer does not see or that another bad access hides.
//!
//! In: a unit, its program, and accesses with the launches that replays reached. Out: PTX of the unit's device code
//! that tests each of these accesses against its array's bounds, records it, and skips it if it is bad. The code is
//! clang's, from the same extraction as the analysis.

use super::execute::COMPILE_TIME;
use super::prepare::ROOM;
use super::process;
use super::scratch::Scratch;
use config::FrontendKind;
use files::store;
use finding::{Direction, Witness};
use frontend::checks::{ArrayStart, CheckRequest, CheckedAccess, InsertedChecks, RANGES};
use frontend::{self, ExtractOptions};
use ir::{AddressStep, Block, Callee, Function, Module, ModuleId, Op, Operand, Program, Side};
use models::access::AccessMode;
use models::{self, ptx, tiles};
use nvcc::unit::TranslationUnit;
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};
use witness::{AccessFault, BadAccess, ObjectKind, PartTarget, ProgramPoint, Snapshot};

/// Variable names of the table and of the records.
const TABLE: &str = "scuba_table";
const RECORDS: &str = "scuba_records";
/// Words in a row of the table.
const WIDTH: usize = 11;
/// Variable name of the guard's ranges.
const KNOWN: &str = "scuba_ranges";
/// Size in bytes of the memory that replaces the target of a bad access.
const SINK: u64 = 4096;

/// Position of an access and the start of its array. `Err` is the reason why it cannot be checked.
pub fn place(
    program: &Program,
    bad: &BadAccess,
    parts: Option<&PartTarget>,
    direction: Direction,
    bytes: u64,
    snapshot: &Snapshot,
) -> Result<CheckedAccess, String> {
    let site = bad.site;
    if site.func.module != snapshot.kernel.module {
        return Err("the access is in another unit than its kernel".into());
    }
    let f = program.func(site.func);
    let block = &f.blocks[site.block.index()];
    let inst = block.insts.get(site.inst as usize).ok_or("the access is not an instruction of its block")?;
    let kinds = ModuleAccesses(program, site.func.module);
    let mode = kinds.of(&inst.op, direction).ok_or("its kind of memory access is not checked")?;
    if bytes > SINK {
        return Err(format!("it accesses {bytes} bytes at once"));
    }
    let (number, of) = nth(block, site.inst, |op| kinds.accesses(op)).ok_or("the access is not in its block")?;
    let start = match parts {
        Some(PartTarget::Row { gep, .. }) => row(program, site, *gep)?,
        _ => whole(program, bad, snapshot)?,
    };
    Ok(CheckedAccess { function: f.name.clone(), block: site.block.index(), mode, number, of, start, width: bytes })
}

/// Start of the object of an access.
fn whole(program: &Program, bad: &BadAccess, snapshot: &Snapshot) -> Result<ArrayStart, String> {
    let gone = "the memory that it was meant for no longer exists, or never did";
    Ok(match (snapshot.target_kind, snapshot.target_variable) {
        (Some(ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned), _) if snapshot.target.is_some() => {
            ArrayStart::Table
        }
        // Host memory has an address, and no memory at all has the address 0.
        (Some(ObjectKind::HostHeap), _) if snapshot.target.is_some() => ArrayStart::Table,
        (Some(ObjectKind::Wild), _) if matches!(bad.fault, AccessFault::Null | AccessFault::Bounds) => {
            ArrayStart::Table
        }
        (Some(ObjectKind::Shared | ObjectKind::DeviceGlobal | ObjectKind::Constant), Some(v)) => {
            ArrayStart::Variable(program.global(v).name.clone())
        }
        (Some(ObjectKind::DynamicShared), _) => ArrayStart::DynamicShared,
        (Some(ObjectKind::Local), _) => {
            let at = bad.object.alloc.ok_or("its array is a parameter that was passed by value")?;
            if at.func.module != snapshot.kernel.module {
                return Err("its array is a local variable of another unit".into());
            }
            let f = program.func(at.func);
            let (number, of) = alloca(f, at).ok_or(gone)?;
            if at.func == bad.site.func {
                ArrayStart::Alloca { number, of }
            } else {
                ArrayStart::Kept { function: f.name.clone(), number, of }
            }
        }
        _ => return Err(gone.into()),
    })
}

/// Start of the row that an access must stay in.
fn row(program: &Program, access: ProgramPoint, gep: ProgramPoint) -> Result<ArrayStart, String> {
    if gep.func != access.func {
        return Err("its row is one of another function's array".into());
    }
    let block = &program.func(gep.func).blocks[gep.block.index()];
    let varying = |op: &Op| matches!(op, Op::Gep { steps, .. } if matches!(steps.last(), Some(AddressStep::Index { index: Operand::Value(_), .. })));
    let (number, of) = nth(block, gep.inst, varying).ok_or("its row is not where it was")?;
    Ok(ArrayStart::Row { block: gep.block.index(), number, of })
}

/// Whether an instruction makes several accesses of a mode, which one check then covers.
pub fn serves_several(program: &Program, site: ProgramPoint, mode: AccessMode) -> bool {
    let inst = program.func(site.func).blocks[site.block.index()].insts.get(site.inst as usize);
    let listed = |op| ModuleAccesses(program, site.func.module).listed(op);
    inst.is_some_and(|i| listed(&i.op).iter().filter(|a| a.kind == mode).count() > 1)
}

/// Index of an instruction among the block's instructions of one kind, and their number.
fn nth(block: &Block, inst: u32, is: impl Fn(&Op) -> bool) -> Option<(usize, usize)> {
    let same: Vec<usize> = (0..block.insts.len()).filter(|&i| is(&block.insts[i].op)).collect();
    Some((same.iter().position(|&i| i == inst as usize)?, same.len()))
}

/// Memory accesses of a module's instructions.
#[derive(Clone, Copy)]
struct ModuleAccesses<'p>(&'p Program, ModuleId);

impl ModuleAccesses<'_> {
    /// Mode of the access that an instruction makes in this direction.
    fn of(self, op: &Op, direction: Direction) -> Option<AccessMode> {
        Some(match op {
            Op::Load { .. } => AccessMode::Read,
            Op::Store { .. } => AccessMode::Write,
            Op::AtomicRmw { .. } | Op::CmpXchg { .. } => AccessMode::Atomic,
            Op::MemCopy { .. } if direction == Direction::Read => AccessMode::Read,
            Op::MemCopy { .. } => AccessMode::Write,
            _ => {
                let wanted = match direction {
                    Direction::Read => AccessMode::Read,
                    Direction::Write => AccessMode::Write,
                    Direction::Atomic => AccessMode::Atomic,
                };
                self.listed(op).iter().find(|a| a.kind == wanted)?.kind
            }
        })
    }

    /// Whether an instruction is a memory access of a checked kind.
    fn accesses(self, op: &Op) -> bool {
        self.of(op, Direction::Write).is_some() || !self.listed(op).is_empty()
    }

    /// Accesses of inline assembly or an intrinsic.
    fn listed(self, op: &Op) -> Vec<models::access::ModelledAccess> {
        let Self(program, module) = self;
        match op {
            Op::Asm { text, constraints, .. } => ptx::accesses(text, constraints),
            Op::Call { callee: Callee::Direct(f), .. } => {
                let name = &program.module(module).func(*f).name;
                name.strip_prefix("llvm.").and_then(tiles::accesses).unwrap_or_default()
            }
            _ => vec![],
        }
    }
}

/// Index of an alloca in its function, and the number of allocas.
fn alloca(f: &Function, at: ProgramPoint) -> Option<(usize, usize)> {
    let all: Vec<(usize, usize)> = f
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(b, block)| {
            block.insts.iter().enumerate().filter(|(_, i)| matches!(i.op, Op::Alloca { .. })).map(move |(i, _)| (b, i))
        })
        .collect();
    Some((all.iter().position(|&p| p == (at.block.index(), at.inst as usize))?, all.len()))
}

/// An access with a check in the unit's code, and the bounds of a witness.
pub struct CheckRow<'a> {
    /// Row number in the table.
    pub number: usize,
    pub place: &'a CheckedAccess,
    /// Whether the check covers several callers or several accesses.
    pub shared: bool,
    /// Start of the part of the array that the access must stay in, in bytes from the array's start; `None` for the
    /// whole array.
    pub part: Option<i64>,
    pub witness: &'a Witness,
    /// Whether every byte is bad: the memory was freed, or is no device memory.
    pub nowhere: bool,
}

impl CheckRow<'_> {
    /// Whether the bounds are the same in every launch and for every thread, and leaving them ends the kernel.
    fn is_fixed(&self) -> bool {
        !self.shared
            && !self.nowhere
            && self.part.is_none()
            && matches!(self.place.start, ArrayStart::Alloca { .. } | ArrayStart::Variable(_))
    }

    /// Whether both rows belong to the same instruction.
    pub fn is_same_access(&self, other: &Self) -> bool {
        let at = |r: &Self| (r.place.block, r.place.mode, r.place.number);
        self.place.function == other.place.function && at(self) == at(other)
    }
}

/// Statements of `templates/launch.cpp` that enable the checks of these rows, of one launch. They also enable the
/// rows of other accesses with fixed arrays, so that these are skipped if they are bad instead of ending the kernel.
/// The launch may stop when all rows in `on` have seen their witnesses: some launches take minutes.
pub fn statements(on: &[(&CheckRow<'_>, &Snapshot)], all: &[CheckRow<'_>]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "object table symbol 0 {TABLE}");
    let is_on =
        |other: &CheckRow<'_>| on.iter().any(|(row, _)| row.number == other.number || row.is_same_access(other));
    for other in all.iter().filter(|o| o.is_fixed() && !is_on(o)) {
        // No thread is the witness.
        let none = [u64::MAX; 7];
        let at = other.number * WIDTH * 8;
        let extent = other.witness.extent_bytes.cast_unsigned();
        let _ = writeln!(
            out,
            "bytes table {at} {}\nbytes table {} {}",
            words(&[1]),
            at + 16,
            words(&[&[extent], &none[..]].concat())
        );
    }
    for (row, snapshot) in on {
        out.push_str(&switched_on(row, snapshot));
    }
    let sought = on.iter().fold(String::new(), |all, (row, _)| format!("{all} {}", row.number));
    let _ = writeln!(out, "records {RECORDS}{sought}");
    out
}

/// Statements that give the guard the objects of a launch; `None` if there are too many.
pub fn ranges(snapshot: &Snapshot) -> Option<String> {
    let mut out = format!("object ranges symbol 0 {KNOWN}\n");
    let here =
        snapshot.objects.iter().enumerate().filter(|(_, o)| {
            !o.freed && matches!(o.kind, ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned)
        });
    let mut count = 0;
    for (i, o) in here {
        let at = count * 16;
        let _ = writeln!(
            out,
            "address ranges {at} {i} -{ROOM}\naddress ranges {} {i} {}",
            at + 8,
            o.image.size.saturating_add(ROOM)
        );
        count += 1;
    }
    (count <= RANGES).then_some(out)
}

/// Statements that enable a row with its own witness.
fn switched_on(row: &CheckRow<'_>, snapshot: &Snapshot) -> String {
    let at = row.number * WIDTH * 8;
    // An array whose address only one thread provides belongs to that thread.
    let alone = !row.shared && !row.nowhere && !matches!(row.place.start, ArrayStart::Kept { .. });
    let mut out = format!("bytes table {at} {}\n", words(&[if alone { 1 } else { 2 }]));
    if let (ArrayStart::Table, Some(target)) = (&row.place.start, snapshot.target) {
        let _ = writeln!(out, "address table {} {target} 0", at + 8);
    }
    let w = row.witness;
    let [bx, by, bz] = w.block;
    let [tx, ty, tz] = w.thread;
    // The code computes the start of a row itself.
    let from = if matches!(row.place.start, ArrayStart::Row { .. }) { 0 } else { row.part.unwrap_or(0) };
    let extent = if row.nowhere { 0 } else { w.extent_bytes };
    let values = [extent.cast_unsigned(), bx, by, bz, tx, ty, tz, w.offset_bytes.cast_unsigned(), from.cast_unsigned()];
    let _ = writeln!(out, "bytes table {} {}", at + 16, words(&values));
    out
}

/// Bytes of 64-bit words in memory order, as hexadecimal digits.
fn words(values: &[u64]) -> String {
    values.iter().flat_map(|v| v.to_le_bytes()).fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

/// Record of one row, as the launch printed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRecord {
    /// Number of out-of-bounds executions of the access.
    pub count: u64,
    /// Number of those by the witness's thread at the witness's offset.
    pub by_witness: u64,
    /// Offset of the witness in bytes from the start of the array or its part.
    pub offset: i64,
    /// Generic address of the witness's access; shared and local memory have windows in this address space. Bundles
    /// of older versions do not record it.
    pub address: Option<u64>,
    /// Block of the first out-of-bounds execution; `thread` is its thread.
    pub block: [u64; 3],
    pub thread: [u64; 3],
}

/// Parses the record of a row; `None` if the access was never out of bounds.
pub fn record(output: &str, row: usize) -> Option<RowRecord> {
    let mut words = output.lines().find_map(|l| l.strip_prefix(&format!("record {row} ")))?.split(' ');
    let mut number = || words.next()?.parse::<i64>().ok();
    let (count, by_witness, offset) = (number()?.cast_unsigned(), number()?.cast_unsigned(), number()?);
    let mut three = || Some([number()?.cast_unsigned(), number()?.cast_unsigned(), number()?.cast_unsigned()]);
    let (block, thread) = (three()?, three()?);
    let address =
        words.next().and_then(|w| u64::from_str_radix(w.strip_prefix("0x")?, 16).ok()).filter(|_| by_witness > 0);
    Some(RowRecord { count, by_witness, offset, address, block, thread })
}

/// Code of a unit with checks.
pub struct CheckedCode {
    pub ptx: String,
    /// Reason for each place that was not found.
    pub failed: Vec<(usize, String)>,
    /// Code that also has a guard before all other accesses, if possible.
    pub guarded: Option<String>,
}

/// Compiles a unit to PTX with checks at these places, by `until` and with no process left running. With such a
/// limit, the guard is left out.
///
/// # Errors
/// If clang cannot be run, takes too long, or reads the unit differently than in the analysis; the text is one line.
pub fn compile(
    unit: &TranslationUnit,
    analysed: &Module,
    places: &[CheckedAccess],
    options: &ExtractOptions,
    until: Option<Instant>,
) -> Result<CheckedCode, String> {
    let left = || until.map_or(COMPILE_TIME, |end| end.saturating_duration_since(Instant::now()));
    if left().is_zero() {
        return Err("the time limit was reached".into());
    }
    let folder = Scratch::new().map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    let path = |name: &str| folder.path().join(name);
    let march = format!("-march={}", if analysed.arch.is_empty() { "sm_75" } else { &analysed.arch });
    let number =
        march.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(|c: char| !c.is_ascii_digit());
    let guard = until.is_none().then(|| number.parse().unwrap_or(75));
    let request = CheckRequest { places: places.to_vec(), guard, output: path("checks") };
    // The code is clang's; another front end's reading of the unit is of no use here.
    let options = ExtractOptions {
        kind: FrontendKind::Clang,
        checks: Some(request),
        time_limit: options.time_limit.within(left()),
        ..options.clone()
    };
    let extraction = frontend::extract(unit, &options).map_err(|e| e.to_string())?;
    let now =
        extraction.modules.iter().find(|m| m.side == Side::Device).ok_or("clang no longer reads the device side")?;
    for name in places.iter().flat_map(CheckedAccess::functions) {
        let function = |m: &Module| m.functions.iter().find(|f| f.name == name).map(|f| postcard::to_stdvec(&f.blocks));
        if function(now) != function(analysed) {
            return Err(format!("`{name}` has changed since it was analysed"));
        }
    }
    let InsertedChecks { code, failed, guarded } =
        store::read(&path("checks")).ok_or("the worker inserted no checks into it")?;
    let feature = ptx_feature(&code).unwrap_or("+ptx80");
    let ptx = |code: &str| {
        std::fs::write(path("checked.ll"), code).map_err(|e| format!("no room for the code with checks: {e}"))?;
        let source = path("checked.ll");
        let mut command = Command::new(&options.clang);
        command.args(["-x", "ir"]).arg(source).args(["-S", "-O1", "--target=nvptx64-nvidia-cuda", &march, "-w", "-o"]);
        command.arg(path("checked.ptx")).args(["-Xclang", "-target-feature", "-Xclang", feature]);
        finish(command, &options, left())?;
        std::fs::read_to_string(path("checked.ptx")).map_err(|e| format!("clang's output: {e}"))
    };
    Ok(CheckedCode { ptx: ptx(&code)?, failed, guarded: guarded.and_then(|code| ptx(&code).ok()) })
}

/// PTX version that clang chose for the installed toolkit, from the functions' attributes.
fn ptx_feature(text: &str) -> Option<&str> {
    let at = text.find("+ptx")?;
    let end = text[at + 4..].find(|c: char| !c.is_ascii_digit())?;
    Some(&text[at..at + 4 + end])
}

/// Runs clang to its end.
fn finish(mut command: Command, options: &ExtractOptions, limit: Duration) -> Result<(), String> {
    let done = process::run(&mut command, "", limit, Some(options.memory_limit))
        .map_err(|e| format!("{}: {e}", options.clang.display()))?;
    if done.success() {
        return Ok(());
    }
    let line = done.output.lines().find(|l| l.contains("error:")).or(done.output.lines().next()).unwrap_or_default();
    Err(format!("clang {}: {line}", done.how()))
}

#[cfg(test)]
mod tests {
    use super::{RowRecord, ptx_feature, record};

    #[test]
    fn records_are_read_by_their_row() {
        let output = "device NVIDIA H200\nobject 0 at 0x7f bytes 8\nran\nrecord 1 40 1 -8 0 1 2 3 4 5 0x7f5a00000478\nrecord 2 3 0 0 0 0 0 1 0 0 0x0\n";
        let one = RowRecord {
            count: 40,
            by_witness: 1,
            offset: -8,
            address: Some(0x7f5a_0000_0478),
            block: [0, 1, 2],
            thread: [3, 4, 5],
        };
        assert_eq!(record(output, 1), Some(one));
        assert_eq!(
            record(output, 2),
            Some(RowRecord { count: 3, by_witness: 0, offset: 0, address: None, block: [0; 3], thread: [1, 0, 0] })
        );
        assert_eq!(record(output, 0), None);
        assert_eq!(record("record 0 1 2", 0), None);
        // Output of a bundle of an older version.
        assert_eq!(record("record 1 40 1 -8 0 1 2 3 4 5\n", 1), Some(RowRecord { address: None, ..one }));
    }

    #[test]
    fn the_version_of_ptx_is_clangs() {
        assert_eq!(
            ptx_feature(r#"attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }"#),
            Some("+ptx88")
        );
        assert_eq!(ptx_feature("define"), None);
    }
}
