//! What contracts say of a function as it is entered.
//!
//! In: contracts of scuba.toml, a function whose callers are not known, its arguments. Out: the state in which the contract holds, with an extent
//! for each pointer that it speaks of. What is safe by that is safe as long as callers keep to the contract, which is told as for any assumption.
//! It is assumed of the function that an execution begins with, not of those that this one calls: these get what they are given.

use crate::assume::{Binary, Expr, Unary};
use crate::contracts::ast::{self, CondKind, Function as Built, TermKind};
use crate::contracts::{Cond, Requirement, Term};
use crate::ir::{FuncRef, Function, Side};
use crate::symbolic::exec::events::{ContractEvent, LaunchConfig};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{InputSource, SymKind, TermId};
use std::rc::Rc;

/// How names of what contracts have besides numbers begin in an [`Expr`]; the name of the parameter is behind it.
const EXTENT: &str = "extent of ";
const ELEMENT: &str = "element of ";
/// How what a launch was given begins; behind it is the contract's word for it.
const LAUNCH: &str = "launch ";
/// A function with what it is called, or launched, with.
#[derive(Clone, Copy)]
pub(crate) struct Called<'a> {
    pub f: FuncRef,
    pub args: &'a [Value],
    pub launch: Option<&'a LaunchConfig>,
    /// Whether somebody owes it the contract: nothing is said of what is not known then.
    pub owing: bool,
}

/// No object is larger.
const LARGEST: i128 = 1 << 48;

