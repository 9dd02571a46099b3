/* The library that `scuba build` preloads into a build.
 *
 * What comes in: every exec and posix_spawn of every dynamically linked 64-bit process of the build, what each of these was itself
 * executed as, and the variables
 *   SCUBA_INTERPOSE_LIB   this library
 *   SCUBA_INTERPOSE_SHIM  scuba-nvcc
 *   SCUBA_INTERPOSE_LOG   the session's log; once it is gone the session is over and nothing is changed any more
 *   SCUBA_INTERPOSE_GUARD set for what the shim executes: below it nothing is rewritten or recorded
 * What goes out: `nvcc ARGS` becomes `scuba-nvcc /path/to/nvcc ARGS`; that, every command that compiles or links and every
 * build tool that is started is appended to the log, one record by one write(2); variables of ours that a caller dropped from the environment are put back; a CMake
 * that configures finds a question of ours in its build folder.
 *
 * All of it may run in the child of a fork or vfork of a threaded process: no malloc, no stdio, no locks; memory is the
 * stack, or an anonymous mapping for what is large. On any doubt the call goes through as it came.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

typedef int execve_fn(const char *, char *const[], char *const[]);
typedef int fexecve_fn(int, char *const[], char *const[]);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                     char *const[]);
typedef int stat_fn(const char *, struct stat *);
typedef int xstat_fn(int, const char *, struct stat *);

static struct {
    execve_fn *execve, *execvpe;
    fexecve_fn *fexecve;
    spawn_fn *posix_spawn, *posix_spawnp;
    stat_fn *stat, *stat64;
    xstat_fn *xstat, *xstat64;
} next;

/* Copies of our variables as they were when the process started: the environment itself may be changed or freed. */
static char carried_text[32 * 1024];
static const char *carried[64];
static size_t carried_count;
static const char *library, *shim, *log_path; /* values, inside carried_text */
static int ready;     /* set up */
static int active;    /* this process belongs to a session */
static int guarded;   /* this process was started by the shim */
static int is_scuba;  /* this process is the shim or its worker */
static int is_cmake;  /* this process is a CMake of a session, and not below the shim */

/* ---- strings ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *value_of(char *const envp[], const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; envp && envp[i]; i++)
        if (!strncmp(envp[i], name, length) && envp[i][length] == '=') return envp[i] + length + 1;
    return NULL;
}

static size_t count_of(char *const vector[]) {
    size_t n = 0;
    while (vector && vector[n]) n++;
    return n;
}

/* ---- set-up ---- */

/* What this process executes; where there is no /proc, the path that execve(2) got. `buffer` holds PATH_MAX bytes. */
static const char *own_program(char *buffer) {
    ssize_t length = readlink("/proc/self/exe", buffer, PATH_MAX - 1);
    if (length <= 0) return (const char *)getauxval(AT_EXECFN);
    buffer[length] = 0;
    return buffer;
}

