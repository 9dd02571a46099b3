//! Resolves the names of a contract.
//!
//! In: a condition, and a [`Scope`] that knows the parameters of its function (or the members of its type) and their
//! types. Out: the same condition with the sort of each term, or all errors in the order of the text.

use super::ast::{
    Binary, Comparison, Cond, CondKind, ContractFunction, ContractTerm, Forall, MemberOperator, Sort, Span, TermKind,
};
use super::error::{ContractError, meant};

/// A type, as far as contracts need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDesc {
    /// Sort of the type, never [`Sort::Unresolved`]. A floating-point number is an object.
    pub sort: Sort,
    /// Type name as the source spells it, such as `const float *`. The scope identifies types by it.
    pub name: String,
}

impl TypeDesc {
    #[must_use]
    pub fn new(sort: Sort, name: impl Into<String>) -> Self {
        Self { sort, name: name.into() }
    }
}

/// A member function, such as `size` of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberFunction {
    /// Number of arguments, all of them integers.
    pub arguments: usize,
    pub result: TypeDesc,
}

/// Names that a contract may use.
pub trait Scope {
    /// Owner of the contract for messages: `kernel scale`, `type ggml_tensor`.
    fn owner(&self) -> String;
    /// Type of a parameter, of a member in an invariant, or of a constant.
    fn name(&self, name: &str) -> Option<TypeDesc>;
    fn names(&self) -> Vec<String>;
    fn member(&self, of: &TypeDesc, name: &str) -> Option<TypeDesc>;
    fn members(&self, of: &TypeDesc) -> Vec<String>;
    /// Member function by its name without template arguments.
    fn method(&self, of: &TypeDesc, name: &str) -> Option<MemberFunction>;
    fn methods(&self, of: &TypeDesc) -> Vec<String>;
    /// Element type of a pointer or an array; `None` if it has no size, as for `void *`, and for other types.
    fn element(&self, of: &TypeDesc) -> Option<TypeDesc>;
    /// Size of a type in bytes; `None` if there is no such type.
    fn size_of(&self, type_name: &str) -> Option<u64>;
    /// Whether launch terms are allowed, as in contracts of kernels.
    fn launched(&self) -> bool;
}

/// Resolves every name of a condition.
///
/// # Errors
/// Names that are not in the scope, and operands of a wrong sort.
pub fn resolve(c: &Cond, scope: &dyn Scope) -> Result<Cond, Vec<ContractError>> {
    let mut r = Resolution { scope, bound: vec![], errors: vec![] };
    let mut out = c.clone();
    r.cond(&mut out);
    if r.errors.is_empty() {
        return Ok(out);
    }
    r.errors.sort_by_key(|e| (e.span.start, e.span.end));
    Err(r.errors)
}

struct Resolution<'a> {
    scope: &'a dyn Scope,
    bound: Vec<String>,
    errors: Vec<ContractError>,
}

/// Type of a term; `None` after a reported error.
type ResolvedType = Option<TypeDesc>;

fn integer() -> ResolvedType {
    Some(TypeDesc::new(Sort::Integer, "long"))
}

/// Description of a wrong operand for messages.
fn spelled(t: &TypeDesc) -> String {
    match t.sort {
        Sort::Integer => "a number".into(),
        Sort::Pointer => format!("a pointer (`{}`)", t.name),
        Sort::Object | Sort::Unresolved => format!("a `{}`", t.name),
    }
}

