//! The rule `false-assumption`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "false-assumption",
    level: Level::Deny,
    weakness: Weakness { cwe: &[758], severity: "5.3" },
    reports: "a launch that makes a claim of its kernel false (`__builtin_assume`, a removed `assert`)",
    help: Help::Text("check the kernel's claim on the host, or weaken the claim"),
    confirmation: GpuConfirmation {
        sanitizer: false,
        not_alone: Some("it is not an access: the compiler may translate it into anything"),
        ..GpuConfirmation::SANITIZER
    },
    page: r#"# false-assumption: a claim of a kernel that a launch of it breaks

`__builtin_assume(c)`, `__assume(c)`, `[[assume(c)]]` or a branch to `__builtin_unreachable()` says
that something always holds, and a known launch makes it false. Denied unless configured otherwise.

## Why it matters

Nobody checks such a claim, and the compiler builds on it: it removes guards, widens loads, and
unrolls loops without their remainders. Where the claim is false the program may do anything, and
what it does changes with each version of the compiler.

## Wrong

```cuda
__global__ void scale(float *a, int n) {
  __builtin_assume(n % 4 == 0);
  ...
}
scale<<<1, 128>>>(a, atoi(argv[1]));   // any number
```

## Right

```cuda
if (n % 4 != 0) { fprintf(stderr, "n must be a multiple of 4\n"); return 1; }
scale<<<1, 128>>>(a, n);
```

What is safe only because of a claim counts as `safe_assuming`; `scuba check -v` names these places
and the claims that they rest on.

## Silencing

`// scuba: allow(false-assumption) reason` on the line or the line above, `[[allow]]` by path or
`false-assumption = "allow"` under `[levels]` in scuba.toml, `-A false-assumption` on the command
line.
"#,
};
