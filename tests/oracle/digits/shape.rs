//! What a kernel with digits computes, apart from how it writes that down: the arithmetic that judges it.

use std::fmt;

/// An expression over the radices, `r0` the least digit's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Int(i64),
    /// Radix of a digit; its value if that is written into the source.
    Radix(usize, Option<i64>),
    Add(Box<Self>, Box<Self>),
    Mul(Box<Self>, Box<Self>),
}

impl Expr {
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(0), e) | (e, Self::Int(0)) => e,
            (a, b) => Self::Add(Box::new(a), Box::new(b)),
        }
    }

    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(1), e) | (e, Self::Int(1)) => e,
            (a, b) => Self::Mul(Box::new(a), Box::new(b)),
        }
    }

    pub fn product(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::Int(1), Self::times)
    }

    pub fn value(&self, radices: &[i64]) -> i64 {
        match self {
            Self::Int(v) => *v,
            Self::Radix(k, _) => radices[*k],
            Self::Add(a, b) => a.value(radices) + b.value(radices),
            Self::Mul(a, b) => a.value(radices) * b.value(radices),
        }
    }

    /// Value of an expression without variables.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Self::Int(v) => Some(*v),
            Self::Radix(_, v) => *v,
            Self::Add(a, b) => Some(a.constant()? + b.constant()?),
            Self::Mul(a, b) => Some(a.constant()? * b.constant()?),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(v) | Self::Radix(_, Some(v)) => write!(f, "{v}"),
            Self::Radix(k, None) => write!(f, "r{k}"),
            Self::Add(a, b) => write!(f, "({a} + {b})"),
            Self::Mul(a, b) => write!(f, "({a} * {b})"),
        }
    }
}

/// What becomes of a digit before the digits are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigitUse {
    Same,
    /// `r - 1 - d`
    Mirrored,
    /// `min(d + by, r - 1)`
    Clamped(i64),
    /// `d * stride + offset`, as in the input of a convolution.
    Strided(i64, i64),
}

/// An index that is taken apart into digits and put together again. Digits are numbered from the least one.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The radices.
    pub radices: Vec<Expr>,
    /// Radices by which the kernel takes the index apart: a mistake makes them differ.
    pub apart: Vec<Expr>,
    /// Whether the greatest digit is reduced like the others.
    pub reduced: bool,
    pub uses: Vec<DigitUse>,
    /// Factor of each digit.
    pub strides: Vec<Expr>,
    pub offset: Expr,
    /// Indices that are taken apart: below this, and this one where `inclusive`.
    pub count: Expr,
    pub inclusive: bool,
    pub extent: Expr,
}

/// An index out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadIndex {
    pub from: i64,
    pub index: i64,
    pub extent: i64,
}

impl Shape {
    /// The digits of an index.
    fn digits(&self, index: i64, radices: &[i64]) -> Vec<i64> {
        let mut left = index;
        let last = self.apart.len() - 1;
        let mut out = vec![];
        for (k, radix) in self.apart.iter().enumerate() {
            let r = radix.value(radices);
            out.push(if k == last && !self.reduced { left } else { left % r });
            left /= r;
        }
        out
    }

    /// The first index out of bounds where the radices have these values.
    pub fn bad(&self, radices: &[i64]) -> Option<BadIndex> {
        let extent = self.extent.value(radices);
        let count = self.count.value(radices) + i64::from(self.inclusive);
        (0..count).find_map(|from| {
            let digits = self.digits(from, radices);
            let sum = (0..digits.len()).fold(self.offset.value(radices), |sum, k| {
                let (d, r) = (digits[k], self.radices[k].value(radices));
                let used = match self.uses[k] {
                    DigitUse::Same => d,
                    DigitUse::Mirrored => r - 1 - d,
                    DigitUse::Clamped(by) => (d + by).min(r - 1),
                    DigitUse::Strided(stride, offset) => d * stride + offset,
                };
                sum + used * self.strides[k].value(radices)
            });
            (sum < 0 || sum >= extent).then_some(BadIndex { from, index: sum, extent })
        })
    }
}
