//! Engine terms as contract terms.
//!
//! In: a term over the parameters of a function and its launch. Out: the same in contract syntax; `None` for terms
//! that contracts cannot express.

use super::elements::{self, ElementCondition};
use super::tensors;
use contracts::ast::{Binary, Comparison, CondKind, ContractFunction, Dim3Member, Forall, LaunchProperty, TermKind};
use contracts::{Cond, ContractTerm, Requirement, Span, parse, parse_term, simplify};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::inputs::elements::ElementRead;
use engine::symbolic::memory::callers;
pub use engine::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{InputSource, Poly, SymId, SymKind, Term as EngineTerm, TermId};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Contract name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SymbolName {
    Parameter(String),
    /// Flag that is 1 where a pointer is null.
    Null(String),
    Launch(LaunchProperty),
    /// Extent behind a parameter, in bytes; and the element size in bytes, where its type determines it.
    Extent(String, Option<u64>),
    /// Extent behind a parameter, in whole elements.
    Elements(String),
    /// A particular, or an arbitrary, array element.
    Element(Rc<ElementRead>),
}

/// Vocabulary of a condition besides the parameters and the extents behind them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ConditionVocabulary {
    pub launch: bool,
    pub elements: bool,
}

/// Names of a function's symbols.
#[derive(Default)]
pub(super) struct SymbolNames {
    pub all: FxHashMap<TermId, SymbolName>,
    /// Checks of a host function before every launch: no part of its requirements.
    pub checked: FxHashSet<TermId>,
    /// Index variable of `forall`: no parameter's name.
    pub variable: String,
    /// Tensor properties on the path to the current launch, solved for others.
    pub solved: FxHashMap<TermId, TermId>,
    /// Whether elements of contiguous copies of tensors count as the tensors' own elements; the tensors are then
    /// assumed contiguous.
    pub copies: bool,
    /// Arrays that values are read from, each with the symbol for an arbitrary element.
    pub elements: Vec<(Rc<ElementRead>, TermId)>,
}

/// Most nodes of a readable condition.
const LONGEST: usize = 40;

impl SymbolNames {
    /// Adds the names of a launch: blocks, threads of a block, bytes of dynamic shared memory.
    pub fn add_launch(&mut self, grid: [TermId; 3], block: [TermId; 3], shared: TermId) {
        for (i, axis) in [Dim3Member::X, Dim3Member::Y, Dim3Member::Z].into_iter().enumerate() {
            self.all.insert(grid[i], SymbolName::Launch(LaunchProperty::Grid(axis)));
            self.all.insert(block[i], SymbolName::Launch(LaunchProperty::Block(axis)));
        }
        self.all.insert(shared, SymbolName::Launch(LaunchProperty::DynamicShared));
    }

    /// Adds the names of a function's inputs besides its plain arguments: null pointers, the contents of the objects
    /// behind pointers, and their extents. Unknown extents become symbols.
    pub fn add_given(&mut self, e: &mut Executor<'_>, f: FuncRef) {
        let program = e.program;
        let func = program.func(f);
        let taken: Vec<&str> = func.params.iter().map(|p| p.name.as_str()).collect();
        self.variable = elements::variable(&taken);
        self.add_nulls(&mut e.arena, &func.display);
        let path = |kind: &SymKind| match kind {
            SymKind::Input(InputSource::Given { function, object, path, bits: 1.., .. })
                if *function == func.display && (!object.ends_with(OF_HANDLE) || tensors::has_word(object, path)) =>
            {
                Some(path.clone())
            }
            SymKind::Input(InputSource::Count { function, path, .. }) if *function == func.display => {
                Some(path.clone())
            }
            _ => None,
        };
        let all: Vec<_> = (0..).zip(e.arena.symbols()).filter_map(|(i, s)| Some((SymId(i), path(&s.kind)?))).collect();
        for (s, path) in all {
            self.all.insert(e.arena.symbol_term(s), SymbolName::Parameter(path));
        }
        // The length of a tensor's storage follows from its sizes.
        for (o, name, bytes) in e.given_objects(f).into_iter().filter(|(_, name, _)| !name.ends_with(OF_STORAGE)) {
            if let Ok(extent) = e.extent_of_parameter(f, o) {
                let at = func.params.iter().position(|p| p.name == name);
                let bytes = at.map_or(bytes, |at| func.element_bytes(at));
                if let Some(size) = bytes.map(i128::from).filter(|size| *size > 1) {
                    let elements = e.arena.floor_div(extent, size);
                    self.all.insert(elements, SymbolName::Elements(name.clone()));
                }
                self.all.insert(extent, SymbolName::Extent(name, bytes));
            }
        }
    }