static void set_up(void) {
    if (ready) return;
    next.execve = (execve_fn *)dlsym(RTLD_NEXT, "execve");
    next.execvpe = (execve_fn *)dlsym(RTLD_NEXT, "execvpe");
    next.fexecve = (fexecve_fn *)dlsym(RTLD_NEXT, "fexecve");
    next.posix_spawn = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawn");
    next.posix_spawnp = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawnp");
    next.stat = (stat_fn *)dlsym(RTLD_NEXT, "stat");
    next.stat64 = (stat_fn *)dlsym(RTLD_NEXT, "stat64");
    next.xstat = (xstat_fn *)dlsym(RTLD_NEXT, "__xstat");
    next.xstat64 = (xstat_fn *)dlsym(RTLD_NEXT, "__xstat64");

    size_t used = 0;
    for (size_t i = 0; environ && environ[i] && carried_count < sizeof carried / sizeof *carried; i++) {
        if (strncmp(environ[i], "SCUBA_", 6)) continue;
        size_t size = strlen(environ[i]) + 1;
        if (size > sizeof carried_text - used) continue;
        carried[carried_count++] = memcpy(carried_text + used, environ[i], size);
        used += size;
    }
    char *const *copies = (char *const *)(uintptr_t)carried;
    if (carried_count < sizeof carried / sizeof *carried) { /* else the vector lacks its NULL */
        library = value_of(copies, "SCUBA_INTERPOSE_LIB");
        shim = value_of(copies, "SCUBA_INTERPOSE_SHIM");
        log_path = value_of(copies, "SCUBA_INTERPOSE_LOG");
        guarded = value_of(copies, "SCUBA_INTERPOSE_GUARD") != NULL;
    }
    active = library && shim && log_path && strlen(library) < PATH_MAX && strlen(shim) < PATH_MAX;

    char buffer[PATH_MAX];
    const char *exe = active ? own_program(buffer) : NULL;
    if (exe) {
        const char *name = base_name(exe);
        is_cmake = !guarded && strstr(name, "cmake"); /* cmake3, ccmake, cmake-gui */
        const char *folder_end = strrchr(shim, '/');
        if (folder_end && (!strcmp(name, "scuba-nvcc") || !strcmp(name, "scuba") || !strcmp(name, "scuba-extract"))) {
            /* Our own program, not one that happens to have its name: the one beside the shim. */
            char beside[2 * PATH_MAX];
            size_t folder = (size_t)(folder_end - shim) + 1;
            memcpy(beside, shim, folder);
            strcpy(beside + folder, name);
            struct stat self, other;
            is_scuba = !stat(exe, &self) && !stat(beside, &other) && self.st_dev == other.st_dev && self.st_ino == other.st_ino;
        }
    }
    ready = 1;
}

static void look_at_own_command(char *argv[]);

__attribute__((constructor)) static void start(int argc, char *argv[]) {
    (void)argc;
    set_up();
    look_at_own_command(argv);
}

/* ---- what is executed ---- */

