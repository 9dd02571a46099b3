// One-time calls: pthread_once (POSIX.1-2017; glibc 2.36, nptl/pthread_once.c) and the function that libstdc++'s std::call_once gives it
// (GCC 12, libstdc++-v3/src/c++11/mutex.cc); guards of function-local static variables (Itanium C++ ABI, 3.3.3: one-time construction).
//
// The control variable starts as PTHREAD_ONCE_INIT, 0. A call that returns leaves 2 there; one that throws leaves it as it was. Other threads that
// call at the same time wait, and find the same contents.

#define MODEL(name) __attribute__((used)) __asm__("scuba.model " name)

namespace std {
extern __thread void (*__once_call)();
}

extern "C" {
int once(int *control, void (*f)()) MODEL("pthread_once");
int once(int *control, void (*f)()) {
  if (*control != 2) {
    f();
    *control = 2;
  }
  return 0;
}

// A guard's first byte is set after the construction. One that threw is still to be done.
int acquire(char *guard) MODEL("__cxa_guard_acquire");
int acquire(char *guard) { return !*guard; }
void release(char *guard) MODEL("__cxa_guard_release");
void release(char *guard) { *guard = 1; }
void give_up(char *) MODEL("__cxa_guard_abort");
void give_up(char *) {}

void once_proxy() MODEL("__once_proxy");
void once_proxy() { std::__once_call(); }
}
