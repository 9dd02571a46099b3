//! Primitives of the tensor models (`templates/models/aten.cpp`): device memory whose allocation succeeds, extents,
//! facts about a number on a path, and facts about tensors that a caller gave.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use crate::symbolic::memory::value::{Base, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The functions that models call.
pub(super) const BASIS: Table = &[
    (&["__scuba_device_memory"], |e, c, s| e.tensor_storage(c, s)),
    (&["__scuba_device_copy"], |e, c, s| e.tensor_copy(c, s)),
    (&["__scuba_extent"], |e, c, s| e.extent_behind(c, s)),
    (&["__scuba_known"], |e, c, s| e.known_here(c, s)),
    (&["__scuba_axiom"], |e, c, s| e.axiom(c, s)),
    (&["__scuba_written"], |e, c, s| e.written_behind(c, s)),
    (&["__scuba_any"], |e, c, s| e.any_between(c, s)),
    (&["__scuba_times"], |e, c, s| e.product_of(c, s)),
    (&["__scuba_setting"], |e, c, s| e.any_between(c, s)),
];

/// Namespaces of PyTorch's own functions.
const NAMESPACES: &[&str] = &["at::", "torch::", "c10::", "caffe2::"];

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

impl Executor<'_> {
    /// Models a PyTorch function without a model and with an external body. Its result is unknown; it keeps the
    /// metadata of tensors passed by reference, unless its name says otherwise.
    pub(super) fn torch_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let program = self.program;
        let func = program.func(c.func);
        // Extensions define functions of their own there too.
        let of_extensions = c.display.starts_with("at::native::");
        let is_torchs = func.is_declaration() && !of_extensions && NAMESPACES.iter().any(|n| c.display.starts_with(n));
        if !is_torchs || RESHAPE.iter().any(|n| c.display.contains(n)) || may_write_others(c.display) {
            return Err(Box::new(s));
        }
        let why = UnknownReason::ResultOf(c.display.split('(').next().unwrap_or_default().to_owned());
        if func.params.first().is_some_and(|p| p.sret.is_some()) {
            let given = c.args.iter().take(1).cloned().collect::<Vec<_>>();
            self.clobber(&mut s, &given, &why);
        }
        if writes_elements(c.display) {
            // A caller-given object is in no state before it is read.
            let reached = self.reached_from(&s, c.args);
            let mut storages = self.heap.given_behind(&reached);
            storages.retain(|o| {
                let object = self.object(*o);
                object.kind == ObjKind::DeviceHeap || object.name.ends_with(OF_STORAGE)
            });
            // A kernel writes them, or host code that writes no handle there.
            storages.iter().for_each(|o| self.note_written_by_device(*o));
            self.elements_change(&mut s, &storages, &why);
        }
        let m = program.module(c.site.func.module);
        let v = self.unknown_of(m, c.ty, &why);
        Ok(Some((v, s)))
    }

    /// Assumes that a size fits into device memory. An allocator without enough memory throws.
    fn that_fits(&mut self, s: State, size: TermId) -> Option<State> {
        let zero = self.arena.int(0);
        let most = self.most_of_device();
        let memory = self.arena.int(most);
        let (lower, upper) = (self.arena.le(zero, size), self.arena.le(size, memory));
        let fits = self.arena.and(lower, upper);
        self.assume(s, fits)
    }

    /// Allocates device memory with the elements of a caller-given tensor, in order. The copy of a contiguous tensor
    /// may be that tensor's own memory, so the result is another name for the caller's object. Contracts on its
    /// elements, by their index in the storage, do not apply to these.
    fn tensor_copy(&mut self, c: &Call<'_>, s: State) -> Modelled {
        /// The allocations of a call below this are not copies.
        const COPIES: u32 = 2;
        let from = self.pointer_arg(c, 1);
        let storages: Vec<ObjId> = from.iter().filter_map(|t| self.given_storage(&t.base)).collect();
        let Some(of) = storages.first().copied() else { return self.tensor_storage(c, s) };
        let whole = matches!(from.as_slice(), [t] if self.arena.as_int(t.offset) == Some(0));
        let as_given = whole && self.holds_what_was_given(&s, of);
        let size = self.int_arg(c, 0, 64);
        let Some(mut s) = self.that_fits(s, size) else { return Ok(None) };
        let object = Object { extent: Some(size), ..self.object(of).clone() };
        let o = self.heap.copy_of_given((c.context, c.site, COPIES + 2 * of.0 + u32::from(as_given)), of, object);
        if as_given {
            self.ensure(&mut s, o);
        } else {
            let why = UnknownReason::Holds(self.modelled_function());
            let rest = Rest::Unknown { version: self.heap.next_version(), input: false, reason: Rc::new(why) };
            let state = Rc::new(ObjState::new(rest));
            self.heap.note_copied(o, state.clone());
            s.mem.insert(o, state);
        }
        Ok(Some((self.pointer(o, 0), s)))
    }

    /// Returns the storage of a caller-given tensor.
    fn given_storage(&self, base: &Base) -> Option<ObjId> {
        let Base::Object(o) = *base else { return None };
        let object = self.object(o);
        (object.kind == ObjKind::Parameter && object.name.ends_with(OF_STORAGE)).then_some(o)
    }

    /// Whether the storage of a tensor still has the caller's contents.
    fn holds_what_was_given(&self, s: &State, o: ObjId) -> bool {
        s.mem.get(&o).is_none_or(|now| self.heap.at_entry(o).is_some_and(|first| first == now))
    }

    /// Allocates device memory.
    fn tensor_storage(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let size = self.int_arg(c, 0, 64);
        let Some(mut s) = self.that_fits(s, size) else { return Ok(None) };
        let place = self.user_location();
        let o = self.context.memory.heap.allocate(
            (c.context, c.site, 1),
            Object {
                kind: ObjKind::DeviceHeap,
                name: self.modelled_function(),
                extent: Some(size),
                site: place,
                func: None,
                array: true,
            },
        );
        // Zeroed, uninitialised, or unknown contents.
        let holds = self.int_arg(c, 1, 32);
        let holds = self.arena.as_int(holds);
        let rest = if holds == Some(1) { Rest::Zero } else { Rest::Uninit };
        s.mem.insert(o, Rc::new(ObjState::new(rest)));
        let p = self.pointer(o, 0);
        if holds != Some(0) && holds != Some(1) {
            let why = UnknownReason::Holds(self.object(o).name.clone());
            self.clobber(&mut s, std::slice::from_ref(&p), &why);
        }
        Ok(Some((p, s)))
    }

    /// Returns the name of the called library function: `torch::empty`.
    fn modelled_function(&self) -> String {
        let called = self.call_stack().iter().map(|s| self.program.func(s.func)).find(|f| f.is_library_model());
        let name = called.map(|f| f.display.split('(').next().unwrap_or_default()).unwrap_or_default();
        // Dispatchers have the names of their operations.
        let operation = name.strip_prefix("at::_ops::").and_then(|n| n.strip_suffix("::call"));
        operation.unwrap_or(name).to_owned()
    }

    fn extent_behind(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let mut all: Option<TermId> = None;
        for target in self.pointer_arg(c, 0).iter() {
            let left = match &target.base {
                Base::Object(o) => {
                    let of = self.object(*o).func.unwrap_or(c.func);
                    match self.extent_of_parameter(of, *o) {
                        Ok(extent) => self.arena.sub(extent, target.offset),
                        Err(_) => {
                            let name = self.object(*o).name.clone();
                            return Self::unknown_number(s, UnknownReason::ExtentOfParameter(name));
                        }
                    }
                }
                Base::Null => self.arena.int(0),
                Base::Func(_) => return Self::unknown_number(s, UnknownReason::NoValue),
                Base::Unknown(why) => return Self::unknown_number(s, (*why.reason).clone()),
            };
            all = Some(match all {
                Some(others) => self.arena.ite(target.cond, left, others),
                None => left,
            });
        }
        let extent = all.unwrap_or_else(|| self.arena.int(0));
        Ok(Some((Value::Int(extent), s)))
    }

    fn unknown_number(s: State, why: UnknownReason) -> Modelled {
        Ok(Some((Value::unknown(why), s)))
    }

    /// Returns the value that the path determines for a number, or -1.
    fn known_here(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let t = self.int_arg(c, 0, 64);
        let known = self.number_on(&s, t).unwrap_or(-1);
        Ok(Some((Value::Int(self.arena.int(known)), s)))
    }

    fn number_on(&mut self, s: &State, t: TermId) -> Option<i128> {
        if let Some(n) = self.arena.as_int(t) {
            return Some(n);
        }
        let range = self.arena.range(t);
        let (least, most) = (range.lo.unwrap_or(-1), range.hi.unwrap_or(i128::MAX));
        let conditions = self.arena.conjuncts(s.path);
        let mut possible = vec![];
        for k in least.max(0)..=most.min(SMALL) {
            let number = self.arena.int(k);
            let is = self.arena.eq(t, number);
            if conditions.contains(&is) {
                return Some(k);
            }
            let is_not = self.arena.not(is);
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

    fn axiom(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let holds = self.int_arg(c, 0, 8);
        let zero = self.arena.int(0);
        let holds = self.arena.ne(holds, zero);
        if !self.assumptions.takes(Axiom::TensorSizes) {
            return Self::no_value(s);
        }
        let holds = self.in_whole_numbers(holds);
        match self.assume(s, holds) {
            Some(s) => Self::no_value(s),
            None => Ok(None),
        }
    }

    /// Returns a condition in which products of a caller-given tensor's metadata are exact integers: PyTorch makes no
    /// tensor for which one exceeds 64 bits (`compute_numel` and `computeStorageNbytes` of c10 and ATen check them).
    /// The program's own computations wrap as usual.
    fn in_whole_numbers(&mut self, condition: TermId) -> TermId {
        let is_given =
            |k: &SymKind| matches!(k, SymKind::Input(InputSource::Given { object, .. }) if object.ends_with(OF_HANDLE));
        let mut whole = FxHashMap::default();
        for t in self.arena.cone(&[condition]) {
            if let Term::Wrap { arg, bits: 64, .. } = *self.arena.get(t)
                && self.arena.symbols_of(&[arg]).into_iter().all(|s| is_given(&self.arena.symbol(s).kind))
            {
                let number = self.arena.unwrapped(arg);
                whole.insert(t, number);
            }
        }
        if whole.is_empty() { condition } else { self.arena.substitute(condition, &whole) }
    }

    /// Makes memory unknown that an operation of the library wrote.
    fn written_behind(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let why = UnknownReason::ResultOf(self.modelled_function());
        for target in self.pointer_arg(c, 0).iter() {
            if let Base::Object(o) = target.base {
                self.note_written_by_device(o);
            }
        }
        let behind = self.pointer_arg(c, 0);
        let objects: Option<Vec<ObjId>> =
            behind.iter().map(|t| if let Base::Object(o) = t.base { Some(o) } else { None }).collect();
        match objects {
            Some(objects) => self.elements_change(&mut s, &objects, &why),
            None => {
                let given: Vec<Value> = c.args.iter().take(1).cloned().collect();
                self.clobber(&mut s, &given, &why);
            }
        }
        Self::no_value(s)
    }

    /// Havocs the elements of tensors, but nothing reachable from them: operations of PyTorch treat no element as an
    /// address.
    fn elements_change(&mut self, s: &mut State, storages: &[ObjId], why: &UnknownReason) {
        for o in storages {
            self.forget(s, *o, why, false);
        }
    }

    fn any_between(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (least, most) = (self.int_arg(c, 0, 64), self.int_arg(c, 1, 64));
        let (Some(least), Some(most)) = (self.arena.as_int(least), self.arena.as_int(most)) else {
            return Self::unknown_number(s, UnknownReason::NoValue);
        };
        let reason = UnknownReason::ResultOf(self.modelled_function());
        let any = self.arena.fresh(SymKind::Unknown { reason }, "?", Range::new(least, most));
        Ok(Some((Value::Int(any), s)))
    }

    /// Returns a product that ATen checks for overflow (c10/util/safe_numerics.h), or that cannot overflow.
    fn product_of(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (a, b) = (self.int_arg(c, 0, 64), self.int_arg(c, 1, 64));
        Ok(Some((Value::Int(self.arena.mul(a, b)), s)))
    }
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
