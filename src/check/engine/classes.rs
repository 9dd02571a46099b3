//! Invariants of classes that own memory: behind a pointer of theirs are as many elements as a number of theirs says.
//!
//! In: a program and its entry points. Out: for each class that an entry point is given an object of, the invariants that every constructor establishes
//! and every other function of the class keeps, as the program has them: by induction over what is done to an object (class invariants: Meyer, 1988;
//! their inference: Logozzo, VMCAI 2004; dropping candidates until those that are left are kept: Houdini, FME 2001). Only of private
//! members, which nobody else writes, and of classes of which no function hands out where these lie. Functions of the class
//! that the program does not have are not seen, so that what rests on an invariant is safe by an assumption, and named so.

use super::Engine;
use super::budgets;
use crate::check::obligations::decide::Decider;
use crate::check::obligations::obligation::Decision;
use crate::check::options::Options;
use crate::check::solver::Limits;
use crate::contracts::{Invariant, Requirement, parse, plain_name};
use crate::host::{Root, roots};
use crate::ir::{FuncRef, Function, Module, ModuleId, Program, Side, TypeId, TypeKind, pointee_name};
use crate::models::views;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::InClass;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::TermId;
use crate::work::Allotment;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Pointers and numbers of one class that are related, each with each.
const MOST: usize = 4;
/// Classes that are looked at, and functions of one.
const CLASSES: usize = 16;
const FUNCTIONS: usize = 48;

/// A class, and what may hold of its objects.
struct Class {
    /// As the source spells it.
    name: String,
    ty: TypeId,
    constructors: Vec<FuncRef>,
    others: Vec<FuncRef>,
    candidates: Vec<Candidate>,
    /// Where its pointers lie, in bytes from an object's first, and their types.
    pointers: Vec<(u64, TypeId)>,
}

/// `elements(pointer) >= number`.
struct Candidate {
    required: Requirement,
    kept: bool,
}

/// What the classes of a program keep to of which entry points are given objects.
pub(in crate::check) fn invariants(program: &Program, options: &Options) -> Vec<Invariant> {
    let entries: Vec<Root> = roots(program, &options.roots, &options.entry);
    let entries = entries.iter().map(|root| root.func).filter(|f| program.func(*f).name != "main");
    let mut wanted: FxHashSet<(ModuleId, TypeId)> = FxHashSet::default();
    for f in entries {
        given_types(program.module(f.module), program.func(f)).into_iter().for_each(|ty| {
            wanted.insert((f.module, ty));
        });
    }
    let mut wanted: Vec<_> = wanted.into_iter().collect();
    wanted.sort_unstable();
    let classes = wanted.into_iter().filter_map(|(m, ty)| class(program, options, m, ty)).take(CLASSES);
    let mut found: Vec<Invariant> = vec![];
    for class in classes.collect::<Vec<_>>() {
        // Another unit's copy of the class.
        if found.iter().any(|known| known.type_name == class.name) {
            continue;
        }
        let name = class.name.clone();
        let conditions = kept(program, options, class);
        if !conditions.is_empty() {
            found.push(Invariant { type_name: name, conditions });
        }
    }
    found
}

/// The structures that a function is given, as its parameters are declared, and those that are parts of them.
fn given_types(m: &Module, f: &Function) -> Vec<TypeId> {
    let of = |declared: &str| m.type_named(pointee_name(declared).unwrap_or(declared));
    let mut open: Vec<TypeId> = f.params.iter().filter_map(|p| of(f.declared_type(p.source_name())?)).collect();
    let mut out = vec![];
    while let Some(ty) = open.pop() {
        if let TypeKind::Struct { fields, .. } = &m.ty(ty).kind
            && !out.contains(&ty)
        {
            out.push(ty);
            open.extend(fields.iter().map(|f| f.ty));
        }
    }
    out
}

