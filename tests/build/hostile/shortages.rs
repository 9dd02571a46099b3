//! Too few processes, threads, file descriptors, or too little memory.

use super::{Faults, SAFE, Site};
use crate::support::run;

const EAGAIN: i32 = 11;
const EMFILE: i32 = 24;

/// Where the shim cannot have a thread, a process or a pipe, nvcc is run without the analysis.
#[test]
fn whatever_the_shim_lacks_nvcc_builds() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    for (call, errno, at_least) in [("thread", EAGAIN, 5), ("fork", EAGAIN, 2), ("pipe", EMFILE, 2)] {
        let calls = faults.each("scuba-nvcc", call, errno, |inject| {
            let mut command = site.compilation();
            inject(&mut command);
            let line = site.compiles(&mut command);
            assert!(line.is_empty() || line.starts_with("scuba: note: a.cu was not analysed: "), "{call}: {line}");
        });
        assert!(calls >= at_least, "{call}: {calls}");
    }
}

/// With `SCUBA_STRICT` such a build fails, and says why.
#[test]
fn a_strict_build_does_not_go_on_without_the_analysis() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    let mut built = 0;
    faults.each("scuba-nvcc", "thread", EAGAIN, |inject| {
        let mut command = site.compilation();
        inject(&mut command);
        let output = run(command.env("SCUBA_STRICT", "1"));
        let status = output.status.code();
        if output.err().is_empty() {
            built += 1;
            assert_eq!(status, Some(0));
        } else {
            assert_eq!((status, output.err().lines().count()), (Some(2), 1), "{}", output.err());
            assert!(!site.project().join("a.o").exists());
        }
    });
    assert_eq!(built, 1, "the run without a fault");
}
