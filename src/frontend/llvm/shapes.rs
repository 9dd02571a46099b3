//! Kernel attributes that clang 22 drops or does not know, and that `compat.h` keeps as annotations: block and cluster
//! sizes, and the mark of a tile kernel.
//!
//! In: a module whose annotation table (LLVM 22 Language Reference, `llvm.global.annotations`) names kernels with
//! `scuba:block_size`, `scuba:cluster_dims` and their arguments, or `scuba:tile`. Out: the module with kernels whose
//! [`LaunchShape`]s hold the sizes, tile kernels without their bodies ([`super::tiles`]), and a table without those
//! rows.

use super::tiles;
use ir::{Const, FuncId, LaunchShape, Module};

/// Annotations of `compat.h`.
const BLOCK_SIZE: &[u8] = b"scuba:block_size\0";
const CLUSTER_DIMS: &[u8] = b"scuba:cluster_dims\0";
const TILE: &[u8] = b"scuba:tile\0";

/// Arguments of an annotation; `None` for one that is no positive number.
type AnnotationArguments = Vec<Option<u32>>;

/// Moves the annotations into their kernels.
pub(super) fn lift(m: &mut Module) {
    let Some(table) = m.globals.iter().position(|g| g.name == "llvm.global.annotations") else { return };
    let Some(Const::Aggregate { ty, elems }) = m.globals[table].init.take() else { return };
    let (mut rest, mut said) = (vec![], vec![]);
    for row in elems {
        match read(m, &row) {
            Some(one) => said.push(one),
            None => rest.push(row),
        }
    }
    m.globals[table].init = Some(Const::Aggregate { ty, elems: rest });
    let (tile, said): (Vec<_>, Vec<_>) =
        said.into_iter().partition(|(_, what, _)| matches!(what, ShapeAnnotation::Tile));
    tiles::close(m, &tile.iter().map(|(f, ..)| *f).collect::<Vec<_>>());
    for (f, what, numbers) in said {
        let shape = &mut m.functions[f.index()].shape;
        match what {
            ShapeAnnotation::BlockSize => block_size(shape, &numbers),
            ShapeAnnotation::ClusterDims => cluster_dims(shape, &numbers),
            ShapeAnnotation::Tile => {}
        }
    }
}

enum ShapeAnnotation {
    BlockSize,
    ClusterDims,
    Tile,
}

/// Parses a row: its kernel, the annotation and the arguments.
fn read(m: &Module, row: &Const) -> Option<(FuncId, ShapeAnnotation, AnnotationArguments)> {
    let Const::Aggregate { elems, .. } = row else { return None };
    let [Const::Func(f), Const::Global { id: text, .. }, _, _, arguments, ..] = elems.as_slice() else { return None };
    let Some(Const::Bytes { data, .. }) = &m.global(*text).init else { return None };
    let what = match data.as_slice() {
        BLOCK_SIZE => ShapeAnnotation::BlockSize,
        CLUSTER_DIMS => ShapeAnnotation::ClusterDims,
        TILE => ShapeAnnotation::Tile,
        _ => return None,
    };
    let numbers = match arguments {
        Const::Global { id, offset: 0 } => match &m.global(*id).init {
            Some(Const::Aggregate { elems, .. }) => elems.iter().map(number).collect(),
            _ => vec![None],
        },
        Const::Zero(_) | Const::Undef(_) => vec![],
        _ => vec![None],
    };
    Some((*f, what, numbers))
}

fn number(c: &Const) -> Option<u32> {
    match c {
        Const::Int { value, .. } => u32::try_from(*value).ok().filter(|n| *n > 0),
        _ => None,
    }
}

/// Applies three thread counts along the axes, and three block counts if there is a second tuple.
fn block_size(shape: &mut LaunchShape, numbers: &[Option<u32>]) {
    let all: Option<Vec<u32>> = numbers.iter().copied().collect();
    let block = match all.as_deref() {
        Some([x, y, z]) => [*x, *y, *z],
        Some([x, y, z, cluster @ ..]) if cluster.len() == 3 => {
            join(shape, [cluster[0], cluster[1], cluster[2]]);
            [*x, *y, *z]
        }
        _ => {
            shape.unread = true;
            return;
        }
    };
    shape.unread |= shape.block.is_some_and(|b| b != block);
    shape.block = Some(block);
}

/// Applies one to three block counts along the axes, or none if the launch gives them.
fn cluster_dims(shape: &mut LaunchShape, numbers: &[Option<u32>]) {
    let all: Option<Vec<u32>> = numbers.iter().copied().collect();
    match all.as_deref() {
        Some([]) => shape.names_no_cluster = true,
        Some([x, rest @ ..]) if rest.len() <= 2 => {
            let axis = |i: usize| rest.get(i).copied().unwrap_or(1);
            join(shape, [*x, axis(0), axis(1)]);
        }
        _ => shape.unread = true,
    }
}

fn join(shape: &mut LaunchShape, cluster: [u32; 3]) {
    shape.unread |= shape.cluster.is_some_and(|c| c != cluster);
    shape.cluster = Some(cluster);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(f: impl Fn(&mut LaunchShape)) -> LaunchShape {
        let mut shape = LaunchShape::default();
        f(&mut shape);
        shape
    }

    #[test]
    fn tuples_are_read() {
        let one = after(|s| block_size(s, &[Some(128), Some(2), Some(1)]));
        assert_eq!((one.block, one.cluster, one.unread), (Some([128, 2, 1]), None, false));
        let two = after(|s| block_size(s, &[Some(128), Some(1), Some(1), Some(2), Some(1), Some(1)]));
        assert_eq!((two.block, two.cluster, two.unread), (Some([128, 1, 1]), Some([2, 1, 1]), false));
        assert_eq!(after(|s| cluster_dims(s, &[Some(4)])).cluster, Some([4, 1, 1]));
        assert!(after(|s| cluster_dims(s, &[])).names_no_cluster);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert!(after(|s| block_size(s, &[Some(128)])).unread);
        assert!(after(|s| block_size(s, &[Some(128), None, Some(1)])).unread);
        assert!(after(|s| cluster_dims(s, &[None])).unread);
        let both = after(|s| {
            cluster_dims(s, &[Some(2)]);
            block_size(s, &[Some(32), Some(1), Some(1), Some(4), Some(1), Some(1)]);
        });
        assert!(both.unread);
    }
}
