//! Inserts a check at chosen accesses into the LLVM assembly of a unit's device code.
//!
//! In: the assembly that clang prints for exactly the analysed module, and the accesses. Out: the text in which each
//! address passes through `scuba_check` (`templates/check.ll`). It knows nothing of findings; all that it shares with
//! the analysis is that accesses are named by their position in the analysis form.

use super::listed::{self, PassedAddress};
use models::access::AccessMode;
use std::collections::HashMap;

const TEMPLATE: &str = include_str!("../../templates/check.ll");
/// First words of the template.
pub(super) const BEGINS: &str = "; The check compiled into a kernel,";

/// Kind of memory access of an instruction, and its pointer operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionAccess {
    Load,
    Store,
    AtomicRmw,
    CmpXchg,
    CopyTo,
    CopyFrom,
    /// An access of this kind by inline assembly or by an intrinsic that moves blocks.
    Listed(AccessMode),
}

/// Start of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayStart {
    /// Address in the table.
    Table,
    /// Variable of the module, by symbol.
    Variable(String),
    /// Start of dynamic shared memory.
    DynamicShared,
    /// Alloca `number`, from 0, of the function's `of` allocas.
    Alloca { number: usize, of: usize },
    /// Alloca of another function, which stores its address for the check.
    Kept { function: String, number: usize, of: usize },
    /// Row that an address computation starts from: number `number`, from 0, of the block's `of` address computations
    /// with a varying last index.
    Row { block: usize, number: usize, of: usize },
}

/// An access to check: number `number`, from 0, of the `of` instructions in a block that access memory. Their kinds
/// do not matter, because the analysis represents inline assembly that is one load as a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAccess {
    /// Symbol of the function.
    pub function: String,
    pub block: usize,
    pub access: InstructionAccess,
    pub number: usize,
    pub of: usize,
    pub start: ArrayStart,
    /// Width in bytes.
    pub width: u64,
}

impl CheckedAccess {
    /// Functions whose code must be the same as in the analysis.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let array = match &self.start {
            ArrayStart::Kept { function, .. } => Some(function.as_str()),
            _ => None,
        };
        std::iter::once(self.function.as_str()).chain(array)
    }
}

