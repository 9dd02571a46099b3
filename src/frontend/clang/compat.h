/* What nvcc offers and clang lacks. Included before everything else in each translation unit that SCuBA reads;
   the program itself is never compiled with it. */
#ifndef SCUBA_COMPAT_H
#define SCUBA_COMPAT_H

#ifdef __cplusplus
#define SCUBA_ASSUME(condition) __builtin_assume(static_cast<bool>(condition))
#else
#define SCUBA_ASSUME(condition) __builtin_assume(!!(condition))
#endif

#endif
