//! SSA construction: variables in memory become values, and blocks are copied for single edges.

use super::tidy::boolean;
use crate::lower::types::MlirTypeTable;
use ir::{BinOp, BlockId, Const, Function, Inst, LocId, Op, Operand, Pred, Terminator, TypeId, TypeKind, ValueId};
use std::collections::{HashMap, HashSet};

/// Returns for each block whether it is the target of a back edge of a depth-first search.
pub(in crate::lower) fn headers(f: &Function) -> Vec<bool> {
    let n = f.blocks.len();
    let (mut out, mut state) = (vec![false; n], vec![0u8; n]);
    let mut stack: Vec<(usize, usize)> = vec![(0, 0)];
    if n > 0 {
        state[0] = 1;
    }
    while let Some((b, i)) = stack.pop() {
        if b >= n {
            continue;
        }
        match f.blocks[b].term.successors().get(i) {
            Some(s) => {
                stack.push((b, i + 1));
                match state[s.index()] {
                    0 => {
                        state[s.index()] = 1;
                        stack.push((s.index(), 0));
                    }
                    1 => out[s.index()] = true,
                    _ => {}
                }
            }
            None => state[b] = 2,
        }
    }
    out
}

/// A variable that several blocks define. Its value elsewhere is found by walking backwards, with phis where paths join
/// (Braun et al.: Simple and Efficient Construction of Static Single Assignment Form, 2013).
struct PromotedVariable<'a> {
    ty: TypeId,
    /// Value at the end of each defining block.
    ends: &'a HashMap<BlockId, Operand>,
    preds: &'a [Vec<BlockId>],
    begins: HashMap<BlockId, Operand>,
    phis: Vec<NewPhi>,
}

/// Block, result and incoming edges of a new phi.
type NewPhi = (BlockId, ValueId, Vec<(BlockId, Operand)>);

impl PromotedVariable<'_> {
    fn at_end(&mut self, b: BlockId, next: &mut u32) -> Operand {
        match self.ends.get(&b) {
            Some(o) => o.clone(),
            None => self.at_begin(b, next),
        }
    }

    fn at_begin(&mut self, b: BlockId, next: &mut u32) -> Operand {
        // Chains of single predecessors are walked in a loop: they can be long.
        let mut chain = vec![];
        let mut at = b;
        let found = loop {
            if let Some(o) = self.begins.get(&at) {
                break o.clone();
            }
            match self.preds[at.index()].as_slice() {
                [] => break Operand::Const(Const::Undef(self.ty)),
                [one] if !chain.contains(&at) => {
                    chain.push(at);
                    if let Some(o) = self.ends.get(one) {
                        break o.clone();
                    }
                    at = *one;
                }
                _ => {
                    let v = ValueId(*next);
                    *next += 1;
                    self.begins.insert(at, Operand::Value(v));
                    let preds = self.preds[at.index()].clone();
                    let edges = preds.iter().map(|p| (*p, self.at_end(*p, next))).collect();
                    self.phis.push((at, v, edges));
                    break Operand::Value(v);
                }
            }
        };
        for c in chain {
            self.begins.insert(c, found.clone());
        }
        found
    }

    fn place(self, f: &mut Function) {
        for (b, v, edges) in self.phis {
            f.blocks[b.index()]
                .insts
                .insert(0, Inst { result: Some(v), ty: self.ty, op: Op::Phi(edges), loc: LocId(0) });
        }
    }
}

/// Returns the predecessors of each block, each once.
pub(in crate::lower) fn all_predecessors(f: &Function) -> Vec<Vec<BlockId>> {
    let mut out = vec![vec![]; f.blocks.len()];
    for (i, b) in (0u32..).zip(&f.blocks) {
        let mut s = b.term.successors();
        s.sort_unstable();
        s.dedup();
        for t in s {
            out[t.index()].push(BlockId(i));
        }
    }
    out
}

