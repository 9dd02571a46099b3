// Looks at the arguments of the host's copies, fills and frees; part of `scuba confirm`.
//
// Linked into a program whose objects call the CUDA runtime through it (ld's --wrap) and whose heap it keeps the blocks of (malloc and
// its like are defined here, on top of the C library's). With SCUBA_CALLS=FILE in the environment each side of a call that leaves its
// block, or is in one that was freed, becomes a line of that file:
//
//   bad CALL read|write host|device live|freed ADDRESS OFFSET BYTES EXTENT
//   unknown CALL read|write ADDRESS       memory of which nothing is known: a local variable of the host, or another library's
//
// An access of the program itself that the machine refuses is a line too, with CALL `access`, where it is in a block.
//
// With SCUBA_KERNEL=SYMBOL launches of other kernels are left out, and this is a line once:
//
//   launched SYMBOL
//
// What leaves its block is left out of the call, so that what comes after can be seen too. Without SCUBA_CALLS calls pass through.
// It is built without the CUDA toolkit's headers: types are those of the runtime's ABI.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);
}

namespace {

using Address = std::uintptr_t;

enum class Kind { device, pinned, heap, variable };

struct Block { std::size_t bytes; Kind kind; bool live; };

// The bookkeeping allocates too: what it does itself is not looked at.
thread_local bool inside = false;

struct Inside {
    bool before = inside;
    Inside() { inside = true; }
    ~Inside() { inside = before; }
};

class Blocks {
  public:
    // Never destroyed: programs free until the very end.
    static Blocks &all() {
        alignas(Blocks) static unsigned char place[sizeof(Blocks)];
        static Blocks *blocks = new (place) Blocks;
        return *blocks;
    }

    bool on() const { return file >= 0; }

    void add(const void *p, std::size_t bytes, Kind kind) {
        if (p == nullptr || inside || !on()) return;
        Inside now;
        std::lock_guard<std::recursive_mutex> lock(mutex);
        Address at = reinterpret_cast<Address>(p);
        // What lay there before is gone for good.
        auto next = known.lower_bound(at);
        if (next != known.begin()) {
            auto before = std::prev(next);
            if (before->first + before->second.bytes > at) next = before;
        }
        while (next != known.end() && next->first < at + (bytes == 0 ? 1 : bytes)) next = known.erase(next);
        known[at] = Block{bytes, kind, true};
    }

    void end(const void *p) {
        if (p == nullptr || inside || !on()) return;
        Inside now;
        std::lock_guard<std::recursive_mutex> lock(mutex);
        auto found = known.find(reinterpret_cast<Address>(p));
        if (found == known.end()) return;
        found->second.live = false;
    }

    // All that the runtime gave is gone.
    void end_all() {
        if (!on()) return;
        Inside now;
        std::lock_guard<std::recursive_mutex> lock(mutex);
        for (auto &one : known)
            if (one.second.kind == Kind::device || one.second.kind == Kind::pinned) one.second.live = false;
    }

    // How many of these bytes a call may use: all of them where nothing is known.
    std::size_t allowed(const char *call, bool writes, const void *p, std::size_t bytes) {
        if (bytes == 0 || inside || !on()) return bytes;
        Inside now;
        std::lock_guard<std::recursive_mutex> lock(mutex);
        Address at = reinterpret_cast<Address>(p), start = 0;
        Block block{};
        if (!find(at, start, block)) {
            say("unknown %s %s 0x%zx\n", call, writes ? "write" : "read", at);
            return bytes;
        }
        return judge(call, writes, block, at, static_cast<long long>(at) - static_cast<long long>(start), bytes);
    }

    std::size_t judge(const char *call, bool writes, const Block &block, Address at, long long offset, std::size_t bytes) {
        const bool fits = offset >= 0 && static_cast<std::size_t>(offset) <= block.bytes && bytes <= block.bytes - static_cast<std::size_t>(offset);
        if (fits && block.live) return bytes;
        say("bad %s %s %s %s 0x%zx %lld %zu %zu\n", call, writes ? "write" : "read", block.kind == Kind::device ? "device" : "host", block.live ? "live" : "freed", at,
            offset, bytes, block.bytes);
        // What lies there now may be something else's.
        if (!block.live) return bytes;
        if (offset < 0 || static_cast<std::size_t>(offset) >= block.bytes) return 0;
        return fits ? bytes : block.bytes - static_cast<std::size_t>(offset);
    }

