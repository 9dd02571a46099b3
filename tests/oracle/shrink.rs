//! A program with a mismatch, made small.

use super::judge::Wrong;
use super::program::Program;
use super::{compare, unit::alone};

/// Leaves out what the mismatch does not need, as long as that works.
pub fn shrink(p: &Program, wrong: Wrong) -> Program {
    let mut best = p.clone();
    'again: loop {
        let mut smaller = best.smaller();
        smaller.sort_by_key(|p| alone(p).len());
        for some in smaller.chunks(40) {
            let outcomes = compare(some);
            if let Some((p, _)) = some.iter().zip(outcomes).find(|(_, o)| o.mismatches.iter().any(|m| m.wrong == wrong))
            {
                best = p.clone();
                continue 'again;
            }
        }
        return best;
    }
}
