//! Accesses of inline assembly and of block-moving intrinsics in LLVM assembly.
//!
//! In: a line of a unit's code. Out: its accesses according to [`models`], and the line with its addresses passed
//! through a function that may replace them. The text of an assembly statement stays unchanged; only its operands are
//! replaced.

use models::access::{
    AccessExtent, AccessMode, AddressRange, Guard, LeadingDimension, ModelledAccess, StateSpace, Tile, WARP,
};
use models::{ptx, tiles};
use std::fmt::Write as _;

/// Shared memory that replaces a bad shared address in instructions without generic addresses; its middle is used.
const SHARED_SINK: &str = "@scuba_shared_sink";
/// Bytes on either side of the middle of `@scuba_shared_sink`, and of `@scuba_sink` (`templates/check.ll`).
const SHARED_ROOM: i64 = 256;
const ROOM: i64 = 2048;
/// Bytes to move if the size of a bad access is an operand: the minimum of each such instruction.
const LITTLE: u64 = 16;
/// Elements between the lines of a bad matrix, which then fits into the sink.
const NARROW: u64 = 32;

/// An operand of a call: its type, its value, and the value's byte range in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallOperand {
    ty: String,
    value: String,
    at: (usize, usize),
}

/// A call whose accesses are known from its assembly text or its name.
pub struct ListedCall {
    accesses: Vec<ModelledAccess>,
    operands: Vec<CallOperand>,
}

/// Parts of a line that passes an address through a function:
/// `%result = call ptr @f(i1 %happens, …, ptr %address, i64 %bytes, …)`.
pub struct PassedAddress<'a> {
    pub result: &'a str,
    pub happens: &'a str,
    pub address: &'a str,
    pub bytes: &'a str,
}

/// The call on a line; `None` if the line is no call or the call accesses nothing.
pub fn call(line: &str) -> Option<ListedCall> {
    let op = line.trim_start();
    let op = op.split_once(" = ").filter(|(name, _)| name.starts_with('%')).map_or(op, |(_, op)| op);
    if !["call ", "tail call ", "notail call "].iter().any(|c| op.starts_with(c)) {
        return None;
    }
    let (accesses, open) = if let Some(at) = assembly(line) {
        let (text, rest) = quoted(&line[at..])?;
        let (constraints, rest) = quoted(rest.strip_prefix(", ")?)?;
        (ptx::accesses(&text, &constraints), line.len() - rest.len())
    } else {
        let at = line.find("@llvm.nvvm.")?;
        let open = at + line[at..].find('(')?;
        (tiles::accesses(&line[at + "@llvm.".len()..open])?, open)
    };
    (!accesses.is_empty()).then(|| ListedCall { accesses, operands: operands(line, open).unwrap_or_default() })
}

/// Start of the text of an assembly statement.
fn assembly(line: &str) -> Option<usize> {
    let mut at = line.find(" asm ")? + " asm ".len();
    while let Some(word) =
        ["sideeffect ", "alignstack ", "inteldialect ", "unwind "].iter().find(|w| line[at..].starts_with(**w))
    {
        at += word.len();
    }
    line[at..].starts_with('"').then_some(at)
}

/// Parses a quoted string and its escapes (`\0A`); returns it and the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix('"')?;
    let end = rest.find('"')?;
    let (inside, behind) = (&rest[..end], &rest[end + 1..]);
    let mut bytes = Vec::with_capacity(inside.len());
    let mut from = inside.as_bytes();
    while let [first, tail @ ..] = from {
        let code = tail.get(..2).and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
        match (first, code) {
            (b'\\', Some(code)) => {
                bytes.push(code);
                from = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                from = tail;
            }
        }
    }
    Some((String::from_utf8(bytes).ok()?, behind))
}

/// Operands between the parenthesis at `open` and its closing one.
fn operands(line: &str, open: usize) -> Option<Vec<CallOperand>> {
    let mut depth = 0_i32;
    let mut from = open + 1;
    let mut out = Vec::new();
    for (i, c) in line.char_indices().skip_while(|(i, _)| *i < open) {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            if line[from..i].trim().is_empty() {
                return Some(out);
            }
            out.push(operand(line, from, i)?);
            from = i + 1;
        }
        if depth == 0 {
            return Some(out);
        }
    }
    None
}