  private:
    std::recursive_mutex mutex;
    std::map<Address, Block> known;
    int file = -1;
    int lines = 0;

    Blocks() {
        Inside now;
        const char *path = std::getenv("SCUBA_CALLS");
        if (path == nullptr) return;
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file < 0) return;
        variables();
        struct sigaction on_fault {};
        on_fault.sa_sigaction = faulted;
        on_fault.sa_flags = SA_SIGINFO | SA_RESETHAND;
        sigaction(SIGSEGV, &on_fault, nullptr);
        sigaction(SIGBUS, &on_fault, nullptr);
    }

    // The machine refuses an access: where it is in a block, that is told. Then it ends the program as it would have.
    static void faulted(int, siginfo_t *info, void *context) {
        Address at = reinterpret_cast<Address>(info->si_addr), start = 0;
        Block block{};
        Blocks &blocks = all();
        bool writes = false;
#ifdef __x86_64__
        // The error code of a page fault (Intel SDM 3A, 4.7).
        writes = (static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
        (void)context;
#endif
        // What holds the lock may be what faulted.
        if (!blocks.mutex.try_lock()) return;
        if (blocks.find(at, start, block))
            blocks.say("bad access %s %s %s 0x%zx %lld 1 %zu\n", writes ? "write" : "read", block.kind == Kind::device ? "device" : "host",
                       block.live ? "live" : "freed", at, static_cast<long long>(at) - static_cast<long long>(start), block.bytes);
        blocks.mutex.unlock();
    }

  public:
    template <typename... A> void say(const char *form, A... a) {
        char text[512];
        int length = std::snprintf(text, sizeof text, form, a...);
        // More of them would say nothing new.
        if (length <= 0 || ++lines > 10000) return;
        ssize_t written = write(file, text, static_cast<std::size_t>(length) < sizeof text ? static_cast<std::size_t>(length) : sizeof text - 1);
        (void)written;
    }

  private:
    bool find(Address at, Address &start, Block &block) const {
        auto next = known.upper_bound(at);
        if (next != known.begin()) {
            auto before = std::prev(next);
            // Just behind a block is nothing else, or it would be known; behind a variable may be a text.
            const std::size_t distance = at - before->first;
            if (distance < before->second.bytes || (distance == before->second.bytes && before->second.kind != Kind::variable)) {
                start = before->first;
                block = before->second;
                return true;
            }
        }
        return false;
    }

    // The variables of the program itself, by its symbol table.
    void variables() {
        int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (self < 0) return;
        if (fstat(self, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(Elf64_Ehdr))) {
            close(self);
            return;
        }
        const std::size_t size = static_cast<std::size_t>(status.st_size);
        void *image = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, self, 0);
        close(self);
        if (image == MAP_FAILED) return;
        Address base = 0;
        dl_iterate_phdr([](dl_phdr_info *info, std::size_t, void *to) { *static_cast<Address *>(to) = info->dlpi_addr; return 1; }, &base);
        const char *bytes = static_cast<const char *>(image);
        const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
        const bool whole = header->e_shoff != 0 && header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shoff + std::size_t{header->e_shnum} * sizeof(Elf64_Shdr) <= size;
        const auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes + header->e_shoff);
        for (int i = 0; whole && i < header->e_shnum; ++i) {
            const Elf64_Shdr &s = sections[i];
            if (s.sh_type != SHT_SYMTAB || s.sh_offset + s.sh_size > size) continue;
            const auto *symbols = reinterpret_cast<const Elf64_Sym *>(bytes + s.sh_offset);
            for (std::size_t n = 0; n < s.sh_size / sizeof(Elf64_Sym); ++n) {
                const Elf64_Sym &y = symbols[n];
                if (ELF64_ST_TYPE(y.st_info) == STT_OBJECT && y.st_size > 0 && y.st_shndx != SHN_UNDEF && y.st_shndx < SHN_LORESERVE)
                    known[base + y.st_value] = Block{y.st_size, Kind::variable, true};
            }
        }
        munmap(image, size);
    }
};

