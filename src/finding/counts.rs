//! Counts of places: each access in the source once, as the worst that any program says of it.
//!
//! In: of each program every place with its class, and the kernels that it runs. Out: the union over all programs, as data
//! that may be joined with other such unions, and the counts of a [`Summary`]. Joins commute, are associative, and change
//! nothing where one side holds nothing new: neither order nor grouping of programs matters.

use crate::{Position, Summary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was decided of a place, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceClass {
    Safe {
        /// Only where an operation that is named does not wrap.
        if_no_wrap: bool,
        /// Rests on an assert that NDEBUG removes, an `[[assume]]`, or a contract that not every caller has discharged.
        assuming: bool,
    },
    Unknown,
    Possible,
    Proved,
}

impl PlaceClass {
    /// Safe, and resting on nothing but the axioms.
    pub const SAFE: Self = Self::Safe { if_no_wrap: false, assuming: false };

    /// What two programs say of one place together: the worse of both. A place that is safe in both rests on whatever it
    /// rests on in either.
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
}

/// A kernel by where it is defined and what it is called; instances of a template have names of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CountedKernel {
    pub position: Position,
    /// Demangled, with parameter types.
    pub name: String,
}

/// The places and kernels of some programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceUnion {
    places: BTreeMap<(Position, String), PlaceClass>,
    /// Each with how often the program has it that has it most: several units of one program may have a kernel of one name
    /// in one header, each its own.
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
        for CountedPlace { position, array, class } in places {
            own.add_place((position, array), class);
        }
        for kernel in kernels {
            *own.kernels.entry(kernel).or_default() += 1;
        }
        self.join(own);
    }

    /// Adds all that another union holds.
    pub fn join(&mut self, other: Self) {
        for (place, class) in other.places {
            self.add_place(place, class);
        }
        for (kernel, times) in other.kernels {
            let most = self.kernels.entry(kernel).or_default();
            *most = times.max(*most);
        }
    }

    fn add_place(&mut self, place: (Position, String), class: PlaceClass) {
        self.places.entry(place).and_modify(|worst| *worst = worst.join(class)).or_insert(class);
    }

    /// Every place once, in the order of positions.
    pub fn places(&self) -> impl Iterator<Item = CountedPlace> + '_ {
        self.places.iter().map(|((position, array), class)| CountedPlace {
            position: position.clone(),
            array: array.clone(),
            class: *class,
        })
    }

    /// Sets the counts of places and kernels.
    pub fn write_to(&self, summary: &mut Summary) {
        summary.set_places(self.places.values().copied());
        summary.kernels = self.kernels.values().sum();
    }
}

impl Summary {
    /// Sets the counts of places: one for each of these.
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
