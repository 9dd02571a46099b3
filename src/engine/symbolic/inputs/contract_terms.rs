//! Meaning of contracts in a state of an execution: terms over a function's arguments.
//!
//! In: a condition, a function with its arguments, or an object whose type has an invariant, and a state. Out: the
//! condition as a term, or the reason why there is none. Members and elements are read from the state. If a condition
//! contains a division by zero or a read outside of an array, it does not hold there, and the term is weaker: the term
//! assumes no more than the caller guarantees.

use super::contract_facts::{ContractCall, ContractParty};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::term::TermId;
use contracts::ast::{Binary, Comparison, CondKind, ContractFunction, MemberOperator, TermKind, UnaryOperator};
use contracts::{Cond, ContractTerm};
use ir::{ArithmeticType, FuncRef, Pred, TypeId, TypeKind, element_name, plain_number, pointee_name};
use std::rc::Rc;

/// Meaning of the names in a condition.
#[derive(Clone)]
pub(super) enum NameMeanings<'a> {
    /// The parameters of a function.
    Of(ContractCall<'a>),
    /// The members of an object.
    Members(PointerOrObject),
}

/// Context in which a condition is evaluated.
pub(super) struct TermScope<'a> {
    pub names: NameMeanings<'a>,
    /// Function whose module has the types.
    pub function: FuncRef,
    pub state: State,
    /// Variables of `forall`.
    pub bound: Vec<(String, TermId)>,
    /// Conditions under which the terms so far are defined.
    pub defined: Vec<TermId>,
}

/// A pointer, or the object at its target.
#[derive(Clone)]
pub(super) struct PointerOrObject {
    pub targets: Rc<Vec<GuardedTarget>>,
    pub element: ElementType,
}

/// Type of an object in memory.
#[derive(Clone, Default)]
pub(super) struct ElementType {
    /// Spelling in the source, if known.
    pub name: String,
    pub ty: Option<TypeId>,
    pub unsigned: bool,
    /// Size in bytes, if known; and the size of its pointee, if it is a pointer or an array of pointers.
    pub bytes: Option<u64>,
    pub pointee: Option<u64>,
}

/// Value that a term denotes.
enum DenotedValue {
    Number(TermId),
    Null,
    Pointer(PointerOrObject),
    Object(PointerOrObject),
}

/// Maximum number of values of a `forall` variable that are expanded one by one, if its bounds are constants.
const ONE_BY_ONE: i128 = 16;

type TermResult<T> = Result<T, String>;

