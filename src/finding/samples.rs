//! A finding for the tests of this and other crates.

use crate::counts::{CountedKernel, CountedPlace, PlaceClass};
use crate::steps::{Step, StepKind};
use crate::{
    Access, Allocation, Direction, Finding, Launch, MemorySpace, MissingCheck, Position, Replay, RunInputs,
    TensorArgument, Verdict, Witness, WitnessInput,
};
use base::rules::{Level, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a proved `oob-global` of the program in [`SCALE`].
pub fn finding() -> Finding {
    Finding {
        fingerprint: String::new(),
        rule: Rule::OobGlobal,
        level: Level::Deny,
        verdict: Verdict::Proved,
        degenerate: false,
        occurrences: 1,
        program: "app".into(),
        root: "main".into(),
        message: "write of `a` beyond its allocation".into(),
        access: Access {
            position: Position { file: "/project/scale.cu".into(), line: 5, column: 3 },
            kernel: "scale(float*, int)".into(),
            array: "a".into(),
            partition: None,
            direction: Direction::Write,
            space: MemorySpace::Global,
            index: "blockIdx.x * 256 + threadIdx.x".into(),
            bytes: 4,
        },
        allocation: Some(Allocation { file: "/project/scale.cu".into(), line: 11, column: 3, extent: "4 * n".into() }),
        launch: Some(Launch {
            file: "/project/scale.cu".into(),
            line: 12,
            column: 3,
            grid: "((n + 255) / 256, 1, 1)".into(),
            block: "(256, 1, 1)".into(),
            shared: "0".into(),
        }),
        related: vec![],
        witness: Some(Witness {
            inputs: vec![WitnessInput { name: "argv[1]".into(), value: "\"1\"".into() }],
            run: RunInputs { argv: vec!["1".into()], ..RunInputs::default() },
            grid: [1, 1, 1],
            block: [0, 0, 0],
            thread: [1, 0, 0],
            offset_bytes: 4,
            extent_bytes: 4,
            replay: Replay::Reached,
            sites: None,
        }),
        confirmation: None,
        steps: steps(),
        confirmation_not_run: None,
        assumptions: vec![],
        unknowns: vec![],
        arguments: Default::default(),
        missing_check: None,
        architecture: None,
        fix: None,
    }
}

/// Returns the steps of [`finding`].
fn steps() -> Vec<Step> {
    let at = |line| Position { file: "/project/scale.cu".into(), line, column: 3 };
    vec![
        Step::new(StepKind::Input, "argv[1] is \"1\"").with_value(Some("\"1\"")),
        Step::new(StepKind::Size, "`n` is 1").with_value(Some(1)).at(at(9)),
        Step::new(StepKind::Allocation, "`a` is allocated: `4 * n` = 4 bytes").with_value(Some(4)).at(at(11)),
        Step::new(StepKind::Launch, "`scale` is launched: grid `((n + 255) / 256, 1, 1)` = 1, block 256")
            .with_value(Some("grid (1, 1, 1), block (256, 1, 1)"))
            .at(at(12)),
        Step::new(StepKind::Thread, "thread (1, 0, 0) of block (0, 0, 0) runs `scale`"),
        Step::new(StepKind::Index, "`blockIdx.x * 256 + threadIdx.x` is 1").with_value(Some(1)).at(at(5)),
        Step::new(StepKind::Offset, "it writes bytes 4 to 7 of `a`, which has 4 bytes").with_value(Some(4)).at(at(5)),
    ]
}

/// Returns the given number of places of each class, one on each line.
pub fn places(classes: &[(usize, PlaceClass)]) -> Vec<CountedPlace> {
    let each = classes.iter().flat_map(|&(times, class)| std::iter::repeat_n(class, times));
    (1..)
        .zip(each)
        .map(|(line, class)| CountedPlace {
            position: Position { file: "/project/scale.cu".into(), line, column: 3 },
            array: "a".into(),
            class,
            kernel: "scale(float*, int)".into(),
        })
        .collect()
}

/// Returns this number of kernels.
pub fn kernels(count: u32) -> Vec<CountedKernel> {
    let at = |line| Position { file: "/project/scale.cu".into(), line, column: 1 };
    (1..=count).map(|line| CountedKernel { position: at(line), name: format!("k{line}()") }).collect()
}

/// The program of [`finding`].
pub const SCALE: &str = "\
#include <cstdlib>

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  a[i] *= 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
";

/// Returns a check that an operator lacks, at the position of a finding.
#[must_use]
pub fn check(f: &Finding, condition: &str) -> MissingCheck {
    MissingCheck {
        condition: condition.into(),
        function: f.access.position.clone(),
        stable: false,
        contract: false,
        carriers: BTreeMap::new(),
        narrow: BTreeSet::new(),
        wide: BTreeSet::new(),
        unsigned: BTreeSet::new(),
    }
}

/// Returns a tensor argument of two elements.
#[must_use]
pub fn tensor() -> TensorArgument {
    TensorArgument {
        dtype: "float32".into(),
        sizes: vec![2],
        strides: vec![1],
        on_device: true,
        elements: BTreeMap::new(),
    }
}