/// Inserts a check before each place; its row is its index in `places`. Returns the text, and the reasons for places
/// that were not found.
#[must_use]
pub fn instrument(text: &str, places: &[CheckedAccess]) -> (String, Vec<(usize, String)>) {
    let mut lines: Vec<String> = text.lines().map(relaxed).collect();
    let functions = functions(&lines);
    let dynamic = lines.iter().find_map(|l| {
        let (name, rest) = l.split_once(" = ")?;
        (rest.starts_with("external") && rest.contains("addrspace(3) global [0 x ")).then(|| name.to_owned())
    });
    let mut failed = Vec::new();
    // Lines to insert before a line: the text keeps its line numbers until all of them are known.
    let mut before: HashMap<usize, Vec<String>> = HashMap::new();
    for (row, place) in places.iter().enumerate() {
        match edit(&mut lines, &functions, place, row, dynamic.as_deref()) {
            Ok(new) => {
                for (line, text) in new {
                    before.entry(line).or_default().push(text);
                }
            }
            Err(why) => failed.push((row, why)),
        }
    }
    let mut out = String::with_capacity(text.len() + 8192);
    for (i, line) in lines.iter().enumerate() {
        for call in before.get(&i).into_iter().flatten() {
            out.push_str(call);
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&listed::declarations(&out));
    out.push_str(&template(&lines, places.len()));
    (out, failed)
}

/// Template for `rows` rows, without declarations that the module already has.
fn template(lines: &[String], rows: usize) -> String {
    let text = TEMPLATE.replace("{{rows}}", &rows.max(1).to_string());
    let known = |l: &str| {
        l.strip_prefix("declare i32 ")
            .is_some_and(|name| lines.iter().any(|m| m.starts_with("declare") && m.contains(name)))
    };
    text.lines().filter(|l| !known(l)).fold(String::new(), |out, l| out + l + "\n")
}

/// Drops flags that promise properties of address computations and arithmetic. They do not hold for a wrong access,
/// and a compiler that relies on them may drop the check.
fn relaxed(line: &str) -> String {
    if !line.starts_with("  ") {
        return line.to_owned();
    }
    let mut out = line.to_owned();
    for word in [" inbounds", " nusw", " nuw", " nsw", " exact", " disjoint", " nneg", " samesign"] {
        if out.contains(word) {
            out = out.replace(&format!("{word} "), " ").replace(&format!("{word}("), " (");
        }
    }
    out
}

/// Lines of a function by block.
pub(super) struct FunctionLines {
    pub(super) blocks: Vec<Vec<usize>>,
}

/// Instructions of each function by block. The first line of an instruction is indented by two spaces, its
/// continuation further.
pub(super) fn functions(lines: &[String]) -> HashMap<String, FunctionLines> {
    let mut out = HashMap::new();
    let mut inside: Option<(String, FunctionLines)> = None;
    for (i, line) in lines.iter().enumerate() {
        if let Some((name, body)) = &mut inside {
            if line == "}" {
                out.insert(std::mem::take(name), FunctionLines { blocks: std::mem::take(&mut body.blocks) });
                inside = None;
            } else if line.starts_with("  ") && !line.starts_with("   ") {
                if body.blocks.is_empty() {
                    body.blocks.push(vec![]);
                }
                if let Some(block) = body.blocks.last_mut() {
                    block.push(i);
                }
            } else if !line.is_empty() && !line.starts_with([' ', ';']) {
                body.blocks.push(vec![]);
            }
        } else if line.starts_with("define ")
            && line.ends_with('{')
            && let Some(name) = symbol(line)
        {
            inside = Some((name, FunctionLines { blocks: vec![] }));
        }
    }
    out
}

/// Symbol that a line defines: the name after the first `@`.
fn symbol(line: &str) -> Option<String> {
    let rest = line.split_once('@')?.1;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(name, _)| name.to_owned()),
        None => rest.split_once('(').map(|(name, _)| name.to_owned()),
    }
}

const OTHER: &str = "it is another kind of access in the unit's code";

/// Replaces the pointer of one access; returns the lines to insert, each with the line before which it goes.
fn edit(
    lines: &mut [String],
    functions: &HashMap<String, FunctionLines>,
    place: &CheckedAccess,
    row: usize,
    dynamic: Option<&str>,
) -> Result<Vec<(usize, String)>, String> {
    let function = |name: &str| functions.get(name).ok_or("its function is not in the unit's code");
    let body = function(&place.function)?;
    let block = body.blocks.get(place.block).ok_or("its block is not in the unit's code")?;
    let same: Vec<usize> = block.iter().copied().filter(|&i| accesses(&lines[i])).collect();
    if same.len() != place.of {
        return Err(format!(
            "its block has {} accesses in the unit's code, and {} in the analysis",
            same.len(),
            place.of
        ));
    }
    let line = *same.get(place.number).ok_or("it is not in its block")?;
    let debug = debug_of(&lines[line]);
    let mut new = Vec::new();
    let known = match &place.start {
        ArrayStart::Table => "null".to_owned(),
        ArrayStart::Variable(name) => global(lines, name).ok_or(format!("`{name}` is not in the unit's code"))?,
        ArrayStart::DynamicShared => generic(dynamic.ok_or("the unit has no dynamic shared memory")?, 3),
        ArrayStart::Alloca { number, of } => alloca(lines, body, *number, *of)?.1,
        ArrayStart::Kept { function: name, number, of } => {
            let (at, array) = alloca(lines, function(name)?, *number, *of)?;
            new.push((at + 1, format!("  call void @scuba_keep(i32 {row}, ptr {array}){}", debug_of(&lines[at]))));
            "null".to_owned()
        }
        ArrayStart::Row { block, number, of } => {
            let block = body.blocks.get(*block).ok_or("the block of its row is not in the unit's code")?;
            let varying: Vec<usize> = block
                .iter()
                .copied()
                .filter(|&i| last_index(&lines[i]).is_some_and(|at| lines[i][at..].contains('%')))
                .collect();
            if varying.len() != *of {
                return Err("the block of its row is another in the unit's code than in the analysis".into());
            }
            let at = *varying.get(*number).ok_or("its row is not in its block")?;
            new.push((at + 1, row_start(&lines[at], row).ok_or("its row is not in the generic address space")?));
            format!("%scuba.start.{row}")
        }
    };
    if let Some(call) = listed::call(&lines[line]) {
        let kind = match place.access {
            InstructionAccess::Load => AccessMode::Read,
            InstructionAccess::Store => AccessMode::Write,
            InstructionAccess::Listed(kind) => kind,
            _ => return Err(OTHER.into()),
        };
        let through = |h: &PassedAddress<'_>| {
            let PassedAddress { result, happens, address, bytes } = h;
            format!(
                "  {result} = call ptr @scuba_check_if(i1 {happens}, i32 {row}, ptr {address}, i64 {bytes}, ptr {known}){debug}"
            )
        };
        let (before, after) = call.handed(&lines[line], &row.to_string(), &|k| k == kind, &through)?;
        new.extend(before.into_iter().map(|text| (line, text)));
        lines[line] = after;
        return Ok(new);
    }
    if !is(&lines[line], place.access) {
        return Err(OTHER.into());
    }
    let (start, end) = pointer(&lines[line], place.access).ok_or("its address is not in the generic address space")?;
    let address = lines[line][start..end].to_owned();
    new.push((
        line,
        format!(
            "  %scuba.{row} = call ptr @scuba_check(i32 {row}, ptr {address}, i64 {}, ptr {known}){debug}",
            place.width
        ),
    ));
    lines[line].replace_range(start..end, &format!("%scuba.{row}"));
    Ok(new)
}

