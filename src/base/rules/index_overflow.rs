//! The rule `index-overflow`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "index-overflow",
    level: Level::Warn,
    weakness: Weakness { cwe: &[190], severity: "6.5" },
    reports: "an integer operation that wraps so that an access leaves its allocation",
    help: Help::Text("compute the index in 64 bits: cast the first operand to `size_t`"),
    confirmation: GpuConfirmation::BOUNDS,
    page: r#"# index-overflow: index arithmetic that wraps around

The index, or the size of a buffer, is right as a formula, but the machine computes it in 32 bits
(or fewer), and for large inputs it wraps: the access goes far outside. A warning unless configured
otherwise.

## Why it matters

Memory of today's cards holds more than 2^31 elements. `row * width + column` with `int` operands
becomes negative at 46341 x 46341; `blockIdx.x * blockDim.x` is unsigned and starts again at 0. No
small test ever shows it.

## Wrong

```cuda
__global__ void clear(float *image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) image[y * width + x] = 0;
}
```

## Right

```cuda
  if (x < width && y < height) image[(size_t)y * width + x] = 0;
```

The cast belongs on the first operand: `(size_t)(y * width)` has wrapped already.

The host's arithmetic counts as well:

```cuda
  int n = rows * cols;                        // 65536 x 65537 wraps to 65536
  cudaMalloc(&image, n * sizeof(float));      // far too small
```

`(size_t)rows * cols` is right, and so is a test that refuses such sizes.

One finding speaks for all accesses behind an operation; it names the operation, what it gives and
what that wraps to, and the inputs. It is *proved* where a replay reached the access in the
machine's own arithmetic, *possible* where the replay was cut short (the program fills more memory
than a replay may) and says why. A multiplication that wraps without an access going wrong is not
reported, nor what takes more threads in one dimension than an `int` can count, nor sizes that no
device holds. What is not reported and rests on an operation that could wrap is counted as safe
unless an index wraps.

## Silencing

`// scuba: allow(index-overflow) reason` on the line or the line above, `[[allow]]` by path or
`index-overflow = "allow"` under `[levels]` in scuba.toml, `-A index-overflow` on the command line.
If large sizes never happen, reject them where the program reads its input, or state it under
`[[assume]]`. To let it fail the build: `-D index-overflow`.
"#,
};
