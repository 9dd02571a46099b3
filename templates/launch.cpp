// Runs one launch of one kernel as a file describes it; part of `scuba confirm`.
//
//   launch FILE
//
// It loads a cubin through the CUDA driver, which it opens by name: it builds with any C++ compiler and without the CUDA
// toolkit's headers, also where there is no GPU. FILE holds one statement a line:
//
//   module PATH                          the cubin, or PTX
//   kernel SYMBOL                        its entry
//   grid X Y Z | block X Y Z | shared N  dynamic shared memory in bytes
//   object ID device BYTES               memory to allocate; it is zero where nothing else is said
//   object ID roomy BYTES                the same, with memory that may be used before and after it
//   object ID freed BYTES                the same as device, freed before the launch
//   object ID host BYTES                 ordinary memory of the host
//   object ID symbol BYTES NAME          a __device__ or __constant__ variable of the module; one that is not there is left out
//   bytes ID OFFSET HEX                  what it holds
//   address ID OFFSET TARGET DISTANCE    it holds the address of another object, plus so many bytes
//   parameter N BYTES                    the kernel's parameters, in order
//   value N OFFSET HEX | points N OFFSET TARGET DISTANCE     what they hold, as above
//   records NAME ROW…                    print what the check compiled into the kernel recorded in that variable; as soon as
//                                        each of these rows has seen its witness, the rest of the launch is not waited for
//
// SCUBA_SECONDS in the environment is how long it may take: then it ends by itself, also where nobody is left to end it.
// SCUBA_WAIT_MS is how long a launch with `records` is waited for: what was recorded until then is printed.
//
// Exit status: 0 the launch ran; 1 the driver says that it failed, or it did not end; 3 it could not be made.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// The driver's types as its ABI has them: results are ints, devices ints, device addresses 64 bits, handles pointers.
using Address = std::uint64_t;
using Handle = void *;

struct Driver {
    int (*init)(unsigned);
    int (*device_get)(int *, int);
    int (*device_name)(char *, int, int);
    int (*retain)(Handle *, int);
    int (*set_current)(Handle);
    int (*load)(Handle *, const char *);
    int (*function)(Handle *, Handle, const char *);
    int (*global)(Address *, std::size_t *, Handle, const char *);
    int (*attribute)(Handle, int, int);
    int (*alloc)(Address *, std::size_t);
    int (*release)(Address);
    int (*fill)(Address, unsigned char, std::size_t);
    int (*to_device)(Address, const void *, std::size_t);
    int (*to_host)(void *, Address, std::size_t);
    int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **);
    int (*synchronize)();
    int (*stream)(Handle *, unsigned);
    int (*query)(Handle);
    int (*wait)(Handle);
    int (*to_host_in)(void *, Address, std::size_t, Handle);
    int (*text)(int, const char **);
};

[[noreturn]] void give_up(const std::string &why) {
    std::cout << "cannot " << why << std::endl;
    std::_Exit(3);
}

Driver cu;

std::string describe(int result) {
    const char *text = nullptr;
    if (cu.text == nullptr || cu.text(result, &text) != 0 || text == nullptr) text = "unknown";
    return std::to_string(result) + " (" + text + ")";
}

void must(int result, const std::string &what) {
    if (result != 0) give_up(what + ": the driver says " + describe(result));
}

template <typename F> void find(void *library, const char *name, F &slot) {
    void *symbol = dlsym(library, name);
    if (symbol == nullptr) give_up(std::string("find ") + name + " in libcuda.so.1");
    std::memcpy(&slot, &symbol, sizeof symbol);
}

void open_driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) give_up("open libcuda.so.1: no NVIDIA driver is installed here");
    find(library, "cuInit", cu.init);
    find(library, "cuDeviceGet", cu.device_get);
    find(library, "cuDeviceGetName", cu.device_name);
    find(library, "cuDevicePrimaryCtxRetain", cu.retain);
    find(library, "cuCtxSetCurrent", cu.set_current);
    find(library, "cuModuleLoad", cu.load);
    find(library, "cuModuleGetFunction", cu.function);
    find(library, "cuModuleGetGlobal_v2", cu.global);
    find(library, "cuFuncSetAttribute", cu.attribute);
    find(library, "cuMemAlloc_v2", cu.alloc);
    find(library, "cuMemFree_v2", cu.release);
    find(library, "cuMemsetD8_v2", cu.fill);
    find(library, "cuMemcpyHtoD_v2", cu.to_device);
    find(library, "cuMemcpyDtoH_v2", cu.to_host);
    find(library, "cuLaunchKernel", cu.launch);
    find(library, "cuCtxSynchronize", cu.synchronize);
    find(library, "cuStreamCreate", cu.stream);
    find(library, "cuStreamQuery", cu.query);
    find(library, "cuStreamSynchronize", cu.wait);
    find(library, "cuMemcpyDtoHAsync_v2", cu.to_host_in);
    find(library, "cuGetErrorString", cu.text);
}

