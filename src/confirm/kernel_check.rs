//! The check compiled into a kernel: for what Compute Sanitizer cannot see, and for what another bad access hides from it.
//!
//! In: a unit, the program it is part of, accesses with the launch that a replay saw. Out: PTX of the unit's own device code in
//! which each of these accesses is tested against its array's bounds, recorded, and skipped where it is bad. The code is clang's,
//! from the very reading that was analysed.

use super::instrument::{Access, Place, Start, instrument};
use crate::frontend::{self, ExtractOptions};
use crate::ir::{Function, Module, Op, Operand, Program, Side, ValueId};
use crate::nvcc::unit::TranslationUnit;
use crate::report::finding::{Direction, Witness};
use crate::witness::{ObjectKind, Site, Snapshot};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name of the table's variable and of the records'.
const TABLE: &str = "scuba_table";
const RECORDS: &str = "scuba_records";
/// Words in a row of the table.
const WIDTH: usize = 10;
/// What the check gives a bad access to use instead.
const SINK: u64 = 4096;

/// Where an access is and where its array begins; `Err`: why it cannot be checked so.
pub fn place(program: &Program, site: Site, direction: Direction, bytes: u64, snapshot: &Snapshot) -> Result<Place, String> {
    if site.func.module != snapshot.kernel.module { return Err("the access is in another unit than its kernel".into()); }
    let f = program.func(site.func);
    let block = &f.blocks[site.block.index()];
    let inst = block.insts.get(site.inst as usize).ok_or("the access is no instruction of its block")?;
    let access = kind(&inst.op, direction).ok_or("what it does with memory is not one that is checked")?;
    if bytes > SINK { return Err(format!("it accesses {bytes} bytes at once")); }
    let same: Vec<usize> = (0..block.insts.len()).filter(|&i| same_kind(&block.insts[i].op, access)).collect();
    let number = same.iter().position(|&i| i == site.inst as usize).ok_or("the access is not in its block")?;
    let start = match (snapshot.target_kind, snapshot.target_variable) {
        (Some(ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned), _) if snapshot.target.is_some() => Start::Table,
        (Some(ObjectKind::Shared | ObjectKind::DeviceGlobal | ObjectKind::Constant), Some(v)) => Start::Variable(program.global(v).name.clone()),
        (Some(ObjectKind::DynamicShared), _) => Start::DynamicShared,
        (Some(ObjectKind::Local), _) => alloca(f, pointer(&inst.op, access)).ok_or("its array is a local variable of another function")?,
        _ => return Err("the memory it was meant for does not exist any more, or never did".into()),
    };
    Ok(Place { function: f.name.clone(), block: site.block.index(), access, number, of: same.len(), start, width: bytes })
}

fn kind(op: &Op, direction: Direction) -> Option<Access> {
    Some(match op {
        Op::Load { .. } => Access::Load,
        Op::Store { .. } => Access::Store,
        Op::AtomicRmw { .. } => Access::AtomicRmw,
        Op::CmpXchg { .. } => Access::CmpXchg,
        Op::MemCopy { .. } if direction == Direction::Read => Access::CopyFrom,
        Op::MemCopy { .. } => Access::CopyTo,
        _ => return None,
    })
}

fn same_kind(op: &Op, access: Access) -> bool {
    match access {
        Access::CopyTo | Access::CopyFrom => matches!(op, Op::MemCopy { .. }),
        one => kind(op, Direction::Write) == Some(one),
    }
}

fn pointer(op: &Op, access: Access) -> Option<ValueId> {
    let operand = match op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => ptr,
        Op::MemCopy { dst, src, .. } => if access == Access::CopyFrom { src } else { dst },
        _ => return None,
    };
    match operand { Operand::Value(v) => Some(*v), Operand::Const(_) => None }
}

