//! The least and the most element of a tensor: a number that bounds each of its elements (`templates/models/reductions.cpp`).
//!
//! In: elements of an integral type that lie one after the other. Out: a number, and the fact that it bounds them. If the type
//! is not known, there is such a fact for each type, and the number is that of the storage as long as nothing writes it.

use super::cuda;
use super::libc;
use super::tensors::{held_behind, modelled_function, only_object, unknown_number};
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::loops::quantified_facts::QuantifiedFact;
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use std::rc::Rc;

/// Returns the least or the most of integers that lie one after the other: a number that bounds each of them.
pub(super) fn extreme_of(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let reason = UnknownReason::ResultOf(modelled_function(e));
    let [bytes, count, most, sign] = [1, 2, 3, 4].map(|i| libc::int_arg(e, c, i, 64));
    let [bytes, most, sign] = [bytes, most, sign].map(|t| e.arena.as_int(t));
    let (Some(bytes @ 1..=8), Some(most), Some(sign)) = (bytes, most, sign) else {
        return unknown_number(s, reason);
    };
    let signed = sign != 0;
    let Ok(width) = u32::try_from(8 * bytes) else { return unknown_number(s, reason) };
    let extreme = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::of_int(width, signed));
    let elements = IntegerRun { data: cuda::pointer_arg(e, c, 0), count: e.interpret(count, 64, true), width, signed };
    bound_elements(e, c, &mut s, &elements, (extreme, most != 0), None);
    Ok(Some((Value::Int(extreme), s)))
}

/// Integers that lie one after the other.
struct IntegerRun {
    data: Rc<Vec<GuardedTarget>>,
    count: TermId,
    /// Width of each element in bits.
    width: u32,
    signed: bool,
}

/// Adds that a number is no smaller than elements are, or no greater, on all paths but those with a condition.
fn bound_elements(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    elements: &IntegerRun,
    (extreme, most): (TermId, bool),
    unless: Option<TermId>,
) {
    let k = e.element_index();
    let bytes = i128::from(elements.width / 8);
    let Some(element) = e.element_at(s, c.site.func, (&elements.data, bytes), k) else { return };
    let value = e.interpret(element.value, elements.width, elements.signed);
    let (low, high) = if most { (value, extreme) } else { (extreme, value) };
    let bounded = e.arena.le(low, high);
    let cond = e.arena.or_all([&[bounded], &element.unless[..], unless.as_slice()].concat());
    // It restricts only the extreme.
    QuantifiedFact::new(k, elements.count, cond).everywhere().add_to(&mut s.always);
}

/// Integral types of elements (`c10::ScalarType`, c10/core/ScalarType.h of PyTorch 2.11): number, width in bits, sign.
const WHOLE_TYPES: [(i128, u32, bool); 5] = [(0, 8, false), (1, 8, true), (2, 16, true), (3, 32, true), (4, 64, true)];

/// Keeps in mind that a storage holds the least or the most element of a tensor of a type that is not known: of each
/// integral type a bound of the elements if it is that type.
pub(super) fn keep_extreme(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let [ty, count, most] = [2, 3, 4].map(|i| libc::int_arg(e, c, i, 64));
    let storage = cuda::pointer_arg(e, c, 0);
    let (Some(most), Some(o)) = (e.arena.as_int(most), only_object(&storage)) else { return super::no_value(s) };
    let Some(state) = s.mem.get(&o).cloned() else { return super::no_value(s) };
    let reason = UnknownReason::ResultOf(modelled_function(e));
    let extreme = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::of_int(64, true));
    let (data, count) = (cuda::pointer_arg(e, c, 1), e.interpret(count, 64, true));
    for (number, width, signed) in WHOLE_TYPES {
        let number = e.arena.int(number);
        let other = e.arena.ne(ty, number);
        let elements = IntegerRun { data: data.clone(), count, width, signed };
        bound_elements(e, c, &mut s, &elements, (extreme, most != 0), Some(other));
    }
    e.runtime.extremes.insert(o, (state, extreme));
    super::no_value(s)
}

/// Returns the extreme that the memory behind the pointer still holds, or an unknown number.
pub(super) fn kept_extreme(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let object = only_object(&cuda::pointer_arg(e, c, 0));
    if let Some((then, extreme)) = object.and_then(|o| e.runtime.extremes.get(&o))
        && object.and_then(|o| s.mem.get(&o)).is_some_and(|now| Rc::ptr_eq(now, then))
    {
        return Ok(Some((Value::Int(*extreme), s)));
    }
    held_behind(e, c, s)
}
