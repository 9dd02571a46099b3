//! Cleans up after lowering structured control flow: unreachable blocks, phis of one value, and conditions that are
//! decided on entry.
//!
//! cgeist represents "continue" as a value: `scf.if` yields `true` or `false` to `scf.condition`, and an early `return`
//! clears a flag that guards all code after it. An edge on which such a value is constant is redirected to its final
//! target, so that loops are tested and functions are left as in the source.

use super::branches::Branches;
use super::ssa;
use crate::lower::types::MlirTypeTable;
use ir::{BinOp, Block, BlockId, Const, Function, Op, Operand, Terminator, TypeKind, ValueId};
use std::collections::{HashMap, HashSet};

pub(in crate::lower) fn function(f: &mut Function, types: &MlirTypeTable) {
    if f.blocks.is_empty() {
        return;
    }
    always_running(f, types);
    prune(f);
    ssa::promote(f, types);
    let mut copies = MAX_COPIES;
    loop {
        unused(f);
        compact(f);
        let mut changed = single(f);
        changed |= decided(f);
        changed |= forward(f);
        changed |= thread(f, &mut copies);
        if !changed {
            break;
        }
        prune(f);
    }
    unused(f);
    compact(f);
}

/// Removes flags that are always true. cgeist guards the code after a possible `return` or `break` by flags. A flag
/// that is only ever assigned `true` (or another such flag) is `true`, and guards nothing.
fn always_running(f: &mut Function, types: &MlirTypeTable) {
    let mut flags: HashSet<ValueId> = HashSet::new();
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        if let (Op::Alloca { ty, var: None, .. }, Some(r)) = (&i.op, i.result)
            && *types.kind(*ty) == TypeKind::Int(1)
        {
            flags.insert(r);
        }
    }
    let mut loads: HashMap<ValueId, ValueId> = HashMap::new();
    let mut stores: Vec<(ValueId, Operand)> = vec![];
    for b in &mut f.blocks {
        for i in &mut b.insts {
            match (&mut i.op, i.result) {
                (Op::Load { ptr: Operand::Value(p), .. }, Some(r)) if flags.contains(p) => {
                    loads.insert(r, *p);
                }
                (Op::Store { ptr: Operand::Value(p), value, .. }, _) if flags.contains(p) => {
                    stores.push((*p, value.clone()));
                    if let Operand::Value(v) = value {
                        flags.remove(v);
                    }
                }
                // A flag whose address escapes is left unchanged.
                (op, _) => op.operands_mut(&mut |o| {
                    if let Operand::Value(v) = o {
                        flags.remove(v);
                    }
                }),
            }
        }
        b.term.operands_mut(&mut |o| {
            if let Operand::Value(v) = o {
                flags.remove(v);
            }
        });
    }
    loop {
        let running = |o: &Operand| match o {
            Operand::Value(v) => loads.get(v).is_some_and(|p| flags.contains(p)),
            c @ Operand::Const(_) => boolean(c) == Some(true),
        };
        let not: Vec<ValueId> = stores.iter().filter(|(p, v)| flags.contains(p) && !running(v)).map(|s| s.0).collect();
        if not.is_empty() {
            break;
        }
        for p in not {
            flags.remove(&p);
        }
    }
    let yes = Operand::Const(Const::Int { bits: 1, value: -1 });
    let known = |o: &mut Operand| {
        if let Operand::Value(v) = o
            && loads.get(v).is_some_and(|p| flags.contains(p))
        {
            *o = yes.clone();
        }
    };
    let mut same: HashMap<ValueId, Operand> = HashMap::new();
    for b in &mut f.blocks {
        for i in &mut b.insts {
            i.op.operands_mut(&mut |o| known(o));
            if let (Op::Bin { op: BinOp::And, a, b, .. }, Some(r)) = (&i.op, i.result)
                && boolean(b) == Some(true)
            {
                same.insert(r, a.clone());
            }
        }
        b.insts.retain(|i| match (&i.op, i.result) {
            (Op::Store { ptr: Operand::Value(p), .. } | Op::Load { ptr: Operand::Value(p), .. }, _) => {
                !flags.contains(p)
            }
            (Op::Alloca { .. }, Some(r)) => !flags.contains(&r),
            _ => true,
        });
        b.term.operands_mut(&mut |o| known(o));
    }
    for b in &mut f.blocks {
        let alias = |o: &mut Operand| {
            while let Operand::Value(v) = o
                && let Some(n) = same.get(v)
            {
                *o = n.clone();
            }
        };
        b.operands_mut(&mut |o| alias(o));
    }
    decided(f);
}

