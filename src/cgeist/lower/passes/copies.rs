//! Functions that only copy a structure. cgeist emits bodies for implicit copy constructors and assignments, which copy
//! member by member and are located at the structure's declaration. To a compiler such a copy is one access of each
//! side where it is written, so a call of one becomes that.

use crate::lower::body::BodyBuilder;
use crate::lower::side::SideBuilder;
use frontend::names::demangle;
use ir::{AddressStep, Function, Op, Operand, Terminator, ValueId};
use std::collections::{BTreeMap, HashMap};

impl SideBuilder<'_, '_> {
    /// Returns the number of bytes that a function copies from its second argument to its first, if it does nothing
    /// else.
    pub fn copied_bytes(&mut self, name: &str) -> Option<u64> {
        if let Some(known) = self.copies.get(name) {
            return *known;
        }
        // While its own body is being lowered, it is an ordinary function.
        self.copies.insert(name.to_owned(), None);
        let bytes = is_copy(&demangle(name))
            .then(|| {
                let id = self.function(name);
                self.lower_now(id);
                copy(self.of(id), &self.types.defs)
            })
            .flatten();
        self.copies.insert(name.to_owned(), bytes);
        bytes
    }
}

/// Whether a name is a copy or move operation: `X::X(X const&)`, `X::operator=(X&&)` and the like.
fn is_copy(display: &str) -> bool {
    let Some((head, params)) = display.split_once('(') else { return false };
    let Some((class, last)) = head.rsplit_once("::") else { return false };
    let params = params.trim_end_matches(')');
    let own = class.rsplit("::").next() == Some(last) || last == "operator=";
    own && [" const&", "&&"].iter().any(|s| params.strip_suffix(s) == Some(class))
}

/// A value in a straight-line function of two pointers.
#[derive(Clone, Debug, PartialEq)]
enum TracedValue {
    /// Argument and byte offset.
    Place(usize, u64),
    /// A value loaded from the second argument: byte offset and size.
    Member(u64, u64),
    Slot(ValueId),
}

fn copy(f: &Function, types: &[ir::TypeDef]) -> Option<u64> {
    let [block] = f.blocks.as_slice() else { return None };
    if f.params.len() != 2 {
        return None;
    }
    let mut values: HashMap<ValueId, TracedValue> =
        [(ValueId(0), TracedValue::Place(0, 0)), (ValueId(1), TracedValue::Place(1, 0))].into();
    let mut slots: HashMap<ValueId, TracedValue> = HashMap::new();
    let mut done: BTreeMap<u64, u64> = BTreeMap::new();
    let of = |values: &HashMap<ValueId, TracedValue>, o: &Operand| match o {
        Operand::Value(v) => values.get(v).cloned(),
        Operand::Const(_) => None,
    };
    for i in &block.insts {
        let size = types[i.ty.index()].size.get();
        let made = match &i.op {
            Op::Alloca { .. } => TracedValue::Slot(i.result?),
            Op::Load { ptr, .. } => match of(&values, ptr)? {
                TracedValue::Slot(s) => slots.get(&s)?.clone(),
                TracedValue::Place(1, at) => TracedValue::Member(at, size),
                _ => return None,
            },
            Op::Store { ptr, value, .. } => {
                let value = of(&values, value)?;
                match (of(&values, ptr)?, value) {
                    (TracedValue::Slot(s), v) => {
                        slots.insert(s, v);
                    }
                    (TracedValue::Place(0, at), TracedValue::Member(from, n)) if at == from => {
                        done.insert(at, n);
                    }
                    _ => return None,
                }
                continue;
            }
            Op::Gep { base, steps, .. } => {
                let TracedValue::Place(p, mut at) = of(&values, base)? else { return None };
                for s in steps {
                    at += match s {
                        AddressStep::Field { offset, .. } => *offset,
                        AddressStep::Index { index: Operand::Const(ir::Const::Int { value, .. }), stride, .. } => {
                            u64::try_from(*value).ok()?.checked_mul(stride.get())?
                        }
                        AddressStep::Index { .. } => return None,
                    };
                }
                TracedValue::Place(p, at)
            }
            _ => return None,
        };
        values.insert(i.result?, made);
    }
    match &block.term {
        Terminator::Ret(None) => {}
        Terminator::Ret(Some(o)) if of(&values, o) == Some(TracedValue::Place(0, 0)) => {}
        _ => return None,
    }
    // The whole structure, except padding before a member.
    let mut end = 0;
    for (at, n) in &done {
        if *at != end && (*n == 0 || *at != end.next_multiple_of((*n).min(16))) {
            return None;
        }
        end = at + n;
    }
    (end > 0).then_some(end)
}

impl BodyBuilder<'_, '_, '_> {
    /// Lowers a call of a function that only copies; its result is its first argument.
    pub(in crate::lower) fn copy_call(&mut self, name: &str, args: &[Operand]) -> Option<Operand> {
        let [dst, src] = args else { return None };
        let bytes = self.side.copied_bytes(name)?;
        let len = Self::int(64, i128::from(bytes));
        self.effect(Op::MemCopy { dst: dst.clone(), src: src.clone(), len, align: [0; 2], presumed: false });
        Some(dst.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::is_copy;

    #[test]
    fn copies_are_told_by_their_names() {
        for s in ["Vec3::Vec3(Vec3 const&)", "Vec3::operator=(Vec3 const&)", "ns::P::P(ns::P&&)"] {
            assert!(is_copy(s), "{s}");
        }
        for s in ["Vec3::Vec3(float const&)", "f(Vec3 const&)", "Vec3::add(Vec3 const&)", "main"] {
            assert!(!is_copy(s), "{s}");
        }
    }
}
