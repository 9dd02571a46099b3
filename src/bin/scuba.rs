//! The `scuba` command; implemented in `scuba::driver`.

#[global_allocator]
static ALLOCATOR: scuba::driver::worker::memory::BoundedAllocator = scuba::driver::worker::memory::BoundedAllocator;

fn main() -> std::process::ExitCode {
    scuba::driver::dispatch::run(std::env::args_os())
}
