//! What lowering structured control flow leaves behind: blocks that nothing reaches, phis of one value, and conditions
//! that are decided on the way in.
//!
//! cgeist's loops give "go on" as a value (`scf.if` yields `true` or `false` to `scf.condition`). An edge on which such
//! a value is constant leads straight to where it would lead, so that the loop's test is the source's again.

use super::types::TypeTable;
use crate::ir::{BinOp, Block, BlockId, Const, Function, Op, Operand, Terminator, TypeKind, ValueId};
use std::collections::{HashMap, HashSet};

pub(super) fn function(f: &mut Function, types: &TypeTable) {
    if f.blocks.is_empty() { return; }
    always_running(f, types);
    prune(f);
    for _ in 0..64 {
        let mut changed = single(f);
        changed |= decided(f);
        changed |= thread(f);
        if !changed { break; }
        prune(f);
    }
    unused(f);
    compact(f);
}

/// cgeist guards what follows a possible `return` or `break` by flags. A flag that only ever gets `true` (or another
/// such flag) is `true`, and what it guards is not guarded.
fn always_running(f: &mut Function, types: &TypeTable) {
    let mut flags: HashSet<ValueId> = HashSet::new();
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        if let (Op::Alloca { ty, var: None, .. }, Some(r)) = (&i.op, i.result) && *types.kind(*ty) == TypeKind::Int(1) { flags.insert(r); }
    }
    let mut loads: HashMap<ValueId, ValueId> = HashMap::new();
    let mut stores: Vec<(ValueId, Operand)> = vec![];
    for b in &mut f.blocks {
        for i in &mut b.insts {
            match (&mut i.op, i.result) {
                (Op::Load { ptr: Operand::Value(p), .. }, Some(r)) if flags.contains(p) => { loads.insert(r, *p); }
                (Op::Store { ptr: Operand::Value(p), value, .. }, _) if flags.contains(p) => { stores.push((*p, value.clone())); if let Operand::Value(v) = value { flags.remove(v); } }
                // One whose address goes elsewhere is left alone.
                (op, _) => operands(op, &mut |o| if let Operand::Value(v) = o { flags.remove(v); }),
            }
        }
        term_operands(&mut b.term, &mut |o| if let Operand::Value(v) = o { flags.remove(v); });
    }
    loop {
        let running = |o: &Operand| match o { Operand::Value(v) => loads.get(v).is_some_and(|p| flags.contains(p)), c @ Operand::Const(_) => boolean(c) == Some(true) };
        let not: Vec<ValueId> = stores.iter().filter(|(p, v)| flags.contains(p) && !running(v)).map(|s| s.0).collect();
        if not.is_empty() { break; }
        for p in not { flags.remove(&p); }
    }
    let yes = Operand::Const(Const::Int { bits: 1, value: -1 });
    let known = |o: &mut Operand| if let Operand::Value(v) = o && loads.get(v).is_some_and(|p| flags.contains(p)) { *o = yes.clone(); };
    let mut same: HashMap<ValueId, Operand> = HashMap::new();
    for b in &mut f.blocks {
        for i in &mut b.insts {
            operands(&mut i.op, &mut |o| known(o));
            if let (Op::Bin { op: BinOp::And, a, b, .. }, Some(r)) = (&i.op, i.result) && boolean(b) == Some(true) { same.insert(r, a.clone()); }
        }
        b.insts.retain(|i| match (&i.op, i.result) {
            (Op::Store { ptr: Operand::Value(p), .. } | Op::Load { ptr: Operand::Value(p), .. }, _) => !flags.contains(p),
            (Op::Alloca { .. }, Some(r)) => !flags.contains(&r),
            _ => true,
        });
        term_operands(&mut b.term, &mut |o| known(o));
    }
    for b in &mut f.blocks {
        let alias = |o: &mut Operand| while let Operand::Value(v) = o && let Some(n) = same.get(v) { *o = n.clone(); };
        for i in &mut b.insts { operands(&mut i.op, &mut |o| alias(o)); }
        term_operands(&mut b.term, &mut |o| alias(o));
    }
    decided(f);
}

