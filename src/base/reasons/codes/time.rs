//! The code `time`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "time",
    decides: "raise `solver_ms` or `tu_seconds` under [limits] in scuba.toml",
    decides_named: None,
    page: r#"# time: a limit on processor time was reached

Beside the budget in counted steps, limits on processor time catch searches whose steps take
unusually long. One was reached here. Another machine may decide the access: the document says
`"repeatable": false`.

## Example

```
undecided: sort.cu:41:9: `keys` in `merge(int*)`: the time limit was reached (limits.tu_seconds)
```

The limits count processor time, not what other programs use.

## What decides it

Higher limits, in milliseconds for one proof and in seconds for a program or unit:

```toml
[limits]
solver_ms = 120000
tu_seconds = 900
```
"#,
};
