//! String functions of the C library, parsing included (C11 7.22, 7.24, POSIX.1-2017, glibc).

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&["strlen", "strdup", "strndup"]).gives_nothing_else().writes_only_its_own().reads(0),
    host(&["strcmp", "strncmp", "strcasecmp", "strspn", "strcspn"]).gives_nothing_else().writes_only_its_own().reads_from(0),
    host(&[
        "strncasecmp",
    ]).gives_nothing_else().writes_only_its_own().reads_from(0)
    .symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&["strcpy"]).gives_nothing_else().reads_from(1),
    host(&[
        "strncpy", "strcat",
    ]).gives_nothing_else().reads_from(1).concrete_only("not yet: what it gives and writes is unknown"),
    host(&["strncat"]).gives_nothing_else().reads_from(1).neither("neither knows more than its attributes"),
    host(&[
        "strchr", "strrchr", "strstr", "atoi", "atol", "atoll", "atof",
    ]).gives_nothing_else().writes_only_its_own(),
    host(&[
        "strpbrk",
    ]).gives_nothing_else().writes_only_its_own()
    .symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&[
        "toupper", "tolower", "isdigit", "isspace", "isalpha", "strtol", "strtoul", "strtoll", "strtoull",
        "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull",
    ]).gives_nothing_else(),
    host(&["strtof", "strtod"]).gives_nothing_else().reads(0),
    host(&["strtok_r", "stpcpy"]).keeps_no_address().reads_from(1).neither("neither knows more than its attributes"),
    host(&[
        "strerror",
    ]).keeps_no_address().writes_only_its_own()
    .symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&[
        "strnlen",
    ]).keeps_no_address().writes_only_its_own().reads(0).neither("neither knows more than its attributes"),
    host(&[
        "strcoll",
    ]).keeps_no_address().writes_only_its_own().reads_from(0).neither("neither knows more than its attributes"),
    host(&["isalnum"]).keeps_no_address().concrete_only("not yet: what it gives and writes is unknown"),
    host(&[
        "isupper", "islower", "isxdigit", "ispunct", "isprint",
    ]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&["strftime"]).keeps_no_address().reads_from(2).neither("neither knows more than its attributes"),
    host(&["strtold"]).reads(0).neither("neither knows more than its attributes"),
    host(&["strtok"]).reads_from(1).concrete_only("not yet: what it gives and writes is unknown"),
    host(&["strsep"]).reads_from(1).neither("neither knows more than its attributes"),
    host(&["strcasestr"]).of_c_library().symbolic_only("not yet: the interpreter loses all that the arguments reach"),
    host(&[
        "strlcpy", "strlcat", "strxfrm", "strsignal", "basename", "dirname", "regcomp", "regexec", "regfree",
        "regerror", "fnmatch", "wordexp", "wordfree", "iconv", "iconv_open", "iconv_close", "mblen", "mbstowcs",
        "wcstombs", "mbtowc", "wctomb", "wcslen", "wcscmp", "wcscpy", "iscntrl", "isgraph", "isblank", "strptime",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&["index", "rindex"]).of_c_library(),
    host(&[
        "strtoimax", "strtoumax",
    ]).of_c_library().concrete_only("not yet: another spelling of a function that is modelled"),
    host(&[
        "strtoq", "__isoc23_strtoimax", "strtouq", "__isoc23_strtoumax",
    ]).concrete_only("not yet: another spelling of a function that is modelled"),
];