/// A class that has private pointers and numbers, constructors that are at hand, and of which the user states nothing.
fn class(program: &Program, options: &Options, n: ModuleId, ty: TypeId) -> Option<Class> {
    let m = program.module(n);
    let name = m.ty(ty).source.clone()?;
    if views::view(&name).is_some()
        || views::container(&name).is_some()
        || options.invariants.iter().any(|i| plain_name(&i.type_name) == plain_name(&name))
    {
        return None;
    }
    let (candidates, pointers) = candidates(m, ty, &name);
    if candidates.is_empty() {
        return None;
    }
    let (mut constructors, mut others) = (vec![], vec![]);
    for (r, of, f) in program.functions() {
        if of.side != Side::Host || f.is_declaration() || program.loc(r.module, f.loc).system {
            continue;
        }
        // Each unit may have functions of its own.
        match method(&f.display, &name) {
            Some(Method::Constructor) => constructors.push(r),
            Some(Method::Other) => others.push(r),
            Some(Method::Destructor) | None => {}
        }
    }
    let few = constructors.len() + others.len() <= FUNCTIONS;
    (few && !constructors.is_empty()).then_some(Class { name, ty, constructors, others, candidates, pointers })
}

/// Pairs of a private pointer whose elements have a size, and a private number.
fn candidates(m: &Module, ty: TypeId, class: &str) -> (Vec<Candidate>, Vec<(u64, TypeId)>) {
    let (mut pointers, mut numbers) = (vec![], vec![]);
    let mut places = vec![];
    private_members(m, ty, ("", 0, 0), &mut |path, at, ty, pointee| match m.ty(ty).kind {
        TypeKind::Ptr(_) if pointee.is_some() => {
            pointers.push(path);
            places.push((at, ty));
        }
        TypeKind::Int(32 | 64) => numbers.push(path),
        _ => {}
    });
    let mut out = vec![];
    for p in pointers.iter().take(MOST) {
        for n in numbers.iter().take(MOST) {
            let text = format!("elements({p}) >= {n}");
            let Ok(condition) = parse(&text) else { continue };
            let origin = format!("what the constructors and functions of `{class}` keep to");
            out.push(Candidate { required: Requirement { text, condition, origin, at: None }, kept: true });
        }
    }
    (out, places)
}

/// Structures in a class, one inside the other, that are looked into: `std::unique_ptr` has its pointer five deep.
const DEPTH: u32 = 8;

/// The scalars of a class's private members, each by its path from an object, with the bytes of what pointers lead to. Of members of members only the
/// outermost need be private. Bases are no members: others may have them as well.
fn private_members(
    m: &Module,
    ty: TypeId,
    (path, at, depth): (&str, u64, u32),
    each: &mut dyn FnMut(String, u64, TypeId, Option<u64>),
) {
    let TypeKind::Struct { fields, .. } = &m.ty(ty).kind else { return };
    for field in fields {
        let Some(name) = &field.name else { continue };
        let declared = field.declared.as_ref();
        let within = match (path.is_empty(), name.is_empty()) {
            // Within a member bases have its path.
            (false, true) => path.to_owned(),
            (false, false) => format!("{path}.{name}"),
            (true, false) if declared.is_some_and(|d| d.private) => name.clone(),
            (true, _) => continue,
        };
        if depth < DEPTH && matches!(m.ty(field.ty).kind, TypeKind::Struct { .. }) {
            private_members(m, field.ty, (&within, at + field.offset, depth + 1), each);
        }
        each(within, at + field.offset, field.ty, declared.and_then(|d| d.pointee));
    }
}

/// What a function is to a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Constructor,
    Destructor,
    Other,
}