/// Computations that nothing uses; accesses to memory are kept.
fn unused(f: &mut Function) {
    loop {
        let mut used: HashSet<ValueId> = HashSet::new();
        for b in &mut f.blocks {
            for i in &mut b.insts { operands(&mut i.op, &mut |o| if let Operand::Value(v) = o { used.insert(*v); }); }
            term_operands(&mut b.term, &mut |o| if let Operand::Value(v) = o { used.insert(*v); });
        }
        let before: usize = f.blocks.iter().map(|b| b.insts.len()).sum();
        for b in &mut f.blocks {
            b.insts.retain(|i| i.result.is_none_or(|r| used.contains(&r)) || !matches!(i.op, Op::Cast { .. } | Op::Bin { .. } | Op::Icmp { .. } | Op::Fcmp { .. } | Op::Select { .. } | Op::Gep { .. } | Op::Phi(_) | Op::ExtractValue { .. } | Op::InsertValue { .. } | Op::FNeg(_)));
        }
        if before == f.blocks.iter().map(|b| b.insts.len()).sum::<usize>() { return; }
    }
}

fn reachable(f: &Function) -> Vec<bool> {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![0usize];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b], true) { continue; }
        work.extend(f.blocks[b].term.successors().into_iter().map(BlockId::index));
    }
    seen
}

/// Empties blocks that are not reached, and takes their edges out of phis.
fn prune(f: &mut Function) {
    let seen = reachable(f);
    for (b, block) in f.blocks.iter_mut().enumerate() {
        if !seen[b] { block.insts.clear(); block.term = Terminator::Unreachable; }
        for i in &mut block.insts { if let Op::Phi(e) = &mut i.op { e.retain(|(p, _)| seen[p.index()]); } }
    }
}

/// Replaces phis that can have one value only by that value.
fn single(f: &mut Function) -> bool {
    let mut with: HashMap<ValueId, Operand> = HashMap::new();
    for b in &mut f.blocks {
        b.insts.retain(|i| {
            let (Op::Phi(e), Some(r)) = (&i.op, i.result) else { return true };
            let mut values = e.iter().map(|(_, o)| o).filter(|o| **o != Operand::Value(r));
            let Some(first) = values.next() else { return true };
            if values.any(|o| o != first) { return true; }
            with.insert(r, first.clone());
            false
        });
    }
    if with.is_empty() { return false; }
    let last = |o: &Operand| {
        let mut o = o.clone();
        // Chains end: each step leads to a value that dominates the one before.
        for _ in 0..=with.len() { match &o { Operand::Value(v) => match with.get(v) { Some(n) => o = n.clone(), None => break }, Operand::Const(_) => break } }
        o
    };
    for b in &mut f.blocks {
        for i in &mut b.insts { operands(&mut i.op, &mut |o| *o = last(o)); }
        term_operands(&mut b.term, &mut |o| *o = last(o));
    }
    true
}

fn boolean(o: &Operand) -> Option<bool> { match o { Operand::Const(Const::Int { bits: 1, value }) => Some(*value != 0), _ => None } }

/// Branches on constants.
fn decided(f: &mut Function) -> bool {
    let mut gone = vec![];
    for (b, block) in (0u32..).zip(&mut f.blocks) {
        let Terminator::CondBr { cond, then, otherwise } = &block.term else { continue };
        let Some(c) = boolean(cond) else { continue };
        let (to, not) = if c { (*then, *otherwise) } else { (*otherwise, *then) };
        block.term = Terminator::Br(to);
        if to != not { gone.push((BlockId(b), not)); }
    }
    for (from, to) in &gone {
        for i in &mut f.blocks[to.index()].insts { if let Op::Phi(e) = &mut i.op { e.retain(|(p, _)| p != from); } }
    }
    !gone.is_empty()
}

