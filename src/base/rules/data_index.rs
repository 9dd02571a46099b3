//! The rule `data-index`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "data-index",
    level: Level::Warn,
    weakness: Weakness { cwe: &[129], severity: "6.5" },
    reports: "an access out of bounds whose index comes from data that nobody checked",
    help: Help::Index,
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# data-index: index read from data that nobody checked

An index comes out of a buffer whose contents come from outside the program (a file, the network,
another library), and nothing compares it with the size of the array it goes into. A warning unless
configured otherwise.

## Why it matters

Well-formed input is fine; one damaged or hostile file makes every thread read and write wherever
the file says. Graph formats, sparse matrices, particle lists and tokenised text are typical.

## Wrong

```cuda
__global__ void push(const int *neighbour, float *rank, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) atomicAdd(&rank[neighbour[e]], 1.0f);   // neighbour[] was read from a file
}
```

## Right

```cuda
for (int e = 0; e < edges; ++e)                   // on the host, once, after reading
  if (neighbour[e] < 0 || neighbour[e] >= nodes) { fprintf(stderr, "bad edge %d\n", e); return 1; }
```

A check in the kernel, `if (v >= 0 && v < nodes)`, does as well. Contents that the program computes
itself (`rand() % n`, a fill loop) are facts and are not reported.

## Silencing

`// scuba: allow(data-index) reason` on the line or the line above, `[[allow]]` by path or
`data-index = "allow"` under `[levels]` in scuba.toml, `-A data-index` on the command line. To let
it fail the build: `-D data-index`.
"#,
};
