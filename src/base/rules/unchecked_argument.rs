//! The rule `unchecked-argument`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "unchecked-argument",
    level: Level::Warn,
    weakness: Weakness { cwe: &[1284], severity: "6.5" },
    reports: "arguments that every check of an entry point accepts and that lead out of bounds",
    help: Help::Index,
    confirmation: GpuConfirmation::SANITIZER,
    page: r#"# unchecked-argument: an operator goes out of bounds for arguments that its checks accept

An entry point (an operator that is registered with PyTorch, or a function named under `[entry]`)
is called by code outside the build, with anything that its own checks let through. They let
through arguments that do not fit together: one decides how far it goes, another is accessed and
is shorter, or has another rank or layout than the code takes for granted. Warned of unless
configured otherwise.

## Why it matters

Callers find out in production: memory of others is read or written, without an error where an
allocator keeps blocks in reserve, as PyTorch's does.

## Wrong

```cuda
at::Tensor scale(at::Tensor x, at::Tensor w) {  // x: float32[4, 8], w: float32[7]
  auto y = at::empty_like(x);
  scale_kernel<<<x.size(0), x.size(1)>>>(y.data_ptr<float>(), x.data_ptr<float>(),
                                         w.data_ptr<float>());
  return y;
}
```

## Right

```cuda
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous(), "x must be a contiguous matrix");
  TORCH_CHECK(w.dim() == 1 && w.is_contiguous() && w.size(0) == x.size(1), "w must fit x");
```

Where callers keep to it and nobody else calls the function, say so in a `[[contract]]`.

No code can check how long the memory behind a raw pointer is. An entry point that is given some
(`op(float *x, int n)`) warns once, *possible*, and the help is the `[[contract]]` that states what
its callers owe (`elements(x) >= n`). With the contract these accesses are decided.

## Silencing

`// scuba: allow(unchecked-argument) reason` on the line or the line above, `[[allow]]` by path or
`unchecked-argument = "allow"` under `[levels]` in scuba.toml, `-A unchecked-argument` on the
command line.
"#,
};
