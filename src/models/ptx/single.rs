//! A statement that is a single `ld` or `st` of a generic pointer, from its text in LLVM's spelling (operands are `$0`).
//!
//! Syntax: PTX ISA 9.0, sections 9.7.9.8 (`ld`) and 9.7.9.12 (`st`).

use ir::TypeKind;

/// A single `ld` or `st`.
#[derive(Clone, Debug, PartialEq)]
pub struct PtxAccess {
    pub store: bool,
    /// Type of an element in memory, and whether a wider register sign-extends it.
    pub element: TypeKind,
    pub signed: bool,
    pub volatile: bool,
    /// Operand that holds the address.
    pub address: usize,
    /// Offset in bytes added to the address.
    pub offset: i64,
    /// Operands for the elements; several for vectors.
    pub registers: Vec<usize>,
}

/// Returns the number of result operands of an assembly statement, by its constraint string; `None` if some operand is
/// in memory.
#[must_use]
pub fn outputs(constraints: &str) -> Option<usize> {
    let list: Vec<&str> = constraints.split(',').filter(|c| !c.is_empty()).collect();
    if list.iter().any(|c| c.contains('*')) {
        return None;
    }
    Some(list.iter().filter(|c| c.starts_with('=')).count())
}

/// Parses the text of an assembly statement (LLVM's spelling: operands are `$0`).
#[must_use]
pub fn parse(text: &str) -> Option<PtxAccess> {
    let statement = text.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    if statement.contains(';') || statement.contains("//") {
        return None;
    }
    let (mnemonic, operands) = statement.split_once(char::is_whitespace)?;
    let mut parts = mnemonic.split('.');
    let store = match parts.next()? {
        "ld" | "ldu" => false,
        "st" => true,
        _ => return None,
    };
    let mut volatile = false;
    let mut lanes = 1;
    let mut element = None;
    for part in parts {
        match part {
            "volatile" | "relaxed" | "acquire" | "release" | "mmio" => volatile = true,
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "v8" => lanes = 8,
            _ => match scalar(part) {
                Some(e) => element = Some(e),
                None if QUALIFIERS.contains(&part.split("::").next().unwrap_or_default()) => {}
                None => return None,
            },
        }
    }
    let (element, signed) = element?;
    let open = operands.find('[')?;
    let close = operands.find(']')?;
    let (before, inside, behind) = (&operands[..open], operands.get(open + 1..close)?, &operands[close + 1..]);
    let list = if store { behind.trim().strip_prefix(',')? } else { before.trim().strip_suffix(',')? };
    if !(if store { before } else { behind }).trim().is_empty() {
        return None;
    }
    let list = list.trim();
    let list = list.strip_prefix('{').map_or(Some(list), |l| l.strip_suffix('}'))?;
    let registers = list.split(',').map(|r| operand(r.trim())).collect::<Option<Vec<_>>>()?;
    let (address, offset) = match inside.split_once('+') {
        Some((a, o)) => (operand(a.trim())?, o.trim().parse().ok()?),
        None => (operand(inside.trim())?, 0),
    };
    (registers.len() == lanes).then_some(PtxAccess { store, element, signed, volatile, address, offset, registers })
}

/// Qualifiers without effect on the access: global memory, whose addresses are generic ones (PTX ISA 9.0, 5.1), cache
/// operators and hints, scopes.
const QUALIFIERS: &[&str] =
    &["global", "weak", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "cta", "cluster", "gpu", "sys", "L1", "L2"];

fn scalar(part: &str) -> Option<(TypeKind, bool)> {
    let bits: u32 = part.get(1..)?.parse().ok()?;
    match (part.as_bytes()[0], bits) {
        (b's', 8 | 16 | 32 | 64) => Some((TypeKind::Int(bits), true)),
        (b'u' | b'b', 8 | 16 | 32 | 64 | 128) => Some((TypeKind::Int(bits), false)),
        (b'f', 32 | 64) => Some((TypeKind::Float(bits), false)),
        _ => None,
    }
}

fn operand(text: &str) -> Option<usize> {
    text.strip_prefix('$')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_stores_are_read() {
        let load = |element, signed, registers: &[usize], address| {
            Some(PtxAccess {
                store: false,
                element,
                signed,
                volatile: false,
                address,
                offset: 0,
                registers: registers.to_vec(),
            })
        };
        assert_eq!(parse("ld.global.cg.s32 $0, [$1];"), load(TypeKind::Int(32), true, &[0], 1));
        assert_eq!(
            parse("ld.global.cs.v4.f32 {$0,$1,$2,$3}, [$4];"),
            load(TypeKind::Float(32), false, &[0, 1, 2, 3], 4)
        );
        assert_eq!(
            parse(" ld.global.nc.L1::no_allocate.L2::128B.u8 $0, [ $1 ] ; \n"),
            load(TypeKind::Int(8), false, &[0], 1)
        );
        assert_eq!(
            parse("st.volatile.global.u16 [$0+4], $1;"),
            Some(PtxAccess {
                store: true,
                element: TypeKind::Int(16),
                signed: false,
                volatile: true,
                address: 0,
                offset: 4,
                registers: vec![1]
            })
        );
    }

    #[test]
    fn what_is_more_than_one_access_stays_assembly() {
        for text in [
            "",
            "bar.sync 0;",
            "cp.async.ca.shared.global [$0], [$1], 16;",
            "@%p ld.global.u32 $0, [$1];",
            "{ ld.global.u32 $0, [$1]; }",
            "ld.global.u32 $0, [$1]; add.u32 $0, $0, 1;",
            "ld.shared.u32 $0, [$1];",
            "ld.global.v2.f32 $0, [$1];",
            "ld.global.u32 %r1, [$1];",
            "st.global.u32 [%rd1], $1;",
            "ld.param.u32 $0, [x];",
            "ld.global.u32 ] [",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn results_come_first() {
        assert_eq!(outputs("=r,l,~{memory}"), Some(1));
        assert_eq!(outputs("=f,=f,l"), Some(2));
        assert_eq!(outputs("l,r,~{memory}"), Some(0));
        assert_eq!(outputs("=*m,r"), None);
        assert_eq!(outputs(""), Some(0));
    }
}