// Which launches reach the device.
class Kernels {
  public:
    static Kernels &all() {
        alignas(Kernels) static unsigned char place[sizeof(Kernels)];
        static Kernels *kernels = new (place) Kernels;
        return *kernels;
    }

    // A kernel's symbol by what the host calls it.
    void add(const void *stub, const char *symbol) {
        if (wanted.empty() || symbol == nullptr) return;
        Inside now;
        std::lock_guard<std::mutex> lock(mutex);
        if (wanted == readable(symbol)) meant.push_back(stub);
    }

    // The runtime's own name for it.
    void alias(const void *handle, const void *stub) {
        if (wanted.empty()) return;
        Inside now;
        std::lock_guard<std::mutex> lock(mutex);
        if (is_meant(stub) && !is_meant(handle)) meant.push_back(handle);
    }

    bool runs(const void *kernel) {
        if (wanted.empty()) return true;
        Inside now;
        std::lock_guard<std::mutex> lock(mutex);
        if (!is_meant(kernel)) return false;
        if (!told) Blocks::all().say("launched %s\n", std::getenv("SCUBA_KERNEL"));
        told = true;
        return true;
    }

  private:
    std::mutex mutex;
    std::string wanted;
    std::vector<const void *> meant;
    bool told = false;

    Kernels() {
        Inside now;
        const char *symbol = std::getenv("SCUBA_KERNEL");
        if (symbol != nullptr) wanted = readable(symbol);
    }

    bool is_meant(const void *kernel) const {
        for (const void *one : meant)
            if (one == kernel) return true;
        return false;
    }

    // Compilers mangle what is local to a unit differently.
    static std::string readable(const char *symbol) {
        int status = 0;
        char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
        std::string out = status == 0 && text != nullptr ? text : symbol;
        std::free(text);
        return out;
    }
};

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

// Bytes from the first to the last of some rows.
std::size_t span(std::size_t pitch, std::size_t width, std::size_t rows) { return width == 0 || rows == 0 ? 0 : (rows - 1) * pitch + width; }

// Rows that end within so many bytes.
std::size_t rows_in(std::size_t pitch, std::size_t width, std::size_t rows, std::size_t bytes) {
    if (span(pitch, width, rows) <= bytes) return rows;
    return bytes < width ? 0 : pitch == 0 ? rows : least(rows, (bytes - width) / pitch + 1);
}

} // namespace

extern "C" {

void *malloc(std::size_t n) {
    void *p = __libc_malloc(n);
    if (!inside) Blocks::all().add(p, n, Kind::heap);
    return p;
}
void *calloc(std::size_t n, std::size_t each) {
    void *p = __libc_calloc(n, each);
    if (!inside) Blocks::all().add(p, n * each, Kind::heap);
    return p;
}
void free(void *p) {
    if (!inside && p != nullptr) Blocks::all().end(p);
    __libc_free(p);
}
void *realloc(void *old, std::size_t n) {
    void *p = __libc_realloc(old, n);
    if (!inside && (p != nullptr || n == 0)) {
        Blocks::all().end(old);
        Blocks::all().add(p, n, Kind::heap);
    }
    return p;
}
void *memalign(std::size_t alignment, std::size_t n) {
    void *p = __libc_memalign(alignment, n);
    if (!inside) Blocks::all().add(p, n, Kind::heap);
    return p;
}
void *aligned_alloc(std::size_t alignment, std::size_t n) { return memalign(alignment, n); }
int posix_memalign(void **out, std::size_t alignment, std::size_t n) {
    void *p = memalign(alignment, n);
    if (p == nullptr) return ENOMEM;
    *out = p;
    return 0;
}

// The runtime's own, by ld's --wrap. A status of 0 is success.
#define ALLOCATES(name, kind, parameters, arguments, bytes)                                                                        \
    int __real_##name parameters;                                                                                                  \
    int __wrap_##name parameters {                                                                                                 \
        int status = __real_##name arguments;                                                                                      \
        if (status == 0 && out != nullptr) Blocks::all().add(*out, bytes, Kind::kind);                                             \
        return status;                                                                                                             \
    }
