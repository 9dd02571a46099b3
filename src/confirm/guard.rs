//! Guards all accesses without a check, so that no other bad access of a launch ends its kernel.
//!
//! In: a unit's code and the places of its checks, as in [`super::instrument`]. Out: the text in which every other
//! access through the generic address space also passes through `scuba_guard` (`templates/guard.ll`).

use super::instrument::{
    BEGINS, CheckedAccess, InstructionAccess, debug_of, functions, generic, instrument, is, pointer,
};
use super::listed::{self, PassedAddress};
use std::collections::HashMap;
use std::fmt::Write as _;

const GUARD: &str = include_str!("../../templates/guard.ll");
/// Intrinsics that test the window of an address.
const ASKS: [&str; 2] = ["@llvm.nvvm.isspacep.global(", "@llvm.nvvm.isspacep.shared("];
/// First architecture on which the system reserves part of the shared-memory window (PTX ISA 9.0,
/// `%reserved_smem_offset_cap`).
const RESERVES: u32 = 80;
const RESERVED: &str = r#"call i32 asm "mov.u32 $0, %reserved_smem_offset_cap;", "=r"()"#;
/// Most objects of a launch that the guard supports.
pub const RANGES: usize = 1024;

/// Adds checks at these places ([`instrument`]), and a guard before all other accesses of the generic address space,
/// for the architecture `sm_<arch>`. The guard's record is the row after those of the places. `None` if the code
/// allocates memory itself, whose addresses are unknown.
#[must_use]
pub fn guarded(text: &str, places: &[CheckedAccess], arch: u32) -> Option<String> {
    if ["@malloc(", "@_Znwm(", "@_Znam("].iter().any(|f| text.contains(f)) {
        return None;
    }
    let (checked, _) = instrument(text, places);
    // The template's own code needs no guard.
    let (own, added) = checked.split_once(BEGINS)?;
    let mut lines: Vec<String> = own.lines().map(str::to_owned).collect();
    let mut guards: HashMap<usize, Vec<String>> = HashMap::new();
    for body in functions(&lines).values() {
        let locals: Vec<String> = body
            .blocks
            .iter()
            .flatten()
            .filter_map(|&i| Some(lines[i].trim_start().split_once(" = alloca ")?.0.to_owned()))
            .collect();
        for &i in body.blocks.iter().flatten() {
            let kinds = [
                InstructionAccess::Load,
                InstructionAccess::Store,
                InstructionAccess::AtomicRmw,
                InstructionAccess::CmpXchg,
            ];
            if let Some(call) = listed::call(&lines[i]) {
                let debug = debug_of(&lines[i]);
                let through = |h: &PassedAddress<'_>| {
                    let PassedAddress { result, happens, address, bytes } = h;
                    format!("  {result} = call ptr @scuba_guard_if(i1 {happens}, ptr {address}, i64 {bytes}){debug}")
                };
                // Calls whose operands cannot be replaced stay unchanged.
                if let Ok((before, after)) = call.handed(&lines[i], &format!("guard.{i}"), &|_| true, &through) {
                    guards.insert(i, before);
                    lines[i] = after;
                }
                continue;
            }
            let Some((start, end)) =
                kinds.into_iter().find(|k| is(&lines[i], *k)).and_then(|kind| pointer(&lines[i], kind))
            else {
                continue;
            };
            let address = lines[i][start..end].to_owned();
            // A variable's bare name is a valid address.
            let named = address.contains('@') && !address.contains('%');
            if named || address.starts_with("%scuba.") || locals.contains(&address) {
                continue;
            }
            let debug = debug_of(&lines[i]);
            let width = width(&lines[i]);
            guards.insert(
                i,
                vec![format!("  %scuba.guard.{i} = call ptr @scuba_guard(ptr {address}, i64 {width}){debug}")],
            );
            lines[i].replace_range(start..end, &format!("%scuba.guard.{i}"));
        }
    }
    let mut out = String::with_capacity(2 * text.len());
    for (i, line) in lines.iter().enumerate() {
        for part in guards.get(&i).into_iter().flatten().chain([line]) {
            out.push_str(part);
            out.push('\n');
        }
    }
    let rows = |n: usize| format!("[{n} x [1");
    // The checks may have the declarations already.
    if !out.contains(&listed::declarations(&out)) {
        out.push_str(&listed::declarations(&out));
    }
    out.push_str(BEGINS);
    // One row more, for the guard.
    out.push_str(&added.replace(&rows(places.len().max(1)), &rows(places.len() + 1)));
    let guard = GUARD
        .replace("{{ranges}}", &RANGES.to_string())
        .replace("{{row}}", &places.len().to_string())
        .replace("{{reserved}}", if arch >= RESERVES { RESERVED } else { "add i32 0, 0" })
        .replace("{{variables}}", &variables(&lines));
    // A unit may declare an intrinsic itself.
    let known = |ask: &str| lines.iter().any(|l| l.starts_with("declare") && l.contains(ask));
    let guard = ASKS
        .into_iter()
        .filter(|ask| known(ask))
        .fold(guard, |g, ask| g.replace(&format!("declare i1 {ask}ptr)\n"), ""));
    Some(out + &guard)
}

