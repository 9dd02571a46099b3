use super::insert;
use crate::checks::{ArrayStart, CheckRequest, CheckedAccess, InsertedChecks};
use models::access::AccessMode;

const KERNEL: &str = "\
@tile = internal addrspace(3) global [16 x i32] undef, align 4
@smem = external dso_local addrspace(3) global [0 x i8], align 16
define dso_local ptx_kernel void @k(ptr noundef %o, i64 %i, i32 %n) {
entry:
  %o.addr = alloca ptr, align 8
  %buf = alloca [4 x i32], align 4
  store ptr %o, ptr %o.addr, align 8
  switch i32 %n, label %b [
    i32 0, label %b
  ]

b:                                                ; preds = %entry
  %0 = load ptr, ptr %o.addr, align 8
  %x = getelementptr inbounds nuw [4 x i32], ptr %buf, i64 0, i64 %i
  ACCESS
  store i32 7, ptr %x, align 4
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
";
const LOAD: &str = "%v = load i32, ptr %x, align 4";

/// The kernel with another access in place of its second load.
fn kernel(access: &str) -> String {
    KERNEL.replace("ACCESS", access)
}

fn place(mode: AccessMode, number: usize, of: usize, start: ArrayStart) -> CheckedAccess {
    CheckedAccess { function: "k".into(), block: 1, mode, number, of, start, width: 4 }
}

/// A check of the access in the kernel's second block that stands for `ACCESS`.
fn second(mode: AccessMode) -> CheckedAccess {
    place(mode, 1, 3, ArrayStart::Table)
}

fn inserted(code: &str, places: &[CheckedAccess], guard: Option<u32>) -> InsertedChecks {
    insert(code.as_bytes(), &CheckRequest { places: places.to_vec(), guard, output: "checks".into() }).unwrap()
}

/// Kernel `k` of some code, with the values of calls named by their first use: `%1 = call f(…)` and then `%1` reads
/// `[f(…)]`.
fn folded(code: &str) -> Vec<String> {
    let body = code.split_once("void @k(").unwrap().1.split_once("\n}").unwrap().0;
    let mut known: Vec<(String, String)> = vec![];
    let mut lines = vec![];
    for line in body.lines().skip(1).map(str::trim) {
        let mut text = line.to_owned();
        let (name, op) = line.split_once(" = ").unwrap_or(("", line));
        let words = |text: &str, name: &str, value: &str| {
            let ends = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '.');
            let mut out = String::new();
            let mut rest = text;
            while let Some(at) = rest.find(name) {
                let whole = ends(rest[at + name.len()..].chars().next());
                out += &rest[..at];
                out += if whole { value } else { name };
                rest = &rest[at + name.len()..];
            }
            out + rest
        };
        let is_ours = ["@scuba", "getelementptr", "select", "icmp", "inttoptr", "addrspacecast", "ptrtoint"];
        if name.strip_prefix('%').is_some_and(|n| n.parse::<u32>().is_ok()) && is_ours.iter().any(|o| op.contains(o)) {
            let value = known.iter().rev().fold(op.to_owned(), |t, (n, v)| words(&t, n, v));
            known.push((name.to_owned(), format!("[{value}]")));
            continue;
        }
        for (n, v) in known.iter().rev() {
            text = words(&text, n, v);
        }
        lines.push(text);
    }
    lines
}

#[track_caller]
fn has(lines: &[String], wanted: &str) {
    assert!(lines.iter().any(|l| l == wanted), "{wanted}\n{}", lines.join("\n"));
}

#[test]
fn the_address_of_every_kind_of_access_passes_through_the_check() {
    const CHECKED: &str = "[call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr null)]";
    for (access, mode) in [
        ("%v = load i32, ptr %x, align 4", AccessMode::Read),
        ("%v = load volatile ptr, ptr %x, align 8", AccessMode::Read),
        ("%v = load <4 x float>, ptr %x, align 16", AccessMode::Read),
        ("store ptr %o, ptr %x, align 8", AccessMode::Write),
        ("store { i32, ptr } { i32 1, ptr null }, ptr %x, align 8", AccessMode::Write),
        ("%v = atomicrmw add ptr %x, i32 1 seq_cst, align 4", AccessMode::Atomic),
        ("%v = atomicrmw volatile xchg ptr %x, ptr %o seq_cst, align 8", AccessMode::Atomic),
        ("%v = cmpxchg ptr %x, i32 %n, i32 %n seq_cst seq_cst, align 4", AccessMode::Atomic),
        ("call void @llvm.memcpy.p0.p0.i64(ptr align 4 %x, ptr align 4 %o, i64 12, i1 false)", AccessMode::Write),
        (
            "call void @llvm.memcpy.p0.p0.i64(ptr align 4 %o, ptr noundef align 4 %x, i64 12, i1 false)",
            AccessMode::Read,
        ),
    ] {
        let checked = inserted(&kernel(access), &[second(mode)], None);
        assert_eq!(checked.failed, [], "{access}");
        has(&folded(&checked.code), &access.replace("%x", CHECKED));
    }
    let shared = inserted(&kernel("%v = load i32, ptr addrspace(3) @tile, align 4"), &[second(AccessMode::Read)], None);
    assert_eq!(shared.failed, [(0, "its address is not in the generic address space".to_owned())]);
}

