//! What the check of one program says: findings, what stays undecided, and how every access stands.
//!
//! Plain data: whoever renders, stores or compares reports needs nothing else of the check.

use base::inside::Seen;
use base::nets::Net;
use finding::counts::{CountedKernel, CountedPlace, PlaceClass};
use finding::{Finding, Position, Summary, Undecided};
use serde::{Deserialize, Serialize};

/// One access in the source and what was decided of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub position: Position,
    pub kernel: String,
    pub array: String,
    pub standing: Standing,
    /// What it counts as.
    pub class: PlaceClass,
}

impl Place {
    /// What counts of it.
    #[must_use]
    pub fn counted(self) -> CountedPlace {
        CountedPlace { position: self.position, array: self.array, class: self.class }
    }
}

/// How a place compares with that of another reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Standing {
    /// Also where it is so only if no operation wraps, and where one was found to wrap.
    Safe,
    Open,
    Found,
}

/// What the check of one program says. Levels are the rules' defaults; `report/` applies configuration,
/// fills `program`, fingerprints and suppressions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProgramReport {
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    /// How every place stands, in the order of positions.
    pub places: Vec<Place>,
    /// The kernels that were checked.
    pub kernels: Vec<CountedKernel>,
    /// Counts of this program only.
    pub summary: Summary,
    /// Safety nets that were reached: another run may say more.
    pub nets: Vec<Net>,
    /// One line each for `-v` and the log.
    pub notes: Vec<String>,
    /// What is wrong with the user's own settings, one line each.
    pub problems: Vec<String>,
    /// What is wrong with contracts: they mean nothing where they are stated, or nothing is left to check under them.
    pub faults: Vec<Fault>,
    /// What was to be seen of the check.
    pub seen: Seen,
}

impl ProgramReport {
    /// Lets all that is safe rest on an assumption, and returns how many places that is.
    pub fn assume_in_all(&mut self) -> usize {
        let mut safe = 0;
        for place in &mut self.places {
            if let PlaceClass::Safe { assuming, .. } = &mut place.class {
                *assuming = true;
                safe += 1;
            }
        }
        safe
    }

    /// Counts the places again, by their classes.
    pub fn count_places(&mut self) {
        self.summary.set_places(self.places.iter().map(|p| p.class));
    }
}

/// What is wrong with a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// With the text and the place in it, where it is one place.
    pub shown: String,
    /// The same in one line.
    pub line: String,
}

impl Fault {
    /// One that is no place in a text.
    #[must_use]
    pub fn of_line(line: String) -> Self {
        Self { shown: format!("error: {line}"), line }
    }
}