static int runnable(const char *path) {
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* The file that execvp would execute, as glibc searches for it; NULL when there is none. `buffer` holds PATH_MAX bytes. */
static const char *search(const char *file, char *buffer) {
    if (!file || !*file) return NULL;
    if (strchr(file, '/')) return file;
    const char *path = value_of(environ, "PATH");
    if (!path) path = "/bin:/usr/bin";
    size_t name = strlen(file) + 1;
    for (;;) {
        const char *end = strchrnul(path, ':');
        size_t folder = (size_t)(end - path);
        if (folder + 1 + name <= PATH_MAX) {
            memcpy(buffer, path, folder);
            if (folder) buffer[folder] = '/';
            memcpy(buffer + folder + (folder ? 1 : 0), file, name);
            if (runnable(buffer)) return buffer;
        }
        if (!*end) return NULL;
        path = end + 1;
    }
}

/* Whether the loader of that program would complain about this library. Scripts are their interpreter's business. */
static int other_class(const char *path) {
    unsigned char head[EI_NIDENT];
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0) return 0;
    ssize_t n = read(file, head, sizeof head);
    close(file);
    return n == (ssize_t)sizeof head && !memcmp(head, ELFMAG, SELFMAG) &&
           head[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

static int is_shim(const char *path) {
    struct stat one, two;
    return !stat(path, &one) && !stat(shim, &two) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static int is_nvcc(const char *path) {
    return !strcmp(base_name(path), "nvcc") && runnable(path) && !is_shim(path);
}

/* `nvcc` itself, or a compiler cache in front of it: on a hit the cache would never start nvcc. */
static int is_compile(const char *path, char *const argv[]) {
    if (is_nvcc(path)) return 1;
    const char *name = base_name(path);
    if ((strcmp(name, "ccache") && strcmp(name, "sccache")) || !argv || !argv[0] || !argv[1]) return 0;
    return !strcmp(base_name(argv[1]), "nvcc") && runnable(path);
}

/* `g++` of `x86_64-linux-gnu-g++-12`; the length goes to `length`. */
static const char *tool_name(const char *path, size_t *length) {
    const char *name = base_name(path), *end = name + strlen(name), *cut = end;
    while (cut > name && (cut[-1] == '.' || (cut[-1] >= '0' && cut[-1] <= '9'))) cut--;
    if (cut > name && cut < end && cut[-1] == '-') end = cut - 1;
    const char *start = end;
    while (start > name && start[-1] != '-') start--;
    *length = (size_t)(end - start);
    return start;
}

static int among(const char *text, size_t length, const char *const *names) {
    for (; *names; names++)
        if (strlen(*names) == length && !memcmp(text, *names, length)) return 1;
    return 0;
}

/* 'L' for a command that may join objects into a file, 'C' for one that compiles, 'B' for a build tool, 0 for others. What it
 * really does is decided where the log is read. */
static char kind_of(const char *path, char *const argv[]) {
    /* The same as in tools.rs. */
    static const char *const tools[] = {"make", "gmake", "remake", "ninja", "ninja-build", "samu", "n2", NULL};
    static const char *const linkers[] = {"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "ld.mold", "mold", "gold", "ar", NULL};
    static const char *const drivers[] = {"cc", "c++", "gcc", "g++", "clang", "clang++", "gfortran", "flang", "icc", "icpc",
                                          "icx", "icpx", "ifx", "nvc", "nvc++", "nvfortran", "mpicc", "mpicxx", "mpic++",
                                          "mpiCC", "mpifort", NULL};
    static const char *const caches[] = {"ccache", "sccache", NULL};
    static const char *const neither[] = {"-S", "-E", "-M", "-MM", "-fsyntax-only", "-cc1", NULL};
    if (!argv || !argv[0]) return 0;
    const char *whole = base_name(path);
    if (among(whole, strlen(whole), tools)) return 'B';
    size_t length;
    const char *name = tool_name(path, &length);
    if (among(name, length, linkers)) return 'L';
    /* On a hit the cache would never start the compiler. */
    if (among(name, length, caches) && argv[1]) {
        argv++;
        name = tool_name(argv[0], &length);
    }
    if (!among(name, length, drivers)) return 0;
    char kind = 'L';
    for (size_t i = 1; argv[i]; i++) {
        if (among(argv[i], strlen(argv[i]), neither)) return 0;
        if (!strcmp(argv[i], "-c")) kind = 'C';
    }
    return kind;
}

/* ---- the log ---- */

static char *put_number(char *at, uint32_t number) {
    memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

static char *put_text(char *at, const char *text, size_t length) {
    at = put_number(at, (uint32_t)length);
    memcpy(at, text, length);
    return at + length;
}

/* Appends `length kind folder path argc argv…`; each text after its length, numbers as native 32 bits. */
static void record(char kind, const char *path, char *const argv[]) {
    char folder[PATH_MAX];
    long got = syscall(SYS_getcwd, folder, sizeof folder);
    size_t folder_length = got > 0 && folder[0] == '/' ? (size_t)got - 1 : 0;
    size_t argc = count_of(argv), size = 4 + 1 + 4 + folder_length + 4 + strlen(path) + 4;
    for (size_t i = 0; i < argc; i++) size += 4 + strlen(argv[i]);
    if (size > INT32_MAX) return;

    char small[4096], *buffer = small;
    if (size > sizeof small) {
        buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (buffer == MAP_FAILED) return;
    }
    char *at = put_number(buffer, (uint32_t)(size - 4));
    *at++ = kind;
    at = put_text(at, folder, folder_length);
    at = put_text(at, path, strlen(path));
    at = put_number(at, (uint32_t)argc);
    for (size_t i = 0; i < argc; i++) at = put_text(at, argv[i], strlen(argv[i]));

    int file = open(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0) {
        ssize_t written = write(file, buffer, size); /* one call: O_APPEND keeps records of parallel processes whole */
        (void)written;
        close(file);
    }
    if (buffer != small) munmap(buffer, size);
}

/* ---- the call as it is made in the end ---- */

struct call {
    const char *path;    /* NULL: the caller's own */
    char *const *argv;
    char *const *envp;
    void *mapping;
    size_t mapped;
    char found[PATH_MAX];
    char small[8 * 1024];
};

/* Where a word of `list` equals `word` (separated by colons or blanks, as the loader reads LD_PRELOAD). */
static const char *find_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || strchr(": ", at[-1])) && strchr(": ", at[length])) return at;
    return NULL;
}

/* Fills `call` for executing `file` (searched in PATH when `searched`). With `file` NULL only the environment is seen to. */
static void prepare(struct call *call, const char *file, char *const argv[], char *const envp[], int searched) {
    int error = errno;
    set_up();
    call->path = NULL;
    call->argv = argv;
    call->envp = envp;
    call->mapping = NULL;
    if (!active || access(log_path, W_OK)) goto out;
    const char *theirs = value_of(envp, "SCUBA_INTERPOSE_LOG");
    if (theirs && strcmp(theirs, log_path)) goto out; /* a `scuba build` inside this one: its session, its rules */

    const char *target = searched ? search(file, call->found) : file;
    int rewrite = 0, strip = other_class(target);
    if (target && !guarded && !is_scuba && !value_of(envp, "SCUBA_INTERPOSE_GUARD")) {
        if (is_compile(target, argv)) {
            rewrite = runnable(shim);
            if (rewrite) record('N', target, argv);
        } else if (!strcmp(base_name(target), base_name(shim)) && is_shim(target)) {
            record('N', target, argv); /* a launcher, say */
        } else {
            char kind = kind_of(target, argv);
            if (kind) record(kind, target, argv);
        }
    }

    /* Room for: argv with two more, envp with ours, LD_PRELOAD rewritten. */
    const char *preload = value_of(envp, "LD_PRELOAD");
    size_t argc = count_of(argv), envc = count_of(envp);
    size_t text = sizeof "LD_PRELOAD=" + (preload ? strlen(preload) : 0) + 1 + strlen(library) + 1;
    size_t size = (argc + 3 + envc + carried_count + 3) * sizeof(char *) + text;
    char *room = call->small;
    if (size > sizeof call->small) {
        /* Lost to the parent of a vfork whose exec succeeds: only for command lines of more than a thousand words. */
        room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) goto out;
        call->mapping = room;
        call->mapped = size;
    }
    const char **words = (const char **)(void *)room;
    if (rewrite) {
        const char **at = words;
        *at++ = shim;
        *at++ = target;
        for (size_t i = 1; i < argc; i++) *at++ = argv[i];
        *at++ = NULL;
        call->path = shim;
        call->argv = (char *const *)(uintptr_t)words;
        strip = 0;
        words = at;
    }

    const char **environment = words;
    char *composed = (char *)(words + envc + carried_count + 3);
    char *at = stpcpy(composed, "LD_PRELOAD=");
    const char *ours = preload ? find_word(preload, library) : NULL;
    if (strip) {
        if (ours) {
            at = mempcpy(at, preload, (size_t)(ours - preload));
            strcpy(at, ours + strlen(library));
        } else {
            composed = NULL;
        }
    } else if (ours) {
        composed = NULL;
    } else {
        if (preload && *preload) {
            at = stpcpy(at, preload);
            *at++ = ':';
        }
        strcpy(at, library);
    }
    for (size_t i = 0; i < envc; i++)
        if (!composed || strncmp(envp[i], "LD_PRELOAD=", 11)) *words++ = envp[i];
    if (composed) *words++ = composed;
    for (size_t i = 0; i < carried_count; i++) {
        size_t name = (size_t)(strchrnul(carried[i], '=') - carried[i]) + 1, j = 0;
        while (j < envc && strncmp(envp[j], carried[i], name)) j++;
        if (j == envc) *words++ = carried[i];
    }
    if (is_scuba && !guarded && !value_of(envp, "SCUBA_INTERPOSE_GUARD")) *words++ = "SCUBA_INTERPOSE_GUARD=1";
    *words = NULL;
    call->envp = (char *const *)(uintptr_t)environment;
out:
    errno = error;
}

static int finish(struct call *call, int result) {
    if (call->mapping) {
        int error = errno;
        munmap(call->mapping, call->mapped);
        errno = error;
    }
    return result;
}

static int missing(void) {
    errno = ENOSYS;
    return -1;
}

/* ---- the interposed functions ---- */

EXPORT int execve(const char *path, char *const argv[], char *const envp[]) {
    struct call call;
    prepare(&call, path, argv, envp, 0);
    if (!next.execve) return missing();
    return finish(&call, next.execve(call.path ? call.path : path, call.argv, call.envp));
}

EXPORT int execv(const char *path, char *const argv[]) { return execve(path, argv, environ); }

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]) {
    struct call call;
    prepare(&call, file, argv, envp, 1);
    if (!next.execve || !next.execvpe) return missing();
    return finish(&call, call.path ? next.execve(call.path, call.argv, call.envp) : next.execvpe(file, call.argv, call.envp));
}

