//! Canonical polynomials over atoms with checked coefficients, so that equal values are equal terms.

use super::term::{Monomial, Poly};
use base::work::{charge_each, cost};

impl Poly {
    /// Checks a coefficient: -2^127, which has no negation, exceeds the 127 bits.
    fn coefficient(k: Option<i128>) -> Option<i128> {
        k.filter(|k| *k != i128::MIN)
    }

    /// `self + c * other`; `None` on overflow of 127 bits.
    #[must_use]
    pub fn add_scaled(&self, other: &Self, c: i128) -> Option<Self> {
        charge_each(cost::OPERAND, self.terms.len() + other.terms.len());
        let mut out: Vec<(Monomial, i128)> = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            match order {
                std::cmp::Ordering::Less => {
                    out.push(self.terms[i].clone());
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    let k = Self::coefficient(other.terms[j].1.checked_mul(c))?;
                    if k != 0 {
                        out.push((other.terms[j].0.clone(), k));
                    }
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    let k = Self::coefficient(self.terms[i].1.checked_add(other.terms[j].1.checked_mul(c)?))?;
                    if k != 0 {
                        out.push((self.terms[i].0.clone(), k));
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        Some(Self { terms: out })
    }

    /// Product; `None` on overflow of 127 bits.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Option<Self> {
        charge_each(6 * cost::OPERAND, self.terms.len() * other.terms.len());
        let mut sum: std::collections::BTreeMap<Monomial, i128> = std::collections::BTreeMap::new();
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let mut m: Monomial = ma.iter().chain(mb.iter()).copied().collect();
                m.sort_unstable();
                let k = Self::coefficient(ca.checked_mul(*cb))?;
                let e = sum.entry(m).or_insert(0);
                *e = Self::coefficient(e.checked_add(k))?;
            }
        }
        Some(Self { terms: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// Constant term.
    #[must_use]
    pub fn constant(&self) -> i128 {
        self.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
