//! What the analysis does as it does it, on standard error: `SCUBA_LOG=debug`, `SCUBA_LOG=scuba::check=trace` (the filters of `tracing`).

use super::output;
use crate::nvcc::notes::is_filter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::{EnvFilter, fmt};

/// Begins to write events, where somebody wants them.
pub fn begin() {
    let Some(filter) = std::env::var("SCUBA_LOG").ok().filter(|v| is_filter(v)) else { return };
    match EnvFilter::try_new(&filter) {
        Ok(filter) => {
            let log = fmt().with_env_filter(filter).with_span_events(FmtSpan::CLOSE).with_writer(std::io::stderr);
            // Only where another one listens already, as in tests.
            let _ = log.with_ansi(false).try_init();
        }
        Err(e) => output::complain(&format!("SCUBA_LOG is `{filter}`: {e}")),
    }
}
