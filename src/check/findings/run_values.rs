//! The index of an access in one run: its text with the numbers that the run had there.
//!
//! In: an access, and the numbers of the frames of a replay that reached it. Out: `i` is 4, where other variables
//! have these numbers. The module decides nothing.

use super::wording::{self, AccessText, AddressReader, RunValues};
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::site::Site;
use ir::{CastOp, Inst, Op, Operand, Program};

/// Most variables that are listed beside an index.
const LISTED: usize = 4;
/// Most values on the way from an address to its variables.
const WAY: usize = 64;

/// Index of an access in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexInRun {
    /// Sentence: `` `row * w + i` is 1203, where row is 4, w is 300 and i is 3``.
    pub message: String,
    /// The number, if the index is one.
    pub value: Option<i64>,
}

/// Returns the index of an access as seen at `at`; `values` are the numbers of the frame there.
pub(crate) fn index(
    program: &Program,
    stack: &[Site],
    at: Site,
    kind: AccessKind,
    text: &AccessText,
    values: RunValues<'_>,
) -> Option<IndexInRun> {
    let run = wording::seen_in_run(program, stack, at, kind, values);
    if text.index.is_empty() || run.index == text.index || run.array != text.array || !is_number(&run.index) {
        return None;
    }
    let value = run.index.parse().ok();
    let what = match value {
        Some(n) => format!("`{}` is {n}", text.index),
        None => format!("`{0}{1}` is `{0}{2}`", text.array, text.index, run.index),
    };
    let own = if stack.last().is_none_or(|own| *own == at) { wording::address(program, at, kind) } else { None };
    let mut variables = own.map_or_else(Vec::new, |o| variables(program, at, values, (o, &text.index)));
    // What stands in brackets has its number there.
    let in_brackets = |name: &str| text.index.contains(&format!("[{name}]"));
    variables.retain(|(name, _)| *name != text.index && !in_brackets(name));
    variables.truncate(LISTED);
    let each: Vec<String> = variables.iter().map(|(name, n)| format!("{name} is {n}")).collect();
    let message = match each.split_last() {
        None => what,
        Some((last, [])) => format!("{what}, where {last}"),
        Some((last, before)) => format!("{what}, where {} and {last}", before.join(", ")),
    };
    Some(IndexInRun { message, value })
}

/// Whether an index has numbers alone: `4`, `[4][0]` or `[4].x`.
fn is_number(index: &str) -> bool {
    let is_one = |text: &str| text.parse::<i64>().is_ok();
    if !index.starts_with('[') {
        return is_one(index);
    }
    index.split('[').skip(1).all(|part| part.split_once(']').is_some_and(|(inside, _)| is_one(inside)))
}

/// Returns the variables that an address is computed from with their numbers, in the order of the expression; for an
/// index that is itself read from memory, those that this read depends on.
fn variables(
    program: &Program,
    at: Site,
    values: RunValues<'_>,
    (address, index): (&Operand, &str),
) -> Vec<(String, i64)> {
    let r = AddressReader::new(program, at.func, values);
    let names = AddressReader::new(program, at.func, &[]);
    let note = |o: &Operand, unsigned: Option<u32>, out: &mut Vec<(String, i64)>| {
        let Some(n) = r.value(o) else { return };
        let name = names.expr(o, 0);
        if name.is_empty() || name.contains(['?', '…', '(']) || out.iter().any(|(known, _)| *known == name) {
            return;
        }
        let n = match unsigned {
            Some(bits) if n < 0 && bits < 63 => n + (1_i64 << bits),
            _ => n,
        };
        out.push((name, n));
    };
    let mut out: Vec<(String, i64)> = vec![];
    // Operands with the width from which they are extended without a sign.
    let mut open: Vec<(Operand, Option<u32>)> = vec![(address.clone(), None)];
    for _ in 0..WAY {
        let Some((o, unsigned)) = open.pop() else { break };
        let Operand::Value(v) = o else { continue };
        let Some((Inst { op, .. }, _)) = r.def(v) else {
            note(&o, unsigned, &mut out);
            continue;
        };
        match op {
            Op::Load { ptr, .. } if r.value(&o).is_none() || names.expr(&o, 0) == index => {
                open.push((ptr.clone(), None));
            }
            Op::Load { .. } => note(&o, unsigned, &mut out),
            Op::Cast { op: CastOp::ZExt, value, from, .. } => open.push((value.clone(), r.width(*from))),
            Op::Call { .. } | Op::Phi(_) | Op::Alloca { .. } => {}
            op => {
                let mut operands = vec![];
                op.operands(&mut |o: &Operand| operands.push((o.clone(), None)));
                // The last one comes first.
                open.extend(operands.into_iter().rev());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn an_index_is_a_number_if_all_its_subscripts_are() {
        for index in ["4", "-1", "[4][0]", "[4].x", "[4].x[2]"] {
            assert!(is_number(index), "{index}");
        }
        for index in ["i", "[i][0]", "[4][j]", "4 + i", "", "[4"] {
            assert!(!is_number(index), "{index}");
        }
    }
}
