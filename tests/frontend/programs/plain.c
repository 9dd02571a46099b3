#include <stdlib.h>
#include <string.h>

static const char *names[2] = {"one", "two"};
static const double scale[3] = {0.5, -1.0, 3.0};

struct list { struct list *next; unsigned char bytes[5]; short n; };

void *copy(const struct list *from, size_t n, int negative) {
  struct list *to = malloc(n * sizeof *to);
  memcpy(to, from, n * sizeof *to);
  memset(to[n - 1].bytes, negative, 5);
  to->n = (short)(scale[n % 3] * strlen(names[1]));
  return negative < 0 ? (void *)-1 : to->next;
}