    /// Adds the symbols that state whether a function's pointers are null.
    fn add_nulls(&mut self, a: &mut Arena, function: &str) {
        let pointer = |kind: &SymKind| match kind {
            SymKind::Input(InputSource::Param { function: of, name }) if of == function => {
                name.strip_prefix(callers::NULL).map(str::to_owned)
            }
            _ => None,
        };
        let all: Vec<_> = (0..).zip(a.symbols()).filter_map(|(i, s)| Some((SymId(i), pointer(&s.kind)?))).collect();
        self.all.extend(all.into_iter().map(|(s, pointer)| (a.symbol_term(s), SymbolName::Null(pointer))));
    }

    /// Converts an extent to a number of elements, with the element size in bytes.
    pub fn in_elements(&self, a: &mut Arena, extent: TermId) -> Option<(TermId, i128)> {
        let Some(SymbolName::Extent(_, Some(size))) = self.all.get(&extent) else { return None };
        let size = i128::from(*size);
        (size > 1).then(|| (a.floor_div(extent, size), size))
    }

    pub fn is_parameter(&self, t: TermId) -> bool {
        matches!(self.all.get(&t), Some(SymbolName::Parameter(_)))
    }

    pub fn is_element(&self, t: TermId) -> bool {
        matches!(self.all.get(&t), Some(SymbolName::Element(_)))
    }

    /// Whether contracts can express the term.
    pub fn has(&self, a: &Arena, t: TermId, words: ConditionVocabulary) -> bool {
        let allowed = |t: &TermId| match self.all.get(t) {
            Some(SymbolName::Launch(_)) => words.launch,
            Some(SymbolName::Element(_)) => words.elements,
            _ => true,
        };
        self.named(a, t).is_some_and(|all| all.iter().all(allowed))
    }

    /// Returns the named subterms of a term; `None` where a part has no name, or the term is too long to read.
    fn named(&self, a: &Arena, t: TermId) -> Option<Vec<TermId>> {
        let (mut open, mut out) = (vec![t], vec![]);
        let mut count = 0;
        while let Some(t) = open.pop() {
            count += 1;
            if count > LONGEST {
                return None;
            }
            if self.all.contains_key(&t) {
                out.push(t);
                continue;
            }
            match a.get(t) {
                EngineTerm::Int(_) => {}
                EngineTerm::Poly(p) => open.extend(p.terms.iter().flat_map(|(m, _)| m.iter().copied())),
                EngineTerm::Div(x, y) | EngineTerm::Rem(x, y) => open.extend([*x, *y]),
                EngineTerm::FloorDiv(x, _) | EngineTerm::Mod(x, _) => open.push(*x),
                EngineTerm::Ite(c, x, y) => open.extend([*c, *x, *y]),
                EngineTerm::Le(x) | EngineTerm::EqZ(x) | EngineTerm::Not(x) => open.push(*x),
                EngineTerm::And(all) | EngineTerm::Or(all) => open.extend(all),
                _ => return None,
            }
        }
        Some(out)
    }