/// Debug location of a line, such as `, !dbg !7`: a call in a function with debug information must have one, too.
pub(super) fn debug_of(line: &str) -> String {
    let Some(at) = line.find(", !dbg ") else { return String::new() };
    let rest = &line[at + 2..];
    format!(", {}", rest.split_once(',').map_or(rest, |(d, _)| d))
}

/// Line and name of alloca `number`, from 0, of a function.
fn alloca(lines: &[String], body: &FunctionLines, number: usize, of: usize) -> Result<(usize, String), String> {
    let all: Vec<(usize, &str)> = body
        .blocks
        .iter()
        .flatten()
        .filter_map(|&i| Some((i, lines[i].trim_start().split_once(" = alloca ")?.0)))
        .collect();
    if all.len() != of {
        return Err("its function has other local variables in the unit's code than in the analysis".into());
    }
    all.get(number).map(|(i, name)| (*i, (*name).to_owned())).ok_or("its array is not in its function".into())
}

/// Position of the last index of an address computation: `i64 %i`.
fn last_index(line: &str) -> Option<usize> {
    if !line.contains(" = getelementptr ") {
        return None;
    }
    let mut depth = 0_i32;
    let mut last = None;
    for (i, c) in line.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 && line[i..].starts_with(", !") => break,
            ',' if depth == 0 => last = Some(i + 2),
            _ => {}
        }
    }
    last.filter(|at| *at < line.len())
}

/// The address computation with 0 as its last index.
fn row_start(line: &str, row: usize) -> Option<String> {
    let at = last_index(line)?;
    let (_, op) = line[..at].split_once(" = ")?;
    let ty = line[at..].split(' ').next()?;
    let base = op.find(", ptr ").map(|i| &op[i + 6..])?;
    if base.starts_with("addrspace(") {
        return None;
    }
    Some(format!("  %scuba.start.{row} = {op}{ty} 0"))
}

/// Address of a variable in the generic address space.
fn global(lines: &[String], name: &str) -> Option<String> {
    let (plain, quoted) = (format!("@{name} = "), format!("@\"{name}\" = "));
    let line = lines.iter().find(|l| l.starts_with(&plain) || l.starts_with(&quoted))?;
    let (symbol, rest) = line.split_once(" = ")?;
    let space = rest
        .split_once("addrspace(")
        .and_then(|(_, r)| r.split_once(')'))
        .and_then(|(n, _)| n.parse().ok())
        .unwrap_or(0);
    Some(generic(symbol, space))
}