/// Which of a class's functions one is, by its name with parameter types.
fn method(display: &str, class: &str) -> Option<Method> {
    let plain = |text: &str| text.replace(' ', "");
    // What stands before the parameters, without the type that is returned.
    let (mut depth, mut start, mut end) = (0_i32, 0, display.len());
    for (i, c) in display.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ' ' if depth == 0 && !display[start..i].ends_with("operator") => start = i + 1,
            '(' if depth == 0 => {
                end = i;
                break;
            }
            _ => {}
        }
    }
    let (name, class) = (plain(&display[start..end]), plain(class));
    let own = name.strip_prefix(&class)?.strip_prefix("::")?;
    let template = class.split('<').next().unwrap_or_default();
    let last = template.rsplit("::").next().unwrap_or_default();
    let own = own.split('<').next().unwrap_or_default();
    match own {
        _ if own == last => Some(Method::Constructor),
        _ if own.starts_with('~') => Some(Method::Destructor),
        // Of a class within it.
        _ if own.contains("::") => None,
        _ => Some(Method::Other),
    }
}

/// Of the candidates those that are kept.
fn kept(program: &Program, options: &Options, mut class: Class) -> Vec<Requirement> {
    let mut engine = Engine::new(program, options);
    loop {
        let assumed: Vec<Requirement> = held(&class);
        if assumed.is_empty() {
            return vec![];
        }
        let mut dropped = false;
        let constructors = class.constructors.iter().map(|f| (*f, true));
        let all: Vec<(FuncRef, bool)> = constructors.chain(class.others.iter().map(|f| (*f, false))).collect();
        for (f, is_constructor) in all {
            let holds = engine.after(&class, f, is_constructor, &assumed);
            for (candidate, holds) in class.candidates.iter_mut().filter(|c| c.kept).zip(holds) {
                dropped |= !holds;
                candidate.kept &= holds;
            }
            if dropped {
                break;
            }
        }
        if !dropped {
            return held(&class);
        }
    }
}

fn held(class: &Class) -> Vec<Requirement> {
    class.candidates.iter().filter(|c| c.kept).map(|c| c.required.clone()).collect()
}

impl<'p> Engine<'p> {
    /// Which of the conditions hold of the objects of the class that a function of it was given, when it returns; of those that it did not
    /// make they held before.
    fn after(&mut self, class: &Class, f: FuncRef, is_constructor: bool, conditions: &[Requirement]) -> Vec<bool> {
        let none = || vec![false; conditions.len()];
        self.cx.all = self.cx.phase(budgets::METHOD, 100);
        let mut e = self.executor();
        e.assumptions.invariants = Rc::default();
        let root = Root { func: f, trusted: false, entry: false, bound: false };
        let (args, mut state) = e.root_state(&root);
        let objects = self.objects(class, f, &args);
        if objects.is_empty() {
            // A static function makes its objects by constructors.
            return vec![true; conditions.len()];
        }
        if is_constructor {
            apart_from_others(&mut e, &objects);
        }
        let mut assumed = vec![];
        for at in objects.iter().skip(usize::from(is_constructor)) {
            for required in conditions {
                let of = InClass { at, class: &class.name, ty: class.ty, function: f };
                let Some(c) = e.holds_of_members(&mut state, of, required) else { return none() };
                assumed.push(c);
            }
        }
        // Where one way sets a pointer and the other does not, what it was is to be found in the memory of both.
        for at in objects.iter().skip(usize::from(is_constructor)) {
            for (offset, ty) in &class.pointers {
                let offset = i128::from(*offset);
                let place = at.iter().map(|t| Target { offset: e.arena.add_const(t.offset, offset), ..t.clone() });
                let place = Rc::new(place.collect::<Vec<_>>());
                let held = e.load_typed(&mut state, f, &place, *ty);
                e.store_value(&mut state, &place, held, 8);
            }
        }
        let returned = e.call(f, args, state, 0);
        if e.limits.gave_up().is_some() || e.limits.limit().is_some() {
            return none();
        }
        // It always throws, or ends the program.
        let Some((value, state)) = returned else { return vec![true; conditions.len()] };
        if hands_out(&value, &objects) && !self.cx.program.func(f).display.contains("operator") {
            return none();
        }
        let before = e.arena.and_all(assumed);
        conditions.iter().map(|required| self.holds(&mut e, class, (f, &state, before), &objects, required)).collect()
    }