std::vector<unsigned char> from_hex(const std::string &hex) {
    if (hex.size() % 2 != 0) give_up("read a byte from half of it");
    std::vector<unsigned char> bytes(hex.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    return bytes;
}

constexpr std::size_t room = 1u << 20;

struct Object { Address at = 0; std::size_t bytes = 0; bool freed = false; bool on_host = false; };

struct Launch {
    Handle module = nullptr;
    Handle kernel = nullptr;
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared = 0;
    std::map<std::string, Object> objects;
    std::vector<std::vector<unsigned char>> parameters;
    std::string records;
    std::vector<std::size_t> sought;

    Address address(const std::string &id, long long distance) const {
        auto found = objects.find(id);
        if (found == objects.end()) give_up("find object " + id);
        return found->second.at + static_cast<Address>(distance);
    }

    void write(const std::string &id, std::size_t offset, const void *data, std::size_t bytes) {
        const Object &o = objects[id];
        if (o.at == 0) return;
        if (offset > o.bytes || bytes > o.bytes - offset) give_up("write outside object " + id);
        if (o.on_host) std::memcpy(reinterpret_cast<char *>(o.at) + offset, data, bytes);
        else must(cu.to_device(o.at + offset, data, bytes), "write object " + id);
    }

    void set(std::size_t n, std::size_t offset, const void *data, std::size_t bytes) {
        if (n >= parameters.size() || offset + bytes > parameters[n].size()) give_up("set a parameter beyond its end");
        std::memcpy(parameters[n].data() + offset, data, bytes);
    }

    void statement(std::istringstream &line) {
        std::string word, id, what;
        if (!(line >> word)) return;
        if (word == "module") {
            line >> std::ws;
            std::getline(line, what);
            must(cu.load(&module, what.c_str()), "load " + what);
        } else if (word == "kernel") {
            line >> what;
            must(cu.function(&kernel, module, what.c_str()), "find the kernel " + what);
        } else if (word == "grid") {
            line >> grid[0] >> grid[1] >> grid[2];
        } else if (word == "block") {
            line >> block[0] >> block[1] >> block[2];
        } else if (word == "shared") {
            line >> shared;
        } else if (word == "object") {
            Object o;
            line >> id >> what >> o.bytes;
            if (what == "symbol") {
                std::size_t size = 0;
                line >> what;
                if (cu.global(&o.at, &size, module, what.c_str()) != 0) {
                    std::cout << "no variable " << what << std::endl;
                    o.at = 0;
                }
                o.bytes = size;
            } else if (what == "host") {
                o.on_host = true;
                o.at = reinterpret_cast<Address>(std::calloc(1, o.bytes == 0 ? 1 : o.bytes));
            } else {
                // The driver allocates no 0 bytes; one byte is the nearest.
                std::size_t around = what == "roomy" ? room : 0, all = o.bytes + 2 * around;
                if (all == 0) all = 1;
                must(cu.alloc(&o.at, all), "allocate " + std::to_string(all) + " bytes");
                must(cu.fill(o.at, 0, all), "fill memory");
                o.at += around;
                o.freed = what == "freed";
            }
            objects[id] = o;
            std::cout << "object " << id << " at 0x" << std::hex << o.at << std::dec << " bytes " << o.bytes << std::endl;
        } else if (word == "bytes") {
            std::size_t offset = 0;
            line >> id >> offset >> what;
            auto data = from_hex(what);
            write(id, offset, data.data(), data.size());
        } else if (word == "address") {
            std::size_t offset = 0;
            long long distance = 0;
            line >> id >> offset >> what >> distance;
            Address a = address(what, distance);
            write(id, offset, &a, sizeof a);
        } else if (word == "parameter") {
            std::size_t n = 0, bytes = 0;
            line >> n >> bytes;
            if (n != parameters.size()) give_up("read parameters out of order");
            parameters.emplace_back(bytes);
        } else if (word == "value") {
            std::size_t n = 0, offset = 0;
            line >> n >> offset >> what;
            auto data = from_hex(what);
            set(n, offset, data.data(), data.size());
        } else if (word == "points") {
            std::size_t n = 0, offset = 0;
            long long distance = 0;
            line >> n >> offset >> what >> distance;
            Address a = address(what, distance);
            set(n, offset, &a, sizeof a);
        } else if (word == "records") {
            line >> records;
            for (std::size_t row; line >> row;) sought.push_back(row);
            if (line.eof()) line.clear();
        } else {
            give_up("understand `" + word + "`");
        }
        if (line.fail()) give_up("read the statement `" + word + "`");
    }

    // What the check writes while the kernel runs, by its rows (templates/check.ll says what they hold). Whether it ended is asked of
    // a stream of its own, and what was recorded is copied in another: neither waits for the kernel.
    struct Recorded {
        static constexpr std::size_t width = 10;
        Address at = 0;
        std::vector<std::int64_t> rows;
        Handle stream = nullptr;

        explicit Recorded(const Launch &launch) {
            std::size_t bytes = 0;
            must(cu.global(&at, &bytes, launch.module, launch.records.c_str()), "find what the check recorded");
            rows.resize(bytes / sizeof(std::int64_t));
            must(cu.stream(&stream, 1), "make a stream");
            must(read(), "read what the check recorded");
        }

        int read() {
            int result = cu.to_host_in(rows.data(), at, rows.size() * sizeof(std::int64_t), stream);
            return result != 0 ? result : cu.wait(stream);
        }

        bool has(const std::vector<std::size_t> &sought) const {
            auto seen = [&](std::size_t row) { return (row + 1) * width <= rows.size() && rows[row * width + 1] > 0; };
            return !sought.empty() && std::all_of(sought.begin(), sought.end(), seen);
        }

        void print() const {
            for (std::size_t row = 0; (row + 1) * width <= rows.size(); ++row) {
                const std::int64_t *r = rows.data() + row * width;
                if (r[0] == 0) continue;
                std::cout << "record " << row;
                for (std::size_t i = 0; i + 1 < width; ++i) std::cout << ' ' << r[i];
                std::cout << " 0x" << std::hex << r[width - 1] << std::dec << std::endl;
            }
        }
    };

    int start(Handle stream) {
        // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: where static and dynamic memory are more than 48 KiB together, a kernel
        // must ask for it.
        if (shared > 0) must(cu.attribute(kernel, 8, static_cast<int>(shared)), "give the kernel its shared memory");
        std::vector<void *> arguments;
        for (auto &p : parameters) arguments.push_back(p.data());
        return cu.launch(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream, arguments.data(), nullptr);
    }

    // Until it ends, all that is sought was seen, or the time is up.
    int run_watched() {
        constexpr int not_ready = 600;
        Recorded recorded(*this);
        Handle stream = nullptr;
        must(cu.stream(&stream, 1), "make a stream");
        // What was filled and copied is there: these streams do not wait for the default one.
        must(cu.wait(nullptr), "prepare memory");
        const char *wait = std::getenv("SCUBA_WAIT_MS");
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait == nullptr ? 0 : std::atoll(wait));
        int result = start(stream);
        bool seen = false, late = false;
        if (result == 0) {
            while ((result = cu.query(stream)) == not_ready && !seen && !late) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                late = wait != nullptr && std::chrono::steady_clock::now() >= end;
                if ((result = recorded.read()) != 0) break;
                seen = recorded.has(sought);
            }
            // What it had just begun to record is whole now.
            if (result == 0 || result == not_ready) {
                int again = recorded.read();
                if (again != 0) result = again;
            }
        }
        const bool stopped = result == not_ready && seen;
        std::cout << (result == 0 ? "ran" : stopped ? "ended: all that was sought was seen" : result == not_ready ? "did not end in time" : "failed: " + describe(result)) << std::endl;
        if (result == 0 || result == not_ready) recorded.print();
        std::cout.flush();
        // A kernel that still runs ends with the process; nothing else may wait for it.
        if (result == not_ready) std::_Exit(stopped ? 0 : 1);
        return result == 0 ? 0 : 1;
    }

    int run() {
        if (kernel == nullptr) give_up("launch: no kernel is named");
        for (auto &o : objects) if (o.second.freed) must(cu.release(o.second.at), "free memory");
        if (!records.empty()) return run_watched();
        int result = start(nullptr);
        if (result == 0) result = cu.synchronize();
        std::cout << (result == 0 ? "ran" : "failed: " + describe(result)) << std::endl;
        return result == 0 ? 0 : 1;
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) give_up("run: name one file");
    if (const char *seconds = std::getenv("SCUBA_SECONDS")) alarm(static_cast<unsigned>(std::strtoul(seconds, nullptr, 10)));
    std::ifstream file(argv[1]);
    if (!file) give_up(std::string("open ") + argv[1]);
    open_driver();
    must(cu.init(0), "start the driver");
    int device = 0;
    must(cu.device_get(&device, 0), "find a device");
    char name[256] = "";
    must(cu.device_name(name, sizeof name - 1, device), "name the device");
    std::cout << "device " << name << std::endl;
    Handle context = nullptr;
    must(cu.retain(&context, device), "make a context");
    must(cu.set_current(context), "use the context");
    Launch launch;
    std::string text;
    while (std::getline(file, text)) {
        std::istringstream line(text);
        launch.statement(line);
    }
    return launch.run();
}
