// How many elements a row of n values has: allocation and launch must agree on it.
#pragma once
#ifndef PAD
#define PAD 4
#endif

inline int padded(int n) { return n + PAD; }
