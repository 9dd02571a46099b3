//! Check of the names in contracts against the code.
//!
//! In: the code of a program, contracts and invariants. Out: conditions with unresolved names, each with its error;
//! and the other conditions. A condition is wrong if its names resolve in no function, or type, that its contract
//! applies to; members of a type that is not fully known are not checked.

use super::report::ContractFault;
use contracts::ast::Sort;
use contracts::resolve::{MemberFunction, TypeDesc};
use contracts::{Contract, ContractError, Invariant, Requirement, Scope, plain_name, resolve};
use ir::{
    ArithmeticType, Function, Module, Program, Side, TypeId, TypeKind, element_name, plain_number, pointee_name,
    source_name,
};
use models::tensors;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Removes the conditions of contracts and invariants with unresolved names, and returns their errors.
pub(super) fn take_misnamed(
    code: &[Arc<Module>],
    contracts: &mut [Contract],
    invariants: &mut [Invariant],
) -> Vec<ContractFault> {
    let mut found = vec![];
    for contract in contracts.iter_mut() {
        let of: Vec<(&Module, &Function)> = code
            .iter()
            .flat_map(|m| m.functions.iter().map(move |f| (&**m, f)))
            .filter(|(_, f)| !f.is_declaration() && Program::kernel_symbol_of_stub(&f.name).is_none())
            .filter(|(_, f)| contract.is_of(&f.name, &f.display))
            .collect();
        contract.requires.retain(|r| {
            let scopes = of.iter().map(|(m, f)| ContractNames::of_function(m, f));
            keeps(r, scopes, &mut found)
        });
    }
    for invariant in invariants.iter_mut() {
        let name = &plain_name(&invariant.type_name);
        let of: Vec<(&Module, TypeId)> =
            code.iter().flat_map(|m| types_named(m, name).map(move |t| (&**m, t))).collect();
        invariant.conditions.retain(|r| {
            let scopes = of.iter().map(|(m, t)| ContractNames::of_type(m, *t, name));
            keeps(r, scopes, &mut found)
        });
    }
    found
}

/// Whether a condition resolves in one of these scopes, or in one that is not fully known, or has no scope at all.
fn keeps<'m>(r: &Requirement, scopes: impl Iterator<Item = ContractNames<'m>>, found: &mut Vec<ContractFault>) -> bool {
    let mut wrong: Option<ContractError> = None;
    for scope in scopes {
        match resolve(&r.condition, &scope) {
            Err(errors) if !scope.vague.get() => {
                wrong = wrong.or_else(|| errors.into_iter().next());
            }
            _ => return true,
        }
    }
    let Some(error) = wrong else { return true };
    let (file, line) = r.place().unwrap_or_else(|| (r.origin.clone(), 1));
    let shown = error.render(&r.text, &file, usize::try_from(line).unwrap_or(1));
    let line = format!("{}: `{}`: {error}", r.origin, r.text);
    let one = ContractFault { shown, line };
    if !found.contains(&one) {
        found.push(one);
    }
    false
}

fn types_named<'m>(m: &'m Module, name: &'m str) -> impl Iterator<Item = TypeId> + 'm {
    (0..).zip(&m.types).filter_map(move |(i, def)| match &def.kind {
        TypeKind::Struct { name: Some(llvm), fields }
            if !fields.is_empty() && plain_name(source_name(llvm)) == name =>
        {
            Some(TypeId(i))
        }
        _ => None,
    })
}

/// Information about a type, by its name.
#[derive(Clone)]
struct TypeInfo {
    /// LLVM type of an object; for a pointer or an array, the type of its elements, with that type's name.
    ty: Option<TypeId>,
    leads_to: Option<(Option<TypeId>, String)>,
}

/// The names that a contract of a function, or an invariant of a type, may use.
struct ContractNames<'m> {
    module: &'m Module,
    owner: String,
    kernel: bool,
    own: BTreeMap<String, TypeDesc>,
    /// Whether all names are known.
    whole: bool,
    known: RefCell<BTreeMap<String, TypeInfo>>,
    /// Set when a query concerned something unknown here.
    vague: Cell<bool>,
    /// A type, and a member that it lacks.
    missing: RefCell<Option<(String, String)>>,
}

