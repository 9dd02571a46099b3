//! The rule `contract`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "contract",
    level: Level::Deny,
    weakness: Weakness { cwe: &[628], severity: "5.3" },
    reports: "a call or launch that breaks the contract of what it calls",
    help: Help::Text("check that `{array}` before the call, or reject such inputs"),
    confirmation: GpuConfirmation {
        sanitizer: false,
        not_alone: Some("it is not an access: the function's use of it is another finding"),
        ..GpuConfirmation::SANITIZER
    },
    page: r#"# contract: a call or a launch that breaks the contract of what it calls

A contract says what must hold when a function is called: `[[contract]]` in scuba.toml, or
`SCUBA_REQUIRES` and its kin of scuba.h. A known caller calls it, or launches it, so that the
contract does not hold. Denied unless configured otherwise.

## Why it matters

The function is written for callers that keep to its contract, and is checked as if they did. Who
does not sends it out of bounds, today or as soon as it uses what it is promised.

## Wrong

```toml
[[contract]]
function = "scale"
requires = ["elements(x) >= n"]
```

```cuda
float *x;
cudaMalloc(&x, n);              // bytes, not elements
scale<<<(n + 255) / 256, 256>>>(x, n);
```

## Right

```cuda
cudaMalloc(&x, n * sizeof *x);
```

Where the contract asks for more than the function needs, ask for less: `scuba contracts` says what
it needs.

## Silencing

`// scuba: allow(contract) reason` on the line or the line above, `[[allow]]` by path or
`contract = "allow"` under `[levels]` in scuba.toml, `-A contract` on the command line.
"#,
};
