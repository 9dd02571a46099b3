//! Counts of places: each access in the source counts once, with its worst class over all programs.
//!
//! In: for each program, every place with its class, and the kernels that it runs. Out: the union over all programs, as
//! data that can be joined with other unions, and the counts of a [`Summary`]. Join is commutative, associative and
//! idempotent: neither the order nor the grouping of programs matters.

use crate::{Position, Summary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Result for a place, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceClass {
    Safe {
        /// Holds only if a named operation does not wrap.
        if_no_wrap: bool,
        /// Rests on an assert that NDEBUG removes, an `[[assume]]`, or a contract that not every caller has discharged.
        assuming: bool,
    },
    Unknown,
    Possible,
    Proved,
}

impl PlaceClass {
    /// Safe under the axioms alone.
    pub const SAFE: Self = Self::Safe { if_no_wrap: false, assuming: false };

    /// Joins the results of two programs for one place: the worse of both. A place that is safe in both rests on every
    /// condition that it rests on in either.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Safe { if_no_wrap, assuming }, Self::Safe { if_no_wrap: or_wrap, assuming: or_assuming }) => {
                Self::Safe { if_no_wrap: if_no_wrap || or_wrap, assuming: assuming || or_assuming }
            }
            (one, two) => one.max(two),
        }
    }
}

/// A place in the source, and its class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CountedPlace {
    pub position: Position,
    pub array: String,
    pub class: PlaceClass,
    /// Demangled name of its kernel; of several, the first in alphabetical order.
    #[serde(default)]
    pub kernel: String,
}

/// A kernel, by position of its definition and name; template instances have names of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CountedKernel {
    pub position: Position,
    /// Demangled name, with parameter types.
    pub name: String,
}

/// Union of the places and kernels of some programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceUnion {
    places: BTreeMap<(Position, String), (PlaceClass, String)>,
    /// Kernels, each with its maximal count in one program: several units of a program may each have a kernel of the
    /// same name from one header.
    kernels: BTreeMap<CountedKernel, u32>,
}

impl PlaceUnion {
    /// Adds one program.
    pub fn add(
        &mut self,
        places: impl IntoIterator<Item = CountedPlace>,
        kernels: impl IntoIterator<Item = CountedKernel>,
    ) {
        let mut own = Self::default();
        for CountedPlace { position, array, class, kernel } in places {
            own.add_place((position, array), (class, kernel));
        }
        for kernel in kernels {
            *own.kernels.entry(kernel).or_default() += 1;
        }
        self.join(own);
    }

    /// Joins another union into this one.
    pub fn join(&mut self, other: Self) {
        for (place, judged) in other.places {
            self.add_place(place, judged);
        }
        for (kernel, times) in other.kernels {
            let most = self.kernels.entry(kernel).or_default();
            *most = times.max(*most);
        }
    }

    fn add_place(&mut self, place: (Position, String), (class, kernel): (PlaceClass, String)) {
        match self.places.entry(place) {
            Entry::Vacant(new) => _ = new.insert((class, kernel)),
            Entry::Occupied(mut known) => {
                let (worst, first) = known.get_mut();
                *worst = worst.join(class);
                if kernel < *first {
                    *first = kernel;
                }
            }
        }
    }

    /// Iterates over the places, each once, ordered by position.
    pub fn places(&self) -> impl Iterator<Item = CountedPlace> + '_ {
        self.places.iter().map(|((position, array), (class, kernel))| CountedPlace {
            position: position.clone(),
            array: array.clone(),
            class: *class,
            kernel: kernel.clone(),
        })
    }

    /// Sets the counts of places and kernels.
    pub fn write_to(&self, summary: &mut Summary) {
        summary.set_places(self.places.values().map(|(class, _)| *class));
        summary.kernels = self.kernels.values().sum();
    }
}

impl Summary {
    /// Sets the counts of places: one place for each of these classes.
    pub fn set_places(&mut self, classes: impl IntoIterator<Item = PlaceClass>) {
        (self.accesses, self.safe, self.safe_if_no_wrap, self.safe_assuming) = (0, 0, 0, 0);
        (self.proved, self.possible, self.unknown) = (0, 0, 0);
        for class in classes {
            self.accesses += 1;
            match class {
                PlaceClass::Safe { if_no_wrap, assuming } => {
                    let count = if if_no_wrap { &mut self.safe_if_no_wrap } else { &mut self.safe };
                    *count += 1;
                    self.safe_assuming += u32::from(assuming);
                }
                PlaceClass::Unknown => self.unknown += 1,
                PlaceClass::Possible => self.possible += 1,
                PlaceClass::Proved => self.proved += 1,
            }
        }
    }
}