impl Resolution<'_> {
    fn fault<T>(&mut self, span: Span, message: String, help: impl Into<String>) -> Option<T> {
        self.errors.push(ContractError::new(span, message, help));
        None
    }

    fn cond(&mut self, c: &mut Cond) {
        match &mut c.kind {
            CondKind::Literal(_) => {}
            CondKind::Compare(op, a, b) => self.comparison(*op, a, b),
            CondKind::Truth(t) => {
                if let Some(found) = self.term(t).filter(|f| f.sort == Sort::Object) {
                    let message = format!("{} is neither true nor false", spelled(&found));
                    self.fault::<()>(t.span, message, self.advice(&found));
                }
            }
            CondKind::Not(a) => self.cond(a),
            CondKind::And(all) | CondKind::Or(all) => all.iter_mut().for_each(|c| self.cond(c)),
            CondKind::Implies(a, b) => [a, b].into_iter().for_each(|c| self.cond(c)),
            CondKind::Choice(c, a, b) => [c, a, b].into_iter().for_each(|c| self.cond(c)),
            CondKind::Forall(all) => self.forall(all, c.span),
            CondKind::Disjoint(all) => {
                for t in all {
                    self.pointer(t, "disjoint");
                }
            }
        }
    }

    fn forall(&mut self, all: &mut Forall, span: Span) {
        self.integer(&mut all.from);
        self.integer(&mut all.to);
        if self.bound.contains(&all.variable) || self.scope.name(&all.variable).is_some() {
            let message = format!("`{}` already names something else", all.variable);
            let head = Span { start: span.start, end: all.from.span.start.max(span.start) };
            self.fault::<()>(head, message, "give the variable of `forall` another name");
        }
        self.bound.push(all.variable.clone());
        self.cond(&mut all.body);
        self.bound.pop();
    }

    fn comparison(&mut self, op: Comparison, a: &mut ContractTerm, b: &mut ContractTerm) {
        let (Some(x), Some(y)) = (self.term(a), self.term(b)) else { return };
        let zero = |t: &ContractTerm| matches!(t.kind, TermKind::Int(0));
        let equality = matches!(op, Comparison::Eq | Comparison::Ne);
        match (x.sort, y.sort) {
            (Sort::Integer, Sort::Integer) => {}
            (Sort::Pointer, Sort::Pointer) if equality => {}
            (Sort::Pointer, Sort::Integer) if equality && zero(b) => {}
            (Sort::Integer, Sort::Pointer) if equality && zero(a) => {}
            (Sort::Pointer, Sort::Pointer) => {
                let message = format!("pointers cannot be compared with `{}`", op.sign());
                self.fault::<()>(a.span.to(b.span), message, "write `extent(p) >= …` for the bytes behind a pointer");
            }
            _ => {
                let (found, span) = if x.sort == Sort::Integer { (&y, b.span) } else { (&x, a.span) };
                let message = format!("{} is compared with {}", spelled(&x), spelled(&y));
                self.fault::<()>(span, message, self.advice(found));
            }
        }
    }

    /// Advice on what to write in place of an operand that is no integer.
    fn advice(&self, found: &TypeDesc) -> String {
        if found.sort == Sort::Pointer {
            return "`elements(p)`, `extent(p)` and `p[i]` are numbers".into();
        }
        let methods = self.scope.methods(found).into_iter().map(|m| format!("`.{m}()`"));
        let members = self.scope.members(found).into_iter().map(|m| format!("`.{m}`"));
        let all: Vec<_> = methods.chain(members).take(8).collect();
        if all.is_empty() { "contracts are over whole numbers".into() } else { format!("it has {}", all.join(", ")) }
    }

    fn integer(&mut self, t: &mut ContractTerm) {
        if let Some(found) = self.term(t).filter(|f| f.sort != Sort::Integer) {
            let message = format!("{} stands where a number is expected", spelled(&found));
            self.fault::<()>(t.span, message, self.advice(&found));
        }
    }

    fn pointer(&mut self, t: &mut ContractTerm, of: &str) -> ResolvedType {
        let found = self.term(t)?;
        if found.sort == Sort::Pointer {
            return Some(found);
        }
        let message = format!("`{of}` takes a pointer, not {}", spelled(&found));
        let points = |t: &TypeDesc| t.sort == Sort::Pointer;
        let members = self.scope.members(&found).into_iter();
        let mut members = members.filter(|m| self.scope.member(&found, m).is_some_and(|t| points(&t)));
        let methods = self.scope.methods(&found).into_iter();
        let gives = |m: &String| self.scope.method(&found, m).is_some_and(|m| m.arguments == 0 && points(&m.result));
        let mut methods = methods.filter(gives);
        let help = match (members.next(), methods.next()) {
            (Some(m), _) => format!("write for example `{t}.{m}`"),
            (None, Some(m)) => format!("write for example `{t}.{m}()`"),
            (None, None) => "name a pointer".to_owned(),
        };
        self.fault(t.span, message, help)
    }

    fn term(&mut self, t: &mut ContractTerm) -> ResolvedType {
        let found = self.kind(&mut t.kind, t.span);
        if let Some(found) = &found {
            t.sort = found.sort;
        }
        found
    }

    fn kind(&mut self, kind: &mut TermKind, span: Span) -> ResolvedType {
        match kind {
            TermKind::Int(_) => integer(),
            TermKind::Null => Some(TypeDesc::new(Sort::Pointer, "void *")),
            TermKind::Name(n) if self.bound.contains(n) => integer(),
            TermKind::Name(n) => self.scope.name(n).or_else(|| self.unknown_name(n, span)),
            TermKind::Launch(_) if self.scope.launched() => integer(),
            TermKind::Launch(l) => {
                let message = format!("{} has no `{l}`", self.scope.owner());
                self.fault(span, message, "launch terms belong to contracts of kernels")
            }
            TermKind::Member(a, access, name) => self.member(a, *access, name, span),
            TermKind::Method(a, access, name, args) => {
                args.iter_mut().for_each(|a| self.integer(a));
                let of = self.reached(a, *access)?;
                let plain = name.split('<').next().unwrap_or(name);
                let Some(method) = self.scope.method(&of, plain) else {
                    let methods = self.scope.methods(&of);
                    let help = meant(plain, methods.iter().map(String::as_str), "functions of it");
                    return self.fault(span, format!("{} has no `{name}()`", spelled(&of)), help);
                };
                if method.arguments != args.len() {
                    let message = format!("`{name}` is called with {} arguments", args.len());
                    return self.fault(span, message, format!("it takes {}", method.arguments));
                }
                Some(method.result)
            }
            TermKind::Subscript(a, index) => {
                self.integer(index);
                self.element_of(a, span)
            }
            TermKind::Deref(a) => self.element_of(a, span),
            TermKind::Apply(function @ (ContractFunction::Extent | ContractFunction::Elements), args) => {
                let [arg] = &mut args[..] else { return None };
                let found = self.pointer(arg, function.name())?;
                if *function == ContractFunction::Elements && self.scope.element(&found).is_none() {
                    let message = format!("elements of `{}` have no size", found.name);
                    return self.fault(arg.span, message, format!("`extent({arg})` counts in bytes"));
                }
                integer()
            }
            TermKind::Apply(_, args) => {
                args.iter_mut().for_each(|a| self.integer(a));
                integer()
            }
            TermKind::SizeOf(name) => match self.scope.size_of(name) {
                Some(_) => integer(),
                None => self.fault(span, format!("`{name}` is a type of unknown size"), "write the number of bytes"),
            },
            TermKind::Cast(_, a) | TermKind::Unary(_, a) => {
                self.integer(a);
                integer()
            }
            TermKind::Binary(op, a, b) => self.arithmetic(*op, a, b, span),
            TermKind::Choice(c, a, b) => {
                self.cond(c);
                let (a, b) = (self.term(a)?, self.term(b)?);
                if a.sort == b.sort {
                    return Some(a);
                }
                let message = format!("one branch is {}, the other {}", spelled(&a), spelled(&b));
                self.fault(span, message, "both branches of `?:` are numbers, or both pointers")
            }
        }
    }

    fn arithmetic(&mut self, op: Binary, a: &mut ContractTerm, b: &mut ContractTerm, span: Span) -> ResolvedType {
        if !matches!(op, Binary::Add | Binary::Sub) {
            self.integer(a);
            self.integer(b);
            return integer();
        }
        let (x, y) = (self.term(a)?, self.term(b)?);
        match (op, x.sort, y.sort) {
            (_, Sort::Integer, Sort::Integer) => integer(),
            (_, Sort::Pointer, Sort::Integer) => self.sized(x, a.span),
            (Binary::Add, Sort::Integer, Sort::Pointer) => self.sized(y, b.span),
            (_, Sort::Pointer, Sort::Pointer) => {
                let message = format!("contracts have no `{}` of two pointers", op.sign());
                self.fault(span, message, "write the number of elements between them")
            }
            (_, Sort::Object, _) => self.fault(a.span, format!("{} is not a number", spelled(&x)), self.advice(&x)),
            _ => self.fault(b.span, format!("{} is not a number", spelled(&y)), self.advice(&y)),
        }
    }

    /// Checks that an index may be added to a pointer.
    fn sized(&mut self, pointer: TypeDesc, span: Span) -> ResolvedType {
        if self.scope.element(&pointer).is_some() {
            return Some(pointer);
        }
        let message = format!("elements of `{}` have no size", pointer.name);
        self.fault(span, message, "subtract the bytes from its extent")
    }

    fn unknown_name(&mut self, n: &str, span: Span) -> ResolvedType {
        if ["threadIdx", "blockIdx"].contains(&n) {
            let message = format!("`{n}` differs between threads; a contract concerns the whole launch");
            return self.fault(span, message, "write what the largest index needs: `gridDim.x * blockDim.x`");
        }
        let names: Vec<String> = self.scope.names().into_iter().chain(self.bound.iter().cloned()).collect();
        let help = meant(n, names.iter().map(String::as_str), "its names");
        self.fault(span, format!("{} has no `{n}`", self.scope.owner()), help)
    }

    fn member(&mut self, a: &mut ContractTerm, access: MemberOperator, name: &str, span: Span) -> ResolvedType {
        let of = self.reached(a, access)?;
        if let Some(found) = self.scope.member(&of, name) {
            return Some(found);
        }
        if self.scope.method(&of, name).is_some() {
            return self.fault(span, format!("`{name}` is a function"), format!("call it: `{name}(…)`"));
        }
        let members = self.scope.members(&of);
        let help = meant(name, members.iter().map(String::as_str), "its members");
        self.fault(span, format!("{} has no `{name}`", spelled(&of)), help)
    }

    /// Resolves the left side of `.` or `->`.
    fn reached(&mut self, a: &mut ContractTerm, access: MemberOperator) -> ResolvedType {
        let of = self.term(a)?;
        match (access, of.sort) {
            (MemberOperator::Dot, Sort::Pointer) => {
                self.fault(a.span, format!("{} has no members", spelled(&of)), "write `->` in place of `.`")
            }
            (MemberOperator::Dot, _) => Some(of),
            (MemberOperator::Arrow, Sort::Pointer) => match self.scope.element(&of) {
                Some(element) => Some(element),
                None => self.fault(a.span, format!("{} has no members", spelled(&of)), "its type is not known"),
            },
            (MemberOperator::Arrow, _) => {
                self.fault(a.span, format!("{} is not a pointer", spelled(&of)), "write `.` in place of `->`")
            }
        }
    }

    fn element_of(&mut self, a: &mut ContractTerm, span: Span) -> ResolvedType {
        let of = self.term(a)?;
        // The elements of a tensor are those of its storage.
        if of.sort == Sort::Object
            && let Some(element) = self.scope.element(&of)
        {
            return Some(element);
        }
        if of.sort != Sort::Pointer {
            let help =
                if of.sort == Sort::Integer { "pointers and arrays have elements".into() } else { self.advice(&of) };
            return self.fault(a.span, format!("{} is not an array", spelled(&of)), help);
        }
        match self.scope.element(&of) {
            Some(element) => Some(element),
            None => self.fault(span, format!("elements of `{}` have no size", of.name), "nothing is read through it"),
        }
    }
}
