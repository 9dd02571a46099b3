//! Evaluates conditions on concrete values.
//!
//! In: a condition, and a [`World`] with the values of names, members and memory. Out: whether it holds, or why that
//! is undecided. Other interpretations of contracts are compared with this judge, so it shares no arithmetic with
//! them. It walks the syntax tree with 128-bit integers; a value that they do not hold is an error and never wraps.

use super::arithmetic::{applied, arithmetic};
use super::ast::{
    Binary, Comparison, Cond, CondKind, ContractFunction, ContractTerm, Forall, MemberOperator, Span, TermKind,
    UnaryOperator,
};
use super::world::{TermValue, World, WorldAnswer};

/// Reason why an evaluation is undecided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// A value of the term at the span is too large.
    #[error("a value does not fit into 128 bits")]
    TooLarge(Span),
    #[error("a value is not known")]
    Unknown(Span),
    #[error("an operand is of the wrong sort")]
    Sort(Span),
    #[error("more steps would be needed")]
    Budget,
}

/// Reason why a term is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    DivisionByZero(Span),
    NegativeShift(Span),
    Read(Span),
}

/// Truth value of a condition. The condition holds if it is `True`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    Undefined(Undefined),
}

impl Truth {
    #[must_use]
    pub fn holds(self) -> bool {
        self == Self::True
    }
}

impl From<bool> for Truth {
    fn from(b: bool) -> Self {
        if b { Self::True } else { Self::False }
    }
}

/// Value of a term in a world.
pub type EvaluatedTerm<W> = TermValue<<W as World>::Pointer, <W as World>::Object>;

/// Evaluates a condition. `steps` is the maximum number of tree nodes to visit; nodes under `forall` count once per
/// value.
///
/// # Errors
/// If the world does not know a value that decides, an integer is too large, or the steps do not suffice.
pub fn eval<W: World>(c: &Cond, world: &W, steps: u64) -> Result<Truth, EvalError> {
    Evaluation { world, steps, bound: vec![] }.cond(c)
}

/// Evaluates a term, with steps as in [`eval`].
///
/// # Errors
/// As [`eval`].
pub fn eval_term<W: World>(
    t: &ContractTerm,
    world: &W,
    steps: u64,
) -> Result<Result<EvaluatedTerm<W>, Undefined>, EvalError> {
    match (Evaluation { world, steps, bound: vec![] }.term(t)) {
        Ok(v) => Ok(Ok(v)),
        Err(EvalStop::Undefined(u)) => Ok(Err(u)),
        Err(EvalStop::Error(e)) => Err(e),
    }
}

pub(super) enum EvalStop {
    Undefined(Undefined),
    Error(EvalError),
}

impl From<EvalError> for EvalStop {
    fn from(e: EvalError) -> Self {
        Self::Error(e)
    }
}

struct Evaluation<'a, W> {
    world: &'a W,
    steps: u64,
    bound: Vec<(&'a str, i128)>,
}

fn known<T>(reading: WorldAnswer<T>, span: Span) -> Result<T, EvalStop> {
    match reading {
        WorldAnswer::Value(v) => Ok(v),
        WorldAnswer::Nothing => Err(EvalStop::Undefined(Undefined::Read(span))),
        WorldAnswer::Unknown => Err(EvalError::Unknown(span).into()),
    }
}

impl<'a, W: World> Evaluation<'a, W> {
    fn step(&mut self) -> Result<(), EvalError> {
        self.steps = self.steps.checked_sub(1).ok_or(EvalError::Budget)?;
        Ok(())
    }

    fn cond(&mut self, c: &'a Cond) -> Result<Truth, EvalError> {
        self.step()?;
        match &c.kind {
            CondKind::Literal(b) => Ok((*b).into()),
            CondKind::Compare(op, a, b) => truth(self.compare(*op, a, b, c.span)),
            CondKind::Truth(t) => truth(self.term(t).and_then(|v| match v {
                TermValue::Int(v) => Ok(v != 0),
                TermValue::Null => Ok(false),
                TermValue::Pointer(_) => Ok(true),
                TermValue::Object(_) => Err(EvalError::Sort(t.span).into()),
            })),
            CondKind::Not(a) => Ok(not(self.cond(a)?)),
            CondKind::And(all) => self.conjunction(all.iter().map(|c| (c, false))),
            CondKind::Or(all) => Ok(not(self.conjunction(all.iter().map(|c| (c, true)))?)),
            CondKind::Implies(a, b) => Ok(not(self.conjunction([(a.as_ref(), false), (b, true)].into_iter())?)),
            CondKind::Choice(c, a, b) => match self.cond(c)? {
                Truth::True => self.cond(a),
                Truth::False => self.cond(b),
                undefined => Ok(undefined),
            },
            CondKind::Forall(all) => self.forall(all),
            CondKind::Disjoint(all) => truth(self.disjoint(all)),
        }
    }