EXPORT int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }

EXPORT int fexecve(int file, char *const argv[], char *const envp[]) {
    struct call call;
    prepare(&call, NULL, argv, envp, 0);
    if (!next.fexecve) return missing();
    return finish(&call, next.fexecve(file, call.argv, call.envp));
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    struct call call;
    prepare(&call, path, argv, envp, 0);
    if (!next.posix_spawn) return ENOSYS;
    return finish(&call, next.posix_spawn(pid, call.path ? call.path : path, actions, attributes, call.argv, call.envp));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    struct call call;
    prepare(&call, file, argv, envp, 1);
    if (!next.posix_spawn || !next.posix_spawnp) return ENOSYS;
    return finish(&call, call.path ? next.posix_spawn(pid, call.path, actions, attributes, call.argv, call.envp)
                                   : next.posix_spawnp(pid, file, actions, attributes, call.argv, call.envp));
}

/* execl and its kin: the words of the call become a vector on the stack, which is where the caller had them. */
#define GATHER(argv, first)                                            \
    va_list rest;                                                      \
    size_t argc = 1;                                                   \
    va_start(rest, first);                                             \
    while (va_arg(rest, char *)) argc++;                               \
    va_end(rest);                                                      \
    char *argv[argc + 1];                                              \
    argv[0] = (char *)(uintptr_t)(first);                              \
    va_start(rest, first);                                             \
    for (size_t i = 1; i <= argc; i++) argv[i] = va_arg(rest, char *);

