//! Mathematical functions of the C library (C11 7.12, glibc).

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&[
        "abs", "labs", "llabs", "pow", "powf", "sqrt", "sqrtf", "exp", "expf", "exp2", "exp2f", "log", "logf",
        "log2", "log2f", "log10", "log10f", "sin", "sinf", "cos", "cosf", "tan", "tanf", "asin", "asinf", "acos",
        "acosf", "atan", "atanf", "atan2", "atan2f", "sinh", "cosh", "tanh", "tanhf", "fabs", "fabsf", "floor",
        "floorf", "ceil", "ceilf", "round", "roundf", "lround", "lroundf", "rint", "rintf", "trunc", "truncf",
        "fmod", "fmodf", "fmax", "fmaxf", "fmin", "fminf", "hypot", "hypotf", "cbrt", "cbrtf",
    ]).gives_nothing_else().concrete_only("what it gives is an unknown number; it writes nothing"),
    host(&[
        "ldexp", "frexp", "erf", "erff", "erfc", "erfcf",
    ]).gives_nothing_else().neither("neither knows more than its attributes"),
    host(&[
        "div", "ldiv", "tgamma", "lgamma", "nextafter", "modf", "modff", "sincos", "sincosf", "scalbn", "ilogb",
        "logb", "nan", "nanf",
    ]).keeps_no_address().neither("neither knows more than its attributes"),
    host(&[
        "fma", "fmaf", "remainder", "expm1", "log1p", "asinh", "acosh", "atanh",
    ]).keeps_no_address().concrete_only("what it gives is an unknown number; it writes nothing"),
    host(&[
        "ldexpf", "frexpf", "scalbnf", "scalbln", "logbf", "ilogbf", "nextafterf", "nexttoward", "remquo", "tgammaf",
        "lgammaf", "lgamma_r", "j0", "j1", "jn", "y0", "y1", "yn", "lldiv", "feclearexcept", "feenableexcept",
        "fetestexcept", "fesetround", "fegetround", "srand48_r", "drand48_r", "random_r", "srandom_r", "initstate",
        "initstate_r", "setstate", "nrand48", "jrand48", "seed48", "lcong48",
    ]).of_c_library().neither("neither knows more than its attributes"),
    host(&[
        "fdim", "fdimf", "copysign", "copysignf", "remainderf", "nearbyint", "nearbyintf", "llround", "llroundf",
        "lrint", "lrintf", "llrint", "llrintf", "expm1f", "log1pf", "asinhf", "acoshf", "atanhf", "sinhf", "coshf",
        "exp10", "exp10f", "powl", "sqrtl", "expl", "logl", "sinl", "cosl", "tanl", "fabsl", "floorl", "ceill",
        "roundl", "fmodl",
    ]).of_c_library().concrete_only("what it gives is an unknown number; it writes nothing"),
    host(&[
        "rsqrt", "rsqrtf", "rsqrtl", "cbrtl", "asinl", "acosl", "atanl", "sinhl", "coshl", "tanhl", "asinhl",
        "acoshl", "atanhl", "exp2l", "exp10l", "expm1l", "log2l", "log10l", "log1pl", "truncl", "rintl",
        "nearbyintl", "roundeven", "roundevenf", "roundevenl", "sinpi", "sinpif", "sinpil", "cospi", "cospif",
        "cospil", "saturate", "saturatef", "saturatel", "atan2l", "remainderl", "hypotl", "fmaxl", "maxnum",
        "maxnumf", "maxnuml", "maximumnum", "maximumnumf", "maximumnuml", "fminl", "minnum", "minnumf", "minnuml",
        "minimumnum", "minimumnumf", "minimumnuml", "fdiml", "copysignl", "fmal", "lroundl", "llroundl", "lrintl",
        "llrintl", "isnan", "isnanf", "isnanl", "isinf", "isinff", "isinfl", "finite", "finitef", "finitel",
        "isfinite", "isfinitef", "isfinitel", "signbit", "signbitf", "signbitl",
    ]).concrete_only("what it gives is an unknown number; it writes nothing"),
];
