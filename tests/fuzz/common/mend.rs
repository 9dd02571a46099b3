//! Makes an edited function valid again: operands are defined before they are used, and phis have one entry for each
//! predecessor, as LLVM's verifier wants it.

use ir::{Const, Function, Op, Operand, Terminator, TypeId, ValueId};

/// Type of each value; `None` for one that no instruction defines any more.
#[must_use]
pub fn types_of_values(f: &Function) -> Vec<Option<TypeId>> {
    let mut types = vec![None; f.values as usize];
    let mut set = |v: ValueId, ty: TypeId| {
        if let Some(slot) = types.get_mut(v.index()) {
            *slot = Some(ty);
        }
    };
    for (i, p) in (0_u32..).zip(&f.params) {
        set(ValueId(i), p.ty);
    }
    for block in &f.blocks {
        for inst in &block.insts {
            if let Some(result) = inst.result {
                set(result, inst.ty);
            }
        }
        if let Terminator::Invoke { result: Some(result), ty, .. } = &block.term {
            set(*result, *ty);
        }
    }
    types
}

/// Blocks that dominate each block, as rows of bits; none for an unreachable one.
struct Dominators {
    rows: Vec<Option<Vec<bool>>>,
}

impl Dominators {
    fn of(f: &Function) -> Self {
        let n = f.blocks.len();
        let mut rows: Vec<Option<Vec<bool>>> = vec![None; n];
        let mut entry = vec![false; n];
        entry[0] = true;
        rows[0] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for from in 0..n {
                let Some(row) = rows[from].clone() else { continue };
                for to in f.blocks[from].term.successors() {
                    let to = to.index();
                    let mut next: Vec<bool> = match &rows[to] {
                        None => row.clone(),
                        Some(old) => old.iter().zip(&row).map(|(a, b)| *a && *b).collect(),
                    };
                    next[to] = true;
                    if rows[to].as_ref() != Some(&next) {
                        rows[to] = Some(next);
                        changed = true;
                    }
                }
            }
        }
        Self { rows }
    }

    fn has(&self, block: usize, dominator: usize) -> bool {
        self.rows[block].as_ref().is_none_or(|row| row[dominator])
    }
}

/// Where a value is defined: its block, and the index of its instruction. Parameters stand before the entry; the result
/// of an invoke is defined on an edge.
#[derive(Clone, Copy)]
enum Definition {
    Parameter,
    At(usize, usize),
    Edge(usize),
    Nowhere,
}

fn definitions(f: &Function) -> Vec<Definition> {
    let mut all = vec![Definition::Nowhere; f.values as usize];
    for slot in all.iter_mut().take(f.params.len()) {
        *slot = Definition::Parameter;
    }
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(slot) = inst.result.and_then(|r| all.get_mut(r.index())) {
                *slot = Definition::At(b, i);
            }
        }
        if let Terminator::Invoke { result: Some(r), normal, .. } = &block.term
            && let Some(slot) = all.get_mut(r.index())
        {
            *slot = Definition::Edge(normal.index());
        }
    }
    all
}

/// Mends a function after edits.
pub fn mend(f: &mut Function) {
    if f.blocks.is_empty() {
        return;
    }
    phis(f);
    let types = types_of_values(f);
    let dominators = Dominators::of(f);
    let defined = definitions(f);
    // Whether a value is known before instruction `at` of a block.
    let is_known = |v: ValueId, block: usize, at: usize| match defined.get(v.index()) {
        Some(Definition::Parameter) => true,
        Some(Definition::At(b, i)) => (*b == block && *i < at) || (*b != block && dominators.has(block, *b)),
        Some(Definition::Edge(b)) => dominators.has(block, *b),
        _ => false,
    };
    let settle = |o: &mut Operand, block: usize, at: usize| {
        if let Operand::Value(v) = o
            && !is_known(*v, block, at)
        {
            let ty = types.get(v.index()).copied().flatten().unwrap_or(f.ret);
            *o = Operand::Const(Const::Undef(ty));
        }
    };
    for (b, block) in f.blocks.iter_mut().enumerate() {
        let count = block.insts.len();
        for (i, inst) in block.insts.iter_mut().enumerate() {
            if let Op::Phi(edges) = &mut inst.op {
                for (from, value) in edges {
                    settle(value, from.index(), usize::MAX);
                }
            } else {
                inst.op.operands_mut(&mut |o| settle(o, b, i));
            }
        }
        block.term.operands_mut(&mut |o| settle(o, b, count));
    }
}

/// Gives each phi one entry for each predecessor. Several edges from one block have equal values.
fn phis(f: &mut Function) {
    let mut predecessors = vec![Vec::new(); f.blocks.len()];
    for (b, block) in (0_u32..).zip(&f.blocks) {
        for to in block.term.successors() {
            predecessors[to.index()].push(ir::BlockId(b));
        }
    }
    for (block, wanted) in f.blocks.iter_mut().zip(&predecessors) {
        // Phis come first.
        block.insts.sort_by_key(|i| !matches!(i.op, Op::Phi(_)));
        for inst in &mut block.insts {
            let Op::Phi(edges) = &mut inst.op else { continue };
            let of = |from: &ir::BlockId| edges.iter().find(|(b, _)| b == from).map(|(_, o)| o.clone());
            let missing = || Operand::Const(Const::Undef(inst.ty));
            *edges = wanted.iter().map(|from| (*from, of(from).unwrap_or_else(missing))).collect();
        }
    }
}
