//! Special registers of a thread (PTX ISA 9.0, chapter 10), read by an intrinsic or by inline assembly.

use super::context::ThreadIndices;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;

/// A special register that identifies a thread.
#[derive(Clone, Copy)]
enum Register {
    Thread(usize),
    Block(usize),
    BlockSize(usize),
    GridSize(usize),
    WarpSize,
    Lane,
    /// Mask of the lanes that compare so with the thread's own.
    Lanes(LaneOrder),
    Cluster(ClusterRegister),
}

/// Comparison of the lanes in a mask with the thread's own lane.
#[derive(Clone, Copy)]
enum LaneOrder {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Value of a special register for clusters (PTX ISA 9.0, Special Registers).
#[derive(Clone, Copy)]
enum ClusterRegister {
    /// Index of the block in its cluster.
    Block(usize),
    /// Blocks per cluster.
    Size(usize),
    /// Index of the cluster in the grid.
    Number(usize),
    /// Clusters per grid.
    Count(usize),
    /// Linear index of the block in its cluster, and the number of blocks.
    Rank,
    Blocks,
}

/// Special registers with known contents.
const REGISTERS: &[(&str, Register)] = &[
    ("tid.x", Register::Thread(0)),
    ("tid.y", Register::Thread(1)),
    ("tid.z", Register::Thread(2)),
    ("ctaid.x", Register::Block(0)),
    ("ctaid.y", Register::Block(1)),
    ("ctaid.z", Register::Block(2)),
    ("ntid.x", Register::BlockSize(0)),
    ("ntid.y", Register::BlockSize(1)),
    ("ntid.z", Register::BlockSize(2)),
    ("nctaid.x", Register::GridSize(0)),
    ("nctaid.y", Register::GridSize(1)),
    ("nctaid.z", Register::GridSize(2)),
    ("warpsize", Register::WarpSize),
    ("laneid", Register::Lane),
    ("lanemask.eq", Register::Lanes(LaneOrder::Equal)),
    ("lanemask.lt", Register::Lanes(LaneOrder::Less)),
    ("lanemask.le", Register::Lanes(LaneOrder::LessOrEqual)),
    ("lanemask.gt", Register::Lanes(LaneOrder::Greater)),
    ("lanemask.ge", Register::Lanes(LaneOrder::GreaterOrEqual)),
    ("cluster.ctaid.x", Register::Cluster(ClusterRegister::Block(0))),
    ("cluster.ctaid.y", Register::Cluster(ClusterRegister::Block(1))),
    ("cluster.ctaid.z", Register::Cluster(ClusterRegister::Block(2))),
    ("cluster.nctaid.x", Register::Cluster(ClusterRegister::Size(0))),
    ("cluster.nctaid.y", Register::Cluster(ClusterRegister::Size(1))),
    ("cluster.nctaid.z", Register::Cluster(ClusterRegister::Size(2))),
    ("clusterid.x", Register::Cluster(ClusterRegister::Number(0))),
    ("clusterid.y", Register::Cluster(ClusterRegister::Number(1))),
    ("clusterid.z", Register::Cluster(ClusterRegister::Number(2))),
    ("nclusterid.x", Register::Cluster(ClusterRegister::Count(0))),
    ("nclusterid.y", Register::Cluster(ClusterRegister::Count(1))),
    ("nclusterid.z", Register::Cluster(ClusterRegister::Count(2))),
    ("cluster.ctarank", Register::Cluster(ClusterRegister::Rank)),
    ("cluster.nctarank", Register::Cluster(ClusterRegister::Blocks)),
];

/// Returns the names of the registers that have a model.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTERS.iter().map(|(n, _)| *n)
}

/// Returns what a special register holds for the thread under execution, by the register's name without a prefix:
/// `laneid`, `ctaid.x`. `None` outside a kernel and for registers without a model.
pub fn contents(e: &mut MemoryDomain<'_>, name: &str) -> Option<Value> {
    let (_, register) = *REGISTERS.iter().find(|(n, _)| *n == name)?;
    let t = e.kernel.thread.clone()?;
    Some(Value::Int(match register {
        Register::Thread(axis) => t.tid[axis],
        Register::Block(axis) => t.bid[axis],
        Register::BlockSize(axis) => t.block[axis],
        Register::GridSize(axis) => t.grid[axis],
        Register::WarpSize => e.arena.int(32),
        Register::Lane => return e.lane().map(Value::Int),
        Register::Lanes(order) => {
            let lane = e.lane()?;
            lanes(e, lane, order)
        }
        Register::Cluster(of) => return of_cluster(e, &t, of).map(Value::Int),
    }))
}

/// Returns the mask of the lanes that compare so with a lane, as an unsigned 32-bit integer.
fn lanes(e: &mut Terms, lane: TermId, order: LaneOrder) -> TermId {
    let own = e.arena.pow2(lane);
    let next = e.arena.scale(own, 2);
    let all = e.arena.int(1 << 32);
    match order {
        LaneOrder::Equal => own,
        LaneOrder::Less => e.arena.add_const(own, -1),
        LaneOrder::LessOrEqual => e.arena.add_const(next, -1),
        LaneOrder::Greater => e.arena.sub(all, next),
        LaneOrder::GreaterOrEqual => e.arena.sub(all, own),
    }
}

/// Returns a thread's cluster register, if the cluster size is known: blocks of a cluster are adjacent in the
/// grid.
fn of_cluster(e: &mut Terms, t: &ThreadIndices, of: ClusterRegister) -> Option<TermId> {
    let size = t.cluster?.map(i128::from);
    let place = |e: &mut Terms, axis: usize| e.arena.modulo(t.bid[axis], size[axis]);
    Some(match of {
        ClusterRegister::Block(axis) => place(e, axis),
        ClusterRegister::Size(axis) => e.arena.int(size[axis]),
        ClusterRegister::Number(axis) => e.arena.floor_div(t.bid[axis], size[axis]),
        ClusterRegister::Count(axis) => e.arena.floor_div(t.grid[axis], size[axis]),
        ClusterRegister::Blocks => e.arena.int(size.iter().product()),
        ClusterRegister::Rank => {
            let [x, y, z] = [0, 1, 2].map(|axis| place(e, axis));
            let (row, plane) = (e.arena.int(size[0]), e.arena.int(size[0] * size[1]));
            let (y, z) = (e.arena.mul(y, row), e.arena.mul(z, plane));
            let xy = e.arena.add(x, y);
            e.arena.add(xy, z)
        }
    })
}