    /// Evaluates a conjunction: false as soon as one conjunct is, whatever the others are. The second of a pair says
    /// whether the conjunct is negated.
    fn conjunction(&mut self, all: impl Iterator<Item = (&'a Cond, bool)>) -> Result<Truth, EvalError> {
        let (mut so_far, mut error) = (Truth::True, None);
        for (c, negated) in all {
            match self.cond(c).map(|t| if negated { not(t) } else { t }) {
                Ok(Truth::False) => return Ok(Truth::False),
                Ok(Truth::True) => {}
                Ok(undefined) => so_far = undefined,
                Err(EvalError::Budget) => return Err(EvalError::Budget),
                Err(e) => error = error.or(Some(e)),
            }
        }
        error.map_or(Ok(so_far), Err)
    }

    fn forall(&mut self, all: &'a Forall) -> Result<Truth, EvalError> {
        let from = match self.int(&all.from) {
            Ok(v) => v,
            Err(e) => return truth(Err(e)),
        };
        let to = match self.int(&all.to) {
            Ok(v) => v,
            Err(e) => return truth(Err(e)),
        };
        let (mut so_far, mut error, mut k) = (Truth::True, None, from);
        while k < to || (all.closed && k == to) {
            self.bound.push((&all.variable, k));
            let one = self.cond(&all.body);
            self.bound.pop();
            match one {
                Ok(Truth::False) => return Ok(Truth::False),
                Ok(Truth::True) => {}
                Ok(undefined) => so_far = undefined,
                Err(EvalError::Budget) => return Err(EvalError::Budget),
                Err(e) => error = error.or(Some(e)),
            }
            match k.checked_add(1) {
                Some(next) => k = next,
                None => break,
            }
        }
        error.map_or(Ok(so_far), Err)
    }

    fn disjoint(&mut self, all: &'a [ContractTerm]) -> Result<bool, EvalStop> {
        let mut pointers = vec![];
        for t in all {
            match self.term(t)? {
                TermValue::Pointer(p) => pointers.push((p, t.span)),
                TermValue::Null => {}
                _ => return Err(EvalError::Sort(t.span).into()),
            }
        }
        for (k, (a, _)) in pointers.iter().enumerate() {
            for (b, span) in &pointers[k + 1..] {
                if known(self.world.shares(a, b), *span)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn compare(
        &mut self,
        op: Comparison,
        a: &'a ContractTerm,
        b: &'a ContractTerm,
        span: Span,
    ) -> Result<bool, EvalStop> {
        let equal = match (self.term(a)?, self.term(b)?) {
            (TermValue::Int(a), TermValue::Int(b)) => {
                return Ok(match op {
                    Comparison::Lt => a < b,
                    Comparison::Le => a <= b,
                    Comparison::Gt => a > b,
                    Comparison::Ge => a >= b,
                    Comparison::Eq => a == b,
                    Comparison::Ne => a != b,
                });
            }
            (TermValue::Null | TermValue::Int(0), TermValue::Null) | (TermValue::Null, TermValue::Int(0)) => true,
            (TermValue::Pointer(_), TermValue::Null | TermValue::Int(0))
            | (TermValue::Null | TermValue::Int(0), TermValue::Pointer(_)) => false,
            (TermValue::Pointer(a), TermValue::Pointer(b)) => known(self.world.same(&a, &b), span)?,
            _ => return Err(EvalError::Sort(span).into()),
        };
        match op {
            Comparison::Eq => Ok(equal),
            Comparison::Ne => Ok(!equal),
            _ => Err(EvalError::Sort(span).into()),
        }
    }

    fn int(&mut self, t: &'a ContractTerm) -> Result<i128, EvalStop> {
        match self.term(t)? {
            TermValue::Int(v) => Ok(v),
            _ => Err(EvalError::Sort(t.span).into()),
        }
    }

    fn term(&mut self, t: &'a ContractTerm) -> Result<EvaluatedTerm<W>, EvalStop> {
        self.step()?;
        let value = match &t.kind {
            TermKind::Int(v) => *v,
            TermKind::Null => return Ok(TermValue::Null),
            TermKind::Name(n) => match self.bound.iter().rev().find(|(name, _)| name == n) {
                Some((_, v)) => *v,
                None => return known(self.world.name(n), t.span),
            },
            TermKind::Launch(l) => known(self.world.launch(*l), t.span)?,
            TermKind::Member(a, access, name) => {
                let of = self.reached(a, *access)?;
                let TermValue::Object(of) = of else { return Err(EvalError::Sort(a.span).into()) };
                return known(self.world.member(&of, name), t.span);
            }
            TermKind::Method(a, access, name, args) => {
                let of = self.reached(a, *access)?;
                let args = args.iter().map(|a| self.int(a)).collect::<Result<Vec<_>, _>>()?;
                return known(self.world.method(&of, name, &args), t.span);
            }
            TermKind::Subscript(a, index) => {
                let (p, k) = (self.term(a)?, self.int(index)?);
                if let TermValue::Object(of) = &p {
                    return known(self.world.element(of, k), t.span);
                }
                let p = self.moved(p, k, a.span)?;
                return self.loaded(p, t.span);
            }
            TermKind::Deref(a) => {
                let p = self.term(a)?;
                return self.loaded(p, t.span);
            }
            TermKind::Apply(function, args) => self.apply(*function, args, t.span)?,
            TermKind::SizeOf(name) => known(self.world.size_of(name), t.span)?,
            // The cast is wide enough for C's meaning.
            TermKind::Cast(_, a) => return self.term(a),
            TermKind::Unary(op, a) => {
                let v = self.int(a)?;
                let out = if *op == UnaryOperator::Minus { v.checked_neg() } else { Some(!v) };
                out.ok_or(EvalError::TooLarge(t.span))?
            }
            TermKind::Binary(op, a, b) => match (op, self.term(a)?, self.term(b)?) {
                (_, TermValue::Int(a), TermValue::Int(b)) => arithmetic(*op, a, b, t.span)?,
                (Binary::Add, p, TermValue::Int(k)) | (Binary::Add, TermValue::Int(k), p) => {
                    return self.moved(p, k, t.span);
                }
                (Binary::Sub, p, TermValue::Int(k)) => {
                    let k = k.checked_neg().ok_or(EvalError::TooLarge(t.span))?;
                    return self.moved(p, k, t.span);
                }
                _ => return Err(EvalError::Sort(t.span).into()),
            },
            TermKind::Choice(c, a, b) => match self.cond(c)? {
                Truth::True => return self.term(a),
                Truth::False => return self.term(b),
                Truth::Undefined(u) => return Err(EvalStop::Undefined(u)),
            },
        };
        Ok(TermValue::Int(value))
    }

    fn moved(&self, p: EvaluatedTerm<W>, elements: i128, span: Span) -> Result<EvaluatedTerm<W>, EvalStop> {
        match p {
            TermValue::Pointer(p) => Ok(TermValue::Pointer(known(self.world.advance(&p, elements), span)?)),
            TermValue::Null if elements == 0 => Ok(TermValue::Null),
            TermValue::Null => Err(EvalStop::Undefined(Undefined::Read(span))),
            _ => Err(EvalError::Sort(span).into()),
        }
    }

    fn loaded(&self, p: EvaluatedTerm<W>, span: Span) -> Result<EvaluatedTerm<W>, EvalStop> {
        match p {
            TermValue::Pointer(p) => known(self.world.load(&p), span),
            TermValue::Null => Err(EvalStop::Undefined(Undefined::Read(span))),
            _ => Err(EvalError::Sort(span).into()),
        }
    }

    fn reached(&mut self, a: &'a ContractTerm, access: MemberOperator) -> Result<EvaluatedTerm<W>, EvalStop> {
        let of = self.term(a)?;
        if access == MemberOperator::Arrow { self.loaded(of, a.span) } else { Ok(of) }
    }

    fn apply(&mut self, function: ContractFunction, args: &'a [ContractTerm], span: Span) -> Result<i128, EvalStop> {
        if matches!(function, ContractFunction::Extent | ContractFunction::Elements) {
            let [arg] = args else { return Err(EvalError::Sort(span).into()) };
            let p = match self.term(arg)? {
                TermValue::Pointer(p) => p,
                TermValue::Null => return Ok(0),
                _ => return Err(EvalError::Sort(arg.span).into()),
            };
            let bytes = known(self.world.extent(&p), span)?;
            if function == ContractFunction::Extent {
                return Ok(bytes);
            }
            let size = known(self.world.element_size(&p), span)?;
            return if size > 0 { Ok(bytes.div_euclid(size)) } else { Err(EvalError::Sort(arg.span).into()) };
        }
        let values = args.iter().map(|a| self.int(a)).collect::<Result<Vec<_>, _>>()?;
        applied(function, &values, span).unwrap_or(Err(EvalError::Sort(span).into()))
    }
}

fn not(t: Truth) -> Truth {
    match t {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        undefined @ Truth::Undefined(_) => undefined,
    }
}

fn truth(r: Result<bool, EvalStop>) -> Result<Truth, EvalError> {
    match r {
        Ok(b) => Ok(b.into()),
        Err(EvalStop::Undefined(u)) => Ok(Truth::Undefined(u)),
        Err(EvalStop::Error(e)) => Err(e),
    }
}
