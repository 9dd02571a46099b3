//! The code `no-launch`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "no-launch",
    decides: "`scuba contracts {file}` says what its callers owe; a source that launches the kernel decides it",
    decides_named: None,
    page: r#"# no-launch: no launch of the kernel is known

Nothing that was read launches this kernel, so that its arguments and the numbers of its threads may
be anything. What is safe whatever they are counts as safe.

## Example

```cuda
__device__ float table[64];
__global__ void put(int at) { table[at] = 1; }   // which numbers is it launched with?
```

The kernel may be launched with any `at`.

## What decides it

The source that launches it, as one more file of the check. For a library `scuba contracts FILE`
says what callers owe, and a `[[contract]]` states it. A check in the kernel decides it for all
launches:

```cuda
__global__ void put(int at) { if (at >= 0 && at < 64) table[at] = 1; }
```
"#,
};
