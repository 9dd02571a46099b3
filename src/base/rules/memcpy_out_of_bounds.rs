//! The rule `memcpy-out-of-bounds`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "memcpy-out-of-bounds",
    level: Level::Deny,
    weakness: Weakness { cwe: &[787, 125], severity: "8.1" },
    reports: "a copy or fill of the host beyond an allocation",
    help: Help::Text("copy at most as many bytes as the smaller side has"),
    confirmation: GpuConfirmation { arguments: true, ..GpuConfirmation::SANITIZER },
    page: r#"# memcpy-out-of-bounds: copy or fill beyond an allocation

A `cudaMemcpy`, `cudaMemset`, copy to or from a symbol, or one of their asynchronous or
two-dimensional forms touches more bytes than the source or the destination has.

## Why it matters

The size of a copy is in bytes while arrays are thought of in elements, and source, destination and
size are written in different places. Between device allocations the runtime often does not notice;
on the host side the heap is damaged or read past its end.

## Wrong

```cuda
float *h = (float *)malloc(n);                 // bytes, meant n floats
cudaMalloc(&d, n * sizeof(float));
cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
```

## Right

```cuda
std::vector<float> h(n);
cudaMalloc(&d, h.size() * sizeof h[0]);
cudaMemcpy(d, h.data(), h.size() * sizeof h[0], cudaMemcpyHostToDevice);
```

For `cudaMemcpy2D` the last row counts `width` bytes, every other row `pitch`.

## Silencing

`// scuba: allow(memcpy-out-of-bounds) reason` on the line of the call or the line above,
`[[allow]]` by path or `memcpy-out-of-bounds = "warn"` under `[levels]` in scuba.toml,
`-A memcpy-out-of-bounds` on the command line.
"#,
};
