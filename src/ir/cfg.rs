//! Reverse post-order, dominators and the loop forest of a function.

use super::{BlockId, Function};
use rustc_hash::FxHashSet;

/// A natural loop; loops with one header are merged.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// Blocks of the loop and of the loops nested in it.
    pub blocks: FxHashSet<BlockId>,
    pub parent: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Cfg {
    /// Reachable blocks in reverse post-order.
    pub order: Vec<BlockId>,
    pub loops: Vec<Loop>,
    /// Innermost loop of each block.
    pub innermost: Vec<Option<usize>>,
    /// True where some cycle has several entries; the engine does not execute such a function.
    pub irreducible: bool,
}

impl Cfg {
    #[must_use]
    pub fn new(f: &Function) -> Self {
        let n = f.blocks.len();
        let succ: Vec<Vec<usize>> = f
            .blocks
            .iter()
            .map(|b| {
                let mut v: Vec<usize> = b.term.successors().iter().map(|s| s.index()).collect();
                v.dedup();
                v
            })
            .collect();
        let order = reverse_post_order(&succ);
        let mut number = vec![usize::MAX; n];
        for (i, b) in order.iter().enumerate() {
            number[*b] = i;
        }
        let mut preds: Vec<Vec<usize>> = vec![vec![]; n];
        for &b in &order {
            for &s in &succ[b] {
                preds[s].push(b);
            }
        }
        let idom = dominators(&order, &number, &preds);
        let mut headers: Vec<(usize, FxHashSet<BlockId>)> = vec![];
        let mut irreducible = false;
        for &b in &order {
            for &s in &succ[b] {
                if number[s] > number[b] {
                    continue;
                }
                if !dominates(&idom, s, b) {
                    irreducible = true;
                    continue;
                }
                let body = natural_loop(s, b, &preds);
                if let Some(h) = headers.iter_mut().find(|h| h.0 == s) {
                    h.1.extend(body);
                } else {
                    headers.push((s, body));
                }
            }
        }
        // Outer loops first.
        headers.sort_by_key(|h| std::cmp::Reverse(h.1.len()));
        let mut loops: Vec<Loop> = vec![];
        let mut innermost = vec![None; n];
        for (h, blocks) in headers {
            let parent = innermost[h];
            for b in &blocks {
                innermost[b.index()] = Some(loops.len());
            }
            loops.push(Loop { header: id(h), blocks, parent });
        }
        Self { order: order.into_iter().map(id).collect(), loops, innermost, irreducible }
    }
}

fn reverse_post_order(succ: &[Vec<usize>]) -> Vec<usize> {
    let mut post = Vec::with_capacity(succ.len());
    let mut seen = vec![false; succ.len()];
    let mut stack: Vec<(usize, usize)> = vec![];
    if !succ.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((b, i)) = stack.pop() {
        if let Some(&s) = succ[b].get(i) {
            stack.push((b, i + 1));
            if !seen[s] {
                seen[s] = true;
                stack.push((s, 0));
            }
        } else {
            post.push(b);
        }
    }
    post.reverse();
    post
}

/// Returns the immediate dominator of each block (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm);
/// `usize::MAX` where there is none.
fn dominators(order: &[usize], number: &[usize], preds: &[Vec<usize>]) -> Vec<usize> {
    let mut idom = vec![usize::MAX; preds.len()];
    if let Some(entry) = idom.first_mut() {
        *entry = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().skip(1) {
            let mut new = usize::MAX;
            for &p in &preds[b] {
                if idom[p] == usize::MAX {
                    continue;
                }
                new = if new == usize::MAX { p } else { meet(&idom, number, p, new) };
            }
            if new != usize::MAX && idom[b] != new {
                idom[b] = new;
                changed = true;
            }
        }
    }
    idom
}

fn dominates(idom: &[usize], a: usize, mut b: usize) -> bool {
    loop {
        if a == b {
            return true;
        }
        if b == 0 || idom[b] == usize::MAX {
            return false;
        }
        b = idom[b];
    }
}

/// Returns the blocks of the natural loop of a back edge from `last` to `header`.
fn natural_loop(header: usize, last: usize, preds: &[Vec<usize>]) -> FxHashSet<BlockId> {
    let mut body: FxHashSet<BlockId> = FxHashSet::default();
    body.insert(id(header));
    let mut work = vec![last];
    while let Some(x) = work.pop() {
        if body.insert(id(x)) {
            work.extend(preds[x].iter().copied());
        }
    }
    body
}

fn id(b: usize) -> BlockId {
    BlockId(u32::try_from(b).unwrap_or(u32::MAX))
}

fn meet(idom: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] > number[b] {
            a = idom[a];
        }
        while number[b] > number[a] {
            b = idom[b];
        }
    }
    a
}
