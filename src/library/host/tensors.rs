//! Primitives of the tensor models (`templates/models/aten.cpp`): device memory whose allocation succeeds, extents,
//! facts about a number on a path, and facts about tensors that a caller gave.

use super::cuda;
use super::extremes;
use super::libc;
use super::table::HostTable;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::loops::quantified_facts::QuantifiedFact;
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use ir::TypeKind;
use models::tensors::is_of_torch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The functions that models call.
pub(super) const BASIS: HostTable = &[
    (&["__scuba_device_memory"], |e, c, s| storage_on_device(e, c, s)),
    (&["__scuba_device_copy"], |e, c, s| tensor_copy(e, c, s)),
    (&["__scuba_extent"], |e, c, s| extent_behind(e, c, s)),
    (&["__scuba_known"], |e, c, s| known_here(e, c, s)),
    (&["__scuba_axiom"], |e, c, s| axiom(e, c, s)),
    (&["__scuba_written"], |e, c, s| written_behind(e, c, s)),
    (&["__scuba_given"], |e, c, s| super::dlpack::given_tensor(e, c, s)),
    (&["__scuba_asked"], |e, c, s| super::dlpack::asked_of_tensor(e, c, s)),
    (&["__scuba_any"], |e, c, s| any_between(e, c, s)),
    (&["__scuba_held"], |e, c, s| held_behind(e, c, s)),
    (&["__scuba_times"], |e, c, s| product_of(e, c, s)),
    (&["__scuba_product"], |e, c, s| product_of_sizes(e, c, s)),
    (&["__scuba_extreme"], |e, c, s| extremes::extreme_of(e, c, s)),
    (&["__scuba_keep_extreme"], |e, c, s| extremes::keep_extreme(e, c, s)),
    (&["__scuba_whole"], |e, c, s| extremes::kept_extreme(e, c, s)),
    (&["__scuba_setting"], |e, c, s| any_between(e, c, s)),
    // Where an operation throws, what follows is not reached. A handler is entered whenever its body may throw
    // (`symbolic/exec/exceptions.rs`).
    (&["__scuba_refuses"], |e, _, s| super::success(e, s)),
];

/// Classes that register operators (ATen/core/op_registration/op_registration.h).
const REGISTRATION: &[&str] = &["c10::RegisterOperators::"];

/// Operations that change sizes, strides or storage of an argument tensor.
const RESHAPE: &[&str] = &[
    "resize_",
    "set_",
    "squeeze_",
    "unsqueeze_",
    "transpose_",
    "::t_",
    "swapaxes_",
    "swapdims_",
    "as_strided_",
    "_out",
];

/// Greatest value that is tried for a dimension, a type or a truth value.
const SMALL: i128 = 16;

/// Most terms that are equal to one on a path and asked for their value.
const EQUAL: usize = 8;

/// Most disjunctions one after another that decide each other.
const ROUNDS: usize = 4;

/// Widths of elements in bits.
const WIDTHS: &[i128] = &[32, 64, 128];

/// Whether an operation writes elements of an argument tensor: PyTorch's name of such an operation ends with an
/// underscore, which the name of an overload may follow (`at::_ops::fill__Scalar::call`;
/// aten/src/ATen/native/README.md, "variants").
fn writes_elements(display: &str) -> bool {
    let name = display.split('(').next().unwrap_or_default();
    let name = name.strip_suffix("::call").or_else(|| name.strip_suffix("::redispatch")).unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    let assigns =
        name.strip_prefix("operator").is_some_and(|op| op.ends_with('=') && !matches!(op, "==" | "!=" | "<=" | ">="));
    name.ends_with('_') || name.contains("__") || assigns
}

/// Models a PyTorch function without a model and with an external body. Its result is unknown; it keeps the
/// metadata of tensors passed by reference, unless its name says otherwise.
pub(crate) fn torch_call(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let program = e.program;
    let func = program.func(c.func);
    // Extensions define functions of their own there too.
    let of_extensions = c.display.starts_with("at::native::");
    if REGISTRATION.iter().any(|class| c.display.starts_with(class)) && !program.is_own(c.func) {
        return Ok(Some(registered(e, c, s)));
    }
    let is_torchs = func.is_declaration() && !of_extensions && is_of_torch(c.display);
    if !is_torchs || RESHAPE.iter().any(|n| c.display.contains(n)) || may_write_others(c.display) {
        return Err(Box::new(s));
    }
    let why = UnknownReason::ResultOf(c.display.split('(').next().unwrap_or_default().to_owned());
    if func.params.first().is_some_and(|p| p.sret.is_some()) {
        let given = c.args.iter().take(1).cloned().collect::<Vec<_>>();
        e.clobber(&mut s, &given, &why);
    }
    if writes_elements(c.display) {
        // A caller-given object is in no state before it is read.
        let reached = e.reached_from(&s, c.args);
        let mut storages = e.heap.given_behind(&reached);
        storages.retain(|o| {
            let object = e.object(*o);
            object.kind == ObjKind::DeviceHeap || object.name.ends_with(OF_STORAGE)
        });
        // A kernel writes them, or host code that writes no handle there.
        storages.iter().for_each(|o| e.note_written_by_device(*o));
        elements_change(e, &mut s, &storages, &why);
    }
    let m = program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &why);
    Ok(Some((v, s)))
}

