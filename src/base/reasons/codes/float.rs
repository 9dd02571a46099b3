//! The code `float`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "float",
    decides: "compute sizes and indices in integers, or check the result (`if`, `assert`)",
    decides_named: None,
    page: r#"# float: a floating-point number decides it

The index, a size or a condition depends on floating-point arithmetic whose result is not exact:
rounding, functions such as `sin`, or operations that a compiler may join.

## Example

```cuda
__global__ void put(float *x, int at) { x[at] = 1; }
int main(int argc, char **argv) {
  double a = argc * 0.1, b = a * a;
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  put<<<1, 1>>>(x, a * a - b != 0 ? 64 : 0);   // is a * a rounded before b is subtracted?
  cudaDeviceSynchronize();
}
```

nvcc and the host compiler may compute `a * a - b` with one rounding or with two.

## What decides it

Integers where sizes and indices are meant. Or a check of the result:

```cuda
  int at = a * a - b != 0 ? 64 : 0;
  if (at < 64) put<<<1, 1>>>(x, at);
```

In an operator of PyTorch the number is often an element of a tensor of floats, such as the batch
of a box. Convert it once, and check the integer before it is an index:

```cuda
  int b = int(boxes[5 * i]);
  if (b >= 0 && b < batches) y[i] = x[b];
```
"#,
};
