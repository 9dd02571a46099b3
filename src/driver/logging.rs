//! Writes events of the analysis to standard error as they happen: `SCUBA_LOG=debug`, `SCUBA_LOG=scuba::check=trace`
//! (the filters of `tracing`).

use super::output;
use nvcc::notes::is_filter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::{EnvFilter, fmt};

/// Starts to write events if `SCUBA_LOG` holds a filter.
pub fn begin() {
    let Some(filter) = std::env::var("SCUBA_LOG").ok().filter(|v| is_filter(v)) else { return };
    match EnvFilter::try_new(of_crates(&filter)) {
        Ok(filter) => {
            let log = fmt().with_env_filter(filter).with_span_events(FmtSpan::CLOSE).with_writer(std::io::stderr);
            // Fails only if another subscriber is set already, as in tests.
            let _ = log.with_ansi(false).try_init();
        }
        Err(e) => output::complain(&format!("SCUBA_LOG is `{filter}`: {e}")),
    }
}

/// Names of the crates that emit events, one for each room.
const ROOMS: &[&str] = &[
    "base",
    "cgeist",
    "check",
    "config",
    "confirm",
    "contracts",
    "driver",
    "editor",
    "engine",
    "facts",
    "files",
    "finding",
    "frontend",
    "ir",
    "library",
    "models",
    "nvcc",
    "remote",
    "report",
    "transport",
    "witness",
];

/// Translates a filter to crate names: `scuba` stands for all rooms, `scuba::ROOM` for one.
fn of_crates(filter: &str) -> String {
    let one = |directive: &str| match directive.trim() {
        d if d == "scuba" || d.starts_with("scuba=") => {
            ROOMS.iter().map(|room| format!("{room}{}", &d["scuba".len()..])).collect::<Vec<_>>().join(",")
        }
        d => match d.strip_prefix("scuba::") {
            Some(rest) if ["symbolic", "host", "kernel"].iter().any(|r| rest.starts_with(r)) => {
                format!("engine::{rest}")
            }
            Some(rest) => rest.to_owned(),
            None => d.to_owned(),
        },
    };
    filter.split(',').map(one).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{ROOMS, of_crates};

    #[test]
    fn rooms_are_crates() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut crates: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap())
            .filter(|e| e.path().join("Cargo.toml").exists())
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        crates.sort();
        assert_eq!(ROOMS, crates);
        assert_eq!(of_crates("debug"), "debug");
        assert_eq!(of_crates("scuba::check=trace, z3=off"), "check=trace,z3=off");
        assert_eq!(of_crates("scuba::symbolic::loops=debug"), "engine::symbolic::loops=debug");
        let all = of_crates("scuba=info");
        assert!(all.starts_with("base=info,cgeist=info,check=info,") && all.contains(",engine=info,"), "{all}");
    }
}
