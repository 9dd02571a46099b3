//! Helper of the remote cache; implemented in `transport`.

fn main() -> std::process::ExitCode {
    transport::run()
}