/// Upper bound of the bytes that a load, store or atomic operation accesses, from the type on its line.
fn width(line: &str) -> u64 {
    let vector = |t: &str| {
        let (n, of) = t.strip_prefix('<')?.split_once(" x ")?;
        Some((n.parse::<u64>().ok()?, of.split('>').next()?.to_owned()))
    };
    let scalar = |t: &str| match t.split([' ', ',', '>']).next()? {
        "float" => Some(4),
        "double" | "ptr" => Some(8),
        "half" | "bfloat" => Some(2),
        word => Some(word.strip_prefix('i')?.parse::<u64>().ok()?.div_ceil(8)),
    };
    let op = line.trim_start();
    let op = op.split_once(" = ").filter(|(name, _)| name.starts_with('%')).map_or(op, |(_, op)| op);
    let mut words = op.split_once(' ').map_or("", |(_, rest)| rest);
    while let Some(rest) = ["volatile ", "atomic ", "weak "].iter().find_map(|w| words.strip_prefix(w)) {
        words = rest;
    }
    match vector(words) {
        Some((n, of)) => scalar(&of).map_or(1, |b| n * b),
        None => scalar(words).unwrap_or(1),
    }
}

/// Builds a function that tests whether an address is inside a variable of the module in device memory.
fn variables(lines: &[String]) -> String {
    let mut out = "define internal i1 @scuba_variable(i64 %a) nounwind {\n  %v.0 = icmp eq i64 0, 1\n".to_owned();
    let mut n = 0;
    for line in lines.iter().filter(|l| l.starts_with('@')) {
        let Some((name, rest)) = line.split_once(" = ") else { continue };
        let Some(space) = [1, 4].into_iter().find(|s| rest.contains(&format!("addrspace({s}) "))) else { continue };
        let ty = [" global ", " constant "].iter().find_map(|w| Some(first_type(rest.split_once(w)?.1)));
        let Some(ty) = ty else { continue };
        let at = generic(name, space);
        let _ = write!(
            out,
            "  %s.{n} = icmp uge i64 %a, ptrtoint (ptr {at} to i64)\n  \
             %u.{n} = icmp ult i64 %a, ptrtoint (ptr getelementptr ({ty}, ptr {at}, i64 1) to i64)\n  \
             %i.{n} = and i1 %s.{n}, %u.{n}\n  %v.{next} = or i1 %v.{n}, %i.{n}\n",
            next = n + 1
        );
        n += 1;
    }
    out + &format!("  ret i1 %v.{n}\n}}\n")
}