/// Leads edges into a block of phis alone, which branches on one of them, past it where that phi is constant.
fn thread(f: &mut Function) -> bool {
    let n = f.blocks.len();
    for b in 0..n {
        let block = &f.blocks[b];
        let Terminator::CondBr { cond: Operand::Value(c), then, otherwise } = &block.term else { continue };
        if then == otherwise || !block.insts.iter().all(|i| matches!(i.op, Op::Phi(_))) { continue; }
        let Some(Op::Phi(edges)) = block.insts.iter().find(|i| i.result == Some(*c)).map(|i| &i.op) else { continue };
        let (then, otherwise) = (*then, *otherwise);
        let Some((pred, go)) = edges.iter().find_map(|(p, o)| boolean(o).map(|v| (*p, v))) else { continue };
        if pred.index() == b { continue; }
        let to = if go { then } else { otherwise };
        let this = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
        // An edge that is there already cannot be made twice: its phis would have two values for one block.
        if f.blocks[pred.index()].term.successors().iter().filter(|s| **s == this).count() != 1 || f.blocks[pred.index()].term.successors().contains(&to) { continue; }
        let mine: HashMap<ValueId, Operand> = f.blocks[b].insts.iter().filter_map(|i| match (&i.op, i.result) { (Op::Phi(e), Some(r)) => e.iter().find(|(p, _)| *p == pred).map(|(_, o)| (r, o.clone())), _ => None }).collect();
        if !repair(f, this, pred, to, &mine) { continue; }
        return true;
    }
    false
}

/// Makes the edge `pred → via → to` an edge `pred → to`. The values of `via` that are used beyond it get phis in `to`;
/// where that is not enough, nothing is done.
fn repair(f: &mut Function, via: BlockId, pred: BlockId, to: BlockId, mine: &HashMap<ValueId, Operand>) -> bool {
    let successors: HashSet<BlockId> = f.blocks[via.index()].term.successors().into_iter().collect();
    let preds_of = |f: &Function, b: BlockId| f.blocks.iter().zip(0u32..).filter(|(x, _)| x.term.successors().contains(&b)).map(|(_, i)| BlockId(i)).collect::<Vec<_>>();
    // Each successor is entered from here alone, so that it can hold the phis for all that follows.
    let fresh: Vec<BlockId> = successors.iter().copied().filter(|s| preds_of(f, *s) == [via]).collect();
    let used = used_beyond(f, via, mine);
    if !used.is_empty() {
        if !fresh.contains(&to) { return false; }
        // What the other side uses stays as it is; what is used where both meet cannot be told apart here.
        let (below, other) = (dominated(f, to), successors.iter().filter(|s| **s != to).flat_map(|s| dominated(f, *s)).collect::<HashSet<_>>());
        for (v, places) in &used {
            if places.iter().any(|p| !below.contains(p) && !other.contains(p)) { return false; }
            if !mine.contains_key(v) { return false; }
        }
        // Phis in `to`: from `via` the old value, from `pred` what it gave.
        let mut replace: HashMap<ValueId, ValueId> = HashMap::new();
        let types: HashMap<ValueId, crate::ir::TypeId> = f.blocks[via.index()].insts.iter().filter_map(|i| i.result.map(|r| (r, i.ty))).collect();
        let mut phis = vec![];
        for v in used.keys() {
            let new = ValueId(f.values);
            f.values += 1;
            replace.insert(*v, new);
            phis.push(crate::ir::Inst { result: Some(new), ty: types[v], op: Op::Phi(vec![(via, Operand::Value(*v))]), loc: crate::ir::LocId(0) });
        }
        let swap = |o: &mut Operand| if let Operand::Value(v) = o && let Some(n) = replace.get(v) { *o = Operand::Value(*n); };
        for b in &below {
            let block = &mut f.blocks[b.index()];
            for i in &mut block.insts {
                if let Op::Phi(e) = &mut i.op { for (p, o) in e { if below.contains(p) { swap(o); } } } else { operands(&mut i.op, &mut |o| swap(o)); }
            }
            term_operands(&mut block.term, &mut |o| swap(o));
        }
        // Edges out of what is below, into phis elsewhere.
        for (b, block) in f.blocks.iter_mut().enumerate() {
            if below.contains(&BlockId(u32::try_from(b).unwrap_or(u32::MAX))) { continue; }
            for i in &mut block.insts { if let Op::Phi(e) = &mut i.op { for (p, o) in e { if below.contains(p) { swap(o); } } } }
        }
        let block = &mut f.blocks[to.index()];
        phis.append(&mut block.insts);
        block.insts = phis;
    }
    let given = |o: &Operand| match o { Operand::Value(v) => mine.get(v).cloned().unwrap_or_else(|| o.clone()), Operand::Const(_) => o.clone() };
    for i in &mut f.blocks[to.index()].insts {
        let Op::Phi(e) = &mut i.op else { continue };
        let Some(o) = e.iter().find(|(p, _)| *p == via).map(|(_, o)| given(o)) else { continue };
        e.push((pred, o));
    }
    for i in &mut f.blocks[via.index()].insts { if let Op::Phi(e) = &mut i.op { e.retain(|(p, _)| *p != pred); } }
    let lead = |t: &mut BlockId| if *t == via { *t = to; };
    match &mut f.blocks[pred.index()].term {
        Terminator::Br(t) => lead(t),
        Terminator::CondBr { then, otherwise, .. } => { lead(then); lead(otherwise); }
        Terminator::Switch { default, cases, .. } => { lead(default); for c in cases { lead(&mut c.1); } }
        _ => {}
    }
    true
}

