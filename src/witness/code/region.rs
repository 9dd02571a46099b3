//! Regions of blocks that may be skipped together, and cached results about branches. Types only.

use super::effect::FunctionEffect;
use ir::{BlockId, FuncRef, Function, Op, Operand, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Defining instruction of each value that the blocks define.
pub(super) fn defs<'f>(f: &'f Function, blocks: &[BlockId]) -> FxHashMap<ValueId, &'f Op> {
    blocks.iter().flat_map(|b| &f.blocks[b.index()].insts).filter_map(|i| Some((i.result?, &i.op))).collect()
}

/// Operands that the blocks store to each variable.
pub(super) fn promoted_stores<'f>(f: &'f Function, blocks: &[BlockId]) -> FxHashMap<ValueId, Vec<&'f Operand>> {
    let mut m: FxHashMap<ValueId, Vec<&Operand>> = FxHashMap::default();
    for inst in blocks.iter().flat_map(|b| &f.blocks[b.index()].insts) {
        if let Op::Store { ptr: Operand::Value(v), value, .. } = &inst.op {
            m.entry(*v).or_default().push(value);
        }
    }
    m
}

/// Blocks that may be skipped together, and their effect.
#[derive(Debug)]
pub struct SkippableRegion<'f> {
    pub(super) func: FuncRef,
    pub(super) blocks: Vec<BlockId>,
    pub(super) effect: Rc<FunctionEffect>,
    /// Values that the blocks define; other values keep their registers.
    pub(super) defs: FxHashMap<ValueId, &'f Op>,
    pub(super) stores: FxHashMap<ValueId, Vec<&'f Operand>>,
}

/// Effect and blocks of everything reachable from a block.
pub(super) type ReachableEffect = (Rc<FunctionEffect>, Vec<BlockId>);

/// Cached results about branches, valid for every visit.
#[derive(Debug, Default)]
pub struct BranchMemo<'f> {
    pub(super) regions: FxHashMap<(FuncRef, BlockId), Rc<SkippableRegion<'f>>>,
    /// True where a function goes on in a handler after an exception of the call that ends a block. The last part of the
    /// key is true for the root.
    pub(super) handlers: FxHashMap<(FuncRef, BlockId, bool), bool>,
    pub(super) continuing: FxHashMap<(FuncRef, BlockId, bool), Option<(BlockId, bool)>>,
    pub(super) ahead: FxHashMap<(FuncRef, BlockId), Rc<ReachableEffect>>,
}
