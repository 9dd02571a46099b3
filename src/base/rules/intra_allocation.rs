//! The rule `intra-allocation`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "intra-allocation",
    level: Level::Deny,
    weakness: Weakness { cwe: &[787, 125], severity: "6.5" },
    reports: "an access that leaves the part of an allocation that a named pointer cut off, and stays in the allocation",
    help: Help::Text("keep the index inside the part that `{array}` names, or enlarge that part"),
    confirmation: GpuConfirmation { sanitizer: false, place: " of its part", ..GpuConfirmation::BOUNDS },
    page: r#"# intra-allocation: access from one part of an allocation into another

A program cuts one allocation (most often dynamic shared memory) into named parts. The access stays
inside the allocation but leaves the part that its pointer names, and lands in another named part.

## Why it matters

The address is valid, so no hardware and no sanitizer reports it; the neighbouring array is quietly
overwritten. This is the usual bug of kernels that carve `extern __shared__` memory by hand.

## Wrong

```cuda
extern __shared__ float smem[];
float *s_out = smem;                 // n elements
float *s_coef = s_out + n;           // the rest
s_out[threadIdx.x + 1] = x;          // thread n - 1 writes s_coef[0]
```

## Right

```cuda
extern __shared__ float smem[];
float *s_out = smem;                 // n + 1 elements: one for the halo
float *s_coef = s_out + n + 1;
s_out[threadIdx.x + 1] = x;
```

Clearing everything through the base pointer (`smem[i] = 0`) is not reported. A finding is proved
only if each pointer is assigned once and nothing suggests that reaching across is meant; a pointer
moved into the middle of its part on purpose (`s = buf + R; s[tx - R]`) is at most possible.

## Silencing

`// scuba: allow(intra-allocation) reason` on the line or the line above, `[[allow]]` by path or
`intra-allocation = "warn"` under `[levels]` in scuba.toml, `-A intra-allocation` on the command
line.
"#,
};
