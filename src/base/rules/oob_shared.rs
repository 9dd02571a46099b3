//! The rule `oob-shared`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "oob-shared",
    level: Level::Deny,
    weakness: Weakness { cwe: &[787, 125], severity: "7.5" },
    reports: "an access outside an array in shared memory",
    help: Help::Index,
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# oob-shared: access outside a shared memory array

A kernel indexes a `__shared__` array, or the dynamic shared memory of its launch, before its start
or beyond its end.

## Why it matters

Shared arrays of a block lie next to each other. An index that is one too large writes into the
neighbouring array of the same block: no trap, no message, a wrong result that depends on the order
in which warps run. Compute Sanitizer does not see it, since the address is valid shared memory.

## Wrong

```cuda
__global__ void smooth(const float *in, float *out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  // thread 255 reads tile[256]
  out[blockIdx.x * 256 + threadIdx.x] = 0.5f * (tile[threadIdx.x] + tile[threadIdx.x + 1]);
}
```

## Right

```cuda
  int right = min(threadIdx.x + 1, 255);
  out[blockIdx.x * 256 + threadIdx.x] = 0.5f * (tile[threadIdx.x] + tile[right]);
```

For dynamic shared memory compare the third launch argument (bytes, not elements) with the largest
index: `kernel<<<grid, block, n * sizeof(float)>>>`.

## Silencing

`// scuba: allow(oob-shared) reason` on the line or the line above, `[[allow]]` by path or
`oob-shared = "warn"` under `[levels]` in scuba.toml, `-A oob-shared` on the command line.
"#,
};