/// The alloca that an address is computed from, by its number in the function.
fn alloca(f: &Function, from: Option<ValueId>) -> Option<Start> {
    let insts = || f.blocks.iter().flat_map(|b| &b.insts);
    let mut value = from?;
    loop {
        let inst = insts().find(|i| i.result == Some(value))?;
        let base = match &inst.op {
            Op::Alloca { .. } => break,
            Op::Gep { base, .. } => base,
            Op::Cast { value, .. } | Op::Freeze(value) => value,
            _ => return None,
        };
        let Operand::Value(v) = base else { return None };
        value = *v;
    }
    let all: Vec<_> = insts().filter(|i| matches!(i.op, Op::Alloca { .. })).collect();
    Some(Start::Alloca { number: all.iter().position(|i| i.result == Some(value))?, of: all.len() })
}

/// An access with a check in the same code.
pub struct Other<'a> {
    pub row: usize,
    pub place: &'a Place,
    pub shared: bool,
    /// Bytes of its array.
    pub extent: i64,
}

/// The statements of `templates/launch.cpp` that switch one row's check on, and those of `others` whose arrays are the same in
/// every launch: they too are skipped where they are bad, or they would end the kernel.
/// `shared`: the access's code serves several callers.
pub fn statements(row: usize, place: &Place, shared: bool, w: &Witness, snapshot: &Snapshot, others: &[Other<'_>]) -> String {
    let at = row * WIDTH * 8;
    let mut out = String::new();
    let _ = writeln!(out, "object table symbol 0 {TABLE}");
    let fixed = |o: &&Other<'_>| o.row != row && !o.shared && matches!(o.place.start, Start::Alloca { .. } | Start::Variable(_));
    for Other { row: other, extent, .. } in others.iter().filter(fixed) {
        // No thread is its witness.
        let none = [u64::MAX; 7];
        let at = other * WIDTH * 8;
        let _ = writeln!(out, "bytes table {at} {}\nbytes table {} {}", words(&[1]), at + 16, words(&[&[extent.cast_unsigned()], &none[..]].concat()));
    }
    let _ = writeln!(out, "bytes table {at} {}", words(&[if shared { 2 } else { 1 }]));
    if let (Start::Table, Some(target)) = (&place.start, snapshot.target) { let _ = writeln!(out, "address table {} {target} 0", at + 8); }
    let extent = w.extent_bytes.cast_unsigned();
    let [bx, by, bz] = w.block;
    let [tx, ty, tz] = w.thread;
    let _ = writeln!(out, "bytes table {} {}", at + 16, words(&[extent, bx, by, bz, tx, ty, tz, w.offset_bytes.cast_unsigned()]));
    let _ = writeln!(out, "records {RECORDS}");
    out
}

/// Words of 64 bits as their bytes lie in memory.
fn words(values: &[u64]) -> String {
    values.iter().flat_map(|v| v.to_le_bytes()).fold(String::new(), |mut s, b| { let _ = write!(s, "{b:02x}"); s })
}

/// What the launch printed of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// How often the access was out of bounds.
    pub count: u64,
    /// Of these, by the witness's thread at the witness's place.
    pub by_witness: u64,
    /// That place: bytes from the start of the array.
    pub offset: i64,
    /// The first that was.
    pub block: [u64; 3],
    pub thread: [u64; 3],
}

/// Reads a row's record; `None` where the access was never out of bounds.
pub fn record(output: &str, row: usize) -> Option<Record> {
    let words = output.lines().find_map(|l| l.strip_prefix(&format!("record {row} ")))?;
    let n: Vec<i64> = words.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [count, by_witness, offset, place @ ..] = n.as_slice() else { return None };
    let mut place = place.iter().map(|v| v.cast_unsigned());
    let mut three = || Some([place.next()?, place.next()?, place.next()?]);
    Some(Record { count: count.cast_unsigned(), by_witness: by_witness.cast_unsigned(), offset: *offset, block: three()?, thread: three()? })
}

