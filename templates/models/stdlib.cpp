// Functions of the C library that search and split texts, sort and draw numbers (C11 7.22, 7.24; POSIX.1-2017; glibc 2.36). Only the interpreter
// runs them.

#define CONCRETE(name) __attribute__((used)) __asm__("scuba.concrete " name)

extern "C" {
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void *malloc(unsigned long);
void free(void *);
// Whether the interpreter has computed the number.
bool __scuba_is_known(long n);
// What the memory behind holds from now on is not known: `what` says it.
void __scuba_lost(void *p, const char *what);
}

namespace scuba {
inline char *token;  // where strtok goes on
inline unsigned long state48;  // of drand48; zero before any seed
}

using Compare = int (*)(const void *, const void *);

// Sorts by merging runs, so that equal elements keep their order. Unknown comparisons leave an order that is not known.
static void sort(void *, unsigned long, unsigned long, Compare) CONCRETE("qsort");
static void sort(void *base, unsigned long n, unsigned long width, Compare compare) {
  long at = reinterpret_cast<long>(base), function = reinterpret_cast<long>(compare);
  bool known = __scuba_is_known(at) && __scuba_is_known(n) && __scuba_is_known(width) && __scuba_is_known(function) && n <= 1 << 20;
  char *spare = known ? static_cast<char *>(malloc(n * width)) : nullptr;
  for (unsigned long run = 1; known && run < n; run *= 2) {
    for (unsigned long i = 0; known && i + run < n; i += 2 * run) {
      char *begin = static_cast<char *>(base) + i * width, *left = begin, *middle = begin + run * width, *right = middle;
      char *end = begin + (n - i < 2 * run ? n - i : 2 * run) * width, *to = spare;
      while (known && left != middle && right != end) {
        int order = compare(left, right);
        known = __scuba_is_known(order);
        char *&from = known && order > 0 ? right : left;
        memcpy(to, from, width);
        from += width;
        to += width;
      }
      memcpy(to, left, middle - left);
      memcpy(begin, spare, to - spare + (middle - left));
    }
  }
  free(spare);
  if (!known) __scuba_lost(base, "what `qsort` sorted");
}

static char *find(const char *, int) CONCRETE("strchr");
static char *find(const char *s, int c) {
  for (; *s != static_cast<char>(c); s++)
    if (!*s) return nullptr;
  return const_cast<char *>(s);
}
static char *find_as_index(const char *, int) CONCRETE("index");
static char *find_as_index(const char *s, int c) { return find(s, c); }

static char *find_last(const char *, int) CONCRETE("strrchr");
static char *find_last(const char *s, int c) {
  const char *last = nullptr;
  for (;; s++) {
    if (*s == static_cast<char>(c)) last = s;
    if (!*s) return const_cast<char *>(last);
  }
}
static char *find_last_as_index(const char *, int) CONCRETE("rindex");
static char *find_last_as_index(const char *s, int c) { return find_last(s, c); }

static char *find_text(const char *, const char *) CONCRETE("strstr");
static char *find_text(const char *s, const char *text) {
  for (;; s++) {
    long i = 0;
    while (text[i] && s[i] == text[i]) i++;
    if (!text[i]) return const_cast<char *>(s);
    if (!*s) return nullptr;
  }
}

static void *find_byte(const void *, int, unsigned long) CONCRETE("memchr");
static void *find_byte(const void *p, int c, unsigned long n) {
  const char *s = static_cast<const char *>(p);
  for (; n; n--, s++)
    if (*s == static_cast<char>(c)) return const_cast<char *>(s);
  return nullptr;
}

static char *append(char *, const char *) CONCRETE("strcat");
static char *append(char *to, const char *from) {
  char *end = to;
  while (*end) end++;
  while ((*end++ = *from++)) {}
  return to;
}

static char *copy_within(char *, const char *, unsigned long) CONCRETE("strncpy");
static char *copy_within(char *to, const char *from, unsigned long n) {
  unsigned long i = 0;
  for (; i < n && from[i]; i++) to[i] = from[i];
  memset(to + i, 0, n - i);
  return to;
}

// The most negative number overflows.
static int absolute(int) CONCRETE("abs");
static int absolute(int n) {
  int sign = n >> 31;
  return (n ^ sign) - sign;
}
static long absolute_long(long) CONCRETE("labs");
static long absolute_long(long n) {
  long sign = n >> 63;
  return (n ^ sign) - sign;
}
static long long absolute_long_long(long long) CONCRETE("llabs");
static long long absolute_long_long(long long n) { return absolute_long(n); }

static bool is_one_of(char c, const char *set) {
  for (; *set; set++)
    if (*set == c) return true;
  return false;
}

static unsigned long span(const char *, const char *) CONCRETE("strspn");
static unsigned long span(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && is_one_of(s[n], set)) n++;
  return n;
}
static unsigned long span_outside(const char *, const char *) CONCRETE("strcspn");
static unsigned long span_outside(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && !is_one_of(s[n], set)) n++;
  return n;
}

static char *next_token(char *, const char *) CONCRETE("strtok");
static char *next_token(char *s, const char *separators) {
  if (!s) s = scuba::token;
  if (!s) return nullptr;
  while (*s && is_one_of(*s, separators)) s++;
  char *end = s;
  while (*end && !is_one_of(*end, separators)) end++;
  scuba::token = end;
  if (s == end) return nullptr;
  if (*end) {
    *end = 0;
    scuba::token++;
  }
  return s;
}

static unsigned long step48() { return scuba::state48 = (scuba::state48 * 0x5deece66d + 0xb) & 0xffffffffffff; }
static double draw_double() CONCRETE("drand48");
static double draw_double() { return step48() * 0x1p-48; }
static long draw_positive() CONCRETE("lrand48");
static long draw_positive() { return step48() >> 17; }
static long draw_signed() CONCRETE("mrand48");
static long draw_signed() { return static_cast<int>(step48() >> 16); }
static void seed48(long) CONCRETE("srand48");
static void seed48(long seed) { scuba::state48 = (seed & 0xffffffff) << 16 | 0x330e; }

static unsigned step(unsigned *seed, unsigned values) {
  *seed = *seed * 1103515245 + 12345;
  return *seed / 65536 % values;
}
static int draw_reentrant(unsigned *) CONCRETE("rand_r");
static int draw_reentrant(unsigned *seed) {
  unsigned high = step(seed, 2048), middle = step(seed, 1024), low = step(seed, 1024);
  return (high << 10 ^ middle) << 10 ^ low;
}
