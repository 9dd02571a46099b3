//! Shards of a check: its programs are divided among several runs, whose documents are merged into one report.
//!
//! In: what each run found. Out: what one run of all programs would have found. A shard's document holds that beside its
//! own report: a place of several programs counts once, so that counts alone cannot be added.

use super::assemble::{ProgramFindings, RunFindings, shown};
use finding::paths::ProjectRoot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Most shards of a check.
const MOST: u32 = 100_000;

/// Most shards that a message names.
const MOST_NAMED: usize = 3;

/// Shard `index` of `of`, from 1: each `of`-th program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StatedShard")]
pub struct Shard {
    pub index: u32,
    pub of: u32,
}

/// Numbers of a document, which need not be those of a shard.
#[derive(Clone, Copy, Deserialize)]
struct StatedShard {
    index: u32,
    of: u32,
}

impl TryFrom<StatedShard> for Shard {
    type Error = String;

    fn try_from(StatedShard { index, of }: StatedShard) -> Result<Self, String> {
        if (1..=of).contains(&index) && of <= MOST {
            Ok(Self { index, of })
        } else {
            Err("use I/N: shard I of N, from 1/N to N/N".to_owned())
        }
    }
}

impl Shard {
    /// Whether it has the program with this number, from 0.
    #[must_use]
    pub const fn has(self, program: usize) -> bool {
        program % self.of as usize == self.index as usize - 1
    }

    /// Whether it has what belongs to no program.
    #[must_use]
    pub const fn is_first(self) -> bool {
        self.index == 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let (index, of) = numbers.unwrap_or_default();
        StatedShard { index, of }.try_into()
    }
}

/// Part of a shard's document that [`merge`] needs. Paths are as reports show them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardPart {
    pub shard: Shard,
    /// Version of the tool.
    pub version: String,
    /// Names of all programs of the check, in order: those of the other shards as well.
    pub programs: Vec<String>,
    /// Digest of the settings that the verdicts depend on.
    pub settings: String,
    /// Folder that paths are relative to.
    pub root: String,
    /// Sources that were analysed completely.
    pub files: Vec<String>,
    /// Mistakes in settings, if no program of another shard mends them: one line each.
    pub unmatched: BTreeSet<String>,
    /// Mistakes in contracts, as they are shown.
    pub faults: BTreeSet<String>,
    pub found: RunFindings,
}

impl ShardPart {
    /// Shows all paths as reports do.
    #[must_use]
    pub fn shown(mut self, root: &ProjectRoot) -> Self {
        let show = |file: &mut String| *file = root.show(file);
        let found = &mut self.found;
        for program in &mut found.programs {
            let findings = std::mem::take(&mut program.findings);
            program.findings = findings.into_iter().map(|f| shown(f, &program.name, root)).collect();
            for u in &mut program.undecided {
                show(&mut u.position.file);
                u.related.iter_mut().for_each(|r| show(&mut r.position.file));
            }
            program.places.iter_mut().for_each(|p| show(&mut p.position.file));
            program.kernels.iter_mut().for_each(|k| show(&mut k.position.file));
        }
        let of_units = found.units.values_mut();
        let units = of_units.flat_map(|u| u.not_analysed.iter_mut().map(|n| &mut n.file).chain(&mut u.built_without));
        let rest = found.not_analysed.iter_mut().map(|n| &mut n.file).chain(&mut found.built_without);
        units.chain(rest).chain(&mut self.files).for_each(show);
        found.excluded = found.excluded.iter().map(|f| root.show(f)).collect();
        let differences = found.second.iter_mut().flat_map(|s| &mut s.list);
        differences.for_each(|d| show(&mut d.position.file));
        self
    }
}

/// Findings of all shards together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedShards {
    pub found: RunFindings,
    /// Folder that paths are relative to, where the first shard ran.
    pub root: String,
    /// Mistakes in settings: one line each.
    pub unmatched: Vec<String>,
    /// Mistakes in contracts, as they are shown.
    pub faults: BTreeSet<String>,
}

