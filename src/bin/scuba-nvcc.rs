//! `scuba-nvcc`: runs nvcc with the analysis beside it; implemented in `scuba::nvcc::shim`.
use scuba::nvcc::shim;

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match shim::run(&arguments) {
        Ok(ended) => ended.take_effect(),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "this program's own message")]
            {
                eprintln!("scuba-nvcc: {error}");
            }
            std::process::exit(error.status());
        }
    }
}
