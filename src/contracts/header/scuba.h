/* Contracts of functions and types, for SCuBA. C99 and later, C++11 and later, CUDA.
 *
 * Everything here expands to nothing unless __SCUBA__ is defined, which SCuBA does when it reads a source; so no compiler that makes
 * a program ever sees more than empty statements.
 *
 * At the head of a function, on the host or on the device:
 *
 *   __global__ void gather(float *out, const float *x, const int *index, int n, int m) {
 *     SCUBA_ELEMENTS(out, n);
 *     SCUBA_ELEMENTS(x, m);
 *     SCUBA_REQUIRES(elements(index) >= n && disjoint(out, x));
 *     SCUBA_REQUIRES("forall i in [0, n): 0 <= index[i] && index[i] < m");
 *
 * On members of a struct, where it holds of every object that an entry point is given:
 *
 *   struct matrix { int rows, cols; float *data SCUBA_COUNTED_BY(rows * cols); };
 *
 * Arithmetic in contracts is over the whole numbers and never wraps, whatever the types of what is in it. `extent(p)` is the bytes from `p` to
 * the end of its object, `elements(p)` the same over the size of its elements.
 *
 * What is written is kept as text, so nothing in it is evaluated, and nothing needs to be declared for it. Macros are replaced first,
 * as in any argument of a macro: with `#define N 256`, `SCUBA_REQUIRES(n <= N)` says `n <= 256`. A macro named `min`, `elements` or as
 * a parameter is replaced too; in a string nothing is. Commas need no care, parentheses must match: the half-open range of `forall`,
 * which ends in `)`, is written in a string, the closed one, `[0, n - 1]`, with or without. Long strings may be split into several
 * side by side. */
#ifndef SCUBA_H
#define SCUBA_H

#ifdef __SCUBA__

#ifdef __cplusplus
extern "C" {
#endif
/* Never defined; what is read of it is its argument, a constant string. */
#if defined(__CUDA__) || defined(__CUDACC__)
__attribute__((host)) __attribute__((device))
#endif
__attribute__((nothrow)) void __scuba_requires(const char *contract);
#ifdef __cplusplus
}
#endif

/* In two steps, so that macros in the text are replaced before it becomes a string. */
#define SCUBA_TEXT_(...) #__VA_ARGS__
#define SCUBA_TEXT(...) SCUBA_TEXT_(__VA_ARGS__)

#ifdef __cplusplus
/* A constant expression may call nothing that is not one; there the contract is not looked at. */
#define SCUBA_STATE_(text) (__builtin_is_constant_evaluated() ? (void)0 : __scuba_requires(text))
#else
#define SCUBA_STATE_(text) __scuba_requires(text)
#endif

#define SCUBA_REQUIRES(...) SCUBA_STATE_(SCUBA_TEXT(__VA_ARGS__))
#define SCUBA_EXTENT(p, ...) SCUBA_STATE_("extent(" SCUBA_TEXT(p) ") >= (" SCUBA_TEXT(__VA_ARGS__) ")")
#define SCUBA_ELEMENTS(p, ...) SCUBA_STATE_("elements(" SCUBA_TEXT(p) ") >= (" SCUBA_TEXT(__VA_ARGS__) ")")
#define SCUBA_COUNTED_BY(...) __attribute__((annotate("scuba.counted_by:" SCUBA_TEXT(__VA_ARGS__))))
#define SCUBA_ENTRY __attribute__((annotate("scuba.entry"), used))

#else

/* The condition holds whenever the function is called. */
#define SCUBA_REQUIRES(...)
/* There are at least so many bytes from `p` to the end of its object. */
#define SCUBA_EXTENT(p, ...)
/* There are at least so many elements from `p` to the end of its object. */
#define SCUBA_ELEMENTS(p, ...)
/* Behind a member that is a pointer: there are at least so many elements, which is said over members of the same object. */
#define SCUBA_COUNTED_BY(...)
/* Before a function: code that is not read calls it, with anything that its checks and its contract accept. */
#define SCUBA_ENTRY

#endif
#endif
