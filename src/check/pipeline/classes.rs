//! Invariants of classes that own memory: a pointer member leads to as many elements as an integer member states.
//!
//! In: a program and its entry points. Out: for each class of which an entry point gets an object, the invariants
//! that every constructor establishes and every other function of the class preserves, as the program has them: by
//! induction over the operations on an object (class invariants: Meyer, 1988; their inference: Logozzo, VMCAI 2004;
//! dropping candidates until the remaining ones are preserved: Houdini, FME 2001). Only private members qualify,
//! which no other code writes, and only classes of which no function exposes the members' addresses. Functions of the
//! class outside the program are not seen, so results that rest on an invariant are reported as safe by an
//! assumption.

use super::Engine;
use super::budgets;
use crate::obligations::decide::Decider;
use crate::obligations::obligation::{Decision, Obligation};
use crate::options::CheckOptions;
use contracts::{Invariant, Requirement, parse, plain_name};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::state::State;
use engine::symbolic::inputs::ClassObject;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use ir::{FuncRef, Function, Module, ModuleId, Program, Side, TypeId, TypeKind, pointee_name};
use library::host::{HostRoot, root_state, roots};
use models::views;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Most pointers and integers of one class, which are related pairwise.
const MAX: usize = 4;
/// Most classes that are examined, and most functions of one.
const CLASSES: usize = 16;
const FUNCTIONS: usize = 48;

/// A class, and the candidate invariants of its objects.
struct ClassCandidates {
    /// Name as the source spells it.
    name: String,
    constructors: Vec<FuncRef>,
    others: Vec<FuncRef>,
    candidates: Vec<CandidateInvariant>,
}

/// Candidate invariant `elements(pointer) >= number`.
struct CandidateInvariant {
    required: Requirement,
    kept: bool,
}

/// Returns invariants of the program's classes of which entry points get objects.
pub(crate) fn invariants(program: &Program, options: &CheckOptions) -> Vec<Invariant> {
    let entries: Vec<HostRoot> = roots(program, &options.roots, &options.entry);
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

/// Returns the structures among a function's declared parameters, and those that are parts of them.
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

/// Returns a class with private pointers and integers and available constructors, about which the user states
/// nothing.
fn class(program: &Program, options: &CheckOptions, n: ModuleId, ty: TypeId) -> Option<ClassCandidates> {
    let m = program.module(n);
    let name = m.ty(ty).source.clone()?;
    if views::view(&name).is_some()
        || views::container(&name).is_some()
        || options.invariants.iter().any(|i| plain_name(&i.type_name) == plain_name(&name))
    {
        return None;
    }
    let (candidates, _) = candidates(m, ty, &name);
    if candidates.is_empty() {
        return None;
    }
    let (mut constructors, mut others) = (vec![], vec![]);
    for (r, of, f) in program.functions() {
        if of.side != Side::Host || f.is_declaration() || program.loc(r.module, f.loc).system {
            continue;
        }
        // Each unit may have its own functions.
        match method(&f.display, &name) {
            Some(MethodRole::Constructor) => constructors.push(r),
            Some(MethodRole::Other) => others.push(r),
            Some(MethodRole::Destructor) | None => {}
        }
    }
    let few = constructors.len() + others.len() <= FUNCTIONS;
    (few && !constructors.is_empty()).then_some(ClassCandidates { name, constructors, others, candidates })
}

/// Pairs each private pointer to elements of known size with each private integer.
fn candidates(m: &Module, ty: TypeId, class: &str) -> (Vec<CandidateInvariant>, Vec<(u64, TypeId)>) {
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
    for p in pointers.iter().take(MAX) {
        for n in numbers.iter().take(MAX) {
            let text = format!("elements({p}) >= {n}");
            let Ok(condition) = parse(&text) else { continue };
            let origin = format!("the invariants that the constructors and functions of `{class}` preserve");
            out.push(CandidateInvariant { required: Requirement { text, condition, origin, at: None }, kept: true });
        }
    }
    (out, places)
}

/// Most nested structures that are examined in a class: `std::unique_ptr` has its pointer five levels deep.
const DEPTH: u32 = 8;

/// Visits the scalars of a class's private members, each with its path from an object and the bytes of a pointer's
/// elements. For nested members only the outermost need be private. Bases are no members: other classes may have them
/// as well.
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
            // Within a member, bases share its path.
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

/// Role of a function in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodRole {
    Constructor,
    Destructor,
    Other,
}

/// Returns the name of a class's function, without template arguments, from its name with parameter types. `None` for
/// functions outside of the class, and for functions inside its functions (lambdas, local classes).
fn own_name(display: &str, class: &str) -> Option<String> {
    let plain = |text: &str| text.replace(' ', "");
    // Find the text before the parameters, without the return type.
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
    let mut open = 0_i32;
    let behind = display[end..].char_indices().find(|(_, c)| {
        open += i32::from(*c == '(') - i32::from(*c == ')');
        open == 0
    });
    if behind.is_some_and(|(at, _)| display[end + at..].contains("::")) {
        return None;
    }
    let name = plain(&display[start..end]);
    let own = name.strip_prefix(&plain(class))?.strip_prefix("::")?;
    let own = if own.starts_with("operator") { own } else { own.split('<').next().unwrap_or_default() };
    // The function of a nested class has another owner. An operator's name may hide the start of its parameters
    // (`operator<`).
    (own.starts_with("operator") || !own.contains("::")).then(|| own.to_owned())
}