/// Promotes scalars in memory that are no source variables (flags, results of `return`) to values.
pub(in crate::lower) fn promote(f: &mut Function, types: &MlirTypeTable) {
    let mut slots: HashMap<ValueId, TypeId> = HashMap::new();
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        if let (Op::Alloca { ty, var: None, count: Operand::Const(Const::Int { value: 1, .. }), .. }, Some(r)) =
            (&i.op, i.result)
            && matches!(types.kind(*ty), TypeKind::Int(_) | TypeKind::Float(_) | TypeKind::Ptr(_))
        {
            slots.insert(r, *ty);
        }
    }
    for b in &mut f.blocks {
        for i in &mut b.insts {
            match (&mut i.op, i.ty) {
                (Op::Load { ptr: Operand::Value(p), .. }, t) if slots.get(p) == Some(&t) => {}
                (Op::Store { ptr: Operand::Value(p), value, .. }, _) if slots.contains_key(p) => {
                    if let Operand::Value(v) = value {
                        slots.remove(v);
                    }
                }
                (op, _) => op.operands_mut(&mut |o| {
                    if let Operand::Value(v) = o {
                        slots.remove(v);
                    }
                }),
            }
        }
        b.term.operands_mut(&mut |o| {
            if let Operand::Value(v) = o {
                slots.remove(v);
            }
        });
    }
    if slots.is_empty() {
        return;
    }
    let preds = all_predecessors(f);
    let mut with: HashMap<ValueId, Operand> = HashMap::new();
    let mut order: Vec<(ValueId, TypeId)> = slots.iter().map(|(v, t)| (*v, *t)).collect();
    order.sort_unstable_by_key(|s| s.0);
    for (slot, ty) in order {
        let mut ends: HashMap<BlockId, Operand> = HashMap::new();
        for (b, block) in (0u32..).zip(&f.blocks) {
            for i in &block.insts {
                if let Op::Store { ptr: Operand::Value(p), value, .. } = &i.op
                    && *p == slot
                {
                    ends.insert(BlockId(b), value.clone());
                }
            }
        }
        let mut variable = PromotedVariable { ty, ends: &ends, preds: &preds, begins: HashMap::new(), phis: vec![] };
        let mut next = f.values;
        for (b, block) in (0u32..).zip(&f.blocks) {
            let mut now: Option<Operand> = None;
            for i in &block.insts {
                match (&i.op, i.result) {
                    (Op::Store { ptr: Operand::Value(p), value, .. }, _) if *p == slot => now = Some(value.clone()),
                    (Op::Load { ptr: Operand::Value(p), .. }, Some(r)) if *p == slot => {
                        let v = now.get_or_insert_with(|| variable.at_begin(BlockId(b), &mut next)).clone();
                        with.insert(r, v);
                    }
                    _ => {}
                }
            }
        }
        f.values = next;
        variable.place(f);
    }
    for b in &mut f.blocks {
        b.insts.retain(|i| match (&i.op, i.result) {
            (Op::Store { ptr: Operand::Value(p), .. } | Op::Load { ptr: Operand::Value(p), .. }, _) => {
                !slots.contains_key(p)
            }
            (Op::Alloca { .. }, Some(r)) => !slots.contains_key(&r),
            _ => true,
        });
    }
    replace(f, &with);
}

/// Replaces values; a replacement may be replaced itself.
pub(in crate::lower) fn replace(f: &mut Function, with: &HashMap<ValueId, Operand>) {
    let last = |o: &mut Operand| {
        // Chains end: each step leads to a value defined before the one it replaces.
        for _ in 0..=with.len() {
            match o {
                Operand::Value(v) => match with.get(v) {
                    Some(n) => *o = n.clone(),
                    None => break,
                },
                Operand::Const(_) => break,
            }
        }
    };
    for b in &mut f.blocks {
        b.operands_mut(&mut |o| last(o));
    }
}

/// Whether a computation has no effect, so that it may be repeated.
pub(in crate::lower) fn is_pure(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin { .. }
            | Op::Icmp { .. }
            | Op::Fcmp { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::ExtractValue { .. }
            | Op::InsertValue { .. }
            | Op::FNeg(_)
            | Op::Gep { .. }
    )
}

/// Returns the values that a block's results have on entry from one predecessor, and the instructions that compute
/// those not yet known there.
pub(in crate::lower) fn copied(
    f: &mut Function,
    block: BlockId,
    pred: BlockId,
) -> (HashMap<ValueId, Operand>, Vec<Inst>) {
    let mut values: HashMap<ValueId, Operand> = HashMap::new();
    let mut out = vec![];
    let mut next = f.values;
    for i in &f.blocks[block.index()].insts {
        let Some(r) = i.result else { continue };
        if let Op::Phi(edges) = &i.op {
            if let Some((_, o)) = edges.iter().find(|(p, _)| *p == pred) {
                values.insert(r, o.clone());
            }
            continue;
        }
        let mut copy = i.clone();
        copy.op.operands_mut(&mut |o| {
            if let Operand::Value(v) = o
                && let Some(n) = values.get(v)
            {
                *o = n.clone();
            }
        });
        if let Some(known) = folded(&copy.op) {
            values.insert(r, known);
            continue;
        }
        copy.result = Some(ValueId(next));
        values.insert(r, Operand::Value(ValueId(next)));
        next += 1;
        out.push(copy);
    }
    f.values = next;
    (values, out)
}