/// Models a method of a class that registers operators, whose bodies keep schemas and functions in PyTorch's own
/// tables: it changes its own object and its arguments, from which it moves, and returns its object. Which functions it registers is read elsewhere
/// (`ir/registered.rs`).
fn registered(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> (Value, State) {
    let why = UnknownReason::ResultOf(c.display.split('(').next().unwrap_or_default().to_owned());
    e.clobber(&mut s, c.args, &why);
    let m = e.program.module(c.site.func.module);
    let v = match c.args.first() {
        Some(this @ Value::Ptr(_)) if matches!(m.ty(c.ty).kind, TypeKind::Ptr(_)) => this.clone(),
        _ => e.unknown_of(m, c.ty, &why),
    };
    (v, s)
}

/// Assumes that a size fits into device memory. An allocator without enough memory throws.
fn that_fits(e: &mut MemoryDomain<'_>, s: State, size: TermId) -> Option<State> {
    let zero = e.arena.int(0);
    let most = e.most_of_device();
    let memory = e.arena.int(most);
    let (lower, upper) = (e.arena.le(zero, size), e.arena.le(size, memory));
    let fits = e.arena.and(lower, upper);
    e.assume(s, fits)
}

/// Allocates device memory with the elements of a caller-given tensor, in order. The copy of a contiguous tensor
/// may be that tensor's own memory, so the result is another name for the caller's object. Contracts on its
/// elements, by their index in the storage, do not apply to these.
fn tensor_copy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    /// The allocations of a call below this are not copies.
    const COPIES: u32 = 2;
    let from = cuda::pointer_arg(e, c, 1);
    let storages: Vec<ObjId> = from.iter().filter_map(|t| given_storage(e, &t.base)).collect();
    let Some(of) = storages.first().copied() else { return tensor_storage(e, c, s) };
    let whole = matches!(from.as_slice(), [t] if e.arena.as_int(t.offset) == Some(0));
    let as_given = whole && holds_what_was_given(e, &s, of);
    let size = libc::int_arg(e, c, 0, 64);
    let Some(mut s) = that_fits(e, s, size) else { return Ok(None) };
    let object = Object { extent: Some(size), ..e.object(of).clone() };
    let o = e.heap.copy_of_given((c.context, c.site, COPIES + 2 * of.0 + u32::from(as_given)), of, object);
    if as_given {
        e.ensure(&mut s, o);
    } else {
        let why = UnknownReason::Holds(modelled_function(e));
        let rest = UncoveredContents::Unknown { version: e.heap.next_version(), input: false, reason: Rc::new(why) };
        let state = Rc::new(ObjState::new(rest));
        e.heap.note_copied(o, state.clone());
        s.mem.insert(o, state);
    }
    Ok(Some((e.pointer(o, 0), s)))
}

/// Returns the storage of a caller-given tensor.
fn given_storage(e: &MemoryDomain<'_>, base: &Base) -> Option<ObjId> {
    let Base::Object(o) = *base else { return None };
    let object = e.object(o);
    (object.kind == ObjKind::Parameter && object.name.ends_with(OF_STORAGE)).then_some(o)
}

/// Whether the storage of a tensor still has the caller's contents.
fn holds_what_was_given(e: &MemoryDomain<'_>, s: &State, o: ObjId) -> bool {
    s.mem.get(&o).is_none_or(|now| e.heap.at_entry(o).is_some_and(|first| first == now))
}

/// Allocates the storage of a tensor, and keeps in mind the device on which it is made.
fn storage_on_device(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let device = libc::int_arg(e, c, 2, 8);
    let made = tensor_storage(e, c, s)?;
    if let Some((Value::Ptr(p), _)) = &made
        && e.arena.as_int(device).is_none()
    {
        for t in p.iter() {
            if let Base::Object(o) = t.base {
                e.runtime.devices_of_tensors.insert(o, device);
            }
        }
    }
    Ok(made)
}