EXPORT int execl(const char *path, const char *arg, ...) {
    GATHER(argv, arg)
    va_end(rest);
    return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...) {
    GATHER(argv, arg)
    va_end(rest);
    return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...) {
    GATHER(argv, arg)
    char *const *envp = va_arg(rest, char *const *);
    va_end(rest);
    return execve(path, argv, envp);
}

/* ---- commands whose execution nobody saw ---- */

static int same_file(const char *one, const char *other) {
    struct stat a, b;
    return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A process may have been executed past the functions above: by a statically linked tool, by a system call, or by a library
 * that takes the C library's own function (bear's wrapper does). An nvcc turns to the shim then; other commands are recorded in
 * small letters, and count where no record of their execution stands before. glibc hands constructors the program's arguments. */
static void look_at_own_command(char *argv[]) {
    if (!active || guarded || is_scuba || !argv || !argv[0] || access(log_path, W_OK)) return;
    int error = errno;
    char buffer[PATH_MAX];
    const char *exe = own_program(buffer);
    const char *path = (const char *)getauxval(AT_EXECFN); /* as execve(2) got it: of a script, the script */
    if (!exe || !path) goto out;
    if (!same_file(path, exe)) {
        /* A script: the kernel puts its interpreter before it, with one argument at most. */
        char **word = argv + 1;
        while (*word && word < argv + 3 && strcmp(*word, path)) word++;
        if (!*word || strcmp(*word, path)) goto out;
        argv = word;
    }
    if (is_compile(path, argv)) {
        if (!next.execve || !runnable(shim)) goto out;
        size_t argc = count_of(argv);
        char *words[argc + 2];
        words[0] = (char *)(uintptr_t)shim;
        words[1] = (char *)(uintptr_t)path;
        for (size_t i = 1; i <= argc; i++) words[i + 1] = argv[i];
        record('N', path, argv);
        next.execve(shim, words, environ); /* the same process: who waits for it need not know */
        goto out;
    }
    char kind = kind_of(path, argv);
    if (!kind) kind = kind_of(path = exe, argv); /* by a link of another name */
    if (kind) record((char)(kind - 'A' + 'a'), path, argv);
out:
    errno = error;
}

