//! Memory accesses of device intrinsics that move matrices and blocks, by name (LLVM 22, NVPTX usage guide; PTX ISA
//! 9.0, 9.7.9.25 and 9.7.15).

use super::access::{AccessExtent, AccessMode, LeadingDimension, ModelledAccess, StateSpace, Tile};
use ir::Bytes;

/// Returns the accesses of an intrinsic, named without `llvm.`; `None` for other intrinsics.
pub fn accesses(name: &str) -> Option<Vec<ModelledAccess>> {
    let name = name.strip_prefix("nvvm.")?;
    let parts: Vec<&str> = name.split('.').collect();
    match *parts.first()? {
        "wmma" => matrix(&parts),
        "ldmatrix" => rows(&parts, AccessMode::Read),
        "stmatrix" => rows(&parts, AccessMode::Write),
        "cp" if parts.get(1) == Some(&"async") => copy(&parts),
        "mbarrier" => barrier(&parts),
        _ => None,
    }
}

/// Accesses of `wmma.m16n16k16.load.a.row.stride.f16.p0` and the like.
fn matrix(parts: &[&str]) -> Option<Vec<ModelledAccess>> {
    let [_, shape, way @ ("load" | "store"), fragment, layout, rest @ ..] = parts else { return None };
    let (stride, ty) = match rest {
        ["stride", ty, ..] => (true, ty),
        [ty, ..] => (false, ty),
        [] => return None,
    };
    let leading = if stride { LeadingDimension::LastArgument } else { LeadingDimension::Packed };
    let kind = if *way == "load" { AccessMode::Read } else { AccessMode::Write };
    Some(vec![match tile(shape, fragment, layout, ty, leading) {
        Some(t) => ModelledAccess::plain(kind, StateSpace::Generic, 0, AccessExtent::Tile(t)),
        None => ModelledAccess::open(kind),
    }])
}

/// Returns the lines of a fragment: `a` has m × k elements, `b` k × n, `c` and `d` m × n.
pub(super) fn tile(shape: &str, fragment: &str, layout: &str, ty: &str, leading: LeadingDimension) -> Option<Tile> {
    let (m, rest) = shape.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let (m, n, k): (u32, u32, u32) = (m.parse().ok()?, n.parse().ok()?, k.parse().ok()?);
    let bits = match ty {
        "b1" => 1,
        "s4" | "u4" => 4,
        "s8" | "u8" => 8,
        "f16" | "bf16" => 16,
        "tf32" | "f32" | "s32" => 32,
        "f64" => 64,
        _ => return None,
    };
    let (rows, columns) = match fragment {
        "a" => (m, k),
        "b" => (k, n),
        "c" | "d" => (m, n),
        _ => return None,
    };
    let (lines, elements) = match layout {
        "row" => (rows, columns),
        "col" => (columns, rows),
        _ => return None,
    };
    Some(Tile { lines, line_bytes: Bytes(u64::from(elements * bits).div_ceil(8)), bits, leading })
}

/// Accesses to matrices of 8 × 8 elements of 16 bits: each of the first lanes gives a row's address (9.7.15.5.15,
/// 9.7.15.5.16).
fn rows(parts: &[&str], kind: AccessMode) -> Option<Vec<ModelledAccess>> {
    let mut access = ModelledAccess::plain(kind, StateSpace::Generic, 0, AccessExtent::Bytes(16));
    match (row_lanes(parts), &mut access.place) {
        (Some(lanes), Some(place)) => place.lanes = lanes,
        _ => access = ModelledAccess::open(kind),
    }
    Some(vec![access])
}

/// Returns the number of lanes that give addresses of 16-byte rows; `None` for formats with elements of 4 and 6 bits.
pub(super) fn row_lanes(parts: &[&str]) -> Option<u32> {
    let count = parts.iter().find_map(|p| p.strip_prefix('x')?.parse::<u32>().ok())?;
    if parts.iter().any(|p| p.contains("x16_p")) {
        return None;
    }
    let lanes = if parts.contains(&"m8n8") {
        8 * count
    } else if parts.contains(&"m16n16") {
        16 * count
    } else if parts.contains(&"m16n8") {
        8 * count
    } else {
        return None;
    };
    (lanes <= super::access::WARP).then_some(lanes)
}

