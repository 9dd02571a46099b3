//! Numbers of `__float128` in kernels: what `quadruple.cu` states of its lines is what is said of them, and nothing else.

use super::{Project, Said};
use scuba::finding::Report;

const SOURCE: &str = include_str!("quadruple.cu");

/// The lines of the source that state this.
fn stated(what: &str) -> Vec<u32> {
    (1u32..).zip(SOURCE.lines()).filter(|(_, l)| l.ends_with(&format!("//~ {what}"))).map(|(n, _)| n).collect()
}

#[test]
fn values_of_128_bits_are_unknown_and_accesses_are_judged() {
    let p = Project::new();
    p.write("k.cu", SOURCE);
    let mut c = p.command();
    c.args(["check", "k.cu", "--message-format", "json", "--", "-arch=sm_100"]);
    let said = Said::from(c.output().unwrap());
    let r: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    let found: Vec<u32> = r.findings.iter().map(|f| f.access.position.line).collect();
    let mut open: Vec<u32> = r.undecided.iter().map(|u| u.position.line).collect();
    open.sort_unstable();
    assert_eq!((found, open), (stated("proved"), stated("undecided")), "{said:?}");
    assert_eq!((r.summary.proved, r.summary.safe), (3, 7), "{said:?}");
}
