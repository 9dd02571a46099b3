//! Rewrites a condition on members to a condition on an object.
//!
//! In: a condition of an invariant, and a term for the object. Out: the condition with each member reached through
//! the object.

use super::ast::{Cond, CondKind, ContractTerm, Forall, MemberOperator, TermKind};

impl Cond {
    /// Condition of an invariant for a given object: `ne[0] >= 1` for `t` is `t->ne[0] >= 1`.
    #[must_use]
    pub fn of_object(&self, object: &ContractTerm, access: MemberOperator) -> Self {
        Relative { object, access, bound: vec![] }.cond(self)
    }
}

struct Relative<'a> {
    object: &'a ContractTerm,
    access: MemberOperator,
    bound: Vec<String>,
}

impl Relative<'_> {
    fn cond(&mut self, c: &Cond) -> Cond {
        let kind = match &c.kind {
            CondKind::Literal(b) => CondKind::Literal(*b),
            CondKind::Compare(op, a, b) => CondKind::Compare(*op, self.boxed(a), self.boxed(b)),
            CondKind::Truth(t) => CondKind::Truth(self.boxed(t)),
            CondKind::Not(a) => CondKind::Not(Box::new(self.cond(a))),
            CondKind::And(all) => CondKind::And(all.iter().map(|c| self.cond(c)).collect()),
            CondKind::Or(all) => CondKind::Or(all.iter().map(|c| self.cond(c)).collect()),
            CondKind::Implies(a, b) => CondKind::Implies(Box::new(self.cond(a)), Box::new(self.cond(b))),
            CondKind::Choice(c, a, b) => {
                CondKind::Choice(Box::new(self.cond(c)), Box::new(self.cond(a)), Box::new(self.cond(b)))
            }
            CondKind::Forall(all) => {
                let (from, to) = (self.term(&all.from), self.term(&all.to));
                self.bound.push(all.variable.clone());
                let body = self.cond(&all.body);
                self.bound.pop();
                CondKind::Forall(Box::new(Forall {
                    from,
                    to,
                    body,
                    variable: all.variable.clone(),
                    closed: all.closed,
                }))
            }
            CondKind::Disjoint(all) => CondKind::Disjoint(self.terms(all)),
        };
        Cond::new(kind, c.span)
    }

    fn boxed(&mut self, t: &ContractTerm) -> Box<ContractTerm> {
        Box::new(self.term(t))
    }

    fn terms(&mut self, all: &[ContractTerm]) -> Vec<ContractTerm> {
        all.iter().map(|t| self.term(t)).collect()
    }

    fn term(&mut self, t: &ContractTerm) -> ContractTerm {
        let kind = match &t.kind {
            TermKind::Name(n) if !self.bound.contains(n) => {
                TermKind::Member(Box::new(self.object.clone()), self.access, n.clone())
            }
            TermKind::Int(_) | TermKind::Null | TermKind::Name(_) | TermKind::Launch(_) | TermKind::SizeOf(_) => {
                t.kind.clone()
            }
            TermKind::Member(a, access, name) => TermKind::Member(self.boxed(a), *access, name.clone()),
            TermKind::Method(a, access, name, args) => {
                TermKind::Method(self.boxed(a), *access, name.clone(), self.terms(args))
            }
            TermKind::Subscript(a, b) => TermKind::Subscript(self.boxed(a), self.boxed(b)),
            TermKind::Deref(a) => TermKind::Deref(self.boxed(a)),
            TermKind::Apply(f, args) => TermKind::Apply(*f, self.terms(args)),
            TermKind::Cast(to, a) => TermKind::Cast(*to, self.boxed(a)),
            TermKind::Unary(op, a) => TermKind::Unary(*op, self.boxed(a)),
            TermKind::Binary(op, a, b) => TermKind::Binary(*op, self.boxed(a), self.boxed(b)),
            TermKind::Choice(c, a, b) => TermKind::Choice(Box::new(self.cond(c)), self.boxed(a), self.boxed(b)),
        };
        ContractTerm::new(kind, t.span).of(t.sort)
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::MemberOperator;
    use crate::{ContractTerm, parse};

    #[test]
    fn members_are_reached_through_the_object() {
        for (said, of) in [
            ("ne[0] >= 1 && extent(data) >= 4 * ne[0]", "t->ne[0] >= 1 && extent(t->data) >= 4 * t->ne[0]"),
            (
                "forall i in [0, n): src[i] == nullptr || i < n",
                "forall i in [0, t->n): t->src[i] == nullptr || i < t->n",
            ),
            ("sizeof(int) * min(a, b.c) > 0 ? p : n == 3", "sizeof(int) * min(t->a, t->b.c) > 0 ? t->p : t->n == 3"),
        ] {
            let c = parse(said).unwrap();
            assert_eq!(c.of_object(&ContractTerm::name("t"), MemberOperator::Arrow).to_string(), of);
        }
        let c = parse("n >= 1").unwrap();
        assert_eq!(c.of_object(&ContractTerm::name("args"), MemberOperator::Dot).to_string(), "args.n >= 1");
    }
}
