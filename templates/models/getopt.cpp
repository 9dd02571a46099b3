// getopt, getopt_long and getopt_long_only (POSIX.1-2017; glibc 2.36, posix/getopt.c): options may follow operands, argv itself is permuted so
// that operands come last, and a program that sets optind to 0 starts a new scan. POSIXLY_CORRECT is not set; messages are not printed.
//
// Only the interpreter runs these functions: to the executor, the option that is found is any.

#define CONCRETE(name) __attribute__((used)) __asm__("scuba.concrete " name)

extern "C" {
extern char *optarg;
extern int optind, optopt;
}

struct LongOption { const char *name; int argument; int *flag; int value; };

// One scan, whichever unit calls.
namespace scuba {
inline bool begun;
inline char *rest;  // of the word whose letters are being read
inline int first, last;  // operands before optind that were skipped: argv[first] up to argv[last]
}
using namespace scuba;

static bool is_operand(const char *word) { return word[0] != '-' || !word[1]; }

static const char *rule_of(const char *letters, char c) {
  for (; *letters; letters++)
    if (*letters == c) return letters;
  return nullptr;
}

static int missing(const char *letters) { return *letters == ':' ? ':' : '?'; }

// Moves skipped operands behind the options that followed them.
static void pass_operands(char **argv) {
  for (int from = last, to = first; first != last && from < optind; from++, to++) {
    char *word = argv[from];
    for (int i = from; i > to; i--) argv[i] = argv[i - 1];
    argv[to] = word;
  }
  first += optind - last;
  last = optind;
}

// Whether a name begins with the text up to `end`.
static bool begins(const char *name, const char *text, const char *end) {
  for (; text != end; name++, text++)
    if (*name != *text) return false;
  return true;
}

// Takes `name`, `name=value` or `name value` at `rest`; a prefix that fits one meaning is enough.
static int long_option(int argc, char **argv, const char *letters, const LongOption *all, int *index, bool only) {
  char *name = rest, *end = rest;
  while (*end && *end != '=') end++;
  const LongOption *found = nullptr;
  bool exact = false, ambiguous = false;
  for (const LongOption *o = all; o->name && !exact; o++) {
    if (!begins(o->name, name, end)) continue;
    exact = !o->name[end - name];
    if (exact || !found) {
      found = o;
      ambiguous = false;
    } else if (only || found->argument != o->argument || found->flag != o->flag || found->value != o->value) {
      ambiguous = true;
    }
  }
  if (!found && only && argv[optind][1] != '-' && rule_of(letters, *name)) return -1;
  optind++;
  rest = nullptr;
  if (!found || ambiguous) {
    optopt = 0;
    return '?';
  }
  if (*end) {
    if (!found->argument) {
      optopt = found->value;
      return '?';
    }
    optarg = end + 1;
  } else if (found->argument == 1) {
    if (optind >= argc) {
      optopt = found->value;
      return missing(letters);
    }
    optarg = argv[optind++];
  }
  if (index) *index = found - all;
  if (!found->flag) return found->value;
  *found->flag = found->value;
  return 0;
}

static int next_option(int argc, char **argv, const char *letters, const LongOption *all, int *index, bool only) {
  if (argc < 1) return -1;
  optarg = nullptr;
  if (!begun || optind == 0) {
    if (optind == 0) optind = 1;
    first = last = optind;
    rest = nullptr;
    begun = true;
  }
  char order = 0;
  if (*letters == '-' || *letters == '+') order = *letters++;
  if (!rest || !*rest) {
    if (last > optind) last = optind;
    if (first > optind) first = optind;
    if (!order) {
      pass_operands(argv);
      while (optind < argc && is_operand(argv[optind])) optind++;
      last = optind;
    }
    if (optind < argc && argv[optind][0] == '-' && argv[optind][1] == '-' && !argv[optind][2]) {
      optind++;
      pass_operands(argv);
      last = optind = argc;
    }
    if (optind >= argc) {
      if (first != last) optind = first;
      return -1;
    }
    if (is_operand(argv[optind])) {
      if (order == '+') return -1;
      // With '-', an operand is the argument of an option 1.
      optarg = argv[optind++];
      return 1;
    }
    rest = argv[optind] + 1;
    if (all && *rest == '-') {
      rest++;
      return long_option(argc, argv, letters, all, index, only);
    }
    if (all && only && (rest[1] || !rule_of(letters, *rest))) {
      int found = long_option(argc, argv, letters, all, index, only);
      if (found != -1) return found;
    }
  }
  char c = *rest++;
  bool more = *rest;
  if (!more) optind++;
  const char *rule = rule_of(letters, c);
  if (!rule || c == ':' || c == ';') {
    optopt = c;
    return '?';
  }
  if (rule[1] != ':') return c;
  if (more) {
    optarg = rest;
    optind++;
  } else if (rule[2] != ':') {
    if (optind >= argc) {
      rest = nullptr;
      optopt = c;
      return missing(letters);
    }
    optarg = argv[optind++];
  }
  rest = nullptr;
  return c;
}

static int get(int, char **, const char *) CONCRETE("getopt");
static int get(int argc, char **argv, const char *letters) { return next_option(argc, argv, letters, nullptr, nullptr, false); }
static int get_long(int, char **, const char *, const LongOption *, int *) CONCRETE("getopt_long");
static int get_long(int argc, char **argv, const char *letters, const LongOption *all, int *index) {
  return next_option(argc, argv, letters, all, index, false);
}
static int get_long_only(int, char **, const char *, const LongOption *, int *) CONCRETE("getopt_long_only");
static int get_long_only(int argc, char **argv, const char *letters, const LongOption *all, int *index) {
  return next_option(argc, argv, letters, all, index, true);
}