pub(super) fn generic(symbol: &str, space: u32) -> String {
    if space == 0 { symbol.to_owned() } else { format!("addrspacecast (ptr addrspace({space}) {symbol} to ptr)") }
}

/// Whether an instruction is a memory access of a checked kind.
fn accesses(line: &str) -> bool {
    let plain = [
        InstructionAccess::Load,
        InstructionAccess::Store,
        InstructionAccess::AtomicRmw,
        InstructionAccess::CmpXchg,
        InstructionAccess::CopyTo,
    ];
    plain.into_iter().any(|kind| is(line, kind)) || listed::call(line).is_some()
}

/// Whether a line is an access of this kind; always false for [`InstructionAccess::Listed`].
pub(super) fn is(line: &str, access: InstructionAccess) -> bool {
    let line = line.trim_start();
    let op = line.split_once(" = ").filter(|(name, _)| name.starts_with('%')).map_or(line, |(_, op)| op);
    match access {
        InstructionAccess::Load => op.starts_with("load "),
        InstructionAccess::Store => op.starts_with("store "),
        InstructionAccess::AtomicRmw => op.starts_with("atomicrmw "),
        InstructionAccess::CmpXchg => op.starts_with("cmpxchg "),
        InstructionAccess::CopyTo | InstructionAccess::CopyFrom => {
            op.contains("@llvm.memcpy.") || op.contains("@llvm.memmove.")
        }
        InstructionAccess::Listed(_) => false,
    }
}

