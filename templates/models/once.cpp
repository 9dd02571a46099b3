// One-time calls: pthread_once (POSIX.1-2017; glibc 2.36, nptl/pthread_once.c) and the function that libstdc++'s std::call_once gives it
// (GCC 12, libstdc++-v3/src/c++11/mutex.cc).
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

void once_proxy() MODEL("__once_proxy");
void once_proxy() { std::__once_call(); }
}