impl ExecutionContext<'_> {
    pub(super) fn condition_of(&mut self, asked: &mut TermScope<'_>, c: &Cond) -> TermResult<TermId> {
        Ok(match &c.kind {
            CondKind::Literal(b) => self.arena.bool(*b),
            CondKind::Compare(op, a, b) => {
                let holds = self.comparison_of(asked, *op, a, b)?;
                self.where_defined(asked, holds)
            }
            CondKind::Truth(t) => match self.denoted(asked, t)? {
                DenotedValue::Number(t) => self.is_true(asked, t),
                DenotedValue::Null => self.arena.bool(false),
                DenotedValue::Pointer(p) => {
                    let null = self.is_null(&p, t)?;
                    self.arena.not(null)
                }
                DenotedValue::Object(_) => return Err(format!("`{t}` is neither a number nor a pointer")),
            },
            CondKind::Not(c) => {
                let c = self.condition_of(asked, c)?;
                self.arena.not(c)
            }
            CondKind::And(all) => {
                let all = all.iter().map(|c| self.condition_of(asked, c)).collect::<TermResult<Vec<_>>>()?;
                self.arena.and_all(all)
            }
            CondKind::Or(all) => {
                let all = all.iter().map(|c| self.condition_of(asked, c)).collect::<TermResult<Vec<_>>>()?;
                self.arena.or_all(all)
            }
            CondKind::Implies(a, b) => {
                let (a, b) = (self.condition_of(asked, a)?, self.condition_of(asked, b)?);
                let not = self.arena.not(a);
                self.arena.or(not, b)
            }
            CondKind::Choice(c, a, b) => {
                let c = self.condition_of(asked, c)?;
                let (a, b) = (self.condition_of(asked, a)?, self.condition_of(asked, b)?);
                let not = self.arena.not(c);
                let (a, b) = (self.arena.and(c, a), self.arena.and(not, b));
                self.arena.or(a, b)
            }
            CondKind::Forall(all) => {
                let (from, to) = (self.number_said(asked, &all.from)?, self.number_said(asked, &all.to)?);
                let (Some(from), Some(to)) = (self.arena.as_int(from), self.arena.as_int(to)) else {
                    return Err("`forall` over bounds that are no numbers stands inside a condition: state it as one of its own".into());
                };
                let to = if all.closed { to.saturating_add(1) } else { to };
                if to - from > ONE_BY_ONE {
                    return Err(format!(
                        "`forall` over more than {ONE_BY_ONE} numbers stands inside a condition: state it as one of its own"
                    ));
                }
                let mut every = vec![];
                for k in from..to {
                    let k = self.arena.int(k);
                    every.push(self.with_bound(asked, &all.variable, k, &all.body)?);
                }
                self.arena.and_all(every)
            }
            CondKind::Disjoint(_) => {
                return Err("`disjoint` stands inside a condition: state it as one of its own".into());
            }
        })
    }

    /// Evaluates a condition with a value for a variable of `forall`.
    pub(super) fn with_bound(
        &mut self,
        asked: &mut TermScope<'_>,
        variable: &str,
        value: TermId,
        body: &Cond,
    ) -> TermResult<TermId> {
        asked.bound.push((variable.to_owned(), value));
        let body = self.condition_of(asked, body);
        asked.bound.pop();
        body
    }

    pub(super) fn number_said(&mut self, asked: &mut TermScope<'_>, t: &ContractTerm) -> TermResult<TermId> {
        match self.denoted(asked, t)? {
            DenotedValue::Number(t) => Ok(t),
            _ => Err(format!("`{t}` is not a number")),
        }
    }

    /// Returns the target of a pointer, for the functions of contracts that take one.
    pub(super) fn pointer_of(
        &mut self,
        asked: &mut TermScope<'_>,
        t: &ContractTerm,
    ) -> TermResult<Option<PointerOrObject>> {
        match self.denoted(asked, t)? {
            DenotedValue::Pointer(p) => Ok(Some(p)),
            DenotedValue::Null => Ok(None),
            _ => Err(format!("`{t}` is not a pointer here")),
        }
    }

    fn comparison_of(
        &mut self,
        asked: &mut TermScope<'_>,
        op: Comparison,
        a: &ContractTerm,
        b: &ContractTerm,
    ) -> TermResult<TermId> {
        use Comparison::{Eq, Ge, Gt, Lt, Ne};
        if elements(b).is_some() && elements(a).is_none() {
            return self.comparison_of(asked, op.swapped(), b, a);
        }
        // `elements(p) >= n` is `extent(p) >= n * size`: without a division, whatever the extent is.
        if let Some(of) = elements(a).filter(|_| !matches!(op, Eq | Ne)) {
            let n = self.number_said(asked, b)?;
            // At least n, or at least n + 1; the others are their negations.
            let least = if matches!(op, Ge | Lt) { n } else { self.arena.add_const(n, 1) };
            let (extent, size) = self.extent_and_size(asked, of)?;
            let bytes = self.arena.scale(least, size);
            let enough = self.arena.le(bytes, extent);
            return Ok(if matches!(op, Ge | Gt) { enough } else { self.arena.not(enough) });
        }
        let (x, y) = match (self.denoted(asked, a)?, self.denoted(asked, b)?) {
            (DenotedValue::Number(x), DenotedValue::Number(y)) => (x, y),
            (DenotedValue::Pointer(p), DenotedValue::Null) | (DenotedValue::Null, DenotedValue::Pointer(p)) => {
                let null = self.is_null(&p, a)?;
                return self.equality(op, null);
            }
            // Pointers are compared with no number except for 0.
            (DenotedValue::Pointer(p), DenotedValue::Number(n))
            | (DenotedValue::Number(n), DenotedValue::Pointer(p))
                if self.arena.as_int(n) == Some(0) =>
            {
                let null = self.is_null(&p, a)?;
                return self.equality(op, null);
            }
            (DenotedValue::Pointer(p), DenotedValue::Pointer(q)) => {
                known(&p, a)?;
                known(&q, b)?;
                let same = self.compare_pointers(Pred::Eq, &p.targets, &q.targets);
                return self.equality(op, same);
            }
            _ => return Err(format!("`{a}` and `{b}` cannot be compared")),
        };
        Ok(self.comparison_said(op, x, y))
    }

    fn is_null(&mut self, p: &PointerOrObject, said: &ContractTerm) -> TermResult<TermId> {
        known(p, said)?;
        let (cond, zero) = (self.arena.bool(true), self.arena.int(0));
        Ok(self.compare_pointers(Pred::Eq, &p.targets, &[GuardedTarget::new(cond, Base::Null, zero)]))
    }

    fn denoted(&mut self, asked: &mut TermScope<'_>, t: &ContractTerm) -> TermResult<DenotedValue> {
        if let Some(number) = self.number_of_tensor(asked, t)? {
            return Ok(DenotedValue::Number(number));
        }
        Ok(match &t.kind {
            TermKind::Int(v) => DenotedValue::Number(self.arena.int(*v)),
            TermKind::Null => DenotedValue::Null,
            TermKind::Name(name) => match asked.bound.iter().rev().find(|(n, _)| n == name) {
                Some((_, value)) => DenotedValue::Number(*value),
                None => self.name_of(asked, name)?,
            },
            TermKind::Launch(_) => {
                let NameMeanings::Of(called) = &asked.names else {
                    return Err(format!("`{t}` is of a kernel's launch alone"));
                };
                let found = self.of_the_launch(&t.to_string(), called.launch);
                DenotedValue::Number(found.ok_or_else(|| format!("`{t}` is of a kernel's launch alone"))?)
            }
            TermKind::Member(of, access, name) => {
                let found = self.object_said(asked, of, *access)?;
                self.member_of(asked, &found, name)?
            }
            TermKind::Subscript(p, index) => {
                let index = self.number_said(asked, index)?;
                let p = self.indexed(asked, p, index)?;
                self.read(asked, &p, t)?
            }
            TermKind::Deref(p) => {
                let zero = self.arena.int(0);
                let p = self.indexed(asked, p, zero)?;
                self.read(asked, &p, t)?
            }
            TermKind::Method(of, access, name, args) => {
                let found = self
                    .object_said(asked, of, *access)
                    .map_err(|_| format!("`{of}` has no functions that are known here"))?;
                match (name.as_str(), args.as_slice()) {
                    ("size", []) => DenotedValue::Number(self.size_of_container(asked, &found, t)?),
                    ("data", []) => DenotedValue::Pointer(self.data_of_container(asked, &found, t)?),
                    _ => return Err(format!("`{t}` is not followed")),
                }
            }
            TermKind::SizeOf(name) => DenotedValue::Number(self.size_named(asked, name)?),
            TermKind::Cast(_, t) => self.denoted(asked, t)?,
            TermKind::Unary(op, t) => {
                let t = self.number_said(asked, t)?;
                let minus = self.arena.neg(t);
                DenotedValue::Number(if *op == UnaryOperator::Minus { minus } else { self.arena.add_const(minus, -1) })
            }
            TermKind::Binary(op, a, b) => match (op, self.denoted(asked, a)?, self.denoted(asked, b)?) {
                (_, DenotedValue::Number(x), DenotedValue::Number(y)) => {
                    DenotedValue::Number(self.arithmetic_said(*op, x, y)?)
                }
                (Binary::Add, DenotedValue::Pointer(p), DenotedValue::Number(n))
                | (Binary::Add, DenotedValue::Number(n), DenotedValue::Pointer(p)) => {
                    DenotedValue::Pointer(self.advanced(p, n)?)
                }
                (Binary::Sub, DenotedValue::Pointer(p), DenotedValue::Number(n)) => {
                    let n = self.arena.neg(n);
                    DenotedValue::Pointer(self.advanced(p, n)?)
                }
                _ => return Err(format!("`{t}` is no arithmetic of numbers")),
            },
            TermKind::Choice(c, a, b) => {
                let c = self.condition_of(asked, c)?;
                let (a, b) = (self.number_said(asked, a)?, self.number_said(asked, b)?);
                DenotedValue::Number(self.arena.ite(c, a, b))
            }
            TermKind::Apply(function, of) => DenotedValue::Number(self.applied_of(asked, *function, of, t)?),
        })
    }

    /// Returns the object that `of.` or `of->` denotes.
    fn object_said(
        &mut self,
        asked: &mut TermScope<'_>,
        of: &ContractTerm,
        access: MemberOperator,
    ) -> TermResult<PointerOrObject> {
        match (self.denoted(asked, of)?, access) {
            (DenotedValue::Object(found), MemberOperator::Dot)
            | (DenotedValue::Pointer(found), MemberOperator::Arrow) => Ok(found),
            _ => Err(format!("`{of}` has no members that are known here")),
        }
    }

    fn name_of(&mut self, asked: &mut TermScope<'_>, name: &str) -> TermResult<DenotedValue> {
        let called = match &asked.names {
            NameMeanings::Of(called) => *called,
            NameMeanings::Members(of) => return self.member_of(asked, &of.clone(), name),
        };
        let (func, m) = (self.program.func(called.f), self.program.module(called.f.module));
        let Some(i) = func.params.iter().position(|p| p.name == *name) else {
            let found = self.structure_in_registers(&mut asked.state, called, name);
            return found.map(DenotedValue::Object).ok_or_else(|| self.no_such_name(called.f, name));
        };
        let p = &func.params[i];
        Ok(match (&m.ty(p.ty).kind, called.args.get(i)) {
            (TypeKind::Int(_), Some(Value::Bool(b))) => {
                let (one, zero) = (self.arena.int(1), self.arena.int(0));
                DenotedValue::Number(self.arena.ite(*b, one, zero))
            }
            (TypeKind::Int(bits), Some(v)) => {
                let t = self.as_int_value(v, *bits);
                DenotedValue::Number(self.interpret(t, *bits, !func.is_unsigned(name)))
            }
            (TypeKind::Ptr(_), Some(Value::Ptr(targets))) => {
                let type_name = func.declared_type(name).unwrap_or_default();
                let element = match p.byval {
                    Some(ty) => ElementType { name: type_name.to_owned(), ty: Some(ty), ..ElementType::default() },
                    None => ElementType { bytes: func.element_bytes(i), ..self.element_named(called.f, type_name) },
                };
                let at = PointerOrObject { targets: targets.clone(), element };
                if p.byval.is_some() || type_name.ends_with('&') && self.is_structure(called.f, &at) {
                    DenotedValue::Object(at)
                } else {
                    DenotedValue::Pointer(at)
                }
            }
            _ => return Err(format!("`{name}` of `{}` is neither a number nor a pointer", func.display)),
        })
    }

    fn member_of(&mut self, asked: &TermScope<'_>, of: &PointerOrObject, name: &str) -> TermResult<DenotedValue> {
        let m = self.module(asked.function);
        let unknown = || format!("the members of `{}` are not known here", of.element.name);
        let ty = of.element.ty.ok_or_else(unknown)?;
        let TypeKind::Struct { fields, .. } = &m.ty(ty).kind else { return Err(unknown()) };
        let Some((at, field)) = m.member(ty, name) else {
            let all: Vec<String> = fields
                .iter()
                .filter_map(|f| f.name.as_deref())
                .filter(|n| !n.is_empty())
                .map(|n| format!("`{n}`"))
                .collect();
            return Err(format!("`{}` has no member `{name}`; it has {}", of.element.name, all.join(", ")));
        };
        let declared = field.declared.clone();
        let element = ElementType {
            name: declared.as_ref().map(|d| d.type_name.clone()).unwrap_or_default(),
            ty: Some(field.ty),
            unsigned: declared.as_ref().is_some_and(|d| d.unsigned),
            bytes: None,
            pointee: declared.and_then(|d| d.pointee),
        };
        let targets = self.shifted(&of.targets, i128::from(at));
        self.read(asked, &PointerOrObject { targets, element }, &ContractTerm::name(name))
    }

    fn indexed(&mut self, asked: &mut TermScope<'_>, p: &ContractTerm, index: TermId) -> TermResult<PointerOrObject> {
        match self.denoted(asked, p)? {
            DenotedValue::Pointer(at) => self.advanced(at, index),
            _ => Err(format!("`{p}` is neither a pointer nor an array")),
        }
    }

    /// Reads the value at an address: an object, an array as the pointer to its first element, a number or a pointer.
    fn read(&mut self, asked: &TermScope<'_>, at: &PointerOrObject, said: &ContractTerm) -> TermResult<DenotedValue> {
        let m = self.module(asked.function);
        known(at, said)?;
        let ty = at.element.ty.ok_or_else(|| format!("the type of `{said}` is not known here"))?;
        Ok(match &m.ty(ty).kind {
            TypeKind::Struct { .. } => DenotedValue::Object(at.clone()),
            TypeKind::Array { elem, .. } => {
                let name = element_name(&at.element.name);
                let bytes = Some(m.size_of(*elem).get()).filter(|b| *b > 0);
                let ElementType { unsigned, pointee, .. } = at.element;
                let element = ElementType { name, ty: Some(*elem), unsigned, bytes, pointee };
                DenotedValue::Pointer(PointerOrObject { targets: at.targets.clone(), element })
            }
            TypeKind::Int(bits) => {
                let v = self.look(asked, &at.targets, ty);
                let t = match v {
                    Value::Unknown(why) => return Err(format!("what `{said}` holds is not known there: {why}")),
                    Value::Bool(b) => {
                        let (one, zero) = (self.arena.int(1), self.arena.int(0));
                        self.arena.ite(b, one, zero)
                    }
                    v => {
                        let t = self.as_int_value(&v, *bits);
                        self.interpret(t, *bits, !at.element.unsigned)
                    }
                };
                DenotedValue::Number(t)
            }
            TypeKind::Ptr(_) => {
                let v = self.look(asked, &at.targets, ty);
                let targets = self.as_pointer(&v);
                let named = self.element_named(asked.function, &at.element.name);
                let element = ElementType { bytes: at.element.pointee.or(named.bytes), ..named };
                DenotedValue::Pointer(PointerOrObject { targets, element })
            }
            _ => return Err(format!("`{said}` is neither a number nor a pointer")),
        })
    }

    /// Loads a value on behalf of the analysis, not of the program.
    fn look(&mut self, asked: &TermScope<'_>, targets: &Rc<Vec<GuardedTarget>>, ty: TypeId) -> Value {
        let used = self.runtime.used_by_host.clone();
        let v = self.load_typed(&mut asked.state.clone(), asked.function, targets, ty);
        self.runtime.used_by_host = used;
        v
    }

    /// Returns the bytes from a pointer to the end of its object, and the size of an element.
    fn extent_and_size(&mut self, asked: &mut TermScope<'_>, p: &ContractTerm) -> TermResult<(TermId, i128)> {
        let Some(pointed) = self.pointer_of(asked, p)? else { return Ok((self.arena.int(0), 1)) };
        let bytes = pointed
            .element
            .bytes
            .ok_or_else(|| format!("the size of what `{p}` points to is not known: state its extent in bytes"))?;
        Ok((self.extent_from(asked, &pointed, p)?, i128::from(bytes)))
    }

    fn applied_of(
        &mut self,
        asked: &mut TermScope<'_>,
        function: ContractFunction,
        of: &[ContractTerm],
        t: &ContractTerm,
    ) -> TermResult<TermId> {
        match (function, of) {
            (ContractFunction::Extent, [p]) => match self.pointer_of(asked, p)? {
                Some(pointed) => self.extent_from(asked, &pointed, p),
                None => Ok(self.arena.int(0)),
            },
            (ContractFunction::Elements, [p]) => {
                let (extent, size) = self.extent_and_size(asked, p)?;
                Ok(self.arena.floor_div(extent, size.max(1)))
            }
            (ContractFunction::Min | ContractFunction::Max, [first, rest @ ..]) => {
                let mut so_far = self.number_said(asked, first)?;
                for one in rest {
                    let one = self.number_said(asked, one)?;
                    let less = self.arena.le(so_far, one);
                    let (least, most) = (self.arena.ite(less, so_far, one), self.arena.ite(less, one, so_far));
                    so_far = if function == ContractFunction::Min { least } else { most };
                }
                Ok(so_far)
            }
            (ContractFunction::Abs, [x]) => {
                let x = self.number_said(asked, x)?;
                let (zero, minus) = (self.arena.int(0), self.arena.neg(x));
                let negative = self.arena.lt(x, zero);
                Ok(self.arena.ite(negative, minus, x))
            }
            (ContractFunction::CeilDiv, [a, b]) => {
                let (a, b) = (self.number_said(asked, a)?, self.number_said(asked, b)?);
                match self.arena.as_int(b) {
                    Some(by) if by > 0 => {
                        let up = self.arena.add_const(a, by - 1);
                        Ok(self.arena.floor_div(up, by))
                    }
                    Some(0) => Err("it divides by zero".into()),
                    _ => Ok(self.rounded_up(a, b)),
                }
            }
            _ => Err(format!("`{t}` has the wrong number of arguments")),
        }
    }
}

