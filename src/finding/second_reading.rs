//! Comparison of a second front end's reading with the first, which alone decides: places that agree, differ, or are
//! undecided in one of them.

use crate::Position;
use crate::paths::ProjectRoot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Result for a place in one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadingVerdict {
    /// Within bounds, perhaps only if no operation wraps.
    Safe,
    #[serde(rename = "open")]
    Undecided,
    /// Out of bounds, or wrong in another way.
    Found,
}

impl fmt::Display for ReadingVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safe => "in bounds",
            Self::Undecided => "undecided",
            Self::Found => "out of bounds",
        })
    }
}

/// A place on which the two readings differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ReadingDifference {
    #[serde(flatten)]
    pub position: Position,
    pub kernel: String,
    pub array: String,
    /// Result of the first reading; `null` if it has no such place.
    pub first: Option<ReadingVerdict>,
    pub second: Option<ReadingVerdict>,
    /// Known difference of the second front end from a compiler that explains the disagreement, if any.
    pub known: Option<String>,
}

/// Counts of places, and those on which the two readings differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondReading {
    /// Second front end and version, e.g. `cgeist 17.0.6`.
    pub frontend: String,
    /// `equal + different + open_on_one_side + open_on_both`.
    pub compared: u32,
    /// Places in bounds in both readings, or wrong in both.
    pub equal: u32,
    pub different: u32,
    pub open_on_one_side: u32,
    pub open_on_both: u32,
    /// Places of either reading without a counterpart in the other.
    pub unmatched: u32,
    pub list: Vec<ReadingDifference>,
}

impl SecondReading {
    /// Counts a place, and lists it if the readings differ, or if only one of them has it and finds it wrong.
    pub fn add(&mut self, place: ReadingDifference) {
        let (Some(first), Some(second)) = (place.first, place.second) else {
            self.unmatched += 1;
            if place.first.or(place.second) == Some(ReadingVerdict::Found) {
                self.list.push(place);
            }
            return;
        };
        self.compared += 1;
        let count = match (first, second) {
            (ReadingVerdict::Undecided, ReadingVerdict::Undecided) => &mut self.open_on_both,
            (a, b) if a == b => &mut self.equal,
            (ReadingVerdict::Undecided, _) | (_, ReadingVerdict::Undecided) => &mut self.open_on_one_side,
            _ => &mut self.different,
        };
        *count += 1;
        if first != second {
            self.list.push(place);
        }
    }

    /// Merges the comparisons of several programs.
    #[must_use]
    pub fn merged(all: Vec<Self>, root: &ProjectRoot) -> Option<Self> {
        let mut out: Option<Self> = None;
        for one in all {
            let total = out.get_or_insert_with(|| Self { frontend: one.frontend.clone(), ..Self::default() });
            total.compared += one.compared;
            total.equal += one.equal;
            total.different += one.different;
            total.open_on_one_side += one.open_on_one_side;
            total.open_on_both += one.open_on_both;
            total.unmatched += one.unmatched;
            total.list.extend(one.list);
        }
        let mut out = out?;
        out.list.sort();
        for p in out.list.iter_mut().map(|c| &mut c.position) {
            p.file = root.show(&p.file);
            // Without a line, the column only distinguished places.
            p.column = if p.line == 0 { 0 } else { p.column };
        }
        Some(out)
    }

    /// Returns one line with the counts, and one for each place on which the readings differ.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let name = &self.frontend;
        let places = |n: u32| if n == 1 { "1 place".to_owned() } else { format!("{n} places") };
        let counts = [
            (self.equal, "equal"),
            (self.different, "different"),
            (self.open_on_one_side, "undecided in one"),
            (self.open_on_both, "undecided in both"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
        let unmatched = if self.unmatched > 0 {
            format!("; {} in one reading only", places(self.unmatched))
        } else {
            String::new()
        };
        let alike = if self.compared > 0 && self.equal == self.compared && self.unmatched == 0 {
            "reads it as clang does"
        } else {
            "beside clang"
        };
        let mut out = vec![format!("{name} {alike}: {} compared{counts}{unmatched}", places(self.compared))];
        out.extend(self.list.iter().map(|c| c.line(name)));
        out
    }
}

impl ReadingDifference {
    fn line(&self, name: &str) -> String {
        let how = |s: Option<ReadingVerdict>| s.map_or_else(|| "nowhere".to_owned(), |s| s.to_string());
        let known = self.known.as_ref().map_or_else(String::new, |k| format!("; a known misreading may be why: {k}"));
        format!(
            "{}: `{}` in `{}` is {} as clang reads it, {} as {name} does{known}",
            self.position,
            self.array,
            self.kernel,
            how(self.first),
            how(self.second)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(first: Option<ReadingVerdict>, second: Option<ReadingVerdict>) -> ReadingDifference {
        ReadingDifference {
            position: Position { file: "/p/a.cu".into(), line: 0, column: 7 },
            kernel: "k(int*)".into(),
            array: "a".into(),
            first,
            second,
            known: None,
        }
    }

    #[test]
    fn places_are_counted_by_how_they_stand_in_both() {
        use ReadingVerdict::{Found, Safe, Undecided};
        let mut r = SecondReading { frontend: "cgeist 17".into(), ..SecondReading::default() };
        for (a, b) in
            [(Safe, Safe), (Found, Found), (Found, Undecided), (Undecided, Safe), (Undecided, Undecided), (Safe, Found)]
        {
            r.add(place(Some(a), Some(b)));
        }
        r.add(place(Some(Safe), None));
        r.add(place(None, Some(Found)));
        assert_eq!(
            (r.compared, r.equal, r.different, r.open_on_one_side, r.open_on_both, r.unmatched),
            (6, 2, 1, 2, 1, 2)
        );
        let merged = SecondReading::merged(vec![r.clone(), r], &ProjectRoot::new("/p".into())).unwrap();
        assert_eq!((merged.compared, merged.list.len()), (12, 8));
        assert_eq!(merged.list[0].position, Position { file: "a.cu".into(), line: 0, column: 0 });
        let lines = merged.lines();
        assert_eq!(
            lines[0],
            "cgeist 17 beside clang: 12 places compared: 4 equal, 2 different, 4 undecided in one, 2 undecided in both; 4 places in one reading only"
        );
        assert!(
            lines.contains(
                &"a.cu: `a` in `k(int*)` is in bounds as clang reads it, out of bounds as cgeist 17 does".to_owned()
            ),
            "{lines:?}"
        );
        assert_eq!(SecondReading::merged(vec![], &ProjectRoot::new("/p".into())), None);
    }

    #[test]
    fn only_what_is_equal_everywhere_is_read_alike() {
        let mut r = SecondReading { frontend: "cgeist".into(), ..SecondReading::default() };
        assert_eq!(r.lines(), ["cgeist beside clang: 0 places compared"]);
        r.add(place(Some(ReadingVerdict::Safe), Some(ReadingVerdict::Safe)));
        assert_eq!(r.lines(), ["cgeist reads it as clang does: 1 place compared: 1 equal"]);
        r.add(place(Some(ReadingVerdict::Found), Some(ReadingVerdict::Undecided)));
        assert!(r.lines()[0].starts_with("cgeist beside clang"), "an open place is no agreement");
    }
}