/// Merges the parts of all shards, each with the name of its document.
///
/// # Errors
/// If they are not the shards of one check, each once. The message names the document.
pub fn merge(parts: Vec<(String, ShardPart)>) -> Result<MergedShards, String> {
    let mut by_index: BTreeMap<u32, (String, ShardPart)> = BTreeMap::new();
    for (name, part) in parts {
        if let Some((first, one)) = by_index.values().next() {
            let same = [
                (one.shard.of == part.shard.of, "divides its check into another number of shards"),
                (one.version == part.version, "was made by another version of scuba"),
                (one.programs == part.programs, "is of a check with other programs"),
                (one.settings == part.settings, "was made with other settings"),
            ];
            if let Some((_, how)) = same.into_iter().find(|(is_same, _)| !is_same) {
                return Err(format!("{name} {how} than {first}"));
            }
        }
        if let Some((other, again)) = by_index.insert(part.shard.index, (name.clone(), part)) {
            return Err(format!("{other} and {name} are both shard {}: name each once", again.shard));
        }
    }
    let Some((_, first)) = by_index.values().next() else {
        return Err("name the documents of all shards".to_owned());
    };
    let of = first.shard.of;
    let missing: Vec<u32> = (1..=of).filter(|i| !by_index.contains_key(i)).collect();
    if let Some(first) = missing.first() {
        let named: Vec<String> = missing.iter().take(MOST_NAMED).map(|i| format!("{i}/{of}")).collect();
        let more = match missing.len() - named.len() {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        return Err(format!(
            "no document of shard {}{more}: `scuba check --shard {first}/{of}` makes it",
            named.join(", ")
        ));
    }
    let mut merged = MergedShards { root: first.root.clone(), ..MergedShards::default() };
    let mut unmatched: Option<BTreeSet<String>> = None;
    let (mut files, mut limits) = (BTreeSet::new(), BTreeSet::new());
    for (_, (name, part)) in by_index {
        let is_own = |p: &ProgramFindings| part.shard.has(p.number) && part.programs.get(p.number) == Some(&p.name);
        if !part.found.programs.iter().all(is_own) {
            return Err(format!("{name} has programs of another shard"));
        }
        // A mistake counts where no shard has the function.
        unmatched = Some(match unmatched {
            Some(known) => known.intersection(&part.unmatched).cloned().collect(),
            None => part.unmatched,
        });
        merged.faults.extend(part.faults);
        let RunFindings {
            programs,
            units,
            not_analysed,
            built_without,
            unseen,
            excluded,
            second,
            limits_reached,
            seconds,
            files: _,
        } = part.found;
        let found = &mut merged.found;
        found.programs.extend(programs);
        found.units.extend(units);
        found.not_analysed.extend(not_analysed);
        found.built_without.extend(built_without);
        found.unseen.extend(unseen);
        found.excluded.extend(excluded);
        found.second.extend(second);
        found.seconds += seconds;
        limits.extend(limits_reached);
        files.extend(part.files);
    }
    // The first of equal findings remains.
    merged.found.programs.sort_by_key(|p| p.number);
    merged.found.files = files.into_iter().collect();
    merged.found.limits_reached = limits.into_iter().collect();
    merged.unmatched = unmatched.unwrap_or_default().into_iter().collect();
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::{Shard, ShardPart, merge};
    use serde_json::json;

    #[test]
    fn documents_have_shards_that_there_may_be() {
        for (index, of) in [(0, 1), (2, 1), (1, 0), (0, 0), (1, u32::MAX), (u32::MAX, u32::MAX)] {
            let shard = serde_json::from_value::<Shard>(json!({"index": index, "of": of}));
            assert!(shard.is_err(), "{shard:?}");
            assert!(format!("{index}/{of}").parse::<Shard>().is_err());
        }
        let shard: Shard = serde_json::from_value(json!({"index": 2, "of": 3})).unwrap();
        assert_eq!(shard, Shard { index: 2, of: 3 });
    }

    #[test]
    fn many_missing_shards_are_not_all_named() {
        let part: ShardPart = serde_json::from_value(json!({
            "shard": {"index": 1, "of": 100_000}, "version": "0", "programs": [], "settings": "", "root": "/", "files": [],
            "unmatched": [], "faults": [], "found": {
                "programs": [], "units": {}, "not_analysed": [], "built_without": [], "unseen": [], "excluded": [], "second": [],
                "limits_reached": [], "seconds": 0.0, "files": [],
            },
        }))
        .unwrap();
        let message = merge(vec![("a.json".into(), part)]).unwrap_err();
        assert!(
            message.starts_with("no document of shard 2/100000, 3/100000, ")
                && message.contains("4/100000, and 99996 more: "),
            "{message}"
        );
        assert!(message.len() < 200, "{message}");
    }
}
