/* Calls of the system that fail: loaded before a program (LD_PRELOAD). In the programs of FAULT_PROGRAMS (names, joined by colons), the FAULT_AT-th
   call of the kind FAULT_CALL fails with the error FAULT_ERRNO, or all of them from there on with FAULT_ALL=1. FAULT_MARK is a file that is made then.
   Kinds: thread (pthread_create), fork, pipe, open (for writing), write (to files), mkdir; and proc, all of /proc.
   Of the kind clock (clock_gettime of the wall clock), calls do not fail: the time is FAULT_ERRNO seconds later. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

static int is_named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at && *at; at = strchr(at, ':') ? strchr(at, ':') + 1 : "")
    if (!strncmp(at, name, length) && (at[length] == ':' || !at[length])) return 1;
  return 0;
}

/* Whether this call fails; errno is set then. */
static int fails(const char *kind) {
  const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *number = getenv("FAULT_ERRNO"), *mark = getenv("FAULT_MARK");
  if (!call || !at || !number || strcmp(call, kind) || !is_named(getenv("FAULT_PROGRAMS"), program_invocation_short_name)) return 0;
  long count = atomic_fetch_add(&calls, 1) + 1;
  if (getenv("FAULT_ALL") ? count < atol(at) : count != atol(at)) return 0;
  if (mark) {
    int fd = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) syscall(SYS_close, fd);
  }
  errno = atoi(number);
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  return fails("thread") ? errno : REAL(pthread_create)(thread, attributes, start, argument);
}

pid_t fork(void) { return fails("fork") ? -1 : REAL(fork)(); }

int pipe2(int ends[2], int flags) { return fails("pipe") ? -1 : REAL(pipe2)(ends, flags); }

int mkdir(const char *path, mode_t mode) { return fails("mkdir") ? -1 : REAL(mkdir)(path, mode); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = REAL(clock_gettime)(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && fails("clock")) {
    time->tv_sec += errno;
    errno = 0;
  }
  return result;
}

static int is_absent(const char *path) {
  return (!strcmp(path, "/proc") || !strncmp(path, "/proc/", 6)) && fails("proc");
}

ssize_t readlink(const char *path, char *target, size_t size) { return is_absent(path) ? -1 : REAL(readlink)(path, target, size); }

DIR *opendir(const char *path) { return is_absent(path) ? NULL : REAL(opendir)(path); }

static int is_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT; }

static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; }

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return is_absent(path) || (is_writing(flags) && fails("open")) ? -1 : REAL(open64)(path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return is_absent(path) || (is_writing(flags) && fails("open")) ? -1 : REAL(openat64)(folder, path, flags, mode);
}

/* Half of what is to be written is written before the call that fails. */
ssize_t write(int fd, const void *data, size_t size) {
  static _Thread_local int is_short;
  struct stat status;
  int before = errno;
  if (fstat(fd, &status) || !S_ISREG(status.st_mode)) return errno = before, REAL(write)(fd, data, size);
  errno = before;
  if (is_short) {
    is_short = 0;
    return errno = atoi(getenv("FAULT_ERRNO")), -1;
  }
  if (fails("write")) {
    if (size < 2) return -1;
    is_short = 1;
    return REAL(write)(fd, data, size / 2);
  }
  return REAL(write)(fd, data, size);
}