/// PTX of a unit with checks at these places, and for each that could not be found why.
///
/// # Errors
/// When clang cannot be run, or does not read the unit as it did when it was analysed; in one line.
pub fn compile(unit: &TranslationUnit, analysed: &Module, places: &[Place], options: &ExtractOptions) -> Result<(String, Vec<(usize, String)>), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let path = |name: &str| folder.path().join(name);
    let options = ExtractOptions { keep_device_code: Some(path("unit.bc")), ..options.clone() };
    let extraction = frontend::extract(unit, &options).map_err(|e| e.to_string())?;
    let now = extraction.modules.iter().find(|m| m.side == Side::Device).ok_or("clang does not read the device side any more")?;
    for place in places {
        let function = |m: &Module| m.functions.iter().find(|f| f.name == place.function).map(|f| postcard::to_stdvec(&f.blocks));
        if function(now) != function(analysed) { return Err(format!("`{}` has changed since it was analysed", place.function)); }
    }
    let run = |arguments: &[&str], output: &str| clang(&options.clang, arguments, &path(output));
    run(&["-x", "ir", &path("unit.bc").to_string_lossy(), "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "--target=nvptx64-nvidia-cuda"], "unit.ll")?;
    let text = std::fs::read_to_string(path("unit.ll")).map_err(|e| format!("clang's output: {e}"))?;
    // Debug information would make it code for a debugger.
    let text = text.replace("emissionKind: FullDebug", "emissionKind: NoDebug");
    let (checked, failed) = instrument(&text, places);
    std::fs::write(path("checked.ll"), checked).map_err(|e| format!("no room for the code with checks: {e}"))?;
    let march = format!("-march={}", if analysed.arch.is_empty() { "sm_75" } else { &analysed.arch });
    let feature = ptx_feature(&text).unwrap_or("+ptx80");
    run(&["-x", "ir", &path("checked.ll").to_string_lossy(), "-S", "-O1", "--target=nvptx64-nvidia-cuda", &march, "-Xclang", "-target-feature", "-Xclang", feature], "checked.ptx")?;
    let ptx = std::fs::read_to_string(path("checked.ptx")).map_err(|e| format!("clang's output: {e}"))?;
    Ok((ptx, failed))
}

/// The version of PTX that clang chose for the toolkit at hand, as it stands in the functions' attributes.
fn ptx_feature(text: &str) -> Option<&str> {
    let at = text.find("+ptx")?;
    let end = text[at + 4..].find(|c: char| !c.is_ascii_digit())?;
    Some(&text[at..at + 4 + end])
}

fn clang(clang: &Path, arguments: &[&str], output: &Path) -> Result<(), String> {
    let done = Command::new(clang).args(arguments).args(["-w", "-o"]).arg(output).stdin(Stdio::null()).output()
        .map_err(|e| format!("{}: {e}", clang.display()))?;
    if done.status.success() { return Ok(()); }
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    let line = text.lines().find(|l| l.contains("error:")).or(text.lines().next()).unwrap_or_default().to_owned();
    Err(format!("clang: {line}"))
}

#[cfg(test)]
mod tests {
    use super::{Record, ptx_feature, record};

    #[test]
    fn records_are_read_by_their_row() {
        let output = "device NVIDIA H200\nobject 0 at 0x7f bytes 8\nran\nrecord 1 40 1 -8 0 1 2 3 4 5\n";
        assert_eq!(record(output, 1), Some(Record { count: 40, by_witness: 1, offset: -8, block: [0, 1, 2], thread: [3, 4, 5] }));
        assert_eq!(record(output, 0), None);
        assert_eq!(record("record 0 1 2", 0), None);
    }

    #[test]
    fn the_version_of_ptx_is_clangs() {
        assert_eq!(ptx_feature(r#"attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }"#), Some("+ptx88"));
        assert_eq!(ptx_feature("define"), None);
    }
}