/// Allocates device memory.
fn tensor_storage(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let size = libc::int_arg(e, c, 0, 64);
    let Some(mut s) = that_fits(e, s, size) else { return Ok(None) };
    let (place, name) = (e.user_location(), modelled_function(e));
    let o = e.heap.allocate(
        (c.context, c.site, 1),
        Object { kind: ObjKind::DeviceHeap, name, extent: Some(size), site: place, func: None, array: true },
    );
    // Zeroed, uninitialised, or unknown contents.
    let holds = libc::int_arg(e, c, 1, 32);
    let holds = e.arena.as_int(holds);
    let rest = if holds == Some(1) { UncoveredContents::Zero } else { UncoveredContents::Uninit };
    s.mem.insert(o, Rc::new(ObjState::new(rest)));
    let p = e.pointer(o, 0);
    if holds != Some(0) && holds != Some(1) {
        let why = UnknownReason::Holds(e.object(o).name.clone());
        e.clobber(&mut s, std::slice::from_ref(&p), &why);
    }
    Ok(Some((p, s)))
}

/// Returns the name of the called library function: `torch::empty`.
pub(super) fn modelled_function(e: &ExecutionContext<'_>) -> String {
    let called = e.call_stack().iter().map(|s| e.program.func(s.func)).find(|f| f.is_library_model());
    let name = called.map(|f| f.display.split('(').next().unwrap_or_default()).unwrap_or_default();
    // Dispatchers have the names of their operations.
    let operation = name.strip_prefix("at::_ops::").and_then(|n| n.strip_suffix("::call"));
    operation.unwrap_or(name).to_owned()
}

fn extent_behind(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let mut all: Option<TermId> = None;
    for target in cuda::pointer_arg(e, c, 0).iter() {
        let left = match &target.base {
            Base::Object(o) => {
                let of = e.object(*o).func.unwrap_or(c.func);
                match e.extent_of_parameter(of, *o) {
                    Ok(extent) => e.arena.sub(extent, target.offset),
                    Err(_) => {
                        let name = e.object(*o).name.clone();
                        return unknown_number(s, UnknownReason::ExtentOfParameter(name));
                    }
                }
            }
            Base::Null => e.arena.int(0),
            Base::Func(_) => return unknown_number(s, UnknownReason::NoValue),
            Base::Unknown(why) => return unknown_number(s, (*why.reason).clone()),
        };
        all = Some(match all {
            Some(others) => e.arena.ite(target.cond, left, others),
            None => left,
        });
    }
    let extent = all.unwrap_or_else(|| e.arena.int(0));
    Ok(Some((Value::Int(extent), s)))
}

pub(super) fn unknown_number(s: State, why: UnknownReason) -> ModelOutcome {
    Ok(Some((Value::unknown(why), s)))
}

/// Returns the value that the path determines for a number, or -1.
fn known_here(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let t = libc::int_arg(e, c, 0, 64);
    let known = number_on(e, &s, t).unwrap_or(-1);
    Ok(Some((Value::Int(e.arena.int(known)), s)))
}

/// Returns the value that the path determines for a term, also by equations with other terms.
fn number_on(e: &mut Terms, s: &State, t: TermId) -> Option<i128> {
    let conditions = that_hold(e, s.path);
    let (mut seen, mut open) = (vec![t], vec![(t, 0)]);
    // Terms that are equal to `t` but for a constant.
    while let Some((u, more)) = open.pop() {
        if let Some(n) = number_by(e, &conditions, u) {
            return Some(n + more);
        }
        for (equal, by) in equal_but_for_constants(e, &conditions, u) {
            if seen.len() < EQUAL && !seen.contains(&equal) {
                seen.push(equal);
                open.push((equal, more + by));
            }
        }
    }
    None
}

/// Returns the conjuncts of a path, with those of a disjunction whose other sides they contradict: a check of an
/// optional tensor under `if (v.has_value())` holds where its value is read.
fn that_hold(e: &mut Terms, path: TermId) -> Vec<TermId> {
    let mut all = e.arena.conjuncts(path);
    let mut known: FxHashSet<TermId> = all.iter().copied().collect();
    let is_open = |e: &Terms, t: &TermId| matches!(e.arena.get(*t), Term::Or(_));
    let mut open: Vec<TermId> = all.iter().copied().filter(|t| is_open(e, t)).collect();
    for _ in 0..ROUNDS {
        let before = open.len();
        let mut still = vec![];
        for t in open {
            let Term::Or(sides) = e.arena.get(t).clone() else { continue };
            let mut left = sides.into_iter().filter(|side| !contradicts(e, &known, *side));
            match (left.next(), left.next()) {
                (Some(only), None) => {
                    for c in e.arena.conjuncts(only) {
                        if known.insert(c) {
                            all.push(c);
                            still.extend(is_open(e, &c).then_some(c));
                        }
                    }
                }
                _ => still.push(t),
            }
        }
        open = still;
        if open.len() == before {
            break;
        }
    }
    all
}