impl MemoryDomain<'_> {
    fn extent_from(&mut self, asked: &TermScope<'_>, p: &PointerOrObject, said: &ContractTerm) -> TermResult<TermId> {
        let owing = matches!(&asked.names, NameMeanings::Of(called) if called.by == ContractParty::Caller);
        let mut all: Option<TermId> = None;
        for target in p.targets.clone().iter() {
            let left = match &target.base {
                Base::Object(o) => {
                    let extent = if owing {
                        self.object(*o).extent.ok_or_else(|| format!("the extent of `{said}` is not known there"))?
                    } else {
                        self.extent_of_parameter(asked.function, *o)?
                    };
                    self.arena.sub(extent, target.offset)
                }
                Base::Null => self.arena.int(0),
                Base::Func(_) | Base::Unknown(_) => return Err(format!("what `{said}` points to is not known")),
            };
            all = Some(match all {
                Some(others) => self.arena.ite(target.cond, left, others),
                None => left,
            });
        }
        all.ok_or_else(|| format!("`{said}` points to no object"))
    }
}

impl ValueDomain<'_> {
    fn is_structure(&self, f: FuncRef, p: &PointerOrObject) -> bool {
        p.element.ty.is_some_and(|ty| matches!(self.module(f).ty(ty).kind, TypeKind::Struct { .. }))
    }

    /// Returns the pointee type of a pointer type.
    pub(super) fn element_named(&self, f: FuncRef, pointer: &str) -> ElementType {
        let Some(name) = pointee_name(pointer) else { return ElementType::default() };
        let m = self.module(f);
        let plain = name.trim_start_matches("const ").trim();
        let unsigned = matches!(plain_number(plain), Some(ArithmeticType::Int { unsigned: true, .. }));
        let ty = m.type_named(name);
        // A module contains only the types that its code uses.
        let of_number = || match plain_number(plain)? {
            ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits) => Some(u64::from(bits / 8)),
        };
        let bytes = ty.map(|ty| m.size_of(ty).get()).filter(|b| *b > 0).or_else(of_number);
        ElementType { name: plain.to_owned(), ty, unsigned, bytes, pointee: None }
    }

    fn size_named(&mut self, asked: &TermScope<'_>, name: &str) -> TermResult<TermId> {
        let m = self.module(asked.function);
        let plain = name.trim_start_matches("const ").trim();
        let bytes = match plain_number(plain) {
            Some(ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits)) => u64::from(bits / 8),
            None if plain.ends_with('*') => 8,
            None if matches!(plain, "half" | "__half" | "__nv_bfloat16") => 2,
            None => {
                let found = m.type_named(plain).map(|ty| m.size_of(ty).get()).filter(|b| *b > 0);
                found.ok_or_else(|| format!("the size of `{name}` is not known: write its bytes"))?
            }
        };
        Ok(self.arena.int(i128::from(bytes)))
    }
}