/// Where a block's phis are used outside it; a use on an edge into one of its own successors' phis does not count.
fn used_beyond(f: &Function, via: BlockId, mine: &HashMap<ValueId, Operand>) -> HashMap<ValueId, Vec<BlockId>> {
    let own: HashSet<ValueId> = f.blocks[via.index()].insts.iter().filter_map(|i| i.result).collect();
    let _ = mine;
    let mut out: HashMap<ValueId, Vec<BlockId>> = HashMap::new();
    for (b, block) in f.blocks.iter().zip(0u32..).map(|(b, i)| (BlockId(i), b)) {
        let mut note = |o: &Operand, at: BlockId| if let Operand::Value(v) = o && own.contains(v) && at != via { out.entry(*v).or_default().push(at); };
        for i in &block.insts {
            if let Op::Phi(e) = &i.op { for (p, o) in e { note(o, *p); } } else { let mut op = i.op.clone(); operands(&mut op, &mut |o| note(o, b)); }
        }
        let mut t = block.term.clone();
        term_operands(&mut t, &mut |o| note(o, b));
    }
    out
}

/// Blocks that can only be reached through one.
fn dominated(f: &Function, by: BlockId) -> HashSet<BlockId> {
    let all = reachable(f);
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![0usize];
    while let Some(b) = work.pop() {
        if b == by.index() || std::mem::replace(&mut seen[b], true) { continue; }
        work.extend(f.blocks[b].term.successors().into_iter().map(BlockId::index));
    }
    (0u32..).zip(all.iter().zip(&seen)).filter(|(_, (a, s))| **a && !**s).map(|(i, _)| BlockId(i)).collect()
}

