//! Lists of integers that a caller gives an operator (`at::IntArrayRef`, `std::vector<int64_t>`): what they hold.
//!
//! In: the root's parameters; the inputs of a run, with the lengths of lists. Out: elements, by a number that encodes
//! the choice: the sizes of a tensor, nearly these, or small numbers. They are guesses, as the sizes of small tensors
//! are; a run decides.

use finding::{HeldScalar, HeldValue};
use ir::{ArithmeticType, FuncRef, Program, plain_number};
use models::views;
use witness::ConcreteInputs;

/// Longest list that gets elements.
const LONGEST: i64 = 64;
/// Byte of a list at which its length is, or the end of its elements, behind the pointer to the first one.
const LENGTH: i64 = 8;

/// A parameter that is a list.
#[derive(Clone, Debug)]
struct IntegerList {
    name: String,
    /// Size of an element in bytes.
    bytes: i64,
}

/// The lists of a root.
#[derive(Clone, Debug, Default)]
pub(super) struct RootLists {
    lists: Vec<IntegerList>,
}

impl RootLists {
    pub fn of(program: &Program, root: FuncRef) -> Self {
        let (m, f) = (program.module(root.module), program.func(root));
        let mut lists = vec![];
        for (i, p) in f.params.iter().enumerate() {
            let (name, class) = match f.in_registers(i) {
                Some((name, ty, 0)) => (name, m.ty(ty).source.as_deref()),
                Some(_) => continue,
                None => (p.name.as_str(), p.of_class.as_deref()),
            };
            let element = class.and_then(views::list).and_then(|element| plain_number(element.trim()));
            if let Some(ArithmeticType::Int { bits, .. }) = element {
                lists.push(IntegerList { name: name.to_owned(), bytes: i64::from(bits / 8) });
            }
        }
        Self { lists }
    }

    /// Adds the elements of the lists whose lengths the inputs have.
    pub fn hold(&self, inputs: &mut ConcreteInputs, mut choice: usize) {
        for list in &self.lists {
            let held = |at: i64| inputs.held.iter().find(|h| h.object == list.name && h.at == at);
            let Some(to) = held(0).and_then(HeldScalar::pointer_to).cloned() else { continue };
            let count = held(LENGTH).and_then(|h| match h.what {
                HeldValue::Number { value, .. } => i64::try_from(value).ok(),
                HeldValue::Behind { bytes, .. } => Some(bytes / list.bytes),
                HeldValue::Pointer(_) | HeldValue::Text(_) => None,
            });
            let Some(count) = count.filter(|n| (0..=LONGEST).contains(n)) else { continue };
            let bytes = (count * list.bytes).unsigned_abs();
            inputs.extents.entry(to.clone()).and_modify(|known| *known = bytes.max(*known)).or_insert(bytes);
            let sizes: Vec<&[i64]> = inputs.tensors.values().map(|t| t.sizes.as_slice()).collect();
            let kinds = 2 * sizes.len() + 2;
            let (kind, seed) = (choice % kinds, choice / kinds);
            choice = seed;
            let elements: Vec<i64> = (0..count).map(|i| element(&sizes, kind, seed, i)).collect();
            let bits = u32::try_from(list.bytes * 8).unwrap_or(64);
            inputs.held.extend((0..).zip(elements).map(|(i, value)| HeldScalar {
                object: to.clone(),
                at: i * list.bytes,
                what: HeldValue::Number { bits, value: value.into() },
            }));
        }
    }

    /// Returns the elements of the lists for display, as a run's inputs have them.
    pub fn shown(&self, inputs: impl FnOnce() -> ConcreteInputs) -> Vec<(String, String)> {
        let mut out = vec![];
        if self.lists.is_empty() {
            return out;
        }
        let inputs = inputs();
        for list in &self.lists {
            let first = inputs.held.iter().find(|h| h.object == list.name && h.at == 0);
            let Some(to) = first.and_then(HeldScalar::pointer_to) else { continue };
            let number = |h: &HeldScalar| match h.what {
                HeldValue::Number { value, .. } if h.object == *to => Some(value.to_string()),
                _ => None,
            };
            let elements: Vec<String> = inputs.held.iter().filter_map(number).collect();
            out.push((list.name.clone(), format!("[{}]", elements.join(", "))));
        }
        out
    }
}

/// Returns an element of a list: of the sizes of a tensor, of these with another first one, or a small number.
fn element(sizes: &[&[i64]], kind: usize, seed: usize, i: i64) -> i64 {
    const SMALL: [i64; 8] = [2, 3, 1, 4, 2, 5, 1, 0];
    let at = usize::try_from(i).unwrap_or(0);
    let of = |t: usize| sizes[t].get(at).copied().unwrap_or(1);
    match kind {
        k if k < sizes.len() => of(k),
        k if k < 2 * sizes.len() => of(k - sizes.len()) + i64::from(at == 0),
        _ => SMALL[(at + seed + kind) % SMALL.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::element;

    #[test]
    fn lists_hold_the_sizes_of_each_tensor_and_other_numbers() {
        let sizes: [&[i64]; 2] = [&[2, 3], &[7]];
        let of = |kind| (0..3).map(|i| element(&sizes, kind, 0, i)).collect::<Vec<i64>>();
        assert_eq!([of(0), of(1)], [[2, 3, 1], [7, 1, 1]]);
        assert_eq!([of(2), of(3)], [[3, 3, 1], [8, 1, 1]]);
        assert_ne!(of(4), of(5));
    }
}
