//! Result of the check of one program: findings, undecided accesses, and the standing of every access.
//!
//! Plain data: rendering, storing and comparing reports need nothing else of the check.

use base::inside::CollectedOutput;
use base::nets::Net;
use finding::counts::{CountedKernel, CountedPlace, PlaceClass};
use finding::{Finding, Position, Summary, Undecided};
use serde::{Deserialize, Serialize};

/// An access in the source and its decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedAccess {
    pub position: Position,
    pub kernel: String,
    pub array: String,
    pub standing: AccessStanding,
    /// Class that it counts as.
    pub class: PlaceClass,
}

impl DecidedAccess {
    /// Returns the counted part of the position.
    #[must_use]
    pub fn counted(self) -> CountedPlace {
        CountedPlace { position: self.position, array: self.array, class: self.class, kernel: self.kernel }
    }
}

/// Standing of an access, for comparison with another reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessStanding {
    /// Safe; also where that needs an operation not to wrap, even if one was found to wrap.
    Safe,
    Undecided,
    Found,
}

/// Result of the check of one program. Levels are the rules' defaults; `report/` applies configuration, fills
/// `program`, fingerprints and suppressions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProgramReport {
    pub findings: Vec<Finding>,
    pub undecided: Vec<Undecided>,
    /// Standing of every access, in the order of positions.
    pub places: Vec<DecidedAccess>,
    /// Checked kernels.
    pub kernels: Vec<CountedKernel>,
    /// Counts of this program only.
    pub summary: Summary,
    /// Safety nets that were reached: another run may decide more.
    pub nets: Vec<Net>,
    /// Notes for `-v` and the log, one line each.
    pub notes: Vec<String>,
    /// Errors in the user's own settings, one line each.
    pub problems: Vec<String>,
    /// Errors in contracts: they have no meaning where they are stated, or leave nothing to check.
    pub faults: Vec<ContractFault>,
    /// Faults of the analysis itself, one line each: what they were in is not decided.
    pub internal: Vec<String>,
    /// Parts of the check that were to be shown.
    pub seen: CollectedOutput,
}

impl ProgramReport {
    /// Marks everything safe as resting on an assumption, and returns the number of positions.
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

    /// Counts the positions again, by their classes.
    pub fn count_places(&mut self) {
        self.summary.set_places(self.places.iter().map(|p| p.class));
    }
}

/// An error in a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractFault {
    /// Error with the text and its position, where it has a single one.
    pub shown: String,
    /// Error in one line.
    pub line: String,
}

impl ContractFault {
    /// Makes an error without a position in a text.
    #[must_use]
    pub fn of_line(line: String) -> Self {
        Self { shown: format!("error: {line}"), line }
    }
}