impl Executor<'_> {
    /// Adds what contracts require of the function that an execution begins with; who calls another owes it its contract.
    pub(super) fn contracts_at_entry(&mut self, f: FuncRef, args: &[Value], mut s: State) -> State {
        if !self.call_stack().is_empty() {
            if self.side == Side::Device || self.assumptions.owed.is_empty() {
                return s;
            }
            let stack = self.call_stack().to_vec();
            return self.owe_contracts(Called { f, args, launch: None, owing: true }, s, &stack);
        }
        if self.assumptions.contracts.is_empty() {
            return s;
        }
        let func = self.function(f);
        let contracts = self.assumptions.contracts.clone();
        for contract in contracts.iter().filter(|c| c.is_of(&func.name, &func.display)) {
            for required in &contract.requires {
                s = self.required(Called { f, args, launch: None, owing: false }, s, required);
            }
            self.assumptions.required = Some(s.path);
        }
        s
    }

    /// Notes for the rule `contract` where a call or a launch may not keep to a contract; `stack` ends with the call. Of a pointer whose
    /// extent nobody knows the contract is all that is known: it is assumed.
    pub(crate) fn owe_contracts(&mut self, called: Called<'_>, mut s: State, stack: &[Site]) -> State {
        if !self.is_recording() || self.assumptions.ignored {
            return s;
        }
        let func = self.function(called.f);
        let contracts = self.assumptions.owed.clone();
        let of_it = contracts.iter().filter(|c| c.is_of(&func.name, &func.display)).flat_map(|c| &c.requires);
        for required in of_it.flat_map(Requirement::parts) {
            let Ok(holds) = self.holds(called, &required) else {
                s = self.required(Called { owing: false, ..called }, s, &required);
                continue;
            };
            let broken = self.arena.not(holds);
            let path = self.arena.and(s.path, broken);
            if self.arena.as_bool(path) != Some(false) {
                self.events.contracts.push(ContractEvent {
                    stack: Rc::new(stack.to_vec()),
                    function: called.f,
                    required: Rc::new(required),
                    path,
                    broken,
                });
            }
        }
        s
    }

    /// The condition as a term.
    fn holds(&mut self, called: Called<'_>, required: &Requirement) -> Result<TermId, String> {
        let expr = plain(&required.condition)?;
        let meaning = self.meaning(&expr, &mut |x, leaf| x.of_contract(called, leaf))?;
        Ok(self.truth(meaning))
    }

    fn required(&mut self, called: Called<'_>, s: State, required: &Requirement) -> State {
        let Requirement { text, origin, .. } = required;
        let display = &self.function(called.f).display;
        match self.holds(called, required) {
            Ok(c) => {
                let who = format!("`{text}` ({origin}), the contract of `{display}`");
                self.assume_as(s.clone(), c, &who).unwrap_or_else(|| {
                    self.problem(format!(
                        "{origin}: `{text}` never holds where `{display}` is called; it is not assumed there"
                    ));
                    s
                })
            }
            Err(why) => {
                self.problem(format!("{origin}: `{text}` is not assumed of `{display}`: {why}"));
                s
            }
        }
    }

    /// The value of a name, or of what stands for an extent.
    fn of_contract(&mut self, called: Called<'_>, leaf: &Expr) -> Result<TermId, String> {
        let Called { f, args, launch, .. } = called;
        let Expr::Name(name) = leaf else { return Err("`argv` is an input of `main`".into()) };
        if let Some(name) = name.strip_prefix(ELEMENT) {
            let func = self.function(f);
            let at = pointer(func, name)?;
            let bytes = func.element_bytes(at).ok_or_else(|| {
                format!("the size of what `{name}` points to is not known: state its extent in bytes")
            })?;
            return Ok(self.arena.int(i128::from(bytes)));
        }
        if let Some(word) = name.strip_prefix(LAUNCH) {
            return self.of_the_launch(word, launch).ok_or_else(|| format!("`{word}` is of a kernel's launch alone"));
        }
        let Some(name) = name.strip_prefix(EXTENT) else { return self.parameter(f, args, leaf) };
        let at = pointer(self.function(f), name)?;
        let Some(Value::Ptr(targets)) = args.get(at) else {
            return Err(format!("`{name}` is no pointer here"));
        };
        let mut all: Option<TermId> = None;
        for target in targets.clone().iter() {
            let left = match &target.base {
                Base::Object(o) => {
                    let extent = if called.owing {
                        self.object(*o).extent.ok_or_else(|| format!("the extent of `{name}` is not known there"))?
                    } else {
                        self.extent_of_parameter(f, *o, name)?
                    };
                    self.arena.sub(extent, target.offset)
                }
                Base::Null => self.arena.int(0),
                Base::Func(_) | Base::Unknown(_) => return Err(format!("what `{name}` points to is not known")),
            };
            all = Some(match all {
                Some(others) => self.arena.ite(target.cond, left, others),
                None => left,
            });
        }
        all.ok_or_else(|| format!("`{name}` points to no object"))
    }

    /// What a kernel is launched with, or the one that is executed was, by the contract's word for it.
    fn of_the_launch(&self, word: &str, launch: Option<&LaunchConfig>) -> Option<TermId> {
        let (dimension, axis) = word.split_once('.').unwrap_or((word, ""));
        let axis = ["x", "y", "z"].iter().position(|a| *a == axis);
        let (grid, block, shared) = match (launch, &self.kernel.thread) {
            (Some(l), _) => (l.grid, l.block, Some(l.shared)),
            (None, Some(thread)) => (thread.grid, thread.block, thread.shared.and_then(|o| self.object(o).extent)),
            (None, None) => return None,
        };
        match (dimension, axis) {
            ("gridDim", Some(i)) => Some(grid[i]),
            ("blockDim", Some(i)) => Some(block[i]),
            (_, None) => shared,
            _ => None,
        }
    }

    /// The bytes of an object of which only a contract speaks.
    ///
    /// # Errors
    /// Where it is not known and no contract can tell it either: the function does not get the object from its caller.
    pub fn extent_of_parameter(&mut self, f: FuncRef, o: ObjId, name: &str) -> Result<TermId, String> {
        if let Some(known) = self.object(o).extent {
            return Ok(known);
        }
        if !matches!(self.object(o).kind, ObjKind::Parameter) {
            return Err(format!("the extent of `{name}` is not known"));
        }
        let source = InputSource::Param { function: self.function(f).display.clone(), name: format!("extent({name})") };
        let extent = self.arena.fresh(SymKind::Input(source), format!("extent({name})"), Range::new(0, LARGEST));
        self.heap.set_extent(o, extent);
        Ok(extent)
    }
}