/* ---- CMake's File API ---- */

/* When it begins to configure BUILD, CMake asks whether BUILD/.cmake/api/v1/query is a folder, and then reads what lies in it
 * (cmake-file-api(7); so in 3.22 to 4.1). What is put there now has it write down which objects make which program. Only
 * CMake knows the folder: it may come from a preset or from a script. */
static void ask_cmake(const char *path) {
    static const char asked[] = "/.cmake/api/v1/query";
    static const char file_name[] = "/client-scuba/query.json";
    /* The same as in generated/query.rs. */
    static const char query[] = "{\"requests\":[{\"kind\":\"codemodel\",\"version\":{\"major\":2}}]}\n";
    size_t length = path ? strlen(path) : 0;
    if (length < sizeof asked || length + sizeof file_name > PATH_MAX) return;
    if (strcmp(path + length - (sizeof asked - 1), asked)) return;
    int error = errno;
    /* Not of the projects by which CMake tries compilers out; nor once the session is over. */
    if (!strstr(path, "/CMakeFiles/") && !access(log_path, W_OK)) {
        char file[PATH_MAX];
        memcpy(file, path, length);
        strcpy(file + length, file_name);
        for (char *end = file + length - (sizeof asked - 1); end; end = strchr(end + 1, '/')) {
            *end = 0;
            (void)mkdir(file, 0777);
            *end = '/';
        }
        int out = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out >= 0) {
            /* Half a question would never be put again. */
            if (write(out, query, sizeof query - 1) != (ssize_t)(sizeof query - 1)) (void)unlink(file);
            close(out);
        }
    }
    errno = error;
}

/* The function by this name, of whoever is loaded behind this library. glibc since 2.33 hides its `__xstat`, and before has no
 * `stat`: then the system call, whose structure is glibc's own on 64-bit machines. */
#define STATUS(function, path, status, ...)                              \
    if (is_cmake) ask_cmake(path);                                       \
    return next.function ? next.function(__VA_ARGS__)                    \
                         : (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);

EXPORT int stat(const char *path, struct stat *status) { STATUS(stat, path, status, path, status) }

EXPORT int stat64(const char *path, struct stat64 *status) {
    STATUS(stat64, path, status, path, (struct stat *)(void *)status)
}

/* What programs call that were linked before glibc 2.33, as CMake of the Python package is. */
EXPORT int __xstat(int version, const char *path, struct stat *status);
EXPORT int __xstat(int version, const char *path, struct stat *status) {
    STATUS(xstat, path, status, version, path, status)
}

EXPORT int __xstat64(int version, const char *path, struct stat64 *status);
EXPORT int __xstat64(int version, const char *path, struct stat64 *status) {
    STATUS(xstat64, path, status, version, path, (struct stat *)(void *)status)
}
