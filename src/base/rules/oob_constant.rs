//! The rule `oob-constant`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "oob-constant",
    level: Level::Deny,
    weakness: Weakness { cwe: &[125], severity: "6.5" },
    reports: "an access outside an array in constant memory",
    help: Help::Index,
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# oob-constant: access outside a constant memory array

A kernel reads a `__constant__` array before its start or beyond its end.

## Why it matters

All `__constant__` variables of a module share one 64 KiB bank. An index outside reads a neighbour,
or zeros behind the last one: a filter with a coefficient too many is slightly wrong, silently.

## Wrong

```cuda
__constant__ float c_weight[9];
__global__ void filter(const float *in, float *out, int radius) {
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += c_weight[radius + k] * in[threadIdx.x + k + radius];   // radius > 4 leaves c_weight
  out[threadIdx.x] = sum;
}
```

## Right

```cuda
constexpr int max_radius = 4;
__constant__ float c_weight[2 * max_radius + 1];
...
if (radius > max_radius) return 1;      // on the host, before the launch
```

## Silencing

`// scuba: allow(oob-constant) reason` on the line or the line above, `[[allow]]` by path or
`oob-constant = "warn"` under `[levels]` in scuba.toml, `-A oob-constant` on the command line.
"#,
};
