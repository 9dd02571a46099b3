//! The code `replay`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "replay",
    decides: "state what excludes the example (`if`, `assert`, `[[assume]]`), or run the program under Compute Sanitizer",
    decides_named: None,
    page: r#"# replay: a counterexample was not confirmed

There is an example in which the access goes out of bounds, but the replay of the program with these
inputs did not reach it. Either the program cannot have that example, for a reason that the analysis
did not follow, or the replay could not follow the program.

## Example

```cuda
#include <csignal>
#include <cstdlib>
__global__ void clear(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 0; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  if (n > 64) raise(SIGUSR1);          // no replay follows what a signal does
  clear<<<1, 1>>>(x, n);
  cudaDeviceSynchronize();
}
```

What a signal does is not followed: the replay stops at `raise`.

## What decides it

The reason says how the replay ended. A check that excludes the example decides it:

```cuda
  if (n > 64) return 1;
  clear<<<1, 1>>>(x, n);
```

What no check says, `[[assume]]` in scuba.toml can state; what then counts as safe does so under
that assumption. Without either, test the program under Compute Sanitizer.
"#,
};