/// Joins blocks with their only successor where they are its only predecessor, and drops those that are not reached.
fn compact(f: &mut Function) {
    loop {
        let mut count = vec![0u32; f.blocks.len()];
        let seen = reachable(f);
        for (b, s) in f.blocks.iter().zip(&seen) { if *s { for t in b.term.successors() { count[t.index()] += 1; } } }
        let found = (0..f.blocks.len()).find_map(|b| match f.blocks[b].term {
            Terminator::Br(t) if seen[b] && count[t.index()] == 1 && t.index() != b && t.index() != 0 && !f.blocks[t.index()].insts.iter().any(|i| matches!(i.op, Op::Phi(_))) => Some((b, t)),
            _ => None,
        });
        let Some((b, t)) = found else { break };
        let next = std::mem::replace(&mut f.blocks[t.index()], Block { name: String::new(), insts: vec![], term: Terminator::Unreachable, term_loc: crate::ir::LocId(0) });
        let this = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
        let block = &mut f.blocks[b];
        block.insts.extend(next.insts);
        block.term = next.term;
        block.term_loc = next.term_loc;
        for x in &mut f.blocks { for i in &mut x.insts { if let Op::Phi(e) = &mut i.op { for (p, _) in e { if *p == t { *p = this; } } } } }
    }
    let seen = reachable(f);
    let mut number = vec![BlockId(0); f.blocks.len()];
    let mut n = 0;
    for (i, s) in seen.iter().enumerate() { if *s { number[i] = BlockId(n); n += 1; } }
    let mut it = seen.iter();
    f.blocks.retain(|_| *it.next().unwrap_or(&false));
    for b in &mut f.blocks {
        for i in &mut b.insts { if let Op::Phi(e) = &mut i.op { for (p, _) in e { *p = number[p.index()]; } } }
        match &mut b.term {
            Terminator::Br(t) => *t = number[t.index()],
            Terminator::CondBr { then, otherwise, .. } => { *then = number[then.index()]; *otherwise = number[otherwise.index()]; }
            Terminator::Switch { default, cases, .. } => { *default = number[default.index()]; for c in cases { c.1 = number[c.1.index()]; } }
            _ => {}
        }
    }
}

fn operands(op: &mut Op, visit: &mut impl FnMut(&mut Operand)) {
    match op {
        Op::Alloca { count: a, .. } | Op::Load { ptr: a, .. } | Op::FNeg(a) | Op::Cast { value: a, .. } | Op::ExtractValue { agg: a, .. } | Op::Freeze(a) | Op::Assume(a) | Op::Lifetime { ptr: a, .. } => visit(a),
        Op::Store { ptr: a, value: b, .. } | Op::AtomicRmw { ptr: a, value: b, .. } | Op::Bin { a, b, .. } | Op::Icmp { a, b, .. } | Op::Fcmp { a, b, .. }
        | Op::InsertValue { agg: a, value: b, .. } | Op::ExtractElement { vec: a, index: b } | Op::Shuffle { a, b, .. } => { visit(a); visit(b); }
        Op::CmpXchg { ptr: a, expected: b, new: c } | Op::Select { cond: a, a: b, b: c } | Op::MemCopy { dst: a, src: b, len: c } | Op::MemSet { dst: a, byte: b, len: c } | Op::InsertElement { vec: a, value: b, index: c } => { visit(a); visit(b); visit(c); }
        Op::Gep { base, steps, .. } => {
            visit(base);
            for s in steps { if let crate::ir::Step::Index { index, .. } = s { visit(index); } }
        }
        Op::Phi(e) => for (_, o) in e { visit(o); },
        Op::Call { callee, args } => {
            if let crate::ir::Callee::Indirect(o) = callee { visit(o); }
            args.iter_mut().for_each(visit);
        }
        Op::Asm { args, .. } | Op::Other { args, .. } => args.iter_mut().for_each(visit),
        Op::Fence => {}
    }
}

fn term_operands(t: &mut Terminator, visit: &mut impl FnMut(&mut Operand)) {
    match t {
        Terminator::Ret(Some(o)) | Terminator::CondBr { cond: o, .. } | Terminator::Switch { value: o, .. } => visit(o),
        Terminator::Invoke { args, .. } => args.iter_mut().for_each(visit),
        Terminator::Ret(None) | Terminator::Br(_) | Terminator::Unreachable | Terminator::Other(_) => {}
    }
}
