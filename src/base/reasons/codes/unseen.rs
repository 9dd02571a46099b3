//! The code `unseen`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "unseen",
    decides: "let the build show how it is compiled (`scuba build -- COMMAND` after a clean), or add its source to the check",
    decides_named: None,
    page: r#"# unseen: a linked object was not read

The program was linked with an object or a member of an archive whose source was not read, and the
access depends on it. Nothing that depends on such an object is called safe.

## Example

```
$ scuba build -- make
undecided: k.cu:9:5: `x` in `fill(float*, int)`: the result of `parse(char**)`, in options.o: linked
without being read
```

`options.o` came from an earlier build, and nothing says which command compiled it. `unseen` of the
document and `-v` list all such objects, each with the reason.

## What decides it

A build that compiles it again:

```
$ make clean && scuba build -- make
```

Or its command where SCuBA looks for it: `compile_commands.json`, `build.ninja`, a makefile. Or the
check of all sources: `scuba check *.cu *.cpp`. `--strict` fails while an object is unread.
"#,
};