/// Whether the negation of a condition, or of one of its conjuncts, is among what is known.
fn contradicts(e: &mut Terms, known: &FxHashSet<TermId>, condition: TermId) -> bool {
    e.arena.conjuncts(condition).into_iter().any(|c| {
        let not = e.arena.not(c);
        known.contains(&not)
    })
}

/// Returns the terms `u` and constants `c` for which a condition says `t == u + c`.
fn equal_but_for_constants(e: &Terms, conditions: &[TermId], t: TermId) -> Vec<(TermId, i128)> {
    let other = |c: &TermId| {
        let Term::EqZ(difference) = *e.arena.get(*c) else { return None };
        let Term::Poly(p) = e.arena.get(difference) else { return None };
        let mut sides = p.terms.iter().filter(|(m, _)| !m.is_empty());
        let (Some((a, f)), Some((b, g)), None) = (sides.next(), sides.next(), sides.next()) else { return None };
        let ([a], [b], true) = (a.as_slice(), b.as_slice(), f.abs() == 1 && *f == -g) else { return None };
        // f * a - f * b + constant == 0
        let constant = p.constant() * f;
        match (*a == t, *b == t) {
            (true, false) => Some((*b, -constant)),
            (false, true) => Some((*a, constant)),
            _ => None,
        }
    };
    conditions.iter().filter_map(other).collect()
}

/// Returns the value that one of the conditions states for a term, or that they leave over.
fn number_by(e: &mut Terms, conditions: &[TermId], t: TermId) -> Option<i128> {
    if let Some(n) = e.arena.as_int(t) {
        return Some(n);
    }
    let range = e.arena.range(t);
    let (least, most) = (range.lo.unwrap_or(-1), range.hi.unwrap_or(i128::MAX));
    let mut possible = vec![];
    let widths = WIDTHS.iter().copied().filter(|w| *w <= most);
    for k in (least.max(0)..=most.min(SMALL)).chain(widths) {
        let number = e.arena.int(k);
        let is = e.arena.eq(t, number);
        if conditions.contains(&is) {
            return Some(k);
        }
        let is_not = e.arena.not(is);
        if !conditions.contains(&is_not) {
            possible.push(k);
        }
    }
    // All other values of a small range are excluded.
    match possible.as_slice() {
        [only] if least >= 0 && most <= SMALL => Some(*only),
        _ => None,
    }
}

fn axiom(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let holds = libc::int_arg(e, c, 0, 8);
    let zero = e.arena.int(0);
    let holds = e.arena.ne(holds, zero);
    if !e.assumptions.takes(Axiom::TensorSizes) {
        return super::no_value(s);
    }
    let holds = in_whole_numbers(e, holds);
    match e.assume(s, holds) {
        Some(s) => super::no_value(s),
        None => Ok(None),
    }
}

/// Returns a condition in which products of a caller-given tensor's metadata are exact integers: PyTorch makes no
/// tensor for which one exceeds 64 bits (`compute_numel` and `computeStorageNbytes` of c10 and ATen check them).
/// The program's own computations wrap as usual.
fn in_whole_numbers(e: &mut Terms, condition: TermId) -> TermId {
    let is_given =
        |k: &SymKind| matches!(k, SymKind::Input(InputSource::Given { object, .. }) if object.ends_with(OF_HANDLE));
    let mut whole = FxHashMap::default();
    for t in e.arena.cone(&[condition]) {
        if let Term::Wrap { arg, bits: 64, .. } = *e.arena.get(t)
            && e.arena.symbols_of(&[arg]).into_iter().all(|s| is_given(&e.arena.symbol(s).kind))
        {
            let number = e.arena.unwrapped(arg);
            whole.insert(t, number);
        }
    }
    if whole.is_empty() { condition } else { e.arena.substitute(condition, &whole) }
}

