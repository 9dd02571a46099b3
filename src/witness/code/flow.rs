//! Control-flow structure of a function: loops, and where branches join.
//!
//! Exception edges are left out: calls do not throw here.

use ir::{BlockId, Function, Terminator};
use rustc_hash::FxHashSet;

/// A natural loop.
#[derive(Clone, Debug)]
pub struct FlowLoop {
    pub header: BlockId,
    /// Blocks of the loop, header included; sorted.
    pub blocks: Vec<BlockId>,
}

impl FlowLoop {
    pub fn contains(&self, b: BlockId) -> bool {
        self.blocks.binary_search(&b).is_ok()
    }
}

pub struct Flow {
    pub succs: Vec<Vec<BlockId>>,
    pub loops: Vec<FlowLoop>,
    /// Block where all returning paths from each block join; `None` if there is none before the return, or if no path
    /// returns.
    pub join: Vec<Option<BlockId>>,
}

/// Successors on normal (non-exceptional) control flow.
pub fn successors(t: &Terminator) -> Vec<BlockId> {
    match t {
        Terminator::Invoke { normal, .. } => vec![*normal],
        t => {
            let mut s = t.successors();
            s.sort_unstable();
            s.dedup();
            s
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "blocks are numbered by u32")]
const fn block(i: usize) -> BlockId {
    BlockId(i as u32)
}

impl Flow {
    pub fn of(f: &Function) -> Self {
        let succs: Vec<Vec<BlockId>> = f.blocks.iter().map(|b| successors(&b.term)).collect();
        let returns: Vec<bool> = f.blocks.iter().map(|b| matches!(b.term, Terminator::Ret(_))).collect();
        let loops = loops(&succs);
        let join = joins(&succs, &returns);
        Self { succs, loops, join }
    }

    pub fn loop_at(&self, header: BlockId) -> Option<&FlowLoop> {
        self.loops.iter().find(|l| l.header == header)
    }

    /// Blocks on paths from `from` that end before `to`. `from` is included only if it is on a cycle.
    pub fn between(&self, from: BlockId, to: BlockId) -> Vec<BlockId> {
        let mut seen = FxHashSet::default();
        let mut work: Vec<BlockId> = self.succs[from.index()].clone();
        while let Some(b) = work.pop() {
            if b == to || !seen.insert(b) {
                continue;
            }
            work.extend(&self.succs[b.index()]);
        }
        let mut v: Vec<BlockId> = seen.into_iter().collect();
        v.sort_unstable();
        v
    }

    /// Blocks on paths from `from`, included.
    pub fn reach(&self, from: BlockId) -> Vec<BlockId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![from];
        while let Some(b) = work.pop() {
            if seen.insert(b) {
                work.extend(&self.succs[b.index()]);
            }
        }
        let mut v: Vec<BlockId> = seen.into_iter().collect();
        v.sort_unstable();
        v
    }
}

/// Blocks that `root` reaches, in post-order.
fn post_order(succs: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut seen = vec![false; succs.len()];
    let mut out = Vec::with_capacity(succs.len());
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((b, i)) = stack.pop() {
        if let Some(&s) = succs[b].get(i) {
            stack.push((b, i + 1));
            if !seen[s] {
                seen[s] = true;
                stack.push((s, 0));
            }
        } else {
            out.push(b);
        }
    }
    out
}

/// Immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"); `None` for the root and
/// for unreachable blocks.
fn dominators(succs: &[Vec<usize>], root: usize) -> Vec<Option<usize>> {
    let n = succs.len();
    let order = post_order(succs, root);
    let mut number = vec![usize::MAX; n];
    for (i, b) in order.iter().enumerate() {
        number[*b] = i;
    }
    let mut preds = vec![Vec::new(); n];
    for &b in &order {
        for &s in &succs[b] {
            preds[s].push(b);
        }
    }
    let mut idom: Vec<Option<usize>> = vec![None; n];
    idom[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev().skip(1) {
            let mut new: Option<usize> = None;
            for &p in preds[b].iter().filter(|p| idom[**p].is_some()) {
                new = Some(new.map_or(p, |q| {
                    let (mut a, mut c) = (p, q);
                    while a != c {
                        // Both lie on known dominator chains that end in the root.
                        while number[a] < number[c] {
                            a = idom[a].unwrap_or(root);
                        }
                        while number[c] < number[a] {
                            c = idom[c].unwrap_or(root);
                        }
                    }
                    a
                }));
            }
            if new != idom[b] {
                idom[b] = new;
                changed = true;
            }
        }
    }
    idom[root] = None;
    idom
}