/// Returns the role of a function in a class.
fn method(display: &str, class: &str) -> Option<MethodRole> {
    let own = own_name(display, class)?;
    let template = class.split('<').next().unwrap_or_default();
    Some(match own.as_str() {
        own if Some(own) == template.rsplit("::").next() => MethodRole::Constructor,
        own if own.starts_with('~') => MethodRole::Destructor,
        _ => MethodRole::Other,
    })
}

/// Returns the candidates that all functions preserve.
fn kept(program: &Program, options: &CheckOptions, mut class: ClassCandidates) -> Vec<Requirement> {
    let mut engine = Engine::new(program, options);
    loop {
        let assumed: Vec<Requirement> = held(&class);
        if assumed.is_empty() {
            return vec![];
        }
        let constructors = class.constructors.iter().map(|f| (*f, true));
        let all: Vec<(FuncRef, bool)> = constructors.chain(class.others.iter().map(|f| (*f, false))).collect();
        let mut wraps = vec![vec![]; assumed.len()];
        let mut dropped = false;
        for (f, is_constructor) in all {
            let holds = engine.after(&class, f, is_constructor, &assumed);
            for ((candidate, holds), wraps) in class.candidates.iter_mut().filter(|c| c.kept).zip(holds).zip(&mut wraps)
            {
                candidate.kept = holds.is_some();
                dropped |= !candidate.kept;
                wraps.extend(holds.unwrap_or_default());
            }
            if dropped {
                break;
            }
        }
        if !dropped {
            return assumed.into_iter().zip(wraps).map(|(required, ops)| unless_wrapping(required, ops)).collect();
        }
    }
}

/// Returns the condition; its origin names the operations that must not wrap for it.
fn unless_wrapping(required: Requirement, mut ops: Vec<String>) -> Requirement {
    ops.sort();
    ops.dedup();
    if ops.is_empty() {
        return required;
    }
    Requirement { origin: format!("{} unless {} wraps", required.origin, ops.join(" or ")), ..required }
}

fn held(class: &ClassCandidates) -> Vec<Requirement> {
    class.candidates.iter().filter(|c| c.kept).map(|c| c.required.clone()).collect()
}

impl<'p> Engine<'p> {
    /// Determines which of the conditions hold, when a function of the class returns, for the objects that it was
    /// given; returns for each the operations that must not wrap. For objects that the function did not construct,
    /// the conditions held before.
    fn after(
        &mut self,
        class: &ClassCandidates,
        f: FuncRef,
        is_constructor: bool,
        conditions: &[Requirement],
    ) -> Vec<Option<Vec<String>>> {
        let (none, all) = (|| vec![None; conditions.len()], || vec![Some(vec![]); conditions.len()]);
        self.cx.all = self.cx.phase(budgets::METHOD, 100);
        let mut e = self.executor();
        e.assumptions.invariants = Rc::default();
        let root = HostRoot { func: f, trusted: false, entry: false, bound: false };
        let (args, mut state) = root_state(&mut e, &root);
        let objects = self.objects(class, f, &args);
        if objects.is_empty() && !is_constructor {
            // A static function makes its objects by constructors.
            return all();
        }
        // Each unit has its own table of types.
        let m = self.cx.program.module(f.module);
        let Some(ty) = m.type_named(&class.name).filter(|ty| m.ty(*ty).source.as_deref() == Some(&class.name)) else {
            return none();
        };
        let (of_this_unit, pointers) = candidates(m, ty, &class.name);
        if objects.is_empty() || conditions.iter().any(|c| of_this_unit.iter().all(|o| o.required.text != c.text)) {
            return none();
        }
        if is_constructor {
            apart_from_others(&mut e, &objects);
        }
        let mut assumed = vec![];
        for at in objects.iter().skip(usize::from(is_constructor)) {
            for required in conditions {
                let of = ClassObject { at, class: &class.name, ty, function: f };
                let Some(c) = e.holds_of_members(&mut state, of, required) else { return none() };
                assumed.push(c);
            }
        }
        // Store the pointers' initial values, so that paths that set a pointer and paths that do not both find a
        // value in memory.
        for at in objects.iter().skip(usize::from(is_constructor)) {
            for (offset, ty) in &pointers {
                let offset = i128::from(*offset);
                let place =
                    at.iter().map(|t| GuardedTarget { offset: e.arena.add_const(t.offset, offset), ..t.clone() });
                let place = Rc::new(place.collect::<Vec<_>>());
                let held = e.load_typed(&mut state, f, &place, *ty);
                e.store_value(&mut state, &place, held, 8);
            }
        }
        let returned = e.call(f, args, state, 0);
        if e.limits.gave_up().is_some() || e.limits.limit().is_some() {
            return none();
        }
        // The function always throws, or ends the program.
        let Some((value, state)) = returned else { return all() };
        if value.is_some_and(|v| hands_out(&v, &objects)) && !assigns(&self.cx.program.func(f).display, &class.name) {
            return none();
        }
        let before = e.arena.and_all(assumed);
        conditions
            .iter()
            .map(|required| self.holds(&mut e, class, (f, ty, &state, before), &objects, required))
            .collect()
    }