impl<'m> ContractNames<'m> {
    fn new(module: &'m Module, owner: String) -> Self {
        // Other front ends keep no names.
        let (known, whole) = (RefCell::default(), module.producer.starts_with("clang"));
        Self {
            module,
            owner,
            kernel: false,
            own: BTreeMap::new(),
            whole,
            known,
            vague: Cell::new(false),
            missing: RefCell::default(),
        }
    }

    fn of_function(module: &'m Module, f: &Function) -> Self {
        let what = if f.kernel { "kernel" } else { "function" };
        let mut all = Self::new(module, format!("{what} `{}`", f.display.split('(').next().unwrap_or(&f.display)));
        all.kernel = f.kernel || module.side == Side::Device;
        for (i, p) in f.params.iter().enumerate() {
            let (ty, name) = match f.in_registers(i) {
                Some((name, ty, _)) => (ty, name),
                None => (p.byval.unwrap_or(p.ty), p.name.as_str()),
            };
            if name.is_empty() || all.own.contains_key(name) {
                continue;
            }
            let declared = p.class.as_deref().or_else(|| f.declared_type(name)).unwrap_or_default();
            let desc = match &module.ty(ty).kind {
                TypeKind::Ptr(_) if tensors::is_handle(declared) => TypeDesc::new(Sort::Object, declared),
                TypeKind::Ptr(_) if p.byval.is_none() => {
                    let to = module.type_named(pointee_name(declared).unwrap_or_default());
                    let is_structure = to.is_some_and(|t| matches!(module.ty(t).kind, TypeKind::Struct { .. }));
                    match to {
                        Some(to) if declared.ends_with('&') && is_structure => all.desc(to, declared),
                        _ => all.desc(ty, declared),
                    }
                }
                _ => all.desc(ty, declared),
            };
            all.own.insert(name.to_owned(), desc);
        }
        all
    }

    fn of_type(module: &'m Module, ty: TypeId, name: &str) -> Self {
        let mut all = Self::new(module, format!("type `{name}`"));
        all.members_of(ty);
        all
    }

    fn members_of(&mut self, ty: TypeId) {
        let TypeKind::Struct { fields, .. } = &self.module.ty(ty).kind else { return };
        for f in fields {
            match f.name.as_deref() {
                None => self.whole = false,
                Some("") => self.members_of(f.ty),
                Some(name) => {
                    let declared = f.declared.as_ref().map(|d| d.type_name.clone()).unwrap_or_default();
                    let desc = self.desc(f.ty, &declared);
                    self.own.entry(name.to_owned()).or_insert(desc);
                }
            }
        }
    }

    /// Describes an LLVM type with the source's name for it, where that is known.
    fn desc(&self, ty: TypeId, declared: &str) -> TypeDesc {
        let name = if declared.is_empty() { format!("type {}", ty.0) } else { declared.to_owned() };
        let (sort, known) = match &self.module.ty(ty).kind {
            TypeKind::Int(_) => (Sort::Integer, TypeInfo { ty: Some(ty), leads_to: None }),
            TypeKind::Ptr(_) => {
                let to = pointee_name(declared).map(|to| (self.module.type_named(to), to.to_owned()));
                (Sort::Pointer, TypeInfo { ty: None, leads_to: to })
            }
            TypeKind::Array { elem, .. } => {
                (Sort::Pointer, TypeInfo { ty: None, leads_to: Some((Some(*elem), element_name(declared))) })
            }
            _ => (Sort::Object, TypeInfo { ty: Some(ty), leads_to: None }),
        };
        self.known.borrow_mut().insert(name.clone(), known);
        TypeDesc::new(sort, name)
    }

    fn known(&self, of: &TypeDesc) -> Option<TypeInfo> {
        self.known.borrow().get(&of.name).cloned()
    }

