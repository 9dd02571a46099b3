//! Blocks of a function that may be left out together, and what was found out of branches. Types alone.

use super::effect::Effect;
use ir::{BlockId, FuncRef, Function, Op, Operand, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The instruction that defines each value of these blocks.
pub(super) fn defs<'f>(f: &'f Function, blocks: &[BlockId]) -> FxHashMap<ValueId, &'f Op> {
    blocks.iter().flat_map(|b| &f.blocks[b.index()].insts).filter_map(|i| Some((i.result?, &i.op))).collect()
}

/// What these blocks store into each variable.
pub(super) fn promoted_stores<'f>(f: &'f Function, blocks: &[BlockId]) -> FxHashMap<ValueId, Vec<&'f Operand>> {
    let mut m: FxHashMap<ValueId, Vec<&Operand>> = FxHashMap::default();
    for inst in blocks.iter().flat_map(|b| &f.blocks[b.index()].insts) {
        if let Op::Store { ptr: Operand::Value(v), value, .. } = &inst.op {
            m.entry(*v).or_default().push(value);
        }
    }
    m
}

/// Blocks that may be left out together, and what they do.
#[derive(Debug)]
pub struct Region<'f> {
    pub(super) func: FuncRef,
    pub(super) blocks: Vec<BlockId>,
    pub(super) effect: Rc<Effect>,
    /// What they define; other values are as they are.
    pub(super) defs: FxHashMap<ValueId, &'f Op>,
    pub(super) stores: FxHashMap<ValueId, Vec<&'f Operand>>,
}

/// The blocks that can be come to from one, and what they do.
pub(super) type Ahead = (Rc<Effect>, Vec<BlockId>);

/// What was found out of branches; it holds for every time that they are come to.
#[derive(Debug, Default)]
pub struct Known<'f> {
    pub(super) regions: FxHashMap<(FuncRef, BlockId), Rc<Region<'f>>>,
    pub(super) continuing: FxHashMap<(FuncRef, BlockId, bool), Option<BlockId>>,
    pub(super) ahead: FxHashMap<(FuncRef, BlockId), Rc<Ahead>>,
}