/// Folds an operation whose operands determine its result.
fn folded(op: &Op) -> Option<Operand> {
    let int = |o: &Operand| match o {
        Operand::Const(Const::Int { value, .. }) => Some(*value),
        _ => None,
    };
    let truth = |b: bool| Operand::Const(Const::Int { bits: 1, value: -i128::from(b) });
    match op {
        Op::Bin { op: BinOp::And, a, b, .. } => match (boolean(a), boolean(b)) {
            (Some(false), _) | (_, Some(false)) => Some(truth(false)),
            (Some(true), _) => Some(b.clone()),
            (_, Some(true)) => Some(a.clone()),
            _ => None,
        },
        Op::Bin { op: BinOp::Or, a, b, .. } => match (boolean(a), boolean(b)) {
            (Some(true), _) | (_, Some(true)) => Some(truth(true)),
            (Some(false), _) => Some(b.clone()),
            (_, Some(false)) => Some(a.clone()),
            _ => None,
        },
        Op::Bin { op: BinOp::Xor, a, b, .. } => Some(truth(boolean(a)? != boolean(b)?)),
        Op::Select { cond, a, b } => Some(if boolean(cond)? { a.clone() } else { b.clone() }),
        Op::Icmp { pred, a, b } => {
            let (x, y) = (int(a)?, int(b)?);
            Some(truth(match pred {
                Pred::Eq => x == y,
                Pred::Ne => x != y,
                Pred::Slt => x < y,
                Pred::Sle => x <= y,
                Pred::Sgt => x > y,
                Pred::Sge => x >= y,
                _ => return None,
            }))
        }
        _ => None,
    }
}

/// Replaces the path `pred → block → to` by `pred → copy → to`, where the copy computes what the block does. Values
/// used beyond the block then have two definitions, which phis join.
pub(in crate::lower) fn bypass(
    f: &mut Function,
    block: BlockId,
    pred: BlockId,
    to: BlockId,
    values: HashMap<ValueId, Operand>,
    insts: Vec<Inst>,
) {
    let term_loc = f.blocks[block.index()].term_loc;
    let copy = BlockId(u32::try_from(f.blocks.len()).unwrap_or(u32::MAX));
    f.blocks.push(ir::Block { name: String::new(), insts, term: Terminator::Br(to), term_loc });
    redirect(&mut f.blocks[pred.index()].term, block, copy);
    for i in &mut f.blocks[block.index()].insts {
        if let Op::Phi(e) = &mut i.op {
            e.retain(|(p, _)| *p != pred);
        }
    }
    // The edge from the copy passes the values that the edge from the block would have passed.
    let here = |o: &Operand| match o {
        Operand::Value(v) => values.get(v).cloned().unwrap_or_else(|| o.clone()),
        Operand::Const(_) => o.clone(),
    };
    for i in &mut f.blocks[to.index()].insts {
        let Op::Phi(e) = &mut i.op else { continue };
        if let Some(o) = e.iter().find(|(p, _)| *p == block).map(|(_, o)| here(o)) {
            e.push((copy, o));
        }
    }
    let preds = all_predecessors(f);
    let defined: Vec<(ValueId, TypeId)> =
        f.blocks[block.index()].insts.iter().filter_map(|i| i.result.map(|r| (r, i.ty))).collect();
    let used = uses(f, block, copy);
    for (v, ty) in defined {
        let Some(places) = used.get(&v) else { continue };
        let ends: HashMap<BlockId, Operand> =
            [(block, Operand::Value(v)), (copy, values.get(&v).cloned().unwrap_or(Operand::Const(Const::Undef(ty))))]
                .into();
        let mut variable = PromotedVariable { ty, ends: &ends, preds: &preds, begins: HashMap::new(), phis: vec![] };
        let mut next = f.values;
        let at: HashMap<UsePosition, Operand> = places
            .iter()
            .map(|p| {
                (
                    *p,
                    match p {
                        UsePosition::In(b) => variable.at_begin(*b, &mut next),
                        UsePosition::Edge(b) => variable.at_end(*b, &mut next),
                    },
                )
            })
            .collect();
        f.values = next;
        for (b, x) in (0u32..).zip(&mut f.blocks) {
            let b = BlockId(b);
            if b == block || b == copy {
                for i in &mut x.insts {
                    if let Op::Phi(e) = &mut i.op {
                        for (p, o) in e {
                            swap(o, v, at.get(&UsePosition::Edge(*p)));
                        }
                    }
                }
                continue;
            }
            for i in &mut x.insts {
                if let Op::Phi(e) = &mut i.op {
                    for (p, o) in e {
                        if *p != copy {
                            swap(o, v, at.get(&UsePosition::Edge(*p)));
                        }
                    }
                } else {
                    i.op.operands_mut(&mut |o| swap(o, v, at.get(&UsePosition::In(b))));
                }
            }
            x.term.operands_mut(&mut |o| swap(o, v, at.get(&UsePosition::In(b))));
        }
        variable.place(f);
    }
}