    /// Records that a query concerned something unknown.
    fn unknown<T>(&self) -> Option<T> {
        self.vague.set(true);
        None
    }
}

impl Scope for ContractNames<'_> {
    fn owner(&self) -> String {
        self.owner.clone()
    }

    fn name(&self, name: &str) -> Option<TypeDesc> {
        let found = self.own.get(name).cloned();
        if found.is_none() && !self.whole {
            return self.unknown();
        }
        found
    }

    fn names(&self) -> Vec<String> {
        self.own.keys().cloned().collect()
    }

    fn member(&self, of: &TypeDesc, name: &str) -> Option<TypeDesc> {
        let Some(ty) = self.known(of).and_then(|k| k.ty) else { return self.unknown() };
        if let Some((_, f)) = self.module.member(ty, name) {
            let declared = f.declared.as_ref().map(|d| d.type_name.clone()).unwrap_or_default();
            return Some(self.desc(f.ty, &declared));
        }
        if has_unnamed(self.module, ty) {
            return self.unknown();
        }
        *self.missing.borrow_mut() = Some((of.name.clone(), name.to_owned()));
        None
    }

    fn members(&self, of: &TypeDesc) -> Vec<String> {
        let Some(TypeKind::Struct { fields, .. }) = self.known(of).and_then(|k| k.ty).map(|t| &self.module.ty(t).kind)
        else {
            return vec![];
        };
        fields.iter().filter_map(|f| f.name.clone()).filter(|n| !n.is_empty()).collect()
    }

    fn method(&self, of: &TypeDesc, name: &str) -> Option<MemberFunction> {
        if tensors::is_handle(&of.name) {
            let arguments = tensors::arguments(name)?;
            return Some(MemberFunction { arguments, result: TypeDesc::new(Sort::Integer, "int64_t") });
        }
        // Methods are no part of the code's types. Names that were looked up as members are queried as methods, too.
        let asked = (of.name.clone(), name.to_owned());
        if self.missing.borrow().as_ref() != Some(&asked) {
            self.vague.set(true);
        }
        None
    }

    fn methods(&self, of: &TypeDesc) -> Vec<String> {
        if tensors::is_handle(&of.name) { tensors::names().map(str::to_owned).collect() } else { vec![] }
    }

    fn element(&self, of: &TypeDesc) -> Option<TypeDesc> {
        if of.sort == Sort::Object {
            return tensors::is_handle(&of.name).then(|| TypeDesc::new(Sort::Integer, "int64_t"));
        }
        match self.known(of).and_then(|k| k.leads_to) {
            Some((Some(ty), name)) => Some(self.desc(ty, &name)),
            Some((None, name)) => match plain_number(name.trim_start_matches("const ").trim()) {
                // A module lacks types that its code does not use.
                Some(ArithmeticType::Int { .. }) => Some(TypeDesc::new(Sort::Integer, name)),
                Some(ArithmeticType::Float(_)) => Some(TypeDesc::new(Sort::Object, name)),
                None => self.unknown(),
            },
            None => self.unknown(),
        }
    }

    fn size_of(&self, type_name: &str) -> Option<u64> {
        let plain = type_name.trim_start_matches("const ").trim();
        match plain_number(plain) {
            Some(ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits)) => Some(u64::from(bits / 8)),
            None => match self.module.type_named(plain) {
                Some(ty) => Some(self.module.size_of(ty).get()),
                None => self.unknown(),
            },
        }
    }

    fn launched(&self) -> bool {
        self.kernel
    }
}

/// Whether a structure, or a base of it, has members with unknown names.
fn has_unnamed(m: &Module, ty: TypeId) -> bool {
    match &m.ty(ty).kind {
        TypeKind::Struct { fields, .. } => fields.iter().any(|f| match f.name.as_deref() {
            None => true,
            Some("") => has_unnamed(m, f.ty),
            Some(_) => false,
        }),
        // Members of a union are not recorded.
        _ => true,
    }
}