impl Terms {
    fn equality(&mut self, op: Comparison, same: TermId) -> TermResult<TermId> {
        match op {
            Comparison::Eq => Ok(same),
            Comparison::Ne => Ok(self.arena.not(same)),
            _ => Err("pointers are compared by `==` and `!=` only".into()),
        }
    }

    fn shifted(&mut self, targets: &Rc<Vec<GuardedTarget>>, by: i128) -> Rc<Vec<GuardedTarget>> {
        let moved = |t: &GuardedTarget, offset| GuardedTarget { offset, ..t.clone() };
        let all: Vec<GuardedTarget> = targets.iter().map(|t| moved(t, self.arena.add_const(t.offset, by))).collect();
        Rc::new(all)
    }

    fn advanced(&mut self, p: PointerOrObject, index: TermId) -> TermResult<PointerOrObject> {
        if self.arena.as_int(index) == Some(0) {
            return Ok(p);
        }
        let size = p.element.bytes.ok_or_else(|| format!("the size of `{}` is not known", p.element.name))?;
        let by = self.arena.scale(index, i128::from(size));
        let all: Vec<GuardedTarget> =
            p.targets.iter().map(|t| GuardedTarget { offset: self.arena.add(t.offset, by), ..t.clone() }).collect();
        Ok(PointerOrObject { targets: Rc::new(all), ..p })
    }
}

/// Checks that the target of a pointer is known.
fn known(p: &PointerOrObject, said: &ContractTerm) -> TermResult<()> {
    match p.targets.iter().find_map(|t| if let Base::Unknown(lost) = &t.base { Some(lost) } else { None }) {
        Some(why) => Err(format!("what `{said}` points to is not known: {why}")),
        None => Ok(()),
    }
}

/// Returns the pointer whose elements a term counts.
pub(super) fn elements(t: &ContractTerm) -> Option<&ContractTerm> {
    match &t.kind {
        TermKind::Apply(ContractFunction::Elements, of) => of.first(),
        TermKind::Cast(_, t) => elements(t),
        _ => None,
    }
}