/// Removes unused computations; memory accesses are kept.
fn unused(f: &mut Function) {
    loop {
        let mut used: HashSet<ValueId> = HashSet::new();
        for b in &f.blocks {
            b.operands(&mut |o| {
                if let Operand::Value(v) = o {
                    used.insert(*v);
                }
            });
        }
        let before: usize = f.blocks.iter().map(|b| b.insts.len()).sum();
        for b in &mut f.blocks {
            b.insts.retain(|i| {
                i.result.is_none_or(|r| used.contains(&r))
                    || !matches!(
                        i.op,
                        Op::Cast { .. }
                            | Op::Bin { .. }
                            | Op::Icmp { .. }
                            | Op::Fcmp { .. }
                            | Op::Select { .. }
                            | Op::Gep { .. }
                            | Op::Phi(_)
                            | Op::ExtractValue { .. }
                            | Op::InsertValue { .. }
                            | Op::FNeg(_)
                    )
            });
        }
        if before == f.blocks.iter().map(|b| b.insts.len()).sum::<usize>() {
            return;
        }
    }
}

fn reachable(f: &Function) -> Vec<bool> {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![0usize];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b], true) {
            continue;
        }
        work.extend(f.blocks[b].term.successors().into_iter().map(BlockId::index));
    }
    seen
}

/// Empties unreachable blocks, and removes their edges from phis.
fn prune(f: &mut Function) {
    let seen = reachable(f);
    for (b, block) in f.blocks.iter_mut().enumerate() {
        if !seen[b] {
            block.insts.clear();
            block.term = Terminator::Unreachable;
        }
        for i in &mut block.insts {
            if let Op::Phi(e) = &mut i.op {
                e.retain(|(p, _)| seen[p.index()]);
            }
        }
    }
}

/// Replaces phis with only one possible value by that value.
fn single(f: &mut Function) -> bool {
    let mut with: HashMap<ValueId, Operand> = HashMap::new();
    for b in &mut f.blocks {
        b.insts.retain(|i| {
            let (Op::Phi(e), Some(r)) = (&i.op, i.result) else { return true };
            let mut values = e.iter().map(|(_, o)| o).filter(|o| **o != Operand::Value(r));
            let Some(first) = values.next() else { return true };
            if values.any(|o| o != first) {
                return true;
            }
            with.insert(r, first.clone());
            false
        });
    }
    if with.is_empty() {
        return false;
    }
    ssa::replace(f, &with);
    true
}

pub(in crate::lower) fn boolean(o: &Operand) -> Option<bool> {
    match o {
        Operand::Const(Const::Int { bits: 1, value }) => Some(*value != 0),
        _ => None,
    }
}

/// Resolves branches on constants, and on conditions that the only path to them has already branched on.
fn decided(f: &mut Function) -> bool {
    let mut gone = vec![];
    let branches = Branches::of(f, &ssa::all_predecessors(f));
    for b in 0..f.blocks.len() {
        let Terminator::CondBr { cond: Operand::Value(c), .. } = f.blocks[b].term else { continue };
        let this = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
        if let Some(known) = branches.known_at(this, c)
            && let Terminator::CondBr { cond, .. } = &mut f.blocks[b].term
        {
            *cond = Operand::Const(Const::Int { bits: 1, value: -i128::from(known) });
        }
    }
    for (b, block) in (0u32..).zip(&mut f.blocks) {
        let Terminator::CondBr { cond, then, otherwise } = &block.term else { continue };
        let Some(c) = boolean(cond) else { continue };
        let (to, not) = if c { (*then, *otherwise) } else { (*otherwise, *then) };
        block.term = Terminator::Br(to);
        if to != not {
            gone.push((BlockId(b), not));
        }
    }
    for (from, to) in &gone {
        for i in &mut f.blocks[to.index()].insts {
            if let Op::Phi(e) = &mut i.op {
                e.retain(|(p, _)| p != from);
            }
        }
    }
    !gone.is_empty()
}

/// Largest number of times that a function's blocks are bypassed by copies of their computations.
const MAX_COPIES: usize = 400;
/// Largest number of instructions in a copied block.
const MAX_COPIED: usize = 16;

/// Redirects edges past a block that only passes values on, to a block that computes and branches: there each edge is
/// considered separately.
fn forward(f: &mut Function) -> bool {
    let headers = ssa::headers(f);
    let preds = ssa::all_predecessors(f);
    for b in 0..f.blocks.len() {
        let Terminator::Br(to) = f.blocks[b].term else { continue };
        let this = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
        let next = &f.blocks[to.index()];
        if to == this
            || b == 0
            || headers[b]
            || preds[b].len() < 2
            || !f.blocks[b].insts.iter().all(|i| matches!(i.op, Op::Phi(_)))
        {
            continue;
        }
        if !matches!(next.term, Terminator::CondBr { .. })
            || !next.insts.iter().all(|i| matches!(i.op, Op::Phi(_)) || ssa::is_pure(&i.op))
        {
            continue;
        }
        // No duplicate edges, and the block's values are used only on the outgoing edge.
        if preds[b].iter().any(|p| preds[to.index()].contains(p)) || ssa::used_elsewhere(f, this, to) {
            continue;
        }
        let mine: HashMap<ValueId, Vec<(BlockId, Operand)>> = f.blocks[b]
            .insts
            .iter()
            .filter_map(|i| match (&i.op, i.result) {
                (Op::Phi(e), Some(r)) => Some((r, e.clone())),
                _ => None,
            })
            .collect();
        for i in &mut f.blocks[to.index()].insts {
            let Op::Phi(e) = &mut i.op else { continue };
            let Some(at) = e.iter().position(|(p, _)| *p == this) else { continue };
            let (_, o) = e.remove(at);
            for p in &preds[b] {
                let given = match &o {
                    Operand::Value(v) => {
                        mine.get(v).and_then(|m| m.iter().find(|(q, _)| q == p)).map(|(_, o)| o.clone())
                    }
                    Operand::Const(_) => None,
                };
                e.push((*p, given.unwrap_or_else(|| o.clone())));
            }
        }
        for p in &preds[b] {
            ssa::redirect(&mut f.blocks[p.index()].term, this, to);
        }
        f.blocks[b].insts.clear();
        f.blocks[b].term = Terminator::Unreachable;
        return true;
    }
    false
}