fn pointer(f: &Function, name: &str) -> Result<usize, String> {
    f.params.iter().position(|p| p.name == name).ok_or_else(|| format!("`{}` has no parameter `{name}`", f.display))
}

/// A condition as one over numbers, in which extents have names of their own.
fn plain(c: &Cond) -> Result<Expr, String> {
    let fold = |all: &[Cond], op: Binary| -> Result<Expr, String> {
        let mut parts = all.iter().map(plain);
        let first = parts.next().unwrap_or(Ok(Expr::Int(1)))?;
        parts.try_fold(first, |sum, one| Ok(binary(op, sum, one?)))
    };
    Ok(match &c.kind {
        CondKind::Literal(b) => Expr::Int(i128::from(*b)),
        CondKind::Compare(op, a, b) => comparison(*op, a, b)?,
        CondKind::Truth(t) => number(t)?,
        CondKind::Not(c) => Expr::Unary(Unary::Not, Box::new(plain(c)?)),
        CondKind::And(all) => fold(all, Binary::LogicalAnd)?,
        CondKind::Or(all) => fold(all, Binary::LogicalOr)?,
        CondKind::Implies(a, b) => {
            let not = Expr::Unary(Unary::Not, Box::new(plain(a)?));
            binary(Binary::LogicalOr, not, plain(b)?)
        }
        CondKind::Choice(c, a, b) => Expr::Choice(Box::new(plain(c)?), Box::new(plain(a)?), Box::new(plain(b)?)),
        CondKind::Forall(_) => return Err("`forall` is not assumed yet".into()),
        CondKind::Disjoint(_) => return Err("`disjoint` is not assumed yet".into()),
    })
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// `elements(p) >= n` is `extent(p) >= n * size`: without a division, whatever the extent is.
fn comparison(op: ast::Comparison, a: &Term, b: &Term) -> Result<Expr, String> {
    use ast::Comparison::{Ge, Gt, Le, Lt};
    if elements(b).is_some() && elements(a).is_none() {
        return comparison(op.swapped(), b, a);
    }
    let with = match op {
        ast::Comparison::Eq => Binary::Eq,
        ast::Comparison::Ne => Binary::Ne,
        Lt => Binary::Lt,
        Le => Binary::Le,
        Gt => Binary::Gt,
        Ge => Binary::Ge,
    };
    let Some(name) = elements(a).filter(|_| matches!(op, Ge | Gt | Lt | Le)) else {
        return Ok(binary(with, number(a)?, number(b)?));
    };
    // At least n, or at least n + 1; the others are their negations.
    let least = if matches!(op, Ge | Lt) { number(b)? } else { binary(Binary::Add, number(b)?, Expr::Int(1)) };
    let bytes = binary(Binary::Mul, least, Expr::Name(format!("{ELEMENT}{name}")));
    let enough = binary(Binary::Ge, Expr::Name(format!("{EXTENT}{name}")), bytes);
    Ok(if matches!(op, Ge | Gt) { enough } else { Expr::Unary(Unary::Not, Box::new(enough)) })
}

/// The parameter whose elements a term counts.
fn elements(t: &Term) -> Option<&str> {
    match &t.kind {
        TermKind::Apply(Built::Elements, of) => match &of.first()?.kind {
            TermKind::Name(name) => Some(name),
            _ => None,
        },
        TermKind::Cast(_, t) => elements(t),
        _ => None,
    }
}

fn number(t: &Term) -> Result<Expr, String> {
    Ok(match &t.kind {
        TermKind::Int(v) => Expr::Int(*v),
        TermKind::Name(name) => Expr::Name(name.clone()),
        TermKind::SizeOf(name) => Expr::Int(size_of(name)?),
        TermKind::Launch(_) => Expr::Name(format!("{LAUNCH}{t}")),
        TermKind::Cast(_, t) => number(t)?,
        TermKind::Unary(op, t) => {
            let op = match op {
                ast::Unary::Minus => Unary::Minus,
                ast::Unary::Complement => Unary::Complement,
            };
            Expr::Unary(op, Box::new(number(t)?))
        }
        TermKind::Binary(op, a, b) => {
            let op = match op {
                ast::Binary::Mul => Binary::Mul,
                ast::Binary::Div => Binary::Div,
                ast::Binary::Rem => Binary::Rem,
                ast::Binary::Add => Binary::Add,
                ast::Binary::Sub => Binary::Sub,
                ast::Binary::Shl => Binary::Shl,
                ast::Binary::Shr => Binary::Shr,
                ast::Binary::And => Binary::And,
                ast::Binary::Xor => Binary::Xor,
                ast::Binary::Or => Binary::Or,
            };
            binary(op, number(a)?, number(b)?)
        }
        TermKind::Choice(c, a, b) => Expr::Choice(Box::new(plain(c)?), Box::new(number(a)?), Box::new(number(b)?)),
        TermKind::Apply(function, of) => applied(*function, of)?,
        _ => return Err(format!("`{t}` is not followed yet")),
    })
}

/// Bytes of a plain type (LP64).
fn size_of(name: &str) -> Result<i128, String> {
    Ok(match name.trim_start_matches("const ").trim_start_matches("signed ").trim_start_matches("unsigned ") {
        "char" | "bool" | "int8_t" | "uint8_t" => 1,
        "short" | "int16_t" | "uint16_t" | "__half" | "half" | "__nv_bfloat16" => 2,
        "int" | "signed" | "unsigned" | "float" | "int32_t" | "uint32_t" => 4,
        "long" | "long long" | "double" | "int64_t" | "uint64_t" | "size_t" | "ptrdiff_t" => 8,
        other if other.ends_with('*') => 8,
        _ => return Err(format!("the size of `{name}` is not known: write its bytes")),
    })
}

fn applied(function: Built, of: &[Term]) -> Result<Expr, String> {
    let named = |t: &Term| match &t.kind {
        TermKind::Name(name) => Ok(name.clone()),
        _ => Err(format!("the extent of `{t}` is not followed yet: name a parameter")),
    };
    let choose = |op: Binary| -> Result<Expr, String> {
        let mut all = of.iter().map(number);
        let first = all.next().unwrap_or(Ok(Expr::Int(0)))?;
        all.try_fold(first, |so_far, one| {
            let one = one?;
            let which = binary(op, so_far.clone(), one.clone());
            Ok(Expr::Choice(Box::new(which), Box::new(so_far), Box::new(one)))
        })
    };
    Ok(match (function, of) {
        (Built::Extent, [p]) => Expr::Name(format!("{EXTENT}{}", named(p)?)),
        // Extents are not negative.
        (Built::Elements, [p]) => {
            let name = named(p)?;
            binary(Binary::Div, Expr::Name(format!("{EXTENT}{name}")), Expr::Name(format!("{ELEMENT}{name}")))
        }
        (Built::Min, _) => choose(Binary::Le)?,
        (Built::Max, _) => choose(Binary::Ge)?,
        (Built::Abs, [t]) => {
            let t = number(t)?;
            let minus = Expr::Unary(Unary::Minus, Box::new(t.clone()));
            let negative = binary(Binary::Lt, t.clone(), Expr::Int(0));
            Expr::Choice(Box::new(negative), Box::new(minus), Box::new(t))
        }
        // -((-a) / b) would truncate: (a + b - 1) / b, for what is not negative.
        (Built::CeilDiv, [a, b]) => match &b.kind {
            TermKind::Int(by) if *by > 0 => {
                let a = number(a)?;
                let up = binary(Binary::Div, binary(Binary::Add, a.clone(), Expr::Int(by - 1)), Expr::Int(*by));
                let down = binary(Binary::Div, a.clone(), Expr::Int(*by));
                Expr::Choice(Box::new(binary(Binary::Gt, a, Expr::Int(0))), Box::new(up), Box::new(down))
            }
            _ => return Err("`ceil_div` by what is no number above 0 is not followed yet".into()),
        },
        _ => return Err("it has the wrong number of arguments".into()),
    })
}
