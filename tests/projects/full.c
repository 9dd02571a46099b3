/* A disk that is full, for one folder: loaded before a program (LD_PRELOAD), it lets each process write FULL_ROOM bytes to the files
   below FULL_FOLDER, of these only where FULL_PART is in the path if it is set. Then writes are cut short and fail with ENOSPC, as they do on a disk without room (write(2)). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_full(int fd) {
  const char *folder = getenv("FULL_FOLDER");
  char link[32], path[4096];
  if (!folder) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *part = getenv("FULL_PART");
  return strncmp(path, folder, strlen(folder)) == 0 && (!part || strstr(path, part));
}

ssize_t write(int fd, const void *data, size_t size) {
  static ssize_t (*real)(int, const void *, size_t);
  static size_t written;
  if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  int before = errno;
  if (is_full(fd)) {
    const char *room = getenv("FULL_ROOM");
    size_t most = room ? strtoul(room, NULL, 10) : 0;
    if (written >= most) {
      errno = ENOSPC;
      return -1;
    }
    if (size > most - written) size = most - written;
    written += size;
  }
  errno = before;
  return real(fd, data, size);
}