    /// Returns the array elements that a condition mentions, each once.
    pub fn elements_in(&self, a: &Arena, t: TermId) -> Vec<TermId> {
        let mut all = self.named(a, t).unwrap_or_default();
        all.retain(|t| matches!(self.all.get(t), Some(SymbolName::Element(_))));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Writes `p >= 0`.
    pub fn at_least_zero(&self, a: &Arena, p: &Poly) -> Option<Cond> {
        // A single extent stands on the left, in elements where everything else is a multiple of their size.
        let extent = p.terms.iter().find_map(|(m, c)| match (m.as_slice(), c) {
            ([t], 1) => match self.all.get(t) {
                Some(SymbolName::Extent(of, size)) => Some((*t, of.clone(), *size)),
                _ => None,
            },
            _ => None,
        });
        let elements = p.terms.iter().find_map(|(m, c)| match (m.as_slice(), c) {
            ([t], 1) => match self.all.get(t) {
                Some(SymbolName::Elements(of)) => Some((*t, of.clone())),
                _ => None,
            },
            _ => None,
        });
        if let Some((t, of)) = elements {
            let rest = p.terms.iter().filter(|(m, _)| m.as_slice() != [t]).map(|(m, c)| (m.clone(), -c)).collect();
            let left = ContractTerm::apply(ContractFunction::Elements, vec![ContractTerm::name(of)]);
            return Some(Cond::compare(Comparison::Ge, left, self.polynomial(a, &Poly { terms: rest })?));
        }
        let Some((t, of, size)) = extent else { return self.sides(a, p) };
        let rest: Vec<_> = p.terms.iter().filter(|(m, _)| m.as_slice() != [t]).map(|(m, c)| (m.clone(), -c)).collect();
        let size = size.map(i128::from).filter(|z| *z > 1 && rest.iter().all(|(_, c)| c % z == 0));
        let (function, by) =
            if let Some(z) = size { (ContractFunction::Elements, z) } else { (ContractFunction::Extent, 1) };
        let wanted = Poly { terms: rest.into_iter().map(|(m, c)| (m, c / by)).collect() };
        let left = ContractTerm::apply(function, vec![ContractTerm::name(of)]);
        Some(Cond::compare(Comparison::Ge, left, self.polynomial(a, &wanted)?))
    }

    /// Writes `a >= b`, without minus on either side.
    fn sides(&self, a: &Arena, p: &Poly) -> Option<Cond> {
        let part = |positive: bool| Poly {
            terms: p.terms.iter().filter(|(_, c)| (*c > 0) == positive).map(|(m, c)| (m.clone(), c.abs())).collect(),
        };
        let (more, less) = (self.polynomial(a, &part(true))?, self.polynomial(a, &part(false))?);
        Some(Cond::compare(Comparison::Ge, more, less))
    }

    /// Writes a condition as a contract.
    pub fn condition(&self, a: &Arena, t: TermId) -> Option<Cond> {
        let all = |v: &[TermId]| v.iter().map(|t| self.condition(a, *t)).collect::<Option<Vec<_>>>();
        Some(match a.get(t) {
            EngineTerm::True => Cond::literal(true),
            EngineTerm::False => Cond::literal(false),
            EngineTerm::Le(x) => {
                let p = a.poly(*x);
                self.at_least_zero(a, &Poly { terms: p.terms.iter().map(|(m, c)| (m.clone(), -c)).collect() })?
            }
            EngineTerm::EqZ(x) => self.equal(a, *x, Comparison::Eq)?,
            EngineTerm::Not(x) => match a.get(*x) {
                EngineTerm::EqZ(x) => self.equal(a, *x, Comparison::Ne)?,
                _ => return None,
            },
            EngineTerm::And(v) => Cond::all(all(v)?),
            EngineTerm::Or(v) => Cond::any(all(v)?),
            _ => return None,
        })
    }

    fn equal(&self, a: &Arena, x: TermId, op: Comparison) -> Option<Cond> {
        let p = a.poly(x);
        let mut pointers = p.terms.iter().filter_map(|(m, _)| match m.as_slice() {
            [t] => match self.all.get(t) {
                Some(SymbolName::Null(pointer)) => Some(pointer.clone()),
                _ => None,
            },
            _ => None,
        });
        if let Some(pointer) = pointers.next() {
            // The flag is 1, or 0.
            let constant = p.constant();
            let op = if constant == 0 { op.negated() } else { op };
            let null = ContractTerm::new(TermKind::Null, Span::default());
            return (p.terms.len() == 1 + usize::from(constant != 0))
                .then(|| Cond::compare(op, ContractTerm::name(pointer), null));
        }
        let c = self.sides(a, &p)?;
        let CondKind::Compare(_, left, right) = c.kind else { return None };
        Some(Cond::compare(op, *left, *right))
    }

    /// Writes a condition on the first elements of an array.
    pub fn of_each(&self, a: &Arena, each: &ElementCondition) -> Option<Cond> {
        let all = Forall {
            variable: self.variable.clone(),
            from: ContractTerm::int(0),
            to: self.term(a, each.count)?,
            closed: false,
            body: simplify(&self.condition(a, each.body)?),
        };
        Some(Cond::new(CondKind::Forall(Box::new(all)), Span::default()))
    }

    fn polynomial(&self, a: &Arena, p: &Poly) -> Option<ContractTerm> {
        let mut sum: Option<ContractTerm> = None;
        // Terms in the source's order of names; constants last.
        let mut terms: Vec<(i128, Vec<ContractTerm>)> = vec![];
        for (m, c) in &p.terms {
            let factors: Vec<ContractTerm> = m.iter().map(|t| self.term(a, *t)).collect::<Option<_>>()?;
            terms.push((*c, factors));
        }
        terms.sort_by_key(|(c, factors)| (factors.is_empty(), *c < 0));
        for (c, factors) in terms {
            let size = c.checked_abs()?;
            let mut product: Option<ContractTerm> = (size != 1 || factors.is_empty()).then(|| ContractTerm::int(size));
            for f in factors {
                product = Some(match product {
                    Some(p) => ContractTerm::binary(Binary::Mul, p, f),
                    None => f,
                });
            }
            let product = product?;
            sum = Some(match (sum, c < 0) {
                (Some(s), true) => ContractTerm::binary(Binary::Sub, s, product),
                (Some(s), false) => ContractTerm::binary(Binary::Add, s, product),
                (None, true) => ContractTerm::binary(Binary::Sub, ContractTerm::int(0), product),
                (None, false) => product,
            });
        }
        Some(sum.unwrap_or_else(|| ContractTerm::int(0)))
    }

    fn term(&self, a: &Arena, t: TermId) -> Option<ContractTerm> {
        match self.all.get(&t) {
            // A tensor property is a method call.
            Some(SymbolName::Parameter(name)) if name.ends_with(')') => return parse_term(name).ok(),
            Some(SymbolName::Parameter(name)) => return Some(ContractTerm::name(name)),
            Some(SymbolName::Launch(l)) => return Some(ContractTerm::new(TermKind::Launch(*l), Span::default())),
            Some(SymbolName::Extent(of, _)) => {
                return Some(ContractTerm::apply(ContractFunction::Extent, vec![ContractTerm::name(of)]));
            }
            Some(SymbolName::Elements(of)) => {
                return Some(ContractTerm::apply(ContractFunction::Elements, vec![ContractTerm::name(of)]));
            }
            Some(SymbolName::Element(of)) => return Some(of.written(ContractTerm::name(&self.variable))),
            Some(SymbolName::Null(_)) => return None,
            None => {}
        }
        let binary = |op, x: TermId, y: ContractTerm| Some(ContractTerm::binary(op, self.term(a, x)?, y));
        match a.get(t) {
            EngineTerm::Int(v) => Some(ContractTerm::int(*v)),
            EngineTerm::Poly(p) => self.polynomial(a, p),
            EngineTerm::Div(x, y) => binary(Binary::Div, *x, self.term(a, *y)?),
            EngineTerm::Rem(x, y) => binary(Binary::Rem, *x, self.term(a, *y)?),
            EngineTerm::FloorDiv(x, by) if a.range(*x).lo.is_some_and(|lo| lo >= 0) => {
                binary(Binary::Div, *x, ContractTerm::int(*by))
            }
            EngineTerm::FloorDiv(x, by) if by.count_ones() == 1 => {
                binary(Binary::Shr, *x, ContractTerm::int(i128::from(by.trailing_zeros())))
            }
            EngineTerm::Mod(x, by) if a.range(*x).lo.is_some_and(|lo| lo >= 0) => {
                binary(Binary::Rem, *x, ContractTerm::int(*by))
            }
            EngineTerm::Mod(x, by) if by.count_ones() == 1 => binary(Binary::And, *x, ContractTerm::int(by - 1)),
            EngineTerm::Ite(c, x, y) => {
                let choice = TermKind::Choice(
                    Box::new(self.condition(a, *c)?),
                    Box::new(self.term(a, *x)?),
                    Box::new(self.term(a, *y)?),
                );
                Some(ContractTerm::new(choice, Span::default()))
            }
            _ => None,
        }
    }
}

/// Returns the normal form, where it is no longer than the original.
pub(super) fn readable(c: &Cond) -> Cond {
    let normal = simplify(c);
    if normal.to_string().len() <= c.to_string().len() { normal } else { c.clone() }
}

/// Writes a requirement that inference or the launches themselves state.
pub(super) fn requirement(condition: Cond) -> Requirement {
    let text = condition.to_string();
    // Names with members are resolved by the parser.
    let condition = parse(&text).unwrap_or(condition);
    Requirement { text, condition, origin: String::new(), at: None }
}
