//! Tests of the check on the host: runs code with checks thread by thread, with functions in place of the
//! thread-index registers.

use super::kernel_check::{CheckRow, RowRecord, record, statements};
use finding::Witness;
use finding::samples;
use frontend::checks::{ArrayStart, CheckRequest, CheckedAccess};
use frontend::llvm::checks::insert;
use ir::{FuncId, FuncRef, ModuleId};
use models::access::AccessMode;
use std::process::Command;
use witness::Snapshot;

/// A part of dynamic shared memory, a row of a tile, and an array passed to another function, each accessed one
/// element too far.
const CODE: &str = r#"
@smem = external dso_local addrspace(3) global [0 x i8], align 16
@tile = internal addrspace(3) global [4 x [4 x i32]] zeroinitializer, align 4

define dso_local ptx_kernel void @part() {
entry:
STORE_BEHIND
  ret void
}

define dso_local ptx_kernel void @row() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %y = zext i32 %u to i64
  %r = getelementptr inbounds [4 x [4 x i32]], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %y
  %i = add nsw i32 %t, 1
  %x = zext i32 %i to i64
  %p = getelementptr inbounds nuw [4 x i32], ptr %r, i64 0, i64 %x
  store i32 7, ptr %p, align 4
  ret void
}

define internal void @put(ptr noundef %a, i32 noundef %i) noinline {
entry:
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %w
  store i32 7, ptr %p, align 4
  ret void
}