ALLOCATES(cudaMalloc, device, (void **out, std::size_t n), (out, n), n)
ALLOCATES(cudaMallocManaged, device, (void **out, std::size_t n, unsigned flags), (out, n, flags), n)
ALLOCATES(cudaMallocAsync, device, (void **out, std::size_t n, void *stream), (out, n, stream), n)
ALLOCATES(cudaMallocAsync_ptsz, device, (void **out, std::size_t n, void *stream), (out, n, stream), n)
ALLOCATES(cudaMallocPitch, device, (void **out, std::size_t *pitch, std::size_t width, std::size_t rows), (out, pitch, width, rows), *pitch *rows)
ALLOCATES(cudaMallocHost, pinned, (void **out, std::size_t n), (out, n), n)
ALLOCATES(cudaHostAlloc, pinned, (void **out, std::size_t n, unsigned flags), (out, n, flags), n)

#define FREES(name, parameters, arguments)                                                                                         \
    int __real_##name parameters;                                                                                                  \
    int __wrap_##name parameters {                                                                                                 \
        int status = __real_##name arguments;                                                                                      \
        if (status == 0) Blocks::all().end(p);                                                                                     \
        return status;                                                                                                             \
    }
FREES(cudaFree, (void *p), (p))
FREES(cudaFreeAsync, (void *p, void *stream), (p, stream))
FREES(cudaFreeAsync_ptsz, (void *p, void *stream), (p, stream))
FREES(cudaFreeHost, (void *p), (p))

#define RESETS(name)                                                                                                               \
    int __real_##name();                                                                                                           \
    int __wrap_##name() {                                                                                                          \
        int status = __real_##name();                                                                                              \
        if (status == 0) Blocks::all().end_all();                                                                                  \
        return status;                                                                                                             \
    }
RESETS(cudaDeviceReset)

#define COPIES(...) COPIES_AS(__VA_ARGS__)
#define COPIES_AS(wrapped, call, parameters, arguments)                                                                            \
    int __real_##wrapped parameters;                                                                                               \
    int __wrap_##wrapped parameters {                                                                                              \
        std::size_t to_fit = Blocks::all().allowed(call, true, to, n);                                                             \
        std::size_t from_fit = Blocks::all().allowed(call, false, from, n);                                                        \
        n = least(to_fit, from_fit);                                                                                               \
        return __real_##wrapped arguments;                                                                                         \
    }
#define COPY (void *to, const void *from, std::size_t n, int kind), (to, from, n, kind)
#define COPY_IN_STREAM (void *to, const void *from, std::size_t n, int kind, void *stream), (to, from, n, kind, stream)
COPIES(cudaMemcpy, "cudaMemcpy", COPY)
COPIES(cudaMemcpy_ptds, "cudaMemcpy", COPY)
COPIES(cudaMemcpyAsync, "cudaMemcpyAsync", COPY_IN_STREAM)
COPIES(cudaMemcpyAsync_ptsz, "cudaMemcpyAsync", COPY_IN_STREAM)

#define FILLS(...) FILLS_AS(__VA_ARGS__)
#define FILLS_AS(wrapped, call, parameters, arguments)                                                                             \
    int __real_##wrapped parameters;                                                                                               \
    int __wrap_##wrapped parameters {                                                                                              \
        n = Blocks::all().allowed(call, true, to, n);                                                                              \
        return __real_##wrapped arguments;                                                                                         \
    }
#define FILL (void *to, int value, std::size_t n), (to, value, n)
#define FILL_IN_STREAM (void *to, int value, std::size_t n, void *stream), (to, value, n, stream)
FILLS(cudaMemset, "cudaMemset", FILL)
FILLS(cudaMemset_ptds, "cudaMemset", FILL)
FILLS(cudaMemsetAsync, "cudaMemsetAsync", FILL_IN_STREAM)
FILLS(cudaMemsetAsync_ptsz, "cudaMemsetAsync", FILL_IN_STREAM)