/// Parses the operand `ptr addrspace(3) noundef %p` between two byte positions of a line.
fn operand(line: &str, from: usize, to: usize) -> Option<CallOperand> {
    let text = line[from..to].trim_start();
    let mut start = to - text.len();
    let first = text.split(' ').next()?;
    let mut ty = first.to_owned();
    start += first.len() + 1;
    if let Some(space) = line[start..to].split(' ').next().filter(|w| w.starts_with("addrspace(")) {
        ty = format!("{ty} {space}");
        start += space.len() + 1;
    }
    let attribute = |w: &str| {
        matches!(w, "align" | "noundef" | "nonnull" | "readonly" | "immarg" | "signext" | "zeroext" | "captures(none)")
            || w.starts_with("elementtype(")
    };
    let mut last = "";
    while let Some(word) = line[start..to].split(' ').next().filter(|w| attribute(w) || last == "align") {
        start += word.len() + 1;
        last = word;
    }
    Some(CallOperand { ty, value: line.get(start..to)?.trim_end().to_owned(), at: (start, to) })
}

impl ListedCall {
    /// Passes the addresses of these accesses through a function; returns the lines to insert before, and the changed
    /// line. `id` makes names unique. If the function replaces an address, the operand points to unused memory. `Err`
    /// is the reason why this is impossible.
    pub fn handed(
        &self,
        line: &str,
        id: &str,
        wanted: &dyn Fn(AccessMode) -> bool,
        through: &dyn Fn(&PassedAddress<'_>) -> String,
    ) -> Result<(Vec<String>, String), String> {
        let mut out = LineWriter { id, lines: vec![], names: 0, bad: vec![] };
        for access in self.accesses.iter().filter(|a| wanted(a.kind)) {
            let place = access.place.ok_or("the text of its assembly does not name its address")?;
            self.access(&mut out, &place, through)?;
        }
        // From the end, so that earlier positions stay valid.
        let LineWriter { mut lines, mut bad, .. } = out;
        bad.sort_by_key(|b| std::cmp::Reverse(b.0));
        let mut new = line.to_owned();
        let mut at = 0;
        while let Some(&(operand, _, ref instead)) = bad.get(at) {
            let o = &self.operands[operand];
            let end = bad[at..].iter().take_while(|b| b.0 == operand).count();
            let mut value = o.value.clone();
            for (_, flag, _) in &bad[at..at + end] {
                let name = format!("%scuba.{id}.r{at}");
                lines.push(format!("  {name} = select i1 {flag}, {} {instead}, {} {value}", o.ty, o.ty));
                value = name;
                at += 1;
            }
            new.replace_range(o.at.0..o.at.1, &value);
        }
        Ok((lines, new))
    }

    fn operand(&self, i: usize) -> Result<&CallOperand, String> {
        self.operands.get(i).ok_or_else(|| "its operands differ from those of its text".into())
    }

    fn access(
        &self,
        out: &mut LineWriter<'_>,
        place: &AddressRange,
        through: &dyn Fn(&PassedAddress<'_>) -> String,
    ) -> Result<(), String> {
        let argument = place.address.argument;
        let operand = self.operand(argument)?;
        let happens = self.happens(out, place)?;
        let (start, instead) = out.generic(operand, place)?;
        let pieces = self.pieces(out, place)?;
        for (at, bytes) in pieces {
            let address =
                if at == "0" { start.clone() } else { out.set(&format!("getelementptr i8, ptr {start}, i64 {at}")) };
            let result = out.name();
            out.lines.push(through(&PassedAddress {
                result: &result,
                happens: &happens,
                address: &address,
                bytes: &bytes,
            }));
            let flag = out.set(&format!("icmp ne ptr {result}, {address}"));
            out.bad.push((argument, flag.clone(), instead.clone()));
            let size = match place.extent {
                AccessExtent::Argument(i) => Some((i, LITTLE)),
                AccessExtent::Tile(Tile { leading: LeadingDimension::Argument(i), .. }) => Some((i, NARROW)),
                AccessExtent::Tile(Tile { leading: LeadingDimension::LastArgument, .. }) => {
                    Some((self.operands.len() - 1, NARROW))
                }
                _ => None,
            };
            out.bad.extend(size.map(|(i, instead)| (i, flag, instead.to_string())));
        }
        Ok(())
    }

    /// An `i1` value that is true if this thread makes the access.
    fn happens(&self, out: &mut LineWriter<'_>, place: &AddressRange) -> Result<String, String> {
        let mut all = "true".to_owned();
        if let Guard::Argument { argument, set } = place.guard {
            let o = self.operand(argument)?;
            if !o.ty.starts_with('i') {
                return Err("its condition is not an integer".into());
            }
            all = out.set(&format!("icmp {} {} {}, 0", if set { "ne" } else { "eq" }, o.ty, o.value));
        }
        if place.lanes < WARP {
            let lane = out.set("call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()");
            let takes_part = out.set(&format!("icmp ult i32 {lane}, {}", place.lanes));
            all = out.set(&format!("and i1 {all}, {takes_part}"));
        }
        Ok(all)
    }

    /// Pieces of an access, each by its byte offset from the address and its size: the lines of a matrix, or a single
    /// piece.
    fn pieces(&self, out: &mut LineWriter<'_>, place: &AddressRange) -> Result<Vec<(String, String)>, String> {
        let tile = match place.extent {
            AccessExtent::Bytes(n) => return Ok(vec![("0".into(), n.to_string())]),
            AccessExtent::Argument(i) => return Ok(vec![("0".into(), out.wide(self.operand(i)?)?)]),
            AccessExtent::Tile(tile) => tile,
        };
        let bytes = tile.line_bytes.get();
        let leading = match tile.leading {
            LeadingDimension::Packed => (bytes * 8).to_string(),
            LeadingDimension::Argument(i) => out.bits(self.operand(i)?, tile.bits)?,
            LeadingDimension::LastArgument => out.bits(self.operands.last().ok_or("it has no operands")?, tile.bits)?,
        };
        Ok((0..tile.lines)
            .map(|i| {
                let bits = out.set(&format!("mul i64 {leading}, {i}"));
                (out.set(&format!("lshr i64 {bits}, 3")), bytes.to_string())
            })
            .collect())
    }
}

/// Lines to insert before a line.
struct LineWriter<'a> {
    id: &'a str,
    lines: Vec<String>,
    names: usize,
    /// Replacements of operands, each under the flag that selects it.
    bad: Vec<(usize, String, String)>,
}

impl LineWriter<'_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%scuba.{}.{}", self.id, self.names)
    }

    fn set(&mut self, value: &str) -> String {
        let name = self.name();
        self.lines.push(format!("  {name} = {value}"));
        name
    }

    /// Zero-extends an unsigned 32-bit integer to 64 bits.
    fn wide(&mut self, o: &CallOperand) -> Result<String, String> {
        match o.ty.as_str() {
            "i32" | "i16" => Ok(self.set(&format!("zext {} {} to i64", o.ty, o.value))),
            "i64" => Ok(self.set(&format!("and i64 {}, {}", o.value, u32::MAX))),
            _ => Err("its size is not an integer".into()),
        }
    }

    fn bits(&mut self, o: &CallOperand, of_one: u32) -> Result<String, String> {
        let wide = self.wide(o)?;
        Ok(self.set(&format!("mul i64 {wide}, {of_one}")))
    }

    /// Generic address of an access, and the replacement of its operand if the access is bad.
    fn generic(&mut self, o: &CallOperand, place: &AddressRange) -> Result<(String, String), String> {
        let window = "its address is not in the generic address space, nor in the windows of shared and global memory";
        let shared = place.space == StateSpace::Shared || o.ty == "ptr addrspace(3)";
        if place.space == StateSpace::Other {
            return Err(window.into());
        }
        let room = if shared { SHARED_ROOM } else { ROOM };
        let sink = if shared { SHARED_SINK } else { "@scuba_sink" };
        let space = if shared { 3 } else { 1 };
        // A matrix needs the whole sink.
        let at = if matches!(place.extent, AccessExtent::Tile(_)) { 0 } else { room };
        let sink = format!("getelementptr (i8, ptr addrspace({space}) {sink}, i64 {at})");
        let (start, instead) = match (o.ty.as_str(), shared) {
            ("ptr", false) => (o.value.clone(), format!("addrspacecast (ptr addrspace(1) {sink} to ptr)")),
            ("ptr addrspace(1)", false) | ("ptr addrspace(3)", true) => {
                (self.set(&format!("addrspacecast {} {} to ptr", o.ty, o.value)), sink)
            }
            ("i64", false) => (
                self.set(&format!("inttoptr i64 {} to ptr", o.value)),
                format!("ptrtoint (ptr addrspacecast (ptr addrspace(1) {sink} to ptr) to i64)"),
            ),
            ("i32" | "i64", true) => {
                let pointer = self.set(&format!("inttoptr {} {} to ptr addrspace(3)", o.ty, o.value));
                (
                    self.set(&format!("addrspacecast ptr addrspace(3) {pointer} to ptr")),
                    format!("ptrtoint (ptr addrspace(3) {sink} to {})", o.ty),
                )
            }
            _ => return Err(window.into()),
        };
        if place.address.offset.unsigned_abs() > room.unsigned_abs() / 2 {
            return Err(format!("it goes {} bytes beyond its operand", place.address.offset));
        }
        if place.address.offset == 0 {
            return Ok((start, instead));
        }
        Ok((self.set(&format!("getelementptr i8, ptr {start}, i64 {}", place.address.offset)), instead))
    }
}

