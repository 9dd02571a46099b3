//! Waiting for other threads in inline assembly (PTX ISA 9.0, Parallel Synchronization and Communication Instructions).

use super::grammar::{self, Instruction, PtxStatement, number};

/// Event that a statement waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitEvent {
    /// The barrier of this number, at which all threads of the block arrive; the statement does nothing else.
    Block(u32),
    /// The barrier of the cluster; the statement does nothing else.
    Cluster,
    /// Anything else, or one of the above among other effects.
    Otherwise,
}

/// Returns the event that a statement waits for, if any.
pub fn waiting(text: &str) -> Option<WaitEvent> {
    let statements = grammar::statements(text);
    let each: Vec<Option<WaitEvent>> = statements.iter().map(of).collect();
    if each.iter().all(Option::is_none) {
        return None;
    }
    // Arrivals at the cluster's barrier before the wait belong to it.
    let arrives = |s: &PtxStatement| matches!(s, PtxStatement::Instruction(i) if i.opcode.starts_with(CLUSTER_ARRIVES));
    let mut rest = statements.iter().zip(&each).filter(|(s, _)| !arrives(s));
    match (rest.next(), rest.next()) {
        (Some((PtxStatement::Instruction(Instruction { predicate: None, .. }), Some(only))), None) => Some(*only),
        _ => Some(WaitEvent::Otherwise),
    }
}

const CLUSTER_ARRIVES: &str = "barrier.cluster.arrive";

fn of(statement: &PtxStatement) -> Option<WaitEvent> {
    let PtxStatement::Instruction(Instruction { opcode, operands, .. }) = statement else { return None };
    let parts: Vec<&str> = opcode.split('.').collect();
    match parts.as_slice() {
        ["barrier", "cluster", "arrive", ..] => None,
        ["barrier", "cluster", "wait", ..] => Some(WaitEvent::Cluster),
        ["bar" | "barrier", "sync", ..] | ["bar" | "barrier", "cta", "sync", ..] => match operands.as_slice() {
            [id] => Some(number(id).and_then(|n| u32::try_from(n).ok()).map_or(WaitEvent::Otherwise, WaitEvent::Block)),
            _ => Some(WaitEvent::Otherwise),
        },
        ["bar" | "barrier", ..] | ["mbarrier", "test_wait" | "try_wait", ..] => Some(WaitEvent::Otherwise),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_are_told_apart() {
        assert_eq!(waiting("bar.sync 0;"), Some(WaitEvent::Block(0)));
        assert_eq!(waiting("{ barrier.sync.aligned 3; }"), Some(WaitEvent::Block(3)));
        assert_eq!(waiting("barrier.cta.sync 1;"), Some(WaitEvent::Block(1)));
        for other in ["bar.sync 0, 64;", "bar.sync $0;", "bar.arrive 1, 64;", "bar.warp.sync 0xffffffff;"] {
            assert_eq!(waiting(other), Some(WaitEvent::Otherwise), "{other}");
        }
        assert_eq!(waiting("@p bar.sync 0;"), Some(WaitEvent::Otherwise));
        assert_eq!(waiting("mov.u32 $0, 1; bar.sync 0;"), Some(WaitEvent::Otherwise));
        assert_eq!(waiting("add.u32 $0, $1, 1;"), None);
    }

    #[test]
    fn clusters_wait_behind_their_arrival() {
        assert_eq!(waiting("barrier.cluster.arrive.aligned;"), None);
        assert_eq!(waiting("barrier.cluster.wait.aligned;"), Some(WaitEvent::Cluster));
        assert_eq!(waiting("barrier.cluster.arrive; barrier.cluster.wait;"), Some(WaitEvent::Cluster));
    }
}