#define COPIES_ROWS(...) COPIES_ROWS_AS(__VA_ARGS__)
#define COPIES_ROWS_AS(wrapped, call, parameters, arguments)                                                                       \
    int __real_##wrapped parameters;                                                                                               \
    int __wrap_##wrapped parameters {                                                                                              \
        std::size_t to_fit = Blocks::all().allowed(call, true, to, span(to_pitch, width, rows));                                   \
        std::size_t from_fit = Blocks::all().allowed(call, false, from, span(from_pitch, width, rows));                            \
        rows = least(rows_in(to_pitch, width, rows, to_fit), rows_in(from_pitch, width, rows, from_fit));                          \
        return __real_##wrapped arguments;                                                                                         \
    }
#define ROWS                                                                                                                       \
    (void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width, std::size_t rows, int kind),     \
        (to, to_pitch, from, from_pitch, width, rows, kind)
#define ROWS_IN_STREAM                                                                                                             \
    (void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width, std::size_t rows, int kind,      \
     void *stream),                                                                                                                \
        (to, to_pitch, from, from_pitch, width, rows, kind, stream)
COPIES_ROWS(cudaMemcpy2D, "cudaMemcpy2D", ROWS)
COPIES_ROWS(cudaMemcpy2D_ptds, "cudaMemcpy2D", ROWS)
COPIES_ROWS(cudaMemcpy2DAsync, "cudaMemcpy2DAsync", ROWS_IN_STREAM)
COPIES_ROWS(cudaMemcpy2DAsync_ptsz, "cudaMemcpy2DAsync", ROWS_IN_STREAM)

#define FILLS_ROWS(...) FILLS_ROWS_AS(__VA_ARGS__)
#define FILLS_ROWS_AS(wrapped, call, parameters, arguments)                                                                        \
    int __real_##wrapped parameters;                                                                                               \
    int __wrap_##wrapped parameters {                                                                                              \
        rows = rows_in(pitch, width, rows, Blocks::all().allowed(call, true, to, span(pitch, width, rows)));                       \
        return __real_##wrapped arguments;                                                                                         \
    }
#define FILL_ROWS (void *to, std::size_t pitch, int value, std::size_t width, std::size_t rows), (to, pitch, value, width, rows)
#define FILL_ROWS_IN_STREAM                                                                                                        \
    (void *to, std::size_t pitch, int value, std::size_t width, std::size_t rows, void *stream), (to, pitch, value, width, rows, stream)
FILLS_ROWS(cudaMemset2D, "cudaMemset2D", FILL_ROWS)
FILLS_ROWS(cudaMemset2D_ptds, "cudaMemset2D", FILL_ROWS)
FILLS_ROWS(cudaMemset2DAsync, "cudaMemset2DAsync", FILL_ROWS_IN_STREAM)
FILLS_ROWS(cudaMemset2DAsync_ptsz, "cudaMemset2DAsync", FILL_ROWS_IN_STREAM)

int cudaGetSymbolSize(std::size_t *, const void *);
int cudaGetLastError(void);

// A variable of the device, by the address that the host knows it by.
static std::size_t in_symbol(const char *call, bool writes, const void *symbol, std::size_t offset, std::size_t bytes) {
    std::size_t extent = 0;
    if (inside || !Blocks::all().on() || bytes == 0) return bytes;
    if (cudaGetSymbolSize(&extent, symbol) != 0) {
        cudaGetLastError();
        return bytes;
    }
    return Blocks::all().judge(call, writes, Block{extent, Kind::device, true}, reinterpret_cast<Address>(symbol), static_cast<long long>(offset), bytes);
}

// With a variable on one side, at an offset; `other` is the side in plain memory.
#define COPIES_SYMBOL(wrapped, call, writes_symbol, parameters, arguments)                                                         \
    int __real_##wrapped parameters;                                                                                               \
    int __wrap_##wrapped parameters {                                                                                              \
        std::size_t there = in_symbol(call, writes_symbol, symbol, offset, n);                                                     \
        n = least(there, Blocks::all().allowed(call, !(writes_symbol), other, n));                                                 \
        return __real_##wrapped arguments;                                                                                         \
    }