define dso_local ptx_kernel void @local() {
entry:
  %a = alloca [4 x i32], align 4
  %b = alloca [4 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add nsw i32 %t, 1
  call void @put(ptr noundef %b, i32 noundef 0)
  call void @put(ptr noundef %a, i32 noundef %i)
  ret void
}

define dso_local ptx_kernel void @two() {
entry:
STORE_BEHIND
  %q = getelementptr inbounds i32, ptr %p, i64 3
  store i32 8, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
"#;

/// Body of kernels that contain this word: each thread writes the element after its own.
const STORE_BEHIND: &str = "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add nsw i32 %t, 1
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @smem to ptr), i64 %w
  store i32 7, ptr %p, align 4";

/// Driver that runs 4 × `rows` threads. Prints the records as the launcher does, with addresses as byte offsets in
/// dynamic shared memory, and the contents of that memory.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
extern long scuba_table[ROWS][11], scuba_records[ROWS][10];
char smem[64];
static int x, y;
int zero(void) __asm__("sreg.ctaid.x"); int zero(void) { return 0; }
int zero1(void) __asm__("sreg.ctaid.y"); int zero1(void) { return 0; }
int zero2(void) __asm__("sreg.ctaid.z"); int zero2(void) { return 0; }
int tx(void) __asm__("sreg.tid.x"); int tx(void) { return x; }
int ty(void) __asm__("sreg.tid.y"); int ty(void) { return y; }
int tz(void) __asm__("sreg.tid.z"); int tz(void) { return 0; }
void KERNEL(void);
int main(void) {
    int at, length; unsigned byte;
    while (scanf("%d %d ", &at, &length) == 2)
        for (int i = 0; i < length; ++i) if (scanf("%2x", &byte) == 1) ((unsigned char *)scuba_table)[at + i] = byte;
    for (y = 0; y < 4; ++y) for (x = 0; x < 4; ++x) KERNEL();
    for (int r = 0; r < ROWS; ++r) if (scuba_records[r][0] != 0) {
        printf("record %d", r);
        for (int i = 0; i < 9; ++i) printf(" %ld", scuba_records[r][i]);
        printf(" 0x%lx\n", scuba_records[r][9] - (long)smem);
    }
    for (int i = 0; i < 32; i += 4) printf("%d ", *(int *)(smem + i));
    return 0;
}
"#;

fn place(function: &str, start: ArrayStart) -> CheckedAccess {
    CheckedAccess { function: function.into(), block: 0, mode: AccessMode::Write, number: 0, of: 1, start, width: 4 }
}

fn witness(thread: [u64; 3], offset_bytes: i64, extent_bytes: i64) -> Witness {
    Witness { block: [0; 3], thread, offset_bytes, extent_bytes, ..samples::finding().witness.unwrap() }
}

/// Record of one row with its check enabled, and the contents of dynamic shared memory.
fn run(kernel: &str, rows: &[CheckRow<'_>], own: usize) -> (Option<RowRecord>, String) {
    let (mut records, memory) = run_together(kernel, rows, &[own]);
    (records.swap_remove(own), memory)
}

/// Records of all rows with the checks of some enabled.
fn run_together(kernel: &str, rows: &[CheckRow<'_>], on: &[usize]) -> (Vec<Option<RowRecord>>, String) {
    let places: Vec<CheckedAccess> = rows.iter().map(|r| r.place.clone()).collect();
    let request = CheckRequest { places, guard: None, output: "checks".into() };
    let inserted = insert(CODE.replace("STORE_BEHIND", STORE_BEHIND).as_bytes(), &request).unwrap();
    assert_eq!(inserted.failed, []);
    let snapshot = Snapshot {
        kernel: FuncRef { module: ModuleId(0), func: FuncId(0) },
        grid: [1; 3],
        block: [4, 4, 1],
        shared: 64,
        parameters: vec![],
        objects: vec![],
        target: None,
        target_kind: None,
        target_variable: None,
        device_bytes: 0,
    };
    let table: String = statements(&on.iter().map(|&i| (&rows[i], &snapshot)).collect::<Vec<_>>(), rows)
        .lines()
        .filter_map(|l| l.strip_prefix("bytes table ")?.split_once(' '))
        .map(|(at, hex)| format!("{at} {} {hex}\n", hex.len() / 2))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("k.ll"), inserted.code.replace("ptx_kernel ", "").replace("llvm.nvvm.read.ptx.", "")).unwrap();
    std::fs::write(path("driver.c"), DRIVER.replace("KERNEL", kernel).replace("ROWS", &rows.len().to_string()))
        .unwrap();
    std::fs::write(path("table"), table).unwrap();
    let done = Command::new("clang-22")
        .args(["-w", "-O1", "-o"])
        .arg(path("run"))
        .args([path("driver.c"), path("k.ll")])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = Command::new(path("run")).stdin(std::fs::File::open(path("table")).unwrap()).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    (
        (0..rows.len()).map(|row| record(&text, row)).collect(),
        text.lines().last().unwrap_or_default().trim_end().to_owned(),
    )
}

/// Removes the address of an array whose position is unknown here.
fn anywhere(seen: Option<RowRecord>) -> Option<RowRecord> {
    let record = seen?;
    assert!(record.address.is_some(), "{record:?}");
    Some(RowRecord { address: None, ..record })
}

#[test]
fn what_leaves_its_part_is_recorded_and_skipped() {
    let place = place("part", ArrayStart::DynamicShared);
    let part = |from: i64, w: Witness, shared: bool| {
        run("part", &[CheckRow { number: 0, place: &place, shared, part: Some(from), witness: &w, nowhere: false }], 0)
    };
    // The first sixteen bytes: the last thread of each row of threads goes beyond them.
    let (seen, memory) = part(0, witness([3, 2, 0], 16, 16), false);
    assert_eq!(
        seen,
        Some(RowRecord { count: 4, by_witness: 1, offset: 16, address: Some(16), block: [0; 3], thread: [3, 0, 0] })
    );
    assert_eq!(memory, "0 7 7 7 0 0 0 0", "nothing is written behind the part");
    // The second half of them: one access before it, and one after it.
    let (seen, memory) = part(8, witness([0, 1, 0], -4, 8), false);
    assert_eq!(
        seen,
        Some(RowRecord { count: 8, by_witness: 1, offset: -4, address: Some(4), block: [0; 3], thread: [0, 0, 0] })
    );
    assert_eq!(memory, "0 0 7 7 0 0 0 0");
    // Code with several callers or accesses: only the witness's own access counts.
    let (seen, memory) = part(8, witness([0, 1, 0], -4, 8), true);
    assert_eq!(
        seen,
        Some(RowRecord { count: 1, by_witness: 1, offset: -4, address: Some(4), block: [0; 3], thread: [0, 1, 0] })
    );
    assert_eq!(memory, "0 7 7 7 7 0 0 0");
    // Neither another thread's access nor one that stays inside is the witness.
    assert_eq!(part(0, witness([2, 0, 0], 16, 16), false).0.map(|r| (r.count, r.by_witness)), Some((4, 0)));
    assert_eq!(part(0, witness([3, 0, 0], 16, 64), false).0, None);
}

#[test]
fn a_row_begins_where_the_code_says() {
    let place = place("row", ArrayStart::Row { block: 0, number: 1, of: 2 });
    let w = witness([3, 2, 0], 16, 16);
    let (seen, _) = run(
        "row",
        &[CheckRow { number: 0, place: &place, shared: false, part: Some(32), witness: &w, nowhere: false }],
        0,
    );
    assert_eq!(
        anywhere(seen),
        Some(RowRecord { count: 4, by_witness: 1, offset: 16, address: None, block: [0; 3], thread: [3, 0, 0] })
    );
}

#[test]
fn an_array_of_another_function_is_that_of_the_witness() {
    let place = place("put", ArrayStart::Kept { function: "local".into(), number: 0, of: 2 });
    let w = witness([3, 1, 0], 16, 16);
    let (seen, _) = run(
        "local",
        &[CheckRow { number: 0, place: &place, shared: false, part: None, witness: &w, nowhere: false }],
        0,
    );
    assert_eq!(
        anywhere(seen),
        Some(RowRecord { count: 1, by_witness: 1, offset: 16, address: None, block: [0; 3], thread: [3, 1, 0] })
    );
}

#[test]
fn several_checks_of_one_access_do_not_hide_each_other() {
    let (whole, part) = (
        place("row", ArrayStart::Variable("tile".into())),
        place("row", ArrayStart::Row { block: 0, number: 1, of: 2 }),
    );
    // The last thread leaves its row and the tile.
    let (out, across) = (witness([3, 3, 0], 64, 64), witness([3, 3, 0], 16, 16));
    let rows = [
        CheckRow { number: 0, place: &whole, shared: false, part: None, witness: &out, nowhere: false },
        CheckRow { number: 1, place: &part, shared: false, part: Some(48), witness: &across, nowhere: false },
    ];
    assert_eq!(run("row", &rows, 0).0.map(|r| (r.count, r.by_witness)), Some((1, 1)));
    assert_eq!(run("row", &rows, 1).0.map(|r| (r.count, r.by_witness)), Some((4, 1)));
}

#[test]
fn checks_of_several_accesses_are_on_in_one_run() {
    let at = |number| CheckedAccess { number, of: 2, ..place("two", ArrayStart::DynamicShared) };
    let (first, second) = (at(0), at(1));
    // The first sixteen bytes, and the sixteen after them: one element of each access is outside.
    let (one, other) = (witness([3, 0, 0], 16, 16), witness([3, 1, 0], 16, 16));
    let rows = [
        CheckRow { number: 0, place: &first, shared: false, part: Some(0), witness: &one, nowhere: false },
        CheckRow { number: 1, place: &second, shared: false, part: Some(12), witness: &other, nowhere: false },
    ];
    let (records, memory) = run_together("two", &rows, &[0, 1]);
    let seen: Vec<_> = records.iter().flatten().map(|r| (r.count, r.by_witness, r.offset)).collect();
    assert_eq!(seen, [(4, 1, 16), (4, 1, 16)]);
    assert_eq!(memory, "0 7 7 7 8 8 8 0", "both are skipped where they are bad");
    // With one check alone, the other access is not skipped.
    let (records, memory) = run_together("two", &rows, &[1]);
    assert_eq!((records[0], records[1].map(|r| r.count), memory.as_str()), (None, Some(4), "0 7 7 7 7 8 8 0"));
}