#[test]
fn a_check_gets_the_array_of_its_access() {
    let places = [
        place(AccessMode::Read, 1, 3, ArrayStart::Alloca { number: 1, of: 2 }),
        place(AccessMode::Write, 2, 3, ArrayStart::Variable("tile".into())),
        place(AccessMode::Read, 0, 3, ArrayStart::Table),
        place(AccessMode::Read, 0, 4, ArrayStart::Table),
        place(AccessMode::Write, 0, 3, ArrayStart::Table),
    ];
    let checked = inserted(&kernel(LOAD), &places, None);
    let lines = folded(&checked.code);
    has(&lines, "%v = load i32, ptr [call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr %buf)], align 4");
    has(
        &lines,
        "store i32 7, ptr [call ptr @scuba_check(i32 1, ptr %x, i64 4, ptr addrspacecast (ptr addrspace(3) @tile to ptr))], align 4",
    );
    has(&lines, "%x = getelementptr [4 x i32], ptr %buf, i64 0, i64 %i");
    assert!(
        checked.code.contains("scuba_table = dso_local addrspace(1) externally_initialized global [5 x [11 x i64]]")
    );
    let many = "its block has 3 accesses in the unit's code, and 4 in the analysis";
    let other = "it is another kind of access in the unit's code";
    assert_eq!(checked.failed, [(3, many.to_owned()), (4, other.to_owned())]);
    let dynamic = inserted(&kernel(LOAD), &[place(AccessMode::Write, 2, 3, ArrayStart::DynamicShared)], None);
    assert!(dynamic.code.contains("ptr addrspacecast (ptr addrspace(3) @smem to ptr))"), "{}", dynamic.code);
}

#[test]
fn rows_and_arrays_of_callers_are_told_to_the_check() {
    let row = |number, of| place(AccessMode::Read, 1, 3, ArrayStart::Row { block: 1, number, of });
    let kept = |of| place(AccessMode::Read, 0, 3, ArrayStart::Kept { function: "k".into(), number: 1, of });
    let checked = inserted(&kernel(LOAD), &[row(0, 1), kept(2), row(0, 2), kept(3)], None);
    let lines = folded(&checked.code);
    has(
        &lines,
        "%v = load i32, ptr [call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr [getelementptr [4 x i32], ptr %buf, i64 0, i64 0])], align 4",
    );
    has(&lines, "call void @scuba_keep(i32 1, ptr %buf)");
    assert_eq!(checked.failed.iter().map(|f| f.0).collect::<Vec<_>>(), [2, 3], "{:?}", checked.failed);
}

#[test]
fn an_operand_of_assembly_is_replaced_where_its_address_is_bad() {
    // The analysis has assembly that is one load as a load.
    let asm =
        r#"%v = call i32 asm sideeffect "ld.acquire.gpu.global.b32 $0, [$1+8];", "=r,l,~{memory}"(ptr noundef %x)"#;
    let checked = inserted(&kernel(asm), &[second(AccessMode::Read)], None);
    assert_eq!(checked.failed, []);
    let address = "[getelementptr i8, ptr %x, i64 8]";
    let bad =
        format!("[icmp ne ptr [call ptr @scuba_check_if(i1 true, i32 0, ptr {address}, i64 4, ptr null)], {address}]");
    let sink = "addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @scuba_sink, i64 2048) to ptr)";
    has(&folded(&checked.code), &asm.replace("%x", &format!("[select i1 {bad}, ptr {sink}, ptr %x]")));
    let written = inserted(&kernel(asm), &[second(AccessMode::Write)], None);
    assert_eq!(written.failed.len(), 1);
}

