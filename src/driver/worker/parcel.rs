//! Report of one program's check in transport: to another process, or to a later one through the cache.

use check::ProgramReport;
use finding::Sites;
use serde::{Deserialize, Serialize};

/// Report with the parts that its own document omits.
#[derive(Serialize, Deserialize)]
pub struct Parcel {
    report: ProgramReport,
    /// Sites of each finding's witness, which a finding's own document omits.
    sites: Vec<Option<Sites>>,
}

impl Parcel {
    #[must_use]
    pub fn of(report: ProgramReport) -> Self {
        let sites = report.findings.iter().map(|f| f.witness.as_ref().and_then(|w| w.sites.clone())).collect();
        Self { report, sites }
    }

    /// Unpacks the report; `None` if the numbers of findings and sites differ.
    #[must_use]
    pub fn open(self) -> Option<ProgramReport> {
        let Self { mut report, sites } = self;
        if sites.len() != report.findings.len() {
            return None;
        }
        for (finding, sites) in report.findings.iter_mut().zip(sites) {
            if let Some(witness) = &mut finding.witness {
                witness.sites = sites;
            }
        }
        Some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::Parcel;
    use check::ProgramReport;
    use finding::Sites;
    use finding::samples::finding;

    #[test]
    fn a_report_comes_back_with_the_sites_of_its_witnesses() {
        let sites = Sites { root: [0, 1], access: [1, 2, 3, 4], callers: vec![[1, 0, 0, 9]], launch: None, part: None };
        let mut found = finding();
        if let Some(witness) = &mut found.witness {
            witness.sites = Some(sites);
        }
        let report =
            ProgramReport { findings: vec![found, finding()], notes: vec!["n".into()], ..ProgramReport::default() };
        let text = serde_json::to_string(&Parcel::of(report.clone())).unwrap();
        let back = serde_json::from_str::<Parcel>(&text).unwrap().open().unwrap();
        assert_eq!((back.findings, back.notes), (report.findings, report.notes));
        let mut short = serde_json::from_str::<Parcel>(&text).unwrap();
        short.sites.pop();
        assert!(short.open().is_none());
    }
}
