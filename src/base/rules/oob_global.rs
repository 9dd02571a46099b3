//! The rule `oob-global`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "oob-global",
    level: Level::Deny,
    weakness: Weakness { cwe: &[787, 125], severity: "8.1" },
    reports: "an access outside an allocation in device memory",
    help: Help::Index,
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# oob-global: access outside an allocation in device memory

A kernel reads or writes device memory before the start or beyond the end of the allocation that
its pointer belongs to: memory from `cudaMalloc` and its relatives, or a `__device__` array.

## Why it matters

A GPU has no guard pages between allocations, and `cudaMalloc` hands them out side by side, rounded
up to 512 bytes. A write a few elements too far usually changes another array and nobody notices;
the same code fails on another card, driver or problem size. Where it does trap, the whole context
is lost: every later CUDA call fails with `cudaErrorIllegalAddress`, far from the cause.

## Wrong

```cuda
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] *= 2.0f;                       // the last block has threads with i >= n
}
...
cudaMalloc(&a, n * sizeof(float));
scale<<<(n + 255) / 256, 256>>>(a, n);
```

## Right

```cuda
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2.0f;
}
```

If only multiples of the block size are legal, say so where the program reads its input
(`if (n % 256) return 1;`), with `assert(n % 256 == 0)`, or under `[[assume]]` in scuba.toml.

## Silencing

`// scuba: allow(oob-global) reason` on the line or the line above, `[[allow]]` by path or
`oob-global = "warn"` under `[levels]` in scuba.toml, `-A oob-global` on the command line.
"#,
};
