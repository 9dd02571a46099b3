//! Memory functions of the C library: the heap, copies, fills and comparisons (C11, POSIX.1-2017, glibc).

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&[
        "malloc", "calloc", "realloc", "valloc", "aligned_alloc", "memalign", "posix_memalign", "memset",
    ]).gives_nothing_else(),
    host(&["reallocarray"]).gives_nothing_else().neither("neither knows more than its attributes"),
    host(&["free", "memchr"]).gives_nothing_else().writes_only_its_own(),
    host(&["memcpy", "memmove"]).gives_nothing_else().reads_from(1),
    host(&["memcmp"]).gives_nothing_else().writes_only_its_own().reads_from(0),
    host(&["mmap"]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&["munmap"]).keeps_no_address().writes_only_its_own().neither("neither knows more than its attributes"),
    host(&[
        "mlock",
    ]).keeps_no_address().writes_only_its_own().concrete_only("not yet: what it gives and writes is unknown"),
    host(&[
        "mprotect", "msync", "memccpy", "memmem", "memrchr", "mempcpy", "bcopy", "malloc_usable_size", "mallopt",
        "malloc_trim", "mallinfo",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&[
        "madvise", "bzero", "alloca",
    ]).of_c_library().concrete_only("not yet: what it gives and writes is unknown"),
    host(&["bcmp"]).of_c_library().concrete_only("not yet: another spelling of a function that is modelled"),
    host(&["__memcpy_chk", "__memmove_chk", "__memset_chk"]),
    host(&["munlock"]).concrete_only("not yet: what it gives and writes is unknown"),
    host(&["cfree"]).concrete_only("not yet: another spelling of a function that is modelled"),
];