/// Makes memory unknown that an operation of the library wrote.
fn written_behind(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let why = UnknownReason::ResultOf(modelled_function(e));
    for target in cuda::pointer_arg(e, c, 0).iter() {
        if let Base::Object(o) = target.base {
            e.note_written_by_device(o);
        }
    }
    let behind = cuda::pointer_arg(e, c, 0);
    let objects: Option<Vec<ObjId>> =
        behind.iter().map(|t| if let Base::Object(o) = t.base { Some(o) } else { None }).collect();
    match objects {
        Some(objects) => elements_change(e, &mut s, &objects, &why),
        None => {
            let given: Vec<Value> = c.args.iter().take(1).cloned().collect();
            e.clobber(&mut s, &given, &why);
        }
    }
    super::no_value(s)
}

/// Havocs the elements of tensors, but nothing reachable from them: operations of PyTorch treat no element as an
/// address.
fn elements_change(e: &mut MemoryDomain<'_>, s: &mut State, storages: &[ObjId], why: &UnknownReason) {
    for o in storages {
        e.havoc(s, *o, why, false);
    }
}

fn any_between(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (least, most) = (libc::int_arg(e, c, 0, 64), libc::int_arg(e, c, 1, 64));
    let (Some(least), Some(most)) = (e.arena.as_int(least), e.arena.as_int(most)) else {
        return unknown_number(s, UnknownReason::NoValue);
    };
    let reason = UnknownReason::ResultOf(modelled_function(e));
    let any = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::new(least, most));
    Ok(Some((Value::Int(any), s)))
}

/// Returns an unknown number; the reason names the memory behind the pointer.
pub(super) fn held_behind(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let object = only_object(&cuda::pointer_arg(e, c, 0));
    let reason = match object {
        Some(o) => UnknownReason::Holds(e.object(o).name.clone()),
        None => UnknownReason::ResultOf(modelled_function(e)),
    };
    let any = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::of_int(64, true));
    Ok(Some((Value::Int(any), s)))
}

/// Returns a product that ATen checks for overflow (c10/util/safe_numerics.h), or that cannot overflow.
fn product_of(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (a, b) = (libc::int_arg(e, c, 0, 64), libc::int_arg(e, c, 1, 64));
    Ok(Some((Value::Int(e.arena.mul(a, b)), s)))
}

/// Returns the object if nothing else is pointed to.
pub(super) fn only_object(targets: &[GuardedTarget]) -> Option<ObjId> {
    match targets {
        [one] => match one.base {
            Base::Object(o) => Some(o),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the product of the sizes of a caller-given tensor, none of which is negative.
fn product_of_sizes(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    const BYTES: i128 = 8;
    let (p, count) = (cuda::pointer_arg(e, c, 0), libc::int_arg(e, c, 1, 64));
    let count = e.interpret(count, 64, true);
    let k = e.element_index();
    let size = e.element_at(&mut s, c.site.func, (&p, BYTES), k).filter(|size| size.unless.is_empty());
    let product = size.as_ref().and_then(|size| e.product_of_elements(size.value, k, count));
    let (Some(size), Some(product)) = (size, product) else {
        return unknown_number(s, UnknownReason::ResultOf(modelled_function(e)));
    };
    if e.assumptions.takes(Axiom::TensorSizes) {
        let zero = e.arena.int(0);
        let cond = e.arena.le(zero, size.value);
        QuantifiedFact::new(k, count, cond).everywhere().add_once(&mut e.arena, &mut s.always);
    }
    Ok(Some((Value::Int(product), s)))
}

/// Whether a function with these parameter types may write anything but tensors: it takes a pointer or reference to
/// something non-constant.
fn may_write_others(display: &str) -> bool {
    let Some((_, list)) = display.split_once('(') else { return true };
    let mut depth = 0;
    let mut start = 0;
    let mut types = vec![];
    for (i, c) in list.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' if depth > 0 => depth -= 1,
            ')' | ',' if depth == 0 => {
                types.push(list[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    types.into_iter().any(|t| {
        let written = t.ends_with('*') || t.ends_with('&');
        let constant = t.contains("const&") || t.contains("const*") || t.ends_with("const &");
        written && !constant && t != "at::Tensor&"
    })
}

#[cfg(test)]
mod tests {
    use super::may_write_others;

    #[test]
    fn what_a_function_may_write() {
        for (display, others) in [
            ("at::_ops::add::call(at::Tensor const&, c10::Scalar const&)", false),
            ("at::_ops::add_::call(at::Tensor&, c10::Scalar const&)", false),
            ("c10::f(std::vector<long, std::allocator<long> >&)", true),
            ("c10::f(long*)", true),
            ("c10::f(std::function<void (long*)> const&, int)", false),
            ("c10::g", true),
        ] {
            assert_eq!(may_write_others(display), others, "{display}");
        }
    }
}