#[test]
fn addresses_of_shared_memory_have_a_place_of_their_own_and_conditions_are_asked() {
    let asm = r#"call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0;\0A @p st.shared.v2.u32 [$0], {$1, $1}; }", "r,r,r,~{memory}"(i32 %a, i32 1, i32 %n)"#;
    let code = kernel(&format!("%a = trunc i64 %i to i32\n  {asm}"));
    let checked = inserted(&code, &[second(AccessMode::Write)], None);
    assert_eq!(checked.failed, []);
    let lines = folded(&checked.code);
    let line = lines.iter().find(|l| l.starts_with("call void asm")).unwrap();
    for part in [
        "@scuba_check_if(i1 [icmp ne i32 %n, 0], i32 0, ptr [addrspacecast ptr addrspace(3) [inttoptr i32 %a to ptr addrspace(3)] to ptr], i64 8, ptr null)",
        "i32 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @scuba_shared_sink, i64 256) to i32), i32 %a], i32 1, i32 %n)",
    ] {
        assert!(line.contains(part), "{part}\n{line}");
    }
}

#[test]
fn a_matrix_is_looked_at_line_by_line() {
    let of = "{ <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> }";
    let name = "@llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0";
    let code = kernel(&format!("%v = call {of} {name}(ptr align 16 %x, i32 %n)"))
        + &format!("declare {of} {name}(ptr, i32)\n");
    let checked = inserted(&code, &[second(AccessMode::Read)], None);
    assert_eq!(checked.failed, []);
    let body = checked.code.split_once("void @k(").unwrap().1.split_once("\n}").unwrap().0;
    let of_a_line =
        |l: &&str| l.contains("call ptr @scuba_check_if(i1 true, i32 0, ptr ") && l.contains(", i64 32, ptr null)");
    assert_eq!(body.lines().filter(of_a_line).count(), 16, "lines of 16 elements: {body}");
    assert_eq!(body.matches("select i1").count(), 32, "address and leading dimension: {body}");
}

#[test]
fn a_guard_stands_before_all_other_accesses() {
    let more = "%\"struct.a b\" = type { i32 }\n\
        @d = dso_local addrspace(1) externally_initialized global %\"struct.a b\" zeroinitializer, align 4\n\
        @c = dso_local addrspace(4) constant { i32, [2 x ptr] } undef\n";
    let code = more.to_owned() + &kernel(LOAD);
    let text = inserted(&code, &[second(AccessMode::Read)], Some(80)).guarded.unwrap();
    let lines = folded(&text);
    has(&lines, "%v = load i32, ptr [call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr null)], align 4");
    has(&lines, "store i32 7, ptr [call ptr @scuba_guard(ptr %x, i64 4)], align 4");
    has(&lines, "store ptr %o, ptr %o.addr, align 8");
    for part in [
        "@scuba_records = dso_local addrspace(1) externally_initialized global [2 x [10 x i64]]",
        "@scuba_records, i32 1\n",
        "ptrtoint (ptr addrspacecast (ptr addrspace(1) @d to ptr) to i64)",
        "ptrtoint (ptr addrspacecast (ptr addrspace(4) @c to ptr) to i64)",
        "%reserved = call i32 asm",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.contains(", 24\n"), "the bytes of the second variable: {text}");
    let older = inserted(&code, &[], Some(75)).guarded.unwrap();
    assert!(older.contains("%reserved = add i32 0, 0") && older.contains("isspacep.param"));
    let oldest = inserted(&code, &[], Some(60)).guarded.unwrap();
    assert!(oldest.contains("%parameter.n = add i32 0, 0") && !oldest.contains("isspacep.param"));
    assert_eq!(inserted(&format!("{code}declare ptr @malloc(i64)\n"), &[], Some(80)).guarded, None);
}

#[test]
fn assembly_is_guarded_where_its_text_says_what_it_accesses() {
    let asm = |text: &str| format!("call void asm sideeffect \"{text}\", \"r,l,~{{memory}}\"(i32 %n, ptr %o)");
    let both = asm("cp.async.ca.shared.global [$0], [$1], 4;");
    let unknown = asm("st.global.u32 [$1], $0; bra L; L: ld.global.u32 %r, [%q];");
    let none = asm("membar.gl;");
    let text = inserted(&kernel(&format!("{both}\n  {unknown}\n  {none}")), &[], Some(80)).guarded.unwrap();
    let lines = folded(&text);
    has(&lines, &unknown);
    has(&lines, &none);
    let line = lines.iter().find(|l| l.contains("cp.async")).unwrap();
    assert_eq!(line.matches("@scuba_guard_if(i1 true, ptr ").count(), 2, "{line}");
    assert!(line.contains("@scuba_shared_sink"), "{line}");
}