/// Redirects edges past a block that only computes and branches, if the predecessor determines the successor.
fn thread(f: &mut Function, copies: &mut usize) -> bool {
    let headers = ssa::headers(f);
    let preds = ssa::all_predecessors(f);
    let branches = Branches::of(f, &preds);
    for b in 0..f.blocks.len() {
        let block = &f.blocks[b];
        let Terminator::CondBr { cond: Operand::Value(cond), then, otherwise } = &block.term else { continue };
        if then == otherwise
            || block.insts.len() > MAX_COPIED
            || !block.insts.iter().all(|i| matches!(i.op, Op::Phi(_)) || ssa::is_pure(&i.op))
        {
            continue;
        }
        let this = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
        let (cond, then, otherwise) = (*cond, *then, *otherwise);
        for pred in preds[b].clone() {
            if *copies == 0
                || pred == this
                || preds[b].len() < 2
                || f.blocks[pred.index()].term.successors().iter().filter(|s| **s == this).count() != 1
            {
                continue;
            }
            if headers[b] && !ssa::may_pass(f, &preds, this, pred, then, otherwise) {
                continue;
            }
            let (values, insts) = ssa::copied(f, this, pred);
            let passed = match values.get(&cond) {
                Some(o @ Operand::Const(_)) => boolean(o),
                Some(Operand::Value(v)) => branches.known_on(f, pred, this, *v),
                None => branches.known_on(f, pred, this, cond),
            };
            let Some(go) = passed else { continue };
            *copies -= 1;
            ssa::bypass(f, this, pred, if go { then } else { otherwise }, values, insts);
            return true;
        }
    }
    false
}

/// Merges blocks with their only successor if they are its only predecessor, and removes unreachable blocks.
fn compact(f: &mut Function) {
    let seen = reachable(f);
    let mut count = vec![0u32; f.blocks.len()];
    for (b, _) in f.blocks.iter().zip(&seen).filter(|(_, s)| **s) {
        for t in b.term.successors() {
            count[t.index()] += 1;
        }
    }
    // Map from each block to the block that it was merged into.
    let mut into: Vec<BlockId> = (0u32..).map(BlockId).take(f.blocks.len()).collect();
    for b in (0..f.blocks.len()).filter(|b| seen[*b]) {
        while let Terminator::Br(t) = f.blocks[b].term
            && count[t.index()] == 1
            && t.index() != b
            && t.index() != 0
            && !f.blocks[t.index()].insts.iter().any(|i| matches!(i.op, Op::Phi(_)))
        {
            let gone =
                Block { name: String::new(), insts: vec![], term: Terminator::Unreachable, term_loc: ir::LocId(0) };
            let next = std::mem::replace(&mut f.blocks[t.index()], gone);
            into[t.index()] = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
            let block = &mut f.blocks[b];
            block.insts.extend(next.insts);
            block.term = next.term;
            block.term_loc = next.term_loc;
        }
    }
    let last = |mut b: BlockId| {
        while into[b.index()] != b {
            b = into[b.index()];
        }
        b
    };
    for i in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if let Op::Phi(e) = &mut i.op {
            e.iter_mut().for_each(|(p, _)| *p = last(*p));
        }
    }
    let seen = reachable(f);
    let mut number = vec![BlockId(0); f.blocks.len()];
    let mut n = 0;
    for (i, s) in seen.iter().enumerate() {
        if *s {
            number[i] = BlockId(n);
            n += 1;
        }
    }
    let mut it = seen.iter();
    f.blocks.retain(|_| *it.next().unwrap_or(&false));
    for b in &mut f.blocks {
        for i in &mut b.insts {
            if let Op::Phi(e) = &mut i.op {
                for (p, _) in e {
                    *p = number[p.index()];
                }
            }
        }
        b.term.successors_mut(|t| *t = number[t.index()]);
    }
}
