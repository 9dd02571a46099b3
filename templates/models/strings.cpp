// std::string of libstdc++ (GCC 12, bits/basic_string.tcc): the members that are compiled into the library, on the string's layout. Only the
// interpreter runs them: the executor knows strings by what they are equal to.

#define CONCRETE(name) __attribute__((used)) __asm__("scuba.concrete " name)

void *operator new(unsigned long);
void operator delete(void *, unsigned long) noexcept;
extern "C" {
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
unsigned long strlen(const char *);
}

struct String {
  char *data;
  unsigned long size;
  union {
    char local[16];
    unsigned long capacity;
  };
};

static char *create(String *, unsigned long *, unsigned long)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm");
static char *create(String *, unsigned long *capacity, unsigned long old) {
  if (*capacity > old && *capacity < 2 * old) *capacity = 2 * old;
  return static_cast<char *>(operator new(*capacity + 1));
}

// Puts m characters in place of n at a position; without a text, leaves room for them.
static String *replace(String *, unsigned long, unsigned long, const char *, unsigned long)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm");
static String *replace(String *s, unsigned long at, unsigned long n, const char *text, unsigned long m) {
  if (at > s->size) at = s->size;
  if (n > s->size - at) n = s->size - at;
  char *old = s->data, *to = old;
  unsigned long size = s->size - n + m, behind = s->size - at - n, capacity = old == s->local ? 15 : s->capacity;
  if (size > capacity || (text >= old && text <= old + s->size && behind)) {
    unsigned long wanted = size > capacity ? size : capacity;
    to = create(s, &wanted, capacity);
    memcpy(to, old, at);
    memcpy(to + at + m, old + at + n, behind);
    if (text) memcpy(to + at, text, m);
    if (old != s->local) operator delete(old, capacity + 1);
    s->data = to;
    s->capacity = wanted;
  } else {
    memmove(to + at + m, to + at + n, behind);
    if (text) memmove(to + at, text, m);
  }
  s->size = size;
  to[size] = 0;
  return s;
}

static String *append(String *, const char *, unsigned long)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm");
static String *append(String *s, const char *text, unsigned long n) { return replace(s, s->size, 0, text, n); }

static void assign(String *, const String *)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_");
static void assign(String *s, const String *other) {
  if (s != other) replace(s, 0, s->size, other->data, other->size);
}

static String *fill(String *, unsigned long, unsigned long, unsigned long, char)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc");
static String *fill(String *s, unsigned long at, unsigned long n, unsigned long count, char c) {
  replace(s, at, n, nullptr, count);
  memset(s->data + at, c, count);
  return s;
}

static void construct(String *, unsigned long, char)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc");
static void construct(String *s, unsigned long count, char c) {
  s->data = s->local;
  s->size = 0;
  fill(s, 0, 0, count, c);
}

// Leaves the length, which the caller sets.
static void mutate(String *, unsigned long, unsigned long, const char *, unsigned long)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm");
static void mutate(String *s, unsigned long at, unsigned long n, const char *text, unsigned long m) {
  unsigned long size = s->size;
  replace(s, at, n, text, m);
  s->size = size;
}

static void reserve(String *, unsigned long)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm");
static void reserve(String *s, unsigned long n) {
  if (n <= s->size) return;
  unsigned long size = s->size;
  replace(s, size, 0, nullptr, n - size);
  s->size = size;
  s->data[size] = 0;
}

// What a string held may stay: nothing uses it.
static void dispose(String *)
    CONCRETE("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv");
static void dispose(String *) {}

static int compare(const String *, const char *)
    CONCRETE("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc");
static int compare(const String *s, const char *text) {
  unsigned long n = strlen(text), least = n < s->size ? n : s->size;
  const char *own = s->data;
  for (unsigned long i = 0; i < least; i++)
    if (own[i] != text[i]) return static_cast<unsigned char>(own[i]) - static_cast<unsigned char>(text[i]);
  return s->size < n ? -1 : s->size > n;
}
