//! The code `work`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "work",
    decides: "raise `work` under [limits] in scuba.toml, or bound the sizes (`if`, `assert`, `[[assume]]`)",
    decides_named: None,
    page: r#"# work: the budget of the search was spent

Every execution, proof and replay has a budget in counted steps, the same on every machine. The
search for a proof or for a counterexample of this access had not ended when its budget was spent.
Nothing is known against the access.

## Example

```
scuba: no findings; 12 accesses in 1 kernel: 11 safe, 1 undecided (-v says why)
undecided: sort.cu:41:9: `keys` in `merge(int*, int)`: the solver's budget was spent (limits.work)
```

The reason names what had the budget: the solver, the execution of the kernel or of the host, or the
program as a whole. A build that waits for its verdicts gets less than `scuba check`.

## What decides it

More work, in percent of the normal budget:

```toml
[limits]
work = 400
```

`--timings` shows what takes the work. A check in the source that bounds the index decides more at
no cost: `if (i < n)`, or an `assert`.
"#,
};
