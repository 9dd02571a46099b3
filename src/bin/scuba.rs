//! The `scuba` command; implemented in `scuba::driver`.

#[global_allocator]
static ALLOCATOR: scuba::driver::worker::memory::Bounded = scuba::driver::worker::memory::Bounded;

fn main() -> std::process::ExitCode {
    scuba::driver::dispatch::run(std::env::args_os())
}
