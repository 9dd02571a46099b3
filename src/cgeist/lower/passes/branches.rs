//! Conditions known at a block, because every path to it has branched on them.
//!
//! Blocks with one predecessor form a forest: a decision on an edge holds in the whole subtree below it. Two numbers of
//! a traversal of the forest show whether a block is in a subtree, so that a query takes constant time.

use super::tidy::boolean;
use ir::{BinOp, BlockId, Function, Op, Operand, Terminator, ValueId};
use std::collections::HashMap;

pub(in crate::lower) struct Branches {
    /// Numbers at which the traversal enters a block and leaves its subtree; 0 for blocks not visited.
    come: Vec<u32>,
    leave: Vec<u32>,
    /// Blocks entered only from one side of a branch, and which side, by the branch's condition.
    sides: HashMap<ValueId, Vec<(BlockId, bool)>>,
    /// Map from values to the values that they negate.
    negated: HashMap<ValueId, ValueId>,
}

impl Branches {
    /// Builds the forest. `preds`: predecessors of each block, each once.
    pub fn of(f: &Function, preds: &[Vec<BlockId>]) -> Self {
        let n = f.blocks.len();
        let mut children: Vec<Vec<BlockId>> = vec![vec![]; n];
        let mut sides: HashMap<ValueId, Vec<(BlockId, bool)>> = HashMap::new();
        let mut roots = vec![];
        for (b, p) in (0u32..).map(BlockId).zip(preds) {
            // The function's first block is also entered from outside.
            let ([one], false) = (p.as_slice(), b.index() == 0) else {
                roots.push(b);
                continue;
            };
            children[one.index()].push(b);
            if let Terminator::CondBr { cond: Operand::Value(c), then, otherwise } = &f.blocks[one.index()].term
                && then != otherwise
            {
                sides.entry(*c).or_default().push((b, *then == b));
            }
        }
        let (mut come, mut leave, mut now) = (vec![0; n], vec![0; n], 0);
        for root in roots {
            let mut work = vec![(root, 0)];
            while let Some((b, i)) = work.pop() {
                if i == 0 {
                    now += 1;
                    come[b.index()] = now;
                }
                match children[b.index()].get(i) {
                    Some(c) => work.extend([(b, i + 1), (*c, 0)]),
                    None => leave[b.index()] = now,
                }
            }
        }
        let negated = f
            .blocks
            .iter()
            .flat_map(|b| &b.insts)
            .filter_map(|i| match &i.op {
                Op::Bin { op: BinOp::Xor, a: Operand::Value(a), b, .. } if boolean(b) == Some(true) => {
                    Some((i.result?, *a))
                }
                _ => None,
            })
            .collect();
        Self { come, leave, sides, negated }
    }

    /// Returns the value of a condition at a block, if known.
    pub fn known_at(&self, block: BlockId, cond: ValueId) -> Option<bool> {
        self.decided(block, cond).or_else(|| self.decided(block, *self.negated.get(&cond)?).map(|k| !k))
    }

    /// Returns the value of a condition on the edge from one block to another, if known.
    pub fn known_on(&self, f: &Function, from: BlockId, to: BlockId, cond: ValueId) -> Option<bool> {
        let branched = |cond: ValueId| match &f.blocks[from.index()].term {
            Terminator::CondBr { cond: Operand::Value(c), then, otherwise } if *c == cond && then != otherwise => {
                Some(*then == to)
            }
            _ => None,
        };
        branched(cond).or_else(|| branched(*self.negated.get(&cond)?).map(|k| !k)).or_else(|| self.known_at(from, cond))
    }

    /// Returns the value that the last branch on the path decided.
    fn decided(&self, block: BlockId, cond: ValueId) -> Option<bool> {
        let (at, sides) = (self.come[block.index()], self.sides.get(&cond)?);
        let above = |side: &&(BlockId, bool)| {
            let (come, leave) = (self.come[side.0.index()], self.leave[side.0.index()]);
            come != 0 && (come..=leave).contains(&at)
        };
        sides.iter().filter(above).max_by_key(|s| self.come[s.0.index()]).map(|s| s.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::passes::ssa::all_predecessors;
    use ir::{Block, Const, Inst, Linkage, LocId, TypeId};

    /// Builds a function from block terminators; block 0 computes `%9 = not %1`.
    fn function(ends: Vec<Terminator>) -> Function {
        let yes = Operand::Const(Const::Int { bits: 1, value: -1 });
        let not = Op::Bin { op: BinOp::Xor, a: Operand::Value(ValueId(1)), b: yes, nsw: false, nuw: false };
        let not = Inst { result: Some(ValueId(9)), ty: TypeId(0), op: not, loc: LocId(0) };
        let block = |term| Block { name: String::new(), insts: vec![], term, term_loc: LocId(0) };
        let mut blocks: Vec<Block> = ends.into_iter().map(block).collect();
        blocks[0].insts.push(not);
        Function {
            name: "f".into(),
            display: "f".into(),
            linkage: Linkage::External,
            kernel: false,
            variadic: false,
            noreturn: false,
            ret: TypeId(0),
            params: vec![],
            blocks,
            values: 10,
            requires: vec![],
            max_threads: None,
            shape: ir::LaunchShape::default(),
            tile: None,
            loc: LocId(0),
        }
    }

    fn branch(cond: u32, then: u32, otherwise: u32) -> Terminator {
        Terminator::CondBr { cond: Operand::Value(ValueId(cond)), then: BlockId(then), otherwise: BlockId(otherwise) }
    }

    #[test]
    fn a_condition_is_known_below_the_branch_on_it_until_ways_meet() {
        // 0 → 1 | 2 by %1; 1 → 3; 3 → 4 | 5 by %2; 2, 4 and 5 → 6; 6 leads to itself or ends.
        let to = |b: u32| Terminator::Br(BlockId(b));
        let f = function(vec![
            branch(1, 1, 2),
            to(3),
            to(6),
            branch(2, 4, 5),
            to(6),
            to(6),
            branch(1, 6, 7),
            Terminator::Unreachable,
        ]);
        let known = Branches::of(&f, &all_predecessors(&f));
        let at = |b: u32, c: u32| known.known_at(BlockId(b), ValueId(c));
        assert_eq!(
            [at(0, 1), at(1, 1), at(2, 1), at(3, 1), at(5, 1)],
            [None, Some(true), Some(false), Some(true), Some(true)]
        );
        assert_eq!([at(3, 9), at(2, 9), at(0, 9)], [Some(false), Some(true), None]);
        assert_eq!([at(4, 2), at(5, 2), at(1, 2)], [Some(true), Some(false), None]);
        assert_eq!([at(6, 1), at(6, 2), at(7, 1)], [None, None, Some(false)]);
        assert_eq!(known.known_on(&f, BlockId(0), BlockId(2), ValueId(1)), Some(false));
        assert_eq!(known.known_on(&f, BlockId(4), BlockId(6), ValueId(1)), Some(true));
    }
}