    fn holds(
        &self,
        e: &mut Executor<'p>,
        class: &Class,
        (f, state, before): (FuncRef, &State, TermId),
        objects: &[Rc<Vec<Target>>],
        required: &Requirement,
    ) -> bool {
        let mut decider = Decider::new(Limits { work: self.cx.scaled(budgets::FIRST), ..Limits::default() });
        decider.until = Some(Allotment::of(self.cx.work_left()));
        objects.iter().all(|at| {
            let of = InClass { at, class: &class.name, ty: class.ty, function: f };
            let Some(c) = e.holds_of_members(&mut state.clone(), of, required) else { return false };
            let a = &mut e.arena;
            let (facts, not) = (a.and(state.path, before), a.not(c));
            let broken = a.and(facts, not);
            a.as_bool(broken) == Some(false) || matches!(decider.happens(a, broken), Decision::Safe)
        })
    }

    /// Where the objects of the class lie that a function is given, the one that it is called for first.
    fn objects(&self, class: &Class, f: FuncRef, args: &[Value]) -> Vec<Rc<Vec<Target>>> {
        let (m, func) = (self.cx.program.module(f.module), self.cx.program.func(f));
        let is_it = |declared: &str| {
            pointee_name(declared)
                .and_then(|of| m.type_named(of))
                .is_some_and(|ty| m.ty(ty).source.as_deref() == Some(&class.name))
        };
        let mut out = vec![];
        for (p, v) in func.params.iter().zip(args) {
            let name = p.source_name();
            if let (true, Value::Ptr(to)) = (name == "this" || func.declared_type(name).is_some_and(is_it), v) {
                out.push(to.clone());
            }
        }
        out
    }
}

/// An object that is being made is none of those that exist.
fn apart_from_others(e: &mut Executor<'_>, objects: &[Rc<Vec<Target>>]) {
    let of = |at: &Rc<Vec<Target>>| -> Vec<ObjId> {
        at.iter().filter_map(|t| if let Base::Object(o) = t.base { Some(o) } else { None }).collect()
    };
    let Some((made, others)) = objects.split_first() else { return };
    for made in of(made) {
        for other in others.iter().flat_map(&of).filter(|o| *o != made) {
            e.assumptions.disjoint.insert((made.min(other), made.max(other)));
        }
    }
}

/// Whether a pointer to, or into, one of the objects is returned.
fn hands_out(value: &Option<Value>, objects: &[Rc<Vec<Target>>]) -> bool {
    let Some(Value::Ptr(to)) = value else { return false };
    let of_these = |o| objects.iter().flat_map(|at| at.iter()).any(|t| t.base == Base::Object(o));
    to.iter().any(|t| if let Base::Object(o) = t.base { of_these(o) } else { false })
}

#[cfg(test)]
mod tests {
    use super::{Method, method};

    #[test]
    fn functions_of_a_class_are_known_by_their_names() {
        let of = |display: &str| method(display, "ns::Buffer<float, std::less<int> >");
        let name = "ns::Buffer<float, std::less<int>>";
        assert_eq!(of(&format!("{name}::Buffer(unsigned long)")), Some(Method::Constructor));
        assert_eq!(of(&format!("{name}::~Buffer()")), Some(Method::Destructor));
        assert_eq!(of(&format!("{name}::resize(unsigned long)")), Some(Method::Other));
        assert_eq!(of(&format!("float* {name}::get<int>(int) const")), Some(Method::Other));
        assert_eq!(of(&format!("{name}::operator bool() const")), Some(Method::Other));
        assert_eq!(of(&format!("{name}::Inner::f()")), None);
        assert_eq!(of("ns::Buffer<int, std::less<int>>::resize(unsigned long)"), None);
        assert_eq!(of(&format!("use({name}::Inner)")), None);
    }
}