/// Type at the start of a text.
fn first_type(text: &str) -> &str {
    let (mut depth, mut quoted) = (0_i32, false);
    let end = text.find(|c: char| {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' | '<' if !quoted => depth += 1,
            ')' | ']' | '}' | '>' if !quoted => depth -= 1,
            _ => {}
        }
        !quoted && depth == 0 && matches!(c, ' ' | ',')
    });
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::super::instrument::ArrayStart;
    use super::{CheckedAccess, InstructionAccess, guarded};

    const TEXT: &str = "\
define dso_local ptx_kernel void @k(ptr noundef %o) #0 !dbg !9 {
entry:
  %o.addr = alloca ptr, align 8
  store ptr %o, ptr %o.addr, align 8
  %0 = load ptr, ptr %o.addr, align 8, !dbg !1
  %x = getelementptr inbounds nuw i32, ptr %0, i64 %i
  %1 = load i32, ptr %x, align 4, !dbg !2, !tbaa !5
  store i32 %1, ptr %x, align 4
  ret void
}
";

    fn place(access: InstructionAccess, number: usize, of: usize, start: ArrayStart) -> CheckedAccess {
        CheckedAccess { function: "k".into(), block: 0, access, number, of, start, width: 4 }
    }

    #[test]
    fn a_guard_stands_before_all_other_accesses() {
        let more = "@d = dso_local addrspace(1) externally_initialized global %\"struct.a b\" zeroinitializer, align 4\n\
            @c = dso_local addrspace(4) constant { i32, [2 x ptr] } undef\n";
        let text =
            guarded(&format!("{more}{TEXT}"), &[place(InstructionAccess::Load, 2, 4, ArrayStart::Table)], 80).unwrap();
        for line in [
            "  %scuba.0 = call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr null), !dbg !2\n  %1 = load i32, ptr %scuba.0, align 4",
            " = call ptr @scuba_guard(ptr %x, i64 4)\n  store i32 %1, ptr %scuba.guard.",
            "  store ptr %o, ptr %o.addr, align 8",
            "@scuba_records = dso_local addrspace(1) externally_initialized global [2 x [10 x i64]]",
            "@scuba_records, i32 1\n",
            "getelementptr (%\"struct.a b\", ptr addrspacecast (ptr addrspace(1) @d to ptr), i64 1)",
            "getelementptr ({ i32, [2 x ptr] }, ptr addrspacecast (ptr addrspace(4) @c to ptr), i64 1)",
            "  ret i1 %v.2\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let guards = text.lines().filter(|l| l.starts_with("  %scuba.guard.")).count();
        assert_eq!(guards, 1, "local variables have none");
        assert!(text.contains("%reserved = call i32 asm"), "the system's own part of shared memory: {text}");
        assert!(guarded(TEXT, &[], 75).unwrap().contains("%reserved = add i32 0, 0"));
        assert_eq!(guarded(&format!("{TEXT}declare ptr @malloc(i64)\n"), &[], 80), None);
    }

    #[test]
    fn assembly_is_guarded_where_its_text_says_what_it_accesses() {
        let asm =
            |text: &str| format!("  call void asm sideeffect \"{text}\", \"r,l,~{{memory}}\"(i32 %s, ptr %o), !dbg !2");
        let both = asm("cp.async.ca.shared.global [$0], [$1], 4;");
        let unknown = asm("st.global.u32 [$1], $0; bra L; L: ld.global.u32 %r, [%q];");
        let text = guarded(&TEXT.replace("  ret void", &format!("{both}\n{unknown}\n  ret void")), &[], 80).unwrap();
        assert_eq!(text.matches("= call ptr @scuba_guard_if(i1 true, ptr ").count(), 2, "{text}");
        assert!(text.contains(", i64 4), !dbg !2\n"), "{text}");
        assert!(text.contains(&unknown), "{text}");
        assert!(!text.contains(&both), "{text}");
        assert!(text.contains("@scuba_shared_sink = internal addrspace(3) global [512 x i8]"), "{text}");
    }
}