fn loops(succs: &[Vec<BlockId>]) -> Vec<FlowLoop> {
    if succs.is_empty() {
        return Vec::new();
    }
    let plain: Vec<Vec<usize>> = succs.iter().map(|s| s.iter().map(|b| b.index()).collect()).collect();
    let idom = dominators(&plain, 0);
    let mut preds = vec![Vec::new(); plain.len()];
    for (b, ss) in plain.iter().enumerate() {
        for &s in ss {
            preds[s].push(b);
        }
    }
    let dominates = |a: usize, mut b: usize| loop {
        if a == b {
            return true;
        }
        match idom[b] {
            Some(d) => b = d,
            None => return false,
        }
    };
    let mut found: Vec<(usize, FxHashSet<usize>)> = Vec::new();
    for (b, ss) in plain.iter().enumerate() {
        if b != 0 && idom[b].is_none() {
            continue;
        }
        for &h in ss {
            if !dominates(h, b) {
                continue;
            }
            let mut body = FxHashSet::from_iter([h]);
            let mut work = vec![b];
            while let Some(x) = work.pop() {
                if body.insert(x) {
                    work.extend(preds[x].iter().filter(|p| **p == 0 || idom[**p].is_some()));
                }
            }
            match found.iter_mut().find(|(x, _)| *x == h) {
                Some((_, all)) => all.extend(body),
                None => found.push((h, body)),
            }
        }
    }
    found
        .into_iter()
        .map(|(h, body)| {
            let mut blocks: Vec<BlockId> = body.into_iter().map(block).collect();
            blocks.sort_unstable();
            FlowLoop { header: block(h), blocks }
        })
        .collect()
}

/// Immediate post-dominators over the returning paths: a side that ends in `abort` joins nowhere.
fn joins(succs: &[Vec<BlockId>], returns: &[bool]) -> Vec<Option<BlockId>> {
    let n = succs.len();
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    for (b, ss) in succs.iter().enumerate() {
        for s in ss {
            back[s.index()].push(b);
        }
    }
    back[n] = (0..n).filter(|b| returns[*b]).collect();
    dominators(&back, n).into_iter().take(n).map(|d| d.filter(|d| *d < n).map(block)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn b(v: &[u32]) -> Vec<BlockId> {
        v.iter().copied().map(BlockId).collect()
    }

    fn flow(succs: &[&[u32]], returns: &[u32]) -> Flow {
        let succs: Vec<Vec<BlockId>> = succs.iter().map(|s| b(s)).collect();
        let r: Vec<bool> = (0..succs.len()).map(|i| returns.contains(&(i as u32))).collect();
        Flow { loops: loops(&succs), join: joins(&succs, &r), succs }
    }

    #[test]
    fn a_diamond_joins() {
        let f = flow(&[&[1, 2], &[3], &[3], &[]], &[3]);
        assert_eq!(f.join[0], Some(BlockId(3)));
        assert_eq!(f.between(BlockId(0), BlockId(3)), b(&[1, 2]));
    }

    #[test]
    fn a_side_that_aborts_joins_nowhere() {
        let f = flow(&[&[1, 2], &[], &[3], &[]], &[3]);
        assert_eq!(f.join[0], Some(BlockId(2)));
        assert_eq!(f.join[1], None);
    }

    #[test]
    fn two_returns_join_only_outside() {
        let f = flow(&[&[1, 2], &[], &[]], &[1, 2]);
        assert_eq!(f.join[0], None);
    }

    #[test]
    fn nested_loops_are_found_with_their_blocks() {
        // 0 → 1 (outer header) → 2 (inner header) → 3 → 2, 2 → 4 → 1, 1 → 5
        let f = flow(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]], &[5]);
        assert_eq!(f.loop_at(BlockId(2)).unwrap().blocks, b(&[2, 3]));
        assert_eq!(f.loop_at(BlockId(1)).unwrap().blocks, b(&[1, 2, 3, 4]));
        assert!(f.loop_at(BlockId(0)).is_none());
        assert_eq!(f.join[1], Some(BlockId(5)));
        assert_eq!(f.reach(BlockId(4)), b(&[1, 2, 3, 4, 5]));
    }
}
