//! The code `text`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "text",
    decides: "read the number as a whole (`atoi(argv[1])`), or check it (`if`, `assert`)",
    decides_named: None,
    page: r#"# text: the characters of a string decide it

A size comes from a string whose characters are not followed: a part of an argument, a file's name,
text that the program writes and reads again. Numbers that are a whole argument or option are
followed.

## Example

```cuda
#include <cstdlib>
#include <string>
__global__ void clear(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 0; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  std::string s = argv[1];
  int n = std::stoi(s.substr(s.find('=') + 1));   // the number in "n=64"
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  clear<<<1, 1>>>(x, n);
  cudaDeviceSynchronize();
}
```

The number is a part of the argument.

## What decides it

A check of the number:

```cuda
  if (n > 64) return 1;
  clear<<<1, 1>>>(x, n);
```

Or a number that is an argument of its own: `atoi(argv[1])`, `getopt`.
"#,
};
