//! Stream functions of the C library (C11 7.21, POSIX.1-2017, glibc).

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&["printf"]).gives_nothing_else().writes_only_its_own().reads_from(0),
    host(&["fprintf"]).gives_nothing_else().writes_only_its_own().reads_from(1),
    host(&["vprintf"]).gives_nothing_else(),
    host(&["vfprintf", "putc", "fputc", "fflush"]).gives_nothing_else().writes_only_its_own(),
    host(&[
        "sprintf",
    ]).gives_nothing_else().reads_from(1).concrete_only("not yet: what it gives and writes is unknown"),
    host(&[
        "snprintf",
    ]).gives_nothing_else().reads_from(2).concrete_only("not yet: what it gives and writes is unknown"),
    host(&["vsnprintf"]).gives_nothing_else().concrete_only("not yet: what it gives and writes is unknown"),
    host(&["puts", "fputs", "fwrite", "perror"]).gives_nothing_else().writes_only_its_own().reads(0),
    host(&["putchar"]).gives_nothing_else().reads(0),
    host(&["fopen", "fopen64"]).keeps_no_address().writes_only_its_own().reads(0),
    host(&[
        "fdopen", "ungetc", "clearerr", "fileno",
    ]).keeps_no_address().writes_only_its_own().neither("neither knows more than its attributes"),
    host(&["freopen"]).keeps_no_address().writes_only_its_own().reads_from(1),
    host(&[
        "fclose", "fseek", "fseeko", "ftell", "ftello", "rewind", "feof", "ferror",
    ]).keeps_no_address().writes_only_its_own(),
    host(&["fread", "getchar"]).keeps_no_address(),
    host(&["fgets", "getline"]).keeps_no_address().concrete_only("not yet: what it gives and writes is unknown"),
    host(&[
        "fgetc", "getc",
    ]).keeps_no_address().writes_only_its_own().concrete_only("not yet: what it gives and writes is unknown"),
    host(&["gets"]).keeps_no_address().symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&[
        "scanf", "sscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc23_scanf", "__isoc23_sscanf",
    ]).keeps_no_address().reads_from(0),
    host(&["fscanf", "__isoc99_fscanf", "__isoc23_fscanf"]).keeps_no_address().reads_from(1),
    host(&["vfscanf", "getdelim"]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&["vsscanf"]).keeps_no_address().reads_from(0).neither("neither knows more than its attributes"),
    host(&[
        "write",
    ]).keeps_no_address().writes_only_its_own().reads_from(1)
    .concrete_only("not yet: what it gives and writes is unknown"),
    host(&["pclose", "popen"]).writes_only_its_own().concrete_only("not yet: what it gives and writes is unknown"),
    host(&["dprintf"]).reads_from(1).concrete_only("not yet: what it gives and writes is unknown"),
    host(&[
        "tmpfile", "fgetpos", "fsetpos", "asprintf", "vasprintf", "vscanf",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&["setvbuf", "setbuf"]).of_c_library(),
    host(&[
        "fputs_unlocked", "getc_unlocked", "putchar_unlocked",
    ]).of_c_library().concrete_only("not yet: another spelling of a function that is modelled"),
    host(&["vsprintf"]).of_c_library().concrete_only("not yet: what it gives and writes is unknown"),
    host(&["freopen64", "getchar_unlocked", "fread_unlocked"]),
    host(&[
        "__fread_chk", "fseeko64", "ftello64",
    ]).symbolic_only("not yet: another spelling of a function that is modelled"),
    host(&[
        "fputc_unlocked", "putc_unlocked", "_IO_putc", "__printf_chk", "__fprintf_chk", "fwrite_unlocked",
        "__snprintf_chk", "fgets_unlocked", "fgetc_unlocked", "_IO_getc", "feof_unlocked", "ferror_unlocked",
    ]).concrete_only("not yet: another spelling of a function that is modelled"),
];
