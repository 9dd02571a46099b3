//! Affine maps and integer sets (MLIR Affine dialect, "Affine Expressions").

use super::cursor::MlirResult;
use super::operation::OperationReader;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An expression over dimensions and symbols. Divisions round towards minus infinity (`floordiv`) or plus infinity
/// (`ceildiv`), and `mod` is never negative; their right sides are positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AffineExpr {
    Dim(usize),
    Sym(usize),
    Const(i64),
    Add(Arc<AffineExpr>, Arc<AffineExpr>),
    Mul(Arc<AffineExpr>, Arc<AffineExpr>),
    Mod(Arc<AffineExpr>, Arc<AffineExpr>),
    FloorDiv(Arc<AffineExpr>, Arc<AffineExpr>),
    CeilDiv(Arc<AffineExpr>, Arc<AffineExpr>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineMap {
    pub dims: usize,
    pub symbols: usize,
    pub results: Vec<AffineExpr>,
}

impl AffineMap {
    /// Whether the map is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.dims && self.results.iter().enumerate().all(|(i, e)| *e == AffineExpr::Dim(i))
    }
}

/// Conjunction of constraints: each expression is zero (`true`) or non-negative (`false`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineSet {
    pub dims: usize,
    pub symbols: usize,
    pub constraints: Vec<(AffineExpr, bool)>,
}

type AffineNames = BTreeMap<String, AffineExpr>;

impl OperationReader<'_> {
    /// Parses the rest of an affine map after `affine_map`.
    pub(super) fn affine_map(&mut self) -> MlirResult<AffineMap> {
        self.at.require("<")?;
        let (dims, symbols, names) = self.space()?;
        self.at.require("->")?;
        self.at.require("(")?;
        let results = self.until(")", |me| me.sum(&names))?;
        self.at.require(">")?;
        Ok(AffineMap { dims, symbols, results })
    }

    /// Parses the rest of an integer set after `affine_set`.
    pub(super) fn affine_set(&mut self) -> MlirResult<AffineSet> {
        self.at.require("<")?;
        let (dims, symbols, names) = self.space()?;
        self.at.require(":")?;
        self.at.require("(")?;
        let constraints = self.until(")", |me| {
            let left = me.sum(&names)?;
            let (equal, less) = (me.at.accept("=="), me.at.accept("<="));
            if !equal && !less {
                me.at.require(">=")?;
            }
            let right = me.sum(&names)?;
            let minus = |a: AffineExpr, b: AffineExpr| {
                if b == AffineExpr::Const(0) { a } else { add(a, mul(AffineExpr::Const(-1), b)) }
            };
            Ok((if less { minus(right, left) } else { minus(left, right) }, equal))
        })?;
        self.at.require(">")?;
        Ok(AffineSet { dims, symbols, constraints })
    }

    /// Parses dimensions and symbols: `(d0, d1)[s0]`.
    fn space(&mut self) -> MlirResult<(usize, usize, AffineNames)> {
        let mut names = AffineNames::new();
        self.at.require("(")?;
        let dims = self.names(")", &mut names, AffineExpr::Dim)?;
        let symbols = if self.at.accept("[") { self.names("]", &mut names, AffineExpr::Sym)? } else { 0 };
        Ok((dims, symbols, names))
    }

    fn names(&mut self, end: &str, names: &mut AffineNames, make: fn(usize) -> AffineExpr) -> MlirResult<usize> {
        let mut n = 0;
        self.until(end, |me| {
            let w = me.at.word();
            if w.is_empty() {
                return me.at.error("expected the name of a dimension");
            }
            names.insert(w.to_owned(), make(n));
            n += 1;
            Ok(())
        })?;
        Ok(n)
    }

    fn sum(&mut self, names: &AffineNames) -> MlirResult<AffineExpr> {
        self.at.descend()?;
        let mut e = self.product(names)?;
        // Each further term makes the expression one level deeper.
        let mut terms = 1;
        loop {
            if self.at.accept("+") {
                e = add(e, self.product(names)?);
            } else if !self.at.starts_with("->") && self.at.accept("-") {
                e = add(e, mul(AffineExpr::Const(-1), self.product(names)?));
            } else {
                break;
            }
            self.at.descend()?;
            terms += 1;
        }
        for _ in 0..terms {
            self.at.ascend();
        }
        Ok(e)
    }

    fn product(&mut self, names: &AffineNames) -> MlirResult<AffineExpr> {
        let mut e = self.factor(names)?;
        let mut factors = 0;
        loop {
            if self.at.accept("*") {
                e = mul(e, self.factor(names)?);
            } else {
                let make: fn(Arc<AffineExpr>, Arc<AffineExpr>) -> AffineExpr = match self.at.peek_word() {
                    "floordiv" => AffineExpr::FloorDiv,
                    "ceildiv" => AffineExpr::CeilDiv,
                    "mod" => AffineExpr::Mod,
                    _ => break,
                };
                self.at.word();
                e = make(Arc::new(e), Arc::new(self.factor(names)?));
            }
            self.at.descend()?;
            factors += 1;
        }
        for _ in 0..factors {
            self.at.ascend();
        }
        Ok(e)
    }

    fn factor(&mut self, names: &AffineNames) -> MlirResult<AffineExpr> {
        self.at.descend()?;
        let e = match self.at.peek() {
            b'(' => {
                self.at.require("(")?;
                let e = self.sum(names)?;
                self.at.require(")")?;
                e
            }
            b'-' => {
                self.at.require("-")?;
                mul(AffineExpr::Const(-1), self.factor(names)?)
            }
            b'0'..=b'9' => {
                let start = self.at.position();
                let v = self.at.unsigned()?;
                AffineExpr::Const(i64::try_from(v).or_else(|_| self.at.error_at(start, "a number out of range"))?)
            }
            _ => {
                let start = self.at.position();
                let w = self.at.word();
                match names.get(w) {
                    Some(e) => e.clone(),
                    None => return self.at.error_at(start, format!("`{w}` is no dimension or symbol here")),
                }
            }
        };
        self.at.ascend();
        Ok(e)
    }
}

fn add(a: AffineExpr, b: AffineExpr) -> AffineExpr {
    AffineExpr::Add(Arc::new(a), Arc::new(b))
}

fn mul(a: AffineExpr, b: AffineExpr) -> AffineExpr {
    match (a, b) {
        (AffineExpr::Const(x), AffineExpr::Const(y)) if x.checked_mul(y).is_some() => AffineExpr::Const(x * y),
        (a, b) => AffineExpr::Mul(Arc::new(a), Arc::new(b)),
    }
}
