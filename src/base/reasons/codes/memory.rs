//! The code `memory`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "memory",
    decides: "raise `memory` under [limits] in scuba.toml",
    decides_named: None,
    page: r#"# memory: a limit on memory was reached

The analysis of a program runs in a process of its own, which may use this much memory. The limit
was reached before the access was decided. Another machine may decide it: the document says
`"repeatable": false`.

## Example

```
undecided: sort.cu:41:9: `keys` in `merge(int*, int)`: the memory limit was reached (limits.memory)
```

Loops that write many elements one by one, and very large functions, take the most.

## What decides it

More memory for one process:

```toml
[limits]
memory = "16GiB"
```
"#,
};