/// Declarations that instrumented code needs besides the templates.
pub fn declarations(text: &str) -> String {
    let mut out = String::new();
    if text.contains(SHARED_SINK) {
        let _ =
            writeln!(out, "{SHARED_SINK} = internal addrspace(3) global [{} x i8] undef, align 256", 2 * SHARED_ROOM);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{AccessMode, PassedAddress, call};

    fn handed(line: &str, wanted: AccessMode) -> Result<(Vec<String>, String), String> {
        let through = |h: &PassedAddress<'_>| {
            format!("  {} = call ptr @f(i1 {}, ptr {}, i64 {})", h.result, h.happens, h.address, h.bytes)
        };
        call(line).unwrap().handed(line, "7", &|k| k == wanted, &through)
    }

    #[test]
    fn an_operand_of_assembly_is_replaced_where_its_address_is_bad() {
        let line = r#"  %5 = call i32 asm sideeffect "ld.acquire.gpu.global.b32 $0, [$1+8];", "=r,l,~{memory}"(ptr noundef %p) #4, !dbg !10"#;
        let (before, after) = handed(line, AccessMode::Read).unwrap();
        assert_eq!(
            before,
            [
                "  %scuba.7.1 = getelementptr i8, ptr %p, i64 8",
                "  %scuba.7.2 = call ptr @f(i1 true, ptr %scuba.7.1, i64 4)",
                "  %scuba.7.3 = icmp ne ptr %scuba.7.2, %scuba.7.1",
                "  %scuba.7.r0 = select i1 %scuba.7.3, ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @scuba_sink, i64 2048) to ptr), ptr %p",
            ]
        );
        assert_eq!(after, line.replace("(ptr noundef %p)", "(ptr noundef %scuba.7.r0)"));
    }

    #[test]
    fn addresses_of_shared_memory_have_a_place_of_their_own_and_conditions_are_asked() {
        let line = r#"  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0;\0A @p st.shared.v2.u32 [$0], {$1, $1}; }", "r,r,r,~{memory}"(i32 %a, i32 1, i32 %n)"#;
        let (before, after) = handed(line, AccessMode::Write).unwrap();
        let text = before.join("\n");
        for part in [
            "%scuba.7.1 = icmp ne i32 %n, 0",
            "inttoptr i32 %a to ptr addrspace(3)",
            "@f(i1 %scuba.7.1, ptr %scuba.7.3, i64 8)",
            "i32 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @scuba_shared_sink, i64 256) to i32), i32 %a",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(after.ends_with("(i32 %scuba.7.r0, i32 1, i32 %n)"), "{after}");
        assert_eq!(handed(line, AccessMode::Read), Ok((vec![], line.to_owned())));
    }

    #[test]
    fn a_matrix_is_looked_at_line_by_line() {
        let line = "  %2 = call { <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr align 16 %t, i32 %ld), !dbg !3";
        let (before, after) = handed(line, AccessMode::Read).unwrap();
        assert_eq!(before.iter().filter(|l| l.contains("call ptr @f(i1 true, ")).count(), 16, "{before:?}");
        assert!(before.iter().any(|l| l.ends_with(", i64 32)")), "lines of 16 elements: {before:?}");
        assert!(after.contains("(ptr align 16 %scuba.7.r31, i32 %scuba.7.r15), !dbg !3"), "{after}");
    }

    #[test]
    fn what_is_no_such_call_is_none() {
        for line in [
            "  %1 = load i32, ptr %p, align 4",
            r#"  call void asm sideeffect "membar.gl;", "~{memory}"()"#,
            "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
            "  call void @f(ptr %p)",
        ] {
            assert!(call(line).is_none(), "{line}");
        }
    }
}
