//! Circles of a graph: its strongly connected components of more than one node (Tarjan, 1972).

use std::collections::{BTreeMap, BTreeSet};

pub type Graph = BTreeMap<String, BTreeSet<String>>;

struct Search<'g> {
    graph: &'g Graph,
    index: BTreeMap<&'g str, (usize, usize)>,
    stack: Vec<&'g str>,
    found: Vec<Vec<String>>,
}

/// Each circle's nodes in alphabetic order.
pub fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let mut s = Search { graph, index: BTreeMap::new(), stack: vec![], found: vec![] };
    for node in graph.keys() {
        if !s.index.contains_key(node.as_str()) {
            s.visit(node);
        }
    }
    s.found.sort();
    s.found
}

impl<'g> Search<'g> {
    fn visit(&mut self, node: &'g str) -> usize {
        let number = self.index.len();
        self.index.insert(node, (number, number));
        self.stack.push(node);
        for next in self.graph.get(node).into_iter().flatten() {
            let low = match self.index.get(next.as_str()) {
                None => self.visit(next),
                Some(_) if self.stack.contains(&next.as_str()) => self.index[next.as_str()].0,
                Some(_) => continue,
            };
            let own = self.index.get_mut(node).unwrap();
            own.1 = own.1.min(low);
        }
        let (_, low) = self.index[node];
        if low == number {
            let at = self.stack.iter().position(|n| *n == node).unwrap();
            let mut circle: Vec<String> = self.stack.split_off(at).into_iter().map(str::to_owned).collect();
            circle.sort();
            if circle.len() > 1 {
                self.found.push(circle);
            }
        }
        low
    }
}