/// Byte range of the access's pointer operand in a line; `None` if it points into another address space.
pub(super) fn pointer(line: &str, access: InstructionAccess) -> Option<(usize, usize)> {
    // Positions of ` ptr ` outside parentheses and brackets, not counting a call's own parenthesis.
    let copy = matches!(access, InstructionAccess::CopyTo | InstructionAccess::CopyFrom);
    let base = if copy { line.find('(')? + 1 } else { 0 };
    let mut depth = 0_i32;
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    for (i, b) in bytes.iter().enumerate().skip(base) {
        match b {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b'p' if depth == 0 && line[i..].starts_with("ptr ") && (i == base || bytes[i - 1] == b' ') => {
                found.push(i + 4);
            }
            _ => {}
        }
        if depth < 0 {
            break;
        }
    }
    let at = match access {
        // The type or the value before it may be a pointer, too.
        InstructionAccess::Load | InstructionAccess::Store => *found.last()?,
        InstructionAccess::AtomicRmw | InstructionAccess::CmpXchg | InstructionAccess::CopyTo => *found.first()?,
        InstructionAccess::CopyFrom => *found.get(1)?,
        InstructionAccess::Listed(_) => return None,
    };
    // Attributes of an argument: `ptr align 4 %x`.
    let mut start = at;
    while let Some(word) = line[start..].split(' ').next().filter(|w| {
        matches!(*w, "align" | "noundef" | "nonnull" | "readonly" | "captures(none)")
            || w.bytes().all(|b| b.is_ascii_digit())
    }) {
        start += word.len() + 1;
    }
    if line[start..].starts_with("addrspace(") {
        return None;
    }
    let mut depth = 0_i32;
    let end = line[start..]
        .find(|c| {
            match c {
                '(' | '[' | '{' | '<' => depth += 1,
                ')' | ']' | '}' | '>' => depth -= 1,
                _ => {}
            }
            depth < 0 || (depth == 0 && c == ',')
        })
        .map_or(line.len(), |n| start + n);
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use super::{AccessMode, ArrayStart, CheckedAccess, InstructionAccess, instrument, pointer};

    fn operand(line: &str, access: InstructionAccess) -> &str {
        let (a, b) = pointer(line, access).unwrap();
        &line[a..b]
    }

    #[test]
    fn the_pointer_of_every_kind_of_access_is_found() {
        for (line, access, expected) in [
            ("  %0 = load i32, ptr %p, align 4, !dbg !3", InstructionAccess::Load, "%p"),
            (
                "  %0 = load volatile ptr, ptr getelementptr ([2 x ptr], ptr @a, i64 0, i64 %i), align 8",
                InstructionAccess::Load,
                "getelementptr ([2 x ptr], ptr @a, i64 0, i64 %i)",
            ),
            ("  %0 = load <4 x float>, ptr %p, align 16", InstructionAccess::Load, "%p"),
            ("  store ptr %o, ptr %o.addr, align 8", InstructionAccess::Store, "%o.addr"),
            ("  store { i32, ptr } { i32 1, ptr null }, ptr %q", InstructionAccess::Store, "%q"),
            ("  %2 = atomicrmw add ptr %p, i32 1 seq_cst, align 4", InstructionAccess::AtomicRmw, "%p"),
            ("  %2 = atomicrmw volatile xchg ptr %p, ptr %v seq_cst, align 8", InstructionAccess::AtomicRmw, "%p"),
            ("  %2 = cmpxchg ptr %p, i32 %a, i32 %b seq_cst seq_cst, align 4", InstructionAccess::CmpXchg, "%p"),
            (
                "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 12, i1 false), !dbg !3",
                InstructionAccess::CopyTo,
                "%d",
            ),
            (
                "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %d, ptr noundef align 4 %s, i64 12, i1 false), !dbg !3",
                InstructionAccess::CopyFrom,
                "%s",
            ),
        ] {
            assert_eq!(operand(line, access), expected, "{line}");
        }
        assert_eq!(pointer("  %0 = load i32, ptr addrspace(3) %p, align 4", InstructionAccess::Load), None);
    }

    const TEXT: &str = "\
@tile = internal addrspace(3) global [16 x i32] undef, align 4
@smem = external dso_local addrspace(3) global [0 x i8], align 16
define dso_local ptx_kernel void @k(ptr noundef %o) #0 !dbg !9 {
entry:
  %o.addr = alloca ptr, align 8
  %buf = alloca [4 x i32], align 4
  store ptr %o, ptr %o.addr, align 8
    #dbg_declare(ptr %o.addr, !913, !DIExpression(), !917)
  switch i32 %n, label %b [
    i32 0, label %b
  ]

b:                                                ; preds = %entry
  %0 = load ptr, ptr %o.addr, align 8, !dbg !1
  %x = getelementptr inbounds nuw [4 x i32], ptr %buf, i64 0, i64 %i
  %1 = load i32, ptr %x, align 4, !dbg !2, !tbaa !5
  store i32 %1, ptr %x, align 4
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
";

    fn place(access: InstructionAccess, number: usize, of: usize, start: ArrayStart) -> CheckedAccess {
        CheckedAccess { function: "k".into(), block: 1, access, number, of, start, width: 4 }
    }

    #[test]
    fn a_call_stands_before_the_access_and_gives_it_its_address() {
        let places = [
            place(InstructionAccess::Load, 1, 3, ArrayStart::Alloca { number: 1, of: 2 }),
            place(InstructionAccess::Store, 2, 3, ArrayStart::Variable("tile".into())),
            place(InstructionAccess::Load, 0, 3, ArrayStart::Table),
            place(InstructionAccess::Load, 0, 4, ArrayStart::Table),
            place(InstructionAccess::Store, 0, 3, ArrayStart::Table),
        ];
        let (text, failed) = instrument(TEXT, &places);
        for line in [
            "  %scuba.0 = call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr %buf), !dbg !2\n  %1 = load i32, ptr %scuba.0, align 4, !dbg !2, !tbaa !5\n",
            "  %scuba.1 = call ptr @scuba_check(i32 1, ptr %x, i64 4, ptr addrspacecast (ptr addrspace(3) @tile to ptr))\n  store i32 %1, ptr %scuba.1, align 4\n",
            "  %scuba.2 = call ptr @scuba_check(i32 2, ptr %o.addr, i64 4, ptr null), !dbg !1\n",
            "  %x = getelementptr [4 x i32], ptr %buf",
            "@scuba_table = dso_local addrspace(1) externally_initialized global [5 x [11 x i64]]",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert_eq!(
            text.matches("@llvm.nvvm.read.ptx.sreg.tid.x()\n").count()
                + text.matches("@llvm.nvvm.read.ptx.sreg.tid.x() #3").count(),
            3,
            "declared once, called twice"
        );
        let many = "its block has 3 accesses in the unit's code, and 4 in the analysis";
        assert_eq!(failed, [(3, many.to_owned()), (4, super::OTHER.to_owned())]);
    }

    #[test]
    fn assembly_that_the_analysis_has_as_a_load_is_checked_as_one() {
        let asm = r#"  %1 = call i32 asm "ld.global.cg.u32 $0, [$1];", "=r,l"(ptr %x), !dbg !2"#;
        let text = TEXT.replace("  %1 = load i32, ptr %x, align 4, !dbg !2, !tbaa !5", asm);
        for access in [InstructionAccess::Load, InstructionAccess::Listed(AccessMode::Read)] {
            let (checked, failed) = instrument(&text, &[place(access, 1, 3, ArrayStart::Table)]);
            assert!(failed.is_empty(), "{failed:?}");
            let call = "= call ptr @scuba_check_if(i1 true, i32 0, ptr %x, i64 4, ptr null), !dbg !2";
            assert!(checked.contains(call) && checked.contains(r#""=r,l"(ptr %scuba.0.r0), !dbg !2"#), "{checked}");
        }
    }

    #[test]
    fn rows_and_arrays_of_callers_are_told_to_the_check() {
        let row = |number, of| place(InstructionAccess::Load, 1, 3, ArrayStart::Row { block: 1, number, of });
        let kept = |of| place(InstructionAccess::Load, 0, 3, ArrayStart::Kept { function: "k".into(), number: 1, of });
        let (text, failed) = instrument(TEXT, &[row(0, 1), kept(2), row(0, 2), kept(3)]);
        for line in [
            "  %x = getelementptr [4 x i32], ptr %buf, i64 0, i64 %i\n  %scuba.start.0 = getelementptr [4 x i32], ptr %buf, i64 0, i64 0\n",
            "  %scuba.0 = call ptr @scuba_check(i32 0, ptr %x, i64 4, ptr %scuba.start.0), !dbg !2\n",
            "  %buf = alloca [4 x i32], align 4\n  call void @scuba_keep(i32 1, ptr %buf)\n",
            "  %scuba.1 = call ptr @scuba_check(i32 1, ptr %o.addr, i64 4, ptr null), !dbg !1\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert_eq!(failed.iter().map(|f| f.0).collect::<Vec<_>>(), [2, 3], "{failed:?}");
    }

    #[test]
    fn a_row_is_what_the_last_index_counts_from() {
        for (line, expected) in [
            (
                "  %a = getelementptr [33 x float], ptr %r, i64 0, i64 %i, !dbg !7",
                Some("  %scuba.start.3 = getelementptr [33 x float], ptr %r, i64 0, i64 0"),
            ),
            (
                "  %a = getelementptr [2 x [3 x i8]], ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 0, i32 %y, i32 %i",
                Some(
                    "  %scuba.start.3 = getelementptr [2 x [3 x i8]], ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 0, i32 %y, i32 0",
                ),
            ),
            ("  %a = getelementptr [4 x i8], ptr addrspace(3) @t, i64 0, i64 %i", None),
            ("  %a = load i32, ptr %p, align 4", None),
        ] {
            assert_eq!(super::row_start(line, 3).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn dynamic_shared_memory_begins_where_its_declaration_says() {
        let (text, failed) = instrument(TEXT, &[place(InstructionAccess::Store, 2, 3, ArrayStart::DynamicShared)]);
        assert!(failed.is_empty() && text.contains("ptr addrspacecast (ptr addrspace(3) @smem to ptr))"), "{text}");
    }
}