/// Accesses of `cp.async.ca.shared.global.16`, which ends in `.s` where the source size is an argument, and of
/// `cp.async.bulk.…`.
fn copy(parts: &[&str]) -> Option<Vec<ModelledAccess>> {
    use AccessMode::{Atomic, Read, Write};
    let at = |kind, argument, extent| ModelledAccess::plain(kind, StateSpace::Generic, argument, extent);
    Some(match parts.get(2..)? {
        ["ca" | "cg", "shared", "global", bytes, rest @ ..] => {
            let bytes = bytes.parse().ok()?;
            let read = if rest.first() == Some(&"s") { AccessExtent::Argument(2) } else { AccessExtent::Bytes(bytes) };
            vec![at(Write, 0, AccessExtent::Bytes(bytes)), at(Read, 1, read)]
        }
        ["commit" | "wait", ..] => vec![],
        ["mbarrier", "arrive", ..] => vec![at(Atomic, 0, AccessExtent::Bytes(8))],
        ["bulk", "commit" | "wait" | "prefetch", ..] => vec![],
        ["bulk", "tensor", "prefetch", ..] => vec![],
        ["bulk", "global", "to", "shared", ..] => {
            vec![
                at(Write, 0, AccessExtent::Argument(3)),
                at(Atomic, 1, AccessExtent::Bytes(8)),
                at(Read, 2, AccessExtent::Argument(3)),
            ]
        }
        ["bulk", "shared", "cta", "to", "global", ..] => {
            vec![at(Write, 0, AccessExtent::Argument(2)), at(Read, 1, AccessExtent::Argument(2))]
        }
        _ => vec![ModelledAccess::open(Read), ModelledAccess::open(Write)],
    })
}

/// Access to a barrier in shared memory, which has 8 bytes (9.7.13.15.2).
fn barrier(parts: &[&str]) -> Option<Vec<ModelledAccess>> {
    let kind = barrier_kind(parts.get(1)?)?;
    Some(vec![ModelledAccess::plain(kind, StateSpace::Generic, 0, AccessExtent::Bytes(8))])
}

/// Returns the kind of access of a barrier operation; `None` for operations that only inspect a state in a register.
pub(super) fn barrier_kind(operation: &str) -> Option<AccessMode> {
    match operation {
        "init" | "inval" => Some(AccessMode::Write),
        "test_wait" | "try_wait" | "test" | "try" => Some(AccessMode::Read),
        "arrive" | "arrive_drop" | "expect_tx" | "complete_tx" => Some(AccessMode::Atomic),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str) -> ModelledAccess {
        let all = accesses(name).unwrap();
        assert_eq!(all.len(), 1, "{name}");
        all[0]
    }

    #[test]
    fn fragments_have_lines() {
        let lines = |name: &str| match one(name).place.unwrap().extent {
            AccessExtent::Tile(t) => (t.lines, t.line_bytes.get(), t.bits, t.leading),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(lines("nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0"), (16, 32, 16, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m32n8k16.load.a.row.stride.u8.p0"), (32, 16, 8, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m32n8k16.load.a.col.stride.u8.p3"), (16, 32, 8, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m32n8k16.load.b.row.stride.s8.p0"), (16, 8, 8, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m8n32k16.load.b.col.f16.p0"), (32, 32, 16, LeadingDimension::Packed));
        assert_eq!(lines("nvvm.wmma.m16n16k8.load.a.row.stride.tf32.p0"), (16, 32, 32, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m8n8k4.load.c.row.stride.f64.p0"), (8, 64, 64, LeadingDimension::LastArgument));
        assert_eq!(lines("nvvm.wmma.m8n8k32.load.a.row.stride.s4.p0"), (8, 16, 4, LeadingDimension::LastArgument));
        assert_eq!(
            lines("nvvm.wmma.m16n16k16.store.d.col.stride.f32.p0"),
            (16, 64, 32, LeadingDimension::LastArgument)
        );
        assert_eq!(one("nvvm.wmma.m16n16k16.store.d.col.stride.f32.p0").kind, AccessMode::Write);
        assert!(accesses("nvvm.wmma.m16n16k16.mma.row.col.f32.f32").is_none());
    }

    #[test]
    fn rows_come_from_the_first_lanes() {
        let lanes = |name: &str| one(name).place.map(|p| (p.lanes, p.extent));
        assert_eq!(lanes("nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3"), Some((8, AccessExtent::Bytes(16))));
        assert_eq!(lanes("nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"), Some((32, AccessExtent::Bytes(16))));
        assert_eq!(lanes("nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32.p3"), None);
        assert_eq!(one("nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3").kind, AccessMode::Write);
    }

    #[test]
    fn copies_read_and_write() {
        let all = accesses("nvvm.cp.async.cg.shared.global.16.s").unwrap();
        assert_eq!(all[0], ModelledAccess::plain(AccessMode::Write, StateSpace::Generic, 0, AccessExtent::Bytes(16)));
        assert_eq!(all[1], ModelledAccess::plain(AccessMode::Read, StateSpace::Generic, 1, AccessExtent::Argument(2)));
        assert_eq!(accesses("nvvm.cp.async.commit.group"), Some(vec![]));
        assert_eq!(accesses("nvvm.cp.async.bulk.tensor.g2s.tile.2d").unwrap().len(), 2);
        assert_eq!(one("nvvm.mbarrier.init.shared").kind, AccessMode::Write);
        assert!(accesses("nvvm.barrier0").is_none());
    }
}
