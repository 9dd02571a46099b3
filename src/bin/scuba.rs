//! The command line; `scuba::driver` is where it happens.

fn main() -> std::process::ExitCode { scuba::driver::run(std::env::args_os()) }
