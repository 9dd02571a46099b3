//! The code `tile`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "tile",
    decides: "run the program under Compute Sanitizer: accesses of tile kernels are not decided yet",
    decides_named: None,
    page: r#"# tile: the access is in a tile kernel

Tile kernels (nvcc 13.3, `-enable-tile`) have no threads: one statement loads or stores a whole
tile, and the compiler decides how. Their accesses are found, but not decided.

## Example

```cuda
__tile_global__ void add(const int *a, int *to) {
  auto at = ct::iota<ct::tile<int, 16>>();
  ct::store(to + at, ct::load(a + at));   // two undecided accesses
}
```

Kernels of threads in the same program are judged as ever.

## What decides it

Nothing yet. Test the program under Compute Sanitizer.
"#,
};
