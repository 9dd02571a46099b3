//! Sums with checked coefficients: the polynomials of terms, of the search for proofs and of contracts, and rows of linear
//! comparisons.
//!
//! A coefficient has at most 127 bits and a sign; -2^127, which has no negation, exceeds them.

use crate::work::{charge_each, cost};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Product of atoms, sorted, with repetition for powers. Empty: the constant product.
pub type Product<A> = SmallVec<[A; 2]>;

/// Σ coefficient · product; sorted by product, no zero coefficient.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SumOfProducts<A> {
    pub terms: Vec<(Product<A>, i128)>,
}

impl<A> Default for SumOfProducts<A> {
    fn default() -> Self {
        Self { terms: vec![] }
    }
}

fn coefficient(k: Option<i128>) -> Option<i128> {
    k.filter(|k| *k != i128::MIN)
}

/// Returns `a · x + b · y` for sums that are sorted by their keys; `None` on overflow.
#[must_use]
pub fn combined<K: Ord + Clone>(x: &[(K, i128)], a: i128, y: &[(K, i128)], b: i128) -> Option<Vec<(K, i128)>> {
    let mut out = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let order = match (x.get(i), y.get(j)) {
            (Some(p), Some(q)) => p.0.cmp(&q.0),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let key = if order.is_le() { &x[i].0 } else { &y[j].0 };
        let mut sum = 0_i128;
        if order.is_le() {
            sum = x[i].1.checked_mul(a)?;
            i += 1;
        }
        if order.is_ge() {
            sum = sum.checked_add(y[j].1.checked_mul(b)?)?;
            j += 1;
        }
        if coefficient(Some(sum))? != 0 {
            out.push((key.clone(), sum));
        }
    }
    Some(out)
}

impl<A: Ord + Clone> SumOfProducts<A> {
    #[must_use]
    pub fn of(product: Product<A>, coefficient: i128) -> Self {
        Self { terms: if coefficient == 0 { vec![] } else { vec![(product, coefficient)] } }
    }

    /// Returns `self + c * other`; `None` on overflow.
    #[must_use]
    pub fn add_scaled(&self, other: &Self, c: i128) -> Option<Self> {
        charge_each(cost::OPERAND, self.terms.len() + other.terms.len());
        Some(Self { terms: combined(&self.terms, 1, &other.terms, c)? })
    }

    /// Returns the product; `None` on overflow.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Option<Self> {
        charge_each(6 * cost::OPERAND, self.terms.len() * other.terms.len());
        self.times(other)
    }

    /// Returns the product without charging work; `None` on overflow.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut sum: BTreeMap<Product<A>, i128> = BTreeMap::new();
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let mut m: Product<A> = ma.iter().chain(mb).cloned().collect();
                m.sort_unstable();
                let k = coefficient(ca.checked_mul(*cb))?;
                let e = sum.entry(m).or_insert(0);
                *e = coefficient(e.checked_add(k))?;
            }
        }
        Some(Self { terms: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// Coefficient of the constant product.
    #[must_use]
    pub fn constant(&self) -> i128 {
        self.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }

    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.terms.iter().all(|(m, _)| m.is_empty())
    }

    /// Greatest common divisor of all coefficients but the constant's; 0 if there are none.
    #[must_use]
    pub fn common_divisor(&self) -> i128 {
        self.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, *c))
    }

    /// Greatest common divisor of all coefficients: it divides every value. 0 for the number 0.
    #[must_use]
    pub fn divisor_of_values(&self) -> i128 {
        gcd(self.common_divisor(), self.constant())
    }

    /// Divides every coefficient, rounding down; only the constant may be indivisible.
    #[must_use]
    pub fn divided(&self, by: i128) -> Self {
        let quotients = self.terms.iter().map(|(m, c)| (m.clone(), c.div_euclid(by)));
        Self { terms: quotients.filter(|(_, c)| *c != 0).collect() }
    }
}

/// Greatest common divisor; 1 where it is 2^127, which 127 bits cannot hold.
#[must_use]
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::gcd;

    #[test]
    fn the_smallest_number_has_divisors_too() {
        assert_eq!(gcd(-1, i128::MIN), 1);
        assert_eq!(gcd(i128::MIN, 12), 4);
        assert_eq!(gcd(0, i128::MIN), 1);
        assert_eq!(gcd(-6, 0), 6);
    }
}