    fn holds(
        &self,
        e: &mut Executor<'p>,
        class: &ClassCandidates,
        (f, ty, state, before): (FuncRef, TypeId, &State, TermId),
        objects: &[Rc<Vec<GuardedTarget>>],
        required: &Requirement,
    ) -> Option<Vec<String>> {
        let mut fresh = Decider::default();
        let mut decider = fresh.with(self.cx.within(self.cx.all).attempt);
        let mut wraps = vec![];
        for at in objects {
            let of = ClassObject { at, class: &class.name, ty, function: f };
            let c = e.holds_of_members(&mut state.clone(), of, required)?;
            let a = &mut e.arena;
            let (facts, not) = (a.and(state.path, before), a.not(c));
            let broken = a.and(facts, not);
            if a.as_bool(broken) == Some(false) {
                continue;
            }
            // The condition always holds where nothing wraps that the proof rests on: an obligation that only an
            // infeasible path can meet.
            let (below, byte, none) = (a.int(-1), a.int(1), a.int(0));
            let never = Obligation { facts: broken, offset: below, bytes: byte, extent: none };
            match decider.decide_roughly(a, &never).decision {
                Decision::Safe => {}
                Decision::SafeIfNoWrap(ops) => wraps.extend(ops),
                Decision::Fails(_) | Decision::Unknown(_) => return None,
            }
        }
        Some(wraps)
    }

    /// Returns the addresses of the class's objects that a function gets, the object that it is called on first.
    fn objects(&self, class: &ClassCandidates, f: FuncRef, args: &[Value]) -> Vec<Rc<Vec<GuardedTarget>>> {
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

/// Assumes that an object under construction differs from all existing ones.
fn apart_from_others(e: &mut Executor<'_>, objects: &[Rc<Vec<GuardedTarget>>]) {
    let of = |at: &Rc<Vec<GuardedTarget>>| -> Vec<ObjId> {
        at.iter().filter_map(|t| if let Base::Object(o) = t.base { Some(o) } else { None }).collect()
    };
    let Some((made, others)) = objects.split_first() else { return };
    for made in of(made) {
        for other in others.iter().flat_map(&of).filter(|o| *o != made) {
            e.assumptions.disjoint.insert((made.min(other), made.max(other)));
        }
    }
}

/// Whether the returned value contains a pointer to, or into, one of the objects.
fn hands_out(value: &Value, objects: &[Rc<Vec<GuardedTarget>>]) -> bool {
    let is_of_these = |t: &GuardedTarget| objects.iter().flat_map(|at| at.iter()).any(|o| o.base == t.base);
    match value {
        Value::Ptr(to) => to.iter().any(is_of_these),
        Value::Aggregate(parts) => parts.iter().any(|part| hands_out(part, objects)),
        _ => false,
    }
}

/// Whether a function is the assignment operator of a class, which returns its object.
fn assigns(display: &str, class: &str) -> bool {
    own_name(display, class).is_some_and(|own| own == "operator=")
}

#[cfg(test)]
mod tests {
    use super::{MethodRole, assigns, method};

    #[test]
    fn functions_of_a_class_are_known_by_their_names() {
        let of = |display: &str| method(display, "ns::Buffer<float, std::less<int> >");
        let name = "ns::Buffer<float, std::less<int>>";
        assert_eq!(of(&format!("{name}::Buffer(unsigned long)")), Some(MethodRole::Constructor));
        assert_eq!(of(&format!("{name}::~Buffer()")), Some(MethodRole::Destructor));
        assert_eq!(of(&format!("{name}::resize(unsigned long)")), Some(MethodRole::Other));
        assert_eq!(of(&format!("float* {name}::get<int>(int) const")), Some(MethodRole::Other));
        assert_eq!(of(&format!("{name}::operator bool() const")), Some(MethodRole::Other));
        assert_eq!(of(&format!("{name}::Inner::f()")), None);
        assert_eq!(of(&format!("{name}::f(int)::{{lambda()#1}}::operator()() const")), None);
        assert_eq!(of(&format!("void {name}::each<main::A>(main(int)::A)")), Some(MethodRole::Other));
        assert!(assigns(&format!("{name}::operator=({name}&&)"), "ns::Buffer<float, std::less<int> >"));
        assert!(!assigns(&format!("{name}::operator&()"), "ns::Buffer<float, std::less<int> >"));
        assert_eq!(of("ns::Buffer<int, std::less<int>>::resize(unsigned long)"), None);
        assert_eq!(of(&format!("use({name}::Inner)")), None);
    }
}
