//! The rule `oob-local`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "oob-local",
    level: Level::Deny,
    weakness: Weakness { cwe: &[787, 125], severity: "8.1" },
    reports: "an access outside a local array of device code",
    help: Help::Index,
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# oob-local: access outside a local array

A kernel indexes an array of its own (a variable of one thread) before its start or beyond its end.

## Why it matters

Local arrays live in registers or in the thread's stack. An index outside reads or overwrites other
variables of the same thread. What happens depends on the compiler's choices: at another
optimisation level the bug moves or hides. Compute Sanitizer sees such an access only when it leaves
the thread's whole stack frame, and nothing at all when the array was kept in registers.

## Wrong

```cuda
__global__ void histogram(const int *in, int *out, int bins) {
  int count[16];
  for (int b = 0; b < bins; ++b) count[b] = 0;   // bins is the program's argument
  ...
}
```

## Right

```cuda
constexpr int max_bins = 16;
__global__ void histogram(const int *in, int *out, int bins) {
  int count[max_bins];
  for (int b = 0; b < min(bins, max_bins); ++b) count[b] = 0;
  ...
}
```

Rejecting `bins > 16` on the host before the launch is as good.

## Silencing

`// scuba: allow(oob-local) reason` on the line or the line above, `[[allow]]` by path or
`oob-local = "warn"` under `[levels]` in scuba.toml, `-A oob-local` on the command line.
"#,
};