COPIES_SYMBOL(cudaMemcpyToSymbol, "cudaMemcpyToSymbol", true, (const void *symbol, const void *other, std::size_t n, std::size_t offset, int kind),
              (symbol, other, n, offset, kind))
COPIES_SYMBOL(cudaMemcpyToSymbol_ptds, "cudaMemcpyToSymbol", true,
              (const void *symbol, const void *other, std::size_t n, std::size_t offset, int kind), (symbol, other, n, offset, kind))
COPIES_SYMBOL(cudaMemcpyToSymbolAsync, "cudaMemcpyToSymbolAsync", true,
              (const void *symbol, const void *other, std::size_t n, std::size_t offset, int kind, void *stream), (symbol, other, n, offset, kind, stream))
COPIES_SYMBOL(cudaMemcpyFromSymbol, "cudaMemcpyFromSymbol", false, (void *other, const void *symbol, std::size_t n, std::size_t offset, int kind),
              (other, symbol, n, offset, kind))
COPIES_SYMBOL(cudaMemcpyFromSymbol_ptds, "cudaMemcpyFromSymbol", false, (void *other, const void *symbol, std::size_t n, std::size_t offset, int kind),
              (other, symbol, n, offset, kind))
COPIES_SYMBOL(cudaMemcpyFromSymbolAsync, "cudaMemcpyFromSymbolAsync", false,
              (void *other, const void *symbol, std::size_t n, std::size_t offset, int kind, void *stream), (other, symbol, n, offset, kind, stream))

// Which kernel a launch is of: units tell the runtime what they call their kernels before `main`. Not every version has each of these.
struct Extent3 { unsigned x, y, z; };

__attribute__((weak)) void __real___cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
#define REGISTERS(name)                                                                                                            \
    void __wrap_##name(void **unit, const char *stub, char *kernel, const char *symbol, int threads, void *tid, void *bid, void *block, void *grid, int *warp) { \
        Kernels::all().add(stub, symbol);                                                                                          \
        __real_##name(unit, stub, kernel, symbol, threads, tid, bid, block, grid, warp);                                           \
    }
REGISTERS(__cudaRegisterFunction)

__attribute__((weak)) int __real___cudaGetKernel(void **, const void *);
#define NAMES(name)                                                                                                                \
    int __wrap_##name(void **out, const void *stub) {                                                                              \
        int status = __real_##name(out, stub);                                                                                     \
        if (status == 0 && out != nullptr) Kernels::all().alias(*out, stub);                                                       \
        return status;                                                                                                             \
    }
NAMES(__cudaGetKernel)

#define LAUNCHES(name, parameters, arguments)                                                                                      \
    __attribute__((weak)) int __real_##name parameters;                                                                            \
    int __wrap_##name parameters { return Kernels::all().runs(kernel) ? __real_##name arguments : 0; }
#define LAUNCH (const void *kernel, Extent3 grid, Extent3 block, void **of, std::size_t shared, void *stream), (kernel, grid, block, of, shared, stream)
#define LAUNCH_BY_CONFIGURATION (const void *configuration, const void *kernel, void **of), (configuration, kernel, of)
#define LAUNCHES_AS(...) LAUNCHES(__VA_ARGS__)
LAUNCHES_AS(cudaLaunchKernel, LAUNCH)
LAUNCHES_AS(cudaLaunchKernel_ptsz, LAUNCH)
LAUNCHES_AS(__cudaLaunchKernel, LAUNCH)
LAUNCHES_AS(__cudaLaunchKernel_ptsz, LAUNCH)
LAUNCHES_AS(cudaLaunchCooperativeKernel, LAUNCH)
LAUNCHES_AS(cudaLaunchCooperativeKernel_ptsz, LAUNCH)
LAUNCHES_AS(cudaLaunchKernelExC, LAUNCH_BY_CONFIGURATION)
LAUNCHES_AS(cudaLaunchKernelExC_ptsz, LAUNCH_BY_CONFIGURATION)
}