pub(in crate::lower) fn redirect(t: &mut Terminator, from: BlockId, to: BlockId) {
    t.successors_mut(|t| {
        if *t == from {
            *t = to;
        }
    });
}

/// Whether a block's values are used other than in phis of one successor on the edge from it.
pub(in crate::lower) fn used_elsewhere(f: &Function, block: BlockId, to: BlockId) -> bool {
    let own: HashSet<ValueId> = f.blocks[block.index()].insts.iter().filter_map(|i| i.result).collect();
    let mut found = false;
    for (b, x) in (0u32..).zip(&f.blocks) {
        let mut note = |o: &Operand| found |= matches!(o, Operand::Value(v) if own.contains(v));
        for i in &x.insts {
            match &i.op {
                Op::Phi(e) => {
                    for (p, o) in e {
                        if !(BlockId(b) == to && *p == block) {
                            note(o);
                        }
                    }
                }
                op => op.operands(&mut note),
            }
        }
        x.term.operands(&mut note);
    }
    found
}

/// Decides whether an edge into a loop head may bypass it so that every loop keeps a single entry: the head has one
/// exit side, and one edge enters the loop.
pub(in crate::lower) fn may_pass(
    f: &Function,
    preds: &[Vec<BlockId>],
    head: BlockId,
    pred: BlockId,
    then: BlockId,
    otherwise: BlockId,
) -> bool {
    // The loop: all blocks reachable from the head's successors that lead back to the head without passing it.
    let mut inside: HashSet<BlockId> = HashSet::new();
    let mut work: Vec<BlockId> = vec![];
    let after: HashSet<BlockId> = {
        let mut seen = HashSet::new();
        let mut w = f.blocks[head.index()].term.successors();
        while let Some(b) = w.pop() {
            if b != head && seen.insert(b) {
                w.extend(f.blocks[b.index()].term.successors());
            }
        }
        seen
    };
    work.extend(preds[head.index()].iter().filter(|p| after.contains(p)));
    while let Some(b) = work.pop() {
        if b != head && inside.insert(b) {
            work.extend(preds[b.index()].iter().filter(|p| after.contains(p)));
        }
    }
    if inside.contains(&then) == inside.contains(&otherwise) {
        return false;
    }
    let body = if inside.contains(&then) { then } else { otherwise };
    let outer = preds[head.index()].iter().filter(|p| !inside.contains(p)).count();
    // Only the head enters the body's first block, which becomes the head.
    preds[body.index()].iter().all(|p| *p == head) && (inside.contains(&pred) || outer == 1)
}

fn swap(o: &mut Operand, v: ValueId, with: Option<&Operand>) {
    if *o == Operand::Value(v)
        && let Some(n) = with
    {
        *o = n.clone();
    }
}

/// Position of a use: in a block, or on an edge out of one into a phi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum UsePosition {
    In(BlockId),
    Edge(BlockId),
}

/// Returns the uses of a block's values outside it and its copy.
fn uses(f: &Function, block: BlockId, copy: BlockId) -> HashMap<ValueId, Vec<UsePosition>> {
    let own: HashSet<ValueId> = f.blocks[block.index()].insts.iter().filter_map(|i| i.result).collect();
    let mut out: HashMap<ValueId, Vec<UsePosition>> = HashMap::new();
    let mut note = |o: &Operand, at: UsePosition| {
        if let Operand::Value(v) = o
            && own.contains(v)
        {
            let list = out.entry(*v).or_default();
            if !list.contains(&at) {
                list.push(at);
            }
        }
    };
    for (b, x) in (0u32..).zip(&f.blocks) {
        let b = BlockId(b);
        for i in &x.insts {
            match &i.op {
                Op::Phi(e) => {
                    for (p, o) in e {
                        if *p != block && *p != copy {
                            note(o, UsePosition::Edge(*p));
                        }
                    }
                }
                _ if b == block || b == copy => {}
                op => op.operands(&mut |o| note(o, UsePosition::In(b))),
            }
        }
        if b != block && b != copy {
            x.term.operands(&mut |o| note(o, UsePosition::In(b)));
        }
    }
    out
}
